//! Radau IIA collocation with 3, 5 or 7 stages, of order 5, 9 and 13 [Hairer, Wanner 1996, §IV.5, §IV.8,
//! §VII.4; 1999].
//!
//! The solution is a polynomial of degree s on each step that satisfies F = 0 at s points, the end of the
//! step among them: Y_i = y₀ + Z_i, Ẏ_i = Σ_j (A⁻¹)_ij Z_j / h, F(t₀ + c_i h, Y_i, Ẏ_i) = 0. Stable for all modes
//! that decay, damps the fast ones away, and needs no history: only the start of the iteration and the
//! step size look back. Variables of index 2 and 3 count in all tests with h and h².

mod choice;
mod coefficients;
mod control;
mod coupled;
mod judge;
mod options;
mod stages;

pub use options::RadauOptions;

use super::pieces::{Pieces, PiecesMemory, Quadrature, Span};
use super::tangent::Tangent;
use super::{Build, Entry, Parts, Stepper, Takes, across};
use crate::equations::Equations;
use crate::newton::operator::{Blocks, BlocksState, IterationOperator};
use crate::newton::{Corrector, CorrectorState, CorrectorStep, NewtonOptions, Scheme};
use crate::refresh::Phase;
use crate::state::State;
use choice::Choice;
use coefficients::{MOST_STAGES, Method};
use control::Control;
use coupled::Coupled;
use holonom_dae::{Counters, InputError, MechanicalLayout, Rejection, System, VariableKind, Weights};
use options::Rules;
use serde::{Deserialize, Serialize};
use stages::{Outcome, Room, Stages, combine};

/// Name in options and reports.
pub(super) const NAME: &str = "radau";

/// In the registry.
pub(super) const ENTRY: Entry = Entry {
    name: NAME,
    description: "Radau IIA collocation of order 5, 9 and 13, with variable step size and number of stages",
    literature: "[Hairer, Wanner 1996, §IV.8; 1999]",
    max_order: 13,
    takes: Takes::Everything,
    fixed_step: false,
    start_order: 3,
    in_stages: true,
    options: Some(|| Box::new(RadauOptions::default())),
    build: Build::Iterative(|n, parts, corrector| Box::new(Radau::new(n, parts, corrector))),
};

/// Failures of the iteration in a row after which every stage has its Jacobian: with loops, which may lose
/// rank, and else.
const PATIENCE_WITH_LOOPS: u32 = 0;
const PATIENCE: u32 = 3;
/// Steps after such a one in which the first failure is enough.
const CAUTION: u32 = 10;
/// Failures of the iteration in a row after which the last step is taken again, by how much shorter, and how often that is
/// done to get past a place.
const FAILURES_TO_GO_BACK: u32 = 6;
const SHORTER: f64 = 0.7;
const MOST_RETURNS: u32 = 4;
/// Share of the error allowed that rounding may take up before the iteration is to blame.
const MOST_NOISE: f64 = 0.1;
/// Part of the error allowed by which forces may change velocities unseen where they pass from one smooth piece to another.
const UNSEEN: f64 = 0.1;
/// Share of the error allowed that errors of velocities across the constraints may make along them in a step, because the
/// directions turn.
const MOST_TURNED: f64 = 0.1;

/// How a method integrates what depends on time alone.
fn quadrature(method: &Method) -> Quadrature<'_> {
    Quadrature {
        places: method.c,
        weights: &method.weights,
        unseen: UNSEEN,
    }
}

