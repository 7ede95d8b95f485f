//! Runs the pages of the guide: files that they show are written, commands are run in order, all in
//! one folder per page.
//!
//! - A block ```` ```toml ```` (or another language) whose first line is `# file: NAME` is a file.
//! - In a block ```` ```console ```` each line `$ command` is run by a shell; what follows is its output,
//!   standard error included. `# exit 2` at the end of the line is the exit code, 0 unless given.
//! - `…` stands for anything within a line, a line `…` for any lines.
//! - A picture in `images/` that the page shows and has made, by the same name, is that picture.

use crate::console::updated;
use crate::{blessing, docs};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The pages with commands.
fn pages() -> Vec<PathBuf> {
    let mut pages = Vec::new();
    for folder in [docs().join("guide"), docs()] {
        let entries = std::fs::read_dir(&folder).expect("the folder of the guide");
        let files = entries.map(|entry| entry.expect("an entry").path());
        pages.extend(files.filter(|path| path.extension().is_some_and(|ending| ending == "md")));
    }
    pages.push(docs().join("../README.md"));
    pages.sort();
    pages
}

#[test]
fn every_command_of_the_guide_does_what_is_shown() {
    let pages = pages();
    let faults: Vec<String> = std::thread::scope(|scope| {
        let threads: Vec<_> = pages.iter().map(|path| scope.spawn(|| page(path))).collect();
        threads
            .into_iter()
            .flat_map(|thread| thread.join().expect("a page"))
            .collect()
    });
    assert!(
        faults.is_empty(),
        "{}\n\nHOLONOM_BLESS=1 updates the pages",
        faults.join("\n\n")
    );
}

#[test]
fn the_guide_shows_every_command() {
    let output = Command::new(env!("CARGO_BIN_EXE_holonom"))
        .arg("--help")
        .output()
        .expect("it starts");
    let help = String::from_utf8(output.stdout).expect("text");
    let list = help
        .lines()
        .skip_while(|line| *line != "Commands:")
        .skip(1)
        .take_while(|line| !line.is_empty());
    let commands: Vec<&str> = list
        .filter_map(|line| line.split_whitespace().next())
        .filter(|c| *c != "help")
        .collect();
    assert!(commands.len() > 8, "{help}");
    let shown: String = pages()
        .iter()
        .map(|path| std::fs::read_to_string(path).expect("a page"))
        .collect();
    let readme = std::fs::read_to_string(docs().join("../README.md")).expect("the README");
    for command in commands {
        assert!(
            shown.contains(&format!("$ holonom {command}")),
            "no page runs `holonom {command}`"
        );
        assert!(
            readme.contains(&format!("holonom {command}")),
            "the README does not name `holonom {command}`"
        );
    }
}

#[test]
fn links_lead_somewhere() {
    for page in pages() {
        let text = std::fs::read_to_string(&page).expect("a page");
        let folder = page.parent().expect("a folder");
        for link in text
            .split("](")
            .skip(1)
            .filter_map(|behind| behind.split(')').next())
        {
            let file = link.split('#').next().unwrap_or_default();
            if !link.contains("://") && !file.is_empty() {
                assert!(
                    folder.join(file).exists(),
                    "{}: {link} leads nowhere",
                    page.display()
                );
            }
        }
    }
}

/// What is wrong with a page.
fn page(path: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(path).expect("a page");
    let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
    let mut lines = text.lines();
    let mut place = Place {
        page: path.to_path_buf(),
        folder: None,
        name,
        line: 0,
        faults: Vec::new(),
    };
    let mut new: Vec<String> = Vec::new();
    while let Some(line) = lines.next() {
        new.push(line.to_string());
        place.line = new.len();
        let Some(language) = line.strip_prefix("```") else {
            continue;
        };
        let block: Vec<String> = lines
            .by_ref()
            .take_while(|line| *line != "```")
            .map(String::from)
            .collect();
        match (language, block.split_first()) {
            ("console", _) => new.extend(place.console(&block)),
            (_, Some((first, rest))) => {
                if let Some(file) = first.strip_prefix("# file: ") {
                    let path = place.folder().join(file.trim());
                    let parent = path.parent().expect("a folder").to_path_buf();
                    std::fs::create_dir_all(parent).expect("a folder");
                    // The first line is a comment in TOML, and none in other formats.
                    let body = if language == "toml" { &block[..] } else { rest };
                    std::fs::write(path, body.join("\n") + "\n").expect("a file");
                }
                new.extend(block);
            }
            _ => {}
        }
        new.push("```".to_string());
    }
    place.pictures(&text);
    let new = new.join("\n") + "\n";
    if blessing() && new != text {
        std::fs::write(path, new).expect("the page");
    }
    place.faults
}

