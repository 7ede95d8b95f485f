//! Finds the native codes and says what to install when one is missing.
//!
//! liboctave and deSolve both export `ddatrp_` and `ddawts_`; liboctave is named first, so that
//! DASSL finds its own. Everything goes through link arguments to keep that order.

use std::env;
use std::path::{Path, PathBuf};
use std::process::exit;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=HOLONOM_OCTAVE_DIR");
    println!("cargo::rerun-if-env-changed=HOLONOM_DESOLVE");
    println!("cargo::rerun-if-env-changed=HOLONOM_SUNDIALS_DIR");
    println!("cargo::rerun-if-env-changed=HOLONOM_R_LIB");
    // The program replaces message routines of the libraries; they must find its symbols.
    arg("-rdynamic");
    if enabled("IDA") {
        sundials();
    }
    if enabled("DASSL") {
        octave();
    }
    if enabled("RADAU5") {
        desolve();
    }
}

fn enabled(feature: &str) -> bool {
    env::var_os(format!("CARGO_FEATURE_{feature}")).is_some()
}

fn arg(text: &str) {
    println!("cargo::rustc-link-arg={text}");
}

fn missing(what: &str, places: &str, package: &str, feature: &str) -> ! {
    println!(
        "cargo::error={what} not found ({places}). Install it with `apt-get install -y --no-install-recommends \
         {package}`, or leave this code out with `--no-default-features` and the features you want (without \
         `{feature}`)"
    );
    exit(1);
}

fn from_env(name: &str) -> Option<PathBuf> {
    env::var_os(name).map(PathBuf::from)
}

/// System library folders to search, the Debian multi-arch one first.
fn library_folders() -> Vec<PathBuf> {
    let arch = env::var("CARGO_CFG_TARGET_ARCH").unwrap_or_default();
    [
        format!("/usr/lib/{arch}-linux-gnu"),
        "/usr/lib64".into(),
        "/usr/lib".into(),
        "/usr/local/lib".into(),
    ]
    .into_iter()
    .map(PathBuf::from)
    .collect()
}

fn rpath(folder: &Path) {
    arg(&format!("-Wl,-rpath,{}", folder.display()));
}

fn sundials() {
    let folders = from_env("HOLONOM_SUNDIALS_DIR").map_or_else(library_folders, |d| vec![d]);
    let Some(folder) = folders
        .into_iter()
        .find(|d| d.join("libsundials_ida.so").exists())
    else {
        missing(
            "SUNDIALS IDA",
            "searched the library folders; HOLONOM_SUNDIALS_DIR overrides",
            "libsundials-dev",
            "ida",
        )
    };
    arg(&format!("-L{}", folder.display()));
    rpath(&folder);
    for name in [
        "ida",
        "cvode",
        "nvecserial",
        "sunmatrixdense",
        "sunlinsoldense",
        "sunnonlinsolfixedpoint",
        "generic",
    ] {
        arg(&format!("-lsundials_{name}"));
    }
}

fn octave() {
    // The folder carries Octave's version: take the last one there is.
    let folder = from_env("HOLONOM_OCTAVE_DIR").or_else(|| {
        let mut found: Vec<PathBuf> = library_folders()
            .iter()
            .filter_map(|d| std::fs::read_dir(d.join("octave")).ok())
            .flat_map(|entries| entries.flatten().map(|e| e.path()))
            .filter(|d| d.join("liboctave.so").exists())
            .collect();
        found.sort();
        found.pop()
    });
    let Some(folder) = folder.filter(|d| d.join("liboctave.so").exists()) else {
        missing(
            "liboctave.so, which holds DASSL,",
            "searched /usr/lib/*/octave/*/; HOLONOM_OCTAVE_DIR overrides",
            "octave liboctave-dev",
            "dassl",
        )
    };
    arg(&format!("-L{}", folder.display()));
    arg("-loctave");
    rpath(&folder);
}

fn desolve() {
    let file = from_env("HOLONOM_DESOLVE")
        .unwrap_or_else(|| PathBuf::from("/usr/lib/R/site-library/deSolve/libs/deSolve.so"));
    let r = from_env("HOLONOM_R_LIB").unwrap_or_else(|| PathBuf::from("/usr/lib/R/lib"));
    if !file.exists() || !r.join("libR.so").exists() {
        missing(
            "deSolve.so, which holds RADAU5, or libR.so",
            "HOLONOM_DESOLVE names the file, HOLONOM_R_LIB the folder of libR.so",
            "r-cran-desolve",
            "radau5",
        )
    }
    arg(&file.display().to_string());
    arg(&format!("-L{}", r.display()));
    arg("-lR");
    // deSolve.so has no name of its own inside, so the program refers to it by its full path.
    arg("-Wl,--allow-shlib-undefined");
    rpath(&r);
}
