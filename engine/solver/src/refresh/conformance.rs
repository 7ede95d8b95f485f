//! The policies as tables of situations and actions, and what every policy must do.

use crate::settings::Owned;

use super::{Moved, Phase, Plan, REGISTRY, Reason, RefreshPolicy, Renewal, Situation};

/// Nothing special: the matrix fits and serves.
const QUIET: Situation = Situation {
    reason: Reason::NewStep,
    phase: Phase(0),
    alpha_ratio: 1.0,
    separated: true,
    fresh: false,
    moved: Moved {
        inputs: false,
        constraints: false,
    },
    recent_excess: 0.0,
    matched: true,
    excess: 0.0,
    cost: 10.0,
    doubt: 0.0,
};

fn build(name: &str) -> Box<dyn RefreshPolicy> {
    let entry = super::find(name).unwrap_or_else(|| panic!("there is no policy {name}"));
    (entry.build)(&Owned::default())
}

#[track_caller]
fn check(name: &str, table: &[(Situation, Renewal)]) {
    let mut policy = build(name);
    for (situation, action) in table {
        assert_eq!(
            policy.decide(situation),
            Plan::from(*action),
            "{name} in {situation:?}"
        );
    }
}

/// DASSL, Arnold §2.3: a) no convergence, b) slow convergence, c) a drastic change of α.
#[test]
fn dassl() {
    // Differences are taken of α ∂F/∂ẏ + ∂F/∂y in one.
    let s = Situation {
        separated: false,
        ..QUIET
    };
    let ratio = |alpha_ratio, reason| Situation {
        reason,
        alpha_ratio,
        matched: false,
        ..s
    };
    use Reason::{Divergence, ErrorTestFailure, FirstStep, NewStep, Requested, SlowConvergence};
    use Renewal::{FullEvaluation, Keep};
    let mut table = vec![
        (
            Situation {
                reason: FirstStep,
                ..s
            },
            FullEvaluation,
        ),
        (
            Situation {
                reason: Requested,
                ..s
            },
            FullEvaluation,
        ),
        // a) and b): once with a fresh matrix, then only a smaller step helps.
        (
            Situation {
                reason: Divergence,
                ..s
            },
            FullEvaluation,
        ),
        (
            Situation {
                reason: SlowConvergence,
                ..s
            },
            FullEvaluation,
        ),
        (
            Situation {
                reason: Divergence,
                fresh: true,
                ..s
            },
            Keep,
        ),
        (
            Situation {
                reason: SlowConvergence,
                fresh: true,
                ..s
            },
            Keep,
        ),
    ];
    for reason in [NewStep, ErrorTestFailure] {
        // c)
        table.extend([
            (ratio(1.0, reason), Keep),
            (ratio(0.61, reason), Keep),
            (ratio(1.0 / 0.61, reason), Keep),
            (ratio(0.59, reason), FullEvaluation),
            (ratio(1.0 / 0.59, reason), FullEvaluation),
            (ratio(0.0, reason), FullEvaluation),
            (ratio(f64::INFINITY, reason), FullEvaluation),
        ]);
    }
    check("dassl", &table);
    assert!(super::find("dassl").is_some_and(|entry| entry.combined_differences));
    // DASSL keeps no count of corrections and knows no separated parts.
    for separated in [false, true] {
        check(
            "dassl",
            &[(
                Situation {
                    separated,
                    excess: 1e3,
                    ..s
                },
                Keep,
            )],
        );
    }
}

/// Arnold §3.2: where the parts are apart, reason c) costs an update only, and so do a) and b) while the
/// matrix is not that of this α or of these inputs.
#[test]
fn dassl_with_updates() {
    use Reason::{NewStep, SlowConvergence};
    use Renewal::{ExtendedUpdate, FullEvaluation, Keep, PartitionedUpdate};
    let at = |reason, alpha_ratio: f64, inputs| Situation {
        reason,
        alpha_ratio,
        matched: alpha_ratio == 1.0,
        moved: Moved {
            inputs,
            ..QUIET.moved
        },
        ..QUIET
    };
    check(
        "dassl",
        &[
            (at(NewStep, 1.0, false), Keep),
            (at(NewStep, 1.0, true), Keep),
            (at(NewStep, 0.5, false), PartitionedUpdate),
            (at(NewStep, 0.5, true), ExtendedUpdate),
            (at(SlowConvergence, 0.9, false), PartitionedUpdate),
            (at(SlowConvergence, 0.9, true), ExtendedUpdate),
            (at(SlowConvergence, 1.0, false), FullEvaluation),
            (at(SlowConvergence, 1.0, true), ExtendedUpdate),
        ],
    );
}

