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
/// Ends of steps through which the course of inputs is laid where these are short.
const ENDS: usize = 4;
const FEWEST: usize = 7;
const MOST: usize = 17;
/// Samples in a step at most.
const DENSEST: usize = 25_000;
/// Share of the range in a step by which a law may leave its polynomial without further question.
const MISFIT: f64 = 1e-3;
/// Change of velocities in tolerances that a feature may make without having been seen.
const UNSEEN: f64 = 1.0;
/// By how much the difference of accelerations must exceed that elsewhere in the step where stiff forces make it.
const BEYOND: f64 = 5.0;
/// Shares of the largest misfit where a feature begins, and where its greater part is.
const FOOT: f64 = 1e-4;
const FLANK: f64 = 0.3;
/// Share of the largest range in any step below which a law is as good as constant.
const NEGLIGIBLE: f64 = 1e-7;
/// Places of a step at which accelerations are compared, besides that of a feature, and how far from it they are kept.
const ASKED: [f64; 5] = [0.08, 0.29, 0.5, 0.71, 0.92];
const ASIDE: f64 = 0.05;
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
    /// Largest distance from the straight line between the ends of the step, and where: a polynomial that overshoots
    /// beside a feature misses more there than in it.
    off: f64,
    off_at: f64,
}

/// What is remembered between steps.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LawMemory {
    /// Residuals spent so far on questions to the equations.
    asked: u64,
    /// The inputs at the end of the step looked at last, and its time.
    #[serde(with = "crate::numbers::one")]
    at: f64,
    #[serde(with = "crate::numbers::many")]
    inputs: Vec<f64>,
    /// Ends of steps since the motion began, the last ones, and inputs there, one end after the other.
    times: Vec<f64>,
    ends: Vec<f64>,
    /// Largest range of each value in a step.
    #[serde(with = "crate::numbers::many")]
    ranges: Vec<f64>,
}

/// Copies into memory that is there, which those that are derived do not.
impl Clone for LawMemory {
    fn clone(&self) -> Self {
        let mut copy = Self::default();
        copy.clone_from(self);
        copy
    }

