//! Windows of texts, as tables and compared with a simple reader.
use std::io::Write as _;

use proptest::prelude::*;

use super::super::work::Stop;
use super::*;

fn file(bytes: &[u8]) -> (std::fs::File, u64) {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(bytes).unwrap();
    (file, bytes.len() as u64)
}

fn window(start: Start, most_lines: usize) -> Window {
    Window { start, most_lines, most_bytes: 50 << 10, most_line_bytes: 25 << 10 }
}

fn read(bytes: &[u8], window: &Window) -> Result<Text, Unreadable> {
    let (file, size) = file(bytes);
    let head = head_of(&file, size).unwrap();
    let Kind::Text(encoding) = kind_of(&head, head.len() as u64 == size) else { panic!("binary") };
    read_text(&file, size, encoding, window, &Stop::default())
}

#[test]
fn windows_of_a_text() {
    let text = b"one\ntwo\nthree\nfour";
    // Start, lines, expected content, its first line, how it was cut.
    let table = [
        (Start::Line(1), 10, "one\ntwo\nthree\nfour", 1, None),
        (Start::Line(1), 4, "one\ntwo\nthree\nfour", 1, None),
        (Start::Line(1), 1, "one\n", 1, Some(Cut::Lines)),
        (Start::Line(2), 2, "two\nthree\n", 2, Some(Cut::Lines)),
        (Start::Line(4), 1, "four", 4, None),
        (Start::End, 1, "four", 4, Some(Cut::Lines)),
        (Start::End, 2, "three\nfour", 3, Some(Cut::Lines)),
        (Start::End, 9, "one\ntwo\nthree\nfour", 1, None),
    ];
    for (start, most, wanted, first, cut) in table {
        let text = read(text, &window(start, most)).unwrap();
        assert_eq!(text.content, wanted, "{start:?} {most}");
        assert_eq!((text.first, text.cut), (Some(first), cut), "{start:?} {most}");
        assert_eq!((text.total, text.count), (Some(4), wanted.lines().count()));
    }
    assert!(matches!(read(text, &window(Start::Line(5), 1)), Err(Unreadable::PastEnd { lines: 4 })));
    assert!(matches!(read(b"a\n", &window(Start::Line(2), 1)), Err(Unreadable::PastEnd { lines: 1 })));
    let empty = read(b"", &window(Start::Line(1), 1)).unwrap();
    assert_eq!((empty.content.as_str(), empty.count, empty.total), ("", 0, Some(0)));
    assert_eq!(read(b"", &window(Start::End, 1)).unwrap().count, 0);
}

#[test]
fn long_lines_and_long_files_are_cut_at_characters() {
    let bounded =
        |most_bytes, most_line_bytes, start| Window { start, most_lines: 100, most_bytes, most_line_bytes };
    let text = "ää\nbb\ncc\n".as_bytes();
    let got = |most_bytes, most_line_bytes, start| {
        let text = read(text, &bounded(most_bytes, most_line_bytes, start)).unwrap();
        (text.content, text.cut, text.total)
    };
    assert_eq!(got(100, 3, Start::Line(1)), ("ä\nbb\ncc\n".into(), Some(Cut::LineBytes), Some(3)));
    assert_eq!(got(8, 100, Start::Line(1)), ("ää\nbb\n".into(), Some(Cut::Bytes), Some(3)));
    assert_eq!(got(1, 100, Start::Line(2)), ("b\n".into(), Some(Cut::LineBytes), Some(3)));
    assert_eq!(got(6, 100, Start::End), ("bb\ncc\n".into(), Some(Cut::Bytes), Some(3)));
}

#[test]
fn encodings_and_line_endings_are_told() {
    let utf16 = |text: &str, little: bool| {
        let units = std::iter::once(0xFEFF).chain(text.encode_utf16());
        units
            .flat_map(|unit: u16| if little { unit.to_le_bytes() } else { unit.to_be_bytes() })
            .collect::<Vec<u8>>()
    };
    let table = [
        (b"a\r\nb\r\n".to_vec(), Encoding::Utf8, LineEnding::Crlf, "a\r\nb\r\n"),
        (b"\xEF\xBB\xBFa\nb".to_vec(), Encoding::Utf8Marked, LineEnding::Lf, "a\nb"),
        (b"a\r\nb\n".to_vec(), Encoding::Utf8, LineEnding::Mixed, "a\r\nb\n"),
        (b"a\rb".to_vec(), Encoding::Utf8, LineEnding::None, "a\rb"),
        (utf16("grün 😀\nb", true), Encoding::Utf16Le, LineEnding::Lf, "grün 😀\nb"),
        (utf16("grün 😀\nb", false), Encoding::Utf16Be, LineEnding::Lf, "grün 😀\nb"),
        (b"caf\xE9 = 5 \x80\nb".to_vec(), Encoding::Windows1252, LineEnding::Lf, "café = 5 €\nb"),
    ];
    for (bytes, encoding, ending, wanted) in table {
        let Kind::Text(found) = kind_of(&bytes, true) else { panic!("{wanted} is not text") };
        for start in [Start::Line(1), Start::End] {
            let text = read(&bytes, &window(start, 10)).unwrap();
            assert_eq!(text.content, wanted);
            assert_eq!((found, text.line_ending), (encoding, ending), "{wanted}");
        }
    }
}

