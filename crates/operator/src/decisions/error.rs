//! Errors of decisions: why nothing was decided, and what to do about it.
use overt_layers::grants::{Grant, PendingQuestion};
use overt_policy::scope::Scope;
use overt_wire::text::Untrusted;

use crate::error::Explain;

/// The reason why nothing was decided.
#[derive(Debug, thiserror::Error)]
pub enum DecisionError {
    #[error("question `{0}` is not open: no call waits for an answer")]
    NothingOpen(String),
    #[error("question `{id}` is not open; these are: {open}")]
    NoQuestion { id: String, open: String },
    #[error("no grant `{0}`: nothing is allowed beyond what is configured")]
    NothingGranted(String),
    #[error("no grant `{id}`; the grants are {live}")]
    NoGrant { id: String, live: String },
    #[error("question `{id}` was answered with {answer} already")]
    Before { id: String, answer: &'static str },
    #[error("question `{0}` does not offer that much")]
    NothingWider(String),
    #[error(
        "question `{0}` is about a call that can't be undone or can start programs, and each such call is asked about"
    )]
    OnlyOnce(String),
    #[error("the client of question `{0}` has no session that could end")]
    NoSession(String),
    #[error(
        "the server of question `{0}` was not started in a project, so nothing can be allowed always in it"
    )]
    NoProject(String),
    #[error("question `{id}` asks how far you trust a server, not whether a call may run")]
    Trust { id: String, command: String },
    #[error("`{0}` is very much to allow until it is revoked")]
    Dangerous(Scope),
    #[error("`{}` is a pattern, and a grant is for one tool, whose name is compared as it is", Untrusted(.0))]
    Pattern(String),
}

impl Explain for DecisionError {
    fn hint(&self) -> Option<String> {
        Some(match self {
            Self::NothingOpen(_) | Self::NoQuestion { .. } => {
                "`overt grants pending` shows what waits; a call that waited too long must be made again"
                    .to_owned()
            }
            Self::NothingGranted(_) | Self::NoGrant { .. } => {
                "`overt grants list` shows what is allowed".to_owned()
            }
            Self::Before { .. } => return None,
            Self::NothingWider(id) => format!("`overt grants show {id}` says what it offers"),
            Self::OnlyOnce(_) => "say `--once`".to_owned(),
            Self::NoSession(_) => "say `--once` or `--always`".to_owned(),
            Self::NoProject(_) => {
                "say `--once` or `--session`; `--always --everywhere` allows it in every project".to_owned()
            }
            Self::Trust { id, command } => {
                format!("answer it with `{command}`, or say no with `overt grants deny {id}`")
            }
            Self::Pattern(_) => "name the tool; `overt list` shows which there are".to_owned(),
            Self::Dangerous(_) => {
                "name a narrower scope, such as one folder; or say `--dangerous` if you mean it".to_owned()
            }
        })
    }
}

pub fn no_question(id: &str, open: &[PendingQuestion]) -> DecisionError {
    match open.is_empty() {
        true => DecisionError::NothingOpen(id.to_owned()),
        false => {
            let open = names(open.iter().map(|one| one.id.0.as_str()));
            DecisionError::NoQuestion { id: id.to_owned(), open }
        }
    }
}

pub fn no_grant(id: &str, live: &[Grant]) -> DecisionError {
    match live.is_empty() {
        true => DecisionError::NothingGranted(id.to_owned()),
        false => DecisionError::NoGrant {
            id: id.to_owned(),
            live: names(live.iter().map(|grant| grant.id.0.as_str())),
        },
    }
}

fn names<'a>(ids: impl Iterator<Item = &'a str>) -> String {
    let mut shown: Vec<String> = ids.map(|id| format!("`{id}`")).collect();
    let more = shown.len().saturating_sub(MOST_NAMES);
    shown.truncate(MOST_NAMES);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{more}", shown.join(", "))
}

const MOST_NAMES: usize = 20;
