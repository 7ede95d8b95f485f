//! The `holonom` command with the standard kinds of elements; all of it is in the library beside.

use holonom::multibody::elements::Library;
use std::process::ExitCode;

fn main() -> ExitCode {
    holonom_cli::main(std::env::args_os(), Library::standard())
}