    fn clone_from(&mut self, other: &Self) {
        let Self {
            asked,
            at,
            inputs,
            times,
            ends,
            ranges,
        } = self;
        (*asked, *at) = (other.asked, other.at);
        inputs.clone_from(&other.inputs);
        times.clone_from(&other.times);
        ends.clone_from(&other.ends);
        ranges.clone_from(&other.ranges);
    }
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
    /// Differences of accelerations at the feature and at the places that are asked.
    asked: Vec<f64>,
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
                times: Vec::with_capacity(ENDS),
                ends: vec![0.0; ENDS * inputs],
                ranges: vec![0.0; values],
            },
            asked: vec![0.0; (1 + ASKED.len()) * n],
            y: vec![0.0; n],
            yp: vec![0.0; n],
        }
    }

    /// Inputs at the end of the step looked at last are not those at the start of the next one.
    pub fn forget_end(&mut self) {
        self.memory.at = f64::MIN;
        self.memory.times.clear();
    }

    /// Keeps the inputs at the end of the last step, where the last evaluation tells them. To be called before others.
    pub fn note_end(&mut self, equations: &mut Equations<'_>, stepper: &dyn Stepper) {
        if self.is_empty() || stepper.last_order() > LOW_ORDER {
            return;
        }
        let (n, to) = (self.inputs, stepper.t());
        let from = to - stepper.last_h();
        if equations.system.law_inputs_at_hand(&mut self.input) != Some(to) {
            self.memory.times.clear();
            return;
        }
        let LawMemory { times, ends, .. } = &mut self.memory;
        // The start of this step is the end of the one before, up to rounding.
        if times
            .last()
            .is_some_and(|last| (last - from).abs() > 1e-6 * (to - from))
        {
            times.clear();
        }
        if times.len() == ENDS {
            times.remove(0);
            ends.copy_within(n.., 0);
        }
        ends[times.len() * n..(times.len() + 1) * n].copy_from_slice(&self.input);
        times.push(to);
    }

    /// Inputs at the instants from those at the last ends of steps.
    fn course_through_ends(&mut self, [from, h]: [f64; 2]) {
        let n = self.inputs;
        for k in 0..self.instants {
            let t = from + node(k, self.instants).0 * h;
            let course = &mut self.course[k * n..(k + 1) * n];
            course.fill(0.0);
            for (i, end) in self.memory.times.iter().enumerate() {
                let others = self.memory.times.iter().enumerate().filter(|(j, _)| *j != i);
                let factor: f64 = others.map(|(_, other)| (t - other) / (end - other)).product();
                let inputs = &self.memory.ends[i * n..(i + 1) * n];
                for (sum, input) in course.iter_mut().zip(inputs) {
                    *sum += factor * input;
                }
            }
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
        h > LONG * self.span || affordable || expected
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
        if self.is_empty() || self.span <= 0.0 {
            return None;
        }
        let from = to - h;
        let low = stepper.last_order() <= LOW_ORDER;
        let known = low && self.memory.times.len() == ENDS && self.memory.times.last() == Some(&to);
        if h <= SHORT * self.span {
            return None;
        }
        let nodes = (stepper.last_order() + 4).clamp(FEWEST, MOST);
        let samples = ((h / (SPACING * self.span)).ceil() as usize).min(DENSEST);
        if known && h <= LONG * self.span {
            // Short steps of a method of low order: what they passed shows as well along the course through their ends.
            self.instants = INSTANTS;
            self.course_through_ends([from, h]);
            self.sample(equations, nodes, samples);
            self.worst()?;
        }
        if !self.looks_into(equations, h, expected) {
            return None;
        }
        stepper.prepare_interpolation(equations);
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
        self.sample(equations, nodes, samples);
        let i = self.worst()?;
        self.confirm(equations, stepper, defect, (i, nodes, samples), [from, h])
    }

    /// The value that leaves its polynomial most, as a part of its range, of those that were sampled.
    fn worst(&mut self) -> Option<usize> {
        let (mut worst, mut most) = (None, 0.0);
        for (i, found) in self.found.iter().enumerate() {
            let range = found.high - found.low;
            let largest = &mut self.memory.ranges[i];
            if range.is_finite() {
                *largest = largest.max(range);
            }
            // What is not a number is left to the step itself.
            let leaves = found.misfit > (MISFIT * range).max(NEGLIGIBLE * *largest);
            if !leaves || !found.misfit.is_finite() {
                continue;
            }
            let part = found.misfit / range;
            if part > most {
                (worst, most) = (Some(i), part);
            }
        }
        worst
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

    /// By how much value `i` leaves the polynomial through the places that are asked: where it is farthest from a straight
    /// line, and integrated up to `first` and over the whole step. And by how much it leaves the polynomial through all
    /// nodes on average.
    fn sharp(
        &mut self,
        equations: &mut Equations<'_>,
        (i, nodes): (usize, usize),
        (samples, first): (usize, f64),
        asked: &Asked,
    ) -> Sharp {
        let mut sharp = Sharp::default();
        let mut weights = [0.0; MOST];
        for k in 0..samples {
            let x = place(k, samples);
            if factors(x, nodes, &mut weights).is_none() {
                continue;
            }
            self.evaluate(equations, x);
            sharp.left += self.misfit(i, nodes, &weights) / samples as f64;
            let more = (self.value[i] - asked.at(&asked.values, x)) / samples as f64;
            sharp.whole += more;
            if x < first {
                sharp.before += more;
            }
        }
        sharp.at = self.found[i].off_at;
        self.evaluate(equations, sharp.at);
        sharp.most = self.value[i] - asked.at(&asked.values, sharp.at);
        sharp
    }

    /// Whether accelerations show what the samples do, and where the step is to be cut.
    ///
    /// What the equations and the polynomial of the step differ by, d, is a smooth function and a multiple of the law:
    /// d = q + s L. It is asked for at some places and at that of the feature, which gives s, and q as a polynomial. Its
    /// integral, with that of the samples of L, is the change of velocities that the method has not seen.
    fn confirm(
        &mut self,
        equations: &mut Equations<'_>,
        stepper: &mut dyn Stepper,
        defect: &mut Defect,
        (i, nodes, samples): (usize, usize, usize),
        [from, h]: [f64; 2],
    ) -> Option<Cut> {
        let [first, last, share] = self.window(equations, (i, nodes), samples);
        let mut asked = Asked::beside(self.found[i].off_at);
        for k in 0..ASKED.len() {
            self.evaluate(equations, asked.places[k]);
            asked.values[k] = self.value[i];
        }
        let sharp = self.sharp(equations, (i, nodes), (samples, first), &asked);
        let n = defect.range(equations.system).len();
        let (here, rest) = self.asked.split_at_mut(n);
        defect.measure_each(equations, stepper, from + sharp.at * h, here)?;
        self.memory.asked += 1;
        let largest = |d: &[f64]| d.iter().fold(0.0, |m: f64, d| m.max(d.abs()));
        let size = largest(here);
        if size * share * h <= 0.1 * UNSEEN {
            return None;
        }
        let mut elsewhere = [f64::INFINITY, 0.0];
        for (k, x) in asked.places.iter().enumerate() {
            let own = &mut rest[k * n..(k + 1) * n];
            defect.measure_each(equations, stepper, from + x * h, own)?;
            let size = largest(own);
            if size < elsewhere[0] {
                elsewhere = [size, *x];
            }
        }
        self.memory.asked += ASKED.len() as u64;
        let (mut unseen, mut before, mut by_law) = (0.0_f64, 0.0_f64, 0.0_f64);
        for k in 0..n {
            let d: [f64; ASKED.len()] = core::array::from_fn(|place| rest[place * n + k]);
            let per_law = (here[k] - asked.at(&d, sharp.at)) / sharp.most;
            if !per_law.is_finite() {
                return None;
            }
            by_law = by_law.max((per_law * sharp.left * h).abs());
            unseen = unseen.max((asked.integral(&d, 1.0) + per_law * sharp.whole).abs() * h);
            before = before.max((asked.integral(&d, first) + per_law * sharp.before).abs() * h);
        }
        if by_law <= UNSEEN || unseen <= UNSEEN {
            return None;
        }
        let mended = |defect: &mut Defect, equations: &mut Equations<'_>, stepper: &mut dyn Stepper| {
            defect.is_mended(equations, stepper, from + elsewhere[1] * h)
        };
        if size <= BEYOND * elsewhere[0] && mended(defect, equations, stepper) {
            return None;
        }
        // Two samples may lie twice their mean distance apart.
        let margin = 2.0 / samples as f64;
        let begin = (first - margin).max(0.0);
        if before > EFFECT || begin == 0.0 {
            // The method has seen so much of it that nothing in the step is right.
            return Some(Cut {
                t: from,
                what: Passed::Law(i),
                limit: [from + h, h / WITHIN],
            });
        }
        let size = ((last - begin) / WITHIN).max(0.25 * margin).min(0.5);
        Some(Cut {
            t: from + begin * h,
            what: Passed::Law(i),
            limit: [from + (last + margin) * h, size * h],
        })
    }
}

