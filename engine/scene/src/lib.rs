//! Mechanisms in space: what can be seen of them, and where it is along a motion.
//!
//! A [`Scene`] is made from a description and its compiled model: the shapes that the description states, and shapes
//! for what has none. A [`Poser`] puts the bodies where time and positions say. Both know no files and no windows:
//! [`raster`] draws pictures into memory, [`glb`] writes animations for other programs.
//!
//! | module | |
//! |---|---|
//! | [`mesh`] | triangles: the basic bodies, and files in STL, OBJ and glTF |
//! | [`scene`](mod@scene) | parts with their places on bodies; looks for what has no shapes |
//! | [`poser`] | poses of the bodies |
//! | [`thin`] | rows that can be left out of a motion |
//! | [`camera`] | from space to the picture |
//! | [`raster`] | pictures with a depth buffer |
//! | [`glb`] | animations as binary glTF |
//!
//! ```
//! use holonom_multibody::Description;
//! use holonom_multibody::description::{Body, Joint, Shape, ShapeKind};
//! use holonom_scene::{Poser, Scene};
//!
//! let description = Description::new("pendulum")
//!     .body(Body::new("bob", 2.0).centre([0.0, 0.0, -1.0]))
//!     .joint(Joint::revolute("pin", "ground", "bob").axis([0.0, 1.0, 0.0]))
//!     .shape(Shape::new("bob", ShapeKind::Sphere { radius: 0.1 }));
//! let model = description.compile()?;
//! let scene = Scene::new(&description, &model);
//! let mut poser = Poser::new(&model);
//! let poses = poser.poses(&model, 0.0, &model.q0);
//! assert_eq!((scene.bodies.len(), poses.len()), (2, 2));
//! # Ok::<(), holonom_multibody::diagnostic::ModelErrors>(())
//! ```

pub mod mesh;
pub mod poser;
pub mod scene;
pub mod thin;
pub mod camera;
pub mod raster;
pub mod glb;

pub use camera::{Camera, View};
pub use mesh::{Mesh, MeshError};
pub use poser::Poser;
pub use scene::{Part, Placement, Scene, SceneBody};
