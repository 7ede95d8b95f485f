//! Fig. 1: for which eigenvalues of q̈ = −aq − bq̇ the method is stable, with J_exact, J₁, J₂ and J₃.
//!
//! Everything is found by running the stepper with h = 1 and looking whether the solution stays bounded.

use super::refused;
use crate::report::{Check, Limit};
use crate::{Error, Report};
use holonom::Real;
use holonom::problems::constrained::{ConstrainedMotion, Mechanics};
use holonom::solver::stepper::{
    Advance, Level, LinearImplicitOptions, MotionState, Ordering, RealTime, StiffTerms,
};
use holonom_plot::{Figure, Panel, Series};
use holonom_text::{Align, Table, number};
use serde_json::json;

/// The test equation (4) of the paper.
#[derive(Clone, Copy, Debug)]
struct Oscillator {
    a: f64,
    b: f64,
}

impl ConstrainedMotion for Oscillator {
    fn positions(&self) -> Vec<String> {
        vec!["q".into()]
    }
    fn velocities(&self) -> Vec<String> {
        vec!["u".into()]
    }
    fn n_g(&self) -> usize {
        0
    }
    fn mass_entries(&self) -> Vec<(usize, usize)> {
        vec![(0, 0)]
    }
    fn constraint_entries(&self) -> Vec<(usize, usize)> {
        Vec::new()
    }
    fn mass<T: Real>(&self, _: T, _: &[T], mass: &mut [T]) {
        mass[0] = T::constant(1.0);
    }
    fn force<T: Real>(&self, _: T, q: &[T], v: &[T], force: &mut [T]) {
        force[0] = -(q[0] * self.a) - v[0] * self.b;
    }
    fn constraint<T: Real>(&self, _: T, _: &[T], _: &mut [T]) {}
    fn constraint_matrix<T: Real>(&self, _: T, _: &[T], _: &mut [T]) {}
    fn constraint_rate<T: Real>(&self, _: T, _: &[T], _: &mut [T]) {}
    fn constraint_bias<T: Real>(&self, _: T, _: &[T], _: &[T], _: &mut [T]) {}
}

/// Steps of a run. 1 % beyond a limit even the slowest growth is by e²⁰ then.
const STEPS: u32 = 30_000;
/// On the unit circle amplitudes grow like the steps at most.
const BOUNDED: f64 = 1e6;
/// Values of hb at which limits are sought; below 2 for J₃.
const DAMPINGS: [f64; 8] = [0.0, 0.25, 0.5, 1.0, 1.5, 1.9, 5.0, 50.0];
/// Largest h²a that is tried.
const LARGEST: f64 = 1e4;

/// Whether a run with h = 1 stays bounded.
fn is_stable(terms: StiffTerms, a: f64, b: f64) -> Result<bool, Error> {
    let mechanics = Mechanics::new(Oscillator { a, b });
    let mut start = MotionState::new(&mechanics);
    (start.q[0], start.v[0]) = (1.0, 0.3);
    let options = LinearImplicitOptions {
        stiff_terms: terms,
        assembly: Level::Index1,
        ..LinearImplicitOptions::default()
    };
    let mut run = RealTime::new(Box::new(mechanics), 1.0, start, options).map_err(refused)?;
    for _ in 0..STEPS {
        if run.step() != Advance::Done || run.state().q[0].abs() >= BOUNDED {
            return Ok(false);
        }
        // Nothing comes back from there.
        if run.state().q[0].abs() + run.state().v[0].abs() < 1e-30 {
            break;
        }
    }
    Ok(true)
}

/// The largest x between `low` and `high` for which something is stable; infinite when all are.
fn largest(
    mut low: f64,
    mut high: f64,
    is_stable: impl Fn(f64) -> Result<bool, Error>,
) -> Result<f64, Error> {
    if is_stable(high)? {
        return Ok(f64::INFINITY);
    }
    while high - low > 1e-4 * high {
        let middle = 0.5 * (low + high);
        match is_stable(middle)? {
            true => low = middle,
            false => high = middle,
        }
    }
    Ok(low)
}

/// h²a up to which the paper has it stable; none where it speaks of none.
fn stated(terms: StiffTerms, hb: f64) -> Option<f64> {
    match terms {
        StiffTerms::Exact | StiffTerms::J2 => Some(f64::INFINITY),
        StiffTerms::J1 => Some(2.0 * hb + 4.0),
        StiffTerms::J3 => (hb <= 2.0).then_some(4.0 - 2.0 * hb),
        StiffTerms::None => None,
    }
}

const TERMS: [StiffTerms; 4] = [StiffTerms::Exact, StiffTerms::J1, StiffTerms::J2, StiffTerms::J3];

