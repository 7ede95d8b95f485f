//! What the suites share: problems by name, integrators, a generator, comparison to the bit.
#![allow(dead_code, reason = "every suite uses a part")]
#![allow(clippy::unwrap_used)]

use holonom_dae::problems::{self, Problem};
use holonom_dae::{Closure, Failure, FailureKind, InputError, Structure};
use holonom_solver::{Integrator, Options, RunError, Solution, Start, solve};

/// A linear congruential generator [Knuth 1998, §3.3.4], so that the tests do not depend on
/// anybody's stream.
pub struct Random(pub u64);

impl Random {
    /// A number in [0, 1).
    pub fn next(&mut self) -> f64 {
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// A number in [a, b).
    pub fn between(&mut self, a: f64, b: f64) -> f64 {
        a + (b - a) * self.next()
    }

    /// An integer in [0, n).
    pub fn below(&mut self, n: usize) -> usize {
        (self.next() * n as f64) as usize
    }
}

/// The problem of this name.
pub fn problem(name: &str) -> Problem {
    problems::find(name).unwrap_or_else(|| panic!("there is no problem {name}"))
}

/// Options for `bdf` at tolerance `tol`, with the absolute tolerance the problem wants.
pub fn options(p: &Problem, tol: f64) -> Options {
    Options::new(tol, tol * p.atol_factor).stepper("bdf")
}

/// An integrator at the start of the problem.
pub fn integrator(p: &Problem, options: Options) -> Integrator<'static> {
    Integrator::new(
        (p.build)(),
        p.t0,
        &p.y0,
        &p.yp0,
        p.t_end - p.t0,
        options.start(Start::Trust),
    )
    .unwrap()
}

/// Bit patterns: NaN equals itself, 0 and −0 differ.
pub fn bits(v: &[f64]) -> Vec<u64> {
    v.iter().map(|x| x.to_bits()).collect()
}

/// Largest difference of two vectors.
pub fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

/// What was wrong with the input; panics for failures of another kind.
#[track_caller]
pub fn input_error(failure: &Failure) -> &InputError {
    match &failure.kind {
        FailureKind::Input(error) => error,
        other => panic!("not an input error: {other:?}"),
    }
}

/// Asserts that a message contains all of the words.
#[track_caller]
pub fn assert_says(failure: &impl std::fmt::Display, words: &[&str]) {
    let message = failure.to_string();
    for word in words {
        assert!(message.contains(word), "`{word}` is missing in: {message}");
    }
}

/// Asserts that a run failed and returns how.
#[track_caller]
pub fn failed<T>(result: Result<T, Box<RunError>>) -> Box<RunError> {
    match result {
        Ok(_) => panic!("the run succeeded"),
        Err(error) => error,
    }
}

/// Two decaying variables.
pub fn decay<'a>() -> Closure<'a> {
    Closure::new(Structure::ode(["height", "depth"]), |_t, y, yp, r| {
        r[0] = yp[0] + y[0];
        r[1] = yp[1] + 2.0 * y[1];
    })
}

/// What `solve` gives.
pub type Run = Result<Solution, Box<RunError>>;

/// Solves [`decay`].
pub fn run_decay(interval: (f64, f64), y0: &[f64], yp0: &[f64], options: Options) -> Run {
    solve(decay(), interval, y0, yp0, options)
}

/// Solves [`decay`] over a second with these options.
pub fn with_options(options: Options) -> Run {
    run_decay((0.0, 1.0), &[1.0, 1.0], &[0.0; 2], options)
}

/// The input error of a run that did not start.
#[track_caller]
pub fn refused(result: Run) -> (Failure, InputError) {
    let error = failed(result);
    assert!(error.partial.is_none(), "it started and ended with: {error}");
    let input = input_error(&error.failure).clone();
    (error.failure, input)
}
