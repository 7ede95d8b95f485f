//! Reading text with separators.

use crate::chunk::{Chunk, Loss, LossReason, piece_rows};
use crate::column::{self, Column};
use crate::error::{Error, Result};
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

/// Separators that are written, and told apart when reading.
pub(crate) const SEPARATORS: [char; 4] = [',', ';', '\t', '|'];
/// No line is longer, in bytes.
const LONGEST: u64 = 1 << 26;

/// How the text is laid out.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Layout {
    separator: char,
}

/// What a text file says about itself.
pub(crate) struct Description {
    pub(crate) columns: Vec<Column>,
    pub(crate) rows: u64,
    pub(crate) loss: Option<Loss>,
    pub(crate) layout: Layout,
}

/// Reads the headings and every line once, so that later reading meets no surprise.
pub(crate) fn describe(path: &Path) -> Result<Description> {
    let mut lines = Lines::open(path)?;
    if !lines.next()? {
        return Err(lines.fault("the file holds no line of headings; write `t [s],name [unit],…` first"));
    }
    let head = lines.text()?;
    let separator = separator(head);
    let cells = split(head, separator);
    if cells.iter().all(|cell| cell.trim().parse::<f64>().is_ok()) {
        return Err(lines.fault("the first line holds numbers; write a line of headings before it"));
    }
    let columns: Vec<Column> = cells.iter().map(|cell| Column::from_heading(cell)).collect();
    column::distinct(&columns).map_err(|reason| lines.fault(&reason))?;

    let (mut rows, mut row, mut loss) = (0, Vec::new(), None);
    while lines.next()? {
        match lines.row(separator, columns.len(), &mut row) {
            Ok(()) => rows += 1,
            Err(_) if !lines.whole => {
                let bytes = lines.line.len() as u64;
                loss = Some(Loss {
                    reason: LossReason::Truncated,
                    at: lines.at - bytes,
                    bytes,
                    row: rows,
                });
            }
            Err(error) => return Err(error),
        }
    }
    Ok(Description {
        columns,
        rows,
        loss,
        layout: Layout { separator },
    })
}

/// The separator most frequent outside of quotes.
fn separator(head: &str) -> char {
    let mut counts = [0; SEPARATORS.len()];
    let mut quoted = false;
    for letter in head.chars() {
        quoted ^= letter == '"';
        if let (false, Some(index)) = (quoted, SEPARATORS.iter().position(|s| *s == letter)) {
            counts[index] += 1;
        }
    }
    let most = counts.iter().copied().max().unwrap_or(0);
    let index = counts.iter().position(|count| *count == most).unwrap_or(0);
    SEPARATORS[index]
}

/// The cells of a line of headings, quotes undone.
fn split(line: &str, separator: char) -> Vec<String> {
    let mut cells = vec![String::new()];
    let mut quoted = false;
    let mut letters = line.chars().peekable();
    while let Some(letter) = letters.next() {
        if letter == '"' && quoted && letters.peek() == Some(&'"') {
            letters.next();
        } else if letter == '"' {
            quoted = !quoted;
            continue;
        } else if letter == separator && !quoted {
            cells.push(String::new());
            continue;
        }
        if let Some(cell) = cells.last_mut() {
            cell.push(letter);
        }
    }
    cells
}

/// Lines of a file, without empty ones and comments (`#`).
struct Lines<'a> {
    path: &'a Path,
    reader: BufReader<File>,
    line: Vec<u8>,
    number: u64,
    /// Byte after the line.
    at: u64,
    /// Whether the line ends in a line break.
    whole: bool,
}

impl<'a> Lines<'a> {
    fn open(path: &'a Path) -> Result<Self> {
        let file = File::open(path).map_err(Error::io("open", path))?;
        let reader = BufReader::with_capacity(1 << 16, file);
        Ok(Self {
            path,
            reader,
            line: Vec::new(),
            number: 0,
            at: 0,
            whole: true,
        })
    }

    /// Goes to the next line; false at the end.
    fn next(&mut self) -> Result<bool> {
        loop {
            self.line.clear();
            let mut limited = (&mut self.reader).take(LONGEST);
            let read = limited
                .read_until(b'\n', &mut self.line)
                .map_err(Error::io("read", self.path))?;
            if read == 0 {
                return Ok(false);
            }
            self.number += 1;
            self.at += read as u64;
            // Some software marks UTF-8 with these bytes.
            if self.number == 1 && self.line.starts_with("\u{feff}".as_bytes()) {
                self.line.drain(..3);
            }
            self.whole = self.line.ends_with(b"\n");
            if read as u64 == LONGEST && !self.whole {
                return Err(self.fault("the line is longer than 64 MiB; this is no table of numbers"));
            }
            let blank = self.line.iter().all(u8::is_ascii_whitespace);
            if !blank && !self.line.starts_with(b"#") {
                return Ok(true);
            }
        }
    }

    fn text(&self) -> Result<&str> {
        let text = core::str::from_utf8(&self.line);
        let text = text.map_err(|_| self.fault("the line is not UTF-8; save the file as UTF-8"))?;
        Ok(text.trim_end_matches(['\n', '\r']))
    }

    /// The numbers of the line; empty cells are NaN.
    fn row(&self, separator: char, columns: usize, row: &mut Vec<f64>) -> Result<()> {
        row.clear();
        for cell in self.text()?.split(separator) {
            let cell = cell.trim().trim_matches('"');
            let value = if cell.is_empty() {
                Ok(f64::NAN)
            } else {
                cell.parse()
            };
            row.push(value.map_err(|_| {
                let shown: String = cell.chars().take(40).collect();
                self.fault(&format!(
                    "`{shown}` in cell {} is not a number; correct it",
                    row.len() + 1
                ))
            })?);
        }
        if row.len() != columns {
            let reason = format!(
                "{} cells under {columns} headings; add or remove cells",
                row.len()
            );
            return Err(self.fault(&reason));
        }
        Ok(())
    }

    fn fault(&self, reason: &str) -> Error {
        Error::Csv {
            path: self.path.to_path_buf(),
            line: self.number.max(1),
            reason: reason.to_string(),
        }
    }
}

/// Reads chosen columns in pieces.
pub(crate) struct Pieces<'a> {
    lines: Lines<'a>,
    layout: Layout,
    columns: usize,
    left: u64,
    chosen: Vec<usize>,
    row: Vec<f64>,
}

impl<'a> Pieces<'a> {
    pub(crate) fn new(
        path: &'a Path,
        layout: Layout,
        columns: usize,
        rows: u64,
        chosen: Vec<usize>,
    ) -> Result<Self> {
        let mut lines = Lines::open(path)?;
        lines.next()?;
        Ok(Self {
            lines,
            layout,
            columns,
            left: rows,
            chosen,
            row: Vec::new(),
        })
    }

    pub(crate) fn fill(&mut self, chunk: &mut Chunk) -> Result<bool> {
        let rows = self.left.min(piece_rows(self.chosen.len()) as u64) as usize;
        chunk.columns.iter_mut().for_each(Vec::clear);
        for _ in 0..rows {
            if !self.lines.next()? {
                let reason = "it has fewer lines now".to_string();
                return Err(Error::Changed {
                    path: self.lines.path.to_path_buf(),
                    reason,
                });
            }
            self.lines
                .row(self.layout.separator, self.columns, &mut self.row)?;
            for (column, out) in self.chosen.iter().zip(&mut chunk.columns) {
                out.push(self.row[*column]);
            }
        }
        chunk.rows = rows;
        self.left -= rows as u64;
        Ok(rows > 0)
    }
}
