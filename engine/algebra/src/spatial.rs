//! Spatial vectors and inertias: pairs of an angular and a linear part at one origin.
//!
//! A [`Twist`] holds velocities or accelerations (angular, linear at the origin), a [`Wrench`]
//! moment and force. Inertias map the one to the other:
//! `n = I ω + H v`, `f = Hᵀ ω + M v`.

use crate::{Mat3, Real, Rotation, Sym3, Vec3};
use core::ops::{Add, AddAssign, Mul, Neg, Sub};

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
        self.angular.dot(w.moment) + self.linear.dot(w.force)
    }

    /// The same motion seen at the point `p` away from the origin.
    #[inline]
    pub fn at<P: Copy>(&self, p: Vec3<P>) -> Self
    where
        T: Mul<P, Output = T>,
    {
        Self::new(self.angular, self.linear + self.angular.cross(p))
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
        T: Mul<P, Output = T>,
    {
        let force = r.to_parent(self.force);
        // p × f = −f × p, with the constant on the right.
        Self::new(r.to_parent(self.moment) - force.cross(p), force)
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
            self.second.times_mixed(v.angular) - v.linear.cross(self.first),
            v.linear.scale(self.mass) + v.angular.cross(self.first),
        )
    }

    /// The forces that go with angular velocity ω and acceleration `a` (angular, and of the
    /// origin in the sense of a point's second derivative): Newton's and Euler's equations.
    #[inline]
    pub fn newton_euler<T: Real>(&self, omega: Vec3<T>, a: &Twist<T>) -> Wrench<T> {
        let h = self.first;
        // ω × (ω × h) + α × h + m a
        let centripetal = omega.cross(h);
        let force = a.linear.scale(self.mass) + a.angular.cross(h) + omega.cross(centripetal);
        let spin = self.second.times_mixed(omega);
        let moment = self.second.times_mixed(a.angular) + omega.cross(spin) - a.linear.cross(h);
        Wrench::new(moment, force)
    }

    /// The part of [`newton_euler`](Self::newton_euler) that is quadratic in ω.
    #[inline]
    pub fn gyroscopic<T: Real>(&self, omega: Vec3<T>) -> Wrench<T> {
        let spin = self.second.times_mixed(omega);
        Wrench::new(omega.cross(spin), omega.cross(omega.cross(self.first)))
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
    pub fn to_parent<R: Rotation<T>, P: Real>(&self, r: &R, p: Vec3<P>) -> Self
    where
        T: Mul<P, Output = T>,
    {
        let h = r.to_parent(self.first);
        let s = r.symmetric_to_parent(&self.second);
        // With h' = h + m p: I' = I − [h]×[p]× − [p]×[h']×, symmetric.
        let mp = p.scale(self.mass);
        let moved = Vec3([0, 1, 2].map(|i| h[i] + T::one() * mp[i]));
        let k = Vec3([0, 1, 2].map(|i| h[i] * 2.0 + T::one() * mp[i]));
        // −[p][k] symmetrised: (p·k) 1 − (p kᵀ + k pᵀ)/2
        let (a, b, c) = (k[0] * p[0], k[1] * p[1], k[2] * p[2]);
        let half = |i: usize, j: usize| (k[i] * p[j] + k[j] * p[i]) * 0.5;
        let m = &s.0;
        let second = Sym3([
            m[0] + b + c,
            m[1] + a + c,
            m[2] + a + b,
            m[3] - half(0, 1),
            m[4] - half(1, 2),
            m[5] - half(2, 0),
        ]);
        Self {
            mass: self.mass,
            first: moved,
            second,
        }
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
        let [x, y, z] = i.first.0.map(T::constant);
        let o = T::zero();
        Self {
            mass: Sym3::diagonal(T::constant(i.mass)),
            coupling: Mat3([[o, -z, y], [z, o, -x], [-y, x, o]]),
            inertia: Sym3::constant(&i.second),
        }
    }

    /// The wrench that goes with an acceleration.
    #[inline]
    pub fn times(&self, a: &Twist<T>) -> Wrench<T> {
        Wrench::new(
            self.inertia.times(a.angular) + self.coupling.times(a.linear),
            self.coupling.transpose_times(a.angular) + self.mass.times(a.linear),
        )
    }

    /// self − u uᵀ k.
    #[inline]
    pub fn minus_outer(&self, u: &Wrench<T>, k: T) -> Self {
        let f = u.force.scale(k);
        let mut coupling = self.coupling;
        for i in 0..3 {
            for j in 0..3 {
                coupling.0[i][j] -= u.moment[i] * f[j];
            }
        }
        Self {
            mass: self.mass.minus_outer(u.force, k),
            coupling,
            inertia: self.inertia.minus_outer(u.moment, k),
        }
    }

    /// Carried to the parent's frame, with the child's origin at `p` there.
    #[inline]
    pub fn to_parent<R: Rotation<T>, P: Copy>(&self, r: &R, p: Vec3<P>) -> Self
    where
        T: Mul<P, Output = T>,
    {
        let mass = r.symmetric_to_parent(&self.mass);
        let h = r.matrix_to_parent(&self.coupling);
        let i = r.symmetric_to_parent(&self.inertia);
        // H' = H + [p]M, I' = I + Z + Zᵀ with Z = [p](H + [p]M/2)ᵀ.
        let m = mass.full();
        let mut b = Mat3::zero();
        for j in 0..3 {
            b.0[0][j] = m.0[2][j] * p[1] - m.0[1][j] * p[2];
            b.0[1][j] = m.0[0][j] * p[2] - m.0[2][j] * p[0];
            b.0[2][j] = m.0[1][j] * p[0] - m.0[0][j] * p[1];
        }
        let mut k = h;
        for a in 0..3 {
            for c in 0..3 {
                k.0[a][c] += b.0[a][c] * 0.5;
            }
        }
        // Z[i][j] = (p × row j of K)[i]
        let z = |i: usize, j: usize| {
            let (a, c) = ((i + 1) % 3, (i + 2) % 3);
            k.0[j][c] * p[a] - k.0[j][a] * p[c]
        };
        let s = &i.0;
        Self {
            mass,
            coupling: h + b,
            inertia: Sym3([
                s[0] + z(0, 0) * 2.0,
                s[1] + z(1, 1) * 2.0,
                s[2] + z(2, 2) * 2.0,
                s[3] + z(0, 1) + z(1, 0),
                s[4] + z(1, 2) + z(2, 1),
                s[5] + z(2, 0) + z(0, 2),
            ]),
        }
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
        T: Mul<P, Output = T>,
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
        T: Mul<P, Output = T>,
    {
        self.rotation.times(x) + self.position
    }
}
