//! Which rows of g are independent: dependent ones are dropped once, before the integration.
//!
//! Rows may say the same thing twice: a planar four-bar linkage of spatial revolute joints has
//! 5 loop rows of rank 2. The rank that counts is the *generic* one, the largest over the start and
//! a few other positions that the mechanism can reach; a start with less is a singularity, not a
//! redundancy. Rows are chosen by QR with pivoting of (G L⁻ᵀ)ᵀ, M = L Lᵀ, where their dependence is
//! clearest. The choice is deterministic.

use super::border::Border;
use super::closure::{Closure, distance, exceeds, moved};
use super::open::unit;
use super::report::Level;
use super::report::{DoubtfulRow, DroppedRow, ReactionUniqueness, RowReport};
use crate::elements::constraints::RowLevel;
use crate::formalism::eigen::PivotedQr;
use crate::formalism::reactions::{ReactionElement, ReactionLoad};
use crate::model::Model;
use crate::signal::Signal;
use core::ops::Range;

/// Distances from the start at which other positions are looked for: rad, or parts of the size.
const DISTANCES: [f64; 6] = [0.3, 0.05, 0.7, 0.15, 0.4, 0.02];

/// Other positions after which the search ends when the rank is that of the start in all of them.
const ENOUGH: usize = 3;

/// Distances over which dropped rows are checked.
const CHECKS: [f64; 3] = [0.02, 0.1, 0.05];

/// Gap of a dropped row, where the others are closed to the tolerance, that is still rounding.
const DROPPED_GAP: f64 = 1e-7;

/// Gap that counts as closed at another position, in parts of the square of its distance: a position of
/// a mechanism that cannot move is open by about half of that.
const NEARNESS: f64 = 0.01;

/// However weak the dependence on some motions: more than this part is no error of the data.
const MOST_NOISE: f64 = 0.01;

/// Errors explain this many times what is seen of them in one place.
const EXPLAINED: f64 = 30.0;

/// Gap of another position that the mechanism can reach, in gaps of the start.
const REACHED: f64 = 100.0;

/// Rows are chosen at the start where those chosen elsewhere are worse there by this factor.
const BETTER: f64 = 3.0;

/// Part of the largest load of a self-equilibrated state that counts as nothing.
const NO_LOAD: f64 = 1e-7;

/// Rows that are not satisfied although they depend on the others, by number, with their gaps.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Contradiction(pub Vec<(usize, f64)>);

/// Numbers that look random, the same at every run [Knuth 1997, MMIX].
#[derive(Clone, Debug)]
pub(super) struct Random(pub u64);

impl Random {
    /// The next number between −1 and 1.
    pub fn next(&mut self) -> f64 {
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }
}

/// How far errors turn motions of a mechanism, when dependent rows lack so much and chosen ones have at least so much of
/// their own: positions are off by δ/σ, the directions that stay free by as much again over σ.
fn turned(lacking: f64, least: f64) -> f64 {
    (EXPLAINED * lacking / (least * least)).min(MOST_NOISE)
}

/// A position with the dependence of all rows there.
struct Sample {
    q: Vec<f64>,
    offsets: Vec<f64>,
    /// Largest gap of the geometry there, in relative errors of the data, and in what rows are measured by.
    misfit: f64,
    gap: f64,
    qr: PivotedQr,
}

impl Sample {
    /// Lengths of independent or dependent rows, each in what it is measured by.
    fn lengths<'a>(&'a self, closure: &'a Closure, places: Range<usize>) -> impl Iterator<Item = f64> + 'a {
        let own = |place: usize| self.qr.lengths[place] * closure.data_unit(self.qr.pivots[place]);
        places.map(own)
    }

    /// The shortest independent part of the chosen rows.
    fn least(&self, closure: &Closure) -> f64 {
        self.lengths(closure, 0..self.qr.rank).fold(1.0, f64::min)
    }

    /// The same of other rows here.
    fn least_of(&self, closure: &mut Closure, rows: &[usize]) -> f64 {
        if closure.linearise(&self.q).is_err() {
            return 0.0;
        }
        let qr = closure.dependence(rows, &vec![0; rows.len()], 0.0);
        let own = qr.lengths.iter().zip(&qr.pivots);
        own.map(|(x, &place)| x * closure.data_unit(rows[place]))
            .fold(1.0, f64::min)
    }

    /// The most that rows beyond so many lack.
    fn lacking(&self, closure: &Closure, rank: usize) -> f64 {
        self.lengths(closure, rank..self.qr.lengths.len())
            .fold(self.gap, f64::max)
    }

