//! Every combination of stiff terms, assembly, stabilisation and ordering on six shipped mechanisms: it runs stable
//! where the advice says so, or is refused with a reason.
//!
//! The advice is that of `holonom realtime`. Steps are those of real time: 1 ms, 4 ms, and 0.8 of the largest stable one
//! where that is less.
//!
//! At the start of a mechanism a run is stable when none of its velocities leaves twice the range that a precise solution
//! has until then, or a tenth of what all the kinetic energy would make of it where that is more: what is unstable
//! grows without bound in hundreds of steps, and errors of a method of order 1 at steps of real time are a part of the
//! motion, not a multiple.
//!
//! The linearised model makes no promise where it grows by itself, as in the middle of a swing. Mechanisms that
//! start so are looked at where they rest, with a small push: potential energy is least there, so that kinetic energy
//! never exceeds that of the push; again twice the velocity, four times the energy, is the limit.

#![allow(clippy::unwrap_used)]

use holonom::analysis::State;
use holonom::analysis::modes::state_of;
use holonom::analysis::statics::{StaticsOptions, equilibrium};
use holonom::analysis::step_size::advice;
use holonom::dae::Mechanical;
use holonom::format::Settings;
use holonom::multibody::mechanical::MechanicalModel;
use holonom::multibody::start::Assembled;
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

/// Tells where a run is no longer stable.
trait Measure {
    /// Where to begin.
    fn start(&self) -> &MotionState;
    /// What is wrong with a state of a run of this length.
    fn fault(&mut self, state: &MotionState, length: f64) -> Option<String>;
}

/// What velocities may be, until times.
struct Reference {
    start: MotionState,
    times: Vec<f64>,
    /// The largest |v| until then, coordinate by coordinate.
    most: Vec<Vec<f64>>,
    /// The least that is allowed.
    least: Vec<f64>,
}

impl Measure for Reference {
    fn start(&self) -> &MotionState {
        &self.start
    }

    fn fault(&mut self, state: &MotionState, length: f64) -> Option<String> {
        let until = self.start.t + length;
        let place = self.times.partition_point(|t| *t < until);
        let most = &self.most[place.min(self.times.len() - 1)];
        let limits = most
            .iter()
            .zip(&self.least)
            .map(|(most, least)| f64::max(RANGE * most, *least));
        let mut pairs = state.v.iter().zip(limits).enumerate();
        pairs
            .find(|(_, (v, limit))| v.abs() > *limit)
            .map(|(i, (v, limit))| format!("v{i} = {v:.3e} beyond {limit:.3e}"))
    }
}

/// Kinetic energy after a push at rest.
struct Push {
    start: MotionState,
    mechanical: MechanicalModel,
    mass: Vec<f64>,
    energy: f64,
}

impl Push {
    fn energy(&mut self, state: &MotionState) -> f64 {
        let n = state.v.len();
        self.mechanical.mass(state.t, &state.q, &mut self.mass).unwrap();
        let twice: f64 = (0..n * n)
            .map(|k| self.mass[k] * state.v[k / n] * state.v[k % n])
            .sum();
        0.5 * twice
    }

    /// With velocities that the constraints allow: what a very short step makes of any.
    fn new(start: &Assembled, at: &State) -> Self {
        let mut from = motion(start, at);
        for (i, v) in from.v.iter_mut().enumerate() {
            *v = 1e-3 * (((i * 7 + 3) % 5) as f64 - 1.5);
        }
        let options = LinearImplicitOptions::default();
        let mut run = RealTime::new(Box::new(start.mechanical()), 1e-12, from.clone(), options).unwrap();
        assert_eq!(run.step(), Advance::Done);
        from.v.copy_from_slice(&run.state().v);
        let n = from.v.len();
        let mut push = Self {
            start: from.clone(),
            mechanical: start.mechanical(),
            mass: vec![0.0; n * n],
            energy: 0.0,
        };
        push.energy = push.energy(&from);
        assert!(push.energy > 0.0);
        push
    }
}

impl Measure for Push {
    fn start(&self) -> &MotionState {
        &self.start
    }

    fn fault(&mut self, state: &MotionState, _length: f64) -> Option<String> {
        let (energy, limit) = (self.energy(state), RANGE * RANGE * self.energy);
        (energy > limit).then(|| format!("energy {energy:.3e} beyond {limit:.3e}"))
    }
}

/// A state as the method takes it.
fn motion(start: &Assembled, at: &State) -> MotionState {
    let mut from = MotionState::new(&start.mechanical());
    from.t = at.t;
    from.q.copy_from_slice(&at.q);
    from.v.copy_from_slice(&at.v);
    from.x.copy_from_slice(&at.x);
    from.lambda.copy_from_slice(&at.lambda);
    from
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
    Reference {
        start: motion(start, &state_of(start)),
        times,
        most,
        least: least.collect(),
    }
}

/// Where a run with steps of this size leaves what is allowed.
fn left(
    start: &Assembled,
    measure: &mut dyn Measure,
    options: &LinearImplicitOptions,
    h: f64,
) -> Option<String> {
    let mechanical = Box::new(start.mechanical());
    let mut run = match RealTime::new(mechanical, h, measure.start().clone(), options.clone()) {
        Ok(run) => run,
        Err(error) => return Some(error.to_string()),
    };
    let steps = STEPS.min((LONGEST / h) as usize);
    for step in 1..=steps {
        if run.step() != Advance::Done {
            return Some(format!("not finite at step {step}"));
        }
        if let Some(fault) = measure.fault(run.state(), h * steps as f64) {
            return Some(format!("{fault} at step {step}"));
        }
    }
    None
}

