//! Impacts with restitution: hits, rest, lift-off, against closed solutions.

#![allow(clippy::unwrap_used)]

use holonom::multibody::channels::{Catalogue, Sampler};
use holonom::multibody::description::{Body, Constraint, Force, Joint, frame};
use holonom::multibody::residual::{Equations, Form, Formalism, GglMetric};
use holonom::multibody::start::Assembled;
use holonom::multibody::{Description, Signal};
use holonom::prelude::*;
use std::sync::Arc;

const GRAVITY: f64 = 9.81;
const FORMS: [Form; 3] = [Form::Ggl, Form::Index2, Form::Index3];

fn assembled(description: &Description) -> Assembled {
    let model = Arc::new(description.compile().unwrap());
    model.assemble(&Default::default()).unwrap()
}

fn refusal(description: &Description) -> String {
    let model = Arc::new(description.compile().unwrap());
    model.assemble(&Default::default()).unwrap_err().to_string()
}

/// Channels of a solution by name.
struct Look {
    sampler: Sampler,
    names: Vec<String>,
    row: Vec<f64>,
}

impl Look {
    fn new(start: &Assembled, equations: &Equations) -> Self {
        let selection = Catalogue::new(start).select(&["*"]).unwrap();
        Self {
            sampler: Sampler::new(start, equations, &selection).unwrap(),
            names: selection.channels().iter().map(|c| c.name.clone()).collect(),
            row: vec![0.0; selection.len()],
        }
    }

    fn at(&mut self, t: f64, y: &[f64]) {
        self.sampler.sample(t, y, &[], &mut self.row);
    }

    fn get(&self, name: &str) -> f64 {
        let found = self.names.iter().position(|n| n == name);
        self.row[found.unwrap_or_else(|| panic!("no channel {name}"))]
    }

    fn vector(&self, name: &str) -> [f64; 3] {
        ["x", "y", "z"].map(|axis| self.get(&format!("{name}.{axis}")))
    }
}

/// States before and after every event.
#[derive(Default)]
struct Jumps(Vec<(f64, Vec<f64>, bool)>);

impl Observer for Jumps {
    fn event(&mut self, _event: usize, t: f64, y: &[f64], after: bool) {
        self.0.push((t, y.to_vec(), after));
    }
}

/// Runs and gives the state at the end and the jumps on the way.
fn run(start: &Assembled, equations: &Equations, end: f64, options: Options) -> (Vec<f64>, Jumps) {
    let (y, yp) = start.state(equations);
    let mut integrator = Integrator::new(equations.clone().system(), 0.0, &y, &yp, end, options).unwrap();
    let mut jumps = Jumps::default();
    assert_eq!(integrator.run(end, &mut jumps).unwrap(), Stop::Finished);
    (integrator.y().to_vec(), jumps)
}

/// A ball of radius 0.1 whose lowest point is 1 m above the floor.
fn ball(restitution: f64) -> Description {
    Description::new("ball")
        .body(Body::new("ball", 2.0))
        .joint(Joint::prismatic("fall", "ground", "ball").start(1.1, 0.0))
        .constraint(Constraint::impact("floor", "ground", "ball", 0.1, restitution).rest_speed(1e-4))
}

/// Times of the first hits of a ball dropped from 1 m, and when all of them have happened.
fn hits(restitution: f64, count: usize) -> (Vec<f64>, f64) {
    let first = (2.0 / GRAVITY).sqrt();
    let (mut t, mut flight) = (first, 2.0 * first);
    let mut times = Vec::new();
    for _ in 0..count {
        times.push(t);
        flight *= restitution;
        t += flight;
    }
    (times, first + 2.0 * first * restitution / (1.0 - restitution))
}

