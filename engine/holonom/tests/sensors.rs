//! Sensors of accelerations, reactions and totals in runs.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

use holonom::dae::System;
use holonom::multibody::channels::{Catalogue, Sampler};
use holonom::multibody::description::{Body, Control, Description, Force, Joint};
use holonom::multibody::forest::Hint;
use holonom::multibody::residual::{Equations, Form, Formalism};
use holonom::multibody::start::Assembled;
use holonom::multibody::{Model, Signal};
use holonom::prelude::*;
use std::sync::Arc;

fn assembled(description: &Description) -> Assembled {
    let model = Arc::new(description.compile().unwrap_or_else(|e| panic!("{e}")));
    model.assemble(&Default::default()).unwrap()
}

/// The equations of all forms that suit a mechanism.
fn forms(start: &Assembled) -> Vec<(String, Equations)> {
    let pairs = Form::ALL
        .into_iter()
        .flat_map(|form| Formalism::ALL.map(|formalism| (form, formalism)));
    let made = pairs.filter_map(|(form, formalism)| {
        let equations = start.equations(form, formalism).ok()?;
        Some((format!("{form} {formalism}"), equations))
    });
    made.collect()
}

/// A mass of 2 kg on a slide, held by 50 N/m, and pushed by −k a: in the tree, or as a free body with
/// a cut slide.
fn held(k: f64, cut: bool) -> Description {
    let force = Signal::of(&format!("-50*place - {k}*felt"), &["place", "felt"]).unwrap();
    let zero = Signal::constant(0.0);
    let slide = Joint::prismatic("slide", "ground", "mass").axis([1.0, 0.0, 0.0]);
    let description = Description::new("held")
        .gravity([0.0; 3])
        .body(Body::new("mass", 2.0).inertia([0.1, 0.1, 0.1, 0.0, 0.0, 0.0]));
    let description = match cut {
        false => description.joint(slide.start(0.3, 0.0)),
        true => description
            .joint(Joint::free("place_of_mass", "ground", "mass").start_at(0, 0.3, 0.0))
            .joint(slide.hint(Hint::Cut)),
    };
    description
        .control(Control::sensor("place", "mass.position.x"))
        .control(Control::sensor("felt", "mass.acceleration.x"))
        .force(Force::applied("push", "mass", [force, zero.clone(), zero]))
}

/// (2 + k) ẍ = −50 x in every form, for masses that are added and for such that are taken away.
#[test]
fn a_force_that_depends_on_the_acceleration_is_a_mass() {
    for (k, cut) in [(6.0, false), (-1.5, false), (6.0, true), (-1.5, true)] {
        let start = assembled(&held(k, cut));
        let omega = (50.0 / (2.0 + k)).sqrt();
        let all = forms(&start);
        assert_eq!(all.len(), if cut { 8 } else { 10 });
        for (what, equations) in all {
            let (y, yp) = start.state(&equations);
            let mut r = vec![0.0; y.len()];
            let readings = equations.readings();
            let mut system = equations.clone().system();
            system.residual(0.0, &y, &yp, &mut r).unwrap();
            let rest = r.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
            assert!(rest < 1e-10, "{what}: the start leaves {rest:e}");
            let end = 1.3;
            let solution = solve(system, (0.0, end), &y, &yp, Options::new(1e-8, 1e-8)).unwrap();
            let x = 0.3 * (omega * end).cos();
            let far = (solution.y[0] - x).abs();
            let felt = solution.y[readings.start];
            let off = (felt + omega * omega * x).abs() / (0.3 * omega * omega);
            println!("k = {k}, cut {cut}, {what}: x {far:.1e}, acceleration {off:.1e}");
            assert!(far < 1e-6 * 0.3, "k = {k}, {what}: {} {x}", solution.y[0]);
            assert!(off < 1e-6, "k = {k}, {what}: {felt} {}", -omega * omega * x);
        }
    }
}

