//! A wheelset through a transition into a curve, against the closed forms of steady curving.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod common;

use common::run;
use holonom::algebra::Vec3;
use holonom::multibody::description::{ConstraintKind, frame};
use holonom::multibody::elements::constraints::{WheelRail, WheelRailShape};
use holonom::multibody::elements::forces::ForceElement;
use holonom::multibody::residual::{Form, Formalism};
use holonom::multibody::workspace::Workspace;
use holonom_models::find;
use std::sync::Arc;

const SPEED: f64 = 20.0;
const CURVE: f64 = 600.0;
const GRAVITY: f64 = 9.81;
const RADIUS: f64 = 0.46;
const HEIGHT: f64 = 0.9;
const STIFFNESS: f64 = 2e6;
const MASSES: [f64; 2] = [1813.0, 8000.0];

/// What a contact does, in the axes of the line.
struct Contact {
    radius: f64,
    /// From the origin of the line.
    point: Vec3<f64>,
    force: Vec3<f64>,
    moment: Vec3<f64>,
    creep: [f64; 2],
}

/// The end of a run, in the axes of the line.
struct Steady {
    y: f64,
    roll: f64,
    yaw: f64,
    rates: f64,
    contacts: [Contact; 2],
    /// Centres of wheelset and part.
    centres: [Vec3<f64>; 2],
    /// Direction of the axle, and the angular velocities of both.
    axle: Vec3<f64>,
    turning: [Vec3<f64>; 2],
}

fn steady([cant, gradient]: [f64; 2], shape: Option<(WheelRailShape, f64, f64)>, t_end: f64) -> Steady {
    let texts = [SPEED, CURVE, cant, gradient].map(|x| x.to_string());
    let names = ["v", "curve", "cant", "gradient"];
    let parameters: Vec<(&str, &str)> = names.into_iter().zip(texts.iter().map(|t| &**t)).collect();
    let mut d = find("curving")
        .unwrap()
        .read_with(&parameters)
        .unwrap()
        .description;
    if let Some((shape, spacing, lean)) = shape {
        for constraint in &mut d.constraints {
            if let ConstraintKind::WheelRail(WheelRail { shape: s, .. }) = &mut constraint.kind {
                let right = s.right;
                **s = WheelRailShape {
                    right,
                    ..shape.clone()
                };
            }
        }
        let line = d.bodies.iter_mut().find(|b| b.name == "line").unwrap();
        for (marker, side) in line.markers.iter_mut().take(2).zip([1.0, -1.0]) {
            let (sin, cos) = (0.5 * side * lean).sin_cos();
            marker.frame = frame::oriented([0.0, side * spacing, 0.0], [cos, sin, 0.0, 0.0]);
        }
    }
    let model = Arc::new(d.compile().unwrap_or_else(|e| panic!("{e}")));
    let start = model.assemble(&Default::default()).unwrap();
    let solution = run(&start, Form::Index2, Formalism::Residual, t_end, 1e-8);
    let (n_q, n_v) = (model.tree.n_q, model.tree.n_v);
    let y = &solution.y;
    let (q, v) = (&y[..n_q], &y[n_q..n_q + n_v]);
    let lambda = &y[n_q + n_v..n_q + n_v + 2];
    let mut work = Workspace::<f64>::new(&model);
    work.set_time(&model, t_end);
    work.set_positions(&model, q);
    work.set_velocities(&model, v);
    work.set_multipliers(&model, &[0, 1], lambda);
    let (scene, ..) = work.scene(&model);
    let body = |name: &str| model.bodies.iter().find(|b| b.name == name).unwrap();
    let marker = |name: &str, k: usize| scene.frame(&body(name).markers[k].frame);
    // Boxes stand upright beside the origin of the line.
    let [one, two] = [2, 3].map(|k| marker("line", k));
    let axes = one.axes;
    let origin = (one.origin + two.origin).scale(0.5) - axes.column(2).scale(RADIUS);
    let seen = |v: Vec3<f64>| axes.transpose_times(v);
    let middle = |name: &str| (marker(name, 0).origin + marker(name, 1).origin).scale(0.5);
    let upright = marker("part", 0).axes.column(2);
    let contacts = [0, 1].map(|k| {
        let ForceElement::Creep(element) = &model.forces[k].element else {
            panic!("a creep force");
        };
        let (creep, forces, normal) = element.contact_forces(&scene);
        let touch = element.contact.constraint.touch(&scene);
        let (wheel, rail) = (
            scene.frame(&element.contact.constraint.wheel),
            scene.frame(&element.contact.constraint.rail),
        );
        let across = touch.normal.cross(Vec3::unit(0));
        let force = touch.normal.scale(normal)
            + Vec3::unit(0).scale(forces.longitudinal)
            + across.scale(forces.lateral);
        Contact {
            radius: touch.radius,
            point: seen(wheel.origin + rail.axes.times(touch.arm) - origin),
            force: seen(rail.axes.times(force)),
            moment: seen(rail.axes.times(touch.normal.scale(forces.moment))),
            creep: [creep.longitudinal, creep.lateral],
        }
    });
    let part = middle("part");
    Steady {
        y: q[0],
        roll: q[2],
        yaw: q[3],
        rates: v[..4].iter().fold(0.0, |most, v| f64::max(most, v.abs())),
        contacts,
        centres: [
            seen(middle("wheelset") - origin),
            seen(part + upright.scale(HEIGHT) - origin),
        ],
        axle: seen(marker("wheelset", 0).axes.column(1)),
        turning: ["wheelset", "part"].map(|name| seen(marker(name, 0).omega)),
    }
}