/// Where a page is being run.
struct Place {
    page: PathBuf,
    name: String,
    /// The folder of the page, once something needs it.
    folder: Option<PathBuf>,
    line: usize,
    faults: Vec<String>,
}

impl Place {
    fn folder(&mut self) -> PathBuf {
        let name = &self.name;
        let make = || {
            let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"))
                .join("guide")
                .join(name);
            let _ = std::fs::remove_dir_all(&folder);
            std::fs::create_dir_all(&folder).expect("a folder");
            folder
        };
        self.folder.get_or_insert_with(make).clone()
    }

    /// Compares the pictures that the page shows with those it has made.
    fn pictures(&mut self, text: &str) {
        for part in text.split("images/").skip(1) {
            let name = part.split(')').next().unwrap_or_default();
            let shown = docs().join("images").join(name);
            let made = self.folder().join(name);
            let Ok(real) = std::fs::read(&made) else {
                self.fault(name, "the page shows this picture, but does not make it");
                continue;
            };
            if std::fs::read(&shown).is_ok_and(|shown| shown == real) {
                continue;
            }
            if blessing() {
                std::fs::write(&shown, real).expect("the picture");
            } else {
                self.fault(name, "the picture has changed");
            }
        }
    }

    /// Runs the commands of a block; the block as it should be.
    fn console(&mut self, block: &[String]) -> Vec<String> {
        let mut new = Vec::new();
        let mut rest = block;
        while let Some((first, behind)) = rest.split_first() {
            self.line += 1;
            let end = behind
                .iter()
                .position(|line| line.starts_with("$ "))
                .unwrap_or(behind.len());
            let (shown, next) = behind.split_at(end);
            rest = next;
            let Some(command) = first.strip_prefix("$ ") else {
                self.fault(first, "a console block begins with a line `$ command`");
                new.push(first.clone());
                continue;
            };
            // Empty lines between commands are there for the eye.
            let blank = shown
                .iter()
                .rev()
                .take_while(|line| line.trim().is_empty())
                .count();
            let (shown, space) = shown.split_at(shown.len() - blank);
            let real = self.run(command);
            let wanted = updated(shown, &real);
            if wanted != shown && !blessing() {
                let (shown, real) = (shown.join("\n"), real.join("\n"));
                self.fault(command, &format!("shown:\n{shown}\nreal:\n{real}"));
            }
            new.push(first.clone());
            new.extend(if blessing() { wanted } else { shown.to_vec() });
            new.extend_from_slice(space);
            self.line += end;
        }
        new
    }

    /// The lines that a command prints.
    fn run(&mut self, command: &str) -> Vec<String> {
        let program = Path::new(env!("CARGO_BIN_EXE_holonom"));
        let mut path = program.parent().expect("a folder").as_os_str().to_owned();
        path.push(":");
        path.push(std::env::var_os("PATH").unwrap_or_default());
        let folder = self.folder();
        let output = Command::new("sh")
            .args(["-c", &format!("exec 2>&1\n{command}")])
            .current_dir(folder)
            .env("PATH", path)
            .output()
            .expect("a shell");
        let wanted = match command.rsplit_once("# exit ") {
            Some((_, code)) => code.trim().parse().expect("an exit code"),
            None => 0,
        };
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        if output.status.code() != Some(wanted) {
            self.fault(command, &format!("{}, not {wanted}:\n{text}", output.status));
        }
        text.trim_end()
            .lines()
            .map(|line| line.trim_end().to_string())
            .collect()
    }

    fn fault(&mut self, what: &str, text: &str) {
        let page = self.page.display();
        self.faults.push(format!("{page}:{}: {what}\n{text}", self.line));
    }
}
