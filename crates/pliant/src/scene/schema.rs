//! The scene format as JSON Schema (draft 2020-12), for editors: completion, hover texts, red underlines.

use super::grammar::{KeyRule, NumberRange, Presence, TableRule, ValueKind};
use super::keys;
use serde_json::{Map, Value, json};

/// The schema, as text to be saved beside scenes.
///
/// It describes form: keys, types, ranges of numbers without a unit. Rules between keys are left to
/// [`Scene::parse`](super::Scene::parse).
pub fn schema() -> String {
    let mut definitions = Map::new();
    let mut root = table(&keys::SCENE, &mut definitions);
    if let Some(root) = root.as_object_mut() {
        root.insert("$schema".to_owned(), json!("https://json-schema.org/draft/2020-12/schema"));
        root.insert("title".to_owned(), json!("Pliant scene"));
        root.insert("$defs".to_owned(), Value::Object(definitions));
    }
    format!("{root:#}")
}

/// `#/$defs/a-body`: tables are written once, however often they are used.
fn reference(of: &'static TableRule, definitions: &mut Map<String, Value>) -> Value {
    let name = of.name.replace(' ', "-");
    if !definitions.contains_key(&name) {
        definitions.insert(name.clone(), Value::Null);
        let definition = table(of, definitions);
        definitions.insert(name.clone(), definition);
    }
    json!({ "$ref": format!("#/$defs/{name}") })
}

fn table(table: &'static TableRule, definitions: &mut Map<String, Value>) -> Value {
    let mut properties = Map::new();
    for key in table.keys {
        properties.insert(key.name.to_owned(), property(key, definitions));
    }
    let required: Vec<_> = table.keys.iter().filter(|k| matches!(k.needed, Presence::Always)).map(|k| k.name).collect();
    let mut schema = json!({
        "description": table.doc,
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    });
    if !table.one_of.is_empty() {
        schema["oneOf"] = table.one_of.iter().map(|name| json!({ "required": [name] })).collect();
    }
    schema
}

fn property(key: &'static KeyRule, definitions: &mut Map<String, Value>) -> Value {
    let mut schema = kind(&key.kind, definitions);
    let unit = match &key.kind {
        ValueKind::Number(quantity, range) => format!(" ({}; {})", quantity.expected(), range.words()),
        _ => String::new(),
    };
    schema["description"] = json!(format!("{}{unit}", key.doc));
    if let Presence::Or(default) = key.needed
        && let Ok(default) = serde_json::from_str::<Value>(default)
    {
        schema["default"] = default;
    }
    schema
}

fn kind(of: &'static ValueKind, definitions: &mut Map<String, Value>) -> Value {
    match of {
        ValueKind::Text => json!({ "type": "string", "minLength": 1, "maxLength": 200 }),
        ValueKind::Flag => json!({ "type": "boolean" }),
        ValueKind::Choice(words) => json!({ "enum": words }),
        ValueKind::Whole(least, most) => json!({ "type": "integer", "minimum": least, "maximum": most }),
        ValueKind::Counts(least, most) => list(json!({ "type": "integer", "minimum": least, "maximum": most }), 3, 3),
        ValueKind::Number(_, range) => number(*range),
        ValueKind::Vector(_) => list(number(NumberRange::ANY), 3, 3),
        ValueKind::Quaternion => list(number(NumberRange::ANY), 4, 4),
        ValueKind::Points(least, most) => list(list(number(NumberRange::ANY), 3, 3), *least, *most),
        ValueKind::Grid => list(list(list(number(NumberRange::ANY), 3, 3), 4, 4), 4, 4),
        ValueKind::Triangles => list(list(json!({ "type": "integer", "minimum": 0, "maximum": u32::MAX }), 3, 3), 1, 0),
        ValueKind::Rows(..) => list(list(number(NumberRange::NOT_NEGATIVE), 2, 2), 2, 0),
        ValueKind::Table(table) => reference(table, definitions),
        ValueKind::Tables(table) => list(reference(table, definitions), 1, 0),
        ValueKind::Named(table) => json!({ "type": "object", "additionalProperties": reference(table, definitions) }),
        ValueKind::Either(kinds) => {
            let any: Vec<_> = kinds.iter().map(|k| kind(k, definitions)).collect();
            json!({ "anyOf": any })
        }
    }
}

/// A list of at least `least` and, unless zero, at most `most` items.
fn list(items: Value, least: usize, most: usize) -> Value {
    let mut schema = json!({ "type": "array", "items": items, "minItems": least });
    if most > 0 {
        schema["maxItems"] = json!(most);
    }
    schema
}

/// A number in SI units, or text that begins with a number.
fn number(range: NumberRange) -> Value {
    json!({ "anyOf": [
        { "type": "number", "minimum": range.least, "maximum": range.most },
        { "type": "string", "pattern": r"^\s*[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?\s*\S*" },
    ] })
}
