//! The freedoms of nodes, and the dispatch that hands each recursion the right types.

use holonom_algebra::{
    Articulated, Composite, Fused, Orientation, Real, Rotation, Sym3, Twist, Vec3, Wrench,
};

/// How a node moves in its own frame: the motion subspace S without its zeros.
pub trait Freedom<T: Real>: Copy {
    /// Number of velocity coordinates.
    const N: usize;
    /// Passes the joint: adds its rates to the angular velocity `omega`, which is the parent's in
    /// the node's axes, and what they add to the acceleration besides S v̇.
    fn advance(&self, rate: &[T], omega: &mut Vec3<T>, acceleration: &mut Twist<T>);
    /// Adds S x.
    fn add_motion(&self, x: &[T], m: &mut Twist<T>);
    /// Sᵀ w.
    fn project(&self, w: &Wrench<T>, out: &mut [T]);

    /// S x.
    #[inline(always)]
    fn motion(&self, x: &[T]) -> Twist<T> {
        let mut m = Twist::zero();
        self.add_motion(x, &mut m);
        m
    }

    /// Adds the angular and linear part of S x, turned by `r`.
    fn add_turned(&self, x: &[T], r: &T::Orientation, angular: &mut Vec3<T>, linear: &mut Vec3<T>);

    /// Column `k` of I S, for a composite inertia I.
    fn composite_load(&self, c: &Composite<T>, k: usize) -> Wrench<T>;

    /// The columns of S about the point from which the node is at `p`, turned by `r`.
    fn columns(&self, r: &T::Orientation, p: &Vec3<T>, out: &mut [Twist<T>]);

    /// I S of a single freedom, for an articulated inertia I.
    fn column(&self, inertia: &Articulated<T>) -> Wrench<T>;

    /// Sᵀ I S of a single freedom.
    fn pivot(&self, inertia: &Articulated<T>) -> T;

    /// Fills (Sᵀ I S)⁻¹.
    #[inline(always)]
    fn invert(&self, inertia: &Articulated<T>, inverse: &mut Sym3<T>) {
        inverse.0[0] = self.pivot(inertia).recip();
    }

    /// Takes the freedom out of the inertia: in place, when I S can stay there because the
    /// methods below do not look at it, else in `room`.
    #[inline(always)]
    fn release<'a>(
        &self,
        inertia: &'a mut Articulated<T>,
        inverse: &Sym3<T>,
        room: &'a mut Articulated<T>,
    ) -> &'a Articulated<T> {
        *room = inertia.minus_outer(&self.column(inertia), inverse.0[0]);
        room
    }

    /// Adds I S (Sᵀ I S)⁻¹ x. Here and in [`respond`](Self::respond) the inertia may be plain when
    /// the load is not: this is how derivatives are solved for.
    #[inline(always)]
    fn push<P: Real>(&self, inertia: &Articulated<P>, inverse: &Sym3<P>, x: &[T], w: &mut Wrench<T>)
    where
        T: Fused<P>,
        Self: Freedom<P>,
    {
        w.add_scaled(&Freedom::<P>::column(self, inertia), x[0] * inverse.0[0]);
    }

    /// (Sᵀ I S)⁻¹ (x − Sᵀ I a): how the joint answers to a generalised force when its frame
    /// accelerates.
    #[inline(always)]
    fn respond<P: Real>(
        &self,
        inertia: &Articulated<P>,
        inverse: &Sym3<P>,
        x: &[T],
        a: &Twist<T>,
        out: &mut [T],
    ) where
        T: Fused<P>,
        Self: Freedom<P>,
    {
        out[0] = (x[0] - a.power(&Freedom::<P>::column(self, inertia))) * inverse.0[0];
    }

    /// Adds the load of the bias acceleration on the released inertia.
    #[inline(always)]
    fn add_bias_load(&self, released: &Articulated<T>, bias: &Twist<T>, w: &mut Wrench<T>) {
        released.add_times(bias, w);
    }

    /// Adds the released inertia to that of the parent.
    #[inline(always)]
    fn carry<R: Rotation<T>, P: Copy>(
        &self,
        released: &Articulated<T>,
        r: &R,
        p: Vec3<P>,
        parent: &mut Articulated<T>,
    ) where
        T: Fused<P>,
    {
        r.add_inertia(released, p, parent);
    }
}

