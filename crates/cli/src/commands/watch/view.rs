//! Draws the inbox: the questions at the top, all of the selected one below, the keys at the
//! bottom. Pure: it writes into a buffer.
use jiff::Timestamp;
use jiff::tz::TimeZone;
use overt_layers::grants::PendingQuestion;
use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;
use ratatui_core::style::{Color, Modifier, Style};
use unicode_width::UnicodeWidthStr as _;

use super::call_row::{call_text, waits};
use super::details::RowKind;
use super::inbox::{Focus, Inbox, group};
use super::totals::DayTotals;
use crate::output::{hanging, one_line};
use overt_operator::inbox::{OF_CALLS, OF_TRUST, Reply, letters_of};

/// What the view shows besides the inbox.
#[derive(Debug)]
pub(super) struct ViewContext {
    pub(super) zone: TimeZone,
    /// The person's home folder, which is abbreviated as `~`.
    pub(super) home: Option<String>,
    /// Why nothing can be answered here; `None` if answers are possible.
    pub(super) read_only: Option<String>,
    /// The servers that Overt was put in front of and no longer is, a line for each.
    pub(super) unwrapped: Vec<String>,
    pub(super) totals: Option<DayTotals>,
}

/// The smallest usable window, in columns and lines.
const NARROWEST: u16 = 40;
const LOWEST: u16 = 12;
/// Lines that are always used: the header, three rules, two lines of keys.
const FIXED: u16 = 6;
/// The most lines of a message.
const MESSAGE: usize = 4;
/// Columns for how long a call waits.
const WAITS: usize = 14;

const TITLE: Style = Style::new().add_modifier(Modifier::BOLD);
const DIM: Style = Style::new().add_modifier(Modifier::DIM);
const CHOSEN: Style = Style::new().add_modifier(Modifier::REVERSED);
const ADDED: Style = Style::new().fg(Color::Green);
const REMOVED: Style = Style::new().fg(Color::Red);
const NOTICE: Style = Style::new().fg(Color::Yellow);

/// A buffer that is filled line by line, from the top.
struct Page<'a> {
    buffer: &'a mut Buffer,
    width: usize,
    y: u16,
}

/// Draws the inbox into the buffer. `now` is in seconds since 1970.
pub(super) fn draw(buffer: &mut Buffer, inbox: &mut Inbox, around: &ViewContext, now: u64) {
    let Rect { width, height, .. } = buffer.area;
    let mut page = Page { buffer, width: usize::from(width), y: 0 };
    if width < NARROWEST || height < LOWEST {
        page.line("The window is too small for the inbox.", Style::new());
        page.line("Make it larger, or leave with q", Style::new());
        page.line("and start `overt watch --plain`.", Style::new());
        return;
    }
    if inbox.is_help() {
        help(&mut page);
        return;
    }
    page.line(&header(inbox, around), TITLE);
    page.rule("");
    let message = message_lines(inbox, around, page.width);
    let room = height - FIXED - u16::try_from(message.len()).unwrap_or(0);
    let rows = list_rows(inbox, around, now, page.width);
    let list = rows.len().clamp(1, usize::from(room / 2).min(rows.len().max(1)));
    list_part(&mut page, &rows, list);
    let details = usize::from(room) - list;
    let (first, many, shown) = inbox.visible_details(page.width, details);
    let selected = inbox.selected();
    page.rule(&details_title(selected, inbox.focus(), (first, shown.len(), many)));
    let top = page.y;
    match (selected, &around.read_only) {
        (Some(_), _) => {}
        (None, None) => page.line("No question is open. Calls wait for your answer while this runs.", DIM),
        (None, Some(_)) => page.line("No question is open.", DIM),
    }
    for row in &shown {
        let style = match row.kind {
            RowKind::Text => Style::new(),
            RowKind::Added => ADDED,
            RowKind::Removed => REMOVED,
            RowKind::Place => DIM,
        };
        page.line(&row.text, style);
    }
    page.y = top + u16::try_from(details).unwrap_or(0);
    page.rule("");
    message.iter().for_each(|line| page.line(line, NOTICE));
    page.line(&keys(selected, page.width), Style::new());
    page.line(MOVES, DIM);
}

