//! How a mechanism is assembled, and why it cannot be.

use super::open::OpenLoop;
use super::report::Level;
use crate::diagnostic::Diagnostic;
use core::fmt;
use holonom_dae::Rejection;

/// Relative error of data that are printed with six digits.
pub const DATA_PRECISION: f64 = 1e-6;

/// How a mechanism is assembled.
#[derive(Clone, Debug, PartialEq)]
pub struct AssemblyOptions {
    /// Start time, s.
    pub time: f64,
    /// Close loops and correct velocities. When off, start values that do not fit are an error.
    pub assemble: bool,
    /// Gap of a closed loop: rad, or parts of the mechanism's size.
    pub tolerance: f64,
    /// Gap, and speed of a gap, that start values may have when nothing is corrected.
    pub check_tolerance: f64,
    /// Relative error of the data: of lengths in parts of the loop's length, of directions in rad. Rows that
    /// conflict by no more than it explains are redundant.
    pub data_precision: f64,
    /// How many other starts are tried when loops do not close from the given one.
    pub other_starts: usize,
    /// Positions to start from instead of those of the model.
    pub positions: Option<Vec<f64>>,
    /// Velocities to start from instead of those of the model.
    pub velocities: Option<Vec<f64>>,
}

impl Default for AssemblyOptions {
    fn default() -> Self {
        Self {
            time: 0.0,
            assemble: true,
            tolerance: 1e-12,
            check_tolerance: 1e-8,
            data_precision: DATA_PRECISION,
            other_starts: 36,
            positions: None,
            velocities: None,
        }
    }
}

/// A coordinate that assembly changed.
#[derive(Clone, Debug, PartialEq)]
pub struct MovedCoordinate {
    /// Its name.
    pub name: String,
    /// Value as described.
    pub from: f64,
    /// Value after assembly.
    pub to: f64,
    /// Whether the value before was stated.
    pub stated: bool,
}

impl fmt::Display for MovedCoordinate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let change = self.to - self.from;
        write!(
            f,
            "{}: {:.6} -> {:.6} ({change:+.3e})",
            self.name, self.from, self.to
        )
    }
}

/// Why a mechanism could not be assembled.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{}", Diagnostic::from(self))]
pub enum AssemblyError {
    /// No position was found that closes all loops.
    CannotClose {
        /// The loops that stay open where the gaps are smallest, the worst first.
        loops: Vec<OpenLoop>,
    },
    /// The start values do not fit and assembly is off.
    Inconsistent {
        /// Positions or velocities.
        level: Level,
        /// What is not satisfied, the worst first.
        loops: Vec<OpenLoop>,
    },
    /// Joints close only with their axes opposite or turned, or half a turn off their thread.
    TurnedOver {
        /// The joints.
        joints: Vec<String>,
    },
    /// Fixed initial values contradict the constraints.
    Fixed {
        /// Positions or velocities.
        level: Level,
        /// Fixed values, with what the constraints need instead.
        fixed: Vec<MovedCoordinate>,
        /// What is not satisfied, the worst first.
        loops: Vec<OpenLoop>,
    },
    /// Constraints depend on each other but ask for different things.
    Contradiction {
        /// Where they contradict.
        level: Level,
        /// What is not satisfied, the worst first.
        loops: Vec<OpenLoop>,
    },
    /// Start values of the wrong number.
    WrongSize {
        /// Positions or velocities.
        what: &'static str,
        /// How many were given.
        found: usize,
        /// How many there are.
        expected: usize,
    },
    /// The mechanism cannot be evaluated at the assembled position.
    Rejected(Rejection),
    /// What a sensor reads of accelerations, reactions or totals depends on itself with gain 1.
    SensorRing {
        /// The sensor.
        sensor: String,
        /// What it reads.
        channel: String,
    },
    /// A control that begins with what it sees sees itself.
    NoPast {
        /// The control.
        control: String,
    },
    /// A body is behind the plane that it can only hit.
    Penetration {
        /// The impact.
        constraint: String,
        /// How deep, m.
        depth: f64,
    },
    /// A body touches a plane at the start and moves into it.
    HitAtStart {
        /// The impact.
        constraint: String,
        /// Speed of the approach, m/s.
        speed: f64,
        /// Speed up to which it would rest, m/s.
        rest_speed: f64,
    },
}

