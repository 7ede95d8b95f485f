//! Cut joints, constraints, rods and forces on the nodes, and the finished model.

use super::controls::{self, Bind, Readable};
use super::lower::{Lowered, add_inertia, axis_frame};
use super::names::{Names, Place};
use super::sensors;
use super::timed;
use crate::description::{CoordinateMotion, CoordinateRef, Description, Joint};
use crate::diagnostic::{Diagnostic, Sort, Thing, ThingKind};
use crate::elements::constraints::{ConstraintElement, DescribedConstraint, Distance, Pair, PairRow};
use crate::elements::forces::{ForceElement, OwnState, Reach};
use crate::elements::joints::Primitive;
use crate::elements::references::{JointCoordinate, Resolve, RoadPlace, RollingContact};
use crate::forest::{Forest, Graph};
use crate::model::{
    CutStart, JointPlace, LawFunction, Model, ModelConstraint, ModelForce, ModelJoint, ModelLaw, ModelRod,
    ModelRow, ModelStart, ModelState,
};
use crate::signal::Signal;
use crate::tree::Attachment;
use crate::tree::Tree;
use core::ops::Range;
use holonom_algebra::{Inertia, Sym3};

/// Finishes the model. What is wrong goes to `errors`; the model is of no use then.
pub(super) fn attach(
    description: &Description,
    names: &Names,
    graph: Graph,
    forest: Forest,
    ends: &[[Place; 2]],
    lowered: Lowered,
    errors: &mut Vec<Diagnostic>,
) -> Model {
    let mut attach = Attach {
        description,
        names,
        lowered,
        errors,
        constraints: Vec::new(),
        rows: Vec::new(),
        rods: Vec::new(),
        forces: Vec::new(),
        roads: Vec::new(),
        states: Vec::new(),
        x0: Vec::new(),
        cuts: Vec::new(),
        hints: Vec::new(),
    };
    let mut faults = Vec::new();
    attach.roads = super::roads::roads(description, |frame| attach.frame(frame), &mut faults);
    attach.errors.append(&mut faults);
    for (index, (joint, ends)) in description.joints.iter().zip(ends).enumerate() {
        if attach.lowered.joints[index].is_none() {
            attach.lowered.joints[index] = Some(attach.cut(joint, ends));
        }
    }
    attach.all_constraints(false);
    attach.all_rods();
    attach.all_hints();
    attach.all_constraints(true);
    let mut bind = Bind::new(description);
    for force in &description.forces {
        let place = ThingKind::Force.named(&force.name);
        bind.at(place.clone());
        let mut kind = force.kind.clone();
        bind.force = Some(attach.forces.len());
        kind.fields(&mut bind);
        if let Some(law) = kind.function() {
            // Nobody knows what is in it.
            bind.laws.push(ModelLaw {
                force: Some(attach.forces.len()),
                first: 0,
                place: place.to_string(),
                pieces: false,
                function: LawFunction::User(law.clone()),
            });
        }
        if let Some(element) = kind.attach(&mut attach.references(&place, true)) {
            attach.add_force(&force.name, element, bind.read.clone());
        }
    }
    bind.force = None;
    let needs_world = !attach.rods.is_empty()
        || attach.constraints.iter().any(|c| c.element.sides().is_some())
        || attach
            .forces
            .iter()
            .any(|f| !matches!(f.element.reach(), Reach::Coordinate(_) | Reach::Coordinates(_)));
    let (lowered, errors) = (attach.lowered, attach.errors);
    let mut model = Model {
        name: description.name.clone(),
        tree: lowered.tree,
        graph,
        forest,
        bodies: lowered.bodies,
        joints: lowered.joints.into_iter().flatten().collect(),
        constraints: attach.constraints,
        rows: attach.rows,
        rods: attach.rods,
        forces: attach.forces,
        signals: lowered.signals,
        excitations: Vec::new(),
        switches: Vec::new(),
        motions: 0,
        places: false,
        laws: Vec::new(),
        equalities: Vec::new(),
        position_names: lowered.position_names,
        velocity_names: lowered.velocity_names,
        q0: lowered.q0,
        v0: lowered.v0,
        start: ModelStart {
            positions: lowered.position_holds,
            velocities: lowered.velocity_holds,
            cuts: attach.cuts,
            hints: attach.hints,
        },
        states: attach.states,
        x0: attach.x0,
        controls: Vec::new(),
        control_order: Vec::new(),
        read_rows: Vec::new(),
        needs_lambda: false,
        needs_world,
        readings: Vec::new(),
        forces_need_readings: false,
        inputs: description.inputs.as_slice().into(),
    };
    add_controls(&mut model, description, &mut bind, errors);
    errors.append(&mut bind.errors);
    let others = core::mem::take(&mut bind.excitations);
    for joint in &description.joints {
        bind.at(ThingKind::Joint.named(&joint.name));
        for coordinate in &joint.coordinates {
            if let CoordinateMotion::Prescribed(signal) = &coordinate.motion {
                bind.compares_in(signal);
            }
        }
    }
    for constraint in &description.constraints {
        bind.at(ThingKind::Constraint.named(&constraint.name));
        let mut kind = constraint.kind.clone();
        kind.fields(&mut bind);
    }
    model.motions = bind.excitations.len();
    bind.excited_by(others);
    timed::excite(&model, description, &mut bind);
    (model.excitations, model.places) = (bind.excitations, bind.places);
    model.switches = bind.switches;
    model.laws = bind.laws;
    model.equalities = bind.equalities;
    // Those of one element share their inputs.
    model.laws.sort_by_key(|law| law.force);
    model
}

