//! Policies and scopes as the user wrote them, in a file or on the command line.
use std::path::Path;

use overt_policy::scope::{Scope, ScopeError, ScopeSet};
use overt_policy::{Findings, Pointer, Policy};
use overt_settings::{Author, PolicyFields};
use overt_wire::json::{Json, JsonBuf};
use serde_json::Value;

use super::control::Table;
use super::source;
use crate::error::{CommandError, user_error};

/// The text of a policy that a call will carry, checked before anything is started.
pub(super) fn text<T: Table>(path: &Path) -> Result<JsonBuf, CommandError> {
    let text = source::read(path)?;
    let checked =
        read_policies::<T>(&text).and_then(|_| JsonBuf::parse(text.trim()).map_err(|_| Findings::default()));
    checked.map_err(|findings| unusable_policy(path, &findings))
}

pub(super) fn unusable_policy(path: &Path, findings: &Findings) -> CommandError {
    user_error(format!("the policy `{}` can't be used\n{findings}", path.display()))
        .hinted("docs/control.md has the format")
}

/// Parses a policy, or a chain of policies, from JSON.
pub(crate) fn read_policies<T: Table>(text: &str) -> Result<Vec<Policy>, Findings> {
    let value: Result<Value, String> = Json::parse(text)
        .map_err(|fault| fault.to_string())
        .and_then(|json| json.read().map_err(|error| error.to_string()));
    let declared = T::declared();
    match value {
        Ok(value) => Policy::chain(&value, &PolicyFields { declared: &declared, author: Author::Human }),
        Err(fault) => {
            let mut findings = Findings::default();
            findings.error(
                Pointer::root(),
                format!("is not a JSON document: {fault}"),
                "write a JSON object",
            );
            Err(findings)
        }
    }
}

pub(super) fn scopes(option: &'static str, texts: &[String]) -> Result<ScopeSet, CommandError> {
    let parse = |text: &String| {
        Scope::parse(text).map_err(|source: ScopeError| {
            user_error(format!("`{option} {text}` is not a scope")).caused_by(source).hinted(
                "a scope is an action and what it is done to: `read`, `write:file:/home/me/notes`, or `write:SERVER:TOOL` for one tool; \
                 docs/control.md has more",
            )
        })
    };
    texts.iter().map(parse).collect()
}
