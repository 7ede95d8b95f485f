//! Pollution: the chemistry of the Dutch air pollution model, 20 species and 25 reactions.
//!
//! [IVP test set, problem POLLU; J. G. Verwer 1994], [0, 60]. Rates r₁ … r₂₅ and their balance
//! are in the code as the source has them.

use super::{Problem, Reference, builder};
use crate::{Point, Rejection, Residual, Structure};
use holonom_algebra::Real;

/// Rate constants k₁ … k₂₅.
const K: [f64; 25] = [
    0.35, 0.266e2, 0.123e5, 0.86e-3, 0.82e-3, 0.15e5, 0.13e-3, 0.24e5, 0.165e5, 0.9e4, 0.22e-1, 0.12e5,
    0.188e1, 0.163e5, 0.48e7, 0.35e-3, 0.175e-1, 0.1e9, 0.444e12, 0.124e4, 0.21e1, 0.578e1, 0.474e-1,
    0.178e4, 0.312e1,
];

/// The equations.
#[derive(Clone, Copy, Debug)]
pub struct Pollution;

/// dy := ẏ.
fn right_hand_side<T: Real>(y: &[T], dy: &mut [T]) {
    let [y1, y2, y3, y4, y5, y6, y7] = [y[0], y[1], y[2], y[3], y[4], y[5], y[6]];
    let [y9, y10, y11, y13, y14] = [y[8], y[9], y[10], y[12], y[13]];
    let [y16, y17, y19, y20] = [y[15], y[16], y[18], y[19]];
    let r1 = y1 * K[0];
    let r2 = y2 * y4 * K[1];
    let r3 = y5 * y2 * K[2];
    let r4 = y7 * K[3];
    let r5 = y7 * K[4];
    let r6 = y7 * y6 * K[5];
    let r7 = y9 * K[6];
    let r8 = y9 * y6 * K[7];
    let r9 = y11 * y2 * K[8];
    let r10 = y11 * y1 * K[9];
    let r11 = y13 * K[10];
    let r12 = y10 * y2 * K[11];
    let r13 = y14 * K[12];
    let r14 = y1 * y6 * K[13];
    let r15 = y3 * K[14];
    let r16 = y4 * K[15];
    let r17 = y4 * K[16];
    let r18 = y16 * K[17];
    let r19 = y16 * K[18];
    let r20 = y17 * y6 * K[19];
    let r21 = y19 * K[20];
    let r22 = y19 * K[21];
    let r23 = y1 * y4 * K[22];
    let r24 = y19 * y1 * K[23];
    let r25 = y20 * K[24];
    dy[0] = -r1 - r10 - r14 - r23 - r24 + r2 + r3 + r9 + r11 + r12 + r22 + r25;
    dy[1] = -r2 - r3 - r9 - r12 + r1 + r21;
    dy[2] = -r15 + r1 + r17 + r19 + r22;
    dy[3] = -r2 - r16 - r17 - r23 + r15;
    dy[4] = -r3 + r4 * 2.0 + r6 + r7 + r13 + r20;
    dy[5] = -r6 - r8 - r14 - r20 + r3 + r18 * 2.0;
    dy[6] = -r4 - r5 - r6 + r13;
    dy[7] = r4 + r5 + r6 + r7;
    dy[8] = -r7 - r8;
    dy[9] = -r12 + r7 + r9;
    dy[10] = -r9 - r10 + r8 + r11;
    dy[11] = r9;
    dy[12] = -r11 + r10;
    dy[13] = -r13 + r12;
    dy[14] = r14;
    dy[15] = -r18 - r19 + r16;
    dy[16] = -r20;
    dy[17] = r20;
    dy[18] = -r21 - r22 - r24 + r23 + r25;
    dy[19] = -r25 + r24;
}

impl Residual for Pollution {
    type Workspace<T: Real> = ();

    fn structure(&self) -> Structure {
        Structure::ode((1..=20).map(|i| format!("y{i}")))
    }

    fn workspace<T: Real>(&self) {}

    fn residual<T: Real>(&self, at: Point<'_, T>, _: &mut (), r: &mut [T]) -> Result<(), Rejection> {
        right_hand_side(at.y, r);
        for (r, yp) in r.iter_mut().zip(at.yp) {
            *r = *yp - *r;
        }
        Ok(())
    }
}

/// `pollution`.
pub fn problem() -> Problem {
    let mut y0 = vec![0.0; 20];
    for (i, y) in [(2, 0.2), (4, 0.04), (7, 0.1), (8, 0.3), (9, 0.01), (17, 0.007)] {
        y0[i - 1] = y;
    }
    let mut yp0 = vec![0.0; 20];
    right_hand_side(&y0, &mut yp0);
    Problem {
        name: "pollution".into(),
        title: "air pollution, 20 species, 25 reactions",
        t0: 0.0,
        t_end: 60.0,
        y0,
        yp0,
        atol_factor: 1e-4,
        reference: Some(Reference {
            t: 60.0,
            y: vec![
                5.646255480022769278e-2,
                1.3424841304223385219e-1,
                4.1397343310994269701e-9,
                5.5231402074843599373e-3,
                2.0189772623021960401e-7,
                1.4645418634939657926e-7,
                7.7842491189979641461e-2,
                3.2450753533960182183e-1,
                7.4940133838804055526e-3,
                1.6222931573015603494e-8,
                1.1358638332570748217e-8,
                2.230505975721359861e-3,
                2.087162882798630041e-4,
                1.3969210168401577156e-5,
                8.9648848568982941776e-3,
                4.3528463693301036742e-18,
                6.8992196962634054047e-3,
                1.0078030373659459531e-4,
                1.7721465139699845371e-6,
                5.6829432923163934427e-5,
            ],
            digits: 15.9,
            provenance: super::QUADRUPLE,
        }),
        build: builder(Pollution),
    }
}
