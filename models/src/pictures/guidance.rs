//! Pictures of paths, and of how controls answer steps.

use super::geometry::{curve, points};
use super::{Characteristic, CharacteristicCurve, POINTS};
use holonom::expression::ExpressionError;
use holonom::multibody::Signal;
use holonom::multibody::description::{Body, Called, Control, Description, Joint, JointKind, Path, Pursuit};
use holonom::multibody::elements::controls::{Pid, SteeringLaw};
use holonom::multibody::model::Model;
use holonom::multibody::path::{Iso3888One, Iso3888Two, PathCurve, PathError, PathKind, Points, Straight};
use holonom::multibody::workspace::Workspace;

const X: [&str; 2] = ["x", "m"];
const LEFT: [&str; 2] = ["y to the left", "m"];

/// The courses of ISO 3888, and a line through points with its curvature.
pub(super) fn paths() -> Result<Vec<Characteristic>, PathError> {
    const WIDTH: f64 = 1.8;
    let course = |title, kind: &PathKind, range: [f64; 2]| -> Result<Characteristic, PathError> {
        let path = PathCurve::new(kind)?;
        // The borders of these courses are functions of x; seen from y = 0 they are where they are.
        let border = |x: f64, side: usize| {
            let [left, right] = path.clearances(x, [x, 0.0]).unwrap_or([f64::NAN; 2]);
            [left, -right][side]
        };
        let mut middle = curve("path", range, |s| path.at(*s).place[1]);
        middle.x.iter_mut().for_each(|s| *s = path.at(*s).place[0]);
        Ok(Characteristic {
            title,
            x: X,
            y: LEFT,
            curves: vec![
                middle,
                curve("left border", range, |x| border(*x, 0)),
                curve("right border", range, |x| border(*x, 1)),
            ],
        })
    };
    let (x, y) = (
        vec![0.0, 20.0, 40.0, 60.0, 70.0, 55.0, 30.0],
        vec![0.0, 0.0, 4.0, 0.0, 15.0, 28.0, 25.0],
    );
    let given = CharacteristicCurve {
        label: "points".to_string(),
        x: x.clone(),
        y: y.clone(),
    };
    let line = PathCurve::new(&PathKind::from(Points {
        x: x.clone(),
        y: y.clone(),
        closed: false,
        lane: 0.0,
    }))?;
    let end = line.nearest([30.0, 25.0], [0.0, 200.0]);
    let mut through = curve("path", [0.0, end], |s| line.at(*s).place[1]);
    through.x.iter_mut().for_each(|s| *s = line.at(*s).place[0]);
    Ok(vec![
        course(
            "ISO 3888-1 for a vehicle of 1.8 m; nothing stands between the lanes",
            &Iso3888One::new(WIDTH).into(),
            [-5.0, 130.0],
        )?,
        course(
            "ISO 3888-2 for the same",
            &Iso3888Two::new(WIDTH).into(),
            [-5.0, 66.0],
        )?,
        Characteristic {
            title: "a path through seven points",
            x: X,
            y: LEFT,
            curves: vec![through, given],
        },
        Characteristic {
            title: "its curvature, positive to the left",
            x: ["arc", "m"],
            y: ["curvature", "1/m"],
            curves: vec![curve("curvature", [0.0, end], |s| line.at(*s).curvature)],
        },
    ])
}

/// Speed and wheelbase of the vehicle that a driver steers.
const SPEED: f64 = 15.0;
const WHEELBASE: f64 = 2.5;

/// Controls and a vehicle that rolls without slip: its course turns by V δ/l, δ being the first control.
struct Drive<'a> {
    model: &'a Model,
    work: Workspace<f64>,
    /// The own states, then x, y and yaw.
    y: Vec<f64>,
    speed: f64,
}

impl<'a> Drive<'a> {
    fn new(model: &'a Model, speed: f64, place: [f64; 3]) -> Self {
        Self {
            model,
            work: Workspace::new(model),
            y: model.x0.iter().copied().chain(place).collect(),
            speed,
        }
    }

    /// Where the vehicle is.
    fn place(y: &[f64]) -> [f64; 3] {
        match y {
            [.., x, y, yaw] => [*x, *y, *yaw],
            _ => [f64::NAN; 3],
        }
    }

