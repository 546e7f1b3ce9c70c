//! Open questions as rows. The limits are those of [`PendingApprovals`], and the rules of answers
//! those of [`PendingQuestion`].
use overt_layers::grants::{
    Answer, AnswerOutcome, AskOutcome, Holder, PendingApprovals, PendingQuestion, Question, QuestionId,
    QuestionKind, QuestionState, Review, StoreError,
};
use overt_layers::seal::digest;
use rusqlite::{Connection, OptionalExtension as _, params};

use super::inner::{Inner, begin, count};
use super::rows::{self, QUESTION, number, read_answer, seconds, write_answer, write_kind, write_scopes};
use super::schema::unusable;

/// The limits, as SQLite counts.
const MOST_OPEN: i64 = PendingApprovals::MOST_OPEN as i64;
const MOST_OPEN_PER_SESSION: i64 = PendingApprovals::MOST_OPEN_PER_SESSION as i64;
const MOST_NEVER: i64 = PendingApprovals::MOST_NEVER as i64;

/// A question that is open already, as far as asking it again depends on it.
struct OpenRow {
    n: i64,
    waiting: u32,
}

impl Inner {
    pub(super) fn ask(
        &mut self,
        question: &Question,
        review: Option<&Review>,
        now: u64,
    ) -> Result<AskOutcome, StoreError> {
        let change = begin(&mut self.db)?;
        sweep(&change, now).map_err(unusable)?;
        let holder = &question.holder;
        let until = question.until.min(now.saturating_add(PendingApprovals::LONGEST_WAIT));
        let asked = if is_never(&change, holder).map_err(unusable)? {
            AskOutcome::Never
        } else if let Some(open) = find_same(&change, question).map_err(unusable)? {
            match open.waiting >= PendingApprovals::MOST_WAITING {
                true => AskOutcome::TooMany,
                false => {
                    let sql =
                        "UPDATE questions SET waiting = waiting + 1, until = max(until, ?2) WHERE n = ?1";
                    change.execute(sql, params![open.n, seconds(until)]).map_err(unusable)?;
                    AskOutcome::Open(QuestionId(format!("q-{}", open.n)))
                }
            }
        } else if has_room(&change, holder).map_err(unusable)? && self.pace.may_ask(&holder.principal, now) {
            let n = count(&change, "questions")?;
            insert(&change, n, question, until, now, &self.run).map_err(unusable)?;
            AskOutcome::Open(QuestionId(format!("q-{n}")))
        } else {
            AskOutcome::TooMany
        };
        if let (AskOutcome::Open(id), Some(review)) = (&asked, review) {
            let sql = "INSERT OR REPLACE INTO reviews VALUES (?1, ?2, ?3)";
            change.execute(sql, params![number(&id.0, 'q'), review.diff, review.page]).map_err(unusable)?;
        }
        change.commit().map_err(unusable)?;
        Ok(asked)
    }

    pub(super) fn question_state(&self, id: &QuestionId, now: u64) -> Result<QuestionState, StoreError> {
        let Some(n) = number(&id.0, 'q') else { return Ok(QuestionState::Gone) };
        let sql = "SELECT answer, until FROM questions WHERE n = ?1";
        let found: Option<(Option<String>, i64)> =
            self.db.query_row(sql, [n], |row| Ok((row.get(0)?, row.get(1)?))).optional().map_err(unusable)?;
        let Some((answer, until)) = found else { return Ok(QuestionState::Gone) };
        let is_timely = until.saturating_add(seconds(PendingApprovals::GRACE)) > seconds(now);
        match answer.filter(|_| is_timely) {
            Some(text) => read_answer(&text).map(QuestionState::Answered).map_err(unusable),
            None => Ok(QuestionState::Open),
        }
    }

    pub(super) fn decide(
        &mut self,
        id: &QuestionId,
        answer: Answer,
        now: u64,
    ) -> Result<AnswerOutcome, StoreError> {
        let change = begin(&mut self.db)?;
        sweep(&change, now).map_err(unusable)?;
        let open = read(&change, id).map_err(unusable)?.filter(|open| open.question.until > now);
        let decided = match open {
            None => AnswerOutcome::Gone,
            Some(mut open) => {
                let decided = open.decide(answer);
                if decided == AnswerOutcome::Taken {
                    update(&change, &open).map_err(unusable)?;
                    if answer == Answer::NoThisSession {
                        never_again(&change, &open.question.holder, &self.run).map_err(unusable)?;
                    }
                }
                decided
            }
        };
        change.commit().map_err(unusable)?;
        Ok(decided)
    }

