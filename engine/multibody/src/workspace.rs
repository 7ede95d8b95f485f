//! [`Workspace`]: everything the recursions fill, for one scalar and one thread.

mod blame;
mod implicit;
mod known;
mod loads;
mod reactions;
mod readings;

pub use known::Known;
pub use loads::NodeLoads;
pub(crate) use readings::JointLoads;

use crate::elements::constraints::ConstraintElement;
use crate::elements::scene::{Loads, Moving, Placed, Scene};
use crate::formalism::aba::AbaNode;
use crate::formalism::observe::View;
use crate::formalism::rnea::RneaNode;
use crate::formalism::{aba, cholesky, constraint_matrix, crba, rnea, rods};
use crate::model::Model;
use crate::tree::NodeKind;
use holonom_algebra::{Orientation, Real, Vec3, Wrench};
use holonom_dae::Rejection;
use readings::Measuring;

/// Memory for one scalar; allocated once, nothing allocates afterwards.
#[derive(Clone, Debug)]
pub struct Workspace<T: Real> {
    /// What is known of the motion.
    pub known: Known<T>,
    /// Loads of elements, cleared by [`clear_loads`](Self::clear_loads).
    pub loads: NodeLoads<T>,
    /// Newton–Euler, with the loads that cross the nodes.
    pub(crate) rnea: Vec<RneaNode<T>>,
    /// Articulated bodies.
    aba: Vec<AbaNode<T>>,
    /// The plain evaluation behind [`explicit`](Self::explicit); none for scalars without derivatives.
    values: Option<Box<implicit::Values<T>>>,
    /// Composite bodies.
    composite: crba::CrbaWork<T>,
    /// The rows of constraints.
    rows: RowScratch<T>,
    /// Rods with mass; empty without them.
    rods: RodScratch<T>,
    /// Memory of [`measure`](Self::measure); none without readings.
    measuring: Option<Box<Measuring<T>>>,
}

/// Scratch of rows of constraints.
#[derive(Clone, Debug)]
struct RowScratch<T> {
    /// Multipliers of rows.
    multipliers: Vec<T>,
    /// Values of the rows of one constraint.
    values: Vec<T>,
    /// Directions of the rows of one constraint.
    directions: Vec<Wrench<T>>,
}

/// Scratch of rods with mass.
#[derive(Clone, Debug)]
struct RodScratch<T> {
    /// Velocities of the ends of one rod per unit of every coordinate, 6 × n_v.
    ends: Vec<T>,
    /// No accelerations.
    resting: Vec<T>,
}

impl<T: Real> Workspace<T> {
    /// Allocates for a model.
    pub fn new(model: &Model) -> Self {
        let (n, n_v) = (model.tree.nodes.len(), model.tree.n_v);
        let longest = constraint_matrix::largest_constraint(&model.constraints);
        let coupled = if model.rods.is_empty() { 0 } else { n_v };
        Self {
            known: Known::new(model),
            loads: NodeLoads::new(model),
            rnea: vec![RneaNode::zero(); n],
            aba: vec![AbaNode::zero(); n],
            values: T::CARRIES_DERIVATIVES.then(|| Box::new(implicit::Values::new(model))),
            composite: crba::CrbaWork::new(&model.tree),
            rows: RowScratch {
                multipliers: vec![T::zero(); model.rows.len()],
                values: vec![T::zero(); longest],
                directions: vec![Wrench::zero(); longest],
            },
            rods: RodScratch {
                ends: vec![T::zero(); 6 * coupled],
                resting: vec![T::zero(); coupled],
            },
            measuring: (!model.readings.is_empty()).then(|| Box::new(Measuring::new(model))),
        }
    }

    /// Evaluates the signals.
    pub fn set_time(&mut self, model: &Model, t: T) {
        self.known.set_time(model, t);
    }

