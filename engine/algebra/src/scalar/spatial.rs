//! Spatial vectors and inertias: pairs of an angular and a linear part at one origin.
//!
//! A [`Twist`] holds velocities or accelerations (angular, linear at the origin), a [`Wrench`]
//! moment and force. Inertias map the one to the other:
//! `n = I ω + H v`, `f = Hᵀ ω + M v`.

use crate::{AxisRotation, Fused, Mat3, PlaneTurn, Real, Rotation, Sym3, Vec3};
use core::ops::{Add, AddAssign, Neg, Sub};

/// Angular and linear velocity or acceleration at one origin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Twist<T> {
    /// Angular part ω.
    pub angular: Vec3<T>,
    /// Linear part at the origin.
    pub linear: Vec3<T>,
}

/// Moment about one origin, and force.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wrench<T> {
    /// Moment about the origin.
    pub moment: Vec3<T>,
    /// Force.
    pub force: Vec3<T>,
}

impl<T: Real> Twist<T> {
    /// Angular and linear part.
    #[inline]
    pub fn new(angular: Vec3<T>, linear: Vec3<T>) -> Self {
        Self { angular, linear }
    }

    /// Nothing moves.
    #[inline]
    pub fn zero() -> Self {
        Self::new(Vec3::zero(), Vec3::zero())
    }

    /// Power of a wrench on this motion.
    #[inline]
    pub fn power<P: Copy>(&self, w: &Wrench<P>) -> T
    where
        T: Fused<P>,
    {
        self.angular.dot(w.moment) + self.linear.dot(w.force)
    }

    /// The motion of a parent at the origin and in the axes of its child, with the child's origin
    /// at `p` in the parent's frame.
    #[inline(always)]
    pub fn to_child<R: Rotation<T>, P: Copy>(&self, r: &R, p: Vec3<P>) -> Self
    where
        T: Fused<P>,
    {
        Self::new(
            r.to_child(self.angular),
            r.to_child(self.linear.plus_cross(self.angular, p)),
        )
    }

    /// The same motion seen at the point `p` away from the origin.
    #[inline]
    pub fn at<P: Copy>(&self, p: Vec3<P>) -> Self
    where
        T: Fused<P>,
    {
        Self::new(self.angular, self.linear.plus_cross(self.angular, p))
    }
}

impl<T: Real> Wrench<T> {
    /// Moment and force.
    #[inline]
    pub fn new(moment: Vec3<T>, force: Vec3<T>) -> Self {
        Self { moment, force }
    }

    /// No load.
    #[inline]
    pub fn zero() -> Self {
        Self::new(Vec3::zero(), Vec3::zero())
    }

    /// A force that acts at the point `p` away from the origin.
    #[inline]
    pub fn at_point(p: Vec3<T>, force: Vec3<T>) -> Self {
        Self::new(p.cross(force), force)
    }

    /// Multiplied by `k`.
    #[inline]
    pub fn scale(&self, k: T) -> Self {
        Self::new(self.moment.scale(k), self.force.scale(k))
    }

    /// The wrench of a child at its own origin and in its own axes, carried to the parent, with
    /// the child's origin at `p` in the parent's frame.
    #[inline]
    pub fn to_parent<R: Rotation<T>, P: Copy>(&self, r: &R, p: Vec3<P>) -> Self
    where
        T: Fused<P>,
    {
        let force = r.to_parent(self.force);
        // p × f = −f × p, with the constant on the right.
        Self::new(r.to_parent(self.moment).minus_cross(force, p), force)
    }

    /// Adds [`to_parent`](Self::to_parent) to a load of the parent.
    #[inline(always)]
    pub fn add_to_parent<R: Rotation<T>, P: Copy>(&self, r: &R, p: Vec3<P>, parent: &mut Self)
    where
        T: Fused<P>,
    {
        let force = r.to_parent(self.force);
        parent.moment = (parent.moment + r.to_parent(self.moment)).minus_cross(force, p);
        parent.force += force;
    }

