use super::*;
#[test]
fn scratch() {
    for level in [Level::Index1, Level::Index2] {
        for &st in Stabilisation::ALL {
            for terms in [StiffTerms::None, StiffTerms::J2, StiffTerms::J1, StiffTerms::J3, StiffTerms::Exact] {
                let o = choose(terms, level, st);
                if o.check().is_err() { continue; }
                let mut out = String::new();
                for h in [1e-2, 4e-3, 2e-3, 1e-3, 0.5e-3, 0.25e-3, 0.125e-3, 0.0625e-3] {
                    let (g, q) = run(&mut axle(h, o.clone()), 3.0);
                    out += &format!(" {g:.2e}({q:.2})");
                }
                println!("{level:?} {st:?} {terms:?}: {out}");
            }
        }
    }
}
