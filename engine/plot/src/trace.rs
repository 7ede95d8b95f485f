//! Lines through many points, thinned out to what can be seen.

use crate::axes::Frame;
use crate::canvas::Point;

/// A line in pixels.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Trace {
    /// Pieces of two points and more.
    pub pieces: Vec<Vec<Point>>,
    /// Points without neighbours.
    pub single: Vec<Point>,
}

/// Most points of a line in the plane before coarser cells decide what is seen.
const MOST_POINTS: usize = 30_000;

impl Trace {
    /// The line through the points of a series. It has gaps where a value is missing or has no
    /// place on its axis.
    ///
    /// Where x never falls, what remains of a column of pixels is its first, least, largest and
    /// last value: nothing that could be seen is lost. Other lines lose their turns within half a
    /// pixel, and what lies on what was drawn before.
    pub fn new(frame: &Frame, x: &[f64], y: &[f64]) -> Self {
        let shown = |(x, y): (&f64, &f64)| {
            let is_shown = frame.horizontal.scale().shows(*x) && frame.vertical.scale().shows(*y);
            is_shown.then(|| frame.at(*x, *y))
        };
        let points = || x.iter().zip(y).map(shown);
        let count = x.len().min(y.len());
        if (count as f64) < 3.0 * frame.w {
            return Self::collect(points());
        }
        if x.windows(2)
            .all(|pair| pair[0] <= pair[1] || pair[0].is_nan() || pair[1].is_nan())
        {
            return Self::collect(Columns::new(points()));
        }
        let fine = Self::walk(frame, points(), 0.5, MOST_POINTS);
        let coarse = || Self::walk(frame, points(), 1.0, MOST_POINTS);
        let coarsest = || Self::walk(frame, points(), 2.0, usize::MAX);
        fine.or_else(coarse).or_else(coarsest).unwrap_or_default()
    }

    /// What of it lies within the frame.
    pub fn clipped(self, frame: &Frame) -> Self {
        let (left, right) = (frame.x, frame.x + frame.w);
        let (top, bottom) = (frame.y, frame.y + frame.h);
        let is_inside = |p: &Point| p.0 >= left && p.0 <= right && p.1 >= top && p.1 <= bottom;
        let mut inside = Self {
            single: self.single.into_iter().filter(is_inside).collect(),
            ..Self::default()
        };
        for piece in self.pieces {
            let mut current: Vec<Point> = Vec::new();
            for pair in piece.windows(2) {
                // Liang and Barsky: the part of the stretch within all four sides.
                let (a, d) = (pair[0], (pair[1].0 - pair[0].0, pair[1].1 - pair[0].1));
                let sides = [
                    (-d.0, a.0 - left),
                    (d.0, right - a.0),
                    (-d.1, a.1 - top),
                    (d.1, bottom - a.1),
                ];
                let (mut from, mut to) = (0.0_f64, 1.0_f64);
                for (slope, room) in sides {
                    if slope < 0.0 {
                        from = from.max(room / slope);
                    } else if slope > 0.0 {
                        to = to.min(room / slope);
                    } else if room < 0.0 {
                        to = -1.0;
                    }
                }
                // Not a number where a value is out of all bounds.
                if from > to || !(from.is_finite() && to.is_finite()) {
                    inside.end(&mut current);
                    continue;
                }
                let at = |part: f64| (a.0 + part * d.0, a.1 + part * d.1);
                if from > 0.0 || current.is_empty() {
                    inside.end(&mut current);
                    current.push(at(from));
                }
                current.push(if to < 1.0 { at(to) } else { pair[1] });
                if to < 1.0 {
                    inside.end(&mut current);
                }
            }
            inside.end(&mut current);
        }
        inside
    }

    /// Points in all.
    pub fn len(&self) -> usize {
        self.single.len() + self.pieces.iter().map(Vec::len).sum::<usize>()
    }

    fn collect(points: impl Iterator<Item = Option<Point>>) -> Self {
        let mut trace = Self::default();
        let mut piece = Vec::new();
        for point in points {
            match point {
                Some(point) => piece.push(point),
                None => trace.end(&mut piece),
            }
        }
        trace.end(&mut piece);
        trace
    }

    fn end(&mut self, piece: &mut Vec<Point>) {
        match piece.len() {
            0 => {}
            1 => self.single.push(piece[0]),
            _ => self.pieces.push(std::mem::take(piece)),
        }
        piece.clear();
    }