    /// Adds `o` k.
    #[inline(always)]
    pub fn add_scaled<P: Copy>(&mut self, o: &Wrench<P>, k: T)
    where
        T: Fused<P>,
    {
        for i in 0..3 {
            self.moment[i] = self.moment[i].plus_product(k, o.moment[i]);
            self.force[i] = self.force[i].plus_product(k, o.force[i]);
        }
    }
}

macro_rules! linear {
    ($($name:ident { $a:ident, $b:ident }),*) => {$(
        impl<T: Real> Add for $name<T> {
            type Output = Self;
            #[inline]
            fn add(self, o: Self) -> Self {
                Self::new(self.$a + o.$a, self.$b + o.$b)
            }
        }
        impl<T: Real> Sub for $name<T> {
            type Output = Self;
            #[inline]
            fn sub(self, o: Self) -> Self {
                Self::new(self.$a - o.$a, self.$b - o.$b)
            }
        }
        impl<T: Real> Neg for $name<T> {
            type Output = Self;
            #[inline]
            fn neg(self) -> Self {
                Self::new(-self.$a, -self.$b)
            }
        }
        impl<T: Real> AddAssign for $name<T> {
            #[inline]
            fn add_assign(&mut self, o: Self) {
                *self = *self + o;
            }
        }
    )*};
}
linear!(Twist { angular, linear }, Wrench { moment, force });

/// Mass, first moment and moment of inertia of a rigid body about the origin of its frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Inertia {
    /// Mass m.
    pub mass: f64,
    /// First moment m c, with c the centre of mass.
    pub first: Vec3<f64>,
    /// Moment of inertia about the origin.
    pub second: Sym3<f64>,
}

impl Inertia {
    /// No mass.
    pub fn zero() -> Self {
        Self {
            mass: 0.0,
            first: Vec3::zero(),
            second: Sym3::zero(),
        }
    }

    /// From the mass, the centre of mass and the moment of inertia about the centre of mass.
    pub fn at_centre(mass: f64, centre: Vec3<f64>, central: &Sym3<f64>) -> Self {
        Self {
            mass,
            first: centre.scale(mass),
            second: *central + steiner(mass, centre),
        }
    }

    /// Expressed in the frame in which this one's frame has orientation `r` and origin `p`.
    pub fn moved(&self, r: &Mat3<f64>, p: Vec3<f64>) -> Self {
        if self.mass == 0.0 {
            return Self {
                second: self.second.rotated(r),
                ..*self
            };
        }
        let centre = self.first.scale(1.0 / self.mass);
        let central = self.second - steiner(self.mass, centre);
        Self::at_centre(self.mass, r.times(centre) + p, &central.rotated(r))
    }

    /// Whether there is no mass at all.
    pub fn is_zero(&self) -> bool {
        *self == Self::zero()
    }

    /// Momentum of a motion.
    #[inline]
    pub fn times<T: Real>(&self, v: &Twist<T>) -> Wrench<T> {
        Wrench::new(
            self.second.times(v.angular).minus_cross(v.linear, self.first),
            v.linear.scale(self.mass).plus_cross(v.angular, self.first),
        )
    }

    /// The forces that go with angular velocity ω and acceleration `a` (angular, and of the
    /// origin in the sense of a point's second derivative): Newton's and Euler's equations, with the
    /// first moment h and the second I: f = m a + α × h + ω × (ω × h), τ = I α + h × a + ω × I ω.
    #[inline(always)]
    pub fn newton_euler<T: Real>(&self, omega: &Vec3<T>, a: &Twist<T>, out: &mut Wrench<T>) {
        T::outlined(|| T::newton_euler(self, omega, a, out));
    }

