//! The change of one text: as a unified diff of the whole file, and as a page for people.
use super::answers::STYLES;

/// Lines before, those removed, those added, and lines after.
struct Parts<'a> {
    before: &'a [&'a str],
    removed: &'a [&'a str],
    added: &'a [&'a str],
    after: &'a [&'a str],
}

impl<'a> Parts<'a> {
    fn of(old: &'a [&'a str], new: &'a [&'a str]) -> Self {
        let same = old.iter().zip(new).take_while(|(old, new)| old == new).count();
        let (before, old) = old.split_at(same);
        let new = &new[same..];
        let same = old.iter().rev().zip(new.iter().rev()).take_while(|(old, new)| old == new).count();
        let (removed, after) = old.split_at(old.len() - same);
        Self { before, removed, added: &new[..new.len() - same], after }
    }

    fn lines(&self) -> impl Iterator<Item = (char, &'a str)> {
        let parts = [(' ', self.before), ('-', self.removed), ('+', self.added), (' ', self.after)];
        parts.into_iter().flat_map(|(sign, lines)| lines.iter().map(move |line| (sign, *line)))
    }
}

/// Returns the diff and the page of a change.
pub(super) fn shown(path: &str, old: &str, new: &str) -> (String, String) {
    let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    let parts = Parts::of(&old, &new);
    let mut diff = format!("--- a/{path}\n+++ b/{path}\n@@ -1,{} +1,{} @@\n", old.len(), new.len());
    let mut rows = String::new();
    for (sign, line) in parts.lines() {
        diff.push_str(&format!("{sign}{line}\n"));
        let kind = match sign {
            '-' => "removed",
            '+' => "added",
            _ => "same",
        };
        let line = line.replace('&', "&amp;").replace('<', "&lt;");
        rows.push_str(&format!("<div class=\"{kind}\">{line}</div>"));
    }
    let page = format!(
        "<!doctype html><html><head><link rel=\"stylesheet\" href=\"{STYLES}\"></head>\
         <body><h1>Review of {path}</h1>{rows}</body></html>"
    );
    (diff, page)
}
