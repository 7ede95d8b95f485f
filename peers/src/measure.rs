//! Work–precision curves of codes: which tolerances are tried, how often, and which times are taken.

use crate::codes::Code;
use crate::curve::{
    Along, Point, Reading, Rung, TIGHT, between, fit_at, interpolated_at, ladder, median, work_at,
};
use crate::interface::{Run, Settings, cpu_time};
use crate::report::seconds;
use holonom_dae::problems::Problem;

/// A sample of the CPU time repeats a run until this much time has been spent.
const SAMPLE_SECONDS: f64 = 5e-3;
/// The CPU time of runs longer than this is sampled at most three times.
const LONG_SECONDS: f64 = 1.0;
/// Of runs longer than this, the one that was made to find the digits is the only one.
const ONCE_SECONDS: f64 = 10.0;
/// Steps after which a run is given up; the longest that succeed take about 100 000.
const MAX_STEPS: u64 = 300_000;
/// Runs with at most this many times the least time or residuals at a level are timed again.
const NEAR: f64 = 1.5;
/// The same for runs longer than [`STEADY_SECONDS`], whose times vary less.
const NEAR_STEADY: f64 = 1.1;
/// See [`NEAR_STEADY`].
const STEADY_SECONDS: f64 = 0.2;
/// A code with more than this many times the least time of its side will not be the best for being measured better.
const RIVAL: f64 = 2.0;
/// Systems with more unknowns begin with one tolerance per decade: their runs take seconds.
const LARGE: usize = 200;

/// A quantity of work.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Quantity {
    /// Evaluations of the residual.
    Residuals,
    /// Evaluations of the Jacobian.
    Jacobians,
    /// CPU time.
    Cpu,
}

impl Quantity {
    /// Name in identifiers of checks.
    pub fn name(self) -> &'static str {
        match self {
            Self::Residuals => "residuals",
            Self::Jacobians => "jacobians",
            Self::Cpu => "cpu",
        }
    }
}

/// How curves are measured.
pub struct Options {
    /// After a run longer than this, in seconds, the code is not run at tighter tolerances.
    pub too_long: f64,
    /// CPU time in seconds at which a run is ended, whatever it has reached.
    pub limit: f64,
    /// Runs are ended, too, at this many times the least time known at the highest number of digits asked for.
    pub cut_off: Option<f64>,
    /// Whether tighter tolerances are tried after a run that was ended. They may take less: IDA and DASSL evaluate eight times
    /// as many Jacobians at 10⁻⁵ as at 10⁻⁹ on the chain of 16.
    pub go_on: bool,
    /// Digits at which work is read off, ascending.
    pub digits: Vec<f64>,
    /// Interleaved repetitions of each measurement of time.
    pub repeat: usize,
    /// Tolerances per decade to begin with.
    pub per_decade: u32,
    /// Judge the pendulum chain by its worst whole second instead of its end.
    pub along: bool,
    /// Codes of the same side are rivals: only the best of them counts.
    pub side: fn(&Code) -> Option<u8>,
}

impl Options {
    /// Digits beyond which there is no need to go where it takes long.
    fn enough(&self) -> f64 {
        self.digits.iter().copied().fold(0.0, f64::max) + 1.0
    }
}

/// One tolerance of one code.
pub struct Cell {
    /// Relative tolerance.
    pub rtol: f64,
    /// Digits reached.
    pub digits: f64,
    /// What the run gave.
    pub run: Run,
    /// The time as first measured.
    first: f64,
    /// The level, by number, in whose turn it is timed again.
    turn: Option<usize>,
    samples: Vec<f64>,
}

impl Cell {
    /// CPU time: the median of the samples, or the first measurement where there are none.
    pub fn cpu(&self) -> f64 {
        median(&self.samples).unwrap_or(self.first)
    }
}

/// One code on one problem.
pub struct Line {
    /// The code.
    pub code: Code,
    /// The runs that succeeded, loosest tolerance first.
    pub cells: Vec<Cell>,
    /// The time limit that ended the ladder, if one did.
    pub cut: Option<f64>,
    /// Runs of the ladder that were ended by it.
    ended: Vec<Run>,
    /// Everything that was tried, loosest tolerance first.
    rungs: Vec<Rung>,
    /// Why the code cannot take the problem, or stopped early on the ladder.
    refusal: Option<String>,
    /// Tolerances at which it failed, and how.
    failures: Vec<(f64, String)>,
    /// Tolerances at which it ran in a special way, and which.
    notes: Vec<(f64, String)>,
    /// Digits at which the time is read off from repeated measurements alone.
    timed: Vec<f64>,
}

