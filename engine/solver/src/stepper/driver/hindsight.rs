//! A look back along each step, so that nothing that acts inside of it goes unnoticed.
//!
//! An error test knows the equations only where they were evaluated. Two bodies that meet and part within a step never
//! touch in any evaluation. Laws that act within a narrow range tell their distance from it ([`Gap`]), which changes no
//! faster than they say. So a motion that is known at two instants cannot have come close in between where the sum of
//! both distances exceeds the speed times the time; elsewhere the interval is halved. This is conservative advancement
//! [Mirtich 1996], along the polynomial of the method, and after the step, when that is known. Far from all ranges it
//! takes no evaluation for many steps.
//!
//! A step is cut where a range begins that it has passed: up to there its polynomial satisfies the equations. The
//! method starts anew from there, with steps that do not pass the range again.

use super::super::Stepper;
use super::defect::{Defect, EFFECT, UNSATISFIED};
use super::laws::{LawMemory, Laws};
use crate::equations::Equations;
use crate::options::Options;
use holonom_dae::{Gap, System};
use serde::{Deserialize, Serialize};

/// What is remembered between steps.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct HindsightMemory {
    /// The length of the interval of interest.
    span: f64,
    /// The end of the step looked at last.
    #[serde(with = "crate::numbers::one")]
    looked_to: f64,
    /// Where this step is to be cut.
    pub cut: Option<Cut>,
    /// Up to here steps are to be no longer than this.
    limit: Option<[f64; 2]>,
    /// Up to here nothing can act.
    #[serde(with = "crate::numbers::one")]
    clear_to: f64,
    /// Looks since the motion began.
    looks: u32,
    /// Largest change of the speed of each gap per time, seen lately.
    #[serde(with = "crate::numbers::many")]
    acceleration: Vec<f64>,
    /// The gaps at the last end of a step that was looked at, and its time.
    last: Vec<Gap>,
    at: f64,
    /// What is remembered of laws.
    laws: LawMemory,
    /// Residuals spent on checks, those of the last one, and the size of the step checked last, which fades.
    spent: u64,
    cost: u64,
    #[serde(with = "crate::numbers::one")]
    checked: f64,
}

/// Where a step is to be cut.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cut {
    /// The time up to which the step is right.
    pub t: f64,
    /// What begins to act there.
    pub what: Passed,
    /// Until when shorter steps are needed, and their size.
    pub limit: [f64; 2],
}

/// What a step has passed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Passed {
    /// A gap, by its number.
    Gap(usize),
    /// A law, by the number of its value.
    Law(usize),
    /// Something, as the equations tell that its polynomial does not satisfy.
    Something,
}

/// By how much the speed of a gap may exceed those at both ends of an interval.
const FASTER: f64 = 1.5;
/// Looks at the beginning of a motion during which it is not extrapolated: accelerations are not known yet.
const FIRST: u32 = 2;
/// Part of a distance that may be used up without a look, and steps of the last size for that.
const USED: f64 = 0.25;
const STEPS: f64 = 50.0;
/// What is left from look to look of the largest acceleration seen.
const FADES: f64 = 0.9;
/// Looks into one step at most.
const MOST: u32 = 200;
/// Steps within a range that was passed, from its border to its deepest point.
const WITHIN: f64 = 4.0;
/// Share of the residuals that checks of the equations inside of steps may take, and what is left from step to step of the
/// size of the one that was checked last.
const CHECKS: f64 = 0.015;
const LESS: f64 = 0.95;
/// Where a step is checked, away from stages and regular places: at the first, and where something is known to come at all.
const CHECKED: [f64; 7] = [0.618, 0.083, 0.201, 0.354, 0.472, 0.764, 0.916];
/// Share of the way in a step, and tolerances, by which the polynomial of the step may leave the cubic through its ends
/// without being checked.
const STRAYS: f64 = 0.02;
const STRAYS_TOLERANCES: f64 = 100.0;
/// Parts into which a step is divided whose polynomial does not satisfy the equations.
const PARTS: f64 = 8.0;
/// Places inside of a step at which a method of high order is looked at in any case.
const INSIDE: [f64; 3] = [0.23, 0.5, 0.77];

/// The gaps at one time.
#[derive(Clone, Debug)]
struct Instant {
    t: f64,
    gaps: Vec<Gap>,
}

/// The look back.
pub struct Hindsight {
    memory: HindsightMemory,
    count: usize,
    laws: Laws,
    /// The last step comes near to a range.
    near: bool,
    defect: Defect,
    off: bool,
    /// Known instants of the step, the later ones first, for the search.
    stack: Vec<Instant>,
    /// How many of them are in use.
    depth: usize,
    start: Instant,
    y: Vec<f64>,
    yp: Vec<f64>,
    middle: Vec<f64>,
    slopes: Vec<f64>,
}

