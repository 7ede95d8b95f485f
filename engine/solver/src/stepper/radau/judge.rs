//! How good a step is: the estimate of its error, and what the solution between its stages is worth.

use super::Radau;
use super::coefficients::{MOST_STAGES, Method};
use super::stages::combine;
use crate::equations::Equations;
use crate::stepper::tangent::norm_of;
use holonom_dae::Rejection;

/// Largest correction of an output, in units of the error allowed in a step: more is not stiffness. The last
/// one, and how many at most.
const MOST_REFINEMENT: f64 = 10.0;
const REFINED: f64 = 1e-3;
const REFINEMENTS: usize = 4;

/// Errors of velocities along the constraints up to this part of what is allowed do not limit steps.
const MINOR: f64 = 0.05;

impl Radau {
    /// Norm of the estimated error: (γ/h F_ẏ + F_y)⁻¹ applied to −F(t₀, y₀, −Σ e_i Z_i / h).
    pub(super) fn estimate(&mut self, equations: &mut Equations<'_>) -> Result<f64, Rejection> {
        let s = &self.state;
        let method = &self.methods[s.next];
        // ẏ of the estimate takes the place of ẏ at the new point, which is computed later.
        combine(method.estimate, &self.room.z, &mut self.yp_new);
        self.yp_new.iter_mut().for_each(|x| *x /= -s.h);
        self.y_new.copy_from_slice(&s.y);
        let mut norm = self.filtered(equations)?;
        if norm >= 1.0 && self.state.control.is_doubtful() {
            for ((y, y0), e) in self.y_new.iter_mut().zip(&self.state.y).zip(&self.e) {
                *y = y0 + e;
            }
            norm = self.filtered(equations)?;
            if norm >= 1.0 || norm.is_nan() {
                norm = norm.min(self.without_start(equations)?);
            }
        }
        Ok(norm)
    }

    /// Norm of the errors of velocities along the constraints, in full, where they count with the step size in the error test.
    ///
    /// (γ/h F_ẏ + F_y)⁻¹ γ/h M takes out of e what lies across the constraints, where the Jacobian was evaluated: noise of
    /// the solution that was made with it lies there.
    pub(super) fn error_along(&mut self, equations: &mut Equations<'_>) -> f64 {
        let Some(tangent) = &self.tangent else {
            return 0.0;
        };
        let v = tangent.velocities();
        if norm_of(&self.weights, &self.e, v.clone()) <= MINOR.max(self.error) {
            return 0.0;
        }
        let s = &self.state;
        let alpha = self.methods[s.next].gamma / s.h;
        let (e, r) = (&self.e, &mut self.room.r);
        r.fill(0.0);
        self.corrector.linearisation().parts().f_yp.for_each(|i, j, m| {
            if v.contains(&j) {
                r[i] -= alpha * m * e[j];
            }
        });
        self.solve_correction(equations);
        norm_of(&self.weights, &self.e, v)
    }

    /// The same without F(t₀, y₀, ẏ₀): what the last step has left of equations without ẏ is no error of
    /// this one, and does not go away with its size. Where they are strongly nonlinear it may be many times
    /// the tolerance in the linear measure of the estimate.
    fn without_start(&mut self, equations: &mut Equations<'_>) -> Result<f64, Rejection> {
        let s = &self.state;
        let (c, r) = (&mut self.corrector, &mut self.room.r);
        c.residual_in_rows(equations, (s.t, &s.y, &s.yp), &mut self.y_new)?;
        c.residual_in_rows(equations, (s.t, &s.y, &self.yp_new), r)?;
        for (r, start) in r.iter_mut().zip(&self.y_new) {
            *r -= start;
        }
        self.solve_correction(equations);
        self.forgive_jumps();
        Ok(self.weights.error_norm(&self.e))
    }

    /// e := −(γ/h F_ẏ + F_y)⁻¹ F(t₀, y_new, yp_new), and its norm.
    fn filtered(&mut self, equations: &mut Equations<'_>) -> Result<f64, Rejection> {
        let (y, yp) = (std::mem::take(&mut self.y_new), std::mem::take(&mut self.yp_new));
        let done = self.correction(equations, self.state.t, &y, &yp);
        (self.y_new, self.yp_new) = (y, yp);
        done?;
        self.forgive_jumps();
        Ok(self.weights.error_norm(&self.e))
    }

    /// e := −(γ/h F_ẏ + F_y)⁻¹ F(t, y, ẏ).
    fn correction(
        &mut self,
        equations: &mut Equations<'_>,
        t: f64,
        y: &[f64],
        yp: &[f64],
    ) -> Result<(), Rejection> {
        self.corrector
            .residual_in_rows(equations, (t, y, yp), &mut self.room.r)?;
        self.solve_correction(equations);
        Ok(())
    }

    /// Takes multipliers that follow from accelerations out of e where they may jump.
    fn forgive_jumps(&mut self) {
        if self.state.control.is_stubborn() {
            self.jumping.iter().for_each(|&i| self.e[i] = 0.0);
        }
    }

