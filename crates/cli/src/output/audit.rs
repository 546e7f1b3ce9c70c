//! Formats audit records and verification reports, as text and as JSON.
use overt_state::audit::{Record, RecordPage, Report, Source};
use overt_wire::json::{Array, JsonBuf, Object, quote};
use overt_wire::text::Untrusted;
use serde::Serialize;
use unicode_width::UnicodeWidthStr as _;

use super::safe::{clip, one_line};
use super::style::{DANGER, DIM, NAME, PLAIN, TITLE, WARNING, paint};
use super::table::{Cell, Table};

/// Which logs are reported in full.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LogDetail {
    All,
    /// Only logs that are broken or incomplete.
    Suspicious,
}

/// A report as text: which records are intact, where the log is broken, and what cannot be
/// detected.
pub(crate) fn report_text(report: &Report) -> String {
    let mut out = String::new();
    let mut line =
        |name: &str, text: &str| out.push_str(&format!("{} {text}\n", paint(TITLE, format!("{name:<10}"))));
    let (anchored, verified) = ranges(report);
    line("anchored", &anchored.map_or_else(|| "nothing".to_owned(), range));
    line("verified", &verified.map_or_else(|| "nothing more".to_owned(), range));
    match &report.broken {
        Some(broken) => line(
            "broken",
            &paint(DANGER, format!("from record {} on: {}", broken.seq, one_line(&broken.why))),
        ),
        None => line("broken", "nothing"),
    }
    match report.signed_to {
        Some(seq) => line("signed", &format!("up to record {seq}, by checkpoints in the log")),
        None if !report.key_known || report.broken.is_some() => {}
        None => line(
            "signed",
            &paint(
                WARNING,
                "nothing: a log that was written anew without the key looks like this".to_owned(),
            ),
        ),
    }
    if let Some(seq) = report.removed_to {
        line("removed", &format!("up to record {seq}, because they were old"));
    }
    if report.missing > 0 {
        line(
            "missing",
            &paint(
                WARNING,
                format!("{} records could not be written, as the log itself says", report.missing),
            ),
        );
    }
    if report.recoveries > 0 {
        line("crashes", &format!("{}, after which the log was brought in order", report.recoveries));
    }
    match report.unfinished {
        true if report.being_written => line("unfinished", "the last line: a record is being written"),
        is_torn if report.lacks_its_end() => {
            let what = if is_torn { "the last line" } else { "the log: nothing says that it was closed" };
            let why = "no process is writing it, so it crashed or was cut; an anchor would tell";
            line("unfinished", &paint(WARNING, format!("{what}; {why}")));
            line("", "the next `overt run` continues it and records a recovery");
        }
        _ => {}
    }
    for blind in &report.blind {
        out.push_str(&format!("{}\n", paint(DIM, format!("note: {}", one_line(blind)))));
    }
    out
}

/// Reports on several logs: one line for each intact log, everything about the others, and the sum.
/// With `LogDetail::All`, it says everything about each log.
pub(crate) fn reports_text(reports: &[(&str, Report)], detail: LogDetail) -> String {
    let width = reports.iter().map(|(name, _)| name.width()).max().unwrap_or_default();
    let mut out = String::new();
    let mut notes: Vec<&str> = Vec::new();
    for (name, report) in reports {
        let shown = Untrusted(name).to_string();
        if detail == LogDetail::Suspicious && is_unsuspicious(report) {
            let signed = report.signed_to.map(|seq| format!(", signed up to {seq}")).unwrap_or_default();
            let anchored =
                report.anchored_to.map(|seq| format!(", anchored up to {seq}")).unwrap_or_default();
            let records = range((report.first, report.last));
            out.push_str(&format!(
                "{}  intact: {records}{signed}{anchored}\n",
                paint(NAME, format!("{shown:<width$}"))
            ));
            for note in &report.blind {
                if !notes.contains(&note.as_str()) {
                    notes.push(note);
                }
            }
        } else {
            out.push_str(&format!(
                "{} {shown}\n{}",
                paint(TITLE, format!("{:<10}", "log")),
                report_text(report)
            ));
        }
    }
    for note in notes {
        out.push_str(&format!("{}\n", paint(DIM, format!("note: {}", one_line(note)))));
    }
    out.push_str(&sum(reports));
    out
}

