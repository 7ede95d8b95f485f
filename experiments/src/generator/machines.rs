//! Machines: what engineers build, with random data. Engines with gas forces, chains and lattices of many bodies, drive
//! trains, vehicles on tyres, arms with controllers, contacts, stops and friction; soft and stiff.

use crate::random::Random;
use std::f64::consts::{PI, TAU};
use std::fmt::Write;

/// Kinds of machines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[expect(missing_docs, reason = "named as in reports")]
pub enum Kind {
    Engine,
    Chain,
    DriveTrain,
    Vehicle,
    Arm,
    Contact,
    Lattice,
    Friction,
}

impl Kind {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::Engine,
        Self::Chain,
        Self::DriveTrain,
        Self::Vehicle,
        Self::Arm,
        Self::Contact,
        Self::Lattice,
        Self::Friction,
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Engine => "engine",
            Self::Chain => "chain",
            Self::DriveTrain => "drive train",
            Self::Vehicle => "vehicle",
            Self::Arm => "arm",
            Self::Contact => "contact",
            Self::Lattice => "lattice",
            Self::Friction => "friction",
        }
    }
}

/// A machine.
#[derive(Clone, Debug)]
pub struct Machine {
    /// What it is.
    pub kind: Kind,
    /// The model file.
    pub text: String,
}

/// The machine of a seed: kinds come one after the other.
pub fn machine(seed: u64) -> Machine {
    let kind = Kind::ALL[(seed % Kind::ALL.len() as u64) as usize];
    let mut text = Text {
        random: Random::of(seed, 9001),
        out: format!("[model]\nformat = 1\nname = \"machine-{seed}\"\n\n"),
    };
    let t_end = match kind {
        Kind::Engine => text.engine(),
        Kind::Chain => text.chain(),
        Kind::DriveTrain => text.drive_train(),
        Kind::Vehicle => text.vehicle(),
        Kind::Arm => text.arm(),
        Kind::Contact => text.contact(),
        Kind::Lattice => text.lattice(),
        Kind::Friction => text.friction(),
    };
    let rows = text
        .random
        .weighted(&[(1000.0, 0.5), (200.0, 0.25), (3000.0, 0.15), (10.0, 0.1)]);
    text.put(&format!(
        "[simulation]\nt_end = {t_end:?}\noutput_step = {:?}",
        t_end / rows
    ));
    Machine { kind, text: text.out }
}

/// A model file under construction.
struct Text {
    random: Random,
    out: String,
}

impl Text {
    /// Adds a table.
    fn put(&mut self, text: &str) {
        // Writing to a string cannot fail.
        let _ = writeln!(self.out, "{text}\n");
    }

    fn body(&mut self, name: &str, mass: f64, inertia: [f64; 3], markers: &str) {
        let markers = if markers.is_empty() {
            String::new()
        } else {
            format!("\nmarkers = {{ {markers} }}")
        };
        self.put(&format!(
            "[[body]]\nname = \"{name}\"\nmass = {mass:?}\ninertia = {inertia:?}{markers}"
        ));
    }

    fn joint(&mut self, name: &str, kind: &str, [from, to]: [&str; 2], rest: &str) {
        self.put(&format!(
            "[[joint]]\nname = \"{name}\"\nkind = \"{kind}\"\nfrom = \"{from}\"\nto = \"{to}\"\n{rest}"
        ));
    }

    fn force(&mut self, name: &str, kind: &str, rest: &str) {
        self.put(&format!(
            "[[force]]\nname = \"{name}\"\nkind = \"{kind}\"\n{rest}"
        ));
    }

