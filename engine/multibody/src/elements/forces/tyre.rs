//! A tyre on a road.

use super::{DescribedForce, ForceElement, ForceKind, ForceLaw, OwnState, Reach, ShownValue};
use crate::diagnostic::Diagnostic;
use crate::fields::{Field, Fields};
use crate::description::{Carcass, Document, Force, Mirror, Mount};
use crate::elements::faults::Faults;
use crate::elements::references::{Attached, Named, Prepare, References, Resolve};
use crate::elements::scene::{Loads, Scene};
use crate::tree::Attachment;
use crate::road::Elevation;
use crate::tyre::smooth::{at_least, direction, magnitude, rise, root};
use crate::tyre::tir::{TirError, TirFile};
use crate::tyre::{Contact, Forces, MagicFormula, TyreLaw};
use holonom_algebra::{Orientation, Real, Vec3};

/// A wheel that touches a road in one point.
///
/// The y axis of the wheel's frame is its axle. With n the normal of the road at the contact point,
/// x̂ along y × n and r the distance from the centre to the tangent plane within the wheel plane,
/// the deflection is δ = r₀ − r and F_z cos γ = k δ + k₂ δ² + d δ̇ ≥ 0 for δ > 0, with the camber γ: the
/// normal load F_z has the force of the deflection as its component within the wheel plane, so that
/// its power is exactly that of δ̇. On a plane, with the centre at the height h, r = h/cos γ, and the load
/// acts at the contact point, aside of the centre by h tan γ; both follow from the energy ½ k δ². (The
/// Iltis benchmark has F_z = k (r₀ − h) at the same point, which differs by (1 − h/δ) γ²/2 of the load at one
/// height, and whose power is not that of an energy when the wheel tilts.) The damping sets in over the first hundredth of the radius, so
/// that the load is continuous at touch-down.
///
/// Slip is transient: the tread is deflected by u along x̂ and by w across, two states of the
/// element. With the relaxation lengths σ, the velocity V_x of the centre and V_s of the tread,
/// u̇ = −V_sx − |V_x| u/σ_x and ẇ = V_sy − |V_x| w/σ_y; κ = u/σ_x and tan α = w/σ_y go into the law
/// (H. B. Pacejka, Tyre and Vehicle Dynamics, 2nd ed., sections 7.2 and 8.6). At standstill the
/// states are springs: a parked vehicle does not creep. Below the speed [`Tyre::LOW_SPEED`] a damping
/// V_s/[`Tyre::DAMPING_SPEED`] is added to the slips, and the deflection ends at the slip 1.
///
/// The slip is that at the effective rolling radius r_e, the force acts at the contact point, r below the
/// centre; the moment (r − r_e) F_x about the axle makes up for the difference, so that tangential forces
/// take the power F_x V_sx + F_y V_sy and no more: the torque of F_x about the axle is −F_x r_e. Data of
/// PAC2002 with `QSY2` have their own moment by F_x, which stands for the same; it is added to −F_x r then.
#[derive(Clone, Debug)]
pub struct Tyre<R: References = Attached> {
    /// Where it is and on what it rolls.
    pub mount: Mount<R>,
    /// A tyre property file; after compilation its laws, or those of another kind of tyre.
    pub data: R::Law<Document>,
}

impl Default for Tyre<Named> {
    fn default() -> Self {
        let (mount, data) = (Mount::default(), Document::default());
        Self { mount, data }
    }
}

impl PartialEq for Tyre<Named> {
    fn eq(&self, other: &Self) -> bool {
        self.mount == other.mount && self.data == other.data
    }
}

/// The laws of a tyre.
#[derive(Clone, Debug)]
pub struct TyreLaws {
    /// Radius and stiffness.
    pub carcass: Carcass,
    /// The law of its forces.
    pub law: TyreLaw,
}

fn magic_formula(text: &str) -> Result<MagicFormula, TirError> {
    Ok(TirFile::parse(text)?.magic_formula()?.0)
}

impl Prepare for Document {
    type Ready = TyreLaws;

    fn prepare(&self) -> Option<TyreLaws> {
        let law = magic_formula(&self.text).ok()?;
        let [stiffness, stiffening] = law.vertical();
        let mut carcass = Carcass::new(law.unloaded_radius, stiffness);
        carcass.stiffening = stiffening;
        carcass.damping = law.vertical_damping;
        let law = TyreLaw::MagicFormula(Box::new(law));
        Some(TyreLaws { carcass, law })
    }
}

impl DescribedForce for Tyre<Named> {
    const NAME: &str = "tyre";
    const DOC: &str = "A Magic Formula tyre (PAC2002) with data from a .tir file, on a road.";

