//! Creep forces between a wheel and its rail.

use super::{DescribedForce, ForceElement, ForceKind, ForceLaw, Reach, ShownValue};
use crate::fields::{Field, Fields};
use crate::description::{Axis, Force, Mirror};
use crate::elements::faults::Faults;
use crate::elements::references::{Attached, Named, Prepare, References, Resolve, attached};
use crate::elements::scene::{Loads, Scene};
use crate::rail::{
    CreepForces, CreepLaw, Creepage, FallingFriction, Hertz, KalkerTable, Patch, Reduction,
};
use core::cmp::Ordering;
use core::ops::Range;
use holonom_algebra::{Orientation, Real, Vec3};

/// Numbers of creep forces.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CreepData {
    /// Law of the forces.
    pub law: CreepLaw,
    /// Coefficient of friction μ₀.
    pub friction: f64,
    /// How it falls with the sliding velocity.
    pub falling: FallingFriction,
    /// What remains of the stiffness of clean bodies in Polach's law.
    pub reduction: Reduction,
    /// Young's modulus of wheel and rail, Pa.
    pub modulus: f64,
    /// Their Poisson's ratio.
    pub poisson: f64,
    /// Speed to which lower ones are rounded when creepages are formed, m/s.
    pub low_speed: f64,
    /// The frame of the rail travels along a rail that stands still.
    pub travelling: bool,
}

impl Default for CreepData {
    fn default() -> Self {
        Self {
            law: CreepLaw::ALL[0],
            friction: 0.3,
            falling: FallingFriction::CONSTANT,
            reduction: Reduction::NONE,
            modulus: 2.1e11,
            poisson: 0.28,
            low_speed: 0.01,
            travelling: false,
        }
    }
}

impl CreepData {
    /// What is wrong with the numbers.
    pub(crate) fn faults(&self, faults: &mut Faults) {
        faults.positive("friction", self.friction);
        faults.positive("modulus", self.modulus);
        let known = (0.0..=0.5).contains(&self.poisson);
        faults.range(
            "poisson",
            self.poisson,
            known,
            "be between 0 and 0.5",
            "correct it",
        );
        faults.positive("low_speed", self.low_speed);
        let mut share = |name: &'static str, value: f64| {
            let within = value > 0.0 && value <= 1.0;
            faults.range(name, value, within, "be above 0 and at most 1", "correct it");
        };
        share("friction_ratio", self.falling.ratio);
        share("adhesion_factor", self.reduction.adhesion);
        share("slip_factor", self.reduction.slip);
        let Reduction { adhesion, slip } = self.reduction;
        faults.require(
            slip.partial_cmp(&adhesion) != Some(Ordering::Greater),
            "slip_factor",
            "is above `adhesion_factor`",
            "correct one of them",
        );
        faults.not_negative("friction_decay", self.falling.decay);
    }
}

/// Creep forces at the contact point of a [`WheelRail`](crate::elements::constraints::WheelRail) constraint whose multiplier gives the normal
/// force N = −λ |∂g/∂c|.
///
/// With the velocity u of the wheel against the rail at the contact point, the angular velocity w and
/// the travel speed V = √(V_x² + V₀²), where V_x is that of the wheel's centre along the rail, creepages
/// are ν_x = u_x/V, ν_y = u_y/V and φ = w_n/V, with y across in the tangent plane. What couples spin with
/// lateral creepage changes sign with the direction of travel, between V_x = −V₀ and V₀. The ellipse is
/// that of Hertz for the curvatures at the contact, the limit of friction μ N. The forces depend on
/// λ: the normal force and creep forces are found together.
///
/// The frame of a moving track travels along the rail, which itself stands still: then u_x and φ are
/// those against the ground, and the force along x acts on the ground instead of the frame.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Creep<R: References = Attached> {
    /// The wheel-rail constraint.
    pub contact: R::Contact,
    /// Law, friction and material.
    pub data: R::Law<CreepData>,
}

impl DescribedForce for Creep<Named> {
    const NAME: &str = "creep";
    const DOC: &str = "Creep forces between wheel and rail; the normal force is that of a wheel-rail constraint.";

