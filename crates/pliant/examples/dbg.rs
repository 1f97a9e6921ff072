use pliant::contact::*; use pliant::fields::*; use pliant::fields::skeleton::*; use pliant::math::*;
fn main(){
 let t=0.03; let k=|t:f64| Kernel::new(Profile::Linear,1.0,Size{thickness:t,stiffness:None,radius:2.0*t}).unwrap();
 let b=Shape::new(vec![Element::new(Cuboid::new(DVec3::ZERO,DVec3::new(0.2,0.15,0.1)).unwrap().into(),k(t))],1.0);
 let g=Shape::new(vec![Element::new(HalfSpace::new(-0.1*DVec3::Z,DVec3::Z).unwrap().into(),k(0.1))],1.0);
 for depth in [0.01,0.1,0.3] { for tilt in [0.0,1e-3,0.017,0.1] { for turn in [0.0,0.3] {
  let r=DQuat::from_rotation_z(turn)*DQuat::from_rotation_x(tilt);
  let down=r.inverse()*DVec3::NEG_Z;
  let at=Frame{rotation:r,translation:(down.abs().dot(DVec3::new(0.2,0.15,0.1))+(1.0-depth)*t)*DVec3::Z};
  let pair=Pair{a:Side{field:Posed::rigid(&b,at),stiffness:1e5,rigid:false},b:Side{field:Posed::rigid(&g,Frame::IDENTITY),stiffness:1e5,rigid:true}};
  let got=Patch::find(&pair,&Quality::draft()); let fine=Patch::find(&pair,&Quality::default());
  let f=|p:&[Patch]| p.iter().map(|p|p.on_a.force.z).sum::<f64>();
  println!("depth {depth} tilt {tilt} turn {turn}: err {:.2e} est {:.2e} area {:.5} {:.5} pts {} {:?}",f(&got)/f(&fine)-1.0,got[0].error,got[0].area,fine[0].area,got[0].points.len(),got[0].warm_start().chart.map(|c|(c.family,c.counts,c.cuts,c.ends,c.middle)));
 }}}
}
