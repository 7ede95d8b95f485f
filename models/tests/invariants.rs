//! Energy, momentum and lengths of Euler parameters; more of them are in the example of
//! the same name.

#![allow(clippy::unwrap_used)]

use holonom::multibody::residual::Form;
use holonom_models::invariants::drift;
use holonom_models::{description, n_pendulum, spatial_pendulum};

#[test]
fn energy_drift_falls_with_the_tolerance() {
    for (name, description, form) in [
        ("n-pendulum", n_pendulum(3), Form::Ode),
        (
            "spatial four-bar",
            description("spatial-four-bar").unwrap(),
            Form::Ggl,
        ),
    ] {
        let loose = drift(&description, form, 100.0, 1e-6).unwrap().energy;
        let tight = drift(&description, form, 100.0, 1e-8).unwrap().energy;
        assert!(loose > 50.0 * tight, "{name}: {loose:.1e} {tight:.1e}");
    }
}

#[test]
fn momentum_and_lengths_stay() {
    let d = drift(&description("tumbling-body").unwrap(), Form::Ggl, 20.0, 1e-8).unwrap();
    assert!(d.momentum < 1e-7 && d.length < 1e-8, "{d:?}");
    let d = drift(&spatial_pendulum(2), Form::Ggl, 2.0, 1e-8).unwrap();
    assert!(d.length < 1e-8, "{d:?}");
}
