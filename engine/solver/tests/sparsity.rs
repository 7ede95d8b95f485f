//! Estimated sparsity patterns: wrong ones recover by themselves, late entries are found, and
//! results do not depend on any of it.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod common;

use common::{Random, bits, options, problem};
use holonom_dae::{Closure, Counters, Pattern, Structure, System};
use holonom_solver::newton::PatternEvent;
use holonom_solver::refresh::Reason;
use holonom_solver::stepper::Quiet;
use holonom_solver::{Checkpoint, Integrator, Options, Start};

/// Masses.
const N: usize = 24;
/// The stop between masses 4 and 17, not neighbours, which is open at the start.
const STOP: (usize, usize) = (4, 17);

/// A chain of masses with a stiff stop between two of them that are far apart in the chain; the
/// first is pulled away from the rest of them at the start. The stop closes late.
fn chain(stiffness: f64) -> impl Fn(f64, &[f64], &[f64], &mut [f64]) {
    move |_t, y, yp, r| {
        let (x, v) = y.split_at(N);
        for i in 0..N {
            let left = if i == 0 { 0.0 } else { x[i - 1] };
            let left_v = if i == 0 { 0.0 } else { v[i - 1] };
            let (right, right_v) = if i + 1 < N {
                (x[i + 1], v[i + 1])
            } else {
                (x[i], v[i])
            };
            let mut force = 100.0 * (left - 2.0 * x[i] + right) + 0.3 * (left_v - 2.0 * v[i] + right_v)
                - 0.1 * x[i].powi(3);
            if i == STOP.0 || i == STOP.1 {
                let other = if i == STOP.0 { STOP.1 } else { STOP.0 };
                let sign = if i == STOP.0 { 1.0 } else { -1.0 };
                // Closed when the first is ahead of the second by more than the gap; smooth.
                let depth = (sign * (x[i] - x[other]) - 0.4).max(0.0);
                let rate = sign * (v[i] - v[other]);
                force -= sign * (stiffness * depth * depth + 50.0 * stiffness * depth * depth * depth * rate);
            }
            r[i] = yp[i] - v[i];
            r[N + i] = yp[N + i] - force;
        }
    }
}

/// All entries the chain can have.
fn exact_pattern() -> Pattern {
    let mut entries = Vec::new();
    for i in 0..N {
        entries.extend([(i, i), (i, N + i)]);
        for j in i.saturating_sub(1)..(i + 2).min(N) {
            entries.extend([(N + i, j), (N + i, N + j)]);
        }
    }
    for (i, j) in [STOP, (STOP.1, STOP.0)] {
        entries.extend([(N + i, j), (N + i, N + j)]);
    }
    Pattern::from_entries(2 * N, 2 * N, entries)
}

fn names() -> impl Iterator<Item = String> {
    let name = |k: &'static str| (0..N).map(move |i| format!("{k}[{i}]"));
    name("x").chain(name("v"))
}

fn start() -> (Vec<f64>, Vec<f64>) {
    // The wave that starts at the left closes the stop when it passes mass 4.
    let mut y = vec![0.0; 2 * N];
    for i in 0..3 {
        y[N + i] = 12.0;
    }
    (y, vec![0.0; 2 * N])
}

const T_END: f64 = 3.0;

fn run_chain(stiffness: f64, declared: Option<Pattern>, options: Options) -> Integrator<'static> {
    let mut structure = Structure::ode(names());
    structure.sparsity = declared.map(Into::into);
    let system = Closure::new(structure, chain(stiffness));
    let (y, yp) = start();
    let mut integrator = Integrator::new(Box::new(system), 0.0, &y, &yp, T_END, options).unwrap();
    integrator.run(T_END, &mut Quiet).unwrap();
    integrator
}

/// The largest difference of two solutions.
fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

fn tight() -> Options {
    Options::new(1e-7, 1e-7).stepper("bdf")
}

