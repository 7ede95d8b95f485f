//! Andrews' squeezing mechanism: seven bodies, six constraints, one degree of freedom.
//!
//! [IVP test set, problem ANDREWS; Schiehlen 1990; IFToMM library, A03], [0, 0.03], with
//! q = (β, Θ, γ, Φ, δ, Ω, ε). Formulas are in the code in the order of the source; with
//! X = rr cos β − d cos(β + Θ) and Y = rr sin β − d sin(β + Θ) the constraints are
//! ```text
//! X − ss sin γ − xb                      Y + ss cos γ − yb
//! X − e sin(Φ + δ) − zt cos δ − xa       Y + e cos(Φ + δ) − zt sin δ − ya
//! X − zf cos(Ω + ε) − u sin ε − xa       Y − zf sin(Ω + ε) + u cos ε − ya
//! ```
//! The source's convention M q̈ = f − Gᵀλ is ours.

use super::Problem;
use super::constrained::{ConstrainedMotion, Form, Start};
use holonom_algebra::Real;

const M1: f64 = 0.04325;
const M2: f64 = 0.00365;
const M3: f64 = 0.02373;
const M4: f64 = 0.00706;
const M5: f64 = 0.07050;
const M6: f64 = 0.00706;
const M7: f64 = 0.05498;
const I1: f64 = 2.194e-6;
const I2: f64 = 4.410e-7;
const I3: f64 = 5.255e-6;
const I4: f64 = 5.667e-7;
const I5: f64 = 1.169e-5;
const I6: f64 = 5.667e-7;
const I7: f64 = 1.912e-5;
const XA: f64 = -0.06934;
const YA: f64 = -0.00227;
const XB: f64 = -0.03635;
const YB: f64 = 0.03273;
const XC: f64 = 0.014;
const YC: f64 = 0.072;
const D: f64 = 28e-3;
const DA: f64 = 115e-4;
const E: f64 = 2e-2;
const EA: f64 = 1421e-5;
const RR: f64 = 7e-3;
const RA: f64 = 92e-5;
const SS: f64 = 35e-3;
const SA: f64 = 1874e-5;
const SB: f64 = 1043e-5;
const SC: f64 = 18e-3;
const SD: f64 = 2e-2;
const TA: f64 = 2308e-5;
const TB: f64 = 916e-5;
const U: f64 = 4e-2;
const UA: f64 = 1228e-5;
const UB: f64 = 449e-5;
const ZF: f64 = 2e-2;
const ZT: f64 = 4e-2;
const FA: f64 = 1421e-5;
/// Spring: stiffness and free length.
const C0: f64 = 4530.0;
const L0: f64 = 7785e-5;
/// Driving torque.
const MOM: f64 = 33e-3;

/// The mechanics.
#[derive(Clone, Copy, Debug)]
pub struct Andrews;

/// The terms r·(cos or sin)(angle) of which the constraints are sums.
struct Terms<T> {
    /// rr cos β, rr sin β
    crank: [T; 2],
    /// d cos(β + Θ), d sin(β + Θ)
    rod: [T; 2],
    /// ss cos γ, ss sin γ
    triangle: [T; 2],
    /// e cos(Φ + δ), e sin(Φ + δ)
    e: [T; 2],
    /// zt cos δ, zt sin δ
    zt: [T; 2],
    /// zf cos(Ω + ε), zf sin(Ω + ε)
    zf: [T; 2],
    /// u cos ε, u sin ε
    u: [T; 2],
}

fn terms<T: Real>(q: &[T]) -> Terms<T> {
    let term = |radius: f64, angle: T| {
        let (s, c) = angle.sin_cos();
        [c * radius, s * radius]
    };
    Terms {
        crank: term(RR, q[0]),
        rod: term(D, q[0] + q[1]),
        triangle: term(SS, q[2]),
        e: term(E, q[3] + q[4]),
        zt: term(ZT, q[4]),
        zf: term(ZF, q[5] + q[6]),
        u: term(U, q[6]),
    }
}

/// Vector from the fixed end C of the spring to its end D on the triangle, and D against B.
fn spring<T: Real>(gamma: T) -> ([T; 2], [T; 2]) {
    let (s, c) = gamma.sin_cos();
    let arm = [c * SD + s * SC, s * SD - c * SC];
    ([arm[0] + (XB - XC), arm[1] + (YB - YC)], arm)
}

impl ConstrainedMotion for Andrews {
    fn positions(&self) -> Vec<String> {
        let names = ["beta", "Theta", "gamma", "Phi", "delta", "Omega", "epsilon"];
        names.map(String::from).to_vec()
    }

