//! Sorts the items of lists of names in prose. An item is a single word or a quoted value, so
//! sentences stay whole: `never delete, always ask` is not a list. If a line mentions an order,
//! nothing in it is moved.
use std::borrow::Cow;

/// Words which say that an order matters.
const ORDER_WORDS: [&str; 16] = [
    "order",
    "ordered",
    "sequence",
    "step",
    "steps",
    "first",
    "then",
    "next",
    "last",
    "before",
    "after",
    "precedence",
    "priority",
    "pair",
    "tuple",
    "respectively",
];
/// The most bytes of an item. Longer items are not names.
const LONGEST_ITEM: usize = 80;
const BULLETS: [&str; 3] = ["- ", "* ", "• "];

/// Returns the text with the items of each list sorted. The rest of the text does not change.
pub(super) fn sorted_lists(text: &str) -> Cow<'_, str> {
    if !text.contains(',') && !text.contains('\n') {
        return Cow::Borrowed(text);
    }
    let mut lines: Vec<String> = text.split('\n').map(sorted_in_line).collect();
    let mut start = 0;
    while start < lines.len() {
        let end = end_of_bullets(&lines, start);
        let is_ordered = start > 0 && speaks_of_order(&lines[start - 1]);
        if end > start + 1 && !is_ordered {
            lines[start..end].sort_unstable();
        }
        start = end.max(start + 1);
    }
    Cow::Owned(lines.join("\n"))
}

/// Returns the end of the run of bullets that begins at line `start`, or `start` if none begins
/// there. The bullets of a run have one item each and the same indent.
fn end_of_bullets(lines: &[String], start: usize) -> usize {
    let bullet = |line: &str| -> Option<String> {
        let rest = line.trim_start();
        let mark = BULLETS.iter().find(|mark| rest.starts_with(**mark))?;
        let item = rest[mark.len()..].trim();
        is_item(item).then(|| format!("{}{mark}", &line[..line.len() - rest.len()]))
    };
    let Some(first) = bullet(&lines[start]) else { return start };
    let run = lines[start..].iter().take_while(|line| bullet(line).as_ref() == Some(&first));
    start + run.count()
}

fn sorted_in_line(line: &str) -> String {
    if !line.contains(',') || speaks_of_order(line) {
        return line.to_owned();
    }
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    while let Some((before, list, after)) = next_list(rest) {
        out.push_str(before);
        out.push_str(&sorted_items(list));
        rest = after;
    }
    out.push_str(rest);
    out
}

/// Returns the text before the next list, the list without its brackets, and the text after it.
/// Each list is read once: a scan ends where the next list could begin.
fn next_list(text: &str) -> Option<(&str, &str, &str)> {
    let found = text.char_indices().find_map(|(at, c)| {
        let list = match c {
            '{' => List { close: Some('}'), needs_quotes: false },
            // In these brackets, unquoted words may be positional: `[min, max]`, `copy(source,
            // target)`.
            '[' => List { close: Some(']'), needs_quotes: true },
            '(' => List { close: Some(')'), needs_quotes: true },
            ':' => List { close: None, needs_quotes: false },
            _ => return None,
        };
        let inside = at + c.len_utf8();
        Some((inside, inside + list.length(&text[inside..])?))
    });
    let (start, end) = found?;
    Some((&text[..start], &text[start..end], &text[end..]))
}

/// A kind of list.
#[derive(Clone, Copy)]
struct List {
    /// The closing bracket. `None` for a list that ends with its sentence or line.
    close: Option<char>,
    needs_quotes: bool,
}

impl List {
    /// Returns the length of the list at the beginning of the text, if there is one.
    fn length(self, text: &str) -> Option<usize> {
        let mut at = 0;
        for items in 1.. {
            at += blanks(&text[at..]);
            at += self.item(&text[at..])?;
            let end = at;
            at += blanks(&text[at..]);
            let next = text[at..].chars().next();
            match (next, self.close) {
                (Some(','), _) => at += 1,
                (Some(next), Some(close)) if next == close && items > 1 => return Some(at),
                (None, None) if items > 1 => return Some(end),
                (Some('.'), None) if items > 1 && text[at + 1..].starts_with([' ', '\t']) => {
                    return Some(end);
                }
                (Some('.'), None) if items > 1 && text.len() == at + 1 => return Some(end),
                _ => return None,
            }
        }
        None
    }

    /// Returns the length of the item at the beginning of the text.
    fn item(self, text: &str) -> Option<usize> {
        if let Some(quote) = text.chars().next().filter(|c| QUOTES.contains(c)) {
            let value = &text[1..text.floor_char_boundary(LONGEST_ITEM)];
            let end = value
                .find(['\'', '"', '`', ','])
                .filter(|end| *end > 0 && value[*end..].starts_with(quote))?;
            return Some(1 + end + 1);
        }
        let is_part = |c: char| is_word(c) || "-./@+#".contains(c) || (c == ':' && self.close.is_some());
        let word = text.find(|c: char| !is_part(c)).unwrap_or(text.len());
        // A full stop ends the sentence and is not part of the word.
        let word = text[..word].trim_end_matches('.').len();
        let is_item = !self.needs_quotes && text.starts_with(is_word) && word <= LONGEST_ITEM;
        is_item.then_some(word)
    }
}

