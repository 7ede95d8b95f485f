//! Radau IIA methods of 3, 5 and 7 stages: nodes, A⁻¹, its real block diagonalisation, the weights of
//! the error estimate.
//!
//! The tables were computed with 60 digits from the definitions, and the tests check them against these:
//! the nodes are the zeros of d^{s−1}/dx^{s−1} (x^{s−1} (x − 1)^s), A⁻¹ differentiates polynomials that
//! vanish at 0, and T⁻¹ A⁻¹ T has one real eigenvalue γ and blocks ((α, −β), (β, α))
//! [Hairer, Wanner 1996, §IV.8; 1999].

use crate::newton::operator::Shift;

/// Most stages of a method.
pub(super) const MOST_STAGES: usize = 7;

/// Numbers of a method as tabulated; matrices row by row.
struct Table {
    nodes: &'static [f64],
    real: f64,
    complex: &'static [(f64, f64)],
    estimate: &'static [f64],
    t: &'static [f64],
    t_inverse: &'static [f64],
}

/// A Radau IIA method.
pub(super) struct Method {
    /// Number of stages s; the order is 2 s − 1.
    pub s: usize,
    /// Nodes c, the last of them 1.
    pub c: &'static [f64],
    /// The weights of the stages in the integral over a step.
    pub weights: Vec<f64>,
    /// A⁻¹, row by row: Ẏ_i = Σ_j (A⁻¹)_ij Z_j / h.
    pub a_inverse: Vec<f64>,
    /// The real eigenvalue of A⁻¹.
    pub gamma: f64,
    /// The complex ones with positive imaginary part, (α, β).
    pub complex: &'static [(f64, f64)],
    /// Weights e of the estimate: (γ/h F_ẏ + F_y)⁻¹ applied to −F(t₀, y₀, −Σ e_i Z_i / h).
    pub estimate: &'static [f64],
    /// T, row by row.
    pub t: &'static [f64],
    /// T⁻¹, row by row.
    pub t_inverse: &'static [f64],
}

impl Method {
    /// For what the operators of a step of size `h` are made.
    pub fn shift(&self, h: f64) -> Shift<'static> {
        Shift {
            alpha: self.gamma / h,
            h,
            pairs: self.complex,
        }
    }

    /// The method of 3, 5 or 7 stages.
    fn new(table: &'static Table) -> Self {
        let s = table.nodes.len();
        let mut a_inverse = vec![0.0; s * s];
        for i in 0..s {
            slopes(table.nodes, i, &mut a_inverse[i * s..(i + 1) * s]);
        }
        Self {
            s,
            c: table.nodes,
            weights: integrals(table.nodes),
            a_inverse,
            gamma: table.real,
            complex: table.complex,
            estimate: table.estimate,
            t: table.t,
            t_inverse: table.t_inverse,
        }
    }

    /// All methods, by their number of stages.
    pub fn all() -> [Self; 3] {
        [&RADAU_3, &RADAU_5, &RADAU_7].map(Self::new)
    }

    /// Order of the method.
    pub fn order(&self) -> usize {
        2 * self.s - 1
    }

    /// ℓ_j(x) for all j, where ℓ_j has degree s, is one at c_j and zero at 0 and the other nodes: a
    /// polynomial that vanishes at 0 is Σ ℓ_j(x) Z_j.
    pub fn basis(&self, x: f64, values: &mut [f64]) {
        for (j, value) in values[..self.s].iter_mut().enumerate() {
            let mut product = x / self.c[j];
            for (k, c) in self.c.iter().enumerate() {
                if k != j {
                    product *= (x - c) / (self.c[j] - c);
                }
            }
            *value = product;
        }
    }

    /// The derivatives of [`basis`](Self::basis).
    pub fn basis_slopes(&self, x: f64, values: &mut [f64]) {
        for (j, value) in values[..self.s].iter_mut().enumerate() {
            // The sum over the factor that is differentiated.
            let node = |k: usize| if k == 0 { 0.0 } else { self.c[k - 1] };
            let mut sum = 0.0;
            for m in (0..=self.s).filter(|m| *m != j + 1) {
                let mut product = 1.0 / (self.c[j] - node(m));
                for k in (0..=self.s).filter(|k| *k != j + 1 && *k != m) {
                    product *= (x - node(k)) / (self.c[j] - node(k));
                }
                sum += product;
            }
            *value = sum;
        }
    }
}

