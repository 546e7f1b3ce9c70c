//! The scopes that a call needs, as templates over its arguments: `write:file:{path}`. An argument
//! that leaves something open needs the wider scope, so a template can ask for too much but never
//! for too little.
use std::fmt;

use serde_json::{Number, Value};

use super::action::Action;
use super::error::ScopeError;
use super::grammar::{self, END, ROOT};
use super::value::Scope;
use crate::members::kind;

/// A scope with placeholders for arguments.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ScopeTemplate {
    /// The text as written; `None` if it has no arguments, because `fixed` is then the same.
    text: Option<Box<str>>,
    /// The part before the first argument.
    fixed: Scope,
    /// The components from the first argument on.
    steps: Vec<Step>,
    /// True if the arguments of a call were filled in and made it narrower than what calls need in
    /// general.
    is_narrowed: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Step {
    Name(Box<str>),
    Argument(Box<str>),
}

/// The value of an argument.
enum ArgumentValue {
    /// No value, which may mean everything to the tool.
    Nothing,
    Number(String),
    Text(String),
}

/// The most scopes that one call may need, over all elements of its lists.
const MOST_SCOPES: usize = 256;

impl ScopeTemplate {
    pub fn parse(text: &str) -> Result<Self, ScopeError> {
        let Some(brace) = text.find(['{', '}']) else {
            return Scope::parse(text).map(Self::exactly);
        };
        if text.len() > Scope::MOST_BYTES {
            return Err(grammar::too_long(text.len()));
        }
        let before = &text[..brace];
        let is_whole = before.ends_with('/') || before.ends_with(':');
        if before.matches(':').count() < 2 || !is_whole {
            return Err(ScopeError::new(
                brace,
                "an argument must be a whole component after the kind, such as `write:file:{path}`",
            ));
        }
        if let Some(star) = before.find('*') {
            return Err(ScopeError::new(star, "`*` can't stand before an argument; write what is meant"));
        }
        let fixed = Scope::parse(match before.strip_suffix('/') {
            // The root itself keeps its slash.
            Some(path) if !path.ends_with(':') => path,
            Some(_) => before,
            None => before.strip_suffix(':').unwrap_or(before),
        })?;
        let mut at = brace;
        let mut steps = Vec::new();
        for component in text[brace..].split('/') {
            steps.push(step(component, at)?);
            at += component.len() + 1;
        }
        Ok(Self { text: Some(text.into()), fixed, steps, is_narrowed: false })
    }

    /// Returns a template without arguments.
    pub fn exactly(scope: Scope) -> Self {
        Self { text: None, fixed: scope, steps: Vec::new(), is_narrowed: false }
    }

    /// Returns the templates of a call with these arguments. They have no placeholders, and record
    /// whether the arguments made them narrower.
    pub fn filled_in(&self, arguments: &Value) -> Result<Vec<Self>, ScopeError> {
        let filled = self.fill(arguments)?.into_iter();
        let narrowed = filled.map(|scope| (self.is_narrowed || scope != self.fixed, scope));
        Ok(narrowed.map(|(is_narrowed, scope)| Self { is_narrowed, ..Self::exactly(scope) }).collect())
    }

    /// Returns this template with the action `read`.
    #[must_use]
    pub fn reading(&self) -> Self {
        let reading = |text: &str| {
            let rest = text.find(':').map_or("", |end| &text[end..]);
            format!("{}{rest}", Action::Read).into()
        };
        Self {
            text: self.text.as_deref().map(reading),
            fixed: self.fixed.reading(),
            steps: self.steps.clone(),
            is_narrowed: self.is_narrowed,
        }
    }

