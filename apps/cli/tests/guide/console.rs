//! Shown output and real output: comparison, and the shown one brought up to date.

/// Stands for anything within a line; alone on a line, for any lines.
const ANYTHING: &str = "…";

/// Whether a real line is what a shown one says.
pub fn line_fits(shown: &str, real: &str) -> bool {
    let (shown, real) = (shown.trim_end(), real.trim_end());
    let mut parts = shown.split(ANYTHING);
    let Some(rest) = parts.next().and_then(|first| real.strip_prefix(first)) else {
        return false;
    };
    let mut rest = rest;
    let parts: Vec<&str> = parts.collect();
    let Some((last, middle)) = parts.split_last() else {
        return rest.is_empty();
    };
    for part in middle {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

fn is_gap(shown: &str) -> bool {
    shown.trim() == ANYTHING
}

/// One step of the way from shown to real lines.
#[derive(Clone, Copy, PartialEq)]
enum Step {
    /// A shown line and the real one it stands for, which may differ.
    Pair,
    /// A gap takes one more real line.
    Swallow,
    /// The shown line, or a gap that takes no more, has no counterpart.
    Skip,
    /// A real line is new.
    Insert,
}

/// The shown lines with as little changed as makes them fit; the same lines when they fit.
///
/// Gaps swallow lines for nothing; a line that differs is replaced rather than swallowed.
pub fn updated(shown: &[String], real: &[String]) -> Vec<String> {
    let (n, m) = (shown.len(), real.len());
    let mut cost = vec![vec![(usize::MAX, Step::Skip); m + 1]; n + 1];
    for i in (0..=n).rev() {
        for j in (0..=m).rev() {
            if (i, j) == (n, m) {
                cost[i][j].0 = 0;
                continue;
            }
            let mut best = (usize::MAX, Step::Skip);
            let mut try_step = |price: usize, step: Step| {
                if price < best.0 {
                    best = (price, step);
                }
            };
            if i < n && j < m {
                if is_gap(&shown[i]) {
                    try_step(cost[i][j + 1].0, Step::Swallow);
                } else {
                    let differs = usize::from(!line_fits(&shown[i], &real[j]));
                    try_step(cost[i + 1][j + 1].0 + differs, Step::Pair);
                }
            }
            if i < n {
                let price = if is_gap(&shown[i]) { 0 } else { 2 };
                try_step(cost[i + 1][j].0 + price, Step::Skip);
            }
            if j < m {
                try_step(cost[i][j + 1].0 + 2, Step::Insert);
            }
            cost[i][j] = best;
        }
    }
    let (mut i, mut j) = (0, 0);
    let mut lines = Vec::new();
    while (i, j) != (n, m) {
        match cost[i][j].1 {
            Step::Pair => {
                let fits = line_fits(&shown[i], &real[j]);
                lines.push(if fits { shown[i].clone() } else { masked(&real[j]) });
                (i, j) = (i + 1, j + 1);
            }
            Step::Swallow => j += 1,
            Step::Skip => {
                if is_gap(&shown[i]) {
                    lines.push(shown[i].clone());
                }
                i += 1;
            }
            Step::Insert => {
                lines.push(masked(&real[j]));
                j += 1;
            }
        }
    }
    lines
}

/// A real line with what differs from run to run masked: computing times.
fn masked(real: &str) -> String {
    let real = real.trim_end();
    if let Some((before, after)) = real.split_once(" times real time")
        && let Some((before, _)) = before.rsplit_once(" in ")
    {
        return format!("{before} in {ANYTHING}, {ANYTHING} times real time{after}");
    }
    if real.trim_start().starts_with("time ") {
        let words: Vec<&str> = real.split(' ').collect();
        let next = words.iter().skip(1).chain(&[""]);
        let words = words
            .iter()
            .zip(next)
            .map(|(word, next)| if next.starts_with('%') { ANYTHING } else { word });
        return words.collect::<Vec<_>>().join(" ");
    }
    real.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<String> {
        text.split('|').map(String::from).collect()
    }

    #[test]
    fn gaps_in_lines() {
        assert!(line_fits("10 s in … times, 3 %", "10 s in 4 ms, 2 times, 3 %"));
        assert!(line_fits("a…", "a") && line_fits("…", "") && line_fits("a ", "a"));
        assert!(!line_fits("a…b", "acd") && !line_fits("ab", "abc") && !line_fits("a…a", "a"));
        assert!(!line_fits("x…", "a"));
    }

    #[test]
    fn what_fits_stays() {
        for (shown, real) in [
            ("a|b", "a|b"),
            ("…", "a|b"),
            ("a|…|d", "a|b|c|d"),
            ("a|…", "a"),
            ("x … y", "x 1 y"),
        ] {
            assert_eq!(updated(&lines(shown), &lines(real)), lines(shown), "{real}");
        }
    }

    #[test]
    fn what_differs_is_replaced() {
        assert_eq!(updated(&lines("a|…|d"), &lines("a|b|c|e")), lines("a|…|e"));
        assert_eq!(updated(&lines("a|b"), &lines("a|c")), lines("a|c"));
        assert_eq!(updated(&lines("a|b|c"), &lines("a|c")), lines("a|c"));
        assert_eq!(updated(&[], &lines("a")), lines("a"));
        assert_eq!(updated(&lines("a"), &[]), Vec::<String>::new());
        let real = lines(
            "m: 10 s (failed) in 3.1 ms, 3221 times real time; 1 degree|  time        Jacobians 9 %, rest",
        );
        let shown =
            lines("m: 10 s (failed) in …, … times real time; 1 degree|  time        Jacobians … %, rest");
        assert_eq!(updated(&[], &real), shown);
        assert_eq!(updated(&shown, &real), shown);
    }
}
