//! Gas in a bellows between two points.

use super::line::Line;
use super::{DescribedForce, ForceElement, ForceKind, ForceLaw, Reach, ShownValue};
use crate::fields::{FROM, Field, Fields, TO};
use crate::description::Force;
use crate::elements::faults::Faults;
use crate::elements::references::{Attached, Named, References, Prepare, Resolve, attached};
use crate::elements::scene::{Loads, Scene};
use holonom_algebra::Real;
use holonom_expression::{Expression, Integral};

/// Numbers of an air spring. Of `load` and `pressure` one is given, the other is zero.
#[derive(Clone, Debug, PartialEq)]
pub struct GasLaw {
    /// Distance ℓ₀ of the origins in the static state, m.
    pub height: f64,
    /// Volume V₀ in the static state, m³.
    pub volume: f64,
    /// Effective area A over `x` = ℓ − ℓ₀, m².
    pub area: Expression,
    /// Force in the static state, N; zero if the pressure is given.
    pub load: f64,
    /// Absolute pressure p₀ in the static state, Pa; zero if the load is given.
    pub pressure: f64,
    /// Polytropic exponent n; 1.38 unless given.
    pub exponent: f64,
    /// Absolute pressure outside, Pa; 101 325 unless given.
    pub ambient: f64,
    /// Damping, N s/m.
    pub damping: f64,
}

impl Default for GasLaw {
    fn default() -> Self {
        Self {
            height: 0.0,
            volume: 0.0,
            area: Expression::zero(),
            load: 0.0,
            pressure: 0.0,
            exponent: 1.38,
            ambient: 101_325.0,
            damping: 0.0,
        }
    }
}

impl GasLaw {
    /// What is wrong with it.
    pub(crate) fn faults(&self, faults: &mut Faults) {
        faults.positive("height", self.height);
        faults.positive("volume", self.volume);
        faults.law("area", &self.area, &["x"]);
        if let Ok(area) = self.area.over_variables(&["x"]) {
            let area = area.evaluate(&[0.0]);
            faults.range("area", area, area > 0.0, "be positive in the static state", "correct it");
        }
        let [load, pressure] = [self.load, self.pressure];
        faults.finite("load", load);
        faults.not_negative("pressure", pressure);
        faults.require(
            (load != 0.0) != (pressure != 0.0),
            "load",
            "the static state needs exactly one of `load` and `pressure`",
            "give one of them and leave out the other",
        );
        let n = self.exponent;
        faults.range("exponent", n, n >= 1.0, "be at least 1", "choose 1 (isothermal) to 1.4 (adiabatic air)");
        faults.not_negative("ambient", self.ambient);
        faults.not_negative("damping", self.damping);
        let absolute = self.static_pressure();
        if absolute.is_finite() && load < 0.0 {
            let remedy = "correct the load or the area";
            faults.range("load", load, absolute > 0.0, "not need a vacuum inside", remedy);
        }
    }

    /// p₀.
    fn static_pressure(&self) -> f64 {
        if self.pressure != 0.0 {
            return self.pressure;
        }
        let area = self.area.over_variables(&["x"]).map_or(f64::NAN, |area| area.evaluate(&[0.0]));
        self.ambient + self.load / area
    }
}

/// Part of the static volume below which the pressure goes on along its tangent.
const LEAST: f64 = 0.01;

/// F = (p − p_a) A(ℓ − ℓ₀) presses two origins apart, with p Vⁿ = p₀ V₀ⁿ and V = V₀ + ∫A dℓ; a
/// damper c ℓ̇ acts besides.
///
/// Because the area is the derivative of the volume, the energy −∫(p − p_a) dV is exact. Below a
/// hundredth of V₀ the pressure goes on along its tangent, so that the force stays finite. At ℓ = 0
/// the line has no direction and there is no force.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AirSpring<R: References = Attached> {
    /// First end.
    pub from: R::Frame,
    /// Second end.
    pub to: R::Frame,
    /// Numbers.
    pub law: R::Law<GasLaw>,
}

impl DescribedForce for AirSpring<Named> {
    const NAME: &str = "air-spring";
    const DOC: &str = "Enclosed gas that pushes the origins of two frames apart: polytropic, with an \
                       effective area that may depend on the height.";

    fn fields(&mut self, visitor: &mut dyn Fields) {
        let Self { from, to, law } = self;
        visitor.frame(&FROM, from);
        visitor.frame(&TO, to);
        visitor.number(&Field::required("height", "m", "Distance between the origins in the static state."), &mut law.height);
        visitor.number(&Field::required("volume", "m³", "Gas volume in the static state."), &mut law.volume);
        let doc = "Effective area: a number, or an expression of x = distance − height; may call tables.";
        visitor.expression(&Field::required("area", "m²", doc), &["x"], &mut law.area);
        let doc = "Force in the static state; specify this or `pressure`.";
        visitor.number(&Field::optional("load", "N", doc), &mut law.load);
        let doc = "Absolute pressure in the static state; specify this or `load`.";
        visitor.number(&Field::optional("pressure", "Pa", doc), &mut law.pressure);
        let doc = "Polytropic exponent: 1 for slow (isothermal) changes, 1.4 for fast (adiabatic) changes of air.";
        visitor.number(&Field::optional("exponent", "", doc), &mut law.exponent);
        visitor.number(&Field::optional("ambient", "Pa", "Absolute ambient pressure."), &mut law.ambient);
        visitor.number(&Field::optional("damping", "N s/m", "Damping along the line between the ends."), &mut law.damping);
    }

