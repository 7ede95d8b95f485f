//! [`Scene`]: everything to be seen, with its places on bodies.

mod looks;

use crate::mesh::{COARSE, Mesh, MeshError, ROUND};
use crate::poser::Poser;
use holonom_algebra::{Mat3, Pose, Vec3};
use holonom_multibody::Model;
use holonom_multibody::description::{Description, Frame, Shape, ShapeKind, frame};
use looks::Looks;
use std::collections::BTreeMap;

/// A body of the scene; the ground is the first.
#[derive(Clone, Debug)]
pub struct SceneBody {
    /// Name.
    pub name: String,
    /// Colour of its parts, unless they have their own.
    pub colour: [f64; 3],
    /// Centre of mass in its frame; none without mass.
    pub centre: Option<[f64; 3]>,
}

/// Where a part is.
#[derive(Clone, Debug, PartialEq)]
pub enum Placement {
    /// On a body.
    On {
        /// Number of the body.
        body: usize,
        /// The frame of the part in that of the body.
        frame: Frame,
        /// Factors along the axes of the part.
        scale: [f64; 3],
    },
    /// Between points of two bodies: z of the part from 0 at the first to 1 at the second.
    Between {
        /// Numbers of the bodies.
        bodies: [usize; 2],
        /// The points in their frames.
        points: [[f64; 3]; 2],
        /// Factor across.
        radius: f64,
    },
}

/// Something to be seen.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// What it stands for: a body, a force, a road.
    pub of: String,
    /// Number of its surface in [`Scene::meshes`].
    pub mesh: usize,
    /// Where it is.
    pub place: Placement,
    /// Red, green and blue, each from 0 to 1.
    pub colour: [f64; 3],
    /// 1 for opaque.
    pub opacity: f64,
    /// Scenery does not count for the size of the mechanism, throws no shadow and cannot be picked.
    pub scenery: bool,
}

/// A line through a joint along which or about which it moves.
#[derive(Clone, Debug, PartialEq)]
pub struct JointAxis {
    /// Name of the joint.
    pub joint: String,
    /// Kind of the joint.
    pub kind: &'static str,
    /// Number of the body that carries it: that of the first frame.
    pub body: usize,
    /// A point on it, in the body's frame.
    pub point: [f64; 3],
    /// Its direction; zero for joints without an axis.
    pub direction: [f64; 3],
}

/// A frame that can be shown as three axes.
#[derive(Clone, Debug, PartialEq)]
pub struct SceneFrame {
    /// Name, such as `crank.end`.
    pub name: String,
    /// Number of the body.
    pub body: usize,
    /// Where it is on the body.
    pub frame: Frame,
}

/// Everything to be seen of a mechanism.
#[derive(Clone, Debug)]
pub struct Scene {
    /// Name of the mechanism.
    pub name: String,
    /// Bodies, the ground first.
    pub bodies: Vec<SceneBody>,
    /// Surfaces.
    pub meshes: Vec<Mesh>,
    /// Parts.
    pub parts: Vec<Part>,
    /// Axes of joints.
    pub axes: Vec<JointAxis>,
    /// Markers.
    pub frames: Vec<SceneFrame>,
    /// Direction that is up: against gravity, else z.
    pub up: [f64; 3],
    /// Centre of the mechanism at its start.
    pub centre: [f64; 3],
    /// Radius of a sphere about the centre with everything but scenery in it, at the start.
    pub radius: f64,
    /// A typical length of a part, for sizes of glyphs.
    pub unit: f64,
    /// Height of the ground along `up`: that of the scenery, or below everything at the start.
    pub floor: f64,
    /// What is not shown and why.
    pub notes: Vec<String>,
    /// Files of meshes that parts wait for, with the factors of each.
    wanted: BTreeMap<String, Vec<Wanted>>,
}

/// A part that waits for its mesh.
#[derive(Clone, Debug)]
struct Wanted {
    of: String,
    body: usize,
    frame: Frame,
    scale: [f64; 3],
    colour: [f64; 3],
    opacity: f64,
}

