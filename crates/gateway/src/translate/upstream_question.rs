//! Shows a question of the upstream to a person: its message begins with the server's name, its
//! text can't control the screen, and it can't be mistaken for an approval of Overt. Field names
//! that our own forms use are renamed for the client, and restored for the upstream. Pure
//! functions; no state is kept in between.
use std::borrow::Cow;

use overt_policy::mark::key as mark;
use overt_wire::edit::{self, EditError, Step};
use overt_wire::json::{Array, Json, JsonBuf, Object};
use overt_wire::text::{Untrusted, UntrustedLines, is_deceptive};
use overt_wire::{ErrorObject, Kind, Message, Method};
use serde_json::Value;

/// The fields of our own forms (`layers/src/authorize/question.rs`).
const OUR_FIELDS: [&str; 3] = overt_layers::APPROVAL_FIELDS;
/// The titles of these fields.
const OUR_TITLES: [&str; 3] = overt_layers::APPROVAL_TITLES;
/// The prefix of an upstream's field whose name is one of ours.
const FIELD_PREFIX: &str = "upstream_";
/// The prefix of a question's key if it is one of ours.
const KEY_PREFIX: &str = "upstream/";
/// The most characters of a message or description. The rest is visibly cut off.
const LONGEST_TEXT: usize = 4_000;

/// Returns the parameters of a question for the client. `None` if they need no change, because the
/// question is not shown to a person.
pub(crate) fn attribute(
    method: &str,
    params: Option<Json<'_>>,
    server: &str,
) -> Result<Option<JsonBuf>, ErrorObject> {
    let (Method::Elicit, Some(params)) = (Method::of(method), params) else { return Ok(None) };
    if params.get("mode").string().as_deref() == Some("url") {
        check_address(params)?;
    }
    let mut shown = Object::with_capacity(params.as_str().len() + 64);
    for (name, value) in params.members() {
        let name = name.name();
        shown = match (&*name, value.string()) {
            ("message", Some(message)) => shown.string("message", &attributed(&message, server)),
            ("requestedSchema", _) => shown.json("requestedSchema", form(value, server)?.as_json()),
            _ => shown.json(&name, value),
        };
    }
    Ok(Some(shown.finish()))
}

/// Attributes the questions in a message's `inputRequests` to the upstream.
pub(crate) fn attribute_input_requests(message: Message, server: &str) -> Result<Message, ErrorObject> {
    if !message.text().contains("inputRequests") && !message.text().contains("\\u00") {
        return Ok(message);
    }
    for part in ["result", "params"] {
        let requests = message.as_json().get(part).get("inputRequests").value();
        let Some(requests) = requests.filter(|requests| requests.is_object()) else { continue };
        let mut shown = Object::with_capacity(requests.as_str().len() + 256);
        for (key, request) in requests.members() {
            let key = to_client(&key.name(), KEY_PREFIX, |key| key.starts_with(mark::PREFIX)).into_owned();
            let method = request.get("method").string().unwrap_or_default();
            let params = attribute(&method, request.get("params").value(), server)?;
            shown = match params {
                Some(params) => shown.json(&key, with_member(request, "params", params.as_json()).as_json()),
                None => shown.json(&key, request),
            };
        }
        let path = [Step::Member(part), Step::Member("inputRequests")];
        return edit::set_in(&message, &path, shown.finish().as_json()).map_err(|_| ErrorObject::internal());
    }
    Ok(message)
}

/// Returns the client's answer to a question with the upstream's own field names. An answer without
/// renamed fields is unchanged.
pub(crate) fn answer_for_upstream(result: Option<Json<'_>>) -> JsonBuf {
    let Some(result) = result else { return JsonBuf::empty_object() };
    let Some(content) = result.get("content").value().filter(|content| content.is_object()) else {
        return result.to_buf();
    };
    if !content.members().any(|(name, _)| is_renamed_field(&name.name())) {
        return result.to_buf();
    }
    let fields = content.members().fold(Object::new(), |fields, (name, value)| {
        let name = name.name();
        fields.json(&to_upstream(&name, FIELD_PREFIX, is_our_field), value)
    });
    with_member(result, "content", fields.finish().as_json())
}

