//! Encoding and decoding of a frame: the state of a world, in [chunks](super::chunks). A new field of [`State`] needs a chunk.

use super::chunks::{chunks, payload, put_chunk};
use super::format::{Bytes, put_count, put_number};
use crate::bodies::{AppliedWrench, LinkId, LinkState};
use crate::contact::{CHART_LEN, ChordCounts, ChordFamily, PatchSizes, PersistentChart, ShearState, WarmStart};
use crate::math::{DVec3, Frame};
use crate::state::{
    Dissipation, ExternalWork, FrictionState, IntegratorError, LayerIndex, LayerPair, Ledger, PairLedger,
    PairWarmStart, SleepState, State, Warning, WarningKind,
};
use crate::world::World;
use std::sync::Arc;

/// The bytes of the state of `world`, with the warnings raised since the frame before; the state's own are the sum of all so
/// far. Links that are fixed for ever are left out.
pub fn encode(world: &World, warnings: &[Warning]) -> Vec<u8> {
    let state = world.state();
    let mut bytes = Vec::new();
    let mut put = |tag: &[u8; 4], write: &dyn Fn(&mut Vec<u8>)| {
        let mut payload = Vec::new();
        write(&mut payload);
        put_chunk(&mut bytes, *tag, &payload);
    };
    put(b"WARN", &|b| put_list(b, warnings, put_warning));
    put(b"LINK", &|b| {
        let moving: Vec<&LinkState> = moving(world).map(|i| &state.links[i]).collect();
        put_count(b, moving.len());
        moving.iter().for_each(|l| put_numbers(b, &l.to_array()));
    });
    put(b"LOAD", &|b| {
        let loads: Vec<(LinkId, &AppliedWrench)> =
            state.applied.iter_enumerated().filter(|(_, l)| **l != AppliedWrench::default()).collect();
        put_list(b, &loads, |b, (i, load)| {
            put_count(b, i.0);
            put_numbers(b, [load.force.to_array(), load.torque.to_array()].as_flattened());
        });
    });
    put(b"FRIC", &|b| put_list(b, &state.friction, put_friction));
    put(b"SEED", &|b| put_list(b, &state.seeds, put_seed));
    put(b"CHRT", &|b| put_charts(b, &state.seeds));
    put(b"PROF", &|b| put_allowed_motions(b, &state.seeds));
    put(b"REST", &|b| put_rest(b, state));
    put(b"BROK", &|b| {
        let broken: Vec<usize> = (0..state.broken.len()).filter(|i| state.broken[*i]).collect();
        put_list(b, &broken, |b, i| put_count(b, *i));
    });
    put(b"ENRG", &|b| put_numbers(b, &ledger_numbers(&state.ledger)));
    put(b"PAIR", &|b| put_list(b, &state.ledger.pairs, put_pair_ledger));
    bytes
}

/// The warnings of a frame.
pub fn decode_warnings(frame: &[u8]) -> Option<Vec<Warning>> {
    let mut bytes = payload(&chunks(frame)?, *b"WARN");
    if bytes.0.is_empty() { Some(Vec::new()) } else { bytes.list(11, warning) }
}

/// The state a frame holds for `world`, but for its time and its earlier warnings; and its own warnings.
pub fn decode(frame: &[u8], world: &World) -> Option<(State, Vec<Warning>)> {
    let chunks = chunks(frame)?;
    let get = |tag: &[u8; 4]| payload(&chunks, *tag);
    let optional = |tag: &[u8; 4]| Some(get(tag)).filter(|b| !b.0.is_empty());
    let mut links = world.state().links.clone();
    let saved = optional(b"LINK")?.list(8 * LinkState::LEN, link)?;
    if saved.len() != moving(world).count() {
        return None;
    }
    moving(world).zip(saved).for_each(|(i, saved)| links[i] = saved);
    let mut state = world.state_with_links(links);
    if let Some(mut bytes) = optional(b"LOAD") {
        for (i, load) in
            bytes.list(49, |b| Some((b.count()?, AppliedWrench { force: b.vector()?, torque: b.vector()? })))?
        {
            *state.applied.get_mut(LinkId(i))? = load;
        }
    }
    if let Some(mut bytes) = optional(b"FRIC") {
        state.friction = bytes.list(60, friction)?;
    }
    if let Some(mut bytes) = optional(b"SEED") {
        state.seeds = bytes.list(29, seed)?;
    }
    if let Some(mut bytes) = optional(b"CHRT") {
        for (seed, chart) in bytes.list(6 + 4 * CHART_LEN, chart)? {
            state.seeds.get_mut(seed)?.start.chart = Some(Arc::new(chart));
        }
    }
    if let Some(mut bytes) = optional(b"PROF") {
        for (seed, allowed_motion) in bytes.list(5, |b| Some((b.count()?, f32::from_le_bytes(b.array()?))))? {
            let chart = Arc::make_mut(state.seeds.get_mut(seed)?.start.chart.as_mut()?);
            chart.allowed_motion = f64::from(allowed_motion);
        }
    }
    if let Some(mut bytes) = optional(b"REST") {
        state.sleep_gravity = bytes.vector()?;
        state.sleep = bytes.list(8, |b| Some(if_asleep(b.number()?)))?.into();
    }
    if let Some(mut bytes) = optional(b"BROK") {
        for i in bytes.list(1, Bytes::count)? {
            *state.broken.get_mut(i)? = true;
        }
    }
    let pair_ledgers = optional(b"PAIR").map_or(Some(Vec::new()), |mut b| b.list(37, pair_ledger))?;
    state.ledger = ledger(&mut get(b"ENRG"), pair_ledgers)?;
    let warnings = decode_warnings(frame)?;
    Some((state, warnings))
}

