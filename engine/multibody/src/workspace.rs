//! [`Workspace`]: everything the recursions fill, for one scalar and one thread.

mod blame;
mod implicit;
mod reactions;
mod readings;

use crate::elements::constraints::ConstraintElement;
use crate::elements::scene::{Loads, Scene};
use crate::formalism::aba::AbaNode;
use crate::formalism::constraint_matrix;
use crate::formalism::observe::View;
use crate::formalism::rnea::RneaNode;
use crate::formalism::{aba, cholesky, crba, rnea, rods};
use crate::kinematics::positions;
use crate::kinematics::world::{WorldNode, world_accelerations, world_positions, world_velocities};
use crate::model::Model;
use crate::tree::{Geometry, NodeKind};
use holonom_algebra::{Orientation, Real, Vec3, Wrench};
use holonom_dae::Rejection;
use holonom_expression::switches::Side;
pub(crate) use readings::JointLoads;
use readings::Measuring;

/// Memory for one scalar; allocated once, nothing allocates afterwards.
#[derive(Clone, Debug)]
pub struct Workspace<T: Real> {
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
    /// `set_accelerations`.
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
    // --- loads of elements, cleared by `clear_loads`
    /// Wrenches on nodes, about their origins, ground's axes; they stay zero when no element needs
    /// the world.
    pub wrenches: Vec<Wrench<T>>,
    /// The same in the axes of the nodes, filled by `turn_loads`.
    pub applied: Vec<Wrench<T>>,
    /// Generalised forces on coordinates.
    pub generalised: Vec<T>,
    /// The same on prescribed coordinates, by their signals.
    pub driven: Vec<T>,
    /// Whether elements put wrenches on nodes.
    loaded: bool,
    /// Whether nodes are where `t` and `q` put them.
    placed: bool,
    /// Whether a signal is not as `t` has it.
    shifted: bool,
    // --- scratch of single algorithms
    /// Newton–Euler.
    pub rnea: Vec<RneaNode<T>>,
    /// Articulated bodies.
    pub aba: Vec<AbaNode<T>>,
    /// The plain evaluation behind [`explicit`](Self::explicit); none for scalars without derivatives.
    values: Option<Box<implicit::Values<T>>>,
    /// Composite bodies.
    pub composite: crba::CrbaWork<T>,
    /// A vector of velocities.
    pub vector: Vec<T>,
    /// Another one.
    pub vector2: Vec<T>,
    /// Multipliers of rows.
    rows: Vec<T>,
    /// Values of the rows of one constraint.
    row_scratch: Vec<T>,
    /// Velocities of the ends of one rod per unit of every coordinate, 6 × n_v.
    rod_rows: Vec<T>,
    /// Directions of the rows of one constraint.
    pub(crate) directions: Vec<Wrench<T>>,
    /// Memory of [`measure`](Self::measure); none without readings.
    pub(crate) measuring: Option<Box<Measuring<T>>>,
}

