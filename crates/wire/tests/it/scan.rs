//! Tables for the strict check: accepted texts, refused texts, and the reasons for refusal.
use overt_wire::json::{Fault, FaultKind, Json, Limits, check};

fn verdict(text: impl AsRef<[u8]>) -> Result<(), FaultKind> {
    check(text.as_ref(), &Limits::default()).map_err(|fault| fault.kind)
}

#[track_caller]
fn all_pass(texts: &[&str]) {
    for text in texts {
        assert_eq!(verdict(text), Ok(()), "{text}");
    }
}

#[track_caller]
fn all_fail(texts: &[&str], kind: FaultKind) {
    for text in texts {
        assert_eq!(verdict(text), Err(kind), "{text}");
    }
}

/// For faults whose exact kind doesn't matter: the text is not JSON.
#[track_caller]
fn all_malformed(texts: &[&str]) {
    for text in texts {
        let kind = verdict(text).expect_err(text);
        let fits = matches!(kind, FaultKind::Expected(_) | FaultKind::Incomplete | FaultKind::TrailingText);
        assert!(fits, "{text}: {kind:?}");
    }
}

#[test]
fn valid_texts_pass() {
    all_pass(&[
        "null",
        "true",
        "false",
        "0",
        "-1.5e+10",
        r#""""#,
        "[]",
        "{}",
        " \t\r\n{ \"a\" : [ 1 , 2 ] , \"b\" : { } }\r\n ",
        "[[],{},[[]],\"\",null]",
        r#"{"":{"":{"":1}}}"#,
        "\"\u{7f}\u{80}\u{2028}\u{10FFFF}\"",
        r#""\"\\\/\b\f\n\r\t\u0000\u00e9\uFFFF""#,
        r#""\ud83d\ude00\uDBFF\uDFFF""#,
    ]);
}

#[test]
fn rpc_01_garbage_truncation_and_two_values_are_refused() {
    all_malformed(&[
        "",
        " ",
        "hello",
        "{",
        "[",
        "\"",
        "{\"a\"",
        "{\"a\":",
        "{\"a\":1",
        "{\"a\":1,",
        "{\"a\":1,}",
        "[1,]",
        "[,1]",
        "[1 2]",
        "{1:2}",
        "{a:1}",
        "{'a':1}",
        "{\"a\" 1}",
        "{\"a\"::1}",
        "{\"a\":1;}",
        "[1}",
        "{\"a\":1]",
        "]",
        "}",
        ",",
        ":",
        "tru",
        "truee",
        "nul",
        "True",
        "undefined",
        "// comment\n1",
        "[1/*2*/]",
        "\u{FEFF}{}",
        "\u{A0}1",
        "\u{0B}1",
        "\u{0C}1",
        "\0",
    ]);
    all_fail(&["{}{}", "{} {}", "[] 1", "1 2", "\"a\"b", "null,", "{}]", "{}\0"], FaultKind::TrailingText);
    all_fail(&["{\"a\":[1,2", "\"abc", "\"abc\\", "\"\\u00", "-", "1.", "1e", "1e+"], FaultKind::Incomplete);
}

#[test]
fn rpc_02_invalid_utf8_is_refused_with_its_place() {
    let cases: [(&[u8], usize); 8] = [
        (b"\"\xff\"", 1),
        (b"\"\xc0\xaf\"", 1),         // overlong slash
        (b"\"\xe0\x80\xaf\"", 1),     // overlong in three bytes
        (b"\"\xed\xa0\x80\"", 1),     // an encoded surrogate
        (b"\"\xf4\x90\x80\x80\"", 1), // beyond U+10FFFF
        (b"\"ab\x80\"", 3),           // a lone continuation byte
        (b"\"ab\xe2\x82", 3),         // cut off inside a character
        (b"{} \xfe", 3),
    ];
    for (bytes, at) in cases {
        let fault = check(bytes, &Limits::default()).unwrap_err();
        assert_eq!(fault, Fault { kind: FaultKind::InvalidUtf8, at }, "{bytes:?}");
    }
}

