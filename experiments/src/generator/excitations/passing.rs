//! Motions that pass something: a law of the position, another body, a stop.

use super::{Data, Place};
use std::fmt::Write;

impl Data {
    /// A mass on a slide that passes a hill of the potential, at constant speed or on a spring, the force of which is
    /// written as a law or follows from a sensor.
    pub(super) fn passes_law(
        &self,
        place: Place,
        function: &str,
        on: f64,
        out: &mut String,
    ) -> std::fmt::Result {
        let mass = self.mass;
        // 1 m in the run, or the amplitude 1 m.
        let speed = match place {
            Place::Oscillating => (self.stiffness / mass).sqrt(),
            _ => 1.0 / self.t_end,
        };
        // The force takes or gives a part of the energy.
        let force = 0.1 * mass * speed * speed / self.width * on;
        self.slide("mass", mass, [0.0, speed], out)?;
        if place == Place::Oscillating {
            writeln!(
                out,
                "[[force]]\nname = \"spring\"\nkind = \"joint-spring\"\ncoordinate = \"slide mass\"\nstiffness = {:?}\ndamping = {:?}\n",
                self.stiffness, self.damping
            )?;
        }
        if place != Place::Sensor {
            return writeln!(
                out,
                "[[force]]\nname = \"hill\"\nkind = \"expression\"\nfrom = \"ground\"\nto = \"mass\"\nforce = [\"{force:?} N*({function})\", 0, 0]\n"
            );
        }
        writeln!(
            out,
            "[[control]]\nname = \"where\"\nkind = \"sensor\"\nchannel = \"slide mass.displacement\"\n"
        )?;
        writeln!(
            out,
            "[[control]]\nname = \"command\"\nkind = \"expression\"\nvalue = \"{force:?}*({function})\"\n"
        )?;
        writeln!(
            out,
            "[[force]]\nname = \"push\"\nkind = \"applied\"\nframe = \"mass\"\nforce = [\"command*1 N\", 0, 0]\n"
        )
    }

    /// A body on a slide along x, with its displacement and velocity.
    fn slide(&self, name: &str, mass: f64, [x, v]: [f64; 2], out: &mut String) -> std::fmt::Result {
        writeln!(
            out,
            "[[body]]\nname = \"{name}\"\nmass = {mass:?}\ninertia = [{mass:?}, {mass:?}, {mass:?}]\n"
        )?;
        writeln!(
            out,
            "[[joint]]\nname = \"slide {name}\"\nkind = \"prismatic\"\nfrom = \"ground\"\nto = \"{name}\"\naxis = [1, 0, 0]\ndisplacement = {{ start = {x:?}, velocity = {v:?} }}\n"
        )
    }

    /// Two balls that meet head-on, and would be past each other within the width of the pulse.
    pub(super) fn balls(&self, on: f64, out: &mut String) -> std::fmt::Result {
        let (mass, other) = (self.mass, self.mass * (0.3 + self.lift));
        let speed = 1.0 / self.t_end;
        let radius = 0.5 * speed * self.width;
        self.slide("a", mass, [0.0, speed], out)?;
        let apart = 2.0 * speed * self.begin + 2.0 * radius;
        self.slide("b", other, [apart, -speed], out)?;
        // The contact lasts a fifth of that.
        let reduced = mass * other / (mass + other);
        let stiffness = reduced * (5.0 * std::f64::consts::PI / self.width).powi(2);
        // Without the contact the balls are points.
        let radius = radius * on.max(1e-9);
        writeln!(
            out,
            "[[force]]\nname = \"contact\"\nkind = \"sphere-contact\"\nfrom = \"a\"\nto = \"b\"\nradius = {radius:?}\nsecond_radius = {radius:?}\nstiffness = {:?}\nexponent = 1\n",
            stiffness * on.max(1e-9)
        )
    }

    /// A mass that is thrown up, and reaches a stop only at the end of its way, for the width of the pulse.
    pub(super) fn stop(&self, on: f64, out: &mut String) -> std::fmt::Result {
        let mass = self.mass;
        // 1 m high, in the middle of the pulse.
        let apex = self.begin + 0.5 * self.width;
        let acceleration = 2.0 / (apex * apex);
        self.slide("mass", mass, [0.0, acceleration * apex], out)?;
        let below = 0.5 * acceleration * (0.5 * self.width).powi(2);
        let limit = if on > 0.0 { 1.0 - below } else { 10.0 };
        let stiffness = mass * (10.0 * std::f64::consts::PI / self.width).powi(2);
        writeln!(
            out,
            "[[force]]\nname = \"weight\"\nkind = \"applied\"\nframe = \"mass\"\nforce = [{:?}, 0, 0]\n",
            -mass * acceleration
        )?;
        writeln!(
            out,
            "[[force]]\nname = \"stop\"\nkind = \"joint-stop\"\ncoordinate = \"slide mass\"\nupper = {limit:?}\nstiffness = {stiffness:?}\nonset = {:?}\n",
            0.1 * below
        )
    }
}