/// Returns a request whose answers in `inputResponses` have the upstream's own names. `None` if it
/// has no answers.
pub(crate) fn answers_for_upstream(request: &Message) -> Result<Option<Message>, EditError> {
    let responses = request.param("inputResponses").value();
    let Some(responses) = responses.filter(|responses| responses.is_object()) else {
        return Ok(None);
    };
    let restored = responses.members().fold(Object::new(), |restored, (key, response)| {
        let key = key.name();
        let key = to_upstream(&key, KEY_PREFIX, |key| key.starts_with(mark::PREFIX));
        restored.json(&key, answer_for_upstream(Some(response)).as_json())
    });
    let path = [Step::Member("params"), Step::Member("inputResponses")];
    edit::set_in(request, &path, restored.finish().as_json()).map(Some)
}

/// Checks the answer of an upstream that wants a person to open addresses first (an error with
/// `elicitations`).
pub(crate) fn check_error(answer: &Message) -> Result<(), ErrorObject> {
    if answer.kind() != Kind::Error || !answer.text().contains("elicitations") {
        return Ok(());
    }
    let asked = answer.as_json().get("error").get("data").get("elicitations").value();
    asked.iter().flat_map(|asked| asked.elements()).try_for_each(check_address)
}

/// Checks the address that a person is asked to open: it must be of a web page, and readable. The
/// client may open it as it is.
fn check_address(params: Json<'_>) -> Result<(), ErrorObject> {
    let url = params.get("url").string().unwrap_or_default();
    let rest = ["https://", "http://"].iter().find_map(|scheme| {
        let (start, rest) = url.split_at_checked(scheme.len())?;
        start.eq_ignore_ascii_case(scheme).then_some(rest)
    });
    let authority = rest.and_then(|rest| rest.split(['/', '\\', '?', '#']).next()).unwrap_or_default();
    let is_readable = !url.chars().any(|c| c.is_whitespace() || is_deceptive(c));
    if authority.is_empty() || authority.contains('@') || !is_readable {
        return Err(ErrorObject::invalid_params(
            "the address to open must begin with `https://` or `http://`, name a host and no user, and have no \
             blank or invisible characters",
        ));
    }
    Ok(())
}

/// Returns `NAME asks: …`. Further lines are marked too, so that none can be mistaken for a text of
/// ours.
fn attributed(message: &str, server: &str) -> String {
    let shown = UntrustedLines(&cut(message)).to_string();
    let mut lines = shown.lines();
    let first = lines.next().unwrap_or_default();
    let mut text = format!("{} asks: {first}", Untrusted(server));
    for line in lines {
        text.push_str("\n> ");
        text.push_str(line);
    }
    text
}

/// Returns the schema of a form with its texts escaped, and with fields renamed that have names of
/// ours.
fn form(schema: Json<'_>, server: &str) -> Result<JsonBuf, ErrorObject> {
    let mut shown = Object::with_capacity(schema.as_str().len() + 64);
    for (name, value) in schema.members() {
        let name = name.name();
        shown = match &*name {
            "properties" if value.is_object() => {
                let mut fields = Object::new();
                for (field, definition) in value.members() {
                    let field = field.name();
                    check_value(&field, "the name of a field")?;
                    let renamed = to_client(&field, FIELD_PREFIX, is_our_field);
                    fields = fields.json(&renamed, definition_of(definition, server)?.as_json());
                }
                shown.json("properties", fields.finish().as_json())
            }
            "required" if value.is_array() => {
                let fields = value.elements().fold(Array::new(), |fields, field| match field.string() {
                    Some(name) => fields.json(text(&to_client(&name, FIELD_PREFIX, is_our_field)).as_json()),
                    None => fields.json(field),
                });
                shown.json("required", fields.finish().as_json())
            }
            "title" | "description" => shown.json(&name, shown_text(&name, value, server).as_json()),
            _ => shown.json(&name, value),
        };
    }
    Ok(shown.finish())
}

