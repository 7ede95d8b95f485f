//! Force elements that another crate defines.
//!
//! Their types are [`DescribedForce`] and [`ForceLaw`] as those here are, but not variants of the enums: boxes hold
//! them. A method generic over the scalar cannot be called through a box, so that a law in a box has one trait for
//! each scalar.

use super::{
    DescribedForce, ForceElement, ForceInfo, ForceKind, ForceLaw, OwnState, Reach, ShownValue, info,
};
use crate::elements::faults::Faults;
use crate::elements::references::Resolve;
use crate::elements::scene::{Loads, Scene};
use crate::fields::Fields;
use crate::mirror::Mirror;
use crate::names::CoordinateRef;
use crate::signal::Signal;
use crate::tree::Attachment;
use core::any::Any;
use core::fmt::Debug;
use core::ops::Range;
use holonom_algebra::{Dual4, Dual8, Dual12, EachScalar, Family, Function, Real, Trace};
use holonom_dae::Gap;
use std::sync::Arc;

/// A described force element of another crate.
#[derive(Debug)]
pub struct CustomForce(pub(super) Box<dyn AnyForce>);

impl CustomForce {
    pub(super) fn new(force: impl DescribedForce + Send + Sync + 'static) -> Self {
        Self(Box::new(force))
    }

    /// The element itself, if it is of this type.
    pub fn downcast_ref<F: 'static>(&self) -> Option<&F> {
        self.0.as_any().downcast_ref()
    }

    /// The same, to be changed.
    pub fn downcast_mut<F: 'static>(&mut self) -> Option<&mut F> {
        self.0.as_any_mut().downcast_mut()
    }
}

impl Clone for CustomForce {
    fn clone(&self) -> Self {
        Self(self.0.boxed())
    }
}

impl PartialEq for CustomForce {
    fn eq(&self, other: &Self) -> bool {
        self.0.equals(other.0.as_ref())
    }
}

/// [`DescribedForce`] without its type.
pub(super) trait AnyForce: Any + Debug + Send + Sync {
    fn as_any(&self) -> &dyn Any;
    fn as_any_mut(&mut self) -> &mut dyn Any;
    fn boxed(&self) -> Box<dyn AnyForce>;
    fn equals(&self, other: &dyn AnyForce) -> bool;
    fn info(&self) -> &'static ForceInfo;
    fn fields(&mut self, visitor: &mut dyn Fields);
    fn faults(&self, faults: &mut Faults);
    fn attach(&self, to: &mut dyn Resolve) -> Option<ForceElement>;
    fn mirror(&mut self, mirror: &mut Mirror);
    fn shown_signs(&self, mirror: &Mirror, on_coordinates: &[f64]) -> Vec<(&'static str, f64)>;
    fn ground_vectors(&mut self) -> Vec<&mut [Signal; 3]>;
    fn reaction(&self) -> Option<&CoordinateRef>;
    fn function(&self) -> Option<&Arc<dyn Function>>;
}

impl<F: DescribedForce + Send + Sync + 'static> AnyForce for F {
    fn as_any(&self) -> &dyn Any {
        self
    }
    fn as_any_mut(&mut self) -> &mut dyn Any {
        self
    }
    fn boxed(&self) -> Box<dyn AnyForce> {
        Box::new(self.clone())
    }
    fn equals(&self, other: &dyn AnyForce) -> bool {
        other.as_any().downcast_ref::<F>() == Some(self)
    }
    fn info(&self) -> &'static ForceInfo {
        info::<F>()
    }
    fn fields(&mut self, visitor: &mut dyn Fields) {
        DescribedForce::fields(self, visitor);
    }
    fn faults(&self, faults: &mut Faults) {
        DescribedForce::faults(self, faults);
    }
    fn attach(&self, to: &mut dyn Resolve) -> Option<ForceElement> {
        DescribedForce::attach(self, to)
    }
    fn mirror(&mut self, mirror: &mut Mirror) {
        DescribedForce::mirror(self, mirror);
    }
    fn shown_signs(&self, mirror: &Mirror, on_coordinates: &[f64]) -> Vec<(&'static str, f64)> {
        DescribedForce::shown_signs(self, mirror, on_coordinates)
    }
    fn ground_vectors(&mut self) -> Vec<&mut [Signal; 3]> {
        DescribedForce::ground_vectors(self)
    }
    fn reaction(&self) -> Option<&CoordinateRef> {
        DescribedForce::reaction(self)
    }
    fn function(&self) -> Option<&Arc<dyn Function>> {
        DescribedForce::function(self)
    }
}

