//! Amplitudes over frequency.

use rustfft::FftPlanner;
use rustfft::num_complex::Complex;
use std::f64::consts::TAU;

/// Samples beyond which zeros are added up to a power of two: other lengths need four times the
/// memory.
const MOST_SAMPLES: usize = 1 << 22;

/// By what samples are weighted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Window {
    /// Shows amplitudes to 0.05 % wherever the frequency lies: HFT90D [Heinzel, Rüdiger, Schilling 2002].
    FlatTop,
    /// Tells frequencies apart that are closer; amplitudes are up to 15 % too small.
    Hann,
}

impl Window {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::FlatTop => "flat-top",
            Self::Hann => "Hann",
        }
    }

    /// Coefficients of its cosines; the first is one, which makes the mean of the window one.
    fn coefficients(self) -> &'static [f64] {
        match self {
            Self::FlatTop => &[1.0, -1.942_604, 1.340_318, -0.440_811, 0.043_097],
            Self::Hann => &[1.0, -1.0],
        }
    }

    /// The weight of sample j of n, periodic.
    fn weight(self, j: usize, n: usize) -> f64 {
        let angle = TAU * j as f64 / n as f64;
        let terms = self.coefficients().iter().enumerate();
        terms.map(|(k, c)| c * (k as f64 * angle).cos()).sum()
    }
}

/// The amplitude spectrum of a channel.
///
/// The mean is subtracted and the samples are weighted with a window whose mean is one, so that a sine of amplitude A
/// shows A.
#[derive(Clone, Debug, PartialEq)]
pub struct Spectrum {
    /// Frequencies in the inverse unit of time, from the first above zero to half the sampling rate.
    pub frequency: Vec<f64>,
    /// Amplitudes in the unit of the channel.
    pub amplitude: Vec<f64>,
    /// Whether the samples were not evenly spaced and had to be interpolated.
    pub is_resampled: bool,
}

impl Spectrum {
    /// The spectrum of values at times that never fall. `None` with less than four usable samples.
    ///
    /// Samples without a number are left out, of several at one time the last counts. Unevenly
    /// spaced ones are interpolated by cubics, as many as there were.
    pub fn new(t: &[f64], y: &[f64], window: Window) -> Option<Self> {
        let mut samples: Vec<(f64, f64)> = Vec::with_capacity(t.len().min(y.len()));
        for (&t, &y) in t.iter().zip(y) {
            if !t.is_finite() || !y.is_finite() {
                continue;
            }
            match samples.last_mut() {
                Some(last) if t == last.0 => last.1 = y,
                Some(last) if t < last.0 => return None,
                _ => samples.push((t, y)),
            }
        }
        let n = samples.len();
        if n < 4 {
            return None;
        }
        let (start, end) = (samples[0].0, samples[n - 1].0);
        let step = (end - start) / (n - 1) as f64;
        // Printed times are rounded; that alone is no reason to interpolate.
        let is_even =
            (samples.iter().enumerate()).all(|(i, s)| (s.0 - (start + i as f64 * step)).abs() <= 1e-3 * step);
        let mut values: Vec<f64> = match is_even {
            true => samples.iter().map(|s| s.1).collect(),
            false => resample(&samples, start, step),
        };
        // The weighted mean: with another one, the rest would show at the lowest frequencies.
        let weighted = values.iter().enumerate().map(|(j, v)| v * window.weight(j, n));
        let mean = weighted.sum::<f64>() / n as f64;
        for (j, v) in values.iter_mut().enumerate() {
            *v = (*v - mean) * window.weight(j, n);
        }
        let length = if n > MOST_SAMPLES {
            n.next_power_of_two()
        } else {
            n
        };
        let mut x: Vec<Complex<f64>> = values.into_iter().map(Complex::from).collect();
        x.resize(length, Complex::default());
        FftPlanner::new().plan_fft_forward(length).process(&mut x);
        let scale = 2.0 / n as f64;
        let half = length / 2;
        let amplitude = (1..=half).map(|k| {
            // The highest frequency of an even length has no twin.
            let share = if 2 * k == length { 0.5 } else { 1.0 };
            share * scale * x[k].norm()
        });
        Some(Self {
            frequency: (1..=half).map(|k| k as f64 / (length as f64 * step)).collect(),
            amplitude: amplitude.collect(),
            is_resampled: !is_even,
        })
    }
}

