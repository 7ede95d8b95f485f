//! Constraints that another crate defines: see [custom forces](crate::elements::forces::CustomForce).

use super::RowLevel;
use super::{ConstraintElement, ConstraintInfo, ConstraintKind, ConstraintLaw, DescribedConstraint, info};
use crate::elements::faults::Faults;
use crate::elements::references::Resolve;
use crate::elements::scene::{Loads, Scene};
use crate::fields::Fields;
use crate::mirror::Mirror;
use crate::signal::Signal;
use crate::tree::Attachment;
use core::any::Any;
use core::fmt::Debug;
use holonom_algebra::{Dual4, Dual8, Dual12, EachScalar, Family, Real, Trace, Vec3, Wrench};

/// A described constraint of another crate.
#[derive(Debug)]
pub struct CustomConstraint(pub(super) Box<dyn AnyConstraint>);

impl CustomConstraint {
    /// The constraint itself, if it is of this type.
    pub fn downcast_ref<C: 'static>(&self) -> Option<&C> {
        self.0.as_any().downcast_ref()
    }

    /// The same, to be changed.
    pub fn downcast_mut<C: 'static>(&mut self) -> Option<&mut C> {
        self.0.as_any_mut().downcast_mut()
    }
}

impl Clone for CustomConstraint {
    fn clone(&self) -> Self {
        Self(self.0.boxed())
    }
}

impl PartialEq for CustomConstraint {
    fn eq(&self, other: &Self) -> bool {
        self.0.equals(other.0.as_ref())
    }
}

/// [`DescribedConstraint`] without its type.
pub(super) trait AnyConstraint: Any + Debug + Send + Sync {
    fn as_any(&self) -> &dyn Any;
    fn as_any_mut(&mut self) -> &mut dyn Any;
    fn boxed(&self) -> Box<dyn AnyConstraint>;
    fn equals(&self, other: &dyn AnyConstraint) -> bool;
    fn info(&self) -> &'static ConstraintInfo;
    fn fields(&mut self, visitor: &mut dyn Fields);
    fn faults(&self, faults: &mut Faults);
    fn attach(&self, to: &mut dyn Resolve) -> Option<ConstraintElement>;
    fn mirror(&mut self, mirror: &mut Mirror);
    fn shown_signs(&self, mirror: &Mirror) -> Vec<(&'static str, f64)>;
}

impl<C: DescribedConstraint + Send + Sync + 'static> AnyConstraint for C {
    fn as_any(&self) -> &dyn Any {
        self
    }
    fn as_any_mut(&mut self) -> &mut dyn Any {
        self
    }
    fn boxed(&self) -> Box<dyn AnyConstraint> {
        Box::new(self.clone())
    }
    fn equals(&self, other: &dyn AnyConstraint) -> bool {
        other.as_any().downcast_ref::<C>() == Some(self)
    }
    fn info(&self) -> &'static ConstraintInfo {
        info::<C>()
    }
    fn fields(&mut self, visitor: &mut dyn Fields) {
        DescribedConstraint::fields(self, visitor);
    }
    fn faults(&self, faults: &mut Faults) {
        DescribedConstraint::faults(self, faults);
    }
    fn attach(&self, to: &mut dyn Resolve) -> Option<ConstraintElement> {
        DescribedConstraint::attach(self, to)
    }
    fn mirror(&mut self, mirror: &mut Mirror) {
        DescribedConstraint::mirror(self, mirror);
    }
    fn shown_signs(&self, mirror: &Mirror) -> Vec<(&'static str, f64)> {
        DescribedConstraint::shown_signs(self, mirror)
    }
}

impl ConstraintKind {
    /// A constraint of another crate.
    pub fn custom(constraint: impl DescribedConstraint + Send + Sync + 'static) -> Self {
        Self::Custom(CustomConstraint(Box::new(constraint)))
    }
}

impl ConstraintElement {
    /// The attached constraint of another crate. Its rows lie between two frames; a constraint on coordinates becomes a
    /// [`CoordinateSum`](super::CoordinateSum).
    pub fn custom(law: impl ConstraintLaw + Clone + Debug + Send + Sync + 'static) -> Self {
        Self::Custom(CustomConstraintLaw(Box::new(law)))
    }
}

/// The law of a constraint of another crate.
#[derive(Debug)]
pub struct CustomConstraintLaw(Box<dyn AnyConstraintLaw>);

impl Clone for CustomConstraintLaw {
    fn clone(&self) -> Self {
        Self(self.0.boxed())
    }
}

/// The methods of [`ConstraintLaw`] that are generic over the scalar, for one of them.
trait ConstraintLawAt<T: Real> {
    fn position_at(&self, scene: &Scene<T>, g: &mut [T]);
    fn velocity_at(&self, scene: &Scene<T>, out: &mut [T]);
    fn acceleration_at(&self, scene: &Scene<T>, out: &mut [T]);
    fn directions_at(&self, scene: &Scene<T>, out: &mut [Wrench<T>]) -> Option<Vec3<T>>;
    fn loads_at(&self, scene: &Scene<T>, multipliers: &[T], loads: &mut Loads<T>);
}

