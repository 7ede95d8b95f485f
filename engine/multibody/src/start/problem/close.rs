//! Positions: loops are closed, stated values first, each joint on the branch that it means.

use super::{StartProblem, Tier, counts};
use crate::description::Hold;
use crate::start::border::Border;
use crate::start::closure::{exceeds, moved};
use crate::start::error::{AssemblyError, AssemblyOptions};
use crate::start::open::open_loops;
use crate::start::redundancy::Random;
use crate::start::report::Level;
use crate::start::report::RowReport;

/// So many other starts reach one radian, or the mechanism's size, farther.
const FARTHER: f64 = 12.0;

/// Gap of a value of a cut joint that counts as kept.
const VALUE: f64 = 1e-10;

/// Movement of stated values, rad or parts of the mechanism's size, by which a position must be nearer to be preferred.
const NEARER: f64 = 1e-9;

/// Stated values that move by less, in the same measure, miss the loops by rounding; those that move by more contradict
/// them, and the position does not depend on how the search with stated values kept went.
const ROUNDED: f64 = 0.05;

/// Gap at which a hint is followed well enough.
const HINTED: f64 = 1e-6;

/// What a closed joint may miss of the cosine 1.
const MEANT: f64 = 0.5;

impl StartProblem {
    /// Closes all loops as well as the data allow. Gives the largest gap.
    pub(in crate::start) fn close(
        &mut self,
        q: &mut Vec<f64>,
        options: &AssemblyOptions,
    ) -> Result<f64, AssemblyError> {
        let all = self.closure.holonomic();
        let all: Vec<usize> = all.into_iter().filter(|&i| i < self.own).collect();
        let enough = Border::new(options.data_precision).enough();
        if !options.assemble {
            return self.check(q, &all, options.check_tolerance, enough);
        }
        self.follow_hints(q, Tier::Kept);
        let given = q.clone();
        let mut open: Vec<usize> = (0..self.parts.len()).collect();
        // Where parts are closed best with stated values kept.
        let mut nearly = given.clone();
        let mut is_nearly_closed = vec![false; self.parts.len()];
        for tier in [Tier::Kept, Tier::Least] {
            let (mut now, mut later): (Vec<usize>, Vec<usize>) = (open, Vec::new());
            if tier == Tier::Kept {
                (now, later) = now.into_iter().partition(|&p| self.says(p, 0, Hold::Stated));
            }
            if now.is_empty() {
                open = later;
                continue;
            }
            let mut there = given.clone();
            if tier == Tier::Least {
                self.follow_hints(&mut there, tier);
            }
            let from = there.clone();
            self.hold(0, &now, tier);
            let rows = self.rows_of(&now, tier, false);
            let _ = self.closure.close(&mut there, &rows, options.tolerance, enough);
            let mut left = Vec::new();
            let mut moved = Vec::new();
            let gaps = self.closure.gaps(&there);
            for &p in &now {
                if self.is_closed_with(p, (&there, &gaps), tier, (options.tolerance, enough)) {
                    self.take(p, &there, q);
                    self.released[p] = tier == Tier::Least && self.says(p, 0, Hold::Stated);
                    moved.push(p);
                } else {
                    left.push(p);
                }
            }
            for p in left {
                match self.close_alone(p, &from, tier, enough, options) {
                    Ok(there) => {
                        self.take(p, &there, q);
                        self.released[p] = tier == Tier::Least && self.says(p, 0, Hold::Stated);
                        moved.push(p);
                    }
                    Err(best) if tier == Tier::Kept => {
                        self.take(p, &best, &mut nearly);
                        is_nearly_closed[p] = true;
                        later.push(p);
                    }
                    Err(best) => {
                        let begin = is_nearly_closed[p].then_some(&nearly);
                        let there = begin.map(|nearly| self.close_from(&[p], nearly, enough, options));
                        let closed = |q: &Vec<f64>| self.is_closed(p, q, tier, (options.tolerance, enough));
                        let Some(there) = there.filter(closed) else {
                            return Err(self.cannot(p, &from, &best, enough, options));
                        };
                        self.take(p, &there, q);
                        self.released[p] = true;
                    }
                }
            }
            if tier == Tier::Least {
                moved.retain(|&p| is_nearly_closed[p]);
                self.keep_nearest(&moved, (&given, &nearly), q, enough, options);
            }
            open = later;
        }
        let gaps = self.closure.gaps(q);
        Ok(self.closure.largest_gap(&gaps, &all))
    }

