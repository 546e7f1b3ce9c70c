//! Measures durable records of many concurrent callers and of one against one fdatasync for each
//! record, in turns (AUD-09).
use std::error::Error;
use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use overt_layers::audit::{Durability, Entry, Kind, Ledger as _};
use overt_state::audit::{AuditLog, Options};
use overt_wire::json::JsonBuf;

/// The number of concurrent callers.
const CALLERS: usize = 64;
/// What happens between the records of one caller: its call is made.
const BETWEEN: Duration = Duration::from_micros(50);

/// The results of one round.
struct Round {
    per_second: f64,
    p50: Duration,
    p99: Duration,
}

pub(crate) type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

pub(crate) fn measure(dir: &Path, time: Duration, rounds: u64) -> Outcome<String> {
    let mut out = format!("{:<44} {:>10} {:>10} {:>10}\n", "audit", "records/s", "p50 ms", "p99 ms");
    let (mut ours, mut plain, mut queued, mut alone) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for round in 0..rounds {
        let here = dir.join(format!("audit-{round}"));
        fs::create_dir_all(&here)?;
        plain.push(fsync_loop(&here.join("plain"), time)?);
        alone.push(calls_of_one(&here.join("alone"), time)?);
        ours.push(log(&here.join("log"), time, Durability::Durable)?);
        queued.push(log(&here.join("queued"), time, Durability::Batched)?);
        fs::remove_dir_all(&here)?;
    }
    let ratio = median(ours.iter().zip(&plain).map(|(ours, plain)| ours.per_second / plain.per_second));
    for (name, rounds) in [
        ("one fdatasync for each record".to_owned(), &plain),
        ("durable, one caller".to_owned(), &alone),
        (format!("durable, {CALLERS} callers"), &ours),
        (format!("batched, {CALLERS} callers"), &queued),
    ] {
        let of = |value: fn(&Round) -> f64| median(rounds.iter().map(value));
        let (per_second, p50, p99) =
            (of(|round| round.per_second), of(|round| millis(round.p50)), of(|round| millis(round.p99)));
        out.push_str(&format!("{name:<44} {per_second:>10.0} {p50:>10.3} {p99:>10.3}\n"));
    }
    out.push_str(&format!("{:<44} {ratio:>9.1}x\n", "durable by one fdatasync for each"));
    let longer = median(alone.iter().zip(&plain).map(|(alone, plain)| millis(alone.p50) - millis(plain.p50)));
    out.push_str(&format!("{:<44} {:>8.1}us\n", "one caller waits longer than fdatasync", longer * 1000.0));
    Ok(out)
}

/// Does what a log without group commit would do: writes a record, waits for the disk, continues.
fn fsync_loop(path: &Path, time: Duration) -> Outcome<Round> {
    let mut file = OpenOptions::new().append(true).create(true).open(path)?;
    let line = format!("{}\n", "x".repeat(700));
    let start = Instant::now();
    let mut times = Vec::new();
    while start.elapsed() < time {
        let begun = Instant::now();
        file.write_all(line.as_bytes())?;
        file.sync_data()?;
        times.push(begun.elapsed());
    }
    Ok(Round::of(times, start.elapsed()))
}

fn log(dir: &Path, time: Duration, when: Durability) -> Outcome<Round> {
    let log = Arc::new(AuditLog::open(dir.join("log"), Options::new(dir.join("keys")))?);
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).build()?;
    let start = Instant::now();
    let times = runtime.block_on(async {
        let callers: Vec<_> = (0..CALLERS)
            .map(|caller| tokio::spawn(call(Arc::clone(&log), caller, start, time, when)))
            .collect();
        let mut times = Vec::new();
        for caller in callers {
            times.extend(caller.await??);
        }
        Outcome::Ok(times)
    })?;
    let took = start.elapsed();
    log.close();
    Ok(Round::of(times, took))
}

/// Makes one call after the other, as a client does over stdio: its intent is durable before it is
/// made, and its outcome is noted.
fn calls_of_one(dir: &Path, time: Duration) -> Outcome<Round> {
    let log = AuditLog::open(dir.join("log"), Options::new(dir.join("keys")))?;
    let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    let start = Instant::now();
    let mut times = Vec::new();
    while start.elapsed() < time {
        let intent = entry(times.len().to_string())?;
        let outcome = Entry { kind: Kind::Outcome, ..intent.clone() };
        let begun = Instant::now();
        runtime.block_on(log.write(intent, Durability::Durable))?;
        times.push(begun.elapsed());
        std::thread::sleep(BETWEEN);
        log.note(outcome);
    }
    let took = start.elapsed();
    log.close();
    Ok(Round::of(times, took))
}

async fn call(
    log: Arc<AuditLog>,
    caller: usize,
    start: Instant,
    time: Duration,
    when: Durability,
) -> Outcome<Vec<Duration>> {
    let mut times = Vec::new();
    while start.elapsed() < time {
        let entry = entry(format!("{caller}-{}", times.len()))?;
        let begun = Instant::now();
        log.write(entry, when).await?;
        times.push(begun.elapsed());
        if when == Durability::Batched {
            tokio::task::yield_now().await;
        }
    }
    Ok(times)
}

/// Returns an entry like those that `overt run` writes before a call.
fn entry(call: String) -> Outcome<Entry> {
    Ok(Entry {
        call: Some(call),
        session: Some("0123456789abcdef0123456789abcdef".to_owned()),
        principal: Some("local".to_owned()),
        agent: Some("bench 1.0".to_owned()),
        server: Some("files".to_owned()),
        method: Some("tools/call".to_owned()),
        target: Some("edit_file".to_owned()),
        intent: Some("Edit src/main.rs, 3 lines".to_owned()),
        arguments: Some(JsonBuf::parse(r#"{"path":"src/main.rs","edits":[{"old":"a","new":"b"}]}"#)?.into()),
        needed: vec!["write:file:/home/me/src/main.rs".to_owned()],
        decision: Some("allow"),
        ..Entry::new(Kind::Intent)
    })
}

impl Round {
    fn of(mut times: Vec<Duration>, took: Duration) -> Self {
        times.sort_unstable();
        let at = |percent: usize| times.get(times.len() * percent / 100).copied().unwrap_or_default();
        // A few seconds give far fewer than 2^32 records.
        let count = u32::try_from(times.len()).unwrap_or(u32::MAX);
        Self { per_second: f64::from(count) / took.as_secs_f64(), p50: at(50), p99: at(99) }
    }
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}
