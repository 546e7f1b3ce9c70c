//! The actions of clients, newest first: a line for each action, below a heading for each day.
//! Consecutive reads share a line.
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan as _, Zoned};
use overt_state::audit::{Action, End};
use overt_wire::json::JsonBuf;
use serde::Serialize;
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

use super::action_words::{
    client_name, ending, is_plain_read, project_name, reads, sentence, short_call, short_change,
};
use super::fold::folded;
use super::report::to_json;
use super::style::{DANGER, DIM, NAME, PLAIN, TITLE, paint};
use super::table::cut;

/// Maximum number of reads on one line, so that the first lines do not wait for the end of a long
/// run of reads.
const MOST_GROUPED: usize = 200;
/// Columns for the names of clients and of projects.
const CLIENT: usize = 12;
const PROJECT: usize = 10;
/// Maximum number of lines for an entry that says why a call was not made.
const MOST_LINES: usize = 4;
/// Minimum number of columns for the sentence, however narrow the terminal is.
const LEAST: usize = 16;

/// Formats actions as lines, one after the other.
#[derive(Debug)]
pub(crate) struct ActivityLines {
    now: Zoned,
    /// Terminal width in columns; `None` if nothing is cut.
    width: Option<usize>,
    day: Option<String>,
    group: Vec<Action>,
}

impl ActivityLines {
    pub(crate) fn new(now: Zoned, width: Option<usize>) -> Self {
        Self { now, width, day: None, group: Vec::new() }
    }

    /// Adds an action and returns the entries that are now complete. The first entry of a day
    /// begins with a line for the day.
    pub(crate) fn push(&mut self, action: Action) -> Vec<String> {
        let mut lines = Vec::new();
        if self.group.last().is_some_and(|last| !is_of_one_row(last, &action))
            || self.group.len() >= MOST_GROUPED
        {
            lines = self.finish();
        }
        let is_read = is_plain_read(&action);
        self.group.push(action);
        if !is_read {
            lines.extend(self.finish());
        }
        lines
    }

    /// Returns the entry for grouped reads that still wait for more.
    pub(crate) fn finish(&mut self) -> Vec<String> {
        let group = std::mem::take(&mut self.group);
        let Some(first) = group.first() else { return Vec::new() };
        let (day, time) = self.moment(&first.ts);
        let heading = match self.day.as_ref() == Some(&day) {
            true => String::new(),
            false => format!("{}\n", paint(TITLE, &day)),
        };
        self.day = Some(day);
        let words = if is_plain_read(first) { reads(&group) } else { sentence(first) };
        vec![format!("{heading}{}", self.line(first, &time, &words))]
    }

    fn line(&self, action: &Action, time: &str, words: &str) -> String {
        let (client, project) = (client_name(&action.client), project_name(action.project.as_deref()));
        let id = match &action.change {
            Some(change) => short_change(change),
            // Reads have no id here: there are many, and they are grouped.
            None if is_plain_read(action) => String::new(),
            None => short_call(&action.call),
        };
        let right: Vec<&str> = [ending(action), &id].into_iter().filter(|part| !part.is_empty()).collect();
        let right = right.join("  ");
        let style = match action.end {
            End::Refused(_) | End::Failed(_) | End::FailedBefore(_) => DANGER,
            End::Done | End::Open => DIM,
        };
        let begin = |client: &str, project: &str| {
            format!("{} {} {}", paint(DIM, time), paint(NAME, client), paint(PLAIN, project))
        };
        let Some(width) = self.width else {
            let end = if right.is_empty() { String::new() } else { format!("  {}", paint(style, &right)) };
            return format!("{}  {words}{end}", begin(&padded(&client, CLIENT), &padded(&project, PROJECT)));
        };
        let (client, project) =
            (padded(&cut(&client, CLIENT), CLIENT), padded(&cut(&project, PROJECT), PROJECT));
        let taken = time.width() + 1 + CLIENT + 1 + PROJECT + 2;
        let room =
            width.saturating_sub(taken + if right.is_empty() { 0 } else { right.width() + 2 }).max(LEAST);
        // A reason must be readable to its end; a path is cut in the middle, because both ends
        // matter most.
        let (words, more) = match action.end.reason() {
            Some(_) => wrapped(words, room),
            None => (cut_middle(words, room), Vec::new()),
        };
        let more: String = more.iter().map(|line| format!("\n{}{line}", " ".repeat(taken))).collect();
        if right.is_empty() {
            return format!("{}  {words}{more}", begin(&client, &project));
        }
        let words = padded(&words, room);
        format!("{}  {words}  {}{more}", begin(&client, &project), paint(style, &right))
    }