    fn fields(&mut self, visitor: &mut dyn Fields) {
        let Self { mount, data } = self;
        mount.fields(visitor);
        let doc = "Tyre property file, relative to the model file; or a table with its text.";
        visitor.document(&Field::required("file", "", doc), data);
    }

    fn faults(&self, faults: &mut Faults) {
        if let Err(error) = magic_formula(&self.data.text) {
            let mut fault = Diagnostic::from(&error).field("file");
            if !self.data.name.is_empty() {
                fault.fault = format!("`{}`: {}", self.data.name, fault.fault);
            }
            faults.add(fault);
        }
        self.mount.faults(faults);
    }

    fn attach(&self, to: &mut dyn Resolve) -> Option<ForceElement> {
        Tyre::attached(&self.mount, self.data.prepare()?, to)
    }

    fn mirror(&mut self, _: &mut Mirror) {
        self.mount.mirror();
    }

    fn shown_signs(&self, mirror: &Mirror, _: &[f64]) -> Vec<(&'static str, f64)> {
        shown_signs(mirror)
    }
}

/// Signs that what is seen of a tyre gets: along x = y × n and across it, with y of the wheel's frame and the normal of
/// the road.
pub(super) fn shown_signs(mirror: &Mirror) -> Vec<(&'static str, f64)> {
    vec![
        ("longitudinal", mirror.axial(1)),
        ("longitudinal_slip", mirror.axial(1)),
        ("u", mirror.axial(1)),
        ("lateral", mirror.polar(1)),
        ("lateral_slip", mirror.polar(1)),
        ("camber", mirror.polar(1)),
        ("w", mirror.polar(1)),
        ("aligning", -1.0),
        ("overturning", mirror.polar(1)),
        ("rolling", mirror.axial(1)),
    ]
}

/// The wheel at the road; vectors in the axes of the road.
struct Touch<T: Real> {
    road_axes: T::Orientation,
    forward: Vec3<T>,
    sideways: Vec3<T>,
    normal: Vec3<T>,
    axle: Vec3<T>,
    /// From the centre of the wheel to the contact point.
    arm: Vec3<T>,
    camber: T,
    deflection: T,
    load: T,
    /// 0 in the air, 1 on the road.
    touching: T,
    /// Angular velocity about the axle.
    spin: T,
    /// r: from the centre to the contact point.
    radius: T,
    /// r_e.
    rolling_radius: T,
    /// V_x.
    speed: T,
    /// V_sx, V_sy.
    sliding: [T; 2],
    /// σ_x, σ_y.
    relaxation: [T; 2],
    /// 1 at standstill, 0 at speed.
    slow: T,
}

/// Points and weights of Gauss on (−1, 1).
const GAUSS: [(f64, f64); 5] = [
    (-0.906_179_845_938_664, 0.118_463_442_528_094_54),
    (-0.538_469_310_105_683_1, 0.239_314_335_249_683_24),
    (0.0, 0.284_444_444_444_444_46),
    (0.538_469_310_105_683_1, 0.239_314_335_249_683_24),
    (0.906_179_845_938_664, 0.118_463_442_528_094_54),
];

impl Tyre {
    /// Speed below which the slips are damped, m/s.
    pub const LOW_SPEED: f64 = 0.5;
    /// Speed by which sliding adds to the slips at standstill, m/s.
    pub const DAMPING_SPEED: f64 = 3.0;
    /// Share of the radius over which the damping sets in.
    const TOUCH: f64 = 0.01;
    /// Shortest relaxation length by the radius.
    const SHORTEST: f64 = 0.1;
    /// Length of the shortest obstacle by the radius.
    const OBSTACLE: f64 = 0.03;
    /// Time in which the deflection of a wheel in the air fades, s.
    const FADING: f64 = 0.02;
    /// Width of the rounded corners of |V|, m/s.
    const ROUNDING: f64 = 1e-2;

    /// A tyre with some laws on its road.
    pub(super) fn attached(mount: &Mount, data: TyreLaws, to: &mut dyn Resolve) -> Option<ForceElement> {
        let mut mount = mount.attach(to)?;
        let law_is_mirrored = matches!(&data.law, TyreLaw::MagicFormula(law) if law.use_mode < 0.0);
        mount.mirrored = mount.mirrored != law_is_mirrored;
        Some(Self { mount, data }.into())
    }

