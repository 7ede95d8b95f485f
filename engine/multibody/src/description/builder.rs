//! Mechanisms written in Rust: constructors with the usual values filled in, and methods by value
//! that change them and can be chained. Nothing is checked before [`Description::compile`].

use super::*;
use crate::elements::constraints::*;

impl Description {
    /// An empty mechanism under gravity (0, 0, −9.81) m/s².
    ///
    /// ```
    /// use holonom_multibody::Description;
    /// use holonom_multibody::description::{Body, Joint, frame};
    ///
    /// let model = Description::new("pendulum")
    ///     .body(Body::new("bob", 2.0).marker("hinge", frame::at([0.0, 0.0, 1.5])))
    ///     .joint(Joint::revolute("hinge", "ground", "bob.hinge").axis([0.0, 1.0, 0.0]).start(0.3, 0.0))
    ///     .compile()?;
    /// assert_eq!((model.tree.n_q, model.q0[0]), (1, 0.3));
    /// # Ok::<(), holonom_multibody::diagnostic::ModelErrors>(())
    /// ```
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            gravity: [0.0, 0.0, -9.81],
            bodies: Vec::new(),
            ground: Vec::new(),
            joints: Vec::new(),
            constraints: Vec::new(),
            rods: Vec::new(),
            forces: Vec::new(),
            roads: Vec::new(),
            controls: Vec::new(),
            tracks: Vec::new(),
            paths: Vec::new(),
            inputs: Vec::new(),
            hints: Vec::new(),
            shapes: Vec::new(),
        }
    }

    /// Sets the acceleration of free fall, m/s².
    pub fn gravity(mut self, gravity: [f64; 3]) -> Self {
        self.gravity = gravity;
        self
    }

    /// Adds a body.
    pub fn body(mut self, body: Body) -> Self {
        self.bodies.push(body);
        self
    }

    /// Adds a marker on the ground.
    pub fn ground_marker(mut self, name: impl Into<String>, frame: Frame) -> Self {
        self.ground.push(Marker {
            name: name.into(),
            frame,
        });
        self
    }

    /// Adds a joint.
    pub fn joint(mut self, joint: Joint) -> Self {
        self.joints.push(joint);
        self
    }

    /// Adds a constraint.
    pub fn constraint(mut self, constraint: impl Into<Constraint>) -> Self {
        self.constraints.push(constraint.into());
        self
    }

    /// Adds a rod.
    pub fn rod(mut self, rod: Rod) -> Self {
        self.rods.push(rod);
        self
    }

    /// Adds a force element.
    pub fn force(mut self, force: impl Into<Force>) -> Self {
        self.forces.push(force.into());
        self
    }

    /// Adds a road.
    pub fn road(mut self, road: Road) -> Self {
        self.roads.push(road);
        self
    }

    /// Adds a frame that travels along a track.
    pub fn track(mut self, track: Track) -> Self {
        self.tracks.push(track);
        self
    }

    /// Adds a pose near which loops are to close.
    pub fn start_hint(mut self, hint: StartHint) -> Self {
        self.hints.push(hint);
        self
    }

    /// Adds a path to follow.
    pub fn path(mut self, path: Path) -> Self {
        self.paths.push(path);
        self
    }
}

/// Constructors. Mass in kg, lengths in m.
impl Body {
    /// A point mass at the origin of the body's frame.
    ///
    /// ```
    /// use holonom_multibody::description::Body;
    /// let wheel = Body::new("wheel", 12.0).centre([0.0, 0.0, 0.1]).inertia_diagonal([0.2, 0.2, 0.4]);
    /// assert_eq!(wheel.inertia, [0.2, 0.2, 0.4, 0.0, 0.0, 0.0]);
    /// ```
    pub fn new(name: impl Into<String>, mass: f64) -> Self {
        Self {
            name: name.into(),
            mass,
            centre: [0.0; 3],
            inertia: [0.0; 6],
            unphysical: false,
            markers: Vec::new(),
        }
    }

