//! The table of keys, the reader and the schema say the same.

use super::{EVERYTHING, problems, scene};
use crate::scene::grammar::{Presence, TableRule, ValueKind};
use crate::scene::{Scene, keys, node, schema};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// All tables of the format, by name.
fn tables() -> BTreeMap<&'static str, &'static TableRule> {
    fn visit_kind(kind: &'static ValueKind, found: &mut BTreeMap<&'static str, &'static TableRule>) {
        match kind {
            ValueKind::Table(table) | ValueKind::Tables(table) | ValueKind::Named(table) => visit(table, found),
            ValueKind::Either(kinds) => kinds.iter().for_each(|kind| visit_kind(kind, found)),
            _ => {}
        }
    }
    fn visit(table: &'static TableRule, found: &mut BTreeMap<&'static str, &'static TableRule>) {
        if let Some(other) = found.insert(table.name, table) {
            assert!(std::ptr::eq(other, table), "two tables are called {}", table.name);
            return;
        }
        table.keys.iter().for_each(|key| visit_kind(&key.kind, found));
    }
    let mut found = BTreeMap::new();
    visit(&keys::SCENE, &mut found);
    found
}

fn all_keys() -> BTreeSet<(&'static str, &'static str)> {
    tables().values().flat_map(|t| t.keys.iter().map(|k| (t.name, k.name))).collect()
}

#[test]
fn every_key_that_is_accepted_is_also_used() {
    problems(EVERYTHING);
    let ignored: Vec<_> = all_keys().difference(&node::asked::all()).copied().collect();
    assert_eq!(ignored, [], "accepted by the format, asked for by no one");
}

#[test]
fn the_schema_has_exactly_the_keys_that_are_accepted() {
    let schema: Value = serde_json::from_str(&schema()).unwrap();
    let mut in_schema = BTreeSet::new();
    for (name, table) in tables() {
        let definition = match name {
            "the scene" => &schema,
            _ => &schema["$defs"][name.replace(' ', "-")],
        };
        assert_eq!(definition["additionalProperties"], false, "{name}");
        for key in definition["properties"].as_object().unwrap().keys() {
            in_schema.insert((name.to_owned(), key.clone()));
        }
        let required: Vec<_> = definition["required"].as_array().unwrap().iter().map(|v| v.as_str().unwrap()).collect();
        let needed = table.keys.iter().filter(|k| matches!(k.needed, Presence::Always)).map(|k| k.name);
        assert_eq!(required, needed.collect::<Vec<_>>(), "{name}");
    }
    let accepted: BTreeSet<_> = all_keys().into_iter().map(|(t, k)| (t.to_owned(), k.to_owned())).collect();
    assert_eq!(in_schema, accepted);
    let definitions: Vec<_> = schema["$defs"].as_object().unwrap().keys().cloned().collect();
    assert_eq!(definitions.len() + 1, tables().len(), "{definitions:?}");
}

#[test]
fn the_scene_with_every_key_really_has_every_key() {
    for (table, key) in all_keys() {
        assert!(EVERYTHING.contains(key), "{key} of {table} is missing");
    }
}

#[test]
fn a_stated_default_is_what_leaving_the_key_out_means() {
    let plain = Scene::parse(&scene("", "", ""), "t").unwrap();
    let spell = |table: &'static str| {
        let keys = tables()[table].keys.iter();
        keys.filter_map(|k| match k.needed {
            Presence::Or(default) => Some(format!("{} = {default}\n", k.name)),
            _ => None,
        })
        .collect::<String>()
    };
    let top = format!("{}[motion]\n{}[quality]\n{}", spell("the scene"), spell("motion"), spell("quality"));
    let dilation = spell("a dilation").trim().replace('\n', ", ");
    let material = format!("{}bulge.dilation = {{ {dilation} }}\n", spell("a material"));
    let text = scene(&top, &format!("material = \"jelly\"\n{}", spell("a body")), &spell("a skeleton"))
        .replace("[materials.jelly]\n", &format!("[materials.jelly]\n{material}"))
        .replace("point = {}", &format!("point = {{ {} }}", spell("a point").trim()));
    assert_eq!(Scene::parse(&text, "t").unwrap_or_else(|e| panic!("{e}\n{text}")), plain);
}

#[test]
fn every_key_says_what_it_is() {
    for (name, table) in tables() {
        assert!(!table.doc.is_empty());
        for key in table.keys {
            assert!(!key.doc.is_empty(), "{name}.{}", key.name);
            if let Presence::Or(default) = key.needed {
                assert!(serde_json::from_str::<Value>(default).is_ok(), "{name}.{} = {default}", key.name);
            }
        }
    }
}
