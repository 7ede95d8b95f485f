//! What grows with the size of a mechanism: chains and lattices from ten to thousands of bodies, with default settings.
//!
//! Times are those of the processor, so that other work on the machine does not count. Mechanisms are measured one after
//! the other, the smaller ones first, because memory that was given back stays with the process.

use super::{Finding, Sample};
use crate::engine::assemble;
use crate::report::{Check, Limit};
use holonom::analysis::modes::{ModesOptions, Selection, modes, selected};
use holonom::analysis::statics::{StaticsOptions, equilibrium};
use holonom::format::Settings;
use holonom::simulation::{Memory, OutputThread, RunOptions, Simulation, Status};
use serde_json::json;
use std::fmt::Write;
use std::time::Instant;

/// What is built.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    /// Rods on hinges, one below the other.
    Hinges,
    /// Rods on ball joints.
    Balls,
    /// Masses on parallel guides with springs to their neighbours.
    Lattice,
    /// Free bodies with springs to their neighbours.
    Bodies,
}

impl Kind {
    const ALL: [Self; 4] = [Self::Hinges, Self::Balls, Self::Lattice, Self::Bodies];

    fn name(self) -> &'static str {
        match self {
            Self::Hinges => "chain of hinges",
            Self::Balls => "chain of ball joints",
            Self::Lattice => "lattice of masses",
            Self::Bodies => "lattice of bodies",
        }
    }
}

/// The mechanisms, in the order of seeds, which begin at one.
const CASES: [(Kind, usize); 18] = [
    (Kind::Hinges, 10),
    (Kind::Balls, 10),
    (Kind::Hinges, 30),
    (Kind::Balls, 30),
    (Kind::Hinges, 100),
    (Kind::Balls, 100),
    (Kind::Lattice, 100),
    (Kind::Bodies, 100),
    (Kind::Hinges, 300),
    (Kind::Lattice, 300),
    (Kind::Balls, 300),
    (Kind::Lattice, 500),
    (Kind::Bodies, 500),
    (Kind::Hinges, 1000),
    (Kind::Lattice, 2000),
    (Kind::Balls, 1000),
    (Kind::Bodies, 2000),
    (Kind::Lattice, 5000),
];

/// How many cases there are.
pub const COUNT: u64 = CASES.len() as u64;

/// Simulated seconds.
const T_END: f64 = 1.0;
/// Sizes from which memory and preparation are large enough for their growth to be seen.
const LARGE: usize = 100;
/// Modes found in lattices.
const MODES: usize = 20;
/// States up to which modes are compared with those of dense matrices, whose time grows with the cube.
const COMPARED: usize = 600;

fn case(seed: u64) -> Option<(Kind, usize)> {
    let k = usize::try_from(seed.checked_sub(1)?).ok()?;
    CASES.get(k).copied()
}

pub fn model(seed: u64) -> Option<String> {
    case(seed).map(|(kind, n)| text(kind, n))
}

/// The model file.
fn text(kind: Kind, n: usize) -> String {
    let mut out = format!(
        "[model]\nformat = 1\nname = \"{} {n}\"\n\n[simulation]\nt_end = {T_END}\n\n",
        kind.name()
    );
    // Writing to a string cannot fail.
    let _ = match kind {
        Kind::Hinges | Kind::Balls => chain(kind, n, &mut out),
        Kind::Lattice | Kind::Bodies => lattice(kind, n, &mut out),
    };
    out
}

