//! Excitations: something at rest, and a pulse that comes once.
//!
//! All are little damped, so that what the pulse did is still there at the end: a stepper that steps over it cannot be right.

mod passing;
mod pulse;

use crate::random::Random;
use pulse::Pulse;
use std::fmt::Write;

/// How the pulse is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[expect(missing_docs, reason = "named as in reports")]
pub enum Shape {
    HalfSine,
    Rectangle,
    Nested,
    LinearTable,
    SplineTable,
    MonotoneTable,
    Gaussian,
    Smoothstep,
    Triangle,
}

impl Shape {
    /// All of them.
    pub const ALL: [Self; 9] = [
        Self::HalfSine,
        Self::Rectangle,
        Self::Nested,
        Self::LinearTable,
        Self::SplineTable,
        Self::MonotoneTable,
        Self::Gaussian,
        Self::Smoothstep,
        Self::Triangle,
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::HalfSine => "if half-sine",
            Self::Rectangle => "if rectangle",
            Self::Nested => "nested if",
            Self::LinearTable => "linear table",
            Self::SplineTable => "spline table",
            Self::MonotoneTable => "monotone table",
            Self::Gaussian => "gaussian",
            Self::Smoothstep => "smoothstep",
            Self::Triangle => "triangle of max and abs",
        }
    }

    /// Whether it has two derivatives: what a prescribed motion needs.
    fn is_smooth(self) -> bool {
        matches!(self, Self::SplineTable | Self::Gaussian | Self::Smoothstep)
    }
}

/// Where the pulse enters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[expect(missing_docs, reason = "named as in reports")]
pub enum Place {
    Applied,
    Motor,
    Actuator,
    Servo,
    Expression,
    Control,
    Pid,
    QuarterCar,
    Prescribed,
    Driver,
    Tyre,
    Law,
    Oscillating,
    Sensor,
    Balls,
    Stop,
}

impl Place {
    /// All of them.
    pub const ALL: [Self; 16] = [
        Self::Applied,
        Self::Motor,
        Self::Actuator,
        Self::Servo,
        Self::Expression,
        Self::Control,
        Self::Pid,
        Self::QuarterCar,
        Self::Prescribed,
        Self::Driver,
        Self::Tyre,
        Self::Law,
        Self::Oscillating,
        Self::Sensor,
        Self::Balls,
        Self::Stop,
    ];

    /// Whether the pulse is one of a coordinate, which passes it.
    fn is_of_state(self) -> bool {
        matches!(self, Self::Law | Self::Oscillating | Self::Sensor)
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Applied => "applied force",
            Self::Motor => "motor",
            Self::Actuator => "actuator",
            Self::Servo => "servo",
            Self::Expression => "expression",
            Self::Control => "control",
            Self::Pid => "pid",
            Self::QuarterCar => "road input of a quarter car",
            Self::Prescribed => "prescribed joint",
            Self::Driver => "driver",
            Self::Tyre => "bump under a tyre",
            Self::Law => "law of the position, at constant speed",
            Self::Oscillating => "law of the position, oscillating",
            Self::Sensor => "control by a sensor",
            Self::Balls => "contact of free bodies",
            Self::Stop => "stop just within reach",
        }
    }
}

/// A model with a pulse.
#[derive(Clone, Debug)]
pub struct Excitation {
    /// How it is written.
    pub shape: Shape,
    /// Where it enters.
    pub place: Place,
    /// Its length as a part of the run.
    pub share: f64,
    /// The run, s.
    pub t_end: f64,
    /// The model file.
    pub text: String,
    /// The same without a pulse.
    pub calm: String,
}

/// The model of a seed.
pub fn excitation(seed: u64) -> Excitation {
    let random = &mut Random::of(seed, 4242);
    let shape = Shape::ALL[(seed % 9) as usize];
    let place = Place::ALL[(seed / 9 % 16) as usize];
    // A prescribed motion needs two derivatives; a bump under a tyre is one by itself.
    let shape = match place {
        Place::Prescribed | Place::Driver if !shape.is_smooth() => {
            [Shape::SplineTable, Shape::Gaussian, Shape::Smoothstep][(seed % 3) as usize]
        }
        _ => shape,
    };
    let t_end = 3.0 * random.decades(-1.0, 1.0);
    let share = random.decades(-3.0, 0.5f64.log10());
    let begin = random.within(0.05, 0.95 - 0.9 * share) * t_end;
    // A path of 1 m, or of the amplitude 1 m, takes the place of time.
    let path = if place.is_of_state() { 1.0 / t_end } else { 1.0 };
    let pulse = Pulse {
        begin: begin * path,
        width: share * t_end * path,
        end: t_end * path,
        variable: match place {
            Place::Law | Place::Oscillating => ["x", " m"],
            Place::Sensor => ["where", ""],
            _ => ["t", " s"],
        },
    };
    let (function, tables) = pulse.text(shape, random);
    let data = Data::new(random, t_end, share, &pulse);
    let outputs = random.weighted(&[(0.0, 0.4), (1000.0, 0.2), (100.0, 0.2), (3.0, 0.2)]);
    let made = |on: f64| {
        let mut text = format!("[model]\nformat = 1\nname = \"excitation-{seed}\"\n\n{tables}");
        // Writing to a string cannot fail.
        let _ = data.write(place, &function, on, &mut text);
        text += &format!("[simulation]\nt_end = {t_end:?}\n");
        if outputs > 0.0 {
            text += &format!("output_step = {:?}\n", t_end / outputs);
        }
        if place == Place::QuarterCar {
            text += "start = \"equilibrium\"\n";
        }
        text
    };
    Excitation {
        shape,
        place,
        share,
        t_end,
        text: made(1.0),
        calm: made(0.0),
    }
}