/// The integrals over [0, 1] of the polynomials that are one at c_j and zero at the other nodes, exact up to degree seven.
fn integrals(c: &[f64]) -> Vec<f64> {
    const POINTS: [[f64; 2]; 4] = [
        [0.069_431_844_202_973_71, 0.173_927_422_568_726_93],
        [0.330_009_478_207_571_87, 0.326_072_577_431_273_07],
        [0.669_990_521_792_428_13, 0.326_072_577_431_273_07],
        [0.930_568_155_797_026_29, 0.173_927_422_568_726_93],
    ];
    let at = |j: usize, x: f64| -> f64 {
        let others = (0..c.len()).filter(|k| *k != j);
        others.map(|k| (x - c[k]) / (c[j] - c[k])).product()
    };
    let one = |j: usize| POINTS.iter().map(|[x, weight]| weight * at(j, *x)).sum();
    (0..c.len()).map(one).collect()
}

/// ℓ_j′(c_i) for all j, by products that do not cancel.
fn slopes(c: &[f64], i: usize, row: &mut [f64]) {
    for (j, value) in row.iter_mut().enumerate() {
        *value = if i == j {
            1.0 / c[i]
                + (0..c.len())
                    .filter(|k| *k != i)
                    .map(|k| 1.0 / (c[i] - c[k]))
                    .sum::<f64>()
        } else {
            let others = (0..c.len()).filter(|k| *k != i && *k != j);
            others.fold(c[i] / c[j], |p, k| p * ((c[i] - c[k]) / (c[j] - c[k]))) / (c[j] - c[i])
        };
    }
}

static RADAU_3: Table = Table {
    nodes: &[0.15505102572168219018, 0.64494897427831780982, 1.0],
    real: 3.6378342527444957322,
    complex: &[(2.6810828736277521339, 3.0504301992474105694)],
    estimate: &[
        -10.048809399827415562,
        1.3821427331607488958,
        -0.33333333333333333333,
    ],
    t: &[
        0.094438762488975241487,
        -0.14125529502095420843,
        -0.030029194105147424492,
        0.25021312296533331138,
        0.204129352293799932,
        0.3829421127572619378,
        1.0,
        1.0,
        0.0,
    ],
    t_inverse: &[
        4.1787185915519047273,
        0.32768282076106238708,
        0.52337644549944954804,
        -4.1787185915519047273,
        -0.32768282076106238708,
        0.47662355450055045196,
        -0.50287263494578687595,
        2.5719269498556054292,
        -0.59603920482822492497,
    ],
};

static RADAU_5: Table = Table {
    nodes: &[
        0.057104196114517682193,
        0.27684301363812382768,
        0.58359043236891682006,
        0.86024013565621944785,
        1.0,
    ],
    real: 6.2867047517292766452,
    complex: &[
        (5.7009532986717894192, 3.2102656003085498884),
        (3.6556943254635722582, 6.543736899360077294),
    ],
    estimate: &[
        -27.780933944064637305,
        3.6414784980492131527,
        -1.2525477211691187205,
        0.59200316718454287257,
        -0.2,
    ],
    t: &[
        0.013576867344947943248,
        -0.011478515255229514708,
        -0.014019858892875410281,
        -0.01024204781790882707,
        0.047673877290295723863,
        1.6179004017190874764e-3,
        -7.6688307491801628852e-3,
        0.024708578426518526813,
        0.050172864517371058163,
        -0.094331819181611436981,
        0.079157853347447207645,
        0.019398463998828950911,
        0.081800353703751170836,
        -0.23053953404341794672,
        0.10270304538012589979,
        0.41225608268046145198,
        0.40760117128019906662,
        0.19968242788680252594,
        0.37789390224886124954,
        0.46674413033249435929,
        1.0,
        1.0,
        0.0,
        1.0,
        0.0,
    ],
    t_inverse: &[
        27.697693775684088409,
        12.783337911304406015,
        3.2084893867134298598,
        -0.95149041224891622127,
        0.74155049602598960335,
        -33.041880213519000008,
        -17.376953479063567019,
        -0.17212906325400556115,
        -0.099169777982542642588,
        0.53122811583830666718,
        -8.6114439798752919777,
        9.6999914095288082313,
        1.9147286396968742849,
        2.4186920060849400264,
        -1.0474634879353374187,
        5.3441864378349115989,
        4.5936155677591610045,
        -3.0363603234594242986,
        1.0506601902314588639,
        -0.27277861186429627054,
        3.7480598074398048601,
        -3.9849657363438846673,
        -1.0444156416080187929,
        1.1840985681379484872,
        -0.4499177701567803689,
    ],
};