/// A turn about axis `A`.
#[derive(Clone, Copy)]
pub struct Turn<const A: usize>;

impl<T: Real, const A: usize> Freedom<T> for Turn<A> {
    const N: usize = 1;
    #[inline(always)]
    fn advance(&self, rate: &[T], omega: &mut Vec3<T>, acceleration: &mut Twist<T>) {
        // ω × e q̇
        let (b, c) = ((A + 1) % 3, (A + 2) % 3);
        let angular = &mut acceleration.angular;
        angular[b] = angular[b].plus_product(omega[c], rate[0]);
        angular[c] = angular[c].minus_product(omega[b], rate[0]);
        omega[A] += rate[0];
    }
    #[inline(always)]
    fn add_motion(&self, x: &[T], m: &mut Twist<T>) {
        m.angular[A] += x[0];
    }
    #[inline(always)]
    fn project(&self, w: &Wrench<T>, out: &mut [T]) {
        out[0] = w.moment[A];
    }
    #[inline(always)]
    fn add_turned(&self, x: &[T], r: &T::Orientation, angular: &mut Vec3<T>, _: &mut Vec3<T>) {
        *angular += r.column(A).scale(x[0]);
    }
    #[inline(always)]
    fn composite_load(&self, c: &Composite<T>, _: usize) -> Wrench<T> {
        Wrench::new(c.second.column(A), c.first.crossed_by_unit(A))
    }
    #[inline(always)]
    fn columns(&self, r: &T::Orientation, p: &Vec3<T>, out: &mut [Twist<T>]) {
        let axis = r.column(A);
        out[0] = Twist::new(axis, p.cross(axis));
    }
    #[inline(always)]
    fn column(&self, inertia: &Articulated<T>) -> Wrench<T> {
        Wrench::new(inertia.inertia.column(A), Vec3(inertia.coupling.0[A]))
    }
    #[inline(always)]
    fn pivot(&self, inertia: &Articulated<T>) -> T {
        inertia.inertia.0[A]
    }
    #[inline(always)]
    fn release<'a>(
        &self,
        inertia: &'a mut Articulated<T>,
        inverse: &Sym3<T>,
        _: &'a mut Articulated<T>,
    ) -> &'a Articulated<T> {
        inertia.release_turn::<A>(&inverse.0[0]);
        inertia
    }
    #[inline(always)]
    fn add_bias_load(&self, released: &Articulated<T>, bias: &Twist<T>, w: &mut Wrench<T>) {
        released.add_times_without_turn::<A>(bias, w);
    }
    #[inline(always)]
    fn carry<R: Rotation<T>, P: Copy>(
        &self,
        released: &Articulated<T>,
        r: &R,
        p: Vec3<P>,
        parent: &mut Articulated<T>,
    ) where
        T: Fused<P>,
    {
        // When the rotation is about one axis, it is this one.
        r.add_released::<P, A>(released, p, parent);
    }
}

/// A slide along axis `A`.
#[derive(Clone, Copy)]
pub struct Slide<const A: usize>;

impl<T: Real, const A: usize> Freedom<T> for Slide<A> {
    const N: usize = 1;
    #[inline(always)]
    fn advance(&self, rate: &[T], omega: &mut Vec3<T>, acceleration: &mut Twist<T>) {
        // Coriolis: 2 ω × e q̇
        let (b, c) = ((A + 1) % 3, (A + 2) % 3);
        let twice = rate[0] * 2.0;
        let linear = &mut acceleration.linear;
        linear[b] = linear[b].plus_product(omega[c], twice);
        linear[c] = linear[c].minus_product(omega[b], twice);
    }
    #[inline(always)]
    fn add_motion(&self, x: &[T], m: &mut Twist<T>) {
        m.linear[A] += x[0];
    }
    #[inline(always)]
    fn project(&self, w: &Wrench<T>, out: &mut [T]) {
        out[0] = w.force[A];
    }
    #[inline(always)]
    fn add_turned(&self, x: &[T], r: &T::Orientation, _: &mut Vec3<T>, linear: &mut Vec3<T>) {
        *linear += r.column(A).scale(x[0]);
    }
    #[inline(always)]
    fn composite_load(&self, c: &Composite<T>, _: usize) -> Wrench<T> {
        let mut force = Vec3::zero();
        force[A] = T::constant(c.mass);
        Wrench::new(-c.first.crossed_by_unit(A), force)
    }
    #[inline(always)]
    fn columns(&self, r: &T::Orientation, _: &Vec3<T>, out: &mut [Twist<T>]) {
        out[0] = Twist::new(Vec3::zero(), r.column(A));
    }
    #[inline(always)]
    fn column(&self, inertia: &Articulated<T>) -> Wrench<T> {
        Wrench::new(inertia.coupling.column(A), inertia.mass.column(A))
    }
    #[inline(always)]
    fn pivot(&self, inertia: &Articulated<T>) -> T {
        inertia.mass.0[A]
    }
}

