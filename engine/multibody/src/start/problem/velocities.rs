//! Velocities that fit, stated ones first.

use super::{StartProblem, Tier, counts};
use crate::description::Hold;
use crate::start::closure::{Closure, exceeds};
use crate::start::error::{AssemblyError, AssemblyOptions};
use crate::start::open::open_loops;
use crate::start::report::Level;
use crate::start::report::RowReport;
use holonom_dae::Rejection;

/// What is left of G v + g_t, relative to the velocities, that is still rounding.
const VELOCITY_TOLERANCE: f64 = 1e-9;

/// What is less, on the same scale, is rounding of numbers with all digits.
const ROUNDING: f64 = 1e-13;

/// Velocities that move by more than so many times what is left of them are not rounded off.
const FAR: f64 = 100.0;

impl StartProblem {
    /// Makes velocities fit.
    pub(in crate::start) fn fit_velocities(
        &mut self,
        q: &[f64],
        v: &mut [f64],
        chosen: &RowReport,
        options: &AssemblyOptions,
    ) -> Result<(), AssemblyError> {
        let all: Vec<usize> = (0..self.own).collect();
        let level = Level::Velocity;
        let rates = self.closure.velocity_gaps(q, &vec![0.0; v.len()]);
        let rates = self.closure.largest_gap(&rates, &all);
        if !options.assemble {
            let rest = self.closure.velocity_gaps(q, v);
            let size = 1.0 + self.closure.largest_step(v) + rates;
            let tolerance = options.check_tolerance.max(chosen.noise_at_start) * size;
            let loops = open_loops(&self.closure, &rest, &all, level, tolerance);
            return if loops.is_empty() {
                Ok(())
            } else {
                Err(AssemblyError::Inconsistent { level, loops })
            };
        }
        let mut targets = vec![0.0; self.closure.model.rows.len()];
        for value in self
            .values
            .iter()
            .chain(&self.hints)
            .filter(|value| value.start.rate)
        {
            targets[value.rows.clone()].copy_from_slice(&value.start.values);
        }
        let given = v.to_vec();
        let rejected = AssemblyError::Rejected;
        let everywhere: Vec<usize> = (0..self.parts.len()).collect();
        let hinted = self.hints.iter().filter(|hint| hint.start.rate);
        let hinted: Vec<usize> = hinted.flat_map(|hint| hint.rows.clone()).collect();
        if !hinted.is_empty() {
            self.hold(1, &everywhere, Tier::Kept);
            self.free_untouched(1);
            self.closure
                .project_velocities(q, v, &hinted, &targets)
                .map_err(rejected)?;
        }
        let mut tiers = vec![Tier::Kept; self.parts.len()];
        let guess = v.to_vec();
        loop {
            v.copy_from_slice(&guess);
            self.hold_tiers(1, &tiers);
            let mut rows = chosen.active.clone();
            let mut rough = rows.clone();
            for (p, &tier) in tiers.iter().enumerate() {
                rows.extend(self.value_rows(p, true, |hold| counts(hold, tier)));
                rough.extend(self.value_rows(p, true, |hold| hold != Hold::Free));
            }
            if rough.len() > rows.len() {
                self.closure
                    .project_velocities(q, v, &rough, &targets)
                    .map_err(rejected)?;
            }
            let mut rest = self
                .closure
                .project_velocities(q, v, &rows, &targets)
                .map_err(rejected)?;
            // Values of cut joints that do not count leave nothing to satisfy.
            for i in self.own..rest.len() {
                if !rows.contains(&i) {
                    rest[i] = 0.0;
                }
            }
            let size = 1.0 + self.closure.largest_step(v) + rates;
            let exact = VELOCITY_TOLERANCE * size;
            let open = |i: usize, closure: &Closure| {
                let limit = match chosen.active.binary_search(&i).is_ok() || i >= self.own {
                    true => exact,
                    false => exact.max(chosen.noise_at_start * size),
                };
                exceeds(rest[i] / closure.gap_scale[i], limit)
            };
            let mut raised = false;
            let mut broken = None;
            for p in 0..self.parts.len() {
                let own = self.parts[p].rows.iter().copied();
                let values = self.value_rows(p, true, |hold| counts(hold, tiers[p]));
                if !own.chain(values).any(|i| open(i, &self.closure)) {
                    continue;
                }
                match tiers[p] {
                    Tier::Kept => (tiers[p], raised) = (Tier::Least, true),
                    _ => broken = broken.or(Some(p)),
                }
            }
            if raised {
                continue;
            }
            let Some(p) = broken else {
                if self.closure.largest_gap(&rest, &rows) > ROUNDING * size {
                    self.round_off(q, v, (&rows, &targets), exact)?;
                }
                return Ok(());
            };
            let loops = open_loops(
                &self.closure,
                &rest,
                &all,
                level,
                exact.max(chosen.noise_at_start * size),
            );
            if self.says(p, 1, Hold::Fixed) && tiers[p] == Tier::Least {
                // What they would have to be.
                let mut freed = guess.clone();
                tiers[p] = Tier::Unfixed;
                self.hold_tiers(1, &tiers);
                let left = self
                    .closure
                    .project_velocities(q, &mut freed, &chosen.active, &targets)
                    .map_err(rejected)?;
                let own = self.parts[p].rows.iter();
                let closed = |i: &usize| {
                    !exceeds(
                        left[*i] / self.closure.gap_scale[*i],
                        exact.max(chosen.noise_at_start * size),
                    )
                };
                if own.clone().all(closed) {
                    let fixed = self.fixed_rates(p, q, &given, &freed);
                    let fixed_rows = self.value_rows(p, true, |hold| hold == Hold::Fixed);
                    let loops = match loops.is_empty() {
                        true => open_loops(&self.closure, &rest, &fixed_rows, level, exact),
                        false => loops,
                    };
                    return Err(AssemblyError::Fixed { level, fixed, loops });
                }
            }
            let loops = match loops.is_empty() {
                // Rows that take part are asked for more.
                true => open_loops(&self.closure, &rest, &chosen.active, level, exact),
                false => loops,
            };
            return Err(AssemblyError::Contradiction { level, loops });
        }
    }

