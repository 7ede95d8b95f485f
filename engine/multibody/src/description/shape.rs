//! [`Shape`]: the look of a frame. Shapes change nothing about the motion.

use super::{Description, Frame};
use crate::diagnostic::{Diagnostic, Thing, ThingKind};
use crate::elements::faults::Faults;
use crate::fields::{Field, Fields};
use crate::mirror::Axis;
use holonom_algebra::{Mat3, Pose, Vec3};

/// Something to be seen on a frame.
///
/// ```
/// use holonom_multibody::description::{Shape, ShapeKind, frame};
/// let shape = Shape::new("wheel", ShapeKind::Cylinder { radius: 0.3, length: 0.2 })
///     .at(frame::along([0.0; 3], [0.0, 1.0, 0.0]))
///     .coloured("#333333");
/// assert_eq!(shape.rgb(), Some([0.2, 0.2, 0.2]));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Shape {
    /// Frame that carries it.
    pub on: String,
    /// What it is.
    pub kind: ShapeKind,
    /// Where it is in the frame.
    pub frame: Frame,
    /// Its colour by name or as `#rrggbb`; empty for that of its body.
    pub colour: String,
    /// 1 for opaque.
    pub opacity: f64,
    /// Shown only while its body has no other shape.
    pub stand_in: bool,
}

/// What a shape looks like, in its own frame. Lengths are in metres.
#[derive(Clone, Debug, PartialEq)]
pub enum ShapeKind {
    /// A box about the origin.
    Box {
        /// Edges along x, y and z.
        size: [f64; 3],
    },
    /// A sphere about the origin.
    Sphere {
        /// Its radius.
        radius: f64,
    },
    /// A cylinder along z, in whose middle the origin is.
    Cylinder {
        /// Its radius.
        radius: f64,
        /// Its length.
        length: f64,
    },
    /// A cylinder along z with half a sphere at both ends.
    Capsule {
        /// Its radius.
        radius: f64,
        /// Distance between the centres of the half spheres.
        length: f64,
    },
    /// A cone along z: the base is at −length/2, the tip at length/2.
    Cone {
        /// Radius of the base.
        radius: f64,
        /// Its length.
        length: f64,
    },
    /// A rectangle in the plane z = 0, seen from both sides.
    Plane {
        /// Along x.
        length: f64,
        /// Along y.
        width: f64,
    },
    /// A tube along straight pieces between points.
    Tube {
        /// The points.
        points: Vec<[f64; 3]>,
        /// Its radius.
        radius: f64,
    },
    /// A surface from a file.
    Mesh {
        /// The file: STL, OBJ or glTF, within the folder of the model.
        file: String,
        /// Factors along x, y and z.
        scale: [f64; 3],
    },
}

/// An entry of the registry: what users need to know about a kind of shape.
#[derive(Debug)]
pub struct ShapeInfo {
    /// Name in model files.
    pub name: &'static str,
    /// One sentence for users.
    pub doc: &'static str,
    /// The kind as absent fields leave it.
    pub template: fn() -> ShapeKind,
}

/// All kinds of shapes.
pub const SHAPES: &[ShapeInfo] = &[
    ShapeInfo {
        name: "box",
        doc: "A box about the origin of its frame.",
        template: || ShapeKind::Box { size: [0.0; 3] },
    },
    ShapeInfo {
        name: "sphere",
        doc: "A sphere about the origin of its frame.",
        template: || ShapeKind::Sphere { radius: 0.0 },
    },
    ShapeInfo {
        name: "cylinder",
        doc: "A cylinder along z with the origin of its frame in the middle.",
        template: || ShapeKind::Cylinder {
            radius: 0.0,
            length: 0.0,
        },
    },
    ShapeInfo {
        name: "capsule",
        doc: "A cylinder along z with half a sphere at both ends.",
        template: || ShapeKind::Capsule {
            radius: 0.0,
            length: 0.0,
        },
    },
    ShapeInfo {
        name: "cone",
        doc: "A cone along z with its base at −length/2 and its tip at length/2.",
        template: || ShapeKind::Cone {
            radius: 0.0,
            length: 0.0,
        },
    },
    ShapeInfo {
        name: "plane",
        doc: "A rectangle in the plane z = 0, visible from both sides.",
        template: || ShapeKind::Plane {
            length: 0.0,
            width: 0.0,
        },
    },
    ShapeInfo {
        name: "tube",
        doc: "A tube along straight pieces between points.",
        template: || ShapeKind::Tube {
            points: Vec::new(),
            radius: 0.0,
        },
    },
    ShapeInfo {
        name: "mesh",
        doc: "A surface from an STL, OBJ or glTF file.",
        template: || ShapeKind::Mesh {
            file: String::new(),
            scale: [1.0; 3],
        },
    },
];

