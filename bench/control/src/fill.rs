//! `bench-control fill STATE RECORDS`: writes logs like those of several servers, with the real
//! writer, for `bench log`.
use std::path::Path;

use overt_layers::audit::{CallOutcome, Durability, Entry, Kind, Latency, Ledger as _};
use overt_state::audit::{AuditLog, Options};
use overt_wire::json::JsonBuf;

use crate::audit::Outcome;

/// The servers whose logs are written, each with its pattern of ten calls: `r` reads, `w` changes,
/// `d` is refused.
const SERVERS: [(&str, &str); 4] = [
    ("overt-fs", "rrrrrrrwwd"),
    ("memory", "rrrrwwwwwd"),
    ("github", "rrrrrrrrrw"),
    ("playwright", "wwwwwwwwrr"),
];
const CLIENTS: [(&str, &str); 3] =
    [("claude-code 2.1.0", "/home/ada/site"), ("Cursor 2.4", "/home/ada/api"), ("VS Code 1.110", "/srv/app")];
/// How many records are queued before the writer must catch up.
const AT_ONCE: u64 = 2_000;

pub(crate) fn fill(state: &Path, records: u64) -> Outcome<String> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build()?;
    let mut written = 0;
    for (server, kinds) in SERVERS {
        let log = AuditLog::open(state.join("audit").join(server), Options::new(state))?;
        let mut number = 0;
        let mut own = 0;
        while own < records / SERVERS.len() as u64 {
            let what = kinds.as_bytes()[usize::try_from(number % 10)?];
            for entry in call(server, number, what) {
                own += 1;
                let durability = if own % AT_ONCE == 0 { Durability::Durable } else { Durability::Batched };
                runtime.block_on(log.write(entry, durability))?;
            }
            number += 1;
        }
        log.close();
        written += own;
    }
    Ok(format!("{written} records\n"))
}

/// Returns the records of one call.
fn call(server: &str, number: u64, what: u8) -> Vec<Entry> {
    let (client, project) = CLIENTS[usize::try_from(number / 7 % 3).unwrap_or(0)];
    let path = format!("{project}/src/module{}/file{}.rs", number % 40, number % 997);
    let arguments = JsonBuf::parse(&format!("{{\"path\":\"{path}\"}}")).ok().map(Into::into);
    let (verb, tool, scope, effect) = match what {
        b'r' => ("Read", "read_file", "read", "read"),
        _ => ("Edit", "edit_file", "write", "mutating"),
    };
    let common = Entry {
        call: Some(format!("bench-{server}.{number}")),
        session: Some(format!("{server}-{}", number / 500)),
        principal: Some("local".to_owned()),
        agent: Some(client.to_owned()),
        target: Some(tool.to_owned()),
        method: Some("tools/call".to_owned()),
        tool_digest: Some("sha256-LCa0a2j_xo_5m0U8HTBBNBNCLXBkg7-g-YpeiGJm564".to_owned()),
        intent: Some(format!("{verb} \"{path}\"")),
        needed: vec![format!("{scope}:file:{path}")],
        decision: Some("allow"),
        effect: Some(effect),
        basis: Some("declared"),
        layer: Some("base".to_owned()),
        policy_version: Some("none".to_owned()),
        ..Entry::of_server(Kind::Intent, server, Some(project))
    };
    let ended = Entry {
        kind: Kind::Outcome,
        outcome: Some(CallOutcome::Ok),
        latency: Some(Latency { policy: 80, approval: 0, upstream: 900, total: 980 }),
        ..common.clone()
    };
    match what {
        b'r' => vec![Entry { arguments, ..ended }],
        b'w' => {
            let change = Some(format!("c-{:013}-{:06x}", 1_794_700_000_000 + number, number));
            let changes = vec![format!(
                "src/module{}/file{}.rs +{} -{}",
                number % 40,
                number % 997,
                number % 9,
                number % 5
            )];
            let made = |entry: Entry| Entry { change: change.clone(), changes: changes.clone(), ..entry };
            vec![Entry { arguments, ..made(common) }, made(ended)]
        }
        _ => vec![Entry {
            kind: Kind::Deny,
            decision: Some("deny"),
            reason: Some("`write:file` is denied by the policy".to_owned()),
            arguments,
            ..common
        }],
    }
}