    /// Removes what is left of velocities that fit as well as their digits allow: multipliers would remove it in the first
    /// step as an impulse, and no step is so short that this does not show. Stated velocities move as well.
    fn round_off(
        &mut self,
        q: &[f64],
        v: &mut [f64],
        (rows, targets): (&[usize], &[f64]),
        most: f64,
    ) -> Result<(), AssemblyError> {
        let kept = v.to_vec();
        self.hold_tiers(1, &vec![Tier::Least; self.parts.len()]);
        let projected = self.closure.project_velocities(q, v, rows, targets);
        projected.map_err(AssemblyError::Rejected)?;
        let moved: Vec<f64> = v.iter().zip(&kept).map(|(v, kept)| v - kept).collect();
        // Not where rows hardly depend on the velocities.
        if exceeds(self.closure.largest_step(&moved), FAR * most) {
            v.copy_from_slice(&kept);
        }
        Ok(())
    }

    /// At a singular position, makes the velocities tangent to a branch. Stated ones are kept where a branch allows
    /// it; otherwise the velocities along the branch are as near to them as possible, with no more energy.
    pub(in crate::start) fn follow_branches(
        &mut self,
        q: &[f64],
        v: &mut Vec<f64>,
        given: &[f64],
        chosen: &RowReport,
    ) -> Result<(), Rejection> {
        for p in 0..self.parts.len() {
            let rows = self.parts[p].rows.clone();
            let active: Vec<usize> = rows
                .iter()
                .copied()
                .filter(|i| chosen.active.contains(i))
                .collect();
            let kept = v.clone();
            let is_stated = self.says(p, 1, Hold::Stated) || self.says(p, 1, Hold::Fixed);
            if is_stated {
                self.hold(1, &[p], Tier::Kept);
                let columns = self.parts[p].columns.iter();
                let as_stated = columns
                    .clone()
                    .all(|&j| self.holds[1][j] == Hold::Free || v[j] == given[j]);
                if as_stated && self.closure.follow_branch(&rows, q, v)? {
                    let rest = self.closure.project_velocities(q, v, &active, &[])?;
                    let size = 1.0 + self.closure.largest_step(v);
                    if self.closure.largest_gap(&rest, &active) <= VELOCITY_TOLERANCE * size {
                        continue;
                    }
                }
                v.copy_from_slice(&kept);
            }
            self.hold(1, &[p], Tier::Least);
            self.closure.follow_branch(&rows, q, v)?;
            self.closure.project_velocities(q, v, &active, &[])?;
            if *v == kept {
                continue;
            }
            // Along the branch, as far as the stated velocities reach in the metric of M.
            let standing = self.closure.velocity_gaps(q, &vec![0.0; v.len()]);
            let moves = rows.iter().any(|&i| standing[i] != 0.0);
            let fixed = self.says(p, 1, Hold::Fixed);
            if moves || fixed {
                continue;
            }
            let meant = |j: &usize| !is_stated || self.holds[1][*j] != Hold::Free;
            let columns: Vec<usize> = self.parts[p].columns.iter().copied().filter(meant).collect();
            let [along, square] = [given, v.as_slice()].map(|x| self.closure.product(q, &columns, x, v));
            if square > 0.0 {
                let part = along / square;
                for &j in &self.parts[p].columns {
                    v[j] *= part;
                }
            }
        }
        Ok(())
    }
}
