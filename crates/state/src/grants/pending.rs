//! Reads open questions into a `PendingApprovals`, and writes changes back as rows.
use overt_layers::grants::{PendingApprovals, PendingQuestion};
use rusqlite::{Connection, params};

use super::rows::{self, QUESTION, number, seconds, write_answer, write_kind, write_scopes};

pub(super) fn read_pending(db: &Connection) -> rusqlite::Result<PendingApprovals> {
    let sql = format!("SELECT {QUESTION} FROM questions ORDER BY n");
    let open = db.prepare(&sql)?.query_map([], rows::open)?.collect::<rusqlite::Result<_>>()?;
    let mut never = db.prepare("SELECT session FROM never")?;
    let never = never.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
    Ok(PendingApprovals { open, never })
}

/// Writes the difference between `before` and `after`.
pub(super) fn write_pending(
    db: &Connection,
    before: &PendingApprovals,
    after: &PendingApprovals,
    run: &str,
) -> rusqlite::Result<()> {
    for gone in before.open.iter().filter(|open| after.open.iter().all(|other| other.id != open.id)) {
        db.execute("DELETE FROM questions WHERE n = ?1", [number(&gone.id.0, 'q')])?;
    }
    for open in after.open.iter().filter(|open| !before.open.contains(open)) {
        let Some(n) = number(&open.id.0, 'q') else { continue };
        let answer = open.answer.map(write_answer);
        let changed = db.execute(
            "UPDATE questions SET until = ?2, answer = ?3, waiting = ?4 WHERE n = ?1",
            params![n, seconds(open.question.until), answer, open.waiting],
        )?;
        if changed == 0 {
            insert_question(db, n, open, run)?;
        }
    }
    for session in before.never.difference(&after.never) {
        db.execute("DELETE FROM never WHERE session = ?1", [session])?;
    }
    for session in after.never.difference(&before.never) {
        // The entry must end with the process that owns the session, which is the one that asked.
        let sql = "INSERT INTO never SELECT ?1, coalesce((SELECT run FROM questions WHERE session = ?1), ?2)";
        db.execute(sql, params![session, run])?;
    }
    Ok(())
}

fn insert_question(db: &Connection, n: i64, open: &PendingQuestion, run: &str) -> rusqlite::Result<()> {
    let question = &open.question;
    db.execute(
        "INSERT INTO questions VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, NULL, ?16, ?17, ?18)",
        params![
            n,
            question.holder.principal,
            question.holder.session,
            question.server,
            question.project,
            question.tool,
            question.tool_digest,
            write_kind(question.kind),
            write_scopes(&question.scopes),
            write_scopes(&question.wider),
            question.arguments,
            question.plan,
            serde_json::to_string(&question.shown).unwrap_or_default(),
            seconds(question.until),
            seconds(open.asked),
            open.waiting,
            run,
            serde_json::to_string(&question.broader).unwrap_or_default(),
        ],
    )?;
    db.execute("UPDATE counters SET n = ?1 WHERE name = 'questions'", [n])?;
    Ok(())
}
