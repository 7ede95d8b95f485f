//! Tokens to a syntax tree, kept as a list in which operands stand before their operator.
//!
//! The list has no pointers: walking it, copying it and dropping it need no recursion, however
//! long a sum is. Only the parser itself recurses, and it counts how deep.

use super::grammar::{Comparison, Level};
use super::lexer::{Lexer, Token};
use super::{Dimension, DimensionState, ExpressionError, Unit, units};
use core::ops::Range;

/// Deepest nesting of parentheses, calls, signs and powers.
pub(super) const MAX_NESTING: usize = 64;

/// An operator between two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Binary {
    Add,
    Subtract,
    Multiply,
    Divide,
    Power,
    Compare(Comparison),
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum NodeKind {
    Number(f64, DimensionState),
    Name,
    Negate,
    Binary(Binary),
    /// The name and how many arguments stand before.
    Call(Range<usize>, usize),
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Node {
    pub kind: NodeKind,
    /// All of it, operands included.
    pub span: Range<usize>,
}

/// An expression as written: syntax is checked, names are not looked up yet.
///
/// Numbers: `1`, `.5`, `1e-3`. Operators, loosest first: `< <= > >= == !=` (1 where true, else
/// 0), `+ -`, `* /`, signs, `^` (from the right; −2^2 = −4). Functions: `sin cos tan asin acos
/// atan atan2(y, x) sinh cosh tanh exp ln log10 sqrt abs sign floor hypot pow min max`,
/// `step(x)` (0 below zero, else 1), `smoothstep(x, x0, y0, x1, y1)` (from y0 at x0 to y1 at x1
/// by a polynomial of fifth degree: two derivatives are continuous), `if(condition, a, b)`.
/// Constant: `pi`.
///
/// A name right after a number is its unit ([`Unit`]): `12 mm`, `3 N/mm`, `9.81 m/s^2`. After a
/// unit, further `*unit`, `/unit` and `^whole` belong to the unit, even where a parameter has
/// the same name: `3 N/m` is a stiffness, `(3 N)/m` divides by a parameter m. The one exception
/// is `t`: right after a number it is the tonne, after `*` or `/` the time, as in `50 rpm*t`.
///
/// ```
/// use holonom_expression::{Ast, Scope};
/// let ast = Ast::parse("2*L + 12 mm")?;
/// assert_eq!(ast.names()[0].name, "L");
/// let error = Ast::parse("2*(L + 1").unwrap_err();
/// assert_eq!(error.span, 2..3);
/// # Ok::<(), holonom_expression::ExpressionError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Ast {
    pub(super) text: String,
    pub(super) nodes: Vec<Node>,
}

/// A name in an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NameUse<'a> {
    /// The name.
    pub name: &'a str,
    /// Where it stands: bytes in the text.
    pub span: Range<usize>,
    /// Whether it is called like a function.
    pub called: bool,
}

impl Ast {
    /// Reads a text.
    ///
    /// # Errors
    /// What is wrong with the syntax or the units, with the place.
    pub fn parse(text: &str) -> Result<Self, ExpressionError> {
        Self::parse_as(text, None)
    }

    /// The same where a quantity is expected: of unknown units, one of its units is suggested.
    ///
    /// # Errors
    /// Those of [`Ast::parse`].
    pub fn parse_as(text: &str, expected: Option<Dimension>) -> Result<Self, ExpressionError> {
        let mut parser = Parser {
            text,
            expected,
            lexer: Lexer::new(text)?,
            nodes: Vec::new(),
            nesting: 0,
        };
        parser.expression(Level::Compare)?;
        let (token, span) = parser.lexer.next()?;
        match token {
            Token::End => Ok(Self {
                text: text.to_string(),
                nodes: parser.nodes,
            }),
            Token::Close => Err(ExpressionError::new(span, "this `)` closes nothing")),
            Token::Comma => Err(
                ExpressionError::new(span, "`,` is allowed only between arguments")
                    .with_help("decimals are written with a point"),
            ),
            _ => Err(ExpressionError::new(span, "an operator is missing before this")
                .with_help("to multiply, write `*`")),
        }
    }

    /// The text it was read from.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Names used, in order: parameters, variables, inputs and tables; not the functions and
    /// constants of the language.
    pub fn names(&self) -> Vec<NameUse<'_>> {
        let mut names: Vec<NameUse> = self
            .nodes
            .iter()
            .filter_map(|node| match &node.kind {
                NodeKind::Name => Some((&node.span, false)),
                NodeKind::Call(span, _) => Some((span, true)),
                _ => None,
            })
            .map(|(span, called)| NameUse {
                name: &self.text[span.clone()],
                span: span.clone(),
                called,
            })
            .filter(|name| !super::is_reserved(name.name))
            .collect();
        names.sort_by_key(|name| name.span.start);
        names
    }
}

