//! Formats the findings of Tool Cards, and the changes between two versions.
use anstyle::Style;
use overt_documents::card::{Change, ChangeSeverity, Level};
use overt_policy::record::Effect;
use overt_policy::word::StringEnum;
use overt_policy::{Finding, Findings, Severity};
use overt_wire::json::{Array, JsonBuf, Object};
use overt_wire::text::Untrusted;

use super::safe::one_line;
use super::style::{DANGER, DIM, NAME, PLAIN, WARNING, paint};

/// Maximum number of characters of a value shown on a line.
const SHOWN: usize = 100;

/// A card that was checked.
#[derive(Debug)]
pub(crate) struct CheckedCard {
    pub(crate) source: String,
    pub(crate) tool: Option<String>,
    /// `None` if the card is invalid.
    pub(crate) level: Option<Level>,
    /// The effect that a consumer must assume.
    pub(crate) effect: Effect,
    pub(crate) findings: Findings,
}

/// A card compared with its earlier version.
#[derive(Debug)]
pub(crate) struct ComparedCard {
    pub(crate) source: String,
    pub(crate) changes: Vec<Change>,
}

pub(crate) fn checked_text(cards: &[CheckedCard]) -> String {
    let mut out = String::new();
    for card in cards {
        let effect = card.effect;
        let state = match card.level {
            Some(level) => format!("level {level}, {effect}"),
            None => paint(DANGER, format!("no valid card, counts as {effect}")),
        };
        out.push_str(&format!("{}: {state}\n", paint(NAME, Untrusted(&card.source))));
        card.findings.iter().for_each(|finding| out.push_str(&finding_text(finding)));
    }
    out
}

fn finding_text(finding: &Finding) -> String {
    let style = match finding.severity {
        Severity::Error => DANGER,
        Severity::Warning => WARNING,
        Severity::Note => DIM,
    };
    let Finding { severity, at, problem, fix } = finding;
    let line = one_line(&format!("{at}: {problem}; {fix}"));
    format!("  {} {line}\n", paint(style, severity.as_str()))
}

pub(crate) fn checked_json(cards: &[CheckedCard]) -> JsonBuf {
    let entry = |card: &CheckedCard| {
        let findings = card.findings.iter().map(|finding| {
            Object::new()
                .string("severity", finding.severity.as_str())
                .string("at", finding.at.as_str())
                .string("problem", &finding.problem)
                .string("fix", &finding.fix)
                .finish()
        });
        let level = card.level.and_then(|level| level.as_str().parse::<u8>().ok());
        Object::new()
            .string("source", &card.source)
            .value("tool", &card.tool)
            .value("level", &level)
            .string("side_effect_class", card.effect.as_str())
            .value("ok", &!card.findings.has_errors())
            .json("findings", list(findings).as_json())
            .finish()
    };
    Object::new().json("cards", list(cards.iter().map(entry)).as_json()).finish()
}

pub(crate) fn compared_text(cards: &[ComparedCard]) -> String {
    let mut out = String::new();
    for card in cards.iter().filter(|card| !card.changes.is_empty()) {
        out.push_str(&format!("{}\n", paint(NAME, Untrusted(&card.source))));
        for change in &card.changes {
            out.push_str(&format!(
                "  {} {}: {}\n",
                paint(style(change.weight), change.weight),
                change.at,
                change.what
            ));
            for (word, value) in [("was", &change.was), ("is ", &change.is)] {
                if let Some(value) = value {
                    out.push_str(&format!("    {} {}\n", paint(DIM, word), brief(&value.to_string())));
                }
            }
        }
    }
    out
}

fn style(weight: ChangeSeverity) -> Style {
    match weight {
        ChangeSeverity::Change => PLAIN,
        ChangeSeverity::Breaking => WARNING,
        ChangeSeverity::Error => DANGER,
    }
}

/// A value cut to one line; `--format json` shows all of it.
fn brief(value: &str) -> String {
    let line = one_line(value);
    match line.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

pub(crate) fn compared_json(cards: &[ComparedCard]) -> JsonBuf {
    let entry = |card: &ComparedCard| {
        let changes = card.changes.iter().map(|change| {
            let mut object = Object::new()
                .string("weight", change.weight.as_str())
                .string("at", change.at.as_str())
                .string("what", &change.what);
            for (name, value) in [("was", &change.was), ("is", &change.is)] {
                if let Some(value) = value {
                    object = object.value(name, value);
                }
            }
            object.finish()
        });
        Object::new().string("source", &card.source).json("changes", list(changes).as_json()).finish()
    };
    Object::new().json("cards", list(cards.iter().map(entry)).as_json()).finish()
}

fn list(entries: impl Iterator<Item = JsonBuf>) -> JsonBuf {
    entries.fold(Array::new(), |array, entry| array.json(entry.as_json())).finish()
}