static RADAU_7: Table = Table {
    nodes: &[
        0.029316427159784891972,
        0.14807859966848429185,
        0.3369846902811542991,
        0.55867151877155013208,
        0.76923386203005450092,
        0.92694567131974111485,
        1.0,
    ],
    real: 8.9368327884052163373,
    complex: &[
        (8.5118348251029457231, 3.28101362432505883),
        (7.1410552191876401058, 6.6230459226392759706),
        (4.3786935615068060025, 10.169693283795011627),
    ],
    estimate: &[
        -54.374436894128614515,
        7.000024004259186512,
        -2.3556610919875571923,
        1.1322890661061343864,
        -0.64689132676735871187,
        0.38753338537535237742,
        -0.14285714285714285714,
    ],
    t: &[
        2.4435843048706115407e-3,
        -1.2386461879528740564e-3,
        -2.7606174805438524995e-3,
        -4.0551614523310238982e-3,
        4.4272327532682854797e-3,
        0.021567551351320773387,
        8.7835679251441444073e-3,
        -1.8153396483193171605e-3,
        -6.6666353393963381818e-5,
        3.1854748251662098487e-3,
        8.4155682765595892372e-3,
        -4.0319495702245494923e-3,
        -0.038131648134411546694,
        -0.021525560594006875524,
        4.6053393311618748042e-3,
        -2.3521809829433383405e-3,
        4.1690777252975626914e-4,
        -8.5604310616034320602e-3,
        -6.9232126650239089241e-3,
        0.057396508939381715398,
        0.058850529208426791056,
        0.017870023342853069058,
        3.1150711523461752527e-3,
        0.025116604913438821928,
        -0.037371242302384457419,
        8.2390072985077194045e-3,
        -0.038214693596968350485,
        -0.16573681127294385124,
        0.12818100807728391008,
        0.10171773248171514681,
        0.09504502035604622821,
        5.3667613791817700943e-3,
        0.19321111610126201443,
        -0.24917421246526368633,
        0.27356330579866232121,
        0.5200651497488246866,
        0.52175194527476528529,
        0.12807194463554389441,
        0.52657422645844926291,
        0.27553439498962581419,
        0.53158464908362842921,
        0.48632283661757289406,
        1.0,
        1.0,
        0.0,
        1.0,
        0.0,
        1.0,
        0.0,
    ],
    t_inverse: &[
        227.51530596268068904,
        166.64802246760974611,
        43.265145884526215054,
        3.6230900613410161325,
        3.5726748329387980313,
        -2.7435563656033673145,
        1.4514535402547503515,
        -299.18624802825209668,
        -243.04074536874479118,
        -48.777104078037869212,
        -2.0386719057419344053,
        1.6735602398610849443,
        -1.0873740320571061645,
        0.90193824929609937384,
        -93.076502897435305912,
        23.881631056281144277,
        39.278880730813843827,
        14.38891568549108007,
        -3.5104383993993612211,
        4.8632848855661807012,
        -2.2464827295912399164,
        74.678332235022699772,
        87.408588979900816402,
        4.024158737379997877,
        -3.7148063151583641866,
        -3.4300939859823173507,
        2.6966048097653123789,
        -0.93869274360754619336,
        58.356528851906577242,
        -10.068773957800180963,
        -30.366388842566671208,
        -1.020020865184865985,
        -0.11241750037842496213,
        1.8906408310003776228,
        -0.97164863938314822822,
        -3.0073901694512921317,
        -11.015866078765771329,
        1.4877994561316562815,
        2.1303881595592824594,
        -1.8161410868175656248,
        1.1343255878951611001,
        -0.41469904594330353199,
        -8.4419631883210846818,
        -0.65052527405751500282,
        6.9406707303698764788,
        -3.2050475255978984316,
        1.0712809435464785898,
        -0.35485074912162218797,
        0.091985491327865541544,
    ],
};

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn inverse(a: &[f64], n: usize) -> Vec<f64> {
        let mut w: Vec<Vec<f64>> = (0..n)
            .map(|i| {
                let unit = (0..n).map(|j| if i == j { 1.0 } else { 0.0 });
                a[i * n..(i + 1) * n].iter().copied().chain(unit).collect()
            })
            .collect();
        for k in 0..n {
            let p = (k..n)
                .max_by(|x, y| w[*x][k].abs().total_cmp(&w[*y][k].abs()))
                .unwrap();
            w.swap(k, p);
            let d = w[k][k];
            w[k].iter_mut().for_each(|x| *x /= d);
            for i in (0..n).filter(|i| *i != k) {
                let (f, pivot) = (w[i][k], w[k].clone());
                w[i].iter_mut().zip(&pivot).for_each(|(x, p)| *x -= f * p);
            }
        }
        w.iter().flat_map(|row| row[n..].to_vec()).collect()
    }

    /// B(2s − 1): Σ b_i c_i^{k−1} = 1/k, and C(s): Σ a_ij c_j^{k−1} = c_i^k/k. As b is the last row of
    /// A, both are statements about A.
    #[test]
    fn order_conditions() {
        for m in Method::all() {
            let s = m.s;
            let a = inverse(&m.a_inverse, s);
            let sum = |i: usize, k: i32| (0..s).map(|j| a[i * s + j] * m.c[j].powi(k - 1)).sum::<f64>();
            for k in 1..=m.order() as i32 {
                let off = (sum(s - 1, k) - 1.0 / f64::from(k)).abs();
                assert!(off < 1e-14, "B({k}) for {s} stages: {off:.1e}");
            }
            for i in 0..s {
                for k in 1..=s as i32 {
                    let off = (sum(i, k) - m.c[i].powi(k) / f64::from(k)).abs();
                    assert!(off < 1e-14, "C({k}) in stage {i} of {s}: {off:.1e}");
                }
            }
            // Order 2 s does not hold, or the nodes would be those of another method.
            assert!((sum(s - 1, 2 * s as i32) - 0.5 / s as f64).abs() > 1e-9);
        }
    }

    #[test]
    fn blocks_of_the_inverse() {
        for m in Method::all() {
            let s = m.s;
            let at = |a: &[f64], i: usize, j: usize| a[i * s + j];
            let mut blocks = vec![0.0; s * s];
            blocks[0] = m.gamma;
            for (k, &(alpha, beta)) in m.complex.iter().enumerate() {
                let p = 1 + 2 * k;
                (blocks[p * s + p], blocks[p * s + p + 1]) = (alpha, -beta);
                (blocks[(p + 1) * s + p], blocks[(p + 1) * s + p + 1]) = (beta, alpha);
            }
            // Sums are exact up to 1e-14 of their terms.
            let close = |terms: &[(f64, f64)], value: f64| {
                let sum: f64 = terms.iter().map(|(a, b)| a * b).sum();
                let size: f64 = terms.iter().map(|(a, b)| (a * b).abs()).sum();
                (sum - value).abs() <= 1e-14 * size.max(1.0)
            };
            for i in 0..s {
                for j in 0..s {
                    let product = |a: &[f64], b: &[f64]| -> Vec<(f64, f64)> {
                        (0..s).map(|k| (at(a, i, k), at(b, k, j))).collect()
                    };
                    let unit = f64::from(u8::from(i == j));
                    assert!(close(&product(m.t, m.t_inverse), unit), "{s} stages, ({i}, {j})");
                    // A⁻¹ T = T blocks.
                    let mut terms = product(&m.a_inverse, m.t);
                    terms.extend(product(m.t, &blocks).iter().map(|(a, b)| (-a, *b)));
                    assert!(close(&terms, 0.0), "{s} stages, ({i}, {j})");
                }
            }
        }
    }

    /// The estimate vanishes for polynomials of degree s: ẏ₀ + Σ e_i Z_i / h = 0, and not beyond.
    #[test]
    fn estimate_has_order_s() {
        for m in Method::all() {
            let sum = |k: i32| {
                m.c.iter()
                    .zip(m.estimate)
                    .map(|(c, e)| e * c.powi(k))
                    .sum::<f64>()
            };
            assert!((sum(1) + 1.0).abs() < 1e-13);
            for k in 2..=m.s as i32 {
                assert!(sum(k).abs() < 1e-13, "{} stages, degree {k}: {:.1e}", m.s, sum(k));
            }
            assert!(sum(m.s as i32 + 1).abs() > 1e-4);
        }
    }

    #[test]
    fn basis_reproduces_polynomials() {
        for m in Method::all() {
            let (mut l, mut d) = ([0.0; MOST_STAGES], [0.0; MOST_STAGES]);
            for x in [-0.5, 0.0, 0.3, 1.0, 1.7] {
                m.basis(x, &mut l);
                m.basis_slopes(x, &mut d);
                for k in 1..=m.s as i32 {
                    let combine = |w: &[f64]| w.iter().zip(m.c).map(|(w, c)| w * c.powi(k)).sum::<f64>();
                    let slope = f64::from(k) * x.powi(k - 1);
                    assert!((combine(&l) - x.powi(k)).abs() < 1e-11, "degree {k} at {x}");
                    assert!((combine(&d) - slope).abs() < 1e-10, "slope of degree {k} at {x}");
                }
            }
        }
    }
}
