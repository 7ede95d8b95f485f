//! What is found out about the rows of g, for programs and people.

use crate::formalism::reactions::ReactionElement;
use core::fmt;

/// Gap of a row that holds to rounding, in its scale.
const HOLDS: f64 = 1e-10;

/// Components of a reaction, for reports.
const COMPONENTS: [&str; 6] = [
    "force x", "force y", "force z", "moment x", "moment y", "moment z",
];

/// A row that the others imply.
#[derive(Clone, Debug, PartialEq)]
pub struct DroppedRow {
    /// Its number in [`Model::rows`](crate::Model::rows).
    pub row: usize,
    /// Name of its constraint or cut joint.
    pub constraint: String,
    /// Its own name: constraint and direction.
    pub name: String,
    /// How far it is from holding at the start, where the rows that take part hold.
    pub misfit: f64,
    /// The unit of that: m or rad; empty where both are coupled.
    pub unit: &'static str,
}

/// A row near the border: with slightly other data it would count the other way.
#[derive(Clone, Debug, PartialEq)]
pub struct DoubtfulRow {
    /// Its number in [`Model::rows`](crate::Model::rows).
    pub row: usize,
    /// Name of its constraint or cut joint.
    pub constraint: String,
    /// Its own name: constraint and direction.
    pub name: String,
    /// Whether it takes part.
    pub active: bool,
    /// The part of it that the other rows do not imply: rad, or parts of the loop's length, per rad or part
    /// of the length that the mechanism moves.
    pub independent_part: f64,
}

/// Whether the reaction of a joint or constraint follows from the motion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReactionUniqueness {
    /// Name of the joint or constraint.
    pub name: String,
    /// What it is.
    pub element: ReactionElement,
    /// By component: force x, y, z, moment x, y, z in the axes of the first frame; one entry for
    /// constraints on coordinates.
    pub components: Vec<bool>,
}

impl ReactionUniqueness {
    /// Whether all of it is unique.
    pub fn is_unique(&self) -> bool {
        self.components.iter().all(|&unique| unique)
    }
}

/// What was found out about the rows of g. Its `Display` is text for users.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RowReport {
    /// Rows that take part, in increasing order.
    pub active: Vec<usize>,
    /// Rows that do not.
    pub dropped: Vec<DroppedRow>,
    /// Rank of all rows at the start.
    pub rank: usize,
    /// Largest rank found at the start and positions near it; the number of active rows.
    pub generic_rank: usize,
    /// The rank at the start is lower than elsewhere.
    pub singular_start: bool,
    /// Velocities less independent rows.
    pub degrees_of_freedom: usize,
    /// Which reactions are unique: joints, then other constraints.
    pub uniqueness: Vec<ReactionUniqueness>,
    /// Rows near the border between independent and redundant.
    pub doubtful: Vec<DoubtfulRow>,
    /// The row that takes part and is most nearly implied by the others.
    pub weakest: Option<DoubtfulRow>,
    /// What each row of [`Model::rows`](crate::Model::rows) is measured by: the length of its loop, m, or 1 for angles.
    pub scales: Vec<f64>,
    /// Relative error of dropped rows, next to velocities and accelerations, that errors of the data explain.
    pub noise: f64,
    /// The same at the start itself, where the active rows may depend less on some motions.
    pub noise_at_start: f64,
}

