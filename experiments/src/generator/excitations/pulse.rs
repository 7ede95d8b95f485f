//! A pulse as a function of time, or of a coordinate that passes it.

use super::Shape;
use crate::random::Random;

/// Where it comes, in time or along a path.
pub(super) struct Pulse {
    pub begin: f64,
    pub width: f64,
    /// The end of the run or of the path.
    pub end: f64,
    /// The variable and its unit.
    pub variable: [&'static str; 2],
}

impl Pulse {
    /// A function of height one, and the tables it calls.
    pub fn text(&self, shape: Shape, random: &mut Random) -> (String, String) {
        let (a, w) = (self.begin, self.width);
        let [x, unit] = self.variable;
        let b = a + w;
        let middle = a + 0.5 * w;
        let half_sine = format!("sin(pi*({x} - {a:?}{unit})/({w:?}{unit}))");
        let table = |kind: &str, x: &[f64], y: &[f64]| {
            format!(
                "[[table]]\nname = \"pulse\"\nx = {x:?}\ny = {y:?}\ninterpolation = \"{kind}\"\nextrapolation = \"hold\"\n\n"
            )
        };
        let called = format!("pulse({x})");
        match shape {
            Shape::HalfSine => (
                format!("if({x} < {a:?}{unit}, 0, if({x} > {b:?}{unit}, 0, {half_sine}))"),
                String::new(),
            ),
            Shape::Rectangle => (
                format!("if({x} >= {a:?}{unit}, if({x} < {b:?}{unit}, 1, 0), 0)"),
                String::new(),
            ),
            Shape::Nested => {
                let c = a + random.within(0.3, 0.7) * w;
                let rise = format!("({x} - {a:?}{unit})/({:?}{unit})", c - a);
                let fall = format!("({b:?}{unit} - {x})/({:?}{unit})", b - c);
                (
                    format!(
                        "max(0, if({x} < {c:?}{unit}, if({x} > {a:?}{unit}, {rise}, 0), {fall}*step({b:?}{unit} - {x})))"
                    ),
                    String::new(),
                )
            }
            Shape::Triangle => (
                format!("max(0, 1 - abs({x} - {middle:?}{unit})/({:?}{unit}))", 0.5 * w),
                String::new(),
            ),
            Shape::LinearTable => (
                called,
                table(
                    "linear",
                    &[0.0, a, middle, b, self.end],
                    &[0.0, 0.0, 1.0, 0.0, 0.0],
                ),
            ),
            Shape::MonotoneTable => (
                called,
                table(
                    "monotone",
                    &[0.0, a, middle, b, self.end],
                    &[0.0, 0.0, 1.0, 0.0, 0.0],
                ),
            ),
            Shape::SplineTable => {
                // Points of sin⁴ in the pulse, zeros outside.
                let inside: Vec<f64> = (0..=16).map(|k| a + w * f64::from(k) / 16.0).collect();
                let points: Vec<f64> = (0..4)
                    .map(|k| a * f64::from(k) / 4.0)
                    .chain(inside.iter().copied())
                    .chain((1..=4).map(|k| b + (self.end - b) * f64::from(k) / 4.0))
                    .collect();
                let height = |t: f64| {
                    let s = (t - a) / w;
                    if s > 0.0 && s < 1.0 {
                        (std::f64::consts::PI * s).sin().powi(4)
                    } else {
                        0.0
                    }
                };
                let y: Vec<f64> = points.iter().map(|t| height(*t)).collect();
                (called, table("spline", &points, &y))
            }
            Shape::Gaussian => (
                format!("exp(-(({x} - {middle:?}{unit})/({:?}{unit}))^2)", w / 4.0),
                String::new(),
            ),
            Shape::Smoothstep => (
                format!(
                    "smoothstep({x}, {a:?}{unit}, 0, {middle:?}{unit}, 1) - smoothstep({x}, {middle:?}{unit}, 0, {b:?}{unit}, 1)"
                ),
                String::new(),
            ),
        }
    }
}
