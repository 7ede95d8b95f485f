//! Bad input: every one ends with a typed error whose message names the culprit and a remedy.
#![allow(clippy::unwrap_used)]

mod common;

use common::{assert_says, input_error, problem, refused, run_decay, with_options};
use holonom_dae::{
    Closure, DerivativeForm, FailureKind, InputError, MechanicalLayout, Pattern, Structure, Tolerances,
    TransposedBlock, VariableKind,
};
use holonom_solver::{Options, Start, solve};

#[test]
fn wrong_sizes() {
    let o = || Options::new(1e-6, 1e-6);
    for (result, word) in [
        (
            run_decay((0.0, 1.0), &[1.0], &[0.0; 2], o()),
            "the initial vector y",
        ),
        (
            run_decay((0.0, 1.0), &[1.0; 3], &[0.0; 2], o()),
            "the initial vector y",
        ),
        (run_decay((0.0, 1.0), &[1.0; 2], &[], o()), "the initial vector ẏ"),
        (
            with_options(o().tolerances(Tolerances::each(1e-6, vec![1e-6; 3]))),
            "absolute tolerances",
        ),
        (
            with_options(Options {
                error_test: Some(Vec::new()),
                ..o()
            }),
            "error tests",
        ),
    ] {
        let (failure, error) = refused(result);
        assert!(
            matches!(error, InputError::WrongSize { expected: 2, .. }),
            "{failure}"
        );
        assert_says(&failure, &[word, "2 unknowns", "one entry per unknown"]);
    }
}

#[test]
fn start_values_that_are_not_finite() {
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let options = || Options::new(1e-6, 1e-6);
        for (result, what) in [
            (run_decay((0.0, 1.0), &[1.0, bad], &[0.0; 2], options()), "y"),
            (run_decay((0.0, 1.0), &[1.0; 2], &[0.0, bad], options()), "ẏ"),
        ] {
            let (failure, error) = refused(result);
            assert!(
                matches!(&error, InputError::NonFiniteStart { what: w, name, index: 1, .. } if *w == what && name == "depth")
            );
            assert_says(&failure, &["depth", "entry 1", "finite"]);
        }
    }
}

#[test]
fn tolerances() {
    for bad in [0.0, -1e-6, f64::NAN, f64::INFINITY] {
        let (failure, error) = refused(with_options(Options::new(bad, 1e-6)));
        assert!(matches!(error, InputError::Tolerance { what: "relative", .. }));
        assert_says(&failure, &["relative tolerance", "positive"]);
        let (failure, error) = refused(with_options(Options::new(1e-6, bad)));
        assert!(matches!(
            error,
            InputError::Tolerance {
                what: "absolute",
                name: None,
                ..
            }
        ));
        assert_says(&failure, &["absolute tolerance", "positive"]);
        let each = Options::default().tolerances(Tolerances::each(1e-6, vec![1e-6, bad]));
        let (failure, error) = refused(with_options(each));
        assert!(matches!(error, InputError::Tolerance { name: Some(n), .. } if n == "depth"));
        assert_says(&failure, &["absolute tolerance", "depth", "positive"]);
    }
}

#[test]
fn intervals() {
    for (t0, t_end) in [
        (0.0, 0.0),
        (1.0, 0.5),
        (0.0, f64::NAN),
        (0.0, f64::INFINITY),
        (0.0, f64::NEG_INFINITY),
    ] {
        let (failure, error) = refused(run_decay(
            (t0, t_end),
            &[1.0; 2],
            &[0.0; 2],
            Options::new(1e-6, 1e-6),
        ));
        assert!(matches!(error, InputError::Interval { .. }), "{failure}");
        assert_says(&failure, &["end time", "later"]);
    }
    for t0 in [f64::NAN, f64::INFINITY] {
        let (failure, _) = refused(run_decay(
            (t0, 1.0),
            &[1.0; 2],
            &[0.0; 2],
            Options::new(1e-6, 1e-6),
        ));
        assert_says(&failure, &["t0", "finite"]);
    }
}

