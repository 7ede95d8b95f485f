//! [`Mechanics`]: a [`ConstrainedMotion`] as [`Mechanical`], derivatives by dual numbers.

use super::super::dense;
use super::ConstrainedMotion;
use crate::{ElementSet, Mechanical, Rejection};
use holonom_algebra::{Dual4, Real};

/// The parts of a [`ConstrainedMotion`], with the memory to evaluate them.
///
/// All forces together count as one element, number 0.
#[derive(Debug)]
pub struct Mechanics<P> {
    motion: P,
    n: usize,
    m: usize,
    mass: Vec<f64>,
    matrix: Vec<f64>,
    saddle: Vec<f64>,
    right: Vec<f64>,
    q4: Vec<Dual4>,
    v4: Vec<Dual4>,
    force4: Vec<Dual4>,
    matrix4: Vec<Dual4>,
    rate4: Vec<Dual4>,
}

impl<P: ConstrainedMotion> Mechanics<P> {
    /// Allocates everything evaluation needs.
    pub fn new(motion: P) -> Self {
        let (n, m) = (motion.positions().len(), motion.n_g());
        let duals = |size| vec![Dual4::zero(); size];
        Self {
            motion,
            n,
            m,
            mass: vec![0.0; n * n],
            matrix: vec![0.0; m * n],
            saddle: vec![0.0; (n + m) * (n + m)],
            right: vec![0.0; n + m],
            q4: duals(n),
            v4: duals(n),
            force4: duals(n),
            matrix4: duals(m * n),
            rate4: duals(m),
        }
    }

    /// The motion, to change its parameters.
    pub fn motion_mut(&mut self) -> &mut P {
        &mut self.motion
    }

    /// Takes q and v as constants into the dual arrays.
    fn load(&mut self, q: &[f64], v: &[f64]) {
        for (dual, x) in self.q4.iter_mut().chain(&mut self.v4).zip(q.iter().chain(v)) {
            *dual = Dual4::constant(*x);
        }
    }
}

impl<P: ConstrainedMotion> Mechanical for Mechanics<P> {
    fn n_q(&self) -> usize {
        self.n
    }

    fn n_v(&self) -> usize {
        self.n
    }

    fn n_g(&self) -> usize {
        self.m
    }

    fn n_elements(&self) -> usize {
        1
    }

    fn element_name(&self, _element: usize) -> &str {
        "forces"
    }

    fn mass(&mut self, t: f64, q: &[f64], mass: &mut [f64]) -> Result<(), Rejection> {
        mass.fill(0.0);
        self.motion.mass(t, q, mass);
        Ok(())
    }

    fn apply_mass(&mut self, t: f64, q: &[f64], x: &[f64], out: &mut [f64]) -> Result<(), Rejection> {
        self.mass.fill(0.0);
        self.motion.mass(t, q, &mut self.mass);
        out.fill(0.0);
        for (column, x) in self.mass.chunks_exact(self.n).zip(x) {
            for (out, entry) in out.iter_mut().zip(column) {
                *out += entry * x;
            }
        }
        Ok(())
    }

    fn solve_mass(&mut self, t: f64, q: &[f64], x: &mut [f64]) -> Result<(), Rejection> {
        self.mass.fill(0.0);
        self.motion.mass(t, q, &mut self.mass);
        dense::solve(self.n, &mut self.mass, x)
    }

    fn force(
        &mut self,
        t: f64,
        q: &[f64],
        v: &[f64],
        _lambda: &[f64],
        force: &mut [f64],
    ) -> Result<(), Rejection> {
        self.motion.force(t, q, v, force);
        Ok(())
    }

    fn force_derivative(
        &mut self,
        t: f64,
        q: &[f64],
        v: &[f64],
        _lambda: &[f64],
        x: &[f64],
        w: &[f64],
        out: &mut [f64],
    ) -> Result<(), Rejection> {
        self.load(q, v);
        for i in 0..self.n {
            self.q4[i] = self.q4[i].with_derivative(0, x[i]);
            self.v4[i] = self.v4[i].with_derivative(0, w[i]);
        }
        self.motion
            .force(Dual4::constant(t), &self.q4, &self.v4, &mut self.force4);
        for (out, f) in out.iter_mut().zip(&self.force4) {
            *out = f.derivative(0);
        }
        Ok(())
    }

