//! `revert_change`: what an earlier change left becomes what was there before it.
use std::collections::HashSet;
use std::fs::File;
use std::io::Read as _;
use std::sync::Arc;

use overt_policy::record::{Effect, Example, SecretsExposure, ToolRecord};
use overt_policy::setting::Values;
use overt_toolbox::{Body, Change, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::super::FileServer;
use super::super::error::{FileError, code};
use super::super::journal::{After, Before, Journal, Record, Step};
use super::super::space::{Kind, Mounts, Slot, Whole};
use super::super::write::{
    Act, Looking, Move, Old, Part, Put, Remove, Restore, Tree, Want, look as look_at, sha256,
};
use super::changing::{self, Desk, Planned, shown_bytes, shown_content, shown_tree};
use super::located::located;
use super::params::PathText;

const NAME: &str = "revert_change";

const INTENT: &str = "Undo [the change {change}] [the last change of {path}]";

const DESCRIPTION: &str = "Use to undo an earlier change of this server: give its `change`, which the tool that made it returned, or a `path` \
     to undo the last change of that path that is not undone yet: called again, it goes back further. Refuses if what the change left \
     was changed again since. The undoing is a change itself, and can be undone unless what the change had made is too large to be \
     kept. Returns what was undone, and its own `change`.";

#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    /// The change to undo, such as `c-1794757265123-3fa9c1`. Leave it out to give a `path`.
    change: Option<String>,
    /// The file or directory whose last change that is not undone yet is undone, if no `change` is given.
    path: Option<PathText>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
struct Output {
    /// The change that was undone.
    reverted: String,
    /// The tool that had made it.
    tool: String,
    /// What it was about.
    paths: Vec<String>,
    /// Undoes this with `revert_change`. Absent in a preview, and if what the change had made was too large to be kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    change: Option<String>,
}

/// A server without a journal has no such tool.
pub(super) fn tool(server: &Arc<FileServer>, journal: &Arc<Journal>) -> Tool {
    let (reading, finding) = (Arc::clone(journal), Arc::clone(journal));
    changing::tool(server, NAME, DESCRIPTION, move |desk: &Desk<'_>, input: &Input| {
        look(desk, &reading, input)
    })
    .title("Undo a change")
    .scope_arguments(about(server, finding))
    .declare(ToolRecord {
        overwrites: true,
        idempotent: Some(false),
        // It undoes itself, which a card can't say of a tool.
        reverse_method: None,
        scopes: vec!["write:file:{path}".to_owned()],
        intent_template: Some(INTENT.to_owned()),
        secrets_exposure: Some(SecretsExposure::WritesSecretMaterial),
        examples: vec![Example {
            description: "Undo the last change of a file".to_owned(),
            input: json!({ "path": "src/main.rs" }),
            output: None,
        }],
        ..changing::record(
            server,
            Effect::Mutating,
            &[code::UNKNOWN_CHANGE, code::TARGET_EXISTS, code::NOT_A_FILE, code::HARD_LINK],
        )
    })
}

/// Scopes are about the paths of the change, which only the journal knows.
fn about(
    server: &Arc<FileServer>,
    journal: Arc<Journal>,
) -> impl Fn(&Value, Option<&Values>) -> Value + Send + Sync + 'static {
    let whole = located(server, &["path"]);
    move |arguments, settings| {
        let mut arguments = arguments.clone();
        let id = arguments.get("change").and_then(Value::as_str);
        if let Some(Ok((record, _))) = id.map(|id| journal.find(id)) {
            arguments["path"] = record.step.paths().into();
        }
        whole(&arguments, settings)
    }
}

