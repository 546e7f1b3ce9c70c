//! Which annotations are valid, and when a header agrees with its argument.
use std::sync::Arc;

use super::*;

fn annotations(properties: &str) -> HeaderAnnotations {
    let schema = format!(r#"{{"type":"object","properties":{{{properties}}}}}"#);
    HeaderAnnotations::of(Member::Value(Json::parse(&schema).unwrap()))
}

fn headers(headers: &[(&str, &str)]) -> ParamHeaders {
    Arc::from_iter(headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())))
}

const VALID: &str = r#""region":{"type":"string","x-mcp-header":"Region"},
    "n":{"type":["integer","null"],"x-mcp-header":"N"},
    "on":{"type":"boolean","x-mcp\u002dheader":"On"},
    "absent":{"type":"string","x-mcp-header":"Absent"},
    "null":{"type":["string","null"],"x-mcp-header":"Null"},
    "deep":{"type":"object","properties":{"er":{"type":"string","x-mcp-header":"Deeper"}}},
    "plain":{"type":"string","default":{"x-mcp-header":"data"}}"#;
const ARGUMENTS: &str = r#"{"region":"süd","n":42.0,"on":false,"null":null,"deep":{"er":"x"},"plain":"p"}"#;

#[test]
fn http_08_arguments_become_headers() {
    let arguments = Member::Value(Json::parse(ARGUMENTS).unwrap());
    let annotations = annotations(VALID);
    let found = annotations.arguments().unwrap();
    let mut texts: Vec<_> = found
        .iter()
        .filter_map(|argument| Some(format!("{}={}", argument.name(), argument.text_in(arguments)?)))
        .collect();
    texts.sort();
    assert_eq!(texts, ["deeper=x", "n=42", "on=false", "region=süd"]);
}

#[test]
fn http_08_headers_agree_with_arguments() {
    let annotations = annotations(VALID);
    let arguments = Json::parse(ARGUMENTS).unwrap();
    let good = [("deeper", "x"), ("n", "42"), ("on", "false"), ("region", "süd"), ("other", "1")];
    let check = |sent: &[(&str, &str)]| annotations.check(&headers(sent), Member::Value(arguments));
    check(&good).unwrap();
    for (header, value) in [("deeper", "y"), ("n", "43"), ("n", "many"), ("on", "true"), ("on", "0")] {
        let mut sent: Vec<_> = good.iter().copied().filter(|(name, _)| *name != header).collect();
        assert_eq!(check(&sent).unwrap_err().code, code::HEADER_MISMATCH, "without {header}");
        sent.push((header, value));
        assert_eq!(check(&sent).unwrap_err().code, code::HEADER_MISMATCH, "{header}: {value}");
    }
    for absent in ["absent", "null"] {
        let sent: Vec<_> = good.iter().copied().chain([(absent, "x")]).collect();
        check(&sent).unwrap_err();
    }
}

#[test]
fn http_08_values_of_another_type_agree_with_no_header() {
    let annotations = annotations(r#""n":{"type":"integer","x-mcp-header":"N"}"#);
    let says = |header: &str, value: &str| {
        let arguments = format!(r#"{{"n":{value}}}"#);
        let arguments = Json::parse(&arguments).unwrap();
        annotations.check(&headers(&[("n", header)]), Member::Value(arguments)).is_ok()
    };
    assert!(says("42", "42") && says("42.0", "42") && says("42", "4.2e1") && says("-7", "-7"));
    // Both are the same double.
    assert!(!says("9007199254740993", "9007199254740992"));
    assert!(!says("[1]", "[1]") && !says("{}", "{}") && !says("NaN", "1"));
}

#[test]
fn wrong_annotations_are_found() {
    let cases = [
        (r#""a":{"type":"string","x-mcp-header":""}"#, "empty"),
        (r#""a":{"type":"string","x-mcp-header":7}"#, "not a string"),
        (r#""a":{"type":"string","x-mcp-header":null}"#, "not a string"),
        (r#""a":{"type":"number","x-mcp-header":"A"}"#, "neither"),
        (r#""a":{"type":"object","x-mcp-header":"A"}"#, "neither"),
        (r#""a":{"type":"null","x-mcp-header":"A"}"#, "neither"),
        (r#""a":{"type":["null"],"x-mcp-header":"A"}"#, "neither"),
        (r#""a":{"type":["string","number"],"x-mcp-header":"A"}"#, "neither"),
        (r#""a":{"type":["string",7],"x-mcp-header":"A"}"#, "neither"),
        (r##""a":{"$ref":"#/x","x-mcp-header":"A"}"##, "neither"),
        (r#""a":{"type":"string","x-mcp-header":"My Region"}"#, "header name"),
        (r#""a":{"type":"string","x-mcp-header":"A:"}"#, "header name"),
        (r#""a":{"type":"string","x-mcp-header":"Ä"}"#, "header name"),
        (r#""a":{"type":"string","x-mcp-header":"A\r\nB: c"}"#, "header name"),
        (r#""a":{"type":"string","x-mcp-header":"A"},"b":{"type":"string","x-mcp-header":"a"}"#, "two"),
        (r#""a":{"type":"array","items":{"type":"string","x-mcp-header":"A"}}"#, "where"),
        (r#""a":{"anyOf":[{"type":"string","x-mcp-header":"A"}]}"#, "where"),
        (r#""a":{"not":{"properties":{"b":{"type":"string","x-mcp-header":"A"}}}}"#, "where"),
    ];
    for (properties, expected) in cases {
        let annotations = annotations(properties);
        let problem = annotations.arguments().unwrap_err();
        assert!(problem.contains(expected), "{properties}: {problem}");
    }
    let root = Json::parse(r#"{"type":"object","x-mcp-header":"A"}"#).unwrap();
    assert!(HeaderAnnotations::of(Member::Value(root)).arguments().unwrap_err().contains("where"));
}

#[test]
fn http_08_a_wrong_annotation_does_not_switch_off_the_check_of_the_others() {
    let annotations = annotations(
        r#""bad":{"type":"object","x-mcp-header":"Bad"},"good":{"type":"string","x-mcp-header":"Good"}"#,
    );
    let arguments = Json::parse(r#"{"good":"x"}"#).unwrap();
    annotations.check(&headers(&[("good", "x")]), Member::Value(arguments)).unwrap();
    annotations.check(&headers(&[("good", "y")]), Member::Value(arguments)).unwrap_err();
}

#[test]
fn unsafe_integers_stay_out() {
    assert_eq!(as_text(Json::parse("9007199254740993").unwrap()), None);
    assert_eq!(as_text(Json::parse("-7").unwrap()), Some("-7".into()));
    assert_eq!(as_text(Json::parse("1.5").unwrap()), None);
}
