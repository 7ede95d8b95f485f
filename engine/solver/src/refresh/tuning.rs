//! Constants of the refresh policies.
//!
//! Each with its source. What was chosen on the shipped models and problems is not confirmed on generated mechanisms yet.

/// A change of α by more than this ratio, either way, counts as drastic:
/// (1 − x)/(1 + x) with x = 0.25.
///
/// Source: [Brenan, Campbell, Petzold 1996, §5.2].
pub(super) const DRASTIC_IN_DASSL: f64 = 0.6;

/// Change of α, either way, that is worth a factorisation. Below it the factor
/// c = 2/(1 + α/ᾱ) of Arnold (18) repairs most of the damage.
///
/// Source: own choice on the shipped models and problems.
pub(super) const WORTH_FACTORISING: f64 = 0.85;

/// Corrections too many that are worth a factorisation where ∂F/∂y can be brought up to date in part.
///
/// Source: own choice on the shipped models and problems.
pub(super) const WORTH_FOLLOWING: f64 = 2.0;

/// Without separated parts a change of α needs a full evaluation: only when drastic.
///
/// Source: that of DASSL.
pub(super) const DRASTIC: f64 = 0.6;
