//! An edit sets the new value and changes nothing else.
use overt_wire::edit;
use overt_wire::json::{Json, Member};
use proptest::collection::vec;
use proptest::prelude::*;

use super::generate::{any_object, config, meaning, string, value};
use super::messages::{message, parse};
use super::paths::{Way, at, beside, beside_after_removal, changed_bytes, existing_path, steps};

proptest! {
    #![proptest_config(config(300))]

    #[test]
    fn set_changes_one_value(text in any_object(), choices in vec(any::<usize>(), 1..5), new in value()) {
        let path = existing_path(&text, &choices);
        prop_assume!(!path.is_empty());
        let old = at(&text, &path).unwrap();
        let edited = edit::set(Json::parse(&text).unwrap(), &steps(&path), Json::parse(&new).unwrap()).unwrap();
        prop_assert_eq!(at(edited.as_str(), &path).unwrap().as_str(), new.as_str());
        prop_assert_eq!(beside(edited.as_str(), &path), beside(&text, &path));
        let (gone, came) = changed_bytes(&text, edited.as_str());
        prop_assert!(gone <= old.as_str().len() && came <= new.len());
        prop_assert_eq!(edited.as_str().len(), text.len() - old.as_str().len() + new.len());
        // Setting the old value again restores the old text.
        let back = edit::set(edited.as_json(), &steps(&path), old).unwrap();
        prop_assert_eq!(back.as_str(), text.as_str());
    }

    #[test]
    fn set_adds_one_member(
        text in any_object(),
        choices in vec(any::<usize>(), 0..4),
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
        // Removing the new member restores the old text.
        let depth = path.len() - names.len() + 1;
        let back = edit::remove(edited.as_json(), &steps(&path[..depth])).unwrap();
        prop_assert_eq!(back.as_str(), text.as_str());
    }

    #[test]
    fn remove_takes_one_member(text in any_object(), choices in vec(any::<usize>(), 1..5)) {
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
        choices in vec(any::<usize>(), 2..6),
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
