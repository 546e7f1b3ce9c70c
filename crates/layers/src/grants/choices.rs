//! The answers that a question offers, as data. A client's dialog, a terminal and a page show the
//! same ones.
use overt_policy::Trust;
use overt_policy::word::string_enum;

use crate::person::{Channel, Reach};

use super::{Answer, Breadth, Extent, GrantLifetime, Question, QuestionKind, too_wide_to_last};

string_enum! {
    /// An answer to a question about a call. Every interface uses these names.
    pub enum AnswerKind {
        /// This call.
        Once = "once",
        /// The same tool within the same scopes, while the session lasts.
        Session = "session",
        /// The same tool with any arguments, while the session lasts.
        SessionTool = "session-tool",
        /// Every tool of the server, while the session lasts.
        SessionServer = "session-server",
        /// Every tool of the server that only reads, while the session lasts.
        SessionReads = "session-reads",
        /// The folder around what the call needs, in this project for eight hours.
        Folder = "folder",
        /// The same tool within the same scopes, in this project for eight hours.
        Workday = "8h",
        /// The same tool within the same scopes, in this project until it is revoked.
        Project = "always",
        /// The same tool within the same scopes, in every project until it is revoked.
        Everywhere = "everywhere",
        No = "no",
        /// No, and this session must not ask again.
        NoSession = "no-session",
        /// No, and Overt refuses such calls in this project without asking again.
        NeverProject = "never",
    }
}

/// An answer that a person may choose.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    pub kind: AnswerKind,
    pub answer: Answer,
    /// The meaning of the answer, for a list of choices. Names in it that come from clients and
    /// servers are not escaped yet.
    pub words: String,
}

/// The duration of a grant for a workday, in seconds.
pub const WORKDAY: u64 = 8 * 60 * 60;

impl AnswerKind {
    /// Returns whether a client's dialog shows this answer: it reaches no further than a dialog
    /// does, or it is for this project, holds for the session, and becomes a proposal.
    pub fn is_for_dialogs(self, question: &Question) -> bool {
        let reach = self.answer(0).reach();
        let is_proposed = reach == Reach::Project && self != Self::Folder && question.holder.has_session();
        reach <= Channel::Dialog.reach() || is_proposed
    }

    fn answer(self, now: u64) -> Answer {
        let yes =
            |lifetime, breadth| Answer::Yes { lifetime, extent: Extent::Project, breadth, expires: None };
        let for_a_workday = |breadth| Answer::Yes {
            lifetime: GrantLifetime::Always,
            extent: Extent::Project,
            breadth,
            expires: Some(now.saturating_add(WORKDAY)),
        };
        match self {
            Self::Once => yes(GrantLifetime::Once, Breadth::Call),
            Self::Session => yes(GrantLifetime::Session, Breadth::Call),
            Self::SessionTool => yes(GrantLifetime::Session, Breadth::Tool),
            Self::SessionServer => yes(GrantLifetime::Session, Breadth::Server),
            Self::SessionReads => yes(GrantLifetime::Session, Breadth::Reads),
            Self::Folder => for_a_workday(Breadth::Folder),
            Self::Workday => for_a_workday(Breadth::Call),
            Self::Project => yes(GrantLifetime::Always, Breadth::Call),
            Self::Everywhere => Answer::Yes {
                lifetime: GrantLifetime::Always,
                extent: Extent::Everywhere,
                breadth: Breadth::Call,
                expires: None,
            },
            Self::No => Answer::No,
            Self::NoSession => Answer::NoThisSession,
            Self::NeverProject => Answer::NeverInProject,
        }
    }

