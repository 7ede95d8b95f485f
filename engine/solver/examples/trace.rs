//! Development: steps of one run.
use holonom_dae::problems;
use holonom_solver::stepper::{Control, Observer, StepInfo};
use holonom_solver::{Integrator, Options, Start};
struct P(u64, u64);
impl Observer for P {
    fn step(&mut self, s: &StepInfo<'_>) -> Control {
        if s.steps >= self.0 && s.steps < self.1 {
            eprintln!("{} t {:.6e} h {:.4e} k {}", s.steps, s.t, s.h, s.order);
        }
        Control::Continue
    }
}
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let p = problems::find(&a[1]).expect("p");
    let rtol: f64 = a[2].parse().expect("r");
    let mut o = Options::new(
        rtol,
        rtol * if p.name.starts_with("chain") {
            0.01
        } else {
            p.atol_factor
        },
    )
    .start(Start::Trust);
    if let Ok(s) = std::env::var("SHARE") {
        o.newton.share = s.parse().expect("share");
    }
    if a.get(5).is_some_and(|x| x == "dassl") {
        o = o.dassl();
    }
    let mut i = Integrator::new((p.build)(), p.t0, &p.y0, &p.yp0, p.t_end - p.t0, o).expect("n");
    let r = i.run(
        p.t_end,
        &mut P(a[3].parse().expect("f"), a[4].parse().expect("t")),
    );
    eprintln!("{r:?} {:?}", i.counters());
}
