//! Drift on the circular track, Burgermeister §4.1 and Fig. 3: ten million steps of 1 ms.
//!
//! `cargo run --release -p holonom-solver --example circular_track [steps]`
#![allow(missing_docs, clippy::unwrap_used, clippy::print_stdout)]

use holonom_dae::problems::circular_track::CircularTrack;
use holonom_solver::stepper::{
    Level, LinearImplicitOptions, MotionState, RealTime, Stabilisation, StiffTerms,
};
use std::time::Instant;

const H: f64 = 1e-3;
/// Stretches over which the mean and the largest error are taken.
const STRETCHES: usize = 1000;

fn track(assembly: Level, stabilisation: Stabilisation) -> RealTime<'static> {
    let track = CircularTrack::new();
    let mut start = MotionState::new(&track);
    start.q.copy_from_slice(&[1.0, 0.0]);
    start.v.copy_from_slice(&[0.0, 1.0]);
    let options = LinearImplicitOptions {
        stiff_terms: StiffTerms::J2,
        assembly,
        stabilisation,
        ..LinearImplicitOptions::default()
    };
    RealTime::new(Box::new(track), H, start, options).unwrap()
}

fn main() {
    let steps: usize = std::env::args().nth(1).map_or(10_000_000, |n| n.parse().unwrap());
    println!("{steps} steps of {H} s; |x| − 1 after 1/1000, 1/100, 1/10 and all of them");
    for (level, stabilisation) in [
        (Level::Index1, Stabilisation::None),
        (Level::Index2, Stabilisation::None),
        (Level::Index1, Stabilisation::Baumgarte),
        (Level::Index2, Stabilisation::Baumgarte),
        (Level::Index2, Stabilisation::Regularisation),
        (Level::Index1, Stabilisation::Projection),
        (Level::Index2, Stabilisation::Projection),
    ] {
        let mut system = track(level, stabilisation);
        let begin = Instant::now();
        let mut means = Vec::with_capacity(STRETCHES);
        let (mut worst, mut at) = (0.0, Vec::new());
        for stretch in 1..=STRETCHES {
            let mut sum = 0.0;
            for _ in 0..steps / STRETCHES {
                system.step();
                let q = &system.state().q;
                let off = q[0].hypot(q[1]) - 1.0;
                sum += off;
                worst = f64::max(worst, off.abs());
            }
            means.push(sum / (steps / STRETCHES) as f64);
            if [STRETCHES / 1000, STRETCHES / 100, STRETCHES / 10, STRETCHES].contains(&stretch) {
                let q = &system.state().q;
                at.push(q[0].hypot(q[1]) - 1.0);
            }
        }
        let time = begin.elapsed().as_secs_f64() / steps as f64;
        // Leave out the first tenth, in which the controller settles.
        let (slope, error) = line(&means[STRETCHES / 10..]);
        println!(
            "{:7} {:15} {}, most {worst:.3e}, held {}, trend {:.1e} ± {:.1e} per stretch, {:.0} ns/step",
            level.name(),
            stabilisation.name(),
            at.iter()
                .map(|x: &f64| format!("{x:.3e}"))
                .collect::<Vec<_>>()
                .join(" "),
            system.held(),
            slope,
            error,
            time * 1e9
        );
    }
}

/// Slope of a least-squares line over equidistant points, and its standard error.
fn line(y: &[f64]) -> (f64, f64) {
    let n = y.len() as f64;
    let (mx, my) = ((n - 1.0) / 2.0, y.iter().sum::<f64>() / n);
    let xx: f64 = (0..y.len()).map(|i| (i as f64 - mx).powi(2)).sum();
    let xy: f64 = y
        .iter()
        .enumerate()
        .map(|(i, y)| (i as f64 - mx) * (y - my))
        .sum();
    let slope = xy / xx;
    let rest: f64 = y
        .iter()
        .enumerate()
        .map(|(i, y)| (y - my - slope * (i as f64 - mx)).powi(2))
        .sum();
    (slope, (rest / (n - 2.0) / xx).sqrt())
}