#[test]
fn twenty_bounces_come_in_time_and_the_ball_comes_to_rest() {
    let (restitution, end) = (0.8, 6.0);
    let start = assembled(&ball(restitution));
    assert_eq!(start.degrees_of_freedom(), 1);
    let (times, all) = hits(restitution, 20);
    let early = 2.0 * 1e-4 / (GRAVITY * (1.0 - restitution));
    for form in FORMS {
        for formalism in Formalism::ALL {
            for mode in [Start::Trust, Start::Assemble] {
                let case = format!("{form} {formalism} {mode:?}");
                let equations = start.equations(form, formalism).unwrap();
                let mut look = Look::new(&start, &equations);
                let options = Options::new(1e-10, 1e-10).start(mode);
                let (y, jumps) = run(&start, &equations, end, options);
                let events: Vec<f64> = jumps.0.iter().filter(|j| j.2).map(|j| j.0).collect();
                for (k, (event, t)) in events.iter().zip(&times).enumerate() {
                    let error = (event - t).abs() / t;
                    assert!(error < 1e-8, "{case}, hit {}: {error:.1e}", k + 1);
                }
                let last = *events.last().unwrap();
                assert!(events.len() > 40, "{case}: {} hits", events.len());
                assert!(
                    last < all + 1e-8 && last > all - 1.001 * early,
                    "{case}: {last} {all}"
                );
                // In flight.
                look.at(0.2, &jumps.0[0].1);
                assert_eq!(
                    (look.get("floor.normal_force"), look.get("floor.closed")),
                    (0.0, 0.0)
                );
                assert!((look.get("fall.displacement.acceleration") + GRAVITY).abs() < 1e-12);
                // At rest, to the end, with the weight on the floor.
                look.at(end, &y);
                assert!(
                    look.get("floor.gap").abs() < 1e-12,
                    "{case}: {}",
                    look.get("floor.gap")
                );
                assert!(look.get("floor.gap.velocity").abs() < 1e-12, "{case}");
                assert!(
                    (look.get("floor.normal_force") - 2.0 * GRAVITY).abs() < 1e-9,
                    "{case}"
                );
                assert_eq!(look.get("floor.closed"), 1.0, "{case}");
                assert!(look.get("fall.displacement.acceleration").abs() < 1e-9, "{case}");
            }
        }
    }
}

