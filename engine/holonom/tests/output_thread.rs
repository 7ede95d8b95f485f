//! Rows do not depend on the thread that makes them, and nothing of a run is lost between two.
#![allow(clippy::unwrap_used)]

use holonom::format::{Files, Settings, read};
use holonom::simulation::{
    Memory, OutputThread, RunCheckpoint, RunOptions, RunReport, Simulation, Sink, Status,
};
use holonom::solver::OutputTimes;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// A slider-crank, with a loop to keep closed.
const CRANK: &str = r#"
[model]
format = 1
name = "crank"
[[body]]
name = "crank"
mass = 1
inertia = [0, 0.01, 0.01]
markers = { end = [0.1, 0, 0] }
[[body]]
name = "rod"
mass = 0.5
inertia = [0, 0.01, 0.01]
markers = { end = [0.3, 0, 0] }
[[body]]
name = "slider"
mass = 0.2
[[joint]]
name = "A"
kind = "revolute"
from = "ground"
to = "crank"
axis = [0, 1, 0]
angle = { start = 0.5, velocity = 5 }
[[joint]]
name = "B"
kind = "revolute"
from = "crank.end"
to = "rod"
axis = [0, 1, 0]
angle = -0.6
[[joint]]
name = "C"
kind = "revolute"
from = "rod.end"
to = "slider"
axis = [0, 1, 0]
[[joint]]
name = "S"
kind = "prismatic"
from = "ground"
to = "slider"
axis = [1, 0, 0]
displacement = 0.39
[simulation]
t_end = 2
output_step = 0.001
"#;

const BOTH: [OutputThread; 2] = [OutputThread::Never, OutputThread::Always];

fn simulation(text: &str) -> Simulation {
    let file = read("a.toml", &Files::in_memory([("a.toml", text)]), &[]).unwrap();
    Simulation::new(&file, &Settings::default()).unwrap()
}

fn options(simulation: &Simulation, output_thread: OutputThread) -> RunOptions {
    RunOptions::new(simulation.catalogue.select(&["*"]).unwrap()).output_thread(output_thread)
}

fn bits(rows: &[Vec<f64>]) -> Vec<Vec<u64>> {
    let row = |row: &Vec<f64>| row.iter().map(|x| x.to_bits()).collect();
    rows.iter().map(row).collect()
}

/// A report without the times.
fn essence(report: &RunReport) -> RunReport {
    RunReport {
        timing_s: Default::default(),
        output_s: 0.0,
        output_beside_s: 0.0,
        ..report.clone()
    }
}

#[test]
fn all_bits_are_the_same_on_any_thread() {
    let simulation = simulation(CRANK);
    let run = |thread| {
        let mut rows = Memory::default();
        let report = simulation.run(&options(&simulation, thread), &mut rows).unwrap();
        assert_eq!(
            (report.status, report.rows),
            (Status::Finished, 2001),
            "{}",
            report.message
        );
        (report, bits(&rows.0))
    };
    let (here, rows_here) = run(OutputThread::Never);
    assert!(here.output_s > 0.0 && here.output_beside_s == 0.0);
    assert!(here.constraint.position > 0.0);
    let (there, rows_there) = run(OutputThread::Always);
    assert!(there.output_beside_s > 0.0);
    let (usual, rows_usual) = run(OutputThread::Auto);
    assert!(rows_here == rows_there && rows_here == rows_usual);
    assert_eq!(essence(&here), essence(&there));
    assert_eq!(essence(&here), essence(&usual));
}

/// Notes every step, and the thread of everything.
#[derive(Default)]
struct Noting {
    rows: u64,
    steps: Vec<u64>,
    threads: Vec<std::thread::ThreadId>,
}

impl Noting {
    fn here(&mut self) {
        let id = std::thread::current().id();
        if self.threads.last() != Some(&id) {
            self.threads.push(id);
        }
    }
}

impl Sink for Noting {
    fn row(&mut self, _row: &[f64]) -> Result<(), String> {
        self.here();
        self.rows += 1;
        Ok(())
    }
    fn progress(&mut self, _t: f64, steps: u64) {
        self.here();
        self.steps.push(steps);
    }
}

#[test]
fn every_step_is_told_and_only_long_runs_start_a_thread() {
    let mut simulation = simulation(CRANK);
    let own = std::thread::current().id();
    for thread in BOTH {
        let mut sink = Noting::default();
        let report = simulation.run(&options(&simulation, thread), &mut sink).unwrap();
        let all: Vec<u64> = (1..=report.counters.steps).collect();
        assert_eq!(sink.steps, all);
        assert_eq!(sink.rows, 2001);
        assert_eq!(sink.threads == [own], thread == OutputThread::Never);
    }
    // Short: no thread is worth it.
    simulation.t_end = 0.02;
    simulation.outputs = OutputTimes::every(0.0, 0.001, 0.02);
    let mut sink = Noting::default();
    let report = simulation
        .run(&options(&simulation, OutputThread::Auto), &mut sink)
        .unwrap();
    assert!(report.counters.steps + report.rows < 256);
    assert_eq!(
        (sink.threads.as_slice(), report.output_beside_s),
        (&[own][..], 0.0)
    );
}

