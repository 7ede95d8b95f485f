//! Known mechanisms, hints and errors; random graphs have a file of their own.
#![allow(clippy::unwrap_used)]

mod random;

use holonom_multibody::forest::*;

fn pins(bodies: usize, ends: &[(usize, usize)]) -> Graph {
    Graph {
        bodies,
        edges: ends.iter().map(|&(from, to)| Edge::new(from, to, 1)).collect(),
    }
}

/// N windows on ground: N + 1 rods and N couplers between their tips.
fn four_bars(windows: usize) -> Graph {
    let mut ends = vec![(0, 1)];
    for window in 0..windows {
        let (rod, coupler, next) = (2 * window + 1, 2 * window + 2, 2 * window + 3);
        ends.extend([(rod, coupler), (coupler, next), (0, next)]);
    }
    pins(2 * windows + 2, &ends)
}

/// A ladder that stands on ground with two rails of pinned pieces and a rung at each pin.
fn standing_ladder(height: usize) -> Graph {
    let mut ends = vec![(0, 1), (0, 2)];
    for rung in 0..height {
        let (left, right) = (2 * rung + 1, 2 * rung + 2);
        if rung > 0 {
            ends.extend([(left - 2, left), (right - 2, right)]);
        }
        ends.push((left, right));
    }
    pins(2 * height + 1, &ends)
}

fn lattice(side: usize) -> Graph {
    let mut ends = vec![(0, 1)];
    for row in 0..side {
        for column in 0..side {
            let body = 1 + row * side + column;
            if column + 1 < side {
                ends.push((body, body + 1));
            }
            if row + 1 < side {
                ends.push((body, body + side));
            }
        }
    }
    pins(1 + side * side, &ends)
}

/// Edges around a loop.
fn around(forest: &Forest, closed: &Loop) -> Vec<usize> {
    let tree = closed
        .from_side
        .iter()
        .chain(&closed.to_side)
        .map(|&joint| forest.joints[joint].edge);
    let mut edges: Vec<usize> = tree.chain([closed.edge]).collect();
    edges.sort_unstable();
    edges
}

fn lengths(forest: &Forest) -> Vec<usize> {
    forest.loops.iter().map(Loop::length).collect()
}

fn deepest(forest: &Forest) -> usize {
    forest.depth.iter().copied().max().unwrap_or(0)
}

#[test]
fn one_of_a_thing_is_not_several() {
    let graph = Graph {
        bodies: 2,
        edges: vec![Edge::new(0, 1, 1)],
    };
    let text = Forest::build(&graph).unwrap().text(&graph, &Names::default());
    let counts = "1 tree joint, 0 cut; 1 coordinate, 0 constraint rows";
    assert_eq!(text.lines().last(), Some(counts));
}

#[test]
fn ground_alone_is_a_forest() {
    for bodies in [0, 1] {
        let graph = Graph {
            bodies,
            edges: vec![],
        };
        let forest = Forest::build(&graph).unwrap();
        assert!(forest.joints.is_empty() && forest.loops.is_empty() && forest.trees().is_empty());
        assert!(forest.mechanisms(&graph).is_empty());
        assert_eq!(
            (forest.subtree(0), forest.depth.len(), Forest::degrees(&graph)),
            (0..0, 1, 0)
        );
        assert!(forest.is_ancestor(0, 0));
    }
}

