//! Changes, undoings and undoings of undoings in any order, compared with a model that keeps every
//! content.
use super::UndoneBatch;
use overt_testkit::person::authorised;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use overt_settings::{DeclaredSettings, SettingValues};
use proptest::prelude::*;
use serde_json::json;

use super::{History, UndoError};
use crate::files::write::tests::stage::ask_once;
use crate::files::{FileServer, Options, settings};

/// One random step of the test.
#[derive(Debug, Clone)]
enum Move {
    /// A client writes to one of the files.
    Write(usize, u8),
    /// The owner undoes this many changes, the latest ones that still hold.
    Undo(usize),
    /// The owner undoes the latest undoing.
    Redo,
    /// Another program writes to one of the files.
    Meddle(usize, u8),
}

fn moves() -> impl Strategy<Value = Vec<Move>> {
    let one = prop_oneof![
        5 => (0..2_usize, any::<u8>()).prop_map(|(file, byte)| Move::Write(file, byte)),
        4 => (1..4_usize).prop_map(Move::Undo),
        2 => Just(Move::Redo),
        2 => (0..2_usize, any::<u8>()).prop_map(|(file, byte)| Move::Meddle(file, byte)),
    ];
    proptest::collection::vec(one, 1..14)
}

const FILES: [&str; 2] = ["a", "b"];

fn contents(root: &Path) -> BTreeMap<&'static str, Vec<u8>> {
    FILES.iter().map(|name| (*name, fs::read(root.join(name)).unwrap())).collect()
}

/// The contents before and after each change, by its id.
type Known = BTreeMap<String, (&'static str, Vec<u8>, Vec<u8>)>;

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    /// A change can be undone exactly if what it left is still there, and the result is exactly
    /// what was there before it. Otherwise nothing changes.
    #[test]
    fn what_is_undone_is_what_was_there_before(moves in moves()) {
        let place = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap();
        let place = place.path().canonicalize().unwrap();
        let (root, state) = (place.join("root"), place.join("files"));
        fs::create_dir_all(&root).unwrap();
        fs::create_dir_all(&state).unwrap();
        FILES.iter().for_each(|name| fs::write(root.join(name), "begin").unwrap());
        let values = DeclaredSettings::new(settings()).map(SettingValues::from).unwrap();
        let options = Options { journal: Some(state.join("journal")), ..Options::new(vec![root.clone()], values) };
        let server = FileServer::open(&options).unwrap();
        let handler = overt_layers::open(server.endpoint().unwrap());
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let mut known = Known::new();
        for (number, next) in moves.into_iter().enumerate() {
            let history = History::open(&state).unwrap().unwrap();
            let before = contents(&root);
            match next {
                Move::Write(file, byte) => {
                    let content = format!("{number} {byte}");
                    let arguments = json!({ "path": FILES[file], "content": content });
                    let change = runtime.block_on(ask_once(&handler, "write_file", arguments)).change();
                    known.insert(change, (FILES[file], before[FILES[file]].clone(), content.into_bytes()));
                }
                Move::Meddle(file, byte) => fs::write(root.join(FILES[file]), format!("{number} {byte}!")).unwrap(),
                Move::Undo(_) | Move::Redo => {
                    let is_meant = |change: &super::PastChange| match next {
                        Move::Redo => change.undoes.is_some() && !change.is_undone,
                        _ => change.undoes.is_none() && !change.is_undone,
                    };
                    let count = if let Move::Undo(count) = next { count } else { 1 };
                    let ids: Vec<String> =
                        history.changes().filter(is_meant).take(count).map(|change| change.id).collect();
                    if ids.is_empty() {
                        continue;
                    }
                    // In the model, the latest change comes first, and each needs what it left to
                    // be there.
                    let mut model = before.clone();
                    let possible = ids.iter().all(|id| {
                        let (file, then, left) = &known[id];
                        let is_left = model[file] == *left;
                        model.insert(file, then.clone());
                        is_left
                    });
                    let mut done = Vec::new();
                    let planned = history.plan(&ids);
                    prop_assert_eq!(planned.is_ok(), possible, "{:?}", planned.err());
                    let undone = planned.and_then(|batch| {
                        let undoing = authorised(batch.action());
                        let UndoneBatch { done: made, failed } = batch.apply(&undoing);
                        done.extend(made);
                        failed.map_or(Ok(()), Err)
                    });
                    let now = contents(&root);
                    match undone {
                        Ok(()) => {
                            prop_assert_eq!(&now, &model);
                            for undone in done {
                                let (file, then, left) = known[&undone.change.id].clone();
                                known.insert(undone.by.unwrap(), (file, left, then));
                            }
                        }
                        Err(UndoError::Changed { .. } | UndoError::Nothing(_)) => prop_assert_eq!(&now, &before),
                        Err(other) => prop_assert!(false, "{other}"),
                    }
                }
            }
        }
    }
}
