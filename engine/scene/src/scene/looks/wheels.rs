//! What rolls and touches: wheels, discs, balls, and the floors under them.

use super::super::basic;
use super::{Looks, ROAD, RUBBER, STEEL, Said};
use holonom_algebra::{Mat3, Pose, Vec3};
use holonom_multibody::description::{Frame, frame};
use holonom_multibody::tyre::tir::TirFile;

impl Looks<'_> {
    /// Wheels, discs and balls of tyres, rolling, rails, impacts and contacts.
    pub(super) fn wheels(&mut self, shown: &[bool]) {
        let mut axles: Vec<(usize, Vec<[f64; 3]>, f64)> = Vec::new();
        for constraint in &self.description.constraints {
            let said = Said::of(|v| constraint.kind.clone().fields(v));
            let radius = said.number("radius").filter(|r| *r > 0.0);
            match constraint.kind.info().name {
                "rolling" => {
                    if let (Some((body, at)), Some(r)) =
                        (said.frame("wheel").and_then(|w| self.at(w)), radius)
                        && !shown[body]
                    {
                        self.ends[body].round = true;
                        match said.flag("sphere") {
                            true => self.ball(body, at, r),
                            false => self.disc(body, at, r, 0.12 * r),
                        }
                    }
                }
                "wheel-rail" => {
                    if let (Some((body, at)), Some(r)) =
                        (said.frame("wheel").and_then(|w| self.at(w)), radius)
                        && !shown[body]
                    {
                        self.ends[body].round = true;
                        self.rail_wheel(body, at, r, said.choices.contains(&"right"));
                        match axles.iter_mut().find(|(own, _, _)| *own == body) {
                            Some((_, points, _)) => points.push(at.position.0),
                            None => axles.push((body, vec![at.position.0], r)),
                        }
                    }
                }
                "impact" => {
                    if let (Some((body, at)), Some(r)) = (said.frame("body").and_then(|w| self.at(w)), radius)
                        && !shown[body]
                    {
                        self.ends[body].round = true;
                        self.ball(body, at, r);
                    }
                    let plane = said.frame("plane").and_then(|plane| self.at(plane));
                    if let Some((body, at)) = plane {
                        self.floor(body, at, &constraint.name);
                    }
                }
                _ => {}
            }
        }
        for (body, points, radius) in axles {
            if let [a, b, ..] = points[..] {
                self.scene.stick(body, [a, b], 0.18 * radius);
            }
        }
        for force in &self.description.forces {
            let said = Said::of(|v| force.kind.clone().fields(v));
            let name = force.kind.info().name;
            if name.ends_with("tyre")
                && let Some((body, at)) = said.frame("wheel").and_then(|wheel| self.at(wheel))
            {
                let radius = said
                    .number("radius")
                    .filter(|r| *r > 0.0)
                    .or_else(|| tyre_radius(&said));
                if let (Some(r), false) = (radius, shown[body]) {
                    self.ends[body].round = true;
                    self.tyre(body, at, r);
                }
            } else if name.ends_with("-contact") {
                self.contact(name, &said, shown);
            }
        }
    }

    pub(super) fn contact(&mut self, name: &str, said: &Said, shown: &[bool]) {
        let places: Vec<(usize, Frame)> = said
            .frames
            .iter()
            .filter_map(|(_, frame)| self.at(frame))
            .collect();
        let ([first, second, ..], Some(radius)) = (&places[..], said.number("radius")) else {
            return;
        };
        let ((from, at_from), (to, at_to)) = (*first, *second);
        match name {
            "sphere-contact" => {
                let other = said.number("second_radius").unwrap_or(radius);
                for (body, at, r) in [(from, at_from, radius), (to, at_to, other)] {
                    if !shown[body] && r > 0.0 {
                        self.ends[body].round = true;
                        self.ball(body, at, r);
                    }
                }
            }
            "plane-contact" => {
                self.floor(from, at_from, "plane");
                if shown[to] {
                    return;
                }
                self.ends[to].round = true;
                let size = said.vectors.iter().find(|(name, _)| *name == "size");
                match (said.choices.first(), size) {
                    (Some(&"box"), Some((_, size))) => {
                        self.scene.on(to, basic::CUBE, at_to, *size);
                    }
                    (Some(&"cylinder"), _) => {
                        let length = said.number("length").unwrap_or(0.0).max(0.05 * radius);
                        self.disc(to, at_to, radius, length);
                    }
                    _ => self.ball(to, at_to, radius),
                }
            }
            _ => {}
        }
    }

    pub(super) fn ball(&mut self, body: usize, at: Frame, radius: f64) {
        self.scene.on(body, basic::SPHERE, at, [radius; 3]);
        // A ring that shows how it turns.
        let ring = self.scene.on(
            body,
            basic::CYLINDER,
            at,
            [1.01 * radius, 1.01 * radius, 0.16 * radius],
        );
        ring.colour = ring.colour.map(|x| 0.6 * x);
    }

    /// A disc about z with a bar across, which shows how it turns.
    pub(super) fn disc(&mut self, body: usize, at: Frame, radius: f64, width: f64) {
        self.scene.on(body, basic::CYLINDER, at, [radius, radius, width]);
        let bar = self
            .scene
            .on(body, basic::CUBE, at, [1.7 * radius, 0.18 * radius, 1.15 * width]);
        bar.colour = bar.colour.map(|x| 0.55 * x);
    }

    /// A tyre about y.
    pub(super) fn tyre(&mut self, body: usize, at: Frame, radius: f64) {
        let at = at.then(&frame::along([0.0; 3], [0.0, 1.0, 0.0]));
        self.scene
            .on(body, basic::CYLINDER, at, [radius, radius, 0.62 * radius])
            .colour = RUBBER;
        let rim = 0.62 * radius;
        self.scene
            .on(body, basic::CYLINDER, at, [rim, rim, 0.66 * radius])
            .colour = STEEL;
        for k in 0..2 {
            let (c, s) = [(1.0, 0.0), (0.0, 1.0)][k];
            let mut turn = Mat3::identity();
            (turn.0[0][0], turn.0[0][1], turn.0[1][0], turn.0[1][1]) = (c, -s, s, c);
            let spoke = at.then(&Pose::new(turn, Vec3::zero()));
            let size = [1.16 * radius, 0.14 * radius, 0.70 * radius];
            self.scene.on(body, basic::CUBE, spoke, size).colour = [0.3, 0.32, 0.35];
        }
    }

    /// A wheel with its flange on the inside. The axle is y of the frame, to the left.
    pub(super) fn rail_wheel(&mut self, body: usize, at: Frame, radius: f64, right: bool) {
        let at = at.then(&frame::along([0.0; 3], [0.0, 1.0, 0.0]));
        let inside = if right { 1.0 } else { -1.0 };
        let flange = at.then(&frame::at([0.0, 0.0, inside * 0.055]));
        self.scene
            .on(body, basic::CYLINDER, at, [radius, radius, 0.1])
            .colour = STEEL;
        let rim = 1.06 * radius;
        self.scene
            .on(body, basic::CYLINDER, flange, [rim, rim, 0.03])
            .colour = STEEL.map(|x| 0.8 * x);
        let size = [1.5 * radius, 0.14 * radius, 0.13];
        self.scene.on(body, basic::CUBE, at, size).colour = [0.35, 0.37, 0.4];
    }

    /// A floor around the origin of a plane.
    pub(super) fn floor(&mut self, body: usize, at: Frame, of: &str) {
        let size = 12.0 * self.scene.unit;
        let colour = ROAD.map(|x| x + 0.25);
        let below = at.then(&frame::at([0.0, 0.0, -0.002 * size]));
        let part = self.scene.on(body, basic::PLANE, below, [size, size, 1.0]);
        (part.of, part.colour, part.scenery) = (of.to_string(), colour, true);
    }
}

fn tyre_radius(said: &Said) -> Option<f64> {
    let document = said.documents.first()?;
    let file = TirFile::parse(&document.text).ok()?;
    let (tyre, _) = file.magic_formula().ok()?;
    Some(tyre.unloaded_radius)
}
