//! A user's own law between two frames.

use super::{DescribedForce, ExpressionLaw, ForceElement, ForceKind, ForceLaw, Reach};
use crate::diagnostic::Diagnostic;
use crate::fields::{FROM, Fields, TO};
use crate::description::{Force, Mirror};
use crate::elements::constraints::relative::Relative;
use crate::elements::faults::Faults;
use crate::elements::references::{Attached, Named, References, Resolve, attached};
use crate::elements::scene::{Loads, Scene};
use holonom_algebra::{Dual4, Dual8, Function, Orientation, Real, Trace, Vec3, Wrench};
use std::sync::Arc;

/// A law from relative motion to force and torque.
///
/// Inputs ([`User::INPUTS`]), all in the axes of the first frame: t, the position of the second
/// origin (3), the rotation matrix of the second frame (9, row by row), the velocity of the second
/// origin as the first frame sees it (3), the relative angular velocity (3). Outputs
/// ([`User::OUTPUTS`]): force (3) and torque (3) on the second frame at its origin. The opposite
/// acts at the same point on the first frame, so that the element does no work on common motion.
///
/// Runs sample the law along their steps, so that a narrow range is not stepped over. Jumps in it are not located
/// as events: where it has some, smooth them or set a small largest step.
#[derive(Clone, Debug)]
pub struct User<R: References = Attached> {
    /// First frame.
    pub from: R::Frame,
    /// Second frame.
    pub to: R::Frame,
    /// The law; must have the sizes above.
    pub law: Arc<dyn Function>,
    /// The same law where it is written as expressions with switches, which runs keep on sides.
    pub switched: Option<Arc<ExpressionLaw>>,
}

/// Two laws are equal when they are the same object.
impl PartialEq for User<Named> {
    fn eq(&self, other: &Self) -> bool {
        self.from == other.from && self.to == other.to && *self.law == *other.law
    }
}

impl Default for User<Named> {
    fn default() -> Self {
        Self {
            from: String::new(),
            to: String::new(),
            law: Arc::new(Nothing),
            switched: None,
        }
    }
}

impl DescribedForce for User<Named> {
    const NAME: &str = "user";
    const DOC: &str = "A user-defined force law between two frames, written in Rust.";
    const IN_FILES: bool = false;

    fn fields(&mut self, visitor: &mut dyn Fields) {
        let Self { from, to, .. } = self;
        visitor.frame(&FROM, from);
        visitor.frame(&TO, to);
    }

    fn faults(&self, faults: &mut Faults) {
        let (inputs, outputs) = (self.law.inputs(), self.law.outputs());
        if (inputs, outputs) != (User::INPUTS, User::OUTPUTS) {
            faults.add(Diagnostic::new(format!(
                "the law has {inputs} inputs and {outputs} outputs, but needs {} and {} (time, position, \
                 rotation matrix, velocity, angular velocity; force, torque)",
                User::INPUTS,
                User::OUTPUTS
            )));
        }
    }

    fn attach(&self, to: &mut dyn Resolve) -> Option<ForceElement> {
        attached!(self, to, User { from: frame, to: frame, law, switched })
    }

    fn mirror(&mut self, mirror: &mut Mirror) {
        self.law = mirror.law(&self.law);
    }

    fn function(&self) -> Option<&Arc<dyn Function>> {
        Some(&self.law)
    }
}


impl User {
    /// Inputs of a law.
    pub const INPUTS: usize = 19;
    /// Outputs of a law.
    pub const OUTPUTS: usize = 6;
}

impl User {
    /// What the law depends on.
    fn inputs_of<T: Real>(relative: &Relative<T>, t: T) -> [T; Self::INPUTS] {
        let (a, b) = (relative.first_axes(), relative.second_axes());
        let velocity = relative.velocity();
        let mut x = [T::zero(); Self::INPUTS];
        x[0] = t;
        x[1..4].copy_from_slice(&a.transpose_times(relative.distance).0);
        let rotation = a.relative(&b).to_matrix();
        for (to, row) in x[4..13].chunks_exact_mut(3).zip(&rotation.0) {
            to.copy_from_slice(row);
        }
        x[13..16].copy_from_slice(&a.transpose_times(velocity.linear).0);
        x[16..19].copy_from_slice(&a.transpose_times(velocity.angular).0);
        x
    }
}

/// Constructors.
impl Force {
    /// A user's law between two frames: 19 inputs and 6 outputs, see [`ForceKind::User`].
    pub fn user(
        name: impl Into<String>,
        from: impl Into<String>,
        to: impl Into<String>,
        law: Arc<dyn holonom_algebra::Function>,
    ) -> Self {
        let (from, to) = (from.into(), to.into());
        Self::new(
            name,
            ForceKind::User(User {
                from,
                to,
                law,
                switched: None,
            }),
        )
    }
}

impl ForceLaw for User {
    fn evaluate<T: Real>(&self, scene: &Scene<T>, loads: &mut Loads<T>) {
        let relative = Relative::new(scene, &self.from, &self.to);
        let a = relative.first_axes();
        let x = Self::inputs_of(&relative, scene.t);
        let mut y = [T::zero(); Self::OUTPUTS];
        match &self.switched {
            Some(law) => law.evaluate_on(&x, scene.sides, &mut y),
            None => T::call(self.law.as_ref(), &x, &mut y),
        }
        let force = a.times(Vec3([y[0], y[1], y[2]]));
        let torque = a.times(Vec3([y[3], y[4], y[5]]));
        relative.add_load(&Wrench::new(torque, force), loads);
    }

    fn energy<T: Real>(&self, _: &Scene<T>) -> Option<T> {
        None
    }

    fn reach(&self) -> Reach<'_> {
        Reach::Pair(&self.from, &self.to)
    }

    fn law_inputs<T: Real>(&self, scene: &Scene<T>, out: &mut [T]) {
        let relative = Relative::new(scene, &self.from, &self.to);
        out[..Self::INPUTS].copy_from_slice(&Self::inputs_of(&relative, scene.t));
    }

    fn stores_energy(&self) -> bool {
        false
    }
}

/// No force and no torque: the law of the template.
#[derive(Debug)]
struct Nothing;

impl Function for Nothing {
    fn inputs(&self) -> usize {
        User::INPUTS
    }
    fn outputs(&self) -> usize {
        User::OUTPUTS
    }
    fn evaluate_f64(&self, _: &[f64], y: &mut [f64]) {
        y.fill(0.0);
    }
    fn evaluate_dual4(&self, _: &[Dual4], y: &mut [Dual4]) {
        y.fill(Dual4::zero());
    }
    fn evaluate_dual8(&self, _: &[Dual8], y: &mut [Dual8]) {
        y.fill(Dual8::zero());
    }
    fn evaluate_trace(&self, _: &[Trace], y: &mut [Trace]) {
        y.fill(Trace::zero());
    }
}
