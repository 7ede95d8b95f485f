//! A cable between two points that leads over others.

use super::contact::NOTICED;
use super::line;
use super::one_sided::{one_sided, piece_of_push, piece_of_start, soft_start};
use super::{DescribedForce, ForceElement, ForceLaw, Reach, ShownValue};
use crate::description::{Called, Force};
use crate::fields::{FROM, Field, Fields, TO};
use crate::elements::faults::Faults;
use crate::elements::references::{Attached, Named, References, Resolve, attached};
use crate::elements::scene::{Loads, Scene};
use crate::tree::Attachment;
use crate::signal::Signal;
use holonom_algebra::{Real, Vec3};
use holonom_dae::Gap;

/// Numbers of a cable.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CableLaw {
    /// Tension per strain, EA.
    pub axial_stiffness: f64,
    /// Time constant τ of the damping: the viscous tension is EA τ ε̇.
    pub damping_time: f64,
    /// Strain over which the stiffness grows to its full value.
    pub onset: f64,
}

impl Default for CableLaw {
    fn default() -> Self {
        Self {
            axial_stiffness: 0.0,
            damping_time: 0.0,
            onset: 1e-4,
        }
    }
}

impl CableLaw {
    /// Tension ≥ 0 at a strain and its rate; zero for strains below zero.
    ///
    /// The elastic part is EA w g(ε/w) with g = s³ − s⁴/2 up to s = 1 and s − 1/2 behind, the viscous one
    /// EA τ g′(ε/w) ε̇; their sum never pushes.
    pub fn tension<T: Real>(&self, strain: T, rate: T) -> T {
        let [elastic, viscous] = self.parts(strain, rate);
        one_sided(elastic, viscous)
    }

    fn parts<T: Real>(&self, strain: T, rate: T) -> [T; 2] {
        let start = soft_start(strain, self.onset);
        let viscous = start.share * rate * (self.axial_stiffness * self.damping_time);
        [start.force * self.axial_stiffness, viscous]
    }

    /// Tension, and the number of the piece on which it is.
    fn piece(&self, strain: f64, rate: f64) -> (f64, u64) {
        let [elastic, viscous] = self.parts(strain, rate);
        let piece = piece_of_start(strain, self.onset) + 3 * piece_of_push(elastic, viscous);
        (one_sided(elastic, viscous), piece)
    }

    /// Energy stored at a strain in a cable of length one.
    pub fn energy<T: Real>(&self, strain: T) -> T {
        soft_start(strain, self.onset).energy * self.axial_stiffness
    }
}

/// A cable without mass: [`CableLaw`] of the strain ε = ℓ/L − 1. ℓ is the sum of the distances between the origins of
/// its frames in their order, L its length without tension, which may change: a winch winds it up.
///
/// The frames between the ends are pulleys without radius and friction: the tension is the same on both sides.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cable<R: References = Attached> {
    /// First end.
    pub from: R::Frame,
    /// Frames that it leads over, in order.
    pub over: Vec<R::Frame>,
    /// Second end.
    pub to: R::Frame,
    /// Length L without tension; must be positive. A rate that follows from controls is not seen by the damping.
    pub length: Signal,
    /// Numbers.
    pub law: CableLaw,
}

impl DescribedForce for Cable<Named> {
    const NAME: &str = "cable";
    const DOC: &str = "Cable that pulls but never pushes, from one frame over any number of others to another one, with a \
                       length that may change.";

    fn fields(&mut self, visitor: &mut dyn Fields) {
        let Self { from, over, to, length, law } = self;
        visitor.frame(&FROM, from);
        let doc = "Frames between the ends, in order: pulleys without radius and friction.";
        visitor.frames(&Field::optional("over", "", doc), over);
        visitor.frame(&TO, to);
        let doc = "Length without tension; must be positive. A function of time or of controls models a winch.";
        visitor.signal(&Field::required("length", "m", doc), length);
        let doc = "Tension per strain: Young's modulus times cross-section.";
        visitor.number(&Field::required("axial_stiffness", "N", doc), &mut law.axial_stiffness);
        let doc = "Time constant of the damping: viscous tension per strain rate, divided by the axial stiffness.";
        visitor.number(&Field::optional("damping_time", "s", doc), &mut law.damping_time);
        let doc = "Strain over which the stiffness rises to its full value.";
        visitor.number(&Field::optional("onset", "", doc), &mut law.onset);
    }

    fn faults(&self, faults: &mut Faults) {
        faults.positive("axial_stiffness", self.law.axial_stiffness);
        faults.not_negative("damping_time", self.law.damping_time);
        faults.positive("onset", self.law.onset);
        faults.signal("length", &self.length);
        if self.length.controls().is_empty() && !self.length.varies() {
            faults.positive("length", self.length.evaluate(0.0)[0]);
        }
    }

    fn attach(&self, to: &mut dyn Resolve) -> Option<ForceElement> {
        attached!(self, to, Cable { from: frame, over: frames, to: frame, length, law })
    }
}

