//! Triangles: the basic bodies, and what files hold.

use holonom_algebra::Vec3;
use std::io::Cursor;
use thiserror::Error;

/// A surface of triangles. Positions and normals have the same length; three indices make a triangle.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mesh {
    /// Corners, m.
    pub positions: Vec<[f32; 3]>,
    /// Unit normals at the corners, outwards.
    pub normals: Vec<[f32; 3]>,
    /// Triangles, three corners each, counter-clockwise seen from outside.
    pub indices: Vec<u32>,
}

/// Largest file of a mesh, bytes.
pub const LARGEST_FILE: u64 = 64 << 20;

/// Most triangles of a mesh.
pub const MOST_TRIANGLES: usize = 1_000_000;

/// Why the bytes of a file are no mesh.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum MeshError {
    /// The ending is not known.
    #[error("`{name}` ends in none of .stl, .obj, .gltf and .glb; convert it to one of these")]
    Format {
        /// The file.
        name: String,
    },
    /// COLLADA is not read.
    #[error(
        "`{name}` is a COLLADA file, which is not read; convert it to STL, OBJ or glTF, for example with Blender"
    )]
    Collada {
        /// The file.
        name: String,
    },
    /// The content makes no sense.
    #[error("`{name}` cannot be read: {reason}; export it again")]
    Broken {
        /// The file.
        name: String,
        /// What is wrong.
        reason: String,
    },
    /// There is nothing in it.
    #[error("`{name}` has no triangles; export it with its surface")]
    Empty {
        /// The file.
        name: String,
    },
    /// It would fill the memory.
    #[error("`{name}` has {triangles} triangles, but at most {MOST_TRIANGLES} are shown; simplify it")]
    Huge {
        /// The file.
        name: String,
        /// Its triangles.
        triangles: usize,
    },
}

/// Segments of round bodies.
pub const ROUND: usize = 28;

/// Segments of round bodies where there are very many of them.
pub const COARSE: usize = 10;

fn unit(v: [f64; 3]) -> [f32; 3] {
    let length = (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]).sqrt();
    let k = if length > 0.0 { 1.0 / length } else { 0.0 };
    v.map(|x| (x * k) as f32)
}

/// cos and sin of a multiple of a full turn, by the recurrence of a rotation: the same bits everywhere, as libraries
/// differ in the last bit of sines.
fn circle(segments: usize) -> Vec<[f64; 2]> {
    let angle = core::f64::consts::TAU / segments as f64;
    // Taylor series of a small angle: exact to rounding.
    let square = angle * angle;
    let series = |first: f64, start: usize| {
        let (mut sum, mut term, mut k) = (0.0, first, start);
        while term.abs() > 1e-18 {
            sum += term;
            term *= -square / ((k + 1) * (k + 2)) as f64;
            k += 2;
        }
        sum
    };
    let (c, s) = (series(1.0, 0), series(angle, 1));
    let mut points = Vec::with_capacity(segments + 1);
    let (mut x, mut y) = (1.0, 0.0);
    for _ in 0..segments {
        points.push([x, y]);
        (x, y) = (c * x - s * y, s * x + c * y);
    }
    points.push([1.0, 0.0]);
    points
}

impl Mesh {
    fn push(&mut self, position: [f64; 3], normal: [f64; 3]) -> u32 {
        self.positions.push(position.map(|x| x as f32));
        self.normals.push(unit(normal));
        (self.positions.len() - 1) as u32
    }

    fn quad(&mut self, corners: [u32; 4]) {
        let [a, b, c, d] = corners;
        self.indices.extend([a, b, c, a, c, d]);
    }

    /// Number of triangles.
    pub fn triangles(&self) -> usize {
        self.indices.len() / 3
    }

    /// The smallest and largest coordinates; none without corners.
    pub fn bounds(&self) -> Option<[[f64; 3]; 2]> {
        let mut corners = self.positions.iter().map(|p| p.map(f64::from));
        let first = corners.next()?;
        let mut bounds = [first, first];
        for corner in corners {
            for k in 0..3 {
                bounds[0][k] = bounds[0][k].min(corner[k]);
                bounds[1][k] = bounds[1][k].max(corner[k]);
            }
        }
        Some(bounds)
    }

