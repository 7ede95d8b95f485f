//! Text to tokens.

use super::ExpressionError;
use core::ops::Range;

/// Longest text that is read, in bytes.
pub(super) const MAX_LENGTH: usize = 64 * 1024;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Token {
    Number(f64),
    Name,
    /// `%` or `°`.
    UnitSign,
    Plus,
    Minus,
    Star,
    Slash,
    Caret,
    /// A superscript digit, as units are printed.
    Superscript(i32),
    Open,
    Close,
    Comma,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Equal,
    NotEqual,
    End,
}

#[derive(Clone, Debug)]
pub(super) struct Lexer<'a> {
    text: &'a str,
    at: usize,
}

/// Whether a name may start with it.
fn starts_name(c: char) -> bool {
    c.is_alphabetic() || c == '_'
}

fn continues_name(c: char) -> bool {
    starts_name(c) || c.is_ascii_digit()
}

/// Whether a text is one name, as parameters, inputs and tables must have it.
///
/// ```
/// use holonom_expression::is_name;
/// assert!(is_name("wheel_base") && !is_name("2nd") && !is_name("a b"));
/// ```
pub fn is_name(text: &str) -> bool {
    text.chars().next().is_some_and(starts_name) && text.chars().all(continues_name)
}

impl<'a> Lexer<'a> {
    pub fn new(text: &'a str) -> Result<Self, ExpressionError> {
        if text.len() > MAX_LENGTH {
            let message = format!("the expression is longer than {} KiB", MAX_LENGTH / 1024);
            return Err(ExpressionError::new(0..text.len(), message)
                .with_help("give parts of it a name, or use a table"));
        }
        Ok(Self { text, at: 0 })
    }

    /// Where reading goes on: just behind the last token taken.
    pub fn position(&self) -> usize {
        self.at
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    /// The next token with its place.
    pub fn next(&mut self) -> Result<(Token, Range<usize>), ExpressionError> {
        let trimmed = self.rest().trim_start();
        self.at = self.text.len() - trimmed.len();
        let start = self.at;
        let Some(c) = trimmed.chars().next() else {
            return Ok((Token::End, start..start));
        };
        let second = trimmed[c.len_utf8()..].starts_with('=');
        let mut length = c.len_utf8();
        let token = match c {
            '0'..='9' | '.' => {
                length = number_length(trimmed);
                let digits = &trimmed[..length];
                match digits.parse::<f64>() {
                    Ok(x) if x.is_finite() => Token::Number(x),
                    Ok(_) => {
                        let message = format!("{digits} is too large for a number");
                        return Err(ExpressionError::new(start..start + length, message));
                    }
                    Err(_) => {
                        let message = format!("`{digits}` is not a number");
                        return Err(ExpressionError::new(start..start + length, message));
                    }
                }
            }
            '+' => Token::Plus,
            '-' | '−' => Token::Minus,
            '*' if trimmed.starts_with("**") => {
                return Err(ExpressionError::new(start..start + 2, "unknown operator `**`")
                    .with_help("powers are written `^`"));
            }
            '*' | '·' => Token::Star,
            '/' => Token::Slash,
            '^' => Token::Caret,
            '²' => Token::Superscript(2),
            '³' => Token::Superscript(3),
            '(' => Token::Open,
            ')' => Token::Close,
            ',' => Token::Comma,
            '%' | '°' => Token::UnitSign,
            '<' | '>' | '=' | '!' if second => {
                length += 1;
                match c {
                    '<' => Token::LessEqual,
                    '>' => Token::GreaterEqual,
                    '=' => Token::Equal,
                    _ => Token::NotEqual,
                }
            }
            '<' => Token::Less,
            '>' => Token::Greater,
            '=' => {
                return Err(
                    ExpressionError::new(start..start + 1, "`=` is not allowed in an expression")
                        .with_help("two numbers are compared with `==`"),
                );
            }
            c if starts_name(c) => {
                length = trimmed.find(|c| !continues_name(c)).unwrap_or(trimmed.len());
                Token::Name
            }
            c => {
                let message = format!("`{}` has no meaning here", c.escape_debug());
                let error = ExpressionError::new(start..start + length, message);
                return Err(match c {
                    '&' => error.with_help("conditions are 1 or 0: multiply them, as in `(t > 1)*(t < 2)`"),
                    '|' => error.with_help("conditions are 1 or 0: write `max(t < 1, t > 2)`"),
                    _ => error.with_help("remove it"),
                });
            }
        };
        self.at = start + length;
        Ok((token, start..self.at))
    }

    /// The next token without taking it; none where it cannot be read.
    pub fn peek(&self) -> Option<Token> {
        self.clone().next().ok().map(|(token, _)| token)
    }

    /// The power after the name of a unit: `^2`, `^-1`, `²`; 1 when there is none.
    pub fn unit_power(&mut self) -> Result<i32, ExpressionError> {
        match self.peek() {
            Some(Token::Superscript(n)) => {
                self.next()?;
                Ok(n)
            }
            Some(Token::Caret) => {
                let (_, caret) = self.next()?;
                let (mut token, mut span) = self.next()?;
                let negative = token == Token::Minus;
                if negative {
                    (token, span) = self.next()?;
                }
                let whole = match token {
                    Token::Number(n) if n.fract() == 0.0 && n.abs() <= 100.0 => n as i32,
                    _ => {
                        return Err(ExpressionError::new(
                            caret.start..span.end.max(caret.end),
                            "the power of a unit is a whole number",
                        )
                        .with_help("to raise the quantity to a power, write `(3 m)^x`"));
                    }
                };
                if matches!(self.peek(), Some(Token::Caret | Token::Superscript(_))) {
                    return Err(
                        ExpressionError::new(caret.start..self.at, "a unit has one power only")
                            .with_help("use parentheses: `(3 m^2)^2`"),
                    );
                }
                Ok(if negative { -whole } else { whole })
            }
            _ => Ok(1),
        }
    }
}

/// Bytes of the number at the start: digits, point, exponent.
fn number_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let digits = |mut at: usize| {
        while bytes.get(at).is_some_and(u8::is_ascii_digit) {
            at += 1;
        }
        at
    };
    let mut end = digits(0);
    if bytes.get(end) == Some(&b'.') {
        end = digits(end + 1);
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        let after = digits(end + 1 + sign);
        if after > end + 1 + sign {
            end = after;
        }
    }
    end
}
