//! Formats changes that can be undone, as text and as JSON.
use jiff::{Timestamp, Zoned, tz::TimeZone};
use overt_servers::files::{PastChange, PlannedUndo};
use overt_wire::json::{Array, JsonBuf, Object};

use super::action_words::{changes, client_name, project_name, short_change};
use super::patch::patch_text;
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

pub(crate) fn changes_text(rows: &[ChangeRow], width: Option<usize>) -> String {
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

pub(crate) fn changes_json(rows: &[ChangeRow]) -> JsonBuf {
    let rows = rows.iter().fold(Array::new(), |array, ChangeRow { change, possible }| {
        let object = change_json(change);
        let object = match possible {
            UndoPossibility::Yes => object.raw("canUndo", "true"),
            UndoPossibility::After(later) => object.raw("canUndo", "false").string("after", later),
            UndoPossibility::No(why) => object.raw("canUndo", "false").string("why", why),
        };
        array.json(object.finish().as_json())
    });
    Object::new().json("changes", rows.finish().as_json()).finish()
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

/// Changes as JSON, each with the change that undid it.
pub(crate) fn undone_json(name: &str, changes: &[(&PastChange, Option<&str>)]) -> JsonBuf {
    let changes = changes.iter().fold(Array::new(), |array, (change, by)| {
        array.json(change_json(change).maybe("undoneBy", *by).finish().as_json())
    });
    Object::new().json(name, changes.finish().as_json()).finish()
}

fn change_json(change: &PastChange) -> Object {
    Object::new()
        .string("change", &change.id)
        .maybe("time", Timestamp::try_from(change.at).ok().map(|at| at.to_string()))
        .string("tool", &change.tool)
        .maybe("client", change.client.as_deref())
        .maybe("project", change.project.as_deref())
        .maybe("session", change.session.as_deref())
        .string("what", change.what)
        .value("paths", &change.paths)
        .value("changes", &change.lines)
        .maybe("undoes", change.undoes.as_deref())
        .raw("undone", if change.is_undone { "true" } else { "false" })
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