    /// How far errors of the data may turn motions of the mechanism: what dependent rows lack, through rows
    /// that hardly depend on some motions.
    fn noise(&self, closure: &Closure) -> f64 {
        turned(self.lacking(closure, self.qr.rank), self.least(closure))
    }
}

/// Chooses independent rows; q must satisfy all of them.
pub(super) fn choose(closure: &mut Closure, q: &[f64], tolerance: f64) -> Result<RowReport, Contradiction> {
    let model = closure.model.clone();
    let all: Vec<usize> = (0..model.rows.len()).collect();
    let groups: Vec<u8> = all.iter().map(|&i| group(&model, i)).collect();
    let n_v = model.tree.n_v;
    if all.is_empty() {
        return Ok(RowReport {
            degrees_of_freedom: n_v,
            uniqueness: uniqueness(closure, q, &[], 0.0),
            ..RowReport::default()
        });
    }
    let samples = samples(closure, q, &groups, tolerance);
    // Where nothing can be evaluated there is no sample; closing has refused such positions.
    let Some(start) = samples.first() else {
        return Err(Contradiction(all.iter().map(|&i| (i, f64::NAN)).collect()));
    };
    let rank = start.qr.rank;
    // What is open there by more than the errors that show at the start is no position of the mechanism.
    let reached = |s: &&Sample| s.misfit <= REACHED * start.misfit.max(tolerance);
    let generic_rank = samples
        .iter()
        .filter(reached)
        .map(|s| s.qr.rank)
        .fold(rank, usize::max);
    let mut best = start;
    for s in samples.iter().filter(|s| s.qr.rank == generic_rank) {
        if best.qr.rank < generic_rank || s.qr.conditioning() > best.qr.conditioning() {
            best = s;
        }
    }
    // Rows that hardly depend on some motions at the start turn errors of the data into contradictions there.
    if start.qr.rank == generic_rank
        && start.least(closure) > BETTER * start.least_of(closure, best.qr.choice().0)
    {
        best = start;
    }
    let (active, left_out) = best.qr.choice();
    let (mut active, mut left_out) = (active.to_vec(), left_out.to_vec());
    active.sort_unstable();
    left_out.sort_unstable();
    let noise = best.noise(closure);
    // Velocities and accelerations are asked of the start, where the chosen rows may depend less on some motions.
    let noise_at_start = if start.qr.rank == generic_rank {
        let lacking = start.lacking(closure, generic_rank);
        let lacking = if left_out.is_empty() {
            lacking
        } else {
            lacking.max(closure.precision)
        };
        noise.max(turned(lacking, start.least_of(closure, &active)))
    } else {
        noise
    };
    closure.offsets.copy_from_slice(&best.offsets);
    let wrong = broken(closure, best, &active, &left_out, &groups, tolerance);
    let null = closure.null_vectors(&all, &best.qr);
    let uniqueness = uniqueness(closure, &best.q, &null, noise);
    closure.offsets.fill(0.0);
    if !wrong.is_empty() {
        return Err(Contradiction(wrong));
    }
    let name = |row: usize| {
        let constraint = model.constraints[model.rows[row].constraint].name.clone();
        (constraint, model.rows[row].name.clone())
    };
    let dropped = left_out.iter().map(|&row| {
        let (constraint, name) = name(row);
        DroppedRow {
            row,
            constraint,
            name,
            misfit: 0.0,
            unit: unit(closure, row, Level::Position),
        }
    });
    let near_border = |row: usize| {
        let (constraint, name) = name(row);
        DoubtfulRow {
            row,
            constraint,
            name,
            active: active.binary_search(&row).is_ok(),
            independent_part: best.qr.length(row) * closure.data_unit(row),
        }
    };
    let doubtful = best.qr.doubtful.iter().map(|&row| near_border(row)).collect();
    let weakest = best.qr.pivots[..generic_rank].last().map(|&row| near_border(row));
    Ok(RowReport {
        dropped: dropped.collect(),
        active,
        rank,
        generic_rank,
        singular_start: rank < generic_rank,
        degrees_of_freedom: n_v - generic_rank,
        uniqueness,
        doubtful,
        weakest,
        scales: closure.gap_scale.clone(),
        noise,
        noise_at_start,
    })
}

/// Order in which rows are taken: conditions on positions first, because they imply more than those
/// on velocities; drivers after the geometry, so that of too many drivers one is dropped, not a loop.
fn group(model: &Model, row: usize) -> u8 {
    let r = &model.rows[row];
    match (&model.constraints[r.constraint].element, r.level) {
        (_, RowLevel::Nonholonomic) => 2,
        (element, _) if element.signal().is_some_and(Signal::varies) => 1,
        _ => 0,
    }
}

