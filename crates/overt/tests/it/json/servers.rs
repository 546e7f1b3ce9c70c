//! `overt list`, `overt call`, and the settings that servers are started with.
use tempfile::TempDir;

use super::transcript::Transcript;
use crate::call::tool;
use crate::list::everything;
use crate::preview::{TOOLS, server};
use crate::settings::CONFIG;
use crate::support::{Script, file, overt};

#[test]
fn lists() {
    let mut transcript = Transcript::default();
    transcript.run(&mut everything().overt(&["list"]));
    transcript.run(&mut everything().overt(&["list", "--kind", "prompts", "--kind", "templates"]));
    transcript.run(&mut Script::with_tools("[]").overt(&["list", "--kind", "prompts"]));
    let refuses =
        Script::with_hello(r#"{"tools":{}}"#).on("tools/list", r#"fail '{"code":-32603,"message":"boom"}'"#);
    transcript.run(&mut refuses.overt(&["list"]));
    transcript.run(overt().args(["list", "--", "false"]));
    transcript.matches("list");
}

#[test]
fn calls() {
    let here = TempDir::new().unwrap();
    let mut transcript = Transcript::default();
    let exact =
        tool(r#"{ "content" : [], "structuredContent":{"b":1.0,"a":12345678901234567890}, "x":"\u0041" }"#);
    transcript.run(&mut exact.overt(&["call", "t"]));
    let failing = tool(r#"{"content":[{"type":"text","text":"no such file"}],"isError":true}"#);
    transcript.run(&mut failing.overt(&["call", "t"]));
    transcript.run(&mut failing.overt(&["call", "u"]));
    let policy = file(here.path(), "none.json", r#"{"tools":{"deny":["t"]}}"#);
    transcript.run(&mut exact.overt(&["call", "t", "--policy", &policy]));
    let result = r#"{"content":[{"type":"text","text":"{}"}],"_meta":{"preview":true,"dev.overt/plan":"sha256-x","dev.overt/review":{"diff":"ui://write/1.diff"}}}"#;
    transcript.run(&mut server(result).overt(&["call", "write", "--preview"]));
    transcript.run(&mut Script::with_tools(TOOLS).overt(&["call", "plain", "--preview"]));
    let recorded = r#"{"method":"tools/call","params":{"name":"t","arguments":{}},"result":{"content":[]}}
{"method":"tools/list","params":{},"failure":{"code":-32603}}
{"method":"no/such","failure":{"code":-32601}}
"#;
    let replay = file(here.path(), "replay.jsonl", recorded);
    let server = exact.on("no/such", r#"fail '{"code":-32601,"message":"no"}'"#);
    transcript.run(&mut server.overt(&["call", "--replay", &replay]));
    let wrong = file(here.path(), "wrong.json", "{}");
    transcript.run(&mut server.overt(&["call", "--replay", &wrong]));
    transcript.matches("call");
}

#[test]
fn settings() {
    let here = TempDir::new().unwrap();
    file(here.path(), "overt.toml", CONFIG);
    let mut transcript = Transcript::default();
    for command in ["run", "fs"] {
        let words =
            [command, "--show-settings", "--deny", "execute", "--allow-all=false", "--config", "overt.toml"];
        let mut command = overt();
        command.args(words).current_dir(here.path()).env("OVERT_TOOL_RATE_LIMIT", "60/minute");
        transcript.run(command.env("OVERT_ALLOW", "read:x,write:y"));
    }
    transcript.run(overt().args(["fs", "--show-settings", "--read-max-bytes", "much"]));
    transcript.run(overt().args(["run", "--show-settings"]));
    transcript.matches("settings");
}