/// Every channel of random mechanisms, sensed, along a short run: what the sensors show is what the
/// channels show; and what the integration has for it is that to its tolerance.
#[test]
fn sensors_follow_their_channels_along_runs() {
    let (mut checked, mut worst) = (0, 0.0_f64);
    for seed in 0..12 {
        let plain = holonom_testing::description(seed, 4);
        let Ok(start) = Arc::new(plain.compile().unwrap()).assemble(&Default::default()) else {
            continue;
        };
        let names: Vec<String> = Catalogue::new(&start)
            .channels()
            .map(|c| c.name.clone())
            .collect();
        let start = assembled(&holonom_testing::sensed(plain, &names));
        let suiting = forms(&start);
        let (what, equations) = &suiting[seed as usize % suiting.len()];
        if start.rows.singular_start {
            continue;
        }
        let (y, yp) = start.state(equations);
        let options = Options::new(1e-8, 1e-8);
        let solution = match solve(equations.clone().system(), (0.0, 0.02), &y, &yp, options) {
            Ok(solution) => solution,
            Err(e) => panic!("mechanism {seed} {what}: {e}"),
        };
        let catalogue = Catalogue::new(&start);
        let row = |names: &[String]| {
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            let selection = catalogue.select(&names).unwrap();
            let mut sampler = Sampler::new(&start, equations, &selection).unwrap();
            let mut row = vec![0.0; selection.len()];
            sampler.sample(solution.t, &solution.y, &[], &mut row);
            let found: Vec<(String, f64)> = selection
                .channels()
                .iter()
                .map(|c| c.name.clone())
                .zip(row)
                .collect();
            found
        };
        let values = row(&names);
        let sensors = row(&(0..names.len())
            .map(|k| format!("sensed_{k}"))
            .collect::<Vec<_>>());
        let size = |name: &str| {
            let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
            let near = values.iter().filter(|(other, _)| other.starts_with(stem));
            near.fold(1.0_f64, |most, (_, x)| most.max(x.abs()))
        };
        let first = start.model.controls.len() - names.len();
        for ((name, value), (_, sensor)) in values.iter().zip(&sensors) {
            assert!(
                (value - sensor).abs() <= 1e-9 * size(name),
                "mechanism {seed} {what}: {name} is {value}, the sensor shows {sensor}"
            );
            checked += 1;
        }
        for (reading, found) in start.model.readings.iter().zip(&solution.y[equations.readings()]) {
            let (name, value) = &values[reading.control - first];
            let off = (value - found).abs() / size(name);
            if off > worst {
                worst = off;
                println!("mechanism {seed} {what}: {name} {value} {found}: {off:.1e}");
            }
        }
    }
    println!("{checked} channels, integrated readings off by {worst:.1e} at most");
    assert!(checked > 1000, "{checked}");
    assert!(worst < 1e-6, "{worst:e}");
}

