//! Laws of the state, sampled along each long step that was accepted.
//!
//! What laws depend on is smooth in time, so that its values at a few instants of a step tell it everywhere. The laws
//! themselves may have corners and bells that are far narrower than a step, and are cheap: they are evaluated densely, and
//! compared with the polynomials of the method's degree that follow them. Where they do not, the accelerations at that
//! place decide: a difference from those of the method's own polynomial, there and not beside it, that would move
//! velocities by more than some tolerances has not been seen.

use super::super::Stepper;
use super::defect::{Defect, EFFECT};
use super::foresight::{node, place};
use super::hindsight::{Cut, Passed};
use crate::equations::Equations;
use crate::options::Options;
use holonom_dae::{System, cost};

/// Distance of samples as a share of the run.
const SPACING: f64 = 4e-5;
/// Steps of this share of the run and longer are always looked into, shorter ones as the work allows, and not those in
/// which there are few samples.
const LONG: f64 = 0.02;
const SHORT: f64 = 4.0 * SPACING;
/// Share of the work that looks may take, and looks that are free.
const SHARE: f64 = 0.02;
const FREE: f64 = 20.0;
/// Instants at which inputs are taken, and nodes of the polynomials.
const INSTANTS: usize = 5;
const FEWEST: usize = 7;
const MOST: usize = 17;
/// Samples in a step at most.
const DENSEST: usize = 25_000;
/// Share of the range in a step by which a law may leave its polynomial without further question.
const MISFIT: f64 = 1e-3;
/// By how much the difference of accelerations must exceed that elsewhere in the step.
const BEYOND: f64 = 5.0;
/// By how much the effect of a misfit may exceed what was seen of others of the same law.
const MARGIN: f64 = 3.0;
/// Shares of the largest misfit where a feature begins, and where its greater part is.
const FOOT: f64 = 1e-4;
const FLANK: f64 = 0.3;
/// Steps within the part of a step in which a law was passed.
const WITHIN: f64 = 8.0;

/// What is found of one value in a step.
#[derive(Clone, Copy, Debug, Default)]
struct Found {
    low: f64,
    high: f64,
    /// Largest misfit, and where.
    misfit: f64,
    at: f64,
}

/// The samples.
pub struct Laws {
    inputs: usize,
    values: usize,
    /// The length of the interval of interest.
    pub span: f64,
    /// Inputs at the instants, one after the other; at a sample; and values there and at the nodes.
    course: Vec<f64>,
    input: Vec<f64>,
    value: Vec<f64>,
    nodes: Vec<f64>,
    found: Vec<Found>,
    /// Largest effect of a misfit of one over a second seen so far, for each value.
    pub effects: Vec<f64>,
    y: Vec<f64>,
    yp: Vec<f64>,
}

/// The factors of a polynomial through the values at `n` Chebyshev points at place `x`; none at a point itself.
fn factors(x: f64, n: usize, out: &mut [f64; MOST]) -> Option<()> {
    let mut sum = 0.0;
    for (k, factor) in out[..n].iter_mut().enumerate() {
        let (at, weight) = node(k, n);
        if x == at {
            return None;
        }
        *factor = weight / (x - at);
        sum += *factor;
    }
    out[..n].iter_mut().for_each(|factor| *factor /= sum);
    Some(())
}

impl Laws {
    /// For a system over a span of time; nothing where it is zero until a checkpoint tells.
    pub fn new(system: &dyn System, options: &Options, span: f64) -> Self {
        let off = !options.foresight || options.fixed_step.is_some();
        let [inputs, values] = if off { [0; 2] } else { system.laws() };
        let n = if values > 0 {
            system.structure().dimension()
        } else {
            0
        };
        Self {
            inputs,
            values,
            span,
            course: vec![0.0; INSTANTS * inputs],
            input: vec![0.0; inputs],
            value: vec![0.0; values],
            nodes: vec![0.0; MOST * values],
            found: vec![Found::default(); values],
            effects: vec![0.0; values],
            y: vec![0.0; n],
            yp: vec![0.0; n],
        }
    }

    pub fn is_empty(&self) -> bool {
        self.values == 0
    }

    /// Whether the step is to be looked into.
    fn looks_into(&self, equations: &Equations<'_>, h: f64, expected: bool) -> bool {
        let counters = &*equations.counters;
        let spent = cost::LOOK * counters.looks as f64;
        let affordable = spent <= SHARE * counters.residual_equivalents() + FREE;
        h > LONG * self.span || (h > SHORT * self.span && (affordable || expected))
    }

    /// Looks into the last accepted step; `expected`: something is known to act there.
    pub fn look(
        &mut self,
        equations: &mut Equations<'_>,
        stepper: &mut dyn Stepper,
        defect: &mut Defect,
        expected: bool,
    ) -> Option<Cut> {
        let (to, h) = (stepper.t(), stepper.last_h());
        if self.is_empty() || self.span <= 0.0 || !self.looks_into(equations, h, expected) {
            return None;
        }
        let from = to - h;
        stepper.prepare_interpolation(equations);
        for k in 0..INSTANTS {
            let t = from + node(k, INSTANTS).0 * h;
            stepper.interpolate(t, &mut self.y, &mut self.yp);
            let own = &mut self.course[k * self.inputs..(k + 1) * self.inputs];
            equations.system.law_inputs(t, &self.y, &self.yp, own);
        }
        equations.counters.looks += INSTANTS as u64;
        let nodes = (stepper.last_order() + 4).clamp(FEWEST, MOST);
        let samples = ((h / (SPACING * self.span)).ceil() as usize).min(DENSEST);
        self.sample(equations, nodes, samples);
        let (mut worst, mut most) = (None, 0.0);
        for (i, found) in self.found.iter().enumerate() {
            let range = found.high - found.low;
            // What is not a number is left to the step itself.
            if !(found.misfit > MISFIT * range) || !found.misfit.is_finite() {
                continue;
            }
            let part = found.misfit / range;
            let known = self.effects[i];
            let expected = MARGIN * known * found.misfit * h;
            if (known == 0.0 || expected > EFFECT) && part > most {
                (worst, most) = (Some(i), part);
            }
        }
        let i = worst?;
        let window = self.window(equations, (i, nodes), samples);
        self.confirm(equations, stepper, defect, (i, window), [from, h])
    }

