//! A mechanism as plain data: what the generator makes, the writer writes and the oracle computes with.

use crate::generator::Family;
use crate::geometry::{M3, UNIT, V3, about, add, apply, cardan, product, scale};

/// A mechanism with its poses and velocities at the start, all of which fit the joints.
#[derive(Clone, Debug)]
pub struct Mechanism {
    /// What it was made from.
    pub seed: u64,
    /// Its kind.
    pub family: Family,
    /// Its size, m.
    pub size: f64,
    /// Time in which something falls by about its size, s.
    pub tau: f64,
    /// Gravity, m/s².
    pub gravity: V3,
    /// Bodies.
    pub bodies: Vec<Body>,
    /// Frames on bodies and on the ground.
    pub frames: Vec<Frame>,
    /// Joints.
    pub joints: Vec<Joint>,
    /// Constraints.
    pub constraints: Vec<Constraint>,
    /// Force elements.
    pub forces: Vec<Force>,
    /// End of the run, s.
    pub t_end: f64,
    /// Degrees of freedom by the oracle.
    pub freedoms: usize,
    /// Rank of all rows at the start.
    pub rank: usize,
    /// Smallest nonzero over largest singular value of the rows at the start.
    pub condition: f64,
}

/// A rigid body.
#[derive(Clone, Debug)]
pub struct Body {
    /// Name.
    pub name: String,
    /// Mass, kg.
    pub mass: f64,
    /// Centre of mass in its frame.
    pub centre: V3,
    /// Inertia about the centre of mass in the axes of its frame.
    pub inertia: M3,
    /// Position of its frame in the world.
    pub position: V3,
    /// Rotation of its frame.
    pub rotation: M3,
    /// Velocity of the centre of mass, in the axes of the world.
    pub velocity: V3,
    /// Angular velocity in its own axes.
    pub omega: V3,
}

/// A frame on a body, or on the ground.
#[derive(Clone, Debug)]
pub struct Frame {
    /// Name as in model files.
    pub name: String,
    /// Its body; `None` for the ground.
    pub body: Option<usize>,
    /// Position on the body.
    pub position: V3,
    /// Rotation on the body.
    pub rotation: M3,
}

/// Kinds of joints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "named as in model files")]
pub enum JointKind {
    Fixed,
    Revolute,
    Prismatic,
    Cylindrical,
    Helical,
    Universal,
    Planar,
    Spherical,
    Free,
    FreeCardan,
}

impl JointKind {
    /// All of them.
    pub const ALL: [Self; 10] = [
        Self::Fixed,
        Self::Revolute,
        Self::Prismatic,
        Self::Cylindrical,
        Self::Helical,
        Self::Universal,
        Self::Planar,
        Self::Spherical,
        Self::Free,
        Self::FreeCardan,
    ];

