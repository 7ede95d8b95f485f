//! [`StartHint`]: where a frame is about to be at the start.

use super::Frame;
use super::fields::{Field, Fields};
use holonom_algebra::{Mat3, Pose, Quaternion, Vec3};

/// A pose near which the loops are to close: it decides on which of several ways they do.
///
/// It is a guess, not a condition: coordinates without an initial value begin where it puts them. The closed
/// position may be anywhere near it.
///
/// ```
/// use holonom_multibody::description::StartHint;
/// let hint = StartHint::new("coupler.tip").position([0.2, 0.1, 0.0]).velocity([1.0, 0.0, 0.0]);
/// assert_eq!((hint.from.as_str(), hint.orientation), ("ground", None));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct StartHint {
    /// Frame it is seen from: the ground unless set.
    pub from: String,
    /// The frame.
    pub to: String,
    /// Position of its origin in the first frame, m.
    pub position: Option<[f64; 3]>,
    /// Its orientation in the first frame.
    pub orientation: Option<Mat3<f64>>,
    /// Velocity of its origin seen from the first frame and in its axes, m/s.
    pub velocity: Option<[f64; 3]>,
    /// Angular velocity seen from the first frame and in its axes, rad/s.
    pub angular_velocity: Option<[f64; 3]>,
}

impl StartHint {
    /// A hint about a frame that says nothing yet.
    pub fn new(to: impl Into<String>) -> Self {
        Self {
            from: crate::names::GROUND.to_string(),
            to: to.into(),
            position: None,
            orientation: None,
            velocity: None,
            angular_velocity: None,
        }
    }

    /// Sets the frame it is seen from.
    pub fn from(mut self, from: impl Into<String>) -> Self {
        self.from = from.into();
        self
    }

    /// Sets the position, m.
    pub fn position(mut self, position: [f64; 3]) -> Self {
        self.position = Some(position);
        self
    }

    /// Sets the orientation by Euler parameters, scalar first, of any length but zero.
    pub fn orientation(mut self, quaternion: [f64; 4]) -> Self {
        self.orientation = Some(Mat3(Quaternion(quaternion).normalised().rotation_matrix()));
        self
    }

    /// Sets the velocity, m/s.
    pub fn velocity(mut self, velocity: [f64; 3]) -> Self {
        self.velocity = Some(velocity);
        self
    }

    /// Sets the angular velocity, rad/s.
    pub fn angular_velocity(mut self, angular_velocity: [f64; 3]) -> Self {
        self.angular_velocity = Some(angular_velocity);
        self
    }

    /// Shows the frames; [`StartHint`] has the rest.
    pub fn fields(&mut self, visitor: &mut dyn Fields) {
        let doc = "Frame it is seen from.";
        visitor.frame(&Field::optional("from", "", doc), &mut self.from);
        let doc = "Frame whose pose is given.";
        visitor.frame(&Field::required("to", "", doc), &mut self.to);
    }

    /// The pose, with zeros for what is not said.
    pub fn frame(&self) -> Frame {
        Pose::new(
            self.orientation.unwrap_or(Mat3::identity()),
            Vec3(self.position.unwrap_or_default()),
        )
    }
}
