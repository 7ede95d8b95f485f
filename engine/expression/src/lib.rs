//! Expressions: text to exact numbers.
//!
//! In reading order: the text is cut into tokens and parsed to an [`Ast`] (syntax and units);
//! [`Ast::bind`] looks its names up in a [`Scope`], checks dimensions, folds constants and gives
//! an [`Expression`]: a flat program that every scalar of the engine can run, with exact
//! derivatives and without allocation.
//!
//! ```
//! use holonom_expression::{Dimension, Expression, Scope};
//! let u = Expression::parse("12 mm + 3 mm*sin(2*t)", &Scope::time(), Some(Dimension::LENGTH)).unwrap();
//! let [x, v, a] = u.jet(0.0);
//! assert_eq!((x, v, a), (0.012, 0.006, 0.0));
//!
//! let errors = Expression::parse("2 kg", &Scope::new(), Some(Dimension::LENGTH)).unwrap_err();
//! assert_eq!(errors[0].message, "this is a mass (kg), but a length (m) is expected");
//! ```

mod error;
mod lexer;
mod dimension;
mod units;
pub mod curve;
mod grammar;
mod number;
mod sides;
mod program;
mod expression;
mod print;
mod parse;
mod scope;
mod bind;
mod scalar_law;
pub mod kinks;
mod pieces;
mod integral;
pub mod switches;
mod enclosure;
pub mod breaks;
mod survey;
mod motion;
#[cfg(test)]
mod tests;

pub use breaks::Break;
pub use dimension::{Dimension, DimensionState};
pub use error::ExpressionError;
pub use expression::Expression;
pub use integral::Integral;
pub use lexer::is_name;
pub use motion::MotionFault;
pub use parse::{Ast, NameUse};
pub use print::{is_reserved, number};
pub use scalar_law::ScalarLaw;
pub use scope::Scope;
pub use survey::Places;
pub use units::Unit;