/// Everything of the method that outlives a step.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct RadauState {
    t: f64,
    y: Vec<f64>,
    yp: Vec<f64>,
    /// Start of the last step, and the stages from there.
    t_before: f64,
    y_before: Vec<f64>,
    yp_before: Vec<f64>,
    z: Vec<f64>,
    /// Place of the method of the last step in the list; none before the first.
    last: Option<usize>,
    h_last: f64,
    /// Place of the method of the next step.
    next: usize,
    h: f64,
    control: Control,
    choice: Choice,
    other_failures: u32,
    /// Step size of the first of these failures in a row.
    #[serde(default)]
    failed: f64,
    /// Steps for which an iteration that fails is followed by one with a Jacobian for every stage at once.
    caution: u32,
    /// There was a start before.
    started: bool,
    /// Step size and method the matrices were made for.
    factorised: Option<(f64, usize)>,
    /// Whether this is the start of the last step again, which is to be taken anew.
    back: bool,
    /// The last place from which the iteration did not get on, and how often it went back from there and before.
    stuck: Option<(f64, u32)>,
    /// The step size without the border of pieces at which a step ends; zero elsewhere.
    natural: f64,
    /// What is remembered of pieces, in checkpoints.
    pieces: Option<PiecesMemory>,
}

/// The Radau method.
pub struct Radau {
    options: Rules,
    methods: [Method; 3],
    weights: Weights,
    corrector: Corrector,
    blocks: Blocks,
    coupled: Coupled,
    /// Where velocities count with the step size.
    tangent: Option<Tangent>,
    /// Failures in a row from which on every stage has its Jacobian.
    patience: u32,
    /// Highest index of a variable.
    index: u8,
    /// Multipliers of index 1, which jump where accelerations do, and readings of them.
    jumping: Vec<usize>,
    room: Room,
    /// Forces that consist of smooth pieces, and the part of the attempt at hand that ends at a border of two.
    pieces: Option<Box<Pieces>>,
    border: f64,
    state: RadauState,
    outcome: Outcome,
    error: f64,
    y_new: Vec<f64>,
    yp_new: Vec<f64>,
    e: Vec<f64>,
}

impl Radau {
    /// Allocates a method for `n` unknowns.
    pub fn new(n: usize, parts: Parts<'_>, corrector: Corrector) -> Self {
        let options = Rules::new(parts.options);
        let methods = Method::all();
        let stages = options.stages.unwrap_or(MOST_STAGES);
        let next = options
            .stages
            .and_then(|s| methods.iter().position(|m| m.s == s))
            .unwrap_or(0);
        let f_y = &corrector.linearisation().parts().f_y;
        let blocks = Blocks::new(parts.structure, f_y);
        let coupled = Coupled::new(parts.structure, f_y);
        let kept_on = |l: &MechanicalLayout| !l.lambda.is_empty() || !l.sigma.is_empty();
        let constrained = parts.structure.layout.as_ref().is_some_and(kept_on);
        Self {
            weights: parts.weights,
            corrector,
            room: Room::new(n, stages),
            pieces: None,
            border: 1.0,
            state: RadauState {
                t: 0.0,
                y: vec![0.0; n],
                yp: vec![0.0; n],
                t_before: 0.0,
                y_before: vec![0.0; n],
                yp_before: vec![0.0; n],
                z: vec![0.0; n * stages],
                last: None,
                h_last: 0.0,
                next,
                h: 0.0,
                control: Control::default(),
                choice: Choice::default(),
                other_failures: 0,
                failed: 0.0,
                caution: 0,
                started: false,
                factorised: None,
                back: false,
                stuck: None,
                natural: 0.0,
                pieces: None,
            },
            options,
            methods,
            blocks,
            coupled,
            tangent: None,
            patience: if constrained {
                PATIENCE_WITH_LOOPS
            } else {
                PATIENCE
            },
            index: parts
                .structure
                .variables
                .iter()
                .map(|v| v.index)
                .max()
                .unwrap_or(1),
            jumping: (parts.structure.variables.iter().enumerate())
                .filter(|(_, v)| {
                    matches!(v.kind, VariableKind::Multiplier | VariableKind::Reading) && v.index == 1
                })
                .map(|(i, _)| i)
                .collect(),
            outcome: Outcome::default(),
            error: 0.0,
            y_new: vec![0.0; n],
            yp_new: vec![0.0; n],
            e: vec![0.0; n],
        }
    }

