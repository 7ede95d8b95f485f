//! The JSON Schema of the model file, from the same registries and field lists that read it.

use crate::read::VERSION;
use crate::read::syntax::{HINTS, ORIENTATIONS, TABLES};
use crate::settings::{SETTINGS, SettingKind};
use holonom_multibody::description::fields::{Need, Noted, Sort, note};
use holonom_multibody::description::{Body, Joint, Path, Road, Rod, SHAPES, Shape, StartHint, Track};
use holonom_multibody::elements::Library;
use holonom_multibody::elements::joints::JOINTS;
use holonom_multibody::path::PATHS;
use holonom_multibody::road::ROADS;
use serde_json::{Map, Value, json};

/// The JSON Schema (draft 2020-12) of model files that name kinds of a library.
///
/// ```
/// use holonom_multibody::elements::Library;
/// let schema = holonom_format::schema(&Library::standard());
/// assert_eq!(schema["properties"]["model"]["properties"]["format"]["const"], 1);
/// ```
pub fn schema(library: &Library) -> Value {
    let mut properties = Map::new();
    for table in TABLES {
        properties.insert(table.to_string(), part(table, library));
    }
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Holonom model file",
        "type": "object",
        "required": ["model"],
        "additionalProperties": false,
        "properties": properties,
        "$defs": {
            "number": {
                "description": "A number in SI units, a quantity with a unit such as \"12 mm\", or an expression of parameters.",
                "type": ["number", "string"],
            },
            "function": {
                "description": "A number, or an expression of parameters, inputs and the time t.",
                "type": ["number", "string"],
            },
            "vector": { "type": "array", "items": number(), "minItems": 3, "maxItems": 3 },
            "frame": frame(),
        },
    })
}

fn number() -> Value {
    json!({ "$ref": "#/$defs/number" })
}

fn function() -> Value {
    json!({ "$ref": "#/$defs/function" })
}

fn vector() -> Value {
    json!({ "$ref": "#/$defs/vector" })
}

fn text(doc: &str) -> Value {
    json!({ "type": "string", "description": doc })
}

/// A marker: a position, or a table with an orientation.
fn frame() -> Value {
    let mut properties = Map::from_iter([("position".to_string(), vector())]);
    for key in ORIENTATIONS {
        properties.insert(key.to_string(), orientation(key));
    }
    json!({ "anyOf": [
        vector(),
        { "type": "object", "additionalProperties": false, "properties": properties },
    ]})
}

fn orientation(key: &str) -> Value {
    match key {
        "cardan" | "z_axis" => vector(),
        "quaternion" => json!({ "type": "array", "items": number(), "minItems": 4, "maxItems": 4 }),
        _ => json!({ "type": "array", "items": vector(), "minItems": 3, "maxItems": 3 }),
    }
}

/// An object with these properties and no others.
fn object(properties: Map<String, Value>, required: &[&str]) -> Value {
    json!({
        "type": "object",
        "additionalProperties": false,
        "properties": properties,
        "required": required,
    })
}

fn list_of(items: Value) -> Value {
    json!({ "type": "array", "items": items })
}

