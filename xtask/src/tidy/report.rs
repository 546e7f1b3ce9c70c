//! Runs all checks on this checkout and reports the violations.

use super::tree::Tree;
use super::{
    commands, crate_dependencies, docs, fuzz_targets, import_cycles, packages, prose, requirements, source,
    text,
};
use crate::failure::Failure;
use crate::repo::Repo;
use crate::run::Job;

pub(crate) fn check(repo: &Repo) -> Result<(), Failure> {
    let tree = Tree::of(repo)?;
    let metadata =
        Job::cargo(repo, "tidy-metadata", &["metadata", "--no-deps", "--format-version", "1"]).succeed()?;
    let metadata = serde_json::from_str(&metadata.stdout())
        .map_err(|cause| Failure::new(format!("could not read the output of `cargo metadata`: {cause}")))?;

    let mut violations = Vec::new();
    violations.extend(crate_dependencies::check(&tree, &metadata));
    violations.extend(import_cycles::check(&tree));
    violations.extend(source::check(&tree));
    violations.extend(text::check(&tree, &repo.root.to_string_lossy()));
    violations.extend(packages::check(&tree));
    violations.extend(docs::check(&tree));
    violations.extend(commands::check(&tree));
    violations.extend(fuzz_targets::check(&tree));
    violations.extend(requirements::check(&tree));
    violations.extend(prose::check(&tree));
    violations.sort();

    if violations.is_empty() {
        return Ok(());
    }
    let list: Vec<String> = violations.iter().map(ToString::to_string).collect();
    Err(Failure::new(format!("tidy found {} violations\n{}", list.len(), list.join("\n"))))
}
