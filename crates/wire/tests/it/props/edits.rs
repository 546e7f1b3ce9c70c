//! An edit gives the new value, and nothing else changes.
use overt_wire::edit::{self, Step};
use overt_wire::json::{Json, Member};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;

use super::generate::{any_object, config, meaning, member_texts, string, value};
use super::messages::{message, parse};

/// One step down, with an owned name.
#[derive(Debug, Clone, PartialEq)]
enum Way {
    Member(String),
    Element(usize),
}

fn steps(path: &[Way]) -> Vec<Step<'_>> {
    path.iter()
        .map(|way| match way {
            Way::Member(name) => Step::Member(name),
            Way::Element(index) => Step::Element(*index),
        })
        .collect()
}

/// A path to something that is in the text: as many steps as there are choices, or as the text allows.
fn existing_path(text: &str, choices: &[Index]) -> Vec<Way> {
    let mut here = Json::parse(text).unwrap();
    let mut path = Vec::new();
    for choice in choices {
        let members = member_texts(here);
        let (way, next) = if let Some(count) = members.len().checked_sub(1) {
            let (name, _) = members[choice.index(count + 1)].clone();
            (Way::Member(name.clone()), here.members().find(|(key, _)| key.is(&name)).unwrap().1)
        } else if let Some(last) = here.elements().count().checked_sub(1) {
            let index = choice.index(last + 1);
            (Way::Element(index), here.elements().nth(index).unwrap())
        } else {
            break;
        };
        path.push(way);
        here = next;
    }
    path
}

fn at<'a>(text: &'a str, path: &[Way]) -> Option<Json<'a>> {
    path.iter().try_fold(Json::parse(text).unwrap(), |here, way| match way {
        Way::Member(name) => here.members().find(|(key, _)| key.is(name)).map(|(_, value)| value),
        Way::Element(index) => here.elements().nth(*index),
    })
}

/// Everything beside the path: at each level the exact texts of all other members or elements, in order.
fn beside(text: &str, path: &[Way]) -> Vec<Vec<(String, String)>> {
    let mut levels = Vec::new();
    for depth in 0..path.len() {
        let Some(container) = at(text, &path[..depth]) else { break };
        levels.push(match &path[depth] {
            Way::Member(name) => {
                member_texts(container).into_iter().filter(|(other, _)| other != name).collect()
            }
            Way::Element(index) => container
                .elements()
                .enumerate()
                .filter(|(other, _)| other != index)
                .map(|(_, value)| (String::new(), value.as_str().to_owned()))
                .collect(),
        });
    }
    levels
}

/// The bytes of `new` that differ from `old` stand in one place: the rest is a common start and a common end.
fn changed_bytes(old: &str, new: &str) -> (usize, usize) {
    let start = old.bytes().zip(new.bytes()).take_while(|(a, b)| a == b).count();
    let room = old.len().min(new.len()) - start;
    let end = old.bytes().rev().zip(new.bytes().rev()).take(room).take_while(|(a, b)| a == b).count();
    (old.len() - start - end, new.len() - start - end)
}

