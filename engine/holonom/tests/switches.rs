//! Switches on the state in expressions: each passage is an event, and a switch that both sides lead back to slides.
#![allow(clippy::unwrap_used)]

use holonom::format::{Files, Settings, read};
use holonom::prelude::*;
use holonom::simulation::{Memory, RunOptions, Simulation, Status};

const STEPPERS: [&str; 5] = ["bdf", "radau", "dormand-prince", "generalized-alpha", "auto"];

/// How the law reaches the mass.
#[derive(Clone, Copy, Debug, PartialEq)]
enum By {
    /// As a law between two frames.
    Law,
    /// As a motor that reads sensors.
    Motor,
    /// As characteristics of an element of this kind, written `spring | damper`.
    Curves(&'static str),
}

/// One kilogram on a slide.
struct Case<'a> {
    law: &'a str,
    by: By,
    start: [f64; 2],
    end: f64,
    tolerance: f64,
}

impl Case<'_> {
    fn text(&self) -> String {
        let force = match self.by {
            By::Law => format!(
                "[[force]]\nname = \"law\"\nkind = \"expression\"\nfrom = \"ground\"\nto = \"mass\"\nforce = [\"{}\", 0, 0]\n",
                self.law
            ),
            By::Motor => {
                let sensor = |name: &str, channel: &str| {
                    format!(
                        "[[control]]\nname = \"{name}\"\nkind = \"sensor\"\nchannel = \"slide.displacement{channel}\"\n"
                    )
                };
                let motor = self
                    .law
                    .replace("vx", "speed")
                    .replace('x', "place")
                    .replace("eplacep", "exp");
                sensor("place", "")
                    + &sensor("speed", ".velocity")
                    + &format!(
                        "[[force]]\nname = \"law\"\nkind = \"joint-spring\"\ncoordinate = \"slide\"\nmotor = \"{motor}\"\n"
                    )
            }
            By::Curves(kind) => {
                let (spring, damper) = self.law.split_once(" | ").unwrap();
                let place = match kind {
                    "nonlinear-joint-spring" => "coordinate = \"slide\"",
                    "nonlinear-spring" => "from = \"ground.far\"\nto = \"mass\"\nfree_length = 10",
                    _ => "from = \"ground\"\nto = \"mass\"",
                };
                let law = match kind {
                    "bushing" => format!("force = [\"{}\", 0, 0]", spring.replace('x', "s")),
                    _ => format!("spring = \"{spring}\"\ndamper = \"{damper}\""),
                };
                format!("[[force]]\nname = \"law\"\nkind = \"{kind}\"\n{place}\n{law}\n")
            }
        };
        let force = force + "[ground]\nmarkers = { far = [-10, 0, 0] }\n";
        let ([x, v], end, tolerance) = (self.start, self.end, self.tolerance);
        format!(
            r#"
[model]
format = 1
name = "switches"
gravity = [0, 0, 0]
[[body]]
name = "mass"
mass = 1
solid = {{ ball = 0.1 }}
[[joint]]
name = "slide"
kind = "prismatic"
from = "ground"
to = "mass"
axis = [1, 0, 0]
displacement = {{ start = {x:?}, velocity = {v:?} }}
{force}
[simulation]
t_end = {end}
output_step = {end}
rtol = {tolerance:e}
atol = {tolerance:e}
max_steps = 100000
"#
        )
    }

    /// Displacement, velocity and acceleration at the end.
    fn run(&self, stepper: &str) -> Result<[f64; 3], String> {
        Self::run_text(&self.text(), stepper)
    }

    fn run_text(text: &str, stepper: &str) -> Result<[f64; 3], String> {
        let files = Files::in_memory([("switches.toml", text)]);
        let file = read("switches.toml", &files, &[]).map_err(|e| format!("{e:?}"))?;
        let settings = Settings {
            stepper: Some(stepper.into()),
            ..Settings::default()
        };
        let simulation = Simulation::new(&file, &settings).map_err(|e| e.to_string())?;
        let selection = simulation.catalogue.select(&[
            "slide.displacement",
            "slide.displacement.velocity",
            "slide.displacement.acceleration",
        ]);
        let mut rows = Memory::default();
        let report = simulation
            .run(&RunOptions::new(selection.unwrap()), &mut rows)
            .map_err(|e| e.to_string())?;
        if report.status != Status::Finished {
            return Err(report.message);
        }
        let last = rows.0.last().unwrap();
        Ok([last[1], last[2], last[3]])
    }
}