/// Numbers of the surfaces that all scenes have.
pub(crate) mod basic {
    pub const CUBE: usize = 0;
    pub const SPHERE: usize = 1;
    pub const CYLINDER: usize = 2;
    pub const CONE: usize = 3;
    pub const PLANE: usize = 4;
    pub const COIL: usize = 5;
    /// A cylinder from z = 0 to 1, for what is between two points.
    pub const BAR: usize = 6;
}

/// Colours of bodies, in turn: far apart in hue and about as bright as each other.
const PALETTE: [[f64; 3]; 10] = [
    [0.29, 0.47, 0.71],
    [0.88, 0.52, 0.21],
    [0.32, 0.62, 0.38],
    [0.77, 0.34, 0.33],
    [0.53, 0.43, 0.70],
    [0.58, 0.44, 0.35],
    [0.84, 0.53, 0.74],
    [0.48, 0.50, 0.52],
    [0.72, 0.69, 0.26],
    [0.30, 0.68, 0.72],
];

/// Colour of what belongs to the ground.
pub(crate) const GROUND_COLOUR: [f64; 3] = [0.55, 0.57, 0.60];

/// A frame by name: the number of its body and the place on it.
pub fn resolve(description: &Description, name: &str) -> Option<(usize, Frame)> {
    let (body, marker) = match name.split_once('.') {
        Some((body, marker)) => (body, Some(marker)),
        None => (name, None),
    };
    let (number, markers) = match description.bodies.iter().position(|b| b.name == body) {
        Some(number) => (number + 1, &description.bodies[number].markers),
        None if body == "ground" => (0, &description.ground),
        None => return None,
    };
    let frame = match marker {
        None => Pose::identity(),
        Some(name) => markers.iter().find(|marker| marker.name == name)?.frame,
    };
    Some((number, frame))
}

impl Scene {
    /// The scene of a description that has been compiled.
    pub fn new(description: &Description, model: &Model) -> Self {
        let ground = SceneBody {
            name: "ground".to_string(),
            colour: GROUND_COLOUR,
            centre: None,
        };
        let bodies = description.bodies.iter().enumerate().map(|(k, body)| SceneBody {
            name: body.name.clone(),
            colour: PALETTE[k % PALETTE.len()],
            centre: (body.mass > 0.0).then_some(body.centre),
        });
        let g = Vec3(description.gravity);
        let up = (-g).normalised().unwrap_or(Vec3([0.0, 0.0, 1.0]));
        let mut scene = Self {
            name: description.name.clone(),
            bodies: std::iter::once(ground).chain(bodies).collect(),
            meshes: basics(ROUND),
            parts: Vec::new(),
            axes: Vec::new(),
            frames: Vec::new(),
            up: up.0,
            centre: [0.0; 3],
            radius: 1.0,
            unit: 1.0,
            floor: 0.0,
            notes: Vec::new(),
            wanted: BTreeMap::new(),
        };
        let mut own = vec![false; scene.bodies.len()];
        for shape in description.shapes.iter().filter(|shape| !shape.stand_in) {
            if let Some((body, _)) = resolve(description, &shape.on) {
                own[body] = true;
            }
        }
        let mut shown = own.clone();
        for shape in &description.shapes {
            let Some((body, at)) = resolve(description, &shape.on) else {
                continue;
            };
            if !shape.stand_in || !own[body] {
                scene.shape(shape, body, &at);
                shown[body] = true;
            }
        }
        Looks::new(&mut scene, description).add(&shown);
        scene.markers(description);
        if scene.parts.len() > MANY {
            scene.meshes.splice(..=basic::BAR, basics(COARSE));
        }
        let mut poser = Poser::new(model);
        let poses = poser.poses(model, 0.0, &model.q0).to_vec();
        scene.measure(&poses);
        scene
    }

    /// Sets centre and radius from a position of the bodies.
    pub fn measure(&mut self, poses: &[Pose<f64>]) {
        let mut bounds = [[f64::INFINITY; 3], [f64::NEG_INFINITY; 3]];
        for point in self.corners(poses) {
            for k in 0..3 {
                bounds[0][k] = bounds[0][k].min(point[k]);
                bounds[1][k] = bounds[1][k].max(point[k]);
            }
        }
        let centre: [f64; 3] = core::array::from_fn(|k| 0.5 * (bounds[0][k] + bounds[1][k]));
        if centre.iter().all(|x| x.is_finite()) {
            self.centre = centre;
            let half = Vec3(core::array::from_fn(|k| 0.5 * (bounds[1][k] - bounds[0][k])));
            self.radius = half.norm().max(1e-9);
        }
        self.floor = f64::INFINITY;
        self.lower_floor(poses);
    }

