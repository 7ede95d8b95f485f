//! What the user said: bodies, joints, constraints and forces by name.
//!
//! SI units throughout (m, kg, s, rad, N); z is up unless the gravity says otherwise. A frame is
//! named `"body"` or `"body.marker"`; the fixed world is `"ground"`.

use crate::Signal;
use crate::channels::Input;
use crate::elements::constraints::WheelRailShape;
use crate::elements::controls::{SpeedLaw, SteeringLaw};
use crate::elements::forces::{
    AntiRollLaw, BushingLaw, ContactLaw, CreepData, Cylinders, GasLaw, JointAntiRollLaw, ServoLaw, Shape,
    SpringLaw, StopLaw,
};
use crate::forest::Hint;
use crate::tyre::{Calspan, Linear, Tmeasy};
use holonom_algebra::{Mat3, Pose, Quaternion, Vec3};
use holonom_expression::Expression;
use std::sync::Arc;

mod builder;
mod document;
pub mod fields;
pub mod formulas;
mod hint;
pub(crate) mod include;
mod path;
mod road;
mod track;
mod tyre;

pub use document::Document;
pub use hint::StartHint;
pub use include::{Axis, IncludeError, Mirror, Placement};
pub use path::{Path, Pursuit};
pub use road::Road;
pub use track::Track;
pub use tyre::{Carcass, Mount};

/// A mechanism as described: nothing is checked until it is compiled.
///
/// Descriptions are equal when all their parts are, in the same order and to the last bit of every
/// number.
#[derive(Clone, Debug, PartialEq)]
pub struct Description {
    /// Name of the mechanism.
    pub name: String,
    /// Acceleration of free fall, m/s²; (0, 0, −9.81) unless set.
    pub gravity: [f64; 3],
    /// Bodies besides the ground.
    pub bodies: Vec<Body>,
    /// Markers on the ground.
    pub ground: Vec<Marker>,
    /// Joints.
    pub joints: Vec<Joint>,
    /// Constraints besides joints.
    pub constraints: Vec<Constraint>,
    /// Slender bodies kept as a distance and a mass matrix on their end points.
    pub rods: Vec<Rod>,
    /// Force elements.
    pub forces: Vec<Force>,
    /// Road surfaces.
    pub roads: Vec<Road>,
    /// Controls: signals that depend on the motion.
    pub controls: Vec<Control>,
    /// Frames that travel along tracks.
    pub tracks: Vec<Track>,
    /// Paths to follow.
    pub paths: Vec<Path>,
    /// Functions of time with names, which sensors may read as `input.` and the name. Elements have
    /// those that they use in themselves.
    pub inputs: Vec<Input>,
    /// Poses near which loops are to close.
    pub hints: Vec<StartHint>,
}

/// Position and orientation of a frame in another.
pub type Frame = Pose<f64>;

/// A frame on a body.
#[derive(Clone, Debug, PartialEq)]
pub struct Marker {
    /// Name, unique on the body.
    pub name: String,
    /// Where it is in the body's frame.
    pub frame: Frame,
}

/// A rigid body.
#[derive(Clone, Debug, PartialEq)]
pub struct Body {
    /// Name, unique in the mechanism.
    pub name: String,
    /// Mass, kg.
    pub mass: f64,
    /// Centre of mass in the body's frame, m.
    pub centre: [f64; 3],
    /// Moment of inertia about the centre of mass in the axes of the body's frame, kg m²:
    /// xx, yy, zz, xy, yz, zx (entries of the matrix, no minus signs).
    pub inertia: [f64; 6],
    /// Accepts moments of inertia that no rigid body can have, as robot descriptions contain them.
    /// The equations of motion remain defined as long as the mass matrix is positive definite.
    pub unphysical: bool,
    /// Frames on it.
    pub markers: Vec<Marker>,
}

/// What happens to one coordinate of a joint.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum CoordinateMotion {
    /// It moves freely.
    #[default]
    Free,
    /// It keeps its start value.
    Locked,
    /// It follows a function of time (rheonomic joint).
    Prescribed(Signal),
}

