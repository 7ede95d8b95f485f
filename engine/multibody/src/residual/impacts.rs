//! Impacts: where contacts open and close, and how velocities jump there.
//!
//! A contact is one *switched* row: the gap g ≥ 0 between a body and a plane, u := ġ = G v + g_t.
//! While it is open its multiplier is zero; while it is closed, g = 0 is a constraint as any other.
//! Which it is, is a discrete variable of the equations.
//!
//! * An open contact that closes with u⁻ < 0 is **hit**. With the rows that hold (all constraints and
//!   closed contacts) and the contacts that are hit, the impulses P and the new velocities follow from
//!   ```text
//!   M (v⁺ − v⁻) = Gᵀ P
//!   G v⁺ + g_t  = 0           rows that hold
//!   G v⁺ + g_t  = −e u⁻       contacts that are hit [Newton]
//!   ```
//!   A closed contact cannot be pulled: where P < 0 it opens, and the system is solved without it.
//!   Hits that a jump causes elsewhere come next, at the same time, until nothing approaches.
//! * A rebound slower than the rest speed **closes** the contact, u⁺ = 0, when the accelerations then
//!   press on it: so an accumulation of ever smaller hits ends.
//! * A closed contact whose multiplier would pull **opens**.
//!
//! The state is left consistent: v̇, λ and the rates of own states are those after the event.

use super::Equations;
use super::equations::Contact;
use crate::elements::constraints::TOUCHING;
use crate::formalism::cholesky;
use crate::mechanical::MechanicalModel;
use holonom_dae::Direction;
use holonom_dae::{Event, EventAction, EventState, Mechanical, Rejection};

/// Rounds of hits at one time after which all further rebounds are rest.
const ROUNDS: usize = 100;

/// A pivot of G M⁻¹ Gᵀ below this part of its diagonal entry is that of a dependent row.
const DEPENDENT: f64 = 1e-11;

/// A gap, m, that needs no correction when its contact closes.
const CLOSED_GAP: f64 = 1e-13;

impl Contact {
    /// Whether an open contact with this gap and speed is about to be hit. One that touches and
    /// approaches slower than the rest speed is not, until it is deeper than rounding: it rests, or
    /// has just left.
    fn approaches(&self, gap: f64, speed: f64) -> bool {
        speed < 0.0 && (speed < -self.rest_speed || gap < -TOUCHING)
    }
}

impl Equations {
    pub(super) fn contact_events(&self) -> Vec<Event> {
        let event = |c: &Contact| Event::new(format!("impact `{}`", c.name)).direction(Direction::Falling);
        self.contacts.iter().map(event).collect()
    }

    /// One function per contact, positive as long as nothing happens. It jumps where it need not be
    /// continuous, away from zero, so that its sign is never that of rounding: open, it is the gap
    /// of a contact that approaches; closed, the force ±1.
    pub(super) fn contact_values(
        &self,
        gaps: &[f64],
        speeds: &[f64],
        lambda: &[f64],
        discrete: &[f64],
        values: &mut [f64],
    ) {
        for (k, contact) in self.contacts.iter().enumerate() {
            values[k] = if discrete[k] != 0.0 {
                // M v̇ = f − Gᵀλ: a negative λ presses.
                let force = -lambda[k];
                if force > 0.0 { force + 1.0 } else { force - 1.0 }
            } else if contact.approaches(gaps[k], speeds[k]) {
                gaps[k]
            } else {
                gaps[k].max(1.0)
            };
        }
    }

    /// What happens at an event of contact number `event`, and of all others at that time.
    pub(super) fn switch(&self, event: usize, state: EventState<'_>) -> EventAction {
        match self.try_switch(event, state) {
            Ok(true) => EventAction::Restart,
            Ok(false) => EventAction::Continue,
            // Nothing sensible can follow where the mechanism cannot be evaluated.
            Err(_) => EventAction::Stop,
        }
    }