    /// Keeps a point when it is away from the one before by `size`, and a stretch when it touches
    /// a cell of that size that nothing before it did. `None` when more than `most` points remain.
    fn walk(
        frame: &Frame,
        points: impl Iterator<Item = Option<Point>>,
        size: f64,
        most: usize,
    ) -> Option<Self> {
        let mut cells = Cells::new(frame, size);
        let mut trace = Self::default();
        let mut count = 0;
        let mut piece: Vec<Point> = Vec::new();
        let mut last: Option<Point> = None;
        // The last point of a piece is kept wherever it is.
        let mut skipped: Option<Point> = None;
        for point in points {
            let Some(point) = point else {
                piece.extend(skipped.take());
                trace.end(&mut piece);
                last = None;
                continue;
            };
            let Some(before) = last else {
                piece.push(point);
                last = Some(point);
                continue;
            };
            if (point.0 - before.0).abs().max((point.1 - before.1).abs()) < size {
                skipped = Some(point);
                continue;
            }
            skipped = None;
            last = Some(point);
            if cells.touch(before, point) {
                if piece.is_empty() {
                    piece.push(before);
                }
                piece.push(point);
                count += 1;
                if count > most {
                    return None;
                }
            } else if piece.len() > 1 {
                trace.end(&mut piece);
            } else {
                piece.clear();
            }
        }
        piece.extend(skipped);
        trace.end(&mut piece);
        Some(trace)
    }
}

/// Cells of a frame that a line has touched.
struct Cells {
    corner: Point,
    size: f64,
    columns: usize,
    rows: usize,
    touched: Vec<bool>,
}

impl Cells {
    fn new(frame: &Frame, size: f64) -> Self {
        let columns = (frame.w / size).ceil() as usize + 1;
        let rows = (frame.h / size).ceil() as usize + 1;
        Self {
            corner: (frame.x, frame.y),
            size,
            columns,
            rows,
            touched: vec![false; columns * rows],
        }
    }

    /// Touches the cells along a stretch; whether one of them is new.
    fn touch(&mut self, from: Point, to: Point) -> bool {
        let (x, y) = (
            (from.0 - self.corner.0) / self.size,
            (from.1 - self.corner.1) / self.size,
        );
        let (dx, dy) = ((to.0 - from.0) / self.size, (to.1 - from.1) / self.size);
        let parts = dx.abs().max(dy.abs()).ceil().max(1.0);
        let mut is_new = false;
        for k in 0..=parts as usize {
            let s = k as f64 / parts;
            // Casts of negative numbers give zero.
            let column = ((x + s * dx) as usize).min(self.columns - 1);
            let row = ((y + s * dy) as usize).min(self.rows - 1);
            let cell = &mut self.touched[row * self.columns + column];
            is_new |= !std::mem::replace(cell, true);
        }
        is_new
    }
}

/// First, least, largest and last point of each column of pixels.
struct Columns<I> {
    points: I,
    /// Points that are ready, the next one last.
    ready: Vec<Option<Point>>,
    column: Option<Column>,
}

struct Column {
    at: f64,
    first: Point,
    last: Point,
    /// Least and largest, with their numbers within the column.
    low: (usize, Point),
    high: (usize, Point),
    count: usize,
}

impl Column {
    fn new(point: Point) -> Self {
        Self {
            at: point.0.floor(),
            first: point,
            last: point,
            low: (0, point),
            high: (0, point),
            count: 1,
        }
    }

    fn add(&mut self, point: Point) {
        if point.1 < self.low.1.1 {
            self.low = (self.count, point);
        }
        if point.1 > self.high.1.1 {
            self.high = (self.count, point);
        }
        self.last = point;
        self.count += 1;
    }

    /// In reverse order, to be taken from the end.
    fn write(self, to: &mut Vec<Option<Point>>) {
        let (early, late) = match self.low.0 <= self.high.0 {
            true => (self.low, self.high),
            false => (self.high, self.low),
        };
        let end = self.count - 1;
        if end > 0 {
            to.push(Some(self.last));
        }
        if late.0 > early.0 && late.0 < end {
            to.push(Some(late.1));
        }
        if early.0 > 0 && early.0 < end {
            to.push(Some(early.1));
        }
        to.push(Some(self.first));
    }
}

impl<I: Iterator<Item = Option<Point>>> Columns<I> {
    fn new(points: I) -> Self {
        Self {
            points,
            ready: Vec::with_capacity(5),
            column: None,
        }
    }
}

