//! Constructors of springs, stops, contacts and drives.

use crate::Signal;
use crate::description::{CoordinateRef, Force, ForceKind};
use crate::elements::forces::*;
use crate::expression::{Expression, ScalarLaw, Scope};

/// Springs, stops, contacts and drives.
impl Force {
    /// Spring with a curved characteristic between the origins of two frames: tension in N over
    /// `x`, the length less the free length in m, as a table or an expression.
    ///
    /// ```
    /// use holonom_multibody::curve::{Curve, Extrapolation, Interpolation};
    /// use holonom_multibody::description::Force;
    /// let (x, f) = (vec![-0.1, 0.0, 0.05], vec![-9e3, 0.0, 2e3]);
    /// let rubber = Curve::new("rubber", x, f, Interpolation::Monotone, Extrapolation::Linear)?;
    /// let spring = Force::nonlinear_spring("spring", "chassis.top", "axle", rubber, 0.3).damper(1500.0);
    /// # Ok::<(), holonom_multibody::curve::CurveError>(())
    /// ```
    pub fn nonlinear_spring(
        name: impl Into<String>,
        from: impl Into<String>,
        to: impl Into<String>,
        spring: impl Into<ScalarLaw>,
        free_length: f64,
    ) -> Self {
        let law = SpringLaw {
            spring: spring.into().over("x"),
            free: free_length,
            ..SpringLaw::default()
        };
        let (from, to) = (from.into(), to.into());
        Self::new(
            name,
            ForceKind::NonlinearSpring(NonlinearSpring { from, to, law }),
        )
    }

    /// Spring with a curved characteristic on a coordinate of a joint: restoring force over `x`, the
    /// coordinate less the free position.
    pub fn nonlinear_joint_spring(
        name: impl Into<String>,
        coordinate: impl Into<CoordinateRef>,
        spring: impl Into<ScalarLaw>,
        free_position: f64,
    ) -> Self {
        let law = SpringLaw {
            spring: spring.into().over("x"),
            free: free_position,
            ..SpringLaw::default()
        };
        let coordinate = coordinate.into();
        Self::new(
            name,
            ForceKind::NonlinearJointSpring(NonlinearJointSpring { coordinate, law }),
        )
    }

    /// Sets the damper of a nonlinear spring: force over the rate `v`, as a table, an expression or
    /// a number that stands for a linear damper. No effect on other kinds.
    pub fn damper(mut self, damper: impl Into<ScalarLaw>) -> Self {
        if let ForceKind::NonlinearSpring(NonlinearSpring { law, .. })
        | ForceKind::NonlinearJointSpring(NonlinearJointSpring { law, .. }) = &mut self.kind
        {
            let damper = damper.into().over("v");
            law.damper = match damper.value() {
                Some(factor) => {
                    let text = format!("{factor:?}*v");
                    let scope = Scope::new().variable("v");
                    // What is not finite stays and is reported when the mechanism is compiled.
                    Expression::parse(&text, &scope, None).unwrap_or(damper)
                }
                None => damper,
            };
        }
        self
    }

    /// Elastic bearing between two frames.
    ///
    /// ```
    /// use holonom_multibody::description::Force;
    /// use holonom_multibody::elements::forces::BushingLaw;
    /// let rubber = BushingLaw::diagonal([8e5, 8e5, 1e5, 90.0, 90.0, 30.0], [400.0, 400.0, 50.0, 0.1, 0.1, 0.1]);
    /// let bushing = Force::bushing("rear", "chassis.rear", "arm.rear", rubber);
    /// ```
    pub fn bushing(
        name: impl Into<String>,
        from: impl Into<String>,
        to: impl Into<String>,
        law: BushingLaw,
    ) -> Self {
        let (from, to, law) = (from.into(), to.into(), Box::new(law));
        Self::new(name, ForceKind::Bushing(Bushing { from, to, law }))
    }

    /// Torsion bar carried by the frame `bar`, with levers and links along its z axis to two others.
    pub fn anti_roll_bar(
        name: impl Into<String>,
        bar: impl Into<String>,
        left: impl Into<String>,
        right: impl Into<String>,
        law: AntiRollLaw,
    ) -> Self {
        let kind = ForceKind::AntiRollBar(AntiRollBar {
            bar: bar.into(),
            left: left.into(),
            right: right.into(),
            law,
        });
        Self::new(name, kind)
    }

    /// Torsion bar between two coordinates: torque stiffness · (left − right).
    pub fn joint_anti_roll_bar(
        name: impl Into<String>,
        left: impl Into<CoordinateRef>,
        right: impl Into<CoordinateRef>,
        stiffness: f64,
        damping: f64,
    ) -> Self {
        let law = JointAntiRollLaw {
            stiffness,
            damping,
            ..JointAntiRollLaw::default()
        };
        let (left, right) = (left.into(), right.into());
        Self::new(
            name,
            ForceKind::JointAntiRollBar(JointAntiRollBar { left, right, law }),
        )
    }

