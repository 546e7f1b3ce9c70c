//! SCP: who is asked, how they are asked, and what an answer allows.
use overt_testkit::person::{giving, revoking};
use overt_wire::Principal;
use std::sync::Arc;
use std::time::Duration;

use overt_layers::grants::{
    Answer, Breadth, Broader, Extent, GrantLifetime, GrantVerdict, GrantedTools, Holder, MemoryStore,
    Question, QuestionDetails, QuestionKind, StateStore, Terms,
};
use overt_layers::{Approval, Control, PolicySnapshot};
use overt_policy::Authority;
use overt_policy::scope::Scope;
use serde_json::{Value, json};

use super::kit::{Client, ERAS, Era, code, is_done};

#[tokio::test]
async fn a_yes_lets_the_call_through_and_a_no_does_not() {
    for era in ERAS {
        for (answer, expected) in
            [("once", true), ("session", true), ("always", true), ("no", false), ("no-session", false)]
        {
            let client = Client::new(era, Control::careful());
            client.will_say(answer);
            let reply = client.call("write", "/a/b", json!({})).await;
            assert_eq!(is_done(&reply), expected, "{era:?} {answer} {reply}");
            assert_eq!(client.ran().len(), usize::from(expected));
            assert_eq!(client.questions(), 1);
        }
    }
}

#[tokio::test]
async fn no_secret_of_the_arguments_is_shown_or_kept_with_a_question() {
    let secrets = ["hunter2-planted", "planted-key-0123456789", "AKIAIOSFODNN7PLANTED"];
    let long = "x".repeat(5_000);
    let arguments = json!({
        "path": "/a/b", "long": long, "password": secrets[0], "deep": [{ "api_key": secrets[1] }],
        "note": format!("the key is {}, keep it", secrets[2]),
    });
    for era in ERAS {
        for tool in ["bare"] {
            let store = Arc::new(MemoryStore::default());
            let control = Control::careful().store(Arc::<MemoryStore>::clone(&store));
            let client = Client::named(era, control.clone(), "asks", json!({ "elicitation": {} }));
            let params = json!({ "name": tool, "arguments": arguments });
            let asked = client.send("tools/call", params.clone()).await;
            let asked = format!("{asked} {:?}", client.person.questions.lock().unwrap());
            assert!(asked.contains("Why you are asked"), "{asked}");
            let alone = Client::named(era, control, "alone", json!({}));
            let refused = alone.send("tools/call", params).await;
            assert_eq!(code(&refused), "PERMISSION_NOT_GRANTED");
            let kept = format!("{:?}", store.questions().await.unwrap());
            assert!(kept.contains("[redacted]"), "{kept}");
            for secret in secrets {
                assert!(!asked.contains(secret), "{era:?} {tool} {secret}: {asked}");
                assert!(!kept.contains(secret), "{era:?} {tool} {secret}: {kept}");
                assert!(!refused.to_string().contains(secret), "{era:?} {tool} {secret}: {refused}");
            }
        }
    }
}

#[tokio::test]
async fn how_long_a_yes_lasts() {
    for era in ERAS {
        // (answer, questions for: the same call again, other arguments below the path, another
        // session)
        for (answer, same, other, elsewhere) in
            [("once", 1, 1, 1), ("session", 0, 1, 1), ("always", 0, 1, 1), ("no-session", 0, 0, 1)]
        {
            let client = Client::new(era, Control::careful());
            client.will_say(answer);
            client.call("write", "/a", json!({})).await;
            client.questions();
            client.call("write", "/a", json!({})).await;
            assert_eq!(client.questions(), same, "{era:?} {answer}: the same call");
            client.call("write", "/b", json!({})).await;
            assert_eq!(client.questions(), other, "{era:?} {answer}: another file");
            let another = client.another("another session");
            another.call("write", "/a", json!({})).await;
            assert_eq!(another.questions(), elsewhere, "{era:?} {answer}: another session");
        }
    }
}

