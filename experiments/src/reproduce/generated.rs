//! Studies over generated mechanisms, as reports.

use crate::Report;
use crate::studies::{Sample, Study};
use holonom_text::{Align, Table};

/// Failures printed; all are in the report.
const SHOWN: usize = 60;

/// Goes through a sample.
pub fn run(study: &Study, sample: Sample) -> Report {
    let found = (study.run)(sample);
    let columns: Vec<(&str, Align)> = (found.columns.iter().enumerate())
        .map(|(k, title)| (*title, if k == 0 { Align::Left } else { Align::Right }))
        .collect();
    let mut table = Table::new(&columns);
    found.table.into_iter().for_each(|row| table.row(row));
    let mut text = table.render();
    for failure in found.failures.iter().take(SHOWN) {
        text += &format!("{failure}\n");
    }
    if let more @ 1.. = found.failures.len().saturating_sub(SHOWN) {
        text += &format!("… and {more} more; `--json=FILE` has all of them\n");
    }
    if !found.failures.is_empty() {
        text += &format!(
            "The model of a seed: holonom reproduce {} --seed SEED --write FILE\n",
            study.name
        );
    }
    let mut report = Report {
        text,
        rows: found.rows,
        checks: found.checks,
        missing: found.missing,
        ..Report::new(study.name)
    };
    report.head("own", study.about);
    report
}
