//! Channels of constraints, force elements and controls.

use super::{AXES, Builder, force_unit, node_unit, open_note, sum_unit};
use crate::elements::constraints::{ConstraintElement, ConstraintLaw, Impact, PairRow};
use crate::elements::controls::ControlElement;
use crate::elements::forces::Reach;
use crate::elements::forces::seen::{self, Seen, What};
use crate::formalism::reactions::ReactionElement;
use crate::observable::Observable;

impl Builder<'_> {
    /// Reactions of constraints and rods that are no cut joints.
    pub(super) fn constraints(&mut self) {
        for (reaction, element) in ReactionElement::all(self.model).into_iter().enumerate() {
            let ReactionElement::Constraint(number) = element else {
                continue;
            };
            let constraint = &self.model.constraints[number];
            if !self.wants(&constraint.name) {
                continue;
            }
            self.own(Some("constraint"), &constraint.name);
            let row = constraint.rows.start;
            let known = self.uniqueness(reaction).map(|u| u.is_unique());
            match &constraint.element {
                ConstraintElement::Coordinates(sum) => {
                    let unit = force_unit(sum_unit(self.model, sum));
                    let what = match sum.signal {
                        Some(_) => "force or torque of the drive",
                        None => "force or torque on a coordinate with factor 1",
                    };
                    let text = format!("{what}{}", open_note(known));
                    let force = Observable::Multiplier { row, sign: -1.0 };
                    self.push("force", unit, text, force, 0);
                }
                ConstraintElement::Pair(pair) => {
                    if let [PairRow::Distance { .. }] = pair.rows[..] {
                        let text = format!("tensile force between the ends{}", open_note(known));
                        let tension = Observable::Multiplier { row, sign: 1.0 };
                        self.push("tension", "N", text, tension, 0);
                    }
                    self.reaction((reaction, element), pair.has_torque());
                }
                ConstraintElement::Impact(impact) => self.impact(impact, row),
                law => self.reaction((reaction, element), law.has_torque()),
            }
        }
    }

    fn impact(&mut self, impact: &Impact, row: usize) {
        let clearance = |order: usize| Observable::Clearance {
            impact: Box::new(impact.clone()),
            order,
        };
        let first = self.entries.len();
        let text = "distance to the plane".to_string();
        self.push("gap", "m", text, clearance(0), 0);
        self.usual(first);
        let text = "rate of the distance to the plane".to_string();
        self.push("gap.velocity", "m/s", text, clearance(1), 0);
        let first = self.entries.len();
        let text = "force on the body along the normal of the plane, between impacts".to_string();
        self.push("normal_force", "N", text, Observable::Contact { row }, 0);
        self.usual(first);
        let text = "1 while the contact is closed and pressed, 0 while it is open".to_string();
        self.push("closed", "1", text, Observable::Contact { row }, 1);
    }

    pub(super) fn control(&mut self, number: usize) {
        let control = &self.model.controls[number];
        self.own(Some("control"), &control.name);
        let text = format!("output of the control, {}", control.element.kind_name());
        let unit = match &control.element {
            ControlElement::Sensor(sensor) if sensor.factor == 1.0 => self.unit_of(&sensor.channel.name),
            _ => None,
        };
        let unit = unit.unwrap_or_else(|| "1".to_string());
        self.push("", &unit, text, Observable::Control { control: number }, 0);
        for state in control.states.clone() {
            let own = &self.model.states[state];
            let name = own.name.strip_prefix(&control.name).unwrap_or(&own.name);
            let name = name.trim_start_matches('.').to_string();
            self.push(
                &name,
                own.unit,
                own.doc.to_string(),
                Observable::State { state },
                0,
            );
        }
    }

    /// Unit of a channel listed so far, as it is called there or with its kind in front.
    fn unit_of(&self, channel: &str) -> Option<String> {
        let (kind, name) = match channel.split_once(':') {
            Some((kind, name)) => (Some(kind), name),
            None => (None, channel),
        };
        let mut entries = self.entries.iter().zip(&self.owners);
        let (entry, _) = entries
            .find(|(entry, owner)| entry.channel.name == name && (kind.is_none() || owner.kind == kind))?;
        Some(entry.channel.unit.clone())
    }

    pub(super) fn force(&mut self, number: usize) {
        let force = &self.model.forces[number];
        self.own(Some("force"), &force.name);
        let seen_of_it = Observable::Force { force: number };
        let on = match force.element.reach() {
            Reach::Frame(_) => "on the frame at its origin, in the ground's axes",
            _ => "on the second frame at its origin, in the ground's axes",
        };
        for Seen { name, what, place } in seen::list(&force.element) {
            let (unit, text) = match what {
                What::Shown { unit, doc } => {
                    // What is said for angles is that of displacements on slides.
                    let unit = match (force.element.reach(), unit) {
                        (Reach::Coordinates([first, _]), "rad") => node_unit(self.model, first),
                        (Reach::Coordinates([first, _]), "N m") => force_unit(node_unit(self.model, first)),
                        _ => unit,
                    };
                    (unit, doc.to_string())
                }
                What::Length => ("m", "distance between the ends".to_string()),
                What::Tension => ("N", "tensile force between the ends".to_string()),
                What::Angle => (
                    "rad",
                    "angle of the second frame about z of the first, in (-pi, pi]".to_string(),
                ),
                What::Moment => (
                    "N m",
                    "torque on the second frame about z of the first".to_string(),
                ),
                What::Generalised { node, second } => {
                    let both = matches!(force.element.reach(), Reach::Coordinates(_));
                    let which = match (both, second) {
                        (false, _) => "the coordinate",
                        (true, false) => "the first coordinate",
                        (true, true) => "the second coordinate",
                    };
                    self.generalised_force(node, which)
                }
                What::Vector { torque } => {
                    let (unit, word) = if torque { ("N m", "torque") } else { ("N", "force") };
                    self.push_all((name, &AXES), unit, &format!("{word} {on}"), &seen_of_it, place);
                    continue;
                }
            };
            self.push(name, unit, text, seen_of_it.clone(), place);
        }
        for state in force.states.clone() {
            let own = &self.model.states[state];
            let name = own.name.strip_prefix(&force.name).unwrap_or(&own.name);
            let name = name.trim_start_matches('.').to_string();
            self.push(
                &name,
                own.unit,
                own.doc.to_string(),
                Observable::State { state },
                0,
            );
        }
        let text = "power of the element on the mechanism".to_string();
        self.push("power", "W", text, Observable::Power { force: number }, 0);
        if force.element.stores_energy() {
            let text = "energy stored in the element".to_string();
            self.push("energy", "J", text, Observable::Stored { force: number }, 0);
        }
    }

    /// Unit and meaning of the force of an element on the coordinate of a node.
    fn generalised_force(&self, node: usize, coordinate: &str) -> (&'static str, String) {
        let text = match self.model.tree.nodes[node].prescribed {
            Some(_) => {
                format!("force or torque on the prescribed {coordinate}, which its drive must counteract")
            }
            None => format!("force or torque on {coordinate}"),
        };
        (force_unit(node_unit(self.model, node)), text)
    }
}
