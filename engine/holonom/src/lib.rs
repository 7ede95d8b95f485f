//! Holonom.
