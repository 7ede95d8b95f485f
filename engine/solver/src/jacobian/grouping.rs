//! Which columns are evaluated together: by the declared pattern, or by one estimated from the
//! Jacobian itself and enlarged when it proves too small, Arnold §3.1.
//!
//! The declared pattern of a mechanism holds every entry that some motion can make non-zero. On a
//! tree in joint coordinates that is nearly all of them, while few matter at any time. The estimate Ω
//! keeps those with |j_ir| w_r above a small fraction of Σ_s |j_is| w_s, where w are the sizes that
//! the tolerances give the variables. Leaving out the others changes the corrections by about that
//! fraction, which does not slow the corrector down noticeably; results are not touched, because the
//! corrector iterates until it has converged.

use super::colouring::{best_groups, columns_to_evaluate, group_columns};
use super::packs::cost_of_packs;
use super::{Sparsity, SplitJacobian};
use crate::linear::Matrix;
use holonom_dae::{DerivativeForm, Pattern, Structure, Weights};
use serde::{Deserialize, Serialize};

/// Entries below this fraction of their row do not matter. Rounding leaves about 10⁻⁸ of a row
/// in places where there is nothing; 10⁻² in many places would be felt in the rate.
const FRACTION: f64 = 1e-5;
/// The fraction is lowered tenfold when the estimate is under suspicion and nothing is found
/// above it, down to this.
const LEAST_FRACTION: f64 = 1e-8;
/// After so many suspicions in a row that came to nothing, with the least fraction, the estimate
/// is given up.
const MOST_FALSE_ALARMS: u32 = 4;
/// With dual numbers `auto` leaves out only what is rounding, so that derivatives stay exact.
const NOTHING: f64 = 1e-13;
/// The estimate must cost less than the declared pattern by this factor to be worth its
/// risks.
const WORTH_IT: f64 = 0.75;
/// With a declared pattern of this many groups, or this part of the columns, there is little left to
/// gain.
const FEW_GROUPS: usize = 6;
const FEW_OF_COLUMNS: usize = 8;
/// Evaluations over the declared pattern in a row without anything new, at most, before the
/// estimate is trusted (again).
const MOST_NEEDED: u32 = 64;

/// What columns are evaluated with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Derivatives {
    /// Differences: a residual for a group.
    Differences,
    /// Dual numbers: several groups in one evaluation, and exact.
    Duals,
}

impl Derivatives {
    /// Residuals that so many groups cost.
    fn price(self, groups: usize) -> f64 {
        match self {
            Self::Differences => groups as f64,
            Self::Duals => cost_of_packs(groups),
        }
    }
}

/// Groups of columns, and where the entries of columns evaluated together go.
pub(super) struct Partition {
    pub groups: Vec<Vec<usize>>,
    /// Whether some group has several columns.
    grouped: bool,
    /// Rows that belong to each column of a group of several.
    pattern: Option<Pattern>,
    /// Place of each entry of the pattern among the values of the matrix.
    positions: Vec<usize>,
}

impl Partition {
    /// A change to this partition, without an estimate in use.
    fn change(&self, before: Option<(usize, usize)>) -> PatternChange {
        PatternChange {
            before,
            entries: self.pattern.as_ref().map_or(0, Pattern::len),
            groups: self.groups.len(),
            in_use: false,
        }
    }

    fn new(groups: Vec<Vec<usize>>, pattern: Option<Pattern>, matrix: &Matrix) -> Self {
        let place = |(i, j)| super::position(matrix, i, j);
        let positions = pattern
            .iter()
            .flat_map(Pattern::entries)
            .filter_map(place)
            .collect();
        Self {
            grouped: groups.iter().any(|g| g.len() > 1),
            groups,
            pattern,
            positions,
        }
    }

    /// Calls `entry(row, place)` for all entries of a column: those of the pattern if there is
    /// one, else all that the matrix has room for.
    #[inline]
    pub fn for_entries(&self, matrix: &Matrix, j: usize, mut entry: impl FnMut(usize, usize)) {
        if let Some(p) = &self.pattern {
            for (&i, &k) in p.column(j).iter().zip(&self.positions[p.range(j)]) {
                entry(i, k);
            }
            return;
        }
        match matrix {
            Matrix::Dense { n, .. } => (0..*n).for_each(|i| entry(i, j * n + i)),
            Matrix::Sparse { pattern, .. } => {
                for (&i, k) in pattern.column(j).iter().zip(pattern.range(j)) {
                    entry(i, k);
                }
            }
        }
    }

