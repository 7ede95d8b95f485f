//! Files on their way to the disk while they grow.
//!
//! A writer that waits for the disk only at its end waits for everything at once. Nothing else in a run
//! needs the disk, so that a thread of its own can ask for what is there already. Who writes never waits
//! for it, however slow the disk is.

use std::fs::File;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread::{Builder, JoinHandle};

/// Asks the disk to take up what has been written so far, again and again, on a thread of its own.
pub(crate) struct Settling {
    /// Closed to end the thread.
    wanted: Option<SyncSender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Settling {
    /// None where the system gives no second handle or no thread: all is then left to the end.
    pub(crate) fn start<'f>(files: impl IntoIterator<Item = &'f File>) -> Option<Self> {
        let files: Vec<File> = files
            .into_iter()
            .map(File::try_clone)
            .collect::<Result<_, _>>()
            .ok()?;
        let (wanted, wishes) = sync_channel::<()>(1);
        let thread = Builder::new().name("holonom-disk".to_string()).spawn(move || {
            for () in wishes {
                for file in &files {
                    // A disk that fails says so again at the end, where it is heard.
                    file.sync_data().ok();
                }
            }
        });
        Some(Self {
            wanted: Some(wanted),
            thread: Some(thread.ok()?),
        })
    }

    /// There is more. Never waits: a wish that is still open covers this one.
    pub(crate) fn more(&self) {
        if let Some(wanted) = &self.wanted {
            wanted.try_send(()).ok();
        }
    }
}

impl Drop for Settling {
    fn drop(&mut self) {
        self.wanted = None;
        if let Some(thread) = self.thread.take() {
            thread.join().ok();
        }
    }
}
