//! Figures without a display: series of numbers in panels, as SVG files and bitmaps.
//!
//! A figure is laid out once and drawn on a canvas; one canvas writes SVG, the other pixels. Fonts are embedded, so that a
//! picture is the same on every machine.
//!
//! ```
//! use holonom_plot::{Figure, Panel, Series};
//!
//! let t: Vec<f64> = (0..100).map(|k| 0.1 * f64::from(k)).collect();
//! let mut panel = Panel::new("time / s", "angle / rad");
//! panel.series.push(Series::new("swing", t.clone(), t.iter().map(|t| t.cos()).collect()));
//! let svg = Figure::new("Pendulum", vec![panel]).svg();
//! assert!(svg.starts_with("<svg"));
//! ```
//!
//! | module | what it does |
//! |---|---|
//! | `figure`, `layout`, `legend`, `drawing` | panels of series over common axes |
//! | [`axes`], `ticks` | ranges, grids and numbers |
//! | `trace` | lines through any number of points |
//! | [`canvas`] | what can be drawn on; colours and texts |
//! | [`svg`], `raster`, `font` | the two canvases, and letters for the second |
//! | `spectrum` | amplitudes over frequency |
//! | [`work_precision`] | what a digit costs |

mod error;
mod font;
pub mod canvas;
pub mod svg;
mod raster;
mod ticks;
pub mod axes;
mod trace;
mod legend;
mod figure;
mod layout;
mod drawing;
mod spectrum;
pub mod work_precision;

pub use axes::Scale;
pub use error::Error;
pub use figure::{Figure, Panel, Series};
pub use spectrum::{Spectrum, Window};
