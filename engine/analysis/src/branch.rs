//! One branch of equilibria, followed while a parameter changes.
//!
//! Loops close in several ways, and the ways meet in singular positions: next to them, the nearest position that closes
//! the loops may belong to another way. A point is therefore looked for from a prediction through the last points, and
//! counts only if it is close to the prediction. Otherwise the step is divided. As steps become shorter, the
//! corrections of a continuous branch vanish faster than the steps, those of a bend as fast, and those of a jump not at all.

use crate::statics::Equilibrium;

/// The correction of a prediction may be this part of the step …
const RELATIVE_CORRECTION: f64 = 0.1;

/// … or this many rad or parts of the size: a bend of the branch, such as at a stop, stays within it in short steps.
const ABSOLUTE_CORRECTION: f64 = 1e-3;

/// The same for the first step, which has no prediction.
const FIRST_CORRECTION: f64 = 5e-3;

/// Largest turn, or part of the size, in one step.
const LARGEST_STEP: f64 = 0.3;

/// Steps become longer after corrections up to this part of what is allowed.
const SMALL_CORRECTION: f64 = 0.3;

/// Points this close to a new one, in parts of the last spacing, are forgotten.
const CLOSE: f64 = 0.1;

/// Part of the way that is tried first.
const FIRST_STEP: f64 = 1.0 / 32.0;

/// Shortest step, in parts of the way.
const SHORTEST_STEP: f64 = 1e-6;

/// An equilibrium, and the positions from which its forces were balanced.
#[derive(Clone, Debug)]
pub struct Point {
    /// Positions that close the loops, next to those that were asked for.
    pub closed: Vec<f64>,
    /// The equilibrium.
    pub rest: Equilibrium,
}

/// Gives the point at a value next to some positions.
pub type Solve<'a, E> = dyn FnMut(f64, &[f64]) -> Result<Point, E> + 'a;

/// A place where the equilibrium, but not the way in which loops are closed, changed at once: it lost its stability, or
/// does not exist beyond.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Jump {
    /// The last value before it.
    pub before: f64,
    /// The first value after it.
    pub after: f64,
    /// How far something moved, rad or parts of the size.
    pub distance: f64,
}

/// Why a branch could not be followed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Lost<E> {
    /// There is no point.
    #[error("{0}")]
    Failed(E),
    /// The points on both sides are on different branches.
    #[error(
        "the position changes abruptly by {distance:.3} (rad, or parts of the size of the mechanism): the mechanism is at \
         a singular position or at the limit of its range, and beyond it the loops close in another way only"
    )]
    Apart {
        /// How far they are apart, rad or parts of the size.
        distance: f64,
    },
}

/// The last points of a branch.
#[derive(Clone, Debug)]
pub struct Branch {
    /// Values and positions, the last point last.
    points: Vec<(f64, Vec<f64>)>,
    /// Step that is tried next, without its sign; zero at first.
    step: f64,
}

/// How an attempt ended.
enum Attempt<E> {
    /// On the branch; whether the next step may be longer.
    Continues(Box<Point>, bool),
    /// Away from it.
    Away(Box<Point>, Away),
    Failed(E),
}

/// Where a point is that is not on the branch.
struct Away {
    distance: f64,
    /// Whether loops are closed in another way.
    loops: bool,
}

impl Branch {
    /// Through an equilibrium at some value.
    pub fn new(value: f64, positions: &[f64]) -> Self {
        Self {
            points: vec![(value, positions.to_vec())],
            step: 0.0,
        }
    }

    /// The last value that was reached.
    pub fn value(&self) -> f64 {
        self.points.last().map_or(0.0, |point| point.0)
    }

