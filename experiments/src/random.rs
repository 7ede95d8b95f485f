//! Random numbers from a seed: the same on every machine, in every order of tasks.

use crate::geometry::{M3, V3, norm, rotation_of_quaternion};
use std::f64::consts::TAU;

/// SplitMix64: G. L. Steele, D. Lea, C. H. Flood, Fast splittable pseudorandom number generators, OOPSLA 2014.
#[derive(Clone, Debug)]
pub struct Random {
    state: u64,
}

impl Random {
    /// The stream of a seed.
    pub fn new(seed: u64) -> Self {
        let mut random = Self { state: seed };
        // Neighbouring seeds give streams that have nothing in common.
        random.state = random.bits() ^ 0x5851_f42d_4c95_7f2d;
        random
    }

    /// Another stream of the same seed.
    pub fn of(seed: u64, stream: u64) -> Self {
        let mut first = Self::new(seed);
        Self::new(first.bits() ^ stream.wrapping_mul(0xd134_2543_de82_ef95))
    }

    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Uniform in [0, 1).
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Uniform in [low, high).
    pub fn within(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    /// 10 to a power that is uniform in [low, high).
    pub fn decades(&mut self, low: f64, high: f64) -> f64 {
        10f64.powf(self.within(low, high))
    }

    /// True with this probability.
    pub fn chance(&mut self, probability: f64) -> bool {
        self.unit() < probability
    }

    /// 1 or −1.
    pub fn sign(&mut self) -> f64 {
        if self.chance(0.5) { 1.0 } else { -1.0 }
    }

    /// A whole number below `n`, which must not be zero.
    pub fn below(&mut self, n: usize) -> usize {
        (self.unit() * n as f64) as usize
    }

    /// One of several things.
    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }

    /// One of several things with weights.
    pub fn weighted<T: Copy>(&mut self, from: &[(T, f64)]) -> T {
        let total: f64 = from.iter().map(|(_, w)| w).sum();
        let mut left = total * self.unit();
        for (thing, weight) in from {
            left -= weight;
            if left < 0.0 {
                return *thing;
            }
        }
        from[from.len() - 1].0
    }

    /// Puts things in another order.
    pub fn shuffle<T>(&mut self, things: &mut [T]) {
        for k in (1..things.len()).rev() {
            things.swap(k, self.below(k + 1));
        }
    }

    /// Normally distributed (Box and Muller).
    pub fn normal(&mut self) -> f64 {
        let r = (-2.0 * (1.0 - self.unit()).ln()).sqrt();
        r * (TAU * self.unit()).cos()
    }

    /// A vector with components in [−size, size).
    pub fn vector(&mut self, size: f64) -> V3 {
        std::array::from_fn(|_| self.within(-size, size))
    }

    /// A direction, all alike.
    pub fn direction(&mut self) -> V3 {
        loop {
            let v: V3 = std::array::from_fn(|_| self.normal());
            let n = norm(v);
            if n > 1e-3 {
                return v.map(|x| x / n);
            }
        }
    }

    /// A rotation, all alike.
    pub fn rotation(&mut self) -> M3 {
        loop {
            let e: [f64; 4] = std::array::from_fn(|_| self.normal());
            if e.iter().map(|x| x * x).sum::<f64>() > 1e-3 {
                return rotation_of_quaternion(e);
            }
        }
    }
}