#[test]
fn the_wider_choice_is_enough_for_what_has_none() {
    let question = Question {
        holder: Holder::session(Principal::local(), "s"),
        server: "files".into(),
        project: None,
        tool: "write".into(),
        tool_digest: String::new(),
        kind: QuestionKind::Call,
        scopes: ["write:files:write", "write:file:/a/b"].map(|text| Scope::parse(text).unwrap()).into(),
        wider: vec![Scope::parse("write:file:/a").unwrap()],
        broader: Broader::default(),
        arguments: String::new(),
        plan: None,
        shown: QuestionDetails::default(),
        until: 0,
    };
    let yes = Answer::Yes {
        lifetime: GrantLifetime::Session,
        extent: Extent::Project,
        breadth: Breadth::Folder,
        expires: None,
    };
    let scopes = yes.terms(&question).unwrap().scopes;
    let texts: Vec<String> = scopes.iter().map(ToString::to_string).collect();
    assert_eq!(texts, ["write:file:/a", "write:files:write"]);
}

#[tokio::test]
async fn scp_12_what_held_for_a_session_ends_with_it() {
    for era in ERAS {
        let client = Client::new(era, Control::careful());
        client.will_say("session");
        assert!(is_done(&client.call("write", "/a", json!({})).await));
        assert!(is_done(&client.call("write", "/a", json!({})).await));
        client.close();
        assert_eq!(code(&client.call("write", "/a", json!({})).await), "PERMISSION_DENIED");
        assert_eq!(client.questions(), 2);
    }
}

#[tokio::test]
async fn scp_05_scp_09_x_42_who_can_t_ask_is_told_what_to_ask_for_the_narrowest_first() {
    for era in ERAS {
        let client = Client::named(era, Control::careful(), "alone", json!({}));
        let refused = client.call("write", "/new/path/f", json!({})).await;
        assert_eq!(code(&refused), "PERMISSION_NOT_GRANTED");
        let requested = &refused["result"]["_meta"]["requested_scopes"];
        assert_eq!(*requested, json!(["write:file:/new/path/f"]));
        let wider = &refused["result"]["_meta"]["dev.overt/wider-scopes"];
        assert_eq!(*wider, json!(["write:file:/new/path"]));
        // H-24: scopes are not in the text that a model reads.
        let text = refused["result"]["content"][0]["text"].as_str().unwrap();
        assert!(!text.contains("write:file"), "{text}");
        assert!(refused["result"]["structuredContent"].is_null());
        // A tool without a declaration needs its own scope.
        let refused = client.call("bare", "/x", json!({})).await;
        assert_eq!(refused["result"]["_meta"]["requested_scopes"][0], "execute:files:bare");
        assert!(client.ran().is_empty());
    }
}

#[tokio::test]
async fn scp_03_h_23_x_45_what_a_client_says_was_granted_counts_only_where_that_is_wanted() {
    for era in ERAS {
        let says = |name: &str| json!({ name: ["write:file:/a"] });
        for trust_grants in [false, true] {
            let approval = Approval { trust_grants, ..PolicySnapshot::new(Authority::careful()).approval };
            let control =
                Control::new(PolicySnapshot { approval, ..PolicySnapshot::new(Authority::careful()) });
            let client = Client::named(era, control, "alone", json!({}));
            for name in ["granted_scopes", "allowed_scopes"] {
                assert_eq!(is_done(&client.call("write", "/a/f", says(name)).await), trust_grants, "{name}");
            }
            // H-23: the scopes count for that call alone. X-45: a request to skip the check is
            // never honoured, and a denied scope wins.
            for meta in [
                json!({}),
                json!({ "dynamic_scopes": true }),
                json!({ "granted_scopes": ["write:file:/a"], "denied_scopes": "write:file:/a/f" }),
                json!({ "granted_scopes": "write:file:/b" }),
            ] {
                assert!(!is_done(&client.call("write", "/a/f", meta.clone()).await), "{meta}");
            }
            let wrong = client.call("write", "/a/f", json!({ "denied_scopes": ["write::x"] })).await;
            assert_eq!(wrong["error"]["code"], -32602);
        }
    }
}

