//! What `auto` costs beside every fixed stepper, on mechanisms nobody wrote.
//!
//! A fixed stepper counts where it is right: done, and within the class of the studies of accuracy. Cases are mechanisms
//! of bodies and joints, machines, and excitations.

use super::accuracy::case as mechanism;
use super::excitations::{ASIDE, twin};
use super::{Finding, Sample, shown};
use crate::engine::{Ran, run as run_model};
use crate::generator::excitations::excitation;
use crate::generator::machines::machine;
use crate::generator::toml::{ALL_DIGITS, text};
use crate::parallel::map;
use holonom::format::Settings;
use serde_json::{Value, json};

/// The fixed steppers, and the one that is judged.
const FIXED: [&str; 3] = ["bdf", "radau", "dormand-prince"];
const AUTO: &str = "auto";
const TOLERANCES: [f64; 4] = [1e-4, 1e-6, 1e-8, 1e-10];
/// Error at the end, in tolerances, up to which a run is right.
const RIGHT: f64 = 100.0;
/// What `auto` may cost in units of the best: in most cases, in nearly all, in all.
const NEAR: f64 = 1.25;
const FAR: f64 = 2.0;
const NEVER: f64 = 4.0;
/// Tight runs: the first two that reach the end are compared.
const TIGHT: [(&str, f64); 3] = [("radau", 1e-12), ("dormand-prince", 1e-12), ("bdf", 1e-11)];
/// Growth of a small change of all masses up to which errors say something about steppers.
const CHAOTIC: f64 = 100.0;
/// Share of the permitted error that they may differ by.
const KNOWN: f64 = 0.2;
/// Steps after which a run is given up: the cheapest is far below.
const STEPS: u64 = 60_000;
/// What is compared.
const CHANNELS: [&str; 3] = ["*.position.?", "*.orientation.?", "*.velocity.?"];

/// A model of a seed.
struct Case {
    kind: String,
    text: String,
    size: f64,
}

/// Two of five are mechanisms, two machines, one an excitation.
fn case(seed: u64) -> Option<Case> {
    let k = seed / 5;
    match seed % 5 {
        0 | 1 => mechanism(seed).map(|m| Case {
            kind: m.family.name().into(),
            text: text(&m, ALL_DIGITS),
            size: m.size.min(1.0),
        }),
        2 | 3 => {
            let m = machine(2 * k + (seed % 5 - 2));
            Some(Case {
                kind: m.kind.name().into(),
                text: m.text,
                size: 1.0,
            })
        }
        _ => Some(Case {
            kind: "excitation".into(),
            text: excitation(k).text,
            size: 1.0,
        }),
    }
}

pub fn model(seed: u64) -> Option<String> {
    case(seed).map(|c| c.text)
}

/// Largest difference of the ends, in tolerances: each kind of channel by its largest value.
fn distance(a: &Ran, b: &Ran, tolerance: f64, size: f64) -> f64 {
    let kind = |name: &str| name.rsplit('.').nth(1).unwrap_or_default().to_string();
    let mut worst = 0.0f64;
    for what in ["position", "orientation", "velocity"] {
        let of = || (a.last.iter().zip(&b.last)).filter(|((name, _), _)| kind(name) == what);
        let extent = of().fold(0.0, |m: f64, (_, (_, y))| m.max(y.abs()));
        for ((_, x), (_, y)) in of() {
            let e = (x - y).abs() / (tolerance * (extent + size));
            worst = if e.is_nan() { f64::INFINITY } else { worst.max(e) };
        }
    }
    worst
}

fn once(c: &Case, stepper: &str, tolerance: f64, steps: u64) -> Result<Ran, String> {
    let settings = Settings {
        stepper: Some(stepper.into()),
        rtol: Some(tolerance),
        atol: Some(tolerance * c.size),
        max_steps: Some(steps),
        ..Settings::default()
    };
    let ran = run_model(&c.text, &settings, &CHANNELS)?;
    if ran.is_done() { Ok(ran) } else { Err(ran.message) }
}

