//! Reads the measurements of the load generator from its lines of JSON.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::compare::Measured;

/// All measurements of one run.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    /// The servers, in the order of the plan.
    pub(crate) servers: Vec<String>,
    /// The good rounds, by server, row and calls in flight.
    rounds: BTreeMap<(String, String, usize), Vec<Measured>>,
    /// The reason for a missing number, by server and row, and by calls in flight if only these
    /// failed.
    pub(crate) failed: BTreeMap<(String, String, Option<usize>), String>,
    /// Milliseconds from the start to the answer of `tools/list`, by server.
    pub(crate) starts: BTreeMap<String, Start>,
    pub(crate) memory: BTreeMap<String, Memory>,
    /// What was done and how long it took, in milliseconds at p50 and p99, by row.
    pub(crate) floors: BTreeMap<String, Vec<(String, f64, f64)>>,
    /// Bytes of an answer, by server and row.
    pub(crate) bytes: BTreeMap<(String, String), u64>,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Start {
    pub(crate) p50: f64,
    pub(crate) most: f64,
}

/// Resident memory, in MiB.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Memory {
    pub(crate) after_start: f64,
    pub(crate) at_the_end: f64,
    pub(crate) most: f64,
}

impl Outcome {
    pub(crate) fn read(lines: &str) -> Self {
        let mut outcome = Self::default();
        for line in lines.lines() {
            if let Ok(line) = serde_json::from_str::<Value>(line) {
                outcome.take(&line);
            }
        }
        outcome
    }

    fn take(&mut self, line: &Value) {
        let text = |member: &str| line[member].as_str().unwrap_or_default().to_owned();
        let (server, row) = (text("server"), text("row"));
        if server.is_empty() {
            let name = [text("floor"), text("program")].concat();
            let measured = &line["measured"];
            match (measured["p50_ms"].as_f64(), measured["p99_ms"].as_f64()) {
                (Some(p50), Some(p99)) => self.floors.entry(row).or_default().push((name, p50, p99)),
                _ => _ = self.failed.insert((name, row, None), text("failed")),
            }
            return;
        }
        if !self.servers.contains(&server) {
            self.servers.push(server.clone());
        }
        let number = |value: &Value, member: &str| value[member].as_f64().unwrap_or(f64::NAN);
        let in_flight = line["in_flight"].as_u64().and_then(|count| usize::try_from(count).ok());
        if let Some(why) = line["failed"].as_str() {
            self.failed.insert((server, row, in_flight), why.to_owned());
        } else if line["start"].is_object() {
            let start = &line["start"];
            self.starts.insert(server, Start { p50: number(start, "p50_ms"), most: number(start, "max_ms") });
        } else if line["memory"].is_object() {
            let memory = &line["memory"];
            let (after_start, at_the_end) = (number(memory, "after_start"), number(memory, "at_the_end"));
            self.memory.insert(server, Memory { after_start, at_the_end, most: number(memory, "most") });
        } else if let Some(in_flight) = in_flight {
            match Measured::read(&line["measured"].to_string()) {
                Some(measured) => {
                    let bytes = line["bytes"].as_u64().unwrap_or_default();
                    self.bytes.insert((server.clone(), row.clone()), bytes);
                    self.rounds.entry((server, row, in_flight)).or_default().push(measured);
                }
                None => {
                    let measured = &line["measured"];
                    let why = format!(
                        "{} of {} answers were bad: {}",
                        measured["bad"],
                        measured["calls"],
                        text("first_bad")
                    );
                    self.failed.insert((server, row, Some(in_flight)), why);
                }
            }
        }
    }

    /// Returns the rounds of a measurement, or `None` if one of them was bad.
    pub(crate) fn rounds(&self, server: &str, row: &str, in_flight: usize) -> Option<&[Measured]> {
        let place = |in_flight| (server.to_owned(), row.to_owned(), in_flight);
        if self.failed.contains_key(&place(Some(in_flight))) || self.failed.contains_key(&place(None)) {
            return None;
        }
        self.rounds.get(&(server.to_owned(), row.to_owned(), in_flight)).map(Vec::as_slice)
    }

    pub(crate) fn measured(&self, server: &str, row: &str, in_flight: usize) -> Option<Measured> {
        self.rounds(server, row, in_flight).map(Measured::median)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_bad_round_takes_the_number_away() {
        let round = |bad: u32| {
            format!(
                r#"{{"server":"a","row":"read-4k","in_flight":1,"bytes":7,"first_bad":"cut","measured":{{"calls":10,"bad":{bad},"lost":0,"stray":0,"per_second":5.0,"p50_ms":1.0,"p99_ms":2.0}}}}"#
            )
        };
        let good = Outcome::read(&[round(0), round(0)].join("\n"));
        assert_eq!(good.rounds("a", "read-4k", 1).map(<[_]>::len), Some(2));
        let bad = Outcome::read(&[round(0), round(3)].join("\n"));
        assert!(bad.measured("a", "read-4k", 1).is_none());
        let why = &bad.failed[&("a".to_owned(), "read-4k".to_owned(), Some(1))];
        assert_eq!(why, "3 of 10 answers were bad: cut");
    }

    #[test]
    fn who_did_not_start_is_named() {
        let outcome = Outcome::read(r#"{"server":"a","failed":"no such file"}"#);
        assert_eq!(outcome.servers, ["a"]);
        assert_eq!(outcome.failed[&("a".to_owned(), String::new(), None)], "no such file");
    }
}