    /// Adds something to u, u̇ or ü of a signal, which count as three; the time must have been set.
    pub fn shift_signal(&mut self, shift: Option<(usize, f64)>) {
        self.known.shift_signal(shift);
    }

    /// Places all nodes; the time must have been set.
    pub fn set_positions(&mut self, model: &Model, q: &[T]) {
        self.known.set_positions(model, q);
    }

    /// Whether all nodes are placed for this time and these positions, to the bit.
    pub fn is_placed(&self, t: f64, q: &[f64]) -> bool {
        self.known.is_placed(t, q)
    }

    /// Moves all nodes; the positions must have been set.
    pub fn set_velocities(&mut self, model: &Model, v: &[T]) {
        self.known.set_velocities(model, v);
    }

    /// Accelerates all nodes; the velocities must have been set. Without `a`, by what remains
    /// at v̇ = 0.
    pub fn set_accelerations(&mut self, model: &Model, a: Option<&[T]>) {
        self.known.set_accelerations(model, a);
    }

    /// Sets the own states of elements.
    pub fn set_states(&mut self, x: &[T]) {
        self.known.set_states(x);
    }

    /// Sets the multipliers of the active rows for forces that depend on them; nothing is done
    /// when there are none.
    pub fn set_multipliers(&mut self, model: &Model, active: &[usize], lambda: &[T]) {
        self.known.set_multipliers(model, active, lambda);
    }

    /// Keeps switches on sides: the last of the discrete variables.
    pub(crate) fn set_sides(&mut self, discrete: &[f64]) {
        self.known.set_sides(discrete);
    }

    /// Sets what sensors read as unknowns of their own.
    pub fn set_readings(&mut self, readings: &[T]) {
        self.known.set_readings(readings);
    }

    /// The mechanism at a time and positions.
    pub fn placed<'a>(&'a mut self, model: &'a Model, t: T, q: &[T]) -> Placed<'a, T> {
        self.known.set_time(model, t);
        self.known.set_positions(model, q);
        self.known.show_positions(model);
        Placed::known(self.known.scene(model))
    }

    /// The mechanism at a time, positions and velocities, with the outputs of controls.
    ///
    /// ```
    /// use holonom_multibody::Description;
    /// use holonom_multibody::description::{Body, Joint};
    /// use holonom_multibody::formalism::energy::kinetic_energy;
    /// use holonom_multibody::workspace::Workspace;
    ///
    /// let model = Description::new("pendulum")
    ///     .body(Body::new("bob", 2.0).centre([0.5, 0.0, 0.0]))
    ///     .joint(Joint::revolute("pin", "ground", "bob").axis([0.0, -1.0, 0.0]))
    ///     .compile()?;
    /// let mut work = Workspace::<f64>::new(&model);
    /// let moving = work.moving(&model, 0.0, &[0.3], &[4.0]);
    /// assert!((kinetic_energy(&moving, &model.rods) - 4.0).abs() < 1e-14);
    /// # Ok::<(), holonom_multibody::diagnostic::ModelErrors>(())
    /// ```
    pub fn moving<'a>(&'a mut self, model: &'a Model, t: T, q: &[T], v: &[T]) -> Moving<'a, T> {
        self.known.set_time(model, t);
        self.known.set_positions(model, q);
        self.known.set_velocities(model, v);
        self.show_motion(model);
        self.evaluate_controls(model);
        Moving::known(self.known.scene(model))
    }

    /// Fills positions and velocities of nodes in the ground's frame where no element needs them; time, positions
    /// and velocities must have been set.
    pub(crate) fn show_motion(&mut self, model: &Model) {
        self.known.show_positions(model);
        self.known.show_velocities(model);
    }

