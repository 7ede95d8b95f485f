//! `peers kernels`: the recursions of the engine beside those of Pinocchio and MuJoCo.
//!
//! Short batches of all take turns; a ratio is the median over the rounds of the ratios within a round.

use crate::interface::cpu_time;
use crate::kernels_protocol::{MODELS, MODELS_MUJOCO, MUJOCO, PINOCCHIO, Peer, Values, folder, model_file};
use crate::report::{Check, Report, table};
use holonom_algebra::{Dual8, Inertia, Pose, Real, Sym3, Vec3};
use holonom_multibody::formalism::{aba, crba, rnea};
use holonom_multibody::kinematics::positions;
use holonom_multibody::tree::{Geometry, NodeKind, Tree};
use serde_json::json;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::hint::black_box;
use std::rc::Rc;

/// A kernel of ours and those of the others that give the same.
struct Comparison {
    kernel: Kernel,
    name: &'static str,
    pinocchio: &'static [&'static str],
    mujoco: &'static str,
    /// Limits of our time over theirs.
    limit_pinocchio: f64,
    limit_mujoco: f64,
}

const KERNELS: [Comparison; 3] = [
    Comparison {
        kernel: Kernel::Rnea,
        name: "rnea",
        pinocchio: &["rnea"],
        mujoco: "inverse",
        limit_pinocchio: 0.6,
        limit_mujoco: 0.8,
    },
    Comparison {
        kernel: Kernel::Aba,
        name: "aba",
        pinocchio: &["aba_local", "aba_world"],
        mujoco: "forward_parts",
        limit_pinocchio: 0.6,
        limit_mujoco: 0.8,
    },
    Comparison {
        kernel: Kernel::Crba,
        name: "crba",
        pinocchio: &["crba_local", "crba_world"],
        mujoco: "mass",
        limit_pinocchio: 1.0,
        limit_mujoco: 0.8,
    },
];
/// Chains of 100 and of 1000 bodies.
const CHAINS: [&str; 2] = [MODELS[3], MODELS_MUJOCO[4]];
/// Ten times as many bodies may take this many times as long.
const GROWTH: f64 = 11.0;
/// An evaluation with eight directions may cost this many plain ones.
const DUAL: f64 = 3.5;
/// CPU time of a batch, in ns: long enough to forget that other processes had the caches before.
const BATCH: f64 = 1e6;

#[derive(Clone, Copy, PartialEq)]
enum Kernel {
    Rnea,
    Aba,
    Crba,
}

/// The states and the memory for one model and scalar.
struct Ours<T: Real> {
    tree: Tree,
    states: Vec<[Vec<T>; 3]>,
    geometry: Vec<Geometry<T>>,
    rnea: Vec<rnea::RneaNode<T>>,
    aba: Vec<aba::AbaNode<T>>,
    crba: crba::CrbaWork<T>,
    out: Vec<T>,
    mass: Vec<T>,
    next: usize,
}

impl<T: Real> Ours<T> {
    /// `number` makes scalars of values; it is told which coordinate it is. All scalars go through the same
    /// sixteen states.
    fn new(tree: Tree, number: impl Fn(f64, usize) -> T) -> Self {
        let list = |x: Vec<f64>| x.into_iter().enumerate().map(|(i, x)| number(x, i)).collect();
        let states = (0..16u8).map(|k| state(&tree, f64::from(k)).map(list)).collect();
        let (n, nodes) = (tree.n_v, tree.nodes.len());
        // Composite bodies of the longest chain would fill some 100 MB with duals; they are not timed.
        let square = if n > 200 { 0 } else { n * n };
        Self {
            states,
            geometry: tree.nodes.iter().map(Geometry::new).collect(),
            rnea: vec![rnea::RneaNode::zero(); nodes],
            aba: vec![aba::AbaNode::zero(); nodes],
            crba: crba::CrbaWork::new(&tree),
            out: vec![T::zero(); n],
            mass: vec![T::zero(); square],
            next: 0,
            tree,
        }
    }

    /// One call, positions included, at the next state.
    fn call(&mut self, kernel: Kernel) {
        let [q, v, a] = black_box(&self.states[self.next % self.states.len()]);
        self.next += 1;
        positions::positions(&self.tree, q, &[], &mut self.geometry);
        let (tree, g) = (&self.tree, &self.geometry);
        match kernel {
            Kernel::Rnea => rnea::rnea(tree, g, &[], v, a, None, &mut self.rnea, &mut self.out),
            Kernel::Aba => aba::aba(tree, g, &[], v, a, None, &mut self.aba, &mut self.out),
            Kernel::Crba => crba::crba(tree, g, &mut self.crba, &mut self.mass),
        }
        black_box((&mut self.out, &mut self.mass));
    }

