//! One page with everything in it, which opens from disk without a network.

use super::Request;
use crate::commands::view::page;
use crate::error::Error;
use crate::film::{Film, floats};
use crate::output;
use holonom_scene::thin::{NUMBERS, Tolerance, keep};
use serde_json::{Map, Value, json};

/// Nothing moves by more than this part of the scene.
const TOLERANCE: f64 = 1e-3;

/// Part of the tolerance that is left for rounding.
const THINNED: f64 = 0.8;

/// Points of a channel.
const POINTS: usize = 300;

/// Bytes that arrows may take.
const ARROWS: usize = 200_000;

/// Bytes that channels may take.
const CHANNELS: usize = 250_000;

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let bits = chunk
            .iter()
            .fold(0_u32, |bits, byte| bits << 8 | u32::from(*byte))
            << (8 * (3 - chunk.len()));
        for k in 0..4 {
            let digit = DIGITS[(bits >> (18 - 6 * k) & 63) as usize];
            out.push(if k <= chunk.len() { char::from(digit) } else { '=' });
        }
    }
    out
}

/// Positions and Euler parameters in 16 bits each, with the range of the positions of every body.
fn quantised(poses: &[f32], bodies: usize) -> Value {
    let rows = || poses.chunks_exact(NUMBERS * bodies.max(1));
    let mut ranges = Vec::with_capacity(bodies);
    for body in 0..bodies {
        let mut range = [f32::INFINITY, f32::INFINITY, f32::INFINITY, 0.0, 0.0, 0.0];
        for k in 0..3 {
            let values = || {
                rows()
                    .map(|row| row[NUMBERS * body + k])
                    .filter(|x| x.is_finite())
            };
            let low = values().fold(f32::INFINITY, f32::min);
            let high = values().fold(f32::NEG_INFINITY, f32::max);
            range[k] = if low.is_finite() { low } else { 0.0 };
            range[3 + k] = if high > low { high - low } else { 0.0 };
        }
        ranges.push(range);
    }
    let mut bytes = Vec::with_capacity(2 * poses.len());
    for row in rows() {
        for (body, range) in ranges.iter().enumerate() {
            for k in 0..NUMBERS {
                let x = row[NUMBERS * body + k];
                let scaled = match k {
                    0..3 if range[3 + k] > 0.0 => (x - range[k]) / range[3 + k] * 65534.0 - 32767.0,
                    0..3 => -32767.0,
                    _ => x * 32767.0,
                };
                bytes.extend((scaled.round().clamp(-32767.0, 32767.0) as i16).to_le_bytes());
            }
        }
    }
    json!({ "ranges": ranges, "poses": base64(&bytes) })
}

/// Writes the page.
pub fn write(film: &Film, request: &Request) -> Result<String, Error> {
    let [first, last] = request.rows;
    let count = last - first + 1;
    let bodies = film.scene.bodies.len() - 1;
    let poses = film.frames(first, count, 1)?;
    let times = &film.times[first..=last];
    if poses.iter().any(|x| !x.is_finite()) {
        output::remark("some bodies have no position at some times; they stand still there");
    }
    let mut poses = poses;
    hold(&mut poses, NUMBERS * bodies.max(1));
    let tolerance = Tolerance {
        distance: THINNED * TOLERANCE * film.scene.radius,
        reach: reach(film),
    };
    let kept = keep(times, &poses, bodies, tolerance);
    let width = NUMBERS * bodies;
    let thinned: Vec<f32> = kept
        .iter()
        .flat_map(|row| &poses[row * width..(row + 1) * width])
        .copied()
        .collect();

    let (mut scene, meshes) = film.json();
    let recorded: Vec<String> = film
        .table
        .columns()
        .iter()
        .skip(1)
        .map(|column| column.name.clone())
        .collect();
    let most = (CHANNELS / (POINTS * 4 * 4 / 3)).max(1);
    let chosen = &recorded[..recorded.len().min(most)];
    let step = count.div_ceil(POINTS).max(1);
    let mut rows: Vec<usize> = (first..=last).step_by(step).collect();
    if rows.last() != Some(&last) {
        rows.push(last);
    }
    let names: Vec<&str> = chosen.iter().map(String::as_str).collect();
    let values = film.channels(&names, &rows)?;
    let mut channels = Map::new();
    for (name, values) in names.iter().zip(values) {
        let bytes = floats(values.iter().map(|x| *x as f32));
        channels.insert((*name).to_string(), json!(base64(&bytes)));
    }
    if let Some(all) = scene["channels"].as_array_mut() {
        all.retain(|channel| {
            channel["name"]
                .as_str()
                .is_some_and(|name| channels.contains_key(name))
        });
    }
    let arrows = scene["arrows"].as_array().map_or(0, Vec::len);
    let mut vectors = None;
    if arrows > 0 && arrows * kept.len() * 16 <= ARROWS {
        let mut all = Vec::with_capacity(3 * arrows * kept.len());
        for row in &kept {
            all.extend(film.arrow_vectors(first + row)?);
        }
        vectors = Some(base64(&floats(all)));
    } else {
        scene["arrows"] = json!([]);
    }
    let mut notes = vec![format!(
        "{} of {count} rows: nothing moves by more than 0.1 % of the scene",
        kept.len()
    )];
    if chosen.len() < recorded.len() {
        notes.push(format!("{} of {} channels", chosen.len(), recorded.len()));
    }
    if arrows > 0 && vectors.is_none() {
        notes.push("without arrows of forces, which would make the page long".to_string());
    }
    if let Some(all) = scene["notes"].as_array_mut() {
        all.extend(notes.iter().map(|note| json!(note)));
    }
    let data = json!({
        "scene": scene, "meshes": base64(&meshes), "rows": kept.len(),
        "times": kept.iter().map(|row| times[*row]).collect::<Vec<f64>>(),
        "quantised": quantised(&thinned, bodies), "channels": channels,
        "channelTimes": rows.iter().map(|row| film.times[*row]).collect::<Vec<f64>>(), "arrows": vectors,
    });
    // Within a script element only this could end it.
    let data = data.to_string().replace('<', "\\u003c");
    // The page may run its own script and nothing else, and may ask nobody for anything.
    let nonce = format!("{:08x}", crc(&data));
    let policy = format!(
        "default-src 'none'; script-src 'nonce-{nonce}'; style-src 'nonce-{nonce}'; connect-src 'none'; img-src data:; base-uri 'none'; form-action 'none'"
    );
    let head = format!(
        "<meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n<style nonce=\"{nonce}\">\n{}</style>",
        page::STYLE
    );
    let body = format!(
        "<script type=\"application/json\" id=\"data\" nonce=\"{nonce}\">{data}</script>\n<script type=\"module\" nonce=\"{nonce}\">\n{}</script>",
        page::script()
    );
    let page = page::page(&head, &body);
    let size = page.len();
    output::write(&request.output, page)?;
    Ok(format!("{size} bytes, {}", notes.join(", ")))
}

/// A number for the nonce: the same file for the same result.
fn crc(text: &str) -> u32 {
    text.bytes().fold(0x811c_9dc5, |hash, byte| {
        (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
    })
}

/// Distance of the farthest point of a body from its origin.
fn reach(film: &Film) -> f64 {
    film.scene.radius
}

/// Where there is no pose, the one before stays.
fn hold(poses: &mut [f32], width: usize) {
    for at in 0..poses.len() {
        if !poses[at].is_finite() {
            poses[at] = match at.checked_sub(width) {
                Some(before) => poses[before],
                None if at % NUMBERS == NUMBERS - 1 => 1.0,
                None => 0.0,
            };
        }
    }
}
