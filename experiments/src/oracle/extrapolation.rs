//! Integration by extrapolation of the explicit midpoint rule [Hairer, Nørsett, Wanner 1993, §II.9], with order and step size
//! chosen from work, and projection after every step.

use super::{Oracle, State};
use crate::geometry::quaternion_rate;

/// Columns of the table at most.
const COLUMNS: usize = 10;
/// Substeps of its rows.
const SUBSTEPS: [usize; COLUMNS] = [2, 4, 6, 8, 10, 12, 14, 16, 18, 20];
/// Steps of one integration at most.
const STEPS: usize = 40_000;

/// Why an integration did not reach its end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum IntegrationError {
    /// Rows come close to losing rank at this time.
    Singular(f64),
    /// Rows that were not chosen open at this time.
    Opens(f64),
    /// More steps than allowed at this time.
    TooLong(f64),
}

impl std::fmt::Display for IntegrationError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Singular(t) => write!(f, "singular position at t = {t}"),
            Self::Opens(t) => write!(f, "a joint opens at t = {t}"),
            Self::TooLong(t) => write!(f, "too many steps at t = {t}"),
        }
    }
}

impl Oracle {
    fn pack(&self, s: &State) -> Vec<f64> {
        let n = self.bodies();
        let mut y = Vec::with_capacity(13 * n);
        for b in 0..n {
            y.extend(s.r[b]);
            y.extend(s.e[b]);
            y.extend(s.v[b]);
            y.extend(s.w[b]);
        }
        y
    }

    fn unpack(&self, t: f64, y: &[f64], s: &mut State) {
        s.t = t;
        for (b, y) in y.chunks_exact(13).enumerate() {
            s.r[b].copy_from_slice(&y[..3]);
            s.e[b].copy_from_slice(&y[3..7]);
            s.v[b].copy_from_slice(&y[7..10]);
            s.w[b].copy_from_slice(&y[10..]);
        }
        s.update();
    }

    fn slope(&self, t: f64, y: &[f64], s: &mut State, out: &mut [f64]) {
        self.unpack(t, y, s);
        let a = self.accelerations(s);
        for b in 0..self.bodies() {
            let out = &mut out[13 * b..][..13];
            out[..3].copy_from_slice(&s.v[b]);
            let half = s.w[b].map(|x| 0.5 * x);
            out[3..7].copy_from_slice(&quaternion_rate(s.e[b], half));
            out[7..].copy_from_slice(&a[6 * b..][..6]);
        }
    }

    /// What an error in every number of the state counts as one: `rtol` of its size.
    fn weights(&self, rtol: f64) -> Vec<f64> {
        let (size, tau) = (self.size(), self.tau());
        let one = [size, size, size, 1.0, 1.0, 1.0, 1.0];
        let rates = [
            size / tau,
            size / tau,
            size / tau,
            1.0 / tau,
            1.0 / tau,
            1.0 / tau,
        ];
        let body: Vec<f64> = one.into_iter().chain(rates).map(|x| rtol * x).collect();
        body.repeat(self.bodies())
    }

    /// The state at a later time.
    ///
    /// # Errors
    /// Where it cannot go on.
    pub fn integrate(&mut self, start: &State, t_end: f64, rtol: f64) -> Result<State, IntegrationError> {
        self.choose(start);
        self.follow_angles(start);
        let condition = self.mechanism.condition;
        let mut s = start.clone();
        let mut scratch = start.clone();
        let weights = self.weights(rtol);
        let n = weights.len();
        let mut y = self.pack(&s);
        let mut f = vec![0.0; n];
        let mut h = (t_end - s.t).min(0.01 * self.tau());
        let mut target = 5;
        let mut rejected = false;
        for _ in 0..STEPS {
            if s.t >= t_end {
                return Ok(s);
            }
            h = h.min(t_end - s.t);
            let last = h >= (t_end - s.t) * (1.0 - 1e-12);
            if h < 1e-13 * (s.t.abs() + self.tau()) {
                return Err(IntegrationError::Singular(s.t));
            }
            self.slope(s.t, &y, &mut scratch, &mut f);
            let (accepted, next, errors) = self.table(s.t, h, &y, &f, target, rtol, &weights, &mut scratch);
            // Step sizes and work per time for every order.
            let mut best = (f64::INFINITY, h * 0.25, target);
            for (k, error) in errors.iter().enumerate().skip(1) {
                let order = (2 * k + 1) as f64;
                let factor = 0.9 * (0.3 / error.max(1e-30)).powf(1.0 / order);
                let step = h * factor.clamp(0.1, 4.0);
                let work: usize = SUBSTEPS[..=k].iter().sum::<usize>() + 1;
                if work as f64 / step < best.0 {
                    best = (work as f64 / step, step, k);
                }
            }
            let Some(column) = accepted else {
                h = best.1.min(0.5 * h);
                rejected = true;
                target = best.2.max(2);
                continue;
            };
            let t = if last { t_end } else { s.t + h };
            self.unpack(t, &next, &mut scratch);
            let projected = self.project(&scratch, 2);
            if !projected.is_finite() {
                return Err(IntegrationError::Singular(s.t));
            }
            if self.opening(&projected) > 1e-9 {
                // A step that is far off the joints is too large.
                if h > 1e-6 * self.tau() {
                    h *= 0.3;
                    rejected = true;
                    continue;
                }
                return Err(IntegrationError::Opens(s.t));
            }
            s = projected;
            y = self.pack(&s);
            self.follow_angles(&s);
            if self.rank > 0 && self.choose_again(&s) < self.closest * condition.min(1e-1) {
                return Err(IntegrationError::Singular(s.t));
            }
            // An order more where the last one paid.
            let (mut step, mut order) = (best.1, best.2);
            if column == order && order + 1 < COLUMNS && !rejected {
                order += 1;
                step *= 1.1;
            }
            h = if rejected { step.min(h) } else { step };
            rejected = false;
            target = order.clamp(2, COLUMNS - 2);
        }
        Err(IntegrationError::TooLong(s.t))
    }

