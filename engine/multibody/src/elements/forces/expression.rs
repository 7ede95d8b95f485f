//! A law between two frames written as expressions. When compiled it is a [`User`](super::User) law.

use super::{DescribedForce, ExpressionLaw, ForceElement, User};
use crate::diagnostic::Diagnostic;
use crate::fields::{FROM, Field, Fields, TO};
use crate::mirror::Mirror;
use crate::elements::faults::Faults;
use crate::elements::references::{Named, Resolve};
use holonom_algebra::{Function, Generic};
use holonom_expression::Expression as Formula;
use std::sync::Arc;

/// A law between two frames: inputs are those in [`ExpressionLaw::VARIABLES`], outputs force and torque.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Expression {
    /// First frame.
    pub from: String,
    /// Second frame.
    pub to: String,
    /// Force components on the second frame at its origin, in the axes of the first, N.
    pub force: [Formula; 3],
    /// Torque components on the second frame, in the axes of the first, N m.
    pub torque: [Formula; 3],
}

impl DescribedForce for Expression {
    const NAME: &str = "expression";
    const DOC: &str = "A user-defined force law between two frames, given by expressions of their relative motion.";

    fn fields(&mut self, visitor: &mut dyn Fields) {
        let Self { from, to, force, torque } = self;
        visitor.frame(&FROM, from);
        visitor.frame(&TO, to);
        let variables = &ExpressionLaw::VARIABLES;
        let doc = "Force on the second frame at its origin, in the axes of the first; the opposite force acts on the first.";
        visitor.expressions(&Field::optional("force", "N", doc), variables, force);
        let doc = "Torque on the second frame, in the axes of the first; the opposite torque acts on the first.";
        visitor.expressions(&Field::optional("torque", "N m", doc), variables, torque);
    }

    fn faults(&self, faults: &mut Faults) {
        if let Err(error) = ExpressionLaw::new(self.force.clone(), self.torque.clone()) {
            faults.add(Diagnostic::from(&error));
        }
    }

    fn attach(&self, to: &mut dyn Resolve) -> Option<ForceElement> {
        let law = ExpressionLaw::new(self.force.clone(), self.torque.clone()).ok()?;
        let switched = law.has_switches().then(|| Arc::new(law.clone()));
        let law: Arc<dyn Function> = Arc::new(Generic::new(law).ok()?);
        let user = User::<Named> {
            from: self.from.clone(),
            to: self.to.clone(),
            law,
            switched,
        };
        user.attach(to)
    }

    fn mirror(&mut self, mirror: &mut Mirror) {
        let signs = mirror.law_inputs();
        let image = |sign: f64, component: &mut Formula| {
            // A variable that laws do not have stays; compiling names it.
            let by_name = |name: &String| {
                let known = ExpressionLaw::VARIABLES.iter().position(|v| v == name);
                known.map_or(1.0, |k| signs[k])
            };
            let own: Vec<f64> = component.variables().iter().map(by_name).collect();
            *component = component.with_signs(sign, &own);
        };
        for (k, component) in self.force.iter_mut().enumerate() {
            image(mirror.polar(k), component);
        }
        for (k, component) in self.torque.iter_mut().enumerate() {
            image(mirror.axial(k), component);
        }
    }
}
