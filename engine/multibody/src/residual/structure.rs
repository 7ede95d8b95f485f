//! What the solvers are told about the equations: names, kinds, sparsity.

use super::{Equations, Form, Formalism, GglMetric};
use crate::formalism::depends::Reads;
use crate::tree::NodeKind;
use holonom_dae::{
    DerivativeForm, Equation, EquationLevel, LazyPattern, Pattern, Structure, TransposedBlock, Variable,
    VariableKind,
};

impl Equations {
    pub(super) fn describe(&self) -> Structure {
        Structure {
            variables: self.variables(),
            equations: self.equations(),
            derivative: match &self.mass {
                Some(pattern) => DerivativeForm::Mass(pattern.clone()),
                None => DerivativeForm::Identity,
            },
            sparsity: Some(self.lazy(Self::sparsity)),
            transposed: self.transposed(),
            layout: Some(self.layout().clone()),
            forces_depend_on_multipliers: self.model.needs_lambda,
        }
    }

    fn variables(&self) -> Vec<Variable> {
        let form = self.form;
        let model = &self.model;
        let mut variables = Vec::new();
        for name in &model.position_names {
            variables.push(form.variable(name, VariableKind::Position));
        }
        for name in &model.velocity_names {
            variables.push(form.variable(format!("d/dt {name}"), VariableKind::Velocity));
        }
        // Sizes for difference increments: a start at zero says nothing about them.
        let length = self.length();
        for node in &model.tree.nodes {
            let size = match node.kind {
                NodeKind::PrismaticX | NodeKind::PrismaticY | NodeKind::PrismaticZ => length,
                NodeKind::PrismaticTurned => length,
                _ => 1.0,
            };
            let q = (0..node.n_q()).map(|i| node.q + i);
            let v = (0..node.n_v()).map(|i| model.tree.n_q + node.v + i);
            for i in q.chain(v) {
                variables[i].scale = Some(size);
            }
        }
        // A rate that depends on λ, or on v̇ through a reading, makes the state one of the kind of v.
        let read = self
            .dependencies
            .elements
            .iter()
            .filter(|e| !e.reads.rows.is_empty() || !e.reads.readings.is_empty());
        let index_v = form.variable("", VariableKind::Velocity).index;
        for (k, state) in model.states.iter().enumerate() {
            let variable = form.variable(&state.name, VariableKind::Differential);
            variables.push(match read.clone().any(|e| e.states.contains(&k)) {
                true => variable.index(index_v),
                false => variable,
            });
        }
        let multiplier = |symbol: &str, name: &str, kind| form.variable(format!("{symbol}({name})"), kind);
        let l = self.layout();
        if !l.lambda.is_empty() {
            for &row in &self.active {
                let name = &model.rows[row].name;
                variables.push(multiplier("lambda", name, VariableKind::Multiplier));
            }
        }
        if !l.eta.is_empty() {
            for &k in &self.holonomic {
                let name = &model.rows[self.active[k]].name;
                variables.push(multiplier("eta", name, VariableKind::StabilisingMultiplier));
            }
        }
        if !l.sigma.is_empty() {
            for &i in &self.quaternions {
                let name = &model.position_names[i];
                variables.push(multiplier("sigma", name, VariableKind::StabilisingMultiplier));
            }
        }
        for reading in &model.readings {
            let name = &model.controls[reading.control].name;
            variables.push(multiplier("reading", name, VariableKind::Reading));
        }
        variables
    }

    /// A typical length of the mechanism: the largest distance between neighbouring nodes.
    fn length(&self) -> f64 {
        let nodes = self.model.tree.nodes.iter();
        let largest = nodes.map(|n| n.placement.position.norm()).fold(0.0, f64::max);
        if largest > 0.0 { largest } else { 1.0 }
    }

