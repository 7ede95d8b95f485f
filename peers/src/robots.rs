//! `peers robots`: the robots of example-robot-data as we read them, beside Pinocchio.
//!
//! A Python script (`robots/`) reads each file with Pinocchio and computes mass matrix, bias forces and forward dynamics
//! in the states that it is sent. Damping, friction and end stops are left out on our side: Pinocchio's algorithms know
//! neither of them. Joints that we lock, because nothing that they move has mass, are locked there too.

use crate::kernels_protocol::folder;
use crate::report::{Check, Report, table};
use holonom_format::urdf::{self, Base, Imported, Options};
use holonom_multibody::Model;
use holonom_multibody::description::JointKind;
use holonom_multibody::formalism::{aba, crba, rnea};
use holonom_multibody::kinematics::positions;
use holonom_multibody::tree::Geometry;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::Instant;

/// Largest difference that counts as equal.
const LIMIT: f64 = 1e-9;

/// Accelerations may differ by this many times what Pinocchio's own two ways to them differ by, if that is
/// more: in some random states joints line up, and the mass matrix is singular but for rounding.
const OWN: f64 = 10.0;

/// What is compared.
const QUANTITIES: [&str; 3] = ["mass", "bias", "acceleration"];

/// The script at work. Dropping it ends it.
struct Pinocchio {
    child: Child,
    output: BufReader<ChildStdout>,
}

impl Pinocchio {
    fn start() -> Result<Self, String> {
        let python = folder().join("robots/bin/python");
        if !python.exists() {
            let place = python.display();
            return Err(format!(
                "{place} is not there; `peers/robots/install.sh` installs it"
            ));
        }
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("robots/pinocchio_states.py");
        let mut child = Command::new(&python)
            .arg(script)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|e| format!("{}: {e}", python.display()))?;
        let output = child.stdout.take().ok_or("the script has no output")?;
        Ok(Self {
            child,
            output: BufReader::new(output),
        })
    }

    fn ask(&mut self, job: &Value) -> Result<Vec<Value>, String> {
        let input = self.child.stdin.as_mut().ok_or("the script has no input")?;
        writeln!(input, "{job}").map_err(|e| e.to_string())?;
        let mut line = String::new();
        self.output.read_line(&mut line).map_err(|e| e.to_string())?;
        let answer: Value = serde_json::from_str(&line).map_err(|e| format!("Pinocchio: {e}"))?;
        match (&answer["states"], &answer["error"]) {
            (Value::Array(states), _) => Ok(states.clone()),
            (_, error) => Err(format!("Pinocchio: {}", error.as_str().unwrap_or("no answer"))),
        }
    }
}

impl Drop for Pinocchio {
    fn drop(&mut self) {
        // The end of its input ends it.
        drop(self.child.stdin.take());
        let _ = self.child.wait();
    }
}

/// Numbers between −1 and 1 (splitmix64), the same in every run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^= z >> 31;
        (z >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }
}

/// A robot as we read it.
struct Ours {
    imported: Imported,
    model: Model,
    /// Time to read and compile it, s.
    seconds: f64,
}

fn read(file: &Path, base: Base) -> Result<Ours, String> {
    let text = std::fs::read_to_string(file).map_err(|e| format!("{}: {e}", file.display()))?;
    let options = Options {
        base,
        damping: false,
        friction: false,
        limits: false,
        ..Options::default()
    };
    let start = Instant::now();
    let imported = urdf::read_with(&text, &file.to_string_lossy(), &options)
        .map_err(|errors| errors.first().map_or(String::new(), |e| e.message.clone()))?;
    let model = imported.description.compile().map_err(|e| e.to_string())?;
    Ok(Ours {
        imported,
        model,
        seconds: start.elapsed().as_secs_f64(),
    })
}

impl Ours {
    fn is_free(&self) -> bool {
        self.imported
            .description
            .joints
            .iter()
            .any(|j| j.kind == JointKind::Free)
    }

