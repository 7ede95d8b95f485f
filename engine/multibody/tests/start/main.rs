//! Assembly, redundancy, kinematic runs and reactions on whole mechanisms.

use holonom_algebra::{Mat3, Sym3, Vec3};
use holonom_dae::{Point, Residual};
use holonom_multibody::Signal;
use holonom_multibody::description::{Body, Constraint, Description, Force, Joint, Rod, frame};
use holonom_multibody::elements::scene::Scene;
use holonom_multibody::forest::Hint;
use holonom_multibody::formalism::reactions::{ReactionElement, ReactionLoad};
use holonom_multibody::model::{JointPlace, Model};
use holonom_multibody::residual::{Form, Formalism, GglMetric};
use holonom_multibody::start::{Assembled, AssemblyError, AssemblyOptions, KinematicError, Level, RowReport};
use holonom_multibody::workspace::Workspace;
use std::sync::Arc;

mod assembly;
mod branches;
mod kept;
mod kinematic;
mod precision;
mod reactions;
mod redundancy;
mod warnings;

const DOWN: [f64; 3] = [0.0, -9.81, 0.0];

fn bar(name: &str, length: f64) -> Body {
    Body::cuboid(name, 1.0 + length, [length, 0.05, 0.03])
        .centre([0.5 * length, 0.0, 0.0])
        .marker("end", frame::at([length, 0.0, 0.0]))
}

/// Planar four-bar linkage of spatial revolute joints: lengths of crank, coupler, rocker and base,
/// angles of crank, elbow and rocker. The joint between coupler and rocker is cut.
fn four_bar(lengths: [f64; 4], angles: [f64; 3]) -> Description {
    let [crank, coupler, rocker, base] = lengths;
    Description::new("four-bar")
        .gravity(DOWN)
        .ground_marker("right", frame::at([base, 0.0, 0.0]))
        .body(bar("crank", crank))
        .body(bar("coupler", coupler))
        .body(bar("rocker", rocker))
        .joint(
            Joint::revolute("left", "ground", "crank")
                .start(angles[0], 0.0)
                .hint(Hint::Tree),
        )
        .joint(
            Joint::revolute("elbow", "crank.end", "coupler")
                .start(angles[1], 0.0)
                .hint(Hint::Tree),
        )
        .joint(
            Joint::revolute("right", "ground.right", "rocker")
                .start(angles[2], 0.0)
                .hint(Hint::Tree),
        )
        .joint(Joint::revolute("loop", "coupler.end", "rocker.end").hint(Hint::Cut))
}

const LENGTHS: [f64; 4] = [0.5, 2.0, 1.2, 2.0];
const ROUGH: [f64; 3] = [1.4, -1.2, 1.7];

fn compiled(description: &Description) -> Arc<Model> {
    Arc::new(description.compile().unwrap_or_else(|e| panic!("{e}")))
}

fn assembled(description: &Description) -> Assembled {
    compiled(description)
        .assemble(&AssemblyOptions::default())
        .unwrap_or_else(|e| panic!("{e}"))
}

fn position(start: &Assembled, name: &str) -> f64 {
    let names = &start.model.position_names;
    start.q[names
        .iter()
        .position(|n| n == name)
        .unwrap_or_else(|| panic!("{name} in {names:?}"))]
}

fn largest(x: &[f64]) -> f64 {
    holonom_testing::largest(x.iter().copied())
}

/// Largest residual of the equations at the assembled state, over all forms and formalisms.
fn inconsistency(start: &Assembled) -> f64 {
    let mut worst = 0.0_f64;
    for form in Form::ALL {
        for formalism in Formalism::ALL {
            for metric in GglMetric::ALL {
                let Ok(equations) = start.equations_with(form, formalism, metric) else {
                    assert_eq!(form, Form::Ode);
                    continue;
                };
                let (y, yp) = start.state(&equations);
                let mut r = vec![f64::NAN; y.len()];
                let at = Point::new(start.t, &y, &yp, &[]);
                equations
                    .residual(at, &mut equations.workspace::<f64>(), &mut r)
                    .expect("in the domain");
                assert!(r.iter().all(|x| x.is_finite()));
                worst = worst.max(largest(&r));
            }
        }
    }
    worst
}

fn dropped(rows: &RowReport) -> Vec<&str> {
    rows.dropped.iter().map(|d| d.name.as_str()).collect()
}

