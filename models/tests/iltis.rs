//! The Iltis against the nominal values of the IAVSD benchmark.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

use holonom::analysis::dense::Complex;
use holonom::analysis::modes::modes;
use holonom::analysis::statics::{Equilibrium, StaticsOptions, equilibrium};
use holonom::analysis::trim::{Trim, TrimError, TrimOptions, trim};
use holonom::format::{InputOffset, read_with_offsets};
use holonom::multibody::channels::{Catalogue, Sampler};
use holonom::multibody::description::{Constraint, frame};
use holonom::multibody::residual::{Form, Formalism};
use holonom::multibody::start::Assembled;
use holonom::{Options, solve};
use holonom_models::find;
use std::sync::Arc;

/// Channels at the end of a run with other parameters.
fn at(parameters: &[(&str, &str)], end: f64, channels: &[&str]) -> Vec<f64> {
    let file = find("iltis").unwrap().read_with(parameters).unwrap();
    let model = Arc::new(file.compile().unwrap_or_else(|e| panic!("{e}")));
    let start = model.assemble(&Default::default()).unwrap();
    let equations = start.equations(Form::Ggl, Formalism::Residual).unwrap();
    let (mut y, yp) = start.state(&equations);
    let selection = Catalogue::new(&start).select(channels).unwrap();
    let mut sampler = Sampler::new(&start, &equations, &selection).unwrap();
    if end > 0.0 {
        y = solve(equations.system(), (0.0, end), &y, &yp, Options::new(1e-7, 1e-7))
            .unwrap()
            .y;
    }
    let mut row = vec![0.0; channels.len()];
    sampler.sample(end, &y, &[], &mut row);
    println!("{channels:?} {row:?}");
    row
}

#[test]
fn nine_degrees_of_freedom() {
    let file = find("iltis").unwrap().read().unwrap();
    let start = Arc::new(file.compile().unwrap())
        .assemble(&Default::default())
        .unwrap();
    // Heave, roll, pitch, four wheels; lateral and yaw besides. x is prescribed.
    assert_eq!(start.degrees_of_freedom(), 9);
}

/// Half a unit of the last digit that the benchmark prints, N.
const PRINTED: f64 = 0.05;

/// In the start position: leaf −2728.9 N, unit −128.0 N, tyres by their deflection.
#[test]
fn forces_in_the_nominal_position() {
    for corner in ["front_left", "front_right", "rear_left", "rear_right"] {
        let names = ["leaf_spring.force.z", "unit.force.y", "unit.force.z", "tyre.load"];
        let names = names.map(|name| format!("{corner}_{name}"));
        let row = at(&[("v", "0")], 0.0, &names.each_ref().map(String::as_str));
        assert!((row[0] - -2728.9).abs() < PRINTED, "{row:?}");
        assert!(
            (row[1].hypot(row[2]) - 128.0).abs() < PRINTED && row[2] < 0.0,
            "{row:?}"
        );
        let load = if corner.starts_with("front") {
            3829.5
        } else {
            3593.52
        };
        // k (r₀ − 356 mm), as exact as numbers are.
        assert!((row[3] - load).abs() < 1e-9, "{row:?}");
    }
}

/// What the model is like where it rests.
fn equilibrium_of(parameters: &[(&str, &str)]) -> Equilibrium {
    let file = find("iltis").unwrap().read_with(parameters).unwrap();
    let start = Arc::new(file.compile().unwrap())
        .assemble(&Default::default())
        .unwrap();
    equilibrium(&start, &StaticsOptions::default()).unwrap()
}

