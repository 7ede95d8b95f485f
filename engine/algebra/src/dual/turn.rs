//! What turning frames ask of dual numbers, with derivatives by the chain rule over plain Jacobians.

use super::Dual;
use super::orientation::sum;
use crate::{PlaneTurn, SinCos, Sym3, Vec3};

/// A turn by an angle with derivatives: those of the angle only.
#[derive(Clone, Copy, Debug)]
pub struct DualTurn<const K: usize> {
    pub(super) plain: SinCos<f64>,
    pub(super) angle: [[f64; 4]; K],
}

impl<const K: usize> DualTurn<K> {
    #[inline(always)]
    pub(super) fn new(angle: Dual<K>) -> Self {
        Self {
            plain: SinCos::new(angle.v),
            angle: angle.d,
        }
    }
}

impl<const K: usize> PlaneTurn<Dual<K>> for DualTurn<K> {
    type Part = Dual<K>;
    #[inline(always)]
    fn sin(&self) -> Dual<K> {
        let SinCos { sin, cos } = self.plain;
        Dual {
            v: sin,
            d: sum([(cos, &self.angle)], None),
        }
    }
    #[inline(always)]
    fn cos(&self) -> Dual<K> {
        let SinCos { sin, cos } = self.plain;
        Dual {
            v: cos,
            d: sum([(-sin, &self.angle)], None),
        }
    }
    #[inline(always)]
    fn value(&self) -> SinCos<f64> {
        self.plain
    }
    #[inline(always)]
    fn forward(&self, b: Dual<K>, c: Dual<K>) -> [Dual<K>; 2] {
        let SinCos { sin, cos } = self.plain;
        let [x, y] = self.plain.forward(b.v, c.v);
        [
            Dual {
                v: x,
                d: sum([(cos, &b.d), (-sin, &c.d), (-y, &self.angle)], None),
            },
            Dual {
                v: y,
                d: sum([(sin, &b.d), (cos, &c.d), (x, &self.angle)], None),
            },
        ]
    }
    #[inline(always)]
    fn back(&self, b: Dual<K>, c: Dual<K>) -> [Dual<K>; 2] {
        let SinCos { sin, cos } = self.plain;
        let [x, y] = self.plain.back(b.v, c.v);
        [
            Dual {
                v: x,
                d: sum([(cos, &b.d), (sin, &c.d), (y, &self.angle)], None),
            },
            Dual {
                v: y,
                d: sum([(cos, &c.d), (-sin, &b.d), (-x, &self.angle)], None),
            },
        ]
    }
}

/// y with the derivatives of `a` and J δω.
#[inline(always)]
fn with_slopes<const K: usize>(
    y: Vec3<f64>,
    a: &Vec3<Dual<K>>,
    jacobian: [[f64; 3]; 3],
    omega: &Vec3<Dual<K>>,
) -> Vec3<Dual<K>> {
    let [p, q, r] = &omega.0;
    Vec3::from_fn(|i| {
        let [a1, a2, a3] = jacobian[i];
        Dual {
            v: y[i],
            d: sum([(a1, &p.d), (a2, &q.d), (a3, &r.d)], Some(&a.0[i].d)),
        }
    })
}

/// a + ω × (ω × p): with w = ω × p, δ = (ω·p) δω − p (ω·δω) − w × δω.
#[inline(always)]
pub(super) fn plus_centripetal<const K: usize>(
    a: &Vec3<Dual<K>>,
    omega: &Vec3<Dual<K>>,
    p: Vec3<f64>,
) -> Vec3<Dual<K>> {
    let o = omega.value();
    let w = o.cross(p);
    let s = o.dot(p);
    let [wx, wy, wz] = w.0;
    let entry = |i: usize, j: usize, rest: f64| rest - p[i] * o[j];
    let jacobian = [
        [entry(0, 0, s), entry(0, 1, wz), entry(0, 2, -wy)],
        [entry(1, 0, -wz), entry(1, 1, s), entry(1, 2, wx)],
        [entry(2, 0, wy), entry(2, 1, -wx), entry(2, 2, s)],
    ];
    with_slopes(a.value().plus_cross(o, w), a, jacobian, omega)
}

/// m + ω × I ω: with l = I ω, δ = ω × I δω − l × δω.
#[inline(always)]
pub(super) fn plus_gyroscopic<const K: usize>(
    m: &Vec3<Dual<K>>,
    omega: &Vec3<Dual<K>>,
    inertia: &Sym3<f64>,
) -> Vec3<Dual<K>> {
    let o = omega.value();
    let l = inertia.times(o);
    let column = |j: usize| o.cross(Vec3::from_fn(|i| inertia.at(i, j)));
    let (x, y, z) = (column(0), column(1), column(2));
    let jacobian = [
        [x[0], y[0] + l[2], z[0] - l[1]],
        [x[1] - l[2], y[1], z[1] + l[0]],
        [x[2] + l[1], y[2] - l[0], z[2]],
    ];
    with_slopes(m.value().plus_cross(o, l), m, jacobian, omega)
}
