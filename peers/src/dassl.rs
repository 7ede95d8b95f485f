//! DASSL: the Fortran DDASSL exported by Debian's liboctave, dense matrix by differences.
//!
//! Variables of index 2 and 3 are kept out of the error test by an absolute tolerance of 10⁶;
//! this takes them out of the corrector's convergence test too, DASSL has only one norm.

use crate::interface::{Counted, Run, Settings, cpu_time, excluded, split_outputs, targets};
use core::ffi::{c_int, c_void};
use core::ptr::null;
use core::slice;
use holonom_dae::System;
use holonom_dae::problems::Problem;

type ResidualFn =
    unsafe extern "C" fn(*const f64, *const f64, *const f64, *mut f64, *mut c_int, *mut f64, *mut c_int);

unsafe extern "C" {
    fn ddassl_(
        residual: ResidualFn,
        n: *const c_int,
        t: *mut f64,
        y: *mut f64,
        yp: *mut f64,
        target: *const f64,
        info: *const c_int,
        rtol: *const f64,
        atol: *const f64,
        idid: *mut c_int,
        work: *mut f64,
        n_work: *const c_int,
        iwork: *mut c_int,
        n_iwork: *const c_int,
        rpar: *mut f64,
        ipar: *mut c_int,
        jacobian: *const c_void,
    );
}

/// Stands in for SLATEC's message routine: Octave's aborts the process, even on the harmless
/// message that 500 steps have been taken.
#[unsafe(no_mangle)]
extern "C" fn xermsg_() {}

/// Keeps the symbol above in the program.
#[used]
static KEEP: extern "C" fn() = xermsg_;

/// 500 steps taken, go on.
const MORE_STEPS: c_int = -1;
/// DASSL returns every so many steps; its own constant.
const BATCH: u64 = 500;

unsafe extern "C" fn residual(
    t: *const f64,
    y: *const f64,
    yp: *const f64,
    r: *mut f64,
    ires: *mut c_int,
    _rpar: *mut f64,
    ipar: *mut c_int,
) {
    // SAFETY: `ipar` is the Counted handed to ddassl_ in that place and passed through untouched;
    // nothing else borrows it while ddassl_ runs.
    let counted = unsafe { &mut *ipar.cast::<Counted<'_>>() };
    let n = counted.n;
    // SAFETY: DASSL hands over n numbers each in y, ẏ and r, which do not overlap.
    let (t, y, yp, r) = unsafe {
        (
            *t,
            slice::from_raw_parts(y, n),
            slice::from_raw_parts(yp, n),
            slice::from_raw_parts_mut(r, n),
        )
    };
    if counted.residual(t, y, yp, r).is_err() {
        // SAFETY: a place for the answer; −1 makes DASSL try a smaller step, −2 stop.
        unsafe { *ires = if counted.expired { -2 } else { -1 } };
    }
}

/// What a negative IDID means, from the prologue of DDASSL.
fn meaning(idid: c_int) -> &'static str {
    match idid {
        -2 => "the tolerances are too stringent",
        -3 => "a weight became zero",
        -6 => "repeated error test failures",
        -7 => "the corrector does not converge",
        -8 => "the iteration matrix is singular",
        -9 => "the corrector does not converge, after repeated error test failures",
        -10 => "the residual cannot be evaluated",
        -11 => "the residual asked to stop",
        -12 => "no initial derivative found",
        -33 => "illegal input",
        _ => "unknown failure",
    }
}

/// Integrates with DASSL.
pub fn integrate(system: &mut dyn System, problem: &Problem, settings: &Settings<'_>) -> Result<Run, String> {
    let n = system.structure().dimension();
    let left_out = excluded(system.structure());
    let size = |k: usize| {
        c_int::try_from(k).map_err(|_| format!("{n} unknowns are too many for DASSL's dense matrix"))
    };
    let neq = size(n)?;
    let n_work = size(40 + 9 * n + n * n)?;
    // 20 + n would do for the original; Octave's wants one more.
    let n_iwork = size(21 + n)?;
    let rtol: Vec<f64> = left_out
        .iter()
        .map(|out| if *out { 0.0 } else { settings.rtol })
        .collect();
    let atol: Vec<f64> = left_out
        .iter()
        .map(|out| if *out { 1e6 } else { settings.atol })
        .collect();
    let targets = targets(problem, settings);
    let mut counted = Counted::new(system, settings.limit);
    let mut computed = Vec::with_capacity(targets.len());

    let start = cpu_time();
    let mut work = vec![0.0f64; 40 + 9 * n + n * n];
    let mut iwork = vec![0 as c_int; 21 + n];
    let mut info = [0 as c_int; 15];
    info[1] = 1; // tolerances are vectors
    let (mut t, mut y, mut yp) = (problem.t0, problem.y0.clone(), problem.yp0.clone());
    let mut failure = None;
    'targets: for target in &stops(problem.t0, &targets) {
        loop {
            let mut idid: c_int = 0;
            // SAFETY: array lengths are those the prologue of DDASSL asks for; the context travels
            // as `ipar`, which DDASSL only passes on; with info(5) = 0 no Jacobian is called.
            unsafe {
                ddassl_(
                    residual,
                    &raw const neq,
                    &raw mut t,
                    y.as_mut_ptr(),
                    yp.as_mut_ptr(),
                    target,
                    info.as_ptr(),
                    rtol.as_ptr(),
                    atol.as_ptr(),
                    &raw mut idid,
                    work.as_mut_ptr(),
                    &raw const n_work,
                    iwork.as_mut_ptr(),
                    &raw const n_iwork,
                    core::ptr::null_mut(),
                    (&raw mut counted).cast::<c_int>(),
                    null(),
                );
            }
            info[0] = 1; // a continuation from now on
            if idid == MORE_STEPS {
                if counter(&iwork, 11) + BATCH > settings.max_steps {
                    failure = Some(format!(
                        "more than {} steps, given up at t = {t:.6e}",
                        settings.max_steps
                    ));
                    break 'targets;
                }
                continue;
            }
            if idid < 0 {
                failure = Some(format!("IDID {idid} at t = {t:.6e}: {}", meaning(idid)));
                break 'targets;
            }
            break;
        }
        if targets.get(computed.len()) == Some(target) {
            computed.push(y.clone());
        }
    }
    let cpu = cpu_time() - start;

    let mut run = Run {
        y,
        steps: counter(&iwork, 11),
        residuals: counted.calls,
        residuals_own: counter(&iwork, 12),
        jacobians: counter(&iwork, 13),
        error_failures: counter(&iwork, 14),
        convergence_failures: counter(&iwork, 15),
        cpu,
        failure,
        ..Run::default()
    };
    split_outputs(computed, settings, &mut run);
    if counted.expired {
        run.cut(settings.limit);
    }
    Ok(run)
}

/// The targets with decades before them. DASSL takes no step below 4 ulp of the time it is sent
/// to, so a far target alone would forbid the small steps at the start; going there by decades
/// costs nothing, as it does not cut steps.
fn stops(t0: f64, targets: &[f64]) -> Vec<f64> {
    let first = targets.first().map_or(t0, |t| t - t0);
    let mut all: Vec<f64> = (0..300)
        .map(|k| 10f64.powi(k))
        .take_while(|s| *s < first && first > 1e4)
        .map(|s| t0 + s)
        .collect();
    all.extend(targets);
    all
}

/// IWORK(k), counted from 1 as in the prologue.
fn counter(iwork: &[c_int], k: usize) -> u64 {
    u64::try_from(iwork[k - 1]).unwrap_or(0)
}
