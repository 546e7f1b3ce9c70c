//! AUD-02: a crash or a power cut at every change that the writer makes, including rotation,
//! checkpoints, retention and recovery. Also, every change fails once.
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::sync::Arc;

use overt_layers::audit::{Durability, Entry, Ledger as _};

use super::support::{Place, durable, intent, outcome, wait};
use super::trace::{ENDINGS, Ending, Files, Folder, Step, Tracer};
use crate::audit::disk::Disk;
use crate::audit::{AuditLog, Options, Record};

/// A folder in memory, where syncing is fast.
fn place() -> Place {
    let memory = Path::new("/dev/shm");
    Place::at(if memory.is_dir() {
        tempfile::tempdir_in(memory).unwrap()
    } else {
        tempfile::tempdir().unwrap()
    })
}

/// A retention limit for closed segments, in bytes.
const MANY: u64 = 8000;
/// A limit so low that several segments are removed at once.
const FEW: u64 = 2000;

fn options(place: &Place, max_bytes: u64) -> Options {
    let mut options = place.options();
    options.segment_bytes = 2500;
    options.checkpoint_records = 5;
    options.max_bytes = Some(max_bytes);
    options
}

fn open(place: &Place, tracer: &Arc<Tracer>, max_bytes: u64) -> Option<AuditLog> {
    let observer: Arc<Tracer> = Arc::clone(tracer);
    AuditLog::open_on(Disk::observed_by(observer), &place.dir(), options(place, max_bytes)).ok()
}

/// Writes an entry, and notes that it was acknowledged.
fn write(log: &AuditLog, tracer: &Tracer, entry: Entry) -> bool {
    let (kind, call) = (entry.kind.to_string(), entry.call.clone().unwrap());
    let is_there = durable(log, entry).is_ok();
    if is_there {
        tracer.note(Step::Acknowledged { kind, call });
    }
    is_there
}

/// Two runs with calls that end at once, later, in another segment, or never. Some outcomes are not
/// awaited.
fn play(place: &Place, tracer: &Arc<Tracer>) {
    for (run, max_bytes) in [("a", MANY), ("b", FEW)] {
        let Some(log) = open(place, tracer, max_bytes) else { continue };
        let call = |number: u32| format!("{run}{number}");
        let mut begun = BTreeSet::new();
        for number in 0..9 {
            if write(&log, tracer, intent(&call(number))) {
                begun.insert(number);
            }
            let ends: &[u32] = match number {
                2 => &[0],
                3 => &[3],
                6 => &[2, 5],
                8 => &[8],
                _ => &[],
            };
            for end in ends.iter().filter(|end| begun.contains(end)) {
                match end % 2 {
                    0 => drop(write(&log, tracer, outcome(&call(*end)))),
                    _ => wait(log.write(outcome(&call(*end)), Durability::Batched)).unwrap(),
                }
            }
        }
        log.close();
    }
}

/// Replaces the folder of the log by these files.
fn put(place: &Place, files: &Files) {
    let _ = fs::remove_dir_all(place.dir());
    fs::create_dir(place.dir()).unwrap();
    for (name, (text, is_writable)) in files {
        let path = place.dir().join(name);
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, Permissions::from_mode(if *is_writable { 0o600 } else { 0o400 })).unwrap();
    }
}

/// The records that were written, by number, including those that were removed since.
type Written = BTreeMap<u64, Record>;

fn written(steps: &[Step]) -> Written {
    let texts = steps.iter().filter_map(|step| match step {
        Step::Append(name, text) | Step::AppendDurably(name, text) if name.starts_with("seg-") => {
            std::str::from_utf8(text).ok()
        }
        _ => None,
    });
    let records = texts.flat_map(str::lines).filter_map(|line| Record::parse(line).ok());
    records.map(|record| (record.seq, record)).collect()
}

/// Opens and closes the log as the next process would, and checks that nothing is missing. `before`
/// holds the records that retention may have removed.
fn settle(place: &Place, steps: &[Step], before: &Written, at: &str) {
    let log =
        AuditLog::open(place.dir(), options(place, MANY)).unwrap_or_else(|error| panic!("{at}: {error}"));
    log.close();
    let report = place.verify();
    assert_eq!((&report.broken, report.closed), (&None, true), "{at}: {report:?}\n{}", place.text());
    let removed = before.range(..=report.removed_to.unwrap_or(0)).map(|(_, record)| record.clone());
    let mut ends: BTreeMap<(String, String), u32> = BTreeMap::new();
    let mut started = BTreeSet::new();
    for record in removed.chain(place.records()) {
        let (kind, boot) = (record.text("kind"), record.text("boot"));
        if kind == "start" {
            started.insert(boot);
        } else if !["segment", "recovery"].contains(&kind.as_str()) {
            assert!(started.contains(&boot), "{at}: no start before record {}\n{}", record.seq, place.text());
        }
        *ends.entry((kind, record.text("call"))).or_default() += 1;
    }
    for step in steps {
        let Step::Acknowledged { kind, call } = step else { continue };
        assert_eq!(
            ends.get(&(kind.clone(), call.clone())),
            Some(&1),
            "{at}: {kind} of {call}\n{}",
            place.text()
        );
    }
    for (kind, call) in ends.keys().filter(|(kind, _)| kind == "intent") {
        let outcomes = ends.get(&("outcome".to_owned(), call.clone()));
        assert_eq!(outcomes, Some(&1), "{at}: how {kind} of {call} ended\n{}", place.text());
    }
}

