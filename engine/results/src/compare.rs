//! Differences between two results, channel by channel.

use crate::{Column, Error, Result, Table};
use serde::{Deserialize, Serialize};

/// Numbers held in memory at a time, in bytes, beside the two time columns.
const BUDGET: u64 = 128 << 20;

/// How the second result is brought to the times of the first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Interpolation {
    /// A straight line between neighbouring rows.
    Linear,
    /// The cubic through four neighbouring rows; a straight line where there are fewer.
    #[default]
    Cubic,
}

/// What [`compare`] looks at.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct CompareOptions {
    /// Patterns of the columns wanted, of either result; none for all.
    pub columns: Vec<String>,
    /// Used only where the times differ.
    pub interpolation: Interpolation,
}

impl CompareOptions {
    /// Sets [`columns`](Self::columns).
    #[must_use]
    pub fn columns(mut self, columns: Vec<String>) -> Self {
        self.columns = columns;
        self
    }

    /// Sets [`interpolation`](Self::interpolation).
    #[must_use]
    pub fn interpolation(mut self, interpolation: Interpolation) -> Self {
        self.interpolation = interpolation;
        self
    }
}

/// How two results differ in one channel.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ChannelDifference {
    /// Name of the column.
    pub name: String,
    /// Its unit in the first result.
    pub unit: String,
    /// Its unit in the second result, if it is another one.
    pub other_unit: Option<String>,
    /// Largest |first − second|; infinite where only one of them is a number.
    pub max_abs: f64,
    /// Time of the largest difference.
    pub at: f64,
    /// Value of the first result there.
    pub first: f64,
    /// Value of the second result there.
    pub second: f64,
    /// Root of the mean square of the difference over the compared rows.
    pub rms: f64,
    /// Largest minus smallest finite value of either result.
    pub range: f64,
    /// `max_abs` divided by `range`; zero without difference, infinite for different constants.
    pub relative: f64,
}

/// How two results differ.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// Channels of both, in the order of the first.
    pub channels: Vec<ChannelDifference>,
    /// Columns of the first only.
    pub only_first: Vec<Column>,
    /// Columns of the second only.
    pub only_second: Vec<Column>,
    /// Rows of the first that were compared.
    pub rows: usize,
    /// First and last time compared.
    pub interval: (f64, f64),
    /// Both have the same times, so that nothing was interpolated.
    pub same_times: bool,
}

impl Comparison {
    /// The largest difference relative to the range, over all channels.
    pub fn worst(&self) -> Option<&ChannelDifference> {
        self.channels
            .iter()
            .max_by(|a, b| a.relative.total_cmp(&b.relative))
    }
}

