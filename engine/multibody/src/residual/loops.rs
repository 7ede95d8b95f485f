//! [`Loops`]: what becomes of the constraints on positions in a run.
//!
//! All rows are watched, also those that the others imply and that take no part: where the loops come
//! apart, the run ends. Rows are exchanged where the ones that take part worsen. With B = G in lengths of the
//! mechanism and rad, a dropped row is b = Σ zᵢ bᵢ in those that take part; where some |zᵢ| is large, it would do
//! much better than row i: the volume spanned grows by |zᵢ| when it takes its place. As long as all |z| are
//! below a bound, the rows that take part are as well conditioned as any choice can be up to a factor in that
//! bound [Goreinov, Tyrtyshnikov, Zamarashkin 1997], and no dropped row is further open than that many times
//! the others.
//!
//! Rows take the place of rows of the same constraint, which move with the same coordinates: sparsity,
//! names and sizes stay what they are.

mod closed;
mod passage;

use super::Form;
use crate::elements::constraints::ConstraintElement;
use crate::elements::constraints::RowLevel;
use crate::mechanical::follow;
use crate::model::Model;
use crate::start::{Dependence, RowReport, RowScales};
use crate::workspace::Workspace;
use core::fmt::Write;
use core::ops::Range;
use holonom_dae::{FailureKind, Look, SingularPosition, Tolerances};
use passage::{Before, LARGEST, PassageRoom, WAIT};

/// Rows are exchanged where a dropped one would be better by this factor.
const EXCHANGE: f64 = 5.0;

/// A row that is this close to the span of the others does not take any one's place: next to singular positions
/// of all rows nothing is better than anything else.
const NO_BETTER: f64 = 1e-6;

/// Gaps up to so many tolerances are closed.
const TOLERABLE: f64 = 10.0;

/// Gap, in parts of the size, up to which forms that keep velocities or accelerations may drift, and any form in
/// steps of fixed size.
const DRIFT: f64 = 1e-2;

/// A dropped row may be open by so many times what those of its joint were found open by near the start, where the data
/// do not close all rows at once.
const MISFIT: f64 = 30.0;

/// A position where the distance from dependence is below this part of the largest is close to a singular one.
const SINGULAR: f64 = 0.1;

/// Least cosine of the angle by which a closed joint may be off what it means.
const MEANT: f64 = 0.5;

/// Operations of one look at the dependence of rows that are not counted: a step costs more. Larger mechanisms are
/// looked at every so many steps.
const FREE: usize = 30_000;

/// Rows that share coordinates, directly or through others.
#[derive(Clone, Debug, Default)]
struct Part {
    /// All rows, increasing.
    rows: Vec<usize>,
    /// Velocities they depend on, increasing.
    columns: Vec<usize>,
    /// Places of its rows in the active ones.
    places: Vec<usize>,
    /// Whether a row of it can be exchanged.
    exchanges: bool,
    /// Looked at every so many steps.
    period: usize,
    /// Where its memory lies among the discrete variables.
    memory: Range<usize>,
}

/// The constraints on positions of a mechanism.
#[derive(Clone, Debug)]
pub(crate) struct Loops {
    /// All rows that are conditions on positions, those of contacts left out.
    rows: Vec<usize>,
    /// Constraints whose rows vanish on branches that they do not mean.
    branched: Vec<usize>,
    /// What g of each row of the model is measured by, and each velocity.
    scales: RowScales,
    /// Relative error of the data.
    precision: f64,
    /// By which a row may be open because of the data, by its number in the model.
    slack: Vec<f64>,
    /// Places in the active rows of those that can be exchanged, increasing.
    slots: Vec<usize>,
    parts: Vec<Part>,
    /// Where the memory begins among the discrete variables: the time looked at, the rows in the slots, the
    /// parts.
    first: usize,
    keeps_positions: bool,
    keeps_velocities: bool,
}

/// Memory of [`Loops`] for one evaluation, and of the last exchange.
#[derive(Clone, Debug)]
pub(crate) struct LoopsRoom {
    gaps: Vec<f64>,
    matrix: Vec<f64>,
    dependence: Dependence,
    /// What the last exchange did to multipliers: place, factor for it, and what it adds to others.
    carries: Vec<Carry>,
    words: String,
    passage: PassageRoom,
}

#[derive(Clone, Debug)]
struct Carry {
    place: usize,
    factor: f64,
    others: Vec<(usize, f64)>,
}

