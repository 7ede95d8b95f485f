//! `peers`: Holonom measured beside other DAE codes. See README.md.

mod chain;
mod chart;
mod codes;
mod compare;
mod curve;
#[cfg(feature = "ida")]
mod cvode;
#[cfg(feature = "dassl")]
mod dassl;
#[cfg(feature = "diffsol")]
mod diffsol;
mod fidelity;
mod growth;
mod holonom;
#[cfg(feature = "ida")]
mod ida;
mod interface;
mod kernels;
mod kernels_protocol;
#[cfg(any(feature = "radau5", feature = "diffsol"))]
mod lifted;
#[cfg(any(feature = "radau5", feature = "diffsol"))]
mod mass;
mod measure;
mod race;
#[cfg(feature = "radau5")]
mod radau5;
mod references;
mod report;
mod robots;
mod simulators;
#[cfg(feature = "ida")]
mod sundials;

use clap::{Parser, Subcommand};
use holonom_dae::problems::{self, Problem};
use interface::Settings;
use report::Report;
use std::path::PathBuf;
use std::process::ExitCode;

/// Holonom measured beside IDA, DASSL, RADAU5 and diffsol; its kernels beside Pinocchio and MuJoCo.
#[derive(Parser)]
#[command(version)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// The problems and the codes in this build.
    List,
    /// One problem at one tolerance.
    Run {
        /// Name of the problem.
        #[arg(long)]
        problem: String,
        /// Relative tolerance.
        #[arg(long)]
        rtol: f64,
        /// Absolute tolerance; rtol times the problem's factor unless given.
        #[arg(long)]
        atol: Option<f64>,
        /// Codes; all unless given.
        #[arg(long, value_delimiter = ',')]
        peer: Vec<String>,
        /// Print the solution at the end too.
        #[arg(long)]
        values: bool,
        /// Run so many times and print the least CPU time.
        #[arg(long, default_value_t = 1)]
        repeat: usize,
    },
    /// Work–precision curves and the work at equal digits.
    Compare {
        /// Problems; the standard set unless given.
        #[arg(long, value_delimiter = ',')]
        problems: Vec<String>,
        /// Codes; all unless given.
        #[arg(long, value_delimiter = ',')]
        peer: Vec<String>,
        /// Digits at which work is read off.
        #[arg(long, value_delimiter = ',', default_values_t = [4.0, 6.0])]
        digits: Vec<f64>,
        /// Interleaved repetitions of each measurement of time.
        #[arg(long, default_value_t = 5)]
        repeat: usize,
        /// Tolerances per decade to begin with; sixteen where the digits asked for are crossed.
        #[arg(long, default_value_t = 2)]
        per_decade: u32,
        /// Judge the pendulum chain by its worst whole second instead of its end (a second look)
        #[arg(long)]
        along: bool,
        /// Draw a chart of each problem into this folder.
        #[arg(long)]
        plot: Option<PathBuf>,
        /// Write the result as JSON.
        #[arg(long)]
        json: Option<PathBuf>,
    },
    /// Jacobians, residuals and time on the pendulum chain and the car axle against IDA and DASSL
    Corrector {
        /// Numbers of pendulums.
        #[arg(long, value_delimiter = ',', default_values_t = [16, 64, 256])]
        n: Vec<usize>,
        /// Frequency of the suspension.
        #[arg(long, default_value_t = 0.05 * std::f64::consts::TAU)]
        omega: f64,
        /// Codes; Holonom's `bdf`, which is judged, and `auto`, IDA and DASSL unless given.
        #[arg(long, value_delimiter = ',', default_values_t = ["holonom", "holonom-auto", "ida", "dassl"].map(String::from))]
        peer: Vec<String>,
        /// Digits at which work is read off.
        #[arg(long, value_delimiter = ',', default_values_t = [3.0, 4.0, 6.0])]
        digits: Vec<f64>,
        /// Interleaved repetitions of each measurement of time.
        #[arg(long, default_value_t = 3)]
        repeat: usize,
        /// Tolerances per decade to begin with; sixteen where the digits asked for are crossed.
        #[arg(long, default_value_t = 2)]
        per_decade: u32,
        /// CPU time in seconds at which a run is ended.
        #[arg(long, default_value_t = 60.0)]
        too_long: f64,
        /// Write the result as JSON.
        #[arg(long)]
        json: Option<PathBuf>,
    },
    /// Time at equal error against the best of the other codes: car axle, Andrews, chains of pendulums
    Race {
        /// Numbers of pendulums.
        #[arg(long, value_delimiter = ',', default_values_t = [16, 64, 256])]
        n: Vec<usize>,
        /// Only these contests: `car-axle`, `andrews`, `chain`, or one chain such as `chain-16`.
        #[arg(long, value_delimiter = ',')]
        problems: Vec<String>,
        /// Codes; all unless given.
        #[arg(long, value_delimiter = ',')]
        peer: Vec<String>,
        /// Digits at which time is read off.
        #[arg(long, value_delimiter = ',', default_values_t = [3.0, 5.0, 7.0, 9.0])]
        digits: Vec<f64>,
        /// Interleaved repetitions of each measurement of time.
        #[arg(long, default_value_t = 3)]
        repeat: usize,
        /// Tolerances per decade to begin with; sixteen where the digits asked for are crossed.
        #[arg(long, default_value_t = 2)]
        per_decade: u32,
        /// CPU time in seconds at which a run is ended.
        #[arg(long, default_value_t = 20.0)]
        too_long: f64,
        /// Draw a chart of each contest into this folder.
        #[arg(long)]
        plot: Option<PathBuf>,
        /// Write the result as JSON.
        #[arg(long)]
        json: Option<PathBuf>,
    },
    /// Steps and Jacobians of DASSL and of our solver told to behave like it.
    Fidelity {
        /// Write the result as JSON.
        #[arg(long)]
        json: Option<PathBuf>,
    },
    /// The chain of pendulums with every code, means over 20 tolerances within ±10 %; ours judged by DASSL.
    Chain {
        /// Numbers of pendulums.
        #[arg(long, value_delimiter = ',', default_values_t = [12, 14, 16])]
        n: Vec<usize>,
        /// Frequency of the excitation; judged is the one given here.
        #[arg(long, default_value_t = chain::OMEGA)]
        omega: f64,
        /// Relative tolerance; the same.
        #[arg(long, default_value_t = chain::RTOL)]
        rtol: f64,
        /// Absolute tolerance; the same.
        #[arg(long, default_value_t = chain::ATOL)]
        atol: f64,
        /// Codes; all unless given.
        #[arg(long, value_delimiter = ',')]
        peer: Vec<String>,
        /// Write the result as JSON.
        #[arg(long)]
        json: Option<PathBuf>,
    },
    /// Whole simulators at equal error: chains of rods and a slider–crank beside Exudyn and MuJoCo.
    Simulators {
        /// Rounds in turn.
        #[arg(long, default_value_t = 3)]
        rounds: usize,
        /// Write the result as JSON.
        #[arg(long)]
        json: Option<PathBuf>,
    },
    /// The robots of example-robot-data as we read them: dynamics in random states beside Pinocchio.
    Robots {
        /// Random states for each robot.
        #[arg(long, default_value_t = 20)]
        states: usize,
        /// Seed of the states.
        #[arg(long, default_value_t = 1)]
        seed: u64,
        /// A folder of other URDF files.
        #[arg(long)]
        folder: Option<PathBuf>,
        /// Write the result as JSON.
        #[arg(long)]
        json: Option<PathBuf>,
    },
    /// Inverse and forward dynamics and mass matrices beside Pinocchio and MuJoCo.
    Kernels {
        /// Rounds of batches in turn.
        #[arg(long, default_value_t = 101)]
        rounds: usize,
        /// Write the result as JSON.
        #[arg(long)]
        json: Option<PathBuf>,
    },
}

