//! What a world looks like: deformed fields, volumes, what is left of overlaps; and where its energy is.

use super::{Contact, Energy, Touch, WarningKind, World};
use crate::contact::{self, Collider, Deformed, Zone};
use crate::fields::Field;
use crate::math::DVec3;
use crate::scene::{Bulge, Height};
use rayon::prelude::*;

impl World {
    /// The visible field of body `i`: its layer pressed by everything it touches, and swollen beside it.
    pub fn deformed(&self, i: usize) -> Deformed<'_> {
        let colliders = self.colliders(i).into_iter().map(|(_, c)| c).collect();
        self.deformed_by(i, colliders).0
    }

    /// Body `i` among `colliders`, and the volume that bulges which should keep it could not hold, cubic metres.
    fn deformed_by<'a>(&'a self, i: usize, colliders: Vec<Collider<'a>>) -> (Deformed<'a>, f64) {
        let body = &self.bodies[i];
        let mut deformed = Deformed { field: body.placed(0), bulge: body.material.bulge, colliders };
        let deficit = deformed.set_heights(body.material.compressibility);
        (deformed, deficit)
    }

    /// Everything that presses on the skin of body `i`, by name, then all a bulge of it might enter; and whose it is.
    fn colliders(&self, i: usize) -> Vec<(usize, Collider<'_>)> {
        let layer = &self.bodies[i].layers[0];
        if layer.rigid {
            return Vec::new();
        }
        let around = self.around(i, layer.shape.least_thickness());
        let (touching, near): (Vec<usize>, Vec<usize>) = around.into_iter().partition(|j| self.touches(i, *j));
        let mut colliders = Vec::new();
        for &j in &touching {
            let layers = (0..self.bodies[j].layers.len()).filter(|layer| !self.patches(i, (j, *layer)).is_empty());
            colliders.extend(layers.map(|layer| (j, self.collider(i, (j, layer)))));
        }
        // A bulge may reach a body that does not touch the rest shape: it must not enter that one either.
        if !touching.is_empty() {
            colliders.extend(near.into_iter().map(|j| (j, self.collider(i, (j, 0)))));
        }
        colliders
    }

    /// Patches between the skin of body `i` and a layer of body `j`.
    fn patches(&self, i: usize, (j, layer): (usize, usize)) -> &[Contact] {
        let (own, other) = ((i, 0), (j, layer));
        let (a, b) = if self.rank[i] < self.rank[j] { (own, other) } else { (other, own) };
        self.between(&self.contacts, &Touch { a, b })
    }

    /// Whether body `j` touches the skin of body `i`.
    fn touches(&self, i: usize, j: usize) -> bool {
        (0..self.bodies[j].layers.len()).any(|layer| !self.patches(i, (j, layer)).is_empty())
    }

    fn collider(&self, i: usize, (j, layer): (usize, usize)) -> Collider<'_> {
        let (own, other) = (&self.bodies[i].layers[0], &self.bodies[j].layers[layer]);
        let zones: Vec<Zone> = self
            .patches(i, (j, layer))
            .iter()
            .map(|c| Zone { center: c.patch.deepest, compression: c.patch.max_pressure / own.stiffness, height: 0.0 })
            .collect();
        let at = zones.first().map_or(self.bodies[j].base.center(), |z| z.center);
        let velocity = self.bodies[j].base.velocity_at(at) - self.bodies[i].base.velocity_at(at);
        let ratio = other.stiffness / own.stiffness;
        Collider { field: self.bodies[j].placed(layer), ratio, rigid: other.rigid, velocity, zones }
    }

    /// Volume of body `i` as deformed, cubic metres.
    pub fn volume(&self, i: usize) -> f64 {
        let changes = self.deformed(i).volume_changes();
        changes.iter().fold(self.bodies[i].rest_volume, |v, change| v + change.gained - change.lost)
    }

    /// What is left of an overlap after both bodies have deformed: the greatest distance, over the points of the
    /// patch, by which the two visible surfaces miss each other, metres. Two rigid bodies keep all of their overlap.
    pub fn penetration(&self, contact: &Contact) -> f64 {
        let Touch { a, b } = contact.touch;
        if self.bodies[a.0].layers[a.1].rigid && self.bodies[b.0].layers[b.1].rigid {
            return contact.patch.overlap;
        }
        let visible = |(i, layer): (usize, usize)| -> (Box<dyn Field + '_>, f64) {
            let iso = self.bodies[i].layers[layer].shape.iso();
            if layer == 0 { (Box::new(self.deformed(i)), iso) } else { (Box::new(self.bodies[i].placed(layer)), iso) }
        };
        let sides = [visible(a), visible(b)];
        let miss = |p: DVec3| -> f64 {
            let past = |(field, iso): &(Box<dyn Field + '_>, f64)| {
                let s = field.sample(p);
                (s.value - iso) / s.gradient.length().max(f64::MIN_POSITIVE)
            };
            sides.iter().map(past).sum()
        };
        contact.patch.points.iter().map(|p| miss(p.position).abs()).fold(0.0, f64::max)
    }

    /// Warns of bulges that are cut off, and of volume that no bulge holds; once for each pair.
    pub(super) fn look_at_bulges(&mut self) {
        let mut touched: Vec<usize> = self.contacts.iter().flat_map(|c| [c.touch.a.0, c.touch.b.0]).collect();
        touched.sort_unstable();
        touched.dedup();
        let world = &*self;
        let look = |&i: &usize| {
            let keeps = matches!(
                world.bodies[i].material.bulge,
                Bulge::Dilation { height: Height::KeepVolume, .. }
                    | Bulge::Attenuated { height: Height::KeepVolume, .. }
            );
            let kind = if keeps { WarningKind::VolumeNotKept } else { WarningKind::BulgeCutOff };
            // Solving for volumes is not free: a pair already warned of is not looked at again.
            let pressing = world.colliders(i).into_iter().filter(|(_, c)| !c.zones.is_empty());
            let unknown = pressing.filter(move |(j, _)| !world.warned.contains(&((i, *j), kind)));
            unknown.filter_map(move |(j, collider)| {
                let (alone, deficit) = world.deformed_by(i, vec![collider]);
                let wrong = if keeps { deficit > 0.0 } else { alone.is_cut_off() };
                wrong.then_some(((i, j), kind))
            })
        };
        let found: Vec<_> = touched.par_iter().flat_map_iter(look).collect();
        for (pair, kind) in found {
            self.warn(pair, kind, None);
        }
    }

    /// Where the energy is. Elastic energy is worked out anew from the overlaps, not booked along the way.
    pub fn energy(&self) -> Energy {
        let mut energy = Energy { dissipated: self.dissipated, ..Energy::default() };
        // By name, so that the order of bodies in a scene cannot show in the last digits.
        for body in self.by_name.iter().map(|&i| &self.bodies[i]) {
            energy.kinetic += body.base.kinetic_energy();
            energy.potential -= body.base.mass().map_or(0.0, |m| m * self.gravity.dot(body.base.center()));
        }
        let mut touches: Vec<Touch> = self.contacts.iter().map(|c| c.touch).collect();
        touches.dedup();
        let elastic: Vec<f64> =
            touches.par_iter().map(|t| contact::elastic_energy(&self.pair(t), &self.quality)).collect();
        energy.elastic = elastic.iter().fold(self.sheared, |sum, e| sum + e);
        energy
    }
}
