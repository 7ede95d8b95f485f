//! The lane changes of ISO 3888.
//!
//! Three lanes, marked by cones, with a length of the track between them that is not marked: the
//! vehicle enters through the first, changes to the second and comes back to the third. Lengths are
//! fixed, widths follow from the width b of the vehicle without mirrors.
//!
//! | | section 1 | 2 | 3 | 4 | 5 | offset of section 3 |
//! |---|---|---|---|---|---|---|
//! | ISO 3888-1 | 15 m, 1.1 b + 0.25 m | 30 m | 25 m, 1.2 b + 0.25 m | 25 m | 15 m + 15 m, 1.3 b + 0.25 m | 3.5 m |
//! | ISO 3888-2 | 12 m, 1.1 b + 0.25 m | 13.5 m | 11 m, b + 1 m | 12.5 m | 12 m, 1.3 b + 0.25 m, at least 3 m | 1 m |
//!
//! Sources: ISO 3888-1:2018 and ISO 3888-2:2011 as other programs and papers quote them (the
//! standards themselves were not at hand); the total of 61 m of part 2 and that of about 125 m of
//! part 1 agree with published summaries. The offset of part 2 is the gap between the left border of
//! section 1 and the right border of section 3. The right borders of sections 1 and 5 are in line. What
//! the 3.5 m of part 1 lie between is quoted in different ways; here these are the right borders of
//! sections 1 and 3.
//!
//! The standard says where the cones stand, not how to drive between them. The path here is the
//! middle of each lane, and a quintic step between them that begins some way before the end of a lane
//! and ends as far behind the beginning of the next. Borders between the lanes are those of both
//! together.

use super::{Lane, PathCurve, PathError, bounded, not_negative};
use crate::fields::Field;
use crate::tyre::smooth::rise;

pub(super) const WIDTH: Field = Field::required("width", "m", "Width of the vehicle, without mirrors.");
pub(super) const START: Field = Field::optional("start", "m", "x at which section 1 starts.");
pub(super) const OVERLAP: Field = Field::optional(
    "overlap",
    "m",
    "Distance by which a lane change starts before the end of a lane and ends after the start of the next.",
);

/// Numbers of a lane change; both changes need room in the lane between them.
pub(super) fn checked(width: f64, start: f64, overlap: f64, most: f64) -> Result<(f64, f64, f64), PathError> {
    let positive = width > 0.0 && width.is_finite();
    Ok((
        bounded(["width", "the width of the vehicle"], width, positive, "positive")?,
        not_negative(["start", "the beginning"], start)?,
        bounded(
            ["overlap", "the overlap"],
            overlap,
            (0.0..=most).contains(&overlap),
            "between zero and half the length of section 3",
        )?,
    ))
}

/// A lane change: what the two parts of the standard have in common.
pub(super) struct Course {
    /// Lengths of the five sections, m.
    pub lengths: [f64; 5],
    /// Widths of sections 1, 3, 5, m.
    pub widths: [f64; 3],
    /// From the right border of section 1 to that of section 3, m.
    pub offset: f64,
    /// Where section 1 begins, m.
    pub start: f64,
    /// By how much a change reaches into the lanes at its ends, m.
    pub overlap: f64,
}

impl Course {
    /// Beginnings and ends of the lanes along x.
    fn lanes(&self) -> [[f64; 2]; 3] {
        let mut x = self.start;
        let ends = self.lengths.map(|length| {
            x += length;
            x
        });
        [[self.start, ends[0]], [ends[1], ends[2]], [ends[3], ends[4]]]
    }

    /// Middles of the lanes; that of the first is y = 0.
    fn middles(&self) -> [f64; 3] {
        let [first, second, third] = self.widths;
        [0.0, self.offset + 0.5 * (second - first), 0.5 * (third - first)]
    }

    pub fn curve(&self) -> Result<PathCurve, PathError> {
        /// Distance of the points, m.
        const STEP: f64 = 0.25;
        let (lanes, middles) = (self.lanes(), self.middles());
        // Of the two changes: from where to where, and from which y to which.
        let changes = [0, 1].map(|k| {
            let (from, to) = (lanes[k][1] - self.overlap, lanes[k + 1][0] + self.overlap);
            ([from, to], [middles[k], middles[k + 1]])
        });
        let y = |x: f64| {
            let mut y = 0.0;
            for ([from, to], [before, after]) in changes {
                let [share, _] = rise((x - from) / (to - from));
                y += share * (after - before);
            }
            y
        };
        // Points where something begins or ends are among those of the path.
        let last = lanes[2][1];
        let mut marks = vec![0.0];
        marks.extend(lanes.as_flattened());
        marks.extend(changes.iter().flat_map(|(ends, _)| ends));
        marks.retain(|x| *x >= 0.0);
        marks.sort_by(f64::total_cmp);
        marks.dedup_by(|a, b| *a - *b < 1e-6);
        let mut along = Vec::new();
        for pair in marks.windows(2) {
            let parts = ((pair[1] - pair[0]) / STEP).ceil().max(1.0);
            along.extend((0..parts as usize).map(|k| pair[0] + (pair[1] - pair[0]) * k as f64 / parts));
        }
        along.push(last);
        let points: Vec<[f64; 2]> = along.iter().map(|&x| [x, y(x)]).collect();
        let mut path = PathCurve::through(&points, false)?;
        path.lane = Some(Lane::Borders {
            knots: self.borders(&lanes, &middles),
        });
        Ok(path)
    }

    /// x, left and right border at the ends of the lanes. Between two lanes nothing stands: there the
    /// borders are the outer ones of both, reached over a metre.
    fn borders(&self, lanes: &[[f64; 2]; 3], middles: &[f64; 3]) -> Vec<[f64; 3]> {
        const OPENING: f64 = 1.0;
        let sides = |k: usize| {
            let half = 0.5 * self.widths[k];
            [middles[k] + half, middles[k] - half]
        };
        let mut knots = Vec::with_capacity(10);
        for (k, lane) in lanes.iter().enumerate() {
            let [left, right] = sides(k);
            knots.extend(lane.map(|x| [x, left, right]));
            if let Some(next) = lanes.get(k + 1) {
                let [other_left, other_right] = sides(k + 1);
                let (left, right) = (left.max(other_left), right.min(other_right));
                let open = [lane[1] + OPENING, next[0] - OPENING];
                knots.extend(open.map(|x| [x, left, right]));
            }
        }
        knots
    }
}
