//! The places on the wire for the declared facts about a tool or a resource. Each fact is in its
//! literal place and under a key of ours in `_meta`, because typed clients drop members that they
//! don't know.
use overt_wire::json::JsonBuf;
use serde::Serialize;
use serde_json::Value;

use overt_policy::mark::key;

use crate::Description;
use crate::dashdash::{ResourceObject, ToolObject};
use crate::description::{DescribedResource, DescribedTool};
use overt_policy::rate::RateLimit;
use overt_policy::record::{Effect, Hints, Operation, ResourceRecord, ToolRecord};

/// The URIs of the resources that Overt adds to a server's.
pub mod uri {
    /// The prefix of all of them.
    pub const OURS: &str = "overt://";
    /// The help in Markdown.
    pub const HELP: &str = "overt://ai-help";
    /// The declaration as a manifest. Our extension names it, and no list contains it.
    pub const MANIFEST: &str = "overt://manifest";
    /// The URI template of the cards.
    pub const CARDS: &str = "overt://cards/{tool}";
    /// The prefix of a card's URI; the segment of the tool follows
    /// ([`segment_of`](crate::card::segment_of)).
    pub const CARD_PREFIX: &str = "overt://cards/";

    /// Returns the URI of a tool's card.
    pub fn card(tool: &str) -> String {
        format!("{CARD_PREFIX}{}", crate::card::segment_of(tool))
    }

    /// Returns the tool whose card has this URI.
    pub fn tool_of(uri: &str) -> Option<String> {
        crate::card::name_of(uri.strip_prefix(CARD_PREFIX)?)
    }
}

/// A value to set in an entry.
#[derive(Debug, Clone, PartialEq)]
pub struct Mark {
    pub place: MarkPlace,
    pub value: JsonBuf,
}