    /// A crank, rods and pistons with gas forces over the crank angle; sometimes a flywheel on an elastic shaft.
    fn engine(&mut self) -> f64 {
        let r = &mut self.random;
        let cylinders = 1 + r.below(6);
        let speed = TAU * r.decades(1.0, 2.0);
        let turns = r.within(2.0, 20.0);
        let crank = r.within(0.025, 0.06);
        let rod = crank * r.within(2.8, 4.0);
        let pitch = 2.1 * crank;
        let peak = r.decades(6.0, 7.0) * PI * (0.95 * crank).powi(2);
        let by_table = r.chance(0.5);
        let width = r.within(0.2, 0.6);
        let load = r.decades(-2.0, 0.0);
        let flywheel = r.chance(0.4);
        let (shaft, loss) = (r.decades(3.5, 5.5), r.decades(-1.0, 1.0));
        let inertia = r.decades(-1.5, -0.3);
        let throw: Vec<f64> = (0..cylinders)
            .map(|k| TAU * ((2 * k) % cylinders.max(1)) as f64 / cylinders as f64 / 2.0)
            .collect();
        let fires: Vec<f64> = (0..cylinders)
            .map(|k| 2.0 * TAU * k as f64 / cylinders as f64)
            .collect();
        let place = |k: usize| pitch * k as f64;
        let mounts: Vec<String> = (0..cylinders)
            .map(|k| format!("c{k} = [0, {:?}, 0]", place(k)))
            .collect();
        self.put(&format!("[ground]\nmarkers = {{ {} }}", mounts.join(", ")));
        let pins: Vec<String> = (0..cylinders)
            .map(|k| {
                let (s, c) = throw[k].sin_cos();
                format!("p{k} = [{:?}, {:?}, {:?}]", crank * s, place(k), crank * c)
            })
            .collect();
        let start = 0.1;
        self.body(
            "crank",
            15.0,
            [inertia * 1.5, inertia, inertia * 1.5],
            &pins.join(", "),
        );
        self.joint(
            "main",
            "revolute",
            ["ground", "crank"],
            &format!("axis = [0, 1, 0]\nangle = {{ start = {start:?}, velocity = {speed:?} }}"),
        );
        self.put("[[control]]\nname = \"phi\"\nkind = \"sensor\"\nchannel = \"main.angle\"");
        if by_table {
            // One cycle of two turns with the pulse in its middle.
            let points = 48;
            let x: Vec<f64> = (0..=points)
                .map(|i| 2.0 * TAU * f64::from(i) / f64::from(points))
                .collect();
            let y: Vec<f64> = x
                .iter()
                .map(|x| {
                    let d = x - TAU;
                    (-d * d / width).exp()
                })
                .collect();
            self.put(&format!(
                "[[table]]\nname = \"gas\"\nx = {x:?}\ny = {y:?}\ninterpolation = \"spline\"\nextrapolation = \"hold\""
            ));
        }
        for k in 0..cylinders {
            // The pin's place at the start gives those of piston and rod.
            let (s, c) = (throw[k] + start).sin_cos();
            let height = crank * c + (rod * rod - (crank * s).powi(2)).sqrt();
            let lean = (-crank * s / rod).asin();
            self.body(&format!("piston{k}"), 0.5, [5e-4, 5e-4, 5e-4], "");
            let rod_inertia = 0.6 * rod * rod / 12.0;
            self.body(
                &format!("rod{k}"),
                0.6,
                [rod_inertia, rod_inertia, 2e-4],
                &format!("small = [0, 0, {:?}], big = [0, 0, {:?}]", 0.5 * rod, -0.5 * rod),
            );
            self.joint(
                &format!("bore{k}"),
                "prismatic",
                [&format!("ground.c{k}"), &format!("piston{k}")],
                &format!("displacement = {height:?}"),
            );
            self.joint(
                &format!("wrist{k}"),
                "revolute",
                [&format!("piston{k}"), &format!("rod{k}.small")],
                &format!("axis = [0, 1, 0]\nangle = {lean:?}"),
            );
            self.joint(
                &format!("pin{k}"),
                "spherical",
                [&format!("crank.p{k}"), &format!("rod{k}.big")],
                "",
            );
            let angle = format!("(phi + {:?})", throw[k] - fires[k] - 0.4);
            let middle = format!("{angle} - 4*pi*floor(({angle} + 2*pi)/(4*pi))");
            let gas = if by_table {
                format!("{peak:?} N*gas({middle} + 2*pi)")
            } else {
                format!("{peak:?} N*exp(-({middle})^2/{width:?})")
            };
            self.put(&format!(
                "[[control]]\nname = \"gas{k}\"\nkind = \"expression\"\nvalue = \"{gas}\""
            ));
            self.force(
                &format!("pressure{k}"),
                "actuator",
                &format!("from = \"ground.c{k}\"\nto = \"piston{k}\"\nforce = \"-gas{k}\""),
            );
        }
        self.force(
            "brake",
            "joint-spring",
            &format!("coordinate = \"main\"\ndamping = {load:?}"),
        );
        if flywheel {
            self.body("flywheel", 12.0, [0.2, 0.3, 0.2], "");
            self.joint(
                "shaft",
                "revolute",
                ["crank", "flywheel"],
                "axis = [0, 1, 0]\nangle = 0",
            );
            self.force(
                "shaft_spring",
                "joint-spring",
                &format!("coordinate = \"shaft\"\nstiffness = {shaft:?}\ndamping = {loss:?}"),
            );
        }
        turns * TAU / speed
    }