    /// The part of [`newton_euler`](Self::newton_euler) that is quadratic in ω.
    #[inline(always)]
    pub fn gyroscopic<T: Real>(&self, omega: &Vec3<T>, out: &mut Wrench<T>) {
        T::outlined(|| {
            out.moment = omega.cross(self.second.times(*omega));
            out.force = omega.cross(omega.cross(self.first));
        })
    }
}

impl Add for Inertia {
    type Output = Self;
    fn add(self, o: Self) -> Self {
        Self {
            mass: self.mass + o.mass,
            first: self.first + o.first,
            second: self.second + o.second,
        }
    }
}

/// Moment of inertia of a point mass at `c`.
fn steiner(mass: f64, c: Vec3<f64>) -> Sym3<f64> {
    Sym3::diagonal(mass * c.norm_squared()).minus_outer(c, mass)
}

/// Composite inertia of several bodies: mass, first and second moment about one origin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Composite<T> {
    /// Mass.
    pub mass: f64,
    /// First moment.
    pub first: Vec3<T>,
    /// Moment of inertia about the origin.
    pub second: Sym3<T>,
}

impl<T: Real> Composite<T> {
    /// The inertia of one body.
    #[inline]
    pub fn new(i: &Inertia) -> Self {
        Self {
            mass: i.mass,
            first: Vec3::constant(i.first),
            second: Sym3::constant(&i.second),
        }
    }

    /// Carried to the parent's frame, with the child's origin at `p` there.
    #[inline]
    pub fn to_parent<R: Rotation<T>, P: Copy>(&self, r: &R, p: Vec3<P>) -> Self
    where
        T: Fused<P>,
    {
        T::outlined(|| {
            let h = r.to_parent(self.first);
            let s = r.symmetric_to_parent(&self.second);
            // With h' = h + m p and k = h + h': I' = I + (p·k) 1 − (p kᵀ + k pᵀ)/2.
            let mass = T::constant(self.mass);
            let first = Vec3::from_fn(|i| h[i].plus_product(mass, p[i]));
            let k = h + first;
            let l = k.scale(0.5);
            let m = &s.0;
            let diagonal =
                |i: usize, a: usize, b: usize| m[i].plus_product(k[a], p[a]).plus_product(k[b], p[b]);
            let beside =
                |i: usize, a: usize, b: usize| m[i].minus_product(l[a], p[b]).minus_product(l[b], p[a]);
            Self {
                mass: self.mass,
                first,
                second: Sym3([
                    diagonal(0, 1, 2),
                    diagonal(1, 2, 0),
                    diagonal(2, 0, 1),
                    beside(3, 0, 1),
                    beside(4, 1, 2),
                    beside(5, 2, 0),
                ]),
            }
        })
    }

    /// Adds another one about the same origin.
    #[inline]
    pub fn add(&mut self, o: &Self) {
        self.mass += o.mass;
        self.first += o.first;
        self.second = self.second + o.second;
    }
}

/// Articulated-body inertia: what a body feels like with everything that hangs on it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Articulated<T> {
    /// Force per linear acceleration, M.
    pub mass: Sym3<T>,
    /// Moment per linear acceleration, H.
    pub coupling: Mat3<T>,
    /// Moment per angular acceleration, I.
    pub inertia: Sym3<T>,
}

impl<T: Real> Articulated<T> {
    /// The inertia of one body.
    #[inline]
    pub fn new(i: &Inertia) -> Self {
        let [x, y, z] = Vec3::<T>::constant(i.first).0;
        let o = T::zero();
        Self {
            mass: Sym3::diagonal(T::constant(i.mass)),
            coupling: Mat3([[o, -z, y], [z, o, -x], [-y, x, o]]),
            inertia: Sym3::constant(&i.second),
        }
    }

    /// Becomes the inertia of one body.
    #[inline(always)]
    pub fn set(&mut self, i: &Inertia) {
        T::outlined(|| *self = Self::new(i));
    }

