//! The codes this program was built with.

use crate::holonom;
use crate::interface::Integrate;

/// A code that can be measured.
#[derive(Clone, Copy)]
pub struct Code {
    /// Name on the command line and in tables.
    pub name: &'static str,
    /// Runs it.
    pub integrate: Integrate,
}

/// Name of the code all ratios refer to.
pub const YARDSTICK: &str = "ida";
/// Name of our own.
pub const OURS: &str = "holonom";
/// Name of our own with the stepper `radau`.
pub const OURS_RADAU: &str = "holonom-radau";
/// Name of our own with the stepper `auto`, which may be an explicit one.
pub const OURS_AUTO: &str = "holonom-auto";

/// All names there could be, with whether this build has them.
const NAMES: [(&str, bool); 13] = [
    (OURS, holonom::CONNECTED),
    (OURS_RADAU, holonom::CONNECTED),
    (OURS_AUTO, holonom::CONNECTED),
    ("ida", cfg!(feature = "ida")),
    ("cvode-bdf", cfg!(feature = "ida")),
    ("cvode-adams", cfg!(feature = "ida")),
    ("cvode-newton", cfg!(feature = "ida")),
    ("dassl", cfg!(feature = "dassl")),
    ("radau5", cfg!(feature = "radau5")),
    ("diffsol", cfg!(feature = "diffsol")),
    ("diffsol-tr-bdf2", cfg!(feature = "diffsol")),
    ("diffsol-esdirk34", cfg!(feature = "diffsol")),
    ("diffsol-tsit45", cfg!(feature = "diffsol")),
];

/// The codes in this build, Holonom first.
pub fn built() -> Vec<Code> {
    let mut codes: Vec<Code> = Vec::new();
    if holonom::CONNECTED {
        codes.push(Code {
            name: OURS,
            integrate: holonom::integrate,
        });
        codes.push(Code {
            name: OURS_RADAU,
            integrate: holonom::integrate_radau,
        });
        codes.push(Code {
            name: OURS_AUTO,
            integrate: holonom::integrate_auto,
        });
    }
    #[cfg(feature = "ida")]
    codes.push(Code {
        name: "ida",
        integrate: crate::ida::integrate,
    });
    #[cfg(feature = "ida")]
    codes.extend([
        Code {
            name: "cvode-bdf",
            integrate: crate::cvode::integrate_bdf,
        },
        Code {
            name: "cvode-adams",
            integrate: crate::cvode::integrate_adams,
        },
        Code {
            name: "cvode-newton",
            integrate: crate::cvode::integrate_adams_newton,
        },
    ]);
    #[cfg(feature = "dassl")]
    codes.push(Code {
        name: "dassl",
        integrate: crate::dassl::integrate,
    });
    #[cfg(feature = "radau5")]
    codes.push(Code {
        name: "radau5",
        integrate: crate::radau5::integrate,
    });
    #[cfg(feature = "diffsol")]
    codes.extend([
        Code {
            name: "diffsol",
            integrate: crate::diffsol::integrate_bdf,
        },
        Code {
            name: "diffsol-tr-bdf2",
            integrate: crate::diffsol::integrate_tr_bdf2,
        },
        Code {
            name: "diffsol-esdirk34",
            integrate: crate::diffsol::integrate_esdirk34,
        },
        Code {
            name: "diffsol-tsit45",
            integrate: crate::diffsol::integrate_tsit45,
        },
    ]);
    codes
}

/// The code of that name, or why there is none.
pub fn find(name: &str) -> Result<Code, String> {
    if let Some(code) = built().into_iter().find(|c| c.name == name) {
        return Ok(code);
    }
    match NAMES.iter().find(|(known, _)| *known == name) {
        Some((OURS, _)) => {
            Err("Holonom's solver is not connected to this program yet (src/holonom.rs)".into())
        }
        Some(_) => Err(format!(
            "this program was built without `{name}`; build with `--features {name}`"
        )),
        None => Err(format!(
            "no code named `{name}`; there are {}",
            NAMES.map(|(n, _)| n).join(", ")
        )),
    }
}

