//! Measures all servers in turns: each row, at each load, round after round. Prints one line of
//! JSON for each measurement.

use std::io;
use std::path::Path;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::load::{Loaded, Operation};
use super::plan::{Contender, Plan};
use super::rows::Row;
use super::{corpus, floor, programs};
use crate::calls::Era;
use crate::process;
use crate::samples::Samples;
use crate::stdio::{Server, Until};

/// The longest time for one measurement. A server that takes longer is killed, and its row fails.
const LONGEST: Duration = Duration::from_secs(60);

/// A measurement that took longer than this is not repeated.
const LONG: Duration = Duration::from_secs(4);

/// How long a server is used before its row is measured.
const WARM: Duration = Duration::from_millis(200);

/// A server that takes part in the measurements.
struct MeasuredServer<'a> {
    contender: &'a Contender,
    /// `None` if it has ended. It is started again for the next row.
    server: Option<Server>,
    started: f64,
}

pub(crate) fn run(file: &Path, say: fn(&str)) -> Result<(), String> {
    let plan = Plan::read(file)?;
    measure(&plan, &|value| say(&value.to_string())).map_err(|cause| cause.to_string())
}

fn measure(plan: &Plan, say: &dyn Fn(Value)) -> io::Result<()> {
    corpus::reset_edits(&plan.corpus)?;
    let mut servers = Vec::new();
    for contender in &plan.servers {
        match start(plan, contender, say) {
            Ok(measured) => servers.push(measured),
            Err(cause) => say(json!({ "server": contender.name, "failed": cause.to_string() })),
        }
    }
    for row in Row::ALL.into_iter().filter(|row| plan.has(row.name())) {
        for (name, samples) in floor::of(row, &plan.corpus, plan.time())? {
            say(json!({ "floor": name, "row": row.name(), "measured": quantiles(&samples) }));
        }
        for program in plan.programs.iter().filter(|program| program.row == row.name()) {
            let measured = match programs::measure(program, plan.time().max(Duration::from_secs(1))) {
                Ok(samples) => json!({ "measured": quantiles(&samples) }),
                Err(cause) => json!({ "failed": cause.to_string() }),
            };
            say(merged(json!({ "program": program.name, "row": row.name() }), measured));
        }
        measure_row(plan, row, &mut servers, say)?;
    }
    for measured in &servers {
        if let Some(server) = &measured.server {
            let memory = process::memory(server.pid());
            say(json!({
                "server": measured.contender.name, "memory": {
                    "after_start": measured.started, "at_the_end": memory.now, "most": memory.most,
                },
            }));
        }
    }
    Ok(())
}

/// Starts the server several times to measure its start, and once more to keep it running.
fn start<'a>(plan: &Plan, contender: &'a Contender, say: &dyn Fn(Value)) -> io::Result<MeasuredServer<'a>> {
    let mut samples = Samples::default();
    for _ in 0..plan.starts {
        let began = Instant::now();
        let mut server = contender.start()?;
        server.list_tools(Era::Initialized)?;
        samples.push(began.elapsed());
    }
    if plan.starts > 0 {
        say(json!({ "server": contender.name, "start": quantiles(&samples) }));
    }
    let mut server = contender.start()?;
    server.list_tools(Era::Initialized)?;
    // What the server does after its first answer still belongs to its start.
    std::thread::sleep(Duration::from_millis(300));
    let started = process::memory(server.pid()).now;
    Ok(MeasuredServer { contender, server: Some(server), started })
}

fn measure_row(
    plan: &Plan,
    row: Row,
    servers: &mut [MeasuredServer<'_>],
    say: &dyn Fn(Value),
) -> io::Result<()> {
    let mut able = Vec::new();
    for measured in servers.iter_mut().filter(|measured| measured.contender.takes_part(row.name())) {
        let place = json!({ "server": measured.contender.name, "row": row.name() });
        let Some(way) = row.way(&measured.contender.profile).map_err(io::Error::other)? else {
            say(merged(place, json!({ "failed": "it has no such tool" })));
            continue;
        };
        let operation = Operation { row, way, root: &plan.corpus };
        corpus::reset_edits(&plan.corpus)?;
        match measured.turn(&operation, 1, Until::Time(WARM)) {
            Ok(loaded) if loaded.bad.is_none() => able.push((measured, operation)),
            Ok(loaded) => say(merged(place, json!({ "failed": loaded.bad }))),
            Err(cause) => say(merged(place, json!({ "failed": cause.to_string() }))),
        }
    }
    for in_flight in &plan.in_flight {
        let mut is_done = vec![false; able.len()];
        for _ in 0..plan.rounds {
            for ((measured, operation), is_done) in
                able.iter_mut().zip(&mut is_done).filter(|(_, done)| !**done)
            {
                let place =
                    json!({ "server": measured.contender.name, "row": row.name(), "in_flight": in_flight });
                corpus::reset_edits(&plan.corpus)?;
                match measured.turn(operation, *in_flight, plan.until()) {
                    Ok(loaded) => {
                        *is_done = plan.calls.is_none() && loaded.measured.wall > LONG;
                        say(merged(place, outcome(&loaded)?));
                    }
                    Err(cause) => {
                        *is_done = true;
                        say(merged(place, json!({ "failed": cause.to_string() })));
                    }
                }
            }
        }
    }
    corpus::reset_edits(&plan.corpus)
}

impl MeasuredServer<'_> {
    /// Makes one measurement. A server that takes too long is killed from another thread, which
    /// ends the wait for its answer.
    fn turn(&mut self, operation: &Operation<'_>, in_flight: usize, until: Until) -> io::Result<Loaded> {
        let mut server = match self.server.take() {
            Some(server) => server,
            None => self.contender.start()?,
        };
        let pid = server.pid();
        let (done, waits) = mpsc::channel::<()>();
        let watch = std::thread::spawn(move || {
            let is_late = waits.recv_timeout(LONGEST) == Err(mpsc::RecvTimeoutError::Timeout);
            if is_late {
                process::kill(pid);
            }
            is_late
        });
        let loaded = operation.run(&mut server, in_flight, until);
        drop(done);
        if watch.join().unwrap_or(false) {
            return Err(io::Error::other(format!("not done within {} s", LONGEST.as_secs())));
        }
        let loaded = loaded?;
        self.server = Some(server);
        Ok(loaded)
    }
}

fn outcome(loaded: &Loaded) -> io::Result<Value> {
    let measured: Value = serde_json::from_str(&loaded.measured.to_string())?;
    let bytes = loaded.bytes / loaded.measured.latencies.len().max(1);
    Ok(json!({ "measured": measured, "bytes": bytes, "first_bad": loaded.bad }))
}

fn quantiles(samples: &Samples) -> Value {
    let [least, p50, p99, most] = samples.quantiles([0.0, 0.5, 0.99, 1.0]);
    json!({ "calls": samples.len(), "min_ms": least, "p50_ms": p50, "p99_ms": p99, "max_ms": most })
}

fn merged(mut first: Value, second: Value) -> Value {
    if let (Some(first), Value::Object(second)) = (first.as_object_mut(), second) {
        first.extend(second);
    }
    first
}