/// Forces across and upright to the track and the moments about its x and z are those of uniform motion on
/// circles: Σ F = Σ m (Ω × (Ω × r) − g) and Σ r × F + M = Σ m r × (…) + Ω × H. Springs act by forces along x
/// and by their yaw stiffness; what is locked acts along x at the centre of the wheelset and about y. What remains is the motion that has
/// not died out and the tolerance of the run; for smoothed profiles also that the contact point is a mean,
/// of the order of ε = 10⁻⁵ m.
fn balances(end: &Steady, cant: f64, gradient: f64) {
    let (sin, cos) = cant.sin_cos();
    let (rise, level) = gradient.atan().sin_cos();
    // In the axes of the line, which are turned about y by the gradient and about x by the cant.
    let up = Vec3([rise, sin * level, cos * level]);
    let left = Vec3([0.0, cos, -sin]);
    let spin = SPEED / CURVE;
    let omega = up.scale(spin);
    let mut force = Vec3([0.0; 3]);
    let mut moment = Vec3([0.0; 3]);
    for contact in &end.contacts {
        force += contact.force;
        moment = moment + contact.point.cross(contact.force) + contact.moment;
    }
    let inertias = [(1120.0, 112.0 - 1120.0), (3000.0, 0.0)];
    for k in 0..2 {
        let inwards = left.scale(spin * spin * (CURVE * level - end.centres[k].dot(left)));
        let load = (inwards + up.scale(GRAVITY)).scale(MASSES[k]);
        let (round, along) = inertias[k];
        let turning = end.turning[k];
        let momentum = turning.scale(round) + end.axle.scale(along * turning.dot(end.axle));
        force -= load;
        moment = moment - end.centres[k].cross(load) - omega.cross(momentum);
    }
    // Boxes are 1 m beside the middle; what holds x acts beside it, too.
    let yaw = moment.0[2] - 2.0 * STIFFNESS * end.yaw + end.y * force.0[0];
    let weight = GRAVITY * (MASSES[0] + MASSES[1]);
    println!(
        "  balance by weight: across {:+.1e}, upright {:+.1e}, roll {:+.1e} m, yaw {:+.1e} m; rates {:.0e}",
        force.0[1] / weight,
        force.0[2] / weight,
        moment.0[0] / weight,
        yaw / weight,
        end.rates
    );
    for part in [force.0[1], force.0[2], moment.0[0], yaw] {
        assert!(part.abs() < 1e-5 * weight, "{part}");
    }
}