    /// Links one after the other, with springs and dampers in the joints or without.
    fn chain(&mut self) -> f64 {
        let r = &mut self.random;
        let links = r.decades(0.7, 1.7) as usize;
        let spatial = r.chance(0.3);
        let length = r.decades(-1.5, 0.3);
        let sprung = r.chance(0.5);
        let stiffness = r.decades(-2.0, 3.0);
        let zeta = if r.chance(0.5) { r.decades(-3.0, 0.5) } else { 0.0 };
        let driven = r.chance(0.3);
        let time = (length / 9.81).sqrt();
        let periods = r.decades(0.3, 1.3);
        let mass = length;
        let across = mass * length * length / 12.0;
        let k = stiffness * mass * 9.81 * length;
        let c = 2.0 * zeta * (k * across * 4.0).sqrt();
        for i in 0..links {
            let name = format!("link{i}");
            self.body(
                &name,
                mass,
                [across, across, 0.02 * across],
                &format!(
                    "top = [0, 0, {:?}], tip = [0, 0, {:?}]",
                    0.5 * length,
                    -0.5 * length
                ),
            );
            let from = if i == 0 {
                "ground".to_string()
            } else {
                format!("link{}.tip", i - 1)
            };
            let joint = format!("pin{i}");
            let to = format!("{name}.top");
            let angle = self.random.within(-0.3, 0.3);
            if i == 0 && driven {
                let omega = self.random.within(0.3, 2.0) / time;
                self.joint(
                    &joint,
                    "revolute",
                    [&from, &to],
                    &format!("axis = [0, 1, 0]\nangle = {{ follows = \"0.4*sin({omega:?} rad/s*t)\" }}"),
                );
                continue;
            }
            let kind = if spatial { "universal" } else { "revolute" };
            let rest = if spatial {
                String::new()
            } else {
                format!("axis = [0, 1, 0]\nangle = {angle:?}")
            };
            self.joint(&joint, kind, [&from, &to], &rest);
            if sprung && !spatial {
                self.force(
                    &format!("spring{i}"),
                    "joint-spring",
                    &format!("coordinate = \"{joint}\"\nstiffness = {k:?}\ndamping = {c:?}"),
                );
            }
        }
        if spatial {
            // Something has to disturb it.
            self.force(
                "push",
                "applied",
                &format!(
                    "frame = \"link{}\"\nforce = [{:?}, {:?}, 0]",
                    links - 1,
                    3.0 * mass,
                    2.0 * mass
                ),
            );
        }
        periods * time * (links as f64).sqrt()
    }

