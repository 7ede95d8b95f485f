//! Patterns of names: `*` any text, `?` one letter, `[abc]`, `[a-z]`, `[!abc]` one of (or none of) a set.
//!
//! `*` crosses dots: `crank.*` selects `crank.position.x`. Case counts. A backslash takes the
//! next letter literally.

use core::fmt;
use thiserror::Error;

/// A pattern that a name either matches or not.
///
/// ```
/// use holonom_text::Pattern;
///
/// let pattern = Pattern::new("crank.*.[xy]")?;
/// assert!(pattern.matches("crank.position.x"));
/// assert!(!pattern.matches("crank.position.z"));
/// # Ok::<(), holonom_text::PatternError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    text: String,
    parts: Vec<Part>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    /// Any text, also none.
    Any,
    /// Any one letter.
    One,
    /// This letter.
    Letter(char),
    /// One letter inside (or outside) of these ranges.
    Set { inside: bool, ranges: Vec<(char, char)> },
}

/// Why a pattern cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PatternError {
    /// Nothing to match.
    #[error("the pattern is empty; write `*` for all names")]
    Empty,
    /// A `[` without its `]`, or `[]`.
    #[error(
        "the pattern `{pattern}` has an unclosed `[` at character {at}; close it, or write `\\[` for a literal bracket"
    )]
    Open {
        /// The pattern.
        pattern: String,
        /// Number of the letter, from 1.
        at: usize,
    },
    /// A range such as `[z-a]`.
    #[error("the pattern `{pattern}` has the empty range {from}-{to}; write {to}-{from}")]
    Range {
        /// The pattern.
        pattern: String,
        /// First letter.
        from: char,
        /// Last letter.
        to: char,
    },
    /// A backslash at the end.
    #[error("the pattern `{pattern}` ends in a backslash; write `\\\\` for a literal backslash")]
    Escape {
        /// The pattern.
        pattern: String,
    },
}

impl Pattern {
    /// Reads a pattern.
    pub fn new(text: &str) -> Result<Self, PatternError> {
        if text.is_empty() {
            return Err(PatternError::Empty);
        }
        let letters: Vec<char> = text.chars().collect();
        let mut parts = Vec::new();
        let mut i = 0;
        while i < letters.len() {
            match letters[i] {
                // Neighbouring stars mean one.
                '*' if parts.last() == Some(&Part::Any) => {}
                '*' => parts.push(Part::Any),
                '?' => parts.push(Part::One),
                '[' => {
                    let (part, close) = set(text, &letters, i)?;
                    parts.push(part);
                    i = close;
                }
                '\\' => {
                    i += 1;
                    let letter = letters.get(i).ok_or_else(|| PatternError::Escape {
                        pattern: text.to_string(),
                    })?;
                    parts.push(Part::Letter(*letter));
                }
                letter => parts.push(Part::Letter(letter)),
            }
            i += 1;
        }
        Ok(Self {
            text: text.to_string(),
            parts,
        })
    }