    /// Enclosed gas between the origins of two frames.
    ///
    /// ```
    /// use holonom_multibody::description::Force;
    /// use holonom_multibody::elements::forces::GasLaw;
    /// use holonom_multibody::expression::ScalarLaw;
    /// let law = GasLaw {
    ///     height: 0.2,
    ///     volume: 0.01,
    ///     area: ScalarLaw::from(0.03).over("x"),
    ///     load: 15e3,
    ///     ..GasLaw::default()
    /// };
    /// let bellows = Force::air_spring("bellows", "axle", "frame.seat", law);
    /// ```
    pub fn air_spring(
        name: impl Into<String>,
        from: impl Into<String>,
        to: impl Into<String>,
        law: GasLaw,
    ) -> Self {
        let (from, to) = (from.into(), to.into());
        Self::new(name, ForceKind::AirSpring(AirSpring { from, to, law }))
    }

    /// Buffer that pushes the origins of two frames apart below a distance.
    pub fn bump_stop(
        name: impl Into<String>,
        from: impl Into<String>,
        to: impl Into<String>,
        length: f64,
        law: StopLaw,
    ) -> Self {
        let kind = ForceKind::BumpStop(BumpStop {
            from: from.into(),
            to: to.into(),
            length,
            rebound: false,
            law,
        });
        Self::new(name, kind)
    }

    /// Lets a bump stop act above its distance and pull. No effect on other kinds.
    pub fn rebound(mut self) -> Self {
        if let ForceKind::BumpStop(BumpStop { rebound, .. }) = &mut self.kind {
            *rebound = true;
        }
        self
    }

    /// End stops of a coordinate, which begin to act at its ends; an infinite end is none.
    pub fn joint_stop(
        name: impl Into<String>,
        coordinate: impl Into<CoordinateRef>,
        [lower, upper]: [f64; 2],
        law: StopLaw,
    ) -> Self {
        let kind = ForceKind::JointStop(JointStop {
            coordinate: coordinate.into(),
            lower,
            upper,
            law,
        });
        Self::new(name, kind)
    }

    /// A shape about the frame `body` on the x–y plane of the frame `plane`.
    ///
    /// ```
    /// use holonom_multibody::description::Force;
    /// use holonom_multibody::elements::forces::{ContactLaw, Shape};
    /// let law = ContactLaw { stiffness: 1e6, dissipation: 0.3, friction: 0.4, ..ContactLaw::default() };
    /// let floor = Force::plane_contact("floor", "ground", "ball", Shape::sphere(0.1), law);
    /// ```
    pub fn plane_contact(
        name: impl Into<String>,
        plane: impl Into<String>,
        body: impl Into<String>,
        shape: Shape,
        law: ContactLaw,
    ) -> Self {
        let kind = ForceKind::PlaneContact(PlaneContact {
            plane: plane.into(),
            body: body.into(),
            shape,
            law,
        });
        Self::new(name, kind)
    }

    /// Two spheres about the origins of two frames.
    pub fn sphere_contact(
        name: impl Into<String>,
        from: impl Into<String>,
        to: impl Into<String>,
        radii: [f64; 2],
        law: ContactLaw,
    ) -> Self {
        let kind = ForceKind::SphereContact(SphereContact {
            from: from.into(),
            to: to.into(),
            radii,
            law,
        });
        Self::new(name, kind)
    }

    /// Two cylinders about the z axes of two frames.
    pub fn cylinder_contact(
        name: impl Into<String>,
        from: impl Into<String>,
        to: impl Into<String>,
        cylinders: Cylinders,
        law: ContactLaw,
    ) -> Self {
        let kind = ForceKind::CylinderContact(CylinderContact {
            from: from.into(),
            to: to.into(),
            cylinders,
            law,
        });
        Self::new(name, kind)
    }

    /// A force over time that pushes the origins of two frames apart, N.
    pub fn actuator(
        name: impl Into<String>,
        from: impl Into<String>,
        to: impl Into<String>,
        force: Signal,
    ) -> Self {
        let kind = ForceKind::Actuator(Actuator {
            from: from.into(),
            to: to.into(),
            force,
            torque: Signal::constant(0.0),
        });
        Self::new(name, kind)
    }

    /// A torque over time on the second frame about z of the first, N m.
    pub fn torque_actuator(
        name: impl Into<String>,
        from: impl Into<String>,
        to: impl Into<String>,
        torque: Signal,
    ) -> Self {
        let kind = ForceKind::Actuator(Actuator {
            from: from.into(),
            to: to.into(),
            force: Signal::constant(0.0),
            torque,
        });
        Self::new(name, kind)
    }

    /// A drive that leads a coordinate to a set point.
    ///
    /// ```
    /// use holonom_multibody::Signal;
    /// use holonom_multibody::description::Force;
    /// use holonom_multibody::elements::forces::ServoLaw;
    /// let law = ServoLaw { stiffness: 400.0, damping: 20.0, limit: 60.0 };
    /// let elbow = Force::servo("drive", "elbow", Signal::harmonic(0.5, 2.0, 0.0), law);
    /// ```
    pub fn servo(
        name: impl Into<String>,
        coordinate: impl Into<CoordinateRef>,
        target: Signal,
        law: ServoLaw,
    ) -> Self {
        let coordinate = coordinate.into();
        Self::new(
            name,
            ForceKind::Servo(Servo {
                coordinate,
                target,
                law,
            }),
        )
    }
}
