//! Animations as GIF: one palette for all pictures, and of each picture only what changed.

use super::{Request, pictures};
use crate::error::Error;
use crate::film::Film;
use crate::output;
use holonom_scene::raster::Picture;
use std::collections::BTreeMap;

/// Colours of the palette; one more stands for what did not change.
const COLOURS: usize = 255;
const CLEAR: u8 = 255;

/// Colours with five bits of each part, and how often they occur.
type Histogram = BTreeMap<[u8; 3], u32>;

/// Median cut: boxes of colours are halved where most pixels are spread widest.
fn palette(counts: &Histogram) -> Vec<[u8; 3]> {
    let mut boxes: Vec<Vec<([u8; 3], u32)>> = vec![counts.iter().map(|(c, n)| (*c, *n)).collect()];
    let spread = |colours: &[([u8; 3], u32)]| -> (u64, usize) {
        let mut widest = (0, 0);
        for axis in 0..3 {
            let low = colours.iter().map(|(c, _)| c[axis]).min().unwrap_or(0);
            let high = colours.iter().map(|(c, _)| c[axis]).max().unwrap_or(0);
            let weight: u64 = colours.iter().map(|(_, n)| u64::from(*n)).sum();
            let size = u64::from(high - low) * (64 - u64::from(weight.leading_zeros()));
            if size > widest.0 {
                widest = (size, axis);
            }
        }
        widest
    };
    while boxes.len() < COLOURS {
        let next = boxes
            .iter()
            .enumerate()
            .map(|(k, own)| (spread(own), k))
            .max_by_key(|(size, k)| (size.0, usize::MAX - k));
        let Some(((size, axis), at)) = next else { break };
        if size == 0 {
            break;
        }
        let mut own = boxes.swap_remove(at);
        own.sort_by_key(|(colour, _)| (colour[axis], *colour));
        let half: u64 = own.iter().map(|(_, n)| u64::from(*n)).sum::<u64>() / 2;
        let (mut sum, mut cut) = (0, 1);
        for (k, (_, n)) in own.iter().enumerate() {
            sum += u64::from(*n);
            if sum >= half {
                cut = (k + 1).clamp(1, own.len() - 1);
                break;
            }
        }
        let rest = own.split_off(cut);
        boxes.push(own);
        boxes.push(rest);
    }
    boxes
        .iter()
        .map(|own| {
            let weight: u64 = own.iter().map(|(_, n)| u64::from(*n)).sum::<u64>().max(1);
            core::array::from_fn(|k| {
                let sum: u64 = own.iter().map(|(c, n)| u64::from(c[k]) * u64::from(*n)).sum();
                ((sum + weight / 2) / weight) as u8
            })
        })
        .collect()
}

fn coarse(rgb: &[u8]) -> [u8; 3] {
    core::array::from_fn(|k| rgb[k] & 0xfc | 2)
}

/// Numbers of colours, looked up once.
struct Matcher {
    palette: Vec<[u8; 3]>,
    known: BTreeMap<[u8; 3], u8>,
}

impl Matcher {
    fn indices(&mut self, picture: &Picture) -> Vec<u8> {
        let pixels = picture.rgb.chunks_exact(3);
        pixels
            .map(|rgb| {
                let colour = coarse(rgb);
                let palette = &self.palette;
                *self.known.entry(colour).or_insert_with(|| {
                    let distance = |own: &[u8; 3]| -> i32 {
                        (0..3)
                            .map(|k| (i32::from(own[k]) - i32::from(colour[k])).pow(2))
                            .sum()
                    };
                    let nearest = palette
                        .iter()
                        .enumerate()
                        .min_by_key(|(k, own)| (distance(own), *k));
                    nearest.map_or(0, |(k, _)| k as u8)
                })
            })
            .collect()
    }
}

/// Writes the animation.
pub fn write(film: &Film, request: &Request) -> Result<String, Error> {
    let failed = |error: ::gif::EncodingError| Error::Failed(format!("cannot encode the animation: {error}"));
    let rows = pictures::rows(film, request);
    let director = pictures::Director::new(film, request, &rows)?;
    let mut counts = Histogram::new();
    for row in rows.iter().step_by((rows.len() / 6).max(1)) {
        for rgb in director.picture(film, *row)?.rgb.chunks_exact(3) {
            *counts.entry(coarse(rgb)).or_default() += 1;
        }
    }
    let palette = palette(&counts);
    let mut flat: Vec<u8> = palette.iter().flatten().copied().collect();
    flat.resize(3 * 256, 0);
    let mut matcher = Matcher {
        palette,
        known: BTreeMap::new(),
    };
    let [width, height] = request.size.map(|side| side as u16);
    let mut bytes = Vec::new();
    let mut encoder = ::gif::Encoder::new(&mut bytes, width, height, &flat).map_err(failed)?;
    encoder.set_repeat(::gif::Repeat::Infinite).map_err(failed)?;
    let mut shown: Vec<u8> = Vec::new();
    let mut written = 0.0;
    for (k, row) in rows.iter().enumerate() {
        let indices = matcher.indices(&director.picture(film, *row)?);
        let buffer: Vec<u8> = match shown.is_empty() {
            true => indices.clone(),
            false => indices
                .iter()
                .zip(&shown)
                .map(|(new, old)| if new == old { CLEAR } else { *new })
                .collect(),
        };
        shown = indices;
        // Hundredths of a second; what rounding leaves goes to the next picture.
        let until = ((k + 1) as f64 * 100.0 / request.fps).round();
        let frame = ::gif::Frame {
            width,
            height,
            delay: (until - written) as u16,
            dispose: ::gif::DisposalMethod::Keep,
            transparent: Some(CLEAR),
            buffer: buffer.into(),
            ..::gif::Frame::default()
        };
        written = until;
        encoder.write_frame(&frame).map_err(failed)?;
    }
    drop(encoder);
    let size = bytes.len();
    output::write(&request.output, bytes)?;
    Ok(format!(
        "{} pictures of {width} × {height} pixels, {size} bytes",
        rows.len()
    ))
}
