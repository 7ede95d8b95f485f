//! Elastic bearing between two frames.

use super::{DescribedForce, ForceElement, ForceKind, ForceLaw, Reach, ShownValue};
use crate::fields::{FROM, Field, Fields, TO, diagonal};
use crate::description::{Force, Mirror};
use crate::elements::constraints::relative::Relative;
use crate::elements::faults::Faults;
use crate::elements::references::{Attached, Named, References, Prepare, Resolve, attached};
use crate::elements::scene::{Loads, Scene};
use holonom_algebra::{Mat3, Orientation, Real, Twist, Vec3, Wrench};
use holonom_expression::{Expression, Integral};

/// What a bushing does. Directions are those of the first frame: displacements x, y, z, then
/// rotations x, y, z. "Restoring" forces act on the second frame against the displacement.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BushingLaw {
    /// Stiffness, symmetric: N/m, N m/rad, N.
    pub stiffness: [[f64; 6]; 6],
    /// Damping, symmetric: N s/m, N m s/rad, N s.
    pub damping: [[f64; 6]; 6],
    /// Restoring force without displacement, N.
    pub preload_force: [f64; 3],
    /// Restoring torque without displacement, N m.
    pub preload_torque: [f64; 3],
    /// Restoring forces besides, each over the displacement `s` along its own axis, N.
    pub force: [Expression; 3],
    /// Restoring torques besides, each over the rotation `s` about its own axis, N m.
    pub torque: [Expression; 3],
}

impl BushingLaw {
    /// A bushing from the diagonals of stiffness and damping.
    ///
    /// ```
    /// use holonom_multibody::elements::forces::BushingLaw;
    /// let rubber = BushingLaw::diagonal([8e5, 8e5, 1e5, 90.0, 90.0, 30.0], [400.0, 400.0, 50.0, 0.1, 0.1, 0.1]);
    /// assert_eq!(rubber.stiffness[5][5], 30.0);
    /// ```
    pub fn diagonal(stiffness: [f64; 6], damping: [f64; 6]) -> Self {
        let mut law = Self::default();
        for k in 0..6 {
            law.stiffness[k][k] = stiffness[k];
            law.damping[k][k] = damping[k];
        }
        law
    }

    /// What is wrong with it.
    pub(crate) fn faults(&self, faults: &mut Faults) {
        for (field, matrix, [askew, negative]) in [
            (
                "stiffness",
                &self.stiffness,
                ["the stiffness is not symmetric", "a diagonal entry of the stiffness is negative"],
            ),
            (
                "damping",
                &self.damping,
                ["the damping is not symmetric", "a diagonal entry of the damping is negative"],
            ),
        ] {
            let entries = matrix.as_flattened();
            if !faults.finite(field, entries.iter().sum()) {
                continue;
            }
            let largest = entries.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
            // Rounded products of what was computed.
            let slack = 1e-9 * largest;
            let symmetric = (0..6).all(|i| (0..i).all(|j| (matrix[i][j] - matrix[j][i]).abs() <= slack));
            faults.require(symmetric, field, askew, "make entries (i, j) and (j, i) equal");
            let positive = (0..6).all(|k| matrix[k][k] >= 0.0);
            faults.require(positive, field, negative, "correct it");
        }
        for (field, vector) in [
            ("preload_force", &self.preload_force),
            ("preload_torque", &self.preload_torque),
        ] {
            faults.finite(field, vector.iter().sum());
        }
        for (field, laws) in [("force", &self.force), ("torque", &self.torque)] {
            for law in laws {
                faults.law(field, law, &["s"]);
            }
        }
    }
}

/// Restoring loads K ξ + C ξ̇ + P + n(ξ) in the coordinates ξ = (d, θ) of the second frame seen from
/// the first, in whose axes they are: d the position of the second origin, θ the rotation vector.
///
/// The rates are ξ̇ = (ḋ, J⁻¹ w) with the relative angular velocity w and
/// J⁻¹ = I − \[θ\]/2 + (1 − (φ/2) cot(φ/2)) \[θ\]²/φ², φ = |θ| (F. C. Park, IEEE Trans. Robot. Autom.
/// 7 (1991) 643–650). The torque is J⁻ᵀ times the load that belongs to θ, so that the power is
/// exactly −ξ̇ᵀ(…): the energy ½ ξᵀK ξ + Pᵀξ + Σ∫n is exact for rotations of any size below half a
/// turn, where θ jumps to the other side. The opposite load acts on the first frame at the second
/// origin.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bushing<R: References = Attached> {
    /// First frame.
    pub from: R::Frame,
    /// Second frame.
    pub to: R::Frame,
    /// Stiffness, damping and the rest.
    pub law: R::Law<Box<BushingLaw>>,
}

