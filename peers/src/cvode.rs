//! SUNDIALS CVODE 6: BDF or Adams formulas of variable order, for explicit ODEs; Newton's method with a dense matrix
//! by CVODE's own differences, or functional iteration.

use crate::interface::{Counted, Run, Settings, cpu_time, split_outputs, targets};
use crate::sundials::{ErrorFn, Handle, NORMAL, Parts, TOO_MUCH_WORK, entries};
use core::ffi::{CStr, c_char, c_int, c_long, c_void};
use holonom_dae::problems::Problem;
use holonom_dae::{DerivativeForm, System};

type RightFn = unsafe extern "C" fn(f64, Handle, Handle, *mut c_void) -> c_int;

unsafe extern "C" {
    fn SUNNonlinSol_FixedPoint(template: Handle, vectors: c_int, context: Handle) -> Handle;
    fn SUNNonlinSolFree(solver: Handle) -> c_int;
    fn CVodeCreate(method: c_int, context: Handle) -> *mut c_void;
    fn CVodeFree(memory: *mut *mut c_void);
    fn CVodeInit(memory: *mut c_void, right: RightFn, t0: f64, y: Handle) -> c_int;
    fn CVodeSetUserData(memory: *mut c_void, data: *mut c_void) -> c_int;
    fn CVodeSetErrHandlerFn(memory: *mut c_void, handler: ErrorFn, data: *mut c_void) -> c_int;
    fn CVodeSStolerances(memory: *mut c_void, rtol: f64, atol: f64) -> c_int;
    fn CVodeSetMaxNumSteps(memory: *mut c_void, steps: c_long) -> c_int;
    fn CVodeSetLinearSolver(memory: *mut c_void, solver: Handle, matrix: Handle) -> c_int;
    fn CVodeSetNonlinearSolver(memory: *mut c_void, solver: Handle) -> c_int;
    fn CVode(memory: *mut c_void, target: f64, y: Handle, t: *mut f64, task: c_int) -> c_int;
    fn CVodeGetNumSteps(memory: *mut c_void, n: *mut c_long) -> c_int;
    fn CVodeGetNumRhsEvals(memory: *mut c_void, n: *mut c_long) -> c_int;
    fn CVodeGetNumJacEvals(memory: *mut c_void, n: *mut c_long) -> c_int;
    fn CVodeGetNumErrTestFails(memory: *mut c_void, n: *mut c_long) -> c_int;
    fn CVodeGetNumNonlinSolvConvFails(memory: *mut c_void, n: *mut c_long) -> c_int;
}

const ADAMS: c_int = 1;
const BDF: c_int = 2;

/// What the callbacks see.
struct Callback<'a> {
    counted: Counted<'a>,
    zero: Vec<f64>,
    message: Option<String>,
}

