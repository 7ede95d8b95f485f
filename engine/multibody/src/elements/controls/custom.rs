//! Controls that another crate defines: see [custom forces](crate::elements::forces::CustomForce).

use super::{ControlElement, ControlInfo, ControlKind, ControlLaw, DescribedControl, info};
use crate::elements::faults::Faults;
use crate::elements::forces::OwnState;
use crate::elements::references::ResolveControl;
use crate::elements::scene::Scene;
use crate::fields::Fields;
use crate::mirror::Mirror;
use crate::path::PathCurve;
use crate::signal::Signal;
use crate::tree::Attachment;
use core::any::Any;
use core::fmt::Debug;
use holonom_algebra::{Dual4, Dual8, Dual12, EachScalar, Family, Real, Trace};

/// A described control of another crate.
#[derive(Debug)]
pub struct CustomControl(pub(super) Box<dyn AnyControl>);

impl CustomControl {
    /// The control itself, if it is of this type.
    pub fn downcast_ref<C: 'static>(&self) -> Option<&C> {
        self.0.as_any().downcast_ref()
    }

    /// The same, to be changed.
    pub fn downcast_mut<C: 'static>(&mut self) -> Option<&mut C> {
        self.0.as_any_mut().downcast_mut()
    }
}

impl Clone for CustomControl {
    fn clone(&self) -> Self {
        Self(self.0.boxed())
    }
}

impl PartialEq for CustomControl {
    fn eq(&self, other: &Self) -> bool {
        self.0.equals(other.0.as_ref())
    }
}

/// [`DescribedControl`] without its type.
pub(super) trait AnyControl: Any + Debug + Send + Sync {
    fn as_any(&self) -> &dyn Any;
    fn as_any_mut(&mut self) -> &mut dyn Any;
    fn boxed(&self) -> Box<dyn AnyControl>;
    fn equals(&self, other: &dyn AnyControl) -> bool;
    fn info(&self) -> &'static ControlInfo;
    fn fields(&mut self, visitor: &mut dyn Fields);
    fn faults(&self, faults: &mut Faults);
    fn path_faults(&self, path: &PathCurve, faults: &mut Faults);
    fn attach(&self, to: &mut dyn ResolveControl) -> Option<ControlElement>;
    fn mirror(&mut self, mirror: &mut Mirror);
    fn formula(&self) -> Option<&Signal>;
}

impl<C: DescribedControl + Send + Sync + 'static> AnyControl for C {
    fn as_any(&self) -> &dyn Any {
        self
    }
    fn as_any_mut(&mut self) -> &mut dyn Any {
        self
    }
    fn boxed(&self) -> Box<dyn AnyControl> {
        Box::new(self.clone())
    }
    fn equals(&self, other: &dyn AnyControl) -> bool {
        other.as_any().downcast_ref::<C>() == Some(self)
    }
    fn info(&self) -> &'static ControlInfo {
        info::<C>()
    }
    fn fields(&mut self, visitor: &mut dyn Fields) {
        DescribedControl::fields(self, visitor);
    }
    fn faults(&self, faults: &mut Faults) {
        DescribedControl::faults(self, faults);
    }
    fn path_faults(&self, path: &PathCurve, faults: &mut Faults) {
        DescribedControl::path_faults(self, path, faults);
    }
    fn attach(&self, to: &mut dyn ResolveControl) -> Option<ControlElement> {
        DescribedControl::attach(self, to)
    }
    fn mirror(&mut self, mirror: &mut Mirror) {
        DescribedControl::mirror(self, mirror);
    }
    fn formula(&self) -> Option<&Signal> {
        DescribedControl::formula(self)
    }
}

impl ControlKind {
    /// A control of another crate.
    pub fn custom(control: impl DescribedControl + Send + Sync + 'static) -> Self {
        Self::Custom(CustomControl(Box::new(control)))
    }
}

impl ControlElement {
    /// The attached control of another crate, with the name of its kind.
    pub fn custom<D: DescribedControl>(law: impl ControlLaw + Clone + Debug + Send + Sync + 'static) -> Self {
        Self::Custom(CustomControlLaw {
            kind: D::NAME,
            law: Box::new(law),
        })
    }
}