/// Controls, with what sensors read.
fn add_controls(
    model: &mut Model,
    description: &Description,
    bind: &mut Bind<'_>,
    errors: &mut Vec<Diagnostic>,
) {
    let mut wanted = Vec::new();
    let readable = Readable { description, model };
    let mut controls = controls::compile(&readable, bind, &mut wanted);
    for control in &mut controls {
        control.states = add_states(
            &mut model.states,
            &mut model.x0,
            &control.name,
            control.element.states(),
        );
        model.needs_world |= control.element.frames().is_some();
    }
    model.controls = controls;
    model.read_rows = model
        .forces
        .iter()
        .flat_map(|f| f.element.multipliers())
        .collect();
    // Numbers of controls mean nothing where one could not be compiled.
    if model.controls.len() != description.controls.len() {
        return;
    }
    sensors::resolve(model, description, wanted, errors);
    model.read_rows.sort_unstable();
    model.read_rows.dedup();
    model.needs_lambda = !model.read_rows.is_empty();
    match controls::order(&model.controls, &model.forces) {
        Ok(order) => model.control_order = order,
        Err(ring) => errors.push(control_ring(&ring)),
    }
    if errors.is_empty() {
        sensors::finish(model);
    }
}

/// Controls that need each other's outputs at the same instant, each the next, the last the first.
fn control_ring(ring: &[String]) -> Diagnostic {
    let names: Vec<String> = ring.iter().map(|name| format!("\"{name}\"")).collect();
    let fault = Diagnostic::sentence(format!(
        "the controls {} depend on each other's outputs at the same instant (an algebraic loop)",
        names.join(" -> ")
    ));
    let fault = fault.remedy("insert a `lag`");
    match ring.first() {
        Some(first) => fault.of(&ThingKind::Control.named(first)),
        None => fault,
    }
}

/// Adds own states of an element and gives their numbers.
fn add_states(
    all: &mut Vec<ModelState>,
    x0: &mut Vec<f64>,
    name: &str,
    states: Vec<OwnState>,
) -> Range<usize> {
    let start = all.len();
    for state in states {
        x0.push(state.start);
        all.push(ModelState {
            name: format!("{name}.{}", state.name),
            unit: state.unit,
            doc: state.doc,
        });
    }
    start..all.len()
}

pub(super) struct Attach<'a, 'b> {
    pub(super) description: &'a Description,
    names: &'b Names<'a>,
    pub(super) lowered: Lowered,
    errors: &'b mut Vec<Diagnostic>,
    constraints: Vec<ModelConstraint>,
    rows: Vec<ModelRow>,
    rods: Vec<ModelRod>,
    forces: Vec<ModelForce>,
    roads: Vec<(String, RoadPlace)>,
    states: Vec<ModelState>,
    x0: Vec<f64>,
    pub(super) cuts: Vec<CutStart>,
    pub(super) hints: Vec<CutStart>,
}