    /// A cube with edges of length 1 about the origin.
    pub fn cube() -> Self {
        let mut mesh = Self::default();
        for axis in 0..3 {
            for side in [-0.5, 0.5] {
                let mut normal = [0.0; 3];
                normal[axis] = side;
                let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
                let corner = |a: f64, b: f64| {
                    let mut p = [0.0; 3];
                    (p[axis], p[u], p[v]) = (side, a, b);
                    p
                };
                let turn = if side > 0.0 { 1.0 } else { -1.0 };
                let ring = [
                    [-0.5, -0.5 * turn],
                    [0.5, -0.5 * turn],
                    [0.5, 0.5 * turn],
                    [-0.5, 0.5 * turn],
                ];
                let corners = ring.map(|[a, b]| mesh.push(corner(a, b), normal));
                mesh.quad(corners);
            }
        }
        mesh
    }

    /// A sphere of radius 1 with so many segments.
    pub fn sphere(round: usize) -> Self {
        let (around, rings) = (circle(round), round / 2);
        let half = circle(2 * rings);
        let mut mesh = Self::default();
        for &[z, r] in &half[..=rings] {
            for &[x, y] in &around {
                let p = [r.abs() * x, r.abs() * y, z];
                mesh.push(p, p);
            }
        }
        let row = (round + 1) as u32;
        for ring in 0..rings as u32 {
            for k in 0..round as u32 {
                let a = ring * row + k;
                let (top, bottom) = ([a, a + 1], [a + row, a + row + 1]);
                if ring > 0 {
                    mesh.indices.extend([top[0], bottom[0], top[1]]);
                }
                if ring + 1 < rings as u32 {
                    mesh.indices.extend([top[1], bottom[0], bottom[1]]);
                }
            }
        }
        mesh
    }

    /// A cylinder of radius 1 from z = −1/2 to 1/2.
    pub fn cylinder(round: usize) -> Self {
        Self::frustum(1.0, round)
    }

    /// A cone of radius 1 from z = −1/2 to its tip at 1/2.
    pub fn cone(round: usize) -> Self {
        Self::frustum(0.0, round)
    }

    /// Radius 1 below and `top` above.
    fn frustum(top: f64, round: usize) -> Self {
        let around = circle(round);
        let slope = 1.0 - top;
        let mut mesh = Self::default();
        let sides: Vec<[u32; 2]> = around
            .iter()
            .map(|&[x, y]| {
                let normal = [x, y, slope];
                [
                    mesh.push([x, y, -0.5], normal),
                    mesh.push([top * x, top * y, 0.5], normal),
                ]
            })
            .collect();
        for pair in sides.windows(2) {
            let ([a, d], [b, c]) = (pair[0], pair[1]);
            if top > 0.0 {
                mesh.quad([a, b, c, d]);
            } else {
                mesh.indices.extend([a, b, d]);
            }
        }
        for (z, radius) in [(-0.5, 1.0), (0.5, top)] {
            if radius == 0.0 {
                continue;
            }
            let normal = [0.0, 0.0, z];
            let middle = mesh.push([0.0, 0.0, z], normal);
            let rim: Vec<u32> = around
                .iter()
                .map(|&[x, y]| mesh.push([radius * x, radius * y, z], normal))
                .collect();
            for pair in rim.windows(2) {
                let [a, b] = if z > 0.0 {
                    [pair[0], pair[1]]
                } else {
                    [pair[1], pair[0]]
                };
                mesh.indices.extend([middle, a, b]);
            }
        }
        mesh
    }

    /// A square with edges of length 1 in the plane z = 0, seen from both sides.
    pub fn plane() -> Self {
        let mut mesh = Self::default();
        for side in [1.0, -1.0] {
            let ring = [
                [-0.5, -0.5 * side],
                [0.5, -0.5 * side],
                [0.5, 0.5 * side],
                [-0.5, 0.5 * side],
            ];
            let corners = ring.map(|[x, y]| mesh.push([x, y, 0.0], [0.0, 0.0, side]));
            mesh.quad(corners);
        }
        mesh
    }

