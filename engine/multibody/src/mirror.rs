//! What mirror images have in common.
//!
//! With S the matrix that changes the sign of one coordinate, a frame with rotation R at p becomes
//! the frame with S R S at S p. Seen from each frame the mirror is then the same S: components of
//! polar vectors (positions, forces, displacements) are multiplied by S, those of axial ones
//! (angular velocities, torques, the vector in Euler parameters) by −S, in whichever frame they
//! are given. A turn about a by φ becomes the turn about −S a by φ, or about S a by −φ.

use crate::names::CoordinateRef;
use crate::signal::Signal;
use holonom_algebra::{Dual4, Dual8, Function, MAX_ARGUMENTS, Real, Trace};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// An axis of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Axis {
    /// x.
    X,
    /// y.
    Y,
    /// z.
    Z,
}

impl Axis {
    /// All axes.
    pub const ALL: [Self; 3] = [Self::X, Self::Y, Self::Z];

    /// Name in model files.
    pub fn name(self) -> &'static str {
        ["x", "y", "z"][self.index()]
    }

    /// The axis with a name.
    ///
    /// ```
    /// use holonom_multibody::description::Axis;
    /// assert_eq!(Axis::from_name("y"), Some(Axis::Y));
    /// ```
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|axis| axis.name() == name)
    }

    /// Its number, from 0.
    pub fn index(self) -> usize {
        self as usize
    }
}

/// How the components of a vector change in a mirror image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nature {
    /// As a displacement does.
    Polar,
    /// As a turn does.
    Axial,
}

impl Nature {
    /// How the vector of this name changes, whose components are channels that end in `.x`, `.y` and `.z`. Of
    /// Euler parameters these are the components of an axial vector.
    pub fn of(vector: &str) -> Option<Self> {
        match vector {
            "position" | "velocity" | "acceleration" | "force" | "momentum" => Some(Self::Polar),
            "orientation" | "angular_velocity" | "angular_acceleration" | "torque" | "angular_momentum" => {
                Some(Self::Axial)
            }
            _ => None,
        }
    }
}

