//! Mechanisms from seeds.
//!
//! Bodies are placed first, then joints at random places, with markers that fit both bodies: so loops close. Velocities are
//! drawn and projected. The oracle counts degrees of freedom; positions in which that number is not clear, or not the same
//! nearby, are drawn again: what a study judges has one right answer. The same seed gives the same mechanism.

pub mod branches;
mod builder;
pub mod excitations;
mod families;
mod forces;
pub mod machines;
pub mod toml;

use crate::geometry::{V3, add, scale};
use crate::mechanism::Mechanism;
use crate::oracle::{Oracle, State};
use crate::random::Random;
use builder::Builder;

/// Kinds of mechanisms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Family {
    /// Open mechanisms with joints of all kinds.
    Tree,
    /// Loops of any joints.
    Generic,
    /// Loops in a plane somewhere in space.
    Planar,
    /// Loops with all axes through one point.
    Spherical,
    /// Loops with all axes on one line.
    Coaxial,
    /// Planar loops with joints of all kinds on them.
    Mixed,
    /// Bennett's linkage.
    Bennett,
    /// Sarrus' linkage, also with a third leg.
    Sarrus,
    /// Bricard's linkages with a symmetry.
    Bricard,
    /// Two or three parallel cranks.
    Parallelogram,
    /// Several hinges on one axis, or parallel guides.
    Door,
    /// Loops of slides.
    Slides,
}

impl Family {
    /// All of them.
    pub const ALL: [Self; 12] = [
        Self::Tree,
        Self::Generic,
        Self::Planar,
        Self::Spherical,
        Self::Coaxial,
        Self::Mixed,
        Self::Bennett,
        Self::Sarrus,
        Self::Bricard,
        Self::Parallelogram,
        Self::Door,
        Self::Slides,
    ];

    /// Those with loops.
    pub fn closed() -> &'static [Self] {
        &Self::ALL[1..]
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Tree => "tree",
            Self::Generic => "generic",
            Self::Planar => "planar",
            Self::Spherical => "spherical",
            Self::Coaxial => "coaxial",
            Self::Mixed => "mixed",
            Self::Bennett => "bennett",
            Self::Sarrus => "sarrus",
            Self::Bricard => "bricard",
            Self::Parallelogram => "parallelogram",
            Self::Door => "door",
            Self::Slides => "slides",
        }
    }
}

/// What is asked of a mechanism.
#[derive(Clone, Copy, Debug)]
pub struct Wanted {
    /// Its family.
    pub family: Family,
    /// Decades of sizes, m.
    pub sizes: (f64, f64),
    /// Whether there may be force elements.
    pub forces: bool,
    /// Whether coordinates may be prescribed or coupled.
    pub drives: bool,
    /// Whether it moves at the start.
    pub moving: bool,
}

impl Wanted {
    /// Anything of a family, 10⁻³ to 10³ m.
    pub fn of(family: Family) -> Self {
        Self {
            family,
            sizes: (-3.0, 3.0),
            forces: true,
            drives: true,
            moving: true,
        }
    }
}

/// Why a draw is not used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rejected {
    /// No two bodies could be joined.
    NothingToClose,
    /// No degree of freedom is left.
    NoFreedom,
    /// The construction has no such position.
    DoesNotClose,
    /// The number of degrees of freedom is not clear, or not the same nearby.
    Singular,
    /// Drives ask for what joints forbid.
    Contradiction,
}

/// Draws before a seed is given up.
const DRAWS: u64 = 2000;
/// Smallest to largest singular value of rows that are clearly independent, and of rows that are clearly not.
const CLEAR: f64 = 1e-3;
const NOTHING: f64 = 1e-11;
/// How far positions next to the start are, in sizes and radians.
const NEARBY: f64 = 0.02;

/// The mechanism of a seed; `None` when no draw is good, which does not happen for the families here.
pub fn generate(seed: u64, wanted: &Wanted) -> Option<Mechanism> {
    (0..DRAWS).find_map(|k| draw(seed, k, wanted).ok())
}

/// One draw.
fn draw(seed: u64, k: u64, wanted: &Wanted) -> Result<Mechanism, Rejected> {
    let mut random = Random::of(seed, k + ((wanted.family as u64) << 32));
    let size = random.decades(wanted.sizes.0, wanted.sizes.1);
    let gravity = random.weighted(&[(0, 0.6), (1, 0.3), (2, 0.1)]);
    let gravity = match gravity {
        0 => [0.0, 0.0, -9.81],
        1 => scale(9.81, random.direction()),
        _ => [0.0; 3],
    };
    let mut b = Builder::new(random, size);
    families::build(&mut b, wanted.family)?;
    if wanted.drives && b.random.chance(0.25) {
        forces::add_drives(&mut b);
    }
    if wanted.forces {
        forces::add_forces(&mut b);
    }
    let t_end = b.tau * b.random.decades(-0.3, 0.8);
    let (mut mechanism, mut random) = finished(b, (seed, wanted.family), gravity, t_end);
    judge(&mut mechanism, &mut random)?;
    let speed = if !wanted.moving || random.chance(0.1) {
        0.0
    } else {
        random.within(0.1, 1.0)
    };
    set_velocities(&mut mechanism, &mut random, speed)?;
    Ok(mechanism)
}

