//! Model files: TOML read and written, URDF read, and messages that point at the place.
//!
//! [`read`] makes a [`ModelFile`] of a file and of what it includes; [`write()`] makes a text of a
//! `ModelFile` that reads back as the same; [`schema`] is the JSON Schema of the format. The
//! format is described in `docs/model-file.md`.
//!
//! A file that is included gives its mechanism, with parameters, tables and inputs of its own. Its
//! gravity, `[[output]]` and `[simulation]` apply only when it is run by itself: those of the file
//! that is run count. Names of its bodies, joints and so on get the prefix of the include; so do
//! its inputs and tables, with everything but letters and digits in the prefix turned into `_`.
//!
//! Everything that is wrong with a file is told at once ([`Messages`], at most
//! [`Messages::MOST`]), each with its place. What is hostile meets bounds: 64 MiB of text in all
//! files together, 1000 files, 32 deep, 200 000 bodies and joints.
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

mod message;
mod settings;
mod model_file;
mod faults;
mod tree;
mod files;
pub mod urdf;
mod read;
mod schema;
mod write;

pub use files::Files;
pub use message::{Message, Messages, Place, Severity, Source};
pub use model_file::{Input, ModelFile, Parameter, Places};
pub use read::{InputOffset, VERSION, read, read_with_offsets};
pub use schema::schema;
pub use settings::{SETTINGS, SettingInfo, SettingKind, SettingValue, Settings, find_setting};
pub use write::{WriteError, write};