impl Loops {
    /// For the active rows of a mechanism; `contacts` of them, the last ones, are open or closed. None where
    /// nothing is kept.
    pub fn new(
        model: &Model,
        active: &[usize],
        contacts: usize,
        form: Form,
        (rows, scales, precision): (&RowReport, RowScales, f64),
        read: &dyn Fn(usize) -> bool,
    ) -> Option<Self> {
        let switched = model.switched();
        let watched: Vec<usize> = (0..model.rows.len())
            .filter(|&i| model.rows[i].level == RowLevel::Holonomic && !switched.contains(&i))
            .collect();
        if form == Form::Ode || watched.is_empty() {
            return None;
        }
        let mut slack = vec![0.0; model.rows.len()];
        let mut open = vec![false; model.constraints.len()];
        let dropped = || rows.dropped.iter().filter(|d| watched.contains(&d.row));
        let constraint = |row: usize| model.rows[row].constraint;
        // Errors of the data are in all rows of a joint, wherever they show at the start.
        let mut misfits = vec![0.0_f64; model.constraints.len()];
        for d in dropped() {
            let misfit = &mut misfits[constraint(d.row)];
            *misfit = misfit.max(d.misfit.abs() / scales.gap[d.row]);
            open[constraint(d.row)] = true;
        }
        for d in dropped() {
            slack[d.row] = MISFIT * misfits[constraint(d.row)] * scales.gap[d.row];
        }
        // What something reads keeps its multiplier.
        let exchanged = |row: usize| {
            let constraint = model.rows[row].constraint;
            watched.binary_search(&row).is_ok()
                && open[constraint]
                && !model.constraints[constraint].rows.clone().any(read)
        };
        let slots: Vec<usize> = (0..active.len() - contacts)
            .filter(|&k| exchanged(active[k]))
            .collect();
        let mut loops = Self {
            parts: parts(model, &watched, active, &slots),
            rows: watched,
            branched: branched(model),
            scales,
            precision,
            slack,
            slots,
            first: contacts,
            keeps_positions: matches!(form, Form::Ggl | Form::Index3),
            keeps_velocities: matches!(form, Form::Ggl | Form::Index2),
        };
        let mut memory = loops.first + 1 + loops.slots.len();
        for part in &mut loops.parts {
            let end = memory + part.memory();
            part.memory = memory..end;
            memory = end;
        }
        Some(loops)
    }

    /// Start values of what is remembered between steps.
    pub fn memory(&self, n_q: usize, active: &[usize]) -> Vec<f64> {
        let end = self.positions_before(n_q).end;
        let mut memory = vec![0.0; end - self.first];
        // Before any time looked at.
        memory[0] = f64::MIN;
        for (x, &k) in memory[1..].iter_mut().zip(&self.slots) {
            *x = active[k] as f64;
        }
        memory
    }

    /// Places in the active rows of those that can be exchanged.
    pub fn slots(&self) -> &[usize] {
        &self.slots
    }

    /// Brings the active rows to those in the discrete variables.
    pub fn follow(&self, discrete: &[f64], active: &mut [usize]) {
        let rows = discrete.get(self.first + 1..).unwrap_or_default();
        follow(&self.slots, rows, active);
    }

    pub fn room(&self, model: &Model) -> LoopsRoom {
        let most = |f: fn(&Part) -> usize| self.parts.iter().map(f).max().unwrap_or(0);
        let rows = most(|p| p.rows.len());
        LoopsRoom {
            gaps: vec![0.0; self.rows.len()],
            matrix: vec![0.0; rows * model.tree.n_v],
            dependence: Dependence::new(rows, most(|p| p.places.len()), most(|p| p.columns.len())),
            carries: Vec::new(),
            words: String::new(),
            passage: PassageRoom::new(model, &self.parts),
        }
    }

    /// Exchanges active rows where others are much better at these positions, whatever was before.
    pub fn choose(
        &self,
        model: &Model,
        (t, q): (f64, &[f64]),
        active: &mut [usize],
        (work, room): (&mut Workspace<f64>, &mut LoopsRoom),
    ) {
        work.set_time(model, t);
        work.set_positions(model, q);
        for part in self.parts.iter().filter(|part| part.exchanges) {
            self.depend(model, part, active, work, room);
            self.exchange(model, part, active, room);
        }
        room.carries.clear();
    }