    /// Returns the scopes that a call with these arguments needs. An argument that is a list gives
    /// one scope for each element.
    pub fn fill(&self, arguments: &Value) -> Result<Vec<Scope>, ScopeError> {
        let mut open = vec![self.fixed.key().to_owned()];
        let mut done = Vec::new();
        for step in &self.steps {
            if open.is_empty() {
                break;
            }
            match step {
                Step::Name(name) => open.iter_mut().for_each(|key| push(key, name)),
                Step::Argument(name) => {
                    let values = values(arguments.get(&**name), name)?;
                    if open.len().saturating_mul(values.len()) > MOST_SCOPES {
                        return Err(ScopeError::new(
                            0,
                            format!(
                                "the call needs more than {MOST_SCOPES} scopes; split it into several calls"
                            ),
                        ));
                    }
                    let mut next = Vec::with_capacity(open.len() * values.len());
                    for key in open {
                        for value in &values {
                            match extend(&key, value, name)? {
                                ExtendedKey::Whole(key) => next.push(key),
                                ExtendedKey::Cut(key) => done.push(key),
                            }
                        }
                    }
                    open = next;
                }
            }
        }
        done.append(&mut open);
        done.into_iter().map(checked).collect()
    }

    /// Returns the part before the first argument, which is the most that any call needs.
    pub fn widest(&self) -> Scope {
        self.fixed.clone()
    }

    /// Returns the names of its arguments.
    pub fn arguments(&self) -> impl Iterator<Item = &str> {
        self.steps.iter().filter_map(|step| match step {
            Step::Argument(name) => Some(&**name),
            Step::Name(_) => None,
        })
    }

    /// Returns whether it has no placeholders.
    pub fn is_fixed(&self) -> bool {
        self.steps.is_empty()
    }

    /// Returns the scope, if it has no placeholders.
    pub fn as_fixed(&self) -> Option<&Scope> {
        self.is_fixed().then_some(&self.fixed)
    }

    /// Returns whether the arguments of a call were filled in and made it narrower, so that other
    /// calls may need neighbouring scopes.
    pub fn is_narrowed(&self) -> bool {
        self.is_narrowed
    }
}

enum ExtendedKey {
    Whole(String),
    /// The argument leaves the rest open, so the scope ends here.
    Cut(String),
}

fn step(component: &str, at: usize) -> Result<Step, ScopeError> {
    let Some(name) = component.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')) else {
        return match component.find(['{', '}']) {
            Some(index) => Err(ScopeError::new(
                at + index,
                "an argument must be a whole component, such as `{path}` between two `/`",
            )),
            None => grammar::check_component(component, at).map(|()| Step::Name(component.into())),
        };
    };
    if name.is_empty() || name.contains(['{', '}']) {
        return Err(ScopeError::new(at, "the braces must hold the name of one argument, such as `{path}`"));
    }
    Ok(Step::Argument(name.into()))
}

/// Returns the value of an argument, or of each element of a list.
fn values(argument: Option<&Value>, name: &str) -> Result<Vec<ArgumentValue>, ScopeError> {
    match argument {
        Some(Value::Array(items)) if !items.is_empty() => {
            items.iter().take(MOST_SCOPES + 1).map(|item| read_argument(item, name)).collect()
        }
        // An empty list may mean everything to the tool.
        None | Some(Value::Array(_)) => Ok(vec![ArgumentValue::Nothing]),
        Some(value) => Ok(vec![read_argument(value, name)?]),
    }
}

fn read_argument(value: &Value, name: &str) -> Result<ArgumentValue, ScopeError> {
    match value {
        Value::Null => Ok(ArgumentValue::Nothing),
        Value::String(text) => Ok(ArgumentValue::Text(text.clone())),
        Value::Number(number) => integer(number)
            .map(ArgumentValue::Number)
            .ok_or_else(|| wrong(name, "is not an integer that a scope can be made of")),
        Value::Bool(_) | Value::Array(_) | Value::Object(_) => Err(ScopeError::new(
            0,
            format!("the argument `{name}` is {}; a scope is made of a string or a number", kind(value)),
        )),
    }
}

/// Returns the canonical text of an integer: `7`, `7.0` and `70e-1` are the same number.
fn integer(number: &Number) -> Option<String> {
    /// Beyond this, two integers can be the same float.
    const MOST: f64 = 9_007_199_254_740_991.0;
    if number.is_i64() || number.is_u64() {
        return Some(number.to_string());
    }
    let float = number.as_f64().filter(|float| float.fract() == 0.0 && float.abs() <= MOST)?;
    // Adding 0.0 removes the sign of a negative zero.
    Some(format!("{:.0}", float + 0.0))
}

