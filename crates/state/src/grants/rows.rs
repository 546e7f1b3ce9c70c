//! Grants and questions as rows. What can't be understood is an error, never a grant.
use overt_layers::grants::{
    Answer, Asks, Extent, Grant, GrantId, Holder, Lasts, Open, Question, QuestionId, Terms,
};
use overt_policy::Trust;
use overt_policy::scope::Scope;
use overt_policy::word::Word as _;
use rusqlite::types::Type;
use rusqlite::{Error, Result, Row};

pub(super) const GRANT: &str = "n, principal, session, server, project, tool, scopes, lasts, arguments, expires, given, tool_digest, plan";
pub(super) const QUESTION: &str = "n, principal, session, server, project, tool, tool_digest, asks, scopes, wider, arguments, plan, \
     shown, until, asked, answer, waiting";

pub(super) fn grant(row: &Row<'_>) -> Result<Grant> {
    let lasts: String = row.get("lasts")?;
    let terms = Terms {
        server: row.get("server")?,
        project: row.get("project")?,
        tool: row.get("tool")?,
        tool_digest: row.get("tool_digest")?,
        scopes: scopes(&row.get::<_, String>("scopes")?)?,
        lasts: Lasts::parse(&lasts).ok_or_else(|| broken(format!("a grant lasts `{lasts}`")))?,
        arguments: row.get("arguments")?,
        plan: row.get("plan")?,
        expires: row.get::<_, Option<i64>>("expires")?.map(time),
    };
    let id = GrantId(format!("g-{}", row.get::<_, i64>("n")?));
    Ok(Grant { id, holder: holder(row)?, terms, given: time(row.get("given")?) })
}

pub(super) fn open(row: &Row<'_>) -> Result<Open> {
    let question = Question {
        holder: holder(row)?,
        server: row.get("server")?,
        project: row.get("project")?,
        tool: row.get("tool")?,
        tool_digest: row.get("tool_digest")?,
        asks: read_asks(&row.get::<_, String>("asks")?)?,
        scopes: scopes(&row.get::<_, String>("scopes")?)?,
        wider: scopes(&row.get::<_, String>("wider")?)?,
        arguments: row.get("arguments")?,
        plan: row.get("plan")?,
        shown: serde_json::from_str(&row.get::<_, String>("shown")?)
            .map_err(|error| broken(error.to_string()))?,
        until: time(row.get("until")?),
    };
    let answer: Option<String> = row.get("answer")?;
    let answer =
        answer.map(|text| read_answer(&text).ok_or_else(|| broken(format!("an answer is `{text}`"))));
    Ok(Open {
        id: QuestionId(format!("q-{}", row.get::<_, i64>("n")?)),
        question,
        asked: time(row.get("asked")?),
        answer: answer.transpose()?,
        waiting: row.get("waiting")?,
    })
}

/// The number in `g-17` or `q-17`; none if it is no name of ours.
pub(super) fn number(name: &str, letter: char) -> Option<i64> {
    let digits = name.strip_prefix(letter)?.strip_prefix('-')?;
    digits.parse().ok().filter(|number: &i64| number.to_string() == digits)
}

/// A line for each scope: none has line breaks.
pub(super) fn write_scopes(scopes: &[Scope]) -> String {
    let lines: Vec<String> = scopes.iter().map(ToString::to_string).collect();
    lines.join("\n")
}

pub(super) fn write_answer(answer: Answer) -> String {
    match answer {
        Answer::No => "no".to_owned(),
        Answer::NeverThisSession => "never".to_owned(),
        Answer::Trust(trust) => format!("trust {trust}"),
        Answer::Yes { lasts, extent, wider, expires } => {
            let extent = match extent {
                Extent::Project => "project",
                Extent::Everywhere => "everywhere",
            };
            let choice = if wider { "wider" } else { "narrow" };
            let expires = expires.map(|at| at.to_string());
            format!("yes {lasts} {extent} {choice} {}", expires.as_deref().unwrap_or("-"))
        }
    }
}

/// Seconds as SQLite keeps them. A time beyond all clocks is one that never comes.
pub(super) fn seconds(time: u64) -> i64 {
    i64::try_from(time).unwrap_or(i64::MAX)
}

fn read_answer(text: &str) -> Option<Answer> {
    let words: Vec<&str> = text.split(' ').collect();
    match words[..] {
        ["no"] => Some(Answer::No),
        ["never"] => Some(Answer::NeverThisSession),
        ["trust", level] => Trust::parse(level).map(Answer::Trust),
        ["yes", lasts, extent, choice, expires] => Some(Answer::Yes {
            lasts: Lasts::parse(lasts)?,
            extent: match extent {
                "project" => Extent::Project,
                "everywhere" => Extent::Everywhere,
                _ => return None,
            },
            wider: choice == "wider",
            expires: if expires == "-" { None } else { Some(expires.parse().ok()?) },
        }),
        _ => None,
    }
}

pub(super) fn write_asks(asks: Asks) -> &'static str {
    match asks {
        Asks::Call => "call",
        Asks::Trust => "trust",
    }
}

fn read_asks(text: &str) -> Result<Asks> {
    match text {
        "call" => Ok(Asks::Call),
        "trust" => Ok(Asks::Trust),
        other => Err(broken(format!("a question asks `{other}`"))),
    }
}

fn holder(row: &Row<'_>) -> Result<Holder> {
    Ok(Holder { principal: row.get("principal")?, session: row.get("session")? })
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
