//! The `holonom` command; all of it is in the library beside.

use std::process::ExitCode;

fn main() -> ExitCode {
    holonom_cli::main(std::env::args_os())
}
