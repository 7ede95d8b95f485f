//! Runs that are watched while they are computed.

use super::live::Live;
use super::room::Room;
use super::shown::Shown;
use super::{open, server_arguments};
use crate::error::Error;
use crate::film::{self, Film};
use crate::model::Named;
use crate::output;
use clap::{Arg, ArgAction, ArgMatches};
use holonom::multibody::elements::Library;
use holonom::simulation::{Replay, Simulation};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Adds the options of commands whose runs can be watched.
pub fn arguments(command: clap::Command) -> clap::Command {
    let command = command.arg(
        Arg::new("view")
            .long("view")
            .action(ArgAction::SetTrue)
            .help("Show the motion in the browser while it is computed"),
    );
    let needs =
        |command: clap::Command, name: &'static str| command.mut_arg(name, |arg| arg.requires("view"));
    needs(needs(server_arguments(command), "no_open"), "port")
}

/// A run with its page.
pub struct Watched {
    live: Arc<Live>,
    room: Arc<Room>,
}

impl Watched {
    /// Opens the page, if it was asked for; `width` numbers of every state will come.
    ///
    /// # Errors
    /// A port that is not free, or a mechanism that cannot be shown.
    pub fn start(
        matches: &ArgMatches,
        named: &Named,
        simulation: &Simulation,
        width: impl FnOnce(&Replay) -> usize,
    ) -> Result<Option<Self>, Error> {
        if !matches.get_flag("view") {
            return Ok(None);
        }
        let scene = film::scene_of(simulation, &named.file.description, named.folder.as_deref());
        for note in &scene.notes {
            output::remark(note);
        }
        let replay = Replay::of(named.file.description.clone(), simulation.clone());
        let replay = replay.map_err(|error| Error::Usage(error.to_string()))?;
        let width = width(&replay);
        let live = Arc::new(Live::new(replay, scene, width));
        let shown = Shown::Live(live.clone());
        shown.scene()?;
        let room = Arc::new(Room::default());
        room.show(vec![shown], "run", true);
        open(matches, &room)?;
        Ok(Some(Self { live, room }))
    }

    /// A row of the run.
    pub fn row(&self, t: f64, state: &[f64]) {
        self.live.push(t, state);
    }

    /// Shows the result, or what has been computed, until Ctrl-C.
    pub fn stay(self, result: Option<&Path>, library: &Library, interrupt: &AtomicBool) {
        match result.map(|path| Film::open(path, library)) {
            Some(Ok(film)) => self.room.show(vec![Shown::Film(Arc::new(film))], "result", false),
            Some(Err(error)) => self.room.fail(error.to_string()),
            None => self
                .room
                .show(vec![Shown::Live(self.live.clone())], "result", false),
        }
        output::remark("the page stays open until Ctrl-C");
        while !interrupt.load(Ordering::Relaxed) {
            std::thread::sleep(Duration::from_millis(100));
        }
    }
}
