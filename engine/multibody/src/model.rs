//! [`Model`]: the compiled mechanism, immutable and index-based; what all later stages borrow.

use crate::description::{Hold, Input};
use crate::elements::constraints::{ConstraintElement, Impact, RowLevel};
use crate::elements::controls::ControlElement;
use crate::elements::forces::ForceElement;
use crate::elements::joints::JointKind;
use crate::forest::{Forest, Graph, Names};
use crate::observable::Observed;
use crate::signal::Signal;
use crate::tree::{Attachment, Tree};
use core::ops::Range;
use holonom_algebra::{Function, Pose};
use holonom_dae::Survey;
use holonom_expression::switches::{Side, Switch};
use holonom_expression::{Break, Expression};
use std::sync::Arc;

/// A body after compilation.
#[derive(Clone, Debug)]
pub struct ModelBody {
    /// Name.
    pub name: String,
    /// Node that carries it.
    pub node: usize,
    /// The body's frame in the node's frame.
    pub frame: Pose<f64>,
    /// Mass.
    pub mass: f64,
    /// Frames on it.
    pub markers: Vec<ModelMarker>,
}

/// A marker after compilation.
#[derive(Clone, Debug)]
pub struct ModelMarker {
    /// Name.
    pub name: String,
    /// Where it is.
    pub frame: Attachment,
}

/// Where a joint ended up.
#[derive(Clone, Debug, PartialEq)]
pub enum JointPlace {
    /// In the spanning tree.
    Tree {
        /// Its nodes, base to tip.
        nodes: Range<usize>,
        /// The tree runs from the joint's second frame to its first. Scalar coordinates keep
        /// their meaning; Euler parameters are the conjugate ones, and the angular velocity is
        /// that of the first frame seen from the second, in the axes of the first.
        reversed: bool,
    },
    /// Cut: it is constraint number `constraint`.
    Cut {
        /// Number in [`Model::constraints`].
        constraint: usize,
    },
}

/// A joint after compilation.
#[derive(Clone, Debug)]
pub struct ModelJoint {
    /// Name.
    pub name: String,
    /// Kind.
    pub kind: JointKind,
    /// Where it ended up.
    pub place: JointPlace,
    /// First frame.
    pub from: Attachment,
    /// Second frame.
    pub to: Attachment,
    /// For each scalar coordinate the node that carries it, 0 (the ground) for locked ones; empty
    /// when cut.
    pub coordinates: Vec<usize>,
    /// For each scalar coordinate the value it keeps when locked; empty when cut.
    pub locked: Vec<Option<f64>>,
}

/// A constraint after compilation: some rows of g.
#[derive(Clone, Debug)]
pub struct ModelConstraint {
    /// Name of the constraint, or of the cut joint or rod it stands for.
    pub name: String,
    /// What it says.
    pub element: ConstraintElement,
    /// Its rows among all rows, before redundant ones are dropped.
    pub rows: Range<usize>,
    /// Nodes with freedoms that move the second side but not the first (lowest common ancestor
    /// excluded), tip to base.
    pub to_path: Vec<usize>,
    /// Nodes with freedoms that move the first side but not the second.
    pub from_path: Vec<usize>,
}

impl ModelConstraint {
    /// The impact, if it is one.
    pub fn impact(&self) -> Option<&Impact> {
        match &self.element {
            ConstraintElement::Impact(impact) => Some(impact),
            _ => None,
        }
    }
}

/// One row of g or G v.
#[derive(Clone, Debug)]
pub struct ModelRow {
    /// Name for reports: constraint and direction, such as `loop.x`.
    pub name: String,
    /// Constraint it belongs to.
    pub constraint: usize,
    /// Level.
    pub level: RowLevel,
}

/// A rod with mass: inertia (m/6)[2I I; I 2I] on its end points. Its distance is a constraint,
/// the point masses m/3 are part of the nodes' inertias; what is left is the coupling.
#[derive(Clone, Debug)]
pub struct ModelRod {
    /// Name.
    pub name: String,
    /// Ends.
    pub ends: [Attachment; 2],
    /// Mass.
    pub mass: f64,
    /// Number of its distance constraint.
    pub constraint: usize,
}

/// A force element after compilation.
#[derive(Clone, Debug)]
pub struct ModelForce {
    /// Name.
    pub name: String,
    /// The law with what it attaches to.
    pub element: ForceElement,
    /// Its own states among those of all elements.
    pub states: Range<usize>,
    /// Controls that its functions of time name.
    pub controls: Vec<usize>,
}

/// A control after compilation.
#[derive(Clone, Debug)]
pub struct ModelControl {
    /// Name.
    pub name: String,
    /// What it does.
    pub element: ControlElement,
    /// Its own states among those of all elements.
    pub states: Range<usize>,
    /// Controls that its inputs name.
    pub controls: Vec<usize>,
}

