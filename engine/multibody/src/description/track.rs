//! Tracks of a mechanism.

use super::fields::{Field, Fields};
use super::{Joint, JointKind};
use crate::names::GROUND;
use crate::rail::{RailError, TrackCurve};
use crate::signal::Signal;
use holonom_expression::Expression;
use std::sync::Arc;

/// A frame that travels along a track.
///
/// The track starts at the origin of a frame along x; its z is up. The body at the place s(t), measured
/// along the track, has x along it, y to the left and z up, leaning with the cant. It moves with the
/// exact velocity and acceleration; nothing acts back on the travel.
#[derive(Clone, Debug, PartialEq)]
pub struct Track {
    /// Name, unique among joints and constraints.
    pub name: String,
    /// Frame in which the track lies.
    pub from: String,
    /// Frame that travels.
    pub to: String,
    /// Curvature over the arc s, 1/m: positive for a bend to the left.
    pub curvature: Expression,
    /// Turn about the tangent over the arc s, rad: positive where the left rail is higher.
    pub cant: Expression,
    /// Rise by horizontal length over the arc s: positive upwards.
    pub gradient: Expression,
    /// Length, m. Beyond both ends the track goes on straight.
    pub length: f64,
    /// The place s over time, m.
    pub travel: Signal,
    /// It runs to −x: x, yaw and pitch change their signs.
    pub reversed: bool,
}

impl Track {
    /// A straight track of 1000 m on the ground on which a frame stands still.
    ///
    /// ```
    /// use holonom_multibody::{Description, Signal};
    /// use holonom_multibody::description::{Body, Track};
    /// let mut track = Track::new("line", "bogie_frame");
    /// track.travel = Signal::linear(0.0, 40.0);
    /// let model = Description::new("ride").body(Body::new("bogie_frame", 0.0)).track(track).compile()?;
    /// assert_eq!((model.tree.n_v, model.signals.len()), (0, 6));
    /// # Ok::<(), holonom_multibody::diagnostic::ModelErrors>(())
    /// ```
    pub fn new(name: impl Into<String>, to: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            from: GROUND.to_string(),
            to: to.into(),
            curvature: Expression::zero(),
            cant: Expression::zero(),
            gradient: Expression::zero(),
            length: 1000.0,
            travel: Signal::constant(0.0),
            reversed: false,
        }
    }

    /// Shows the fields of a track, its name excepted.
    pub fn fields(&mut self, visitor: &mut dyn Fields) {
        let doc = "Frame at whose origin the track starts along x; its z is up.";
        visitor.frame(&Field::optional("from", "", doc), &mut self.from);
        let doc = "Frame that travels: x along the track, y to the left, z up.";
        visitor.frame(&Field::required("to", "", doc), &mut self.to);
        let doc = "Curvature over the arc s, positive for a bend to the left.";
        visitor.expression(
            &Field::optional("curvature", "1/m", doc),
            &["s"],
            &mut self.curvature,
        );
        let doc = "Turn about the track over the arc s, positive where the left rail is higher.";
        visitor.expression(&Field::optional("cant", "rad", doc), &["s"], &mut self.cant);
        let doc = "Rise by horizontal length over the arc s, positive upwards.";
        visitor.expression(&Field::optional("gradient", "1", doc), &["s"], &mut self.gradient);
        let doc = "Length; the track continues straight beyond both ends.";
        visitor.number(&Field::optional("length", "m", doc), &mut self.length);
        let doc = "The place s over time.";
        visitor.motion(&Field::required("travel", "m", doc), &mut self.travel);
        let doc = "It runs to −x: x, yaw and pitch change their signs.";
        visitor.flag(&Field::optional("reversed", "", doc), &mut self.reversed);
    }

    /// The joint that moves the frame.
    ///
    /// # Errors
    /// When curvature, cant, gradient and length make no track.
    pub fn joint(&self) -> Result<Joint, RailError> {
        let over = |e: &Expression, profile: &'static str| {
            let fault = |_| RailError::NotFinite { profile, at: 0.0 };
            e.over_variables(&["s"]).map_err(fault)
        };
        let curve = Arc::new(TrackCurve::with_gradient(
            &over(&self.curvature, "the curvature")?,
            &over(&self.cant, "the cant")?,
            &over(&self.gradient, "the gradient")?,
            self.length,
        )?);
        let mut joint = Joint::new(&self.name, JointKind::Track, &self.from, &self.to);
        for (coordinate, sign) in [-1.0, 1.0, 1.0, -1.0, -1.0, 1.0].into_iter().enumerate() {
            let along = Signal::Track {
                curve: curve.clone(),
                travel: Box::new(self.travel.clone()),
                coordinate,
            };
            let signal = match self.reversed && sign < 0.0 {
                true => Signal::Scaled(sign, Box::new(along)),
                false => along,
            };
            joint = joint.prescribed(coordinate, signal);
        }
        Ok(joint)
    }
}
