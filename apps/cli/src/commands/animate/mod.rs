//! `holonom animate`: the motion of a result as a page, a picture, a film or a model for other programs.

mod gif;
mod page;
mod pictures;

use super::Command;
use crate::error::Error;
use crate::film::Film;
use crate::outcome::Outcome;
use crate::output;
use clap::{CommandFactory, FromArgMatches};
use holonom::multibody::elements::Library;
use holonom_scene::View;
use std::path::{Path, PathBuf};

/// The entry of the registry.
pub const COMMAND: Command = Command {
    define: || Arguments::command(),
    run,
};

/// Show the motion of a result: a page to send, a picture, an animation
///
/// The extension of FILE selects the format: .html is one page that opens anywhere without a network, .png a picture,
/// .gif and .mp4 are animations (.mp4 needs the program `ffmpeg`), .glb is for Blender and other 3-D programs.
#[derive(clap::Parser)]
#[command(
    name = "animate",
    after_help = "Examples:\n  holonom animate crane.parquet -o crane.html            one page to send\n  holonom animate crane.parquet -o crane.png --at '2 s'  a picture of one instant\n  holonom animate crane.parquet -o crane.gif --fps 20 --speed 0.5\n  holonom animate crane.parquet -o crane.glb             for Blender and slides"
)]
pub struct Arguments {
    /// Result file (.parquet, .arrows)
    result: PathBuf,

    /// File to write: .html, .png, .gif, .mp4 or .glb
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,

    /// Instant of a picture [s]; default: the start
    #[arg(long, value_name = "TIME")]
    at: Option<String>,

    /// Part of the motion as FROM:TO, such as 2:5 [s]
    #[arg(long, value_name = "FROM:TO")]
    range: Option<String>,

    /// Simulated seconds per second of an animation
    #[arg(long, value_name = "FACTOR", default_value_t = 1.0)]
    speed: f64,

    /// Pictures per second of an animation
    #[arg(long, value_name = "N", default_value_t = 20.0)]
    fps: f64,

    /// Size of a picture in pixels
    #[arg(long, value_name = "WIDTHxHEIGHT", default_value = "640x400")]
    size: String,

    /// Direction to look in: auto, corner, x, y or top
    #[arg(long, value_name = "VIEW", default_value = "auto")]
    view: String,

    /// Light on dark
    #[arg(long)]
    dark: bool,
}

/// Arguments that have been checked.
pub struct Request {
    pub output: PathBuf,
    pub at: Option<f64>,
    /// First and last row.
    pub rows: [usize; 2],
    pub speed: f64,
    pub fps: f64,
    pub size: [usize; 2],
    pub view: View,
    pub dark: bool,
}

fn number(option: &str, text: &str) -> Result<f64, Error> {
    crate::settings::number(option, text, "s")
}

impl Arguments {
    fn checked(&self, film: &Film) -> Result<Request, Error> {
        let usage = |text: String| Err(Error::Usage(text));
        let positive = |name: &str, x: f64, most: f64| {
            if x > 0.0 && x <= most {
                Ok(x)
            } else {
                Err(Error::Usage(format!(
                    "--{name} {x}: give a positive number up to {most}"
                )))
            }
        };
        let size = self.size.split_once('x').and_then(|(w, h)| {
            let side = |text: &str| {
                text.trim()
                    .parse::<usize>()
                    .ok()
                    .filter(|x| (16..=4096).contains(x))
            };
            Some([side(w)?, side(h)?])
        });
        let Some(size) = size else {
            return usage(format!(
                "--size {}: give width and height from 16 to 4096, such as 800x500",
                self.size
            ));
        };
        let view = View::NAMES.iter().find(|(name, _)| *name == self.view);
        let Some((_, view)) = view else {
            return usage(format!("--view {}: choose auto, corner, x, y or top", self.view));
        };
        let (first, last) = (film.times[0], film.times[film.times.len() - 1]);
        let inside = |option: &str, t: f64| {
            let slack = 1e-9 * (last - first).abs().max(1e-9);
            if t >= first - slack && t <= last + slack {
                Ok(t)
            } else {
                Err(Error::Usage(format!(
                    "--{option} {t} s is outside of the result, which covers {first} to {last} s"
                )))
            }
        };
        let at = match &self.at {
            Some(text) => Some(inside("at", number("at", text)?)?),
            None => None,
        };
        let mut rows = [0, film.times.len() - 1];
        if let Some(range) = &self.range {
            let Some((from, to)) = range.split_once(':') else {
                return usage(format!("--range {range}: write it as FROM:TO, such as 2:5"));
            };
            let end = |text: &str, default: f64| match text.trim() {
                "" => Ok(default),
                text => inside("range", number("range", text)?),
            };
            rows = [film.row_at(end(from, first)?), film.row_at(end(to, last)?)];
            if rows[0] >= rows[1] {
                return usage(format!(
                    "--range {range}: it holds no two rows of the result; widen it"
                ));
            }
        }
        Ok(Request {
            output: self.output.clone(),
            at,
            rows,
            speed: positive("speed", self.speed, 1e6)?,
            fps: positive("fps", self.fps, 100.0)?,
            size,
            view: *view,
            dark: self.dark,
        })
    }
}