impl Line {
    fn new(code: Code) -> Self {
        Self {
            code,
            cells: vec![],
            cut: None,
            ended: vec![],
            rungs: vec![],
            refusal: None,
            failures: vec![],
            notes: vec![],
            timed: vec![],
        }
    }

    /// All runs, with what they cost.
    pub fn points(&self, quantity: Quantity) -> Vec<Point> {
        self.cells.iter().map(|c| point(c, quantity)).collect()
    }

    /// The work at `d` digits, if it gets there.
    pub fn at(&self, quantity: Quantity, d: f64) -> Option<Reading> {
        // Once some are measured better, a lucky first measurement of another must not win.
        let counts =
            |c: &&Cell| quantity != Quantity::Cpu || !self.timed.contains(&d) || !c.samples.is_empty();
        let points: Vec<Point> = self
            .cells
            .iter()
            .filter(counts)
            .map(|c| point(c, quantity))
            .collect();
        work_at(&points, d)
    }

    /// The least that a run had used when its time was over: what digits no other run of the ladder has, cost more.
    pub fn at_least(&self, quantity: Quantity) -> Option<f64> {
        let all = self.ended.iter().map(|run| used(run, quantity));
        all.min_by(f64::total_cmp)
    }

    /// The work at `d` digits by interpolation between runs: shown, not judged.
    pub fn interpolated(&self, quantity: Quantity, d: f64) -> Option<f64> {
        interpolated_at(&self.points(quantity), d)
    }

    /// The residuals at `d` digits on a line through all runs near it: shown, not judged.
    pub fn fitted(&self, d: f64) -> Option<f64> {
        fit_at(&self.points(Quantity::Residuals), d)
    }

    /// What went other than planned, in sentences.
    pub fn remarks(&self) -> Vec<String> {
        let grouped = |what: &str, runs: &[(f64, String)]| {
            let (first, last) = (runs.first()?, runs.last()?);
            let range = match runs.len() {
                1 => format!("at rtol {:.1e}", first.0),
                n => format!("{n} times, rtol {:.1e} to {:.1e}", first.0, last.0),
            };
            Some(format!("{what} {range}: {}", first.1))
        };
        let all = [
            self.refusal.clone(),
            grouped("failed", &self.failures),
            grouped("special", &self.notes),
        ];
        all.into_iter().flatten().collect()
    }

    /// The least of the first measurements of time at `d` digits; infinite without any.
    fn first_time(&self, d: f64) -> f64 {
        let reaching = self.cells.iter().filter(|c| c.digits >= d);
        reaching.map(|c| c.first).fold(f64::INFINITY, f64::min)
    }

    fn sort(&mut self) {
        self.cells.sort_by(|a, b| b.rtol.total_cmp(&a.rtol));
        self.rungs.sort_by(|a, b| b.rtol.total_cmp(&a.rtol));
        self.failures.sort_by(|a, b| b.0.total_cmp(&a.0));
        self.notes.sort_by(|a, b| b.0.total_cmp(&a.0));
    }
}

fn point(cell: &Cell, quantity: Quantity) -> Point {
    Point {
        digits: cell.digits,
        work: match quantity {
            Quantity::Cpu => cell.cpu(),
            _ => used(&cell.run, quantity),
        },
    }
}

/// What a run used.
fn used(run: &Run, quantity: Quantity) -> f64 {
    match quantity {
        Quantity::Residuals => run.residuals as f64,
        Quantity::Jacobians => run.jacobians as f64,
        Quantity::Cpu => run.cpu,
    }
}

/// One form of a problem: its equations, and where it is judged.
struct Form<'a> {
    problem: &'a Problem,
    along: Along,
}

impl Form<'_> {
    fn settings(&self, rtol: f64, limit: Option<f64>) -> Settings<'_> {
        Settings {
            max_steps: MAX_STEPS,
            times: &self.along.times,
            limit,
            ..Settings::at(self.problem, rtol)
        }
    }
}

/// The least times at each number of digits so far, of all codes and forms.
struct Known<'a> {
    options: &'a Options,
    /// Of each side apart, level by level.
    least: Vec<(Option<u8>, Vec<f64>)>,
}

