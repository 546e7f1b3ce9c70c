//! AUD-02: `overt run` is killed repeatedly while calls are under way. The test compares three
//! accounts: the client's answers, the calls that the upstream saw, and the audit log.
use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::Stdio;
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use overt_state::audit::{AuditLog, Filter, Options, PublicKey, TrustAnchors, for_each, verify};
use overt_wire::json::Json;
use tempfile::TempDir;

use crate::support::{Running, Script, overt};

/// Rounds in the suite. `OVERT_KILL_ROUNDS` sets another number for runs by hand.
const ROUNDS: u32 = 100;
/// Rounds on one log: after a kill, the same log is continued.
const ROUNDS_PER_LOG: u32 = 10;
/// Calls that are under way at once.
const WINDOW: usize = 8;

#[test]
#[expect(clippy::disallowed_methods, reason = "the number of rounds by hand")]
fn aud_02_nothing_is_lost_when_it_is_killed() {
    let rounds = std::env::var("OVERT_KILL_ROUNDS").ok().and_then(|text| text.parse().ok()).unwrap_or(ROUNDS);
    let mut seed = 0x9e37_79b9_7f4a_7c15_u64;
    let mut calls = 0;
    for _ in 0..rounds.div_ceil(ROUNDS_PER_LOG) {
        let mut ledgers = Ledgers::new();
        for _ in 0..ROUNDS_PER_LOG {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            ledgers.round(Duration::from_millis(20 + (seed >> 33) % 180));
        }
        calls += ledgers.settle();
    }
    assert!(calls > 100, "only {calls} calls were seen by the upstream");
}

/// What each side knows. The trace that the client sends identifies a call.
struct Ledgers {
    server: Script,
    state: TempDir,
    next: u32,
    answered: BTreeSet<u32>,
}

impl Ledgers {
    fn new() -> Self {
        let server = Script::with_tools(r#"[{"name":"act","inputSchema":{"type":"object"}}]"#)
            .result("tools/call", r#"{"content":[]}"#);
        Self { server, state: TempDir::new().unwrap(), next: 1, answered: BTreeSet::new() }
    }

    /// Starts `overt run`, makes calls for a while, and kills it.
    fn round(&mut self, time: Duration) {
        let mut command = overt();
        command.env("OVERT_STATE_DIR", self.state.path()).args(["run", "--allow", "execute", "--"]);
        let mut running = Running::start(command.args(self.server.command()).stdin(Stdio::piped()));
        let mut stdin = running.0.stdin.take().unwrap();
        let stdout = BufReader::new(running.0.stdout.take().unwrap());
        let (send, lines) = channel();
        std::thread::spawn(move || stdout.lines().map_while(Result::ok).try_for_each(|line| send.send(line)));
        writeln!(stdin, "{HELLO}").unwrap();
        lines.recv_timeout(Duration::from_secs(10)).expect("it answers");
        writeln!(stdin, r#"{{"jsonrpc":"2.0","method":"notifications/initialized"}}"#).unwrap();
        let start = Instant::now();
        let mut under_way = 0;
        while start.elapsed() < time {
            while under_way < WINDOW {
                let call = self.next;
                writeln!(stdin, "{}", CALL.replace('§', &call.to_string()).replace('¤', &trace(call)))
                    .unwrap();
                self.next += 1;
                under_way += 1;
            }
            if let Ok(line) = lines.recv_timeout(time.saturating_sub(start.elapsed())) {
                self.take(&line);
                under_way -= 1;
            }
        }
        running.signal(rustix::process::Signal::KILL);
        running.0.wait().unwrap();
        // Output from before the kill counts.
        while let Ok(line) = lines.recv_timeout(Duration::from_secs(10)) {
            self.take(&line);
        }
    }

    fn take(&mut self, line: &str) {
        let Ok(json) = Json::parse(line) else { return };
        assert!(json.get("error").is_absent() && !line.contains("isError"), "{line}");
        let id = json.get("id").value().and_then(Json::integer).and_then(|id| u32::try_from(id).ok());
        self.answered.extend(id);
    }

    /// Compares the three accounts, and returns how many calls the upstream saw.
    fn settle(self) -> usize {
        // The next process repairs the log.
        let dir = std::fs::read_dir(self.state.path().join("audit")).unwrap().next().unwrap().unwrap().path();
        drop(AuditLog::open(&dir, Options::new(self.state.path())).unwrap());
        let key = PublicKey::find(self.state.path()).unwrap();
        let report = verify(&dir, &TrustAnchors { key, anchors: Vec::new() }, &mut |_, _| {}).unwrap();
        assert_eq!((report.broken, report.missing), (None, 0));
        let mut intents: BTreeMap<String, String> = BTreeMap::new();
        let mut outcomes: BTreeMap<String, u32> = BTreeMap::new();
        for_each(&dir, &Filter::default(), &mut |record| {
            match record.text("kind").as_str() {
                "intent" => assert!(
                    intents.insert(record.text("trace"), record.text("call")).is_none(),
                    "an intent twice"
                ),
                "outcome" => *outcomes.entry(record.text("call")).or_default() += 1,
                _ => {}
            }
            Ok(true)
        })
        .unwrap();
        let received = self.server.received();
        let seen: BTreeSet<u32> = received.lines().filter_map(seen).collect();
        for call in seen.iter().chain(&self.answered) {
            assert!(intents.contains_key(&trace(*call)), "call {call} has no intent");
        }
        for call in intents.values() {
            assert_eq!(outcomes.remove(call), Some(1), "call {call} has not one outcome");
        }
        assert!(outcomes.is_empty(), "outcomes of nothing: {outcomes:?}");
        seen.len()
    }
}

/// Returns the number of a call that the upstream saw.
fn seen(line: &str) -> Option<u32> {
    line.split_once(r#""number":"#)?.1.split('}').next()?.parse().ok()
}

fn trace(call: u32) -> String {
    format!("00-{call:032x}-0000000000000001-01")
}

const HELLO: &str = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}"#;
const CALL: &str = r#"{"jsonrpc":"2.0","id":§,"method":"tools/call","params":{"name":"act","arguments":{"number":§},"_meta":{"traceparent":"¤"}}}"#;
