//! What a run says at its end, for people and for programs.

use super::Prepared;
use super::record::Files;
use crate::commands::step_size;
use holonom::format::{SETTINGS, SettingValue};
use holonom::multibody::start::MovedCoordinate;
use holonom::simulation::{RunReport, Status};
use holonom::solver::OutputTimes;
use holonom::solver::explain::{Because, Decision, Subject};
use holonom::solver::stepper::{AUTO, NONE};
use serde_json::{Map, Value, json};
use std::fmt::Write;

/// All settings and parameters as used.
pub fn options(prepared: &Prepared) -> Map<String, Value> {
    let mut options = Map::new();
    let simulation = &prepared.simulation;
    let solver = &simulation.solver;
    // As used: what is set, and the defaults of what the method has.
    for info in SETTINGS.iter() {
        let set = prepared.settings.get(info.name);
        let used = || solver.unused([info.name]).is_empty();
        if let Some(value) = set.or_else(|| solver.get(info.name).filter(|_| used())) {
            options.insert(info.name.to_string(), json_of(value));
        }
    }
    if let OutputTimes::Grid { step, .. } = &simulation.outputs {
        options.insert("output_step".into(), json!(step));
    }
    for (name, value) in [
        ("t_start", json!(simulation.start.t)),
        ("t_end", json!(simulation.t_end)),
        ("form", json!(simulation.form.name())),
        ("formalism", json!(simulation.formalism.name())),
        ("ggl_metric", json!(simulation.ggl_metric.name())),
    ] {
        options.insert(name.into(), value);
    }
    let parameters = prepared.parameters.iter();
    let parameters: Map<String, Value> = parameters.map(|(name, x)| (name.clone(), json!(x))).collect();
    options.insert("parameters".into(), Value::Object(parameters));
    options
}

fn json_of(value: SettingValue) -> Value {
    match value {
        SettingValue::Number(x) => json!(x),
        SettingValue::Count(n) => json!(n),
        SettingValue::Flag(flag) => json!(flag),
        SettingValue::Name(name) => json!(name),
        SettingValue::Names(names) => json!(names),
    }
}

/// The report as JSON.
pub fn json(prepared: &Prepared, report: &RunReport, files: &Files) -> Value {
    let mut options = options(prepared);
    // What `auto` came to.
    if let Value::Object(used) = json!(report.used) {
        options.extend(used);
    }
    let start = &prepared.simulation.start;
    let outputs: Map<String, Value> = report
        .last
        .iter()
        .map(|(name, x)| (name.clone(), json!(x)))
        .collect();
    json!({
        "model": { "name": prepared.name, "hash": prepared.hash },
        "options": options,
        "stiff": report.stiff,
        "status": report.status,
        "message": report.message,
        "counters": report.counters,
        "timing_s": report.timing_s,
        "output_s": report.output_s,
        "output_beside_s": report.output_beside_s,
        "final": { "t": report.t, "outputs": outputs },
        "constraint": report.constraint,
        "energy": report.energy,
        "degrees_of_freedom": start.degrees_of_freedom(),
        "start": {
            "moved": start.moved.iter().map(ToString::to_string).collect::<Vec<_>>(),
            "moved_velocities": start.moved_velocities.iter().map(ToString::to_string).collect::<Vec<_>>(),
            "dropped_rows": start.rows.dropped.len(),
            "misfits": start.rows.misfitting()
                .map(|row| json!({ "row": row.name, "misfit": row.misfit, "unit": row.unit }))
                .collect::<Vec<_>>(),
            "doubtful_rows": start.rows.doubtful.iter().map(|row| row.name.clone()).collect::<Vec<_>>(),
        },
        "rows": report.rows,
        "failed_rows": report.failed_rows,
        "singular_rows": report.singular_rows,
        "gimbal_lock": report.gimbal_lock,
        "files": files.written,
    })
}

/// JSON for people and programs.
pub fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap_or_else(|_| value.to_string())
}