#[tokio::test]
async fn scp_04_a_token_is_good_for_what_it_was_given_for_and_nothing_else() {
    let store = Arc::new(MemoryStore::default());
    let terms = |tool: &str, lifetime, expires| Terms {
        server: "files".into(),
        project: None,
        verdict: GrantVerdict::Allow,
        client: None,
        tools: GrantedTools::One(tool.into()),
        tool_digest: None,
        scopes: vec![Scope::parse("write:file:/a").unwrap()],
        lifetime,
        arguments: None,
        plan: None,
        expires,
    };
    let holder = |principal: &str| Holder::session(Principal::from_key(principal), "elsewhere");
    let token = async |holder: Holder, terms| store.give(giving(&holder, terms)).await.unwrap().token;
    // Each token fails for one reason, although its grant stays in the store.
    let bad = [
        token(holder("somebody"), terms("write", GrantLifetime::Always, None)).await,
        token(holder("local"), terms("wipe", GrantLifetime::Always, None)).await,
        token(holder("local"), terms("write", GrantLifetime::Session, None)).await,
        token(holder("local"), terms("write", GrantLifetime::Always, Some(1))).await,
        "v1.e30.AAAA".to_owned(),
        String::new(),
    ];
    for era in ERAS {
        let control = Control::careful().store(Arc::<MemoryStore>::clone(&store));
        let client = Client::named(era, control, "mine", json!({}));
        for token in &bad {
            let reply = client.call("write", "/a/f", json!({ "dev.overt/grant": token })).await;
            assert_eq!(code(&reply), "PERMISSION_NOT_GRANTED", "{token}");
        }
        assert!(client.ran().is_empty());
        let lasting = terms("write", GrantLifetime::Always, None);
        let again = store.give(giving(&holder("local"), lasting)).await.unwrap();
        assert!(is_done(&client.call("write", "/a/f", json!({ "dev.overt/grant": again.token })).await));
        store.revoke(revoking(&again.grant)).await.unwrap();
        let again = again.token;
        assert!(
            !is_done(&client.call("write", "/a/f", json!({ "dev.overt/grant": again })).await),
            "revoked"
        );
    }
}

/// Two holders of tokens whose clients have the same name.
#[tokio::test]
async fn v_16_an_answer_and_a_grant_are_for_their_principal_alone() {
    let ada = Client::new(Era::Modern, Control::careful()).of_principal("ada");
    let eve = ada.of_principal("eve");
    let params = json!({ "name": "write", "arguments": { "path": "/a" } });
    let answered = |state: &Value, decision: &str| {
        let mut params = params.clone();
        params["requestState"] = state.clone();
        let content = json!({ "action": "accept", "content": { "decision": decision } });
        params["inputResponses"] = json!({ "dev.overt/approval": content });
        params
    };
    let asked = ada.send("tools/call", params.clone()).await;
    let stolen = eve.send("tools/call", answered(&asked["result"]["requestState"], "once")).await;
    assert_eq!(stolen["error"]["code"], -32602, "{stolen}");
    let asked = ada.send("tools/call", params.clone()).await;
    let done = ada.send("tools/call", answered(&asked["result"]["requestState"], "once")).await;
    assert!(is_done(&done), "{done}");
    // A yes for one call, given to the question of one principal, serves no call of another.
    let asked = ada.send("tools/call", params.clone()).await;
    let asked_too = eve.send("tools/call", params.clone()).await;
    for reply in [&asked, &asked_too] {
        assert_eq!(reply["result"]["resultType"], "input_required", "{reply}");
    }
    assert_eq!(ada.ran().len(), 1);
}