/// Whether a log needs no attention from a person.
fn is_unsuspicious(report: &Report) -> bool {
    let lacks_signatures = report.key_known && report.signed_to.is_none();
    report.broken.is_none() && !report.lacks_its_end() && report.missing == 0 && !lacks_signatures
}

/// The last line, such as `3 logs, 120 records: 2 are intact, 1 is broken`.
fn sum(reports: &[(&str, Report)]) -> String {
    let count = |is_so: fn(&Report) -> bool| reports.iter().filter(|(_, report)| is_so(report)).count();
    let (broken, endless) = (count(|report| report.broken.is_some()), count(Report::lacks_its_end));
    let records: u64 = reports.iter().map(|(_, report)| report.records).sum();
    let holding = match reports.len() - broken - endless {
        all if all == reports.len() => "all are intact".to_owned(),
        1 => "1 is intact".to_owned(),
        some => format!("{some} are intact"),
    };
    let broken = match broken {
        0 => String::new(),
        1 => paint(DANGER, ", 1 is broken"),
        many => paint(DANGER, format!(", {many} are broken")),
    };
    let endless = match endless {
        0 => String::new(),
        1 => paint(WARNING, ", 1 has no end"),
        many => paint(WARNING, format!(", {many} have no end")),
    };
    format!("{} logs, {records} records: {holding}{broken}{endless}\n", reports.len())
}

/// The answer of `overt audit verify` about several logs.
#[derive(Debug, Serialize)]
pub(crate) struct LogsReport<'a> {
    ok: bool,
    logs: Vec<LogReport<'a>>,
}

/// The answer of `overt audit verify` about one log.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct LogReport<'a> {
    ok: bool,
    anchored: Option<RangeData>,
    verified: Option<RangeData>,
    broken: Option<BrokenData<'a>>,
    records: u64,
    segments: u64,
    head: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    signed_to: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    removed_to: Option<u64>,
    missing: u64,
    recoveries: u64,
    closed: bool,
    unfinished: bool,
    being_written: bool,
    cannot_detect: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    log: Option<&'a str>,
}

#[derive(Debug, Serialize)]
struct RangeData {
    from: u64,
    to: u64,
}

#[derive(Debug, Serialize)]
struct BrokenData<'a> {
    seq: u64,
    why: &'a str,
}

impl<'a> LogsReport<'a> {
    pub(crate) fn new(reports: &'a [(&'a str, Report)]) -> Self {
        let named =
            |(name, report): &'a (&'a str, Report)| LogReport { log: Some(name), ..LogReport::new(report) };
        let ok = reports.iter().all(|(_, report)| report.broken.is_none());
        Self { ok, logs: reports.iter().map(named).collect() }
    }
}

impl<'a> LogReport<'a> {
    pub(crate) fn new(report: &'a Report) -> Self {
        let (anchored, verified) = ranges(report);
        let range = |(from, to)| RangeData { from, to };
        Self {
            ok: report.broken.is_none(),
            anchored: anchored.map(range),
            verified: verified.map(range),
            broken: report.broken.as_ref().map(|broken| BrokenData { seq: broken.seq, why: &broken.why }),
            records: report.records,
            segments: report.segments,
            head: report.head.to_string(),
            signed_to: report.signed_to,
            removed_to: report.removed_to,
            missing: report.missing,
            recoveries: report.recoveries,
            closed: report.closed,
            unfinished: report.unfinished || report.lacks_its_end(),
            being_written: report.being_written,
            cannot_detect: &report.blind,
            log: None,
        }
    }
}

/// The first and the last record.
type Range = (u64, u64);

/// Returns the anchored range, and the range that is only verified.
fn ranges(report: &Report) -> (Option<Range>, Option<Range>) {
    let anchored = report.anchored_to.filter(|to| *to >= report.first);
    let rest = anchored.map_or(report.first, |to| to + 1);
    (
        anchored.map(|to| (report.first, to)),
        (report.last >= rest && report.records > 0).then_some((rest, report.last)),
    )
}

