//! Small motions about a state: eigenvalues, damping ratios and shapes.
//!
//! The linear equations are those of independent coordinates, so that constraints are eliminated and
//! nothing is added to them. Zero eigenvalues are counted by rank and are exactly zero: directions in
//! which nothing holds the mechanism, and motions of constant speed in them. At a state of motion the
//! eigenvalues are those of the equations frozen there, which is right for steady motions in coordinates
//! that do not appear in the equations (the angle of a wheel, the way along a road). Balls are seen from
//! turning axes: a spin Ω shifts their frequencies by Ω.

mod damped;
mod large;
mod undamped;

use crate::AnalysisError;
use crate::dense::{Complex, eigen};
use crate::order::{EQUAL, places, places_by};
use crate::reduced::Reduced;
use crate::tangent::{Equation, State};
use holonom_multibody::Model;
use holonom_multibody::elements::constraints::RowLevel;
use holonom_multibody::start::Assembled;
use large::Pencil;

/// Singular values below this part of the norm of the scaled matrix are zero.
pub(crate) const ZERO: f64 = 1e-13;

/// Free directions of large mechanisms that are told by their shapes, of those that move by themselves.
const DIRECTIONS: usize = 64;

/// Displacements of a body in a mode, in the ground's axes.
#[derive(Clone, Debug, PartialEq)]
pub struct BodyMotion {
    /// Name of the body.
    pub name: String,
    /// Displacement of the origin of its frame.
    pub translation: [Complex; 3],
    /// Small turn.
    pub rotation: [Complex; 3],
}

/// The shape of a small motion.
#[derive(Clone, Debug, PartialEq)]
pub struct Shape {
    /// Displacement of every coordinate: those of
    /// [`displacement_names`](crate::displacement_names).
    pub coordinates: Vec<Complex>,
    /// States of elements.
    pub states: Vec<Complex>,
    /// Bodies without the ground.
    pub bodies: Vec<BodyMotion>,
    /// The coordinate that is one, and by which the others are measured; none for modes of states
    /// alone.
    pub leading: Option<usize>,
}

/// A mode.
#[derive(Clone, Debug, PartialEq)]
pub struct Mode {
    /// Eigenvalue, 1/s; of a conjugate pair the one with positive imaginary part.
    pub eigenvalue: Complex,
    /// Its shape.
    pub shape: Shape,
}

impl Mode {
    /// Whether it oscillates: one of a conjugate pair.
    pub fn oscillates(&self) -> bool {
        self.eigenvalue.im != 0.0
    }

    /// Undamped frequency |λ|/2π, Hz.
    pub fn frequency(&self) -> f64 {
        self.eigenvalue.abs() / core::f64::consts::TAU
    }

    /// Damped frequency Im λ/2π, Hz.
    pub fn damped_frequency(&self) -> f64 {
        self.eigenvalue.im / core::f64::consts::TAU
    }

    /// −Re λ/|λ|: 1 for what creeps back, 0 without damping, negative for what grows.
    pub fn damping_ratio(&self) -> f64 {
        -self.eigenvalue.re / self.eigenvalue.abs()
    }

    /// Whether it grows by more than rounding.
    pub fn grows(&self) -> bool {
        self.eigenvalue.re > 1e-9 * self.eigenvalue.abs()
    }
}

/// Which modes are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub enum Selection {
    /// All of them, from dense matrices.
    #[default]
    All,
    /// So many with the smallest |λ|.
    Lowest(usize),
    /// So many whose eigenvalues are next to i 2π f, with the frequency f in Hz.
    Near {
        /// Hz.
        frequency: f64,
        /// How many.
        count: usize,
    },
    /// All with |λ|/2π between two frequencies, Hz.
    Between {
        /// Hz.
        from: f64,
        /// Hz.
        to: f64,
    },
}

/// How sure it is that no mode of a selection is missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Completeness {
    /// All eigenvalues were computed.
    All,
    /// The signs of L D Lᵀ count as many eigenvalues as were found (Sylvester's law of inertia).
    Counted,
    /// A search from new random vectors found no further one.
    Searched,
    /// The count differs, or the search did not end: modes may be missing.
    #[default]
    Unknown,
}

