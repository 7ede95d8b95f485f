//! Every combination of stiff terms, assembly, stabilisation and ordering on six shipped mechanisms: it runs stable
//! where the advice says so, or is refused with a reason.
//!
//! The advice is that of `holonom realtime`, at the start of the mechanism. Steps are those of real time: 1 ms, 4 ms,
//! and 0.8 of the largest stable one where that is less. A run is stable when none of its velocities leaves twice the
//! range that a precise solution has until then, or a tenth of what all the kinetic energy would make of it where
//! that is more: what is unstable grows without bound in hundreds of steps, and errors of a method of order 1 at
//! steps of real time are a part of the motion, not a multiple.

#![allow(clippy::unwrap_used)]

use holonom::analysis::modes::state_of;
use holonom::analysis::step_size::advice;
use holonom::dae::Mechanical;
use holonom::format::Settings;
use holonom::simulation::Simulation;
use holonom::solver::Integrator;
use holonom::solver::stepper::{
    Advance, Level, LinearImplicitOptions, MotionState, Ordering, RealTime, Stabilisation, StepLimit,
    StiffTerms,
};

/// Steps of a run, as long as it is not longer than [`LONGEST`].
const STEPS: usize = 500;
const LONGEST: f64 = 2.0;
/// Steps of real time.
const SIZES: [f64; 2] = [1e-3, 4e-3];
/// Part of the largest stable step that is tried.
const BELOW: f64 = 0.8;
/// Times the range of the solution.
const RANGE: f64 = 2.0;
/// Parts of the velocity that all the kinetic energy would give.
const SHARE: f64 = 0.1;

/// What velocities may be, until times.
struct Reference {
    start: MotionState,
    times: Vec<f64>,
    /// The largest |v| until then, coordinate by coordinate.
    most: Vec<Vec<f64>>,
    /// The least that is allowed.
    least: Vec<f64>,
}

fn reference(simulation: &Simulation) -> Reference {
    let start = &simulation.start;
    let equations = start
        .equations_with(simulation.form, simulation.formalism, simulation.ggl_metric)
        .unwrap();
    let (y, yp) = start.state(&equations);
    let (n_q, n) = (start.q.len(), start.v.len());
    let mut run = Integrator::new(
        equations.system(),
        start.t,
        &y,
        &yp,
        start.t + LONGEST,
        simulation.solver.clone(),
    )
    .unwrap();
    let mut mechanical = start.mechanical();
    let mut mass = vec![0.0; n * n];
    let mut seen = vec![0.0; n];
    let (mut times, mut most, mut energy) = (Vec::new(), Vec::new(), 0.0);
    loop {
        let (q, v) = (&run.y()[..n_q], &run.y()[n_q..n_q + n]);
        mechanical.mass(run.t(), q, &mut mass).unwrap();
        let twice: f64 = (0..n * n).map(|k| mass[k] * v[k / n] * v[k % n]).sum();
        energy = f64::max(energy, 0.5 * twice);
        for (seen, v) in seen.iter_mut().zip(v) {
            *seen = f64::max(*seen, v.abs());
        }
        times.push(run.t());
        most.push(seen.clone());
        if run.t() >= start.t + LONGEST {
            break;
        }
        run.step().unwrap();
    }
    let least = (0..n).map(|i| SHARE * (2.0 * energy / mass[i * n + i]).sqrt());
    let at = state_of(start);
    let mut from = MotionState::new(&mechanical);
    from.t = at.t;
    from.q.copy_from_slice(&at.q);
    from.v.copy_from_slice(&at.v);
    from.x.copy_from_slice(&at.x);
    from.lambda.copy_from_slice(&at.lambda);
    Reference {
        start: from,
        times,
        most,
        least: least.collect(),
    }
}

impl Reference {
    /// Where a run with steps of this size leaves what is allowed.
    fn left(&self, simulation: &Simulation, options: &LinearImplicitOptions, h: f64) -> Option<String> {
        let mechanical = Box::new(simulation.start.mechanical());
        let mut run = match RealTime::new(mechanical, h, self.start.clone(), options.clone()) {
            Ok(run) => run,
            Err(error) => return Some(error.to_string()),
        };
        let steps = STEPS.min((LONGEST / h) as usize);
        let until = self.start.t + h * steps as f64;
        let place = self
            .times
            .partition_point(|t| *t < until)
            .min(self.times.len() - 1);
        let most = &self.most[place];
        for step in 1..=steps {
            if run.step() != Advance::Done {
                return Some(format!("not finite at step {step}"));
            }
            for (i, v) in run.state().v.iter().enumerate() {
                let limit = f64::max(RANGE * most[i], self.least[i]);
                if v.abs() > limit {
                    return Some(format!("v{i} = {v:.3e} beyond {limit:.3e} at step {step}"));
                }
            }
        }
        None
    }
}

