//! What every reference problem must keep: consistent starts, honest structures, references
//! that solve the equations.

use holonom_algebra::{Dual4, Dual8, Real};
use holonom_dae::problems::chain::{self, Chain, Formalism};
use holonom_dae::problems::constrained::Form;
use holonom_dae::problems::{self, Problem, andrews, brusselator, car_axle, extrapolation, pendulum};
use holonom_dae::{Bound, DerivativeForm, Structure, System};

/// Numbers in (0, 1), always the same.
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    fn vector(&mut self, n: usize) -> Vec<f64> {
        (0..n).map(|_| self.next()).collect()
    }
}

/// The registry in small sizes, and the forms that are not in it.
fn everything() -> Vec<Problem> {
    let mut list: Vec<Problem> = problems::all()
        .into_iter()
        .filter(|p| p.name != "brusselator")
        .collect();
    list.push(brusselator::problem(7));
    for form in Form::CONSTRAINED {
        list.push(car_axle::problem(form));
        list.push(andrews::problem(form));
    }
    list.push(chain::problem(Formalism::Residual, 1, 0.3));
    list.push(chain::problem(Formalism::Explicit, 5, 1.0));
    list
}

fn residual(system: &mut dyn System, t: f64, y: &[f64], yp: &[f64]) -> Vec<f64> {
    let mut r = vec![f64::NAN; y.len()];
    system.residual(t, y, yp, &mut r).expect("inside the domain");
    r
}

/// ∂F/∂y or ∂F/∂ẏ, dense, column by column, eight columns at a time.
fn jacobian(system: &mut dyn System, t: f64, y: &[f64], yp: &[f64], by_derivative: bool) -> Vec<f64> {
    let n = y.len();
    let mut matrix = vec![0.0; n * n];
    for first in (0..n).step_by(8) {
        let mut y8: Vec<Dual8> = y.iter().map(|x| Dual8::constant(*x)).collect();
        let mut yp8: Vec<Dual8> = yp.iter().map(|x| Dual8::constant(*x)).collect();
        let x = if by_derivative { &mut yp8 } else { &mut y8 };
        let columns = first..n.min(first + 8);
        for j in columns.clone() {
            x[j] = x[j].with_derivative(j - first, 1.0);
        }
        let mut r = vec![Dual8::zero(); n];
        system
            .residual_dual8(Dual8::constant(t), &y8, &yp8, &mut r)
            .expect("inside the domain");
        for j in columns {
            for i in 0..n {
                matrix[i + j * n] = r[i].derivative(j - first);
            }
        }
    }
    matrix
}

/// ∂F/∂ẏ as the structure has it, dense; `None` when it does not say.
fn declared(
    system: &mut dyn System,
    structure: &Structure,
    t: f64,
    y: &[f64],
    yp: &[f64],
) -> Option<Vec<f64>> {
    let n = y.len();
    let mut matrix = vec![0.0; n * n];
    match &structure.derivative {
        DerivativeForm::Identity => {
            for i in (0..n).filter(|i| structure.variables[*i].kind.is_differential()) {
                matrix[i + i * n] = 1.0;
            }
        }
        DerivativeForm::Constant(entries) => {
            for &(i, j, value) in entries {
                matrix[i + j * n] += value;
            }
        }
        DerivativeForm::Mass(pattern) => {
            let mut values = vec![f64::NAN; pattern.len()];
            system
                .derivative_matrix(t, y, yp, &mut values)
                .expect("inside the domain");
            for ((i, j), value) in pattern.entries().zip(values) {
                matrix[i + j * n] = value;
            }
        }
        DerivativeForm::Unknown => return None,
    }
    Some(matrix)
}

#[track_caller]
fn assert_close(name: &str, a: f64, b: f64) {
    assert!(
        (a - b).abs() <= 1e-12 * (1.0 + a.abs() + b.abs()),
        "{name}: {a} and {b}"
    );
}

#[test]
fn starts_are_consistent() {
    for p in everything() {
        let mut system = (p.build)();
        let structure = system.structure().clone();
        structure.check().expect("consistent structure");
        let n = structure.dimension();
        assert_eq!((p.y0.len(), p.yp0.len()), (n, n), "{}", p.name);
        let r = residual(system.as_mut(), p.t0, &p.y0, &p.yp0);
        // Rounding errors of the terms, which reach 10⁶ for Van der Pol's oscillator.
        let size = p.yp0.iter().fold(1e-2, |s: f64, x| s.max(x.abs()));
        for i in 0..n {
            let row = &structure.equations[i].name;
            assert!(r[i].abs() <= 4e-16 * size, "{}: {} in {row}", p.name, r[i]);
        }
    }
}

