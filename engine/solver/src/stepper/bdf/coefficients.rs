//! Coefficients of the fixed-leading-coefficient BDF on variable steps
//! [Brenan, Campbell, Petzold 1996, §5.2.1].
//!
//! The history is kept in modified divided differences φ₁ … φ_{k+2}; on constant steps
//! φ_{j+1} = ∇ʲy. Arrays are indexed from 0: `psi[0]` is ψ₁.

use serde::{Deserialize, Serialize};

/// Highest order.
pub const MAX_ORDER: usize = 5;
/// Columns of the history: k + 2 for the highest order.
pub const COLUMNS: usize = MAX_ORDER + 2;

/// Coefficients of one step.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Coefficients {
    /// ψ_i = t_{n+1} − t_{n+1−i}.
    pub psi: [f64; COLUMNS],
    /// α_i = h/ψ_i.
    pub alpha: [f64; COLUMNS],
    /// β_i: factors that carry φ over to the new step.
    pub beta: [f64; COLUMNS],
    /// σ_i: factors of the error estimates.
    pub sigma: [f64; COLUMNS],
    /// γ_i: derivatives of the predictor polynomial.
    pub gamma: [f64; COLUMNS],
    /// Steps in a row with the same size and order, counted up to k + 2.
    pub constant_steps: usize,
    /// α of ẏ = α y + β: the leading coefficient over h.
    pub leading: f64,
    /// Factor of the error test: covers local and interpolation error.
    pub error_constant: f64,
}

/// Σ_{i=1}^{k} 1/i.
fn harmonic(k: usize) -> f64 {
    const H: [f64; MAX_ORDER + 1] = [0.0, 1.0, 1.5, 11.0 / 6.0, 25.0 / 12.0, 137.0 / 60.0];
    H[k]
}

impl Coefficients {
    /// Coefficients for a step of size `h` at order `k` after one of `h_last` at `k_last`.
    /// Returns the range of φ columns that must be multiplied by their β.
    pub fn advance(&mut self, h: f64, k: usize, h_last: f64, k_last: usize) -> std::ops::Range<usize> {
        if h != h_last || k != k_last {
            self.constant_steps = 0;
        }
        self.constant_steps = (self.constant_steps + 1).min(k_last + 2);
        if k + 1 >= self.constant_steps {
            self.beta[0] = 1.0;
            self.alpha[0] = 1.0;
            self.gamma[0] = 0.0;
            self.sigma[0] = 1.0;
            let mut psi_new = h;
            for i in 1..=k {
                let psi_old = self.psi[i - 1];
                self.psi[i - 1] = psi_new;
                self.beta[i] = self.beta[i - 1] * self.psi[i - 1] / psi_old;
                psi_new = psi_old + h;
                self.alpha[i] = h / psi_new;
                self.sigma[i] = i as f64 * self.sigma[i - 1] * self.alpha[i];
                self.gamma[i] = self.gamma[i - 1] + self.alpha[i - 1] / h;
            }
            self.psi[k] = psi_new;
        }
        let alpha_s = -harmonic(k);
        let alpha_0: f64 = -self.alpha[..k].iter().sum::<f64>();
        self.leading = -alpha_s / h;
        self.error_constant = (self.alpha[k] + alpha_s - alpha_0).abs().max(self.alpha[k]);
        self.constant_steps.min(k + 1)..k + 1
    }

    /// Takes back [`advance`](Self::advance): ψ as before the attempt.
    pub fn take_back(&mut self, h: f64, k: usize) {
        for i in 1..=k {
            self.psi[i - 1] = self.psi[i] - h;
        }
    }
}
