//! Changes of grants within a transaction.
use overt_layers::grants::{Grant, GrantId, GrantLifetime, Holder, Question, StoreError, Terms};
use rusqlite::{Connection, Transaction, TransactionBehavior, params};

use super::rows::{self, GRANT, number, seconds, write_lifetime, write_scopes, write_tools};
use super::schema::unusable;

const MOST_GRANTS: i64 = 1_000_000;

pub(super) fn begin(db: &mut Connection) -> Result<Transaction<'_>, StoreError> {
    db.transaction_with_behavior(TransactionBehavior::Immediate).map_err(unusable)
}

/// Gives a grant, unless exactly this one exists. `run` is the process with which it ends if it
/// does not last.
pub(super) fn insert_new(
    change: &Connection,
    holder: &Holder,
    terms: Terms,
    run: &str,
    now: u64,
) -> Result<Grant, StoreError> {
    terms.check()?;
    let run = (terms.lifetime != GrantLifetime::Always).then_some(run);
    let unnamed = Grant { id: GrantId(String::new()), holder: holder.clone(), terms, issued_at: now };
    change.execute("DELETE FROM grants WHERE expires <= ?1", [seconds(now)]).map_err(unusable)?;
    if let Some(existing) = find_equal(change, &unnamed, run).map_err(unusable)? {
        return Ok(existing);
    }
    let many: i64 =
        change.query_row("SELECT count(*) FROM grants", [], |row| row.get(0)).map_err(unusable)?;
    if many >= MOST_GRANTS {
        return Err(StoreError { why: format!("there are {MOST_GRANTS} grants already; revoke some") });
    }
    let n = count(change, "grants")?;
    let grant = Grant { id: GrantId(format!("g-{n}")), ..unnamed };
    insert_grant(change, n, &grant, run).map_err(unusable)?;
    Ok(grant)
}

pub(super) fn remove(change: &Connection, id: &GrantId) -> rusqlite::Result<usize> {
    change.execute("DELETE FROM grants WHERE n = ?1", [number(&id.0, 'g')])
}

/// Removes what a yes to this question gave for one call, if no call has used it.
pub(super) fn remove_once(change: &Connection, question: &Question) -> rusqlite::Result<usize> {
    let sql = "DELETE FROM grants WHERE lasts = 'once' AND principal = ?1 AND session = ?2 AND server = ?3
               AND tool = ?4 AND arguments = ?5";
    let (principal, client) = (question.holder.principal.key(), question.holder.client.to_text());
    change.execute(sql, params![principal, client, question.server, question.tool, question.arguments])
}

/// Returns whether a grant is live.
pub(super) fn exists(db: &Connection, id: &GrantId, now: u64) -> rusqlite::Result<bool> {
    let sql = "SELECT EXISTS (SELECT 1 FROM grants WHERE n = ?1 AND (expires IS NULL OR expires > ?2))";
    db.query_row(sql, params![number(&id.0, 'g'), seconds(now)], |row| row.get(0))
}

/// Returns the next number of a counter.
pub(super) fn count(db: &Connection, what: &str) -> Result<i64, StoreError> {
    db.query_row("UPDATE counters SET n = n + 1 WHERE name = ?1 RETURNING n", [what], |row| row.get(0))
        .map_err(unusable)
}

/// Returns the grant with exactly these terms, unless it is for one call. Giving the same grant
/// twice adds nothing.
fn find_equal(db: &Connection, of: &Grant, run: Option<&str>) -> rusqlite::Result<Option<Grant>> {
    if of.terms.lifetime == GrantLifetime::Once {
        return Ok(None);
    }
    let sql = format!(
        "SELECT {GRANT} FROM grants WHERE principal = ?1 AND server = ?3 AND tool = ?4 AND scopes = ?5
         AND (lasts IN ('always', 'never') OR (session = ?2 AND run IS ?6))"
    );
    let mut select = db.prepare(&sql)?;
    let terms = &of.terms;
    let like = params![
        of.holder.principal.key(),
        of.holder.client.to_text(),
        terms.server,
        write_tools(&terms.tools).1,
        write_scopes(&terms.scopes),
        run
    ];
    for grant in select.query_map(like, rows::grant)? {
        let grant = grant?;
        if grant.terms == *terms {
            return Ok(Some(grant));
        }
    }
    Ok(None)
}

pub(super) fn insert_grant(
    db: &Connection,
    n: i64,
    grant: &Grant,
    run: Option<&str>,
) -> rusqlite::Result<()> {
    let Grant { holder, terms, issued_at, .. } = grant;
    let (tools, tool) = write_tools(&terms.tools);
    let principal = holder.principal.key();
    db.execute(
        "INSERT INTO grants VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16)",
        params![
            n,
            principal,
            holder.client.to_text(),
            terms.server,
            terms.project,
            tool,
            write_scopes(&terms.scopes),
            write_lifetime(terms),
            terms.arguments,
            terms.expires.map(seconds),
            seconds(*issued_at),
            run,
            terms.tool_digest,
            terms.plan,
            tools,
            terms.client,
        ],
    )?;
    for scope in &terms.scopes {
        let sql = "INSERT OR IGNORE INTO granted_scopes VALUES (?1, ?2, ?3, ?4, ?5)";
        db.execute(sql, params![principal, terms.server, tool, scope.to_string(), n])?;
    }
    Ok(())
}
