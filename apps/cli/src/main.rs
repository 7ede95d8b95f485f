//! The `holonom` command with the standard kinds of elements.

use holonom::multibody::elements::Library;
use std::process::ExitCode;

fn main() -> ExitCode {
    holonom_cli::main(Library::standard())
}