fn slider_crank(angle: f64) -> Description {
    Description::new("slider-crank")
        .gravity(DOWN)
        .body(bar("crank", 0.2))
        .body(bar("rod", 0.7))
        .body(Body::cuboid("slider", 2.0, [0.1, 0.1, 0.1]))
        .joint(Joint::revolute("crank", "ground", "crank").start(angle, 0.0))
        .joint(Joint::revolute("big end", "crank.end", "rod").start(-angle, 0.0))
        .joint(
            Joint::prismatic("guide", "ground", "slider")
                .axis([1.0, 0.0, 0.0])
                .start(0.8, 0.0),
        )
        .joint(Joint::revolute("pin", "rod.end", "slider").hint(Hint::Cut))
}

/// Revolute, spherical, spherical, revolute: the coupler turns about itself.
fn spatial_four_bar() -> Description {
    Description::new("spatial four-bar")
        .ground_marker("right", frame::along([1.5, 0.3, 0.0], [1.0, 0.0, 0.2]))
        .body(bar("crank", 0.4))
        .body(bar("coupler", 1.6))
        .body(bar("rocker", 1.0))
        .joint(Joint::revolute("left", "ground", "crank").start(0.8, 1.0))
        .joint(Joint::spherical("ball", "crank.end", "coupler").orientation([1.0, 0.1, -0.3, 0.2]))
        .joint(Joint::revolute("right", "ground.right", "rocker").start(0.5, 0.0))
        .joint(Joint::spherical("loop", "coupler.end", "rocker.end").hint(Hint::Cut))
}

/// Bennett's linkage: four revolute joints that do not meet, mobile only because of its lengths.
fn bennett(factor: f64) -> Description {
    let (alpha, beta) = (0.6_f64, 1.1_f64);
    let link = |name: &str, twist: f64, length: f64| {
        let (s, c) = (0.5 * twist).sin_cos();
        Body::cuboid(name, 1.0, [length, 0.1, 0.1])
            .centre([0.5 * length, 0.0, 0.0])
            .marker("end", frame::oriented([length, 0.0, 0.0], [c, s, 0.0, 0.0]))
    };
    let (a, b) = (alpha.sin(), beta.sin() * factor);
    let first = 0.9_f64;
    let ratio = (0.5 * (beta + alpha)).sin() / (0.5 * (beta - alpha)).sin();
    let second = 2.0 * (ratio / (0.5 * first).tan()).atan();
    let (s, c) = (0.5 * beta).sin_cos();
    Description::new("bennett")
        .ground_marker("end", frame::oriented([b, 0.0, 0.0], [c, s, 0.0, 0.0]))
        .body(link("one", alpha, a))
        .body(link("two", beta, b))
        .body(link("three", alpha, a))
        .joint(
            Joint::revolute("j1", "ground.end", "one")
                .start(first + 0.1, 0.7)
                .hint(Hint::Tree),
        )
        .joint(
            Joint::revolute("j2", "one.end", "two")
                .start(second - 0.1, 0.0)
                .hint(Hint::Tree),
        )
        .joint(
            Joint::revolute("j3", "two.end", "three")
                .start(-first, 0.0)
                .hint(Hint::Tree),
        )
        .joint(Joint::revolute("j4", "three.end", "ground").hint(Hint::Cut))
}

/// A row of parallelograms, as in the N-four-bar benchmark, with posts at the given angle.
fn parallelograms(n: usize, angle: f64) -> Description {
    let mut description = Description::new("parallelograms").gravity(DOWN);
    for i in 0..=n {
        description = description
            .ground_marker(format!("m{i}"), frame::at([i as f64, 0.0, 0.0]))
            .body(bar(&format!("post{i}"), 1.0))
            .joint(
                Joint::revolute(format!("foot{i}"), format!("ground.m{i}"), format!("post{i}"))
                    .start(angle, if i == 0 { 1.0 } else { 0.0 }),
            );
        if i > 0 {
            let before = format!("post{}.end", i - 1);
            description = description
                .body(bar(&format!("bar{i}"), 1.0))
                .joint(Joint::revolute(format!("left{i}"), before, format!("bar{i}")).start(-angle, 0.0))
                .joint(
                    Joint::revolute(format!("right{i}"), format!("bar{i}.end"), format!("post{i}.end"))
                        .hint(Hint::Cut),
                );
        }
    }
    description
}

fn disc() -> Description {
    Description::new("disc")
        .body(Body::cylinder("disc", 3.0, 0.4, 0.02))
        .joint(
            Joint::free("free", "ground", "disc")
                .start_at(2, 0.5, 0.0)
                // Axle nearly horizontal.
                .orientation([1.0, 0.9, 0.0, 0.0])
                .angular_velocity([0.1, 0.2, 5.0]),
        )
        .constraint(Constraint::rolling_disc("road", "disc", "ground", 0.4))
}