/// Compares two results at the times of the first that the second covers too. Where the times
/// differ, the second is interpolated; two rows of the same time mark a jump, across which
/// nothing is interpolated.
///
/// ```
/// use holonom_results::{Column, CompareOptions, Metadata, Table, Writer, WriterOptions, compare};
///
/// let path = |name| std::env::temp_dir().join(format!("holonom-{name}-{}.arrows", std::process::id()));
/// let columns = [Column::time(), Column::new("x", "m", "")];
/// for (name, offset) in [("a", 0.0), ("b", 0.25)] {
///     let mut writer =
///         Writer::create(path(name), &columns, &Metadata::new(), &WriterOptions::default())?;
///     writer.push(&[0.0, 1.0 + offset])?;
///     writer.push(&[1.0, 2.0])?;
///     writer.finish()?;
/// }
/// let (a, b) = (Table::open(path("a"))?, Table::open(path("b"))?);
/// let comparison = compare(&a, &b, &CompareOptions::default())?;
/// assert_eq!(comparison.channels[0].max_abs, 0.25);
/// assert_eq!(comparison.channels[0].at, 0.0);
/// # for name in ["a", "b"] { std::fs::remove_file(path(name)).ok(); }
/// # Ok::<(), holonom_results::Error>(())
/// ```
pub fn compare(first: &Table, second: &Table, options: &CompareOptions) -> Result<Comparison> {
    let (wanted_first, wanted_second) = wanted(first, second, &options.columns)?;
    let index_in_second = |name: &str| second.columns().iter().position(|column| column.name == name);
    let common: Vec<(usize, usize)> = wanted_first
        .iter()
        .filter_map(|a| Some((*a, index_in_second(&first.columns()[*a].name)?)))
        .collect();
    let only = |table: &Table, other: &Table, wanted: &[usize]| -> Vec<Column> {
        let known = |column: &Column| other.columns().iter().any(|own| own.name == column.name);
        wanted
            .iter()
            .map(|index| &table.columns()[*index])
            .filter(|column| !known(column))
            .cloned()
            .collect()
    };

    let (ta, tb) = (times(first)?, times(second)?);
    let overlap = match (ta.first(), ta.last(), tb.first(), tb.last()) {
        (Some(a0), Some(a1), Some(b0), Some(b1)) => Some((a0.max(*b0), a1.min(*b1))),
        _ => None,
    };
    let rows = overlap.map_or(0..0, |(from, to)| {
        ta.partition_point(|t| *t < from)..ta.partition_point(|t| *t <= to)
    });
    if rows.is_empty() {
        let covered = |times: &[f64]| match times {
            [] => "no time at all".to_string(),
            [from, .., to] => format!("{from} to {to} s"),
            [only] => format!("{only} s"),
        };
        let paths = Box::new((first.path().to_path_buf(), second.path().to_path_buf()));
        return Err(Error::NoOverlap {
            paths,
            first: covered(&ta),
            second: covered(&tb),
        });
    }
    let same_times = ta == tb;
    let places = if same_times {
        Vec::new()
    } else {
        places(&ta[rows.clone()], &tb)
    };

    let per_column = 8 * (ta.len() + tb.len()) as u64;
    let together = (BUDGET / per_column.max(1)).max(1) as usize;
    let mut channels = Vec::with_capacity(common.len());
    for group in common.chunks(together) {
        let (a, b): (Vec<usize>, Vec<usize>) = group.iter().copied().unzip();
        let (values_a, values_b) = (first.columns_at(&a)?, second.columns_at(&b)?);
        for (((ia, ib), va), vb) in group.iter().zip(&values_a).zip(&values_b) {
            let mut tally = Tally::default();
            for (offset, row) in rows.clone().enumerate() {
                let other = match places.get(offset) {
                    None => vb[row],
                    Some(place) => place.value(ta[row], &tb, vb, options.interpolation),
                };
                tally.add(ta[row], va[row], other);
            }
            channels.push(tally.finish(&first.columns()[*ia], &second.columns()[*ib]));
        }
    }
    Ok(Comparison {
        channels,
        only_first: only(first, second, &wanted_first),
        only_second: only(second, first, &wanted_second),
        interval: (ta[rows.start], ta[rows.end - 1]),
        rows: rows.len(),
        same_times,
    })
}

/// Numbers of the columns wanted, without the time. A pattern must match in one of the results.
fn wanted(first: &Table, second: &Table, patterns: &[String]) -> Result<(Vec<usize>, Vec<usize>)> {
    if patterns.is_empty() {
        return Ok((
            (1..first.columns().len()).collect(),
            (1..second.columns().len()).collect(),
        ));
    }
    let (mut a, mut b) = (Vec::new(), Vec::new());
    for pattern in patterns {
        let found = (first.select(&[pattern]), second.select(&[pattern]));
        if let (Err(error), Err(_)) = found {
            return Err(error);
        }
        let add = |to: &mut Vec<usize>, found: Result<Vec<usize>>| {
            let fresh: Vec<usize> = found
                .unwrap_or_default()
                .into_iter()
                .filter(|i| *i != 0 && !to.contains(i))
                .collect();
            to.extend(fresh);
        };
        add(&mut a, found.0);
        add(&mut b, found.1);
    }
    Ok((a, b))
}

/// The first column, checked to be in order.
fn times(table: &Table) -> Result<Vec<f64>> {
    let times = table.columns_at(&[0])?.pop().unwrap_or_default();
    let mut before = f64::NEG_INFINITY;
    for (row, found) in times.iter().copied().enumerate() {
        if found.is_nan() || found < before {
            return Err(Error::Time {
                path: table.path().to_path_buf(),
                row,
                before,
                found,
            });
        }
        before = found;
    }
    Ok(times)
}

