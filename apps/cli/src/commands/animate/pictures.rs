//! Pictures of a result, one by one.

use super::Request;
use crate::error::Error;
use crate::film::Film;
use crate::output;
use holonom::algebra::{Pose, Vec3};
use holonom_scene::raster::{Picture, Style, draw};
use holonom_scene::{Camera, View};
use std::io::Write;
use std::process::{Command, Stdio};

/// The camera of a sequence of pictures.
pub struct Director {
    camera: Camera,
    /// Where the mechanism was when the camera was set up; none while the camera stands still.
    follows: Option<Vec3<f64>>,
    style: Style,
}

fn middle(poses: &[Pose<f64>]) -> Vec3<f64> {
    let finite = poses
        .iter()
        .skip(1)
        .map(|pose| pose.position)
        .filter(|p| p.norm().is_finite());
    let (mut sum, mut count) = (Vec3::zero(), 0.0);
    for p in finite {
        sum += p;
        count += 1.0;
    }
    if count > 0.0 { sum.scale(1.0 / count) } else { sum }
}

impl Director {
    /// A camera that has all rows in its picture, or follows a mechanism that travels.
    pub fn new(film: &Film, request: &Request, rows: &[usize]) -> Result<Self, Error> {
        let scene = &film.scene;
        let axes: Vec<[f64; 3]> = scene.axes.iter().map(|axis| axis.direction).collect();
        let sampled = rows.iter().step_by((rows.len() / 24).max(1));
        let mut all = Vec::new();
        for row in sampled {
            all.push(film.poses_at(*row)?);
        }
        let first = all.first().cloned().unwrap_or_default();
        let travel = all
            .iter()
            .map(|poses| (middle(poses) - middle(&first)).norm())
            .fold(0.0, f64::max);
        let follows = (travel > 6.0 * scene.radius).then(|| middle(&first));
        let mut points = Vec::new();
        for poses in &all {
            let mut corners = scene.corners(poses);
            if follows.is_some() {
                let moved = middle(poses) - middle(&first);
                corners.iter_mut().for_each(|p| *p = (Vec3(*p) - moved).0);
            }
            points.extend(corners);
        }
        // What is above a floor is seen with it.
        let up = Vec3(scene.up);
        let has_floor = scene.parts.iter().any(|part| part.scenery);
        if has_floor {
            let high = points
                .iter()
                .map(|p| Vec3(*p).dot(up) - scene.floor)
                .fold(f64::INFINITY, f64::min);
            if high > 0.0 && high < 12.0 * scene.radius {
                let foot = |p: &[f64; 3]| (Vec3(*p) - up.scale(Vec3(*p).dot(up) - scene.floor)).0;
                let feet: Vec<[f64; 3]> = points.iter().map(foot).collect();
                points.extend(feet);
            }
        }
        let view = match (request.view, follows) {
            // What travels is seen from aside and behind.
            (View::Auto, Some(_)) => View::Corner,
            (view, _) => view,
        };
        let aspect = request.size[0] as f64 / request.size[1] as f64;
        let camera = Camera::around(scene.centre, scene.radius, view, scene.up, &axes).fit(&points, aspect);
        let ground = scene.floor;
        let level = up.dot(camera.direction).abs() > 0.05;
        Ok(Self {
            camera,
            follows,
            style: Style {
                width: request.size[0],
                height: request.size[1],
                dark: request.dark,
                ground: (ground.is_finite() && level).then_some(ground),
            },
        })
    }

    /// The picture of a row.
    pub fn picture(&self, film: &Film, row: usize) -> Result<Picture, Error> {
        let poses = film.poses_at(row)?;
        let mut camera = self.camera;
        if let Some(from) = self.follows {
            let moved = middle(&poses) - from;
            if moved.norm().is_finite() {
                camera.target += moved;
            }
        }
        let mut picture = draw(&film.scene, &poses, &camera, &self.style);
        let ink = if self.style.dark {
            [200, 205, 212]
        } else {
            [70, 76, 84]
        };
        let size = (self.style.height / 220).max(1);
        let text = format!("{}  t = {} s", film.scene.name, rounded(film.times[row]));
        let ground = if self.style.dark {
            [30, 34, 40]
        } else {
            [250, 251, 253]
        };
        let letters = text.chars().count();
        picture.veil(
            [0, self.style.height - 13 * size],
            [(6 * letters + 8) * size, 13 * size],
            ground,
        );
        picture.text([4 * size, self.style.height - 10 * size], size, ink, &text);
        Ok(picture)
    }
}

