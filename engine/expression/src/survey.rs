//! Times at which a function of time has to be looked at so that nothing of it is missed, by bounds over intervals.
//!
//! Between two of these times the function is, but for a part that counts for nothing, the chord between its values there.
//! What could be hidden is bounded: with its slope in [s, S] and the slope c of the chord it leaves the chord by
//! (S − c)(c − s)/(S − s) times the length at most, and never leaves the bounds of its value. The bound times the length is
//! the impulse that could be hidden. Intervals in which it is more than a small share of the impulse of the
//! whole function are halved. So the places are as dense as the function is narrow, wherever that is, and a sine
//! is no more than some points a period.

use super::Expression;
use super::breaks::Break;
use super::enclosure::{Enclosure, enclose};

/// Intervals to begin with.
const FIRST: usize = 64;
/// Share of the impulse of all that may be hidden in one interval: of the value, and of the slope where the second
/// derivative counts.
const HIDDEN: [f64; 2] = [1e-6, 1e-4];
/// The same above which the function is named.
const SUSPECT: f64 = 100.0;
/// Share of all impulse that may be hidden in all intervals together.
const EVERYWHERE: f64 = 0.5;
/// Smallest interval, relative to the range.
const FINEST: f64 = 1e-11;
/// Operations and intervals that a survey may cost.
const EFFORT: usize = 4_000_000;
const MOST: usize = 100_000;
/// Share of the size of values that is rounding.
const ROUNDING: f64 = 1e-14;

/// What was found.
pub struct Places {
    /// Where to look, ascending.
    pub times: Vec<f64>,
    /// Where something may be hidden all the same.
    pub suspect: Option<f64>,
}

#[derive(Clone, Copy)]
struct Interval {
    ends: [f64; 2],
    /// Value and slope at both.
    at: [[f64; 2]; 2],
    /// What value and slope may hide.
    hidden: [f64; 2],
}

impl Interval {
    fn length(&self) -> f64 {
        self.ends[1] - self.ends[0]
    }

    fn middle(&self) -> f64 {
        0.5 * (self.ends[0] + self.ends[1])
    }
}

/// By how much a function may leave the chord over an interval, and its slope its mean.
fn hidden(bounds: &Enclosure, values: [f64; 2], length: f64) -> [f64; 2] {
    let width = bounds.value.hi - bounds.value.lo;
    let slopes = bounds.slope.hi - bounds.slope.lo;
    if bounds.jumps || !slopes.is_finite() {
        return [width, slopes];
    }
    let chord = (values[1] - values[0]) / length;
    let leave = if slopes > 0.0 {
        let (below, above) = (chord - bounds.slope.lo, bounds.slope.hi - chord);
        (below * above / slopes).max(0.0) * length
    } else {
        0.0
    };
    // What is not a number gives way.
    [leave.min(width), slopes]
}

impl Expression {
    /// Where a function of one variable, its first, has to be looked at over a range; for functions that prescribe a
    /// motion, as `motion`, for their second derivatives as well.
    pub fn survey(&self, [from, to]: [f64; 2], breaks: &[Break], motion: bool) -> Places {
        let mut survey = Survey {
            expression: self,
            motion,
            stack: Vec::with_capacity(self.0.depth),
            effort: 0,
        };
        let mut intervals = survey.first([from, to], breaks);
        let finest = FINEST * (to - from).max(from.abs()).max(to.abs());
        let splits = |interval: &Interval, limits: &[f64; 2]| {
            let [a, b] = interval.ends;
            let middle = interval.middle();
            let seen = (0..2).all(|k| interval.hidden[k] * (b - a) <= limits[k]);
            !seen && b - a > finest && middle > a && middle < b
        };
        loop {
            let limits = survey.limits(&intervals);
            let many = intervals.iter().filter(|i| splits(i, &limits)).count();
            let afford = survey.effort < EFFORT && intervals.len() + many <= MOST;
            if many == 0 || !afford {
                break;
            }
            let mut next = Vec::with_capacity(intervals.len() + many);
            for interval in &intervals {
                if splits(interval, &limits) {
                    next.extend(survey.halves(interval));
                } else {
                    next.push(*interval);
                }
            }
            intervals = next;
        }
        let limits = survey.limits(&intervals);
        let known = |interval: &&Interval| interval.at.iter().flatten().all(|x| x.is_finite());
        let share = |interval: &Interval| {
            let shares = (0..2).map(|k| interval.hidden[k] * interval.length() / limits[k]);
            shares.fold(0.0, f64::max)
        };
        let worst = intervals
            .iter()
            .filter(known)
            .max_by(|a, b| share(a).total_cmp(&share(b)));
        // Much in one place, or nearly all of it everywhere.
        let all = HIDDEN[0] * intervals.iter().filter(known).map(share).sum::<f64>();
        let suspect = worst.filter(|worst| share(worst) > SUSPECT || all > EVERYWHERE);
        let suspect = suspect.map(Interval::middle);
        let mut times: Vec<f64> = intervals.iter().flat_map(|interval| interval.ends).collect();
        times.dedup();
        Places { times, suspect }
    }
}

