//! The rules of `deny.toml`. Every entry must be needed: one that matches nothing is a problem.

use std::collections::{BTreeMap, BTreeSet};

use toml::{Table, Value};

use super::graph::{Graph, Package};
use super::licence::met_by;

/// The only allowed source of packages.
const REGISTRY: &str = "registry+https://github.com/rust-lang/crates.io-index";

#[derive(Debug)]
pub(super) struct Rules {
    pub(super) targets: Vec<String>,
    licences: Vec<String>,
    /// Banned packages, each with the reason.
    banned: Vec<(String, String)>,
    /// Versions that are not counted as duplicates.
    skipped: Vec<Wanted>,
    /// Packages whose whole dependency trees are not counted as duplicates.
    skipped_trees: Vec<Wanted>,
}

/// An entry such as `name@1.2`: a package, and the start of its version.
#[derive(Debug)]
struct Wanted {
    name: String,
    version: String,
}

impl Wanted {
    fn is(&self, package: &Package) -> bool {
        let rest = package.version.strip_prefix(&self.version);
        self.name == package.name && rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    }
}

impl Rules {
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let file: Table = text.parse().map_err(|error: toml::de::Error| error.to_string())?;
        let list = |table: &str, name: &str| -> Vec<Value> {
            let list = file.get(table).and_then(|table| table.get(name)).and_then(Value::as_array);
            list.cloned().unwrap_or_default()
        };
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let member = |value: &Value, name: &str| value.get(name).map(text).unwrap_or_default();
        let wanted = |value: &Value| {
            let named = member(value, "crate");
            let (name, version) = named.split_once('@').ok_or(format!("`{named}` has no version"))?;
            Ok(Wanted { name: name.to_owned(), version: version.to_owned() })
        };
        let rules = Self {
            targets: list("graph", "targets").iter().map(text).collect(),
            licences: list("licenses", "allow").iter().map(text).collect(),
            banned: list("bans", "deny")
                .iter()
                .map(|value| (member(value, "crate"), member(value, "reason")))
                .collect(),
            skipped: list("bans", "skip").iter().map(wanted).collect::<Result<_, String>>()?,
            skipped_trees: list("bans", "skip-tree").iter().map(wanted).collect::<Result<_, String>>()?,
        };
        match rules.targets.is_empty() || rules.licences.is_empty() {
            true => Err("it names no targets or no licences".to_owned()),
            false => Ok(rules),
        }
    }

    /// Returns all problems, one line each.
    pub(super) fn problems(&self, graph: &Graph) -> Vec<String> {
        let mut problems = Vec::new();
        let mut used = BTreeSet::new();
        for package in graph.packages.values() {
            let Package { name, version, .. } = package;
            match package.source.as_deref() {
                None | Some(REGISTRY) => {}
                Some(other) => problems.push(format!("{name} {version} comes from {other}")),
            }
            if let Some((_, reason)) = self.banned.iter().find(|(banned, _)| banned == name) {
                problems.push(format!("{name} is banned: {reason}"));
            }
            match package.licence.as_deref().and_then(|licence| met_by(licence, &self.licences)) {
                Some(licences) => used.extend(licences),
                None => {
                    let licence = package.licence.as_deref().unwrap_or("none");
                    problems.push(format!("{name} {version} has a licence that is not allowed: {licence}"));
                }
            }
            if package.source.is_none() {
                let wildcard = |needed| format!("{name} needs `{needed}` at any version; say which");
                problems.extend(package.wildcards.iter().map(wildcard));
            }
        }
        let unused = self.licences.iter().filter(|licence| !used.contains(licence.as_str()));
        problems.extend(unused.map(|licence| format!("nothing needs the licence {licence} any longer")));
        problems.extend(self.duplicates(graph));
        problems
    }

    /// Returns a problem for each package with several versions, and for each unused exception.
    fn duplicates(&self, graph: &Graph) -> Vec<String> {
        let mut problems = Vec::new();
        let mut skipped: BTreeSet<&str> = BTreeSet::new();
        for (entries, is_tree) in [(&self.skipped, false), (&self.skipped_trees, true)] {
            for wanted in entries {
                let found = graph.packages.iter().find(|(_, package)| wanted.is(package));
                match found {
                    Some((id, _)) if is_tree => skipped.extend(graph.tree_of(id)),
                    Some((id, _)) => skipped.extend([id.as_str()]),
                    None => {
                        problems.push(format!("nothing needs {}@{} any longer", wanted.name, wanted.version));
                    }
                }
            }
        }
        let mut versions: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        let counted = graph.packages.iter().filter(|(id, _)| !skipped.contains(id.as_str()));
        for (_, package) in counted {
            versions.entry(&package.name).or_default().push(&package.version);
        }
        let several = versions.into_iter().filter(|(_, versions)| versions.len() > 1);
        problems
            .extend(several.map(|(name, versions)| format!("{name} is there as {}", versions.join(" and "))));
        problems
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const RULES: &str = r#"
[graph]
targets = ["x"]
[bans]
skip = [{ crate = "b@1", reason = "old uses it" }]
skip-tree = [{ crate = "old@2", reason = "there is nothing newer" }]
deny = [{ crate = "bad", reason = "it is bad" }]
[licenses]
allow = ["MIT"]
"#;

    /// Returns the problems of packages, given as `name version licence source` (`-` for none) with
    /// their dependencies.
    fn problems(rules: &str, packages: &[(&str, &[&str])]) -> Vec<String> {
        let id = |package: &str| package.split(' ').take(2).collect::<Vec<_>>().join(" ");
        let nodes: Vec<_> = packages
            .iter()
            .map(|(package, needed)| json!({ "id": id(package), "dependencies": needed }))
            .collect();
        let tree: Vec<String> = packages
            .iter()
            .map(|(package, _)| package.splitn(3, ' ').take(2).collect::<Vec<_>>().join(" v"))
            .collect();
        let packages: Vec<_> = packages
            .iter()
            .map(|(package, _)| {
                let words: Vec<&str> = package.split(' ').collect();
                let some = |word: &str| (word != "-").then(|| word.to_owned());
                json!({ "id": id(package), "name": words[0], "version": words[1], "license": some(words[2]),
                    "source": some(words[3]), "dependencies": [{ "name": "any", "req": "*", "source": "x" }] })
            })
            .collect();
        let mut graph = Graph::default();
        let metadata = json!({ "packages": packages, "resolve": { "nodes": nodes } }).to_string();
        graph.add(&metadata, &tree.join("\n")).unwrap();
        Rules::parse(rules).unwrap().problems(&graph)
    }

    #[test]
    fn what_is_allowed_has_no_problem() {
        let from = REGISTRY;
        let packages: Vec<(String, &[&str])> = vec![
            (format!("b 1.2 MIT {from}"), &[]),
            (format!("b 2.0 MIT {from}"), &[]),
            // A version that only the old package needs is skipped with its tree.
            (format!("old 2.1 MIT {from}"), &["c 1.0"]),
            (format!("c 1.0 MIT {from}"), &[]),
            (format!("c 2.0 MIT {from}"), &[]),
        ];
        let packages: Vec<(&str, &[&str])> =
            packages.iter().map(|(package, needed)| (package.as_str(), *needed)).collect();
        assert_eq!(problems(RULES, &packages), Vec::<String>::new());
    }

    #[test]
    fn everything_else_is_named() {
        let from = REGISTRY;
        let packages = [
            "ours 0.1 MIT -".to_owned(),
            format!("bad 1.0 MIT {from}"),
            "far 1.0 MIT git+https://example.com/far".to_owned(),
            format!("free 1.0 GPL-3.0 {from}"),
            format!("none 1.0 - {from}"),
            format!("two 1.0 MIT {from}"),
            format!("two 2.0 MIT {from}"),
        ];
        let packages: Vec<(&str, &[&str])> =
            packages.iter().map(|package| (package.as_str(), &[][..])).collect();
        let rules = RULES.replace("\"MIT\"]", "\"MIT\", \"ISC\"]");
        assert_eq!(
            problems(&rules, &packages),
            [
                "bad is banned: it is bad",
                "far 1.0 comes from git+https://example.com/far",
                "free 1.0 has a licence that is not allowed: GPL-3.0",
                "none 1.0 has a licence that is not allowed: none",
                "ours needs `any` at any version; say which",
                "nothing needs the licence ISC any longer",
                "nothing needs b@1 any longer",
                "nothing needs old@2 any longer",
                "two is there as 1.0 and 2.0",
            ]
        );
    }
}