    fn force_jacobians(
        &mut self,
        t: f64,
        q: &[f64],
        v: &[f64],
        _lambda: &[f64],
        elements: ElementSet<'_>,
        f_q: &mut [f64],
        f_v: &mut [f64],
    ) -> Result<(), Rejection> {
        f_q.fill(0.0);
        f_v.fill(0.0);
        if let ElementSet::Some(numbers) = elements
            && !numbers.contains(&0)
        {
            return Ok(());
        }
        let n = self.n;
        for by_velocity in [false, true] {
            for first in (0..n).step_by(4) {
                self.load(q, v);
                let columns = first..n.min(first + 4);
                let x = if by_velocity { &mut self.v4 } else { &mut self.q4 };
                for j in columns.clone() {
                    x[j] = x[j].with_derivative(j - first, 1.0);
                }
                self.motion
                    .force(Dual4::constant(t), &self.q4, &self.v4, &mut self.force4);
                let out = if by_velocity { &mut *f_v } else { &mut *f_q };
                for j in columns {
                    for i in 0..n {
                        out[i + j * n] = self.force4[i].derivative(j - first);
                    }
                }
            }
        }
        Ok(())
    }

    fn constraint(&mut self, t: f64, q: &[f64], g: &mut [f64]) -> Result<(), Rejection> {
        self.motion.constraint(t, q, g);
        Ok(())
    }

    fn constraint_matrix(&mut self, t: f64, q: &[f64], matrix: &mut [f64]) -> Result<(), Rejection> {
        matrix.fill(0.0);
        self.motion.constraint_matrix(t, q, matrix);
        Ok(())
    }

    fn constraint_rate(&mut self, t: f64, q: &[f64], g_t: &mut [f64]) -> Result<(), Rejection> {
        self.motion.constraint_rate(t, q, g_t);
        Ok(())
    }

    fn constraint_bias(&mut self, t: f64, q: &[f64], v: &[f64], gamma: &mut [f64]) -> Result<(), Rejection> {
        // The derivative of G v + g_t along ṫ = 1, q̇ = v, v̇ = 0.
        for i in 0..self.n {
            self.q4[i] = Dual4::constant(q[i]).with_derivative(0, v[i]);
        }
        let t4 = Dual4::variable(t, 0);
        self.motion.constraint_rate(t4, &self.q4, &mut self.rate4);
        self.motion.constraint_matrix(t4, &self.q4, &mut self.matrix4);
        for i in 0..self.m {
            gamma[i] = self.rate4[i].derivative(0);
            for j in 0..self.n {
                gamma[i] += self.matrix4[i + j * self.m].derivative(0) * v[j];
            }
        }
        Ok(())
    }

    fn accelerations(
        &mut self,
        t: f64,
        q: &[f64],
        v: &[f64],
        lambda: &mut [f64],
        accelerations: &mut [f64],
    ) -> Result<(), Rejection> {
        let (n, m) = (self.n, self.m);
        let size = n + m;
        self.mass.fill(0.0);
        self.motion.mass(t, q, &mut self.mass);
        self.motion.constraint_matrix(t, q, &mut self.matrix);
        // (M Gᵀ; G 0) (v̇; λ) = (f; −γ).
        self.saddle.fill(0.0);
        for j in 0..n {
            for i in 0..n {
                self.saddle[i + j * size] = self.mass[i + j * n];
            }
            for i in 0..m {
                self.saddle[n + i + j * size] = self.matrix[i + j * m];
                self.saddle[j + (n + i) * size] = self.matrix[i + j * m];
            }
        }
        let (force, bias) = self.right.split_at_mut(n);
        self.motion.force(t, q, v, force);
        self.motion.constraint_bias(t, q, v, bias);
        for b in bias {
            *b = -*b;
        }
        dense::solve(size, &mut self.saddle, &mut self.right)?;
        accelerations.copy_from_slice(&self.right[..n]);
        lambda.copy_from_slice(&self.right[n..]);
        Ok(())
    }
}