#[test]
fn without_rows_the_steps_are_still_looked_at() {
    let mut simulation = simulation(CRANK);
    let with = simulation.run(&options(&simulation, OutputThread::Never), &mut Memory::default());
    let with = with.unwrap();
    simulation.outputs = OutputTimes::default();
    for thread in BOTH {
        let mut rows = Memory::default();
        let report = simulation.run(&options(&simulation, thread), &mut rows).unwrap();
        assert_eq!(
            (report.rows, rows.0.len(), report.status),
            (0, 0, Status::Finished)
        );
        // Between steps, where rows are, constraints hold less well than at their ends.
        let (steps, rows) = (report.constraint, with.constraint);
        assert!(0.0 < steps.position && steps.position <= rows.position);
        assert!(0.0 < steps.velocity && steps.velocity <= rows.velocity);
        assert_eq!(report.last, with.last);
    }
}

/// Has room for so many rows.
struct Full(u64);

impl Sink for Full {
    fn row(&mut self, _row: &[f64]) -> Result<(), String> {
        self.0 = self.0.checked_sub(1).ok_or("the disk is full")?;
        Ok(())
    }
}

#[test]
fn a_fault_of_the_sink_ends_the_run_soon() {
    let mut simulation = simulation(CRANK);
    // Would take minutes.
    simulation.t_end = 1e4;
    simulation.outputs = OutputTimes::every(0.0, 0.001, 1e4);
    for thread in BOTH {
        for room in [0, 1, 700] {
            let report = simulation
                .run(&options(&simulation, thread), &mut Full(room))
                .unwrap();
            assert_eq!(report.status, Status::Failed);
            assert_eq!(report.message, "the disk is full");
            assert_eq!(report.rows, room);
            // At most the batches under way, and the step that finds out.
            assert!(
                report.t < 1e-3 * room as f64 + 10.0,
                "{thread:?} {room}: {}",
                report.t
            );
        }
    }
}

struct Clumsy;

impl Sink for Clumsy {
    fn row(&mut self, row: &[f64]) -> Result<(), String> {
        assert!(row[0] < 0.5, "clumsy");
        Ok(())
    }
}

#[test]
fn a_panic_of_the_sink_is_passed_on() {
    let simulation = simulation(CRANK);
    for thread in BOTH {
        let run = || simulation.run(&options(&simulation, thread), &mut Clumsy);
        assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(run)).is_err());
    }
}

/// Keeps checkpoints with the rows that were there when they came; interrupts after some.
#[derive(Default)]
struct Keeping {
    rows: Vec<Vec<f64>>,
    checkpoints: Vec<(usize, RunCheckpoint)>,
    most: usize,
    interrupt: Arc<AtomicBool>,
}

impl Sink for Keeping {
    fn row(&mut self, row: &[f64]) -> Result<(), String> {
        self.rows.push(row.to_vec());
        Ok(())
    }
    fn checkpoint(&mut self, checkpoint: &RunCheckpoint) -> Result<(), String> {
        self.checkpoints.push((self.rows.len(), checkpoint.clone()));
        if self.checkpoints.len() == self.most {
            self.interrupt.store(true, Ordering::Relaxed);
        }
        Ok(())
    }
}

#[test]
fn checkpoints_have_all_rows_and_resumed_runs_all_bits() {
    let simulation = simulation(CRANK);
    let mut whole = Memory::default();
    let alone = simulation
        .run(&options(&simulation, OutputThread::Never), &mut whole)
        .unwrap();
    for (first, second) in [(BOTH[0], BOTH[1]), (BOTH[1], BOTH[0]), (BOTH[1], BOTH[1])] {
        let mut keeping = Keeping {
            most: 20,
            ..Keeping::default()
        };
        let interrupted = options(&simulation, first)
            // After every step.
            .checkpoint_every(Some(Duration::ZERO))
            .interrupt(keeping.interrupt.clone());
        let report = simulation.run(&interrupted, &mut keeping).unwrap();
        assert_eq!(report.status, Status::Interrupted);
        assert!(keeping.checkpoints.len() >= 20);
        for (rows, checkpoint) in &keeping.checkpoints {
            assert_eq!(*rows as u64, checkpoint.rows);
            let reached = whole.0.iter().filter(|row| row[0] <= checkpoint.solver.t).count();
            assert_eq!(*rows, reached);
        }
        let (rows, checkpoint) = keeping.checkpoints[10].clone();
        keeping.rows.truncate(rows);
        let resumed = options(&simulation, second).resume(Some(checkpoint));
        let mut rest = Memory::default();
        let report = simulation.run(&resumed, &mut rest).unwrap();
        keeping.rows.append(&mut rest.0);
        assert!(bits(&keeping.rows) == bits(&whole.0));
        assert_eq!(essence(&report), essence(&alone));
    }
}

#[test]
fn a_motion_without_value_ends_the_run_at_the_same_step() {
    // One coordinate is free, the other is prescribed as far as the root goes.
    let text = CRANK.replace(
        "[simulation]",
        "[[body]]\nname = \"flag\"\nmass = 1\n[[joint]]\nname = \"F\"\nkind = \"prismatic\"\n\
         from = \"ground\"\nto = \"flag\"\naxis = [0, 0, 1]\ndisplacement = { follows = \"sqrt(1.5 - t)\" }\n\
         [simulation]",
    );
    let simulation = simulation(&text);
    let [here, there] = BOTH.map(|thread| {
        let mut rows = Memory::default();
        let report = simulation.run(&options(&simulation, thread), &mut rows).unwrap();
        (essence(&report), bits(&rows.0))
    });
    assert_eq!(here.0.status, Status::Failed);
    assert!(here.0.message.contains("sqrt(1.5 - t)"), "{}", here.0.message);
    assert_eq!(here.0.message, there.0.message);
    assert_eq!((here.0.t, here.0.rows), (there.0.t, there.0.rows));
    assert!(here.1 == there.1);
}