    /// The name in model files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Fixed => "fixed",
            Self::Revolute => "revolute",
            Self::Prismatic => "prismatic",
            Self::Cylindrical => "cylindrical",
            Self::Helical => "helical",
            Self::Universal => "universal",
            Self::Planar => "planar",
            Self::Spherical => "spherical",
            Self::Free => "free",
            Self::FreeCardan => "free-cardan",
        }
    }

    /// Names of the scalar coordinates; an orientation comes besides.
    pub fn coordinates(self) -> &'static [&'static str] {
        match self {
            Self::Fixed | Self::Spherical => &[],
            Self::Revolute | Self::Helical => &["angle"],
            Self::Prismatic => &["displacement"],
            Self::Cylindrical => &["angle", "displacement"],
            Self::Universal => &["angle_x", "angle_y"],
            Self::Planar => &["x", "y", "angle"],
            Self::Free => &["x", "y", "z"],
            Self::FreeCardan => &["x", "y", "z", "angle_x", "angle_y", "angle_z"],
        }
    }

    /// Freedoms it leaves.
    pub fn freedoms(self) -> usize {
        match self {
            Self::Spherical => 3,
            Self::Free => 6,
            other => other.coordinates().len(),
        }
    }

    /// Whether it has an axis of its own.
    pub fn has_axis(self) -> bool {
        matches!(
            self,
            Self::Revolute | Self::Prismatic | Self::Cylindrical | Self::Helical
        )
    }

    /// Whether it has an orientation besides its scalar coordinates.
    pub fn has_orientation(self) -> bool {
        matches!(self, Self::Spherical | Self::Free)
    }

    /// Whether joints of this kind may be cut.
    pub fn can_be_cut(self) -> bool {
        !matches!(self, Self::Free | Self::FreeCardan)
    }

    /// The second frame seen from the first.
    pub fn motion(self, axis: V3, pitch: f64, x: &[f64], orientation: &M3) -> (V3, M3) {
        let none = [0.0; 3];
        match self {
            Self::Fixed => (none, UNIT),
            Self::Revolute => (none, about(axis, x[0])),
            Self::Prismatic => (scale(x[0], axis), UNIT),
            Self::Cylindrical => (scale(x[1], axis), about(axis, x[0])),
            Self::Helical => (scale(pitch * x[0], axis), about(axis, x[0])),
            Self::Universal => (none, cardan([x[0], x[1], 0.0])),
            Self::Planar => ([x[0], x[1], 0.0], about([0.0, 0.0, 1.0], x[2])),
            Self::Spherical => (none, *orientation),
            Self::Free => ([x[0], x[1], x[2]], *orientation),
            Self::FreeCardan => ([x[0], x[1], x[2]], cardan([x[3], x[4], x[5]])),
        }
    }
}

/// Whether a coordinate of this name is an angle.
pub fn is_angle(coordinate: &str) -> bool {
    coordinate.starts_with("angle")
}

/// A joint.
#[derive(Clone, Debug)]
pub struct Joint {
    /// Name.
    pub name: String,
    /// Kind.
    pub kind: JointKind,
    /// First frame.
    pub from: usize,
    /// Second frame.
    pub to: usize,
    /// Axis as written, of any length; z unless given.
    pub axis: Option<V3>,
    /// Displacement per angle of screws.
    pub pitch: f64,
    /// Coordinates at the start.
    pub start: Vec<f64>,
    /// Their rates.
    pub rates: Vec<f64>,
    /// How they are prescribed.
    pub drives: Vec<Drive>,
    /// Orientation at the start, of joints that have one.
    pub orientation: M3,
    /// Angular velocity at the start in the axes of the second frame, of joints with an orientation.
    pub angular_velocity: V3,
    /// Whether a body was made with it: the joints of a tree. Others close loops.
    pub in_tree: bool,
}

impl Joint {
    /// The axis, of length one.
    pub fn unit_axis(&self) -> V3 {
        self.axis.map_or([0.0, 0.0, 1.0], crate::geometry::normalised)
    }
}

/// Whether and how a coordinate is prescribed.
#[derive(Clone, Debug, PartialEq)]
pub enum Drive {
    /// Not at all.
    None,
    /// It stays.
    Locked,
    /// It follows a function of time.
    Follows(Signal),
}

/// A function of time.
#[derive(Clone, Debug, PartialEq)]
pub struct Signal {
    /// Its mean.
    pub mean: f64,
    /// Amplitude of its sine.
    pub amplitude: f64,
    /// Angular frequency, rad/s.
    pub frequency: f64,
    /// Phase at time zero.
    pub phase: f64,
}

impl Signal {
    /// A number.
    pub fn constant(mean: f64) -> Self {
        Self {
            mean,
            amplitude: 0.0,
            frequency: 0.0,
            phase: 0.0,
        }
    }