pub fn run() -> Result<Report, Error> {
    let mut report = Report::default();
    let mut table = Table::new(&[
        ("J", Align::Left),
        ("hb", Align::Right),
        ("h²a up to", Align::Right),
        ("paper", Align::Right),
        ("off", Align::Right),
    ]);
    let text = |x: f64| if x.is_finite() { number(x) } else { "any".into() };
    for terms in TERMS {
        for hb in DAMPINGS {
            let Some(theirs) = stated(terms, hb) else { continue };
            let found = largest(0.0, LARGEST, |a| is_stable(terms, a, hb))?;
            let off = if theirs.is_finite() {
                Some(found / theirs - 1.0)
            } else {
                None
            };
            table.row([
                terms.name().to_string(),
                number(hb),
                text(found),
                text(theirs),
                off.map_or("–".into(), |off| format!("{:.3} %", 100.0 * off)),
            ]);
            report.rows.push(json!({
                "stiff_terms": terms.name(), "hb": hb, "h2a": found.is_finite().then_some(found), "any": found.is_infinite(),
                "paper": { "h2a": theirs.is_finite().then_some(theirs), "any": theirs.is_infinite() },
            }));
            let id = format!("burgermeister-fig-1/{}/{}", terms.name(), number(hb));
            report.checks.push(match off {
                Some(off) => Check::new(
                    id,
                    Some(off.abs()),
                    Limit::AtMost(0.01),
                    "§2: the limit, relative",
                ),
                None => Check::new(
                    id,
                    Some(f64::from(u8::from(found.is_finite()))),
                    Limit::AtMost(0.0),
                    "§2: stable for all a; 0 when it is up to h²a = 10⁴",
                ),
            });
        }
    }
    // Damping alone, J₃: hb ≤ 2.
    let most = largest(1.0, 3.0, |b| is_stable(StiffTerms::J3, 1e-6, b))?;
    table.row([
        "j3, h²a → 0".to_string(),
        text(most),
        String::new(),
        "hb ≤ 2".into(),
    ]);
    report
        .rows
        .push(json!({ "stiff_terms": "j3", "h2a": 1e-6, "hb": most, "paper": { "hb": 2.0 } }));
    report.checks.push(Check::new(
        "burgermeister-fig-1/j3/damping",
        Some((most / 2.0 - 1.0).abs()),
        Limit::AtMost(0.01),
        "§2: hb ≤ 2, relative",
    ));
    let domains = TERMS.map(domain).into_iter().collect::<Result<Vec<_>, _>>()?;
    for (terms, domain) in TERMS.iter().zip(&domains) {
        report.rows.push(json!({ "stiff_terms": terms.name(), "eigenvalues": domain.tried, "stable": domain.stable.len() }));
        report.checks.push(Check::new(
            format!("burgermeister-fig-1/{}/domain", terms.name()),
            Some(domain.elsewhere as f64),
            Limit::AtMost(0.0),
            "§2: eigenvalues more than 1 % off the limit that are stable, or not, against it",
        ));
    }
    report.text = table.render();
    report.text += "\nFound by running the method with h = 1 for 30,000 steps. `exact` is stable as `j2` is, but damps: an \
                      oscillation without damping loses 1/√(1 + h²a) per step, with `j2` nothing.\n";
    report.picture("burgermeister-fig-1", figure(&domains).svg());
    report.missing =
        vec!["the picture of the paper: its text has the limits that it shows, but no numbers of it".into()];
    Ok(report)
}

/// Eigenvalues hλ that are stable.
struct Domain {
    terms: StiffTerms,
    stable: Vec<(f64, f64)>,
    tried: usize,
    elsewhere: usize,
}

/// Distance of the eigenvalues that are tried.
const GRID: f64 = 0.25;

/// Complex pairs hλ = x ± iy, for which h²a = x² + y² and hb = −2x.
fn domain(terms: StiffTerms) -> Result<Domain, Error> {
    let mut domain = Domain {
        terms,
        stable: Vec::new(),
        tried: 0,
        elsewhere: 0,
    };
    for i in 0..=24 {
        for j in 0..=16 {
            let (x, y) = (-GRID * f64::from(i), GRID * f64::from(j));
            let (a, b) = (x * x + y * y, -2.0 * x);
            let stable = is_stable(terms, a, b)?;
            domain.tried += 1;
            if stable {
                domain.stable.push((x, y));
            }
            let limit = terms.step_limit(Ordering::PositionsFirst, a, b).value();
            // On the limit itself rounding decides.
            let clear = (limit - 1.0).abs() > 0.01;
            domain.elsewhere += usize::from(clear && stable != (limit > 1.0));
        }
    }
    Ok(domain)
}

/// Stable eigenvalues as crosses, and the limit as a line.
fn figure(domains: &[Domain]) -> Figure {
    let panels = domains.iter().map(|domain| {
        let mut panel = Panel::new("Re hλ", "Im hλ");
        panel.title = format!("J {}", domain.terms.name());
        panel.is_equal = true;
        let mut crosses = Series::new("stable", Vec::new(), Vec::new());
        let arm = 0.06;
        for &(x, y) in &domain.stable {
            for y in [y, -y] {
                for (dx, dy) in [
                    (-arm, 0.0),
                    (arm, 0.0),
                    (f64::NAN, f64::NAN),
                    (0.0, -arm),
                    (0.0, arm),
                ] {
                    crosses.x.push(x + dx);
                    crosses.y.push(y + dy);
                }
                crosses.x.push(f64::NAN);
                crosses.y.push(f64::NAN);
            }
        }
        panel.series.push(crosses);
        // J₁: |hλ + 2|² ≤ 8, J₃: |hλ − 2|² ≤ 8, both with Re hλ ≤ 0.
        let centre = match domain.terms {
            StiffTerms::J1 => Some(-2.0),
            StiffTerms::J3 => Some(2.0),
            _ => None,
        };
        if let Some(centre) = centre {
            let angles = (0..=720).map(|k| f64::from(k).to_radians() / 2.0);
            let points = angles.map(|angle| (centre + 8f64.sqrt() * angle.cos(), 8f64.sqrt() * angle.sin()));
            let (x, y) = points
                .map(|(x, y)| if x <= 1e-9 { (x, y) } else { (f64::NAN, f64::NAN) })
                .unzip();
            panel.series.push(Series::new("limit", x, y));
        }
        panel
    });
    let mut figure = Figure::new("Stability of the linear-implicit Euler method", panels.collect());
    figure.remark = "crosses: pairs of eigenvalues for which 30,000 steps stay bounded; only Re hλ ≥ −6, |Im hλ| ≤ 4 were tried".into();
    figure
}
