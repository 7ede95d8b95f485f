//! Shipped mechanisms in real time: every combination of options runs, or is refused with a reason.

#![allow(clippy::unwrap_used)]

use holonom::dae::{ElementSet, Mechanical};
use holonom::format::{Settings, read};
use holonom::simulation::{Memory, RunOptions, Simulation};
use holonom::solver::stepper::{Advance, Level, Ordering, RealTime, Stabilisation, StiffTerms};

fn settings(h: f64) -> Settings {
    Settings {
        stepper: Some("linear-implicit-euler".into()),
        fixed_step: Some(h),
        ..Settings::default()
    }
}

fn simulation(name: &str, settings: &Settings) -> Simulation {
    let file = holonom_models::find(name).unwrap().read().unwrap();
    Simulation::new(&file, settings).unwrap_or_else(|e| panic!("{name}: {e}"))
}

/// Positions after 0.1 s by BDF with tight tolerances.
fn reference(name: &str) -> Vec<f64> {
    let tight = Settings {
        stepper: Some("bdf".into()),
        rtol: Some(1e-9),
        atol: Some(1e-9),
        ..Settings::default()
    };
    let simulation = simulation(name, &tight);
    let form = simulation.form;
    let equations = simulation
        .start
        .equations_with(form, simulation.formalism, simulation.ggl_metric)
        .unwrap();
    let (y0, yp0) = simulation.start.state(&equations);
    let t0 = simulation.start.t;
    let solution = holonom::solver::solve(
        equations.system(),
        (t0, t0 + 0.1),
        &y0,
        &yp0,
        simulation.solver.clone(),
    )
    .unwrap();
    solution.y[..simulation.start.q.len()].to_vec()
}

/// Six mechanisms: stiff springs, a loop, Euler parameters, a coupling, tyres on a road, a vehicle with rods.
const SIX: [&str; 6] = [
    "car-axle",
    "four-bar",
    "spatial-pendulum",
    "gear-train",
    "vehicle",
    "iltis",
];

/// How far positions are from the solution after 0.1 s, or what refuses the options.
fn off(name: &str, settings: &Settings, expected: &[f64], held: &mut u64) -> Result<f64, String> {
    let file = holonom_models::find(name).unwrap().read().unwrap();
    let simulation = Simulation::new(&file, settings).map_err(|messages| messages.to_string())?;
    let mut system = simulation.real_time().unwrap();
    let steps = (0.1 / settings.fixed_step.unwrap()).round() as usize;
    for _ in 0..steps {
        system.step();
    }
    *held = system.held();
    let q = &system.state().q;
    assert!(q.iter().all(|x| x.is_finite()), "{name}: {settings:?}");
    let pairs = q.iter().zip(expected);
    Ok(pairs.fold(0.0, |most, (a, b)| {
        f64::max(most, (a - b).abs() / (1.0 + b.abs()))
    }))
}

/// Runs and ends near the solution, or is refused with a reason. Where stiff terms are left out a run may leave the
/// solution, but then holds or stays finite.
///
/// Near is 2 %. Without stabilisation constraints drift by O(h) (§4.2, [Hairer, Wanner, Theorem VII.2.1]) with a
/// constant that grows with the stiffness and nothing bounds: what is farther off must be this drift, and so fall to
/// a quarter with a quarter of the step; half as much again is left to terms of higher order.
#[test]
fn all_combinations_of_six_mechanisms() {
    const NEAR: f64 = 2e-2;
    let h = 5e-4;
    for name in SIX {
        let expected = reference(name);
        let (mut run, mut refused) = (0, 0);
        for &terms in StiffTerms::ALL {
            for &level in Level::ALL {
                for &stabilisation in Stabilisation::ALL {
                    for &ordering in Ordering::ALL {
                        let what = format!(
                            "{name}: {} {} {} {}",
                            terms.name(),
                            level.name(),
                            stabilisation.name(),
                            ordering.name()
                        );
                        let settings = |h: f64| {
                            settings(h)
                                .with("stiff_terms", terms.name())
                                .with("assembly", level.name())
                                .with("stabilisation", stabilisation.name())
                                .with("ordering", ordering.name())
                        };
                        let mut held = 0;
                        let found = match off(name, &settings(h), &expected, &mut held) {
                            Ok(found) => found,
                            Err(text) => {
                                assert!(text.contains("choose"), "{what}: {text}");
                                refused += 1;
                                continue;
                            }
                        };
                        run += 1;
                        if !terms.needs_matrices() {
                            continue;
                        }
                        assert_eq!(held, 0, "{what}");
                        if found < NEAR {
                            continue;
                        }
                        assert_eq!(stabilisation, Stabilisation::None, "{what}: off by {found:.2e}");
                        let finer = off(name, &settings(h / 4.0), &expected, &mut held).unwrap();
                        assert!(
                            finer < 1.5 / 4.0 * found,
                            "{what}: off by {found:.2e}, and {finer:.2e} at a quarter of the step"
                        );
                    }
                }
            }
        }
        assert_eq!((run, refused), (40, 40), "{name}");
    }
}

