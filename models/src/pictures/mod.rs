//! Characteristics for documentation: what a sample of each kind does when it is moved.
//!
//! A body floats over the ground by displacements and Cardan angles, a sample of the element acts
//! between them, and the force on a coordinate is noted while another quantity runs over a range.
//! So a picture shows what the element itself computes.

mod bench;
mod contacts;
mod geometry;
mod guidance;
mod rails;
mod tyres;

use bench::Bench;
pub use geometry::{Picture, geometry};
use holonom::expression::curve::{Curve, Extrapolation, Interpolation};
use holonom::expression::{Expression, ScalarLaw, Scope};
use holonom::multibody::Signal;
use holonom::multibody::description::{Body, CoordinateRef, Description, Force, ForceKind, Joint, frame};
use holonom::multibody::elements::forces::{
    self, Actuator, AntiRollLaw, Applied, BushingLaw, CableLaw, ExpressionLaw, GasLaw, JointFriction,
    JointSpring, ServoLaw, SpringDamper, StopLaw, TorsionSpring,
};

/// Curves over a common axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Characteristic {
    /// What the sample is.
    pub title: &'static str,
    /// Name and unit of what is varied.
    pub x: [&'static str; 2],
    /// Name and unit of what is noted.
    pub y: [&'static str; 2],
    /// The curves.
    pub curves: Vec<CharacteristicCurve>,
}

/// One curve.
#[derive(Clone, Debug, PartialEq)]
pub struct CharacteristicCurve {
    /// What distinguishes it from the others.
    pub label: String,
    /// Values of what is varied.
    pub x: Vec<f64>,
    /// Values of what is noted.
    pub y: Vec<f64>,
}

/// Characteristics of samples of a kind of force element; none for kinds whose law is the user's own.
///
/// ```
/// let [over_position] = holonom_models::pictures::characteristics("joint-stop").try_into().unwrap();
/// assert_eq!((over_position.x, over_position.y), (["position", "m"], ["force", "N"]));
/// ```
pub fn characteristics(kind: &str) -> Vec<Characteristic> {
    let plots = plots(kind);
    plots.into_iter().filter_map(Plot::run).collect()
}

/// Points of a curve.
const POINTS: usize = 241;

/// What runs over the range.
#[derive(Clone, Copy)]
enum Varied {
    Time,
    Position(usize),
    Velocity(usize),
    /// A coordinate that passes the range at its rate; own states go along.
    Travel(usize),
    /// Slip of a wheel along its x axis, in steady motion.
    Slip,
    /// Slip across it.
    SideSlip,
}

/// A state of the floating body: x, y, z and Cardan angles, and their rates.
#[derive(Clone, Copy, Default)]
struct State {
    q: [f64; 6],
    v: [f64; 6],
}

impl State {
    fn at(mut self, k: usize, x: f64) -> Self {
        self.q[k] = x;
        self
    }
    fn moving(mut self, k: usize, rate: f64) -> Self {
        self.v[k] = rate;
        self
    }
}

struct Plot {
    title: &'static str,
    x: [&'static str; 2],
    y: [&'static str; 2],
    range: [f64; 2],
    varied: Varied,
    /// Coordinate whose force is noted, and its sign.
    noted: (usize, f64),
    curves: Vec<(String, ForceKind, State)>,
}

impl Plot {
    /// None if the sample does not compile, which the tests exclude.
    fn run(self) -> Option<Characteristic> {
        let mut curves = Vec::with_capacity(self.curves.len());
        for (label, kind, state) in &self.curves {
            let scene = Description::new("characteristic")
                .gravity([0.0; 3])
                .body(
                    Body::new("body", 1.0)
                        .inertia([1.0, 1.0, 1.0, 0.0, 0.0, 0.0])
                        .marker("left", frame::at([0.0, 0.7, 0.0]))
                        .marker("right", frame::at([0.0, -0.7, 0.0])),
                )
                .joint(Joint::new(
                    "joint",
                    holonom::multibody::description::JointKind::FreeCardan,
                    "ground",
                    "body",
                ))
                .force(Force::new("sample", kind.clone()));
            let scene = match kind {
                ForceKind::Creep(_) => scene.constraint(rails::wheel_on_rail()),
                _ => scene,
            };
            let model = scene.compile().ok()?;
            let [low, high] = self.range;
            let step = (high - low) / (POINTS - 1) as f64;
            let x: Vec<f64> = (0..POINTS).map(|k| low + step * k as f64).collect();
            let mut bench = Bench::new(&model);
            let y = x
                .iter()
                .map(|x| self.value(&mut bench, *state, *x, step))
                .collect();
            curves.push(CharacteristicCurve {
                label: label.clone(),
                x,
                y,
            });
        }
        Some(Characteristic {
            title: self.title,
            x: self.x,
            y: self.y,
            curves,
        })
    }

    fn value(&self, bench: &mut Bench, mut state: State, x: f64, step: f64) -> f64 {
        let mut t = 0.0;
        match self.varied {
            Varied::Time => t = x,
            Varied::Position(k) => state.q[k] = x,
            Varied::Velocity(k) => state.v[k] = x,
            Varied::Travel(k) => {
                // The first point has the states of the start.
                if x > self.range[0] {
                    bench.travel(state, k, [x - step, x]);
                }
                state.q[k] = x;
            }
            Varied::Slip => bench.slip(&mut state, [x, 0.0]),
            Varied::SideSlip => bench.slip(&mut state, [0.0, x]),
        }
        let (coordinate, sign) = self.noted;
        let force = bench.forces(t, &state).get(coordinate).copied();
        force.map_or(f64::NAN, |force| sign * force)
    }
}

fn ends() -> (String, String) {
    ("ground".to_string(), "body".to_string())
}

fn coordinate(k: usize) -> CoordinateRef {
    CoordinateRef::from(("joint", k))
}

fn law(text: &str, variable: &str) -> Expression {
    let scope = Scope::new().variable(variable);
    Expression::parse(text, &scope, None).unwrap_or_else(|_| Expression::zero())
}

fn table(interpolation: Interpolation) -> Expression {
    let x = vec![-0.08, -0.05, -0.02, 0.0, 0.03, 0.06];
    let y = vec![-9000.0, -2500.0, -700.0, 0.0, 900.0, 1300.0];
    match Curve::new("rubber", x, y, interpolation, Extrapolation::Linear) {
        Ok(curve) => ScalarLaw::from(curve).over("x"),
        Err(_) => Expression::zero(),
    }
}

const SPRING: [&str; 2] = ["tension", "N"];
const FORCE: [&str; 2] = ["force", "N"];
const TORQUE: [&str; 2] = ["torque", "N m"];

/// Curves at several rates of a coordinate.
fn rates(
    kind: &ForceKind,
    k: usize,
    start: State,
    rates: &[f64],
    unit: &str,
) -> Vec<(String, ForceKind, State)> {
    let curve = |rate: &f64| {
        (
            format!("rate {rate} {unit}"),
            kind.clone(),
            start.moving(k, *rate),
        )
    };
    rates.iter().map(curve).collect()
}

fn plots(name: &str) -> Vec<Plot> {
    let still = State::default();
    let (from, to) = ends();
    match name {
        "applied" => {
            let zero = || Signal::constant(0.0);
            let wave = Signal::harmonic(100.0, 6.0, 0.0);
            let kind = |follower| {
                ForceKind::Applied(Applied {
                    frame: "body".to_string(),
                    force: [wave.clone(), zero(), zero()],
                    torque: [zero(), zero(), zero()],
                    follower,
                })
            };
            let turned = still.at(5, 1.0);
            vec![Plot {
                title: "100 N sin(6 t) along x on a body turned by 1 rad",
                x: ["time", "s"],
                y: ["force along x", "N"],
                range: [0.0, 2.0],
                varied: Varied::Time,
                noted: (0, 1.0),
                curves: vec![
                    ("in the axes of the ground".into(), kind(false), turned),
                    ("follower".into(), kind(true), turned),
                ],
            }]
        }
        "spring-damper" => {
            let kind = ForceKind::SpringDamper(SpringDamper {
                from,
                to,
                stiffness: 20e3,
                damping: 1500.0,
                free_length: 0.3,
                preload: 0.0,
            });
            vec![Plot {
                title: "stiffness 20 kN/m, damping 1500 N s/m, free length 0.3 m",
                x: ["length", "m"],
                y: SPRING,
                range: [0.2, 0.4],
                varied: Varied::Position(0),
                noted: (0, -1.0),
                curves: rates(&kind, 0, still, &[0.5, 0.0, -0.5], "m/s"),
            }]
        }
        "torsion-spring" => {
            let kind = ForceKind::TorsionSpring(TorsionSpring {
                from,
                to,
                stiffness: 100.0,
                damping: 10.0,
                free_angle: 0.3,
            });
            vec![Plot {
                title: "stiffness 100 N m/rad, damping 10 N m s/rad, free angle 0.3 rad",
                x: ["angle", "rad"],
                y: TORQUE,
                range: [-3.1, 3.1],
                varied: Varied::Position(5),
                noted: (5, 1.0),
                curves: rates(&kind, 5, still, &[-3.0, 0.0, 3.0], "rad/s"),
            }]
        }
        "joint-spring" => {
            let kind = ForceKind::JointSpring(JointSpring {
                coordinate: coordinate(0),
                stiffness: 1000.0,
                damping: 50.0,
                free_position: 0.1,
                motor: Signal::constant(0.0),
            });
            vec![Plot {
                title: "stiffness 1 kN/m, damping 50 N s/m, free position 0.1 m",
                x: ["position", "m"],
                y: FORCE,
                range: [-0.3, 0.3],
                varied: Varied::Position(0),
                noted: (0, 1.0),
                curves: rates(&kind, 0, still, &[-1.0, 0.0, 1.0], "m/s"),
            }]
        }
        "expression" => {
            let scope = ExpressionLaw::scope();
            let own =
                |text: &str| Expression::parse(text, &scope, None).unwrap_or_else(|_| Expression::zero());
            let kind = ForceKind::Expression(forces::Expression {
                from,
                to,
                force: ["-1000*x - 5e4*x^3 - 20*vx", "0", "0"].map(own),
                torque: ["0", "0", "0"].map(own),
            });
            vec![Plot {
                title: "force = [\"-1000*x - 5e4*x^3 - 20*vx\", 0, 0]",
                x: ["x", "m"],
                y: FORCE,
                range: [-0.2, 0.2],
                varied: Varied::Position(0),
                noted: (0, 1.0),
                curves: rates(&kind, 0, still, &[-3.0, 0.0, 3.0], "m/s"),
            }]
        }
        "nonlinear-spring" => nonlinear_spring(),
        "nonlinear-joint-spring" => {
            let kind = Force::nonlinear_joint_spring("", coordinate(5), law("40*sin(x) + 5*x^3", "x"), 0.0)
                .damper(law("2*v + 0.5*v*abs(v)", "v"))
                .kind
                .into();
            vec![Plot {
                title: "spring = \"40*sin(x) + 5*x^3\", damper = \"2*v + 0.5*v*abs(v)\"",
                x: ["angle", "rad"],
                y: TORQUE,
                range: [-2.0, 2.0],
                varied: Varied::Position(5),
                noted: (5, 1.0),
                curves: rates(&kind, 5, still, &[-4.0, 0.0, 4.0], "rad/s"),
            }]
        }
        "bushing" => bushing(),
        "anti-roll-bar" => {
            let bar = AntiRollLaw {
                stiffness: 900.0,
                damping: 20.0,
                lever: 0.3,
                free_twist: 0.0,
            };
            let kind = Force::anti_roll_bar("", "ground", "body.left", "body.right", bar).kind;
            vec![Plot {
                title: "900 N m/rad, levers 0.3 m, 1.4 m between the links: roll of the axle",
                x: ["roll angle", "rad"],
                y: ["roll torque on the axle", "N m"],
                range: [-0.15, 0.15],
                varied: Varied::Position(3),
                noted: (3, 1.0),
                curves: rates(&kind, 3, still, &[-1.0, 0.0, 1.0], "rad/s"),
            }]
        }
        "joint-anti-roll-bar" => {
            let kind = Force::joint_anti_roll_bar("", coordinate(0), coordinate(1), 10e3, 0.0).kind;
            let curve = |right: f64| (format!("right at {right} m"), kind.clone(), still.at(1, right));
            vec![Plot {
                title: "stiffness 10 kN/m between two displacements",
                x: ["left displacement", "m"],
                y: ["force on the left", "N"],
                range: [-0.1, 0.1],
                varied: Varied::Position(0),
                noted: (0, 1.0),
                curves: [0.05, 0.0, -0.05].map(curve).to_vec(),
            }]
        }
        "air-spring" => air_spring(),
        "bump-stop" => {
            let stop = StopLaw {
                stiffness: 200e3,
                damping: 3000.0,
                onset: 0.02,
            };
            let kind = Force::bump_stop("", from, to, 0.25, stop).kind.into();
            vec![Plot {
                title: "begins at 0.25 m; 200 kN/m and 3 kN s/m behind an onset of 20 mm",
                x: ["length", "m"],
                y: ["force", "N"],
                range: [0.19, 0.27],
                varied: Varied::Position(0),
                noted: (0, 1.0),
                curves: rates(&kind, 0, still, &[-0.5, 0.0, 0.5, 2.0], "m/s"),
            }]
        }
        "cable" => {
            let law = CableLaw {
                axial_stiffness: 100e3,
                damping_time: 0.01,
                onset: 0.002,
            };
            let kind = Force::cable("", from, [] as [&str; 0], to, 2.0, law).kind.into();
            vec![Plot {
                title: "2 m long, EA = 100 kN, damping time 10 ms, onset 0.2 %",
                x: ["length", "m"],
                y: ["force", "N"],
                range: [1.99, 2.02],
                varied: Varied::Position(0),
                noted: (0, 1.0),
                curves: rates(&kind, 0, still, &[-0.5, 0.0, 0.5, 1.0], "m/s"),
            }]
        }
        "joint-stop" => {
            let stop = StopLaw {
                stiffness: 50e3,
                damping: 500.0,
                onset: 0.01,
            };
            let kind = Force::joint_stop("", coordinate(0), [-0.1, 0.15], stop).kind;
            vec![Plot {
                title: "stops at -0.1 m and 0.15 m; 50 kN/m and 500 N s/m behind an onset of 10 mm",
                x: ["position", "m"],
                y: FORCE,
                range: [-0.15, 0.2],
                varied: Varied::Position(0),
                noted: (0, 1.0),
                curves: rates(&kind, 0, still, &[-1.0, 0.0, 1.0], "m/s"),
            }]
        }
        "plane-contact" | "sphere-contact" | "cylinder-contact" => contacts::plots(name),
        "maxwell" => {
            let kind = Force::maxwell("", from, to, 20e3, 2000.0, 0.3).kind;
            vec![Plot {
                title: "stiffness 20 kN/m, damping 2000 N s/m, stretched from rest at a constant rate",
                x: ["length", "m"],
                y: SPRING,
                range: [0.3, 0.4],
                varied: Varied::Travel(0),
                noted: (0, -1.0),
                curves: rates(&kind, 0, still, &[0.1, 0.3, 1.0, 10.0], "m/s"),
            }]
        }
        "joint-friction" => friction(),
        "tyre" | "linear-tyre" | "calspan-tyre" | "tmeasy-tyre" => tyres::plots(name),
        "actuator" => {
            let kind = ForceKind::Actuator(Actuator {
                from,
                to,
                force: Signal::harmonic(100.0, 6.0, 0.0),
                torque: Signal::constant(0.0),
            });
            vec![Plot {
                title: "force = \"100*sin(6*t)\"",
                x: ["time", "s"],
                y: ["force that pushes apart", "N"],
                range: [0.0, 2.0],
                varied: Varied::Time,
                noted: (0, 1.0),
                curves: vec![("force".into(), kind, still.at(0, 0.5))],
            }]
        }
        "servo" => {
            let curve = |limit: f64| {
                let servo = ServoLaw {
                    stiffness: 400.0,
                    damping: 20.0,
                    limit,
                };
                let label = match limit.is_finite() {
                    true => format!("limit {limit} N m"),
                    false => "no limit".to_string(),
                };
                (
                    label,
                    Force::servo("", coordinate(5), Signal::constant(0.2), servo).kind,
                    still,
                )
            };
            vec![Plot {
                title: "set point 0.2 rad, 400 N m/rad, at rest",
                x: ["angle", "rad"],
                y: TORQUE,
                range: [-0.3, 0.7],
                varied: Varied::Position(5),
                noted: (5, 1.0),
                curves: [60.0, 120.0, f64::INFINITY].map(curve).to_vec(),
            }]
        }
        "creep" => rails::plots(),
        _ => Vec::new(),
    }
}

fn friction() -> Vec<Plot> {
    let curve = |stribeck: f64| {
        let kind = ForceKind::JointFriction(JointFriction {
            coordinate: coordinate(0),
            friction: 0.0,
            stribeck_friction: 0.0,
            coefficient: 0.2,
            stribeck,
            stribeck_velocity: 0.05,
            transition_velocity: 0.01,
            viscous: 50.0,
            normal_force: 1000.0,
            from_reaction: false,
            radius: 1.0,
        });
        (format!("stribeck {stribeck}"), kind, State::default())
    };
    vec![Plot {
        title: "coefficient 0.2 under 1 kN, viscous 50 N s/m, stribeck_velocity 0.05 m/s, transition_velocity 0.01 m/s",
        x: ["velocity", "m/s"],
        y: FORCE,
        range: [-0.25, 0.25],
        varied: Varied::Velocity(0),
        noted: (0, 1.0),
        curves: [0.0, 0.1, 0.2].map(curve).to_vec(),
    }]
}

fn nonlinear_spring() -> Vec<Plot> {
    let still = State::default();
    let spring = |interpolation: Interpolation| {
        let kind = Force::nonlinear_spring("", "ground", "body", table(interpolation), 0.3)
            .kind
            .into();
        (interpolation.name().to_string(), kind, still)
    };
    let damper = Force::nonlinear_spring("", "ground", "body", 0.0, 0.3)
        .damper(law("if(v > 0, 2500*v/(1 + v), 1200*v)", "v"))
        .kind
        .into();
    vec![
        Plot {
            title: "spring = \"rubber(x)\", a table with linear extrapolation",
            x: ["length", "m"],
            y: SPRING,
            range: [0.21, 0.38],
            varied: Varied::Position(0),
            noted: (0, -1.0),
            curves: Interpolation::ALL.map(spring).to_vec(),
        },
        Plot {
            title: "damper = \"if(v > 0, 2500*v/(1 + v), 1200*v)\"",
            x: ["rate", "m/s"],
            y: SPRING,
            range: [-1.5, 1.5],
            varied: Varied::Velocity(0),
            noted: (0, -1.0),
            curves: vec![("damper".into(), damper, still.at(0, 0.3))],
        },
    ]
}

fn bushing() -> Vec<Plot> {
    let still = State::default();
    let (k, c) = (
        [8e5, 8e5, 1e5, 90.0, 90.0, 30.0],
        [4e3, 4e3, 500.0, 1.0, 1.0, 1.0],
    );
    let mut hard = BushingLaw::diagonal(k, c);
    hard.force[0] = law("1e11*s^3", "s");
    let [linear, hard] =
        [BushingLaw::diagonal(k, c), hard].map(|law| Force::bushing("", "ground", "body", law).kind);
    vec![
        Plot {
            title: "800 kN/m along x, and with force = [\"1e11*s^3\", 0, 0] besides",
            x: ["displacement", "m"],
            y: FORCE,
            range: [-0.005, 0.005],
            varied: Varied::Position(0),
            noted: (0, 1.0),
            curves: vec![
                ("linear".into(), linear.clone(), still),
                ("with cubic".into(), hard, still),
            ],
        },
        Plot {
            title: "30 N m/rad about z",
            x: ["rotation", "rad"],
            y: TORQUE,
            range: [-3.1, 3.1],
            varied: Varied::Position(5),
            noted: (5, 1.0),
            curves: rates(&linear, 5, still, &[-10.0, 0.0, 10.0], "rad/s"),
        },
    ]
}

fn air_spring() -> Vec<Plot> {
    let still = State::default();
    let curve = |exponent: f64, area: &str| {
        let gas = GasLaw {
            height: 0.25,
            volume: 0.012,
            area: law(area, "x"),
            load: 15e3,
            exponent,
            ..GasLaw::default()
        };
        let label = format!("n = {exponent}, area = \"{area}\"");
        (label, Force::air_spring("", "ground", "body", gas).kind, still)
    };
    vec![Plot {
        title: "15 kN at a height of 0.25 m, volume 12 l",
        x: ["height", "m"],
        y: ["force", "N"],
        range: [0.12, 0.4],
        varied: Varied::Position(0),
        noted: (0, 1.0),
        curves: vec![
            curve(1.0, "0.03"),
            curve(1.38, "0.03"),
            curve(1.38, "0.03 - 0.05*x"),
        ],
    }]
}