    /// A coil about z from 0 to 1 with an outer radius of 1.
    pub fn coil() -> Self {
        const TURNS: usize = 7;
        const STEPS: usize = 14;
        const SIDES: usize = 6;
        /// Radius of the wire across and along the coil.
        const WIRE: [f64; 2] = [0.16, 0.025];
        let (around, section) = (circle(STEPS), circle(SIDES));
        let mut mesh = Self::default();
        let count = TURNS * STEPS;
        let mean = 1.0 - WIRE[0];
        for k in 0..=count {
            let [x, y] = around[k % STEPS];
            let z = WIRE[1] + (1.0 - 2.0 * WIRE[1]) * k as f64 / count as f64;
            for &[u, w] in &section {
                let r = mean + WIRE[0] * u;
                let normal = [u * x / WIRE[0], u * y / WIRE[0], w / WIRE[1]];
                mesh.push([r * x, r * y, z + WIRE[1] * w], normal);
            }
        }
        let row = (SIDES + 1) as u32;
        for k in 0..count as u32 {
            for side in 0..SIDES as u32 {
                let a = k * row + side;
                mesh.quad([a, a + row, a + row + 1, a + 1]);
            }
        }
        mesh
    }

    /// A surface over a grid of points, seen from both sides: `point(i, j)` for i in 0..=n, j in 0..=m.
    pub fn grid(n: usize, m: usize, point: impl Fn(usize, usize) -> [f64; 3]) -> Self {
        let mut mesh = Self::default();
        let at = |i: usize, j: usize| Vec3(point(i.min(n), j.min(m)));
        for side in [1.0, -1.0] {
            let first = mesh.positions.len() as u32;
            for i in 0..=n {
                for j in 0..=m {
                    let along = at(i + 1, j) - at(i.saturating_sub(1), j);
                    let across = at(i, j + 1) - at(i, j.saturating_sub(1));
                    mesh.push(at(i, j).0, along.cross(across).scale(side).0);
                }
            }
            let row = (m + 1) as u32;
            for i in 0..n as u32 {
                for j in 0..m as u32 {
                    let a = first + i * row + j;
                    let corners = [a, a + row, a + row + 1, a + 1];
                    let mut turned = corners;
                    if side < 0.0 {
                        turned.reverse();
                    }
                    mesh.quad(turned);
                }
            }
        }
        mesh
    }

    /// A tube of rectangular section along points: half widths across and upwards, with the `up` of each point.
    pub fn beam(points: &[[Vec3<f64>; 2]], half: [f64; 2]) -> Self {
        let mut mesh = Self::default();
        let n = points.len();
        let frame = |k: usize| {
            let before = points[k.saturating_sub(1)][0];
            let after = points[(k + 1).min(n - 1)][0];
            let up = points[k][1];
            let across = up
                .cross(after - before)
                .normalised()
                .unwrap_or(Vec3([0.0, 1.0, 0.0]));
            (across, up)
        };
        const SIDES: [[f64; 2]; 4] = [[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]];
        for [u, w] in SIDES {
            let first = mesh.positions.len() as u32;
            for (k, [at, _]) in points.iter().enumerate() {
                let (across, up) = frame(k);
                let normal = across.scale(u) + up.scale(w);
                // The two edges of the face, counter-clockwise seen along the beam.
                for turn in [-1.0, 1.0] {
                    let (a, b) = (u - turn * w, w + turn * u);
                    let corner = *at + across.scale(a * half[0]) + up.scale(b * half[1]);
                    mesh.push(corner.0, normal.0);
                }
            }
            for k in 0..n.saturating_sub(1) as u32 {
                let a = first + 2 * k;
                mesh.quad([a, a + 1, a + 3, a + 2]);
            }
        }
        mesh
    }

