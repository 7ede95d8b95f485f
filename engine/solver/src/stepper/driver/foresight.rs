//! A look at the equations ahead of long steps, so that nothing is stepped over.
//!
//! A method learns of an excitation where it evaluates the equations. At rest steps grow until a pulse fits between two
//! such places, and no error test can notice. Functions of time alone are known ahead, and cost little: over the
//! step to come they are sampled densely, and the step is shortened until a polynomial through a few of the samples,
//! of about the degree that the method can follow, fits the others. What depends on the state is looked at in the same
//! way along the parabola on which it moves: features of the state by their coordinates, as densely as they can be
//! narrow, and where nothing is known of the equations the residuals, at rest only. Short steps are not looked into: the
//! control of errors sees what comes.

use super::super::Stepper;
use crate::equations::{Equations, Purpose};
use crate::options::Options;
use core::ops::Range;
use holonom_dae::{ErrorTest, Hidden, Survey, System};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// What is remembered of what was seen.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ForesightMemory {
    /// The interval of interest.
    span: [f64; 2],
    /// By how much each excitation has been seen to vary.
    #[serde(with = "crate::numbers::many")]
    variation: Vec<f64>,
    /// Up to here something of the state is known to come.
    #[serde(with = "crate::numbers::one")]
    watch_to: f64,
}

impl ForesightMemory {
    /// Makes the interval of interest end later.
    pub(crate) fn extend_to(&mut self, t_end: f64) {
        self.span[1] = self.span[1].max(t_end);
    }
}

/// Distance of samples as a share of the run: what is a thousandth of the run long has two of them.
const SPACING: f64 = 5e-4;
/// The same where nobody knows whether there is anything.
const WIDE: f64 = 5e-3;
/// Steps of this share of the run and shorter are not looked into: the control of errors sees what is that long.
const SHORT: f64 = 1e-4;
/// Steps of this share of the run are long: shorter ones are not looked into by residuals, unless something was seen to
/// come.
const LONG: f64 = 5e-3;
/// Tolerances by which a cubic may leave the parabola in a step of steady motion.
const STEADY: f64 = 100.0;
/// Share of the variation within a step by which a polynomial may miss.
const MISFIT: f64 = 1e-4;
/// The same for what depends on the state, in long steps and in others: what these see of a feature, the control of
/// errors judges.
const COARSE: [f64; 2] = [1e-3, 0.03];
/// Share of the variation within a step and the one before by which a straight line between its ends may miss where a
/// method knows no more, and share of all variation that does not count; more of it later in a run where samples are
/// all that is known.
const BENT: f64 = 0.3;
const FLAT: f64 = 1e-4;
const FLAT_SAMPLED: f64 = 0.05;
/// Most places of a survey in one step: more take a shorter one.
const DENSEST: usize = 1000;
/// Share of a step that does not belong to it where a survey begins anew there: what jumps at its start has done so.
const START: f64 = 1e-6;
/// Share of its largest variation below which an excitation is as good as constant.
const NEGLIGIBLE: f64 = 1e-7;
/// Share of its size below which everything is rounding.
const ROUNDING: f64 = 1e-13;
/// Numbers of nodes of the polynomial.
const FEWEST: usize = 7;
const MOST: usize = 17;

/// The look ahead.
pub struct Foresight {
    memory: ForesightMemory,
    excitations: usize,
    surveys: Arc<[Option<Survey>]>,
    /// Some excitation has no survey.
    unsurveyed: bool,
    hidden: Hidden,
    off: bool,
    /// Number of functions that are compared with polynomials.
    compared: usize,
    /// Values at the nodes, one node after the other.
    nodes: Vec<f64>,
    values: Vec<f64>,
    low: Vec<f64>,
    high: Vec<f64>,
    misfit: Vec<f64>,
    /// By how much each function changes otherwise: excitations in the step before, and what depends on the state where it
    /// moves by a tolerance.
    unnoticed: Vec<f64>,
    y: Vec<f64>,
    yp: Vec<f64>,
    /// Second derivatives of the state.
    bend: Vec<f64>,
    /// Whether a variable has a tolerance.
    judged: Vec<bool>,
    /// Number of features, what they depend on, and that at three times of a step.
    features: usize,
    coordinates: Vec<f64>,
    course: Vec<f64>,
    /// What features are at least as wide as.
    widths: Vec<f64>,
}