fn look(desk: &Desk<'_>, journal: &Journal, input: &Input) -> Result<Planned<Output>, FileError> {
    let (record, kept) = find(desk, journal, input)?;
    let undo = Undo { desk, journal, record: &record };
    let (act, changes, saw) = match &record.step {
        Step::Put { path, before: Some(before), after } => undo.content(path, before, after, kept)?,
        Step::Put { path, before: None, after } => undo.new_file(path, after)?,
        Step::Grown { folders, file } => undo.folders(folders, file.as_ref())?,
        Step::Removed { path, print } => undo.removed(path, print)?,
        Step::Moved { from, to, print } => undo.moved(from, to, print)?,
        Step::Made { path, print } => undo.made(path, print)?,
    };
    let paths = record.step.paths().into_iter().filter_map(Whole::from_system);
    let output = Output {
        reverted: record.id.clone(),
        tool: record.tool.clone(),
        paths: paths.map(|path| desk.view.shown(&path)).collect(),
        change: desk.terms.change.clone().filter(|_| act.is_kept()),
    };
    desk.taking.undo(record.id);
    Ok(Planned { act, output, changes, saw })
}

/// The change that is meant, if this call can see all that it is about.
fn find(desk: &Desk<'_>, journal: &Journal, input: &Input) -> Result<(Record, File), FileError> {
    let sees = |record: &Record| {
        let mut paths = record.step.paths().into_iter();
        // Whoever was granted only the writing of a path can undo what it wrote there.
        let is_known = |path: &Whole| desk.view.sees(path) || desk.view.may_change(path);
        paths.all(|path| Whole::from_system(path).is_some_and(|path| is_known(&path)))
    };
    match (&input.change, &input.path) {
        (Some(id), None) => {
            let found = journal.find(id)?;
            if sees(&found.0) { Ok(found) } else { Err(Journal::unknown(id)) }
        }
        (None, Some(path)) => {
            let whole = desk.view.whole(path)?;
            // From the last one on: what was undone is skipped with its undoing, unless that was undone in turn.
            let mut undone = HashSet::new();
            let is_meant = |record: &Record| {
                if undone.contains(&record.id) {
                    return false;
                }
                if let Some(earlier) = &record.undoes {
                    undone.insert(earlier.clone());
                    return false;
                }
                record.step.paths().contains(&whole.as_str()) && sees(record)
            };
            let record = journal.last(is_meant).ok_or_else(|| {
                FileError::new(
                    code::UNKNOWN_CHANGE,
                    format!("no change of `{}` is kept", &**path),
                    "Only what this server changed can be undone; use the path as the change had it.",
                )
            })?;
            journal.find(&record.id)
        }
        _ => Err(FileError::new(
            code::UNKNOWN_CHANGE,
            "give either `change` or `path`",
            "`change` is what a tool has returned; `path` is a file or directory whose last change is undone.",
        )),
    }
}

type Undoing = (Act, Vec<Change>, Vec<String>);

/// Undoes one change. Each part first sees whether what the change left is still there.
struct Undo<'a> {
    desk: &'a Desk<'a>,
    journal: &'a Journal,
    record: &'a Record,
}

