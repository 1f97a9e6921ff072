//! Bases of one's own move in a world as the built-in ones do.

use pliant::bodies::{AppliedWrench, BodyError, Fixed, Layer, LinkState, MotionLaw, NewBody, PointMass, Twist};
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
}

impl MotionLaw for Bead {
    fn state_at(&self, world_from_link: Frame, twist: Twist) -> LinkState {
        LinkState { velocity: DVec3::Z * twist.linear.z, ..LinkState::at_rest(world_from_link) }
    }
    fn world_from_link(&self, state: &LinkState) -> Frame {
        state.frame()
    }
    fn twist(&self, state: &LinkState) -> Twist {
        Twist { linear: state.velocity, angular: DVec3::ZERO }
    }
    fn mass(&self) -> Option<f64> {
        Some(self.mass)
    }
    fn inverse_effective_mass(&self, _: &LinkState, _: DVec3, direction: DVec3) -> f64 {
        direction.z * direction.z / self.mass
    }
    fn apply(&self, state: &mut LinkState, load: &AppliedWrench, dt: f64) {
        state.velocity.z += load.force.z * (dt / self.mass);
    }
    fn advance(&self, state: &mut LinkState, dt: f64, _: f64) {
        state.position += state.velocity * dt;
    }
    fn kinetic_energy(&self, state: &LinkState) -> f64 {
        0.5 * self.mass * state.velocity.length_squared()
    }
}

fn body(name: &str, motion_law: Arc<dyn MotionLaw>, at: DVec3, element: Element) -> NewBody {
    let material = Material { friction: 0.0, ..Material::SOFT };
    let coat = vec![Layer { shape: Arc::new(Shape::new(vec![element], 1.0)), material, rigid: false }];
    let start = motion_law.state_at(Frame::at(at), Twist::default());
    NewBody { name: name.to_owned(), motion_law, start, coat, rest_volume: f64::INFINITY }
}

fn kernel() -> Kernel {
    Kernel::linear(1.0, 0.1, 0.2).unwrap()
}

fn ball(name: &str, motion_law: Arc<dyn MotionLaw>, height: f64) -> NewBody {
    body(name, motion_law, DVec3::Z * height, Element::new(Point { at: DVec3::ZERO }.into(), kernel()))
}

fn ground(motion_law: Arc<dyn MotionLaw>) -> NewBody {
    let below = HalfSpace::new(DVec3::Z * -0.1, DVec3::Z).unwrap();
    body("ground", motion_law, DVec3::ZERO, Element::new(below.into(), kernel()))
}

/// Straight down nothing pushes sideways: a bead on a wire falls, lands and bounces as a point mass does.
#[test]
fn a_base_of_ones_own_moves_in_a_world() {
    let dropped = |motion_law: Arc<dyn MotionLaw>, height: f64| -> Result<World, AdvanceError> {
        let bodies = vec![ground(Arc::new(Fixed)), ball("ball", motion_law, height)];
        let mut world = World::from_bodies(bodies, MotionSettings::default()).unwrap();
        world.advance_to(0.5)?;
        Ok(world)
    };
    let bead = dropped(Arc::new(Bead { mass: 1.0 }), 0.2).unwrap();
    let mass = dropped(Arc::new(PointMass { mass: 1.0 }), 0.2).unwrap();
    assert_eq!(bead.stats().max_contacts, 1);
    let height = |w: &World| w.link(w.body_index("ball").unwrap()).center().z;
    assert!((height(&bead) - height(&mass)).abs() < 1e-9, "{} {}", height(&bead), height(&mass));
    let mut again = dropped(Arc::new(Bead { mass: 1.0 }), 0.3).unwrap();
    again.restore(&bead.snapshot()).unwrap();
    assert_eq!(height(&again), height(&bead));
}

#[test]
fn bodies_that_cannot_be_in_a_world_are_refused() {
    let bead = || Arc::new(Bead { mass: 1.0 });
    let world = |bodies: Vec<NewBody>| World::from_bodies(bodies, MotionSettings::default()).map(|_| ());
    let twins = world(vec![ball("twin", bead(), 0.2), ball("twin", bead(), 0.9)]);
    assert_eq!(twins, Err(BodyError::SameName("twin".into())));
    assert_eq!(world(vec![ground(bead())]), Err(BodyError::Unbounded("ground".into())));
    let bare = NewBody { coat: Vec::new(), ..ball("bare", bead(), 0.2) };
    assert_eq!(world(vec![bare]), Err(BodyError::Empty("bare".into())));
}

/// Numbers that a scene file is refused for are refused in code, too.
#[test]
fn bodies_with_numbers_that_cannot_be_are_refused() {
    let changed = |change: &dyn Fn(&mut NewBody)| {
        let mut body = ball("ball", Arc::new(PointMass { mass: 1.0 }), 0.2);
        change(&mut body);
        World::from_bodies(vec![body], MotionSettings::default()).map(|_| ())
    };
    assert_eq!(changed(&|_| ()), Ok(()));
    let stiffness = |k: f64| changed(&move |b| b.coat[0].material.stiffness = k);
    for (what, refused) in [
        ("stiffness", stiffness(f64::NAN)),
        ("stiffness", stiffness(0.0)),
        ("stiffness", stiffness(-1.0)),
        ("friction", changed(&|b| b.coat[0].material.friction = f64::NAN)),
        ("mass", changed(&|b| b.motion_law = Arc::new(PointMass { mass: -1.0 }))),
        ("start", changed(&|b| b.start.position.x = f64::INFINITY)),
        ("rotation", changed(&|b| b.start.rotation.w = 3.0)),
    ] {
        let error = refused.unwrap_err();
        let named = matches!(&error, BodyError::OutOfRange { name, .. } if name == "ball");
        assert!(named && error.to_string().contains(what), "{what}: {error}");
    }
}