impl ShapeKind {
    /// Its entry in the registry.
    pub fn info(&self) -> &'static ShapeInfo {
        &SHAPES[match self {
            Self::Box { .. } => 0,
            Self::Sphere { .. } => 1,
            Self::Cylinder { .. } => 2,
            Self::Capsule { .. } => 3,
            Self::Cone { .. } => 4,
            Self::Plane { .. } => 5,
            Self::Tube { .. } => 6,
            Self::Mesh { .. } => 7,
        }]
    }

    fn fields(&mut self, visitor: &mut dyn Fields) {
        let mut number = |name, doc, value| visitor.number(&Field::required(name, "m", doc), value);
        match self {
            Self::Box { size } => {
                visitor.vector(&Field::required("size", "m", "Edges along x, y and z."), size);
            }
            Self::Sphere { radius } => number("radius", "Radius.", radius),
            Self::Cylinder { radius, length } => {
                number("radius", "Radius.", radius);
                number("length", "Length along z.", length);
            }
            Self::Capsule { radius, length } => {
                number("radius", "Radius.", radius);
                number(
                    "length",
                    "Distance between the centres of the half spheres.",
                    length,
                );
            }
            Self::Cone { radius, length } => {
                number("radius", "Radius of the base.", radius);
                number("length", "Length along z.", length);
            }
            Self::Plane { length, width } => {
                number("length", "Length along x.", length);
                number("width", "Width along y.", width);
            }
            Self::Tube { points, radius } => {
                let doc = "At least two points, each with x, y and z.";
                visitor.points(&Field::required("points", "m", doc), points);
                visitor.number(&Field::required("radius", "m", "Radius."), radius);
            }
            Self::Mesh { file, scale } => {
                let doc = "Name of the file, relative to the model: .stl, .obj, .gltf or .glb, in metres.";
                visitor.text(&Field::required("file", "", doc), file);
                let doc = "Factors along x, y and z: 0.001 each for a file in millimetres.";
                visitor.vector(&Field::optional("scale", "", doc), scale);
            }
        }
    }
}

/// Names of colours.
pub const COLOURS: &[(&str, [u8; 3])] = &[
    ("white", [245, 245, 245]),
    ("silver", [190, 194, 200]),
    ("grey", [128, 132, 138]),
    ("black", [32, 34, 38]),
    ("red", [204, 51, 51]),
    ("orange", [224, 122, 36]),
    ("yellow", [230, 190, 50]),
    ("green", [58, 150, 84]),
    ("blue", [48, 108, 190]),
    ("purple", [128, 82, 170]),
    ("brown", [134, 94, 60]),
];

impl Shape {
    /// A shape at the origin of a frame, opaque and in the colour of its body.
    pub fn new(on: impl Into<String>, kind: ShapeKind) -> Self {
        Self {
            on: on.into(),
            kind,
            frame: Pose::identity(),
            colour: String::new(),
            opacity: 1.0,
            stand_in: false,
        }
    }

    /// The shape elsewhere in its frame.
    pub fn at(mut self, frame: Frame) -> Self {
        self.frame = frame;
        self
    }

    /// The shape in a colour: a name or `#rrggbb`.
    pub fn coloured(mut self, colour: impl Into<String>) -> Self {
        self.colour = colour.into();
        self
    }

    /// The shape with an opacity from 0 to 1.
    pub fn opacity(mut self, opacity: f64) -> Self {
        self.opacity = opacity;
        self
    }

    /// The shape as one that is shown only while its body has no other.
    pub fn stand_in(mut self) -> Self {
        self.stand_in = true;
        self
    }

    /// The file of a mesh.
    pub fn mesh(&self) -> Option<&str> {
        match &self.kind {
            ShapeKind::Mesh { file, .. } => Some(file),
            _ => None,
        }
    }

    /// Its colour, each part from 0 to 1; none for that of its body.
    pub fn rgb(&self) -> Option<[f64; 3]> {
        let bytes = match self.colour.strip_prefix('#') {
            Some(digits) if digits.len() == 6 && digits.bytes().all(|d| d.is_ascii_hexdigit()) => {
                let byte = |k: usize| u8::from_str_radix(&digits[2 * k..2 * k + 2], 16).ok();
                [byte(0)?, byte(1)?, byte(2)?]
            }
            _ => COLOURS.iter().find(|(name, _)| *name == self.colour)?.1,
        };
        Some(bytes.map(|byte| f64::from(byte) / 255.0))
    }

