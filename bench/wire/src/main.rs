//! `bench-wire [--min-ratio X] [--rounds N]`: measures the MB/s of the scanner, of `Message::parse`
//! and of `edit::set_in` for each kind of message, compared with `serde_json`'s parse to a `Value`.
//! With `--min-ratio`, it fails if one of the three is less than this many times as fast.
mod measure; // timing of alternating candidates
mod messages; // the messages

use std::hint::black_box;
use std::process::ExitCode;
use std::time::Duration;

use overt_wire::edit::{self, Step};
use overt_wire::json::{Json, Limits, check};
use overt_wire::message::{Kind, Message};

use measure::{Candidate, Times};
use messages::Sample;

const CANDIDATES: [&str; 4] = ["serde_json", "check", "parse", "edit"];
const USAGE: &str = "usage: bench-wire [--min-ratio X] [--rounds N]";

struct Options {
    min_ratio: Option<f64>,
    rounds: usize,
}

#[expect(clippy::print_stdout, clippy::print_stderr, reason = "the report is this program's output")]
fn main() -> ExitCode {
    let Some(options) = Options::read(std::env::args().skip(1)) else {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    };
    println!(
        "MB/s, and how many times as fast as serde_json's parse to `Value` (median of {} rounds)",
        options.rounds
    );
    println!(
        "{:<20} {:>8} {:>11} {:>16} {:>16} {:>16}",
        "message", "bytes", "serde_json", "check", "parse", "edit"
    );
    let mut slow = Vec::new();
    for sample in messages::samples() {
        let times = run(&sample, options.rounds);
        println!("{}", row(&sample, &times));
        slow.extend(below(&sample, &times, options.min_ratio));
    }
    for line in &slow {
        eprintln!("too slow: {line}");
    }
    if slow.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

impl Options {
    fn read(mut args: impl Iterator<Item = String>) -> Option<Self> {
        let mut options = Self { min_ratio: None, rounds: 51 };
        while let Some(name) = args.next() {
            let value = args.next()?;
            match name.as_str() {
                "--min-ratio" => options.min_ratio = Some(value.parse().ok()?),
                "--rounds" => options.rounds = value.parse().ok().filter(|rounds| *rounds > 0)?,
                _ => return None,
            }
        }
        Some(options)
    }
}

fn run(sample: &Sample, rounds: usize) -> Times {
    let bytes = sample.text.as_bytes();
    let limits = Limits::default();
    let message = Message::parse(bytes.to_vec(), &limits).expect("the samples are valid");
    let body = if message.kind() == Kind::Result { "result" } else { "params" };
    let path = [Step::Member(body), Step::Member("_meta"), Step::Member("dev.overt/plan")];
    let value = Json::parse(r#"{"digest":"0f1e2d3c4b5a69788796a5b4c3d2e1f0"}"#).expect("a valid value");
    let candidates: [Candidate<'_>; 4] = [
        Box::new(|| drop(black_box(tree(black_box(bytes))))),
        Box::new(|| black_box(check(black_box(bytes), &limits)).expect("the samples are valid")),
        Box::new(|| drop(black_box(Message::parse(black_box(bytes).to_vec(), &limits)))),
        Box::new(|| drop(black_box(edit::set_in(black_box(&message), &path, value)))),
    ];
    measure::interleaved(&candidates, rounds, Duration::from_micros(1500))
}

#[expect(clippy::disallowed_methods, reason = "it is what we compare with")]
fn tree(bytes: &[u8]) -> serde_json::Result<serde_json::Value> {
    serde_json::from_slice(bytes)
}

fn row(sample: &Sample, times: &Times) -> String {
    let bytes = sample.text.len();
    let speed = |candidate| bytes as f64 / times.median(candidate) / 1e6;
    let mut row = format!("{:<20} {bytes:>8} {:>11.0}", sample.name, speed(0));
    for candidate in 1..CANDIDATES.len() {
        row += &format!(" {:>9.0} {:>5.1}x", speed(candidate), times.ratio(0, candidate));
    }
    row
}

fn below(sample: &Sample, times: &Times, min_ratio: Option<f64>) -> Vec<String> {
    let Some(min) = min_ratio else { return Vec::new() };
    (1..CANDIDATES.len())
        .filter(|candidate| sample.is_mostly_ascii || CANDIDATES[*candidate] == "edit")
        .map(|candidate| (candidate, times.ratio(0, candidate)))
        .filter(|(_, ratio)| *ratio < min)
        .map(|(candidate, ratio)| format!("{} on {}: {ratio:.2}x", CANDIDATES[candidate], sample.name))
        .collect()
}