impl fmt::Display for RowReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plural = |n: usize, one: &'static str, many: &'static str| if n == 1 { one } else { many };
        let freedoms = self.degrees_of_freedom;
        write!(
            f,
            "{freedoms} {} of freedom",
            plural(freedoms, "degree", "degrees")
        )?;
        let (kept, dropped) = (self.active.len(), self.dropped.len());
        match (kept, dropped) {
            (0, 0) => write!(f, "; no constraint rows")?,
            (_, 0) => write!(
                f,
                "; {kept} constraint {}, independent",
                plural(kept, "row", "rows")
            )?,
            _ => {
                let all = kept + dropped;
                let names: Vec<&str> = self.dropped.iter().map(|d| d.name.as_str()).collect();
                write!(
                    f,
                    "; {all} constraint rows, {kept} of them independent; dropped, because the \
                     others imply {}: {}",
                    plural(dropped, "it", "them"),
                    names.join(", ")
                )?;
            }
        }
        if self.singular_start {
            write!(
                f,
                "\nthe initial position is singular: only {} of the {} rows are independent there, and the \
                 mechanism may continue in more than one way",
                self.rank, self.generic_rank
            )?;
        }
        self.misfits(f)?;
        self.doubts(f)?;
        let open: Vec<&ReactionUniqueness> = self.uniqueness.iter().filter(|u| !u.is_unique()).collect();
        if !open.is_empty() {
            write!(f, "\nreactions that the motion does not determine:")?;
        }
        for u in open {
            let free = u.components.iter().enumerate().filter(|(_, unique)| !**unique);
            let names: Vec<&str> = match u.components.len() {
                6 => free.map(|(k, _)| COMPONENTS[k]).collect(),
                _ => vec!["force of the constraint"],
            };
            write!(f, "\n  {}: {}", u.name, names.join(", "))?;
        }
        Ok(())
    }
}

impl RowReport {
    /// Dropped rows that do not hold to rounding at the start.
    pub fn misfitting(&self) -> impl Iterator<Item = &DroppedRow> {
        self.dropped
            .iter()
            .filter(|d| d.misfit > HOLDS * self.scales.get(d.row).copied().unwrap_or(1.0))
    }

    /// The largest misfit of each unit, in words; empty when all rows hold to rounding.
    pub fn largest_misfits(&self) -> String {
        let mut largest: Vec<(&str, f64)> = Vec::new();
        for row in self.misfitting() {
            match largest.iter_mut().find(|(unit, _)| *unit == row.unit) {
                Some((_, most)) => *most = most.max(row.misfit),
                None => largest.push((row.unit, row.misfit)),
            }
        }
        let text = largest
            .iter()
            .map(|(unit, x)| format!("{x:.1e} {unit}").trim_end().to_string());
        text.collect::<Vec<_>>().join(" and ")
    }

    fn misfits(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.misfitting().map(|d| d.name.as_str()).collect();
        if names.is_empty() {
            return Ok(());
        }
        let (rows, hold, them) = match names.len() {
            1 => ("row", "holds", "it"),
            _ => ("rows", "hold", "them"),
        };
        write!(
            f,
            "\n{} redundant {rows} {hold} only to within {}: {}; data with more digits would satisfy {them} better",
            names.len(),
            self.largest_misfits(),
            names.join(", ")
        )
    }

    fn doubts(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (active, taken, other) in [
            (true, "independent", "redundant"),
            (false, "redundant", "independent"),
        ] {
            let rows: Vec<&DoubtfulRow> = self.doubtful.iter().filter(|d| d.active == active).collect();
            if rows.is_empty() {
                continue;
            }
            let named = rows
                .iter()
                .map(|d| format!("{} ({:.1e})", d.name, d.independent_part));
            let (n, freedoms) = (rows.len(), self.degrees_of_freedom);
            let otherwise = if active {
                freedoms + n
            } else {
                freedoms.saturating_sub(n)
            };
            write!(
                f,
                "\nuncertain, treated as {taken}: {}; the number in parentheses is the part that the other \
                 rows do not imply, relative to the loop's length or in rad; if {other}, there would be \
                 {otherwise} instead of {freedoms} degrees of freedom: give the data with more digits, or \
                 state their precision in `data_precision`",
                named.collect::<Vec<_>>().join(", ")
            )?;
        }
        Ok(())
    }
}

/// Level of a contradiction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// Positions.
    Position,
    /// Velocities.
    Velocity,
    /// Accelerations.
    Acceleration,
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Position => "positions",
            Self::Velocity => "velocities",
            Self::Acceleration => "accelerations",
        })
    }
}