fn steps(system: &mut RealTime<'_>, n: usize) {
    for _ in 0..n {
        assert_eq!(system.step(), Advance::Done);
    }
}

/// Only the stiff elements in the matrices: the same solution to order 1, fewer parts; `auto` finds them.
#[test]
fn partition() {
    let all = simulation("iltis", &settings(5e-4));
    let auto = simulation("iltis", &settings(5e-4).with("stiff", vec!["auto".to_string()]));
    let (mut whole, mut part) = (all.real_time().unwrap(), auto.real_time().unwrap());
    let chosen = part.method().stiff_elements().unwrap().to_vec();
    let names: Vec<&str> = chosen
        .iter()
        .map(|&k| auto.start.model.forces[k].name.as_str())
        .collect();
    assert!(!chosen.is_empty());
    steps(&mut whole, 400);
    steps(&mut part, 400);
    for (a, b) in whole.state().q.iter().zip(&part.state().q) {
        assert!((a - b).abs() < 5e-3, "{a} {b}");
    }
    // By their names they are the same.
    let names: Vec<String> = names.iter().map(ToString::to_string).collect();
    let named = settings(5e-4).with("stiff", names);
    let mut named = simulation("iltis", &named).real_time().unwrap();
    steps(&mut named, 400);
    assert_eq!(named.state(), part.state());
    // In shares over four steps.
    let shared = settings(5e-4)
        .with("stiff", vec!["auto".to_string()])
        .with("jacobian_shares", 4_u64);
    let mut shared = simulation("iltis", &shared).real_time().unwrap();
    assert!(2 * shared.work().jacobian_elements < part.work().jacobian_elements);
    steps(&mut shared, 400);
    for (a, b) in shared.state().q.iter().zip(&part.state().q) {
        assert!((a - b).abs() < 5e-3, "{a} {b}");
    }
}

/// Bodies that turn after each other, with a spring in every joint and one across three of them; those named are stiff.
fn chain(n: usize, stiff: &[&str]) -> Simulation {
    let mut text = String::from("[model]\nformat = 1\nname = \"chain\"\n");
    for i in 0..n {
        let before = match i {
            0 => "ground".to_string(),
            _ => format!("b{}.tip", i - 1),
        };
        text += &format!(
            "[[body]]\nname = \"b{i}\"\nmass = 1\ncentre = [0.5, 0, 0]\ninertia = [0.1, 0.1, 0.1]\n\
             markers = {{ tip = [1, 0, 0] }}\n\
             [[joint]]\nname = \"j{i}\"\nkind = \"revolute\"\nfrom = \"{before}\"\nto = \"b{i}\"\naxis = [0, 1, 0]\n\
             angle.start = 0.1\n\
             [[force]]\nname = \"s{i}\"\nkind = \"joint-spring\"\ncoordinate = \"j{i}\"\nstiffness = 1e4\ndamping = 10\n"
        );
    }
    text += "[[force]]\nname = \"brace\"\nkind = \"spring-damper\"\nfrom = \"b1.tip\"\nto = \"b4.tip\"\n\
             stiffness = 1e4\nfree_length = 2.9\n";
    let stiff: Vec<String> = stiff.iter().map(ToString::to_string).collect();
    let stiff = settings(1e-4).with("stiff", stiff);
    let files = holonom::format::Files::in_memory([("chain.toml", text)]);
    let file = read("chain.toml", &files, &[]).unwrap_or_else(|e| panic!("{e}"));
    Simulation::new(&file, &stiff).unwrap_or_else(|e| panic!("{e}"))
}

/// The work for the derivatives of some elements is theirs, however long the chain is that they sit in; all elements
/// with the gyroscopic forces take as many evaluations of the whole chain as it is long.
#[test]
fn derivatives_do_not_cost_more_in_a_larger_mechanism() {
    let work = |n: usize| {
        let simulation = chain(n, &["s2", "s5", "s7", "brace"]);
        let mut system = simulation.real_time().unwrap();
        steps(&mut system, 20);
        let work = system.work();
        let all = simulation.start.mechanical().plan_jacobians(ElementSet::All, 1);
        (
            [
                work.jacobian_sweeps,
                work.jacobian_elements,
                work.jacobian_projections,
            ],
            all.sweeps,
        )
    };
    let (short, long) = (work(10), work(40));
    // A coordinate each, and three by three, by position and by velocity.
    assert_eq!(short.0, [0, 4, 2 * (3 + 9)]);
    assert_eq!(short.0, long.0);
    assert_eq!((short.1, long.1), (4, 10));
}