impl DescribedForce for Bushing<Named> {
    const NAME: &str = "bushing";
    const DOC: &str = "Elastic bearing between two frames, with stiffness and damping in all six \
                       directions, optionally coupled.";

    fn fields(&mut self, visitor: &mut dyn Fields) {
        let Self { from, to, law } = self;
        visitor.frame(&FROM, from);
        visitor.frame(&TO, to);
        let doc = "Stiffness for displacements x, y, z and rotations x, y, z: the diagonal or all rows; coupling terms are in N.";
        visitor.matrix(&Field::optional("stiffness", "N/m or N m/rad or N", doc), &mut law.stiffness);
        let doc = "Damping for the same directions: the diagonal or all rows; coupling terms are in N s.";
        visitor.matrix(&Field::optional("damping", "N s/m or N m s/rad or N s", doc), &mut law.damping);
        let doc = "Restoring force at zero displacement, in the axes of the first frame.";
        visitor.vector(&Field::optional("preload_force", "N", doc), &mut law.preload_force);
        let doc = "Restoring torque at zero displacement, in the axes of the first frame.";
        visitor.vector(&Field::optional("preload_torque", "N m", doc), &mut law.preload_torque);
        let doc = "Additional restoring forces, each as a function of s, the displacement along its own axis.";
        visitor.expressions(&Field::optional("force", "N", doc), &["s"], &mut law.force);
        let doc = "Additional restoring torques, each as a function of s, the rotation about its own axis.";
        visitor.expressions(&Field::optional("torque", "N m", doc), &["s"], &mut law.torque);
    }

    fn faults(&self, faults: &mut Faults) {
        self.law.faults(faults);
    }

    fn attach(&self, to: &mut dyn Resolve) -> Option<ForceElement> {
        attached!(self, to, Bushing { from: frame, to: frame, law: law })
    }

    fn mirror(&mut self, mirror: &mut Mirror) {
        let law = &mut *self.law;
        let sign = |k: usize| if k < 3 { mirror.polar(k) } else { mirror.axial(k - 3) };
        for matrix in [&mut law.stiffness, &mut law.damping] {
            for (i, row) in matrix.iter_mut().enumerate() {
                for (j, entry) in row.iter_mut().enumerate() {
                    // Zero keeps its sign: the image of the image is the original.
                    if *entry != 0.0 {
                        *entry *= sign(i) * sign(j);
                    }
                }
            }
        }
        for k in 0..3 {
            law.preload_force[k] *= sign(k);
            law.preload_torque[k] *= sign(k + 3);
            law.force[k] = law.force[k].with_signs(sign(k), &[sign(k)]);
            law.torque[k] = law.torque[k].with_signs(sign(k + 3), &[sign(k + 3)]);
        }
    }

    fn shown_signs(&self, mirror: &Mirror, _: &[f64]) -> Vec<(&'static str, f64)> {
        let deflections = ["deflection.x", "deflection.y", "deflection.z"].into_iter();
        let rotations = ["rotation.x", "rotation.y", "rotation.z"].into_iter();
        let deflections = deflections.enumerate().map(|(k, name)| (name, mirror.polar(k)));
        let rotations = rotations.enumerate().map(|(k, name)| (name, mirror.axial(k)));
        deflections.chain(rotations).collect()
    }
}


/// A [`BushingLaw`] ready for evaluation.
#[derive(Clone, Debug)]
pub struct BushingLoads {
    stiffness: Matrix,
    damping: Matrix,
    preload: [f64; 6],
    /// Laws that are not zero, by their direction.
    laws: Vec<(usize, Expression, Integral)>,
}

impl Prepare for Box<BushingLaw> {
    type Ready = BushingLoads;

    fn prepare(&self) -> Option<BushingLoads> {
        let mut laws = Vec::new();
        for (k, expression) in self.force.iter().chain(&self.torque).enumerate() {
            if expression.value() != Some(0.0) {
                let expression = expression.over_variables(&["s"]).ok()?;
                let integral = Integral::new(&expression);
                laws.push((k, expression, integral));
            }
        }
        let preload = |k: usize| {
            let [force, torque] = [self.preload_force, self.preload_torque];
            if k < 3 { force[k] } else { torque[k - 3] }
        };
        Some(BushingLoads {
            stiffness: Matrix::new(&self.stiffness),
            damping: Matrix::new(&self.damping),
            preload: core::array::from_fn(preload),
            laws,
        })
    }
}

