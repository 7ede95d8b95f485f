//! Names that were misspelt: what may have been meant.

/// Nobody misspells names longer than this by accident, in characters.
const LONGEST: usize = 200;

/// Names that [`similar`] gives at most.
const MOST: usize = 3;

/// The most similar of the names, if it is similar enough to be meant; case does not count.
///
/// ```
/// use holonom_text::nearest;
/// assert_eq!(nearest("stifness", ["damping", "stiffness"]), Some("stiffness"));
/// assert_eq!(nearest("mass", ["damping", "stiffness"]), None);
/// ```
pub fn nearest<'a>(typed: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let typed = letters(typed);
    names
        .into_iter()
        .filter_map(|name| Some((slips(&typed, &letters(name))?, name)))
        .min()
        .map(|(_, name)| name)
}

/// Up to three of the names that may have been meant, the most similar first. The first word of a
/// name, up to its dash, and any part of it count as well.
///
/// ```
/// use holonom_text::similar;
/// let names = ["hires", "pendulum-ggl", "pendulum-index1"];
/// assert_eq!(similar("hirse", names), ["hires"]);
/// assert_eq!(similar("pendulm", names), ["pendulum-ggl", "pendulum-index1"]);
/// ```
pub fn similar<'a>(typed: &str, names: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let typed = letters(typed);
    let far = |name: &str| {
        let name = letters(name);
        let first_word = name.split(|c| *c == '-').next().unwrap_or_default();
        let is_part = typed.len() >= 3 && name.windows(typed.len()).any(|part| part == typed);
        [
            slips(&typed, &name),
            slips(&typed, first_word),
            // The distance from a part to the whole: what is missing.
            is_part.then(|| name.len() - typed.len()),
        ]
        .into_iter()
        .flatten()
        .min()
    };
    let mut found: Vec<(usize, &str)> = names
        .into_iter()
        .filter_map(|name| Some((far(name)?, name)))
        .collect();
    found.sort_unstable();
    found.into_iter().take(MOST).map(|(_, name)| name).collect()
}

/// The [`similar`] names as the end of a message; empty when there is none.
///
/// ```
/// use holonom_text::did_you_mean;
/// let message = format!("there is no `hirse`{}", did_you_mean("hirse", ["hires"]));
/// assert_eq!(message, "there is no `hirse`; did you mean `hires`?");
/// ```
pub fn did_you_mean<'a>(typed: &str, names: impl IntoIterator<Item = &'a str>) -> String {
    let quoted: Vec<String> = similar(typed, names)
        .into_iter()
        .map(|name| format!("`{name}`"))
        .collect();
    match quoted.as_slice() {
        [] => String::new(),
        [one] => format!("; did you mean {one}?"),
        [rest @ .., last] => format!("; did you mean {} or {last}?", rest.join(", ")),
    }
}

fn letters(name: &str) -> Vec<char> {
    name.chars().flat_map(char::to_lowercase).collect()
}

/// How many slips of the finger make `typed` of `name`; `None` when too many to be slips.
fn slips(typed: &[char], name: &[char]) -> Option<usize> {
    let limit = (typed.len() / 3).max(2);
    // Too far by its length alone; this also bounds the work for names of any length.
    if typed.len() > LONGEST || name.len().abs_diff(typed.len()) > limit {
        return None;
    }
    let far = edits(typed, name);
    // With every letter replaced nothing of the name was typed.
    (far <= limit && far < name.len()).then_some(far)
}

/// Insertions, deletions and replacements between two names [Levenshtein 1966]; case does not count.
///
/// ```
/// assert_eq!(holonom_text::distance("mn", "mm"), 1);
/// ```
pub fn distance(a: &str, b: &str) -> usize {
    edits(&letters(a), &letters(b))
}

fn edits(a: &[char], b: &[char]) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn distances() {
        for (a, b, d) in [("", "abc", 3), ("hires", "hires", 0), ("kitten", "Sitting", 3)] {
            assert_eq!(distance(a, b), d);
            assert_eq!(distance(b, a), d);
        }
    }

    #[test]
    fn near_names_only() {
        let names = ["crank.speed", "crank.angle", "t"];
        assert_eq!(nearest("crank.angel", names), Some("crank.angle"));
        assert_eq!(nearest("Crank.Speed", names), Some("crank.speed"));
        assert_eq!(nearest("wheel.force", names), None);
        // Nothing of `t` is in `x`.
        assert_eq!(nearest("x", names), None);
        assert_eq!(nearest("", names), None);
        // Equally near: the first of the alphabet, whatever the order.
        assert_eq!(nearest("bat", ["cat", "bar"]), Some("bar"));
        assert_eq!(nearest("bat", ["bar", "cat"]), Some("bar"));
        let long = "a".repeat(LONGEST + 1);
        assert_eq!(nearest(&long, [long.as_str()]), None);
    }

    #[test]
    fn slips_and_parts_are_understood() {
        let names = ["hires", "pendulum-ggl", "pendulum-index1", "robertson-dae"];
        assert_eq!(similar("hirse", names), ["hires"]);
        assert_eq!(similar("pendulum", names), ["pendulum-ggl", "pendulum-index1"]);
        assert_eq!(similar("Robertsn", names), ["robertson-dae"]);
        assert_eq!(similar("GGL", names), ["pendulum-ggl"]);
        assert!(similar("xyzzy", names).is_empty());
        assert_eq!(similar("ab", ["ac", "ad", "ae", "af"]).len(), MOST);
    }

    #[test]
    fn sentences() {
        let names = ["rod", "rad", "red", "row"];
        assert_eq!(did_you_mean("stick", names), "");
        assert_eq!(did_you_mean("rodd", ["rod"]), "; did you mean `rod`?");
        assert_eq!(
            did_you_mean("rod", names),
            "; did you mean `rod`, `rad` or `red`?"
        );
    }

    proptest! {
        /// Zero for equal names only, symmetric, and no detour is shorter.
        #[test]
        fn a_metric(a in "[abc]{0,6}", b in "[abc]{0,6}", c in "[abc]{0,6}") {
            prop_assert_eq!(distance(&a, &b) == 0, a == b);
            prop_assert_eq!(distance(&a, &b), distance(&b, &a));
            prop_assert!(distance(&a, &c) <= distance(&a, &b) + distance(&b, &c));
        }
    }
}
