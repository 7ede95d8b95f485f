//! The tables of `docs/model-file.md` and `docs/elements.md`, from the registries and the schema.
//!
//! A table stands between `<!-- generated: NAME -->` and `<!-- end -->`.

use crate::{blessing, docs};
use holonom::expression::is_reserved;
use holonom::format::{SETTINGS, SettingKind, schema};
use holonom::multibody::description::fields::{Noted, note};
use holonom::multibody::description::{Body, Joint, Rod, SHAPES, Shape, ShapeInfo};
use holonom::multibody::elements::constraints::CONSTRAINTS;
use holonom::multibody::elements::controls::CONTROLS;
use holonom::multibody::elements::forces::FORCES;
use holonom::multibody::elements::joints::{JOINTS, JointInfo};
use holonom::multibody::path::PATHS;
use holonom::multibody::residual::{Form, Formalism};
use holonom::multibody::road::ROADS;
use holonom_models::pictures::geometry;
use std::fmt::Write;

const PAGE: &str = "model-file.md";
/// The page about force elements: a table for each.
const ELEMENTS: &str = "elements.md";

fn table(name: &str) -> String {
    match name {
        "joints" => joints(),
        "coordinates" => coordinates(),
        "body" => fields(&note(|v| Body::new("", 0.0).fields(v))),
        "rod" => fields(&note(|v| Rod::new("", "", "", 0.0).fields(v))),
        "constraints" => {
            let kinds = CONSTRAINTS.iter();
            let kinds = kinds.map(|kind| (kind.name, kind.doc, note(|v| (kind.template)().fields(v))));
            elements(kinds)
        }
        "forces" => {
            let kinds = FORCES.iter().filter(|kind| kind.in_files);
            let kinds = kinds.map(|kind| (kind.name, kind.doc, note(|v| (kind.template)().fields(v))));
            elements(kinds)
        }
        "roads" => {
            let kinds = ROADS.iter();
            let kinds = kinds.map(|kind| (kind.name, kind.doc, note(|v| (kind.template)().fields(v))));
            elements(kinds)
        }
        "shapes" => {
            // `on` and the look are those of every kind.
            let all = ["on", "colour", "opacity", "stand_in"];
            let own = |kind: &ShapeInfo| {
                let fields = note(|v| Shape::new("", (kind.template)()).fields(v));
                fields
                    .into_iter()
                    .filter(|noted| !all.contains(&noted.field.name))
                    .collect()
            };
            elements(SHAPES.iter().map(|kind| (kind.name, kind.doc, own(kind))))
        }
        "paths" => {
            let kinds = PATHS.iter();
            let kinds = kinds.map(|kind| (kind.name, kind.doc, note(|v| (kind.template)().fields(v))));
            elements(kinds)
        }
        "controls" => {
            let kinds = CONTROLS.iter().filter(|kind| kind.in_files);
            let kinds = kinds.map(|kind| (kind.name, kind.doc, note(|v| (kind.template)().fields(v))));
            elements(kinds)
        }
        "settings" => settings(),
        "forms" => {
            let mut out = String::from("| form | |\n|---|---|\n");
            for form in Form::ALL {
                let _ = writeln!(out, "| `{}` | {} |", form.name(), form.doc());
            }
            out += "\n| formalism | |\n|---|---|\n";
            for formalism in Formalism::ALL {
                let _ = writeln!(out, "| `{}` | {} |", formalism.name(), formalism.doc());
            }
            out
        }
        other => {
            let named = |sort: &str| other.strip_prefix(sort);
            let noted = if let Some(kind) = FORCES.iter().find(|kind| Some(kind.name) == named("force ")) {
                note(|v| (kind.template)().fields(v))
            } else if let Some(kind) = ROADS.iter().find(|kind| Some(kind.name) == named("road ")) {
                note(|v| (kind.template)().fields(v))
            } else if let Some(kind) = PATHS.iter().find(|kind| Some(kind.name) == named("path ")) {
                note(|v| (kind.template)().fields(v))
            } else if let Some(kind) = CONTROLS.iter().find(|kind| Some(kind.name) == named("control ")) {
                note(|v| (kind.template)().fields(v))
            } else {
                panic!("there is no table `{other}` to generate")
            };
            fields(&noted)
        }
    }
}

