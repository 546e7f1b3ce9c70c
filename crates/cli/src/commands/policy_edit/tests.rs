//! What `forbid` and `permit` write can be read, and taken back.
use overt_settings::config::Config;

use crate::settings::{OfFiles, Table as _};
use overt_operator::policy_edit::{PolicyChange, Subject, added, removal_of_forbidden, removed, rule};

const FORBID: PolicyChange = PolicyChange::Forbid { changes_only: false };
const PERMIT: PolicyChange = PolicyChange::Permit { reading_only: false };

#[test]
fn a_rule_says_how_it_is_removed() {
    for (subject, command) in [
        (Subject::Server("git".into()), "overt forbid git --as server --remove"),
        (
            Subject::Tool { name: "delete_*".into(), server: None },
            "overt forbid 'delete_*' --as tool --remove",
        ),
        (
            Subject::Tool { name: "push".into(), server: Some("git".into()) },
            "overt forbid push --server git --remove",
        ),
    ] {
        let rule = rule(&subject).unwrap();
        assert_eq!(removal_of_forbidden(&rule.id).as_deref(), Some(command));
    }
    assert_eq!(removal_of_forbidden("no-deletes"), None);
}

fn subjects() -> Vec<Subject> {
    let (name, server) = ("delete_repo".to_owned(), "github".to_owned());
    vec![
        Subject::Tool { name: name.clone(), server: None },
        Subject::Tool { name, server: Some(server.clone()) },
        Subject::Server(server),
        Subject::Path("/home/ada/.ssh".to_owned()),
    ]
}

#[test]
fn what_is_written_can_be_read_and_taken_back() {
    for change in [FORBID, PolicyChange::Forbid { changes_only: true }, PERMIT] {
        for subject in subjects() {
            if change == PERMIT && matches!(subject, Subject::Tool { server: None, .. }) {
                continue;
            }
            let before =
                "# mine\n[settings]\nallow = [\"read\"]\n\n[policy.scopes]\ndeny = [\"write:mail\"]\n";
            let with = added(before, change, &subject).unwrap();
            assert_ne!(with, before);
            assert_eq!(added(&with, change, &subject).unwrap(), with, "twice is once");
            Config::parse(&with, "x", &OfFiles::declared()).unwrap();
            assert_eq!(removed(&with, change, &subject).unwrap().as_deref(), Some(before), "{with}");
            assert_eq!(removed(before, change, &subject).unwrap(), None);
        }
    }
}

/// Removing the permissions removes a list that Overt added. A list of the user's own stays.
#[test]
fn nothing_is_left_of_what_was_permitted_and_removed() {
    let path = Subject::Path("/srv/a".to_owned());
    let server = Subject::Server("git".to_owned());
    for before in [
        "",
        "# mine\n[settings]\npin = \"warn\"\n",
        "[settings]\nallow = []\n",
        "[settings]\nallow = [\"read\"]\n",
    ] {
        for change in [PERMIT, FORBID] {
            let one = added(before, change, &path).unwrap();
            let both = added(&one, change, &server).unwrap();
            let less = removed(&both, change, &server).unwrap().unwrap();
            assert_eq!(less, one);
            assert_eq!(removed(&less, change, &path).unwrap().as_deref(), Some(before), "{one}");
        }
    }
    let own = "[settings]\nallow = [\"write:file:/srv/b\"]\n";
    let with = added(own, PERMIT, &path).unwrap();
    assert!(!with.contains("\"read\""), "a list that does not allow reading goes on so: {with}");
}

#[test]
fn a_path_is_forbidden_whole_unless_changes_alone_are_meant() {
    let path = Subject::Path("/srv/a".to_owned());
    let all = added("", FORBID, &path).unwrap();
    assert_eq!(
        all,
        "[policy.scopes]\ndeny = [\"read:file:/srv/a\", \"write:file:/srv/a\", \"execute:file:/srv/a\"]\n"
    );
    let changes = added("", PolicyChange::Forbid { changes_only: true }, &path).unwrap();
    assert_eq!(changes, "[policy.scopes]\ndeny = [\"write:file:/srv/a\", \"execute:file:/srv/a\"]\n");
}
