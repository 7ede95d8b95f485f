//! Registries: a strategy is one file with an `ENTRY`, and its line here.

/// Declares the modules of strategies and the list of their entries.
macro_rules! registry {
    ($(#[$doc:meta])* $entry:ty: $($module:ident),* $(,)?) => {
        $(mod $module;)*

        $(#[$doc])*
        pub const REGISTRY: &[$entry] = &[$($module::ENTRY),*];

        /// The entry of this name.
        pub fn find(name: &str) -> Option<&'static $entry> {
            REGISTRY.iter().find(|entry| entry.name == name)
        }
    };
}

pub(crate) use registry;
