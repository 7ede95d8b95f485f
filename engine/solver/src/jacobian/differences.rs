//! One-sided differences, Arnold (16) and (20), in groups of columns.
//!
//! Two modes. Separated: y alone is perturbed, which gives ∂F/∂y; ∂F/∂ẏ comes from the
//! structure. Combined (DASSL's way, and the only one when the form of ∂F/∂ẏ is unknown): ẏ
//! moves along by α δ, which gives the iteration matrix for this α.

use super::direction::{Direction, LIMIT};
use super::grouping::{Derivatives, Grouping, Partition, PatternChange, PatternUse};
use super::known::Known;
use super::{GroupingState, JacobianEngine, JacobianPoint, Setup, SplitJacobian};
use crate::equations::{Equations, Purpose};
use crate::linear::Matrix;
use crate::state::State;
use holonom_dae::{DerivativeForm, Pattern, Rejection, Structure};

/// √ε: the relative increment that balances truncation and rounding.
const ROOT: f64 = 1.490_116_119_384_765_6e-8;
/// ⁴√ε: below this fraction of a variable's usual size its increment is not reduced, Arnold (17).
const FOURTH_ROOT: f64 = 1.220_703_125e-4;

/// Difference quotients over groups of columns.
pub struct Differences {
    name: &'static str,
    grouping: Grouping,
    direction: Direction,
    known: Known,
    /// A matrix in the storage of the results, for the places of entries.
    storage: Matrix,
    quotients: Quotients,
}

/// What the quotients need besides the groups.
struct Quotients {
    combined: bool,
    /// Usual size of each variable: declared, or the largest value met so far.
    size: Vec<f64>,
    declared_size: Vec<bool>,
    /// Columns that need no second look: nothing was lost there to rounding.
    cleared: Vec<bool>,
    /// Size of the terms of each row and of its largest entry.
    terms: Vec<f64>,
    largest: Vec<f64>,
    y: Vec<f64>,
    yp: Vec<f64>,
    perturbed: Vec<f64>,
    increments: Vec<f64>,
    /// Places and values of entries got from a larger increment.
    recovered: Vec<(usize, f64)>,
}

impl Differences {
    /// One column at a time.
    pub fn dense(structure: &Structure, setup: Setup) -> Self {
        Self::new("fd-dense", structure, setup, |structure, matrix| {
            Grouping::columns(structure, matrix, Derivatives::Differences)
        })
    }

    /// Independent columns together.
    pub fn grouped(structure: &Structure, setup: Setup) -> Self {
        Self::new("fd-grouped", structure, setup, |structure, matrix| {
            Grouping::new(
                structure,
                matrix,
                setup.combined,
                setup.sparsity,
                Derivatives::Differences,
            )
        })
    }

    fn new(
        name: &'static str,
        structure: &Structure,
        setup: Setup,
        grouping: impl Fn(&Structure, &Matrix) -> Grouping,
    ) -> Self {
        let n = structure.dimension();
        let storage = super::allocate(structure, setup.sparse, setup.combined).f_y;
        let declared_size = structure.variables.iter().map(|v| v.scale.is_some()).collect();
        let size = structure.variables.iter().map(|v| v.scale.unwrap_or(0.0));
        let grouping = grouping(structure, &storage);
        Self {
            name,
            direction: Direction::new(grouping.wanted()),
            grouping,
            known: Known::new(structure, &storage),
            storage,
            quotients: Quotients {
                combined: setup.combined || structure.derivative == DerivativeForm::Unknown,
                size: size.collect(),
                declared_size,
                cleared: vec![false; n],
                terms: vec![0.0; n],
                largest: vec![0.0; n],
                y: vec![0.0; n],
                yp: vec![0.0; n],
                perturbed: vec![0.0; n],
                increments: vec![0.0; n],
                recovered: Vec::with_capacity(n),
            },
        }
    }

