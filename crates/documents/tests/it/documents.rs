//! All documents of any valid declaration are made, and are the same when read back.
use overt_documents::ai_help::{Help, Outline, ReadJson};
use overt_documents::dashdash::ServerObject;
use overt_documents::description::Description;
use overt_documents::document::{Kind, ServerLocation, all};
use overt_documents::front_matter::FrontMatter;
use overt_documents::llms::Llms;
use overt_documents::registry::{AiCatalog, Registration, ServerCard, ServerJson};
use overt_documents::skill::{ServerSkill, Skill};
use overt_wire::json::Json;
use proptest::prelude::*;
use serde_json::Value;

use crate::arbitrary::described;

fn json(text: &str) -> Value {
    Json::parse(text).unwrap().read().unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn every_document_reads_back(
        (mut declaration, live) in described(),
        registry_name in proptest::option::of("(com|io|de|fr)\\.[a-z]{1,8}/[a-z0-9-]{1,12}"),
        mcp_url in proptest::option::of("https://[a-z]{1,8}\\.example/[a-z]{0,4}"),
        is_served in any::<bool>(),
    ) {
        declaration.server.registry_name = registry_name;
        let (description, _) = Description::join(&declaration, live);
        let place = match mcp_url {
            Some(url) if is_served => ServerLocation::served(url),
            Some(url) => ServerLocation::at(url),
            None => ServerLocation::default(),
        };
        let (documents, findings) = all(&description, &place);
        prop_assert!(!findings.has_errors(), "{}", findings);
        for document in documents {
            let text = &document.text;
            match document.kind {
                Kind::AiHelp => {
                    let outline = Outline::parse(text).unwrap();
                    let help = Help::of(&description, &place);
                    prop_assert_eq!(&outline.front, &FrontMatter::of(&description, &place));
                    let parts: Vec<&str> = outline.parts.iter().map(|part| part.text.as_str()).collect();
                    let wanted: Vec<&str> = help.parts.iter().map(|part| part.text.as_str()).collect();
                    prop_assert_eq!(parts, wanted);
                }
                Kind::Json => prop_assert_eq!(ReadJson::parse(&json(text)).unwrap().name, description.name.as_str()),
                Kind::Dashdash => {
                    let (object, findings) = ServerObject::read(&json(text)["server"]);
                    prop_assert!(findings.is_empty(), "{}", findings);
                    prop_assert_eq!(object, ServerObject::of(&description));
                }
                Kind::Skill => prop_assert_eq!(Skill::parse(text).unwrap(), ServerSkill::of(&description, &place).unwrap().skill),
                Kind::Llms => prop_assert_eq!(Llms::parse(text).unwrap(), Llms::of(&description, &place)),
                Kind::LlmsFull => prop_assert!(text.starts_with("# ")),
                Kind::Card => prop_assert!(json(text).is_object()),
                Kind::Registration => {
                    prop_assert_eq!(Registration::parse(&json(text)).unwrap(), Registration::of(&description));
                }
                Kind::ServerJson => {
                    prop_assert_eq!(ServerJson::parse(&json(text)).unwrap(), ServerJson::of(&description).unwrap());
                }
                Kind::ServerCard => {
                    prop_assert_eq!(ServerCard::parse(&json(text)).unwrap(), ServerCard::of(&description, &place).unwrap());
                }
                Kind::AiCatalog => {
                    prop_assert_eq!(AiCatalog::parse(&json(text)).unwrap(), AiCatalog::of(&description, &place).unwrap());
                }
            }
        }
    }
}