    /// CPU time per call in ns.
    fn time(&mut self, kernel: Kernel, n: u64) -> f64 {
        let start = cpu_time();
        for _ in 0..n {
            self.call(kernel);
        }
        (cpu_time() - start) * 1e9 / n as f64
    }
}

/// The tree of a model; a free joint is three slides and a ball.
fn tree(model: &str) -> Result<Tree, String> {
    let file = model_file(model);
    let text = std::fs::read_to_string(&file).map_err(|e| format!("{}: {e}", file.display()))?;
    let centre = Vec3([0.02, 0.01, 0.15]);
    let body = Inertia::at_centre(1.0, centre, &Sym3([0.02, 0.018, 0.005, 0.0, 0.0, 0.0]));
    let mut tree = Tree::new(Vec3([0.0, 0.0, -9.81]));
    let mut numbers = Vec::new();
    for line in text.lines() {
        let bad = || format!("{}: `{line}`", file.display());
        let words: Vec<&str> = line.split_whitespace().collect();
        let &[parent, axis, x, y, z] = &words[..] else {
            return Err(bad());
        };
        let number = |s: &str| s.parse::<f64>().map_err(|_| bad());
        let parent = match parent.parse::<i64>().map_err(|_| bad())? {
            -1 => 0,
            i => usize::try_from(i)
                .ok()
                .and_then(|i| numbers.get(i).copied())
                .ok_or_else(bad)?,
        };
        let mut place = Pose::identity();
        place.position = Vec3([number(x)?, number(y)?, number(z)?]);
        let mut push = |parent, kind, place, inertia| tree.push(parent, kind, place, 0.0, None, inertia);
        let last = match axis {
            "x" => push(parent, NodeKind::RevoluteX, place, body),
            "y" => push(parent, NodeKind::RevoluteY, place, body),
            "z" => push(parent, NodeKind::RevoluteZ, place, body),
            "free" => {
                let x = push(parent, NodeKind::PrismaticX, place, Inertia::zero());
                let y = push(x, NodeKind::PrismaticY, Pose::identity(), Inertia::zero());
                let z = push(y, NodeKind::PrismaticZ, Pose::identity(), Inertia::zero());
                push(z, NodeKind::Ball, Pose::identity(), body)
            }
            _ => return Err(bad()),
        };
        numbers.push(last);
    }
    Ok(tree)
}

/// q, v and a of state `k`; README.md, "States".
fn state(tree: &Tree, k: f64) -> [Vec<f64>; 3] {
    let free = free(tree);
    let hinges = tree.n_v - if free { 6 } else { 0 };
    let mut q = Vec::new();
    if free {
        let (s, c) = (0.05 * k).sin_cos();
        let s = s / 14f64.sqrt();
        q.extend([0.1, 0.2, 0.3, c, s, 2.0 * s, 3.0 * s]);
    }
    q.extend((0..hinges).map(|h| 0.1 + 0.05 * h as f64 + 0.1 * k));
    let list =
        |a: f64, b: f64, c: f64| -> Vec<f64> { (0..tree.n_v).map(|i| a + b * i as f64 + c * k).collect() };
    [q, list(0.2, -0.01, 0.02), list(0.3, 0.02, -0.03)]
}

fn free(tree: &Tree) -> bool {
    tree.nodes.iter().any(|n| n.kind == NodeKind::Ball)
}

/// RNEA, ABA and the diagonal of the mass matrix at state 0. With `body`, the free joint's linear acceleration is the
/// rate of its components in body axes, as Pinocchio has it.
fn ours_at_state_0(tree: &Tree, body: bool) -> BTreeMap<&'static str, Vec<f64>> {
    let mut ours = Ours::<f64>::new(tree.clone(), |x, _| x);
    let [_, v, a] = &mut ours.states[0];
    let vector = |x: &[f64]| Vec3([x[0], x[1], x[2]]);
    // a = a_body + ω × v; body and ground axes coincide here.
    let extra = if body && free(tree) {
        vector(&v[3..]).cross(vector(v)).0
    } else {
        [0.0; 3]
    };
    let forces = a.clone();
    for k in 0..3 {
        a[k] += extra[k];
    }
    ours.call(Kernel::Rnea);
    let mut values = BTreeMap::from([("rnea", ours.out.clone())]);
    ours.states[0][2] = forces;
    ours.next = 0;
    ours.call(Kernel::Aba);
    for k in 0..3 {
        ours.out[k] -= extra[k];
    }
    values.insert("aba", ours.out.clone());
    ours.next = 0;
    ours.call(Kernel::Crba);
    let n = tree.n_v;
    values.insert("mass_diagonal", (0..n).map(|i| ours.mass[i * n + i]).collect());
    values
}

