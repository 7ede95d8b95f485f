//! The modal run of the published program, with its laws, its coordinates and its linearisation.
//!
//! What it does differs from a linearisation of the vehicle in five ways, all read from its source files:
//!
//! 1. The spring and damper units are F = k L + d L̇ with the slope k of the cubic at rest, but with the
//!    whole length L instead of its change: at 0.44 m a pull of 11 and 16 kN where the cubic pushes with
//!    0.3 kN. Nothing balances it, so that the state is not one of rest.
//! 2. The cornering stiffness C_α multiplies the slip angle to a *moment* about the vertical, 41.6 kN m/rad
//!    on a front wheel. The side force itself is there too, as C_α/V times the speed of the wheel centre.
//! 3. The camber stiffness, likewise, makes a moment about the longitudinal axis.
//! 4. Load and side force act behind the wheel centre by the pneumatic trail.
//! 5. The joint accelerations of the unbalanced state are held while positions change, those of dependent
//!    joints included, which then no longer fit the closed loops.
//!
//! The last one makes the figures depend on the coordinates, so that the mechanism is built here as there:
//! chassis by x, y, z, pitch, roll and yaw, wheels on leaf and carrier, loops cut at the arms.

use super::{Complex, FLAT, failed};
use crate::Error;
use holonom::Real;
use holonom::algebra::{Dual8, Formula, Generic, Vec3};
use holonom::analysis::dense::{Lu, Matrix, Svd, eigen};
use holonom::analysis::displacement_names;
use holonom::analysis::modes::{Modes, modes, state_of};
use holonom::analysis::statics::{StaticsOptions, equilibrium};
use holonom::format::{Files, read_with_offsets};
use holonom::multibody::Description;
use holonom::multibody::channels::{Catalogue, Sampler};
use holonom::multibody::description::{Body, Force, ForceKind, Joint};
use holonom::multibody::elements::forces::{self, CalspanTyre, User};
use holonom::multibody::residual::{Form, Formalism};
use holonom::multibody::start::{Assembled, AssemblyOptions};
use std::sync::Arc;

const CORNER: &str = include_str!("published_corner.toml");

const SPEED: f64 = 20.0;
/// Of the centre of mass in the nominal position, m.
const HEIGHT: f64 = 0.57;
/// Of a unit, N s/m.
const DAMPING: f64 = 9945.627;
/// Of a tyre, N/m.
const STIFFNESS: f64 = 460e3;
/// Of a wheel about its axle, kg m².
const INERTIA: f64 = 1.908;

/// What differs between front and rear.
struct Axle {
    radius: f64,
    /// Slope of the unit at rest, N/m.
    unit: f64,
    /// C_α, N/rad, taken as N m/rad.
    cornering: f64,
    /// Of camber, likewise.
    camber: f64,
    /// Pneumatic trail, m.
    trail: f64,
    /// C_α/V, N s/m.
    lateral: f64,
}

const FRONT: Axle = Axle {
    radius: 0.364_325,
    unit: 24529.0,
    cornering: 41641.0,
    camber: 6925.0,
    trail: 0.06553,
    lateral: 2082.05,
};

const REAR: Axle = Axle {
    radius: 0.363_812,
    unit: 36975.0,
    cornering: 40162.0,
    camber: 6600.0,
    trail: 0.06142,
    lateral: 2008.1,
};

/// The tyre of that program, on the plane z = 0: at rest the load alone, in its modal run all of the above
/// and the gyroscopic moment of the wheel, which turns at V/r₀.
struct Tyre {
    axle: &'static Axle,
    modal: bool,
}

impl Formula for Tyre {
    fn inputs(&self) -> usize {
        User::INPUTS
    }

    fn outputs(&self) -> usize {
        User::OUTPUTS
    }

    fn evaluate<T: Real>(&self, x: &[T], y: &mut [T]) {
        let a = self.axle;
        let height = x[3];
        let load = (-height + a.radius) * STIFFNESS;
        let mut force = Vec3([T::zero(), T::zero(), load]);
        let mut moment = Vec3::zero();
        if self.modal {
            let axle = Vec3([x[5], x[8], x[11]]);
            let velocity = Vec3([x[13], x[14], x[15]]);
            let omega = Vec3([x[16], x[17], x[18]]);
            let up = Vec3([T::zero(), T::zero(), T::one()]);
            let along = axle.cross(up);
            let forward = along.scale(along.norm_squared().sqrt().recip());
            let sideways = up.cross(forward);
            let spoke = forward.cross(axle);
            let camber = (axle.dot(up) / spoke.dot(up)).atan();
            let slip = (velocity.dot(sideways) / velocity.dot(forward)).atan();
            force += sideways.scale(-velocity.dot(sideways) * a.lateral);
            moment += forward.scale(camber * a.camber) + up.scale(slip * a.cornering);
            let arm = -forward.scale(T::constant(a.trail)) - spoke.scale(height / spoke.dot(up));
            moment += arm.cross(force);
            moment += omega.cross(axle).scale(T::constant(-INERTIA * SPEED / a.radius));
        }
        y[..3].copy_from_slice(&force.0);
        y[3..].copy_from_slice(&moment.0);
    }
}

