//! How the work of each code grows with the number of pendulums.

use crate::codes;
use crate::report::table;
use serde_json::Value;

/// Quantities as they are called in rows, and in the table.
const QUANTITIES: [(&str, &str); 3] = [
    ("residuals", "residuals"),
    ("jacobians", "Jacobians"),
    ("cpu_s", "CPU"),
];

/// Prints p of work ~ Nᵖ between neighbouring sizes at equal digits, for every code of the rows.
pub fn print(rows: &[Value], sizes: &[usize], digits: &[f64]) {
    let mut sizes = sizes.to_vec();
    sizes.sort_unstable();
    sizes.dedup();
    let work = |code: &str, n: usize, d: f64, quantity: &str| {
        let own = rows.iter().find(|r| {
            let problem = r["problem"].as_str().unwrap_or_default();
            r["code"] == code && problem.starts_with(&format!("chain-residual:{n}:"))
        });
        own.and_then(|r| r["at"][d.to_string()][quantity]["work"].as_f64())
    };
    let mut printed = Vec::new();
    for code in codes::built() {
        for pair in sizes.windows(2) {
            let (small, large) = (pair[0], pair[1]);
            let power = |d: f64, quantity: &str| {
                let [a, b] = [small, large].map(|n| work(code.name, n, d, quantity));
                let power = (b? / a?).ln() / (large as f64 / small as f64).ln();
                Some(format!("{power:.2}"))
            };
            let mut cells = vec![code.name.to_owned(), format!("{small} to {large}")];
            let powers = digits.iter().flat_map(|d| QUANTITIES.map(|q| power(*d, q.0)));
            let powers: Vec<Option<String>> = powers.collect();
            if powers.iter().any(Option::is_some) {
                cells.extend(powers.into_iter().map(|p| p.unwrap_or("-".into())));
                printed.push(cells);
            }
        }
    }
    if printed.is_empty() {
        return;
    }
    println!("\ngrowth on the chain: p of work ~ N^p");
    let mut headings = vec!["code".to_owned(), "N".to_owned()];
    headings.extend(
        digits
            .iter()
            .flat_map(|d| QUANTITIES.map(|q| format!("{} @{d}", q.1))),
    );
    table(&headings.iter().map(String::as_str).collect::<Vec<_>>(), &printed);
}
