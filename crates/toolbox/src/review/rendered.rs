//! The changes of a call for people and programs, rendered before they are made.
use overt_layers::description::PlanSummary;
use overt_wire::json::{Json, JsonBuf, Object};

use super::super::change::{Change, Kind};
use super::diff::{Diff, Hunk, Side};
use super::facts::Facts;
use super::page::Page;
use super::{structured, unified, words};

/// The most changes of a plan that a question or a record lists.
const MOST_LINES: usize = 12;

/// What the page says about files that can start programs.
const STARTS: &str = "This can start programs or permit tools";

/// The changes of a call in every form.
#[derive(Debug)]
pub(in super::super) struct RenderedChanges {
    /// The changes as JSON, for programs.
    pub(super) structured: JsonBuf,
    /// `None` if nothing changes.
    pub(super) documents: Option<Documents>,
    summary: PlanSummary,
}

/// The forms that people can look at.
#[derive(Debug)]
pub(super) struct Documents {
    pub(super) diff: String,
    pub(super) page: Page,
}

impl RenderedChanges {
    pub(in super::super) fn render(tool: &str, changes: &[Change], said: PlanSummary) -> Self {
        let diffs: Vec<Diff<'_>> = changes.iter().map(Diff::of).collect();
        let reason = said.irreversible.as_ref().map(|irreversible| irreversible.why.as_str());
        let warnings = [("This can’t be undone", reason), (STARTS, said.guarded.as_deref())];
        let documents =
            || Documents { diff: unified::write(&diffs), page: Page::render(tool, &diffs, &warnings) };
        Self {
            structured: JsonBuf::of(&structured::write(&diffs)).unwrap_or_else(|_| JsonBuf::empty_object()),
            documents: (!diffs.is_empty()).then(documents),
            summary: summary(said, &diffs),
        }
    }

    /// Writes the changes for another process.
    pub(in super::super) fn write(&self) -> JsonBuf {
        let json =
            Object::new().json("structured", self.structured.as_json()).value("summary", &self.summary);
        match &self.documents {
            Some(Documents { diff, page }) => json.string("diff", diff).value("page", page).finish(),
            None => json.finish(),
        }
    }

    /// Reads what [`write`](Self::write) wrote.
    pub(in super::super) fn read(json: Json<'_>) -> Option<Self> {
        let documents = match json.get("page").value() {
            Some(page) => {
                Some(Documents { diff: json.get("diff").string()?.into_owned(), page: page.read().ok()? })
            }
            None => None,
        };
        let structured = json.get("structured").value()?.to_buf();
        Some(Self { structured, documents, summary: json.get("summary").value()?.read().ok()? })
    }

    /// Returns the changes as counts and lines, without diff and page.
    pub(in super::super) fn summary(&self) -> &PlanSummary {
        &self.summary
    }

    /// Returns the summary with diff and page. Both are empty if nothing changes.
    pub(in super::super) fn full_summary(&self, facts: &Facts) -> PlanSummary {
        let Some(Documents { diff, page }) = &self.documents else { return self.summary.clone() };
        PlanSummary { diff: diff.clone(), page: page.with(facts), ..self.summary.clone() }
    }
}

/// Describes changes for people outside of any call: a line for each change, and a unified diff.
pub fn describe_changes(changes: &[Change]) -> PlanSummary {
    let diffs: Vec<Diff<'_>> = changes.iter().map(Diff::of).collect();
    PlanSummary { diff: unified::write(&diffs), ..summary(PlanSummary::default(), &diffs) }
}

/// Adds the changes to what is said about them.
fn summary(mut summary: PlanSummary, diffs: &[Diff<'_>]) -> PlanSummary {
    for diff in diffs {
        match diff.change.kind() {
            Kind::Created | Kind::Copied => summary.created += 1,
            Kind::Edited => summary.changed += 1,
            Kind::Deleted => summary.deleted += 1,
            Kind::Moved => summary.moved += 1,
        }
        if summary.changes.len() < MOST_LINES {
            summary.changes.push(words::summary(diff));
        }
    }
    summary
}

/// Lines of a text after a change, with their position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedLines {
    /// The number of the first line. Numbers start at 1.
    pub start_line: usize,
    /// The lines, joined by `\n`, without a final `\n`.
    pub text: String,
}

/// Returns the lines that a change of a text made, as they are after the change, with up to
/// `around` unchanged lines on both sides.
pub fn changed_lines(change: &Change, around: usize) -> Vec<ChangedLines> {
    let diff = Diff::of(change);
    let of_hunk = |hunk: Hunk<'_>| {
        let now = hunk.lines.iter().filter(|line| line.side != Side::Old);
        let lines: Vec<&str> = now.map(|line| line.text.strip_suffix('\r').unwrap_or(line.text)).collect();
        ChangedLines { start_line: hunk.new_start, text: lines.join("\n") }
    };
    diff.hunks(around).map(of_hunk).collect()
}
