//! What of the folders is in force for a call, from the settings that hold for it: the regions at
//! the places where the roots really are, and what is hidden and protected in every folder. Made
//! once for as long as the settings stay the same.
use std::sync::{Arc, Mutex, PoisonError};

use overt_policy::Regions;
use overt_policy::region::Case;
use overt_policy::setting::List;
use serde_json::json;

use super::super::error::{FileError, code};
use super::names::{self, NameMatching};
use super::path::AbsolutePath;

/// What the settings say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RuleSettings {
    pub(crate) roots: Regions,
    pub(crate) hidden: List,
    pub(crate) immutable: List,
}

/// What a call does with a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PathAccess {
    See,
    Change,
}

/// What follows from it.
#[derive(Debug, Default)]
pub(crate) struct Rules {
    /// What is left of the roots.
    pub(crate) roots: Regions,
    /// What patterns leave of the folders that can be granted beside them.
    pub(crate) beside: Regions,
}

/// The rules that were made last: most calls have the same settings.
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

    /// What the patterns leave of these folders.
    pub(super) fn everywhere<'a>(
        &self,
        folders: impl Iterator<Item = &'a AbsolutePath>,
    ) -> Result<Regions, FileError> {
        let region = |path: &str| json!({ "path": path, "deny": self.hidden, "immutable": self.immutable });
        let regions: Vec<_> = folders.map(|folder| region(folder.as_str())).collect();
        Regions::parse(&json!(regions)).map_err(|_| unusable())
    }
}

/// What hides must never be left out (FS-24).
pub(super) fn unusable() -> FileError {
    FileError::new(
        code::NOT_ALLOWED,
        "the patterns of hidden and protected paths are not valid, so nothing was done",
        "Ask the user to correct the settings `roots`, `hidden` and `immutable`.",
    )
}

/// Fails if a path is hidden, or protected and to be changed. How its folders compare names is
/// asked only if it matters.
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

/// A path may have other names where its folders compare names in another way. They are asked only
/// if it matters.
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

    /// FS-20: what is hidden in small letters is hidden in capital ones where the folder does not
    /// tell them apart, and a short name may stand for any other.
    #[test]
    fn fs_20_other_names_of_what_is_hidden() {
        let rules = json!([{ "path": "/r", "deny": ["**/.git/**", ".env"], "immutable": ["lock"] }]);
        let rules = Regions::parse(&rules).unwrap();
        let table = [
            // Path, and whether it may be changed by how names are compared.
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
        // Where it can't matter, the file system is not asked how it compares names.
        let asked = |path: &str| {
            let path = AbsolutePath::from_system(path).unwrap();
            by_other_names(&rules, &path, PathAccess::See, "x", || panic!("asked about {path}"))
        };
        assert_eq!((asked("/r/x"), asked("/r/LOCK")), (Ok(()), Ok(())));
    }
}