/// An element that switches on late is found, the pattern is enlarged, and the result is right.
#[test]
fn late_element() {
    for refresh in ["classical", "dassl"] {
        for stiffness in [1e4, 1e6] {
            let tight = || tight().refresh(refresh);
            let reference = run_chain(stiffness, None, tight().jacobian("fd-dense"));
            let mut run = run_chain(
                stiffness,
                None,
                tight().jacobian("fd-grouped").sparsity("estimated"),
            );
            let what = format!("{refresh}, {stiffness:e}");
            let off = distance(run.y(), reference.y());
            let (c, d) = (*run.counters(), *reference.counters());
            let log: Vec<PatternEvent> = run.pattern_log().to_vec();
            for event in &log {
                println!("{what}: {event}");
            }
            println!(
                "{what}: off by {off:.1e}, residuals {} instead of {} with {} and {} Jacobians, steps {} and {}, sparsity updates {}",
                c.residuals, d.residuals, c.jacobians, d.jacobians, c.steps, d.steps, c.sparsity_updates
            );
            assert_eq!(log[0].reason, Reason::FirstStep);
            // Found when the stop closes, not before: the wave needs a while.
            let found = log
                .iter()
                .find(|e| e.change.is_some_and(|c| c.before.is_some()))
                .unwrap();
            assert!(found.t > 0.1 && found.t < 2.0, "{what}: {found}");
            let whole = run.stepper().corrector().unwrap().pattern_use();
            assert!(
                whole.estimated && whole.groups < whole.complete_groups / 3,
                "{whole:?}"
            );
            assert!(off < 1e-4, "{what}: {off:e}");
            // The classical policy evaluates too few Jacobians for their price to matter much.
            let most = if refresh == "dassl" {
                d.residuals
            } else {
                d.residuals + d.residuals / 10
            };
            assert!(c.residuals < most, "{what}");
            assert!(
                c.rejected_convergence <= d.rejected_convergence + 10,
                "{what}: {c:?}"
            );
            assert!((2..12).contains(&c.sparsity_updates), "{what}");
        }
    }
}

/// Patterns that lack entries recover by themselves: by slow convergence, entries seen outside or
/// a singular matrix.
#[test]
fn wrong_patterns_recover() {
    let p = problem("brusselator:20");
    let n = p.y0.len();
    let declared = (p.build)().structure().sparsity.clone().unwrap();
    let start = |options: Options| {
        let system = (p.build)();
        let span = p.t_end - p.t0;
        Integrator::new(system, p.t0, &p.y0, &p.yp0, span, options.start(Start::Trust)).unwrap()
    };
    let mut random = Random(7);
    let diagonal = Pattern::from_entries(n, n, (0..n).map(|i| (i, i)));
    let empty = Pattern::from_entries(n, n, []);
    let mut some = || {
        let half: Vec<(usize, usize)> = declared.entries().filter(|_| random.next() < 0.5).collect();
        Pattern::from_entries(n, n, half)
    };
    let wrong = [diagonal, empty, some(), some(), some()];
    for refresh in ["classical", "dassl"] {
        for jacobian in ["fd-grouped", "ad-grouped"] {
            let options = || options(&p, 1e-6).refresh(refresh).jacobian(jacobian);
            let mut reference = start(options().sparsity("traced"));
            reference.run(p.t_end, &mut Quiet).unwrap();
            for (k, pattern) in wrong.iter().enumerate() {
                let mut run = start(options().sparsity("estimated"));
                run.stepper().corrector().unwrap().assume_pattern(pattern);
                run.run(p.t_end, &mut Quiet).unwrap();
                let what = format!("{refresh}, {jacobian}, pattern {k}");
                let (c, d) = (*run.counters(), *reference.counters());
                let off = distance(run.y(), reference.y());
                println!("{what}: off by {off:.1e}, steps {} and {}", c.steps, d.steps);
                let log = run.pattern_log();
                log.iter().for_each(|event| println!("    {event}"));
                assert!(
                    !log.is_empty() && log[0].change.is_some_and(|c| c.before.is_some()),
                    "{what}"
                );
                assert!(c.sparsity_updates >= 1, "{what}");
                assert!(off < 3e-5, "{what}: {off:e}");
                assert!(c.steps < d.steps + d.steps / 5, "{what}: {c:?} {d:?}");
                let last = log.iter().filter_map(|e| e.change).next_back().unwrap();
                assert!(last.entries > pattern.len(), "{what}");
            }
        }
    }
}