/// Numbers of the mechanism.
struct Data {
    mass: f64,
    stiffness: f64,
    damping: f64,
    /// Height of a pulse of force, so that the mass moves by about `reach`.
    force: f64,
    /// Height of a pulse of position.
    lift: f64,
    t_end: f64,
    begin: f64,
    width: f64,
    through_input: bool,
    hanging: bool,
}

impl Data {
    fn new(random: &mut Random, t_end: f64, share: f64, pulse: &Pulse) -> Self {
        let mass = random.decades(-1.0, 2.0);
        // A few to a few tens of periods in the run.
        let omega = std::f64::consts::TAU * random.decades(0.3, 1.3) / t_end;
        let reach = random.decades(-1.5, 0.0);
        // Short pulses act by their impulse.
        let quick = (omega * share * t_end).min(1.0);
        Self {
            mass,
            stiffness: mass * omega * omega,
            damping: if random.chance(0.5) {
                0.0
            } else {
                2.0 * mass * omega * random.within(0.0, 0.01)
            },
            force: mass * omega * omega * reach / quick,
            lift: reach,
            t_end,
            begin: pulse.begin,
            width: pulse.width,
            through_input: random.chance(0.4),
            hanging: random.chance(0.5),
        }
    }

    fn write(&self, place: Place, function: &str, on: f64, out: &mut String) -> std::fmt::Result {
        let Self {
            mass,
            stiffness,
            damping,
            force,
            lift,
            ..
        } = self;
        let force = force * on;
        let lift = lift * on;
        // The function by name, or in place.
        let named = |out: &mut String, unit: &str, height: f64| -> Result<String, std::fmt::Error> {
            let text = format!("{height:?} {unit}*({function})");
            if self.through_input {
                writeln!(
                    out,
                    "[[input]]\nname = \"u\"\nunit = \"{unit}\"\nexpression = \"{text}\"\n"
                )?;
                Ok("u".into())
            } else {
                Ok(text)
            }
        };
        match place {
            Place::QuarterCar => return self.quarter_car(function, on, out),
            Place::Tyre => return self.tyre(on, out),
            Place::Law | Place::Oscillating | Place::Sensor => {
                return self.passes_law(place, function, on, out);
            }
            Place::Balls => return self.balls(on, out),
            Place::Stop => return self.stop(on, out),
            Place::Prescribed | Place::Driver => {
                // A pendulum whose period fits the run, and a pulse that does not set it spinning.
                let length = (9.81 * mass / stiffness).clamp(0.01, 100.0);
                let u = named(out, "m", 0.3 * lift.min(length * on))?;
                writeln!(out, "[[body]]\nname = \"carriage\"\nmass = {mass:?}\n")?;
                writeln!(
                    out,
                    "[[joint]]\nname = \"base\"\nkind = \"prismatic\"\nfrom = \"ground\"\nto = \"carriage\"\naxis = [1, 0, 0]"
                )?;
                if place == Place::Prescribed {
                    writeln!(out, "displacement = {{ follows = \"{u}\" }}\n")?;
                } else {
                    writeln!(
                        out,
                        "\n[[constraint]]\nname = \"drive\"\nkind = \"driver\"\ncoordinate = \"base\"\nfollows = \"{u}\"\n"
                    )?;
                }
                writeln!(
                    out,
                    "[[body]]\nname = \"bob\"\nmass = {:?}\nmarkers.pivot = [0, 0, {length:?}]\n",
                    0.5 * mass
                )?;
                writeln!(
                    out,
                    "[[joint]]\nname = \"swing\"\nkind = \"revolute\"\nfrom = \"carriage\"\nto = \"bob.pivot\"\naxis = [0, 1, 0]\n"
                )?;
                return Ok(());
            }
            _ => {}
        }
        writeln!(
            out,
            "[[body]]\nname = \"mass\"\nmass = {mass:?}\ninertia = [{mass:?}, {mass:?}, {mass:?}]\n"
        )?;
        writeln!(
            out,
            "[[joint]]\nname = \"slide\"\nkind = \"prismatic\"\nfrom = \"ground\"\nto = \"mass\"\naxis = [1, 0, 0]\n"
        )?;
        if self.hanging {
            // Something that swings along.
            writeln!(
                out,
                "[[body]]\nname = \"bob\"\nmass = {:?}\nmarkers.pivot = [0, 0, 0.7]\n",
                0.3 * mass
            )?;
            writeln!(
                out,
                "[[joint]]\nname = \"swing\"\nkind = \"revolute\"\nfrom = \"mass\"\nto = \"bob.pivot\"\naxis = [0, 1, 0]\n"
            )?;
        }
        let spring = format!("stiffness = {stiffness:?}\ndamping = {damping:?}");
        let plain = format!(
            "[[force]]\nname = \"spring\"\nkind = \"joint-spring\"\ncoordinate = \"slide\"\n{spring}\n"
        );
        match place {
            Place::Applied => {
                let u = named(out, "N", force)?;
                writeln!(
                    out,
                    "{plain}\n[[force]]\nname = \"push\"\nkind = \"applied\"\nframe = \"mass\"\nforce = [\"{u}\", 0, 0]\n"
                )
            }
            Place::Motor => {
                let u = named(out, "N", force)?;
                writeln!(out, "{plain}motor = \"{u}\"\n")
            }
            Place::Actuator => {
                let u = named(out, "N", force)?;
                writeln!(out, "{plain}\n[ground]\nmarkers.wall = [-10, 0, 0]\n")?;
                writeln!(
                    out,
                    "[[force]]\nname = \"push\"\nkind = \"actuator\"\nfrom = \"ground.wall\"\nto = \"mass\"\nforce = \"{u}\"\n"
                )
            }
            Place::Servo => {
                let u = named(
                    out,
                    "m",
                    lift / (force / (stiffness * lift.max(1e-9))).recip().min(1.0),
                )?;
                writeln!(
                    out,
                    "[[force]]\nname = \"servo\"\nkind = \"servo\"\ncoordinate = \"slide\"\ntarget = \"{u}\"\n{spring}\n"
                )
            }
            Place::Expression => {
                let u = named(out, "N", force)?;
                writeln!(
                    out,
                    "{plain}\n[[force]]\nname = \"push\"\nkind = \"expression\"\nfrom = \"ground\"\nto = \"mass\""
                )?;
                writeln!(out, "force = [\"{u} - 0.01 N*s/m*vx\", 0, 0]\n")
            }
            Place::Control => {
                let text = format!("{force:?}*({function})");
                writeln!(
                    out,
                    "{plain}\n[[control]]\nname = \"command\"\nkind = \"expression\"\nvalue = \"{text}\"\n"
                )?;
                writeln!(
                    out,
                    "[[control]]\nname = \"lag\"\nkind = \"lag\"\ninput = \"command\"\ntime_constant = {:?}\n",
                    0.02 * self.t_end
                )?;
                writeln!(
                    out,
                    "[[force]]\nname = \"push\"\nkind = \"applied\"\nframe = \"mass\"\nforce = [\"lag*1 N\", 0, 0]\n"
                )
            }
            _ => {
                let text = format!("{:?}*({function})", force / stiffness);
                writeln!(
                    out,
                    "{plain}\n[[control]]\nname = \"where\"\nkind = \"sensor\"\nchannel = \"slide.displacement\"\n"
                )?;
                writeln!(
                    out,
                    "[[control]]\nname = \"command\"\nkind = \"pid\"\ninput = \"where\"\ntarget = \"{text}\"\nproportional = {:?}\n",
                    stiffness
                )?;
                writeln!(
                    out,
                    "[[force]]\nname = \"push\"\nkind = \"applied\"\nframe = \"mass\"\nforce = [\"command*1 N\", 0, 0]\n"
                )
            }
        }
    }

