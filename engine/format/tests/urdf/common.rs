//! Files, compiled robots, and forward kinematics written a second time.

use holonom_format::urdf::{self, Imported, Options};
use holonom_multibody::Model;
use holonom_multibody::workspace::Workspace;
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/urdf")
        .join(name)
}

/// All files of a folder with an ending, by name without it.
pub fn files(name: &str, ending: &str) -> Vec<(String, String)> {
    let mut files: Vec<(String, String)> = std::fs::read_dir(folder(name))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == ending))
        .map(|path| {
            let stem = path.file_stem().unwrap().to_str().unwrap().to_string();
            (stem, std::fs::read_to_string(path).unwrap())
        })
        .collect();
    files.sort();
    files
}

pub struct Robot {
    pub imported: Imported,
    pub model: Arc<Model>,
}

pub fn robot(name: &str) -> Robot {
    robot_with(name, &Options::default())
}

pub fn robot_with(name: &str, options: &Options) -> Robot {
    let path = folder("good").join(format!("{name}.urdf"));
    robot_of(
        &std::fs::read_to_string(&path).unwrap(),
        path.to_str().unwrap(),
        options,
    )
}

/// A file that no other reader minds but that is not quite URDF.
pub fn odd(name: &str) -> Robot {
    let path = folder("odd").join(format!("{name}.urdf"));
    let text = std::fs::read_to_string(&path).unwrap();
    robot_of(&text, path.to_str().unwrap(), &Options::default())
}

pub fn robot_of(text: &str, name: &str, options: &Options) -> Robot {
    let imported = urdf::read_with(text, name, options).unwrap();
    let model = match imported.description.compile() {
        Ok(model) => Arc::new(model),
        Err(errors) => panic!("{name}: {errors}"),
    };
    Robot { imported, model }
}

impl Robot {
    pub fn freedoms(&self) -> usize {
        self.model
            .assemble(&Default::default())
            .unwrap()
            .degrees_of_freedom()
    }

    pub fn mass(&self) -> f64 {
        self.model.bodies.iter().map(|b| b.mass).sum()
    }

    /// Position and axes of a link by its name in the file.
    pub fn pose(&self, link: &str, q: &[f64]) -> Placement {
        let frame = self.imported.frame(link).unwrap();
        let (body, marker) = frame.split_once('.').map_or((frame, None), |(b, m)| (b, Some(m)));
        let description = &self.imported.description;
        let snapshot = self.model.snapshot(0.0, q, &vec![0.0; self.model.tree.n_v]);
        let pose = snapshot.pose(self.model.body_index(body).unwrap());
        let markers = match description.bodies.iter().find(|b| b.name == body) {
            Some(body) => &body.markers,
            None => &description.ground,
        };
        let pose = match marker {
            Some(marker) => pose.then(&markers.iter().find(|m| m.name == marker).unwrap().frame),
            None => pose,
        };
        Placement {
            position: pose.position.0,
            axes: pose.rotation.0,
        }
    }

    /// M a − f at rest with a = 0: what holds the robot.
    pub fn holding(&self, q: &[f64], v: &[f64]) -> Vec<f64> {
        let n = self.model.tree.n_v;
        let mut work = Workspace::<f64>::new(&self.model);
        work.set_time(&self.model, 0.0);
        work.set_positions(&self.model, q);
        work.set_velocities(&self.model, v);
        work.clear_loads();
        work.add_forces(&self.model);
        let mut out = vec![0.0; n];
        work.newton_euler(&self.model, &vec![0.0; n], &mut out);
        out
    }

    /// Lower triangle of the mass matrix, column by column.
    pub fn mass_matrix(&self, q: &[f64]) -> Vec<f64> {
        let n = self.model.tree.n_v;
        let mut work = Workspace::<f64>::new(&self.model);
        work.set_time(&self.model, 0.0);
        work.set_positions(&self.model, q);
        work.set_velocities(&self.model, &vec![0.0; n]);
        let mut mass = vec![0.0; n * n];
        work.mass(&self.model, &mut mass);
        mass
    }
}

type Matrix = [[f64; 3]; 3];

/// Where something is: plain arrays, so that nothing of the library is used for what is expected.
#[derive(Clone, Copy, Debug)]
pub struct Placement {
    pub position: [f64; 3],
    pub axes: Matrix,
}

fn product(a: Matrix, b: Matrix) -> Matrix {
    let entry = |i: usize, j: usize| (0..3).map(|k| a[i][k] * b[k][j]).sum();
    std::array::from_fn(|i| std::array::from_fn(|j| entry(i, j)))
}

/// Rodrigues' formula.
fn turn([x, y, z]: [f64; 3], angle: f64) -> Matrix {
    let n = (x * x + y * y + z * z).sqrt();
    let (x, y, z) = (x / n, y / n, z / n);
    let (s, c) = angle.sin_cos();
    let d = 1.0 - c;
    [
        [c + d * x * x, d * x * y - s * z, d * x * z + s * y],
        [d * x * y + s * z, c + d * y * y, d * y * z - s * x],
        [d * x * z - s * y, d * y * z + s * x, c + d * z * z],
    ]
}

impl Placement {
    pub const ORIGIN: Self = Self {
        position: [0.0; 3],
        axes: [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
    };

    /// Moved in its own axes.
    pub fn shifted(self, [x, y, z]: [f64; 3]) -> Self {
        let a = self.axes;
        let position = std::array::from_fn(|i| self.position[i] + a[i][0] * x + a[i][1] * y + a[i][2] * z);
        Self { position, ..self }
    }

    /// Turned about an axis of its own.
    pub fn turned(self, axis: [f64; 3], angle: f64) -> Self {
        let axes = product(self.axes, turn(axis, angle));
        Self { axes, ..self }
    }

    /// An `<origin>`: fixed axes x, y, z are the moving ones z, y, x.
    pub fn origin(self, xyz: [f64; 3], [roll, pitch, yaw]: [f64; 3]) -> Self {
        self.shifted(xyz)
            .turned([0.0, 0.0, 1.0], yaw)
            .turned([0.0, 1.0, 0.0], pitch)
            .turned([1.0, 0.0, 0.0], roll)
    }
}

#[track_caller]
pub fn close(found: &[f64], expected: &[f64]) {
    assert_eq!(found.len(), expected.len());
    let near = found
        .iter()
        .zip(expected)
        .all(|(a, b)| (a - b).abs() < 1e-12 * (1.0 + b.abs()));
    assert!(near, "{found:?} instead of {expected:?}");
}

#[track_caller]
pub fn same(found: Placement, expected: Placement) {
    close(&found.position, &expected.position);
    close(found.axes.as_flattened(), expected.axes.as_flattened());
}
