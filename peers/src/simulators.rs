//! `peers simulators`: whole simulators on the same mechanism, at equal error.
//!
//! Exudyn and MuJoCo run in Python scripts (`simulators/`), which time their integration alone, without building the
//! model; ours is timed from the creation of the integrator. Ours and theirs take turns, round by round.

use crate::curve::{Point, interpolated_at, median};
use crate::interface::cpu_time;
use crate::kernels_protocol::folder;
use crate::report::{Check, Report, seconds, table};
use holonom_multibody::description::{Body, Joint, frame};
use holonom_multibody::residual::{Form, Formalism};
use holonom_multibody::start::Assembled;
use holonom_multibody::{Description, Model};
use holonom_solver::stepper::Quiet;
use holonom_solver::{Integrator, Options};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;

/// Error of the tip and of the crank's angle at which times are read off, as digits.
const DIGITS: f64 = 5.0;
/// Our steppers that are shown; the first one is judged.
const OURS: [&str; 3] = ["dormand-prince", "radau", "bdf"];

/// A mechanism, what is compared, and what is asked of us.
struct Contest {
    name: String,
    /// Script and number of rods.
    script: &'static str,
    rods: Option<usize>,
    description: Description,
    form: Form,
    /// What is measured, from the positions.
    measure: fn(&[f64]) -> Vec<f64>,
    /// Other simulators and our time over theirs at most.
    limits: &'static [(&'static str, f64)],
}

const LINK: f64 = 0.2;

/// n rods of 0.2 m and 1 kg, level and at rest.
fn rods(n: usize) -> Description {
    let mut d = Description::new("rods").gravity([0.0, -9.81, 0.0]);
    let mut last = "ground".to_owned();
    for i in 1..=n {
        let (name, end) = (format!("rod{i}"), [LINK, 0.0, 0.0]);
        d = d
            .body(Body::thin_rod(&name, 1.0, end).marker("end", frame::at(end)))
            .joint(Joint::revolute(format!("pin{i}"), last, &name));
        last = format!("{name}.end");
    }
    d
}

/// Place of the tip from the relative angles.
fn tip(q: &[f64]) -> Vec<f64> {
    let (mut angle, mut at) = (0.0_f64, vec![0.0; 2]);
    for q in q {
        angle += q;
        at[0] += LINK * angle.cos();
        at[1] += LINK * angle.sin();
    }
    at
}

/// Crank 0.15 m and 1 kg, rod 0.35 m and 0.5 kg, slider of 2 kg; crank at 45° with 20 rad/s.
fn slider_crank() -> Description {
    let (crank, rod, angle, speed) = (0.15, 0.35, core::f64::consts::FRAC_PI_4, 20.0);
    let lean = (-crank * angle.sin() / rod).asin();
    let rate = -crank * angle.cos() * speed / (rod * lean.cos());
    let at = crank * angle.cos() + rod * lean.cos();
    let slides = -crank * angle.sin() * speed - rod * lean.sin() * rate;
    let (end, rod_end) = ([crank, 0.0, 0.0], [rod, 0.0, 0.0]);
    Description::new("slider-crank")
        .gravity([0.0, -9.81, 0.0])
        .body(Body::thin_rod("crank", 1.0, end).marker("end", frame::at(end)))
        .body(Body::thin_rod("rod", 0.5, rod_end).marker("end", frame::at(rod_end)))
        .body(Body::cuboid("slider", 2.0, [0.04, 0.04, 0.04]))
        .joint(Joint::revolute("bearing", "ground", "crank").start(angle, speed))
        .joint(Joint::revolute("big_end", "crank.end", "rod").start(lean - angle, rate - speed))
        .joint(Joint::revolute("small_end", "rod.end", "slider").start(-lean, -rate))
        .joint(
            Joint::prismatic("guide", "ground", "slider")
                .axis([1.0, 0.0, 0.0])
                .start(at, slides),
        )
}

fn contests() -> Vec<Contest> {
    let chain = |n: usize| Contest {
        name: format!("rods-{n}"),
        script: "rods.py",
        rods: Some(n),
        description: rods(n),
        form: Form::Ode,
        measure: tip,
        limits: &[("exudyn", 0.2), ("mujoco", 0.7)],
    };
    let slider = Contest {
        name: "slider-crank".into(),
        script: "slider.py",
        rods: None,
        description: slider_crank(),
        form: Form::Ggl,
        measure: |q| vec![q[0]],
        limits: &[("exudyn", 0.1)],
    };
    vec![chain(10), chain(100), slider]
}

/// Runs of one code by setting: errors and samples of the time.
type Runs = BTreeMap<String, BTreeMap<String, (f64, Vec<f64>)>>;

/// Runs a script; its lines of JSON.
fn script(name: &str, arguments: &[String]) -> Result<Vec<Value>, String> {
    let python = folder().join("simulators/bin/python");
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("simulators");
    if !python.exists() {
        let place = python.display();
        return Err(format!(
            "{place} is not there; `peers/simulators/install.sh` installs it"
        ));
    }
    let output = Command::new(&python)
        .arg(path.join(name))
        .args(arguments)
        .output()
        .map_err(|e| format!("{}: {e}", python.display()))?;
    if !output.status.success() {
        let text = String::from_utf8_lossy(&output.stderr);
        return Err(format!("{name}: {}", text.lines().last().unwrap_or("failed")));
    }
    let text = String::from_utf8_lossy(&output.stdout);
    Ok(text
        .lines()
        .filter_map(|l| serde_json::from_str(l).ok())
        .collect())
}

