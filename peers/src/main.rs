//! `peers`: Holonom measured beside other DAE codes. See README.md.

mod chain;
mod codes;
mod compare;
mod curve;
#[cfg(feature = "dassl")]
mod dassl;
#[cfg(feature = "diffsol")]
mod diffsol;
mod fidelity;
mod holonom;
#[cfg(feature = "ida")]
mod ida;
mod interface;
mod kernels;
mod kernels_protocol;
#[cfg(feature = "radau5")]
mod radau5;
mod references;
mod report;

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
        /// Tolerances per decade; more make the result depend less on lucky runs.
        #[arg(long, default_value_t = 2)]
        per_decade: u32,
        /// Judge the pendulum chain by its worst whole second instead of its end (a second look)
        #[arg(long)]
        along: bool,
        /// Write the result as JSON.
        #[arg(long)]
        json: Option<PathBuf>,
    },
    /// Jacobians, residuals and time on the pendulum chain and the car axle against IDA and DASSL
    Corrector {
        /// Numbers of pendulums; 256 alone takes about half an hour.
        #[arg(long, value_delimiter = ',', default_values_t = [16, 64, 256])]
        n: Vec<usize>,
        /// Frequency of the suspension.
        #[arg(long, default_value_t = 0.05 * std::f64::consts::TAU)]
        omega: f64,
        /// Codes; Holonom, IDA and DASSL unless given.
        #[arg(long, value_delimiter = ',', default_values_t = ["holonom", "ida", "dassl"].map(String::from))]
        peer: Vec<String>,
        /// Digits at which work is read off.
        #[arg(long, value_delimiter = ',', default_values_t = [3.0, 4.0, 6.0])]
        digits: Vec<f64>,
        /// Interleaved repetitions of each measurement of time.
        #[arg(long, default_value_t = 3)]
        repeat: usize,
        /// Tolerances per decade.
        #[arg(long, default_value_t = 1)]
        per_decade: u32,
        /// Seconds after which a code is not run at tighter tolerances.
        #[arg(long, default_value_t = 100.0)]
        too_long: f64,
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
    /// The chain of pendulums with every code, errors at whole seconds.
    Chain {
        /// Numbers of pendulums.
        #[arg(long, value_delimiter = ',', default_values_t = [12, 16])]
        n: Vec<usize>,
        /// Frequency of the excitation.
        #[arg(long, default_value_t = 0.05)]
        omega: f64,
        /// Relative tolerance.
        #[arg(long, default_value_t = 1e-4)]
        rtol: f64,
        /// Absolute tolerance.
        #[arg(long, default_value_t = 1e-6)]
        atol: f64,
        /// Codes; all unless given.
        #[arg(long, value_delimiter = ',')]
        peer: Vec<String>,
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
        } => run(&find(&problem)?, rtol, atol, &peer, values),
        Command::Compare {
            problems: names,
            peer,
            digits,
            repeat,
            per_decade,
            along,
            json,
        } => {
            let chosen = match names.is_empty() {
                true => problems::all(),
                false => names.iter().map(|n| find(n)).collect::<Result<_, _>>()?,
            };
            let report = compare::compare(
                &chosen,
                &codes::select(&peer)?,
                &compare::Options {
                    name: "peers compare",
                    demands: compare::OF_THE_ENGINE,
                    max_unknowns: 200,
                    too_long: 20.0,
                    digits,
                    repeat,
                    per_decade,
                    along,
                },
            );
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
            let report = compare::compare(
                &chosen,
                &codes::select(&peer)?,
                &compare::Options {
                    name: "peers corrector",
                    demands: compare::OF_THE_CORRECTOR,
                    max_unknowns: 1000,
                    too_long,
                    digits,
                    repeat,
                    per_decade,
                    along: false,
                },
            );
            finish(&report, json)
        }
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
        match (code.integrate)(system.as_mut(), problem, &settings) {
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
