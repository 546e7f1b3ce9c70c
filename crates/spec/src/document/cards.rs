//! Tool Cards as documents: one for each tool, and the list of them.
use serde_json::{Value, json};

use super::clear::clear;
use super::table::{Document, Draft, Kind};
use crate::card;
use crate::description::{DescribedTool, Description};
use crate::finding::Findings;
use crate::place::Place;

/// The cards that can be made, and what must be declared for the others.
pub(super) fn drafts(description: &Description, place: &Place) -> (Vec<(String, Draft)>, Findings) {
    let mut drafts = Vec::new();
    let mut lacks = Findings::default();
    for tool in &description.tools {
        match draft(tool, description, place) {
            Ok(draft) => drafts.push(draft),
            Err(lack) => lacks.extend(lack),
        }
    }
    (drafts, lacks)
}

/// The card of one tool, if it can be made and may be shown.
pub fn card(tool: &str, description: &Description, place: &Place) -> Option<Document> {
    let tool = description.tools.iter().find(|described| described.live.name == tool)?;
    shown(tool, description, place)
}

/// The tools that have a card, each with the address of it: absolute where the server has one. None without any card.
pub fn card_index(description: &Description, place: &Place) -> Option<Document> {
    let with_card = description.tools.iter().filter(|tool| shown(tool, description, place).is_some());
    let names = with_card.map(|tool| tool.live.name.as_str());
    let cards: Vec<Value> = names
        .map(|name| {
            let path = format!("{}{}.json", card::WELL_KNOWN, card::segment_of(name));
            json!({ "name": name, "card": place.beside(description, &path).unwrap_or(path) })
        })
        .collect();
    let index = json!({ "tool_card_version": card::VERSION, "tools": cards });
    let is_empty = cards.is_empty();
    let drafts = vec![("cards/index.json".to_owned(), Draft::Json(index))];
    if is_empty { None } else { clear(Kind::Card, drafts, description, place).ok()?.pop() }
}

fn shown(tool: &DescribedTool, description: &Description, place: &Place) -> Option<Document> {
    let draft = draft(tool, description, place).ok()?;
    clear(Kind::Card, vec![draft], description, place).ok()?.pop()
}

fn draft(
    tool: &DescribedTool,
    description: &Description,
    place: &Place,
) -> Result<(String, Draft), Findings> {
    let card = card::of(tool, description, place)?;
    Ok((format!("cards/{}.json", card::segment_of(&tool.live.name)), Draft::Json(card.to_value())))
}
