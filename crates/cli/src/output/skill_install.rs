//! Formats what installing a skill would write, for people and for programs. Names and texts come
//! from a server, so they are escaped.
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use overt_documents::skill::remote::{SkillManifest, VerifiedFile};
use serde::Serialize;

use super::hunks::file_diff;
use super::patch::patch_text;
use super::safe::one_line;
use super::skills::{CheckedSkill, SkillData, skills_text};
use super::style::{DANGER, DIM, NAME, PLAIN, TITLE, WARNING, paint};
use super::table::{Cell, Table};

/// An installation, with everything that is shown of it.
#[derive(Debug)]
pub(crate) struct ShownInstall<'a> {
    pub(crate) manifest: &'a SkillManifest,
    /// The directory of the skill.
    pub(crate) target: &'a Path,
    pub(crate) changes: &'a [SkillFileChange],
    /// The tools that the skill wants to use without asking.
    pub(crate) allowed_tools: Option<String>,
    pub(crate) checked: &'a CheckedSkill,
}

/// The change of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SkillFileChange {
    pub(crate) path: String,
    pub(crate) change: FileChange,
    pub(crate) size: u64,
    /// The text before and after, for a text file that changes.
    pub(crate) texts: Option<(String, String)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum FileChange {
    Added,
    Changed,
    Removed,
    Same,
}

/// Whether the files were written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Installed {
    Yes,
    No,
}

impl FileChange {
    fn as_str(self) -> &'static str {
        match self {
            Self::Added => "added",
            Self::Changed => "changed",
            Self::Removed => "removed",
            Self::Same => "same",
        }
    }
}

impl SkillFileChange {
    /// Whether most programs hide the file.
    fn is_hidden(&self) -> bool {
        self.path.split('/').any(|name| name.starts_with('.'))
    }
}

pub(crate) fn install_text(install: &ShownInstall<'_>, server: &str, width: Option<usize>) -> String {
    let manifest = install.manifest;
    let mut out = format!(
        "{} {}\n",
        paint(TITLE, one_line(manifest.name())),
        paint(DIM, format!("({} of {})", one_line(manifest.uri()), one_line(server)))
    );
    let count = manifest.files().len();
    let files = if count == 1 { "file" } else { "files" };
    let into = one_line(&install.target.display().to_string());
    out.push_str(&format!("{count} {files}, {} bytes, into {into}\n\n", manifest.size()));
    let mut table = Table::new(vec!["CHANGE", "FILE", "BYTES", "NOTE"]);
    for file in install.changes {
        let style = match file.change {
            FileChange::Added => NAME,
            FileChange::Changed => WARNING,
            FileChange::Removed => DANGER,
            FileChange::Same => DIM,
        };
        let note = if file.is_hidden() { "hidden" } else { "" };
        table.row(vec![
            Cell::new(file.change.as_str().to_owned(), style),
            Cell::new(one_line(&file.path), PLAIN),
            Cell::new(file.size.to_string(), DIM),
            Cell::new(note.to_owned(), WARNING),
        ]);
    }
    out.push_str(&table.render(width));
    for file in install.changes {
        if let Some((old, new)) = &file.texts {
            out.push_str(&format!("\n{}", patch_text(&file_diff(Path::new(&file.path), old, new))));
        }
    }
    if let Some(tools) = &install.allowed_tools {
        let tools = paint(WARNING, one_line(tools));
        out.push_str(&format!("\nThe skill wants to use without asking: {tools}\n"));
        out.push_str("Overt grants none of it; a client that reads the skill may.\n");
    }
    out.push('\n');
    out.push_str(&skills_text(std::slice::from_ref(install.checked), width));
    out.push_str(&format!("\nset of files: {}\n", manifest.digest()));
    out
}

/// The answer of `overt skill install`.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct InstallReport<'a> {
    name: &'a str,
    uri: &'a str,
    directory: String,
    digest: String,
    bytes: u64,
    files: Vec<InstalledFile<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    allowed_tools: Option<&'a str>,
    installed: bool,
    check: SkillData<'a>,
}

#[derive(Debug, Serialize)]
struct InstalledFile<'a> {
    path: &'a str,
    change: FileChange,
    size: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    digest: Option<String>,
    hidden: bool,
}

impl<'a> InstallReport<'a> {
    pub(crate) fn new(install: &'a ShownInstall<'a>, installed: Installed) -> Self {
        let manifest = install.manifest;
        let files = install.changes.iter().map(|file| InstalledFile {
            path: &file.path,
            change: file.change,
            size: file.size,
            digest: manifest
                .files()
                .iter()
                .find(|listed| listed.path == file.path)
                .map(|listed| listed.digest.to_string()),
            hidden: file.is_hidden(),
        });
        Self {
            name: manifest.name(),
            uri: manifest.uri(),
            directory: install.target.display().to_string(),
            digest: manifest.digest().to_string(),
            bytes: manifest.size(),
            files: files.collect(),
            allowed_tools: install.allowed_tools.as_deref(),
            installed: installed == Installed::Yes,
            check: SkillData::of(install.checked),
        }
    }
}

/// One verified file: its text, or its bytes in base64.
#[derive(Debug, Serialize)]
pub(crate) struct SkillFileReport<'a> {
    skill: &'a str,
    uri: &'a str,
    path: &'a str,
    set: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    blob: Option<String>,
}

impl<'a> SkillFileReport<'a> {
    pub(crate) fn new(manifest: &'a SkillManifest, file: &'a VerifiedFile) -> Self {
        let text = std::str::from_utf8(file.bytes()).ok();
        Self {
            skill: manifest.name(),
            uri: manifest.uri(),
            path: file.path(),
            set: manifest.digest().to_string(),
            text,
            blob: text.is_none().then(|| STANDARD.encode(file.bytes())),
        }
    }
}