    /// Outputs of the controls.
    fn outputs(&mut self, t: f64, y: &[f64]) -> &[f64] {
        let [x, aside, yaw] = Self::place(y);
        let (sin, cos) = yaw.sin_cos();
        self.work.set_time(self.model, t);
        self.work
            .set_positions(self.model, &[x, aside, 0.0, 0.0, 0.0, yaw]);
        self.work.set_states(y.split_at(self.model.x0.len()).0);
        // The angle of a driver is a state, and known before the course turns by it.
        let mut turn = 0.0;
        for _ in 0..2 {
            let velocities = [self.speed * cos, self.speed * sin, 0.0, 0.0, 0.0, turn];
            self.work.set_velocities(self.model, &velocities);
            self.work.evaluate_controls(self.model);
            turn = self.speed * self.work.known.controls.get(1).copied().unwrap_or(0.0) / WHEELBASE;
        }
        self.work.known.controls.get(1..).unwrap_or_default()
    }

    fn rates(&mut self, t: f64, y: &[f64]) -> Vec<f64> {
        self.outputs(t, y);
        let mut rates = vec![0.0; self.model.x0.len()];
        self.work.state_rates(self.model, &mut rates);
        let v = &self.work.known.v;
        rates.extend([v[0], v[1], v[5]]);
        rates
    }

    /// From t to t + h: midpoint rule in small steps.
    fn advance(&mut self, t: f64, h: f64) {
        const STEPS: usize = 20;
        let h = h / STEPS as f64;
        for i in 0..STEPS {
            let start = self.y.clone();
            let mut stage = start.clone();
            for share in [0.5, 1.0] {
                let rates = self.rates(t + h * (i as f64 + share - 0.5), &stage);
                for ((y, start), rate) in stage.iter_mut().zip(&start).zip(rates) {
                    *y = start + share * h * rate;
                }
            }
            self.y = stage;
        }
    }
}

/// What is noted while the time passes: outputs of all controls, then x, y and yaw. None if the sample
/// does not compile, which the tests exclude.
fn respond(
    controls: Vec<Control>,
    path: Option<Path>,
    speed: f64,
    place: [f64; 3],
    end: f64,
) -> Option<Vec<Vec<f64>>> {
    let inertia = [1.0, 1.0, 1.0, 0.0, 0.0, 0.0];
    let mut scene = Description::new("responses")
        .gravity([0.0; 3])
        .body(Body::new("body", 1.0).inertia(inertia))
        .joint(Joint::new("joint", JointKind::FreeCardan, "ground", "body"));
    scene.paths.extend(path);
    scene.controls = controls;
    let model = scene.compile().ok()?;
    let mut drive = Drive::new(&model, speed, place);
    let step = end / (POINTS - 1) as f64;
    let mut rows = Vec::with_capacity(POINTS);
    for k in 0..POINTS {
        let t = step * k as f64;
        let y = drive.y.clone();
        let mut row = drive.outputs(t, &y).to_vec();
        row.extend(Drive::place(&y));
        rows.push(row);
        drive.advance(t, step);
    }
    Some(rows)
}

/// One value of all rows over time.
fn over_time(label: impl Into<String>, end: f64, rows: &[Vec<f64>], k: usize) -> CharacteristicCurve {
    CharacteristicCurve {
        label: label.into(),
        x: points([0.0, end]),
        y: rows
            .iter()
            .map(|row| row.get(k).copied().unwrap_or(f64::NAN))
            .collect(),
    }
}

const TIME: [&str; 2] = ["time", "s"];
const OUTPUT: [&str; 2] = ["output", "1"];

/// How controls answer a step, and a driver the change to the lane beside.
pub(super) fn controls() -> Result<Vec<Characteristic>, ExpressionError> {
    Ok([filters(), pids(), loops()?, drivers()]
        .into_iter()
        .flatten()
        .collect())
}

