//! Where a frame is beside a path.

use super::{ControlElement, ControlKind, ControlLaw, DescribedControl};
use crate::diagnostic::Diagnostic;
use crate::fields::{Field, Fields};
use crate::description::{Axis, Control, Mirror, Pursuit};
use crate::elements::faults::Faults;
use crate::elements::forces::OwnState;
use crate::elements::references::{Attached, Named, References, ResolveControl};
use crate::elements::scene::Scene;
use crate::tree::Attachment;
use crate::path::PathCurve;
use holonom_algebra::Real;

/// factor · quantity, see [`Pursuit`] for the arc.
#[derive(Clone, Debug)]
pub struct PathSensor<R: References = Attached> {
    /// The frame and the path.
    pub pursuit: Pursuit<R>,
    /// Number of the quantity in [`QUANTITIES`](Self::QUANTITIES).
    pub quantity: usize,
    /// What it is multiplied by.
    pub factor: f64,
}

impl Default for PathSensor<Named> {
    fn default() -> Self {
        Self {
            pursuit: Pursuit::default(),
            quantity: 0,
            factor: 1.0,
        }
    }
}

impl PartialEq for PathSensor<Named> {
    fn eq(&self, other: &Self) -> bool {
        self.pursuit == other.pursuit && self.quantity == other.quantity && self.factor == other.factor
    }
}

impl DescribedControl for PathSensor<Named> {
    const NAME: &str = "path-sensor";
    const DOC: &str = "Position of a frame relative to a path: arc length, deviation, direction, distance from the borders of the lane.";

    fn fields(&mut self, visitor: &mut dyn Fields) {
        let Self {
            pursuit,
            quantity,
            factor,
        } = self;
        pursuit.fields(visitor);
        let doc = "Measured quantity: the arc length of the nearest point of the path [m]; the deviation to the left of it [m]; the angle of the frame's x axis relative to the path [rad]; the curvature of the path [1/m]; the distance from the left or the right border of the lane [m].";
        visitor.choice(
            &Field::optional("quantity", "", doc),
            &PathSensor::QUANTITIES,
            quantity,
        );
        let doc = "Factor applied to the value.";
        visitor.number(&Field::optional("factor", "", doc), factor);
    }

    fn faults(&self, faults: &mut Faults) {
        self.pursuit.faults(faults);
        faults.bounded("factor", self.factor, self.factor.is_finite(), "finite");
    }

    fn attach(&self, to: &mut dyn ResolveControl) -> Option<ControlElement> {
        let sensor: PathSensor = PathSensor {
            pursuit: self.pursuit.attach(to)?,
            quantity: self.quantity,
            factor: self.factor,
        };
        Some(sensor.into())
    }

    fn mirror(&mut self, mirror: &mut Mirror) {
        self.pursuit.reversed ^= mirror.axis() == Axis::X;
        // Left is right in the mirror.
        match PathSensor::QUANTITIES.get(self.quantity).copied() {
            Some("deviation" | "angle" | "curvature") => self.factor = -self.factor,
            Some("left") => self.quantity = 5,
            Some("right") => self.quantity = 4,
            _ => {}
        }
    }

    fn path_faults(&self, path: &PathCurve, faults: &mut Faults) {
        let asks_for_lane = matches!(PathSensor::QUANTITIES.get(self.quantity), Some(&("left" | "right")));
        if asks_for_lane && !path.has_lane() {
            let fault = format!(
                "the path \"{}\" has no lane, so distances from its borders cannot be measured",
                self.pursuit.path
            );
            let remedy = "add a `lane`, or choose another `quantity`";
            faults.add(Diagnostic::new(fault).remedy(remedy).field("quantity"));
        }
    }
}


impl PathSensor {
    /// What can be measured.
    pub const QUANTITIES: [&'static str; 6] = ["arc", "deviation", "angle", "curvature", "left", "right"];
}

/// Constructors.
impl Control {
    /// Where a frame is beside a path; `quantity` is one of
    /// [`PathSensor::QUANTITIES`](crate::elements::controls::PathSensor::QUANTITIES), the arc where it is
    /// none of them.
    pub fn path_sensor(name: impl Into<String>, pursuit: Pursuit, quantity: &str) -> Self {
        let known = crate::elements::controls::PathSensor::QUANTITIES;
        let kind = ControlKind::PathSensor(PathSensor {
            pursuit,
            quantity: known.iter().position(|q| *q == quantity).unwrap_or(0),
            factor: 1.0,
        });
        Self::new(name, kind)
    }
}

impl ControlLaw for PathSensor {
    fn output<T: Real>(&self, scene: &Scene<T>) -> T {
        let (s, hand) = (scene.own[0], self.pursuit.hand());
        if self.quantity == 0 {
            return s * self.factor;
        }
        let point = self.pursuit.path.curve.at(s);
        if self.quantity == 3 {
            return point.curvature * (hand * self.factor);
        }
        let seen = self.pursuit.seen(scene);
        let value = match self.quantity {
            1 => self.pursuit.error(&seen, &point)[1] * hand,
            2 => {
                let [along, left] = point.components(seen.front);
                left.atan2(along) * hand
            }
            k => {
                let sides = self.pursuit.path.curve.clearances(s, seen.place);
                let side = usize::from((k == 5) != (hand < 0.0));
                sides.map_or(T::constant(f64::NAN), |sides| sides[side])
            }
        };
        value * self.factor
    }

    fn states(&self) -> Vec<OwnState> {
        vec![arc(self.pursuit.start)]
    }

    fn rates<T: Real>(&self, scene: &Scene<T>, out: &mut [T]) {
        out[0] = self.pursuit.rate(&self.pursuit.seen(scene), scene.own[0]);
    }

    fn frames(&self) -> Option<[Attachment; 2]> {
        Some([self.pursuit.path.frame, self.pursuit.frame])
    }
}

/// The state of a frame that follows a path.
pub(super) fn arc(start: f64) -> OwnState {
    OwnState::new("arc", "m", "arc of the path beside the frame", start)
}