/// States at the end by SciPy: `solve_ivp` with DOP853 at rtol 10⁻¹¹, sides kept between events, which it locates,
/// and Filippov's combination of both sides along borders.
const REFERENCES: [(&str, [f64; 2], f64, [f64; 2]); 7] = [
    (
        "if(x<0,-400*x,0)-9.81",
        [0.3, 0.0],
        1.5,
        [0.179551090, -1.537272786],
    ),
    (
        "5*sin(3*t)-3*sign(vx)",
        [0.0, 1.0],
        4.0,
        [1.048509124, -0.808035667],
    ),
    (
        "if(x>0,-5,5)-0.8*vx",
        [0.7, 0.0],
        3.0,
        [0.116621804, -0.581503197],
    ),
    (
        "if(x+0.5*vx>0,-5,5)",
        [0.7, 0.0],
        5.0,
        [0.000040832, -0.000081664],
    ),
    (
        "if(abs(x-1)<0.0001,-1000,0)",
        [0.0, 1.0],
        2.0,
        [1.774599532, 0.774596669],
    ),
    (
        "if(x>0.2*t,-3,2)-0.5*vx",
        [0.5, 0.0],
        4.0,
        [0.892182718, 0.664847345],
    ),
    ("-4*step(x)+2-x", [0.7, 0.2], 4.0, [-0.360577128, -1.325773595]),
];

#[test]
fn every_stepper_meets_references_with_located_events() {
    for (law, start, end, expected) in REFERENCES {
        for by in [By::Law, By::Motor] {
            for stepper in STEPPERS {
                let tolerance = 1e-7;
                let case = Case {
                    law,
                    by,
                    start,
                    end,
                    tolerance,
                };
                match case.run(stepper) {
                    Ok(found) => {
                        for k in 0..2 {
                            let allowed = 100.0 * tolerance * (1.0 + expected[k].abs());
                            let off = (found[k] - expected[k]).abs();
                            assert!(
                                off < allowed,
                                "{stepper}, {by:?}, {law}: {found:?}, not {expected:?}"
                            );
                        }
                    }
                    // An explicit method says so where a switch slides.
                    Err(message) => {
                        assert!(stepper == "dormand-prince", "{stepper}, {law}: {message}");
                        for part in ["both sides", "`radau`", "tanh", "force \"law\""] {
                            assert!(message.contains(part), "{law}: {message}");
                        }
                    }
                }
            }
        }
    }
}

/// Backward Euler takes steps in proportion to the error, so it is asked for less; the first reference, of many bounces,
/// multiplies errors too much for that.
#[test]
fn backward_euler_locates_switches_too() {
    for (law, start, end, expected) in REFERENCES.into_iter().skip(1) {
        let case = Case {
            law,
            by: By::Law,
            start,
            end,
            tolerance: 1e-5,
        };
        let found = case.run("backward-euler").unwrap();
        for k in 0..2 {
            let allowed = 0.05 * (1.0 + expected[k].abs());
            assert!(
                (found[k] - expected[k]).abs() < allowed,
                "{law}: {found:?}, not {expected:?}"
            );
        }
    }
}

/// Numbers in [0, 1): Knuth's linear congruential generator.
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }
    fn within(&mut self, a: f64, b: f64) -> f64 {
        a + (b - a) * self.next()
    }
}

/// A force that is constant between thresholds of x, and friction of constant size.
struct Staircase {
    thresholds: Vec<f64>,
    forces: Vec<f64>,
    friction: f64,
}

