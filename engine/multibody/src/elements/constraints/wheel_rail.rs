//! A wheel stays on its rail; the multiplier is the normal force.

use super::relative::Relative;
use super::{ConstraintInfo, ConstraintLaw};
use crate::description::fields::{Field, Fields};
use crate::description::{Axis, ConstraintKind, Mirror};
use crate::elements::scene::{Loads, Scene};
use crate::expression::Expression;
use crate::model::{Attachment, RowLevel};
use crate::rail::{Cone, ContactGeometry, Profiles, RailError, Seen, Touch};
use holonom_algebra::{Real, Vec3, Wrench};
use std::sync::Arc;

/// The entry of the registry.
pub(super) const CONSTRAINT: ConstraintInfo = ConstraintInfo {
    name: "wheel-rail",
    doc: "A wheel touches its rail; its multiplier is the normal force that a creep force needs.",
    rows: 1,
    template,
    fields,
    mirror,
};

fn template() -> ConstraintKind {
    ConstraintKind::WheelRail {
        wheel: String::new(),
        rail: String::new(),
        right: false,
        shape: Box::default(),
    }
}

/// Shapes of a wheel and its rail.
#[derive(Clone, Debug, PartialEq)]
pub struct WheelRailShape {
    /// Profiles given as functions instead of a cone on a round head.
    pub curved: bool,
    /// Radius of the rolling circle, m.
    pub radius: f64,
    /// Slope by which the radius of a cone decreases outwards.
    pub conicity: f64,
    /// Radius of the round rail head under a cone, m.
    pub head_radius: f64,
    /// What the radius has more than `radius` over s, outwards from the rolling circle, m.
    pub wheel_profile: Expression,
    /// Height of the rail over s, outwards from its nominal contact point, m.
    pub rail_profile: Expression,
    /// Where the profile of the wheel begins, m.
    pub begin: f64,
    /// Where it ends, m.
    pub end: f64,
    /// Distance of its points, m.
    pub step: f64,
    /// ε of the quasi-elastic contact, m.
    pub smoothing: f64,
}

impl Default for WheelRailShape {
    fn default() -> Self {
        Self {
            curved: false,
            radius: 0.0,
            conicity: 0.0,
            head_radius: 0.3,
            wheel_profile: Expression::zero(),
            rail_profile: Expression::zero(),
            begin: -0.04,
            end: 0.04,
            step: 5e-4,
            smoothing: 1e-5,
        }
    }
}

impl WheelRailShape {
    /// A conical wheel: radius in m, conicity, radius of the rail head in m.
    pub fn cone(radius: f64, conicity: f64, head_radius: f64) -> Self {
        Self {
            radius,
            conicity,
            head_radius,
            ..Self::default()
        }
    }

    /// The geometry of the left or the right wheel.
    ///
    /// # Errors
    /// What is wrong with the numbers and profiles.
    pub fn geometry(&self, right: bool) -> Result<ContactGeometry, RailError> {
        let side = if right { -1.0 } else { 1.0 };
        if !self.curved {
            let cone = Cone {
                radius: self.radius,
                conicity: self.conicity,
                head: self.head_radius,
            };
            cone.check()?;
            return Ok(ContactGeometry::Cone { cone, side });
        }
        let over = |e: &Expression, profile: &'static str| {
            let fault = |_| RailError::NotFinite { profile, at: 0.0 };
            e.over_variables(&["s"]).map_err(fault)
        };
        let profiles = Profiles::new(
            self.radius,
            &over(&self.wheel_profile, "the profile of the wheel")?,
            &over(&self.rail_profile, "the profile of the rail")?,
            [self.begin, self.end],
            self.step,
            self.smoothing,
        )?;
        Ok(ContactGeometry::Profiles {
            profiles: Arc::new(profiles),
            side,
        })
    }
}

fn fields(kind: &mut ConstraintKind, visitor: &mut dyn Fields) {
    let ConstraintKind::WheelRail {
        wheel,
        rail,
        right,
        shape,
    } = kind
    else {
        return;
    };
    let doc = "Frame on the wheel: origin at the centre of the rolling circle, y along the axle, to the left. It \
               may turn with the wheel.";
    visitor.frame(&Field::required("wheel", "", doc), wheel);
    let doc = "Frame of the rail: origin at its nominal contact point, x along it, y to the left, z up.";
    visitor.frame(&Field::required("rail", "", doc), rail);
    let mut side = usize::from(*right);
    let doc = "Which wheel of a wheelset it is; outwards is to this side.";
    visitor.choice(&Field::optional("side", "", doc), &["left", "right"], &mut side);
    *right = side == 1;
    let mut curved = usize::from(shape.curved);
    let doc = "A conical wheel on a round rail head, or both profiles as functions.";
    let names = ["conical", "curved"];
    visitor.choice(&Field::optional("profile", "", doc), &names, &mut curved);
    shape.curved = curved == 1;
    let doc = "Radius of the rolling circle.";
    visitor.number(&Field::required("radius", "m", doc), &mut shape.radius);
    let doc = "Conical: slope by which the radius decreases outwards.";
    visitor.number(&Field::optional("conicity", "1", doc), &mut shape.conicity);
    let doc = "Conical: radius of the rail head.";
    visitor.number(&Field::optional("head_radius", "m", doc), &mut shape.head_radius);
    let doc = "Curved: what the radius has more over s, outwards from the rolling circle.";
    visitor.expression(
        &Field::optional("wheel_profile", "m", doc),
        &["s"],
        &mut shape.wheel_profile,
    );
    let doc = "Curved: height of the rail over s, outwards from its nominal contact point.";
    visitor.expression(
        &Field::optional("rail_profile", "m", doc),
        &["s"],
        &mut shape.rail_profile,
    );
    let doc = "Curved: first s of the wheel's profile.";
    visitor.number(&Field::optional("begin", "m", doc), &mut shape.begin);
    let doc = "Curved: last s of the wheel's profile.";
    visitor.number(&Field::optional("end", "m", doc), &mut shape.end);
    let doc = "Curved: distance of the points at which profiles are compared.";
    visitor.number(&Field::optional("step", "m", doc), &mut shape.step);
    let doc = "Curved: length ε of the quasi-elastic contact, by which a contact point spreads.";
    visitor.number(&Field::optional("smoothing", "m", doc), &mut shape.smoothing);
}