/// Links that are not fixed for ever.
fn moving(world: &World) -> impl Iterator<Item = LinkId> {
    world.model().links().filter(|i| !world.model().motion_law(*i).is_fixed())
}

fn put_numbers(bytes: &mut Vec<u8>, numbers: &[f64]) {
    numbers.iter().for_each(|x| put_number(bytes, *x));
}

/// A counted list; nothing at all if it is empty.
fn put_list<T>(bytes: &mut Vec<u8>, items: &[T], put: impl Fn(&mut Vec<u8>, &T)) {
    if !items.is_empty() {
        put_count(bytes, items.len());
        items.iter().for_each(|item| put(bytes, item));
    }
}

fn put_pair(bytes: &mut Vec<u8>, pair: &LayerPair) {
    for i in [pair.a.body, pair.a.layer, pair.b.body, pair.b.layer] {
        put_count(bytes, i);
    }
}

fn pair(bytes: &mut Bytes) -> Option<LayerPair> {
    let mut side = || Some(LayerIndex { body: bytes.count()?, layer: bytes.count()? });
    Some(LayerPair { a: side()?, b: side()? })
}

fn link(bytes: &mut Bytes) -> Option<LinkState> {
    let mut numbers = [0.0; LinkState::LEN];
    for n in &mut numbers {
        *n = bytes.number()?;
    }
    Some(LinkState::from_array(&numbers))
}

fn put_warning(bytes: &mut Vec<u8>, warning: &Warning) {
    put_number(bytes, warning.time);
    put_count(bytes, warning.bodies.0);
    put_count(bytes, warning.bodies.1);
    let number = WarningKind::ALL.iter().position(|k| *k == warning.kind);
    bytes.push(number.expect("every kind is listed") as u8);
    if warning.kind == WarningKind::Undecided {
        put_number(bytes, warning.size.unwrap_or(0.0));
    }
}

fn warning(bytes: &mut Bytes) -> Option<Warning> {
    let (time, bodies) = (bytes.number()?, (bytes.count()?, bytes.count()?));
    let [number] = bytes.array()?;
    let kind = *WarningKind::ALL.get(usize::from(number))?;
    let size = if kind == WarningKind::Undecided { Some(bytes.number()?) } else { None };
    Some(Warning { time, bodies, kind, size })
}

fn put_friction(bytes: &mut Vec<u8>, friction: &FrictionState) {
    let FrictionState { pair, reference, shear, load } = friction;
    put_pair(bytes, pair);
    put_numbers(bytes, [reference.to_array(), shear.offset.to_array()].as_flattened());
    put_numbers(bytes, &[shear.turn, *load]);
}

fn friction(bytes: &mut Bytes) -> Option<FrictionState> {
    let pair = pair(bytes)?;
    let (reference, offset) = (bytes.vector()?, bytes.vector()?);
    let shear = ShearState { offset, turn: bytes.number()? };
    Some(FrictionState { pair, reference, shear, load: bytes.number()? })
}

fn put_seed(bytes: &mut Vec<u8>, seed: &PairWarmStart) {
    put_pair(bytes, &seed.pair);
    put_numbers(bytes, &seed.start.center.to_array());
    put_count(bytes, seed.start.level.map_or(0, |level| level + 1));
}

fn seed(bytes: &mut Bytes) -> Option<PairWarmStart> {
    let (pair, center) = (pair(bytes)?, bytes.vector()?);
    Some(PairWarmStart { pair, start: WarmStart { center, level: bytes.count()?.checked_sub(1), chart: None } })
}

/// Chords of the seeds that have such, with their places among the seeds.
fn put_charts(bytes: &mut Vec<u8>, seeds: &[PairWarmStart]) {
    let charts: Vec<(usize, &PersistentChart)> =
        seeds.iter().enumerate().filter_map(|(i, s)| Some((i, s.start.chart.as_deref()?))).collect();
    put_list(bytes, &charts, |bytes, (seed, chart)| {
        let family = match chart.family {
            ChordFamily::Parallel => 0,
            ChordFamily::Rays => 1,
            ChordFamily::Lines => 2,
        };
        put_count(bytes, *seed);
        bytes.extend([family, u8::from(chart.closed), chart.counts.chords, chart.counts.points, chart.crease_count]);
        chart.to_array().iter().for_each(|x| bytes.extend(x.to_le_bytes()));
    });
}