/// The report in a few lines.
pub fn text(prepared: &Prepared, report: &RunReport, files: &Files) -> String {
    let start = &prepared.simulation.start;
    let span = report.t - start.t;
    let wall = report.timing_s.total;
    let mut out = String::new();
    let rate = if wall > 0.0 {
        format!(", {} times real time", short(span / wall))
    } else {
        String::new()
    };
    let ended = match report.status {
        Status::Finished => "",
        Status::Interrupted => " (interrupted)",
        Status::Failed => " (failed)",
    };
    let freedoms = match start.degrees_of_freedom() {
        0 => "no degree of freedom".to_string(),
        1 => "1 degree of freedom".to_string(),
        n => format!("{n} degrees of freedom"),
    };
    let _ = writeln!(
        out,
        "{}: {} s{ended} in {}{rate}; {freedoms}",
        prepared.name,
        short(span),
        seconds(wall)
    );
    let mut line = |name: &str, text: String| {
        let _ = writeln!(out, "  {name:<12}{text}");
    };
    if !prepared.about.is_empty() {
        line("model", prepared.about.clone());
    }
    if start.moved.len() + start.moved_velocities.len() + start.rows.dropped.len() + start.rows.doubtful.len()
        > 0
    {
        let moved = start.moved.len() + start.moved_velocities.len();
        let mut parts = Vec::new();
        if moved > 0 {
            let most = most_moved(&start.moved, &start.moved_velocities);
            let most = most.map_or(String::new(), |most| format!(", largest change: {most}"));
            let values = if moved == 1 { "value" } else { "values" };
            parts.push(format!("{moved} initial {values} adjusted{most}"));
        }
        if !start.rows.dropped.is_empty() {
            let misfit = match start.rows.largest_misfits() {
                none if none.is_empty() => String::new(),
                misfit => format!(", satisfied only to within {misfit}"),
            };
            parts.push(format!(
                "{} redundant rows dropped{misfit}",
                start.rows.dropped.len()
            ));
        }
        if !start.rows.doubtful.is_empty() {
            parts.push(match start.rows.doubtful.len() {
                1 => "1 uncertain row".to_string(),
                n => format!("{n} uncertain rows"),
            });
        }
        line(
            "start",
            format!("{} (details: `holonom check`)", parts.join("; ")),
        );
    }
    let (used, fixed) = (&report.used, prepared.simulation.fixed_steps());
    if used.stepper == "kinematic" {
        line(
            "used",
            if prepared.simulation.start.is_locked() {
                "kinematic simulation: the mechanism is locked".to_string()
            } else {
                "kinematic simulation: all motion is prescribed or driven".to_string()
            },
        );
        line("steps", count(report.counters.steps));
    } else {
        let mut names = vec![&used.stepper, &used.form];
        if used.linear != NONE {
            names.extend([
                &used.formalism,
                &used.jacobian,
                &used.linear,
                &used.refresh,
                &used.update,
            ]);
        }
        line(
            "used",
            match fixed {
                // It has forms and matrices of its own.
                Some((ref options, h)) => format!("{}, steps of {}, {options}", used.stepper, seconds(h)),
                None => names
                    .into_iter()
                    .map(String::as_str)
                    .collect::<Vec<_>>()
                    .join(", "),
            },
        );
        if prepared.simulation.solver.stepper == AUTO
            && let Some(text) = choice(&report.explain)
        {
            line("auto", text);
        }
        if let Some(names) = &report.stiff {
            line("stiff", step_size::stiff_text(names));
        }
        let c = &report.counters;
        line(
            "steps",
            format!(
                "{} ({} rejected), {} residuals, {} Jacobians, {} factorisations",
                count(c.steps),
                count(c.rejected_error + c.rejected_convergence),
                count(c.residuals + c.residuals_dual),
                count(c.jacobians),
                count(c.factorisations)
            ),
        );
    }
    if !start.rows.active.is_empty() {
        let c = &report.constraint;
        let exchanged = match report.counters.row_changes {
            0 => String::new(),
            1 => ", rows exchanged once".into(),
            n => format!(", rows exchanged {} times", count(n)),
        };
        let drifts = matches!(used.form.as_str(), "index1" | "index2") && c.position > 1e-6;
        let drift = if drifts {
            "; positions drift in this form; `ggl` avoids this"
        } else {
            ""
        };
        line(
            "constraints",
            format!(
                "max |g| {:.1e}, max |G v + g_t| {:.1e}{exchanged}{drift}",
                c.position, c.velocity
            ),
        );
    }
    let energy = &report.energy;
    line(
        "energy",
        format!(
            "{} J → {} J ({:+.2e})",
            short(energy.start),
            short(energy.end),
            energy.end - energy.start
        ),
    );
    // Steps of fixed size are not timed in parts.
    if wall > 0.0 && used.stepper != "kinematic" && fixed.is_none() {
        let t = &report.timing_s;
        let [jacobians, factorisations, output, rest] =
            shares([t.jacobian, t.factorisation, report.output_s], wall);
        line(
            "time",
            format!(
                "Jacobians {jacobians} %, factorisations {factorisations} %, output {output} %, residuals, \
                 solves and other {rest} %"
            ),
        );
    }
    if report.failed_rows > 0 {
        let text = format!(
            "{} rows in which accelerations could not be computed (NaN)",
            report.failed_rows
        );
        line("missing", text);
    }
    if report.singular_rows > 0 {
        line(
            "singular",
            format!(
                "{} rows at singular positions, where reactions are not unique (the smallest are given)",
                report.singular_rows
            ),
        );
    }
    for lock in &report.gimbal_lock {
        line("orientation", lock.to_string());
    }
    let names: Vec<String> = files
        .written
        .iter()
        .map(|path| path.display().to_string())
        .collect();
    line(
        "written",
        format!(
            "{} ({} rows, {} channels)",
            names.join(", "),
            count(report.rows),
            files.channels
        ),
    );
    // Of a run that failed, the last moments are worth a look.
    if let (Some(first), true) = (names.first(), report.rows > 1) {
        let _ = writeln!(out, "Next: holonom plot {first}");
    }
    out
}

