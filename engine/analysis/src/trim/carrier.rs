//! The body that goes round: coordinates that carry it, and the velocities and accelerations they need
//! for a steady turn.
//!
//! With the twist τ = (velocity of the origin, angular velocity) in the axes of the ground, τ = J c,
//! where c are the rates of all coordinates between the ground and the body, prescribed ones among them.
//! A steady turn has τ = (V cos ψ, V sin ψ, 0, 0, 0, r) and τ̇ = (−r V sin ψ, r V cos ψ, 0, 0, 0, 0); so
//! c = J⁻¹ τ and ċ = J⁻¹ (τ̇ − J̇ c), whatever coordinates the joint has.

use super::TrimError;
use crate::dense::{Lu, Matrix};
use crate::tangent::Equation;
use holonom_multibody::model::JointPlace;
use holonom_multibody::{Model, Signal};

/// Step of differences along the motion, s·(m/s).
const STEP: f64 = 1e-3;

/// A coordinate between the ground and the body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// A velocity.
    Free(usize),
    /// A signal that prescribes it.
    Prescribed(usize),
}

/// The body and its coordinates.
#[derive(Clone, Debug)]
pub(super) struct Carrier {
    pub body: usize,
    pub places: Vec<Place>,
}

/// Rates of the coordinates of the carrier in a steady turn.
#[derive(Clone, Debug)]
pub(super) struct Rates {
    pub first: Vec<f64>,
    pub second: Vec<f64>,
}

impl Carrier {
    /// The heaviest body that moves freely against the ground.
    pub fn find(model: &Model) -> Result<Self, TrimError> {
        let free = model.joints.iter().filter_map(|joint| match &joint.place {
            JointPlace::Tree { nodes, .. } if joint.kind.info().moves_freely => {
                let first = model.tree.nodes.get(nodes.start)?;
                (first.parent == 0).then_some(nodes.clone())
            }
            _ => None,
        });
        let bodies = free.filter_map(|nodes| {
            let on = |body: &usize| nodes.contains(&model.bodies[*body].node);
            let body = (1..model.bodies.len()).find(on)?;
            Some((body, nodes))
        });
        let heavier = |a: &(usize, _), b: &(usize, _)| {
            let mass = |body: usize| model.bodies[body].mass;
            mass(a.0).total_cmp(&mass(b.0)).then(b.0.cmp(&a.0))
        };
        let (body, nodes) = bodies.max_by(heavier).ok_or(TrimError::NoCarrier)?;
        let mut places = Vec::new();
        for node in nodes {
            let node = &model.tree.nodes[node];
            match node.prescribed {
                Some(signal) => places.push(Place::Prescribed(signal)),
                None => places.extend((node.v..node.v + node.n_v()).map(Place::Free)),
            }
        }
        if places.len() != 6 {
            return Err(TrimError::Locked {
                body: model.bodies[body].name.clone(),
            });
        }
        Ok(Self { body, places })
    }

    /// Velocities among them.
    pub fn velocities(&self) -> Vec<usize> {
        let free = |place: &Place| match place {
            Place::Free(i) => Some(*i),
            Place::Prescribed(_) => None,
        };
        self.places.iter().filter_map(free).collect()
    }

    /// J at positions q, and prescribed values as they are in the model.
    fn jacobian(&self, model: &mut Model, t: f64, q: &[f64]) -> Matrix {
        let n = model.tree.n_v;
        let mut out = Matrix::zeros(6, 6);
        let kept: Vec<Signal> = model.signals.clone();
        for (j, place) in self.places.iter().enumerate() {
            let mut v = vec![0.0; n];
            for other in &self.places {
                if let Place::Prescribed(k) = other {
                    model.signals[*k] = Signal::constant(kept[*k].evaluate(t)[0]);
                }
            }
            match place {
                Place::Free(i) => v[*i] = 1.0,
                Place::Prescribed(k) => {
                    let value = kept[*k].evaluate(t)[0];
                    model.signals[*k] = Signal::linear(value - t, 1.0);
                }
            }
            let snapshot = model.snapshot(t, q, &v);
            let turn = snapshot.pose(self.body).rotation;
            let omega = turn.times(snapshot.angular_velocity(self.body));
            let (_, velocity) = snapshot.point(self.body, [0.0; 3]);
            out.column_mut(j)[..3].copy_from_slice(&velocity.0);
            out.column_mut(j)[3..].copy_from_slice(&omega.0);
        }
        model.signals = kept;
        out
    }

    /// Where the x axis of the body points, in the plane of the ground.
    pub fn heading(&self, model: &Model, t: f64, q: &[f64]) -> f64 {
        let v = vec![0.0; model.tree.n_v];
        let turn = model.snapshot(t, q, &v).pose(self.body).rotation;
        turn.0[1][0].atan2(turn.0[0][0])
    }

    /// Rates of its coordinates at a speed, a direction of it against the x axis and a yaw rate.
    pub fn rates(
        &self,
        model: &mut Model,
        equation: &Equation,
        (t, q): (f64, &[f64]),
        [speed, sideslip, yaw_rate]: [f64; 3],
    ) -> Result<Rates, TrimError> {
        let (sin, cos) = (self.heading(model, t, q) + sideslip).sin_cos();
        let mut first = vec![speed * cos, speed * sin, 0.0, 0.0, 0.0, yaw_rate];
        let mut second = vec![-yaw_rate * first[1], yaw_rate * first[0], 0.0, 0.0, 0.0, 0.0];
        let lu = Lu::new(self.jacobian(model, t, q));
        if lu.smallest_pivot() < 1e-9 {
            return Err(TrimError::Locked {
                body: model.bodies[self.body].name.clone(),
            });
        }
        lu.solve(&mut first);
        // J̇ c by a central difference of fourth order along the motion.
        let along = |model: &mut Model, h: f64| -> Vec<f64> {
            let mut step = vec![0.0; model.tree.n_v];
            let kept = model.signals.clone();
            for (place, c) in self.places.iter().zip(&first) {
                match place {
                    Place::Free(i) => step[*i] = c * h,
                    Place::Prescribed(k) => {
                        model.signals[*k] = Signal::constant(kept[*k].evaluate(t)[0] + c * h);
                    }
                }
            }
            let q = equation.moved(q, &step);
            let out = self.jacobian(model, t, &q).times_vector(&first);
            model.signals = kept;
            out
        };
        let h = STEP / (1.0 + speed.abs() + yaw_rate.abs());
        let [a, b, c, d] = [h, -h, 2.0 * h, -2.0 * h].map(|h| along(model, h));
        for (k, s) in second.iter_mut().enumerate() {
            *s -= (8.0 * (a[k] - b[k]) - (c[k] - d[k])) / (12.0 * h);
        }
        lu.solve(&mut second);
        Ok(Rates { first, second })
    }

    /// Small displacements of all velocities' coordinates, and of prescribed ones, that move the body by
    /// a twist.
    pub fn displacement(
        &self,
        model: &mut Model,
        (t, q): (f64, &[f64]),
        twist: [f64; 6],
    ) -> Result<Vec<(Place, f64)>, TrimError> {
        let lu = Lu::new(self.jacobian(model, t, q));
        if lu.smallest_pivot() < 1e-9 {
            return Err(TrimError::Locked {
                body: model.bodies[self.body].name.clone(),
            });
        }
        let mut c = twist.to_vec();
        lu.solve(&mut c);
        Ok(self.places.iter().copied().zip(c).collect())
    }
}
