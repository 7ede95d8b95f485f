//! Borders between smooth pieces of forces, such as the points of tables and the onset of stops.
//!
//! A method of high order takes long steps, because the solution is smooth. Across the border of two pieces it is not, even
//! where values and first derivatives agree, and the estimate of the error, which compares methods of lower order, does not
//! see what is far below their own errors. Forces tell on which piece they are. After a step, and by extrapolation before it,
//! they are followed along the course of what they depend on. What the quadrature of the method makes of them differs from
//! their integral piece by piece; where the difference would change velocities by a noticeable part of the tolerance, the
//! step ends at the border.
//!
//! Between steps a force is related to accelerations by the ranges of both in the run, which is the right order of magnitude
//! wherever the force moves anything.

use crate::equations::Equations;
use core::ops::Range;
use holonom_dae::{System, Weights};
use serde::{Deserialize, Serialize};

/// Parts of a step at whose ends pieces are compared.
const PARTS: usize = 8;
/// Borders of one force in a step that are told apart.
const MOST: usize = 12;
/// Halvings of a part in which a border lies.
const HALVINGS: u32 = 11;
/// A border before or behind this part of a step is that at which the last one ended or this one does.
const INSIDE: [f64; 2] = [1e-3, 0.99];
/// Part of what a method does not see of a force up to a place that must go away when a step ends at a border before it.
const CAUSED: f64 = 0.5;
/// What is lost of the ranges in every step.
const FADES: f64 = 0.01;
/// Steps are extrapolated by at most this many times the last one.
const FORWARD: f64 = 8.0;
/// The formula of Gauss with five points on [0, 1].
const POINTS: [[f64; 2]; 5] = [
    [0.046_910_077_030_668_0, 0.118_463_442_528_094_5],
    [0.230_765_344_947_158_5, 0.239_314_335_249_683_2],
    [0.5, 0.284_444_444_444_444_4],
    [0.769_234_655_052_841_6, 0.239_314_335_249_683_2],
    [0.953_089_922_969_332, 0.118_463_442_528_094_5],
];
/// Places in a step at which inputs are known.
const PLACES: usize = 3;

/// How a method integrates over a step: by these weights of the values at these places.
#[derive(Clone, Copy)]
pub(super) struct Quadrature<'a> {
    pub places: &'a [f64],
    pub weights: &'a [f64],
    /// Part of the tolerance by which velocities may change unseen.
    pub unseen: f64,
}

/// A step from its beginning to its end.
pub(super) struct Span<'a> {
    pub t: f64,
    pub h: f64,
    pub y: [&'a [f64]; 2],
    pub yp: [&'a [f64]; 2],
}

/// What is remembered between steps.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct PiecesMemory {
    /// Inputs at the places of the last step, one after the other, and its size; zero where there is none.
    #[serde(with = "crate::numbers::many")]
    course: Vec<f64>,
    h: f64,
    /// The ranges of forces and of accelerations.
    #[serde(with = "crate::numbers::many")]
    forces: Vec<f64>,
    #[serde(with = "crate::numbers::many")]
    accelerations: Vec<f64>,
}

/// The look for borders.
pub(super) struct Pieces {
    inputs: usize,
    values: usize,
    /// Velocities among the unknowns.
    v: Range<usize>,
    pub memory: PiecesMemory,
    /// The course in the attempt at hand, or ahead.
    course: Vec<f64>,
    input: Vec<f64>,
    value: Vec<f64>,
    piece: Vec<u64>,
    /// Pieces at the ends of parts, one after the other.
    sampled: Vec<u64>,
    middle: [Vec<f64>; 2],
}

/// Widens a range to a value.
fn widen([low, high]: &mut [f64; 2], x: f64) {
    if x.is_finite() {
        *low = low.min(x);
        *high = high.max(x);
    }
}

impl Pieces {
    /// For a system; none where it has no such forces.
    pub fn new(system: &dyn System) -> Option<Self> {
        let [inputs, values] = system.piecewise();
        let structure = system.structure();
        let v = structure.layout.as_ref()?.v.clone();
        let n = structure.dimension();
        let empty = |n: usize| [f64::MAX, f64::MIN].repeat(n);
        (values > 0).then(|| Self {
            inputs,
            values,
            memory: PiecesMemory {
                course: vec![0.0; PLACES * inputs],
                h: 0.0,
                forces: empty(values),
                accelerations: empty(v.len()),
            },
            v,
            course: vec![0.0; PLACES * inputs],
            input: vec![0.0; inputs],
            value: vec![0.0; values],
            piece: vec![0; values],
            sampled: vec![0; (PARTS + 1) * values],
            middle: [vec![0.0; n], vec![0.0; n]],
        })
    }

