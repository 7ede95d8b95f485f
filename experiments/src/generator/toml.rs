//! A mechanism as a model file: what a user would have typed, with so many digits.

use crate::geometry::{cardan_of, quaternion_of_rotation};
use crate::mechanism::{ConstraintLaw, Drive, ForceLaw, Frame, Mechanism, Signal, is_angle};
use crate::random::Random;
use std::fmt::Write;

/// How many digits data have that are not rounded: they read back to the bit.
pub const ALL_DIGITS: usize = 17;

/// Writes numbers with so many significant digits.
#[derive(Clone, Copy)]
struct Digits(usize);

impl Digits {
    fn number(self, x: f64) -> String {
        if self.0 >= ALL_DIGITS {
            format!("{x:?}")
        } else {
            let text = format!("{x:.*e}", self.0 - 1);
            // Shorter where it is the same number.
            text.parse::<f64>().map_or(text, |x| format!("{x:?}"))
        }
    }

    fn numbers(self, x: &[f64]) -> String {
        let all: Vec<String> = x.iter().map(|x| self.number(*x)).collect();
        format!("[{}]", all.join(", "))
    }

    fn signal(self, signal: &Signal, unit: &str) -> String {
        if signal.amplitude == 0.0 {
            return self.number(signal.mean);
        }
        let of = |x: f64| self.number(x);
        let (mean, amplitude) = (of(signal.mean), of(signal.amplitude));
        let (frequency, phase) = (of(signal.frequency), of(signal.phase));
        format!("\"{mean} {unit} + {amplitude} {unit}*sin({frequency} rad/s*t + {phase})\"")
    }

    fn signals(self, signals: &[Signal; 3], unit: &str) -> String {
        let all = signals.each_ref().map(|s| self.signal(s, unit));
        format!("[{}]", all.join(", "))
    }

    fn marker(self, frame: &Frame, random: &mut Random) -> String {
        let r = &frame.rotation;
        let style = random.below(3);
        let turned = match style {
            0 => {
                let rows: Vec<String> = r.iter().map(|row| self.numbers(row)).collect();
                format!("matrix = [{}]", rows.join(", "))
            }
            // Next to their singular position Cardan angles lose digits.
            1 if r[0][2].abs() < 0.99 => format!("cardan = {}", self.numbers(&cardan_of(r))),
            _ => format!("quaternion = {}", self.numbers(&quaternion_of_rotation(r))),
        };
        let name = frame.name.rsplit('.').next().unwrap_or(&frame.name);
        format!(
            "markers.{name} = {{ position = {}, {turned} }}\n",
            self.numbers(&frame.position)
        )
    }
}

/// The text of the model file, with numbers of so many significant digits.
pub fn text(mechanism: &Mechanism, digits: usize) -> String {
    let d = Digits(digits);
    let mut out = String::new();
    let random = &mut Random::of(mechanism.seed, 77);
    // Writing to a string cannot fail.
    let _ = write(mechanism, d, random, &mut out);
    out
}