    /// The surface at a point, averaged over the contact where asked for.
    fn ground<T: Real>(&self, x: T, y: T, forward: Vec3<T>) -> Elevation<T> {
        let [sx, sy] = self.mount.road.signs;
        let at = |x: T, y: T| {
            let e = self.mount.road.surface.at(x * sx, y * sy);
            Elevation {
                height: e.height,
                slope: [e.slope[0] * sx, e.slope[1] * sy],
            }
        };
        if self.mount.enveloping == 0.0 || self.mount.road.surface.is_flat() {
            return at(x, y);
        }
        let mut mean = Elevation {
            height: T::zero(),
            slope: [T::zero(); 2],
        };
        for (place, weight) in GAUSS {
            let shift = 0.5 * self.mount.enveloping * place;
            let e = at(x + forward.0[0] * shift, y + forward.0[1] * shift);
            mean.height += e.height * weight;
            mean.slope[0] += e.slope[0] * weight;
            mean.slope[1] += e.slope[1] * weight;
        }
        mean
    }

    fn touch<T: Real>(&self, scene: &Scene<T>) -> Touch<T> {
        let (wheel, road) = (scene.frame(&self.mount.wheel), scene.frame(&self.mount.road.frame));
        let apart = wheel.origin - road.origin;
        let seen = |v: Vec3<T>| road.axes.transpose_times(v);
        let centre = seen(apart);
        let axle = seen(wheel.axes.column(1));
        let omega = seen(wheel.omega - road.omega);
        let velocity = seen(wheel.velocity - road.velocity - road.omega.cross(apart));

        // The contact point: from the foot of the centre, corrected where the road is not flat.
        let mut ground = self.ground(centre.0[0], centre.0[1], Vec3::zero());
        let mut foot = Vec3([centre.0[0], centre.0[1], ground.height]);
        let mut corrections = if self.mount.road.surface.is_flat() { 0 } else { 2 };
        let (normal, forward, up, cos, radius) = loop {
            let normal = ground.normal();
            let cross = axle.cross(normal);
            // A wheel that lies flat has no direction; its forces stay finite.
            let cos = (cross.norm_squared() + 1e-20).sqrt();
            let forward = cross.scale(cos.recip());
            let up = forward.cross(axle);
            let radius = (centre - foot).dot(normal) / cos;
            if corrections == 0 {
                break (normal, forward, up, cos, radius);
            }
            corrections -= 1;
            let point = centre - up.scale(radius);
            ground = self.ground(point.0[0], point.0[1], forward);
            foot = Vec3([point.0[0], point.0[1], ground.height]);
        };
        let sideways = normal.cross(forward);
        let camber = axle.dot(normal).atan2(cos);
        let arm = -up.scale(radius);
        let tread = velocity + omega.cross(arm);
        let deflection = -radius + self.data.carcass.radius;
        let closing = -tread.dot(normal) / cos;
        let spin = omega.dot(axle);
        let speed = tread.dot(forward) + spin * radius;

        let c = &self.data.carcass;
        let pressed = at_least(deflection, 0.0);
        let [touching, _] = rise(pressed / (Self::TOUCH * c.radius));
        let load = pressed * (pressed * c.stiffening + c.stiffness) + closing * touching * c.damping;
        // Only the component within the wheel plane deflects the tyre.
        let load = at_least(load, 0.0) / cos;
        let rolling = match &self.data.law {
            TyreLaw::MagicFormula(law) => law.rolling_radius(pressed),
            _ => pressed * (c.rolling_radius - 1.0) + c.radius,
        };
        let known = self.data.law.relaxation(load, camber);
        let relaxation = known.unwrap_or([c.relaxation_x, c.relaxation_y].map(T::constant));
        let shortest = Self::SHORTEST * c.radius;
        let ratio = speed / Self::LOW_SPEED;
        Touch {
            road_axes: road.axes,
            forward,
            sideways,
            normal,
            axle,
            arm,
            camber,
            deflection: pressed,
            load,
            touching,
            spin,
            radius,
            rolling_radius: rolling,
            speed,
            sliding: [speed - spin * rolling, tread.dot(sideways)],
            relaxation: relaxation.map(|length| at_least(length, shortest)),
            slow: (ratio.square().square() + 1.0).recip(),
        }
    }

    /// κ and tan α: those of the deflections of the tread, and of its damping near standstill.
    fn slips<T: Real>(touch: &Touch<T>, own: &[T]) -> [T; 2] {
        let deflected = |k: usize| own.get(k).copied().unwrap_or(T::zero()) / touch.relaxation[k];
        let damped = |k: usize| touch.sliding[k] * touch.slow / Self::DAMPING_SPEED;
        [deflected(0) - damped(0), deflected(1) + damped(1)]
    }

