//! A message is its text; a refusal is a message again. Every look at either is safe.
#![no_main]
use std::hint::black_box;

use libfuzzer_sys::fuzz_target;
use overt_wire::era::{Caller, has_method};
use overt_wire::frame::one_line;
use overt_wire::json::{Json, Limits};
use overt_wire::view::{CallResult, Page, Prompt, Resource, Tool};
use overt_wire::{Id, Kind, Message, MessageError};

fuzz_target!(|bytes: &[u8]| match Message::parse(bytes.to_vec(), &Limits::default()) {
    Ok(message) => accepted(&message, bytes),
    Err(reject) => refused(&reject),
});

fn accepted(message: &Message, bytes: &[u8]) {
    assert_eq!(message.text().as_bytes(), bytes);
    assert_eq!(parse(message.text()), *message);
    assert_eq!(message.id().is_some(), message.as_json().get("id").value().is_some());
    assert_eq!(message.kind() == Kind::Request, message.method().is_some() && message.id().is_some());
    let line = parse(&one_line(message.text()));
    assert_eq!((line.kind(), line.id()), (message.kind(), message.id()));

    if let Some(method) = message.method() {
        has_method(Caller::era_of(message), method);
        let _ = black_box((Caller::of_modern(message), Caller::of_initialize(message)));
        rebuild(message, method.name());
    }
    if let Some(result) = message.result_body().value() {
        look(result);
        assert_eq!(
            Message::result(message.id().expect("an answer has an id"), result).result_body(),
            message.result_body()
        );
    }
    if let Some(error) = message.error_body() {
        assert_eq!(parse(Message::error(message.id(), &error).text()).error_body(), Some(error));
    }
}

/// A request that is written from its parts has the same parts.
fn rebuild(message: &Message, method: &str) {
    let params = message.params().value();
    let again = match message.id() {
        Some(id) => Message::request(id, method, params),
        None => Message::notification(method, params),
    };
    assert_eq!(again.id().map(Id::token), message.id().map(Id::token));
    assert_eq!(again.params().value(), params);
    assert_eq!(parse(again.text()), again);
}

fn look(result: Json<'_>) {
    let page = Page(result);
    black_box(page.next_cursor());
    for item in ["tools", "resources", "prompts"].into_iter().flat_map(|name| page.items(name)) {
        black_box((Tool(item).name(), Tool(item).input_schema(), Tool(item).annotation("readOnlyHint")));
        black_box((Resource(item).uri(), Prompt(item).arguments().count()));
    }
    let call = CallResult(result);
    black_box((call.is_error(), call.structured(), call.content().filter_map(|item| item.text()).count()));
}

fn refused(reject: &MessageError) {
    if let Some(answer) = reject.answer() {
        assert_eq!(parse(answer.text()), answer);
        assert_eq!(answer.id(), reject.id.as_ref());
    }
}

fn parse(text: &str) -> Message {
    Message::parse(text.as_bytes().to_vec(), &Limits::default())
        .expect("a message that was accepted or written")
}
