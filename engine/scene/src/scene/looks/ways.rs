//! What is rolled on: roads and rails.

use super::super::basic;
use super::{Looks, ROAD, Said};
use crate::mesh::Mesh;
use holonom_algebra::{CardanAngles, Mat3, Pose, Vec3};
use holonom_multibody::Signal;
use holonom_multibody::description::{Frame, Track, frame};
use holonom_multibody::elements::joints::Primitive;
use holonom_multibody::road::{RoadKind, Surface};

const RAIL: [f64; 3] = [0.45, 0.40, 0.37];

impl Looks<'_> {
    /// The surfaces under tyres.
    pub(super) fn roads(&mut self) {
        let rolls: Vec<String> = self
            .description
            .forces
            .iter()
            .filter(|force| force.kind.info().name.ends_with("tyre"))
            .flat_map(|force| Said::of(|v| force.kind.clone().fields(v)).roads)
            .collect();
        let unit = self.scene.unit;
        if rolls.iter().any(String::is_empty) {
            let size = 400.0_f64.max(100.0 * unit);
            let part = self.scene.on(
                0,
                basic::PLANE,
                frame::at([0.0, 0.0, -1e-3 * unit]),
                [size, size, 1.0],
            );
            (part.of, part.colour, part.scenery) = ("road".to_string(), ROAD, true);
        }
        for road in &self.description.roads {
            let Some((body, at)) = self.at(&road.frame) else {
                continue;
            };
            let Ok(surface) = Surface::new(&road.kind) else {
                continue;
            };
            let (length, width) = (300.0, 12.0);
            let flat = matches!(road.kind, RoadKind::Flat(_));
            let (n, m) = if flat { (1, 1) } else { (1500, 12) };
            let signs = [road.reversed, road.swapped].map(|turned| if turned { -1.0 } else { 1.0 });
            // From a little before the start to where most runs end.
            let x = |i: usize| -20.0 + length * i as f64 / n as f64;
            let y = |j: usize| width * (j as f64 / m as f64 - 0.5);
            let height = |i: usize, j: usize| surface.at(signs[0] * x(i), signs[1] * y(j)).height;
            let mesh = Mesh::grid(n, m, |i, j| [x(i), y(j), height(i, j)]);
            let mesh = self.scene.mesh(mesh);
            let part = self.scene.on(body, mesh, at, [1.0; 3]);
            (part.of, part.colour, part.scenery) = (road.name.clone(), ROAD, true);
        }
    }

    /// Rails along tracks, where wheels are on them.
    pub(super) fn tracks(&mut self) {
        self.straight_rails();
        for track in &self.description.tracks {
            let Some((body, from)) = self.at(&track.from) else {
                continue;
            };
            let Some((carrier, seat)) = self.at(&track.to) else {
                continue;
            };
            let mut offsets: Vec<[f64; 2]> = Vec::new();
            for constraint in &self.description.constraints {
                let said = Said::of(|v| constraint.kind.clone().fields(v));
                if let Some((on, at)) = said.frame("rail").and_then(|rail| self.at(rail))
                    && on == carrier
                {
                    let [_, y, z] = seat.inverse().then(&at).position.0;
                    offsets.push([y, z]);
                }
            }
            if offsets.is_empty() {
                continue;
            }
            let Some(poses) = along(track) else { continue };
            for [y, z] in offsets {
                let points: Vec<[Vec3<f64>; 2]> = poses
                    .iter()
                    .map(|pose| {
                        let pose = from.then(pose);
                        let top = pose.point(Vec3([0.0, y, z - 0.05]));
                        [top, pose.rotation.column(2)]
                    })
                    .collect();
                let mesh = self.scene.mesh(Mesh::beam(&points, [0.035, 0.05]));
                let part = self.scene.on(body, mesh, Pose::identity(), [1.0; 3]);
                (part.of, part.colour, part.scenery) = (track.name.clone(), RAIL, true);
            }
        }
    }

    /// Rails that no track carries lie straight along x of their frames.
    pub(super) fn straight_rails(&mut self) {
        let carriers: Vec<usize> = self
            .description
            .tracks
            .iter()
            .filter_map(|track| self.at(&track.to))
            .map(|(body, _)| body)
            .collect();
        for constraint in &self.description.constraints {
            let said = Said::of(|v| constraint.kind.clone().fields(v));
            let Some((body, at)) = said.frame("rail").and_then(|rail| self.at(rail)) else {
                continue;
            };
            if carriers.contains(&body) {
                continue;
            }
            let points: Vec<[Vec3<f64>; 2]> = (-2..=20)
                .map(|k| {
                    [
                        at.point(Vec3([10.0 * f64::from(k), 0.0, -0.05])),
                        at.rotation.column(2),
                    ]
                })
                .collect();
            let mesh = self.scene.mesh(Mesh::beam(&points, [0.035, 0.05]));
            let part = self.scene.on(body, mesh, Pose::identity(), [1.0; 3]);
            (part.of, part.colour, part.scenery) = (constraint.name.clone(), RAIL, true);
        }
    }
}

/// The poses of a track from a little before its start to its end.
fn along(track: &Track) -> Option<Vec<Frame>> {
    const BEFORE: f64 = 20.0;
    let mut walk = track.clone();
    walk.travel = Signal::linear(0.0, 1.0);
    let joint = walk.joint().ok()?;
    let length = (track.length + BEFORE).min(4000.0);
    let count = (length / 1.0).ceil().max(2.0) as usize;
    let motions = joint.kind.motions();
    let mut poses = Vec::with_capacity(count + 1);
    for k in 0..=count {
        let s = length * k as f64 / count as f64 - BEFORE;
        let mut pose = Pose::identity();
        for (motion, coordinate) in motions.iter().zip(&joint.coordinates) {
            let holonom_multibody::description::CoordinateMotion::Prescribed(signal) = &coordinate.motion
            else {
                return None;
            };
            let [value, ..] = signal.evaluate(s);
            pose = pose.then(&moved(motion, value)?);
        }
        poses.push(pose);
    }
    Some(poses)
}

/// The pose after a primitive motion.
fn moved(motion: &Primitive, value: f64) -> Option<Frame> {
    match *motion {
        Primitive::Slide(axis) => Some(Pose::new(Mat3::identity(), Vec3::unit(axis).scale(value))),
        Primitive::Turn(axis) => {
            let mut angles = [0.0; 3];
            angles[axis] = value;
            let rotation = Mat3(CardanAngles(angles).rotation_matrix());
            Some(Pose::new(rotation, Vec3::zero()))
        }
        Primitive::Screw { .. } | Primitive::Ball => None,
    }
}