/// Instants of a search at most: halving reaches rounding before.
const ROOM: usize = 64;

impl Hindsight {
    /// For a system over a span of time.
    pub fn new(system: &mut dyn System, options: &Options, span: f64) -> Self {
        let n = system.structure().dimension();
        let off = !options.foresight || options.fixed_step.is_some();
        let gaps = if off { 0 } else { system.gaps() };
        let laws = Laws::new(system, options, if off { 0.0 } else { span });
        let room = || Instant {
            t: 0.0,
            gaps: vec![Gap::NONE; gaps],
        };
        Self {
            memory: HindsightMemory {
                looked_to: f64::MIN,
                span: if off { 0.0 } else { span },
                clear_to: f64::MIN,
                acceleration: vec![0.0; gaps],
                last: vec![Gap::NONE; gaps],
                laws: laws.memory.clone(),
                ..HindsightMemory::default()
            },
            count: gaps,
            defect: Defect::new(system, options, off),
            near: false,
            off,
            laws,
            stack: (0..if gaps > 0 { ROOM } else { 0 }).map(|_| room()).collect(),
            depth: 0,
            start: room(),
            y: vec![0.0; n],
            yp: vec![0.0; n],
            middle: vec![0.0; n],
            slopes: vec![0.0; n],
        }
    }

    pub fn memory(&self) -> &HindsightMemory {
        &self.memory
    }

    /// Takes back a memory; false when it does not fit.
    pub fn restore(&mut self, memory: &HindsightMemory) -> bool {
        let fits = memory.last.len() == self.count
            && memory.acceleration.len() == self.count
            && memory.laws.fits(&self.laws.memory);
        if fits {
            self.memory.clone_from(memory);
            self.laws.span = memory.span;
            self.laws.memory.clone_from(&memory.laws);
        }
        fits
    }

    /// Nothing is known of the motion after a restart.
    pub fn begin(&mut self, t: f64) {
        let memory = &mut self.memory;
        memory.looked_to = t;
        memory.clear_to = f64::MIN;
        memory.looks = 0;
        memory.cut = None;
        // Velocities may jump there, and with them what laws depend on.
        self.laws.forget_end();
        memory.laws.clone_from(&self.laws.memory);
    }

    /// Keeps steps within a range that was passed short.
    pub fn limit(&self, t: f64, h: f64) -> f64 {
        match self.memory.limit {
            Some([until, size]) if t < until => h.min(size),
            _ => h,
        }
    }

    /// Notes that the step is cut.
    pub fn take_cut(&mut self) {
        if let Some(cut) = self.memory.cut.take() {
            self.memory.limit = Some(cut.limit);
        }
    }

    /// Looks into the last accepted step, once for each; `watched`: something is known to come there.
    pub fn look(&mut self, equations: &mut Equations<'_>, stepper: &mut dyn Stepper, watched: bool) {
        let (t, h) = (stepper.t(), stepper.last_h());
        if self.off || h == 0.0 || t <= self.memory.looked_to {
            return;
        }
        self.memory.looked_to = t;
        self.laws.note_end(equations, stepper);
        let mut cut = None;
        if self.count > 0 && t > self.memory.clear_to {
            cut = self.search(equations, stepper, [t - h, t]);
        }
        let expected = self.memory.limit.is_some_and(|[until, _]| t - h < until);
        let passed = self.laws.look(equations, stepper, &mut self.defect, expected);
        self.memory.laws.clone_from(&self.laws.memory);
        // What comes first.
        cut = match (cut, passed) {
            (Some(a), Some(b)) if b.t < a.t => Some(b),
            (a, b) => a.or(b),
        };
        // Up to there the polynomial must be right.
        let right = cut.map_or(h, |cut| cut.t - (t - h));
        let strays = cut.is_none() && !stepper.tests_all() && self.strays(stepper);
        self.near |= strays;
        if (!expected || strays)
            && let Some(wrong) = self.check(equations, stepper, [t - h, right], watched)
        {
            cut = Some(wrong);
        }
        self.memory.cut = cut;
    }

    /// Whether the polynomial of the step is far from the cubic through its ends, which is right as well where nothing
    /// happens inside.
    fn strays(&mut self, stepper: &dyn Stepper) -> bool {
        let (t, h) = (stepper.t(), stepper.last_h());
        stepper.interpolate(t - h, &mut self.y, &mut self.yp);
        let ends = self.y.iter_mut().zip(&mut self.yp);
        for ((y, yp), (end, slope)) in ends.zip(stepper.y().iter().zip(stepper.yp())) {
            let way = (end - *y).abs().max(h * yp.abs().max(slope.abs()));
            *y = 0.5 * (*y + end) + 0.125 * h * (*yp - slope);
            *yp = way;
        }
        stepper.interpolate(t - 0.5 * h, &mut self.middle, &mut self.slopes);
        let each = self.middle.iter().zip(&self.y).zip(&self.yp);
        each.zip(self.defect.weights(stepper))
            .any(|(((middle, cubic), way), weight)| {
                let off = (middle - cubic).abs();
                off > STRAYS * way && off * weight > STRAYS_TOLERANCES
            })
    }

