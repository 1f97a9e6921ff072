//! The visible shape of bodies: deformed fields, volumes, remaining penetration, slip.

use super::World;
use crate::bodies::Layer;
use crate::contact::RelativeMotion;
use crate::fields::{Points, Posed, Samples};
use crate::math::DVec3;
use crate::model::{Bulge, Height, Material};
use crate::state::{Contact, Derived, LayerIndex, LayerPair, Warning, WarningKind};
use crate::visible::{BulgeSource, Collider, Deformed};
use rayon::prelude::*;

/// A contact surface: the two layers that share it, in the order of their bodies.
pub(crate) struct ContactInterface<'a> {
    /// Rest fields.
    pub fields: [Posed<'a>; 2],
    /// Pa per unit of the field.
    pub stiffness: [f64; 2],
    /// Never deformed.
    pub rigid: [bool; 2],
    /// Index, 0 or 1, of the layer of the body asked for.
    pub own: usize,
}

impl World {
    /// Rest field of a layer of body `i` where it is now; layer 0 is the skin.
    pub fn rest_field(&self, body: usize, layer: usize) -> Posed<'_> {
        self.sim().rest_field(body, layer)
    }

    /// Visible field of body `i`: its skin compressed by everything it touches, with bulges around the contacts.
    pub fn deformed(&self, i: usize) -> Deformed<'_> {
        let body = &self.bodies()[i];
        let colliders = self.colliders(i).into_iter().map(|(_, c)| c).collect();
        let mut deformed = Deformed { field: self.rest_field(i, 0), bulge: body.material().bulge, colliders };
        deformed.set_heights(body.material().compressibility);
        deformed
    }

    /// Colliders that press on the skin of body `i`, then those that its bulges might enter; each with the index of its body.
    fn colliders(&self, i: usize) -> Vec<(usize, Collider<'_>)> {
        let layer = &self.bodies()[i].coat[0];
        if layer.rigid {
            return Vec::new();
        }
        let around = self.derived.pairs.bodies_near(self.sim().configuration(), i, layer.shape.min_thickness());
        let (touching, near): (Vec<usize>, Vec<usize>) = around.into_iter().partition(|j| self.touches(i, *j));
        let mut colliders = Vec::new();
        for &j in &touching {
            colliders.extend(self.colliders_of(i, j).into_iter().map(|c| (j, c)));
        }
        // A bulge may reach a body that does not touch the rest shape: it must not enter that one either.
        if !touching.is_empty() {
            colliders.extend(near.into_iter().map(|j| (j, self.collider(i, LayerIndex::skin(j)))));
        }
        colliders
    }

    /// Layers of body `j` that press on the skin of body `i`.
    fn colliders_of(&self, i: usize, j: usize) -> Vec<Collider<'_>> {
        let layers = self.layers_of(j).filter(|layer| !self.patches(i, *layer).is_empty());
        let collider = |(nth, layer)| {
            let mut collider = self.collider(i, layer);
            // A core inside a skin that touches compresses the body and limits its bulge; the source of the bulge is the
            // skin.
            if nth > 0 {
                collider.sources.clear();
            }
            collider
        };
        layers.enumerate().map(collider).collect()
    }

    /// Layers that touch the skin of body `i`, where one of the two deforms.
    pub(crate) fn contact_interfaces(&self, i: usize) -> Vec<ContactInterface<'_>> {
        let reach = self.bodies()[i].coat[0].shape.min_thickness();
        let around = self.derived.pairs.bodies_near(self.sim().configuration(), i, reach);
        let layers = around.into_iter().flat_map(|j| self.layers_of(j));
        let touching = layers.filter(|other| !self.patches(i, *other).is_empty());
        let interface = |other: LayerIndex| {
            let mut both = [LayerIndex::skin(i), other];
            let own = usize::from(other.body < i);
            both.rotate_left(own);
            ContactInterface {
                fields: both.map(|at| self.rest_field(at.body, at.layer)),
                stiffness: both.map(|at| self.layer(at).material.stiffness),
                rigid: both.map(|at| self.layer(at).rigid),
                own,
            }
        };
        touching.map(interface).filter(|m| m.rigid != [true, true]).collect()
    }

    fn layer(&self, at: LayerIndex) -> &Layer {
        &self.bodies()[at.body].coat[at.layer]
    }

    fn layers_of(&self, body: usize) -> impl Iterator<Item = LayerIndex> + use<> {
        (0..self.bodies()[body].coat.len()).map(move |layer| LayerIndex { body, layer })
    }

    /// Patches between the skin of body `i` and a layer of another body.
    fn patches(&self, i: usize, other: LayerIndex) -> &[Contact] {
        let own = LayerIndex::skin(i);
        let (a, b) = if i < other.body { (own, other) } else { (other, own) };
        Derived::contacts_between(self.contacts(), &LayerPair { a, b })
    }

    /// Whether body `j` touches the skin of body `i`.
    fn touches(&self, i: usize, j: usize) -> bool {
        self.layers_of(j).any(|layer| !self.patches(i, layer).is_empty())
    }

    /// A layer of another body as it presses on the skin of body `i`.
    fn collider(&self, i: usize, at: LayerIndex) -> Collider<'_> {
        let (j, own, other) = (at.body, self.layer(LayerIndex::skin(i)), self.layer(at));
        let sources: Vec<BulgeSource> = self
            .patches(i, at)
            .iter()
            .map(|c| BulgeSource {
                center: c.patch.deepest,
                compression: c.patch.max_pressure / own.material.stiffness,
                height: 0.0,
            })
            .collect();
        let point = sources.first().map_or(self.link(j).center(), |source| source.center);
        let velocity = self.link(j).velocity_at(point) - self.link(i).velocity_at(point);
        let ratio = other.material.stiffness / own.material.stiffness;
        Collider { body: j, field: self.rest_field(j, at.layer), ratio, rigid: other.rigid, velocity, sources }
    }

    /// Volume of body `i` as deformed, m³; NaN where its error exceeds a thousandth.
    pub fn volume(&self, i: usize) -> f64 {
        let (rest, change) = (self.bodies()[i].rest_volume, self.deformed(i).volume_change());
        let known = change.error <= 1e-3 * rest;
        if known { rest + change.gained - change.lost } else { f64::NAN }
    }

    /// Penetration of the two visible bodies at a contact, m: the greatest over the pressed points of the patch, at most the
    /// overlap of the rest shapes. Two rigid layers keep that overlap.
    pub fn penetration(&self, contact: &Contact) -> f64 {
        let LayerPair { a, b } = contact.pair;
        if self.layer(a).rigid && self.layer(b).rigid {
            return contact.patch.overlap;
        }
        // NaN must not pass for a small depth.
        let known = |d: f64| if d.is_nan() { f64::INFINITY } else { d };
        let deepest = self.penetrations(contact).into_iter().map(known).fold(0.0, f64::max);
        deepest.min(contact.patch.overlap)
    }

    /// Penetration of the two visible bodies at each pressed point of a contact, to first order, m; negative across a gap.
    /// Clamped to the overlap of the rest shapes where fields are too flat to tell a distance.
    pub fn penetrations(&self, contact: &Contact) -> Vec<f64> {
        let LayerPair { a, b } = contact.pair;
        let points: Points = contact.patch.points.iter().filter(|p| p.pressure > 0.0).map(|p| p.position).collect();
        let (a, b) = (self.depths_inside(a.body, &points), self.depths_inside(b.body, &points));
        let sum = |(a, b): (&f64, &f64)| {
            let flat = (a - b).abs() > 4.0 * contact.patch.overlap;
            if flat { (a + b).clamp(-contact.patch.overlap, contact.patch.overlap) } else { a + b }
        };
        a.iter().zip(&b).map(sum).collect()
    }

    /// Depths of points inside the visible body `i`, to first order, m: in its deformed skin, or in a core that comes through
    /// it.
    fn depths_inside(&self, i: usize, points: &Points) -> Vec<f64> {
        let mut depths = vec![f64::NEG_INFINITY; points.len()];
        let mut samples = Samples::default();
        for (layer, Layer { shape, .. }) in self.bodies()[i].coat.iter().enumerate() {
            match layer {
                0 => self.deformed(i).samples_many(points, &mut samples),
                _ => self.rest_field(i, layer).samples_many(points, &mut samples),
            }
            for (k, depth) in depths.iter_mut().enumerate() {
                let s = samples.get(k);
                *depth = depth.max((s.value - shape.iso()) / s.gradient.length().max(f64::MIN_POSITIVE));
            }
        }
        depths
    }

    /// Velocity of b's material against a's along the contact surface, m/s, at each of the patch's points, as both bodies
    /// move now.
    pub fn slip_velocities(&self, contact: &Contact) -> Vec<DVec3> {
        let RelativeMotion { velocity, spin, .. } = self.sim().relative_motion(contact, None);
        contact.patch.slip_velocities(velocity, spin).collect()
    }

    /// Warns of bulges that are cut off, and of volume that no bulge holds; once for each pair.
    pub(super) fn warn_of_bulges(&mut self) {
        // Pairs of a body whose skin is pressed, and the body that presses.
        let skin = |at: LayerIndex| at.layer == 0 && !self.layer(at).rigid;
        let both = |c: &Contact| [(c.pair.a, c.pair.b), (c.pair.b, c.pair.a)];
        let pressed = self.contacts().iter().flat_map(both).filter(|(own, _)| skin(*own));
        let mut pairs: Vec<(usize, usize)> = pressed.map(|(own, other)| (own.body, other.body)).collect();
        pairs.sort_unstable();
        pairs.dedup();
        let world = &*self;
        let check = |&(i, j): &(usize, usize)| {
            let Material { bulge, compressibility, .. } = *world.bodies()[i].material();
            let keeps = matches!(
                bulge,
                Bulge::Dilation { height: Height::KeepVolume, .. }
                    | Bulge::Attenuated { height: Height::KeepVolume, .. }
            );
            let kind = if keeps { WarningKind::VolumeNotKept } else { WarningKind::BulgeCutOff };
            // Solving for volumes is costly: a pair with a warning is skipped.
            if bulge == Bulge::None || world.state.warnings.contains((i, j), kind) {
                return None;
            }
            let mut alone = Deformed { field: world.rest_field(i, 0), bulge, colliders: world.colliders_of(i, j) };
            let wrong = if keeps {
                alone.missing_volume(compressibility) > 0.0
            } else {
                alone.set_heights(compressibility);
                alone.is_cut_off()
            };
            wrong.then_some(((i, j), kind))
        };
        let found: Vec<_> = pairs.par_iter().filter_map(check).collect();
        for (pair, kind) in found {
            self.state.warnings.raise(Warning { time: self.state.time, bodies: pair, kind, size: None });
        }
    }
}
