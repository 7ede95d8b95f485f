//! Elements with states of their own: runs against closed solutions.

#![allow(clippy::unwrap_used)]

use holonom::multibody::Description;
use holonom::multibody::Signal;
use holonom::multibody::channels::{Catalogue, Sampler};
use holonom::multibody::description::{Body, Force, Joint};
use holonom::multibody::residual::{Form, Formalism};
use holonom::prelude::*;
use std::sync::Arc;

const STIFFNESS: f64 = 40.0;
const DAMPING: f64 = 6.0;

/// A mass on a slide along x, held by a spring and a damper in series of free length 1.
fn slide(position: f64, prescribed: bool) -> Arc<holonom::multibody::Model> {
    let joint = Joint::prismatic("slide", "ground", "mass").axis([1.0, 0.0, 0.0]);
    let joint = if prescribed {
        joint.prescribed(0, Signal::constant(position))
    } else {
        joint.start(position, 0.0)
    };
    let model = Description::new("relaxation")
        .gravity([0.0; 3])
        .body(Body::new("mass", 2.0))
        .joint(joint)
        .force(Force::maxwell("strut", "ground", "mass", STIFFNESS, DAMPING, 1.0))
        .compile();
    Arc::new(model.unwrap())
}

/// A constant stretch relaxes as exp(−k t/c), although nothing moves.
#[test]
fn a_held_element_relaxes() {
    let start = slide(1.3, true).assemble(&Default::default()).unwrap();
    assert_eq!(start.degrees_of_freedom(), 0);
    let refused = start.kinematic_run(&[0.1]).unwrap_err().to_string();
    assert!(refused.contains("strut.displacement"), "{refused}");
    let equations = start.equations(Form::Ggl, Formalism::Residual).unwrap();
    let (y, yp) = start.state(&equations);
    let catalogue = Catalogue::new(&start);
    let selection = catalogue
        .select(&["strut.tension", "strut.displacement", "strut.energy"])
        .unwrap();
    let mut sampler = Sampler::new(&start, &equations, &selection).unwrap();
    assert_eq!(sampler.leading(), 1);
    let solution = solve(equations.system(), (0.0, 0.4), &y, &yp, Options::new(1e-9, 1e-9)).unwrap();
    let mut row = [0.0; 3];
    sampler.sample(0.4, &solution.y, &[], &mut row);
    let left = 0.3 * (-STIFFNESS / DAMPING * 0.4_f64).exp();
    assert!((row[0] - STIFFNESS * left).abs() < 1e-6, "{row:?}");
    assert!((row[1] - (0.3 - left)).abs() < 1e-7, "{row:?}");
    assert!((row[2] - 0.5 * STIFFNESS * left * left).abs() < 1e-6, "{row:?}");
}

/// m ẍ = −k (x − 1 − d), c ḋ = k (x − 1 − d): F = k (x − 1 − d) obeys F̈ + (k/c) Ḟ + (k/m) F = 0.
#[test]
fn a_mass_on_spring_and_damper_in_series_swings_as_its_closed_solution() {
    let start = slide(1.3, false).assemble(&Default::default()).unwrap();
    for (form, formalism) in [
        (Form::Ode, Formalism::Residual),
        (Form::Ode, Formalism::Explicit),
        (Form::Ggl, Formalism::Residual),
        (Form::Index1, Formalism::Explicit),
        (Form::Index3, Formalism::Residual),
    ] {
        let equations = start.equations(form, formalism).unwrap();
        let (y, yp) = start.state(&equations);
        let end = 1.1;
        let solution = solve(equations.system(), (0.0, end), &y, &yp, Options::new(1e-9, 1e-9)).unwrap();
        let force = STIFFNESS * (solution.y[0] - 1.0 - solution.y[2]);
        let decay = 0.5 * STIFFNESS / DAMPING;
        let frequency = (STIFFNESS / 2.0 - decay * decay).sqrt();
        // F(0) = 12 N and Ḟ(0) = k (ẋ − ḋ) = −(k/c) F(0).
        let (first, rate) = (12.0, -STIFFNESS / DAMPING * 12.0);
        let (sin, cos) = (frequency * end).sin_cos();
        let expected = (-decay * end).exp() * (first * cos + (rate + decay * first) / frequency * sin);
        assert!(
            (force - expected).abs() < 1e-6,
            "{form} {formalism}: {force} {expected}"
        );
    }
}