    /// Shows the fields of a shape, kind and place in the frame excepted.
    pub fn fields(&mut self, visitor: &mut dyn Fields) {
        let doc = "Frame that carries it: a body, a marker or the ground.";
        visitor.frame(&Field::required("on", "", doc), &mut self.on);
        self.kind.fields(visitor);
        let doc = "Colour: #rrggbb, or white, silver, grey, black, red, orange, yellow, green, blue, purple or brown; empty for the colour of its body.";
        visitor.text(&Field::optional("colour", "", doc), &mut self.colour);
        let doc = "Opacity: 1 is opaque, 0 invisible.";
        visitor.number(&Field::optional("opacity", "", doc), &mut self.opacity);
        let doc = "Show it only while its body has no other shape.";
        visitor.flag(&Field::optional("stand_in", "", doc), &mut self.stand_in);
    }

    /// What is wrong with its numbers.
    pub(crate) fn faults(&self, faults: &mut Faults) {
        let frame = [&self.frame.position.0[..], self.frame.rotation.0.as_flattened()].concat();
        faults.finite_quantity("the place of the shape", &frame);
        match &self.kind {
            ShapeKind::Box { size } => {
                if faults.finite_quantity("`size`", size) {
                    let good = size.iter().all(|edge| *edge > 0.0);
                    faults.require(
                        good,
                        "size",
                        "`size` has an edge that is not positive",
                        "correct it",
                    );
                }
            }
            ShapeKind::Sphere { radius } => faults.positive("radius", *radius),
            ShapeKind::Cylinder { radius, length } | ShapeKind::Cone { radius, length } => {
                faults.positive("radius", *radius);
                faults.positive("length", *length);
            }
            ShapeKind::Capsule { radius, length } => {
                faults.positive("radius", *radius);
                faults.not_negative("length", *length);
            }
            ShapeKind::Plane { length, width } => {
                faults.positive("length", *length);
                faults.positive("width", *width);
            }
            ShapeKind::Tube { points, radius } => {
                faults.positive("radius", *radius);
                faults.finite_quantity("`points`", points.as_flattened());
                faults.require(
                    points.len() >= 2,
                    "points",
                    "`points` needs two points or more",
                    "add some",
                );
            }
            ShapeKind::Mesh { file, scale } => {
                faults.require(
                    !file.is_empty(),
                    "file",
                    "`file` is empty",
                    "give the name of a file",
                );
                if faults.finite_quantity("`scale`", scale) {
                    let good = scale.iter().all(|factor| *factor != 0.0);
                    faults.require(good, "scale", "`scale` has a factor of zero", "correct it");
                }
            }
        }
        let opacity = self.opacity;
        let good = (0.0..=1.0).contains(&opacity);
        faults.range("opacity", opacity, good, "be from 0 to 1", "correct it");
        if !self.colour.is_empty() && self.rgb().is_none() {
            let names: Vec<&str> = COLOURS.iter().map(|(name, _)| *name).collect();
            let fault = Diagnostic::new(format!("`colour` is \"{}\"", self.colour)).field("colour");
            faults.add(fault.remedy(format!("give #rrggbb or one of {}", names.join(", "))));
        }
    }

    /// The mirror image: `vector` and `frame` are those of the plane.
    pub(crate) fn mirrored(
        &mut self,
        axis: Axis,
        vector: impl Fn([f64; 3]) -> [f64; 3],
        frame: impl Fn(&Frame) -> Frame,
    ) {
        self.frame = frame(&self.frame);
        match &mut self.kind {
            ShapeKind::Tube { points, .. } => points.iter_mut().for_each(|point| *point = vector(*point)),
            ShapeKind::Mesh { scale, .. } => *scale = vector(*scale),
            // Its tip changes sides: half a turn about x brings it there.
            ShapeKind::Cone { .. } if axis == Axis::Z => {
                let mut half = Mat3::identity();
                (half.0[1][1], half.0[2][2]) = (-1.0, -1.0);
                self.frame = self.frame.then(&Pose::new(half, Vec3::zero()));
            }
            _ => {}
        }
    }
}

impl Description {
    /// Adds a shape.
    pub fn shape(mut self, shape: Shape) -> Self {
        self.shapes.push(shape);
        self
    }

    /// What errors call the shape with this number: shapes have no names of their own.
    pub fn shape_place(&self, number: usize) -> Thing {
        let on = &self.shapes[number].on;
        let before = self.shapes[..number].iter().filter(|shape| shape.on == *on);
        shape_thing(on, before.count())
    }
}

/// The shape with so many others before it on its frame.
pub fn shape_thing(on: &str, before: usize) -> Thing {
    match before {
        0 => ThingKind::Shape.named(on),
        before => ThingKind::Shape.named(format!("{on}#{}", before + 1)),
    }
}
