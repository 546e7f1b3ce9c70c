//! A question as the person sees it, and the person's answer. It is read only from the text and the
//! form.
use std::collections::HashMap;

use overt_layers::grants::{Answer, Breadth, Extent, GrantLifetime, PendingQuestion, QuestionKind};
use overt_policy::Trust;
use overt_policy::scope::Scope;
use overt_policy::word::StringEnum;
use proptest::sample::select;
use proptest::strategy::Strategy;
use serde_json::{Value, json};

use super::rules::{PATHS, SERVER, TOOLS, Tool};
use super::world::SECRET;

/// What the person saw.
#[derive(Debug, Clone)]
pub(crate) struct Shown {
    pub(crate) asks_trust: bool,
    pub(crate) tool: Tool,
    pub(crate) path: &'static str,
    /// The definition of the named tool. `None` in a question about trust.
    pub(crate) definition: Option<u64>,
    /// The version of the world that the plan saw.
    pub(crate) plan: Option<u64>,
    /// What an answer grants, according to the model.
    pub(crate) scopes: Vec<String>,
    pub(crate) wider: Vec<String>,
    /// Whether the question is about a tool that is new or changed since the server was decided
    /// about.
    pub(crate) asks_redefined: bool,
    /// The definitions of all tools when the question appeared, which a question about trust shows.
    pub(crate) all: HashMap<Tool, u64>,
}

/// What a person says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Said {
    Yes {
        lifetime: GrantLifetime,
        is_wide: bool,
    },
    Trust(Trust),
    /// Yes to this call, in a question about trust.
    ThisCall,
    No,
    Never,
    /// Refuse for good in this project.
    NeverHere,
    Decline,
    Cancel,
    /// The client sends something that is not an answer.
    Garbage,
}

/// What a yes allows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Agreed {
    Grant { lifetime: GrantLifetime, scopes: Vec<String> },
    Trust { trust: Trust, is_for_session: bool },
}

impl Shown {
    /// Reads a dialog, or the text alone.
    pub(crate) fn read(text: &str, form: &Value) -> Self {
        assert!(!text.contains(SECRET), "denied content in a question: {text}");
        let first = text.lines().next().unwrap();
        let asks_redefined = first.contains(" since you decided about this server");
        let asks_trust = asks_redefined || first.ends_with("for the first time");
        let line = |words: &str| text.lines().find_map(|line| Some(line.split_once(words)?.1));
        let named = match (asks_trust, asks_redefined) {
            (true, true) => line(" wants to use it as it is now: ").unwrap(),
            (true, false) => line("This call: ").unwrap(),
            (false, _) => first.split_once(" wants to run ").unwrap().1,
        };
        let word =
            |name: &str| named.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == name);
        let tool = TOOLS.into_iter().find(|tool| word(tool.name())).unwrap_or_else(|| panic!("{text}"));
        let path = PATHS.into_iter().find(|path| text.contains(path)).unwrap_or_else(|| panic!("{text}"));
        let number = |after: &str| -> Option<u64> {
            text.split_once(after)?.1.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
        };
        let plan = number(" at world ");
        // The reason names the missing scopes. For a tool that always asks, they are what the call
        // needs.
        let scopes = match tool {
            Tool::Wipe => vec![format!("write:file:{path}")],
            _ => quoted(text, "it needs `"),
        };
        let wide = &form["requestedSchema"]["properties"]["extent"]["enumNames"];
        if let Some(narrow) = wide[0].as_str() {
            assert_eq!(quoted(narrow, "`"), scopes, "the form says something else than the words: {text}");
        }
        let wider = wide[1].as_str().map(|wide| quoted(wide, "`")).unwrap_or_default();
        assert!(asks_trust || !scopes.is_empty(), "{text}");
        let definition = number("Definition ");
        let all = HashMap::new();
        Self { asks_trust, tool, path, definition, plan, scopes, wider, asks_redefined, all }
    }

    /// Reads a question from the list of open questions, with its scopes.
    pub(crate) fn of_open(open: &PendingQuestion) -> Self {
        let shown = Self::read(&open.question.to_text(&open.id), &Value::Null);
        assert_eq!(shown.asks_trust, open.question.kind == QuestionKind::Trust);
        let texts = |scopes: &[Scope]| -> Vec<String> { scopes.iter().map(ToString::to_string).collect() };
        assert!(shown.asks_trust || texts(&open.question.scopes) == shown.scopes, "{open:?} {shown:?}");
        Self { wider: texts(&open.question.wider), ..shown }
    }

    /// Returns the scopes of a grant for the wider choice.
    fn all_wider(&self) -> Vec<String> {
        let wide = |scope: &String| self.wider.iter().any(|wide| super::rules::covers(wide, scope));
        self.wider.iter().chain(self.scopes.iter().filter(|scope| !wide(scope))).cloned().collect()
    }

    fn grant(&self, lifetime: GrantLifetime, is_wide: bool) -> Agreed {
        Agreed::Grant { lifetime, scopes: if is_wide { self.all_wider() } else { self.scopes.clone() } }
    }
}

impl Shown {
    /// Returns whether the person was shown this definition.
    pub(crate) fn shows(&self, tool: Tool, definition: u64) -> bool {
        self.definition == Some(definition) || self.all.get(&tool) == Some(&definition)
    }