    fn update_weights(&mut self) {
        let s = self.methods[self.state.next].s;
        self.weights
            .update(&self.state.y, 1.0 / self.options.allowance(s));
    }

    /// The stopping rule for the method at hand.
    fn newton(&self) -> NewtonOptions {
        let method = &self.methods[self.state.next];
        let usual = self.corrector.options();
        let share = self.options.share(method, self.index) * (usual.share / NewtonOptions::default().share);
        NewtonOptions {
            // 7, 11 and 15 by default.
            max_iterations: usual.max_iterations + 2 * method.s - 3,
            share: share.max(self.noise()),
            ..usual
        }
    }

    /// What rounding in the residual does to the solution, in units of the error allowed.
    fn noise(&self) -> f64 {
        self.weights
            .graded_norm(self.corrector.rounding())
            .min(MOST_NOISE)
    }

    /// Stages to begin with: the polynomial of the last step goes on, or the straight line.
    fn predict(&mut self) {
        let s = &self.state;
        let n = s.y.len();
        let method = &self.methods[s.next];
        let z = self.room.z[..n * method.s].chunks_exact_mut(n);
        let Some(last) = s.last.map(|k| &self.methods[k]) else {
            for (z, c) in z.zip(method.c) {
                for (z, yp) in z.iter_mut().zip(&s.yp) {
                    *z = c * s.h * yp;
                }
            }
            return;
        };
        let mut basis = [0.0; MOST_STAGES];
        for (z, c) in z.zip(method.c) {
            if s.back {
                last.basis(c * s.h / s.h_last, &mut basis);
            } else {
                last.basis(1.0 + c * s.h / s.h_last, &mut basis);
                basis[last.s - 1] -= 1.0;
            }
            combine(&basis[..last.s], &s.z, z);
        }
    }

    /// Back to the start of the last step, to take a shorter one: it ended where the next one cannot begin, such as next
    /// to a singular position, from where shorter steps lead nowhere but closer to it.
    fn go_back(&mut self, returns: u32) {
        let s = &mut self.state;
        let furthest = s.stuck.map_or(s.t, |(t, _)| t.max(s.t));
        s.stuck = Some((furthest, returns));
        s.back = true;
        s.t = s.t_before;
        s.y.copy_from_slice(&s.y_before);
        s.yp.copy_from_slice(&s.yp_before);
        s.h = SHORTER * s.h_last;
        (s.other_failures, s.caution) = (1, CAUTION);
        self.update_weights();
        self.corrector.request_evaluation();
    }

    /// Goes on with another method of the list.
    fn change_stages(&mut self, next: usize) {
        let s = &mut self.state;
        if next != s.next {
            let allowed = self.options.tolerance * self.options.allowance(self.methods[s.next].s);
            // With fewer stages steps are shorter; with more they may soon be longer.
            let [was, is] = [s.next, next].map(|k| self.methods[k].s as f64 + 1.0);
            s.h *= allowed.min(1.0).powf(1.0 / is - 1.0 / was).min(1.0);
            s.next = next;
            s.control.changed_stages();
        }
    }

    /// Whether the number of stages is chosen from step to step.
    fn chooses(&self) -> bool {
        self.options.stages.is_none() && self.options.fixed_step.is_none()
    }
}

