//! Helpers to create logs.
use std::fs;
use std::path::{Path, PathBuf};

use overt_layers::audit::{CallOutcome, Durability, Entry, Kind, Ledger as _, LedgerError};
use overt_wire::json::JsonBuf;
use overt_wire::{Id, Message};

use crate::audit::{AuditError, AuditLog, Options, PublicKey, Record, Report, TrustAnchors, verify};

/// A folder with a log and its keys.
pub(super) struct Place {
    root: tempfile::TempDir,
}

impl Place {
    pub(super) fn new() -> Self {
        Self { root: tempfile::tempdir().unwrap() }
    }

    pub(super) fn at(root: tempfile::TempDir) -> Self {
        Self { root }
    }

    pub(super) fn dir(&self) -> PathBuf {
        self.root.path().join("log")
    }

    pub(super) fn outside(&self) -> PathBuf {
        self.root.path().join("anchors.jsonl")
    }

    pub(super) fn keys(&self) -> PathBuf {
        self.root.path().join("keys")
    }

    pub(super) fn options(&self) -> Options {
        Options::new(self.keys())
    }

    pub(super) fn open(&self) -> AuditLog {
        self.open_with(|_| {}).unwrap()
    }

    pub(super) fn open_with(&self, change: impl FnOnce(&mut Options)) -> Result<AuditLog, AuditError> {
        let mut options = self.options();
        change(&mut options);
        AuditLog::open(self.dir(), options)
    }

    pub(super) fn key(&self) -> PublicKey {
        PublicKey::of_folder(&self.keys()).unwrap()
    }

    /// Verifies the log with the key and without anchors.
    pub(super) fn verify(&self) -> Report {
        self.verify_against(&TrustAnchors { key: Some(self.key()), ..TrustAnchors::default() })
    }

    pub(super) fn verify_against(&self, against: &TrustAnchors) -> Report {
        verify(&self.dir(), against, &mut |_, _| {}).unwrap()
    }

    /// Lists the segments, in order.
    pub(super) fn segments(&self) -> Vec<PathBuf> {
        segments(&self.dir())
    }

    pub(super) fn text(&self) -> String {
        self.segments().iter().map(|path| fs::read_to_string(path).unwrap()).collect()
    }

    pub(super) fn records(&self) -> Vec<Record> {
        self.text().lines().map(|line| Record::parse(line).unwrap()).collect()
    }

    pub(super) fn kinds(&self) -> Vec<String> {
        self.records().iter().map(|record| record.text("kind")).collect()
    }
}

pub(super) fn segments(dir: &Path) -> Vec<PathBuf> {
    let all = fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path());
    let mut segments: Vec<PathBuf> =
        all.filter(|path| path.file_name().unwrap().to_str().unwrap().starts_with("seg-")).collect();
    segments.sort();
    segments
}

pub(super) fn intent(call: &str) -> Entry {
    Entry {
        call: Some(call.to_owned()),
        target: Some("edit_file".to_owned()),
        method: Some("tools/call".to_owned()),
        server: Some("files".to_owned()),
        principal: Some("ada".to_owned()),
        intent: Some("Edit a.rs".to_owned()),
        arguments: Some(JsonBuf::parse(r#"{"path":"/t/a.rs"}"#).unwrap().into()),
        needed: vec!["write:file:/t/a.rs".to_owned()],
        decision: Some("allow"),
        ..Entry::new(Kind::Intent)
    }
}

pub(super) fn outcome(call: &str) -> Entry {
    Entry {
        call: Some(call.to_owned()),
        outcome: Some(CallOutcome::Ok),
        answer: Some(Message::result(&Id::from(1), JsonBuf::parse(r#"{"content":[]}"#).unwrap().as_json())),
        ..Entry::new(Kind::Outcome)
    }
}

/// Runs a future of the log on a minimal runtime; it works on any.
pub(super) fn wait<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(future)
}

pub(super) fn durable(log: &AuditLog, entry: Entry) -> Result<(), LedgerError> {
    wait(log.write(entry, Durability::Durable))
}