const QUOTES: [char; 3] = ['\'', '"', '`'];

fn blanks(text: &str) -> usize {
    text.len() - text.trim_start_matches([' ', '\t', '\r']).len()
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Returns whether the text is a single word or a quoted value.
fn is_item(text: &str) -> bool {
    let item = List { close: Some('\n'), needs_quotes: false };
    !text.is_empty() && item.item(text) == Some(text.len())
}

/// Returns the items sorted, and keeps the white space between them.
fn sorted_items(list: &str) -> String {
    let mut items: Vec<&str> = list.split(',').map(str::trim).collect();
    items.sort_unstable();
    let gaps = list.split(',').map(|item| {
        let start = item.len() - item.trim_start().len();
        (&item[..start], &item[item.trim_end().len().max(start)..])
    });
    let placed = items.iter().zip(gaps).map(|(item, (before, after))| format!("{before}{item}{after}"));
    placed.collect::<Vec<_>>().join(",")
}

fn speaks_of_order(line: &str) -> bool {
    let mut words = line.split(|c: char| !c.is_alphanumeric());
    words.any(|word| ORDER_WORDS.iter().any(|order| order.eq_ignore_ascii_case(word)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn h_35_items_of_a_list_have_no_order() {
        for (one, other) in [
            ("One of {'b', 'a', 'c'}.", "One of {'c', 'b', 'a'}."),
            ("Set {b, a} or {\"in progress\", \"done\"}", "Set {a, b} or {\"done\", \"in progress\"}"),
            ("Formats: ['png', 'jpg']", "Formats: ['jpg', 'png']"),
            ("Available tables: users, orders, line_items", "Available tables: orders, line_items, users"),
            ("Kinds: a, b. More.", "Kinds: b, a. More."),
            ("Kinds: a, b.", "Kinds: b, a."),
            ("Units ('m', 'ft')", "Units ('ft', 'm')"),
            ("Tables:\n- users\n- orders\nThat's all", "Tables:\n- orders\n- users\nThat's all"),
            ("Tables:\n  * `a`\n  * `b`", "Tables:\n  * `b`\n  * `a`"),
        ] {
            assert_eq!(sorted_lists(one), sorted_lists(other), "{one}");
            assert_ne!(one, other);
        }
    }

    #[test]
    fn prose_keeps_its_order() {
        for (one, other) in [
            ("never delete, always ask", "never ask, always delete"),
            ("Rules: never delete, always ask", "Rules: never ask, always delete"),
            ("Reads a, writes b", "writes b, Reads a"),
            ("- ask the user\n- delete the file", "- delete the file\n- ask the user"),
            ("1. ask\n2. delete", "2. delete\n1. ask"),
            ("Steps: ask, delete", "Steps: delete, ask"),
            ("Do this in order: ask, delete", "Do this in order: delete, ask"),
            ("First:\n- ask\n- delete", "First:\n- delete\n- ask"),
            ("copy(source, target)", "copy(target, source)"),
            ("A range [min, max]", "A range [max, min]"),
            ("Point (x, y)", "Point (y, x)"),
            ("- a\n  - b", "  - b\n- a"),
            ("deny: write. allow: read", "deny: read. allow: write"),
            ("{a, b} not {c, d}", "{c, d} not {a, b}"),
            ("{a, b} not {c, d}", "{a, c} not {b, d}"),
            ("{'a, b', 'c'}", "{'c', 'b, a'}"),
        ] {
            assert_ne!(sorted_lists(one), sorted_lists(other), "{one}");
        }
    }

    #[test]
    fn what_is_no_list_stays_byte_by_byte() {
        for text in
            ["", "a", "a, b", "{", "{,}", "{a,}", "x: ,", ": a b, c", "{a, b", "\n\n- \n-", "ü{ä b, c}"]
        {
            assert_eq!(sorted_lists(text), text);
        }
        assert_eq!(sorted_lists("{b ,  a}"), "{a ,  b}");
        assert_eq!(sorted_lists("x: ü, ä"), "x: ä, ü");
    }

    /// A description is the server's text: no pattern in it may cost more than its length
    /// justifies.
    #[test]
    fn hostile_texts_cost_little() {
        let patterns =
            ["{", "{a,", "x:a,", "('(',", "['[", "{'", "a:b,c d", "- a\n", "{b,a}", ": b, a. ", "\n"];
        for pattern in patterns {
            let text = pattern.repeat((1 << 20) / pattern.len());
            let begun = std::time::Instant::now();
            assert_eq!(sorted_lists(&text).len(), text.len(), "{pattern}");
            let took = begun.elapsed();
            assert!(took < std::time::Duration::from_secs(10), "{pattern}: {took:?}");
        }
    }
}
