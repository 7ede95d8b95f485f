//! The kinds of paths with their fields.

use super::lanes::Course;
use super::{PathCurve, PathError, spline};
use crate::description::Document;
use crate::fields::{Field, Fields};
use holonom_expression::curve::{Column, points_of_text};

/// An entry of the registry: what users need to know about a kind of path.
#[derive(Debug)]
pub struct PathInfo {
    /// Name in model files and reports.
    pub name: &'static str,
    /// One sentence for users.
    pub doc: &'static str,
    /// The kind as absent fields leave it.
    pub template: fn() -> PathKind,
    /// Shows the fields of a path of this kind; one of another kind has none to show.
    pub fields: fn(&mut PathKind, &mut dyn Fields),
}

/// What a path looks like.
#[derive(Clone, Debug, PartialEq)]
pub enum PathKind {
    /// The x axis.
    Straight {
        /// Width of the lane, m; zero for none.
        lane: f64,
    },
    /// A circle through the origin, begun along x.
    Circle {
        /// Radius, m; negative for a circle to the right.
        radius: f64,
        /// Width of the lane, m; zero for none.
        lane: f64,
    },
    /// A smooth line through points.
    Points {
        /// x of the points, m.
        x: Vec<f64>,
        /// y of the points, m.
        y: Vec<f64>,
        /// It leads from the last point back to the first.
        closed: bool,
        /// Width of the lane, m; zero for none.
        lane: f64,
    },
    /// A smooth line through points in a file.
    File {
        /// Two columns: x and y, m.
        file: Document,
        /// It leads from the last point back to the first.
        closed: bool,
        /// Width of the lane, m; zero for none.
        lane: f64,
    },
    /// The double lane change of ISO 3888-1.
    Iso3888One {
        /// Width of the vehicle, m.
        width: f64,
        /// x at which section 1 begins, m.
        start: f64,
        /// From the right border of section 1 to that of section 3, m.
        offset: f64,
        /// By how much a change of lane reaches into the lanes, m.
        overlap: f64,
    },
    /// The obstacle avoidance of ISO 3888-2.
    Iso3888Two {
        /// Width of the vehicle, m.
        width: f64,
        /// x at which section 1 begins, m.
        start: f64,
        /// From the left border of section 1 to the right border of section 3, m.
        gap: f64,
        /// By how much a change of lane reaches into the lanes, m.
        overlap: f64,
    },
}

/// All kinds of paths.
pub const PATHS: &[&PathInfo] = &[&STRAIGHT, &CIRCLE, &POINTS, &FILE, &ISO_3888_1, &ISO_3888_2];

const LANE: Field = Field::optional(
    "lane",
    "m",
    "Width of the lane, centred on the path; zero for no lane.",
);
const CLOSED: Field = Field::optional("closed", "", "Connects the last point to the first.");
const WIDTH: Field = Field::required("width", "m", "Width of the vehicle, without mirrors.");
const START: Field = Field::optional("start", "m", "x at which section 1 starts.");
const OVERLAP: Field = Field::optional(
    "overlap",
    "m",
    "Distance by which a lane change starts before the end of a lane and ends after the start of the next.",
);

const STRAIGHT: PathInfo = PathInfo {
    name: "straight",
    doc: "The x axis of its frame.",
    template: || PathKind::Straight { lane: 0.0 },
    fields: |kind, visitor| {
        if let PathKind::Straight { lane } = kind {
            visitor.number(&LANE, lane);
        }
    },
};

const CIRCLE: PathInfo = PathInfo {
    name: "circle",
    doc: "A circle that starts at the origin of its frame along x.",
    template: || PathKind::Circle {
        radius: 0.0,
        lane: 0.0,
    },
    fields: |kind, visitor| {
        if let PathKind::Circle { radius, lane } = kind {
            let doc = "Radius; negative for a circle to the right.";
            visitor.number(&Field::required("radius", "m", doc), radius);
            visitor.number(&LANE, lane);
        }
    },
};

const POINTS: PathInfo = PathInfo {
    name: "points",
    doc: "A curve with continuous curvature through given points.",
    template: || PathKind::Points {
        x: Vec::new(),
        y: Vec::new(),
        closed: false,
        lane: 0.0,
    },
    fields: |kind, visitor| {
        if let PathKind::Points { x, y, closed, lane } = kind {
            visitor.numbers(&Field::required("x", "m", "x of the points."), x);
            visitor.numbers(&Field::required("y", "m", "y of the points."), y);
            visitor.flag(&CLOSED, closed);
            visitor.number(&LANE, lane);
        }
    },
};

const FILE: PathInfo = PathInfo {
    name: "file",
    doc: "A curve with continuous curvature through the points in a file.",
    template: || PathKind::File {
        file: Document::default(),
        closed: false,
        lane: 0.0,
    },
    fields: |kind, visitor| {
        if let PathKind::File { file, closed, lane } = kind {
            let doc = "File whose first two columns are x and y, with or without headings; in m unless a heading gives a unit, as in `x [mm]`.";
            visitor.document(&Field::required("file", "", doc), file);
            visitor.flag(&CLOSED, closed);
            visitor.number(&LANE, lane);
        }
    },
};