#[test]
fn references_have_the_right_length_and_time() {
    for p in problems::all() {
        assert!(p.t_end > p.t0 && p.atol_factor > 0.0);
        let reference = p
            .reference
            .unwrap_or_else(|| panic!("{} has no reference", p.name));
        assert_eq!(reference.y.len(), p.y0.len(), "{}", p.name);
        assert_eq!(reference.t, p.t_end);
        assert!(reference.digits > 8.0);
    }
}

#[test]
fn dual_and_plain_residuals_agree() {
    let mut random = Random(1);
    for p in everything() {
        let mut system = (p.build)();
        let n = p.y0.len();
        let (t, y, yp) = (random.next(), random.vector(n), random.vector(n));
        let plain = residual(system.as_mut(), t, &y, &yp);
        assert!(system.has_duals());
        let dual = |x: &[f64]| x.iter().map(|x| Dual4::constant(*x)).collect::<Vec<_>>();
        let mut r = vec![Dual4::zero(); n];
        system
            .residual_dual4(Dual4::variable(t, 0), &dual(&y), &dual(&yp), &mut r)
            .expect("inside the domain");
        for i in 0..n {
            assert_close(&p.name, plain[i], r[i].value());
        }
        // The derivative by time, against central differences.
        let h = 1e-5 * p.t_end.min(1.0);
        let (a, b) = (
            residual(system.as_mut(), t - h, &y, &yp),
            residual(system.as_mut(), t + h, &y, &yp),
        );
        for i in 0..n {
            let (d, e) = ((b[i] - a[i]) / (2.0 * h), r[i].derivative(0));
            assert!(
                (d - e).abs() < 1e-5 * (1.0 + plain[i].abs() + e.abs()),
                "{}: {d} {e}",
                p.name
            );
        }
    }
}

#[test]
fn structures_agree_with_the_residual() {
    let mut random = Random(2);
    for p in everything() {
        let mut system = (p.build)();
        let structure = system.structure().clone();
        let n = structure.dimension();
        for _ in 0..2 {
            let (t, y, yp) = (random.next(), random.vector(n), random.vector(n));
            let by_derivative = jacobian(system.as_mut(), t, &y, &yp, true);
            let by_state = jacobian(system.as_mut(), t, &y, &yp, false);
            // ∂F/∂ẏ.
            if let Some(matrix) = declared(system.as_mut(), &structure, t, &y, &yp) {
                for (a, b) in matrix.iter().zip(&by_derivative) {
                    assert_close(&p.name, *a, *b);
                }
            }
            // Kinds: derivatives of algebraic variables do not occur.
            for j in (0..n).filter(|j| !structure.variables[*j].kind.is_differential()) {
                assert!(by_derivative[j * n..(j + 1) * n].iter().all(|x| *x == 0.0));
            }
            // Sparsity.
            if let Some(pattern) = &structure.sparsity {
                for k in 0..n * n {
                    let outside = pattern.position(k % n, k / n).is_none();
                    assert!(
                        !(outside && (by_state[k] != 0.0 || by_derivative[k] != 0.0)),
                        "{}",
                        p.name
                    );
                }
            }
            // Transposed blocks.
            for block in &structure.transposed {
                assert!(!block.negated);
                for (k, j) in block.columns.clone().enumerate() {
                    for i in 0..n {
                        let value = if block.rows.contains(&i) {
                            let column = block.source_columns.start + i - block.rows.start;
                            by_state[block.source_rows.start + k + column * n]
                        } else {
                            0.0
                        };
                        assert_close(&p.name, value, by_state[i + j * n]);
                    }
                }
            }
        }
    }
}

/// The scaled iteration matrix D_row (E/h + J) D_column stays regular as h goes to zero.
#[test]
fn step_powers_keep_the_iteration_matrix_regular() {
    for p in everything() {
        if p.name == "transistor-amplifier" {
            // Its hidden constraints are sums of rows: no scaling of rows reaches them.
            continue;
        }
        let mut system = (p.build)();
        let structure = system.structure().clone();
        let n = structure.dimension();
        let e = jacobian(system.as_mut(), p.t0, &p.y0, &p.yp0, true);
        let f = jacobian(system.as_mut(), p.t0, &p.y0, &p.yp0, false);
        let smallest_pivot = |h: f64| {
            let scaled = |k: usize| {
                let (i, j) = (k % n, k / n);
                let power = structure.equations[i].step_power + structure.variables[j].step_power;
                (e[k] / h + f[k]) * h.powi(i32::from(power))
            };
            smallest_pivot(n, (0..n * n).map(scaled).collect())
        };
        let (coarse, fine) = (smallest_pivot(1e-10), smallest_pivot(1e-12));
        assert!(
            fine > 0.5 * coarse && fine > 1e-8,
            "{}: {coarse:e} {fine:e}",
            p.name
        );
    }
}