/// Names of elements that there are not, and models with impacts, are refused.
#[test]
fn refusals() {
    let file = holonom_models::find("car-axle").unwrap().read().unwrap();
    let wrong = settings(1e-3).with("stiff", vec!["spring".to_string()]);
    let text = Simulation::new(&file, &wrong).unwrap_err().to_string();
    assert!(text.contains("left_spring"), "{text}");
    let wrong = settings(1e-3)
        .with("stabilisation", "baumgarte")
        .with("baumgarte_alpha", 3000.0);
    let text = Simulation::new(&file, &wrong).unwrap_err().to_string();
    assert!(text.contains("grow"), "{text}");
    let refused = simulation("bouncing-ball", &settings(1e-3))
        .real_time()
        .err()
        .unwrap();
    assert!(refused.to_string().contains("impacts"), "{refused}");
}

/// In the driver, with its events: the ball bounces and comes to rest.
#[test]
fn events_in_the_driver() {
    let settings = Settings {
        t_end: Some(0.8),
        ..settings(1e-3)
    };
    let simulation = simulation("bouncing-ball", &settings);
    let options = RunOptions::new(simulation.catalogue.default_selection());
    let mut rows = Memory::default();
    let report = simulation.run(&options, &mut rows).unwrap();
    assert!(report.counters.events > 0, "{:?}", report.counters);
}

/// The list of stiff elements in a file, and what stands there instead of it.
#[test]
fn stiff_elements_in_files() {
    use holonom::format::Files;
    let text = |stiff: &str| {
        let model = std::fs::read_to_string(
            std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("car-axle/model.toml"),
        )
        .unwrap();
        format!("{model}stepper = \"linear-implicit-euler\"\nfixed_step = \"1 ms\"\nstiff = {stiff}\n")
    };
    let open = |stiff: &str| read("m.toml", &Files::in_memory([("m.toml", text(stiff))]), &[]);
    let listed = open("[\"left_spring\", \"right_spring\"]").unwrap();
    assert_eq!(
        listed.settings.get("stiff").unwrap().to_string(),
        "left_spring, right_spring"
    );
    assert_eq!(
        open("\"auto\"").unwrap().settings.get("stiff"),
        Some(vec!["auto".to_string()].into())
    );
    assert!(open("\"autto\"").unwrap_err().to_string().contains("auto"));
    let mut system = Simulation::new(&listed, &Settings::default())
        .unwrap()
        .real_time()
        .unwrap();
    steps(&mut system, 1000);
    assert_eq!(system.method().stiff_elements(), Some([0, 1].as_slice()));
}

/// Matrices renewed in shares are part of a checkpoint: a run that is resumed gives the same bits.
#[test]
fn shares_survive_a_checkpoint() {
    use holonom::solver::{Checkpoint, Integrator};
    let shared = settings(5e-4)
        .with("stiff", vec!["auto".to_string()])
        .with("jacobian_shares", 4_u64);
    let simulation = simulation("iltis", &shared);
    let system = || {
        let equations = simulation
            .start
            .equations_with(simulation.form, simulation.formalism, simulation.ggl_metric)
            .unwrap();
        let (y, yp) = simulation.start.state(&equations);
        (equations.system(), y, yp)
    };
    let begin = || {
        let (system, y, yp) = system();
        Integrator::new(
            system,
            simulation.start.t,
            &y,
            &yp,
            1.0,
            simulation.solver.clone(),
        )
        .unwrap()
    };
    let (mut whole, mut first) = (begin(), begin());
    // Not a multiple of the shares.
    for _ in 0..41 {
        whole.step().unwrap();
        first.step().unwrap();
    }
    let text = serde_json::to_string(&first.checkpoint()).unwrap();
    let checkpoint: Checkpoint = serde_json::from_str(&text).unwrap();
    let mut second = Integrator::resume(system().0, simulation.solver.clone(), &checkpoint).unwrap();
    for _ in 0..50 {
        whole.step().unwrap();
        second.step().unwrap();
    }
    assert_eq!(
        (whole.t(), whole.y(), whole.yp()),
        (second.t(), second.y(), second.yp())
    );
}
