//! `overt describe` and `overt card`.
use tempfile::TempDir;

use super::transcript::Transcript;
use crate::card::{CARD, changed, server};
use crate::describe::{MANIFEST, files};
use crate::support::{Script, file, overt};

/// A manifest with what every document needs.
const WHOLE: &str = r#"[server]
name = "billing"
description = "Invoices. Use when the user asks for an invoice."
when_to_use = ["find an invoice"]
registry_name = "io.github.someone/billing"

[tools.look-up]
effect = "read"
pii_exposure = "low"
secrets_exposure = "none"
refusal_modes = []
"#;

#[test]
fn descriptions() {
    let here = TempDir::new().unwrap();
    let server = files();
    let mut transcript = Transcript::default();
    let mut run = |server: &Script, words: &[&str]| {
        let mut command = server.overt(&[&["describe"], words, &["--format", "json"]].concat());
        transcript.run(command.current_dir(here.path()));
    };
    run(&server, &["--as", "json"]);
    file(here.path(), "overt.toml", MANIFEST);
    for kind in ["ai-help", "skill", "json", "cost", "dashdash", "card", "registry", "llms"] {
        run(&server, &["--as", kind]);
    }
    run(&server, &["--section", "quick-reference", "--as", "json"]);
    run(&server, &["--as", "all"]);
    run(&server, &["--as", "all", "--out", "docs"]);
    run(&server, &["--as", "all", "--out", "docs"]);
    run(&server, &["--check", "docs"]);
    let text = std::fs::read_to_string(here.path().join("docs/ai-help.md")).unwrap();
    file(here.path(), "docs/ai-help.md", &text.replace("read a file", "read no file"));
    std::fs::remove_file(here.path().join("docs/llms.txt")).unwrap();
    file(here.path(), "docs/cards-of-others.md", "x");
    run(&server, &["--check", "docs"]);
    run(&server, &["--as", "all", "--out", "docs"]);
    run(&server, &["--as", "all", "--out", "docs", "--force"]);
    run(&server, &["--tool", "raed_file", "--as", "card"]);
    run(&server, &["--check", "nowhere"]);
    let tool = r#"[{"name":"look-up","description":"Looks up an invoice.","inputSchema":{"type":"object"}}]"#;
    let billing = Script::with_tools(tool);
    file(here.path(), "whole.toml", WHOLE);
    for kind in ["card", "registry", "dashdash", "llms"] {
        run(&billing, &["--as", kind, "--manifest", "whole.toml"]);
    }
    run(&billing, &["--init", "--out", "first.toml"]);
    transcript.matches("describe");
}

#[test]
fn cards() {
    let here = TempDir::new().unwrap();
    std::fs::create_dir(here.path().join("cards")).unwrap();
    file(here.path(), "cards/look-up.json", CARD);
    let odd = changed(&[
        (r#""retention_days":365"#, r#""log_locations":["x"]"#),
        (r#""pii_exposure":"low""#, r#""pii_exposure":"some","\u001b[31mred":1"#),
        (r#""side_effect_class":"read""#, r#""side_effect_class":"destructive""#),
    ]);
    file(here.path(), "cards/bad.json", &odd);
    file(here.path(), "cards/broken.json", "{");
    file(
        here.path(),
        "new.json",
        &changed(&[(r#""side_effect_class":"read""#, r#""side_effect_class":"mutating""#)]),
    );
    std::fs::create_dir(here.path().join("later")).unwrap();
    file(here.path(), "later/look-up.json", CARD);
    file(here.path(), "later/other.json", CARD);
    file(here.path(), "whole.toml", WHOLE);
    let mut transcript = Transcript::default();
    for words in [
        &["check", "cards", "--today", "2026-07-01"][..],
        &["check", "cards/look-up.json", "--today", "2026-06-01"],
        &["check", "cards/look-up.json", "--today", "2026-07-01", "--level", "3"],
        &["check", "nothing.json"],
        &["diff", "cards/look-up.json", "cards/look-up.json"],
        &["diff", "cards/look-up.json", "new.json"],
        &["diff", "later", "cards"],
        &["diff", "cards/look-up.json", "nothing.json"],
    ] {
        transcript.run(overt().current_dir(here.path()).arg("card").args(words));
    }
    transcript.run(&mut server(CARD).overt(&["card", "check", "--today", "2026-06-01"]));
    let tool = r#"[{"name":"look-up","description":"Looks up an invoice.","inputSchema":{"type":"object"}}]"#;
    let billing = Script::with_tools(tool);
    for words in [
        &["card", "build", "--manifest", "whole.toml"][..],
        &["card", "build", "--manifest", "whole.toml", "--out", "made"],
        &["card", "build", "--manifest", "whole.toml", "--out", "made"],
        &["card", "build", "--manifest", "whole.toml", "--tool", "lookup"],
    ] {
        transcript.run(billing.overt(&[words, &["--format", "json"]].concat()).current_dir(here.path()));
    }
    transcript.matches("card");
}
