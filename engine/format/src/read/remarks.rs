//! Numbers that look as if their unit had been forgotten: an angle of 60, a rod of 300 m.
//!
//! Only what is written without a unit is looked at, and lengths and masses only next to the others
//! of the model: nothing is wrong with a large machine.

use crate::message::{Message, Place};
use core::f64::consts::PI;
use holonom_multibody::diagnostic::ThingKind;

/// A number of a model file, in SI units.
pub(super) struct Seen {
    pub place: Place,
    /// The thing it belongs to, such as `body "rod"`.
    pub subject: String,
    /// Kind of that thing, if it has a name.
    pub kind: Option<ThingKind>,
    /// The unit it has to have.
    pub unit: &'static str,
    pub value: f64,
    /// The file gives a unit.
    pub has_unit: bool,
}

/// The units that are looked at.
pub(super) const UNITS: [&str; 4] = ["rad", "m", "kg", "m/s²"];

/// Numbers at most that are kept to be looked at.
pub(super) const MOST_SEEN: usize = 100_000;

/// Remarks at most.
const MOST_REMARKS: usize = 12;

/// A length that is larger, without a unit, is looked at twice, m.
const LARGE: f64 = 20.0;

/// So many times the middle length or mass of the others are out of the ordinary.
const OUT_OF_ORDER: f64 = 100.0;

/// Densities of steel in kg/m³ as they stand in tables, which are sometimes taken for masses.
const STEEL: [f64; 5] = [7800.0, 7850.0, 7860.0, 7870.0, 7900.0];

/// Remarks about what looks like a forgotten unit.
pub(super) fn remarks(seen: &[Seen]) -> Vec<Message> {
    let mut remarks = Vec::new();
    angles(seen, &mut remarks);
    lengths(seen, &mut remarks);
    masses(seen, &mut remarks);
    gravity(seen, &mut remarks);
    remarks.truncate(MOST_REMARKS);
    remarks
}

fn remark(seen: &Seen, text: &str, help: String) -> Message {
    let text = format!("{}: {text}", seen.subject);
    Message::note(Some(seen.place.clone()), text).help(help)
}

fn is_round(x: f64) -> bool {
    (2.0 * x).fract() == 0.0
}

fn angles(seen: &[Seen], remarks: &mut Vec<Message>) {
    let angles = seen.iter().filter(|s| s.unit == "rad" && !s.has_unit);
    // Radians beyond half a turn are multiples of π or have decimals.
    for angle in angles.filter(|s| s.value.abs() > PI && is_round(s.value)) {
        let (x, turns) = (angle.value, angle.value / (2.0 * PI));
        remarks.push(remark(
            angle,
            &format!("an angle of {x} rad is {turns:.1} turns"),
            format!("write \"{x} deg\" if you mean degrees, or \"{x} rad\" to confirm radians"),
        ));
    }
}

/// The value in the middle.
fn median(values: &mut [f64]) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied()
}

fn lengths(seen: &[Seen], remarks: &mut Vec<Message>) {
    // Along roads and tracks, and for where things are, large numbers are usual.
    use ThingKind::{Body, Constraint, Force, Rod};
    let of_parts = |s: &&Seen| matches!(s.kind, Some(Body | Rod | Constraint | Force));
    let all: Vec<&Seen> = seen
        .iter()
        .filter(|s| s.unit == "m" && s.value != 0.0)
        .filter(of_parts)
        .collect();
    let mut usual: Vec<f64> = all.iter().map(|s| s.value.abs()).filter(|x| *x < LARGE).collect();
    let usual = median(&mut usual);
    for length in all.iter().filter(|s| !s.has_unit && s.value.abs() >= LARGE) {
        let x = length.value.abs();
        // Where there are no others, the whole model may be in millimetres.
        let odd = usual.is_none_or(|usual| x > OUT_OF_ORDER * usual);
        if odd {
            remarks.push(remark(
                length,
                &format!("a length of {x} m is unusually large for this model"),
                format!("write \"{x} mm\" if you mean millimetres, or \"{x} m\" to confirm metres"),
            ));
        }
    }
}

fn masses(seen: &[Seen], remarks: &mut Vec<Message>) {
    let all: Vec<&Seen> = seen.iter().filter(|s| s.unit == "kg" && s.value > 0.0).collect();
    let mut values: Vec<f64> = all.iter().map(|s| s.value).collect();
    let Some(usual) = median(&mut values) else { return };
    // Sorted by now: the heaviest goes last.
    let next = values.iter().rev().nth(1).copied();
    for mass in all.iter().filter(|s| !s.has_unit) {
        let x = mass.value;
        let help = format!("correct the mass, or write \"{x} kg\" to confirm it");
        if STEEL.contains(&x) {
            let text = format!("a mass of {x} kg is the density of steel in kg/m³");
            remarks.push(remark(mass, &text, help));
        } else if let Some(next) = next
            && values.len() >= 3
            && x > 10.0 * OUT_OF_ORDER * usual
            && x > OUT_OF_ORDER * next
        {
            let times = x / next;
            let text = format!("a mass of {x} kg is {times:.0} times that of the next heaviest body");
            remarks.push(remark(mass, &text, help));
        }
    }
}

fn gravity(seen: &[Seen], remarks: &mut Vec<Message>) {
    for g in seen.iter().filter(|s| s.unit == "m/s²" && !s.has_unit) {
        let x = g.value;
        if (900.0..1100.0).contains(&x.abs()) || (9_000.0..11_000.0).contains(&x.abs()) {
            remarks.push(remark(
                g,
                &format!(
                    "an acceleration of {x} m/s² looks like the acceleration of gravity in another unit"
                ),
                "give it in m/s², such as -9.81".to_string(),
            ));
        }
    }
}
