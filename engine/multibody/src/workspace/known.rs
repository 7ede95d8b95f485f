//! [`Known`]: what is known of the motion of a mechanism.

use crate::elements::scene::Scene;
use crate::kinematics::positions;
use crate::kinematics::world::{WorldNode, world_accelerations, world_positions, world_velocities};
use crate::model::Model;
use crate::tree::Geometry;
use holonom_algebra::Real;
use holonom_expression::switches::Side;

/// What is known of the motion, in the order in which it is set.
#[derive(Clone, Debug)]
pub struct Known<T: Real> {
    // --- filled by `set_time`
    /// [u, u̇, ü] of prescribed coordinates.
    pub signals: Vec<[T; 3]>,
    /// Time.
    pub t: T,
    // --- filled by `set_positions`
    /// Positions.
    pub q: Vec<T>,
    /// Nodes in their parents' frames.
    pub geometry: Vec<Geometry<T>>,
    /// Nodes in the ground's frame; velocities by `set_velocities`, accelerations by
    /// `set_accelerations`. Where no element needs them, they are filled by
    /// [`Workspace::placed`](super::Workspace::placed) and [`Workspace::moving`](super::Workspace::moving) only.
    pub world: Vec<WorldNode<T>>,
    // --- filled by `set_velocities`
    /// Velocities.
    pub v: Vec<T>,
    // --- filled by `set_accelerations`
    /// Accelerations.
    pub a: Vec<T>,
    // --- filled by `set_states`
    /// Own states of elements; at their start values until set.
    pub x: Vec<T>,
    // --- filled by `set_multipliers`
    /// Multipliers of all rows, as forces that depend on them see them; zero until set.
    pub lambda: Vec<T>,
    // --- filled by `set_readings`
    /// What sensors read as unknowns of their own; zero until set.
    pub readings: Vec<T>,
    // --- filled by `evaluate_controls`
    /// The time and the outputs of all controls; empty without controls.
    pub controls: Vec<T>,
    // --- filled by `set_sides`
    /// The sides on which switches are kept, two numbers for each; they follow their operands until set.
    pub sides: Vec<f64>,
    /// Whether nodes are where `t` and `q` put them.
    placed: bool,
    /// Whether a signal is not as `t` has it.
    shifted: bool,
}

impl<T: Real> Known<T> {
    pub(super) fn new(model: &Model) -> Self {
        let (n, n_v) = (model.tree.nodes.len(), model.tree.n_v);
        Self {
            signals: vec![[T::zero(); 3]; model.signals.len()],
            t: T::zero(),
            q: vec![T::zero(); model.tree.n_q],
            geometry: model.tree.nodes.iter().map(Geometry::new).collect(),
            world: vec![WorldNode::ground(); n],
            v: vec![T::zero(); n_v],
            a: vec![T::zero(); n_v],
            x: model.x0.iter().map(|&x| T::constant(x)).collect(),
            lambda: vec![T::zero(); model.rows.len()],
            readings: vec![T::zero(); model.readings.len()],
            controls: match model.controls.len() {
                0 => Vec::new(),
                n => vec![T::zero(); n + 1],
            },
            sides: Side::LIVE.repeat(model.sides() / Side::NUMBERS),
            placed: false,
            shifted: false,
        }
    }

    /// What elements see.
    #[inline]
    pub fn scene<'a>(&'a self, model: &'a Model) -> Scene<'a, T> {
        Scene {
            tree: &model.tree,
            world: &self.world,
            q: &self.q,
            v: &self.v,
            a: &self.a,
            signals: &self.signals,
            t: self.t,
            x: &self.x,
            own: &[],
            lambda: &self.lambda,
            controls: &self.controls,
            sides: &self.sides,
        }
    }

    /// Evaluates the signals.
    pub fn set_time(&mut self, model: &Model, t: T) {
        self.t = t;
        (self.placed, self.shifted) = (false, false);
        for (u, signal) in self.signals.iter_mut().zip(&model.signals) {
            *u = signal.evaluate(t);
        }
    }

    /// Adds something to u, u̇ or ü of a signal, which count as three; the time must have been set.
    pub fn shift_signal(&mut self, shift: Option<(usize, f64)>) {
        if let Some((k, shift)) = shift {
            self.signals[k / 3][k % 3] += T::constant(shift);
            self.shifted = true;
        }
    }

    /// Places all nodes; the time must have been set.
    pub fn set_positions(&mut self, model: &Model, q: &[T]) {
        self.placed = true;
        self.q.copy_from_slice(q);
        positions::positions(&model.tree, q, &self.signals, &mut self.geometry);
        if model.needs_world {
            world_positions(&model.tree, &self.geometry, &mut self.world);
        }
    }

    /// Whether all nodes are placed for this time and these positions, to the bit.
    pub fn is_placed(&self, t: f64, q: &[f64]) -> bool {
        let same = |a: T, b: f64| a.value().to_bits() == b.to_bits();
        !T::CARRIES_DERIVATIVES
            && self.placed
            && !self.shifted
            && same(self.t, t)
            && self.q.iter().zip(q).all(|(a, b)| same(*a, *b))
    }

    /// Moves all nodes; the positions must have been set.
    pub fn set_velocities(&mut self, model: &Model, v: &[T]) {
        self.v.copy_from_slice(v);
        if model.needs_world {
            world_velocities(&model.tree, &self.geometry, &self.signals, v, &mut self.world);
        }
    }

    /// Accelerates all nodes; the velocities must have been set. Without `a`, by what remains
    /// at v̇ = 0.
    pub fn set_accelerations(&mut self, model: &Model, a: Option<&[T]>) {
        match a {
            Some(a) => self.a.copy_from_slice(a),
            None => self.a.fill(T::zero()),
        }
        let a = &self.a;
        world_accelerations(
            &model.tree,
            &self.geometry,
            &self.signals,
            &self.v,
            Some(a),
            &mut self.world,
        );
    }

    /// Sets the own states of elements.
    pub fn set_states(&mut self, x: &[T]) {
        self.x.copy_from_slice(x);
    }

    /// Sets the multipliers of the active rows for forces that depend on them; nothing is done
    /// when there are none.
    pub fn set_multipliers(&mut self, model: &Model, active: &[usize], lambda: &[T]) {
        if model.needs_lambda {
            for (&row, &l) in active.iter().zip(lambda) {
                self.lambda[row] = l;
            }
        }
    }

    /// Keeps switches on sides: the last of the discrete variables.
    pub fn set_sides(&mut self, discrete: &[f64]) {
        let first = discrete.len().saturating_sub(self.sides.len());
        if discrete.len() >= self.sides.len() {
            self.sides.copy_from_slice(&discrete[first..]);
        }
    }

    /// Sets what sensors read as unknowns of their own.
    pub fn set_readings(&mut self, readings: &[T]) {
        self.readings.copy_from_slice(readings);
    }

    /// Places nodes in the ground's frame where no element needs that.
    pub(super) fn show_positions(&mut self, model: &Model) {
        if !model.needs_world {
            world_positions(&model.tree, &self.geometry, &mut self.world);
        }
    }

    /// Moves nodes in the ground's frame where no element needs that; they must be placed there.
    pub(super) fn show_velocities(&mut self, model: &Model) {
        if !model.needs_world {
            world_velocities(
                &model.tree,
                &self.geometry,
                &self.signals,
                &self.v,
                &mut self.world,
            );
        }
    }
}
