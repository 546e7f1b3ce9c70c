//! The files of a crate as modules, and resolution of a path to the file that defines it.

use std::collections::{BTreeMap, BTreeSet};

use super::imports::{Imports, Path};
use crate::tidy::code::Code;
use crate::tidy::tree::Tree;

/// How many re-exports one path may pass through.
const LONGEST_CHAIN: usize = 12;

/// The modules of a crate that are files, by their paths from the crate's root.
#[derive(Debug, Default)]
pub(crate) struct Modules {
    files: BTreeMap<Path, Module>,
}

#[derive(Debug)]
struct Module {
    file: String,
    imports: Imports,
}

impl Modules {
    /// Returns every file that the crate with the sources in `src` declares outside its tests.
    pub(crate) fn of(tree: &Tree, src: &str) -> Self {
        let mut modules = Self::default();
        let roots = ["lib.rs", "main.rs"].map(|name| format!("{src}/{name}"));
        if let Some(root) = roots.iter().find(|root| tree.get(root).is_some()) {
            modules.add(tree, &Path::new(), root, src);
        }
        modules
    }

    fn add(&mut self, tree: &Tree, path: &Path, file: &str, folder: &str) {
        let Some(text) = tree.get(file) else { return };
        let imports = Imports::read(&Code::read(text));
        let children = imports.children.clone();
        self.files.insert(path.clone(), Module { file: file.to_owned(), imports });
        for child in children {
            let folder = format!("{folder}/{child}");
            let files = [format!("{folder}.rs"), format!("{folder}/mod.rs")];
            if let Some(file) = files.iter().find(|file| tree.get(file).is_some()) {
                self.add(tree, &below(path, &child), file, &folder);
            }
        }
    }

    /// Returns each file with the files that it imports from. A re-export is not an import.
    pub(crate) fn edges(&self) -> BTreeMap<&str, BTreeSet<&str>> {
        let edges = |(path, module): (&Path, &'_ Module)| -> BTreeSet<&str> {
            let imported = module.imports.uses.iter().filter(|used| !used.exported).map(|used| &used.path);
            let named = imported.chain(&module.imports.qualified);
            let found = named.filter_map(|named| self.resolve(path, named, 0)).filter(|found| *found != path);
            found.filter_map(|found| self.files.get(found)).map(|module| module.file.as_str()).collect()
        };
        self.files.iter().map(|entry| (entry.1.file.as_str(), edges(entry))).collect()
    }

    /// Returns the module that defines what `named` refers to in the module `at`, or `None` if
    /// another crate defines it.
    fn resolve<'a>(&'a self, at: &Path, named: &[String], chain: usize) -> Option<&'a Path> {
        if chain > LONGEST_CHAIN {
            return None;
        }
        let (first, rest) = named.split_first()?;
        let child = || self.files.get_key_value(&below(at, first)).map(|(path, _)| path.clone());
        let start = match first.as_str() {
            "crate" => Path::new(),
            "self" => at.clone(),
            "super" => {
                let ups = named.iter().take_while(|part| *part == "super").count();
                let start = at[..at.len().checked_sub(ups)?].to_vec();
                return self.walk(start, &named[ups..], chain);
            }
            _ => match child() {
                Some(child) => child,
                None => return self.through_use(at, named, chain),
            },
        };
        self.walk(start, rest, chain)
    }

    /// Follows the segments down from `at` while they are files, then follows a re-export.
    fn walk<'a>(&'a self, mut at: Path, mut rest: &[String], chain: usize) -> Option<&'a Path> {
        while let Some((first, after)) = rest.split_first() {
            let child = below(&at, first);
            if !self.files.contains_key(&child) {
                break;
            }
            (at, rest) = (child, after);
        }
        let (here, _) = self.files.get_key_value(&at)?;
        Some(self.through_use(&at, rest, chain).unwrap_or(here))
    }

    /// Follows the `use` that imports the first segment of `named` into the module `at`.
    fn through_use<'a>(&'a self, at: &Path, named: &[String], chain: usize) -> Option<&'a Path> {
        let (first, rest) = named.split_first()?;
        let used = self.files.get(at)?.imports.uses.iter().find(|used| used.name == *first)?;
        if used.path.first() == Some(first) && used.path.len() == 1 {
            return None;
        }
        let path: Path = used.path.iter().chain(rest).cloned().collect();
        self.resolve(at, &path, chain + 1)
    }
}

fn below(path: &[String], name: &str) -> Path {
    path.iter().cloned().chain([name.to_owned()]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edges(files: &[(&str, &str)]) -> Vec<String> {
        let mut tree = Tree::default();
        for (name, text) in files {
            tree.insert(&format!("crates/a/src/{name}"), text);
        }
        let modules = Modules::of(&tree, "crates/a/src");
        let short = |file: &str| file.trim_start_matches("crates/a/src/").to_owned();
        let all = modules.edges();
        all.iter()
            .flat_map(|(from, to)| to.iter().map(|to| format!("{} -> {}", short(from), short(to))))
            .collect()
    }

    #[test]
    fn a_path_leads_through_re_exports_to_the_file_that_defines_it() {
        assert_eq!(
            edges(&[
                ("lib.rs", "mod a; mod b;\npub use b::Thing;"),
                ("a.rs", "use crate::Thing;\nuse crate::b::other::Other;\nuse std::fmt;"),
                ("b/mod.rs", "mod thing; mod other;\npub(crate) use thing::Thing;"),
                ("b/thing.rs", "struct Thing(super::other::Other);"),
                ("b/other.rs", ""),
            ]),
            ["a.rs -> b/other.rs", "a.rs -> b/thing.rs", "b/thing.rs -> b/other.rs"]
        );
    }

    #[test]
    fn a_module_that_is_imported_by_name_counts_through_its_paths() {
        assert_eq!(
            edges(&[
                ("main.rs", "mod a; mod b;"),
                ("a.rs", "use super::b;\nfn f() { b::g() }"),
                ("b.rs", "fn g() {}")
            ]),
            ["a.rs -> b.rs"]
        );
    }
}