/// The state of the folder after an ending at some step.
struct State {
    files: Files,
    folder: Folder,
    /// The number of completed steps.
    done: usize,
    at: String,
}

/// Returns every distinct state that an ending at any step can leave.
fn states(mut folder: Folder, steps: &[Step]) -> Vec<State> {
    let mut seen = BTreeSet::new();
    let mut states = Vec::new();
    for done in 0..=steps.len() {
        // The number of acknowledged records is a part of the state.
        let acknowledged =
            steps[..done].iter().filter(|step| matches!(step, Step::Acknowledged { .. })).count();
        let within = steps.get(done).map(|step| folder.within(step)).unwrap_or_default();
        let within = within.iter().map(|folder| (folder, "within"));
        for (folder, how) in within.chain([(&folder, "before")]) {
            for ending in ENDINGS {
                let files = folder.after(ending);
                if seen.insert((files.clone(), acknowledged, ending == Ending::Killed)) {
                    let at = format!("{ending:?} {how} step {done} {:?}", steps.get(done));
                    states.push(State { files, folder: folder.found_after(ending), done, at });
                }
            }
        }
        steps.get(done).iter().for_each(|step| folder.apply(step));
    }
    states
}

/// Returns the completed steps and the one that was interrupted.
fn with_next(steps: &[Step], done: usize) -> &[Step] {
    &steps[..(done + 1).min(steps.len())]
}

fn traced() -> (Place, Vec<Step>) {
    let place = place();
    let tracer = Arc::new(Tracer::default());
    play(&place, &tracer);
    (place, tracer.steps())
}

#[test]
fn aud_02_whatever_a_crash_or_a_power_cut_leaves_nothing_is_lost() {
    let (place, steps) = traced();
    let rotations =
        steps.iter().filter(|step| matches!(step, Step::Create(name) if name.starts_with("seg-")));
    assert!(rotations.count() > 4 && steps.iter().any(|step| matches!(step, Step::Remove(_))), "{steps:?}");
    assert!(steps.iter().any(|step| matches!(step, Step::AppendDurably(..))), "{steps:?}");
    let all = states(Folder::default(), &steps);
    assert!(all.len() > 100, "{}", all.len());
    for State { files, done, at, .. } in all {
        put(&place, &files);
        settle(&place, &steps[..done], &written(with_next(&steps, done)), &at);
    }
}

/// The records of a recovery can be cut off too. Data that a killed process did not sync can be
/// lost by a power cut during the next process.
#[test]
fn aud_02_a_crash_within_a_recovery_loses_nothing() {
    let (place, steps) = traced();
    let is_tried = |(index, state): &(usize, State)| {
        // A line of `heads.jsonl` was written but not yet synced.
        let has_unsynced_head =
            matches!(&steps.get(state.done), Some(Step::Sync(name)) if name == "heads.jsonl");
        index % EVERY == 0 || has_unsynced_head && state.at.starts_with("Killed before")
    };
    let all = states(Folder::default(), &steps).into_iter().enumerate();
    for (_, state) in all.filter(is_tried) {
        put(&place, &state.files);
        let tracer = Arc::new(Tracer::default());
        drop(open(&place, &tracer, FEW).unwrap());
        let recovery = tracer.steps();
        for again in states(state.folder, &recovery) {
            put(&place, &again.files);
            let mut before = written(with_next(&steps, state.done));
            before.extend(written(with_next(&recovery, again.done)));
            settle(&place, &steps[..state.done], &before, &format!("{}, then {}", state.at, again.at));
        }
    }
}

/// One of this many states before a recovery is tried. The number is prime, so that every kind of
/// ending occurs.
const EVERY: usize = 41;

/// A change fails once, for a while, or from then on. Every acknowledged record is still there.
#[test]
fn aud_05_every_change_fails_once_or_from_then_on() {
    let (_, steps) = traced();
    let changes = steps.iter().filter(|step| !matches!(step, Step::Acknowledged { .. })).count();
    for first in 0..changes {
        for failing in [first..first + 1, first..first + 3, first..usize::MAX] {
            let place = place();
            let tracer = Arc::new(Tracer::failing(failing.clone()));
            play(&place, &tracer);
            let steps = tracer.steps();
            fs::create_dir_all(place.dir()).unwrap();
            settle(&place, &steps, &written(&steps), &format!("changes {failing:?} fail"));
        }
    }
}