fn mirror(kind: &mut ConstraintKind, mirror: &mut Mirror) {
    if let ConstraintKind::WheelRail {
        wheel, rail, right, ..
    } = kind
    {
        // Upside down both frames are turned about x, and see left and right exchanged.
        mirror.upper_side(wheel);
        mirror.upper_side(rail);
        if mirror.axis() != Axis::X {
            *right = !*right;
        }
    }
}

/// 1 row: the gap between wheel and rail is zero, see [`ContactGeometry`].
///
/// The gap depends on the wheel's centre and axle as the rail sees them. With −λ ≥ 0 wheel and rail
/// press on each other; a wheel that would lift off is held, and the sign of λ tells.
#[derive(Clone, Debug)]
pub struct WheelRail {
    /// Frame on the wheel.
    pub wheel: Attachment,
    /// Frame of the rail.
    pub rail: Attachment,
    /// Shapes.
    pub geometry: ContactGeometry,
}

/// Components in the axes of the first frame.
fn components<T: Real>(relative: &Relative<T>, v: Vec3<T>) -> Vec3<T> {
    Vec3([0, 1, 2].map(|k| relative.first_axis(k).dot(v)))
}

/// The vector with components in the axes of the first frame.
fn vector<T: Real>(relative: &Relative<T>, v: Vec3<T>) -> Vec3<T> {
    (relative.first_axis(0).scale(v.0[0]) + relative.first_axis(1).scale(v.0[1]))
        + relative.first_axis(2).scale(v.0[2])
}

impl WheelRail {
    fn relative<'a, T: Real>(&'a self, scene: &Scene<'a, T>) -> Relative<'a, T> {
        Relative::new(scene, &self.rail, &self.wheel)
    }

    fn touching<T: Real>(&self, relative: &Relative<T>) -> Touch<T> {
        self.geometry.touch(&Seen {
            centre: components(relative, relative.distance),
            axle: components(relative, relative.second_axis(1)),
        })
    }

    /// The contact in the axes of the rail.
    pub fn touch<T: Real>(&self, scene: &Scene<T>) -> Touch<T> {
        self.touching(&self.relative(scene))
    }

    /// Load of a unit multiplier at the centre of the wheel.
    fn load<T: Real>(&self, relative: &Relative<T>) -> Wrench<T> {
        let touch = self.touching(relative);
        Wrench::new(vector(relative, touch.moment), vector(relative, touch.force))
    }
}

impl ConstraintLaw for WheelRail {
    fn rows(&self) -> usize {
        1
    }

    fn levels(&self) -> Vec<RowLevel> {
        vec![RowLevel::Holonomic]
    }

    fn row_names(&self) -> Vec<String> {
        vec!["contact".to_string()]
    }

    fn sides(&self) -> Option<[Attachment; 2]> {
        Some([self.rail, self.wheel])
    }

    fn position<T: Real>(&self, scene: &Scene<T>, g: &mut [T]) {
        g[0] = self.touch(scene).gap;
    }

    fn velocity<T: Real>(&self, scene: &Scene<T>, out: &mut [T]) {
        let relative = self.relative(scene);
        let velocity = relative.velocity();
        let touch = self.touching(&relative);
        out[0] = touch.force.dot(components(&relative, velocity.linear))
            + touch.moment.dot(components(&relative, velocity.angular));
    }

    fn acceleration<T: Real>(&self, scene: &Scene<T>, out: &mut [T]) {
        let relative = self.relative(scene);
        let velocity = relative.velocity();
        let acceleration = relative.acceleration(&velocity);
        let axle = relative.second_axis(1);
        // ṅ = w × n and n̈ = ẇ × n + w × ṅ, as the rail sees them.
        let turning = velocity.angular.cross(axle);
        let bending = acceleration.angular.cross(axle) + velocity.angular.cross(turning);
        let seen = |v: Vec3<T>| components(&relative, v);
        let [_, _, change] = self.geometry.motion(
            [
                seen(relative.distance),
                seen(velocity.linear),
                seen(acceleration.linear),
            ],
            [seen(axle), seen(turning), seen(bending)],
        );
        out[0] = change;
    }

    fn directions<T: Real>(&self, scene: &Scene<T>, out: &mut [Wrench<T>]) -> Option<Vec3<T>> {
        let relative = self.relative(scene);
        out[0] = self.load(&relative);
        Some(relative.point())
    }

    fn loads<T: Real>(&self, scene: &Scene<T>, multipliers: &[T], loads: &mut Loads<T>) {
        let relative = self.relative(scene);
        let Wrench { moment, force } = self.load(&relative);
        let load = Wrench::new(moment.scale(multipliers[0]), force.scale(multipliers[0]));
        relative.add_load(&load, loads);
    }
}
