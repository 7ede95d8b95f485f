//! Spring and damper with curved characteristics between two points.

use super::faults::Faults;
use super::line::Line;
use super::{ForceInfo, ForceLaw, Reach};
use crate::description::ForceKind;
use crate::description::fields::{FROM, Field, Fields, TO};
use crate::description::include::same_force;
use crate::elements::scene::{Loads, Scene};
use holonom_expression::{Expression, Integral};
use crate::model::Attachment;
use holonom_algebra::{Dual4, Real};

/// The entry of the registry.
pub(super) const FORCE: ForceInfo = ForceInfo {
    name: "nonlinear-spring",
    doc: "Spring and damper with characteristics from tables or expressions, between the origins of two frames.",
    in_files: true,
    template,
    fields,
    mirror: same_force,
};

fn template() -> ForceKind {
    ForceKind::NonlinearSpring {
        from: String::new(),
        to: String::new(),
        law: SpringLaw::default(),
    }
}

fn fields(kind: &mut ForceKind, visitor: &mut dyn Fields) {
    let ForceKind::NonlinearSpring { from, to, law } = kind else {
        return;
    };
    visitor.frame(&FROM, from);
    visitor.frame(&TO, to);
    let doc = "Tension of the spring as a function of x = length − free length; may call tables.";
    visitor.expression(&Field::optional("spring", "N", doc), &["x"], &mut law.spring);
    let doc = "Tension of the damper as a function of v, the rate of the length; may call tables.";
    visitor.expression(&Field::optional("damper", "N", doc), &["v"], &mut law.damper);
    visitor.number(&Field::optional("free_length", "m", "Length at which x is zero."), &mut law.free);
}

/// What a spring and a damper do: a function of the deflection and one of its rate.
#[derive(Clone, Debug, PartialEq)]
pub struct SpringLaw {
    /// Force over the deflection `x`.
    pub spring: Expression,
    /// Force over the rate `v` of the deflection.
    pub damper: Expression,
    /// Where the deflection is zero.
    pub free: f64,
}

impl Default for SpringLaw {
    fn default() -> Self {
        Self {
            spring: Expression::zero(),
            damper: Expression::zero(),
            free: 0.0,
        }
    }
}

impl SpringLaw {
    /// What is wrong with it; `free` is the name of its field.
    pub(crate) fn faults(&self, free: &'static str) -> Faults {
        let mut faults = Faults::default();
        faults.law("spring", &self.spring, &["x"]);
        faults.law("damper", &self.damper, &["v"]);
        faults.finite(free, self.free);
        faults
    }

    /// Ready to be evaluated; none where a variable does not exist.
    pub fn compiled(&self) -> Option<SpringCurves> {
        let spring = self.spring.over_variables(&["x"]).ok()?;
        Some(SpringCurves {
            integral: Integral::new(&spring),
            spring,
            damper: self.damper.over_variables(&["v"]).ok()?,
            free: self.free,
        })
    }
}

/// A [`SpringLaw`] after compilation. The stored energy is that of the spring from deflection zero
/// on: exact to rounding for tables, and for expressions by quadrature until it agrees to rounding.
#[derive(Clone, Debug)]
pub struct SpringCurves {
    spring: Expression,
    damper: Expression,
    integral: Integral,
    free: f64,
}

impl SpringCurves {
    /// Force at a length or position and its rate, in a scene that keeps switches on sides.
    pub(crate) fn force<T: Real>(&self, position: T, rate: T, scene: &Scene<T>) -> T {
        let [x, v] = self.law_inputs(position, rate);
        self.spring.evaluate_on(&[x], scene.sides) + self.damper.evaluate_on(&[v], scene.sides)
    }

    /// What the spring and the damper depend on.
    pub(crate) fn law_inputs<T: Real>(&self, position: T, rate: T) -> [T; 2] {
        [position - self.free, rate]
    }

    /// Energy stored at a length or position.
    pub fn energy<T: Real>(&self, position: T) -> T {
        self.integral.evaluate(position - self.free)
    }

    /// Slope of the spring at position zero; zero where it has none.
    pub(crate) fn slope_at_zero(&self) -> f64 {
        let slope = self.spring.evaluate(&[Dual4::variable(-self.free, 0)]).derivative(0);
        if slope.is_finite() { slope } else { 0.0 }
    }
}

/// Tension f(ℓ − ℓ₀) + d(ℓ̇) along the line between two origins, with ℓ their distance.
///
/// At ℓ = 0 the line has no direction and there is no force. Where f(−ℓ₀) = 0 the force and its
/// derivative are continuous there.
#[derive(Clone, Debug)]
pub struct NonlinearSpring {
    /// First end.
    pub from: Attachment,
    /// Second end.
    pub to: Attachment,
    /// Spring and damper.
    pub curves: SpringCurves,
    /// f′(−ℓ₀): what is linear at ℓ = 0 needs no direction.
    slope: f64,
}

impl NonlinearSpring {
    /// Between two frames.
    pub fn new(from: Attachment, to: Attachment, curves: SpringCurves) -> Self {
        let slope = curves.slope_at_zero();
        Self {
            from,
            to,
            curves,
            slope,
        }
    }
}

impl ForceLaw for NonlinearSpring {
    fn evaluate<T: Real>(&self, scene: &Scene<T>, loads: &mut Loads<T>) {
        let line = Line::new(scene, &self.from, &self.to);
        let rest = self.curves.force(line.length, line.rate, scene) - line.length * self.slope;
        line.push(-(line.span.scale(self.slope) + line.direction.scale(rest)), loads);
    }

    fn energy<T: Real>(&self, scene: &Scene<T>) -> Option<T> {
        Some(self.curves.energy(Line::length(scene, &self.from, &self.to)))
    }

    fn law_inputs<T: Real>(&self, scene: &Scene<T>, out: &mut [T]) {
        let line = Line::new(scene, &self.from, &self.to);
        out[..2].copy_from_slice(&self.curves.law_inputs(line.length, line.rate));
    }

    fn reach(&self) -> Reach<'_> {
        Reach::Line(&self.from, &self.to)
    }
}