    pub(super) fn close(
        &mut self,
        id: &QuestionId,
        here: Option<Answer>,
        now: u64,
    ) -> Result<Option<Answer>, StoreError> {
        let change = begin(&mut self.db)?;
        sweep(&change, now).map_err(unusable)?;
        let counts = match read(&change, id).map_err(unusable)? {
            None => None,
            Some(mut open) => {
                let here = here.and_then(|answer| answer.fitting(&open.question));
                let counts = open.close(here);
                let written = match open.waiting {
                    0 => delete(&change, id),
                    _ => update(&change, &open),
                };
                written.map_err(unusable)?;
                if here == Some(Answer::NoThisSession) {
                    never_again(&change, &open.question.holder, &self.run).map_err(unusable)?;
                }
                counts
            }
        };
        change.commit().map_err(unusable)?;
        Ok(counts)
    }

    pub(super) fn leave(&mut self, id: &QuestionId) -> Result<(), StoreError> {
        let sql = "UPDATE questions SET waiting = max(waiting - 1, 0) WHERE n = ?1";
        self.db.execute(sql, [number(&id.0, 'q')]).map(drop).map_err(unusable)
    }

    /// Returns the questions that still wait for a person.
    pub(super) fn questions(&self, now: u64) -> Result<Vec<PendingQuestion>, StoreError> {
        let sql = format!("SELECT {QUESTION} FROM questions WHERE until > ?1 AND answer IS NULL ORDER BY n");
        let mut select = self.db.prepare(&sql).map_err(unusable)?;
        let open = select.query_map([seconds(now)], rows::open).map_err(unusable)?;
        open.collect::<Result<_, _>>().map_err(unusable)
    }

    pub(super) fn review(&self, id: &QuestionId) -> Result<Option<Review>, StoreError> {
        let sql = "SELECT diff, page FROM reviews WHERE n = ?1";
        let review = |row: &rusqlite::Row<'_>| Ok(Review { diff: row.get(0)?, page: row.get(1)? });
        self.db.query_row(sql, [number(&id.0, 'q')], review).optional().map_err(unusable)
    }
}

fn sweep(db: &Connection, now: u64) -> rusqlite::Result<usize> {
    let sql = "DELETE FROM questions WHERE until + (CASE WHEN answer IS NULL THEN 0 ELSE ?2 END) <= ?1";
    db.execute(sql, params![seconds(now), seconds(PendingApprovals::GRACE)])
}

fn is_never(db: &Connection, holder: &Holder) -> rusqlite::Result<bool> {
    let sql = "SELECT EXISTS (SELECT 1 FROM never WHERE principal = ?1 AND session = ?2)";
    db.query_row(sql, [holder.principal.key(), holder.client.to_text()], |row| row.get(0))
}

/// Finds the open question that one answer serves together with this one, as
/// [`Question::is_same`] says, without reading what is shown.
fn find_same(db: &Connection, question: &Question) -> rusqlite::Result<Option<OpenRow>> {
    let same_kind = match question.kind {
        QuestionKind::Call => "AND same = ?6",
        QuestionKind::Trust if question.is_redefined() => "AND tool = ?7 AND tool_digest = ?8 AND ?6 = ''",
        QuestionKind::Trust => "AND (tool <> ?7 OR tool_digest = ?8) AND ?6 = ''",
    };
    let sql = format!(
        "SELECT n, waiting FROM questions WHERE principal = ?1 AND session = ?2 AND server = ?3 AND project IS ?4
         AND asks = ?5 {same_kind} AND ?7 = ?7 AND ?8 = ?8 ORDER BY n LIMIT 1"
    );
    let like = params![
        question.holder.principal.key(),
        question.holder.client.to_text(),
        question.server,
        question.project,
        write_kind(question),
        same(question),
        question.tool,
        question.tool_digest,
    ];
    let open = |row: &rusqlite::Row<'_>| Ok(OpenRow { n: row.get(0)?, waiting: row.get(1)? });
    db.query_row(&sql, like, open).optional()
}

