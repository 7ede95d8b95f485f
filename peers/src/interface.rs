//! What all codes have in common here: what they are asked, what they answer, how work is counted.

use holonom_dae::problems::Problem;
use holonom_dae::{Rejection, Structure, System, VariableKind};

/// What a run is asked to do.
#[derive(Clone, Debug)]
pub struct Settings<'a> {
    /// Relative tolerance.
    pub rtol: f64,
    /// Absolute tolerance.
    pub atol: f64,
    /// Times in (t0, t_end] at which the solution is wanted besides t_end, ascending; taken from
    /// the interpolant of the code, they do not cut steps.
    pub times: &'a [f64],
    /// Steps after which a run is given up.
    pub max_steps: u64,
    /// CPU time in seconds after which a run is ended.
    pub limit: Option<f64>,
    /// Ask Holonom to behave like DASSL (refresh policy `dassl`, no stability detection).
    pub like_dassl: bool,
}

impl Settings<'_> {
    /// Tolerances of a problem's work–precision curve: atol = rtol · a, output at the end only.
    pub fn at(problem: &Problem, rtol: f64) -> Self {
        Self::new(rtol, rtol * problem.atol_factor)
    }

    /// The given tolerances, output at the end only.
    pub fn new(rtol: f64, atol: f64) -> Self {
        Self {
            rtol,
            atol,
            times: &[],
            max_steps: 1_000_000,
            limit: None,
            like_dassl: false,
        }
    }
}

/// Runs over which counts are averaged: those of a single one move by several per cent with rounding alone.
pub const RUNS: u32 = 20;

/// The factors of the tolerances in these runs, within ±10 %.
pub fn factors() -> impl Iterator<Item = f64> {
    (0..RUNS).map(|k| 0.9 + 0.2 * f64::from(k) / f64::from(RUNS - 1))
}

/// What a run gave and cost.
#[derive(Clone, Debug, Default)]
pub struct Run {
    /// Solution at the end; where the run stopped, if it failed.
    pub y: Vec<f64>,
    /// Solution at the times asked for.
    pub outputs: Vec<Vec<f64>>,
    /// Accepted steps.
    pub steps: u64,
    /// All residual evaluations, counted around the system: those for Jacobians included.
    pub residuals: u64,
    /// The code's own count, which usually leaves the Jacobian's out.
    pub residuals_own: u64,
    /// Evaluations of the Jacobian.
    pub jacobians: u64,
    /// Steps rejected by the error test.
    pub error_failures: u64,
    /// Failures of the corrector to converge.
    pub convergence_failures: u64,
    /// CPU time of the process in seconds, from the creation of the integrator to the last output.
    pub cpu: f64,
    /// What was done differently for this run, if anything.
    pub note: Option<String>,
    /// Why it ended early, if it did.
    pub failure: Option<String>,
    /// It ended because its time was over.
    pub cut_off: bool,
}

impl Run {
    /// Notes that the time was over, whatever the code made of it.
    pub fn cut(&mut self, limit: Option<f64>) {
        self.cut_off = true;
        self.failure = limit.map(|s| format!("cut off after {s:.3} s"));
    }
}

/// How an integration is called; `Err` says why this code cannot take this problem.
pub type Integrate = fn(&mut dyn System, &Problem, &Settings<'_>) -> Result<Run, String>;

/// A system with a count of its residual evaluations, and an end to them when the time is over.
pub struct Counted<'a> {
    system: &'a mut dyn System,
    /// Number of unknowns.
    #[cfg_attr(
        not(any(feature = "ida", feature = "dassl", feature = "radau5")),
        allow(dead_code)
    )]
    pub n: usize,
    /// Evaluations so far.
    pub calls: u64,
    /// The time is over: every evaluation is refused.
    pub expired: bool,
    /// CPU time of the process at which it is.
    deadline: f64,
    /// The number of calls at which the clock is read next; never without a limit.
    look_at: u64,
    /// Calls from one look at the clock to the next.
    patience: u64,
}

impl<'a> Counted<'a> {
    /// Starts counting at zero, and the time with it.
    pub fn new(system: &'a mut dyn System, limit: Option<f64>) -> Self {
        let n = system.structure().dimension();
        // Reading the clock of the process takes about as long as evaluating a small system.
        let patience = (8192 / n.max(1) as u64).clamp(1, 256);
        Self {
            n,
            system,
            calls: 0,
            expired: false,
            deadline: limit.map_or(f64::INFINITY, |s| cpu_time() + s),
            look_at: if limit.is_some() { patience } else { u64::MAX },
            patience,
        }
    }

    /// r := F(t, y, ẏ), counted. NaN and infinities are left to the code's own tests.
    #[inline]
    pub fn residual(&mut self, t: f64, y: &[f64], yp: &[f64], r: &mut [f64]) -> Result<(), Rejection> {
        if self.calls >= self.look_at {
            self.look()?;
        }
        self.calls += 1;
        self.system.residual(t, y, yp, r)
    }

    #[cold]
    fn look(&mut self) -> Result<(), Rejection> {
        self.expired |= cpu_time() > self.deadline;
        if self.expired {
            return Err(Rejection::OutsideDomain);
        }
        self.look_at = self.calls + self.patience;
        Ok(())
    }
}

/// The times at which a code has to stop by: the outputs asked for and the end.
pub fn targets(problem: &Problem, settings: &Settings<'_>) -> Vec<f64> {
    let mut all = settings.times.to_vec();
    if all.last().is_none_or(|t| *t < problem.t_end) {
        all.push(problem.t_end);
    }
    all
}

/// Separates what was computed at the targets into outputs and end.
#[cfg_attr(
    not(any(feature = "ida", feature = "dassl", feature = "diffsol")),
    allow(dead_code)
)]
pub fn split_outputs(mut computed: Vec<Vec<f64>>, settings: &Settings<'_>, run: &mut Run) {
    if let Some(last) = computed.last() {
        run.y.clone_from(last);
    }
    computed.truncate(settings.times.len());
    run.outputs = computed;
}

/// The variables left out of the error test in every multistep code: multipliers, and what has
/// an index above 1.
#[cfg_attr(
    not(any(feature = "ida", feature = "dassl", feature = "diffsol")),
    allow(dead_code)
)]
pub fn excluded(structure: &Structure) -> Vec<bool> {
    structure
        .variables
        .iter()
        .map(|v| {
            v.index > 1
                || matches!(
                    v.kind,
                    VariableKind::Multiplier | VariableKind::StabilisingMultiplier
                )
        })
        .collect()
}

/// CPU time of the process in seconds, all threads together.
pub fn cpu_time() -> f64 {
    let mut t = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: `t` is a valid place for a timespec; the clock exists on every Linux.
    unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &raw mut t) };
    t.tv_sec as f64 + 1e-9 * t.tv_nsec as f64
}