/// Values of a law at the places that are asked.
#[derive(Clone, Copy, Debug)]
struct Asked {
    places: [f64; ASKED.len()],
    values: [f64; ASKED.len()],
}

impl Asked {
    /// Places that are none of a feature.
    fn beside(feature: f64) -> Self {
        let aside = |x: f64| {
            if (x - feature).abs() >= ASIDE {
                x
            } else if feature < x {
                feature + ASIDE
            } else {
                feature - ASIDE
            }
        };
        Self {
            places: ASKED.map(aside),
            values: [0.0; ASKED.len()],
        }
    }

    /// The polynomial through values at the places, at another one.
    fn at(&self, values: &[f64; ASKED.len()], x: f64) -> f64 {
        let mut sum = 0.0;
        for (k, value) in values.iter().enumerate() {
            let others = self.places.iter().enumerate().filter(|(j, _)| *j != k);
            sum += value
                * others
                    .map(|(_, a)| (x - a) / (self.places[k] - a))
                    .product::<f64>();
        }
        sum
    }

    /// Its integral from the start of the step, by the formula of Gauss for three points.
    fn integral(&self, values: &[f64; ASKED.len()], to: f64) -> f64 {
        let points = [
            (-0.774_596_669_241_483_4, 5.0),
            (0.0, 8.0),
            (0.774_596_669_241_483_4, 5.0),
        ];
        let each = points.map(|(x, weight)| weight / 18.0 * self.at(values, 0.5 * to * (1.0 + x)));
        to * each.iter().sum::<f64>()
    }
}

/// What of a law the places that are asked do not tell.
#[derive(Clone, Copy, Debug, Default)]
struct Sharp {
    /// Where the law is farthest from a straight line, and how much it is there.
    at: f64,
    most: f64,
    /// Its integral up to the feature, and over the whole step.
    before: f64,
    whole: f64,
    /// By how much the law leaves the polynomial through all nodes on average.
    left: f64,
}