/// The start, and positions near it that the geometry allows: drivers and prescribed coordinates
/// are at other values there, as if at another time.
fn samples(closure: &mut Closure, q: &[f64], groups: &[u8], tolerance: f64) -> Vec<Sample> {
    let model = closure.model.clone();
    let all: Vec<usize> = (0..groups.len()).collect();
    let geometry: Vec<usize> = all.iter().copied().filter(|&i| groups[i] == 0).collect();
    let border = Border::new(closure.precision);
    let mut samples: Vec<Sample> = Vec::new();
    let mut random = Random(1);
    for &most in [0.0].iter().chain(&DISTANCES) {
        let same = |samples: &[Sample]| samples.iter().all(|s| s.qr.rank == samples[0].qr.rank);
        if samples.len() > ENOUGH && same(&samples) {
            break;
        }
        let mut far = most;
        // Shorter where it does not close.
        for _ in 0..4 {
            let mut there = q.to_vec();
            closure.offsets.fill(0.0);
            if far > 0.0 {
                let Some(step) = free_direction(closure, q, &geometry, &mut random) else {
                    break;
                };
                there = moved(&model, q, &step, far);
                for (s, signal) in model.signals.iter().enumerate().filter(|(_, s)| s.varies()) {
                    closure.offsets[s] = far * random.next() * signal_unit(closure, s);
                    debug_assert!(signal.is_finite());
                }
                let enough = border.enough().min(NEARNESS * far * far);
                let closed = closure.close(&mut there, &geometry, tolerance, enough).is_ok();
                let shifted = closure.offsets.iter().any(|x| *x != 0.0);
                if !closed || !(shifted || distance(closure, &there, q) > 0.1 * far) {
                    far *= 0.3;
                    continue;
                }
            }
            if closure.linearise(&there).is_ok() {
                let gaps = closure.gaps(&there);
                // Errors that show in one place are there in all of them.
                let shown =
                    |here: f64, of: fn(&Sample) -> f64| samples.first().map_or(here, |s| here.max(of(s)));
                let misfit = shown(closure.largest_misfit(&gaps, &geometry), |s| s.misfit);
                let gap = shown(closure.largest_gap(&gaps, &geometry), |s| s.gap);
                samples.push(Sample {
                    misfit,
                    gap,
                    qr: closure.dependence(&all, groups, misfit),
                    offsets: closure.offsets.clone(),
                    q: there,
                });
            }
            break;
        }
    }
    closure.offsets.fill(0.0);
    samples
}

/// What a prescribed coordinate is measured by.
fn signal_unit(closure: &Closure, signal: usize) -> f64 {
    let nodes = &closure.model.tree.nodes;
    let node = nodes.iter().find(|node| node.prescribed == Some(signal));
    use crate::tree::NodeKind::{PrismaticTurned, PrismaticX, PrismaticY, PrismaticZ};
    match node.map(|node| node.kind) {
        Some(PrismaticX | PrismaticY | PrismaticZ | PrismaticTurned) => closure.size,
        _ => 1.0,
    }
}

/// Velocities of unit size along which the given rows do not change; zero when nothing can move,
/// none when the position cannot be evaluated.
fn free_direction(closure: &mut Closure, q: &[f64], rows: &[usize], random: &mut Random) -> Option<Vec<f64>> {
    closure.linearise(q).ok()?;
    let gaps = closure.gaps(q);
    let gap = closure.largest_misfit(&gaps, rows);
    let qr = closure.dependence(rows, &vec![0; rows.len()], gap);
    let mut y: Vec<f64> = (0..closure.model.tree.n_v).map(|_| random.next()).collect();
    if qr.rank == y.len() {
        y.fill(0.0);
        return Some(y);
    }
    qr.remove_range(&mut y);
    closure.unscale(&mut y);
    let size = closure.largest_step(&y);
    if size > 0.0 {
        y.iter_mut().for_each(|x| *x /= size);
    }
    Some(y)
}

