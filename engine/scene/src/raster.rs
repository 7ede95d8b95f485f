//! Pictures with a depth buffer: no display and no graphics card, and the same bits everywhere.
//!
//! Corners are rounded to 1/256 of a pixel before anything is decided by them, so that the last bits of sines, which
//! differ between libraries, do not show. Every pixel is an average of nine; shadows fall straight down on the ground
//! plane below the mechanism.

use crate::camera::{Camera, TANGENT};
use crate::mesh::Mesh;
use crate::scene::Scene;
use holonom_algebra::{Pose, Vec3};

/// A picture: red, green, blue for every pixel, row by row from the top.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    /// Pixels in a row.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// Three bytes per pixel.
    pub rgb: Vec<u8>,
}

/// How a picture is made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Style {
    /// Pixels in a row.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// Light on dark.
    pub dark: bool,
    /// Height of the ground along `up`, on which the grid lies; none for no ground.
    pub ground: Option<f64>,
}

/// Samples of a pixel along each side.
const FINE: usize = 3;

/// What is on a sample.
struct Canvas {
    width: usize,
    height: usize,
    /// 1/depth; 0 where nothing is.
    nearness: Vec<f32>,
    colour: Vec<[f32; 3]>,
    /// Where the shadow fell already: it is drawn once, however many parts throw it.
    shaded: Vec<bool>,
}

/// A corner on the canvas: fixed-point x and y, 1/depth.
#[derive(Clone, Copy)]
struct Corner {
    x: i64,
    y: i64,
    nearness: f64,
}

const SUBPIXELS: f64 = 256.0;

/// Ink of surfaces.
enum Ink {
    /// A colour with an opacity.
    Paint([f32; 3], f32),
    /// Darkens what is there, once.
    Shadow,
}

impl Canvas {
    fn new(width: usize, height: usize) -> Self {
        Self {
            width,
            height,
            nearness: vec![0.0; width * height],
            colour: vec![[0.0; 3]; width * height],
            shaded: vec![false; width * height],
        }
    }

    fn corner(&self, camera: &Camera, view: &[Vec3<f64>; 3], point: Vec3<f64>) -> Option<Corner> {
        let d = point - camera.target;
        let depth = camera.distance - d.dot(view[2]);
        if depth.is_nan() || depth <= 1e-3 * camera.distance {
            return None;
        }
        let half = 0.5 * self.height as f64;
        let k = half / (depth * TANGENT);
        let x = 0.5 * self.width as f64 + d.dot(view[0]) * k;
        let y = half - d.dot(view[1]) * k;
        // Far outside: the products below would overflow.
        const FAR: f64 = 1e6;
        if x.is_nan() || y.is_nan() || x.abs() > FAR || y.abs() > FAR {
            return None;
        }
        Some(Corner {
            x: (x * SUBPIXELS).round() as i64,
            y: (y * SUBPIXELS).round() as i64,
            nearness: 1.0 / depth,
        })
    }

