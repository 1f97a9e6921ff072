//! Imports between the modules of the crate go one way: a module names only modules declared before it in lib.rs.

use super::source::{code, crates, declared, first_names, module_path, path_starts, read, rust_files, src, words};
use std::path::Path;

#[test]
fn a_module_names_only_modules_declared_before_it() {
    let root = Root::of(&read(&src().join("lib.rs")));
    assert!(root.modules.len() > 5, "lib.rs declares its modules one a line: found {:?}", root.modules);
    let mut wrong = Vec::new();
    for file in rust_files(&src()).iter().filter(|f| **f != src().join("lib.rs")) {
        let path = module_path(file.strip_prefix(src()).unwrap());
        for (line, name) in root.names_reached_from(&path, &read(file)) {
            if let Err(why) = root.may_name(&path[0], &name) {
                wrong.push(format!("{}:{line}: {why}", file.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn modules_are_declared_in_the_order_that_architecture_shows() {
    let text = read(&crates().with_file_name("ARCHITECTURE.md"));
    let shown = text.lines().find_map(|line| line.strip_prefix("modules ")).expect("ARCHITECTURE.md shows the order");
    let shown: Vec<&str> = shown.split('→').map(str::trim).collect();
    assert_eq!(Root::of(&read(&src().join("lib.rs"))).modules, shown);
}

#[test]
fn a_path_to_a_later_module_is_noticed_however_it_is_written() {
    let root = Root::of("pub mod math;\npub mod fields;\nmod world;\npub use world::{World, Energy};\n");
    let wrong = |file: &str, text: &str| -> Vec<usize> {
        let path = module_path(Path::new(file));
        let reached = root.names_reached_from(&path, text);
        reached.into_iter().filter(|(_, name)| root.may_name(&path[0], name).is_err()).map(|(line, _)| line).collect()
    };
    assert_eq!(wrong("math/mod.rs", "use crate::fields::Shape;\n"), [1]);
    assert_eq!(wrong("math/mod.rs", "\nfn f() -> super::fields::Shape {}\n"), [2]);
    assert_eq!(wrong("math/bounds.rs", "use super::super::world;\n"), [1]);
    assert_eq!(wrong("fields/mod.rs", "use crate::{\n    math::DVec3,\n    world::LayerPair,\n};\n"), [1]);
    assert_eq!(wrong("fields/mod.rs", "use crate::World;\n"), [1]);
    assert_eq!(wrong("fields/mod.rs", "use crate::*;\n"), [1]);
    assert_eq!(wrong("fields/mod.rs", "mod tests {\n    use super::super::world;\n}\n"), [2]);

    assert!(wrong("fields/mod.rs", "use crate::math::Aabb;\nuse super::math;\n").is_empty());
    assert!(wrong("fields/mod.rs", "/// See `crate::world`.\nmod tests {\n    use super::*;\n}\n").is_empty());
    assert!(wrong("fields/skeleton/ball.rs", "use super::super::Kernel;\n").is_empty());
    assert!(wrong("world.rs", "use crate::{fields, math};\npub(crate) fn f() {}\n").is_empty());
}

/// Declarations of lib.rs.
pub struct Root {
    /// In the order of the flow.
    pub modules: Vec<String>,
    /// Names that lib.rs re-exports, and the module each comes from.
    pub exported: Vec<(String, String)>,
}

impl Root {
    pub fn of(lib: &str) -> Self {
        let modules: Vec<String> = declared(lib).into_iter().map(|m| m.name).collect();
        let mut exported = Vec::new();
        for (at, _) in lib.match_indices("pub use ") {
            let rest = &lib[at + "pub use ".len()..];
            let Some((module, names)) = rest.split_once("::") else { continue };
            exported.extend(first_names(names).into_iter().map(|name| (name, module.to_owned())));
        }
        Self { modules, exported }
    }

    /// Whether `module` may name `name` of the crate's root; if not, why.
    fn may_name(&self, module: &str, name: &str) -> Result<(), String> {
        let from = self.exported.iter().find(|(n, _)| n == name).map_or(name, |(_, module)| module);
        let place = |m: &str| self.modules.iter().position(|n| n == m);
        match (place(module), place(from)) {
            (Some(own), Some(other)) if other <= own => Ok(()),
            (Some(_), Some(_)) => Err(format!("{module} names {from}, which is declared after it in lib.rs")),
            (None, _) => Err(format!("{module} is not declared in lib.rs")),
            (_, None) => Err(format!("{module} names {name} of the crate's root; name the module it comes from")),
        }
    }

    /// Names of the crate's root that the text of module `path` reaches by `crate::` or by enough `super::`,
    /// each with its line.
    fn names_reached_from(&self, path: &[String], text: &str) -> Vec<(usize, String)> {
        let code: String = text.lines().map(|line| format!("{}\n", code(line))).collect();
        let (mut at, mut inline) = (0, false);
        let mut found = Vec::new();
        for (number, line) in code.lines().enumerate() {
            inline = match line {
                "}" => false,
                _ => inline || (words(line).any(|w| w == "mod") && line.ends_with('{') && !line.starts_with(' ')),
            };
            let depth = path.len() + usize::from(inline);
            for (start, supers) in path_starts(line) {
                if supers.is_none_or(|n| n == depth) {
                    let names = first_names(&code[at + start..]);
                    found.extend(names.into_iter().map(|name| (number + 1, name)));
                }
            }
            at += line.len() + 1;
        }
        found
    }
}
