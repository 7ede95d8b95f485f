//! Diagrams as SVG files and bitmaps: two canvases, axes, and the diagrams made of them.
//!
//! | module | what it does |
//! |---|---|
//! | `canvas` | what can be drawn on; colours and texts |
//! | `svg`, `raster`, `font` | the two canvases, and letters for the second |
//! | `ticks`, `axes` | ranges, grids and numbers |
//! | `trace` | lines through any number of points |
//! | `figure`, `layout`, `legend` | panels of series over common axes |
//! | `fft`, `spectrum` | amplitudes over frequency |
//! | `work_precision` | what a digit costs |

mod axes;
mod canvas;
mod fft;
mod figure;
mod font;
mod layout;
mod legend;
mod raster;
mod spectrum;
mod svg;
mod ticks;
mod trace;
pub mod work_precision;

pub use axes::Scale;
pub use figure::{Figure, Panel, Series};
pub use spectrum::{Spectrum, Window};
