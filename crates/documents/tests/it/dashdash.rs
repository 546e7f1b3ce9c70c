//! The dashdash objects: the proposal's own examples, invalid ones, and our schemas.
use overt_documents::Description;
use overt_documents::dashdash::{ResourceObject, ServerObject, ToolObject, schemas};
use overt_policy::Findings;
use serde_json::{Value, json};

use crate::acme;

/// The examples of the seed survive a round trip (D-01, D-15, D-21).
#[test]
fn the_seed_examples_round_trip() {
    let server = &acme::initialize()["dashdash"];
    let (object, findings) = ServerObject::read(server);
    assert_eq!((json!(object).to_string(), findings), (server.to_string(), Findings::default()));
    let tool = &acme::tool()["dashdash"];
    let (object, findings) = ToolObject::read(tool);
    assert_eq!((json!(object).to_string(), findings), (tool.to_string(), Findings::default()));
    let resource = &acme::resource()["dashdash"];
    let (object, findings) = ResourceObject::read(resource);
    assert_eq!((json!(object).to_string(), findings), (resource.to_string(), Findings::default()));
}

/// D-31: extra members are ignored, wrong ones are reported, and the rest is still read.
#[test]
fn reads_what_can_be_read() {
    let mut server = acme::initialize()["dashdash"].clone();
    server["futureMember"] = json!({"deep": [1]});
    server["accessLevel"] = json!("admin");
    server["install"] = json!(["npm"]);
    server["alternativeAccess"]["cliUrl"] = Value::Null;
    let (object, findings) = ServerObject::read(&server);
    assert_eq!(object.identity.unwrap().name.as_deref(), Some("acme-mcp"));
    assert_eq!((object.access_level, object.alternative_access.unwrap().cli_url), (None, None));
    let found: Vec<String> = findings.iter().map(ToString::to_string).collect();
    assert_eq!(
        found,
        [
            "/accessLevel: `admin` is not one of its values; use `none`, `browse`, `read`, `interact` or `full`",
            "/install: must be an object, but is a list; write an object",
        ]
    );
    let (object, findings) = ServerObject::read(&json!(7));
    assert_eq!(object, ServerObject::default());
    assert!(findings.has_errors());
}

/// D-02, D-03, D-06, D-08.
#[test]
fn names_every_missing_and_wrong_member() {
    for (path, value, at, problem) in [
        ("/specVersion", Some(json!("0.1.9")), "/specVersion", "is not a version from 0.2.0 on"),
        ("/specVersion", None, "/specVersion", "is missing"),
        ("/identity/name", Some(json!("Acme")), "/identity/name", "is not a canonical name"),
        ("/identity/name", Some(json!("a_b")), "/identity/name", "is not a canonical name"),
        ("/identity/name", Some(json!("a.b")), "/identity/name", "is not a canonical name"),
        ("/identity/name", Some(json!("a".repeat(65))), "/identity/name", "is not a canonical name"),
        ("/identity", None, "/identity", "is missing"),
        ("/accessLevel", None, "/accessLevel", "is missing"),
        ("/alternativeAccess", None, "/alternativeAccess", "is missing"),
        ("/alternativeAccess/cliUrl", None, "/alternativeAccess/cliUrl", "is missing"),
        ("/alternativeAccess/cliUrl", Some(json!("none")), "/alternativeAccess/cliUrl", "is not a URL"),
        ("/homepage", Some(json!("acme.com")), "/homepage", "is not a URL"),
        ("/requires/env", Some(json!("KEY")), "/requires/env", "must be a list, but is a string"),
        (
            "/invocation/modelInvocable",
            Some(json!("yes")),
            "/invocation/modelInvocable",
            "must be `true` or `false`, but is a string",
        ),
    ] {
        let mut server = acme::initialize()["dashdash"].clone();
        let (parent, name) = path.rsplit_once('/').unwrap();
        let parent = server.pointer_mut(parent).unwrap().as_object_mut().unwrap();
        match value {
            Some(value) => drop(parent.insert(name.to_owned(), value)),
            None => drop(parent.shift_remove(name)),
        }
        let findings = ServerObject::read(&server).1;
        let found: Vec<(&str, &str)> =
            findings.iter().map(|finding| (finding.at.as_str(), finding.problem.as_str())).collect();
        assert_eq!(found, [(at, problem)], "{path}");
    }
}

/// Our reader and our schemas accept the objects that we make.
#[test]
fn what_is_made_is_valid() {
    let (description, findings) = Description::join(&acme::declaration(), acme::live());
    assert_eq!(findings, Findings::default());
    let server = json!(ServerObject::of(&description));
    assert_eq!(ServerObject::read(&server).1, Findings::default());
    assert!(jsonschema::is_valid(&schema("dashdash-server.schema.json"), &server));
    assert_eq!(server["alternativeAccess"], json!({"cliUrl": null, "apiUrl": null, "webUrl": null}));
    for tool in &description.tools {
        let object = json!(ToolObject::of(tool.record.as_ref().unwrap(), &description));
        assert_eq!(ToolObject::read(&object).1, Findings::default());
        assert!(jsonschema::is_valid(&schema("dashdash-tool.schema.json"), &object));
    }
}

/// The seed's examples also fit our schemas, and an invalid one does not.
#[test]
fn the_schemas_know_the_difference() {
    let mut server = acme::initialize()["dashdash"].clone();
    assert!(jsonschema::is_valid(&schema("dashdash-server.schema.json"), &server));
    assert!(jsonschema::is_valid(&schema("dashdash-tool.schema.json"), &acme::tool()["dashdash"]));
    assert!(jsonschema::is_valid(&schema("dashdash-resource.schema.json"), &acme::resource()["dashdash"]));
    server.as_object_mut().unwrap().shift_remove("identity");
    assert!(!jsonschema::is_valid(&schema("dashdash-server.schema.json"), &server));
}

/// The committed files equal the generated schemas. `OVERT_BLESS=1 cargo test -p overt-documents`
/// rewrites them.
#[test]
fn the_committed_schemas_are_current() {
    for (name, schema) in schemas() {
        let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("schemas").join(name);
        let text = serde_json::to_string_pretty(&schema).unwrap() + "\n";
        if std::env::var_os("OVERT_BLESS").is_some() {
            std::fs::write(&file, &text).unwrap();
        }
        assert_eq!(std::fs::read_to_string(&file).unwrap_or_default(), text, "{name} is out of date");
    }
}

fn schema(name: &str) -> Value {
    schemas().into_iter().find(|(file, _)| *file == name).unwrap().1
}
