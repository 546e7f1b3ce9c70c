//! Describes in a few words what an action did.
use overt_state::audit::{Action, End};

use super::safe::one_line;

/// The server whose changes can be undone. Its name is not shown before its actions.
const FILES: &str = "overt-fs";
/// The method that records of `overt undo` have.
pub(super) const UNDO: &str = "overt undo";
/// Prefix of a preview's sentence.
const PREVIEW_ONLY: &str = "Preview only: ";
/// Tools and methods that read files, as named by our server, the official server and the protocol.
const READS_FILES: [&str; 6] = [
    "read_file",
    "read_text_file",
    "read_media_file",
    "read_multiple_files",
    "get_file_info",
    "resources/read",
];

/// An action in a few words, for a line of a list. Safe to print.
#[derive(Debug)]
pub(crate) struct ActionSummary {
    pub(crate) words: String,
    pub(crate) ending: &'static str,
    pub(crate) client: String,
    pub(crate) project: String,
    /// The short name of the change.
    pub(crate) change: Option<String>,
}

pub(crate) fn action_summary(action: &Action) -> ActionSummary {
    ActionSummary {
        words: sentence(action),
        ending: ending(action),
        client: client_name(&action.client),
        project: project_name(action.project.as_deref()),
        change: action.change.as_deref().map(short_change),
    }
}

/// What the action did or tried to do, on one line. Safe to print.
pub(super) fn sentence(action: &Action) -> String {
    let done = match (&action.end, action.changes.as_slice()) {
        (End::Done, _) if action.method == UNDO => one_line(&action.sentence.replacen("Undo", "undid", 1)),
        (End::Done | End::Failed(_) | End::Open, [_, ..]) if !action.is_preview => changes(&action.changes),
        _ => one_line(if action.sentence.is_empty() { &action.target } else { &action.sentence }),
    };
    let done = if action.server == FILES || action.server.is_empty() {
        done
    } else {
        format!("{}: {done}", one_line(&action.server))
    };
    match action.end.reason() {
        Some("") => format!("tried: {done}"),
        Some(reason) => format!("tried: {done}: {}", why(reason)),
        None if action.is_preview => {
            format!("previewed: {}", done.strip_prefix(PREVIEW_ONLY).unwrap_or(&done))
        }
        None => done,
    }
}

/// The reason why a call was not made: the first sentence of the answer to the model. The other
/// sentences tell the model what to do.
fn why(reason: &str) -> String {
    let reason = one_line(reason);
    let reason = reason.strip_prefix("Not done: ").unwrap_or(&reason);
    let end = reason.find(". ").unwrap_or(reason.len());
    reason[..end].trim_end_matches('.').to_owned()
}

/// Whether the action is a completed read that can be grouped with others. Previews are excluded,
/// because a person may want to find them.
pub(super) fn is_plain_read(action: &Action) -> bool {
    action.only_reads && action.end == End::Done && !action.is_preview
}

/// The changes in the past tense: `edited src/app.ts +4 -3, created src/new.ts`.
pub(super) fn changes(lines: &[String]) -> String {
    let past = |line: &String| {
        let line = one_line(line);
        let verbs = [("create ", "created"), ("delete ", "deleted"), ("move ", "moved"), ("copy ", "copied")];
        let (verb, rest) = verbs
            .iter()
            .find_map(|(begin, past)| Some((*past, line.strip_prefix(begin)?.to_owned())))
            .unwrap_or(("edited", line.clone()));
        // The size is shown with the details.
        let rest = rest.split_once(" (").map_or(rest.as_str(), |(name, _)| name).to_owned();
        (verb, rest)
    };
    let mut words = String::new();
    let mut last = "";
    for (verb, rest) in lines.iter().map(past) {
        if !words.is_empty() {
            words.push_str(", ");
        }
        if verb != last {
            words.push_str(verb);
            words.push(' ');
        }
        words.push_str(&rest);
        last = verb;
    }
    words
}

