//! A progress bar on standard error, on a terminal only.

use indicatif::{ProgressBar, ProgressStyle};
use std::io::IsTerminal;

/// Progress of a command in equal pieces of work.
pub struct Progress(ProgressBar);

impl Progress {
    /// A bar of this many pieces; none when standard error is not a terminal.
    pub fn new(pieces: usize) -> Self {
        if !std::io::stderr().is_terminal() {
            return Self(ProgressBar::hidden());
        }
        let bar = ProgressBar::new(pieces as u64);
        if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos}/{len} {msg}") {
            bar.set_style(style);
        }
        Self(bar)
    }

    /// Says what is under way.
    pub fn at(&self, what: impl Into<String>) {
        self.0.set_message(what.into());
    }

    /// One piece is done.
    pub fn done(&self) {
        self.0.inc(1);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