impl ForceKind {
    /// A force element of another crate.
    pub fn custom(force: impl DescribedForce + Send + Sync + 'static) -> Self {
        Self::Custom(CustomForce::new(force))
    }
}

impl ForceElement {
    /// The attached force element of another crate.
    pub fn custom(law: impl ForceLaw + Clone + Debug + Send + Sync + 'static) -> Self {
        Self::Custom(CustomForceLaw(Box::new(law)))
    }
}

/// The law of a force element of another crate.
#[derive(Debug)]
pub struct CustomForceLaw(Box<dyn AnyForceLaw>);

impl Clone for CustomForceLaw {
    fn clone(&self) -> Self {
        Self(self.0.boxed())
    }
}

/// The methods of [`ForceLaw`] that are generic over the scalar, for one of them.
trait ForceLawAt<T: Real> {
    fn evaluate_at(&self, scene: &Scene<T>, loads: &mut Loads<T>);
    fn energy_at(&self, scene: &Scene<T>) -> Option<T>;
    fn shown_at(&self, scene: &Scene<T>, out: &mut [T]);
    fn law_inputs_at(&self, scene: &Scene<T>, out: &mut [T]);
    fn rates_at(&self, scene: &Scene<T>, out: &mut [T]);
}

impl<L: ForceLaw, T: Real> ForceLawAt<T> for L {
    fn evaluate_at(&self, scene: &Scene<T>, loads: &mut Loads<T>) {
        self.evaluate(scene, loads);
    }
    fn energy_at(&self, scene: &Scene<T>) -> Option<T> {
        self.energy(scene)
    }
    fn shown_at(&self, scene: &Scene<T>, out: &mut [T]) {
        self.shown(scene, out);
    }
    fn law_inputs_at(&self, scene: &Scene<T>, out: &mut [T]) {
        self.law_inputs(scene, out);
    }
    fn rates_at(&self, scene: &Scene<T>, out: &mut [T]) {
        self.rates(scene, out);
    }
}

/// [`ForceLawAt`] for each scalar.
struct LawsAt<'a>(#[expect(dead_code, reason = "it is a name for types only")] &'a ());

impl<'a> Family for LawsAt<'a> {
    type Of<T: Real> = &'a dyn ForceLawAt<T>;
}

/// [`ForceLaw`] without its type.
trait AnyForceLaw:
    ForceLawAt<f64>
    + ForceLawAt<Dual4>
    + ForceLawAt<Dual8>
    + ForceLawAt<Dual12>
    + ForceLawAt<Trace>
    + Debug
    + Send
    + Sync
{
    fn boxed(&self) -> Box<dyn AnyForceLaw>;
    fn reach(&self) -> Reach<'_>;
    fn stores_energy(&self) -> bool;
    fn outputs(&self) -> Vec<ShownValue>;
    fn gap(&self, scene: &Scene<f64>) -> Option<Gap>;
    fn has_gap(&self) -> bool;
    fn piecewise(&self) -> [usize; 2];
    fn piecewise_inputs(&self, scene: &Scene<f64>, out: &mut [f64]);
    fn piecewise_values(&self, inputs: &[f64], values: &mut [f64], pieces: &mut [u64]);
    fn place_size(&self) -> usize;
    fn place(&self, scene: &Scene<f64>, out: &mut [f64]);
    fn feature_width(&self) -> f64;
    fn profile(&self, place: &[f64]) -> f64;
    fn length_over_time(&self) -> Option<&Signal>;
    fn tension_without_length(&self) -> f64;
    fn states(&self) -> Vec<OwnState>;
    fn wheel(&self) -> Option<(&Attachment, f64)>;
    fn set_point(&self) -> Option<&Signal>;
    fn set_point_mut(&mut self) -> Option<&mut Signal>;
    fn multipliers(&self) -> Range<usize>;
}