    fn equations(&self) -> Vec<Equation> {
        use EquationLevel::{Acceleration, Differential, Dynamic, Kinematic, Position};
        let model = &self.model;
        let l = self.layout();
        let mut equations = Vec::new();
        for name in &model.position_names {
            equations.push(Equation::new(format!("rate of {name}"), Kinematic));
        }
        for name in &model.velocity_names {
            equations.push(Equation::new(format!("motion of {name}"), Dynamic));
        }
        for state in &model.states {
            equations.push(Equation::new(format!("rate of {}", state.name), Differential));
        }
        if !l.lambda.is_empty() {
            for (k, &row) in self.active.iter().enumerate() {
                let level = self.form.level(self.holonomic.contains(&k));
                let word = match level {
                    Acceleration => "acceleration",
                    Position => "position",
                    _ => "velocity",
                };
                equations.push(Equation::new(format!("{} ({word})", model.rows[row].name), level));
            }
        }
        if !l.eta.is_empty() {
            for &k in &self.holonomic {
                let name = &model.rows[self.active[k]].name;
                equations.push(Equation::new(format!("{name} (position)"), Position));
            }
        }
        if !l.sigma.is_empty() {
            for &i in &self.quaternions {
                equations.push(Equation::new(
                    format!("length of {}", model.position_names[i]),
                    Position,
                ));
            }
        }
        for reading in &model.readings {
            let name = format!("reading of {}", model.controls[reading.control].name);
            // With v̇ ~ 1/h as the rows of forces have it.
            equations.push(Equation::new(name, EquationLevel::Algebraic).step_power(1));
        }
        self.form.scale(&mut equations);
        equations
    }

    /// The columns of λ and η that are transposes of G.
    fn transposed(&self) -> Vec<TransposedBlock> {
        let l = self.layout();
        // Where q̇ = v, and every row is a condition on positions.
        let plain = self.quaternions.is_empty() && self.holonomic.len() == self.active.len();
        let mut readings = self.model.readings.iter();
        let read = readings.any(|reading| reading.observed.observable.needs_multipliers());
        // Forces that depend on λ add to its columns, readings have it in their rows, and rows of
        // open contacts are no longer G.
        let multipliers = !self.model.needs_lambda
            && !read
            && self.contacts.is_empty()
            && self.formalism == Formalism::Residual
            && (plain || self.form != Form::Index3);
        let stabilising = plain && self.contacts.is_empty() && self.metric == GglMetric::Identity;
        let mut blocks = self.form.transposed(l);
        blocks.retain(|block| {
            let is = |columns: &core::ops::Range<usize>| block.columns == *columns;
            !l.lambda.is_empty() && (is(&l.lambda) && multipliers || is(&l.eta) && stabilising)
        });
        blocks
    }

    /// The pattern that `build` returns for equations like these, built when it is needed.
    fn lazy(&self, build: fn(&Self) -> Pattern) -> LazyPattern {
        let equations = self.clone();
        LazyPattern::new(self.layout().readings.end, move || build(&equations))
    }

    /// Where ∂F/∂ẏ may differ from zero; none where it is the identity.
    pub(super) fn mass_pattern(&self) -> Option<LazyPattern> {
        let index1 = self.form == Form::Index1 && !self.layout().lambda.is_empty();
        (self.formalism == Formalism::Residual || index1).then(|| self.lazy(Self::mass_entries))
    }