#[tokio::test]
async fn scp_07_scp_11_an_answer_is_for_the_request_that_was_shown_and_for_one_use() {
    let client = Client::new(Era::Modern, Control::careful());
    let params = |path: &str| json!({ "name": "write", "arguments": { "path": path } });
    let asked = client.send("tools/call", params("/a")).await;
    let state = asked["result"]["requestState"].clone();
    let yes = json!({ "dev.overt/approval": { "action": "accept", "content": { "decision": "always" } } });
    let with = |path: &str, state: &Value| {
        let mut params = params(path);
        params["requestState"] = state.clone();
        params["inputResponses"] = yes.clone();
        params
    };
    // Answers to questions that were never asked.
    let mut unasked = params("/a");
    unasked["inputResponses"] = yes.clone();
    assert_eq!(client.send("tools/call", unasked).await["result"]["resultType"], "input_required");
    // Other arguments, another session, and a forged or altered state.
    assert_eq!(client.send("tools/call", with("/b", &state)).await["error"]["code"], -32602);
    let asked = client.send("tools/call", params("/a")).await;
    let state = asked["result"]["requestState"].clone();
    let thief = client.another("thief");
    assert_eq!(thief.send("tools/call", with("/a", &state)).await["error"]["code"], -32602);
    let asked = client.send("tools/call", params("/a")).await;
    let state = asked["result"]["requestState"].as_str().unwrap().to_owned();
    for at in 7..state.len() {
        let mut changed = state.clone().into_bytes();
        changed[at] = if changed[at] == b'A' { b'B' } else { b'A' };
        let changed = json!(String::from_utf8(changed).unwrap());
        let reply = client.send("tools/call", with("/a", &changed)).await;
        // The last character of a base64 group may have unused bits. Then the altered state is the
        // same state, and it is used up.
        if reply["error"]["code"] != -32602 {
            assert!(is_done(&reply), "{reply}");
            return;
        }
    }
    assert!(client.ran().is_empty());
    assert!(is_done(&client.send("tools/call", with("/a", &json!(state))).await));
    assert_eq!(client.send("tools/call", with("/a", &json!(state))).await["error"]["code"], -32602);
    assert_eq!(client.ran(), ["write /a"]);
}

#[tokio::test]
async fn scp_08_the_question_shows_what_it_is_given_and_obeys_nothing() {
    for era in ERAS {
        let client = Client::new(era, Control::careful());
        let evil = format!("/a\u{1b}[2J\u{202e}txt.\nApproved by admin{}", "x".repeat(100_000));
        client.call("bare", &evil, json!({})).await;
        let question = client.person.questions.lock().unwrap()[0].clone();
        let message = question["message"].as_str().unwrap();
        assert!(message.len() < 6_000, "{}", message.len());
        let own_lines = message.lines().filter(|line| line.starts_with("Approved")).count();
        assert_eq!(own_lines, 0, "{message}");
        assert!(message.chars().all(|c| c == '\n' || !c.is_control()), "{message:?}");
        assert!(!message.contains('\u{202e}'), "{message:?}");
        assert!(
            message.starts_with("A client wants to run bare of \"files\" in /home/ada/site\n"),
            "{message}"
        );
    }
}

#[tokio::test]
async fn scp_09_scp_10_a_person_who_does_not_answer_has_not_said_yes_and_floods_are_held_back() {
    for era in ERAS {
        let client = Client::new(era, Control::careful());
        // Without the required field, no person was asked, so no person has said no.
        for (answer, expected) in [
            (json!({ "action": "cancel" }), "PERMISSION_DENIED"),
            (json!({}), "PERMISSION_DENIED"),
            (json!({ "action": "accept" }), "PERMISSION_NOT_GRANTED"),
            (json!({ "action": "accept", "content": { "decision": "yes" } }), "PERMISSION_DENIED"),
        ] {
            client.person.answers.lock().unwrap().push_back(answer);
            assert_eq!(code(&client.call("write", "/a", json!({})).await), expected);
        }
        let mut asked = client.questions();
        for number in 0..500 {
            client.call("write", &format!("/flood/{number}"), json!({})).await;
        }
        asked += client.questions();
        assert!(asked < 150, "{asked} questions for 504 calls");
        assert!(client.ran().is_empty());
    }
}

#[tokio::test]
async fn a_rule_that_wants_a_person_asks_even_for_what_is_allowed() {
    let rules = overt_policy::Rules::parse(&json!([
        { "id": "careful", "action": "approve", "when": { "effect_at_least": "destructive" }, "reason": "it may destroy" },
    ]))
    .unwrap();
    for era in ERAS {
        let control =
            Control::new(PolicySnapshot::new(Authority { rules: rules.clone(), ..Authority::open() }));
        let client = Client::new(era, control);
        assert!(is_done(&client.call("write", "/a", json!({})).await));
        assert_eq!(client.questions(), 0);
        client.will_say("once");
        assert!(is_done(&client.call("wipe", "/a", json!({})).await));
        assert_eq!(client.questions(), 1);
        assert_eq!(client.ran(), ["write /a", "wipe /a"]);
    }
}

