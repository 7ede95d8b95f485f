//! The modules of a crate and the paths by which they use one another.

use crate::tokens::{Kind, Token, test_modules, tokens};
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// A module by the names that lead to it from the crate's root.
pub type ModulePath = Vec<String>;

/// One module: its own code and what it declares.
#[derive(Debug, Default)]
struct Module {
    file: PathBuf,
    /// Children in the order of their declarations.
    children: Vec<String>,
    /// Names brought in by `use`, with the path each stands for.
    imports: BTreeMap<String, ModulePath>,
    /// Paths to modules and items of the crate, as written; those of re-exports are left out.
    paths: Vec<(ModulePath, usize)>,
}

/// A crate's modules.
#[derive(Debug)]
pub struct Source {
    modules: BTreeMap<ModulePath, Module>,
}

/// One module's code names another module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Use {
    pub from: ModulePath,
    pub to: ModulePath,
    /// The path as seen from the root.
    pub path: ModulePath,
    pub file: PathBuf,
    pub line: usize,
}

impl Source {
    /// Reads a crate from its root file.
    ///
    /// # Errors
    /// A file that cannot be read, or a module without a file.
    pub fn read(root: &Path) -> io::Result<Self> {
        let mut source = Self {
            modules: BTreeMap::new(),
        };
        let folder = root.parent().unwrap_or(Path::new(""));
        source.read_file(Vec::new(), root, folder)?;
        Ok(source)
    }

    /// Reads the module `path` from `file`; its children lie in `folder`.
    fn read_file(&mut self, path: ModulePath, file: &Path, folder: &Path) -> io::Result<()> {
        let text = fs::read_to_string(file)
            .map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", file.display())))?;
        self.read_module(path, &tokens(&text), file, folder, Some(&test_modules(&text)))
    }

    /// `tests` are the modules of a whole file that are compiled in tests only.
    fn read_module(
        &mut self,
        path: ModulePath,
        tokens: &[Token],
        file: &Path,
        folder: &Path,
        tests: Option<&[String]>,
    ) -> io::Result<()> {
        let (whole_file, tests) = (tests.is_some(), tests.unwrap_or_default());
        let mut module = Module {
            file: file.to_path_buf(),
            ..Module::default()
        };
        let children = |tokens: &[Token]| -> Vec<(String, usize)> {
            let mut depth = 0;
            let mut found = Vec::new();
            for (i, token) in tokens.iter().enumerate() {
                match &token.kind {
                    Kind::Mark('{') => depth += 1,
                    Kind::Mark('}') => depth -= 1,
                    Kind::Word(word) if word == "mod" && depth == 0 => {
                        if let Some(name) = tokens.get(i + 1).and_then(Token::word) {
                            found.push((name.to_owned(), i + 2));
                        }
                    }
                    _ => {}
                }
            }
            found
        };
        // Modules in files, and modules in braces.
        let mut own = Vec::with_capacity(tokens.len());
        let mut done = 0;
        for (name, behind) in children(tokens) {
            let mut child = path.clone();
            child.push(name.clone());
            own.extend_from_slice(&tokens[done..behind]);
            done = behind;
            if tokens.get(behind).is_some_and(|token| token.is('{')) {
                let end = crate::tokens::group_end(tokens, behind);
                self.read_module(
                    child,
                    &tokens[behind + 1..end - 1],
                    file,
                    &folder.join(&name),
                    None,
                )?;
                done = end;
            } else {
                let (flat, nested) = (
                    folder.join(format!("{name}.rs")),
                    folder.join(&name).join("mod.rs"),
                );
                let found = if flat.exists() { flat } else { nested };
                self.read_file(child, &found, &folder.join(&name))?;
            }
            module.children.push(name);
        }
        own.extend_from_slice(&tokens[done..]);
        // Modules that a macro declares, here or where it is defined.
        for (name, file) in files_of(folder) {
            if !whole_file || module.children.contains(&name) || tests.contains(&name) {
                continue;
            }
            let mut child = path.clone();
            child.push(name.clone());
            self.read_file(child, &file, &folder.join(&name))?;
            module.children.push(name);
        }
        module.read_paths(&path, &own);
        self.modules.insert(path, module);
        Ok(())
    }

    /// The root's modules in the order of their declarations.
    pub fn order(&self) -> &[String] {
        self.modules.get(&Vec::new()).map_or(&[], |root| &root.children)
    }

    /// Every use of one module by another.
    pub fn uses(&self) -> Vec<Use> {
        let mut uses = Vec::new();
        for (from, module) in &self.modules {
            for (path, line) in &module.paths {
                let to = self.resolve(path, 0);
                if to != *from {
                    let (from, file) = (from.clone(), module.file.clone());
                    uses.push(Use {
                        from,
                        to,
                        path: path.clone(),
                        file,
                        line: *line,
                    });
                }
            }
        }
        uses
    }

