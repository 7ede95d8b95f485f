//! Crates and modules use only what stands above them.
//!
//! The members in `Cargo.toml` and the modules in each `lib.rs` are listed in the order in which data flow. A use that
//! points to what comes later, or that closes a cycle among the modules of one folder, fails here. Uses are paths in
//! the text: re-exports are followed to where an item is defined, tests are left out.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

#[path = "layers/graph.rs"]
mod graph;
#[path = "layers/source.rs"]
mod source;
#[path = "layers/tokens.rs"]
mod tokens;

use graph::Graph;
use source::{ModulePath, Source, Use};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The code of a crate's root file, or of a folder's `mod.rs`.
const OWN: &str = "(own code)";

/// Cycles that are known: crate, folder, modules. What is here may only shrink; a crate whose root has cycles is not
/// yet in order.
const KNOWN: &[(&str, &str, &[&str])] = &[
    ("engine/algebra", "scalar", &["rotation", "spatial"]),
    ("engine/multibody", "channels", &["build", "catalogue"]),
    (
        "engine/multibody",
        "elements",
        &["constraints", "observable", "references"],
    ),
    ("engine/multibody", "formalism", &["observe", "reactions"]),
    ("engine/solver", "linear", &["lu_blocked", "lu_dense", "lu_small"]),
    ("engine/solver", "stepper", &["checkpoint", "driver", "setup"]),
    ("engine/solver", "stepper", &["linear_implicit", "realtime"]),
    ("engine/solver", "stepper::driver", &["hindsight", "laws"]),
    (
        "engine/solver",
        "stepper::linear_implicit",
        &["euler", "options", "partition", "stabilise"],
    ),
    ("engine/format", "read", &["expressions", "table_reader"]),
    ("engine/format", "urdf", &["names", "xml"]),
    ("engine/analysis", "modes", &["damped", "large", "undamped"]),
    (
        "engine/analysis",
        "statics",
        &["dense", "local", "search", "sparse"],
    ),
    ("engine/holonom", "simulation", &["pipeline", "run", "watch"]),
    ("models", "pictures", &["geometry", "guidance"]),
    ("experiments", "", &["generator", "mechanism", "oracle"]),
    ("apps/cli", "", &["error", "output"]),
    ("apps/cli", "commands::run", &["record", "summary"]),
];

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn text(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Members of the workspace, in order.
fn members() -> Vec<String> {
    let manifest = text(&workspace().join("Cargo.toml"));
    let line = manifest
        .lines()
        .find(|line| line.starts_with("members = "))
        .unwrap();
    let members: Vec<String> = line.split('"').skip(1).step_by(2).map(str::to_owned).collect();
    assert!(members.len() > 10, "{line}");
    members
}

fn source_of(member: &str) -> Source {
    let folder = workspace().join(member).join("src");
    let library = folder.join("lib.rs");
    let root = if library.exists() {
        library
    } else {
        folder.join("main.rs")
    };
    Source::read(&root).unwrap()
}

/// Uses among the modules of one folder.
#[derive(Default)]
struct Folder {
    graph: Graph,
    /// For each pair the places, with the path as written.
    places: BTreeMap<(String, String), Vec<String>>,
}

/// All folders of a crate that have modules.
fn folders(source: &Source) -> BTreeMap<ModulePath, Folder> {
    let mut folders: BTreeMap<ModulePath, Folder> = BTreeMap::new();
    for Use {
        from,
        to,
        path,
        file,
        line,
    } in source.uses()
    {
        let common = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
        let name = |path: &ModulePath| path.get(common).map_or(OWN, String::as_str).to_owned();
        let (a, b) = (name(&from), name(&to));
        // Within a folder, its own code and that of its modules may use each other.
        if common > 0 && (a == OWN || b == OWN) {
            continue;
        }
        let folder = folders.entry(from[..common].to_vec()).or_default();
        folder.graph.add(&a, &b);
        let place = format!("{}:{line} uses {}", file.display(), path.join("::"));
        folder.places.entry((a, b)).or_default().push(place);
    }
    folders
}

impl Folder {
    /// Some of the uses that close a cycle.
    fn examples(&self, cycle: &BTreeSet<String>) -> String {
        let inside = |(a, b): &(String, String)| cycle.contains(a) && cycle.contains(b);
        let uses = self.places.iter().filter(|(pair, _)| inside(pair));
        uses.map(|((a, b), places)| format!("\n    {a} -> {b} ({}): {}", places.len(), places[0]))
            .collect()
    }
}

#[test]
fn crates_use_those_above_them() {
    let members = members();
    let mut above = BTreeSet::new();
    for member in &members {
        let manifest = text(&workspace().join(member).join("Cargo.toml"));
        let name = manifest
            .lines()
            .find_map(|line| line.strip_prefix("name = "))
            .unwrap();
        let (_, rest) = manifest.split_once("[dependencies]").unwrap_or_default();
        let section = rest.split("\n[").next().unwrap_or_default();
        for line in section.lines().filter(|line| line.starts_with("holonom")) {
            let used = line.split(['.', ' ', '=']).next().unwrap_or_default();
            assert!(
                above.contains(used),
                "{member} uses {used}, which `members` lists below it"
            );
        }
        above.insert(name.trim_matches('"').to_owned());
    }
    assert_eq!(above.len(), members.len());
}

#[test]
fn modules_have_no_cycles() {
    let mut unknown = Vec::new();
    let mut left: Vec<_> = KNOWN.to_vec();
    for member in members() {
        let mut largest = 1;
        for (path, folder) in folders(&source_of(&member)) {
            let place = path.join("::");
            for cycle in folder.graph.cycles() {
                if path.is_empty() {
                    largest = largest.max(cycle.len());
                }
                let known = left.iter().position(|(known, folder, modules)| {
                    (*known, *folder) == (member.as_str(), place.as_str())
                        && modules.iter().copied().eq(cycle.iter().map(String::as_str))
                });
                match known {
                    Some(number) => drop(left.remove(number)),
                    None => unknown.push(format!("{member} {place} {cycle:?}{}", folder.examples(&cycle))),
                }
            }
        }
        println!("{member}: largest cycle of modules {largest}");
    }
    assert!(
        unknown.is_empty(),
        "modules use each other:\n{}",
        unknown.join("\n")
    );
    assert!(
        left.is_empty(),
        "these cycles are gone or smaller; correct KNOWN: {left:?}"
    );
}

#[test]
fn modules_use_those_above_them() {
    let mut upwards = Vec::new();
    for member in members() {
        if KNOWN
            .iter()
            .any(|(known, folder, _)| *known == member && folder.is_empty())
        {
            continue;
        }
        let source = source_of(&member);
        let order: BTreeMap<&str, usize> = source.order().iter().map(String::as_str).zip(0..).collect();
        let root = folders(&source).remove(&Vec::new()).unwrap_or_default();
        let before = upwards.len();
        for ((a, b), places) in &root.places {
            if let (Some(first), Some(second)) = (order.get(&**a), order.get(&**b))
                && first < second
            {
                upwards.push(format!("{member}: {a} is listed above {b}, but {}", places[0]));
            }
        }
        if upwards.len() > before {
            let order = root.graph.order(source.order()).join(", ");
            upwards.push(format!("{member}: this order would do: {order}"));
        }
    }
    assert!(upwards.is_empty(), "{}", upwards.join("\n"));
}

#[test]
fn a_cycle_and_a_use_of_what_comes_later_are_found() {
    let folder = std::env::temp_dir().join(format!("holonom-layers-{}", std::process::id()));
    let write = |name: &str, text: &str| {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    write(
        "lib.rs",
        "pub mod low; mod high; mod made; pub use high::Thing;\n#[cfg(test)] mod tests;",
    );
    write(
        "low.rs",
        "use crate::Thing; mod inner { use super::super::made::{deep, one::One as Other}; }",
    );
    write(
        "high/mod.rs",
        "mod part; pub use part::Thing; pub fn f() { crate::low::g() }",
    );
    write("high/part.rs", "pub struct Thing; // crate::made");
    write(
        "made/mod.rs",
        "macro_rules! all { ($($m:ident)*) => { $(mod $m;)* } } all! { one two }",
    );
    write("made/one.rs", "use super::two::Two; pub struct One;");
    write("made/two.rs", "pub fn f(x: super::one::One) {} pub struct Two;");
    let source = Source::read(&folder.join("lib.rs")).unwrap();
    fs::remove_dir_all(&folder).unwrap();

    let shown = |u: &Use| format!("{} -> {}", u.from.join("::"), u.to.join("::"));
    let uses: BTreeSet<String> = source.uses().iter().map(shown).collect();
    let expected = [
        "high -> low",
        "low -> high::part",
        "low::inner -> made",
        "low::inner -> made::one",
        "made::one -> made::two",
        "made::two -> made::one",
    ];
    assert_eq!(uses, expected.map(str::to_owned).into());
    assert_eq!(source.order(), ["low", "high", "made"]);
    let folders = folders(&source);
    let cycles = |path: &[&str]| {
        let path: ModulePath = path.iter().map(|name| (*name).to_owned()).collect();
        folders[&path].graph.cycles()
    };
    assert_eq!(cycles(&[]), [["high", "low"].map(str::to_owned).into()]);
    assert_eq!(cycles(&["made"]), [["one", "two"].map(str::to_owned).into()]);
}
