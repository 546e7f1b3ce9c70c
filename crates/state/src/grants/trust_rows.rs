//! Trust in servers, read and changed within a transaction.
use overt_layers::grants::{StoreError, TrustedServerKey, TrustedTool};
use overt_policy::Trust;
use overt_policy::word::StringEnum as _;
use rusqlite::{Connection, OptionalExtension as _};

use super::schema::unusable;

/// Returns the trust level for this tool, and whether this would be its first use. Does not
/// count as a use.
pub(super) fn look_at_trust(
    db: &Connection,
    tool: &TrustedTool,
) -> Result<Option<(Trust, bool)>, StoreError> {
    let [principal, server, project] = key(&tool.server);
    let level: Option<String> = db
        .query_row(
            "SELECT level FROM trust WHERE principal = ?1 AND server = ?2 AND project = ?3",
            [&principal, &server, &project],
            |row| row.get(0),
        )
        .optional()
        .map_err(unusable)?;
    let Some(level) = level else { return Ok(None) };
    let level = read_level(&level)?;
    let digest: Option<String> = db
        .query_row(
            "SELECT digest FROM trusted_tools
             WHERE principal = ?1 AND server = ?2 AND project = ?3 AND tool = ?4",
            [&principal, &server, &project, &tool.tool],
            |row| row.get(0),
        )
        .optional()
        .map_err(unusable)?;
    Ok(match digest {
        Some(digest) => (digest == tool.digest).then_some((level, false)),
        None => Some((level, true)),
    })
}

/// Sets how far the server of a tool is trusted, if `trust` says so, and that the decision covers
/// the tool's definition. An empty name stands for the server as a whole.
pub(super) fn trust_tool(
    change: &Connection,
    tool: &TrustedTool,
    trust: Option<Trust>,
) -> Result<(), StoreError> {
    let [principal, server, project] = key(&tool.server);
    if let Some(trust) = trust {
        let sql = "INSERT OR REPLACE INTO trust VALUES (?1, ?2, ?3, ?4)";
        change.execute(sql, [&principal, &server, &project, trust.as_str()]).map_err(unusable)?;
    }
    if !tool.tool.is_empty() {
        let sql = "INSERT OR REPLACE INTO trusted_tools VALUES (?1, ?2, ?3, ?4, ?5)";
        change.execute(sql, [&principal, &server, &project, &tool.tool, &tool.digest]).map_err(unusable)?;
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