    /// Fills a triangle, whichever way round it is.
    fn triangle(&mut self, corners: [Corner; 3], ink: &Ink, bias: f64) {
        let [a, mut b, mut c] = corners;
        let mut area = (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
        if area == 0 {
            return;
        }
        if area < 0 {
            core::mem::swap(&mut b, &mut c);
            area = -area;
        }
        let unit = SUBPIXELS as i64;
        let low = |values: [i64; 3]| (values.into_iter().min().unwrap_or(0) / unit - 1).max(0);
        let high = |values: [i64; 3], most: usize| {
            (values.into_iter().max().unwrap_or(0) / unit + 1).min(most as i64 - 1)
        };
        let (x0, x1) = (low([a.x, b.x, c.x]), high([a.x, b.x, c.x], self.width));
        let (y0, y1) = (low([a.y, b.y, c.y]), high([a.y, b.y, c.y], self.height));
        let edge = |p: Corner, q: Corner, x: i64, y: i64| (q.x - p.x) * (y - p.y) - (q.y - p.y) * (x - p.x);
        // Points on an edge belong to one of its two triangles.
        let owns = |p: Corner, q: Corner| i64::from(!(q.y < p.y || (q.y == p.y && q.x > p.x)));
        let rules = [owns(b, c), owns(c, a), owns(a, b)];
        let share = 1.0 / area as f64;
        for y in y0..=y1 {
            let py = y * unit + unit / 2;
            for x in x0..=x1 {
                let px = x * unit + unit / 2;
                let w = [edge(b, c, px, py), edge(c, a, px, py), edge(a, b, px, py)];
                if (0..3).any(|k| w[k] < rules[k]) {
                    continue;
                }
                let nearness =
                    (w[0] as f64 * a.nearness + w[1] as f64 * b.nearness + w[2] as f64 * c.nearness) * share;
                self.put(x as usize + y as usize * self.width, nearness * (1.0 + bias), ink);
            }
        }
    }

    fn put(&mut self, at: usize, nearness: f64, ink: &Ink) {
        let nearness = nearness as f32;
        if nearness <= self.nearness[at] {
            return;
        }
        match ink {
            Ink::Paint(colour, opacity) => {
                let own = &mut self.colour[at];
                for (own, new) in own.iter_mut().zip(colour) {
                    *own += (new - *own) * opacity;
                }
                if *opacity > 0.99 {
                    self.nearness[at] = nearness;
                }
            }
            Ink::Shadow if !self.shaded[at] => {
                self.shaded[at] = true;
                self.colour[at] = self.colour[at].map(|x| 0.72 * x);
            }
            Ink::Shadow => {}
        }
    }
}

/// Light on a surface with this normal.
fn light(normal: Vec3<f64>, up: Vec3<f64>, view: &[Vec3<f64>; 3]) -> f64 {
    // One lamp over the left shoulder, and the sky.
    let lamp = up.scale(0.75) + view[2].scale(0.6) - view[0].scale(0.3);
    let lamp = lamp.normalised().unwrap_or(up);
    let direct = normal.dot(lamp).max(0.0);
    let sky = 0.5 + 0.5 * normal.dot(up);
    0.34 + 0.26 * sky + 0.48 * direct
}

/// Draws a scene with its bodies where `poses` say.
pub fn draw(scene: &Scene, poses: &[Pose<f64>], camera: &Camera, style: &Style) -> Picture {
    let mut canvas = Canvas::new(style.width * FINE, style.height * FINE);
    let view = camera.basis();
    let up = Vec3(scene.up);
    background(&mut canvas, style);
    let has_floor = scene.parts.iter().any(|part| part.scenery && part.opacity > 0.0);
    let mut opaque = Vec::new();
    let mut glassy = Vec::new();
    for part in &scene.parts {
        match part.opacity {
            x if x >= 0.995 => opaque.push(part),
            x if x > 0.0 => glassy.push(part),
            _ => {}
        }
    }
    // Scenery first, then the shadow on it, then what throws the shadow.
    opaque.sort_by_key(|part| !part.scenery);
    glassy.sort_by_key(|part| !part.scenery);
    let scenery = opaque.iter().take_while(|part| part.scenery).count();
    for part in &opaque[..scenery] {
        paint(&mut canvas, scene, part, poses, camera, &view);
    }
    if let Some(height) = style.ground {
        if !has_floor {
            grid(&mut canvas, scene, camera, &view, height, style);
        }
        for part in opaque[scenery..]
            .iter()
            .chain(&glassy)
            .filter(|part| !part.scenery)
        {
            shadow(&mut canvas, scene, part, poses, camera, &view, (up, height));
        }
    }
    for part in opaque[scenery..].iter().chain(&glassy) {
        paint(&mut canvas, scene, part, poses, camera, &view);
    }
    canvas.picture(style)
}

fn background(canvas: &mut Canvas, style: &Style) {
    let (top, bottom) = match style.dark {
        true => ([0.085, 0.095, 0.115], [0.15, 0.165, 0.19]),
        false => ([0.93, 0.945, 0.965], [1.0, 1.0, 1.0]),
    };
    let rows = canvas.height.max(1);
    for (at, colour) in canvas.colour.iter_mut().enumerate() {
        let s = (at / canvas.width) as f32 / rows as f32;
        *colour = core::array::from_fn(|k| top[k] * (1.0 - s) + bottom[k] * s);
    }
}

/// Corners of the triangles of a part in space, with their normals.
fn placed<'m>(
    mesh: &'m Mesh,
    part: &crate::scene::Part,
    poses: &[Pose<f64>],
) -> (Vec<Vec3<f64>>, impl Fn(usize) -> Vec3<f64> + use<'m>) {
    let (frame, scale) = part.place.transform(poses);
    let points = mesh.positions.iter().map(|p| {
        let p = core::array::from_fn(|k| f64::from(p[k]) * scale[k]);
        frame.point(Vec3(p))
    });
    let points: Vec<Vec3<f64>> = points.collect();
    let normal = move |index: usize| {
        let n = mesh.normals[index];
        let n = core::array::from_fn(|k| {
            if scale[k] != 0.0 {
                f64::from(n[k]) / scale[k]
            } else {
                0.0
            }
        });
        frame.rotation.times(Vec3(n)).normalised().unwrap_or(Vec3::zero())
    };
    (points, normal)
}