    fn fields(&mut self, visitor: &mut dyn Fields) {
        let Self { contact, data } = self;
        let doc = "Wheel-rail constraint of this wheel.";
        visitor.constraint(&Field::required("contact", "", doc), contact);
        let doc = "Kalker's linear forces with the saturation of Shen, Hedrick and Elkins or with tanh, or Polach's law.";
        let names = CreepLaw::ALL.map(CreepLaw::name);
        let mut law = CreepLaw::ALL.iter().position(|law| *law == data.law).unwrap_or(0);
        visitor.choice(&Field::optional("law", "", doc), &names, &mut law);
        data.law = CreepLaw::ALL.get(law).copied().unwrap_or(data.law);
        let doc = "Coefficient of friction.";
        visitor.number(&Field::optional("friction", "1", doc), &mut data.friction);
        let doc = "Young's modulus of wheel and rail.";
        visitor.number(&Field::optional("modulus", "Pa", doc), &mut data.modulus);
        let doc = "Poisson's ratio of wheel and rail.";
        visitor.number(&Field::optional("poisson", "1", doc), &mut data.poisson);
        let doc = "Speed V₀ that keeps creepages finite at standstill.";
        visitor.number(&Field::optional("low_speed", "m/s", doc), &mut data.low_speed);
        let doc = "The frame of the rail moves along a fixed rail, as that of a [[track]] does.";
        visitor.flag(&Field::optional("travelling", "", doc), &mut data.travelling);
        let doc = "A: ratio of the friction at high sliding velocity to that at zero; 1 means constant friction.";
        let field = Field::optional("friction_ratio", "1", doc);
        visitor.number(&field, &mut data.falling.ratio);
        let doc = "B: rate at which friction decreases with the sliding velocity.";
        let field = Field::optional("friction_decay", "s/m", doc);
        visitor.number(&field, &mut data.falling.decay);
        let doc = "Polach: factor k_A on Kalker's stiffness in the area of adhesion.";
        let field = Field::optional("adhesion_factor", "1", doc);
        visitor.number(&field, &mut data.reduction.adhesion);
        let doc = "Polach: factor k_S on Kalker's stiffness in the area of slip; at most k_A.";
        let field = Field::optional("slip_factor", "1", doc);
        visitor.number(&field, &mut data.reduction.slip);
    }

    fn faults(&self, faults: &mut Faults) {
        self.data.faults(faults);
    }

    fn attach(&self, to: &mut dyn Resolve) -> Option<ForceElement> {
        attached!(self, to, Creep { contact: contact, data: law })
    }

    /// Along x of the rail and, with its normal n, along n × x; upside down the rail is turned about x, and sees left and
    /// right exchanged. The image of the constraint is the constraint of the image.
    fn shown_signs(&self, mirror: &Mirror, _: &[f64]) -> Vec<(&'static str, f64)> {
        let (along, across) = (mirror.polar(0), if mirror.axis() == Axis::X { 1.0 } else { -1.0 });
        vec![
            ("longitudinal", along),
            ("creep_x", along),
            ("lateral", across),
            ("creep_y", across),
            ("spin", -1.0),
            ("spin_torque", -1.0),
            ("contact_x", along),
            ("contact_y", across),
            ("contact_on_wheel", across),
            ("contact_angle", across),
        ]
    }
}


/// [`CreepData`] ready for evaluation.
#[derive(Clone, Debug)]
pub struct CreepLaws {
    data: CreepData,
    material: Box<Material>,
}

/// What follows from the material.
#[derive(Clone, Debug)]
struct Material {
    hertz: Hertz,
    table: KalkerTable,
}

impl Prepare for CreepData {
    type Ready = CreepLaws;

    fn prepare(&self) -> Option<CreepLaws> {
        Some(CreepLaws {
            data: *self,
            material: Box::new(Material {
                hertz: Hertz::new(self.modulus, self.poisson).ok()?,
                table: KalkerTable::new(self.poisson).ok()?,
            }),
        })
    }
}

/// Normal forces below about this do not vanish, N, so that quotients by them stay finite.
const LIGHT: f64 = 1.0;

/// Sliding velocities below about this count as none for friction that falls, m/s.
const SLOW: f64 = 1e-6;

/// How much a wheel rolls forwards at V_x/V₀: 1 from V₀ on, 0 from −V₀ on, with a continuous slope.
fn forward_share<T: Real>(x: T) -> T {
    let (one, none) = (T::constant(1.0), T::zero());
    let between = x * (-(x * x) + 3.0) * 0.25 + 0.5;
    let beyond = T::select(x.value() > 0.0, one, none);
    T::select(x.value().abs() < 1.0, between, beyond)
}

