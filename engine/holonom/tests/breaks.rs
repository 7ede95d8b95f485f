//! Excitations that begin and end at known times: no step jumps over them.
#![allow(clippy::unwrap_used)]

use holonom::format::{Files, Settings, read};
use holonom::simulation::{Memory, RunOptions, Simulation};

/// A mass at rest on a slide, with a force that acts for a short while. Nothing else ever happens.
fn model(force: &str, more: &str) -> String {
    format!(
        r#"
[model]
format = 1
name = "pulse"
gravity = [0, 0, 0]
[[body]]
name = "mass"
mass = 2
[[joint]]
name = "slide"
kind = "prismatic"
from = "ground"
to = "mass"
axis = [1, 0, 0]
[[force]]
name = "push"
kind = "applied"
frame = "mass"
force = ["{force}", 0, 0]
{more}
[simulation]
t_end = 100
output_step = 50
"#
    )
}

/// Displacement and velocity at the end, reached in fewer than `most` steps.
fn end(text: &str, stepper: &str, most: u64) -> [f64; 2] {
    let files = Files::in_memory([("pulse.toml", text)]);
    let file = read("pulse.toml", &files, &[]).unwrap();
    let settings = Settings {
        stepper: Some(stepper.into()),
        ..Settings::default()
    };
    let simulation = Simulation::new(&file, &settings).unwrap();
    let selection = simulation
        .catalogue
        .select(&["slide.displacement", "slide.displacement.velocity"]);
    let mut rows = Memory::default();
    let report = simulation
        .run(&RunOptions::new(selection.unwrap()), &mut rows)
        .unwrap();
    assert!(
        report.counters.steps < most,
        "{stepper}: {}",
        report.counters.steps
    );
    let last = rows.0.last().unwrap();
    [last[1], last[2]]
}

#[test]
fn no_method_jumps_over_a_short_pulse() {
    for stepper in ["bdf", "radau", "dormand-prince", "generalized-alpha", "auto"] {
        // 8 N on 2 kg for 10 ms: 0.04 m/s.
        let [x, v] = end(&model("8*(step(t - 63) - step(t - 63.01))", ""), stepper, 300);
        assert!((v - 0.04).abs() < 1e-5, "{stepper}: {v}");
        assert!((x - 0.04 * (100.0 - 63.005)).abs() < 1e-3, "{stepper}: {x}");
        // Up and down within 20 ms along a table: ∫ = 0.08 N s.
        let table = "[[table]]\nname = \"f\"\ninterpolation = \"linear\"\nx = [0, 7, 7.01, 7.02, 90]\ny = [0, 0, 8, 0, 0]\n";
        let [_, v] = end(&model("f(t)", table), stepper, 300);
        assert!((v - 0.04).abs() < 1e-5, "{stepper}: {v}");
    }
}

#[test]
fn corners_of_a_dense_table_end_steps_and_keep_the_history() {
    let points = |f: &dyn Fn(f64) -> f64| {
        let numbers = (0..=150).map(|k| format!("{:.6}", f(f64::from(k) / 1.5)));
        numbers.collect::<Vec<_>>().join(", ")
    };
    let table = format!(
        "[[table]]\nname = \"f\"\ninterpolation = \"linear\"\nx = [{}]\ny = [{}]\n",
        points(&|t| t),
        points(&|t| 1e-3 * (0.2 * t).sin())
    );
    let files = Files::in_memory([("pulse.toml", model("f(t)", &table))]);
    let file = read("pulse.toml", &files, &[]).unwrap();
    let simulation = Simulation::new(&file, &Settings::default()).unwrap();
    // The only one is the end of the table, which is the end of the run.
    let stops = &simulation.solver.stop_times;
    assert!(stops.len() == 1 && (stops[0] - 100.0).abs() < 1e-11, "{stops:?}");
    assert!(simulation.solver.step_ends.len() > 140);
}

/// A force law between two frames, in which t is one variable of many.
fn law(force: &str, more: &str) -> String {
    let law = format!(
        "[[force]]\nname = \"push\"\nkind = \"expression\"\nfrom = \"ground\"\nto = \"mass\"\nforce = [\"{force}\", 0, 0]\n{more}"
    );
    model("0", &law).replacen("name = \"push\"", "name = \"nothing\"", 1)
}

