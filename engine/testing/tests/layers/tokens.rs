//! Words and marks of a Rust file, without comments, literals and test code.

/// One token and the line it stands in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    pub kind: Kind,
    pub line: usize,
}

/// What a reader of paths needs to tell apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    Word(String),
    /// `::`
    PathMark,
    Mark(char),
}

impl Token {
    pub fn word(&self) -> Option<&str> {
        match &self.kind {
            Kind::Word(word) => Some(word),
            _ => None,
        }
    }

    pub fn is(&self, mark: char) -> bool {
        self.kind == Kind::Mark(mark)
    }
}

/// Names of modules in files that are compiled in tests only.
pub fn test_modules(text: &str) -> Vec<String> {
    let modules = |tokens: &[Token]| -> Vec<String> {
        let named = tokens
            .windows(3)
            .filter(|three| three[0].word() == Some("mod") && three[2].is(';'));
        named
            .filter_map(|three| three[1].word().map(str::to_owned))
            .collect()
    };
    let kept = modules(&tokens(text));
    let mut all = modules(&split(text));
    all.retain(|name| !kept.contains(name));
    all
}

/// The tokens of a file; items under `#[cfg(test)]` or `#[cfg(doctest)]` are left out.
pub fn tokens(text: &str) -> Vec<Token> {
    without_tests(split(text))
}

fn split(text: &str) -> Vec<Token> {
    let chars: Vec<char> = text.chars().collect();
    let at = |i: usize| chars.get(i).copied().unwrap_or('\0');
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let (mut tokens, mut i, mut line) = (Vec::new(), 0, 1);
    // Moves `i` to `end` and counts the lines passed.
    let advance = |i: &mut usize, line: &mut usize, end: usize| {
        let end = end.min(chars.len());
        *line += chars[*i..end].iter().filter(|c| **c == '\n').count();
        *i = end;
    };
    while i < chars.len() {
        let c = at(i);
        if c == '/' && at(i + 1) == '/' {
            let end = (i..chars.len())
                .find(|&k| chars[k] == '\n')
                .unwrap_or(chars.len());
            advance(&mut i, &mut line, end);
        } else if c == '/' && at(i + 1) == '*' {
            let (mut depth, mut end) = (1, i + 2);
            while end < chars.len() && depth > 0 {
                match (at(end), at(end + 1)) {
                    ('/', '*') => (depth, end) = (depth + 1, end + 2),
                    ('*', '/') => (depth, end) = (depth - 1, end + 2),
                    _ => end += 1,
                }
            }
            advance(&mut i, &mut line, end);
        } else if let Some(end) = raw_string(&chars, i) {
            advance(&mut i, &mut line, end);
        } else if c == '"' {
            let mut end = i + 1;
            while end < chars.len() && chars[end] != '"' {
                end += if chars[end] == '\\' { 2 } else { 1 };
            }
            advance(&mut i, &mut line, end + 1);
        } else if c == '\'' {
            // A character, or a lifetime.
            let end = if at(i + 1) == '\\' {
                (i + 3..chars.len())
                    .find(|&k| chars[k] == '\'')
                    .unwrap_or(chars.len())
                    + 1
            } else if at(i + 2) == '\'' {
                i + 3
            } else {
                let mut end = i + 1;
                while is_word(at(end)) {
                    end += 1;
                }
                end
            };
            advance(&mut i, &mut line, end);
        } else if is_word(c) {
            let mut end = i;
            while is_word(at(end)) {
                end += 1;
            }
            // The prefix of `b"…"` and `b'…'` is no word.
            if !(end == i + 1 && c == 'b' && matches!(at(end), '"' | '\'')) {
                let word = chars[i..end].iter().collect();
                tokens.push(Token {
                    kind: Kind::Word(word),
                    line,
                });
            }
            i = end;
        } else if c == ':' && at(i + 1) == ':' {
            tokens.push(Token {
                kind: Kind::PathMark,
                line,
            });
            i += 2;
        } else {
            if !c.is_whitespace() {
                tokens.push(Token {
                    kind: Kind::Mark(c),
                    line,
                });
            }
            let end = i + 1;
            advance(&mut i, &mut line, end);
        }
    }
    tokens
}

