//! From records to definitions on the wire and back.
use overt_documents::card::{self, Card, Safety};
use overt_documents::description::DescribedTool;
use overt_documents::mark::{self, Mark, MarkPlace};
use overt_documents::{Description, ServerLocation};
use overt_policy::ToolRecord;
use overt_policy::record::Effect;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::{acme, arbitrary};

/// Returns the definition with its marks set.
fn marked(definition: &Value, marks: &[Mark]) -> Value {
    let mut definition = definition.clone();
    for mark in marks {
        let (object, name) = match mark.place {
            MarkPlace::Member(name) => (&mut definition, name),
            MarkPlace::Annotation(name) => (&mut definition["annotations"], name),
            MarkPlace::Meta(name) => (&mut definition["_meta"], name),
        };
        object[name] = mark.value.as_json().read().unwrap();
    }
    definition
}

/// Returns the record without the fields that only a card has, which are not on the wire.
fn without_card_facts(record: &ToolRecord) -> ToolRecord {
    ToolRecord {
        external_systems: Vec::new(),
        pii_exposure: None,
        secrets_exposure: None,
        human_approval: None,
        refusal_modes: None,
        version: None,
        ..record.clone()
    }
}

/// Returns the record as a reader of the definition completes it from the other fields.
fn completed(tool: &DescribedTool, description: &Description) -> ToolRecord {
    let record = tool.record.as_ref().unwrap();
    let mut completed = without_card_facts(record);
    completed.rate_limit = record.rate_limit.filter(|limit| Some(*limit) != description.server.rate_limit);
    // A reader can't distinguish the operation that follows from the effect from a declared one.
    completed.operation = record.operation.filter(|operation| operation.to_string() == "admin");
    completed.open_world =
        record.hints().open_world.filter(|open| !(*open && record.effect == Some(Effect::External)));
    completed
}

/// Returns a record read from a tool's definition, with the fields that only the card has.
fn with_card(record: ToolRecord, card: &Card) -> ToolRecord {
    let Safety { side_effect_class, reversible, human_approval_required, .. } = card.safety;
    ToolRecord {
        effect: Some(side_effect_class),
        // A card always calls a read reversible and says that a destructive tool needs approval;
        // neither was declared.
        reversible: record.reversible.or(Some(reversible).filter(|_| side_effect_class != Effect::Read)),
        external_systems: card.safety.external_systems.clone(),
        pii_exposure: Some(card.safety.pii_exposure),
        secrets_exposure: Some(card.safety.secrets_exposure),
        human_approval: (human_approval_required && side_effect_class != Effect::Destructive).then_some(true),
        refusal_modes: card.safety.refusal_modes.clone(),
        version: Some(card.tool.version.clone()),
        ..record
    }
}

/// Returns the whole record, completed from its other fields.
fn with_card_facts(tool: &DescribedTool, description: &Description) -> ToolRecord {
    let record = tool.record.as_ref().unwrap();
    let destroys = record.effect == Some(Effect::Destructive);
    ToolRecord {
        external_systems: record.external_systems.clone(),
        pii_exposure: record.pii_exposure,
        secrets_exposure: record.secrets_exposure,
        // A destructive tool needs approval whether or not that is declared.
        human_approval: record.human_approval.filter(|needed| *needed && !destroys),
        refusal_modes: record.refusal_modes.clone(),
        version: Some(record.version.clone().unwrap_or_else(|| description.info.version.clone())),
        ..completed(tool, description)
    }
}

/// Seed 000's tool and resource are read as records.
#[test]
fn the_seed_tool_tells_its_record() {
    let record = mark::read_tool(&acme::tool());
    assert_eq!(record.effect, Some(Effect::Mutating));
    assert_eq!(record.reverse_method.as_deref(), Some("delete_project"));
    assert_eq!(record.examples.len(), 1);
    assert_eq!(record.rate_limit.unwrap().to_string(), "100/hour");
    assert_eq!(mark::read_resource(&acme::resource()).cache_duration, Some(300));
}

/// G-11: overwriting is destructive unless the former state can be restored. The more careful
/// reading counts.
#[test]
fn g_11_what_overwrites_and_cannot_be_undone_destroys() {
    let read = |object: serde_json::Value| {
        let hints = json!({ "readOnlyHint": false, "destructiveHint": true });
        let record = mark::read_tool(&json!({ "name": "t", "annotations": hints, "dashdash": object }));
        (record.effect, record.overwrites, record.needs_approval())
    };
    let destroys = (Some(Effect::Destructive), false, true);
    assert_eq!(read(json!({ "operationType": "write" })), destroys);
    assert_eq!(read(json!({ "operationType": "write", "reversible": false })), destroys);
    let overwrites = (Some(Effect::Mutating), true, false);
    assert_eq!(read(json!({ "operationType": "write", "reversible": true })), overwrites);
    assert_eq!(read(json!({ "operationType": "write", "reverseMethod": "undo" })), overwrites);
}

/// Name, description and schemas stay unchanged, missing hints are added, and the more careful hint
/// wins.
#[test]
fn only_what_is_declared_is_added() {
    let mut live = acme::live();
    live.tools[1] = acme::live_tool(
        &json!({"name": "delete_project", "inputSchema": {}, "annotations": {"readOnlyHint": true, "title": "D"}}),
    );
    let (description, _) = Description::join(&acme::declaration(), live);
    let tool = &description.tools[1];
    let card = mark::uri::card("delete_project");
    assert_eq!(mark::uri::tool_of(&card).as_deref(), Some("delete_project"));
    assert_eq!(mark::uri::tool_of(mark::uri::HELP), None);
    let marks = mark::tool(tool, &description, Some(card));
    let definition = marked(tool.live.definition.value(), &marks);
    assert_eq!(
        definition,
        json!({
            "name": "delete_project",
            "inputSchema": {},
            "annotations": {"readOnlyHint": false, "title": "D", "destructiveHint": true},
            "dashdash": {"operationType": "delete"},
            "_meta": {"dev.overt/tool": {"operationType": "delete"}},
            "x-tool-card-uri": "overt://cards/delete_project",
        })
    );
    let undeclared = DescribedTool { record: None, ..tool.clone() };
    assert_eq!(mark::tool(&undeclared, &description, None), []);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Every valid record is read back from the wire, also from the literal places alone.
    #[test]
    fn a_record_is_told_and_read((declaration, live) in arbitrary::described()) {
        let (description, findings) = Description::join(&declaration, live);
        prop_assert!(!findings.has_errors(), "{}", findings);
        for tool in description.tools.iter().filter(|tool| tool.record.is_some()) {
            let marks = mark::tool(tool, &description, None);
            let mut definition = marked(tool.live.definition.value(), &marks);
            prop_assert_eq!(mark::read_tool(&definition), completed(tool, &description));
            if let Ok(card) = card::of(tool, &description, &ServerLocation::default()) {
                let read = with_card(mark::read_tool(&definition), &card);
                prop_assert_eq!(read, with_card_facts(tool, &description));
            }
            definition.as_object_mut().unwrap().shift_remove("_meta");
            prop_assert_eq!(mark::read_tool(&definition), completed(tool, &description));
        }
    }
}