/// Constructors.
impl Force {
    /// A cable from one frame over others to another one, with its length without tension, m.
    pub fn cable<F: Into<String>>(
        name: impl Into<String>,
        from: impl Into<String>,
        over: impl IntoIterator<Item = F>,
        to: impl Into<String>,
        length: impl Into<Signal>,
        law: CableLaw,
    ) -> Called<Cable<Named>> {
        let kind = Cable {
            from: from.into(),
            over: over.into_iter().map(Into::into).collect(),
            to: to.into(),
            length: length.into(),
            law,
        };
        Called::new(name, kind)
    }
}

/// A piece of the cable between two frames.
struct Piece<T> {
    from: (usize, Vec3<T>),
    to: (usize, Vec3<T>),
    length: T,
    direction: Vec3<T>,
    rate: T,
    /// How fast its ends move against each other.
    speed: T,
}

impl Cable {
    /// Does something with each piece.
    fn each_piece<T: Real>(&self, scene: &Scene<T>, mut act: impl FnMut(&Piece<T>)) {
        let mut near: &Attachment = &self.from;
        let mut a = scene.frame(near);
        for far in self.over.iter().chain([&self.to]) {
            let b = scene.frame(far);
            let (length, inverse) = line::length(b.origin - a.origin);
            let direction = (b.origin - a.origin).scale(inverse);
            let velocity = b.velocity - a.velocity;
            act(&Piece {
                from: (near.node, a.arm),
                to: (far.node, b.arm),
                length,
                direction,
                rate: direction.dot(velocity),
                speed: velocity.norm_squared(),
            });
            (near, a) = (far, b);
        }
    }

    /// ℓ and its rate.
    fn path<T: Real>(&self, scene: &Scene<T>) -> [T; 2] {
        let mut sum = [T::zero(); 2];
        self.each_piece(scene, |piece| {
            sum[0] += piece.length;
            sum[1] += piece.rate;
        });
        sum
    }

    /// L and its rate. A length that is not positive is none.
    fn free_length<T: Real>(&self, scene: &Scene<T>) -> [T; 2] {
        let [length, rate] = scene.value_and_rate(&self.length);
        let positive = length.value() > 0.0;
        [T::select(positive, length, T::constant(f64::NAN)), rate]
    }

    /// ε and its rate.
    fn strain<T: Real>(&self, scene: &Scene<T>) -> [T; 2] {
        let ([path, path_rate], [free, free_rate]) = (self.path(scene), self.free_length(scene));
        let ratio = path / free;
        [ratio - 1.0, (path_rate - ratio * free_rate) / free]
    }

    fn tension<T: Real>(&self, scene: &Scene<T>) -> T {
        let [strain, rate] = self.strain(scene);
        self.law.tension(strain, rate)
    }
}

impl ForceLaw for Cable {
    fn evaluate<T: Real>(&self, scene: &Scene<T>, loads: &mut Loads<T>) {
        let tension = self.tension(scene);
        self.each_piece(scene, |piece| {
            let pull = piece.direction.scale(tension);
            loads.add(piece.from.0, piece.from.1, pull, Vec3::zero());
            loads.add(piece.to.0, piece.to.1, -pull, Vec3::zero());
        });
    }

    fn energy<T: Real>(&self, scene: &Scene<T>) -> Option<T> {
        let ([path, _], [free, _]) = (self.path(scene), self.free_length(scene));
        Some(self.law.energy(path / free - 1.0) * free)
    }

    fn reach(&self) -> Reach<'_> {
        Reach::Chain(&self.from, &self.over, &self.to)
    }

    fn outputs(&self) -> Vec<ShownValue> {
        vec![
            ShownValue {
                name: "length",
                unit: "m",
                doc: "length of the way that the cable takes",
            },
            ShownValue {
                name: "tension",
                unit: "N",
                doc: "tension of the cable",
            },
        ]
    }

    fn shown<T: Real>(&self, scene: &Scene<T>, out: &mut [T]) {
        (out[0], out[1]) = (self.path(scene)[0], self.tension(scene));
    }

    fn gap(&self, scene: &Scene<f64>) -> Option<Gap> {
        let [free, free_rate] = self.free_length(scene);
        let mut speed = free_rate.abs();
        self.each_piece(scene, |piece| speed += piece.speed.sqrt());
        Some(Gap {
            distance: free - self.path(scene)[0],
            speed,
            depth: NOTICED * self.law.onset * free,
        })
    }

    fn has_gap(&self) -> bool {
        true
    }

    fn piecewise(&self) -> [usize; 2] {
        [2, 1]
    }

    fn piecewise_inputs(&self, scene: &Scene<f64>, out: &mut [f64]) {
        out.copy_from_slice(&self.strain(scene));
    }

    fn piecewise_values(&self, inputs: &[f64], values: &mut [f64], pieces: &mut [u64]) {
        (values[0], pieces[0]) = self.law.piece(inputs[0], inputs[1]);
    }

    fn set_point(&self) -> Option<&Signal> {
        Some(&self.length)
    }

    fn set_point_mut(&mut self) -> Option<&mut Signal> {
        Some(&mut self.length)
    }

    fn length_over_time(&self) -> Option<&Signal> {
        Some(&self.length)
    }
}