/// How modes are computed.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct ModesOptions {
    /// Which modes.
    pub selection: Selection,
    /// States up to which matrices are dense and all eigenvalues are computed.
    pub dense_up_to: usize,
}

impl Default for ModesOptions {
    fn default() -> Self {
        Self {
            selection: Selection::All,
            dense_up_to: 500,
        }
    }
}

impl ModesOptions {
    /// Sets [`selection`](Self::selection).
    #[must_use]
    pub fn selection(mut self, selection: Selection) -> Self {
        self.selection = selection;
        self
    }

    /// Sets [`dense_up_to`](Self::dense_up_to).
    #[must_use]
    pub fn dense_up_to(mut self, dense_up_to: usize) -> Self {
        self.dense_up_to = dense_up_to;
        self
    }
}

/// Modes at a state.
#[derive(Clone, Debug, PartialEq)]
pub struct Modes {
    /// Modes with eigenvalues that are not zero, the slowest first; one of every conjugate pair. Of equal eigenvalues
    /// the mode whose shape is measured by the earlier coordinate comes first.
    pub modes: Vec<Mode>,
    /// Number of zero eigenvalues.
    pub zeros: usize,
    /// Displacements that nothing resists: the shapes of the zero eigenvalues. The remaining
    /// `zeros − free` zeros are motions along them at constant speed.
    pub rigid: Vec<Shape>,
    /// Number of such displacements; `rigid` has the shapes of some where there are many.
    pub free: usize,
    /// How sure it is that none is missing.
    pub completeness: Completeness,
    /// The largest backward error of an eigenvalue from sparse matrices: |K x − ω² M x| in parts of |K| |x|, or, with
    /// damping, |B x − θ x| in parts of |θ| |x| with B = (σ E − A)⁻¹ E and θ = 1/(σ − λ).
    pub residual: Option<f64>,
    /// Degrees of freedom of velocities.
    pub degrees_of_freedom: usize,
    /// Number of states: independent displacements, velocities and states of elements.
    pub states: usize,
    /// The largest |v̇|, in the units of its coordinate, at the state: nothing at an equilibrium or in
    /// steady motion.
    pub unsteadiness: f64,
}

impl Modes {
    /// Modes that grow.
    pub fn growing(&self) -> usize {
        let count = |m: &Mode| if m.oscillates() { 2 } else { 1 };
        self.modes.iter().filter(|m| m.grows()).map(count).sum()
    }
}

/// All modes of a mechanism at a state: that of [`equilibrium`](crate::statics::equilibrium), or any
/// other, see [`state_of`].
///
/// # Errors
/// Singular positions, bodies that accelerate infinitely.
pub fn modes(start: &Assembled, state: &State) -> Result<Modes, AnalysisError> {
    selected(start, state, &ModesOptions::default())
}

/// Number of states of a mechanism: independent displacements, velocities and states of elements.
pub fn state_count(start: &Assembled) -> usize {
    let active = &start.rows.active;
    let holonomic = active
        .iter()
        .filter(|&&k| start.model.rows[k].level == RowLevel::Holonomic);
    2 * start.model.tree.n_v + start.model.states.len() - active.len() - holonomic.count()
}