/// Where inputs have moved, ∂F/∂y follows them before it is evaluated anew, and as soon as some
/// corrections too many have been made.
#[test]
fn classical_with_inputs() {
    use Renewal::{ExtendedUpdate, FullEvaluation, Keep};
    let s = Situation {
        moved: Moved {
            inputs: true,
            ..QUIET.moved
        },
        ..QUIET
    };
    let slow = |inputs| Situation {
        reason: Reason::SlowConvergence,
        moved: Moved {
            inputs,
            ..QUIET.moved
        },
        ..QUIET
    };
    let excess = |recent_excess| Situation { recent_excess, ..s };
    let due = Situation {
        excess: 2.0 * QUIET.cost,
        ..s
    };
    let changed = Situation {
        alpha_ratio: 0.7,
        matched: false,
        ..s
    };
    check(
        "classical",
        &[
            (s, Keep),
            (excess(1.0), Keep),
            (excess(2.0), ExtendedUpdate),
            (changed, ExtendedUpdate),
            (slow(true), ExtendedUpdate),
            (slow(false), FullEvaluation),
            (due, FullEvaluation),
        ],
    );
}

/// Where the system gives G by itself, it is renewed before ∂F/∂y is evaluated anew, and as soon as some
/// corrections too many have been made; but not twice at the same place.
#[test]
fn renewed_constraints() {
    use Renewal::{FullEvaluation, Keep, PartitionedUpdate};
    let at = |reason, constraints, recent_excess| Situation {
        reason,
        moved: Moved {
            constraints,
            ..QUIET.moved
        },
        recent_excess,
        ..QUIET
    };
    for name in ["classical", "dassl"] {
        check(
            name,
            &[
                (at(Reason::NewStep, true, 0.0), Keep),
                (at(Reason::SlowConvergence, true, 0.0), PartitionedUpdate),
                (at(Reason::Divergence, true, 0.0), PartitionedUpdate),
                (at(Reason::SlowConvergence, false, 0.0), FullEvaluation),
                (at(Reason::Divergence, false, 0.0), FullEvaluation),
            ],
        );
    }
    let due = Situation {
        excess: QUIET.cost,
        ..at(Reason::NewStep, true, 2.0)
    };
    check(
        "classical",
        &[
            (at(Reason::NewStep, true, 1.0), Keep),
            (at(Reason::NewStep, true, 2.0), PartitionedUpdate),
            (at(Reason::NewStep, false, 2.0), Keep),
            (due, FullEvaluation),
        ],
    );
}

#[test]
fn classical() {
    use Reason::{Divergence, ErrorTestFailure, FirstStep, NewStep, Requested, SlowConvergence};
    use Renewal::{FullEvaluation, Keep, PartitionedUpdate};
    let s = QUIET;
    let mut table = vec![
        (
            Situation {
                reason: FirstStep,
                ..s
            },
            FullEvaluation,
        ),
        (
            Situation {
                reason: Requested,
                ..s
            },
            FullEvaluation,
        ),
        (
            Situation {
                reason: Divergence,
                fresh: true,
                ..s
            },
            Keep,
        ),
        (
            Situation {
                reason: SlowConvergence,
                fresh: true,
                ..s
            },
            Keep,
        ),
        // A matrix that fits and still fails: ∂F/∂y is too old.
        (
            Situation {
                reason: Divergence,
                ..s
            },
            FullEvaluation,
        ),
        (
            Situation {
                reason: SlowConvergence,
                ..s
            },
            FullEvaluation,
        ),
    ];
    for reason in [NewStep, ErrorTestFailure] {
        let other = |alpha_ratio, separated| Situation {
            reason,
            alpha_ratio,
            separated,
            matched: false,
            ..s
        };
        table.extend([
            // A changed α costs a factorisation where the parts are apart, …
            (other(0.9, true), Keep),
            (other(1.0 / 0.9, true), Keep),
            (other(0.5, true), PartitionedUpdate),
            (other(2.0, true), PartitionedUpdate),
            // … and a full evaluation where they are not.
            (other(0.7, false), Keep),
            (other(0.59, false), FullEvaluation),
            (other(1.7, false), FullEvaluation),
            // Corrections beyond what a fresh matrix needs add up until they pay for one.
            (
                Situation {
                    reason,
                    excess: 9.0,
                    ..s
                },
                Keep,
            ),
            (
                Situation {
                    reason,
                    excess: 10.0,
                    ..s
                },
                FullEvaluation,
            ),
            (
                Situation {
                    excess: 10.0,
                    ..other(1.1, true)
                },
                PartitionedUpdate,
            ),
            (
                Situation {
                    excess: 10.0,
                    ..other(1.1, false)
                },
                FullEvaluation,
            ),
        ]);
    }
    check("classical", &table);
    assert!(super::find("classical").is_some_and(|entry| !entry.combined_differences));
}