/// Runs that were stable as advised, combinations without a stable step of real time, and refusals.
fn sweep(name: &str) -> [usize; 3] {
    let file = holonom_models::find(name).unwrap().read().unwrap();
    let simulation = Simulation::new(
        &file,
        &Settings {
            stepper: Some("bdf".into()),
            rtol: Some(1e-6),
            atol: Some(1e-8),
            ..Settings::default()
        },
    )
    .unwrap_or_else(|e| panic!("{name}: {e}"));
    let reference = reference(&simulation);
    let at = state_of(&simulation.start);
    let (mut counts, mut faults) = ([0; 3], Vec::new());
    for &assembly in Level::ALL {
        for &stabilisation in Stabilisation::ALL {
            for &ordering in Ordering::ALL {
                let with = |stiff_terms: StiffTerms| LinearImplicitOptions {
                    stiff_terms,
                    assembly,
                    stabilisation,
                    ordering,
                    ..LinearImplicitOptions::default()
                };
                let advised = advice(&simulation.start, &at, &with(StiffTerms::J2), 1e-3);
                for &terms in StiffTerms::ALL {
                    let options = with(terms);
                    let what = format!(
                        "{} {} {} {}",
                        terms.name(),
                        assembly.name(),
                        stabilisation.name(),
                        ordering.name()
                    );
                    if let Err(error) = options.check() {
                        assert!(error.to_string().contains("choose"), "{name} {what}: {error}");
                        counts[2] += 1;
                        continue;
                    }
                    // `j2` goes with all that anything goes with.
                    let found = advised.as_ref().unwrap().model(terms).unwrap();
                    assert_eq!(found.options, options, "{name} {what}");
                    let largest = BELOW * found.limit.value();
                    let mut sizes: Vec<f64> = SIZES.into_iter().filter(|h| *h <= largest).collect();
                    if largest < SIZES[1] && found.limit != StepLimit::Never {
                        sizes.push(largest);
                    }
                    for &h in &sizes {
                        match reference.left(&simulation, &options, h) {
                            None => counts[0] += 1,
                            Some(fault) => {
                                faults.push(format!("{what}, {}, h = {h:.2e}: {fault}", found.limit))
                            }
                        }
                    }
                    counts[1] += usize::from(sizes.is_empty());
                }
            }
        }
    }
    assert!(
        faults.is_empty(),
        "{name}: {counts:?}, {} not stable as advised:\n{}",
        faults.len(),
        faults.join("\n")
    );
    counts
}

/// How many of the 40 combinations have no stable step, and that the other 40 are refused.
fn check(name: &str, without: usize) {
    let [stable, never, refused] = sweep(name);
    assert_eq!((never, refused), (without, 40), "{name}");
    assert!(stable >= 40 - without, "{name}: {stable}");
}

/// Stiff springs, loops, and a road that moves: constraints depend on time. Nothing damps.
#[test]
fn car_axle() {
    check("car-axle", 0);
}

/// A loop.
#[test]
fn four_bar() {
    check("four-bar", 0);
}

/// Euler parameters.
#[test]
fn spatial_pendulum() {
    check("spatial-pendulum", 0);
}

/// A coupling and a stiff shaft.
#[test]
fn gear_train() {
    check("gear-train", 0);
}

/// Tyres on a road.
#[test]
fn vehicle() {
    check("vehicle", 0);
}

/// Loops by rods, tyres, states of elements.
#[test]
fn iltis() {
    check("iltis", 0);
}

/// The measure tells: beyond the limit the axle leaves what is allowed.
#[test]
fn the_measure_tells() {
    let file = holonom_models::find("car-axle").unwrap().read().unwrap();
    let simulation = Simulation::new(&file, &Settings::default()).unwrap();
    let explicit = LinearImplicitOptions {
        stiff_terms: StiffTerms::None,
        ..LinearImplicitOptions::default()
    };
    assert!(
        reference(&simulation)
            .left(&simulation, &explicit, 4e-3)
            .is_some()
    );
}