    /// Stores columns that were evaluated together, with `entry(i, j)` the value in row i of
    /// column j.
    #[inline]
    pub fn store(&self, columns: &[usize], f_y: &mut Matrix, entry: impl Fn(usize, usize) -> f64) {
        if let ([j], Matrix::Dense { n, values }) = (columns, &mut *f_y) {
            for (i, c) in values[j * *n..(j + 1) * *n].iter_mut().enumerate() {
                *c = entry(i, *j);
            }
            return;
        }
        let shared = columns.len() > 1;
        if shared {
            let Some(p) = &self.pattern else {
                return;
            };
            let values = f_y.values_mut();
            for &j in columns {
                // Other rows belong to the other columns of the group.
                for (&i, &k) in p.column(j).iter().zip(&self.positions[p.range(j)]) {
                    values[k] = entry(i, j);
                }
            }
        } else if let Matrix::Sparse { pattern, values } = f_y {
            for &j in columns {
                for (c, &i) in values[pattern.range(j)].iter_mut().zip(pattern.column(j)) {
                    *c = entry(i, j);
                }
            }
        }
    }
}

/// A new estimate of the pattern, for reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PatternChange {
    /// Entries and groups before; none for a first estimate.
    pub before: Option<(usize, usize)>,
    /// Entries of the columns that are evaluated.
    pub entries: usize,
    /// Groups of these columns.
    pub groups: usize,
    /// Whether this estimate is in use from now on; else it was found not worth it, or given up for
    /// the declared pattern.
    pub in_use: bool,
}

/// What an engine says about the pattern it works with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PatternUse {
    /// Whether entries may be missing: the pattern in use is an estimate.
    pub estimated: bool,
    /// Whether columns are evaluated together at all.
    pub grouped: bool,
    /// Whether the last evaluation failed its test: entries are missing.
    pub violated: bool,
    /// Groups in use.
    pub groups: usize,
    /// Groups of an evaluation that misses nothing.
    pub complete_groups: usize,
    /// Whether an estimate may come into use.
    pub may_estimate: bool,
}

/// The groupings an engine can work with.
pub(super) struct Grouping {
    /// Misses nothing: declared pattern, or every column alone.
    complete: Partition,
    derivatives: Derivatives,
    estimate: Option<Estimate>,
    change: Option<PatternChange>,
}

/// The estimated pattern Ω and what is known about it.
struct Estimate {
    /// Whether there is a declared pattern to fall back on.
    has_declared: bool,
    /// Whether derivative and other parts are in one matrix and cannot be told apart: then every
    /// entry that is not zero matters.
    inseparable: bool,
    /// Columns to be evaluated.
    wanted: Vec<bool>,
    /// For every value of the matrix whether it is in Ω, and whether it takes part in the sums of
    /// rows: α ∂F/∂ẏ would make everything else look small at small steps.
    kept: Vec<bool>,
    counted: Vec<bool>,
    /// What Ω leads to; empty before the first estimate.
    partition: Partition,
    in_use: bool,
    /// Entries below this fraction of their row are left out, and the least it may become.
    fraction: f64,
    least_fraction: f64,
    /// Evaluations in a row that found nothing new, and how many there have to be.
    unchanged: u32,
    needed: u32,
    /// Ω was found not to be worth it; it can only grow.
    refused: bool,
    /// Suspicions in a row that came to nothing.
    false_alarms: u32,
    violated: bool,
    row_sums: Vec<f64>,
}

/// What later groupings depend on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GroupingState {
    kept: Vec<usize>,
    in_use: bool,
    fraction: f64,
    unchanged: u32,
    needed: u32,
    refused: bool,
    false_alarms: u32,
}

impl Grouping {
    /// Every column alone; a declared pattern says where entries can be lost to rounding.
    pub fn columns(structure: &Structure, matrix: &Matrix, derivatives: Derivatives) -> Self {
        Self {
            complete: Partition::new(
                single_columns(structure),
                structure.sparsity.as_deref().cloned(),
                matrix,
            ),
            derivatives,
            estimate: None,
            change: None,
        }
    }

