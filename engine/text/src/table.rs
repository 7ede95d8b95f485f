//! Tables of aligned text.

/// Side to which a column is pushed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Align {
    /// Words.
    Left,
    /// Numbers.
    Right,
}

/// A table that is printed once it is complete.
#[derive(Clone, Debug)]
pub struct Table {
    columns: Vec<(String, Align)>,
    /// `None` is an empty line.
    rows: Vec<Option<Vec<String>>>,
}

impl Table {
    /// A table with these columns.
    pub fn new(columns: &[(&str, Align)]) -> Self {
        Self {
            columns: columns.iter().map(|(t, a)| (t.to_string(), *a)).collect(),
            rows: Vec::new(),
        }
    }

    /// Adds a row; cells that are left out stay empty.
    pub fn row<S: Into<String>>(&mut self, cells: impl IntoIterator<Item = S>) {
        self.rows.push(Some(cells.into_iter().map(Into::into).collect()));
    }

    /// Adds an empty line, except at the top.
    pub fn gap(&mut self) {
        if self.rows.last().is_some_and(Option::is_some) {
            self.rows.push(None);
        }
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The text, with a heading and a rule, each line ended.
    pub fn render(&self) -> String {
        self.render_within(usize::MAX)
    }

    /// The same in lines of so many characters: words go on below where they do not fit, unless
    /// a single one is too long.
    pub fn render_within(&self, most: usize) -> String {
        let titles: Vec<String> = self.columns.iter().map(|(t, _)| t.clone()).collect();
        let mut widths: Vec<usize> = titles.iter().map(|t| t.chars().count()).collect();
        let mut words = widths.clone();
        for cells in self.rows.iter().flatten() {
            for (k, cell) in cells.iter().enumerate().take(widths.len()) {
                widths[k] = widths[k].max(cell.chars().count());
                let longest = cell.split(' ').map(|word| word.chars().count()).max();
                words[k] = words[k].max(longest.unwrap_or(0));
            }
        }
        let gaps = 2 * widths.len().saturating_sub(1);
        // The widest column of words gives way first.
        while widths.iter().sum::<usize>() + gaps > most {
            let wide = (0..widths.len())
                .filter(|&k| self.columns[k].1 == Align::Left && widths[k] > words[k])
                .max_by_key(|&k| widths[k]);
            match wide {
                Some(k) => widths[k] -= 1,
                None => break,
            }
        }
        let mut text = self.line(&titles, &widths);
        let rules: Vec<String> = widths.iter().map(|w| "─".repeat(*w)).collect();
        text += &self.line(&rules, &widths);
        for row in &self.rows {
            let Some(cells) = row else {
                text.push('\n');
                continue;
            };
            let cells: Vec<Vec<String>> = cells.iter().zip(&widths).map(|(c, w)| wrapped(c, *w)).collect();
            let lines = cells.iter().map(Vec::len).max().unwrap_or(0);
            for line in 0..lines {
                let parts = cells
                    .iter()
                    .map(|cell| cell.get(line).cloned().unwrap_or_default());
                text += &self.line(&parts.collect::<Vec<_>>(), &widths);
            }
        }
        text
    }

    fn line(&self, cells: &[String], widths: &[usize]) -> String {
        let mut line = String::new();
        for ((cell, width), (_, align)) in cells.iter().zip(widths).zip(&self.columns) {
            match align {
                Align::Left => line += &format!("{cell:<width$}  "),
                Align::Right => line += &format!("{cell:>width$}  "),
            }
        }
        line.truncate(line.trim_end().len());
        line.push('\n');
        line
    }
}

/// A text in lines of so many characters; a longer word has a line of its own.
pub fn wrapped(text: &str, width: usize) -> Vec<String> {
    if text.chars().count() <= width {
        return vec![text.to_string()];
    }
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let last = lines.len() - 1;
        let line = &mut lines[last];
        if line.is_empty() {
            line.push_str(word);
        } else if line.chars().count() + 1 + word.chars().count() <= width {
            line.push(' ');
            line.push_str(word);
        } else {
            lines.push(word.to_string());
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned_by_characters() {
        let mut table = Table::new(&[("name", Align::Left), ("α", Align::Right)]);
        table.row(["ẏ", "1"]);
        table.gap();
        table.row(["longer", "100"]);
        assert_eq!(
            table.render(),
            "name      α\n──────  ───\nẏ         1\n\nlonger  100\n"
        );
    }

    #[test]
    fn words_go_on_below_where_they_do_not_fit() {
        let mut table = Table::new(&[("name", Align::Left), ("n", Align::Right), ("what", Align::Left)]);
        table.row(["arm", "12", "a long description of it"]);
        let narrow = table.render_within(24);
        assert_eq!(
            narrow,
            "name   n  what\n────  ──  ──────────────\narm   12  a long\n          description of\n          it\n"
        );
        assert_eq!(table.render_within(80), table.render());
        // No word is cut.
        assert!(table.render_within(3).contains("description"));
    }
}
