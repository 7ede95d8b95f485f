//! A function of time and other controls.

use super::{ControlElement, ControlKind, ControlLaw, DescribedControl};
use crate::fields::{Field, Fields};
use crate::description::Control;
use crate::elements::faults::Faults;
use crate::elements::references::ResolveControl;
use crate::elements::scene::Scene;
use crate::signal::Signal;
use holonom_algebra::Real;

/// An expression of t and controls.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Expression {
    /// The expression.
    pub value: Signal,
}

impl DescribedControl for Expression {
    const NAME: &str = "expression";
    const DOC: &str = "An expression of t, parameters and other controls.";

    fn fields(&mut self, visitor: &mut dyn Fields) {
        let Self { value } = self;
        let doc = "Expression, such as `2*(target - angle)`.";
        visitor.signal(&Field::required("value", "", doc), value);
    }

    fn faults(&self, faults: &mut Faults) {
        faults.signal_quantity("the value", &self.value);
    }

    fn attach(&self, _: &mut dyn ResolveControl) -> Option<ControlElement> {
        Some(self.clone().into())
    }

    fn formula(&self) -> Option<&Signal> {
        Some(&self.value)
    }
}


/// Constructors.
impl Control {
    /// A function of t and other controls.
    pub fn expression(name: impl Into<String>, value: Signal) -> Self {
        Self::new(name, ControlKind::Expression(Expression { value }))
    }
}

impl ControlLaw for Expression {
    fn output<T: Real>(&self, scene: &Scene<T>) -> T {
        scene.value(&self.value)
    }
}