/// Chebyshev's points of the second kind on [0, 1], and the weights of interpolation in them
/// [Berrut, Trefethen 2004, (5.4)].
pub(super) fn node(k: usize, n: usize) -> (f64, f64) {
    let last = n - 1;
    let x = 0.5 - 0.5 * (core::f64::consts::PI * k as f64 / last as f64).cos();
    let sign = if k.is_multiple_of(2) { 1.0 } else { -1.0 };
    let weight = if k == 0 || k == last { 0.5 * sign } else { sign };
    (x, weight)
}

/// Place k of n in [0, 1]: spread evenly, and aside from regular places.
pub(super) fn place(k: usize, n: usize) -> f64 {
    const GOLDEN: f64 = 0.618_033_988_749_894_9;
    (k as f64 + (0.5 + k as f64 * GOLDEN).fract()) / n as f64
}

impl Foresight {
    pub fn new(system: &dyn System, options: &Options, span: [f64; 2]) -> Self {
        let excitations = system.excitations();
        let n = system.structure().dimension();
        let off = !options.foresight || options.fixed_step.is_some();
        let hidden = if off { Hidden::Nothing } else { system.hidden() };
        let excitations = if off { 0 } else { excitations };
        let surveys = if options.surveys.len() == excitations {
            options.surveys.clone()
        } else {
            Arc::from([])
        };
        let unsurveyed = excitations > 0 && (surveys.is_empty() || surveys.iter().any(Option::is_none));
        let [coordinates, features] = system.places();
        let mut widths = vec![f64::INFINITY; coordinates];
        if coordinates > 0 {
            system.place_widths(&mut widths);
        }
        let tests = system.structure().default_error_test();
        let judged = tests.into_iter().map(|test| test != ErrorTest::Excluded);
        let width = match hidden {
            Hidden::Nothing => excitations,
            Hidden::Places => excitations.max(features),
            Hidden::Unknown => excitations.max(n),
        };
        let room = || vec![0.0; width];
        Self {
            memory: ForesightMemory {
                span,
                variation: vec![0.0; excitations],
                watch_to: span[0],
            },
            excitations,
            surveys,
            unsurveyed,
            hidden,
            off: off || width == 0,
            compared: 0,
            nodes: vec![0.0; width * MOST],
            values: room(),
            low: room(),
            high: room(),
            misfit: room(),
            unnoticed: room(),
            y: vec![0.0; n],
            yp: vec![0.0; n],
            bend: vec![0.0; n],
            judged: judged.collect(),
            features,
            coordinates: vec![0.0; coordinates],
            course: vec![0.0; 3 * coordinates],
            widths,
        }
    }

    pub fn memory(&self) -> &ForesightMemory {
        &self.memory
    }

    /// Whether something of the state was known to come in a step that begins at `t`.
    pub fn watches(&self, t: f64) -> bool {
        t < self.memory.watch_to
    }

    /// Takes back a memory; false when it does not fit.
    pub fn restore(&mut self, memory: &ForesightMemory) -> bool {
        let fits = memory.variation.len() == self.memory.variation.len();
        if fits {
            self.memory.clone_from(memory);
        }
        fits
    }

    fn length(&self) -> f64 {
        self.memory.span[1] - self.memory.span[0]
    }

    /// Whether a step is one to look into.
    pub fn looks_at(&self, t: f64, h: f64) -> bool {
        !self.off && (h > SHORT * self.length() || self.has_places(t, h))
    }

    /// Whether a survey has places inside of a step.
    pub fn has_places(&self, t: f64, h: f64) -> bool {
        let [from, to] = [t + START * h, t + (1.0 - START) * h];
        let mut surveys = self.surveys.iter().flatten();
        surveys.any(|survey| !survey.between(from, to).is_empty())
    }