impl Staircase {
    fn random(random: &mut Random) -> Self {
        let n = 1 + (4.0 * random.next()) as usize;
        let mut thresholds: Vec<f64> = (0..n).map(|_| random.within(-1.0, 1.0)).collect();
        thresholds.sort_by(f64::total_cmp);
        // Back to the middle at both ends.
        let mut forces: Vec<f64> = (0..=n).map(|_| random.within(-4.0, 4.0)).collect();
        forces[0] = random.within(1.0, 5.0);
        forces[n] = random.within(-5.0, -1.0);
        let friction = if random.next() < 0.5 {
            0.0
        } else {
            random.within(0.1, 3.0)
        };
        Self {
            thresholds,
            forces,
            friction,
        }
    }

    /// Written in one of several ways.
    fn law(&self, way: usize) -> String {
        let mut law = self.stairs(way);
        if self.friction > 0.0 {
            law += &format!(" - {:?}*sign(vx)", self.friction);
        }
        law
    }

    /// What depends on x.
    fn stairs(&self, way: usize) -> String {
        let (c, f) = (&self.thresholds, &self.forces);
        match way % 4 {
            0 => {
                let mut text = format!("{:?}", f[c.len()]);
                for k in (0..c.len()).rev() {
                    text = format!("if(x < {:?}, {:?}, {text})", c[k], f[k]);
                }
                text
            }
            1 => c.iter().enumerate().fold(format!("{:?}", f[0]), |text, (k, c)| {
                format!("{text} + {:?}*step(x - {c:?})", f[k + 1] - f[k])
            }),
            2 => c.iter().enumerate().fold(format!("{:?}", f[0]), |text, (k, c)| {
                format!("{text} + {:?}*(1 + sign(x - {c:?}))", 0.5 * (f[k + 1] - f[k]))
            }),
            _ => c.iter().enumerate().fold(format!("{:?}", f[0]), |text, (k, c)| {
                format!("{text} + {:?}*(1 - (x <= {c:?}))", f[k + 1] - f[k])
            }),
        }
    }

    /// The exact motion: parabolas between thresholds and turning points.
    fn motion(&self, [mut x, mut v]: [f64; 2], end: f64) -> [f64; 2] {
        let mut rest = end;
        let mut passages = 0;
        let mut cell = self.thresholds.iter().filter(|c| **c < x).count();
        while rest > 0.0 {
            // Ever smaller swings about a threshold come to rest there.
            passages += 1;
            if passages > 400 {
                return [x, 0.0];
            }
            let push = self.forces[cell];
            let sign = if v != 0.0 { v.signum() } else { push.signum() };
            if v == 0.0 && push.abs() <= self.friction {
                return [x, 0.0];
            }
            let a = push - sign * self.friction;
            // The next border ahead, and the time to a turn.
            let turn = if a * sign < 0.0 { -v / a } else { f64::INFINITY };
            let border = if sign > 0.0 {
                self.thresholds.get(cell).copied()
            } else {
                cell.checked_sub(1).map(|k| self.thresholds[k])
            };
            let passes = border.map_or(f64::INFINITY, |c| {
                // c − x = v u + a u²/2: the first root ahead.
                let (d, disc) = (c - x, v * v + 2.0 * a * (c - x));
                match disc {
                    _ if d == 0.0 => 0.0,
                    ..0.0 => f64::INFINITY,
                    _ => 2.0 * d / (v + sign * disc.sqrt()),
                }
            });
            let u = turn.min(passes).min(rest);
            let at_border = passes <= turn && passes <= rest;
            x = if at_border {
                border.unwrap()
            } else {
                x + u * (v + 0.5 * a * u)
            };
            v = if u == turn && !at_border { 0.0 } else { v + a * u };
            rest -= u;
            if at_border {
                cell = if sign > 0.0 { cell + 1 } else { cell - 1 };
            }
        }
        [x, v]
    }
}

