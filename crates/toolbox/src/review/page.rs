//! Renders all changes as one page without scripts or external resources, and with untrusted text
//! escaped. The colours are those of the host, if it provides them (`--mcp-*`). The switch between
//! unified and side by side, and the folds, work without a script.
use std::fmt::Write as _;

use overt_wire::rfc3339::format_millis;

use super::super::body::{Body, EntryKind, Inner, Tree};
use super::super::change::{ChangeKind, Kind};
use super::diff::{Diff, Hunk, Side};
use super::escape::{escaped, shown};
use super::facts::Facts;
use super::rows::{self, Layout};
use super::trim::MOST_AROUND;
use super::words;

/// The most bytes of each of the two layouts, and of everything else.
const LONGEST: usize = 1 << 20;

const HEAD: &str = include_str!("page.html");
const TAIL: &str = "</main>\n</body>\n</html>\n";
const SWITCH: &str = "<fieldset class=\"switch\"><legend>How changes are shown</legend>\
    <input type=\"radio\" name=\"as\" id=\"as-unified\" checked><label for=\"as-unified\">Unified</label>\
    <input type=\"radio\" name=\"as\" id=\"as-split\"><label for=\"as-split\">Side by side</label></fieldset>\n";
const TOO_LONG: &str = "<p class=\"note\">The rest is too long to be shown.</p>\n";

/// A page without its facts about the call, which are added later.
#[derive(Debug, serde::Serialize, serde::Deserialize)]
pub(super) struct Page {
    /// The name of the tool, escaped.
    tool: String,
    /// The counts, the reason why the changes can't be undone, and the switch.
    overview: String,
    /// The changes.
    body: String,
}

/// The number of bytes left for each part.
struct Room {
    unified: usize,
    split: usize,
    rest: usize,
}

