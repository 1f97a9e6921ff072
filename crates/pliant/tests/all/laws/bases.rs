//! Bases of one's own move in a world as the built-in ones do.

use pliant::bodies::{Base, Body, BodyError, Fixed, Layer, Load, PointMass, Twist};
use pliant::fields::skeleton::{HalfSpace, Point};
use pliant::fields::{Element, Kernel, Shape};
use pliant::math::{DVec3, Frame};
use pliant::model::{Material, MotionSettings};
use pliant::{AdvanceError, World};
use std::sync::Arc;

/// A bead on an upright wire.
#[derive(Debug)]
struct Bead {
    mass: f64,
    height: f64,
    speed: f64,
}

impl Base for Bead {
    fn world_from_body(&self) -> Frame {
        Frame::at(self.center())
    }
    fn center(&self) -> DVec3 {
        DVec3::Z * self.height
    }
    fn twist(&self) -> Twist {
        Twist { linear: DVec3::Z * self.speed, angular: DVec3::ZERO }
    }
    fn mass(&self) -> Option<f64> {
        Some(self.mass)
    }
    fn mobility(&self, _: DVec3, direction: DVec3) -> f64 {
        direction.z * direction.z / self.mass
    }
    fn push(&mut self, load: &Load, dt: f64) {
        self.speed += load.force.z * (dt / self.mass);
    }
    fn advance(&mut self, dt: f64, _: f64) {
        self.height += self.speed * dt;
    }
    fn kinetic_energy(&self) -> f64 {
        0.5 * self.mass * self.speed * self.speed
    }
    fn save(&self, state: &mut Vec<f64>) {
        state.extend([self.height, self.speed]);
    }
    fn restore(&mut self, state: &[f64]) -> usize {
        (self.height, self.speed) = (state[0], state[1]);
        2
    }
}

fn body(name: &str, base: Box<dyn Base>, element: Element) -> Body {
    let material = Material { friction: 0.0, ..Material::SOFT };
    let shape = Arc::new(Shape::new(vec![element], 1.0));
    let layers = vec![Layer { shape, stiffness: material.stiffness, rigid: false }];
    Body { name: name.to_owned(), base, layers, material, rest_volume: f64::INFINITY }
}

fn kernel() -> Kernel {
    Kernel::linear(1.0, 0.1, 0.2).unwrap()
}

fn ball(name: &str, base: Box<dyn Base>) -> Body {
    body(name, base, Element::new(Point { at: DVec3::ZERO }.into(), kernel()))
}

fn ground(base: Box<dyn Base>) -> Body {
    let below = HalfSpace::new(DVec3::Z * -0.1, DVec3::Z).unwrap();
    body("ground", base, Element::new(below.into(), kernel()))
}

/// Straight down nothing pushes sideways: a bead on a wire falls, lands and bounces as a point mass does.
#[test]
fn a_base_of_ones_own_moves_in_a_world() {
    let dropped = |base: Box<dyn Base>| -> Result<World, AdvanceError> {
        let bodies = vec![ground(Box::new(Fixed(Frame::IDENTITY))), ball("ball", base)];
        let mut world = World::from_bodies(bodies, MotionSettings::default()).unwrap();
        world.advance_to(0.5)?;
        Ok(world)
    };
    let bead = dropped(Box::new(Bead { mass: 1.0, height: 0.2, speed: 0.0 })).unwrap();
    let mass = dropped(Box::new(PointMass::new(1.0, Frame::at(DVec3::Z * 0.2), DVec3::ZERO))).unwrap();
    assert_eq!(bead.most_contacts(), 1);
    let height = |w: &World| w.bodies()[1].base.center().z;
    assert!((height(&bead) - height(&mass)).abs() < 1e-9, "{} {}", height(&bead), height(&mass));
    let mut again = dropped(Box::new(Bead { mass: 1.0, height: 0.3, speed: 0.0 })).unwrap();
    again.restore(&bead.snapshot()).unwrap();
    assert_eq!(height(&again), height(&bead));
}

#[test]
fn bodies_that_cannot_be_in_a_world_are_refused() {
    let bead = || Box::new(Bead { mass: 1.0, height: 0.2, speed: 0.0 });
    let world = |bodies: Vec<Body>| World::from_bodies(bodies, MotionSettings::default()).map(|_| ());
    let twins = world(vec![ball("twin", bead()), ball("twin", bead())]);
    assert_eq!(twins, Err(BodyError::SameName("twin".into())));
    assert_eq!(world(vec![ground(bead())]), Err(BodyError::Unbounded("ground".into())));
    let bare = Body { layers: Vec::new(), ..ball("bare", bead()) };
    assert_eq!(world(vec![bare]), Err(BodyError::Empty("bare".into())));
}
