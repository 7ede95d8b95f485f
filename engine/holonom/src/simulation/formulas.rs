//! Formulas of a model that have no finite value where a run needs one.

use holonom_format::{Message, ModelFile, Place};
use holonom_multibody::Model;
use holonom_multibody::description::formulas::FieldFormula;
use holonom_multibody::diagnostic::{Thing, ThingKind};
use holonom_multibody::workspace::Workspace;

/// How to mend it.
const REMEDY: &str = "keep divisors and the arguments of roots and logarithms away from zero, as `max(t, 1 ms)` does, \
                      or choose another range of time";

/// A value is taken to grow without bound when it exceeds the middle one of the run by so much,
const UNBOUNDED: f64 = 1e9;

/// or when it is larger than this.
const HUGE: f64 = 1e100;

/// How far ahead of a failure to look, in parts of the run.
const AHEAD: [f64; 5] = [0.0, 1e-15, 1e-12, 1e-9, 1e-6];

/// How far aside, in m and rad and their rates: where only a derivative lacks a value.
const ASIDE: [f64; 2] = [1e-9, -1e-9];

/// A thing with its formulas.
#[derive(Clone, Debug)]
struct Subject {
    thing: Thing,
    place: Option<Place>,
    formulas: Vec<(FieldFormula, Option<Place>)>,
}

/// All formulas of a model.
#[derive(Clone, Debug, Default)]
pub(super) struct Formulas {
    subjects: Vec<Subject>,
    /// Inputs: what uses them has their formulas in place of their names.
    inputs: Vec<Subject>,
}

/// A formula without a value, in words.
#[derive(Clone, Debug)]
pub(super) struct Missing {
    place: Option<Place>,
    text: String,
    remedy: &'static str,
}

impl Missing {
    /// The message of a model that is refused.
    pub fn message(&self, t: f64, root: Option<Place>) -> Message {
        let text = format!("at t = {t} s {}", self.text);
        Message::error(self.place.clone().or(root), text).help(self.remedy)
    }

    /// Why a run failed.
    pub fn failure(&self, t: f64) -> String {
        let position = Message::note(self.place.clone(), "");
        let position = position
            .position()
            .map(|(file, line, _)| format!(" ({file}:{line})"));
        format!(
            "at t = {t}: {}{}; {}",
            self.text,
            position.unwrap_or_default(),
            self.remedy
        )
    }
}

/// A state of a mechanism.
#[derive(Clone, Copy)]
pub(super) struct State<'a> {
    pub t: f64,
    pub q: &'a [f64],
    pub v: &'a [f64],
    /// Own states of elements.
    pub x: &'a [f64],
}

impl Formulas {
    pub fn of(file: &ModelFile) -> Self {
        let d = &file.description;
        let subject = |kind: ThingKind, name: &str, formulas: Vec<FieldFormula>| {
            let thing = kind.named(name);
            let place = |field: &str| file.places.field(&thing, field);
            let formulas: Vec<_> = formulas
                .into_iter()
                .map(|formula| {
                    let place = place(formula.field);
                    (formula, place)
                })
                .collect();
            Subject {
                place: place(formulas.first().map_or("", |(formula, _)| formula.field)),
                thing: thing.clone(),
                formulas,
            }
        };
        let forces = d
            .forces
            .iter()
            .map(|f| subject(ThingKind::Force, &f.name, f.formulas()));
        let controls = d
            .controls
            .iter()
            .map(|c| subject(ThingKind::Control, &c.name, c.formulas()));
        let constraints = d
            .constraints
            .iter()
            .map(|c| subject(ThingKind::Constraint, &c.name, c.formulas()));
        let subjects = constraints.chain(forces).chain(controls).collect();
        let input = |input: &holonom_format::Input| {
            let formula = FieldFormula::of("expression", &input.signal);
            subject(ThingKind::Input, &input.name, formula.into_iter().collect())
        };
        let inputs = file.inputs.iter().map(input).collect();
        Self { subjects, inputs }
    }

    /// A recorded channel without a value.
    pub fn blank(&self, channel: &str, t: f64) -> Missing {
        let owners = self.inputs.iter().chain(&self.subjects);
        let owner = owners.into_iter().find(|subject| {
            let name = subject.thing.name.as_str();
            match subject.thing.kind {
                ThingKind::Input => channel == format!("input.{name}"),
                _ => {
                    channel == name
                        || channel
                            .strip_prefix(name)
                            .is_some_and(|rest| rest.starts_with('.'))
                }
            }
        });
        let formulas = owner.map(|owner| owner.formulas.as_slice()).unwrap_or_default();
        let odd = formulas.iter().find(|(formula, _)| {
            let value = formula.of_time.as_ref().map(|signal| signal.evaluate(t)[0]);
            value.is_none_or(|x| !x.is_finite())
        });
        let because = odd
            .map(|(formula, _)| format!(": `{}`", formula.text))
            .unwrap_or_default();
        Missing {
            place: owner.and_then(|owner| owner.place.clone()),
            remedy: REMEDY,
            text: format!("the recorded channel `{channel}` has no finite value{because}"),
        }
    }

