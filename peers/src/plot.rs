//! What charts are drawn with: the SVG writer and the axes of the `holonom` command.
//!
//! That command is a program, not a library, so that its source files are taken in here as they are.

#![allow(dead_code)]

#[path = "../../apps/cli/src/plot/axes.rs"]
pub mod axes;
#[path = "../../apps/cli/src/plot/canvas.rs"]
pub mod canvas;
#[path = "../../apps/cli/src/plot/font.rs"]
mod font;
#[path = "../../apps/cli/src/plot/svg.rs"]
pub mod svg;
#[path = "../../apps/cli/src/plot/ticks.rs"]
mod ticks;
