//! Standard output and result files.

use crate::error::Error;
use std::io::{ErrorKind, Write};
use std::path::Path;

/// Writes to standard output. A reader that closes the pipe early (`| head`) is no error.
pub fn print(text: &str) -> Result<(), Error> {
    let mut stdout = std::io::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Error::Failed(format!("standard output: {error}")))
        }
        _ => Ok(()),
    }
}

/// Writes a file.
pub fn write(path: &Path, content: impl AsRef<[u8]>) -> Result<(), Error> {
    std::fs::write(path, content)
        .map_err(|error| Error::Usage(format!("cannot write `{}`: {error}", path.display())))
}

/// Refuses a file that could not be written later, before the work is done.
pub fn check_file(path: &Path) -> Result<(), Error> {
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty());
    let usage = |what: String| Err(Error::Usage(what));
    if let Some(folder) = folder.filter(|p| !p.is_dir()) {
        return usage(format!(
            "cannot write `{}`: the folder `{}` does not exist",
            path.display(),
            folder.display()
        ));
    }
    if path.is_dir() {
        return usage(format!(
            "cannot write `{}`: it is a folder; name a file",
            path.display()
        ));
    }
    Ok(())
}

/// Makes a folder for pictures, unless it is there.
pub fn make_folder(path: &Path) -> Result<(), Error> {
    std::fs::create_dir_all(path)
        .map_err(|error| Error::Usage(format!("cannot make the folder `{}`: {error}", path.display())))
}
