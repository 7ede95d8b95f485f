//! The shape of results: a table on the terminal, one JSON object in a file.

use serde_json::{Value, json};
use std::path::Path;

/// A requirement and what was measured.
pub struct Check {
    /// What is required, such as `residuals/hires/4`.
    pub id: String,
    /// What was measured; infinite where ours did not get there at all.
    pub value: f64,
    /// At most this.
    pub limit: f64,
    /// What the limit refers to.
    pub source: String,
}

impl Check {
    /// Whether the requirement is met.
    pub fn holds(&self) -> bool {
        self.value <= self.limit
    }
}

/// The result of a command: `{name, rows, checks, missing, holds}`.
#[derive(Default)]
pub struct Report {
    /// Name of the command.
    pub name: String,
    /// The table as printed, one object per row.
    pub rows: Vec<Value>,
    /// What is required.
    pub checks: Vec<Check>,
    /// What could not be measured, and why.
    pub missing: Vec<String>,
    /// What is still to come; nothing holds before it is there.
    pub pending: Vec<String>,
}

impl Report {
    /// An empty report.
    pub fn new(name: &str) -> Self {
        Self {
            name: name.into(),
            ..Self::default()
        }
    }

    /// Whether there are checks, all of them hold and nothing is still to come.
    pub fn holds(&self) -> bool {
        self.pending.is_empty() && !self.checks.is_empty() && self.checks.iter().all(Check::holds)
    }

    /// As JSON.
    pub fn to_json(&self) -> Value {
        let checks: Vec<Value> = self
            .checks
            .iter()
            .map(|c| {
                json!({ "id": c.id, "value": number(c.value), "limit": c.limit, "source": c.source, "holds": c.holds() })
            })
            .collect();
        let mut all = json!({ "name": self.name, "rows": self.rows, "checks": checks, "missing": self.missing, "holds": self.holds() });
        if !self.pending.is_empty() {
            all["pending"] = json!(self.pending);
        }
        all
    }

    /// Prints checks and what is missing, and writes the JSON if a file is named.
    pub fn finish(&self, file: Option<&Path>) -> Result<(), String> {
        if !self.checks.is_empty() {
            println!();
        }
        for c in &self.checks {
            let verdict = if c.holds() { "holds" } else { "FAILS" };
            println!(
                "{verdict}  {:<36} {:>9.3}  (at most {}; {})",
                c.id, c.value, c.limit, c.source
            );
        }
        if !self.missing.is_empty() {
            println!();
        }
        for m in &self.missing {
            println!("missing: {m}");
        }
        self.write(file)
    }

    /// Writes the JSON if a file is named.
    pub fn write(&self, file: Option<&Path>) -> Result<(), String> {
        let Some(file) = file else { return Ok(()) };
        let text = serde_json::to_string_pretty(&self.to_json()).map_err(|e| e.to_string())?;
        std::fs::write(file, text + "\n").map_err(|e| format!("cannot write {}: {e}", file.display()))
    }
}

/// A number as JSON; null where it is not finite.
pub fn number(x: f64) -> Value {
    if x.is_finite() { json!(x) } else { Value::Null }
}

/// A time with a unit that suits it.
pub fn seconds(t: f64) -> String {
    match t {
        t if t < 1e-3 => format!("{:.1} µs", t * 1e6),
        t if t < 1.0 => format!("{:.2} ms", t * 1e3),
        t => format!("{t:.3} s"),
    }
}

/// Prints rows of cells under their headings, the first two columns to the left, the rest to the right.
pub fn table(headings: &[&str], rows: &[Vec<String>]) {
    let widths: Vec<usize> = (0..headings.len())
        .map(|k| {
            rows.iter()
                .map(|r| width(&r[k]))
                .chain([width(headings[k])])
                .max()
                .unwrap_or(0)
        })
        .collect();
    head(&widths, headings);
    for row in rows {
        line(&widths, row.iter().map(String::as_str));
    }
}

/// Letters in a text.
fn width(text: &str) -> usize {
    text.chars().count()
}

/// Prints the headings of a table with columns of these widths.
pub fn head(widths: &[usize], headings: &[&str]) {
    line(widths, headings.iter().copied());
    let all = widths.iter().map(|w| w + 2).sum::<usize>().saturating_sub(2);
    println!("{}", "-".repeat(all));
}

/// Prints one row of such a table.
pub fn line<'a>(widths: &[usize], cells: impl Iterator<Item = &'a str>) {
    let mut text = String::new();
    for (k, (cell, room)) in cells.zip(widths).enumerate() {
        let pad = " ".repeat(room.saturating_sub(width(cell)));
        match k {
            0 | 1 => text += &format!("{cell}{pad}  "),
            _ => text += &format!("{pad}{cell}  "),
        }
    }
    println!("{}", text.trim_end());
}