/// The wheel on the rail; components in the axes of the rail.
struct Rolling<T: Real> {
    axes: T::Orientation,
    /// From the centre of the wheel to the contact point.
    arm: Vec3<T>,
    normal: Vec3<T>,
    across: Vec3<T>,
    pressed: T,
    /// The contact point in the frame of the rail.
    point: Vec3<T>,
    /// Where it is along y of the wheel's frame.
    on_wheel: T,
    /// Semi-axes of the ellipse along and across the rail.
    patch: Patch<T>,
    creep: Creepage<T>,
    forces: CreepForces<T>,
}

impl Creep {
    fn rolling<T: Real>(&self, scene: &Scene<T>) -> Rolling<T> {
        let (wheel, rail) = (scene.frame(&self.contact.constraint.wheel), scene.frame(&self.contact.constraint.rail));
        let touch = self.contact.constraint.touch(scene);
        let seen = |v: Vec3<T>| rail.axes.transpose_times(v);
        let arm = rail.axes.times(touch.arm);
        let from_rail = wheel.origin + arm - rail.origin;
        // Material points of both at the contact.
        let moving = wheel.velocity + wheel.omega.cross(arm);
        let carried = seen(rail.velocity + rail.omega.cross(from_rail));
        let centre_carried = seen(rail.velocity + rail.omega.cross(wheel.origin - rail.origin));
        let (mut sliding, mut centre) = (seen(moving) - carried, seen(wheel.velocity) - centre_carried);
        let mut turning = seen(wheel.omega - rail.omega);
        if self.data.data.travelling {
            sliding.0[0] += carried.0[0];
            centre.0[0] += centre_carried.0[0];
            turning = seen(wheel.omega);
        }
        let normal = touch.normal;
        // x lies in the tangent plane.
        let across = normal.cross(Vec3::<T>::unit(0));
        let low = self.data.data.low_speed;
        let speed = (centre.0[0].square() + low * low).sqrt();
        let creep = Creepage {
            longitudinal: sliding.0[0] / speed,
            lateral: sliding.dot(across) / speed,
            spin: turning.dot(normal) / speed,
        };
        let multiplier = scene.lambda.get(self.contact.row).copied().unwrap_or(T::zero());
        let load = -(multiplier * touch.force.norm_squared().sqrt());
        let pressed = (load + (load.square() + LIGHT * LIGHT).sqrt()) * 0.5;
        let [along, transverse] = touch.curvatures;
        let Material { hertz, table } = &*self.data.material;
        let patch = hertz.patch(load, along, transverse);
        let coefficients = table.coefficients(&patch);
        // √ has no slope at zero; below a micrometre per second nothing falls.
        let rate = sliding.0[0].square() + sliding.dot(across).square();
        let velocity = (rate + SLOW * SLOW).sqrt() - SLOW;
        let limit = pressed * self.data.data.falling.factor(velocity) * self.data.data.friction;
        let law = |creep: &Creepage<T>| {
            self.data.data.law.reduced_forces(
                &self.data.data.reduction,
                &patch,
                &coefficients,
                hertz.shear_modulus(),
                limit,
                creep,
            )
        };
        // The law is that of a wheel that rolls along x. One that rolls back does so in axes turned by π about the
        // normal, where creepages have the other sign and spin has not.
        let share = forward_share(centre.0[0] / low);
        let there = law(&creep);
        let back = law(&Creepage {
            longitudinal: creep.longitudinal,
            lateral: creep.lateral,
            spin: -creep.spin,
        });
        let rest = T::constant(1.0) - share;
        let forces = CreepForces {
            longitudinal: there.longitudinal * share + back.longitudinal * rest,
            lateral: there.lateral * share + back.lateral * rest,
            moment: there.moment * share - back.moment * rest,
        };
        Rolling {
            axes: rail.axes,
            arm: touch.arm,
            normal,
            across,
            pressed: load,
            point: seen(from_rail),
            on_wheel: seen(wheel.axes.column(1)).dot(touch.arm),
            patch,
            creep,
            forces,
        }
    }

    /// Creepages and forces on the wheel, with the normal force N.
    pub fn contact_forces<T: Real>(&self, scene: &Scene<T>) -> (Creepage<T>, CreepForces<T>, T) {
        let rolling = self.rolling(scene);
        (rolling.creep, rolling.forces, rolling.pressed)
    }
}