/// A time with as many digits as a caption needs.
fn rounded(t: f64) -> String {
    let text = format!("{t:.3}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text.is_empty() || text == "-0" {
        "0".to_string()
    } else {
        text.to_string()
    }
}

/// Rows of the pictures of an animation.
pub fn rows(film: &Film, request: &Request) -> Vec<usize> {
    let [first, last] = request.rows;
    let (from, to) = (film.times[first], film.times[last]);
    let step = request.speed / request.fps;
    let count = ((to - from) / step).floor().clamp(0.0, 20_000.0) as usize;
    (0..=count)
        .map(|k| film.row_at(from + k as f64 * step).clamp(first, last))
        .collect()
}

/// A picture as PNG.
pub fn encoded(picture: &Picture) -> Result<Vec<u8>, Error> {
    let failed = |text: String| Error::Failed(format!("cannot encode the picture: {text}"));
    let (width, height) = (picture.width as u32, picture.height as u32);
    let mut pixels =
        tiny_skia::Pixmap::new(width, height).ok_or_else(|| failed("it is too large".to_string()))?;
    for (out, rgb) in pixels
        .data_mut()
        .chunks_exact_mut(4)
        .zip(picture.rgb.chunks_exact(3))
    {
        out.copy_from_slice(&[rgb[0], rgb[1], rgb[2], 255]);
    }
    pixels.encode_png().map_err(|error| failed(error.to_string()))
}

/// Writes one picture.
pub fn png(film: &Film, request: &Request) -> Result<String, Error> {
    let row = film.row_at(request.at.unwrap_or(film.times[request.rows[0]]));
    let picture = Director::new(film, request, &[row])?.picture(film, row)?;
    output::write(&request.output, encoded(&picture)?)?;
    Ok(format!(
        "{} × {} pixels, t = {} s",
        picture.width,
        picture.height,
        rounded(film.times[row])
    ))
}

/// Refuses films where the program that makes them is missing.
pub fn check_ffmpeg() -> Result<(), Error> {
    let tried = Command::new("ffmpeg")
        .arg("-version")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    match tried {
        Ok(status) if status.success() => Ok(()),
        _ => Err(Error::Usage(
            "the program `ffmpeg`, which writes .mp4 files, is not on the path: install it, or write a .gif or .html"
                .to_string(),
        )),
    }
}

/// Hands pictures to ffmpeg.
pub fn mp4(film: &Film, request: &Request) -> Result<String, Error> {
    let rows = rows(film, request);
    let director = Director::new(film, request, &rows)?;
    let failed = |what: String| Error::Failed(format!("ffmpeg: {what}"));
    let size = format!("{}x{}", request.size[0], request.size[1]);
    let rate = request.fps.to_string();
    let mut child = Command::new("ffmpeg")
        .args(["-y", "-loglevel", "error", "-f", "rawvideo", "-pix_fmt", "rgb24"])
        .args(["-s", &size, "-r", &rate, "-i", "-"])
        .args(["-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2", "-pix_fmt", "yuv420p"])
        .arg(&request.output)
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| failed(error.to_string()))?;
    let mut written = Ok(());
    if let Some(mut stdin) = child.stdin.take() {
        for row in &rows {
            let picture = director.picture(film, *row)?;
            written = stdin.write_all(&picture.rgb);
            if written.is_err() {
                break;
            }
        }
    }
    let done = child
        .wait_with_output()
        .map_err(|error| failed(error.to_string()))?;
    if !done.status.success() || written.is_err() {
        let told = String::from_utf8_lossy(&done.stderr).trim().to_string();
        return Err(failed(told));
    }
    Ok(format!(
        "{} pictures of {} × {} pixels",
        rows.len(),
        request.size[0],
        request.size[1]
    ))
}