/// With which laws.
#[derive(Clone, Copy, PartialEq)]
enum Laws {
    /// Of rest: the loads of tyres, the cubic units.
    Rest,
    /// Of the modal run, but with the cubic units.
    Tyres,
    /// Of the modal run.
    All,
}

/// The vehicle in the coordinates of that program.
fn description(laws: Laws) -> Result<Description, Error> {
    let modal = laws != Laws::Rest;
    let entry = holonom_models::find("iltis").ok_or_else(|| failed("it is not shipped"))?;
    let main = entry.files().text(entry.path().as_ref()).map_err(failed)?;
    let files = Files::in_memory([
        (entry.path(), main),
        ("corner.toml".to_string(), CORNER.to_string()),
    ]);
    let parameters = FLAT.map(|(name, value)| (name.to_string(), value.to_string()));
    let read = read_with_offsets(entry.path(), &files, &parameters, &[]).map_err(Error::Model)?;
    let mut d = read.description;
    for force in &mut d.forces {
        let axle = if force.name.starts_with("front") {
            &FRONT
        } else {
            &REAR
        };
        let name = force.name.clone();
        match &force.kind {
            ForceKind::CalspanTyre(CalspanTyre { mount, .. }) => {
                let law = Generic::new(Tyre { axle, modal }).map_err(failed)?;
                *force = Force::user(name, "ground", mount.wheel.clone(), Arc::new(law));
            }
            ForceKind::Expression(forces::Expression { from, to, .. })
                if laws == Laws::All && name.ends_with("_unit") =>
            {
                *force = Force::spring_damper(name, from.clone(), to.clone(), axle.unit, DAMPING, 0.0).into();
            }
            _ => {}
        }
    }
    d.joints.retain(|joint| joint.name != "motion");
    let speed = if modal { SPEED } else { 0.0 };
    let steps: [(&str, [f64; 3]); 6] = [
        ("x", [1.0, 0.0, 0.0]),
        ("y", [0.0, 1.0, 0.0]),
        ("z", [0.0, 0.0, 1.0]),
        ("pitch", [0.0, 1.0, 0.0]),
        ("roll", [1.0, 0.0, 0.0]),
        ("yaw", [0.0, 0.0, 1.0]),
    ];
    let mut from = "ground".to_string();
    for (k, (name, axis)) in steps.into_iter().enumerate() {
        let to = if k == 5 {
            "chassis".to_string()
        } else {
            d = d.body(Body::new(format!("step_{name}"), 0.0));
            format!("step_{name}")
        };
        let joint = if k < 3 {
            Joint::prismatic(name, from, &to)
        } else {
            Joint::revolute(name, from, &to)
        };
        let start = match name {
            "x" => (0.0, speed),
            "z" => (HEIGHT, 0.0),
            _ => (0.0, 0.0),
        };
        d = d.joint(joint.axis(axis).start(start.0, start.1));
        from = to;
    }
    Ok(d)
}

fn assembled(laws: Laws, positions: Option<Vec<f64>>) -> Result<Assembled, Error> {
    let model = description(laws)?.compile().map_err(failed)?;
    let options = AssemblyOptions {
        positions,
        ..AssemblyOptions::default()
    };
    Arc::new(model).assemble(&options).map_err(failed)
}

/// The position of rest of that program, with loads at the wheel centres, and half a unit of the last digit
/// printed: `2_Equilibrium_Report.txt`.
pub const REST: [(&str, f64, f64); 8] = [
    ("heave [mm]", -7.083, 5e-4),
    ("pitch [°]", 0.1465, 5e-5),
    ("load of a front tyre [N]", 3831.31, 5e-3),
    ("load of a rear tyre [N]", 3591.91, 5e-3),
    ("front unit [N]", -335.29, 5e-3),
    ("rear unit [N]", -241.64, 5e-3),
    ("front leaf [N]", -3068.62, 5e-3),
    ("rear leaf [N]", -2885.51, 5e-3),
];

