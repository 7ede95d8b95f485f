//! A point or a ball hits a plane and rebounds: an open contact between hits, a row while at rest.

use super::relative::Relative;
use super::{ConstraintElement, ConstraintLaw, DescribedConstraint};
use crate::fields::{Field, Fields};
use crate::description::{Called, Constraint, Mirror};
use crate::elements::faults::Faults;
use crate::elements::references::{Attached, Named, References, Resolve, attached};
use crate::elements::scene::{Loads, Scene};
use crate::elements::constraints::RowLevel;
use crate::tree::Attachment;
use holonom_algebra::{Real, Vec3, Wrench};
use holonom_dae::Gap;

/// Speed below which a rebound counts as rest when nothing else is said, m/s: that of a flight of
/// 0.05 µm under gravity. Flights lower than the tolerance of an integration are not resolved.
pub const REST_SPEED: f64 = 1e-3;

/// Gap, m, below which bodies touch.
pub(crate) const TOUCHING: f64 = 1e-8;

/// A point or a ball over the x–y plane of a frame, on the side its z axis points to; no friction.
///
/// With n the normal of the plane, d from the plane's origin to the point and R the radius of the
/// ball, the only row is the gap g = n·d − R. It is a row of the equations of motion while the
/// contact is closed; while it is open, its multiplier is zero instead.
#[derive(Clone, Debug, PartialEq)]
pub struct Impact<R: References = Attached> {
    /// Frame whose x–y plane is hit.
    pub plane: R::Frame,
    /// Frame whose origin is the point or the centre.
    pub body: R::Frame,
    /// Radius; 0 for a point.
    pub radius: f64,
    /// Speed after a hit by speed before it.
    pub restitution: f64,
    /// Rebounds slower than this close the contact.
    pub rest_speed: f64,
}

impl Default for Impact<Named> {
    fn default() -> Self {
        Self {
            plane: String::new(),
            body: String::new(),
            radius: 0.0,
            restitution: 0.0,
            rest_speed: REST_SPEED,
        }
    }
}

impl DescribedConstraint for Impact<Named> {
    const NAME: &str = "impact";
    const DOC: &str = "A point or a ball hits a plane and rebounds: an event at which the velocities jump.";
    const ROWS: usize = 1;
    const SWITCHED: bool = true;

    fn fields(&mut self, visitor: &mut dyn Fields) {
        let Self { plane, body, radius, restitution, rest_speed } = self;
        let doc = "Frame whose x–y plane is the impact surface, on the side to which z points.";
        visitor.frame(&Field::required("plane", "", doc), plane);
        let doc = "Frame whose origin is the point or the centre of the ball.";
        visitor.frame(&Field::required("body", "", doc), body);
        visitor.number(&Field::optional("radius", "m", "Radius of the ball; 0 for a point."), radius);
        let doc = "Coefficient of restitution: ratio of the normal speeds after and before an impact, from 0 to 1.";
        visitor.number(&Field::required("restitution", "1", doc), restitution);
        let doc = "Rebounds slower than this close the contact.";
        visitor.number(&Field::optional("rest_speed", "m/s", doc), rest_speed);
    }

    fn faults(&self, faults: &mut Faults) {
        let radius = self.radius;
        if faults.finite_quantity("radius", &[radius]) {
            faults.range("radius", radius, radius >= 0.0, "not be negative", "0 stands for a point");
        }
        let restitution = self.restitution;
        if faults.finite_quantity("restitution", &[restitution]) {
            let remedy = "with 0 the body does not rebound, with 1 it keeps its full speed";
            let within = (0.0..=1.0).contains(&restitution);
            faults.range("restitution", restitution, within, "lie between 0 and 1", remedy);
        }
        let speed = self.rest_speed;
        if faults.finite_quantity("rest_speed", &[speed]) {
            let remedy = "otherwise ever smaller impacts would follow each other indefinitely";
            faults.range("rest_speed", speed, speed > 0.0, "be positive", remedy);
        }
    }