impl Bushing {
    /// ξ and the axes of the first frame.
    fn position<T: Real>(relative: &Relative<T>) -> ([T; 6], T::Orientation) {
        let (first, second) = (relative.first_axes(), relative.second_axes());
        let d = first.transpose_times(relative.distance);
        let theta = rotation_vector(&first.relative(&second).to_matrix());
        ([d[0], d[1], d[2], theta[0], theta[1], theta[2]], first)
    }
}

/// Constructors.
impl Force {
    /// Elastic bearing between two frames.
    ///
    /// ```
    /// use holonom_multibody::description::Force;
    /// use holonom_multibody::elements::forces::BushingLaw;
    /// let rubber = BushingLaw::diagonal([8e5, 8e5, 1e5, 90.0, 90.0, 30.0], [400.0, 400.0, 50.0, 0.1, 0.1, 0.1]);
    /// let bushing = Force::bushing("rear", "chassis.rear", "arm.rear", rubber);
    /// ```
    pub fn bushing(
        name: impl Into<String>,
        from: impl Into<String>,
        to: impl Into<String>,
        law: BushingLaw,
    ) -> Self {
        let (from, to, law) = (from.into(), to.into(), Box::new(law));
        Self::new(name, ForceKind::Bushing(Bushing { from, to, law }))
    }
}

impl ForceLaw for Bushing {
    fn evaluate<T: Real>(&self, scene: &Scene<T>, loads: &mut Loads<T>) {
        let relative = Relative::new(scene, &self.from, &self.to);
        let (xi, axes) = Self::position(&relative);
        let Twist { angular, linear } = relative.velocity();
        let theta = Vec3([xi[3], xi[4], xi[5]]);
        let u = axes.transpose_times(linear);
        let turn = inverse_rate(theta, axes.transpose_times(angular), -0.5);
        let rate = [u[0], u[1], u[2], turn[0], turn[1], turn[2]];
        let law = &self.law;
        let mut load = law.preload.map(T::constant);
        law.stiffness.add_product(&xi, &mut load);
        law.damping.add_product(&rate, &mut load);
        for (k, law, _) in &law.laws {
            load[*k] += law.evaluate_on(&[xi[*k]], scene.sides);
        }
        let force = Vec3([load[0], load[1], load[2]]);
        // The transpose: [θ]ᵀ = −[θ].
        let torque = inverse_rate(theta, Vec3([load[3], load[4], load[5]]), 0.5);
        let wrench = Wrench::new(-axes.times(torque), -axes.times(force));
        relative.add_load(&wrench, loads);
    }

    fn energy<T: Real>(&self, scene: &Scene<T>) -> Option<T> {
        let (xi, _) = Self::position(&Relative::new(scene, &self.from, &self.to));
        let mut load = [T::zero(); 6];
        self.law.stiffness.add_product(&xi, &mut load);
        let mut sum = T::zero();
        for k in 0..6 {
            sum += xi[k] * (load[k] * 0.5 + self.law.preload[k]);
        }
        for (k, _, integral) in &self.law.laws {
            sum += integral.evaluate(xi[*k]);
        }
        Some(sum)
    }

    fn law_inputs<T: Real>(&self, scene: &Scene<T>, out: &mut [T]) {
        let (xi, _) = Self::position(&Relative::new(scene, &self.from, &self.to));
        out[..xi.len()].copy_from_slice(&xi);
    }

    fn reach(&self) -> Reach<'_> {
        Reach::Pair(&self.from, &self.to)
    }

    fn outputs(&self) -> Vec<ShownValue> {
        let show = |name, unit, doc| ShownValue { name, unit, doc };
        vec![
            show("deflection.x", "m", "x of the second origin in the first frame"),
            show("deflection.y", "m", "y of the second origin in the first frame"),
            show("deflection.z", "m", "z of the second origin in the first frame"),
            show("rotation.x", "rad", "x of the rotation vector of the second frame seen from the first"),
            show("rotation.y", "rad", "y of the rotation vector of the second frame seen from the first"),
            show("rotation.z", "rad", "z of the rotation vector of the second frame seen from the first"),
        ]
    }

    fn shown<T: Real>(&self, scene: &Scene<T>, out: &mut [T]) {
        let (xi, _) = Self::position(&Relative::new(scene, &self.from, &self.to));
        out[..xi.len()].copy_from_slice(&xi);
    }
}