    fn mass_entries(&self) -> Pattern {
        let l = self.layout();
        let index1 = self.form == Form::Index1 && !l.lambda.is_empty();
        let n = l.readings.end;
        let mut entries: Vec<(usize, usize)> = l.q.clone().map(|i| (i, i)).collect();
        let nodes = &self.model.tree.nodes;
        match self.formalism {
            Formalism::Explicit => entries.extend(l.v.clone().map(|i| (i, i))),
            Formalism::Residual => {
                for (a, node_a) in nodes.iter().enumerate() {
                    let rows = l.v.start + node_a.v..l.v.start + node_a.v + node_a.n_v();
                    for node_b in self.dependencies.mass(a).into_iter().map(|b| &nodes[b]) {
                        let columns = l.v.start + node_b.v..l.v.start + node_b.v + node_b.n_v();
                        entries.extend(rows.clone().flat_map(|i| columns.clone().map(move |j| (i, j))));
                    }
                }
            }
        }
        entries.extend(l.x.clone().map(|i| (i, i)));
        if index1 {
            self.constraint_entries(|k, j| entries.push((l.lambda.start + k, l.v.start + j)));
        }
        if self.readings_hold_derivatives() {
            for (k, depends) in self.dependencies.readings.iter().enumerate() {
                for node in depends.accelerations.iter().map(|&b| &nodes[b]) {
                    let columns = (0..node.n_v()).map(|j| l.v.start + node.v + j);
                    entries.extend(columns.map(|j| (l.readings.start + k, j)));
                }
            }
        }
        Pattern::from_entries(n, n, entries)
    }

    /// Whether v̇ is an unknown in the rows of some readings.
    pub(super) fn readings_hold_derivatives(&self) -> bool {
        let mut readings = self.dependencies.readings.iter();
        self.formalism == Formalism::Residual && readings.any(|r| !r.accelerations.is_empty())
    }

    /// Calls `entry(k, j)` for every velocity j that enters active row k.
    fn constraint_entries(&self, mut entry: impl FnMut(usize, usize)) {
        for (k, &row) in self.active.iter().enumerate() {
            for &node in &self.dependencies.constraints[self.model.rows[row].constraint] {
                let node = &self.model.tree.nodes[node];
                for j in 0..node.n_v() {
                    entry(k, node.v + j);
                }
            }
        }
    }