/// Returns a field, or one of its choices, with its texts escaped.
fn definition_of(definition: Json<'_>, server: &str) -> Result<JsonBuf, ErrorObject> {
    if !definition.is_object() {
        return Ok(definition.to_buf());
    }
    let mut shown = Object::with_capacity(definition.as_str().len() + 32);
    for (name, value) in definition.members() {
        let name = name.name();
        shown = match &*name {
            "title" | "description" => shown.json(&name, shown_text(&name, value, server).as_json()),
            "enumNames" if value.is_array() => {
                let names = value.elements().fold(Array::new(), |names, choice| {
                    names.json(shown_text("title", choice, server).as_json())
                });
                shown.json("enumNames", names.finish().as_json())
            }
            "oneOf" | "anyOf" if value.is_array() => {
                let mut choices = Array::new();
                for choice in value.elements() {
                    choices = choices.json(definition_of(choice, server)?.as_json());
                }
                shown.json(&name, choices.finish().as_json())
            }
            "items" => shown.json("items", definition_of(value, server)?.as_json()),
            // These are values that come back in the answer, so they can't be escaped.
            "enum" | "const" | "default" => {
                let values = value.elements().chain([value]).filter_map(Json::string);
                for value in values {
                    check_value(&value, "a choice or a default")?;
                }
                shown.json(&name, value)
            }
            _ => shown.json(&name, value),
        };
    }
    Ok(shown.finish())
}

fn shown_text(name: &str, value: Json<'_>, server: &str) -> JsonBuf {
    let Some(written) = value.string() else { return value.to_buf() };
    let written = cut(&written);
    match name {
        "title" if is_our_title(&written) => text(&format!("{}: {}", Untrusted(server), Untrusted(&written))),
        "title" => text(&Untrusted(&written).to_string()),
        _ => text(&UntrustedLines(&written).to_string()),
    }
}

/// Rejects values that a person can't read as they are.
fn check_value(value: &str, what: &str) -> Result<(), ErrorObject> {
    if value.chars().any(|c| is_deceptive(c) && !matches!(c, '\n' | '\t')) {
        return Err(ErrorObject::invalid_params(format!(
            "{what} in the form has control or invisible characters, so a person can't see what they answer; leave them out"
        )));
    }
    Ok(())
}

fn is_our_field(name: &str) -> bool {
    OUR_FIELDS.iter().any(|ours| ours.eq_ignore_ascii_case(name))
}

fn is_renamed_field(name: &str) -> bool {
    matches!(to_upstream(name, FIELD_PREFIX, is_our_field), Cow::Owned(_))
}

fn is_our_title(title: &str) -> bool {
    let plain = |text: &str| -> String {
        text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
    };
    OUR_TITLES.iter().any(|ours| plain(ours) == plain(title))
}

/// Adds a prefix to a name that is one of ours, whatever prefixes it has already, so that no two
/// names become equal.
fn to_client<'a>(name: &'a str, prefix: &str, is_ours: impl Fn(&str) -> bool) -> Cow<'a, str> {
    if is_ours(name.trim_start_matches(prefix)) { format!("{prefix}{name}").into() } else { name.into() }
}

/// Removes one prefix if [`to_client`] added it.
fn to_upstream<'a>(name: &'a str, prefix: &str, is_ours: impl Fn(&str) -> bool) -> Cow<'a, str> {
    match name.strip_prefix(prefix) {
        Some(rest) if is_ours(rest.trim_start_matches(prefix)) => rest.to_owned().into(),
        _ => name.into(),
    }
}

fn with_member(object: Json<'_>, name: &str, value: Json<'_>) -> JsonBuf {
    object
        .members()
        .fold(Object::with_capacity(object.as_str().len()), |copy, (member, old)| {
            copy.json(&member.name(), if member.is(name) { value } else { old })
        })
        .finish()
}

fn text(text: &str) -> JsonBuf {
    JsonBuf::from(&Value::String(text.to_owned()))
}

fn cut(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(LONGEST_TEXT) {
        Some((end, _)) => format!("{}… (cut off)", &text[..end]).into(),
        None => text.into(),
    }
}

#[cfg(test)]
mod tests;