    /// e := −(γ/h F_ẏ + F_y)⁻¹ r.
    fn solve_correction(&mut self, equations: &mut Equations<'_>) {
        let scales = self.corrector.linearisation().scaling.scales();
        for ((e, r), s) in self.e.iter_mut().zip(&self.room.r).zip(&scales.rows) {
            *e = -r * s;
        }
        self.blocks.solve_real(&mut self.e);
        equations.counters.solves += 1;
        for (e, s) in self.e.iter_mut().zip(&scales.columns) {
            *e *= s;
        }
    }

    /// The largest correction that the solution takes between stages, in units of the tolerance.
    ///
    /// Where an input has a kink between stages, they lie on both sides of it and the estimate, which looks at the
    /// start of the step, finds nothing.
    pub(super) fn between_stages(&mut self, equations: &mut Equations<'_>) -> Result<f64, Rejection> {
        let s = self.methods[self.state.next].s;
        let allowance = self.options.allowance(s);
        let mut ratio = 0.0;
        for gap in 1..s {
            let here = self.defect(equations, gap)? * allowance;
            if here.is_nan() || here > ratio {
                ratio = here;
            }
            if ratio.is_nan() || ratio >= 1.0 {
                break;
            }
        }
        Ok(ratio)
    }

    /// Norm of the correction that the solution takes in the middle between stages `gap` and the next.
    fn defect(&mut self, equations: &mut Equations<'_>, gap: usize) -> Result<f64, Rejection> {
        let s = &self.state;
        let method = &self.methods[s.next];
        let x = 0.5 * (method.c[gap - 1] + method.c[gap]);
        let (mut y, mut yp) = (std::mem::take(&mut self.y_new), std::mem::take(&mut self.yp_new));
        let mut basis = [0.0; MOST_STAGES];
        method.basis(x, &mut basis);
        combine(&basis[..method.s], &self.room.z, &mut y);
        for (y, y0) in y.iter_mut().zip(&s.y) {
            *y += y0;
        }
        slopes_through_stages(method, x, s.h, &self.room.z, &s.yp, &mut yp);
        let done = self.correction(equations, s.t + x * s.h, &y, &yp);
        (self.y_new, self.yp_new) = (y, yp);
        done?;
        self.forgive_jumps();
        Ok(self.weights.graded_norm(&self.e))
    }

    /// Between its stages the polynomial satisfies no equation. Where forces are stiff an error within the
    /// tolerance makes large ones, so that outputs would show accelerations that never were. One correction
    /// takes stiff variables to where their forces are in balance, and positions onto their constraints. It
    /// leaves the others alone because ẏ is not the slope of the polynomial but goes through those of the
    /// stages and that at the start of the step, at all of which F = 0.
    pub(super) fn refine_output(
        &mut self,
        equations: &mut Equations<'_>,
        t: f64,
        y: &mut [f64],
        yp: &mut [f64],
    ) {
        let s = &self.state;
        let Some(k) = s
            .last
            .filter(|k| t != s.t && s.factorised == Some((s.h_last, *k)))
        else {
            return;
        };
        let method = &self.methods[k];
        let alpha = method.gamma / s.h_last;
        slopes_through_stages(
            method,
            (t - s.t_before) / s.h_last,
            s.h_last,
            &s.z,
            &s.yp_before,
            yp,
        );
        let mut last = MOST_REFINEMENT;
        for _ in 0..REFINEMENTS {
            if self.correction(equations, t, y, yp).is_err() {
                return;
            }
            let norm = self.weights.graded_norm(&self.e);
            if norm.is_nan() || norm > last {
                return;
            }
            for ((y, yp), e) in y.iter_mut().zip(yp.iter_mut()).zip(&self.e) {
                *y += e;
                *yp += alpha * e;
            }
            if norm <= REFINED {
                return;
            }
            last = norm;
        }
    }
}

/// ẏ at a part `x` of a step of size `h` from ẏ₀: the polynomial through the slopes at the stages and at the start,
/// at all of which F = 0. Its degree is one above that of the slope of the solution.
fn slopes_through_stages(method: &Method, x: f64, h: f64, z: &[f64], yp0: &[f64], yp: &mut [f64]) {
    let (mut basis, mut slopes) = ([0.0; MOST_STAGES], [0.0; MOST_STAGES]);
    method.basis(x, &mut basis);
    let basis = &basis[..method.s];
    for (b, row) in basis.iter().zip(method.a_inverse.chunks_exact(method.s)) {
        for (slope, a) in slopes.iter_mut().zip(row) {
            *slope += b * a / h;
        }
    }
    combine(&slopes[..method.s], z, yp);
    let of_start = 1.0 - basis.iter().sum::<f64>();
    for (yp, yp0) in yp.iter_mut().zip(yp0) {
        *yp += of_start * yp0;
    }
}
