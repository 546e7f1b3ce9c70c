//! Tests with known counts. The expected numbers come from the Python package `tiktoken` 0.14.0
//! with its published table.
use overt_documents::live::{LiveTool, ServerInfo};
use overt_wire::json::Json;

use super::*;

fn tool(text: &str) -> LiveTool {
    LiveTool::read(Json::parse(text).unwrap()).unwrap()
}

fn server() -> Live {
    let read_file = r#"{"name":"read_file","title":"Read","description":"Reads the whole file as UTF-8 text.",
        "inputSchema":{"type":"object","properties":{"path":{"type":"string","description":"Where the file is"},
        "limit":{"type":"integer","minimum":1}},"required":["path"]},"outputSchema":{"type":"object"},
        "annotations":{"readOnlyHint":true},"_meta":{"x":1}}"#;
    let ping = r#"{"name":"ping","inputSchema":{"type":"object"}}"#;
    let instructions = Some("Use read_file for single files.".to_owned());
    Live {
        info: ServerInfo { instructions, ..ServerInfo::default() },
        tools: vec![tool(read_file), tool(ping)],
        ..Live::default()
    }
}

fn counts(bytes: usize, tokens: usize) -> Count {
    Count { bytes, tokens }
}

#[test]
fn texts_have_the_tokens_that_the_reference_counts() {
    let long = "a".repeat(1000);
    let known = [
        ("hello world", counts(11, 2)),
        ("", counts(0, 0)),
        ("Reads the whole file as UTF-8 text.", counts(35, 10)),
        ("日本語のテキスト", counts(24, 6)),
        ("naïve café — “quotes”…", counts(32, 8)),
        // A family and a flag: one has seven code points, the other two, but each is shown as one
        // picture.
        ("\u{1f469}\u{200d}\u{1f469}\u{200d}\u{1f467}\u{200d}\u{1f466}\u{1f1ea}\u{1f1fa}", counts(33, 15)),
        // The name of a model's special token counts as text.
        ("<|endoftext|>", counts(13, 7)),
        ("    fn main() {\n\t\tprintln!(\"{}\", 1234567890);\n    }\n", counts(52, 17)),
        ("don't WE'LL camelCaseName snake_case_name HTTPServer2", counts(53, 13)),
        ("\r\n\r\n   \n", counts(8, 2)),
        (&long, counts(1000, 125)),
        ("https://example.com/a?b=c&d=%20#x", counts(33, 14)),
    ];
    let texts: Vec<&str> = known.iter().map(|(text, _)| *text).collect();
    for ((text, expected), found) in known.iter().zip(count(&texts).unwrap()) {
        assert_eq!(found, *expected, "{text}");
    }
}

#[test]
fn a_server_costs_what_its_parts_cost() {
    let cost = Cost::of(&server()).unwrap();
    let [read_file, ping] = cost.tools.as_slice() else { panic!("two tools: {cost:?}") };
    assert_eq!(read_file.openai, counts(267, 63));
    assert_eq!(read_file.anthropic, counts(238, 57));
    assert_eq!(read_file.description, counts(35, 10));
    assert_eq!(ping.openai, counts(77, 18));
    assert_eq!(ping.anthropic, counts(48, 12));
    assert_eq!(ping.description, Count::default());
    assert_eq!(cost.instructions, Some(counts(31, 7)));
    assert_eq!(cost.total(Shape::OpenAi), counts(267 + 77 + 31, 63 + 18 + 7));
    assert_eq!(cost.total(Shape::Anthropic), counts(238 + 48 + 31, 57 + 12 + 7));
    let expensive: Vec<&str> = cost.most_expensive().iter().map(|tool| tool.name.as_str()).collect();
    assert_eq!(expensive, ["read_file"], "a tool without a description has no expensive one");
}

#[test]
fn the_three_longest_descriptions_come_first() {
    let of = |name: &str, tokens: usize| ToolCost {
        name: name.to_owned(),
        openai: Count::default(),
        anthropic: Count::default(),
        description: counts(tokens * 4, tokens),
    };
    let tools = vec![of("a", 5), of("b", 9), of("c", 9), of("d", 1), of("e", 7)];
    let cost = Cost { instructions: None, tools };
    let names: Vec<&str> = cost.most_expensive().iter().map(|tool| tool.name.as_str()).collect();
    assert_eq!(names, ["b", "c", "e"]);
    let nothing = Cost { instructions: None, tools: Vec::new() };
    assert_eq!(nothing.total(Shape::OpenAi), Count::default());
}

#[test]
fn hostile_texts_are_counted_in_bounded_time_and_never_break_the_counter() {
    // A million spaces in one text are too much for the counter.
    let texts: Vec<String> = [" ", "\n ", "a", "!", "\u{301}", "é", "aB", "\u{10ffff}"]
        .iter()
        .map(|unit| unit.repeat((80 << 10) / unit.len()))
        .chain([" ".repeat(70 << 10) + "x", "\u{202e}\u{0}".repeat(1000)])
        .collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    for (text, count) in texts.iter().zip(count(&texts).unwrap()) {
        assert_eq!(count.bytes, text.len());
        assert!((1..=text.len()).contains(&count.tokens));
    }
    let most = "x".repeat(9 << 20);
    let error = count(&[&most]).unwrap_err().to_string();
    assert!(error.starts_with(&format!("the definitions have {} bytes", 9 << 20)), "{error}");
}
