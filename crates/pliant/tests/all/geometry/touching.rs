//! Meshes of bodies that touch, in every shipped scene.

use pliant::World;
use pliant::fields::Field;
use pliant::model::Scene;
use pliant::surface::mesh_of;

/// How far vertices may be off, in field units and in metres.
const OFF: f64 = 1e-6;

/// Runs a scene until something touches, and then a little on; meshes all bodies that do.
fn meshes_are_sound(name: &str, moments: &[f64]) {
    let path = format!("{}/../../scenes/{name}.toml", env!("CARGO_MANIFEST_DIR"));
    let mut world = World::new(&Scene::load(&path).unwrap()).unwrap();
    let mut touched = 0;
    for time in moments {
        world.advance_to(*time).unwrap();
        let mut bodies: Vec<usize> = world.contacts().iter().flat_map(|c| [c.pair.a.body, c.pair.b.body]).collect();
        bodies.sort_unstable();
        bodies.dedup();
        for &i in bodies.iter().filter(|i| world.bounds(**i).is_finite()).take(12) {
            touched += 1;
            let body = &world.bodies()[i];
            let mesh = mesh_of(&world, i, world.bounds(i).size().max_element() / 40.0).unwrap();
            let (at, faults) = (format!("{name}, {} at {time} s", body.name), mesh.check());
            assert!(faults.is_sound(), "{at}: {faults:?}");
            let own = world.deformed(i);
            let off = mesh.positions.iter().map(|p| (own.value(*p) - body.coat[0].shape.iso()).abs());
            let off = off.fold(0.0, f64::max);
            assert!(off <= OFF, "{at}: off by {off:.1e}");
            let others = world.contacts().iter().filter_map(|c| match (c.pair.a.body == i, c.pair.b.body == i) {
                (true, _) => Some(c.pair.b.body),
                (_, true) => Some(c.pair.a.body),
                _ => None,
            });
            for j in others {
                if body.coat[0].rigid && world.bodies()[j].coat[0].rigid {
                    continue;
                }
                let (other, iso) = (world.deformed(j), world.bodies()[j].coat[0].shape.iso());
                let depth = mesh.positions.iter().map(|p| {
                    let s = other.sample(*p);
                    (s.value - iso) / s.gradient.length().max(f64::MIN_POSITIVE)
                });
                let depth = depth.fold(f64::NEG_INFINITY, f64::max);
                assert!(depth <= OFF, "{at}: {depth:.1e} m inside {}", world.bodies()[j].name);
            }
        }
    }
    assert!(touched > 0, "{name}: nothing touched at {moments:?}");
}

#[test]
fn two_balls() {
    meshes_are_sound("two-balls", &[0.444, 0.446, 1.076]);
}

#[test]
fn clover_on_stairs() {
    meshes_are_sound("clover-on-stairs", &[0.3, 0.6]);
}

#[test]
fn equilibrium() {
    meshes_are_sound("equilibrium", &[0.1, 0.2]);
}

#[test]
fn three_solids() {
    meshes_are_sound("three-solids", &[0.12, 0.15, 0.18]);
}

#[test]
fn simply_implicit() {
    meshes_are_sound("simply-implicit", &[0.25, 1.0]);
}

#[test]
fn pool() {
    meshes_are_sound("pool", &[0.1, 0.4, 0.7]);
}

#[test]
fn slope() {
    meshes_are_sound("slope", &[0.05]);
}

#[test]
fn hundred_balls() {
    meshes_are_sound("hundred-balls", &[0.06, 0.1]);
}