    /// Checks the equations inside of the step, where this is due.
    fn check(
        &mut self,
        equations: &mut Equations<'_>,
        stepper: &mut dyn Stepper,
        [from, h]: [f64; 2],
        watched: bool,
    ) -> Option<Cut> {
        let memory = &mut self.memory;
        let near = std::mem::take(&mut self.near) && !(stepper.sees_its_end() && stepper.tests_all());
        memory.checked *= LESS;
        let spent = (memory.spent + memory.cost.max(1)) as f64;
        let affordable = spent <= CHECKS * equations.counters.residual_equivalents();
        let due = near || watched || (affordable && h >= memory.checked);
        if !due || !self.defect.is_possible() {
            return None;
        }
        let before = equations.counters.residuals;
        stepper.prepare_interpolation(equations);
        let places = if watched { &CHECKED[..] } else { &CHECKED[..1] };
        let (mut at, mut differs) = (from, 0.0);
        for part in places {
            let size = self.defect.measure(equations, stepper, from + part * h)? * h;
            if size > differs {
                (at, differs) = (from + part * h, size);
            }
        }
        memory.cost = equations.counters.residuals - before;
        memory.spent += memory.cost;
        memory.checked = h;
        let wrong = differs > UNSATISFIED && !self.defect.is_mended(equations, stepper, at);
        wrong.then(|| Cut {
            t: from,
            what: Passed::Something,
            limit: [from + h, h / PARTS],
        })
    }

    /// The gaps at a time inside of the last step, at the end of the stack.
    fn push(&mut self, equations: &mut Equations<'_>, stepper: &dyn Stepper, t: f64) {
        stepper.interpolate(t, &mut self.y, &mut self.yp);
        equations.counters.looks += 1;
        let place = &mut self.stack[self.depth];
        self.depth += 1;
        place.t = t;
        equations.system.gap_values(t, &self.y, &self.yp, &mut place.gaps);
        for gap in &mut place.gaps {
            if !(gap.distance.is_finite() && gap.speed.is_finite()) {
                *gap = Gap::NONE;
            }
        }
    }

    /// Whether gap `i` cannot have mattered between two instants.
    fn is_clear(a: &Instant, b: &Instant, i: usize, faster: f64) -> bool {
        let (p, q) = (a.gaps[i], b.gaps[i]);
        let way = faster * FASTER * p.speed.max(q.speed) * (b.t - a.t);
        let depth = 0.5 * (way - p.distance - q.distance);
        depth <= p.depth.max(q.depth)
    }

    fn search(
        &mut self,
        equations: &mut Equations<'_>,
        stepper: &mut dyn Stepper,
        [from, to]: [f64; 2],
    ) -> Option<Cut> {
        self.depth = 0;
        let known = self.memory.looks > 0 && self.memory.at == from;
        if known {
            self.start.t = from;
            self.start.gaps.copy_from_slice(&self.memory.last);
        }
        self.push(equations, stepper, to);
        self.extrapolate(to, to - from);
        if !known {
            self.push(equations, stepper, from);
            self.depth -= 1;
            std::mem::swap(&mut self.start, &mut self.stack[1]);
        }
        if let Some(gap) = self.crossed() {
            // Forces have changed from nothing to stiff ones, or back. With the matrix of before corrections are of another
            // size than errors, and iterations that have not converged seem to have.
            if let Some(corrector) = stepper.corrector() {
                corrector.request_evaluation();
            }
            if !stepper.sees_its_end()
                && let Some(cut) = self.at_border(equations, stepper, gap)
            {
                return Some(cut);
            }
        }
        let slow = stepper.order() <= 5;
        let end = &mut self.stack[0];
        let mut clear = true;
        for i in 0..self.count {
            // What acts at either end has been noticed.
            if self.start.gaps[i].distance < 0.0 || end.gaps[i].distance < 0.0 {
                self.start.gaps[i] = Gap::NONE;
                end.gaps[i] = Gap::NONE;
            }
            let faster = if slow { 1.0 } else { 2.0 };
            clear &= Self::is_clear(&self.start, end, i, faster);
        }
        if clear {
            return None;
        }
        self.near = true;
        stepper.prepare_interpolation(equations);
        let inside = if slow { &INSIDE[1..2] } else { &INSIDE[..] };
        for part in inside.iter().rev() {
            self.push(equations, stepper, from + part * (to - from));
            self.forget_noticed();
        }
        let mut left = MOST;
        // Of the interval from `start` to the top of the stack.
        while self.depth > 0 {
            let end = self.depth - 1;
            let touched = (0..self.count).find(|i| self.stack[end].gaps[*i].distance < 0.0);
            if let Some(gap) = touched {
                return Some(self.border(equations, stepper, gap));
            }
            let clear = (0..self.count).all(|i| Self::is_clear(&self.start, &self.stack[end], i, 1.0));
            let middle = 0.5 * (self.start.t + self.stack[end].t);
            let halves = middle > self.start.t && middle < self.stack[end].t;
            if clear || left == 0 || self.depth == ROOM || !halves {
                self.depth -= 1;
                std::mem::swap(&mut self.start, &mut self.stack[end]);
                continue;
            }
            left -= 1;
            self.push(equations, stepper, middle);
            self.forget_noticed();
        }
        None
    }

