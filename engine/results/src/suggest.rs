//! The existing name nearest to a misspelt one.

/// The nearest of `names` by edit distance, case ignored, if it is near enough to be meant.
pub(crate) fn nearest<'a>(wanted: &str, names: impl Iterator<Item = &'a str>) -> Option<String> {
    let wanted: Vec<char> = wanted.to_lowercase().chars().collect();
    let limit = (wanted.len() / 3).max(1);
    names
        .map(|name| (distance(&wanted, &name.to_lowercase()), name))
        .filter(|(far, _)| *far <= limit)
        .min_by_key(|(far, _)| *far)
        .map(|(_, name)| name.to_string())
}

/// Insertions, deletions and replacements [Levenshtein 1966].
fn distance(a: &[char], b: &str) -> usize {
    let mut row: Vec<usize> = (0..=a.len()).collect();
    for (j, letter) in b.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = j + 1;
        for i in 0..a.len() {
            let replaced = diagonal + usize::from(a[i] != letter);
            diagonal = row[i + 1];
            row[i + 1] = replaced.min(row[i] + 1).min(diagonal + 1);
        }
    }
    row[a.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names_only() {
        let names = ["crank.angle", "crank.speed", "t"];
        assert_eq!(
            nearest("crank.angel", names.into_iter()).as_deref(),
            Some("crank.angle")
        );
        assert_eq!(
            nearest("Crank.Speed", names.into_iter()).as_deref(),
            Some("crank.speed")
        );
        assert_eq!(nearest("wheel.force", names.into_iter()), None);
        let kitten: Vec<char> = "kitten".chars().collect();
        assert_eq!(distance(&kitten, "sitting"), 3);
    }
}