impl Page {
    /// Renders the changes. A warning is a heading and, if it applies, its reason.
    pub(super) fn render(tool: &str, diffs: &[Diff<'_>], warnings: &[(&str, Option<&str>)]) -> Self {
        let mut body = String::new();
        let mut room = Room { unified: LONGEST, split: LONGEST, rest: LONGEST };
        for diff in diffs {
            let Some(section) = section(diff, &mut room) else {
                body.push_str(TOO_LONG);
                break;
            };
            body.push_str(&section);
        }
        Self { tool: escaped(tool), overview: overview(diffs, warnings), body }
    }

    /// Returns the complete page of a call.
    pub(super) fn with(&self, facts: &Facts) -> String {
        let heading = facts.status.heading();
        let mut out = HEAD.replace("{{title}}", &format!("{heading} {}", self.tool));
        let _ = write!(
            out,
            "<header>\n<h1>{heading} <code>{}</code></h1>\n<p class=\"status {}\">{}</p>\n",
            self.tool,
            facts.status.class(),
            facts.status.sentence()
        );
        out.push_str(&about(facts));
        out.push_str(&self.overview);
        out.push_str("</header>\n<main>\n");
        out.push_str(&self.body);
        out.push_str(TAIL);
        out
    }
}

/// Renders the server, the client, the project and the time of the call.
fn about(facts: &Facts) -> String {
    let time = format_millis(facts.time);
    let shown = time.replace('T', " ");
    let shown = shown.split('.').next().unwrap_or_default();
    let mut out = String::from("<dl>\n");
    let texts = [
        ("Server", Some(facts.origin.server.as_str())),
        ("Client", facts.client.as_deref()),
        ("Project", facts.origin.project.as_deref()),
    ];
    for (name, text) in texts {
        let text = text.map_or_else(|| "<i>unknown</i>".to_owned(), escaped);
        let _ = writeln!(out, "<div><dt>{name}</dt><dd>{text}</dd></div>");
    }
    let _ =
        writeln!(out, "<div><dt>Time</dt><dd><time datetime=\"{time}\">{shown} UTC</time></dd></div>\n</dl>");
    out
}

/// Renders how much changes: the number of changes of each kind, and of changed lines.
fn overview(diffs: &[Diff<'_>], warnings: &[(&str, Option<&str>)]) -> String {
    let kinds = [Kind::Created, Kind::Edited, Kind::Moved, Kind::Copied, Kind::Deleted];
    let counts = kinds.iter().filter_map(|kind| {
        let count = diffs.iter().filter(|diff| diff.change.kind() == *kind).count();
        (count > 0).then(|| format!("{count} {}", kind.word()))
    });
    let mut out = format!("<p class=\"counts\">{}", counts.collect::<Vec<_>>().join(", "));
    if diffs.iter().any(|diff| diff.is_text) {
        let sum = |of: fn(&Diff<'_>) -> usize| diffs.iter().map(of).sum::<usize>();
        let _ = write!(out, " {} lines", lines(sum(|diff| diff.added), sum(|diff| diff.removed)));
    }
    out.push_str("</p>\n");
    for (heading, why) in warnings.iter().filter_map(|(heading, why)| Some((heading, (*why)?))) {
        let _ = writeln!(
            out,
            "<p class=\"warning\" role=\"alert\"><strong>{heading}:</strong> {}.</p>",
            escaped(why)
        );
    }
    if diffs.iter().any(|diff| diff.is_text) {
        out.push_str(SWITCH);
    }
    out
}

/// Renders one change. Returns `None` if there is no room left.
fn section(diff: &Diff<'_>, room: &mut Room) -> Option<String> {
    let change = diff.change;
    let kind = change.kind().word();
    let label = escaped(&change.label);
    let name = match &change.from {
        Some(from) => format!("<s>{} →</s> {label}", escaped(from)),
        None => label,
    };
    let mut out = format!(
        "<details class=\"change\" open>\n<summary><h2>{name}</h2> <span class=\"kind {kind}\">{kind}</span>"
    );
    if diff.is_text {
        let _ = write!(out, " {}", lines(diff.added, diff.removed));
    }
    out.push_str("</summary>\n");
    if diff.is_text {
        compared(diff, room, &mut out);
    } else {
        describe(diff, &mut out);
        room.rest = room.rest.checked_sub(out.len())?;
    }
    out.push_str("</details>\n");
    room.rest = room.rest.checked_sub(300 + name.len())?;
    Some(out)
}

fn compared(diff: &Diff<'_>, room: &mut Room, out: &mut String) {
    let hunks: Vec<Hunk<'_>> = diff.hunks(MOST_AROUND).collect();
    if hunks.is_empty() {
        out.push_str("<p class=\"note\">No line differs.</p>\n");
        return;
    }
    for layout in [Layout::Unified, Layout::Split] {
        let left = match layout {
            Layout::Unified => &mut room.unified,
            Layout::Split => &mut room.split,
        };
        let (text, is_cut) = rows::write(layout, diff, &hunks, *left);
        *left = left.saturating_sub(text.len());
        out.push_str(&text);
        if is_cut {
            let _ = write!(out, "<div class=\"{}\">{TOO_LONG}</div>", layout.class());
        }
    }
}

/// Renders a change that has no lines to compare.
fn describe(diff: &Diff<'_>, out: &mut String) {
    let (before, after) = diff.change.sides();
    match (&diff.change.what, before, after) {
        (ChangeKind::Edited { .. }, Some(before), Some(after)) => {
            out.push_str("<table class=\"facts\">\n");
            for (side, word, body) in [(Side::Old, "before", before), (Side::New, "after", after)] {
                let class = rows::class(side);
                let facts = escaped(&words::of(body));
                let _ = writeln!(out, "<tr class=\"{class}\"><th>{word}</th><td>{facts}</td></tr>");
            }
            out.push_str("</table>\n");
        }
        (ChangeKind::Moved(body) | ChangeKind::Copied(body), ..) => {
            let _ = writeln!(
                out,
                "<p class=\"note\">The content stays the same: {}.</p>",
                escaped(&words::of(body))
            );
        }
        (_, before, after) => {
            if let Some(body) = before.or(after) {
                let _ = writeln!(out, "<p class=\"note\">{}</p>", escaped(&words::of(body)));
            }
        }
    }
    for body in
        [before.filter(|_| !matches!(diff.change.what, ChangeKind::Moved(_) | ChangeKind::Copied(_))), after]
    {
        if let Some(Body(Inner::Tree(tree))) = body {
            list(tree, out);
        }
    }
}

fn list(tree: &Tree, out: &mut String) {
    if tree.entries.is_empty() {
        return;
    }
    out.push_str("<ol tabindex=\"0\">\n");
    for entry in &tree.entries {
        let size = if entry.kind == EntryKind::File { words::bytes(entry.bytes) } else { String::new() };
        let path = shown(&entry.path_in_list());
        let _ = writeln!(out, "<li><span>{path}</span><small>{size}</small></li>");
    }
    if tree.left_out() > 0 {
        let _ = writeln!(out, "<li><small>{}</small></li>", words::more(tree.left_out()));
    }
    out.push_str("</ol>\n");
}

fn lines(added: usize, removed: usize) -> String {
    format!(
        "<span class=\"count\"><span class=\"plus\">+{added}</span> <span class=\"minus\">−{removed}</span></span>"
    )
}

#[cfg(test)]
mod tests;