/// Values at even times, by cubics through the points with the slopes of parabolas through three.
fn resample(samples: &[(f64, f64)], start: f64, step: f64) -> Vec<f64> {
    let n = samples.len();
    let chord = |i: usize| (samples[i + 1].1 - samples[i].1) / (samples[i + 1].0 - samples[i].0);
    let slope = |i: usize| match i {
        0 => chord(0),
        i if i == n - 1 => chord(n - 2),
        i => {
            let (before, after) = (samples[i].0 - samples[i - 1].0, samples[i + 1].0 - samples[i].0);
            (after * chord(i - 1) + before * chord(i)) / (before + after)
        }
    };
    let mut i = 0;
    let value = |k: usize| {
        let t = start + k as f64 * step;
        while i + 2 < n && samples[i + 1].0 <= t {
            i += 1;
        }
        let ((t0, y0), (t1, y1)) = (samples[i], samples[i + 1]);
        let h = t1 - t0;
        let s = ((t - t0) / h).clamp(0.0, 1.0);
        // Hermite's form.
        let r = 1.0 - s;
        y0 * r * r * (1.0 + 2.0 * s)
            + y1 * s * s * (1.0 + 2.0 * r)
            + h * s * r * (slope(i) * r - slope(i + 1) * s)
    };
    (0..n).map(value).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(spectrum: &Spectrum, frequency: f64) -> f64 {
        let near = |f: &f64| (f - frequency).abs();
        let (i, _) = (spectrum.frequency.iter().enumerate())
            .min_by(|a, b| near(a.1).total_cmp(&near(b.1)))
            .expect("a value");
        spectrum.amplitude[i]
    }

    fn signal(t: f64) -> f64 {
        7.0 + 3.0 * (TAU * 5.0 * t).sin() + 0.5 * (TAU * 20.0 * t + 1.0).cos()
    }

    #[test]
    fn amplitudes_are_those_of_the_sines() {
        // Lengths with and without a factor two; both hold whole periods.
        for n in [1024, 1000, 999] {
            let t: Vec<f64> = (0..n).map(|i| 2.0 * i as f64 / n as f64).collect();
            let y: Vec<f64> = t.iter().map(|t| signal(*t)).collect();
            for window in [Window::FlatTop, Window::Hann] {
                let spectrum = Spectrum::new(&t, &y, window).expect("a value");
                assert!(!spectrum.is_resampled);
                assert!((at(&spectrum, 5.0) - 3.0).abs() < 1e-9, "{n}");
                assert!((at(&spectrum, 20.0) - 0.5).abs() < 1e-9, "{n}");
                assert!(at(&spectrum, 12.0) < 1e-9 && at(&spectrum, 0.5) < 1e-9);
                assert!((spectrum.frequency[0] - 0.5).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn amplitudes_are_true_between_frequencies_of_the_grid() {
        for part in 0..20 {
            let frequency = 12.0 + f64::from(part) / 20.0;
            let t: Vec<f64> = (0..500).map(|i| f64::from(i) / 500.0).collect();
            let y: Vec<f64> = t
                .iter()
                .map(|t| 7.0 + 2.0 * (TAU * frequency * t + 0.3).sin())
                .collect();
            let peak = |window| {
                let spectrum = Spectrum::new(&t, &y, window).expect("a value");
                spectrum.amplitude.iter().copied().fold(0.0, f64::max)
            };
            let (flat, hann) = (peak(Window::FlatTop), peak(Window::Hann));
            assert!((flat - 2.0).abs() < 1e-3 * 2.0, "{frequency}: {flat}");
            assert!((1.69..2.001).contains(&hann), "{frequency}: {hann}");
        }
    }

    #[test]
    fn uneven_samples_are_interpolated() {
        let n = 4000;
        let t: Vec<f64> = (0..n)
            .map(|i| i as f64 / n as f64)
            .map(|s| 2.0 * s + 0.1 * (3.0 * s).sin())
            .collect();
        let y: Vec<f64> = t.iter().map(|t| signal(*t)).collect();
        let spectrum = Spectrum::new(&t, &y, Window::FlatTop).expect("a value");
        assert!(spectrum.is_resampled);
        // The grid of frequencies does not meet 5 Hz.
        let peak = spectrum.amplitude.iter().copied().fold(0.0, f64::max);
        assert!((2.99..3.01).contains(&peak), "{peak}");
        // A cubic passes through a parabola's points exactly, up to the ends.
        let points: Vec<(f64, f64)> = [0.0, 0.3, 1.0, 1.2, 2.0, 2.4, 3.0].map(|t| (t, t * t)).to_vec();
        for (k, y) in resample(&points, 0.0, 0.5)
            .into_iter()
            .enumerate()
            .skip(1)
            .take(4)
        {
            let t = 0.5 * k as f64;
            assert!((y - t * t).abs() < 1e-12 || t < 0.3, "{t} {y}");
        }
    }

    #[test]
    fn little_and_odd_data() {
        let new = |t: &[f64], y: &[f64]| Spectrum::new(t, y, Window::FlatTop);
        assert_eq!(new(&[], &[]), None);
        assert_eq!(new(&[0.0, 1.0, 2.0], &[1.0; 3]), None);
        assert_eq!(new(&[0.0, 1.0, 0.5, 2.0, 3.0], &[1.0; 5]), None);
        assert_eq!(new(&[1.0; 10], &[1.0; 10]), None);
        let nan = f64::NAN;
        let t = [0.0, 1.0, 1.0, 2.0, nan, 3.0, 4.0, 5.0];
        let y = [1.0, nan, 1.0, 1.0, 1.0, 1.0, f64::INFINITY, 1.0];
        let spectrum = new(&t, &y).expect("a value");
        assert!(spectrum.is_resampled && spectrum.amplitude.iter().all(|a| a.abs() < 1e-12));
    }
}