impl<L: ForceLaw + Clone + Debug + Send + Sync + 'static> AnyForceLaw for L {
    fn boxed(&self) -> Box<dyn AnyForceLaw> {
        Box::new(self.clone())
    }
    fn reach(&self) -> Reach<'_> {
        ForceLaw::reach(self)
    }
    fn stores_energy(&self) -> bool {
        ForceLaw::stores_energy(self)
    }
    fn outputs(&self) -> Vec<ShownValue> {
        ForceLaw::outputs(self)
    }
    fn gap(&self, scene: &Scene<f64>) -> Option<Gap> {
        ForceLaw::gap(self, scene)
    }
    fn has_gap(&self) -> bool {
        ForceLaw::has_gap(self)
    }
    fn piecewise(&self) -> [usize; 2] {
        ForceLaw::piecewise(self)
    }
    fn piecewise_inputs(&self, scene: &Scene<f64>, out: &mut [f64]) {
        ForceLaw::piecewise_inputs(self, scene, out);
    }
    fn piecewise_values(&self, inputs: &[f64], values: &mut [f64], pieces: &mut [u64]) {
        ForceLaw::piecewise_values(self, inputs, values, pieces);
    }
    fn place_size(&self) -> usize {
        ForceLaw::place_size(self)
    }
    fn place(&self, scene: &Scene<f64>, out: &mut [f64]) {
        ForceLaw::place(self, scene, out);
    }
    fn feature_width(&self) -> f64 {
        ForceLaw::feature_width(self)
    }
    fn profile(&self, place: &[f64]) -> f64 {
        ForceLaw::profile(self, place)
    }
    fn length_over_time(&self) -> Option<&Signal> {
        ForceLaw::length_over_time(self)
    }
    fn tension_without_length(&self) -> f64 {
        ForceLaw::tension_without_length(self)
    }
    fn states(&self) -> Vec<OwnState> {
        ForceLaw::states(self)
    }
    fn wheel(&self) -> Option<(&Attachment, f64)> {
        ForceLaw::wheel(self)
    }
    fn set_point(&self) -> Option<&Signal> {
        ForceLaw::set_point(self)
    }
    fn set_point_mut(&mut self) -> Option<&mut Signal> {
        ForceLaw::set_point_mut(self)
    }
    fn multipliers(&self) -> Range<usize> {
        ForceLaw::multipliers(self)
    }
}

impl CustomForceLaw {
    /// The law for a scalar.
    #[inline]
    fn at<T: Real>(&self) -> &dyn ForceLawAt<T> {
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

impl ForceLaw for CustomForceLaw {
    fn evaluate<T: Real>(&self, scene: &Scene<T>, loads: &mut Loads<T>) {
        self.at::<T>().evaluate_at(scene, loads);
    }
    fn energy<T: Real>(&self, scene: &Scene<T>) -> Option<T> {
        self.at::<T>().energy_at(scene)
    }
    fn reach(&self) -> Reach<'_> {
        self.0.reach()
    }
    fn stores_energy(&self) -> bool {
        self.0.stores_energy()
    }
    fn outputs(&self) -> Vec<ShownValue> {
        self.0.outputs()
    }
    fn shown<T: Real>(&self, scene: &Scene<T>, out: &mut [T]) {
        self.at::<T>().shown_at(scene, out);
    }
    fn law_inputs<T: Real>(&self, scene: &Scene<T>, out: &mut [T]) {
        self.at::<T>().law_inputs_at(scene, out);
    }
    fn gap(&self, scene: &Scene<f64>) -> Option<Gap> {
        self.0.gap(scene)
    }
    fn has_gap(&self) -> bool {
        self.0.has_gap()
    }
    fn piecewise(&self) -> [usize; 2] {
        self.0.piecewise()
    }
    fn piecewise_inputs(&self, scene: &Scene<f64>, out: &mut [f64]) {
        self.0.piecewise_inputs(scene, out);
    }
    fn piecewise_values(&self, inputs: &[f64], values: &mut [f64], pieces: &mut [u64]) {
        self.0.piecewise_values(inputs, values, pieces);
    }
    fn place_size(&self) -> usize {
        self.0.place_size()
    }
    fn place(&self, scene: &Scene<f64>, out: &mut [f64]) {
        self.0.place(scene, out);
    }
    fn feature_width(&self) -> f64 {
        self.0.feature_width()
    }
    fn profile(&self, place: &[f64]) -> f64 {
        self.0.profile(place)
    }
    fn length_over_time(&self) -> Option<&Signal> {
        self.0.length_over_time()
    }
    fn tension_without_length(&self) -> f64 {
        self.0.tension_without_length()
    }
    fn states(&self) -> Vec<OwnState> {
        self.0.states()
    }
    fn rates<T: Real>(&self, scene: &Scene<T>, out: &mut [T]) {
        self.at::<T>().rates_at(scene, out);
    }
    fn wheel(&self) -> Option<(&Attachment, f64)> {
        self.0.wheel()
    }
    fn set_point(&self) -> Option<&Signal> {
        self.0.set_point()
    }
    fn set_point_mut(&mut self) -> Option<&mut Signal> {
        self.0.set_point_mut()
    }
    fn multipliers(&self) -> Range<usize> {
        self.0.multipliers()
    }
}
