//! A driver who steers along a path.

use super::follow::limited;
use super::path_sensor::arc;
use super::{ControlElement, ControlKind, ControlLaw, DescribedControl};
use crate::fields::{Field, Fields};
use crate::description::{Axis, Control, Mirror, Pursuit};
use crate::elements::faults::Faults;
use crate::elements::forces::OwnState;
use crate::elements::references::{Attached, Named, References, ResolveControl};
use crate::elements::scene::Scene;
use crate::tree::Attachment;
use crate::tyre::smooth::at_least;
use holonom_algebra::Real;

/// Numbers of a driver who steers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SteeringLaw {
    /// Wheelbase l, m.
    pub wheelbase: f64,
    /// Understeer K, rad s²/m.
    pub understeer: f64,
    /// T, s.
    pub preview_time: f64,
    /// L₀ > 0, m.
    pub preview_distance: f64,
    /// Tₐ ≥ 0, s.
    pub anticipation: f64,
    /// Number of points n, from 1 to [`MOST_POINTS`](Self::MOST_POINTS).
    pub points: f64,
    /// τ > 0, s.
    pub reaction: f64,
    /// Largest angle, rad.
    pub limit: f64,
    /// Largest rate of the angle, rad/s; infinite unless given.
    pub rate: f64,
    /// What the angle is multiplied by.
    pub factor: f64,
}

impl SteeringLaw {
    /// Most points ahead.
    pub const MOST_POINTS: f64 = 100.0;

    fn faults(&self, faults: &mut Faults) {
        faults.above_zero("wheelbase", self.wheelbase);
        faults.bounded("understeer", self.understeer, self.understeer.is_finite(), "finite");
        faults.zero_or_above("preview_time", self.preview_time);
        faults.above_zero("preview_distance", self.preview_distance);
        faults.zero_or_above("anticipation", self.anticipation);
        let most = Self::MOST_POINTS;
        let good = (1.0..=most).contains(&self.points) && self.points.fract() == 0.0;
        let bounds = format!("a whole number from 1 to {most}");
        faults.bounded("points", self.points, good, &bounds);
        faults.above_zero("reaction", self.reaction);
        faults.above_zero("limit", self.limit);
        if self.rate != f64::INFINITY {
            faults.above_zero("rate", self.rate);
        }
        faults.bounded("factor", self.factor, self.factor.is_finite(), "finite");
    }
}

impl Default for SteeringLaw {
    fn default() -> Self {
        Self {
            wheelbase: 0.0,
            understeer: 0.0,
            preview_time: 0.6,
            preview_distance: 2.0,
            anticipation: 0.2,
            points: 1.0,
            reaction: 0.1,
            limit: 0.6,
            rate: f64::INFINITY,
            factor: 1.0,
        }
    }
}

/// What the driver decides is answered by the vehicle a little later, after the time Tₐ for the lag of driver,
/// steering and vehicle. The driver thinks of the vehicle there: further along a circle by the way v Tₐ, its course
/// turned by ω Tₐ with the yaw rate ω of now. From there n points of the path are seen, at the arcs
/// s + v Tₐ + k L/n, k = 1 … n, L = L₀ + T v, each at the distance dₖ, off the course by eₖ to the left.
/// Driving on with the curvature κ the vehicle would be off its course by κ dₖ²/2 there; the curvature
///
/// κ* = 2 Σ eₖ dₖ² / Σ dₖ⁴
///
/// makes Σ (eₖ − κ dₖ²/2)² least. That is the optimal preview of C. C. MacAdam (ASME J. Dyn. Syst. Meas.
/// Control 102 (1980) 188–190; IEEE Trans. Syst. Man Cybern. 11 (1981) 393–399) with a vehicle that answers
/// an angle of its wheels by the curvature of steady turns, κ = δ/(l + K v²). With one point it is pure
/// pursuit, κ* = 2 e/d² (R. C. Coulter, CMU-RI-TR-92-01, 1992): on a circle both are exact, whatever the
/// preview. The angle follows what is wanted with a lag,
///
/// δ̇ = sat((sat(δ*) − δ)/τ),  δ* = (l + K v²) κ*,
///
/// sat being the identity but for smooth corners at the limits. The course is that of the velocity, at
/// standstill the direction of the frame's x axis.
#[derive(Clone, Debug)]
pub struct DriverSteering<R: References = Attached> {
    /// The vehicle and the path.
    pub pursuit: Pursuit<R>,
    /// Numbers.
    pub law: SteeringLaw,
}

