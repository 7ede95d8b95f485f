//! Vectors and rotations on plain arrays, for the generator and the oracle, which share nothing with the engine.

use std::f64::consts::{PI, TAU};

/// A vector.
pub type V3 = [f64; 3];
/// A matrix by rows.
pub type M3 = [[f64; 3]; 3];

/// The unit matrix.
pub const UNIT: M3 = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

/// a + b.
pub fn add(a: V3, b: V3) -> V3 {
    std::array::from_fn(|k| a[k] + b[k])
}

/// a − b.
pub fn sub(a: V3, b: V3) -> V3 {
    std::array::from_fn(|k| a[k] - b[k])
}

/// s a.
pub fn scale(s: f64, a: V3) -> V3 {
    a.map(|x| s * x)
}

/// a · b.
pub fn dot(a: V3, b: V3) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// a × b.
pub fn cross(a: V3, b: V3) -> V3 {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}

/// |a|.
pub fn norm(a: V3) -> f64 {
    dot(a, a).sqrt()
}

/// a / |a|.
pub fn normalised(a: V3) -> V3 {
    scale(1.0 / norm(a), a)
}

/// The largest entry without sign.
pub fn largest(a: V3) -> f64 {
    a.iter().fold(0.0, |most, x| x.abs().max(most))
}

/// A x.
pub fn apply(a: &M3, x: V3) -> V3 {
    std::array::from_fn(|i| dot(a[i], x))
}

/// Aᵀ x.
pub fn apply_transposed(a: &M3, x: V3) -> V3 {
    std::array::from_fn(|i| a[0][i] * x[0] + a[1][i] * x[1] + a[2][i] * x[2])
}

/// A B.
pub fn product(a: &M3, b: &M3) -> M3 {
    std::array::from_fn(|i| std::array::from_fn(|j| (0..3).map(|k| a[i][k] * b[k][j]).sum()))
}

/// Aᵀ.
pub fn transposed(a: &M3) -> M3 {
    std::array::from_fn(|i| std::array::from_fn(|j| a[j][i]))
}

/// A column.
pub fn column(a: &M3, j: usize) -> V3 {
    [a[0][j], a[1][j], a[2][j]]
}

/// A matrix from its columns.
pub fn of_columns(x: V3, y: V3, z: V3) -> M3 {
    transposed(&[x, y, z])
}

/// The rotation by Euler parameters of any length.
pub fn rotation_of_quaternion([w, x, y, z]: [f64; 4]) -> M3 {
    let s = 2.0 / (w * w + x * x + y * y + z * z);
    [
        [
            1.0 - s * (y * y + z * z),
            s * (x * y - w * z),
            s * (x * z + w * y),
        ],
        [
            s * (x * y + w * z),
            1.0 - s * (x * x + z * z),
            s * (y * z - w * x),
        ],
        [
            s * (x * z - w * y),
            s * (y * z + w * x),
            1.0 - s * (x * x + y * y),
        ],
    ]
}

/// Euler parameters of a rotation, the first one not negative: S. W. Shepperd, J. Guid. Control 1 (1978) 223–224.
pub fn quaternion_of_rotation(r: &M3) -> [f64; 4] {
    let trace = r[0][0] + r[1][1] + r[2][2];
    let candidates = [trace, r[0][0], r[1][1], r[2][2]];
    let best = (1..4).fold(0, |b, k| if candidates[k] > candidates[b] { k } else { b });
    let mut q = [0.0; 4];
    if best == 0 {
        q[0] = (1.0 + trace).max(0.0).sqrt() / 2.0;
        for (k, (i, j)) in [(2, 1), (0, 2), (1, 0)].into_iter().enumerate() {
            q[k + 1] = (r[i][j] - r[j][i]) / (4.0 * q[0]);
        }
    } else {
        let i = best - 1;
        let (j, l) = ((i + 1) % 3, (i + 2) % 3);
        let x = (1.0 + r[i][i] - r[j][j] - r[l][l]).max(0.0).sqrt() / 2.0;
        q[best] = x;
        q[0] = (r[l][j] - r[j][l]) / (4.0 * x);
        q[j + 1] = (r[j][i] + r[i][j]) / (4.0 * x);
        q[l + 1] = (r[l][i] + r[i][l]) / (4.0 * x);
    }
    let n = q.iter().map(|x| x * x).sum::<f64>().sqrt() * if q[0] < 0.0 { -1.0 } else { 1.0 };
    q.map(|x| x / n)
}