/// A screw about z.
#[derive(Clone, Copy)]
pub struct ScrewZ {
    /// Displacement per angle.
    pub pitch: f64,
}

impl<T: Real> Freedom<T> for ScrewZ {
    const N: usize = 1;
    #[inline(always)]
    fn advance(&self, rate: &[T], omega: &mut Vec3<T>, acceleration: &mut Twist<T>) {
        let slide = [rate[0] * self.pitch];
        Freedom::<T>::advance(&Slide::<2>, &slide, omega, acceleration);
        Freedom::<T>::advance(&Turn::<2>, rate, omega, acceleration);
    }
    #[inline(always)]
    fn add_motion(&self, x: &[T], m: &mut Twist<T>) {
        m.angular[2] += x[0];
        m.linear[2] = m.linear[2].plus_product(x[0], self.pitch);
    }
    #[inline(always)]
    fn project(&self, w: &Wrench<T>, out: &mut [T]) {
        out[0] = w.moment[2].plus_product(w.force[2], self.pitch);
    }
    #[inline(always)]
    fn add_turned(&self, x: &[T], r: &T::Orientation, angular: &mut Vec3<T>, linear: &mut Vec3<T>) {
        let axis = r.column(2);
        *angular += axis.scale(x[0]);
        *linear += axis.scale(x[0] * self.pitch);
    }
    #[inline(always)]
    fn composite_load(&self, c: &Composite<T>, _: usize) -> Wrench<T> {
        let (turn, slide): (Wrench<T>, Wrench<T>) =
            (Turn::<2>.composite_load(c, 0), Slide::<2>.composite_load(c, 0));
        Wrench::new(
            turn.moment.plus_scaled(slide.moment, self.pitch),
            turn.force.plus_scaled(slide.force, self.pitch),
        )
    }
    #[inline(always)]
    fn columns(&self, r: &T::Orientation, p: &Vec3<T>, out: &mut [Twist<T>]) {
        let axis = r.column(2);
        out[0] = Twist::new(axis, p.cross(axis).plus_scaled(axis, self.pitch));
    }
    #[inline(always)]
    fn column(&self, inertia: &Articulated<T>) -> Wrench<T> {
        let (turn, slide): (Wrench<T>, Wrench<T>) = (Turn::<2>.column(inertia), Slide::<2>.column(inertia));
        Wrench::new(
            turn.moment.plus_scaled(slide.moment, self.pitch),
            turn.force.plus_scaled(slide.force, self.pitch),
        )
    }
    #[inline(always)]
    fn pivot(&self, inertia: &Articulated<T>) -> T {
        let u: Wrench<T> = self.column(inertia);
        u.moment[2].plus_product(u.force[2], self.pitch)
    }
}

/// Free turning; rates are the angular velocity in the node's axes.
#[derive(Clone, Copy)]
pub struct FreeTurn;