    /// Closes parts from where they were closed best with stated values kept: stated values that are rounded, or miss the
    /// loops by little, move by little then, however far the other values are from where they belong.
    fn close_from(
        &mut self,
        parts: &[usize],
        nearly: &[f64],
        enough: f64,
        options: &AssemblyOptions,
    ) -> Vec<f64> {
        let mut there = nearly.to_vec();
        self.hold(0, parts, Tier::Least);
        let rows = self.rows_of(parts, Tier::Least, false);
        let _ = self.closure.close(&mut there, &rows, options.tolerance, enough);
        there
    }

    /// Prefers positions closed from `nearly` where stated values move less, and by no more than rounding.
    fn keep_nearest(
        &mut self,
        parts: &[usize],
        (given, nearly): (&[f64], &[f64]),
        q: &mut [f64],
        enough: f64,
        options: &AssemblyOptions,
    ) {
        if parts.is_empty() {
            return;
        }
        // All at once, which costs little more than one; those that this leaves open by themselves.
        let together = self.close_from(parts, nearly, enough, options);
        let gaps = self.closure.gaps(&together);
        for &p in parts {
            let limits = (options.tolerance, enough);
            let alone = (!self.is_closed_with(p, (&together, &gaps), Tier::Least, limits))
                .then(|| self.close_from(&[p], nearly, enough, options));
            let there = alone.as_ref().unwrap_or(&together);
            if (alone.is_none() || self.is_closed(p, there, Tier::Least, limits))
                && self.stated_moves(p, given, there) < ROUNDED.min(self.stated_moves(p, given, q))
            {
                self.take(p, there, q);
            }
        }
    }

    /// How far the stated values of a part moved: rad, or parts of the mechanism's size.
    fn stated_moves(&mut self, p: usize, from: &[f64], to: &[f64]) -> f64 {
        let nodes = self.closure.model.tree.nodes.iter();
        let stated = nodes.filter(|node| {
            node.n_v() > 0 && self.parts[p].columns.contains(&node.v) && self.holds[0][node.v] == Hold::Stated
        });
        let moves = stated.flat_map(|node| {
            let own = node.q..node.q + node.n_q();
            let unit = self.closure.unit[node.v];
            own.map(move |i| ((to[i] - from[i]) / unit).abs())
        });
        let most = moves.fold(0.0, f64::max);
        let values = self.value_rows(p, false, |hold| hold == Hold::Stated);
        if values.is_empty() {
            return most;
        }
        let gaps = self.closure.gaps(to);
        most.max(self.closure.largest_gap(&gaps, &values))
    }

    /// Without assembly, positions fit or they are refused.
    pub(super) fn check(
        &mut self,
        q: &[f64],
        all: &[usize],
        tolerance: f64,
        enough: f64,
    ) -> Result<f64, AssemblyError> {
        let gaps = self.closure.gaps(q);
        let gap = self.closure.largest_gap(&gaps, all);
        let misfit = self.closure.largest_misfit(&gaps, all);
        if exceeds(misfit, tolerance.max(enough)) {
            return Err(AssemblyError::Inconsistent {
                level: Level::Position,
                loops: open_loops(&self.closure, &gaps, all, Level::Position, tolerance),
            });
        }
        let parts: Vec<usize> = (0..self.parts.len()).collect();
        match self.turned_over(&parts, q) {
            joints if joints.is_empty() => Ok(gap),
            joints => Err(AssemblyError::TurnedOver { joints }),
        }
    }

    /// Closes a part by itself, from other starts as well when it does not go from the given one; the
    /// best of what was found where it stays open.
    pub(super) fn close_alone(
        &mut self,
        p: usize,
        from: &[f64],
        tier: Tier,
        enough: f64,
        options: &AssemblyOptions,
    ) -> Result<Vec<f64>, Vec<f64>> {
        self.hold(0, &[p], tier);
        if self.closure.freedom.iter().all(|freedom| *freedom == 0.0) {
            return Err(from.to_vec());
        }
        let rows = self.rows_of(&[p], tier, false);
        let twins = self.rows_of(&[p], tier, true);
        let rough = match tier {
            Tier::Kept => Vec::new(),
            _ => self.with_stated(p, &twins),
        };
        let mut best: Option<(f64, Vec<f64>)> = None;
        let mut random = Random(3);
        for start in 0..=options.other_starts {
            // Farther and farther away.
            let far = start as f64 / FARTHER;
            let mut step: Vec<f64> = self
                .closure
                .unit
                .iter()
                .map(|unit| unit * random.next())
                .collect();
            let held = step.iter_mut().zip(&self.closure.freedom);
            held.filter(|(_, freedom)| **freedom == 0.0)
                .for_each(|(x, _)| *x = 0.0);
            let there = moved(&self.closure.model, from, &step, far);
            // Where stated values leave too little, no other start closes it.
            if start > 0 && tier == Tier::Kept {
                let free = self.closure.linearise(&there).is_ok() && self.closure.is_free_enough(&rows);
                if !free {
                    break;
                }
            }
            for way in 0..3 {
                let mut there = there.clone();
                match way {
                    // What the rows of cut joints say counts as a guess.
                    0 if rough.is_empty() => continue,
                    0 => {
                        let _ = self.closure.close(&mut there, &rough, options.tolerance, enough);
                    }
                    1 => {}
                    _ if twins == rows => continue,
                    _ => {
                        let _ = self.closure.close(&mut there, &twins, options.tolerance, enough);
                    }
                }
                let _ = self.closure.close(&mut there, &rows, options.tolerance, enough);
                if self.is_closed(p, &there, tier, (options.tolerance, enough)) {
                    return Ok(there);
                }
                let gaps = self.closure.gaps(&there);
                // All of it, not the largest row: gaps turn with the axes they are measured in.
                let gap = rows
                    .iter()
                    .map(|&i| (gaps[i] / self.closure.gap_scale[i]).powi(2));
                let gap = gap.sum::<f64>();
                let gap = if gap.is_finite() { gap } else { f64::INFINITY };
                if best.as_ref().is_none_or(|(least, _)| gap < *least) {
                    best = Some((gap, there));
                }
            }
        }
        Err(best.map_or_else(|| from.to_vec(), |(_, q)| q))
    }

