//! The page in a browser. Every test looks at pixels, numbers or both, and at the console.

use super::browser::{Browser, is_there};
use super::common::{folder, holonom, stderr};
use super::{Viewed, ran};
use holonom::algebra::{Quaternion, Vec3};
use holonom_results::Table;
use serde_json::{Value, json};
use std::path::Path;
use std::time::{Duration, Instant};

const SIZE: (u32, u32) = (760, 520);

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or(f64::NAN)
}

fn triple(value: &Value) -> Vec3<f64> {
    Vec3([0, 1, 2].map(|k| number(&value[k])))
}

/// The place in the window of a point, by the camera's own numbers but not by its code.
fn pixel(browser: &Browser, point: Vec3<f64>) -> [f64; 2] {
    let seen = browser.script(
        "const c = viewer.camera, b = document.getElementById('picture').getBoundingClientRect();\
         return { target: c.target, direction: c.direction, up: c.up, distance: c.distance,\
                  left: b.left, top: b.top, width: b.width, height: b.height };",
    );
    let (target, back, up) = (
        triple(&seen["target"]),
        triple(&seen["direction"]),
        triple(&seen["up"]),
    );
    let right = up.cross(back).normalised().expect("a direction");
    let above = back.cross(right);
    let d = point - target;
    let depth = number(&seen["distance"]) - d.dot(back);
    // The tangent of half the angle of view is a quarter.
    let scale = number(&seen["height"]) / 2.0 / (0.25 * depth);
    let x = number(&seen["left"]) + number(&seen["width"]) / 2.0 + scale * d.dot(right);
    let y = number(&seen["top"]) + number(&seen["height"]) / 2.0 - scale * d.dot(above);
    [x, y]
}

/// Position and orientation of a body in every row, and the times, from channels of the file.
struct Path3 {
    times: Vec<f64>,
    columns: Vec<Vec<f64>>,
}

impl Path3 {
    fn of(path: &Path, body: &str) -> Self {
        let table = Table::open(path).expect("a result");
        let names = [
            "position.x",
            "position.y",
            "position.z",
            "orientation.w",
            "orientation.x",
            "orientation.y",
            "orientation.z",
        ];
        let columns = names.map(|name| {
            table
                .column(&format!("{body}.{name}"))
                .unwrap_or_else(|error| panic!("{error}"))
        });
        Self {
            times: table.column("t").expect("times"),
            columns: columns.into(),
        }
    }

    /// A point of the body in a row.
    fn point(&self, row: usize, own: [f64; 3]) -> Vec3<f64> {
        let at = |k: usize| self.columns[k][row];
        let rotation = holonom::algebra::Mat3(Quaternion([at(3), at(4), at(5), at(6)]).rotation_matrix());
        rotation.times(Vec3(own)) + Vec3([at(0), at(1), at(2)])
    }
}

fn opened(browser: &Browser, address: &str) {
    browser.go(address);
    browser.wait("window.viewer && viewer.ready && viewer.frame > 0");
}

fn unharmed(browser: &Browser) {
    assert_eq!(browser.script("return viewer.errors;"), json!([]));
    assert_eq!(browser.console(), Vec::<String>::new());
}

/// At random times a click where the body must be selects it.
fn picked(browser: &Browser, file: &Path, body: &str, own: [f64; 3], times: usize, seed: u64) {
    let path = Path3::of(file, body);
    let mut state = seed;
    let mut missed = Vec::new();
    for _ in 0..times {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let row = (state >> 33) as usize % path.times.len();
        let t = path.times[row];
        browser.script(&format!("viewer.seek({t:?}); viewer.select(0);"));
        browser.wait(&format!("viewer.frameTime === {t:?}"));
        browser.script("viewer.fit();");
        browser.wait("!viewer.dirty");
        let at = pixel(browser, path.point(row, own));
        browser.click(at);
        let found = browser.script("return viewer.body ? viewer.scene.bodies[viewer.body].name : '';");
        if found != json!(body) {
            missed.push((t, found));
        }
    }
    assert!(missed.is_empty(), "{body}: {missed:?}");
}