fn write(m: &Mechanism, d: Digits, random: &mut Random, out: &mut String) -> std::fmt::Result {
    let family = m.family.name();
    writeln!(
        out,
        "# Seed {}, {family}, {} degrees of freedom.",
        m.seed, m.freedoms
    )?;
    writeln!(out, "[model]\nformat = 1\nname = \"{family}-{}\"", m.seed)?;
    writeln!(out, "gravity = {}\n", d.numbers(&m.gravity))?;
    // The same orientation whatever the digits: markers are written in their order.
    let markers: Vec<(Option<usize>, String)> = (m.frames.iter())
        .filter(|f| f.name.contains('.'))
        .map(|f| (f.body, d.marker(f, random)))
        .collect();
    let markers_of = |body: Option<usize>| -> String {
        let own = markers.iter().filter(|(b, _)| *b == body);
        own.map(|(_, text)| text.as_str()).collect()
    };
    let ground = markers_of(None);
    if !ground.is_empty() {
        writeln!(out, "[ground]\n{ground}")?;
    }
    for (k, body) in m.bodies.iter().enumerate() {
        let i = &body.inertia;
        let inertia = [i[0][0], i[1][1], i[2][2], i[0][1], i[1][2], i[2][0]];
        writeln!(
            out,
            "[[body]]\nname = \"{}\"\nmass = {}",
            body.name,
            d.number(body.mass)
        )?;
        writeln!(
            out,
            "centre = {}\ninertia = {}",
            d.numbers(&body.centre),
            d.numbers(&inertia)
        )?;
        writeln!(out, "{}", markers_of(Some(k)))?;
    }
    for joint in &m.joints {
        writeln!(
            out,
            "[[joint]]\nname = \"{}\"\nkind = \"{}\"",
            joint.name,
            joint.kind.name()
        )?;
        let (from, to) = (&m.frames[joint.from].name, &m.frames[joint.to].name);
        writeln!(out, "from = \"{from}\"\nto = \"{to}\"")?;
        if let Some(axis) = joint.axis {
            writeln!(out, "axis = {}", d.numbers(&axis))?;
        }
        if joint.pitch != 0.0 {
            writeln!(out, "pitch = {}", d.number(joint.pitch))?;
        }
        for (k, name) in joint.kind.coordinates().iter().enumerate() {
            let start = d.number(joint.start[k]);
            match &joint.drives[k] {
                Drive::Locked => writeln!(out, "{name} = {{ start = {start}, locked = true }}")?,
                Drive::Follows(signal) => {
                    let unit = if is_angle(name) { "rad" } else { "m" };
                    writeln!(out, "{name} = {{ follows = {} }}", d.signal(signal, unit))?;
                }
                Drive::None => {
                    let rate = d.number(joint.rates[k]);
                    writeln!(out, "{name} = {{ start = {start}, velocity = {rate} }}")?;
                }
            }
        }
        if joint.kind.has_orientation() {
            let e = quaternion_of_rotation(&joint.orientation);
            writeln!(out, "orientation = {}", d.numbers(&e))?;
            writeln!(out, "angular_velocity = {}", d.numbers(&joint.angular_velocity))?;
        }
        writeln!(out)?;
    }
    for constraint in &m.constraints {
        let kind = match constraint.law {
            ConstraintLaw::Point { .. } => "point",
            ConstraintLaw::Distance { .. } => "distance",
            ConstraintLaw::Driver { .. } => "driver",
            ConstraintLaw::Coupling { .. } => "coupling",
        };
        writeln!(
            out,
            "[[constraint]]\nname = \"{}\"\nkind = \"{kind}\"",
            constraint.name
        )?;
        match &constraint.law {
            ConstraintLaw::Point { from, to } => ends(m, *from, *to, out)?,
            ConstraintLaw::Distance { from, to, length } => {
                ends(m, *from, *to, out)?;
                writeln!(out, "length = {}", d.number(*length))?;
            }
            ConstraintLaw::Driver { coordinate, follows } => {
                let joint = &m.joints[coordinate.0];
                let angle = is_angle(joint.kind.coordinates()[coordinate.1]);
                let follows = d.signal(follows, if angle { "rad" } else { "m" });
                writeln!(
                    out,
                    "coordinate = \"{}\"\nfollows = {follows}",
                    m.coordinate_name(*coordinate)
                )?;
            }
            ConstraintLaw::Coupling { terms, offset } => {
                let one = |(c, f): &(_, f64)| format!("\"{}\" = {}", m.coordinate_name(*c), d.number(*f));
                let terms: Vec<String> = terms.iter().map(one).collect();
                writeln!(
                    out,
                    "terms = {{ {} }}\noffset = {}",
                    terms.join(", "),
                    d.number(*offset)
                )?;
            }
        }
        writeln!(out)?;
    }
    for force in &m.forces {
        write_force(m, d, &force.name, &force.law, out)?;
    }
    let end = d.number(m.t_end);
    writeln!(
        out,
        "[simulation]\nt_end = {end}\noutput_step = {}",
        d.number(m.t_end / 100.0)
    )
}

fn ends(m: &Mechanism, from: usize, to: usize, out: &mut String) -> std::fmt::Result {
    let (from, to) = (&m.frames[from].name, &m.frames[to].name);
    writeln!(out, "from = \"{from}\"\nto = \"{to}\"")
}

