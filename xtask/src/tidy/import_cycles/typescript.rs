//! The TypeScript files below `ui`, and the files that each imports.

use std::collections::{BTreeMap, BTreeSet};

use crate::tidy::tree::Tree;

/// Returns each file with the files that it imports, or takes types from, by a relative path.
pub(crate) fn edges(tree: &Tree) -> BTreeMap<&str, BTreeSet<&str>> {
    let files = tree.iter().filter(|(name, _)| name.starts_with("ui/") && name.ends_with(".ts"));
    files.map(|(file, text)| (file, imports(tree, file, text))).collect()
}

fn imports<'a>(tree: &'a Tree, file: &str, text: &str) -> BTreeSet<&'a str> {
    let folder = file.rsplit_once('/').map_or("", |(folder, _)| folder);
    let named = ["from \"", "import(\"", "import \""].into_iter().flat_map(|before| {
        let after = text.split(before).skip(1);
        after
            .filter_map(|rest| rest.split_once('"'))
            .map(|(path, _)| path)
            .filter(|path| path.starts_with('.'))
    });
    let found = named.filter_map(|path| {
        let target = joined(folder, path);
        let candidates = [format!("{target}.ts"), format!("{target}/index.ts")];
        candidates.iter().find_map(|name| tree.name(name))
    });
    found.collect()
}

/// Resolves `.` and `..` of a path that starts in a folder.
fn joined(folder: &str, path: &str) -> String {
    let mut parts: Vec<&str> = folder.split('/').collect();
    for part in path.split('/') {
        match part {
            "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_of_an_import_is_found() {
        let tree = Tree::from([
            (
                "ui/src/a/x.ts",
                "import { b } from \"../b\";\nimport type { C } from \"./c\";\nimport \"lit\";\nconst d = await import(\"./d\");\nexport * from \"./e\";",
            ),
            ("ui/src/b.ts", "// import(\"./none\")"),
            ("ui/src/a/c.ts", ""),
            ("ui/src/a/d/index.ts", ""),
            ("ui/src/a/e.ts", ""),
        ]);
        let imported = ["ui/src/a/c.ts", "ui/src/a/d/index.ts", "ui/src/a/e.ts", "ui/src/b.ts"];
        assert_eq!(edges(&tree)["ui/src/a/x.ts"], BTreeSet::from(imported));
        assert!(edges(&tree)["ui/src/b.ts"].is_empty());
    }
}