impl<'a> Known<'a> {
    fn new(options: &'a Options) -> Self {
        Self {
            options,
            least: vec![],
        }
    }

    fn note(&mut self, side: Option<u8>, digits: f64, cpu: f64) {
        let levels = &self.options.digits;
        let k = self.least.iter().position(|l| l.0 == side).unwrap_or_else(|| {
            self.least.push((side, vec![f64::INFINITY; levels.len()]));
            self.least.len() - 1
        });
        for (least, d) in self.least[k].1.iter_mut().zip(levels) {
            if digits >= *d {
                *least = least.min(cpu);
            }
        }
    }

    /// The least time at level number `k` of the sides for which `of` holds.
    fn at(&self, k: usize, of: impl Fn(Option<u8>) -> bool) -> f64 {
        let own = self.least.iter().filter(|l| of(l.0));
        own.filter_map(|l| l.1.get(k))
            .copied()
            .fold(f64::INFINITY, f64::min)
    }

    /// How long a run may take that is of use at level number `k` at most.
    fn limit(&self, k: usize) -> f64 {
        let share = self.options.cut_off.unwrap_or(f64::INFINITY);
        // Short runs cost nothing, and a chart is better with them.
        (share * self.at(k, |_| true))
            .max(LONG_SECONDS)
            .min(self.options.limit)
    }

    /// How long a run may take at all: what takes longer is of use at no level.
    fn longest(&self, side: Option<u8>) -> f64 {
        let last = self.options.digits.len().saturating_sub(1);
        self.useful(last, side).max(LONG_SECONDS).min(self.limit(last))
    }

    /// How long a run may take to become the best of its side at level number `k`, with room for bad luck.
    fn useful(&self, k: usize, side: Option<u8>) -> f64 {
        match side {
            None => self.limit(k),
            Some(_) => (RIVAL * self.at(k, |s| s == side))
                .max(STEADY_SECONDS)
                .min(self.limit(k)),
        }
    }
}

/// Tries one tolerance; the CPU time, or nothing if the time allowed was over. `Err` says why the code cannot take it.
fn attempt(
    form: &Form<'_>,
    line: &mut Line,
    rtol: f64,
    limit: f64,
    known: &mut Known<'_>,
) -> Result<Option<f64>, String> {
    let problem = form.problem;
    let mut system = (problem.build)();
    let run = (line.code.integrate)(system.as_mut(), problem, &form.settings(rtol, Some(limit)))?;
    line.notes.extend(run.note.clone().map(|n| (rtol, n)));
    let cpu = run.cpu;
    if run.cut_off {
        line.ended.push(run);
        return Ok(None);
    }
    let digits = match &run.failure {
        Some(failure) => {
            line.failures.push((rtol, failure.clone()));
            None
        }
        None => form.along.score(system.structure(), problem, &run),
    };
    let digits = digits.filter(|d| d.is_finite());
    line.rungs.push(Rung {
        rtol,
        digits,
        work: run.residuals as f64,
        cpu,
    });
    if let Some(digits) = digits {
        let mut cell = Cell {
            rtol,
            digits,
            first: cpu,
            run,
            turn: None,
            samples: vec![],
        };
        // A single short run tells more about caches than about the code.
        if cpu < SAMPLE_SECONDS {
            cell.first = sample(form, line.code, rtol).unwrap_or(cpu);
        }
        known.note((known.options.side)(&line.code), digits, cell.first);
        line.cells.push(cell);
    }
    Ok(Some(cpu))
}