/// allowed motions of the chords that have such, with their places among the seeds.
fn put_allowed_motions(bytes: &mut Vec<u8>, seeds: &[PairWarmStart]) {
    let allowed_motion = |s: &PairWarmStart| s.start.chart.as_deref().map_or(0.0, |c| c.allowed_motion);
    let free: Vec<(usize, f64)> =
        seeds.iter().map(allowed_motion).enumerate().filter(|(_, motion)| *motion > 0.0).collect();
    put_list(bytes, &free, |bytes, (seed, motion)| {
        put_count(bytes, *seed);
        bytes.extend((*motion as f32).to_le_bytes());
    });
}

/// A seed's place, and its chords.
fn chart(bytes: &mut Bytes) -> Option<(usize, PersistentChart)> {
    let seed = bytes.count()?;
    let [family, closed, chords, points, crease_count] = bytes.array()?;
    let family = match family {
        0 => ChordFamily::Parallel,
        1 => ChordFamily::Rays,
        2 => ChordFamily::Lines,
        _ => return None,
    };
    let closed = match closed {
        0 => false,
        1 => true,
        _ => return None,
    };
    let mut numbers = [0.0; CHART_LEN];
    for x in &mut numbers {
        *x = f32::from_le_bytes(bytes.array()?);
    }
    let blank = PersistentChart {
        body_from_chart: [Frame::IDENTITY; 2],
        family,
        closed,
        ends: [[0.0; 2]; 2],
        middle: [0.0; 2],
        counts: ChordCounts { chords, points },
        sizes: PatchSizes::default(),
        crease_count,
        error: 0.0,
        allowed_motion: 0.0,
    };
    Some((seed, blank.with_array(&numbers)))
}

fn put_rest(bytes: &mut Vec<u8>, state: &State) {
    if state.sleep.iter().any(|r| *r != SleepState::Awake(0.0)) {
        put_numbers(bytes, &state.sleep_gravity.to_array());
        put_list(bytes, state.sleep.as_slice(), |b, rest| match rest {
            SleepState::Awake(slow_for) => put_number(b, *slow_for),
            SleepState::Asleep => put_number(b, -1.0),
        });
    }
}

fn if_asleep(number: f64) -> SleepState {
    if number == -1.0 { SleepState::Asleep } else { SleepState::Awake(number) }
}

fn ledger_numbers(ledger: &Ledger) -> [f64; 14] {
    let Dissipation { friction, damping, joints } = ledger.dissipated;
    let ExternalWork { keyed, motors, applied } = ledger.external;
    let e: IntegratorError = ledger.integrator;
    [
        friction,
        damping,
        joints,
        keyed,
        motors,
        applied,
        e.contacts,
        e.joints,
        e.gravity,
        e.residual,
        e.passivity,
        e.sleep,
        e.rotation,
        ledger.shear,
    ]
}

fn ledger(bytes: &mut Bytes, pairs: Vec<PairLedger>) -> Option<Ledger> {
    let mut next = || if bytes.0.is_empty() { Some(0.0) } else { bytes.number() };
    let dissipated = Dissipation { friction: next()?, damping: next()?, joints: next()? };
    let external = ExternalWork { keyed: next()?, motors: next()?, applied: next()? };
    let integrator = IntegratorError {
        contacts: next()?,
        joints: next()?,
        gravity: next()?,
        residual: next()?,
        passivity: next()?,
        sleep: next()?,
        rotation: next()?,
    };
    Some(Ledger { dissipated, external, integrator, shear: next()?, pairs })
}

fn put_pair_ledger(bytes: &mut Vec<u8>, entry: &PairLedger) {
    let PairLedger { pair, work, exchanged, elastic, initial, complete } = entry;
    put_pair(bytes, pair);
    put_numbers(bytes, &[*work, *exchanged, *elastic, *initial]);
    bytes.push(u8::from(*complete));
}

fn pair_ledger(bytes: &mut Bytes) -> Option<PairLedger> {
    let pair = pair(bytes)?;
    let [work, exchanged] = [bytes.number()?, bytes.number()?];
    let [elastic, initial] = [bytes.number()?, bytes.number()?];
    let complete = match bytes.array()? {
        [0] => false,
        [1] => true,
        _ => return None,
    };
    Some(PairLedger { pair, work, exchanged, elastic, initial, complete })
}

impl Bytes<'_> {
    fn vector(&mut self) -> Option<DVec3> {
        Some(DVec3::new(self.number()?, self.number()?, self.number()?))
    }
}