    fn try_switch(&self, event: usize, state: EventState<'_>) -> Result<bool, Rejection> {
        let l = self.layout();
        let (m, first) = (self.active.len(), self.active.len() - self.contacts.len());
        let mut active = self.active.clone();
        if let Some(loops) = &self.loops {
            loops.follow(state.discrete, &mut active);
        }
        let mut mechanical = MechanicalModel::new(self.model.clone(), active);
        mechanical.workspace().set_sides(state.discrete);
        mechanical.set_states(&state.y[l.x.clone()]);
        mechanical.set_readings(&state.y[l.readings.clone()]);
        let mut q = state.y[l.q.clone()].to_vec();
        let mut v = state.y[l.v.clone()].to_vec();
        let mut closed: Vec<bool> = self
            .open_or_closed(state.discrete)
            .iter()
            .map(|&c| c != 0.0)
            .collect();
        let before = closed.clone();
        let lifted = closed[event] && state.y[l.lambda.start + first + event] >= 0.0;
        if lifted {
            closed[event] = false;
        }

        let mut jump = Jump::new(&mut mechanical, state.t, &q)?;
        let mut gaps = vec![0.0; m];
        mechanical.constraint(state.t, &q, &mut gaps)?;
        let touching = |k: usize| gaps[first + k] <= TOUCHING || before[k];
        let (mut lambda, mut a) = (vec![0.0; m], vec![0.0; v.len()]);
        let mut hit = false;
        for round in 0..=ROUNDS {
            // Hits.
            let speeds = jump.speeds(&v);
            let approaches = |k: usize| self.contacts[k].approaches(gaps[first + k], speeds[first + k]);
            let hits: Vec<usize> = (0..closed.len())
                .filter(|&k| !closed[k] && touching(k) && approaches(k))
                .collect();
            if hits.is_empty() && round > 0 {
                break;
            }
            if !hits.is_empty() {
                hit = true;
                self.hit(&jump, &hits, round == ROUNDS, &speeds, &mut closed, &mut v);
                // Others may be hit by that, before anything comes to rest.
                let speeds = jump.speeds(&v);
                let approaches = |k: usize| self.contacts[k].approaches(gaps[first + k], speeds[first + k]);
                if round < ROUNDS && (0..closed.len()).any(|k| !closed[k] && touching(k) && approaches(k)) {
                    continue;
                }
            }
            // Rest: what touches and hardly moves closes.
            let speeds = jump.speeds(&v);
            for (k, contact) in self.contacts.iter().enumerate() {
                let slow = speeds[first + k].abs() < contact.rest_speed;
                closed[k] |= touching(k) && slow && !(lifted && k == event);
            }
            if !hit && !lifted && closed == before {
                return Ok(false);
            }
            let rebound = std::mem::take(&mut v);
            let mut wanted = closed.clone();
            loop {
                closed.copy_from_slice(&wanted);
                v = rebound.clone();
                let rows = self.holding(&closed);
                let (_, dependent) = jump.strike(&rows, &vec![0.0; rows.len()], &mut v);
                // What the others imply carries nothing.
                let implied = rows
                    .iter()
                    .zip(&dependent)
                    .filter(|(row, d)| **d && **row >= first);
                implied.for_each(|(row, _)| closed[row - first] = false);
                let at = (state.t, q.as_slice(), v.as_slice());
                self.accelerations(&mut mechanical, at, &closed, &mut lambda, &mut a)?;
                // What would be pulled opens, the worst first; others may then be needed again.
                let pulled = (0..closed.len()).filter(|&k| closed[k] && lambda[first + k] >= 0.0);
                match pulled.max_by(|&i, &j| lambda[first + i].total_cmp(&lambda[first + j])) {
                    Some(k) => wanted[k] = false,
                    None => break,
                }
            }
        }
        let newly = (0..closed.len()).filter(|&k| closed[k] && !before[k]);
        if newly.into_iter().any(|k| gaps[first + k].abs() > CLOSED_GAP) {
            let rows = self.holding(&closed);
            jump = self.close_gaps(&mut mechanical, state.t, &rows, &mut q)?;
            jump.strike(&rows, &vec![0.0; rows.len()], &mut v);
            self.accelerations(&mut mechanical, (state.t, &q, &v), &closed, &mut lambda, &mut a)?;
        }

        for (d, &c) in state.discrete.iter_mut().zip(&closed) {
            *d = f64::from(u8::from(c));
        }
        state.y[l.q.clone()].copy_from_slice(&q);
        state.y[l.v.clone()].copy_from_slice(&v);
        state.y[l.lambda.clone()].copy_from_slice(&lambda);
        mechanical.velocity_map(&q, &v, &mut state.yp[l.q.clone()]);
        state.yp[l.v.clone()].copy_from_slice(&a);
        mechanical.state_rates(state.t, &q, &v, &lambda, &mut state.yp[l.x.clone()])?;
        state.yp[l.lambda.clone()].fill(0.0);
        mechanical.readings(&mut state.y[l.readings.clone()]);
        state.yp[l.readings.clone()].fill(0.0);
        for range in [l.eta.clone(), l.sigma.clone()] {
            state.y[range.clone()].fill(0.0);
            state.yp[range].fill(0.0);
        }
        Ok(true)
    }

