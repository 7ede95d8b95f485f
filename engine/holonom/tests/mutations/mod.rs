//! Mutated model files, and what is done with each: read, write, compile, assemble.
//!
//! Deterministic: a number means the same case for ever, as long as the seeds stay the same.

use holonom::format::{Files, Settings, read, write};
use holonom::simulation::Simulation;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// A small generator of its own.
struct Random(u64);

impl Random {
    fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0xD1B5_4A32_D192_ED03)
    }

    /// SplitMix64.
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }

    fn pick<'a, T: ?Sized>(&mut self, all: &[&'a T]) -> &'a T {
        all[self.below(all.len())]
    }
}

/// Texts to start from, and files they may include.
pub struct Seeds {
    texts: Vec<String>,
    /// So many of them, the first ones, are sound.
    sound: usize,
    parts: Vec<(String, String)>,
}

/// How far a case got.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reached {
    /// Reading refused it.
    Refused,
    /// It reads, but does not compile.
    Read,
    /// It compiles; larger ones are not assembled.
    Compiled,
    /// It was assembled, or refused there.
    Assembled,
}

/// Bodies and joints at most that are assembled.
const SMALL: usize = 32;

/// Longest text, so that cases stay quick.
const LONGEST: usize = 40_000;

const NUMBERS: [&str; 22] = [
    "0",
    "-0.0",
    "1",
    "-1",
    "1e308",
    "-1e308",
    "1e-320",
    "1e999",
    "inf",
    "-inf",
    "nan",
    "0x7fffffffffffffff",
    "9223372036854775807",
    "-9223372036854775808",
    "99999999999999999999999999999999999999999999",
    "0.1",
    "1e9",
    "1e-9",
    "3.0e200",
    "1_000",
    "0b101",
    "2024-01-01T00:00:00Z",
];

const WORDS: [&str; 40] = [
    "\"\"",
    "\"t\"",
    "\"sin(t)\"",
    "\"12 mm\"",
    "\"30 deg\"",
    "\"1/0\"",
    "\"2^2^2^2^9\"",
    "\"((((1))))\"",
    "\"ground\"",
    "\"ground.x\"",
    "\"arm\"",
    "\"arm.end\"",
    "\"hinge\"",
    "true",
    "false",
    "[]",
    "{}",
    "[[]]",
    "[0, 0, 0]",
    "[1, 0, 0]",
    "[1e308, 1e308, 1e308]",
    "{ start = 1 }",
    "{ follows = \"t^3\" }",
    "{ locked = true }",
    "\"revolute\"",
    "\"prismatic\"",
    "\"spherical\"",
    "\"free\"",
    "\"free-cardan\"",
    "\"planar\"",
    "\"helical\"",
    "\"universal\"",
    "\"fixed\"",
    "\"cut\"",
    "\"tree\"",
    "\"road(t)\"",
    "\"1e300*1e300\"",
    "\"\\u0000\"",
    "\"äöü€𝄞\"",
    "\"a.b.c\"",
];

const SNIPPETS: [&str; 14] = [
    "\n[[include]]\nfile = \"leg.toml\"\nprefix = \"p_\"\n",
    "\n[[include]]\nfile = \"self.toml\"\n",
    "\n[[include]]\nfile = \"leg.toml\"\nmirror = \"y\"\nprefix = \"m_\"\nposition = [0, 1, 0]\n",
    "\n[[include]]\nfile = \"driven.toml\"\nprefix = \"d-\"\non = \"arm.end\"\n",
    "\n[[table]]\nname = \"road\"\nfile = \"road.csv\"\n",
    "\n[[table]]\nname = \"road\"\nx = [0, 1, 2]\ny = [0, 1, 0]\n",
    "\n[[input]]\nname = \"u\"\nexpression = \"sin(t)\"\n",
    "\n[[output]]\nchannels = [\"*\"]\n",
    "\n[simulation]\nt_end = 1\n",
    "\n[parameters]\nL = \"1 m\"\nq = \"2*L\"\n",
    "\n[[body]]\nname = \"extra\"\nmass = 1\ninertia = [1, 1, 1]\n",
    "\n[[joint]]\nname = \"extra\"\nkind = \"free\"\nfrom = \"ground\"\nto = \"extra\"\n",
    "\n[[rod]]\nname = \"bar\"\nfrom = \"ground\"\nto = \"arm.end\"\nlength = 1\n",
    "\n[[force]]\nname = \"s\"\nkind = \"spring-damper\"\nfrom = \"ground\"\nto = \"arm.end\"\nstiffness = 1\nfree_length = 1\n",
];

