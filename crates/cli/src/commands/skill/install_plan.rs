//! The changes that an installation would make: each file of the skill, compared with the
//! directory.
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use overt_documents::skill::check::{Files, Source, check};
use overt_documents::skill::remote::VerifiedSkill;
use overt_policy::Severity;
use overt_wire::skill::{MAIN_FILE, Sha256Digest};

use super::check::{readers, tokens_of};
use crate::args::ExistingFile;
use crate::error::Diagnostic;
use crate::output::{CheckedSkill, FileChange, ShownInstall, SkillFileChange};

/// Limits of a directory that can be replaced.
const MOST_FILES: usize = 2_000;
const MOST_BYTES: u64 = 64 << 20;
const MOST_DEPTH: usize = 16;

/// The reason why a skill can't be installed in this directory.
#[derive(Debug, thiserror::Error)]
pub(super) enum PlanError {
    #[error("`{}` is there already", .0.display())]
    Exists(PathBuf),
    #[error("`{}` is there, and is not a directory", .0.display())]
    NotDirectory(PathBuf),
    #[error("`{}` has more than {MOST_FILES} files, {MOST_BYTES} bytes or {MOST_DEPTH} levels", .0.display())]
    TooLarge(PathBuf),
    #[error("failed to read `{}`", path.display())]
    Read { path: PathBuf, source: io::Error },
}

impl Diagnostic for PlanError {
    fn hint(&self) -> Option<String> {
        Some(match self {
            Self::Exists(_) => "`--replace` shows the differences and puts the skill in its place".to_owned(),
            Self::NotDirectory(_) | Self::TooLarge(_) => {
                "move it away, or choose another directory".to_owned()
            }
            Self::Read { .. } => return None,
        })
    }
}

/// The content of a directory: the bytes of each file, and `None` for entries that are not files.
pub(super) type Content = BTreeMap<String, Option<Vec<u8>>>;

/// A skill and the directory to install it in.
#[derive(Debug)]
pub(super) struct InstallPlan<'a> {
    skill: &'a VerifiedSkill,
    target: PathBuf,
    /// The directory's present content; `None` if it does not exist.
    before: Option<Content>,
    changes: Vec<SkillFileChange>,
    checked: CheckedSkill,
}

impl<'a> InstallPlan<'a> {
    pub(super) fn make(
        skill: &'a VerifiedSkill,
        directory: &Path,
        existing: ExistingFile,
    ) -> Result<Self, PlanError> {
        let target = directory.join(skill.manifest().name());
        let before = content(&target)?;
        if before.is_some() && existing == ExistingFile::Keep {
            return Err(PlanError::Exists(target));
        }
        let changes = changes(skill, before.as_ref());
        let checked = checked(skill, &target);
        Ok(Self { skill, target, before, changes, checked })
    }

    pub(super) fn skill(&self) -> &'a VerifiedSkill {
        self.skill
    }

    pub(super) fn target(&self) -> &Path {
        &self.target
    }

    pub(super) fn before(&self) -> Option<&Content> {
        self.before.as_ref()
    }

    pub(super) fn digest(&self) -> Sha256Digest {
        self.skill.manifest().digest()
    }

    /// Says whether the directory already has the same files.
    pub(super) fn is_there(&self) -> bool {
        self.changes.iter().all(|file| file.change == FileChange::Same)
    }

    /// Says whether a reader refuses the skill.
    pub(super) fn has_errors(&self) -> bool {
        self.checked.worst() == Some(Severity::Error)
    }

    pub(super) fn shown(&self) -> ShownInstall<'_> {
        ShownInstall {
            manifest: self.skill.manifest(),
            target: &self.target,
            changes: &self.changes,
            allowed_tools: self.skill.allowed_tools(),
            checked: &self.checked,
        }
    }
}

fn changes(skill: &VerifiedSkill, before: Option<&Content>) -> Vec<SkillFileChange> {
    let mut changes = Vec::new();
    for file in skill.files() {
        let old = before.and_then(|before| before.get(file.path()));
        let change = match old {
            None => FileChange::Added,
            Some(Some(old)) if old == file.bytes() => FileChange::Same,
            Some(_) => FileChange::Changed,
        };
        let texts = old.and_then(Option::as_ref).filter(|_| change == FileChange::Changed).and_then(|old| {
            Some((
                std::str::from_utf8(old).ok()?.to_owned(),
                std::str::from_utf8(file.bytes()).ok()?.to_owned(),
            ))
        });
        let size = file.bytes().len() as u64;
        changes.push(SkillFileChange { path: file.path().to_owned(), change, size, texts });
    }
    let is_gone = |path: &&String| !skill.files().iter().any(|file| file.path() == path.as_str());
    for path in before.into_iter().flat_map(BTreeMap::keys).filter(is_gone) {
        changes.push(SkillFileChange {
            path: path.clone(),
            change: FileChange::Removed,
            size: 0,
            texts: None,
        });
    }
    changes
}

/// Returns what `overt skill check` would report if the skill were installed.
fn checked(skill: &VerifiedSkill, target: &Path) -> CheckedSkill {
    let paths = skill.files().iter().map(|file| file.path().to_owned()).collect();
    let files = Files { paths, bytes: skill.manifest().size(), ..Files::default() };
    let bytes = skill.main().map_or(&[][..], |main| main.bytes());
    let text = std::str::from_utf8(bytes).unwrap_or_default();
    let source = Source {
        directory: skill.manifest().name(),
        file: MAIN_FILE,
        bytes,
        files: &files,
        tokens: tokens_of(text, &OnceLock::new()),
    };
    let report = check(&source);
    let profiles = readers(&report);
    CheckedSkill { path: target.join(MAIN_FILE), profiles, report, fixed: Vec::new() }
}

/// Returns the content of a directory, or `None` if it does not exist. Links are not followed.
pub(super) fn content(directory: &Path) -> Result<Option<Content>, PlanError> {
    match fs::symlink_metadata(directory) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(source) => return Err(PlanError::Read { path: directory.to_owned(), source }),
        Ok(there) if !there.is_dir() => return Err(PlanError::NotDirectory(directory.to_owned())),
        Ok(_) => {}
    }
    let mut content = Content::new();
    let mut room = MOST_BYTES;
    add(directory, directory, 0, &mut room, &mut content)?;
    Ok(Some(content))
}

fn add(
    root: &Path,
    directory: &Path,
    depth: usize,
    room: &mut u64,
    content: &mut Content,
) -> Result<(), PlanError> {
    let too_large = || PlanError::TooLarge(root.to_owned());
    let failed = |path: &Path| {
        let path = path.to_owned();
        move |source| PlanError::Read { path, source }
    };
    for entry in fs::read_dir(directory).map_err(failed(directory))? {
        let entry = entry.map_err(failed(directory))?;
        let (path, kind) = (entry.path(), entry.file_type().map_err(failed(directory))?);
        if content.len() >= MOST_FILES || depth > MOST_DEPTH {
            return Err(too_large());
        }
        if kind.is_dir() {
            add(root, &path, depth + 1, room, content)?;
            continue;
        }
        let bytes = if kind.is_file() {
            let mut bytes = Vec::new();
            let file = File::open(&path).map_err(failed(&path))?;
            file.take(*room + 1).read_to_end(&mut bytes).map_err(failed(&path))?;
            *room = room.checked_sub(bytes.len() as u64).ok_or_else(too_large)?;
            Some(bytes)
        } else {
            None
        };
        let relative = path.strip_prefix(root).unwrap_or(&path).to_string_lossy().into_owned();
        content.insert(relative, bytes);
    }
    Ok(())
}
