//! Closing loops, and keeping velocities on the branch they follow.

use super::*;

impl Closure {
    /// Moves q until g of the given rows vanishes, each step the smallest in the metric of M; gives the
    /// largest gap. Rows that conflict with each other are closed as well as they allow: gaps up to `enough`
    /// are taken where no more progress is made, or only by moving far along rows that hardly depend on q.
    pub fn close(
        &mut self,
        q: &mut Vec<f64>,
        rows: &[usize],
        tolerance: f64,
        enough: f64,
    ) -> Result<f64, Stuck> {
        let tolerance = tolerance.max(self.rounding);
        let enough = enough.max(tolerance);
        let mut gaps = self.gaps(q);
        let mut gap = self.largest_gap(&gaps, rows);
        let (mut extra, mut slow) = (0.0, 0);
        for _ in 0..MAXIMUM_ITERATIONS {
            if gap == 0.0 {
                return Ok(gap);
            }
            let misfit = self.largest_misfit(&gaps, rows);
            let (closed, near) = (gap <= tolerance, misfit <= enough);
            let failed = if near { Ok(gap) } else { Err(Stuck) };
            if slow > if near { 2 } else { 10 } || self.linearise(q).is_err() {
                return failed;
            }
            let merit = self.merit(&gaps, rows);
            let open = |a: f64, i: &usize| a.max((gaps[*i] / self.overall[*i]).abs());
            let damping = GAP_DAMPING * rows.iter().fold(0.0, open).min(1.0).powi(2) + extra;
            let negative: Vec<f64> = gaps.iter().map(|g| -g).collect();
            let mut step = self.solve(rows, &negative, damping);
            let size = self.largest_step(&step);
            if size == 0.0 || !size.is_finite() {
                return failed;
            }
            if near && !closed && size > FARTHEST * misfit {
                return Ok(gap);
            }
            let limit = (LARGEST_STEP / size).min(1.0);
            step.iter_mut().for_each(|x| *x *= limit);
            let mut accepted = None;
            let mut part = 1.0;
            for _ in 0..8 {
                let next = moved(&self.model, q, &step, part);
                let gaps = self.gaps(&next);
                let reduced = self.merit(&gaps, rows);
                if reduced < merit * (1.0 - 1e-4 * part) {
                    accepted = Some((next, gaps, reduced));
                    break;
                }
                part *= 0.5;
            }
            match accepted {
                // At the end: only while it still pays.
                Some((_, _, reduced)) if closed && reduced > 0.1 * merit => return Ok(gap),
                Some((next, g, reduced)) => {
                    slow = if reduced > 0.9 * merit { slow + 1 } else { 0 };
                    extra *= 0.1;
                    *q = next;
                    gaps = g;
                    gap = self.largest_gap(&gaps, rows);
                }
                None if near => return Ok(gap),
                None if extra < 1.0 => extra = (extra * 100.0).max(1e-6),
                None => return Err(Stuck),
            }
        }
        if self.largest_misfit(&gaps, rows) <= enough {
            Ok(gap)
        } else {
            Err(Stuck)
        }
    }

    /// Σ (g/D⁻¹)², the function that closing reduces; infinite when it is no number.
    fn merit(&self, gaps: &[f64], rows: &[usize]) -> f64 {
        let sum: f64 = rows.iter().map(|&i| (gaps[i] / self.natural[i]).powi(2)).sum();
        if sum.is_finite() { sum } else { f64::INFINITY }
    }

    /// Changes v, the least in the metric of M, until G v + g_t is as it should in the given rows as well as they
    /// allow; gives what is left, all rows.
    pub fn project_velocities(
        &mut self,
        q: &[f64],
        v: &mut [f64],
        rows: &[usize],
        targets: &[f64],
    ) -> Result<Vec<f64>, Rejection> {
        if !rows.is_empty() {
            self.linearise(q)?;
        }
        let left = |closure: &mut Self, v: &[f64]| {
            let mut rest = closure.velocity_gaps(q, v);
            rest.iter_mut().zip(targets).for_each(|(rest, to)| *rest -= to);
            rest
        };
        let mut rest = left(self, v);
        for _ in 0..PROJECTIONS {
            let before = self.largest_gap(&rest, rows);
            if before == 0.0 || !before.is_finite() {
                break;
            }
            let negative: Vec<f64> = rest.iter().map(|g| -g).collect();
            let step = self.solve(rows, &negative, 0.0);
            let next: Vec<f64> = v.iter().zip(&step).map(|(v, s)| v + s).collect();
            let after = left(self, &next);
            if exceeds(self.largest_gap(&after, rows), PROGRESS * before) {
                break;
            }
            v.copy_from_slice(&next);
            rest = after;
        }
        Ok(rest)
    }

