//! A wheel stays on its rail; the multiplier is the normal force.

use super::relative::Relative;
use super::{ConstraintElement, ConstraintKind, ConstraintLaw, DescribedConstraint};
use crate::diagnostic::Diagnostic;
use crate::fields::{Field, Fields};
use crate::description::{Axis, Constraint, Mirror};
use crate::elements::faults::Faults;
use crate::elements::references::{Attached, Named, Prepare, References, Resolve, attached};
use crate::elements::scene::{Loads, Scene};
use holonom_expression::Expression;
use crate::elements::constraints::RowLevel;
use crate::tree::Attachment;
use crate::rail::{Cone, ContactGeometry, PiecewiseProfile, Profile, Profiles, RailError, Seen, Touch};
use holonom_algebra::{Orientation, Real, Vec3, Wrench};
use std::sync::Arc;

/// What the profiles of a wheel and its rail are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ProfileKind {
    /// A cone on a round rail head.
    #[default]
    Conical,
    /// Both are functions.
    Curved,
    /// The wheel S1002 on the rail 60E1.
    S1002On60E1,
}

impl ProfileKind {
    /// All kinds.
    pub const ALL: [Self; 3] = [Self::Conical, Self::Curved, Self::S1002On60E1];
    /// Their names in model files.
    pub const NAMES: [&'static str; 3] = ["conical", "curved", "s1002-60e1"];
}

/// Shapes of a wheel and its rail.
#[derive(Clone, Debug, PartialEq)]
pub struct WheelRailShape {
    /// It is the right wheel of a wheelset, not the left one.
    pub right: bool,
    /// What the profiles are.
    pub profile: ProfileKind,
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
            right: false,
            profile: ProfileKind::Conical,
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

    /// The wheel profile S1002 on the rail 60E1: radius of the rolling circle in m. The frame of the
    /// rail has its origin in the middle of the top of the head; turned about x it is a rail that
    /// leans inwards.
    pub fn s1002_60e1(radius: f64) -> Self {
        Self {
            profile: ProfileKind::S1002On60E1,
            radius,
            begin: -0.05,
            ..Self::default()
        }
    }

    /// The geometry of the left or the right wheel.
    ///
    /// # Errors
    /// What is wrong with the numbers and profiles.
    pub fn geometry(&self, right: bool) -> Result<ContactGeometry, RailError> {
        let side = if right { -1.0 } else { 1.0 };
        let over = |e: &Expression, profile: &'static str| {
            let fault = |_| RailError::NotFinite { profile, at: 0.0 };
            e.over_variables(&["s"]).map_err(fault)
        };
        let [wheel, rail]: [Profile; 2] = match self.profile {
            ProfileKind::Conical => {
                let cone = Cone {
                    radius: self.radius,
                    conicity: self.conicity,
                    head: self.head_radius,
                };
                cone.check()?;
                return Ok(ContactGeometry::Cone { cone, side });
            }
            ProfileKind::Curved => [
                (&over(&self.wheel_profile, "the profile of the wheel")?).into(),
                (&over(&self.rail_profile, "the profile of the rail")?).into(),
            ],
            ProfileKind::S1002On60E1 => [
                PiecewiseProfile::s1002().into(),
                PiecewiseProfile::rail_60e1().into(),
            ],
        };
        let range = [self.begin, self.end];
        let profiles = Profiles::new(self.radius, wheel, rail, range, self.step, self.smoothing)?;
        Ok(ContactGeometry::Profiles {
            profiles: Arc::new(profiles),
            side,
        })
    }
}

impl Prepare for Box<WheelRailShape> {
    type Ready = ContactGeometry;

    fn prepare(&self) -> Option<ContactGeometry> {
        self.geometry(self.right).ok()
    }
}

/// 1 row: the gap between wheel and rail is zero, see [`ContactGeometry`].
///
/// The gap depends on the wheel's centre and axle as the rail sees them. With −λ ≥ 0 wheel and rail
/// press on each other; a wheel that would lift off is held, and the sign of λ tells.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WheelRail<R: References = Attached> {
    /// Frame on the wheel.
    pub wheel: R::Frame,
    /// Frame of the rail.
    pub rail: R::Frame,
    /// Shapes.
    pub shape: R::Law<Box<WheelRailShape>>,
}

impl DescribedConstraint for WheelRail<Named> {
    const NAME: &str = "wheel-rail";
    const DOC: &str = "A wheel touches its rail; the multiplier is the normal force used by a creep force.";
    const ROWS: usize = 1;
    const FIRST_FRAME_TURNS: bool = true;
    const ROLLING_CONTACT: bool = true;