fn paint(
    canvas: &mut Canvas,
    scene: &Scene,
    part: &crate::scene::Part,
    poses: &[Pose<f64>],
    camera: &Camera,
    view: &[Vec3<f64>; 3],
) {
    let Some(mesh) = scene.meshes.get(part.mesh) else {
        return;
    };
    let (points, normal) = placed(mesh, part, poses);
    let corners: Vec<Option<Corner>> = points.iter().map(|p| canvas.corner(camera, view, *p)).collect();
    let up = Vec3(scene.up);
    let shades: Vec<f64> = (0..points.len()).map(|k| light(normal(k), up, view)).collect();
    let eye = camera.target + camera.direction.scale(camera.distance);
    for triangle in mesh.indices.chunks_exact(3) {
        let at = [0, 1, 2].map(|k| triangle[k] as usize);
        // Planes have two sides at the same place: only one of them is seen.
        if part.scenery && normal(at[0]).dot(eye - points[at[0]]) <= 0.0 {
            continue;
        }
        let [Some(a), Some(b), Some(c)] = at.map(|k| corners.get(k).copied().flatten()) else {
            if part.scenery {
                clipped(canvas, at.map(|k| points[k]), part, camera, view, shades[at[0]]);
            }
            continue;
        };
        let shade = at.iter().map(|k| shades[*k]).sum::<f64>() / 3.0;
        canvas.triangle(
            [a, b, c],
            &Ink::Paint(tint(part, shade), part.opacity as f32),
            0.0,
        );
    }
}

fn tint(part: &crate::scene::Part, shade: f64) -> [f32; 3] {
    part.colour.map(|x| (x * shade).min(1.0) as f32)
}

/// A large triangle in small ones: those behind the eye or far aside are left out.
fn clipped(
    canvas: &mut Canvas,
    points: [Vec3<f64>; 3],
    part: &crate::scene::Part,
    camera: &Camera,
    view: &[Vec3<f64>; 3],
    shade: f64,
) {
    const PIECES: usize = 48;
    let [a, b, c] = points;
    let at = |i: usize, j: usize| {
        let (u, v) = (i as f64 / PIECES as f64, j as f64 / PIECES as f64);
        a + (b - a).scale(u) + (c - a).scale(v)
    };
    let ink = Ink::Paint(tint(part, shade), part.opacity as f32);
    for i in 0..PIECES {
        for j in 0..PIECES - i {
            let mut pieces = vec![[at(i, j), at(i + 1, j), at(i, j + 1)]];
            if i + j + 2 <= PIECES {
                pieces.push([at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)]);
            }
            for piece in pieces {
                let corners = piece.map(|p| canvas.corner(camera, view, p));
                if let [Some(a), Some(b), Some(c)] = corners {
                    canvas.triangle([a, b, c], &ink, 0.0);
                }
            }
        }
    }
}

/// What a part throws straight down on the ground.
fn shadow(
    canvas: &mut Canvas,
    scene: &Scene,
    part: &crate::scene::Part,
    poses: &[Pose<f64>],
    camera: &Camera,
    view: &[Vec3<f64>; 3],
    (up, height): (Vec3<f64>, f64),
) {
    let Some(mesh) = scene.meshes.get(part.mesh) else {
        return;
    };
    let (points, _) = placed(mesh, part, poses);
    let corners: Vec<Option<Corner>> = points
        .iter()
        .map(|p| {
            let above = p.dot(up) - height;
            // Below the ground nothing falls on it.
            (above > 0.0)
                .then(|| canvas.corner(camera, view, *p - up.scale(above)))
                .flatten()
        })
        .collect();
    for triangle in mesh.indices.chunks_exact(3) {
        if let [Some(a), Some(b), Some(c)] = [0, 1, 2].map(|k| corners[triangle[k] as usize]) {
            canvas.triangle([a, b, c], &Ink::Shadow, 2e-3);
        }
    }
}

