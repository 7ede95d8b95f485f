//! Preparation and explicit integration of many bodies need memory in proportion to their number: bytes are counted,
//! not times.
#![allow(clippy::unwrap_used)]

use holonom::multibody::Description;
use holonom::multibody::description::{Body, Force, Joint, frame};
use holonom::multibody::residual::{Form, Formalism};
use holonom::prelude::*;
use holonom_testing::{Counting, allocations};
use std::sync::Arc;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Bytes that `f` asks for, and the most that it has in use at a time.
fn bytes(f: impl FnOnce()) -> [f64; 2] {
    let all = allocations(f);
    [all.bytes as f64, all.peak as f64]
}

/// The exponent p of growth as Nᵖ from N to `factor` N.
fn exponents(f: impl Fn(usize), n: usize, factor: usize) -> [f64; 2] {
    let [small, large] = [n, factor * n].map(|n| bytes(|| f(n)));
    std::array::from_fn(|k| (large[k] / small[k]).ln() / (factor as f64).ln())
}

fn link(name: &str) -> Body {
    // With inertia about its own axis, too: balls turn it there.
    Body::cuboid(name, 0.1, [0.1, 0.01, 0.01])
        .centre([0.05, 0.0, 0.0])
        .marker("tip", frame::at([0.1, 0.0, 0.0]))
}

/// n links in a row, on joints made by `joint`.
fn chain(n: usize, joint: fn(&str, &str, &str) -> Joint) -> Description {
    (0..n).fold(Description::new("chain"), |chain, i| {
        let before = match i {
            0 => "ground".to_string(),
            i => format!("b{}.tip", i - 1),
        };
        let body = format!("b{i}");
        chain
            .body(link(&body))
            .joint(joint(&format!("j{i}"), &before, &body))
    })
}

fn planar(n: usize) -> Description {
    chain(n, |name, from, to| {
        Joint::revolute(name, from, to).axis([0.0, 1.0, 0.0])
    })
}

fn spatial(n: usize) -> Description {
    chain(n, |name, from, to| Joint::spherical(name, from, to))
}

/// A binary tree of n links.
fn tree(n: usize) -> Description {
    (0..n).fold(Description::new("tree"), |tree, i| {
        let before = match i {
            0 => "ground".to_string(),
            i => format!("b{}.tip", (i - 1) / 2),
        };
        let body = format!("b{i}");
        let joint = Joint::revolute(format!("j{i}"), &before, &body);
        tree.body(link(&body)).joint(joint.axis([0.0, 1.0, 0.0]))
    })
}

/// n masses in rows of ten, each on springs to its neighbours.
fn lattice(n: usize) -> Description {
    let mut lattice = Description::new("lattice");
    for i in 0..n {
        let body = format!("m{i}");
        let joint = Joint::planar(format!("k{i}"), "ground", &body);
        let joint = joint
            .start_at(0, (i / 10) as f64, 0.0)
            .start_at(1, (i % 10) as f64, 0.0);
        lattice = lattice.body(Body::ball(&body, 1.0, 0.1)).joint(joint);
    }
    for i in 0..n {
        for (name, other, there) in [("h", i + 10, true), ("v", i + 1, i % 10 < 9)] {
            if there && other < n {
                let spring = format!("{name}{i}");
                let (a, b) = (format!("m{i}"), format!("m{other}"));
                lattice = lattice.force(Force::spring_damper(&spring, &a, &b, 100.0, 1.0, 0.9));
            }
        }
    }
    lattice
}

/// n/4 links in a row, each with a four-bar linkage on it.
fn ladder(n: usize) -> Description {
    let bar = |name: &str, length: f64| {
        Body::thin_rod(name, 0.05, [length, 0.0, 0.0]).marker("tip", frame::at([length, 0.0, 0.0]))
    };
    let revolute = |name: String, from: &str, to: &str, angle: f64| {
        let joint = Joint::revolute(&name, from, to).axis([0.0, 1.0, 0.0]);
        joint.start_position(0, angle)
    };
    (0..n / 4).fold(Description::new("ladder"), |ladder, i| {
        let before = match i {
            0 => "ground".to_string(),
            i => format!("p{}.tip", i - 1),
        };
        let [p, a, b, c] = ["p", "a", "b", "c"].map(|name| format!("{name}{i}"));
        let tip = |body: &str| format!("{body}.tip");
        let open = Joint::revolute(format!("C{i}"), tip(&b), tip(&c));
        ladder
            .body(bar(&p, 0.4))
            .body(bar(&a, 0.15))
            .body(bar(&b, 0.35))
            .body(bar(&c, 0.3))
            .joint(revolute(format!("t{i}"), &before, &p, 0.02))
            .joint(revolute(format!("A{i}"), &p, &a, -1.0))
            .joint(revolute(format!("B{i}"), &tip(&a), &b, 0.6))
            .joint(revolute(format!("D{i}"), &tip(&p), &c, 1.7))
            .joint(open.axis([0.0, 1.0, 0.0]))
    })
}

fn assemble(description: Description) -> holonom::multibody::start::Assembled {
    let model = Arc::new(description.compile().unwrap());
    model.assemble(&Default::default()).unwrap()
}

/// From the description to some steps of an explicit method.
fn run(description: Description) {
    let start = assemble(description);
    let equations = start.equations(Form::Ode, Formalism::Residual).unwrap();
    let (y, yp) = start.state(&equations);
    let options = Options::new(1e-4, 1e-4).stepper("dormand-prince");
    let solution = solve(equations.system(), (0.0, 0.005), &y, &yp, options).unwrap();
    assert!(solution.counters.steps > 0);
}

/// A mechanism of so many bodies.
type Make = fn(usize) -> Description;

const MOST: f64 = 1.2;

#[test]
fn memory_of_explicit_runs_grows_with_the_number_of_bodies() {
    let models: [(&str, Make); 4] = [
        ("planar chain", planar),
        ("spatial chain", spatial),
        ("tree", tree),
        ("lattice", lattice),
    ];
    for (name, model) in models {
        let [total, peak] = exponents(|n| run(model(n)), 100, 5);
        assert!(
            total < MOST && peak < MOST,
            "{name}: bytes grow as N^{total:.2}, the most in use as N^{peak:.2}"
        );
    }
}

/// The mass matrix of all velocities is dense there, one array of n² numbers; rows and their dependence are not.
#[test]
fn memory_to_close_many_loops_grows_little_faster() {
    let [total, peak] = exponents(|n| drop(assemble(ladder(n))), 100, 4);
    assert!(
        total < 1.5 && peak < 1.5,
        "bytes grow as N^{total:.2}, the most in use as N^{peak:.2}"
    );
}