    /// Why a part does not close; `best` is where its gaps are smallest.
    pub(super) fn cannot(
        &mut self,
        p: usize,
        from: &[f64],
        best: &[f64],
        enough: f64,
        options: &AssemblyOptions,
    ) -> AssemblyError {
        let gaps = self.closure.gaps(best);
        let rows = self.parts[p].holonomic.clone();
        let mut loops = open_loops(&self.closure, &gaps, &rows, Level::Position, options.tolerance);
        if self.says(p, 0, Hold::Fixed)
            && let Ok(there) = self.close_alone(p, from, Tier::Unfixed, enough, options)
        {
            let fixed = self.fixed_changes(p, from, &there);
            if loops.is_empty() {
                // The loops are closed; a value of a cut joint is not as it should.
                let values = self.value_rows(p, false, |hold| hold == Hold::Fixed);
                loops = open_loops(&self.closure, &gaps, &values, Level::Position, options.tolerance);
            }
            let level = Level::Position;
            return AssemblyError::Fixed { level, fixed, loops };
        }
        let joints = self.turned_over(&[p], best);
        let misfit = self.closure.largest_misfit(&gaps, &rows);
        if misfit <= enough && !joints.is_empty() {
            return AssemblyError::TurnedOver { joints };
        }
        AssemblyError::CannotClose { loops }
    }

    /// Closes the rows that take part, where all of them together cannot be closed: from the given positions,
    /// so that the start moves no farther than it must, or from those where all are nearly closed.
    pub(in crate::start) fn close_chosen(
        &mut self,
        given: &[f64],
        q: &mut Vec<f64>,
        rows: &RowReport,
        options: &AssemblyOptions,
    ) -> Result<(), AssemblyError> {
        let all = self.closure.holonomic();
        let all: Vec<usize> = all.into_iter().filter(|&i| i < self.own).collect();
        let kept: Vec<usize> = all
            .iter()
            .copied()
            .filter(|row| rows.active.contains(row))
            .collect();
        if !options.assemble {
            let gaps = self.closure.gaps(q);
            let level = Level::Position;
            let loops = open_loops(&self.closure, &gaps, &kept, level, options.check_tolerance);
            return if loops.is_empty() {
                Ok(())
            } else {
                Err(AssemblyError::Inconsistent { level, loops })
            };
        }
        let enough = Border::new(options.data_precision).enough().max(rows.noise);
        let parts: Vec<usize> = (0..self.parts.len()).collect();
        for released in [false, true] {
            let mut with_values = kept.clone();
            for p in 0..self.parts.len() {
                let tier = if released || self.released[p] {
                    Tier::Least
                } else {
                    Tier::Kept
                };
                with_values.extend(self.value_rows(p, false, |hold| counts(hold, tier)));
            }
            let mut hinted = given.to_vec();
            self.follow_hints(&mut hinted, if released { Tier::Least } else { Tier::Kept });
            self.freedom_to_close(released);
            let mut best: Option<(f64, Vec<f64>)> = None;
            for mut there in [hinted, q.clone()] {
                let closed =
                    self.closure
                        .close(&mut there, &with_values, options.tolerance, options.tolerance);
                if closed.is_err() {
                    continue;
                }
                let gaps = self.closure.gaps(&there);
                if self.closure.largest_misfit(&gaps, &all) > enough
                    || !self.turned_over(&parts, &there).is_empty()
                {
                    continue;
                }
                let moves = parts.iter().map(|&p| self.stated_moves(p, given, &there));
                let moves = moves.fold(0.0, f64::max);
                if best.as_ref().is_none_or(|(least, _)| moves + NEARER < *least) {
                    best = Some((moves, there));
                }
            }
            if let Some((_, there)) = best {
                *q = there;
                return Ok(());
            }
        }
        // Next to a singular position errors of the data may leave no position that closes even these.
        if rows.singular_start {
            return Ok(());
        }
        // Fixed values that miss the loops by little: they are to blame, not the loops.
        for p in 0..self.parts.len() {
            if self.says(p, 0, Hold::Fixed)
                && let error @ AssemblyError::Fixed { .. } = self.cannot(p, given, q, enough, options)
                && let AssemblyError::Fixed { fixed, .. } = &error
                && !fixed.is_empty()
            {
                return Err(error);
            }
        }
        let gaps = self.closure.gaps(q);
        Err(AssemblyError::CannotClose {
            loops: open_loops(&self.closure, &gaps, &all, Level::Position, options.tolerance),
        })
    }

