//! [`Trajectory`]: the solution at all times, from the polynomials of the steps.
//!
//! Each piece is the polynomial of one step, or of the part of it before an event, by its values at Chebyshev points of the
//! second kind; as many as determine it. Between them it is evaluated by the barycentric formula [Berrut, Trefethen 2004].

use crate::stepper::{Observer, Piece};

/// A solution that can be asked for its values at any time it covers.
///
/// ```
/// use holonom_dae::{Closure, Structure};
/// use holonom_solver::{Options, solve};
///
/// let decay = Closure::new(Structure::ode(["y"]), |_t, y, yp, r| r[0] = yp[0] + y[0]);
/// let options = Options::new(1e-8, 1e-8).dense_output();
/// let solution = solve(decay, (0.0, 2.0), &[1.0], &[-1.0], options).unwrap();
/// let y = solution.at(0.7).unwrap();
/// assert!((y[0] - (-0.7f64).exp()).abs() < 1e-6);
/// assert_eq!(solution.at(2.5), None);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Trajectory {
    n: usize,
    pieces: Vec<Span>,
    values: Vec<f64>,
}

/// Where a piece is, in time and among the values.
#[derive(Clone, Copy, Debug)]
struct Span {
    from: f64,
    to: f64,
    points: usize,
    start: usize,
}

impl Trajectory {
    /// Empty, for `n` unknowns.
    pub fn new(n: usize) -> Self {
        Self { n, ..Self::default() }
    }

    /// The first and the last time covered; none if there is no piece.
    pub fn span(&self) -> Option<(f64, f64)> {
        Some((self.pieces.first()?.from, self.pieces.last()?.to))
    }

    /// Number of pieces: steps, and parts of steps between events.
    pub fn len(&self) -> usize {
        self.pieces.len()
    }

    /// Whether there is no piece.
    pub fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    /// Adds a piece behind the last one.
    pub fn push(&mut self, piece: &Piece<'_>) {
        let points = piece.values.len() / self.n.max(1);
        self.pieces.push(Span {
            from: piece.from,
            to: piece.to,
            points,
            start: self.values.len(),
        });
        self.values.extend_from_slice(piece.values);
    }

    /// The solution at `t`, before an event at this very time; none outside of what is covered.
    pub fn at(&self, t: f64) -> Option<Vec<f64>> {
        let mut y = vec![0.0; self.n];
        self.evaluate(t, &mut y).then_some(y)
    }

    /// The same without allocating: false, and nothing written, outside of what is covered.
    pub fn evaluate(&self, t: f64, y: &mut [f64]) -> bool {
        let (Some((begin, end)), false) = (self.span(), t.is_nan()) else {
            return false;
        };
        if t < begin || t > end {
            return false;
        }
        let k = self.pieces.partition_point(|piece| piece.to < t);
        let Some(&Span {
            from,
            to,
            points,
            start,
        }) = self.pieces.get(k)
        else {
            return false;
        };
        let values = &self.values[start..start + points * self.n];
        y.fill(0.0);
        let mut sum = 0.0;
        for (i, value) in values.chunks_exact(self.n.max(1)).enumerate() {
            let distance = t - Piece::node((from, to), i, points);
            if distance == 0.0 {
                y.copy_from_slice(value);
                return true;
            }
            let mut weight = if i % 2 == 0 { 1.0 } else { -1.0 } / distance;
            if i == 0 || i + 1 == points {
                weight *= 0.5;
            }
            sum += weight;
            for (y, value) in y.iter_mut().zip(value) {
                *y += weight * value;
            }
        }
        y.iter_mut().for_each(|y| *y /= sum);
        true
    }
}

impl Observer for Trajectory {
    fn wants_pieces(&self) -> bool {
        true
    }

    fn piece(&mut self, piece: &Piece<'_>) {
        self.push(piece);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn polynomials_are_exact_and_pieces_meet() {
        let f = |t: f64| [1.0 - 2.0 * t + t.powi(3), t.powi(2)];
        let mut trajectory = Trajectory::new(2);
        for (from, to) in [(0.0, 0.5), (0.5, 2.0)] {
            let values: Vec<f64> = (0..4).flat_map(|i| f(Piece::node((from, to), i, 4))).collect();
            let values = &values;
            trajectory.push(&Piece { from, to, values });
        }
        assert_eq!((trajectory.len(), trajectory.span()), (2, Some((0.0, 2.0))));
        for k in 0..=40 {
            let t = 0.05 * f64::from(k);
            let (found, exact) = (trajectory.at(t), f(t));
            for (a, b) in found.iter().flatten().zip(exact) {
                assert!((a - b).abs() < 1e-14, "{t}: {a} for {b}");
            }
            assert_eq!(found.map(|y| y.len()), Some(2));
        }
        for t in [-0.1, 2.1, f64::NAN] {
            assert_eq!(trajectory.at(t), None);
        }
    }
}