    /// A gap that is open at `start` and closed at the only instant on the stack, or the other way round.
    fn crossed(&self) -> Option<usize> {
        let (start, end) = (&self.start.gaps, &self.stack[0].gaps);
        (0..self.count).find(|i| (start[*i].distance < 0.0) != (end[*i].distance < 0.0))
    }

    /// Where the step, which begins at `start` and ends at the only instant on the stack, is to be cut because it goes
    /// across the border of a range, and has not seen its part on one side of that.
    fn at_border(
        &mut self,
        equations: &mut Equations<'_>,
        stepper: &mut dyn Stepper,
        gap: usize,
    ) -> Option<Cut> {
        let (from, to) = (self.start.t, self.stack[0].t);
        stepper.prepare_interpolation(equations);
        let cut = self.border(equations, stepper, gap);
        let mut effect = |a: f64, b: f64| {
            let each = self.defect.measure(equations, stepper, 0.5 * (a + b));
            each.map(|each| each * (b - a))
        };
        if effect(from, cut.t)? > EFFECT {
            // Up to the border the polynomial is not right either.
            return Some(Cut {
                t: from,
                limit: [to, (to - from) / PARTS],
                ..cut
            });
        }
        (effect(cut.t, to)? > EFFECT && cut.t > from).then_some(cut)
    }

    /// Leaves out, at the instant on top of the stack, what acts at an end of the step.
    fn forget_noticed(&mut self) {
        let (last, rest) = match self.stack[..self.depth].split_last_mut() {
            Some((last, rest)) => (last, rest),
            None => return,
        };
        let Some(end) = rest.first() else { return };
        for (gap, end) in last.gaps.iter_mut().zip(&end.gaps) {
            if end.distance == f64::MAX {
                *gap = Gap::NONE;
            }
        }
    }

    /// Where gap `i`, open at `start` and closed at the top of the stack or the other way round, closes or opens.
    fn border(&mut self, equations: &mut Equations<'_>, stepper: &dyn Stepper, i: usize) -> Cut {
        let inside = self.stack[self.depth - 1].t;
        let (mut a, mut b) = (self.start.t, inside);
        let closes = self.stack[self.depth - 1].gaps[i].distance < 0.0;
        for _ in 0..60 {
            let middle = 0.5 * (a + b);
            if self.depth == ROOM || middle <= a || middle >= b || b - a <= 1e-3 * (inside - a) {
                break;
            }
            self.push(equations, stepper, middle);
            self.depth -= 1;
            if (self.stack[self.depth].gaps[i].distance < 0.0) == closes {
                b = middle;
            } else {
                a = middle;
            }
        }
        Cut {
            t: a,
            what: Passed::Gap(i),
            limit: [inside, (inside - a) / WITHIN],
        }
    }

    /// Until when nothing can act, as far as the end of the step tells.
    fn extrapolate(&mut self, t: f64, h: f64) {
        let memory = &mut self.memory;
        let passed = t - memory.at;
        let known = memory.looks > 0 && passed > 0.0;
        memory.looks = memory.looks.saturating_add(1);
        memory.at = t;
        let mut clear = STEPS * h;
        for (i, gap) in self.stack[0].gaps.iter().enumerate() {
            if known {
                let change = (gap.speed - memory.last[i].speed).abs() / passed;
                memory.acceleration[i] = change.max(FADES * memory.acceleration[i]);
            }
            memory.last[i] = *gap;
            // s τ + a τ²/2 = d
            // What acts has been noticed, and has to end before it is passed again.
            let (d, s, a) = (USED * gap.distance.abs(), gap.speed, memory.acceleration[i]);
            let root = (s * s + 2.0 * a * d).sqrt();
            if s + root > 0.0 {
                clear = clear.min(2.0 * d / (s + root));
            }
        }
        memory.clear_to = if memory.looks > FIRST { t + clear } else { t };
    }
}