/// Size of the force of an element.
fn size(start: &Assembled, element: &str) -> f64 {
    let pattern = format!("{element}.force.*");
    let selection = Catalogue::new(start).select(&[pattern.as_str()]).unwrap();
    let mut row = vec![0.0; selection.len()];
    Sampler::of_motion(start, &selection)
        .unwrap()
        .sample_motion(&start.motion(), &mut row);
    row.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// The position of rest without side forces, beside a calculation of its own: ten coordinates, loops closed
/// in closed form, accelerations by Taylor series, Newton's method by differences. (`holonom reproduce
/// iltis-modes` has the position of the published implementation, whose loads act at the wheel centres.)
///
/// The nominal position is not one of rest: springs alike in front and at the rear do not carry the loads of
/// 3829.6 N and 3593.6 N. At rest the nose is down by 0.147°, which moves the axles by 0.5 mm under the
/// centre of mass, and so the loads to 3831.3 N and 3591.9 N.
#[test]
fn position_of_rest() {
    let rest = equilibrium_of(&[("v", "0"), ("bump", "0"), ("grip", "0")]);
    let place = |name: &str| {
        let names = &rest.start.model.position_names;
        rest.state.q[names.iter().position(|n| n == name).unwrap()]
    };
    // A road without grip is taken for one with a millionth: 5 mN of side force, which lift the vehicle by
    // less than 1e-7 m against wheel rates of 30 kN/m, and change springs by less than 5 mN.
    let (length, force) = (1e-7, 5e-3);
    assert!((place("motion.z") - 0.562_915_416).abs() < length);
    assert!((place("motion.angle_y") - 0.002_558_074_4).abs() < length);
    for (element, expected) in [
        ("front_left_leaf_spring", 3068.6807),
        ("front_right_leaf_spring", 3068.6807),
        ("rear_left_leaf_spring", 2885.5336),
        ("front_right_unit", 335.3155),
        ("rear_right_unit", 241.6510),
        ("front_left_tyre", 3831.3157),
        ("front_right_tyre", 3831.3157),
        ("rear_left_tyre", 3591.9113),
    ] {
        let found = size(&rest.start, element);
        println!("{element} {found} {expected}");
        assert!((found - expected).abs() < force, "{element} {found} {expected}");
    }
}

/// The straight run at 20 m/s and its modes, beside the same calculation of its own, with the Calspan law
/// and relaxation. Its derivatives are central differences with steps of 1e-6, which leave 1e-4 of a
/// stiffness of 1e9 and less; so six digits.
#[test]
fn modes_of_the_straight_run() {
    let straight = &turns(&[0.0]).unwrap()[0];
    let place = |name: &str| {
        let names = &straight.start.model.position_names;
        straight.state.q[names.iter().position(|n| n == name).unwrap()]
    };
    assert!((place("motion.z") - 0.562_830_325_05).abs() < 1e-9);
    assert!((place("motion.angle_y") - 0.002_816_994_55).abs() < 1e-9);
    let found = modes(&straight.start, &straight.state).unwrap();
    for (re, im) in [
        (-3.41060, 4.78923),
        (-3.99679, 9.52064),
        (-4.89283, 11.14302),
        (-14.70820, 0.0),
        (-34.53858, 0.0),
        (-38.90419, 0.0),
        (-39.41682, 0.0),
        (-36.47201, 29.42761),
        (-24.84858, 70.33426),
        (-29.41084, 82.92410),
        (-29.12681, 83.51884),
        (-28.87383, 86.45151),
    ] {
        let expected = Complex::new(re, im);
        let apart = found.modes.iter().map(|m| (m.eigenvalue - expected).abs());
        let apart = apart.fold(f64::INFINITY, f64::min);
        println!("{expected:?} {apart}");
        assert!(apart < 1e-6 * expected.abs() + 2e-5, "{expected:?} {apart}");
    }
}

/// In the nominal position the loads that hold the vehicle are 3829.6 N and 3593.6 N: with the
/// chassis level, moments about the axles.
#[test]
fn nominal_loads_balance_the_weight() {
    let row = at(
        &[("v", "0")],
        0.0,
        &["front_left_tyre.load", "rear_left_tyre.load"],
    );
    let (sprung, unsprung): (f64, f64) = (1260.0 * 9.81 / 2.0, 63.35 * 9.81);
    let front = sprung * 1.047 / 2.017 + unsprung;
    let rear = sprung * 0.97 / 2.017 + unsprung;
    for (found, (balance, published)) in row.iter().zip([(front, 3829.6), (rear, 3593.6)]) {
        assert!((balance - published).abs() < PRINTED, "{balance}");
        // The radii of the data are given to a micrometre: half of it is 0.23 N.
        assert!((found - balance).abs() < 0.23, "{found} {balance}");
    }
}

/// Over the bump and back to rest on the flat road; both sides alike.
#[test]
fn the_bump_of_the_benchmark() {
    let row = at(
        &[],
        2.0,
        &[
            "front_left_tyre.load",
            "front_right_tyre.load",
            "motion.y",
            "motion.angle_x",
            "motion.z",
        ],
    );
    assert!(
        (row[0] - row[1]).abs() < 0.1 && row[2].abs() < 1e-4 && row[3].abs() < 1e-5,
        "{row:?}"
    );
    assert!((row[4] - 0.57).abs() < 0.05, "{row:?}");
}

/// Steady turns at 20 m/s on the flat road.
fn turns(laterals: &[f64]) -> Result<Vec<Trim>, TrimError> {
    turns_with(laterals, &TrimOptions::default())
}

fn turns_with(laterals: &[f64], options: &TrimOptions) -> Result<Vec<Trim>, TrimError> {
    let entry = find("iltis").unwrap();
    let file = entry.read_with(&[("v", "20"), ("bump", "0")]).unwrap();
    let start = Arc::new(file.compile().unwrap())
        .assemble(&Default::default())
        .unwrap();
    let overrides = [("v", "20"), ("bump", "0")].map(|(k, v)| (k.to_string(), v.to_string()));
    let mut make = |inputs: &[f64]| {
        let offset = InputOffset {
            name: "steer".into(),
            time: 0.0,
            coefficients: [inputs[0], 0.0, 0.0],
        };
        let file = read_with_offsets(entry.path(), &entry.files(), &overrides, &[offset])
            .map_err(|e| e.to_string())?;
        file.compile().map(Arc::new).map_err(|e| e.to_string())
    };
    trim(&start, 20.0, laterals, &[0.0], &mut make, options)
}

/// From straight running to 0.6 g. Beside the formulas of steady turns: the side forces are m a_y, loads
/// add up to the weight, and the angle of the wheels begins with L/R and the understeer of the tyres.
#[test]
fn steady_turns() {
    let laterals: Vec<f64> = (0..7).map(|k| 0.981 * f64::from(k)).collect();
    let all = turns(&laterals).unwrap();
    assert_eq!(all.len(), 7);
    for turn in &all {
        println!("{} {:?}", turn.lateral, turn.inputs);
        assert!(turn.unbalanced < 1e-11, "{turn:?}");
        let loads: f64 = turn.tyres.iter().map(|t| t.load).sum();
        assert!((loads - 1513.4 * 9.81).abs() < 1e-5, "{loads}");
        let selection = Catalogue::new(&turn.start).select(&["*_tyre.lateral"]).unwrap();
        let mut row = vec![0.0; 4];
        Sampler::of_motion(&turn.start, &selection)
            .unwrap()
            .sample_motion(&turn.start.motion(), &mut row);
        // Across the wheels, which are turned a little.
        let side: f64 = row.iter().sum();
        assert!(
            (side - 1513.4 * turn.lateral).abs() < 3e-3 * side.abs() + 1e-6,
            "{row:?}"
        );
        assert!((turn.wheelbase.unwrap() - 2.017).abs() < 1e-3);
    }
    let straight = &all[0];
    assert!(straight.inputs[0].abs() < 1e-9 && straight.sideslip.abs() < 1e-9 && straight.roll.abs() < 1e-9);
    for pair in all.windows(2) {
        let (a, b) = (&pair[0], &pair[1]);
        assert!(b.inputs[0] > a.inputs[0] && b.roll > a.roll && b.sideslip < a.sideslip);
        // Understeer throughout.
        let slope = (b.inputs[0] - a.inputs[0]) / (b.lateral - a.lateral);
        assert!(slope > 2.017 / 400.0, "{slope}");
    }
    // The mirror image.
    let right = &turns(&[-2.943]).unwrap()[0];
    assert!((right.inputs[0] + all[3].inputs[0]).abs() < 1e-7, "{right:?}");
    assert!((right.sideslip + all[3].sideslip).abs() < 1e-7);
}

#[test]
fn beyond_the_grip_there_is_no_turn() {
    let error = turns(&[3.0, 14.0]).unwrap_err();
    let TrimError::NotFound { reached, tyres, .. } = &error else {
        panic!("{error}");
    };
    println!("{error}");
    assert!(
        (8.0..11.0).contains(&reached.unwrap()) && tyres.iter().any(|t| t.saturated()),
        "{error}"
    );
    assert!(error.to_string().contains("are at their limit"), "{error}");
}

/// On a road on which the wheels do not slide sideways the nominal position is that of rest: with the
/// treads held, the suspensions keep their travel, and springs and loads are those of the benchmark.
#[test]
fn statics_of_the_standing_vehicle() {
    let mut file = find("iltis")
        .unwrap()
        .read_with(&[("v", "0"), ("bump", "0")])
        .unwrap();
    let mut d = file.description.clone();
    for (corner, x, side) in [
        ("front_left", 0.97, 1.0),
        ("front_right", 0.97, -1.0),
        ("rear_left", -1.047, 1.0),
        ("rear_right", -1.047, -1.0),
    ] {
        // A long rod across, from the point where the tyre stands: it holds y to first order.
        let (anchor, foot) = (format!("{corner}_anchor"), format!("{corner}_foot"));
        d = d.ground_marker(&anchor, frame::at([x, side * 1000.615, 0.0]));
        let wheel = format!("{corner}_wheel");
        let body = d.bodies.iter_mut().find(|b| b.name == wheel).unwrap();
        *body = body.clone().marker(&foot, frame::at([0.0, 0.0, -0.356]));
        d = d.constraint(Constraint::distance(
            format!("{corner}_hold"),
            format!("ground.{anchor}"),
            format!("{wheel}.{foot}"),
            1000.0,
        ));
    }
    file.description = d;
    let start = Arc::new(file.compile().unwrap())
        .assemble(&Default::default())
        .unwrap();
    let rest = equilibrium(&start, &StaticsOptions::default()).unwrap();
    let channels = ["*_tyre.load", "*_leaf_spring.force.z"];
    let selection = Catalogue::new(&rest.start).select(&channels).unwrap();
    let mut row = vec![0.0; selection.len()];
    Sampler::of_motion(&rest.start, &selection)
        .unwrap()
        .sample_motion(&rest.start.motion(), &mut row);
    for (channel, value) in selection.channels().iter().zip(&row) {
        println!("{} {value}", channel.name);
        let expected = match channel.name.as_str() {
            name if name.ends_with("force.z") => -2728.9,
            name if name.starts_with("front") => 3829.6,
            _ => 3593.6,
        };
        assert!(
            (value - expected).abs() < PRINTED,
            "{} {value} {expected}",
            channel.name
        );
    }
}

/// The vehicle on its tyres: the treads hold it, and the report names what depends on the way there.
#[test]
fn treads_hold_a_standing_vehicle() {
    let still = [("v", "0"), ("bump", "0")];
    let rest = equilibrium_of(&still);
    assert_eq!(rest.stability.stable, 9, "{:?}", rest.stability);
    assert!(rest.open.is_empty(), "{:?}", rest.open);
    assert_eq!(rest.kept.len(), 8);
    let equations = rest.start.equations(Form::Ggl, Formalism::Residual).unwrap();
    let (y, yp) = rest.start.state(&equations);
    // It is a place of rest: a run from it stays, to its tolerance.
    let tolerance = 1e-8;
    let end = solve(
        equations.system(),
        (0.0, 2.0),
        &y,
        &yp,
        Options::new(tolerance, tolerance),
    )
    .unwrap();
    let n = rest.state.q.len();
    for (a, b) in y[..n].iter().zip(&end.y[..n]) {
        assert!((a - b).abs() < tolerance, "{a} {b}");
    }
    // A run from the start of the search ends elsewhere, by what the treads forget while wheels move to and
    // fro: the share ∫|V_x| dt/σ of their deflection w, σ = 0.5 m. Statics takes all of it. The wheel rises
    // by at most dz/dy = 4 times what its tread gives way: 313 mm of the arm by the 84 mm of the king pin.
    let model = rest.start.model.clone();
    let start = model.assemble(&Default::default()).unwrap();
    let equations = start.equations(Form::Ggl, Formalism::Residual).unwrap();
    let (mut y, mut yp) = start.state(&equations);
    let selection = Catalogue::new(&start)
        .select(&[
            "front_left_wheel.velocity.x",
            "front_left_tyre.w",
            "motion.z",
            "front_left_arm.angle",
        ])
        .unwrap();
    let mut sampler = Sampler::new(&start, &equations, &selection).unwrap();
    let mut row = vec![0.0; selection.len()];
    let (mut way, step) = (0.0, 0.02);
    for k in 0..150 {
        let t = step * f64::from(k);
        let end = solve(
            equations.clone().system(),
            (t, t + step),
            &y,
            &yp,
            Options::new(1e-6, 1e-6),
        )
        .unwrap();
        (y, yp) = (end.y, end.yp);
        sampler.sample(t + step, &y, &[], &mut row);
        way += row[0].abs() * step;
    }
    let forgotten = way / 0.5 * row[1].abs();
    println!("way {way} m, tread {} m, forgotten {forgotten} m", row[1]);
    let names = &rest.start.model.position_names;
    for (name, value, by_tread) in [
        ("motion.z", row[2], 4.0),
        // A turn by the travel of its outer end, 313 mm away.
        ("front_left_arm", row[3], 4.0 / 0.313),
    ] {
        let found = rest.state.q[names.iter().position(|n| n == name).unwrap()];
        println!("{name} {} {}", (found - value).abs(), by_tread * forgotten);
        assert!(
            (found - value).abs() < by_tread * forgotten,
            "{name} {found} {value} {forgotten}"
        );
    }
}

/// Turns end where their sideslip exceeds what counts as a turn, and the error says that it is this and not
/// a lack of balance: the way along x is prescribed, and what prescribes it pushes the vehicle round.
#[test]
fn turns_end_where_sliding_begins() {
    let options = TrimOptions::default()
        .largest_sideslip(10_f64.to_radians())
        .least_step(0.1);
    let error = turns_with(&[7.0, 9.0], &options).unwrap_err();
    let TrimError::NotFound { reached, sliding, .. } = &error else {
        panic!("{error}");
    };
    assert!(
        *sliding && error.to_string().contains("sideslip is too large"),
        "{error}"
    );
    // The last one is within two of the least steps of the first beyond.
    let reached = reached.unwrap();
    let found = turns(&[reached, reached + 2.0 * options.least_step]).unwrap();
    assert!(found[0].sideslip.abs() <= options.largest_sideslip, "{error}");
    assert!(found[1].sideslip.abs() > options.largest_sideslip, "{error}");
}