#[test]
fn a_tree_is_numbered_depth_first() {
    // Two branches on body 2, declared against the direction from ground.
    let graph = pins(6, &[(0, 2), (3, 2), (2, 1), (0, 5), (4, 3)]);
    let forest = Forest::build(&graph).unwrap();
    let order: Vec<_> = forest
        .joints
        .iter()
        .map(|joint| (joint.edge, joint.child, joint.reversed))
        .collect();
    assert_eq!(
        order,
        [
            (0, 2, false),
            (1, 3, true),
            (4, 4, true),
            (2, 1, false),
            (3, 5, false)
        ]
    );
    assert_eq!(forest.depth, [0, 2, 1, 2, 3, 1]);
    assert_eq!(forest.trees(), [0..4, 4..5]);
    assert_eq!(forest.mechanisms(&graph), [vec![1, 2, 3, 4], vec![5]]);
    assert_eq!(
        (forest.subtree(0), forest.subtree(3), forest.subtree(4)),
        (0..5, 1..3, 2..3)
    );
    assert_eq!(
        forest.children,
        [vec![0, 4], vec![], vec![1, 3], vec![2], vec![], vec![]]
    );
    assert_eq!((forest.support(4), forest.support(0)), (vec![0, 1, 2], vec![]));
    assert_eq!((forest.parent_joint(2), forest.parent_joint(4)), (Some(1), None));
    assert_eq!(forest.lowest_common_ancestor(4, 1), 2);
    assert_eq!(
        (
            forest.lowest_common_ancestor(3, 4),
            forest.lowest_common_ancestor(4, 3)
        ),
        (3, 3)
    );
    assert_eq!(forest.lowest_common_ancestor(4, 5), 0);
    assert_eq!(
        forest.path(4, 1),
        Path {
            apex: 2,
            from_side: vec![1, 2],
            to_side: vec![3]
        }
    );
    assert!(forest.is_ancestor(3, 3) && forest.is_ancestor(0, 4) && !forest.is_ancestor(4, 3));
    assert!(!forest.is_ancestor(3, 0));
    assert_eq!((forest.cut.len(), Forest::degrees(&graph)), (0, 5));
}

#[test]
fn a_four_bar_is_cut_at_the_far_end() {
    let graph = pins(4, &[(0, 1), (1, 2), (2, 3), (3, 0)]);
    let forest = Forest::build(&graph).unwrap();
    assert_eq!(forest.cut, [2]);
    // Joint 2 of the tree is the rocker.
    assert_eq!(
        forest.loops,
        [Loop {
            edge: 2,
            apex: 0,
            from_side: vec![0, 1],
            to_side: vec![2]
        }]
    );
    assert_eq!(
        (
            forest.coordinates(&graph),
            forest.rows(&graph),
            Forest::degrees(&graph)
        ),
        (3, 5, -2)
    );
}

#[test]
fn joints_with_many_freedoms_are_cut() {
    // Breadth first would cut joint 2; the spherical joint on ground is worth one more joint of depth.
    let edges = vec![
        Edge::new(0, 1, 3),
        Edge::new(1, 2, 1),
        Edge::new(2, 3, 1),
        Edge::new(3, 0, 1),
    ];
    let graph = Graph { bodies: 4, edges };
    let forest = Forest::build(&graph).unwrap();
    assert_eq!((forest.cut.clone(), deepest(&forest)), (vec![0], 3));
    assert!(forest.joints.iter().all(|joint| joint.reversed));
    assert_eq!((forest.coordinates(&graph), forest.rows(&graph)), (3, 3));
}

#[test]
fn depth_is_not_given_up_for_size() {
    // With two bars more, opening at ground would be two joints deeper: the next joint has to do.
    let mut graph = pins(6, &[(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 0)]);
    graph.edges[0].freedoms = 3;
    let forest = Forest::build(&graph).unwrap();
    assert_eq!((forest.cut.clone(), deepest(&forest)), (vec![3], 3));
    graph.edges[1].freedoms = 3;
    assert_eq!(Forest::build(&graph).unwrap().cut, [1]);
}

#[test]
fn a_mechanism_is_cut_the_same_beside_others() {
    let mut graph = pins(6, &[(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 0)]);
    graph.edges[0].freedoms = 3;
    let alone = Forest::build(&graph).unwrap();
    // A long chain beside it leaves its limit of depth alone.
    for body in 6..20 {
        graph
            .edges
            .push(Edge::new(if body == 6 { 0 } else { body - 1 }, body, 1));
    }
    graph.bodies = 20;
    assert_eq!(Forest::build(&graph).unwrap().cut, alone.cut);
}

#[test]
fn windows_on_ground_have_loops_of_four() {
    for windows in [1, 2, 10, 200] {
        let graph = four_bars(windows);
        let forest = Forest::build(&graph).unwrap();
        assert_eq!((forest.cut.len(), deepest(&forest)), (windows, 2));
        assert_eq!(lengths(&forest), vec![4; windows]);
        assert_eq!(forest.trees().len(), windows + 1);
        assert_eq!(forest.mechanisms(&graph).len(), 1);
    }
}

#[test]
fn a_standing_ladder_is_climbed_on_one_side() {
    let forest = Forest::build(&standing_ladder(50)).unwrap();
    assert_eq!(deepest(&forest), 51);
    let lengths = lengths(&forest);
    assert_eq!((lengths[0], lengths.iter().max()), (3, Some(&4)));
}

