//! Nothing panics, whatever the text; what is read is fit to be compiled.

use crate::common::files;
use holonom_format::urdf::{self, Base, Options};
use std::time::Instant;

/// A small generator (splitmix64): the same cases every time.
struct Random(u64);

impl Random {
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
}

const WORDS: [&str; 24] = [
    "0",
    "-1",
    "1e308",
    "-1e-320",
    "nan",
    "inf",
    "1e999",
    "0x10",
    "base",
    "world",
    "ground",
    "",
    " ",
    "fixed",
    "floating",
    "planar",
    "continuous",
    "é.😀",
    "&amp;",
    "&#0;",
    "<",
    ">",
    "\"",
    "<link name=\"base\"/>",
];

const NUMBERS: [&str; 10] = [
    "0", "-1", "0.25", "3", "1e-3", "1e308", "-1e-320", "1e160", "-2.5e5", "0.5",
];

/// One change of a text: a letter, a word, a quoted value, a stretch moved or removed.
fn changed(text: &str, random: &mut Random) -> String {
    let letters: Vec<char> = text.chars().collect();
    let values: Vec<usize> = letters
        .iter()
        .enumerate()
        .filter(|(_, c)| **c == '"')
        .map(|(i, _)| i)
        .collect();
    let mut at = random.below(letters.len() + 1);
    let mut end = (at + random.below(12)).min(letters.len());
    let mut with: Vec<char> = WORDS[random.below(WORDS.len())].chars().collect();
    match random.below(12) {
        // Values are what files differ in most, and among them numbers.
        0..=7 if values.len() >= 2 => {
            let value = 2 * random.below(values.len() / 2);
            (at, end) = (values[value] + 1, values[value + 1]);
            let old: String = letters[at..end].iter().collect();
            let numbers: Vec<&str> = old.split(' ').collect();
            if numbers.iter().all(|n| n.parse::<f64>().is_ok()) {
                let mut new: Vec<&str> = numbers.clone();
                new[random.below(numbers.len())] = NUMBERS[random.below(NUMBERS.len())];
                with = new.join(" ").chars().collect();
            } else if random.below(2) == 0 {
                let other = 2 * random.below(values.len() / 2);
                with = letters[values[other] + 1..values[other + 1]].to_vec();
            }
        }
        8 => with.clear(),
        9 => {
            let from = random.below(letters.len() + 1);
            with = letters[from..(from + random.below(200)).min(letters.len())].to_vec();
            end = at;
        }
        _ => {}
    }
    letters[..at].iter().chain(&with).chain(&letters[end..]).collect()
}

#[test]
fn changed_files_never_panic() {
    let (mut sound, broken) = (files("good", "urdf"), files("broken", "urdf"));
    sound.extend(files("odd", "urdf"));
    let mut random = Random(7);
    let (mut read, mut refused, mut compiled) = (0, 0, 0);
    for round in 0..6000 {
        let sources = if round % 4 == 0 { &broken } else { &sound };
        let mut text = sources[random.below(sources.len())].1.clone();
        for _ in 0..=random.below(2) {
            text = changed(&text, &mut random);
        }
        let options = Options {
            base: if round % 8 == 0 { Base::Free } else { Base::Fixed },
            strict: round % 16 == 1,
            ..Options::default()
        };
        match urdf::read_with(&text, "changed.urdf", &options) {
            Ok(imported) => {
                read += 1;
                for note in &imported.notes {
                    assert!(text.get(note.span.clone()).is_some(), "{note:?}");
                }
                compiled += usize::from(imported.description.compile().is_ok());
            }
            Err(errors) => {
                refused += 1;
                assert!(!errors.is_empty());
                for error in &errors {
                    assert!(text.get(error.span.clone()).is_some(), "{error:?}");
                    assert!(!error.message.is_empty());
                }
            }
        }
    }
    assert!(
        read > 500 && refused > 500 && compiled > 400,
        "{read} {refused} {compiled}"
    );
}

/// Reads a text; panics when it takes long.
fn quickly(text: &str) -> Result<urdf::Imported, Vec<urdf::UrdfError>> {
    let start = Instant::now();
    let result = urdf::read(text, "hostile.urdf");
    let taken = start.elapsed().as_secs_f64();
    assert!(taken < 20.0, "{taken} s");
    result
}

#[test]
fn deep_nesting_is_refused_or_ignored() {
    for name in ["gazebo", "link", "a"] {
        let text = format!(
            "<robot name=\"deep\">{}{}</robot>",
            format!("<{name}>").repeat(100_000),
            format!("</{name}>").repeat(100_000)
        );
        assert!(quickly(&text).is_err());
        let open = format!("<{name}>").repeat(100_000);
        assert!(quickly(&open).is_err());
    }
}

#[test]
fn long_chains_are_read() {
    let mut text = String::from("<robot name=\"chain\"><link name=\"world\"/>");
    for i in 0..20_000 {
        let parent = if i == 0 {
            "world".to_string()
        } else {
            format!("l{}", i - 1)
        };
        text.push_str(&format!(
            "<link name=\"l{i}\"><inertial><mass value=\"1\"/><inertia ixx=\"1\" iyy=\"1\" izz=\"1\" ixy=\"0\" \
             ixz=\"0\" iyz=\"0\"/></inertial></link><joint name=\"j{i}\" type=\"continuous\"><parent \
             link=\"{parent}\"/><child link=\"l{i}\"/></joint>"
        ));
    }
    text.push_str("</robot>");
    assert_eq!(quickly(&text).unwrap().description.bodies.len(), 20_000);
}

#[test]
fn many_errors_stay_readable() {
    let mut text = String::from("<robot name=\"wrong\"><link name=\"base\"/>");
    for i in 0..20_000 {
        text.push_str(&format!(
            "<link name=\"link{i}\"/><joint name=\"j{i}\" type=\"sphere\"/>"
        ));
    }
    text.push_str("</robot>");
    let errors = quickly(&text).unwrap_err();
    assert_eq!(errors.len(), 101);
    assert!(errors[100].message.ends_with("more errors"));
    // A name of a million letters is shown by its beginning.
    let long = format!(
        "<robot name=\"n\"><link name=\"a\"/><{}/></robot>",
        "x".repeat(1_000_000)
    );
    assert!(quickly(&long).unwrap_err()[0].message.len() < 200);
}

#[test]
fn crowded_elements_are_refused_in_time() {
    let many = |what: &dyn Fn(usize) -> String| (0..5_000).map(what).collect::<String>();
    let attributes = many(&|i| format!(" a{i}=\"\""));
    assert!(quickly(&format!("<robot name=\"n\"{attributes}/>")).is_err());
    let spaces = many(&|i| format!(" xmlns:a{i}=\"u{i}\""));
    assert!(quickly(&format!("<robot name=\"n\"{spaces}><link name=\"a\"/></robot>")).is_err());
    let frames = many(&|i| format!("<n{i}:x xmlns:n{i}=\"u{i}\"/>"));
    assert!(quickly(&format!("<robot name=\"n\">{frames}</robot>")).is_err());
    let ring = many(&|i| {
        let next = (i + 1) % 5_000;
        format!(
            "<link name=\"l{i}\"/><joint name=\"j{i}\" type=\"fixed\"><parent link=\"l{i}\"/><child \
             link=\"l{next}\"/></joint>"
        )
    });
    let errors = quickly(&format!("<robot name=\"n\">{ring}</robot>")).unwrap_err();
    assert_eq!(errors.len(), 1);
}