/// The same of ours. Springs push, so that their forces are negative.
fn at_rest(rest: &Assembled) -> Result<Vec<f64>, Error> {
    let catalogue = Catalogue::new(rest);
    let sizes = |element: &str| -> Result<f64, Error> {
        let selection = catalogue
            .select(&[format!("{element}.force.*").as_str()])
            .map_err(failed)?;
        let mut row = vec![0.0; selection.len()];
        let mut sampler = Sampler::of_motion(rest, &selection).map_err(failed)?;
        sampler.sample_motion(&rest.motion(), &mut row);
        Ok(row.iter().map(|x| x * x).sum::<f64>().sqrt())
    };
    let place = |name: &str| {
        let k = rest.model.position_names.iter().position(|n| n == name);
        k.map(|k| rest.q[k])
            .ok_or_else(|| failed(format!("there is no coordinate `{name}`")))
    };
    Ok(vec![
        1e3 * (place("z")? - HEIGHT),
        place("pitch")?.to_degrees(),
        sizes("front_left_tyre")?,
        sizes("rear_left_tyre")?,
        -sizes("front_left_unit")?,
        -sizes("rear_left_unit")?,
        -sizes("front_left_leaf_spring")?,
        -sizes("rear_left_leaf_spring")?,
    ])
}

/// What the steps from that table to the vehicle give.
pub struct Steps {
    /// What the position of rest is like, in the order of [`REST`].
    pub rest: Vec<f64>,
    /// That modal run.
    pub held: Vec<Complex>,
    /// The same laws at the same state, with accelerations that fit the loops.
    pub fitting: Modes,
    /// With units that are in balance.
    pub balanced: Modes,
}

/// All steps, and the names of coordinates.
pub fn run() -> Result<(Steps, Vec<String>), Error> {
    let rest = equilibrium(&assembled(Laws::Rest, None)?, &StaticsOptions::default()).map_err(failed)?;
    let [tyres, all] = [Laws::Tyres, Laws::All].map(|laws| assembled(laws, Some(rest.state.q.clone())));
    let (tyres, all) = (tyres?, all?);
    let look = |at: &Assembled| modes(at, &state_of(at)).map_err(failed);
    let steps = Steps {
        rest: at_rest(&rest.start)?,
        held: held(&all)?,
        fitting: look(&all)?,
        balanced: look(&tyres)?,
    };
    Ok((steps, displacement_names(&all.model)))
}

/// M δü + D δu̇ + K δu = 0 with M = Bᵀ ∂f/∂v̇ B, D = Bᵀ ∂f/∂v B and K = Bᵀ ∂f/∂q B of the equations
/// f(q, v, v̇, λ) = 0, where v̇ and λ do not change, and B spans the velocities that the loops allow.
/// (Only x moves, which the loops do not know: B changes with positions but not along the motion.)
fn held(at: &Assembled) -> Result<Vec<Complex>, Error> {
    let equations = at.equations(Form::Index1, Formalism::Residual).map_err(failed)?;
    let (y, yp) = at.state(&equations);
    let mut system = equations.system();
    let (n, rows) = (at.v.len(), at.lambda.len());
    let size = y.len();
    let constants = |x: &[f64]| x.iter().map(|x| Dual8::constant(*x)).collect::<Vec<_>>();
    // Column j of the derivatives by y (or ẏ) from `first` on.
    let mut derivative = |first: usize, of_rates: bool| -> Result<Matrix, Error> {
        let mut all = Matrix::zeros(size, n);
        for j in 0..n {
            let (mut y, mut yp) = (constants(&y), constants(&yp));
            let target = if of_rates { &mut yp } else { &mut y };
            target[first + j] = target[first + j].with_derivative(0, 1.0);
            let mut r = constants(&vec![0.0; size]);
            system
                .residual_dual8(Dual8::constant(at.t), &y, &yp, &mut r)
                .map_err(|e| failed(format!("{e}")))?;
            for (i, r) in r.iter().enumerate() {
                all[(i, j)] = r.derivative(0);
            }
        }
        Ok(all)
    };
    let by = [derivative(0, false)?, derivative(n, false)?, derivative(n, true)?];
    let all: Vec<usize> = (0..n).collect();
    let forces: Vec<usize> = (n..2 * n).collect();
    let loops: Vec<usize> = (size - rows..size).collect();
    let basis = Svd::new(&by[2].part(&loops, &all)).null_space(1e-10);
    let [k, d, m] = by.map(|by| {
        let by = by.part(&forces, &all);
        basis.transpose().times(&by).times(&basis)
    });
    let u = m.rows();
    let lu = Lu::new(m);
    let (k, d) = (lu.solve_matrix(k), lu.solve_matrix(d));
    let a = Matrix::from_fn(2 * u, 2 * u, |i, j| match (i < u, j < u) {
        (true, _) => f64::from(u8::from(j == i + u)),
        (false, true) => -k[(i - u, j)],
        (false, false) => -d[(i - u, j - u)],
    });
    let found = eigen(&a, &vec![1.0; 2 * u], 1e-13).map_err(failed)?;
    Ok(found.values.into_iter().filter(|z| z.im > 0.0).collect())
}
