//! The changes of a plan, drawn before anything happens: as JSON, as a unified diff, as a page, and in counts and lines.
use overt_layers::description::{Irreversible, PlanSummary};
use overt_wire::json::JsonBuf;

use super::super::change::{Change, Kind};
use super::diff::Diff;
use super::{page, structured, unified, words};

/// What there is to look at, drawn before anything happens.
#[derive(Debug)]
pub(in super::super) struct Drawn {
    /// What changes, for programs.
    pub(super) diff: JsonBuf,
    /// None where nothing changes.
    pub(super) sheets: Option<Sheets>,
    /// The changes in counts and lines, for questions and records.
    counts: PlanSummary,
}

#[derive(Debug)]
pub(super) struct Sheets {
    pub(super) diff: String,
    pub(super) page: String,
}

fn counts(diffs: &[Diff<'_>]) -> PlanSummary {
    let mut summary = PlanSummary::default();
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

/// Changes as people read them, outside of any call: a line for each, and a unified diff.
pub fn describe_changes(changes: &[Change]) -> PlanSummary {
    let diffs: Vec<Diff<'_>> = changes.iter().map(Diff::of).collect();
    PlanSummary { diff: unified::write(&diffs), ..counts(&diffs) }
}

/// Lines of a text that a change left, with their place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedLines {
    /// Counted from 1.
    pub start_line: usize,
    /// With `\n` between lines and none at the end.
    pub text: String,
}

/// The lines that a change of a text made, as they are afterwards, with so many unchanged ones around each.
pub fn changed_lines(change: &Change, around: usize) -> Vec<ChangedLines> {
    let diff = Diff::of(change);
    let of_hunk = |hunk: super::diff::Hunk<'_>| {
        let now = hunk.lines.iter().filter(|line| line.side != super::diff::Side::Old);
        let lines: Vec<&str> = now.map(|line| line.text.strip_suffix('\r').unwrap_or(line.text)).collect();
        ChangedLines { start_line: hunk.new_start, text: lines.join("\n") }
    };
    diff.hunks(around).map(of_hunk).collect()
}

/// Changes of one plan that a question or a record names.
const MOST_LINES: usize = 12;

impl Drawn {
    /// The diff and the page; empty where nothing changes.
    pub(in super::super) fn sheets(&self) -> (&str, &str) {
        self.sheets.as_ref().map_or(("", ""), |sheets| (&sheets.diff, &sheets.page))
    }

    /// The changes in counts and lines.
    pub(in super::super) fn counts(&self) -> &PlanSummary {
        &self.counts
    }

    pub(in super::super) fn of(tool: &str, changes: &[Change], irreversible: Option<Irreversible>) -> Self {
        let diffs: Vec<Diff<'_>> = changes.iter().map(Diff::of).collect();
        let why = irreversible.as_ref().map(|irreversible| irreversible.why.as_str());
        let sheets = || Sheets { diff: unified::write(&diffs), page: page::write(tool, &diffs, why) };
        Self {
            diff: JsonBuf::of(&structured::write(&diffs)).unwrap_or_else(|_| JsonBuf::empty_object()),
            sheets: (!diffs.is_empty()).then(sheets),
            counts: PlanSummary { irreversible, ..counts(&diffs) },
        }
    }
}
