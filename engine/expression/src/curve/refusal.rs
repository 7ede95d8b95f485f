//! Which table was asked outside its points.
//!
//! All that a solver sees of a refusal is a residual that is not a number. Who wants to say why
//! watches the evaluations: the last refusal of the thread is kept. Evaluations within the points
//! do not come here.

use core::fmt;
use std::cell::{Cell, RefCell};

thread_local! {
    /// How many watch.
    static WATCHERS: Cell<u32> = const { Cell::new(0) };
    static LAST: RefCell<Option<Refusal>> = const { RefCell::new(None) };
}

/// A table that was asked outside its points, where it has no value.
#[derive(Clone, Debug, PartialEq)]
pub struct Refusal {
    /// Name of the table.
    pub table: String,
    /// Where it was asked.
    pub x: f64,
    /// Its first and last x.
    pub range: [f64; 2],
}

impl Refusal {
    /// What helps.
    pub const REMEDY: &'static str = "add points, or set extrapolation = \"hold\" or \"linear\"";

    /// What is wrong.
    pub fn fault(&self) -> String {
        let [first, last] = self.range;
        let (side, end) = if self.x < first {
            ("below", first)
        } else {
            ("above", last)
        };
        format!(
            "the table \"{}\" covers x = {first} to {last}, but a value {side} {end} is needed",
            self.table
        )
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}; {}", self.fault(), Self::REMEDY)
    }
}

/// Evaluates something; tells the last refusal of a table in it, unless it was forgotten since.
///
/// ```
/// use holonom_expression::curve::{Curve, Extrapolation, Interpolation, watch_refusals};
/// let points = vec![0.0, 1.0];
/// let road = Curve::new("road", points.clone(), points, Interpolation::Linear, Extrapolation::Refuse)?;
/// let (y, refusal) = watch_refusals(|| road.evaluate(1.5));
/// assert!(y.is_nan());
/// assert_eq!(refusal.map(|refusal| (refusal.x, refusal.range)), Some((1.5, [0.0, 1.0])));
/// # Ok::<(), holonom_expression::curve::CurveError>(())
/// ```
pub fn watch_refusals<R>(evaluate: impl FnOnce() -> R) -> (R, Option<Refusal>) {
    /// Also when a user's function panics.
    struct Watching(Option<Refusal>);
    impl Drop for Watching {
        fn drop(&mut self) {
            WATCHERS.set(WATCHERS.get().saturating_sub(1));
            LAST.set(self.0.take());
        }
    }
    let watching = Watching(LAST.take());
    WATCHERS.set(WATCHERS.get() + 1);
    let result = evaluate();
    let last = LAST.take();
    drop(watching);
    (result, last)
}

/// Forgets the last refusal: what was computed since did without it, or another step was taken.
pub fn forget_refusal() {
    LAST.with_borrow_mut(|last| *last = None);
}

/// Called by a table that refuses.
#[cold]
pub(super) fn note(table: &str, x: f64, range: [f64; 2]) {
    if WATCHERS.get() == 0 {
        return;
    }
    LAST.with_borrow_mut(|last| match last {
        // Evaluated again and again: the name is there already.
        Some(refusal) if refusal.table == table => (refusal.x, refusal.range) = (x, range),
        _ => {
            *last = Some(Refusal {
                table: table.to_string(),
                x,
                range,
            });
        }
    });
}