    fn fields(&mut self, visitor: &mut dyn Fields) {
        let Self { wheel, rail, shape } = self;
        let doc = "Frame on the wheel: origin at the centre of the rolling circle, y along the axle to the left. It may rotate with the wheel.";
        visitor.frame(&Field::required("wheel", "", doc), wheel);
        let doc = "Frame of the rail: origin at its nominal contact point, x along it, y to the left, z up.";
        visitor.frame(&Field::required("rail", "", doc), rail);
        let mut side = usize::from(shape.right);
        let doc = "Side of the wheelset; the outward direction is towards this side.";
        visitor.choice(&Field::optional("side", "", doc), &["left", "right"], &mut side);
        shape.right = side == 1;
        let kinds = ProfileKind::ALL;
        let mut kind = kinds.iter().position(|k| *k == shape.profile).unwrap_or(0);
        let doc = "A conical wheel on a round rail head, both profiles as functions, or the standard wheel S1002 on the \
                   rail 60E1.";
        visitor.choice(
            &Field::optional("profile", "", doc),
            &ProfileKind::NAMES,
            &mut kind,
        );
        shape.profile = kinds.get(kind).copied().unwrap_or_default();
        let doc = "Radius of the rolling circle.";
        visitor.number(&Field::required("radius", "m", doc), &mut shape.radius);
        let doc = "Conical: slope by which the radius decreases outwards.";
        visitor.number(&Field::optional("conicity", "1", doc), &mut shape.conicity);
        let doc = "Conical: radius of the rail head.";
        visitor.number(&Field::optional("head_radius", "m", doc), &mut shape.head_radius);
        let doc = "Curved: increase of the radius as a function of s, outwards from the rolling circle.";
        visitor.expression(
            &Field::optional("wheel_profile", "m", doc),
            &["s"],
            &mut shape.wheel_profile,
        );
        let doc = "Curved: height of the rail as a function of s, outwards from its nominal contact point.";
        visitor.expression(
            &Field::optional("rail_profile", "m", doc),
            &["s"],
            &mut shape.rail_profile,
        );
        let doc = "Not conical: first s of the wheel's profile.";
        visitor.number(&Field::optional("begin", "m", doc), &mut shape.begin);
        let doc = "Not conical: last s of the wheel's profile.";
        visitor.number(&Field::optional("end", "m", doc), &mut shape.end);
        let doc = "Not conical: spacing of the points at which the profiles are compared.";
        visitor.number(&Field::optional("step", "m", doc), &mut shape.step);
        let doc = "Not conical: smoothing length ε of the quasi-elastic contact, over which a contact point is spread.";
        visitor.number(&Field::optional("smoothing", "m", doc), &mut shape.smoothing);
    }

    fn faults(&self, faults: &mut Faults) {
        let shape = &self.shape;
        for law in [&shape.wheel_profile, &shape.rail_profile] {
            if let Err(error) = law.over_variables(&["s"]) {
                faults.add(Diagnostic::from(&error));
                return;
            }
        }
        if let Err(error) = shape.geometry(shape.right) {
            faults.add(Diagnostic::from(&error));
        }
    }

    fn attach(&self, to: &mut dyn Resolve) -> Option<ConstraintElement> {
        attached!(self, to, WheelRail { wheel: frame, rail: frame, shape: law })
    }

    fn mirror(&mut self, mirror: &mut Mirror) {
        // Upside down both frames are turned about x, and see left and right exchanged.
        mirror.upper_side(&mut self.wheel);
        mirror.upper_side(&mut self.rail);
        if mirror.axis() != Axis::X {
            self.shape.right = !self.shape.right;
        }
    }
}


/// Components in the axes of the first frame.
fn components<T: Real>(relative: &Relative<T>, v: Vec3<T>) -> Vec3<T> {
    relative.first_axes().transpose_times(v)
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
        self.shape.touch(&Seen {
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

/// Constructors.
impl Constraint {
    /// A wheel touches its rail; `right` for the right wheel of a wheelset.
    ///
    /// ```
    /// use holonom_multibody::description::Constraint;
    /// use holonom_multibody::elements::constraints::WheelRailShape;
    /// let cone = WheelRailShape::cone(0.46, 0.05, 0.3);
    /// let left = Constraint::wheel_rail("left", "wheelset.left", "ground.left", false, cone);
    /// assert_eq!(left.kind.info().name, "wheel-rail");
    /// ```
    pub fn wheel_rail(
        name: impl Into<String>,
        wheel: impl Into<String>,
        rail: impl Into<String>,
        right: bool,
        shape: WheelRailShape,
    ) -> Self {
        let kind = ConstraintKind::WheelRail(WheelRail {
            wheel: wheel.into(),
            rail: rail.into(),
            shape: Box::new(WheelRailShape { right, ..shape }),
        });
        Self::new(name, kind)
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
        let [_, _, change] = self.shape.motion(
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
