//! Orientations of dual numbers: a plain matrix and small turns.

use super::{Dual, DualTurn, sum};
use crate::{Articulated, Fused, Mat3, Orientation, Oriented, Rotation, Sym3, Vec3};

/// A rotation matrix R with derivatives δR = \[δθ\] R; see [`Orientation`].
#[derive(Clone, Copy, Debug)]
pub struct DualOrientation<const K: usize> {
    matrix: Mat3<f64>,
    /// δθ, by component.
    turn: [[[f64; 4]; K]; 3],
}

impl<const K: usize> DualOrientation<K> {
    /// The same orientation with the turn along direction `i` set to `turn`.
    pub fn with_turn(mut self, i: usize, turn: Vec3<f64>) -> Self {
        for (lanes, turn) in self.turn.iter_mut().zip(turn.0) {
            lanes[i / 4][i % 4] = turn;
        }
        self
    }

    /// y with derivatives δθ × y.
    #[inline(always)]
    fn carried(&self, y: Vec3<f64>) -> Vec3<Dual<K>> {
        let t = &self.turn;
        Vec3::from_fn(|i| {
            let (a, b) = ((i + 1) % 3, (i + 2) % 3);
            Dual {
                v: y[i],
                d: sum([(y[b], &t[a]), (-y[a], &t[b])], None),
            }
        })
    }
}

impl<const K: usize> Oriented<Dual<K>> for DualOrientation<K> {
    #[inline]
    fn after(&self, a: &Self) -> Self {
        let (m, o) = (&a.matrix.0, &self.turn);
        let turn = |i: usize| {
            sum(
                [(m[i][0], &o[0]), (m[i][1], &o[1]), (m[i][2], &o[2])],
                Some(&a.turn[i]),
            )
        };
        Self {
            matrix: a.matrix.matrix(&self.matrix),
            turn: [turn(0), turn(1), turn(2)],
        }
    }
}

