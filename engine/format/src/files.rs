//! Where model files come from: the disk, or a table in memory.

use crate::message::{Message, Source};
use crate::tree::{MAX_TEXT, Table, parse};
use holonom_multibody::elements::Library;
use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// A place to read files from, and how they are read.
#[derive(Clone, Debug)]
pub struct Files {
    store: Store,
    strict: bool,
    library: Library,
    parsed: Option<Parsed>,
}

/// Model files that were read and parsed, by their paths as they were asked for.
type Parsed = Arc<Mutex<BTreeMap<PathBuf, (Arc<Source>, Arc<Table>)>>>;

#[derive(Clone, Debug)]
enum Store {
    Disk,
    Memory(BTreeMap<PathBuf, String>),
}

impl Files {
    /// The disk.
    pub fn disk() -> Self {
        Self::of(Store::Disk)
    }

    fn of(store: Store) -> Self {
        Self {
            store,
            strict: false,
            library: Library::standard(),
            parsed: None,
        }
    }

    /// Reads and parses every model file once, for readings that differ only in parameters, such as those of a sweep.
    /// Changes of a file after it was first read go unnoticed. Clones share what was read.
    pub fn parsed_once(mut self) -> Self {
        self.parsed = Some(Parsed::default());
        self
    }

    /// A model file that was already read.
    pub(crate) fn known(&self, path: &Path) -> Option<Arc<Source>> {
        let parsed = self.parsed.as_ref()?.lock();
        let parsed = parsed.unwrap_or_else(PoisonError::into_inner);
        parsed.get(path).map(|(source, _)| source.clone())
    }

    /// The tree of a model file.
    ///
    /// # Errors
    /// All faults of syntax.
    pub(crate) fn parse(&self, path: &Path, source: &Arc<Source>) -> Result<Arc<Table>, Vec<Message>> {
        let Some(parsed) = &self.parsed else {
            return parse(source).map(Arc::new);
        };
        let all = || parsed.lock().unwrap_or_else(PoisonError::into_inner);
        let known = all().get(path).cloned();
        if let Some((_, table)) = known.filter(|(known, _)| Arc::ptr_eq(known, source)) {
            return Ok(table);
        }
        let table = Arc::new(parse(source)?);
        all().insert(path.to_path_buf(), (source.clone(), table.clone()));
        Ok(table)
    }

    /// Refuses URDF files that depart from the specification, as [`urdf::Options::strict`](crate::urdf::Options::strict)
    /// does for one of them.
    pub fn strict(mut self, strict: bool) -> Self {
        self.strict = strict;
        self
    }

    /// The kinds of elements that the files may name, such as those of the program that reads them.
    pub fn library(mut self, library: Library) -> Self {
        self.library = library;
        self
    }

    pub(crate) fn known_kinds(&self) -> &Library {
        &self.library
    }

    pub(crate) fn is_strict(&self) -> bool {
        self.strict
    }

    /// Named texts.
    pub fn in_memory<N: Into<PathBuf>, T: Into<String>>(files: impl IntoIterator<Item = (N, T)>) -> Self {
        let files = files.into_iter();
        Self::of(Store::Memory(
            files
                .map(|(name, text)| (plain(&name.into()), text.into()))
                .collect(),
        ))
    }

    /// The text of a file.
    ///
    /// # Errors
    /// The reason in words.
    pub fn text(&self, path: &Path) -> Result<String, String> {
        match &self.store {
            Store::Disk => String::from_utf8(from_disk(path)?).map_err(|_| NOT_UTF_8.to_string()),
            Store::Memory(files) => files
                .get(&plain(path))
                .cloned()
                .ok_or_else(|| "there is no such file".to_string()),
        }
    }

    /// The text of a file, which is in Latin-1 where it cannot be in UTF-8; and whether it is.
    pub(crate) fn text_or_latin(&self, path: &Path) -> Result<(String, bool), String> {
        let Store::Disk = &self.store else {
            return Ok((self.text(path)?, false));
        };
        match String::from_utf8(from_disk(path)?) {
            Ok(text) => Ok((text, false)),
            // UTF-16 has zeros for the upper halves of letters.
            Err(error) if error.as_bytes().contains(&0) => Err(NOT_UTF_8.to_string()),
            Err(error) => Ok((error.as_bytes().iter().map(|b| char::from(*b)).collect(), true)),
        }
    }

    /// The same path for all ways to write it, to find files that include themselves.
    pub(crate) fn identity(&self, path: &Path) -> PathBuf {
        match &self.store {
            Store::Disk => path.canonicalize().unwrap_or_else(|_| plain(path)),
            Store::Memory(_) => plain(path),
        }
    }
}

const NOT_UTF_8: &str = "it is not UTF-8 text";

fn from_disk(path: &Path) -> Result<Vec<u8>, String> {
    let reason = |error: std::io::Error| match error.kind() {
        std::io::ErrorKind::NotFound => "there is no such file".to_string(),
        _ => error.to_string(),
    };
    if path.is_dir() {
        return Err("it is a folder".to_string());
    }
    let file = std::fs::File::open(path).map_err(reason)?;
    let mut text = Vec::new();
    // A device or pipe may have no end.
    let limit = MAX_TEXT as u64 + 1;
    file.take(limit).read_to_end(&mut text).map_err(reason)?;
    if text.len() > MAX_TEXT {
        return Err(format!("it has more than {MAX_TEXT} bytes"));
    }
    Ok(text)
}

/// A path without `.` and `..`, by its words only.
fn plain(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if matches!(out.components().next_back(), Some(Component::Normal(_))) => {
                out.pop();
            }
            part => out.push(part),
        }
    }
    out
}

/// Why the name of a mesh is refused; none if it is within the folder of the model.
pub(crate) fn outside(file: &str) -> Option<&'static str> {
    if file.contains("://") {
        return Some("is an address; meshes are read from the folder of the model");
    }
    let mut depth = 0_usize;
    for part in Path::new(file).components() {
        match part {
            Component::Normal(_) => depth += 1,
            Component::CurDir => {}
            Component::ParentDir if depth > 0 => depth -= 1,
            Component::ParentDir | Component::RootDir | Component::Prefix(_) => {
                return Some("is outside of the folder of the model");
            }
        }
    }
    None
}
