//! Spring and damper with curved characteristics between two points.

use super::line::Line;
use super::{DescribedForce, ForceElement, ForceLaw, Reach};
use crate::fields::{FROM, Field, Fields, TO};
use crate::description::{Called, Force};
use crate::elements::faults::Faults;
use crate::elements::references::{Attached, Named, References, Resolve, Prepare, attached};
use crate::elements::scene::{Loads, Scene};
use holonom_algebra::{Dual4, Real};
use holonom_expression::{Expression, Integral, ScalarLaw, Scope};

/// What a spring and a damper do: a function of the deflection and one of its rate.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SpringLaw {
    /// Force over the deflection `x`.
    pub spring: Expression,
    /// Force over the rate `v` of the deflection.
    pub damper: Expression,
    /// Where the deflection is zero.
    pub free: f64,
}

impl SpringLaw {
    /// What is wrong with it; `free` is the name of its field.
    pub(crate) fn faults(&self, free: &'static str, faults: &mut Faults) {
        faults.law("spring", &self.spring, &["x"]);
        faults.law("damper", &self.damper, &["v"]);
        faults.finite(free, self.free);
    }

}

impl Prepare for SpringLaw {
    type Ready = SpringCurves;

    fn prepare(&self) -> Option<SpringCurves> {
        let spring = self.spring.over_variables(&["x"]).ok()?;
        let slope = spring.evaluate(&[Dual4::variable(-self.free, 0)]).derivative(0);
        Some(SpringCurves {
            integral: Integral::new(&spring),
            spring,
            damper: self.damper.over_variables(&["v"]).ok()?,
            free: self.free,
            slope: if slope.is_finite() { slope } else { 0.0 },
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
    /// Slope of the spring at position zero; zero where it has none.
    slope: f64,
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
}

/// Tension f(ℓ − ℓ₀) + d(ℓ̇) along the line between two origins, with ℓ their distance.
///
/// At ℓ = 0 the line has no direction and there is no force. Where f(−ℓ₀) = 0 the force and its
/// derivative are continuous there.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NonlinearSpring<R: References = Attached> {
    /// First end.
    pub from: R::Frame,
    /// Second end.
    pub to: R::Frame,
    /// Spring and damper.
    pub law: R::Law<SpringLaw>,
}

impl DescribedForce for NonlinearSpring<Named> {
    const NAME: &str = "nonlinear-spring";
    const DOC: &str = "Spring and damper with characteristics from tables or expressions, between the origins of two frames.";

    fn fields(&mut self, visitor: &mut dyn Fields) {
        let Self { from, to, law } = self;
        visitor.frame(&FROM, from);
        visitor.frame(&TO, to);
        let doc = "Tension of the spring as a function of x = length − free length; may call tables.";
        visitor.expression(&Field::optional("spring", "N", doc), &["x"], &mut law.spring);
        let doc = "Tension of the damper as a function of v, the rate of the length; may call tables.";
        visitor.expression(&Field::optional("damper", "N", doc), &["v"], &mut law.damper);
        visitor.number(&Field::optional("free_length", "m", "Length at which x is zero."), &mut law.free);
    }

    fn faults(&self, faults: &mut Faults) {
        self.law.faults("free_length", faults);
    }

    fn attach(&self, to: &mut dyn Resolve) -> Option<ForceElement> {
        attached!(self, to, NonlinearSpring { from: frame, to: frame, law: law })
    }
}


/// Constructors.
impl Force {
    /// Spring with a curved characteristic between the origins of two frames: tension in N over
    /// `x`, the length less the free length in m, as a table or an expression.
    ///
    /// ```
    /// use holonom_expression::curve::{Curve, Extrapolation, Interpolation};
    /// use holonom_multibody::description::Force;
    /// let (x, f) = (vec![-0.1, 0.0, 0.05], vec![-9e3, 0.0, 2e3]);
    /// let rubber = Curve::new("rubber", x, f, Interpolation::Monotone, Extrapolation::Linear)?;
    /// let spring = Force::nonlinear_spring("spring", "chassis.top", "axle", rubber, 0.3).damper(1500.0);
    /// # Ok::<(), holonom_expression::curve::CurveError>(())
    /// ```
    pub fn nonlinear_spring(
        name: impl Into<String>,
        from: impl Into<String>,
        to: impl Into<String>,
        spring: impl Into<ScalarLaw>,
        free_length: f64,
    ) -> Called<NonlinearSpring<Named>> {
        let law = SpringLaw {
            spring: spring.into().over("x"),
            free: free_length,
            ..SpringLaw::default()
        };
        let (from, to) = (from.into(), to.into());
        Called::new(name, NonlinearSpring { from, to, law })
    }
}

impl Called<NonlinearSpring<Named>> {
    /// Sets the damper: force over the rate `v`, as a table, an expression or a number that stands for a linear
    /// damper.
    pub fn damper(mut self, damper: impl Into<ScalarLaw>) -> Self {
        self.kind.law.damper = damper_law(damper);
        self
    }
}

/// A law of a damper; a number stands for a linear one.
pub(super) fn damper_law(damper: impl Into<ScalarLaw>) -> Expression {
    let damper = damper.into().over("v");
    match damper.value() {
        Some(factor) => {
            let text = format!("{factor:?}*v");
            let scope = Scope::new().variable("v");
            // What is not finite stays and is reported when the mechanism is compiled.
            Expression::parse(&text, &scope, None).unwrap_or(damper)
        }
        None => damper,
    }
}

impl ForceLaw for NonlinearSpring {
    fn evaluate<T: Real>(&self, scene: &Scene<T>, loads: &mut Loads<T>) {
        let line = Line::new(scene, &self.from, &self.to);
        // f′(−ℓ₀): what is linear at ℓ = 0 needs no direction.
        let slope = self.law.slope;
        let rest = self.law.force(line.length, line.rate, scene) - line.length * slope;
        line.push(-(line.span.scale(slope) + line.direction.scale(rest)), loads);
    }

    fn energy<T: Real>(&self, scene: &Scene<T>) -> Option<T> {
        Some(self.law.energy(Line::length(scene, &self.from, &self.to)))
    }

    fn law_inputs<T: Real>(&self, scene: &Scene<T>, out: &mut [T]) {
        let line = Line::new(scene, &self.from, &self.to);
        out[..2].copy_from_slice(&self.law.law_inputs(line.length, line.rate));
    }

    fn reach(&self) -> Reach<'_> {
        Reach::Line(&self.from, &self.to)
    }
}
