//! Formats changes that can be undone, as text and as JSON.
use jiff::{Timestamp, Zoned, tz::TimeZone};
use overt_servers::files::{PastChange, PlannedUndo};
use serde::Serialize;

use super::action_words::{changes, client_name, project_name, short_change};
use super::patch::patch_text;
use super::report::Report;
use super::safe::one_line;
use super::style::{DIM, NAME, PLAIN, TITLE, WARNING, paint};
use super::table::{Cell, Table};

/// A change, and whether it can be undone.
#[derive(Debug)]
pub(crate) struct ChangeRow {
    pub(crate) change: PastChange,
    pub(crate) possible: UndoPossibility,
}

#[derive(Debug)]
pub(crate) enum UndoPossibility {
    Yes,
    /// Only after this later change is undone.
    After(String),
    /// Not possible, for this reason.
    No(String),
}

fn changes_text(rows: &[ChangeRow], width: Option<usize>) -> String {
    let mut table = Table::new(vec!["CHANGE", "TIME", "CLIENT", "PROJECT", "SESSION", "UNDO", "WHAT"]);
    for ChangeRow { change, possible } in rows {
        let (word, style) = match possible {
            UndoPossibility::Yes => ("yes".to_owned(), PLAIN),
            UndoPossibility::After(later) => (format!("after {}", short_change(later)), PLAIN),
            UndoPossibility::No(why) => (format!("no: {}", one_line(why)), WARNING),
        };
        table.row(vec![
            Cell::new(change.short_id(), NAME),
            Cell::new(time(change), DIM),
            Cell::new(client_name(change.client.as_deref().unwrap_or_default()), PLAIN),
            Cell::new(project_name(change.project.as_deref()), PLAIN),
            Cell::new(session_beginning(change.session.as_deref().unwrap_or_default()), DIM),
            Cell::new(word, style),
            Cell::new(what(change), PLAIN),
        ]);
    }
    table.render(width)
}

/// The answer of `overt undo --list`.
#[derive(Debug, Serialize)]
pub(crate) struct ChangesReport<'a> {
    changes: Vec<ChangeData<'a>>,
    #[serde(skip)]
    rows: &'a [ChangeRow],
}

/// The changes that `overt undo` undid, each with the change that undid it, or would undo.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum UndoneReport<'a> {
    WouldUndo(Vec<ChangeData<'a>>),
    Undone(Vec<ChangeData<'a>>),
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ChangeData<'a> {
    change: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    time: Option<String>,
    tool: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    client: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    project: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    session: Option<&'a str>,
    what: &'a str,
    paths: &'a [String],
    changes: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    undoes: Option<&'a str>,
    undone: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    can_undo: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    after: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    undone_by: Option<&'a str>,
}

impl<'a> ChangesReport<'a> {
    pub(crate) fn new(rows: &'a [ChangeRow]) -> Self {
        let changes = rows.iter().map(|ChangeRow { change, possible }| {
            let (after, why) = match possible {
                UndoPossibility::Yes => (None, None),
                UndoPossibility::After(later) => (Some(later.as_str()), None),
                UndoPossibility::No(why) => (None, Some(why.as_str())),
            };
            let can_undo = Some(matches!(possible, UndoPossibility::Yes));
            ChangeData { can_undo, after, why, ..ChangeData::new(change, None) }
        });
        Self { changes: changes.collect(), rows }
    }
}

impl Report for ChangesReport<'_> {
    fn text(&self, width: Option<usize>) -> String {
        if self.rows.is_empty() { String::new() } else { changes_text(self.rows, width) }
    }

    fn remark(&self) -> Option<String> {
        let nothing = "no change is left to undo; `overt log` has everything that was done";
        self.rows.is_empty().then(|| nothing.to_owned())
    }
}

impl<'a> ChangeData<'a> {
    pub(crate) fn new(change: &'a PastChange, undone_by: Option<&'a str>) -> Self {
        Self {
            change: &change.id,
            time: Timestamp::try_from(change.at).ok().map(|at| at.to_string()),
            tool: &change.tool,
            client: change.client.as_deref(),
            project: change.project.as_deref(),
            session: change.session.as_deref(),
            what: change.what,
            paths: &change.paths,
            changes: &change.lines,
            undoes: change.undoes.as_deref(),
            undone: change.is_undone,
            can_undo: None,
            after: None,
            why: None,
            undone_by,
        }
    }
}

/// What undoing a change will do: a line for the change, and the diff.
pub(crate) fn planned_text(planned: &PlannedUndo) -> String {
    let change = &planned.change;
    let client = client_name(change.client.as_deref().unwrap_or_default());
    let mut out = format!(
        "{}  {}  {client}  {}\n",
        paint(NAME, change.short_id()),
        paint(DIM, time(change)),
        paint(TITLE, what(change))
    );
    match planned.diff.as_str() {
        "" => planned.lines.iter().for_each(|line| out.push_str(&format!("  {}\n", one_line(line)))),
        diff => out.push_str(&patch_text(diff)),
    }
    out
}

fn what(change: &PastChange) -> String {
    match (change.lines.as_slice(), &change.undoes) {
        (_, Some(undone)) => format!("undid {}", short_change(undone)),
        ([], None) => one_line(&format!("{} {}", change.what, change.paths.join(", "))),
        (lines, None) => changes(lines),
    }
}

/// The beginning of a session's id, long enough to name the session.
fn session_beginning(id: &str) -> String {
    one_line(id).chars().take(12).collect()
}

/// The time of a change, with the date unless it is today.
fn time(change: &PastChange) -> String {
    let Ok(at) = Timestamp::try_from(change.at) else { return "?".to_owned() };
    let at = at.to_zoned(TimeZone::system());
    let is_today = at.date() == Zoned::now().date();
    at.strftime(if is_today { "%H:%M" } else { "%Y-%m-%d %H:%M" }).to_string()
}