/// What a sensor reads that follows from accelerations or multipliers, or belongs to the whole
/// mechanism.
///
/// Forces may depend on it and it on the forces, so it is an unknown ρ of its own with the equation
/// 0 = ρ − c(t, q, v, x, λ, v̇, ρ), where c is the channel. Whatever is to be evaluated takes ρ as given:
/// no order of evaluation is needed.
#[derive(Clone, Debug)]
pub struct ModelReading {
    /// Number of the sensor among the controls.
    pub control: usize,
    /// What it reads.
    pub observed: Observed,
}

/// An own state of an element after compilation.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelState {
    /// Name: element and state, such as `damper.displacement`.
    pub name: String,
    /// Unit, `1` for pure numbers.
    pub unit: &'static str,
    /// What it is, in a sentence.
    pub doc: &'static str,
}

/// A switch on the state after compilation.
#[derive(Clone, Debug)]
pub(crate) struct ModelSwitch {
    /// What it is and where it stands, for messages.
    pub name: String,
    /// What turns it.
    pub switch: Switch,
    /// The law it is part of; none where it reads controls.
    pub law: Option<SwitchedLaw>,
}

/// A law of a force element that has switches.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct SwitchedLaw {
    /// The force element.
    pub force: usize,
    /// Its first input among those of all laws of the element.
    pub first: usize,
}

/// A law that may change within a short range of what it depends on.
#[derive(Clone, Debug)]
pub(crate) struct ModelLaw {
    /// The force element; none where it reads controls.
    pub force: Option<usize>,
    /// Its first input among those of all laws of the element.
    pub first: usize,
    /// Where it stands.
    pub place: String,
    /// Whether it consists of smooth pieces whose borders are not located as events.
    pub pieces: bool,
    /// The law.
    pub function: LawFunction,
}

/// How such a law is written.
#[derive(Clone, Debug)]
pub(crate) enum LawFunction {
    /// As an expression, with switches on sides.
    Expression(Expression),
    /// In Rust, from all inputs of a [`User`](crate::elements::forces::User) law to all its outputs.
    User(Arc<dyn Function>),
}

/// What is said about the start besides the values in q0 and v0.
#[derive(Clone, Debug, Default)]
pub struct ModelStart {
    /// How firmly each position is meant, by the number of its velocity.
    pub positions: Vec<Hold>,
    /// How firmly each velocity is meant.
    pub velocities: Vec<Hold>,
    /// Initial values of coordinates of cut joints.
    pub(crate) cuts: Vec<CutStart>,
    /// Poses and velocities near which loops are to close.
    pub(crate) hints: Vec<CutStart>,
}

/// An initial value as rows between two frames: of a coordinate that is no unknown, or of a hint.
#[derive(Clone, Debug)]
pub(crate) struct CutStart {
    /// The rows, which are zero where a position is as stated; their numbers are not those of the model.
    pub constraint: ModelConstraint,
    /// A velocity, not a position.
    pub rate: bool,
    /// The values as stated: of each row where it is a velocity; of the coordinate where it is a position.
    pub values: Vec<f64>,
    /// What a row changes by when the coordinate changes by one.
    pub factor: f64,
    /// How firmly they are meant.
    pub hold: Hold,
}

/// The compiled mechanism.
#[derive(Clone, Debug)]
pub struct Model {
    /// Name.
    pub name: String,
    /// What the recursions see.
    pub tree: Tree,
    /// Bodies and joints as a graph; body 0 is the ground.
    pub graph: Graph,
    /// Spanning tree and loops of the graph.
    pub forest: Forest,
    /// Bodies, the ground first.
    pub bodies: Vec<ModelBody>,
    /// Joints in the order of the description.
    pub joints: Vec<ModelJoint>,
    /// Constraints: cut joints, then constraints, then rods, then impacts.
    pub constraints: Vec<ModelConstraint>,
    /// All rows: those of one constraint after those of another.
    pub rows: Vec<ModelRow>,
    /// Rods with mass.
    pub rods: Vec<ModelRod>,
    /// Force elements.
    pub forces: Vec<ModelForce>,
    /// Signals that prescribe coordinates, by the numbers in the tree's nodes.
    pub signals: Vec<Signal>,
    /// Functions of time alone in force elements, controls and constraints, among them parts of laws that depend on more;
    /// none of them twice.
    pub excitations: Vec<Signal>,
    /// Switches on the state in expressions.
    pub(crate) switches: Vec<ModelSwitch>,
    /// How many of them, the first ones, constraints prescribe: their second derivatives count as well.
    pub motions: usize,
    /// Wheels roll on uneven roads.
    pub places: bool,
    /// Laws that may change within a short range of the state.
    pub(crate) laws: Vec<ModelLaw>,
    /// Comparisons with `==` and `!=` that hold, or fail to, only for an instant, each with its place.
    pub equalities: Vec<String>,
    /// Names of the positions.
    pub position_names: Vec<String>,
    /// Names of the velocities.
    pub velocity_names: Vec<String>,
    /// Start positions as described.
    pub q0: Vec<f64>,
    /// Start velocities as described.
    pub v0: Vec<f64>,
    /// How firmly the start is meant, and initial values that are no coordinates.
    pub start: ModelStart,
    /// Own states of elements: those of force elements, then of controls, in their order.
    pub states: Vec<ModelState>,
    /// Start values of the own states.
    pub x0: Vec<f64>,
    /// Controls.
    pub controls: Vec<ModelControl>,
    /// The order in which their outputs are computed.
    pub control_order: Vec<usize>,
    /// Rows whose multipliers force elements or sensors read, ascending.
    pub read_rows: Vec<usize>,
    /// Some force or own state depends on multipliers.
    pub needs_lambda: bool,
    /// Nodes whose loads must be collected because elements attach to them.
    pub needs_world: bool,
    /// What sensors read as unknowns of their own.
    pub readings: Vec<ModelReading>,
    /// Forces depend on readings without delay, so that these are to be found with the accelerations.
    pub forces_need_readings: bool,
    /// Functions of time that are channels besides those that something follows.
    pub inputs: Arc<[Input]>,
}