impl<T: Real> Freedom<T> for FreeTurn {
    const N: usize = 3;
    #[inline(always)]
    fn advance(&self, rate: &[T], omega: &mut Vec3<T>, acceleration: &mut Twist<T>) {
        let r = Vec3([rate[0], rate[1], rate[2]]);
        acceleration.angular = acceleration.angular.plus_cross(*omega, r);
        *omega += r;
    }
    #[inline(always)]
    fn add_motion(&self, x: &[T], m: &mut Twist<T>) {
        m.angular += Vec3([x[0], x[1], x[2]]);
    }
    #[inline(always)]
    fn project(&self, w: &Wrench<T>, out: &mut [T]) {
        out[..3].copy_from_slice(&w.moment.0);
    }
    #[inline(always)]
    fn add_turned(&self, x: &[T], r: &T::Orientation, angular: &mut Vec3<T>, _: &mut Vec3<T>) {
        *angular += r.times(Vec3([x[0], x[1], x[2]]));
    }
    #[inline(always)]
    fn composite_load(&self, c: &Composite<T>, k: usize) -> Wrench<T> {
        Wrench::new(c.second.column(k), c.first.crossed_by_unit(k))
    }
    #[inline(always)]
    fn columns(&self, r: &T::Orientation, p: &Vec3<T>, out: &mut [Twist<T>]) {
        for (k, out) in out[..3].iter_mut().enumerate() {
            let axis = r.column(k);
            *out = Twist::new(axis, p.cross(axis));
        }
    }
    fn column(&self, _: &Articulated<T>) -> Wrench<T> {
        unreachable!("three columns")
    }
    fn pivot(&self, _: &Articulated<T>) -> T {
        unreachable!("three columns")
    }
    #[inline(always)]
    fn invert(&self, inertia: &Articulated<T>, inverse: &mut Sym3<T>) {
        *inverse = inertia.inertia.inverse();
    }
    #[inline(always)]
    fn release<'a>(
        &self,
        inertia: &'a mut Articulated<T>,
        inverse: &Sym3<T>,
        _: &'a mut Articulated<T>,
    ) -> &'a Articulated<T> {
        // S selects the angular part, so that I S is the left half of the inertia. What remains
        // is M − Hᵀ I⁻¹ H; rows and columns of the freedom vanish.
        inertia.release_turning(inverse);
        inertia
    }
    #[inline(always)]
    fn push<P: Real>(&self, inertia: &Articulated<P>, inverse: &Sym3<P>, x: &[T], w: &mut Wrench<T>)
    where
        T: Fused<P>,
    {
        // (I; Hᵀ) I⁻¹ x
        let x = Vec3([x[0], x[1], x[2]]);
        w.moment += x;
        let (y, h) = (inverse.times(x), &inertia.coupling.0);
        for j in 0..3 {
            w.force[j] = w.force[j]
                .plus_product(y[0], h[0][j])
                .plus_product(y[1], h[1][j])
                .plus_product(y[2], h[2][j]);
        }
    }
    #[inline(always)]
    fn respond<P: Real>(
        &self,
        inertia: &Articulated<P>,
        inverse: &Sym3<P>,
        x: &[T],
        a: &Twist<T>,
        out: &mut [T],
    ) where
        T: Fused<P>,
    {
        // I⁻¹ (x − H a) − α
        let h = &inertia.coupling.0;
        let x = Vec3([x[0], x[1], x[2]]) - Vec3::from_fn(|i| a.linear.dot(Vec3(h[i])));
        let x = inverse.times(x) - a.angular;
        out[..3].copy_from_slice(&x.0);
    }
    #[inline(always)]
    fn add_bias_load(&self, released: &Articulated<T>, bias: &Twist<T>, w: &mut Wrench<T>) {
        w.force += released.mass.times(bias.linear);
    }
    #[inline(always)]
    fn carry<R: Rotation<T>, P: Copy>(
        &self,
        released: &Articulated<T>,
        r: &R,
        p: Vec3<P>,
        parent: &mut Articulated<T>,
    ) where
        T: Fused<P>,
    {
        // Nothing but the mass is left.
        parent.add_mass(&r.symmetric_to_parent(&released.mass), p);
    }
}

/// No freedom.
#[derive(Clone, Copy)]
pub struct NoFreedom;

