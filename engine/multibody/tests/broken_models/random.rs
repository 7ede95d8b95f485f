//! Random descriptions, with and without defects.

use crate::corpus::{NAN, law};
use holonom_multibody::Signal;
use holonom_multibody::description::{Body, Constraint, Description, Force, Joint, JointKind, Rod, frame};
use holonom_multibody::forest::Hint;

/// A small linear congruential generator; the second field says whether to make defects.
pub struct Random(pub u64, pub bool);

impl Random {
    pub fn below(&mut self, n: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % n
    }

    fn number(&mut self) -> f64 {
        let odd = [
            0.0,
            -1.0,
            NAN,
            f64::INFINITY,
            1e300,
            -1e300,
            1e-320,
            f64::MIN_POSITIVE,
        ];
        match self.below(12) {
            0 if self.1 => odd[self.below(odd.len())],
            _ => self.below(2000) as f64 / 500.0 + if self.1 { -1.0 } else { 0.1 },
        }
    }

    pub fn numbers<const N: usize>(&mut self) -> [f64; N] {
        core::array::from_fn(|_| self.number())
    }

    fn frame(&mut self) -> String {
        let names = [
            "ground", "b0", "b1", "b2", "b3", "b4", "b1.m", "ground.m", "b2.m.m", ".", "", "b9", "ß",
        ];
        let choice = if self.1 { names.len() } else { 2 };
        names[self.below(choice)].to_string()
    }

    fn signal(&mut self) -> Signal {
        match self.below(4) {
            0 => Signal::constant(self.number()),
            1 => Signal::harmonic(self.number(), self.number(), self.number()),
            2 => Signal::function(|t| [t.ln(), 1.0 / t, f64::NAN]),
            _ => Signal::Sum(vec![Signal::linear(self.number(), 1.0)]),
        }
    }

    fn joint(&mut self, i: usize) -> Joint {
        let kinds = [
            JointKind::Fixed,
            JointKind::Revolute,
            JointKind::Prismatic,
            JointKind::Cylindrical,
            JointKind::Helical { pitch: self.number() },
            JointKind::Universal,
            JointKind::Planar,
            JointKind::Spherical,
            JointKind::Free,
            JointKind::FreeCardan,
        ];
        let kind = kinds[self.below(kinds.len())];
        let (mut from, mut to) = (format!("b{}", self.below(i + 1)), format!("b{i}"));
        if i == 0 || self.below(4) == 0 {
            from = "ground".to_string();
        }
        if self.1 && self.below(10) == 0 {
            from = self.frame();
        }
        if self.below(5) == 0 {
            core::mem::swap(&mut from, &mut to);
        }
        let mut joint = Joint::new(
            format!("j{}", if self.below(20) == 0 { 0 } else { i }),
            kind,
            from,
            to,
        );
        if self.below(3) == 0 && (self.1 || kind.info().has_axis) {
            joint.axis = self.numbers();
        }
        let coordinates = if self.1 {
            self.below(4)
        } else {
            kind.info().coordinates.len()
        };
        for k in 0..coordinates {
            joint = match self.below(4) {
                0 => joint.locked(k, self.number()),
                1 => joint.prescribed(k, self.signal()),
                _ => joint.start_at(k, self.number(), self.number()),
            };
        }
        if self.1 && self.below(4) == 0 {
            joint.orientation = self.numbers();
            joint.angular_velocity = self.numbers();
            joint.orientation_locked = self.below(2) == 0;
        }
        joint.hint = [Hint::Auto, Hint::Tree, Hint::Cut][if self.1 { self.below(3) } else { 0 }];
        joint
    }

    fn coordinate(&mut self) -> (String, usize) {
        (format!("j{}", self.below(7)), self.below(3))
    }

    pub fn description(&mut self) -> Description {
        let mut d = Description::new("random").ground_marker("m", frame::at(self.numbers()));
        let n = self.below(6);
        for i in 0..n {
            let mut body = Body::cuboid(format!("b{i}"), 1.0, [1.0, 2.0, 1.5]);
            match if self.1 { self.below(8) } else { 9 } {
                0 => body.mass = self.number(),
                1 => body.inertia = self.numbers(),
                2 => body = Body::new(format!("b{i}"), self.number()),
                _ => {}
            }
            d = d.body(body.marker("m", frame::oriented(self.numbers(), self.numbers())));
            d = d.joint(self.joint(i));
        }
        for i in 0..self.below(3) {
            d = d.joint(Joint {
                name: format!("extra{i}"),
                from: self.frame(),
                to: self.frame(),
                ..self.joint(i)
            });
        }
        for i in 0..self.below(3) {
            let (a, b, x) = (self.frame(), self.frame(), self.number());
            let (c, e) = (self.coordinate(), self.coordinate());
            let (c, e) = ((c.0.as_str(), c.1), (e.0.as_str(), e.1));
            let name = format!("c{i}");
            d = match self.below(6) {
                0 => d.constraint(Constraint::point(name, a, b)),
                1 => d.constraint(Constraint::distance(name, a, b, x)),
                2 => d.constraint(Constraint::gear(name, c, e, x)),
                3 => d.constraint(Constraint::driver(name, c, self.signal())),
                4 => d.constraint(Constraint::rolling_disc(name, a, b, x)),
                _ => d.rod(Rod::new(name, a, b, x).mass(self.number())),
            };
        }
        for i in 0..self.below(3) {
            let (a, b, x) = (self.frame(), self.frame(), self.number());
            let c = self.coordinate();
            let name = format!("f{i}");
            d = match self.below(4) {
                0 => d.force(Force::spring_damper(name, a, b, x, x, x)),
                1 => d.force(Force::applied(
                    name,
                    a,
                    [self.signal(), self.signal(), self.signal()],
                )),
                2 => d.force(Force::motor(name, (c.0.as_str(), c.1), self.signal())),
                _ => d.force(Force::user(name, a, b, law(19, 6 - self.below(2)))),
            };
        }
        d
    }
}