fn part(table: &str, library: &Library) -> Value {
    match table {
        "model" => object(
            Map::from_iter([
                ("format".to_string(), json!({ "const": VERSION })),
                ("name".to_string(), text("Name of the mechanism.")),
                ("description".to_string(), text("What it is.")),
                ("source".to_string(), text("Source of the data.")),
                ("gravity".to_string(), vector()),
            ]),
            &["format", "name"],
        ),
        "parameters" => json!({
            "type": "object",
            "additionalProperties": { "anyOf": [
                number(),
                { "type": "object", "additionalProperties": false, "required": ["value"],
                  "properties": { "value": number(), "description": { "type": "string" } } },
            ]},
        }),
        "table" => {
            let numbers = json!({ "type": "array", "items": number(), "minItems": 2 });
            list_of(object(
                Map::from_iter([
                    ("name".to_string(), text("Name, callable in expressions.")),
                    ("file".to_string(), text("CSV file, relative to this one.")),
                    (
                        "columns".to_string(),
                        json!({ "type": "array", "items": { "type": ["string", "integer"] }, "minItems": 2, "maxItems": 2 }),
                    ),
                    ("x".to_string(), numbers.clone()),
                    ("y".to_string(), numbers),
                    (
                        "interpolation".to_string(),
                        json!({ "enum": ["linear", "spline", "monotone"] }),
                    ),
                    (
                        "extrapolation".to_string(),
                        json!({ "enum": ["hold", "linear", "refuse"] }),
                    ),
                ]),
                &["name"],
            ))
        }
        "include" => {
            let mut properties = Map::from_iter([
                (
                    "file".to_string(),
                    text("Model file or URDF, relative to this one."),
                ),
                ("prefix".to_string(), text("Put before all its names.")),
                ("on".to_string(), text("Frame that its ground becomes.")),
                ("position".to_string(), vector()),
                ("mirror".to_string(), json!({ "enum": ["x", "y", "z"] })),
                (
                    "base".to_string(),
                    json!({ "enum": ["fixed", "free"], "description": "How the root link of a URDF file is held." }),
                ),
                (
                    "strict".to_string(),
                    json!({ "type": "boolean", "description": "Refuse URDF files that depart from the specification." }),
                ),
                (
                    "damping".to_string(),
                    json!({ "type": "boolean", "description": "Dampers from a URDF file." }),
                ),
                (
                    "friction".to_string(),
                    json!({ "type": "boolean", "description": "Coulomb friction from a URDF file." }),
                ),
                (
                    "limits".to_string(),
                    json!({ "type": "boolean", "description": "End stops from a URDF file." }),
                ),
                (
                    "parameters".to_string(),
                    json!({ "type": "object", "additionalProperties": number() }),
                ),
            ]);
            for key in ORIENTATIONS {
                properties.insert(key.to_string(), orientation(key));
            }
            list_of(object(properties, &["file"]))
        }
        "ground" => object(Map::from_iter([("markers".to_string(), markers())]), &[]),
        "body" => list_of(body()),
        "joint" => {
            list_of(json!({ "oneOf": JOINTS.iter().map(|info| joint(info.name)).collect::<Vec<_>>() }))
        }
        "constraint" => {
            let kinds = library.constraints().map(|info| {
                let fields = note(|v| (info.template)().fields(v));
                element(info.name, info.doc, &fields, Map::new())
            });
            list_of(json!({ "oneOf": kinds.collect::<Vec<_>>() }))
        }
        "rod" => {
            let fields = note(|v| Rod::new("", "", "", 0.0).fields(v));
            let (mut properties, mut required) = described(&fields);
            properties.insert("name".to_string(), text("Name."));
            required.push("name");
            list_of(object(properties, &required))
        }
        "start" => {
            let fields = note(|v| StartHint::new("").fields(v));
            let (mut properties, required) = described(&fields);
            for key in ["position", "velocity", "angular_velocity"] {
                properties.insert(key.to_string(), vector());
            }
            for key in ORIENTATIONS {
                properties.insert(key.to_string(), orientation(key));
            }
            list_of(object(properties, &required))
        }
        "shape" => {
            let kinds = SHAPES.iter().map(|info| {
                let fields = note(|v| Shape::new("", (info.template)()).fields(v));
                let (mut properties, mut required) = described(&fields);
                let kind = json!({ "const": info.name, "description": info.doc });
                properties.insert("kind".to_string(), kind);
                properties.insert("position".to_string(), vector());
                for key in ORIENTATIONS {
                    properties.insert(key.to_string(), orientation(key));
                }
                required.push("kind");
                object(properties, &required)
            });
            list_of(json!({ "oneOf": kinds.collect::<Vec<_>>() }))
        }
        "force" => {
            let kinds = library.forces().filter(|info| info.in_files).map(|info| {
                let fields = note(|v| (info.template)().fields(v));
                element(info.name, info.doc, &fields, Map::new())
            });
            list_of(json!({ "oneOf": kinds.collect::<Vec<_>>() }))
        }
        "road" => {
            let kinds = ROADS.iter().map(|info| {
                let fields = note(|v| Road::new("", (info.template)()).fields(v));
                element(info.name, info.doc, &fields, Map::new())
            });
            list_of(json!({ "oneOf": kinds.collect::<Vec<_>>() }))
        }
        "control" => {
            let kinds = library.controls().filter(|info| info.in_files).map(|info| {
                let fields = note(|v| (info.template)().fields(v));
                element(info.name, info.doc, &fields, Map::new())
            });
            list_of(json!({ "oneOf": kinds.collect::<Vec<_>>() }))
        }
        "track" => {
            let fields = note(|v| Track::new("", "").fields(v));
            let (mut properties, mut required) = described(&fields);
            properties.insert("name".to_string(), text("Name."));
            required.push("name");
            list_of(object(properties, &required))
        }
        "path" => {
            let kinds = PATHS.iter().map(|info| {
                let fields = note(|v| Path::new("", (info.template)()).fields(v));
                element(info.name, info.doc, &fields, Map::new())
            });
            list_of(json!({ "oneOf": kinds.collect::<Vec<_>>() }))
        }
        "input" => list_of(object(
            Map::from_iter([
                ("name".to_string(), text("Name, usable in expressions of t.")),
                ("unit".to_string(), text("Unit of its value.")),
                ("expression".to_string(), function()),
                (
                    "live".to_string(),
                    json!({ "const": false, "description": "Inputs that receive values during a run are not supported yet." }),
                ),
            ]),
            &["name", "expression"],
        )),
        "output" => list_of(object(
            Map::from_iter([(
                "channels".to_string(),
                json!({ "type": "array", "items": { "type": "string" } }),
            )]),
            &["channels"],
        )),
        _ => simulation(),
    }
}