fn range((from, to): Range) -> String {
    format!("records {from} to {to}")
}

/// Records found in one or more logs. If there are several logs, each record names its log.
#[derive(Debug)]
pub(crate) struct Merged<'a> {
    pub(crate) logs: &'a [Source],
    pub(crate) found: RecordPage,
}

impl Merged<'_> {
    /// The value of `--after` for the next page.
    pub(crate) fn next(&self) -> Option<String> {
        self.found.next.as_ref().map(|places| self.places(places))
    }

    /// The value of `--before` for the previous page.
    pub(crate) fn previous(&self) -> Option<String> {
        self.found.previous.as_ref().map(|places| self.places(places))
    }

    fn places(&self, places: &[u64]) -> String {
        match places {
            [place] => place.to_string(),
            places => {
                let named = self.logs.iter().zip(places);
                // Skip logs of which no record was shown yet.
                let named = named.filter(|(_, place)| **place != u64::MAX);
                named.map(|(log, place)| format!("{}={place}", log.name)).collect::<Vec<_>>().join(",")
            }
        }
    }

    fn name_of(&self, log: usize) -> Option<&str> {
        self.logs.get(log).filter(|_| self.logs.len() > 1).map(|log| log.name.as_str())
    }
}

pub(crate) fn records_text(merged: &Merged<'_>, width: Option<usize>) -> String {
    let records = &merged.found.records;
    let mut columns = vec!["SEQ", "TIME", "KIND", "TARGET", "DECISION", "OUTCOME", "WHO", "WHAT"];
    if merged.logs.len() > 1 {
        columns.insert(0, "LOG");
    }
    let mut table = Table::new(columns);
    for (log, record) in records {
        let name = merged.name_of(*log).map(|name| Cell::new(Untrusted(clip(name)).to_string(), NAME));
        table.row(name.into_iter().chain(row(record)).collect());
    }
    if records.is_empty() { String::new() } else { table.render(width) }
}

/// The record with its log's name as the first member. The other members are the exact record.
pub(crate) fn record_of(log: &str, record: &Record) -> String {
    record.as_str().replacen('{', &format!("{{\"log\":{},", quote(log)), 1)
}

fn row(record: &Record) -> Vec<Cell> {
    let text = |name: &str| Untrusted(clip(&record.text(name))).to_string();
    let decision = text("decision");
    let style = if decision == "deny" { DANGER } else { PLAIN };
    let what = [text("reason"), text("intent")].into_iter().find(|text| !text.is_empty()).unwrap_or_default();
    let time = text("ts").get(..19).map(|time| time.replace('T', " ")).unwrap_or_default();
    vec![
        Cell::new(record.seq.to_string(), DIM),
        Cell::new(time, DIM),
        Cell::new(text("kind"), PLAIN),
        Cell::new(text("target"), NAME),
        Cell::new(decision, style),
        Cell::new(text("outcome"), PLAIN),
        Cell::new(text("principal"), PLAIN),
        Cell::new(one_line(&what), PLAIN),
    ]
}

/// The exact records, each with the name of its log if there are several logs.
pub(crate) fn records_json(merged: &Merged<'_>) -> JsonBuf {
    let records =
        merged.found.records.iter().fold(Array::new(), |array, (log, record)| match merged.name_of(*log) {
            Some(name) => match JsonBuf::parse(&record_of(name, record)) {
                Ok(named) => array.json(named.as_json()),
                Err(_) => array.json(record.json()),
            },
            None => array.json(record.json()),
        });
    let object = Object::new().json("records", records.finish().as_json());
    let is_one = merged.logs.len() == 1;
    let places = [("next", merged.next()), ("previous", merged.previous())];
    let object = places.into_iter().fold(object, |object, (name, place)| match place {
        None => object,
        Some(place) if is_one => object.raw(name, &place),
        Some(place) => object.string(name, &place),
    });
    object.finish()
}