fn main() -> ExitCode {
    one_thread();
    match dispatch(Arguments::parse().command) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::from(2)
        }
    }
}

/// OpenBLAS reads its number of threads before `main`: start again with one, unless it is set.
fn one_thread() {
    use std::os::unix::process::CommandExt;
    const NAME: &str = "OPENBLAS_NUM_THREADS";
    if std::env::var_os(NAME).is_none()
        && let Ok(program) = std::env::current_exe()
    {
        let error = std::process::Command::new(program)
            .args(std::env::args_os().skip(1))
            .env(NAME, "1")
            .exec();
        eprintln!("warning: could not restart with {NAME}=1 ({error}); times may include idle threads");
    }
}

/// Runs a command; whether everything held.
fn dispatch(command: Command) -> Result<bool, String> {
    match command {
        Command::List => {
            for p in problems::all() {
                println!("{:<24} {}", p.name, p.title);
            }
            println!(
                "\ncodes: {}",
                codes::built()
                    .iter()
                    .map(|c| c.name)
                    .collect::<Vec<_>>()
                    .join(", ")
            );
            Ok(true)
        }
        Command::Run {
            problem,
            rtol,
            atol,
            peer,
            values,
            repeat,
        } => run(&find(&problem)?, rtol, atol, &peer, values, repeat),
        Command::Compare {
            problems: names,
            peer,
            digits,
            repeat,
            per_decade,
            along,
            plot,
            json,
        } => {
            let chosen = match names.is_empty() {
                true => problems::all(),
                false => names.iter().map(|n| find(n)).collect::<Result<_, _>>()?,
            };
            let comparison = compare::Comparison {
                name: "peers compare",
                demands: compare::OF_THE_ENGINE,
                max_unknowns: 200,
            };
            let options = measure::Options {
                along,
                ..options(digits, repeat, per_decade, 20.0)
            };
            let codes = codes::select(&peer)?;
            let report = compare::compare(&chosen, &codes, &comparison, &options, plot.as_deref())?;
            finish(&report, json)
        }
        Command::Corrector {
            n,
            omega,
            peer,
            digits,
            repeat,
            per_decade,
            too_long,
            json,
        } => {
            let chains = n.iter().map(|n| find(&format!("chain-residual:{n}:{omega}")));
            let mut chosen = chains.collect::<Result<Vec<_>, _>>()?;
            chosen.push(find("car-axle")?);
            for problem in &mut chosen {
                references::complete(problem)?;
            }
            let comparison = compare::Comparison {
                name: "peers corrector",
                demands: compare::OF_THE_CORRECTOR,
                max_unknowns: 1000,
            };
            let options = measure::Options {
                limit: too_long,
                go_on: true,
                ..options(digits, repeat, per_decade, too_long)
            };
            let report = compare::compare(&chosen, &codes::select(&peer)?, &comparison, &options, None)?;
            growth::print(&report.rows, &n, &options.digits);
            finish(&report, json)
        }
        Command::Race {
            n,
            problems,
            peer,
            digits,
            repeat,
            per_decade,
            too_long,
            plot,
            json,
        } => {
            let contests = race::contests(&n, &problems, find)?;
            let options = measure::Options {
                limit: too_long,
                cut_off: Some(race::CUT_OFF),
                side: race::side,
                ..options(digits, repeat, per_decade, too_long)
            };
            let codes = codes::select(&peer)?;
            let report = race::race(&contests, codes, &options, plot.as_deref(), json.as_deref())?;
            finish(&report, json)
        }
        Command::Simulators { rounds, json } => finish(&simulators::simulators(rounds.max(1))?, json),
        Command::Robots {
            states,
            seed,
            folder,
            json,
        } => finish(&robots::robots(states.max(1), seed, folder.as_deref())?, json),
        Command::Kernels { rounds, json } => finish(&kernels::kernels(rounds.max(1))?, json),
        Command::Fidelity { json } => finish(&fidelity::fidelity(find), json),
        Command::Chain {
            n,
            omega,
            rtol,
            atol,
            peer,
            json,
        } => {
            let report = chain::chain(
                &n,
                omega,
                &Settings::new(rtol, atol),
                &codes::select(&peer)?,
                find,
            )?;
            finish(&report, json)
        }
    }
}

