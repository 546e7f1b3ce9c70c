//! Runs all connections: opens them, waits until each is ready, warms up, measures.

use std::io;
use std::time::{Duration, Instant};

use mio::{Events, Poll, Token};

use super::connection::{Connection, Event};
use super::request::Endpoint;
use crate::args::Args;
use crate::process;
use crate::samples::{Measured, Samples};

/// The measurement is aborted if no answer comes for this long.
const PATIENCE: Duration = Duration::from_secs(20);

pub(crate) fn measure(args: &Args, url: &str) -> Result<Measured, String> {
    let endpoint = Endpoint::new(url, args.era, &args.tool)?;
    measure_io(args, &endpoint).map_err(|cause| format!("{url}: {cause}"))
}

fn measure_io(args: &Args, endpoint: &Endpoint) -> io::Result<Measured> {
    let mut poll = Poll::new()?;
    let mut connections = Vec::new();
    for index in 0..args.in_flight {
        connections.push(Connection::open(endpoint, poll.registry(), Token(index))?);
    }
    let mut events = Events::with_capacity(256);
    let (mut latencies, mut bad, mut stray, mut ready) = (Samples::default(), 0, 0, 0);
    let (mut measuring_since, mut ready_since) = (None::<Instant>, None::<Instant>);
    // The length of the measurement once it is over. After that, only pending answers are awaited.
    let (mut over, mut due) = (None, connections.len());
    let (mut last_answer, mut cpu) = (Instant::now(), Duration::ZERO);
    loop {
        if ready_since.is_none() && ready == connections.len() {
            ready_since = Some(Instant::now());
        }
        if measuring_since.is_none() && ready_since.is_some_and(|since| since.elapsed() >= args.warm) {
            latencies.clear();
            cpu = process::cpu(&args.cpu_of);
            measuring_since = Some(Instant::now());
        }
        let measured = measuring_since.map_or(Duration::ZERO, |since| since.elapsed());
        let enough = args.calls.map_or(measured >= args.measured, |calls| latencies.len() >= calls);
        if over.is_none() && measuring_since.is_some() && enough {
            over = Some(measured);
            cpu = process::cpu(&args.cpu_of).saturating_sub(cpu);
            connections.iter_mut().for_each(Connection::rest);
        }
        let silent = last_answer.elapsed() > PATIENCE;
        if let Some(wall) = over.filter(|_| due == 0 || silent) {
            // End the sessions, so that the server does not carry them into the next measurement.
            connections.iter().try_for_each(|connection| connection.end(endpoint))?;
            return Ok(Measured {
                latencies,
                bad,
                lost: due,
                stray,
                wall,
                cpu: (!args.cpu_of.is_empty()).then_some(cpu),
            });
        }
        if silent {
            return Err(io::Error::other(format!("no answer for {} s", PATIENCE.as_secs())));
        }
        poll.poll(&mut events, Some(Duration::from_millis(100)))?;
        for event in &events {
            let connection = &mut connections[event.token().0];
            if event.is_writable() {
                connection.write()?;
            }
            if !event.is_readable() {
                continue;
            }
            match connection.on_readable(endpoint)? {
                Event::Nothing => {}
                Event::Ready => ready += 1,
                Event::Answered { good, .. } if over.is_some() => {
                    bad += usize::from(!good);
                    match due.checked_sub(1) {
                        Some(left) => due = left,
                        None => stray += 1,
                    }
                    last_answer = Instant::now();
                }
                Event::Answered { latency, good } => {
                    latencies.push(latency);
                    bad += usize::from(!good);
                    last_answer = Instant::now();
                }
            }
        }
    }
}
