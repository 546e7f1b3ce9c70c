//! Trust in servers is per project and lasts until a tool changes or the decision is revoked. Also
//! tests which processes listen.
use overt_layers::grants::{HolderClient, MemoryStore, TrustedServer};
use overt_policy::Trust;

use overt_testkit::person::{forgetting, trusting};

use super::probe::{Probe, trusted as tool};
use super::{process, two};
use overt_wire::Principal;

fn server(project: Option<&str>, trust: Trust) -> TrustedServer {
    TrustedServer {
        principal: Principal::local(),
        server: "notes#0a1b2c3d".to_owned(),
        project: project.map(str::to_owned),
        trust,
    }
}

#[test]
fn a_decision_about_a_server_is_for_one_project() {
    let (dir, time, one, other) = two();
    one.set_trust(&trusting(&tool(Some("/home/me/site"), "search", "as it was"), Trust::Changes)).unwrap();
    one.set_trust(&trusting(&tool(None, "search", "as it was"), Trust::Nothing)).unwrap();
    let level = |project| other.use_trusted(&tool(project, "search", "as it was"));
    assert_eq!(level(Some("/home/me/site")), Some(Trust::Changes));
    assert_eq!((level(None), level(Some("/home/me/api"))), (Some(Trust::Nothing), None));
    let all = [server(None, Trust::Nothing), server(Some("/home/me/site"), Trust::Changes)];
    assert_eq!(other.trusted().unwrap(), all);
    drop(one);
    assert_eq!(process(dir.path(), &time).trusted().unwrap(), all, "it outlives the process");
}

#[test]
fn a_decision_ends_for_a_tool_that_changes_until_it_is_made_about_the_tool() {
    let (_dir, _time, one, other) = two();
    let memory = MemoryStore::default();
    let stores: [(&dyn Probe, &dyn Probe); 2] = [(&one, &other), (&memory, &memory)];
    for (decides, looks) in stores {
        decides.set_trust(&tool(None, "search", "as it was"), Trust::Changes);
        let level = |name, digest| looks.use_trusted(&tool(None, name, digest));
        assert_eq!(level("search", "as it was"), Some(Trust::Changes));
        assert_eq!(level("search", "changed"), None);
        assert_eq!(level("fetch", "another tool"), None, "V-03: the person has not seen it");
        decides.set_trust(&tool(None, "", ""), Trust::Nothing);
        assert_eq!(level("search", "changed"), None, "the person decided, and has not seen the change");
        let covered = looks.covered(&tool(None, "", "").server).unwrap();
        assert_eq!((covered.len(), covered["search"].as_str()), (1, "as it was"));
        assert_eq!(looks.covered(&tool(Some("/elsewhere"), "", "").server), None);
        decides.set_trust(&tool(None, "search", "changed"), Trust::Changes);
        assert_eq!(level("search", "changed"), Some(Trust::Changes), "the person decided about the tool");
        assert_eq!(level("search", "as it was"), None);
    }
}

#[test]
fn a_decision_about_a_server_can_be_taken_back() {
    let (_dir, _time, one, other) = two();
    one.set_trust(&trusting(&tool(Some("/home/me/site"), "search", "as it was"), Trust::Changes)).unwrap();
    one.set_trust(&trusting(&tool(None, "", ""), Trust::Everything)).unwrap();
    assert!(other.forget_trust(&forgetting("notes#0a1b2c3d", Some("/home/me/site"))).unwrap());
    assert!(!other.forget_trust(&forgetting("notes#0a1b2c3d", Some("/home/me/site"))).unwrap());
    assert_eq!(one.trusted().unwrap(), [server(None, Trust::Everything)]);
    assert_eq!(one.use_trusted(&tool(Some("/home/me/site"), "search", "as it was")), None);
    one.set_trust(&trusting(&tool(Some("/home/me/site"), "", ""), Trust::Changes)).unwrap();
    let covered = one.covered(&tool(Some("/home/me/site"), "", "").server, &HolderClient::Any).unwrap();
    assert_eq!(covered.unwrap().len(), 0, "nothing of the decision before is left");
}

#[test]
fn somebody_watches_as_long_as_the_process_runs() {
    let (_dir, _time, one, other) = two();
    assert!(!one.has_listener().unwrap());
    other.listen().unwrap();
    other.listen().unwrap();
    assert!(one.has_listener().unwrap() && other.has_listener().unwrap());
    drop(other);
    assert!(!one.has_listener().unwrap());
}