/// Plays, drags the time line, clicks a plot, selects in the tree.
fn used(browser: &Browser, channel: &str) {
    let area = |id: &str| {
        let found = browser.script(&format!(
            "const b = document.querySelector({}).getBoundingClientRect(); return [b.left, b.top, b.width, b.height];",
            json!(id)
        ));
        [0, 1, 2, 3].map(|k| number(&found[k]))
    };
    let t = || number(&browser.script("return viewer.t;"));
    let middle = |[x, y, w, h]: [f64; 4]| [x + w / 2.0, y + h / 2.0];
    let (begin, end) = (
        number(&browser.script("return viewer.begin();")),
        number(&browser.script("return viewer.end();")),
    );
    browser.script("viewer.seek(viewer.begin());");
    browser.click(middle(area("#play")));
    browser.wait("viewer.t > viewer.begin() && viewer.playing");
    browser.click(middle(area("#play")));
    browser.wait("!viewer.playing");
    let [x, y, w, h] = area("#slider");
    browser.drag(&[
        [x + 0.2 * w, y + h / 2.0],
        [x + 0.5 * w, y + h / 2.0],
        [x + 0.7 * w, y + h / 2.0],
    ]);
    let share = (t() - begin) / (end - begin);
    assert!((share - 0.7).abs() < 0.08, "{share}");
    // A plot, and a click on it.
    browser.script(&format!(
        "return viewer.plot(viewer.scene.channels.find((c) => c.name === {}));",
        json!(channel)
    ));
    browser.wait("viewer.plots.plots.size === 1 && [...viewer.plots.plots.values()][0].series[0]");
    let [x, y, w, h] = area(".plot canvas");
    browser.click([x + 64.0 + 0.3 * (w - 74.0), y + h / 2.0]);
    let share = (t() - begin) / (end - begin);
    assert!((share - 0.3).abs() < 0.03, "{share}");
    // Its line is there: not all pixels are alike.
    let inked = browser.script(
        "const c = document.querySelector('.plot canvas'), d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;\
         const seen = new Set(); for (let k = 0; k < d.length; k += 4) seen.add(d[k] << 16 | d[k + 1] << 8 | d[k + 2]); return seen.size;",
    );
    assert!(number(&inked) > 3.0, "{inked}");
    // The tree selects the body, and its values are those of the row.
    let place = area("#tree .item[data-section='Bodies']");
    browser.click([place[0] + 40.0, place[1] + place[3] / 2.0]);
    browser.wait("viewer.body === 1");
    browser.key("\u{e00c}");
    browser.wait("viewer.body === 0");
    // The picture is no single colour.
    let colours = browser.script(
        "viewer.draw(); const gl = viewer.renderer.gl, w = gl.drawingBufferWidth, h = gl.drawingBufferHeight, d = new Uint8Array(4 * w * h);\
         gl.readPixels(0, 0, w, h, gl.RGBA, gl.UNSIGNED_BYTE, d); const seen = new Set();\
         for (let k = 0; k < d.length; k += 4) seen.add(d[k] << 16 | d[k + 1] << 8 | d[k + 2]); return seen.size;",
    );
    assert!(number(&colours) > 50.0, "{colours}");
    for toggle in [
        "frames",
        "axes",
        "centres",
        "forces",
        "reactions",
        "trace",
        "names",
    ] {
        browser.script(&format!("viewer.toggle('{toggle}');"));
    }
    browser.wait("viewer.traced && !viewer.arrowsWait");
    browser.script("for (const view of ['x', 'y', 'z', 'corner']) viewer.setView(view); viewer.theme(); viewer.dirty = true;");
    browser.wait("!viewer.dirty");
    for toggle in [
        "frames",
        "axes",
        "centres",
        "forces",
        "reactions",
        "trace",
        "names",
    ] {
        browser.script(&format!("viewer.toggle('{toggle}');"));
    }
}

struct Case {
    model: &'static str,
    arguments: &'static [&'static str],
    body: &'static str,
    /// A point of the body that is seen from the corner at any time.
    point: [f64; 3],
    channel: &'static str,
}

