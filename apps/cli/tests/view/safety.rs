//! Nobody else is served, and what is broken is named.

use super::common::{code, folder, holonom, refused, stderr};
use super::http::request;
use super::{Viewed, ran};
use serde_json::json;

const RUN: [&str; 5] = ["four-bar", "--t-end", "0.2", "--output-step", "10 ms"];

#[test]
fn only_who_knows_the_token_and_comes_from_here_is_served() {
    let folder = folder("view-safety");
    ran(&folder, &RUN);
    let viewed = Viewed::start(&folder, &["view", "four-bar.parquet", "--no-open"]);
    let (port, root) = (viewed.port, viewed.root.clone());
    let page = viewed.get("");
    assert_eq!(page.status, 200);
    let head = page.head.to_lowercase();
    for line in [
        "content-security-policy: default-src 'none'",
        "x-content-type-options: nosniff",
        "referrer-policy: no-referrer",
    ] {
        assert!(head.contains(line), "{head}");
    }
    assert!(!page.text().contains("<script>"));
    let host = format!("Host: 127.0.0.1:{port}");
    let own = format!("Origin: http://127.0.0.1:{port}");
    let ask = |path: &str, lines: &[&str]| request(port, "GET", path, lines, "");
    assert_eq!(ask(&format!("{root}status"), &[&host, &own]).status, 200);
    // Names that lead here by DNS rebinding, other ports, other sites.
    for wrong in [
        "Host: evil.example",
        "Host: evil.example:80",
        "Host: 127.0.0.1",
        "Host: 127.0.0.1:1",
    ] {
        let answer = ask(&format!("{root}status"), &[wrong]);
        assert_eq!(answer.status, 403, "{wrong}");
        assert!(answer.text().contains("127.0.0.1"));
    }
    assert_ne!(ask(&format!("{root}status"), &[]).status, 200);
    assert_ne!(
        ask(&format!("{root}status"), &[&host, "Host: evil.example"]).status,
        200
    );
    for wrong in [
        "Origin: http://evil.example",
        "Origin: null",
        "Origin: https://127.0.0.1",
    ] {
        assert_eq!(
            ask(&format!("{root}status"), &[&host, wrong]).status,
            403,
            "{wrong}"
        );
        let posted = request(port, "POST", &format!("{root}run"), &[&host, wrong], "{}");
        assert_eq!(posted.status, 403, "{wrong}");
    }
    let wrong_token = format!("/{}/status", "0".repeat(32));
    for path in [&wrong_token[..], "/", "/status", "//status", "/../status"] {
        let answer = ask(path, &[&host]);
        assert_eq!(answer.status, 404, "{path}");
        assert!(answer.text().contains("token"), "{}", answer.text());
    }
    for path in [
        "../../etc/passwd",
        "%2e%2e/%2e%2e/etc/passwd",
        "four-bar.parquet",
        "..%2fCargo.toml",
        "style.css/..",
    ] {
        assert_eq!(viewed.get(path).status, 404, "{path}");
    }
    assert_eq!(request(port, "DELETE", &root, &[&host], "").status, 405);
    assert_eq!(viewed.post("values", "{").status, 400);
}

#[test]
fn senseless_requests_are_answered_in_words() {
    let folder = folder("view-senseless");
    ran(&folder, &RUN);
    let viewed = Viewed::start(&folder, &["view", "four-bar.parquet", "--no-open"]);
    for path in [
        "channel?name=none",
        "channel?name=%ff",
        "scene?run=7",
        "frames?run=99",
        "channel",
    ] {
        let answer = viewed.get(path);
        assert_eq!(answer.status, 422, "{path}");
        assert!(!answer.text().is_empty());
    }
    // Beyond the ends nothing is there, and numbers that are none count as those left out.
    assert_eq!(
        viewed
            .get("frames?first=99999999999&count=99999999999")
            .body
            .len(),
        0
    );
    assert_eq!(viewed.get("frames?first=20&count=5&step=1").body.len(), 4 * 7 * 3);
    assert_eq!(viewed.get("frames?first=x&count=-1").body.len(), 4 * 7 * 3);
    assert_eq!(viewed.get("path?body=77").body.len(), 0);
    assert_eq!(viewed.get("arrows?row=99999").status, 200);
    for body in [
        json!({}),
        json!({ "run": 0, "row": 99999, "names": ["energy.total"] }),
        json!([1, 2]),
    ] {
        assert_eq!(viewed.post("values", &body.to_string()).status, 200, "{body}");
    }
    for path in ["move", "parameter", "run"] {
        let answer = viewed.post(path, "{}");
        assert_eq!(answer.status, 422);
        assert!(
            answer.text().contains("a result cannot be changed"),
            "{}",
            answer.text()
        );
    }
}