    /// Inertias on elastic shafts, excited by a torque; natural frequencies over some decades.
    fn drive_train(&mut self) -> f64 {
        let r = &mut self.random;
        let count = 2 + r.below(9);
        let spread = r.weighted(&[(0.5, 0.3), (1.5, 0.4), (3.0, 0.3)]);
        let zeta = r.decades(-3.0, 0.5);
        let base = r.decades(0.0, 2.0);
        let nonlinear = r.chance(0.4);
        let periods = r.decades(0.5, 1.8);
        for i in 0..count {
            let inertia = self.random.decades(-2.0, 0.5);
            let omega = TAU * base * self.random.decades(0.0, spread);
            let (k, c) = (inertia * omega * omega, 2.0 * zeta * inertia * omega);
            self.body(&format!("disc{i}"), 1.0, [inertia, inertia, inertia], "");
            let from = if i == 0 {
                "ground".to_string()
            } else {
                format!("disc{}", i - 1)
            };
            let start = self.random.within(-0.1, 0.1);
            self.joint(
                &format!("shaft{i}"),
                "revolute",
                [&from, &format!("disc{i}")],
                &format!("axis = [0, 0, 1]\nangle = {start:?}"),
            );
            let motor = if i + 1 == count {
                format!("\nmotor = \"{:?} N*m*sin({:?} rad/s*t)\"", 0.1 * k, TAU * base)
            } else {
                String::new()
            };
            if nonlinear && motor.is_empty() {
                self.force(
                    &format!("twist{i}"),
                    "nonlinear-joint-spring",
                    &format!(
                        "coordinate = \"shaft{i}\"\nspring = \"{k:?} N*m/rad*x*(1 + 5*x^2)\"\ndamper = \"{c:?} N*m*s/rad*v\""
                    ),
                );
            } else {
                self.force(
                    &format!("twist{i}"),
                    "joint-spring",
                    &format!("coordinate = \"shaft{i}\"\nstiffness = {k:?}\ndamping = {c:?}{motor}"),
                );
            }
        }
        periods / base
    }

    /// A body that heaves and pitches on two to four struts with wheels, pulled along over a road.
    fn vehicle(&mut self) -> f64 {
        let r = &mut self.random;
        let axles = 2 + r.below(2);
        let speed = r.within(3.0, 30.0);
        let mass = r.decades(2.0, 3.5);
        let tyre = r.within(100.0, 400.0) * mass;
        let spring = r.within(20.0, 60.0) * mass;
        let damping = 2.0 * r.within(0.05, 0.5) * mass * (spring / mass).sqrt();
        let stop = r.chance(0.5);
        let road = r.below(3);
        let rest = [r.within(0.005, 0.05), r.within(2.0, 10.0)];
        self.put(&match road {
            0 => format!(
                "[[road]]\nname = \"street\"\nkind = \"bump\"\nstart = {:?}\nlength = {:?}\nheight = {:?}",
                0.5 * speed,
                rest[1] * 0.3,
                rest[0]
            ),
            1 => format!(
                "[[road]]\nname = \"street\"\nkind = \"height\"\nheight = \"{:?} m*sin({:?}*x/(1 m))\"",
                0.3 * rest[0],
                TAU / rest[1]
            ),
            _ => "[[road]]\nname = \"street\"\nkind = \"iso-8608\"\nclass = \"B\"\nseed = 3".into(),
        });
        let unsprung = 0.06 * mass;
        let radius = 0.3;
        let load = (mass / axles as f64 + 2.0 * unsprung) * 9.81;
        let pressed = load / tyre;
        let places: Vec<f64> = (0..axles)
            .map(|k| 3.0 * (k as f64 / (axles - 1) as f64 - 0.5))
            .collect();
        self.body("sled", 1.0, [1.0; 3], "");
        self.joint(
            "way",
            "prismatic",
            ["ground", "sled"],
            &format!("axis = [1, 0, 0]\ndisplacement = {{ follows = \"{speed:?} m/s*t\" }}"),
        );
        let marks: Vec<String> = (0..axles)
            .map(|k| format!("m{k} = [{:?}, 0, 0]", places[k]))
            .collect();
        self.body("car", mass, [mass, mass, mass], &marks.join(", "));
        self.joint("heave", "prismatic", ["sled", "carrier"], "displacement = 0.6");
        self.body("carrier", 0.01 * mass, [1.0; 3], "");
        self.joint(
            "pitch",
            "revolute",
            ["carrier", "car"],
            "axis = [0, 1, 0]\nangle = 0",
        );
        for k in 0..axles {
            let (hub, wheel) = (format!("hub{k}"), format!("wheel{k}"));
            self.body(&hub, unsprung, [0.1 * unsprung; 3], "");
            self.body(
                &wheel,
                unsprung,
                [0.03 * unsprung, 0.05 * unsprung, 0.03 * unsprung],
                "",
            );
            self.joint(
                &format!("strut{k}"),
                "prismatic",
                [&format!("car.m{k}"), &hub],
                &format!("displacement = {:?}", radius - pressed - 0.6),
            );
            self.joint(
                &format!("axle{k}"),
                "revolute",
                [&hub, &wheel],
                &format!(
                    "axis = [0, 1, 0]\nangle = {{ start = 0, velocity = {:?} }}",
                    speed / (radius - pressed / 3.0)
                ),
            );
            let free = radius - pressed - 0.6 - mass * 9.81 / axles as f64 / spring;
            self.force(
                &format!("spring{k}"),
                "joint-spring",
                &format!(
                    "coordinate = \"strut{k}\"\nstiffness = {spring:?}\ndamping = {damping:?}\nfree_position = {free:?}"
                ),
            );
            if stop {
                self.force(
                    &format!("stop{k}"),
                    "joint-stop",
                    &format!(
                        "coordinate = \"strut{k}\"\nupper = {:?}\nstiffness = {:?}\nonset = 0.005",
                        radius - pressed - 0.6 + 0.02,
                        20.0 * spring
                    ),
                );
            }
            self.force(
                &format!("tyre{k}"),
                "linear-tyre",
                &format!(
                    "wheel = \"{wheel}\"\nroad = \"street\"\nradius = {radius:?}\nstiffness = {tyre:?}\ndamping = {:?}\nslip_stiffness = {:?}\ncornering_stiffness = {:?}",
                    0.002 * tyre,
                    15.0 * load,
                    12.0 * load
                ),
            );
        }
        self.random.within(1.0, 6.0)
    }