impl<'a, 'b> Attach<'a, 'b> {
    fn cut(&mut self, joint: &Joint, ends: &[Place; 2]) -> ModelJoint {
        let rows = joint.kind.cut_rows();
        let turn = axis_frame(joint);
        let turned = |place: &Place| {
            self.lowered.attachment(&Place {
                body: place.body,
                frame: place.frame.then(&turn),
            })
        };
        let (from, to) = (turned(&ends[0]), turned(&ends[1]));
        let element = ConstraintElement::Pair(Pair {
            from,
            to,
            rows: rows.iter().map(|row| row.row).collect(),
            length: None,
        });
        let row_names = rows.iter().map(|row| row.name.to_string()).collect();
        let constraint = self.add_constraint(&joint.name, element, Some(row_names), None);
        self.cut_start(joint, from, to);
        ModelJoint {
            name: joint.name.clone(),
            kind: joint.kind,
            place: JointPlace::Cut { constraint },
            from: self.lowered.attachment(&ends[0]),
            to: self.lowered.attachment(&ends[1]),
            coordinates: Vec::new(),
            locked: Vec::new(),
        }
    }

    /// Adds the rows of a constraint; `must_move` is its place in words if it is a fault that no
    /// coordinate moves it (the rows of a cut joint may be redundant).
    fn add_constraint(
        &mut self,
        name: &str,
        element: ConstraintElement,
        row_names: Option<Vec<String>>,
        must_move: Option<Thing>,
    ) -> usize {
        let number = self.constraints.len();
        let (from_path, to_path) = match element.sides() {
            Some([from, to]) => paths(&self.lowered.tree, from.node, to.node),
            None => (Vec::new(), Vec::new()),
        };
        if let Some(place) = must_move
            && element.sides().is_some()
            && from_path.is_empty()
            && to_path.is_empty()
        {
            let fault = place.fault("no free coordinate moves its ends relative to each other");
            let fault = fault.remedy("remove it or release a joint between them");
            self.errors.push(fault.sort(Sort::Connection));
        }
        let start = self.rows.len();
        let row_names = row_names.unwrap_or_else(|| element.row_names());
        for (row, level) in row_names.iter().zip(element.levels()) {
            self.rows.push(ModelRow {
                name: format!("{name}.{row}"),
                constraint: number,
                level,
            });
        }
        self.constraints.push(ModelConstraint {
            name: name.to_string(),
            element,
            rows: start..self.rows.len(),
            to_path,
            from_path,
        });
        number
    }

    fn references<'s>(&'s mut self, place: &'s Thing, force: bool) -> References<'s, 'a, 'b> {
        References {
            attach: self,
            place,
            force,
        }
    }

    pub(super) fn frame(&self, reference: &str) -> Option<Attachment> {
        // What does not exist has been reported before.
        let place = self.names.frame(reference).ok()?;
        Some(self.lowered.attachment(&place))
    }

    /// The node of a coordinate, 0 if it is locked.
    pub(super) fn coordinate(
        &mut self,
        reference: &CoordinateRef,
        place: &Thing,
        force: bool,
    ) -> Option<(usize, usize)> {
        let joint = self.names.coordinate(reference).ok()?;
        let nodes = &self.lowered.joints[joint].as_ref()?.coordinates;
        if let Some(&node) = nodes.get(reference.index) {
            return Some((joint, node));
        }
        let fault = format!(
            "the joint \"{}\" is cut to open a loop, so it has no coordinate",
            reference.joint
        );
        let mut remedy = "give it hint = \"tree\" (and release another joint of the loop)".to_string();
        if force {
            remedy += ", or use a torsion spring or a spring-damper between its frames";
        }
        self.errors
            .push(place.fault(fault).remedy(remedy).said(&reference.joint));
        None
    }

    /// Constraints that open and close at events, or all others. The former come last, so that the
    /// numbers of all other rows are the same without them.
    fn all_constraints(&mut self, switched: bool) {
        let description = self.description;
        for constraint in &description.constraints {
            if constraint.kind.info().switched != switched {
                continue;
            }
            let place = ThingKind::Constraint.named(&constraint.name);
            if let Some(element) = constraint.kind.attach(&mut self.references(&place, false)) {
                self.add_constraint(&constraint.name, element, None, Some(place));
            }
        }
    }

    fn all_rods(&mut self) {
        let description = self.description;
        for rod in &description.rods {
            let place = ThingKind::Rod.named(&rod.name);
            let distance = Distance {
                from: rod.from.clone(),
                to: rod.to.clone(),
                length: Signal::constant(rod.length),
            };
            let Some(element) = distance.attach(&mut self.references(&place, false)) else {
                continue;
            };
            let Some(ends) = element.sides() else { continue };
            let constraint = self.add_constraint(&rod.name, element, None, Some(place));
            if rod.mass == 0.0 {
                continue;
            }
            // (m/6)[2I I; I 2I]: the diagonal blocks are point masses m/3.
            for end in ends.iter().filter(|end| end.node != 0) {
                let point = Inertia::at_centre(rod.mass / 3.0, end.frame.position, &Sym3::zero());
                add_inertia(&mut self.lowered.tree, end.node, point);
            }
            self.rods.push(ModelRod {
                name: rod.name.clone(),
                ends,
                mass: rod.mass,
                constraint,
            });
        }
    }