    /// u̇ and ẇ.
    fn deflection_rates<T: Real>(touch: &Touch<T>, own: &[T]) -> [T; 2] {
        let speed = magnitude(touch.speed, Self::ROUNDING);
        core::array::from_fn(|k| {
            let sign = [-1.0, 1.0][k];
            let own = own.get(k).copied().unwrap_or(T::zero());
            let slip = own / touch.relaxation[k];
            // At the slip 1 the tread slides as fast as the deflection grows.
            let end = magnitude(touch.sliding[k], Self::ROUNDING) * touch.slow * slip.powi(5);
            let gained = touch.sliding[k] * sign - end;
            let fading = (-touch.touching + 1.0) / Self::FADING;
            gained * touch.touching - speed * slip - own * fading
        })
    }

    /// Forces of the law for the deflections of the tread, and the gyroscopic moment of the belt, which tilts as the
    /// tread is deflected.
    fn forces<T: Real>(&self, touch: &Touch<T>, own: &[T]) -> Forces<T> {
        let [kappa, lateral] = Self::slips(touch, own);
        let side = if self.mount.mirrored { -1.0 } else { 1.0 };
        let mut forces = self.data.law.forces(&Contact {
            load: touch.load,
            kappa,
            lateral: lateral * side,
            camber: touch.camber * side,
            speed: touch.speed,
            rolling: direction(touch.speed, Self::ROUNDING),
            patch: root(touch.deflection * self.data.carcass.radius, 1e-9) * 2.0,
            friction: self.mount.road.friction,
        });
        forces.lateral *= side;
        forces.overturning *= side;
        forces.aligning *= side;
        let rate = Self::deflection_rates(touch, own)[1];
        forces.aligning += forces.gyration * touch.rolling_radius * touch.spin * rate;
        forces.resistance += touch.load * (self.data.carcass.rolling_resistance * self.data.carcass.radius);
        forces
    }

    /// Moment against rolling, about the axle.
    fn against_rolling<T: Real>(&self, touch: &Touch<T>, forces: &Forces<T>) -> T {
        -forces.resistance * direction(touch.spin * self.data.carcass.radius, Self::ROUNDING)
    }

    /// All moments about the axle besides the lever of F_x.
    fn moment_about_axle<T: Real>(&self, touch: &Touch<T>, forces: &Forces<T>) -> T {
        let against = self.against_rolling(touch, forces);
        match &self.data.law {
            TyreLaw::MagicFormula(law) if law.has_rolling_moment_by_force() => against,
            _ => forces.longitudinal * (touch.radius - touch.rolling_radius) + against,
        }
    }

    /// Load and forces in the axes of the contact: F_x, F_y, F_z, M_x, M_y, M_z. M_y is the moment against
    /// rolling.
    pub fn contact_forces<T: Real>(&self, scene: &Scene<T>) -> [T; 6] {
        let touch = self.touch(scene);
        let forces = self.forces(&touch, scene.own);
        let against = self.against_rolling(&touch, &forces);
        [
            forces.longitudinal,
            forces.lateral,
            touch.load,
            forces.overturning,
            against,
            forces.aligning,
        ]
    }
}

/// Constructors.
impl Force {
    /// A tyre by the Magic Formula with a tyre property file.
    ///
    /// ```
    /// use holonom_multibody::description::{Document, Force, Mount};
    /// use holonom_multibody::tyre::{MagicFormula, tir::TirFile};
    /// let data = TirFile::from_magic_formula(&MagicFormula { fnomin: 4000.0, ..MagicFormula::default() });
    /// let tyre = Force::tyre("tyre", Mount::new("wheel").on("road"), Document::new("car.tir", data.to_string()));
    /// assert_eq!(tyre.kind.info().name, "tyre");
    /// ```
    pub fn tyre(name: impl Into<String>, mount: Mount, data: Document) -> Self {
        Self::new(name, ForceKind::Tyre(Tyre { mount, data }))
    }
}

impl ForceLaw for Tyre {
    fn evaluate<T: Real>(&self, scene: &Scene<T>, loads: &mut Loads<T>) {
        let touch = self.touch(scene);
        let forces = self.forces(&touch, scene.own);
        let about_axle = self.moment_about_axle(&touch, &forces);
        let force = touch.normal.scale(touch.load)
            + touch.forward.scale(forces.longitudinal)
            + touch.sideways.scale(forces.lateral);
        let moment = touch.forward.scale(forces.overturning)
            + touch.normal.scale(forces.aligning)
            + touch.axle.scale(about_axle);
        let turned = |v: Vec3<T>| touch.road_axes.times(v);
        let (force, moment, arm) = (turned(force), turned(moment), turned(touch.arm));
        let (wheel, road) = (scene.frame(&self.mount.wheel), scene.frame(&self.mount.road.frame));
        loads.add(self.mount.wheel.node, wheel.arm + arm, force, moment);
        let reach = wheel.origin + arm - road.origin + road.arm;
        loads.add(self.mount.road.frame.node, reach, -force, -moment);
    }