impl Contest {
    fn arguments(&self, first: &str, last: Option<String>) -> Vec<String> {
        let rods = self.rods.map(|n| n.to_string());
        [Some(first.to_owned()), rods, last]
            .into_iter()
            .flatten()
            .collect()
    }

    fn assembled(&self) -> Result<Assembled, String> {
        let model: Model = self.description.compile().map_err(|e| e.to_string())?;
        Arc::new(model)
            .assemble(&Default::default())
            .map_err(|e| e.to_string())
    }

    /// One run of ours: error and CPU time.
    fn ours(
        &self,
        start: &Assembled,
        stepper: &str,
        tolerance: f64,
        exact: &[f64],
    ) -> Result<(f64, f64), String> {
        let equations = start
            .equations(self.form, Formalism::Residual)
            .map_err(|e| e.to_string())?;
        let (y, yp) = start.state(&equations);
        let options = Options::new(tolerance, tolerance).stepper(stepper);
        let system = equations.system();
        let begin = cpu_time();
        let run = Integrator::new(system, 0.0, &y, &yp, 1.0, options);
        let mut run = run.map_err(|e| e.to_string())?;
        run.run(1.0, &mut Quiet).map_err(|e| e.to_string())?;
        let cpu = cpu_time() - begin;
        let found = (self.measure)(&run.y()[..start.model.tree.n_q]);
        let off = found.iter().zip(exact).map(|(a, b)| (a - b) * (a - b));
        Ok((off.sum::<f64>().sqrt(), cpu))
    }
}

/// Measures, prints, judges.
pub fn simulators(rounds: usize) -> Result<Report, String> {
    let mut report = Report::new("peers simulators");
    let mut printed = Vec::new();
    for contest in contests() {
        eprintln!("{} …", contest.name);
        let reference = script(contest.script, &contest.arguments("reference", None))?;
        let reference = reference.into_iter().next().unwrap_or_default();
        let exact: Vec<f64> = serde_json::from_value(reference.clone()).map_err(|e| e.to_string())?;
        let start = contest.assembled()?;
        let mut runs = Runs::new();
        let mut add = |code: &str, setting: String, error: f64, cpu: f64| {
            let entry = runs.entry(code.to_owned()).or_default().entry(setting);
            let cell = entry.or_insert((error, Vec::new()));
            cell.1.push(cpu);
        };
        for _ in 0..rounds {
            for stepper in OURS {
                for k in 3..=10 {
                    let tolerance = 10f64.powi(-k);
                    let mut times = Vec::new();
                    let mut error = f64::NAN;
                    for _ in 0..3 {
                        let (off, cpu) = contest.ours(&start, stepper, tolerance, &exact)?;
                        error = off;
                        times.push(cpu);
                    }
                    // The least of three, as the scripts do.
                    let least = times.into_iter().fold(f64::INFINITY, f64::min);
                    add(stepper, format!("1e-{k}"), error, least);
                }
            }
            for (code, _) in contest.limits {
                let arguments = contest.arguments(code, Some(reference.to_string()));
                for line in script(contest.script, &arguments)? {
                    let (Some(setting), Some(cpu), Some(error)) = (
                        line["setting"].as_str(),
                        line["cpu"].as_f64(),
                        line["error"].as_f64(),
                    ) else {
                        continue;
                    };
                    add(code, setting.to_owned(), error, cpu);
                }
            }
        }
        let mut times: BTreeMap<&str, f64> = BTreeMap::new();
        for (code, cells) in &runs {
            let points: Vec<Point> = cells
                .values()
                .map(|(error, samples)| Point {
                    digits: -error.max(1e-16).log10(),
                    work: median(samples).unwrap_or(f64::INFINITY),
                })
                .collect();
            if let Some(time) = interpolated_at(&points, DIGITS) {
                times.insert(code, time);
            }
            for (setting, (error, samples)) in cells {
                report.rows.push(json!({
                    "problem": contest.name, "code": code, "setting": setting, "error": error, "cpu_s": median(samples),
                }));
            }
        }
        let best_ours = times.get(OURS[0]).copied();
        for (code, time) in &times {
            let over = best_ours.map_or(f64::INFINITY, |t| t / time);
            printed.push(vec![
                contest.name.clone(),
                (*code).to_owned(),
                seconds(*time),
                format!("{over:.3}"),
            ]);
        }
        for (code, limit) in contest.limits {
            let value = match (best_ours, times.get(code)) {
                (Some(a), Some(b)) => a / b,
                _ => f64::INFINITY,
            };
            report.checks.push(Check {
                id: format!("simulators/{}/{code}", contest.name),
                value,
                limit: *limit,
                source: format!(
                    "CPU of {} over the best setting, at an error of 1e-{DIGITS}",
                    OURS[0]
                ),
            });
        }
    }
    table(
        &["mechanism", "code", "CPU", &format!("{} over it", OURS[0])],
        &printed,
    );
    Ok(report)
}