    /// Whether the whole name fits.
    pub fn matches(&self, name: &str) -> bool {
        // After a misfit only the last star need take one letter more: what stood before it
        // matched as early as possible. So the work is at most |pattern|·|name|.
        let (mut p, mut rest) = (0, name.chars());
        let mut retry: Option<(usize, core::str::Chars<'_>)> = None;
        loop {
            if let Some(Part::Any) = self.parts.get(p) {
                p += 1;
                retry = Some((p, rest.clone()));
                continue;
            }
            let mut ahead = rest.clone();
            match (self.parts.get(p), ahead.next()) {
                (None, None) => return true,
                (Some(part), Some(letter)) if part.accepts(letter) => {
                    p += 1;
                    rest = ahead;
                }
                _ => {
                    let Some((after, from)) = &mut retry else {
                        return false;
                    };
                    if from.next().is_none() {
                        return false;
                    }
                    p = *after;
                    rest = from.clone();
                }
            }
        }
    }

    /// Whether it is a plain name without `*`, `?` and sets.
    pub fn is_literal(&self) -> bool {
        self.parts.iter().all(|part| matches!(part, Part::Letter(_)))
    }

    /// The pattern as it was written.
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

impl Part {
    fn accepts(&self, letter: char) -> bool {
        match self {
            Self::Any | Self::One => true,
            Self::Letter(own) => *own == letter,
            Self::Set { inside, ranges } => {
                ranges.iter().any(|(from, to)| (*from..=*to).contains(&letter)) == *inside
            }
        }
    }
}

/// Reads `[…]` that opens at `open`; also returns the place of its `]`.
fn set(text: &str, letters: &[char], open: usize) -> Result<(Part, usize), PatternError> {
    let unclosed = || PatternError::Open {
        pattern: text.to_string(),
        at: open + 1,
    };
    let inside = !matches!(letters.get(open + 1), Some('!' | '^'));
    let first = open + 1 + usize::from(!inside);
    // A `]` right after the bracket is a letter of the set, as in shells.
    let close = (first + 1..letters.len())
        .find(|i| letters[*i] == ']')
        .ok_or_else(unclosed)?;
    let mut ranges = Vec::new();
    let mut i = first;
    while i < close {
        let from = letters[i];
        let to = if i + 2 < close && letters[i + 1] == '-' {
            letters[i + 2]
        } else {
            from
        };
        if to < from {
            return Err(PatternError::Range {
                pattern: text.to_string(),
                from,
                to,
            });
        }
        i += if i + 2 < close && letters[i + 1] == '-' {
            3
        } else {
            1
        };
        ranges.push((from, to));
    }
    Ok((Part::Set { inside, ranges }, close))
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl core::str::FromStr for Pattern {
    type Err = PatternError;

    fn from_str(text: &str) -> Result<Self, PatternError> {
        Self::new(text)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn fits(pattern: &str, name: &str) -> bool {
        Pattern::new(pattern).unwrap().matches(name)
    }

    #[test]
    fn stars_questions_and_sets() {
        assert!(fits("*", "") && fits("*", "a.b") && fits("a*", "a") && fits("*b", "a.b"));
        assert!(fits("a*c*e", "abcde") && fits("a*c*e", "acce") && !fits("a*c*e", "abde"));
        assert!(fits("a?c", "abc") && fits("?", "é") && !fits("a?c", "ac") && !fits("?", ""));
        assert!(fits("[abc]", "b") && !fits("[abc]", "d") && fits("[a-c]x", "cx") && !fits("[a-c]x", "dx"));
        assert!(fits("[!abc]", "d") && !fits("[!abc]", "a") && fits("[]]", "]") && fits("[a-]", "-"));
        assert!(fits(r"a\*", "a*") && !fits(r"a\*", "ab") && fits(r"a\[0]", "a[0]"));
        assert!(!fits("a", "ab") && !fits("ab", "a") && !fits("A", "a"));
        assert!(Pattern::new("a.b").unwrap().is_literal() && !Pattern::new("a.?").unwrap().is_literal());
    }

    #[test]
    fn many_stars_stay_cheap() {
        let almost = "*a".repeat(50) + "b";
        assert!(!fits(&almost, &"a".repeat(4000)));
        assert!(
            Pattern::new(&"*a".repeat(500))
                .unwrap()
                .matches(&"a".repeat(5000))
        );
    }

    #[test]
    fn faults_are_named() {
        assert_eq!(Pattern::new(""), Err(PatternError::Empty));
        assert!(matches!(
            Pattern::new("a[bc"),
            Err(PatternError::Open { at: 2, .. })
        ));
        assert!(matches!(
            Pattern::new("[]"),
            Err(PatternError::Open { at: 1, .. })
        ));
        assert!(matches!(
            Pattern::new("[z-a]"),
            Err(PatternError::Range {
                from: 'z',
                to: 'a',
                ..
            })
        ));
        assert!(matches!(Pattern::new("a\\"), Err(PatternError::Escape { .. })));
    }

    /// The definition, by plain recursion.
    fn plain(pattern: &[char], name: &[char]) -> bool {
        match (pattern, name) {
            ([], []) => true,
            (['*', p @ ..], n) => plain(p, n) || (!n.is_empty() && plain(pattern, &n[1..])),
            (['?', p @ ..], [_, n @ ..]) => plain(p, n),
            ([a, p @ ..], [b, n @ ..]) => a == b && plain(p, n),
            _ => false,
        }
    }

    proptest! {
        #[test]
        fn like_the_definition(pattern in "[ab*?]{1,8}", name in "[ab]{0,8}") {
            let (p, n): (Vec<char>, Vec<char>) = (pattern.chars().collect(), name.chars().collect());
            prop_assert_eq!(fits(&pattern, &name), plain(&p, &n));
        }

        #[test]
        fn never_panics(pattern in ".{0,20}", name in ".{0,20}") {
            if let Ok(pattern) = Pattern::new(&pattern) {
                pattern.matches(&name);
            }
        }
    }
}
