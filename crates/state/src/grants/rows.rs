//! Converts grants and questions to and from rows. A value that can't be parsed is an error, never
//! a grant.
use overt_layers::grants::{
    Answer, Breadth, Extent, Grant, GrantId, GrantLifetime, GrantVerdict, GrantedTools, Holder, HolderClient,
    PendingQuestion, Question, QuestionId, QuestionKind, Terms,
};
use overt_policy::Trust;
use overt_policy::scope::Scope;
use overt_policy::word::StringEnum as _;
use overt_wire::Principal;
use rusqlite::types::Type;
use rusqlite::{Error, Result, Row};

pub(super) const GRANT: &str = "n, principal, session, server, project, tool, scopes, lasts, arguments, expires, given, tool_digest, plan, \
     tools, client";
pub(super) const QUESTION: &str = "n, principal, session, server, project, tool, tool_digest, asks, scopes, wider, arguments, plan, \
     shown, until, asked, answer, waiting, broader, given, unrecorded";

pub(super) fn grant(row: &Row<'_>) -> Result<Grant> {
    let (verdict, lifetime) = read_lifetime(&row.get::<_, String>("lasts")?)?;
    let terms = Terms {
        verdict,
        client: row.get("client")?,
        server: row.get("server")?,
        project: row.get("project")?,
        tools: read_tools(&row.get::<_, String>("tools")?, row.get("tool")?)?,
        tool_digest: row.get("tool_digest")?,
        scopes: scopes(&row.get::<_, String>("scopes")?)?,
        lifetime,
        arguments: row.get("arguments")?,
        plan: row.get("plan")?,
        expires: row.get::<_, Option<i64>>("expires")?.map(time),
    };
    let id = GrantId(format!("g-{}", row.get::<_, i64>("n")?));
    Ok(Grant { id, holder: holder(row)?, terms, issued_at: time(row.get("given")?) })
}

pub(super) fn open(row: &Row<'_>) -> Result<PendingQuestion> {
    let question = Question {
        holder: holder(row)?,
        server: row.get("server")?,
        project: row.get("project")?,
        tool: row.get("tool")?,
        tool_digest: row.get("tool_digest")?,
        kind: read_kind(&row.get::<_, String>("asks")?)?,
        scopes: scopes(&row.get::<_, String>("scopes")?)?,
        wider: scopes(&row.get::<_, String>("wider")?)?,
        broader: serde_json::from_str(&row.get::<_, String>("broader")?)
            .map_err(|error| broken(error.to_string()))?,
        arguments: row.get("arguments")?,
        plan: row.get("plan")?,
        shown: serde_json::from_str(&row.get::<_, String>("shown")?)
            .map_err(|error| broken(error.to_string()))?,
        until: time(row.get("until")?),
    };
    let answer: Option<String> = row.get("answer")?;
    let answer = answer.map(|text| read_answer(&text));
    Ok(PendingQuestion {
        id: QuestionId(format!("q-{}", row.get::<_, i64>("n")?)),
        question,
        asked: time(row.get("asked")?),
        answer: answer.transpose()?,
        grant: row.get::<_, Option<i64>>("given")?.map(|n| GrantId(format!("g-{n}"))),
        waiting: row.get("waiting")?,
        is_unrecorded: row.get("unrecorded")?,
    })
}

/// Returns the number in `g-17` or `q-17`, or `None` if `name` has another form.
pub(super) fn number(name: &str, letter: char) -> Option<i64> {
    let digits = name.strip_prefix(letter)?.strip_prefix('-')?;
    digits.parse().ok().filter(|number: &i64| number.to_string() == digits)
}

/// Writes one scope per line. The text of a scope has no line breaks.
pub(super) fn write_scopes(scopes: &[Scope]) -> String {
    let lines: Vec<String> = scopes.iter().map(ToString::to_string).collect();
    lines.join("\n")
}

pub(super) fn write_answer(answer: Answer) -> String {
    match answer {
        Answer::No => "no".to_owned(),
        Answer::NoThisSession => "never".to_owned(),
        Answer::NeverInProject => "never here".to_owned(),
        Answer::Trust(trust) => format!("trust {trust}"),
        Answer::TrustThisSession(trust) => format!("trust {trust} session"),
        Answer::Yes { lifetime, extent, breadth, expires } => {
            let extent = match extent {
                Extent::Project => "project",
                Extent::Everywhere => "everywhere",
            };
            let expires = expires.map(|at| at.to_string());
            format!("yes {lifetime} {extent} {breadth} {}", expires.as_deref().unwrap_or("-"))
        }
    }
}