    /// Reads the bytes of a file; its name says the format.
    ///
    /// # Errors
    /// Another format, bytes that make no sense, nothing to see, or too much.
    pub fn read(name: &str, bytes: &[u8]) -> Result<Self, MeshError> {
        let ending = name.rsplit('.').next().unwrap_or("").to_lowercase();
        let own = || name.to_string();
        let soup = match ending.as_str() {
            "stl" => stl(bytes),
            "obj" => obj(bytes),
            "gltf" | "glb" => gltf(bytes),
            "dae" => return Err(MeshError::Collada { name: own() }),
            _ => return Err(MeshError::Format { name: own() }),
        };
        let soup = soup.map_err(|reason| MeshError::Broken { name: own(), reason })?;
        if soup.is_empty() {
            return Err(MeshError::Empty { name: own() });
        }
        if soup.len() > MOST_TRIANGLES {
            let triangles = soup.len();
            return Err(MeshError::Huge {
                name: own(),
                triangles,
            });
        }
        if soup.iter().flatten().flatten().any(|x| !x.is_finite()) {
            let reason = "a coordinate is not a finite number".to_string();
            return Err(MeshError::Broken { name: own(), reason });
        }
        Ok(Self::of_triangles(&soup))
    }

    /// Flat triangles.
    fn of_triangles(soup: &[[[f32; 3]; 3]]) -> Self {
        let mut mesh = Self::default();
        for triangle in soup {
            let [a, b, c] = triangle.map(|p| Vec3(p.map(f64::from)));
            let normal = (b - a).cross(c - a);
            let first = mesh.positions.len() as u32;
            for corner in triangle {
                mesh.positions.push(*corner);
                mesh.normals.push(unit(normal.0));
            }
            mesh.indices.extend([first, first + 1, first + 2]);
        }
        mesh
    }

    /// Scaled about the origin; a negative product of the factors turns the triangles round.
    pub fn scaled(mut self, factors: [f64; 3]) -> Self {
        for p in &mut self.positions {
            *p = core::array::from_fn(|k| (f64::from(p[k]) * factors[k]) as f32);
        }
        for n in &mut self.normals {
            *n = unit(core::array::from_fn(|k| f64::from(n[k]) / factors[k]));
        }
        if factors.iter().product::<f64>() < 0.0 {
            for triangle in self.indices.chunks_exact_mut(3) {
                triangle.swap(1, 2);
            }
        }
        self
    }
}

type Triangles = Vec<[[f32; 3]; 3]>;

fn stl(bytes: &[u8]) -> Result<Triangles, String> {
    // A header that promises more than the file has would be believed by the reader.
    if !bytes.starts_with(b"solid") {
        let count = bytes.get(80..84).ok_or("it is cut off")?;
        let count = u32::from_le_bytes([count[0], count[1], count[2], count[3]]) as usize;
        if count > MOST_TRIANGLES || bytes.len() < 84 + 50 * count {
            return Err(format!(
                "it announces {count} triangles, but is shorter or too large"
            ));
        }
    }
    let mut cursor = Cursor::new(bytes);
    let read = stl_io::read_stl(&mut cursor).map_err(|error| error.to_string())?;
    let corner = |index: usize| read.vertices.get(index).map(|v| [v[0], v[1], v[2]]);
    let triangle = |face: &stl_io::IndexedTriangle| {
        let [a, b, c] = face.vertices;
        Some([corner(a)?, corner(b)?, corner(c)?])
    };
    read.faces
        .iter()
        .map(|face| triangle(face).ok_or_else(|| "a triangle has a corner that is not there".to_string()))
        .collect()
}

fn obj(bytes: &[u8]) -> Result<Triangles, String> {
    let options = tobj::LoadOptions {
        triangulate: true,
        single_index: true,
        ..tobj::LoadOptions::default()
    };
    let mut cursor = Cursor::new(bytes);
    // Materials are files of their own; colours come from the model.
    let no_materials = |_: &std::path::Path| Ok((Vec::new(), Default::default()));
    let (models, _) =
        tobj::load_obj_buf(&mut cursor, &options, no_materials).map_err(|error| error.to_string())?;
    let mut triangles = Vec::new();
    for model in models {
        let mesh = model.mesh;
        let corner = |index: u32| {
            let at = 3 * index as usize;
            let p = mesh.positions.get(at..at + 3)?;
            Some([p[0], p[1], p[2]])
        };
        for face in mesh.indices.chunks_exact(3) {
            let corners = [corner(face[0]), corner(face[1]), corner(face[2])];
            let [Some(a), Some(b), Some(c)] = corners else {
                return Err("a face has a corner that is not there".to_string());
            };
            triangles.push([a, b, c]);
        }
    }
    Ok(triangles)
}

