//! Contact of a sphere, a cylinder or a box with a plane.

use super::contact::{self, ContactLaw, NOTICED, Touching};
use super::{DescribedForce, ForceElement, ForceKind, ForceLaw, Reach, ShownValue};
use crate::fields::{Field, Fields};
use crate::description::{Force, Mirror};
use crate::elements::constraints::relative::Relative;
use crate::elements::faults::Faults;
use crate::elements::references::{Attached, Named, References, Resolve, attached};
use crate::elements::scene::{Loads, Scene};
use holonom_algebra::{Real, Vec3};
use holonom_dae::Gap;

/// What touches a plane. Numbers that the kind does not have are zero.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Shape {
    /// Number in [`Shape::NAMES`].
    pub kind: usize,
    /// Radius of a sphere or cylinder, m.
    pub radius: f64,
    /// Length of a cylinder, m.
    pub length: f64,
    /// Edges of a box, m.
    pub size: [f64; 3],
}

impl Shape {
    /// The kinds.
    pub const NAMES: [&'static str; 3] = ["sphere", "cylinder", "box"];

    /// A sphere.
    pub fn sphere(radius: f64) -> Self {
        Self {
            kind: 0,
            radius,
            ..Self::default()
        }
    }

    /// A cylinder along z; a thin disc if its length is zero.
    pub fn cylinder(radius: f64, length: f64) -> Self {
        Self {
            kind: 1,
            radius,
            length,
            ..Self::default()
        }
    }

    /// A box with these edges.
    pub fn cuboid(size: [f64; 3]) -> Self {
        Self {
            kind: 2,
            size,
            ..Self::default()
        }
    }

    /// The distance of its farthest point from its centre.
    fn extent(&self) -> f64 {
        let [x, y, z] = self.size.map(|edge| 0.5 * edge);
        let round = self.radius.hypot(0.5 * self.length);
        round.max((x * x + y * y + z * z).sqrt())
    }

    /// What is wrong with it.
    pub(crate) fn faults(&self, faults: &mut Faults) {
        let remedy = "remove it or choose another shape";
        let (round, long, boxed) = (self.kind < 2, self.kind == 1, self.kind == 2);
        if round {
            faults.positive("radius", self.radius);
        } else {
            faults.require(self.radius == 0.0, "radius", "a box has no radius", remedy);
        }
        if long {
            faults.not_negative("length", self.length);
        } else {
            faults.require(self.length == 0.0, "length", "only a cylinder has a length", remedy);
        }
        if boxed {
            self.size.into_iter().for_each(|edge| faults.positive("size", edge));
        } else {
            faults.require(self.size == [0.0; 3], "size", "only a box has edges", remedy);
        }
    }
}

/// How much the rim of a cylinder is rounded: within this angle of standing upright its lowest point
/// moves from the middle of the face to the rim, over which a circle would jump.
const RIM: f64 = 1e-3;

/// [`ContactLaw`] at the lowest point of a sphere, at the lowest points of both rims of a cylinder
/// (one for a thin disc), or at the eight corners of a box; stiffness and the rest are those of each
/// point. The depth is that below the plane z = 0 of the first frame.
///
/// A cylinder that stands upright is carried by the middle of its face: below ε = 0.001 the polynomial of
/// `lean` stands for the sine s of its tilt, above it is s itself.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlaneContact<R: References = Attached> {
    /// The plane.
    pub plane: R::Frame,
    /// Frame of the shape.
    pub body: R::Frame,
    /// The shape.
    pub shape: Shape,
    /// Numbers.
    pub law: ContactLaw,
}

impl DescribedForce for PlaneContact<Named> {
    const NAME: &str = "plane-contact";
    const DOC: &str = "Contact of a sphere, a cylinder or a box with a plane: Hunt–Crossley penalty force with friction.";

    fn fields(&mut self, visitor: &mut dyn Fields) {
        let Self { plane, body, shape, law } = self;
        let doc = "Frame whose x–y plane is the contact surface, on the side to which z points.";
        visitor.frame(&Field::required("plane", "", doc), plane);
        let doc = "Frame of the shape: origin at its centre, z along the axis of a cylinder.";
        visitor.frame(&Field::required("body", "", doc), body);
        visitor.choice(&Field::required("shape", "", "Shape that touches the plane."), &Shape::NAMES, &mut shape.kind);
        visitor.number(&Field::optional("radius", "m", "Radius of a sphere or cylinder."), &mut shape.radius);
        let doc = "Length of a cylinder; 0 for a thin disc.";
        visitor.number(&Field::optional("length", "m", doc), &mut shape.length);
        visitor.vector(&Field::optional("size", "m", "Edge lengths of a box along x, y, z."), &mut shape.size);
        law.fields(visitor);
    }

    fn faults(&self, faults: &mut Faults) {
        self.law.faults(faults);
        self.shape.faults(faults);
    }

    fn attach(&self, to: &mut dyn Resolve) -> Option<ForceElement> {
        attached!(self, to, PlaneContact { plane: frame, body: frame, shape, law })
    }

    fn mirror(&mut self, mirror: &mut Mirror) {
        mirror.upper_side(&mut self.plane);
    }
}