/// Where a time of the first result falls in the second.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Place {
    /// On this row.
    Row(usize),
    /// Between row `left` and the next; `from..to` are the rows around it without a jump.
    Between { left: usize, from: usize, to: usize },
}

/// The place of every time; all of them lie within the times of the second result.
fn places(ta: &[f64], tb: &[f64]) -> Vec<Place> {
    let mut places = Vec::with_capacity(ta.len());
    let (mut low, mut high) = (0, 0);
    for (index, t) in ta.iter().enumerate() {
        while low < tb.len() && tb[low] < *t {
            low += 1;
        }
        high = high.max(low);
        while high < tb.len() && tb[high] <= *t {
            high += 1;
        }
        places.push(if low < high {
            // At a jump the last of several rows of one time belongs to what follows, the
            // earlier ones to what was before. A single row is taken as what follows.
            let last_of_several = ta.get(index + 1) != Some(t);
            Place::Row(if last_of_several { high - 1 } else { low })
        } else {
            let left = low.saturating_sub(1);
            let mut from = left;
            while from > 0 && left - from < 1 && tb[from - 1] < tb[from] {
                from -= 1;
            }
            let mut to = (left + 2).min(tb.len());
            if to < tb.len() && tb[to - 1] < tb[to] {
                to += 1;
            }
            // At an end the four rows lie on one side.
            if to - from < 4 && from > 0 && from < left && tb[from - 1] < tb[from] {
                from -= 1;
            }
            if to - from < 4 && to < tb.len() && tb[to - 1] < tb[to] {
                to += 1;
            }
            Place::Between { left, from, to }
        });
    }
    places
}

impl Place {
    fn value(self, t: f64, times: &[f64], values: &[f64], interpolation: Interpolation) -> f64 {
        match self {
            Self::Row(row) => values[row],
            Self::Between { from, to, .. } if interpolation == Interpolation::Cubic && to - from == 4 => {
                // Lagrange's form: Σ yᵢ Π (t − tⱼ)/(tᵢ − tⱼ).
                let term = |i: usize| {
                    let others = (from..to).filter(|j| *j != i);
                    values[i]
                        * others
                            .map(|j| (t - times[j]) / (times[i] - times[j]))
                            .product::<f64>()
                };
                (from..to).map(term).sum()
            }
            Self::Between { left, .. } => {
                let right = (left + 1).min(times.len() - 1);
                let s = (t - times[left]) / (times[right] - times[left]);
                values[left] + s * (values[right] - values[left])
            }
        }
    }
}

/// Gathers the differences of one channel.
struct Tally {
    rows: usize,
    worst: Option<(f64, f64, f64, f64)>,
    /// Sum of squares as scale²·sum, so that nothing overflows.
    scale: f64,
    sum: f64,
    least: f64,
    most: f64,
}

impl Default for Tally {
    fn default() -> Self {
        let (least, most) = (f64::INFINITY, f64::NEG_INFINITY);
        Self {
            rows: 0,
            worst: None,
            scale: 0.0,
            sum: 0.0,
            least,
            most,
        }
    }
}

impl Tally {
    fn add(&mut self, t: f64, a: f64, b: f64) {
        let equal = a == b || (a.is_nan() && b.is_nan());
        let gap = (a - b).abs();
        let difference = if equal {
            0.0
        } else if gap.is_nan() {
            f64::INFINITY
        } else {
            gap
        };
        if self.worst.is_none_or(|(worst, ..)| difference > worst) {
            self.worst = Some((difference, t, a, b));
        }
        if difference > self.scale {
            let ratio = if difference.is_finite() {
                self.scale / difference
            } else {
                0.0
            };
            self.sum = self.sum * ratio * ratio + 1.0;
            self.scale = difference;
        } else if difference > 0.0 && self.scale.is_finite() {
            self.sum += (difference / self.scale).powi(2);
        }
        for value in [a, b].into_iter().filter(|value| value.is_finite()) {
            self.least = self.least.min(value);
            self.most = self.most.max(value);
        }
        self.rows += 1;
    }

