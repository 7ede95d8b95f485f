//! Partitioning by physics: which force elements are stiff.

use super::options::Partition;
use super::state::MotionState;
use holonom_dae::{ElementSet, InputError, Mechanical};

/// Radians per step of its oscillation from which on an element is stiff. Taken explicitly, an undamped
/// oscillation of ω grows like exp(hω²t/2): at this limit and h = 1 ms by 5 % in a second.
const OSCILLATION: f64 = 0.01;
/// Part of the time constant of its damping above which a step makes an element stiff. Explicit Euler is
/// stable up to 2, and follows the decay to a few percent up to this.
const DAMPING: f64 = 0.1;

/// Numbers of the stiff elements, ascending; `None` for all.
pub(super) fn stiff_elements(
    mechanical: &mut dyn Mechanical,
    partition: &Partition,
    h: f64,
    start: &MotionState,
) -> Result<Option<Vec<usize>>, InputError> {
    let mut numbers = match partition {
        Partition::All => return Ok(None),
        Partition::Auto => automatic(mechanical, h, start)?,
        Partition::Named(names) => names
            .iter()
            .map(|name| number(mechanical, name))
            .collect::<Result<Vec<_>, _>>()?,
    };
    numbers.sort_unstable();
    numbers.dedup();
    Ok(Some(numbers))
}

/// Refuses names of elements that there are not.
pub(super) fn check_names(mechanical: &dyn Mechanical, partition: &Partition) -> Result<(), InputError> {
    match partition {
        Partition::All | Partition::Auto => Ok(()),
        Partition::Named(names) => names
            .iter()
            .try_for_each(|name| number(mechanical, name).map(drop)),
    }
}

fn number(mechanical: &dyn Mechanical, name: &str) -> Result<usize, InputError> {
    let all = 0..mechanical.n_elements();
    all.clone()
        .find(|&k| mechanical.element_name(k) == name)
        .ok_or_else(|| {
            let names: Vec<&str> = all.map(|k| mechanical.element_name(k)).collect();
            let remedy = if names.is_empty() {
                "the model has no force elements; remove `stiff`".to_string()
            } else {
                format!(
                    "there is no force element with this name; choose from {}",
                    names.join(", ")
                )
            };
            InputError::Option {
                option: "stiff",
                value: format!("`{name}`"),
                remedy,
            }
        })
}

/// Elements that alone would make the masses they act on move stiffly: with M = L Lᵀ, the norms of
/// L⁻¹ (∂f/∂q) V L⁻ᵀ and L⁻¹ (∂f/∂v) L⁻ᵀ are ω² and the rate of decay at most, whatever the coordinates.
/// Constraints add inertia, so that leaving them out errs on the stiff side.
fn automatic(mechanical: &mut dyn Mechanical, h: f64, start: &MotionState) -> Result<Vec<usize>, InputError> {
    let n = mechanical.n_v();
    let refused = |rejection: holonom_dae::Rejection| InputError::Option {
        option: "stiff",
        value: "`auto`".into(),
        remedy: format!(
            "{rejection} at the start, so the model cannot be linearised; name the stiff elements"
        ),
    };
    let mut factor = vec![0.0; n * n];
    mechanical.mass(start.t, &start.q, &mut factor).map_err(refused)?;
    cholesky(&mut factor, n);
    mechanical.set_states(&start.x);
    let (mut f_q, mut f_v) = (vec![0.0; n * n], vec![0.0; n * n]);
    let mut stiff = Vec::new();
    for k in 0..mechanical.n_elements() {
        let one = ElementSet::Some(std::slice::from_ref(&k));
        mechanical
            .force_jacobians(
                start.t,
                &start.q,
                &start.v,
                &start.lambda,
                one,
                &mut f_q,
                &mut f_v,
            )
            .map_err(refused)?;
        let oscillation = h * norm_by_mass(&factor, &mut f_q, n).sqrt();
        let damping = h * norm_by_mass(&factor, &mut f_v, n);
        // What cannot be judged is stiff.
        let harmless = oscillation <= OSCILLATION && damping <= DAMPING;
        if !harmless {
            stiff.push(k);
        }
    }
    Ok(stiff)
}

/// L of M = L Lᵀ in the lower triangle.
fn cholesky(a: &mut [f64], n: usize) {
    for j in 0..n {
        for k in 0..j {
            let l = a[j + k * n];
            for i in j..n {
                a[i + j * n] -= a[i + k * n] * l;
            }
        }
        let root = a[j + j * n].sqrt();
        for i in j..n {
            a[i + j * n] /= root;
        }
    }
}

/// Frobenius norm of L⁻¹ K L⁻ᵀ; K is destroyed.
fn norm_by_mass(l: &[f64], k: &mut [f64], n: usize) -> f64 {
    // L⁻¹ from the left, column by column.
    for column in k.chunks_exact_mut(n.max(1)) {
        for i in 0..n {
            let mut x = column[i];
            for j in 0..i {
                x -= l[i + j * n] * column[j];
            }
            column[i] = x / l[i + i * n];
        }
    }
    // L⁻ᵀ from the right: the same along the rows.
    for row in 0..n {
        for i in 0..n {
            let mut x = k[row + i * n];
            for j in 0..i {
                x -= l[i + j * n] * k[row + j * n];
            }
            k[row + i * n] = x / l[i + i * n];
        }
    }
    k.iter().map(|x| x * x).sum::<f64>().sqrt()
}