const CASES: [Case; 4] = [
    Case {
        model: "four-bar",
        arguments: &["--t-end", "2"],
        body: "rocker",
        point: [0.15, 0.0, 0.0],
        channel: "A.angle.velocity",
    },
    Case {
        model: "bouncing-ball",
        arguments: &["--t-end", "2"],
        body: "ball",
        point: [0.0; 3],
        channel: "energy.total",
    },
    Case {
        model: "iltis-lane-change",
        arguments: &["--t-end", "4"],
        body: "chassis",
        point: [-0.9, 0.0, 0.88],
        channel: "chassis.position.y",
    },
    Case {
        model: "curving",
        arguments: &["--t-end", "2"],
        body: "wheelset",
        point: [0.0, 0.0, 0.0],
        channel: "wheelset.position.y",
    },
];

#[test]
fn results_in_the_browser_and_from_disk() {
    if !is_there() {
        return;
    }
    let folder = folder("view-pages");
    let browser = Browser::start(SIZE.0, SIZE.1);
    for (number, case) in CASES.iter().enumerate() {
        let pattern = format!("{}.*", case.body);
        let channels = ["--channel", pattern.as_str(), "--channel", case.channel];
        ran(&folder, &[&[case.model], case.arguments, &channels].concat());
        let file = format!("{}.parquet", case.model);
        let viewed = Viewed::start(&folder, &["view", &file, "--no-open"]);
        opened(&browser, &viewed.address);
        used(&browser, case.channel);
        picked(
            &browser,
            &folder.join(&file),
            case.body,
            case.point,
            20,
            77 + number as u64,
        );
        unharmed(&browser);
        // The page asks its server again and again: it goes first.
        browser.go("about:blank");
    }
    // One file, without a network.
    let output = holonom(&folder, &["animate", "four-bar.parquet", "-o", "four-bar.html"]);
    assert!(output.status.success(), "{}", stderr(&output));
    browser.offline();
    opened(
        &browser,
        &format!("file://{}", folder.join("four-bar.html").display()),
    );
    used(&browser, "A.angle.velocity");
    // Rows that were left out are within the tolerance: the same points pick the same body.
    browser.script("viewer.seek(viewer.begin());");
    picked_between(
        &browser,
        &folder.join("four-bar.parquet"),
        "rocker",
        [0.15, 0.0, 0.0],
    );
    unharmed(&browser);
}

/// In a page, rows that were left out lie between others.
fn picked_between(browser: &Browser, file: &Path, body: &str, own: [f64; 3]) {
    let path = Path3::of(file, body);
    for row in (0..path.times.len()).step_by(path.times.len() / 20) {
        let t = path.times[row];
        browser.script(&format!("viewer.seek({t:?}); viewer.select(0);"));
        browser.wait(&format!("viewer.frameTime === {t:?}"));
        browser.click(pixel(browser, path.point(row, own)));
        let found = browser.script("return viewer.body ? viewer.scene.bodies[viewer.body].name : '';");
        assert_eq!(found, json!(body), "t = {t}");
    }
}

