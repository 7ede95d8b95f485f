//! A browser without a window, led by WebDriver [W3C 2018].

use super::http::request;
use serde_json::{Value, json};
use std::net::TcpListener;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// A session with its own driver and profile.
pub struct Browser {
    driver: Child,
    port: u16,
    session: String,
    profile: PathBuf,
}

/// Programs under the names that distributions use.
fn program(names: &[&str]) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    names.iter().find_map(|name| {
        folders
            .iter()
            .map(|folder| folder.join(name))
            .find(|file| file.is_file())
    })
}

/// Whether to test in a browser: only where `HOLONOM_BROWSER=required` asks for it, because the pictures are computed
/// without graphics hardware and a busy machine exceeds the limits. Its absence is a failure then.
pub fn is_there() -> bool {
    let found = program(&["chromedriver"]).is_some()
        && program(&["chromium", "chromium-browser", "google-chrome"]).is_some();
    let required = std::env::var_os("HOLONOM_BROWSER").is_some_and(|value| value == "required");
    assert!(
        found || !required,
        "install `chromium` and `chromium-driver`: the page is to be tested in a browser"
    );
    if !required {
        eprintln!("the page is not tested in a browser; set HOLONOM_BROWSER=required for that");
    }
    required
}

impl Browser {
    pub fn start(width: u32, height: u32) -> Self {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let profile = PathBuf::from(env!("CARGO_TARGET_TMPDIR"))
            .join(format!("browser-{}-{number}", std::process::id()));
        let port = TcpListener::bind("127.0.0.1:0")
            .and_then(|l| l.local_addr())
            .expect("a port")
            .port();
        let driver = program(&["chromedriver"]).expect("a driver");
        let driver = Command::new(driver)
            .arg(format!("--port={port}"))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the driver starts");
        let mut browser = Self {
            driver,
            port,
            session: String::new(),
            profile,
        };
        let begin = Instant::now();
        while std::net::TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(
                begin.elapsed() < Duration::from_secs(30),
                "the driver does not answer"
            );
            std::thread::sleep(Duration::from_millis(50));
        }
        let binary = program(&["chromium", "chromium-browser", "google-chrome"]).expect("a browser");
        let arguments = [
            "--headless".to_string(),
            "--no-sandbox".to_string(),
            "--use-angle=swiftshader".to_string(),
            "--enable-unsafe-swiftshader".to_string(),
            "--disable-background-networking".to_string(),
            "--disable-component-update".to_string(),
            "--disable-sync".to_string(),
            "--no-first-run".to_string(),
            "--disable-dev-shm-usage".to_string(),
            format!("--window-size={width},{height}"),
            format!("--user-data-dir={}", browser.profile.display()),
        ];
        let wanted = json!({ "capabilities": { "alwaysMatch": {
            "browserName": "chrome", "goog:loggingPrefs": { "browser": "ALL" },
            "goog:chromeOptions": { "args": arguments, "binary": binary },
        }}});
        let session = browser.send("POST", "/session", &wanted);
        browser.session = format!("/session/{}", session["sessionId"].as_str().expect("a session"));
        browser
    }

    fn send(&self, method: &str, path: &str, body: &Value) -> Value {
        let body = if method == "POST" {
            body.to_string()
        } else {
            String::new()
        };
        let host = format!("Host: 127.0.0.1:{}", self.port);
        let answer = request(
            self.port,
            method,
            path,
            &[&host, "Content-Type: application/json"],
            &body,
        );
        let value = answer.json()["value"].clone();
        assert!(value["error"].is_null(), "{path}: {value}");
        value
    }

    fn ask(&self, method: &str, what: &str, body: &Value) -> Value {
        self.send(method, &format!("{}{what}", self.session), body)
    }

    pub fn go(&self, address: &str) {
        self.ask("POST", "/url", &json!({ "url": address }));
    }

    /// Runs a script; gives what it returns.
    pub fn script(&self, text: &str) -> Value {
        self.ask("POST", "/execute/sync", &json!({ "script": text, "args": [] }))
    }

    /// Waits until an expression is true.
    pub fn wait(&self, expression: &str) {
        let begin = Instant::now();
        while self.script(&format!("return !!({expression});")) != json!(true) {
            let told =
                "return [window.viewer && viewer.errors, document.getElementById('message')?.textContent]";
            assert!(
                begin.elapsed() < Duration::from_secs(60),
                "{expression}: {}",
                self.script(told)
            );
            std::thread::sleep(Duration::from_millis(40));
        }
    }

    /// A press of the left button at a place of the window, with moves in between; released at the last place.
    pub fn drag(&self, places: &[[f64; 2]]) {
        let mut actions = Vec::new();
        for (k, [x, y]) in places.iter().enumerate() {
            actions.push(json!({ "type": "pointerMove", "duration": 20, "x": x.round(), "y": y.round(), "origin": "viewport" }));
            if k == 0 {
                actions.push(json!({ "type": "pointerDown", "button": 0 }));
            }
        }
        actions.push(json!({ "type": "pointerUp", "button": 0 }));
        let pointer = json!({ "type": "pointer", "id": "mouse", "parameters": { "pointerType": "mouse" }, "actions": actions });
        self.ask("POST", "/actions", &json!({ "actions": [pointer] }));
    }

    /// A click at a place of the window.
    pub fn click(&self, place: [f64; 2]) {
        self.drag(&[place]);
    }

    /// Types a key.
    pub fn key(&self, key: &str) {
        let actions = json!([{ "type": "keyDown", "value": key }, { "type": "keyUp", "value": key }]);
        self.ask(
            "POST",
            "/actions",
            &json!({ "actions": [{ "type": "key", "id": "keys", "actions": actions }] }),
        );
    }

    /// What the console says: nothing is what is wanted.
    pub fn console(&self) -> Vec<String> {
        let log = self.ask("POST", "/se/log", &json!({ "type": "browser" }));
        log.as_array()
            .into_iter()
            .flatten()
            .map(|entry| entry["message"].to_string())
            .collect()
    }

    /// Without a network from now on.
    pub fn offline(&self) {
        let conditions = json!({ "network_conditions": { "offline": true, "latency": 0, "throughput": 0 } });
        self.ask("POST", "/chromium/network_conditions", &conditions);
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        if !self.session.is_empty() && !std::thread::panicking() {
            self.ask("DELETE", "", &Value::Null);
        }
        let _ = self.driver.kill();
        let _ = self.driver.wait();
        let _ = std::fs::remove_dir_all(&self.profile);
    }
}