/// Appends the components of an argument. The scope ends at a component that could mean several
/// things, such as a pattern.
fn extend(key: &str, value: &ArgumentValue, name: &str) -> Result<ExtendedKey, ScopeError> {
    let mut key = key.to_owned();
    let value = match value {
        ArgumentValue::Nothing => return Ok(ExtendedKey::Cut(key)),
        ArgumentValue::Number(number) => {
            push(&mut key, number);
            return Ok(ExtendedKey::Whole(key));
        }
        ArgumentValue::Text(text) => text,
    };
    let begins_detail = key.matches(END).count() == 1;
    if !begins_detail && leaves_its_folder(value) {
        return Err(wrong(name, "is an absolute path beneath another one; use a relative path"));
    }
    let mut rest = value.strip_suffix('/').filter(|path| !path.is_empty()).unwrap_or(value);
    // Only a detail can begin at the root; further in, an absolute path would leave the folder
    // before it.
    if let Some(path) = rest.strip_prefix('/') {
        push(&mut key, ROOT);
        rest = path;
    } else {
        while let Some(path) = rest.strip_prefix("./") {
            rest = path;
        }
    }
    if rest.is_empty() || rest == "." {
        return Ok(ExtendedKey::Cut(key));
    }
    if rest.contains('\0') {
        return Err(wrong(name, "holds a NUL; leave it out"));
    }
    if rest.split(['/', '\\']).any(|component| component == "..") {
        return Err(wrong(name, "holds `..`; write the path that is meant"));
    }
    // Only the server knows where such a path leads: to its own folder, a home folder, or a drive.
    if begins_detail && !value.starts_with('/') && (rest.contains('/') || !is_plain_name(rest)) {
        return match rest.split('/').any(|component| component.is_empty() || component == ".") {
            true => Err(wrong(name, NO_COMPONENT)),
            false => Ok(ExtendedKey::Cut(key)),
        };
    }
    let before = key.matches(END).count();
    for (added, component) in rest.split('/').enumerate() {
        let is_open = component.contains(|c: char| is_pattern(c) || c == '\\' || c.is_control())
            || key.len() + component.len() + 1 > Scope::MOST_BYTES
            || before + added > Scope::MOST_COMPONENTS;
        if is_open {
            return Ok(ExtendedKey::Cut(key));
        }
        if component.is_empty() || component == "." {
            return Err(wrong(name, NO_COMPONENT));
        }
        push(&mut key, component);
    }
    Ok(ExtendedKey::Whole(key))
}

/// Returns whether a tool may read the character as part of a pattern: `*`, `?`, `[abc]` and
/// `{a,b}`.
fn is_pattern(c: char) -> bool {
    matches!(c, '*' | '?' | '[' | ']' | '{' | '}')
}

const NO_COMPONENT: &str = "has an empty component or a `.`; write the path without them";

/// Returns whether a path ignores the folder to which it is appended.
fn leaves_its_folder(path: &str) -> bool {
    path.starts_with(['/', '\\']) || has_drive(path)
}

/// Returns whether a path has a drive, as in `C:\x` and `C:x`.
fn has_drive(path: &str) -> bool {
    let mut letters = path.chars();
    letters.next().is_some_and(|letter| letter.is_ascii_alphabetic()) && letters.next() == Some(':')
}

/// Returns whether a name can't lead to another place.
fn is_plain_name(name: &str) -> bool {
    !name.starts_with('~') && !name.contains('\\') && !name.contains(is_pattern) && !has_drive(name)
}

fn wrong(name: &str, problem: &str) -> ScopeError {
    ScopeError::new(0, format!("the argument `{name}` {problem}"))
}

fn push(key: &mut String, component: &str) {
    key.push(END);
    key.push_str(component);
}

fn checked(key: String) -> Result<Scope, ScopeError> {
    if key.len() > Scope::MOST_BYTES {
        return Err(ScopeError::new(0, "the scope that the call needs is too long"));
    }
    Ok(Scope::from_key(key))
}

impl fmt::Display for ScopeTemplate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.text {
            Some(text) => f.write_str(text),
            None => self.fixed.fmt(f),
        }
    }
}

impl serde::Serialize for ScopeTemplate {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