#[test]
fn a_model_to_play_with() {
    if !is_there() {
        return;
    }
    let folder = folder("view-model");
    let output = holonom(&folder, &["models", "copy", "four-bar", "linkage.toml"]);
    assert!(output.status.success(), "{}", stderr(&output));
    let viewed = Viewed::start(&folder, &["view", "linkage.toml", "--no-open"]);
    let browser = Browser::start(SIZE.0, SIZE.1);
    opened(&browser, &viewed.address);
    let set = |name: &str, change: &str| {
        browser.script(&format!(
            "const s = [...document.querySelectorAll('#playground input')].find((i) => i.dataset.name === '{name}');\
             s.value = {change}; s.dispatchEvent(new Event('input'));"
        ));
    };
    // A joint moves, and the loop stays closed: rocker and coupler meet at every position.
    let ends = || {
        let found = browser.script(
            "const p = (body, point) => viewer.stage.point(viewer.scene.bodies.findIndex((b) => b.name === body), point);\
             const f = (name) => viewer.scene.frames.find((f) => f.name === name).position;\
             return [p('coupler', f('coupler.end')), p('rocker', f('rocker.end')), p('crank', f('crank.end'))];",
        );
        [triple(&found[0]), triple(&found[1]), triple(&found[2])]
    };
    let before = ends();
    set("A", "Number(s.value) + 0.8");
    browser.wait("viewer.posed && !viewer.playground.busy");
    let after = ends();
    assert!((after[0] - after[1]).norm() < 1e-6, "{after:?}");
    assert!((after[2] - before[2]).norm() > 0.05, "{before:?} {after:?}");
    // A parameter runs the model anew.
    let begin = Instant::now();
    set("p:crank", "0.12");
    browser.wait("viewer.times.length > 100");
    eprintln!("new motion after {:.2} s", begin.elapsed().as_secs_f64());
    let length = browser.script("return viewer.times.length;");
    assert!(number(&length) > 100.0);
    // A fault in the file is told as the command tells it, and goes away when it is mended.
    let path = folder.join("linkage.toml");
    let good = std::fs::read_to_string(&path).expect("the model");
    std::fs::write(&path, good.replace("kind = \"revolute\"", "kind = \"revolut\"")).expect("the model");
    browser.wait("document.getElementById('message').textContent.includes('revolut')");
    let checked = holonom(&folder, &["check", "linkage.toml"]);
    let told = browser.script("return document.getElementById('message').textContent;");
    assert_eq!(told.as_str().map(str::trim), Some(stderr(&checked).trim()));
    std::fs::write(&path, good).expect("the model");
    browser.wait("document.getElementById('message').hidden");
    assert_eq!(browser.script("return viewer.errors;"), json!([]));
}

#[test]
fn a_run_is_seen_while_it_goes_on() {
    if !is_there() {
        return;
    }
    let folder = folder("view-run");
    let run = [
        "realtime",
        "four-bar",
        "--step",
        "1 ms",
        "--duration",
        "300 s",
        "--paced",
        "--view",
        "--no-open",
    ];
    let browser = Browser::start(SIZE.0, SIZE.1);
    let viewed = Viewed::start(&folder, &run);
    opened(&browser, &viewed.address);
    browser.wait("viewer.t > 1");
    let seen = number(&browser.script("return viewer.t;"));
    std::thread::sleep(Duration::from_secs(1));
    let later = number(&browser.script("return viewer.t;"));
    assert!(later > seen + 0.4, "{seen} {later}");
    assert_eq!(browser.script("return viewer.errors;"), json!([]));
}

/// Names are text wherever they are shown.
#[test]
fn markup_in_names_is_only_text() {
    if !is_there() {
        return;
    }
    let folder = folder("view-names");
    let bad = "<img src=x onerror=hacked=1><script>hacked=1</script>";
    let name = json!(bad);
    let text = format!(
        "[model]\nformat = 1\nname = {name}\ndescription = {name}\n[[body]]\nname = {name}\nmass = 1\nsolid = {{ ball = 0.1 }}\n[[joint]]\nname = {name}\nkind = \"free\"\nfrom = \"ground\"\nto = {name}\n[simulation]\nt_end = 0.1\n"
    );
    std::fs::write(folder.join("bad.toml"), text).expect("a file");
    let browser = Browser::start(SIZE.0, SIZE.1);
    ran(&folder, &["bad.toml"]);
    let viewed = Viewed::start(&folder, &["view", "bad.parquet", "--no-open"]);
    let output = holonom(&folder, &["animate", "bad.parquet", "-o", "bad.html"]);
    assert!(output.status.success(), "{}", stderr(&output));
    for address in [
        viewed.address.clone(),
        format!("file://{}", folder.join("bad.html").display()),
    ] {
        opened(&browser, &address);
        browser.script("viewer.select(1); viewer.toggle('names'); for (const i of document.querySelectorAll('.item')) i.click();");
        browser.wait("!viewer.dirty");
        assert_eq!(
            browser.script("return window.hacked === undefined && document.title.includes('<img');"),
            json!(true)
        );
        assert_eq!(
            browser.script("return document.querySelectorAll('img').length;"),
            json!(0)
        );
        unharmed(&browser);
        browser.go("about:blank");
    }
}