impl<T: Real> Workspace<T> {
    /// Allocates for a model.
    pub fn new(model: &Model) -> Self {
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
            controls: match model.controls.len() {
                0 => Vec::new(),
                n => vec![T::zero(); n + 1],
            },
            sides: Side::LIVE.repeat(model.sides() / Side::NUMBERS),
            wrenches: vec![Wrench::zero(); n],
            applied: vec![Wrench::zero(); n],
            generalised: vec![T::zero(); n_v],
            driven: vec![T::zero(); model.tree.n_signals],
            loaded: model.needs_world,
            placed: false,
            shifted: false,
            rnea: vec![RneaNode::zero(); n],
            aba: vec![AbaNode::zero(); n],
            values: T::CARRIES_DERIVATIVES.then(|| Box::new(implicit::Values::new(model))),
            composite: crba::CrbaWork::new(&model.tree),
            vector: vec![T::zero(); n_v],
            vector2: vec![T::zero(); n_v],
            rows: vec![T::zero(); model.rows.len()],
            row_scratch: vec![T::zero(); constraint_matrix::largest_constraint(&model.constraints)],
            directions: vec![Wrench::zero(); constraint_matrix::largest_constraint(&model.constraints)],
            readings: vec![T::zero(); model.readings.len()],
            measuring: (!model.readings.is_empty()).then(|| Box::new(Measuring::new(model))),
            rod_rows: vec![T::zero(); if model.rods.is_empty() { 0 } else { 6 * n_v }],
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
    pub(crate) fn set_sides(&mut self, discrete: &[f64]) {
        let first = discrete.len().saturating_sub(self.sides.len());
        if discrete.len() >= self.sides.len() {
            self.sides.copy_from_slice(&discrete[first..]);
        }
    }

    /// Sets what sensors read as unknowns of their own.
    pub fn set_readings(&mut self, readings: &[T]) {
        self.readings.copy_from_slice(readings);
    }

    /// Computes the outputs of all controls; [`add_forces`](Self::add_forces) and
    /// [`state_rates`](Self::state_rates) do it by themselves.
    pub fn evaluate_controls(&mut self, model: &Model) {
        if model.controls.is_empty() {
            return;
        }
        let mut values = std::mem::take(&mut self.controls);
        values[0] = self.t;
        for (reading, &value) in model.readings.iter().zip(&self.readings) {
            values[reading.control + 1] = value;
        }
        let view = self.view(model, None);
        let (scene, mut loads, directions) = (view.scene, view.loads, view.directions);
        for &k in &model.control_order {
            let control = &model.controls[k];
            if let Some(observed) = control.element.observes() {
                let value = observed.value(&mut View {
                    scene: Scene {
                        controls: &values,
                        ..scene
                    },
                    loads: loads.reborrow(),
                    directions: &mut *directions,
                    ..view
                });
                values[k + 1] = value;
            }
            let seen = Scene {
                controls: &values,
                ..scene.of(&control.states)
            };
            let output = control.element.output(&seen);
            values[k + 1] = output;
        }
        self.controls = values;
    }

    /// out := ẋ of the own states; time, positions, velocities, states, multipliers and readings must have
    /// been set.
    pub fn state_rates(&mut self, model: &Model, out: &mut [T]) {
        if out.is_empty() {
            return;
        }
        self.evaluate_controls(model);
        self.state_rates_after_forces(model, out);
    }

    /// The same when [`add_forces`](Self::add_forces) has computed the outputs of controls already.
    pub(crate) fn state_rates_after_forces(&mut self, model: &Model, out: &mut [T]) {
        let (scene, _, _) = self.scene(model);
        for control in model.controls.iter().filter(|control| !control.states.is_empty()) {
            let states = control.states.clone();
            control.element.rates(&scene.of(&states), &mut out[states]);
        }
        for force in model.forces.iter().filter(|force| !force.states.is_empty()) {
            let states = force.states.clone();
            force.element.rates(&scene.of(&states), &mut out[states]);
        }
    }

    /// What elements see, and where their loads go.
    pub fn scene<'a>(&'a mut self, model: &'a Model) -> (Scene<'a, T>, Loads<'a, T>, &'a mut [T]) {
        let (view, rows) = self.parts(model, None);
        (view.scene, view.loads, rows)
    }