    /// A serial arm whose joints follow set points by servos or controllers with lags.
    fn arm(&mut self) -> f64 {
        let r = &mut self.random;
        let links = 2 + r.below(5);
        let bandwidth = r.decades(0.5, 2.5);
        let zeta = r.within(0.3, 1.5);
        let lags = r.chance(0.5);
        let period = r.within(0.5, 3.0);
        for i in 0..links {
            let (mass, length) = (5.0 / (1.0 + i as f64), 0.5 / (1.0 + 0.3 * i as f64));
            let across = mass * length * length / 12.0;
            self.body(
                &format!("link{i}"),
                mass,
                [across, across, 0.1 * across],
                &format!(
                    "base = [0, 0, {:?}], tip = [0, 0, {:?}]",
                    -0.5 * length,
                    0.5 * length
                ),
            );
            let from = if i == 0 {
                "ground".to_string()
            } else {
                format!("link{}.tip", i - 1)
            };
            let axis = ["[0, 0, 1]", "[0, 1, 0]", "[0, 1, 0]", "[1, 0, 0]"][i % 4];
            self.joint(
                &format!("axis{i}"),
                "revolute",
                [&from, &format!("link{i}.base")],
                &format!("axis = {axis}\nangle = 0"),
            );
            // What hangs on the joint, roughly.
            let inertia = 2.0 * (links - i) as f64 * mass * length * length;
            let k = inertia * bandwidth * bandwidth;
            let c = 2.0 * zeta * inertia * bandwidth;
            let amplitude = self.random.within(0.1, 0.8);
            let target = format!(
                "{amplitude:?} rad*sin({:?} rad/s*t)",
                TAU / period * self.random.within(0.5, 1.5)
            );
            if lags && i > 0 {
                self.put(&format!(
                    "[[control]]\nname = \"want{i}\"\nkind = \"expression\"\nvalue = \"{target}\""
                ));
                self.put(&format!(
                    "[[control]]\nname = \"seen{i}\"\nkind = \"sensor\"\nchannel = \"axis{i}.angle\""
                ));
                self.put(&format!(
                    "[[control]]\nname = \"rate{i}\"\nkind = \"sensor\"\nchannel = \"axis{i}.angle.velocity\""
                ));
                self.put(&format!(
                    "[[control]]\nname = \"torque{i}\"\nkind = \"expression\"\nvalue = \"{k:?} N*m/rad*(want{i} - seen{i}) - {c:?} N*m*s/rad*rate{i}\""
                ));
                self.put(&format!(
                    "[[control]]\nname = \"drive{i}\"\nkind = \"lag\"\ninput = \"torque{i}\"\ntime_constant = {:?}",
                    0.05 / bandwidth
                ));
                self.force(
                    &format!("servo{i}"),
                    "joint-spring",
                    &format!("coordinate = \"axis{i}\"\nmotor = \"drive{i}\""),
                );
            } else {
                self.force(
                    &format!("servo{i}"),
                    "servo",
                    &format!(
                        "coordinate = \"axis{i}\"\ntarget = \"{target}\"\nstiffness = {k:?}\ndamping = {c:?}"
                    ),
                );
            }
        }
        self.random.within(1.0, 10.0)
    }

