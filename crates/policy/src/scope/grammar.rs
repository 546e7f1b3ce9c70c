//! The grammar: `action[:kind[:detail]]`. `*` stands for everything and is allowed only at the end.
use super::action::Action;
use super::error::ScopeError;
use crate::members::brief;
use crate::word::StringEnum;

/// Separates the components of a scope.
pub(super) const END: char = '\0';
/// The first detail component of an absolute path.
pub(super) const ROOT: &str = "/";
/// The most bytes of a scope.
pub(super) const MOST_BYTES: usize = 4096;
/// The most components of a scope.
pub(super) const MOST_COMPONENTS: usize = 128;

/// Parses a scope. Returns its components with [`END`] between them.
pub(super) fn components(text: &str) -> Result<String, ScopeError> {
    if text.len() > MOST_BYTES {
        return Err(too_long(text.len()));
    }
    let mut parts = text.splitn(3, ':');
    let action = action(parts.next().unwrap_or_default())?;
    let mut at = action.as_str().len() + 1;
    let Some(kind) = parts.next() else { return Ok(action.as_str().to_owned()) };
    let detail = parts.next();
    if kind == "*" {
        return match detail {
            None => Ok(action.as_str().to_owned()),
            Some(_) => Err(ScopeError::new(at + 1, "nothing can follow `*`; end the scope there")),
        };
    }
    check_kind(kind, at)?;
    let mut key = format!("{action}{END}{kind}");
    at += kind.len() + 1;
    match detail {
        None | Some("*") => {}
        Some("") => {
            return Err(ScopeError::new(
                at,
                "the part after the second `:` is empty; write a name or a path, or leave the `:` out",
            ));
        }
        Some(detail) => push_detail(&mut key, detail, at)?,
    }
    Ok(key)
}

pub(super) fn too_long(bytes: usize) -> ScopeError {
    ScopeError::new(MOST_BYTES, format!("is {bytes} bytes long; a scope has at most {MOST_BYTES}"))
}

/// Turns the name of a server into a kind.
pub fn kind_of(server: &str) -> String {
    const MOST: usize = 64;
    let fitted = server.chars().take(MOST).map(|c| match c.to_ascii_lowercase() {
        c if is_inside_kind(c) => c,
        _ => '-',
    });
    let mut kind: String = fitted.collect();
    if !kind.starts_with(|c: char| c.is_ascii_lowercase()) {
        kind.insert_str(0, "server-");
    }
    kind
}

pub(super) fn action(word: &str) -> Result<Action, ScopeError> {
    Action::parse(word).ok_or_else(|| {
        ScopeError::new(
            0,
            format!("`{}` is not an action; a scope begins with {}", brief(word), Action::choices()),
        )
    })
}

pub(super) fn check_kind(kind: &str, at: usize) -> Result<(), ScopeError> {
    if kind.is_empty() {
        return Err(ScopeError::new(at, "the kind is empty; write one such as `file`, or leave the `:` out"));
    }
    let wrong = kind
        .char_indices()
        .find(|&(index, c)| if index == 0 { !c.is_ascii_lowercase() } else { !is_inside_kind(c) });
    match wrong {
        None => Ok(()),
        Some((index, c)) => Err(ScopeError::new(
            at + index,
            format!(
                "`{}` can't be here; a kind is lower-case letters, digits, `_` and `-`, and begins with a letter",
                brief(&c.to_string())
            ),
        )),
    }
}

fn is_inside_kind(c: char) -> bool {
    matches!(c, 'a'..='z' | '0'..='9' | '_' | '-')
}

/// Appends the components of a path or of names. `at` is the position of the detail in the text,
/// for errors.
pub(super) fn push_detail(key: &mut String, detail: &str, at: usize) -> Result<(), ScopeError> {
    let (mut rest, mut at) = (detail, at);
    if let Some(path) = detail.strip_prefix('/') {
        key.push(END);
        key.push_str(ROOT);
        if path.is_empty() {
            return Ok(());
        }
        (rest, at) = (path, at + 1);
    }
    // The scheme and the host of a URI are one component.
    if let Some(end) = authority_end(rest) {
        let authority = &rest[..end];
        check_component(authority, at)?;
        key.push(END);
        key.push_str(authority);
        match rest[end..].strip_prefix('/') {
            None | Some("") => return Ok(()),
            Some(path) => (rest, at) = (path, at + end + 1),
        }
    }
    for (count, component) in rest.split('/').enumerate() {
        if count == MOST_COMPONENTS {
            let what = format!("has more than {MOST_COMPONENTS} components; use a wider scope");
            return Err(ScopeError::new(at, what));
        }
        check_component(component, at)?;
        key.push(END);
        key.push_str(component);
        at += component.len() + 1;
    }
    Ok(())
}

/// Returns where the host of a URI such as `demo://host/path` ends; `None` if the text is not such
/// a URI.
pub(super) fn authority_end(text: &str) -> Option<usize> {
    let scheme = text.find("://").filter(|end| *end > 0 && !text[..*end].contains('/'))?;
    let host = scheme + "://".len();
    Some(text[host..].find('/').map_or(text.len(), |end| host + end))
}

pub(super) fn check_component(component: &str, at: usize) -> Result<(), ScopeError> {
    let problem = match component {
        "" => "a component is empty; write the path without `//` and without a `/` at its end",
        "." | ".." => "`.` and `..` can't be components; write the path that is meant",
        _ => {
            let wrong = component.char_indices().find(|&(_, c)| c == '*' || c.is_control());
            return match wrong {
                None => Ok(()),
                Some((index, '*')) => Err(ScopeError::new(
                    at + index,
                    "`*` can't be part of a path or name; a scope covers everything beneath it without one",
                )),
                Some((index, _)) => {
                    Err(ScopeError::new(at + index, "control characters can't be in a scope; leave them out"))
                }
            };
        }
    };
    Err(ScopeError::new(at, problem))
}