const STEPPERS: [&str; 5] = ["bdf", "radau", "dormand-prince", "generalized-alpha", "auto"];

/// Steps that a pulse of any shape may take: many for a method of order 2.
fn most(stepper: &str) -> u64 {
    if stepper == "generalized-alpha" {
        8000
    } else {
        3000
    }
}

#[test]
fn pulses_in_laws_and_inputs_are_seen() {
    // Half a sine of 8 N and 1.8 s on 2 kg: ∫ = 16 · 1.8/π N s, half of it as speed.
    let half = "if(t < 41.1, 0, if(t > 42.9, 0, 8*sin(pi*(t - 41.1)/1.8)))";
    let speed = 8.0 * 1.8 / core::f64::consts::PI;
    let input = format!(
        "[[input]]\nname = \"a\"\nexpression = \"{half}\"\n[[input]]\nname = \"b\"\nexpression = \"2*a\"\n"
    );
    for stepper in STEPPERS {
        for text in [law(half, ""), law("0.5*b + 0*x", &input), model("b/2", &input)] {
            let [_, v] = end(&text, stepper, most(stepper));
            assert!((v - speed).abs() < 2e-3, "{stepper}: {v}, not {speed}");
        }
    }
}

#[test]
fn smooth_pulses_without_any_break_are_seen() {
    // A bell of width s: ∫ = 8 s √π N s.
    for s in [0.05, 1.0, 10.0] {
        let speed = 4.0 * s * core::f64::consts::PI.sqrt();
        for stepper in STEPPERS {
            let [_, v] = end(
                &law(&format!("8*exp(-((t - 63)/{s})^2)"), ""),
                stepper,
                most(stepper),
            );
            assert!((v - speed).abs() < 2e-3 * speed, "{stepper}: {v}, not {speed}");
        }
    }
}

#[test]
fn bumps_over_the_way_are_seen() {
    // The force depends on the place of a cart that has nothing else to do: 1 m/s.
    let cart = "[[body]]\nname = \"cart\"\nmass = 1\n[[joint]]\nname = \"way\"\nkind = \"prismatic\"\nfrom = \"ground\"\nto = \"cart\"\naxis = [0, 1, 0]\ndisplacement.velocity = 1\n";
    let push = "[[force]]\nname = \"bump\"\nkind = \"expression\"\nfrom = \"cart\"\nto = \"mass\"\nforce = [\"8*exp(-((y + 63)/0.5)^2)\", 0, 0]\n";
    let text = model("0", &format!("{cart}{push}"));
    // Half of it on 2 kg; the cart is held sideways.
    let speed = 4.0 * 0.5 * core::f64::consts::PI.sqrt();
    for stepper in STEPPERS {
        let [_, v] = end(&text, stepper, most(stepper));
        assert!((v - speed).abs() < 2e-3 * speed, "{stepper}: {v}, not {speed}");
    }
}

#[test]
fn a_square_wave_of_many_periods_stops_at_every_jump() {
    let files = Files::in_memory([("pulse.toml", law("if(sin(2*pi*50*t) > 0.5, 8, 0)", ""))]);
    let file = read("pulse.toml", &files, &[]).unwrap();
    let simulation = Simulation::new(&file, &Settings::default()).unwrap();
    assert_eq!(simulation.solver.stop_times.len(), 2 * 50 * 100);
}

#[test]
fn a_break_at_the_end_is_not_stepped_across() {
    // A table that ends with the run, up to rounding: the slope of the motion jumps there.
    for last in ["99.99999999999997", "100", "100.00000000000003"] {
        let driven = format!(
            "[[constraint]]\nname = \"drive\"\nkind = \"driver\"\ncoordinate = \"slide\"\nfollows = \"f(t)\"\n\
             [[table]]\nname = \"f\"\ninterpolation = \"spline\"\nextrapolation = \"hold\"\n\
             x = [0, 40, 70, {last}]\ny = [0, 0, 1, 4]\n\
             [[body]]\nname = \"bob\"\nmass = 1\nmarkers.pivot = [0, 0, 1]\n\
             [[joint]]\nname = \"swing\"\nkind = \"revolute\"\nfrom = \"mass\"\nto = \"bob.pivot\"\naxis = [0, 1, 0]\n"
        );
        for stepper in STEPPERS {
            let [x, v] = end(&model("0", &driven), stepper, most(stepper));
            assert!((x - 4.0).abs() < 1e-5, "{last}, {stepper}: {x}");
            assert!(v > 0.05, "{last}, {stepper}: the speed behind the end, {v}");
        }
    }
}