    /// Looks at a state; the active rows are those of the discrete variables.
    pub fn look(
        &self,
        model: &Model,
        (t, q, v): (f64, &[f64], &[f64]),
        tolerances: Option<&Tolerances>,
        discrete: &mut [f64],
        active: &mut [usize],
        (work, room): (&mut Workspace<f64>, &mut LoopsRoom),
    ) -> Result<Look, FailureKind> {
        let memory = self.first;
        let n_q = model.tree.n_q;
        let positions = self.positions_before(n_q);
        if discrete[memory] == t {
            return Ok(Look::Same);
        }
        work.set_time(model, t);
        work.set_positions(model, q);
        work.constraint(model, &self.rows, &mut room.gaps);
        self.closed(model, tolerances, &room.gaps)?;
        if let Some(&turned) = self.branched.iter().find(|&&c| work.branch(model, c) < MEANT) {
            return Err(FailureKind::TurnedOver {
                joint: model.constraints[turned].name.clone(),
                remedy: "Limit `max_step`, or tighten the tolerances",
            });
        }
        room.carries.clear();
        let mut look = Look::Same;
        for part in &self.parts {
            let follows = part.is_followed();
            if !(part.exchanges || follows) {
                continue;
            }
            let wait = &mut discrete[part.memory.start + WAIT];
            if *wait > 0.0 {
                *wait -= 1.0;
                continue;
            }
            *wait = (part.period - 1) as f64;
            self.depend(model, part, active, work, room);
            if follows {
                self.follow_kernel(part, &discrete[part.memory.clone()], room);
            }
            if part.exchanges && self.exchange(model, part, active, room) {
                let jumps = |&(row, g): &(usize, f64)| {
                    let place = part.places.iter().find(|&&k| active[k] == row);
                    place.is_some() && g.abs() > 0.1 * self.tolerance(model, row, tolerances)
                };
                let mut gaps = self.rows.iter().copied().zip(room.gaps.iter().copied());
                let mut restart = self.keeps_positions && gaps.any(|gap| jumps(&gap));
                if self.keeps_velocities {
                    work.set_velocities(model, v);
                    let rates = &mut room.gaps[..];
                    work.constraint_velocity(model, &self.rows, rates);
                    let most = part.columns.iter().fold(0.0_f64, |most, &j| {
                        most.max((v[j] / self.scales.velocity[j]).abs())
                    });
                    restart |= self.rows.iter().zip(rates.iter()).any(|(&row, rate)| {
                        let own = part.places.iter().any(|&k| active[k] == row);
                        let relative = tolerances.map_or(DRIFT, |to| to.rtol);
                        let tolerance =
                            self.tolerance(model, row, tolerances) + relative * most * self.scales.gap[row];
                        own && rate.abs() > 0.1 * tolerance
                    });
                    work.constraint(model, &self.rows, &mut room.gaps);
                }
                let before = look == Look::Exchanged { restart: true };
                look = Look::Exchanged {
                    restart: restart || before,
                };
            }
            if follows {
                let (parts, q_before) = discrete.split_at_mut(positions.start);
                let before = Before {
                    t: parts[memory],
                    q: &q_before[..n_q],
                };
                let own = &mut parts[part.memory.clone()];
                self.pass(model, part, (t, q, before), active, own, (work, room))?;
            }
        }
        discrete[positions.clone()].copy_from_slice(&q[..positions.len()]);
        for (x, &k) in discrete[memory + 1..].iter_mut().zip(&self.slots) {
            *x = active[k] as f64;
        }
        discrete[memory] = t;
        Ok(look)
    }

    /// B of a part at the positions in the workspace, with the dependence of its rows.
    fn depend(
        &self,
        model: &Model,
        part: &Part,
        active: &[usize],
        work: &mut Workspace<f64>,
        room: &mut LoopsRoom,
    ) {
        let (m, n) = (part.rows.len(), model.tree.n_v);
        let matrix = &mut room.matrix[..m * n];
        work.constraint_matrix(model, &part.rows, matrix);
        room.dependence.set(m, part.columns.len(), |i, j| {
            let column = part.columns[j];
            matrix[column * m + i] * self.scales.velocity[column] / self.scales.gap[part.rows[i]]
        });
        let kept = part
            .places
            .iter()
            .filter_map(|&k| part.rows.binary_search(&active[k]).ok());
        room.dependence.choose(kept);
    }

    /// Exchanges rows of a part as long as others are much better; whether there were any.
    fn exchange(&self, model: &Model, part: &Part, active: &mut [usize], room: &mut LoopsRoom) -> bool {
        let mut any = false;
        for _ in 0..2 * part.rows.len() {
            let may = |i: usize, k: usize| {
                let (new, place) = (part.rows[i], part.places[k]);
                self.slots.binary_search(&place).is_ok()
                    && model.rows[new].constraint == model.rows[active[place]].constraint
            };
            let Some((i, k)) = room.dependence.better(EXCHANGE, NO_BETTER, may) else {
                break;
            };
            let (new, place) = (part.rows[i], part.places[k]);
            let old = active[place];
            // G λ stays: the old row is the new one less its shares in the others, each in its own unit.
            let scale = |row: usize| self.scales.gap[row];
            let z = room.dependence.shares();
            let others = part.places.iter().enumerate().filter(|(other, _)| *other != k);
            let others = others.map(|(other, &p)| (p, -scale(old) * z[other] / (z[k] * scale(active[p]))));
            let others = others.collect();
            room.carries.push(Carry {
                place,
                factor: scale(old) / (scale(new) * z[k]),
                others,
            });
            let names = (&model.rows[new].name, &model.rows[old].name);
            if !any {
                room.words.clear();
            }
            let comma = if any { ", " } else { "" };
            // Writing to a string does not fail.
            let _ = write!(room.words, "{comma}`{}` for `{}`", names.0, names.1);
            active[place] = new;
            any = true;
            room.dependence.swap(k, i);
        }
        any
    }