    /// The wrench that goes with an acceleration.
    #[inline]
    pub fn times(&self, a: &Twist<T>) -> Wrench<T> {
        let mut w = Wrench::zero();
        self.add_times(a, &mut w);
        w
    }

    /// Adds the wrench that goes with an acceleration.
    #[inline(always)]
    pub fn add_times(&self, a: &Twist<T>, out: &mut Wrench<T>) {
        T::outlined(|| {
            let (h, x) = (&self.coupling, a.linear);
            out.moment = h.times_plus(x, out.moment + self.inertia.times(a.angular));
            out.force = h.transpose_times_plus(a.angular, out.force + self.mass.times(x));
        })
    }

    /// self − u uᵀ k.
    #[inline]
    pub fn minus_outer(&self, u: &Wrench<T>, k: T) -> Self {
        T::outlined(|| {
            let f = u.force.scale(k);
            let mut coupling = self.coupling;
            for i in 0..3 {
                for j in 0..3 {
                    coupling.0[i][j] = coupling.0[i][j].minus_product(u.moment[i], f[j]);
                }
            }
            Self {
                mass: self.mass.minus_outer(u.force, k),
                coupling,
                inertia: self.inertia.minus_outer(u.moment, k),
            }
        })
    }

    /// Adds `o` about the origin from which its own is at `p`.
    #[inline(always)]
    pub fn add_shifted<P: Copy>(&mut self, o: &Self, p: Vec3<P>)
    where
        T: Fused<P>,
    {
        T::outlined(|| {
            // H' = H + [p]M, I' = I + [p]Hᵀ + H'[p]ᵀ.
            let h = &o.coupling.0;
            let moved = o.mass.crossed_plus(p, &o.coupling);
            let g = &moved.0;
            // (p × row j of H)[i] + (p × row i of H')[j]
            let entry = |i: usize, j: usize, s: T| {
                let (a, b) = ((i + 1) % 3, (i + 2) % 3);
                let s = s.plus_product(h[j][b], p[a]).minus_product(h[j][a], p[b]);
                let (a, b) = ((j + 1) % 3, (j + 2) % 3);
                s.plus_product(g[i][b], p[a]).minus_product(g[i][a], p[b])
            };
            let inertia = &mut self.inertia.0;
            for i in 0..3 {
                let j = (i + 1) % 3;
                inertia[i] = entry(i, i, inertia[i] + o.inertia.0[i]);
                inertia[3 + i] = entry(i, j, inertia[3 + i] + o.inertia.0[3 + i]);
            }
            self.mass += &o.mass;
            self.coupling += &moved;
        })
    }

    /// Adds the mass `m` that is at `p`; it resists no turning about that point.
    #[inline(always)]
    pub fn add_mass<P: Copy>(&mut self, m: &Sym3<T>, p: Vec3<P>)
    where
        T: Fused<P>,
    {
        T::outlined(|| {
            // H' = [p]M, I' = H'[p]ᵀ.
            let mut g = Mat3::zero();
            for i in 0..3 {
                let (a, b) = ((i + 1) % 3, (i + 2) % 3);
                for j in 0..3 {
                    g.0[i][j] = (m.at(b, j) * p[a]).minus_product(m.at(a, j), p[b]);
                }
            }
            let entry = |i: usize, j: usize, s: T| {
                let (a, b) = ((j + 1) % 3, (j + 2) % 3);
                s.plus_product(g.0[i][b], p[a]).minus_product(g.0[i][a], p[b])
            };
            let inertia = &mut self.inertia.0;
            for i in 0..3 {
                inertia[i] = entry(i, i, inertia[i]);
                inertia[3 + i] = entry(i, (i + 1) % 3, inertia[3 + i]);
            }
            self.mass += m;
            self.coupling += &g;
        })
    }