const ISO_3888_1: PathInfo = PathInfo {
    name: "iso-3888-1",
    doc: "The double lane change of ISO 3888-1 to the left, with its lanes.",
    template: || PathKind::iso_3888_1(0.0),
    fields: |kind, visitor| {
        if let PathKind::Iso3888One {
            width,
            start,
            offset,
            overlap,
        } = kind
        {
            visitor.number(&WIDTH, width);
            visitor.number(&START, start);
            let doc = "Lateral distance from the right border of section 1 to that of section 3.";
            visitor.number(&Field::optional("offset", "m", doc), offset);
            visitor.number(&OVERLAP, overlap);
        }
    },
};

const ISO_3888_2: PathInfo = PathInfo {
    name: "iso-3888-2",
    doc: "The obstacle avoidance manoeuvre of ISO 3888-2 to the left, with its lanes.",
    template: || PathKind::iso_3888_2(0.0),
    fields: |kind, visitor| {
        if let PathKind::Iso3888Two {
            width,
            start,
            gap,
            overlap,
        } = kind
        {
            visitor.number(&WIDTH, width);
            visitor.number(&START, start);
            let doc = "Lateral distance from the left border of section 1 to the right border of section 3.";
            visitor.number(&Field::optional("gap", "m", doc), gap);
            visitor.number(&OVERLAP, overlap);
        }
    },
};

impl PathKind {
    /// The double lane change of ISO 3888-1 for a vehicle of some width, from x = 0.
    pub fn iso_3888_1(width: f64) -> Self {
        Self::Iso3888One {
            width,
            start: 0.0,
            offset: 3.5,
            overlap: 5.0,
        }
    }

    /// The obstacle avoidance of ISO 3888-2 for a vehicle of some width, from x = 0.
    pub fn iso_3888_2(width: f64) -> Self {
        Self::Iso3888Two {
            width,
            start: 0.0,
            gap: 1.0,
            overlap: 2.0,
        }
    }

    /// The registry's entry of the kind.
    pub fn info(&self) -> &'static PathInfo {
        match self {
            Self::Straight { .. } => &STRAIGHT,
            Self::Circle { .. } => &CIRCLE,
            Self::Points { .. } => &POINTS,
            Self::File { .. } => &FILE,
            Self::Iso3888One { .. } => &ISO_3888_1,
            Self::Iso3888Two { .. } => &ISO_3888_2,
        }
    }

    pub(super) fn curve(&self) -> Result<PathCurve, PathError> {
        let lane_of = |width: f64| not_negative(["lane", "the width of the lane"], width);
        match self {
            Self::Straight { lane } => Ok(PathCurve::arc(0.0).with_lane(lane_of(*lane)?)),
            Self::Circle { radius, lane } => {
                let turns = *radius != 0.0 && radius.is_finite();
                let radius = bounded(["radius", "the radius"], *radius, turns, "finite and not zero")?;
                Ok(PathCurve::arc(1.0 / radius).with_lane(lane_of(*lane)?))
            }
            Self::Points { x, y, closed, lane } => {
                if x.len() != y.len() {
                    let (x, y) = (x.len(), y.len());
                    return Err(PathError::Lengths { x, y });
                }
                through(x, y, *closed, lane_of(*lane)?)
            }
            Self::File { file, closed, lane } => {
                let name = if file.name.is_empty() { "path" } else { &file.name };
                let points = points_of_text(name, &file.text, [0, 1].map(Column::Index), false)?;
                let [x, y] = points.lengths(name)?;
                through(&x, &y, *closed, lane_of(*lane)?)
            }
            Self::Iso3888One {
                width,
                start,
                offset,
                overlap,
            } => {
                let (width, start, overlap) = course(*width, *start, *overlap, 12.5)?;
                let offset = not_negative(["offset", "the offset"], *offset)?;
                Course::double_lane_change(width, start, offset, overlap).curve()
            }
            Self::Iso3888Two {
                width,
                start,
                gap,
                overlap,
            } => {
                let (width, start, overlap) = course(*width, *start, *overlap, 5.5)?;
                let gap = not_negative(["gap", "the gap"], *gap)?;
                Course::obstacle(width, start, gap, overlap).curve()
            }
        }
    }
}

fn through(x: &[f64], y: &[f64], closed: bool, lane: f64) -> Result<PathCurve, PathError> {
    let points: Vec<[f64; 2]> = x.iter().zip(y).map(|(x, y)| [*x, *y]).collect();
    Ok(spline::through(&points, closed)?.with_lane(lane))
}

/// Numbers of a lane change; both changes need room in the lane between them.
fn course(width: f64, start: f64, overlap: f64, most: f64) -> Result<(f64, f64, f64), PathError> {
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

fn not_negative(quantity: [&'static str; 2], value: f64) -> Result<f64, PathError> {
    bounded(
        quantity,
        value,
        value >= 0.0 && value.is_finite(),
        "zero or positive",
    )
}

fn bounded(
    quantity: [&'static str; 2],
    value: f64,
    good: bool,
    bounds: &'static str,
) -> Result<f64, PathError> {
    if good {
        Ok(value)
    } else {
        Err(PathError::Bounds {
            quantity,
            value,
            bounds,
        })
    }
}