/// What kinds of constraints and forces need to know to become their mirror image.
#[derive(Debug)]
pub struct Mirror {
    pub(crate) axis: Axis,
    /// Signs of the coordinates of all joints, by name.
    pub(crate) coordinates: HashMap<String, Vec<(&'static str, f64)>>,
    /// Signs of what is seen of force elements, by name, where it has a direction.
    pub(crate) forces: HashMap<String, Vec<(&'static str, f64)>>,
    /// The same of constraints.
    pub(crate) constraints: HashMap<String, Vec<(&'static str, f64)>>,
    /// Constraints whose first frame is turned by half a turn about x.
    pub(crate) on_turned: HashSet<String>,
    /// Frames that are needed turned by half a turn about x, and what they are called then.
    pub(crate) turned: Vec<(String, String)>,
}

impl Mirror {
    /// A mirror at a right angle to an axis, before anything is known of what it shows.
    pub(crate) fn new(axis: Axis) -> Self {
        Self {
            axis,
            coordinates: HashMap::new(),
            forces: HashMap::new(),
            constraints: HashMap::new(),
            on_turned: HashSet::new(),
            turned: Vec::new(),
        }
    }

    /// Sign of component `k` of a polar vector: position, velocity, force. The entry of S.
    pub fn polar(&self, k: usize) -> f64 {
        if k == self.axis.index() { -1.0 } else { 1.0 }
    }

    /// Sign of component `k` of an axial vector: angular velocity, torque, an angle about axis k.
    pub fn axial(&self, k: usize) -> f64 {
        -self.polar(k)
    }

    /// The axis whose coordinate changes its sign.
    pub fn axis(&self) -> Axis {
        self.axis
    }

    /// Sign that a coordinate of a joint, and the force on it, gets. It is +1 for what does not
    /// exist: that is found when the mechanism is compiled.
    pub fn coordinate(&self, coordinate: &CoordinateRef) -> f64 {
        let signs = self.coordinates.get(&coordinate.joint);
        signs
            .and_then(|signs| signs.get(coordinate.index))
            .map_or(1.0, |(_, sign)| *sign)
    }

    /// Sign that a channel gets; +1 for what has no direction, and for what is left of constraints.
    pub fn channel(&self, channel: &str) -> f64 {
        let (kind, name) = match channel.split_once(':') {
            Some((kind, name)) => (Some(kind), name),
            None => (None, channel),
        };
        let parts: Vec<&str> = name.split('.').collect();
        if let [thing, .., vector, axis] = parts[..]
            && let Some(nature) = Nature::of(vector)
            && let Some(axis) = Axis::from_name(axis)
        {
            // Reactions are given in the axes of the first frame.
            let reaction = matches!(kind, None | Some("constraint")) && matches!(vector, "force" | "torque");
            let turned = reaction && axis != Axis::X && self.on_turned.contains(thing);
            let turn = if turned { -1.0 } else { 1.0 };
            return self.sign(nature, axis.index()) * turn;
        }
        if let ["momentum" | "angular_momentum", axis] = parts[..]
            && let Some(axis) = Axis::from_name(axis)
        {
            return Nature::of(parts[0]).map_or(1.0, |nature| self.sign(nature, axis.index()));
        }
        // The function that a coordinate or a driver follows.
        let (parts, input) = match &parts[..] {
            ["input", rest @ ..] if rest.first().is_some_and(|name| self.knows(name)) => (rest, true),
            all => (all, false),
        };
        let Some((thing, rest)) = parts.split_first() else {
            return 1.0;
        };
        let rest = match input && self.constraints.contains_key(*thing) {
            // A driver's function has the sign of its force.
            true => "force".to_string(),
            false => rest.join("."),
        };
        let tables = match kind {
            Some("joint") => [Some(&self.coordinates), None, None],
            Some("force") => [None, Some(&self.forces), None],
            Some("constraint") => [None, None, Some(&self.constraints)],
            _ => [
                Some(&self.coordinates),
                Some(&self.forces),
                Some(&self.constraints),
            ],
        };
        let signs = tables.into_iter().flatten().filter_map(|table| table.get(*thing));
        // A rate has the sign of its value.
        let named = |known: &str| {
            let behind = rest.strip_prefix(known);
            behind.is_some_and(|behind| behind.is_empty() || behind.starts_with('.'))
        };
        let sign = signs.flatten().find(|(known, _)| named(known));
        sign.map_or(1.0, |(_, sign)| *sign)
    }

    /// Sign of component `k` of a vector.
    fn sign(&self, nature: Nature, k: usize) -> f64 {
        match nature {
            Nature::Polar => self.polar(k),
            Nature::Axial => self.axial(k),
        }
    }

    /// Whether a name is that of a joint or driver.
    fn knows(&self, name: &str) -> bool {
        self.coordinates.contains_key(name) || self.constraints.contains_key(name)
    }

    /// Gives a signal a sign.
    pub fn signal(&self, signal: &mut Signal, sign: f64) {
        *signal = signal.scaled(sign);
    }

    /// Gives components of a polar vector their signs.
    pub fn polar_signals(&self, signals: &mut [Signal; 3]) {
        for (k, signal) in signals.iter_mut().enumerate() {
            self.signal(signal, self.polar(k));
        }
    }

    /// Gives components of an axial vector their signs.
    pub fn axial_signals(&self, signals: &mut [Signal; 3]) {
        for (k, signal) in signals.iter_mut().enumerate() {
            self.signal(signal, self.axial(k));
        }
    }

    /// Signs of what a law between two frames sees, see [`User`](crate::elements::forces::User).
    pub fn law_inputs(&self) -> Vec<f64> {
        let mut inputs = vec![1.0];
        inputs.extend((0..3).map(|k| self.polar(k)));
        inputs.extend((0..9).map(|k| self.polar(k / 3) * self.polar(k % 3)));
        inputs.extend((0..3).map(|k| self.polar(k)));
        inputs.extend((0..3).map(|k| self.axial(k)));
        inputs
    }

    /// The mirror image of a law between two frames, see [`User`](crate::elements::forces::User).
    pub fn law(&self, law: &Arc<dyn Function>) -> Arc<dyn Function> {
        let inputs = self.law_inputs();
        let mut outputs: Vec<f64> = (0..3).map(|k| self.polar(k)).collect();
        outputs.extend((0..3).map(|k| self.axial(k)));
        Arc::new(MirroredLaw {
            law: law.clone(),
            inputs,
            outputs,
        })
    }

    /// Changes a reference to a frame whose x–y plane has two sides: the image of what is on the
    /// side of z may be on the other side of the frame's image, which is then turned about x.
    pub fn upper_side(&mut self, frame: &mut String) {
        if self.axis != Axis::Z {
            return;
        }
        let known = self.turned.iter().find(|(original, _)| original == frame);
        let turned = match known {
            Some((_, turned)) => turned.clone(),
            None => {
                let turned = match frame.contains('.') {
                    true => format!("{frame}_turned"),
                    false => format!("{frame}.turned"),
                };
                self.turned.push((frame.clone(), turned.clone()));
                turned
            }
        };
        *frame = turned;
    }
}

/// A law that sees the world in a mirror.
#[derive(Debug)]
struct MirroredLaw {
    law: Arc<dyn Function>,
    inputs: Vec<f64>,
    outputs: Vec<f64>,
}

impl MirroredLaw {
    fn run<T: Real>(&self, x: &[T], y: &mut [T]) {
        let mut seen = [T::zero(); MAX_ARGUMENTS];
        for ((seen, x), sign) in seen.iter_mut().zip(x).zip(&self.inputs) {
            *seen = *x * *sign;
        }
        T::call(self.law.as_ref(), &seen[..x.len()], y);
        for (y, sign) in y.iter_mut().zip(&self.outputs) {
            *y *= *sign;
        }
    }
}

impl Function for MirroredLaw {
    fn inputs(&self) -> usize {
        self.law.inputs()
    }
    fn outputs(&self) -> usize {
        self.law.outputs()
    }
    fn evaluate_f64(&self, x: &[f64], y: &mut [f64]) {
        self.run(x, y);
    }
    fn evaluate_dual4(&self, x: &[Dual4], y: &mut [Dual4]) {
        self.run(x, y);
    }
    fn evaluate_dual8(&self, x: &[Dual8], y: &mut [Dual8]) {
        self.run(x, y);
    }
    fn evaluate_trace(&self, x: &[Trace], y: &mut [Trace]) {
        self.run(x, y);
    }
}
