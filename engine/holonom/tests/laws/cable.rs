//! Cables against formulas of their own.

use crate::stand::{close, file, integrate, prescribed, run};
use holonom::format::Settings;
use holonom::multibody::residual::Form;
use holonom::simulation::Simulation;

/// An elastic force with a viscous one, which never changes the sign of the sum.
fn one_sided(e: f64, d: f64) -> f64 {
    match d / e {
        _ if e <= 0.0 => 0.0,
        x if x >= -0.5 => e + d,
        x if x > -1.5 => 0.5 * e * (x + 1.5).powi(2),
        _ => 0.0,
    }
}

/// EA (w g(s) + τ g′(s) ε̇) with s = ε/w.
fn cable_tension(strain: f64, rate: f64) -> f64 {
    let (stiffness, time, onset) = (5e4, 0.02, 1e-3);
    if strain <= 0.0 {
        return 0.0;
    }
    let s = strain / onset;
    let (g, slope) = match s < 1.0 {
        true => (s.powi(3) - 0.5 * s.powi(4), 3.0 * s * s - 2.0 * s.powi(3)),
        false => (s - 0.5, 1.0),
    };
    let (elastic, viscous) = (stiffness * onset * g, stiffness * time * slope * rate);
    one_sided(elastic, viscous)
}

/// A cable from the ground over a carriage and a pulley on the ground to a load.
const CRANE: &str = r#"
[model]
format = 1
name = "crane"
[ground]
markers = { anchor = [-2, 0, 0.3], pulley = [1.5, 0.4, 0.1] }
[[body]]
name = "carriage"
mass = 3
markers = { sheave = [0.1, 0, -0.2] }
[[body]]
name = "load"
mass = 2
[[joint]]
name = "rail"
kind = "prismatic"
from = "ground"
to = "carriage"
axis = [1, 0, 0]
displacement = { follows = "0.2*sin(3*t)" }
[[joint]]
name = "lift"
kind = "prismatic"
from = "ground.pulley"
to = "load"
displacement = { follows = "-1.6 + 0.1*t" }
[[force]]
name = "rope"
kind = "cable"
from = "ground.anchor"
over = ["carriage.sheave", "ground.pulley"]
to = "load"
length = "5.26 - 0.15*t"
axial_stiffness = "50 kN"
damping_time = "20 ms"
onset = 1e-3
"#;

#[test]
fn a_cable_over_pulleys_has_one_tension() {
    let channels = ["rope.length", "rope.tension", "rope.power", "rope.energy"];
    let mut taut = 0;
    for k in 0..40 {
        let t = 0.05 * f64::from(k);
        let seen = prescribed(CRANE, t, &channels);
        let (x, dx) = (0.2 * (3.0 * t).sin(), 0.6 * (3.0 * t).cos());
        let first = [x + 0.1 + 2.0, -0.5];
        let second = [1.5 - x - 0.1, 0.4, 0.3];
        let size = |v: &[f64]| v.iter().map(|x| x * x).sum::<f64>().sqrt();
        let path = size(&first) + size(&second) + 1.6 - 0.1 * t;
        let path_rate = first[0] * dx / size(&first) - second[0] * dx / size(&second) - 0.1;
        let free = 5.26 - 0.15 * t;
        let strain = path / free - 1.0;
        let strain_rate = path_rate / free + 0.15 * path / (free * free);
        let tension = cable_tension(strain, strain_rate);
        close(seen[0], path, 1e-13, "length");
        close(seen[1], tension, 1e-9, "tension");
        close(seen[2], -tension * path_rate, 1e-9, "power");
        if tension > 0.0 {
            taut += 1;
            // ∫ EA w g dε · L.
            let s = strain / 1e-3;
            let stored = match s < 1.0 {
                true => 0.25 * s.powi(4) - 0.1 * s.powi(5),
                false => 0.5 * s * s - 0.5 * s + 0.15,
            };
            close(seen[3], 5e4 * 1e-6 * stored * free, 1e-9, "energy");
        } else {
            assert_eq!(seen[3], 0.0);
        }
    }
    assert!((10..40).contains(&taut), "{taut}");
}

