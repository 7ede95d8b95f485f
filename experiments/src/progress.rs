//! How far a long experiment is.

/// Is told how far a long experiment is.
pub trait Progress {
    /// So many equal pieces of work follow.
    fn begin(&mut self, pieces: usize);
    /// What is under way.
    fn at(&mut self, what: &str);
    /// One piece is done.
    fn done(&mut self);
}

/// Nobody is told.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Progress for Silent {
    fn begin(&mut self, _: usize) {}
    fn at(&mut self, _: &str) {}
    fn done(&mut self) {}
}