    /// A homogeneous ball about the origin of its frame.
    pub fn ball(name: impl Into<String>, mass: f64, radius: f64) -> Self {
        Self::new(name, mass).inertia_diagonal([0.4 * mass * radius * radius; 3])
    }

    /// A homogeneous box about the origin of its frame, with the lengths of its edges.
    pub fn cuboid(name: impl Into<String>, mass: f64, edges: [f64; 3]) -> Self {
        let [x, y, z] = edges.map(|edge| mass * edge * edge / 12.0);
        Self::new(name, mass).inertia_diagonal([y + z, x + z, x + y])
    }

    /// A homogeneous cylinder about the origin of its frame, its axis along z.
    pub fn cylinder(name: impl Into<String>, mass: f64, radius: f64, length: f64) -> Self {
        let across = mass * (3.0 * radius * radius + length * length) / 12.0;
        Self::new(name, mass).inertia_diagonal([across, across, 0.5 * mass * radius * radius])
    }

    /// A thin homogeneous rod from the origin of its frame to `end`. It has no inertia about its
    /// own axis: a joint that turns it there freely is refused.
    pub fn thin_rod(name: impl Into<String>, mass: f64, end: [f64; 3]) -> Self {
        let [x, y, z] = end;
        let k = mass / 12.0;
        Self::new(name, mass).centre(end.map(|e| 0.5 * e)).inertia([
            k * (y * y + z * z),
            k * (z * z + x * x),
            k * (x * x + y * y),
            -k * x * y,
            -k * y * z,
            -k * z * x,
        ])
    }

    /// A body of a planar mechanism with the moment of inertia about z through its centre of
    /// mass, kg m². The other moments, without effect in the plane, are set to the same value.
    pub fn planar(name: impl Into<String>, mass: f64, moment: f64) -> Self {
        Self::new(name, mass).inertia_diagonal([moment; 3])
    }

    /// Sets the centre of mass in the body's frame, m.
    pub fn centre(mut self, centre: [f64; 3]) -> Self {
        self.centre = centre;
        self
    }

    /// Accepts moments of inertia that no rigid body can have.
    pub fn unphysical(mut self) -> Self {
        self.unphysical = true;
        self
    }

    /// Sets the moments of inertia about the centre of mass, kg m², with axes parallel to the
    /// body's frame.
    pub fn inertia_diagonal(self, [x, y, z]: [f64; 3]) -> Self {
        self.inertia([x, y, z, 0.0, 0.0, 0.0])
    }

    /// Sets the moment of inertia about the centre of mass, kg m²: entries xx, yy, zz, xy, yz, zx
    /// of the matrix.
    pub fn inertia(mut self, inertia: [f64; 6]) -> Self {
        self.inertia = inertia;
        self
    }

    /// Adds a marker.
    pub fn marker(mut self, name: impl Into<String>, frame: Frame) -> Self {
        self.markers.push(Marker {
            name: name.into(),
            frame,
        });
        self
    }
}