/// The distance of grid lines: 1, 2 or 5 by a power of ten, about a sixth of a length.
pub fn grid_step(length: f64) -> f64 {
    let wanted = length / 6.0;
    let mut step = 1.0;
    while step > wanted && step > 1e-9 {
        step *= 0.1;
    }
    while step * 10.0 <= wanted && step < 1e9 {
        step *= 10.0;
    }
    if step * 5.0 <= wanted {
        step * 5.0
    } else if step * 2.0 <= wanted {
        step * 2.0
    } else {
        step
    }
}

fn grid(
    canvas: &mut Canvas,
    scene: &Scene,
    camera: &Camera,
    view: &[Vec3<f64>; 3],
    height: f64,
    style: &Style,
) {
    let up = Vec3(scene.up);
    let x = up.perpendicular();
    let y = up.cross(x);
    let reach = camera.distance * TANGENT;
    let step = grid_step(2.0 * reach);
    let lines = 14_i64;
    let centre = camera.target - up.scale(camera.target.dot(up) - height);
    let middle = [x, y].map(|axis| (centre.dot(axis) / step).round() * step);
    let colour = match style.dark {
        true => [0.24, 0.26, 0.29],
        false => [0.80, 0.82, 0.85],
    };
    let thin = 0.0016 * reach;
    for (k, (axis, other)) in [(x, y), (y, x)].into_iter().enumerate() {
        for line in -lines..=lines {
            let at = middle[k] + line as f64 * step;
            let from = axis.scale(at) + up.scale(height);
            for piece in -lines..lines {
                let ends = [piece, piece + 1].map(|p| from + other.scale(middle[1 - k] + p as f64 * step));
                // Lines fade towards the border.
                let far = (line.abs().max((2 * piece + 1).abs() / 2)) as f32 / lines as f32;
                let ink = Ink::Paint(colour, (1.0 - far * far).max(0.0) * 0.95);
                let side = axis.scale(thin);
                let quad = [ends[0] - side, ends[1] - side, ends[1] + side, ends[0] + side];
                let corners = quad.map(|p| canvas.corner(camera, view, p));
                if let [Some(a), Some(b), Some(c), Some(d)] = corners {
                    canvas.triangle([a, b, c], &ink, 0.0);
                    canvas.triangle([a, c, d], &ink, 0.0);
                }
            }
        }
    }
}

impl Canvas {
    fn picture(&self, style: &Style) -> Picture {
        let mut rgb = Vec::with_capacity(3 * style.width * style.height);
        let share = 1.0 / (FINE * FINE) as f32;
        for y in 0..style.height {
            for x in 0..style.width {
                let mut sum = [0.0_f32; 3];
                for j in 0..FINE {
                    for i in 0..FINE {
                        let own = self.colour[(y * FINE + j) * self.width + x * FINE + i];
                        for (sum, own) in sum.iter_mut().zip(own) {
                            *sum += own;
                        }
                    }
                }
                rgb.extend(sum.map(|x| (255.0 * (x * share).clamp(0.0, 1.0)).round() as u8));
            }
        }
        Picture {
            width: style.width,
            height: style.height,
            rgb,
        }
    }
}

impl Picture {
    /// Writes a text in small capitals of a bitmap font: each dot is `size` pixels.
    pub fn text(&mut self, at: [usize; 2], size: usize, ink: [u8; 3], text: &str) {
        let mut x = at[0];
        for letter in text.chars() {
            let rows = glyph(letter);
            for (j, row) in rows.iter().enumerate() {
                for i in 0..5 {
                    if row >> (4 - i) & 1 == 1 {
                        self.dot([x + i * size, at[1] + j * size], size, ink);
                    }
                }
            }
            x += 6 * size;
        }
    }

