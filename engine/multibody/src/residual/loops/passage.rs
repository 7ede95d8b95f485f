//! [`Loops::pass`]: the way past singular positions.
//!
//! The directions in which a part can move are the kernel of B. Along a branch it turns with the mechanism, and little
//! in the short time next to a singular position; between branches that cross it jumps. The same holds for any number
//! of degrees of freedom.

use super::{Loops, LoopsRoom, Part, constraints};
use crate::model::Model;
use crate::tree::NodeKind;
use crate::workspace::Workspace;
use core::ops::Range;
use holonom_dae::FailureKind;

/// Below this part of the largest distance from dependence seen so far the rows are close to a singular position; it
/// is left behind at twice as much. Where a part has several degrees of freedom its kernel turns by the others, too.
const NEAR: f64 = 0.1;
const NEAR_WITH_OTHERS: f64 = 0.03;

/// Square of the sine of the angle that the kernel may turn by between both, or in one step elsewhere.
const SAME_DIRECTION: f64 = 0.19;

/// The same in one step next to a singular position: where it turns by more the way between both ends is looked at.
const SAME_IN_A_STEP: f64 = 0.02;

/// Two branches that cross are φψ = 0 in coordinates of their own; with loops open by d they are φψ = d, which turns
/// round at a distance of √d. Distances whose square is below so many times the gap are that of the gap.
const TURN: f64 = 30.0;

/// Errors of the data close and open loops by about as much; in these units the same limit holds for them.
const DATA: f64 = 0.15;

/// The direction in which a singular position is left shows at a distance of so many times the least one.
const SETTLED: f64 = 3.0;

/// Points of a step that are looked at in each round, and rounds, each about the best point of the one before.
const POINTS: usize = 12;
const ROUNDS: usize = 4;

/// Corrections that bring a point of a step to the constraints. Next to branches that cross they converge
/// linearly.
const CORRECTIONS: usize = 8;

/// Sine of half the angle between two rotations from which on the way between them is a turn about their axis.
const EVENLY: f64 = 1e-3;

/// Numbers that the kernel of a part may have; branches of parts that can move in more ways are not told apart.
const MOST_NUMBERS: usize = 300;

/// Places in the memory of a part.
pub(super) const WAIT: usize = 0;
pub(super) const LARGEST: usize = 1;
const LEAST: usize = 2;
const GAP: usize = 3;
/// The sense of the chosen rows with the kernel after them: ±1, or nothing before the first look.
const SIDE: usize = 4;
const KERNELS: usize = 5;

/// What is remembered of the state looked at last.
pub(super) struct Before<'a> {
    pub t: f64,
    pub q: &'a [f64],
}

impl Part {
    /// Degrees of freedom.
    pub(super) fn freedoms(&self) -> usize {
        self.columns.len().saturating_sub(self.places.len())
    }

    /// Whether ways past singular positions are told apart.
    pub(super) fn is_followed(&self) -> bool {
        let f = self.freedoms();
        f > 0 && !self.places.is_empty() && f * self.columns.len() <= MOST_NUMBERS
    }

    /// Numbers it remembers.
    pub(super) fn memory(&self) -> usize {
        let kernel = self.freedoms() * self.columns.len();
        KERNELS + if self.is_followed() { 2 * kernel } else { 0 }
    }
}

/// Room to look at points between two states.
#[derive(Clone, Debug)]
pub(super) struct PassageRoom {
    q: Vec<f64>,
    moved: Vec<f64>,
    x: Vec<f64>,
    v: Vec<f64>,
    gaps: Vec<f64>,
    kernel: Vec<f64>,
    /// To tell senses.
    matrix: Vec<f64>,
    /// How far the kernel turned in the last step, as the square of a sine, and whether the rows were dependent on the
    /// way.
    turned: f64,
    crossed: bool,
}

impl PassageRoom {
    pub fn new(model: &Model, parts: &[Part]) -> Self {
        let most = |f: fn(&Part) -> usize| parts.iter().map(f).max().unwrap_or(0);
        Self {
            q: vec![0.0; model.tree.n_q],
            moved: vec![0.0; model.tree.n_q],
            x: vec![0.0; most(|p| p.columns.len())],
            v: vec![0.0; model.tree.n_v],
            gaps: vec![0.0; most(|p| p.rows.len())],
            kernel: vec![0.0; most(|p| p.memory() - KERNELS)],
            matrix: vec![
                0.0;
                most(|p| if p.is_followed() {
                    p.columns.len().pow(2)
                } else {
                    0
                })
            ],
            turned: 0.0,
            crossed: false,
        }
    }
}