/// The end, how well it is known, in units of a relative tolerance of one, and by how much the motion amplifies errors.
fn truth(c: &Case) -> Result<(Ran, f64, f64), String> {
    let mut found: Option<Ran> = None;
    let aside = Case {
        kind: String::new(),
        text: twin(&c.text),
        size: c.size,
    };
    let mut why = String::new();
    for (stepper, tolerance) in TIGHT {
        match (once(c, stepper, tolerance, 5 * STEPS), found.take()) {
            (Ok(ran), Some(first)) => {
                let apart = distance(&ran, &first, 1.0, c.size);
                let other = once(&aside, stepper, tolerance, 5 * STEPS)?;
                return Ok((first, apart, distance(&other, &ran, ASIDE, c.size)));
            }
            (Ok(ran), None) => found = Some(ran),
            (Err(message), first) => (why, found) = (message, first),
        }
    }
    Err(why)
}

pub fn run(sample: Sample) -> Finding {
    let seeds = sample.seeds();
    let mut finding = Finding::default();
    let found = map(&seeds, |seed| {
        let c = case(*seed)?;
        let known = truth(&c);
        let mut rows = Vec::new();
        if let Ok((exact, apart, amplified)) = &known
            && *amplified <= CHAOTIC
        {
            for tolerance in TOLERANCES {
                if *apart > KNOWN * RIGHT * tolerance {
                    continue;
                }
                for stepper in FIXED.into_iter().chain([AUTO]) {
                    let ran = once(&c, stepper, tolerance, STEPS);
                    let error = ran.as_ref().map(|r| distance(r, exact, tolerance, c.size));
                    rows.push(Row {
                        tolerance,
                        stepper,
                        error: error.unwrap_or(f64::INFINITY),
                        ran,
                    });
                }
            }
        }
        Some((c, known.map(|k| k.2), rows))
    });
    let mut judged = Vec::new();
    let mut unknown = 0;
    for (seed, found) in seeds.iter().zip(&found) {
        let Some((c, known, rows)) = found else {
            finding.missing.push(format!("seed {seed}: no draw was good"));
            continue;
        };
        match known {
            Err(why) => finding.missing.push(format!("seed {seed}, {}: {why}", c.kind)),
            Ok(amplified) if *amplified > CHAOTIC => {
                finding
                    .missing
                    .push(format!("seed {seed}, {}: the motion is chaotic", c.kind));
            }
            Ok(_) => {}
        }
        for row in rows {
            finding.rows.push(row.json(*seed, &c.kind));
        }
        unknown += TOLERANCES.len() - rows.len() / (FIXED.len() + 1);
        for tolerance in TOLERANCES {
            let of: Vec<&Row> = rows.iter().filter(|r| r.tolerance == tolerance).collect();
            judged.extend(judge(*seed, &c.kind, &of));
        }
    }
    if unknown > 0 {
        let text = format!(
            "{unknown} of {} ends are chaotic or not known well enough",
            4 * seeds.len()
        );
        finding.missing.push(text);
    }
    report(&mut finding, &judged);
    finding
}

/// A run of a case.
struct Row {
    tolerance: f64,
    stepper: &'static str,
    error: f64,
    ran: Result<Ran, String>,
}

impl Row {
    /// What it took, where it is right.
    fn work(&self) -> Option<f64> {
        let ran = self.ran.as_ref().ok()?;
        (self.error <= RIGHT).then_some(ran.work)
    }

    fn json(&self, seed: u64, kind: &str) -> Value {
        let ran = self.ran.as_ref().ok();
        json!({
            "seed": seed, "kind": kind, "tolerance": self.tolerance, "stepper": self.stepper,
            "error": shown(self.error),
            "counters": ran.map(|r| r.counters),
            "work": ran.map(|r| r.work),
            "used": ran.map(|r| r.stepper.clone()),
            "size": ran.map(|r| r.size),
            "why": self.ran.as_ref().err(),
        })
    }
}

