//! Looks for what has none: links between joints, wheels, springs, rods, rails, roads.

mod ways;
mod wheels;

use super::{JointAxis, Part, Placement, Scene, basic, resolve};
use holonom_algebra::Vec3;
use holonom_multibody::description::fields::{Field, Fields, Look};
use holonom_multibody::description::{Description, Document, Frame, JointKind, frame};
use holonom_multibody::elements::forces::ForceKind;

/// What an element says about its places, by the names of fields.
#[derive(Default)]
struct Said {
    frames: Vec<(&'static str, String)>,
    numbers: Vec<(&'static str, f64)>,
    vectors: Vec<(&'static str, [f64; 3])>,
    flags: Vec<(&'static str, bool)>,
    choices: Vec<&'static str>,
    roads: Vec<String>,
    documents: Vec<Document>,
}

impl Look for Said {
    fn frame(&mut self, field: &Field, value: &mut String) {
        self.frames.push((field.name, value.clone()));
    }
    fn number(&mut self, field: &Field, value: &mut f64) {
        self.numbers.push((field.name, *value));
    }
    fn vector(&mut self, field: &Field, value: &mut [f64; 3]) {
        self.vectors.push((field.name, *value));
    }
    fn flag(&mut self, field: &Field, value: &mut bool) {
        self.flags.push((field.name, *value));
    }
    fn choice(&mut self, _: &Field, names: &[&'static str], value: &mut usize) {
        self.choices.extend(names.get(*value));
    }
    fn road(&mut self, _: &Field, value: &mut String) {
        self.roads.push(value.clone());
    }
    fn document(&mut self, _: &Field, value: &mut Document) {
        self.documents.push(value.clone());
    }
}

impl Said {
    fn of(show: impl FnOnce(&mut dyn Fields)) -> Self {
        let mut said = Self::default();
        show(&mut said);
        said
    }

    fn frame(&self, name: &str) -> Option<&str> {
        let found = self.frames.iter().find(|(own, _)| *own == name);
        found.map(|(_, frame)| frame.as_str())
    }

    fn number(&self, name: &str) -> Option<f64> {
        let found = self.numbers.iter().find(|(own, _)| *own == name);
        found.map(|(_, value)| *value).filter(|x| x.is_finite())
    }

    fn flag(&self, name: &str) -> bool {
        self.flags.iter().any(|(own, value)| *own == name && *value)
    }
}

/// What a body offers for a link.
#[derive(Clone, Default)]
struct Ends {
    /// Where joints and constraints hold it.
    joints: Vec<[f64; 3]>,
    /// Where forces act on it.
    forces: Vec<[f64; 3]>,
    /// It has a wheel or a ball already.
    round: bool,
}

/// Adds looks to a scene.
pub(crate) struct Looks<'a> {
    scene: &'a mut Scene,
    description: &'a Description,
    ends: Vec<Ends>,
}

const STEEL: [f64; 3] = [0.62, 0.64, 0.67];
const RUBBER: [f64; 3] = [0.17, 0.18, 0.20];
const SPRING: [f64; 3] = [0.80, 0.62, 0.20];
const ROAD: [f64; 3] = [0.44, 0.45, 0.47];

impl<'a> Looks<'a> {
    pub fn new(scene: &'a mut Scene, description: &'a Description) -> Self {
        let ends = vec![Ends::default(); scene.bodies.len()];
        Self {
            scene,
            description,
            ends,
        }
    }

    /// Adds looks; `shown` are the bodies that have shapes.
    pub fn add(mut self, shown: &[bool]) {
        self.gather();
        self.scene.unit = self.unit();
        self.joints(shown);
        self.wheels(shown);
        for (body, shown) in shown.iter().enumerate().skip(1) {
            if !shown {
                self.link(body);
            }
        }
        self.between();
        self.roads();
        self.tracks();
    }

    fn at(&self, name: &str) -> Option<(usize, Frame)> {
        resolve(self.description, name)
    }

    fn gather(&mut self) {
        let add = |ends: &mut Vec<Ends>, place: Option<(usize, Frame)>, force: bool| {
            let Some((body, frame)) = place else { return };
            let point = frame.position.0;
            let list = match force {
                true => &mut ends[body].forces,
                false => &mut ends[body].joints,
            };
            if !list.contains(&point) {
                list.push(point);
            }
        };
        let d = self.description;
        for joint in &d.joints {
            // These say where a body is, not what holds it.
            let guides = [JointKind::Free, JointKind::FreeCardan, JointKind::Track];
            if !guides.contains(&joint.kind) {
                for name in [&joint.from, &joint.to] {
                    let place = self.at(name);
                    add(&mut self.ends, place, false);
                }
            }
        }
        for constraint in &d.constraints {
            let said = Said::of(|v| constraint.kind.clone().fields(v));
            for (_, name) in &said.frames {
                let place = self.at(name);
                add(&mut self.ends, place, false);
            }
        }
        for rod in &d.rods {
            for name in [&rod.from, &rod.to] {
                let place = self.at(name);
                add(&mut self.ends, place, false);
            }
        }
        for force in &d.forces {
            let said = Said::of(|v| force.kind.clone().fields(v));
            if drawn(&force.kind).is_some() {
                for (_, name) in &said.frames {
                    let place = self.at(name);
                    add(&mut self.ends, place, true);
                }
            }
        }
    }

    /// The median of the lengths of bodies.
    fn unit(&self) -> f64 {
        let mut lengths: Vec<f64> = Vec::new();
        for (number, body) in self.description.bodies.iter().enumerate() {
            let ends = &self.ends[number + 1];
            let mut points = ends.joints.clone();
            points.extend(&ends.forces);
            if body.mass > 0.0 {
                points.push(body.centre);
            }
            let mut longest = 0.0_f64;
            for (k, a) in points.iter().enumerate() {
                for b in &points[..k] {
                    longest = longest.max((Vec3(*a) - Vec3(*b)).norm());
                }
            }
            if longest == 0.0 {
                longest = radius_of_gyration(body.mass, &body.inertia);
            }
            if longest > 0.0 && longest.is_finite() {
                lengths.push(longest);
            }
        }
        for rod in &self.description.rods {
            lengths.push(rod.length);
        }
        lengths.sort_by(f64::total_cmp);
        lengths.get(lengths.len() / 2).copied().unwrap_or(1.0)
    }

    fn joints(&mut self, shown: &[bool]) {
        let size = 0.045 * self.scene.unit;
        for joint in &self.description.joints {
            let (Some((from, at)), Some((to, at_to))) = (self.at(&joint.from), self.at(&joint.to)) else {
                continue;
            };
            let info = joint.kind.info();
            let axis = match joint.kind {
                _ if info.has_axis => joint.axis,
                JointKind::Planar => [0.0, 0.0, 1.0],
                _ => [0.0; 3],
            };
            let direction = at.rotation.times(Vec3(axis)).normalised().unwrap_or(Vec3::zero());
            self.scene.axes.push(JointAxis {
                joint: joint.name.clone(),
                kind: info.name,
                body: from,
                point: at.position.0,
                direction: direction.0,
            });
            if shown[from] && shown[to] {
                continue;
            }
            let own = at_to.rotation.times(Vec3(joint.axis));
            let of = joint.name.clone();
            let part = match joint.kind {
                JointKind::Revolute | JointKind::Cylindrical | JointKind::Helical { .. } => {
                    let frame = frame::along(at_to.position.0, own.0);
                    Some(
                        self.scene
                            .on(to, basic::CYLINDER, frame, [size, size, 2.6 * size]),
                    )
                }
                JointKind::Spherical | JointKind::Universal => {
                    let frame = frame::at(at_to.position.0);
                    Some(self.scene.on(to, basic::SPHERE, frame, [1.1 * size; 3]))
                }
                JointKind::Prismatic => {
                    let frame = frame::along(at_to.position.0, own.0);
                    let part = self
                        .scene
                        .on(to, basic::CUBE, frame, [2.4 * size, 2.4 * size, 4.0 * size]);
                    Some(part)
                }
                _ => None,
            };
            if let Some(part) = part {
                part.of = of;
                part.colour = STEEL;
            }
        }
    }

    /// Bars from joint to joint, or what mass and inertia suggest.
    fn link(&mut self, body: usize) {
        let own = &self.description.bodies[body - 1];
        let ends = self.ends[body].clone();
        let unit = self.scene.unit;
        let centre = (own.mass > 0.0).then_some(own.centre);
        let far = |a: [f64; 3], b: [f64; 3]| (Vec3(a) - Vec3(b)).norm();
        let mut points = ends.joints.clone();
        for point in &ends.forces {
            if points.iter().all(|p| far(*p, *point) > 1e-6 * unit) {
                points.push(*point);
            }
        }
        let longest = points
            .iter()
            .flat_map(|a| points.iter().map(move |b| far(*a, *b)))
            .fold(0.0, f64::max);
        let thickness = |length: f64| (0.05 * length).clamp(0.02 * unit, 0.045 * unit.max(0.2 * length));
        match points[..] {
            [] | [_] if ends.round => {
                // A wheel is seen already; an arm that carries it is not.
                if let ([point], Some(centre)) = (&points[..], centre)
                    && far(*point, centre) > 0.02 * unit
                {
                    self.scene
                        .capsule(body, [*point, centre], thickness(far(*point, centre)));
                }
            }
            [] => self.bulk(body, centre.unwrap_or([0.0; 3])),
            [point] => {
                let centre = centre.unwrap_or(point);
                let length = far(point, centre);
                if length > 1e-6 * unit {
                    // A bar to the centre of mass; as far again beyond it if the body is slender.
                    let slender = 12.0 * moment(own.mass, &own.inertia) / (4.0 * length * length);
                    let end = match slender {
                        s if (0.5..2.0).contains(&s) => core::array::from_fn(|k| 2.0 * centre[k] - point[k]),
                        _ => centre,
                    };
                    self.scene.capsule(body, [point, end], thickness(length));
                    if end == centre {
                        let r = (0.14 * length).min(0.2 * unit);
                        self.scene.on(body, basic::SPHERE, frame::at(centre), [r; 3]);
                    }
                } else {
                    self.bulk(body, centre);
                }
            }
            [a, b] if longest > 1e-6 * unit => self.scene.capsule(body, [a, b], thickness(longest)),
            _ if longest > 1e-6 * unit => {
                let sum = points.iter().fold(Vec3::zero(), |sum, p| sum + Vec3(*p));
                let middle = sum.scale(1.0 / points.len() as f64).0;
                let hub = match ends.joints.len() {
                    // From the point that is nearest to the others.
                    3.. => middle,
                    _ => centre.unwrap_or(middle),
                };
                for point in &points {
                    self.scene.capsule(body, [hub, *point], thickness(0.7 * longest));
                }
            }
            _ => self.bulk(body, centre.unwrap_or(points[0])),
        }
    }

    /// A box with the moments of inertia of the body.
    fn bulk(&mut self, body: usize, centre: [f64; 3]) {
        let own = &self.description.bodies[body - 1];
        let unit = self.scene.unit;
        let [xx, yy, zz, ..] = own.inertia;
        let square = |sum: f64| 6.0 * sum / own.mass;
        let edges = [yy + zz - xx, zz + xx - yy, xx + yy - zz].map(square);
        let largest = edges.iter().copied().fold(0.0, f64::max).sqrt();
        if own.mass > 0.0 && largest > 0.0 && largest.is_finite() {
            let size = edges.map(|e| e.max(0.0).sqrt().max(0.06 * largest));
            self.scene.on(body, basic::CUBE, frame::at(centre), size);
        } else if own.mass > 0.0 {
            self.scene
                .on(body, basic::SPHERE, frame::at(centre), [0.06 * unit; 3]);
        }
    }

    /// Springs, dampers, rods and distances between two points.
    fn between(&mut self) {
        let unit = self.scene.unit;
        for rod in &self.description.rods {
            let radius = (0.04 * rod.length).min(0.06 * unit);
            self.line(&rod.name, basic::BAR, [&rod.from, &rod.to], radius, STEEL);
        }
        for constraint in &self.description.constraints {
            let said = Said::of(|v| constraint.kind.clone().fields(v));
            if constraint.kind.info().name == "distance"
                && let (Some(from), Some(to)) = (said.frame("from"), said.frame("to"))
            {
                self.line(&constraint.name, basic::BAR, [from, to], 0.02 * unit, STEEL);
            }
        }
        for force in &self.description.forces {
            let said = Said::of(|v| force.kind.clone().fields(v));
            let (Some(mesh), Some(from), Some(to)) =
                (drawn(&force.kind), said.frame("from"), said.frame("to"))
            else {
                continue;
            };
            let (radius, colour) = match mesh {
                basic::COIL => (0.075 * unit, SPRING),
                _ => (0.03 * unit, STEEL),
            };
            self.line(&force.name, mesh, [from, to], radius, colour);
        }
    }

    fn line(&mut self, of: &str, mesh: usize, ends: [&str; 2], radius: f64, colour: [f64; 3]) {
        let (Some((a, at_a)), Some((b, at_b))) = (self.at(ends[0]), self.at(ends[1])) else {
            return;
        };
        self.scene.parts.push(Part {
            of: of.to_string(),
            mesh,
            place: Placement::Between {
                bodies: [a, b],
                points: [at_a.position.0, at_b.position.0],
                radius,
            },
            colour,
            opacity: 1.0,
            scenery: false,
        });
    }
}

/// How a force element between two points is drawn; none for those that are not seen.
fn drawn(kind: &ForceKind) -> Option<usize> {
    match kind.info().name {
        "spring-damper" | "nonlinear-spring" | "maxwell" | "air-spring" => Some(basic::COIL),
        "actuator" | "bump-stop" | "damper" => Some(basic::BAR),
        _ => None,
    }
}

/// The largest moment of inertia.
fn moment(mass: f64, inertia: &[f64; 6]) -> f64 {
    let largest = inertia[..3].iter().copied().fold(0.0, f64::max);
    if mass > 0.0 { largest / mass } else { 0.0 }
}

fn radius_of_gyration(mass: f64, inertia: &[f64; 6]) -> f64 {
    2.0 * moment(mass, inertia).sqrt()
}