    /// Where the last step, which goes beyond `seen`, has missed something of a function of time: at the first place of a
    /// survey there, if no polynomial follows the excitations over the step. A smooth function has places too.
    pub fn missed(&mut self, system: &mut dyn System, stepper: &dyn Stepper, seen: f64) -> Option<f64> {
        let (t, h) = (stepper.t() - stepper.last_h(), stepper.last_h());
        let first = |survey: &Survey| {
            let mut places = survey.between(seen, t + h);
            // A run-up that holds was not stepped over.
            let holds = survey.is_constant_across(places.clone());
            places.next().filter(|_| !holds).map(|k| survey.times[k])
        };
        let first = self.surveys.iter().flatten().filter_map(first).reduce(f64::min)?;
        let nodes = (stepper.order() + 4).clamp(FEWEST, MOST);
        let ends_only = (stepper.order() <= 2).then_some(FLAT_SAMPLED);
        self.unnoticed[..self.excitations].fill(0.0);
        let follows = self.follows_excitations(system, (t, h), (nodes, false), ends_only);
        (!follows).then_some(first)
    }

    /// The size of the step that sees what lies ahead: the one given, or a shorter one.
    pub fn shorten(&mut self, equations: &mut Equations<'_>, stepper: &dyn Stepper, h: f64) -> f64 {
        let shortest = SHORT * self.length();
        let nodes = (stepper.order() + 4).clamp(FEWEST, MOST);
        let t = stepper.t();
        let mut h = self.not_too_dense(t, h);
        // All that a method of low order knows: nothing tells it of a motion in between that ends as it began.
        let ends_only = (stepper.order() <= 2).then_some(match stepper.last_h() {
            0.0 => FLAT,
            _ => FLAT_SAMPLED,
        });
        if ends_only.is_some() {
            self.look_back(equations.system, (t, stepper.last_h()));
        }
        loop {
            let sampled = self.unsurveyed && h > shortest;
            if !(sampled || self.has_places(t, h))
                || self.follows_excitations(equations.system, (t, h), (nodes, sampled), ends_only)
            {
                break;
            }
            h *= 0.5;
        }
        if !self.looks_by_residuals(stepper, t, h) {
            return h;
        }
        while h > shortest && self.follows_state(equations, stepper, (t, h), nodes) == Some(false) {
            // Within this step, and not within half of it: there the look goes on, however short steps become.
            self.memory.watch_to = t + h;
            h = (0.5 * h).max(shortest);
        }
        h
    }

    /// The size of a vector in tolerances. Weights that follow the step size differ after a checkpoint.
    fn norm(&self, stepper: &dyn Stepper, v: &[f64]) -> f64 {
        let weights = stepper.weights().reciprocal();
        let each = v.iter().zip(weights).zip(&self.judged);
        let sizes = each
            .filter(|(_, judged)| **judged)
            .map(|((v, w), _)| (v * w).abs());
        sizes.fold(0.0, f64::max)
    }

    /// The part of a step that belongs to the run.
    fn within(&self, t: f64, h: f64) -> f64 {
        let rest = self.memory.span[1] - t;
        if rest > 0.0 { h.min(rest) } else { h }
    }

    /// Number of samples in a step.
    fn samples(&self, h: f64, spacing: f64) -> usize {
        // At least as many as tell a polynomial from another function.
        ((h / (spacing * self.length())).ceil() as usize).clamp(3, 10_000)
    }

    /// Number of samples on the course, half as far from each other as features are wide at least.
    fn samples_by_distance(&self) -> usize {
        let many = self.widths.len();
        let mut most = 0.0_f64;
        for (i, width) in self.widths.iter().enumerate() {
            let [a, b, c] = [0, 1, 2].map(|k| self.course[k * many + i]);
            most = most.max(2.0 * ((b - a).abs() + (c - b).abs()) / width);
        }
        (most.ceil() as usize).min(10_000)
    }