impl<T: Real> Freedom<T> for NoFreedom {
    const N: usize = 0;
    #[inline(always)]
    fn advance(&self, _: &[T], _: &mut Vec3<T>, _: &mut Twist<T>) {}
    #[inline(always)]
    fn add_motion(&self, _: &[T], _: &mut Twist<T>) {}
    #[inline(always)]
    fn project(&self, _: &Wrench<T>, _: &mut [T]) {}
    #[inline(always)]
    fn add_turned(&self, _: &[T], _: &T::Orientation, _: &mut Vec3<T>, _: &mut Vec3<T>) {}
    #[inline(always)]
    fn composite_load(&self, _: &Composite<T>, _: usize) -> Wrench<T> {
        Wrench::zero()
    }
    #[inline(always)]
    fn columns(&self, _: &T::Orientation, _: &Vec3<T>, _: &mut [Twist<T>]) {}
    #[inline(always)]
    fn column(&self, _: &Articulated<T>) -> Wrench<T> {
        Wrench::zero()
    }
    #[inline(always)]
    fn pivot(&self, _: &Articulated<T>) -> T {
        T::one()
    }
    #[inline(always)]
    fn invert(&self, _: &Articulated<T>, _: &mut Sym3<T>) {}
    #[inline(always)]
    fn release<'a>(
        &self,
        inertia: &'a mut Articulated<T>,
        _: &Sym3<T>,
        _: &'a mut Articulated<T>,
    ) -> &'a Articulated<T> {
        inertia
    }
    #[inline(always)]
    fn push<P: Real>(&self, _: &Articulated<P>, _: &Sym3<P>, _: &[T], _: &mut Wrench<T>)
    where
        T: Fused<P>,
    {
    }
    #[inline(always)]
    fn respond<P: Real>(&self, _: &Articulated<P>, _: &Sym3<P>, _: &[T], _: &Twist<T>, _: &mut [T])
    where
        T: Fused<P>,
    {
    }
}

/// Runs `$body` with the rotation, offset and freedom of a node in their narrowest types.
///
/// With `held`, a prescribed node has no freedom; it and constant nodes then share one path.
macro_rules! by_kind {
    (held $T:ty, $node:expr, $geometry:expr, |$r:ident, $p:ident, $f:ident| $body:expr) => {{
        if $node.prescribed.is_some() || $node.kind.is_constant() {
            let ($r, $p, $f) = (&$geometry.rotation, $geometry.offset, $crate::kinematics::freedom::NoFreedom);
            $body
        } else {
            $crate::kinematics::freedom::by_kind!(@moving $T, $node, $geometry, |$r, $p, $f| $body, {
                unreachable!("constant nodes are held")
            })
        }
    }};
    ($T:ty, $node:expr, $geometry:expr, |$r:ident, $p:ident, $f:ident| $body:expr) => {{
        $crate::kinematics::freedom::by_kind!(@moving $T, $node, $geometry, |$r, $p, $f| $body, {
            let ($r, $p, $f) = (&$geometry.rotation, $node.placement.position, $crate::kinematics::freedom::NoFreedom);
            $body
        })
    }};
    (@moving $T:ty, $node:expr, $geometry:expr, |$r:ident, $p:ident, $f:ident| $body:expr, $constant:expr) => {{
        use $crate::kinematics::freedom::*;
        use $crate::tree::NodeKind as K;
        use holonom_algebra::{AxisRotation, NoRotation};
        let (node, geometry) = (&$node, &$geometry);
        macro_rules! turn {
            ($a:literal) => {{
                let $r = AxisRotation::<<$T as holonom_algebra::Real>::Turn, $a>(geometry.turn);
                let ($p, $f) = (node.placement.position, Turn::<$a>);
                $body
            }};
        }
        macro_rules! slide {
            ($a:literal) => {{
                let ($r, $p, $f) = (NoRotation, geometry.offset, Slide::<$a>);
                $body
            }};
        }
        match node.kind {
            K::RevoluteX => turn!(0),
            K::RevoluteY => turn!(1),
            K::RevoluteZ => turn!(2),
            K::RevoluteTurned => {
                let ($r, $p, $f) = (&geometry.rotation, node.placement.position, Turn::<2>);
                $body
            }
            K::PrismaticX => slide!(0),
            K::PrismaticY => slide!(1),
            K::PrismaticZ => slide!(2),
            K::PrismaticTurned => {
                let ($r, $p, $f) = (&geometry.rotation, geometry.offset, Slide::<2>);
                $body
            }
            K::Screw => {
                let ($r, $p, $f) = (&geometry.rotation, geometry.offset, ScrewZ { pitch: node.pitch });
                $body
            }
            K::Ball => {
                let ($r, $p, $f) = (&geometry.rotation, node.placement.position, FreeTurn);
                $body
            }
            K::Fixed | K::FixedTurned => $constant,
        }
    }};
}
pub(crate) use by_kind;
