//! Constructors of force elements.

use crate::Signal;
use crate::description::{Carcass, CoordinateRef, Document, Force, ForceKind, Mount};
use crate::elements::forces::*;
use crate::tyre::{Calspan, Linear, Tmeasy};
use std::sync::Arc;

/// Constructors. What they do not ask for is zero and can be set by the methods.
impl Force {
    /// A force element of any kind.
    pub fn new(name: impl Into<String>, kind: impl Into<ForceKind>) -> Self {
        Self {
            name: name.into(),
            kind: kind.into(),
        }
    }

    /// A force over time at the origin of a frame, in the axes of the ground, N.
    ///
    /// ```
    /// use holonom_multibody::Signal;
    /// use holonom_multibody::description::Force;
    /// let zero = || Signal::constant(0.0);
    /// let thrust = Force::applied("thrust", "rocket.nozzle", [zero(), zero(), Signal::constant(1e4)]).follower();
    /// ```
    pub fn applied(name: impl Into<String>, frame: impl Into<String>, force: [Signal; 3]) -> Self {
        let kind = ForceKind::Applied(Applied {
            frame: frame.into(),
            force,
            torque: [0.0; 3].map(Signal::constant),
            follower: false,
        });
        Self::new(name, kind)
    }

    /// A torque over time on a frame, in the axes of the ground, N m.
    pub fn torque(name: impl Into<String>, frame: impl Into<String>, torque: [Signal; 3]) -> Self {
        let kind = ForceKind::Applied(Applied {
            frame: frame.into(),
            force: [0.0; 3].map(Signal::constant),
            torque,
            follower: false,
        });
        Self::new(name, kind)
    }

    /// Lets an applied force or torque turn with its frame. No effect on other kinds.
    pub fn follower(mut self) -> Self {
        if let ForceKind::Applied(Applied { follower, .. }) = &mut self.kind {
            *follower = true;
        }
        self
    }

    /// Spring and damper between the origins of two frames: stiffness in N/m, damping in N s/m,
    /// length without force in m.
    pub fn spring_damper(
        name: impl Into<String>,
        from: impl Into<String>,
        to: impl Into<String>,
        stiffness: f64,
        damping: f64,
        free_length: f64,
    ) -> Self {
        let kind = ForceKind::SpringDamper(SpringDamper {
            from: from.into(),
            to: to.into(),
            stiffness,
            damping,
            free_length,
            preload: 0.0,
        });
        Self::new(name, kind)
    }

    /// Sets the additional tension of a spring–damper, N. No effect on other kinds.
    pub fn preload(mut self, tension: f64) -> Self {
        if let ForceKind::SpringDamper(SpringDamper { preload, .. }) = &mut self.kind {
            *preload = tension;
        }
        self
    }

    /// Spring and damper about the common z axis of two frames: stiffness in N m/rad, damping in
    /// N m s/rad, angle without torque in rad.
    pub fn torsion_spring(
        name: impl Into<String>,
        from: impl Into<String>,
        to: impl Into<String>,
        stiffness: f64,
        damping: f64,
        free_angle: f64,
    ) -> Self {
        let kind = ForceKind::TorsionSpring(TorsionSpring {
            from: from.into(),
            to: to.into(),
            stiffness,
            damping,
            free_angle,
        });
        Self::new(name, kind)
    }

    /// Spring and damper on a coordinate of a joint: stiffness in N m/rad or N/m, damping,
    /// position without force.
    pub fn joint_spring(
        name: impl Into<String>,
        coordinate: impl Into<CoordinateRef>,
        stiffness: f64,
        damping: f64,
        free_position: f64,
    ) -> Self {
        let kind = ForceKind::JointSpring(JointSpring {
            coordinate: coordinate.into(),
            stiffness,
            damping,
            free_position,
            motor: Signal::constant(0.0),
        });
        Self::new(name, kind)
    }

    /// A force or torque over time on a coordinate of a joint, N or N m.
    pub fn motor(name: impl Into<String>, coordinate: impl Into<CoordinateRef>, motor: Signal) -> Self {
        let kind = ForceKind::JointSpring(JointSpring {
            coordinate: coordinate.into(),
            stiffness: 0.0,
            damping: 0.0,
            free_position: 0.0,
            motor,
        });
        Self::new(name, kind)
    }