    /// The wheel's tyre as an expression over the road, which is an input.
    fn quarter_car(&self, function: &str, on: f64, out: &mut String) -> std::fmt::Result {
        let (body, wheel) = (self.mass, 0.13 * self.mass);
        let (spring, tyre) = (self.stiffness, 10.0 * self.stiffness);
        // Within what the tyre is pressed in at rest, or above: it may lift off.
        let height = 0.3 * self.lift * on;
        writeln!(
            out,
            "[[input]]\nname = \"road\"\nunit = \"m\"\nexpression = \"{height:?} m*({function})\"\n"
        )?;
        writeln!(
            out,
            "[[body]]\nname = \"wheel\"\nmass = {wheel:?}\n\n[[body]]\nname = \"car\"\nmass = {body:?}\n"
        )?;
        for (name, from, to, start) in [
            ("hub", "ground", "wheel", 0.3),
            ("suspension", "wheel", "car", 0.4),
        ] {
            writeln!(
                out,
                "[[joint]]\nname = \"{name}\"\nkind = \"prismatic\"\nfrom = \"{from}\"\nto = \"{to}\"\ndisplacement = {start}\n"
            )?;
        }
        writeln!(
            out,
            "[[force]]\nname = \"strut\"\nkind = \"joint-spring\"\ncoordinate = \"suspension\"\nstiffness = {spring:?}\ndamping = {:?}\nfree_position = 0.4\n",
            self.damping
        )?;
        writeln!(
            out,
            "[[force]]\nname = \"tyre\"\nkind = \"expression\"\nfrom = \"ground\"\nto = \"wheel\""
        )?;
        writeln!(
            out,
            "force = [0, 0, \"{tyre:?} N/m*max(0, road + 0.3 m - z) - {:?} N*s/m*vz\"]\n",
            self.damping
        )
    }

