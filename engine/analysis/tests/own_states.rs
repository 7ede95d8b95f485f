//! Elements with states of their own, and forces that depend on multipliers.

#![allow(clippy::unwrap_used)]

use holonom_analysis::dense::Complex;
use holonom_analysis::linearize::{LinearModel, Operation, Perturbed, linearize};
use holonom_analysis::modes::{modes, state_of};
use holonom_analysis::response::response;
use holonom_analysis::statics::{StaticsOptions, equilibrium};
use holonom_multibody::channels::{Catalogue, Input};
use holonom_multibody::description::{Body, Carcass, Force, ForceKind, Joint, JointKind, Mount};
use holonom_multibody::elements::forces::JointFriction;
use holonom_multibody::start::{Assembled, AssemblyOptions};
use holonom_multibody::tyre::Linear;
use holonom_multibody::{Description, Signal};
use std::sync::Arc;

fn assembled(d: &Description) -> Assembled {
    Arc::new(d.compile().unwrap())
        .assemble(&Default::default())
        .unwrap()
}

/// A mass on a spring, and on a spring and damper in series: m s² + k + k₁ d s/(k₁ + d s) = 0.
fn standard_solid(u: Signal) -> Description {
    Description::new("solid")
        .gravity([0.0, 0.0, -9.81])
        .body(Body::new("load", 2.0))
        .joint(Joint::prismatic("z", "ground", "load").start(-1.0, 0.0))
        .force(Force::spring_damper("spring", "ground", "load", 300.0, 0.0, 1.0))
        .force(Force::maxwell("maxwell", "ground", "load", 500.0, 20.0, 1.0))
        .force(Force::motor("push", "z", u))
}

#[test]
fn a_maxwell_element_rests_without_force_and_adds_an_eigenvalue() {
    let start = assembled(&standard_solid(Signal::constant(0.0)));
    let rest = equilibrium(&start, &StaticsOptions::default()).unwrap();
    assert!(
        (rest.state.q[0] + 1.0 + 2.0 * 9.81 / 300.0).abs() < 1e-10,
        "{:?}",
        rest.state
    );
    assert!(rest.kept.is_empty());
    assert_eq!(rest.start.x, rest.state.x);
    let found = modes(&rest.start, &rest.state).unwrap();
    assert_eq!((found.states, found.zeros), (3, 0));
    let (m, k, k1, d) = (2.0, 300.0, 500.0, 20.0);
    for mode in &found.modes {
        let s = mode.eigenvalue;
        // m d s³ + m k₁ s² + d (k + k₁) s + k k₁.
        let value = ((s.scale(m * d) + Complex::real(m * k1)) * s + Complex::real(d * (k + k1))) * s
            + Complex::real(k * k1);
        assert!(value.abs() < 1e-7 * k * k1, "{s:?} {value:?}");
    }
    assert_eq!(found.modes.len(), 2);
}

fn linear(make: &dyn Fn(Signal) -> Description, outputs: &[&str]) -> LinearModel {
    let input = |signal: Signal| {
        vec![Input {
            name: "u".into(),
            unit: "N".into(),
            signal,
        }]
    };
    let model = Arc::new(make(Signal::constant(0.0)).compile().unwrap());
    let start = model.assemble(&Default::default()).unwrap();
    let rest = equilibrium(&start, &StaticsOptions::default()).unwrap();
    let inputs = input(Signal::constant(0.0));
    let selection = Catalogue::with_inputs(&rest.start, &inputs)
        .select(outputs)
        .unwrap();
    let operation = Operation {
        start: &rest.start,
        state: &rest.state,
        moving: Some(&model),
    };
    let mut perturb = |_: usize, [c, d, e]: [f64; 3]| {
        let signal = Signal::Polynomial(vec![c, d, 0.5 * e]);
        Ok(Perturbed {
            model: Arc::new(make(signal.clone()).compile().unwrap()),
            inputs: input(signal),
        })
    };
    linearize(operation, &inputs, &selection, &mut perturb).unwrap()
}

#[test]
fn the_response_of_a_maxwell_element() {
    let found = linear(&standard_solid, &["load.position.z", "maxwell.tension"]);
    assert_eq!(found.states.len(), 3);
    let frequencies = [0.05, 0.5, 2.0, 3.5, 20.0];
    let all = response(&found, &frequencies);
    let (m, k, k1, d) = (2.0, 300.0, 500.0, 20.0);
    for (f, row) in frequencies.iter().zip(&all[0].values) {
        let w = core::f64::consts::TAU * f;
        let complex = Complex::new;
        let branch = complex(0.0, k1 * d * w) / complex(k1, d * w);
        let expected = complex(1.0, 0.0) / (complex(k - m * w * w, 0.0) + branch);
        assert!((row[0] - expected).abs() < 1e-6 * expected.abs(), "{f} {row:?}");
        // A tension shortens: the load hangs below.
        let force = branch * expected;
        assert!(
            (row[1].abs() - force.abs()).abs() < 1e-6 * force.abs(),
            "{f} {row:?}"
        );
    }
}