fn show(name: &str, end: &Steady) {
    let [left, right] = &end.contacts;
    println!(
        "{name}: y {:+.3} mm, yaw {:+.3} mrad, roll {:+.3} mrad, Q {:.2} {:.2} kN, Y {:+.2} {:+.2} kN, radii {:.3} {:.3} mm, creep {:.1e} {:.1e}",
        1e3 * end.y,
        1e3 * end.yaw,
        1e3 * end.roll,
        1e-3 * left.force.0[2],
        1e-3 * right.force.0[2],
        1e-3 * left.force.0[1],
        1e-3 * right.force.0[1],
        1e3 * (left.radius - RADIUS),
        1e3 * (right.radius - RADIUS),
        left.creep[0],
        right.creep[0],
    );
}

/// Cant at which nothing acts across the track.
fn balanced() -> f64 {
    (SPEED * SPEED / (GRAVITY * CURVE)).atan()
}

/// Cones on round heads that lean towards them, so that they touch at the rolling circles.
fn cones(conicity: f64) -> Option<(WheelRailShape, f64, f64)> {
    Some((WheelRailShape::cone(RADIUS, conicity, 0.3), 0.75, conicity.atan()))
}

/// Without force across, cones roll where their radii fit the curve, Δr = r₀ e₀/R to either side. With the roll
/// of both cones, φ = γ y/(e₀ − γ r₀), and round heads, Δr = φ (e₀ + ρ sin δ), that is outwards by
/// y = r₀ e₀ (e₀ − γ r₀)/(R γ (e₀ + ρ sin δ)) times the cosine of the cant, since e₀ counts horizontally; the
/// known r₀ e₀/(R γ) is the limit of flat cones. Left out are squares of y/e₀ ≈ 10⁻² and the creep that
/// balances moments of forces across on yawed wheels, 10⁻³.
#[test]
fn cones_roll_beside_the_middle_of_a_curve() {
    let conicity = 0.05_f64;
    let cant = balanced();
    let end = steady([cant, 0.0], cones(conicity), 10.0);
    show("cones", &end);
    balances(&end, -cant, 0.0);
    let (e0, rho, sin) = (0.75, 0.3, conicity.atan().sin());
    let plain = RADIUS * e0 / (CURVE * conicity);
    let expected = plain * (e0 - conicity * RADIUS) / (e0 + rho * sin) * cant.cos();
    println!(
        "  y {:.5} mm, theory {:.5} mm, flat cones {:.5} mm",
        1e3 * end.y,
        -1e3 * expected,
        -1e3 * plain
    );
    assert!((end.y / -expected - 1.0).abs() < 2e-3, "{} {expected}", end.y);
}

#[test]
fn s1002_finds_its_radii_and_carries_a_deficiency_of_cant() {
    let cant = balanced();
    let end = steady([cant, 0.0], None, 10.0);
    show("S1002, balanced", &end);
    balances(&end, -cant, 0.0);
    // Radii by the distances from the centre of the curve, but for the creep that holds the yaw.
    let [left, right] = &end.contacts;
    let away = |contact: &Contact| CURVE - contact.point.0[1] * cant.cos();
    let ratio = (right.radius / left.radius - 1.0) / (away(right) / away(left) - 1.0);
    println!("  ratio of radii by that of ways: {ratio:.4}");
    assert!((ratio - 1.0).abs() < 0.02, "{ratio}");

    let balanced_change = right.force.0[2] - left.force.0[2];
    for [cant, gradient] in [[0.03, 0.0], [0.1, 0.0], [0.03, 0.04]] {
        let end = steady([cant, gradient], None, 10.0);
        show(&format!("S1002, cant {cant}, gradient {gradient}"), &end);
        balances(&end, -cant, gradient);
        // The outer wheel carries more where the cant is too small.
        let across = SPEED * SPEED / CURVE * cant.cos() - GRAVITY * cant.sin();
        let [left, right] = &end.contacts;
        let change = (right.force.0[2] - left.force.0[2]) - balanced_change;
        assert!(across * change > 0.0, "{across} {change}");
    }
}