    /// The job for the script, and our results in the same states.
    fn job(
        &self,
        file: &Path,
        states: usize,
        random: &mut Random,
    ) -> Result<(Value, Vec<[Vec<f64>; 3]>), String> {
        let (tree, free) = (&self.model.tree, self.is_free());
        let base = if free { 6 } else { 0 };
        let by_here = |here: &str| {
            let found = self
                .imported
                .joints
                .iter()
                .find(|j| j.here.as_deref() == Some(here));
            found
                .map(|j| j.urdf.clone())
                .ok_or(format!("there is no joint {here}"))
        };
        let names = &self.model.velocity_names[base..];
        let joints = names
            .iter()
            .map(|name| by_here(name))
            .collect::<Result<Vec<_>, _>>()?;
        let mut locked = serde_json::Map::new();
        for joint in &self.imported.description.joints {
            if let (Some(first), Ok(name)) = (joint.coordinates.first(), by_here(&joint.name)) {
                locked.insert(name, json!(first.position));
            }
        }
        for joint in &self.imported.joints {
            locked.entry(joint.urdf.clone()).or_insert(json!(0.0));
        }
        let (mut given, mut results) = (Vec::new(), Vec::new());
        let mut geometry: Vec<Geometry<f64>> = tree.nodes.iter().map(Geometry::new).collect();
        let mut crba_work = crba::CrbaWork::new(tree);
        let mut rnea_work = vec![rnea::RneaNode::zero(); tree.nodes.len()];
        let mut aba_work = vec![aba::AbaNode::zero(); tree.nodes.len()];
        let n = tree.n_v;
        for _ in 0..states {
            let mut q: Vec<f64> = (0..self.model.q0.len()).map(|_| 3.0 * random.next()).collect();
            if free {
                let norm = q[3..7].iter().map(|x| x * x).sum::<f64>().sqrt();
                q[3..7].iter_mut().for_each(|x| *x /= norm);
            }
            let v: Vec<f64> = (0..n).map(|_| 2.0 * random.next()).collect();
            positions::positions(tree, &q, &[], &mut geometry);
            let mut mass = vec![0.0; n * n];
            crba::crba(tree, &geometry, &mut crba_work, &mut mass);
            for i in 0..n {
                for j in 0..i {
                    // The lower triangle, column by column.
                    mass[i * n + j] = mass[j * n + i];
                }
            }
            // Forces that accelerate light and heavy links alike.
            let tau: Vec<f64> = (0..n).map(|i| 10.0 * mass[i * n + i] * random.next()).collect();
            let mut bias = vec![0.0; n];
            let zero = vec![0.0; n];
            rnea::rnea(tree, &geometry, &[], &v, &zero, None, &mut rnea_work, &mut bias);
            let mut acceleration = vec![0.0; n];
            aba::aba(
                tree,
                &geometry,
                &[],
                &v,
                &tau,
                None,
                &mut aba_work,
                &mut acceleration,
            );
            given.push(json!({ "q": q, "v": v, "tau": tau }));
            results.push([mass, bias, acceleration]);
        }
        let job = json!({ "file": file, "free": free, "joints": joints, "locked": locked, "states": given });
        Ok((job, results))
    }
}

fn flat(value: &Value) -> Vec<f64> {
    match value {
        Value::Array(all) => all.iter().flat_map(flat).collect(),
        other => vec![other.as_f64().unwrap_or(f64::NAN)],
    }
}

/// Largest difference over the largest value, or over `least`.
fn distance(ours: &[f64], theirs: &[f64], least: f64) -> f64 {
    if ours.len() != theirs.len() {
        return f64::INFINITY;
    }
    let scale = theirs.iter().fold(least, |m, x| m.max(x.abs()));
    ours.iter().zip(theirs).fold(0.0, |d: f64, (a, b)| {
        let e = (a - b).abs() / scale;
        if e.is_nan() { f64::INFINITY } else { d.max(e) }
    })
}

/// Entries of the mass matrix over √(Mᵢᵢ Mⱼⱼ), so that light links count as much as heavy ones.
fn scaled(mass: &[f64], by: &[f64]) -> Vec<f64> {
    let n = by.len().isqrt();
    let root = |i: usize| by[i * n + i].abs().sqrt().max(f64::MIN_POSITIVE.sqrt());
    (0..mass.len())
        .map(|k| mass[k] / (root(k / n) * root(k % n)))
        .collect()
}

