//! The packages and their dependencies, from `cargo metadata`.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

/// A package at a version.
#[derive(Debug, Clone)]
pub(super) struct Package {
    pub(super) name: String,
    pub(super) version: String,
    pub(super) licence: Option<String>,
    /// `None` for one of our packages.
    pub(super) source: Option<String>,
    /// Names of dependencies for which it accepts any version.
    pub(super) wildcards: Vec<String>,
}

/// All packages for some targets, by cargo's ids.
#[derive(Debug, Default)]
pub(super) struct Graph {
    pub(super) packages: BTreeMap<String, Package>,
    needs: BTreeMap<String, BTreeSet<String>>,
}

impl Graph {
    /// Adds the packages of `cargo metadata` that `cargo tree` printed too. The former also has
    /// packages that no feature enables.
    pub(super) fn add(&mut self, metadata: &str, tree: &str) -> Result<(), String> {
        let built: BTreeSet<(&str, &str)> = tree.lines().filter_map(name_and_version).collect();
        let metadata: Value = serde_json::from_str(metadata).map_err(|error| error.to_string())?;
        let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        // The list of packages also has those of other targets, so take the ids from the resolved
        // nodes.
        for node in list(&metadata["resolve"]["nodes"]) {
            let needed = list(&node["dependencies"]).iter().map(text).collect::<Vec<_>>();
            self.needs.entry(text(&node["id"])).or_default().extend(needed);
        }
        for package in list(&metadata["packages"]) {
            let (id, name, version) =
                (text(&package["id"]), text(&package["name"]), text(&package["version"]));
            if !self.needs.contains_key(&id) || !built.contains(&(&name, &version)) {
                continue;
            }
            let is_wildcard = |needed: &&Value| {
                needed["req"] == "*" && needed["path"].is_null() && !needed["source"].is_null()
            };
            let wildcards = list(&package["dependencies"])
                .iter()
                .filter(is_wildcard)
                .map(|needed| text(&needed["name"]))
                .collect();
            let package = Package {
                name,
                version,
                licence: package["license"].as_str().map(str::to_owned),
                source: package["source"].as_str().map(str::to_owned),
                wildcards,
            };
            self.packages.insert(id, package);
        }
        match self.packages.is_empty() {
            true => Err("it lists no packages".to_owned()),
            false => Ok(()),
        }
    }

    /// Returns the ids of a package and of everything that it depends on.
    pub(super) fn tree_of<'a>(&'a self, id: &'a str) -> BTreeSet<&'a str> {
        let (mut tree, mut open) = (BTreeSet::new(), vec![id]);
        while let Some(id) = open.pop() {
            if tree.insert(id) {
                open.extend(self.needs.get(id).into_iter().flatten().map(String::as_str));
            }
        }
        tree
    }
}

/// Reads a line such as `serde v1.0.229 (proc-macro)`.
fn name_and_version(line: &str) -> Option<(&str, &str)> {
    let mut words = line.split(' ');
    Some((words.next()?, words.next()?.strip_prefix('v')?))
}
