//! Bodies, markers and frames.

use super::Reader;
use super::table_reader::TableReader;
use crate::tree::{Kind, Table, Value};
use core::ops::Range;
use holonom_algebra::{CardanAngles, Mat3, Pose, Vec3};
use holonom_multibody::description::{Body, Frame, Marker, ShapeKind, frame};
use holonom_multibody::diagnostic::{Thing, ThingKind};

/// Ways to give an orientation; at most one of them stands in a table.
pub(crate) const ORIENTATIONS: [&str; 4] = ["cardan", "quaternion", "z_axis", "matrix"];

/// Homogeneous solids.
pub(crate) const SOLIDS: [&str; 5] = ["ball", "box", "cylinder", "thin_rod", "planar"];

impl Reader<'_, '_> {
    pub(super) fn body(&mut self, table: &Table) {
        let mut fields = TableReader::new(self, table, "a body");
        let name = fields.name(ThingKind::Body);
        let mut body = Body::new(&name, 1.0);
        body.fields(&mut fields);
        let solid = fields.optional("solid");
        let markers = fields.optional("markers");
        let given: Vec<_> = ["inertia", "centre"]
            .into_iter()
            .filter_map(|key| table.entries.iter().find(|e| e.key == key))
            .collect();
        fields.finish();
        if let Some(solid) = solid {
            for entry in given {
                // Only a rod says where its centre is.
                let said_twice = entry.key == "inertia" || is_rod(solid);
                if said_twice {
                    let text = format!("body \"{name}\": `solid` already determines the {}", entry.key);
                    self.error_with_help(&entry.key_span, text, "remove one of them");
                }
            }
            if let Some(shape) = self.solid(solid, &body) {
                body.inertia = shape.inertia;
                if is_rod(solid) {
                    body.centre = shape.centre;
                }
            }
        }
        if let Some(markers) = markers {
            body.markers = self.markers(markers, Some(&name));
        }
        self.model.description.bodies.push(body);
    }

    pub(super) fn ground(&mut self, value: &Value) {
        let Some(table) = self.table(value) else { return };
        self.is_about("the ground");
        let mut fields = TableReader::new(self, table, "the ground");
        let markers = fields.optional("markers");
        fields.finish();
        if let Some(markers) = markers {
            self.model.description.ground = self.markers(markers, None);
        }
    }

    /// A body with the moments of a homogeneous solid of the mass of `body`.
    fn solid(&mut self, value: &Value, body: &Body) -> Option<Body> {
        let table = self.table(value)?;
        self.unknown_keys(table, "a solid", &SOLIDS);
        let [entry] = table.entries.as_slice() else {
            let text = "give exactly one shape, such as { box = [0.1, 0.2, 0.3] }";
            self.error_with_help(&value.span, text, format!("choose one of {}", SOLIDS.join(", ")));
            return None;
        };
        let (value, mass) = (&entry.value, body.mass);
        match entry.key.as_str() {
            "ball" => {
                let radius = self.number(value, "m");
                self.look_of_solid(body, ShapeKind::Sphere { radius });
                Some(Body::ball("", mass, radius))
            }
            "box" => {
                let size = self.numbers(value, "m")?;
                self.look_of_solid(body, ShapeKind::Box { size });
                Some(Body::cuboid("", mass, size))
            }
            "thin_rod" => {
                let end = self.numbers(value, "m")?;
                self.look_of_rod(body, end);
                Some(Body::thin_rod("", mass, end))
            }
            "planar" => Some(Body::planar("", mass, self.number(value, "kg m²"))),
            "cylinder" => {
                let table = self.table(value)?;
                let mut fields = TableReader::new(self, table, "a cylinder");
                let radius = fields.required("radius", "its radius [m]");
                let length = fields.required("length", "its length along z [m]");
                fields.finish();
                let (radius, length) = (self.number(radius?, "m"), self.number(length?, "m"));
                self.look_of_solid(body, ShapeKind::Cylinder { radius, length });
                Some(Body::cylinder("", mass, radius, length))
            }
            _ => None,
        }
    }

    /// Markers of a body, or of the ground.
    fn markers(&mut self, value: &Value, body: Option<&str>) -> Vec<Marker> {
        let Some(table) = self.table(value) else {
            return Vec::new();
        };
        let mut markers = Vec::with_capacity(table.entries.len());
        for entry in &table.entries {
            let marker = Thing::marker(&entry.key, body.map(str::to_string));
            let thing = marker.to_string();
            self.remember(marker, None, &entry.key_span);
            let frame = match &entry.value.kind {
                Kind::Table(table) => {
                    let mut fields = TableReader::new(self, table, thing);
                    let (position, turn) = fields.frame_fields();
                    fields.finish();
                    self.frame(position, turn)
                }
                _ => self.numbers(&entry.value, "m").map(frame::at),
            };
            markers.push(Marker {
                name: entry.key.clone(),
                frame: frame.unwrap_or(Pose::identity()),
            });
        }
        markers
    }