    /// Returns what a yes to this call gives. A question about trust does not name its scopes.
    fn grant_of_this_call(&self) -> Agreed {
        match self.asks_trust {
            true => {
                let scopes = vec![format!("execute:{SERVER}:{}", self.tool.name())];
                Agreed::Grant { lifetime: GrantLifetime::Once, scopes }
            }
            false => self.grant(GrantLifetime::Once, false),
        }
    }
}

impl Said {
    pub(crate) fn any() -> impl Strategy<Value = Self> {
        let yes = |lifetime| Self::Yes { lifetime, is_wide: false };
        let wide = |lifetime| Self::Yes { lifetime, is_wide: true };
        select(vec![
            yes(GrantLifetime::Once),
            yes(GrantLifetime::Once),
            yes(GrantLifetime::Once),
            yes(GrantLifetime::Session),
            yes(GrantLifetime::Session),
            yes(GrantLifetime::Always),
            yes(GrantLifetime::Always),
            wide(GrantLifetime::Once),
            wide(GrantLifetime::Session),
            wide(GrantLifetime::Always),
            Self::Trust(Trust::Changes),
            Self::Trust(Trust::Deletes),
            Self::ThisCall,
            Self::No,
            Self::Never,
            Self::NeverHere,
            Self::Decline,
            Self::Cancel,
            Self::Garbage,
        ])
    }

    /// Turns a yes to one kind of question into a yes to the other kind, so that most answers fit.
    fn fitted(self, asks_trust: bool) -> Self {
        match (self, asks_trust) {
            (Self::Yes { lifetime: GrantLifetime::Once, .. }, true) => Self::Trust(Trust::Changes),
            (Self::Yes { lifetime: GrantLifetime::Session, .. }, true) => Self::Trust(Trust::Everything),
            (Self::Yes { lifetime: GrantLifetime::Always, .. }, true) => Self::Trust(Trust::Nothing),
            (said, _) => said,
        }
    }

    /// Returns the result of the dialog, and what the person agreed to with it.
    pub(crate) fn to_form(self, form: &Value, shown: &Shown) -> (Value, Option<Agreed>) {
        let properties = &form["requestedSchema"]["properties"];
        let accept = |content: Value| json!({ "action": "accept", "content": content });
        let offers = |property: &str, word: &str| {
            properties[property]["enum"]
                .as_array()
                .is_some_and(|words| words.iter().any(|other| other == word))
        };
        let name = if shown.asks_trust { "trust" } else { "decision" };
        match self.fitted(shown.asks_trust) {
            Self::Yes { lifetime, is_wide } => {
                let extent = if is_wide { "wide" } else { "narrow" };
                let is_offered = offers(name, lifetime.as_str()) && (!is_wide || offers("extent", "wide"));
                // What reaches further than a dialog holds for the session.
                let holds = match lifetime {
                    GrantLifetime::Once => GrantLifetime::Once,
                    GrantLifetime::Session | GrantLifetime::Always => GrantLifetime::Session,
                };
                let agreed = is_offered.then(|| shown.grant(holds, is_wide));
                (accept(json!({ name: lifetime.as_str(), "extent": extent })), agreed)
            }
            Self::Trust(trust) => {
                let agreed = Agreed::Trust { trust, is_for_session: true };
                let agreed = offers("trust", trust.as_str()).then_some(agreed);
                (accept(json!({ "trust": trust.as_str(), "decision": "trust" })), agreed)
            }
            Self::ThisCall => {
                (accept(json!({ name: "once" })), offers(name, "once").then(|| shown.grant_of_this_call()))
            }
            Self::No => (accept(json!({ name: "no" })), None),
            Self::Never => (accept(json!({ name: "no-session" })), None),
            Self::NeverHere => (accept(json!({ name: "never" })), None),
            Self::Decline => (json!({ "action": "decline" }), None),
            Self::Cancel => (json!({ "action": "cancel", "content": { name: "once" } }), None),
            Self::Garbage => (json!({ "action": "accept", "content": [{ name: "once" }] }), None),
        }
    }

    /// Returns the answer that is given in the list of questions, and what the person agreed to
    /// with it.
    pub(crate) fn elsewhere(self, open: &PendingQuestion, shown: &Shown) -> (Answer, Option<Agreed>) {
        match self.fitted(shown.asks_trust) {
            Self::Yes { lifetime, is_wide } => {
                // An answer that was not offered is not a clear yes.
                let fits = !shown.asks_trust
                    && (lifetime != GrantLifetime::Session || open.question.holder.has_session())
                    && (!is_wide || !shown.wider.is_empty());
                let agreed = fits.then(|| shown.grant(lifetime, is_wide));
                (
                    Answer::Yes {
                        lifetime,
                        extent: Extent::Project,
                        breadth: if is_wide { Breadth::Folder } else { Breadth::Call },
                        expires: None,
                    },
                    agreed,
                )
            }
            Self::Trust(trust) => {
                let agreed = Agreed::Trust { trust, is_for_session: false };
                (Answer::Trust(trust), shown.asks_trust.then_some(agreed))
            }
            Self::ThisCall => (Answer::ONCE, Some(shown.grant_of_this_call())),
            Self::Never => (Answer::NoThisSession, None),
            Self::NeverHere if !shown.asks_trust => (Answer::NeverInProject, None),
            Self::NeverHere | Self::No | Self::Decline | Self::Cancel | Self::Garbage => (Answer::No, None),
        }
    }
}

/// Returns every text in backquotes that follows `before`.
fn quoted(text: &str, before: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some((_, after)) = rest.split_once(before) {
        let Some((word, after)) = after.split_once('`') else { break };
        found.push(word.to_owned());
        rest = after;
    }
    found
}