/// How curves are measured for `compare` and `corrector`.
fn options(mut digits: Vec<f64>, repeat: usize, per_decade: u32, too_long: f64) -> measure::Options {
    digits.sort_by(f64::total_cmp);
    measure::Options {
        too_long,
        // One run that is longer may still bound a curve; several times as long is a code that is stuck.
        limit: 5.0 * too_long,
        cut_off: None,
        go_on: false,
        digits,
        repeat,
        per_decade,
        along: false,
        side: |_| None,
    }
}

fn finish(report: &Report, json: Option<PathBuf>) -> Result<bool, String> {
    report.finish(json.as_deref())?;
    Ok(report.checks.is_empty() || report.holds())
}

/// The problem of that name.
fn find(name: &str) -> Result<Problem, String> {
    problems::find(name).ok_or_else(|| {
        let known: Vec<String> = problems::all().into_iter().map(|p| p.name).collect();
        format!("no problem named `{name}`; there are {}", known.join(", "))
    })
}

fn run(
    problem: &Problem,
    rtol: f64,
    atol: Option<f64>,
    peers: &[String],
    values: bool,
    repeat: usize,
) -> Result<bool, String> {
    if !(rtol > 0.0 && rtol < 1.0) || atol.is_some_and(|a| a.is_nan() || a <= 0.0) {
        return Err("tolerances are positive numbers, the relative one below 1, such as 1e-6".into());
    }
    let settings = Settings::new(rtol, atol.unwrap_or(rtol * problem.atol_factor));
    let mut all = true;
    for code in codes::select(peers)? {
        let mut system = (problem.build)();
        let head = format!(
            "{} {:<8} rtol={:.3e} atol={:.3e}",
            problem.name, code.name, settings.rtol, settings.atol
        );
        let mut once = || (code.integrate)(system.as_mut(), problem, &settings);
        let mut measured = once();
        for _ in 1..repeat {
            let again = once().map_or(f64::INFINITY, |r| r.cpu);
            if let Ok(run) = &mut measured {
                run.cpu = run.cpu.min(again);
            }
        }
        match measured {
            Ok(run) => {
                let digits = curve::score(system.structure(), problem, &run.y)
                    .map_or("-".into(), |d| format!("{d:.2}"));
                println!(
                    "{head}: steps={} residuals={} own={} jacobians={} error_fails={} convergence_fails={} cpu={} digits={digits}{}{}",
                    run.steps,
                    run.residuals,
                    run.residuals_own,
                    run.jacobians,
                    run.error_failures,
                    run.convergence_failures,
                    report::seconds(run.cpu),
                    run.note.as_ref().map_or(String::new(), |n| format!(" ({n})")),
                    run.failure
                        .as_ref()
                        .map_or(String::new(), |f| format!(" FAILED {f}")),
                );
                if values {
                    for (v, y) in system.structure().variables.iter().zip(&run.y) {
                        println!("  {:<12} {y:.15e}", v.name);
                    }
                }
                all &= run.failure.is_none();
            }
            Err(reason) => println!("{head}: not possible: {reason}"),
        }
    }
    Ok(all)
}
