//! What would have to be allowed so that nobody is asked about what was done: never more than that.
//!
//! Scopes are proposed as they were needed. Only paths are generalised: to a folder of the project in which at least three different
//! files were touched, and not if something in that folder was refused. What was refused last stays refused.
use std::collections::{BTreeMap, BTreeSet};

use crate::scope::Scope;

/// One call that was made or refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Observation {
    /// The scopes that it needed.
    pub needed: Vec<Scope>,
    /// The folder of the project that it was made in.
    pub project: Option<String>,
    pub was_allowed: bool,
}

/// What is proposed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Proposal {
    /// Sorted, and none of them covers another.
    pub allow: Vec<Proposed>,
    /// Needed by what was done, and left out because something that was refused would be allowed by it.
    pub withheld: Vec<Scope>,
}

/// A scope, and what it rests on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proposed {
    pub scope: Scope,
    /// Calls that needed it, or something beneath it.
    pub calls: usize,
    /// Different scopes that were needed: for a folder, the files.
    pub different: usize,
}

/// Different files of a folder that must have been touched before the folder is proposed.
pub const LEAST_FILES: usize = 3;

/// Proposes what would have allowed the calls. The last call comes first.
pub fn suggest(observations: &[Observation]) -> Proposal {
    let (allowed, refused) = last_words(observations);
    let mut withheld = BTreeSet::new();
    let mut scopes: BTreeSet<Scope> = allowed.keys().flat_map(|needed| needed.iter().cloned()).collect();
    // A call that was refused must not be allowed by what others needed.
    for needed in &refused {
        if needed.iter().all(|scope| covered(&scopes, scope)) {
            let takes: Vec<Scope> =
                scopes.iter().filter(|own| needed.iter().any(|scope| own.covers(scope))).cloned().collect();
            takes.iter().for_each(|scope| _ = scopes.remove(scope));
            withheld.extend(takes);
        }
    }
    let is_touchy = |folder: &Scope| refused.iter().flatten().any(|scope| folder.overlaps(scope));
    let is_open = |scope: &Scope| scopes.contains(scope);
    let folders = folders(&allowed, &is_open);
    let folders: Vec<Scope> = folders.into_iter().filter(|folder| !is_touchy(folder)).collect();
    scopes.extend(folders);
    let outermost =
        scopes.iter().filter(|scope| !scopes.iter().any(|other| other != *scope && other.covers(scope)));
    let allow = outermost.map(|scope| {
        let needed = || observations.iter().filter(|one| one.was_allowed).map(|one| &one.needed);
        let calls = needed().filter(|needed| needed.iter().any(|one| scope.covers(one))).count();
        let different: BTreeSet<&Scope> = needed().flatten().filter(|one| scope.covers(one)).collect();
        Proposed { scope: scope.clone(), calls, different: different.len() }
    });
    Proposal { allow: allow.collect(), withheld: withheld.into_iter().collect() }
}

type Needed = Vec<Scope>;

/// What each set of scopes came to the last time, with the project of what was allowed.
fn last_words(observations: &[Observation]) -> (BTreeMap<Needed, Option<String>>, BTreeSet<Needed>) {
    let (mut allowed, mut refused) = (BTreeMap::new(), BTreeSet::new());
    for one in observations.iter().filter(|one| !one.needed.is_empty()) {
        let mut needed = one.needed.clone();
        needed.sort_unstable();
        needed.dedup();
        if allowed.contains_key(&needed) || refused.contains(&needed) {
            continue;
        }
        if one.was_allowed {
            allowed.insert(needed, one.project.clone());
        } else {
            refused.insert(needed);
        }
    }
    (allowed, refused)
}

fn covered(scopes: &BTreeSet<Scope>, wanted: &Scope) -> bool {
    scopes.iter().any(|scope| scope.covers(wanted))
}

/// Folders in which enough different files were touched, each in the project of the calls.
fn folders(allowed: &BTreeMap<Needed, Option<String>>, is_open: &dyn Fn(&Scope) -> bool) -> Vec<Scope> {
    let mut files: BTreeMap<Scope, BTreeSet<&Scope>> = BTreeMap::new();
    for (needed, project) in allowed {
        let Some(project) = project.as_deref().filter(|project| project.starts_with('/')) else { continue };
        for scope in needed.iter().filter(|scope| scope.kind() == Some("file") && is_open(scope)) {
            let whole = Scope::of_path(scope.action(), "file", project);
            let Some(folder) = scope.parent().filter(|folder| whole.covers(folder)) else { continue };
            files.entry(folder).or_default().insert(scope);
        }
    }
    files.into_iter().filter(|(_, files)| files.len() >= LEAST_FILES).map(|(folder, _)| folder).collect()
}
