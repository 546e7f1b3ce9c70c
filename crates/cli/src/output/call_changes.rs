//! Formats the changes of a call as a unified diff, from the structured diff that a result carries
//! for people.
use overt_wire::json::Json;
use overt_wire::text::Untrusted;

use super::patch::patch_text;

/// The changes of a `dev.overt/diff` mark, in colour. `None` if the mark has no changes.
pub(crate) fn call_changes_text(diff: Json<'_>) -> Option<String> {
    let mut out = String::new();
    for change in elements(diff, "changes") {
        push_change(&mut out, change);
    }
    if out.is_empty() {
        return None;
    }
    if diff.get("truncated").value().and_then(Json::bool) == Some(true) {
        out.push_str("\\ The rest is too long to be shown; `--review FILE` writes all of it as a page.\n");
    }
    Some(patch_text(&out))
}

/// Whether the mark contains every line of every change. If not, the diff at its address has more.
pub(crate) fn has_all_lines(diff: Json<'_>) -> bool {
    diff.get("truncated").value().is_none()
        && elements(diff, "changes").all(|change| change.get("hunks").value().is_some())
}

fn push_change(out: &mut String, change: Json<'_>) {
    let text = |name: &str| change.get(name).string().unwrap_or_default();
    let (label, kind) = (text("label"), text("kind"));
    let old = change.get("from").string();
    if change.get("hunks").value().is_none() {
        let what = old.as_ref().map_or_else(
            || Untrusted(&label).to_string(),
            |old| format!("{} -> {}", Untrusted(old), Untrusted(&label)),
        );
        out.push_str(&format!("{} {what}\n", Untrusted(&kind)));
        for side in ["before", "after"] {
            if let Some(thing) = change.get(side).value() {
                let side = if kind == "edited" { format!("{side}: ") } else { String::new() };
                out.push_str(&format!("  {side}{}\n", described(thing)));
                for entry in elements(thing, "entries").filter_map(Json::string) {
                    out.push_str(&format!("    {}\n", Untrusted(&entry)));
                }
            }
        }
        return;
    }
    let name = |side: &str, label: &str, is_there: bool| match is_there {
        true => format!("{side}/{}", Untrusted(label.trim_start_matches('/'))),
        false => "/dev/null".to_owned(),
    };
    let old = old.as_deref().unwrap_or(&label);
    out.push_str(&format!("--- {}\n", name("a", old, kind != "created")));
    out.push_str(&format!("+++ {}\n", name("b", &label, kind != "deleted")));
    for hunk in elements(change, "hunks") {
        let range = |side: &str| {
            let number = |name: String| hunk.get(&name).value().and_then(Json::integer).unwrap_or(0);
            let (start, count) = (number(format!("{side}_start")), number(format!("{side}_lines")));
            match count {
                // In a unified diff, an empty range names the line before it.
                0 => format!("{},0", start.saturating_sub(1)),
                1 => start.to_string(),
                _ => format!("{start},{count}"),
            }
        };
        out.push_str(&format!("@@ -{} +{} @@\n", range("old"), range("new")));
        for line in elements(hunk, "lines") {
            let sign = match line.get("kind").string().as_deref() {
                Some("removed") => '-',
                Some("added") => '+',
                _ => ' ',
            };
            // Keep each line on one line, even if the server puts line breaks into it.
            let text = line.get("text").string().unwrap_or_default().replace('\n', "\\n");
            out.push_str(&format!("{sign}{text}\n"));
            if line.get("no_newline").value().and_then(Json::bool) == Some(true) {
                out.push_str("\\ No newline at end of file\n");
            }
        }
    }
}

/// Describes something that is not text: a file, or a folder with its contents.
fn described(thing: Json<'_>) -> String {
    let count = |name: &str| thing.get(name).value().and_then(Json::integer);
    let counted = |name: &str, one: &str, many: &str| {
        let count = count(name).filter(|count| *count > 0)?;
        Some(format!("{count} {}", if count == 1 { one } else { many }))
    };
    let media_type = thing.get("media_type").string().map(|text| Untrusted(&text).to_string());
    let facts = [
        counted("files", "file", "files"),
        counted("directories", "folder", "folders"),
        counted("bytes", "byte", "bytes"),
        media_type,
    ];
    let facts: Vec<String> = facts.into_iter().flatten().collect();
    match (facts.is_empty(), count("files")) {
        (false, _) => facts.join(", "),
        (true, Some(_)) => "empty folder".to_owned(),
        (true, None) => "empty".to_owned(),
    }
}

fn elements<'a>(value: Json<'a>, name: &str) -> impl Iterator<Item = Json<'a>> {
    value.get(name).value().into_iter().flat_map(Json::elements)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(diff: &str) -> Option<String> {
        let text = call_changes_text(Json::parse(diff).unwrap())?;
        Some(anstream::adapter::strip_str(&text).to_string())
    }

    #[test]
    fn texts_become_a_unified_diff() {
        let hunk = r#"{"old_start":1,"old_lines":2,"new_start":1,"new_lines":2,"lines":[
            {"kind":"context","text":"one"},{"kind":"removed","text":"two"},
            {"kind":"added","text":"TWO\u001b[2J","no_newline":true}]}"#;
        let diff = format!(r#"{{"changes":[{{"label":"/a/b.txt","kind":"edited","hunks":[{hunk}]}}]}}"#);
        assert_eq!(
            plain(&diff).unwrap(),
            "--- a/a/b.txt\n+++ b/a/b.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+TWO\\u{1b}[2J\n\\ No newline at end of file\n"
        );
    }

    #[test]
    fn what_is_no_text_is_named() {
        let diff = r#"{"changes":[
            {"label":"b","from":"a","kind":"moved","after":{"bytes":3,"files":1,"directories":0,"entries":["f"]}},
            {"label":"new","kind":"created","hunks":[{"old_start":1,"old_lines":0,"new_start":1,"new_lines":1,"lines":[{"kind":"added","text":"x"}]}]},
            {"label":"p.png","kind":"edited","before":{"bytes":3},"after":{"bytes":4}}],"truncated":true}"#;
        assert_eq!(
            plain(diff).unwrap(),
            "moved a -> b\n  1 file, 3 bytes\n    f\n--- /dev/null\n+++ b/new\n@@ -0,0 +1 @@\n+x\nedited p.png\n  before: 3 bytes\n  after: 4 bytes\n\\ The rest is too long to be shown; `--review FILE` writes all of it as a page.\n"
        );
        assert_eq!(plain(r#"{"changes":[]}"#), None);
    }
}
