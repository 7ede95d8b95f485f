//! Events with restart: a ball that loses a fifth of its speed at every bounce and is caught
//! when it rises no higher than a centimetre.
//!
//! Run with `cargo run --release --example bouncing_ball`.
#![allow(clippy::print_stdout, reason = "an example shows its result")]

use holonom::prelude::*;

const GRAVITY: f64 = 9.81;
const RESTITUTION: f64 = 0.8;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let ball = Closure::new(Structure::ode(["height", "velocity"]), |_t, y, yp, r| {
        r[0] = yp[0] - y[1];
        r[1] = yp[1] + GRAVITY;
    })
    .event(
        Event::new("ground").direction(Direction::Falling),
        |_t, y, _yp| y[0],
        |state| {
            // The bounce: the velocity jumps, the height does not.
            state.y[0] = 0.0;
            state.y[1] *= -RESTITUTION;
            let apex = state.y[1] * state.y[1] / (2.0 * GRAVITY);
            if apex < 0.01 {
                EventAction::Stop
            } else {
                EventAction::Restart
            }
        },
    );
    let options = Options::new(1e-9, 1e-9);
    let solution = solve(ball, (0.0, 10.0), &[1.0, 0.0], &[0.0, -GRAVITY], options)?;

    // The flights are known in closed form: 2v/g, with v shrinking by the restitution.
    let mut exact = (2.0 / GRAVITY).sqrt();
    let mut speed = GRAVITY * exact;
    println!("bounce    time / s       error");
    for (i, event) in solution.events.iter().enumerate() {
        println!("{:>6}  {:>10.7}  {:>10.1e}", i + 1, event.t, event.t - exact);
        speed *= RESTITUTION;
        exact += 2.0 * speed / GRAVITY;
    }
    println!("ended at t = {:.6} s: {:?}", solution.t, solution.stop);
    Ok(())
}