unsafe extern "C" fn right(t: f64, y: Handle, f: Handle, data: *mut c_void) -> c_int {
    // SAFETY: `data` is the Callback given to CVodeSetUserData, alive and not otherwise borrowed while CVode runs.
    let call = unsafe { &mut *data.cast::<Callback<'_>>() };
    let n = call.counted.n;
    // SAFETY: CVODE hands over distinct serial vectors of the length of the initial one.
    let (y, f) = unsafe { (entries(y, n), entries(f, n)) };
    let evaluated = call.counted.residual(t, y, &call.zero, f);
    f.iter_mut().for_each(|f| *f = -*f);
    match evaluated {
        Ok(()) => 0,
        // A negative value makes CVODE stop, a positive one try a smaller step.
        Err(_) if call.counted.expired => -1,
        Err(_) => 1,
    }
}

unsafe extern "C" fn note(
    _code: c_int,
    _module: *const c_char,
    _function: *const c_char,
    text: *mut c_char,
    data: *mut c_void,
) {
    // SAFETY: as in `right`; CVODE never calls one from within the other.
    let call = unsafe { &mut *data.cast::<Callback<'_>>() };
    if !text.is_null() {
        // SAFETY: CVODE passes a C string.
        let text = unsafe { CStr::from_ptr(text) };
        call.message = Some(text.to_string_lossy().trim().to_owned());
    }
}

/// CVODE's memory and what it works on, freed in this order.
struct Memory {
    cvode: *mut c_void,
    iteration: Option<Handle>,
    parts: Parts,
}

impl Memory {
    fn counter(&self, get: unsafe extern "C" fn(*mut c_void, *mut c_long) -> c_int) -> u64 {
        let mut n: c_long = 0;
        // SAFETY: CVODE's memory is valid and `n` is a place for the answer.
        unsafe { get(self.cvode, &raw mut n) };
        u64::try_from(n).unwrap_or(0)
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        // SAFETY: made by their constructors; the parts are freed after them.
        unsafe {
            CVodeFree(&raw mut self.cvode);
            if let Some(iteration) = self.iteration {
                SUNNonlinSolFree(iteration);
            }
        }
    }
}

/// BDF with Newton's method.
pub fn integrate_bdf(
    system: &mut dyn System,
    problem: &Problem,
    settings: &Settings<'_>,
) -> Result<Run, String> {
    integrate(BDF, false, system, problem, settings)
}

/// Adams formulas with functional iteration: no matrices at all.
pub fn integrate_adams(
    system: &mut dyn System,
    problem: &Problem,
    settings: &Settings<'_>,
) -> Result<Run, String> {
    integrate(ADAMS, true, system, problem, settings)
}

/// Adams formulas with Newton's method.
pub fn integrate_adams_newton(
    system: &mut dyn System,
    problem: &Problem,
    settings: &Settings<'_>,
) -> Result<Run, String> {
    integrate(ADAMS, false, system, problem, settings)
}

fn integrate(
    method: c_int,
    functional: bool,
    system: &mut dyn System,
    problem: &Problem,
    settings: &Settings<'_>,
) -> Result<Run, String> {
    let structure = system.structure();
    let n = structure.dimension();
    if structure.derivative != DerivativeForm::Identity
        || structure.variables.iter().any(|v| !v.kind.is_differential())
    {
        return Err("only explicit ODEs ẏ = f(t, y) are given to CVODE".into());
    }
    let targets = targets(problem, settings);
    let mut call = Callback {
        counted: Counted::new(system, settings.limit),
        zero: vec![0.0; n],
        message: None,
    };
    let data = (&raw mut call).cast::<c_void>();
    let mut computed = Vec::with_capacity(targets.len());
    let start = cpu_time();
    let parts = Parts::new(n, 1)?;
    let y = parts.vectors[0];
    // SAFETY: the context and the vector are valid; results are checked before use.
    let memory = unsafe {
        entries(y, n).copy_from_slice(&problem.y0);
        Memory {
            cvode: CVodeCreate(method, parts.context),
            iteration: functional.then(|| SUNNonlinSol_FixedPoint(y, 0, parts.context)),
            parts,
        }
    };
    let cvode = memory.cvode;
    if cvode.is_null() || memory.iteration.is_some_and(|i| i.is_null()) {
        return Err("CVodeCreate failed".into());
    }
    // SAFETY: all handles are valid and of matching size, `data` outlives the last call of CVode.
    let set = unsafe {
        CVodeSetErrHandlerFn(cvode, note, data)
            | CVodeInit(cvode, right, problem.t0, y)
            | CVodeSetUserData(cvode, data)
            | CVodeSStolerances(cvode, settings.rtol, settings.atol)
            | CVodeSetMaxNumSteps(cvode, c_long::try_from(settings.max_steps).unwrap_or(c_long::MAX))
            | match memory.iteration {
                Some(iteration) => CVodeSetNonlinearSolver(cvode, iteration),
                None => CVodeSetLinearSolver(cvode, memory.parts.solver, memory.parts.matrix),
            }
    };
    if set != 0 {
        let message = call.message.unwrap_or_default();
        return Err(format!("CVODE refuses its input: {message}"));
    }
    let mut failure = None;
    for target in &targets {
        let mut t = problem.t0;
        // SAFETY: as above.
        let flag = unsafe { CVode(cvode, *target, y, &raw mut t, NORMAL) };
        if flag < 0 {
            failure = Some(match flag {
                TOO_MUCH_WORK => format!("more than {} steps, given up at t = {t:.6e}", settings.max_steps),
                _ => format!(
                    "flag {flag} at t = {t:.6e}: {}",
                    call.message.take().unwrap_or_default()
                ),
            });
            break;
        }
        // SAFETY: CVODE does not write while the slice lives.
        computed.push(unsafe { entries(y, n) }.to_vec());
    }
    let cpu = cpu_time() - start;
    let mut run = Run {
        // SAFETY: as above.
        y: unsafe { entries(y, n) }.to_vec(),
        steps: memory.counter(CVodeGetNumSteps),
        residuals: call.counted.calls,
        residuals_own: memory.counter(CVodeGetNumRhsEvals),
        jacobians: if functional {
            0
        } else {
            memory.counter(CVodeGetNumJacEvals)
        },
        error_failures: memory.counter(CVodeGetNumErrTestFails),
        convergence_failures: memory.counter(CVodeGetNumNonlinSolvConvFails),
        cpu,
        failure,
        ..Run::default()
    };
    split_outputs(computed, settings, &mut run);
    if call.counted.expired {
        run.cut(settings.limit);
    }
    Ok(run)
}