    fn evaluate_over(
        &mut self,
        equations: &mut Equations<'_>,
        at: &JacobianPoint<'_>,
        out: &mut SplitJacobian,
        suspected: bool,
    ) -> Result<(), Rejection> {
        equations.counters.jacobians += 1;
        let quotients = &mut self.quotients;
        quotients.begin(at);
        let alpha = if quotients.combined { at.alpha } else { 0.0 };
        let everything = suspected || !self.grouping.pattern_use().estimated;
        let partition = self.grouping.partition(everything);
        out.f_y.set_zero();
        for group in &partition.groups {
            quotients.difference(equations, at, alpha, group, partition, &mut out.f_y)?;
        }
        if !quotients.combined {
            quotients.recover_lost_entries(equations, at, partition, &mut out.f_y);
        }
        out.alpha = at.alpha;
        out.separated = !quotients.combined;
        if everything {
            self.grouping.learn(at.weights, out, suspected);
        }
        if out.separated {
            self.known.derivative_part(equations, at, out)?;
        }
        if suspected {
            self.direction.calibrate(at, out, &self.quotients.increments);
        }
        if !everything {
            let agrees = self.test(equations, at, alpha, out);
            self.grouping.tested(agrees);
        }
        self.known.transpose(&mut out.f_y);
        Ok(())
    }

    /// Whether the matrix explains the change of the residual along one direction or its opposite;
    /// no where the residual has a value at neither.
    fn test(
        &mut self,
        equations: &mut Equations<'_>,
        at: &JacobianPoint<'_>,
        alpha: f64,
        out: &SplitJacobian,
    ) -> bool {
        let (q, direction) = (&mut self.quotients, &mut self.direction);
        direction.choose(at.y, at.weights);
        let mut agrees = false;
        for sign in [1.0, -1.0] {
            for (j, d) in direction.d.iter().enumerate() {
                q.y[j] = at.y[j] + sign * d;
                q.yp[j] = at.yp[j] + sign * alpha * d;
            }
            let evaluated = equations.residual(Purpose::Other, at.t, &q.y, &q.yp, &mut q.perturbed);
            if evaluated.is_ok() {
                let change = |i: usize| sign * (q.perturbed[i] - at.residual[i]);
                agrees = direction.agrees(at, out, Some(&q.increments), LIMIT, change);
                break;
            }
        }
        q.y.copy_from_slice(at.y);
        q.yp.copy_from_slice(at.yp);
        agrees
    }
}

impl Quotients {
    /// Increments for an evaluation at this point.
    fn begin(&mut self, at: &JacobianPoint<'_>) {
        for j in 0..at.y.len() {
            if !self.declared_size[j] {
                self.size[j] = self.size[j].max(at.y[j].abs());
            }
            self.increments[j] = self.increment(j, at);
        }
        self.y.copy_from_slice(at.y);
        self.yp.copy_from_slice(at.yp);
    }

    /// The increment of variable `j`.
    fn increment(&self, j: usize, at: &JacobianPoint<'_>) -> f64 {
        let (y, step) = (at.y[j], at.h * at.yp[j]);
        let tolerance = 1.0 / at.weights.reciprocal()[j];
        let size = if self.combined {
            // DASSL's increments, for the baseline.
            y.abs().max(step.abs()).max(tolerance)
        } else {
            // differs from (17): its floor ⁴√ε presumes variables of size one, and is not needed
            // where the size is declared: an angle that starts at zero is no small angle.
            let usual = if self.size[j] > 0.0 { self.size[j] } else { 1.0 };
            let floor = if self.declared_size[j] {
                usual
            } else {
                FOURTH_ROOT * usual
            };
            y.abs().max(step.abs()).max(floor).max(tolerance.min(usual))
        };
        let delta = (ROOT * size).copysign(step);
        // The difference actually taken, free of rounding.
        let there = y + delta;
        there - y
    }