    /// A ball that bounces by penalty or by impacts; a mass between stops, shaken.
    fn contact(&mut self) -> f64 {
        let r = &mut self.random;
        let mass = r.decades(-1.0, 1.0);
        let stiffness = mass * r.decades(3.5, 7.0);
        let which = r.below(3);
        let height = r.within(0.1, 1.0);
        let shake = r.within(1.0, 5.0);
        let loss = r.within(0.02, 0.5);
        match which {
            0 => {
                self.put(&format!(
                    "[[body]]\nname = \"ball\"\nmass = {mass:?}\nsolid = {{ ball = \"100 mm\" }}"
                ));
                self.joint(
                    "motion",
                    "free",
                    ["ground", "ball"],
                    &format!("x = {{ velocity = 0.5 }}\nz = {:?}", 0.1 + height),
                );
                self.force(
                    "floor",
                    "plane-contact",
                    &format!(
                        "plane = \"ground\"\nbody = \"ball\"\nshape = \"sphere\"\nradius = 0.1\nstiffness = {stiffness:?}\ndissipation = {loss:?}\nfriction = 0.3"
                    ),
                );
                3.0 * height.sqrt()
            }
            1 => {
                self.put(&format!(
                    "[[body]]\nname = \"ball\"\nmass = {mass:?}\nsolid = {{ ball = \"100 mm\" }}\nmarkers.hook = [0, 0, 0.05]"
                ));
                self.joint(
                    "motion",
                    "free",
                    ["ground", "ball"],
                    &format!("x = {{ velocity = 0.5 }}\nz = {:?}", 0.1 + height),
                );
                self.put(
                    "[[constraint]]\nname = \"floor\"\nkind = \"impact\"\nplane = \"ground\"\nbody = \"ball\"\nradius = 0.1\nrestitution = 0.7",
                );
                self.body("bob", 0.3 * mass, [0.01, 0.01, 0.01], "top = [0, 0, 0.2]");
                self.joint(
                    "swing",
                    "revolute",
                    ["ball.hook", "bob.top"],
                    "axis = [0, 1, 0]\nangle = 2.5",
                );
                1.5 * height.sqrt()
            }
            _ => {
                self.body("table", 1.0, [1.0; 3], "");
                self.body("slider", mass, [mass; 3], "");
                self.body("bob", 0.5 * mass, [0.1 * mass; 3], "top = [0, 0, 0.3]");
                self.joint(
                    "shaker",
                    "prismatic",
                    ["ground", "table"],
                    &format!(
                        "axis = [1, 0, 0]\ndisplacement = {{ follows = \"0.05 m*sin({:?} rad/s*t)\" }}",
                        TAU * shake
                    ),
                );
                self.joint(
                    "slide",
                    "prismatic",
                    ["table", "slider"],
                    "axis = [1, 0, 0]\ndisplacement = 0",
                );
                self.joint(
                    "swing",
                    "revolute",
                    ["slider", "bob.top"],
                    "axis = [0, 1, 0]\nangle = 0.3",
                );
                self.force(
                    "stops",
                    "joint-stop",
                    &format!(
                        "coordinate = \"slide\"\nlower = -0.03\nupper = 0.03\nstiffness = {stiffness:?}\ndamping = {:?}\nonset = 0.002",
                        loss * (stiffness * mass).sqrt()
                    ),
                );
                4.0 / shake
            }
        }
    }

