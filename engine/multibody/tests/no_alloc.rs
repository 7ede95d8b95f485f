//! Evaluation does not allocate: every form, both formalisms, plain and dual numbers, and the
//! parts of `Mechanical`, on random mechanisms.

#![allow(clippy::unwrap_used)]

use holonom_algebra::{Dual8, Real};
use holonom_dae::Mechanical;
use holonom_expression::curve::{Curve, Extrapolation, Interpolation};
use holonom_expression::{Expression, Scope};
use holonom_multibody::channels::{Catalogue, Sampler};
use holonom_multibody::description::{Body, Constraint, Force, Joint, Track, frame};
use holonom_multibody::elements::constraints::{ProfileKind, WheelRailShape};
use holonom_multibody::elements::forces::CreepData;
use holonom_multibody::mechanical::MechanicalModel;
use holonom_multibody::rail::CreepLaw;
use holonom_multibody::residual::{Equations, Form, Formalism, GglMetric};
use holonom_multibody::{Description, Model, Signal};
use holonom_testing::{Counting, Random, feeling, independent, mechanism, state};
use std::sync::Arc;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn allocations(f: impl FnMut()) -> u64 {
    holonom_testing::allocations(f).count
}

#[test]
fn residuals_do_not_allocate() {
    assert!(
        allocations(|| drop(std::hint::black_box(vec![0u8; 100]))) > 0,
        "the counter works"
    );
    for (seed, model) in mechanisms() {
        let (t, q, v) = state(&mut Random::new(seed), &model);
        if model.tree.n_v == 0 {
            continue;
        }
        let active = independent(&model, t, &q);
        for form in Form::ALL {
            if form == Form::Ode && !active.is_empty() {
                continue;
            }
            for formalism in Formalism::ALL {
                for metric in GglMetric::ALL {
                    let e = Equations::new(model.clone(), active.clone(), form, formalism, metric);
                    let (y, yp) = e.state(&q, &v);
                    let mut system = e.system();
                    let n = y.len();
                    let mut r = vec![0.0; n];
                    let dual = |x: &[f64]| x.iter().map(|&x| Dual8::constant(x)).collect::<Vec<_>>();
                    let (yd, ypd, mut rd) = (dual(&y), dual(&yp), dual(&r));
                    let entries = match &system.structure().derivative {
                        holonom_dae::DerivativeForm::Mass(p) => p.len(),
                        _ => 0,
                    };
                    let mut values = vec![0.0; entries];
                    let mut run = || {
                        system.residual(t, &y, &yp, &mut r).unwrap();
                        system
                            .residual_dual8(Dual8::constant(t), &yd, &ypd, &mut rd)
                            .unwrap();
                        if entries > 0 {
                            system.derivative_matrix(t, &y, &yp, &mut values).unwrap();
                        }
                    };
                    // Memory for dual numbers and for the mass matrix comes with the first one asked for.
                    run();
                    assert_eq!(
                        allocations(run),
                        0,
                        "mechanism {seed} {form} {formalism} {metric}"
                    );
                }
            }
        }
    }
}

/// Mechanisms as they are, and some whose forces depend on sensors of accelerations and reactions.
fn mechanisms() -> impl Iterator<Item = (u64, Arc<Model>)> {
    let plain = (0..40).map(|seed| (seed, mechanism(seed, 15)));
    let sensing = (0..10).map(|seed| (seed, Arc::new(feeling(seed, 8).compile().unwrap())));
    plain.chain(sensing)
}

#[test]
fn expressions_and_curves_do_not_allocate() {
    let x: Vec<f64> = (0..50).map(f64::from).collect();
    let y = x.iter().map(|x| x.sin()).collect();
    let road = Curve::new("road", x, y, Interpolation::Spline, Extrapolation::Hold).unwrap();
    let scope = Scope::time().table(Arc::new(road));
    // More operands at a time than a small stack holds, and fewer.
    let deep = format!("{}t{}", "t + t*(t - t^(".repeat(10), "))".repeat(10));
    for text in [
        "if(t > 1, road(2*t), hypot(t, t^2.5) + smoothstep(t, 0, 1, 2, 3))",
        &deep,
    ] {
        let e = Expression::parse(text, &scope, None).unwrap();
        let count = allocations(|| {
            std::hint::black_box(e.evaluate(&[0.7]));
            std::hint::black_box(e.jet(1.7));
            std::hint::black_box(e.jet(Dual8::variable(1.7, 3)));
        });
        assert_eq!(count, 0, "{text}");
    }
}