    fn attach(&self, to: &mut dyn Resolve) -> Option<ConstraintElement> {
        attached!(self, to, Impact { plane: frame, body: frame, radius, restitution, rest_speed })
    }

    fn mirror(&mut self, mirror: &mut Mirror) {
        mirror.upper_side(&mut self.plane);
    }
}


/// Depth below which a hit that is passed within a step may be missed: part of the radius, and of a point in m.
const NOTICED: f64 = 1e-3;
const SHALLOW: f64 = 1e-6;

impl Impact {
    /// The body seen from the plane.
    fn relative<'a, T: Real>(&'a self, scene: &Scene<'a, T>) -> Relative<'a, T> {
        Relative::new(scene, &self.plane, &self.body)
    }
}

impl Impact {
    /// How far it is from being hit.
    pub fn gap(&self, scene: &Scene<f64>) -> Gap {
        let relative = self.relative(scene);
        let normal = relative.first_axis(2);
        Gap {
            distance: normal.dot(relative.distance) - self.radius,
            speed: normal.dot(relative.velocity().linear).abs(),
            depth: (NOTICED * self.radius).max(SHALLOW),
        }
    }
}

/// Constructors.
impl Constraint {
    /// A point (radius 0) or a ball about the origin of `body` hits the x–y plane of `plane`, from
    /// the side to which z points, and rebounds with the given part of its speed. Radius in m. The
    /// velocities jump at an event; rebounds slower than 1 mm/s are rest, see
    /// [`rest_speed`](Called::rest_speed).
    pub fn impact(
        name: impl Into<String>,
        plane: impl Into<String>,
        body: impl Into<String>,
        radius: f64,
        restitution: f64,
    ) -> Called<Impact<Named>> {
        let (plane, body) = (plane.into(), body.into());
        let kind = Impact {
            plane,
            body,
            radius,
            restitution,
            rest_speed: REST_SPEED,
        };
        Called::new(name, kind)
    }
}

impl Called<Impact<Named>> {
    /// Sets the speed, m/s, below which a rebound is rest.
    pub fn rest_speed(mut self, speed: f64) -> Self {
        self.kind.rest_speed = speed;
        self
    }
}

impl ConstraintLaw for Impact {
    fn rows(&self) -> usize {
        1
    }

    fn levels(&self) -> Vec<RowLevel> {
        vec![RowLevel::Holonomic]
    }

    fn row_names(&self) -> Vec<String> {
        vec!["gap".to_string()]
    }

    fn sides(&self) -> Option<[Attachment; 2]> {
        Some([self.plane, self.body])
    }

    fn position<T: Real>(&self, scene: &Scene<T>, g: &mut [T]) {
        let relative = self.relative(scene);
        g[0] = relative.first_axis(2).dot(relative.distance) - self.radius;
    }

    fn velocity<T: Real>(&self, scene: &Scene<T>, out: &mut [T]) {
        let relative = self.relative(scene);
        out[0] = relative.first_axis(2).dot(relative.velocity().linear);
    }

    fn acceleration<T: Real>(&self, scene: &Scene<T>, out: &mut [T]) {
        let relative = self.relative(scene);
        let velocity = relative.velocity();
        out[0] = relative.first_axis(2).dot(relative.acceleration(&velocity).linear);
    }

    fn directions<T: Real>(&self, scene: &Scene<T>, out: &mut [Wrench<T>]) -> Option<Vec3<T>> {
        let relative = self.relative(scene);
        // The force on a ball goes through its centre.
        out[0] = Wrench::new(Vec3::zero(), relative.first_axis(2));
        Some(relative.point())
    }

    fn loads<T: Real>(&self, scene: &Scene<T>, multipliers: &[T], loads: &mut Loads<T>) {
        let relative = self.relative(scene);
        let force = relative.first_axis(2).scale(multipliers[0]);
        relative.add_load(&Wrench::new(Vec3::zero(), force), loads);
    }
}