    /// A step that ends before any survey has too many places in it.
    fn not_too_dense(&self, t: f64, h: f64) -> f64 {
        let many = |survey: &Survey| {
            let places = survey.between(t + START * h, t + h);
            (places.len() > DENSEST).then(|| survey.times[places.start + DENSEST] - t)
        };
        self.surveys.iter().flatten().filter_map(many).fold(h, f64::min)
    }

    /// Keeps in `unnoticed` by how much each excitation has changed in the step before.
    fn look_back(&mut self, system: &mut dyn System, (t, last): (f64, f64)) {
        let n = self.excitations;
        self.unnoticed[..n].fill(0.0);
        if last == 0.0 || n == 0 {
            return;
        }
        system.excitation_values(t, &mut self.values[..n]);
        for part in [0.5, 1.0] {
            system.excitation_values(t - part * last, &mut self.nodes[..n]);
            let changes = self.values[..n].iter().zip(&self.nodes[..n]);
            for (most, (now, then)) in self.unnoticed.iter_mut().zip(changes) {
                *most = most.max((now - then).abs());
            }
        }
    }

    /// Whether a polynomial through `nodes` values follows all excitations over a step, those without a survey where it
    /// is `sampled`, and roughly the straight line between its ends if a method sees no more.
    fn follows_excitations(
        &mut self,
        system: &mut dyn System,
        (t, h): (f64, f64),
        (nodes, sampled): (usize, bool),
        ends_only: Option<f64>,
    ) -> bool {
        let h = self.within(t, h);
        let n = self.excitations;
        let surveys = self.surveys.clone();
        // What jumps at the start of the step has done so at the first place of a survey.
        let near = |survey: &Survey| {
            let places = survey.between(t, t + START * h);
            places.last().map(|k| survey.times[k])
        };
        let start = surveys.iter().flatten().filter_map(near).fold(t, f64::max);
        let h = t + h - start;
        for k in 0..nodes {
            let at = start + node(k, nodes).0 * h;
            system.excitation_values(at, &mut self.nodes[k * n..(k + 1) * n]);
        }
        self.begin(n, nodes);
        if sampled {
            let samples = self.samples(h, SPACING);
            for k in 0..samples {
                let x = place(k, samples);
                system.excitation_values(start + x * h, &mut self.values[..n]);
                self.compare(0..n, nodes, x);
            }
        }
        for (i, survey) in surveys.iter().enumerate() {
            let Some(survey) = survey else { continue };
            for k in survey.between(start, start + h) {
                self.values[i] = survey.values[k];
                self.compare(i..i + 1, nodes, (survey.times[k] - start) / h);
                // By more than the variation in this step can allow.
                if self.misfit[i] > (MISFIT * survey.variation).max(ROUNDING * self.high[i].abs()) {
                    return false;
                }
            }
        }
        for i in (0..n).filter(|i| sampled && surveys.get(*i).is_none_or(Option::is_none)) {
            let range = self.high[i] - self.low[i];
            if range.is_finite() {
                self.memory.variation[i] = self.memory.variation[i].max(range);
            }
        }
        (0..n).all(|i| {
            let range = self.high[i] - self.low[i];
            let rounding = ROUNDING * self.high[i].abs().max(self.low[i].abs());
            let mut flat = FLAT;
            let variation = match surveys.get(i).and_then(Option::as_ref) {
                Some(survey) if survey.between(start, start + h).is_empty() => return true,
                Some(survey) => survey.variation,
                None if !sampled => return true,
                None => {
                    flat = ends_only.unwrap_or(FLAT);
                    self.memory.variation[i]
                }
            };
            let most = (MISFIT * range).max(NEGLIGIBLE * variation).max(rounding);
            let bent = BENT * range.max(self.unnoticed[i]);
            let straight = || self.bow(n, nodes, i) <= bent.max(flat * variation).max(rounding);
            self.misfit[i] <= most && (ends_only.is_none() || straight())
        })
    }