/// What the corrector relies on, whatever the policy.
#[test]
fn every_policy() {
    for entry in REGISTRY {
        let mut policy = (entry.build)(&Owned::default());
        assert_eq!(policy.name(), entry.name);
        assert!(!entry.description.is_empty() && !entry.literature.is_empty());
        for separated in [false, true] {
            let separated = separated && !entry.combined_differences;
            for alpha_ratio in [0.1, 0.9, 1.0, 1.1, 10.0] {
                let s = Situation {
                    alpha_ratio,
                    separated,
                    matched: alpha_ratio == 1.0,
                    ..QUIET
                };
                for reason in [Reason::FirstStep, Reason::Requested] {
                    let action = policy.decide(&Situation { reason, ..s }).linearisation;
                    assert_eq!(action, Renewal::FullEvaluation, "{}", entry.name);
                }
                for reason in [Reason::SlowConvergence, Reason::Divergence, Reason::Stalled] {
                    // Nothing newer than fresh: anything but Keep would loop for ever.
                    let action = policy.decide(&Situation {
                        reason,
                        fresh: true,
                        matched: true,
                        ..s
                    });
                    assert!(action.keeps(), "{}", entry.name);
                    // A stale matrix must not be blamed on the step size.
                    let action = policy.decide(&Situation { reason, ..s });
                    assert!(!action.keeps(), "{}", entry.name);
                }
                for reason in [Reason::NewStep, Reason::ErrorTestFailure] {
                    // Without separated parts there is nothing to update.
                    let action = policy.decide(&Situation { reason, ..s }).linearisation;
                    assert!(
                        separated || action != Renewal::PartitionedUpdate,
                        "{}",
                        entry.name
                    );
                }
            }
        }
    }
}

/// Missing entries are looked for when they are the likely cause, and not otherwise.
#[test]
fn doubtful_patterns() {
    for entry in REGISTRY {
        let situation = |reason, fresh, doubt| Situation {
            reason,
            fresh,
            doubt,
            ..QUIET
        };
        use Reason::{Divergence, NewStep, PatternViolated, SlowConvergence};
        for (reason, fresh) in [
            (SlowConvergence, true),
            (Divergence, true),
            (PatternViolated, true),
            (NewStep, false),
        ] {
            let mut policy = build(entry.name);
            let mut renewal = |doubt| policy.decide(&situation(reason, fresh, doubt)).linearisation;
            assert_eq!(renewal(1.0), Renewal::RegroupSparsity, "{}", entry.name);
            for doubt in [0.9, 0.0] {
                let found = renewal(doubt);
                // At the beginning of a step a policy may evaluate for reasons of its own.
                let fine = match fresh {
                    true => found == Renewal::Keep,
                    false => found != Renewal::RegroupSparsity,
                };
                assert!(fine, "{} at {doubt}: {found:?}", entry.name);
            }
        }
        // First a matrix that is fresh.
        for reason in [SlowConvergence, Divergence] {
            check(
                entry.name,
                &[(situation(reason, false, 5.0), Renewal::FullEvaluation)],
            );
        }
    }
}
