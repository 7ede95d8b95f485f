//! The page of `holonom view`: who may ask for it, and what it does in a browser.

#[path = "../common/mod.rs"]
mod common;

mod browser;
mod http;
mod large;
mod pages;
mod safety;

use common::{command, holonom, stderr};
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Stdio};

/// `holonom view …` or a run that is watched, until it is dropped.
pub struct Viewed {
    child: Child,
    /// Of the page.
    pub address: String,
    /// Of the server.
    pub port: u16,
    /// The path of the page, with slashes around its token.
    pub root: String,
}

impl Viewed {
    /// Starts the command and waits for the address.
    pub fn start(folder: &Path, arguments: &[&str]) -> Self {
        let mut command = command(folder, arguments);
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the command starts");
        let mut lines = BufReader::new(child.stdout.take().expect("output")).lines();
        let address = lines
            .by_ref()
            .map_while(Result::ok)
            .find(|line| line.starts_with("http://"));
        let address = address.expect("an address");
        // What else it prints must not fill the pipe.
        std::thread::spawn(move || lines.for_each(drop));
        let rest = address
            .strip_prefix("http://127.0.0.1:")
            .unwrap_or_else(|| panic!("{address}"));
        let (port, root) = rest.split_once('/').expect("a path");
        Self {
            port: port.parse().expect("a port"),
            root: format!("/{root}"),
            child,
            address,
        }
    }

    /// Asks for something below the page.
    pub fn get(&self, path: &str) -> http::Answer {
        let host = format!("Host: 127.0.0.1:{}", self.port);
        http::request(self.port, "GET", &format!("{}{path}", self.root), &[&host], "")
    }

    /// Sends something there.
    pub fn post(&self, path: &str, body: &str) -> http::Answer {
        let host = format!("Host: 127.0.0.1:{}", self.port);
        http::request(self.port, "POST", &format!("{}{path}", self.root), &[&host], body)
    }
}

impl Drop for Viewed {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Runs a model; its results are in the folder.
pub fn ran(folder: &Path, arguments: &[&str]) {
    let mut all = vec!["run"];
    all.extend(arguments);
    let output = holonom(folder, &all);
    assert!(output.status.success(), "{}", stderr(&output));
}