    /// Computes the outputs of all controls; [`add_forces`](Self::add_forces) and
    /// [`state_rates`](Self::state_rates) do it by themselves.
    pub fn evaluate_controls(&mut self, model: &Model) {
        if model.controls.is_empty() {
            return;
        }
        let mut values = std::mem::take(&mut self.known.controls);
        values[0] = self.known.t;
        for (reading, &value) in model.readings.iter().zip(&self.known.readings) {
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
        self.known.controls = values;
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
        let scene = self.known.scene(model);
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
    pub fn scene<'a>(&'a mut self, model: &'a Model) -> (Scene<'a, T>, Loads<'a, T>) {
        (self.known.scene(model), self.loads.targets())
    }

    /// What observables are evaluated from. Multipliers are those of all rows; without them, those that forces see.
    pub(crate) fn view<'a>(&'a mut self, model: &'a Model, multipliers: Option<&'a [T]>) -> View<'a, T> {
        View {
            model,
            inputs: &model.inputs,
            scene: self.known.scene(model),
            loads: self.loads.targets(),
            multipliers: multipliers.unwrap_or(&self.known.lambda),
            crossing: &self.rnea,
            directions: &mut self.rows.directions,
        }
    }

    /// Removes all loads.
    pub fn clear_loads(&mut self) {
        self.loads.clear();
    }

    /// Adds the loads of all force elements.
    pub fn add_forces(&mut self, model: &Model) {
        self.evaluate_controls(model);
        let (mut scene, mut loads) = self.scene(model);
        for force in &model.forces {
            scene.own = &scene.x[force.states.clone()];
            force.element.evaluate(&scene, &mut loads);
        }
    }

    /// out := generalised forces of the present loads.
    pub fn project_loads(&mut self, model: &Model, out: &mut [T]) {
        self.loads.turn(&self.known.world);
        for (w, a) in self.rnea.iter_mut().zip(&self.loads.applied) {
            w.load = *a;
        }
        rnea::collect(&model.tree, &self.known.geometry, &mut self.rnea, out);
        for (o, g) in out.iter_mut().zip(&self.loads.generalised) {
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
        for (row, &l) in self.rows.multipliers.iter_mut().zip(lambda) {
            *row = l * k;
        }
        self.add_row_loads(model, active);
    }

    /// Adds the loads Gᵀ x of some of the active rows, numbered by `chosen`.
    pub fn add_multipliers_of(&mut self, model: &Model, active: &[usize], chosen: &[usize], x: &[T]) {
        self.rows.multipliers.fill(T::zero());
        for (&k, &x) in chosen.iter().zip(x) {
            self.rows.multipliers[k] = x;
        }
        self.add_row_loads(model, active);
    }

    /// Adds the loads of the multipliers in `rows`.
    fn add_row_loads(&mut self, model: &Model, active: &[usize]) {
        let (scene, mut loads) = (self.known.scene(model), self.loads.targets());
        let lambda = &self.rows.multipliers[..active.len()];
        let scratch = &mut self.rows.values;
        constraint_matrix::loads(&model.constraints, &scene, active, lambda, scratch, &mut loads);
    }

    /// M a − f for the loads given so far, Arnold (3); the velocities must have been set.
    pub fn newton_euler(&mut self, model: &Model, a: &[T], out: &mut [T]) {
        if !model.rods.is_empty() {
            self.set_accelerations(model, Some(a));
            let (scene, mut loads) = self.scene(model);
            rods::rod_loads(&model.rods, &scene, &mut loads);
        }
        let loaded = model.needs_world;
        if loaded {
            self.loads.turn(&self.known.world);
        }
        rnea::rnea(
            &model.tree,
            &self.known.geometry,
            &self.known.signals,
            &self.known.v,
            a,
            loaded.then_some(self.loads.applied.as_slice()),
            &mut self.rnea,
            out,
        );
        for (o, g) in out.iter_mut().zip(&self.loads.generalised) {
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
            let resting = std::mem::take(&mut self.rods.resting);
            self.newton_euler(model, &resting, out);
            self.rods.resting = resting;
            self.mass(model, factor);
            cholesky::factorise(factor, model.tree.n_v).map_err(|_| Rejection::OutsideDomain)?;
            cholesky::solve(factor, model.tree.n_v, out);
            out.iter_mut().for_each(|x| *x = -*x);
            return Ok(());
        }
        if model.needs_world {
            self.loads.turn(&self.known.world);
        }
        aba::aba(
            &model.tree,
            &self.known.geometry,
            &self.known.signals,
            &self.known.v,
            &self.loads.generalised,
            model.needs_world.then_some(self.loads.applied.as_slice()),
            &mut self.aba,
            out,
        );
        Ok(())
    }

    /// The lower triangle of M, rods included; `mass` is n_v × n_v, column by column.
    pub fn mass(&mut self, model: &Model, mass: &mut [T]) {
        mass.fill(T::zero());
        crba::crba(&model.tree, &self.known.geometry, &mut self.composite, mass);
        if !model.rods.is_empty() {
            self.add_rod_mass(model, mass);
        }
    }

    /// Adds the coupling (m/6)(J_Aᵀ J_B + J_Bᵀ J_A) of rods to the lower triangle.
    fn add_rod_mass(&mut self, model: &Model, mass: &mut [T]) {
        let n = model.tree.n_v;
        let mut rows = std::mem::take(&mut self.rods.ends);
        for rod in &model.rods {
            // Row 3 e + k: velocity of end e along axis k, found as the transpose of a unit force.
            for (e, end) in rod.ends.iter().enumerate() {
                for k in 0..3 {
                    self.clear_loads();
                    let arm = self.known.world[end.node]
                        .rotation
                        .times_constant(end.frame.position);
                    self.loads.wrenches[end.node] = Wrench::at_point(arm, Vec3::unit(k));
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
        self.rods.ends = rows;
    }

    /// out := g of the active rows; zero for conditions on velocities.
    pub fn constraint(&mut self, model: &Model, active: &[usize], out: &mut [T]) {
        let (scene, scratch) = (self.known.scene(model), &mut self.rows.values);
        constraint_matrix::positions(&model.constraints, &scene, active, scratch, out);
    }

    /// The least cosine of the angles by which a constraint is off the branch that it means; 1 for those that
    /// have one only.
    pub(crate) fn branch(&mut self, model: &Model, constraint: usize) -> f64 {
        let scene = self.known.scene(model);
        match &model.constraints[constraint].element {
            ConstraintElement::Pair(pair) => pair.branch(&scene),
            _ => 1.0,
        }
    }

    /// out := G v + g_t of the active rows.
    pub fn constraint_velocity(&mut self, model: &Model, active: &[usize], out: &mut [T]) {
        let (scene, scratch) = (self.known.scene(model), &mut self.rows.values);
        constraint_matrix::velocities(&model.constraints, &scene, active, scratch, out);
    }

    /// out := G v̇ + γ of the active rows; the accelerations must have been set.
    pub fn constraint_acceleration(&mut self, model: &Model, active: &[usize], out: &mut [T]) {
        let (scene, scratch) = (self.known.scene(model), &mut self.rows.values);
        constraint_matrix::accelerations(&model.constraints, &scene, active, scratch, out);
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
        let (scene, scratch) = (self.known.scene(model), &mut self.rows.directions);
        constraint_matrix::constraint_entries(&model.constraints, &scene, active, scratch, entry);
    }

    /// Prepares [`solve_tree_mass`](Self::solve_tree_mass) for the present positions.
    pub fn factorise_tree_mass(&mut self, model: &Model) {
        aba::factorise(&model.tree, &self.known.geometry, &mut self.aba);
    }

    /// out := M⁻¹ x without the coupling of rods.
    pub fn solve_tree_mass(&mut self, model: &Model, x: &[T], out: &mut [T]) {
        aba::solve(&model.tree, &self.known.geometry, x, None, &mut self.aba, out);
    }
}
