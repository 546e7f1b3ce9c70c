//! Shows what a past change did.
use overt_settings::Regions;
use overt_toolbox::{Body, Change, describe_changes};

use super::super::access::{Mounts, View};
use super::super::file_digest::FileDigest;
use super::super::journal::{After, Record, RecordedStep};
use super::super::tools::shown_bytes;
use super::super::write::OldFile;
use super::batch::{OwnerPlanning, open, roots_of};
use super::chain::{content, is_left, kept};
use super::history::History;

impl History {
    /// Returns the change as a unified diff. `None` if one of its two sides no longer exists, or if
    /// the change has no text.
    pub fn diff_of(&self, id: &str) -> Option<String> {
        let (record, _) = self.journal.find(id).ok().filter(|(record, _)| record.irreversible.is_none())?;
        if let RecordedStep::PutAll { puts } = &record.step {
            let changes = puts.iter().enumerate().map(|(index, put)| {
                let now = self.left_by(&record, &put.path, &put.after)?;
                let then = kept(&self.journal, &record, index, &put.before)?;
                Some(Change::edited(&put.path, then, now))
            });
            let changes = changes.collect::<Option<Vec<_>>>()?;
            return Some(describe_changes(&changes).diff).filter(|diff| !diff.is_empty());
        }
        let RecordedStep::Put { path, before, after } = &record.step else { return None };
        let now = self.left_by(&record, path, after)?;
        let change = match before {
            Some(before) => Change::edited(path, content(&self.journal, &record, before)?, now),
            None => Change::created(path, now),
        };
        Some(describe_changes(&[change]).diff).filter(|diff| !diff.is_empty())
    }

    /// Returns a unified diff from the content before the change to the current content, for a
    /// change whose result was changed by another program. `None` if one of the two sides can't be
    /// read.
    pub fn diff_to_now(&self, id: &str) -> Option<String> {
        let (record, _) = self.journal.find(id).ok().filter(|(record, _)| record.irreversible.is_none())?;
        let changes = match &record.step {
            RecordedStep::PutAll { puts } => {
                let each = puts.iter().enumerate().map(|(index, put)| {
                    let then = kept(&self.journal, &record, index, &put.before)?;
                    Some(Change::edited(&put.path, then, self.content_now(&record, &put.path, |_| true)?))
                });
                each.collect::<Option<Vec<_>>>()?
            }
            RecordedStep::Put { path, before: Some(before), .. } => {
                let then = content(&self.journal, &record, before)?;
                vec![Change::edited(path, then, self.content_now(&record, path, |_| true)?)]
            }
            _ => return None,
        };
        Some(describe_changes(&changes).diff).filter(|diff| !diff.is_empty())
    }

    /// Returns what the change left: from the next change of the path, which has kept it, or from
    /// the file, if that is unchanged.
    fn left_by(&self, record: &Record, path: &str, after: &After) -> Option<Body> {
        let is_next = |later: &Record| match &later.step {
            RecordedStep::Put { path: same, before: Some(before), .. } => {
                same == path && later.irreversible.is_none() && is_left(before, after)
            }
            _ => false,
        };
        let next = self.journal.all().take_while(|later| later.id > record.id).find(is_next);
        if let Some(next) = next
            && let RecordedStep::Put { before: Some(before), .. } = &next.step
        {
            return content(&self.journal, &next, before);
        }
        self.content_now(record, path, |content| FileDigest::of(content) == after.digest)
    }

    /// Returns the current content of a file of the change, if `is_wanted` accepts it.
    fn content_now(&self, record: &Record, path: &str, is_wanted: impl Fn(&[u8]) -> bool) -> Option<Body> {
        let server = open(roots_of(record).ok()?, &self.folder).ok()?;
        let view = View::of_regions(&server.roots, Regions::top()).showing_absolute_paths();
        let owner = OwnerPlanning::new(&server, &view, None);
        let planning = owner.planning();
        let slot = planning.slot_itself(path, Mounts::Cross).ok()?;
        let old =
            OldFile::open(&slot, planning.settings.hardlinks, planning.settings.edit_max_bytes, path).ok()?;
        let content = old.content.filter(|content| is_wanted(&content.bytes))?;
        Some(shown_bytes(&content.bytes))
    }
}
