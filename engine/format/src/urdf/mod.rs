//! Import of URDF, the Unified Robot Description Format.
//!
//! Links become bodies, joints become joints, `<mimic>` becomes a coupling; damping, friction and
//! position limits become force elements. A link without mass on a fixed joint becomes a marker on
//! the body before it. Files of real robots contain much that URDF does not define: it is read as
//! other programs read it, and [`Imported::notes`] lists what is not used and what was changed.
//! Nothing is dropped silently. What is wrong is reported all at once, with its place in the text.
//!
//! The stages in reading order: `repair` (text that is almost XML), `xml` (attributes and numbers
//! with their places), `elements` (what each element may contain), `tree` (who carries whom),
//! `mimic` (who follows whom), `build` (the description), `resistance` (dampers, friction, stops).
//! The manual is `docs/urdf.md`.

mod build;
mod elements;
mod mimic;
mod names;
mod notes;
mod repair;
mod resistance;
mod tree;
mod turned;
mod visuals;
mod xml;

use core::ops::Range;
use holonom_multibody::Description;
use holonom_multibody::description::JointKind;

/// Something wrong in a URDF file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct UrdfError {
    /// Where in the text, in bytes.
    pub span: Range<usize>,
    /// What is wrong.
    pub message: String,
    /// How to mend it.
    pub help: Option<String>,
}

/// Something in a URDF file that is worth knowing: what is not used, what has another name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// Where in the text, in bytes; of several places the first.
    pub span: Range<usize>,
    /// What it is about.
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
}

/// How the root link is held.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Base {
    /// Fixed to the ground.
    #[default]
    Fixed,
    /// It floats: a free joint from the ground.
    Free,
}

/// How to read a URDF file.
///
/// ```
/// use holonom_format::urdf::{Base, Options};
/// let options = Options { base: Base::Free, ..Options::default() };
/// assert!(options.limits && !options.strict && options.loops.is_empty());
/// ```
#[derive(Clone, Debug)]
pub struct Options {
    /// How the root link is held. A root named `world` is the ground in any case.
    pub base: Base,
    /// Refuse what URDF does not define or no robot can have (unknown elements and attributes,
    /// impossible inertias, joints that move nothing) instead of listing it.
    pub strict: bool,
    /// `<dynamics damping>` becomes a damper.
    pub damping: bool,
    /// `<dynamics friction>` becomes Coulomb friction.
    pub friction: bool,
    /// `<limit lower upper>` becomes end stops, and joints start within them.
    pub limits: bool,
    /// Joints that close loops, besides those in the file.
    pub loops: Vec<Loop>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            base: Base::Fixed,
            strict: false,
            damping: true,
            friction: true,
            limits: true,
            loops: Vec::new(),
        }
    }
}

/// A joint that closes a loop, which the tree of a URDF file cannot say.
#[derive(Clone, Debug, PartialEq)]
pub struct Loop {
    /// Name, unique among the joints.
    pub name: String,
    /// Kind; any but the free ones.
    pub kind: JointKind,
    /// First frame.
    pub first: LoopEnd,
    /// Second frame.
    pub second: LoopEnd,
    /// Main axis in both frames, for the kinds that have one.
    pub axis: [f64; 3],
}

/// A frame on a link, where a loop is closed.
#[derive(Clone, Debug, PartialEq)]
pub struct LoopEnd {
    /// Link, by its name in the file.
    pub link: String,
    /// Position in the link's frame, m.
    pub position: [f64; 3],
    /// Roll, pitch and yaw about the fixed axes x, y, z of the link, rad.
    pub rpy: [f64; 3],
}

/// What became of a link or a joint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Renamed {
    /// Its name in the URDF file.
    pub urdf: String,
    /// For a link the frame in the description: `"body"`, `"body.marker"` or `"ground"`. For a
    /// joint its name; none for a fixed joint whose link became a marker.
    pub here: Option<String>,
}

/// A robot that has been read.
#[derive(Clone, Debug)]
pub struct Imported {
    /// The mechanism.
    pub description: Description,
    /// What is not used, or not called as in the file.
    pub notes: Vec<Note>,
    /// Where each link is, in the order of the file.
    pub links: Vec<Renamed>,
    /// What each joint is called, in the order of the file.
    pub joints: Vec<Renamed>,
}

impl Imported {
    /// The frame that a link has become: `"body"`, `"body.marker"` or `"ground"`.
    pub fn frame(&self, link: &str) -> Option<&str> {
        self.links.iter().find(|l| l.urdf == link)?.here.as_deref()
    }
}

/// Reads a robot with the usual options: the root link is fixed to the ground. `file` is the name
/// of the file, for a robot that has none.
///
/// ```
/// let text = r#"<robot name="pendulum">
///   <link name="post"/>
///   <link name="bob">
///     <inertial>
///       <origin xyz="0 0 -0.5"/>
///       <mass value="2"/>
///       <inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.01"/>
///     </inertial>
///   </link>
///   <joint name="hinge" type="continuous">
///     <parent link="post"/> <child link="bob"/> <axis xyz="0 1 0"/>
///   </joint>
/// </robot>"#;
/// let robot = holonom_format::urdf::read(text, "pendulum.urdf").unwrap();
/// assert_eq!(robot.frame("post"), Some("ground.post"));
/// assert_eq!(robot.description.compile()?.position_names, ["hinge"]);
/// # Ok::<(), holonom_multibody::diagnostic::ModelErrors>(())
/// ```
///
/// # Errors
/// Everything that is wrong with it, in the order of the text.
pub fn read(text: &str, file: &str) -> Result<Imported, Vec<UrdfError>> {
    read_with(text, file, &Options::default())
}

/// Reads a robot.
///
/// # Errors
/// Everything that is wrong with it, in the order of the text.
pub fn read_with(text: &str, file: &str, options: &Options) -> Result<Imported, Vec<UrdfError>> {
    let mut reader = xml::Reader::new(text, options.strict);
    let repaired;
    let document = match xml::parse(text) {
        Ok(document) => document,
        Err(error) => {
            // Strict reading takes the text as it is.
            let again = match options.strict {
                true => None,
                false => repair::repaired(&mut reader, text),
            };
            let Some(text) = again else {
                return Err(vec![error]);
            };
            repaired = text;
            xml::parse(&repaired).map_err(|error| vec![error])?
        }
    };
    let imported = elements::read(&mut reader, document.root_element(), options)
        .and_then(|robot| build::build(&mut reader, robot, file, options));
    match imported {
        Some(mut imported) if reader.errors.is_empty() => {
            imported.notes = reader.notes.finish();
            Ok(imported)
        }
        _ => Err(xml::in_order(reader.errors)),
    }
}
