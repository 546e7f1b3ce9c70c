//! Asks a person the fields of an elicitation. An answer with several fields is shown before it is
//! sent; an answer on a single line needs no confirmation.
use overt_layers::APPROVAL_FIELDS;
use overt_wire::BoxFuture;
use overt_wire::json::{JsonBuf, Member, Object};

use super::form::{Choice, Field, fields};
use crate::output::{lines, one_line, pretty};

/// A person who reads and types lines, or a test's substitute.
pub(super) trait Person: Send + Sync {
    fn say(&self, text: &str);

    /// Returns the next line; `None` if there will be no more.
    fn answer(&self) -> BoxFuture<'_, Option<String>>;

    /// Returns the next line that was typed after the person could read the question. Approvals
    /// need this, because a line typed before the question was not an answer to it.
    fn considered_answer(&self) -> BoxFuture<'_, Option<String>>;
}

/// The outcome of a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Answer {
    Accept(JsonBuf),
    Decline,
}

impl Answer {
    pub(super) fn to_json(&self) -> JsonBuf {
        match self {
            Self::Accept(content) => {
                Object::new().string("action", "accept").json("content", content.as_json())
            }
            Self::Decline => Object::new().string("action", "decline"),
        }
        .finish()
    }
}

/// Asks the person for the requested fields. `server` is our name for the server.
pub(super) async fn elicit(person: &dyn Person, server: &str, params: Member<'_>) -> Answer {
    let message = params.get("message").string().unwrap_or_default();
    person.say(&format!(
        "\n`{}` asks:\n\n  {}\n\n",
        one_line(server),
        lines(message.trim_end()).replace('\n', "\n  ")
    ));
    let fields = fields(params.get("requestedSchema"));
    match fields.as_slice() {
        [] => return confirm(person).await,
        [first, rest @ ..] if is_one_line(first, rest) => return ask_line(person, first, rest).await,
        _ => {
            person.say(
                "Enter takes the default or skips; `/decline` refuses to answer, Ctrl-C ends the command.\n",
            );
        }
    }
    loop {
        let mut content = Object::new();
        for field in &fields {
            match ask(person, field).await {
                FieldAnswer::Value(value) => content = content.json(field.name(), value.as_json()),
                FieldAnswer::Skip => {}
                FieldAnswer::Decline => return Answer::Decline,
            }
        }
        let content = content.finish();
        if fields.len() == 1 {
            return Answer::Accept(content);
        }
        match review(person, &content).await {
            Review::Send => return Answer::Accept(content),
            Review::Again => {}
            Review::Decline => return Answer::Decline,
        }
    }
}

/// Whether one line can answer everything: a yes or no, followed by an optional word for each
/// further choice.
fn is_one_line(first: &Field<'_>, rest: &[Field<'_>]) -> bool {
    first.is_yes_or_no() && rest.iter().all(|field| !field.required() && field.is_choice())
}

/// Asks once and sends what was typed, without a confirmation.
async fn ask_line(person: &dyn Person, first: &Field<'_>, rest: &[Field<'_>]) -> Answer {
    person.say(&question(first, rest));
    let is_approval = APPROVAL_FIELDS.contains(&first.name());
    loop {
        person.say("> ");
        let line = if is_approval { person.considered_answer() } else { person.answer() };
        let Some(line) = line.await else { return Answer::Decline };
        let content = match (line.trim(), first.default()) {
            ("/decline", _) => return Answer::Decline,
            ("", Some(default)) => Ok(Object::new().json(first.name(), default).finish()),
            ("", None) if first.required() => return Answer::Decline,
            ("", None) => Ok(JsonBuf::empty_object()),
            (line, _) => read_line(first, rest, line),
        };
        match content {
            Ok(content) => return Answer::Accept(content),
            Err(problem) => person.say(&format!("  {}\n", one_line(&problem))),
        }
    }
}

