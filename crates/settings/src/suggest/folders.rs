//! Finds folders that could replace their files in a proposal.
use std::collections::{BTreeMap, BTreeSet};

use super::observation::Observation;
use overt_policy::scope::Scope;

/// How many different files of a folder must have been used before the folder is proposed.
pub const LEAST_FILES: usize = 3;

/// Returns the folders in which enough different files were used, each within the project of its
/// calls.
pub(super) fn folders<'a>(
    done: impl Iterator<Item = &'a Observation>,
    is_open: &dyn Fn(&Scope) -> bool,
) -> Vec<Scope> {
    let mut files: BTreeMap<Scope, BTreeSet<&Scope>> = BTreeMap::new();
    for one in done {
        let Some(project) = one.project.as_deref().filter(|project| project.starts_with('/')) else {
            continue;
        };
        for scope in one.needed.iter().filter(|scope| scope.kind() == Some("file") && is_open(scope)) {
            let whole = Scope::of_path(scope.action(), "file", project);
            let Some(folder) = scope.parent().filter(|folder| whole.covers(folder)) else { continue };
            files.entry(folder).or_default().insert(scope);
        }
    }
    files.into_iter().filter(|(_, files)| files.len() >= LEAST_FILES).map(|(folder, _)| folder).collect()
}
