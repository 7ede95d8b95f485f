//! Spring and damper between two points.

use super::line::Line;
use super::{ForceInfo, ForceLaw, Reach};
use crate::description::include::same_force;
use crate::description::fields::{FROM, Field, Fields, TO};
use crate::description::ForceKind;
use crate::elements::scene::{Loads, Scene};
use crate::model::Attachment;
use holonom_algebra::Real;

/// The entry of the registry.
pub(super) const FORCE: ForceInfo = ForceInfo {
    name: "spring-damper",
    doc: "Spring and damper between the origins of two frames.",
    in_files: true,
    template,
    fields,
    mirror: same_force,
};

fn template() -> ForceKind {
    ForceKind::SpringDamper {
        from: String::new(),
        to: String::new(),
        stiffness: 0.0,
        damping: 0.0,
        free_length: 0.0,
        preload: 0.0,
    }
}

fn fields(kind: &mut ForceKind, visitor: &mut dyn Fields) {
    let ForceKind::SpringDamper { from, to, stiffness, damping, free_length, preload } = kind else {
        return;
    };
    visitor.frame(&FROM, from);
    visitor.frame(&TO, to);
    visitor.number(&Field::required("stiffness", "N/m", "Stiffness of the spring."), stiffness);
    visitor.number(&Field::optional("damping", "N s/m", "Damping along the line between the ends."), damping);
    visitor.number(&Field::required("free_length", "m", "Length at zero spring force."), free_length);
    visitor.number(&Field::optional("preload", "N", "Additional constant tension."), preload);
}

/// Tension k (ℓ − ℓ₀) + c ℓ̇ + F₀ along the line between two origins, with ℓ their distance.
///
/// At ℓ = 0 the line has no direction and there is no force; a spring with ℓ₀ = F₀ = 0 has the
/// right derivatives there, too.
#[derive(Clone, Debug)]
pub struct SpringDamper {
    /// First end.
    pub from: Attachment,
    /// Second end.
    pub to: Attachment,
    /// Stiffness k.
    pub stiffness: f64,
    /// Damping c.
    pub damping: f64,
    /// Length ℓ₀ without force of the spring.
    pub free_length: f64,
    /// Additional tension F₀.
    pub preload: f64,
}

impl ForceLaw for SpringDamper {
    fn evaluate<T: Real>(&self, scene: &Scene<T>, loads: &mut Loads<T>) {
        let line = Line::new(scene, &self.from, &self.to);
        // k d is kept apart: it needs no direction.
        let rest = line.rate * self.damping + (self.preload - self.stiffness * self.free_length);
        let pull = line.span.scale(self.stiffness) + line.direction.scale(rest);
        line.push(-pull, loads);
    }

    fn energy<T: Real>(&self, scene: &Scene<T>) -> Option<T> {
        let length = Line::length(scene, &self.from, &self.to);
        let spring = (length - self.free_length).square() * (0.5 * self.stiffness);
        Some(spring + length * self.preload)
    }

    fn reach(&self) -> Reach<'_> {
        Reach::Line(&self.from, &self.to)
    }
}
