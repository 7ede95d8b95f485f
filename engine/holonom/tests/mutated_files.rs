//! Some thousand mutated model files: nothing panics or hangs, what reads can be written and reads
//! back the same. `cargo run --release -p holonom --example fuzz_models` does the same for long.
#![allow(clippy::unwrap_used)]

mod mutations;

use mutations::{Reached, Seeds};
use std::time::Duration;

#[test]
fn nothing_panics_or_hangs() {
    let seeds = Seeds::of_repository();
    assert!(seeds.len() > 200, "{}", seeds.len());
    let mut reached = [0; 4];
    let mut slowest = Duration::ZERO;
    for number in 0..4000 {
        let (far, took) = seeds.timed(number);
        reached[far as usize] += 1;
        slowest = slowest.max(took);
    }
    assert!(slowest < Duration::from_secs(5), "{slowest:?}");
    // The mutations are mild enough to get everywhere.
    for far in [Reached::Refused, Reached::Read, Reached::Assembled] {
        assert!(reached[far as usize] > 100, "{reached:?}");
    }
}