    /// Possible non-zeros of α ∂F/∂ẏ + ∂F/∂y.
    fn sparsity(&self) -> Pattern {
        let l = self.layout();
        let nodes = &self.model.tree.nodes;
        let d = &self.dependencies;
        let n = l.readings.end;
        let mut entries = Vec::new();
        // Positions and velocities of a node, as columns.
        let columns = |b: usize| {
            let node = &nodes[b];
            let q = (0..node.n_q()).map(move |i| l.q.start + node.q + i);
            let v = (0..node.n_v()).map(move |i| l.v.start + node.v + i);
            q.chain(v)
        };
        for (a, node) in nodes.iter().enumerate() {
            let dynamic = || (0..node.n_v()).map(move |i| l.v.start + node.v + i);
            let kinematic = || (0..node.n_q()).map(move |i| l.q.start + node.q + i);
            for row in kinematic() {
                entries.extend(columns(a).map(|c| (row, c)));
            }
            let depends: Vec<usize> = match self.formalism {
                Formalism::Residual => d.dynamic(a),
                Formalism::Explicit if a == 0 => Vec::new(),
                Formalism::Explicit => (1..nodes.len())
                    .filter(|&b| d.mechanism[a] == d.mechanism[b])
                    .collect(),
            };
            for row in dynamic() {
                entries.extend(depends.iter().flat_map(|&b| columns(b)).map(|c| (row, c)));
            }
        }
        // Own states, and what forces read besides the motion of the nodes they act on.
        let others_of = |reads: &Reads| -> Vec<usize> {
            let active = self.active.iter().enumerate();
            let read = active.filter(|(_, row)| !l.lambda.is_empty() && reads.rows.contains(row));
            let rows = read.map(|(k, _)| l.lambda.start + k);
            let readings = reads.readings.iter().map(|k| l.readings.start + k);
            let states = reads.states.iter().map(|k| l.x.start + k);
            states.chain(rows).chain(readings).collect()
        };
        for element in &d.elements {
            let others = || others_of(&element.reads).into_iter();
            for row in element.states.clone().map(|k| l.x.start + k) {
                entries.extend(
                    element
                        .reads
                        .nodes
                        .iter()
                        .flat_map(|&b| columns(b))
                        .map(|c| (row, c)),
                );
                entries.extend(others().map(|c| (row, c)));
            }
            let Some(&first) = element.acts.first() else {
                continue;
            };
            for (a, node) in nodes.iter().enumerate() {
                let acts = match self.formalism {
                    Formalism::Residual => element.acts.contains(&a),
                    Formalism::Explicit => a != 0 && d.mechanism[a] == d.mechanism[first],
                };
                if acts {
                    for row in (0..node.n_v()).map(|i| l.v.start + node.v + i) {
                        entries.extend(others().map(|c| (row, c)));
                    }
                }
            }
        }
        // Multipliers and constraint rows.
        for (k, &row) in self.active.iter().enumerate() {
            if l.lambda.is_empty() {
                break;
            }
            let path = &d.constraints[self.model.rows[row].constraint];
            let first = path.first().copied().unwrap_or(0);
            let reached: Vec<usize> = match self.formalism {
                Formalism::Residual => path.clone(),
                Formalism::Explicit => (1..nodes.len())
                    .filter(|&b| d.mechanism[b] == d.mechanism[first])
                    .collect(),
            };
            for &b in &reached {
                let node = &nodes[b];
                entries.extend((0..node.n_v()).map(|i| (l.v.start + node.v + i, l.lambda.start + k)));
            }
            for &b in path {
                entries.extend(columns(b).map(|c| (l.lambda.start + k, c)));
            }
        }
        for (i, &k) in self.holonomic.iter().enumerate() {
            if l.eta.is_empty() {
                break;
            }
            let path = &d.constraints[self.model.rows[self.active[k]].constraint];
            let first = path.first().copied().unwrap_or(0);
            // W = M⁻¹ spreads the correction over the mechanism.
            let reached: Vec<usize> = match self.metric {
                GglMetric::Identity => path.clone(),
                GglMetric::Mass => (1..nodes.len())
                    .filter(|&b| d.mechanism[b] == d.mechanism[first])
                    .collect(),
            };
            for &b in &reached {
                let node = &nodes[b];
                for row in (0..node.n_q()).map(|j| l.q.start + node.q + j) {
                    entries.push((row, l.eta.start + i));
                    entries.extend(reached.iter().flat_map(|&c| columns(c)).map(|c| (row, c)));
                }
            }
            for &b in path {
                entries.extend(columns(b).map(|c| (l.eta.start + i, c)));
            }
        }
        for (k, &i) in self.quaternions.iter().enumerate() {
            if l.sigma.is_empty() {
                break;
            }
            for j in i..i + 4 {
                entries.push((l.sigma.start + k, l.q.start + j));
                entries.push((l.q.start + j, l.sigma.start + k));
            }
        }
        for (k, reading) in d.readings.iter().enumerate() {
            let row = l.readings.start + k;
            // Articulated bodies: all that moves a mechanism moves all of it.
            let spread = self.formalism == Formalism::Explicit && !reading.accelerations.is_empty();
            if spread {
                let known = [&l.q, &l.v, &l.x, &l.lambda, &l.readings];
                entries.extend(
                    known
                        .into_iter()
                        .flat_map(|range| range.clone())
                        .map(|c| (row, c)),
                );
                continue;
            }
            let nodes = reading.reads.nodes.iter().flat_map(|&b| columns(b));
            entries.extend(nodes.chain(others_of(&reading.reads)).map(|c| (row, c)));
        }
        entries.extend((0..n).map(|i| (i, i)).filter(|&(i, _)| i < l.x.end));
        entries.extend(l.readings.clone().map(|i| (i, i)));
        for range in [&l.lambda, &l.eta].into_iter().filter(|range| !range.is_empty()) {
            entries.extend((range.end - self.contacts.len()..range.end).map(|i| (i, i)));
        }
        Pattern::from_entries(n, n, entries)
    }
}