fn gltf(bytes: &[u8]) -> Result<Triangles, String> {
    let (document, blob) = {
        let read = gltf::Gltf::from_slice(bytes).map_err(|error| error.to_string())?;
        (read.document, read.blob)
    };
    let mut buffers: Vec<Vec<u8>> = Vec::new();
    for buffer in document.buffers() {
        buffers.push(match buffer.source() {
            gltf::buffer::Source::Bin => blob.clone().ok_or("its binary part is missing")?,
            gltf::buffer::Source::Uri(uri) => match uri.split_once(";base64,") {
                Some((head, data)) if head.starts_with("data:") => {
                    base64(data).ok_or("its embedded data are damaged")?
                }
                _ => return Err("its data are in another file; export it as .glb".to_string()),
            },
        });
    }
    let mut triangles = Vec::new();
    let mut waiting: Vec<(gltf::Node<'_>, [[f32; 4]; 4])> = Vec::new();
    const IDENTITY: [[f32; 4]; 4] = [
        [1.0, 0.0, 0.0, 0.0],
        [0.0, 1.0, 0.0, 0.0],
        [0.0, 0.0, 1.0, 0.0],
        [0.0, 0.0, 0.0, 1.0],
    ];
    let scene = document.default_scene().or_else(|| document.scenes().next());
    waiting.extend(
        scene
            .iter()
            .flat_map(gltf::Scene::nodes)
            .map(|node| (node, IDENTITY)),
    );
    let mut visited = 0;
    while let Some((node, parent)) = waiting.pop() {
        visited += 1;
        if visited > 100_000 {
            return Err("its nodes form a circle".to_string());
        }
        let own = node.transform().matrix();
        let mut matrix = [[0.0_f32; 4]; 4];
        for (column, out) in own.iter().zip(&mut matrix) {
            for (k, x) in out.iter_mut().enumerate() {
                *x = (0..4).map(|j| parent[j][k] * column[j]).sum();
            }
        }
        waiting.extend(node.children().map(|child| (child, matrix)));
        let Some(mesh) = node.mesh() else { continue };
        for primitive in mesh.primitives() {
            if primitive.mode() != gltf::mesh::Mode::Triangles {
                continue;
            }
            let reader = primitive.reader(|buffer| buffers.get(buffer.index()).map(Vec::as_slice));
            let Some(positions) = reader.read_positions() else {
                continue;
            };
            let moved = |p: [f32; 3]| -> [f32; 3] {
                core::array::from_fn(|k| {
                    matrix[0][k] * p[0] + matrix[1][k] * p[1] + matrix[2][k] * p[2] + matrix[3][k]
                })
            };
            // glTF has y up, mechanisms have z up.
            let upright = |[x, y, z]: [f32; 3]| [x, -z, y];
            let corners: Vec<[f32; 3]> = positions.map(moved).map(upright).collect();
            let indices: Vec<u32> = match reader.read_indices() {
                Some(indices) => indices.into_u32().collect(),
                None => (0..corners.len() as u32).collect(),
            };
            if triangles.len() + indices.len() / 3 > MOST_TRIANGLES + 1 {
                // Refused as a whole.
                triangles.resize(MOST_TRIANGLES + 1, [[0.0; 3]; 3]);
                return Ok(triangles);
            }
            for face in indices.chunks_exact(3) {
                let corner = |k: usize| corners.get(face[k] as usize).copied();
                let [Some(a), Some(b), Some(c)] = [corner(0), corner(1), corner(2)] else {
                    return Err("a face has a corner that is not there".to_string());
                };
                triangles.push([a, b, c]);
            }
        }
    }
    Ok(triangles)
}

fn base64(text: &str) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(text.len() * 3 / 4);
    let (mut bits, mut count) = (0_u32, 0);
    for byte in text.trim_end_matches('=').bytes() {
        let digit = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => return None,
        };
        bits = bits << 6 | u32::from(digit);
        count += 6;
        if count >= 8 {
            count -= 8;
            out.push((bits >> count) as u8);
        }
    }
    Some(out)
}
