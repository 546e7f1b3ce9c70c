//! Tool Cards as documents: one for each tool with a sufficient declaration, and their index.
use serde_json::{Value, json};

use super::kind::{CARDS, Document, Draft, Drafts, Kind};
use super::secret_check::publish;
use crate::card::{self, Card, INDEX_FILE, WELL_KNOWN, segment_of};
use crate::description::Description;
use crate::server_location::ServerLocation;
use overt_policy::finding::{Findings, Pointer};

/// Returns all cards that can be made, with their index, and findings that say what to declare for
/// the others.
pub(super) fn drafts(description: &Description, place: &ServerLocation) -> Drafts {
    let (cards, findings) = cards(description, place);
    let mut drafts: Vec<_> = cards.iter().map(draft).collect();
    if !drafts.is_empty() {
        drafts.push(index(&cards, description, place));
    }
    (drafts, findings)
}

/// Returns the card of one tool, if it can be made and published.
pub fn card(tool: &str, description: &Description, place: &ServerLocation) -> Option<Document> {
    let tool = description.tools.iter().find(|described| described.live.name == tool)?;
    let card = card::of(tool, description, place).ok()?;
    publish(Kind::Card, vec![draft(&card)], description, place).ok()?.pop()
}

/// Returns the index of the cards. The addresses in it are absolute if the cards are served.
pub fn card_index(description: &Description, place: &ServerLocation) -> Option<Document> {
    let (mut cards, _) = cards(description, place);
    cards.retain(|card| publish(Kind::Card, vec![draft(card)], description, place).is_ok());
    let index = index(&cards, description, place);
    publish(Kind::Card, vec![index], description, place).ok()?.pop()
}

fn cards(description: &Description, place: &ServerLocation) -> (Vec<Card>, Findings) {
    let mut cards = Vec::new();
    let mut findings = Findings::default();
    for tool in &description.tools {
        if tool.record.is_none() {
            let at = Pointer::root().join("tools").join(&tool.live.name);
            findings.error(
                at,
                "nothing is declared about this tool",
                "declare its effect and what it exposes",
            );
            continue;
        }
        match card::of(tool, description, place) {
            Ok(card) => cards.push(card),
            Err(lacks) => findings.extend(lacks),
        }
    }
    (cards, findings)
}

fn draft(card: &Card) -> (String, Draft) {
    (format!("{CARDS}/{}.json", segment_of(&card.tool.name)), Draft::Json(card.to_value()))
}

fn index(cards: &[Card], description: &Description, place: &ServerLocation) -> (String, Draft) {
    let file = |card: &Card| format!("{}.json", segment_of(&card.tool.name));
    let public = |card: &Card| place.served_address(description, &format!("{WELL_KNOWN}{}", file(card)));
    let entries: Vec<Value> = cards
        .iter()
        .map(|card| {
            json!({
                "name": card.tool.name,
                "version": card.tool.version,
                "side_effect_class": card.safety.side_effect_class,
                "uri": public(card).unwrap_or_else(|| file(card)),
            })
        })
        .collect();
    let mut index =
        json!({ "tool_card_version": card::VERSION, "server_id": description.name, "cards": entries });
    // The index also has the form of an Agent Card, so that it can be copied there (C-15). There
    // each card needs a public address.
    let tools: Option<Vec<Value>> = cards
        .iter()
        .map(|card| Some(json!({ "name": card.tool.name, "mcp_tool_card_uri": public(card)? })))
        .collect();
    if let Some(tools) = tools {
        index["capabilities"] = json!({ "tools": tools });
    }
    (format!("{CARDS}/{INDEX_FILE}"), Draft::Json(index))
}