/// Largest difference, relative to 1 + |b|.
fn distance(a: &[f64], b: &[f64]) -> f64 {
    if a.len() != b.len() {
        return f64::INFINITY;
    }
    let largest = |d: f64, (a, b): (&f64, &f64)| {
        let e = (a - b).abs() / (1.0 + b.abs());
        if e.is_nan() { f64::INFINITY } else { d.max(e) }
    };
    a.iter().zip(b).fold(0.0, largest)
}

/// Checks that a peer computes the same as we do.
fn agree(report: &mut Report, model: &str, driver: &str, theirs: &Values, tree: &Tree) {
    let ours = ours_at_state_0(tree, driver != MUJOCO);
    // Accelerations of long chains are ill-conditioned; the peers differ by as much.
    for (kernel, limit) in [("rnea", 1e-10), ("aba", 1e-7), ("mass_diagonal", 1e-10)] {
        // `…_body` is MuJoCo's in Pinocchio's way, for the tests of the drivers.
        let same = |name: &&String| name.starts_with(kernel) && !name.ends_with("_body");
        let names: Vec<&String> = theirs.keys().filter(same).collect();
        let worst = names
            .iter()
            .map(|name| distance(&ours[kernel], &theirs[*name]))
            .fold(if names.is_empty() { f64::INFINITY } else { 0.0 }, f64::max);
        report.checks.push(Check {
            id: format!("{kernel}/{model}/{driver}/values"),
            value: worst / limit,
            limit: 1.0,
            source: format!("relative difference {worst:.1e} at state 0 over {limit:.0e}"),
        });
    }
}

fn median(mut x: Vec<f64>) -> f64 {
    x.sort_by(f64::total_cmp);
    match x.len() {
        0 => f64::NAN,
        n if n % 2 == 1 => x[n / 2],
        n => 0.5 * (x[n / 2 - 1] + x[n / 2]),
    }
}

/// Something that can be timed: nanoseconds per call over a number of calls.
type Timed<'a> = Box<dyn FnMut(u64) -> Result<f64, String> + 'a>;

/// Times of everything in turns, one list per entry.
fn in_turns(entries: &mut [Timed], rounds: usize) -> Result<Vec<Vec<f64>>, String> {
    let mut calls = Vec::new();
    for entry in entries.iter_mut() {
        // The first batch warms up, the second tells how many calls make a batch.
        entry(1)?;
        let once = entry(10)?;
        calls.push(((BATCH / once.max(1.0)) as u64).max(1));
    }
    let mut times = vec![Vec::new(); entries.len()];
    for _ in 0..rounds {
        for ((entry, calls), times) in entries.iter_mut().zip(&calls).zip(&mut times) {
            times.push(entry(*calls)?);
        }
    }
    Ok(times)
}

fn ratios(a: &[f64], b: &[f64]) -> f64 {
    median(a.iter().zip(b).map(|(a, b)| a / b).collect())
}

/// Measures and prints everything.
pub fn kernels(rounds: usize) -> Result<Report, String> {
    let mut report = Report::new("peers kernels");
    let mut printed = Vec::new();
    println!("{}\n", machine());
    for model in MODELS {
        measure(model, rounds, &mut report, &mut printed)?;
    }
    table(
        &[
            "model",
            "kernel",
            "ours",
            "with 8 directions",
            "ratio",
            "Pinocchio",
            "ratio",
            "MuJoCo",
            "ratio",
        ],
        &printed,
    );
    growth(rounds, &mut report)?;
    println!(
        "\nTimes in ns per call, medians over {rounds} rounds. {}",
        machine()
    );
    Ok(report)
}

