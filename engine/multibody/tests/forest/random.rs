//! Invariants on random graphs.

use super::*;

/// A linear congruential generator (Knuth's constants); the upper bits are good enough here.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % limit
    }
}

/// Whether a joint must be in the tree.
fn required(edge: &Edge) -> bool {
    edge.tree_only || edge.hint == Hint::Tree
}

/// A connected graph; some edges to ground, some double.
fn graph(random: &mut Random, bodies: usize, extra: usize) -> Graph {
    let mut edges = Vec::new();
    for body in 1..bodies {
        edges.push((random.below(body), body));
    }
    for _ in 0..extra {
        let from = random.below(bodies);
        edges.push((from, (from + 1 + random.below(bodies - 1)) % bodies));
    }
    for last in (1..edges.len()).rev() {
        edges.swap(last, random.below(last + 1));
    }
    let edges = edges.into_iter().map(|(a, b)| {
        let (from, to) = if random.below(2) == 0 { (a, b) } else { (b, a) };
        Edge::new(from, to, [0, 1, 1, 1, 2, 3, 6][random.below(7)])
    });
    Graph {
        bodies,
        edges: edges.collect(),
    }
}

fn graphs() -> impl Iterator<Item = (Graph, Random)> {
    (0..400).map(|seed| {
        let mut random = Random(seed);
        let (bodies, extra) = (2 + random.below(15), random.below(12));
        (graph(&mut random, bodies, extra), random)
    })
}

/// Everything promised about numbering and loops.
fn check(graph: &Graph, forest: &Forest) {
    assert_eq!(forest.joints.len(), graph.bodies - 1);
    assert_eq!(forest.cut.len(), graph.edges.len() + 1 - graph.bodies);
    assert_eq!(
        forest.coordinates(graph) as isize - forest.rows(graph) as isize,
        Forest::degrees(graph),
        "the count does not depend on the choice"
    );
    let mut used: Vec<usize> = forest.joints.iter().map(|joint| joint.edge).collect();
    used.extend(&forest.cut);
    used.sort_unstable();
    assert_eq!(used, (0..graph.edges.len()).collect::<Vec<_>>());

    for (index, joint) in forest.joints.iter().enumerate() {
        let edge = graph.edges[joint.edge];
        let ends = if joint.reversed {
            (edge.to, edge.from)
        } else {
            (edge.from, edge.to)
        };
        assert_eq!(ends, (joint.parent, joint.child));
        assert_eq!(forest.joint_of_body[joint.child], Some(index));
        assert_eq!(forest.depth[joint.child], forest.depth[joint.parent] + 1);
        assert!(forest.parent_joint(index).is_none_or(|above| above < index));
        assert!(forest.children[joint.parent].contains(&index));
        assert_eq!(forest.support(joint.child).len(), forest.depth[joint.child]);
    }
    for body in 0..graph.bodies {
        let subtree = forest.subtree(body);
        for other in 0..graph.bodies {
            // Ancestry by climbing, against ancestry by ranges.
            let mut at = other;
            while at != body && at != 0 {
                at = forest.joints[forest.joint_of_body[at].unwrap()].parent;
            }
            assert_eq!(forest.is_ancestor(body, other), at == body);
            let inside = forest.joint_of_body[other].is_some_and(|joint| subtree.contains(&joint));
            assert_eq!(inside, at == body && other != 0);
            let apex = forest.lowest_common_ancestor(body, other);
            assert_eq!(apex, forest.lowest_common_ancestor(other, body));
            assert!(forest.is_ancestor(apex, body) && forest.is_ancestor(apex, other));
            assert!(forest.children[apex].iter().all(|&joint| {
                let child = forest.joints[joint].child;
                !(forest.is_ancestor(child, body) && forest.is_ancestor(child, other))
            }));
        }
    }
    let trees: Vec<usize> = forest.trees().into_iter().flatten().collect();
    assert_eq!(trees, (0..forest.joints.len()).collect::<Vec<_>>());

    assert_eq!(
        forest.loops.iter().map(|closed| closed.edge).collect::<Vec<_>>(),
        forest.cut
    );
    for closed in &forest.loops {
        let edge = graph.edges[closed.edge];
        for (side, end) in [(&closed.from_side, edge.from), (&closed.to_side, edge.to)] {
            let mut at = closed.apex;
            for &joint in side {
                assert_eq!(forest.joints[joint].parent, at);
                at = forest.joints[joint].child;
            }
            assert_eq!(at, end);
        }
        assert_eq!(
            around(forest, closed),
            leaves_stripped(graph, forest, closed.edge)
        );
    }
}

/// The one cycle in the tree plus a cut edge: what remains when edges at loose ends are removed.
fn leaves_stripped(graph: &Graph, forest: &Forest, cut: usize) -> Vec<usize> {
    let mut left: Vec<usize> = forest
        .joints
        .iter()
        .map(|joint| joint.edge)
        .chain([cut])
        .collect();
    loop {
        let mut degree = vec![0; graph.bodies];
        for &edge in &left {
            degree[graph.edges[edge].from] += 1;
            degree[graph.edges[edge].to] += 1;
        }
        let before = left.len();
        left.retain(|&edge| degree[graph.edges[edge].from] > 1 && degree[graph.edges[edge].to] > 1);
        if left.len() == before {
            left.sort_unstable();
            return left;
        }
    }
}