    /// Takes back what a checkpoint holds; false where it does not fit.
    pub fn restore(&mut self, memory: &PiecesMemory) -> bool {
        let alike = |a: &[f64], b: &[f64]| a.len() == b.len();
        let fits = alike(&memory.course, &self.memory.course)
            && alike(&memory.forces, &self.memory.forces)
            && alike(&memory.accelerations, &self.memory.accelerations);
        if fits {
            self.memory.clone_from(memory);
        }
        fits
    }

    /// The motion begins afresh.
    pub fn forget(&mut self) {
        self.memory.h = 0.0;
    }

    /// The part of a step that ends at the first border that counts; none where there is none.
    pub fn passed(
        &mut self,
        equations: &mut Equations<'_>,
        weights: &Weights,
        step: &Span<'_>,
        how: Quadrature<'_>,
    ) -> Option<f64> {
        let (n, h) = (self.inputs, step.h);
        if self.memory.h > 0.0 {
            let last = &self.memory.course[(PLACES - 1) * n..];
            self.course[..n].copy_from_slice(last);
        } else {
            let own = &mut self.course[..n];
            equations.counters.looks += 1;
            equations
                .system
                .piecewise_inputs(step.t, step.y[0], step.yp[0], own);
        }
        let [y, yp] = &mut self.middle;
        for i in 0..y.len() {
            let (a, b) = (step.y[0][i], step.y[1][i]);
            let (p, r) = (step.yp[0][i], step.yp[1][i]);
            y[i] = 0.5 * (a + b) + 0.125 * h * (p - r);
            yp[i] = 1.5 * (b - a) / h - 0.25 * (p + r);
        }
        equations.counters.looks += 2;
        let (t, system) = (step.t, &mut *equations.system);
        system.piecewise_inputs(t + 0.5 * h, y, yp, &mut self.course[n..2 * n]);
        system.piecewise_inputs(t + h, step.y[1], step.yp[1], &mut self.course[2 * n..]);
        let ranges = self.memory.accelerations.as_chunks_mut().0;
        for (range, k) in ranges.iter_mut().zip(self.v.clone()) {
            step.yp.iter().for_each(|yp| widen(range, yp[k]));
        }
        self.first_border(equations, weights, h, how)
    }

    /// The step looked at last is accepted.
    pub fn accept(&mut self, h: f64) {
        let memory = &mut self.memory;
        memory.course.copy_from_slice(&self.course);
        memory.h = h;
        for all in [&mut memory.forces, &mut memory.accelerations] {
            for [low, high] in all.as_chunks_mut().0 {
                let lost = 0.5 * FADES * (*high - *low);
                (*low, *high) = (*low + lost, *high - lost);
            }
        }
    }

    /// The part of the next step, which is to be of size `h`, that is likely to end at a border that counts.
    pub fn ahead(
        &mut self,
        equations: &mut Equations<'_>,
        weights: &Weights,
        h: f64,
        how: Quadrature<'_>,
    ) -> Option<f64> {
        let (n, memory) = (self.inputs, &self.memory);
        let forward = h / memory.h;
        if memory.h <= 0.0 || forward > FORWARD {
            return None;
        }
        for (k, own) in self.course.chunks_exact_mut(n).enumerate() {
            let x = 1.0 + forward * k as f64 / (PLACES - 1) as f64;
            along(&memory.course, n, x, own);
        }
        self.first_border(equations, weights, h, how)
    }

    /// Values and pieces at a place of the course.
    fn evaluate(&mut self, equations: &mut Equations<'_>, x: f64) {
        along(&self.course, self.inputs, x, &mut self.input);
        let system = &mut *equations.system;
        system.piecewise_values(&self.input, &mut self.value, &mut self.piece);
    }

    /// One value at a place of the course.
    fn value(&mut self, equations: &mut Equations<'_>, i: usize, x: f64) -> f64 {
        self.evaluate(equations, x);
        self.value[i]
    }