/// A cell: bars would end it.
fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

fn fields(fields: &[Noted]) -> String {
    let mut out = String::from("| key | value | unit | default | |\n|---|---|---|---|---|\n");
    for noted in fields {
        let default = match &noted.default {
            Some(default) => format!("`{default}`"),
            None => "required".to_string(),
        };
        let (name, unit, doc) = (noted.field.name, noted.field.unit, noted.field.doc);
        let _ = writeln!(
            out,
            "| `{name}` | {} | {unit} | {default} | {} |",
            cell(&noted.sort.text()),
            cell(doc)
        );
    }
    out
}

fn elements(kinds: impl Iterator<Item = (&'static str, &'static str, Vec<Noted>)>) -> String {
    let parts = kinds.map(|(name, doc, list)| format!("**`{name}`** {doc}\n\n{}", fields(&list)));
    parts.collect::<Vec<_>>().join("\n")
}

/// Keys of a joint that are special to its kind.
fn special(info: &JointInfo) -> Vec<Noted> {
    let fields = note(|v| Joint::new("", (info.template)(), "", "").fields(v));
    let known = ["from", "to", "axis"];
    fields
        .into_iter()
        .filter(|noted| !known.contains(&noted.field.name))
        .collect()
}

fn joints() -> String {
    let mut out = String::from("| kind | coordinates | rows when cut | axis | |\n|---|---|---|---|---|\n");
    for info in JOINTS {
        let mut coordinates: Vec<String> = info
            .coordinates
            .iter()
            .map(|c| format!("`{}` [{}]", c.name, c.unit))
            .collect();
        if info.has_orientation {
            coordinates.push("`orientation`".to_string());
        }
        let rows = if info.tree_only {
            "cannot be cut".to_string()
        } else {
            (6 - info.freedoms()).to_string()
        };
        let axis = if info.has_axis { "`axis`" } else { "" };
        let _ = writeln!(
            out,
            "| `{}` | {} | {rows} | {axis} | {} |",
            info.name,
            coordinates.join(", "),
            cell(info.doc)
        );
    }
    out
}

fn coordinates() -> String {
    let mut out = String::new();
    for info in JOINTS {
        let special = special(info);
        if !special.is_empty() {
            let _ = writeln!(out, "**`{}`** also has:\n\n{}", info.name, fields(&special));
        }
    }
    out.trim_end().to_string() + "\n"
}

fn settings() -> String {
    let mut out = String::from("| key | value | |\n|---|---|---|\n");
    for info in SETTINGS.iter() {
        let value = match info.kind {
            SettingKind::Number("") => "number".to_string(),
            SettingKind::Number(unit) => format!("number [{unit}]"),
            SettingKind::Count => "integer".to_string(),
            SettingKind::Flag => "`true` or `false`".to_string(),
            SettingKind::Choice(names) => names()
                .iter()
                .map(|name| format!("`{name}`"))
                .collect::<Vec<_>>()
                .join(", "),
            SettingKind::Names(words) => {
                let words: Vec<String> = words().iter().map(|word| format!("`\"{word}\"`")).collect();
                format!("list of names, or {}", words.join(" or "))
            }
        };
        let _ = writeln!(out, "| `{}` | {value} | {} |", info.name, cell(&info.help()));
    }
    out
}

