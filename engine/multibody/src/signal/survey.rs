//! Where functions of time are not smooth, and where they have to be looked at.

use super::Signal;
use holonom_dae::Survey;
use holonom_expression::{Break, Places};

/// What a survey of a function of time gives.
pub(crate) struct Surveyed {
    /// Of its value, and where it prescribes a motion of its second derivative.
    pub surveys: Vec<Survey>,
    /// Its name with a place where something may be hidden all the same.
    pub suspect: Option<(String, f64)>,
}

impl Signal {
    /// Instants within a range, ascending, at which it has a corner or a jump, in itself or in a derivative: where a
    /// comparison changes, wherever it stands, at the points of a table without spline, where a `smoothstep` begins and
    /// ends, at the places of a track where something begins. What a user's function hides is not found, nor what
    /// depends on controls. Integration methods do well to end a step there.
    ///
    /// ```
    /// use holonom_multibody::Signal;
    /// let pulse = Signal::expression("step(t - 2) - step(t - 2.1)")?;
    /// let times: Vec<f64> = pulse.breaks([0.0, 10.0]).iter().map(|b| b.at).collect();
    /// assert_eq!(times, [2.0, 2.1]);
    /// # Ok::<(), holonom_expression::ExpressionError>(())
    /// ```
    ///
    /// Empty where there are more than a hundred thousand, or where they cannot be told in reasonable time.
    pub fn breaks(&self, range: [f64; 2]) -> Vec<Break> {
        self.search_breaks(range).0
    }

    /// The same with the functions in it whose breaks are too many, or take too long to find.
    pub(crate) fn search_breaks(&self, [from, to]: [f64; 2]) -> (Vec<Break>, Vec<String>) {
        let mut unknown = Vec::new();
        let mut breaks = self.breaks_in([from, to], &mut unknown);
        breaks.retain(|b| b.at > from && b.at < to);
        Break::sort(&mut breaks);
        (breaks, unknown)
    }

    /// The same in no order, with some beyond the range.
    fn breaks_in(&self, range: [f64; 2], unknown: &mut Vec<String>) -> Vec<Break> {
        match self {
            Self::Polynomial(_) | Self::Harmonic { .. } | Self::Function(_) => Vec::new(),
            Self::Sum(parts) => {
                let breaks = parts.iter().flat_map(|part| part.breaks_in(range, unknown));
                breaks.collect()
            }
            Self::Scaled(_, signal) => signal.breaks_in(range, unknown),
            Self::Expression(_) => {
                let parts = self.parts().into_iter();
                let breaks = parts.filter_map(|part| match part {
                    Self::Expression(part) => {
                        let breaks = part.breaks(range);
                        if breaks.is_none() {
                            unknown.push(part.to_string());
                        }
                        breaks
                    }
                    _ => None,
                });
                breaks.flatten().collect()
            }
            Self::Track { curve, travel, .. } => {
                let mut breaks = travel.breaks_in(range, unknown);
                let places = crossings(travel, range, &curve.breaks());
                breaks.extend(places.into_iter().map(|at| Break::new(at, 2)));
                breaks
            }
        }
    }

    /// Where it has to be looked at within a range so that nothing of it is missed, given its breaks: of itself, and where it
    /// prescribes a `motion` of its second derivative as well. None where nothing is known, as of a user's function.
    pub(crate) fn survey(&self, range: [f64; 2], breaks: &[Break], motion: bool) -> Option<Surveyed> {
        if range[1] <= range[0] || self.is_unknown() {
            return None;
        }
        let (times, suspect) = match self.as_expression() {
            Some(expression) => {
                if (1..expression.variables().len()).any(|k| expression.uses(k)) {
                    return None;
                }
                let Places { times, suspect } = expression.survey(range, breaks, motion);
                (times, suspect.map(|at| (expression.to_string(), at)))
            }
            // Tracks are built of long pieces.
            None => (evenly(range, breaks), None),
        };
        let jets: Vec<[f64; 3]> = times.iter().map(|t| self.evaluate(*t)).collect();
        let each = if motion { &[0, 2][..] } else { &[0][..] };
        let survey = |k: &usize| Survey::new(times.clone(), jets.iter().map(|jet| jet[*k]).collect());
        let surveys = each.iter().map(survey).collect();
        Some(Surveyed { surveys, suspect })
    }

    /// Whether a user's function is in it.
    fn is_unknown(&self) -> bool {
        match self {
            Self::Function(_) => true,
            Self::Sum(parts) => parts.iter().any(Self::is_unknown),
            Self::Scaled(_, signal) | Self::Track { travel: signal, .. } => signal.is_unknown(),
            Self::Polynomial(_) | Self::Harmonic { .. } | Self::Expression(_) => false,
        }
    }
}

/// Pieces of a range within which a motion is taken to pass a place once at most.
const PIECES: usize = 1000;

/// When a motion passes places.
fn crossings(travel: &Signal, [from, to]: [f64; 2], places: &[f64]) -> Vec<f64> {
    let at = |t: f64| travel.evaluate(t)[0];
    let instant = |k: usize| from + (to - from) * k as f64 / PIECES as f64;
    let mut found = Vec::new();
    for place in places {
        for k in 0..PIECES {
            let (mut a, mut b) = (instant(k), instant(k + 1));
            let side = at(a) - place;
            if side * (at(b) - place) > 0.0 || side == 0.0 {
                continue;
            }
            loop {
                let middle = 0.5 * (a + b);
                if middle <= a || middle >= b {
                    break;
                }
                if (at(middle) - place) * side > 0.0 {
                    a = middle;
                } else {
                    b = middle;
                }
            }
            found.push(b);
        }
    }
    found
}

/// Many places of a range, and both sides of breaks.
fn evenly([from, to]: [f64; 2], breaks: &[Break]) -> Vec<f64> {
    const PLACES: usize = 2000;
    let mut times: Vec<f64> = (0..=PLACES)
        .map(|k| from + (to - from) * k as f64 / PLACES as f64)
        .collect();
    times.extend(breaks.iter().flat_map(Break::sides));
    times.sort_by(f64::total_cmp);
    times.dedup();
    times
}