/// The smallest pivot of elimination with full pivoting, against the largest.
fn smallest_pivot(n: usize, mut a: Vec<f64>) -> f64 {
    let mut pivots = Vec::new();
    for k in 0..n {
        let at = |m: usize| (k + m % (n - k), k + m / (n - k));
        let (p, q) = (0..(n - k) * (n - k))
            .map(at)
            .max_by(|x, y| a[x.0 + x.1 * n].abs().total_cmp(&a[y.0 + y.1 * n].abs()))
            .expect("not empty");
        for j in 0..n {
            a.swap(k + j * n, p + j * n);
        }
        for i in 0..n {
            a.swap(i + k * n, i + q * n);
        }
        let pivot = a[k + k * n];
        pivots.push(pivot.abs());
        if pivot != 0.0 {
            for i in k + 1..n {
                let factor = a[i + k * n] / pivot;
                for j in k + 1..n {
                    a[i + j * n] -= factor * a[k + j * n];
                }
            }
        }
    }
    pivots[n - 1] / pivots[0]
}

#[test]
fn energy_of_the_closed_form_pendulum_is_constant() {
    for i in 0..1000 {
        let y = pendulum::exact(0.01 * f64::from(i));
        assert!(pendulum::energy(&y).abs() < 1e-13);
    }
}

#[test]
fn references_satisfy_their_constraints() {
    for p in [
        car_axle::problem(Form::Ggl),
        andrews::problem(Form::Ggl),
        pendulum::problem(Form::Ggl),
    ] {
        let mut system = (p.build)();
        let layout = system.structure().layout.clone().expect("mechanical");
        let y = p.reference.expect("there is one").y;
        let (q, v) = (&y[layout.q.clone()], &y[layout.v.clone()]);
        let (mut lambda, mut a) = (vec![0.0; layout.lambda.len()], vec![0.0; v.len()]);
        let mechanics = system.mechanical().expect("mechanics");
        mechanics
            .accelerations(p.t_end, q, v, &mut lambda, &mut a)
            .expect("regular");
        for (x, reference) in lambda.iter().zip(&y[layout.lambda.clone()]) {
            assert!((x / reference - 1.0).abs() < 1e-10, "{}: {x} {reference}", p.name);
        }
        // With v̇ from the mechanics all rows of the stabilised form vanish.
        let mut yp = vec![0.0; y.len()];
        yp[layout.q.clone()].copy_from_slice(v);
        yp[layout.v.clone()].copy_from_slice(&a);
        let r = residual(system.as_mut(), p.t_end, &y, &yp);
        // Row by row: a maximum passes over what is not a number.
        assert!(r.iter().all(|x| x.abs() < 1e-12), "{}: {r:?}", p.name);
    }
}

#[test]
fn andrews_reference_keeps_the_energy() {
    let p = andrews::problem(Form::Ggl);
    let end = p.reference.expect("there is one").y;
    assert!((andrews::energy(&end) - andrews::energy(&p.y0)).abs() < 1e-14);
}

#[test]
fn forms_of_the_chain_agree() {
    let mut random = Random(3);
    for n in [1, 2, 5, 12, 30] {
        let build = |formalism| {
            Bound::new(Chain {
                n,
                omega: 0.7,
                formalism,
            })
        };
        let [mut explicit, mut order_n, mut order_n2] = Formalism::ALL.map(build);
        let (t, y) = (random.next(), random.vector(2 * n));
        let mut yp = random.vector(2 * n);
        let (a, b) = (
            residual(&mut order_n, t, &y, &yp),
            residual(&mut order_n2, t, &y, &yp),
        );
        for i in 0..2 * n {
            assert!(
                (a[i] - b[i]).abs() < 1e-12 * (n * n) as f64,
                "{n}: {} {}",
                a[i],
                b[i]
            );
        }
        // ẏ = −F(t, y, 0) of the explicit form is a zero of the residual.
        let f = residual(&mut explicit, t, &y, &vec![0.0; 2 * n]);
        for i in 0..2 * n {
            yp[i] = -f[i];
        }
        let r = residual(&mut order_n, t, &y, &yp);
        let size = yp.iter().fold(1.0, |s: f64, x| s.max(x.abs()));
        assert!(
            r.iter().all(|r| r.abs() < 1e-13 * size * (n * n) as f64),
            "{n}: {r:?}"
        );
    }
}

