//! `copy_file`: copies a file or a directory.
use std::sync::Arc;

use overt_policy::record::{Effect, Example, SecretsExposure, ToolRecord};
use overt_toolbox::{Change, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::super::FileServer;
use super::super::access::Mounts;
use super::super::error::{FileError, code};
use super::super::write::{Act, Copy, TreePurpose, Unplanned, special};
use super::aliases::ALIASES;
use super::changing::{self, PlannedChange};
use super::move_file::{not_into_itself, occupied, target};
use super::params::PathText;
use super::planning::Planning;
use super::scope_arguments::scope_arguments;
use super::shown::shown_tree;

const NAME: &str = "copy_file";

const DESCRIPTION: &str = "Copy a file, symbolic link or directory (up to 100,000 entries, 4 GiB). `to` is the new path itself; nothing may be there \
     and its directory must exist. Returns counts.";

/// The most that one call copies: entries, and bytes.
const MOST_ENTRIES: u64 = 100_000;
const MOST_BYTES: u64 = 4 << 30;

#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    from: PathText,
    to: PathText,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
struct Output {
    from: String,
    to: String,
    /// `file`, `directory` or `symlink`.
    r#type: &'static str,
    /// Entries copied, itself included.
    total_count: u64,
    /// Bytes of all files.
    size: u64,
    /// Id of the change; absent in a preview.
    #[serde(skip_serializing_if = "Option::is_none")]
    change: Option<String>,
}

pub(super) fn tool(server: &Arc<FileServer>) -> Tool {
    changing::tool(server, NAME, DESCRIPTION, |planning, input: &Input| {
        plan(planning, &input.from, &input.to)
    })
    .title("Copy")
    .scope_arguments(scope_arguments(server, &["from", "to"]))
    .aliases(ALIASES)
    .declare(ToolRecord {
        scopes: vec!["read:file:{from}".to_owned(), "write:file:{to}".to_owned()],
        intent_template: Some("Copy {from} to {to}".to_owned()),
        secrets_exposure: Some(SecretsExposure::WritesSecretMaterial),
        cli_equivalent: Some("overt call fs copy_file from={from} to={to}".to_owned()),
        examples: vec![Example::from_json(
            "Keep a copy of a file",
            r#"{ "from": "config.toml", "to": "config.old.toml" }"#,
            r#"{
                    "from": "config.toml",
                    "to": "config.old.toml",
                    "type": "file",
                    "total_count": 1,
                    "size": 18,
                    "change": "c-1794757265123-3fa9c1"
                }"#,
        )],
        ..changing::record(server, Effect::Mutating, &[])
    })
}

fn plan(planning: &Planning<'_>, from: &str, to: &str) -> Result<PlannedChange<Output>, Unplanned> {
    let source = planning.view.place(from)?;
    let target = target(planning, to, Mounts::Cross)?;
    planning.take(&[&source, &target])?;
    if source.now.is_none() {
        return Err(FileError::system(rustix::io::Errno::NOENT, from).into());
    }
    if target.now.is_some() {
        return Err(occupied(&target, &source, to).into());
    }
    not_into_itself(&source, &target, to)?;
    let path = target.path();
    let seen = planning.scan(&source, TreePurpose::See, Some(&path), from)?;
    if seen.specials > 0 {
        return Err(special(from).into());
    }
    planning.check_hard_links(&seen, from)?;
    if seen.entries() > MOST_ENTRIES || seen.bytes > MOST_BYTES {
        return Err(FileError::new(
            code::TOO_LARGE,
            format!(
                "`{from}` has {} entries and {} bytes; one call copies at most {MOST_ENTRIES} entries and {MOST_BYTES} bytes",
                seen.entries(),
                seen.bytes
            ),
            "Copy its parts one by one.",
        )
        .into());
    }
    let (shown_from, shown_to) = (planning.view.shown(&source.path()), planning.view.shown(&path));
    let output = Output {
        from: shown_from.clone(),
        to: shown_to.clone(),
        r#type: seen.kind.word(),
        total_count: seen.entries(),
        size: seen.bytes,
        change: planning.settings.change.clone(),
    };
    let changes = vec![Change::copied(shown_from, shown_to, shown_tree(&seen))];
    let fingerprints = vec![seen.identity.clone()];
    let copy =
        Copy { from: source, to: target, scanned: seen, shown: from.to_owned(), shown_to: to.to_owned() };
    Ok(PlannedChange { act: Act::Copy(copy), output, changes, fingerprints, undoes: None })
}
