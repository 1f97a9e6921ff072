//! Contact points in lanes against the law point by point, and passivity against closed forms.

use super::passivity::remove_energy;
use super::predict::predict;
use super::solver::{Constraint, ConstraintBodies, ContactPoints, PatchStep, PointPack, StepRelativeMotion, ThetaStep};
use crate::bodies::{LinkId, NewBody, Twist};
use crate::contact::{ContactLaw, Patch, RelativeMotion, ShearState};
use crate::math::{DVec3, Frame, Random};
use crate::model::{BodySpec, Material, MotionSettings, MotionSpec, Response};
use crate::motion::stats::StepStats;
use crate::motion::stepper::Stepper;
use crate::state::{Derived, Model, Sim, SleepState, State};

fn ball(name: &str, at: DVec3) -> BodySpec {
    use crate::fields::{Element, Kernel, Profile, Skeleton, skeleton::Point};
    let kernel = Kernel::new(Profile::Linear, 1.0, (0.1, 10.0, 0.2)).unwrap();
    BodySpec {
        name: name.to_owned(),
        material: Material::SOFT,
        response: Response::Soft,
        motion: MotionSpec::Rigid { mass: Some(1.0) },
        placement: Frame::at(at),
        velocity: DVec3::ZERO,
        angular_velocity: DVec3::ZERO,
        elements: vec![Element::new(Skeleton::Point(Point { at: DVec3::ZERO }), kernel)],
        core: Vec::new(),
    }
}

/// A simulation of bodies that touch, without gravity.
struct Bodies {
    model: Model,
    state: State,
    derived: Derived,
}

impl Bodies {
    fn new(specs: &[BodySpec]) -> Self {
        let new = |b| NewBody::from_spec(b, 1.0, &mut Vec::new()).unwrap();
        let (mut model, links) = Model::new(specs.iter().map(new).collect(), MotionSettings::default());
        model.gravity = DVec3::ZERO;
        let mut state = State::new(&model, links);
        let mut derived = Derived::default();
        derived.find(&model, &mut state, None);
        crate::motion::update_forces(&model, &state, &mut derived);
        Self { model, state, derived }
    }

    fn sim(&self) -> Sim<'_> {
        Sim { model: &self.model, state: &self.state, derived: &self.derived }
    }

    fn kinetic_energy(&self) -> f64 {
        LinkId::first(2).map(|i| self.sim().link(i).kinetic_energy()).sum()
    }
}

struct PatchAt<'a> {
    patch: &'a Patch,
    shear: ShearState,
    relative: StepRelativeMotion,
}

/// Impulses of elastic pressure, of damping and of friction of a patch at a motion, with their moments, point by point.
fn point_by_point(at: &PatchAt, [velocity, spin]: [DVec3; 2]) -> [[DVec3; 2]; 3] {
    let PatchAt { patch, shear, relative } = *at;
    let ThetaStep { dt, theta } = relative.theta_step;
    let (implicit_dt, explicit_dt) = (theta * dt, (1.0 - theta) * dt);
    let ContactLaw { damping, friction, slip_length } = relative.after.law;
    let growth = patch.slope_growth();
    let shear_per_speed = (implicit_dt + patch.settling_time(&relative.after)) / slip_length;
    let mut sums = [[DVec3::ZERO; 2]; 3];
    for p in &patch.points {
        let arm = p.position - patch.reference;
        let parted = |[v, w]: [DVec3; 2]| {
            let v = v + w.cross(arm);
            (v.dot(p.normal), v.reject_from_normalized(p.normal))
        };
        let (was, had_slid) = parted(relative.before);
        let (is, _) = parted([relative.after.velocity, relative.after.spin]);
        let (parting, sliding) = parted([velocity, spin]);
        let linearised_at = if relative.moved { is } else { -explicit_dt / implicit_dt * was };
        // Distance deeper than where the patch was found.
        let deeper = implicit_dt * (linearised_at - parting);
        let grown = growth * p.pressure_slope * deeper.max(0.0) * deeper.max(0.0);
        let pressure = p.pressure + p.pressure_slope * deeper + grown;
        let total = (pressure - damping * parting).max(0.0);
        let elastic = pressure.max(0.0);
        let explicit_shear = (shear.shear_at(patch, p, patch.mean_normal()) + explicit_dt * had_slid) / slip_length;
        let saturation = (explicit_shear + shear_per_speed * sliding).clamp_length_max(1.0);
        let impulses = [
            implicit_dt * p.area * elastic * p.normal,
            implicit_dt * p.area * ((total - elastic) * p.normal - damping * sliding),
            -dt * p.area * friction * (p.pressure - damping * is).max(0.0) * saturation,
        ];
        for (sum, impulse) in sums.iter_mut().zip(impulses) {
            sum[0] += impulse;
            sum[1] += arm.cross(impulse);
        }
    }
    sums
}