/// The law of a control of another crate.
#[derive(Debug)]
pub struct CustomControlLaw {
    pub(super) kind: &'static str,
    law: Box<dyn AnyControlLaw>,
}

impl Clone for CustomControlLaw {
    fn clone(&self) -> Self {
        Self {
            kind: self.kind,
            law: self.law.boxed(),
        }
    }
}

/// The methods of [`ControlLaw`] that are generic over the scalar, for one of them.
trait ControlLawAt<T: Real> {
    fn output_at(&self, scene: &Scene<T>) -> T;
    fn rates_at(&self, scene: &Scene<T>, out: &mut [T]);
}

impl<L: ControlLaw, T: Real> ControlLawAt<T> for L {
    fn output_at(&self, scene: &Scene<T>) -> T {
        self.output(scene)
    }
    fn rates_at(&self, scene: &Scene<T>, out: &mut [T]) {
        self.rates(scene, out);
    }
}

/// [`ControlLawAt`] for each scalar.
struct LawsAt<'a>(#[expect(dead_code, reason = "it is a name for types only")] &'a ());

impl<'a> Family for LawsAt<'a> {
    type Of<T: Real> = &'a dyn ControlLawAt<T>;
}

/// [`ControlLaw`] without its type.
trait AnyControlLaw:
    ControlLawAt<f64>
    + ControlLawAt<Dual4>
    + ControlLawAt<Dual8>
    + ControlLawAt<Dual12>
    + ControlLawAt<Trace>
    + Debug
    + Send
    + Sync
{
    fn boxed(&self) -> Box<dyn AnyControlLaw>;
    fn direct(&self) -> bool;
    fn states(&self) -> Vec<OwnState>;
    fn begin(&self, scene: &Scene<f64>, own: &mut [f64]) -> bool;
    fn set_point(&self) -> Option<&Signal>;
    fn set_point_mut(&mut self) -> Option<&mut Signal>;
    fn frames(&self) -> Option<[Attachment; 2]>;
}

impl<L: ControlLaw + Clone + Debug + Send + Sync + 'static> AnyControlLaw for L {
    fn boxed(&self) -> Box<dyn AnyControlLaw> {
        Box::new(self.clone())
    }
    fn direct(&self) -> bool {
        ControlLaw::direct(self)
    }
    fn states(&self) -> Vec<OwnState> {
        ControlLaw::states(self)
    }
    fn begin(&self, scene: &Scene<f64>, own: &mut [f64]) -> bool {
        ControlLaw::begin(self, scene, own)
    }
    fn set_point(&self) -> Option<&Signal> {
        ControlLaw::set_point(self)
    }
    fn set_point_mut(&mut self) -> Option<&mut Signal> {
        ControlLaw::set_point_mut(self)
    }
    fn frames(&self) -> Option<[Attachment; 2]> {
        ControlLaw::frames(self)
    }
}

impl CustomControlLaw {
    /// The law for a scalar.
    #[inline]
    fn at<T: Real>(&self) -> &dyn ControlLawAt<T> {
        let law = self.law.as_ref();
        T::member(&EachScalar::<LawsAt> {
            f64: law,
            dual4: law,
            dual8: law,
            dual12: law,
            trace: law,
        })
    }
}

impl ControlLaw for CustomControlLaw {
    fn output<T: Real>(&self, scene: &Scene<T>) -> T {
        self.at::<T>().output_at(scene)
    }
    fn direct(&self) -> bool {
        self.law.direct()
    }
    fn states(&self) -> Vec<OwnState> {
        self.law.states()
    }
    fn rates<T: Real>(&self, scene: &Scene<T>, out: &mut [T]) {
        self.at::<T>().rates_at(scene, out);
    }
    fn begin(&self, scene: &Scene<f64>, own: &mut [f64]) -> bool {
        self.law.begin(scene, own)
    }
    fn set_point(&self) -> Option<&Signal> {
        self.law.set_point()
    }
    fn set_point_mut(&mut self) -> Option<&mut Signal> {
        self.law.set_point_mut()
    }
    fn frames(&self) -> Option<[Attachment; 2]> {
        self.law.frames()
    }
}
