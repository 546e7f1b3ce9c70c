//! Etags, which identify the state of a file. `read_file` returns the etag, and `write_file` and
//! `edit_file` refuse if the file has changed since. For a small file the etag depends on the
//! content, for a large one on size and time.
use super::super::access::{Facts, OpenFile};
use super::super::error::{FileError, code};
use super::super::file_digest::FileDigest;
use super::super::journal::RecordedStep;
use super::super::read::Bytes;
use super::super::write::OldFile;
use super::params::IfEtag;
use super::planning::Planning;
use super::walking::moment;
use overt_toolbox::{Change, describe_changes};

/// Digits of the digest in an etag.
const DIGITS: usize = 16;
/// Most bytes of the diff that shows what changed.
const MOST_DIFF: usize = 4096;
/// Most earlier changes that are searched for the content that was read.
const MOST_RECORDS: usize = 200;

/// Returns the etag of a file that was read.
pub(super) fn of_file(opened: &OpenFile, bytes: &dyn Bytes) -> String {
    match bytes.in_memory() {
        Some(bytes) if bytes.len() as u64 == opened.facts.size => of_bytes(bytes),
        _ => of_facts(&opened.facts),
    }
}

/// Returns the etag of content.
pub(super) fn of_bytes(bytes: &[u8]) -> String {
    of_digest(FileDigest::of(bytes))
}

fn of_digest(digest: FileDigest) -> String {
    format!("s-{}", &digest.hex()[..DIGITS])
}

fn of_facts(facts: &Facts) -> String {
    format!("m-{:x}-{:x}-{:x}", facts.size, facts.modified, facts.inode)
}

/// Fails if the file has changed since the etag was returned, and says what changed. `old` is
/// `None` if there is no file.
pub(super) fn check(
    planning: &Planning<'_>,
    if_etag: Option<&IfEtag>,
    old: Option<&OldFile>,
    shown: &str,
) -> Result<(), FileError> {
    let Some(IfEtag(wanted)) = if_etag else { return Ok(()) };
    let Some(old) = old else {
        return Err(FileError::new(
            code::CONFLICT,
            format!("`{shown}` does not exist any more, although `if_etag` was given; nothing was changed"),
            "Leave `if_etag` out to create the file.",
        ));
    };
    let now = match wanted.starts_with("m-") {
        true => of_facts(old.facts()),
        false => of_digest(old.digest(&planning.server.disk, planning.stop, shown)?),
    };
    if now == wanted.trim() {
        return Ok(());
    }
    let since = changed_since(planning, wanted, old, shown).unwrap_or_default();
    Err(FileError::new(
        code::CONFLICT,
        format!(
            "`{shown}` was changed since it was read: it has {} bytes now and was last changed {}; nothing was changed by this call{since}",
            old.facts().size,
            moment(old.facts().modified),
        ),
        format!("Read it again and repeat the change on what is there now, with `if_etag` `{now}`."),
    ))
}

/// Returns what changed since the file was read, as a diff. `None` if the content that was read is
/// no longer known, or if the caller may not read the file.
fn changed_since(planning: &Planning<'_>, etag: &str, old: &OldFile, shown: &str) -> Option<String> {
    let path = &old.open.path;
    let now = std::str::from_utf8(&old.content.as_ref()?.bytes).ok().filter(|_| planning.view.sees(path))?;
    let before = planning.server.recent.get(etag).or_else(|| kept(planning, etag, path.as_str()))?;
    let before = std::str::from_utf8(&before).ok()?;
    let mut diff = describe_changes(&[Change::edited(shown, before, now)]).diff;
    if diff.is_empty() {
        return None;
    }
    if diff.len() > MOST_DIFF {
        let end = (0..=MOST_DIFF).rev().find(|end| diff.is_char_boundary(*end)).unwrap_or(0);
        diff.truncate(end);
        diff.push_str("\n[the rest is left out]");
    }
    Some(format!(". What changed since:\n{diff}\n"))
}

/// Returns the content that was read, if the journal kept it when this server changed the file.
fn kept(planning: &Planning<'_>, etag: &str, path: &str) -> Option<std::sync::Arc<Vec<u8>>> {
    use std::io::Read as _;
    let journal = planning.server.journal.as_deref()?;
    let record = journal.all().take(MOST_RECORDS).find(|record| match &record.step {
        RecordedStep::Put { path: same, before: Some(before), .. } => {
            same == path
                && record.irreversible.is_none()
                && before.digest.is_some_and(|digest| of_digest(digest) == etag)
        }
        _ => false,
    })?;
    let RecordedStep::Put { before: Some(before), .. } = &record.step else { return None };
    let (_, kept) = journal.find(&record.id).ok()?;
    let mut bytes = Vec::new();
    kept.take(before.size.min(planning.settings.edit_max_bytes)).read_to_end(&mut bytes).ok()?;
    Some(bytes.into())
}
