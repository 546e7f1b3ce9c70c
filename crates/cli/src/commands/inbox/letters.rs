//! Which letter stands for which answer: the same on the screen, in the line mode and on the page.
use overt_layers::grants::{Answer, Open, Pick, QuestionKind};
use overt_policy::Trust;
use overt_policy::word::StringEnum as _;

/// An answer as it is typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::commands) enum Reply {
    Pick(Pick),
    Trust(Trust),
}

/// A letter, what it says, and how the footer calls it.
pub(in crate::commands) type Letter = (char, Reply, &'static str);

/// For a question about a call, in the order of the footer.
pub(in crate::commands) const OF_CALLS: [Letter; 12] = [
    ('y', Reply::Pick(Pick::Once), "this call"),
    ('s', Reply::Pick(Pick::Session), "session"),
    ('f', Reply::Pick(Pick::Folder), "folder 8 h"),
    ('p', Reply::Pick(Pick::Project), "project"),
    ('n', Reply::Pick(Pick::No), "no"),
    ('x', Reply::Pick(Pick::NeverProject), "never"),
    ('h', Reply::Pick(Pick::Workday), "8 h"),
    ('t', Reply::Pick(Pick::SessionTool), "tool"),
    ('w', Reply::Pick(Pick::SessionServer), "server"),
    ('r', Reply::Pick(Pick::SessionReads), "reads"),
    ('a', Reply::Pick(Pick::Everywhere), "everywhere"),
    ('X', Reply::Pick(Pick::NeverSession), "silence"),
];

/// For a question about how far to believe a server.
pub(in crate::commands) const OF_TRUST: [Letter; 5] = [
    ('c', Reply::Trust(Trust::Changes), "ask for changes"),
    ('e', Reply::Trust(Trust::Everything), "ask for everything"),
    ('o', Reply::Trust(Trust::Record), "only record"),
    ('n', Reply::Pick(Pick::No), "no"),
    ('X', Reply::Pick(Pick::NeverSession), "silence"),
];

/// The letters that this question takes.
pub(in crate::commands) fn letters_of(open: &Open) -> impl Iterator<Item = Letter> {
    let letters: &'static [Letter] = match open.question.kind {
        QuestionKind::Call => &OF_CALLS,
        QuestionKind::Trust => &OF_TRUST,
    };
    let open = open.clone();
    letters.iter().copied().filter(move |(_, reply, _)| reply.answer(&open, 0).is_some())
}

impl Reply {
    /// What the letter says to any question.
    pub(in crate::commands) fn of_letter(letter: char, kind: QuestionKind) -> Option<Self> {
        let letters: &[Letter] = match kind {
            QuestionKind::Call => &OF_CALLS,
            QuestionKind::Trust => &OF_TRUST,
        };
        letters.iter().find(|(other, ..)| *other == letter).map(|(_, reply, _)| *reply)
    }

    /// What a word of the page's API says, such as `once` or `trust-changes`.
    pub(in crate::commands) fn of_word(word: &str) -> Option<Self> {
        let letters = OF_CALLS.iter().chain(&OF_TRUST);
        letters.map(|(_, reply, _)| *reply).find(|reply| reply.word() == word)
    }

    /// The word for the page's API.
    pub(in crate::commands) fn word(self) -> String {
        match self {
            Self::Pick(pick) => pick.as_str().to_owned(),
            Self::Trust(trust) => format!("trust-{trust}"),
        }
    }

    /// The answer to this question; none where the question does not offer it.
    pub(in crate::commands) fn answer(self, open: &Open, now: u64) -> Option<Answer> {
        let question = &open.question;
        match (self, question.kind) {
            (Self::Trust(trust), QuestionKind::Trust) => Some(Answer::Trust(trust)),
            (Self::Pick(Pick::No), QuestionKind::Trust) => Some(Answer::No),
            (Self::Pick(Pick::NeverSession), QuestionKind::Trust) => {
                question.holder.has_session().then_some(Answer::NeverThisSession)
            }
            (Self::Pick(pick), QuestionKind::Call) => {
                let choices = question.choices(now);
                choices.into_iter().find(|choice| choice.pick == pick).map(|choice| choice.answer)
            }
            (Self::Trust(_), QuestionKind::Call) | (Self::Pick(_), QuestionKind::Trust) => None,
        }
    }

    /// What it means for this question, in words.
    pub(in crate::commands) fn words(self, open: &Open) -> String {
        match (self, open.question.kind) {
            (Self::Trust(Trust::Changes), _) => "ask me for changes only (recommended)".to_owned(),
            (Self::Trust(Trust::Everything), _) => "ask me for everything".to_owned(),
            (Self::Trust(Trust::Record), _) => "don't ask, only record".to_owned(),
            (Self::Pick(pick), QuestionKind::Call) => {
                let choices = open.question.choices(0);
                let words = choices.into_iter().find(|choice| choice.pick == pick).map(|choice| choice.words);
                words.unwrap_or_default()
            }
            (Self::Pick(Pick::No), QuestionKind::Trust) => "don't run this call".to_owned(),
            (Self::Pick(_), QuestionKind::Trust) => {
                "don't run it, and don't ask again in this session".to_owned()
            }
        }
    }
}
