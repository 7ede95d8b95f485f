//! Talks to the drivers of `kernels/`, which run the kernels of Pinocchio and MuJoCo.
//!
//! A driver has one model and answers commands line by line, so that batches of ours and theirs can take turns in one
//! run. README.md, "Kernels", has the protocol, the states and the conventions.

use std::collections::BTreeMap;
use std::env;
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};

/// Builds of Pinocchio: the wheel's library, g++ and clang for this processor. The fastest counts, kernel by kernel.
pub const PINOCCHIO: [&str; 3] = ["kern_pin_wheel", "kern_pin_native", "kern_pin_clang"];

/// The build of MuJoCo.
pub const MUJOCO: &str = "kern_mj";

/// Models of Pinocchio. `chain1000` would take it some 60 GB.
pub const MODELS: [&str; 4] = ["arm7", "humanoid36", "chain10", "chain100"];

/// Models of MuJoCo.
pub const MODELS_MUJOCO: [&str; 5] = ["arm7", "humanoid36", "chain10", "chain100", "chain1000"];

/// Where `kernels/install.sh` puts things: `HOLONOM_PEERS_DIR`, or `~/.cache/holonom-peers`.
pub fn folder() -> PathBuf {
    env::var_os("HOLONOM_PEERS_DIR")
        .filter(|d| !d.is_empty())
        .map_or_else(
            || PathBuf::from(env::var_os("HOME").unwrap_or_default()).join(".cache/holonom-peers"),
            PathBuf::from,
        )
}

/// The file of a model, for our side too.
pub fn model_file(model: &str) -> PathBuf {
    folder().join("models").join(format!("{model}.txt"))
}

/// Results at state 0 by name, such as `rnea`, one value per degree of freedom.
pub type Values = BTreeMap<String, Vec<f64>>;

/// A running driver. Dropping it ends it.
pub struct Peer {
    child: Child,
    output: BufReader<ChildStdout>,
    /// Library and version.
    pub name: String,
    /// Degrees of freedom of the model.
    pub dofs: usize,
    /// What `time` can be asked for.
    pub kernels: Vec<String>,
}

impl Peer {
    /// Starts an installed driver with one of the models; `None` if the driver or the model is not there.
    pub fn installed(driver: &str, model: &str) -> io::Result<Option<Self>> {
        let (program, model) = (folder().join("bin").join(driver), model_file(model));
        if program.exists() && model.exists() {
            Self::start(&program, &model).map(Some)
        } else {
            Ok(None)
        }
    }

    /// Starts a driver with a model.
    pub fn start(program: &Path, model: &Path) -> io::Result<Self> {
        let mut child = Command::new(program)
            .arg(model)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let output = child
            .stdout
            .take()
            .ok_or_else(|| io::Error::other("no pipe to the driver"))?;
        let mut peer = Self {
            child,
            output: BufReader::new(output),
            name: String::new(),
            dofs: 0,
            kernels: Vec::new(),
        };
        // "library version dofs kernel…"
        let about = peer.ask("about")?;
        let words: Vec<&str> = about.split_whitespace().collect();
        let [library, version, dofs, kernels @ ..] = &words[..] else {
            return Err(odd(&about));
        };
        peer.name = format!("{library} {version}");
        peer.dofs = dofs.parse().map_err(|_| odd(&about))?;
        peer.kernels = kernels.iter().map(ToString::to_string).collect();
        Ok(peer)
    }

    /// CPU time per call in ns over `n` calls of a kernel.
    pub fn time(&mut self, kernel: &str, n: u64) -> io::Result<f64> {
        let answer = self.ask(&format!("{kernel} {n}"))?;
        answer.parse().map_err(|_| odd(&answer))
    }

    /// The results at state 0.
    pub fn check(&mut self) -> io::Result<Values> {
        let mut values = Values::new();
        let mut line = self.ask("check")?;
        while line != "end" {
            let (name, numbers) = line.split_once(' ').ok_or_else(|| odd(&line))?;
            let numbers = numbers
                .split_whitespace()
                .map(str::parse)
                .collect::<Result<Vec<f64>, _>>();
            let numbers = numbers
                .ok()
                .filter(|v| v.len() == self.dofs)
                .ok_or_else(|| odd(&line))?;
            values.insert(name.to_owned(), numbers);
            line = self.line()?;
        }
        Ok(values)
    }

