//! Elements and the sums over them, on a small tree that has every kind of node.

#![allow(clippy::unwrap_used)]

mod constraints;
mod energy;
mod forces;
mod stand;
mod tyres;