    /// By how much a straight line between the ends misses the nodes in between.
    fn bow(&self, n: usize, nodes: usize, i: usize) -> f64 {
        let value = |k: usize| self.nodes[k * n + i];
        let (first, last) = (value(0), value(nodes - 1));
        let miss = |k: usize| (value(k) - first - node(k, nodes).0 * (last - first)).abs();
        (1..nodes - 1).map(miss).fold(0.0, f64::max)
    }

    /// The range of the first `n` functions over the nodes.
    fn begin(&mut self, n: usize, nodes: usize) {
        self.compared = n;
        self.low[..n].fill(f64::INFINITY);
        self.high[..n].fill(f64::NEG_INFINITY);
        self.misfit[..n].fill(0.0);
        for values in self.nodes[..n * nodes].chunks_exact(n) {
            for (i, value) in values.iter().enumerate() {
                self.low[i] = self.low[i].min(*value);
                self.high[i] = self.high[i].max(*value);
            }
        }
    }

    /// Compares `values` of some functions with their polynomials at a place.
    fn compare(&mut self, which: Range<usize>, nodes: usize, x: f64) {
        let n = self.compared;
        let mut factors = [0.0; MOST];
        let mut sum = 0.0;
        for (k, factor) in factors[..nodes].iter_mut().enumerate() {
            let (at, weight) = node(k, nodes);
            if x == at {
                return;
            }
            *factor = weight / (x - at);
            sum += *factor;
        }
        for i in which {
            let value = self.values[i];
            self.low[i] = self.low[i].min(value);
            self.high[i] = self.high[i].max(value);
            let columns = self.nodes[i..].iter().step_by(n).take(nodes);
            let polynomial = columns.zip(&factors).map(|(y, f)| y * f).sum::<f64>() / sum;
            // What is not a number is left to the step itself.
            self.misfit[i] = self.misfit[i].max((value - polynomial).abs());
        }
    }

    /// Whether a step is one to look into by residuals; the parabola is ready then.
    fn looks_by_residuals(&mut self, stepper: &dyn Stepper, t: f64, h: f64) -> bool {
        let expected = t < self.memory.watch_to;
        // What is known to be narrow may come in any motion.
        let narrow = self.widths.iter().any(|width| width.is_finite());
        let long = if narrow { SHORT } else { LONG };
        if self.hidden == Hidden::Nothing || !(expected || h > long * self.length()) {
            return false;
        }
        let last = stepper.last_h();
        self.bend.fill(0.0);
        if self.hidden == Hidden::Unknown {
            // At rest: nothing moves by a tolerance in the whole step.
            return expected || h * self.norm(stepper, stepper.yp()) <= 1.0;
        }
        if last == 0.0 {
            return true;
        }
        stepper.interpolate(t - last, &mut self.y, &mut self.yp);
        // The cubic through both ends of the last step, and its slopes: what is left of it over the next one.
        let (y, yp) = (stepper.y(), stepper.yp());
        let stretch = h / last;
        for i in 0..y.len() {
            let cubic = last * (yp[i] + self.yp[i]) - 2.0 * (y[i] - self.y[i]);
            self.bend[i] = (yp[i] - self.yp[i]) / last;
            self.y[i] = cubic * stretch.powi(3);
        }
        let steady = self.norm(stepper, &self.y) <= STEADY;
        steady || expected || narrow
    }