/// All URDF files below a folder, in order.
fn files(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let entries = std::fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let mut files = Vec::new();
    for entry in entries {
        let path = entry.map_err(|e| e.to_string())?.path();
        if path.is_dir() {
            files.extend(self::files(&path)?);
        } else if path.extension().is_some_and(|e| e == "urdf") {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

/// The robots that `robots/install.sh` has installed.
fn installed() -> Result<PathBuf, String> {
    let lib = folder().join("robots/lib");
    let python = std::fs::read_dir(&lib).map_err(|_| {
        format!(
            "{} is not there; `peers/robots/install.sh` installs it",
            lib.display()
        )
    })?;
    let robots = "site-packages/cmeel.prefix/share/example-robot-data/robots";
    let mut found = python.flatten().map(|entry| entry.path().join(robots));
    found
        .find(|path| path.exists())
        .ok_or(format!("there is no {robots} in {}", lib.display()))
}

/// Compares every robot in so many states.
pub fn robots(states: usize, seed: u64, folder: Option<&Path>) -> Result<Report, String> {
    let mut report = Report::new("robots");
    let folder = match folder {
        Some(folder) => folder.to_path_buf(),
        None => installed()?,
    };
    let mut pinocchio = Pinocchio::start()?;
    let mut rows = Vec::new();
    let (mut read_in, mut refused, mut slowest) = (0, 0, 0.0_f64);
    for file in files(&folder)? {
        let name = file.strip_prefix(&folder).unwrap_or(&file).display().to_string();
        for base in [Base::Fixed, Base::Free] {
            let ours = match (read(&file, base), base) {
                (Ok(ours), _) => ours,
                // A root without mass, or called `world`, does not float.
                (Err(_), Base::Free) => continue,
                (Err(error), Base::Fixed) => {
                    let text = std::fs::read_to_string(&file).unwrap_or_default();
                    if !text.contains("<link") {
                        report.missing.push(format!("{name}: a robot without links"));
                    } else {
                        refused += 1;
                        report.missing.push(format!("{name}: {error}"));
                    }
                    break;
                }
            };
            read_in += usize::from(base == Base::Fixed);
            slowest = slowest.max(ours.seconds);
            let way = if base == Base::Free { "free" } else { "fixed" };
            let mut random = Random(seed);
            let (job, results) = ours.job(&file, states, &mut random)?;
            let theirs = pinocchio.ask(&job).map_err(|e| format!("{name}: {e}"))?;
            let (mut worst, mut over_limit) = ([0.0_f64; 3], [0.0_f64; 3]);
            for (ours, theirs) in results.iter().zip(&theirs) {
                for (k, quantity) in QUANTITIES.into_iter().enumerate() {
                    let mut pair = [ours[k].clone(), flat(&theirs[quantity])];
                    if quantity == "mass" {
                        let by = pair[1].clone();
                        pair = pair.map(|mass| scaled(&mass, &by));
                    }
                    let difference = distance(&pair[0], &pair[1], 1e-6);
                    let limit = match quantity {
                        "acceleration" => LIMIT.max(OWN * distance(&flat(&theirs["solved"]), &pair[1], 1e-6)),
                        _ => LIMIT,
                    };
                    worst[k] = worst[k].max(difference);
                    over_limit[k] = over_limit[k].max(difference / limit);
                }
            }
            if theirs.len() != states {
                (worst, over_limit) = ([f64::INFINITY; 3], [f64::INFINITY; 3]);
            }
            for ((quantity, worst), over_limit) in QUANTITIES.into_iter().zip(worst).zip(over_limit) {
                report.checks.push(Check {
                    id: format!("{quantity}/{name}/{way}"),
                    value: over_limit,
                    limit: 1.0,
                    source: format!("largest difference {worst:.1e} in {states} states; limit {LIMIT:.0e}"),
                });
            }
            let (dofs, notes) = (ours.model.tree.n_v, ours.imported.notes.len());
            report.rows.push(json!({
                "robot": name, "base": way, "dofs": dofs, "notes": notes, "seconds": ours.seconds,
                "mass": worst[0], "bias": worst[1], "acceleration": worst[2],
            }));
            let mut row = vec![name.clone(), way.to_string(), dofs.to_string(), notes.to_string()];
            row.push(format!("{:.1}", 1e3 * ours.seconds));
            row.extend(worst.map(|w| format!("{w:.0e}")));
            rows.push(row);
        }
    }
    let header = [
        "robot",
        "base",
        "dofs",
        "notes",
        "read [ms]",
        "mass",
        "bias",
        "acceleration",
    ];
    table(&header, &rows);
    println!(
        "\n{read_in} robots read, {refused} refused; the slowest in {:.0} ms",
        1e3 * slowest
    );
    report.checks.push(Check {
        id: "refused".into(),
        value: refused as f64,
        limit: 0.0,
        source: format!("of {} robots with links", read_in + refused),
    });
    report.checks.push(Check {
        id: "read/seconds".into(),
        value: slowest,
        limit: 0.5,
        source: "the slowest robot, read and compiled".into(),
    });
    Ok(report)
}