impl Loops {
    /// Compares the kernel of a part, whose dependence is that at the state looked at, with the one before, by the rows
    /// used on the way there: to be called before any are exchanged.
    pub(super) fn follow_kernel(&self, part: &Part, memory: &[f64], room: &mut LoopsRoom) {
        let n = part.columns.len();
        let size = part.freedoms() * n;
        let last = &memory[KERNELS + size..];
        let (dependence, passage) = (&room.dependence, &mut room.passage);
        let kernel = &mut passage.kernel[..size];
        // Kernels are zero before the first look.
        let known = memory[SIDE] != 0.0;
        passage.turned = if known { dependence.across(last, n) } else { 0.0 };
        kernel.copy_from_slice(last);
        dependence.kernel(kernel, n);
        let side = dependence.side(kernel, n, &mut passage.matrix);
        passage.crossed = known && side != memory[SIDE];
    }

    /// Follows the way past a singular position: where branches cross, it should come out in the direction in which it
    /// went in; where they do not, in the other.
    pub(super) fn pass(
        &self,
        model: &Model,
        part: &Part,
        (t, q, before): (f64, &[f64], Before<'_>),
        active: &[usize],
        memory: &mut [f64],
        (work, room): (&mut Workspace<f64>, &mut LoopsRoom),
    ) -> Result<(), FailureKind> {
        let n = part.columns.len();
        let size = part.freedoms() * n;
        let distance = room.dependence.distance();
        let (turned, crossed) = (room.passage.turned, room.passage.crossed);
        let (known, kernels) = memory.split_at_mut(KERNELS);
        let (entry, last) = kernels.split_at_mut(size);
        let kernel = &room.passage.kernel[..size];
        last.copy_from_slice(kernel);
        known[SIDE] = room.dependence.side(kernel, n, &mut room.passage.matrix);
        known[LARGEST] = known[LARGEST].max(distance);
        let part_of_largest = if part.freedoms() == 1 {
            NEAR
        } else {
            NEAR_WITH_OTHERS
        };
        let near = part_of_largest * known[LARGEST];

        let inside = known[LEAST] > 0.0;
        let beside = inside || distance <= 2.0 * near;
        let much = if beside { SAME_IN_A_STEP } else { SAME_DIRECTION };
        let mut least = distance;
        if part.period == 1 && (turned > much || crossed) {
            let step = (before, (t, q));
            least = least.min(self.least_between(model, part, step, active, (work, room)));
        }
        let in_between = least < near && !inside && distance >= near;
        let limit = |gap: f64| (TURN * gap.max(DATA * self.precision)).sqrt();
        let gap = self
            .gap_of(part, &room.gaps)
            .max(if inside { known[GAP] } else { 0.0 });
        if crossed && least > limit(gap) && least < near {
            return Err(FailureKind::NearlySingular {
                constraints: constraints(model, part),
                distance: least / known[LARGEST],
                fault: "a step went straight on across the gap between its branches",
                remedy: "Tighten the tolerances, limit `max_step`, or use the form `ggl`",
            });
        }
        if inside || least < near {
            let so_far = if inside { known[LEAST] } else { least };
            known[LEAST] = so_far.min(least).max(f64::MIN_POSITIVE);
            known[GAP] = gap;
            // A run may end before the neighbourhood is left.
            let settled = distance > limit(gap).max(SETTLED * known[LEAST]);
            if distance <= 2.0 * near && !settled {
                return Ok(());
            }
        }
        if inside || in_between {
            let (least, gap) = (known[LEAST], known[GAP]);
            let turned = room.dependence.across(entry, n) > SAME_DIRECTION;
            if turned && least < limit(gap) {
                return Err(FailureKind::BranchChanged {
                    constraints: constraints(model, part),
                    gap: gap.max(DATA * self.precision),
                    remedy: if !self.keeps_positions {
                        "Use the form `ggl`, which keeps the loops closed"
                    } else if gap < DATA * self.precision {
                        "Give the data with all digits; if they are exact, state it in `data_precision`"
                    } else {
                        "Tighten the tolerances, and give the data with all digits"
                    },
                });
            }
            if distance <= 2.0 * near {
                return Ok(());
            }
            known[LEAST] = 0.0;
        }
        entry.copy_from_slice(last);
        Ok(())
    }

    /// The largest gap of a part's rows, in parts of the size or rad.
    fn gap_of(&self, part: &Part, gaps: &[f64]) -> f64 {
        let part_of_gap = |(&row, g): (&usize, &f64)| {
            let own = part.rows.binary_search(&row).is_ok();
            if own { g.abs() / self.scales.gap[row] } else { 0.0 }
        };
        self.rows.iter().zip(gaps).map(part_of_gap).fold(0.0, f64::max)
    }

    /// The least distance from dependence on the way between two states: on the line between both, along which rotations
    /// turn evenly, brought to the constraints.
    fn least_between(
        &self,
        model: &Model,
        part: &Part,
        (before, (t, q)): (Before<'_>, (f64, &[f64])),
        active: &[usize],
        (work, room): (&mut Workspace<f64>, &mut LoopsRoom),
    ) -> f64 {
        let mut best = (f64::INFINITY, 0.5);
        let mut reach = 0.5;
        for _ in 0..ROUNDS {
            let middle = best.1;
            for k in 0..POINTS {
                let at = (k as f64 + 0.5) / POINTS as f64;
                let x = (middle + reach * (2.0 * at - 1.0)).clamp(0.0, 1.0);
                between(model, (before.q, q), x, &mut room.passage.q);
                work.set_time(model, before.t + x * (t - before.t));
                let distance = self.brought(model, part, active, work, room);
                if distance < best.0 {
                    best = (distance, x);
                }
            }
            reach /= POINTS as f64 / 2.0;
        }
        // Back to the state looked at.
        work.set_time(model, t);
        work.set_positions(model, q);
        self.depend(model, part, active, work, room);
        if best.0.is_finite() {
            best.0
        } else {
            room.dependence.distance()
        }
    }

    /// Brings positions to the constraints of a part; how far from dependence they are there.
    fn brought(
        &self,
        model: &Model,
        part: &Part,
        active: &[usize],
        work: &mut Workspace<f64>,
        room: &mut LoopsRoom,
    ) -> f64 {
        let n = part.columns.len();
        let mut before = f64::INFINITY;
        for _ in 0..CORRECTIONS {
            work.set_positions(model, &room.passage.q);
            self.depend(model, part, active, work, room);
            let passage = &mut room.passage;
            let gaps = &mut passage.gaps[..part.rows.len()];
            work.constraint(model, &part.rows, gaps);
            for (gap, &row) in gaps.iter_mut().zip(&part.rows) {
                *gap /= self.scales.gap[row];
            }
            let x = &mut passage.x[..n];
            room.dependence.nearest(gaps, x);
            // The largest row of those that take part.
            let most = room.dependence.most_of_chosen(gaps);
            if most >= before || most < f64::EPSILON {
                break;
            }
            before = most;
            passage.v.fill(0.0);
            for (&column, x) in part.columns.iter().zip(x.iter()) {
                passage.v[column] = x.clamp(-0.3, 0.3) * self.scales.velocity[column];
            }
            passage.moved.fill(0.0);
            Workspace::velocity_map(model, &passage.q, &passage.v, &mut passage.moved);
            for (q, d) in passage.q.iter_mut().zip(&passage.moved) {
                *q -= d;
            }
            normalise(model, &mut passage.q);
        }
        room.dependence.distance()
    }

    /// Where the positions looked at last are remembered: after all parts.
    pub(super) fn positions_before(&self, n_q: usize) -> Range<usize> {
        let end = self
            .parts
            .last()
            .map_or(self.first + 1 + self.slots.len(), |p| p.memory.end);
        let follows = self.parts.iter().any(Part::is_followed);
        end..end + if follows { n_q } else { 0 }
    }
}

/// Positions at a part of the way between two states: rotations turn evenly, since the chord of Euler parameters leaves the
/// constraints by much where an explicit method turns by half a revolution in a step.
fn between(model: &Model, (a, b): (&[f64], &[f64]), x: f64, out: &mut [f64]) {
    for ((out, a), b) in out.iter_mut().zip(a).zip(b) {
        *out = a + x * (b - a);
    }
    for node in model.tree.nodes.iter().filter(|n| n.kind == NodeKind::Ball) {
        let own = node.q..node.q + 4;
        let (a, b) = (&a[own.clone()], &b[own.clone()]);
        let dot: f64 = a.iter().zip(b).map(|(a, b)| a * b).sum();
        let angle = dot.clamp(-1.0, 1.0).acos();
        // Next to no turn the chord is as good; next to a whole revolution there is no plane to turn in.
        let sine = angle.sin();
        if sine < EVENLY {
            continue;
        }
        let (from, to) = (((1.0 - x) * angle).sin() / sine, (x * angle).sin() / sine);
        for ((out, a), b) in out[own].iter_mut().zip(a).zip(b) {
            *out = from * a + to * b;
        }
    }
    normalise(model, out);
}

/// Makes Euler parameters unit vectors.
fn normalise(model: &Model, q: &mut [f64]) {
    for node in model.tree.nodes.iter().filter(|n| n.kind == NodeKind::Ball) {
        let e = &mut q[node.q..node.q + 4];
        let length = e.iter().map(|x| x * x).sum::<f64>().sqrt();
        if length > 0.0 {
            e.iter_mut().for_each(|x| *x /= length);
        }
    }
}