    fn velocities(&self) -> Vec<String> {
        self.positions().iter().map(|name| format!("v_{name}")).collect()
    }

    fn n_g(&self) -> usize {
        6
    }

    fn mass_entries(&self) -> Vec<(usize, usize)> {
        let diagonal = (0..7).map(|i| (i, i));
        let coupling = [(0, 1), (1, 0), (3, 4), (4, 3), (5, 6), (6, 5)];
        diagonal.chain(coupling).collect()
    }

    fn constraint_entries(&self) -> Vec<(usize, usize)> {
        let pairs = [[2, 2], [3, 4], [5, 6]];
        let row = |i: usize| [0, 1, pairs[i / 2][0], pairs[i / 2][1]].map(|j| (i, j));
        (0..6).flat_map(row).collect()
    }

    fn mass<T: Real>(&self, _: T, q: &[T], mass: &mut [T]) {
        let cos_theta = q[1].cos();
        let sin_phi = q[3].sin();
        let sin_omega = q[5].sin();
        let (e, f) = (E - EA, ZF - FA);
        let mut set = |i: usize, j: usize, value: T| {
            mass[i + 7 * j] = value;
            mass[j + 7 * i] = value;
        };
        let constant = M1 * RA * RA + M2 * (RR * RR + DA * DA) + I1 + I2;
        set(0, 0, cos_theta * (-2.0 * M2 * DA * RR) + constant);
        set(1, 0, cos_theta * (-M2 * DA * RR) + (M2 * DA * DA + I2));
        set(1, 1, T::constant(M2 * DA * DA + I2));
        set(2, 2, T::constant(M3 * (SA * SA + SB * SB) + I3));
        set(3, 3, T::constant(M4 * e * e + I4));
        set(4, 3, sin_phi * (M4 * ZT * e) + (M4 * e * e + I4));
        let constant = M4 * (ZT * ZT + e * e) + M5 * (TA * TA + TB * TB) + I4 + I5;
        set(4, 4, sin_phi * (2.0 * M4 * ZT * e) + constant);
        set(5, 5, T::constant(M6 * f * f + I6));
        set(6, 5, sin_omega * (-M6 * U * f) + (M6 * f * f + I6));
        let constant = M6 * (f * f + U * U) + M7 * (UA * UA + UB * UB) + I6 + I7;
        set(6, 6, sin_omega * (-2.0 * M6 * U * f) + constant);
    }

    fn force<T: Real>(&self, _: T, q: &[T], v: &[T], force: &mut [T]) {
        let sin_theta = q[1].sin();
        let cos_phi = q[3].cos();
        let cos_omega = q[5].cos();
        let ([x, y], arm) = spring(q[2]);
        let length = (x * x + y * y).sqrt();
        // −c₀ (l − l₀)/l
        let factor = (length.recip() * L0 - 1.0) * C0;
        let (e, f) = (E - EA, ZF - FA);
        force[0] = v[1] * (v[1] + v[0] * 2.0) * sin_theta * (-M2 * DA * RR) + MOM;
        force[1] = v[0] * v[0] * sin_theta * (M2 * DA * RR);
        force[2] = factor * (y * arm[0] - x * arm[1]);
        force[3] = v[4] * v[4] * cos_phi * (M4 * ZT * e);
        force[4] = v[3] * (v[3] + v[4] * 2.0) * cos_phi * (-M4 * ZT * e);
        force[5] = v[6] * v[6] * cos_omega * (-M6 * U * f);
        force[6] = v[5] * (v[5] + v[6] * 2.0) * cos_omega * (M6 * U * f);
    }

    fn constraint<T: Real>(&self, _: T, q: &[T], g: &mut [T]) {
        let k = terms(q);
        let [x, y] = [k.crank[0] - k.rod[0], k.crank[1] - k.rod[1]];
        g[0] = x - k.triangle[1] - XB;
        g[1] = y + k.triangle[0] - YB;
        g[2] = x - k.e[1] - k.zt[0] - XA;
        g[3] = y + k.e[0] - k.zt[1] - YA;
        g[4] = x - k.zf[0] - k.u[1] - XA;
        g[5] = y - k.zf[1] + k.u[0] - YA;
    }

    fn constraint_matrix<T: Real>(&self, _: T, q: &[T], matrix: &mut [T]) {
        let k = terms(q);
        let mut set = |i: usize, j: usize, value: T| matrix[i + 6 * j] = value;
        for i in [0, 2, 4] {
            set(i, 0, k.rod[1] - k.crank[1]);
            set(i, 1, k.rod[1]);
            set(i + 1, 0, k.crank[0] - k.rod[0]);
            set(i + 1, 1, -k.rod[0]);
        }
        set(0, 2, -k.triangle[0]);
        set(1, 2, -k.triangle[1]);
        set(2, 3, -k.e[0]);
        set(2, 4, k.zt[1] - k.e[0]);
        set(3, 3, -k.e[1]);
        set(3, 4, -k.e[1] - k.zt[0]);
        set(4, 5, k.zf[1]);
        set(4, 6, k.zf[1] - k.u[0]);
        set(5, 5, -k.zf[0]);
        set(5, 6, -k.zf[0] - k.u[1]);
    }