    /// Groups by a pattern of this origin, for a matrix of the given storage.
    pub fn new(
        structure: &Structure,
        matrix: &Matrix,
        combined: bool,
        choice: Sparsity,
        derivatives: Derivatives,
    ) -> Self {
        let declared = structure.sparsity.as_ref();
        if declared.is_none() && choice == Sparsity::Traced {
            return Self::columns(structure, matrix, derivatives);
        }
        // The estimate asked for by name does not rely on what is declared, as far as the matrix
        // has room.
        let complete = match declared {
            Some(pattern) if choice != Sparsity::Estimated => {
                Partition::new(group_columns(structure), Some((**pattern).clone()), matrix)
            }
            _ => Partition::new(single_columns(structure), None, matrix),
        };
        let columns: usize = complete.groups.iter().map(Vec::len).sum();
        let few = match derivatives {
            Derivatives::Differences => complete.groups.len() <= FEW_GROUPS.max(columns / FEW_OF_COLUMNS),
            // Not even one group, with the test, would be worth it.
            Derivatives::Duals => derivatives.price(2) > WORTH_IT * derivatives.price(complete.groups.len()),
        };
        let wanted = match choice {
            Sparsity::Traced => false,
            Sparsity::Auto => declared.is_none() || !few,
            Sparsity::Estimated => true,
        };
        let exact = derivatives == Derivatives::Duals && choice == Sparsity::Auto && declared.is_some();
        let (fraction, least_fraction) = if exact {
            (NOTHING, NOTHING)
        } else {
            (FRACTION, LEAST_FRACTION)
        };
        let estimate = wanted.then(|| {
            let n = structure.dimension();
            let size = matrix.values().len();
            let (mut kept, mut counted) = (vec![false; size], vec![true; size]);
            if combined {
                let entries = super::derivative_entries(structure).into_iter();
                for k in entries.filter_map(|(i, j, _)| super::position(matrix, i, j)) {
                    (kept[k], counted[k]) = (true, false);
                }
            }
            Estimate {
                has_declared: declared.is_some() && choice == Sparsity::Auto,
                inseparable: structure.derivative == DerivativeForm::Unknown,
                wanted: columns_to_evaluate(structure),
                kept,
                counted,
                partition: Partition::new(Vec::new(), None, matrix),
                in_use: false,
                fraction,
                least_fraction,
                unchanged: 0,
                needed: 1,
                refused: false,
                false_alarms: 0,
                violated: false,
                row_sums: vec![0.0; n],
            }
        });
        Self {
            complete,
            derivatives,
            estimate,
            change: None,
        }
    }

    /// The groups to evaluate now: those of the estimate if there is one in use, unless
    /// everything is wanted.
    pub fn partition(&self, everything: bool) -> &Partition {
        match &self.estimate {
            Some(e) if e.in_use && !everything => &e.partition,
            _ => &self.complete,
        }
    }

    /// What is to be said about the pattern in use.
    pub fn pattern_use(&self) -> PatternUse {
        let partition = self.partition(false);
        PatternUse {
            grouped: partition.grouped,
            estimated: self.estimate.as_ref().is_some_and(|e| e.in_use),
            violated: self.estimate.as_ref().is_some_and(|e| e.violated),
            groups: partition.groups.len(),
            complete_groups: self.complete.groups.len(),
            may_estimate: self.estimate.is_some(),
        }
    }

    /// The last change of the pattern in use, once.
    pub fn take_change(&mut self) -> Option<PatternChange> {
        self.change.take()
    }

    /// Whether the estimate leaves out only what is rounding: then a test may ask for that.
    pub fn is_exact(&self) -> bool {
        self.estimate
            .as_ref()
            .is_some_and(|e| e.least_fraction == NOTHING)
    }

    /// For every column whether it has to be evaluated, where there is an estimate.
    pub fn wanted(&self) -> &[bool] {
        self.estimate.as_ref().map_or(&[], |e| &e.wanted)
    }

    /// Takes note of how the test of an evaluation with the estimate ended.
    pub fn tested(&mut self, agrees: bool) {
        if let Some(e) = &mut self.estimate {
            e.violated = !agrees;
            if agrees {
                e.false_alarms = 0;
            }
        }
    }

    /// Learns from a complete evaluation. `suspected`: the estimate was under suspicion.
    pub fn learn(&mut self, weights: &Weights, out: &SplitJacobian, suspected: bool) {
        let Some(e) = self.estimate.as_mut().filter(|e| !e.refused) else {
            return;
        };
        // Differences have no room for a direction more, but one residual among many is little.
        let tests = usize::from(self.derivatives == Derivatives::Duals);
        e.sum_rows(weights, &out.f_y);
        e.violated = false;
        let before = e.in_use.then(|| e.size());
        let grew = e.enlarge(weights, &out.f_y);
        e.unchanged = if grew { 0 } else { e.unchanged + 1 };
        if suspected && !grew {
            e.false_alarms += u32::from(e.fraction == e.least_fraction);
            e.fraction = (0.1 * e.fraction).max(e.least_fraction);
        }
        if e.in_use && e.false_alarms >= MOST_FALSE_ALARMS {
            // Something else makes the corrector slow.
            (e.in_use, e.refused) = (false, true);
            self.change = Some(self.complete.change(before));
        } else if e.has_declared && e.in_use && grew {
            // Back to what is certain until the estimate has settled again.
            e.in_use = false;
            e.needed = (2 * e.needed).min(MOST_NEEDED);
            self.change = Some(self.complete.change(before));
        } else if !e.has_declared && (grew || !e.in_use) {
            e.rebuild(&out.f_y);
            self.change = Some(e.change(before));
        } else if e.has_declared && !e.in_use && e.unchanged >= e.needed {
            e.rebuild(&out.f_y);
            e.refused = self.derivatives.price(e.partition.groups.len() + tests)
                > WORTH_IT * self.derivatives.price(self.complete.groups.len());
            e.in_use = !e.refused;
            self.change = Some(e.change(before));
        }
    }