/// Generated laws against their exact motion, where a start moved a little moves the end but little.
#[test]
fn generated_staircases_with_friction_follow_their_exact_motion() {
    let mut random = Random(20);
    let (mut judged, mut worst) = (0, 0.0_f64);
    for way in 0..30 {
        let stairs = Staircase::random(&mut random);
        let start = [random.within(-0.8, 0.8), random.within(-2.0, 2.0)];
        let (end, tolerance) = (4.0, 1e-6);
        let expected = stairs.motion(start, end);
        let twin = stairs.motion([start[0] + 1e-8, start[1] + 1e-8], end);
        if (0..2).any(|k| (twin[k] - expected[k]).abs() > 1e-6) {
            continue;
        }
        let law = stairs.law(way);
        for stepper in ["bdf", "radau", "generalized-alpha", "auto"] {
            let case = Case {
                law: &law,
                by: By::Law,
                start,
                end,
                tolerance,
            };
            let found = case
                .run(stepper)
                .unwrap_or_else(|e| panic!("{stepper}, {law}, {start:?}: {e}"));
            for k in 0..2 {
                let off = (found[k] - expected[k]).abs() / (tolerance * (1.0 + expected[k].abs()));
                worst = worst.max(off);
                assert!(
                    off < 200.0,
                    "{stepper}, {law}, {start:?}: {found:?}, not {expected:?}"
                );
            }
            judged += 1;
        }
    }
    assert!(judged > 60, "{judged}, worst {worst}");
}

/// A mass on a gas whose bellows change their area at a height: no energy is lost or won.
#[test]
fn a_step_of_the_area_of_an_air_spring_is_located() {
    let (volume, pressure, ambient, areas) = (0.004, 2e5, 1e5, [0.002, 0.003]);
    for border in [0.05, -0.02, 0.013] {
        for stepper in STEPPERS {
            // A method of order two would take very many steps.
            let tolerance = if stepper == "generalized-alpha" {
                1e-6
            } else {
                1e-8
            };
            let case = Case {
                law: "0 | 0",
                by: By::Curves("nonlinear-joint-spring"),
                start: [0.1, 3.0],
                end: 0.3,
                tolerance,
            };
            let spring = format!(
                "kind = \"air-spring\"\nfrom = \"ground.far\"\nto = \"mass\"\nheight = 10.1\nvolume = {volume:?}\n\
                 area = \"if(x < {border:?}, {:?}, {:?})\"\npressure = {pressure:?}\nambient = {ambient:?}\nexponent = 1\n\
                 [[force]]\nname = \"back\"\nkind = \"joint-spring\"\ncoordinate = \"slide\"\nstiffness = 4000\n",
                areas[0], areas[1]
            );
            let text = case.text();
            let from = text.find("kind = \"nonlinear-joint-spring\"").unwrap();
            let to = text.find("[ground]").unwrap();
            let [x, v, _] =
                Case::run_text(&format!("{}{spring}{}", &text[..from], &text[to..]), stepper).unwrap();
            // V = V₀ + ∫A dx and p V constant.
            let energy = |x: f64, v: f64| {
                let h = x - 0.1;
                let area = |h: f64| h * if h < border { areas[0] } else { areas[1] };
                let (at, zero) = (area(h), area(0.0));
                let jump = |h: f64| {
                    if h < border {
                        0.0
                    } else {
                        border * (areas[0] - areas[1])
                    }
                };
                let more = at + jump(h) - zero - jump(0.0);
                let gas = ambient * more - pressure * volume * (more / volume).ln_1p();
                0.5 * v * v + 2000.0 * x * x + gas
            };
            let (first, last) = (energy(0.1, 3.0), energy(x, v));
            assert!(
                (last - first).abs() < 3000.0 * tolerance * first.abs(),
                "{stepper}, {border}: {first} {last}"
            );
        }
    }
}