    /// What observables are evaluated from. Multipliers are those of all rows; without them, those that forces see.
    pub(crate) fn view<'a>(&'a mut self, model: &'a Model, multipliers: Option<&'a [T]>) -> View<'a, T> {
        self.parts(model, multipliers).0
    }

    fn parts<'a>(&'a mut self, model: &'a Model, multipliers: Option<&'a [T]>) -> (View<'a, T>, &'a mut [T]) {
        let scene = Scene {
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
        };
        let loads = Loads {
            wrenches: &mut self.wrenches,
            generalised: &mut self.generalised,
            driven: &mut self.driven,
        };
        let view = View {
            model,
            inputs: &model.inputs,
            scene,
            loads,
            multipliers: multipliers.unwrap_or(&self.lambda),
            crossing: &self.rnea,
            directions: &mut self.directions,
        };
        (view, &mut self.rows)
    }

    /// Removes all loads.
    pub fn clear_loads(&mut self) {
        if self.loaded {
            self.wrenches.fill(Wrench::zero());
        }
        self.generalised.fill(T::zero());
        self.driven.fill(T::zero());
    }

    /// Adds the loads of all force elements.
    pub fn add_forces(&mut self, model: &Model) {
        self.evaluate_controls(model);
        let (mut scene, mut loads, _) = self.scene(model);
        for force in &model.forces {
            scene.own = &scene.x[force.states.clone()];
            force.element.evaluate(&scene, &mut loads);
        }
    }

    /// Turns the loads into the axes of the nodes.
    pub fn turn_loads(&mut self) {
        for ((a, w), node) in self
            .applied
            .iter_mut()
            .zip(&self.wrenches)
            .zip(&self.world)
            .skip(1)
        {
            *a = Wrench::new(
                node.rotation.transpose_times(w.moment),
                node.rotation.transpose_times(w.force),
            );
        }
    }

    /// out := generalised forces of the present loads.
    pub fn project_loads(&mut self, model: &Model, out: &mut [T]) {
        self.turn_loads();
        for (w, a) in self.rnea.iter_mut().zip(&self.applied) {
            w.load = *a;
        }
        rnea::collect(&model.tree, &self.geometry, &mut self.rnea, out);
        for (o, g) in out.iter_mut().zip(&self.generalised) {
            *o += *g;
        }
    }

    /// out := Gᵀ x, with `x` one entry for each of the `active` rows.
    pub fn transposed_constraint_product(&mut self, model: &Model, active: &[usize], x: &[T], out: &mut [T]) {
        self.clear_loads();
        self.add_multipliers(model, active, x, 1.0);
        self.project_loads(model, out);
    }

    /// Adds the loads k Gᵀ λ of the active rows.
    pub fn add_multipliers(&mut self, model: &Model, active: &[usize], lambda: &[T], k: f64) {
        for (row, &l) in self.rows.iter_mut().zip(lambda) {
            *row = l * k;
        }
        self.add_row_loads(model, active);
    }

    /// Adds the loads Gᵀ x of some of the active rows, numbered by `chosen`.
    pub fn add_multipliers_of(&mut self, model: &Model, active: &[usize], chosen: &[usize], x: &[T]) {
        self.rows.fill(T::zero());
        for (&k, &x) in chosen.iter().zip(x) {
            self.rows[k] = x;
        }
        self.add_row_loads(model, active);
    }

    /// Adds the loads of the multipliers in `rows`.
    fn add_row_loads(&mut self, model: &Model, active: &[usize]) {
        let mut scratch = std::mem::take(&mut self.row_scratch);
        let (scene, mut loads, rows) = self.scene(model);
        let lambda = &rows[..active.len()];
        constraint_matrix::loads(
            &model.constraints,
            &scene,
            active,
            lambda,
            &mut scratch,
            &mut loads,
        );
        self.row_scratch = scratch;
    }

    /// M a − f for the loads given so far, Arnold (3); the velocities must have been set.
    pub fn newton_euler(&mut self, model: &Model, a: &[T], out: &mut [T]) {
        if !model.rods.is_empty() {
            self.set_accelerations(model, Some(a));
            let (scene, mut loads, _) = self.scene(model);
            rods::rod_loads(&model.rods, &scene, &mut loads);
        }
        let loaded = model.needs_world;
        if loaded {
            self.turn_loads();
        }
        rnea::rnea(
            &model.tree,
            &self.geometry,
            &self.signals,
            &self.v,
            a,
            loaded.then_some(self.applied.as_slice()),
            &mut self.rnea,
            out,
        );
        for (o, g) in out.iter_mut().zip(&self.generalised) {
            *o -= *g;
        }
    }

    /// out := M⁻¹ f for the loads given so far, Arnold (2). Articulated bodies; with rods that have
    /// mass, which couple branches of the tree, composite bodies and a dense factorisation in
    /// `factor` (n_v × n_v).
    pub fn explicit(&mut self, model: &Model, factor: &mut [T], out: &mut [T]) -> Result<(), Rejection> {
        if let Some(mut values) = self.values.take() {
            let done = self.explicit_by_values(&mut values, model, out);
            self.values = Some(values);
            return done;
        }
        if !model.rods.is_empty() {
            let mut zero = std::mem::take(&mut self.vector);
            zero.fill(T::zero());
            self.newton_euler(model, &zero, out);
            self.vector = zero;
            self.mass(model, factor);
            cholesky::factorise(factor, model.tree.n_v).map_err(|_| Rejection::OutsideDomain)?;
            cholesky::solve(factor, model.tree.n_v, out);
            out.iter_mut().for_each(|x| *x = -*x);
            return Ok(());
        }
        if model.needs_world {
            self.turn_loads();
        }
        aba::aba(
            &model.tree,
            &self.geometry,
            &self.signals,
            &self.v,
            &self.generalised,
            model.needs_world.then_some(self.applied.as_slice()),
            &mut self.aba,
            out,
        );
        Ok(())
    }

    /// The lower triangle of M, rods included; `mass` is n_v × n_v, column by column.
    pub fn mass(&mut self, model: &Model, mass: &mut [T]) {
        mass.fill(T::zero());
        crba::crba(&model.tree, &self.geometry, &mut self.composite, mass);
        if !model.rods.is_empty() {
            self.add_rod_mass(model, mass);
        }
    }

    /// Adds the coupling (m/6)(J_Aᵀ J_B + J_Bᵀ J_A) of rods to the lower triangle.
    fn add_rod_mass(&mut self, model: &Model, mass: &mut [T]) {
        let n = model.tree.n_v;
        let mut rows = std::mem::take(&mut self.rod_rows);
        for rod in &model.rods {
            // Row 3 e + k: velocity of end e along axis k, found as the transpose of a unit force.
            for (e, end) in rod.ends.iter().enumerate() {
                for k in 0..3 {
                    self.clear_loads();
                    let arm = self.world[end.node].rotation.times_constant(end.frame.position);
                    self.wrenches[end.node] = Wrench::at_point(arm, Vec3::unit(k));
                    let row = 3 * e + k;
                    self.project_loads(model, &mut rows[row * n..(row + 1) * n]);
                }
            }
            for k in 0..3 {
                let (a, b) = (&rows[k * n..(k + 1) * n], &rows[(3 + k) * n..(4 + k) * n]);
                for j in 0..n {
                    for i in j..n {
                        mass[j * n + i] += (a[i] * b[j] + b[i] * a[j]) * (rod.mass / 6.0);
                    }
                }
            }
        }
        self.clear_loads();
        self.rod_rows = rows;
    }

    /// out := g of the active rows; zero for conditions on velocities.
    pub fn constraint(&mut self, model: &Model, active: &[usize], out: &mut [T]) {
        let mut scratch = std::mem::take(&mut self.row_scratch);
        let (scene, _, _) = self.scene(model);
        constraint_matrix::positions(&model.constraints, &scene, active, &mut scratch, out);
        self.row_scratch = scratch;
    }

    /// The least cosine of the angles by which a constraint is off the branch that it means; 1 for those that
    /// have one only.
    pub(crate) fn branch(&mut self, model: &Model, constraint: usize) -> f64 {
        let (scene, _, _) = self.scene(model);
        match &model.constraints[constraint].element {
            ConstraintElement::Pair(pair) => pair.branch(&scene),
            _ => 1.0,
        }
    }

    /// out := G v + g_t of the active rows.
    pub fn constraint_velocity(&mut self, model: &Model, active: &[usize], out: &mut [T]) {
        let mut scratch = std::mem::take(&mut self.row_scratch);
        let (scene, _, _) = self.scene(model);
        constraint_matrix::velocities(&model.constraints, &scene, active, &mut scratch, out);
        self.row_scratch = scratch;
    }

    /// out := G v̇ + γ of the active rows; the accelerations must have been set.
    pub fn constraint_acceleration(&mut self, model: &Model, active: &[usize], out: &mut [T]) {
        let mut scratch = std::mem::take(&mut self.row_scratch);
        let (scene, _, _) = self.scene(model);
        constraint_matrix::accelerations(&model.constraints, &scene, active, &mut scratch, out);
        self.row_scratch = scratch;
    }

    /// out := V(q) x, from velocities to derivatives of positions.
    pub fn velocity_map(model: &Model, q: &[T], x: &[T], out: &mut [T]) {
        for node in &model.tree.nodes {
            if node.prescribed.is_some() {
                continue;
            }
            if node.kind == NodeKind::Ball {
                // ė = ½ e ∘ (0, ω), ω in the axes of the node.
                let (e, w) = (&q[node.q..node.q + 4], &x[node.v..node.v + 3]);
                let half = |y: T| y * 0.5;
                out[node.q] = half(-(e[1] * w[0]) - e[2] * w[1] - e[3] * w[2]);
                out[node.q + 1] = half(e[0] * w[0] + e[2] * w[2] - e[3] * w[1]);
                out[node.q + 2] = half(e[0] * w[1] + e[3] * w[0] - e[1] * w[2]);
                out[node.q + 3] = half(e[0] * w[2] + e[1] * w[1] - e[2] * w[0]);
            } else if node.kind.sizes().0 == 1 {
                out[node.q] = x[node.v];
            }
        }
    }

    /// G of the active rows, |active| × n_v, column by column.
    pub fn constraint_matrix(&mut self, model: &Model, active: &[usize], matrix: &mut [T]) {
        let rows = active.len();
        matrix.fill(T::zero());
        self.constraint_entries(model, active, |row, column, value| {
            matrix[column * rows + row] += value;
        });
    }

    /// Hands out the entries of G of the active rows that may differ from zero as (place in `active`, velocity, value);
    /// an entry that comes twice is a sum. The positions must have been set.
    pub fn constraint_entries(
        &mut self,
        model: &Model,
        active: &[usize],
        entry: impl FnMut(usize, usize, T),
    ) {
        let scene = Scene {
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
        };
        let scratch = &mut self.directions;
        constraint_matrix::constraint_entries(&model.constraints, &scene, active, scratch, entry);
    }

    /// Prepares [`solve_tree_mass`](Self::solve_tree_mass) for the present positions.
    pub fn factorise_tree_mass(&mut self, model: &Model) {
        aba::factorise(&model.tree, &self.geometry, &mut self.aba);
    }

    /// out := M⁻¹ x without the coupling of rods.
    pub fn solve_tree_mass(&mut self, model: &Model, x: &[T], out: &mut [T]) {
        aba::solve(&model.tree, &self.geometry, x, None, &mut self.aba, out);
    }
}
