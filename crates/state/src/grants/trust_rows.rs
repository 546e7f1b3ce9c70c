//! Trust in servers, read and changed within a transaction.
use overt_layers::grants::{
    GivenTrust, HolderClient, Question, SeenTool, StoreError, ToolTrust, TrustedServerKey, TrustedTool,
};
use overt_policy::Trust;
use overt_policy::word::StringEnum as _;
use rusqlite::{Connection, OptionalExtension as _, params};

use super::schema::unusable;

/// The session of a decision that lasts.
pub(super) const LASTING: &str = "";

/// Returns what the decisions about the server of a tool say about it: the one that lasts, and the
/// one for this client's session.
pub(super) fn look_at_trust(
    db: &Connection,
    tool: &TrustedTool,
    client: &HolderClient,
) -> Result<ToolTrust, StoreError> {
    let lasting = look_at_decision(db, tool, LASTING)?;
    match client {
        HolderClient::Session(session) => Ok(lasting.or_in_session(look_at_decision(db, tool, session)?)),
        HolderClient::Profile(_) | HolderClient::Any => Ok(lasting),
    }
}

fn look_at_decision(db: &Connection, tool: &TrustedTool, session: &str) -> Result<ToolTrust, StoreError> {
    let [principal, server, project] = key(&tool.server);
    let sql = "SELECT level, (SELECT digest FROM trusted_tools AS seen
                 WHERE (seen.principal, seen.server, seen.project, seen.session, tool) = (?1, ?2, ?3, ?4, ?5))
               FROM trust WHERE (principal, server, project, session) = (?1, ?2, ?3, ?4)";
    let row = |row: &rusqlite::Row<'_>| Ok((row.get::<_, String>(0)?, row.get::<_, Option<String>>(1)?));
    let found = db.query_row(sql, params![principal, server, project, session, tool.tool], row);
    let Some((level, shown)) = found.optional().map_err(unusable)? else { return Ok(ToolTrust::Undecided) };
    let level = read_level(&level)?;
    Ok(match shown == Some(tool.digest.clone()) {
        true => ToolTrust::Shown(level),
        false => ToolTrust::NotShown(level),
    })
}

/// Returns whether there is a decision about the server that lasts.
pub(super) fn is_decided(db: &Connection, server: &TrustedServerKey) -> Result<bool, StoreError> {
    let [principal, server, project] = key(server);
    let sql =
        "SELECT EXISTS (SELECT 1 FROM trust WHERE (principal, server, project, session) = (?1, ?2, ?3, ''))";
    db.query_row(sql, [principal, server, project], |row| row.get(0)).map_err(unusable)
}

/// Trusts the server of a question as far as the question shows it. `run` is the process that
/// asked.
pub(super) fn trust_asked(
    change: &Connection,
    question: &Question,
    GivenTrust { trust, is_for_session }: GivenTrust,
    run: &str,
) -> Result<(), StoreError> {
    let client = question.holder.client.to_text();
    let session = is_for_session.then_some((client.as_str(), run));
    let server = question.trusted_tool().server;
    trust_seen(change, &server, session, trust, &question.shown_definitions())?;
    if is_for_session { Ok(()) } else { forget_sessions(change, &server) }
}

/// Ends the decisions about a server for sessions: one that lasts was made after them.
pub(super) fn forget_sessions(change: &Connection, server: &TrustedServerKey) -> Result<(), StoreError> {
    let sql = "DELETE FROM trust WHERE (principal, server, project) = (?1, ?2, ?3) AND session <> ''";
    change.execute(sql, key(server)).map_err(unusable).map(drop)
}

/// Sets how much is asked about a server, and that the decision covers these definitions. It lasts,
/// or ends with a session and its process.
pub(super) fn trust_seen(
    change: &Connection,
    server: &TrustedServerKey,
    session: Option<(&str, &str)>,
    trust: Trust,
    seen: &[SeenTool],
) -> Result<(), StoreError> {
    let [principal, server, project] = key(server);
    let (session, run) = session.map_or((LASTING, None), |(session, run)| (session, Some(run)));
    let sql =
        "INSERT INTO trust VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT DO UPDATE SET level = excluded.level";
    change
        .execute(sql, params![principal, server, project, session, trust.as_str(), run])
        .map_err(unusable)?;
    let sql = "INSERT OR REPLACE INTO trusted_tools VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
    for SeenTool { name, digest } in seen {
        let Some(digest) = digest else { continue };
        change.execute(sql, params![principal, server, project, session, name, digest]).map_err(unusable)?;
    }
    Ok(())
}

/// Returns the columns that identify a decision. An empty project is a server that was not started
/// in one.
pub(super) fn key(server: &TrustedServerKey) -> [String; 3] {
    [server.principal.key(), server.server.clone(), server.project.clone().unwrap_or_default()]
}

pub(super) fn read_level(level: &str) -> Result<Trust, StoreError> {
    Trust::parse(level).ok_or_else(|| StoreError {
        why: format!("a server is trusted as `{level}`, which this version does not know"),
    })
}