/// Some modes, or all.
///
/// Large mechanisms have sparse matrices where their constraints hold positions and do not turn with time: at rest, and
/// trees in any motion. The others, and small ones, go through all eigenvalues of dense matrices.
///
/// # Errors
/// Singular positions, bodies that accelerate infinitely.
pub fn selected(start: &Assembled, state: &State, options: &ModesOptions) -> Result<Modes, AnalysisError> {
    let mut equation = Equation::new(start.model.clone(), start.rows.active.clone());
    let states = state_count(start);
    if options.selection != Selection::All
        && states > options.dense_up_to
        && let Some(pencil) = Pencil::new(&mut equation, state)?
    {
        let found = pencil.solve(options.selection)?;
        let look = |lambda: Complex, shape: &[Complex]| {
            let all = pencil.all(lambda, shape);
            as_shape(&start.model, &equation, &pencil.weight, state, all)
        };
        let (units, modes): (Vec<Option<usize>>, Vec<Mode>) = (found.values.iter().zip(&found.shapes))
            .map(|(&eigenvalue, z)| {
                let (unit, shape) = look(eigenvalue, z);
                (unit, Mode { eigenvalue, shape })
            })
            .unzip();
        let mut modes = in_order(modes, &units);
        if let Selection::Lowest(count) = options.selection {
            modes.truncate(count);
        }
        let zero = Complex::ZERO;
        let n = equation.sizes.v;
        let alone = pencil.alone.iter().take(DIRECTIONS).map(|&i| {
            let mut s = vec![0.0; n];
            s[i] = 1.0;
            s
        });
        let displaced: Vec<Vec<f64>> = (found.rigid.iter())
            .map(|z| pencil.all(zero, z)[..n].iter().map(|x| x.re).collect())
            .chain(alone)
            .collect();
        let rigid = echelon(&displaced, &pencil.weight)
            .iter()
            .map(|s| {
                let mut all: Vec<Complex> = s.iter().map(|x| Complex::real(*x)).collect();
                all.resize(2 * equation.sizes.v + equation.sizes.x, zero);
                as_shape(&start.model, &equation, &pencil.weight, state, all).1
            })
            .collect();
        return Ok(Modes {
            modes,
            zeros: found.zeros,
            rigid,
            free: found.free,
            completeness: found.completeness,
            residual: Some(found.residual),
            degrees_of_freedom: pencil.degrees_of_freedom(),
            states,
            unsteadiness: crate::dense::largest(&state.a),
        });
    }
    let mut all = all_modes(&mut equation, start, state)?;
    match options.selection {
        Selection::All => {}
        Selection::Lowest(count) => all.modes.truncate(count),
        Selection::Near { frequency, count } => {
            let target = Complex::new(0.0, core::f64::consts::TAU * frequency);
            let distance = |mode: &Mode| (mode.eigenvalue - target).abs();
            let mut order: Vec<usize> = (0..all.modes.len()).collect();
            order.sort_by(|&a, &b| distance(&all.modes[a]).total_cmp(&distance(&all.modes[b])));
            order.truncate(count);
            let mut k = 0;
            all.modes.retain(|_| {
                k += 1;
                order.contains(&(k - 1))
            });
        }
        Selection::Between { from, to } => {
            all.modes.retain(|mode| (from..=to).contains(&mode.frequency()));
        }
    }
    Ok(all)
}

/// All modes from dense matrices.
fn all_modes(equation: &mut Equation, start: &Assembled, state: &State) -> Result<Modes, AnalysisError> {
    let reduced = Reduced::new(equation, state)?;
    let equation = &*equation;
    let found = eigen(&reduced.a, &scales(&reduced), ZERO)?;
    let look = |z: &[Complex]| {
        let all = reduced.from_states.rows();
        let mut w = vec![Complex::ZERO; all];
        for (j, z) in z.iter().enumerate() {
            for i in 0..all {
                w[i] += z.scale(reduced.from_states[(i, j)]);
            }
        }
        as_shape(&start.model, equation, &reduced.weight, state, w)
    };
    let (units, modes): (Vec<Option<usize>>, Vec<Mode>) = (found.values.iter().zip(&found.vectors))
        .filter(|(value, _)| value.im >= 0.0)
        .map(|(value, z)| {
            let (unit, shape) = look(z);
            let eigenvalue = *value;
            (unit, Mode { eigenvalue, shape })
        })
        .unzip();
    let modes = in_order(modes, &units);
    let weight: Vec<f64> = reduced
        .picked()
        .iter()
        .map(|&i| {
            if i < reduced.weight.len() {
                reduced.weight[i]
            } else {
                1.0
            }
        })
        .collect();
    let rigid: Vec<Shape> = echelon(&found.null_space, &weight)
        .iter()
        .map(|z| look(&z.iter().map(|x| Complex::real(*x)).collect::<Vec<_>>()).1)
        .collect();
    Ok(Modes {
        modes,
        zeros: found.zeros,
        free: rigid.len(),
        rigid,
        completeness: Completeness::All,
        residual: None,
        degrees_of_freedom: reduced.velocities.len(),
        states: reduced.a.rows(),
        unsteadiness: crate::dense::largest(&state.a),
    })
}