    /// Differences the columns of a group into `f_y`, on whichever side the residual has a value.
    fn difference(
        &mut self,
        equations: &mut Equations<'_>,
        at: &JacobianPoint<'_>,
        alpha: f64,
        group: &[usize],
        partition: &Partition,
        f_y: &mut Matrix,
    ) -> Result<(), Rejection> {
        // The domain may end on one side (√y at y = 0): then difference the other way.
        match self.on_either_side(equations, at, alpha, group) {
            Ok(()) => {
                self.store(group, at, partition, f_y);
                Ok(())
            }
            Err(rejection) if group.len() == 1 => Err(rejection),
            Err(_) => {
                // Columns may need different sides.
                for column in group.chunks(1) {
                    self.on_either_side(equations, at, alpha, column)?;
                    self.store(column, at, partition, f_y);
                }
                Ok(())
            }
        }
    }

    /// The residual with these columns perturbed; with all signs changed if that is rejected.
    fn on_either_side(
        &mut self,
        equations: &mut Equations<'_>,
        at: &JacobianPoint<'_>,
        alpha: f64,
        columns: &[usize],
    ) -> Result<(), Rejection> {
        let evaluated = self.perturb(equations, at, alpha, columns);
        if evaluated.is_ok() {
            return evaluated;
        }
        for &j in columns {
            self.increments[j] = -self.increments[j];
        }
        self.perturb(equations, at, alpha, columns)
    }

    /// `self.perturbed` := the residual with these columns perturbed by their increments.
    fn perturb(
        &mut self,
        equations: &mut Equations<'_>,
        at: &JacobianPoint<'_>,
        alpha: f64,
        columns: &[usize],
    ) -> Result<(), Rejection> {
        for &j in columns {
            self.y[j] = at.y[j] + self.increments[j];
            self.yp[j] = at.yp[j] + alpha * self.increments[j];
        }
        let evaluated = equations.residual(Purpose::Other, at.t, &self.y, &self.yp, &mut self.perturbed);
        for &j in columns {
            self.y[j] = at.y[j];
            self.yp[j] = at.yp[j];
        }
        evaluated
    }

    /// Difference quotients of columns perturbed together.
    fn store(&self, columns: &[usize], at: &JacobianPoint<'_>, partition: &Partition, f_y: &mut Matrix) {
        let (there, here) = (&self.perturbed, at.residual);
        partition.store(columns, f_y, |i, j| {
            (there[i] - here[i]) * (1.0 / self.increments[j])
        });
    }

    /// Repeats columns whose increment was too small for some row to see it.
    ///
    /// In y₁ + y₂ + y₃ = 1 with y₃ ~ 10⁻¹⁴ an increment in proportion to y₃ is lost next to y₁,
    /// and the entry of the very variable the row determines comes out as noise. Rows whose
    /// noise ε·(size of the terms)/δ is not small against their largest entry take the entry
    /// from a second, larger increment; the other rows keep theirs. The columns of a group are
    /// repeated together, at the cost of one evaluation; where that is rejected, the group keeps
    /// what it has.
    fn recover_lost_entries(
        &mut self,
        equations: &mut Equations<'_>,
        at: &JacobianPoint<'_>,
        partition: &Partition,
        f_y: &mut Matrix,
    ) {
        /// Noise tolerated, in units of the largest entry of the row.
        const NOISE: f64 = 1e-3;
        let lost = |i: usize, delta: f64, terms: &[f64], largest: &[f64]| {
            f64::EPSILON * terms[i] > NOISE * largest[i] * delta.abs()
        };
        self.terms.fill(0.0);
        self.largest.fill(0.0);
        let (terms, largest) = (&mut self.terms, &mut self.largest);
        f_y.for_each(|i, j, value| {
            terms[i] += (value * at.y[j]).abs();
            largest[i] = largest[i].max(value.abs());
        });
        for group in &partition.groups {
            let mut any = false;
            for &j in group.iter().filter(|j| !self.cleared[**j]) {
                let delta = self.increments[j];
                let mut wanted = 0.0f64;
                partition.for_entries(f_y, j, |i, _| {
                    if lost(i, delta, &self.terms, &self.largest) && self.largest[i] > 0.0 {
                        let enough = 1e3 * f64::EPSILON * self.terms[i] / (NOISE * self.largest[i]);
                        wanted = wanted.max(enough);
                    }
                });
                if wanted > delta.abs() {
                    self.y[j] = at.y[j] + wanted.copysign(delta);
                    any = true;
                }
            }
            if !any {
                continue;
            }
            let evaluated = equations.residual(Purpose::Other, at.t, &self.y, &self.yp, &mut self.perturbed);
            for &j in group {
                let taken = self.y[j] - at.y[j];
                self.y[j] = at.y[j];
                if evaluated.is_err() || taken == 0.0 {
                    continue;
                }
                let r = 1.0 / taken;
                let mut found = false;
                self.recovered.clear();
                partition.for_entries(f_y, j, |i, k| {
                    if lost(i, self.increments[j], &self.terms, &self.largest) {
                        let entry = (self.perturbed[i] - at.residual[i]) * r;
                        found |= entry != 0.0;
                        self.recovered.push((k, entry));
                    }
                });
                let values = f_y.values_mut();
                self.recovered.iter().for_each(|&(k, entry)| values[k] = entry);
                self.cleared[j] = !found;
            }
        }
    }
}