impl Default for DriverSteering<Named> {
    fn default() -> Self {
        let (pursuit, law) = (Pursuit::default(), SteeringLaw::default());
        Self { pursuit, law }
    }
}

impl PartialEq for DriverSteering<Named> {
    fn eq(&self, other: &Self) -> bool {
        self.pursuit == other.pursuit && self.law == other.law
    }
}

impl DescribedControl for DriverSteering<Named> {
    const NAME: &str = "driver-steering";
    const DOC: &str = "Driver model that steers along a path using preview points: the output is an angle of the wheels, positive to the left.";

    fn fields(&mut self, visitor: &mut dyn Fields) {
        let Self { pursuit, law } = self;
        pursuit.fields(visitor);
        let doc = "Wheelbase l assumed by the driver.";
        visitor.number(&Field::required("wheelbase", "m", doc), &mut law.wheelbase);
        let doc = "Understeer gradient K assumed by the driver: wheel angle in addition to that at low speed, per lateral acceleration.";
        visitor.number(
            &Field::optional("understeer", "rad s²/m", doc),
            &mut law.understeer,
        );
        let doc = "Preview time of the driver.";
        visitor.number(&Field::optional("preview_time", "s", doc), &mut law.preview_time);
        let doc = "Preview distance at standstill; must be positive.";
        visitor.number(
            &Field::optional("preview_distance", "m", doc),
            &mut law.preview_distance,
        );
        let doc = "Response time of the vehicle that the driver compensates for.";
        visitor.number(&Field::optional("anticipation", "s", doc), &mut law.anticipation);
        let doc = "Number of preview points, evenly spaced.";
        visitor.number(&Field::optional("points", "", doc), &mut law.points);
        let doc = "Time constant of the driver's reaction.";
        visitor.number(&Field::optional("reaction", "s", doc), &mut law.reaction);
        let doc = "Maximum angle of the wheels.";
        visitor.number(&Field::optional("limit", "rad", doc), &mut law.limit);
        let doc = "Maximum rate of the angle.";
        visitor.number(&Field::optional("rate", "rad/s", doc), &mut law.rate);
        let doc = "Factor applied to the angle, such as the ratio of the steering gear.";
        visitor.number(&Field::optional("factor", "1", doc), &mut law.factor);
    }

    fn faults(&self, faults: &mut Faults) {
        self.pursuit.faults(faults);
        self.law.faults(faults);
    }

    fn attach(&self, to: &mut dyn ResolveControl) -> Option<ControlElement> {
        let driver: DriverSteering = DriverSteering {
            pursuit: self.pursuit.attach(to)?,
            law: self.law,
        };
        Some(driver.into())
    }

    fn mirror(&mut self, mirror: &mut Mirror) {
        self.pursuit.reversed ^= mirror.axis() == Axis::X;
        self.law.factor = -self.law.factor;
    }
}


/// Speed below which the course turns into the direction of the vehicle, m/s.
const SLOW: f64 = 0.1;

