//! The parts of the page, which are compiled into the program.

/// Modules in the order in which they use each other.
const MODULES: [&str; 9] = [
    include_str!("../../../../viewer/math.js"),
    include_str!("../../../../viewer/camera.js"),
    include_str!("../../../../viewer/renderer.js"),
    include_str!("../../../../viewer/source.js"),
    include_str!("../../../../viewer/stage.js"),
    include_str!("../../../../viewer/plots.js"),
    include_str!("../../../../viewer/tree.js"),
    include_str!("../../../../viewer/playground.js"),
    include_str!("../../../../viewer/main.js"),
];

/// The page without style, script and data.
const PAGE: &str = include_str!("../../../../viewer/index.html");

/// The style sheet.
pub const STYLE: &str = include_str!("../../../../viewer/style.css");

/// All modules as one: a page from disk cannot load others.
pub fn script() -> String {
    let mut script = String::from("'use strict';\n");
    for module in MODULES {
        for line in module.lines().filter(|line| !line.starts_with("import ")) {
            script += line.strip_prefix("export ").unwrap_or(line);
            script.push('\n');
        }
    }
    script
}

/// The page with its head and its end filled in.
pub fn page(head: &str, body: &str) -> String {
    PAGE.replace("<!--HEAD-->", head).replace("<!--BODY-->", body)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_modules_make_one_script_without_names_that_clash() {
        let script = script();
        assert!(!script.contains("\nimport ") && !script.contains("\nexport "));
        let mut names = std::collections::HashSet::new();
        for line in script.lines() {
            let words: Vec<&str> = line.split([' ', '(', '=', '{']).collect();
            if let ["const" | "function" | "class" | "let", name, ..] = words[..]
                && !name.is_empty()
            {
                assert!(names.insert(name.to_string()), "`{name}` is declared twice");
            }
        }
        assert!(names.contains("Viewer") && names.len() > 30);
    }

    #[test]
    fn nothing_is_run_that_a_model_may_have_written() {
        let script = script();
        for way in [
            "innerHTML",
            "outerHTML",
            "insertAdjacentHTML",
            "document.write",
            "eval(",
            "new Function",
        ] {
            assert!(!script.contains(way), "{way}");
        }
    }
}
