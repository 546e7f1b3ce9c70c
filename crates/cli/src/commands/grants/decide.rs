//! `overt grants allow`, `overt grants deny` and `overt grants revoke`.
use overt_layers::audit::{Entry, Kind};
use overt_layers::grants::{
    Answer, Asks, Decided, Grant, GrantStore as _, Holder, LOCAL, Lasts, Open, Terms, too_wide_to_last,
};
use overt_policy::scope::Scope;
use overt_state::grants::SqliteStore;
use overt_wire::json::{Array, JsonBuf, Object};
use overt_wire::text::Untrusted;

use super::record::{Records, entry};
use super::server;
use super::task::Desk;
use crate::args::Format;
use crate::failure::{Complaint, Exit, Failure};
use crate::output::{grant_json, lasting};
use crate::settings::{Which, Yes};

/// Nothing was decided.
#[derive(Debug, thiserror::Error)]
enum DecisionError {
    #[error("no call waits for an answer, so there is no question `{0}`")]
    NothingOpen(String),
    #[error("there is no question `{id}`; there is {open}")]
    NoQuestion { id: String, open: String },
    #[error("nothing is allowed beyond what is configured, so there is no grant `{0}`")]
    NothingGranted(String),
    #[error("there is no grant `{id}`; there is {live}")]
    NoGrant { id: String, live: String },
    #[error("question `{id}` was answered with {answer} already")]
    Before { id: String, answer: &'static str },
    #[error("question `{0}` offers nothing wider")]
    NothingWider(String),
    #[error("the client of question `{0}` has no session that could end")]
    NoSession(String),
    #[error("question `{0}` asks how far you trust a server, not whether a call may run")]
    Trust(String),
    #[error("`{0}` is very much to allow until it is revoked")]
    Dangerous(Scope),
    #[error("`{}` is a pattern, and a grant is for one tool, whose name is compared as it is", Untrusted(.0))]
    Pattern(String),
}

impl Complaint for DecisionError {
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
            Self::NothingWider(_) => "leave out `--wider`".to_owned(),
            Self::NoSession(_) => "say `--once` or `--always`".to_owned(),
            Self::Trust(_) => {
                "answer it with `overt trust SERVER`, or say no with `overt grants deny ID`".to_owned()
            }
            Self::Pattern(_) => "name the tool; `overt list` shows which there are".to_owned(),
            Self::Dangerous(_) => {
                "name a narrower scope, such as one folder; or say `--dangerous` if you mean it".to_owned()
            }
        })
    }
}

pub(super) fn allow(desk: &Desk<'_>, id: &str, yes: Yes, wider: bool) -> Result<Exit, Failure> {
    let (store, open) = question(desk, id)?;
    if wider && open.question.wider.is_empty() {
        return Err(DecisionError::NothingWider(id.to_owned()).into());
    }
    if yes.lasts == Lasts::Session && !open.question.holder.has_session() {
        return Err(DecisionError::NoSession(id.to_owned()).into());
    }
    if open.question.asks == Asks::Trust {
        return Err(DecisionError::Trust(id.to_owned()).into());
    }
    let answer = Answer::Yes { lasts: yes.lasts, wider, expires: end(desk, yes) };
    let terms = answer.terms(&open.question);
    check_danger(terms.as_ref().map_or(&[], |terms| &terms.scopes), yes)?;
    decide(desk, &store, &open, answer)
}

pub(super) fn deny(desk: &Desk<'_>, id: &str, whole_session: bool) -> Result<Exit, Failure> {
    let (store, open) = question(desk, id)?;
    if whole_session && !open.question.holder.has_session() {
        return Err(DecisionError::NoSession(id.to_owned()).into());
    }
    decide(desk, &store, &open, if whole_session { Answer::NeverThisSession } else { Answer::No })
}

