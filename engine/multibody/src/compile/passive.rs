//! Springs, stops, contacts and drives on the nodes, and what may be wrong with them.

use super::attach::Attach;
use super::error::ModelError;
use crate::description::ForceKind;
use crate::elements::forces::faults::{Fault, Faults};
use crate::elements::forces::{
    Actuator, AirSpring, AntiRollBar, BumpStop, Bushing, CylinderContact, ForceElement, JointAntiRollBar,
    JointStop, NonlinearJointSpring, NonlinearSpring, PlaneContact, Servo, SphereContact, joint_stop_faults,
    sphere_contact_faults,
};

impl Attach<'_, '_> {
    /// The element of a kind of this file; none of another one, and where something it refers to
    /// does not exist, which has been reported.
    pub(super) fn passive(&mut self, place: &str, kind: &ForceKind) -> Option<ForceElement> {
        Some(match kind {
            ForceKind::NonlinearSpring { from, to, law } => {
                NonlinearSpring::new(self.frame(from)?, self.frame(to)?, law.compiled()?).into()
            }
            ForceKind::NonlinearJointSpring { coordinate, law } => NonlinearJointSpring {
                node: self.coordinate(coordinate, place, true)?.1,
                curves: law.compiled()?,
            }
            .into(),
            ForceKind::Bushing { from, to, law } => {
                Bushing::new(self.frame(from)?, self.frame(to)?, law)?.into()
            }
            ForceKind::AntiRollBar {
                bar,
                left,
                right,
                law,
            } => AntiRollBar {
                bar: self.frame(bar)?,
                left: self.frame(left)?,
                right: self.frame(right)?,
                law: *law,
            }
            .into(),
            ForceKind::JointAntiRollBar { left, right, law } => {
                // Both are looked at, so that both are reported.
                let nodes = [left, right].map(|side| self.coordinate(side, place, true));
                let [Some((_, left)), Some((_, right))] = nodes else {
                    return None;
                };
                JointAntiRollBar {
                    nodes: [left, right],
                    law: *law,
                }
                .into()
            }
            ForceKind::AirSpring { from, to, law } => {
                AirSpring::new(self.frame(from)?, self.frame(to)?, law)?.into()
            }
            ForceKind::BumpStop {
                from,
                to,
                length,
                rebound,
                law,
            } => BumpStop {
                from: self.frame(from)?,
                to: self.frame(to)?,
                length: *length,
                rebound: *rebound,
                law: *law,
            }
            .into(),
            ForceKind::JointStop {
                coordinate,
                lower,
                upper,
                law,
            } => JointStop {
                node: self.coordinate(coordinate, place, true)?.1,
                lower: *lower,
                upper: *upper,
                law: *law,
            }
            .into(),
            ForceKind::PlaneContact {
                plane,
                body,
                shape,
                law,
            } => PlaneContact {
                plane: self.frame(plane)?,
                body: self.frame(body)?,
                shape: *shape,
                law: *law,
            }
            .into(),
            ForceKind::SphereContact { from, to, radii, law } => SphereContact {
                from: self.frame(from)?,
                to: self.frame(to)?,
                radii: *radii,
                law: *law,
            }
            .into(),
            ForceKind::CylinderContact {
                from,
                to,
                cylinders,
                law,
            } => CylinderContact {
                from: self.frame(from)?,
                to: self.frame(to)?,
                cylinders: *cylinders,
                law: *law,
            }
            .into(),
            ForceKind::Actuator {
                from,
                to,
                force,
                torque,
            } => Actuator {
                from: self.frame(from)?,
                to: self.frame(to)?,
                force: force.clone(),
                torque: torque.clone(),
            }
            .into(),
            ForceKind::Servo {
                coordinate,
                target,
                law,
            } => Servo {
                node: self.coordinate(coordinate, place, true)?.1,
                target: target.clone(),
                law: *law,
            }
            .into(),
            // Named, so that a new kind cannot be forgotten.
            ForceKind::Applied { .. }
            | ForceKind::SpringDamper { .. }
            | ForceKind::TorsionSpring { .. }
            | ForceKind::JointSpring { .. }
            | ForceKind::User { .. }
            | ForceKind::Expression { .. }
            | ForceKind::Maxwell { .. }
            | ForceKind::JointFriction { .. }
            | ForceKind::Creep { .. }
            | ForceKind::Tyre { .. }
            | ForceKind::LinearTyre { .. }
            | ForceKind::CalspanTyre { .. }
            | ForceKind::TmeasyTyre { .. } => return None,
        })
    }
}

/// What is wrong with the numbers of a kind of this file.
pub(super) fn check(kind: &ForceKind, place: &str, errors: &mut Vec<ModelError>) {
    let faults = match kind {
        ForceKind::NonlinearSpring { law, .. } => law.faults("free_length"),
        ForceKind::NonlinearJointSpring { law, .. } => law.faults("free_position"),
        ForceKind::Bushing { law, .. } => law.faults(),
        ForceKind::AntiRollBar { law, .. } => law.faults(),
        ForceKind::JointAntiRollBar { left, right, law } => law.faults(left == right),
        ForceKind::AirSpring { law, .. } => law.faults(),
        ForceKind::BumpStop { length, law, .. } => {
            let mut faults = law.faults();
            faults.positive("length", *length);
            faults
        }
        ForceKind::JointStop {
            lower, upper, law, ..
        } => joint_stop_faults(*lower, *upper, law),
        ForceKind::PlaneContact { shape, law, .. } => shape.faults(law),
        ForceKind::SphereContact { radii, law, .. } => sphere_contact_faults(*radii, law),
        ForceKind::CylinderContact { cylinders, law, .. } => cylinders.faults(law),
        ForceKind::Actuator { force, torque, .. } => {
            let mut faults = Faults::default();
            faults.signal("force", force);
            faults.signal("torque", torque);
            faults
        }
        ForceKind::Servo { target, law, .. } => law.faults(target),
        ForceKind::Creep { data, .. } => data.faults(),
        ForceKind::Applied { .. }
        | ForceKind::SpringDamper { .. }
        | ForceKind::TorsionSpring { .. }
        | ForceKind::JointSpring { .. }
        | ForceKind::User { .. }
        | ForceKind::Expression { .. }
        | ForceKind::Maxwell { .. }
        | ForceKind::JointFriction { .. }
        | ForceKind::Tyre { .. }
        | ForceKind::LinearTyre { .. }
        | ForceKind::CalspanTyre { .. }
        | ForceKind::TmeasyTyre { .. } => Faults::default(),
    };
    let place = || place.to_string();
    errors.extend(faults.0.into_iter().map(|fault| match fault {
        Fault::NotFinite { field } => ModelError::NotFinite {
            place: place(),
            quantity: format!("`{field}`"),
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
    }));
}