    /// At a singular position, changes v until it is tangent to a branch: accelerations exist only if
    /// z·γ(v) = 0 for all z with Gᵀz = 0. Newton's method; z·γ is quadratic in v, so that central
    /// differences are exact. Where there is no branch, v tends to zero.
    ///
    /// Only the given rows, and velocities that are not held. Gives whether v is tangent in the end.
    pub fn follow_branch(&mut self, rows: &[usize], q: &[f64], v: &mut [f64]) -> Result<bool, Rejection> {
        let n = v.len();
        self.linearise(q)?;
        let gaps = self.gaps(q);
        let holonomic = |i: &usize| self.model.rows[*i].level == RowLevel::Holonomic;
        let closed: Vec<usize> = rows.iter().copied().filter(holonomic).collect();
        let gap = self.largest_misfit(&gaps, &closed);
        let qr = self.dependence(rows, &vec![0; rows.len()], gap);
        let null = self.null_vectors(rows, &qr);
        let begin = self.largest_step(v);
        for _ in 0..100 {
            let here = self.curvature(rows, q, v, &null);
            let open: Vec<usize> = (0..null.len())
                .filter(|&k| exceeds(here[k].0, 1e-12 * here[k].1))
                .collect();
            if open.is_empty() {
                return Ok(true);
            }
            if self.largest_step(v) <= 1e-9 * begin {
                break;
            }
            let mut slopes = vec![vec![0.0; n]; open.len()];
            for j in self
                .blocks
                .iter()
                .flat_map(|block| &block.columns)
                .copied()
                .collect::<Vec<_>>()
            {
                let kept = v[j];
                let [up, down] = [begin, -begin].map(|d| {
                    v[j] = kept + d;
                    self.curvature(rows, q, v, &null)
                });
                v[j] = kept;
                for (slope, &k) in slopes.iter_mut().zip(&open) {
                    slope[j] = (up[k].0 - down[k].0) / (2.0 * begin);
                }
            }
            let gaps = self.velocity_gaps(q, v);
            let mut bends = Vec::new();
            for (slope, &k) in slopes.iter().zip(&open) {
                // z has entries in one block only, and what curves its rows moves there.
                let row = null[k].iter().position(|z| *z != 0.0).map(|place| rows[place]);
                let Some(number) = row.and_then(|row| self.block_of[row]) else {
                    continue;
                };
                let block = &self.blocks[number];
                let free = |&j: &usize| if self.freedom[j] == 0.0 { 0.0 } else { slope[j] };
                let mut slope: Vec<f64> = block.columns.iter().map(free).collect();
                block.forward(&mut slope);
                let length = positive(dot(&slope, &slope).sqrt());
                slope.iter_mut().for_each(|x| *x /= length);
                bends.push((number, slope, -here[k].0 / length));
            }
            let own = |&i: &usize| {
                Some((
                    self.block_of[i]?,
                    self.b[i].as_slice(),
                    -gaps[i] / self.natural[i],
                ))
            };
            let mut own: Vec<_> = rows.iter().filter_map(own).collect();
            own.extend(
                bends
                    .iter()
                    .map(|(number, slope, right)| (*number, slope.as_slice(), *right)),
            );
            let step = self.solve_rows(&own, rows.len() + bends.len(), 0.0);
            v.iter_mut().zip(&step).for_each(|(v, s)| *v += s);
        }
        Ok(false)
    }

    /// z·γ for each z, with the sum of the magnitudes of its terms.
    fn curvature(&mut self, rows: &[usize], q: &[f64], v: &[f64], null: &[Vec<f64>]) -> Vec<(f64, f64)> {
        let gamma = self.acceleration_gaps(q, v, &vec![0.0; v.len()]);
        let scale = &self.gap_scale;
        let sums = |z: &Vec<f64>| {
            let terms = || z.iter().zip(rows).map(|(z, &i)| z * gamma[i] / scale[i]);
            (terms().sum(), terms().map(f64::abs).sum())
        };
        null.iter().map(sums).collect()
    }
}

/// The positions after moving with velocities `x` for the time `part`: exact for turns about fixed
/// axes and for balls with constant angular velocity.
pub(in crate::start) fn moved(model: &Model, q: &[f64], x: &[f64], part: f64) -> Vec<f64> {
    let mut out = q.to_vec();
    for node in model.tree.nodes.iter().filter(|node| node.n_v() > 0) {
        if node.kind != NodeKind::Ball {
            out[node.q] += part * x[node.v];
            continue;
        }
        let w = Vec3([0, 1, 2].map(|k| part * x[node.v + k]));
        let angle = w.norm();
        // sin(φ/2)/φ.
        let k = if angle > 1e-8 {
            (0.5 * angle).sin() / angle
        } else {
            0.5
        };
        let (c, s) = ((0.5 * angle).cos(), w.scale(k));
        let e = &q[node.q..node.q + 4];
        let new = [
            e[0] * c - e[1] * s[0] - e[2] * s[1] - e[3] * s[2],
            e[0] * s[0] + e[1] * c + e[2] * s[2] - e[3] * s[1],
            e[0] * s[1] + e[2] * c + e[3] * s[0] - e[1] * s[2],
            e[0] * s[2] + e[3] * c + e[1] * s[1] - e[2] * s[0],
        ];
        let length = new.iter().map(|x| x.square()).sum::<f64>().sqrt();
        for (o, x) in out[node.q..node.q + 4].iter_mut().zip(new) {
            *o = x / length;
        }
    }
    out
}