/// One model: all kernels of all.
fn measure(
    model: &str,
    rounds: usize,
    report: &mut Report,
    printed: &mut Vec<Vec<String>>,
) -> Result<(), String> {
    let tree = tree(model)?;
    let mut peers: Vec<(&str, Peer)> = Vec::new();
    for driver in PINOCCHIO.into_iter().chain([MUJOCO]) {
        match Peer::installed(driver, model).map_err(|e| format!("{driver}: {e}"))? {
            Some(mut peer) => {
                let values = peer.check().map_err(|e| format!("{driver}: {e}"))?;
                agree(report, model, driver, &values, &tree);
                peers.push((driver, peer));
            }
            None => report
                .missing
                .push(format!("{model}: no {driver} in {}", folder().display())),
        }
    }
    let mut plain = Ours::<f64>::new(tree.clone(), |x, _| x);
    let mut dual = Ours::<Dual8>::new(tree, |x, i| Dual8::constant(x).with_derivative(i % 8, 1.0));
    for c in KERNELS {
        let (kernel, name) = (c.kernel, c.name);
        let mut names = Vec::new();
        let mut entries: Vec<Timed> = vec![
            Box::new(|n| Ok(plain.time(kernel, n))),
            Box::new(|n| Ok(dual.time(kernel, n))),
        ];
        for (driver, peer) in &mut peers {
            let own = [c.mujoco];
            let kernels = if *driver == MUJOCO { &own[..] } else { c.pinocchio };
            names.extend(kernels.iter().map(|k| (*driver, *k)));
            let peer = Rc::new(RefCell::new(peer));
            for &k in kernels {
                let peer = peer.clone();
                entries.push(Box::new(move |n| {
                    peer.borrow_mut().time(k, n).map_err(|e| e.to_string())
                }));
            }
        }
        let times = in_turns(&mut entries, rounds)?;
        drop(entries);
        let ours = &times[0];
        // The fastest of a library is the one beside which we look worst.
        let worst = |is_mujoco: bool| {
            let of = names
                .iter()
                .zip(&times[2..])
                .filter(|(n, _)| (n.0 == MUJOCO) == is_mujoco);
            of.map(|(n, t)| (ratios(ours, t), median(t.clone()), format!("{} {}", n.0, n.1)))
                .max_by(|a, b| a.0.total_cmp(&b.0))
        };
        let with_dual = ratios(&times[1], ours);
        // For information: the ratio of the fastest batches, which depends less on the load of the machine.
        let fastest = |t: &[f64]| t.iter().copied().fold(f64::INFINITY, f64::min);
        let undisturbed = fastest(&times[1]) / fastest(ours);
        let mut row = vec![
            model.to_owned(),
            name.to_owned(),
            format!("{:.0}", median(ours.clone())),
            format!("{:.0}", median(times[1].clone())),
            format!("{with_dual:.2}"),
        ];
        let mut json = json!({ "model": model, "kernel": name, "ours_ns": median(ours.clone()), "dual8_ns": median(times[1].clone()), "dual8": with_dual, "dual8_fastest": undisturbed });
        for (library, found, limit) in [
            ("pinocchio", worst(false), c.limit_pinocchio),
            ("mujoco", worst(true), c.limit_mujoco),
        ] {
            let Some((ratio, time, which)) = found else {
                row.extend(["-".to_owned(), "-".to_owned()]);
                continue;
            };
            row.extend([format!("{time:.0}"), format!("{ratio:.2}")]);
            json[format!("{library}_ns")] = json!(time);
            json[library] = json!(ratio);
            report.checks.push(Check {
                id: format!("{name}/{model}/{library}"),
                value: ratio,
                limit,
                source: format!("time over that of {which}"),
            });
        }
        // Forward dynamics and mass matrix with derivatives are for information.
        if kernel == Kernel::Rnea {
            report.checks.push(Check {
                id: format!("dual8/{name}/{model}"),
                value: with_dual,
                limit: DUAL,
                source: format!("eight directions over plain; fastest batches {undisturbed:.3}"),
            });
        }
        printed.push(row);
        report.rows.push(json);
    }
    Ok(())
}

/// The time of a chain of 1000 over that of a chain of 100.
fn growth(rounds: usize, report: &mut Report) -> Result<(), String> {
    let mut short = Ours::<f64>::new(tree(CHAINS[0])?, |x, _| x);
    let mut long = Ours::<f64>::new(tree(CHAINS[1])?, |x, _| x);
    for Comparison { kernel, name, .. } in KERNELS {
        if kernel == Kernel::Crba {
            continue;
        }
        let mut entries: [Timed; 2] = [
            Box::new(|n| Ok(short.time(kernel, n))),
            Box::new(|n| Ok(long.time(kernel, n))),
        ];
        let times = in_turns(&mut entries, rounds)?;
        drop(entries);
        let ratio = ratios(&times[1], &times[0]);
        report.rows.push(json!({ "model": CHAINS[1], "kernel": name, "ours_ns": median(times[1].clone()), "over_chain100": ratio }));
        report.checks.push(Check {
            id: format!("growth/{name}"),
            value: ratio,
            limit: GROWTH,
            source: format!(
                "1000 bodies over 100; {:.0} ns per body",
                median(times[1].clone()) / 1000.0
            ),
        });
    }
    Ok(())
}

/// Processor and load, because times depend on both.
fn machine() -> String {
    let read = |file: &str| std::fs::read_to_string(file).unwrap_or_default();
    let cpu = read("/proc/cpuinfo");
    let name = cpu
        .lines()
        .find_map(|l| l.strip_prefix("model name"))
        .map_or("", |l| l.trim_start_matches([' ', '\t', ':']));
    let load = read("/proc/loadavg");
    let load = load.split_whitespace().next().unwrap_or("?");
    format!("{name}, load {load}.")
}