/// A spinning body on a slope, hit through its centre and beside it: only what is along the normal
/// changes.
#[test]
fn a_hit_reverses_the_normal_velocity_and_leaves_the_rest() {
    let normal = [0.5 / 1.25_f64.sqrt(), 0.0, 1.0 / 1.25_f64.sqrt()];
    for (point, radius) in [("ball", 0.1), ("ball.tip", 0.0)] {
        for restitution in [0.0, 0.7, 1.0] {
            let description = Description::new("slope")
                .ground_marker("slope", frame::along([0.0; 3], [0.5, 0.0, 1.0]))
                .body(Body::ball("ball", 2.0, 0.1).marker("tip", frame::at([0.05, 0.02, -0.04])))
                .joint(
                    Joint::free("flight", "ground", "ball")
                        .start_at(0, 0.0, 0.7)
                        .start_at(1, 0.0, 0.2)
                        .start_at(2, 1.3, 0.0)
                        .angular_velocity([1.0, -2.0, 3.0]),
                )
                .constraint(Constraint::impact(
                    "slope",
                    "ground.slope",
                    point,
                    radius,
                    restitution,
                ));
            let start = assembled(&description);
            let equations = start.equations(Form::Ggl, Formalism::Residual).unwrap();
            let (_, jumps) = run(&start, &equations, 0.9, Options::new(1e-9, 1e-9));
            let mut look = Look::new(&start, &equations);
            let [(t, before, false), (_, after, true)] = &jumps.0[..2] else {
                panic!("no hit");
            };
            let dot = |a: [f64; 3], b: [f64; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
            let mut seen = |y: &[f64]| {
                look.at(*t, y);
                let state = (look.vector("ball.velocity"), look.vector("ball.angular_velocity"));
                (
                    state.0,
                    state.1,
                    look.get("slope.gap.velocity"),
                    look.get("energy.kinetic"),
                )
            };
            let (v0, w0, u0, e0) = seen(before);
            let (v1, w1, u1, e1) = seen(after);
            assert!(u0 < -1.0 && (u1 + restitution * u0).abs() < 1e-12, "{u0} {u1}");
            for tangent in [[0.0, 1.0, 0.0], [normal[2], 0.0, -normal[0]]] {
                assert!(dot([v1[0] - v0[0], v1[1] - v0[1], v1[2] - v0[2]], tangent).abs() < 1e-12);
            }
            if point == "ball" {
                assert!((0..3).all(|k| (w1[k] - w0[k]).abs() < 1e-12));
                let lost = 0.5 * 2.0 * u0 * u0 * (1.0 - restitution * restitution);
                assert!((e0 - e1 - lost).abs() < 1e-11, "{} {lost}", e0 - e1);
            } else {
                assert!(
                    (0..3).any(|k| (w1[k] - w0[k]).abs() > 0.1),
                    "the tip is beside the centre"
                );
                assert!(e1 <= e0 + 1e-12);
            }
        }
    }
}

/// The crank of a four-bar linkage hits a wall: the loop stays closed, and the loss is 1 − e² of what
/// an inelastic hit takes.
#[test]
fn a_hit_inside_a_loop_keeps_the_loop() {
    let bar = |name: &str, length: f64| {
        Body::thin_rod(name, 1.0, [length, 0.0, 0.0]).marker("end", frame::at([length, 0.0, 0.0]))
    };
    let linkage = |restitution: f64| {
        Description::new("four-bar")
            .gravity([0.0, -9.81, 0.0])
            .ground_marker("right", frame::at([0.4, 0.0, 0.0]))
            .ground_marker("wall", frame::along([-0.1, 0.0, 0.0], [1.0, 0.0, 0.0]))
            .body(bar("crank", 0.15))
            .body(bar("coupler", 0.35))
            .body(bar("rocker", 0.3))
            .joint(Joint::revolute("A", "ground", "crank").start(1.0, 8.0))
            .joint(Joint::revolute("B", "crank.end", "coupler").start(-0.6, 0.0))
            .joint(Joint::revolute("C", "coupler.end", "rocker.end"))
            .joint(Joint::revolute("D", "ground.right", "rocker").start(1.7, 0.0))
            .constraint(Constraint::impact(
                "stop",
                "ground.wall",
                "crank.end",
                0.0,
                restitution,
            ))
    };
    for form in FORMS {
        for formalism in Formalism::ALL {
            let mut losses = Vec::new();
            for restitution in [0.0, 0.6, 1.0] {
                let start = assembled(&linkage(restitution));
                let metric = GglMetric::default();
                // As simulations do: what is seen after the hit is what the hit leaves.
                let options = Options::new(1e-8, 1e-8).start(Start::Trust);
                let equations = start.equations_with(form, formalism, metric).unwrap();
                let (_, jumps) = run(&start, &equations, 0.4, options);
                let mut look = Look::new(&start, &equations);
                let (t, before, _) = &jumps.0[0];
                look.at(*t, before);
                let (u0, e0) = (look.get("stop.gap.velocity"), look.get("energy.kinetic"));
                let (_, after, _) = jumps.0.iter().find(|j| j.2).unwrap();
                look.at(*t, after);
                let (u1, e1) = (look.get("stop.gap.velocity"), look.get("energy.kinetic"));
                assert!(
                    u0 < -0.1 && (u1 + restitution * u0).abs() < 1e-12,
                    "{form}: {u0} {u1}"
                );
                let loop_rate = look.get("residual.velocity");
                assert!(loop_rate < 1e-12, "{form}: {loop_rate:.1e}");
                losses.push(e0 - e1);
            }
            // What a hit removes does not depend on what rebounds afterwards; the state before is as
            // accurate as the form.
            let tolerance = 1e-10 + 1e-6 * losses[0];
            assert!(losses[0] > 0.1, "{losses:?}");
            assert!(
                (losses[1] - (1.0 - 0.36) * losses[0]).abs() < tolerance,
                "{form} {formalism} {losses:?}"
            );
            assert!(losses[2].abs() < tolerance, "{form} {formalism} {losses:?}");
        }
    }
}

/// A mass is lifted by a growing force: it leaves when the force is its weight.
#[test]
fn a_resting_body_lifts_off_when_it_would_be_pulled() {
    let description = Description::new("lift")
        .body(Body::new("mass", 2.0))
        .joint(Joint::prismatic("up", "ground", "mass").start(0.1, 0.0))
        .constraint(Constraint::impact("floor", "ground", "mass", 0.1, 0.5))
        .force(Force::applied(
            "pull",
            "mass",
            [
                Signal::constant(0.0),
                Signal::constant(0.0),
                Signal::linear(0.0, 10.0),
            ],
        ));
    let start = assembled(&description);
    assert_eq!(start.degrees_of_freedom(), 0, "it rests at the start");
    assert!((start.lambda[0] + 2.0 * GRAVITY).abs() < 1e-12);
    assert!(
        start
            .kinematic_run(&[1.0])
            .unwrap_err()
            .to_string()
            .contains("floor")
    );
    // An explicit method has multipliers at the ends of its steps only.
    let cases = FORMS
        .iter()
        .flat_map(|form| ["radau", "dormand-prince"].map(|s| (*form, s)));
    for (form, stepper) in cases {
        let equations = start.equations(form, Formalism::Residual).unwrap();
        let (y, jumps) = run(&start, &equations, 3.0, Options::new(1e-9, 1e-9).stepper(stepper));
        let leaves = 2.0 * GRAVITY / 10.0;
        assert_eq!(jumps.0.len(), 2, "{form} {stepper}");
        assert!(
            (jumps.0[0].0 - leaves).abs() < 1e-8,
            "{form} {stepper}: {}",
            jumps.0[0].0
        );
        let height = 0.1 + 10.0 / 12.0 * (3.0 - leaves).powi(3);
        // Two digits less than the tolerance, in the mixed measure that is used everywhere.
        let error = (y[0] - height).abs() / (1.0 + height);
        assert!(error < 1e-7, "{form} {stepper}: {} {height}", y[0]);
    }
}

/// A tilted bar falls on both its ends, one after the other, and comes to rest on both.
#[test]
fn a_bar_rattles_until_it_rests_on_both_ends() {
    let description = Description::new("bar")
        .gravity([0.0, -GRAVITY, 0.0])
        .ground_marker("floor", frame::along([0.0; 3], [0.0, 1.0, 0.0]))
        .body(
            Body::planar("bar", 3.0, 0.25)
                .marker("left", frame::at([-0.5, 0.0, 0.0]))
                .marker("right", frame::at([0.5, 0.0, 0.0])),
        )
        .joint(
            Joint::planar("motion", "ground", "bar")
                .start_at(1, 0.6, 0.0)
                .start_at(2, 0.3, 0.0),
        )
        .constraint(Constraint::impact("left", "ground.floor", "bar.left", 0.0, 0.3))
        .constraint(Constraint::impact("right", "ground.floor", "bar.right", 0.0, 0.3));
    let start = assembled(&description);
    for form in [Form::Ggl, Form::Index2] {
        let equations = start.equations(form, Formalism::Residual).unwrap();
        let mut look = Look::new(&start, &equations);
        let outputs: Vec<f64> = (0..=300).map(|k| f64::from(k) * 0.01).collect();
        let options = Options::new(1e-9, 1e-9).outputs(outputs);
        let (y, yp) = start.state(&equations);
        let found = solve(equations.clone().system(), (0.0, 3.0), &y, &yp, options).unwrap();
        let mut energy = f64::INFINITY;
        for (t, y) in &found.outputs {
            look.at(*t, y);
            let (left, right) = (look.get("left.gap"), look.get("right.gap"));
            assert!(
                left > -2e-8 && right > -2e-8,
                "{form}, {t}: {left:.1e} {right:.1e}"
            );
            assert!(look.get("energy.total") < energy + 1e-6, "{form}, {t}");
            energy = look.get("energy.total");
        }
        look.at(3.0, &found.y);
        let weight = 3.0 * GRAVITY;
        for side in ["left", "right"] {
            assert_eq!(look.get(&format!("{side}.closed")), 1.0, "{form} {side}");
            let force = look.get(&format!("{side}.normal_force"));
            assert!((force - 0.5 * weight).abs() < 1e-8, "{form} {side}: {force}");
        }
        assert!(look.get("energy.kinetic") < 1e-15 && look.get("motion.x").abs() < 1e-8);
    }
}

/// A table on four legs: one of them the others imply.
#[test]
fn a_table_falls_flat_and_stands() {
    let legs = [[0.5, 0.5], [-0.5, 0.5], [-0.5, -0.5], [0.5, -0.5]];
    let table = |height: f64| {
        let mut body = Body::cuboid("table", 4.0, [1.0, 1.0, 0.1]).centre([0.1, 0.05, 0.0]);
        for (k, [x, y]) in legs.into_iter().enumerate() {
            body = body.marker(format!("leg{k}"), frame::at([x, y, -0.7]));
        }
        let mut d = Description::new("table")
            .body(body)
            .joint(Joint::free("motion", "ground", "table").start_at(2, 0.7 + height, 0.0));
        for k in 0..4 {
            let leg = format!("table.leg{k}");
            d = d.constraint(Constraint::impact(format!("foot{k}"), "ground", leg, 0.0, 0.2));
        }
        d
    };
    let standing = assembled(&table(0.0));
    assert_eq!(
        (standing.degrees_of_freedom(), standing.rows.dropped.len()),
        (3, 0)
    );
    for start in [standing, assembled(&table(0.2))] {
        let equations = start.equations(Form::Ggl, Formalism::Residual).unwrap();
        let (y, _) = run(&start, &equations, 1.0, Options::new(1e-8, 1e-8));
        let mut look = Look::new(&start, &equations);
        look.at(1.0, &y);
        let forces: Vec<f64> = (0..4)
            .map(|k| look.get(&format!("foot{k}.normal_force")))
            .collect();
        assert!(forces.iter().all(|f| *f >= 0.0), "{forces:?}");
        assert!(
            (forces.iter().sum::<f64>() - 4.0 * GRAVITY).abs() < 1e-6,
            "{forces:?}"
        );
        assert!((0..4).all(|k| look.get(&format!("foot{k}.gap")).abs() < 1e-8));
        assert!(look.get("energy.kinetic") < 1e-12);
    }
}

struct StopAt(u64);

impl Observer for StopAt {
    fn step(&mut self, step: &StepInfo<'_>) -> Control {
        if step.steps == self.0 {
            Control::Stop
        } else {
            Control::Continue
        }
    }
}

#[test]
fn a_run_goes_on_from_a_checkpoint_with_the_same_bits() {
    let start = assembled(&ball(0.7));
    let equations = start.equations(Form::Ggl, Formalism::Residual).unwrap();
    let (y, yp) = start.state(&equations);
    // A method with many steps, so that parts end in flights as well; `auto` takes long explicit ones.
    let options = Options::new(1e-7, 1e-7).stepper("bdf").start(Start::Trust);
    let end = 4.0;
    let fresh = || {
        let system = equations.clone().system();
        Integrator::new(system, 0.0, &y, &yp, end, options.clone()).unwrap()
    };
    let mut whole = fresh();
    assert_eq!(whole.run(end, &mut Quiet).unwrap(), Stop::Finished);
    let steps = whole.counters().steps;
    assert!(whole.counters().events > 20 && steps > 100);
    let bits = |x: &[f64]| x.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
    for part in 1..8 {
        let mut first = fresh();
        assert_eq!(
            first.run(end, &mut StopAt(part * steps / 8)).unwrap(),
            Stop::Interrupted
        );
        let checkpoint = first.checkpoint();
        let mut second =
            Integrator::resume(equations.clone().system(), options.clone(), &checkpoint).unwrap();
        assert_eq!(second.run(end, &mut Quiet).unwrap(), Stop::Finished);
        assert_eq!(bits(second.y()), bits(whole.y()), "from {part}/8");
        assert_eq!(second.system().discrete(), whole.system().discrete());
        assert_eq!(second.counters(), whole.counters());
    }
}

#[test]
fn forms_and_starts_that_do_not_fit_are_refused() {
    let start = assembled(&ball(0.5));
    for form in [Form::Ode, Form::Index1] {
        let text = start
            .equations(form, Formalism::Residual)
            .unwrap_err()
            .to_string();
        assert!(text.contains("floor") && text.contains("`ggl`"), "{text}");
    }
    let at = |height: f64, speed: f64| {
        Description::new("ball")
            .body(Body::new("ball", 2.0))
            .joint(Joint::prismatic("fall", "ground", "ball").start(height, speed))
            .constraint(Constraint::impact("floor", "ground", "ball", 0.1, 0.5))
    };
    let text = refusal(&at(0.05, 0.0));
    assert!(
        text.contains("`floor`") && text.contains("5.000e-2 m behind"),
        "{text}"
    );
    let text = refusal(&at(0.1, -2.0));
    assert!(text.contains("approaches at 2.000e0 m/s"), "{text}");
    // Thrown upwards from the floor.
    let start = assembled(&at(0.1, 2.0));
    assert_eq!(start.degrees_of_freedom(), 1);
    let equations = start.equations(Form::Ggl, Formalism::Residual).unwrap();
    let (_, jumps) = run(&start, &equations, 0.5, Options::new(1e-9, 1e-9));
    assert!((jumps.0[0].0 - 4.0 / GRAVITY).abs() < 1e-8, "{}", jumps.0[0].0);
}

/// Switching does not depend on how the linear systems are made and solved.
#[test]
fn sparse_matrices_and_differences_switch_as_well() {
    let start = assembled(&ball(0.6));
    for (linear, jacobian) in [("lu-sparse", "auto"), ("lu-dense", "fd-grouped")] {
        let equations = start.equations(Form::Ggl, Formalism::Residual).unwrap();
        let options = Options::new(1e-9, 1e-9).linear(linear).jacobian(jacobian);
        let (y, jumps) = run(&start, &equations, 3.0, options);
        let (times, _) = hits(0.6, 10);
        for (jump, t) in jumps.0.iter().filter(|j| j.2).zip(&times) {
            assert!((jump.0 - t).abs() < 1e-7, "{linear} {jacobian}: {} {t}", jump.0);
        }
        assert!(
            (y[0] - 0.1).abs() < 1e-12 && (y[2] + 2.0 * GRAVITY).abs() < 1e-9,
            "{y:?}"
        );
    }
}

/// A plate that moves up and down throws a ball: the speed relative to the plate counts. The plate
/// follows its motion, so that the ball does not push it.
#[test]
fn a_moving_plate_throws_the_ball() {
    let motion = Signal::harmonic(0.05, 6.0, 0.0);
    let description = Description::new("plate")
        .body(Body::new("plate", 1.0))
        .body(Body::new("ball", 2.0))
        .joint(Joint::prismatic("table", "ground", "plate").prescribed(0, motion.clone()))
        .joint(Joint::prismatic("fall", "ground", "ball").start(0.8, 0.0))
        .constraint(Constraint::impact("hit", "plate", "ball", 0.0, 0.7));
    let start = assembled(&description);
    let equations = start.equations(Form::Ggl, Formalism::Residual).unwrap();
    let (_, jumps) = run(&start, &equations, 0.6, Options::new(1e-10, 1e-10));
    let [(t, before, false), (_, after, true)] = &jumps.0[..2] else {
        panic!("no hit");
    };
    let [height, speed, _] = motion.evaluate(*t);
    assert!((0.8 - 0.5 * GRAVITY * t * t - height).abs() < 1e-9);
    assert!(speed.abs() > 0.01);
    let expected = speed - 0.7 * (before[1] - speed);
    assert!((after[1] - expected).abs() < 1e-12, "{} {expected}", after[1]);
}