/// A block on a slope that rubs on its guide with the normal force of the reaction: the damping of small
/// motions is the slope of the law at rest, μ N by its transition velocity.
#[test]
fn friction_by_the_reaction() {
    let (m, g, angle): (f64, f64, f64) = (3.0, 9.81, 0.3);
    let mut friction = Force::joint_friction("rub", "slide", 0.5, 0.0);
    if let ForceKind::JointFriction(JointFriction {
        from_reaction,
        transition_velocity,
        ..
    }) = &mut friction.kind
    {
        (*from_reaction, *transition_velocity) = (true, 0.01);
    }
    let d = Description::new("slope")
        .gravity([g * angle.sin(), 0.0, -g * angle.cos()])
        .body(Body::new("block", m).inertia_diagonal([0.1, 0.2, 0.3]))
        .joint(Joint::new("float", JointKind::FreeCardan, "ground", "block"))
        .joint(Joint::prismatic("slide", "ground", "block").axis([1.0, 0.0, 0.0]))
        .force(Force::joint_spring("spring", "float", 200.0, 0.0, 0.0))
        .force(friction);
    let start = assembled(&d);
    let rest = equilibrium(&start, &StaticsOptions::default()).unwrap();
    // At rest friction of this kind has no force: the spring carries all.
    assert!(
        (rest.state.q[0] - m * g * angle.sin() / 200.0).abs() < 1e-9,
        "{:?}",
        rest.state
    );
    let found = modes(&rest.start, &rest.state).unwrap();
    // The slope of the law at v = 0, by a difference of the true accelerations.
    let slow = |v: f64| {
        let options = AssemblyOptions {
            positions: Some(rest.state.q.clone()),
            velocities: Some(vec![v, 0.0, 0.0, 0.0, 0.0, 0.0]),
            ..AssemblyOptions::default()
        };
        rest.start.model.assemble(&options).unwrap().a[0]
    };
    let h = 1e-7;
    let damping = -(slow(h) - slow(-h)) / (2.0 * h);
    let normal = m * g * angle.cos();
    assert!(damping * m > 0.1 * 0.5 * normal / 0.01, "{damping}");
    for mode in &found.modes {
        let s = mode.eigenvalue.re;
        let left = s * s + damping * s + 200.0 / m;
        assert!(left.abs() < 1e-5 * (s * s + damping * s.abs()), "{s} {damping}");
    }
    assert_eq!(found.modes.len(), 2);
}

/// A wheel on its tyre: eigenvalues of the rolling and standing tread against the formulas.
fn towed(speed: f64) -> Description {
    Description::new("towed")
        .gravity([0.0, 0.0, -9.81])
        .body(Body::new("frame", 1e-9))
        .body(Body::new("wheel", 300.0).inertia_diagonal([5.0, 8.0, 5.0]))
        .joint(
            Joint::prismatic("x", "ground", "frame")
                .axis([1.0, 0.0, 0.0])
                .prescribed(0, Signal::linear(0.0, speed)),
        )
        .body(Body::new("slider", 1e-9))
        .joint(
            Joint::prismatic("z", "frame", "slider")
                .axis([0.0, 0.0, 1.0])
                .prescribed(0, Signal::constant(0.29)),
        )
        .joint(Joint::prismatic("y", "slider", "wheel").axis([0.0, 1.0, 0.0]))
        .force(Force::linear_tyre(
            "tyre",
            Mount::new("wheel"),
            Carcass {
                radius: 0.3,
                stiffness: 300e3,
                relaxation_x: 0.2,
                relaxation_y: 0.4,
                ..Carcass::default()
            },
            Linear {
                cornering_stiffness: 50e3,
                ..Linear::default()
            },
        ))
}

#[test]
fn the_tread_of_a_rolling_tyre() {
    // m ÿ = −C w/σ, ẇ = ẏ − V w/σ (tan α ≈ w/σ): s (s + V/σ) + C/(m σ) = 0 besides s = 0 of y itself.
    let speed = 20.0;
    let start = assembled(&towed(speed));
    let found = modes(&start, &state_of(&start)).unwrap();
    assert_eq!(found.zeros, 1);
    let (damping, stiffness) = (speed / 0.4, 50e3 / (300.0 * 0.4));
    let lateral = found
        .modes
        .iter()
        .filter(|mode| mode.shape.leading.is_some())
        .collect::<Vec<_>>();
    assert!(!lateral.is_empty());
    for mode in lateral {
        let s = mode.eigenvalue;
        let left = s * s + s.scale(damping) + Complex::real(stiffness);
        assert!(left.abs() < 2e-3 * stiffness, "{s:?} {left:?}");
    }
}

#[test]
fn the_tread_of_a_standing_tyre() {
    let start = assembled(&towed(0.0));
    let rest = equilibrium(&start, &StaticsOptions::default()).unwrap();
    assert_eq!(rest.stability.stable, 1);
    assert!(rest.open.is_empty());
    assert_eq!(rest.kept, ["tyre.u", "tyre.w"]);
    let found = modes(&rest.start, &rest.state).unwrap();
    // m ÿ = −C (w/σ + ẏ/V_d) with ẇ = ẏ: a spring, and the damping of slow tyres with V_d = 3 m/s.
    let (damping, stiffness) = (50e3 / (300.0 * 3.0), 50e3 / (300.0 * 0.4));
    let moving: Vec<_> = (found.modes.iter())
        .filter(|mode| mode.shape.leading.is_some())
        .collect();
    assert_eq!(moving.len(), 2);
    for mode in moving {
        let s = mode.eigenvalue.re;
        let left = s * s + damping * s + stiffness;
        assert!(left.abs() < 2e-3 * stiffness, "{s} {left}");
    }
}

/// A load that hangs sideways on the tread: it comes to rest where the tread carries it.
#[test]
fn a_tread_that_carries() {
    let d = towed(0.0).gravity([0.0, 1.0, -9.81]);
    let start = assembled(&d);
    let rest = equilibrium(&start, &StaticsOptions::default()).unwrap();
    // C w/σ = m g_y.
    let expected = 300.0 * 0.4 / 50e3;
    assert!(
        (rest.state.q[0] - expected).abs() < 1e-3 * expected,
        "{:?}",
        rest.state
    );
    assert!(
        (rest.state.x[1] - rest.state.q[0]).abs() < 1e-9,
        "{:?}",
        rest.state
    );
}