fn write_force(m: &Mechanism, d: Digits, name: &str, law: &ForceLaw, out: &mut String) -> std::fmt::Result {
    let head =
        |out: &mut String, kind: &str| writeln!(out, "[[force]]\nname = \"{name}\"\nkind = \"{kind}\"");
    let all = |out: &mut String, values: &[(&str, f64)]| {
        let line = |(key, x): &(&str, f64)| format!("{key} = {}\n", d.number(*x));
        out.extend(values.iter().map(line));
    };
    let on = |out: &mut String, c| writeln!(out, "coordinate = \"{}\"", m.coordinate_name(c));
    let angular = |c: (usize, usize)| is_angle(m.joints[c.0].kind.coordinates()[c.1]);
    let vector = |x: &[f64]| d.numbers(x);
    match law {
        ForceLaw::SpringDamper {
            from,
            to,
            stiffness,
            damping,
            free_length,
            preload,
        } => {
            head(out, "spring-damper")?;
            ends(m, *from, *to, out)?;
            let data = [
                ("stiffness", *stiffness),
                ("damping", *damping),
                ("free_length", *free_length),
                ("preload", *preload),
            ];
            all(out, &data);
        }
        ForceLaw::TorsionSpring {
            from,
            to,
            stiffness,
            damping,
            free_angle,
        } => {
            head(out, "torsion-spring")?;
            ends(m, *from, *to, out)?;
            all(
                out,
                &[
                    ("stiffness", *stiffness),
                    ("damping", *damping),
                    ("free_angle", *free_angle),
                ],
            );
        }
        ForceLaw::JointSpring {
            coordinate,
            stiffness,
            damping,
            free_position,
            motor,
        } => {
            head(out, "joint-spring")?;
            on(out, *coordinate)?;
            let data = [
                ("stiffness", *stiffness),
                ("damping", *damping),
                ("free_position", *free_position),
            ];
            all(out, &data);
            let unit = if angular(*coordinate) { "N*m" } else { "N" };
            writeln!(out, "motor = {}", d.signal(motor, unit))?;
        }
        ForceLaw::Servo {
            coordinate,
            target,
            stiffness,
            damping,
        } => {
            head(out, "servo")?;
            on(out, *coordinate)?;
            all(out, &[("stiffness", *stiffness), ("damping", *damping)]);
            let unit = if angular(*coordinate) { "rad" } else { "m" };
            writeln!(out, "target = {}", d.signal(target, unit))?;
        }
        ForceLaw::JointStop {
            coordinate,
            lower,
            upper,
            stiffness,
            damping,
            onset,
        } => {
            head(out, "joint-stop")?;
            on(out, *coordinate)?;
            let data = [
                ("lower", *lower),
                ("upper", *upper),
                ("stiffness", *stiffness),
                ("damping", *damping),
                ("onset", *onset),
            ];
            all(out, &data);
        }
        ForceLaw::Bushing {
            from,
            to,
            stiffness,
            damping,
        } => {
            head(out, "bushing")?;
            ends(m, *from, *to, out)?;
            writeln!(
                out,
                "stiffness = {}\ndamping = {}",
                vector(stiffness),
                vector(damping)
            )?;
        }
        ForceLaw::Applied {
            frame,
            force,
            torque,
            follower,
        } => {
            head(out, "applied")?;
            writeln!(
                out,
                "frame = \"{}\"\nfollower = {follower}",
                m.frames[*frame].name
            )?;
            writeln!(
                out,
                "force = {}\ntorque = {}",
                d.signals(force, "N"),
                d.signals(torque, "N*m")
            )?;
        }
        ForceLaw::Actuator {
            from,
            to,
            force,
            torque,
        } => {
            head(out, "actuator")?;
            ends(m, *from, *to, out)?;
            writeln!(
                out,
                "force = {}\ntorque = {}",
                d.signal(force, "N"),
                d.signal(torque, "N*m")
            )?;
        }
        ForceLaw::SphereOnPlane {
            plane,
            body,
            radius,
            stiffness,
            dissipation,
            friction,
            slip_speed,
        } => {
            head(out, "plane-contact")?;
            let (plane, body) = (&m.frames[*plane].name, &m.frames[*body].name);
            writeln!(out, "plane = \"{plane}\"\nbody = \"{body}\"\nshape = \"sphere\"")?;
            let data = [
                ("radius", *radius),
                ("stiffness", *stiffness),
                ("dissipation", *dissipation),
                ("friction", *friction),
                ("slip_speed", *slip_speed),
            ];
            all(out, &data);
        }
        ForceLaw::Switch {
            from,
            to,
            gap,
            stiffness,
            damping_in,
            damping_out,
        } => {
            head(out, "expression")?;
            ends(m, *from, *to, out)?;
            let [gap, k, c, e] = [gap, stiffness, damping_in, damping_out].map(|x| d.number(*x));
            let depth = format!("(z - ({gap} m))");
            let damping = format!("if(vz > 0, {c} N*s/m, {e} N*s/m)");
            let onset = format!("(1 - exp(-20*{depth}/{} m))", d.number(m.size));
            let load = format!("-({k} N/m)*{depth} - {damping}*vz*{onset}");
            writeln!(out, "force = [0, 0, \"if({depth} > 0, {load}, 0)\"]")?;
        }
    }
    writeln!(out)
}