#[test]
fn functions_whose_breaks_cannot_be_found_are_named() {
    let simulation = |text: String| {
        let files = Files::in_memory([("pulse.toml", text)]);
        let file = read("pulse.toml", &files, &[]).unwrap();
        Simulation::new(&file, &Settings::default()).unwrap()
    };
    let many = simulation(model("step(sin(2e5*t))", "")).remarks();
    assert_eq!(many.len(), 1, "{many:?}");
    assert!(many[0].contains("sin("), "{many:?}");
    assert!(simulation(model("step(sin(2*t))", "")).remarks().is_empty());
}

/// Numbers without order in [0, 1).
fn next(x: &mut f64) -> f64 {
    *x = (*x * 997.0 + 0.618).fract();
    *x
}

#[test]
fn pulses_of_any_width_are_seen() {
    // Bells, in themselves or of a swinging argument, and single peaks: 8 N s at 5 to 95 % of the run on 2 kg.
    let mut x = 0.41;
    for k in 0..12 {
        let s = 10.0_f64.powf(-1.0 - 4.0 * f64::from(k) / 11.0);
        let t0 = 5.0 + 90.0 * next(&mut x);
        let bell = 8.0 / (s * core::f64::consts::PI.sqrt());
        let texts = [
            format!("{bell}*exp(-((t - {t0})/{s})^2)"),
            format!("{bell}*exp(-(sin(t - {t0})*step(2 - abs(t - {t0}))/{s})^2)*step(2 - abs(t - {t0}))"),
            format!(
                "{}/(1 + ((t - {t0})/{s})^2)^2",
                8.0 / (s * core::f64::consts::FRAC_PI_2)
            ),
            format!("{}*smoothstep(abs(t - {t0}), 0, 1, {s}, 0)", 8.0 / s),
        ];
        for (text, stepper) in texts.iter().zip(STEPPERS.iter().cycle().skip(k as usize)) {
            for model in [model(text, ""), law(&format!("{text} + 0*x"), "")] {
                let [_, v] = end(&model, stepper, most(stepper));
                // A bell of a sine is a little wider, by s²/4.
                let off = 2e-3 + 2.0 * s * s;
                assert!((v - 4.0).abs() < off, "{stepper}, {text}: {v}");
            }
        }
    }
}

#[test]
fn narrow_conditions_that_come_again_are_seen() {
    let mut x = 0.23;
    for (k, stepper) in STEPPERS.iter().cycle().take(10).enumerate() {
        let (w, phase) = (0.5 + 4.0 * next(&mut x), 6.0 * next(&mut x));
        // What the sine leaves above the bound: from a hundredth to a thousandth of a millionth.
        let above = 10.0_f64.powf(-2.0 - 7.0 * k as f64 / 9.0);
        let bound = 1.0 - above;
        // Half of the time above it; 1 N s each.
        let half = bound.acos() / w;
        // The first and the last may be cut off by the ends of the run.
        let peak =
            |k: i32| (core::f64::consts::FRAC_PI_2 - phase + core::f64::consts::TAU * f64::from(k)) / w;
        let within = |t: f64| (t + half).clamp(0.0, 100.0) - (t - half).clamp(0.0, 100.0);
        let expected: f64 = (-1..1000).map(|k| 0.5 * within(peak(k)) / (2.0 * half)).sum();
        let square = format!("{}*(sin({w}*t + {phase}) > {bound})", 0.5 / half);
        let model = model(&square, "");
        let [_, v] = end(&model, stepper, 60_000);
        assert!(
            (v - expected).abs() < 1e-3,
            "{stepper}, {square}: {v}, not {expected}"
        );
    }
}

