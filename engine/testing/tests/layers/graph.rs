//! Cycles of a small directed graph.

use std::collections::{BTreeMap, BTreeSet};

/// Nodes and what each of them uses.
#[derive(Debug, Default)]
pub struct Graph {
    uses: BTreeMap<String, BTreeSet<String>>,
}

impl Graph {
    pub fn add(&mut self, from: &str, to: &str) {
        self.uses
            .entry(from.to_owned())
            .or_default()
            .insert(to.to_owned());
        self.uses.entry(to.to_owned()).or_default();
    }

    /// Sets of nodes that reach one another, largest first; nodes without a cycle are left out.
    pub fn cycles(&self) -> Vec<BTreeSet<String>> {
        let reached: BTreeMap<&String, BTreeSet<&String>> =
            self.uses.keys().map(|node| (node, self.reached(node))).collect();
        let mut cycles: BTreeSet<BTreeSet<String>> = BTreeSet::new();
        for (node, others) in &reached {
            if others.contains(*node) {
                let back = |other: &&&String| reached.get(**other).is_some_and(|set| set.contains(*node));
                cycles.insert(others.iter().filter(back).map(|other| (*other).clone()).collect());
            }
        }
        let mut cycles: Vec<_> = cycles.into_iter().collect();
        cycles.sort_by_key(|cycle| core::cmp::Reverse(cycle.len()));
        cycles
    }

    /// The given nodes, each behind those that it uses, otherwise as they are; what remains of cycles is left out.
    pub fn order(&self, nodes: &[String]) -> Vec<String> {
        let (mut done, mut left): (Vec<String>, Vec<&String>) = (Vec::new(), nodes.iter().collect());
        let ready = |node: &str, done: &[String]| {
            let mut uses = self.uses.get(node).into_iter().flatten();
            uses.all(|used| done.contains(used) || !nodes.contains(used))
        };
        while let Some(next) = left.iter().position(|node| ready(node, &done)) {
            done.push(left.remove(next).clone());
        }
        done
    }

    fn reached<'a>(&'a self, node: &String) -> BTreeSet<&'a String> {
        let mut found = BTreeSet::new();
        let mut open: Vec<&String> = self.uses.get(node).into_iter().flatten().collect();
        while let Some(next) = open.pop() {
            if found.insert(next) {
                open.extend(self.uses.get(next).into_iter().flatten());
            }
        }
        found
    }
}

#[test]
fn cycles_are_found() {
    let mut graph = Graph::default();
    for (from, to) in [
        ("a", "b"),
        ("b", "c"),
        ("c", "a"),
        ("c", "d"),
        ("d", "e"),
        ("e", "d"),
        ("f", "a"),
    ] {
        graph.add(from, to);
    }
    let cycles: Vec<Vec<String>> = graph
        .cycles()
        .into_iter()
        .map(|c| c.into_iter().collect())
        .collect();
    assert_eq!(cycles, [vec!["a", "b", "c"], vec!["d", "e"]]);
}