/// A reaction that a force depends on, in motion: the bob of a pendulum is pushed along the rod by a
/// part of what its pin carries across it. Both ways of having the pin agree.
#[test]
fn a_ring_over_a_reaction_in_motion() {
    let pendulum = |cut: bool| -> Arc<Model> {
        let zero = Signal::constant(0.0);
        let push = Signal::of("0.3*carried", &["carried"]).unwrap();
        let bob = Body::new("bob", 1.5)
            .centre([0.7, 0.0, 0.0])
            .inertia([0.1, 0.2, 0.2, 0.0, 0.0, 0.0]);
        let pin = Joint::revolute("pin", "ground", "bob").axis([0.0, 1.0, 0.0]);
        let description = Description::new("pushed").body(bob);
        let description = match cut {
            false => description.joint(pin.start(0.4, 1.0)),
            true => description
                .joint(
                    Joint::free("motion", "ground", "bob")
                        .orientation([0.2f64.cos(), 0.0, 0.2f64.sin(), 0.0])
                        .angular_velocity([0.0, 1.0, 0.0]),
                )
                .joint(pin.hint(Hint::Cut)),
        };
        let description = description
            .control(Control::sensor("carried", "pin.force.z"))
            .force(Force::applied("push", "bob", [push, zero.clone(), zero]));
        Arc::new(description.compile().unwrap())
    };
    let mut ends = Vec::new();
    for cut in [false, true] {
        let start = pendulum(cut).assemble(&Default::default()).unwrap();
        for (what, equations) in forms(&start) {
            let (y, yp) = start.state(&equations);
            let solution = solve(
                equations.clone().system(),
                (0.0, 0.7),
                &y,
                &yp,
                Options::new(1e-8, 1e-8),
            )
            .unwrap();
            let selection = Catalogue::new(&start)
                .select(&["bob.orientation.y", "pin.force.z", "carried"])
                .unwrap();
            let mut sampler = Sampler::new(&start, &equations, &selection).unwrap();
            let mut row = [0.0; 3];
            sampler.sample(0.7, &solution.y, &[], &mut row);
            ends.push((format!("cut {cut} {what}"), row));
        }
    }
    assert_eq!(ends.len(), 18);
    for (what, row) in &ends {
        let first = &ends[0].1;
        for k in 0..3 {
            let off = (row[k] - first[k]).abs() / (1.0 + first[k].abs());
            assert!(off < 1e-5, "{what}: {row:?} {first:?}");
        }
    }
}

/// A ball of 2 kg that carries air of 0.5 kg with it, a force −0.5 a, falls and hits: the first time after √(2 h/a) with
/// a = m g/(m + 0.5), and after each hit for 2 e v/a. At rest the floor carries the weight, which is sensed as well.
#[test]
fn sensors_across_impacts() {
    use holonom::multibody::description::Constraint;
    let (m, added, h, e) = (2.0, 0.5, 0.1, 0.3);
    let zero = Signal::constant(0.0);
    let drag = Signal::of(&format!("-{added}*felt"), &["felt"]).unwrap();
    let description = Description::new("ball")
        .body(Body::ball("ball", m, 0.05))
        .joint(Joint::free("motion", "ground", "ball").start_at(2, h + 0.05, 0.0))
        .constraint(Constraint::impact("floor", "ground", "ball", 0.05, e))
        .force(Force::applied("air", "ball", [zero.clone(), zero, drag]))
        .control(Control::sensor("felt", "ball.acceleration.z"))
        .control(Control::sensor("weight", "floor.normal_force"))
        .control(Control::sensor("down", "floor.closed"));
    let start = assembled(&description);
    let a = m * 9.81 / (m + added);
    let first = (2.0 * h / a).sqrt();
    let second = first + 2.0 * e * first;
    for form in [Form::Ggl, Form::Index2, Form::Index3] {
        for formalism in Formalism::ALL {
            let equations = start.equations(form, formalism).unwrap();
            let readings = equations.readings();
            let (y, yp) = start.state(&equations);
            assert!((y[readings.start] + a).abs() < 1e-10, "{}", y[readings.start]);
            let system = equations.clone().system();
            let solution = solve(system, (0.0, 0.6), &y, &yp, Options::new(1e-8, 1e-8)).unwrap();
            let hits: Vec<f64> = solution.events.iter().map(|event| event.t).collect();
            assert!(hits.len() > 3, "{form} {formalism}: {hits:?}");
            assert!(
                (hits[0] - first).abs() < 1e-6,
                "{form} {formalism}: {hits:?} {first}"
            );
            assert!(
                (hits[1] - second).abs() < 1e-6,
                "{form} {formalism}: {hits:?} {second}"
            );
            let [felt, weight, down] = solution.y[readings] else {
                panic!("three readings");
            };
            assert!(felt.abs() < 1e-5, "{form} {formalism}: {felt}");
            assert!((weight - m * 9.81).abs() < 1e-5, "{form} {formalism}: {weight}");
            assert_eq!(down, 1.0, "{form} {formalism}");
        }
    }
}
