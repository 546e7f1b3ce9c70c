//! The rules in force for a call, from its settings: the regions at the real paths of the roots,
//! and the patterns for what is hidden or protected in every folder. They are computed once for as
//! long as the settings stay the same.
use std::sync::{Arc, Mutex, PoisonError};

use overt_settings::List;
use overt_settings::Regions;
use overt_settings::region::Case;
use serde_json::json;

use super::super::error::{FileError, code};
use super::names::{self, NameMatching};
use super::path::AbsolutePath;

/// The settings that the rules are made from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RuleSettings {
    pub(crate) roots: Regions,
    pub(crate) hidden: List,
    pub(crate) immutable: List,
}

/// The access that a call wants to a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PathAccess {
    See,
    Change,
}

/// The rules that follow from the settings.
#[derive(Debug, Default)]
pub(crate) struct Rules {
    /// What is allowed in the roots.
    pub(crate) roots: Regions,
    /// What the patterns allow in the grantable folders.
    pub(crate) grantable: Regions,
}

/// The most recent rules. Most calls have the same settings.
#[derive(Debug, Default)]
pub(super) struct RulesCache(Mutex<Option<(RuleSettings, Arc<Rules>)>>);

impl RulesCache {
    pub(super) fn get_or_make(
        &self,
        settings: RuleSettings,
        make: impl FnOnce(&RuleSettings) -> Result<Rules, FileError>,
    ) -> Result<Arc<Rules>, FileError> {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((before, rules)) = &*last
            && *before == settings
        {
            return Ok(Arc::clone(rules));
        }
        let rules = Arc::new(make(&settings)?);
        *last = Some((settings, Arc::clone(&rules)));
        Ok(rules)
    }
}

impl RuleSettings {
    pub(super) fn has_patterns(&self) -> bool {
        !(self.hidden.is_empty() && self.immutable.is_empty())
    }

    /// Returns what the patterns allow in these folders.
    pub(super) fn everywhere<'a>(
        &self,
        folders: impl Iterator<Item = &'a AbsolutePath>,
    ) -> Result<Regions, FileError> {
        let region = |path: &str| json!({ "path": path, "deny": self.hidden, "immutable": self.immutable });
        let regions: Vec<_> = folders.map(|folder| region(folder.as_str())).collect();
        Regions::parse(&json!(regions)).map_err(|_| unusable())
    }
}

/// The error for invalid patterns. A pattern that hides must never be skipped (FS-24).
pub(super) fn unusable() -> FileError {
    FileError::new(
        code::NOT_ALLOWED,
        "the patterns of hidden and protected paths are not valid, so nothing was done",
        "Ask the user to correct the settings `roots`, `hidden` and `immutable`.",
    )
}

/// Fails if a path is hidden, or if it is protected and `want` is a change. Calls `names` only if
/// the way its folders compare names matters.
pub(super) fn decide_in(
    regions: &Regions,
    path: &AbsolutePath,
    want: PathAccess,
    shown: &str,
    names: impl FnOnce() -> NameMatching,
) -> Result<(), FileError> {
    by_name(regions, path, want, shown, Case::Exact)?;
    by_other_names(regions, path, want, shown, names)
}

fn by_name(
    regions: &Regions,
    path: &AbsolutePath,
    want: PathAccess,
    shown: &str,
    case: Case,
) -> Result<(), FileError> {
    if !regions.visible_in(path.as_str(), case) {
        return Err(FileError::hidden(shown));
    }
    if want == PathAccess::Change && !regions.writable_in(path.as_str(), case) {
        return Err(FileError::immutable(shown));
    }
    Ok(())
}

/// Decides about the other names that a path may have, where its folders ignore case or have short
/// names. Calls `names` only if the answer matters.
fn by_other_names(
    regions: &Regions,
    path: &AbsolutePath,
    want: PathAccess,
    shown: &str,
    names: impl FnOnce() -> NameMatching,
) -> Result<(), FileError> {
    if !regions.has_patterns() {
        return Ok(());
    }
    let by_case = by_name(regions, path, want, shown, Case::Ignored);
    let may_be_short = names::has_short_name(path.as_str());
    if by_case.is_ok() && !may_be_short {
        return Ok(());
    }
    match names() {
        NameMatching::Exact => Ok(()),
        NameMatching::Short if may_be_short => Err(FileError::hidden(shown)),
        NameMatching::Folded | NameMatching::Short => by_case,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// FS-20: where a folder ignores case, a pattern in lower case also hides names in upper case.
    /// A short name may stand for any other name.
    #[test]
    fn fs_20_other_names_of_what_is_hidden() {
        let rules = json!([{ "path": "/r", "deny": ["**/.git/**", ".env"], "immutable": ["lock"] }]);
        let rules = Regions::parse(&rules).unwrap();
        let table = [
            // Path, and whether it may be changed under each way to compare names.
            ("/r/x", true, true, true),
            ("/r/.GIT/config", true, false, false),
            ("/r/a/.Env", true, false, false),
            ("/r/LOCK", true, false, false),
            ("/r/ENV~1", true, true, false),
            ("/r/backup~", true, true, true),
        ];
        for (path, exact, folded, short) in table {
            let path = AbsolutePath::from_system(path).unwrap();
            for (names, wanted) in
                [(NameMatching::Exact, exact), (NameMatching::Folded, folded), (NameMatching::Short, short)]
            {
                let decided = by_other_names(&rules, &path, PathAccess::Change, "x", || names);
                assert_eq!(decided.is_ok(), wanted, "{path} {names:?}");
            }
        }
        // If the answer can't matter, the file system is not asked how it compares names.
        let asked = |path: &str| {
            let path = AbsolutePath::from_system(path).unwrap();
            by_other_names(&rules, &path, PathAccess::See, "x", || panic!("asked about {path}"))
        };
        assert_eq!((asked("/r/x"), asked("/r/LOCK")), (Ok(()), Ok(())));
    }
}
