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

use holonom::multibody::Description;

/// A shipped model.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Name, as used on the command line.
    pub name: &'static str,
    /// One sentence.
    pub summary: &'static str,
    build: fn() -> Description,
}

impl Entry {
    /// The mechanism.
    pub fn description(&self) -> Description {
        (self.build)()
    }
}

/// All shipped models.
pub fn all() -> &'static [Entry] {
    const MODELS: &[Entry] = &[
        Entry {
            name: "pendulum",
            summary: "A point mass on a massless bar [IFToMM library, A01].",
            build: pendulum,
        },
        Entry {
            name: "double-pendulum",
            summary: "Two point masses on massless bars, started level.",
            build: double_pendulum,
        },
        Entry {
            name: "n-pendulum",
            summary: "A chain of five uniform rods in a plane.",
            build: || n_pendulum(5),
        },
        Entry {
            name: "spatial-pendulum",
            summary: "A chain of three uniform rods on spherical joints.",
            build: || spatial_pendulum(3),
        },
        Entry {
            name: "arnold-chain",
            summary: "The chain of twelve pendulums on a moving suspension of Arnold, Fuchs, Führer 2004.",
            build: || arnold_chain(12, 0.05),
        },
        Entry {
            name: "slider-crank",
            summary: "Crank, connecting rod and slider: one loop.",
            build: slider_crank,
        },
        Entry {
            name: "four-bar",
            summary: "A planar four-bar linkage from spatial revolute joints, three rows redundant.",
            build: four_bar,
        },
        Entry {
            name: "spatial-four-bar",
            summary: "A four-bar linkage in space: revolute, spherical, universal, revolute.",
            build: spatial_four_bar,
        },
        Entry {
            name: "n-four-bar",
            summary: "Two parallel four-bars that pass through singular positions [IFToMM library, A02].",
            build: || n_four_bar(2),
        },
        Entry {
            name: "andrews",
            summary: "Andrews' squeezing mechanism: seven bodies, three loops [IFToMM library, A03].",
            build: andrews,
        },
        Entry {
            name: "arm",
            summary: "A robot arm with seven revolute joints.",
            build: arm7,
        },
        Entry {
            name: "tree",
            summary: "A branched tree with 36 degrees of freedom on a free base.",
            build: tree36,
        },
        Entry {
            name: "tumbling-body",
            summary: "A free body that turns over again and again about its middle axis.",
            build: tumbling_body,
        },
    ];
    MODELS
}

/// The shipped model with this name.
pub fn find(name: &str) -> Option<&'static Entry> {
    all().iter().find(|e| e.name == name)
}