impl Undo<'_> {
    fn content(&self, path: &str, before: &Before, after: &After, kept: File) -> Result<Undoing, FileError> {
        let (slot, shown) = self.slot(path)?;
        let old = self.left(&slot, &shown, after, Some(before))?;
        let size = before.size;
        let (part, body): (Part, Body) = if size <= self.desk.terms.edit_max_bytes {
            let mut bytes = Vec::new();
            let read = (&kept).take(size).read_to_end(&mut bytes);
            let is_whole = before.sha256.as_ref().is_none_or(|wanted| *wanted == sha256(&bytes));
            if read.is_err() || bytes.len() as u64 != size || !is_whole {
                return Err(self.damaged());
            }
            let body = shown_bytes(&bytes);
            (Part::Bytes(bytes), body)
        } else {
            (Part::File { file: kept, size }, overt_toolbox::Blob::new(size).into())
        };
        self.desk.check_room(old.facts().size, &shown)?;
        // Whoever may only write sees no more than sizes.
        let sees = self.desk.view.sees(&slot.path());
        let now = shown_content(old.content.as_ref().filter(|_| sees), old.facts().size);
        let body = if sees { body } else { overt_toolbox::Blob::new(size).into() };
        let saw = vec![old.identity()];
        let change = Change::edited(&shown, now, body);
        let put = Put { slot, old: Some(old), parts: vec![part], mode: before.mode, shown };
        Ok((Act::Put(put), vec![change], saw))
    }

    fn new_file(&self, path: &str, after: &After) -> Result<Undoing, FileError> {
        let (slot, shown) = self.slot(path)?;
        let old = self.left(&slot, &shown, after, None)?;
        let sees = self.desk.view.sees(&slot.path());
        let body = shown_content(old.content.as_ref().filter(|_| sees), old.facts().size);
        let seen = self.desk.look(&slot, Want::Change, None, &shown)?;
        self.remove(slot, seen, shown, body)
    }

    fn folders(&self, folders: &[String], file: Option<&(String, After)>) -> Result<Undoing, FileError> {
        let first = folders.first().ok_or_else(|| self.damaged())?;
        let (slot, shown) = self.slot(first)?;
        let seen = self.desk.look(&slot, Want::Change, None, &shown)?;
        let wanted = folders.len() + usize::from(file.is_some());
        if seen.kind != Kind::Folder
            || seen.entries() != wanted as u64
            || seen.folders != folders.len() as u64
        {
            return Err(self.changed(&shown));
        }
        if let Some((path, after)) = file {
            let (slot, shown) = self.slot(path)?;
            self.left(&slot, &shown, after, None)?;
        }
        let body = shown_tree(&seen);
        self.remove(slot, seen, shown, body)
    }

    fn made(&self, path: &str, print: &str) -> Result<Undoing, FileError> {
        let (slot, shown) = self.slot(path)?;
        if slot.now.is_none() {
            return Err(self.changed(&shown));
        }
        let seen = self.desk.look(&slot, Want::Change, None, &shown)?;
        if seen.print != print {
            return Err(self.changed(&shown));
        }
        let body = shown_tree(&seen);
        self.remove(slot, seen, shown, body)
    }

    fn remove(&self, slot: Slot, seen: Tree, shown: String, body: Body) -> Result<Undoing, FileError> {
        self.desk.take(&[&slot])?;
        self.desk.check_hard_links(&seen, &shown)?;
        // What a change of ours has made can go although it is too large to be kept.
        let keep = self.desk.check_kept(&slot, &seen, &shown).is_ok();
        let saw = vec![seen.identity.clone()];
        let change = Change::deleted(&shown, body);
        Ok((Act::Remove(Remove { slot, seen, shown, keep }), vec![change], saw))
    }

    fn removed(&self, path: &str, print: &str) -> Result<Undoing, FileError> {
        let (to, shown) = self.slot(path)?;
        if to.now.is_some() {
            return Err(self.changed(&shown));
        }
        let id = &self.record.id;
        if self.journal.has_kept(id).is_none() {
            return Err(Journal::unknown(id));
        }
        let target = to.path();
        let looking = Looking {
            view: self.desk.view,
            want: Want::Own,
            target: Some(&target),
            shown: &shown,
            stop: self.desk.stop,
        };
        let seen = look_at(&self.journal.folder, &Journal::kept_name(id), looking)?;
        self.desk.check_hard_links(&seen, &shown)?;
        let change = Change::created(&shown, shown_tree(&seen));
        let restore = Restore { id: id.clone(), to, print: print.to_owned(), bytes: seen.bytes, shown };
        Ok((Act::Restore(restore), vec![change], vec![seen.identity]))
    }

    fn moved(&self, from: &str, to: &str, print: &str) -> Result<Undoing, FileError> {
        let (source, shown) = self.slot(to)?;
        let (target, shown_to) = self.slot(from)?;
        self.desk.take(&[&source, &target])?;
        if !self.desk.view.sees(&source.path()) {
            return Err(FileError::hidden(&shown));
        }
        if source.now.is_none() {
            return Err(self.changed(&shown));
        }
        if target.now.is_some() && !super::super::write::is_same_name(&source, &target) {
            return Err(FileError::exists(&shown_to));
        }
        let seen = self.desk.look(&source, Want::Change, Some(&target.path()), &shown)?;
        if seen.print != print {
            return Err(self.changed(&shown));
        }
        self.desk.check_hard_links(&seen, &shown)?;
        let change = Change::moved(&shown, &shown_to, shown_tree(&seen));
        let saw = vec![seen.identity.clone()];
        Ok((Act::Move(Move { from: source, to: target, seen, shown, shown_to }), vec![change], saw))
    }

    /// A path of the change, and how it is shown. Claimed.
    fn slot(&self, path: &str) -> Result<(Slot, String), FileError> {
        let shown =
            Whole::from_system(path).map_or_else(|| path.to_owned(), |path| self.desk.view.shown(&path));
        // What was moved or deleted was on the file system of its root; whatever else was written may be on another one in it.
        let mounts = match self.record.step {
            Step::Moved { .. } | Step::Removed { .. } => Mounts::Stay,
            Step::Put { .. } | Step::Grown { .. } | Step::Made { .. } => Mounts::Cross,
        };
        let slot = self.desk.slot_itself(&shown, mounts)?;
        if !matches!(self.record.step, Step::Moved { .. } | Step::Grown { .. }) {
            self.desk.take(&[&slot])?;
        }
        Ok((slot, shown))
    }

    /// The file, if it is what the change left.
    fn left(
        &self,
        slot: &Slot,
        shown: &str,
        after: &After,
        before: Option<&Before>,
    ) -> Result<Old, FileError> {
        if slot.now.is_none_or(|facts| facts.kind != Kind::File) {
            return Err(self.changed(shown));
        }
        let old = Old::open(slot, self.desk.terms.hardlinks, self.desk.terms.edit_max_bytes, shown)?;
        let is = |size: u64| old.facts().size == size;
        if !is(after.size) && !before.is_some_and(|before| is(before.size)) {
            return Err(self.changed(shown));
        }
        let now = old.digest(&self.desk.server.disk, self.desk.stop, shown)?;
        if now == after.sha256 {
            return Ok(old);
        }
        // The record comes before the change: whoever was killed in between has written one without the other.
        if before.is_some_and(|before| before.sha256.as_ref() == Some(&now)) {
            return Err(FileError::new(
                code::CONFLICT,
                format!(
                    "`{shown}` is what it was before the change `{}`: there is nothing to undo",
                    self.record.id
                ),
                "Go on; the change was undone already, or never made.",
            ));
        }
        Err(self.changed(shown))
    }

    fn changed(&self, shown: &str) -> FileError {
        FileError::new(
            code::CONFLICT,
            format!(
                "`{shown}` is no longer what the change `{}` left, so nothing was undone",
                self.record.id
            ),
            "Undo the later changes first, the last one first, or edit what is there by hand.",
        )
    }

    fn damaged(&self) -> FileError {
        FileError::new(
            code::UNKNOWN_CHANGE,
            format!("what was kept for the change `{}` is damaged, so nothing was undone", self.record.id),
            "Edit what is there by hand.",
        )
    }
}

#[cfg(test)]
mod tests {
    use overt_policy::intent::{Template, sentence};

    use super::*;

    #[test]
    fn people_read_what_is_undone() {
        let template = Template::parse(INTENT);
        let said = |arguments: Value| sentence(Some(&template), NAME, &arguments);
        assert_eq!(said(json!({ "path": "a" })), "Undo the last change of \"a\"");
        assert_eq!(said(json!({ "change": "c-1-2" })), "Undo the change \"c-1-2\"");
    }
}
