//! Formats the findings of Tool Cards, and the changes between two versions.
use anstyle::Style;
use overt_documents::card::{Change, ChangeSeverity, Level};
use overt_policy::record::Effect;
use overt_policy::word::StringEnum;
use overt_policy::{Finding, Findings};
use overt_wire::text::Untrusted;
use serde::Serialize;
use serde_json::Value;

use super::finding::{FindingData, finding_line};
use super::report::Report;
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

fn checked_text(cards: &[CheckedCard]) -> String {
    let mut out = String::new();
    for card in cards {
        let effect = card.effect;
        let state = match card.level {
            Some(level) => format!("level {level}, {effect}"),
            None => paint(DANGER, format!("no valid card, counts as {effect}")),
        };
        out.push_str(&format!("{}: {state}\n", paint(NAME, Untrusted(&card.source))));
        for Finding { severity, at, problem, fix } in card.findings.iter() {
            out.push_str(&finding_line(*severity, &format!("{at}: {problem}; {fix}")));
        }
    }
    out
}

/// The answer of `overt card check`.
#[derive(Debug, Serialize)]
pub(crate) struct CheckedCardsReport<'a> {
    cards: Vec<CheckedCardData<'a>>,
    #[serde(skip)]
    checked: &'a [CheckedCard],
    #[serde(skip)]
    demanded: Level,
}

#[derive(Debug, Serialize)]
struct CheckedCardData<'a> {
    source: &'a str,
    tool: Option<&'a str>,
    level: Option<u8>,
    side_effect_class: Effect,
    ok: bool,
    findings: Vec<FindingData<'a>>,
}

impl<'a> CheckedCardsReport<'a> {
    pub(crate) fn new(checked: &'a [CheckedCard], demanded: Level) -> Self {
        let cards = checked.iter().map(|card| CheckedCardData {
            source: &card.source,
            tool: card.tool.as_deref(),
            level: card.level.and_then(|level| level.as_str().parse().ok()),
            side_effect_class: card.effect,
            ok: !card.findings.has_errors(),
            findings: card.findings.iter().map(FindingData::of).collect(),
        });
        Self { cards: cards.collect(), checked, demanded }
    }

    pub(crate) fn is_good(&self) -> bool {
        self.cards.iter().all(|card| card.ok)
    }
}

impl Report for CheckedCardsReport<'_> {
    fn text(&self, _: Option<usize>) -> String {
        checked_text(self.checked)
    }

    fn remark(&self) -> Option<String> {
        let good = self.cards.iter().filter(|card| card.ok).count();
        let (all, level) = (self.cards.len(), self.demanded);
        Some(format!("{good} of {all} cards are valid and at level {level} or above"))
    }
}

fn compared_text(cards: &[ComparedCard]) -> String {
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

/// The answer of `overt card diff`.
#[derive(Debug, Serialize)]
pub(crate) struct ComparedCardsReport<'a> {
    cards: Vec<ComparedCardData<'a>>,
    #[serde(skip)]
    compared: &'a [ComparedCard],
}

#[derive(Debug, Serialize)]
struct ComparedCardData<'a> {
    source: &'a str,
    changes: Vec<ChangeData<'a>>,
}

#[derive(Debug, Serialize)]
struct ChangeData<'a> {
    weight: &'static str,
    at: &'a str,
    what: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    was: Option<&'a Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    is: Option<&'a Value>,
}

impl<'a> ComparedCardsReport<'a> {
    pub(crate) fn new(compared: &'a [ComparedCard]) -> Self {
        let changes = |card: &'a ComparedCard| {
            let changes = card.changes.iter().map(|change| ChangeData {
                weight: change.weight.as_str(),
                at: change.at.as_str(),
                what: &change.what,
                was: change.was.as_ref(),
                is: change.is.as_ref(),
            });
            ComparedCardData { source: &card.source, changes: changes.collect() }
        };
        Self { cards: compared.iter().map(changes).collect(), compared }
    }

    /// How many changes break something.
    pub(crate) fn breaking(&self) -> usize {
        let changes = self.compared.iter().flat_map(|card| &card.changes);
        changes.filter(|change| change.weight > ChangeSeverity::Change).count()
    }
}

impl Report for ComparedCardsReport<'_> {
    fn text(&self, _: Option<usize>) -> String {
        compared_text(self.compared)
    }

    fn remark(&self) -> Option<String> {
        let all: usize = self.compared.iter().map(|card| card.changes.len()).sum();
        Some(match (all, self.breaking()) {
            (0, _) => "nothing changed".to_owned(),
            (_, 0) => "nothing of it is breaking".to_owned(),
            (_, 1) => "1 change is breaking".to_owned(),
            (_, count) => format!("{count} changes are breaking"),
        })
    }
}