struct Parser<'a> {
    text: &'a str,
    expected: Option<Dimension>,
    lexer: Lexer<'a>,
    nodes: Vec<Node>,
    nesting: usize,
}

impl Parser<'_> {
    fn push(&mut self, kind: NodeKind, span: Range<usize>) -> Range<usize> {
        self.nodes.push(Node {
            kind,
            span: span.clone(),
        });
        span
    }

    /// One level further in.
    fn nested<R>(
        &mut self,
        span: &Range<usize>,
        body: impl FnOnce(&mut Self) -> Result<R, ExpressionError>,
    ) -> Result<R, ExpressionError> {
        self.nesting += 1;
        if self.nesting > MAX_NESTING {
            let message = format!("nested more than {MAX_NESTING} levels deep");
            return Err(
                ExpressionError::new(span.clone(), message).with_help("give parts of the expression a name")
            );
        }
        let result = body(self)?;
        self.nesting -= 1;
        Ok(result)
    }

    /// Operators that bind at least as tightly as `least`, by climbing precedences.
    fn expression(&mut self, least: Level) -> Result<Range<usize>, ExpressionError> {
        let mut left = self.signed()?;
        loop {
            let Some((binary, level)) = self.lexer.peek().and_then(operator) else {
                return Ok(left);
            };
            if level < least {
                return Ok(left);
            }
            let (_, at) = self.lexer.next()?;
            let next = match level {
                Level::Compare => Level::Sum,
                Level::Sum => Level::Product,
                _ => Level::Sign,
            };
            let right = self.expression(next)?;
            if level == Level::Compare
                && let Some((Binary::Compare(_), _)) = self.lexer.peek().and_then(operator)
            {
                return Err(ExpressionError::new(at, "comparisons cannot be chained")
                    .with_help("multiply two comparisons: `(a < x)*(x < b)`"));
            }
            left = self.push(NodeKind::Binary(binary), left.start..right.end);
        }
    }

    /// Signs and what follows them: looser than powers, tighter than products.
    fn signed(&mut self) -> Result<Range<usize>, ExpressionError> {
        match self.lexer.peek() {
            Some(Token::Minus) => {
                let (_, sign) = self.lexer.next()?;
                let inner = self.nested(&sign, Self::signed)?;
                Ok(self.push(NodeKind::Negate, sign.start..inner.end))
            }
            Some(Token::Plus) => {
                let (_, sign) = self.lexer.next()?;
                let inner = self.nested(&sign, Self::signed)?;
                Ok(sign.start..inner.end)
            }
            _ => self.power(),
        }
    }

    /// A power, from the right: the exponent may have a sign.
    fn power(&mut self) -> Result<Range<usize>, ExpressionError> {
        let base = self.atom()?;
        match self.lexer.peek() {
            Some(Token::Caret) => {
                let (_, caret) = self.lexer.next()?;
                let exponent = self.nested(&caret, Self::signed)?;
                let span = base.start..exponent.end;
                Ok(self.push(NodeKind::Binary(Binary::Power), span))
            }
            Some(Token::Superscript(_)) => {
                let (_, span) = self.lexer.next()?;
                Err(ExpressionError::new(span, "powers are written with `^`"))
            }
            _ => Ok(base),
        }
    }

    fn atom(&mut self) -> Result<Range<usize>, ExpressionError> {
        let (token, span) = self.lexer.next()?;
        match token {
            Token::Number(value) => self.quantity(value, span),
            Token::Name if self.lexer.peek() == Some(Token::Open) => self.call(span),
            Token::Name => Ok(self.push(NodeKind::Name, span)),
            Token::Open => {
                self.nested(&span, |parser| parser.expression(Level::Compare))?;
                let end = self.close(&span)?;
                let whole = span.start..end;
                // The parentheses belong to what they hold: messages then show them. The span of
                // a name is the name itself.
                if let Some(last) = self.nodes.last_mut()
                    && last.kind != NodeKind::Name
                {
                    last.span = whole.clone();
                }
                Ok(whole)
            }
            Token::End if self.text.trim().is_empty() => Err(ExpressionError::new(
                0..self.text.len(),
                "the expression is empty",
            )
            .with_help("write a number or an expression, or remove the key")),
            Token::End => Err(ExpressionError::new(span, "the expression ends too early")
                .with_help("a number, a name or `(` is missing at the end")),
            Token::UnitSign => Err(ExpressionError::new(span, "write a unit directly after a number")),
            _ => Err(ExpressionError::new(
                span,
                "a number, a name or `(` is expected here",
            )),
        }
    }

    fn close(&mut self, open: &Range<usize>) -> Result<usize, ExpressionError> {
        let (token, span) = self.lexer.next()?;
        match token {
            Token::Close => Ok(span.end),
            Token::End => Err(ExpressionError::new(open.clone(), "this `(` is never closed")),
            Token::Comma => Err(
                ExpressionError::new(span, "`,` is allowed only between arguments")
                    .with_help("decimals are written with a point"),
            ),
            _ => Err(ExpressionError::new(span, "an operator or `)` is expected here")
                .with_help("to multiply, write `*`")),
        }
    }

    fn call(&mut self, name: Range<usize>) -> Result<Range<usize>, ExpressionError> {
        let (_, open) = self.lexer.next()?;
        let mut arguments = 0;
        if self.lexer.peek() != Some(Token::Close) {
            loop {
                self.nested(&open, |parser| parser.expression(Level::Compare))?;
                arguments += 1;
                if self.lexer.peek() != Some(Token::Comma) {
                    break;
                }
                self.lexer.next()?;
            }
        }
        let end = self.close(&open)?;
        let span = name.start..end;
        Ok(self.push(NodeKind::Call(name, arguments), span))
    }

    /// A number and the unit that may follow.
    fn quantity(&mut self, value: f64, number: Range<usize>) -> Result<Range<usize>, ExpressionError> {
        if !matches!(self.lexer.peek(), Some(Token::Name | Token::UnitSign)) {
            return Ok(self.push(NodeKind::Number(value, DimensionState::Plain), number));
        }
        let (_, span) = self.lexer.next()?;
        let name = &self.text[span.clone()];
        let first = units::find(name).ok_or_else(|| {
            let mut error = units::unknown(name, span.clone(), self.expected);
            let multiply =
                || format!("a name right after a number is its unit; to multiply, write `*{name}`");
            error.help.get_or_insert_with(multiply);
            error
        })?;
        let power = self.lexer.unit_power()?;
        let mut end = span.end;
        let mut unit = Unit::ONE.combine(first, power, false, span)?;
        // `*` and `/` belong to the unit when the name of a unit follows.
        loop {
            let mut ahead = self.lexer.clone();
            let divide = match ahead.next() {
                Ok((Token::Star, _)) => false,
                Ok((Token::Slash, _)) => true,
                _ => break,
            };
            let Ok((Token::Name, span)) = ahead.next() else {
                break;
            };
            let name = &self.text[span.clone()];
            // After an operator `t` is the time: `50 rpm*t`.
            let Some(next) = units::find(name).filter(|_| name != "t") else {
                break;
            };
            if ahead.peek() == Some(Token::Open) {
                break;
            }
            end = span.end;
            self.lexer = ahead;
            let power = self.lexer.unit_power()?;
            unit = unit.combine(next, power, divide, span)?;
        }
        let si = unit.in_si(value);
        let span = number.start..end.max(self.lexer.position());
        if !si.is_finite() {
            return Err(ExpressionError::new(span, "this is too large for a number"));
        }
        let state = if unit.is_ratio() {
            DimensionState::Plain
        } else {
            DimensionState::Known(unit.dimension())
        };
        Ok(self.push(NodeKind::Number(si, state), span))
    }
}

/// The operator of a token, except powers.
fn operator(token: Token) -> Option<(Binary, Level)> {
    let compare = |c| Some((Binary::Compare(c), Level::Compare));
    match token {
        Token::Plus => Some((Binary::Add, Level::Sum)),
        Token::Minus => Some((Binary::Subtract, Level::Sum)),
        Token::Star => Some((Binary::Multiply, Level::Product)),
        Token::Slash => Some((Binary::Divide, Level::Product)),
        Token::Less => compare(Comparison::Less),
        Token::LessEqual => compare(Comparison::LessEqual),
        Token::Greater => compare(Comparison::Greater),
        Token::GreaterEqual => compare(Comparison::GreaterEqual),
        Token::Equal => compare(Comparison::Equal),
        Token::NotEqual => compare(Comparison::NotEqual),
        _ => None,
    }
}
