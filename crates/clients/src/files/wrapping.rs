//! The edits that put Overt in front of a server. The words of the server stay as written; Overt's
//! words are inserted before them.
use super::document::{Document, Entry};
use super::launch::{Form, Launch, Program};
use super::refusal::Refusal;
use super::remote::{self, Login};
use super::splice::{Edit, EditPosition};
use super::wrapper::Wrapper;
use crate::Syntax;

/// Returns the edits for one entry.
pub fn wrap(
    document: &Document,
    entry: &Entry,
    launch: &Launch<'_>,
    wrapper: &Wrapper,
    login: &dyn Fn(&str) -> Login,
) -> Result<Vec<Edit>, Refusal> {
    match launch {
        Launch::Wrapped(_) | Launch::Own => Ok(Vec::new()),
        Launch::Program(program) => wrap_program(document, entry, program, wrapper),
        Launch::Remote(remote) => {
            remote::wrap(document, entry, remote, wrapper, login(remote.url)).map(|edit| vec![edit])
        }
    }
}

/// Returns the edits that replace a server with Overt's own file server, with these folders.
pub fn own_server(
    document: &Document,
    entry: &Entry,
    program: &Program<'_>,
    wrapper: &Wrapper,
    roots: &[&str],
) -> Result<Vec<Edit>, Refusal> {
    let Form::Words(member) = program.form else { return Err(Refusal::Shape("command")) };
    let words: Vec<String> =
        std::iter::once("fs").chain(roots.iter().copied()).map(|word| document.quote(word)).collect();
    let args = program.holder.get("args").ok_or(Refusal::Shape("args"))?;
    Ok(vec![
        value(document, entry, program, member, document.quote(&wrapper.program))?,
        Edit::new(
            document,
            entry,
            place(program, "args"),
            args.range.clone(),
            format!("[{}]", words.join(", ")),
        ),
    ])
}

fn wrap_program(
    document: &Document,
    entry: &Entry,
    program: &Program<'_>,
    wrapper: &Wrapper,
) -> Result<Vec<Edit>, Refusal> {
    let quote = |word: &String| document.quote(word);
    let mut words: Vec<String> = wrapper.words(&entry.id.name).iter().map(quote).collect();
    words.push(document.quote("--"));
    let member = match program.form {
        Form::List => {
            words.insert(0, document.quote(&wrapper.program));
            return Ok(vec![in_list(document, entry, program, "command", &words)?]);
        }
        Form::Words(member) => member,
    };
    let command = program.holder.member(member).ok_or(Refusal::NoTarget)?;
    words.push(match document.syntax() {
        // In a YAML list a plain text can have another meaning.
        Syntax::Yaml => document.quote(program.words.first().copied().unwrap_or_default()),
        // The command is copied as written, so that the client reads it as before.
        Syntax::Json | Syntax::Toml => document.text()[command.node.range.clone()].to_owned(),
    });
    let start = value(document, entry, program, member, document.quote(&wrapper.program))?;
    let arguments = match program.holder.get("args") {
        Some(args) if args.is_null() => {
            let list = format!("[{}]", words.join(", "));
            Edit::new(document, entry, place(program, "args"), args.range.clone(), list)
        }
        Some(_) => in_list(document, entry, program, "args", &words)?,
        None => {
            let end = command.node.range.end;
            let written = added_member(document, entry, command.name_range.start, &words.join(", "))?;
            let place = EditPosition { is_after: true, ..place(program, member) };
            Edit::new(document, entry, place, end..end, written)
        }
    };
    Ok(vec![start, arguments])
}

/// Returns the edit that replaces the value of a member.
fn value(
    document: &Document,
    entry: &Entry,
    program: &Program<'_>,
    member: &'static str,
    written: String,
) -> Result<Edit, Refusal> {
    let node = program.holder.get(member).ok_or(Refusal::NoTarget)?;
    Ok(Edit::new(document, entry, place(program, member), node.range.clone(), written))
}

/// Returns the edit that inserts the words before the first element of a list, in the layout of the
/// list.
fn in_list(
    document: &Document,
    entry: &Entry,
    program: &Program<'_>,
    member: &'static str,
    words: &[String],
) -> Result<Edit, Refusal> {
    let list = program.holder.get(member).ok_or(Refusal::Shape(member))?;
    let text = &document.text()[list.range.clone()];
    if !text.starts_with('[') {
        let written = block_items(document, list.range.start, words)?;
        return Ok(Edit::new(document, entry, place(program, member), list.range.clone(), written + text));
    }
    let words = words.join(", ");
    let written = match list.elements().first() {
        None => format!("[{words}{}", &text[1..]),
        Some(first) => {
            let gap = &text[1..first.range.start - list.range.start];
            let is_space = gap.chars().all(char::is_whitespace);
            match is_space && gap.contains('\n') {
                true => format!("[{gap}{words},{gap}{}", &text[1 + gap.len()..]),
                false if is_space => format!("[{gap}{words}, {}", &text[1 + gap.len()..]),
                // A comment stands before the element. It stays with the element that it describes.
                false => format!("[{words},{}", &text[1..]),
            }
        }
    };
    Ok(Edit::new(document, entry, place(program, member), list.range.clone(), written))
}

/// Writes the words as items of a YAML block that begins at `start`, each on its own line.
fn block_items(document: &Document, start: usize, words: &[String]) -> Result<String, Refusal> {
    let before = &document.text()[..start];
    let indent = &before[before.rfind('\n').map_or(0, |end| end + 1)..];
    if !indent.chars().all(|c| c == ' ') {
        return Err(Refusal::Layout("a list that begins in the middle of a line"));
    }
    let line_end = document.line_end();
    Ok(words.iter().map(|word| format!("- {word}{line_end}{indent}")).collect())
}

/// Writes the member `args` to be inserted after a member that begins at `start`, in the same
/// layout.
fn added_member(document: &Document, entry: &Entry, start: usize, words: &str) -> Result<String, Refusal> {
    let before = &document.text()[..start];
    let line = before.rfind('\n').map_or(0, |end| end + 1);
    let indent = &before[line..];
    let is_alone = indent.chars().all(char::is_whitespace);
    let line_end = document.line_end();
    match document.syntax() {
        // After `- ` the other members are aligned with the first one.
        Syntax::Yaml if indent.chars().all(|c| c == ' ' || c == '-') && !in_flow(document, entry) => {
            Ok(format!("{line_end}{}args: [{words}]", " ".repeat(indent.len())))
        }
        Syntax::Yaml => Err(Refusal::Layout("a command without `args` in braces")),
        Syntax::Json => Ok(match is_alone && line > 0 {
            true => format!(",{line_end}{indent}\"args\": [{words}]"),
            false => format!(", \"args\": [{words}]"),
        }),
        Syntax::Toml if in_flow(document, entry) => Ok(format!(", args = [{words}]")),
        Syntax::Toml if is_alone => Ok(format!("{line_end}{indent}args = [{words}]")),
        Syntax::Toml => Err(Refusal::Layout("dotted keys without `args`")),
    }
}

/// Returns whether the entry is written in braces.
fn in_flow(document: &Document, entry: &Entry) -> bool {
    document.text()[entry.node.range.clone()].starts_with('{')
}

fn place(program: &Program<'_>, member: &str) -> EditPosition {
    let path = program.inside.into_iter().chain([member]).map(str::to_owned).collect();
    EditPosition { path, is_after: false }
}