/// Returns the last message in up to `MESSAGE` lines, and cuts it after those. Without a message,
/// returns which servers lost Overt, or why the inbox is read-only, or else one empty line.
fn message_lines(inbox: &Inbox, around: &ViewContext, width: usize) -> Vec<String> {
    let message = match (inbox.message(), &around.unwrapped[..], &around.read_only) {
        ("", [], Some(why)) => format!("Read-only: {why}"),
        ("", [first], _) => first.clone(),
        ("", [first, more @ ..], _) => format!("{first} (and {} more)", more.len()),
        (message, ..) => message.to_owned(),
    };
    let mut lines: Vec<String> = hanging(&message, (0, 0), Some(width)).lines().map(str::to_owned).collect();
    if lines.len() > MESSAGE {
        lines.truncate(MESSAGE);
        if let Some(last) = lines.last_mut() {
            last.truncate(last.rfind(' ').unwrap_or_default());
            last.push_str(" …");
        }
    }
    lines.resize(lines.len().max(1), String::new());
    lines
}

fn header(inbox: &Inbox, around: &ViewContext) -> String {
    let many = inbox.items().len();
    let questions = match many {
        0 => "No questions".to_owned(),
        1 => "1 question".to_owned(),
        many => format!("{many} questions"),
    };
    let mut header = match inbox.marked() {
        0 => questions,
        marked => format!("{questions}, {marked} marked"),
    };
    match around.unwrapped.len() {
        0 => {}
        1 => header.push_str(" · 1 server without Overt"),
        many => header.push_str(&format!(" · {many} servers without Overt")),
    }
    if around.read_only.is_some() {
        header.push_str(" · read-only");
    }
    if let Some(totals) = &around.totals {
        header.push_str(&format!(" · {totals}"));
    }
    header
}

/// A row of the list.
struct ListRow {
    text: String,
    style: Style,
    is_selected: bool,
}

/// Returns a row for each client and project, followed by a row for each of its questions.
fn list_rows(inbox: &Inbox, around: &ViewContext, now: u64, width: usize) -> Vec<ListRow> {
    let mut rows = Vec::new();
    let mut before = None;
    let selected = inbox.selected().map(|open| &open.id);
    for open in inbox.items() {
        let asks = group(open);
        if before != Some(asks) {
            let (client, project) = asks;
            let place = project.map_or_else(String::new, |project| format!(" in {}", around.short(project)));
            rows.push(ListRow {
                text: format!("{}{place}", one_line(client)),
                style: TITLE,
                is_selected: false,
            });
            before = Some(asks);
        }
        let is_selected = selected == Some(&open.id);
        let sign = if is_selected { '>' } else { ' ' };
        let mark = if inbox.is_marked(&open.id) { '*' } else { ' ' };
        let left = format!("{sign}{mark} {}  ", around.clock(open.asked));
        let right = format!("{:>WAITS$}", waits(open, now));
        let room = width.saturating_sub(left.width() + right.width() + 2);
        let what = call_text(open, room);
        let pad = " ".repeat(room.saturating_sub(what.width()));
        let style = if is_selected { CHOSEN } else { Style::new() };
        rows.push(ListRow { text: format!("{left}{what}{pad}  {right}"), style, is_selected });
    }
    rows
}

/// Draws the part of the list around the selected row.
fn list_part(page: &mut Page<'_>, rows: &[ListRow], height: usize) {
    let selected = rows.iter().position(|row| row.is_selected).unwrap_or(0);
    let first = selected.saturating_sub(height / 2).min(rows.len().saturating_sub(height));
    let top = page.y;
    for row in rows.iter().skip(first).take(height) {
        page.line(&row.text, row.style);
    }
    page.y = top + u16::try_from(height).unwrap_or(0);
}

fn details_title(
    selected: Option<&PendingQuestion>,
    focus: Focus,
    (first, shown, many): (usize, usize, usize),
) -> String {
    let Some(open) = selected else { return String::new() };
    let place = format!("{} lines {}-{} of {many}", open.id, (first + 1).min(many), first + shown);
    match focus {
        Focus::List => place,
        Focus::Details => format!("{place}, scrolling"),
    }
}

/// Returns the letters that the selected question accepts, as many as fit.
fn keys(selected: Option<&PendingQuestion>, width: usize) -> String {
    let mut out = String::new();
    for (letter, _, name) in selected.into_iter().flat_map(letters_of) {
        let more = format!("{}{letter} {name}", if out.is_empty() { "" } else { "  " });
        if out.width() + more.width() > width {
            break;
        }
        out.push_str(&more);
    }
    out
}

