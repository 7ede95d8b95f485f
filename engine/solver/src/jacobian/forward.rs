//! Exact derivatives by dual numbers, twelve groups of columns per evaluation, or eight or four where
//! no more are left.
//!
//! The same two modes as for differences: ∂F/∂y apart, or together with α ∂F/∂ẏ. The cost of
//! one evaluation is about that of three plain ones; it is counted apart.
//!
//! Derivatives are exact with the traced pattern, and with what `auto` makes of it: it leaves out entries that
//! are zero as long as they are, and tests every matrix for what that would miss, to rounding. With an estimated pattern,
//! on request, what is left out is missing here as with differences.

use super::direction::{Direction, EXACT, LIMIT};
use super::grouping::{Derivatives, Grouping, Partition, PatternChange, PatternUse};
use super::known::Known;
use super::packs::pack_width;
use super::{GroupingState, JacobianEngine, JacobianPoint, Setup, SplitJacobian};
use crate::equations::Equations;
use crate::linear::Matrix;
use crate::state::State;
use holonom_algebra::{Dual, Real};
use holonom_dae::{DerivativeForm, Pattern, Rejection, Structure};

/// Forward derivatives over groups of columns.
pub struct Forward {
    name: &'static str,
    combined: bool,
    grouping: Grouping,
    direction: Direction,
    /// Derivatives along the direction.
    along: Vec<f64>,
    known: Known,
    /// A matrix in the storage of the results, for the places of entries.
    storage: Matrix,
    packs: Packs,
}

/// Room for evaluations of every width.
struct Packs {
    four: Pack<1>,
    eight: Pack<2>,
    twelve: Pack<3>,
}

/// What one evaluation is for.
struct Task<'a> {
    at: &'a JacobianPoint<'a>,
    alpha: f64,
    partition: &'a Partition,
    /// The groups of columns, a direction each.
    groups: &'a [Vec<usize>],
    /// The direction of the test, where there is room for it here.
    direction: Option<&'a [f64]>,
}

/// Room for an evaluation with 4 K directions.
struct Pack<const K: usize> {
    y: Vec<Dual<K>>,
    yp: Vec<Dual<K>>,
    r: Vec<Dual<K>>,
    /// Whether y and ẏ are those of the point.
    started: bool,
}

impl<const K: usize> Pack<K> {
    fn new(n: usize) -> Self {
        let zero = vec![Dual::constant(0.0); n];
        Self {
            y: zero.clone(),
            yp: zero.clone(),
            r: zero,
            started: false,
        }
    }

    /// Before the first evaluation at a point: no directions.
    fn start(&mut self, at: &JacobianPoint<'_>) {
        if self.started {
            return;
        }
        self.started = true;
        for (d, &x) in self.y.iter_mut().zip(at.y) {
            *d = Dual::constant(x);
        }
        for (d, &x) in self.yp.iter_mut().zip(at.yp) {
            *d = Dual::constant(x);
        }
    }

    /// Evaluates with one direction for each group, ẏ moving along by α, and one more for the test if it is wanted, and
    /// stores the columns, and in `along` the derivatives along the direction of the test; `call` is the residual.
    fn columns(
        &mut self,
        task: &Task<'_>,
        f_y: &mut Matrix,
        along: Option<&mut [f64]>,
        call: impl FnOnce(Dual<K>, &[Dual<K>], &[Dual<K>], &mut [Dual<K>]) -> Result<(), Rejection>,
    ) -> Result<(), Rejection> {
        let (groups, alpha) = (task.groups, task.alpha);
        self.start(task.at);
        self.seed(groups, 1.0, alpha);
        for (j, &d) in task.direction.into_iter().flatten().enumerate() {
            self.y[j].set_derivative(groups.len(), d);
            self.yp[j].set_derivative(groups.len(), alpha * d);
        }
        let evaluated = call(Dual::constant(task.at.t), &self.y, &self.yp, &mut self.r);
        self.seed(groups, 0.0, 0.0);
        self.started = task.direction.is_none();
        evaluated?;
        if let Some(row) = self.r.iter().position(|x| !x.is_finite()) {
            return Err(Rejection::NonFinite { row });
        }
        for (k, group) in groups.iter().enumerate() {
            task.partition.store(group, f_y, |i, _| self.r[i].derivative(k));
        }
        for (a, r) in along.into_iter().flatten().zip(&self.r) {
            *a = r.derivative(groups.len());
        }
        Ok(())
    }

    /// Derivatives of the variables of each group along its direction.
    fn seed(&mut self, groups: &[Vec<usize>], of_y: f64, of_yp: f64) {
        for (k, group) in groups.iter().enumerate() {
            for &j in group {
                self.y[j].set_derivative(k, of_y);
                self.yp[j].set_derivative(k, of_yp);
            }
        }
    }
}