impl DriverSteering {
    /// δ*, limited, positive to the left.
    fn wanted<T: Real>(&self, scene: &Scene<T>, s: T) -> (T, T) {
        let law = &self.law;
        let seen = self.pursuit.seen(scene);
        let [[vx, vy], [fx, fy]] = [seen.velocity, seen.front];
        let course = [vx + fx * SLOW, vy + fy * SLOW];
        let size = (course[0].square() + course[1].square() + 1e-6 * SLOW * SLOW).sqrt();
        let course = course.map(|x| x / size);
        let speed_square = vx.square() + vy.square();
        let speed = (speed_square + SLOW * SLOW).sqrt();
        // Where the vehicle is when it answers: along the chord of a circle.
        let turned = |[x, y]: [T; 2], angle: T| {
            let (sin, cos) = angle.sin_cos();
            [x * cos - y * sin, x * sin + y * cos]
        };
        let half = seen.turn * (0.5 * law.anticipation);
        let way = speed * law.anticipation;
        let [mx, my] = turned(course, half);
        let [cx, cy] = turned([mx, my], half);
        let [px, py] = [seen.place[0] + mx * way, seen.place[1] + my * way];
        let ahead = speed * law.preview_time + law.preview_distance;
        let (mut sum, mut weight) = (T::zero(), T::zero());
        for k in 1..=law.points as usize {
            let far = ahead * (k as f64 / law.points);
            let [x, y] = self.pursuit.path.curve.at(s + way + far).place;
            let [x, y] = [x - px, y - py];
            // A vehicle that stands on a point it should drive to sees it at some distance all the same.
            let least = 0.1 * far.value();
            let square = at_least(x.square() + y.square(), least * least);
            sum += (cx * y - cy * x) * square;
            weight += square.square();
        }
        let curvature = sum * 2.0 / weight;
        let angle = curvature * (speed_square * law.understeer + law.wheelbase) * self.pursuit.hand();
        let rate = self.pursuit.rate(&seen, s);
        (limited(angle, [-law.limit, law.limit]), rate)
    }
}

/// Constructors.
impl Control {
    /// A driver who steers along a path.
    ///
    /// ```
    /// use holonom_multibody::description::{Body, Control, Description, Joint, JointKind, Path, Pursuit};
    /// use holonom_multibody::elements::controls::SteeringLaw;
    /// use holonom_multibody::path::Iso3888One;
    ///
    /// let law = SteeringLaw { wheelbase: 2.6, ..SteeringLaw::default() };
    /// let model = Description::new("driven")
    ///     .body(Body::new("car", 1200.0).inertia_diagonal([400.0, 1800.0, 2000.0]))
    ///     .joint(Joint::new("motion", JointKind::Planar, "ground", "car").start_at(0, 0.0, 20.0))
    ///     .path(Path::new("course", Iso3888One::new(1.8)))
    ///     .control(Control::driver_steering("driver", Pursuit::new("course", "car"), law))
    ///     .compile()?;
    /// assert_eq!(model.states.iter().map(|s| s.name.as_str()).collect::<Vec<_>>(), ["driver.arc", "driver.angle"]);
    /// # Ok::<(), holonom_multibody::diagnostic::ModelErrors>(())
    /// ```
    pub fn driver_steering(name: impl Into<String>, pursuit: Pursuit, law: SteeringLaw) -> Self {
        Self::new(name, ControlKind::DriverSteering(DriverSteering { pursuit, law }))
    }
}

impl ControlLaw for DriverSteering {
    fn output<T: Real>(&self, scene: &Scene<T>) -> T {
        scene.own[1] * self.law.factor
    }

    fn direct(&self) -> bool {
        false
    }

    fn states(&self) -> Vec<OwnState> {
        vec![
            arc(self.pursuit.start),
            OwnState::new("angle", "rad", "angle of the wheels", 0.0),
        ]
    }

    fn rates<T: Real>(&self, scene: &Scene<T>, out: &mut [T]) {
        let (wanted, rate) = self.wanted(scene, scene.own[0]);
        let change = (wanted - scene.own[1]) * (1.0 / self.law.reaction);
        out[0] = rate;
        out[1] = match self.law.rate {
            most if most.is_finite() => limited(change, [-most, most]),
            _ => change,
        };
    }

    fn frames(&self) -> Option<[Attachment; 2]> {
        Some([self.pursuit.path.frame, self.pursuit.frame])
    }
}