/// `auto` takes the estimate where the declared pattern is much too large, and costs little where
/// the declared one is good.
#[test]
fn auto_compares() {
    let grouped = || tight().refresh("dassl").jacobian("fd-grouped").linear("lu-dense");
    let full = Pattern::dense(2 * N, 2 * N);
    let mut run = run_chain(1e4, Some(full.clone()), grouped());
    let named = run_chain(1e4, Some(full), grouped().sparsity("traced"));
    let off = distance(run.y(), named.y());
    let (c, d) = (*run.counters(), *named.counters());
    run.pattern_log().iter().for_each(|event| println!("{event}"));
    println!(
        "off by {off:.1e}, residuals {} instead of {}",
        c.residuals, d.residuals
    );
    assert!(off < 1e-4, "{off:e}");
    let changes = run.pattern_log().iter().filter_map(|e| e.change);
    assert!(changes.clone().any(|c| c.in_use));
    assert!(changes.clone().any(|c| !c.in_use && c.before.is_some()));
    assert!(3 * c.residuals < 2 * d.residuals);

    let auto = run_chain(1e4, Some(exact_pattern()), grouped());
    let named = run_chain(1e4, Some(exact_pattern()), grouped().sparsity("traced"));
    let (c, d) = (auto.counters().residuals, named.counters().residuals);
    println!("residuals {c} instead of {d}");
    assert!(distance(auto.y(), named.y()) < 1e-4);
    assert!(10 * c < 11 * d, "{c} {d}");
}

fn through_json(checkpoint: &Checkpoint) -> Checkpoint {
    serde_json::from_str(&serde_json::to_string(checkpoint).unwrap()).unwrap()
}

/// A run cut anywhere, before and after the pattern changed, gives the same bits.
#[test]
fn checkpoints_hold_the_pattern() {
    for sparsity in ["estimated", "auto"] {
        let declared = (sparsity == "auto").then(|| Pattern::dense(2 * N, 2 * N));
        let options = || {
            let options = Options::new(1e-5, 1e-5)
                .stepper("bdf")
                .jacobian("fd-grouped")
                .linear("lu-dense");
            options.sparsity(sparsity)
        };
        let build = || -> Box<dyn System> {
            let mut structure = Structure::ode(names());
            structure.sparsity = declared.clone().map(Into::into);
            Box::new(Closure::new(structure, chain(1e5)))
        };
        let (y, yp) = start();
        let mut whole = Integrator::new(build(), 0.0, &y, &yp, T_END, options()).unwrap();
        let mut checkpoints = Vec::new();
        let mut updates: Vec<u64> = Vec::new();
        while whole.t() < T_END {
            whole.step().unwrap();
            if whole.counters().steps.is_multiple_of(16) {
                checkpoints.push(through_json(&whole.checkpoint()));
                updates.push(whole.counters().sparsity_updates);
            }
        }
        let end: (u64, Counters) = (whole.counters().steps, *whole.counters());
        updates.dedup();
        assert!(
            updates.len() > 1,
            "{sparsity}: the pattern changed between checkpoints: {updates:?}"
        );
        for checkpoint in checkpoints {
            let mut resumed = Integrator::resume(build(), options(), &checkpoint).unwrap();
            while resumed.counters().steps < end.0 {
                resumed.step().unwrap();
            }
            assert_eq!(bits(resumed.y()), bits(whole.y()), "{sparsity}");
            assert_eq!(*resumed.counters(), end.1, "{sparsity}");
        }
    }
}

/// A checkpoint does not fit a run that takes its pattern from elsewhere.
#[test]
fn another_origin_is_refused() {
    let (y, yp) = start();
    let build = || Box::new(Closure::new(Structure::ode(names()), chain(1e4)));
    let options = || tight().jacobian("fd-grouped");
    let mut run = Integrator::new(build(), 0.0, &y, &yp, T_END, options().sparsity("estimated")).unwrap();
    run.step().unwrap();
    let checkpoint = run.checkpoint();
    assert!(Integrator::resume(build(), options().sparsity("estimated"), &checkpoint).is_ok());
    assert!(Integrator::resume(build(), options().sparsity("auto"), &checkpoint).is_err());
}