/// Characteristics of springs and dampers: the references that are functions of x and of v, and friction that stops.
#[test]
fn characteristics_meet_references_with_located_events() {
    let after = 1.5_f64.sqrt();
    let mut cases = vec![
        (
            "-if(x<0, -400*x, 0) + 9.81 | 0*v",
            REFERENCES[0].1,
            REFERENCES[0].2,
            REFERENCES[0].3,
        ),
        (
            "if(x>0, 5, -5) | 0.8*v",
            REFERENCES[2].1,
            REFERENCES[2].2,
            REFERENCES[2].3,
        ),
        (
            "if(abs(x-1)<0.0001, 1000, 0) | 0*v",
            REFERENCES[4].1,
            REFERENCES[4].2,
            REFERENCES[4].3,
        ),
        (
            "4*step(x) - 2 + x | 0*v",
            REFERENCES[6].1,
            REFERENCES[6].2,
            REFERENCES[6].3,
        ),
        // A push of 250 N over 1 mm.
        (
            "if(x > 1, if(x < 1.001, -250, 0), 0) | 0*v",
            [0.0, 1.0],
            10.0,
            [1.001 + (9.0 - (after - 1.0) / 250.0) * after, after],
        ),
        ("0*x | 2*sign(v)", [0.0, 1.0], 0.4, [0.24, 0.2]),
    ];
    // Half swings about ±2/25 until 25 |x| < 2: from 0.5 over −0.34, 0.18 to −0.02.
    cases.push(("25*x | 2*sign(v)", [0.5, 0.0], 4.0, [-0.02, 0.0]));
    cases.push(("0*x | 2*sign(v)", [0.0, 1.0], 4.0, [0.25, 0.0]));
    for (law, start, end, expected) in cases {
        for kind in ["nonlinear-joint-spring", "nonlinear-spring", "bushing"] {
            if kind == "bushing" && !law.ends_with("| 0*v") {
                continue;
            }
            for stepper in STEPPERS {
                let tolerance = 1e-7;
                let case = Case {
                    law,
                    by: By::Curves(kind),
                    start,
                    end,
                    tolerance,
                };
                match case.run(stepper) {
                    Ok(found) => {
                        for k in 0..2 {
                            let allowed = 100.0 * tolerance * (1.0 + expected[k].abs());
                            let off = (found[k] - expected[k]).abs();
                            assert!(
                                off < allowed,
                                "{stepper}, {kind}, {law}: {found:?}, not {expected:?}"
                            );
                        }
                    }
                    Err(message) => {
                        assert!(
                            stepper == "dormand-prince" && expected[1] == 0.0,
                            "{stepper}, {law}: {message}"
                        );
                        for part in ["both sides", "`sign(v)`", "force \"law\""] {
                            assert!(message.contains(part), "{law}: {message}");
                        }
                    }
                }
            }
        }
    }
}

/// Generated staircases as characteristics.
#[test]
fn generated_characteristics_follow_their_exact_motion() {
    let mut random = Random(77);
    let mut judged = 0;
    for way in 0..24 {
        let stairs = Staircase::random(&mut random);
        let start = [random.within(-0.8, 0.8), random.within(-2.0, 2.0)];
        let (end, tolerance) = (4.0, 1e-6);
        let expected = stairs.motion(start, end);
        let twin = stairs.motion([start[0] + 1e-8, start[1] + 1e-8], end);
        if (0..2).any(|k| (twin[k] - expected[k]).abs() > 1e-6) {
            continue;
        }
        let law = format!("-({}) | {:?}*sign(v)", stairs.stairs(way), stairs.friction);
        for kind in ["nonlinear-joint-spring", "nonlinear-spring", "bushing"] {
            if kind == "bushing" && stairs.friction > 0.0 {
                continue;
            }
            for stepper in ["bdf", "radau", "generalized-alpha", "auto"] {
                let case = Case {
                    law: &law,
                    by: By::Curves(kind),
                    start,
                    end,
                    tolerance,
                };
                let found = case
                    .run(stepper)
                    .unwrap_or_else(|e| panic!("{stepper}, {kind}, {law}, {start:?}: {e}"));
                for k in 0..2 {
                    let off = (found[k] - expected[k]).abs() / (tolerance * (1.0 + expected[k].abs()));
                    assert!(
                        off < 200.0,
                        "{stepper}, {kind}, {law}, {start:?}: {found:?}, not {expected:?}"
                    );
                }
                judged += 1;
            }
        }
    }
    assert!(judged > 60, "{judged}");
}

