//! What `auto` measures in a run, and what it makes of it.
//!
//! Work per simulated second of the method in use is measured all the time. Where enough of the run is left, the state is
//! kept, and after a while another method takes the same piece of the run from there, aside: whether it needs less work
//! for it is then known, whatever the motion does. It may take no more work than the method in use did. An explicit method
//! that stability has been limiting for some steps gives way at once, and an implicit one has to prove within a piece of
//! the run of its own that it is better. Methods that lost are compared again when the work of the run has become several
//! times as much, or the work per second quite another one, because motions change; all comparisons of a run together
//! take a small share of its work. Work is counted ([`Counters::work`](holonom_dae::Counters::work)), never timed.

use super::super::chooser::{BORDER, STAGES as EVALUATIONS};
use super::super::dormand_prince;
use crate::explain::Because;
use serde::{Deserialize, Serialize};

/// The methods among which `auto` chooses.
pub(in crate::stepper) const METHODS: [&str; 3] = [dormand_prince::NAME, "radau", "bdf"];
const EXPLICIT: usize = 0;

/// Work of a trial: this share of the work left, within bounds. In the first half a method finds its step size and order;
/// the second half is what counts.
const SHARE: f64 = 0.03;
const SHORTEST: f64 = 240.0;
const LONGEST: f64 = 300.0;
/// Accepted steps in that half, unless the trial has taken twice its work.
const STEPS: u32 = 3;
/// Work between marks, and their number: the method in use is averaged over as much work as its rival.
const SPACING: f64 = 75.0;
const MARKS: usize = 16;
/// What the method in use has to have done since its start, which does not count: so much work, and this part of the time
/// left, or several times as much work. At the start of a run steps are short and grow.
const SETTLED: f64 = 250.0;
const PART: f64 = 5e-3;
const ENOUGH: f64 = 2000.0;
/// A method takes the place of another if it needs no more than this part of its work per second.
const BETTER: f64 = 0.85;
/// The same for an implicit method in place of an explicit one and the other way round: the work of the former varies more
/// with the motion.
const MUCH_BETTER: f64 = 0.7;
/// Work after which a method that could not continue, or that the start speaks against, is compared with the others.
const LATER: f64 = 600.0;
/// Work left to the end, in trials, from which on an implicit method tries another one.
const WORTHWHILE: f64 = 8.0;
/// The same where the explicit method is limited by stability: an implicit one is likely to need much less.
const LIKELY: f64 = 3.0;
/// The same where it is not.
const DOUBTFUL: f64 = 60.0;
/// Growth of the work of the run until a method that lost is tried again.
const AGAIN: f64 = 4.0;
/// Work until one is tried again that was better in a hard place only.
const SOON: f64 = 1000.0;
/// Change of the work per second after which what was found before means nothing.
const CHANGED: f64 = 3.0;
/// Growth of the work of the run until stability is looked at again.
const UNSTABLE: f64 = 1.5;
/// Failures of a run that another method goes on from, at most.
const FAILURES: u32 = 8;
/// Work per second that stability asks of the explicit method, in units of that of the method in use, up to which a
/// trial may be worthwhile.
const STABLE: f64 = 0.7;

/// A place in a run.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct Mark {
    pub t: f64,
    pub work: f64,
}

impl Mark {
    /// Work per second from here.
    fn rate_to(self, now: Self) -> f64 {
        (now.work - self.work) / (now.t - self.t).max(f64::MIN_POSITIVE)
    }
}

/// A method that may take the place of the one in use.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Trial {
    of: usize,
    begun: Mark,
    /// What it may take.
    work: f64,
    /// Where the half that counts begins, and steps since then.
    settled: Option<Mark>,
    steps: u32,
}

/// A piece of the run that another method is to take, too.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Piece {
    of: Option<usize>,
    /// Work after which it ends.
    work: f64,
    /// Places in it, from its beginning on.
    path: Vec<Mark>,
    /// The state at its beginning.
    pub y: Vec<f64>,
    pub yp: Vec<f64>,
}