fn filters() -> Option<Characteristic> {
    let one = || Signal::constant(1.0);
    let controls = vec![
        Control::lag("lag", one(), 0.4),
        Control::dead_time("dead", one(), 0.4),
        Control::transfer_function("second", one(), [16.0], [1.0, 2.4, 16.0]),
        Control::transfer_function("lead", one(), [1.0, 1.0], [2.0, 1.0]),
    ];
    let labels = [
        "lag, 0.4 s",
        "dead-time, 0.4 s",
        "transfer-function 16/(s² + 2.4 s + 16)",
        "transfer-function (s + 1)/(2 s + 1)",
    ];
    let end = 4.0;
    let rows = respond(controls, None, 0.0, [0.0; 3], end)?;
    Some(Characteristic {
        title: "inputs that are 1 from t = 0 on",
        x: TIME,
        y: OUTPUT,
        curves: labels
            .iter()
            .enumerate()
            .map(|(k, label)| over_time(*label, end, &rows, k))
            .collect(),
    })
}

/// A filter that the picture can show.
fn filtered(mut control: Called<Pid>) -> Called<Pid> {
    control.kind.filter = 0.1;
    control
}

fn pids() -> Option<Characteristic> {
    let pid = |name: &str, gains| {
        filtered(Control::pid(name, Signal::constant(0.0), gains)).target(Signal::constant(1.0))
    };
    let controls = vec![
        pid("proportional", [2.0, 0.0, 0.0]).into(),
        pid("integral", [2.0, 1.0, 0.0]).into(),
        pid("derivative", [2.0, 1.0, 0.2]).into(),
        pid("limited", [2.0, 1.0, 0.2]).limits(-3.0, 3.0).into(),
    ];
    let end = 2.0;
    let rows = respond(controls, None, 0.0, [0.0; 3], end)?;
    let labels = ["P", "P, I", "P, I, D", "P, I, D, limited to 3"];
    Some(Characteristic {
        title: "pid with a deviation of 1: P = 2, I = 1/s, D = 0.2 s, filter 0.1 s",
        x: TIME,
        y: OUTPUT,
        curves: labels
            .iter()
            .enumerate()
            .map(|(k, label)| over_time(*label, end, &rows, k))
            .collect(),
    })
}

/// Controllers that bring a plant with integral action to 1 against a disturbance.
fn loops() -> Result<Option<Characteristic>, ExpressionError> {
    let plant = || -> Result<Control, ExpressionError> {
        let input = Signal::of("controller - 0.5", &["controller"])?;
        Ok(Control::transfer_function("plant", input, [1.0], [1.0, 1.0, 0.0]))
    };
    let controller = |gains| -> Result<Called<Pid>, ExpressionError> {
        let pid = Control::pid("controller", Signal::of("plant", &["plant"])?, gains);
        Ok(filtered(pid).target(Signal::constant(1.0)))
    };
    let kinds = [
        ("P", controller([4.0, 0.0, 0.0])?),
        ("P, D", controller([4.0, 0.0, 2.0])?),
        ("P, I, D", controller([4.0, 2.0, 2.0])?),
        (
            "P, I, D, limited to ±1.5",
            controller([4.0, 2.0, 2.0])?.limits(-1.5, 1.5),
        ),
    ];
    let end = 8.0;
    let mut curves = Vec::with_capacity(kinds.len());
    for (label, controller) in kinds {
        let rows = respond(vec![controller.into(), plant()?], None, 0.0, [0.0; 3], end);
        curves.extend(rows.map(|rows| over_time(label, end, &rows, 1)));
    }
    Ok(Some(Characteristic {
        title: "pid at 1/(s² + s), disturbed by −0.5: P = 4, I = 2/s, D = 2 s",
        x: TIME,
        y: ["plant", "1"],
        curves,
    }))
}

fn drivers() -> Option<Characteristic> {
    let mut curves = Vec::new();
    for preview_time in [0.5, 1.0, 2.0] {
        let law = SteeringLaw {
            wheelbase: WHEELBASE,
            preview_time,
            ..SteeringLaw::default()
        };
        let driver = Control::driver_steering("driver", Pursuit::new("lane", "body"), law);
        let lane = Path::new("lane", Straight { lane: 0.0 });
        let rows = respond(vec![driver], Some(lane), SPEED, [0.0, -1.0, 0.0], 4.0)?;
        let column = |k: usize| rows.iter().map(|row| row[k]).collect();
        curves.push(CharacteristicCurve {
            label: format!("preview {preview_time} s"),
            x: column(1),
            y: column(2),
        });
    }
    Some(Characteristic {
        title: "driver-steering at 15 m/s from 1 m beside the path",
        x: X,
        y: LEFT,
        curves,
    })
}