    /// Value, first and second derivative.
    pub fn at(&self, t: f64) -> [f64; 3] {
        let (s, c) = (self.frequency * t + self.phase).sin_cos();
        [
            self.mean + self.amplitude * s,
            self.amplitude * self.frequency * c,
            -self.amplitude * self.frequency.powi(2) * s,
        ]
    }
}

/// A coordinate of a joint: the joint and the place in its list.
pub type Coordinate = (usize, usize);

/// A constraint besides joints.
#[derive(Clone, Debug)]
pub struct Constraint {
    /// Name.
    pub name: String,
    /// What it asks.
    pub law: ConstraintLaw,
}

/// Laws of constraints.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "named as in model files")]
pub enum ConstraintLaw {
    Point {
        from: usize,
        to: usize,
    },
    Distance {
        from: usize,
        to: usize,
        length: f64,
    },
    Driver {
        coordinate: Coordinate,
        follows: Signal,
    },
    Coupling {
        terms: Vec<(Coordinate, f64)>,
        offset: f64,
    },
}

/// A force element.
#[derive(Clone, Debug)]
pub struct Force {
    /// Name.
    pub name: String,
    /// What it does.
    pub law: ForceLaw,
}

/// Laws of force elements.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "named as in model files")]
pub enum ForceLaw {
    SpringDamper {
        from: usize,
        to: usize,
        stiffness: f64,
        damping: f64,
        free_length: f64,
        preload: f64,
    },
    TorsionSpring {
        from: usize,
        to: usize,
        stiffness: f64,
        damping: f64,
        free_angle: f64,
    },
    JointSpring {
        coordinate: Coordinate,
        stiffness: f64,
        damping: f64,
        free_position: f64,
        motor: Signal,
    },
    Servo {
        coordinate: Coordinate,
        target: Signal,
        stiffness: f64,
        damping: f64,
    },
    JointStop {
        coordinate: Coordinate,
        lower: f64,
        upper: f64,
        stiffness: f64,
        damping: f64,
        onset: f64,
    },
    Bushing {
        from: usize,
        to: usize,
        stiffness: [f64; 6],
        damping: [f64; 6],
    },
    Applied {
        frame: usize,
        force: [Signal; 3],
        torque: [Signal; 3],
        follower: bool,
    },
    Actuator {
        from: usize,
        to: usize,
        force: Signal,
        torque: Signal,
    },
    SphereOnPlane {
        plane: usize,
        body: usize,
        radius: f64,
        stiffness: f64,
        dissipation: f64,
        friction: f64,
        slip_speed: f64,
    },
    /// An expression with a condition on the state: a spring along z of the first frame that acts on one side of a gap, with
    /// other damping on the way in than on the way out.
    Switch {
        from: usize,
        to: usize,
        gap: f64,
        stiffness: f64,
        damping_in: f64,
        damping_out: f64,
    },
}

impl Mechanism {
    /// Position and rotation of a body, or the ground, at the start.
    pub fn pose(&self, body: Option<usize>) -> (V3, M3) {
        match body {
            Some(b) => (self.bodies[b].position, self.bodies[b].rotation),
            None => ([0.0; 3], UNIT),
        }
    }

    /// Position and rotation of a frame at the start.
    pub fn placed(&self, frame: usize) -> (V3, M3) {
        let frame = &self.frames[frame];
        let (p, r) = self.pose(frame.body);
        (add(p, apply(&r, frame.position)), product(&r, &frame.rotation))
    }

    /// The name of a body, or the ground.
    pub fn body_name(&self, body: Option<usize>) -> &str {
        body.map_or("ground", |b| &self.bodies[b].name)
    }

    /// The name of a coordinate as constraints and force elements want it.
    pub fn coordinate_name(&self, (joint, k): Coordinate) -> String {
        let joint = &self.joints[joint];
        let names = joint.kind.coordinates();
        if names.len() + usize::from(joint.kind.has_orientation()) > 1 {
            format!("{}.{}", joint.name, names[k])
        } else {
            joint.name.clone()
        }
    }
}