    /// Lowers the ground below a position of the bodies, unless there is scenery that is the ground.
    pub fn lower_floor(&mut self, poses: &[Pose<f64>]) {
        if self.parts.iter().any(|part| part.scenery) {
            self.floor = 0.0;
            return;
        }
        let up = Vec3(self.up);
        let lowest = self
            .corners(poses)
            .iter()
            .map(|p| Vec3(*p).dot(up))
            .fold(f64::INFINITY, f64::min);
        if lowest.is_finite() {
            self.floor = self.floor.min(lowest - 0.03 * self.radius);
        }
    }

    /// Points around everything but scenery, for positions of the bodies.
    pub fn corners(&self, poses: &[Pose<f64>]) -> Vec<[f64; 3]> {
        let mut points = Vec::new();
        for part in self.parts.iter().filter(|part| !part.scenery) {
            let Some(bounds) = self.meshes.get(part.mesh).and_then(Mesh::bounds) else {
                continue;
            };
            let (frame, scale) = part.place.transform(poses);
            for corner in 0..8 {
                let at = core::array::from_fn(|k| bounds[corner >> k & 1][k] * scale[k]);
                let point = frame.point(Vec3(at)).0;
                if point.iter().all(|x| x.is_finite()) {
                    points.push(point);
                }
            }
        }
        if points.is_empty() {
            points.extend(
                poses
                    .iter()
                    .map(|pose| pose.position.0)
                    .filter(|p| p.iter().all(|x| x.is_finite())),
            );
        }
        points
    }

    /// Adds a surface; gives its number.
    pub(crate) fn mesh(&mut self, mesh: Mesh) -> usize {
        self.meshes.push(mesh);
        self.meshes.len() - 1
    }

    /// Adds a part on a body in the colour of the body.
    pub(crate) fn on(&mut self, body: usize, mesh: usize, frame: Frame, scale: [f64; 3]) -> &mut Part {
        let part = Part {
            of: self.bodies[body].name.clone(),
            mesh,
            place: Placement::On { body, frame, scale },
            colour: self.bodies[body].colour,
            opacity: 1.0,
            scenery: false,
        };
        let at = self.parts.len();
        self.parts.push(part);
        &mut self.parts[at]
    }

    fn shape(&mut self, shape: &Shape, body: usize, on: &Frame) {
        let at = on.then(&shape.frame);
        let first = self.parts.len();
        match &shape.kind {
            ShapeKind::Box { size } => {
                self.on(body, basic::CUBE, at, *size);
            }
            ShapeKind::Sphere { radius } => {
                self.on(body, basic::SPHERE, at, [*radius; 3]);
            }
            ShapeKind::Cylinder { radius, length } => {
                self.on(body, basic::CYLINDER, at, [*radius, *radius, *length]);
            }
            ShapeKind::Cone { radius, length } => {
                self.on(body, basic::CONE, at, [*radius, *radius, *length]);
            }
            ShapeKind::Plane { length, width } => {
                self.on(body, basic::PLANE, at, [*length, *width, 1.0]);
            }
            ShapeKind::Capsule { radius, length } => {
                let ends = [-0.5, 0.5].map(|k| at.point(Vec3([0.0, 0.0, k * length])).0);
                self.capsule(body, ends, *radius);
            }
            ShapeKind::Tube { points, radius } => {
                let points: Vec<[f64; 3]> = points.iter().map(|p| at.point(Vec3(*p)).0).collect();
                for pair in points.windows(2) {
                    self.stick(body, [pair[0], pair[1]], *radius);
                }
                for point in &points {
                    self.on(body, basic::SPHERE, frame::at(*point), [*radius; 3]);
                }
            }
            ShapeKind::Mesh { file, scale } => {
                let wanted = Wanted {
                    of: self.bodies[body].name.clone(),
                    body,
                    frame: at,
                    scale: *scale,
                    colour: shape.rgb().unwrap_or(self.bodies[body].colour),
                    opacity: shape.opacity,
                };
                self.wanted.entry(file.clone()).or_default().push(wanted);
            }
        }
        for part in &mut self.parts[first..] {
            part.colour = shape.rgb().unwrap_or(part.colour);
            part.opacity = shape.opacity;
        }
    }