macro_rules! joint_constructors {
    ($($(#[$doc:meta])* $name:ident $kind:ident $({ $($(#[$field_doc:meta])* $field:ident: $type:ty),* })?,)*) => {
        /// Constructors: name, first frame, second frame, numbers of the kind. Main axis z, at rest at zero.
        impl Joint {
            $($(#[$doc])*
            pub fn $name(
                name: impl Into<String>,
                from: impl Into<String>,
                to: impl Into<String>,
                $($($field: $type,)*)?
            ) -> Self {
                Self::new(name, JointKind::$kind $({ $($field),* })?, from, to)
            })*
        }
    };
}

crate::elements::joints::each_joint!(joint_constructors);

impl Joint {
    /// A joint of any kind.
    ///
    /// ```
    /// use holonom_multibody::Signal;
    /// use holonom_multibody::description::{Joint, JointKind};
    /// let shaft = Joint::new("shaft", JointKind::Cylindrical, "ground", "rotor")
    ///     .axis([1.0, 0.0, 0.0])
    ///     .prescribed(0, Signal::linear(0.0, 100.0))
    ///     .locked(1, 0.02);
    /// assert_eq!(shaft.coordinates.len(), 2);
    /// ```
    pub fn new(
        name: impl Into<String>,
        kind: JointKind,
        from: impl Into<String>,
        to: impl Into<String>,
    ) -> Self {
        Self {
            name: name.into(),
            kind,
            from: from.into(),
            to: to.into(),
            axis: [0.0, 0.0, 1.0],
            coordinates: Vec::new(),
            orientation: [1.0, 0.0, 0.0, 0.0],
            angular_velocity: [0.0; 3],
            orientation_hold: Hold::Free,
            angular_velocity_hold: Hold::Free,
            orientation_locked: false,
            hint: Hint::Auto,
        }
    }

    /// Sets the main axis, given in both frames. Its length does not matter.
    pub fn axis(mut self, axis: [f64; 3]) -> Self {
        self.axis = axis;
        self
    }

    /// States the start value (rad or m) of the first coordinate and, unless it is zero, its start velocity. A
    /// velocity that is not stated follows from the constraints: [`start_velocity`](Self::start_velocity) states a
    /// zero.
    pub fn start(self, position: f64, velocity: f64) -> Self {
        self.start_at(0, position, velocity)
    }

    /// States the start value of a coordinate, counted from 0, and, unless it is zero, its start velocity.
    pub fn start_at(mut self, index: usize, position: f64, velocity: f64) -> Self {
        let coordinate = self.coordinate(index);
        coordinate.position = position;
        coordinate.velocity = velocity;
        coordinate.position_hold = Hold::Stated;
        coordinate.velocity_hold = match velocity {
            0.0 => Hold::Free,
            _ => Hold::Stated,
        };
        self
    }

    /// States the start value of a coordinate, and nothing about its velocity.
    pub fn start_position(mut self, index: usize, position: f64) -> Self {
        let coordinate = self.coordinate(index);
        coordinate.position = position;
        coordinate.position_hold = Hold::Stated;
        self
    }

    /// States the start velocity of a coordinate, and nothing about its value.
    pub fn start_velocity(mut self, index: usize, velocity: f64) -> Self {
        let coordinate = self.coordinate(index);
        coordinate.velocity = velocity;
        coordinate.velocity_hold = Hold::Stated;
        self
    }

    /// Fixes the start value of a coordinate: it is kept, or the start is refused.
    pub fn fixed_position(mut self, index: usize, position: f64) -> Self {
        let coordinate = self.coordinate(index);
        coordinate.position = position;
        coordinate.position_hold = Hold::Fixed;
        self
    }

    /// Fixes the start velocity of a coordinate: it is kept, or the start is refused.
    pub fn fixed_velocity(mut self, index: usize, velocity: f64) -> Self {
        let coordinate = self.coordinate(index);
        coordinate.velocity = velocity;
        coordinate.velocity_hold = Hold::Fixed;
        self
    }

    /// Lets a coordinate follow a function of time.
    pub fn prescribed(mut self, index: usize, signal: Signal) -> Self {
        self.coordinate(index).motion = CoordinateMotion::Prescribed(signal);
        self
    }

    /// Keeps a coordinate at a value.
    pub fn locked(mut self, index: usize, position: f64) -> Self {
        *self.coordinate(index) = Coordinate {
            position,
            motion: CoordinateMotion::Locked,
            ..Coordinate::default()
        };
        self
    }

    /// Sets the start orientation of a `Spherical` or `Free` joint: Euler parameters, scalar
    /// first, of any length but zero.
    pub fn orientation(mut self, orientation: [f64; 4]) -> Self {
        self.orientation = orientation;
        self.orientation_hold = Hold::Stated;
        self
    }

    /// Sets the start angular velocity of a `Spherical` or `Free` joint in the axes of the second
    /// frame, rad/s.
    pub fn angular_velocity(mut self, angular_velocity: [f64; 3]) -> Self {
        self.angular_velocity = angular_velocity;
        self.angular_velocity_hold = Hold::Stated;
        self
    }

    /// Fixes the start orientation: it is kept, or the start is refused.
    pub fn orientation_fixed(mut self) -> Self {
        self.orientation_hold = Hold::Fixed;
        self
    }

    /// Fixes the start angular velocity: it is kept, or the start is refused.
    pub fn angular_velocity_fixed(mut self) -> Self {
        self.angular_velocity_hold = Hold::Fixed;
        self
    }

    /// Keeps the start orientation of a `Spherical` or `Free` joint.
    pub fn orientation_locked(mut self) -> Self {
        self.orientation_locked = true;
        self
    }

    /// Wishes the joint into the tree or cut.
    pub fn hint(mut self, hint: Hint) -> Self {
        self.hint = hint;
        self
    }

    fn coordinate(&mut self, index: usize) -> &mut Coordinate {
        if self.coordinates.len() <= index {
            self.coordinates.resize_with(index + 1, Coordinate::default);
        }
        &mut self.coordinates[index]
    }
}

/// The first coordinate of a joint.
impl From<&str> for CoordinateRef {
    fn from(joint: &str) -> Self {
        (joint, 0).into()
    }
}

/// A coordinate of a joint by its number.
impl From<(&str, usize)> for CoordinateRef {
    fn from((joint, index): (&str, usize)) -> Self {
        Self {
            joint: joint.to_string(),
            index,
        }
    }
}

/// Constructors. Coordinates are `"joint"` for the first one or `("joint", number)`.
impl Constraint {
    /// A constraint of any kind.
    pub fn new(name: impl Into<String>, kind: impl Into<ConstraintKind>) -> Self {
        Self {
            name: name.into(),
            kind: kind.into(),
        }
    }
}

/// Constructors for the kinds are with these. What they do not ask for is zero and can be set by the methods.
impl Force {
    /// A force element of any kind.
    pub fn new(name: impl Into<String>, kind: impl Into<ForceKind>) -> Self {
        Self {
            name: name.into(),
            kind: kind.into(),
        }
    }
}

impl Description {
    /// Adds a control.
    ///
    /// ```
    /// use holonom_multibody::{Description, Signal};
    /// use holonom_multibody::description::{Body, Control, Force, Joint};
    ///
    /// let model = Description::new("held pendulum")
    ///     .body(Body::new("bob", 2.0).centre([1.0, 0.0, 0.0]))
    ///     .joint(Joint::revolute("pin", "ground", "bob").axis([0.0, -1.0, 0.0]))
    ///     .control(Control::sensor("angle", "pin.angle"))
    ///     .control(Control::pid("controller", Signal::of("angle", &["angle"])?, [300.0, 100.0, 60.0]))
    ///     .force(Force::motor("motor", "pin", Signal::of("controller", &["controller"])?))
    ///     .compile()?;
    /// assert_eq!(model.states.len(), 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn control(mut self, control: impl Into<Control>) -> Self {
        self.controls.push(control.into());
        self
    }
}

/// Constructors for the kinds are with these. What they do not ask for is as in an absent field of a model file.
impl Control {
    /// A control of any kind.
    pub fn new(name: impl Into<String>, kind: impl Into<ControlKind>) -> Self {
        Self {
            name: name.into(),
            kind: kind.into(),
        }
    }
}

impl Rod {
    /// A rod without mass between the origins of two frames, with its length in m.
    ///
    /// ```
    /// use holonom_multibody::description::Rod;
    /// let link = Rod::new("link", "chassis.a", "carrier.b", 0.4).mass(0.8);
    /// assert_eq!(link.mass, 0.8);
    /// ```
    pub fn new(name: impl Into<String>, from: impl Into<String>, to: impl Into<String>, length: f64) -> Self {
        Self {
            name: name.into(),
            from: from.into(),
            to: to.into(),
            length,
            mass: 0.0,
        }
    }

    /// Sets the mass, kg.
    pub fn mass(mut self, mass: f64) -> Self {
        self.mass = mass;
        self
    }
}
