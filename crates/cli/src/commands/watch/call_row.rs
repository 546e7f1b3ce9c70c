//! A question as one row of the list: tool, server, what the call does, and how long it waits.
//! Pure.
use overt_layers::grants::PendingQuestion;
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

use crate::output::one_line;

/// The least columns for what the call does. If fewer remain, the server is left out.
const LEAST: usize = 24;

/// Formats the call in at most `room` columns. The tool gets at most half of them and the server a
/// quarter. The sentence is cut to what remains beside the counts. If too little of the sentence
/// remains, the server is left out, because the details show it.
pub(super) fn call_text(open: &PendingQuestion, room: usize) -> String {
    let tool = cut(&one_line(&open.question.tool), room / 2);
    let server = cut(&one_line(open.question.configured_server()), room / 4);
    let (about, counts) = (one_line(about(open)), counts(open));
    if about.is_empty() {
        return cut_end(&format!("{tool} of {server}{counts}"), room);
    }
    let left = |head: &str| room.saturating_sub(head.width() + counts.width());
    let mut head = format!("{tool} of {server}: ");
    if left(&head) < about.width().min(LEAST) {
        head = format!("{tool}: ");
    }
    let about = cut(&about, left(&head));
    cut_end(&format!("{head}{about}{counts}"), room)
}

/// Returns what the call does: a sentence, or its arguments if the sentence is generic.
fn about(open: &PendingQuestion) -> &str {
    let shown = &open.question.shown;
    let arguments = || {
        let arguments = shown.intent.strip_prefix("call ")?.strip_prefix(&open.question.tool)?;
        arguments.strip_prefix(" with ").or_else(|| arguments.is_empty().then_some(""))
    };
    arguments().filter(|_| shown.intent_is_generic).unwrap_or(&shown.intent)
}

fn counts(open: &PendingQuestion) -> String {
    let Some(changes) = &open.question.shown.changes else { return String::new() };
    let mut counted = changes.counts();
    if changes.irreversible.is_some() {
        counted.push("can't be undone".to_owned());
    }
    if changes.guarded.is_some() {
        counted.push("can start programs".to_owned());
    }
    if counted.is_empty() { String::new() } else { format!(" ({})", counted.join(", ")) }
}

pub(super) fn waits(open: &PendingQuestion, now: u64) -> String {
    if open.question.is_proposal() {
        return "proposal".to_owned();
    }
    if open.waiting == 0 {
        return "nobody waits".to_owned();
    }
    match open.question.waits_until().saturating_sub(now) {
        seconds @ 0..120 => format!("waits {seconds} s"),
        seconds @ 120..7_200 => format!("waits {} min", seconds / 60),
        seconds => format!("waits {} h", seconds / 3_600),
    }
}

/// Cuts in the middle, so that the end of a path stays visible.
fn cut(text: &str, most: usize) -> String {
    if text.width() <= most {
        return text.to_owned();
    }
    let (half, mut columns) = (most.saturating_sub(1) / 2, 0);
    let fits = |columns: &mut usize, c: char| {
        *columns += c.width().unwrap_or(0);
        *columns <= half
    };
    let head: String = text.chars().take_while(|c| fits(&mut columns, *c)).collect();
    columns = 0;
    let tail: Vec<char> = text.chars().rev().take_while(|c| fits(&mut columns, *c)).collect();
    let tail: String = tail.into_iter().rev().collect();
    format!("{head}…{tail}")
}

/// Cuts at the end, where there is too little room to show both ends.
fn cut_end(text: &str, most: usize) -> String {
    if text.width() <= most {
        return text.to_owned();
    }
    let mut columns = 1;
    let fits = |c: &char| {
        columns += c.width().unwrap_or(0);
        columns <= most
    };
    let head: String = text.chars().take_while(fits).collect();
    format!("{head}…")
}

#[cfg(test)]
mod tests {
    use overt_layers::description::PlanSummary;

    use super::super::inbox::tests::open;
    use super::*;

    fn foreign(tool: &str, intent: &str) -> PendingQuestion {
        let mut open = open(1, "Claude Code 2.1", "/home/ada/site", intent);
        open.question.tool = tool.to_owned();
        open.question.shown.server = "secure-filesystem-server".to_owned();
        open.question.shown.intent_is_generic = true;
        open
    }

    #[test]
    fn the_tool_comes_first_and_its_arguments_are_cut() {
        let write = r#"call write_file with path="/home/ada/scratch/p0.txt", content="par 0""#;
        let write = foreign("write_file", write);
        assert_eq!(
            call_text(&write, 90),
            r#"write_file of filesystem: path="/home/ada/scratch/p0.txt", content="par 0""#
        );
        assert_eq!(call_text(&write, 54), r#"write_file of filesystem: path="/home/a…ntent="par 0""#);
        assert_eq!(call_text(&foreign("list", "call list"), 54), "list of filesystem");
        let mut delete = open(2, "Claude Code 2.1", "/home/ada/site", "Delete the folder \"build\"");
        let changes = PlanSummary { deleted: 312, ..PlanSummary::default() };
        delete.question.shown.changes = Some(changes);
        let fits = "edit_file of filesystem: Delete the folder \"build\" (312 deleted)";
        assert_eq!(call_text(&delete, 80), fits);
        assert_eq!(call_text(&delete, 52), "edit_file: Delete the folder \"build\" (312 deleted)");
        assert_eq!(call_text(&delete, 44), "edit_file: Delete th…r \"build\" (312 deleted)");
        // A tool name that is quoted in the sentence is not removed.
        let odd = foreign("a b", r#"call "a b" with c=1"#);
        assert_eq!(call_text(&odd, 54), r#"a b of filesystem: call "a b" with c=1"#);
    }

    #[test]
    fn no_name_takes_the_whole_row() {
        let long = foreign(&"tool".repeat(30), &format!("call {} with a=1", "tool".repeat(30)));
        for room in [14, 20, 60, 100] {
            assert!(call_text(&long, room).width() <= room, "{room}");
        }
        assert!(call_text(&long, 60).ends_with("of filesystem: a=1"), "{}", call_text(&long, 60));
    }

    #[test]
    fn long_sentences_are_cut_in_the_middle() {
        assert_eq!(cut("abcdefghij", 10), "abcdefghij");
        assert_eq!(cut("abcdefghijk", 10), "abcd…hijk");
        assert_eq!(cut("日本語日本語", 7), "日…語");
        assert_eq!(cut("abc", 0), "…");
    }
}
