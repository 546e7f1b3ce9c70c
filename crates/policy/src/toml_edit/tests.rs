//! Files as people lay them out, changed and changed back.
use proptest::prelude::*;

use super::*;

const DENY: [&str; 3] = ["policy", "scopes", "deny"];

fn rule(id: &str) -> DenyRule {
    DenyRule {
        id: id.to_owned(),
        server: Some("git\"hub".to_owned()),
        tool: Some("delete_*".to_owned()),
        reason: "you said so".to_owned(),
    }
}

fn added(text: &str) -> String {
    add_to_list(text, &DENY, &["write:file:/a".to_owned()]).unwrap()
}

#[test]
fn a_list_is_made_where_there_is_none() {
    assert_eq!(added(""), "[policy.scopes]\ndeny = [\"write:file:/a\"]\n");
    assert_eq!(added("# mine"), "# mine\n\n[policy.scopes]\ndeny = [\"write:file:/a\"]\n");
    assert_eq!(
        added("[policy] # all\r\neffect = \"read\"\r\n"),
        "[policy] # all\r\nscopes.deny = [\"write:file:/a\"]\r\neffect = \"read\"\r\n"
    );
    assert_eq!(
        added("[policy.scopes]\nallow = [\"read\"]\n[settings]"),
        "[policy.scopes]\ndeny = [\"write:file:/a\"]\nallow = [\"read\"]\n[settings]"
    );
}

#[test]
fn a_list_grows_as_it_is_laid_out() {
    assert_eq!(added("[policy]\nscopes.deny = []\n"), "[policy]\nscopes.deny = [\"write:file:/a\"]\n");
    assert_eq!(
        added("[policy]\nscopes = { deny = [\"read\"] } # x\n"),
        "[policy]\nscopes = { deny = [\"read\", \"write:file:/a\"] } # x\n"
    );
    assert_eq!(
        added("[policy.scopes]\ndeny = [\n    \"read\", # why\n    \"write\",\n]\n"),
        "[policy.scopes]\ndeny = [\n    \"read\", # why\n    \"write\",\n    \"write:file:/a\",\n]\n"
    );
    let there = "policy.scopes.deny = [ 'write:file:/a' ]";
    assert_eq!(added(there), there, "it is there already");
}

#[test]
fn layouts_that_would_be_broken_are_refused() {
    for text in ["policy = { effect = \"read\" }\n", "[policy]\nscopes = { allow = [] }\n", "policy = 1\n"] {
        assert_eq!(add_to_list(text, &DENY, &["read".to_owned()]), Err(EditError::Layout), "{text}");
    }
    assert!(matches!(add_to_list("x = ", &DENY, &["read".to_owned()]), Err(EditError::Unreadable(_))));
    assert_eq!(add_rule("rules = []\n", &rule("a")), Err(EditError::Layout));
    let in_text = "x = '''\n[policy]\n'''\n";
    assert!(add_to_list(in_text, &DENY, &["read".to_owned()]).is_err(), "a header inside of a text is none");
}

#[test]
fn rules_are_added_at_the_end_and_cut_out_again() {
    let mine = "# mine\n[[rules]]\nid = \"x\"\naction = \"deny\"\nwhen = {}\n\n# the last\n[settings]\naudit = \"off\"\n";
    let one = add_rule(mine, &rule("a")).unwrap();
    assert!(one.starts_with(mine), "{one}");
    let expected = "\n[[rules]]\nid = \"a\"\naction = \"deny\"\nwhen = { server = \"git\\\"hub\", tool = \"delete_*\" }\nreason = \"you said so\"\n";
    assert_eq!(&one[mine.len()..], expected);
    let two = add_rule(&one, &rule("b")).unwrap();
    assert_eq!(add_rule(&two, &rule("b")).unwrap(), two);
    assert_eq!(remove_rule(&two, "b").unwrap().as_deref(), Some(one.as_str()));
    let without = remove_rule(&two, "a").unwrap().unwrap();
    assert_eq!(remove_rule(&without, "b").unwrap().as_deref(), Some(mine));
    assert_eq!(remove_rule(mine, "a").unwrap(), None);
    assert_eq!(
        remove_rule(mine, "x").unwrap().as_deref(),
        Some("# mine\n\n# the last\n[settings]\naudit = \"off\"\n")
    );
}

#[test]
fn what_is_removed_leaves_the_rest_as_it_was() {
    let remove = |text: &str| remove_from_list(text, &DENY, &["write:file:/a".to_owned()]);
    assert_eq!(remove("[policy]\n").unwrap(), None);
    for (with, without) in [
        ("deny = [\"write:file:/a\"]\n", "deny = []\n"),
        ("deny = [ \"write:file:/a\", ]\n", "deny = [  ]\n"),
        ("deny = [\"write:file:/a\", \"read\"] # x\n", "deny = [\"read\"] # x\n"),
        ("deny = [\"read\", \"write:file:/a\"]\n", "deny = [\"read\"]\n"),
        ("deny = [\n  \"read\",\n  \"write:file:/a\",\n]\n", "deny = [\n  \"read\",\n]\n"),
    ] {
        let text = |lines: &str| format!("[policy.scopes]\n{lines}");
        assert_eq!(remove(&text(with)).unwrap(), Some(text(without)), "{with}");
    }
    let commented = "[policy.scopes]\ndeny = [\"read\", # keep\n\"write:file:/a\"]\n";
    assert_eq!(remove(commented), Err(EditError::Layout), "a comment would be lost");
}

proptest! {
    #[test]
    fn whatever_is_added_can_be_removed_and_the_bytes_are_the_same(
        before in prop::sample::select(vec![
            "", "# c\n", "[policy.scopes]\ndeny = []\n", "[policy.scopes]\r\ndeny = [\r\n  'x',\r\n]\r\n",
            "[policy]\nscopes.deny = [\"x\", 'y']\n[[rules]]\nid = 'z'\naction = 'deny'\nwhen = {}\n",
        ]),
        texts in prop::collection::btree_set("[ -~\u{7f}é\\n\"\\\\]{1,12}", 1..4),
        id in "[ -~é\"\\\\]{1,12}",
    ) {
        let texts: Vec<String> = texts.into_iter().collect();
        let with = add_to_list(before, &DENY, &texts).unwrap();
        let without = remove_from_list(&with, &DENY, &texts).unwrap().unwrap();
        if before.contains("deny = [") && !before.contains("deny = []") {
            prop_assert_eq!(&without, before);
        }
        let with = add_rule(before, &rule(&id)).unwrap();
        if !before.is_empty() {
            prop_assert_eq!(remove_rule(&with, &id).unwrap().unwrap(), before);
        }
    }
}
