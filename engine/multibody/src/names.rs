//! Names that were misspelt: what may have been meant.

/// Nobody misspells names longer than this by accident, in characters.
const LONGEST: usize = 200;

/// The most similar of the names, if it is similar enough to be meant.
///
/// ```
/// use holonom_multibody::names::nearest;
/// assert_eq!(nearest("stifness", ["damping", "stiffness"].into_iter()).as_deref(), Some("stiffness"));
/// assert_eq!(nearest("mass", ["damping", "stiffness"].into_iter()), None);
/// ```
pub fn nearest<'a>(name: &str, names: impl Iterator<Item = &'a str>) -> Option<String> {
    let length = name.chars().count();
    let limit = (length / 3).max(2);
    names
        // Too far by its length alone; this also bounds the work for names of any length.
        .filter(|other| length <= LONGEST && other.chars().count().abs_diff(length) <= limit)
        .map(|other| (distance(name, other), other))
        .filter(|&(far, other)| far <= limit && far < other.chars().count())
        .min()
        .map(|(_, other)| other.to_string())
}

/// Levenshtein's distance, case ignored.
pub(crate) fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().flat_map(char::to_lowercase).collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().flat_map(char::to_lowercase).enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, &y) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}
