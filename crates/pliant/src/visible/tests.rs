//! The deformed field at many points at once.

use super::collider::{BulgeSource, Collider};
use super::deformed::Deformed;
use crate::fields::skeleton::Point;
use crate::fields::{Element, Field, Kernel, Points, Posed, Samples, Shape};
use crate::math::{DVec3, Frame};
use crate::model::{Bulge, Height};

/// Flesh with a bone, and a third body, around a soft ball: fewer points than lanes take, and more than a grid does.
#[test]
fn many_points_of_a_deformed_body_are_the_same_as_one_by_one() {
    let kernel = |t: f64| Kernel::linear(1.0, t, 2.0 * t).unwrap();
    let ball = |t: f64| Shape::new(vec![Element::new(Point { at: DVec3::ZERO }.into(), kernel(t))], 1.0);
    let (flesh, bone) = (ball(0.1), ball(0.06));
    let place = |shape, at| Posed::rigid(shape, Frame::at(at));
    let collider = |body: usize, field, rigid: bool| {
        let sources =
            vec![BulgeSource { center: DVec3::Z * 0.05, compression: 0.2, height: 0.05 }; usize::from(!rigid)];
        Collider { body, field, ratio: 2.0, rigid, velocity: DVec3::X, sources }
    };
    let colliders = vec![
        collider(1, place(&flesh, DVec3::Z * 0.14), false),
        collider(1, place(&bone, DVec3::Z * 0.14), true),
        collider(2, place(&flesh, DVec3::X * 0.17), false),
    ];
    let bulges = [
        Bulge::None,
        Bulge::Dilation { height: Height::DEFAULT, falloff: 0.5, middle: None, follows_motion: true },
        Bulge::Attenuated { height: Height::DEFAULT, width: None },
    ];
    for bulge in bulges {
        let field = Deformed { field: place(&flesh, DVec3::ZERO), bulge, colliders: colliders.clone() };
        for count in [3, 40, 1000] {
            let at = |i: i32| {
                0.2 * DVec3::new((1.3 * f64::from(i)).sin(), (0.7 * f64::from(i)).cos(), (0.37 * f64::from(i)).sin())
            };
            let points: Points = (0..count).map(at).collect();
            let mut samples = Samples::default();
            field.samples_many(&points, &mut samples);
            for i in 0..points.len() {
                let one = field.sample(points.get(i));
                assert_eq!(samples.get(i), one, "{bulge:?} at {}", points.get(i));
                assert_eq!(field.value(points.get(i)), one.value);
            }
        }
    }
}
