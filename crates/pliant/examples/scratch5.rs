use pliant::verify::*;
fn main() {
    let only = std::env::args().nth(1).unwrap_or_default();
    for (name, group) in GROUPS {
        if !name.contains(&only) {
            continue;
        }
        let t0 = std::time::Instant::now();
        let checks = group();
        println!("== {name} {:.2?}", t0.elapsed());
        for c in checks {
            println!(
                "{} {:.3e} <= {:.0e}  exp {:.9e} got {:.9e}  {}",
                if c.holds() { "ok  " } else { "FAIL" },
                c.error,
                c.bound,
                c.expected,
                c.got,
                c.law
            );
        }
    }
}
