//! RADAU5: Hairer and Wanner's Fortran code (implicit Runge–Kutta, order 5) exported by R's
//! deSolve, full Jacobian by the code's own differences.
//!
//! RADAU5 takes M ẏ = f(t, y) with a constant M only; f = −F(t, y, 0). The index of the variables
//! goes into IWORK(5..7), so multipliers stay in the error test, scaled by powers of h.

use crate::interface::{Counted, Run, Settings, cpu_time, targets};
use crate::lifted::Lifted;
use crate::mass::{Mass, constant_mass};
use core::ffi::{c_int, c_void};
use core::slice;
use holonom_dae::System;
use holonom_dae::problems::Problem;

type RightFn = unsafe extern "C" fn(*const c_int, *const f64, *const f64, *mut f64, *mut f64, *mut c_int);
type MassFn = unsafe extern "C" fn(*const c_int, *mut f64, *const c_int, *mut f64, *mut c_int);
type OutputFn = unsafe extern "C" fn(
    *const c_int,
    *const f64,
    *const f64,
    *const f64,
    *const f64,
    *const c_int,
    *const c_int,
    *mut f64,
    *mut c_int,
    *mut c_int,
);

unsafe extern "C" {
    fn radau5_(
        n: *const c_int,
        right: RightFn,
        t: *mut f64,
        y: *mut f64,
        t_end: *const f64,
        h: *mut f64,
        rtol: *mut f64,
        atol: *mut f64,
        itol: *const c_int,
        jacobian: *const c_void,
        ijac: *const c_int,
        mljac: *const c_int,
        mujac: *const c_int,
        mass: MassFn,
        imas: *const c_int,
        mlmas: *const c_int,
        mumas: *const c_int,
        output: OutputFn,
        iout: *const c_int,
        work: *mut f64,
        n_work: *const c_int,
        iwork: *mut c_int,
        n_iwork: *const c_int,
        rpar: *mut f64,
        ipar: *mut c_int,
        idid: *mut c_int,
    );
    /// All n components of the collocation polynomial of the last step, at `t`. A subroutine in
    /// deSolve; Hairer's original is a function of one component.
    fn contr5_(n: *const c_int, t: *const f64, cont: *const f64, lrc: *const c_int, values: *mut f64);
}

/// Stand-ins for deSolve's message routines, which print through an R that does not run here.
mod quiet {
    macro_rules! quiet {
        ($($name:ident)*) => {
            $(#[unsafe(no_mangle)] extern "C" fn $name() {})*
            /// Keeps the symbols in the program.
            #[used]
            static KEEP: &[extern "C" fn()] = &[$($name),*];
        };
    }
    quiet!(rprintf_ rprintfd1_ rprintfd2_ rprintfi1_ rprintfi2_ rprintfi3_ rprintfid_ rprintfdi_ rprintfdid_);
}

/// Stands for a right-hand side that cannot be evaluated.
const HUGE: f64 = 1e30;

/// What the callbacks see.
struct Callback<'a> {
    counted: Counted<'a>,
    zero: Vec<f64>,
    mass: Mass,
    targets: Vec<f64>,
    computed: Vec<Vec<f64>>,
}

