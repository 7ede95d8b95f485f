//! Degrees of freedom of random loops with rounded data, and whether they start.

use super::{Finding, Sample, Tallies, Tally, family, tabulate};
use crate::engine::assemble;
use crate::generator::toml::text;
use crate::generator::{Family, Wanted, generate};
use crate::mechanism::Mechanism;
use crate::parallel::map;
use holonom::format::Settings;

/// Digits of the data.
const DIGITS: [usize; 3] = [16, 9, 6];

/// The mechanism of a seed, and the digits of its data.
fn case(seed: u64) -> Option<(Mechanism, usize)> {
    let families = Family::closed();
    let digits = DIGITS[(seed / families.len() as u64 % 3) as usize];
    Some((generate(seed, &Wanted::of(family(seed, families)))?, digits))
}

pub fn model(seed: u64) -> Option<String> {
    case(seed).map(|(m, digits)| text(&m, digits))
}

/// What the engine says of a case.
struct Said {
    key: String,
    what: String,
    fault: Option<String>,
    starts: bool,
}

fn judge(seed: u64) -> Option<Said> {
    let (m, digits) = case(seed)?;
    let key = format!("{}, {digits} digits", m.family.name());
    let what = format!("{key}, {:.1e} m, {} bodies", m.size, m.bodies.len());
    let (fault, starts) = match assemble(&text(&m, digits), &Settings::default()) {
        Ok(simulation) => {
            let found = simulation.start.degrees_of_freedom();
            let right = found == m.freedoms;
            let message = format!("{found} degrees of freedom instead of {}", m.freedoms);
            ((!right).then_some(message), true)
        }
        Err(message) => (Some(format!("does not start: {message}")), false),
    };
    Some(Said {
        key,
        what,
        fault,
        starts,
    })
}

pub fn run(sample: Sample) -> Finding {
    let seeds = sample.seeds();
    let mut finding = Finding::default();
    let mut tallies = Tallies::new();
    let (mut starts, mut good, mut all) = (0, 0, 0);
    for (seed, said) in seeds.iter().zip(map(&seeds, |seed| judge(*seed))) {
        let Some(said) = said else {
            finding.missing.push(format!("seed {seed}: no draw was good"));
            continue;
        };
        let tally: &mut Tally = tallies.entry(said.key).or_default();
        all += 1;
        tally.all += 1;
        starts += usize::from(said.starts);
        match said.fault {
            None => {
                good += 1;
                tally.good += 1;
            }
            Some(fault) => {
                tally.wrong += usize::from(said.starts);
                finding.fail(*seed, &said.what, &fault);
            }
        }
    }
    tabulate(
        &mut finding,
        "family",
        ["mechanisms", "right", "wrong number"],
        &tallies,
    );
    finding.share(
        "generated-freedoms/right".into(),
        good,
        all,
        1.0,
        "the oracle's number",
    );
    finding.share("generated-freedoms/start".into(), starts, all, 1.0, "each starts");
    finding
}
