//! Reads the cases of error recovery from their text.
use serde_json::Value;

/// An error, and the way out of it.
#[derive(Debug)]
pub(super) struct Case {
    /// The error code.
    pub(super) code: String,
    pub(super) steps: Vec<Step>,
}

/// A line of a case.
#[derive(Debug)]
pub(super) enum Step {
    /// Something that happens outside of the calls, and who does it.
    Event { by: Agent, event: String },
    /// `-->`
    Call(Call),
    /// `<--`: the text of the error, in which `…` matches anything.
    Text(String),
    /// The part of the text that says what to do.
    LeadsTo(String),
    /// `take $NAME POINTER`: takes a value of the last result for later lines.
    Take { name: String, pointer: String },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Agent {
    /// The state before the failing call.
    Given,
    /// The user does what the text asks for.
    User,
    /// The cause disappears after a while.
    Later,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Call {
    /// A tool, or a method if it contains a `/`.
    pub(super) name: String,
    pub(super) arguments: Value,
    pub(super) meta: Value,
}

/// Reads the cases of a file. Lines that begin with `#` are comments. A line that begins with four
/// blanks continues the text before it.
pub(super) fn read(text: &str) -> Vec<Case> {
    let mut cases: Vec<Case> = Vec::new();
    for (line, number) in text.lines().zip(1..) {
        if line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        if let Some(code) = line.strip_prefix("== ") {
            let code = code.split(':').next().unwrap_or(code).trim().to_owned();
            cases.push(Case { code, steps: Vec::new() });
            continue;
        }
        let steps =
            &mut cases.last_mut().unwrap_or_else(|| panic!("line {number} is before the first case")).steps;
        if let (Some(more), Some(Step::Text(text))) = (line.strip_prefix("    "), steps.last_mut()) {
            text.push('\n');
            text.push_str(more);
            continue;
        }
        steps.push(step(line).unwrap_or_else(|| panic!("line {number} can't be read: {line}")));
    }
    cases
}

fn step(line: &str) -> Option<Step> {
    if let Some(call) = line.strip_prefix("--> ") {
        return Call::read(call).map(Step::Call);
    }
    if let Some(text) = line.strip_prefix("<-- ") {
        return Some(Step::Text(text.to_owned()));
    }
    if let Some(take) = line.strip_prefix("take $") {
        let (name, pointer) = take.split_once(' ')?;
        return Some(Step::Take { name: name.to_owned(), pointer: pointer.to_owned() });
    }
    let (word, rest) = line.split_once(": ")?;
    let by = match word {
        "given" => Agent::Given,
        "user" => Agent::User,
        "later" => Agent::Later,
        "leads to" => return Some(Step::LeadsTo(rest.to_owned())),
        _ => return None,
    };
    Some(Step::Event { by, event: rest.to_owned() })
}

impl Call {
    /// Reads `NAME ARGUMENTS`, optionally followed by ` with META`.
    pub(super) fn read(text: &str) -> Option<Self> {
        let (name, rest) = text.split_once(' ')?;
        let (arguments, meta) = rest.split_once(" with ").unwrap_or((rest, "{}"));
        let json = |text: &str| serde_json::from_str(text).ok();
        Some(Self { name: name.to_owned(), arguments: json(arguments)?, meta: json(meta)? })
    }
}
