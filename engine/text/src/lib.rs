//! Names as people type them: [`Pattern`]s that select some, and what a misspelt one may have
//! meant ([`nearest`], [`similar`]).

mod pattern;
mod similar;

pub use pattern::{Pattern, PatternError};
pub use similar::{did_you_mean, distance, nearest, similar};
