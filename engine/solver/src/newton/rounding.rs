//! What rounding does to a solution with the matrices in use.

use super::linearisation::Linearisation;
use super::operator::Placed;
use super::tuning::AMPLIFIED;
use holonom_dae::{Counters, RESERVE, Structure, VariableKind, Weights};
use serde::{Deserialize, Serialize};

/// Accuracy to which rounding lets variables be determined.
pub struct Rounding {
    known: RoundingState,
    is_new: bool,
    /// Usual sizes of positions, zero for other variables and where none is given.
    position_sizes: Vec<f64>,
    /// Noise from which on rounding counts as amplified, where that is watched.
    limit: Option<f64>,
    delta: Vec<f64>,
}

/// What of it later steps depend on.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RoundingState {
    /// Of each variable, from the last evaluation.
    each: Vec<f64>,
    /// What it does to the solution, in units of the tolerance; the most of it since it was found
    /// amplified; none while nothing is known.
    noise: Option<f64>,
}

/// A change of what is known about amplification.
pub(super) struct Amplification {
    /// Noise now, in units of the tolerance.
    pub noise: f64,
    /// From here on it is amplified.
    pub limit: f64,
    /// Whether it is.
    pub amplified: bool,
}

impl Rounding {
    /// Nothing is known yet.
    pub fn new(structure: &Structure) -> Self {
        let n = structure.dimension();
        let size = |v: &holonom_dae::Variable| {
            let position = v.kind == VariableKind::Position;
            v.scale.filter(|_| position).unwrap_or(0.0)
        };
        Self {
            known: RoundingState {
                each: vec![0.0; n],
                noise: None,
            },
            is_new: false,
            position_sizes: structure.variables.iter().map(size).collect(),
            limit: None,
            delta: vec![0.0; n],
        }
    }

    /// Watches whether rounding is amplified, for an iteration to this share of the tolerance.
    pub fn watch(&mut self, share: f64) {
        self.limit = Some(AMPLIFIED * share);
    }

    /// Whether rounding is amplified so much that it disturbs the iteration, as next to singular
    /// positions; yes where nothing is known about it, and no where it is not watched.
    pub fn is_noisy(&self) -> bool {
        let noise = self.known.noise;
        self.limit
            .is_some_and(|limit| noise.is_none_or(|noise| noise >= limit))
    }

    /// Of each variable, from the last evaluation.
    pub fn each(&self) -> &[f64] {
        &self.known.each
    }

    /// The same if there is something new since the last call.
    pub fn take_new(&mut self) -> Option<&[f64]> {
        std::mem::take(&mut self.is_new).then_some(&self.known.each)
    }

    /// Corrections that rounding alone produces with the matrix in use, and that leave room in the error test; zero where
    /// no variable has an index above 1.
    pub fn amplified(&self, weights: &Weights) -> f64 {
        /// Corrections go to and fro by some of what rounding does to the solution.
        const SOME: f64 = 4.0;
        /// Share of the error allowed: that of the lowest tolerance.
        const MOST: f64 = SOME / RESERVE;
        if weights.reserve() < RESERVE {
            return 0.0;
        }
        (SOME * weights.graded_norm(&self.known.each)).min(MOST)
    }

    /// What rounding in the residual does to the solution: J⁻¹ applied to ε times the size of
    /// the terms of each row. Tolerances below that cannot be met (y₃ = 1 − y₁ − y₂ ~ 10⁻¹⁴ is
    /// known to 10⁻¹⁶, whatever is asked for), and insisting would drive the step to zero.
    ///
    /// What is amplified is told by this alone. Tolerances of systems of a higher index take a second sample into account:
    /// terms also come from lengths, which are no unknowns, so that a position counts with its usual size even where it is
    /// zero, and signs alternate, because rounding of one sign everywhere may cancel.
    pub(super) fn estimate<S: Placed>(
        &mut self,
        linearisation: &Linearisation,
        scheme: &mut S,
        counters: &mut Counters,
        weights: &Weights,
    ) -> Option<Amplification> {
        self.sample(linearisation, scheme, counters, false);
        self.known.each.copy_from_slice(&self.delta);
        let noise = weights.graded_norm(&self.known.each);
        if weights.reserve() > 1.0 {
            self.sample(linearisation, scheme, counters, true);
            for (r, d) in self.known.each.iter_mut().zip(&self.delta) {
                *r = r.max(*d);
            }
        }
        self.is_new = true;
        // A matrix that is singular to rounding gives no number; checkpoints need one.
        let noise = if noise.is_finite() { noise } else { f64::MAX };
        let was_known = self.known.noise.is_some();
        let before = self.is_noisy();
        // Once amplified, always: a mechanism that comes near a singular position comes near others.
        let once = self.known.noise.filter(|_| before);
        self.known.noise = Some(once.map_or(noise, |once| once.max(noise)));
        let limit = self.limit?;
        let amplified = self.is_noisy();
        (amplified != before || !was_known).then_some(Amplification {
            noise,
            limit,
            amplified,
        })
    }

    /// delta := twice what rounding does to each variable, in one of two samples.
    fn sample<S: Placed>(
        &mut self,
        linearisation: &Linearisation,
        scheme: &mut S,
        counters: &mut Counters,
        second: bool,
    ) {
        let (_, y, yp) = scheme.place();
        let (delta, sizes) = (&mut self.delta, &self.position_sizes);
        delta.fill(0.0);
        let parts = linearisation.parts();
        parts.f_y.for_each(|i, j, v| {
            let size = if second {
                y[j].abs().max(sizes[j])
            } else {
                y[j].abs()
            };
            delta[i] += v.abs() * size;
        });
        parts.f_yp.for_each(|i, j, v| delta[i] += (v * yp[j]).abs());
        let scales = linearisation.scaling.scales();
        for (k, (d, s)) in delta.iter_mut().zip(&scales.rows).enumerate() {
            let sign = if second && k % 2 == 1 { -1.0 } else { 1.0 };
            *d *= sign * f64::EPSILON * s;
        }
        scheme.operator().solve_roughly(delta);
        counters.solves += 1;
        for (d, s) in delta.iter_mut().zip(&scales.columns) {
            *d = 2.0 * (*d * s).abs();
        }
    }

    /// What later steps depend on.
    pub fn checkpoint(&self) -> RoundingState {
        self.known.clone()
    }

    /// Takes back what [`checkpoint`](Self::checkpoint) gave.
    pub fn restore(&mut self, state: &RoundingState) {
        self.known.clone_from(state);
        self.is_new = true;
    }
}
