//! Reads materials: names, defaults, bulges.

use super::choices::{BulgeKey, BulgeWord, HeightWord};
use super::error::{Problems, nearest};
use super::node::{Fields, Node, SceneValue};
use super::validate::short;
use crate::model::{Bulge, Height, Material, Response};
use std::collections::BTreeMap;

/// Tables of the scene's materials by name: their defaults depend on the body that uses them.
pub(super) type NamedMaterials<'a> = BTreeMap<&'a str, &'a Fields>;

/// The material of a body: one by name, one of its own, or the default of `response`.
pub(super) fn of_body(
    fields: &Fields,
    named: &NamedMaterials,
    response: Response,
    problems: &mut Problems,
) -> Material {
    match fields.get("material") {
        Some(Node { value: SceneValue::Table(table), .. }) => read(table, response, problems),
        Some(Node { span, value: SceneValue::Text(name) }) => match named.get(name.as_str()) {
            Some(table) => read(table, response, problems),
            None => {
                let message = format!("material \"{}\" is not defined", short(name));
                let remedy = problems.add(span, message);
                match nearest(name, named.keys().copied()) {
                    Some(near) => remedy.did_you_mean(Some(near)),
                    None => remedy.help(format!("add a table [materials.{}]", short(name))),
                };
                Material::of(response)
            }
        },
        Some(_) | None => Material::of(response),
    }
}

/// A material, with the defaults of `response`.
pub(super) fn read(fields: &Fields, response: Response, problems: &mut Problems) -> Material {
    let default = Material::of(response);
    Material {
        stiffness: fields.number_or("stiffness", default.stiffness),
        density: fields.number_or("density", default.density),
        damping: fields.number_or("damping", default.damping),
        friction: fields.number_or("friction", default.friction),
        compressibility: fields.number_or("compressibility", default.compressibility),
        bulge: match (fields.fields("bulge"), fields.choice("bulge")) {
            (Some(table), _) => bulge(table, problems),
            (None, Some(BulgeWord::None)) => Bulge::None,
            (None, None) => default.bulge,
        },
    }
}

fn bulge(fields: &Fields, problems: &mut Problems) -> Bulge {
    let Some((key, Node { value: SceneValue::Table(table), .. })) = fields.chosen() else { return Bulge::default() };
    match key {
        BulgeKey::Attenuated => Bulge::Attenuated { height: height(table), width: table.number("width").copied() },
        BulgeKey::Dilation => dilation(table, problems),
    }
}

fn dilation(table: &Fields, problems: &mut Problems) -> Bulge {
    let falloff = table.number_or("reach", 0.5);
    let middle = table.number("middle").copied();
    if let (Some(m), Some(node)) = (middle, table.get("middle"))
        && m <= 0.5 * falloff
    {
        let message = format!("middle {m} must be greater than half of reach {falloff}, where the bulge ends");
        problems.add(&node.span, message).help("the bulge is highest between reach/2 and 1");
    }
    let follows_motion = table.flag("follows_motion").copied().unwrap_or(false);
    Bulge::Dilation { height: height(table), falloff, middle, follows_motion }
}

fn height(fields: &Fields) -> Height {
    match (fields.number("height"), fields.choice("height")) {
        (Some(ratio), _) => Height::Ratio(*ratio),
        (None, Some(HeightWord::KeepVolume)) => Height::KeepVolume,
        (None, None) => Height::DEFAULT,
    }
}