#[test]
fn the_squeezer_of_andrews_has_three_loops_through_ground() {
    // K3, K4 and K6 meet K2 in one point: crank K1–K2, rocker K3, two arms K4–K5 and K6–K7.
    let graph = pins(
        8,
        &[
            (0, 1),
            (1, 2),
            (2, 3),
            (3, 0),
            (2, 4),
            (4, 5),
            (5, 0),
            (2, 6),
            (6, 7),
            (7, 0),
        ],
    );
    let forest = Forest::build(&graph).unwrap();
    assert_eq!((forest.cut.len(), deepest(&forest)), (3, 2));
    // The shortest there are: one loop over the rocker, two over the arms.
    assert_eq!(lengths(&forest).iter().sum::<usize>(), 4 + 5 + 5);
    assert_eq!(Forest::degrees(&graph), -8);
}

#[test]
fn double_joints_close_loops_of_two() {
    let mut graph = pins(3, &[(0, 1), (1, 2), (2, 1)]);
    graph.edges[1].freedoms = 2;
    let forest = Forest::build(&graph).unwrap();
    // Fewer freedoms win over the order of declaration.
    assert_eq!(
        forest.loops,
        [Loop {
            edge: 1,
            apex: 1,
            from_side: vec![],
            to_side: vec![1]
        }]
    );
    assert_eq!(
        forest.joints[1],
        TreeJoint {
            edge: 2,
            parent: 1,
            child: 2,
            reversed: true
        }
    );
    assert_eq!(forest.loops[0].length(), 2);
}

#[test]
fn hints_are_honoured() {
    let mut graph = pins(4, &[(0, 1), (1, 2), (2, 3), (3, 0)]);
    graph.edges[0].hint = Hint::Cut;
    assert_eq!(Forest::build(&graph).unwrap().cut, [0]);
    graph.edges[0].hint = Hint::Auto;
    graph.edges[2].hint = Hint::Tree;
    graph.edges[1].tree_only = true;
    // Of the ground joints, which give equal trees, the first declared stays.
    assert_eq!(Forest::build(&graph).unwrap().cut, [3]);
    graph.edges[3].hint = Hint::Tree;
    graph.edges[3].freedoms = 6;
    assert_eq!(Forest::build(&graph).unwrap().cut, [0]);
}

fn errors(graph: &Graph) -> Vec<ForestError> {
    Forest::build(graph).unwrap_err()
}

#[test]
fn unsound_edges_are_all_reported() {
    let mut graph = pins(3, &[(0, 1), (7, 8), (2, 2), (9, 9)]);
    graph.edges[0] = graph.edges[0].hint(Hint::Cut).tree_only();
    // Body 2 is without connection, but its mistaken joint is the reason.
    let expected = [
        ForestError::CutOfTreeOnly { edge: 0 },
        ForestError::UnknownBody {
            edge: 1,
            body: 7,
            bodies: 3,
        },
        ForestError::UnknownBody {
            edge: 1,
            body: 8,
            bodies: 3,
        },
        ForestError::SelfJoint { edge: 2 },
        ForestError::UnknownBody {
            edge: 3,
            body: 9,
            bodies: 3,
        },
    ];
    assert_eq!(errors(&graph), expected);
}

#[test]
fn every_group_without_ground_is_reported() {
    let graph = pins(6, &[(0, 3), (5, 1), (1, 5)]);
    let expected = [vec![1, 5], vec![2], vec![4]].map(|bodies| ForestError::Disconnected { bodies });
    assert_eq!(errors(&graph), expected);
}

#[test]
fn required_loops_are_reported_in_order() {
    let mut graph = pins(4, &[(1, 2), (0, 1), (3, 0), (2, 3), (0, 2), (0, 2)]);
    for edge in [0, 1, 2, 3] {
        graph.edges[edge].hint = Hint::Tree;
    }
    graph.edges[4].tree_only = true;
    let expected = [vec![0, 1, 2, 3], vec![1, 0, 4]].map(|edges| ForestError::HintTreeCycle { edges });
    assert_eq!(errors(&graph), expected);
}