/// The slowest first, of equally fast ones those that are damped most; of equal ones by what their shapes are measured by.
fn in_order(modes: Vec<Mode>, units: &[Option<usize>]) -> Vec<Mode> {
    let speeds: Vec<f64> = modes.iter().map(|m| m.eigenvalue.abs()).collect();
    let growths: Vec<f64> = modes.iter().map(|m| -m.damping_ratio()).collect();
    let (speeds, growths) = (places(&speeds), places_by(&growths, |a, b| b - a > EQUAL));
    let mut all: Vec<(usize, Mode)> = modes.into_iter().enumerate().collect();
    all.sort_by_key(|&(k, _)| (speeds[k], growths[k], units[k]));
    all.into_iter().map(|(_, mode)| mode).collect()
}

/// Scales in which displacements and velocities are alike: 1/√M_ii, and velocities ω₀ times larger, where
/// ω₀² is the largest stiffness by mass. States of elements are balanced against the rest.
pub(crate) fn scales(reduced: &Reduced) -> Vec<f64> {
    let (n, n_xi, n_zeta) = (
        reduced.a.rows(),
        reduced.positions.len(),
        reduced.velocities.len(),
    );
    let coordinates = reduced.positions.iter().chain(&reduced.velocities);
    let mut scale: Vec<f64> = coordinates.map(|&i| 1.0 / reduced.weight[i]).collect();
    scale.resize(n, 1.0);
    let entry = |scale: &[f64], i: usize, j: usize| (reduced.a[(i, j)] * scale[j] / scale[i]).abs();
    let most = |columns: core::ops::Range<usize>| {
        let entries = columns.flat_map(|j| (n_xi..n_xi + n_zeta).map(move |i| (i, j)));
        entries.map(|(i, j)| entry(&scale, i, j)).fold(0.0, f64::max)
    };
    let (stiffness, damping) = (most(0..n_xi), most(n_xi..n_xi + n_zeta));
    let omega = match (stiffness.sqrt(), damping) {
        (k, _) if k > 0.0 => k,
        (_, d) if d > 0.0 => d,
        _ => 1.0,
    };
    for s in &mut scale[n_xi..n_xi + n_zeta] {
        *s *= omega;
    }
    for k in n_xi + n_zeta..n {
        let others = || (0..n).filter(move |&i| i != k);
        let row = others().map(|j| entry(&scale, k, j)).fold(0.0, f64::max);
        let column = others().map(|i| entry(&scale, i, k)).fold(0.0, f64::max);
        if row > 0.0 && column > 0.0 {
            scale[k] = (row / column).sqrt();
        }
    }
    scale
}

/// The state of an assembled mechanism: its start.
pub fn state_of(start: &Assembled) -> State {
    Equation::new(start.model.clone(), start.rows.active.clone()).state(start)
}