    /// Lets values move to close the rows that take part: stated ones in parts where they moved already, or in all.
    fn freedom_to_close(&mut self, released: bool) {
        let parts: Vec<usize> = (0..self.parts.len()).collect();
        self.hold(0, &parts, if released { Tier::Least } else { Tier::Kept });
        for j in 0..self.closure.freedom.len() {
            let p = self.parts.iter().position(|p| p.columns.contains(&j));
            if !released && p.is_some_and(|p| self.released[p]) && self.holds[0][j] == Hold::Stated {
                self.closure.freedom[j] = 1.0;
            }
        }
    }

    /// Moves what is not stated to where the hints want it.
    pub(super) fn follow_hints(&mut self, q: &mut Vec<f64>, tier: Tier) {
        let hinted = self.hints.iter().filter(|hint| !hint.start.rate);
        let rows: Vec<usize> = hinted.flat_map(|hint| hint.rows.clone()).collect();
        if rows.is_empty() {
            return;
        }
        let parts: Vec<usize> = (0..self.parts.len()).collect();
        self.hold(0, &parts, tier);
        self.free_untouched(0);
        // As near as it goes: a hint is no condition.
        let _ = self.closure.close(q, &rows, HINTED, HINTED);
        // Then with the loops: what the hints are not about follows.
        let mut both = self.rows_of(&parts, tier, true);
        both.extend(rows);
        let _ = self.closure.close(q, &both, HINTED, HINTED);
    }

    /// Whether a part is closed on the branch that its joints mean, as well as the data allow.
    pub(super) fn is_closed(&mut self, p: usize, q: &[f64], tier: Tier, limits: (f64, f64)) -> bool {
        let gaps = self.closure.gaps(q);
        self.is_closed_with(p, (q, &gaps), tier, limits)
    }

    /// The same with the gaps of all rows there.
    fn is_closed_with(
        &mut self,
        p: usize,
        (q, gaps): (&[f64], &[f64]),
        tier: Tier,
        (tolerance, enough): (f64, f64),
    ) -> bool {
        let rows = self.rows_of(&[p], tier, false);
        let gap = self.closure.largest_gap(gaps, &rows);
        let misfit = self.closure.largest_misfit(gaps, &rows);
        if exceeds(misfit, enough) || !self.turned_over(&[p], q).is_empty() {
            return false;
        }
        if gap <= tolerance.max(self.closure.rounding) || tier != Tier::Kept {
            // Values of cut joints count to rounding.
            let values = self.value_rows(p, false, |hold| counts(hold, tier));
            return self.closure.largest_gap(gaps, &values) <= VALUE.max(self.closure.rounding);
        }
        // What is left comes from the data only where stated values leave enough freedom.
        self.closure.linearise(q).is_ok() && self.closure.is_free_enough(&rows)
    }

    /// Joints that are closed, but turned over: axes opposite, or a screw half a turn off.
    pub(super) fn turned_over(&mut self, parts: &[usize], q: &[f64]) -> Vec<String> {
        self.closure.place(q);
        let model = self.closure.model.clone();
        let constraints = parts.iter().flat_map(|&p| &self.parts[p].branched);
        let mut over = Vec::new();
        for &c in constraints {
            if exceeds(1.0 - self.closure.work.branch(&model, c), MEANT) {
                over.push(model.constraints[c].name.clone());
            }
        }
        over
    }

    /// Takes the positions of a part.
    pub(super) fn take(&self, p: usize, from: &[f64], to: &mut [f64]) {
        for node in self.closure.model.tree.nodes.iter().filter(|node| node.n_v() > 0) {
            if self.parts[p].columns.contains(&node.v) {
                let own = node.q..node.q + node.n_q();
                to[own.clone()].copy_from_slice(&from[own]);
            }
        }
    }
}