/// Rods of 0.1 m that hang from the ground at 60 degrees, with bends of up to 10 degrees between them.
fn chain(kind: Kind, n: usize, out: &mut String) -> std::fmt::Result {
    for i in 0..n {
        writeln!(
            out,
            "[[body]]\nname = \"b{i}\"\nmass = 0.1\ncentre = [0, 0, -0.05]\ninertia = [1e-4, 1e-4, 1e-5]\n\
             markers = {{ end = [0, 0, -0.1] }}\n"
        )?;
    }
    for i in 0..n {
        let from = match i {
            0 => "ground".to_string(),
            i => format!("b{}.end", i - 1),
        };
        // Bends make every link move by itself.
        let bend = |phase: f64| 10.0 * (1.7 * i as f64 + phase).sin();
        let joint = match (kind, i) {
            (Kind::Hinges, 0) => "kind = \"revolute\"\naxis = [0, 1, 0]\nangle = \"60 deg\"".to_string(),
            (Kind::Hinges, _) => {
                format!(
                    "kind = \"revolute\"\naxis = [0, 1, 0]\nangle = \"{:.3} deg\"",
                    bend(0.0)
                )
            }
            (_, 0) => "kind = \"spherical\"\norientation = { cardan = [0, \"60 deg\", 0] }".to_string(),
            _ => format!(
                "kind = \"spherical\"\norientation = {{ cardan = [\"{:.3} deg\", \"{:.3} deg\", 0] }}",
                bend(0.0),
                bend(1.0)
            ),
        };
        writeln!(
            out,
            "[[joint]]\nname = \"j{i}\"\nfrom = \"{from}\"\nto = \"b{i}\"\n{joint}\n"
        )?;
    }
    Ok(())
}

/// A net of about three to one, stretched between the ground's markers at its two short ends, that sags under its weight.
fn lattice(kind: Kind, n: usize, out: &mut String) -> std::fmt::Result {
    let width = ((n as f64 / 3.0).sqrt().round() as usize).max(1);
    let place = |k: usize| (k / width, k % width);
    let rows = n.div_ceil(width);
    writeln!(out, "[ground]\n[ground.markers]")?;
    for k in 0..n {
        let (i, j) = place(k);
        writeln!(out, "m{k} = [{i}, {j}, 0]")?;
    }
    for j in 0..width {
        writeln!(out, "first{j} = [-1, {j}, 0]\nlast{j} = [{rows}, {j}, 0]")?;
    }
    writeln!(out)?;
    for k in 0..n {
        // No two masses are equal, so that no two modes are.
        let mass = 1.0 + 0.3 * ((k * k % 101) as f64 / 101.0);
        let inertia = match kind {
            Kind::Bodies => {
                "inertia = [0.02, 0.03, 0.04]\nmarkers = { a = [0.2, 0, 0.1], b = [-0.2, 0.1, 0] }\n"
            }
            _ => "",
        };
        writeln!(
            out,
            "[[body]]\nname = \"b{k}\"\nmass = {mass}\n{inertia}\n[[joint]]\nname = \"j{k}\"\nkind = \"{}\"\n\
             from = \"ground.m{k}\"\nto = \"b{k}\"\n",
            if kind == Kind::Bodies { "free" } else { "prismatic" }
        )?;
    }
    let mut count = 0;
    let mut spring = |from: String, to: String| {
        count += 1;
        writeln!(
            out,
            "[[force]]\nname = \"s{count}\"\nkind = \"spring-damper\"\nfrom = \"{from}\"\nto = \"{to}\"\n\
             stiffness = 4000\ndamping = 1\nfree_length = 0.5\n"
        )
    };
    let markers: &[(&str, &str)] = match kind {
        Kind::Bodies => &[(".a", ".b"), (".b", ".a")],
        _ => &[("", "")],
    };
    for k in 0..n {
        let (i, j) = place(k);
        for (a, b) in markers {
            if i == 0 {
                spring(format!("ground.first{j}"), format!("b{k}{b}"))?;
            }
            if k + width >= n {
                spring(format!("b{k}{a}"), format!("ground.last{j}"))?;
            }
            if j + 1 < width && k + 1 < n {
                spring(format!("b{k}{a}"), format!("b{}{b}", k + 1))?;
            }
            if k + width < n {
                spring(format!("b{k}{a}"), format!("b{}{b}", k + width))?;
            }
        }
    }
    Ok(())
}

/// Seconds of the processor that this thread has used; of the clock where the system does not tell.
struct Stopwatch {
    wall: Instant,
    processor: Option<u64>,
}

impl Stopwatch {
    fn start() -> Self {
        Self {
            wall: Instant::now(),
            processor: Self::nanoseconds(),
        }
    }

    fn nanoseconds() -> Option<u64> {
        let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
        text.split_whitespace().next()?.parse().ok()
    }

    fn seconds(&self) -> f64 {
        match (self.processor, Self::nanoseconds()) {
            (Some(from), Some(to)) => to.saturating_sub(from) as f64 * 1e-9,
            _ => self.wall.elapsed().as_secs_f64(),
        }
    }
}