#[test]
fn chain_reference_is_reproduced() {
    let p = problems::find("chain-explicit").expect("there is one");
    let stored = p.reference.expect("there is one");
    let y = chain::reference(chain::BODIES, chain::OMEGA, &[100.0, stored.t]);
    for (a, b) in y[1].iter().zip(&stored.y) {
        assert!((a - b).abs() < 1e-13, "{a} {b}");
    }
}

/// Solves the equations of an ODE, or of a DAE that `complete` makes one, by the explicit
/// integrator.
fn solve(name: &str, t_end: f64, complete: impl Fn(&[f64], &mut [f64])) -> Vec<f64> {
    let p = problems::find(name).expect("there is one");
    let mut system = (p.build)();
    let n = p.y0.len();
    let zero = vec![0.0; n];
    let mut state = vec![0.0; n];
    let f = |t: f64, y: &[f64], dy: &mut [f64]| {
        state.copy_from_slice(y);
        complete(y, &mut state);
        // Outside the domain the integrator has to shorten its step, as after a NaN.
        if system.residual(t, &state, &zero, dy).is_err() {
            dy.fill(f64::NAN);
        }
        for d in dy {
            *d = -*d;
        }
    };
    let mut y = extrapolation::integrate(f, 0.0, &p.y0, &[t_end], 1e-12).remove(0);
    complete(&y.clone(), &mut y);
    y
}

#[track_caller]
fn assert_reference(name: &str, y: &[f64], limit: f64) {
    let reference = problems::find(name)
        .expect("there is one")
        .reference
        .expect("there is one")
        .y;
    for (a, b) in y.iter().zip(reference) {
        assert!((a - b).abs() < limit, "{name}: {a} {b}");
    }
}

#[test]
fn robertson_agrees_with_independent_values() {
    // At t = 40, from the run in quadruple precision.
    let y = solve("robertson-ode", 40.0, |_, _| ());
    let expected = [
        7.1582706871940509047e-1,
        9.1855347645577639039e-6,
        2.8416374574583035176e-1,
    ];
    for (a, b) in y.iter().zip(expected) {
        assert!((a - b).abs() < 1e-11, "{a} {b}");
    }
}

#[test]
fn hires_reference_is_reproduced() {
    let y = solve("hires", 321.8122, |_, _| ());
    assert_reference("hires", &y, 1e-11);
}

#[test]
fn akzo_nobel_reference_is_reproduced() {
    let y = solve("akzo-nobel", 180.0, |y, state| state[5] = 115.83 * y[0] * y[3]);
    assert_reference("akzo-nobel", &y, 1e-11);
}

/// The car axle through its index-1 accelerations, over the whole interval.
#[test]
fn car_axle_reference_is_reproduced() {
    let p = car_axle::problem(Form::Index1);
    let mut system = (p.build)();
    let mechanics = system.mechanical().expect("mechanics");
    let mut lambda = [0.0; 2];
    let f = |t: f64, y: &[f64], dy: &mut [f64]| {
        dy[..4].copy_from_slice(&y[4..]);
        mechanics
            .accelerations(t, &y[..4], &y[4..], &mut lambda, &mut dy[4..])
            .expect("regular");
    };
    let y = extrapolation::integrate(f, 0.0, &p.y0[..8], &[p.t_end], 1e-13).remove(0);
    let reference = p.reference.expect("there is one").y;
    for i in 0..8 {
        assert!(
            (y[i] - reference[i]).abs() < 1e-9,
            "{i}: {} {}",
            y[i],
            reference[i]
        );
    }
}

#[test]
fn names_find_their_problems() {
    for p in problems::all() {
        let found = problems::find(&p.name).expect("in the registry");
        assert_eq!((found.name, found.y0), (p.name, p.y0));
    }
    let size = |name: &str| problems::find(name).map(|p| p.y0.len());
    assert_eq!(size("chain-residual:16"), Some(32));
    assert_eq!(size("chain-residual-n2:16:0.05"), Some(32));
    assert_eq!(size("brusselator:50"), Some(100));
    assert_eq!(size("car-axle-index2"), Some(10));
    assert_eq!(size("andrews-index3"), Some(20));
    assert_eq!(
        problems::find("chain-residual:12").expect("found").name,
        "chain-residual"
    );
    for name in [
        "",
        "chain",
        "chain-residual:",
        "chain-residual:0",
        "chain-residual:x",
        "hires:3",
    ] {
        assert_eq!(size(name), None, "{name}");
    }
    for name in [
        "brusselator:5:1",
        "chain-residual:5:nan",
        "car-axle-index4",
        "pendulum",
    ] {
        assert_eq!(size(name), None, "{name}");
    }
    // A sized name leads back to itself.
    let p = problems::find("chain-residual:16:0.3").expect("found");
    assert_eq!(problems::find(&p.name).expect("found").name, p.name);
}