    fn finish(self, first: &Column, second: &Column) -> ChannelDifference {
        let (max_abs, at, a, b) = self.worst.unwrap_or((0.0, f64::NAN, f64::NAN, f64::NAN));
        let range = (self.most - self.least).max(0.0);
        ChannelDifference {
            name: first.name.clone(),
            unit: first.unit.clone(),
            other_unit: (first.unit != second.unit).then(|| second.unit.clone()),
            max_abs,
            at,
            first: a,
            second: b,
            rms: self.scale * (self.sum / self.rows.max(1) as f64).sqrt(),
            range,
            relative: if max_abs == 0.0 { 0.0 } else { max_abs / range },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cubics_are_exact_and_jumps_are_respected() {
        let cubic = |t: f64| 1.0 - t + 0.5 * t * t * t;
        let tb: Vec<f64> = (0..12)
            .map(|i| 0.3 * f64::from(i) + 0.02 * f64::from(i * i))
            .collect();
        let vb: Vec<f64> = tb.iter().map(|t| cubic(*t)).collect();
        let ta: Vec<f64> = (0..50).map(|i| tb[11] * f64::from(i) / 49.0).collect();
        for (t, place) in ta.iter().zip(places(&ta, &tb)) {
            assert!(
                (place.value(*t, &tb, &vb, Interpolation::Cubic) - cubic(*t)).abs() < 1e-12,
                "t = {t}"
            );
            // Straight lines: at most h²/8 · max |x''|, with x'' = 3 t here.
            let bound = (tb[11] - tb[10]).powi(2) / 8.0 * 3.0 * tb[11];
            assert!((place.value(*t, &tb, &vb, Interpolation::Linear) - cubic(*t)).abs() <= bound);
        }
        // Zero before t = 4, one after; nothing in between.
        let tb = [0.0, 1.0, 2.0, 3.0, 4.0, 4.0, 5.0, 6.0, 7.0, 8.0];
        let vb = [0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0, 1.0];
        let ta = [0.5, 1.5, 2.5, 3.5, 4.0, 4.0, 4.5, 5.5, 7.5];
        let found: Vec<f64> = ta
            .iter()
            .zip(places(&ta, &tb))
            .map(|(t, place)| place.value(*t, &tb, &vb, Interpolation::Cubic))
            .collect();
        assert_eq!(found, [0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0]);
        assert_eq!(places(&[4.0], &tb), [Place::Row(5)]);
    }

    #[test]
    fn tally_of_odd_values() {
        let column = Column::new("x", "m", "");
        let tally = |pairs: &[(f64, f64)]| {
            let mut tally = Tally::default();
            for (row, (a, b)) in pairs.iter().enumerate() {
                tally.add(row as f64, *a, *b);
            }
            tally.finish(&column, &column)
        };
        let nan = tally(&[(f64::NAN, f64::NAN), (f64::INFINITY, f64::INFINITY), (1.0, 1.0)]);
        assert_eq!((nan.max_abs, nan.rms, nan.relative), (0.0, 0.0, 0.0));
        let lost = tally(&[(1.0, 1.5), (2.0, f64::NAN), (3.0, 3.5)]);
        assert_eq!(
            (lost.max_abs, lost.at, lost.rms),
            (f64::INFINITY, 1.0, f64::INFINITY)
        );
        let usual = tally(&[(0.0, 3.0), (10.0, 6.0)]);
        assert_eq!(
            (usual.max_abs, usual.at, usual.first, usual.second),
            (4.0, 1.0, 10.0, 6.0)
        );
        assert!((usual.rms - 12.5_f64.sqrt()).abs() < 1e-15);
        assert_eq!((usual.range, usual.relative), (10.0, 0.4));
        assert_eq!(tally(&[(1e300, -1e300)]).rms, 2e300);
        assert_eq!(tally(&[(1.0, 2.0), (1.0, 2.0)]).relative, 1.0);
    }
}