    /// Places of the rows that hold: constraints and closed contacts.
    fn holding(&self, closed: &[bool]) -> Vec<usize> {
        let first = self.active.len() - self.contacts.len();
        let contacts = (0..closed.len()).filter(|&k| closed[k]).map(|k| first + k);
        (0..first).chain(contacts).collect()
    }

    /// One round of hits, all at once. Contacts that the impulses would pull on take no part.
    fn hit(
        &self,
        jump: &Jump,
        hits: &[usize],
        rest: bool,
        speeds: &[f64],
        closed: &mut [bool],
        v: &mut Vec<f64>,
    ) {
        let first = self.active.len() - self.contacts.len();
        let mut hits = hits.to_vec();
        loop {
            let mut rows = self.holding(closed);
            let mut targets = vec![0.0; rows.len()];
            for &k in &hits {
                let kept = if rest { 0.0 } else { self.contacts[k].restitution };
                rows.push(first + k);
                targets.push(-kept * speeds[first + k]);
            }
            let mut after = v.clone();
            let (impulses, _) = jump.strike(&rows, &targets, &mut after);
            // One that is hit takes part as long as it is the only one: it approaches.
            let pulled = rows
                .iter()
                .zip(&impulses)
                .filter(|(row, p)| **row >= first && **p < 0.0);
            let worst = pulled
                .min_by(|x, y| x.1.total_cmp(y.1))
                .map(|(row, _)| row - first);
            match worst {
                Some(k) if closed[k] => closed[k] = false,
                Some(k) if hits.len() > 1 => hits.retain(|&h| h != k),
                _ => {
                    *v = after;
                    return;
                }
            }
        }
    }

    fn accelerations(
        &self,
        mechanical: &mut MechanicalModel,
        (t, q, v): (f64, &[f64], &[f64]),
        closed: &[bool],
        lambda: &mut [f64],
        a: &mut [f64],
    ) -> Result<(), Rejection> {
        let discrete: Vec<f64> = closed.iter().map(|&c| f64::from(u8::from(c))).collect();
        mechanical.set_discrete(&discrete);
        let done = mechanical.accelerations(t, q, v, lambda, a);
        // The rows of all contacts are asked for elsewhere.
        mechanical.set_discrete(&vec![1.0; closed.len()]);
        done
    }

    /// Moves q, the least in the metric of M, until the given rows are zero; gives the jump there.
    fn close_gaps(
        &self,
        mechanical: &mut MechanicalModel,
        t: f64,
        rows: &[usize],
        q: &mut [f64],
    ) -> Result<Jump, Rejection> {
        let mut jump = Jump::new(mechanical, t, q)?;
        let mut gaps = vec![0.0; self.active.len()];
        let mut rates = vec![0.0; q.len()];
        for _ in 0..4 {
            mechanical.constraint(t, q, &mut gaps)?;
            let right: Vec<f64> = rows.iter().map(|&row| -gaps[row]).collect();
            if right.iter().all(|g| g.abs() <= CLOSED_GAP) {
                break;
            }
            let mut x = vec![0.0; jump.n];
            jump.push(rows, right, &mut x);
            mechanical.velocity_map(q, &x, &mut rates);
            q.iter_mut().zip(&rates).for_each(|(q, x)| *q += x);
            mechanical.normalise(q);
            jump = Jump::new(mechanical, t, q)?;
        }
        Ok(jump)
    }
}

