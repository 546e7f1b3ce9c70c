//! Decisions in words, for the person who makes them.
use std::time::{Duration, UNIX_EPOCH};

use overt_layers::grants::{Answer, GrantLifetime, QuestionId, Terms, every_scope};
use overt_policy::Trust;
use overt_policy::scope::Scope;
use overt_wire::rfc3339::format_millis;
use overt_wire::text::Untrusted;

use crate::text::{one_line, shell_word};

/// The end of the year 9999, as seconds since 1970.
const LATEST: u64 = 253_402_300_799;

/// The effect of an answer, in words for the person who gave it.
pub fn answered_words(id: &QuestionId, answer: Answer, terms: Option<&Terms>) -> String {
    match (answer, terms) {
        (Answer::Yes { .. }, Some(terms)) => {
            let place = match terms.lifetime {
                GrantLifetime::Always => format!(" {}", extent_words(terms.project.as_deref())),
                GrantLifetime::Once | GrantLifetime::Session => String::new(),
            };
            let lasting = lasting(terms.lifetime, terms.expires);
            match terms.scopes == every_scope() {
                true => {
                    let tools = Untrusted(&terms.tools.to_string()).to_string();
                    format!("{id}: allowed {tools}, whatever the arguments are{place}, {lasting}")
                }
                false => format!("{id}: allowed {}{place}, {lasting}", listed(&terms.scopes)),
            }
        }
        (Answer::Trust(trust), _) => format!("{id}: the server {}", trust_words(trust)),
        (Answer::TrustThisSession(trust), _) => {
            format!("{id}: the server {} until the session ends", trust_words(trust))
        }
        (Answer::NoThisSession, _) => format!("{id}: refused, and whatever else its session asks"),
        (Answer::NeverInProject, Some(terms)) => {
            let place = extent_words(terms.project.as_deref());
            format!(
                "{id}: refused, and never asked again about {} {place}",
                Untrusted(&terms.tools.to_string())
            )
        }
        _ => format!("{id}: refused"),
    }
}

/// How long a grant lasts: `until revoked, at most until 2026-07-28 09:05`.
pub fn lasting(lifetime: GrantLifetime, expires: Option<u64>) -> String {
    let words = match lifetime {
        GrantLifetime::Once => "for one call",
        GrantLifetime::Session => "for the session",
        GrantLifetime::Always => "until revoked",
    };
    match expires {
        Some(end) => format!("{words}, at most until {}", minute(end)),
        None => words.to_owned(),
    }
}

/// The extent of a grant: `in /home/me/site`, or `everywhere`.
pub fn extent_words(project: Option<&str>) -> String {
    project.map_or_else(|| "everywhere".to_owned(), |project| format!("in {}", Untrusted(project)))
}

/// The scopes within a sentence: `write:file:/home/me`, or that the arguments do not matter.
pub fn scopes_sentence(scopes: &[Scope]) -> String {
    if scopes == every_scope() {
        ", whatever its arguments are,".to_owned()
    } else {
        format!(" {}", listed(scopes))
    }
}

/// The meaning of a trust level in words.
pub fn trust_words(trust: Trust) -> &'static str {
    match trust {
        Trust::Changes => "asks you before changes",
        Trust::Everything => "asks you before every call",
        Trust::Deletes => "asks you before deletes",
        Trust::Nothing => "asks you nothing, only records",
    }
}

/// The project in words: `in /home/me/site`, or `without a project`.
pub fn project_words(project: Option<&str>) -> String {
    match project {
        Some(project) => format!("in {}", Untrusted(project)),
        None => "without a project".to_owned(),
    }
}

/// The command that decides about a server in a project, typed in the project `here`.
pub fn trust_command(server: &str, project: Option<&str>, here: Option<&str>) -> String {
    let server = shell_word(server);
    let place = match project {
        Some(project) if here == Some(project) => String::new(),
        Some(project) => format!(" --project {}", shell_word(project)),
        None => " --no-project".to_owned(),
    };
    one_line(&format!("overt trust {server}{place}"))
}

pub fn moment(seconds: u64) -> String {
    // A time beyond any clock is shown as the latest time.
    format_millis(UNIX_EPOCH.checked_add(Duration::from_secs(seconds.min(LATEST))).unwrap_or(UNIX_EPOCH))
}

/// A time to the minute in UTC: `2026-07-28 09:05`.
pub fn minute(seconds: u64) -> String {
    moment(seconds)[..16].replace('T', " ")
}

fn listed(scopes: &[Scope]) -> String {
    let shown: Vec<String> =
        scopes.iter().map(|scope| format!("`{}`", Untrusted(&scope.to_string()))).collect();
    shown.join(", ")
}
