//! Paths through points.

use super::{PathCurve, PathError, Shape};
use holonom_expression::curve::{Curve, Extrapolation, Interpolation};

/// Most points of a path.
const MOST: usize = 100_000;
/// Fewest and most pieces of equal arc between two points. The splines over the arc differ from the one
/// through the points by the fourth power of their length: where points are few, they are far apart.
const PIECES: [usize; 2] = [4, 32];
/// Pieces of the whole path, where that lies between.
const ALL_PIECES: usize = 4000;
/// Points of the round before and after that a closed spline sees: what lies beyond is felt with
/// (√3 − 2)ⁿ, which is below the last digit.
const AROUND: usize = 30;
/// Parts between two given points for the quadrature of the length. The pieces of equal arc, of which there
/// are at least as many, are one part each.
const PARTS: usize = 4;
/// Points and weights of Gauss on (0, 1), degree 9.
const GAUSS: [[f64; 2]; 5] = [
    [0.046_910_077_030_668, 0.118_463_442_528_094_54],
    [0.230_765_344_947_158_45, 0.239_314_335_249_683_23],
    [0.5, 0.284_444_444_444_444_44],
    [0.769_234_655_052_841_5, 0.239_314_335_249_683_23],
    [0.953_089_922_969_332, 0.118_463_442_528_094_54],
];

/// A path through points.
pub(super) fn through(points: &[[f64; 2]], closed: bool) -> Result<PathCurve, PathError> {
    let mut points = points;
    // A closed path may repeat its first point.
    if closed
        && let [first, between @ .., last] = points
        && first == last
    {
        points = &points[..between.len() + 1];
    }
    let (found, needed) = (points.len(), if closed { 3 } else { 2 });
    if found < needed {
        return Err(PathError::TooFew { found, needed });
    }
    if found > MOST {
        return Err(PathError::TooMany { found, most: MOST });
    }
    if let Some(point) = points.iter().find(|p| !(p[0].is_finite() && p[1].is_finite())) {
        return Err(PathError::Bounds {
            quantity: ["", "a coordinate of a point"],
            value: if point[0].is_finite() { point[1] } else { point[0] },
            bounds: "finite",
        });
    }
    if let Some(index) = (1..found).find(|&k| points[k] == points[k - 1]) {
        let [x, y] = points[index - 1];
        let index = index - 1;
        return Err(PathError::SamePlace { index, x, y });
    }
    // First over the sum of chords, whose rate the arc follows closely.
    let chord = |a: [f64; 2], b: [f64; 2]| (b[0] - a[0]).hypot(b[1] - a[1]);
    let mut chords: Vec<f64> = points.windows(2).map(|p| chord(p[0], p[1])).collect();
    if closed {
        chords.push(chord(points[found - 1], points[0]));
    }
    let rough = splines("points", points, &chords, closed)?;
    // Then over the arc, with points of the first spline at equal arcs between the given ones.
    let pieces = (ALL_PIECES / found).clamp(PIECES[0], PIECES[1]);
    let (mut dense, mut steps) = (Vec::new(), Vec::new());
    let mut s = 0.0;
    let before = if closed { AROUND } else { 0 };
    for (k, chord) in chords.iter().enumerate() {
        let cubic = Cubic(rough.each_ref().map(|curve| curve.piece(before + k)));
        let whole = cubic.length(0.0, *chord, PARTS);
        let step = whole / pieces as f64;
        // The first is the given point, to the last bit.
        dense.push(points[k]);
        let mut at = 0.0;
        for _ in 1..pieces {
            at = cubic.behind(at, step, *chord);
            dense.push(cubic.place(at));
        }
        steps.extend(core::iter::repeat_n(step, pieces));
        s += whole;
    }
    if !closed {
        dense.push(points[found - 1]);
    }
    let [x, y] = splines("arc", &dense, &steps, closed)?;
    Ok(PathCurve {
        shape: Shape::Spline {
            x: Box::new(x),
            y: Box::new(y),
        },
        round: closed.then_some(s),
        lane: None,
    })
}

/// x and y through points at the given steps of a parameter, the last step leading back to the first
/// point where they are closed.
fn splines(name: &str, points: &[[f64; 2]], steps: &[f64], closed: bool) -> Result<[Curve; 2], PathError> {
    let n = points.len();
    let mut knots = vec![0.0];
    let mut order: Vec<usize> = (0..n).collect();
    for step in steps {
        knots.push(knots[knots.len() - 1] + step);
    }
    if closed {
        // The same points before and behind, so that the ends of the spline are far away.
        order.push(0);
        let mut front = Vec::with_capacity(AROUND);
        let mut at = 0.0;
        for k in 0..AROUND {
            let before = (n - 1) - k % n;
            at -= steps[before];
            front.push((at, before));
            let behind = (1 + k) % n;
            knots.push(knots[knots.len() - 1] + steps[k % n]);
            order.push(behind);
        }
        let back = core::mem::take(&mut knots);
        knots = front.iter().rev().map(|(at, _)| *at).chain(back).collect();
        order = front.iter().rev().map(|(_, k)| *k).chain(order).collect();
    }
    let axis = |k: usize| {
        Curve::new(
            format!("{name} of the path"),
            knots.clone(),
            order.iter().map(|&p| points[p][k]).collect(),
            Interpolation::Spline,
            Extrapolation::Linear,
        )
    };
    Ok([axis(0)?, axis(1)?])
}

/// x and y between two given points: polynomials of the distance from the first one.
struct Cubic([[f64; 4]; 2]);

impl Cubic {
    fn place(&self, u: f64) -> [f64; 2] {
        self.0.map(|[a, b, c, d]| ((u * d + c) * u + b) * u + a)
    }

    fn speed(&self, u: f64) -> f64 {
        let [dx, dy] = self.0.map(|[_, b, c, d]| (u * (3.0 * d) + 2.0 * c) * u + b);
        dx.hypot(dy)
    }

    /// Length between two distances, by quadrature over so many parts.
    fn length(&self, from: f64, to: f64, parts: usize) -> f64 {
        let width = (to - from) / parts as f64;
        let part = |k: usize| {
            let start = from + width * k as f64;
            let speeds = GAUSS.map(|[place, weight]| weight * self.speed(start + width * place));
            width * speeds.iter().sum::<f64>()
        };
        (0..parts).map(part).sum()
    }

    /// The distance behind `from` by some length, at most `end`: Newton's method, whose derivative is
    /// the speed.
    fn behind(&self, from: f64, wanted: f64, end: f64) -> f64 {
        let mut at = from + wanted / self.speed(from).max(1e-9);
        let mut least = f64::INFINITY;
        for _ in 0..20 {
            at = at.clamp(from, end);
            let fault = wanted - self.length(from, at, 1);
            at += fault / self.speed(at).max(1e-9);
            // What does not become smaller any more is rounding.
            if fault.abs() <= 1e-14 * wanted || fault.abs() >= least {
                break;
            }
            least = fault.abs();
        }
        at.clamp(from, end)
    }
}