    /// A cylinder between two points of a body.
    pub(crate) fn stick(&mut self, body: usize, ends: [[f64; 3]; 2], radius: f64) {
        let [a, b] = ends.map(Vec3);
        let length = (b - a).norm();
        if length > 0.0 {
            let middle = (a + b).scale(0.5);
            let frame = frame::along(middle.0, (b - a).0);
            self.on(body, basic::CYLINDER, frame, [radius, radius, length]);
        }
    }

    /// A cylinder with round ends between two points of a body.
    pub(crate) fn capsule(&mut self, body: usize, ends: [[f64; 3]; 2], radius: f64) {
        self.stick(body, ends, radius);
        for end in ends {
            self.on(body, basic::SPHERE, frame::at(end), [radius; 3]);
        }
    }

    /// The files of meshes that are still to be read, relative to the folder of the model.
    pub fn missing_meshes(&self) -> Vec<String> {
        self.wanted.keys().cloned().collect()
    }

    /// Shows the mesh of a file, or notes why it cannot be shown: a frame of three bars stands for it then.
    pub fn supply(&mut self, file: &str, mesh: Result<Mesh, MeshError>) {
        let Some(all) = self.wanted.remove(file) else {
            return;
        };
        let mesh = match mesh {
            Ok(mesh) => Some(self.mesh(mesh)),
            Err(error) => {
                let names: Vec<&str> = all.iter().map(|wanted| wanted.of.as_str()).collect();
                self.notes.push(format!("mesh of {}: {error}", names.join(", ")));
                None
            }
        };
        let side = 0.1 * self.unit;
        for wanted in all {
            match mesh {
                Some(mesh) => {
                    let part = self.on(wanted.body, mesh, wanted.frame, wanted.scale);
                    (part.colour, part.opacity) = (wanted.colour, wanted.opacity);
                }
                None => {
                    self.on(wanted.body, basic::CUBE, wanted.frame, [side; 3]).colour = wanted.colour;
                }
            }
        }
    }

    fn markers(&mut self, description: &Description) {
        let mut add = |body: usize, owner: &str, markers: &[holonom_multibody::description::Marker]| {
            self.frames.push(SceneFrame {
                name: owner.to_string(),
                body,
                frame: Pose::identity(),
            });
            for marker in markers {
                self.frames.push(SceneFrame {
                    name: format!("{owner}.{}", marker.name),
                    body,
                    frame: marker.frame,
                });
            }
        };
        add(0, "ground", &description.ground);
        for (k, body) in description.bodies.iter().enumerate() {
            add(k + 1, &body.name, &body.markers);
        }
    }
}

/// Parts above which round bodies have fewer segments: they are small in the picture then.
const MANY: usize = 400;

/// The surfaces that all scenes have.
fn basics(round: usize) -> Vec<Mesh> {
    vec![
        Mesh::cube(),
        Mesh::sphere(round),
        Mesh::cylinder(round),
        Mesh::cone(round),
        Mesh::plane(),
        Mesh::coil(),
        bar(round),
    ]
}

fn bar(round: usize) -> Mesh {
    let mut mesh = Mesh::cylinder(round);
    for p in &mut mesh.positions {
        p[2] += 0.5;
    }
    mesh
}

impl Placement {
    /// The frame of a part in that of the ground, and the factors along its axes.
    pub fn transform(&self, poses: &[Pose<f64>]) -> (Frame, [f64; 3]) {
        match self {
            Self::On { body, frame, scale } => (poses[*body].then(frame), *scale),
            Self::Between {
                bodies,
                points,
                radius,
            } => {
                let [a, b] = [0, 1].map(|k| poses[bodies[k]].point(Vec3(points[k])));
                let d = b - a;
                let length = d.norm();
                if length > 0.0 && length.is_finite() {
                    (frame::along(a.0, d.0), [*radius, *radius, length])
                } else {
                    (Pose::new(Mat3::identity(), a), [*radius, *radius, 0.0])
                }
            }
        }
    }
}