fn help(page: &mut Page<'_>) {
    page.line("Keys. Any key closes this.", TITLE);
    page.rule("");
    let of_calls = OF_CALLS.map(|(letter, reply, _)| (letter, meaning(reply)));
    let of_trust = OF_TRUST.iter().take(4).map(|(letter, reply, _)| (*letter, meaning(*reply)));
    for (letter, means) in of_calls.into_iter().chain(of_trust) {
        page.line(&format!("{letter}      {means}"), Style::new());
    }
    for (key, means) in MOVING {
        page.line(&format!("{key:<6} {means}"), DIM);
    }
}

fn meaning(reply: Reply) -> &'static str {
    use overt_layers::grants::AnswerKind;
    use overt_policy::Trust;
    match reply {
        Reply::Call(AnswerKind::Once) => "yes, this call",
        Reply::Call(AnswerKind::Session) => "yes, and this tool on the same thing until the session ends",
        Reply::Call(AnswerKind::SessionTool) => {
            "yes, and this tool with any arguments until the session ends"
        }
        Reply::Call(AnswerKind::SessionServer) => "yes, and everything of this server until the session ends",
        Reply::Call(AnswerKind::SessionReads) => {
            "yes, and all of this server that only reads, for the session"
        }
        Reply::Call(AnswerKind::Folder) => "yes, and this tool in the folder around it for 8 hours",
        Reply::Call(AnswerKind::Workday) => "yes, in this project for 8 hours",
        Reply::Call(AnswerKind::Project) => "yes, in this project until you revoke it",
        Reply::Call(AnswerKind::Everywhere) => "yes, in every project until you revoke it (press twice)",
        Reply::Call(AnswerKind::No) => "no",
        Reply::Call(AnswerKind::NoSession) => "no, and this session asks nothing more",
        Reply::Call(AnswerKind::NeverProject) => "no, and never ask about this in this project",
        Reply::Trust(Trust::Changes) => "about a server: ask me for changes only",
        Reply::Trust(Trust::Everything) => "about a server: ask me for everything",
        Reply::Trust(Trust::Deletes) => "about a server: ask me for deletes",
        Reply::Trust(Trust::Nothing) => "about a server: ask me for nothing, only record",
    }
}

const MOVES: &str = "up down select  Tab details  space mark  u take back  ? help  q leave";
const MOVING: [(&str, &str); 4] = [
    ("u", "take the last answer back"),
    ("space", "mark; an answer is to all that are marked; * marks the whole group"),
    ("Tab", "to the details; Esc back, and there it unmarks all; PgUp PgDn scroll"),
    ("q", "leave; calls wait no longer"),
];

impl Page<'_> {
    fn line(&mut self, text: &str, style: Style) {
        if self.y < self.buffer.area.height {
            self.buffer.set_stringn(0, self.y, text, self.width, style);
            // The style of a selected row extends to the end of the line.
            if style == CHOSEN {
                self.buffer
                    .set_style(Rect { x: 0, y: self.y, width: self.buffer.area.width, height: 1 }, style);
            }
        }
        self.y += 1;
    }

    fn rule(&mut self, title: &str) {
        let title = if title.is_empty() { String::new() } else { format!("── {title} ") };
        let rest = "─".repeat(self.width.saturating_sub(title.width()));
        self.line(&format!("{title}{rest}"), DIM);
    }
}

impl ViewContext {
    fn short(&self, path: &str) -> String {
        let rest =
            self.home.as_deref().filter(|home| home.len() > 1).and_then(|home| path.strip_prefix(home));
        one_line(&match rest {
            Some(rest) if rest.is_empty() || rest.starts_with('/') => format!("~{rest}"),
            _ => path.to_owned(),
        })
    }

    fn clock(&self, seconds: u64) -> String {
        let time = i64::try_from(seconds).ok().and_then(|seconds| Timestamp::from_second(seconds).ok());
        time.map_or_else(
            || "--:--".to_owned(),
            |time| time.to_zoned(self.zone.clone()).strftime("%H:%M").to_string(),
        )
    }
}

#[cfg(test)]
mod tests;
