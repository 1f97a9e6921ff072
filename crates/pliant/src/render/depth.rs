//! Depth maps: distance and normal along one ray through the middle of every pixel.
//!
//! *The idea*: the rays of a tile lie in a cone; the elements near it are chosen among those near the cone of a larger block. Bodies
//! of points are then traced in SIMD lanes; others ray by ray.
//! *Promised*: the same map for any number of threads, and hits proved as those of [`RenderScene::first`].

use super::camera::{Camera, ImagePoint, Projection};
use super::image::Image;
use super::instance::Instance;
use super::ray::Ray;
use super::scene::RenderScene;
use crate::fields::{Field, PointField, RAYS, RayCandidate, RayCone, RayPacket, RayScratch};
use crate::math::DVec3;
use rayon::prelude::*;

/// Distances and normals, row by row from the top.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DepthMap {
    /// Pixels across.
    pub width: u32,
    /// Pixels down.
    pub height: u32,
    /// None for background.
    pub pixels: Vec<Option<DepthPixel>>,
}

/// The surface point in the middle of a pixel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DepthPixel {
    /// Metres from the camera, along the ray.
    pub distance: f64,
    /// Outward normal, unit.
    pub normal: [f32; 3],
    /// Index into [`RenderScene::instances`].
    pub instance: u32,
}

/// Pixels along a side of a tile, whose rays share one list of elements, and of a block of tiles. Larger: longer lists. Smaller:
/// lists are made more often.
const TILE: usize = 8;
const BLOCK: usize = 32;

/// Pixels across and down a packet.
const ACROSS: usize = 4;

/// Accuracy of hits that are not traced in lanes, as a fraction of a pixel.
const EXACT: f64 = 1e-4;

/// The depth map of `scene` for `camera`, `size` pixels across and down. The lens is not used.
pub fn depth(scene: &RenderScene, camera: &Camera, size: (u32, u32)) -> DepthMap {
    let (width, height) = (size.0 as usize, size.1 as usize);
    let mut pixels = vec![None; width * height];
    let projection = Projection::new(camera);
    let bodies: Vec<Traced> = scene.instances.iter().map(Traced::new).collect();
    if width > 0 && projection.is_some() {
        let tracer = TileTracer { bodies: &bodies, projection: projection.unwrap_or_default(), size: (width, height) };
        let strips = pixels.par_chunks_mut(BLOCK * width).enumerate();
        strips.for_each(|(row, strip)| tracer.strip(row * BLOCK, strip));
    }
    DepthMap { width: size.0, height: size.1, pixels }
}

impl DepthMap {
    /// Near bright, far dark; background black.
    pub fn to_image(&self) -> Image {
        let distances = self.pixels.iter().flatten().map(|s| s.distance);
        let (near, far) = distances.fold((f64::INFINITY, 0.0f64), |(a, b), d| (a.min(d), b.max(d)));
        let part = |d: f64| if far > near { (far - d) / (far - near) } else { 1.0 };
        let shade = |s: &DepthPixel| [(0.02 + 0.68 * part(s.distance).powi(2)) as f32; 3];
        self.image(shade)
    }

    /// Normals as colours: red for x, green for y, blue for z, half bright for zero; background black.
    pub fn normals_to_image(&self) -> Image {
        self.image(|s| s.normal.map(|v| 0.35 * (1.0 + v)))
    }

    fn image(&self, color: impl Fn(&DepthPixel) -> [f32; 3]) -> Image {
        let pixels = self.pixels.iter().map(|p| p.as_ref().map_or([0.0; 3], &color)).collect();
        Image { width: self.width, height: self.height, pixels }
    }
}

struct Traced<'a> {
    instance: &'a Instance<'a>,
    /// For tracing in lanes: bodies of points without colliders.
    balls: Option<PointField>,
}

impl<'a> Traced<'a> {
    fn new(instance: &'a Instance<'a>) -> Self {
        let field = &instance.field;
        Self { instance, balls: if field.colliders.is_empty() { PointField::new(&field.field) } else { None } }
    }
}

struct TileTracer<'a> {
    bodies: &'a [Traced<'a>],
    projection: Projection,
    size: (usize, usize),
}

/// A rectangle of pixels.
#[derive(Clone, Copy)]
struct PixelRect {
    left: usize,
    top: usize,
    columns: usize,
    rows: usize,
}

/// Rows of the picture being traced, with scratch.
struct Strip<'a> {
    top: usize,
    pixels: &'a mut [Option<DepthPixel>],
    /// Elements near the block, for each body.
    block_candidates: Vec<Vec<RayCandidate>>,
    /// Elements near the tile, of one body.
    tile_candidates: Vec<RayCandidate>,
    scratch: RayScratch,
}