#[test]
fn what_cannot_be_looked_at_is_named() {
    let simulation = |text: String| {
        let files = Files::in_memory([("pulse.toml", text)]);
        let file = read("pulse.toml", &files, &[]).unwrap();
        Simulation::new(&file, &Settings::default()).unwrap().remarks()
    };
    let remarks = simulation(model("1e15*exp(-((t - 63.171)/1e-14)^2)", ""));
    assert!(
        remarks.len() == 1 && remarks[0].contains("near t = 63.17"),
        "{remarks:?}"
    );
    let remarks = simulation(model("sin(1e8*t^2)", ""));
    assert!(remarks.len() == 1 && remarks[0].contains("sin("), "{remarks:?}");
}

#[test]
fn equalities_are_named() {
    let remarks = |force: &str, more: &str| {
        let files = Files::in_memory([("pulse.toml", model(force, more))]);
        let file = read("pulse.toml", &files, &[]).unwrap();
        Simulation::new(&file, &Settings::default()).unwrap().remarks()
    };
    let law = "[[force]]\nname = \"law\"\nkind = \"expression\"\nfrom = \"ground\"\nto = \"mass\"\nforce = [\"if(x != 0.5 m, 1 N, 2 N)\", 0, 0]";
    let told = remarks("if(t == 3 s, 1e6, 0)", law);
    for named in ["`t == 3` in force \"push\"", "`x != 0.5` in force \"law\""] {
        assert!(told.iter().any(|remark| remark.starts_with(named)), "{told:?}");
    }
    let sensor = "[[control]]\nname = \"where\"\nkind = \"sensor\"\nchannel = \"slide.displacement\"";
    assert_eq!(remarks("if(where == 0, 1, 2)", sensor).len(), 1);
    // A whole number holds for a while.
    let told = remarks("if(floor(t) == 3, 1, 0)", "");
    assert!(
        told.iter().all(|remark| !remark.contains("only for an instant")),
        "{told:?}"
    );
}

#[test]
fn narrow_conditions_on_what_is_driven_are_seen() {
    // Half the time that sin(3.1 t) is above the bound, and the peaks within 100 s.
    let (bound, w) = (0.999_999, 3.1);
    let half = f64::acos(bound) / w;
    let peaks = (0..1000).map(|k| core::f64::consts::FRAC_PI_2 * (1.0 + 4.0 * f64::from(k)) / w);
    let count = peaks.take_while(|t| *t < 100.0 - half).count() as f64;
    let gate = format!(
        "[[control]]\nname = \"gate\"\nkind = \"expression\"\nvalue = \"{:?}*(swing > {bound})\"\n",
        1.0 / half
    );
    // The same from another control, and from sensors of joints that are driven in both ways.
    let control =
        "[[control]]\nname = \"swing\"\nkind = \"expression\"\nvalue = \"sin(3.1*t)\"\n".to_string();
    let cam = |joint: &str, more: &str| {
        format!(
            "[[body]]\nname = \"cam\"\nmass = 1\n[[joint]]\nname = \"way\"\nkind = \"prismatic\"\nfrom = \"ground\"\nto = \"cam\"\n\
             axis = [0, 1, 0]\n{joint}{more}[[control]]\nname = \"swing\"\nkind = \"sensor\"\nchannel = \"way.displacement\"\n"
        )
    };
    let prescribed = cam("displacement = { follows = \"1 m*sin(3.1*t)\" }\n", "");
    for swing in [control, prescribed] {
        for stepper in STEPPERS {
            let text = model("gate*1 N", &format!("{swing}{gate}"));
            let [_, v] = end(&text, stepper, 60_000);
            // 2 N s at each peak, on 2 kg.
            assert!(
                (v - count).abs() < 1e-3 * count,
                "{stepper}, {swing}: {v}, not {count}"
            );
        }
    }
    let driven = cam(
        "",
        "[[constraint]]\nname = \"drive\"\nkind = \"driver\"\ncoordinate = \"way\"\nfollows = \"1 m*sin(3.1*t)\"\n",
    );
    let files = Files::in_memory([("pulse.toml", model("gate*1 N", &format!("{driven}{gate}")))]);
    let simulation =
        Simulation::new(&read("pulse.toml", &files, &[]).unwrap(), &Settings::default()).unwrap();
    assert!(simulation.solver.stop_times.len() as f64 >= 2.0 * count);
}