/// The end of the raw string that begins at `start`.
fn raw_string(chars: &[char], start: usize) -> Option<usize> {
    let begins_word = start > 0 && (chars[start - 1].is_alphanumeric() || chars[start - 1] == '_');
    let mut i = start;
    if begins_word {
        return None;
    }
    if chars.get(i) == Some(&'b') {
        i += 1;
    }
    if chars.get(i) != Some(&'r') {
        return None;
    }
    i += 1;
    let hashes = chars[i..].iter().take_while(|c| **c == '#').count();
    i += hashes;
    if chars.get(i) != Some(&'"') {
        return None;
    }
    i += 1;
    while i < chars.len() {
        if chars[i] == '"' && chars[i + 1..].iter().take(hashes).filter(|c| **c == '#').count() == hashes {
            return Some(i + 1 + hashes);
        }
        i += 1;
    }
    Some(chars.len())
}

fn without_tests(tokens: Vec<Token>) -> Vec<Token> {
    let mut kept = Vec::with_capacity(tokens.len());
    let mut i = 0;
    while i < tokens.len() {
        match attribute(&tokens, i) {
            Some((end, true)) => i = item_end(&tokens, end),
            Some((end, false)) => {
                // Attributes hold no paths that matter, except of derives and defaults of other crates.
                i = end;
            }
            None => {
                kept.push(tokens[i].clone());
                i += 1;
            }
        }
    }
    kept
}

/// The end of the attribute at `i`, and whether its item is compiled in tests only.
fn attribute(tokens: &[Token], i: usize) -> Option<(usize, bool)> {
    if !tokens[i].is('#') {
        return None;
    }
    let mut k = i + 1;
    let inner = tokens.get(k)?.is('!');
    k += usize::from(inner);
    if !tokens.get(k)?.is('[') {
        return None;
    }
    let end = group_end(tokens, k);
    let words: Vec<&str> = tokens[k..end].iter().filter_map(Token::word).collect();
    let in_tests = words.first() == Some(&"cfg")
        && !words.contains(&"not")
        && words.iter().any(|word| matches!(*word, "test" | "doctest"));
    Some((end, in_tests && !inner))
}

/// The end of the item that begins at `i`, behind its other attributes.
fn item_end(tokens: &[Token], mut i: usize) -> usize {
    while i < tokens.len() {
        if let Some((end, _)) = attribute(tokens, i) {
            i = end;
        } else if tokens[i].is(';') {
            return i + 1;
        } else if tokens[i].is('{') {
            return group_end(tokens, i);
        } else if tokens[i].is('(') || tokens[i].is('[') {
            i = group_end(tokens, i);
        } else {
            i += 1;
        }
    }
    i
}

/// The place behind the bracket that closes the one at `i`.
pub fn group_end(tokens: &[Token], i: usize) -> usize {
    let mut depth = 0;
    for (k, token) in tokens.iter().enumerate().skip(i) {
        match token.kind {
            Kind::Mark('(' | '[' | '{') => depth += 1,
            Kind::Mark(')' | ']' | '}') => {
                depth -= 1;
                if depth == 0 {
                    return k + 1;
                }
            }
            _ => {}
        }
    }
    tokens.len()
}

#[test]
fn comments_literals_and_tests_are_left_out() {
    let text = r##"
        //! crate::comment
        use crate::a; /* crate::b /* crate::c */ */
        const TEXT: &str = "crate::d \" crate::e"; const RAW: &str = r#"crate::f"g"#;
        fn f<'a>(x: &'a u8) -> char { if *x == b'"' { '"' } else { '\'' } }
        #[cfg(test)]
        #[allow(dead_code)]
        mod tests { use crate::h; fn g() { } }
        #[cfg(not(test))]
        fn kept() {}
        #[cfg(test)]
        mod elsewhere;
        fn last() {}
    "##;
    let found = tokens(text);
    let words: Vec<&str> = found.iter().filter_map(Token::word).collect();
    assert_eq!(
        words,
        "use crate a const TEXT str const RAW str fn f x u8 char if x else fn kept fn last"
            .split(' ')
            .collect::<Vec<_>>()
    );
    assert_eq!(found.last().map(|token| token.line), Some(13));
}