/// The wider choices save questions, and cover exactly what their words say.
#[tokio::test]
async fn wider_answers_cover_what_their_words_say() {
    for era in ERAS {
        // (answer, questions for: the same tool elsewhere, another tool, the same call in another
        // session)
        for (answer, other, tool, elsewhere) in
            [("session-tool", 0, 1, 1), ("session-server", 0, 0, 1), ("session", 1, 1, 1)]
        {
            let client = Client::new(era, Control::careful());
            client.will_say(answer);
            assert!(is_done(&client.call("write", "/a", json!({})).await), "{era:?} {answer}");
            client.questions();
            client.call("write", "/elsewhere/b", json!({})).await;
            assert_eq!(client.questions(), other, "{era:?} {answer}: another file");
            client.call("bare", "/x", json!({})).await;
            assert_eq!(client.questions(), tool, "{era:?} {answer}: another tool");
            let another = client.another("another session");
            another.call("write", "/a", json!({})).await;
            assert_eq!(another.questions(), elsewhere, "{era:?} {answer}: another session");
        }
    }
}

/// A lasting no is stored as a refusal: no session asks again until it is revoked.
#[tokio::test]
async fn never_in_this_project_asks_nobody_again_until_it_is_revoked() {
    for era in ERAS {
        let store = Arc::new(MemoryStore::default());
        let client = Client::new(era, Control::careful().store(Arc::<MemoryStore>::clone(&store)));
        client.will_say("never");
        let said = client.call("write", "/a", json!({})).await;
        assert_eq!(code(&said), "PERMISSION_DENIED");
        let text = said["result"]["content"][0]["text"].as_str().unwrap().to_owned();
        assert!(text.contains("does not want to be asked again"), "{text}");
        client.questions();
        let grants = store.grants().await.unwrap();
        assert_eq!(grants.len(), 1, "{grants:?}");
        assert_eq!(grants[0].terms.verdict, GrantVerdict::Refuse);
        // The refusal holds even where the person allowed more.
        client.will_say("session-server");
        assert!(is_done(&client.call("bare", "/x", json!({})).await));
        client.questions();
        for session in ["one", "two"] {
            let another = client.another(session);
            let said = another.call("write", "/a", json!({})).await;
            assert_eq!(said["result"]["content"][0]["text"].as_str(), Some(text.as_str()), "{said}");
            assert_eq!(another.questions(), 0);
        }
        let said = client.call("write", "/a", json!({})).await;
        assert_eq!((code(&said), client.questions()), ("PERMISSION_DENIED", 0));
        store.revoke(revoking(&grants[0])).await.unwrap();
        assert!(is_done(&client.call("write", "/a", json!({})).await));
    }
}

/// If a client answers without asking the person, the answer does not count. The call is
/// unanswered, not refused.
#[tokio::test]
async fn a_quick_answer_and_one_without_the_field_are_nobodys() {
    for era in ERAS {
        for quick in [Duration::ZERO, Duration::from_secs(3600)] {
            let plain = PolicySnapshot::new(Authority::careful());
            let approval = Approval { quick, ..plain.approval };
            let client = Client::new(era, Control::new(PolicySnapshot { approval, ..plain }));
            client.will_say("once");
            let said = client.call("write", "/a", json!({})).await;
            assert_eq!(is_done(&said), quick.is_zero(), "{era:?} {said}");
            if !quick.is_zero() {
                assert_eq!(code(&said), "PERMISSION_NOT_GRANTED");
                assert!(said.to_string().contains("sooner after the question than a person"), "{said}");
                assert_eq!(client.questions(), 1, "it is not asked again");
            }
        }
        // N-07: a no counts at any speed.
        let plain = PolicySnapshot::new(Authority::careful());
        let approval = Approval { quick: Duration::from_secs(3600), ..plain.approval };
        let client = Client::new(era, Control::new(PolicySnapshot { approval, ..plain }));
        client.will_say("no");
        let said = client.call("write", "/a", json!({})).await;
        assert_eq!((code(&said), client.questions()), ("PERMISSION_DENIED", 1), "{era:?} {said}");
        let client = Client::new(era, Control::careful());
        let by_itself = json!({ "action": "accept", "content": {} });
        client.person.answers.lock().unwrap().push_back(by_itself);
        let said = client.call("write", "/a", json!({})).await;
        assert_eq!((code(&said), client.questions()), ("PERMISSION_NOT_GRANTED", 1), "{era:?} {said}");
    }
}
