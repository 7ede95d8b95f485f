//! Controls.

use crate::stand::{close, file, run};
use holonom::format::{Files, read};
use holonom::multibody::residual::Form;

/// A controller of a slide that follows a function.
fn controlled(follows: &str, control: &str) -> String {
    format!(
        r#"
[model]
format = 1
name = "controlled"
[[body]]
name = "b"
mass = 1
[[joint]]
name = "j"
kind = "prismatic"
from = "ground"
to = "b"
displacement = {{ follows = "{follows}" }}
[[control]]
name = "x"
kind = "sensor"
channel = "j.displacement"
{control}
"#
    )
}

const PID: &str = r#"
[[control]]
name = "pid"
kind = "pid"
input = "x"
target = "TARGET"
proportional = 5
integral = 2
derivative = 0.7
filter = 0.05
"#;

/// At rest with a constant error nothing kicks; with a ramp the derivative part is that of the filter.
#[test]
fn the_filter_of_a_pid_starts_at_rest() {
    let times = [0.0, 0.02, 0.1, 0.3];
    let still = controlled("0.1", &PID.replace("TARGET", "0.4"));
    for (t, row) in times.iter().zip(run(
        &file(&still, &[]),
        Form::Ode,
        &times,
        &["pid", "pid.filtered"],
    )) {
        close(row[0], 5.0 * 0.3 + 2.0 * 0.3 * t, 1e-9, "at rest");
        close(row[1], 0.3, 1e-12, "filter");
    }
    // e = 0.3 − 2 t: D de/dt through 1/(1 + τ s), from rest.
    let ramp = controlled("2*t + 0.1", &PID.replace("TARGET", "0.4"));
    for (t, row) in times
        .iter()
        .zip(run(&file(&ramp, &[]), Form::Ode, &times, &["pid"]))
    {
        let e = 0.3 - 2.0 * t;
        let integral = 2.0 * (0.3 * t - t * t);
        let derivative = -2.0 * 0.7 * (1.0 - (-t / 0.05_f64).exp());
        close(row[0], 5.0 * e + integral + derivative, 1e-7, "ramp");
    }
    // Of the input alone: a step of the target has no part in the derivative.
    let step = PID.replace("TARGET", "0.4 + 0.2*step(t - 0.05)") + "derivative_of = \"input\"\n";
    let channels = ["pid", "pid.filtered", "pid.integral"];
    for (t, row) in times.iter().zip(run(
        &file(&controlled("0.1", &step), &[]),
        Form::Ode,
        &times,
        &channels,
    )) {
        let e = if *t < 0.05 { 0.3 } else { 0.5 };
        close(row[0], 5.0 * e + row[2], 1e-9, "input");
        close(row[1], -0.1, 1e-12, "filter");
    }
}

/// A dead time repeats what was, also before the start, in every form that has states.
#[test]
fn a_dead_time_repeats_its_input() {
    let control = "[[control]]\nname = \"late\"\nkind = \"dead-time\"\ninput = \"x\"\ndelay = 0.4\norder = ORDER\n\
                   [[control]]\nname = \"later\"\nkind = \"dead-time\"\ninput = \"2*late\"\ndelay = 0.2\norder = ORDER\n";
    for (order, tolerance) in [(8, 2e-7), (14, 1e-9)] {
        let text = controlled(
            "1.5 + 0.3*sin(4*t)^3",
            &control.replace("ORDER", &order.to_string()),
        );
        let u = |t: f64| {
            1.5 + if t > 0.0 {
                0.3 * (4.0 * t).sin().powi(3)
            } else {
                0.0
            }
        };
        let times = [0.0, 0.1, 0.3, 0.7, 1.0, 1.9, 2.6, 3.3];
        let rows = run(&file(&text, &[]), Form::Ode, &times, &["late", "later"]);
        for (t, row) in times.iter().zip(rows) {
            if *t == 0.0 {
                close(row[0], u(0.0), 1e-12, "before the start");
                close(row[1], 2.0 * u(0.0), 1e-12, "before the start");
            }
            // At t = 0 the third derivative jumps, which no finite number of states repeats exactly.
            let tolerance = if *t > 1.5 { tolerance } else { 3e-4 };
            assert!((row[0] - u(t - 0.4)).abs() < tolerance, "{order}, {t}: {row:?}");
            assert!(
                (row[1] - 2.0 * u(t - 0.6)).abs() < tolerance,
                "{order}, {t}: {row:?}"
            );
        }
    }
}

/// From input to output it is the approximation of Padé with one zero less than poles: for n = 1 and 2 by its
/// closed forms, (1)/(1 + s) and (1 − s/3)/(1 + 2s/3 + s²/6) with s for T s.
#[test]
fn a_dead_time_is_the_approximation_of_pade() {
    // The answer to a step at rest: x = 1 from t = 0 on by a sensor of 1 after a start of 0.
    let text = |order: usize| {
        controlled("0", "")
            + &format!(
                "[[control]]\nname = \"late\"\nkind = \"dead-time\"\ninput = \"sin(3*t)\"\ndelay = 0.5\norder = {order}\n"
            )
    };
    for order in [1, 2] {
        let t = 12.0;
        let row = run(&file(&text(order), &[]), Form::Ode, &[t], &["late"]).remove(0);
        // H(iω T) with ω T = 1.5.
        let w: f64 = 1.5;
        let (nr, ni, dr, di) = match order {
            1 => (1.0, 0.0, 1.0, w),
            _ => (1.0, -w / 3.0, 1.0 - w * w / 6.0, 2.0 * w / 3.0),
        };
        let square = dr * dr + di * di;
        let (re, im) = ((nr * dr + ni * di) / square, (ni * dr - nr * di) / square);
        let expected = re * (3.0 * t).sin() + im * (3.0 * t).cos();
        assert!((row[0] - expected).abs() < 1e-7, "{order}: {row:?} {expected}");
    }
}

/// The old name of the lag says what there is.
#[test]
fn a_delay_is_asked_which_one_it_is() {
    let text = controlled(
        "0",
        "[[control]]\nname = \"d\"\nkind = \"delay\"\ninput = \"x\"\ntime_constant = 1\n",
    );
    let refused = read(
        "model.toml",
        &Files::in_memory([("model.toml", text.as_str())]),
        &[],
    )
    .unwrap_err();
    let refused = refused.to_string();
    for word in ["\"delay\"", "\"lag\"", "\"dead-time\""] {
        assert!(refused.contains(word), "{refused}");
    }
    let lag = text.replace("\"delay\"", "\"lag\"").replace(
        "displacement = { follows = \"0\" }",
        "displacement = { follows = \"0.3\" }",
    );
    let row = run(&file(&lag, &[]), Form::Ode, &[0.5], &["d"]).remove(0);
    close(row[0], 0.3 * (1.0 - (-0.5_f64).exp()), 1e-8, "lag");
    // A number of states that is none.
    for order in ["0", "2.5", "31"] {
        let bad = controlled(
            "0",
            &format!(
                "[[control]]\nname = \"d\"\nkind = \"dead-time\"\ninput = \"x\"\ndelay = 1\norder = {order}\n"
            ),
        );
        let refused = file(&bad, &[]).compile().unwrap_err().to_string();
        assert!(
            refused.contains("order") && refused.contains("from 1 to 30"),
            "{refused}"
        );
    }
}
