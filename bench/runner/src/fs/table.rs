//! The report: tables in Markdown, as in the documentation.

use super::options::{Options, ROWS};
use super::outcome::Outcome;
use super::plan::{OURS, OURS_DURABLE};
use crate::compare::{Measured, Ratios};

/// Returns all tables, ready to be printed.
pub(crate) fn report(outcome: &Outcome, options: &Options) -> Vec<String> {
    let mut lines = servers(outcome);
    lines.extend(latencies(outcome, options));
    lines.extend(ratios(outcome, options));
    lines.extend(processor_times(outcome, options));
    lines.extend(floors(outcome));
    lines.extend(failures(outcome));
    lines
}

/// Returns the starts and the memory, one line for each server.
fn servers(outcome: &Outcome) -> Vec<String> {
    let mut lines = vec![
        String::new(),
        "| | start to `tools/list`, ms p50 (worst) | MiB after the start | at the end | at most |".to_owned(),
        "|---|---|---|---|---|".to_owned(),
    ];
    for server in &outcome.servers {
        let start = outcome.starts.get(server);
        let start = start.map_or("-".to_owned(), |start| format!("{:.1} ({:.1})", start.p50, start.most));
        let memory = outcome.memory.get(server).map_or("- | - | -".to_owned(), |memory| {
            format!("{:.1} | {:.1} | {:.1}", memory.after_start, memory.at_the_end, memory.most)
        });
        lines.push(format!("| {server} | {start} | {memory} |"));
    }
    lines
}

/// Returns each row at each load: calls per second, and p50 / p99 in milliseconds.
fn latencies(outcome: &Outcome, options: &Options) -> Vec<String> {
    rows_by_server(outcome, options, "calls/s (p50 / p99 ms)", |measured| {
        Some(format!("{} ({} / {})", short(measured.per_second), short(measured.p50), short(measured.p99)))
    })
}

/// Returns each row at each load: the processor time of a call.
fn processor_times(outcome: &Outcome, options: &Options) -> Vec<String> {
    rows_by_server(outcome, options, "processor time of a call, µs", |measured| measured.cpu.map(short))
}

fn rows_by_server(
    outcome: &Outcome,
    options: &Options,
    title: &str,
    cell: impl Fn(Measured) -> Option<String>,
) -> Vec<String> {
    let mut lines = vec![
        String::new(),
        format!("| {title} | in flight | {} |", outcome.servers.join(" | ")),
        format!("|---|---|{}", "---|".repeat(outcome.servers.len())),
    ];
    for (row, title) in wanted(options) {
        for in_flight in &options.in_flight {
            let cells: Vec<String> = outcome
                .servers
                .iter()
                .map(|server| {
                    let measured = outcome.measured(server, row, *in_flight).and_then(&cell);
                    measured.unwrap_or_else(|| no_number(outcome, server, row, *in_flight).to_owned())
                })
                .collect();
            lines.push(format!("| {title} | {in_flight} | {} |", cells.join(" | ")));
        }
    }
    lines
}

/// Returns the ratios of our calls per second to theirs, so that more than 1 is faster.
fn ratios(outcome: &Outcome, options: &Options) -> Vec<String> {
    let peers: Vec<&String> =
        outcome.servers.iter().filter(|server| ![OURS, OURS_DURABLE].contains(&server.as_str())).collect();
    if peers.is_empty() {
        return Vec::new();
    }
    let names: Vec<&str> = peers.iter().map(|peer| peer.as_str()).collect();
    let mut lines = vec![
        String::new(),
        format!("| `overt fs` by others, calls/s (p50) | in flight | {} |", names.join(" | ")),
        format!("|---|---|{}", "---|".repeat(names.len())),
    ];
    for (row, title) in wanted(options) {
        for in_flight in &options.in_flight {
            let cells: Vec<String> = names
                .iter()
                .map(|peer| match by(outcome, peer, row, *in_flight) {
                    Some(ratios) => format!("{}x ({}x)", short(ratios.throughput()), short(ratios.p50())),
                    None => no_number(outcome, peer, row, *in_flight).to_owned(),
                })
                .collect();
            lines.push(format!("| {title} | {in_flight} | {} |", cells.join(" | ")));
        }
    }
    lines
}

/// Returns the ratios of ours to a peer's for one row and load.
pub(crate) fn by(outcome: &Outcome, peer: &str, row: &str, in_flight: usize) -> Option<Ratios> {
    compared(outcome, OURS, peer, row, in_flight)
}

/// Returns the ratios of one server's figures to another's.
pub(crate) fn compared(
    outcome: &Outcome,
    server: &str,
    peer: &str,
    row: &str,
    in_flight: usize,
) -> Option<Ratios> {
    let rounds = outcome.rounds(server, row, in_flight)?;
    Some(Ratios::of(rounds, outcome.rounds(peer, row, in_flight)?))
}

/// Returns what the system calls alone, and search programs, need for the same work.
fn floors(outcome: &Outcome) -> Vec<String> {
    let mut lines = vec![
        String::new(),
        "| alone | ms p50 | p99 | `overt fs` at 1, p50 | by it |".to_owned(),
        "|---|---|---|---|---|".to_owned(),
    ];
    for (row, title) in ROWS {
        for (name, p50, p99) in outcome.floors.get(*row).into_iter().flatten() {
            let ours = if name.contains("fsync") { OURS_DURABLE } else { OURS };
            let ours = outcome.measured(ours, row, 1).map_or("- | -".to_owned(), |measured| {
                format!("{} | {}x", short(measured.p50), short(measured.p50 / p50))
            });
            lines.push(format!("| {title}: {name} | {} | {} | {ours} |", short(*p50), short(*p99)));
        }
    }
    lines
}

/// Returns every case without a number, with the reason.
fn failures(outcome: &Outcome) -> Vec<String> {
    if outcome.failed.is_empty() {
        return Vec::new();
    }
    let mut lines = vec![String::new(), "Without a number:".to_owned(), String::new()];
    for ((server, row, in_flight), why) in &outcome.failed {
        let place = match in_flight {
            Some(in_flight) => format!("{row} at {in_flight}"),
            None => row.clone(),
        };
        let why: String = why.chars().filter(|letter| !letter.is_control()).take(300).collect();
        lines.push(format!("- {server}, {place}: {why}"));
    }
    lines
}

fn no_number(outcome: &Outcome, server: &str, row: &str, in_flight: usize) -> &'static str {
    let failed = |in_flight| outcome.failed.get(&(server.to_owned(), row.to_owned(), in_flight));
    match failed(Some(in_flight)).or_else(|| failed(None)) {
        Some(why) if why.contains("no such tool") => "no such tool",
        Some(_) => "fails",
        None => "-",
    }
}

fn wanted(options: &Options) -> impl Iterator<Item = (&'static str, &'static str)> {
    ROWS.iter().copied().filter(|(row, _)| options.rows.contains(row))
}

/// Formats a number with about three significant digits.
fn short(number: f64) -> String {
    match number.abs() {
        size if size >= 100.0 => format!("{number:.0}"),
        size if size >= 10.0 => format!("{number:.1}"),
        size if size >= 0.1 => format!("{number:.2}"),
        _ => format!("{number:.4}"),
    }
}