#[test]
fn the_parts_do_not_allocate() {
    for (seed, model) in mechanisms() {
        let (t, q, v) = state(&mut Random::new(seed), &model);
        let active = independent(&model, t, &q);
        let (n, m) = (model.tree.n_v, active.len());
        let mut parts = MechanicalModel::new(model.clone(), active);
        let (mut mass, mut g, mut a) = (vec![0.0; n * n], vec![0.0; m * n], vec![0.0; n]);
        let (mut f_q, mut f_v) = (mass.clone(), mass.clone());
        let (mut lambda, mut rows) = (vec![0.0; m], vec![0.0; m]);
        let stiff: Vec<usize> = (0..model.forces.len()).step_by(2).collect();
        let some = holonom_dae::ElementSet::Some(&stiff);
        let count = parts.plan_jacobians(some, 2).shares;
        let mut moved = q.clone();
        let mut run = || {
            for part in 0..count {
                parts
                    .renew_jacobians(t, &q, &v, &lambda, some, part, &mut f_q, &mut f_v)
                    .unwrap();
            }
            parts.advance(&q, 1e-3, &v, &mut moved);
            parts.normalise(&mut moved);
            parts.mass(t, &q, &mut mass).unwrap();
            parts.force(t, &q, &v, &lambda, &mut a).unwrap();
            parts.solve_mass(t, &q, &mut a).unwrap();
            parts.constraint(t, &q, &mut rows).unwrap();
            parts.constraint_matrix(t, &q, &mut g).unwrap();
            parts.constraint_rate(t, &q, &mut rows).unwrap();
            parts.constraint_bias(t, &q, &v, &mut rows).unwrap();
            parts.accelerations(t, &q, &v, &mut lambda, &mut a).unwrap();
            let all = holonom_dae::ElementSet::All;
            parts
                .force_jacobians(t, &q, &v, &lambda, all, &mut f_q, &mut f_v)
                .unwrap();
        };
        // Memory for derivatives comes with the first one asked for.
        run();
        assert_eq!(allocations(run), 0, "mechanism {seed}");
    }
}

#[test]
fn rows_of_channels_do_not_allocate() {
    let mut sampled = 0;
    for (seed, model) in mechanisms() {
        let Ok(start) = model.assemble(&Default::default()) else {
            continue;
        };
        let catalogue = Catalogue::new(&start);
        for selection in [catalogue.default_selection(), catalogue.everything()] {
            let mut sampler = Sampler::of_motion(&start, &selection).unwrap();
            let mut row = vec![0.0; selection.len()];
            let mut run = || {
                sampler.sample_state(start.t, &start.q, &start.v, &mut row);
                sampler.sample_motion(&start.motion(), &mut row);
            };
            // Memory to solve for multipliers comes with the first row.
            run();
            assert_eq!(allocations(run), 0, "mechanism {seed}");
            sampled += 1;
        }
    }
    assert!(sampled > 50, "{sampled}");
}

/// Wheels on rails along a track that bends, leans and rises: contacts, creep forces and the track.
#[test]
fn wheels_on_rails_do_not_allocate() {
    let over_arc = |text: &str| Expression::parse(text, &Scope::new().variable("s"), None).unwrap();
    for shape in [
        WheelRailShape::cone(0.46, 0.05, 0.3),
        WheelRailShape::s1002_60e1(0.46),
        WheelRailShape {
            profile: ProfileKind::Curved,
            wheel_profile: over_arc("-0.05*s + 0.1*s^2"),
            rail_profile: over_arc("-1.5*s^2"),
            ..WheelRailShape::cone(0.46, 0.0, 0.3)
        },
    ] {
        let mut track = Track::new("track", "line");
        track.curvature = over_arc("smoothstep(s, 20, 0, 80, 1/300)");
        track.cant = over_arc("-0.05");
        track.gradient = over_arc("smoothstep(s, 20, 0, 80, 0.02)");
        track.travel = Signal::linear(40.0, 20.0);
        let sides = [("left", 0.75, false), ("right", -0.75, true)];
        let mut d = Description::new("rails").track(track);
        let (mut line, mut wheelset) = (Body::new("line", 0.0), Body::new("wheelset", 1200.0));
        for (name, y, _) in sides {
            line = line.marker(name, frame::at([0.0, y, 0.0]));
            wheelset = wheelset.marker(name, frame::at([0.0, y, 0.0]));
        }
        d = d
            .body(line)
            .body(wheelset.inertia([600.0, 90.0, 600.0, 0.0, 0.0, 0.0]))
            .joint(Joint::free("motion", "line", "wheelset"));
        for (name, _, right) in sides {
            let (wheel, rail) = (format!("wheelset.{name}"), format!("line.{name}"));
            let data = CreepData {
                law: if right { CreepLaw::Polach } else { CreepLaw::ALL[0] },
                travelling: true,
                ..CreepData::default()
            };
            d = d
                .constraint(Constraint::wheel_rail(name, wheel, rail, right, shape.clone()))
                .force(Force::creep(format!("creep_{name}"), name, data));
        }
        let model = Arc::new(d.compile().unwrap_or_else(|e| panic!("{e}")));
        let (q, v) = (
            [0.0, 1e-3, 0.46, 1.0, 0.0, 0.0, 0.0],
            [0.0, 0.1, 0.0, 0.0, 43.0, 0.01],
        );
        for form in [Form::Index2, Form::Ggl] {
            for formalism in Formalism::ALL {
                let e = Equations::new(model.clone(), vec![0, 1], form, formalism, GglMetric::ALL[0]);
                let (y, yp) = e.state(&q, &v);
                let mut system = e.system();
                let mut r = vec![0.0; y.len()];
                let dual = |x: &[f64]| x.iter().map(|&x| Dual8::constant(x)).collect::<Vec<_>>();
                let (yd, ypd, mut rd) = (dual(&y), dual(&yp), dual(&r));
                let mut run = || {
                    system.residual(0.3, &y, &yp, &mut r).unwrap();
                    system
                        .residual_dual8(Dual8::constant(0.3), &yd, &ypd, &mut rd)
                        .unwrap();
                };
                run();
                assert_eq!(allocations(run), 0, "{form} {formalism} {:?}", shape.profile);
            }
        }
    }
}