/// The codes named, or all in this build when none is.
pub fn select(names: &[String]) -> Result<Vec<Code>, String> {
    if names.is_empty() {
        return Ok(built());
    }
    names.iter().map(|n| find(n)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::curve::score;
    use crate::interface::Settings;
    use holonom_dae::problems::{self, Problem};
    use holonom_dae::{Closure, Structure};
    use std::sync::{Mutex, MutexGuard, PoisonError};

    /// RADAU5 keeps its step in a common block: one run at a time.
    static ALONE: Mutex<()> = Mutex::new(());

    fn alone() -> MutexGuard<'static, ()> {
        ALONE.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// x'' = −x as two equations, from (0, 1).
    fn oscillator() -> Problem {
        Problem {
            name: "oscillator".into(),
            title: "harmonic oscillator",
            t0: 0.0,
            t_end: 3.0,
            y0: vec![0.0, 1.0],
            yp0: vec![1.0, 0.0],
            atol_factor: 1.0,
            reference: None,
            build: Box::new(|| {
                Box::new(Closure::new(Structure::ode(["x", "v"]), |_t, y, yp, r| {
                    r[0] = yp[0] - y[1];
                    r[1] = yp[1] + y[0];
                }))
            }),
        }
    }

    #[test]
    fn outputs_are_where_they_were_asked_for() {
        let _alone = alone();
        let problem = oscillator();
        let times = [0.5, 1.0, 2.5, 3.0];
        for code in built() {
            let settings = Settings {
                times: &times,
                ..Settings::new(1e-8, 1e-8)
            };
            let run = (code.integrate)((problem.build)().as_mut(), &problem, &settings).expect(code.name);
            assert_eq!(run.failure, None, "{}", code.name);
            assert_eq!(run.outputs.len(), times.len(), "{}", code.name);
            for (t, y) in times.iter().zip(&run.outputs) {
                assert!(
                    (y[0] - t.sin()).abs() < 1e-5 && (y[1] - t.cos()).abs() < 1e-5,
                    "{} at {t}: {y:?}",
                    code.name
                );
            }
            // Half a period is little for methods of order 13 and 8.
            let high = [OURS_RADAU, OURS_AUTO].contains(&code.name);
            let least = if high { 2 } else { 10 };
            assert!(run.residuals >= run.steps && run.steps > least, "{}", code.name);
        }
    }

    #[test]
    fn repeated_runs_agree_exactly() {
        let _alone = alone();
        let problem = oscillator();
        for code in built() {
            let settings = Settings::new(1e-6, 1e-6);
            let once = || {
                let run = (code.integrate)((problem.build)().as_mut(), &problem, &settings).expect(code.name);
                (run.y, run.steps, run.residuals, run.jacobians)
            };
            assert_eq!(once(), once(), "{}", code.name);
        }
    }

    #[test]
    fn every_code_reaches_digits_on_hires() {
        let _alone = alone();
        let problem = problems::find("hires").expect("hires exists");
        for code in built() {
            let mut system = (problem.build)();
            let run =
                (code.integrate)(system.as_mut(), &problem, &Settings::at(&problem, 1e-7)).expect(code.name);
            let digits = score(system.structure(), &problem, &run.y);
            // TR-BDF2, of order 2, has its tolerance per step.
            let least = if code.name.ends_with("bdf2") { 3.5 } else { 4.5 };
            assert!(digits.is_some_and(|d| d > least), "{}: {digits:?}", code.name);
        }
    }

    #[test]
    fn every_code_ends_when_its_time_is_over() {
        let _alone = alone();
        let problem = problems::find("chain-explicit:64:0.3").expect("a chain");
        for code in built() {
            let settings = Settings {
                limit: Some(0.01),
                ..Settings::at(&problem, 1e-10)
            };
            let run = (code.integrate)((problem.build)().as_mut(), &problem, &settings).expect(code.name);
            assert!(
                run.cut_off,
                "{}: {:?} after {} s",
                code.name, run.failure, run.cpu
            );
            assert!(
                run.failure.is_some_and(|f| f.starts_with("cut off")),
                "{}",
                code.name
            );
            // Far less than the run would take, and a little more than allowed.
            assert!(run.cpu < 0.5, "{}: {} s", code.name, run.cpu);
        }
    }

    #[test]
    fn index_one_equations_are_lifted_where_need_be() {
        let _alone = alone();
        let problem = problems::find("car-axle-index1").expect("the axle");
        for code in built().iter().filter(|c| !c.name.starts_with("cvode")) {
            let mut system = (problem.build)();
            let run = (code.integrate)(system.as_mut(), &problem, &Settings::at(&problem, 1e-7));
            let Ok(run) = run else {
                assert_eq!(code.name, "diffsol-tsit45");
                continue;
            };
            let digits = score(system.structure(), &problem, &run.y);
            assert!(digits.is_some_and(|d| d > 2.5), "{}: {digits:?}", code.name);
        }
    }

    #[test]
    fn unknown_codes_are_refused_with_the_names_there_are() {
        assert!(find("lsoda").is_err_and(|m| m.contains("radau5")));
        assert!(select(&[]).is_ok_and(|c| c.len() == built().len()));
    }
}