/// f(s) and f′(s)/s for the square of the sine s of a tilt: s from ε on, below ε p(s/ε) with
/// p(u) = 15/8 u² − 5/4 u⁴ + 3/8 u⁶, which has p(0) = 0 and meets s with two derivatives at ε.
///
/// The lowest point of a rim is at r f′(s) from the axis. On its way from the middle, f′ must exceed one
/// for f to reach s, by 0.35 at most.
fn lean<T: Real>(square: T) -> (T, T) {
    let w = square * (1.0 / (RIM * RIM));
    let within = w.value() < 1.0;
    // √ has no derivative at zero.
    let s = T::select(within, T::one(), square).sqrt();
    let value = w * (w * (w * (3.0 / 8.0) - 5.0 / 4.0) + 15.0 / 8.0) * RIM;
    let slope = (w * (w * (9.0 / 4.0) - 5.0) + 15.0 / 4.0) * (1.0 / RIM);
    (T::select(within, value, s), T::select(within, slope, s.recip()))
}

impl PlaneContact {
    /// Depth and place, from the shape's origin, of all points that may touch.
    fn points<T: Real>(&self, relative: &Relative<T>, mut visit: impl FnMut(T, Vec3<T>)) {
        let up = relative.first_axis(2);
        let height = up.dot(relative.distance);
        match self.shape.kind {
            0 => {
                let radius = self.shape.radius;
                visit(-height + radius, -up.scale(radius));
            }
            1 => {
                let axis = relative.second_axis(2);
                let cos = up.dot(axis);
                let down = axis.scale(cos) - up;
                let (sine, inverse) = lean(down.norm_squared());
                let (radius, half) = (self.shape.radius, 0.5 * self.shape.length);
                let rim = down.scale(inverse * radius);
                let reach = sine * radius - height;
                visit(reach - cos * half, rim + axis.scale(half));
                if half > 0.0 {
                    visit(reach + cos * half, rim - axis.scale(half));
                }
            }
            _ => {
                let edges = [0, 1, 2].map(|k| relative.second_axis(k).scale(0.5 * self.shape.size[k]));
                for corner in 0..8 {
                    let mut point = Vec3::zero();
                    for (k, edge) in edges.iter().enumerate() {
                        let sign = if corner >> k & 1 == 1 { 1.0 } else { -1.0 };
                        point += edge.scale(sign);
                    }
                    visit(-height - up.dot(point), point);
                }
            }
        }
    }
}

impl PlaneContact {
    fn touching<'r, 'a, T: Real>(&self, relative: &'r Relative<'a, T>) -> Touching<'r, 'a, T> {
        let up = relative.first_axis(2);
        let mut touching = Touching::new(relative);
        self.points(relative, |depth, point| touching.point(&self.law, depth, up, point));
        touching
    }
}

/// Constructors.
impl Force {
    /// A shape about the frame `body` on the x–y plane of the frame `plane`.
    ///
    /// ```
    /// use holonom_multibody::description::Force;
    /// use holonom_multibody::elements::forces::{ContactLaw, Shape};
    /// let law = ContactLaw { stiffness: 1e6, dissipation: 0.3, friction: 0.4, ..ContactLaw::default() };
    /// let floor = Force::plane_contact("floor", "ground", "ball", Shape::sphere(0.1), law);
    /// ```
    pub fn plane_contact(
        name: impl Into<String>,
        plane: impl Into<String>,
        body: impl Into<String>,
        shape: Shape,
        law: ContactLaw,
    ) -> Self {
        let kind = ForceKind::PlaneContact(PlaneContact {
            plane: plane.into(),
            body: body.into(),
            shape,
            law,
        });
        Self::new(name, kind)
    }
}

impl ForceLaw for PlaneContact {
    fn evaluate<T: Real>(&self, scene: &Scene<T>, loads: &mut Loads<T>) {
        let relative = Relative::new(scene, &self.plane, &self.body);
        self.touching(&relative).finish(loads);
    }

    fn energy<T: Real>(&self, scene: &Scene<T>) -> Option<T> {
        let mut energy = T::zero();
        let relative = Relative::new(scene, &self.plane, &self.body);
        self.points(&relative, |depth, _| energy += self.law.energy(depth));
        Some(energy)
    }

    fn gap(&self, scene: &Scene<f64>) -> Option<Gap> {
        let relative = Relative::new(scene, &self.plane, &self.body);
        let mut distance = f64::INFINITY;
        self.points(&relative, |depth, _| distance = distance.min(-depth));
        let velocity = relative.velocity();
        let turning = match self.shape.kind {
            0 => 0.0,
            _ => velocity.angular.norm() * self.shape.extent(),
        };
        Some(Gap {
            distance,
            speed: velocity.linear.dot(relative.first_axis(2)).abs() + turning,
            depth: NOTICED * self.shape.extent(),
        })
    }

    fn has_gap(&self) -> bool {
        true
    }

    fn piecewise(&self) -> [usize; 2] {
        let points = match self.shape.kind {
            0 => 1,
            1 if self.shape.length > 0.0 => 2,
            1 => 1,
            _ => 8,
        };
        [points; 2]
    }

    fn piecewise_inputs(&self, scene: &Scene<f64>, out: &mut [f64]) {
        let relative = Relative::new(scene, &self.plane, &self.body);
        let mut depths = out.iter_mut();
        self.points(&relative, |depth, _| {
            if let Some(own) = depths.next() {
                *own = depth;
            }
        });
    }

    fn piecewise_values(&self, inputs: &[f64], values: &mut [f64], pieces: &mut [u64]) {
        for (depth, (value, piece)) in inputs.iter().zip(values.iter_mut().zip(pieces)) {
            (*value, *piece) = self.law.piece(*depth);
        }
    }

    fn reach(&self) -> Reach<'_> {
        Reach::Pair(&self.plane, &self.body)
    }

    fn outputs(&self) -> Vec<ShownValue> {
        contact::outputs()
    }

    fn shown<T: Real>(&self, scene: &Scene<T>, out: &mut [T]) {
        let relative = Relative::new(scene, &self.plane, &self.body);
        self.touching(&relative).show(out);
    }
}
