//! What turning frames ask of dual numbers, with derivatives by the chain rule over plain Jacobians.

use super::{Dual, sum};
use crate::{Inertia, PlaneTurn, SinCos, Sym3, Twist, Vec3, Wrench};
use wide::f64x4;

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

/// Derivatives of a vector, pack `k`.
#[inline(always)]
fn pack<const K: usize>(x: &Vec3<Dual<K>>, k: usize) -> [f64x4; 3] {
    [
        f64x4::new(x.0[0].d[k]),
        f64x4::new(x.0[1].d[k]),
        f64x4::new(x.0[2].d[k]),
    ]
}

/// s + c₀ x₀ + c₁ x₁ + c₂ x₂.
#[inline(always)]
fn plus(s: f64x4, [a, b, c]: [f64; 3], [x, y, z]: [f64x4; 3]) -> f64x4 {
    let s = x.mul_add(f64x4::splat(a), s);
    let s = y.mul_add(f64x4::splat(b), s);
    z.mul_add(f64x4::splat(c), s)
}

/// s + x y − z u.
#[inline(always)]
fn plus_lever(s: f64x4, (x, y): (f64x4, f64), (z, u): (f64x4, f64)) -> f64x4 {
    z.mul_neg_add(f64x4::splat(u), x.mul_add(f64x4::splat(y), s))
}

/// The derivative by ω of ω × (ω × p), with w = ω × p: δ = (ω·p) δω − p (ω·δω) − w × δω.
#[inline(always)]
fn centripetal_by_omega(omega: Vec3<f64>, w: Vec3<f64>, p: Vec3<f64>) -> [[f64; 3]; 3] {
    let s = omega.dot(p);
    let entry = |i: usize, j: usize, rest: f64| rest - p[i] * omega[j];
    [
        [entry(0, 0, s), entry(0, 1, w[2]), entry(0, 2, -w[1])],
        [entry(1, 0, -w[2]), entry(1, 1, s), entry(1, 2, w[0])],
        [entry(2, 0, w[1]), entry(2, 1, -w[0]), entry(2, 2, s)],
    ]
}

/// The derivative by ω of ω × I ω, with l = I ω: δ = ω × I δω − l × δω.
#[inline(always)]
fn gyroscopic_by_omega(omega: Vec3<f64>, l: Vec3<f64>, inertia: &Sym3<f64>) -> [[f64; 3]; 3] {
    let column = |j: usize| omega.cross(Vec3::from_fn(|i| inertia.at(i, j)));
    let (x, y, z) = (column(0), column(1), column(2));
    [
        [x[0], y[0] + l[2], z[0] - l[1]],
        [x[1] - l[2], y[1], z[1] + l[0]],
        [x[2] + l[1], y[2] - l[0], z[2]],
    ]
}

/// a + α × p + ω × (ω × p), pack by pack: what belongs to one fits into registers.
#[inline(always)]
pub(super) fn carried<const K: usize>(
    omega: &Vec3<Dual<K>>,
    a: &Twist<Dual<K>>,
    p: Vec3<f64>,
) -> Vec3<Dual<K>> {
    let o = omega.value();
    let w = o.cross(p);
    let y = a.linear.value().plus_cross(a.angular.value(), p).plus_cross(o, w);
    let jacobian = centripetal_by_omega(o, w, p);
    let mut r = Vec3::<Dual<K>>::constant(y);
    for k in 0..K {
        let (by, alpha, linear) = (pack(omega, k), pack(&a.angular, k), pack(&a.linear, k));
        for i in 0..3 {
            let (b, c) = ((i + 1) % 3, (i + 2) % 3);
            let s = plus_lever(linear[i], (alpha[b], p[c]), (alpha[c], p[b]));
            r.0[i].d[k] = plus(s, jacobian[i], by).to_array();
        }
    }
    r
}

/// [`Inertia::newton_euler`], pack by pack.
#[inline(always)]
pub(super) fn newton_euler<const K: usize>(
    inertia: &Inertia,
    omega: &Vec3<Dual<K>>,
    a: &Twist<Dual<K>>,
    out: &mut Wrench<Dual<K>>,
) {
    let (m, h, second) = (inertia.mass, inertia.first, &inertia.second);
    let (o, alpha, linear) = (omega.value(), a.angular.value(), a.linear.value());
    let (w, l) = (o.cross(h), second.times(o));
    let force = linear.scale(m).plus_cross(alpha, h).plus_cross(o, w);
    let moment = second.times(alpha).minus_cross(linear, h).plus_cross(o, l);
    let force_by = centripetal_by_omega(o, w, h);
    let moment_by = gyroscopic_by_omega(o, l, second);
    for i in 0..3 {
        out.force.0[i].v = force[i];
        out.moment.0[i].v = moment[i];
    }
    for k in 0..K {
        let (by, alpha, linear) = (pack(omega, k), pack(&a.angular, k), pack(&a.linear, k));
        for i in 0..3 {
            let (b, c) = ((i + 1) % 3, (i + 2) % 3);
            let s = linear[i] * f64x4::splat(m);
            let s = plus_lever(s, (alpha[b], h[c]), (alpha[c], h[b]));
            out.force.0[i].d[k] = plus(s, force_by[i], by).to_array();
            let s = plus_lever(f64x4::ZERO, (linear[c], h[b]), (linear[b], h[c]));
            let s = plus(s, [second.at(i, 0), second.at(i, 1), second.at(i, 2)], alpha);
            out.moment.0[i].d[k] = plus(s, moment_by[i], by).to_array();
        }
    }
}
