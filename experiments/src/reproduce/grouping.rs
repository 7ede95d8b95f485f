//! Example (19) of Arnold, Fuchs, Führer 2004, §3.1: six columns of a sparse Jacobian in three groups.

use crate::report::{Check, Limit};
use crate::{Error, Report};
use holonom::prelude::*;
use holonom::solver::jacobian::{Ordering, best_groups, groups_in_order};
use holonom_plot::{Figure, Panel, Series};
use holonom_text::{Align, Table};
use serde_json::json;

const N: usize = 6;
/// Rows with entries, column by column, counted from 1. The text states columns 2, 4 and 6; the others are
/// filled in so that the groups of the paper are the only three.
const COLUMNS: [&[usize]; N] = [&[1, 2, 6], &[2, 5, 6], &[1, 3, 5], &[1, 4], &[3, 4, 5], &[3]];
/// γ of the paper.
const GAMMA: [usize; N] = [1, 2, 3, 2, 1, 2];

/// The group of each column, numbered by their first columns as in the paper.
fn gamma(mut groups: Vec<Vec<usize>>) -> [usize; N] {
    groups.iter_mut().for_each(|group| group.sort_unstable());
    groups.sort();
    let mut gamma = [0; N];
    for (k, group) in groups.iter().enumerate() {
        group.iter().for_each(|&j| gamma[j] = k + 1);
    }
    gamma
}

pub fn run() -> Result<Report, Error> {
    let mut report = Report::default();
    let entries = (0..N).flat_map(|j| COLUMNS[j].iter().map(move |i| (i - 1, j)));
    let pattern = Pattern::from_entries(N, N, entries);
    let mut table = Table::new(&[
        ("order of columns", Align::Left),
        ("groups", Align::Right),
        ("γ(1) … γ(6)", Align::Left),
    ]);
    let text = |gamma: &[usize]| {
        let texts: Vec<String> = gamma.iter().map(usize::to_string).collect();
        texts.join(" ")
    };
    table.row(["paper", "3", &text(&GAMMA)]);
    let all = Ordering::ALL.map(|o| (name(o), groups_in_order(&pattern, &[true; N], o)));
    let best = ("best", best_groups(&pattern, &[true; N]));
    for (name, groups) in all.into_iter().chain([best]) {
        let count = groups.len();
        let found = gamma(groups);
        table.row([name, &count.to_string(), &text(&found)]);
        report.rows.push(json!({
            "order": name, "groups": count, "gamma": found, "paper": { "groups": 3, "gamma": GAMMA },
        }));
        if name == "best" {
            let different = found.iter().zip(&GAMMA).filter(|(a, b)| a != b).count();
            for (what, value, limit, source) in [
                ("groups", count, 3.0, "(19): n_k = 3"),
                ("columns-elsewhere", different, 0.0, "(19): γ = 1, 2, 3, 2, 1, 2"),
            ] {
                let id = format!("arnold-grouping/{what}");
                let check = Check::new(id, Some(value as f64), Limit::AtMost(limit), source);
                report.checks.push(check);
            }
            report.picture("arnold-grouping", figure(&found).svg());
        }
    }
    report.text = table.render();
    report.missing = vec![
        "columns 1, 3 and 5 of (19): the text states only 2, 4 and 6, and the groups; ours are chosen so that no \
         other three groups are possible"
            .into(),
    ];
    Ok(report)
}

fn name(ordering: Ordering) -> &'static str {
    match ordering {
        Ordering::LargestFirst => "largest first",
        Ordering::SmallestLast => "smallest last",
        Ordering::IncidenceDegree => "incidence degree",
        Ordering::Natural => "from left to right",
    }
}

/// The entries as squares, in the colour of their group; rows are counted downwards.
fn figure(gamma: &[usize; N]) -> Figure {
    let mut panel = Panel::new("column", "− row");
    panel.is_equal = true;
    for group in 1..=gamma.iter().copied().max().unwrap_or(0) {
        let mut series = Series::new(format!("group {group}"), Vec::new(), Vec::new());
        for j in (0..N).filter(|j| gamma[*j] == group) {
            for row in COLUMNS[j] {
                let (x, y) = ((j + 1) as f64, -(*row as f64));
                for (dx, dy) in [(-0.3, -0.3), (0.3, -0.3), (0.3, 0.3), (-0.3, 0.3), (-0.3, -0.3)] {
                    series.x.push(x + dx);
                    series.y.push(y + dy);
                }
                series.x.push(f64::NAN);
                series.y.push(f64::NAN);
            }
        }
        panel.series.push(series);
    }
    Figure::new("Groups of columns that share no row", vec![panel])
}
