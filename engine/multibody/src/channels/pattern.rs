//! Patterns of channel names: `*` stands for any text, dots included, `?` for one character.

/// Whether the whole of `name` fits the pattern.
///
/// On a mismatch the last `*` takes one character more, which is all the backtracking there has to
/// be: an earlier `*` could only give away what a later one can take as well.
pub(super) fn fits(pattern: &str, name: &str) -> bool {
    let (mut p, mut n) = (pattern.chars(), name.chars());
    // The rest of the pattern behind the last `*`, and the rest of the name it was tried on.
    let mut star = None;
    loop {
        let here = n.clone();
        match (p.next(), n.next()) {
            (Some('*'), _) => {
                n = here.clone();
                star = Some((p.clone(), here));
                continue;
            }
            (None, None) => return true,
            (Some('?'), Some(_)) => continue,
            (Some(a), Some(b)) if a == b => continue,
            _ => {}
        }
        let Some((after, from)) = &mut star else {
            return false;
        };
        if from.next().is_none() {
            return false;
        }
        (p, n) = (after.clone(), from.clone());
    }
}

/// Whether a pattern is more than a name.
pub(super) fn is_pattern(text: &str) -> bool {
    text.contains(['*', '?'])
}

#[cfg(test)]
mod tests {
    use super::fits;

    #[test]
    fn stars_and_marks() {
        for (pattern, name, expected) in [
            ("", "", true),
            ("", "a", false),
            ("*", "", true),
            ("*", "a.b.c", true),
            ("a.*", "a.b.c", true),
            ("a.*", "a", false),
            ("*.x", "crank.position.x", true),
            ("*.x", "crank.position.xy", false),
            ("a?c", "abc", true),
            ("a?c", "ac", false),
            ("?", "", false),
            ("?", "ü", true),
            ("*a*b*", "xxaxxbxx", true),
            ("*a*b*", "xxbxxaxx", false),
            ("*ab", "aab", true),
            ("a**b", "ab", true),
            ("*abc*abd", "abcabcabd", true),
            ("crank.position.?", "crank.position.x", true),
        ] {
            assert_eq!(fits(pattern, name), expected, "{pattern} on {name}");
        }
    }

    #[test]
    fn many_stars_stay_quick() {
        let name = "a".repeat(4000);
        assert!(!fits(&format!("{}b", "*a".repeat(50)), &name));
    }
}