/// Bands down to 10⁻⁵ of the run, passed within one step: a push of 1 J.
#[test]
fn narrow_bands_are_not_stepped_over() {
    for share in [1e-1, 1e-2, 1e-3, 1e-4, 1e-5] {
        // 10 s at 1 m/s.
        let width = 10.0 * share;
        let laws = [
            format!("if((x > 3.3)*(x < {:?}), {:?}, 0)", 3.3 + width, 1.0 / width),
            format!("{:?}*(step(x - 3.3) - step(x - {:?}))", 1.0 / width, 3.3 + width),
            format!("if(abs(x - 3.3) < {:?}, {:?}, 0)", 0.5 * width, 1.0 / width),
            format!(
                "if((x - 3.3)^2 < {:?}, {:?}, 0)",
                0.25 * width * width,
                1.0 / width
            ),
        ];
        for law in &laws {
            for stepper in STEPPERS {
                let case = Case {
                    law,
                    by: By::Law,
                    start: [0.0, 1.0],
                    end: 10.0,
                    tolerance: 1e-7,
                };
                let [_, v, _] = case.run(stepper).unwrap();
                assert!((v - 3.0_f64.sqrt()).abs() < 1e-4, "{stepper}, {law}: {v}");
            }
        }
    }
}

/// Laws that are not defined beyond their borders turn a mass round without loss.
#[test]
fn guarded_laws_are_not_evaluated_where_they_are_undefined() {
    for law in [
        "if(x > 1, -50*(x-1)^1.5, 0)",
        "if(x > 1, -50*sqrt(x-1), 0)",
        "if(x <= 1, 0, -50*ln(1 + sqrt(x-1)))",
        "(x > 1)*if(x > 1, -50*sqrt(x-1), 0)",
    ] {
        for by in [By::Law, By::Motor] {
            for stepper in STEPPERS {
                let case = Case {
                    law,
                    by,
                    start: [0.0, 1.0],
                    end: 4.0,
                    tolerance: 1e-6,
                };
                let [x, v, a] = case
                    .run(stepper)
                    .unwrap_or_else(|e| panic!("{stepper}, {law}: {e}"));
                assert!(
                    (v + 1.0).abs() < 1e-4 && x < 0.0 && a == 0.0,
                    "{stepper}, {law}: {x} {v} {a}"
                );
            }
        }
    }
}

/// What is undefined on its own side of the border ends the run.
#[test]
fn laws_without_a_value_on_their_own_side_are_refused() {
    for stepper in STEPPERS {
        let case = Case {
            law: "if(x > 1, -50*sqrt(1-x), 0)",
            by: By::Law,
            start: [0.0, 1.0],
            end: 4.0,
            tolerance: 1e-6,
        };
        let message = case.run(stepper).unwrap_err();
        assert!(message.contains("sqrt(1 - x)"), "{stepper}: {message}");
    }
}

/// A step that ends at a border exactly leaves it there, not a little later.
#[test]
fn steps_that_end_at_borders_lose_nothing() {
    for stepper in STEPPERS {
        for k in 0..40 {
            // Constant speed makes steps end at round numbers.
            let c = 0.25 + 0.27 * f64::from(k);
            let law = format!("50*if(x > {c:?}, if(x < {:?}, 1, 0), 0)", c + 0.01);
            let case = Case {
                law: &law,
                by: By::Law,
                start: [0.0, 1.0],
                end: 12.0,
                tolerance: 1e-6,
            };
            let v = case.run(stepper).unwrap()[1];
            assert!((v - 2f64.sqrt()).abs() < 1e-5, "{stepper}, {c}: {v}");
        }
    }
}