/// How firmly an initial value is meant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Hold {
    /// Not stated: the value is where assembly begins, and it moves as the constraints need.
    #[default]
    Free,
    /// Stated: kept where the constraints allow it, else changed as little as possible and reported.
    Stated,
    /// Fixed: kept, or the start is refused.
    Fixed,
}

/// One scalar coordinate of a joint.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Coordinate {
    /// Start value: rad or m.
    pub position: f64,
    /// Start velocity: rad/s or m/s.
    pub velocity: f64,
    /// How firmly the start value is meant.
    pub position_hold: Hold,
    /// How firmly the start velocity is meant.
    pub velocity_hold: Hold,
    /// What happens to it.
    pub motion: CoordinateMotion,
}

/// The kind of a joint.
///
/// Axes are those of the frame the joint starts from; the main axis is z unless set.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum JointKind {
    /// No freedom.
    Fixed,
    /// One angle about the axis.
    Revolute,
    /// One displacement along the axis.
    Prismatic,
    /// Angle about and displacement along the axis: coordinates (angle, displacement).
    Cylindrical,
    /// Angle about the axis with a proportional displacement.
    Helical {
        /// Displacement per angle, m/rad.
        pitch: f64,
    },
    /// Two angles: about x of the first frame, then about y of the second.
    Universal,
    /// Displacements along x and y and an angle about z: coordinates (x, y, angle).
    Planar,
    /// Free turning: Euler parameters, angular velocity in the axes of the second frame.
    Spherical,
    /// Position in the first frame and Euler parameters.
    Free,
    /// Position in the first frame and Cardan angles about x, y, z.
    FreeCardan,
    /// Displacements along x and y, yaw about z, then roll about the new x: the frame of a track.
    Track,
}

/// A joint between two frames. Coordinates describe the second frame seen from the first.
#[derive(Clone, Debug, PartialEq)]
pub struct Joint {
    /// Name, unique in the mechanism.
    pub name: String,
    /// Its kind.
    pub kind: JointKind,
    /// First frame.
    pub from: String,
    /// Second frame.
    pub to: String,
    /// Main axis in both frames, for the kinds that have one.
    pub axis: [f64; 3],
    /// Scalar coordinates, in the order of the kind; missing ones are not stated. The
    /// orientation of `Spherical` and `Free` is not among them. Initial values of a joint that is cut
    /// count as those of the others do.
    pub coordinates: Vec<Coordinate>,
    /// Start orientation, scalar first, for `Spherical` and `Free`.
    pub orientation: [f64; 4],
    /// Start angular velocity in the axes of the second frame, for `Spherical` and `Free`.
    pub angular_velocity: [f64; 3],
    /// How firmly the start orientation is meant.
    pub orientation_hold: Hold,
    /// How firmly the start angular velocity is meant.
    pub angular_velocity_hold: Hold,
    /// Keep the start orientation, for `Spherical` and `Free`.
    pub orientation_locked: bool,
    /// Wish about tree or cut.
    pub hint: Hint,
}

/// One coordinate of a joint, by the joint's name and the number of the coordinate.
#[derive(Clone, Debug, PartialEq)]
pub struct CoordinateRef {
    /// Joint.
    pub joint: String,
    /// Number of the coordinate, from 0.
    pub index: usize,
}

/// A constraint besides joints.
#[derive(Clone, Debug, PartialEq)]
pub struct Constraint {
    /// Name, unique in the mechanism.
    pub name: String,
    /// What it says.
    pub kind: ConstraintKind,
}