/// Summarises several consecutive reads: `read 6 files`.
pub(super) fn reads(actions: &[Action]) -> String {
    let [first, ..] = actions else { return String::new() };
    if actions.len() == 1 {
        return sentence(first);
    }
    let name = |action: &Action| match action.method.as_str() {
        "tools/call" => action.target.clone(),
        method => method.to_owned(),
    };
    let names: Vec<String> = actions.iter().map(name).collect();
    let words = if names.iter().all(|name| READS_FILES.contains(&name.as_str())) {
        format!("read {} files", actions.len())
    } else {
        let mut counts: Vec<(String, usize)> = Vec::new();
        for name in names {
            match counts.iter_mut().find(|(known, _)| *known == name) {
                Some((_, count)) => *count += 1,
                None => counts.push((name, 1)),
            }
        }
        counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        let counted = counts.iter().map(|(name, count)| match count {
            1 => one_line(name),
            count => format!("{} ×{count}", one_line(name)),
        });
        format!("{} reads: {}", actions.len(), counted.collect::<Vec<_>>().join(", "))
    };
    if first.server == FILES || first.server.is_empty() {
        words
    } else {
        format!("{}: {words}", one_line(&first.server))
    }
}

/// A word for how the action ended; empty if none is needed.
pub(super) fn ending(action: &Action) -> &'static str {
    match &action.end {
        End::Done if action.grant.is_some() => "by you",
        End::Done => "",
        End::Refused(_) => "refused",
        End::FailedBefore(_) => "failed",
        End::Open => "no end recorded",
        End::Failed(word) => match word.as_str() {
            "timeout" => "timed out",
            "cancelled_before" => "given up",
            "cancelled_after_effect" => "given up late",
            "unknown" => "end unknown",
            _ => "failed",
        },
    }
}

/// The client's name without its version.
pub(super) fn client_name(client: &str) -> String {
    let name = match client.rsplit_once(' ') {
        Some((name, version)) if version.starts_with(|first: char| first.is_ascii_digit()) => name,
        _ => client,
    };
    if name.is_empty() { "?".to_owned() } else { one_line(name) }
}

/// The last component of a project's folder.
pub(super) fn project_name(project: Option<&str>) -> String {
    project.map_or_else(|| "-".to_owned(), |project| one_line(project.rsplit('/').next().unwrap_or(project)))
}

/// Shortens the id of a change: `c-3fa9c1` for `c-1794757265123-3fa9c1`.
pub(super) fn short_change(id: &str) -> String {
    id.rsplit_once('-').map_or_else(|| one_line(id), |(_, last)| format!("c-{}", one_line(last)))
}

/// Shortens the id of a call: `a-TKZzW7.1` for `Yc6yh0IEygKG3adaRgOupCMWT_TKZzW7.1`. The end of the
/// session's id distinguishes sessions, and the number distinguishes calls.
pub(crate) fn short_call(id: &str) -> String {
    let (session, number) = id.rsplit_once('.').unwrap_or((id, ""));
    let start = session.char_indices().rev().nth(SESSION_LETTERS - 1).map_or(0, |(at, _)| at);
    let dot = if number.is_empty() { "" } else { "." };
    one_line(&format!("a-{}{dot}{number}", &session[start..]))
}

const SESSION_LETTERS: usize = 6;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_told_in_the_past() {
        let lines =
            |lines: &[&str]| changes(&lines.iter().map(|line| (*line).to_owned()).collect::<Vec<_>>());
        assert_eq!(lines(&["src/app.ts +4 -3", "src/b.ts +1 -1"]), "edited src/app.ts +4 -3, src/b.ts +1 -1");
        assert_eq!(lines(&["create a (text, 3 bytes)", "delete b (4 bytes)"]), "created a, deleted b");
        assert_eq!(lines(&["move a -> b"]), "moved a -> b");
        assert_eq!(lines(&["a\u{1b}[2J +1 -0"]), r"edited a\u{1b}[2J +1 -0");
    }

    #[test]
    fn names_are_short() {
        assert_eq!(client_name("claude-code 2.0.1"), "claude-code");
        assert_eq!(client_name("Visual Studio Code 1.106"), "Visual Studio Code");
        assert_eq!(client_name("my client"), "my client");
        assert_eq!(client_name(""), "?");
        assert_eq!(project_name(Some("/home/ada/site")), "site");
        assert_eq!(short_change("c-1794757265123-3fa9c1"), "c-3fa9c1");
        assert_eq!(short_call("Yc6yh0IEygKG3adaRgOupCMWT_TKZzW7.12"), "a-TKZzW7.12");
        assert_eq!(short_call("14:03"), "a-14:03");
    }
}