/// Constructors.
impl Force {
    /// Creep forces at a wheel-rail constraint, by its name.
    pub fn creep(name: impl Into<String>, contact: impl Into<String>, data: CreepData) -> Self {
        let contact = contact.into();
        Self::new(name, ForceKind::Creep(Creep { contact, data }))
    }
}

impl ForceLaw for Creep {
    fn evaluate<T: Real>(&self, scene: &Scene<T>, loads: &mut Loads<T>) {
        let rolling = self.rolling(scene);
        let turned = |v: Vec3<T>| rolling.axes.times(v);
        let forward = turned(Vec3::unit(0)).scale(rolling.forces.longitudinal);
        let sideways = turned(rolling.across.scale(rolling.forces.lateral));
        let moment = turned(rolling.normal.scale(rolling.forces.moment));
        let arm = turned(rolling.arm);
        let (wheel, rail) = (scene.frame(&self.contact.constraint.wheel), scene.frame(&self.contact.constraint.rail));
        loads.add(
            self.contact.constraint.wheel.node,
            wheel.arm + arm,
            forward + sideways,
            moment,
        );
        let point = wheel.origin + arm;
        let reach = point - rail.origin + rail.arm;
        if self.data.data.travelling {
            loads.add(self.contact.constraint.rail.node, reach, -sideways, Vec3::zero());
            loads.add(self.contact.ground.node, point, -forward, -moment);
        } else {
            loads.add(self.contact.constraint.rail.node, reach, -(forward + sideways), -moment);
        }
    }

    /// None: creep forces only take.
    fn energy<T: Real>(&self, _: &Scene<T>) -> Option<T> {
        None
    }

    fn stores_energy(&self) -> bool {
        false
    }

    fn reach(&self) -> Reach<'_> {
        if self.data.data.travelling {
            Reach::Frames([&self.contact.ground, &self.contact.constraint.rail, &self.contact.constraint.wheel])
        } else {
            Reach::Pair(&self.contact.constraint.rail, &self.contact.constraint.wheel)
        }
    }

    fn outputs(&self) -> Vec<ShownValue> {
        let show = |name, unit, doc| ShownValue { name, unit, doc };
        vec![
            show("longitudinal", "N", "creep force on the wheel along the rail"),
            show("lateral", "N", "creep force on the wheel across the rail"),
            show("normal", "N", "normal force"),
            show("creep_x", "1", "longitudinal creepage"),
            show("creep_y", "1", "lateral creepage"),
            show("spin", "1/m", "spin creepage"),
            show("spin_torque", "N m", "torque on the wheel about the normal"),
            show("contact_x", "m", "x of the contact point in the frame of the rail"),
            show("contact_y", "m", "y of the contact point in the frame of the rail"),
            show("contact_z", "m", "z of the contact point in the frame of the rail"),
            show("contact_on_wheel", "m", "place of the contact point along y of the wheel's frame"),
            show(
                "contact_angle",
                "rad",
                "angle of the tangent plane about x of the rail, from its x-y plane",
            ),
            show("semi_axis_x", "m", "semi-axis of the contact ellipse along the rail"),
            show("semi_axis_y", "m", "semi-axis of the contact ellipse across the rail"),
            show("wear_number", "N", "T gamma: what creep forces and spin torque take per length of travel"),
        ]
    }

    fn shown<T: Real>(&self, scene: &Scene<T>, out: &mut [T]) {
        let rolling = self.rolling(scene);
        let Rolling { creep, forces, normal, point, .. } = &rolling;
        let taken = forces.longitudinal * creep.longitudinal
            + forces.lateral * creep.lateral
            + forces.moment * creep.spin;
        let values = [
            forces.longitudinal,
            forces.lateral,
            rolling.pressed,
            creep.longitudinal,
            creep.lateral,
            creep.spin,
            forces.moment,
            point[0],
            point[1],
            point[2],
            rolling.on_wheel,
            (-normal[1]).atan2(normal[2]),
            rolling.patch.a,
            rolling.patch.b,
            -taken,
        ];
        for (out, value) in out.iter_mut().zip(values) {
            *out = value;
        }
    }

    fn multipliers(&self) -> Range<usize> {
        self.contact.row..self.contact.row + 1
    }
}