    /// A wheel that rolls over a bump at constant speed, with the car on its spring.
    fn tyre(&self, on: f64, out: &mut String) -> std::fmt::Result {
        let speed = 10.0;
        let (start, length) = (speed * self.begin, speed * self.width);
        let radius = 0.3;
        // Where the crest is curved more than the wheel, its contact point jumps and the motion is not well defined. The
        // curvature of the bump is 2 (π/length)² height.
        let followed = 0.5 * length * length / (2.0 * std::f64::consts::PI.powi(2) * radius);
        let height = (0.05 * self.lift).min(0.1 * length).min(followed) * on;
        writeln!(
            out,
            "[[road]]\nname = \"street\"\nkind = \"bump\"\nstart = {start:?}\nlength = {length:?}\nheight = {height:?}\n"
        )?;
        let (car, hub, wheel) = (300.0, 20.0, 15.0);
        writeln!(
            out,
            "[[body]]\nname = \"car\"\nmass = {car:?}\n\n[[body]]\nname = \"hub\"\nmass = {hub:?}\n"
        )?;
        writeln!(
            out,
            "[[body]]\nname = \"wheel\"\nmass = {wheel:?}\ninertia = [0.5, 1, 0.5]\n"
        )?;
        // The car is carried along; its weight presses the tyre in by 17 mm.
        let tyre = 2e5;
        let pressed: f64 = (car + hub + wheel) * 9.81 / tyre;
        let rolling = radius - (1.0 - 2.0 / 3.0) * pressed;
        writeln!(out, "[[body]]\nname = \"sled\"\nmass = 1\n")?;
        writeln!(
            out,
            "[[joint]]\nname = \"way\"\nkind = \"prismatic\"\nfrom = \"ground\"\nto = \"sled\"\naxis = [1, 0, 0]\ndisplacement = {{ follows = \"{speed:?} m/s*t\" }}\n"
        )?;
        writeln!(
            out,
            "[[joint]]\nname = \"height\"\nkind = \"prismatic\"\nfrom = \"sled\"\nto = \"hub\"\ndisplacement = {:?}\n",
            radius - pressed
        )?;
        writeln!(
            out,
            "[[joint]]\nname = \"strut\"\nkind = \"prismatic\"\nfrom = \"hub\"\nto = \"car\"\ndisplacement = 0.5\n"
        )?;
        writeln!(
            out,
            "[[joint]]\nname = \"axle\"\nkind = \"revolute\"\nfrom = \"hub\"\nto = \"wheel\"\naxis = [0, 1, 0]\nangle = {{ start = 0, velocity = {:?} }}\n",
            speed / rolling
        )?;
        let spring = 18000.0;
        let free = 0.5 + car * 9.81 / spring;
        writeln!(
            out,
            "[[force]]\nname = \"spring\"\nkind = \"joint-spring\"\ncoordinate = \"strut\"\nstiffness = {spring:?}\ndamping = 100\nfree_position = {free:?}\n"
        )?;
        writeln!(
            out,
            "[[force]]\nname = \"tyre\"\nkind = \"linear-tyre\"\nwheel = \"wheel\"\nroad = \"street\"\nradius = {radius:?}\nstiffness = {tyre:?}\ndamping = 50"
        )?;
        writeln!(out, "slip_stiffness = 80000\ncornering_stiffness = 60000\n")
    }
}