    /// Whether a polynomial follows what depends on the state over a step in which this goes on along its parabola;
    /// none where it leaves the domain of the equations.
    fn follows_state(
        &mut self,
        equations: &mut Equations<'_>,
        stepper: &dyn Stepper,
        (t, h): (f64, f64),
        nodes: usize,
    ) -> Option<bool> {
        let h = self.within(t, h);
        let (n, spacing) = match self.hidden {
            Hidden::Places => (self.features, SPACING),
            _ => (self.y.len(), WIDE),
        };
        self.begin_course(equations, stepper, (t, h));
        let samples = self.samples(h, spacing).max(self.samples_by_distance());
        for k in 0..nodes {
            self.look(equations, stepper, (t, h), node(k, nodes).0)?;
            self.nodes[k * n..(k + 1) * n].copy_from_slice(&self.values[..n]);
        }
        // What tolerances do.
        self.nudge(stepper, h);
        if self.hidden == Hidden::Places {
            let system = &mut *equations.system;
            system.place_coordinates(t, &self.y, &self.yp, &mut self.coordinates);
            system.place_values(t, &self.coordinates, &mut self.unnoticed[..n]);
        } else {
            let Self { y, yp, unnoticed, .. } = self;
            let nudged = equations.residual(Purpose::Other, t, y, yp, &mut unnoticed[..n]);
            nudged.ok()?;
        }
        for (change, first) in self.unnoticed.iter_mut().zip(&self.nodes[..n]) {
            *change = (*change - first).abs();
        }
        self.begin(n, nodes);
        for k in 0..samples {
            let x = place(k, samples);
            self.look(equations, stepper, (t, h), x)?;
            self.compare(0..n, nodes, x);
        }
        let coarse = COARSE[usize::from(h <= LONG * self.length())];
        Some((0..n).all(|i| {
            let most = coarse * (self.high[i] - self.low[i]);
            // What is not a number is left to the step itself.
            self.misfit[i].is_nan() || self.misfit[i] <= most.max(self.unnoticed[i])
        }))
    }

    /// The state after a while, where it goes on along its parabola.
    fn go_on(&mut self, stepper: &dyn Stepper, after: f64) {
        for i in 0..self.y.len() {
            let (start, slope) = (stepper.y()[i], stepper.yp()[i]);
            self.y[i] = start + after * (slope + 0.5 * after * self.bend[i]);
            self.yp[i] = slope + after * self.bend[i];
        }
    }

    /// The state at hand, a tolerance aside.
    fn nudge(&mut self, stepper: &dyn Stepper, h: f64) {
        let weights = stepper.weights().reciprocal();
        for i in 0..self.y.len() {
            let sign = if (i * 7) % 3 == 1 { -1.0 } else { 1.0 };
            let small = if self.judged[i] { sign / weights[i] } else { 0.0 };
            self.y[i] = stepper.y()[i] + small;
            self.yp[i] = stepper.yp()[i] + small / h;
        }
    }

    /// Coordinates of places at both ends of a step and in the middle.
    fn begin_course(&mut self, equations: &mut Equations<'_>, stepper: &dyn Stepper, (t, h): (f64, f64)) {
        let n = self.coordinates.len();
        if self.hidden != Hidden::Places || n == 0 {
            return;
        }
        for k in 0..3 {
            let after = 0.5 * k as f64 * h;
            self.go_on(stepper, after);
            let part = &mut self.course[k * n..(k + 1) * n];
            let system = &mut *equations.system;
            system.place_coordinates(t + after, &self.y, &self.yp, part);
        }
    }

    /// What depends on the state, at a place of the step, in `values`.
    fn look(
        &mut self,
        equations: &mut Equations<'_>,
        stepper: &dyn Stepper,
        (t, h): (f64, f64),
        x: f64,
    ) -> Option<()> {
        let n = self.y.len();
        if self.hidden == Hidden::Places {
            let many = self.coordinates.len();
            for (i, coordinate) in self.coordinates.iter_mut().enumerate() {
                let [a, b, c] = [0, 1, 2].map(|k| self.course[k * many + i]);
                // The parabola through three points.
                *coordinate = a + x * (4.0 * b - 3.0 * a - c + 2.0 * x * (a - 2.0 * b + c));
            }
            let (coordinates, values) = (&self.coordinates, &mut self.values[..self.features]);
            equations.system.place_values(t + x * h, coordinates, values);
            return Some(());
        }
        self.go_on(stepper, x * h);
        let Self { y, yp, values, .. } = self;
        let looked = equations.residual(Purpose::Other, t + x * h, y, yp, &mut values[..n]);
        looked.ok()
    }
}