    /// A frame from its position and one way to give an orientation.
    pub(super) fn frame(&mut self, position: Option<&Value>, turn: Option<(&str, &Value)>) -> Option<Frame> {
        let position = match position {
            Some(value) => self.numbers(value, "m")?,
            None => [0.0; 3],
        };
        let Some((key, value)) = turn else {
            return Some(frame::at(position));
        };
        Some(match key {
            "cardan" => {
                let angles = self.numbers(value, "rad")?;
                Pose::new(Mat3(CardanAngles(angles).rotation_matrix()), Vec3(position))
            }
            "quaternion" => frame::oriented(position, self.quaternion(value)?),
            "z_axis" => {
                let axis = self.numbers(value, "")?;
                self.nonzero(&axis, "an axis", &value.span)?;
                frame::along(position, axis)
            }
            _ => Pose::new(nearest_rotation(Mat3(self.matrix(value)?)), Vec3(position)),
        })
    }

    /// Euler parameters, scalar first, not all zero.
    pub(super) fn quaternion(&mut self, value: &Value) -> Option<[f64; 4]> {
        let parameters = self.numbers(value, "")?;
        self.nonzero(&parameters, "a quaternion", &value.span)?;
        Some(parameters)
    }

    fn nonzero(&mut self, numbers: &[f64], what: &str, span: &Range<usize>) -> Option<()> {
        let square: f64 = numbers.iter().map(|x| x * x).sum();
        if square > 0.0 && square.is_finite() {
            return Some(());
        }
        if square.is_nan() {
            // Said where the number stands.
            return None;
        }
        let text = self.about(format!(
            "{what} needs numbers of moderate size that are not all zero"
        ));
        self.error(span, text);
        None
    }

    fn matrix(&mut self, value: &Value) -> Option<[[f64; 3]; 3]> {
        let rows = self.list(value)?;
        if rows.len() != 3 {
            self.error(
                &value.span,
                format!("3 rows of 3 numbers are expected here, not {} rows", rows.len()),
            );
            return None;
        }
        let mut matrix = [[0.0; 3]; 3];
        for (row, value) in matrix.iter_mut().zip(rows) {
            *row = self.numbers(value, "")?;
        }
        Some(matrix)
    }
}

impl<'t> TableReader<'t, '_, '_, '_> {
    /// Position and orientation, as given.
    pub fn frame_fields(&mut self) -> (Option<&'t Value>, Option<(&'static str, &'t Value)>) {
        let position = self.optional("position");
        let mut turn = None;
        for key in ORIENTATIONS {
            let Some(value) = self.optional(key) else { continue };
            if let Some((other, _)) = turn {
                let text = format!("{}: `{key}` and `{other}` both give the orientation", self.thing);
                self.reader
                    .error_with_help(&value.span, text, "remove one of them");
            } else {
                turn = Some((key, value));
            }
        }
        (position, turn)
    }
}

/// Entries of a rotation printed with six digits may miss right angles and unit length by this much.
const PRINTED: f64 = 1e-5;

/// What rounding of numbers in the machine may leave of right angles and unit length.
const ROUNDING: f64 = 1e-14;

/// The rotation that a matrix with printed digits means: R := R (3 I − RᵀR)/2 doubles the digits that are
/// right [Higham 1986]. What is no rotation to six digits is left for the compiler to refuse.
fn nearest_rotation(mut rotation: Mat3<f64>) -> Mat3<f64> {
    for _ in 0..4 {
        let skew = rotation.transpose().matrix(&rotation) - Mat3::identity();
        let most = skew.0.as_flattened().iter().fold(0.0_f64, |a, x| a.max(x.abs()));
        if !(ROUNDING..=PRINTED).contains(&most) {
            break;
        }
        let change = rotation.matrix(&skew);
        for (x, d) in rotation
            .0
            .as_flattened_mut()
            .iter_mut()
            .zip(change.0.as_flattened())
        {
            *x -= 0.5 * d;
        }
    }
    rotation
}

fn is_rod(solid: &Value) -> bool {
    matches!(&solid.kind, Kind::Table(table) if table.get("thin_rod").is_some())
}
