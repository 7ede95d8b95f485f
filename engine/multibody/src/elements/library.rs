//! The kinds of elements that a program knows: those here and its own.

use super::constraints::{self, CONSTRAINTS, ConstraintInfo, DescribedConstraint};
use super::controls::{self, CONTROLS, ControlInfo, DescribedControl};
use super::forces::{self, DescribedForce, FORCES, ForceInfo};
use crate::fields::{Fields, note};
use thiserror::Error;

/// The kinds of forces, constraints and controls that model files may name.
///
/// It is passed by value to what reads and lists them; a program with kinds of its own adds them to the standard ones.
///
/// ```
/// use holonom_multibody::elements::Library;
/// let library = Library::standard();
/// assert!(library.forces().any(|force| force.name == "spring-damper"));
/// ```
#[derive(Clone, Debug)]
pub struct Library {
    forces: Vec<&'static ForceInfo>,
    constraints: Vec<&'static ConstraintInfo>,
    controls: Vec<&'static ControlInfo>,
}

/// Why a kind cannot be added to a library.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum LibraryError {
    /// Another kind has its name.
    #[error("there is a kind of {sort} \"{name}\" already; give the new one another name")]
    NameTaken {
        /// Force, constraint or control.
        sort: &'static str,
        /// The name.
        name: &'static str,
    },
    /// A name that model files cannot have.
    #[error(
        "\"{name}\" is no name for a kind of {sort}: use lower-case letters, digits and hyphens, a letter first"
    )]
    Name {
        /// Force, constraint or control.
        sort: &'static str,
        /// The name.
        name: &'static str,
    },
    /// A field that model files cannot have.
    #[error("the {sort} \"{name}\" has the field `{field}`, which {reason}; give the field another name")]
    Field {
        /// Force, constraint or control.
        sort: &'static str,
        /// Name of the kind.
        name: &'static str,
        /// The field.
        field: &'static str,
        /// What is wrong with it.
        reason: &'static str,
    },
}

impl Default for Library {
    fn default() -> Self {
        Self::standard()
    }
}

impl Library {
    /// The kinds of this crate.
    pub fn standard() -> Self {
        Self {
            forces: FORCES.to_vec(),
            constraints: CONSTRAINTS.to_vec(),
            controls: CONTROLS.to_vec(),
        }
    }

    /// Adds a kind of force element: `with_force::<MyForce<Named>>()`.
    ///
    /// # Errors
    /// If a name is taken or cannot be written in model files.
    pub fn with_force<F: DescribedForce + Send + Sync + 'static>(mut self) -> Result<Self, LibraryError> {
        let info = forces::info::<F>();
        let taken = self.forces.iter().any(|known| known.name == info.name);
        check("force", info.name, taken, |visitor| F::default().fields(visitor))?;
        self.forces.push(info);
        Ok(self)
    }

    /// Adds a kind of constraint: `with_constraint::<MyConstraint<Named>>()`.
    ///
    /// # Errors
    /// If a name is taken or cannot be written in model files.
    pub fn with_constraint<C>(mut self) -> Result<Self, LibraryError>
    where
        C: DescribedConstraint + Send + Sync + 'static,
    {
        let info = constraints::info::<C>();
        let taken = self.constraints.iter().any(|known| known.name == info.name);
        check("constraint", info.name, taken, |visitor| {
            C::default().fields(visitor)
        })?;
        self.constraints.push(info);
        Ok(self)
    }

    /// Adds a kind of control: `with_control::<MyControl<Named>>()`.
    ///
    /// # Errors
    /// If a name is taken or cannot be written in model files.
    pub fn with_control<C: DescribedControl + Send + Sync + 'static>(mut self) -> Result<Self, LibraryError> {
        let info = controls::info::<C>();
        let taken = self.controls.iter().any(|known| known.name == info.name);
        check("control", info.name, taken, |visitor| {
            C::default().fields(visitor)
        })?;
        self.controls.push(info);
        Ok(self)
    }

    /// All kinds of force elements.
    pub fn forces(&self) -> impl Iterator<Item = &'static ForceInfo> {
        self.forces.iter().copied()
    }

    /// All kinds of constraints besides joints.
    pub fn constraints(&self) -> impl Iterator<Item = &'static ConstraintInfo> {
        self.constraints.iter().copied()
    }

    /// All kinds of controls.
    pub fn controls(&self) -> impl Iterator<Item = &'static ControlInfo> {
        self.controls.iter().copied()
    }
}

/// The fields of all elements in model files.
const RESERVED: [&str; 2] = ["name", "kind"];

fn check(
    sort: &'static str,
    name: &'static str,
    taken: bool,
    fields: impl FnOnce(&mut dyn Fields),
) -> Result<(), LibraryError> {
    let letter = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    if !(name.starts_with(|c: char| c.is_ascii_lowercase()) && name.chars().all(letter)) {
        return Err(LibraryError::Name { sort, name });
    }
    if taken {
        return Err(LibraryError::NameTaken { sort, name });
    }
    let mut seen: Vec<&str> = RESERVED.to_vec();
    for noted in note(fields) {
        let field = noted.field.name;
        let bare = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let reason = match field {
            _ if RESERVED.contains(&field) => "every element has",
            _ if seen.contains(&field) => "it shows twice",
            "" => "has no name",
            _ if !field.chars().all(bare) => "model files cannot have as a key",
            _ => {
                seen.push(field);
                continue;
            }
        };
        return Err(LibraryError::Field {
            sort,
            name,
            field,
            reason,
        });
    }
    Ok(())
}
