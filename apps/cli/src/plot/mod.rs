//! Diagrams as SVG files: a writer, axes, and the diagrams made of them.

mod axes;
mod svg;
pub mod work_precision;