/// What a constraint says.
#[derive(Clone, Debug, PartialEq)]
pub enum ConstraintKind {
    /// The origins of two frames coincide: 3 rows.
    Point {
        /// First frame.
        from: String,
        /// Second frame.
        to: String,
    },
    /// The origins of two frames keep a distance: 1 row.
    Distance {
        /// First frame.
        from: String,
        /// Second frame.
        to: String,
        /// The distance, m, which may be a function of time; must be positive.
        length: Signal,
    },
    /// Σ factor · coordinate = offset: gears, racks, belts. 1 row.
    Coupling {
        /// Coordinates with their factors.
        terms: Vec<(CoordinateRef, f64)>,
        /// The right-hand side.
        offset: f64,
    },
    /// A coordinate follows a function of time, by a force that appears as multiplier: 1 row.
    Driver {
        /// The coordinate.
        coordinate: CoordinateRef,
        /// What it follows.
        signal: Signal,
    },
    /// The velocity of a coordinate follows a function of time, by a force that appears as multiplier: 1 row. The
    /// position is integrated from the start of the joint.
    VelocityDriver {
        /// The coordinate.
        coordinate: CoordinateRef,
        /// Its velocity, rad/s or m/s.
        velocity: Signal,
    },
    /// A wheel rolls without slipping on the plane z = 0 of the ground frame: 1 row that keeps
    /// contact and 2 rows on velocities.
    Rolling {
        /// Frame on the wheel: origin at its centre, z along its axle.
        wheel: String,
        /// Frame whose x–y plane is rolled on.
        plane: String,
        /// Radius, m.
        radius: f64,
        /// A ball instead of a thin disc.
        sphere: bool,
    },
    /// A point or a ball hits the x–y plane of a frame and rebounds: 1 row while it rests there.
    Impact {
        /// Frame whose x–y plane is hit, from the side to which z points.
        plane: String,
        /// Frame whose origin is the point, or the centre of the ball.
        body: String,
        /// Radius of the ball, m; 0 for a point.
        radius: f64,
        /// Speed after a hit by speed before it, along the normal.
        restitution: f64,
        /// A rebound slower than this closes the contact, m/s.
        rest_speed: f64,
    },
    /// A wheel touches its rail: 1 row, whose multiplier is the normal force.
    WheelRail {
        /// Frame on the wheel: origin at the centre of the rolling circle, y along the axle.
        wheel: String,
        /// Frame of the rail: x along it, y to the left, z up.
        rail: String,
        /// The right wheel of a wheelset, not the left one.
        right: bool,
        /// Profiles.
        shape: Box<WheelRailShape>,
    },
}

/// A slender body with spherical joints at both ends and no inertia about its axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Rod {
    /// Name, unique in the mechanism.
    pub name: String,
    /// Frame of one end.
    pub from: String,
    /// Frame of the other end.
    pub to: String,
    /// Length, m.
    pub length: f64,
    /// Mass, kg; may be zero.
    pub mass: f64,
}

/// A force element.
#[derive(Clone, Debug, PartialEq)]
pub struct Force {
    /// Name, unique in the mechanism.
    pub name: String,
    /// What it does.
    pub kind: ForceKind,
}