/// The rotation about an axis of any length (Rodrigues).
pub fn about(axis: V3, angle: f64) -> M3 {
    let a = normalised(axis);
    let (s, c) = angle.sin_cos();
    let k = [[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]];
    let kk = product(&k, &k);
    std::array::from_fn(|i| std::array::from_fn(|j| UNIT[i][j] + s * k[i][j] + (1.0 - c) * kk[i][j]))
}

/// The rotation by a rotation vector.
pub fn turned(theta: V3) -> M3 {
    let angle = norm(theta);
    if angle == 0.0 { UNIT } else { about(theta, angle) }
}

/// The rotation vector of a rotation, of length π at most.
pub fn rotation_vector(r: &M3) -> V3 {
    let q = quaternion_of_rotation(r);
    let v = [q[1], q[2], q[3]];
    let s = norm(v);
    if s < 1e-300 {
        [0.0; 3]
    } else {
        scale(2.0 * s.atan2(q[0]) / s, v)
    }
}

/// Cardan angles: about x, the new y, the new z.
pub fn cardan(angles: V3) -> M3 {
    let [a, b, c] = angles;
    let xy = product(&about([1.0, 0.0, 0.0], a), &about([0.0, 1.0, 0.0], b));
    product(&xy, &about([0.0, 0.0, 1.0], c))
}

/// The Cardan angles of a rotation.
pub fn cardan_of(r: &M3) -> V3 {
    [
        (-r[1][2]).atan2(r[2][2]),
        r[0][2].clamp(-1.0, 1.0).asin(),
        (-r[0][1]).atan2(r[0][0]),
    ]
}

/// Two unit vectors u, v at right angles to a and to each other: u, v, a are right-handed.
pub fn perpendicular(a: V3) -> (V3, V3) {
    let a = normalised(a);
    let least = (1..3).fold(0, |b, k| if a[k].abs() < a[b].abs() { k } else { b });
    let u = normalised(cross(UNIT[least], a));
    (u, cross(a, u))
}

/// An angle within ±π.
pub fn wrapped(x: f64) -> f64 {
    (x + PI).rem_euclid(TAU) - PI
}

/// The rate of Euler parameters, from half of the angular velocity in the axes of the body.
pub fn quaternion_rate(e: [f64; 4], w: V3) -> [f64; 4] {
    let v = [e[1], e[2], e[3]];
    let c = cross(v, w);
    [
        -dot(v, w),
        e[0] * w[0] + c[0],
        e[0] * w[1] + c[1],
        e[0] * w[2] + c[2],
    ]
}

/// Euler parameters of length one.
pub fn unit(e: [f64; 4]) -> [f64; 4] {
    let n = e.iter().map(|x| x * x).sum::<f64>().sqrt();
    e.map(|x| x / n)
}

/// L with L Lᵀ = A.
pub fn cholesky(a: &M3) -> M3 {
    let mut l = [[0.0; 3]; 3];
    for j in 0..3 {
        for i in j..3 {
            let sum: f64 = (0..j).map(|k| l[i][k] * l[j][k]).sum();
            l[i][j] = if i == j {
                (a[i][i] - sum).max(0.0).sqrt()
            } else {
                (a[i][j] - sum) / l[j][j]
            };
        }
    }
    l
}

/// L⁻¹ x.
pub fn solve_lower(l: &M3, x: V3) -> V3 {
    let a = x[0] / l[0][0];
    let b = (x[1] - l[1][0] * a) / l[1][1];
    [a, b, (x[2] - l[2][0] * a - l[2][1] * b) / l[2][2]]
}

/// L⁻ᵀ x.
pub fn solve_upper(l: &M3, x: V3) -> V3 {
    let c = x[2] / l[2][2];
    let b = (x[1] - l[2][1] * c) / l[1][1];
    [(x[0] - l[1][0] * b - l[2][0] * c) / l[0][0], b, c]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn rotations_come_back() {
        let mut random = Random::new(5);
        for _ in 0..100 {
            let r = random.rotation();
            let close = |a: &M3| {
                for i in 0..3 {
                    for j in 0..3 {
                        assert!((a[i][j] - r[i][j]).abs() < 1e-14);
                    }
                }
            };
            close(&rotation_of_quaternion(quaternion_of_rotation(&r)));
            close(&turned(rotation_vector(&r)));
            if r[0][2].abs() < 0.9 {
                close(&cardan(cardan_of(&r)));
            }
            let a = random.direction();
            let (u, v) = perpendicular(a);
            assert!(norm(sub(cross(u, v), a)) < 1e-14);
        }
    }
}