unsafe extern "C" fn right(
    _n: *const c_int,
    t: *const f64,
    y: *const f64,
    f: *mut f64,
    _rpar: *mut f64,
    ipar: *mut c_int,
) {
    // SAFETY: `ipar` is the Callback handed to radau5_ and passed through untouched; nothing else
    // borrows it while radau5_ runs.
    let call = unsafe { &mut *ipar.cast::<Callback<'_>>() };
    let n = call.counted.n;
    // SAFETY: RADAU5 hands over n numbers each in y and f, which do not overlap.
    let (t, y, f) = unsafe { (*t, slice::from_raw_parts(y, n), slice::from_raw_parts_mut(f, n)) };
    let evaluated = call.counted.residual(t, y, &call.zero, f);
    f.iter_mut().for_each(|f| *f = -*f);
    // RADAU5 knows no refusal and takes NaN for success; something huge makes it reject the step. When the time is
    // over that very success ends the run soonest, in `output`.
    if call.counted.expired {
        f.fill(f64::NAN);
    } else if evaluated.is_err() || !f.iter().sum::<f64>().is_finite() {
        f.fill(HUGE);
    }
}

unsafe extern "C" fn mass(
    _n: *const c_int,
    m: *mut f64,
    rows: *const c_int,
    _rpar: *mut f64,
    ipar: *mut c_int,
) {
    // SAFETY: as in `right`.
    let call = unsafe { &mut *ipar.cast::<Callback<'_>>() };
    let n = call.counted.n;
    // SAFETY: RADAU5 hands over LMAS rows for each of n columns: 1 for a diagonal, n for a full one.
    let m = unsafe { slice::from_raw_parts_mut(m, usize::try_from(*rows).unwrap_or(0) * n) };
    match &call.mass {
        Mass::Identity => m.fill(1.0),
        Mass::Diagonal(values) | Mass::Full(values) => m.copy_from_slice(values),
    }
}

unsafe extern "C" fn output(
    _nr: *const c_int,
    _before: *const f64,
    t: *const f64,
    y: *const f64,
    cont: *const f64,
    lrc: *const c_int,
    count: *const c_int,
    _rpar: *mut f64,
    ipar: *mut c_int,
    irtrn: *mut c_int,
) {
    // SAFETY: as in `right`.
    let call = unsafe { &mut *ipar.cast::<Callback<'_>>() };
    let n = call.counted.n;
    // SAFETY: the time and the solution after the step; irtrn ≥ 0 means go on.
    let (t, y) = unsafe {
        *irtrn = if call.counted.expired { -1 } else { 1 };
        (*t, slice::from_raw_parts(y, n))
    };
    while let Some(target) = call.targets.get(call.computed.len())
        && *target <= t
    {
        let values = if *target == t {
            y.to_vec()
        } else {
            let mut values = vec![0.0; n];
            // SAFETY: count, cont and lrc are passed on as they came, `values` has room for n numbers.
            unsafe { contr5_(count, target, cont, lrc, values.as_mut_ptr()) };
            values
        };
        call.computed.push(values);
    }
}

/// What a negative IDID means, from the prologue of RADAU5.
fn meaning(idid: c_int) -> &'static str {
    match idid {
        -1 => "illegal input",
        -2 => "more steps needed than allowed",
        -3 => "the step size became too small",
        -4 => "the matrix is repeatedly singular",
        _ => "unknown failure",
    }
}

/// Integrates with RADAU5; a mass matrix that depends on the state by way of more unknowns.
pub fn integrate(system: &mut dyn System, problem: &Problem, settings: &Settings<'_>) -> Result<Run, String> {
    if constant_mass(system, problem).is_ok() {
        return integrate_linear(system, problem, settings);
    }
    let Some(mut lifted) = Lifted::new(system, problem) else {
        return constant_mass(system, problem).map(|_| Run::default());
    };
    let problem = lifted.problem(problem);
    let run = integrate_linear(&mut lifted, &problem, settings)?;
    Ok(lifted.lower(run))
}

/// Integrates M ẏ = f(t, y) with a constant M.
fn integrate_linear(
    system: &mut dyn System,
    problem: &Problem,
    settings: &Settings<'_>,
) -> Result<Run, String> {
    let n = system.structure().dimension();
    let indices: Vec<u8> = system.structure().variables.iter().map(|v| v.index).collect();
    if !indices.is_sorted() {
        return Err("RADAU5 needs the variables in the order of their index".into());
    }
    let mass_matrix = constant_mass(system, problem)?;
    let size = |k: usize| {
        c_int::try_from(k).map_err(|_| format!("{n} unknowns are too many for RADAU5's dense matrices"))
    };
    let neq = size(n)?;
    let n_work_size = n * (5 * n + 12) + 20;
    let (n_work, n_iwork) = (size(n_work_size)?, size(3 * n + 20)?);
    let (imas, bands) = match mass_matrix {
        Mass::Identity => (0, 0),
        Mass::Diagonal(_) => (1, 0),
        Mass::Full(_) => (1, neq),
    };
    let mut call = Callback {
        counted: Counted::new(system, settings.limit),
        zero: vec![0.0; n],
        mass: mass_matrix,
        targets: targets(problem, settings),
        computed: Vec::new(),
    };

    let start = cpu_time();
    let mut work = vec![0.0f64; n_work_size];
    let mut iwork = vec![0 as c_int; 3 * n + 20];
    iwork[1] = c_int::try_from(settings.max_steps).unwrap_or(c_int::MAX);
    if indices.last().is_some_and(|k| *k > 1) {
        for index in 1..=3u8 {
            iwork[3 + usize::from(index)] = size(indices.iter().filter(|k| **k == index).count())?;
        }
    }
    let mut y = problem.y0.clone();
    let (mut t, mut h, mut rpar, mut idid) = (problem.t0, 1e-6, 0.0, 0);
    // RADAU5 transforms the tolerances in place.
    let (mut rtol, mut atol) = (settings.rtol, settings.atol);
    let watched = !settings.times.is_empty() || settings.limit.is_some();
    let (zero, iout) = (0, c_int::from(watched));
    // SAFETY: array lengths are those the prologue of RADAU5 asks for with full matrices; the
    // context travels as `ipar`, which RADAU5 only passes on; with IJAC = 0 no Jacobian is called.
    unsafe {
        radau5_(
            &raw const neq,
            right,
            &raw mut t,
            y.as_mut_ptr(),
            &raw const problem.t_end,
            &raw mut h,
            &raw mut rtol,
            &raw mut atol,
            &raw const zero,
            core::ptr::null(),
            &raw const zero,
            &raw const neq,
            &raw const neq,
            mass,
            &raw const imas,
            &raw const bands,
            &raw const bands,
            output,
            &raw const iout,
            work.as_mut_ptr(),
            &raw const n_work,
            iwork.as_mut_ptr(),
            &raw const n_iwork,
            &raw mut rpar,
            (&raw mut call).cast::<c_int>(),
            &raw mut idid,
        );
    }
    let cpu = cpu_time() - start;

    // IWORK(k), counted from 1 as in the prologue.
    let counter = |k: usize| u64::try_from(iwork[k - 1]).unwrap_or(0);
    let (attempts, steps, rejected) = (counter(16), counter(17), counter(18));
    call.computed.truncate(settings.times.len());
    let mut run = Run {
        y,
        outputs: call.computed,
        steps,
        residuals: call.counted.calls,
        residuals_own: counter(14),
        jacobians: counter(15),
        error_failures: rejected,
        convergence_failures: attempts.saturating_sub(steps + rejected),
        cpu,
        failure: (idid < 0).then(|| format!("IDID {idid} at t = {t:.6e}: {}", meaning(idid))),
        ..Run::default()
    };
    if call.counted.expired {
        run.cut(settings.limit);
    }
    Ok(run)
}