/// Runs every combination as advised at a state; gives those for which the advice knows no stable step.
fn sweep(name: &str, start: &Assembled, at: &State, measure: &mut dyn Measure) -> Vec<LinearImplicitOptions> {
    let (mut stable, mut refused, mut faults) = (0, 0, Vec::new());
    let mut never = Vec::new();
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
                // `j2` goes with all that anything goes with.
                let advised = advice(start, at, &with(StiffTerms::J2), 1e-3);
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
                        refused += 1;
                        continue;
                    }
                    let advised = advised.as_ref().unwrap();
                    assert!(advised.is_promise(), "{name} {what}: {advised}");
                    let found = advised.model(terms).unwrap();
                    assert_eq!(found.options, options, "{name} {what}");
                    let largest = BELOW * found.limit.value();
                    let mut sizes: Vec<f64> = SIZES.into_iter().filter(|h| *h <= largest).collect();
                    if largest < SIZES[1] && found.limit != StepLimit::Never {
                        sizes.push(largest);
                    }
                    if sizes.is_empty() {
                        never.push(options.clone());
                    }
                    for &h in &sizes {
                        match left(start, measure, &options, h) {
                            None => stable += 1,
                            Some(fault) => {
                                faults.push(format!("{what}, {}, h = {h:.2e}: {fault}", found.limit));
                            }
                        }
                    }
                }
            }
        }
    }
    assert!(
        faults.is_empty(),
        "{name}: {stable} stable, {refused} refused, {} not as advised:\n{}",
        faults.len(),
        faults.join("\n")
    );
    // Of 80 combinations 40 go together.
    assert_eq!(refused, 40, "{name}");
    assert!(stable >= 40 - never.len(), "{name}: {stable}");
    never
}

/// Explicitly, positions first: unstable for all that nothing damps.
fn is_explicit(options: &LinearImplicitOptions) -> bool {
    options.stiff_terms == StiffTerms::None && options.ordering == Ordering::PositionsFirst
}

fn simulation(name: &str) -> Simulation {
    let file = holonom_models::find(name).unwrap().read().unwrap();
    let precise = Settings {
        stepper: Some("bdf".into()),
        rtol: Some(1e-6),
        atol: Some(1e-8),
        ..Settings::default()
    };
    Simulation::new(&file, &precise).unwrap_or_else(|e| panic!("{name}: {e}"))
}

/// At its start.
fn check(name: &str) -> Vec<LinearImplicitOptions> {
    let simulation = simulation(name);
    let at = state_of(&simulation.start);
    sweep(name, &simulation.start, &at, &mut reference(&simulation))
}

/// At rest, with a push.
fn check_at_rest(name: &str) -> Vec<LinearImplicitOptions> {
    let simulation = simulation(name);
    let rest = equilibrium(&simulation.start, &StaticsOptions::default()).unwrap();
    let mut push = Push::new(&rest.start, &rest.state);
    sweep(name, &rest.start, &rest.state, &mut push)
}

/// Stiff springs, loops, and a road that moves: constraints depend on time. Nothing damps.
#[test]
fn car_axle() {
    assert!(check("car-axle").iter().all(is_explicit));
}

/// A loop without damping. What constraint forces make of stiffness, −∂(Gᵀλ)/∂q, is in no matrix of the step: with positions
/// first that is an explicit oscillation, for which the advice has no stable step; velocities first have.
#[test]
fn four_bar() {
    let never = check_at_rest("four-bar");
    let positions_first = |options: &LinearImplicitOptions| options.ordering == Ordering::PositionsFirst;
    assert!(never.iter().all(positions_first));
}

/// Euler parameters.
#[test]
fn spatial_pendulum() {
    assert!(check_at_rest("spatial-pendulum").iter().all(is_explicit));
}

/// A coupling and a stiff shaft.
#[test]
fn gear_train() {
    assert!(check("gear-train").is_empty());
}

/// Tyres on a road.
#[test]
fn vehicle() {
    assert!(check("vehicle").is_empty());
}

/// Loops by rods, tyres, states of elements. Index 1 without stabilisation drifts, and the springs pull along what has
/// drifted: small errors of the constraints grow by themselves.
#[test]
fn iltis() {
    let drifts = |options: &LinearImplicitOptions| {
        (options.assembly, options.stabilisation) == (Level::Index1, Stabilisation::None)
    };
    let never = check_at_rest("iltis");
    assert!(never.iter().all(drifts), "{never:?}");
}

/// The measures tell: the explicit method leaves what is allowed.
#[test]
fn the_measures_tell() {
    let explicit = LinearImplicitOptions {
        stiff_terms: StiffTerms::None,
        ..LinearImplicitOptions::default()
    };
    let axle = simulation("car-axle");
    assert!(left(&axle.start, &mut reference(&axle), &explicit, 4e-3).is_some());
    let bars = simulation("four-bar");
    let rest = equilibrium(&bars.start, &StaticsOptions::default()).unwrap();
    let mut push = Push::new(&rest.start, &rest.state);
    assert!(left(&rest.start, &mut push, &explicit, 4e-2).is_some());
}