/// What a force element does.
///
/// Two users' laws are equal when they are the same object.
#[derive(Clone, Debug, PartialEq)]
pub enum ForceKind {
    /// A force and a torque at the origin of a frame.
    Applied {
        /// Where it acts.
        frame: String,
        /// Force components over time, N.
        force: [Signal; 3],
        /// Torque components over time, N m.
        torque: [Signal; 3],
        /// Components in the axes of the frame (follower load) instead of the ground's.
        follower: bool,
    },
    /// Spring and damper between the origins of two frames.
    SpringDamper {
        /// First end.
        from: String,
        /// Second end.
        to: String,
        /// Stiffness, N/m.
        stiffness: f64,
        /// Damping, N s/m.
        damping: f64,
        /// Length without force, m.
        free_length: f64,
        /// Additional tension, N.
        preload: f64,
    },
    /// Spring and damper about the common z axis of two frames of a joint-like pair.
    TorsionSpring {
        /// First frame.
        from: String,
        /// Second frame.
        to: String,
        /// Stiffness, N m/rad.
        stiffness: f64,
        /// Damping, N m s/rad.
        damping: f64,
        /// Angle without torque, rad.
        free_angle: f64,
    },
    /// Spring, damper and motor on one coordinate of a tree joint.
    JointSpring {
        /// The coordinate.
        coordinate: CoordinateRef,
        /// Stiffness, N m/rad or N/m.
        stiffness: f64,
        /// Damping.
        damping: f64,
        /// Position without force.
        free_position: f64,
        /// Force or torque over time that acts besides.
        motor: Signal,
    },
    /// A user's element between two frames.
    User {
        /// First frame.
        from: String,
        /// Second frame.
        to: String,
        /// The law: inputs are t, the position of the second frame's origin in the first frame
        /// (3), the rotation matrix of the second frame in the first (9, row by row), the
        /// velocity of the second origin seen in the first frame (3) and the relative angular
        /// velocity (3), all in the axes of the first frame; outputs are the force (3) and
        /// torque (3) on the second frame at its origin, in the axes of the first. The opposite
        /// acts on the first frame.
        ///
        /// Runs sample the law along their steps, so that a narrow range is not stepped over. Jumps in it are not located
        /// as events: where it has some, smooth them or set a small largest step.
        law: Arc<dyn holonom_algebra::Function>,
    },
    /// A user's element between two frames, written as expressions of the names in
    /// [`ExpressionLaw::VARIABLES`](crate::elements::forces::ExpressionLaw::VARIABLES): what
    /// [`ForceKind::User`] has as inputs and outputs.
    Expression {
        /// First frame.
        from: String,
        /// Second frame.
        to: String,
        /// Force components on the second frame at its origin, in the axes of the first, N.
        force: [Expression; 3],
        /// Torque components on the second frame, in the axes of the first, N m.
        torque: [Expression; 3],
    },
    /// Spring and damper with curved characteristics between the origins of two frames.
    NonlinearSpring {
        /// First end.
        from: String,
        /// Second end.
        to: String,
        /// Tension over deflection and rate, N; length without deflection, m.
        law: SpringLaw,
    },
    /// Spring and damper with curved characteristics on one coordinate of a tree joint.
    NonlinearJointSpring {
        /// The coordinate.
        coordinate: CoordinateRef,
        /// Restoring force over deflection and rate; position without deflection.
        law: SpringLaw,
    },
    /// Elastic bearing between two frames.
    Bushing {
        /// First frame, in whose axes the law is given.
        from: String,
        /// Second frame.
        to: String,
        /// Stiffness, damping and the rest.
        law: Box<BushingLaw>,
    },
    /// Torsion bar carried by a frame, with links to two others.
    AntiRollBar {
        /// Carries the bar; the links are along its z axis.
        bar: String,
        /// End of the first link.
        left: String,
        /// End of the second link.
        right: String,
        /// Numbers.
        law: AntiRollLaw,
    },
    /// Torsion bar between coordinates of two tree joints.
    JointAntiRollBar {
        /// One coordinate.
        left: CoordinateRef,
        /// The other.
        right: CoordinateRef,
        /// Numbers.
        law: JointAntiRollLaw,
    },
    /// Enclosed gas between the origins of two frames.
    AirSpring {
        /// First end.
        from: String,
        /// Second end.
        to: String,
        /// Numbers.
        law: GasLaw,
    },
    /// One-sided stop between the origins of two frames.
    BumpStop {
        /// First end.
        from: String,
        /// Second end.
        to: String,
        /// Distance at which it begins to act, m.
        length: f64,
        /// It acts above that distance, not below.
        rebound: bool,
        /// Numbers: N/m, N s/m, m.
        law: StopLaw,
    },
    /// End stops on one coordinate of a tree joint.
    JointStop {
        /// The coordinate.
        coordinate: CoordinateRef,
        /// Where the lower stop begins; −∞ for none.
        lower: f64,
        /// Where the upper stop begins; ∞ for none.
        upper: f64,
        /// Numbers.
        law: StopLaw,
    },
    /// A sphere, a cylinder or a box touches a plane.
    PlaneContact {
        /// Frame whose x–y plane is touched from the side of z.
        plane: String,
        /// Frame of the shape.
        body: String,
        /// The shape.
        shape: Shape,
        /// Numbers.
        law: ContactLaw,
    },
    /// Two spheres touch.
    SphereContact {
        /// Centre of the first.
        from: String,
        /// Centre of the second.
        to: String,
        /// Radii, m.
        radii: [f64; 2],
        /// Numbers.
        law: ContactLaw,
    },
    /// Two cylinders touch.
    CylinderContact {
        /// The first is about z of this frame.
        from: String,
        /// The second about z of this one.
        to: String,
        /// Radii, how they lie, length.
        cylinders: Cylinders,
        /// Numbers.
        law: ContactLaw,
    },
    /// A force along the line between two frames and a torque about z of the first.
    Actuator {
        /// First frame.
        from: String,
        /// Second frame.
        to: String,
        /// Force that pushes the origins apart, N.
        force: Signal,
        /// Torque on the second frame about z of the first, N m.
        torque: Signal,
    },
    /// A drive that leads one coordinate of a tree joint to a set point.
    Servo {
        /// The coordinate.
        coordinate: CoordinateRef,
        /// Set point.
        target: Signal,
        /// Numbers.
        law: ServoLaw,
    },
    /// A tyre by the Magic Formula, with its data in a `.tir` file.
    Tyre {
        /// Where it is and on what it rolls.
        mount: Mount,
        /// The file.
        data: Document,
    },
    /// A tyre of constant stiffness within the friction ellipse.
    LinearTyre {
        /// Where it is and on what it rolls.
        mount: Mount,
        /// Radius and stiffness.
        carcass: Carcass,
        /// The law of its forces.
        law: Linear,
    },
    /// A tyre with the side force of the Calspan model.
    CalspanTyre {
        /// Where it is and on what it rolls.
        mount: Mount,
        /// Radius and stiffness.
        carcass: Carcass,
        /// The law of its forces.
        law: Calspan,
    },
    /// A TMeasy tyre.
    TmeasyTyre {
        /// Where it is and on what it rolls.
        mount: Mount,
        /// Radius and stiffness.
        carcass: Carcass,
        /// The law of its forces.
        law: Box<Tmeasy>,
    },
    /// Spring and damper in series between the origins of two frames; the displacement of the
    /// damper is a state of its own.
    Maxwell {
        /// First end.
        from: String,
        /// Second end.
        to: String,
        /// Stiffness of the spring, N/m.
        stiffness: f64,
        /// Damping of the damper, N s/m; must be positive.
        damping: f64,
        /// Length without force when the damper stands at zero, m.
        free_length: f64,
        /// Displacement of the damper at the start, m.
        start: f64,
    },
    /// Friction on one coordinate of a joint: regularised Coulomb with Stribeck, and viscous.
    JointFriction {
        /// The coordinate.
        coordinate: CoordinateRef,
        /// Coulomb friction as a torque or force, N m or N.
        friction: f64,
        /// Additional friction near zero velocity, N m or N.
        stribeck_friction: f64,
        /// Coefficient of sliding friction.
        coefficient: f64,
        /// Additional coefficient near zero velocity.
        stribeck: f64,
        /// Velocity at which that has fallen to 1/e, rad/s or m/s; must be positive.
        stribeck_velocity: f64,
        /// Velocity below which friction falls to zero, rad/s or m/s; must be positive.
        transition_velocity: f64,
        /// Damping besides, N m s/rad or N s/m.
        viscous: f64,
        /// Constant normal force, N.
        normal_force: f64,
        /// Adds the force that the joint transmits to the normal force. Only a cut joint has it as
        /// an unknown: the joint is cut for it.
        from_reaction: bool,
        /// For an angle, the radius at which the friction acts, m. Displacements do not have it.
        radius: f64,
    },
    /// Creep forces of a wheel on its rail.
    Creep {
        /// The wheel-rail constraint, by name.
        contact: String,
        /// Law, friction and material.
        data: CreepData,
    },
}