#[test]
fn rpc_02_lone_surrogates_are_refused() {
    all_fail(
        &[
            r#""\ud800""#,
            r#""\uDBFF""#,
            r#""\udc00""#,
            r#""\uDFFF""#,
            r#""\ud800x""#,
            r#""\ud800\n""#,
            r#""\ud800\u0041""#,
            r#""\ud800\ud800""#,
            r#""\udc00\ud800""#,
            r#""\udc00\udc00""#,
            r#""\uDFFF\uDFFF""#,
            r#""\ud83d\ude00\ud83d""#,
            r#"{"\ud800":1}"#,
        ],
        FaultKind::LoneSurrogate,
    );
}

#[test]
fn rpc_02_control_characters_stand_only_in_escapes() {
    for byte in 0..0x20_u8 {
        let raw = [b"\"a", [byte].as_slice(), b"b\""].concat();
        assert!(matches!(verdict(raw), Err(FaultKind::Expected(_))), "{byte:#x}");
        assert_eq!(verdict(format!(r#""a\u{byte:04x}b""#)), Ok(()));
    }
}

#[test]
fn escapes_are_the_eight_and_four_hexadecimal_digits() {
    for byte in 0..=0x7F_u8 {
        let text = ["\"\\".as_bytes(), &[byte], b"\""].concat();
        let allowed = b"\"\\/bfnrt".contains(&byte);
        assert_eq!(verdict(&text).is_ok(), allowed, "\\{}", char::from(byte));
    }
    all_malformed(&[
        r#""\u""#,
        r#""\u1""#,
        r#""\u12""#,
        r#""\u123""#,
        r#""\u123g""#,
        r#""\u 123""#,
        r#""\u+123""#,
        r#""\u-123""#,
        r#""\U0041""#,
        r#""\x41""#,
        r#""\'""#,
        r#""\ud83d\u""#,
        r#""\ud83d\ude0""#,
    ]);
}

#[test]
fn every_fault_inside_a_long_string_is_found() {
    // Strings are read in blocks, so a fault must be found at every position of a block.
    for before in 0..70 {
        for after in [0, 1, 7, 31, 40] {
            let text = |middle: &str| format!("\"{}{middle}{}\"", "x".repeat(before), "y".repeat(after));
            assert_eq!(verdict(text(r#"\"\\\u00e9\n"#)), Ok(()), "{before} {after}");
            assert_eq!(verdict(text("é\u{10FFFF}")), Ok(()), "{before} {after}");
            assert_eq!(verdict(text(r"\ud800")), Err(FaultKind::LoneSurrogate), "{before} {after}");
            for bad in ["\n", "\u{1f}", r"\x", r"\uzzzz"] {
                let fault = check(text(bad).as_bytes(), &Limits::default()).unwrap_err();
                assert!(matches!(fault.kind, FaultKind::Expected(_)), "{before} {after} {bad:?}");
                assert!((before + 1..=before + 3).contains(&fault.at), "{before} {after} {bad:?}");
            }
            assert_eq!(verdict(text("\"")), Err(FaultKind::TrailingText), "{before} {after}");
        }
    }
}

#[test]
fn rpc_04_depth_of_128_passes_and_129_is_refused() {
    for (open, close) in [("[", "]"), ("{\"a\":", "}"), ("[{\"a\":", "}]")] {
        let step = open.matches(['[', '{']).count();
        let nested = |depth: usize| open.repeat(depth / step) + "null" + &close.repeat(depth / step);
        assert_eq!(verdict(nested(126)), Ok(()));
        assert_eq!(verdict(nested(128)), Ok(()));
        assert_eq!(verdict(nested(130)), Err(FaultKind::TooDeep));
        assert_eq!(verdict(nested(5_000)), Err(FaultKind::TooDeep));
    }
    assert_eq!(verdict("[".repeat(127) + &"]".repeat(127)), Ok(()));
    assert_eq!(verdict("[".repeat(129) + &"]".repeat(129)), Err(FaultKind::TooDeep));
    assert_eq!(verdict("[".repeat(1_000_000)), Err(FaultKind::TooDeep));
}

#[test]
fn rpc_04_a_lower_depth_limit_holds() {
    let limits = Limits { max_depth: 2, ..Limits::default() };
    assert_eq!(check(b"[[],{}]", &limits), Ok(()));
    assert_eq!(check(b"[[{}]]", &limits), Err(Fault { kind: FaultKind::TooDeep, at: 2 }));
    // The depth limit can't exceed 128.
    let limits = Limits { max_depth: usize::MAX, ..Limits::default() };
    let text = "[".repeat(129);
    assert_eq!(check(text.as_bytes(), &limits), Err(Fault { kind: FaultKind::TooDeep, at: 128 }));
}

#[test]
fn rpc_04_number_of_values_is_bounded() {
    let array = format!("[{}0]", "0,".repeat(999_998));
    assert_eq!(verdict(&array), Ok(()));
    let array = format!("[{}0]", "0,".repeat(999_999));
    assert_eq!(verdict(&array), Err(FaultKind::TooManyValues));
    let limits = Limits { max_nodes: 3, ..Limits::default() };
    assert_eq!(check(br#"{"a":1,"b":2}"#, &limits), Ok(()));
    assert_eq!(check(br#"{"a":1,"b":[2]}"#, &limits), Err(Fault { kind: FaultKind::TooManyValues, at: 12 }));
}

#[test]
fn rpc_04_many_names_stay_fast_whatever_they_are() {
    // Names that collide under common hash functions cost nothing extra, because nothing is hashed.
    let colliding: Vec<String> = (0..100_000_u32).map(|n| format!("\"Aa{n:07}BB{n:07}\":1")).collect();
    assert_eq!(verdict(format!("{{{}}}", colliding.join(","))), Ok(()));
    let twice = format!("{{{},{}}}", colliding.join(","), colliding[50_000]);
    assert_eq!(verdict(twice), Err(FaultKind::DuplicateMember));
}

#[test]
fn rpc_04_long_string() {
    assert_eq!(verdict(format!("\"{}\"", "x".repeat(2 << 20))), Ok(()));
}

#[test]
fn rpc_03_size_is_bounded() {
    let limits = Limits { max_bytes: 4, ..Limits::default() };
    assert_eq!(check(b"1234", &limits), Ok(()));
    assert_eq!(check(b"12345", &limits), Err(Fault { kind: FaultKind::TooLarge, at: 4 }));
    // The size is checked before anything else.
    assert_eq!(check(b"\xff\xff\xff\xff\xff", &limits).unwrap_err().kind, FaultKind::TooLarge);
}

#[test]
fn rpc_05_duplicate_members_at_any_depth() {
    all_fail(
        &[
            r#"{"a":1,"a":1}"#,
            r#"{"name":"read_file","name":"delete_file"}"#,
            r#"{"a":1,"b":2,"a":3}"#,
            r#"{"x":{"a":1,"a":2}}"#,
            r#"[{"x":[{"a":1,"b":{"c":0,"c":0}}]}]"#,
            r#"{"params":{"arguments":{"path":1,"path":2}}}"#,
            r#"{"params":{"_meta":{"a":1,"a":2}}}"#,
            r#"{"":1,"":2}"#,
            r#"{"a":{},"a":{}}"#,
            r#"{"é":1,"é":2}"#,
            r#"{"12345678":1,"12345678":2}"#,
            r#"{"123456789":1,"123456789":2}"#,
        ],
        FaultKind::DuplicateMember,
    );
}

#[test]
fn rpc_05_duplicate_members_however_they_are_escaped() {
    all_fail(
        &[
            r#"{"a":1,"\u0061":2}"#,
            r#"{"\u0061":1,"a":2}"#,
            r#"{"\u006E":1,"\u006e":2}"#,
            r#"{"/":1,"\/":2}"#,
            r#"{"\n":1,"\u000a":2}"#,
            r#"{"😀":1,"\ud83d\ude00":2}"#,
            r#"{"x\u0061":{},"y":{"m":1,"\u006d":2}}"#,
        ],
        FaultKind::DuplicateMember,
    );
}

#[test]
fn rpc_05_duplicates_are_found_wherever_they_stand_among_many() {
    for count in [2, 3, 15, 16, 17, 18, 40, 300] {
        let names: Vec<String> = (0..count).map(|n| format!("\"a_rather_long_name_{n}\":{n}")).collect();
        assert_eq!(verdict(format!("{{{}}}", names.join(","))), Ok(()));
        for (first, second) in [(0, 1), (0, count - 1), (count / 2 - 1, count - 1)] {
            let mut twice = names.clone();
            twice[second] = twice[first].clone();
            let text = format!("{{{}}}", twice.join(","));
            let fault = check(text.as_bytes(), &Limits::default()).unwrap_err();
            assert_eq!(fault.kind, FaultKind::DuplicateMember, "{count} {first} {second}");
            let name = twice[first].split(':').next().unwrap();
            assert_eq!(fault.at, text.rfind(name).unwrap() + 1, "the second one is reported");
        }
    }
}

#[test]
fn rpc_05_equal_names_in_different_objects_are_no_duplicates() {
    all_pass(&[
        r#"{"a":{"a":{"a":1}}}"#,
        r#"[{"a":1},{"a":1}]"#,
        r#"{"a":{"b":1},"b":{"a":1}}"#,
        r#"{"a":{"x":1,"y":2},"b":{"x":1,"y":2},"x":0,"y":0}"#,
        r#"{"a":"a","b":"a"}"#,
        "{\"a\":1,\"A\":1,\"a \":1,\"\u{E1}\":1,\"a\u{301}\":1}",
        r#"{"12345678":1,"12345678x":2,"1234567":3}"#,
        r#"{"a\u0062":{"c":1},"c":{"ab":1}}"#,
    ]);
}

#[test]
fn rpc_07_numbers_follow_the_grammar() {
    all_pass(&[
        "0",
        "-0",
        "-0.0",
        "1.0",
        "1e2",
        "1E+2",
        "1e-2",
        "0e0",
        "1e400",
        "-1e-400",
        "9007199254740993",
        "1234567890123456789012345",
        "0.1234567890123456789",
    ]);
    all_malformed(&[
        "NaN",
        "Infinity",
        "-Infinity",
        "0x10",
        "01",
        "-01",
        "00",
        "+1",
        ".5",
        "5.",
        "1.e1",
        "1e",
        "1e+",
        "--1",
        "1_000",
        "1,5",
        "0b1",
        "1e1.5",
        "1..2",
        "-",
        "-a",
        "1f",
    ]);
}

#[test]
fn rpc_07_number_tokens_keep_their_text() {
    for token in ["1e400", "-0", "1.0", "1e2", "9007199254740993", "1234567890123456789012345"] {
        let text = format!("[ {token} ]");
        let element = Json::parse(&text).unwrap().elements().next().unwrap();
        assert_eq!(element.as_str(), token);
    }
}

#[test]
fn faults_say_what_and_where() {
    let says = |text: &str| check(text.as_bytes(), &Limits::default()).unwrap_err().to_string();
    assert_eq!(says(r#"{"a":1,"a":2}"#), "duplicate member name at byte 8");
    assert_eq!(says("[1,]"), "expected a value at byte 3");
    assert_eq!(says("{} x"), "text after the end of the JSON value at byte 3");
    assert_eq!(says("{"), "the JSON text ends too early");
    assert_eq!(says(r#""\ud800""#), "a surrogate escape without its other half at byte 1");
    assert_eq!(says(&"[".repeat(200)), "nested too deeply at byte 128");
}
