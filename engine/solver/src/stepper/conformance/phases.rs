//! A policy with phases and memory, as refresh cycles of several phases need: what it remembers is part of a checkpoint, and
//! a run that is restarted goes on to the bit.

use super::super::{Bdf, Parts, Stepper};
use crate::equations::Equations;
use crate::newton::Corrector;
use crate::refresh::{OperatorPlan, Phase, Plan, Reason, RefreshPolicy, Renewal, Situation};
use crate::state::State;
use crate::{Options, jacobian, linear};
use holonom_dae::{Closure, Counters, Structure, System, Weights};
use serde::{Deserialize, Serialize};

const NAME: &str = "three-phases";

/// Evaluates everything, then goes on for some steps with operators that are made from the old linearisation, then for some
/// with the old operator, and so on.
struct ThreePhases(Memory);

#[derive(Clone, Copy, Default, Serialize, Deserialize)]
struct Memory {
    phase: u8,
    steps: u32,
}

/// Steps in each phase.
const LENGTHS: [u32; 3] = [1, 4, 7];

impl RefreshPolicy for ThreePhases {
    fn name(&self) -> &'static str {
        NAME
    }

    fn decide(&mut self, s: &Situation) -> Plan {
        let m = &mut self.0;
        let failed = !matches!(s.reason, Reason::NewStep | Reason::ErrorTestFailure);
        if failed && s.fresh {
            return Plan {
                phase: Phase(m.phase),
                ..Plan::from(Renewal::Keep)
            };
        }
        if failed {
            *m = Memory::default();
        } else if m.steps >= LENGTHS[usize::from(m.phase)] {
            (m.phase, m.steps) = ((m.phase + 1) % 3, 0);
        }
        m.steps += 1;
        let (linearisation, operator) = match m.phase {
            0 => (Renewal::FullEvaluation, OperatorPlan::Refresh),
            1 => (Renewal::Keep, OperatorPlan::Refresh),
            _ => (Renewal::Keep, OperatorPlan::Keep),
        };
        Plan {
            linearisation,
            operator,
            phase: Phase(m.phase),
        }
    }

    fn save(&self) -> Option<State> {
        Some(State::new(NAME, self.0))
    }

    fn load(&mut self, state: &State) -> bool {
        let saved = state.get::<Memory>(NAME);
        if let Some(memory) = saved {
            self.0 = memory;
        }
        saved.is_some()
    }
}

/// ẋ = x v, v̇ = −ln x: x = exp(sin t), v = cos t.
fn system() -> Closure<'static> {
    Closure::new(Structure::ode(["x", "v"]), |_t, y, yp, r| {
        r[0] = yp[0] - y[0] * y[1];
        r[1] = yp[1] + y[0].ln();
    })
}

fn stepper(structure: &Structure, solver: &'static linear::Entry) -> Bdf {
    let options = Options::new(1e-6, 1e-6);
    let engine = (jacobian::REGISTRY[0].build)(structure, jacobian::Setup::default());
    let parts = jacobian::allocate(structure, false, false);
    let policy = Box::new(ThreePhases(Memory::default()));
    let corrector = Corrector::new(structure, options.newton, engine, policy, parts);
    let weights = Weights::new(
        options.tolerances.clone(),
        structure.default_error_test(),
        structure,
    );
    let parts = Parts {
        structure,
        weights,
        options: &options,
        linear: solver,
        caution: 0,
    };
    Bdf::new(structure.dimension(), parts, corrector)
}

/// Places after each of so many attempts.
fn go_on(stepper: &mut Bdf, counters: &mut Counters, attempts: usize) -> Vec<u64> {
    let mut system = system();
    let mut equations = Equations {
        system: &mut system,
        counters,
    };
    let mut places = Vec::new();
    for _ in 0..attempts {
        match stepper.attempt(&mut equations) {
            Ok(()) => stepper.accept(&mut equations),
            Err(rejection) => stepper.reject(rejection),
        }
        places.extend([stepper.t(), stepper.h()].map(f64::to_bits));
        places.extend(stepper.y().iter().map(|y| y.to_bits()));
    }
    places
}

#[test]
fn a_checkpoint_restarts_a_policy_with_phases_to_the_bit() {
    for solver in linear::REGISTRY.iter().filter(|entry| !entry.needs_pattern) {
        let structure = system().structure().clone();
        // In every phase, and between any two.
        for at in 20..36 {
            let mut counters = Counters::default();
            let mut first = stepper(&structure, solver);
            first.start(0.0, &[1.0, 1.0], &[1.0, 0.0], 1e-4);
            go_on(&mut first, &mut counters, at);
            let text = serde_json::to_string(&first.checkpoint()).expect("a state can be written");
            let read: State = serde_json::from_str(&text).expect("and read");
            let mut second = stepper(&structure, solver);
            assert!(second.restore(&read));
            let mut again = counters;
            assert_eq!(
                go_on(&mut first, &mut counters, 60),
                go_on(&mut second, &mut again, 60),
                "{} from attempt {at}",
                solver.name
            );
            assert_eq!(counters, again, "{} from attempt {at}", solver.name);
            // The phases did what they say.
            assert!(counters.jacobians * 4 < at as u64 + 60, "{counters:?}");
            assert!(counters.factorisations > counters.jacobians, "{counters:?}");
        }
    }
}

#[test]
fn a_state_of_another_policy_is_refused() {
    let mut policy = ThreePhases(Memory::default());
    assert!(!policy.load(&State::new("another", Memory::default())));
}