/// Converts a time to SQLite's integer. A time that is too large becomes one that never comes.
pub(super) fn seconds(time: u64) -> i64 {
    i64::try_from(time).unwrap_or(i64::MAX)
}

pub(super) fn read_answer(text: &str) -> Result<Answer> {
    parse_answer(text).ok_or_else(|| broken(format!("an answer is `{text}`")))
}

fn parse_answer(text: &str) -> Option<Answer> {
    let words: Vec<&str> = text.split(' ').collect();
    match words[..] {
        ["no"] => Some(Answer::No),
        ["never"] => Some(Answer::NoThisSession),
        ["never", "here"] => Some(Answer::NeverInProject),
        ["trust", level] => Trust::parse(level).map(Answer::Trust),
        ["trust", level, "session"] => Trust::parse(level).map(Answer::TrustThisSession),
        ["yes", lifetime, extent, breadth, expires] => Some(Answer::Yes {
            lifetime: GrantLifetime::parse(lifetime)?,
            extent: match extent {
                "project" => Extent::Project,
                "everywhere" => Extent::Everywhere,
                _ => return None,
            },
            breadth: Breadth::parse(breadth)?,
            expires: if expires == "-" { None } else { Some(expires.parse().ok()?) },
        }),
        _ => None,
    }
}

/// Returns the word for the lifetime. A lasting refusal has a word of its own.
pub(super) fn write_lifetime(terms: &Terms) -> &'static str {
    match terms.verdict {
        GrantVerdict::Allow => terms.lifetime.as_str(),
        GrantVerdict::Refuse => NEVER,
    }
}

fn read_lifetime(text: &str) -> Result<(GrantVerdict, GrantLifetime)> {
    match GrantLifetime::parse(text) {
        Some(lifetime) => Ok((GrantVerdict::Allow, lifetime)),
        None if text == NEVER => Ok((GrantVerdict::Refuse, GrantLifetime::Always)),
        None => Err(broken(format!("a grant lasts `{text}`"))),
    }
}

const NEVER: &str = "never";

/// Returns a word for the kind of tools, and the tool's name if there is only one.
pub(super) fn write_tools(tools: &GrantedTools) -> (&'static str, &str) {
    match tools {
        GrantedTools::One(tool) => ("one", tool),
        GrantedTools::Every => ("every", ""),
        GrantedTools::Reading => ("reading", ""),
    }
}

fn read_tools(word: &str, tool: String) -> Result<GrantedTools> {
    match word {
        "one" => Ok(GrantedTools::One(tool)),
        "every" => Ok(GrantedTools::Every),
        "reading" => Ok(GrantedTools::Reading),
        other => Err(broken(format!("a grant is for `{other}` tools"))),
    }
}

/// Returns the word for what a question asks. No answer serves both a server that is new and a tool
/// of it that was redefined.
pub(super) fn write_kind(question: &Question) -> &'static str {
    match question.kind {
        QuestionKind::Call => "call",
        QuestionKind::Trust if question.is_redefined() => "redefined",
        QuestionKind::Trust => "trust",
    }
}

fn read_kind(text: &str) -> Result<QuestionKind> {
    match text {
        "call" => Ok(QuestionKind::Call),
        "trust" | "redefined" => Ok(QuestionKind::Trust),
        other => Err(broken(format!("a question asks `{other}`"))),
    }
}

pub(super) fn holder(row: &Row<'_>) -> Result<Holder> {
    let principal = Principal::from_key(&row.get::<_, String>("principal")?);
    Ok(Holder { principal, client: HolderClient::from_text(row.get("session")?) })
}

fn scopes(lines: &str) -> Result<Vec<Scope>> {
    let parse = |line: &str| Scope::parse(line).map_err(|error| broken(error.to_string()));
    lines.lines().map(parse).collect()
}

fn time(seconds: i64) -> u64 {
    u64::try_from(seconds).unwrap_or(0)
}

fn broken(what: String) -> Error {
    Error::FromSqlConversionFailure(0, Type::Text, what.into())
}
