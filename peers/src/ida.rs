//! SUNDIALS IDA 6: variable-order BDF in fixed-leading-coefficient form, dense direct linear
//! solver, IDA's own difference-quotient Jacobian.
//!
//! Variables of index 2 and 3 are left out of the error test (`IDASetId`, `IDASetSuppressAlg`) but
//! stay in the test of the corrector. Where that fails, as for Andrews' mechanism, whose
//! multipliers carry rounding errors of size ε/h, the run is repeated with an absolute tolerance
//! of 10⁶ on them, as DASSL gets it; only the second run is counted.

use crate::interface::{Counted, Run, Settings, cpu_time, excluded, split_outputs, targets};
use crate::sundials::{ErrorFn, Handle, NORMAL, Parts, TOO_MUCH_WORK, entries};
use core::ffi::{CStr, c_char, c_int, c_long, c_void};
use holonom_dae::System;
use holonom_dae::problems::Problem;
use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

type ResidualFn = unsafe extern "C" fn(f64, Handle, Handle, Handle, *mut c_void) -> c_int;

unsafe extern "C" {
    fn IDACreate(context: Handle) -> *mut c_void;
    fn IDAFree(memory: *mut *mut c_void);
    fn IDAInit(memory: *mut c_void, residual: ResidualFn, t0: f64, y: Handle, yp: Handle) -> c_int;
    fn IDASetUserData(memory: *mut c_void, data: *mut c_void) -> c_int;
    fn IDASetErrHandlerFn(memory: *mut c_void, handler: ErrorFn, data: *mut c_void) -> c_int;
    fn IDASVtolerances(memory: *mut c_void, rtol: f64, atol: Handle) -> c_int;
    fn IDASetMaxNumSteps(memory: *mut c_void, steps: c_long) -> c_int;
    fn IDASetId(memory: *mut c_void, id: Handle) -> c_int;
    fn IDASetSuppressAlg(memory: *mut c_void, suppress: c_int) -> c_int;
    fn IDASetLinearSolver(memory: *mut c_void, solver: Handle, matrix: Handle) -> c_int;
    fn IDASolve(memory: *mut c_void, target: f64, t: *mut f64, y: Handle, yp: Handle, task: c_int) -> c_int;
    fn IDAGetNumSteps(memory: *mut c_void, n: *mut c_long) -> c_int;
    fn IDAGetNumResEvals(memory: *mut c_void, n: *mut c_long) -> c_int;
    fn IDAGetNumJacEvals(memory: *mut c_void, n: *mut c_long) -> c_int;
    fn IDAGetNumErrTestFails(memory: *mut c_void, n: *mut c_long) -> c_int;
    fn IDAGetNumNonlinSolvConvFails(memory: *mut c_void, n: *mut c_long) -> c_int;
}

/// Absolute tolerance that takes a variable out of every test.
const LOOSE: f64 = 1e6;
/// Steps after which a run with all variables in the corrector's test is given up.
const PATIENCE: u64 = 50_000;

/// Problems and tolerances that are known to need [`LOOSE`].
static HOPELESS: Mutex<BTreeSet<(String, u64, u64)>> = Mutex::new(BTreeSet::new());

/// What the callbacks see.
struct Callback<'a> {
    counted: Counted<'a>,
    message: Option<String>,
}