impl<I: Iterator<Item = Option<Point>>> Iterator for Columns<I> {
    type Item = Option<Point>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(point) = self.ready.pop() {
                return Some(point);
            }
            let done = match self.points.next() {
                Some(Some(point)) => match &mut self.column {
                    Some(column) if column.at == point.0.floor() => {
                        column.add(point);
                        None
                    }
                    column => column.replace(Column::new(point)),
                },
                Some(None) => {
                    self.ready.push(None);
                    self.column.take()
                }
                None => Some(self.column.take()?),
            };
            if let Some(column) = done {
                column.write(&mut self.ready);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::axes::Axis;

    fn frame(x: &[f64], y: &[f64]) -> Frame {
        Frame {
            x: 10.0,
            y: 20.0,
            w: 500.0,
            h: 300.0,
            horizontal: Axis::around(x.iter().copied(), 0.0),
            vertical: Axis::around(y.iter().copied(), 0.0),
        }
    }

    #[test]
    fn thinning_keeps_extremes_of_every_column() {
        let n = 1_000_000;
        let x: Vec<f64> = (0..n).map(|i| i as f64 / n as f64).collect();
        let mut y: Vec<f64> = x
            .iter()
            .map(|t| (40.0 * t).sin() + 0.2 * (12_345.0 * t).cos())
            .collect();
        // Spikes of one sample.
        y[123_456] = 9.0;
        y[700_001] = -7.0;
        let frame = frame(&x, &y);
        let trace = Trace::new(&frame, &x, &y);
        assert!(trace.len() <= 4 * 501, "{}", trace.len());
        let [piece] = trace.pieces.as_slice() else {
            panic!("one piece")
        };
        let mut wanted = std::collections::BTreeMap::new();
        for (x, y) in x.iter().zip(&y) {
            let (px, py) = frame.at(*x, *y);
            let entry = wanted.entry(px.floor() as i64).or_insert((py, py));
            *entry = (entry.0.min(py), entry.1.max(py));
        }
        for (column, (low, high)) in wanted {
            let inside = || piece.iter().filter(|p| p.0.floor() as i64 == column).map(|p| p.1);
            assert_eq!(inside().fold(f64::INFINITY, f64::min), low);
            assert_eq!(inside().fold(f64::NEG_INFINITY, f64::max), high);
        }
        assert!(piece.windows(2).all(|pair| pair[0].0 <= pair[1].0));
        assert_eq!(piece.first().copied(), Some(frame.at(x[0], y[0])));
        assert_eq!(piece.last().copied(), Some(frame.at(x[n - 1], y[n - 1])));
    }

    #[test]
    fn missing_values_are_gaps() {
        let x = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
        let y = [0.0, 1.0, f64::NAN, 0.5, f64::INFINITY, 0.2, 0.1];
        let trace = Trace::new(&frame(&x, &y), &x, &y);
        assert_eq!((trace.pieces.len(), trace.single.len()), (2, 1));
        // The same with many points.
        let x: Vec<f64> = (0..100_000).map(f64::from).collect();
        let mut y: Vec<f64> = x.iter().map(|t| t.sqrt()).collect();
        y[50_000] = f64::NAN;
        let trace = Trace::new(&frame(&x, &y), &x, &y);
        assert_eq!(trace.pieces.len(), 2);
    }

    #[test]
    fn loops_are_drawn_once() {
        let n = 300_000;
        let t = (0..n).map(|i| i as f64 * 0.001);
        let (x, y): (Vec<f64>, Vec<f64>) = t.map(|t| (t.cos(), (2.0 * t).sin())).unzip();
        let frame = frame(&x, &y);
        let trace = Trace::new(&frame, &x, &y);
        assert!((500..20_000).contains(&trace.len()), "{}", trace.len());
        let all = || trace.pieces.iter().flatten();
        let span = |f: fn(&Point) -> f64| {
            all().map(f).fold(f64::NEG_INFINITY, f64::max) - all().map(f).fold(f64::INFINITY, f64::min)
        };
        assert!((span(|p| p.0) - 500.0).abs() < 2.0 && (span(|p| p.1) - 300.0).abs() < 2.0);
    }

    #[test]
    fn any_lengths_will_do() {
        for (x, y) in [
            (vec![], vec![]),
            (vec![1.0], vec![]),
            (vec![1.0], vec![2.0]),
            (vec![f64::NAN; 5000], vec![1.0; 5000]),
            (vec![1.0; 5000], vec![1.0; 5000]),
        ] {
            let trace = Trace::new(&frame(&x, &y), &x, &y);
            assert!(trace.len() <= 4);
        }
    }
}