impl TileTracer<'_> {
    /// Traces the rows from `top` on.
    fn strip(&self, top: usize, pixels: &mut [Option<DepthPixel>]) {
        let rows = pixels.len() / self.size.0;
        let mut strip = Strip {
            top,
            pixels,
            block_candidates: vec![Vec::new(); self.bodies.len()],
            tile_candidates: Vec::new(),
            scratch: RayScratch::default(),
        };
        for left in (0..self.size.0).step_by(BLOCK) {
            let columns = BLOCK.min(self.size.0 - left);
            let cone = self.cone(PixelRect { left, top, columns, rows });
            for (body, candidates) in self.bodies.iter().zip(&mut strip.block_candidates) {
                if let Some(balls) = &body.balls {
                    balls.candidates(&cone, None, candidates);
                }
            }
            for y in (0..rows).step_by(TILE) {
                for x in (0..columns).step_by(TILE) {
                    let (columns, rows) = (TILE.min(columns - x), TILE.min(rows - y));
                    self.tile(PixelRect { left: left + x, top: top + y, columns, rows }, &mut strip);
                }
            }
        }
    }

    /// The cone around the rays of a rectangle of pixels.
    fn cone(&self, PixelRect { left, top, columns, rows }: PixelRect) -> RayCone {
        let along = |x: f64, y: f64| self.along(left as f64 + x, top as f64 + y).normalize();
        let (w, h) = (columns as f64, rows as f64);
        let axis = along(0.5 * w, 0.5 * h);
        let corners = [(0.0, 0.0), (w, 0.0), (0.0, h), (w, h)].map(|(x, y)| (along(x, y) - axis).length());
        let spread = corners.into_iter().fold(0.0, f64::max) * (1.0 + 1e-9) + 1e-15;
        RayCone { from: self.projection.from, axis, spread }
    }

    /// Vector from the camera to a point of the picture, given in pixels.
    fn along(&self, x: f64, y: f64) -> DVec3 {
        self.projection.direction_through(ImagePoint::from_pixels(x, y, [self.size.0 as f64, self.size.1 as f64]))
    }

    /// Traces one tile.
    fn tile(&self, tile: PixelRect, strip: &mut Strip) {
        let PixelRect { left, top, columns, rows } = tile;
        let Strip { top: strip_top, pixels: out, block_candidates, tile_candidates, scratch } = strip;
        let cone = self.cone(tile);
        for (number, body) in self.bodies.iter().enumerate() {
            if let Some(balls) = &body.balls {
                balls.candidates(&cone, Some(&block_candidates[number]), tile_candidates);
                if tile_candidates.is_empty() {
                    continue;
                }
            }
            for y in (0..rows).step_by(RAYS / ACROSS) {
                for x in (0..columns).step_by(ACROSS) {
                    // Lanes beyond the tile repeat its last pixel.
                    let pixel = |lane: usize| {
                        let (x, y) = ((x + lane % ACROSS).min(columns - 1), (y + lane / ACROSS).min(rows - 1));
                        (left + x, top + y)
                    };
                    let index = |lane: usize| {
                        let (x, y) = pixel(lane);
                        (y - *strip_top) * self.size.0 + x
                    };
                    let mut packet = self.packet(pixel);
                    for lane in 0..RAYS {
                        packet.nearest[lane] = out[index(lane)].map_or(Ray::FAR, |s| s.distance);
                    }
                    match &body.balls {
                        Some(balls) => balls.first(tile_candidates, &mut packet, scratch),
                        None => self.one_by_one(body.instance, &mut packet),
                    }
                    for lane in (0..RAYS).filter(|&lane| packet.hit_mask[lane] > 0.0) {
                        let [x, y, z] = packet.gradient.map(|axis| axis[lane]);
                        let normal = (-DVec3::new(x, y, z).normalize_or_zero()).as_vec3().to_array();
                        out[index(lane)] =
                            Some(DepthPixel { distance: packet.nearest[lane], normal, instance: number as u32 });
                    }
                }
            }
        }
    }

    /// The rays through the middles of some pixels.
    fn packet(&self, pixel: impl Fn(usize) -> (usize, usize)) -> RayPacket {
        let mut along = [[0.0; RAYS]; 3];
        for lane in 0..RAYS {
            let (x, y) = pixel(lane);
            let d = self.along(x as f64 + 0.5, y as f64 + 0.5);
            let d = (d / d.length()).to_array();
            along.iter_mut().zip(d).for_each(|(axis, d)| axis[lane] = d);
        }
        let nothing = [0.0; RAYS];
        RayPacket { from: self.projection.from, along, nearest: nothing, gradient: [nothing; 3], hit_mask: nothing }
    }

    fn one_by_one(&self, instance: &Instance, packet: &mut RayPacket) {
        packet.hit_mask = [0.0; RAYS];
        for lane in 0..RAYS {
            let ray =
                Ray { from: packet.from, along: DVec3::from_array(packet.along.map(|axis| axis[lane])), time: 0.0 };
            let exact = EXACT * self.projection.pixel(self.size.1);
            if let Some(t) = instance.first(&ray, (0.0, packet.nearest[lane]), exact) {
                let gradient = instance.field.sample(ray.at(t)).gradient;
                packet.hit_mask[lane] = 1.0;
                packet.nearest[lane] = t;
                packet.gradient.iter_mut().zip(gradient.to_array()).for_each(|(axis, g)| axis[lane] = g);
            }
        }
    }
}
