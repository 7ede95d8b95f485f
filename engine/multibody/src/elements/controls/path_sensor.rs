//! Where a frame is beside a path.

use super::follow::Follow;
use super::{ControlInfo, ControlLaw};
use crate::description::fields::{Field, Fields};
use crate::description::{Axis, ControlKind, Mirror, Pursuit};
use crate::elements::forces::OwnState;
use crate::elements::scene::Scene;
use crate::model::Attachment;
use holonom_algebra::Real;

/// The entry of the registry.
pub(super) const CONTROL: ControlInfo = ControlInfo {
    name: "path-sensor",
    doc: "Position of a frame relative to a path: arc length, deviation, direction, distance from the borders of the lane.",
    in_files: true,
    template,
    fields,
    mirror,
};

fn template() -> ControlKind {
    ControlKind::PathSensor {
        pursuit: Pursuit::default(),
        quantity: 0,
        factor: 1.0,
    }
}

fn fields(kind: &mut ControlKind, visitor: &mut dyn Fields) {
    let ControlKind::PathSensor {
        pursuit,
        quantity,
        factor,
    } = kind
    else {
        return;
    };
    pursuit.fields(visitor);
    let doc = "Measured quantity: the arc length of the nearest point of the path [m]; the deviation to the left of it [m]; the angle of the frame's x axis relative to the path [rad]; the curvature of the path [1/m]; the distance from the left or the right border of the lane [m].";
    visitor.choice(
        &Field::optional("quantity", "", doc),
        &PathSensor::QUANTITIES,
        quantity,
    );
    let doc = "Factor applied to the value.";
    visitor.number(&Field::optional("factor", "1", doc), factor);
}

fn mirror(kind: &mut ControlKind, mirror: &mut Mirror) {
    if let ControlKind::PathSensor {
        pursuit,
        quantity,
        factor,
    } = kind
    {
        pursuit.reversed ^= mirror.axis() == Axis::X;
        // Left is right in the mirror.
        match PathSensor::QUANTITIES.get(*quantity).copied() {
            Some("deviation" | "angle" | "curvature") => *factor = -*factor,
            Some("left") => *quantity = 5,
            Some("right") => *quantity = 4,
            _ => {}
        }
    }
}

/// factor · quantity, see [`Follow`] for the arc.
#[derive(Clone, Debug)]
pub struct PathSensor {
    /// The frame and the path.
    pub follow: Follow,
    /// Number of the quantity in [`QUANTITIES`](Self::QUANTITIES).
    pub quantity: usize,
    /// What it is multiplied by.
    pub factor: f64,
}

impl PathSensor {
    /// What can be measured.
    pub const QUANTITIES: [&'static str; 6] = ["arc", "deviation", "angle", "curvature", "left", "right"];
}

impl ControlLaw for PathSensor {
    fn output<T: Real>(&self, scene: &Scene<T>) -> T {
        let (s, hand) = (scene.own[0], self.follow.hand());
        if self.quantity == 0 {
            return s * self.factor;
        }
        let point = self.follow.curve.at(s);
        if self.quantity == 3 {
            return point.curvature * (hand * self.factor);
        }
        let seen = self.follow.seen(scene);
        let value = match self.quantity {
            1 => self.follow.error(&seen, &point)[1] * hand,
            2 => {
                let [along, left] = point.components(seen.front);
                left.atan2(along) * hand
            }
            k => {
                let sides = self.follow.curve.clearances(s, seen.place);
                let side = usize::from((k == 5) != (hand < 0.0));
                sides.map_or(T::constant(f64::NAN), |sides| sides[side])
            }
        };
        value * self.factor
    }

    fn states(&self) -> Vec<OwnState> {
        vec![arc(self.follow.start)]
    }

    fn rates<T: Real>(&self, scene: &Scene<T>, out: &mut [T]) {
        out[0] = self.follow.rate(&self.follow.seen(scene), scene.own[0]);
    }

    fn frames(&self) -> Option<[Attachment; 2]> {
        Some([self.follow.path, self.follow.frame])
    }
}

/// The state of a frame that follows a path.
pub(super) fn arc(start: f64) -> OwnState {
    OwnState::new("arc", "m", "arc of the path beside the frame", start)
}
