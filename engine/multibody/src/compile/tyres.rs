//! Roads and tyres.

use super::error::ModelError;
use super::names::GROUND;
use super::references::road_place;
use crate::description::{Carcass, Description, ForceKind, Mount};
use crate::elements::forces::Tyre;
use crate::model::Attachment;
use crate::road::{RoadKind, Surface};
use crate::tyre::tir::TirFile;
use crate::tyre::{MagicFormula, TyreLaw};

/// A road on its node.
#[derive(Clone, Debug)]
pub(super) struct CompiledRoad {
    pub name: String,
    frame: Attachment,
    surface: Surface,
    signs: [f64; 2],
    friction: f64,
}

/// All roads; the one without a name is the plane z = 0 of the ground.
pub(super) fn roads(
    description: &Description,
    frame: impl Fn(&str) -> Option<Attachment>,
    errors: &mut Vec<ModelError>,
) -> Vec<CompiledRoad> {
    let mut roads = Vec::with_capacity(description.roads.len() + 1);
    if let Some(frame) = frame(GROUND) {
        roads.push(CompiledRoad {
            name: String::new(),
            frame,
            surface: Surface::Flat,
            signs: [1.0; 2],
            friction: 1.0,
        });
    }
    for road in &description.roads {
        let mut fault = |reason: String| {
            errors.push(ModelError::BadData {
                place: road_place(&road.name),
                reason,
            });
        };
        if !(road.friction >= 0.0 && road.friction.is_finite()) {
            fault(format!(
                "the friction is {}, but must be zero or positive; correct it",
                road.friction
            ));
        }
        let surface = over_place(&road.kind)
            .and_then(|kind| Surface::new(&kind).map_err(|error| format!("{error}; correct it")));
        match (surface, frame(&road.frame)) {
            (Ok(surface), Some(frame)) => roads.push(CompiledRoad {
                name: road.name.clone(),
                frame,
                surface,
                signs: [road.reversed, road.swapped].map(|turned| if turned { -1.0 } else { 1.0 }),
                friction: road.friction,
            }),
            (Err(reason), _) => fault(reason),
            (Ok(_), None) => {}
        }
    }
    roads
}

/// The kind with its expressions over the variables that the surface gives them.
fn over_place(kind: &RoadKind) -> Result<RoadKind, String> {
    let over = |expression: &holonom_expression::Expression, names: &[&str]| {
        expression
            .over_variables(names)
            .map_err(|error| error.to_string())
    };
    Ok(match kind {
        RoadKind::Height { height } => RoadKind::Height {
            height: over(height, &["x", "y"])?,
        },
        RoadKind::Tracks { left, right, track } => RoadKind::Tracks {
            left: over(left, &["x"])?,
            right: over(right, &["x"])?,
            track: *track,
        },
        kind => kind.clone(),
    })
}

