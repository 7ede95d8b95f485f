//! Reference values at the end of a run, with their provenance.

use holonom::format::Messages;
use holonom::multibody::residual::Form;
use holonom::multibody::{Description, Model};

/// A state to be reached: what to look at, when, and the values there.
#[derive(Clone, Copy)]
pub struct Reference {
    /// Name for reports.
    pub name: &'static str,
    /// The mechanism.
    pub build: fn() -> Result<Description, Messages>,
    /// Form of the equations it is judged in.
    pub form: Form,
    /// End of the run, s.
    pub t_end: f64,
    /// The quantities compared, from t, q and v.
    pub observe: fn(&Model, f64, &[f64], &[f64]) -> Vec<f64>,
    /// Their values.
    pub values: &'static [f64],
    /// Where the values come from.
    pub source: &'static str,
}

impl Reference {
    /// Mixed digits of a state: −log₁₀ max |x − x_ref| / (1 + |x_ref|).
    pub fn digits(&self, model: &Model, q: &[f64], v: &[f64]) -> f64 {
        let seen = (self.observe)(model, self.t_end, q, v);
        if seen.len() != self.values.len() || seen.iter().any(|x| x.is_nan()) {
            return f64::NEG_INFINITY; // the maximum below would not see it
        }
        let error = seen
            .iter()
            .zip(self.values)
            .map(|(x, r)| (x - r).abs() / (1.0 + r.abs()))
            .fold(0.0, f64::max);
        -error.log10()
    }
}

/// x, y and their rates of a point of a body.
fn planar(model: &Model, t: f64, q: &[f64], v: &[f64], body: &str, point: [f64; 3]) -> Vec<f64> {
    let Some(body) = model.body_index(body) else {
        return Vec::new();
    };
    let (x, xd) = model.snapshot(t, q, v).point(body, point);
    vec![x[0], x[1], xd[0], xd[1]]
}

fn top(model: &Model, t: f64, q: &[f64], v: &[f64]) -> Vec<f64> {
    planar(model, t, q, v, "upright0", [0.0, 1.0, 0.0])
}

/// The angles of Andrews' mechanism and their rates in the order of the IVP test set.
fn andrews_state(model: &Model, _t: f64, q: &[f64], v: &[f64]) -> Vec<f64> {
    let order = ["O", "F", "B", "P", "A5", "Q", "A7"];
    let index = |name: &&str| model.position_names.iter().position(|n| n == name);
    let found: Vec<usize> = order.iter().filter_map(index).collect();
    found
        .iter()
        .map(|&i| q[i])
        .chain(found.iter().map(|&i| v[i]))
        .collect()
}

/// The reference states there are.
pub fn all() -> &'static [Reference] {
    const REFERENCES: &[Reference] = &[
        Reference {
            name: "pendulum",
            build: || crate::description("pendulum"),
            form: Form::Ode,
            t_end: 10.0,
            observe: |m, t, q, v| planar(m, t, q, v, "bob", [0.0, -1.0, 0.0])[..2].to_vec(),
            values: &[-0.27508746257611686005, -0.96141920509912506427],
            source: "closed form with Jacobian elliptic functions; IFToMM library, A01",
        },
        Reference {
            name: "double-pendulum",
            build: || crate::description("double-pendulum"),
            form: Form::Ode,
            t_end: 5.0,
            observe: |_, _, q, v| vec![q[0], q[0] + q[1], v[0], v[0] + v[1]],
            values: &[
                -6.2718670506653073e-1,
                -1.3013155502098117,
                2.1254086738429107,
                3.8818887272656074,
            ],
            source: "own computation, Radau IIA of order 13 in quadruple precision, 17 digits",
        },
        Reference {
            name: "n-four-bar:2",
            build: || crate::description("n-four-bar"),
            form: Form::Ggl,
            t_end: 10.0,
            observe: top,
            values: &[
                0.3284581115408153786522,
                0.9445185381786009621613,
                1.423051470206944123281,
                -0.4948688454870429589909,
            ],
            source: "closed form with Jacobian elliptic functions; IFToMM library, A02",
        },
        Reference {
            name: "n-four-bar:40",
            build: || Ok(crate::n_four_bar(40)),
            form: Form::Ggl,
            t_end: 10.0,
            observe: top,
            values: &[
                0.1805122266867283901032,
                0.9835727405823115748813,
                1.14844127746941413332,
                -0.2107700667794239317794,
            ],
            source: "closed form with Jacobian elliptic functions; IFToMM library, A02 (the size of the original LIM version)",
        },
        Reference {
            name: "andrews",
            build: || crate::description("andrews"),
            form: Form::Ggl,
            t_end: 0.03,
            observe: andrews_state,
            values: &[
                1.58107711951537071e+1,
                -1.57563710584118395e+1,
                4.08222401196458049e-2,
                -5.34730116342079594e-1,
                5.24409965879954069e-1,
                5.34730116342079594e-1,
                1.04808074104193787,
                1.13992030225910606e+3,
                -1.42437929517754007e+3,
                1.10329119106185937e+1,
                1.92933741050320408e+1,
                5.73569914829502454e-1,
                -1.92933741050320408e+1,
                3.23179149249130875e-1,
            ],
            source: "own computation, Radau IIA of order 13 in quadruple precision, 18 digits",
        },
        Reference {
            name: "tumbling-body",
            build: || crate::description("tumbling-body"),
            form: Form::Ode,
            t_end: 50.0,
            observe: |m, t, q, v| {
                let at = m.snapshot(t, q, v);
                let mut e = at.orientation(1);
                if e[0] < 0.0 {
                    e = e.map(|x| -x);
                }
                e.into_iter().chain(at.angular_velocity(1).0).collect()
            },
            values: &[
                3.80979709192103532e-1,
                -9.9999921021775702e-3,
                -9.24489842150399004e-1,
                -8.54360009521411242e-3,
                2.53640862814745328e-2,
                9.99678779972399892e-1,
                1.46667068888927778e-2,
            ],
            source: "own computation, 18 digits; angular velocity from the closed form",
        },
    ];
    REFERENCES
}

/// The reference state with this name.
pub fn find(name: &str) -> Option<&'static Reference> {
    all().iter().find(|r| r.name == name)
}
