//! Equilibria with forces from formulas: what fades is no equilibrium, what is soft has one.
#![allow(clippy::unwrap_used)]

use holonom::analysis::statics::{Equilibrium, StaticsError, StaticsOptions, equilibrium};
use holonom::format::{Files, Settings, read};
use holonom::simulation::Simulation;

/// A mass on a guide at 1 m, pushed by a force of its displacement x, beside a heavy one on a spring or alone.
fn rest(force: &str, beside: bool, dense_up_to: usize) -> Result<Equilibrium, StaticsError> {
    let heavy = match beside {
        true => {
            r#"
[[body]]
name = "heavy"
mass = 1000
[[joint]]
name = "h"
kind = "prismatic"
from = "ground"
to = "heavy"
[[force]]
name = "s"
kind = "joint-spring"
coordinate = "h"
stiffness = 1e5
"#
        }
        false => "",
    };
    let text = format!(
        r#"
[model]
format = 1
name = "m"
[[body]]
name = "b"
mass = 1
[[joint]]
name = "x"
kind = "prismatic"
axis = [1, 0, 0]
from = "ground"
to = "b"
displacement = 1
[[force]]
name = "f"
kind = "expression"
from = "ground"
to = "b"
force = ["{force}", 0, 0]
{heavy}"#
    );
    let file = read("a.toml", &Files::in_memory([("a.toml", text)]), &[]).unwrap();
    let simulation = Simulation::new(&file, &Settings::default()).unwrap();
    let options = StaticsOptions::default().dense_up_to(dense_up_to);
    equilibrium(&simulation.start, &options)
}

/// By dense and by sparse matrices.
const SIZES: [usize; 2] = [80, 0];

#[test]
fn forces_that_fade_have_no_equilibrium() {
    for force in [
        "exp(-x)",
        "exp(-x^2)",
        "exp(-x)-exp(-2*x)",
        "2^(-x/3)",
        "1/(1+x)^2",
        "1/x",
    ] {
        for size in SIZES {
            let found = rest(force, false, size);
            let unsettled = matches!(
                found,
                Err(StaticsError::Unsettled { .. } | StaticsError::NoEquilibrium { .. })
            );
            assert!(unsettled, "{force}, {size}: {:?}", found.map(|f| f.state.q));
        }
    }
    let error = rest("exp(-x)", false, 80).unwrap_err();
    let StaticsError::Unsettled { farthest, .. } = &error else {
        panic!("{error}");
    };
    assert_eq!(farthest[0].name, "x");
    assert!((farthest[0].step - 1.0).abs() < 1e-6, "{error}");
}

#[test]
fn soft_springs_and_flat_roots_have_one() {
    for (force, at, off) in [
        ("1-1e-6*x", 1e6, 1e-3),
        ("1-1e-9*x", 1e9, 1.0),
        ("1e-6*(5-x)", 5.0, 1e-9),
        ("1e-12*(5-x)", 5.0, 1e-9),
        ("exp(-x)-1e-12", 27.631_021_115_928_547, 1e-6),
        ("-x^3", 0.0, 1e-5),
        ("-(x-0.5)^5", 0.5, 1e-5),
        ("max(0,0.5-x)-max(0,x-0.5)^1.5", 0.5, 1e-5),
    ] {
        for size in SIZES {
            let found = rest(force, false, size).unwrap_or_else(|e| panic!("{force}, {size}: {e}"));
            let x = found.state.q[0];
            assert!((x - at).abs() <= off, "{force}, {size}: {x}");
            assert_eq!(found.stability.unstable, 0, "{force}, {size}");
        }
    }
}

#[test]
fn soft_springs_beside_stiff_ones_have_one() {
    for (force, at) in [("1-1e-6*x", 1e6), ("1e-6*(5-x)", 5.0), ("1-1e-3*x", 1e3)] {
        for size in SIZES {
            let found = rest(force, true, size).unwrap_or_else(|e| panic!("{force}, {size}: {e}"));
            let (x, h) = (found.state.q[0], found.state.q[1]);
            assert!((x - at).abs() <= 1e-3 * at, "{force}, {size}: {x}");
            assert!((h + 0.0981).abs() < 1e-8, "{force}, {size}: {h}");
        }
    }
}
