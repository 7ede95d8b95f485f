//! How near sliding switches are to leaving their borders.
//!
//! Within its band the place of a switch tells the value that balances the forces, but no better than the tolerance
//! tells the place: a tenth of the band. The forces tell it exactly. With the rates h₊ and h₋ at which the switching
//! function h grows with the switch on either side, the solution slides as long as h₊ < 0 < h₋ [Filippov 1988, §4].

use super::dormand_prince::Rates;
use crate::equations::Equations;
use holonom_dae::{System, Turn};

/// Part of the rates by which they must differ between both sides: where the switch acts on a higher derivative of its
/// function only, the band decides.
const JUMP: f64 = 1e-3;

/// Room to look at the forces on both sides of sliding switches.
pub struct Sliding {
    /// None where derivatives cannot be evaluated.
    rates: Option<Rates>,
    sides: Vec<f64>,
    slopes: Vec<f64>,
    moved: Vec<f64>,
    values: Vec<f64>,
    /// The sides to which the forces have led away last, 1 or −1, by event; 0 where the band has decided.
    ways: Vec<f64>,
}

impl Sliding {
    pub fn new(system: &mut dyn System) -> Self {
        let n = system.structure().dimension();
        let (events, discrete) = (system.events().len(), system.discrete().len());
        let rates = (system.switches() > 0).then(|| Rates::new(system).ok());
        Self {
            rates: rates.flatten(),
            sides: vec![0.0; discrete],
            slopes: vec![0.0; n],
            moved: vec![0.0; n],
            values: vec![0.0; events],
            ways: vec![0.0; events],
        }
    }

    /// The side to which the forces lead the switch of an event away from its border, 1 or −1; 0 where they do not tell.
    pub fn way(&self, event: usize) -> f64 {
        self.ways[event]
    }

    /// Puts the shares of the way from the balance at hand to the nearer side in place of the margins of switches that
    /// slide: 1 in the middle, negative where the forces lead away from the border. `moment` is a time that is short
    /// against the motion.
    pub fn correct(
        &mut self,
        equations: &mut Equations<'_>,
        (t, moment): (f64, f64),
        y: &[f64],
        slides: &[bool],
        margins: &mut [f64],
    ) {
        let first = margins.len() - slides.len();
        for (k, _) in slides.iter().enumerate().filter(|(_, slides)| **slides) {
            let event = first + k;
            self.sides.copy_from_slice(equations.system.discrete());
            let back = [1.0, -1.0].map(|side| self.leads_back(equations, (t, moment), y, (event, side)));
            equations.system.discrete_mut().copy_from_slice(&self.sides);
            let decided = match back {
                [Some(above), Some(below)] if above + below > JUMP * (above.abs() + below.abs()) => {
                    Some((2.0 * above.min(below) / (above + below), (below - above).signum()))
                }
                _ => None,
            };
            if let Some((margin, _)) = decided {
                margins[event] = margin;
            }
            if margins[event] < 0.0 {
                self.ways[event] = decided.map_or(0.0, |(_, way)| way);
            }
        }
    }

    /// The rate at which the equations with a switch on a side lead it back to its border.
    fn leads_back(
        &mut self,
        equations: &mut Equations<'_>,
        (t, moment): (f64, f64),
        y: &[f64],
        (event, side): (usize, f64),
    ) -> Option<f64> {
        let rates = self.rates.as_mut()?;
        let assume = Turn::Assume { event, side };
        equations.system.turn(assume, t, y, &self.slopes, [y, y]);
        rates.evaluate(equations, t, y, &mut self.slopes).ok()?;
        let system = &mut *equations.system;
        system.event_values(t, y, &self.slopes, &mut self.values);
        let here = self.values[event];
        for ((moved, y), slope) in self.moved.iter_mut().zip(y).zip(&self.slopes) {
            *moved = y + moment * slope;
        }
        system.event_values(t + moment, &self.moved, &self.slopes, &mut self.values);
        let rate = (here - self.values[event]) / moment;
        rate.is_finite().then_some(rate)
    }
}
