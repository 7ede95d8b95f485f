//! Texts in files of their own.

use core::fmt;
use std::sync::Arc;

/// A text that a model refers to, such as a tyre property file. Two are equal when their texts are.
#[derive(Clone, Default)]
pub struct Document {
    /// Name of the file, for messages; empty when the text came without one.
    pub name: String,
    /// The text.
    pub text: Arc<str>,
}

impl Document {
    /// A text with the name of its file.
    pub fn new(name: impl Into<String>, text: impl Into<Arc<str>>) -> Self {
        Self {
            name: name.into(),
            text: text.into(),
        }
    }
}

impl PartialEq for Document {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

/// Without the text, which may be long.
impl fmt::Debug for Document {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Document({}, {} bytes)", self.name, self.text.len())
    }
}
