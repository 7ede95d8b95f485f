//! The schema accepts all shipped models and refuses what reading refuses for its form.
#![allow(clippy::unwrap_used)]

use holonom_format::schema;
use serde_json::{Map, Value, json};
use std::path::Path;

/// What of JSON Schema 2020-12 the schema uses. Unknown keywords are an error: a rule that is not
/// checked must not look as if it were.
fn validate(value: &Value, rule: &Value, root: &Value) -> Result<(), String> {
    let Value::Object(rule) = rule else {
        return Err(format!("not a rule: {rule}"));
    };
    for (keyword, wanted) in rule {
        match keyword.as_str() {
            "$schema" | "$defs" | "title" | "description" | "default" | "examples" => {}
            "$ref" => {
                let pointer = wanted.as_str().and_then(|r| r.strip_prefix('#')).unwrap();
                validate(value, root.pointer(pointer).ok_or(format!("no {wanted}"))?, root)?;
            }
            "type" => {
                let all = match wanted {
                    Value::Array(all) => all.clone(),
                    one => vec![one.clone()],
                };
                if !all.iter().any(|one| has_type(value, one.as_str().unwrap())) {
                    return Err(format!("{value} is not of type {wanted}"));
                }
            }
            "const" if value != wanted => return Err(format!("{value} is not {wanted}")),
            "enum" if !wanted.as_array().unwrap().contains(value) => {
                return Err(format!("{value} is none of {wanted}"));
            }
            "const" | "enum" => {}
            "anyOf" | "oneOf" => {
                let results = wanted
                    .as_array()
                    .unwrap()
                    .iter()
                    .map(|one| validate(value, one, root));
                let (good, bad): (Vec<_>, Vec<_>) = results.partition(Result::is_ok);
                if good.is_empty() || keyword == "oneOf" && good.len() > 1 {
                    return Err(format!("{value}: {} of {keyword} fit; {bad:?}", good.len()));
                }
            }
            "minimum" => {
                if value.as_f64().is_some_and(|x| x < wanted.as_f64().unwrap()) {
                    return Err(format!("{value} is below {wanted}"));
                }
            }
            "minItems" | "maxItems" | "minProperties" | "maxProperties" => {
                let length = match (value, keyword.ends_with("Items")) {
                    (Value::Array(list), true) => list.len() as u64,
                    (Value::Object(object), false) => object.len() as u64,
                    _ => continue,
                };
                let limit = wanted.as_u64().unwrap();
                if if keyword.starts_with("min") {
                    length < limit
                } else {
                    length > limit
                } {
                    return Err(format!("{value} has {length} entries: {keyword} {limit}"));
                }
            }
            "items" => {
                for item in value.as_array().into_iter().flatten() {
                    validate(item, wanted, root)?;
                }
            }
            "required" => {
                for key in wanted.as_array().unwrap() {
                    if value
                        .as_object()
                        .is_some_and(|o| !o.contains_key(key.as_str().unwrap()))
                    {
                        return Err(format!("{key} is missing"));
                    }
                }
            }
            "properties" | "additionalProperties" => properties(value, rule, root)?,
            other => return Err(format!("the keyword {other} is not checked here")),
        }
    }
    Ok(())
}

fn properties(value: &Value, rule: &Map<String, Value>, root: &Value) -> Result<(), String> {
    let nothing = Map::new();
    let known = rule
        .get("properties")
        .map_or(&nothing, |p| p.as_object().unwrap());
    for (key, value) in value.as_object().into_iter().flatten() {
        match (known.get(key), rule.get("additionalProperties")) {
            (Some(rule), _) => validate(value, rule, root).map_err(|e| format!("{key}: {e}"))?,
            (None, Some(Value::Bool(false))) => return Err(format!("{key} is not known")),
            (None, Some(rule @ Value::Object(_))) => {
                validate(value, rule, root).map_err(|e| format!("{key}: {e}"))?;
            }
            (None, _) => {}
        }
    }
    Ok(())
}

fn has_type(value: &Value, name: &str) -> bool {
    match name {
        "number" => value.is_number(),
        "integer" => value.as_f64().is_some_and(|x| x.fract() == 0.0),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        other => panic!("type {other}"),
    }
}

/// A TOML text as JSON.
fn json(text: &str) -> Value {
    fn value(from: &toml::de::DeValue<'_>) -> Value {
        use toml::de::DeValue as V;
        match from {
            V::String(s) => json!(s.as_ref()),
            V::Integer(n) => json!(i64::from_str_radix(n.as_str(), n.radix()).unwrap()),
            V::Float(n) => json!(n.as_str().parse::<f64>().unwrap()),
            V::Boolean(b) => json!(b),
            V::Datetime(d) => json!({ "date": d.to_string() }),
            V::Array(list) => list.iter().map(|item| value(item.get_ref())).collect(),
            V::Table(t) => table(t),
        }
    }
    fn table(from: &toml::de::DeTable<'_>) -> Value {
        let entries = from
            .iter()
            .map(|(key, v)| (key.get_ref().to_string(), value(v.get_ref())));
        Value::Object(entries.collect())
    }
    table(toml::de::DeTable::parse(text).unwrap().get_ref())
}

fn texts(folder: &str) -> Vec<(String, String)> {
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(folder)];
    let mut found = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap().to_string();
            if path.is_dir() {
                folders.push(path);
            } else if name.ends_with(".toml") && name != "Cargo.toml" {
                found.push((name, std::fs::read_to_string(&path).unwrap_or_default()));
            }
        }
    }
    found
}

#[test]
fn accepts_what_is_shipped() {
    let schema = schema(&holonom_multibody::elements::Library::standard());
    let mut checked = 0;
    for folder in ["models", "apps/cli/templates"] {
        for (name, text) in texts(folder) {
            validate(&json(&text), &schema, &schema).unwrap_or_else(|e| panic!("{name}: {e}"));
            checked += 1;
        }
    }
    assert!(checked >= 17, "{checked}");
}

#[test]
fn refuses_broken_forms() {
    let schema = schema(&holonom_multibody::elements::Library::standard());
    let mut refused = 0;
    for (name, text) in texts("engine/format/tests/broken") {
        let of_form = [
            "key-",
            "type-",
            "setting-unknown",
            "setting-misspelt",
            "setting-flag",
            "format-",
        ]
        .iter()
        .any(|start| name.starts_with(start));
        // Two orientations, two ways to give inertia, dates: the schema does not tell.
        let beyond = ["key-marker-two-orientations", "key-solid-and-inertia"];
        if !of_form || beyond.iter().any(|start| name.starts_with(start)) {
            continue;
        }
        refused += 1;
        assert!(
            validate(&json(&text), &schema, &schema).is_err(),
            "{name} passes the schema"
        );
    }
    assert!(refused >= 35, "{refused}");
}