/// Places in a piece.
const PLACES: usize = 24;

impl Piece {
    pub fn begin(&self) -> Mark {
        self.path.first().copied().unwrap_or_default()
    }

    /// What the method in use took from `t` on, per second.
    fn rate_from(&self, t: f64) -> f64 {
        let Some(end) = self.path.last() else { return 0.0 };
        let k = self
            .path
            .partition_point(|m| m.t <= t)
            .clamp(1, self.path.len().max(2) - 1);
        let (a, b) = (self.path[k - 1], self.path[k]);
        let part = ((t - a.t) / (b.t - a.t).max(f64::MIN_POSITIVE)).clamp(0.0, 1.0);
        let from = Mark {
            t: a.t + part * (b.t - a.t),
            work: a.work + part * (b.work - a.work),
        };
        match from.t < end.t {
            true => from.rate_to(*end),
            false => a.rate_to(*end),
        }
    }

    /// After `spent` work the other method is where that says, and at `settled` it was before: whether it needs no more
    /// than this part of the work; none as long as that is open.
    pub fn verdict(&self, limit: f64, spent: Mark, settled: Option<Mark>) -> Option<(bool, Because)> {
        let (begin, end) = (*self.path.first()?, *self.path.last()?);
        let all = end.work - begin.work;
        let done = (spent.t - begin.t) / (end.t - begin.t);
        // Too slow to make up for it.
        let slow = spent.work > all || spent.work > 0.6 * all && done < 0.25;
        if done < 1.0 && !slow {
            return None;
        }
        let from = settled.filter(|s| s.t < spent.t).unwrap_or(Mark {
            t: begin.t,
            work: 0.0,
        });
        let (now, before) = (from.rate_to(spent), self.rate_from(from.t));
        Some(match !slow && now <= limit * before {
            true => (true, Because::Better { now, before }),
            false => (false, Because::Worse { now, before }),
        })
    }

    /// Work of the other method from which on it counts.
    pub fn settling(&self) -> f64 {
        0.35 * self.work
    }
}

/// All of it, for checkpoints.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PilotMemory {
    /// The method in use, or the one to go back to from a trial.
    home: usize,
    trial: Option<Trial>,
    piece: Piece,
    /// Where it began.
    begun: Mark,
    /// Places since the method in use began, the last ones; the number of all of them.
    marks: [Mark; MARKS],
    marked: u32,
    /// Work of the run from which on a method may be tried.
    next: [f64; 3],
    /// End of the run as far as it is known.
    end: f64,
    /// Work per second of the method in use, as measured last.
    rate: f64,
    /// The same after the last trial, and where that ended.
    judged: Mark,
    judged_rate: f64,
    /// Failures of methods that others went on from, and the time of the last one.
    failures: u32,
    failed_at: f64,
}

impl PilotMemory {
    /// A method begins here, or is settled.
    fn begin_at(&mut self, now: Mark) {
        (self.begun, self.marks[0], self.marked) = (now, now, 1);
    }

    fn mark(&mut self, now: Mark) {
        self.marks[self.marked as usize % MARKS] = now;
        self.marked += 1;
    }

    fn last_mark(&self) -> Mark {
        self.marks[(self.marked as usize + MARKS - 1) % MARKS]
    }

    /// The first of the marks that are kept.
    fn oldest_mark(&self) -> Mark {
        let behind = (self.marked as usize).saturating_sub(MARKS);
        self.marks[behind % MARKS]
    }

    /// Everything may be tried again where the motion has become quite another one since the last trial.
    fn look_again(&mut self, now: Mark, left: f64) {
        let trial = (SHARE * left).clamp(SHORTEST, LONGEST);
        if self.judged_rate <= 0.0 || now.work - self.judged.work < 2.0 * trial {
            return;
        }
        let change = self.rate / self.judged_rate;
        if change > CHANGED || change * CHANGED < 1.0 {
            self.next = [0.0; 3];
            (self.judged, self.judged_rate) = (now, self.rate);
        }
    }