/// A winch hauls a load in, at first from a slack cable.
#[test]
fn a_winch_hauls_a_load() {
    let text = r#"
[model]
format = 1
name = "hoist"
[ground]
markers = { drum = [-3, 0, 0], pulley = [0, 0, 4] }
[[body]]
name = "load"
mass = 80
[[joint]]
name = "lift"
kind = "prismatic"
from = "ground"
to = "load"
displacement = 0.5
[[force]]
name = "floor"
kind = "bump-stop"
from = "ground"
to = "load"
length = 0.51
stiffness = 1e5
damping = 2e3
onset = 0.01
[[force]]
name = "rope"
kind = "cable"
from = "ground.drum"
over = ["ground.pulley"]
to = "load"
length = "8.51 - smoothstep(t, 0, 0, 2, 1)"
axial_stiffness = "50 kN"
damping_time = "20 ms"
onset = 1e-3
"#;
    let length = |t: f64| {
        let u = (t / 2.0).min(1.0);
        let inside = if t < 2.0 { 1.0 } else { 0.0 };
        let step = u * u * u * (10.0 - 15.0 * u + 6.0 * u * u);
        let rate = 15.0 * u * u * (1.0 - u) * (1.0 - u) * inside;
        [8.51 - step, -rate]
    };
    let force = |t: f64, [z, v]: [f64; 2]| {
        let ([free, free_rate], path) = (length(t), 5.0 + 4.0 - z);
        let rate = -v / free - path / (free * free) * free_rate;
        let rope = cable_tension(path / free - 1.0, rate);
        let s = (0.51 - z) / 0.01;
        let floor = match s {
            s if s <= 0.0 => 0.0,
            s if s < 1.0 => one_sided(
                1e3 * (s.powi(3) - 0.5 * s.powi(4)),
                -2e3 * (3.0 * s * s - 2.0 * s.powi(3)) * v,
            ),
            s => one_sided(1e3 * (s - 0.5), -2e3 * v),
        };
        (rope, (rope + floor) / 80.0 - 9.81)
    };
    let end = 2.5;
    let expected = integrate([0.5, 0.0], end, |t, y| force(t, y).1);
    let rows = run(
        &file(text, &[]),
        Form::Ggl,
        &[end],
        &["lift.displacement", "rope.tension"],
    );
    close(rows[0][0], expected[0], 1e-6, "height");
    close(rows[0][1], force(end, expected).0, 1e-4, "tension");
    assert!(expected[0] > 1.2, "{expected:?}");
}

#[test]
fn a_cable_needs_a_length() {
    let refused = |length: &str| {
        let text = CRANE.replace("\"5.26 - 0.15*t\"", length);
        let files = holonom::format::Files::in_memory([("model.toml", text)]);
        let file = holonom::format::read("model.toml", &files, &[]);
        let simulation = file.and_then(|file| Simulation::new(&file, &Settings::default()));
        simulation.err().map(|messages| messages.to_string())
    };
    let told = refused("\"5 - t\"").unwrap();
    assert!(
        told.contains("the length of force \"rope\"") && told.contains("positive"),
        "{told}"
    );
    assert!(refused("-1").unwrap().contains("length"));
    assert_eq!(refused("5.26"), None);
    let same = CRANE
        .replace("\"carriage.sheave\", \"ground.pulley\"", "")
        .replace("to = \"load\"\nlength", "to = \"ground.pulley\"\nlength");
    let files = holonom::format::Files::in_memory([("model.toml", same)]);
    let file = holonom::format::read("model.toml", &files, &[]).unwrap();
    assert!(file.compile().unwrap_err().to_string().contains("rope"));
}