    /// The singular position at which a state is, if it is close to one.
    pub fn singular_position(
        &self,
        model: &Model,
        (t, q): (f64, &[f64]),
        discrete: &[f64],
        active: &[usize],
        (work, room): (&mut Workspace<f64>, &mut LoopsRoom),
    ) -> Option<SingularPosition> {
        work.set_time(model, t);
        work.set_positions(model, q);
        let singular = self.parts.iter().find(|part| {
            self.depend(model, part, active, work, room);
            let largest = discrete[part.memory.start + LARGEST];
            room.dependence.distance() < SINGULAR * largest
        })?;
        let coordinates =
            model.tree.nodes.iter().filter(|node| {
                (node.v..node.v + node.n_v()).any(|j| singular.columns.binary_search(&j).is_ok())
            });
        let mut text = String::new();
        for i in coordinates.flat_map(|node| node.q..node.q + node.n_q()) {
            let comma = if text.is_empty() { "" } else { ", " };
            let _ = write!(text, "{comma}{} = {:.6}", model.position_names[i], q[i]);
        }
        Some(SingularPosition {
            constraints: constraints(model, singular),
            coordinates: text,
        })
    }

    /// Multipliers of the kind of λ, one for each active row, after the last exchange.
    pub fn carry(&self, room: &LoopsRoom, lambda: &mut [f64]) {
        for carry in &room.carries {
            let old = lambda[carry.place];
            for &(place, share) in &carry.others {
                lambda[place] += share * old;
            }
            lambda[carry.place] = carry.factor * old;
        }
    }
}

impl LoopsRoom {
    /// The last exchange in words.
    pub fn words(&self) -> &str {
        &self.words
    }
}

/// Constraints that can be closed on a branch that they do not mean.
fn branched(model: &Model) -> Vec<usize> {
    let branches = |&c: &usize| matches!(&model.constraints[c].element, ConstraintElement::Pair(pair) if pair.has_branches());
    (0..model.constraints.len()).filter(branches).collect()
}

/// Rows grouped by the coordinates they share.
fn parts(model: &Model, watched: &[usize], active: &[usize], slots: &[usize]) -> Vec<Part> {
    let columns_of = |constraint: usize| -> Vec<usize> {
        let c = &model.constraints[constraint];
        let terms = match &c.element {
            ConstraintElement::Coordinates(sum) => sum.terms.as_slice(),
            _ => &[],
        };
        let nodes = c.to_path.iter().chain(&c.from_path).copied();
        let nodes = nodes.chain(terms.iter().map(|term| term.0));
        nodes
            .map(|node| &model.tree.nodes[node])
            .flat_map(|node| node.v..node.v + node.n_v())
            .collect()
    };
    let mut parts: Vec<Part> = Vec::new();
    for &row in watched {
        let mut part = Part {
            rows: vec![row],
            columns: columns_of(model.rows[row].constraint),
            ..Part::default()
        };
        // All that share something with it become one.
        parts.retain(|other| {
            let shares = other.columns.iter().any(|j| part.columns.contains(j));
            if shares {
                part.rows.extend(&other.rows);
                part.columns.extend(&other.columns);
            }
            !shares
        });
        part.columns.sort_unstable();
        part.columns.dedup();
        parts.push(part);
    }
    for part in &mut parts {
        part.rows.sort_unstable();
        let own = |&k: &usize| part.rows.binary_search(&active[k]).is_ok();
        part.places = (0..active.len()).filter(own).collect();
        part.exchanges = part.places.iter().any(|k| slots.binary_search(k).is_ok());
        let (r, n) = (part.places.len(), part.columns.len());
        part.period = 1 + r * r.max(part.rows.len() - r) * n / FREE;
    }
    parts
}

/// Names of the constraints of a part.
fn constraints(model: &Model, part: &Part) -> String {
    let mut names: Vec<String> = Vec::new();
    for &row in &part.rows {
        let name = format!("`{}`", model.constraints[model.rows[row].constraint].name);
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names.join(", ")
}