#[test]
fn points_in_lanes_follow_the_law_point_by_point_in_all_and_by_cause() {
    let bodies = Bodies::new(&[ball("a", DVec3::X * -0.09), ball("b", DVec3::X * 0.09)]);
    let patch = &bodies.derived.contacts[0].patch;
    let mut random = Random(4);
    let mut both = || [random.vector(), random.vector()];
    for (n, moved) in [true, false].into_iter().cycle().take(20).enumerate() {
        let [after, before, [offset, motion], [spin, _]] = [(); 4].map(|()| both());
        let shear = ShearState { offset: 1e-3 * offset, turn: 0.3 };
        let law = ContactLaw { damping: 300.0, friction: 0.6, slip_length: 1e-3 };
        let after = RelativeMotion {
            velocity: after[0],
            spin: after[1],
            inverse_effective_mass: 2.0,
            law,
            implicit_fraction: 1.0,
        };
        let theta_step = ThetaStep { dt: 1.0 / 60.0, theta: 0.5 + 0.02 * n as f64 };
        let relative = StepRelativeMotion { after, before, moved, theta_step };
        let mut packs = vec![PointPack::default(); PointPack::needed(patch)];
        let step = PatchStep::of(patch, &shear, &relative, &mut packs);
        let points = ContactPoints { step, packs: &packs };
        let constraint = Constraint::of_points(ConstraintBodies::new(), [DVec3::ZERO; 2], points);
        let at = PatchAt { patch, shear, relative };
        let wanted = point_by_point(&at, [motion, spin]);
        let size = wanted.iter().map(|w| w[0].length()).fold(0.0, f64::max);
        let split = constraint.split_at([motion, spin]);
        for (got, wanted) in split.iter().zip(&wanted) {
            assert!(got.linear.distance(wanted[0]) < 1e-12 * size, "{n}: {got:?}, not {wanted:?}");
            assert!(got.angular.distance(wanted[1]) < 1e-12 * size, "{n}: {got:?}, not {wanted:?}");
        }
        let total = constraint.impulse_at([motion, spin]);
        let sum: DVec3 = wanted.iter().map(|w| w[0]).sum();
        assert!(size > 0.0 && total.linear.distance(sum) < 1e-12 * size, "{n}: {total:?}, not {sum}");
    }
}

/// Two balls of 1 kg, a centimetre deep in each other, that part: one spins and leaves at 1 m/s, the other at `speed`.
fn parting(speed: f64) -> Bodies {
    let (left, right) = (ball("a", DVec3::X * -0.095), ball("b", DVec3::X * 0.095));
    let left = BodySpec { velocity: -DVec3::X, angular_velocity: 3.0 * DVec3::Y, ..left };
    Bodies::new(&[left, BodySpec { velocity: speed * DVec3::X, ..right }])
}

/// Takes `energy` from the two balls; the energy taken, and then theirs and their momentum. The second may sleep.
fn taken(bodies: &Bodies, energy: f64, asleep: bool) -> (f64, [Twist; 2], f64, DVec3) {
    let sim = bodies.sim();
    let (mut state, model) = (sim.state.clone(), sim.model);
    if asleep {
        state.sleep[LinkId(1)] = SleepState::Asleep;
    }
    let step = predict(Sim { state: &state, ..sim }, 1e-3);
    let (mut derived, mut stats) = (sim.derived.clone(), StepStats::default());
    let mut stepper = Stepper { model, state: &mut state, derived: &mut derived, stats: &mut stats };
    let taken = remove_energy(&mut stepper, &step, sim.contacts()[0].pair, energy);
    let links = [0, 1].map(LinkId).map(|i| model.link(i, &state.links[i]));
    let twists = links.map(|l| l.twist());
    (taken, twists, links.iter().map(|l| l.kinetic_energy()).sum(), twists[0].linear + twists[1].linear)
}

#[test]
fn as_much_is_taken_away_as_was_made_and_momentum_stays() {
    let bodies = parting(1.0);
    let energy = bodies.kinetic_energy();
    let (some, _, left, momentum) = taken(&bodies, 0.3, false);
    assert!((some - 0.3).abs() < 1e-12 && (energy - left - 0.3).abs() < 1e-12, "{some} J of {energy}, {left} left");
    assert!(momentum.length() < 1e-15, "{momentum}");
    // All they part with, ½ · ½ kg · (2 m/s)², and no more.
    let (all, ..) = taken(&bodies, 5.0, false);
    assert!((all - 1.0).abs() < 1e-12, "{all}");
}

#[test]
fn a_sleeper_is_not_pushed() {
    let bodies = parting(0.0);
    let (energy, before) = (bodies.kinetic_energy(), bodies.sim().link(LinkId(1)).twist());
    let (some, twists, left, _) = taken(&bodies, 0.3, true);
    assert_eq!(twists[1], before);
    assert!((some - 0.3).abs() < 1e-12 && (energy - left - some).abs() < 1e-12, "{some}");
}
