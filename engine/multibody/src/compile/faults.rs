//! Faults of elements as errors of a model.

use super::error::ModelError;
use crate::elements::faults::{Fault, Faults};

/// Adds the faults of the element at a place.
pub(super) fn report(faults: Faults, place: &str, errors: &mut Vec<ModelError>) {
    let place = || place.to_string();
    errors.extend(faults.0.into_iter().map(|fault| match fault {
        Fault::NotFinite { quantity } => ModelError::NotFinite {
            place: place(),
            quantity,
        },
        Fault::NotPositive {
            quantity,
            value,
            remedy,
        } => ModelError::NotPositive {
            place: place(),
            quantity,
            value,
            remedy,
        },
        Fault::Range {
            field,
            value,
            need,
            remedy,
        } => ModelError::OutOfRange {
            place: place(),
            field,
            value,
            need,
            remedy,
        },
        Fault::Mismatch {
            field,
            problem,
            remedy,
        } => ModelError::Mismatch {
            place: place(),
            field,
            problem,
            remedy,
        },
        Fault::Variable(error) => ModelError::LawVariables {
            place: place(),
            error,
        },
        Fault::WrongLaw { inputs, outputs } => ModelError::WrongLaw {
            place: place(),
            inputs,
            outputs,
        },
        Fault::MotionOfControl { control } => ModelError::MotionOfControl {
            place: place(),
            control,
        },
        Fault::UnusedLimits => ModelError::UnusedLimits { place: place() },
        Fault::Limits { low, high } => ModelError::Limits {
            place: place(),
            low,
            high,
        },
        Fault::ImproperTransferFunction => ModelError::ImproperTransferFunction { place: place() },
        Fault::Data(reason) => ModelError::BadData {
            place: place(),
            reason,
        },
    }));
}