/// Returns a digest of everything that makes two questions about calls the same. Empty for a
/// question about trust.
fn same(question: &Question) -> String {
    if question.kind == QuestionKind::Trust {
        return String::new();
    }
    digest(&[
        &question.tool,
        &question.tool_digest,
        &write_scopes(&question.scopes),
        &write_scopes(&question.wider),
        &serde_json::to_string(&question.broader).unwrap_or_default(),
        &question.arguments,
        if question.plan.is_some() { "plan" } else { "" },
        question.plan.as_deref().unwrap_or_default(),
    ])
}

/// Returns whether one more question fits. To make room, it forgets questions that no call waits
/// for.
fn has_room(db: &Connection, holder: &Holder) -> rusqlite::Result<bool> {
    let (principal, session) = (holder.principal.key(), holder.client.to_text());
    let of_holder = [principal.as_str(), session.as_str()];
    let of_session = "principal = ?1 AND session = ?2";
    let many: i64 =
        db.query_row(&format!("SELECT count(*) FROM questions WHERE {of_session}"), of_holder, |row| {
            row.get(0)
        })?;
    let forget = |which: &str| {
        format!(
            "DELETE FROM questions WHERE n =
               (SELECT min(n) FROM questions WHERE waiting = 0 AND answer IS NULL AND {which})"
        )
    };
    if many >= MOST_OPEN_PER_SESSION && db.execute(&forget(of_session), of_holder)? == 0 {
        return Ok(false);
    }
    let many: i64 = db.query_row("SELECT count(*) FROM questions", [], |row| row.get(0))?;
    Ok(many < MOST_OPEN || db.execute(&forget("1"), [])? > 0)
}

fn read(db: &Connection, id: &QuestionId) -> rusqlite::Result<Option<PendingQuestion>> {
    let Some(n) = number(&id.0, 'q') else { return Ok(None) };
    let sql = format!("SELECT {QUESTION} FROM questions WHERE n = ?1");
    db.query_row(&sql, [n], rows::open).optional()
}

fn update(db: &Connection, open: &PendingQuestion) -> rusqlite::Result<usize> {
    let sql = "UPDATE questions SET answer = ?2, waiting = ?3 WHERE n = ?1";
    db.execute(sql, params![number(&open.id.0, 'q'), open.answer.map(write_answer), open.waiting])
}

fn delete(db: &Connection, id: &QuestionId) -> rusqlite::Result<usize> {
    db.execute("DELETE FROM questions WHERE n = ?1", [number(&id.0, 'q')])
}

/// Answers all questions of the session with a no, and remembers that it must not ask again.
fn never_again(db: &Connection, holder: &Holder, run: &str) -> rusqlite::Result<()> {
    let (principal, session) = (holder.principal.key(), holder.client.to_text());
    // The entry must end with the process that owns the session, which is the one that asked.
    let sql = "INSERT OR IGNORE INTO never
               SELECT ?1, ?2, coalesce((SELECT run FROM questions WHERE principal = ?1 AND session = ?2), ?3)
               WHERE (SELECT count(*) FROM never) < ?4";
    db.execute(sql, params![principal, session, run, MOST_NEVER])?;
    let sql = "UPDATE questions SET answer = ?3 WHERE principal = ?1 AND session = ?2";
    db.execute(sql, params![principal, session, write_answer(Answer::NoThisSession)])?;
    Ok(())
}

fn insert(
    db: &Connection,
    n: i64,
    question: &Question,
    until: u64,
    now: u64,
    run: &str,
) -> rusqlite::Result<usize> {
    db.execute(
        "INSERT INTO questions VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, NULL, 1, ?16, ?17, ?18)",
        params![
            n,
            question.holder.principal.key(),
            question.holder.client.to_text(),
            question.server,
            question.project,
            question.tool,
            question.tool_digest,
            write_kind(question),
            write_scopes(&question.scopes),
            write_scopes(&question.wider),
            question.arguments,
            question.plan,
            serde_json::to_string(&question.shown).unwrap_or_default(),
            seconds(until),
            seconds(now),
            run,
            serde_json::to_string(&question.broader).unwrap_or_default(),
            same(question),
        ],
    )
}