unsafe extern "C" fn residual(t: f64, y: Handle, yp: Handle, r: Handle, data: *mut c_void) -> c_int {
    // SAFETY: `data` is the Callback given to IDASetUserData, alive and not otherwise borrowed
    // while IDASolve runs.
    let call = unsafe { &mut *data.cast::<Callback<'_>>() };
    let n = call.counted.n;
    // SAFETY: IDA hands over distinct serial vectors of the length of the initial ones.
    let (y, yp, r) = unsafe { (entries(y, n), entries(yp, n), entries(r, n)) };
    match call.counted.residual(t, y, yp, r) {
        Ok(()) => 0,
        // A negative value makes IDA stop, a positive one try a smaller step.
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
    // SAFETY: as in `residual`; IDA never calls one from within the other.
    let call = unsafe { &mut *data.cast::<Callback<'_>>() };
    if !text.is_null() {
        // SAFETY: IDA passes a C string.
        call.message = Some(
            unsafe { CStr::from_ptr(text) }
                .to_string_lossy()
                .trim()
                .to_owned(),
        );
    }
}

/// IDA's memory and what it works on, freed in this order.
struct Memory {
    ida: *mut c_void,
    parts: Parts,
}

impl Memory {
    fn new(n: usize) -> Result<Self, String> {
        let parts = Parts::new(n, 4)?;
        // SAFETY: the context is valid.
        let ida = unsafe { IDACreate(parts.context) };
        if ida.is_null() {
            return Err("IDACreate failed".into());
        }
        Ok(Self { ida, parts })
    }

    /// The entries of vector `k`.
    fn entries(&mut self, k: usize, n: usize) -> &mut [f64] {
        // SAFETY: the vector was made with n entries and lives as long as self.
        unsafe { entries(self.parts.vectors[k], n) }
    }

    fn counter(&self, get: unsafe extern "C" fn(*mut c_void, *mut c_long) -> c_int) -> u64 {
        let mut n: c_long = 0;
        // SAFETY: IDA's memory is valid and `n` is a place for the answer.
        unsafe { get(self.ida, &raw mut n) };
        u64::try_from(n).unwrap_or(0)
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        // SAFETY: made by IDACreate; the parts are freed after it.
        unsafe { IDAFree(&raw mut self.ida) };
    }
}

/// Integrates with IDA.
pub fn integrate(system: &mut dyn System, problem: &Problem, settings: &Settings<'_>) -> Result<Run, String> {
    let key = (
        problem.name.clone(),
        settings.rtol.to_bits(),
        settings.atol.to_bits(),
    );
    let known = || HOPELESS.lock().unwrap_or_else(PoisonError::into_inner);
    if !known().contains(&key) {
        let first = if excluded(system.structure()).contains(&true) {
            let patience = settings.max_steps.min(PATIENCE);
            attempt(
                system,
                problem,
                &Settings {
                    max_steps: patience,
                    ..settings.clone()
                },
                settings.atol,
            )?
        } else {
            return attempt(system, problem, settings, settings.atol);
        };
        if first.failure.is_none() {
            return Ok(first);
        }
        known().insert(key);
    }
    let mut second = attempt(system, problem, settings, LOOSE)?;
    second.note = Some(format!(
        "with atol {LOOSE:e} on the variables of index 2 and 3, after failing without"
    ));
    Ok(second)
}

/// One run, with the given absolute tolerance on the variables left out of the error test.
fn attempt(
    system: &mut dyn System,
    problem: &Problem,
    settings: &Settings<'_>,
    atol_left_out: f64,
) -> Result<Run, String> {
    let n = system.structure().dimension();
    let left_out = excluded(system.structure());
    let targets = targets(problem, settings);
    let mut call = Callback {
        counted: Counted::new(system, settings.limit),
        message: None,
    };
    let data = (&raw mut call).cast::<c_void>();
    let mut computed = Vec::with_capacity(targets.len());

    let start = cpu_time();
    let mut memory = Memory::new(n)?;
    memory.entries(0, n).copy_from_slice(&problem.y0);
    memory.entries(1, n).copy_from_slice(&problem.yp0);
    for (id, out) in memory.entries(2, n).iter_mut().zip(&left_out) {
        *id = if *out { 0.0 } else { 1.0 };
    }
    for (atol, out) in memory.entries(3, n).iter_mut().zip(&left_out) {
        *atol = if *out { atol_left_out } else { settings.atol };
    }
    let (ida, y, yp, id) = (
        memory.ida,
        memory.parts.vectors[0],
        memory.parts.vectors[1],
        memory.parts.vectors[2],
    );
    // SAFETY: all handles are valid and of matching size, `data` outlives the last IDASolve.
    let set = unsafe {
        IDASetErrHandlerFn(ida, note, data)
            | IDAInit(ida, residual, problem.t0, y, yp)
            | IDASetUserData(ida, data)
            | IDASVtolerances(ida, settings.rtol, memory.parts.vectors[3])
            | IDASetMaxNumSteps(ida, c_long::try_from(settings.max_steps).unwrap_or(c_long::MAX))
            | IDASetId(ida, id)
            | IDASetSuppressAlg(ida, c_int::from(left_out.contains(&true)))
            | IDASetLinearSolver(ida, memory.parts.solver, memory.parts.matrix)
    };
    if set != 0 {
        return Err(format!(
            "IDA refuses its input: {}",
            call.message.unwrap_or_default()
        ));
    }
    let mut failure = None;
    for target in &targets {
        let mut t = problem.t0;
        // SAFETY: as above.
        let flag = unsafe { IDASolve(ida, *target, &raw mut t, y, yp, NORMAL) };
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
        computed.push(memory.entries(0, n).to_vec());
    }
    let cpu = cpu_time() - start;

    let mut run = Run {
        y: memory.entries(0, n).to_vec(),
        steps: memory.counter(IDAGetNumSteps),
        residuals: call.counted.calls,
        residuals_own: memory.counter(IDAGetNumResEvals),
        jacobians: memory.counter(IDAGetNumJacEvals),
        error_failures: memory.counter(IDAGetNumErrTestFails),
        convergence_failures: memory.counter(IDAGetNumNonlinSolvConvFails),
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
