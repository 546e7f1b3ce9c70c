//! Measures a call of a tool that only reads, through everything that decides and records, against
//! the same call without that: in one process, alternating.
use std::error::Error;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use overt_layers::record::{Effect, ToolRecord};
use overt_layers::{Control, Endpoint};
use overt_state::audit::{AuditLog, Options};
use overt_toolbox::{Content, Server, Tool, ToolError, Toolbox};
use overt_wire::era::{Caller, Version};
use overt_wire::json::{JsonBuf, Limits};
use overt_wire::{Exchange, Handler, Message, NoClient, Phase, Principal, Session};

type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Read {
    path: String,
}

/// Calls of one turn: enough that the clock does not matter, few enough that both sides see the
/// same machine.
const TURN: usize = 200;

pub(crate) fn measure(dir: &Path, time: Duration) -> Outcome<String> {
    let here = dir.join("authorize");
    fs::create_dir_all(&here)?;
    let log = Arc::new(AuditLog::open(here.join("log"), Options::new(here.join("keys")))?);
    // On one side the tool declares nothing; on the others it declares everything that decisions
    // use.
    let plain = overt_layers::open(toolbox(None)?);
    let decided = overt_layers::build(toolbox(Some(declared()))?, Control::careful());
    let controlled = overt_layers::build(
        toolbox(Some(declared()))?,
        Control::careful().ledger(Arc::<AuditLog>::clone(&log)),
    );
    let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    let session = session();
    let mut times = [Vec::new(), Vec::new(), Vec::new()];
    let start = Instant::now();
    while start.elapsed() < time {
        for (handler, times) in [&plain, &decided, &controlled].into_iter().zip(&mut times) {
            for _ in 0..TURN {
                let exchange = exchange(&session)?;
                let begun = Instant::now();
                let answer = runtime.block_on(handler.call(exchange));
                times.push(begun.elapsed());
                if answer.is_none_or(|answer| answer.error_body().is_some()) {
                    return Err("a call was not answered".into());
                }
            }
        }
    }
    log.close();
    fs::remove_dir_all(&here)?;
    let [plain, decided, controlled] = times.map(|mut times| {
        times.sort_unstable();
        (micros(times[times.len() / 2]), micros(times[times.len() * 99 / 100]))
    });
    let mut out =
        format!("{:<44} {:>10} {:>10} {:>10}\n", "a call that passes", "p50 µs", "p99 µs", "adds µs");
    for (name, (p50, p99)) in [
        ("the way alone", plain),
        ("decided", decided),
        ("decided, and in the audit log (batched)", controlled),
    ] {
        out.push_str(&format!("{name:<44} {p50:>10.1} {p99:>10.1} {:>10.1}\n", p50 - plain.0));
    }
    Ok(out)
}

fn declared() -> ToolRecord {
    ToolRecord {
        scopes: vec!["read:file:{path}".to_owned()],
        intent_template: Some("Read {path}".to_owned()),
        ..ToolRecord::new(Effect::Read)
    }
}

fn toolbox(record: Option<ToolRecord>) -> Outcome<Arc<impl Endpoint>> {
    let read = |input: Read, _| async move { Ok::<_, ToolError>(vec![Content::text(&input.path)]) };
    let tool = Tool::content("read", "Returns the path", read);
    let tool = match record {
        Some(record) => tool.declare(record),
        None => tool,
    };
    Ok(Toolbox::new(Server::new("bench", "0.1.0", "Use `read`.")).tool(tool).build()?)
}

fn session() -> Arc<Session> {
    let session = Session::new("bench".to_owned(), Principal::local(), Arc::new(NoClient));
    let capabilities = JsonBuf::empty_object();
    let caller = Caller { version: Version::V2025_11_25, capabilities, info: None };
    session.set_phase(Phase::Ready(Arc::new(caller)));
    session
}

fn exchange(session: &Arc<Session>) -> Outcome<Exchange> {
    let text = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read","arguments":{"path":"/home/me/src/main.rs"}}}"#;
    let message = Message::parse(text.as_bytes().to_vec(), &Limits::default()).map_err(|_| "no message")?;
    Exchange::new(message, Arc::clone(session), Arc::new(NoClient)).map_err(|error| error.to_string().into())
}

fn micros(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}