/// Which stepper `auto` took and why, in a line. Trials that changed nothing are only counted.
fn choice(decisions: &[Decision]) -> Option<String> {
    let mut stays: Vec<&Decision> = Vec::new();
    let (mut tried, mut compared) = (None, 0);
    for decision in decisions.iter().filter(|d| d.subject == Subject::Stepper) {
        match decision.because {
            Because::Trial { .. } => tried = decision.t,
            Because::Worse { .. } => {
                compared += 1;
                tried = None;
            }
            _ => {
                compared += usize::from(matches!(decision.because, Because::Better { .. }));
                stays.push(decision);
            }
        }
    }
    let first = stays.first()?;
    let comparisons = match compared {
        0 => String::new(),
        1 => "; methods compared once".into(),
        n => format!("; methods compared {n} times"),
    };
    let last = stays.last().filter(|_| stays.len() > 1);
    let Some(last) = last else {
        // A trial may be under way at the end.
        let trial = tried.map_or(String::new(), |t| {
            format!(", another one on trial from t = {} s", short(t))
        });
        return Some(format!(
            "{}, {}{trial}{comparisons}",
            first.chosen,
            first.because.in_short()
        ));
    };
    let since = last
        .t
        .map_or(String::new(), |t| format!(" from t = {} s", short(t)));
    let changes = match stays.len() - 1 {
        1 => String::new(),
        n => format!("; {n} changes of method"),
    };
    let then = match last.chosen == first.chosen {
        true => "and again".into(),
        false => format!("then {}", last.chosen),
    };
    Some(format!(
        "{}, {then}{since}, {}{changes}{comparisons}",
        first.chosen,
        last.because.in_short()
    ))
}

/// Why strategies were chosen and when that changed, for programs: the decisions, each also as a sentence.
pub fn explained(report: &RunReport) -> Value {
    let row = |decision: &Decision| {
        let mut row = json!(decision);
        row["text"] = json!(decision.to_string());
        row
    };
    report.explain.iter().map(row).collect()
}

/// The same in sentences.
pub fn explanation(report: &RunReport) -> String {
    let mut out = String::from("Why:\n");
    if report.explain.is_empty() {
        out += "  nothing was chosen automatically: the method uses no Jacobian and no linear solver\n";
    }
    for decision in &report.explain {
        let _ = writeln!(out, "  {decision}");
    }
    out
}

/// The initial value that moved farthest, in words. A value that was stated goes before one that was
/// not: moving the latter is what assembly is for.
fn most_moved(positions: &[MovedCoordinate], velocities: &[MovedCoordinate]) -> Option<String> {
    let far = |moved: &MovedCoordinate| (moved.stated, (moved.to - moved.from).abs());
    let velocities = velocities.iter().map(|moved| ("the velocity of ", moved));
    let all = positions.iter().map(|moved| ("", moved)).chain(velocities);
    let most = all.reduce(
        |most, other| {
            if far(other.1) > far(most.1) { other } else { most }
        },
    );
    most.map(|(what, m)| {
        // What rounding leaves of a value next to the other is zero.
        let size = m.from.abs().max(m.to.abs());
        let shown = |x: f64| short(if x.abs() < f64::EPSILON * size { 0.0 } else { x });
        format!("{what}{} {} → {}", m.name, shown(m.from), shown(m.to))
    })
}

