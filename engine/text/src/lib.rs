//! Names as people type them, and tables as they read them.
//!
//! [`Pattern`]s select names, [`did_you_mean`] suggests what a misspelt one may have meant; [`Table`] aligns columns,
//! [`number`] writes numbers short.

mod number;
mod pattern;
mod similar;
mod table;

pub use number::number;
pub use pattern::{Pattern, PatternError};
pub use similar::{did_you_mean, distance, nearest, similar};
pub use table::{Align, Table, wrapped};
