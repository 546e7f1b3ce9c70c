//! The Tool Cards of a server: one for each tool of which enough is declared, and the list of them.
use serde_json::{Value, json};

use super::clear::clear;
use super::table::{Document, Draft, Kind};
use crate::card::{self, WELL_KNOWN};
use crate::description::Description;
use crate::finding::Findings;
use crate::place::Place;

/// Cards with their paths, and what is missing for the others. A tool about which nothing is declared is nobody's
/// mistake: it has no card.
pub(super) fn drafts(description: &Description, place: &Place) -> (Vec<(String, Draft)>, Findings) {
    let mut drafts = Vec::new();
    let mut missing = Findings::default();
    for tool in description.tools.iter().filter(|tool| tool.record.is_some()) {
        match card::of(tool, description, place) {
            Ok(card) => {
                let path = format!("cards/{}.json", card::segment_of(&tool.live.name));
                drafts.push((path, Draft::Json(card.to_value())));
            }
            Err(findings) => missing.extend(findings),
        }
    }
    (drafts, missing)
}

/// The card of one tool, if there is one that may be published.
pub fn card(tool: &str, description: &Description, place: &Place) -> Option<Document> {
    let found = description.tools.iter().find(|described| described.live.name == tool)?;
    found.record.as_ref()?;
    let card = card::of(found, description, place).ok()?;
    let draft = (format!("cards/{}.json", card::segment_of(tool)), Draft::Json(card.to_value()));
    clear(Kind::Card, vec![draft], description, place).ok()?.pop()
}

/// The list of the cards, each with where it is.
pub fn card_index(description: &Description, place: &Place) -> Option<Document> {
    let tools = description.tools.iter().filter(|tool| tool.record.is_some());
    let cards: Vec<Value> = tools
        .filter_map(|tool| card::of(tool, description, place).ok())
        .map(|card| {
            let path = format!("{WELL_KNOWN}{}.json", card::segment_of(&card.tool.name));
            let uri = place.beside(description, &path).unwrap_or(path);
            json!({"name": card.tool.name, "version": card.tool.version, "card_uri": uri})
        })
        .collect();
    let index = json!({"tool_card_version": card::VERSION, "server_id": description.name, "tools": cards});
    clear(Kind::Card, vec![("cards/index.json".to_owned(), Draft::Json(index))], description, place)
        .ok()?
        .pop()
}
