//! Pictures of what force elements act on, wheels on rails, tracks and roads, and of paths and controls.

use super::{Characteristic, CharacteristicCurve, POINTS, guidance, law};
use holonom::algebra::Vec3;
use holonom::multibody::elements::constraints::WheelRailShape;
use holonom::multibody::rail::{ContactGeometry, PiecewiseProfile, RailError, Seen, Touch, TrackCurve};
use holonom::multibody::road::{Bump, Iso8608, Ramp, RoadKind, Surface, Tracks};

/// A picture and its name.
pub type Picture = (&'static str, Vec<Characteristic>);

/// Pictures of contact geometry, tracks, roads, paths and controls, as [`characteristics`](super::characteristics)
/// are of force elements.
///
/// ```
/// let names = holonom_models::pictures::geometry().map(|(name, _)| name);
/// assert_eq!(names, ["wheel-rail", "track", "road", "path", "control"]);
/// ```
pub fn geometry() -> [Picture; 5] {
    [
        (
            "wheel-rail",
            [profiles()].into_iter().chain(displacements()).collect(),
        ),
        ("track", transitions().unwrap_or_default()),
        ("road", roads()),
        ("path", guidance::paths().unwrap_or_default()),
        ("control", guidance::controls().unwrap_or_default()),
    ]
}

pub(super) fn points([low, high]: [f64; 2]) -> Vec<f64> {
    let step = (high - low) / (POINTS - 1) as f64;
    (0..POINTS).map(|k| low + step * k as f64).collect()
}

pub(super) fn curve(label: &str, range: [f64; 2], y: impl FnMut(&f64) -> f64) -> CharacteristicCurve {
    let x = points(range);
    CharacteristicCurve {
        label: label.to_string(),
        y: x.iter().map(y).collect(),
        x,
    }
}

/// Where the middles of rail heads are, and how much they lean inwards.
const RAIL: [f64; 2] = [0.7532, 0.025];
const SPACING: f64 = 0.75;
const RADIUS: f64 = 0.46;

/// Both outlines in mm, the wheel's rolling circle at zero.
fn profiles() -> Characteristic {
    let (wheel, rail) = (PiecewiseProfile::s1002(), PiecewiseProfile::rail_60e1());
    let (sin, cos) = RAIL[1].atan().sin_cos();
    let offset = RAIL[0] - SPACING;
    let mut head = curve("60E1, leaning by 1 : 40", [-0.0355, 0.0355], |s| rail.jet(*s)[0]);
    for (s, z) in head.x.iter_mut().zip(&mut head.y) {
        (*s, *z) = (1e3 * (offset + *s * cos - *z * sin), 1e3 * (*s * sin + *z * cos));
    }
    let mut tread = curve("S1002", [-0.065, 0.06], |s| -1e3 * wheel.jet(*s)[0]);
    tread.x.iter_mut().for_each(|s| *s *= 1e3);
    Characteristic {
        title: "left wheel S1002 over its rail 60E1",
        x: ["outwards from the rolling circle", "mm"],
        y: ["height", "mm"],
        curves: vec![tread, head],
    }
}

/// Contacts of a wheelset that is displaced to the left and rests on both rails.
fn resting(geometry: &[ContactGeometry; 2], [rail, lean]: [f64; 2], y: f64) -> [Touch<f64>; 2] {
    let (mut z, mut roll) = (RADIUS, 0.0_f64);
    let at = |z: f64, roll: f64| {
        let touch = |k: usize| {
            let side = 1.0 - 2.0 * k as f64;
            let (sin, cos) = (side * lean.atan()).sin_cos();
            let turned = |[y, z]: [f64; 2]| Vec3([0.0, y * cos + z * sin, z * cos - y * sin]);
            let axle = [roll.cos(), roll.sin()];
            let centre = [
                y + side * SPACING * axle[0] - side * rail,
                z + side * SPACING * axle[1],
            ];
            geometry[k].touch(&Seen {
                centre: turned(centre),
                axle: turned(axle),
            })
        };
        [touch(0), touch(1)]
    };
    for _ in 0..30 {
        let [left, right] = at(z, roll).map(|touch| touch.gap);
        // Both gaps are nearly z ± s roll.
        z -= 0.5 * (left + right);
        roll -= 0.5 * (left - right) / SPACING;
        if left.abs() + right.abs() < 1e-12 {
            break;
        }
    }
    at(z, roll)
}

/// Difference of radii and place of the contact over the displacement.
fn displacements() -> Vec<Characteristic> {
    let standard = |smoothing: f64| WheelRailShape {
        smoothing,
        step: 1e-4,
        ..WheelRailShape::s1002_60e1(RADIUS)
    };
    let kinds = [
        ("S1002 on 60E1, smoothed over 10 µm", standard(1e-5), RAIL),
        ("over 1 µm", standard(1e-6), RAIL),
        (
            "cone of 0.05 on a head of 0.3 m",
            WheelRailShape::cone(RADIUS, 0.05, 0.3),
            [SPACING, 0.05],
        ),
    ];
    let range = [-6.0, 6.0];
    let (mut radii, mut places) = (Vec::new(), Vec::new());
    for (label, shape, rail) in kinds {
        let (Ok(left), Ok(right)) = (shape.geometry(false), shape.geometry(true)) else {
            continue;
        };
        let geometry = [left, right];
        let mut place = Vec::with_capacity(POINTS);
        radii.push(curve(label, range, |y| {
            let [left, right] = resting(&geometry, rail, 1e-3 * y);
            place.push(1e3 * left.place);
            1e3 * (left.radius - right.radius)
        }));
        places.push(CharacteristicCurve {
            label: label.to_string(),
            x: points(range),
            y: place,
        });
    }
    let displacement = ["lateral displacement", "mm"];
    vec![
        Characteristic {
            title: "wheelset that rests on both rails",
            x: displacement,
            y: ["radii, left − right", "mm"],
            curves: radii,
        },
        Characteristic {
            title: "contact on the left wheel",
            x: displacement,
            y: ["place", "mm"],
            curves: places,
        },
    ]
}

/// A clothoid, the transition of Bloss and that of `smoothstep` into a curve.
fn transitions() -> Result<Vec<Characteristic>, RailError> {
    let zero = law("0", "s");
    let share = "max(0, min((s - 20)/60, 1))";
    let bends = [
        ("clothoid", law(&format!("{share}/300"), "s")),
        ("Bloss", law(&format!("{share}^2*(3 - 2*{share})/300"), "s")),
        ("smoothstep", law("smoothstep(s, 20, 0, 80, 1/300)", "s")),
    ];
    let range = [0.0, 100.0];
    let mut aside = Vec::with_capacity(bends.len());
    for (label, bend) in &bends {
        let track = TrackCurve::new(bend, &zero, 100.0)?;
        aside.push(curve(label, range, |s| track.place(*s).y));
    }
    let slope = law("smoothstep(s, 20, 0, 80, 0.025)", "s");
    let track = TrackCurve::with_gradient(&bends[2].1, &zero, &slope, 100.0)?;
    let arc = ["arc", "m"];
    Ok(vec![
        Characteristic {
            title: "transitions of 60 m into a curve of 300 m",
            x: arc,
            y: ["curvature", "1/m"],
            curves: bends
                .iter()
                .map(|(label, bend)| curve(label, range, |s| bend.evaluate(&[*s])))
                .collect(),
        },
        Characteristic {
            title: "where they lead",
            x: arc,
            y: ["offset to the left", "m"],
            curves: aside,
        },
        Characteristic {
            title: "gradient that rises to 2.5 % over the same arc",
            x: arc,
            y: ["height", "m"],
            curves: vec![curve("smoothstep", range, |s| track.place(*s).z)],
        },
    ])
}

fn roads() -> Vec<Characteristic> {
    let rough = |class: usize| {
        RoadKind::from(Iso8608 {
            class,
            length: 200.0,
            lowest: 0.02,
            ..Iso8608::default()
        })
    };
    let bump = RoadKind::from(Bump {
        start: 2.0,
        length: 4.0,
        height: 0.1,
    });
    let ramp = RoadKind::from(Ramp {
        start: 8.0,
        length: 0.5,
        height: 0.08,
    });
    let tracks = RoadKind::from(Tracks {
        left: law("0.05*sin(2*x)", "x"),
        right: law("0", "x"),
        track: 1.5,
    });
    let along = |label: &str, kind: &RoadKind, range: [f64; 2], y: f64| {
        let surface = Surface::new(kind).ok()?;
        Some(curve(label, range, |x| surface.at(*x, y).height))
    };
    let height = ["height", "m"];
    let near = [0.0, 10.0];
    vec![
        Characteristic {
            title: "bump of 4 m, ramp of 0.5 m, two tracks seen at y = 0.75 m and 0.2 m",
            x: ["x", "m"],
            y: height,
            curves: [
                along("bump", &bump, near, 0.0),
                along("ramp", &ramp, near, 0.0),
                along("tracks, 0.75 m", &tracks, near, 0.75),
                along("tracks, 0.2 m", &tracks, near, 0.2),
            ]
            .into_iter()
            .flatten()
            .collect(),
        },
        Characteristic {
            title: "ISO 8608, the same seed",
            x: ["x", "m"],
            y: height,
            curves: [("class B", 1), ("class D", 3)]
                .into_iter()
                .filter_map(|(label, class)| along(label, &rough(class), [0.0, 60.0], 0.0))
                .collect(),
        },
    ]
}