    /// Takes out the freedom to turn about axis `A`, with k the inverse of the moment of inertia
    /// about it. Rows and columns `A` of I and H would vanish; they keep what they were.
    #[inline(always)]
    pub fn release_turn<const A: usize>(&mut self, k: &T) {
        T::outlined(|| {
            let (b, c) = ((A + 1) % 3, (A + 2) % 3);
            let (m, h, i) = (&mut self.mass.0, &mut self.coupling.0, &mut self.inertia.0);
            let (ub, uc) = (i[3 + A], i[3 + c]);
            let (kb, kc) = (ub * *k, uc * *k);
            i[b] = i[b].minus_product(ub, kb);
            i[c] = i[c].minus_product(uc, kc);
            i[3 + b] = i[3 + b].minus_product(ub, kc);
            let f = h[A];
            for j in 0..3 {
                let next = (j + 1) % 3;
                h[b][j] = h[b][j].minus_product(f[j], kb);
                h[c][j] = h[c][j].minus_product(f[j], kc);
                let kf = f[j] * *k;
                m[j] = m[j].minus_product(f[j], kf);
                m[3 + j] = m[3 + j].minus_product(f[next], kf);
            }
        })
    }

    /// With zeros where [`release_turn`](Self::release_turn) leaves what was.
    #[inline]
    pub fn without_turn<const A: usize>(&self) -> Self {
        let mut r = *self;
        r.coupling.0[A] = [T::zero(); 3];
        for j in 0..3 {
            r.inertia.0[Sym3::<T>::index(A, j)] = T::zero();
        }
        r
    }

    /// [`add_times`](Self::add_times) after [`release_turn`](Self::release_turn).
    #[inline(always)]
    pub fn add_times_without_turn<const A: usize>(&self, a: &Twist<T>, out: &mut Wrench<T>) {
        T::outlined(|| {
            let (b, c) = ((A + 1) % 3, (A + 2) % 3);
            let (i, h, w, x) = (&self.inertia.0, &self.coupling.0, &a.angular, &a.linear);
            let row = |s: T, i: usize, ib: T, ic: T| {
                s.plus_product(ib, w[b])
                    .plus_product(ic, w[c])
                    .plus_product(h[i][0], x[0])
                    .plus_product(h[i][1], x[1])
                    .plus_product(h[i][2], x[2])
            };
            out.moment[b] = row(out.moment[b], b, i[b], i[3 + b]);
            out.moment[c] = row(out.moment[c], c, i[3 + b], i[c]);
            for j in 0..3 {
                out.force[j] = out.force[j]
                    .plus_product(self.mass.at(j, 0), x[0])
                    .plus_product(self.mass.at(j, 1), x[1])
                    .plus_product(self.mass.at(j, 2), x[2])
                    .plus_product(h[b][j], w[b])
                    .plus_product(h[c][j], w[c]);
            }
        })
    }