    /// The day in words, and the time of day.
    fn moment(&self, ts: &str) -> (String, String) {
        let Ok(moment) = ts.parse::<Timestamp>() else { return ("?".to_owned(), "--:--".to_owned()) };
        let moment = moment.to_zoned(self.now.time_zone().clone());
        let yesterday = self.now.date().checked_sub(1.day()).ok();
        let day = match moment.date() {
            day if day == self.now.date() => "TODAY".to_owned(),
            day if Some(day) == yesterday => "YESTERDAY".to_owned(),
            _ => moment.strftime("%A %Y-%m-%d").to_string(),
        };
        (day, moment.strftime("%H:%M").to_string())
    }
}

/// Whether two reads share a line.
fn is_of_one_row(one: &Action, other: &Action) -> bool {
    let of = |action: &Action| (action.client.clone(), action.project.clone(), action.server.clone());
    let day = |action: &Action| {
        action.ts.parse::<Timestamp>().map(|moment| moment.to_zoned(TimeZone::system()).date()).ok()
    };
    is_plain_read(one) && is_plain_read(other) && of(one) == of(other) && day(one) == day(other)
}

fn padded(text: &str, width: usize) -> String {
    format!("{text}{}", " ".repeat(width.saturating_sub(text.width())))
}

/// Wraps a text to `width` columns and returns the first line and the other lines. A text that
/// exceeds the last line is cut there.
fn wrapped(text: &str, width: usize) -> (String, Vec<String>) {
    let mut lines = folded(text, width);
    let rest = lines.split_off(lines.len().min(MOST_LINES - 1)).join(" ");
    let mut lines: Vec<String> = lines.iter().map(|line| cut_middle(line, width)).collect();
    if !rest.is_empty() {
        lines.push(cut(&rest, width));
    }
    let mut lines = lines.into_iter();
    (lines.next().unwrap_or_default(), lines.collect())
}

/// Cuts a text to `width` columns: keeps the beginning and the end, with `…` between them.
fn cut_middle(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let room = width.saturating_sub(1);
    let (head, tail) = (room - room / 3, room / 3);
    let take = |chars: &mut dyn Iterator<Item = char>, room: usize| {
        let mut used = 0;
        chars
            .take_while(|c| {
                used += c.width().unwrap_or(0);
                used <= room
            })
            .collect::<String>()
    };
    let begin = take(&mut text.chars(), head);
    let end: String = take(&mut text.chars().rev(), tail).chars().rev().collect();
    format!("{begin}…{end}")
}

/// One action, for programs.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct ActionData<'a> {
    time: &'a str,
    log: &'a str,
    call: &'a str,
    client: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    project: Option<&'a str>,
    server: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    server_id: Option<&'a str>,
    method: &'a str,
    target: &'a str,
    sentence: &'a str,
    outcome: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'a str>,
    only_reads: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    preview: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    change: Option<&'a str>,
    changes: &'a [String],
    needed: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    grant: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    trust: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    session: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    microseconds: Option<u64>,
}

