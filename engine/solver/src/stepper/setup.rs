//! What a run needs before its first step: checks, parts, the first step size.

use super::checkpoint::fingerprint;
use super::{Build, NONE, Parts, Stepper, Takes};
use crate::explain::{Because, Decision, Subject};
use crate::jacobian::{JacobianEngine, PatternUse, Sparsity, cost_of_packs};
use crate::newton::Corrector;
use crate::options::{AUTO, Options};
use crate::refresh::Update;
use crate::{jacobian, linear, refresh, stepper};
use holonom_dae::{ErrorTest, InputError, MechanicalLayout, Structure, System, Weights};

/// A stepper, the names of the strategies in it and the decisions that led to them.
pub type Assembled = (Box<dyn Stepper>, [&'static str; 4], Vec<Decision>);

/// Mechanisms of bodies and joints with loops: steps with a new Jacobian each after a rejected attempt, where rounding is
/// amplified; and the share of the tolerance the corrector may use at most, everywhere, because digits depend on it.
/// Both keep the noise of the corrector small next to singular positions. They hold whichever engine is named: a
/// tolerance is to mean one accuracy, and engines are compared at the same one. Not so with differences of
/// α ∂F/∂ẏ + ∂F/∂y in one: these lose so many digits that the iteration does not get there.
const CAUTION: u32 = 10;
const CAREFUL_SHARE: f64 = 1e-3;

/// The method chosen by the options, with the names of all strategies as used and why they are.
pub fn assemble_parts(system: &dyn System, options: &Options) -> Result<Assembled, InputError> {
    let entry = stepper::find(&options.stepper).unwrap_or(&stepper::REGISTRY[0]);
    if matches!(entry.build, Build::Iterative(_)) {
        // Those that no one has read yet are not checked yet.
        system.structure().check_patterns()?;
    }
    let structure = system.structure();
    let n = structure.dimension();
    let mut parts = Parts {
        structure,
        weights: weights(options, structure),
        options,
        linear: &linear::REGISTRY[0],
        caution: 0,
    };
    let build = match entry.build {
        Build::Iterative(build) => build,
        Build::Direct(build) => {
            return Ok((build(n, parts), [entry.name, NONE, NONE, NONE], Vec::new()));
        }
    };
    // Reads the pattern, of up to n² entries, which methods without matrices do not need.
    let (engine_entry, linear_entry) = options.resolve(system);
    parts.linear = linear_entry;
    let policy_entry = refresh::find(&options.refresh).unwrap_or(&refresh::REGISTRY[0]);
    let policy = (policy_entry.build)(&options.own);
    let update = options.update_choice();
    let together = update.combines(policy_entry.combined_differences);
    let combined = together && !entry.in_stages;
    let sparse = linear_entry.sparse && structure.sparsity.is_some();
    let split = jacobian::allocate(structure, sparse, combined);
    let setup = jacobian::Setup {
        sparse,
        combined,
        sparsity: options.sparsity_choice(),
    };
    let engine = (engine_entry.build)(structure, setup);
    let decisions = explain(system, options, engine.as_ref(), linear_entry.name);
    let kept_on = |l: &MechanicalLayout| !l.lambda.is_empty() || !l.sigma.is_empty();
    let constrained = structure.layout.as_ref().is_some_and(kept_on);
    let mut newton = options.newton;
    newton.remember &= options.fixed_step.is_none();
    let mut corrector = Corrector::new(structure, newton, engine, policy, split);
    let precise = engine_entry.needs_duals || !combined;
    if constrained && precise && options.has_exact_jacobian(system) && !entry.in_stages {
        corrector.be_careful(CAREFUL_SHARE);
        parts.caution = CAUTION;
    }
    if !combined && matches!(update, Update::Extended | Update::Auto) {
        corrector.follow_inputs(system.inputs(), update == Update::Auto);
    }
    if entry.in_stages {
        corrector.keep_apart(!together);
    }
    Ok((
        build(n, parts, corrector),
        [
            entry.name,
            engine_entry.name,
            linear_entry.name,
            policy_entry.name,
        ],
        decisions,
    ))
}

/// Why the parts are what they are.
fn explain(
    system: &dyn System,
    options: &Options,
    engine: &dyn JacobianEngine,
    linear: &'static str,
) -> Vec<Decision> {
    let structure = system.structure();
    let unknowns = structure.dimension();
    let PatternUse {
        groups,
        grouped,
        may_estimate,
        ..
    } = engine.pattern_use();
    let is_auto = |name: &str| name == AUTO;
    let baseline = options.is_baseline();
    let has_duals = jacobian::find(engine.name()).is_some_and(|e| e.needs_duals);
    let engine_because = match options.jacobian.as_str() {
        name if !is_auto(name) => Because::Named,
        _ if has_duals => Because::Exact {
            groups,
            exact: cost_of_packs(groups),
            differences: groups as f64,
        },
        _ if baseline => Because::Baseline,
        _ => Because::Differences {
            groups,
            unknowns,
            duals: system.has_duals(),
        },
    };
    let (sparsity, sparsity_because) = match options.sparsity_choice() {
        _ if jacobian::find(engine.name()).is_some_and(|e| !e.needs_pattern) => ("none", Because::OneByOne),
        Sparsity::Auto if structure.sparsity.is_none() => {
            (Sparsity::Estimated.name(), Because::NotYetEstimated { groups })
        }
        Sparsity::Auto if may_estimate => (Sparsity::Traced.name(), Because::NotYetEstimated { groups }),
        Sparsity::Auto if grouped => (Sparsity::Traced.name(), Because::Declared { groups }),
        Sparsity::Auto => ("none", Because::Declared { groups }),
        named => (named.name(), Because::Named),
    };
    let inputs = system.inputs();
    let update = options.update_in_use(inputs);
    let update_because = match options.update_choice() {
        Update::Auto if baseline => Because::Baseline,
        Update::Auto | Update::Extended if inputs == 0 => Because::NoInputs,
        Update::Auto => Because::InputsWatched { inputs },
        _ => Because::Named,
    };
    let linear_because = if is_auto(&options.linear) {
        let entries = structure.sparsity.as_ref().map(|p| p.len() as f64);
        let all = (unknowns * unknowns).max(1) as f64;
        Because::Density {
            unknowns,
            density: entries.map_or(1.0, |e| e / all),
        }
    } else {
        Because::Named
    };
    vec![
        Decision::at_start(Subject::Jacobian, engine.name(), engine_because),
        Decision::at_start(Subject::Sparsity, sparsity, sparsity_because),
        Decision::at_start(Subject::Update, update.name(), update_because),
        Decision::at_start(Subject::Linear, linear, linear_because),
    ]
}

/// Weights of the error test with these options.
pub fn weights(options: &Options, structure: &Structure) -> Weights {
    Weights::new(
        options.tolerances.clone(),
        error_test(options, structure),
        structure,
    )
}

/// How the variables take part in the error test: as asked for, or as suits the method.
fn error_test(options: &Options, structure: &Structure) -> Vec<ErrorTest> {
    options.error_test.clone().unwrap_or_else(|| {
        let entry = stepper::find(&options.stepper);
        if entry.is_some_and(|e| e.in_stages) {
            structure.error_test_by_index()
        } else if entry.is_some_and(|e| e.takes == Takes::Explicit) {
            structure.error_test_in_full()
        } else {
            structure.default_error_test()
        }
    })
}

/// Refuses start values no run can begin with.
pub fn check_start(structure: &Structure, t0: f64, y0: &[f64], yp0: &[f64]) -> Result<(), InputError> {
    let n = structure.dimension();
    for (what, v) in [("the initial vector y", y0), ("the initial vector ẏ", yp0)] {
        if v.len() != n {
            return Err(InputError::WrongSize {
                what,
                found: v.len(),
                expected: n,
            });
        }
    }
    for (what, v) in [("y", y0), ("ẏ", yp0)] {
        if let Some(index) = v.iter().position(|x| !x.is_finite()) {
            let name = structure.variables[index].name.clone();
            return Err(InputError::NonFiniteStart {
                what,
                name,
                index,
                value: v[index],
            });
        }
    }
    if !t0.is_finite() {
        return Err(InputError::Option {
            option: "t0",
            value: t0.to_string(),
            remedy: "give a finite start time".into(),
        });
    }
    Ok(())
}

/// A first step small enough for order 1: a thousandth of the interval, and no more movement along
/// ẏ than half a tolerance (DASSL); with multipliers of index 2 or more, half the square root of one.
///
/// At order 1 the error is that of the straight line, h²ÿ/2. Where ÿ is of the size ẏ²/y, movement by
/// √tolerance suffices, and the error test has the last word. A step of one tolerance at 10⁻⁸ moves
/// y by little more than its rounding. Multipliers of index 2 take up this noise divided by h, and it is
/// carried along while steps double and the order rises: Andrews' mechanism in the stabilised form
/// lost more than a digit by that. Without multipliers short first steps do no harm.
pub fn first_step(
    options: &Options,
    structure: &Structure,
    t0: f64,
    y: &[f64],
    yp: &[f64],
    span: f64,
) -> f64 {
    if let Some(h) = options.fixed_step.or(options.initial_step) {
        return h;
    }
    let order = stepper::find(&options.stepper).map_or(1, |e| e.start_order);
    let mut weights = weights(options, structure);
    weights.update(y, 1.0);
    weights.grade(1.0);
    let mut h = 1e-3 * span;
    let speed = weights.error_norm(yp);
    let tolerance = options.tolerances.rtol;
    let takes_up_noise = structure.variables.iter().any(|v| v.index >= 2);
    let movement = if order > 1 && tolerance > 0.0 {
        // The error of a step of order p is that of the term after the last, of the size (h ẏ/y)^(p+1).
        0.5 * tolerance.min(1.0).powf(1.0 / (order as f64 + 1.0) - 1.0)
    } else if options.long_first_step && takes_up_noise && tolerance > 0.0 {
        0.5 / tolerance.sqrt().min(1.0)
    } else {
        0.5
    };
    if speed > movement / h {
        h = movement / speed;
    }
    h.max(16.0 * f64::EPSILON * t0.abs()).min(options.max_step)
}

/// Tells systems apart by the names of their parts.
pub fn fingerprint_of_system(system: &dyn System) -> u64 {
    let structure = system.structure();
    let variables = structure.variables.iter().map(|v| &v.name);
    let equations = structure.equations.iter().map(|e| &e.name);
    let events = system.events().iter().map(|e| &e.name);
    fingerprint(variables.chain(equations).chain(events).map(String::as_str))
}