fn markers() -> Value {
    json!({ "type": "object", "additionalProperties": { "$ref": "#/$defs/frame" } })
}

fn body() -> Value {
    let (mut properties, mut required) = described(&note(|v| Body::new("", 0.0).fields(v)));
    properties.insert("name".to_string(), text("Name."));
    properties.insert("markers".to_string(), markers());
    let cylinder = object(
        Map::from_iter([("radius".to_string(), number()), ("length".to_string(), number())]),
        &["radius", "length"],
    );
    properties.insert(
        "solid".to_string(),
        json!({
            "description": "A homogeneous solid: its moments of inertia.",
            "type": "object",
            "additionalProperties": false,
            "minProperties": 1,
            "maxProperties": 1,
            "properties": {
                "ball": number(),
                "box": vector(),
                "cylinder": cylinder,
                "thin_rod": vector(),
                "planar": number(),
            },
        }),
    );
    required.push("name");
    object(properties, &required)
}

fn joint(name: &str) -> Value {
    let Some(info) = JOINTS.iter().find(|info| info.name == name) else {
        return Value::Null;
    };
    let fields = note(|v| Joint::new("", (info.template)(), "", "").fields(v));
    let mut special = Map::new();
    special.insert("hint".to_string(), json!({ "enum": HINTS.map(|(name, _)| name) }));
    for coordinate in info.coordinates {
        let start = json!({ "anyOf": [
            number(),
            object(
                Map::from_iter([
                    ("start".to_string(), number()),
                    ("velocity".to_string(), number()),
                    ("locked".to_string(), json!({ "type": "boolean" })),
                    (
                        "fixed".to_string(),
                        json!({ "anyOf": [
                            { "type": "boolean" },
                            list_of(json!({ "enum": ["start", "velocity"] })),
                        ], "description": "Initial values that must not change; assembly fails if it cannot keep them." }),
                    ),
                    ("follows".to_string(), function()),
                ]),
                &[],
            ),
        ], "description": format!("Start [{}], velocity, lock or prescribed motion.", coordinate.unit) });
        special.insert(coordinate.name.to_string(), start);
    }
    if info.has_orientation {
        let angles = object(Map::from_iter([("cardan".to_string(), vector())]), &["cardan"]);
        let start = json!({ "anyOf": [orientation("quaternion"), angles] });
        special.insert("orientation".to_string(), start);
        special.insert("angular_velocity".to_string(), vector());
        for key in [
            "orientation_locked",
            "orientation_fixed",
            "angular_velocity_fixed",
        ] {
            special.insert(key.to_string(), json!({ "type": "boolean" }));
        }
    }
    element(info.name, info.doc, &fields, special)
}

