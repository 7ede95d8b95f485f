//! Text and Graphviz pictures of a forest, and errors in words.

use super::{Forest, ForestError, Graph};
use core::fmt;

/// Names for printing, by index. What is missing is replaced by a number: all may stay empty.
///
/// ```
/// use holonom_multibody::forest::Names;
///
/// let names = Names { bodies: &["ground", "arm"], ..Names::default() };
/// assert_eq!(names.body(1), "arm");
/// assert_eq!(names.body(2), "body 2");
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Names<'a> {
    /// Names of the bodies, ground first.
    pub bodies: &'a [&'a str],
    /// Names of the joints.
    pub joints: &'a [&'a str],
    /// Kinds of the joints, like "revolute".
    pub kinds: &'a [&'a str],
}

impl Names<'_> {
    /// Name of a body.
    pub fn body(&self, body: usize) -> String {
        match self.bodies.get(body) {
            Some(name) => (*name).to_string(),
            None if body == 0 => "ground".to_string(),
            None => format!("body {body}"),
        }
    }

    /// Name of a joint.
    pub fn joint(&self, edge: usize) -> String {
        self.joints
            .get(edge)
            .map_or_else(|| format!("#{edge}"), |name| (*name).to_string())
    }

    /// Kind of a joint; its number of freedoms where there is none.
    pub fn kind(&self, edge: usize, freedoms: usize) -> String {
        let count = || counted(freedoms, "freedom");
        self.kinds
            .get(edge)
            .map_or_else(count, |kind| (*kind).to_string())
    }

    fn all_bodies(&self, bodies: &[usize]) -> String {
        bodies
            .iter()
            .map(|&body| self.body(body))
            .collect::<Vec<_>>()
            .join(", ")
    }

    fn all_joints(&self, edges: &[usize]) -> String {
        edges
            .iter()
            .map(|&edge| format!("\"{}\"", self.joint(edge)))
            .collect::<Vec<_>>()
            .join(", ")
    }
}

impl Forest {
    /// The tree by indentation, a line for each loop and a line with the counts.
    ///
    /// ```
    /// use holonom_multibody::forest::{Edge, Forest, Graph, Names};
    ///
    /// let edges = vec![Edge::new(0, 1, 1), Edge::new(1, 2, 1), Edge::new(2, 3, 1), Edge::new(3, 0, 1)];
    /// let graph = Graph { bodies: 4, edges };
    /// let names = Names {
    ///     bodies: &["ground", "crank", "coupler", "rocker"],
    ///     joints: &["a", "b", "c", "d"],
    ///     kinds: &["revolute"; 4],
    /// };
    /// let text = "\
    /// ground
    ///   crank: joint \"a\" (revolute)
    ///     coupler: joint \"b\" (revolute)
    ///   rocker: joint \"d\" (revolute), reversed
    /// loop 1: cut joint \"c\" (revolute) between coupler and rocker; length 4: \
    /// ground -[a]- crank -[b]- coupler ~[c]~ rocker -[d]- ground
    /// 3 tree joints, 1 cut; 3 coordinates, 5 constraint rows
    /// ";
    /// assert_eq!(Forest::build(&graph).unwrap().text(&graph, &names), text);
    /// ```
    pub fn text(&self, graph: &Graph, names: &Names) -> String {
        let mut text = names.body(0) + "\n";
        for joint in &self.joints {
            let indent = 2 * self.depth[joint.child];
            let label = label(graph, names, joint.edge);
            let reversed = if joint.reversed { ", reversed" } else { "" };
            text += &format!(
                "{:indent$}{}: joint {label}{reversed}\n",
                "",
                names.body(joint.child)
            );
        }
        for (index, closed) in self.loops.iter().enumerate() {
            let edge = graph.edges[closed.edge];
            text += &format!(
                "loop {}: cut joint {} between {} and {}; length {}: {}",
                index + 1,
                label(graph, names, closed.edge),
                names.body(edge.from),
                names.body(edge.to),
                closed.length(),
                names.body(closed.apex)
            );
            for &joint in &closed.from_side {
                let joint = self.joints[joint];
                text += &format!(" -[{}]- {}", names.joint(joint.edge), names.body(joint.child));
            }
            text += &format!(" ~[{}]~ {}", names.joint(closed.edge), names.body(edge.to));
            for &joint in closed.to_side.iter().rev() {
                let joint = self.joints[joint];
                text += &format!(" -[{}]- {}", names.joint(joint.edge), names.body(joint.parent));
            }
            text.push('\n');
        }
        text += &format!(
            "{}, {} cut; {}, {}\n",
            counted(self.joints.len(), "tree joint"),
            self.cut.len(),
            counted(self.coordinates(graph), "coordinate"),
            counted(self.rows(graph), "constraint row")
        );
        text
    }