pub(crate) fn action_json(action: &Action) -> JsonBuf {
    to_json(&ActionData {
        time: &action.ts,
        log: &action.log,
        call: &action.call,
        client: &action.client,
        project: action.project.as_deref(),
        server: &action.server,
        server_id: action.server_id.as_deref(),
        method: &action.method,
        target: &action.target,
        sentence: &action.sentence,
        outcome: action.end.word(),
        reason: action.end.reason(),
        only_reads: action.only_reads,
        preview: action.is_preview.then_some(true),
        change: action.change.as_deref(),
        changes: &action.changes,
        needed: &action.needed,
        grant: action.grant.as_deref(),
        trust: action.trust.as_deref(),
        session: action.session.as_deref(),
        microseconds: action.micros,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn action(time: &str, target: &str, only_reads: bool) -> Action {
        Action {
            log: "overt-fs".to_owned(),
            ts: format!("2026-11-16T{time}:00.000000Z"),
            call: "Yc6yh0IEygKG3adaRgOupCMWT_TKZzW7.4".to_owned(),
            client: "Claude Code 2.0".to_owned(),
            project: Some("/home/ada/site".to_owned()),
            server: "overt-fs".to_owned(),
            server_id: None,
            target: target.to_owned(),
            method: "tools/call".to_owned(),
            sentence: format!("Use {target} on a rather long path that does not fit anywhere at all"),
            changes: Vec::new(),
            change: None,
            effect: None,
            basis: None,
            only_reads,
            is_preview: false,
            session: None,
            needed: Vec::new(),
            grant: None,
            trust: None,
            end: End::Done,
            micros: None,
        }
    }

    fn lines(actions: Vec<Action>, width: Option<usize>) -> Vec<String> {
        let now: Zoned = "2026-11-16T18:00:00+00:00[UTC]".parse().unwrap();
        let mut lines = ActivityLines::new(now, width);
        let mut all: Vec<String> = actions.into_iter().flat_map(|action| lines.push(action)).collect();
        all.extend(lines.finish());
        all.iter().map(|entry| anstream::adapter::strip_str(entry).to_string()).collect()
    }

    #[test]
    fn reads_in_a_row_are_one_line_and_changes_are_not() {
        let changed = |time: &str| Action {
            changes: vec!["src/app.ts +4 -3".to_owned(), "src/routes.ts +1 -1".to_owned()],
            change: Some("c-1794757265123-3fa9c1".to_owned()),
            grant: Some("g-1".to_owned()),
            ..action(time, "edit_file", false)
        };
        let refused = Action {
            end: End::Refused("outside the served folders".to_owned()),
            sentence: "Read \"/etc/passwd\"".to_owned(),
            ..action("13:51", "read_file", true)
        };
        let mut old = action("10:00", "read_file", true);
        old.ts = old.ts.replace("-16T", "-15T");
        let actions = vec![
            changed("14:03"),
            changed("14:03"),
            action("14:02", "read_file", true),
            action("14:01", "read_file", true),
            action("14:01", "list_directory", true),
            refused,
            action("13:50", "read_file", true),
            old,
        ];
        insta::assert_snapshot!(lines(actions.clone(), Some(80)).join("\n"), @r#"
        TODAY
        14:03 Claude Code  site        edited src/app.ts +4…s.ts +1 -1  by you  c-3fa9c1
        14:03 Claude Code  site        edited src/app.ts +4…s.ts +1 -1  by you  c-3fa9c1
        14:02 Claude Code  site        3 reads: read_file ×2, list_directory
        13:51 Claude Code  site        tried: Read "/etc/passwd":    refused  a-TKZzW7.4
                                       outside the served folders
        13:50 Claude Code  site        Use read_file on a rather long p… anywhere at all
        YESTERDAY
        10:00 Claude Code  site        Use read_file on a rather long p… anywhere at all
        "#);
        assert!(
            lines(actions.clone(), Some(80))
                .iter()
                .flat_map(|entry| entry.lines())
                .all(|line| line.width() <= 80)
        );
        insta::assert_snapshot!(lines(actions, None).join("\n"), @r#"
        TODAY
        14:03 Claude Code  site        edited src/app.ts +4 -3, src/routes.ts +1 -1  by you  c-3fa9c1
        14:03 Claude Code  site        edited src/app.ts +4 -3, src/routes.ts +1 -1  by you  c-3fa9c1
        14:02 Claude Code  site        3 reads: read_file ×2, list_directory
        13:51 Claude Code  site        tried: Read "/etc/passwd": outside the served folders  refused  a-TKZzW7.4
        13:50 Claude Code  site        Use read_file on a rather long path that does not fit anywhere at all
        YESTERDAY
        10:00 Claude Code  site        Use read_file on a rather long path that does not fit anywhere at all
        "#);
    }

    #[test]
    fn u_06_a_preview_and_a_refusal_have_lines_of_their_own() {
        let preview = Action { is_preview: true, ..action("14:01", "edit_file", true) };
        let refused = Action {
            end: End::Refused(
                "Not done: `delete_file` needs the user's approval. Tell the user what you want. Then repeat it."
                    .to_owned(),
            ),
            sentence: "Delete \"a.txt\"".to_owned(),
            ..action("13:51", "delete_file", false)
        };
        let read = action("14:02", "read_file", true);
        insta::assert_snapshot!(lines(vec![read, preview, refused], None).join("\n"), @r#"
        TODAY
        14:02 Claude Code  site        Use read_file on a rather long path that does not fit anywhere at all
        14:01 Claude Code  site        previewed: Use edit_file on a rather long path that does not fit anywhere at all  a-TKZzW7.4
        13:51 Claude Code  site        tried: Delete "a.txt": `delete_file` needs the user's approval  refused  a-TKZzW7.4
        "#);
    }

    #[test]
    fn a_long_row_of_reads_does_not_hold_up_the_first_lines() {
        let actions = vec![action("14:02", "read_file", true); MOST_GROUPED * 2 + 1];
        let all = lines(actions, None);
        assert_eq!(all.len(), 3, "{all:?}");
    }

    #[test]
    fn a_cut_keeps_both_ends() {
        assert_eq!(cut_middle("abcdefghij", 10), "abcdefghij");
        assert_eq!(cut_middle("abcdefghijk", 10), "abcdef…ijk");
        assert_eq!(cut_middle("日本語日本語", 7), "日本…語");
    }
}
