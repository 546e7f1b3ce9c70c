//! Edits of small texts and of generated texts.
use super::*;

fn one(text: &str, find: &str, replace: &str) -> Result<String, EditMismatch> {
    several(text, Edit { find, replace, expected: Some(1) }).map(|(text, _)| text)
}

fn several(text: &str, edit: Edit<'_>) -> Result<(String, usize), EditMismatch> {
    apply(text, edit, Bounds { most: 1000, stop: &Stop::default() })
}

fn all(text: &str, edits: &[Edit<'_>]) -> Result<(String, usize), EditError> {
    apply_edits(text, edits, Bounds { most: 1000, stop: &Stop::default() })
}

#[test]
fn what_would_be_too_large_is_not_made() {
    let edit = |replace, expected| Edit { find: "a", replace, expected: Some(expected) };
    let long = "b".repeat(500);
    assert_eq!(several("aa", edit(&long, 2)).map(|(text, _)| text.len()), Ok(1000));
    assert_eq!(several("aaa", edit(&long, 3)), Err(EditMismatch::TooLarge));
    // Each line break takes two bytes.
    let lines = "\n".repeat(500);
    assert_eq!(several("\ra\r", edit(&lines, 1)).map(|(text, _)| text.len()), Ok(502));
    assert_eq!(several("a\r\n", edit(&lines, 1)), Err(EditMismatch::TooLarge));
    let stop = Stop::default();
    stop.set();
    assert_eq!(apply("a", edit("b", 1), Bounds { most: 1000, stop: &stop }), Err(EditMismatch::Stopped));
}

#[test]
fn all_matches_are_replaced_however_many_there_are() {
    let all = |text| several(text, Edit { find: "x", replace: "y", expected: None });
    assert_eq!((all("x"), all("x x\nx")), (Ok(("y".into(), 1)), Ok(("y y\ny".into(), 3))));
    assert!(matches!(all("a"), Err(EditMismatch::NotFound { .. })));
}

#[test]
fn b_12_overlaps_are_counted() {
    assert_eq!(one("aaa", "aa", "b"), Err(EditMismatch::Count { found: 2, lines: vec![1, 1] }));
    let two = several("aaa", Edit { find: "aa", replace: "b", expected: Some(2) });
    assert_eq!(two, Err(EditMismatch::Overlap { lines: vec![1, 1] }));
    assert_eq!(
        several("aa\naa", Edit { find: "aa", replace: "b", expected: Some(2) }),
        Ok(("b\nb".into(), 2))
    );
}

#[test]
fn b_13_line_endings_stay() {
    for (text, find, replace, wanted) in [
        ("one\r\ntwo\r\n", "one\ntwo", "1\n2\n3", "1\r\n2\r\n3\r\n"),
        ("one\r\ntwo\r\n", "one\r\ntwo", "1\n2", "1\r\n2\r\n"),
        ("one\r\ntwo", "two", "2\n3", "one\r\n2\r\n3"),
        ("one\ntwo\n", "one\r\ntwo", "1\r\n2", "1\n2\n"),
        ("a\r\nb\nc\r\n", "b\nc", "x\ny", "a\r\nx\ny\r\n"),
        ("a\r\nb\nc\r\n", "a\nb", "x\ny", "x\r\ny\nc\r\n"),
        ("a\r\nb", "\n", " ", "a b"),
        ("a \t\r\n  b", "b", "c", "a \t\r\n  c"),
        ("\u{feff}a\r\n", "a", "é", "\u{feff}é\r\n"),
        ("no end", "end", "x\ny", "no x\ny"),
        ("a\rb", "\r", "x", "axb"),
    ] {
        assert_eq!(one(text, find, replace).as_deref(), Ok(wanted), "{text:?} {find:?}");
    }
}

/// I-02: more matches than one edit replaces are refused, with their number.
#[test]
fn i_02_matches_are_never_cut() {
    let text = "x\n".repeat(20_000);
    for expected in [1, MOST_MATCHES, 20_000] {
        let edit = Edit { find: "x", replace: "y", expected: Some(expected) };
        let bounds = Bounds { most: 1 << 20, stop: &Stop::default() };
        assert_eq!(apply(&text, edit, bounds), Err(EditMismatch::TooMany { found: 20_000, is_all: true }));
    }
    let text = "x\n".repeat(MOST_MATCHES);
    let edit = Edit { find: "x", replace: "y", expected: Some(MOST_MATCHES) };
    let bounds = Bounds { most: 1 << 20, stop: &Stop::default() };
    assert_eq!(apply(&text, edit, bounds), Ok(("y\n".repeat(MOST_MATCHES), MOST_MATCHES)));
    // Too much to compare: nothing is replaced.
    let (text, find) = ("a".repeat(4 << 20), "a".repeat(2 << 20));
    let edit = Edit { find: &find, replace: "", expected: Some(512) };
    let counted = apply(&text, edit, Bounds { most: 8 << 20, stop: &Stop::default() });
    assert!(matches!(counted, Err(EditMismatch::TooMany { is_all: false, .. })), "{counted:?}");
}

/// I-11: an edit that differs only in line breaks converts them.
#[test]
fn i_11_line_breaks_are_converted() {
    for (text, find, replace, wanted) in [
        ("a\r\nb", "\r\n", "\n", "a\nb"),
        ("a\nb", "\n", "\r\n", "a\r\nb"),
        ("a\r\nb\r\n", "a\r\nb\r\n", "a\nb\n", "a\nb\n"),
        ("a\r\nb\r\n", "a\nb", "a\r\nb", "a\r\nb\r\n"),
    ] {
        assert_eq!(one(text, find, replace).as_deref(), Ok(wanted), "{text:?} {find:?}");
    }
}

#[test]
fn edits_come_one_after_the_other() {
    let edit = |find, replace| Edit { find, replace, expected: Some(1) };
    assert_eq!(all("a", &[edit("a", "bc"), edit("c", "d")]), Ok(("bd".into(), 2)));
    let failed = all("a", &[edit("a", "b"), edit("a", "c")]).unwrap_err();
    assert_eq!(failed.index, 1);
    assert_eq!(one("a", "", "b"), Err(EditMismatch::Empty));
}

proptest::proptest! {
    /// Compared with a simple model, for texts without CR.
    #[test]
    fn a_single_match_is_replaced(before in "[a-c\n]{0,12}", find in "[a-c\n]{1,4}", after in "[a-c\n]{0,12}", replace in "[a-d\n]{0,4}") {
        let text = format!("{before}{find}{after}");
        let count = (0..text.len()).filter(|at| text[*at..].starts_with(&find)).count();
        match one(&text, &find, &replace) {
            Ok(next) => {
                proptest::prop_assert_eq!(count, 1);
                proptest::prop_assert_eq!(next, text.replacen(&find, &replace, 1));
            }
            Err(EditMismatch::Count { found, .. }) => proptest::prop_assert_eq!(found, count),
            Err(other) => proptest::prop_assert!(false, "{:?}", other),
        }
    }

    /// A file with CRLF keeps CRLF.
    #[test]
    fn crlf_stays(text in "[ab\n]{1,20}", find in "[ab\n]{1,3}", replace in "[ab\n]{0,3}") {
        let crlf = super::super::text::with_crlf(&text);
        let plain = one(&text, &find, &replace);
        let other = one(&crlf, &find, &replace);
        match (plain, other) {
            (Ok(plain), Ok(other)) if text.contains('\n') => {
                proptest::prop_assert_eq!(super::super::text::with_crlf(&plain), other);
            }
            (plain, other) => proptest::prop_assert_eq!(plain.is_ok(), other.is_ok()),
        }
    }
}