/// The curve of one code, every tolerance once: a coarse ladder, refined where it crosses the digits asked for.
fn curve(form: &Form<'_>, code: Code, options: &Options, known: &mut Known<'_>) -> Line {
    let mut line = Line::new(code);
    let highest = options.digits.iter().copied().fold(0.0, f64::max);
    let side = (options.side)(&code);
    let large = form.problem.y0.len() > LARGE;
    for rtol in ladder(if large { 1 } else { options.per_decade }) {
        // Who wants nine digits of a code that gives eight at 10⁻¹¹ asks for less than that.
        if rtol < 0.99 * TIGHT && line.cells.iter().any(|c| c.digits >= highest) {
            break;
        }
        let limit = known.longest(side);
        let cpu = match attempt(form, &mut line, rtol, limit, known) {
            Ok(Some(cpu)) => cpu,
            Ok(None) => {
                line.cut = Some(limit);
                if options.go_on {
                    line.failures
                        .push((rtol, format!("cut off after {}", seconds(limit))));
                    continue;
                }
                line.refusal = Some(format!("cut off after {} at rtol {rtol:.1e}", seconds(limit)));
                break;
            }
            Err(reason) => {
                line.refusal = Some(reason);
                break;
            }
        };
        // Beyond the digits asked for, one more run bounds the curve; the rest would only take time.
        let beyond = line.cells.last().is_some_and(|c| c.digits > options.enough());
        if cpu > options.too_long || (cpu > ONCE_SECONDS || large) && beyond {
            line.refusal = Some(format!("not run below rtol {rtol:.1e}, which took {cpu:.0} s"));
            break;
        }
    }
    line.sort();
    let ended = line.ended.len();
    'levels: for (k, d) in options.digits.iter().enumerate() {
        loop {
            let useful = known.useful(k, side);
            let next = between(&line.rungs, *d, useful);
            if next.is_empty() {
                break;
            }
            for rtol in next {
                // What takes longer than is of use ends the search, and says nothing against the code.
                if !matches!(attempt(form, &mut line, rtol, useful, known), Ok(Some(_))) {
                    line.sort();
                    continue 'levels;
                }
            }
            line.sort();
        }
    }
    line.ended.truncate(ended);
    line
}

/// One sample of the CPU time.
fn sample(form: &Form<'_>, code: Code, rtol: f64) -> Option<f64> {
    let mut system = (form.problem.build)();
    let settings = form.settings(rtol, None);
    let (mut spent, mut count) = (0.0, 0u32);
    while spent < SAMPLE_SECONDS {
        spent += (code.integrate)(system.as_mut(), form.problem, &settings)
            .ok()?
            .cpu;
        count += 1;
    }
    Some(spent / f64::from(count))
}

/// Chooses the runs to be timed again: at each level those near the least time or the least residuals of their code,
/// unless another code of the same side is far ahead.
fn choose(lines: &mut [(usize, Line)], options: &Options) {
    for (k, d) in options.digits.iter().enumerate() {
        let first: Vec<(Option<u8>, f64)> = lines
            .iter()
            .map(|(_, line)| ((options.side)(&line.code), line.first_time(*d)))
            .collect();
        for ((_, line), (side, own)) in lines.iter_mut().zip(&first) {
            let rivals = first.iter().filter(|(s, _)| s.is_some() && s == side);
            let best = rivals.map(|(_, t)| *t).fold(*own, f64::min);
            if !own.is_finite() || *own > RIVAL * best {
                continue;
            }
            line.timed.push(*d);
            let reaching = || line.cells.iter().filter(|c| c.digits >= *d);
            let residuals = reaching().map(|c| c.run.residuals).min().unwrap_or(0) as f64;
            let near = if *own > STEADY_SECONDS { NEAR_STEADY } else { NEAR };
            for cell in line.cells.iter_mut().filter(|c| c.digits >= *d) {
                if cell.first <= near * own || cell.run.residuals as f64 <= near * residuals {
                    cell.turn.get_or_insert(k);
                }
            }
        }
    }
}