pub(super) fn advance(
    desk: &Desk<'_>,
    server: &str,
    tool: &str,
    scopes: &[Scope],
    yes: Yes,
) -> Result<Exit, Failure> {
    if tool.contains(['*', '?', '[', ']', '{', '}']) {
        return Err(DecisionError::Pattern(tool.to_owned()).into());
    }
    check_danger(scopes, yes)?;
    let server = &server::identity(desk, server)?;
    let store = SqliteStore::open(desk.settings.state.path())?;
    let holder = Holder { principal: LOCAL.to_owned(), session: String::new() };
    let terms = Terms {
        server: server.to_owned(),
        tool: tool.to_owned(),
        tool_digest: None,
        scopes: scopes.to_vec(),
        lasts: yes.lasts,
        arguments: None,
        plan: None,
        expires: end(desk, yes),
    };
    let records = Records::open(desk)?;
    let agreed = Entry {
        decision: Some("allow"),
        reason: Some(format!("in advance, {}", lasting(terms.lasts, terms.expires))),
        ..entry(Kind::Approval, server, tool, scopes)
    };
    records.write(agreed.clone())?;
    let grant = store
        .give(&holder, terms)
        .inspect_err(|error| records.in_vain(agreed.clone(), &error.to_string()))?;
    records.write(Entry { kind: Kind::Grant, grant: Some(grant.id.0.clone()), ..agreed })?;
    say(
        desk,
        &Object::new().json("grant", grant_json(&grant).as_json()).finish(),
        &format!(
            "{} allows tool `{}` of server `{}` {}, {}",
            grant.id,
            Untrusted(tool),
            Untrusted(server),
            listed(scopes),
            lasting(grant.terms.lasts, grant.terms.expires),
        ),
    )
}

/// All or none: whoever names two wants both gone.
pub(super) fn revoke(desk: &Desk<'_>, which: &Which) -> Result<Exit, Failure> {
    let store = desk.store()?;
    let live = store.as_ref().map_or_else(|| Ok(Vec::new()), SqliteStore::grants)?;
    let gone: Vec<&Grant> = match which {
        Which::All => live.iter().collect(),
        Which::Named(ids) => {
            let find =
                |id: &String| live.iter().find(|grant| grant.id.0 == *id).ok_or_else(|| no_grant(id, &live));
            ids.iter().map(find).collect::<Result<_, _>>()?
        }
    };
    let mut revoked = Array::new();
    let mut words = Vec::new();
    if let Some(store) = store.filter(|_| !gone.is_empty()) {
        let records = Records::open(desk)?;
        for Grant { id, terms, .. } in gone {
            let revoke = entry(Kind::Revoke, &terms.server, &terms.tool, &terms.scopes);
            let revoke = Entry { grant: Some(id.0.clone()), ..revoke };
            records.write(revoke.clone())?;
            // Gone meanwhile is as good as taken back.
            store.revoke(id).inspect_err(|error| records.in_vain(revoke, &error.to_string()))?;
            revoked = revoked.json(JsonBuf::from(&serde_json::Value::from(id.0.as_str())).as_json());
            words.push(format!("{id} is revoked"));
        }
    }
    if words.is_empty() {
        words.push("there was nothing to revoke".to_owned());
    }
    say(desk, &Object::new().json("revoked", revoked.finish().as_json()).finish(), &words.join("\n"))
}

/// The open question with this name.
fn question(desk: &Desk<'_>, id: &str) -> Result<(SqliteStore, Open), Failure> {
    let Some(store) = desk.store()? else { return Err(DecisionError::NothingOpen(id.to_owned()).into()) };
    let mut open = store.questions()?;
    match open.iter().position(|one| one.id.0 == id) {
        Some(at) => Ok((store, open.swap_remove(at))),
        None => Err(no_question(id, &open).into()),
    }
}

