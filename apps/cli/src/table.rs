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
        let titles: Vec<String> = self.columns.iter().map(|(t, _)| t.clone()).collect();
        let mut widths: Vec<usize> = titles.iter().map(|t| t.chars().count()).collect();
        for cells in self.rows.iter().flatten() {
            for (width, cell) in widths.iter_mut().zip(cells) {
                *width = (*width).max(cell.chars().count());
            }
        }
        let mut text = self.line(&titles, &widths);
        let rules: Vec<String> = widths.iter().map(|w| "─".repeat(*w)).collect();
        text += &self.line(&rules, &widths);
        for row in &self.rows {
            match row {
                Some(cells) => text += &self.line(cells, &widths),
                None => text.push('\n'),
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
}