    /// Follows the branch to a value. `solve` gives the point at a value next to some positions. Jumps of the
    /// equilibrium on the way are added to `jumps`.
    ///
    /// # Errors
    /// Values at which there is no point, or none on this branch; [`value`](Self::value) is then the last one reached.
    pub fn go_to<E>(
        &mut self,
        target: f64,
        solve: &mut Solve<'_, E>,
        jumps: &mut Vec<Jump>,
    ) -> Result<Point, Lost<E>> {
        let whole = target - self.value();
        if whole == 0.0 {
            return solve(target, &self.predict(target)).map_err(Lost::Failed);
        }
        let shortest = SHORTEST_STEP * whole.abs();
        if self.step == 0.0 {
            self.step = FIRST_STEP * whole.abs();
        }
        loop {
            let from = self.value();
            let left = (target - from).abs();
            let mut h = self.step.clamp(shortest.min(left), left);
            if h < left && left < 2.0 * h {
                h = 0.5 * left;
            }
            let next = if h == left {
                target
            } else {
                from + whole.signum() * h
            };
            let ends = h <= shortest || next == from;
            match self.attempt(next, solve) {
                Attempt::Continues(point, grows) => {
                    self.add(next, &point.rest.state.q);
                    if grows {
                        // The end of the way may have shortened this step.
                        self.step = self.step.max(2.0 * h);
                    }
                    if next == target {
                        return Ok(*point);
                    }
                }
                Attempt::Away(
                    point,
                    Away {
                        loops: false,
                        distance,
                    },
                ) if ends => {
                    jumps.push(Jump {
                        before: from,
                        after: next,
                        distance,
                    });
                    *self = Self::new(next, &point.rest.state.q);
                    self.step = FIRST_STEP * left;
                    if next == target {
                        return Ok(*point);
                    }
                }
                Attempt::Away(_, away) if ends => {
                    return Err(Lost::Apart {
                        distance: away.distance,
                    });
                }
                Attempt::Failed(error) if ends => return Err(Lost::Failed(error)),
                _ => self.step = 0.5 * h,
            }
        }
    }

    fn attempt<E>(&self, next: f64, solve: &mut Solve<'_, E>) -> Attempt<E> {
        let guess = self.predict(next);
        let point = match solve(next, &guess) {
            Ok(point) => point,
            Err(error) => return Attempt::Failed(error),
        };
        let (start, found) = (&point.rest.start, &point.rest.state.q);
        let last = match self.points.last() {
            Some((_, last)) if last.len() == found.len() => last,
            // Another mechanism.
            _ => return Attempt::Continues(Box::new(point), false),
        };
        let distance = |a: &[f64], b: &[f64]| start.distance(a, b);
        let (expected, moved) = (distance(&guess, last), distance(found, last));
        let absolute = match self.points.len() {
            1 => FIRST_CORRECTION,
            _ => ABSOLUTE_CORRECTION,
        };
        let allowed = (RELATIVE_CORRECTION * expected.min(moved)).max(absolute);
        let loops = distance(&point.closed, &guess);
        let correction = loops.max(distance(found, &guess));
        // Comparisons fail for what is no number.
        if expected.max(moved) <= LARGEST_STEP && correction <= allowed {
            let grows = correction <= SMALL_CORRECTION * allowed;
            return Attempt::Continues(Box::new(point), grows);
        }
        let away = Away {
            distance: correction,
            loops: loops.is_nan() || loops > allowed,
        };
        Attempt::Away(Box::new(point), away)
    }

    /// The polynomial through the last points.
    fn predict(&self, value: f64) -> Vec<f64> {
        let n = self.points.last().map_or(0, |(_, q)| q.len());
        let mut q = vec![0.0; n];
        for (i, (s, point)) in self.points.iter().enumerate() {
            let others = self.points.iter().enumerate().filter(|(k, _)| *k != i);
            let factor: f64 = others
                .map(|(_, (other, _))| (value - other) / (s - other))
                .product();
            q.iter_mut().zip(point).for_each(|(q, x)| *q += factor * x);
        }
        q
    }

    fn add(&mut self, value: f64, q: &[f64]) {
        let other = self.points.last().is_some_and(|(_, last)| last.len() != q.len());
        if other {
            self.points.clear();
        }
        // Points that are much closer than the others make predictions of rounding; after a turn, some are met again.
        let spacing = match self.points.as_slice() {
            [.., (before, _), (last, _)] => (last - before).abs(),
            _ => 0.0,
        };
        self.points
            .retain(|(other, _)| *other != value && (other - value).abs() >= CLOSE * spacing);
        if self.points.len() == 3 {
            self.points.remove(0);
        }
        self.points.push((value, q.to_vec()));
    }
}
