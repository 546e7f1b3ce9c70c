//! Decides which questions of the upstream reach a client (UP-09).
use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use overt_wire::era::Caller;
use overt_wire::error::code;
use overt_wire::json::{Json, Member};
use overt_wire::{ErrorObject, Method};
use tokio::time::Instant;

/// Limits the number of questions within a minute.
#[derive(Debug)]
pub(crate) struct Rate {
    most: usize,
    asked: Mutex<VecDeque<Instant>>,
}

const MINUTE: Duration = Duration::from_secs(60);

/// Parts of field names that a form must not ask for. The specification forbids servers to do so.
const SECRETS: [&str; 14] = [
    "password",
    "passwd",
    "passphrase",
    "passcode",
    "secret",
    "apikey",
    "accesskey",
    "privatekey",
    "token",
    "credential",
    "creditcard",
    "cardnumber",
    "cvv",
    "mfacode",
];

/// Whether a question is one of the three kinds that both eras have.
pub(crate) fn is_known(method: Method<'_>) -> bool {
    matches!(method, Method::Elicit | Method::Sample | Method::RootsList)
}

/// Rejects a question whose capability the client did not declare.
pub(crate) fn check_capability(caller: &Caller, method: Method<'_>) -> Result<(), ErrorObject> {
    let capability = match method {
        Method::Elicit => "elicitation",
        Method::Sample => "sampling",
        Method::RootsList => "roots",
        _ => return Ok(()),
    };
    // Client and server negotiate among themselves whether forms or URLs are supported.
    if caller.capabilities.as_json().get(capability).value().is_some() {
        return Ok(());
    }
    let message = format!("the client did not declare `{capability}`, so it can't be asked");
    Err(ErrorObject::new(code::METHOD_NOT_FOUND, message))
}

/// Rejects a form that asks for something like a password or a key.
pub(crate) fn check_form(method: Method<'_>, params: Option<Json<'_>>) -> Result<(), ErrorObject> {
    if method != Method::Elicit {
        return Ok(());
    }
    let schema = params.map_or(Member::Absent, |params| params.get("requestedSchema"));
    let fields = schema.get("properties").value().into_iter().flat_map(Json::members);
    for (name, field) in fields {
        let name = name.name();
        let title = field.get("title").string().unwrap_or_default();
        let format = field.get("format").string().unwrap_or_default();
        // A yes or no, or a number of tokens, is not a secret.
        let is_text = field.get("type").string().is_none_or(|kind| kind == "string");
        if is_text && (format == "password" || looks_secret(&name) || looks_secret(&title)) {
            return Err(ErrorObject::invalid_params(format!(
                "the form asks for `{name}`, which looks like a secret; forms must not ask for secrets, use an \
                 elicitation with a URL"
            )));
        }
    }
    Ok(())
}

fn looks_secret(name: &str) -> bool {
    let plain: String = name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
    SECRETS.iter().any(|secret| plain.contains(secret)) || matches!(&*plain, "pin" | "otp" | "ssn" | "pwd")
}

// === impl Rate ===

impl Rate {
    pub(crate) fn new(most: usize) -> Self {
        Self { most, asked: Mutex::default() }
    }

    /// Counts a question, or fails if the limit is reached.
    pub(crate) fn take(&self, now: Instant) -> Result<(), ErrorObject> {
        let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        while asked.front().is_some_and(|first| now.saturating_duration_since(*first) > MINUTE) {
            asked.pop_front();
        }
        if asked.len() >= self.most {
            let message = format!("more than {} questions within a minute; try again later", self.most);
            return Err(ErrorObject::new(code::OVERLOADED, message));
        }
        asked.push_back(now);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn up_09_forms_that_ask_for_secrets_are_refused() {
        let form = |field: &str| {
            format!(r#"{{"message":"m","requestedSchema":{{"type":"object","properties":{{{field}}}}}}}"#)
        };
        for secret in [
            r#""password":{"type":"string"}"#,
            r#""API_Key":{"type":"string"}"#,
            r#""x":{"type":"string","title":"Your access token"}"#,
            r#""x":{"type":"string","format":"password"}"#,
            r#""PIN":{"type":"string"}"#,
            r#""p\u0061ssword":{}"#,
        ] {
            let params = form(secret);
            let refused = check_form(Method::Elicit, Some(Json::parse(&params).unwrap()));
            assert!(refused.is_err(), "{secret}");
        }
        for fine in [
            r#""name":{"type":"string"}"#,
            r#""tokens":{"type":"integer","title":"How many tokens"}"#,
            r#""pinned":{"type":"boolean"}"#,
            r#""shopping":{"type":"string"}"#,
        ] {
            let params = form(fine);
            check_form(Method::Elicit, Some(Json::parse(&params).unwrap())).unwrap();
        }
    }

    #[test]
    fn up_09_only_so_many_questions_a_minute() {
        let rate = Rate::new(2);
        let now = Instant::now();
        rate.take(now).unwrap();
        rate.take(now).unwrap();
        assert_eq!(rate.take(now).unwrap_err().code, code::OVERLOADED);
        rate.take(now + Duration::from_secs(61)).unwrap();
    }
}