/// An element with name and kind.
fn element(kind: &str, doc: &str, fields: &[Noted], special: Map<String, Value>) -> Value {
    let (mut properties, mut required) = described(fields);
    properties.insert("name".to_string(), text("Name."));
    properties.insert("kind".to_string(), json!({ "const": kind, "description": doc }));
    properties.extend(special);
    required.extend(["name", "kind"]);
    object(properties, &required)
}

fn described(fields: &[Noted]) -> (Map<String, Value>, Vec<&'static str>) {
    let mut properties = Map::new();
    let mut required = Vec::new();
    for noted in fields {
        let field = &noted.field;
        let mut value = sort(&noted.sort);
        let doc = match field.unit {
            "" => field.doc.to_string(),
            unit => format!("{} [{unit}]", field.doc),
        };
        value["description"] = json!(doc);
        properties.insert(field.name.to_string(), value);
        if field.need == Need::Required {
            required.push(field.name);
        }
    }
    (properties, required)
}

fn sort(sort: &Sort) -> Value {
    match sort {
        Sort::Number => number(),
        Sort::Vector => vector(),
        Sort::Symmetric => json!({ "anyOf": [
            { "type": "array", "items": number(), "minItems": 3, "maxItems": 3 },
            { "type": "array", "items": number(), "minItems": 6, "maxItems": 6 },
        ]}),
        Sort::Signal | Sort::Expression(_) => function(),
        Sort::Matrix => json!({ "anyOf": [
            { "type": "array", "items": number(), "minItems": 6, "maxItems": 6 },
            {
                "type": "array",
                "items": { "type": "array", "items": number(), "minItems": 6, "maxItems": 6 },
                "minItems": 6,
                "maxItems": 6
            },
        ]}),
        Sort::Signals | Sort::Expressions(_) => {
            json!({ "type": "array", "items": function(), "minItems": 3, "maxItems": 3 })
        }
        Sort::Frame | Sort::Coordinate | Sort::Road | Sort::Path | Sort::Constraint => {
            json!({ "type": "string" })
        }
        Sort::Document => json!({ "anyOf": [
            { "type": "string" },
            { "type": "object", "additionalProperties": false, "required": ["text"],
              "properties": { "text": { "type": "string" } } },
        ]}),
        Sort::Terms => json!({ "type": "object", "additionalProperties": number() }),
        Sort::Flag => json!({ "type": "boolean" }),
        Sort::Choice(names) => json!({ "enum": names }),
        Sort::Numbers => json!({ "type": "array", "items": number() }),
        Sort::Frames => json!({ "type": "array", "items": { "type": "string" } }),
        Sort::Points => list_of(vector()),
        Sort::Channel | Sort::Text => json!({ "type": "string" }),
    }
}

fn simulation() -> Value {
    let properties = SETTINGS.iter().map(|info| {
        let mut value = match info.kind {
            SettingKind::Number(_) => number(),
            SettingKind::Count => json!({ "type": "integer", "minimum": 0 }),
            SettingKind::Flag => json!({ "type": "boolean" }),
            SettingKind::Choice(names) => json!({ "enum": names() }),
            SettingKind::Names(words) => json!({ "anyOf": [
                { "enum": words() },
                { "type": "array", "items": { "type": "string" } },
            ]}),
        };
        value["description"] = json!(info.help());
        (info.name.to_string(), value)
    });
    object(properties.collect(), &[])
}