/// The curves of all codes on all forms of a problem, each with the number of the form. The samples of the time go
/// round over codes and forms, level by level.
pub fn measure(forms: &[&Problem], codes: &[Code], options: &Options) -> Vec<(usize, Line)> {
    let forms: Vec<Form<'_>> = forms
        .iter()
        .map(|problem| Form {
            problem,
            along: match options.along {
                true => Along::of(problem),
                false => Along::default(),
            },
        })
        .collect();
    let mut known = Known::new(options);
    let mut lines: Vec<(usize, Line)> = Vec::new();
    for code in codes {
        let mut hopeless = None;
        for (i, form) in forms.iter().enumerate() {
            if let Some(limit) = hopeless {
                let mut line = Line::new(*code);
                line.refusal = Some("cut off: nowhere near the best on another form".into());
                line.cut = Some(limit);
                lines.push((i, line));
                continue;
            }
            let begin = cpu_time();
            let line = curve(form, *code, options, &mut known);
            if !line.rungs.is_empty() {
                let (runs, spent) = (line.rungs.len(), seconds(cpu_time() - begin));
                eprintln!("{} with {}: {runs} runs, {spent}", form.problem.name, code.name);
            }
            // Forms do not differ by that much: a code that is nowhere within the limits on one is left at that.
            let far = |(k, d): (usize, &f64)| line.first_time(*d) > known.limit(k);
            if options.cut_off.is_some() && line.cut.is_some() && options.digits.iter().enumerate().all(far) {
                hopeless = line.cut;
            }
            lines.push((i, line));
        }
    }
    choose(&mut lines, options);
    for repetition in 0..options.repeat {
        for k in 0..options.digits.len() {
            for (i, line) in &mut lines {
                let code = line.code;
                for cell in line.cells.iter_mut().filter(|c| c.turn == Some(k)) {
                    if cell.first < ONCE_SECONDS && (repetition < 3 || cell.first < LONG_SECONDS) {
                        cell.samples.extend(sample(&forms[*i], code, cell.rtol));
                    }
                }
            }
        }
    }
    // What was too long to be repeated, or should not be, stands as it is.
    for cell in lines.iter_mut().flat_map(|(_, line)| &mut line.cells) {
        if cell.turn.is_some() && cell.samples.is_empty() {
            cell.samples.push(cell.first);
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codes;
    use crate::curve::FINEST;
    use holonom_dae::problems;

    fn options() -> Options {
        Options {
            too_long: 5.0,
            limit: 5.0,
            cut_off: None,
            go_on: false,
            digits: vec![4.0, 6.0],
            repeat: 1,
            per_decade: 2,
            along: false,
            side: |_| None,
        }
    }

    #[test]
    fn readings_are_runs_on_a_ladder_that_is_fine_there() {
        let problem = problems::find("hires").expect("hires exists");
        let code = codes::find(codes::OURS).expect("ours");
        let mut measured = measure(&[&problem], &[code], &options());
        let (_, line) = measured.remove(0);
        for d in [4.0, 6.0] {
            for quantity in [Quantity::Residuals, Quantity::Jacobians, Quantity::Cpu] {
                let reading = line.at(quantity, d).expect("it gets there");
                let made = line
                    .cells
                    .iter()
                    .find(|c| c.digits >= d && point(c, quantity).work == reading.work);
                assert!(made.is_some(), "{} at {d}", quantity.name());
            }
            let (first, k) = (0..line.rungs.len())
                .find(|k| line.rungs[*k].digits.is_some_and(|x| x >= d))
                .map(|k| (line.rungs[k], k))
                .expect("it gets there");
            let spacing = (line.rungs[k - 1].rtol / first.rtol).log10();
            assert!(spacing <= FINEST * (1.0 + 1e-6), "{spacing}");
        }
        assert!(line.rungs.is_sorted_by(|a, b| a.rtol > b.rtol));
        // What was not timed again does not decide about times.
        let cheapest = line
            .cells
            .iter()
            .filter(|c| c.digits >= 4.0 && !c.samples.is_empty())
            .map(Cell::cpu)
            .fold(f64::INFINITY, f64::min);
        assert_eq!(line.at(Quantity::Cpu, 4.0).map(|r| r.work), Some(cheapest));
    }

    #[test]
    fn limits_follow_the_least_time_known() {
        let options = Options {
            cut_off: Some(8.0),
            limit: 20.0,
            ..options()
        };
        let (ours, theirs) = (Some(0), Some(2));
        let mut known = Known::new(&options);
        assert_eq!(known.longest(ours), 20.0);
        known.note(ours, 6.5, 2.0);
        assert_eq!((known.limit(0), known.limit(1)), (16.0, 16.0));
        assert_eq!((known.longest(ours), known.longest(theirs)), (4.0, 16.0));
        known.note(ours, 5.0, 0.5);
        assert_eq!((known.limit(0), known.limit(1)), (4.0, 16.0));
        // Nothing is known of the others, so that anything may be their best.
        assert_eq!((known.useful(0, ours), known.useful(0, theirs)), (1.0, 4.0));
        known.note(theirs, 7.0, 3.0);
        assert_eq!((known.useful(1, theirs), known.useful(1, ours)), (6.0, 4.0));
        assert_eq!(known.useful(1, None), known.limit(1));
        assert_eq!(known.longest(theirs), 6.0);
        // Never less than a second.
        known.note(theirs, 7.0, 1e-3);
        assert_eq!((known.limit(0), known.longest(theirs)), (1.0, 1.0));
    }
}