/// The most memory in use since the last call of [`forget_peak`], in MB; none where the system does not tell.
fn peak() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find(|line| line.starts_with("VmHWM:"))?;
    let kilobytes: f64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes / 1000.0)
}

/// Starts to measure the most memory in use again.
fn forget_peak() {
    // Refused in some containers; the peak is then that of all cases up to here, which are smaller.
    let _ = std::fs::write("/proc/self/clear_refs", "5");
}

/// What one mechanism takes. Times in seconds, memory in MB.
#[derive(Clone, Copy, Default)]
struct Measured {
    setup: f64,
    run: f64,
    residuals: f64,
    memory: f64,
    statics: Option<f64>,
    modes: Option<f64>,
    memory_of_analyses: Option<f64>,
    /// Largest difference between frequencies from sparse and from dense matrices.
    apart: Option<f64>,
}

fn measure(kind: Kind, n: usize) -> Result<Measured, String> {
    let text = text(kind, n);
    forget_peak();
    let clock = Stopwatch::start();
    let simulation = assemble(&text, &Settings::default())?;
    let setup = clock.seconds();
    let clock = Stopwatch::start();
    let channels = simulation
        .catalogue
        .select(&["energy.*"])
        .map_err(|e| e.to_string())?;
    let options = RunOptions::new(channels).output_thread(OutputThread::Never);
    let report = simulation
        .run(&options, &mut Memory::default())
        .map_err(|e| e.to_string())?;
    if report.status != Status::Finished {
        return Err(report.message);
    }
    let mut measured = Measured {
        setup,
        run: clock.seconds(),
        residuals: report.counters.residual_equivalents(),
        memory: peak().unwrap_or(f64::NAN),
        ..Measured::default()
    };
    // Nets of free bodies buckle before they rest: what a search through large turns takes is no matter of size alone.
    if kind == Kind::Lattice {
        analyses(&simulation, &mut measured)?;
    }
    Ok(measured)
}

fn analyses(simulation: &Simulation, measured: &mut Measured) -> Result<(), String> {
    forget_peak();
    let clock = Stopwatch::start();
    let rest = equilibrium(&simulation.start, &StaticsOptions::default()).map_err(|e| e.to_string())?;
    measured.statics = Some(clock.seconds());
    let clock = Stopwatch::start();
    let options = ModesOptions::default().selection(Selection::Lowest(MODES));
    let found = selected(&rest.start, &rest.state, &options).map_err(|e| e.to_string())?;
    measured.modes = Some(clock.seconds());
    measured.memory_of_analyses = peak();
    if found.states <= COMPARED {
        let all = modes(&rest.start, &rest.state).map_err(|e| e.to_string())?;
        let pairs = all.modes.iter().zip(&found.modes);
        let apart = pairs.map(|(a, b)| (a.frequency() / b.frequency() - 1.0).abs());
        measured.apart = Some(apart.fold(0.0, f64::max));
    }
    Ok(())
}

/// Least-squares slope of the logarithm of y by that of N.
fn growth(points: &[(usize, f64)]) -> Option<f64> {
    let points = points.iter().filter(|(_, y)| *y > 0.0);
    let logs: Vec<(f64, f64)> = points.map(|(n, y)| ((*n as f64).ln(), y.ln())).collect();
    let count = logs.len() as f64;
    let mean = |of: &dyn Fn(&(f64, f64)) -> f64| logs.iter().map(of).sum::<f64>() / count;
    let (x, y) = (mean(&|p| p.0), mean(&|p| p.1));
    let across: f64 = logs.iter().map(|p| (p.0 - x) * (p.1 - y)).sum();
    let along: f64 = logs.iter().map(|p| (p.0 - x).powi(2)).sum();
    (logs.len() > 1 && along > 0.0).then(|| across / along)
}

/// A time or a memory with as many digits as mean something.
fn told(x: Option<f64>) -> String {
    match x {
        Some(x) if x.is_finite() => format!("{x:.3}"),
        _ => "–".into(),
    }
}