    /// Lightens or darkens a rectangle towards a colour, as a ground for text.
    pub fn veil(&mut self, at: [usize; 2], size: [usize; 2], colour: [u8; 3]) {
        for y in at[1]..(at[1] + size[1]).min(self.height) {
            for x in at[0]..(at[0] + size[0]).min(self.width) {
                let place = 3 * (y * self.width + x);
                for (own, new) in self.rgb[place..place + 3].iter_mut().zip(colour) {
                    *own = ((u16::from(*own) + 3 * u16::from(new)) / 4) as u8;
                }
            }
        }
    }

    fn dot(&mut self, at: [usize; 2], size: usize, ink: [u8; 3]) {
        for y in at[1]..(at[1] + size).min(self.height) {
            for x in at[0]..(at[0] + size).min(self.width) {
                let place = 3 * (y * self.width + x);
                self.rgb[place..place + 3].copy_from_slice(&ink);
            }
        }
    }
}

/// Letters of five by seven dots; what is missing is an empty box.
fn glyph(letter: char) -> [u8; 7] {
    match letter.to_ascii_lowercase() {
        '0' => [14, 17, 19, 21, 25, 17, 14],
        '1' => [4, 12, 4, 4, 4, 4, 14],
        '2' => [14, 17, 1, 2, 4, 8, 31],
        '3' => [31, 2, 4, 2, 1, 17, 14],
        '4' => [2, 6, 10, 18, 31, 2, 2],
        '5' => [31, 16, 30, 1, 1, 17, 14],
        '6' => [6, 8, 16, 30, 17, 17, 14],
        '7' => [31, 1, 2, 4, 8, 8, 8],
        '8' => [14, 17, 17, 14, 17, 17, 14],
        '9' => [14, 17, 17, 15, 1, 2, 12],
        'a' => [0, 0, 14, 1, 15, 17, 15],
        'b' => [16, 16, 30, 17, 17, 17, 30],
        'c' => [0, 0, 14, 16, 16, 17, 14],
        'd' => [1, 1, 15, 17, 17, 17, 15],
        'e' => [0, 0, 14, 17, 31, 16, 14],
        'f' => [6, 9, 8, 28, 8, 8, 8],
        'g' => [0, 15, 17, 17, 15, 1, 14],
        'h' => [16, 16, 22, 25, 17, 17, 17],
        'i' => [4, 0, 12, 4, 4, 4, 14],
        'j' => [2, 0, 6, 2, 2, 18, 12],
        'k' => [16, 16, 18, 20, 24, 20, 18],
        'l' => [12, 4, 4, 4, 4, 4, 14],
        'm' => [0, 0, 26, 21, 21, 17, 17],
        'n' => [0, 0, 22, 25, 17, 17, 17],
        'o' => [0, 0, 14, 17, 17, 17, 14],
        'p' => [0, 0, 30, 17, 30, 16, 16],
        'q' => [0, 0, 13, 19, 15, 1, 1],
        'r' => [0, 0, 22, 25, 16, 16, 16],
        's' => [0, 0, 14, 16, 14, 1, 30],
        't' => [8, 8, 28, 8, 8, 9, 6],
        'u' => [0, 0, 17, 17, 17, 19, 13],
        'v' => [0, 0, 17, 17, 17, 10, 4],
        'w' => [0, 0, 17, 17, 21, 21, 10],
        'x' => [0, 0, 17, 10, 4, 10, 17],
        'y' => [0, 0, 17, 17, 15, 1, 14],
        'z' => [0, 0, 31, 2, 4, 8, 31],
        '.' => [0, 0, 0, 0, 0, 12, 12],
        ',' => [0, 0, 0, 0, 12, 4, 8],
        '-' | '–' | '−' => [0, 0, 0, 31, 0, 0, 0],
        '_' => [0, 0, 0, 0, 0, 0, 31],
        '=' => [0, 0, 31, 0, 31, 0, 0],
        '+' => [0, 4, 4, 31, 4, 4, 0],
        ':' => [0, 12, 12, 0, 12, 12, 0],
        '/' => [0, 1, 2, 4, 8, 16, 0],
        ' ' => [0; 7],
        _ => [31, 17, 17, 17, 17, 17, 31],
    }
}
