//! `overt card check`.
use jiff::civil::Date;
use overt_documents::card::{self, Card, InputSchema, Level, Mode};
use overt_documents::description::check_hints;
use overt_documents::live::LiveTool;
use overt_policy::{Findings, Pointer};
use overt_wire::json::Json;

use crate::context::CommandContext;
use crate::error::{CommandError, Exit};
use crate::output::{CheckedCard, CheckedCardsReport};

/// The requirements that cards must meet.
#[derive(Debug, Clone, Copy)]
pub(super) struct Demand {
    pub(super) level: Level,
    pub(super) mode: Mode,
    pub(super) today: Date,
}

/// The text of a card, not parsed yet.
#[derive(Debug)]
pub(super) struct Text {
    /// The file or resource that it comes from.
    pub(super) source: String,
    /// `None` if the card should exist and does not.
    pub(super) text: Option<String>,
    /// The tool that the card describes, as the server lists it.
    pub(super) live: Option<LiveTool>,
}

pub(super) fn check(texts: &[Text], demand: Demand, context: &CommandContext) -> Result<Exit, CommandError> {
    let checked: Vec<CheckedCard> = texts.iter().map(|text| examine(text, demand)).collect();
    let report = CheckedCardsReport::new(&checked, demand.level);
    context.report(&report)?;
    Ok(if report.is_good() { Exit::Ok } else { Exit::Findings })
}

fn examine(text: &Text, demand: Demand) -> CheckedCard {
    let (card, findings) = match read(text, demand) {
        Ok((card, mut findings)) => {
            findings.extend(further(&card, text.live.as_ref(), demand));
            (Some(card), findings)
        }
        Err(findings) => (None, findings),
    };
    let listed = || text.live.as_ref().map(|live| live.name.clone());
    CheckedCard {
        source: text.source.clone(),
        tool: card.as_ref().map(|card| card.tool.name.clone()).or_else(listed),
        level: card.as_ref().map(|card| card::level(card, demand.today)),
        effect: card::assumed_effect(card.as_ref()),
        findings,
    }
}

fn read(text: &Text, demand: Demand) -> Result<(Card, Findings), Findings> {
    let wrong = |problem: String, fix: &str| {
        let mut findings = Findings::default();
        findings.error(Pointer::root(), problem, fix);
        findings
    };
    let Some(text) = &text.text else {
        return Err(wrong(
            "the server has no card of the tool".to_owned(),
            "declare what the card needs in a manifest, and serve it with `overt run --manifest`",
        ));
    };
    let value = Json::parse(text)
        .map_err(|fault| fault.to_string())
        .and_then(|json| json.read().map_err(|error| error.to_string()))
        .map_err(|fault| wrong(format!("is not a JSON document: {fault}"), "write a JSON object"))?;
    let (card, mut findings) = card::read(&value, demand.mode)?;
    findings.extend(Findings::of_secrets(&value));
    Ok((card, findings))
}

/// Checks what the card alone does not show: its level, and whether it fits the server's tool.
fn further(card: &Card, live: Option<&LiveTool>, demand: Demand) -> Findings {
    let mut findings = card::lacks(card, demand.level.max(Level::Valid), demand.today);
    let Some(live) = live else { return findings };
    let at = |path: &[&str]| path.iter().fold(Pointer::root(), |at, step| at.join(step));
    if card.tool.name != live.name {
        findings.error(
            at(&["tool", "name"]),
            "is not the name of the tool",
            format!("write `{}`", live.name),
        );
    }
    if let InputSchema::Inline(schema) = &card.schema.input
        && Some(schema) != live.input_schema().as_object()
    {
        let at = at(&["schema", "input_schema_inline"]);
        findings.error(at, "is not the schema that the server lists", "make the card anew");
    }
    let at = at(&["safety", "side_effect_class"]);
    check_hints(card.safety.side_effect_class, card.safety.reversible, &live.hints, &at, &mut findings);
    findings
}
