//! A scratch measurement.

use pliant::contact::*;
use pliant::fields::{skeleton::*, *};
use pliant::math::*;
fn main() {
    let t = 0.1;
    let n = DVec3::Z;
    let g = Shape::new(
        vec![Element::new(
            Skeleton::HalfSpace(HalfSpace::new(-t * n, n).unwrap()),
            Kernel::linear(1.0, t, 2.0 * t).unwrap(),
        )],
        1.0,
    );
    let b = Shape::new(
        vec![Element::new(Skeleton::Point(Point { at: DVec3::ZERO }), Kernel::linear(1.0, t, 2.0 * t).unwrap())],
        1.0,
    );
    println!("{:?} {:?}", g.solid(), b.solid());
    for z in [0.0999, 0.0995, 0.099, 0.098] {
        let pair = Pair {
            a: Side { field: Placed::new(&b, Frame::at(DVec3::new(0.0, 0.0, z))), stiffness: 1e5, rigid: false },
            b: Side { field: Placed::new(&g, Frame::IDENTITY), stiffness: 1e8, rigid: true },
        };
        let r = regions(&pair, &Quality::default());
        println!("z {z} box {:?} regions {}", pair.overlap_box(), r.len());
        for r in &r {
            let c = r.cells.iter().map(|c| c.center()).sum::<DVec3>() / r.cells.len() as f64;
            let c = r.world_from_region.point(c);
            println!(
                "  cells {} size {} mean {c} probe {:?} {:?}",
                r.cells.len(),
                r.cell_size,
                pair.probe(c).pressure_a,
                pair.probe(c).pressure_b
            );
        }
        println!("  patches {}", pliant::contact::Patch::find(&pair, &Quality::default()).len());
    }
}
