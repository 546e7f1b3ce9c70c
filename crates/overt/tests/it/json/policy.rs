//! `overt policy`, `overt forbid` and `overt permit`.
use tempfile::TempDir;

use super::transcript::Transcript;
use crate::forbid::touch_and_peek;
use crate::policy::{MANIFEST, TOOLS, WRONG};
use crate::support::{Script, file, overt};

#[test]
fn files_are_checked() {
    let here = TempDir::new().unwrap();
    file(here.path(), "overt.toml", WRONG);
    file(here.path(), "good.json", r#"[{"effect":"read"},{"limits":{"rate":"10/minute"}}]"#);
    file(here.path(), "odd.json", r#"{"tools":{"allow":["a"],"deny":["a"]},"scopes":{"allow":[]}}"#);
    let mut transcript = Transcript::default();
    for files in [&["overt.toml", "good.json", "odd.json"][..], &["good.json"], &["missing.json"]] {
        transcript.run(overt().current_dir(here.path()).args(["policy", "check"]).args(files));
    }
    transcript.matches("policy_check");
}

#[test]
fn calls_are_explained() {
    let here = TempDir::new().unwrap();
    let manifest = file(here.path(), "m.toml", MANIFEST);
    let config = "[policy]\nscopes.allow = [\"read\", \"write:file:/srv\"]\n\n[[rules]]\nid = \"ask\"\naction = \"approve\"\nwhen = { effect_at_least = \"mutating\" }\nreason = \"somebody should look\"\n";
    let config = file(here.path(), "c.toml", config);
    let narrow = file(here.path(), "narrow.json", r#"{"max_argument_bytes":5}"#);
    let wide = file(here.path(), "wide.json", r#"{"scopes":{"allow":["write"]}}"#);
    let server = Script::with_tools(TOOLS);
    let mut transcript = Transcript::default();
    for words in [
        &["write_file", "path=/a/b"][..],
        &["read_file", "path=/a"],
        &["write_file", "path=/srv/a", "--manifest", &manifest, "--config", &config],
        &["write_file", "path=/srv/a", "--manifest", &manifest, "--policy", &narrow],
        &["write_file", "path=/srv/a", "--config", &config, "--policy", &wide],
        &["write_file", "path=/srv/a", "--manifest", &manifest, "--grant", "write:file:/srv"],
        &["write_file", "path=/a", "--allow-all", "--rate-limit", "5/minute", "--call-timeout", "3s"],
        &["write_file", "path=/a", "--deny", "write"],
        &["write_file"],
        &["writ_file"],
        &["write_file", "path=/a", "--grant", "WRITE"],
    ] {
        transcript.run(&mut server.overt(&[&["policy", "explain"], words].concat()));
    }
    transcript.matches("policy_explain");
}

#[test]
fn what_is_forbidden_and_permitted() {
    let place = touch_and_peek();
    let mut transcript = Transcript::default();
    let mut run = |words: &[&str]| {
        transcript.run(&mut place.command(words));
    };
    run(&["policy", "show"]);
    run(&["forbid", "touch", "--yes"]);
    place.call("peek", &[]);
    run(&["forbid", "touch"]);
    run(&["forbid", "touch", "--yes"]);
    run(&["forbid", "touch", "--yes"]);
    run(&["forbid", "tuoch", "--yes"]);
    run(&["forbid", "/srv/keys", "--changes", "--yes"]);
    run(&["forbid", "peek", "--server", "server-sh", "--yes"]);
    run(&["permit", "peek", "--yes"]);
    run(&["permit", "server-sh", "--yes"]);
    run(&["permit", "/srv/notes", "--read", "--yes"]);
    run(&["policy", "show"]);
    run(&["forbid", "touch", "--remove", "--yes"]);
    run(&["forbid", "touch", "--remove", "--yes"]);
    run(&["grants", "deny", "send", "--server", "notes#0a1b2c3d", "--everywhere"]);
    run(&["trust", "notes#0a1b2c3d", "everything", "--no-project"]);
    let limits = "[settings]\nallow = [\"read\"]\n[policy]\ntools.deny = [\"drop\"]\nlimits.rate = \"9/minute\"\n[[rules]]\nid = \"all\"\naction = \"approve\"\nreason = \"look\"\nwhen = { secrets = true }\n";
    place.write("team.toml", limits);
    run(&["policy", "show", "--config", "team.toml"]);
    place.write("team.toml", "[policy]\ntools.dney = []\n");
    run(&["policy", "show", "--config", "team.toml"]);
    transcript.matches("policy_edit");
}
