//! `holonom check`, `new`, `models`, `schema` as a user meets them.

mod common;

use common::{code, folder, holonom, refused, report, stderr, stdout};

#[test]
fn check_tells_what_a_model_is() {
    let folder = folder("check");
    let output = holonom(&folder, &["check", "four-bar", "--channels", "--dot", "a.dot"]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    for word in [
        "Tree",
        "cut",
        "Inertia",
        "Constraints",
        "Start",
        "A.angle",
        "Ready to run",
    ] {
        assert!(stdout(&output).contains(word), "{word} in {}", stdout(&output));
    }
    let dot = std::fs::read_to_string(folder.join("a.dot")).expect("a graph");
    assert!(dot.contains("graph") && dot.contains("coupler"));
    let report = report(&holonom(&folder, &["check", "four-bar", "--json"]));
    assert_eq!(
        (&report["valid"], &report["degrees_of_freedom"]),
        (&true.into(), &1.into())
    );
    assert_eq!(report["cut_joints"].as_array().expect("joints").len(), 1);
    let dropped = report["dropped_rows"].as_array().expect("rows");
    assert_eq!(dropped.len(), 3);
    let cut = report["cut_joints"][0].as_str().expect("a name");
    assert!(
        dropped
            .iter()
            .all(|row| row.as_str().is_some_and(|name| name.starts_with(cut))),
        "{dropped:?}"
    );
}

#[test]
fn check_reads_well() {
    let folder = folder("check-words");
    let text = r#"
[model]
format = 1
name = "two"
description = "Two lamps. They swing by themselves."
source = "a drawing"
[parameters]
L = "150 mm"
third = "1/3"
[[body]]
name = "a"
mass = "third*3"
markers = { top = [0, 0, "L"] }
[[body]]
name = "b"
mass = 1
markers = { top = [0, 0, "L"] }
[[joint]]
name = "A"
kind = "revolute"
from = "ground"
to = "a.top"
axis = [0, 1, 0]
[[joint]]
name = "B"
kind = "revolute"
from = "ground"
to = "b.top"
axis = [0, 1, 0]
"#;
    std::fs::write(folder.join("two.toml"), text).expect("written");
    let output = holonom(&folder, &["check", "two.toml"]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let shown = stdout(&output);
    for words in [
        "two\nTwo lamps.\nSource: a drawing\n",
        "2 tree joints, 0 cut; 2 coordinates, 0 constraint rows",
        "L              0.15  m\n",
        "third      0.333333\n",
        "the bodies \"a\" and \"b\" are point masses",
    ] {
        assert!(shown.contains(words), "{words} in {shown}");
    }
    let run = stdout(&holonom(&folder, &["run", "two.toml", "--t-end", "0.1"]));
    assert!(run.contains("model       Two lamps.\n"), "{run}");
}

#[test]
fn check_tells_all_faults_with_their_places() {
    let folder = folder("check-faults");
    let text = "[model]\nformat = 1\nname = \"x\"\n[[body]]\nname = \"b\"\nmas = 1\n[[joint]]\nname = \"j\"\nkind = \"revolut\"\nfrom = \"ground\"\nto = \"b\"\n";
    std::fs::write(folder.join("x.toml"), text).expect("written");
    refused(
        &holonom(&folder, &["check", "x.toml"]),
        &["x.toml:6", "mass", "x.toml:9", "revolute"],
    );
    let output = holonom(&folder, &["check", "x.toml", "--json"]);
    assert_eq!(code(&output), 2);
    let report: serde_json::Value = serde_json::from_str(&stdout(&output)).expect("JSON");
    assert_eq!(report["valid"], false);
    let lines: Vec<u64> = report["messages"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|m| m["line"].as_u64())
        .collect();
    assert!(lines.contains(&6) && lines.contains(&9), "{lines:?}");
    refused(
        &holonom(&folder, &["check", "nothing.toml"]),
        &["there is no file"],
    );
}

#[test]
fn every_template_runs_without_notes() {
    let folder = folder("new");
    for template in ["pendulum", "linkage", "vehicle"] {
        let output = holonom(
            &folder,
            &["new", &format!("my-{template}"), "--template", template],
        );
        assert!(
            code(&output) == 0 && stdout(&output).contains("holonom run"),
            "{}",
            stderr(&output)
        );
        let file = format!("my-{template}.toml");
        let check = holonom(&folder, &["check", &file]);
        assert!(
            code(&check) == 0 && !stdout(&check).contains("Note:"),
            "{}{}",
            stdout(&check),
            stderr(&check)
        );
        let run = holonom(&folder, &["run", &file]);
        assert_eq!((code(&run), stderr(&run).as_str()), (0, ""), "{template}");
    }
    refused(&holonom(&folder, &["new", "my-linkage"]), &["already exists"]);
    refused(
        &holonom(&folder, &["new", "other", "--template", "crane"]),
        &["linkage"],
    );
}

#[test]
fn shipped_models_can_be_listed_shown_and_copied() {
    let folder = folder("models");
    let list = stdout(&holonom(&folder, &["models", "list"]));
    assert!(list.contains("four-bar") && list.contains("andrews"));
    assert!(stdout(&holonom(&folder, &["models", "show", "four-bar"])).contains("[[body]]"));
    let output = holonom(&folder, &["models", "copy", "four-bar", "mine.toml"]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    assert_eq!(code(&holonom(&folder, &["check", "mine.toml"])), 0);
    refused(
        &holonom(&folder, &["models", "copy", "four-bar", "mine.toml"]),
        &["already exists"],
    );
    refused(
        &holonom(&folder, &["models", "show", "four-baar"]),
        &["did you mean `four-bar`"],
    );
    refused(
        &holonom(&folder, &["models", "copy", "four-bar", "no/such/x.toml"]),
        &["does not exist"],
    );
}

#[test]
fn the_schema_is_one_json_object() {
    let folder = folder("schema");
    let schema = report(&holonom(&folder, &["schema"]));
    assert!(schema["properties"]["joint"].is_object());
    assert_eq!(code(&holonom(&folder, &["schema", "toml"])), 2);
}
