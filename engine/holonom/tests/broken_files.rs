//! Broken model files: every message has its place and helps, and all faults are told at once.
//!
//! The files are in `engine/format/tests/broken`. A comment `# ^ here` says that a message is
//! expected about the line above it, `# < here` about the line it stands on.
//! `HOLONOM_BLESS=1` writes the expected messages anew; read them before keeping them.
#![allow(clippy::unwrap_used)]

use holonom::format::{Files, Messages, Settings, read};
use holonom::simulation::Simulation;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../format/tests/broken")
}

/// The names of the corpus, sorted.
fn corpus() -> Vec<String> {
    let entries = std::fs::read_dir(folder()).unwrap();
    let names = entries.map(|e| e.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.filter(|n| n.ends_with(".toml")).collect();
    names.sort();
    names
}

/// All that is wrong with a file, at whichever stage it is found.
fn faults(path: &Path, files: &Files) -> Option<Messages> {
    match read(path, files, &[]) {
        Ok(file) => Simulation::new(&file, &Settings::default()).err(),
        Err(messages) => Some(messages),
    }
}

/// File names and lines with marks, of a file and of the files it names.
fn marks(name: &str, seen: &mut BTreeSet<String>, out: &mut BTreeSet<(String, usize)>) {
    if !seen.insert(name.to_string()) {
        return;
    }
    let bytes = std::fs::read(folder().join(name)).unwrap();
    let text = String::from_utf8_lossy(&bytes);
    for (index, line) in text.lines().enumerate() {
        let shown = Path::new(name).file_name().unwrap().to_str().unwrap().to_string();
        if line.contains("^ here") {
            out.insert((shown, index));
        } else if line.contains("< here") {
            out.insert((shown, index + 1));
        }
    }
    for part in std::fs::read_dir(folder().join("parts")).unwrap() {
        let part = part.unwrap().file_name().into_string().unwrap();
        if text.contains(&format!("parts/{part}\""))
            || text.contains(&format!("\"{part}\"")) && name.starts_with("parts")
        {
            marks(&format!("parts/{part}"), seen, out);
        }
    }
}

#[test]
fn messages_are_as_expected() {
    let names = corpus();
    assert!(names.len() >= 200, "{}", names.len());
    let mut text = String::new();
    let mut wrong = String::new();
    for name in &names {
        let Some(messages) = faults(&folder().join(name), &Files::disk()) else {
            writeln!(wrong, "{name}: nothing is said").unwrap();
            continue;
        };
        let mut expected = BTreeSet::new();
        marks(name, &mut BTreeSet::new(), &mut expected);
        let mut found = BTreeSet::new();
        for message in &messages.0 {
            let Some((file, line, column)) = message.position() else {
                writeln!(wrong, "{name}: without a place: {}", message.text).unwrap();
                continue;
            };
            let file = Path::new(file).file_name().unwrap().to_str().unwrap();
            assert!(column >= 1 && !message.text.is_empty());
            found.insert((file.to_string(), line));
        }
        if found != expected {
            writeln!(
                wrong,
                "{name}: messages at {found:?}, expected at {expected:?}\n{messages}\n"
            )
            .unwrap();
        }
        let shown = messages
            .to_string()
            .replace(&format!("{}/", folder().display()), "");
        writeln!(text, "# {name}\n{shown}\n").unwrap();
    }
    assert!(wrong.is_empty(), "{wrong}");
    compare(&text);
}

fn compare(text: &str) {
    let path = folder().with_file_name("broken.expected");
    if std::env::var_os("HOLONOM_BLESS").is_some() {
        std::fs::write(&path, text).unwrap();
    }
    let expected = std::fs::read_to_string(path).unwrap_or_default();
    for (new, old) in text.split("\n\n# ").zip(expected.split("\n\n# ")) {
        assert_eq!(new, old, "run with HOLONOM_BLESS=1 if the new message is better");
    }
    assert_eq!(
        text.len(),
        expected.len(),
        "cases added or removed: run with HOLONOM_BLESS=1"
    );
}

const HEAD: &str = "[model]\nformat = 1\nname = \"hostile\"\n";

/// Time that the processor has spent on this thread, which a busy machine does not change; time on
/// the wall where the system does not say.
fn spent(begin: Instant) -> Duration {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanoseconds = text
        .split_whitespace()
        .next()
        .and_then(|first| first.parse().ok());
    nanoseconds.map_or_else(|| begin.elapsed(), Duration::from_nanos)
}

/// A message within five seconds, with its place, of bearable length.
fn refused(name: &str, main: String, parts: Vec<(String, String)>) {
    let begin = Instant::now();
    let before = spent(begin);
    let files = Files::in_memory(std::iter::once(("main.toml".to_string(), main)).chain(parts));
    let messages =
        faults(Path::new("main.toml"), &files).unwrap_or_else(|| panic!("{name}: nothing is said"));
    let shown = messages.to_string();
    assert!(
        messages.0.iter().all(|m| m.position().is_some()),
        "{name}: {shown}"
    );
    assert!(shown.len() < 200_000, "{name}: {} bytes", shown.len());
    let taken = spent(begin) - before;
    assert!(taken < Duration::from_secs(5), "{name}: {taken:?}");
}

/// One after the other, so that times mean something.
#[test]
fn hostile_sizes_and_depths() {
    let n = 100_000;
    let lines = |make: &dyn Fn(usize) -> String| (0..n).map(make).collect::<String>();
    // Whole tables: enough to show what grows faster than their number.
    let tables = |make: &dyn Fn(usize) -> String| (0..n / 4).map(make).collect::<String>();
    let only = |name: &str, text: String| refused(name, format!("{HEAD}{text}"), Vec::new());
    only("deep lists", format!("x = {}{}", "[".repeat(n), "]".repeat(n)));
    only(
        "deep tables",
        format!("x = {}1{}", "{a = ".repeat(n), "}".repeat(n)),
    );
    only("deep keys", format!("{}x = 1", "a.".repeat(n)));
    only("deep headers", format!("[{}x]\ny = 1", "a.".repeat(n)));
    only("long line", format!("x = \"{}\"", "y".repeat(10 * n)));
    only("long key", format!("{} = 1", "y".repeat(10 * n)));
    only(
        "long number",
        format!("[[body]]\nname = \"b\"\nmass = {}", "9".repeat(10 * n)),
    );
    only(
        "huge exponent",
        format!("[[body]]\nname = \"b\"\nmass = 1e{}", "9".repeat(n)),
    );
    only(
        "huge exponent in an expression",
        "[[body]]\nname = \"b\"\nmass = \"9^9^9^9^9\"".to_string(),
    );
    only(
        "long expression",
        format!("[[body]]\nname = \"b\"\nmass = \"1{}\"", "+1".repeat(n)),
    );
    only(
        "deep expression",
        format!("[[body]]\nname = \"b\"\nmass = \"{}1\"", "-(".repeat(20_000)),
    );
    only(
        "many signs",
        format!("[[body]]\nname = \"b\"\nmass = \"{}1\"", "-".repeat(60_000)),
    );
    only("many keys at the top", lines(&|i| format!("k{i} = 1\n")));
    only(
        "many keys in a body",
        format!(
            "[[body]]\nname = \"b\"\nmass = 1\n{}",
            lines(&|i| format!("k{i} = 1\n"))
        ),
    );
    only(
        "many parameters and a ring",
        format!(
            "[parameters]\n{}",
            lines(&|i| format!("p{i} = \"p{}\"\n", (i + 1) % n))
        ),
    );
    only(
        "many parameters of unknown names",
        format!("[parameters]\n{}", lines(&|i| format!("p{i} = \"q{i}\"\n"))),
    );
    only(
        "many bodies without joints",
        tables(&|i| format!("[[body]]\nname = \"b{i}\"\nmass = 1\n")),
    );
    only(
        "many bodies of one name",
        tables(&|_| "[[body]]\nname = \"b\"\nmass = 1\n".to_string()),
    );
    only(
        "many markers",
        format!("[ground]\nmarkers = {{ {} }}", lines(&|i| format!("m{i} = 1, "))),
    );
    let joint = "[[joint]]\nname = \"j\"\nkind = \"revolute\"\nfrom = \"ground\"\nto = \"b\"\n";
    let sound = format!("[[body]]\nname = \"b\"\nmass = 1\nsolid = {{ ball = 1 }}\n{joint}");
    let driver = |i: usize| {
        format!("[[constraint]]\nname = \"c{i}\"\nkind = \"driver\"\ncoordinate = \"x{i}\"\nfollows = 1\n")
    };
    only("many drivers of nothing", format!("{sound}{}", tables(&driver)));
    only(
        "many springs to nowhere",
        format!(
            "{sound}{}",
            tables(&|i| format!(
                "[[force]]\nname = \"f{i}\"\nkind = \"torsion-spring\"\nfrom = \"g{i}\"\nto = \"b\"\nstiffness = 1\n"
            ))
        ),
    );
    only(
        "many points that fall",
        format!(
            "[[table]]\nname = \"f\"\nx = [{}]\ny = [{}]",
            lines(&|i| format!("{}, ", n - i)),
            "0, ".repeat(n)
        ),
    );
    only(
        "too many elements",
        lines(&|i| {
            format!(
                "[[body]]\nname = \"b{i}\"\nmass = 1\n[[body]]\nname = \"c{i}\"\nmass = 1\n[[body]]\nname = \"d{i}\"\nmass = 1\n"
            )
        }),
    );
    only(
        "a channel of stars",
        format!("{sound}[[output]]\nchannels = [\"{}x\"]", "*a".repeat(1000)),
    );
    // Each file includes the next one twice.
    let part = |i: usize| {
        let include = |k: usize| format!("[[include]]\nfile = \"p{}.toml\"\nprefix = \"{k}_\"\n", i + 1);
        (
            format!("p{i}.toml"),
            format!("{HEAD}{}{}", include(1), include(2)),
        )
    };
    refused("include bomb", part(0).1, (1..40).map(part).collect());
    let chain = |i: usize| {
        (
            format!("p{i}.toml"),
            format!("{HEAD}[[include]]\nfile = \"p{}.toml\"\n", i + 1),
        )
    };
    refused("deep includes", chain(0).1, (1..100).map(chain).collect());
    let wide = "[[include]]\nfile = \"big.toml\"\n".repeat(900);
    let big = format!(
        "{HEAD}{}",
        lines(&|i| format!("[[body]]\nname = \"b{i}\"\nmass = 1\n"))
    );
    refused(
        "a large part many times",
        format!("{HEAD}{wide}"),
        vec![("big.toml".to_string(), big)],
    );
}

/// A long chain is no fault: it must be read and compiled without deep recursion.
#[test]
fn long_chains_are_read() {
    let mut text = HEAD.to_string();
    let mut last = "ground".to_string();
    for i in 0..20_000 {
        write!(
            text,
            "[[body]]\nname = \"b{i}\"\nmass = 1\nsolid = {{ ball = 1 }}\n\
             [[joint]]\nname = \"j{i}\"\nkind = \"revolute\"\nfrom = \"{last}\"\nto = \"b{i}\"\n"
        )
        .unwrap();
        last = format!("b{i}");
    }
    let files = Files::in_memory([("chain.toml", text)]);
    let file = read("chain.toml", &files, &[]).unwrap();
    assert_eq!(file.compile().unwrap().tree.n_v, 20_000);
}