impl Seeds {
    /// All model files of the repository: shipped models, templates, the broken ones.
    pub fn of_repository() -> Self {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let mut files = Vec::new();
        let mut sound = Vec::new();
        for folder in ["models", "apps/cli/templates"] {
            collect(&root.join(folder), &mut sound);
        }
        collect(&root.join("engine/format/tests/broken"), &mut files);
        sound.sort();
        files.sort();
        let mut seeds = Self {
            sound: 0,
            texts: Vec::new(),
            parts: Vec::new(),
        };
        for path in sound.iter().chain(&files) {
            let Ok(text) = std::fs::read_to_string(path) else {
                continue;
            };
            let name = path
                .file_name()
                .map_or(String::new(), |n| n.to_string_lossy().into_owned());
            if text.len() <= LONGEST && name.ends_with(".toml") && name != "Cargo.toml" {
                seeds.texts.push(text.clone());
                seeds.sound += usize::from(!files.contains(path));
            }
            if [
                "leg.toml",
                "driven.toml",
                "road.csv",
                "axle.toml",
                "broken_part.toml",
                "massless.toml",
            ]
            .contains(&name.as_str())
            {
                seeds.parts.push((name.clone(), text.clone()));
                seeds.parts.push((format!("parts/{name}"), text));
            }
        }
        seeds
    }

    /// How many texts there are.
    pub fn len(&self) -> usize {
        self.texts.len()
    }

    /// The text of a case.
    pub fn case(&self, number: u64) -> String {
        let mut random = Random::new(number);
        let from = if random.below(4) > 0 {
            self.sound
        } else {
            self.texts.len()
        };
        let mut text = self.texts[random.below(from)].clone().into_bytes();
        for _ in 0..1 + random.below(3) {
            self.mutate(&mut text, &mut random);
            text.truncate(LONGEST);
        }
        String::from_utf8_lossy(&text).into_owned()
    }

    fn mutate(&self, text: &mut Vec<u8>, random: &mut Random) {
        match random.below(14) {
            0 => bytes(text, random),
            1 => {
                // Lines swapped, doubled, dropped.
                let mut lines: Vec<Vec<u8>> = text.split(|b| *b == b'\n').map(<[u8]>::to_vec).collect();
                let (i, j) = (random.below(lines.len()), random.below(lines.len()));
                match random.below(3) {
                    0 => lines.swap(i, j),
                    1 => {
                        let line = lines[i].clone();
                        lines.insert(j, line);
                    }
                    _ => {
                        lines.remove(i);
                    }
                }
                *text = lines.join(&b'\n');
            }
            2..=4 => self.token(
                text,
                random,
                |b| b.is_ascii_digit(),
                |b| b.is_ascii_alphanumeric() || b".+-_".contains(&b),
                &NUMBERS,
            ),
            5 | 6 => self.token(text, random, |b| b == b'"', |b| b != b'"' && b != b'\n', &WORDS),
            7 => self.token(text, random, |b| b == b'=', |b| b != b'\n', &WORDS),
            8 | 9 => self.sections(text, random),
            10 | 11 => text.extend_from_slice(random.pick(&SNIPPETS).as_bytes()),
            12 => {
                // The tail of another text.
                let other = self.texts[random.below(self.texts.len())].as_bytes();
                text.truncate(random.below(text.len() + 1));
                text.extend_from_slice(&other[random.below(other.len() + 1)..]);
            }
            _ => {
                // A stretch many times.
                let start = random.below(text.len() + 1);
                let stretch = text[start..(start + 1 + random.below(40)).min(text.len())].to_vec();
                let times = [2, 10, 100, 1000][random.below(4)];
                text.splice(start..start, stretch.repeat(times));
            }
        }
    }