fn run(matches: &clap::ArgMatches, library: &Library) -> Result<Outcome, Error> {
    let arguments = Arguments::from_arg_matches(matches).map_err(|error| Error::Usage(error.to_string()))?;
    output::check_file(&arguments.output)?;
    let ending = arguments
        .output
        .extension()
        .map(|e| e.to_string_lossy().to_lowercase());
    let ending = ending.unwrap_or_default();
    const KNOWN: [&str; 5] = ["html", "png", "gif", "mp4", "glb"];
    if !KNOWN.contains(&ending.as_str()) {
        return Err(Error::Usage(format!(
            "the format of `{}` is unknown: the file name must end in .html, .png, .gif, .mp4 or .glb",
            arguments.output.display()
        )));
    }
    if arguments.at.is_some() && ending != "png" {
        return Err(Error::Usage(
            "--at is for pictures (.png); give --range for an animation".to_string(),
        ));
    }
    if ending == "mp4" {
        pictures::check_ffmpeg()?;
    }
    let film = Film::open(&arguments.result, library)?;
    if let Some(loss) = film.loss() {
        output::remark(&loss);
    }
    for note in &film.scene.notes {
        output::remark(note);
    }
    let request = arguments.checked(&film)?;
    let told = match ending.as_str() {
        "html" => page::write(&film, &request)?,
        "png" => pictures::png(&film, &request)?,
        "gif" => gif::write(&film, &request)?,
        "mp4" => pictures::mp4(&film, &request)?,
        _ => glb(&film, &request)?,
    };
    output::print(&format!("{}: {told}\n", shown(&request.output)))?;
    Ok(Outcome::Done)
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}

fn glb(film: &Film, request: &Request) -> Result<String, Error> {
    let [first, last] = request.rows;
    let count = last - first + 1;
    let poses = film.frames(first, count, 1)?;
    let times: Vec<f64> = film.times[first..=last]
        .iter()
        .map(|t| t / request.speed)
        .collect();
    // A thousand times finer than anyone sees, and short enough to send.
    let bodies = film.scene.bodies.len() - 1;
    let tolerance = holonom_scene::thin::Tolerance {
        distance: 5e-7 * film.scene.radius,
        reach: film.scene.radius,
    };
    let kept = holonom_scene::thin::keep(&times, &poses, bodies, tolerance);
    let width = 7 * bodies;
    let thinned: Vec<f32> = kept
        .iter()
        .flat_map(|row| &poses[row * width..(row + 1) * width])
        .copied()
        .collect();
    let times: Vec<f64> = kept.iter().map(|row| times[*row]).collect();
    let motion = holonom_scene::glb::Motion {
        times: &times,
        poses: &thinned,
    };
    let bytes = holonom_scene::glb::write(&film.scene, &motion);
    output::write(&request.output, &bytes)?;
    Ok(format!("{} of {count} rows, {} bytes", kept.len(), bytes.len()))
}