    /// Sends a command; the first line of the answer.
    fn ask(&mut self, command: &str) -> io::Result<String> {
        let input = self
            .child
            .stdin
            .as_mut()
            .ok_or_else(|| io::Error::other("no pipe to the driver"))?;
        input.write_all(format!("{command}\n").as_bytes())?;
        input.flush()?;
        self.line()
    }

    fn line(&mut self) -> io::Result<String> {
        let mut line = String::new();
        if self.output.read_line(&mut line)? == 0 {
            return Err(io::Error::new(
                io::ErrorKind::UnexpectedEof,
                "the driver has ended",
            ));
        }
        let line = line.trim();
        match line.strip_prefix("error: ") {
            Some(message) => Err(io::Error::new(io::ErrorKind::InvalidInput, message)),
            None => Ok(line.to_owned()),
        }
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        // It may be in the middle of a batch: do not wait for its end.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn odd(line: &str) -> io::Error {
    let start: String = line.chars().take(80).collect();
    io::Error::new(
        io::ErrorKind::InvalidData,
        format!("the driver answered `{start}`"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The driver, or `None` and a remark when it is not installed.
    fn peer(driver: &str, model: &str) -> Option<Peer> {
        let peer = Peer::installed(driver, model).expect("the driver starts");
        if peer.is_none() {
            eprintln!(
                "skipped: no {driver} in {}; see kernels/install.sh",
                folder().display()
            );
        }
        peer
    }

    /// Largest difference, relative to 1 + |b|.
    fn distance(a: &[f64], b: &[f64]) -> f64 {
        assert_eq!(a.len(), b.len());
        a.iter()
            .zip(b)
            .map(|(a, b)| (a - b).abs() / (1.0 + b.abs()))
            .fold(0.0, f64::max)
    }

    #[test]
    fn a_missing_driver_is_an_error() {
        assert!(Peer::start(Path::new("/nowhere/driver"), Path::new("model")).is_err());
    }

    #[test]
    fn a_program_that_only_ends_is_an_error() {
        let result = Peer::start(Path::new("true"), Path::new("model"));
        assert!(result.is_err());
    }

    #[test]
    fn kernels_are_timed_and_unknown_ones_refused() {
        for driver in PINOCCHIO.into_iter().chain([MUJOCO]) {
            let Some(mut peer) = peer(driver, "arm7") else {
                return;
            };
            assert_eq!(peer.dofs, 7);
            for kernel in peer.kernels.clone() {
                let ns = peer.time(&kernel, 100).expect("a time");
                assert!(ns > 10.0 && ns < 1e7, "{driver} {kernel}: {ns} ns");
            }
            assert!(peer.time("nothing", 1).is_err());
            assert!(peer.time("rnea", 0).is_err());
            // It still answers.
            assert!(peer.check().is_ok());
        }
    }

    #[test]
    fn the_peers_agree_with_each_other() {
        for model in MODELS {
            let Some(mut mujoco) = peer(MUJOCO, model) else {
                return;
            };
            let theirs = mujoco.check().expect("values");
            // With a free joint MuJoCo's values are translated to body axes.
            let body = |name: &str| theirs.get(&format!("{name}_body")).unwrap_or(&theirs[name]);
            for driver in PINOCCHIO {
                let Some(mut pinocchio) = peer(driver, model) else {
                    return;
                };
                let values = pinocchio.check().expect("values");
                for (name, reference, limit) in [
                    ("rnea", body("rnea"), 1e-11),
                    ("aba_local", body("aba"), 1e-8),
                    ("aba_world", body("aba"), 1e-8),
                    ("mass_diagonal_local", &theirs["mass_diagonal"], 1e-11),
                    ("mass_diagonal_world", &theirs["mass_diagonal"], 1e-11),
                ] {
                    let d = distance(&values[name], reference);
                    assert!(d < limit, "{driver} {model} {name}: {d:e}");
                }
            }
        }
    }
}