    fn faults(&self, faults: &mut Faults) {
        self.law.faults(faults);
    }

    fn attach(&self, to: &mut dyn Resolve) -> Option<ForceElement> {
        attached!(self, to, AirSpring { from: frame, to: frame, law: law })
    }
}


impl Prepare for GasLaw {
    type Ready = EnclosedGas;

    fn prepare(&self) -> Option<EnclosedGas> {
        let area = self.area.over_variables(&["x"]).ok()?;
        Some(EnclosedGas {
            law: self.clone(),
            pressure: self.static_pressure(),
            volume: (!area.is_constant()).then(|| Integral::new(&area)),
            area,
        })
    }
}

/// A [`GasLaw`] ready for evaluation.
#[derive(Clone, Debug)]
pub struct EnclosedGas {
    law: GasLaw,
    /// p₀.
    pressure: f64,
    area: Expression,
    /// V − V₀; none where the area is constant.
    volume: Option<Integral>,
}

impl EnclosedGas {
    /// V/V₀ at a length.
    fn volume<T: Real>(&self, length: T) -> T {
        let x = length - self.law.height;
        let volume = match &self.volume {
            Some(integral) => integral.evaluate(x),
            None => self.area.evaluate(&[x]) * x,
        };
        volume * (1.0 / self.law.volume) + 1.0
    }

    /// p/p₀ at V/V₀.
    fn pressure<T: Real>(&self, volume: T) -> T {
        let n = self.law.exponent;
        let least = LEAST.powf(-n);
        let tangent = (volume - LEAST) * (-n * least / LEAST) + least;
        T::select(volume.value() >= LEAST, volume.powf(-n), tangent)
    }

    /// −∫p/p₀ dV/V₀ from the static state on.
    fn work<T: Real>(&self, volume: T) -> T {
        let n = self.law.exponent;
        let gas = |v: T| {
            // ln in the limit; the closed form loses digits near it.
            if (n - 1.0).abs() < 1e-9 {
                -v.ln()
            } else {
                (v.powf(1.0 - n) - 1.0) * (1.0 / (n - 1.0))
            }
        };
        let least = LEAST.powf(-n);
        let below = volume - LEAST;
        let bent = gas(T::constant(LEAST)) - below * least + below.square() * (0.5 * n * least / LEAST);
        T::select(volume.value() >= LEAST, gas(volume), bent)
    }
}

/// Constructors.
impl Force {
    /// Enclosed gas between the origins of two frames.
    ///
    /// ```
    /// use holonom_multibody::description::Force;
    /// use holonom_multibody::elements::forces::GasLaw;
    /// use holonom_expression::ScalarLaw;
    /// let law = GasLaw {
    ///     height: 0.2,
    ///     volume: 0.01,
    ///     area: ScalarLaw::from(0.03).over("x"),
    ///     load: 15e3,
    ///     ..GasLaw::default()
    /// };
    /// let bellows = Force::air_spring("bellows", "axle", "frame.seat", law);
    /// ```
    pub fn air_spring(
        name: impl Into<String>,
        from: impl Into<String>,
        to: impl Into<String>,
        law: GasLaw,
    ) -> Self {
        let (from, to) = (from.into(), to.into());
        Self::new(name, ForceKind::AirSpring(AirSpring { from, to, law }))
    }
}

impl ForceLaw for AirSpring {
    fn evaluate<T: Real>(&self, scene: &Scene<T>, loads: &mut Loads<T>) {
        let line = Line::new(scene, &self.from, &self.to);
        let EnclosedGas { law, .. } = &self.law;
        let area = self.law.area.evaluate_on(&[line.length - law.height], scene.sides);
        let pressure = self.law.pressure(self.law.volume(line.length)) * self.law.pressure - law.ambient;
        let push = pressure * area - line.rate * law.damping;
        line.push(line.direction.scale(push), loads);
    }

    fn energy<T: Real>(&self, scene: &Scene<T>) -> Option<T> {
        let gas = &self.law;
        let volume = gas.volume(Line::length(scene, &self.from, &self.to));
        let work = gas.work(volume) * gas.pressure;
        Some((work + (volume - 1.0) * gas.law.ambient) * gas.law.volume)
    }

    fn law_inputs<T: Real>(&self, scene: &Scene<T>, out: &mut [T]) {
        out[0] = Line::length(scene, &self.from, &self.to) - self.law.law.height;
    }

    fn reach(&self) -> Reach<'_> {
        Reach::Line(&self.from, &self.to)
    }

    fn outputs(&self) -> Vec<ShownValue> {
        let show = |name, unit, doc| ShownValue { name, unit, doc };
        vec![
            show("pressure", "Pa", "absolute pressure of the gas"),
            show("volume", "m^3", "volume of the gas"),
        ]
    }

    fn shown<T: Real>(&self, scene: &Scene<T>, out: &mut [T]) {
        let gas = &self.law;
        let volume = gas.volume(Line::length(scene, &self.from, &self.to));
        out[0] = gas.pressure(volume) * gas.pressure;
        out[1] = volume * gas.law.volume;
    }
}