/// Jumps of the velocities at one position.
struct Jump {
    n: usize,
    m: usize,
    /// G, column by column.
    matrix: Vec<f64>,
    /// M⁻¹Gᵀ, column by column.
    solved: Vec<f64>,
    /// g_t.
    rate: Vec<f64>,
}

impl Jump {
    fn new(mechanical: &mut MechanicalModel, t: f64, q: &[f64]) -> Result<Self, Rejection> {
        let (n, m) = (mechanical.n_v(), mechanical.n_g());
        let (mut mass, mut matrix) = (vec![0.0; n * n], vec![0.0; m * n]);
        let (mut solved, mut rate) = (vec![0.0; m * n], vec![0.0; m]);
        mechanical.mass(t, q, &mut mass)?;
        cholesky::factorise(&mut mass, n).map_err(|_| Rejection::OutsideDomain)?;
        mechanical.constraint_matrix(t, q, &mut matrix)?;
        mechanical.constraint_rate(t, q, &mut rate)?;
        for i in 0..m {
            let column = &mut solved[i * n..(i + 1) * n];
            for j in 0..n {
                column[j] = matrix[j * m + i];
            }
            cholesky::solve(&mass, n, column);
        }
        Ok(Self {
            n,
            m,
            matrix,
            solved,
            rate,
        })
    }

    /// G v + g_t.
    fn speeds(&self, v: &[f64]) -> Vec<f64> {
        let mut u = self.rate.clone();
        for (j, v) in v.iter().enumerate() {
            for (i, u) in u.iter_mut().enumerate() {
                *u += self.matrix[j * self.m + i] * v;
            }
        }
        u
    }

    /// Changes v until G v + g_t of the given rows is at its target; gives the impulses and which
    /// rows the others before them imply.
    fn strike(&self, rows: &[usize], targets: &[f64], v: &mut [f64]) -> (Vec<f64>, Vec<bool>) {
        let mut impulses = vec![0.0; rows.len()];
        let mut dependent = Vec::new();
        // Again to remove the rounding of the first time.
        for _ in 0..2 {
            let u = self.speeds(v);
            let right = rows
                .iter()
                .zip(targets)
                .map(|(&row, target)| target - u[row])
                .collect();
            let (more, implied) = self.push(rows, right, v);
            impulses.iter_mut().zip(more).for_each(|(p, more)| *p += more);
            dependent = implied;
        }
        (impulses, dependent)
    }

    /// v := v + M⁻¹GᵀP with G M⁻¹Gᵀ P = right for the given rows. Cholesky; rows that depend on
    /// those before them take no part.
    fn push(&self, rows: &[usize], mut x: Vec<f64>, v: &mut [f64]) -> (Vec<f64>, Vec<bool>) {
        let (n, k) = (self.n, rows.len());
        let mut l = vec![0.0; k * k];
        let mut dependent = vec![false; k];
        for j in 0..k {
            for i in j..k {
                let solved = &self.solved[rows[j] * n..(rows[j] + 1) * n];
                let row = (0..n).map(|c| self.matrix[c * self.m + rows[i]]);
                l[j * k + i] = row.zip(solved).map(|(g, s)| g * s).sum();
            }
        }
        for j in 0..k {
            let diagonal = l[j * k + j];
            for c in 0..j {
                let factor = l[c * k + j];
                for i in j..k {
                    l[j * k + i] -= l[c * k + i] * factor;
                }
            }
            let pivot = l[j * k + j];
            dependent[j] = pivot.is_nan() || pivot <= DEPENDENT * diagonal;
            if dependent[j] {
                l[j * k..(j + 1) * k].fill(0.0);
                (0..j).for_each(|c| l[c * k + j] = 0.0);
                l[j * k + j] = 1.0;
                continue;
            }
            let root = pivot.sqrt();
            l[j * k + j..(j + 1) * k].iter_mut().for_each(|x| *x /= root);
            l[j * k + j] = root;
        }
        for (x, &d) in x.iter_mut().zip(&dependent) {
            if d {
                *x = 0.0;
            }
        }
        cholesky::solve(&l, k, &mut x);
        for (&row, p) in rows.iter().zip(&x) {
            let solved = &self.solved[row * n..(row + 1) * n];
            v.iter_mut().zip(solved).for_each(|(v, s)| *v += s * p);
        }
        (x, dependent)
    }
}