/// What was built, still to be judged and set in motion.
fn finished(b: Builder, (seed, family): (u64, Family), gravity: V3, t_end: f64) -> (Mechanism, Random) {
    let mechanism = Mechanism {
        seed,
        family,
        size: b.size,
        tau: b.tau,
        gravity,
        bodies: b.bodies,
        frames: b.frames,
        joints: b.joints,
        constraints: b.constraints,
        forces: b.forces,
        t_end: rounded(t_end),
        freedoms: 0,
        rank: 0,
        condition: 1.0,
    };
    (mechanism, b.random)
}

/// Three digits.
fn rounded(x: f64) -> f64 {
    format!("{x:.2e}").parse().unwrap_or(x)
}

/// Counts the degrees of freedom, here and nearby.
fn judge(m: &mut Mechanism, random: &mut Random) -> Result<(), Rejected> {
    let oracle = Oracle::new(m);
    let start = oracle.start();
    debug_assert!(
        oracle.opening(&start) < 1e-9,
        "{} {}: a joint does not fit: {}",
        m.family.name(),
        m.seed,
        oracle.worst_row(&start)
    );
    let values = oracle.singular_values(&start);
    let largest = values.first().copied().unwrap_or(0.0);
    let rank = values.iter().filter(|s| **s > CLEAR * largest).count();
    if values.get(rank).is_some_and(|s| *s > NOTHING * largest) {
        return Err(Rejected::Singular);
    }
    let freedoms = 6 * m.bodies.len() - rank;
    if freedoms == 0 {
        return Err(Rejected::NoFreedom);
    }
    let mut oracle = oracle;
    oracle.set_rank(rank);
    for sign in [1.0, -1.0] {
        let there = oracle.nearby(&start, random, sign * NEARBY);
        let there = there.ok_or(Rejected::Singular)?;
        let values = oracle.singular_values(&there);
        let largest = values.first().copied().unwrap_or(0.0);
        let same = values.iter().filter(|s| **s > 1e-8 * largest).count() == rank;
        if !same {
            return Err(Rejected::Singular);
        }
    }
    m.condition = if rank > 0 { values[rank - 1] / largest } else { 1.0 };
    (m.rank, m.freedoms) = (rank, freedoms);
    Ok(())
}

/// Draws velocities and makes them fit.
fn set_velocities(m: &mut Mechanism, random: &mut Random, speed: f64) -> Result<(), Rejected> {
    let oracle = Oracle::new(m);
    let mut start: State = oracle.start();
    for b in 0..m.bodies.len() {
        let draw = |random: &mut Random, unit: f64| -> [f64; 3] {
            std::array::from_fn(|_| speed * unit / m.tau * random.normal())
        };
        let (v, w) = (draw(random, m.size), draw(random, 1.0));
        start.set_velocity(b, v, w);
    }
    for _ in 0..2 {
        oracle.project_velocities(&mut start);
    }
    if oracle.velocity_gap(&start) > 1e-9 * (1.0 + speed) / m.tau {
        return Err(Rejected::Contradiction);
    }
    for (b, body) in m.bodies.iter_mut().enumerate() {
        (body.velocity, body.omega) = start.velocity(b);
    }
    let rates: Vec<_> = (0..m.joints.len())
        .map(|j| oracle.joint_rates(&start, j))
        .collect();
    for (joint, rates) in m.joints.iter_mut().zip(rates) {
        (joint.rates, joint.angular_velocity) = rates;
    }
    Ok(())
}

/// A mechanism whose bodies start a little off: the twin that tells chaos. Positions move by `off` sizes and radians along
/// what is free, velocities by `off` of their unit.
pub fn twin(oracle: &Oracle, start: &State, seed: u64, off: f64) -> Option<State> {
    let mut random = Random::of(seed, 99);
    let mut there = oracle.nearby(start, &mut random, off)?;
    let (size, tau) = (oracle.size(), oracle.tau());
    for b in 0..oracle.bodies() {
        let (v, w) = there.velocity(b);
        let more = |random: &mut Random, x, unit: f64| {
            add(x, std::array::from_fn(|_| off * unit / tau * random.normal()))
        };
        let (v, w) = (more(&mut random, v, size), more(&mut random, w, 1.0));
        there.set_velocity(b, v, w);
    }
    oracle.project_velocities(&mut there);
    Some(there)
}
