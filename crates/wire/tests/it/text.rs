//! Untrusted text cannot control a terminal or forge log lines.
use overt_wire::text::{Untrusted, UntrustedLines};

fn shown(text: &str) -> String {
    Untrusted(text).to_string()
}

#[test]
fn honest_text_is_shown_as_it_is() {
    for text in
        ["", "read_file", "naïve café", "日本語", "العربية", "עברית", "a\u{301}", "😀", "\\u{1b}", "\u{A0}"]
    {
        assert_eq!(shown(text), text);
        assert_eq!(UntrustedLines(text).to_string(), text);
    }
}

#[test]
fn card_06_escape_sequences_and_controls_are_shown() {
    assert_eq!(shown("\u{1b}[31mred\u{1b}[0m"), r"\u{1b}[31mred\u{1b}[0m");
    assert_eq!(shown("\u{1b}]8;;http://x\u{7}link"), r"\u{1b}]8;;http://x\u{7}link");
    assert_eq!(shown("\u{1b}]52;c;aGk=\u{1b}\\"), r"\u{1b}]52;c;aGk=\u{1b}\");
    assert_eq!(shown("\u{9b}2J\u{90}q\u{9c}"), r"\u{9b}2J\u{90}q\u{9c}");
    assert_eq!(shown("safe\rEVIL\u{8}\u{7f}\0"), r"safe\u{d}EVIL\u{8}\u{7f}\u{0}");
    for c in (0..0x20).chain(0x7F..0xA0).filter_map(char::from_u32) {
        assert_eq!(shown(&c.to_string()), format!("\\u{{{:x}}}", c as u32));
    }
}

#[test]
fn card_06_bidirectional_characters_are_shown() {
    let bidi =
        "\u{61C}\u{200E}\u{200F}\u{202A}\u{202B}\u{202C}\u{202D}\u{202E}\u{2066}\u{2067}\u{2068}\u{2069}";
    for c in bidi.chars() {
        assert_eq!(shown(&format!("a{c}b")), format!("a\\u{{{:x}}}b", c as u32));
    }
    assert_eq!(shown("invoice\u{202E}fdp.exe"), r"invoice\u{202e}fdp.exe");
}

#[test]
fn card_06_invisible_characters_are_shown() {
    let invisible = [
        '\u{AD}',
        '\u{34F}',
        '\u{115F}',
        '\u{180E}',
        '\u{200B}',
        '\u{200C}',
        '\u{200D}',
        '\u{2060}',
        '\u{2064}',
        '\u{206F}',
        '\u{3164}',
        '\u{FE0F}',
        '\u{FEFF}',
        '\u{FFA0}',
        '\u{FFF9}',
        '\u{1BCA0}',
        '\u{1D173}',
        '\u{E0001}',
        '\u{E0041}',
        '\u{E007F}',
        '\u{E0100}',
        '\u{2028}',
        '\u{2029}',
    ];
    for c in invisible {
        assert_eq!(shown(&format!("a{c}b")), format!("a\\u{{{:x}}}b", c as u32));
        assert_eq!(UntrustedLines(&c.to_string()).to_string(), format!("\\u{{{:x}}}", c as u32));
    }
}

#[test]
fn rpc_19_one_string_stays_one_line() {
    let forged = "ok\n2026-01-01 ERROR forged\r\nline\u{85}\u{2028}end";
    let line = shown(forged);
    assert!(!line.contains(|c: char| c.is_control() || c == '\u{2028}'));
    assert_eq!(line, r"ok\u{a}2026-01-01 ERROR forged\u{d}\u{a}line\u{85}\u{2028}end");
}

#[test]
fn text_of_several_lines_keeps_line_breaks_and_tabs_only() {
    let text = "a\n\tb\r\n\u{1b}[2Jc";
    assert_eq!(UntrustedLines(text).to_string(), "a\n\tb\\u{d}\n\\u{1b}[2Jc");
}