    fn words(self, question: &Question) -> String {
        let (tool, server) = (&question.tool, &question.shown.server);
        match self {
            Self::Once => "yes, this call".to_owned(),
            Self::Session => format!("yes, and `{tool}` until this session ends"),
            Self::SessionTool => format!("yes, and `{tool}` with any arguments until this session ends"),
            Self::SessionServer => {
                format!("yes, and everything that \"{server}\" does until this session ends")
            }
            Self::SessionReads => {
                format!("yes, and all of \"{server}\" that only reads until this session ends")
            }
            Self::Folder => {
                let folders: Vec<String> = question.wider.iter().map(ToString::to_string).collect();
                format!("yes, and `{tool}` in the folder around it for 8 hours ({})", folders.join(", "))
            }
            Self::Workday => format!("yes, and `{tool}` in this project for 8 hours"),
            Self::Project => format!("yes, and `{tool}` in this project until I revoke it"),
            Self::Everywhere => format!("yes, and `{tool}` in every project until I revoke it"),
            Self::No => "no".to_owned(),
            Self::NoSession => "no, and don't ask again in this session".to_owned(),
            Self::NeverProject => format!("no, and never ask again about `{tool}` in this project"),
        }
    }
}

impl Choice {
    /// Returns the words for a client's dialog.
    pub fn words_in_dialog(&self) -> String {
        match self.answer.is_yes() && self.answer.reach() > Channel::Dialog.reach() {
            true => format!("{} (this session; for longer, confirm it once in Overt)", self.words),
            false => self.words.clone(),
        }
    }
}

impl Question {
    /// Returns the trust levels to choose from, with their wording, for a question about trust.
    pub fn trust_choices(&self) -> [(Trust, &'static str); 4] {
        match self.is_redefined() {
            true => [
                (Trust::Changes, "accept it as it is now, and ask me for changes"),
                (Trust::Deletes, "accept it as it is now, and ask me for deletes"),
                (Trust::Everything, "accept it as it is now, and ask me for everything"),
                (Trust::Nothing, "accept it as it is now, and ask me for nothing, only record"),
            ],
            false => [
                (Trust::Changes, "ask me for changes (recommended)"),
                (Trust::Deletes, "ask me for deletes: what deletes, or leaves this machine"),
                (Trust::Everything, "ask me for everything"),
                (Trust::Nothing, "ask me for nothing, only record"),
            ],
        }
    }

    /// Returns the answers to choose from, in display order. `now` is in seconds since 1970. Each
    /// yes allows exactly what its words say. Answers that need `--dangerous` in a terminal are not
    /// included (SCP-13), and answers for a project are offered only if there is one. Empty for a
    /// question about trust.
    pub fn choices(&self, now: u64) -> Vec<Choice> {
        use overt_policy::word::StringEnum as _;
        if self.kind == QuestionKind::Trust {
            return Vec::new();
        }
        let offered = AnswerKind::ALL.iter().copied().filter(|kind| self.offers(*kind));
        offered.map(|kind| Choice { kind, answer: kind.answer(now), words: kind.words(self) }).collect()
    }

    fn offers(&self, kind: AnswerKind) -> bool {
        let (has_session, has_project) = (self.holder.has_session(), self.project.is_some());
        let is_narrow = too_wide_to_last(&self.scopes).is_none();
        match kind {
            AnswerKind::No => true,
            AnswerKind::Once => !self.is_proposal(),
            AnswerKind::NoSession => has_session,
            AnswerKind::NeverProject => has_project,
            // A person is asked about each such call.
            _ if self.is_for_this_call_alone() => false,
            AnswerKind::Session => has_session,
            AnswerKind::SessionTool => has_session && self.has(Breadth::Tool),
            AnswerKind::SessionServer => has_session && self.has(Breadth::Server),
            AnswerKind::SessionReads => has_session && self.has(Breadth::Reads),
            AnswerKind::Folder => {
                has_project && self.has(Breadth::Folder) && too_wide_to_last(&self.all_wider()).is_none()
            }
            AnswerKind::Workday | AnswerKind::Project => has_project && is_narrow,
            AnswerKind::Everywhere => is_narrow,
        }
    }
}

#[cfg(test)]
mod tests;