#[test]
fn what_cannot_be_viewed_is_refused_with_its_remedy() {
    let folder = folder("view-refused");
    ran(
        &folder,
        &[&RUN[..], &["--csv", "-o", "small", "--no-state"]].concat(),
    );
    ran(&folder, &RUN);
    let view = |names: &[&str]| holonom(&folder, &[&["view"], names, &["--no-open"]].concat());
    refused(
        &view(&["small.parquet"]),
        &["small.parquet", "without --no-state"],
    );
    refused(&view(&["small.csv"]), &["small.csv", ".parquet"]);
    refused(&view(&["none.parquet"]), &["none.parquet"]);
    refused(&view(&["none"]), &["no file `none`"]);
    refused(&view(&["four-bar", "four-bar.parquet"]), &["one model at a time"]);
    refused(
        &view(&["four-bar.parquet", "--set", "line=3"]),
        &["--set changes a model"],
    );
    std::fs::write(folder.join("text.parquet"), "no result").expect("a file");
    refused(&view(&["text.parquet"]), &["text.parquet"]);
    std::fs::write(
        folder.join("wrong.toml"),
        "[model]\nformat = 1\nname = \"w\"\n[[shape]]\nkind = \"box\"\non = \"bod\"\nsize = [1, 1, 1]\n",
    )
    .expect("a file");
    refused(&view(&["wrong.toml"]), &["wrong.toml:6", "bod"]);
    // A port that another server has.
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = taken.local_addr().expect("an address").port().to_string();
    refused(&view(&["four-bar.parquet", "--port", &port]), &[&port, "--port"]);
    // Cut off: what is sound is shown, and the loss is told.
    let bytes = std::fs::read(folder.join("four-bar.arrows")).expect("a result");
    std::fs::write(folder.join("cut.arrows"), &bytes[..bytes.len() - 20]).expect("a file");
    let output = holonom(&folder, &["animate", "cut.arrows", "-o", "cut.png"]);
    assert!([0, 2].contains(&code(&output)), "{}", stderr(&output));
    assert!(stderr(&output).contains("cut.arrows"), "{}", stderr(&output));
    std::fs::write(folder.join("head.arrows"), &bytes[..500]).expect("a file");
    refused(&view(&["head.arrows"]), &["head.arrows"]);
}

#[test]
fn animations_refuse_what_they_cannot_do() {
    let folder = folder("animate-refused");
    ran(&folder, &RUN);
    let animate = |extra: &[&str]| holonom(&folder, &[&["animate", "four-bar.parquet"], extra].concat());
    refused(&animate(&["-o", "a.bmp"]), &["a.bmp", ".html"]);
    refused(&animate(&["-o", "a.png", "--at", "9"]), &["--at 9", "0 to 0.2"]);
    refused(&animate(&["-o", "a.gif", "--at", "0"]), &["--range"]);
    refused(&animate(&["-o", "a.gif", "--range", "0.1"]), &["FROM:TO"]);
    refused(&animate(&["-o", "a.gif", "--range", "0.1:0.1"]), &["two rows"]);
    refused(&animate(&["-o", "a.gif", "--speed", "0"]), &["--speed"]);
    refused(&animate(&["-o", "a.gif", "--fps", "1e9"]), &["--fps"]);
    refused(&animate(&["-o", "a.png", "--size", "12"]), &["--size 12"]);
    refused(&animate(&["-o", "a.png", "--view", "below"]), &["--view below"]);
    refused(&animate(&["-o", "none/a.png"]), &["none"]);
    let empty = Path::new("/nonexistent");
    let output = super::command(&folder, &["animate", "four-bar.parquet", "-o", "a.mp4"])
        .env("PATH", empty)
        .output();
    refused(&output.expect("the command starts"), &["ffmpeg", ".gif"]);
}

use std::path::Path;

/// Meshes that are missing, broken, huge, outside or COLLADA are told; the rest is shown.
#[test]
fn meshes_that_cannot_be_shown_are_told() {
    let folder = folder("view-meshes");
    std::fs::write(folder.join("broken.stl"), "solid\nfacet nonsense").expect("a file");
    std::fs::write(folder.join("robot.dae"), "<COLLADA/>").expect("a file");
    let huge = std::fs::File::create(folder.join("huge.obj")).expect("a file");
    huge.set_len(100 << 20).expect("a length");
    std::fs::write(folder.join("outside.stl"), "").expect("a file");
    std::fs::remove_file(folder.join("outside.stl")).expect("a file");
    #[cfg(unix)]
    std::os::unix::fs::symlink("/etc/passwd", folder.join("outside.stl")).expect("a link");
    let mut text = String::from(
        "[model]\nformat = 1\nname = \"m\"\n[[body]]\nname = \"b\"\nmass = 1\nsolid = { ball = 0.1 }\n[[joint]]\nname = \"j\"\nkind = \"free\"\nfrom = \"ground\"\nto = \"b\"\n[simulation]\nt_end = 0.1\n",
    );
    for file in ["broken.stl", "none.stl", "robot.dae", "huge.obj", "outside.stl"] {
        text += &format!("[[shape]]\nkind = \"mesh\"\non = \"b\"\nfile = \"{file}\"\n");
    }
    std::fs::write(folder.join("m.toml"), &text).expect("a file");
    ran(&folder, &["m.toml"]);
    let output = holonom(&folder, &["animate", "m.parquet", "-o", "m.png"]);
    let told = stderr(&output);
    assert_eq!(code(&output), 0, "{told}");
    for words in [
        "broken.stl",
        "none.stl",
        "COLLADA",
        "100 MB",
        "outside of the folder",
    ] {
        assert!(told.contains(words), "`{words}` in: {told}");
    }
    let viewed = Viewed::start(&folder, &["view", "m.parquet", "--no-open"]);
    let scene = viewed.get("scene?run=0").json();
    assert_eq!(scene["notes"].as_array().map(Vec::len), Some(5));
    assert!(scene["parts"].as_array().is_some_and(|parts| parts.len() >= 5));
    for name in [
        "../m.stl",
        "/etc/passwd",
        "https://a.example/m.stl",
        "a/../../m.stl",
    ] {
        let text = text.replace("broken.stl", name);
        std::fs::write(folder.join("out.toml"), text).expect("a file");
        refused(
            &holonom(&folder, &["check", "out.toml"]),
            &["out.toml", name, "folder of the model"],
        );
    }
}