/// The forest with exactly this tree.
fn prescribed(graph: &Graph, tree: &[usize]) -> Forest {
    let mut graph = graph.clone();
    for (index, edge) in graph.edges.iter_mut().enumerate() {
        edge.hint = if tree.contains(&index) {
            Hint::Tree
        } else {
            Hint::Cut
        };
    }
    Forest::build(&graph).unwrap()
}

fn mechanism_depths(graph: &Graph, forest: &Forest) -> Vec<usize> {
    let depth = |bodies: &Vec<usize>| bodies.iter().map(|&body| forest.depth[body]).max().unwrap_or(0);
    forest.mechanisms(graph).iter().map(depth).collect()
}

#[test]
fn invariants_hold() {
    for (graph, _) in graphs() {
        let forest = Forest::build(&graph).unwrap();
        check(&graph, &forest);
        assert_eq!(forest, Forest::build(&graph.clone()).unwrap());
    }
}

#[test]
fn invariants_hold_with_hints() {
    let mut refused = 0;
    for (mut graph, mut random) in graphs() {
        for edge in &mut graph.edges {
            edge.hint = [Hint::Auto, Hint::Auto, Hint::Auto, Hint::Tree, Hint::Cut][random.below(5)];
            edge.tree_only = edge.hint != Hint::Cut && random.below(8) == 0;
        }
        match Forest::build(&graph) {
            Ok(forest) => {
                check(&graph, &forest);
                for (index, edge) in graph.edges.iter().enumerate() {
                    let cut = forest.cut.contains(&index);
                    assert!(!(cut && required(edge)) && (cut || edge.hint != Hint::Cut));
                }
            }
            Err(errors) => {
                refused += 1;
                for error in &errors {
                    match error {
                        ForestError::HintTreeCycle { edges } => {
                            assert!(edges.iter().all(|&edge| required(&graph.edges[edge])));
                        }
                        ForestError::HintCutDisconnects { edge, .. } => {
                            assert_eq!(graph.edges[*edge].hint, Hint::Cut);
                        }
                        other => panic!("{other}"),
                    }
                }
                // Releasing one edge for each error is enough.
                for error in errors {
                    let edge = match error {
                        ForestError::HintTreeCycle { edges } => edges[edges.len() - 1],
                        ForestError::HintCutDisconnects { edge, .. } => edge,
                        other => panic!("{other}"),
                    };
                    graph.edges[edge].hint = Hint::Auto;
                    graph.edges[edge].tree_only = false;
                }
                check(&graph, &Forest::build(&graph).unwrap());
            }
        }
    }
    assert!((50..350).contains(&refused), "{refused} of 400");
}

/// Steps from ground.
fn breadth_first(graph: &Graph) -> Vec<usize> {
    let mut depth = vec![usize::MAX; graph.bodies];
    depth[0] = 0;
    for level in 0..graph.bodies {
        for edge in &graph.edges {
            for (near, far) in [(edge.from, edge.to), (edge.to, edge.from)] {
                if depth[near] == level && depth[far] == usize::MAX {
                    depth[far] = level + 1;
                }
            }
        }
    }
    depth
}

#[test]
fn no_single_exchange_improves() {
    let mut exchanged = 0;
    for (graph, _) in graphs() {
        let forest = Forest::build(&graph).unwrap();
        let shallowest = breadth_first(&graph);
        exchanged += usize::from(forest.depth != shallowest);
        let limits: Vec<usize> = (forest.mechanisms(&graph).iter())
            .map(|bodies| 1 + bodies.iter().map(|&body| shallowest[body]).max().unwrap_or(0))
            .collect();
        let within = |depths: &[usize]| depths.iter().zip(&limits).all(|(depth, limit)| depth <= limit);
        // Compared as the rule does: by the depth of each mechanism.
        let cost = |forest: &Forest| {
            let size = forest.coordinates(&graph) + forest.rows(&graph);
            let length: usize = lengths(forest).iter().sum();
            (size, length, mechanism_depths(&graph, forest))
        };
        let reached = cost(&forest);
        assert!(within(&reached.2));
        for closed in &forest.loops {
            for edge in around(&forest, closed) {
                let tree = forest.joints.iter().map(|joint| joint.edge);
                let tree: Vec<usize> = tree.filter(|&other| other != edge).chain([closed.edge]).collect();
                if edge != closed.edge {
                    let other = cost(&prescribed(&graph, &tree));
                    assert!(
                        reached <= other || !within(&other.2),
                        "{graph:?}: {edge} for {}",
                        closed.edge
                    );
                }
            }
        }
    }
    assert!(exchanged > 50, "{exchanged} of 400");
}

#[test]
fn the_order_of_declaration_decides_only_among_equals() {
    // With pairwise different freedoms on a double joint, the order of declaration plays no part.
    let forward = Graph {
        bodies: 2,
        edges: (0..7).map(|freedoms| Edge::new(0, 1, freedoms)).collect(),
    };
    let backward = Graph {
        bodies: 2,
        edges: forward.edges.iter().rev().copied().collect(),
    };
    assert_eq!(Forest::build(&forward).unwrap().joints[0].edge, 0);
    assert_eq!(Forest::build(&backward).unwrap().joints[0].edge, 6);
}
