//! Model files: TOML read and written, URDF read, and messages that point at the place.
//!
//! [`read`] makes a [`ModelFile`] of a file and of what it includes; [`write`] makes a text of a
//! `ModelFile` that reads back as the same; [`schema`] is the JSON Schema of the format. The
//! format is described in `docs/model-file.md`.
//!
//! ```
//! use holonom_format::{Files, read, write};
//! let text = r#"
//! [model]
//! format = 1
//! name = "pendulum"
//!
//! [parameters]
//! L = "800 mm"
//!
//! [[body]]
//! name = "bob"
//! mass = 2
//! markers = { hinge = [0, 0, "L"] }
//!
//! [[joint]]
//! name = "hinge"
//! kind = "revolute"
//! from = "ground"
//! to = "bob.hinge"
//! axis = [0, 1, 0]
//! angle = "30 deg"
//! "#;
//! let file = read("pendulum.toml", &Files::in_memory([("pendulum.toml", text)]), &[])?;
//! assert_eq!(file.compile()?.tree.n_q, 1);
//! let again = write(&file)?;
//! let same = read("again.toml", &Files::in_memory([("again.toml", again)]), &[])?;
//! assert!(same == file);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod files;
mod message;
mod model_file;
mod read;
mod schema;
mod settings;
mod tree;
pub mod urdf;
mod write;

pub use files::Files;
pub use message::{Message, Messages, Place, Severity, Source};
pub use model_file::{Input, ModelFile, Parameter, Places};
pub use read::{VERSION, read};
pub use schema::schema;
pub use settings::{SETTINGS, SettingInfo, SettingKind, SettingValue, Settings, find_setting};
pub use write::{WriteError, write};
