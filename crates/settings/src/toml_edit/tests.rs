//! Edits files in typical layouts, and reverts the edits.
use proptest::prelude::*;
use serde_json::json;

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
    add_to_list(text, &DENY, &items(&["write:file:/a"])).unwrap()
}

fn items(texts: &[&str]) -> Vec<ListItem> {
    texts.iter().map(|&text| ListItem::from(text.to_owned())).collect()
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
fn an_empty_list_goes_with_its_table_if_that_has_nothing_else() {
    let removed = |text: &str| remove_empty_list(text, &DENY).unwrap();
    for before in ["", "# mine\n", "[settings]\npin = \"warn\"\n", "[policy]\neffect = \"read\"\n"] {
        let with = added(before);
        let emptied = remove_from_list(&with, &DENY, &["write:file:/a".to_owned()]).unwrap().unwrap();
        assert_eq!(removed(&emptied), before, "{emptied}");
    }
    for stays in [
        "[policy.scopes]\ndeny = [\"read\"]\n",
        "[policy.scopes]\ndeny = [] # why\n",
        "[policy]\nscopes = { deny = [] }\n",
        "[settings]\n",
    ] {
        assert_eq!(removed(stays), stays);
    }
    assert_eq!(removed("[policy.scopes]\n# why\ndeny = []\n"), "[policy.scopes]\n# why\n");
    assert_eq!(removed("[a]\nb = 1\n\n[policy.scopes]\ndeny = []\n\n[c]\n"), "[a]\nb = 1\n\n[c]\n");
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
    assert_eq!(
        added("[policy.scopes]\ndeny = [\n\t\"read\" # a, b\n  ]\n"),
        "[policy.scopes]\ndeny = [\n\t\"read\", # a, b\n\t\"write:file:/a\"\n  ]\n"
    );
    assert_eq!(
        added("[policy.scopes]\ndeny = [\"read\", ]\n"),
        "[policy.scopes]\ndeny = [\"read\", \"write:file:/a\" ]\n"
    );
    let there = "policy.scopes.deny = [ 'write:file:/a' ]";
    assert_eq!(added(there), there, "it is there already");
}

#[test]
fn layouts_that_would_be_broken_are_refused() {
    for text in ["policy = { effect = \"read\" }\n", "[policy]\nscopes = { allow = [] }\n", "policy = 1\n"] {
        assert_eq!(add_to_list(text, &DENY, &items(&["read"])), Err(EditError::Layout), "{text}");
    }
    assert!(matches!(add_to_list("x = ", &DENY, &items(&["read"])), Err(EditError::Unreadable(_))));
    assert_eq!(add_rule("rules = []\n", &rule("a")), Err(EditError::Layout));
    let in_text = "x = '''\n[policy]\n'''\n";
    assert!(add_to_list(in_text, &DENY, &items(&["read"])).is_err(), "a header inside of a text is none");
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
        ("deny = [\n  \"read\", # a\n  \"write:file:/a\", # b\n]\n", "deny = [\n  \"read\", # a\n]\n"),
    ] {
        let text = |lines: &str| format!("[policy.scopes]\n{lines}");
        assert_eq!(remove(&text(with)).unwrap(), Some(text(without)), "{with}");
    }
    let commented = "[policy.scopes]\ndeny = [\"read\", # keep\n\"write:file:/a\"]\n";
    assert_eq!(remove(commented), Err(EditError::Layout), "a comment would be lost");
}

#[test]
fn a_comment_says_what_an_item_rests_on() {
    let item = ListItem { text: "read".to_owned(), comment: Some("3 calls".to_owned()) };
    let added = |text: &str| add_to_list(text, &DENY, std::slice::from_ref(&item)).unwrap();
    assert_eq!(added(""), "[policy.scopes]\ndeny = [\n  \"read\", # 3 calls\n]\n");
    assert_eq!(
        added("[policy.scopes]\ndeny = ['x']\n"),
        "[policy.scopes]\ndeny = ['x',\n  \"read\", # 3 calls\n]\n"
    );
}

#[test]
fn a_text_is_replaced_where_it_is() {
    let text = "[[servers.'a b']] # one\ntrust = 'record' # why\n[[servers.'a b']]\ntrust = \"changes\"\n";
    let set = |index| set_text(text, &["servers", "a b", index, "trust"], "every\"thing");
    assert_eq!(set("0").unwrap(), text.replace("'record'", "\"every\\\"thing\""));
    assert_eq!(set("1").unwrap(), text.replace("\"changes\"", "\"every\\\"thing\""));
    assert_eq!(set("2"), Err(EditError::Layout));
    assert_eq!(set_text(text, &["servers"], "x"), Err(EditError::Layout), "a table is not a text");
}

#[test]
fn a_table_is_appended_once() {
    let members = [("trust", json!("record")), ("command", json!(["npx", "a \"b\""]))];
    let once = append_table("# mine", &["servers", "a b"], &members).unwrap();
    assert_eq!(
        once,
        "# mine\n\n[[servers.\"a b\"]]\ntrust = \"record\"\ncommand = [\"npx\", \"a \\\"b\\\"\"]\n"
    );
    assert_eq!(append_table(&once, &["servers", "a b"], &members).unwrap(), once);
    let single = "[servers.a]\ntrust = 'record'\n";
    assert_eq!(append_table(single, &["servers", "a"], &members), Err(EditError::Layout));
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
        // What was there before is not added, but it is removed.
        prop_assume!(!["x", "y"].iter().any(|known| texts.contains(*known)));
        let texts: Vec<String> = texts.into_iter().collect();
        let items: Vec<ListItem> = texts.iter().cloned().map(ListItem::from).collect();
        let with = add_to_list(before, &DENY, &items).unwrap();
        let without = remove_from_list(&with, &DENY, &texts).unwrap().unwrap();
        if before.contains("deny = [") && !before.contains("deny = []") {
            prop_assert_eq!(&without, before);
        }
        let with = add_rule(before, &rule(&id)).unwrap();
        let is_new = with != before;
        if is_new && !before.is_empty() {
            prop_assert_eq!(remove_rule(&with, &id).unwrap().unwrap(), before);
        }
    }
}