impl<L: ConstraintLaw, T: Real> ConstraintLawAt<T> for L {
    fn position_at(&self, scene: &Scene<T>, g: &mut [T]) {
        self.position(scene, g);
    }
    fn velocity_at(&self, scene: &Scene<T>, out: &mut [T]) {
        self.velocity(scene, out);
    }
    fn acceleration_at(&self, scene: &Scene<T>, out: &mut [T]) {
        self.acceleration(scene, out);
    }
    fn directions_at(&self, scene: &Scene<T>, out: &mut [Wrench<T>]) -> Option<Vec3<T>> {
        self.directions(scene, out)
    }
    fn loads_at(&self, scene: &Scene<T>, multipliers: &[T], loads: &mut Loads<T>) {
        self.loads(scene, multipliers, loads);
    }
}

/// [`ConstraintLawAt`] for each scalar.
struct LawsAt<'a>(#[expect(dead_code, reason = "it is a name for types only")] &'a ());

impl<'a> Family for LawsAt<'a> {
    type Of<T: Real> = &'a dyn ConstraintLawAt<T>;
}

/// [`ConstraintLaw`] without its type.
trait AnyConstraintLaw:
    ConstraintLawAt<f64>
    + ConstraintLawAt<Dual4>
    + ConstraintLawAt<Dual8>
    + ConstraintLawAt<Dual12>
    + ConstraintLawAt<Trace>
    + Debug
    + Send
    + Sync
{
    fn boxed(&self) -> Box<dyn AnyConstraintLaw>;
    fn rows(&self) -> usize;
    fn levels(&self) -> Vec<RowLevel>;
    fn row_names(&self) -> Vec<String>;
    fn sides(&self) -> Option<[Attachment; 2]>;
    fn is_angle(&self, row: usize) -> bool;
    fn has_torque(&self) -> bool;
    fn signal(&self) -> Option<&Signal>;
    fn signal_mut(&mut self) -> Option<&mut Signal>;
}

impl<L: ConstraintLaw + Clone + Debug + Send + Sync + 'static> AnyConstraintLaw for L {
    fn boxed(&self) -> Box<dyn AnyConstraintLaw> {
        Box::new(self.clone())
    }
    fn rows(&self) -> usize {
        ConstraintLaw::rows(self)
    }
    fn levels(&self) -> Vec<RowLevel> {
        ConstraintLaw::levels(self)
    }
    fn row_names(&self) -> Vec<String> {
        ConstraintLaw::row_names(self)
    }
    fn sides(&self) -> Option<[Attachment; 2]> {
        ConstraintLaw::sides(self)
    }
    fn is_angle(&self, row: usize) -> bool {
        ConstraintLaw::is_angle(self, row)
    }
    fn has_torque(&self) -> bool {
        ConstraintLaw::has_torque(self)
    }
    fn signal(&self) -> Option<&Signal> {
        ConstraintLaw::signal(self)
    }
    fn signal_mut(&mut self) -> Option<&mut Signal> {
        ConstraintLaw::signal_mut(self)
    }
}

impl CustomConstraintLaw {
    /// The law for a scalar.
    #[inline]
    fn at<T: Real>(&self) -> &dyn ConstraintLawAt<T> {
        let law = self.0.as_ref();
        T::member(&EachScalar::<LawsAt> {
            f64: law,
            dual4: law,
            dual8: law,
            dual12: law,
            trace: law,
        })
    }
}

impl ConstraintLaw for CustomConstraintLaw {
    fn rows(&self) -> usize {
        self.0.rows()
    }
    fn levels(&self) -> Vec<RowLevel> {
        self.0.levels()
    }
    fn row_names(&self) -> Vec<String> {
        self.0.row_names()
    }
    fn sides(&self) -> Option<[Attachment; 2]> {
        self.0.sides()
    }
    fn position<T: Real>(&self, scene: &Scene<T>, g: &mut [T]) {
        self.at::<T>().position_at(scene, g);
    }
    fn velocity<T: Real>(&self, scene: &Scene<T>, out: &mut [T]) {
        self.at::<T>().velocity_at(scene, out);
    }
    fn acceleration<T: Real>(&self, scene: &Scene<T>, out: &mut [T]) {
        self.at::<T>().acceleration_at(scene, out);
    }
    fn directions<T: Real>(&self, scene: &Scene<T>, out: &mut [Wrench<T>]) -> Option<Vec3<T>> {
        self.at::<T>().directions_at(scene, out)
    }
    fn loads<T: Real>(&self, scene: &Scene<T>, multipliers: &[T], loads: &mut Loads<T>) {
        self.at::<T>().loads_at(scene, multipliers, loads);
    }
    fn is_angle(&self, row: usize) -> bool {
        self.0.is_angle(row)
    }
    fn has_torque(&self) -> bool {
        self.0.has_torque()
    }
    fn signal(&self) -> Option<&Signal> {
        self.0.signal()
    }
    fn signal_mut(&mut self) -> Option<&mut Signal> {
        self.0.signal_mut()
    }
}
