//! Mechanisms shipped with Holonom.
//!
//! Every model is a [`Description`] made by a function; [`all`] lists them with a sentence each.
//! Reference values and where they come from are in [`mod@reference`].
//!
//! ```
//! let model = holonom_models::find("four-bar").expect("shipped").description().compile()?;
//! assert_eq!(model.bodies.len(), 4); // with the ground
//! # Ok::<(), holonom::multibody::compile::ModelErrors>(())
//! ```

mod andrews;
pub mod invariants;
mod linkages;
mod pendulums;
pub mod reference;
mod robots;

pub use andrews::andrews;
pub use linkages::{four_bar, n_four_bar, slider_crank, spatial_four_bar};
pub use pendulums::{arnold_chain, double_pendulum, n_pendulum, pendulum, spatial_pendulum, tumbling_body};
pub use robots::{arm7, kernel_chain, tree36};

use holonom::format::Files;
use holonom::multibody::Description;

/// A shipped model.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Name, as used on the command line.
    pub name: &'static str,
    /// One sentence.
    pub summary: &'static str,
    /// The model file.
    text: &'static str,
    /// Files that it includes or reads, by their names relative to it.
    parts: &'static [(&'static str, &'static str)],
    build: fn() -> Description,
}

impl Entry {
    /// The mechanism.
    pub fn description(&self) -> Description {
        (self.build)()
    }

    /// The model file.
    pub fn text(&self) -> &'static str {
        self.text
    }

    /// Files that it includes or reads, by their names relative to it.
    pub fn parts(&self) -> &'static [(&'static str, &'static str)] {
        self.parts
    }

    /// The usual name of the model file.
    pub fn path(&self) -> String {
        format!("{}.toml", self.name)
    }

    /// The model file with all that belongs to it.
    pub fn files(&self) -> Files {
        let main = (self.path(), self.text);
        let parts = self.parts.iter().map(|(name, text)| ((*name).to_string(), *text));
        Files::in_memory(std::iter::once(main).chain(parts))
    }
}

/// All shipped models.
pub fn all() -> &'static [Entry] {
    const MODELS: &[Entry] = &[
        Entry {
            name: "pendulum",
            summary: "A point mass on a massless bar [IFToMM library, A01].",
            text: include_str!("../pendulum/model.toml"),
            parts: &[],
            build: pendulum,
        },
        Entry {
            name: "double-pendulum",
            summary: "Two point masses on massless bars, started level.",
            text: include_str!("../double-pendulum/model.toml"),
            parts: &[],
            build: double_pendulum,
        },
        Entry {
            name: "n-pendulum",
            summary: "A chain of five uniform rods in a plane.",
            text: include_str!("../n-pendulum/model.toml"),
            parts: &[],
            build: || n_pendulum(5),
        },
        Entry {
            name: "spatial-pendulum",
            summary: "A chain of three uniform rods on spherical joints.",
            text: include_str!("../spatial-pendulum/model.toml"),
            parts: &[],
            build: || spatial_pendulum(3),
        },
        Entry {
            name: "arnold-chain",
            summary: "The chain of twelve pendulums on a moving suspension of Arnold, Fuchs, Führer 2004.",
            text: include_str!("../arnold-chain/model.toml"),
            parts: &[],
            build: || arnold_chain(12, 0.05),
        },
        Entry {
            name: "slider-crank",
            summary: "Crank, connecting rod and slider: one loop.",
            text: include_str!("../slider-crank/model.toml"),
            parts: &[],
            build: slider_crank,
        },
        Entry {
            name: "four-bar",
            summary: "A planar four-bar linkage from spatial revolute joints, three rows redundant.",
            text: include_str!("../four-bar/model.toml"),
            parts: &[],
            build: four_bar,
        },
        Entry {
            name: "spatial-four-bar",
            summary: "A four-bar linkage in space: revolute, spherical, universal, revolute.",
            text: include_str!("../spatial-four-bar/model.toml"),
            parts: &[],
            build: spatial_four_bar,
        },
        Entry {
            name: "n-four-bar",
            summary: "Two parallel four-bars that pass through singular positions [IFToMM library, A02].",
            text: include_str!("../n-four-bar/model.toml"),
            parts: &[],
            build: || n_four_bar(2),
        },
        Entry {
            name: "andrews",
            summary: "Andrews' squeezing mechanism: seven bodies, three loops [IFToMM library, A03].",
            text: include_str!("../andrews/model.toml"),
            parts: &[],
            build: andrews,
        },
        Entry {
            name: "arm",
            summary: "A robot arm with seven revolute joints.",
            text: include_str!("../arm/model.toml"),
            parts: &[],
            build: arm7,
        },
        Entry {
            name: "tree",
            summary: "A branched tree with 36 degrees of freedom on a free base.",
            text: include_str!("../tree/model.toml"),
            parts: &[],
            build: tree36,
        },
        Entry {
            name: "tumbling-body",
            summary: "A free body that turns over again and again about its middle axis.",
            text: include_str!("../tumbling-body/model.toml"),
            parts: &[],
            build: tumbling_body,
        },
    ];
    MODELS
}

/// The shipped model with this name.
pub fn find(name: &str) -> Option<&'static Entry> {
    all().iter().find(|e| e.name == name)
}