impl Stepper for Radau {
    fn name(&self) -> &'static str {
        NAME
    }

    fn bind(&mut self, system: &mut dyn System) -> Result<(), InputError> {
        if self.options.fixed_step.is_none() {
            let mut pieces = Pieces::new(system).map(Box::new);
            if let (Some(pieces), Some(memory)) = (&mut pieces, self.state.pieces.take()) {
                pieces.restore(&memory);
            }
            self.pieces = pieces;
        }
        self.tangent = Tangent::new(system, &self.weights, true);
        Ok(())
    }

    fn start(&mut self, t: f64, y: &[f64], yp: &[f64], h: f64) {
        if let Some(pieces) = &mut self.pieces {
            pieces.forget();
        }
        let s = &mut self.state;
        s.natural = 0.0;
        s.t = t;
        s.y.copy_from_slice(y);
        s.yp.copy_from_slice(yp);
        s.h = self.options.fixed_step.unwrap_or(h);
        (s.h_last, s.last) = (0.0, None);
        (s.back, s.stuck) = (false, None);
        s.control = Control::default();
        (s.other_failures, s.caution) = (0, 0);
        if self.chooses() {
            let s = &mut self.state;
            let allowed = self.options.tolerance * self.options.allowance(self.methods[0].s);
            // After a restart the number of stages goes on.
            if !s.started {
                s.next = Choice::first(allowed);
            }
            s.started = true;
        }
        self.update_weights();
        self.corrector.request_evaluation();
    }

    fn attempt(&mut self, equations: &mut Equations<'_>) -> Result<(), Rejection> {
        self.predict();
        self.weights.grade(self.state.h);
        let (newton, noise) = (self.newton(), self.noise());
        let s = &mut self.state;
        let method = &self.methods[s.next];
        let step = CorrectorStep {
            t: s.t + s.h,
            alpha: method.gamma / s.h,
            h: s.h,
            after_error_failure: s.control.is_doubtful(),
        };
        let mut stages = Stages {
            method,
            blocks: &mut self.blocks,
            room: &mut self.room,
            t0: s.t,
            h: s.h,
            y0: &s.y,
            yp0: &s.yp,
            unsure: s.other_failures > 0,
            newton,
            noise,
            outcome: Outcome::default(),
        };
        let mut solved = self.corrector.solve(equations, &self.weights, step, &mut stages);
        let by_matrix = matches!(
            solved,
            Err(Rejection::Divergence | Rejection::SlowConvergence | Rejection::SingularMatrix { .. })
        );
        if by_matrix && (s.other_failures >= self.patience || s.caution > 0) {
            stages.rewind(&mut self.corrector);
            solved = self
                .coupled
                .solve(&mut stages, &mut self.corrector, equations, &self.weights, &step);
            if solved.is_ok() {
                s.caution = CAUTION;
            }
        }
        self.outcome = stages.outcome;
        s.factorised = self.corrector.has_operator().then_some((s.h, s.next));
        solved?;

        if self.options.fixed_step.is_none() {
            self.error = self.estimate(equations)?;
            self.error = self.error.max(self.error_along(equations));
            // Not a number is an error too large.
            if self.error.is_nan() || self.error >= 1.0 {
                return Err(Rejection::ErrorTest { ratio: self.error });
            }
            if self.options.seen_between_steps && self.state.caution == 0 {
                let ratio = self.between_stages(equations)?;
                if ratio.is_nan() || ratio >= 1.0 {
                    return Err(Rejection::ErrorTest { ratio });
                }
                self.error = self.error.max(ratio);
            }
        }
        let s = &self.state;
        let method = &self.methods[s.next];
        let n = s.y.len();
        let end = &self.room.z[(method.s - 1) * n..method.s * n];
        for ((y, y0), z) in self.y_new.iter_mut().zip(&s.y).zip(end) {
            *y = y0 + z;
        }
        let last_row = &method.a_inverse[(method.s - 1) * method.s..];
        combine(last_row, &self.room.z, &mut self.yp_new);
        self.yp_new.iter_mut().for_each(|x| *x /= s.h);
        if let Some(tangent) = &mut self.tangent {
            let step = [s.t, s.t + s.h];
            let turned = tangent.project(equations, &self.weights, step, &mut self.y_new) / MOST_TURNED;
            if self.options.fixed_step.is_none() {
                if turned > 1.0 {
                    return Err(Rejection::ErrorTest { ratio: turned });
                }
                self.error = self.error.max(turned);
            }
        }
        let s = &self.state;
        let method = &self.methods[s.next];
        if let Some(pieces) = &mut self.pieces {
            let step = Span {
                t: s.t,
                h: s.h,
                y: [&s.y, &self.y_new],
                yp: [&s.yp, &self.yp_new],
            };
            if let Some(border) = pieces.passed(equations, &self.weights, &step, quadrature(method)) {
                self.border = border;
                return Err(Rejection::PassedBorder);
            }
        }
        Ok(())
    }

    fn accept(&mut self, equations: &mut Equations<'_>) {
        if let Some(tangent) = &mut self.tangent {
            tangent.accepted();
        }
        let most = self.newton().max_iterations;
        let s = &mut self.state;
        s.t_before = s.t;
        s.t += s.h;
        std::mem::swap(&mut s.y_before, &mut s.y);
        std::mem::swap(&mut s.y, &mut self.y_new);
        std::mem::swap(&mut s.yp_before, &mut s.yp);
        std::mem::swap(&mut s.yp, &mut self.yp_new);
        std::mem::swap(&mut s.z, &mut self.room.z);
        s.last = Some(s.next);
        s.h_last = s.h;
        s.back = false;
        s.stuck = s.stuck.filter(|(t, _)| s.t <= *t);
        s.other_failures = 0;
        s.caution = s.caution.saturating_sub(1);
        self.corrector.step_accepted();
        if self.options.fixed_step.is_none() {
            let method = &self.methods[s.next];
            let factor = s.control.accept(method, s.h, self.error, &self.outcome, most);
            let h = s.h;
            s.h *= factor;
            // Behind a border the step that led to it does not tell how long the next one may be.
            let natural = std::mem::take(&mut s.natural);
            if factor >= 1.0 {
                s.h = s.h.max(natural);
            }
            if self.chooses() {
                let s = &mut self.state;
                let allowed = self.options.tolerance * self.options.allowance(self.methods[s.next].s);
                let (error, outcome) = (self.error, &self.outcome);
                let next = (s.choice).accepted(&self.methods, s.next, h, error, allowed, outcome);
                self.change_stages(next);
            }
        }
        if let Some(rounding) = self.corrector.new_rounding() {
            self.weights.set_rounding(rounding);
        }
        self.update_weights();
        let s = &mut self.state;
        if let Some(pieces) = &mut self.pieces {
            pieces.accept(s.h_last);
            let how = quadrature(&self.methods[s.next]);
            if let Some(border) = pieces.ahead(equations, &self.weights, s.h, how) {
                s.natural = s.h;
                s.h *= border;
            }
        }
    }

    fn reject(&mut self, rejection: Rejection) {
        let most = self.newton().max_iterations;
        // What rounding does may be known since this attempt only.
        if self.weights.reserve() > 1.0
            && let Some(rounding) = self.corrector.new_rounding()
        {
            self.weights.set_rounding(rounding);
            self.update_weights();
        }
        let s = &mut self.state;
        let method = &self.methods[s.next];
        s.h *= match rejection {
            Rejection::PassedBorder => {
                s.natural = s.natural.max(s.h);
                self.border
            }
            Rejection::ErrorTest { ratio } => {
                s.choice.rejected(method, &self.outcome);
                s.control.reject(method, ratio, &self.outcome, most)
            }
            _ => {
                s.other_failures += 1;
                s.choice.failed(method, &self.outcome);
                if s.other_failures == 1 {
                    s.failed = s.h;
                }
                let factor = s.control.fail(s.h, &self.outcome);
                // Each second time longer, where shorter steps would lead no further.
                if self.patience == PATIENCE_WITH_LOOPS && s.other_failures.is_multiple_of(2) {
                    across(s.failed, s.other_failures) / s.h
                } else {
                    factor
                }
            }
        };
        let returns = s.stuck.map_or(0, |(_, returns)| returns);
        let can = s.last.is_some() && !s.back && self.options.fixed_step.is_none();
        if s.other_failures >= FAILURES_TO_GO_BACK && can && returns < MOST_RETURNS {
            self.go_back(returns + 1);
        }
    }

    fn carry(&mut self, map: &dyn Fn(&mut [f64])) {
        let s = &mut self.state;
        let n = s.y.len().max(1);
        for vector in [&mut s.y, &mut s.yp, &mut s.y_before, &mut s.yp_before] {
            map(vector);
        }
        s.z.chunks_exact_mut(n).for_each(map);
        self.corrector.equations_exchanged();
    }

    fn failures_in_a_row(&self) -> u32 {
        self.state.other_failures
    }

    fn t(&self) -> f64 {
        self.state.t
    }

    fn y(&self) -> &[f64] {
        &self.state.y
    }

    fn yp(&self) -> &[f64] {
        &self.state.yp
    }

    fn h(&self) -> f64 {
        self.state.h
    }

    fn set_h(&mut self, h: f64) {
        self.state.h = h;
    }

    fn last_h(&self) -> f64 {
        self.state.h_last
    }

    fn order(&self) -> usize {
        self.methods[self.state.next].order()
    }

    fn last_order(&self) -> usize {
        self.state.last.map_or(0, |k| self.methods[k].order())
    }

    fn degree(&self) -> usize {
        self.state.last.map_or(1, |k| self.methods[k].s)
    }

    fn interpolate(&self, t: f64, y: &mut [f64], yp: &mut [f64]) {
        let s = &self.state;
        let Some(method) = s.last.filter(|_| t != s.t).map(|k| &self.methods[k]) else {
            y.copy_from_slice(&s.y);
            yp.copy_from_slice(&s.yp);
            return;
        };
        let x = (t - s.t_before) / s.h_last;
        let mut basis = [0.0; MOST_STAGES];
        method.basis(x, &mut basis);
        combine(&basis[..method.s], &s.z, y);
        for (y, y0) in y.iter_mut().zip(&s.y_before) {
            *y += y0;
        }
        method.basis_slopes(x, &mut basis);
        combine(&basis[..method.s], &s.z, yp);
        yp.iter_mut().for_each(|x| *x /= s.h_last);
    }

    fn refine(&mut self, equations: &mut Equations<'_>, t: f64, y: &mut [f64], yp: &mut [f64]) {
        self.refine_output(equations, t, y, yp);
    }

    fn corrector(&mut self) -> Option<&mut Corrector> {
        Some(&mut self.corrector)
    }

    fn weights(&self) -> &Weights {
        &self.weights
    }

    fn checkpoint(&self) -> State {
        let state = RadauState {
            pieces: self.pieces.as_ref().map(|pieces| pieces.memory.clone()),
            ..self.state.clone()
        };
        State::new(NAME, (state, self.blocks.checkpoint(), self.corrector.checkpoint()))
    }

    fn restore(&mut self, state: &State) -> bool {
        let kept = state.get::<(RadauState, BlocksState, CorrectorState)>(NAME);
        let Some((state, blocks, corrector)) = kept else {
            return false;
        };
        let fits = state.y.len() == self.y_new.len()
            && state.z.len() == self.room.z.len()
            && state.next < self.methods.len()
            && state.last.is_none_or(|k| k < self.methods.len());
        if !fits || !self.blocks.restore(&blocks) {
            return false;
        }
        self.state = state;
        if !self.corrector.restore(&corrector) {
            return false;
        }
        // The same factors to the bit, as they depend on nothing else.
        if let Some((h, k)) = self.state.factorised.filter(|(_, k)| *k < self.methods.len()) {
            let (method, mut counters) = (&self.methods[k], Counters::default());
            let linearisation = self.corrector.linearisation();
            let factorised =
                (self.blocks).refresh(linearisation, method.shift(h), Phase::default(), &mut counters);
            if factorised.is_err() {
                return false;
            }
        }
        if let Some(rounding) = self.corrector.new_rounding() {
            self.weights.set_rounding(rounding);
        }
        self.update_weights();
        true
    }
}