impl From<&AssemblyError> for Diagnostic {
    fn from(error: &AssemblyError) -> Self {
        use AssemblyError as E;
        match error {
            E::CannotClose { loops } => Self::sentence(format!("cannot close {}", list(loops))).remedy(
                "check the lengths and markers of these loops, check that drivers and prescribed coordinates do \
                 not require a position out of reach, or give initial values closer to the closed position",
            ),
            E::Inconsistent { level, loops } => {
                Self::sentence(format!("the initial {level} do not satisfy {}", list(loops)))
                    .remedy("correct them, or set `assemble = true`")
            }
            E::TurnedOver { joints } => Self::sentence(format!(
                "{} only in a flipped position, in which axes that should coincide are opposite or exchanged, or \
                 a screw is half a turn off its thread",
                turned(joints)
            ))
            .remedy("start closer to the intended position, give a start hint, or check the markers"),
            E::Fixed {
                level,
                fixed,
                loops,
            } => Self::sentence(format!(
                "the fixed initial {level} contradict {} ({})",
                list(loops),
                needed(fixed)
            ))
            .remedy("correct them, or do not fix all of them"),
            E::Contradiction { level, loops } => Self::sentence(format!(
                "the constraints contradict each other in the {level}; not satisfied: {}. Two drivers may move \
                 the same coordinate, or the mechanism is locked in a singular position",
                list(loops)
            ))
            .remedy("remove one of the constraints or change the geometry"),
            E::WrongSize {
                what,
                found,
                expected,
            } => Self::sentence(format!(
                "{found} {what} were given, but the mechanism has {expected}"
            )),
            E::Rejected(rejection) => Self::sentence(format!(
                "the accelerations at the start cannot be computed ({rejection}): a body without mass or inertia \
                 may be able to move on its own"
            ))
            .remedy("give it mass and inertia"),
            E::SensorRing { sensor, channel } => Self::sentence(format!(
                "sensor \"{sensor}\" reads {channel}, which depends on forces that depend on the sensor: this \
                 algebraic loop has gain 1 and no unique solution at the start"
            ))
            .remedy(
                "change the gain, or insert a `lag` or another filter between the sensor and the force",
            ),
            E::NoPast { control } => Self::sentence(format!(
                "control \"{control}\" is initialised from its input at the start, which depends on its own \
                 output in a loop with too much gain"
            ))
            .remedy("insert a `lag` in the loop"),
            E::Penetration { constraint, depth } => Self::sentence(format!(
                "impact `{constraint}` starts {depth:.3e} m behind its plane"
            ))
            .remedy("move the body to the side to which z of the plane points, or correct the radius"),
            E::HitAtStart {
                constraint,
                speed,
                rest_speed,
            } => Self::sentence(format!(
                "impact `{constraint}` is in contact at the start and approaches at {speed:.3e} m/s, faster than \
                 its rest speed of {rest_speed:.3e} m/s"
            ))
            .remedy("start before the impact, or with the velocity after it"),
        }
    }
}

fn turned(joints: &[String]) -> String {
    let names: Vec<String> = joints.iter().map(|joint| format!("`{joint}`")).collect();
    match names.as_slice() {
        [one] => format!("joint {one} closes"),
        all => format!("joints {} close", all.join(", ")),
    }
}

fn needed(fixed: &[MovedCoordinate]) -> String {
    let word = |m: &MovedCoordinate| {
        // As many digits as tell the two apart.
        let apart = (m.to - m.from).abs();
        let digits = if apart > 0.0 {
            (1.0 - apart.log10().floor()).clamp(6.0, 15.0) as usize
        } else {
            6
        };
        format!(
            "`{}` is fixed at {:.digits$}, but {:.digits$} would fit",
            m.name, m.from, m.to
        )
    };
    let mut text: Vec<String> = fixed.iter().take(5).map(word).collect();
    if fixed.len() > 5 {
        text.push(format!("{} more", fixed.len() - 5));
    }
    let text = text.join(", ");
    // The values belong to one position.
    if fixed.len() > 1 {
        format!("{text}, all of these together")
    } else {
        text
    }
}

fn list(loops: &[OpenLoop]) -> String {
    let mut text: Vec<String> = loops.iter().take(5).map(OpenLoop::to_string).collect();
    if loops.len() > 5 {
        text.push(format!("{} more", loops.len() - 5));
    }
    text.join(", ")
}
