//! SUNDIALS IDA 6: variable-order BDF in fixed-leading-coefficient form, dense direct linear
//! solver, IDA's own difference-quotient Jacobian.
//!
//! Variables of index 2 and 3 are left out of the error test (`IDASetId`, `IDASetSuppressAlg`) but
//! stay in the test of the corrector. Where that fails, as for Andrews' mechanism, whose
//! multipliers carry rounding errors of size ε/h, the run is repeated with an absolute tolerance
//! of 10⁶ on them, as DASSL gets it; only the second run is counted.

use crate::interface::{Counted, Run, Settings, cpu_time, excluded, split_outputs, targets};
use core::ffi::{CStr, c_char, c_int, c_long, c_void};
use core::ptr::null_mut;
use core::slice;
use holonom_dae::System;
use holonom_dae::problems::Problem;
use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

/// Any of the library's handles: context, vector, matrix, linear solver.
type Handle = *mut c_void;
type ResidualFn = unsafe extern "C" fn(f64, Handle, Handle, Handle, *mut c_void) -> c_int;
type ErrorFn = unsafe extern "C" fn(c_int, *const c_char, *const c_char, *mut c_char, *mut c_void);

// SUNDIALS 6.4 as Debian builds it: realtype = double, sunindextype = int64_t, booleantype = int.
unsafe extern "C" {
    fn SUNContext_Create(communicator: *mut c_void, context: *mut Handle) -> c_int;
    fn SUNContext_Free(context: *mut Handle) -> c_int;
    fn N_VNew_Serial(length: i64, context: Handle) -> Handle;
    fn N_VGetArrayPointer(v: Handle) -> *mut f64;
    fn N_VDestroy(v: Handle);
    fn SUNDenseMatrix(rows: i64, columns: i64, context: Handle) -> Handle;
    fn SUNMatDestroy(matrix: Handle);
    fn SUNLinSol_Dense(template: Handle, matrix: Handle, context: Handle) -> Handle;
    fn SUNLinSolFree(solver: Handle) -> c_int;
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

const NORMAL: c_int = 1;
const TOO_MUCH_WORK: c_int = -1;
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
    let (y, yp, r) = unsafe {
        (
            slice::from_raw_parts(N_VGetArrayPointer(y), n),
            slice::from_raw_parts(N_VGetArrayPointer(yp), n),
            slice::from_raw_parts_mut(N_VGetArrayPointer(r), n),
        )
    };
    // A positive value makes IDA try a smaller step.
    c_int::from(call.counted.residual(t, y, yp, r).is_err())
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

/// Everything to be freed, in the order of its creation.
struct Memory {
    context: Handle,
    vectors: Vec<Handle>,
    matrix: Handle,
    solver: Handle,
    ida: *mut c_void,
}

impl Memory {
    fn new(n: usize) -> Result<Self, String> {
        let mut m = Self {
            context: null_mut(),
            vectors: Vec::new(),
            matrix: null_mut(),
            solver: null_mut(),
            ida: null_mut(),
        };
        // SAFETY: plain constructors; each result is checked before it is used and freed by Drop.
        unsafe {
            if SUNContext_Create(null_mut(), &raw mut m.context) != 0 {
                return Err("SUNContext_Create failed".into());
            }
            for _ in 0..4 {
                let v = N_VNew_Serial(n as i64, m.context);
                if v.is_null() {
                    return Err("N_VNew_Serial failed".into());
                }
                m.vectors.push(v);
            }
            m.matrix = SUNDenseMatrix(n as i64, n as i64, m.context);
            if m.matrix.is_null() {
                return Err("SUNDenseMatrix failed".into());
            }
            m.solver = SUNLinSol_Dense(m.vectors[0], m.matrix, m.context);
            m.ida = IDACreate(m.context);
            if m.solver.is_null() || m.ida.is_null() {
                return Err("IDACreate failed".into());
            }
        }
        Ok(m)
    }

    /// The entries of vector `k`.
    fn entries(&mut self, k: usize, n: usize) -> &mut [f64] {
        // SAFETY: the vector was made with n entries and lives as long as self.
        unsafe { slice::from_raw_parts_mut(N_VGetArrayPointer(self.vectors[k]), n) }
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
        // SAFETY: each handle was made by its constructor or is null and left alone.
        unsafe {
            if !self.ida.is_null() {
                IDAFree(&raw mut self.ida);
            }
            if !self.solver.is_null() {
                SUNLinSolFree(self.solver);
            }
            if !self.matrix.is_null() {
                SUNMatDestroy(self.matrix);
            }
            for v in &self.vectors {
                N_VDestroy(*v);
            }
            if !self.context.is_null() {
                SUNContext_Free(&raw mut self.context);
            }
        }
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
        counted: Counted::new(system),
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
        memory.vectors[0],
        memory.vectors[1],
        memory.vectors[2],
    );
    // SAFETY: all handles are valid and of matching size, `data` outlives the last IDASolve.
    let set = unsafe {
        IDASetErrHandlerFn(ida, note, data)
            | IDAInit(ida, residual, problem.t0, y, yp)
            | IDASetUserData(ida, data)
            | IDASVtolerances(ida, settings.rtol, memory.vectors[3])
            | IDASetMaxNumSteps(ida, c_long::try_from(settings.max_steps).unwrap_or(c_long::MAX))
            | IDASetId(ida, id)
            | IDASetSuppressAlg(ida, c_int::from(left_out.contains(&true)))
            | IDASetLinearSolver(ida, memory.solver, memory.matrix)
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
    Ok(run)
}