    /// Puts a given estimate in use, in place of one from an evaluation.
    pub fn assume(&mut self, pattern: &Pattern, matrix: &Matrix) {
        if let Some(e) = &mut self.estimate {
            e.kept.fill(false);
            for k in pattern
                .entries()
                .filter_map(|(i, j)| super::position(matrix, i, j))
            {
                e.kept[k] = true;
            }
            e.rebuild(matrix);
        }
    }

    /// Everything later groupings depend on.
    pub fn checkpoint(&self) -> Option<GroupingState> {
        self.estimate.as_ref().map(|e| GroupingState {
            kept: (0..e.kept.len()).filter(|k| e.kept[*k]).collect(),
            in_use: e.in_use,
            fraction: e.fraction,
            unchanged: e.unchanged,
            needed: e.needed,
            refused: e.refused,
            false_alarms: e.false_alarms,
        })
    }

    /// Takes back what [`checkpoint`](Self::checkpoint) gave.
    pub fn restore(&mut self, state: Option<&GroupingState>, matrix: &Matrix) {
        if let (Some(e), Some(state)) = (&mut self.estimate, state) {
            e.kept.fill(false);
            for &k in &state.kept {
                if let Some(kept) = e.kept.get_mut(k) {
                    *kept = true;
                }
            }
            if state.in_use {
                e.rebuild(matrix);
            }
            e.in_use = state.in_use;
            e.fraction = state.fraction;
            (e.unchanged, e.needed, e.refused) = (state.unchanged, state.needed, state.refused);
            e.false_alarms = state.false_alarms;
        }
    }
}

impl Estimate {
    /// Σ_s |j_is| w_s for every row i.
    fn sum_rows(&mut self, weights: &Weights, f_y: &Matrix) {
        self.row_sums.fill(0.0);
        let (sums, counted, mut k) = (&mut self.row_sums, &self.counted, 0);
        f_y.for_each(|i, j, value| {
            if counted[k] && self.wanted[j] {
                sums[i] += (value / weights.reciprocal()[j]).abs();
            }
            k += 1;
        });
    }

    /// Ω := Ω ∪ Σ(J), with the entries that matter; whether that is more than before.
    fn enlarge(&mut self, weights: &Weights, f_y: &Matrix) -> bool {
        let (mut grew, mut k) = (false, 0);
        let limit = if self.inseparable { 0.0 } else { self.fraction };
        f_y.for_each(|i, j, value| {
            if !self.kept[k]
                && self.wanted[j]
                && (value / weights.reciprocal()[j]).abs() > limit * self.row_sums[i]
            {
                self.kept[k] = true;
                grew = true;
            }
            k += 1;
        });
        grew
    }

    /// Groups by Ω, which goes into use.
    fn rebuild(&mut self, f_y: &Matrix) {
        let n = self.wanted.len();
        let mut entries = Vec::new();
        let mut k = 0;
        f_y.for_each(|i, j, _| {
            if self.kept[k] && self.wanted[j] {
                entries.push((i, j));
            }
            k += 1;
        });
        let pattern = Pattern::from_entries(n, n, entries);
        let groups = best_groups(&pattern, &self.wanted);
        self.partition = Partition::new(groups, Some(pattern), f_y);
        self.in_use = true;
    }

    /// Entries and groups of Ω.
    fn size(&self) -> (usize, usize) {
        let entries = self.partition.pattern.as_ref().map_or(0, Pattern::len);
        (entries, self.partition.groups.len())
    }

    fn change(&self, before: Option<(usize, usize)>) -> PatternChange {
        let (entries, groups) = self.size();
        PatternChange {
            before,
            entries,
            groups,
            in_use: self.in_use,
        }
    }
}

/// All columns that have to be evaluated, each alone.
fn single_columns(structure: &Structure) -> Vec<Vec<usize>> {
    let wanted = columns_to_evaluate(structure);
    (0..wanted.len())
        .filter(|j| wanted[*j])
        .map(|j| vec![j])
        .collect()
}