/// A control: a scalar signal that depends on the motion, by name.
#[derive(Clone, Debug, PartialEq)]
pub struct Control {
    /// Name, unique in the mechanism; expressions use it, so it is made of letters, digits and _.
    pub name: String,
    /// What it does.
    pub kind: ControlKind,
}

/// What a control does. Inputs are numbers or expressions of t and controls.
#[derive(Clone, Debug, PartialEq)]
pub enum ControlKind {
    /// A channel of the mechanism.
    Sensor {
        /// Name of the channel.
        channel: String,
        /// What its value is multiplied by.
        factor: f64,
        /// Frame that positions and orientations are seen from, and whose axes components of vectors
        /// are in.
        axes: String,
    },
    /// A function of t and other controls.
    Expression {
        /// The function.
        value: Signal,
    },
    /// Proportional, integral and derivative action on target − input.
    Pid {
        /// What is controlled.
        input: Signal,
        /// What it should be.
        target: Signal,
        /// Proportional gain.
        proportional: f64,
        /// Integral gain, per s.
        integral: f64,
        /// Derivative gain, times s.
        derivative: f64,
        /// Time constant of the filter before the derivative, s; must be positive.
        filter: f64,
        /// Whether the output is limited.
        limited: bool,
        /// Least output.
        low: f64,
        /// Largest output.
        high: f64,
        /// Integral part at the start.
        start: f64,
        /// What the derivative part takes the derivative of: number in
        /// [`Pid::DERIVATIVES`](crate::elements::controls::Pid::DERIVATIVES).
        derivative_of: usize,
    },
    /// Quotient of polynomials in s.
    TransferFunction {
        /// Input.
        input: Signal,
        /// Coefficients, the highest power first.
        numerator: Vec<f64>,
        /// Coefficients, the highest power first; not a lower power than the numerator.
        denominator: Vec<f64>,
        /// States at the start; missing ones are zero.
        start: Vec<f64>,
    },
    /// First-order lag.
    Lag {
        /// Input.
        input: Signal,
        /// Time constant, s; must be positive.
        time_constant: f64,
        /// Output at the start.
        start: f64,
    },
    /// What the input was some time ago.
    DeadTime {
        /// Input.
        input: Signal,
        /// Dead time, s; must be positive.
        delay: f64,
        /// Number of states that keep the past, from 1 to 30.
        order: f64,
    },
    /// Where a frame is beside a path.
    PathSensor {
        /// The frame and the path.
        pursuit: Pursuit,
        /// Number of the quantity in
        /// [`PathSensor::QUANTITIES`](crate::elements::controls::PathSensor::QUANTITIES).
        quantity: usize,
        /// What its value is multiplied by.
        factor: f64,
    },
    /// A driver who steers along a path.
    DriverSteering {
        /// The vehicle and the path.
        pursuit: Pursuit,
        /// Numbers.
        law: SteeringLaw,
    },
    /// A driver who holds a speed.
    DriverSpeed {
        /// Frame of the vehicle.
        frame: String,
        /// The front is at −x of it.
        reversed: bool,
        /// Speed to hold, m/s.
        target: Signal,
        /// Output known to be needed.
        feed_forward: Signal,
        /// Numbers.
        law: SpeedLaw,
    },
}

/// Helpers to write frames.
pub mod frame {
    use super::{Frame, Mat3, Pose, Quaternion, Vec3};

    /// A parallel frame at a position.
    pub fn at(position: [f64; 3]) -> Frame {
        Pose::new(Mat3::identity(), Vec3(position))
    }

    /// A frame at a position with Euler parameters, scalar first.
    pub fn oriented(position: [f64; 3], quaternion: [f64; 4]) -> Frame {
        Pose::new(Mat3(Quaternion(quaternion).rotation_matrix()), Vec3(position))
    }

    /// A frame at a position whose z axis points along `z`.
    pub fn along(position: [f64; 3], z: [f64; 3]) -> Frame {
        let z = Vec3(z).normalised().unwrap_or(Vec3([0.0, 0.0, 1.0]));
        let x = z.perpendicular();
        Pose::new(Mat3::from_columns(x, z.cross(x), z), Vec3(position))
    }
}
