//! The messages for the measurements: those of typical MCP traffic, and those that are hard for a
//! scanner.
use std::fmt::Write as _;

/// One message, with its name in the table.
pub(crate) struct Sample {
    pub name: &'static str,
    pub text: String,
    /// Whether the scanner and the parser can be faster than `serde_json` here. If most bytes are
    /// not ASCII, both sides spend their time in the standard library's UTF-8 check, and only an
    /// edit can be faster.
    pub is_mostly_ascii: bool,
}

pub(crate) fn samples() -> Vec<Sample> {
    vec![
        sample("small tools/call", small_call()),
        sample("4 KB tools/call", call_with_text()),
        sample("60 KB tools/list", tools_list()),
        sample("1 MB text result", text_result(&lines(1 << 20))),
        sample("numbers", structured_result(&numbers())),
        sample("deeply nested", structured_result(&nested())),
        sample("many small members", structured_result(&small_members())),
        sample("escaped strings", text_result(&escapes(64 << 10))),
        Sample { is_mostly_ascii: false, ..sample("text not in ASCII", text_result(&foreign(64 << 10))) },
    ]
}

fn sample(name: &'static str, text: String) -> Sample {
    Sample { name, text, is_mostly_ascii: true }
}

fn small_call() -> String {
    concat!(
        r#"{"jsonrpc":"2.0","id":42,"method":"tools/call","params":{"name":"read_file","#,
        r#""arguments":{"path":"src/main.rs","offset":1,"limit":200},"_meta":{"progressToken":"t-17"}}}"#
    )
    .to_owned()
}

fn call_with_text() -> String {
    let content = lines(3800);
    format!(
        r#"{{"jsonrpc":"2.0","id":"b1f0","method":"tools/call","params":{{"name":"write_file","arguments":{{"path":"docs/notes.md","create":true,"content":"{content}"}},"_meta":{{"progressToken":7}}}}}}"#
    )
}

fn tools_list() -> String {
    let mut tools = String::new();
    for n in 0..60 {
        if n > 0 {
            tools.push(',');
        }
        let _ = write!(
            tools,
            r#"{{"name":"project_{n}_search","title":"Search project {n}","description":"Finds lines that match a pattern in the files of project {n}. Use it when the exact words are known; for a question about meaning use `ask_{n}` instead. Returns at most `limit` matches with path, line and column.\n\nExample: {{\"pattern\":\"fn main\",\"glob\":\"**/*.rs\"}}","inputSchema":{{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","properties":{{"pattern":{{"type":"string","description":"A regular expression, or plain words if `plain` is true","minLength":1,"maxLength":1000}},"plain":{{"type":"boolean","description":"Take the pattern literally","default":false}},"glob":{{"type":"array","items":{{"type":"string"}},"description":"Only files whose path matches one of these"}},"limit":{{"type":"integer","description":"How many matches are returned","minimum":1,"maximum":500,"default":50}}}},"required":["pattern"],"additionalProperties":false}},"annotations":{{"readOnlyHint":true,"idempotentHint":true,"openWorldHint":false}}}}"#
        );
    }
    format!(r#"{{"jsonrpc":"2.0","id":2,"result":{{"tools":[{tools}]}}}}"#)
}

fn text_result(text: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":3,"result":{{"content":[{{"type":"text","text":"{text}"}}],"isError":false}}}}"#
    )
}

fn structured_result(value: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":4,"result":{{"content":[],"structuredContent":{value},"_meta":{{"a":1}}}}}}"#
    )
}

/// Returns source code as the content of a JSON string, with an escape about every 40 bytes.
fn lines(bytes: usize) -> String {
    let mut text = String::with_capacity(bytes + 80);
    let mut n = 0;
    while text.len() < bytes {
        let _ = write!(text, r#"    let entry_{n} = table.get(\"{n}\").cloned().unwrap_or_default();\n"#);
        n += 1;
    }
    text
}

fn numbers() -> String {
    let mut rows = String::from("{\"rows\":[");
    for n in 0..2000_i64 {
        let comma = if n > 0 { "," } else { "" };
        let _ = write!(rows, "{comma}[{n},{}.{:03},-{}e-3,{}]", n * 37, n % 1000, n, n * 1_000_003);
    }
    rows + "]}"
}

fn nested() -> String {
    let level = r#"{"next":[true,"#;
    let one = level.repeat(50) + "null" + &"]}".repeat(50);
    let all = vec![one; 20];
    format!(r#"{{"trees":[{}]}}"#, all.join(","))
}

fn small_members() -> String {
    let members: Vec<String> =
        (0..500).map(|n| format!(r#"{{"id":{n},"ok":true,"kind":"file","size":1{n}2,"x":null}}"#)).collect();
    let flat: Vec<String> = (0..200).map(|n| format!(r#""key_{n}":{n}"#)).collect();
    format!(r#"{{"list":[{}],"flat":{{{}}}}}"#, members.join(","), flat.join(","))
}

fn escapes(bytes: usize) -> String {
    r#"C:\\dir\\a.txt \"x\"\t\u00e9\u4e2d\ud83d\ude00\n"#.repeat(bytes / 48)
}

fn foreign(bytes: usize) -> String {
    "Это строка текста, 日本語のテキスト, ein paar Wörter. ".repeat(bytes / 78)
}