fn read_line(first: &Field<'_>, rest: &[Field<'_>], line: &str) -> Result<JsonBuf, String> {
    // The title of a choice may contain spaces.
    if let Ok(value) = first.read(line) {
        return Ok(Object::new().json(first.name(), value.as_json()).finish());
    }
    let mut words = line.split_whitespace();
    let value = first.read(words.next().unwrap_or_default())?;
    let mut content = Object::new().json(first.name(), value.as_json());
    let mut left: Vec<&Field<'_>> = rest.iter().collect();
    for word in words {
        let of = left.iter().position(|field| field.read(word).is_ok());
        let field = left.remove(of.ok_or_else(|| format!("`{word}` is none of the choices"))?);
        content = content.json(field.name(), field.read(word)?.as_json());
    }
    Ok(content.finish())
}

enum FieldAnswer {
    Value(JsonBuf),
    Skip,
    Decline,
}

async fn ask(person: &dyn Person, field: &Field<'_>) -> FieldAnswer {
    person.say(&question(field, &[]));
    loop {
        person.say("> ");
        let Some(line) = person.answer().await else { return FieldAnswer::Decline };
        match (line.trim(), field.default()) {
            ("/decline", _) => return FieldAnswer::Decline,
            ("", Some(default)) => return FieldAnswer::Value(default.to_buf()),
            ("", None) if field.required() => return FieldAnswer::Decline,
            ("", None) => return FieldAnswer::Skip,
            (text, _) => match field.read(text) {
                Ok(value) => return FieldAnswer::Value(value),
                Err(problem) => person.say(&format!("  {}\n", one_line(&problem))),
            },
        }
    }
}

/// A field with its choices, and the choices that may follow it on the same line.
fn question(field: &Field<'_>, behind: &[Field<'_>]) -> String {
    let mut text = format!("\n{}", one_line(&field.title()));
    let facts = field.facts();
    if !facts.is_empty() {
        text.push_str(&format!(" ({})", one_line(&facts)));
    }
    if let Some(description) = field.description() {
        text.push_str(&format!(": {}", one_line(&description)));
    }
    text.push('\n');
    for (index, choice) in field.choices().iter().enumerate() {
        text.push_str(&format!("  {}) {}\n", index + 1, choice_words(choice)));
    }
    for field in behind {
        text.push_str(&format!("  {} A word behind it, if you like:\n", one_line(&field.title())));
        for choice in field.choices() {
            text.push_str(&format!("     {}\n", choice_words(choice)));
        }
    }
    if field.is_yes_or_no() {
        text.push_str(match field.choices().is_empty() {
            true => "  `y` or `n`\n",
            false => "  `y` is the first yes, `n` the first no; or type a number or a word of the list\n",
        });
    }
    match field.default() {
        Some(default) => text.push_str(&format!("  Enter takes {}\n", one_line(default.as_str()))),
        None if field.required() => text.push_str("  Enter alone declines\n"),
        None => {}
    }
    text
}

fn choice_words(choice: &Choice<'_>) -> String {
    let title = choice.title.as_ref().map(|title| format!("  {}", one_line(title))).unwrap_or_default();
    format!("{}{title}", one_line(&choice.word()))
}

/// Asks a question without fields: yes or no.
async fn confirm(person: &dyn Person) -> Answer {
    loop {
        person.say("Yes or no? [y/n] ");
        let Some(line) = person.answer().await else { return Answer::Decline };
        match line.trim().to_lowercase().as_str() {
            "y" | "yes" => return Answer::Accept(JsonBuf::empty_object()),
            "n" | "no" | "/decline" | "" => return Answer::Decline,
            _ => {}
        }
    }
}

enum Review {
    Send,
    Again,
    Decline,
}

/// Shows all answers to the person before they are sent together.
async fn review(person: &dyn Person, content: &JsonBuf) -> Review {
    person.say(&format!("\nThis will be sent:\n{}\n", pretty(content.as_json())));
    loop {
        person.say("Send it? [y]es, [e]dit or [n]o ");
        let Some(line) = person.answer().await else { return Review::Decline };
        match line.trim().to_lowercase().as_str() {
            "y" | "yes" | "s" | "send" => return Review::Send,
            "e" | "edit" => return Review::Again,
            "n" | "no" | "d" | "decline" | "/decline" | "" => return Review::Decline,
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests;
