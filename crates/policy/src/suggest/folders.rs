//! Folders that could take the place of their files.
use std::collections::{BTreeMap, BTreeSet};

use super::observation::Observation;
use crate::scope::Scope;

/// Different files of a folder that must have been touched before the folder is proposed.
pub const LEAST_FILES: usize = 3;

/// Folders in which enough different files were touched, each in the project of the calls.
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