/// Renews or compares the tables of a page; gives their names.
fn renew(page: &str) -> Vec<String> {
    let path = docs().join(page);
    let text = std::fs::read_to_string(&path).expect("the page");
    let mut new = String::new();
    let mut rest = text.as_str();
    let mut names = Vec::new();
    while let Some(at) = rest.find("<!-- generated: ") {
        let (before, marked) = rest.split_at(at);
        let (marker, behind) = marked.split_once('\n').expect("a line");
        let name = marker
            .trim_start_matches("<!-- generated: ")
            .trim_end_matches(" -->");
        let end = behind
            .find("<!-- end -->")
            .unwrap_or_else(|| panic!("`{name}` has no end"));
        let _ = write!(new, "{before}{marker}\n\n{}\n", table(name));
        rest = &behind[end..];
        names.push(name.to_string());
    }
    new += rest;
    if blessing() {
        std::fs::write(&path, &new).expect("the page");
    } else {
        assert!(
            new == text,
            "{page} is not up to date; HOLONOM_BLESS=1 updates it:\n{new}"
        );
    }
    names
}

#[test]
fn tables_are_those_of_the_registries() {
    assert_eq!(renew(PAGE).len(), 12, "tables of {PAGE}");
}

#[test]
fn every_force_element_has_its_table_and_its_picture() {
    let tables = renew(ELEMENTS);
    let text = std::fs::read_to_string(docs().join(ELEMENTS)).expect("the page");
    for kind in FORCES.iter().filter(|kind| kind.in_files) {
        let name = kind.name;
        assert!(
            tables.contains(&format!("force {name}")),
            "{ELEMENTS}: {name} has no table"
        );
        let picture = format!("(images/elements/{name}.svg)");
        assert!(text.contains(&picture), "{ELEMENTS} does not show {picture}");
    }
    for (name, _) in geometry() {
        let picture = format!("(images/elements/{name}.svg)");
        assert!(text.contains(&picture), "{ELEMENTS} does not show {picture}");
    }
    // The flat road has no fields.
    let roads = ROADS.iter().map(|kind| format!("road {}", kind.name));
    let paths = PATHS.iter().map(|kind| format!("path {}", kind.name));
    let controls = CONTROLS.iter().map(|kind| format!("control {}", kind.name));
    for name in roads
        .chain(paths)
        .chain(controls)
        .filter(|name| name != "road flat")
    {
        assert!(tables.contains(&name), "{ELEMENTS}: {name} has no table");
    }
}

#[test]
fn every_table_and_key_is_explained() {
    let text = std::fs::read_to_string(docs().join(PAGE)).expect("the page");
    let schema = schema(&holonom::multibody::elements::Library::standard());
    let tables = schema["properties"].as_object().expect("tables");
    for (name, table) in tables {
        let heading = if table["type"] == "array" {
            format!("## `[[{name}]]`")
        } else {
            format!("## `[{name}]`")
        };
        let (_, behind) = text
            .split_once(&heading)
            .unwrap_or_else(|| panic!("{PAGE} has no section {heading}"));
        let section = behind.split("\n## ").next().unwrap_or_default();
        let items = if table["type"] == "array" {
            &table["items"]
        } else {
            table
        };
        let kinds = items["oneOf"]
            .as_array()
            .cloned()
            .unwrap_or_else(|| vec![items.clone()]);
        for kind in kinds {
            for key in kind["properties"]
                .as_object()
                .into_iter()
                .flat_map(|keys| keys.keys())
            {
                assert!(
                    section.contains(&format!("`{key}`")),
                    "{PAGE}, section {heading}: `{key}` is missing"
                );
            }
        }
    }
}

#[test]
fn functions_named_exist() {
    let text = std::fs::read_to_string(docs().join(PAGE)).expect("the page");
    let line = text
        .lines()
        .find(|line| line.starts_with("Functions: "))
        .expect("the line with the functions");
    let names: Vec<&str> = line
        .split('`')
        .skip(1)
        .step_by(2)
        .map(|call| call.split('(').next().unwrap_or(""))
        .collect();
    assert!(names.len() > 15);
    for name in names {
        assert!(is_reserved(name), "{name}");
    }
}
