//! Switches of expressions: the sides on which a run keeps them.

use super::Equations;
use super::memory::EquationsWorkspace;
use crate::elements::forces::MOST_LAW_INPUTS;
use crate::model::Model;
use crate::workspace::Workspace;
use holonom_dae::{Event, Point, Turn, Turned};
use holonom_expression::switches::{Side, SwitchKind};

/// Part of the size of a function that counts as rounding where no tolerance tells what is small.
const ROUNDING: f64 = 1e-9;

/// Half the width of the band within which a switch slides, in tolerances: errors must be small against it, since the
/// place in the band tells the value of the switch.
const BAND: f64 = 10.0;

/// Part of that half width within which a switch that comes back has not moved away at all: the equations of the side to
/// which it went lead straight back.
const AT_ONCE: f64 = 1e-4;

/// Whether a switch slides that comes to its border from a side on which it was kept.
///
/// It does where both sides lead back at once, Filippov's condition. A stiff wall leads back soon, but not at once: a
/// penetration, however small, is a motion to be followed as long as it can be told from rounding. From the edge of its
/// band a switch has moved away by one half width when it leaves; coming back it goes on sliding.
fn comes_to_slide(excursion: f64, before: f64, slid: bool, width: f64) -> bool {
    if slid {
        excursion <= 2.0 * width
    } else {
        excursion.min(before) <= AT_ONCE * width && excursion <= 2.0 * width
    }
}

/// Arguments of all switches in the scene at hand, whose controls are evaluated.
fn arguments(model: &Model, work: &mut Workspace<f64>, arguments: &mut [f64]) {
    let scene = work.known.scene(model);
    // Switches of one element stand together.
    let mut known = None;
    let mut inputs = [f64::NAN; MOST_LAW_INPUTS];
    for (argument, switch) in arguments.iter_mut().zip(&model.switches) {
        let function = &switch.switch.function;
        let Some(law) = switch.law else {
            *argument = function.evaluate_on(scene.controls, scene.sides);
            continue;
        };
        if known != Some(law.force) {
            known = Some(law.force);
            model.forces[law.force].element.law_inputs(&scene, &mut inputs);
        }
        *argument = function.evaluate_on(&inputs[law.first..], scene.sides);
    }
}

impl Equations {
    pub(super) fn switch_events(&self) -> impl Iterator<Item = Event> {
        self.model.switches.iter().map(|switch| Event::new(&switch.name))
    }

    /// Numbers of the switches among the discrete variables: the last ones.
    fn sides_begin(&self, discrete: &[f64]) -> usize {
        discrete.len() - self.model.sides()
    }

    /// Whether the switch of an event slides.
    pub(super) fn switch_slides(&self, event: usize, discrete: &[f64]) -> bool {
        let sides = &discrete[self.sides_begin(discrete)..];
        let switch = event.checked_sub(self.contacts.len());
        switch.is_some_and(|k| matches!(Side::of(sides, k), Side::Slides { .. }))
    }

    /// Arguments of the switches in a state.
    fn switch_arguments(
        &self,
        at: Point<'_, f64>,
        work: &mut EquationsWorkspace<f64>,
        sides: &[f64],
        out: &mut [f64],
    ) {
        let (model, l, w) = (&*self.model, self.layout(), &mut work.mechanism);
        w.set_sides(sides);
        w.set_time(model, at.t);
        w.set_positions(model, &at.y[l.q.clone()]);
        w.set_velocities(model, &at.y[l.v.clone()]);
        w.set_states(&at.y[l.x.clone()]);
        w.set_multipliers(model, &work.active, &at.y[l.lambda.clone()]);
        w.set_readings(&at.y[l.readings.clone()]);
        w.evaluate_controls(model);
        arguments(model, w, out);
        holonom_expression::curve::forget_refusal();
    }

    /// Event functions of the switches.
    pub(super) fn switch_margins(
        &self,
        at: Point<'_, f64>,
        work: &mut EquationsWorkspace<f64>,
        margins: &mut [f64],
    ) {
        if margins.is_empty() {
            return;
        }
        let sides = &at.discrete[self.sides_begin(at.discrete)..];
        self.switch_arguments(at, work, sides, margins);
        for (k, (margin, switch)) in margins.iter_mut().zip(&self.model.switches).enumerate() {
            *margin = switch.switch.kind.margin(Side::of(sides, k), *margin);
        }
    }

    pub(super) fn turn_switches(
        &self,
        turn: Turn,
        at: Point<'_, f64>,
        aside: [&[f64]; 2],
        work: &mut EquationsWorkspace<f64>,
        discrete: &mut [f64],
    ) -> Turned {
        let switches = &self.model.switches;
        let first = self.sides_begin(discrete);
        let sides = &mut discrete[first..];
        if turn == Turn::Settle {
            // Inner ones decide on the arguments of outer ones.
            sides.copy_from_slice(&Side::LIVE.repeat(switches.len()));
        }
        if let Turn::Assume { event, side } = turn {
            let k = event - self.contacts.len();
            let at = Side::NUMBERS * k;
            let kept = switches[k].switch.kind.assumed(Side::of(sides, k), side);
            sides[at..at + Side::NUMBERS].copy_from_slice(&kept.numbers());
            return Turned::Other;
        }
        let mut here = vec![0.0; switches.len()];
        self.switch_arguments(at, work, sides, &mut here);
        let beside = aside.map(|y| {
            let mut beside = here.clone();
            let near = Point::new(at.t, y, at.yp, at.discrete);
            self.switch_arguments(near, work, sides, &mut beside);
            beside
        });
        let width = |k: usize| {
            let change = beside.each_ref().map(|x| (x[k] - here[k]).abs());
            let noticed = BAND * change[0].max(change[1]);
            let rounding = ROUNDING * here[k].abs().max(beside[0][k].abs());
            if noticed > rounding {
                noticed
            } else {
                rounding.max(ROUNDING)
            }
        };
        let mut put = |k: usize, side: Side| {
            let at = Side::NUMBERS * k;
            sides[at..at + Side::NUMBERS].copy_from_slice(&side.numbers());
        };
        match turn {
            Turn::Settle => {
                for (k, switch) in switches.iter().enumerate() {
                    let (kind, x) = (switch.switch.kind, here[k]);
                    put(
                        k,
                        match kind {
                            // At rest it is neither of its sides.
                            SwitchKind::Sign if x == 0.0 => kind.sliding(x, width(k)),
                            _ => Side::Kept(kind.side(x)),
                        },
                    );
                }
                Turned::Other
            }
            // Has been done above.
            Turn::Assume { .. } => Turned::Other,
            Turn::Cross {
                event,
                excursion,
                before,
                slid,
                way,
            } => {
                let k = event - self.contacts.len();
                let kind = switches[k].switch.kind;
                let side = Side::of(&at.discrete[first..], k);
                if matches!(side, Side::Kept(_)) && comes_to_slide(excursion, before, slid, width(k)) {
                    put(k, kind.sliding(here[k], width(k)));
                    return Turned::Slides;
                }
                let next = match side {
                    Side::Slides { .. } if way != 0.0 => kind.assumed(side, way),
                    _ => kind.turned(side, here[k]),
                };
                put(k, next);
                match side {
                    Side::Slides { .. } => Turned::Left,
                    _ => Turned::Other,
                }
            }
        }
    }
}