    /// Replaces a token that begins with one byte and goes on with others.
    fn token(
        &self,
        text: &mut Vec<u8>,
        random: &mut Random,
        begins: impl Fn(u8) -> bool,
        goes_on: impl Fn(u8) -> bool,
        by: &[&str],
    ) {
        let starts: Vec<usize> = (0..text.len()).filter(|i| begins(text[*i])).collect();
        if starts.is_empty() {
            return;
        }
        let start = starts[random.below(starts.len())];
        let mut end = start + 1;
        while end < text.len() && goes_on(text[end]) {
            end += 1;
        }
        // The quotation mark at the end belongs to it.
        if text[start] == b'"' && end < text.len() {
            end += 1;
        }
        let new = random.pick(by);
        let new = if text[start] == b'=' {
            format!("= {new}")
        } else {
            new.to_string()
        };
        text.splice(start..end, new.into_bytes());
    }

    /// Sections swapped, doubled, dropped, or taken from another text.
    fn sections(&self, text: &mut Vec<u8>, random: &mut Random) {
        let own = String::from_utf8_lossy(text).into_owned();
        let mut parts: Vec<&str> = own.split("\n[").collect();
        let other = &self.texts[random.below(self.texts.len())];
        let foreign: Vec<&str> = other.split("\n[").collect();
        let (i, j) = (random.below(parts.len()), random.below(parts.len()));
        match random.below(4) {
            0 => parts.swap(i, j),
            1 => parts.insert(j, parts[i]),
            2 => {
                parts.remove(i);
            }
            _ => parts.insert(j, foreign[random.below(foreign.len())]),
        }
        *text = parts.join("\n[").into_bytes();
    }

    /// Does with a text what the commands do; panics only where something is wrong with us.
    pub fn drive(&self, text: &str) -> Reached {
        let own = std::iter::once(("self.toml".to_string(), text.to_string()));
        let files = Files::in_memory(own.chain(self.parts.iter().cloned()));
        let model = match read("self.toml", &files, &[]) {
            Ok(model) => model,
            Err(messages) => {
                assert!(messages.has_errors());
                let shown = messages.to_string();
                assert!(
                    !shown.is_empty() && messages.0.iter().all(|m| m.position().is_some()),
                    "{shown}"
                );
                return Reached::Refused;
            }
        };
        if let Ok(written) = write(&model) {
            let files = Files::in_memory([("again.toml", written.as_str())]);
            match read("again.toml", &files, &[]) {
                Ok(again) => {
                    assert!(again == model, "another model after writing:\n{written}");
                    assert_eq!(write(&again).as_deref(), Ok(written.as_str()));
                }
                Err(messages) => panic!("what was written does not read:\n{messages}\n{written}"),
            }
        }
        let small = model.description.bodies.len() + model.description.joints.len() <= SMALL;
        let faults = if small {
            let made = Simulation::new(&model, &Settings::default());
            made.err().map(|messages| (Reached::Assembled, messages))
        } else {
            model.compile().err().map(|messages| (Reached::Read, messages))
        };
        match faults {
            Some((reached, messages)) => {
                assert!(messages.0.iter().all(|m| m.position().is_some()), "{messages}");
                match model.compile() {
                    Ok(_) => reached,
                    Err(_) => Reached::Read,
                }
            }
            None if small => Reached::Assembled,
            None => Reached::Compiled,
        }
    }

    /// Drives a case; how far it got and how long it took.
    pub fn timed(&self, number: u64) -> (Reached, Duration) {
        let text = self.case(number);
        let begin = Instant::now();
        let reached = self.drive(&text);
        (reached, begin.elapsed())
    }
}

const MARKS: &[u8] = b"\"'[]{}=,.#\n\t\\ -+0";

fn bytes(text: &mut Vec<u8>, random: &mut Random) {
    for _ in 0..1 + random.below(8) {
        let at = random.below(text.len() + 1);
        match random.below(4) {
            0 if at < text.len() => text[at] = (random.next() & 0xFF) as u8,
            1 if at < text.len() => {
                text.remove(at);
            }
            2 => text.insert(at, MARKS[random.below(MARKS.len())]),
            _ => text.insert(at, (random.next() & 0x7F) as u8),
        }
    }
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, files);
        } else {
            files.push(path);
        }
    }
}
