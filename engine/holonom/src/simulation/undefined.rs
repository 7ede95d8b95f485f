//! Motions without a value.

use core::fmt;
use holonom_expression::curve::{Refusal, watch_refusals};
use holonom_multibody::Model;

/// Why a prescribed coordinate has no value at a time.
#[derive(Clone, Debug)]
pub(super) enum Undefined {
    /// A table is asked outside its points.
    Table(Refusal),
    /// The function that is followed, as text where it has one.
    Motion(Option<String>),
}

impl Undefined {
    /// The first prescribed coordinate without a value, with its derivatives.
    pub fn find(model: &Model, t: f64) -> Option<Self> {
        model.signals.iter().find_map(|signal| {
            let (jet, refusal) = watch_refusals(|| signal.evaluate(t));
            let finite = jet.iter().all(|x| x.is_finite());
            (!finite).then(|| match refusal {
                Some(refusal) => Self::Table(refusal),
                None => Self::Motion(signal.to_expression_text()),
            })
        })
    }
}

impl Undefined {
    /// What is wrong.
    pub fn fault(&self) -> String {
        let function = "a coordinate follows a function whose value or derivative is not finite there";
        match self {
            Self::Table(refusal) => refusal.fault(),
            Self::Motion(Some(text)) => format!("{function}: `{text}`"),
            Self::Motion(None) => function.to_string(),
        }
    }

    /// What helps.
    pub fn remedy(&self) -> &'static str {
        match self {
            Self::Table(_) => Refusal::REMEDY,
            Self::Motion(_) => "follow another function, or end the run earlier",
        }
    }
}

impl fmt::Display for Undefined {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}; {}", self.fault(), self.remedy())
    }
}
