//! Guesses a tool's effect from its hints, its name, its description and its arguments. No document
//! contains a guess before a person has confirmed it.
mod arguments; // arguments that make a call worse
mod verbs; // the effects that verbs suggest

use crate::live::LiveTool;
use overt_policy::prose::first_sentence;
use overt_policy::record::{Effect, Hints};

pub(super) use verbs::{leading_verb, words};

/// An effect, and what the guess is based on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Guess {
    pub(super) effect: Effect,
    pub(super) reason: String,
}

/// Guesses the effect of a tool. The server's hints are claims and come first. Without hints the
/// name decides, and without a verb in the name the description. An argument can only make the
/// effect worse: one that leads outside makes it `external` at least. Returns `None` if there is no
/// clue.
pub(super) fn effect(tool: &LiveTool) -> Option<Guess> {
    let named = verbs::worst_verb(&tool.name).map(|(verb, effect)| (format!("`{verb}` in its name"), effect));
    let described = || {
        let sentence = first_sentence(tool.description.as_deref()?.trim());
        let (verb, _) = leading_verb(sentence)?;
        Some((format!("`{verb}` in its description"), verbs::effect_of(&verb)?))
    };
    let by_words = named.or_else(described);
    let guess = by_hints(tool.hints, by_words.as_ref()).or_else(|| {
        let (words, effect) = by_words.clone()?;
        let reaches_out = tool.hints.open_world == Some(true) && effect > Effect::Read;
        let effect = if reaches_out { effect.max(Effect::External) } else { effect };
        Some(Guess { effect, reason: format!("guessed from {words}") })
    });
    let clue = arguments::clue(tool.input_schema());
    match (guess, clue) {
        (Some(guess), Some(clue)) if guess.effect < clue.effect => Some(Guess {
            effect: clue.effect,
            reason: format!("guessed from {}; `{}` {}", clue.basis, guess.effect, guess.reason),
        }),
        // A file to write says nothing about what else a call does.
        (None, Some(clue)) if clue.effect > Effect::Mutating => {
            Some(Guess { effect: clue.effect, reason: format!("guessed from {}", clue.basis) })
        }
        (guess, _) => guess,
    }
}

/// Returns the effect that follows from the server's hints; it is never less careful than they are.
/// `words` is the effect that the name or the description suggests.
fn by_hints(hints: Hints, words: Option<&(String, Effect)>) -> Option<Guess> {
    let reaches_out = hints.open_world == Some(true);
    let changes = if reaches_out { Effect::External } else { Effect::Mutating };
    let claimed = |effect: Effect, hints: &str| {
        let doubt = match words {
            Some((words, suggested)) if *suggested > effect => {
                format!("; but {words} suggests `{suggested}`")
            }
            _ => String::new(),
        };
        Some(Guess { effect, reason: format!("claimed by {hints}{doubt}") })
    };
    match (hints.read_only, hints.destructive) {
        (Some(true), Some(true)) => {
            claimed(Effect::Destructive, "its hints, which contradict each other: read-only and destructive")
        }
        (_, Some(true)) => claimed(Effect::Destructive, "its hint `destructiveHint: true`"),
        (Some(true), _) => claimed(Effect::Read, "its hint `readOnlyHint: true`"),
        (_, Some(false)) if reaches_out => {
            claimed(changes, "its hints `destructiveHint: false` and `openWorldHint: true`")
        }
        (_, Some(false)) => claimed(changes, "its hint `destructiveHint: false`"),
        (Some(false), None) => Some(match words.filter(|(_, suggested)| *suggested > Effect::Read) {
            Some((words, suggested)) => Guess {
                effect: (*suggested).max(changes),
                reason: format!("claimed by its hint `readOnlyHint: false`, and guessed from {words}"),
            },
            None => Guess {
                effect: Effect::Destructive,
                reason: "claimed by its hint `readOnlyHint: false`; without `destructiveHint` it may destroy something"
                    .to_owned(),
            },
        }),
        (None, None) => None,
    }
}

#[cfg(test)]
mod tests;
