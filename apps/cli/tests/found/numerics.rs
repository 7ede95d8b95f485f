//! The classical method of Runge and Kutta, and turns by Cardan angles: all that the expectations need.

/// The state at the end of a range, by so many steps.
pub fn integrate<const N: usize>(
    mut y: [f64; N],
    [from, to]: [f64; 2],
    steps: usize,
    rate: impl Fn(f64, &[f64; N]) -> [f64; N],
) -> [f64; N] {
    let h = (to - from) / steps as f64;
    let along = |y: &[f64; N], k: &[f64; N], h: f64| -> [f64; N] { std::array::from_fn(|i| y[i] + h * k[i]) };
    for n in 0..steps {
        let t = from + h * n as f64;
        let a = rate(t, &y);
        let b = rate(t + 0.5 * h, &along(&y, &a, 0.5 * h));
        let c = rate(t + 0.5 * h, &along(&y, &b, 0.5 * h));
        let d = rate(t + h, &along(&y, &c, h));
        y = std::array::from_fn(|i| y[i] + h / 6.0 * (a[i] + 2.0 * b[i] + 2.0 * c[i] + d[i]));
    }
    y
}

/// A vector turned about x, the new y and the new z.
pub fn rotate([a, b, c]: [f64; 3], [x, y, z]: [f64; 3]) -> [f64; 3] {
    let (x, y) = (x * c.cos() - y * c.sin(), x * c.sin() + y * c.cos());
    let (x, z) = (x * b.cos() + z * b.sin(), z * b.cos() - x * b.sin());
    [x, y * a.cos() - z * a.sin(), y * a.sin() + z * a.cos()]
}
