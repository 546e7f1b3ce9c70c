//! `overt policy check`: reports everything that is wrong with files of policies and rules.
use std::path::{Path, PathBuf};

use overt_policy::lint_policy;
use overt_policy::{Finding, Findings, Pointer, Severity};
use overt_settings::config::Config;
use overt_settings::toml_file::{FileError, LineColumn};

use crate::context::CommandContext;
use crate::error::{CommandError, Exit};
use crate::output::{CheckedFile, FilesReport};
use crate::settings::{OfFiles, Table as _, read_policies, read_text};

pub(super) fn check(files: &[PathBuf], context: &CommandContext) -> Result<Exit, CommandError> {
    let mut checked = Vec::with_capacity(files.len());
    for path in files {
        let text = read_text(path)?;
        let findings = match is_toml(path) {
            true => {
                check_toml(&text).into_iter().map(|(place, said)| (place.map(|at| at.line), said)).collect()
            }
            false => json(&text),
        };
        checked.push(CheckedFile { path: path.display().to_string(), findings });
    }
    let report = FilesReport::new(&checked);
    context.report(&report)?;
    Ok(if report.good() == checked.len() { Exit::Ok } else { Exit::Findings })
}

fn is_toml(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("toml"))
}

/// Returns all findings about an `overt.toml`. The file may contain every setting, because `overt
/// fs` has them all.
pub(in crate::commands) fn check_toml(text: &str) -> Vec<(Option<LineColumn>, Finding)> {
    Config::check(text, &OfFiles::declared()).unwrap_or_else(|error| {
        let (place, problem) = match error {
            FileError::Toml { place, message } => (Some(place), format!("is not TOML: {message}")),
            other => (None, other.to_string()),
        };
        let (at, fix) = (Pointer::root(), "correct the file".to_owned());
        vec![(place, Finding { severity: Severity::Error, at, problem, fix })]
    })
}

fn json(text: &str) -> Vec<(Option<usize>, Finding)> {
    let findings = match read_policies::<OfFiles>(text) {
        Err(findings) => findings,
        Ok(chain) => {
            let mut findings = Findings::default();
            let is_list = text.trim_start().starts_with('[');
            for (index, policy) in chain.iter().enumerate() {
                let at = if is_list { Pointer::root().index(index) } else { Pointer::root() };
                findings.extend(lint_policy(policy, &at));
            }
            findings
        }
    };
    findings.into_iter().map(|finding| (None, finding)).collect()
}
