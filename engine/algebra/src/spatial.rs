//! Spatial vectors and inertias: pairs of an angular and a linear part at one origin.
//!
//! A [`Twist`] holds velocities or accelerations (angular, linear at the origin), a [`Wrench`]
//! moment and force. Inertias map the one to the other:
//! `n = I ω + H v`, `f = Hᵀ ω + M v`.

use crate::{AxisRotation, Fused, Mat3, Real, Rotation, Sym3, Vec3};
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
    pub fn power(&self, w: &Wrench<T>) -> T {
        let mut power = self.angular.dot(w.moment);
        for i in 0..3 {
            power = power.plus_product(self.linear[i], w.force[i]);
        }
        power
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
    pub fn add_scaled(&mut self, o: &Self, k: T) {
        self.moment = self.moment.plus_scaled(o.moment, k);
        self.force = self.force.plus_scaled(o.force, k);
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
            self.second
                .times_mixed(v.angular)
                .minus_cross(v.linear, self.first),
            v.linear.scale(self.mass).plus_cross(v.angular, self.first),
        )
    }

    /// The forces that go with angular velocity ω and acceleration `a` (angular, and of the
    /// origin in the sense of a point's second derivative): Newton's and Euler's equations.
    #[inline(always)]
    pub fn newton_euler<T: Real>(&self, omega: &Vec3<T>, a: &Twist<T>, out: &mut Wrench<T>) {
        T::outlined(|| {
            let h = self.first;
            // ω × (ω × h) + α × h + m a
            let force = a.linear.scale(self.mass).plus_cross(a.angular, h);
            out.force = force.plus_cross(*omega, omega.cross(h));
            let moment = self.second.times_mixed(a.angular).minus_cross(a.linear, h);
            out.moment = moment.plus_cross(*omega, self.second.times_mixed(*omega));
        })
    }

    /// The part of [`newton_euler`](Self::newton_euler) that is quadratic in ω.
    #[inline(always)]
    pub fn gyroscopic<T: Real>(&self, omega: &Vec3<T>, out: &mut Wrench<T>) {
        T::outlined(|| {
            out.moment = omega.cross(self.second.times_mixed(*omega));
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
    #[inline(always)]
    pub fn times(&self, a: &Twist<T>) -> Wrench<T> {
        T::outlined(|| {
            Wrench::new(
                self.coupling.times_plus(a.linear, self.inertia.times(a.angular)),
                self.coupling
                    .transpose_times_plus(a.angular, self.mass.times(a.linear)),
            )
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

    /// Carried to the parent's frame, with the child's origin at `p` there.
    #[inline]
    pub fn to_parent<R: Rotation<T>, P: Copy>(&self, r: &R, p: Vec3<P>) -> Self
    where
        T: Fused<P>,
    {
        let turned = Self {
            mass: r.symmetric_to_parent(&self.mass),
            coupling: r.matrix_to_parent(&self.coupling),
            inertia: r.symmetric_to_parent(&self.inertia),
        };
        turned.shifted(p)
    }

    /// About the origin from which the present one is at `p`.
    #[inline]
    pub fn shifted<P: Copy>(&self, p: Vec3<P>) -> Self
    where
        T: Fused<P>,
    {
        T::outlined(|| {
            // H' = H + [p]M, I' = I + [p]Hᵀ + H'[p]ᵀ.
            let (m, h, i) = (&self.mass, &self.coupling.0, &self.inertia.0);
            let moved = m.crossed_plus(p, &self.coupling);
            let g = &moved.0;
            // (p × row j of H)[i] + (p × row i of H')[j]
            let entry = |i: usize, j: usize, s: T| {
                let (a, b) = ((i + 1) % 3, (i + 2) % 3);
                let s = s.plus_product(h[j][b], p[a]).minus_product(h[j][a], p[b]);
                let (a, b) = ((j + 1) % 3, (j + 2) % 3);
                s.plus_product(g[i][b], p[a]).minus_product(g[i][a], p[b])
            };
            Self {
                mass: self.mass,
                coupling: moved,
                inertia: Sym3([
                    entry(0, 0, i[0]),
                    entry(1, 1, i[1]),
                    entry(2, 2, i[2]),
                    entry(0, 1, i[3]),
                    entry(1, 2, i[4]),
                    entry(2, 0, i[5]),
                ]),
            }
        })
    }

    /// Without the freedom to turn about axis `A`, with k the inverse of the moment of inertia
    /// about it: rows and columns `A` of I and H vanish.
    #[inline(always)]
    pub fn without_turn<const A: usize>(&self, k: T) -> Self {
        T::outlined(|| {
            let (b, c) = ((A + 1) % 3, (A + 2) % 3);
            let f = Vec3(self.coupling.0[A]);
            let (ub, uc) = (self.inertia.at(A, b), self.inertia.at(A, c));
            let (kb, kc) = (ub * k, uc * k);
            let mut coupling = Mat3::zero();
            for j in 0..3 {
                coupling.0[b][j] = self.coupling.0[b][j].minus_product(f[j], kb);
                coupling.0[c][j] = self.coupling.0[c][j].minus_product(f[j], kc);
            }
            let mut inertia = Sym3::zero();
            inertia.0[b] = self.inertia.0[b].minus_product(ub, kb);
            inertia.0[c] = self.inertia.0[c].minus_product(uc, kc);
            inertia.0[3 + b] = self.inertia.0[3 + b].minus_product(ub, kc);
            Self {
                mass: self.mass.minus_outer(f, k),
                coupling,
                inertia,
            }
        })
    }

    /// [`times`](Self::times) after [`without_turn`](Self::without_turn).
    #[inline(always)]
    pub fn times_without_turn<const A: usize>(&self, a: &Twist<T>) -> Wrench<T> {
        T::outlined(|| {
            let (b, c) = ((A + 1) % 3, (A + 2) % 3);
            let (i, h, w) = (&self.inertia.0, &self.coupling.0, &a.angular);
            let row = |i: usize, s: T| {
                let s = s
                    .plus_product(h[i][0], a.linear[0])
                    .plus_product(h[i][1], a.linear[1]);
                s.plus_product(h[i][2], a.linear[2])
            };
            let mut moment = Vec3::zero();
            moment[b] = row(b, (i[b] * w[b]).plus_product(i[3 + b], w[c]));
            moment[c] = row(c, (i[3 + b] * w[b]).plus_product(i[c], w[c]));
            let force = self.mass.times(a.linear);
            let force = force.plus_scaled(Vec3(h[b]), w[b]).plus_scaled(Vec3(h[c]), w[c]);
            Wrench::new(moment, force)
        })
    }

    /// [`to_parent`](Self::to_parent) after [`without_turn`](Self::without_turn).
    #[inline(always)]
    pub fn without_turn_to_parent<const A: usize, P: Copy>(&self, r: &AxisRotation<T, A>, p: Vec3<P>) -> Self
    where
        T: Fused<P>,
    {
        T::outlined(|| {
            let (a, b, c) = (A, (A + 1) % 3, (A + 2) % 3);
            let (sin, cos) = (r.sin, r.cos);
            let mass = r.symmetric_to_parent(&self.mass);
            // The rows b and c of H, first turned from the right, then from the left.
            let (hb, hc) = (
                r.to_parent(Vec3(self.coupling.0[b])),
                r.to_parent(Vec3(self.coupling.0[c])),
            );
            let mut h = Mat3::zero();
            for j in 0..3 {
                h.0[b][j] = (cos * hb[j]).minus_product(sin, hc[j]);
                h.0[c][j] = (sin * hb[j]).plus_product(cos, hc[j]);
            }
            let (bb, cc, bc) = (self.inertia.0[b], self.inertia.0[c], self.inertia.0[3 + b]);
            let x = (sin * (bb - cc)).plus_product(cos + cos, bc);
            // H' = H + [p]M, I' = I + [p]Hᵀ + H'[p]ᵀ, with row A of H zero.
            let mut g = h;
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
            let along = |i: usize| (g.0[i][c] * p[b]).minus_product(g.0[i][b], p[c]);
            let mut inertia = Sym3::zero();
            inertia.0[a] = along(a);
            inertia.0[3 + a] = along(b);
            inertia.0[3 + c] = along(c);
            inertia.0[b] = entry(&g, b, b, entry(&h, b, b, bb.minus_product(sin, x)));
            inertia.0[c] = entry(&g, c, c, entry(&h, c, c, cc.plus_product(sin, x)));
            inertia.0[3 + b] = entry(&g, b, c, entry(&h, c, b, (cos * x) - bc));
            Self {
                mass,
                coupling: g,
                inertia,
            }
        })
    }

    /// Without any freedom to turn, with `inverse` that of I: M − Hᵀ I⁻¹ H.
    #[inline(always)]
    pub fn without_turning(&self, inverse: &Sym3<T>) -> Self {
        T::outlined(|| {
            let h = &self.coupling;
            let ih = [
                inverse.times(h.column(0)),
                inverse.times(h.column(1)),
                inverse.times(h.column(2)),
            ];
            let entry = |i: usize, j: usize| self.mass.at(i, j) - h.column(i).dot(ih[j]);
            Self {
                mass: Sym3([
                    entry(0, 0),
                    entry(1, 1),
                    entry(2, 2),
                    entry(0, 1),
                    entry(1, 2),
                    entry(2, 0),
                ]),
                coupling: Mat3::zero(),
                inertia: Sym3::zero(),
            }
        })
    }
}

impl<T: Real> AddAssign for Articulated<T> {
    #[inline]
    fn add_assign(&mut self, o: Self) {
        self.mass = self.mass + o.mass;
        self.coupling = self.coupling + o.coupling;
        self.inertia = self.inertia + o.inertia;
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
