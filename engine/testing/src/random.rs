//! Random numbers.

use holonom_algebra::{Mat3, Pose, Quaternion, Vec3};

/// A small generator of its own, so that a seed means the same mechanism for ever.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The generator of a seed.
    pub fn new(seed: u64) -> Self {
        let mut r = Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0xD1B5_4A32_D192_ED03);
        r.unit();
        r
    }
    /// Another generator, which this one's state and a number determine; this one does not move on.
    pub fn fork(&self, number: u64) -> Self {
        Self::new(self.0 ^ number)
    }
    /// A number from 0 to 1.
    pub fn unit(&mut self) -> f64 {
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        ((self.0 >> 33) ^ (self.0 >> 17) & 0x3FFF_FFFF) as f64 / f64::from(1u32 << 31)
    }
    /// A number between two others.
    pub fn range(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }
    /// One of the integers 0 to n − 1.
    pub fn below(&mut self, n: usize) -> usize {
        ((self.unit() * n as f64) as usize).min(n - 1)
    }
    /// True with a probability.
    pub fn chance(&mut self, p: f64) -> bool {
        self.unit() < p
    }
    /// A vector with components up to a size.
    pub fn vector(&mut self, size: f64) -> [f64; 3] {
        [0; 3].map(|_| self.range(-size, size))
    }
    /// A unit quaternion.
    pub fn quaternion(&mut self) -> [f64; 4] {
        loop {
            let e = [0; 4].map(|_| self.range(-1.0, 1.0));
            let n = e.iter().map(|x| x * x).sum::<f64>();
            if n > 0.1 && n < 1.0 {
                return e.map(|x| x / n.sqrt());
            }
        }
    }
    /// A frame within a distance, parallel in two cases of five.
    pub fn frame(&mut self, size: f64) -> Pose<f64> {
        let position = Vec3(self.vector(size));
        if self.chance(0.4) {
            Pose::new(Mat3::identity(), position)
        } else {
            Pose::new(Mat3(Quaternion(self.quaternion()).rotation_matrix()), position)
        }
    }
}