impl JacobianEngine for Differences {
    fn name(&self) -> &'static str {
        self.name
    }

    fn evaluate(
        &mut self,
        equations: &mut Equations<'_>,
        at: &JacobianPoint<'_>,
        out: &mut SplitJacobian,
    ) -> Result<(), Rejection> {
        self.evaluate_over(equations, at, out, false)
    }

    fn regroup(
        &mut self,
        equations: &mut Equations<'_>,
        at: &JacobianPoint<'_>,
        out: &mut SplitJacobian,
    ) -> Result<(), Rejection> {
        self.evaluate_over(equations, at, out, true)
    }

    fn renew_given(
        &mut self,
        equations: &mut Equations<'_>,
        at: &JacobianPoint<'_>,
        out: &mut SplitJacobian,
    ) -> Result<(), Rejection> {
        self.known.derivative_part(equations, at, out)?;
        self.known.constraint_part(equations, at, out)
    }

    fn holds_constraints(&self) -> bool {
        self.known.holds_constraints()
    }

    fn pattern_use(&self) -> PatternUse {
        self.grouping.pattern_use()
    }

    fn take_change(&mut self) -> Option<PatternChange> {
        self.grouping.take_change()
    }

    fn assume_pattern(&mut self, pattern: &Pattern) {
        self.grouping.assume(pattern, &self.storage);
    }

    fn checkpoint(&self) -> State {
        let q = &self.quotients;
        let cleared = q.cleared.iter().map(|c| f64::from(u8::from(*c)));
        let numbers = q.size.iter().copied().chain(cleared);
        let numbers: Vec<f64> = numbers.chain(self.direction.noise.iter().copied()).collect();
        State::new(self.name, (numbers, self.grouping.checkpoint()))
    }

    fn restore(&mut self, state: &State) {
        let kept = state.get::<(Vec<f64>, Option<GroupingState>)>(self.name);
        let q = &mut self.quotients;
        let all = q.size.len() + q.cleared.len() + self.direction.noise.len();
        let Some((numbers, grouping)) = kept.filter(|(numbers, _)| numbers.len() == all) else {
            return;
        };
        let (size, rest) = numbers.split_at(q.size.len());
        let (cleared, noise) = rest.split_at(q.cleared.len());
        q.size.copy_from_slice(size);
        self.direction.noise.copy_from_slice(noise);
        for (c, s) in q.cleared.iter_mut().zip(cleared) {
            *c = *s != 0.0;
        }
        self.grouping.restore(grouping.as_ref(), &self.storage);
    }
}