    /// Energy of the deflection δ: exact on a plane, and as exact as the contact point is on other
    /// surfaces. Tangential forces take what is theirs.
    fn energy<T: Real>(&self, scene: &Scene<T>) -> Option<T> {
        let deflection = self.touch(scene).deflection;
        let c = &self.data.carcass;
        Some(deflection.square() * (deflection * (c.stiffening / 3.0) + 0.5 * c.stiffness))
    }

    fn wheel(&self) -> Option<(&Attachment, f64)> {
        Some((&self.mount.wheel, self.data.carcass.radius))
    }

    fn place_size(&self) -> usize {
        if self.mount.road.surface.is_flat() { 0 } else { 2 }
    }

    /// The place of the wheel's centre on the road.
    fn place(&self, scene: &Scene<f64>, out: &mut [f64]) {
        let (wheel, road) = (scene.frame(&self.mount.wheel), scene.frame(&self.mount.road.frame));
        let Vec3([x, y, _]) = road.axes.transpose_times(wheel.origin - road.origin);
        out.copy_from_slice(&[x, y]);
    }

    /// The shortest obstacle that a wheel is expected to notice at any speed: shorter ones no wheel follows by a point.
    fn feature_width(&self) -> f64 {
        Self::OBSTACLE * self.data.carcass.radius
    }

    /// The height of the road.
    fn profile(&self, place: &[f64]) -> f64 {
        let [sx, sy] = self.mount.road.signs;
        self.mount.road.surface.at(place[0] * sx, place[1] * sy).height
    }

    fn reach(&self) -> Reach<'_> {
        Reach::Pair(&self.mount.road.frame, &self.mount.wheel)
    }

    fn outputs(&self) -> Vec<ShownValue> {
        let show = |name, unit, doc| ShownValue { name, unit, doc };
        vec![
            show("load", "N", "force along the normal of the road"),
            show("deflection", "m", "deflection of the tyre"),
            show(
                "longitudinal",
                "N",
                "force along the wheel, in the plane of the road",
            ),
            show("lateral", "N", "force across the wheel, in the plane of the road"),
            show("aligning", "N m", "torque about the normal of the road"),
            show(
                "longitudinal_slip",
                "1",
                "slip κ along the wheel, positive when driving",
            ),
            show(
                "lateral_slip",
                "1",
                "tan α, positive when the tread slides to the left",
            ),
            show(
                "camber",
                "rad",
                "lean of the wheel to the right, from the normal of the road",
            ),
            show("overturning", "N m", "torque M_x along the wheel, in the plane of the road"),
            show("rolling", "N m", "torque M_y about the axle, besides that of the forces at the contact point"),
            show("relaxation_x", "m", "relaxation length along the wheel"),
            show("relaxation_y", "m", "relaxation length across the wheel"),
            show("rolling_radius", "m", "effective rolling radius"),
            show(
                "loaded_radius",
                "m",
                "distance from the centre to the contact point, within the wheel plane",
            ),
        ]
    }

    fn shown<T: Real>(&self, scene: &Scene<T>, out: &mut [T]) {
        let touch = self.touch(scene);
        let forces = self.forces(&touch, scene.own);
        let [kappa, lateral] = Self::slips(&touch, scene.own);
        let values = [
            touch.load,
            touch.deflection,
            forces.longitudinal,
            forces.lateral,
            forces.aligning,
            kappa,
            lateral,
            touch.camber,
            forces.overturning,
            self.moment_about_axle(&touch, &forces),
            touch.relaxation[0],
            touch.relaxation[1],
            touch.rolling_radius,
            touch.radius,
        ];
        for (out, value) in out.iter_mut().zip(values) {
            *out = value;
        }
    }

    fn states(&self) -> Vec<OwnState> {
        vec![
            OwnState::new("u", "m", "Deflection of the tread along the wheel.", 0.0),
            OwnState::new("w", "m", "Deflection of the tread across the wheel.", 0.0),
        ]
    }

    fn rates<T: Real>(&self, scene: &Scene<T>, out: &mut [T]) {
        let rates = Self::deflection_rates(&self.touch(scene), scene.own);
        for (out, rate) in out.iter_mut().zip(rates) {
            *out = rate;
        }
    }
}