    /// Extrapolates until the error is small, one column more than aimed at.
    fn table(
        &self,
        t: f64,
        h: f64,
        y: &[f64],
        f: &[f64],
        target: usize,
        rtol: f64,
        weights: &[f64],
        scratch: &mut State,
    ) -> (Option<usize>, Vec<f64>, Vec<f64>) {
        let n = y.len();
        let mut rows: Vec<Vec<f64>> = Vec::new();
        let mut errors = vec![f64::INFINITY];
        for k in 0..(target + 2).min(COLUMNS) {
            let mut value = self.midpoint(t, h, y, f, SUBSTEPS[k], scratch);
            // Aitken and Neville, from the row before.
            let mut before = std::mem::take(&mut rows);
            for j in 0..k {
                let ratio = (SUBSTEPS[k] as f64 / SUBSTEPS[k - j - 1] as f64).powi(2) - 1.0;
                let next: Vec<f64> = (0..n)
                    .map(|i| value[i] + (value[i] - before[j][i]) / ratio)
                    .collect();
                rows.push(std::mem::replace(&mut value, next));
            }
            rows.push(value);
            before.clear();
            if k == 0 {
                continue;
            }
            let (a, b) = (&rows[k], &rows[k - 1]);
            let error = (0..n)
                .map(|i| (a[i] - b[i]).abs() / (weights[i] + rtol * y[i].abs()))
                .fold(
                    0.0,
                    |m, e| if e.is_nan() { f64::INFINITY } else { f64::max(m, e) },
                );
            errors.push(error);
            if error <= 1.0 && k + 1 >= target {
                return (Some(k), rows.swap_remove(k), errors);
            }
        }
        (None, Vec::new(), errors)
    }

    /// The explicit midpoint rule with Gragg's start, without smoothing.
    fn midpoint(&self, t: f64, h: f64, y: &[f64], f: &[f64], m: usize, scratch: &mut State) -> Vec<f64> {
        let step = h / m as f64;
        let mut before = y.to_vec();
        let mut now: Vec<f64> = y.iter().zip(f).map(|(y, f)| y + step * f).collect();
        let mut slope = vec![0.0; y.len()];
        for i in 1..m {
            self.slope(t + i as f64 * step, &now, scratch, &mut slope);
            for k in 0..y.len() {
                let next = before[k] + 2.0 * step * slope[k];
                before[k] = std::mem::replace(&mut now[k], next);
            }
        }
        now
    }

    /// Chooses rows again; how independent the last of them is.
    fn choose_again(&mut self, s: &State) -> f64 {
        self.choose(s);
        self.singular_gap(s)
    }

    /// The smallest singular value that counts, of the largest.
    fn singular_gap(&self, s: &State) -> f64 {
        let values = self.singular_values(s);
        match (
            values.first(),
            self.rank.checked_sub(1).and_then(|k| values.get(k)),
        ) {
            (Some(first), Some(last)) => last / first,
            _ => 1.0,
        }
    }

    /// Turns of joints are counted from here.
    fn follow_angles(&mut self, s: &State) {
        for joint in 0..self.angles.len() {
            for k in 0..self.angles[joint].len() {
                if let Some(value) = self.coordinate_value(s, (joint, k)) {
                    self.angles[joint][k] = value;
                }
            }
        }
    }
}
