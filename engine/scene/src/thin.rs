//! Which rows of a motion can be left out so that nothing moves by more than a tolerance.

/// Poses as numbers per body: x, y, z, then Euler parameters x, y, z, w.
pub const NUMBERS: usize = 7;

/// How far the points of the bodies may be from where they are, and how long the bodies are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tolerance {
    /// Largest distance of a point, m.
    pub distance: f64,
    /// Distance of the farthest point of a body from its origin, m: what an angle moves.
    pub reach: f64,
}

/// Numbers of the rows to keep, ascending: between them, linear interpolation of positions and of Euler parameters
/// (normalised, on the shorter way) stays within the tolerance at every row that is left out.
///
/// `rows` are the poses one after the other, `times` their times, `bodies` the number of bodies in a row. Rows in which
/// something jumps, as at the same time twice, are kept.
pub fn keep(times: &[f64], rows: &[f32], bodies: usize, tolerance: Tolerance) -> Vec<usize> {
    let count = times.len();
    let mut kept = Vec::new();
    if count == 0 {
        return kept;
    }
    let width = bodies * NUMBERS;
    let row = |k: usize| &rows[k * width..(k + 1) * width];
    let fits = |a: usize, b: usize| {
        (a + 1..b).all(|k| {
            let span = times[b] - times[a];
            let s = if span > 0.0 {
                (times[k] - times[a]) / span
            } else {
                0.0
            };
            within(row(a), row(b), row(k), s, tolerance)
        })
    };
    kept.push(0);
    let mut at = 0;
    while at + 1 < count {
        // Steps that double, then halve: far fewer tests than one row after the other.
        let (mut good, mut step) = (at + 1, 2);
        while at + step < count && fits(at, at + step) {
            good = at + step;
            step *= 2;
        }
        let mut bad = (at + step).min(count);
        while bad - good > 1 {
            let middle = good + (bad - good) / 2;
            if fits(at, middle) {
                good = middle;
            } else {
                bad = middle;
            }
        }
        kept.push(good);
        at = good;
    }
    kept
}

/// Whether the pose between two others is where interpolation puts it.
fn within(a: &[f32], b: &[f32], exact: &[f32], s: f64, tolerance: Tolerance) -> bool {
    let bodies = a
        .chunks_exact(NUMBERS)
        .zip(b.chunks_exact(NUMBERS))
        .zip(exact.chunks_exact(NUMBERS));
    for ((a, b), exact) in bodies {
        let mut square = 0.0;
        for k in 0..3 {
            let x = f64::from(a[k]) * (1.0 - s) + f64::from(b[k]) * s;
            square += (x - f64::from(exact[k])).powi(2);
        }
        let q = interpolated(a, b, s);
        let dot: f64 = (0..4).map(|k| q[k] * f64::from(exact[3 + k])).sum();
        // 2 sin(angle/2) of the rotation between both, by the reach: the way of the farthest point.
        let turned = 2.0 * (1.0 - dot * dot).max(0.0).sqrt() * tolerance.reach;
        // Both must be numbers.
        if square.sqrt() + turned <= tolerance.distance {
            continue;
        }
        return false;
    }
    true
}

/// Euler parameters between two.
fn interpolated(a: &[f32], b: &[f32], s: f64) -> [f64; 4] {
    let dot: f64 = (3..7).map(|k| f64::from(a[k]) * f64::from(b[k])).sum();
    let sign = if dot < 0.0 { -1.0 } else { 1.0 };
    let q: [f64; 4] =
        core::array::from_fn(|k| f64::from(a[3 + k]) * (1.0 - s) + sign * s * f64::from(b[3 + k]));
    let norm = q.iter().map(|x| x * x).sum::<f64>().sqrt();
    q.map(|x| x / norm)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn motion(count: usize) -> (Vec<f64>, Vec<f32>) {
        let times: Vec<f64> = (0..count).map(|k| k as f64 * 0.01).collect();
        let rows = times
            .iter()
            .flat_map(|t| {
                let half = 0.5 * t;
                let q = [0.0, 0.0, half.sin(), half.cos()];
                [t.cos(), t.sin(), 0.1 * (7.0 * t).sin(), q[0], q[1], q[2], q[3]].map(|x| x as f32)
            })
            .collect();
        (times, rows)
    }

    #[test]
    fn rows_left_out_are_where_interpolation_puts_them() {
        let (times, rows) = motion(2000);
        for distance in [3e-2, 1e-2, 2e-3] {
            let tolerance = Tolerance { distance, reach: 1.0 };
            let kept = keep(&times, &rows, 1, tolerance);
            assert_eq!((kept[0], kept[kept.len() - 1]), (0, 1999));
            let mut worst = 0.0_f64;
            for pair in kept.windows(2) {
                for k in pair[0] + 1..pair[1] {
                    let s = (times[k] - times[pair[0]]) / (times[pair[1]] - times[pair[0]]);
                    for axis in 0..3 {
                        let [a, b] = [pair[0], pair[1]].map(|row| f64::from(rows[7 * row + axis]));
                        worst = worst.max((a + s * (b - a) - f64::from(rows[7 * k + axis])).abs());
                    }
                }
            }
            assert!(worst <= distance, "{worst} > {distance}");
            assert!(kept.len() < 1500, "{}", kept.len());
        }
    }

    #[test]
    fn jumps_and_missing_numbers_are_kept() {
        let (times, mut rows) = motion(100);
        rows[7 * 50] = f32::NAN;
        let kept = keep(
            &times,
            &rows,
            1,
            Tolerance {
                distance: 1.0,
                reach: 1.0,
            },
        );
        assert!(kept.contains(&50));
        let same = vec![0.0; 3];
        let rows: Vec<f32> = [0.0, 5.0, 0.0]
            .iter()
            .flat_map(|x| [*x, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0])
            .collect();
        assert_eq!(
            keep(
                &same,
                &rows,
                1,
                Tolerance {
                    distance: 1e-3,
                    reach: 1.0
                }
            ),
            [0, 1, 2]
        );
    }
}
