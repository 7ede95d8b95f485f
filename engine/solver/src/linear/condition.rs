//! What a solver can do with its solves alone: refinement and an estimate of the condition.

use super::{LinearSolver, Matrix};

/// b := A⁻¹b with one step of iterative refinement in working precision.
///
/// Makes a solve with poor pivots componentwise backward stable [Skeel 1980].
pub(super) fn solve_refined(solver: &mut dyn LinearSolver, a: &Matrix, b: &mut [f64], residual: &mut [f64]) {
    // r := b − A x, x := x + A⁻¹ r
    residual.copy_from_slice(b);
    solver.solve(b);
    a.mul_vec_add(-1.0, b, residual);
    solver.solve(residual);
    for (x, d) in b.iter_mut().zip(residual.iter()) {
        *x += d;
    }
}

/// Lower bound of ‖A⁻¹‖₁, nearly always within a factor of three [Hager 1984; Higham 1988, Alg.
/// 4.1].
///
/// A gradient ascent of the convex ‖A⁻¹x‖₁ over the vertices of the unit ball: at most twelve
/// solves. `work` has 2 n places.
pub(super) fn inverse_norm_1(solver: &mut dyn LinearSolver, work: &mut [f64]) -> f64 {
    let n = work.len() / 2;
    let (x, sign) = work.split_at_mut(n);
    let norm = |v: &[f64]| v.iter().map(|a| a.abs()).sum::<f64>();
    if n == 0 {
        return 0.0;
    }
    x.fill(1.0 / n as f64);
    solver.solve(x);
    let mut estimate = norm(x);
    sign.fill(0.0);
    let mut vertex = n;
    for _ in 0..5 {
        // the gradient is A⁻ᵀ sign(A⁻¹x); equal signs mean the same gradient again
        let mut is_new = false;
        for (s, &v) in sign.iter_mut().zip(x.iter()) {
            let t = 1.0_f64.copysign(v);
            is_new |= t != *s;
            *s = t;
        }
        if !is_new {
            break;
        }
        x.copy_from_slice(sign);
        solver.solve_transposed(x);
        let steepest = largest(x);
        if steepest == vertex {
            break;
        }
        vertex = steepest;
        x.fill(0.0);
        x[vertex] = 1.0;
        solver.solve(x);
        let reached = norm(x);
        if reached <= estimate {
            break;
        }
        estimate = reached;
    }
    // a vector of alternating signs meets the matrices on which the ascent stops too early
    for (i, v) in x.iter_mut().enumerate() {
        let size = 1.0 + i as f64 / (n - 1).max(1) as f64;
        *v = if i % 2 == 0 { size } else { -size };
    }
    solver.solve(x);
    estimate.max(2.0 * norm(x) / (3.0 * n as f64))
}

/// Index of the first entry of largest magnitude.
pub(super) fn largest(x: &[f64]) -> usize {
    (0..x.len()).fold(0, |m, i| if x[i].abs() > x[m].abs() { i } else { m })
}
