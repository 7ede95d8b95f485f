//! Laws of the state, sampled along each long step that was accepted.
//!
//! What laws depend on is smooth in time, so that its values at a few instants of a step tell it everywhere. The laws
//! themselves may have corners and bells that are far narrower than a step, and are cheap: they are evaluated densely, and
//! compared with the polynomials of the method's degree that follow them. Where they do not, the accelerations at that
//! place decide: a difference from those of the method's own polynomial, there and not beside it, that would move
//! velocities by more than some tolerances has not been seen.

use super::super::Stepper;
use super::defect::{Defect, EFFECT, UNSATISFIED};
use super::foresight::{node, place};
use super::hindsight::{Cut, Passed};
use crate::equations::Equations;
use crate::options::Options;
use holonom_dae::{System, cost};
use serde::{Deserialize, Serialize};

/// Distance of samples as a share of the run.
const SPACING: f64 = 4e-5;
/// Steps of this share of the run and longer are always looked into, shorter ones as the work allows, and not those in
/// which there are few samples.
const LONG: f64 = 0.02;
const SHORT: f64 = 4.0 * SPACING;
/// Share of the work that looks may take, and looks that are free.
const SHARE: f64 = 0.2;
const FREE: f64 = 20.0;
/// Instants at which inputs are taken, and nodes of the polynomials.
const INSTANTS: usize = 5;
/// The same in steps of low order, which are short against the motion.
const INSTANTS_OF_LOW_ORDER: usize = 3;
const LOW_ORDER: usize = 5;
const FEWEST: usize = 7;
const MOST: usize = 17;
/// Samples in a step at most.
const DENSEST: usize = 25_000;
/// Share of the range in a step by which a law may leave its polynomial without further question.
const MISFIT: f64 = 1e-3;
/// By how much the difference of accelerations must exceed that elsewhere in the step.
const BEYOND: f64 = 5.0;
/// Shares of the largest misfit where a feature begins, and where its greater part is.
const FOOT: f64 = 1e-4;
const FLANK: f64 = 0.3;
/// Share of the largest range in any step below which a law is as good as constant.
const NEGLIGIBLE: f64 = 1e-7;
/// Places that may lie beside a feature.
const BESIDE: [f64; 6] = [0.11, 0.27, 0.43, 0.57, 0.73, 0.89];
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
    /// Largest distance from the straight line between the ends of the step, and where.
    off: f64,
    off_at: f64,
}

/// What is remembered between steps.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LawMemory {
    /// Residuals spent so far on questions to the equations.
    asked: u64,
    /// The inputs at the end of the step looked at last, and its time.
    #[serde(with = "crate::stepper::numbers::one")]
    at: f64,
    #[serde(with = "crate::stepper::numbers::many")]
    inputs: Vec<f64>,
    /// Largest range of each value in a step.
    #[serde(with = "crate::stepper::numbers::many")]
    ranges: Vec<f64>,
}

impl LawMemory {
    /// Whether it is of the same laws.
    pub fn fits(&self, other: &Self) -> bool {
        self.inputs.len() == other.inputs.len() && self.ranges.len() == other.ranges.len()
    }
}