    /// Adds a force element with its own states.
    fn add_force(&mut self, name: &str, element: ForceElement, controls: Vec<usize>) {
        let states = add_states(&mut self.states, &mut self.x0, name, element.states());
        self.forces.push(ModelForce {
            name: name.to_string(),
            element,
            states,
            controls,
        });
    }
}

/// The references of the element at a place.
struct References<'s, 'a, 'b> {
    attach: &'s mut Attach<'a, 'b>,
    place: &'s Thing,
    /// The element is a force, which can act on a cut joint in other ways.
    force: bool,
}

impl Resolve for References<'_, '_, '_> {
    fn frame(&self, name: &str) -> Option<Attachment> {
        self.attach.frame(name)
    }

    fn coordinate(&mut self, coordinate: &CoordinateRef) -> Option<usize> {
        Some(self.attach.coordinate(coordinate, self.place, self.force)?.1)
    }

    fn locked(&self, coordinate: &CoordinateRef) -> Option<f64> {
        let joint = self.attach.names.coordinate(coordinate).ok()?;
        let described = self.attach.description.joints[joint]
            .coordinates
            .get(coordinate.index)?;
        matches!(described.motion, CoordinateMotion::Locked).then_some(described.position)
    }

    fn joint_coordinate(&mut self, coordinate: &CoordinateRef) -> Option<JointCoordinate> {
        let joint = self.attach.names.coordinate(coordinate).ok()?;
        let kind = self.attach.description.joints[joint].kind;
        let turns = kind.info().coordinates.get(coordinate.index)?.unit == "rad";
        let constraint = match self.attach.lowered.joints[joint].as_ref()?.place {
            JointPlace::Cut { constraint } => &self.attach.constraints[constraint],
            JointPlace::Tree { .. } => {
                let node = self.coordinate(coordinate)?;
                return Some(JointCoordinate::Tree { node, turns });
            }
        };
        let ConstraintElement::Pair(pair) = &constraint.element else {
            return None;
        };
        let axis = match kind.motion(coordinate.index) {
            Some(Primitive::Turn(2)) => 2,
            Some(Primitive::Slide(axis)) => axis,
            // The axes of the others are not fixed in the first frame.
            _ => {
                self.coordinate(coordinate)?;
                return None;
            }
        };
        let along = |row: &&PairRow| matches!(row, PairRow::Along { .. });
        let first = constraint.rows.start;
        Some(JointCoordinate::Cut {
            from: pair.from,
            to: pair.to,
            axis,
            turns,
            rows: first..first + pair.rows.iter().take_while(along).count(),
        })
    }

    fn road(&self, name: &str) -> Option<RoadPlace> {
        let mut roads = self.attach.roads.iter();
        roads
            .find(|(known, _)| known == name)
            .map(|(_, place)| place.clone())
    }

    fn contact(&self, name: &str) -> Option<RollingContact> {
        let constraint = self.attach.constraints.iter().find(|c| c.name == *name)?;
        let ConstraintElement::WheelRail(wheel) = &constraint.element else {
            return None;
        };
        Some(RollingContact {
            constraint: wheel.clone(),
            row: constraint.rows.start,
            ground: self.attach.frame(super::names::GROUND)?,
        })
    }
}

/// The nodes with freedoms between the lowest common ancestor of two nodes and each of them, tip
/// to base: the first side, the second side.
pub(super) fn paths(tree: &Tree, mut from: usize, mut to: usize) -> (Vec<usize>, Vec<usize>) {
    let (mut from_path, mut to_path) = (Vec::new(), Vec::new());
    // Parents have lower numbers: the higher one of two is never an ancestor of the other.
    while from != to {
        let (node, path) = if from > to {
            (&mut from, &mut from_path)
        } else {
            (&mut to, &mut to_path)
        };
        if tree.nodes[*node].n_v() > 0 {
            path.push(*node);
        }
        *node = tree.nodes[*node].parent;
    }
    (from_path, to_path)
}