    /// Values at a place of the step, from inputs there.
    fn evaluate(&mut self, equations: &mut Equations<'_>, x: f64) {
        let mut weights = [0.0; MOST];
        match factors(x, INSTANTS, &mut weights) {
            Some(()) => {
                self.input.fill(0.0);
                for (factor, inputs) in weights.iter().zip(self.course.chunks_exact(self.inputs)) {
                    for (input, known) in self.input.iter_mut().zip(inputs) {
                        *input += factor * known;
                    }
                }
            }
            None => {
                let instant = (0..INSTANTS).find(|k| node(*k, INSTANTS).0 == x).unwrap_or(0);
                let known = &self.course[instant * self.inputs..(instant + 1) * self.inputs];
                self.input.copy_from_slice(known);
            }
        }
        equations.system.law_values(&self.input, &mut self.value);
    }

    /// By how much value `i` leaves its polynomial at place `x`, where values have been evaluated.
    fn misfit(&self, i: usize, nodes: usize, factors: &[f64; MOST]) -> f64 {
        let columns = self.nodes[i..].iter().step_by(self.values).take(nodes);
        let polynomial: f64 = columns.zip(factors).map(|(y, f)| y * f).sum();
        (self.value[i] - polynomial).abs()
    }

    /// Samples all laws and compares them with their polynomials.
    fn sample(&mut self, equations: &mut Equations<'_>, nodes: usize, samples: usize) {
        self.found.fill(Found {
            low: f64::INFINITY,
            high: f64::NEG_INFINITY,
            ..Found::default()
        });
        for k in 0..nodes {
            self.evaluate(equations, node(k, nodes).0);
            self.nodes[k * self.values..(k + 1) * self.values].copy_from_slice(&self.value);
            self.note(None);
        }
        let mut weights = [0.0; MOST];
        for k in 0..samples {
            let x = place(k, samples);
            if factors(x, nodes, &mut weights).is_some() {
                self.evaluate(equations, x);
                self.note(Some((x, nodes, &weights)));
            }
        }
    }

    /// Notes the values at hand, and where they leave their polynomials.
    fn note(&mut self, place: Option<(f64, usize, &[f64; MOST])>) {
        for i in 0..self.values {
            let misfit = place.map_or(0.0, |(_, nodes, factors)| self.misfit(i, nodes, factors));
            let (value, found) = (self.value[i], &mut self.found[i]);
            found.low = found.low.min(value);
            found.high = found.high.max(value);
            if misfit > found.misfit {
                found.misfit = misfit;
                found.at = place.map_or(0.0, |place| place.0);
            }
        }
    }

    /// From where on value `i` leaves its polynomial, until where by a third of its largest misfit, and in how much of the
    /// step it does.
    fn window(
        &mut self,
        equations: &mut Equations<'_>,
        (i, nodes): (usize, usize),
        samples: usize,
    ) -> [f64; 3] {
        let (at, most) = (self.found[i].at, self.found[i].misfit);
        let (mut first, mut last, mut count) = (at, at, 0);
        let mut weights = [0.0; MOST];
        for k in 0..samples {
            let x = place(k, samples);
            if factors(x, nodes, &mut weights).is_none() {
                continue;
            }
            self.evaluate(equations, x);
            let misfit = self.misfit(i, nodes, &weights);
            if misfit > FOOT * most {
                first = first.min(x);
            }
            if misfit > FLANK * most {
                last = last.max(x);
                count += 1;
            }
        }
        [first, last, count.max(1) as f64 / samples as f64]
    }

    /// Whether accelerations show what the samples do, and where the step is to be cut.
    fn confirm(
        &mut self,
        equations: &mut Equations<'_>,
        stepper: &dyn Stepper,
        defect: &mut Defect,
        (i, [first, last, share]): (usize, [f64; 3]),
        [from, h]: [f64; 2],
    ) -> Option<Cut> {
        let at = self.found[i].at;
        let here = defect.measure(equations, stepper, from + at * h)?;
        let beside = if at < 0.5 { 0.8 } else { 0.2 };
        let elsewhere = defect.measure(equations, stepper, from + beside * h)?;
        let effect = here * share * h;
        let seen = effect / (self.found[i].misfit * h);
        self.effects[i] = self.effects[i].max(seen).max(f64::MIN_POSITIVE);
        if effect <= EFFECT || here <= BEYOND * elsewhere {
            return None;
        }
        let margin = 1.0 / DENSEST as f64 + SPACING * self.span / h;
        let begin = (first - margin).max(0.0);
        let size = ((last - begin) / WITHIN).max(0.5 * margin).min(0.5);
        Some(Cut {
            t: from + begin * h,
            what: Passed::Law(i),
            limit: [from + last * h, size * h],
        })
    }
}