/// Checks the numbers of a tyre.
pub(super) fn check(kind: &ForceKind, place: &str, errors: &mut Vec<ModelError>) {
    let mut fault = |reason: String| {
        errors.push(ModelError::BadData {
            place: place.to_string(),
            reason,
        });
    };
    let (mount, numbers, carcass) = match kind {
        ForceKind::Tyre { mount, data } => {
            if let Err(reason) = magic_formula(&data.text) {
                let file = match data.name.as_str() {
                    "" => String::new(),
                    name => format!("`{name}`: "),
                };
                fault(format!("{file}{reason}"));
            }
            (mount, Vec::new(), None)
        }
        ForceKind::LinearTyre { mount, carcass, law } => {
            let not_negative = [law.friction_x, law.friction_y, law.nominal_load];
            if not_negative.iter().any(|x| *x < 0.0) {
                fault(
                    "friction coefficients and the nominal load must be zero or positive; correct them"
                        .into(),
                );
            }
            let numbers = vec![
                law.slip_stiffness,
                law.cornering_stiffness,
                law.camber_stiffness,
                law.nominal_load,
                law.friction_x,
                law.friction_y,
                law.trail,
            ];
            (mount, numbers, Some(carcass))
        }
        ForceKind::CalspanTyre { mount, carcass, law } => {
            if !(law.a2 > 0.0 && law.a4 > 0.0) {
                fault("the loads A2 and A4 (`a_two`, `a_four`) must be positive; correct them".into());
            } else if !(law.friction(0.0) > 0.0 && law.friction(law.a2) > 0.0) {
                fault("the friction must be positive from no load up to A2; correct B1, B3, B4 or the skid number".into());
            }
            let numbers = vec![
                law.a0,
                law.a1,
                law.a2,
                law.a3,
                law.a4,
                law.b1,
                law.b3,
                law.b4,
                law.skid,
                law.trail1,
                law.trail2,
                law.slip_stiffness,
            ];
            (mount, numbers, Some(carcass))
        }
        ForceKind::TmeasyTyre { mount, carcass, law } => {
            if let Some(reason) = law.fault() {
                fault(format!("{reason}; correct them"));
            }
            (mount, Vec::new(), Some(carcass))
        }
        _ => return,
    };
    if !(mount.enveloping >= 0.0 && mount.enveloping.is_finite()) {
        fault(format!(
            "the length of the enveloping is {}, but must be zero or positive; correct it",
            mount.enveloping
        ));
    }
    if numbers.iter().any(|x| !x.is_finite()) {
        fault("a number of the law is not finite; correct it".into());
    }
    if let Some(carcass) = carcass {
        check_carcass(carcass, &mut fault);
    }
}

fn check_carcass(carcass: &Carcass, fault: &mut impl FnMut(String)) {
    for (quantity, value, positive) in [
        ("radius", carcass.radius, true),
        ("stiffness", carcass.stiffness, true),
        ("stiffening", carcass.stiffening, false),
        ("damping", carcass.damping, false),
        ("rolling_radius", carcass.rolling_radius, false),
        ("rolling_resistance", carcass.rolling_resistance, false),
        ("relaxation_x", carcass.relaxation_x, false),
        ("relaxation_y", carcass.relaxation_y, false),
    ] {
        let good = if positive { value > 0.0 } else { value >= 0.0 };
        if !(good && value.is_finite()) {
            let bounds = if positive { "positive" } else { "zero or positive" };
            fault(format!(
                "`{quantity}` is {value}, but must be {bounds}; correct it"
            ));
        }
    }
}

fn magic_formula(text: &str) -> Result<MagicFormula, String> {
    let file = TirFile::parse(text).map_err(|error| error.to_string())?;
    let (tyre, _) = file.magic_formula().map_err(|error| error.to_string())?;
    Ok(tyre)
}

/// The element of a tyre that has been checked.
pub(super) fn tyre(kind: &ForceKind, wheel: Attachment, road: CompiledRoad) -> Option<Tyre> {
    let (mount, carcass, law): (&Mount, Carcass, TyreLaw) = match kind {
        ForceKind::Tyre { mount, data } => {
            let law = magic_formula(&data.text).ok()?;
            let [stiffness, stiffening] = law.vertical();
            let mut carcass = Carcass::new(law.unloaded_radius, stiffness);
            carcass.stiffening = stiffening;
            carcass.damping = law.vertical_damping;
            (mount, carcass, TyreLaw::MagicFormula(Box::new(law)))
        }
        ForceKind::LinearTyre { mount, carcass, law } => (mount, *carcass, TyreLaw::Linear(*law)),
        ForceKind::CalspanTyre { mount, carcass, law } => (mount, *carcass, TyreLaw::Calspan(*law)),
        ForceKind::TmeasyTyre { mount, carcass, law } => (mount, *carcass, TyreLaw::Tmeasy(law.clone())),
        _ => return None,
    };
    let law_is_mirrored = matches!(&law, TyreLaw::MagicFormula(law) if law.use_mode < 0.0);
    Some(Tyre {
        wheel,
        road: road.frame,
        surface: road.surface,
        signs: road.signs,
        friction: road.friction,
        carcass,
        law,
        mirrored: mount.mirrored != law_is_mirrored,
        enveloping: mount.enveloping,
    })
}