/// An interval shorter than the spacing of numbers around t₀ cannot be stepped through.
#[test]
fn interval_below_the_spacing_of_numbers() {
    let t0 = 1e10;
    let result = run_decay(
        (t0, t0 + 2e-6),
        &[1.0; 2],
        &[-1.0, -2.0],
        Options::new(1e-6, 1e-6),
    );
    let solution = result.unwrap();
    assert!(solution.counters.steps < 100);
    assert!((solution.y[0] - 1.0).abs() < 1e-5);
}

#[test]
fn unknown_strategies() {
    let o = Options::default;
    for (options, option, choices) in [
        (o().stepper("euler"), "stepper", &["bdf", "backward-euler"][..]),
        (
            o().jacobian("exact"),
            "jacobian",
            &["auto", "fd-dense", "fd-grouped"],
        ),
        (o().linear("qr"), "linear", &["auto", "lu-dense", "lu-sparse"]),
        (o().refresh("never"), "refresh", &["classical", "dassl"]),
        (o().refresh("auto"), "refresh", &["classical", "dassl"]),
    ] {
        let (failure, error) = refused(with_options(options));
        assert!(matches!(error, InputError::Option { option: name, .. } if name == option));
        assert_says(&failure, choices);
    }
}

#[test]
fn impossible_options() {
    let o = || Options::new(1e-6, 1e-6);
    let mut wrong = Vec::new();
    for (options, option) in [
        (o().max_order(0), "max_order"),
        (o().max_order(6), "max_order"),
        (Options { max_step: 0.0, ..o() }, "max_step"),
        (
            Options {
                max_step: f64::NAN,
                ..o()
            },
            "max_step",
        ),
        (
            Options {
                min_step: -1.0,
                ..o()
            },
            "min_step",
        ),
        (
            Options {
                min_step: 2.0,
                max_step: 1.0,
                ..o()
            },
            "min_step",
        ),
        (
            Options {
                initial_step: Some(0.0),
                ..o()
            },
            "initial_step",
        ),
        (
            Options {
                initial_step: Some(f64::INFINITY),
                ..o()
            },
            "initial_step",
        ),
        (
            Options {
                fixed_step: Some(f64::INFINITY),
                ..o()
            },
            "fixed_step",
        ),
        (
            Options {
                fixed_step: Some(-0.1),
                ..o()
            },
            "fixed_step",
        ),
        (
            Options {
                time_limit: Some(f64::NAN),
                ..o()
            },
            "time_limit",
        ),
        (o().outputs(vec![0.5, 0.2]), "outputs"),
        (o().outputs(vec![0.5, f64::NAN]), "outputs"),
        (o().outputs(vec![-1.0, 0.5]), "outputs"),
        (o().stop_at(0.7).stop_at(0.3), "stop_times"),
        (o().linear("lu-sparse"), "linear"),
        (o().jacobian("fd-grouped").sparsity("traced"), "sparsity"),
    ] {
        match with_options(options) {
            Err(error) if matches!(&error.failure.kind, FailureKind::Input(InputError::Option { option: name, .. }) if *name == option) =>
            {
                assert_says(&error.failure, &[option]);
            }
            Err(error) => wrong.push(format!("{option}: {error}")),
            Ok(_) => wrong.push(format!("{option}: runs")),
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Numbers of the corrector and of the error control that no run can work with.
#[test]
fn impossible_options_of_the_corrector() {
    let mut taken = Vec::new();
    for (what, change) in [
        (
            "max_iterations 0",
            (|o: &mut Options| o.newton.max_iterations = 0) as fn(&mut Options),
        ),
        ("share 0", |o| o.newton.share = 0.0),
        ("share NaN", |o| o.newton.share = f64::NAN),
        ("rejection_rate 0", |o| o.newton.rejection_rate = 0.0),
        ("error_budget 0", |o| o.error_budget = Some(0.0)),
        ("error_budget NaN", |o| o.error_budget = Some(f64::NAN)),
    ] {
        let mut options = Options::new(1e-6, 1e-6);
        change(&mut options);
        match with_options(options) {
            Err(error) if matches!(error.failure.kind, FailureKind::Input(InputError::Option { .. })) => {}
            Err(error) => taken.push(format!("{what}: {error}")),
            Ok(_) => taken.push(format!("{what}: runs")),
        }
    }
    assert!(taken.is_empty(), "{taken:#?}");
}

#[test]
fn contradictory_structures() {
    let mut structure = Structure::ode(["a", "b"]);
    structure.equations.pop();
    let system = Closure::new(structure, |_t, _y, _yp, _r| {});
    let (failure, error) = refused(solve(
        system,
        (0.0, 1.0),
        &[1.0; 2],
        &[0.0; 2],
        Options::default(),
    ));
    assert!(matches!(error, InputError::Structure(_)));
    assert_says(&failure, &["1 equations for 2 variables"]);

    let structure = Structure::ode(["a", "b"]).with_sparsity(Pattern::from_entries(2, 2, [(0, 0), (0, 1)]));
    let system = Closure::new(structure, |_t, _y, _yp, _r| {});
    let (failure, _) = refused(solve(
        system,
        (0.0, 1.0),
        &[1.0; 2],
        &[0.0; 2],
        Options::default(),
    ));
    assert_says(
        &failure,
        &["`", "b", "add it"].map(|w| if w == "`" { "pattern" } else { w }),
    );

    let system = Closure::new(Structure::unknown(0), |_t, _y, _yp, _r| {});
    let (failure, _) = refused(solve(system, (0.0, 1.0), &[], &[], Options::default()));
    assert_says(&failure, &["no variables"]);
}

/// A structure of two unknowns, changed, is refused with these words.
#[track_caller]
fn refused_structure(change: impl FnOnce(&mut Structure), words: &[&str]) {
    let mut structure = Structure::semi_explicit(["height"], ["force"]);
    change(&mut structure);
    match structure.check() {
        Err(InputError::Structure(message)) => {
            for word in words {
                assert!(message.contains(word), "`{word}` is missing in: {message}");
            }
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn structures_with_impossible_parts() {
    refused_structure(
        |s| s.derivative = DerivativeForm::Mass(Pattern::dense(3, 2).into()),
        &["∂F/∂ẏ", "3 × 2", "2 unknowns"],
    );
    for bound in [f64::NAN, f64::NEG_INFINITY] {
        refused_structure(
            |s| s.variables[0].lower_bound = Some(bound),
            &["lower bound", "height"],
        );
    }
    for scale in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        refused_structure(|s| s.variables[1].scale = Some(scale), &["scale", "force"]);
    }
    // ∂F₀/∂force is the transpose of ∂F₁/∂height.
    let block = || TransposedBlock {
        columns: 1..2,
        rows: 0..1,
        source_rows: 1..2,
        source_columns: 0..1,
        negated: false,
    };
    refused_structure(
        |s| {
            s.transposed = vec![block()];
            s.variables[1].kind = VariableKind::Multiplier;
            s.forces_depend_on_multipliers = true;
        },
        &["multipliers", "force", "leave out"],
    );
    refused_structure(
        |s| {
            s.transposed = vec![block()];
            s.layout = Some(MechanicalLayout {
                x: 0..0,
                q: 0..0,
                v: 0..1,
                lambda: 1..2,
                eta: 2..2,
                sigma: 2..2,
                readings: 2..2,
            });
            s.forces_depend_on_multipliers = true;
        },
        &["multipliers", "force"],
    );
    for (i, j) in [(0, 1), (1, 0)] {
        refused_structure(
            |s| {
                s.transposed = vec![block()];
                s.sparsity = Some(Pattern::from_entries(2, 2, [(0, 0), (1, 1), (i, j)]).into());
            },
            &["transposed", "leaves out", "add it"],
        );
    }
    // Left out on both sides: a zero.
    let mut zero = Structure::semi_explicit(["height"], ["force"]);
    zero.transposed = vec![block()];
    zero.sparsity = Some(Pattern::from_entries(2, 2, [(0, 0), (1, 1)]).into());
    assert_eq!(zero.check(), Ok(()));
}

/// Rows that are not what the structure says, found whether or not the given ẏ is right.
#[test]
fn derivative_forms_that_are_not_what_they_are_declared_to_be() {
    type Row = fn(f64, f64) -> f64;
    let rows: [(Row, f64); 3] = [
        (|y, yp| -yp - y, -1.0),
        (|y, yp| 2.0 * yp + y, -0.5),
        (|y, yp| yp.powi(3) + y, -1.0),
    ];
    for (row, right) in rows {
        for yp0 in [0.0, right] {
            for start in [Start::Assemble, Start::Check] {
                let system = Closure::new(Structure::ode(["height"]), |_t, y, yp, r| r[0] = row(y[0], yp[0]));
                let options = Options {
                    start,
                    ..Options::new(1e-6, 1e-6)
                };
                let (failure, error) = refused(solve(system, (0.0, 1.0), &[1.0], &[yp0], options));
                assert!(matches!(error, InputError::Structure(_)), "{error:?}");
                assert_says(
                    &failure,
                    &[
                        "row `d/dt height`",
                        "DerivativeForm::Identity",
                        "Structure::unknown",
                    ],
                );
            }
        }
    }
    // Semi-explicit: a derivative in an algebraic row, and that of an algebraic variable.
    type Rows = fn(&[f64], &[f64], &mut [f64]);
    let systems: [(Rows, &str); 2] = [
        (
            |y, yp, r| {
                r[0] = yp[0] + y[0];
                r[1] = y[1] - y[0] + 0.1 * yp[0];
            },
            "equation for force",
        ),
        (
            |y, yp, r| {
                r[0] = yp[0] + y[0] + yp[1];
                r[1] = y[1] - y[0];
            },
            "d/dt height",
        ),
    ];
    for (rows, name) in systems {
        let structure = Structure::semi_explicit(["height"], ["force"]);
        let system = Closure::new(structure, |_t, y, yp, r| rows(y, yp, r));
        let options = Options::new(1e-6, 1e-6);
        let (failure, _) = refused(solve(system, (0.0, 1.0), &[1.0, 1.0], &[0.0; 2], options));
        assert_says(&failure, &[name, "DerivativeForm::Identity"]);
    }
    // Constant.
    let mut structure = Structure::ode(["height"]);
    structure.derivative = DerivativeForm::Constant(vec![(0, 0, 3.0)]);
    let system = Closure::new(structure, |_t, y, yp, r| r[0] = 2.0 * yp[0] + y[0]);
    let options = Options::new(1e-6, 1e-6);
    let (failure, _) = refused(solve(system, (0.0, 1.0), &[1.0], &[0.0], options));
    assert_says(&failure, &["d/dt height", "DerivativeForm::Constant"]);
}

/// Large terms that cancel leave noise in the residual; that is not a wrong form.
#[test]
fn rounding_is_not_taken_for_a_wrong_form() {
    let system = Closure::new(Structure::ode(["height"]), |_t, y, yp, r| {
        r[0] = yp[0] + 1e14 * y[0] - 1e14 + (y[0] - 1.0);
    });
    let options = Options::new(1e-6, 1e-6);
    assert!(solve(system, (0.0, 1.0), &[1.0], &[0.0], options).is_ok());
}

#[test]
fn mass_declared_but_not_delivered() {
    let pattern = || Pattern::from_entries(1, 1, [(0, 0)]);
    for start in [Start::Assemble, Start::Check] {
        let options = || Options {
            start,
            ..Options::new(1e-6, 1e-6)
        };
        let residual =
            |_t: f64, y: &[f64], yp: &[f64], r: &mut [f64]| r[0] = (1.0 + y[0] * y[0]) * yp[0] + y[0];
        let mut structure = Structure::ode(["height"]);
        structure.derivative = DerivativeForm::Mass(pattern().into());
        let system = Closure::new(structure, residual);
        let (failure, error) = refused(solve(system, (0.0, 1.0), &[1.0], &[-0.5], options()));
        assert!(matches!(error, InputError::Structure(_)), "{error:?}");
        assert_says(
            &failure,
            &[
                "declares Mass",
                "delivers no ∂F/∂ẏ",
                "implement derivative_matrix",
            ],
        );

        let unset = Closure::new(Structure::ode(["height"]), residual).mass(pattern(), |_, _, _, _| {});
        let (failure, _) = refused(solve(unset, (0.0, 1.0), &[1.0], &[-0.5], options()));
        assert_says(&failure, &["declares Mass", "d/dt height", "unset"]);

        let right = Closure::new(Structure::ode(["height"]), residual)
            .mass(pattern(), |_, y, _, values| values[0] = 1.0 + y[0] * y[0]);
        let solution = solve(right, (0.0, 1.0), &[1.0], &[-0.5], options()).unwrap();
        // ln y + y²/2 + t is constant.
        let y = solution.y[0];
        assert!((y.ln() + 0.5 * y * y + 0.5).abs() < 1e-4, "{y}");
    }
}

#[test]
fn start_below_a_bound() {
    for start in [Start::Assemble, Start::Check] {
        let system = Closure::new(
            Structure::ode(["height", "depth"]).non_negative(),
            |_t, y, yp, r| {
                r[0] = yp[0] + y[0];
                r[1] = yp[1] + 2.0 * y[1];
            },
        );
        let options = Options {
            start,
            ..Options::new(1e-6, 1e-6)
        };
        let (failure, error) = refused(solve(system, (0.0, 1.0), &[1.0, -0.25], &[0.0; 2], options));
        assert_eq!(
            error,
            InputError::BelowBound {
                name: "depth".into(),
                value: -0.25,
                bound: 0.0
            }
        );
        assert_says(&failure, &["`depth`", "-0.25", "lower bound 0"]);
    }
    let kind = FailureKind::BelowBound {
        variable: "depth".into(),
    };
    assert!(kind.to_string().contains("`depth`"));
}

#[test]
fn inconsistent_start_that_is_only_checked() {
    let system = || {
        Closure::new(Structure::semi_explicit(["mass"], ["flow"]), |_t, y, yp, r| {
            r[0] = yp[0] + y[1];
            r[1] = y[1] - y[0];
        })
    };
    let options = || Options::new(1e-6, 1e-6).start(Start::Check);
    let (failure, error) = refused(solve(system(), (0.0, 1.0), &[1.0, 0.5], &[-1.0, 0.0], options()));
    let InputError::InconsistentStart {
        equation, variable, ..
    } = &error
    else {
        panic!("{failure}");
    };
    assert_eq!(
        (equation.as_str(), variable.as_str()),
        ("equation for flow", "flow")
    );
    assert_says(&failure, &["equation for flow", "`flow`", "Start::Assemble"]);
    // A consistent one passes.
    solve(system(), (0.0, 1.0), &[1.0, 1.0], &[-1.0, 0.0], options()).unwrap();
}

#[test]
fn start_that_cannot_be_assembled() {
    // At x = y = 0 the constraint has no direction to move in.
    for form in ["index1", "index2", "index3", "ggl"] {
        let p = problem(&format!("pendulum-{form}"));
        let n = p.y0.len();
        let system = (p.build)();
        let result = holonom_solver::Integrator::new(
            system,
            0.0,
            &vec![0.0; n],
            &vec![0.0; n],
            1.0,
            Options::new(1e-6, 1e-6),
        );
        let failure = result.err().unwrap();
        assert!(
            matches!(input_error(&failure), InputError::NoConsistentStart { .. }),
            "{failure}"
        );
        assert_says(&failure, &["constraint", "correct the initial values"]);
    }
    // An equation without any solution.
    let system = Closure::new(Structure::semi_explicit(["a"], ["root"]), |_t, y, yp, r| {
        r[0] = yp[0] + y[1];
        r[1] = y[1] * y[1] + 1.0;
    });
    let (failure, error) = refused(solve(
        system,
        (0.0, 1.0),
        &[1.0, 0.3],
        &[0.0; 2],
        Options::default(),
    ));
    assert!(
        matches!(&error, InputError::NoConsistentStart { equation, .. } if equation == "equation for root"),
        "{failure}"
    );
    assert_says(&failure, &["equation for root", "iterations"]);
    // A residual that cannot be evaluated at the start.
    let system = Closure::new(Structure::ode(["a", "b"]), |_t, y, yp, r| {
        r[0] = yp[0];
        r[1] = yp[1] - y[1].ln();
    });
    let (failure, error) = refused(solve(
        system,
        (0.0, 1.0),
        &[1.0, -1.0],
        &[0.0; 2],
        Options::default(),
    ));
    assert!(
        matches!(&error, InputError::NoConsistentStart { equation, .. } if equation == "d/dt b"),
        "{failure}"
    );
    assert_says(&failure, &["d/dt b", "not finite"]);
}