struct Survey<'e> {
    expression: &'e Expression,
    motion: bool,
    stack: Vec<Enclosure>,
    effort: usize,
}

impl Survey<'_> {
    fn at(&self, t: f64) -> [f64; 2] {
        let [value, slope, _] = self.expression.jet(t);
        [value, slope]
    }

    fn interval(&mut self, ends: [f64; 2], at: [[f64; 2]; 2]) -> Interval {
        let compiled = &self.expression.0;
        self.effort += 2 * compiled.program.len();
        let bounds = enclose(
            &compiled.program,
            &compiled.tables,
            ends[0],
            ends[1],
            &mut self.stack,
        );
        let mut hidden = hidden(&bounds, [at[0][0], at[1][0]], ends[1] - ends[0]);
        for (k, hidden) in hidden.iter_mut().enumerate() {
            let nothing = at.iter().all(|at| at[k].is_nan());
            if nothing || (k == 1 && !self.motion) {
                *hidden = 0.0;
            }
        }
        Interval { ends, at, hidden }
    }

    fn halves(&mut self, interval: &Interval) -> [Interval; 2] {
        let middle = interval.middle();
        let at = self.at(middle);
        let [a, b] = interval.ends;
        [
            self.interval([a, middle], [interval.at[0], at]),
            self.interval([middle, b], [at, interval.at[1]]),
        ]
    }

    /// Parts of the range between breaks, of which none sees what lies behind its ends.
    fn first(&mut self, [from, to]: [f64; 2], breaks: &[Break]) -> Vec<Interval> {
        let mut parts = Vec::with_capacity(breaks.len() + 1);
        let mut begin = from;
        for sides in breaks.iter().map(Break::sides) {
            if sides[0] > begin {
                parts.push([begin, sides[0]]);
            }
            begin = begin.max(sides[1]);
        }
        if to > begin {
            parts.push([begin, to]);
        }
        let widest = (to - from) / FIRST as f64;
        let mut intervals = Vec::with_capacity(parts.len() + FIRST);
        for [a, b] in parts {
            let count = ((b - a) / widest).ceil().max(1.0) as usize;
            let mut left = (a, self.at(a));
            for k in 1..=count {
                let t = if k == count {
                    b
                } else {
                    a + (b - a) * k as f64 / count as f64
                };
                let right = (t, self.at(t));
                intervals.push(self.interval([left.0, right.0], [left.1, right.1]));
                left = right;
            }
        }
        intervals
    }

    /// What value and slope may hide in one interval: a share of ∫|x − mean| over all, as seen so far.
    fn limits(&self, intervals: &[Interval]) -> [f64; 2] {
        let mut limits = [0.0; 2];
        for (k, limit) in limits.iter_mut().enumerate() {
            let seen = || {
                let ends = intervals
                    .iter()
                    .flat_map(|i| i.at.map(|at| (at[k], 0.5 * i.length())));
                ends.filter(|(x, _)| x.is_finite())
            };
            let (area, length) = seen().fold((0.0, 0.0), |(a, l), (x, w)| (a + w * x, l + w));
            let mean = area / length;
            let impulse: f64 = seen().map(|(x, w)| w * (x - mean).abs()).sum();
            let size = seen().fold(0.0, |size: f64, (x, _)| size.max(x.abs()));
            *limit = (HIDDEN[k] * impulse).max(ROUNDING * size * length);
        }
        limits
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::Scope;

    fn survey(text: &str) -> (Expression, Places) {
        let expression = Expression::parse(text, &Scope::time(), None).unwrap();
        let breaks = expression.breaks([0.0, 10.0]).unwrap();
        let places = expression.survey([0.0, 10.0], &breaks, false);
        (expression, places)
    }

    /// ∫|f − chords| and ∫|f − mean| by the midpoint rule with some points in each interval.
    fn left_out(expression: &Expression, places: &Places) -> [f64; 2] {
        const POINTS: usize = 16;
        let f = |t: f64| expression.evaluate(&[t]);
        let (mut left, mut area) = (0.0, 0.0);
        let mut all = Vec::new();
        for pair in places.times.windows(2) {
            let (a, b) = (pair[0], pair[1]);
            for k in 0..POINTS {
                let x = (k as f64 + 0.5) / POINTS as f64;
                let weight = (b - a) / POINTS as f64;
                let value = f(a + x * (b - a));
                left += weight * (value - f(a) - x * (f(b) - f(a))).abs();
                area += weight * value;
                all.push((weight, value));
            }
        }
        let mean = area / 10.0;
        [left, all.iter().map(|(w, x)| w * (x - mean).abs()).sum()]
    }

    #[test]
    fn chords_between_the_places_hide_nothing() {
        // Places and widths without order, from a sixth of the range to a hundred-millionth.
        let mut x: f64 = 0.37;
        for k in 0..40 {
            x = (x * 997.0 + 0.618).fract();
            let (t0, s) = (0.5 + 9.0 * x, 10.0_f64.powf(-8.0 * (f64::from(k) / 40.0)));
            for (text, impulse) in [
                (
                    format!("exp(-((t - {t0})/{s})^2)"),
                    s * core::f64::consts::PI.sqrt(),
                ),
                (
                    format!("1/(1 + ((t - {t0})/{s})^2)^2"),
                    s * core::f64::consts::FRAC_PI_2,
                ),
                (
                    format!("max(0, {s} - abs(t - {t0}))*(2 + sin(t))/{s}"),
                    s * (2.0 + t0.sin()),
                ),
                (format!("7 + 3*tanh((t - {t0})/{s})"), 0.0),
            ] {
                let (expression, places) = survey(&text);
                assert!(places.suspect.is_none(), "{text}: {:?}", places.suspect);
                assert!(places.times.len() < 5000, "{text}: {}", places.times.len());
                let [left, all] = left_out(&expression, &places);
                // All intervals together; each of them hides a millionth at most.
                assert!(left < 1e-4 * all, "{text}: {left} of {all}");
                // Ends of the range may cut it off, or carry as much.
                let inside = t0 > 6.0 * s && t0 < 10.0 - 6.0 * s && s < 0.05;
                let seen = places.times.windows(2).map(|p| {
                    let [f, g] = [p[0], p[1]].map(|t| expression.evaluate(&[t]));
                    0.5 * (f + g) * (p[1] - p[0])
                });
                let seen: f64 = seen.sum();
                assert!(
                    !inside || impulse == 0.0 || (seen / impulse - 1.0).abs() < 1e-2,
                    "{text}: {seen}, not {impulse}"
                );
            }
        }
    }

    #[test]
    fn plain_functions_cost_few_places() {
        for (text, most) in [
            ("3 + 2*t", FIRST + 1),
            ("sin(t)", 2000),
            ("exp(-t)*sin(20*t)", 8000),
            ("tan(0.1*t)", 2000),
        ] {
            let (_, places) = survey(text);
            assert!(
                places.suspect.is_none() && places.times.len() <= most,
                "{text}: {}",
                places.times.len()
            );
        }
    }

    #[test]
    fn functions_that_cannot_be_resolved_are_named() {
        // Of a width at which floating-point numbers end.
        let (_, narrow) = survey("exp(-((t - 6.3171)/1e-14)^2)");
        assert!(
            narrow.suspect.is_some_and(|t| (t - 6.3171).abs() < 1e-6),
            "{:?}",
            narrow.suspect
        );
        let (_, fast) = survey("sin(1e9*t^2)");
        assert!(fast.suspect.is_some());
    }
}
