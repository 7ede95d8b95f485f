//! What a sweep says about a wheel: toe, camber, track and wheel rate.

use crate::error::Error;
use holonom::algebra::Vec3;
use holonom::multibody::Model;
use holonom::multibody::start::Assembled;
use holonom_text::did_you_mean;

/// Columns that are added, with their units.
pub const COLUMNS: [(&str, &str); 7] = [
    ("wheel.travel", "m"),
    ("wheel.steer", "deg"),
    ("wheel.toe", "deg"),
    ("wheel.camber", "deg"),
    ("wheel.track", "m"),
    ("wheel.recession", "m"),
    ("wheel.rate", "N/m"),
];

/// The wheel that is looked at: a body, or a marker on one, with y along the axle to the left.
pub struct Wheel {
    body: usize,
    place: [f64; 3],
    axle: [f64; 3],
    radius: f64,
    start: Option<Look>,
}

/// A wheel at one position.
#[derive(Clone, Copy)]
pub struct Look {
    centre: [f64; 3],
    contact: [f64; 3],
    /// Axle to the left, in the axes of the ground.
    axle: [f64; 3],
}

impl Wheel {
    /// The wheel of this name.
    pub fn find(model: &Model, name: &str, radius: f64) -> Result<Self, Error> {
        let (body, marker) = name.split_once('.').unwrap_or((name, ""));
        let found = model.body_index(body).and_then(|index| {
            let own = &model.bodies[index];
            if marker.is_empty() {
                return Some((index, own.frame));
            }
            let marker = own.markers.iter().find(|m| m.name == marker)?;
            Some((index, marker.frame.frame))
        });
        let Some((index, frame)) = found else {
            let names = model.bodies.iter().skip(1).map(|b| b.name.as_str());
            let hint = did_you_mean(body, names);
            return Err(Error::Usage(format!(
                "--suspension {name}: the model has no body or marker with this name{hint}"
            )));
        };
        // From the frame of the node to that of the body, which poses are given for.
        let own = &model.bodies[index].frame;
        Ok(Self {
            body: index,
            place: own.rotation.transpose_times(frame.position - own.position).0,
            axle: own.rotation.transpose_times(frame.rotation.column(1)).0,
            radius,
            start: None,
        })
    }

    /// Where it is.
    pub fn look(&self, at: &Assembled) -> Look {
        let snapshot = at.model.snapshot(at.t, &at.q, &vec![0.0; at.model.tree.n_v]);
        let turn = snapshot.pose(self.body).rotation;
        let axle = turn.times(Vec3(self.axle)).0;
        let centre = snapshot.point(self.body, self.place).0.0;
        // Up within the plane of the wheel: ẑ less its part along the axle.
        let up = [0, 1, 2].map(|k| f64::from(u8::from(k == 2)) - axle[2] * axle[k]);
        let length = up.iter().map(|x| x * x).sum::<f64>().sqrt();
        let contact = [0, 1, 2].map(|k| centre[k] - self.radius * up[k] / length);
        Look {
            centre,
            contact,
            axle,
        }
    }

    /// Sets where travel and track are measured from.
    pub fn begin(&mut self, look: Look) {
        self.start = Some(look);
    }

    /// Travel, steer, toe-in, camber (positive with the top outwards), change of the half track (positive
    /// outwards), recession (positive backwards).
    pub fn values(&self, look: &Look) -> [f64; 6] {
        let start = self.start.unwrap_or(*look);
        let side = if start.centre[1] < 0.0 { -1.0 } else { 1.0 };
        let steer = (-look.axle[0]).atan2(look.axle[1]);
        let camber = -side * look.axle[2].clamp(-1.0, 1.0).asin();
        [
            look.centre[2] - start.centre[2],
            steer.to_degrees(),
            (-side * steer).to_degrees(),
            camber.to_degrees(),
            side * (look.contact[1] - start.contact[1]),
            start.centre[0] - look.centre[0],
        ]
    }
}

/// Slopes of y over x: of the parabola through three neighbours, of the line through two.
pub fn slopes(x: &[f64], y: &[f64]) -> Vec<f64> {
    let n = x.len();
    let slope = |a: usize, b: usize| (y[b] - y[a]) / (x[b] - x[a]);
    (0..n)
        .map(|k| match n {
            0 | 1 => f64::NAN,
            2 => slope(0, 1),
            _ if k == 0 => slope(0, 1) + slope(0, 2) - slope(1, 2),
            _ if k == n - 1 => slope(k - 1, k) + slope(k - 2, k) - slope(k - 2, k - 1),
            _ => slope(k - 1, k) + slope(k, k + 1) - slope(k - 1, k + 1),
        })
        .collect()
}
