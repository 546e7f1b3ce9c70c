//! Paths that no client of a file server may touch even inside a root: Overt's state, the settings
//! that decide about calls, and special file systems.
use std::path::{Path, PathBuf};

use overt_settings::Regions;
use overt_settings::{List, SettingValue, SettingValues};

use super::special::Special;
use super::table::{AUDIT_CHECKPOINT_FILE, AUDIT_DIR, GRANTABLE, ROOTS};

/// The protected paths. They are determined once at startup, because a sandboxed process can't look
/// them up.
#[derive(Debug, Default)]
pub(super) struct Shield {
    special: Special,
    /// The state folder: grants, keys, logs and the journal.
    state: Option<PathBuf>,
    /// The settings files. Clients can read them but not change them.
    files: Vec<PathBuf>,
}

impl Shield {
    /// Resolves the paths. `state` and `files` need not exist.
    pub(super) fn new(state: Option<&Path>, files: &[&Path]) -> Self {
        Self {
            special: Special::read(),
            state: state.map(real),
            files: files.iter().map(|file| real(file)).collect(),
        }
    }

    /// Returns the roots without the protected paths.
    pub(super) fn over(&self, values: &SettingValues, problems: &mut Vec<String>) -> Option<SettingValue> {
        let Some(SettingValue::Regions(roots)) = values.value_of(ROOTS) else { return None };
        let text = |key| values.get::<Option<String>>(key).flatten().map(PathBuf::from);
        let ours = [self.state.clone(), text(AUDIT_DIR), text(AUDIT_CHECKPOINT_FILE)];
        let ours: Vec<PathBuf> = ours.into_iter().flatten().map(|path| real(&path)).collect();
        let roots = match values.get::<bool>(ALLOW_SPECIAL).unwrap_or_default() {
            true => roots.clone(),
            false => self.ordinary(roots, problems),
        };
        let folders: Vec<String> = roots.folders().flatten().map(|folder| folder.path).collect();
        let in_roots = |path: &&PathBuf| folders.iter().any(|root| is_around(Path::new(root), path));
        let texts = |paths: &[PathBuf]| -> Vec<String> {
            let text = |path: &PathBuf| path.to_str().map(str::to_owned);
            paths.iter().filter(in_roots).filter_map(text).collect()
        };
        for folder in values.get::<List>(GRANTABLE).unwrap_or_default() {
            if ours.iter().any(|path| is_around(Path::new(&folder), path)) {
                problems.push(format!(
                    "`{folder}` can't be granted: what decides about grants is in it; name other folders"
                ));
            }
        }
        let (hidden, kept) = (texts(&ours), texts(&self.files));
        let roots = roots.without(hidden.iter().map(String::as_str));
        Some(SettingValue::Regions(roots.with_read_only(kept.iter().map(String::as_str))))
    }

    /// The roots without special file systems (FS-11).
    fn ordinary(&self, roots: &Regions, problems: &mut Vec<String>) -> Regions {
        let folders: Vec<String> = roots.folders().flatten().map(|folder| folder.path).collect();
        for folder in &folders {
            let why = match folder.as_str() {
                "/" => "is everything, the devices and the kernel's own files too",
                _ if self.special.holds(folder) => {
                    "holds no files but what the kernel tells of itself or its devices"
                }
                _ => continue,
            };
            problems
                .push(format!("the root `{folder}` {why}; name a folder of yours, or add `--allow-special`"));
        }
        roots.clone().without(folders.iter().flat_map(|folder| self.special.within(folder)))
    }
}

/// Whether one path contains the other.
fn is_around(folder: &Path, path: &Path) -> bool {
    path.starts_with(folder) || folder.starts_with(path)
}

const ALLOW_SPECIAL: &str = "allow_special";

/// The canonical path, also of a file that does not exist yet.
fn real(path: &Path) -> PathBuf {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let found = path.ancestors().find_map(|there| Some((there, std::fs::canonicalize(there).ok()?)));
    match found {
        Some((there, real)) => path.strip_prefix(there).map_or(path.clone(), |rest| real.join(rest)),
        None => path,
    }
}
