//! An edit changes one value and nothing beside it. The first four bytes of the input choose the
//! path; then come the text, a zero byte, and the new value.
#![no_main]
use libfuzzer_sys::fuzz_target;
use overt_wire::Message;
use overt_wire::edit::{self, EditError};
use overt_wire::json::{Json, Limits, Member};

#[path = "../../crates/wire/tests/it/props/paths.rs"]
mod paths;

use paths::{Way, at, beside, beside_after_removal, changed_bytes, existing_path, steps};

fuzz_target!(|input: &[u8]| {
    let [a, b, c, d, rest @ ..] = input else { return };
    let Ok(rest) = str::from_utf8(rest) else { return };
    let Some((text, value)) = rest.split_once('\0') else { return };
    let (Ok(text), Ok(value)) = (Json::parse(text), Json::parse(value)) else { return };
    let choices = [*a, *b, *c, *d].map(usize::from);
    let path = existing_path(text.as_str(), &choices);
    if !path.is_empty() {
        set(text, &path, value);
        remove(text, &path);
        in_message(text, &path, value);
    }
    if text.is_object() {
        add(text, value);
    }
});

fn set(text: Json<'_>, path: &[Way], value: Json<'_>) {
    let new = match edit::set(text, &steps(path), value) {
        Ok(new) => new,
        Err(error) => return assert_eq!(error, EditError::TooDeep),
    };
    assert_eq!(at(new.as_str(), path), Some(value));
    assert_eq!(beside(new.as_str(), path), beside(text.as_str(), path));
    let old = at(text.as_str(), path).expect("the path exists");
    assert_eq!(new.as_str().len(), text.as_str().len() - old.as_str().len() + value.as_str().len());
    let back = edit::set(new.as_json(), &steps(path), old).expect("the old value fits");
    assert_eq!(back.as_str(), text.as_str());
}

fn remove(text: Json<'_>, path: &[Way]) {
    let new = edit::remove(text, &steps(path)).expect("the path exists");
    assert!(Json::parse(new.as_str()).is_ok());
    assert_eq!(beside_after_removal(new.as_str(), path), beside(text.as_str(), path));
    assert_eq!(changed_bytes(text.as_str(), new.as_str()).1, 0);
}

/// A name that is not there is added, and removed again without a trace.
fn add(text: Json<'_>, value: Json<'_>) {
    let path = [Way::Member("dev.overt/fuzz \"".into()), Way::Member("inner".into())];
    if at(text.as_str(), &path[..1]).is_some() {
        return;
    }
    let new = match edit::set(text, &steps(&path), value) {
        Ok(new) => new,
        Err(error) => return assert_eq!(error, EditError::TooDeep),
    };
    assert!(Json::parse(new.as_str()).is_ok());
    assert_eq!(at(new.as_str(), &path), Some(value));
    let back = edit::remove(new.as_json(), &steps(&path[..1])).expect("it was added");
    assert_eq!(back.as_str(), text.as_str());
}

/// An edited message is what a reader of its text would see.
fn in_message(text: Json<'_>, path: &[Way], value: Json<'_>) {
    let parse = |text: &str| Message::parse(text.as_bytes().to_vec(), &Limits::default());
    let Ok(message) = parse(text.as_str()) else { return };
    for new in [edit::set_in(&message, &steps(path), value), edit::remove_in(&message, &steps(path))] {
        match new {
            Ok(new) => assert_eq!(parse(new.text()).as_ref(), Ok(&new)),
            Err(error) => assert!(matches!(error, EditError::NoMessage | EditError::TooDeep)),
        }
    }
    assert_ne!(message.as_json().get("jsonrpc"), Member::Absent);
}
