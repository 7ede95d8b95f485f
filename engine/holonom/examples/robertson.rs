//! A user's own index-1 system: Robertson's reaction with the conservation law as an equation.
//!
//! ```text
//! ẏ₁ = −0.04 y₁ + 10⁴ y₂ y₃,  ẏ₂ = 0.04 y₁ − 10⁴ y₂ y₃ − 3·10⁷ y₂²,  0 = y₁ + y₂ + y₃ − 1
//! ```
//! Run with `cargo run --release --example robertson`.
#![allow(clippy::print_stdout, reason = "an example shows its result")]

use holonom::prelude::*;

/// The rates of the three reactions.
struct Robertson {
    k: [f64; 3],
}

impl Residual for Robertson {
    type Workspace<T: Real> = ();

    fn structure(&self) -> Structure {
        // Concentrations: two differential, one algebraic, none negative.
        Structure::semi_explicit(["A", "B"], ["C"]).non_negative()
    }

    fn workspace<T: Real>(&self) {}

    fn residual<T: Real>(&self, at: Point<'_, T>, _work: &mut (), r: &mut [T]) -> Result<(), Rejection> {
        let [a, b, c] = [at.y[0], at.y[1], at.y[2]];
        let forward = a * self.k[0];
        let back = b * c * self.k[1];
        let away = b * b * self.k[2];
        r[0] = at.yp[0] + forward - back;
        r[1] = at.yp[1] - forward + back + away;
        r[2] = a + b + c - 1.0;
        Ok(())
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let system = Bound::new(Robertson { k: [0.04, 1e4, 3e7] });
    // B is tiny: its absolute tolerance has to be, too.
    let outputs = (0..=7).map(|i| 0.4 * 10f64.powi(i)).collect::<Vec<f64>>();
    let options = Options::new(1e-6, 1e-14).outputs(outputs);
    let solution = solve(system, (0.0, 4e6), &[1.0, 0.0, 0.0], &[-0.04, 0.04, 0.0], options)?;

    println!("{:>9}  {:>14}  {:>14}  {:>14}", "t", "A", "B", "C");
    for (t, y) in &solution.outputs {
        println!("{t:>9.1e}  {:>14.8e}  {:>14.8e}  {:>14.8e}", y[0], y[1], y[2]);
    }
    let c = &solution.counters;
    println!(
        "{} steps, {} residuals, {} Jacobians with {}",
        c.steps,
        c.residuals,
        c.jacobians,
        solution.strategies.join(", ")
    );
    Ok(())
}