    /// The module in which the item at `path` is defined, through re-exports.
    fn resolve(&self, path: &[String], depth: usize) -> ModulePath {
        let mut module = Vec::new();
        for (i, name) in path.iter().enumerate() {
            let Some(here) = self.modules.get(&module) else {
                break;
            };
            if here.children.contains(name) {
                module.push(name.clone());
            } else {
                if let Some(target) = here.imports.get(name)
                    && depth < 20
                {
                    let mut target = target.clone();
                    target.extend_from_slice(&path[i + 1..]);
                    return self.resolve(&target, depth + 1);
                }
                break;
            }
        }
        module
    }
}

impl Module {
    fn read_paths(&mut self, at: &ModulePath, tokens: &[Token]) {
        let mut i = 0;
        while i < tokens.len() {
            let behind_path = i > 0 && tokens[i - 1].kind == Kind::PathMark;
            let Some(word) = tokens[i].word().filter(|_| !behind_path) else {
                i += 1;
                continue;
            };
            if word == "use" {
                let exported = is_exported(&tokens[..i]);
                let mut found = Vec::new();
                i = use_tree(tokens, i + 1, &mut Vec::new(), &mut found);
                for (written, name, line) in found {
                    let Some(path) = self.absolute(at, &written) else {
                        continue;
                    };
                    if !exported {
                        self.paths.push((path.clone(), line));
                    }
                    if name != "*" && name != "_" {
                        self.imports.insert(name, path);
                    }
                }
            } else if tokens
                .get(i + 1)
                .is_some_and(|token| token.kind == Kind::PathMark)
            {
                let mut written = vec![word.to_owned()];
                let line = tokens[i].line;
                i += 1;
                while tokens.get(i).is_some_and(|token| token.kind == Kind::PathMark)
                    && let Some(next) = tokens.get(i + 1).and_then(Token::word)
                {
                    written.push(next.to_owned());
                    i += 2;
                }
                if let Some(path) = self.absolute(at, &written) {
                    self.paths.push((path, line));
                }
            } else {
                i += 1;
            }
        }
    }

    /// The path from the crate's root, if `written` leads into the crate.
    fn absolute(&self, at: &ModulePath, written: &[String]) -> Option<ModulePath> {
        let mut path = match written.first().map(String::as_str)? {
            "crate" => Vec::new(),
            "self" | "super" => at.clone(),
            name if self.children.iter().any(|child| child == name) => {
                let mut path = at.clone();
                path.push(name.to_owned());
                path
            }
            _ => return None,
        };
        for (i, name) in written.iter().enumerate() {
            match name.as_str() {
                "super" => {
                    path.pop();
                }
                "self" => {}
                _ if i == 0 => {}
                _ => path.push(name.clone()),
            }
        }
        Some(path)
    }
}

/// The modules that lie in a folder, if it exists.
fn files_of(folder: &Path) -> BTreeMap<String, PathBuf> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        let file = if path.is_dir() {
            path.join("mod.rs")
        } else {
            path.clone()
        };
        let name = path.file_stem().map(|name| name.to_string_lossy().into_owned());
        if let Some(name) = name.filter(|name| !matches!(name.as_str(), "mod" | "lib" | "main" | "bin"))
            && file.extension().is_some_and(|extension| extension == "rs")
            && file.exists()
        {
            found.insert(name, file);
        }
    }
    found
}

/// Whether the `use` behind these tokens is one of `pub use`.
fn is_exported(before: &[Token]) -> bool {
    match before {
        [.., last] if last.word() == Some("pub") => true,
        [.., last] if last.is(')') => {
            let open = before.iter().rposition(|token| token.is('('));
            open.is_some_and(|open| open > 0 && before[open - 1].word() == Some("pub"))
        }
        _ => false,
    }
}

/// Reads `a::{b, c as d}` at `i`: paths, the names they get, and lines. Returns the place behind.
fn use_tree(
    tokens: &[Token],
    mut i: usize,
    prefix: &mut ModulePath,
    found: &mut Vec<(ModulePath, String, usize)>,
) -> usize {
    let length = prefix.len();
    while i < tokens.len() {
        let line = tokens[i].line;
        match &tokens[i].kind {
            Kind::Word(word) => {
                prefix.push(word.clone());
                i += 1;
                if tokens.get(i).is_some_and(|token| token.kind == Kind::PathMark) {
                    i += 1;
                    continue;
                }
                let mut name = word.clone();
                if name == "self" && prefix.len() > 1 {
                    prefix.pop();
                    name = prefix.last().cloned().unwrap_or_default();
                }
                if tokens.get(i).and_then(Token::word) == Some("as") {
                    name = tokens.get(i + 1).and_then(Token::word).unwrap_or("_").to_owned();
                    i += 2;
                }
                found.push((prefix.clone(), name, line));
            }
            Kind::Mark('*') => {
                found.push((prefix.clone(), "*".to_owned(), line));
                i += 1;
            }
            Kind::Mark('{') => {
                i += 1;
                while i < tokens.len() && !tokens[i].is('}') {
                    let before = i;
                    i = use_tree(tokens, i, prefix, found);
                    if tokens.get(i).is_some_and(|token| token.is(',')) {
                        i += 1;
                    }
                    if i == before {
                        break;
                    }
                }
                i += 1;
            }
            _ => {}
        }
        break;
    }
    prefix.truncate(length);
    i
}