/// `auto` beside the best of the fixed steppers that are right.
struct Judged {
    seed: u64,
    kind: String,
    tolerance: f64,
    best: (&'static str, f64),
    /// What `auto` took in units of that; infinite where it is not right.
    ratio: f64,
    /// In words.
    auto: String,
}

/// None where no fixed stepper is right.
fn judge(seed: u64, kind: &str, rows: &[&Row]) -> Option<Judged> {
    let fixed = rows.iter().filter(|r| r.stepper != AUTO);
    let works = fixed.filter_map(|r| Some((r.stepper, r.work()?)));
    let best = works.min_by(|a, b| a.1.total_cmp(&b.1))?;
    let auto = rows.iter().find(|r| r.stepper == AUTO)?;
    Some(Judged {
        seed,
        kind: kind.into(),
        tolerance: auto.tolerance,
        best,
        ratio: auto.work().map_or(f64::INFINITY, |w| w / best.1),
        auto: match &auto.ran {
            Err(why) => format!("not done: {why}"),
            Ok(_) if auto.error > RIGHT => format!("off by {} tolerances", shown(auto.error)),
            Ok(ran) => format!("{:.0} at the end with {}", ran.work, ran.stepper),
        },
    })
}

/// The table by tolerance and kind, cases far from the best, and checks.
fn report(finding: &mut Finding, judged: &[Judged]) {
    finding.columns = vec![
        "tolerance, kind",
        "runs",
        "≤ 1.25",
        "≤ 2",
        "≤ 4",
        "wrong",
        "worst",
    ];
    let mut keys: Vec<String> = TOLERANCES.iter().map(|t| format!("{t:.0e}")).collect();
    let mut kinds: Vec<String> = judged.iter().map(|j| format!("  {}", j.kind)).collect();
    kinds.sort();
    kinds.dedup();
    keys.extend(kinds);
    keys.push("all".into());
    for key in keys {
        let is = |j: &&Judged| {
            key == "all" || key == format!("{:.0e}", j.tolerance) || key == format!("  {}", j.kind)
        };
        let of: Vec<&Judged> = judged.iter().filter(is).collect();
        let within = |limit: f64| of.iter().filter(|j| j.ratio <= limit).count();
        let right = of.iter().filter(|j| j.ratio.is_finite()).map(|j| j.ratio);
        let share = |n: usize| format!("{:.1} %", 100.0 * n as f64 / of.len().max(1) as f64);
        finding.table.push(vec![
            key.clone(),
            of.len().to_string(),
            share(within(NEAR)),
            share(within(FAR)),
            share(within(NEVER)),
            of.iter().filter(|j| j.ratio.is_infinite()).count().to_string(),
            format!("{:.2}", right.fold(0.0, f64::max)),
        ]);
    }
    for j in judged.iter().filter(|j| j.ratio > FAR) {
        let what = format!("{}, {:.0e}", j.kind, j.tolerance);
        let ratio = match j.ratio.is_finite() {
            true => format!("{:.2} times {}", j.ratio, j.best.0),
            false => format!("right with {}", j.best.0),
        };
        let text = format!("{ratio} ({:.0}): auto {}", j.best.1, j.auto);
        finding.fail(j.seed, &what, &text);
    }
    let within = |limit: f64| judged.iter().filter(|j| j.ratio <= limit).count();
    let counts = [within(NEAR), within(FAR), within(NEVER)];
    let id = |what: &str| format!("generated-choice/{what}");
    let all = judged.len();
    let best = "of the work of the best fixed stepper that is right";
    finding.share(
        id("near"),
        counts[0],
        all,
        0.85,
        &format!("within {NEAR} times {best}"),
    );
    finding.share(
        id("far"),
        counts[1],
        all,
        0.98,
        &format!("within {FAR} times {best}"),
    );
    let right = judged.iter().filter(|j| j.ratio.is_finite()).count();
    finding.share(
        id("right"),
        right,
        all,
        0.95,
        "auto is right where a fixed stepper is",
    );
    finding.share(
        id("never"),
        counts[2],
        all,
        1.0,
        &format!("within {NEVER} times {best}"),
    );
}