    /// A picture for Graphviz: tree joints solid from parent to child, cut joints dashed.
    ///
    /// ```
    /// use holonom_multibody::forest::{Edge, Forest, Graph, Names};
    ///
    /// let graph = Graph { bodies: 2, edges: vec![Edge::new(0, 1, 1), Edge::new(0, 1, 3)] };
    /// let dot = Forest::build(&graph).unwrap().dot(&graph, &Names::default());
    /// assert!(dot.contains("b0 -> b1 [label=\"#0\\n1 freedom\"];"));
    /// assert!(dot.contains("style=dashed"));
    /// ```
    pub fn dot(&self, graph: &Graph, names: &Names) -> String {
        let mut dot = String::from("digraph forest {\n");
        for body in 0..self.depth.len() {
            let shape = if body == 0 { ", shape=box" } else { "" };
            dot += &format!("  b{body} [label=\"{}\"{shape}];\n", escaped(&names.body(body)));
        }
        let label = |edge: usize| {
            let kind = names.kind(edge, graph.edges[edge].freedoms);
            format!("{}\\n{}", escaped(&names.joint(edge)), escaped(&kind))
        };
        for joint in &self.joints {
            dot += &format!(
                "  b{} -> b{} [label=\"{}\"];\n",
                joint.parent,
                joint.child,
                label(joint.edge)
            );
        }
        for &cut in &self.cut {
            let edge = graph.edges[cut];
            // Ranks follow the tree alone.
            let style = "style=dashed, dir=none, constraint=false";
            dot += &format!(
                "  b{} -> b{} [label=\"{}\", {style}];\n",
                edge.from,
                edge.to,
                label(cut)
            );
        }
        dot + "}\n"
    }
}

/// Name and kind of a joint.
fn label(graph: &Graph, names: &Names, edge: usize) -> String {
    format!(
        "\"{}\" ({})",
        names.joint(edge),
        names.kind(edge, graph.edges[edge].freedoms)
    )
}

/// A number of things, one or several.
fn counted(n: usize, thing: &str) -> String {
    format!("{n} {thing}{}", if n == 1 { "" } else { "s" })
}

/// Text inside the quotes of a Graphviz label.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '"' => escaped.push_str("\\\""),
            '\\' => escaped.push_str("\\\\"),
            '\n' => escaped.push_str("\\n"),
            other => escaped.push(other),
        }
    }
    escaped
}

impl ForestError {
    /// The fault and its remedy, with names.
    ///
    /// ```
    /// use holonom_multibody::forest::{Edge, Forest, Graph, Names};
    ///
    /// let errors = Forest::build(&Graph { bodies: 2, edges: vec![] }).unwrap_err();
    /// let names = Names { bodies: &["ground", "arm"], ..Names::default() };
    /// let (fault, remedy) = errors[0].describe(&names);
    /// assert_eq!(fault, "no joints connect ground to arm");
    /// assert_eq!(remedy, "add a joint, for example a free joint");
    /// ```
    pub fn describe(&self, names: &Names) -> (String, &'static str) {
        match self {
            Self::UnknownBody { edge, body, bodies } => (
                format!(
                    "joint \"{}\" names body {body}, but the bodies are 0 to {}",
                    names.joint(*edge),
                    bodies - 1
                ),
                "correct the body",
            ),
            Self::SelfJoint { edge } => (
                format!("joint \"{}\" joins a body with itself", names.joint(*edge)),
                "correct one of its bodies",
            ),
            Self::CutOfTreeOnly { edge } => (
                format!(
                    "joint \"{}\" has the hint \"cut\", but joints of its kind cannot be cut",
                    names.joint(*edge)
                ),
                "remove the hint",
            ),
            Self::HintTreeCycle { edges } => (
                format!(
                    "the joints {} all have to be in the tree, but form a loop",
                    names.all_joints(edges)
                ),
                "release one of them",
            ),
            Self::Disconnected { bodies } => (
                format!(
                    "no joints connect {} to {}",
                    names.body(0),
                    names.all_bodies(bodies)
                ),
                "add a joint, for example a free joint",
            ),
            Self::HintCutDisconnects { edge, bodies } => (
                format!(
                    "joint \"{}\" has the hint \"cut\", but without it no joints connect {} to {}",
                    names.joint(*edge),
                    names.body(0),
                    names.all_bodies(bodies)
                ),
                "remove the hint",
            ),
        }
    }
}

impl fmt::Display for ForestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (fault, remedy) = self.describe(&Names::default());
        write!(f, "{fault}; {remedy}")
    }
}

impl std::error::Error for ForestError {}