/// The place of a mark in an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MarkPlace {
    Member(&'static str),
    /// A member of `annotations`.
    Annotation(&'static str),
    /// A member of `_meta`.
    Meta(&'static str),
}

impl Mark {
    /// Returns `None` if the value can't be written as JSON, which never happens with our records.
    fn new<T: Serialize + ?Sized>(place: MarkPlace, value: &T) -> Option<Self> {
        Some(Self { place, value: JsonBuf::of(value).ok()? })
    }

    /// Returns the same value in its literal place and in `_meta`.
    fn twice<T: Serialize + ?Sized>(place: MarkPlace, key: &'static str, value: &T) -> Vec<Self> {
        let literal = Self::new(place, value);
        let copy = literal.clone().map(|mark| Self { place: MarkPlace::Meta(key), ..mark });
        literal.into_iter().chain(copy).collect()
    }
}

/// Returns the marks for a tool's definition. They leave its name, description and schemas
/// unchanged, so the model gets no extra token.
pub fn tool(tool: &DescribedTool, description: &Description, card_uri: Option<String>) -> Vec<Mark> {
    let Some(record) = &tool.record else { return Vec::new() };
    let mut marks = hints(&record.hints(), &tool.live.hints);
    let object = ToolObject::of(record, description);
    if object != ToolObject::default() {
        marks.extend(Mark::new(MarkPlace::Member("dashdash"), &object));
        // Errors and examples are long, so `_meta` leaves them out. The literal place, the help and
        // the card have them.
        let brief = ToolObject { examples: Vec::new(), errors: Vec::new(), ..object };
        if brief != ToolObject::default() {
            marks.extend(Mark::new(MarkPlace::Meta(key::TOOL), &brief));
        }
    }
    if let Some(intent) = &record.intent_template {
        marks.extend(Mark::twice(MarkPlace::Annotation("intentTemplate"), key::INTENT, intent));
    }
    if record.preview {
        marks.extend(Mark::twice(MarkPlace::Annotation("preview"), key::PREVIEW, &true));
    }
    if !record.scopes.is_empty() {
        marks.extend(Mark::twice(MarkPlace::Annotation("scopes"), key::SCOPES, &record.scopes));
    }
    marks.extend(card_uri.and_then(|uri| Mark::new(MarkPlace::Member(key::CARD_URI), &uri)));
    marks
}

/// Returns the marks for a resource.
pub fn resource(resource: &DescribedResource) -> Vec<Mark> {
    let object = resource.record.as_ref().map(ResourceObject::of).unwrap_or_default();
    if object == ResourceObject::default() {
        return Vec::new();
    }
    Mark::twice(MarkPlace::Member("dashdash"), key::RESOURCE, &object)
}

/// Returns the declared hints that the server doesn't give, or gives differently.
fn hints(declared: &Hints, live: &Hints) -> Vec<Mark> {
    [
        ("readOnlyHint", declared.read_only, live.read_only),
        ("destructiveHint", declared.destructive, live.destructive),
        ("idempotentHint", declared.idempotent, live.idempotent),
        ("openWorldHint", declared.open_world, live.open_world),
    ]
    .into_iter()
    .filter(|(_, declared, live)| declared != live)
    .filter_map(|(name, declared, _)| Mark::new(MarkPlace::Annotation(name), &declared?))
    .collect()
}

/// Returns the record that a tool's definition contains, whether we or others wrote it. `_meta`
/// takes precedence over the literal places. The record lacks the facts that only a card has.
pub fn read_tool(definition: &Value) -> ToolRecord {
    // If another Overt in front of the server moved the server's marks aside, they are read there.
    let meta = |name: &str| {
        let meta = definition.get("_meta")?;
        meta.get(name).or_else(|| meta.get(key::UPSTREAM)?.get(name))
    };
    let annotation = |name: &str| definition.get("annotations").and_then(|annotations| annotations.get(name));
    let object = meta(key::TOOL).or_else(|| definition.get("dashdash"));
    let mut object = object.map(|value| ToolObject::read(value).0).unwrap_or_default();
    // The copy in `_meta` lacks the examples and errors.
    if let Some(literal) = definition.get("dashdash").map(|value| ToolObject::read(value).0)
        && object == (ToolObject { examples: Vec::new(), errors: Vec::new(), ..literal.clone() })
    {
        object = literal;
    }
    let hints = Hints::read(definition.get("annotations"));
    // Overwriting destroys nothing for good if the former state can be restored.
    let is_undone = object.reversible == Some(true) || object.reverse_method.is_some();
    let effect = effect(&hints, object.operation_type, is_undone);
    ToolRecord {
        effect,
        operation: object.operation_type.filter(|operation| *operation == Operation::Admin),
        open_world: hints.open_world.filter(|open| !(*open && effect == Some(Effect::External))),
        idempotent: match effect {
            // For a read, this follows from the effect.
            Some(Effect::Read) => hints.idempotent,
            _ => object.idempotent.or(hints.idempotent),
        },
        idempotent_with_key: object.idempotent_with_key,
        overwrites: effect == Some(Effect::Mutating)
            && hints.read_only == Some(false)
            && hints.destructive == Some(true),
        reversible: object.reversible,
        reverse_method: object.reverse_method,
        side_effects: object.side_effects,
        category: object.category,
        cli_equivalent: object.cli_equivalent,
        api_equivalent: object.api_equivalent,
        rate_limit: object.rate_limit.as_deref().and_then(RateLimit::parse),
        examples: object.examples.into_iter().map(Into::into).collect(),
        errors: object.errors.into_iter().map(Into::into).collect(),
        scopes: meta(key::SCOPES).or_else(|| annotation("scopes")).map(texts).unwrap_or_default(),
        intent_template: meta(key::INTENT)
            .or_else(|| annotation("intentTemplate"))
            .or_else(|| definition.get("intentTemplate"))
            .and_then(Value::as_str)
            .map(String::from),
        preview: meta(key::PREVIEW).or_else(|| annotation("preview")) == Some(&Value::Bool(true)),
        ..ToolRecord::default()
    }
}

/// Returns the record that a resource's entry contains.
pub fn read_resource(entry: &Value) -> ResourceRecord {
    let object =
        entry.get("_meta").and_then(|meta| meta.get(key::RESOURCE)).or_else(|| entry.get("dashdash"));
    object.map(|value| ResourceObject::read(value).0.into_record()).unwrap_or_default()
}

/// Returns the most careful effect that the hints and the operation allow. `is_undone` means that
/// the former state can be restored.
fn effect(hints: &Hints, operation: Option<Operation>, is_undone: bool) -> Option<Effect> {
    let by_operation = operation.map(|operation| match operation {
        Operation::Read => Effect::Read,
        Operation::Write if hints.open_world == Some(true) && hints.destructive.is_none() => Effect::External,
        Operation::Write => Effect::Mutating,
        Operation::Delete | Operation::Admin => Effect::Destructive,
    });
    let by_hints = match (hints.read_only, hints.destructive) {
        // In the protocol, everything that does not only add is destructive. For us, it is
        // destructive only if the former state can't be restored (G-11).
        (Some(false), Some(true)) if operation == Some(Operation::Write) && is_undone => None,
        (_, Some(true)) => Some(Effect::Destructive),
        (Some(true), _) => Some(Effect::Read),
        (Some(false), Some(false)) => Some(Effect::Mutating),
        (Some(false), None) if hints.open_world == Some(true) => Some(Effect::External),
        (Some(false) | None, _) => None,
    };
    by_operation.max(by_hints)
}

fn texts(value: &Value) -> Vec<String> {
    let items = value.as_array().map_or(&[][..], Vec::as_slice);
    items.iter().filter_map(Value::as_str).map(String::from).collect()
}
