//! Paths into a text, and everything beside them. The fuzz targets use this file too.
use overt_wire::edit::Step;
use overt_wire::json::{Json, Key};

/// One step of a path, with an owned name.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Way {
    Member(String),
    Element(usize),
}

pub(super) fn steps(path: &[Way]) -> Vec<Step<'_>> {
    path.iter()
        .map(|way| match way {
            Way::Member(name) => Step::Member(name),
            Way::Element(index) => Step::Element(*index),
        })
        .collect()
}

/// Returns the path to a value in the text. The path has one step per choice, or ends early at a
/// scalar or an empty container.
pub(super) fn existing_path(text: &str, choices: &[usize]) -> Vec<Way> {
    let mut here = Json::parse(text).unwrap();
    let mut path = Vec::new();
    for choice in choices {
        let (members, elements) = (here.members().count(), here.elements().count());
        if members > 0 {
            let (key, value) = here.members().nth(choice % members).unwrap();
            path.push(Way::Member(key.name().into_owned()));
            here = value;
        } else if elements > 0 {
            path.push(Way::Element(choice % elements));
            here = here.elements().nth(choice % elements).unwrap();
        } else {
            break;
        }
    }
    path
}

pub(super) fn at<'a>(text: &'a str, path: &[Way]) -> Option<Json<'a>> {
    path.iter().try_fold(Json::parse(text).unwrap(), |here, way| match way {
        Way::Member(name) => here.members().find(|(key, _)| key.is(name)).map(|(_, value)| value),
        Way::Element(index) => here.elements().nth(*index),
    })
}

/// Returns everything beside the path: at each level the exact texts of all other members or
/// elements, in order.
pub(super) fn beside(text: &str, path: &[Way]) -> Vec<Vec<String>> {
    let containers = (0..path.len()).map_while(|depth| Some((at(text, &path[..depth])?, &path[depth])));
    containers.map(|(container, way)| all_but(container, Some(way))).collect()
}

/// Returns everything beside the path in a text from which the path's last step was removed.
pub(super) fn beside_after_removal(text: &str, path: &[Way]) -> Vec<Vec<String>> {
    let (_, way) = path.split_last().unwrap();
    let mut levels = beside(text, way);
    levels.push(all_but(at(text, way).unwrap(), None));
    levels
}

fn all_but(container: Json<'_>, left_out: Option<&Way>) -> Vec<String> {
    let is_other_name = |key: &Key<'_>| !matches!(left_out, Some(Way::Member(name)) if key.is(name));
    let is_other_index = |index: &usize| !matches!(left_out, Some(Way::Element(at)) if at == index);
    let members = container.members().filter(|(key, _)| is_other_name(key));
    let elements = container.elements().enumerate().filter(|(index, _)| is_other_index(index));
    // The `Debug` form of a key is its exact spelling.
    let members = members.map(|(key, value)| format!("{key:?}:{value}"));
    members.chain(elements.map(|(_, value)| value.to_string())).collect()
}

/// Counts the bytes between the common start and the common end of both texts, in `old` and in
/// `new`.
pub(super) fn changed_bytes(old: &str, new: &str) -> (usize, usize) {
    let start = old.bytes().zip(new.bytes()).take_while(|(a, b)| a == b).count();
    let room = old.len().min(new.len()) - start;
    let end = old.bytes().rev().zip(new.bytes().rev()).take(room).take_while(|(a, b)| a == b).count();
    (old.len() - start - end, new.len() - start - end)
}
