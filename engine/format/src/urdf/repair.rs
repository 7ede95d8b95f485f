//! Text that is almost XML, made well-formed without moving anything.
//!
//! Robot descriptions are read by parsers that do not check all of XML: comments contain `--`, the
//! declaration follows a licence, prefixes of Gazebo are not declared. Each repair replaces bytes
//! by as many others, so that places in the repaired text are those of the file.

use super::names::listed_once;
use super::xml::{Reader, quoted};
use core::ops::Range;
use std::collections::HashSet;

/// Prefixes that are never renamed: those of XML, and macros that must be expanded first.
const KEPT: [&str; 3] = ["xml", "xmlns", "xacro"];

/// A name with a prefix.
struct Prefixed<'t> {
    prefix: &'t str,
    /// Where its colon is.
    colon: usize,
    span: Range<usize>,
}

/// What a pass over the text finds.
#[derive(Default)]
struct Found<'t> {
    comments: Vec<Range<usize>>,
    declarations: Vec<Range<usize>>,
    prefixed: Vec<Prefixed<'t>>,
    declared: HashSet<&'t str>,
}

/// The text with its repairs, which are noted; none where there is nothing to repair.
pub(super) fn repaired(reader: &mut Reader, text: &str) -> Option<String> {
    let found = scan(text);
    let mut bytes = text.as_bytes().to_vec();
    let mut blank = |range: Range<usize>| {
        for byte in &mut bytes[range] {
            if *byte != b'\n' && *byte != b'\r' {
                *byte = b' ';
            }
        }
    };
    for comment in &found.comments {
        blank(comment.start + "<!--".len()..comment.end - "-->".len());
    }
    for declaration in &found.declarations {
        blank(declaration.clone());
    }
    for comment in &found.comments {
        let fate = "ignored although XML does not allow it";
        let span = comment.start..comment.start + "<!--".len();
        reader
            .notes
            .count("comment% with \"--\" inside", fate, span, None);
    }
    for declaration in &found.declarations {
        let fate = "ignored: it is not at the beginning of the file";
        reader
            .notes
            .count("XML declaration", fate, declaration.clone(), None);
    }
    let mut renamed = Vec::new();
    for name in &found.prefixed {
        if !found.declared.contains(name.prefix) && !KEPT.contains(&name.prefix) {
            bytes[name.colon] = b'_';
            renamed.push(name);
        }
    }
    if let Some(first) = renamed.first() {
        let names = listed_once(renamed.iter().map(|name| quoted(name.prefix)));
        let message = format!("prefixes that are not declared: {names}; what has them is not used");
        let help = "declare them with xmlns:…=\"…\" on <robot>";
        reader.notes.add(first.span.clone(), message, Some(help));
    }
    if found.comments.is_empty() && found.declarations.is_empty() && renamed.is_empty() {
        return None;
    }
    String::from_utf8(bytes).ok()
}

fn scan(text: &str) -> Found<'_> {
    let mut found = Found::default();
    let mut elements = false;
    let mut at = 0;
    while let Some(start) = text[at..].find('<').map(|offset| at + offset) {
        let rest = &text[start..];
        let end_of = |mark: &str| rest.find(mark).map(|offset| start + offset + mark.len());
        let end = if let Some(inside) = rest.strip_prefix("<!--") {
            inside.find("-->").map(|length| {
                let end = start + "<!--".len() + length + "-->".len();
                if inside[..length].contains("--") || inside[..length].ends_with('-') {
                    found.comments.push(start..end);
                }
                end
            })
        } else if rest.starts_with("<![CDATA[") {
            end_of("]]>")
        } else if rest.starts_with("<?") {
            let end = end_of("?>");
            let is_first = text[..start].trim_start_matches('\u{feff}').is_empty();
            let is_declaration = rest.starts_with("<?xml ") && !is_first && !elements;
            if let (Some(end), true) = (end, is_declaration) {
                found.declarations.push(start..end);
            }
            end
        } else {
            elements = true;
            Some(tag(text, start, &mut found))
        };
        // An open end is for the parser to report.
        let Some(end) = end else { break };
        at = end;
    }
    found
}

/// Goes over a tag; gives where it ends.
fn tag<'t>(text: &'t str, start: usize, found: &mut Found<'t>) -> usize {
    let bytes = text.as_bytes();
    let mut at = start + 1;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'>' => return at + 1,
            b'"' | b'\'' => match text[at + 1..].find(char::from(byte)) {
                Some(offset) => at += offset + 2,
                None => return text.len(),
            },
            _ if is_name(byte) => {
                let end = bytes[at..].iter().position(|b| !is_name(*b));
                let end = end.map_or(text.len(), |offset| at + offset);
                name(text, at..end, found);
                at = end;
            }
            _ => at += 1,
        }
    }
    text.len()
}

fn name<'t>(text: &'t str, span: Range<usize>, found: &mut Found<'t>) {
    let Some((prefix, local)) = text[span.clone()].split_once(':') else {
        return;
    };
    if prefix == "xmlns" {
        found.declared.insert(local);
    } else {
        found.prefixed.push(Prefixed {
            prefix,
            colon: span.start + prefix.len(),
            span,
        });
    }
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"_-.:".contains(&byte) || byte >= 0x80
}