    /// Spring and damper in series between the origins of two frames: stiffness in N/m, damping
    /// in N s/m, length without force at the start in m.
    pub fn maxwell(
        name: impl Into<String>,
        from: impl Into<String>,
        to: impl Into<String>,
        stiffness: f64,
        damping: f64,
        free_length: f64,
    ) -> Self {
        let kind = ForceKind::Maxwell(Maxwell {
            from: from.into(),
            to: to.into(),
            stiffness,
            damping,
            free_length,
            start: 0.0,
        });
        Self::new(name, kind)
    }

    /// Creep forces at a wheel-rail constraint, by its name.
    pub fn creep(name: impl Into<String>, contact: impl Into<String>, data: CreepData) -> Self {
        let contact = contact.into();
        Self::new(name, ForceKind::Creep(Creep { contact, data }))
    }

    /// Friction on a coordinate of a joint: coefficient of sliding and constant normal force in N.
    /// The other numbers are those of an absent field in a model file.
    ///
    /// ```
    /// use holonom_multibody::description::{Force, ForceKind};
    /// use holonom_multibody::elements::forces::JointFriction;
    /// let mut friction = Force::joint_friction("rub", "slide", 0.1, 50.0);
    /// if let ForceKind::JointFriction(JointFriction { from_reaction, .. }) = &mut friction.kind {
    ///     *from_reaction = true;
    /// }
    /// ```
    pub fn joint_friction(
        name: impl Into<String>,
        coordinate: impl Into<CoordinateRef>,
        coefficient: f64,
        normal_force: f64,
    ) -> Self {
        let kind = ForceKind::JointFriction(JointFriction {
            coordinate: coordinate.into(),
            friction: 0.0,
            stribeck_friction: 0.0,
            coefficient,
            stribeck: 0.0,
            stribeck_velocity: 0.01,
            transition_velocity: 1e-3,
            viscous: 0.0,
            normal_force,
            from_reaction: false,
            radius: 1.0,
        });
        Self::new(name, kind)
    }

    /// Coulomb friction of a constant torque or force on a coordinate of a joint, N m or N.
    pub fn coulomb_friction(
        name: impl Into<String>,
        coordinate: impl Into<CoordinateRef>,
        torque: f64,
    ) -> Self {
        let mut force = Self::joint_friction(name, coordinate, 0.0, 0.0);
        if let ForceKind::JointFriction(JointFriction { friction, .. }) = &mut force.kind {
            *friction = torque;
        }
        force
    }

    /// A tyre by the Magic Formula with a tyre property file.
    ///
    /// ```
    /// use holonom_multibody::description::{Document, Force, Mount};
    /// use holonom_multibody::tyre::{MagicFormula, tir::TirFile};
    /// let data = TirFile::from_magic_formula(&MagicFormula { fnomin: 4000.0, ..MagicFormula::default() });
    /// let tyre = Force::tyre("tyre", Mount::new("wheel").on("road"), Document::new("car.tir", data.to_string()));
    /// assert_eq!(tyre.kind.info().name, "tyre");
    /// ```
    pub fn tyre(name: impl Into<String>, mount: Mount, data: Document) -> Self {
        Self::new(name, ForceKind::Tyre(Tyre { mount, data }))
    }

    /// A tyre of constant stiffness within the friction ellipse.
    pub fn linear_tyre(name: impl Into<String>, mount: Mount, carcass: Carcass, law: Linear) -> Self {
        Self::new(name, ForceKind::LinearTyre(LinearTyre { mount, carcass, law }))
    }

    /// A tyre with the side force of the Calspan model.
    pub fn calspan_tyre(name: impl Into<String>, mount: Mount, carcass: Carcass, law: Calspan) -> Self {
        Self::new(name, ForceKind::CalspanTyre(CalspanTyre { mount, carcass, law }))
    }

    /// A TMeasy tyre.
    pub fn tmeasy_tyre(name: impl Into<String>, mount: Mount, carcass: Carcass, law: Tmeasy) -> Self {
        let law = Box::new(law);
        Self::new(name, ForceKind::TmeasyTyre(TmeasyTyre { mount, carcass, law }))
    }

    /// A user's law between two frames: 19 inputs and 6 outputs, see [`ForceKind::User`].
    pub fn user(
        name: impl Into<String>,
        from: impl Into<String>,
        to: impl Into<String>,
        law: Arc<dyn holonom_algebra::Function>,
    ) -> Self {
        let (from, to) = (from.into(), to.into());
        Self::new(
            name,
            ForceKind::User(User {
                from,
                to,
                law,
                switched: None,
            }),
        )
    }
}
