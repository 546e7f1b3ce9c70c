//! Read-only views of lists and results.
use overt_wire::json::{Json, Member};
use overt_wire::view::{CallResult, Content, Page, Prompt, Resource, Tool};

fn json(text: &str) -> Json<'_> {
    Json::parse(text).unwrap()
}

#[test]
fn a_page_has_items_and_perhaps_a_cursor() {
    let page = Page(json(r#"{"tools":[{"name":"a"},{"name":"b"}],"nextCursor":"c\u0031"}"#));
    let names: Vec<_> = page.items("tools").map(|tool| Tool(tool).name().unwrap()).collect();
    assert_eq!(names, ["a", "b"]);
    assert_eq!(page.next_cursor().unwrap(), "c1");
    let empty = Page(json(r#"{"tools":null}"#));
    assert_eq!(empty.items("tools").count() + empty.items("prompts").count(), 0);
    assert_eq!(empty.next_cursor(), None);
}

#[test]
fn a_tool_shows_what_it_names_and_keeps_the_rest() {
    let text = r#"{"name":"t","title":"T","description":"d","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true},"dashdash":1}"#;
    let tool = Tool(json(text));
    assert_eq!(
        (tool.name().unwrap(), tool.title().unwrap(), tool.description().unwrap()),
        ("t".into(), "T".into(), "d".into())
    );
    assert_eq!(tool.input_schema().get("type").string().unwrap(), "object");
    assert_eq!(tool.annotation("readOnlyHint").value().and_then(Json::bool), Some(true));
    assert_eq!(tool.annotation("x"), Member::Absent);
    assert_eq!(tool.0.as_str(), text);
    assert_eq!(Tool(json(r#"{"name":7}"#)).name(), None, "a name is a string");
}

#[test]
fn resources_and_prompts() {
    let resource = Resource(json(r#"{"uri":"file:///a","name":"a","mimeType":"text/plain"}"#));
    assert_eq!(
        (resource.uri().unwrap(), resource.mime_type().unwrap()),
        ("file:///a".into(), "text/plain".into())
    );
    assert_eq!((resource.uri_template(), resource.title(), resource.description()), (None, None, None));
    let prompt = Prompt(json(r#"{"name":"p","arguments":[{"name":"a","required":true},{"name":"b"},{}]}"#));
    let arguments: Vec<_> = prompt.arguments().collect();
    assert_eq!(arguments, [("a".into(), true), ("b".into(), false)]);
}

#[test]
fn results_of_calls() {
    let result = CallResult(json(
        r#"{"content":[{"type":"text","text":"hi"},{"type":"resource","resource":{"uri":"u","text":"t"}}],"isError":true,"structuredContent":{}}"#,
    ));
    assert!(result.is_error());
    let kinds: Vec<_> = result.content().map(|item| item.kind().unwrap()).collect();
    assert_eq!(kinds, ["text", "resource"]);
    let embedded = result.content().find_map(Content::resource).unwrap();
    assert_eq!((embedded.uri().unwrap(), embedded.text().unwrap()), ("u".into(), "t".into()));
    assert_eq!(result.structured(), Member::Value(json("{}")));
    assert!(!CallResult(json("{}")).is_error());
}
