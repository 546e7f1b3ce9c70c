//! Diffs, shortened to what a page can show. The answer says how much is left out, so that no
//! person unknowingly approves a part that they did not see.
use serde_json::{Value, json};

/// The most bytes of a diff, about 40,000 lines. People do not read more, and a browser stays fast.
const MOST_BYTES: usize = 2 << 20;

/// Puts the start of a diff into an answer, and how much of the diff is left out.
pub(super) fn put(answer: &mut Value, diff: &str) {
    let shown = beginning(diff, MOST_BYTES);
    answer["diff"] = shown.into();
    if shown.len() < diff.len() {
        answer["diffLeftOut"] = json!({ "bytes": diff.len() - shown.len(), "of": diff.len() });
    }
}

/// Returns whole lines, or a part of the first line if that is too long.
fn beginning(text: &str, most: usize) -> &str {
    if text.len() <= most {
        return text;
    }
    let cut = &text[..text.floor_char_boundary(most)];
    cut.rfind('\n').map_or(cut, |end| &cut[..=end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_diff_ends_with_a_whole_line() {
        assert_eq!(beginning("one\ntwo\n", 8), "one\ntwo\n");
        assert_eq!(beginning("one\ntwo\n", 7), "one\n");
        assert_eq!(beginning("one\ntwo\n", 4), "one\n");
        assert_eq!(beginning("öööö\n", 3), "ö", "a line that is too long is cut between characters");
        let mut answer = json!({});
        put(&mut answer, "+a\n");
        assert_eq!(answer, json!({ "diff": "+a\n" }));
        let long = "+a\n".repeat(MOST_BYTES);
        put(&mut answer, &long);
        let shown = answer["diff"].as_str().unwrap().len();
        assert!(shown <= MOST_BYTES && shown > MOST_BYTES - 4);
        assert_eq!(answer["diffLeftOut"], json!({ "bytes": long.len() - shown, "of": long.len() }));
    }
}