    /// A formula of time without a value between two instants, or that grows without bound there.
    fn of_time(&self, [begin, end]: [f64; 2], [from, to]: [f64; 2]) -> Option<Missing> {
        for subject in &self.subjects {
            for (formula, place) in &subject.formulas {
                let Some(signal) = &formula.of_time else { continue };
                let at = |t: f64| signal.evaluate(t)[0];
                let values = [at(from), at(to)];
                let mut usual: Vec<f64> = (0..=32)
                    .map(|k| at(begin + (end - begin) * f64::from(k) / 32.0).abs())
                    .filter(|x| x.is_finite())
                    .collect();
                usual.sort_by(f64::total_cmp);
                let bound = usual.get(usual.len() / 2).map_or(1.0, |x| x.max(1.0)) * UNBOUNDED;
                let fault = if values.iter().any(|x| !x.is_finite()) {
                    "has no finite value"
                } else if values.iter().any(|x| x.abs() > bound.min(HUGE)) {
                    "grows without bound"
                } else {
                    continue;
                };
                return Some(Missing {
                    place: place.clone(),
                    remedy: REMEDY,
                    text: format!(
                        "`{}` of {}, `{}`, {fault}",
                        formula.field, subject.thing, formula.text
                    ),
                });
            }
        }
        None
    }

    /// The formula of a thing that may be why it has no value.
    fn blame(&self, thing: &Thing) -> Missing {
        let Some(subject) = self.subjects.iter().find(|subject| subject.thing == *thing) else {
            let text = format!("{thing} has no finite value");
            return Missing {
                place: None,
                remedy: REMEDY,
                text,
            };
        };
        // Sums and products alone have values wherever their parts have.
        let risky = |text: &str| {
            [
                "/", "^", "ln(", "log10(", "sqrt(", "pow(", "acos(", "asin(", "tan(",
            ]
            .iter()
            .any(|part| text.contains(part))
        };
        let suspects: Vec<_> = subject
            .formulas
            .iter()
            .filter(|(formula, _)| formula.of_time.is_none() && risky(&formula.text))
            .collect();
        let texts: Vec<String> = suspects
            .iter()
            .map(|(formula, _)| format!("`{}` of `{}`", formula.text, formula.field))
            .collect();
        let text = match texts.as_slice() {
            [] => format!("{thing} has no finite value"),
            texts => format!("{thing} has no finite value: look at {}", texts.join(", ")),
        };
        let place = suspects.first().and_then(|(_, place)| place.clone());
        Missing {
            place: place.or(subject.place.clone()),
            remedy: REMEDY,
            text,
        }
    }

    /// What has no value in a state.
    pub fn missing(&self, model: &Model, state: State<'_>) -> Option<Missing> {
        if let Some(missing) = self.of_time([state.t; 2], [state.t; 2]) {
            return Some(missing);
        }
        let mut work = Workspace::new(model);
        work.set_time(model, state.t);
        work.set_positions(model, state.q);
        work.set_velocities(model, state.v);
        work.set_states(state.x);
        work.without_value(model).map(|thing| self.blame(&thing))
    }

    /// A formula of time that has no value, or a pole, at the time at which a run ended or next to it.
    pub fn missing_in_time(&self, [begin, end]: [f64; 2], t: f64) -> Option<Missing> {
        let mut ahead = Self::ahead([begin, end], t).into_iter();
        ahead.find_map(|next| self.of_time([begin, end], [t, next]))
    }

    /// Times at and a little after the end of a run.
    fn ahead([begin, end]: [f64; 2], t: f64) -> [f64; AHEAD.len()] {
        AHEAD.map(|part| t + part * (end - begin) + 4.0 * f64::EPSILON * t.abs())
    }

    /// What has no value next to a state in which a run ended, with the rates of q, v and x.
    pub fn missing_near(
        &self,
        model: &Model,
        [begin, end]: [f64; 2],
        state: State<'_>,
        rates: &[f64],
    ) -> Option<Missing> {
        if let Some(missing) = self.missing_in_time([begin, end], state.t) {
            return Some(missing);
        }
        let ahead = Self::ahead([begin, end], state.t);
        let known: Vec<f64> = [state.q, state.v, state.x].concat();
        let moved = |h: f64| -> Vec<f64> { known.iter().zip(rates).map(|(y, rate)| y + h * rate).collect() };
        let aside = |by: f64| -> Vec<f64> { known.iter().map(|y| y + by).collect() };
        let along = ahead.iter().map(|t| (*t, moved(t - state.t)));
        let beside = ASIDE.iter().map(|by| (state.t, aside(*by)));
        along.chain(beside).find_map(|(t, y)| {
            let (q, rest) = y.split_at(state.q.len());
            let (v, x) = rest.split_at(state.v.len());
            self.missing(model, State { t, q, v, x })
        })
    }

    /// The first length of a distance or a cable that is not positive within a range of time, with the time.
    pub fn vanishing_length(&self, model: &Model, [from, to]: [f64; 2]) -> Option<(Missing, f64)> {
        const PIECES: u32 = 1000;
        let constraints = model
            .constraints
            .iter()
            .map(|c| (ThingKind::Constraint, &c.name, c.element.length_over_time()));
        let forces = model
            .forces
            .iter()
            .map(|f| (ThingKind::Force, &f.name, f.element.length_over_time()));
        constraints.chain(forces).find_map(|(sort, name, length)| {
            // That of controls is known in the run only.
            let length = length.filter(|length| length.controls().is_empty())?;
            let mut times = (0..=PIECES).map(|k| from + (to - from) * f64::from(k) / f64::from(PIECES));
            let (t, x) = times.find_map(|t| {
                let x = length.evaluate(t)[0];
                (x <= 0.0 && x.is_finite()).then_some((t, x))
            })?;
            let thing = sort.named(name);
            let subject = self.subjects.iter().find(|subject| subject.thing == thing);
            let missing = Missing {
                place: subject.and_then(|subject| subject.place.clone()),
                remedy: "keep it positive, as `max(length, 1 mm)` does, or end the run earlier",
                text: format!("the length of {thing} is {x} m, which is not positive"),
            };
            Some((missing, t))
        })
    }
}
