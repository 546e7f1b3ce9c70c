//! The letters for answers. The screen, the line mode and the page all use the same ones.
use overt_layers::grants::{Answer, AnswerKind, PendingQuestion, QuestionKind};
use overt_policy::Trust;
use overt_policy::word::StringEnum as _;

/// An answer, as a person chooses it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reply {
    Call(AnswerKind),
    Trust(Trust),
}

/// A letter, its answer, and its label in the footer.
pub type Letter = (char, Reply, &'static str);

/// Answers to a question about a call, in the order of the footer.
pub const OF_CALLS: [Letter; 12] = [
    ('y', Reply::Call(AnswerKind::Once), "this call"),
    ('s', Reply::Call(AnswerKind::Session), "session"),
    ('f', Reply::Call(AnswerKind::Folder), "folder 8 h"),
    ('p', Reply::Call(AnswerKind::Project), "project"),
    ('n', Reply::Call(AnswerKind::No), "no"),
    ('x', Reply::Call(AnswerKind::NeverProject), "never"),
    ('h', Reply::Call(AnswerKind::Workday), "8 h"),
    ('t', Reply::Call(AnswerKind::SessionTool), "tool"),
    ('w', Reply::Call(AnswerKind::SessionServer), "server"),
    ('r', Reply::Call(AnswerKind::SessionReads), "reads"),
    ('a', Reply::Call(AnswerKind::Everywhere), "everywhere"),
    ('X', Reply::Call(AnswerKind::NoSession), "refuse session"),
];

/// Answers to a question about how far to trust a server.
pub const OF_TRUST: [Letter; 7] = [
    ('c', Reply::Trust(Trust::Changes), "ask for changes"),
    ('l', Reply::Trust(Trust::Deletes), "deletes"),
    ('e', Reply::Trust(Trust::Everything), "everything"),
    ('o', Reply::Trust(Trust::Nothing), "nothing"),
    ('y', Reply::Call(AnswerKind::Once), "this call"),
    ('n', Reply::Call(AnswerKind::No), "no"),
    ('X', Reply::Call(AnswerKind::NoSession), "refuse session"),
];

/// Returns the letters that this question accepts.
pub fn letters_of(open: &PendingQuestion) -> impl Iterator<Item = Letter> {
    let letters: &'static [Letter] = match open.question.kind {
        QuestionKind::Call => &OF_CALLS,
        QuestionKind::Trust => &OF_TRUST,
    };
    let open = open.clone();
    letters.iter().copied().filter(move |(_, reply, _)| reply.answer(&open, 0).is_some())
}

impl Reply {
    /// Returns the answer that the letter gives to a question of this kind.
    pub fn of_letter(letter: char, kind: QuestionKind) -> Option<Self> {
        let letters: &[Letter] = match kind {
            QuestionKind::Call => &OF_CALLS,
            QuestionKind::Trust => &OF_TRUST,
        };
        letters.iter().find(|(other, ..)| *other == letter).map(|(_, reply, _)| *reply)
    }

    /// Returns the answer for a word of the page's API, such as `once` or `trust-changes`.
    pub fn of_word(word: &str) -> Option<Self> {
        let letters = OF_CALLS.iter().chain(&OF_TRUST);
        letters.map(|(_, reply, _)| *reply).find(|reply| reply.word() == word)
    }

    /// Returns the word of the page's API.
    pub fn word(self) -> String {
        match self {
            Self::Call(kind) => kind.as_str().to_owned(),
            Self::Trust(trust) => format!("trust-{trust}"),
        }
    }

    /// Returns the answer to this question, or `None` if the question does not offer it.
    pub fn answer(self, open: &PendingQuestion, now: u64) -> Option<Answer> {
        let question = &open.question;
        match (self, question.kind) {
            (Self::Trust(trust), QuestionKind::Trust) => Some(Answer::Trust(trust)),
            (Self::Call(AnswerKind::Once), QuestionKind::Trust) => Answer::ONCE.fitting(question),
            (Self::Call(AnswerKind::No), QuestionKind::Trust) => Some(Answer::No),
            (Self::Call(AnswerKind::NoSession), QuestionKind::Trust) => {
                question.holder.has_session().then_some(Answer::NoThisSession)
            }
            (Self::Call(kind), QuestionKind::Call) => {
                let choices = question.choices(now);
                choices.into_iter().find(|choice| choice.kind == kind).map(|choice| choice.answer)
            }
            (Self::Trust(_), QuestionKind::Call) | (Self::Call(_), QuestionKind::Trust) => None,
        }
    }

    /// Describes what the answer means for this question.
    pub fn words(self, open: &PendingQuestion) -> String {
        match (self, open.question.kind) {
            (Self::Trust(trust), _) => {
                let choices = open.question.trust_choices();
                choices
                    .iter()
                    .find(|(level, _)| *level == trust)
                    .map_or_else(String::new, |(_, words)| (*words).to_owned())
            }
            (Self::Call(AnswerKind::Once), QuestionKind::Trust) => {
                "run this call; ask me again at the next".to_owned()
            }
            (Self::Call(kind), QuestionKind::Call) => {
                let choices = open.question.choices(0);
                let words = choices.into_iter().find(|choice| choice.kind == kind).map(|choice| choice.words);
                words.unwrap_or_default()
            }
            (Self::Call(AnswerKind::No), QuestionKind::Trust) => "don't run this call".to_owned(),
            (Self::Call(_), QuestionKind::Trust) => {
                "don't run it, and don't ask again in this session".to_owned()
            }
        }
    }
}
