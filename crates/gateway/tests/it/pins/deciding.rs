//! Decisions of a person, with which tests write records.
use overt_gateway::pins::{DecidePins, Decision, ForgetPins, Identity};
use overt_layers::person::Authorised;
use overt_testkit::person::authorised;

pub(super) fn deciding(identity: &Identity) -> Authorised<DecidePins> {
    let (identity, server) = (identity.clone(), identity.text());
    authorised(DecidePins { identity, server, decision: Decision::Accept, tools: Vec::new() })
}

pub(super) fn forgetting() -> Authorised<ForgetPins> {
    authorised(ForgetPins { server: "server".to_owned() })
}
