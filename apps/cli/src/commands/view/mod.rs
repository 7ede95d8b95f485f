//! `holonom view`: a result or a model in three dimensions, in the browser.

mod live;
pub mod page;
mod playground;
mod room;
mod server;
mod shown;
mod watched;

pub use watched::{Watched, arguments};

use super::Command;
use crate::error::Error;
use crate::film::Film;
use crate::interrupt::on_interrupt;
use crate::model::Asked;
use crate::outcome::Outcome;
use crate::output;
use clap::{Arg, ArgAction, ArgMatches};
use holonom::multibody::elements::Library;
use playground::Playground;
use room::Room;
use shown::Shown;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, SystemTime};

/// The entry of the registry.
pub const COMMAND: Command = Command { define, run: view };

const AFTER_HELP: &str = "\
Examples:
  holonom view four-bar.parquet                the motion of a result
  holonom view soft.parquet stiff.parquet      two runs, the second one as a ghost
  holonom view four-bar                        a model to play with: move its joints, change its parameters
  holonom view crane.toml --no-open            print the address instead of opening the browser

The page is served on this machine only, until Ctrl-C. A model file is read again whenever it is saved.";

fn define() -> clap::Command {
    let command = clap::Command::new("view")
        .about("Show a result or a model in 3-D, in the browser")
        .after_help(AFTER_HELP)
        .arg(
            Arg::new("result")
                .value_name("RESULT|MODEL")
                .required(true)
                .num_args(1..=2)
                .help("Result file (.parquet, .arrows), a second one to compare it with, or a model"),
        )
        .arg(
            Arg::new("set")
                .long("set")
                .value_name("K=V")
                .action(ArgAction::Append)
                .help("Override a parameter of a model, such as \"L=250 mm\""),
        );
    server_arguments(command)
}

/// Where the page is served.
fn server_arguments(command: clap::Command) -> clap::Command {
    command
        .arg(
            Arg::new("no_open")
                .long("no-open")
                .action(ArgAction::SetTrue)
                .help("Print the address of the page instead of opening it"),
        )
        .arg(
            Arg::new("port")
                .long("port")
                .value_name("N")
                .value_parser(clap::value_parser!(u16))
                .help("Port of the page; default: any that is free"),
        )
}

/// Whether a name is that of a result: by its ending, as `view` also takes models.
fn is_result(name: &str) -> bool {
    let ending = Path::new(name)
        .extension()
        .map(|e| e.to_string_lossy().to_lowercase());
    matches!(ending.as_deref(), Some("parquet" | "arrows" | "arrow" | "csv"))
}

fn view(matches: &ArgMatches, library: &Library) -> Result<Outcome, Error> {
    let names: Vec<&String> = matches.get_many("result").into_iter().flatten().collect();
    let sets: Vec<String> = matches.get_many("set").into_iter().flatten().cloned().collect();
    let room = Arc::new(Room::default());
    let results = names.iter().filter(|name| is_result(name)).count();
    if results == names.len() {
        if !sets.is_empty() {
            let text = "--set changes a model, not a result; view the model, or run it again with --set";
            return Err(Error::Usage(text.to_string()));
        }
        let mut runs = Vec::new();
        for name in &names {
            let film = Film::open(Path::new(name), library)?;
            for told in film.loss().iter().chain(&film.scene.notes) {
                output::remark(told);
            }
            runs.push(Shown::Film(Arc::new(film)));
        }
        // Refused here, not by an empty page.
        for shown in &runs {
            shown.scene()?;
        }
        room.show(runs, "result", false);
        return serve(matches, &room, || {});
    }
    if names.len() > 1 {
        let text =
            "one model at a time can be viewed, or up to two results; run the models and view their results";
        return Err(Error::Usage(text.to_string()));
    }
    let asked = Asked {
        model: names[0].clone(),
        sets,
        strict: false,
        library: library.clone(),
    };
    let playground = Playground::open(asked, holonom::format::Settings::default())?;
    playground.shown().scene()?;
    let folder = playground.folder().map(Path::to_path_buf);
    room.play(playground);
    let mut seen = folder.as_deref().map(stamps);
    let watched = room.clone();
    serve(matches, &room, move || {
        let (Some(folder), Some(before)) = (&folder, &mut seen) else {
            return;
        };
        let now = stamps(folder);
        if now != *before {
            *before = now;
            watched.replace(Playground::reread);
        }
    })
}

/// When the files of a model were changed: those in its folder, and one folder below it.
fn stamps(folder: &Path) -> BTreeMap<PathBuf, (SystemTime, u64)> {
    const MOST: usize = 2000;
    let mut found = BTreeMap::new();
    let mut folders = vec![(folder.to_path_buf(), 0)];
    while let Some((folder, depth)) = folders.pop() {
        let Ok(entries) = std::fs::read_dir(&folder) else {
            continue;
        };
        for entry in entries.flatten().take(MOST) {
            let path = entry.path();
            let Ok(about) = entry.metadata() else { continue };
            if about.is_dir() && depth == 0 && found.len() < MOST {
                folders.push((path, 1));
                continue;
            }
            let ending = path.extension().map(|e| e.to_string_lossy().to_lowercase());
            let known = ["toml", "urdf", "csv", "tir", "stl", "obj", "gltf", "glb"];
            if let (Some(ending), Ok(changed)) = (ending, about.modified())
                && known.contains(&&*ending)
            {
                found.insert(path, (changed, about.len()));
            }
        }
    }
    found
}

/// Serves the room until Ctrl-C; `look` is called a few times a second.
fn serve(matches: &ArgMatches, room: &Arc<Room>, mut look: impl FnMut()) -> Result<Outcome, Error> {
    let interrupt = on_interrupt();
    open(matches, room)?;
    while !interrupt.load(Ordering::Relaxed) {
        std::thread::sleep(Duration::from_millis(150));
        look();
    }
    Ok(Outcome::Done)
}

/// Starts the server and shows the page.
fn open(matches: &ArgMatches, room: &Arc<Room>) -> Result<(), Error> {
    let port = matches.get_one::<u16>("port").copied().unwrap_or(0);
    let service = server::start(room.clone(), port)?;
    let printed = format!("{}\n", service.address);
    if matches.get_flag("no_open") || !browse(&service.address) {
        output::print(&printed)?;
        output::remark("open this address in a browser; Ctrl-C ends");
    } else {
        output::remark(&format!("the page is at {}; Ctrl-C ends", service.address));
    }
    Ok(())
}

/// Opens an address in the browser; false where there is none.
fn browse(address: &str) -> bool {
    let (program, arguments): (&str, &[&str]) = if cfg!(target_os = "macos") {
        ("open", &[])
    } else if cfg!(windows) {
        ("cmd", &["/C", "start", ""])
    } else {
        ("xdg-open", &[])
    };
    let started = std::process::Command::new(program)
        .args(arguments)
        .arg(address)
        .stdin(std::process::Stdio::null())
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .status();
    started.is_ok_and(|status| status.success())
}