    /// Measures the method in use over as much work as a trial counts, and gives the work left to the end.
    fn measure(&mut self, now: Mark) -> f64 {
        let left = |rate: f64| rate * (self.end - now.t).max(0.0);
        let kept = (self.marked as usize).min(MARKS);
        let mut rate = 0.0;
        for k in 0..kept {
            // From the last mark backwards; the first steps of a method are not its usual ones.
            let mark = self.marks[(self.marked as usize + 2 * MARKS - 1 - k) % MARKS];
            let first = self.marked as usize <= MARKS && k + 1 == kept;
            if mark.t >= now.t || (first && kept > 2 && rate > 0.0) {
                continue;
            }
            rate = mark.rate_to(now);
            if now.work - mark.work >= 0.5 * (SHARE * left(rate)).clamp(SHORTEST, LONGEST) {
                break;
            }
        }
        self.rate = rate;
        left(rate)
    }

    /// The run goes on to this end.
    pub(crate) fn extend_to(&mut self, t_end: f64) {
        self.end = self.end.max(t_end);
    }
}

/// What is to be done before the next step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Advice {
    /// Going on.
    Stay,
    /// Finding out what stability asks of the explicit method: see [`Pilot::stability`].
    Measure,
    /// Keeping the state reached: a piece begins.
    Remember,
    /// Letting this method take the piece that ends here, too.
    Compare(&'static str),
    /// Going on with another method.
    Change(&'static str, Because),
    /// The method in use, until now on trial, stays.
    Keep(&'static str, Because),
}

/// Measures and decides.
pub(super) struct Pilot {
    memory: PilotMemory,
    /// The explicit method can be used.
    explicit: bool,
}

fn number(name: &str) -> Option<usize> {
    METHODS.iter().position(|m| *m == name)
}

impl Pilot {
    /// For a run that begins with this method; none where it is not one of those to choose among.
    pub fn new(name: &str, explicit: bool, begin: Mark, end: f64) -> Option<Self> {
        let home = number(name)?;
        let memory = PilotMemory {
            home,
            trial: None,
            piece: Piece::default(),
            begun: begin,
            marks: [begin; MARKS],
            marked: 1,
            // Stability has been looked at, and spoke against the explicit method.
            next: [LATER, 0.0, 0.0],
            end,
            rate: 0.0,
            judged: begin,
            judged_rate: 0.0,
            failures: 0,
            // Finite, for checkpoints as JSON.
            failed_at: f64::MIN,
        };
        Some(Self { memory, explicit })
    }

    /// Goes on as a checkpoint says.
    pub fn resume(memory: &PilotMemory, explicit: bool) -> Self {
        Self {
            memory: memory.clone(),
            explicit,
        }
    }

    pub fn memory(&self) -> &PilotMemory {
        &self.memory
    }

    /// Another method has been put in place for other reasons.
    pub fn replaced(&mut self, name: &str, now: Mark, failed: bool) {
        let Some(home) = number(name) else { return };
        let m = &mut self.memory;
        let before = m.trial.map_or(m.home, |trial| trial.of);
        if failed {
            m.next[before] = now.work + LATER;
        }
        (m.home, m.trial, m.piece.of) = (home, None, None);
        m.begin_at(now);
    }

    /// Whether a method is on trial.
    pub fn tries(&self) -> bool {
        self.memory.trial.is_some()
    }

    /// The method that goes on where the one in use has failed for good at `t`: the one before a trial, or the other
    /// implicit one. None where that happened here before, or too often.
    pub fn instead(&mut self, t: f64) -> Option<&'static str> {
        let m = &mut self.memory;
        if let Some(trial) = m.trial {
            return (trial.of != m.home).then_some(METHODS[m.home]);
        }
        if m.failures >= FAILURES || t <= m.failed_at {
            return None;
        }
        (m.failures, m.failed_at) = (m.failures + 1, t);
        Some(METHODS[if m.home == EXPLICIT { 1 } else { 3 - m.home }])
    }

    /// Time left to the end of the run.
    pub fn left(&self, t: f64) -> f64 {
        (self.memory.end - t).max(f64::MIN_POSITIVE)
    }

    /// After an accepted step: `limited` where stability has been limiting an explicit method for a while, and `likely`
    /// the implicit method that is likely to be better, by the work left to the explicit one.
    pub fn decide(&mut self, now: Mark, limited: bool, likely: &dyn Fn(f64) -> &'static str) -> Advice {
        let m = &mut self.memory;
        if let Some(trial) = &mut m.trial {
            let verdict = trial.verdict(now, m.rate);
            if let Some((_, because)) = verdict {
                m.judged = now;
                m.judged_rate = because.rate().unwrap_or(m.rate);
            }
            return match verdict {
                None => Advice::Stay,
                Some((true, because)) => {
                    let (before, work) = (std::mem::replace(&mut m.home, trial.of), trial.work);
                    // Whether an explicit method is worth another trial is soon found out.
                    m.next[before] = match before {
                        EXPLICIT => now.work + work,
                        _ => now.work * AGAIN,
                    };
                    let from = trial.settled.unwrap_or(now);
                    m.trial = None;
                    m.begin_at(from);
                    m.mark(now);
                    Advice::Keep(METHODS[m.home], because)
                }
                Some((false, because)) => {
                    m.next[trial.of] = now.work * AGAIN;
                    m.trial = None;
                    m.begin_at(now);
                    Advice::Change(METHODS[m.home], because)
                }
            };
        }
        if now.work - m.last_mark().work >= SPACING {
            m.mark(now);
        }
        let left = m.measure(now);
        if let Some(of) = m.piece.of {
            let spent = now.work - m.piece.begin().work;
            let last = m.piece.path.last().map_or(0.0, |l| l.work);
            if now.work - last >= m.piece.work / (PLACES - 4) as f64 && m.piece.path.len() < PLACES {
                m.piece.path.push(now);
            }
            if spent < m.piece.work {
                return Advice::Stay;
            }
            m.piece.path.push(now);
            m.piece.of = None;
            return Advice::Compare(METHODS[of]);
        }
        let (since, time) = (now.work - m.begun.work, now.t - m.begun.t);
        if !limited && (since < SETTLED || time < PART * (m.end - now.t) && since < ENOUGH) || m.rate <= 0.0 {
            return Advice::Stay;
        }
        m.look_again(now, left);
        // A hard place does not tell of the rest of the run.
        let usual = m.begun.rate_to(now) * (m.end - now.t).max(0.0);
        let left = if limited { left } else { left.min(usual) };
        if m.home == EXPLICIT {
            let implicit = number(likely(left)).unwrap_or(1);
            let other = 3 - implicit;
            let enough = if limited { LIKELY } else { DOUBTFUL };
            if left < enough * SHORTEST {
                return Advice::Stay;
            }
            let candidates = [implicit, other].into_iter().take(if limited { 2 } else { 1 });
            return match candidates.into_iter().find(|c| now.work >= m.next[*c]) {
                Some(of) if limited => self.begin(of, now, left),
                Some(of) => self.remember(of, now, left),
                None => Advice::Stay,
            };
        }
        if left < WORTHWHILE * SHORTEST {
            return Advice::Stay;
        }
        let other = 3 - m.home;
        if now.work >= m.next[other] {
            return self.remember(other, now, left);
        }
        match self.explicit && now.work >= m.next[EXPLICIT] {
            true => Advice::Measure,
            false => Advice::Stay,
        }
    }

    fn remember(&mut self, of: usize, now: Mark, left: f64) -> Advice {
        let piece = &mut self.memory.piece;
        (piece.of, piece.work) = (Some(of), (SHARE * left).clamp(SHORTEST, LONGEST));
        piece.path.clear();
        piece.path.push(now);
        Advice::Remember
    }

    /// The state where a piece begins.
    pub fn piece_begins(&mut self, y: &[f64], yp: &[f64]) {
        let piece = &mut self.memory.piece;
        piece.y.clear();
        piece.y.extend_from_slice(y);
        piece.yp.clear();
        piece.yp.extend_from_slice(yp);
    }

    /// Part of the work of the method in use that another one may need to take its place.
    pub fn limit(&self, name: &str) -> f64 {
        let alike = (self.memory.home == EXPLICIT) == (number(name) == Some(EXPLICIT));
        if alike { BETTER } else { MUCH_BETTER }
    }

    /// The piece of the run that is to be compared.
    pub fn piece(&self) -> &Piece {
        &self.memory.piece
    }

    /// What a method took for a piece is known.
    pub fn compared(&mut self, name: &'static str, now: Mark, verdict: (bool, Because)) -> Advice {
        let limit = self.limit(name);
        let m = &mut self.memory;
        let (mut better, mut because) = verdict;
        // The piece may be a hard place for the method in use alone, such as one behind a break.
        let end = m.piece.path.last().copied().unwrap_or(now);
        let usual = m.oldest_mark().rate_to(end);
        let mut again = now.work * AGAIN;
        if let Because::Better { now: rate, before } = because
            && usual < before
            && rate > limit * usual
        {
            (better, because) = (
                false,
                Because::Worse {
                    now: rate,
                    before: usual,
                },
            );
            again = now.work + SOON;
        }
        m.judged = now;
        m.judged_rate = because.rate().unwrap_or(m.rate);
        let Some(of) = number(name) else {
            return Advice::Stay;
        };
        let loser = if better { m.home } else { of };
        m.next[loser] = again;
        if !better {
            return Advice::Keep(METHODS[m.home], because);
        }
        m.home = of;
        m.begin_at(now);
        Advice::Change(name, because)
    }

    /// Something has happened after which a piece cannot be taken by another method.
    pub fn interrupt(&mut self) {
        self.memory.piece.of = None;
    }

    /// The answer to [`Advice::Measure`]: the largest eigenvalue, and the cost of an explicit evaluation.
    pub fn stability(&mut self, now: Mark, radius: Option<f64>, evaluation: f64) -> Advice {
        let m = &mut self.memory;
        let least = radius.map_or(f64::INFINITY, |r| EVALUATIONS * evaluation * r / BORDER);
        if least <= STABLE * m.rate {
            let left = m.rate * (m.end - now.t);
            return self.remember(EXPLICIT, now, left);
        }
        m.next[EXPLICIT] = now.work * UNSTABLE;
        Advice::Stay
    }

    fn begin(&mut self, of: usize, now: Mark, left: f64) -> Advice {
        self.memory.trial = Some(Trial {
            of,
            begun: now,
            work: (SHARE * left).clamp(SHORTEST, LONGEST),
            settled: None,
            steps: 0,
        });
        Advice::Change(METHODS[of], Because::Trial { left })
    }
}

impl Trial {
    /// Whether the method is better than one of this rate; none as long as that is open.
    fn verdict(&mut self, now: Mark, rate: f64) -> Option<(bool, Because)> {
        let spent = now.work - self.begun.work;
        let Some(from) = self.settled else {
            if spent >= 0.5 * self.work {
                self.settled = Some(now);
            }
            return None;
        };
        self.steps += 1;
        if spent < self.work || self.steps < STEPS && spent < 2.0 * self.work {
            return None;
        }
        let now = from.rate_to(now);
        Some(match now <= BETTER * rate {
            true => (true, Because::Better { now, before: rate }),
            false => (false, Because::Worse { now, before: rate }),
        })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// Lets the pilot follow a run of this work per second to `t`, in steps of 10 units of work.
    fn follow(pilot: &mut Pilot, from: Mark, rate: f64, t: f64) -> (Advice, Mark) {
        let mut now = from;
        while now.t < t {
            now = Mark {
                t: now.t + 10.0 / rate,
                work: now.work + 10.0,
            };
            let advice = pilot.decide(now, false, &|_| "radau");
            if advice != Advice::Stay {
                return (advice, now);
            }
        }
        (Advice::Stay, now)
    }

    #[test]
    fn long_runs_compare_methods_and_short_ones_do_not() {
        let begin = Mark::default();
        let mut short = Pilot::new("radau", true, begin, 1.0).unwrap();
        assert_eq!(follow(&mut short, begin, 1e3, 1.0).0, Advice::Stay);

        let mut long = Pilot::new("radau", true, begin, 1.0).unwrap();
        let (advice, now) = follow(&mut long, begin, 1e4, 1.0);
        assert_eq!(advice, Advice::Remember);
        long.piece_begins(&[1.0], &[0.0]);
        let (advice, now) = follow(&mut long, now, 1e4, 1.0);
        assert_eq!(advice, Advice::Compare("bdf"));
        // Half of the work for the same piece.
        let piece = long.piece();
        let (length, work) = (now.t - piece.begin().t, now.work - piece.begin().work);
        let middle = Mark {
            t: piece.begin().t + 0.5 * length,
            work: 0.25 * work,
        };
        assert_eq!(piece.verdict(long.limit("bdf"), middle, Some(middle)), None);
        let end = Mark {
            t: now.t,
            work: 0.5 * work,
        };
        let verdict = piece.verdict(long.limit("bdf"), end, Some(middle)).unwrap();
        assert!(verdict.0);
        let advice = long.compared("bdf", now, verdict);
        assert!(matches!(advice, Advice::Change("bdf", Because::Better { .. })));
        // The loser is not compared again at once.
        let later = follow(&mut long, now, 1e4, now.t + 0.03).0;
        assert!(matches!(later, Advice::Stay | Advice::Measure), "{later:?}");
    }

    /// A piece in which the method in use has done four times its usual work is no reason to change to one that does twice
    /// the usual work.
    #[test]
    fn a_hard_place_alone_does_not_change_the_method() {
        let begin = Mark::default();
        let mut pilot = Pilot::new("radau", true, begin, 1.0).unwrap();
        let (advice, now) = follow(&mut pilot, begin, 1e4, 1.0);
        assert_eq!(advice, Advice::Remember);
        pilot.piece_begins(&[1.0], &[0.0]);
        let (advice, now) = follow(&mut pilot, now, 4e4, 1.0);
        assert_eq!(advice, Advice::Compare("bdf"));
        let (rate, before) = (2e4, 4e4);
        let usual = now.work / now.t;
        assert!(usual < rate / pilot.limit("bdf"), "{usual}");
        let advice = pilot.compared("bdf", now, (true, Because::Better { now: rate, before }));
        assert!(
            matches!(advice, Advice::Keep("radau", Because::Worse { .. })),
            "{advice:?}"
        );
    }

    #[test]
    fn an_explicit_method_at_its_limit_gives_way_on_trial() {
        let begin = Mark::default();
        let mut pilot = Pilot::new("dormand-prince", true, begin, 1.0).unwrap();
        let at = |t: f64, work: f64| Mark { t, work };
        let advice = pilot.decide(at(0.01, 150.0), true, &|_| "radau");
        assert!(matches!(advice, Advice::Change("radau", Because::Trial { .. })));
        // No faster: back again.
        let mut advice = Advice::Stay;
        for k in 1..200 {
            let k = f64::from(k);
            advice = pilot.decide(at(0.01 + 1e-3 * k, 150.0 + 15.0 * k), false, &|_| "radau");
            if advice != Advice::Stay {
                break;
            }
        }
        assert!(matches!(
            advice,
            Advice::Change("dormand-prince", Because::Worse { .. })
        ));
    }

    #[test]
    fn another_method_goes_on_once_from_the_same_place() {
        let mut pilot = Pilot::new("bdf", true, Mark::default(), 1.0).unwrap();
        assert_eq!(pilot.instead(0.5), Some("radau"));
        pilot.replaced("radau", Mark { t: 0.5, work: 100.0 }, true);
        assert_eq!(pilot.instead(0.5), None);
        assert_eq!(pilot.instead(0.6), Some("bdf"));
    }
}
