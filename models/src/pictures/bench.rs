//! The bench on which samples are moved.

use super::{State, rails};
use holonom::multibody::model::Model;
use holonom::multibody::workspace::Workspace;

/// The floating body with the sample, and the own states of the sample.
pub(super) struct Bench<'a> {
    model: &'a Model,
    work: Workspace<f64>,
    own: Vec<f64>,
}

impl<'a> Bench<'a> {
    pub(super) fn new(model: &'a Model) -> Self {
        Self {
            model,
            work: Workspace::new(model),
            own: model.x0.clone(),
        }
    }

    fn set(&mut self, t: f64, state: &State) {
        self.work.set_time(self.model, t);
        self.work.set_positions(self.model, &state.q);
        self.work.set_velocities(self.model, &state.v);
        self.work.set_states(&self.own);
        // Samples that read multipliers stand on a rail.
        self.work.set_multipliers(self.model, &[0], &[-rails::WHEEL_LOAD]);
    }

    /// Forces on the coordinates.
    pub(super) fn forces(&mut self, t: f64, state: &State) -> Vec<f64> {
        self.set(t, state);
        let mut out = vec![0.0; self.model.tree.n_v];
        self.work.clear_loads();
        self.work.add_forces(self.model);
        self.work.project_loads(self.model, &mut out);
        out
    }

    /// Rates of the own states.
    fn rates(&mut self, state: &State) -> Vec<f64> {
        self.set(0.0, state);
        let mut out = vec![0.0; self.own.len()];
        self.work.state_rates(self.model, &mut out);
        out
    }

    /// Own states after a coordinate went from one value to another at its rate: midpoint rule in
    /// small steps.
    pub(super) fn travel(&mut self, mut state: State, k: usize, [from, to]: [f64; 2]) {
        const STEPS: usize = 20;
        let h = (to - from) / (state.v[k] * STEPS as f64);
        for i in 0..STEPS {
            let at = |share: f64| from + (to - from) * (i as f64 + share) / STEPS as f64;
            let start = self.own.clone();
            for (share, x) in [(0.5, at(0.0)), (1.0, at(0.5))] {
                state.q[k] = x;
                let rates = self.rates(&state);
                for ((own, start), rate) in self.own.iter_mut().zip(&start).zip(rates) {
                    *own = start + share * h * rate;
                }
            }
        }
    }

    /// Makes a wheel that moves along x roll with these slips, its own states being steady.
    pub(super) fn slip(&mut self, state: &mut State, [along, across]: [f64; 2]) {
        // Without deflection of the tread the rate of the first state is r_e Ω − V.
        self.own.fill(0.0);
        let mut rate = |spin: f64| {
            state.v[4] = spin;
            self.rates(state).first().copied().unwrap_or(f64::NAN)
        };
        let (still, turning) = (rate(0.0), rate(1.0));
        let speed = state.v[0];
        state.v[4] = speed * (1.0 + along) / (turning - still);
        state.v[1] = speed * across;
        // Each rate falls with its own state, nearly in proportion.
        for _ in 0..20 {
            let rates = self.rates(state);
            for (k, rate) in rates.iter().enumerate() {
                let (own, h) = (self.own[k], 1e-6);
                self.own[k] = own + h;
                let slope = (self.rates(state).get(k).copied().unwrap_or(f64::NAN) - rate) / h;
                self.own[k] = own - rate / slope;
            }
        }
    }
}