fn decide(desk: &Desk<'_>, store: &SqliteStore, open: &Open, answer: Answer) -> Result<Exit, Failure> {
    let id = &open.id;
    let records = Records::open(desk)?;
    let terms = answer.terms(&open.question);
    let scopes = terms.as_ref().map_or(&open.question.scopes, |terms| &terms.scopes);
    let said = Entry {
        decision: Some(if answer.is_yes() { "allow" } else { "deny" }),
        reason: Some(format!("{id}: {answer}")),
        intent: Some(open.question.shown.intent.clone()),
        ..entry(Kind::Approval, &open.question.server, &open.question.tool, scopes)
    };
    records.write(said.clone())?;
    let failed = match store
        .decide(id, answer)
        .inspect_err(|error| records.in_vain(said.clone(), &error.to_string()))?
    {
        Decided::Taken => None,
        Decided::Before(before) => {
            let answer = if before.is_yes() { "yes" } else { "no" };
            Some(DecisionError::Before { id: id.0.clone(), answer })
        }
        Decided::Unfit => Some(DecisionError::Trust(id.0.clone())),
        Decided::Gone => Some(no_question(&id.0, &store.questions()?)),
    };
    if let Some(error) = failed {
        records.in_vain(said, &error.to_string());
        return Err(error.into());
    }
    let said = Object::new().string("question", &id.0);
    match terms {
        Some(terms) => {
            let scopes: Vec<String> = terms.scopes.iter().map(ToString::to_string).collect();
            let said = said
                .string("answer", "yes")
                .string("lasts", &terms.lasts.to_string())
                .value("scopes", &scopes)
                .finish();
            let words =
                format!("{id}: allowed {}, {}", listed(&terms.scopes), lasting(terms.lasts, terms.expires));
            say(desk, &said, &words)
        }
        None => {
            let whole = answer == Answer::NeverThisSession;
            let extent = if whole { "session" } else { "call" };
            let said = said.string("answer", "no").string("extent", extent).finish();
            let rest = if whole { ", and whatever else its session asks" } else { "" };
            say(desk, &said, &format!("{id}: refused{rest}"))
        }
    }
}

/// What was done is data for a program, and a note for a person.
fn say(desk: &Desk<'_>, said: &JsonBuf, words: &str) -> Result<Exit, Failure> {
    match desk.settings.talk.format {
        Format::Json => desk.printer.json(said.as_json())?,
        Format::Text => desk.printer.note(words),
    }
    Ok(Exit::Ok)
}

/// SCP-13: nobody allows everything for ever by the way.
fn check_danger(scopes: &[Scope], yes: Yes) -> Result<(), DecisionError> {
    if yes.lasts != Lasts::Always || yes.dangerous {
        return Ok(());
    }
    match too_wide_to_last(scopes) {
        Some(scope) => Err(DecisionError::Dangerous(scope.clone())),
        None => Ok(()),
    }
}

fn end(desk: &Desk<'_>, yes: Yes) -> Option<u64> {
    Some(desk.clock.now().saturating_add(yes.at_most?.as_secs()))
}

fn no_question(id: &str, open: &[Open]) -> DecisionError {
    match open.is_empty() {
        true => DecisionError::NothingOpen(id.to_owned()),
        false => {
            let open = names(open.iter().map(|one| one.id.0.as_str()));
            DecisionError::NoQuestion { id: id.to_owned(), open }
        }
    }
}

fn no_grant(id: &str, live: &[Grant]) -> DecisionError {
    match live.is_empty() {
        true => DecisionError::NothingGranted(id.to_owned()),
        false => DecisionError::NoGrant {
            id: id.to_owned(),
            live: names(live.iter().map(|grant| grant.id.0.as_str())),
        },
    }
}

fn listed(scopes: &[Scope]) -> String {
    let shown: Vec<String> =
        scopes.iter().map(|scope| format!("`{}`", Untrusted(&scope.to_string()))).collect();
    shown.join(", ")
}

fn names<'a>(ids: impl Iterator<Item = &'a str>) -> String {
    let mut shown: Vec<String> = ids.map(|id| format!("`{id}`")).collect();
    let more = shown.len().saturating_sub(MOST_NAMES);
    shown.truncate(MOST_NAMES);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{more}", shown.join(", "))
}

const MOST_NAMES: usize = 20;
