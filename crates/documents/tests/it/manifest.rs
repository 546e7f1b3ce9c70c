//! `overt.toml`: errors have lines, and a written manifest is read back unchanged.
use overt_documents::manifest::{Manifest, write};
use overt_policy::record::Effect;
use proptest::prelude::*;

use crate::{acme, arbitrary};

#[test]
fn reads_every_table() {
    let manifest = Manifest::parse(
        r#"
[server]
description = "Manages projects. Use when the user asks for projects."
rate_limit = "1000/hour"
last_updated = 2026-01-21
install = { npm = "@acme/mcp-server" }

[server.urls]
cli = "https://acme.com/cli"

[tools.create_project]
effect = "mutating"
category = "projects"
guessed = ["category"]

[[tools.create_project.examples]]
description = "Create one"
input = { name = "x" }
output_json = '{"id": null}'

[resources."acme://projects/{id}"]
cache_duration = 300
"#,
    )
    .unwrap();
    let declaration = &manifest.declaration;
    let tool = &declaration.tools["create_project"];
    assert_eq!(tool.effect, Some(Effect::Mutating));
    assert_eq!(tool.category, None, "a guess is in no document");
    assert_eq!(tool.examples[0].output, Some(serde_json::json!({"id": null})));
    assert_eq!(
        manifest.guesses.iter().map(ToString::to_string).collect::<Vec<_>>(),
        ["/tools/create_project/category"]
    );
    assert_eq!(declaration.server.rate_limit.unwrap().to_string(), "1000/hour");
    assert_eq!(declaration.server.last_updated.as_deref(), Some("2026-01-21"));
    assert_eq!(declaration.resources["acme://projects/{id}"].cache_duration, Some(300));
}

#[test]
fn every_mistake_has_its_line() {
    let error = Manifest::parse(
        r#"[server]
description = 7
rate_limit = "often"
acces_level = "read"

[tools.x]
effect = "reads"

[tools.x.errors]
code = "A"

[gateway]
"#,
    )
    .unwrap_err();
    assert_eq!(
        error.to_string(),
        "\
line 2: /server/description: must be a string, but is a number; write a string
line 3: /server/rate_limit: is not a rate limit; write a number and `second`, `minute`, `hour` or `day`, such as `1000/hour`
line 4: /server/acces_level: is not known; did you mean `access_level`?
line 7: /tools/x/effect: `reads` is not one of its values; use `read`, `mutating`, `external` or `destructive`
line 9: /tools/x/errors: must be a list, but is an object; write a list
line 12: /gateway: is not known; remove it; known here: `server`, `tools`, `resources`, `settings`, `policy`, `rules`"
    );
}

#[test]
fn what_is_no_toml_names_its_line() {
    let error = Manifest::parse("[server]\ndescription = \"open\n").unwrap_err();
    assert!(error.to_string().starts_with("line 2: "), "{error}");
    assert!(Manifest::parse(&" ".repeat(5 << 20)).is_err());
}

#[test]
fn an_example_is_written_and_read() {
    let declaration = acme::declaration();
    assert_eq!(Manifest::parse(&write(&declaration)).unwrap().declaration, declaration);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Any declaration that is written as a manifest is read back unchanged.
    #[test]
    fn what_is_written_reads_back((declaration, _) in arbitrary::described()) {
        let text = write(&declaration);
        let manifest = Manifest::parse(&text).map_err(|error| TestCaseError::fail(format!("{error}\n{text}")))?;
        prop_assert_eq!(manifest.declaration, declaration);
    }

    #[test]
    fn any_text_is_read_or_refused(text in ".{0,400}") {
        drop(Manifest::parse(&text));
    }
}