    fn first_border(
        &mut self,
        equations: &mut Equations<'_>,
        weights: &Weights,
        h: f64,
        how: Quadrature<'_>,
    ) -> Option<f64> {
        let n = self.values;
        for part in 0..=PARTS {
            self.evaluate(equations, part as f64 / PARTS as f64);
            self.sampled[part * n..(part + 1) * n].copy_from_slice(&self.piece);
            let ranges = self.memory.forces.as_chunks_mut().0;
            for (range, value) in ranges.iter_mut().zip(&self.value) {
                widen(range, *value);
            }
        }
        let mut first: Option<f64> = None;
        for i in 0..n {
            let pieces = self.sampled[i..].iter().step_by(n);
            if pieces.clone().zip(pieces.skip(1)).all(|(a, b)| a == b) {
                continue;
            }
            let per_force = self.per_force(weights, i);
            if !per_force.is_finite() {
                continue;
            }
            if let Some(x) = self.border_of(equations, i, h * per_force, how) {
                first = Some(first.map_or(x, |first| first.min(x)));
            }
        }
        first
    }

    /// Accelerations, in tolerances of velocities per time, for each unit of a force.
    fn per_force(&self, weights: &Weights, i: usize) -> f64 {
        let [low, high] = self.memory.forces.as_chunks().0[i];
        let ranges = self.memory.accelerations.as_chunks().0;
        let weights = weights.reciprocal();
        let each = ranges.iter().zip(&weights[self.v.clone()]);
        let squares = each.map(|([low, high], w)| {
            let x: f64 = (high - low).max(0.0) * w;
            x * x
        });
        (squares.sum::<f64>() / weights.len() as f64).sqrt() / (high - low)
    }

    /// The first border of force `i` that must not be passed, where its values times `scale` count in tolerances.
    fn border_of(
        &mut self,
        equations: &mut Equations<'_>,
        i: usize,
        scale: f64,
        how: Quadrature<'_>,
    ) -> Option<f64> {
        let (borders, count) = self.borders(equations, i);
        let unseen = |pieces: &mut Self, equations: &mut Equations<'_>, begin: f64, end: f64| {
            let length = end - begin;
            let seen = how.places.iter().zip(how.weights);
            let seen: f64 = seen
                .map(|(c, b)| b * pieces.value(equations, i, begin + c * length))
                .sum();
            let (mut all, mut from) = (0.0, begin);
            let inner = borders[..count].iter().copied();
            for to in inner.filter(|x| *x > begin && *x < end).chain([end]) {
                for [x, weight] in POINTS {
                    all += weight * (to - from) * pieces.value(equations, i, from + x * (to - from));
                }
                from = to;
            }
            (all - seen * length).abs() * scale
        };
        if unseen(self, equations, 0.0, 1.0) <= how.unseen {
            return None;
        }
        for k in 0..count {
            let end = if k + 1 < count { borders[k + 1] } else { 1.0 };
            let border = borders[k];
            if !(INSIDE[0]..INSIDE[1]).contains(&border) {
                continue;
            }
            let most = unseen(self, equations, 0.0, end);
            if most <= how.unseen {
                continue;
            }
            // A force that changes much within a step, wherever it ends, is judged by the test of the error.
            let both = unseen(self, equations, 0.0, border) + unseen(self, equations, border, end);
            if both <= CAUSED * most {
                return Some(border);
            }
        }
        None
    }

    /// Just behind the borders of force `i`, ascending, and how many there are.
    fn borders(&mut self, equations: &mut Equations<'_>, i: usize) -> ([f64; MOST], usize) {
        let n = self.values;
        let (mut borders, mut count) = ([0.0; MOST], 0);
        for part in 0..PARTS {
            let end = self.sampled[(part + 1) * n + i];
            let (mut begin, mut from) = (self.sampled[part * n + i], part as f64 / PARTS as f64);
            let to = (part + 1) as f64 / PARTS as f64;
            while begin != end && count < MOST {
                let (mut a, mut b, mut behind) = (from, to, end);
                for _ in 0..HALVINGS {
                    let middle = 0.5 * (a + b);
                    self.evaluate(equations, middle);
                    if self.piece[i] == begin {
                        a = middle;
                    } else {
                        (b, behind) = (middle, self.piece[i]);
                    }
                }
                borders[count] = b;
                count += 1;
                (from, begin) = (b, behind);
            }
        }
        (borders, count)
    }
}

/// Inputs at a place of a course: the parabola through the three that are known.
fn along(course: &[f64], n: usize, x: f64, out: &mut [f64]) {
    let (a, b, c) = (
        (2.0 * x - 1.0) * (x - 1.0),
        4.0 * x * (1.0 - x),
        x * (2.0 * x - 1.0),
    );
    for (i, out) in out.iter_mut().enumerate() {
        *out = a * course[i] + b * course[n + i] + c * course[2 * n + i];
    }
}