pub fn run(sample: Sample) -> Finding {
    let base = peak().unwrap_or(0.0);
    let mut finding = Finding {
        columns: vec![
            "mechanism",
            "N",
            "setup [s]",
            "run [s]",
            "residuals",
            "µs/residual",
            "MB",
            "statics [s]",
            "modes [s]",
            "MB",
            "apart",
        ],
        ..Finding::default()
    };
    let mut found: Vec<(Kind, usize, Measured)> = Vec::new();
    for seed in sample.seeds() {
        let Some((kind, n)) = case(seed) else {
            finding
                .missing
                .push(format!("seed {seed}: there are {COUNT} mechanisms"));
            continue;
        };
        let m = match measure(kind, n) {
            Ok(m) => m,
            Err(message) => {
                finding.fail(seed, &format!("{} {n}", kind.name()), &message);
                continue;
            }
        };
        finding.table.push(vec![
            kind.name().into(),
            n.to_string(),
            told(Some(m.setup)),
            told(Some(m.run)),
            format!("{:.0}", m.residuals),
            format!("{:.1}", 1e6 * m.run / m.residuals),
            format!("{:.0}", m.memory),
            told(m.statics),
            told(m.modes),
            m.memory_of_analyses.map_or("–".into(), |x| format!("{x:.0}")),
            m.apart.map_or("–".into(), super::shown),
        ]);
        finding.rows.push(json!({
            "seed": seed, "kind": kind.name(), "n": n, "setup": m.setup, "run": m.run,
            "residuals": m.residuals, "memory": m.memory, "statics": m.statics, "modes": m.modes,
            "memory_of_analyses": m.memory_of_analyses, "apart": m.apart,
        }));
        found.push((kind, n, m));
    }
    for kind in Kind::ALL {
        let own: Vec<&(Kind, usize, Measured)> = found.iter().filter(|(k, ..)| *k == kind).collect();
        let slope = |least: usize, of: &dyn Fn(&Measured) -> f64| {
            let large = own.iter().filter(|(_, n, _)| *n >= least);
            growth(&large.map(|(_, n, m)| (*n, of(m))).collect::<Vec<_>>())
        };
        let mut ask = |what: &str, value: Option<f64>, most: f64| {
            if value.is_some() {
                let id = format!("{}/{what}", kind.name().replace(' ', "-"));
                finding
                    .checks
                    .push(Check::new(id, value, Limit::AtMost(most), "issue 22"));
            }
        };
        ask(
            "growth-of-time-per-residual",
            slope(0, &|m| m.run / m.residuals),
            1.1,
        );
        ask("growth-of-setup", slope(LARGE, &|m| m.setup), 1.2);
        ask("growth-of-memory", slope(LARGE, &|m| m.memory - base), 1.2);
        for (_, n, m) in own {
            let (chain, lattice) = (matches!(kind, Kind::Hinges | Kind::Balls), kind == Kind::Lattice);
            if chain && *n == 1000 {
                ask("run-of-1000", Some(m.run), 12.0);
            }
            if *n == 2000 {
                ask("setup-of-2000", Some(m.setup), 1.0);
                ask("memory-of-2000", Some(m.memory), 300.0);
            }
            if lattice && (*n == 500 || *n == 5000) {
                let (statics, modes) = if *n == 500 { (0.5, 1.0) } else { (10.0, 20.0) };
                ask(&format!("statics-of-{n}"), m.statics, statics);
                ask(&format!("modes-of-{n}"), m.modes, modes);
                ask(&format!("memory-of-analyses-of-{n}"), m.memory_of_analyses, 300.0);
            }
            if let Some(apart) = m.apart {
                ask(&format!("modes-of-{n}-beside-dense-ones"), Some(apart), 1e-9);
            }
        }
    }
    finding
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn growth_is_the_exponent() {
        let points: Vec<(usize, f64)> = [10, 30, 100]
            .iter()
            .map(|&n| (n, 2.0 * (n as f64).powf(1.3)))
            .collect();
        assert!((growth(&points).expect("three points") - 1.3).abs() < 1e-12);
        assert_eq!(growth(&points[..1]), None);
    }

    #[test]
    fn every_kind_is_a_model() {
        for kind in Kind::ALL {
            let simulation = assemble(&text(kind, 10), &Settings::default()).expect("a model");
            assert_eq!(simulation.start.model.bodies.len(), 11, "{kind:?}");
        }
        assert!(model(0).is_none() && model(1).is_some() && model(COUNT + 1).is_none());
    }
}