impl<const K: usize> Orientation<Dual<K>> for DualOrientation<K> {
    #[inline]
    fn constant(m: &Mat3<f64>) -> Self {
        Self {
            matrix: *m,
            turn: [[[0.0; 4]; K]; 3],
        }
    }
    #[inline(always)]
    fn value(&self) -> Mat3<f64> {
        self.matrix
    }
    #[inline]
    fn to_matrix(&self) -> Mat3<Dual<K>> {
        Mat3::from_columns(self.column(0), self.column(1), self.column(2))
    }
    #[inline(always)]
    fn column(&self, j: usize) -> Vec3<Dual<K>> {
        self.carried(self.matrix.column(j))
    }
    #[inline(always)]
    fn times(&self, v: Vec3<Dual<K>>) -> Vec3<Dual<K>> {
        let y = self.matrix.times(v.value());
        let (m, t, [p, q, r]) = (&self.matrix.0, &self.turn, &v.0);
        Vec3::from_fn(|i| {
            let (a, b) = ((i + 1) % 3, (i + 2) % 3);
            let terms = [
                (m[i][0], &p.d),
                (m[i][1], &q.d),
                (m[i][2], &r.d),
                (y[b], &t[a]),
                (-y[a], &t[b]),
            ];
            Dual {
                v: y[i],
                d: sum(terms, None),
            }
        })
    }
    #[inline(always)]
    fn times_constant(&self, v: Vec3<f64>) -> Vec3<Dual<K>> {
        self.carried(self.matrix.times(v))
    }
    #[inline(always)]
    fn transpose_times(&self, v: Vec3<Dual<K>>) -> Vec3<Dual<K>> {
        // Rᵀ (δv − δθ × v)
        let x = v.value();
        let y = self.matrix.transpose_times(x);
        let (m, t) = (&self.matrix.0, &self.turn);
        let seen = |i: usize| {
            let (a, b) = ((i + 1) % 3, (i + 2) % 3);
            sum([(-x[b], &t[a]), (x[a], &t[b])], Some(&v.0[i].d))
        };
        let d = [seen(0), seen(1), seen(2)];
        Vec3::from_fn(|j| Dual {
            v: y[j],
            d: sum([(m[0][j], &d[0]), (m[1][j], &d[1]), (m[2][j], &d[2])], None),
        })
    }
    #[inline(always)]
    fn then_constant(&self, m: &Mat3<f64>) -> Self {
        Self {
            matrix: self.matrix.matrix(m),
            turn: self.turn,
        }
    }
    #[inline]
    fn relative(&self, o: &Self) -> Self {
        let (m, t, u) = (&self.matrix.0, &self.turn, &o.turn);
        let turn = |j: usize| {
            let c = [m[0][j], m[1][j], m[2][j]];
            let terms = [
                (c[0], &u[0]),
                (c[1], &u[1]),
                (c[2], &u[2]),
                (-c[0], &t[0]),
                (-c[1], &t[1]),
                (-c[2], &t[2]),
            ];
            sum(terms, None)
        };
        Self {
            matrix: Orientation::<f64>::relative(&self.matrix, &o.matrix),
            turn: [turn(0), turn(1), turn(2)],
        }
    }
    #[inline(always)]
    fn turned<const A: usize>(&self, by: &DualTurn<K>) -> Self {
        let turn = |i: usize| sum([(self.matrix.0[i][A], &by.angle)], Some(&self.turn[i]));
        Self {
            matrix: Orientation::<f64>::turned::<A>(&self.matrix, &by.plain),
            turn: [turn(0), turn(1), turn(2)],
        }
    }
    #[inline(always)]
    fn set_turn_z(&mut self, m: &Mat3<f64>, by: &DualTurn<K>) {
        Orientation::<f64>::set_turn_z(&mut self.matrix, m, &by.plain);
        let turn = |i: usize| sum([(m.0[i][2], &by.angle)], None);
        self.turn = [turn(0), turn(1), turn(2)];
    }
    #[inline(always)]
    fn set_turn(&mut self, a: usize, by: &DualTurn<K>) {
        Orientation::<f64>::set_turn(&mut self.matrix, a, &by.plain);
        self.turn = [[[0.0; 4]; K]; 3];
        self.turn[a] = by.angle;
    }
    #[inline(always)]
    fn set_euler_parameters(&mut self, m: &Mat3<f64>, e: [Dual<K>; 4]) {
        let [a, b, c, d] = [e[0].v, e[1].v, e[2].v, e[3].v];
        Orientation::<f64>::set_euler_parameters(&mut self.matrix, m, [a, b, c, d]);
        // (0, δθ) = 2 δe ∘ ē/|e|², in the axes of M: a δu − u δa − δu × u with e = (a, u).
        let k = 2.0 / (a * a + b * b + c * c + d * d);
        let (a, b, c, d) = (k * a, k * b, k * c, k * d);
        let [da, db, dc, dd] = [&e[0].d, &e[1].d, &e[2].d, &e[3].d];
        let own = [
            sum([(a, db), (-b, da), (-d, dc), (c, dd)], None),
            sum([(a, dc), (-c, da), (-b, dd), (d, db)], None),
            sum([(a, dd), (-d, da), (-c, db), (b, dc)], None),
        ];
        let m = &m.0;
        let turn = |i: usize| sum([(m[i][0], &own[0]), (m[i][1], &own[1]), (m[i][2], &own[2])], None);
        self.turn = [turn(0), turn(1), turn(2)];
    }
}

impl<const K: usize> Rotation<Dual<K>> for DualOrientation<K> {
    #[inline(always)]
    fn to_parent(&self, v: Vec3<Dual<K>>) -> Vec3<Dual<K>> {
        self.times(v)
    }
    #[inline(always)]
    fn to_child(&self, v: Vec3<Dual<K>>) -> Vec3<Dual<K>> {
        self.transpose_times(v)
    }
    fn symmetric_to_parent(&self, s: &Sym3<Dual<K>>) -> Sym3<Dual<K>> {
        self.to_matrix().symmetric_to_parent(s)
    }
    fn matrix_to_parent(&self, a: &Mat3<Dual<K>>) -> Mat3<Dual<K>> {
        self.to_matrix().matrix_to_parent(a)
    }
    fn add_inertia<P: Copy>(&self, i: &Articulated<Dual<K>>, p: Vec3<P>, parent: &mut Articulated<Dual<K>>)
    where
        Dual<K>: Fused<P>,
    {
        self.to_matrix().add_inertia(i, p, parent);
    }
}