#[test]
fn cuts_that_disconnect_are_reported_with_what_they_lose() {
    let mut graph = pins(5, &[(2, 1), (0, 1), (0, 1), (2, 3), (1, 4)]);
    for edge in [0, 1, 2] {
        graph.edges[edge].hint = Hint::Cut;
    }
    // Body 1 hangs on two cuts, of which the first is named, and bodies 2 and 3 on body 1.
    let expected = [
        ForestError::HintCutDisconnects {
            edge: 1,
            bodies: vec![1, 4],
        },
        ForestError::HintCutDisconnects {
            edge: 0,
            bodies: vec![2, 3],
        },
    ];
    assert_eq!(errors(&graph), expected);
    graph.edges[1].hint = Hint::Auto;
    graph.edges[0].hint = Hint::Auto;
    assert_eq!(Forest::build(&graph).unwrap().cut, [2]);
}

#[test]
fn errors_of_several_kinds_come_together() {
    let mut graph = pins(5, &[(0, 1), (0, 1), (1, 2), (3, 4)]);
    graph.edges[0].hint = Hint::Tree;
    graph.edges[1].hint = Hint::Tree;
    graph.edges[2].hint = Hint::Cut;
    graph.edges[3] = graph.edges[3].hint(Hint::Cut).tree_only();
    let expected = [
        ForestError::CutOfTreeOnly { edge: 3 },
        ForestError::HintTreeCycle { edges: vec![0, 1] },
        ForestError::Disconnected { bodies: vec![3, 4] },
        ForestError::HintCutDisconnects {
            edge: 2,
            bodies: vec![2],
        },
    ];
    assert_eq!(errors(&graph), expected);
    let names = Names {
        bodies: &["earth", "a", "b", "c", "d"],
        joints: &["j0", "j1", "j2", "j3"],
        kinds: &[],
    };
    let told = expected.iter().map(|error| error.describe(&names));
    let words: Vec<String> = told.map(|(fault, remedy)| format!("{fault}; {remedy}")).collect();
    assert!(words[0].contains("\"j3\""));
    assert!(words[1].contains("\"j0\", \"j1\""));
    assert!(words[2].contains("connect earth to c, d;"));
    assert!(words[3].contains("\"j2\"") && words[3].contains("earth to b;"));
    assert!(expected[3].to_string().contains("\"#2\""));
}

#[test]
fn pictures_escape_names_and_dash_cuts() {
    let graph = pins(3, &[(0, 1), (1, 2), (2, 0)]);
    let names = Names {
        bodies: &["ground", "a \"b\"", "c\\"],
        joints: &["p\nq", "r", "s"],
        kinds: &["revolute", "revolute", "pin"],
    };
    let dot = Forest::build(&graph).unwrap().dot(&graph, &names);
    let expected = r#"digraph forest {
  b0 [label="ground", shape=box];
  b1 [label="a \"b\""];
  b2 [label="c\\"];
  b0 -> b1 [label="p\nq\nrevolute"];
  b0 -> b2 [label="s\npin"];
  b1 -> b2 [label="r\nrevolute", style=dashed, dir=none, constraint=false];
}
"#;
    assert_eq!(dot, expected);
}

#[test]
fn text_does_without_names() {
    let mut graph = pins(3, &[(0, 1), (1, 2), (2, 0)]);
    graph.edges[1].freedoms = 2;
    let text = Forest::build(&graph).unwrap().text(&graph, &Names::default());
    let expected = "\
ground
  body 1: joint \"#0\" (1 freedom)
  body 2: joint \"#2\" (1 freedom), reversed
loop 1: cut joint \"#1\" (2 freedoms) between body 1 and body 2; length 3: \
ground -[#0]- body 1 ~[#1]~ body 2 -[#2]- ground
2 tree joints, 1 cut; 2 coordinates, 4 constraint rows
";
    assert_eq!(text, expected);
}

#[test]
fn large_graphs_stay_affordable() {
    assert_eq!(Forest::build(&four_bars(3000)).unwrap().cut.len(), 3000);
    assert_eq!(Forest::build(&standing_ladder(1000)).unwrap().cut.len(), 1000);
    assert_eq!(Forest::build(&lattice(20)).unwrap().cut.len(), 361);
    // A chain this long would overflow the stack of a recursive walk.
    let chain: Vec<_> = (0..100_000).map(|body| (body, body + 1)).collect();
    assert_eq!(deepest(&Forest::build(&pins(100_001, &chain)).unwrap()), 100_000);
}