/// From displacements, velocities and states to a shape: the coordinate with the largest √M_ii |s_i| becomes one; and
/// its number, or that of the state of an element instead, behind those of positions and velocities.
fn as_shape(
    model: &Model,
    equation: &Equation,
    weight: &[f64],
    at: &State,
    mut w: Vec<Complex>,
) -> (Option<usize>, Shape) {
    let n = weight.len();
    let all = w.len();
    let size = |i: usize| w[i].abs() * weight.get(i).copied().unwrap_or(1.0);
    let first = |range: core::ops::Range<usize>| {
        let most = range.clone().map(size).fold(0.0, f64::max);
        // The first of equals, so that rounding does not choose.
        range
            .clone()
            .find(|&i| most > 0.0 && size(i) >= most * (1.0 - EQUAL))
    };
    let most_of_states = (2 * n..all).map(|i| w[i].abs()).fold(0.0, f64::max);
    let leading = first(0..n).filter(|&i| w[i].abs() > 1e-12 * most_of_states);
    let unit = leading.or_else(|| first(2 * n..all));
    if let Some(unit) = unit {
        let divisor = w[unit];
        w.iter_mut().for_each(|x| *x = *x / divisor);
    }
    let coordinates = w[..n].to_vec();
    let shape = Shape {
        bodies: bodies(model, equation, at, &coordinates),
        states: w[2 * n..].to_vec(),
        coordinates,
        leading,
    };
    (unit, shape)
}

/// Displacements of bodies: their velocities when the coordinates have the velocities of the shape, less
/// those of what is prescribed.
fn bodies(model: &Model, equation: &Equation, at: &State, shape: &[Complex]) -> Vec<BodyMotion> {
    let n = equation.sizes.v;
    let part = |f: fn(&Complex) -> f64| -> Vec<f64> { shape.iter().map(f).collect() };
    let velocities = [vec![0.0; n], part(|z| z.re), part(|z| z.im)];
    let snapshots = velocities.map(|v| model.snapshot(at.t, &at.q, &v));
    let motion = |k: usize, body: usize| {
        let turn = snapshots[k]
            .pose(body)
            .rotation
            .times(snapshots[k].angular_velocity(body));
        let (_, velocity) = snapshots[k].point(body, [0.0; 3]);
        (velocity.0, turn.0)
    };
    (1..model.bodies.len())
        .map(|body| {
            let [zero, re, im] = [0, 1, 2].map(|k| motion(k, body));
            let complex = |zero: [f64; 3], re: [f64; 3], im: [f64; 3]| {
                [0, 1, 2].map(|k| Complex::new(re[k] - zero[k], im[k] - zero[k]))
            };
            BodyMotion {
                name: model.bodies[body].name.clone(),
                translation: complex(zero.0, re.0, im.0),
                rotation: complex(zero.1, re.1, im.1),
            }
        })
        .collect()
}

/// A basis of the same space with as many zeros as there can be: every vector has a one where all
/// others have zero.
pub(crate) fn echelon(basis: &[Vec<f64>], weight: &[f64]) -> Vec<Vec<f64>> {
    let mut basis: Vec<Vec<f64>> = basis.to_vec();
    let n = weight.len();
    let mut pivots: Vec<usize> = Vec::new();
    for k in 0..basis.len() {
        let mut best = (k, 0, 0.0);
        for (v, vector) in basis.iter().enumerate().skip(k) {
            for i in 0..n {
                let size = vector[i].abs() * weight[i];
                if size > best.2 * (1.0 + 1e-9) {
                    best = (v, i, size);
                }
            }
        }
        let (v, pivot, size) = best;
        if size == 0.0 {
            break;
        }
        basis.swap(k, v);
        let divisor = basis[k][pivot];
        basis[k].iter_mut().for_each(|x| *x /= divisor);
        let own = basis[k].clone();
        for (other, vector) in basis.iter_mut().enumerate() {
            if other != k {
                let factor = vector[pivot];
                for (x, own) in vector.iter_mut().zip(&own) {
                    *x -= factor * own;
                }
            }
        }
        pivots.push(pivot);
    }
    let mut order: Vec<usize> = (0..pivots.len()).collect();
    order.sort_by_key(|&k| pivots[k]);
    let clean = |k: usize| {
        let most = (0..n).map(|i| basis[k][i].abs() * weight[i]).fold(0.0, f64::max);
        let keep = |i: usize| {
            if basis[k][i].abs() * weight[i] > 1e-10 * most {
                basis[k][i]
            } else {
                0.0
            }
        };
        (0..n).map(keep).collect()
    };
    order.into_iter().map(clean).collect()
}
