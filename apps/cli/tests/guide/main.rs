//! The guide is true: its commands are run and compared with what it shows, its reference tables
//! are those of the registries. `HOLONOM_BLESS=1` writes what is found into the pages instead.

mod console;
mod pages;
mod reference;

use std::path::PathBuf;

/// The folder with the documentation.
fn docs() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs")
}

/// Whether the pages are to be rewritten.
fn blessing() -> bool {
    std::env::var_os("HOLONOM_BLESS").is_some_and(|value| value == "1")
}
