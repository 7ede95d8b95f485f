//! Elements and the sums over them, on a small tree that has every kind of node.

#![allow(clippy::unwrap_used)]

mod conformance;
mod constraints;
mod energy;
mod forces;
mod laws;
mod samples;
mod stand;
mod tyres;