    /// Adds `o` after [`release_turn`](Self::release_turn), of a child that is turned by `r` about
    /// this axis, with its origin at `p`.
    #[inline(always)]
    pub fn add_without_turn<const A: usize, R: PlaneTurn<T>, P: Copy>(
        &mut self,
        o: &Self,
        r: &AxisRotation<R, A>,
        p: Vec3<P>,
    ) where
        T: Fused<R::Part> + Fused<P>,
    {
        T::outlined(|| {
            let (a, b, c) = (A, (A + 1) % 3, (A + 2) % 3);
            let (sin, cos) = (r.0.sin(), r.0.cos());
            let mass = r.symmetric_to_parent(&o.mass);
            // H' = H + [p]M, I' = I + [p]Hᵀ + H'[p]ᵀ, with row A of H zero.
            let mut h = Mat3::zero();
            // The rows b and c of H, first turned from the right, then from the left.
            let (hb, hc) = (
                r.to_parent(Vec3(o.coupling.0[b])),
                r.to_parent(Vec3(o.coupling.0[c])),
            );
            for j in 0..3 {
                [h.0[b][j], h.0[c][j]] = r.0.forward(hb[j], hc[j]);
            }
            let (bb, cc, bc) = (o.inertia.0[b], o.inertia.0[c], o.inertia.0[3 + b]);
            let x = ((bb - cc) * sin).plus_product(bc + bc, cos);
            let mut g = Mat3::zero();
            for j in 0..3 {
                g.0[a][j] = (mass.at(c, j) * p[b]).minus_product(mass.at(b, j), p[c]);
                g.0[b][j] = h.0[b][j]
                    .plus_product(mass.at(a, j), p[c])
                    .minus_product(mass.at(c, j), p[a]);
                g.0[c][j] = h.0[c][j]
                    .plus_product(mass.at(b, j), p[a])
                    .minus_product(mass.at(a, j), p[b]);
            }
            // s + (p × row i of `h`)[j]
            let entry = |h: &Mat3<T>, i: usize, j: usize, s: T| {
                let (a, b) = ((j + 1) % 3, (j + 2) % 3);
                s.plus_product(h.0[i][b], p[a]).minus_product(h.0[i][a], p[b])
            };
            let inertia = &mut self.inertia.0;
            inertia[a] = entry(&g, a, a, inertia[a]);
            inertia[3 + a] = entry(&g, b, a, inertia[3 + a]);
            inertia[3 + c] = entry(&g, c, a, inertia[3 + c]);
            let (bb, cc) = (
                (inertia[b] + bb).minus_product(x, sin),
                (inertia[c] + cc).plus_product(x, sin),
            );
            let bc = (inertia[3 + b] - bc).plus_product(x, cos);
            inertia[b] = entry(&g, b, b, entry(&h, b, b, bb));
            inertia[c] = entry(&g, c, c, entry(&h, c, c, cc));
            inertia[3 + b] = entry(&g, b, c, entry(&h, c, b, bc));
            self.mass += &mass;
            self.coupling += &g;
        })
    }

    /// Takes out the freedom to turn at all, with `inverse` that of I: the mass becomes
    /// M − Hᵀ I⁻¹ H. H and I would vanish; they keep what they were.
    #[inline(always)]
    pub fn release_turning(&mut self, inverse: &Sym3<T>) {
        T::outlined(|| {
            let h = &self.coupling;
            let ih = [
                inverse.times(h.column(0)),
                inverse.times(h.column(1)),
                inverse.times(h.column(2)),
            ];
            let m = &mut self.mass.0;
            for i in 0..3 {
                m[i] -= h.column(i).dot(ih[i]);
                m[3 + i] -= h.column(i).dot(ih[(i + 1) % 3]);
            }
        })
    }
}

/// Orientation and position of one frame in another: X_PB with x_P = R x_B + p.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose<T> {
    /// Orientation: components in B to components in P.
    pub rotation: Mat3<T>,
    /// Origin of B in P.
    pub position: Vec3<T>,
}

impl<T: Real> Pose<T> {
    /// From orientation and position.
    #[inline]
    pub fn new(rotation: Mat3<T>, position: Vec3<T>) -> Self {
        Self { rotation, position }
    }

    /// The same frame.
    #[inline]
    pub fn identity() -> Self {
        Self::new(Mat3::identity(), Vec3::zero())
    }

    /// X_PB · X_BC = X_PC.
    #[inline]
    pub fn then<P: Copy>(&self, o: &Pose<P>) -> Self
    where
        T: Fused<P>,
    {
        Self::new(
            self.rotation.matrix(&o.rotation),
            self.rotation.times(o.position) + self.position,
        )
    }

    /// X_BP.
    #[inline]
    pub fn inverse(&self) -> Self {
        let rotation = self.rotation.transpose();
        Self::new(rotation, -rotation.times(self.position))
    }

    /// A point given in B, in P.
    #[inline]
    pub fn point<P: Copy>(&self, x: Vec3<P>) -> Vec3<T>
    where
        T: Fused<P>,
    {
        self.rotation.times(x) + self.position
    }
}