/// Dropped rows of the geometry that do not hold where the kept ones do.
fn broken(
    closure: &mut Closure,
    at: &Sample,
    kept: &[usize],
    dropped: &[usize],
    groups: &[u8],
    tolerance: f64,
) -> Vec<(usize, f64)> {
    let geometry =
        |rows: &[usize]| -> Vec<usize> { rows.iter().copied().filter(|&i| groups[i] == 0).collect() };
    let (kept, dropped) = (geometry(kept), geometry(dropped));
    if dropped.is_empty() {
        return Vec::new();
    }
    let model = closure.model.clone();
    let mut random = Random(7);
    for far in CHECKS {
        let Some(step) = free_direction(closure, &at.q, &kept, &mut random) else {
            continue;
        };
        let mut there = moved(&model, &at.q, &step, far);
        // Another branch, far away, says nothing about this one.
        if closure.close(&mut there, &kept, tolerance, tolerance).is_err()
            || distance(closure, &there, &at.q) > 3.0 * far
        {
            continue;
        }
        let gaps = closure.gaps(&there);
        let noise = (DROPPED_GAP * far).max(at.noise(closure));
        // Errors of the data are larger in rows of small loops between large coordinates.
        let misfit = (EXPLAINED * at.misfit).min(MOST_NOISE);
        let wrong = |i: &&usize| {
            let limit = noise.max(misfit * closure.data_unit(**i));
            exceeds(gaps[**i] / closure.gap_scale[**i], limit)
        };
        let wrong: Vec<(usize, f64)> = dropped.iter().filter(wrong).map(|&i| (i, gaps[i])).collect();
        if !wrong.is_empty() {
            return wrong;
        }
    }
    Vec::new()
}

/// Looks which reactions change under multipliers that are in equilibrium by themselves.
fn uniqueness(closure: &mut Closure, q: &[f64], null: &[Vec<f64>], noise: f64) -> Vec<ReactionUniqueness> {
    let model = closure.model.clone();
    let elements = ReactionElement::all(&model);
    let mut out: Vec<ReactionUniqueness> = elements
        .iter()
        .map(|&element| ReactionUniqueness {
            name: element.name(&model).to_owned(),
            element,
            components: vec![true; if element.sides(&model).is_some() { 6 } else { 1 }],
        })
        .collect();
    if null.is_empty() || closure.linearise(q).is_err() {
        return out;
    }
    let all: Vec<usize> = (0..model.rows.len()).collect();
    let mut rest = vec![0.0; model.tree.n_v];
    let size = closure.size;
    // One memory for all of them: there are as many as loops, and each is of all rows.
    let mut multipliers = vec![0.0; all.len()];
    let mut parts: Vec<Components> = Vec::with_capacity(elements.len());
    for z in null {
        for ((x, z), scale) in multipliers.iter_mut().zip(z).zip(&closure.gap_scale) {
            *x = z / scale;
        }
        let work = &mut closure.work;
        work.clear_loads();
        work.add_multipliers(&model, &all, &multipliers, 1.0);
        work.project_loads(&model, &mut rest);
        parts.clear();
        let mut view = work.view(&model, Some(&multipliers));
        parts.extend(elements.iter().map(|e| in_newton(&e.load(&mut view), size)));
        // At least what a single row would give, so that rounding is not taken for a load.
        let largest = |generalised: bool| {
            let rows = all.iter().filter(|&&i| {
                let c = &model.constraints[model.rows[i].constraint];
                c.element.sides().is_none() == generalised
            });
            let single = |&i: &usize| {
                if generalised {
                    1.0 / closure.gap_scale[i]
                } else {
                    1.0 / size
                }
            };
            let least = rows.map(single).fold(f64::INFINITY, f64::min);
            let some = parts.iter().filter(|p| (p.count == 1) == generalised);
            let least = if least.is_finite() { least } else { 0.0 };
            some.flat_map(Components::get).fold(least, |a, x| a.max(x.abs()))
        };
        let (wrench, generalised) = (largest(false), largest(true));
        for (u, parts) in out.iter_mut().zip(&parts) {
            let scale = if parts.count == 1 { generalised } else { wrench };
            for (unique, x) in u.components.iter_mut().zip(parts.get()) {
                *unique &= x.abs() <= NO_LOAD.max(noise) * scale;
            }
        }
    }
    out
}

/// One number or six.
struct Components {
    numbers: [f64; 6],
    count: usize,
}

impl Components {
    fn get(&self) -> &[f64] {
        &self.numbers[..self.count]
    }
}

/// Components of a load, moments divided by the size of the mechanism.
fn in_newton(load: &ReactionLoad, size: f64) -> Components {
    match load {
        ReactionLoad::Generalised(x) => Components {
            numbers: [*x, 0.0, 0.0, 0.0, 0.0, 0.0],
            count: 1,
        },
        ReactionLoad::Wrench(w) => {
            let ([a, b, c], [d, e, f]) = (w.force.0, w.moment.0.map(|x| x / size));
            Components {
                numbers: [a, b, c, d, e, f],
                count: 6,
            }
        }
    }
}