#[test]
fn what_is_no_text_is_known() {
    for (bytes, mime_type, medium) in [
        (&b"\x89PNG\r\n\x1a\n...."[..], "image/png", Medium::Image),
        (b"\xFF\xD8\xFF\xE0", "image/jpeg", Medium::Image),
        (b"RIFF\0\0\0\0WEBPVP8 ", "image/webp", Medium::Image),
        (b"RIFF\0\0\0\0WAVEfmt ", "audio/wav", Medium::Audio),
        (b"%PDF-1.7", "application/pdf", Medium::Other),
        (b"\xE9\xE8\xFF\xFE", "application/octet-stream", Medium::Other),
        (b"caf\xE9 \x07", "application/octet-stream", Medium::Other),
        (b"caf\xE9 \x9D", "application/octet-stream", Medium::Other),
        (b"a\0b", "application/octet-stream", Medium::Other),
    ] {
        assert_eq!(kind_of(bytes, true), Kind::Binary(Binary { mime_type, medium }), "{mime_type}");
    }
    // A character that continues after `head` is not an error.
    assert_eq!(kind_of(b"caf\xC3", false), Kind::Text(Encoding::Utf8));
    assert_eq!(kind_of(b"caf\xC3", true), Kind::Text(Encoding::Windows1252));
    // A file that begins like text and turns out to be binary.
    let mut late = vec![b'a'; 9 << 10];
    late.push(0xFF);
    assert!(matches!(read(&late, &window(Start::Line(1), 1)), Err(Unreadable::NotText)));
    assert!(matches!(read(b"\xFF\xFEa\0\0\xD8a\0", &window(Start::Line(1), 1)), Err(Unreadable::NotText)));
}

/// B-17, FS-15: the cost of a call does not depend on the size of the file.
#[test]
fn fs_15_the_end_and_the_beginning_of_a_huge_file_are_near() {
    let file = tempfile::tempfile().unwrap();
    let size = 1 << 40;
    file.set_len(size).unwrap();
    std::os::unix::fs::FileExt::write_all_at(&file, b"first\nsecond\n", 0).unwrap();
    std::os::unix::fs::FileExt::write_all_at(&file, "\nlast ä\nend".as_bytes(), size - 12).unwrap();
    let read = |start| read_text(&file, size, Encoding::Utf8, &window(start, 2), &Stop::default());
    let text = read(Start::Line(1)).unwrap();
    assert_eq!((text.content.as_str(), text.total, text.cut), ("first\nsecond\n", None, Some(Cut::Lines)));
    let text = read(Start::End).unwrap();
    assert_eq!((text.content.as_str(), text.first, text.cut), ("last ä\nend", None, Some(Cut::Lines)));
    let stop = Stop::default();
    assert!(count_lines(&file, size, Encoding::Utf8, &stop).unwrap().is_none());
}

proptest! {
    /// Every window is what a simple reader returns.
    #[test]
    fn windows_are_what_a_plain_reading_gives(
        lines in prop::collection::vec("[a-zä]{0,40}", 0..60), ends in any::<bool>(),
        first in 1..70_u64, most in 1..70_usize, repeat in 1..400_usize,
    ) {
        // Long enough to span blocks.
        let lines: Vec<String> = lines.iter().map(|line| line.repeat(repeat)).collect();
        let mut text = lines.join("\n");
        if ends && !text.is_empty() {
            text.push('\n');
        }
        let pieces: Vec<&str> = text.split_inclusive('\n').collect();
        let huge = |start| Window { start, most_lines: most, most_bytes: 1 << 30, most_line_bytes: 1 << 30 };
        let from = usize::try_from(first).unwrap() - 1;
        match read(text.as_bytes(), &huge(Start::Line(first))) {
            Ok(got) => {
                let wanted: String = pieces.iter().skip(from).take(most).copied().collect();
                prop_assert_eq!(got.content, wanted);
                prop_assert_eq!(got.total, Some(pieces.len() as u64));
                prop_assert_eq!(got.cut.is_some(), from + most < pieces.len());
            }
            Err(Unreadable::PastEnd { lines }) => {
                prop_assert!(from > 0 && from >= pieces.len());
                prop_assert_eq!(lines, pieces.len() as u64);
            }
            Err(other) => panic!("{other:?}"),
        }
        let got = read(text.as_bytes(), &huge(Start::End)).unwrap();
        let wanted: String = pieces[pieces.len().saturating_sub(most)..].concat();
        prop_assert_eq!(got.content, wanted);
    }
}