    fn constraint_rate<T: Real>(&self, _: T, _: &[T], rate: &mut [T]) {
        rate.fill(T::zero());
    }

    fn constraint_bias<T: Real>(&self, _: T, q: &[T], v: &[T], gamma: &mut [T]) {
        let k = terms(q);
        // The second derivative of a term is −(rate of its angle)² times the term.
        let crank = v[0].square();
        let rod = (v[0] + v[1]).square();
        let triangle = v[2].square();
        let (e, zt) = ((v[3] + v[4]).square(), v[4].square());
        let (zf, u) = ((v[5] + v[6]).square(), v[6].square());
        let x = k.crank[0] * crank - k.rod[0] * rod;
        let y = k.crank[1] * crank - k.rod[1] * rod;
        gamma[0] = k.triangle[1] * triangle - x;
        gamma[1] = -(k.triangle[0] * triangle) - y;
        gamma[2] = k.e[1] * e + k.zt[0] * zt - x;
        gamma[3] = k.zt[1] * zt - k.e[0] * e - y;
        gamma[4] = k.zf[0] * zf + k.u[1] * u - x;
        gamma[5] = k.zf[1] * zf - k.u[0] * u - y;
    }
}

/// Kinetic energy plus that of the spring less the work of the torque, at y = (q, v, …):
/// constant along solutions.
pub fn energy(y: &[f64]) -> f64 {
    let (q, v) = (&y[..7], &y[7..14]);
    let mut mass = [0.0; 49];
    Andrews.mass(0.0, q, &mut mass);
    let mut kinetic = 0.0;
    for j in 0..7 {
        for i in 0..7 {
            kinetic += 0.5 * v[i] * mass[i + 7 * j] * v[j];
        }
    }
    let ([x, y], _) = spring(q[2]);
    kinetic + 0.5 * C0 * (x.hypot(y) - L0).powi(2) - MOM * q[0]
}

/// `andrews` (stabilised form), `andrews-index1`, `-index2`, `-index3`.
pub fn problem(form: Form) -> Problem {
    let start = Start {
        motion: Andrews,
        title: "Andrews' squeezing mechanism, seven bodies",
        q0: vec![
            -0.0617138900142764496358948458001,
            0.0,
            0.455279819163070380255912382449,
            0.222668390165885884674473185609,
            0.487364979543842550225598953530,
            -0.222668390165885884674473185609,
            1.23054744454982119249735015568,
        ],
        v0: vec![0.0; 7],
        t_end: 0.03,
        reference: vec![
            1.58107711951537071e+1,
            -1.57563710584118395e+1,
            4.08222401196458049e-2,
            -5.34730116342079594e-1,
            5.24409965879954069e-1,
            5.34730116342079594e-1,
            1.04808074104193787,
            1.13992030225910606e+3,
            -1.42437929517754007e+3,
            1.10329119106185937e+1,
            1.92933741050320408e+1,
            5.73569914829502454e-1,
            -1.92933741050320408e+1,
            3.23179149249130875e-1,
            1.99175348104538628e+2,
            -2.97553099749717633e+1,
            2.30665436116221511e+1,
            3.14527252757711371e+1,
            2.26424947863943786e+1,
            1.16173923526112559e+1,
        ],
        digits: 15.9,
        provenance: "own: Radau IIA of order 13 in quadruple precision, β confirmed by energy \
                     quadrature; the published values have 6 (multipliers) to 10 (positions) digits",
    };
    let name = match form {
        Form::Ggl => "andrews".into(),
        _ => format!("andrews-{}", form.name()),
    };
    start.problem(name, form)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn start_values_agree_with_the_source() {
        let p = problem(Form::Ggl);
        let expected = [
            (7, 14222.4439199541138705911625887),
            (8, -10666.8329399655854029433719415),
        ];
        for (i, a) in expected {
            assert!((p.yp0[i] / a - 1.0).abs() < 1e-12, "{} {a}", p.yp0[i]);
        }
        assert!((p.y0[14] / 98.5668703962410896057654982170 - 1.0).abs() < 1e-12);
        assert!((p.y0[15] / -6.12268834425566265503114393122 - 1.0).abs() < 1e-12);
    }
}