/// A symmetric matrix, mostly diagonal.
#[derive(Clone, Debug)]
enum Matrix {
    Diagonal([f64; 6]),
    Full(Box<[[f64; 6]; 6]>),
}

impl Matrix {
    fn new(matrix: &[[f64; 6]; 6]) -> Self {
        match diagonal(matrix) {
            Some(diagonal) => Self::Diagonal(diagonal),
            None => Self::Full(Box::new(*matrix)),
        }
    }

    fn add_product<T: Real>(&self, x: &[T; 6], y: &mut [T; 6]) {
        match self {
            Self::Diagonal(diagonal) => {
                for k in 0..6 {
                    y[k] += x[k] * diagonal[k];
                }
            }
            Self::Full(rows) => {
                for (y, row) in y.iter_mut().zip(rows.iter()) {
                    for k in 0..6 {
                        *y += x[k] * row[k];
                    }
                }
            }
        }
    }
}

/// w + half θ × w + c θ × (θ × w) with c = (1 − (φ/2) cot(φ/2))/φ²: J⁻¹ w with half = −1/2, its
/// transpose with +1/2.
fn inverse_rate<T: Real>(theta: Vec3<T>, w: Vec3<T>, half: f64) -> Vec3<T> {
    let square = theta.norm_squared();
    let c = if square.value() < 0.25 {
        // Σ |B₂ₖ| φ²ᵏ⁻²/(2k)!; the first term left out is 5e-17.
        const SERIES: [f64; 8] = [
            1.0 / 12.0,
            1.0 / 720.0,
            1.0 / 30_240.0,
            1.0 / 1_209_600.0,
            1.0 / 47_900_160.0,
            691.0 / 1_307_674_368_000.0,
            1.0 / 74_724_249_600.0,
            3617.0 / 10_670_622_842_880_000.0,
        ];
        let terms = SERIES.iter().rev();
        terms.fold(T::zero(), |sum, term| sum * square + *term)
    } else {
        let half_angle = square.sqrt() * 0.5;
        let (sin, cos) = half_angle.sin_cos();
        (T::one() - half_angle * cos / sin) / square
    };
    let cross = theta.cross(w);
    w + cross.scale(half) + theta.cross(cross).scale(c)
}

/// The rotation vector of a rotation matrix, |θ| ≤ π.
fn rotation_vector<T: Real>(r: &Mat3<T>) -> Vec3<T> {
    let e = euler_parameters(r);
    let v = Vec3([e[1], e[2], e[3]]);
    let square = v.norm_squared();
    // θ = 2 atan(|v|/e₀)/|v| · v.
    let factor = if square.value() < 0.01 * e[0].value().powi(2) {
        let x = square / e[0].square();
        // atan x = x − x³/3 + …; the first term left out is below 1e-17.
        let terms = (0..8).rev();
        let sum = terms.fold(T::zero(), |sum, k| T::constant(1.0 / f64::from(2 * k + 1)) - sum * x);
        sum * 2.0 / e[0]
    } else {
        let length = square.sqrt();
        length.atan2(e[0]) * 2.0 / length
    };
    v.scale(factor)
}

/// Euler parameters with e₀ ≥ 0: Shepperd's method, which divides by the largest of them.
fn euler_parameters<T: Real>(r: &Mat3<T>) -> [T; 4] {
    let r = &r.0;
    let trace = r[0][0] + r[1][1] + r[2][2];
    let skew = [r[2][1] - r[1][2], r[0][2] - r[2][0], r[1][0] - r[0][1]];
    let largest = (0..3).fold(0, |m, i| if r[i][i] > r[m][m] { i } else { m });
    let e = if trace >= r[largest][largest] {
        [trace + 1.0, skew[0], skew[1], skew[2]]
    } else {
        let mut e = [skew[largest], T::zero(), T::zero(), T::zero()];
        for j in 0..3 {
            e[j + 1] = r[largest][j] + r[j][largest];
        }
        e[largest + 1] = r[largest][largest] * 2.0 - trace + 1.0;
        e
    };
    let norm = (e[0].square() + e[1].square() + e[2].square() + e[3].square()).sqrt();
    let sign = if e[0].value() < 0.0 { -1.0 } else { 1.0 };
    e.map(|e| e * sign / norm)
}