/// The samples.
pub struct Laws {
    inputs: usize,
    values: usize,
    /// The length of the interval of interest.
    pub span: f64,
    /// Inputs at the instants, one after the other; at a sample; and values there and at the nodes.
    course: Vec<f64>,
    instants: usize,
    input: Vec<f64>,
    value: Vec<f64>,
    nodes: Vec<f64>,
    found: Vec<Found>,
    pub memory: LawMemory,
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
            instants: INSTANTS,
            course: vec![0.0; INSTANTS * inputs],
            input: vec![0.0; inputs],
            value: vec![0.0; values],
            nodes: vec![0.0; MOST * values],
            found: vec![Found::default(); values],
            memory: LawMemory {
                asked: 0,
                at: f64::MIN,
                inputs: vec![0.0; inputs],
                ranges: vec![0.0; values],
            },
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
        let spent = cost::LOOK * counters.looks as f64 + self.memory.asked as f64;
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
        let low = stepper.last_order() <= LOW_ORDER;
        self.instants = if low { INSTANTS_OF_LOW_ORDER } else { INSTANTS };
        for k in 0..self.instants {
            let t = from + node(k, self.instants).0 * h;
            if k == 0 && self.memory.at == from {
                self.course[..self.inputs].copy_from_slice(&self.memory.inputs);
                continue;
            }
            equations.counters.looks += 1;
            stepper.interpolate(t, &mut self.y, &mut self.yp);
            let own = &mut self.course[k * self.inputs..(k + 1) * self.inputs];
            equations.system.law_inputs(t, &self.y, &self.yp, own);
        }
        self.memory.at = to;
        let last = (self.instants - 1) * self.inputs;
        self.memory
            .inputs
            .copy_from_slice(&self.course[last..last + self.inputs]);
        let nodes = (stepper.last_order() + 4).clamp(FEWEST, MOST);
        let samples = ((h / (SPACING * self.span)).ceil() as usize).min(DENSEST);
        self.sample(equations, nodes, samples);
        let (mut worst, mut most) = (None, 0.0);
        for (i, found) in self.found.iter().enumerate() {
            let range = found.high - found.low;
            let largest = &mut self.memory.ranges[i];
            if range.is_finite() {
                *largest = largest.max(range);
            }
            // What is not a number is left to the step itself.
            if !(found.misfit > (MISFIT * range).max(NEGLIGIBLE * *largest)) || !found.misfit.is_finite() {
                continue;
            }
            let part = found.misfit / range;
            if part > most {
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
        match factors(x, self.instants, &mut weights) {
            Some(()) => {
                self.input.fill(0.0);
                for (factor, inputs) in weights[..self.instants]
                    .iter()
                    .zip(self.course.chunks_exact(self.inputs))
                {
                    for (input, known) in self.input.iter_mut().zip(inputs) {
                        *input += factor * known;
                    }
                }
            }
            None => {
                let n = self.instants;
                let instant = (0..n).find(|k| node(*k, n).0 == x).unwrap_or(0);
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
            let Some((x, nodes, _)) = place else { continue };
            if misfit > found.misfit {
                (found.misfit, found.at) = (misfit, x);
            }
            let (first, last) = (self.nodes[i], self.nodes[(nodes - 1) * self.values + i]);
            let off = (value - first - x * (last - first)).abs();
            if off > found.off {
                (found.off, found.off_at) = (off, x);
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

    /// A place in the step where value `i` is nearest to the straight line between the ends of the step, and by how much
    /// less it leaves that than at another place.
    fn beside(&mut self, equations: &mut Equations<'_>, i: usize, at: f64) -> (f64, f64) {
        self.evaluate(equations, 0.0);
        let begin = self.value[i];
        self.evaluate(equations, 1.0);
        let end = self.value[i];
        let mut leaves = |laws: &mut Self, x: f64| {
            laws.evaluate(equations, x);
            (laws.value[i] - begin - x * (end - begin)).abs()
        };
        let most = leaves(self, at);
        let all = BESIDE.map(|x| (x, leaves(self, x)));
        let (x, least) = all
            .into_iter()
            .fold((0.5, f64::INFINITY), |a, b| if b.1 < a.1 { b } else { a });
        (x, if most > 0.0 { (least / most).min(1.0) } else { 0.0 })
    }

    /// Whether accelerations show what the samples do, and where the step is to be cut.
    fn confirm(
        &mut self,
        equations: &mut Equations<'_>,
        stepper: &mut dyn Stepper,
        defect: &mut Defect,
        (i, [first, last, share]): (usize, [f64; 3]),
        [from, h]: [f64; 2],
    ) -> Option<Cut> {
        // A polynomial that overshoots beside a feature misses more there than in it.
        let (mut at, mut here) = (0.0, 0.0);
        for x in [self.found[i].at, self.found[i].off_at] {
            let size = defect.measure(equations, stepper, from + x * h)?;
            if size > here {
                (at, here) = (x, size);
            }
        }
        self.memory.asked += 3;
        let (beside, part) = self.beside(equations, i, at);
        let elsewhere = defect.measure(equations, stepper, from + beside * h)?;
        // Less what the law does there.
        let elsewhere = (elsewhere - part * here).max(0.0);
        let effect = here * share * h;
        if effect <= EFFECT {
            return None;
        }
        let at = from + beside * h;
        if elsewhere * h > UNSATISFIED && !defect.is_mended(equations, stepper, at) {
            // The method has seen so much of it that nothing in the step is right.
            return Some(Cut {
                t: from,
                what: Passed::Law(i),
                limit: [from + h, h / WITHIN],
            });
        }
        if here <= BEYOND * elsewhere {
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
