//! The inbox line by line, for screen readers and small terminals: one question at a time, one
//! letter and Enter.
use std::collections::BTreeSet;
use std::time::Duration;

use overt_layers::grants::{AnswerKind, PendingQuestion, QuestionId};

use super::events::{Event, Events};
use super::notify::Notifier;
use super::totals::TotalsCounter;
use crate::commands::grants::DecisionContext;
use crate::error::{CommandError, Exit};
use crate::lost_wrapping::WrappingWatch;
use crate::output::inbox_text;
use crate::output::one_line;
use crate::settings::WatchSettings;
use overt_operator::inbox::{InboxStore, Reply, letters_of};

/// How often the store is read.
const CHECK_INTERVAL: Duration = Duration::from_millis(300);
/// The most bytes of an unfinished line that are kept.
const LONGEST: usize = 1_024;

/// The state of the line mode.
struct Conversation<'a> {
    context: &'a DecisionContext<'a>,
    store: InboxStore<'a>,
    notifier: Notifier,
    /// The question that is shown; `None` between questions.
    current: Option<PendingQuestion>,
    /// Questions that the person postponed.
    later: BTreeSet<QuestionId>,
    /// The answer that must be given again, because it is far-reaching.
    confirm: Option<Reply>,
}

pub(super) fn plain(
    context: &DecisionContext<'_>,
    settings: &WatchSettings,
    mut wrapping: WrappingWatch,
) -> Result<Exit, CommandError> {
    let store = InboxStore::open(context.operator())?;
    let read_only = store.read_only().map(str::to_owned);
    let events = Events::start()?;
    let notifier = Notifier::new(settings.notice.clone());
    let mut conversation =
        Conversation { context, store, notifier, current: None, later: BTreeSet::new(), confirm: None };
    let totals = TotalsCounter::start(&settings.logs).totals(0);
    match &read_only {
        None => context.printer().text(HELLO)?,
        Some(why) => context
            .printer()
            .text(&format!("Read-only: questions are shown here and can't be answered. {why}.\n"))?,
    }
    context.printer().text(&format!("{totals}\n"))?;
    let mut typed: Vec<u8> = Vec::new();
    loop {
        for lost in wrapping.news().unwrap_or_default() {
            conversation.say(&format!("Warning: {}", lost.line()))?;
        }
        conversation.show_next()?;
        match events.next(CHECK_INTERVAL) {
            None => {}
            Some(Event::Closed) => return Ok(Exit::Ok),
            Some(Event::Ended) => return Ok(Exit::Interrupted),
            Some(Event::Typed(bytes)) => {
                typed.extend(bytes);
                while let Some(end) = typed.iter().position(|byte| *byte == b'\n') {
                    let line: Vec<u8> = typed.drain(..=end).collect();
                    if conversation.handle_line(String::from_utf8_lossy(&line).trim())? {
                        if read_only.is_none() {
                            context.printer().note("calls no longer wait for an answer here");
                        }
                        return Ok(Exit::Ok);
                    }
                    conversation.show_next()?;
                }
                typed.truncate(LONGEST);
            }
        }
    }
}

impl Conversation<'_> {
    /// Shows the next question, or says that the present one was closed.
    fn show_next(&mut self) -> Result<(), CommandError> {
        let Some(open) = self.store.questions()? else { return Ok(()) };
        if let Some(gone) = self.current.take_if(|current| open.iter().all(|open| open.id != current.id)) {
            self.say(&format!("{} was answered elsewhere, or waits no more.", gone.id))?;
        }
        self.later.retain(|id| open.iter().any(|open| open.id == *id));
        if self.current.is_some() {
            return Ok(());
        }
        let Some(next) = open.iter().find(|open| !self.later.contains(&open.id)).cloned() else {
            return Ok(());
        };
        let waiting = open.len() - self.later.len();
        self.show(&next, waiting)?;
        if !self.notifier.tell(std::slice::from_ref(&next)) {
            self.context.printer().prompt("\u{7}");
        }
        self.current = Some(next);
        Ok(())
    }

    fn show(&self, open: &PendingQuestion, waiting: usize) -> Result<(), CommandError> {
        let many = if waiting > 1 { format!(" ({waiting} questions are open)") } else { String::new() };
        let mut text = format!("\nQuestion {}{many}\n{}\n\n", open.id, open.question.to_text(&open.id));
        for (letter, reply, _) in letters_of(open) {
            text.push_str(&format!("  {letter}  {}\n", one_line(&reply.words(open))));
        }
        text.push_str("  d  show all of it\n  Enter  later\n");
        self.context.printer().text(&text)?;
        self.context.printer().prompt(&format!("{} > ", open.id));
        Ok(())
    }

    /// Handles a line. Returns whether to leave.
    fn handle_line(&mut self, line: &str) -> Result<bool, CommandError> {
        let confirm = self.confirm.take();
        let mut letters = line.chars();
        match (letters.next(), letters.next(), self.current.clone()) {
            (Some('q'), None, _) => return Ok(true),
            (Some('u'), None, _) => {
                let words = self.store.take_back();
                self.say(&words)?;
            }
            (Some('?'), None, current) => {
                self.say(KEYS)?;
                current.iter().try_for_each(|open| self.show(open, 1))?;
            }
            (None, _, Some(open)) => {
                self.later.insert(open.id);
                self.current = None;
            }
            // Enter without a question shows the postponed questions again.
            (None, _, None) => self.later.clear(),
            (Some('d'), None, Some(open)) => {
                let text = inbox_text(&open, self.store.review(&open.id)?.as_ref());
                self.say(&text)?;
                self.context.printer().prompt(&format!("{} > ", open.id));
            }
            (Some(letter), None, Some(open)) => self.reply(letter, &open, confirm)?,
            (Some(_), None, None) => self.say("No question is open.")?,
            (Some(_), Some(_), _) => self.say("One letter and Enter; ? shows the keys.")?,
        }
        Ok(false)
    }

    fn reply(
        &mut self,
        letter: char,
        open: &PendingQuestion,
        confirm: Option<Reply>,
    ) -> Result<(), CommandError> {
        let reply = Reply::of_letter(letter, open.question.kind);
        let Some(reply) = reply.filter(|reply| reply.answer(open, 0).is_some()) else {
            return self.say("This question has no such answer; ? shows the keys.");
        };
        if reply == Reply::Call(AnswerKind::Everywhere) && confirm != Some(reply) {
            self.confirm = Some(reply);
            return self.say("That holds in every project until you revoke it. Type a again to say so.");
        }
        let (answered, words) = self.store.answer(&[open], reply);
        if !answered.is_empty() {
            self.current = None;
        }
        self.say(&words)
    }

    fn say(&self, text: &str) -> Result<(), CommandError> {
        Ok(self.context.printer().text(&format!("{}\n", text.trim_end()))?)
    }
}

const HELLO: &str = "Calls wait for your answer while this runs. Each question is shown here; answer with one letter and Enter. \
     ? shows the keys, q leaves.\n";
const KEYS: &str = "d shows all of a question, Enter leaves it for later, u takes the last answer back, q leaves; the other letters \
     are below the question.";