/// A number with four digits.
fn short(x: f64) -> String {
    if x == 0.0 || !x.is_finite() {
        return x.to_string();
    }
    let size = x.abs().log10().floor();
    if (-4.0..6.0).contains(&size) {
        let digits = (3.0 - size).max(0.0) as usize;
        let text = format!("{x:.digits$}");
        if text.contains('.') {
            text.trim_end_matches('0').trim_end_matches('.').to_string()
        } else {
            text
        }
    } else {
        format!("{x:.3e}")
    }
}

/// Parts of a whole and what is left of it, in percent: whole numbers that add up to 100. Where the parts
/// are more than the whole, as those of several threads may be, they are parts of their sum.
fn shares(parts: [f64; 3], whole: f64) -> [u32; 4] {
    let part = |k: usize| parts[k].max(0.0);
    let sum: f64 = (0..3).map(part).sum();
    let whole = whole.max(sum).max(f64::MIN_POSITIVE);
    let exact: [f64; 4] = core::array::from_fn(|k| match k {
        3 => 100.0 * (whole - sum) / whole,
        k => 100.0 * part(k) / whole,
    });
    let mut shares = exact.map(|x| x.floor() as u32);
    // The largest remainders are rounded up.
    let mut order = [0, 1, 2, 3];
    order.sort_by(|&a, &b| exact[b].fract().total_cmp(&exact[a].fract()));
    let missing = 100_u32.saturating_sub(shares.iter().sum());
    for k in order.into_iter().cycle().take(missing as usize) {
        shares[k] += 1;
    }
    shares
}

/// Computing time.
fn seconds(x: f64) -> String {
    if x < 1e-3 {
        format!("{:.0} µs", x * 1e6)
    } else if x < 1.0 {
        format!("{:.1} ms", x * 1e3)
    } else {
        format!("{x:.1} s")
    }
}

/// A whole number in groups of three digits.
fn count(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_value_that_was_given_and_moved_is_named() {
        let moved = |name: &str, from: f64, to: f64| MovedCoordinate {
            stated: from != 0.0,
            name: name.into(),
            from,
            to,
        };
        let positions = [moved("A", 1.0, 1.1), moved("B", 0.0, 3.0)];
        let velocities = [moved("A", 8.0, 12.1)];
        let all = most_moved(&positions, &velocities);
        assert_eq!(all.as_deref(), Some("the velocity of A 8 → 12.1"));
        assert_eq!(most_moved(&positions, &[]).as_deref(), Some("A 1 → 1.1"));
        assert_eq!(most_moved(&positions[1..], &[]).as_deref(), Some("B 0 → 3"));
        assert_eq!(most_moved(&[], &[]), None);
    }

    #[test]
    fn shares_add_up() {
        assert_eq!(shares([1.0, 1.0, 1.0], 3.0), [34, 33, 33, 0]);
        assert_eq!(shares([0.5, 0.25, 0.0], 1.0), [50, 25, 0, 25]);
        // Output on another thread took longer than the run.
        assert_eq!(shares([1.0, 0.0, 3.0], 2.0), [25, 0, 75, 0]);
        for k in 0..1000_u32 {
            let x = f64::from(k) * 0.618;
            let parts = [x.fract(), (7.0 * x).fract() / 3.0, (13.0 * x).fract() / 5.0];
            assert_eq!(shares(parts, 1.0).iter().sum::<u32>(), 100);
        }
    }

    #[test]
    fn numbers_read_well() {
        assert_eq!(
            [1234.5678, 0.001, -2.0, 0.0].map(short),
            ["1235", "0.001", "-2", "0"]
        );
        assert_eq!((short(1.5e9), short(1e-9)), ("1.500e9".into(), "1.000e-9".into()));
        assert_eq!([5, 1234, 1_234_567].map(count), ["5", "1,234", "1,234,567"]);
        assert_eq!([2e-5, 0.0123, 4.0].map(seconds), ["20 µs", "12.3 ms", "4.0 s"]);
    }
}