/// At rest friction of a sign holds, and what is still carried stays where it is.
#[test]
fn a_mass_held_by_friction_stays() {
    for stepper in STEPPERS {
        let case = Case {
            law: "-3*sign(vx)",
            by: By::Law,
            start: [0.25, 0.0],
            end: 10.0,
            tolerance: 1e-6,
        };
        assert_eq!(case.run(stepper).unwrap(), [0.25, 0.0, 0.0], "{stepper}");
    }
    for stepper in ["bdf", "radau", "generalized-alpha", "auto"] {
        let case = Case {
            law: "2 - 3*sign(vx)",
            by: By::Law,
            start: [0.25, 0.0],
            end: 10.0,
            tolerance: 1e-6,
        };
        let [x, v, a] = case.run(stepper).unwrap();
        assert!((x - 0.25).abs() < 3e-4 && v.abs() < 3e-5, "{stepper}: {x} {v}");
        // What is written is the force that holds, up to errors of v against the band, and not one of the sides.
        assert!(a.abs() < 0.15, "{stepper}: {a}");
    }
}

/// Sides, bands and what is remembered of passages are in checkpoints.
#[test]
fn a_resumed_run_gives_the_same_bits() {
    let law = "5*sin(3*t) - 3*sign(vx) - if(x > 0.8, 2, if(vx > 0.5, 0.3, 0))";
    for stepper in ["bdf", "radau", "generalized-alpha", "auto"] {
        let case = Case {
            law,
            by: By::Law,
            start: [0.0, 1.0],
            end: 4.0,
            tolerance: 1e-6,
        };
        let text = case.text();
        let files = Files::in_memory([("switches.toml", text.as_str())]);
        let file = read("switches.toml", &files, &[]).unwrap();
        let settings = Settings {
            stepper: Some(stepper.into()),
            ..Settings::default()
        };
        let simulation = Simulation::new(&file, &settings).unwrap();
        let equations = || {
            simulation
                .start
                .equations(simulation.form, simulation.formalism)
                .unwrap()
        };
        let (y, yp) = simulation.start.state(&equations());
        let start =
            || Integrator::new(equations().system(), 0.0, &y, &yp, 4.0, simulation.solver.clone()).unwrap();
        let mut whole = start();
        whole.run(4.0, &mut Quiet).unwrap();
        let mut first = start();
        for k in 1..16 {
            first.run(0.25 * f64::from(k), &mut Quiet).unwrap();
            let checkpoint = first.checkpoint();
            let mut resumed =
                Integrator::resume(equations().system(), simulation.solver.clone(), &checkpoint).unwrap();
            resumed.run(4.0, &mut Quiet).unwrap();
            assert_eq!(resumed.y(), whole.y(), "{stepper}, {k}");
            assert_eq!(resumed.counters(), whole.counters(), "{stepper}, {k}");
        }
    }
}

/// Conditions that no run should stumble over.
#[test]
fn careless_conditions_run_or_say_why_not() {
    for law in [
        "if(x > x, 1, 2)",
        "sign(0*x) + step(0*vx)",
        "if(x > 0, if(sqrt(x) > 0.5, -1, 1), 1)",
        "sign(sign(x))*(-1)",
        "if((x > 0) + (vx > 0), -1, 1)",
        "if(1/(x - 5) > -1, 0, 1)",
        "-2*sign(x) - sign(vx)",
        "-floor(1e3*x)",
        "-1e6*sign(vx) - 1e6*x",
        "if(sin(20*x) > 0, 1, -1)",
        "if(t > 1, sign(x - t), 0)",
    ] {
        for stepper in STEPPERS {
            let case = Case {
                law,
                by: By::Law,
                start: [0.0, 0.0],
                end: 3.0,
                tolerance: 1e-6,
            };
            match case.run(stepper) {
                Ok(found) => assert!(found.iter().all(|x| x.is_finite()), "{stepper}, {law}: {found:?}"),
                Err(message) => assert!(message.contains("law"), "{stepper}, {law}: {message}"),
            }
        }
    }
}