/// What functions of time do within a range.
#[derive(Clone, Debug, Default)]
pub struct Examination {
    /// Where they are not smooth, ascending, see [`Signal::breaks`]. A table with more than a hundred corners is a
    /// curve to methods that keep a history: its corners have order 3 here, and where only its second derivative jumps
    /// there is none. Jumps remain jumps.
    pub breaks: Vec<Break>,
    /// Functions whose breaks are too many, or take too long to find.
    pub unknown: Vec<String>,
    /// Of each excitation of the equations where it has to be looked at; none for a user's function.
    pub surveys: Vec<Option<Survey>>,
    /// Functions that may hide something all the same, and where.
    pub suspects: Vec<(String, f64)>,
}

impl Model {
    /// The rows that open and close at events, those of impacts; the last ones of all.
    pub fn switched(&self) -> Range<usize> {
        let impacts = self.constraints.iter().filter(|c| c.impact().is_some());
        let first = impacts.map(|c| c.rows.start).min();
        first.unwrap_or(self.rows.len())..self.rows.len()
    }

    /// How many of the discrete variables, the last ones, keep switches of expressions on their sides.
    pub fn sides(&self) -> usize {
        Side::NUMBERS * self.switches.len()
    }

    /// What its functions of time do within a range, see [`Examination`].
    pub fn examine(&self, range: [f64; 2]) -> Examination {
        const DENSE: usize = 100;
        let mut found = Examination::default();
        for (number, signal) in self.signals.iter().chain(&self.excitations).enumerate() {
            let (own, given_up) = signal.search_breaks(range);
            for text in given_up {
                if !found.unknown.contains(&text) {
                    found.unknown.push(text);
                }
            }
            let motion = number < self.signals.len() + self.motions;
            match signal.survey(range, &own, motion) {
                Some(surveyed) => {
                    found.surveys.extend(surveyed.surveys.into_iter().map(Some));
                    found.suspects.extend(surveyed.suspect);
                }
                None => found.surveys.extend((0..=usize::from(motion)).map(|_| None)),
            }
            let dense = own.iter().filter(|b| b.order > 0 && b.knot).count() > DENSE;
            found.breaks.extend(own.into_iter().filter_map(|b| match b.order {
                _ if !b.knot => Some(b),
                1 if dense => Some(Break {
                    order: Break::SMOOTH,
                    ..b
                }),
                2.. if dense => None,
                _ => Some(b),
            }));
        }
        Break::sort(&mut found.breaks);
        found
    }

    /// The spanning tree with its cut joints and loops, as text.
    pub fn topology_text(&self) -> String {
        self.with_names(|names| self.forest.text(&self.graph, names))
    }

    /// The same as a Graphviz graph: tree joints solid, cut joints dashed.
    pub fn topology_dot(&self) -> String {
        self.with_names(|names| self.forest.dot(&self.graph, names))
    }

    fn with_names(&self, f: impl FnOnce(&Names<'_>) -> String) -> String {
        let bodies: Vec<&str> = self.bodies.iter().map(|b| b.name.as_str()).collect();
        let joints: Vec<&str> = self.joints.iter().map(|j| j.name.as_str()).collect();
        let kinds: Vec<&str> = self.joints.iter().map(|j| j.kind.info().name).collect();
        f(&Names {
            bodies: &bodies,
            joints: &joints,
            kinds: &kinds,
        })
    }
}