    /// Masses on a line or in a plane, with springs to their neighbours: soft, or with stiff ones among them.
    fn lattice(&mut self) -> f64 {
        let r = &mut self.random;
        let count = r.decades(0.8, 2.0) as usize;
        let omega = TAU * r.decades(-0.3, 1.0);
        let hard = if r.chance(0.5) { r.decades(1.0, 5.0) } else { 1.0 };
        let zeta = if r.chance(0.6) { r.decades(-3.0, 0.3) } else { 0.0 };
        let cubic = r.chance(0.5);
        let periods = r.decades(0.3, 1.3);
        for i in 0..count {
            self.body(&format!("m{i}"), 1.0, [1.0; 3], "");
            let start = self.random.within(-0.1, 0.1);
            self.joint(
                &format!("x{i}"),
                "prismatic",
                ["ground", &format!("m{i}")],
                &format!("axis = [1, 0, 0]\ndisplacement = {:?}", i as f64 + start),
            );
        }
        for i in 0..count {
            let k = omega * omega * if self.random.chance(0.3) { hard } else { 1.0 };
            let c = 2.0 * zeta * k.sqrt();
            let (from, free) = if i == 0 {
                ("ground".to_string(), 1.0)
            } else {
                (format!("m{}", i - 1), 1.0)
            };
            if i == 0 {
                self.force(
                    "wall",
                    "joint-spring",
                    &format!("coordinate = \"x0\"\nstiffness = {k:?}\ndamping = {c:?}"),
                );
            } else if cubic {
                self.force(
                    &format!("k{i}"),
                    "nonlinear-spring",
                    &format!(
                        "from = \"{from}\"\nto = \"m{i}\"\nspring = \"{k:?} N/m*x*(1 + 3*(x/(1 m))^2)\"\ndamper = \"{c:?} N*s/m*v\"\nfree_length = {free:?}"
                    ),
                );
            } else {
                self.force(
                    &format!("k{i}"),
                    "spring-damper",
                    &format!(
                        "from = \"{from}\"\nto = \"m{i}\"\nstiffness = {k:?}\ndamping = {c:?}\nfree_length = {free:?}"
                    ),
                );
            }
        }
        periods * TAU / omega
    }

    /// Pendulums and slides with friction in their joints.
    fn friction(&mut self) -> f64 {
        let r = &mut self.random;
        let transition = r.decades(-4.0, -1.0);
        let coefficient = r.within(0.05, 0.5);
        let stribeck = if r.chance(0.4) { 0.3 * coefficient } else { 0.0 };
        let mass = r.decades(-1.0, 1.0);
        let pull = r.within(0.3, 3.0);
        let frequency = r.decades(-0.5, 0.7);
        self.body("slider", mass, [mass; 3], "");
        self.joint(
            "slide",
            "prismatic",
            ["ground", "slider"],
            "axis = [1, 0, 0]\ndisplacement = { start = 0.1, velocity = 0.5 }",
        );
        self.force(
            "spring",
            "joint-spring",
            &format!(
                "coordinate = \"slide\"\nstiffness = {:?}\nmotor = \"{:?} N*sin({:?} rad/s*t)\"",
                mass * 40.0,
                pull * mass * 9.81 * coefficient,
                TAU * frequency
            ),
        );
        self.force(
            "rub",
            "joint-friction",
            &format!(
                "coordinate = \"slide\"\ncoefficient = {coefficient:?}\nstribeck = {stribeck:?}\ntransition_velocity = {transition:?}\nnormal_force = {:?}",
                9.81 * mass
            ),
        );
        let arms = 1 + self.random.below(3);
        for i in 0..arms {
            self.body(
                &format!("arm{i}"),
                0.3 * mass,
                [0.02 * mass; 3],
                "top = [0, 0, 0.3], tip = [0, 0, -0.3]",
            );
            let from = if i == 0 {
                "slider".to_string()
            } else {
                format!("arm{}.tip", i - 1)
            };
            self.joint(
                &format!("pin{i}"),
                "revolute",
                [&from, &format!("arm{i}.top")],
                "axis = [0, 1, 0]\nangle = 0.8",
            );
        }
        3.0 / frequency
    }
}