proptest! {
    #![proptest_config(config(300))]

    #[test]
    fn set_changes_one_value(text in any_object(), choices in vec(any::<Index>(), 1..5), new in value()) {
        let path = existing_path(&text, &choices);
        prop_assume!(!path.is_empty());
        let old = at(&text, &path).unwrap();
        let edited = edit::set(Json::parse(&text).unwrap(), &steps(&path), Json::parse(&new).unwrap()).unwrap();
        prop_assert_eq!(at(edited.as_str(), &path).unwrap().as_str(), new.as_str());
        prop_assert_eq!(beside(edited.as_str(), &path), beside(&text, &path));
        let (gone, came) = changed_bytes(&text, edited.as_str());
        prop_assert!(gone <= old.as_str().len() && came <= new.len());
        prop_assert_eq!(edited.as_str().len(), text.len() - old.as_str().len() + new.len());
        // Setting the old value again gives the old text.
        let back = edit::set(edited.as_json(), &steps(&path), old).unwrap();
        prop_assert_eq!(back.as_str(), text.as_str());
    }

    #[test]
    fn set_adds_one_member(
        text in any_object(),
        choices in vec(any::<Index>(), 0..4),
        names in vec(string(), 1..3),
        new in value(),
    ) {
        let mut path = existing_path(&text, &choices);
        while at(&text, &path).is_some_and(|here| !here.is_object()) {
            path.pop();
        }
        let first = meaning(&names[0]);
        prop_assume!(at(&text, &path).unwrap().members().all(|(key, _)| !key.is(&first)));
        path.extend(names.iter().map(|name| Way::Member(meaning(name))));
        let edited = edit::set(Json::parse(&text).unwrap(), &steps(&path), Json::parse(&new).unwrap()).unwrap();
        prop_assert_eq!(at(edited.as_str(), &path).unwrap().as_str(), new.as_str());
        prop_assert!(Json::parse(edited.as_str()).is_ok());
        let old_levels = beside(&text, &path);
        prop_assert_eq!(&beside(edited.as_str(), &path)[..old_levels.len()], old_levels.as_slice());
        prop_assert_eq!(changed_bytes(&text, edited.as_str()).0, 0, "nothing is taken away");
        // Removing it again gives the old members.
        let depth = path.len() - names.len() + 1;
        let back = edit::remove(edited.as_json(), &steps(&path[..depth])).unwrap();
        prop_assert_eq!(back.as_str(), text.as_str());
    }

    #[test]
    fn remove_takes_one_member(text in any_object(), choices in vec(any::<Index>(), 1..5)) {
        let path = existing_path(&text, &choices);
        prop_assume!(!path.is_empty());
        let edited = edit::remove(Json::parse(&text).unwrap(), &steps(&path)).unwrap();
        prop_assert!(Json::parse(edited.as_str()).is_ok());
        if let Some(Way::Member(name)) = path.last() {
            let parent = at(edited.as_str(), &path[..path.len() - 1]).unwrap();
            prop_assert_eq!(parent.get(name), Member::Absent);
        }
        prop_assert_eq!(beside_after_removal(edited.as_str(), &path), beside(&text, &path));
        prop_assert_eq!(changed_bytes(&text, edited.as_str()).1, 0, "nothing comes new");
    }

    #[test]
    fn messages_are_edited_as_if_read_again(
        sample in message(),
        choices in vec(any::<Index>(), 2..6),
        new in value(),
    ) {
        let old = parse(&sample.text);
        let path = existing_path(&sample.text, &choices);
        prop_assume!(path.len() > 1);
        let edited = edit::set_in(&old, &steps(&path), Json::parse(&new).unwrap()).unwrap();
        prop_assert_eq!(at(edited.text(), &path).unwrap().as_str(), new.as_str());
        prop_assert_eq!(beside(edited.text(), &path), beside(&sample.text, &path));
        prop_assert_eq!(&parse(edited.text()), &edited);
        let before = &sample.text[..sample.text.len() - sample.text.trim_start().len()];
        let after = &sample.text[sample.text.trim_end().len()..];
        prop_assert!(edited.text().starts_with(before) && edited.text().ends_with(after));

        let removed = edit::remove_in(&old, &steps(&path)).unwrap();
        prop_assert_eq!(&parse(removed.text()), &removed);
        prop_assert_eq!(beside_after_removal(removed.text(), &path), beside(&sample.text, &path));
    }
}

/// The same as [`beside`] for a text from which the last step of the path was removed.
fn beside_after_removal(text: &str, path: &[Way]) -> Vec<Vec<(String, String)>> {
    let (last, way) = path.split_last().unwrap();
    let mut levels = beside(text, way);
    let parent = at(text, way).unwrap();
    levels.push(match last {
        Way::Member(_) => member_texts(parent),
        Way::Element(_) => {
            parent.elements().map(|value| (String::new(), value.as_str().to_owned())).collect()
        }
    });
    levels
}
