//! Tables from CSV files, and what laws of forces may use.
#![allow(clippy::unwrap_used)]

use holonom_format::{Files, Messages, ModelFile, read};

const CSV: &str = "s,z,w\n0,0,5\n1,2,6\n2,3,7\n";

fn model(columns: &str) -> Result<ModelFile, Messages> {
    let text = format!(
        r#"
[model]
format = 1
name = "falling ball"
[[table]]
name = "road"
file = "road.csv"
interpolation = "linear"
{columns}
[[input]]
name = "lift"
expression = "road(t)"
[[body]]
name = "ball"
mass = 1
solid = {{ ball = 0.1 }}
[[joint]]
name = "fall"
kind = "prismatic"
from = "ground"
to = "ball"
displacement = "road(0.5)"
[[force]]
name = "drag"
kind = "expression"
from = "ground"
to = "ball"
force = [0, 0, "lift - 0.1*vz"]
"#
    );
    read(
        "ball.toml",
        &Files::in_memory([("ball.toml", text.as_str()), ("road.csv", CSV)]),
        &[],
    )
}

fn start(columns: &str) -> f64 {
    model(columns).unwrap().description.joints[0].coordinates[0].position
}

#[test]
fn columns_by_heading_by_number_and_by_default() {
    assert_eq!(start(""), 1.0);
    assert_eq!(start("columns = [1, 2]"), 1.0);
    assert_eq!(start("columns = [1, 3]"), 5.5);
    assert_eq!(start(r#"columns = ["s", "w"]"#), 5.5);
}

#[test]
fn columns_that_are_not_there() {
    for columns in [
        "columns = [0, 1]",
        "columns = [1, 4]",
        "columns = [1, 1.5]",
        r#"columns = ["s", "v"]"#,
    ] {
        let messages = model(columns).unwrap_err();
        let text = &messages.0[0].text;
        assert!(text.contains("column"), "{columns}: {text}");
        assert!(messages.0[0].position().is_some(), "{columns}");
    }
}