impl Forward {
    /// One column at a time.
    pub fn dense(structure: &Structure, setup: Setup) -> Self {
        Self::new("ad-dense", structure, setup, |structure, matrix| {
            Grouping::columns(structure, matrix, Derivatives::Duals)
        })
    }

    /// Independent columns together.
    pub fn grouped(structure: &Structure, setup: Setup) -> Self {
        Self::new("ad-grouped", structure, setup, |structure, matrix| {
            Grouping::new(
                structure,
                matrix,
                setup.combined,
                setup.sparsity,
                Derivatives::Duals,
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
        let grouping = grouping(structure, &storage);
        Self {
            name,
            combined: setup.combined || structure.derivative == DerivativeForm::Unknown,
            direction: Direction::new(grouping.wanted()),
            along: vec![0.0; n],
            grouping,
            known: Known::new(structure, &storage),
            storage,
            packs: Packs {
                four: Pack::new(n),
                eight: Pack::new(n),
                twelve: Pack::new(n),
            },
        }
    }

    fn evaluate_columns(
        &mut self,
        equations: &mut Equations<'_>,
        at: &JacobianPoint<'_>,
        out: &mut SplitJacobian,
        everything: bool,
    ) -> Result<(), Rejection> {
        equations.counters.jacobians += 1;
        let alpha = if self.combined { at.alpha } else { 0.0 };
        out.f_y.set_zero();
        let partition = self.grouping.partition(everything);
        // With an estimate one more direction is wanted, for the test.
        let tests = usize::from(!everything);
        if !everything {
            self.direction.choose(at.y, at.weights);
        }
        let directions = partition.groups.len() + tests;
        let Packs { four, eight, twelve } = &mut self.packs;
        (four.started, eight.started, twelve.started) = (false, false, false);
        let (mut first, mut all_widths) = (0, true);
        while first < directions {
            let width = if all_widths {
                pack_width(directions - first)
            } else {
                8
            };
            let last = partition.groups.len().min(first + width);
            let groups = &partition.groups[first..last];
            let test = !everything && groups.len() < width;
            let direction = test.then_some(self.direction.d.as_slice());
            let along = test.then_some(self.along.as_mut_slice());
            let task = Task {
                at,
                alpha,
                partition,
                groups,
                direction,
            };
            let system = &mut *equations.system;
            let counters = &mut *equations.counters;
            let done = match width {
                4 => four.columns(&task, &mut out.f_y, along, |t, y, yp, r| {
                    system.residual_dual4(t, y, yp, r)
                }),
                8 => eight.columns(&task, &mut out.f_y, along, |t, y, yp, r| {
                    system.residual_dual8(t, y, yp, r)
                }),
                _ => twelve.columns(&task, &mut out.f_y, along, |t, y, yp, r| {
                    system.residual_dual12(t, y, yp, r)
                }),
            };
            if done.is_err() && width != 8 {
                // A system may have eight directions only.
                all_widths = false;
                continue;
            }
            counters.residuals_dual += 1;
            counters.residuals_dual4 += u64::from(width == 4);
            counters.residuals_dual12 += u64::from(width == 12);
            done?;
            first += width;
        }
        Ok(())
    }

    fn evaluate_over(
        &mut self,
        equations: &mut Equations<'_>,
        at: &JacobianPoint<'_>,
        out: &mut SplitJacobian,
        suspected: bool,
    ) -> Result<(), Rejection> {
        let everything = suspected || !self.grouping.pattern_use().estimated;
        self.evaluate_columns(equations, at, out, everything)?;
        out.alpha = at.alpha;
        out.separated = !self.combined;
        if everything {
            self.grouping.learn(at.weights, out, suspected);
        }
        if out.separated {
            self.known.derivative_part(equations, at, out)?;
        }
        if !everything {
            let along = &self.along;
            let limit = if self.grouping.is_exact() { EXACT } else { LIMIT };
            let agrees = self.direction.agrees(at, out, None, limit, |i| along[i]);
            self.grouping.tested(agrees);
        }
        self.known.transpose(&mut out.f_y);
        Ok(())
    }
}

impl JacobianEngine for Forward {
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

    fn uses_residual(&self) -> bool {
        false
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
        State::new(self.name, self.grouping.checkpoint())
    }

    fn restore(&mut self, state: &State) {
        if let Some(grouping) = state.get::<Option<GroupingState>>(self.name) {
            self.grouping.restore(grouping.as_ref(), &self.storage);
        }
    }
}
