//! "Did you mean …?"

/// Up to three of `names` that `typed` may have meant, nearest first.
pub fn nearest<'a>(typed: &str, names: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let typed = typed.to_lowercase();
    let allowed = (typed.chars().count() / 3).max(2);
    let mut found: Vec<(usize, &str)> = names
        .into_iter()
        .filter_map(|name| {
            // The first word alone counts too: `robertsn` means one of the `robertson-…`.
            let stem = name.split('-').next().unwrap_or(name);
            let distance = distance(&typed, &name.to_lowercase()).min(distance(&typed, &stem.to_lowercase()));
            let part_of = typed.len() >= 3 && name.contains(&typed);
            (distance <= allowed || part_of).then_some((distance, name))
        })
        .collect();
    found.sort();
    found.into_iter().take(3).map(|(_, name)| name).collect()
}

/// The sentence for an error message; empty when nothing is near.
pub fn sentence<'a>(typed: &str, names: impl IntoIterator<Item = &'a str>) -> String {
    let quoted: Vec<String> = nearest(typed, names)
        .into_iter()
        .map(|name| format!("`{name}`"))
        .collect();
    match quoted.as_slice() {
        [] => String::new(),
        [one] => format!("; did you mean {one}?"),
        [rest @ .., last] => format!("; did you mean {} or {last}?", rest.join(", ")),
    }
}

/// Edit distance: insertions, deletions and replacements [Levenshtein 1966].
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances() {
        for (a, b, d) in [("", "abc", 3), ("hires", "hires", 0), ("kitten", "sitting", 3)] {
            assert_eq!(distance(a, b), d);
            assert_eq!(distance(b, a), d);
        }
    }

    #[test]
    fn slips_and_parts_are_understood() {
        let names = ["hires", "pendulum-ggl", "pendulum-index1", "robertson-dae"];
        assert_eq!(nearest("hirse", names), ["hires"]);
        assert_eq!(nearest("pendulum", names).len(), 2);
        assert!(nearest("xyzzy", names).is_empty());
        assert_eq!(sentence("hirse", names), "; did you mean `hires`?");
    }
}
