//! Questions of servers: requests of legacy servers, `input_required` results of modern ones.
use std::time::Duration;

use overt_transport::client::ClientError;
use overt_wire::Kind;
use overt_wire::era::{Era, key};

use super::lines::{asking, connected};
use super::seen::{Heard, json, options};

const ELICIT: &str = "elicitation/create";

#[tokio::test]
async fn a_legacy_server_asks_and_is_answered() {
    let heard = Heard::answering(&[(ELICIT, r#"{"action":"accept"}"#)]);
    let (_client, mut server) = connected(Era::Legacy, options(|_| {}), heard.clone()).await;
    server.write(r#"{"jsonrpc":"2.0","id":"p","method":"ping"}"#).await;
    assert_eq!(server.read_any().await.text(), r#"{"jsonrpc":"2.0","id":"p","result":{}}"#);
    server.write(r#"{"jsonrpc":"2.0","id":1.0,"method":"ping"}"#).await;
    server.write(&format!(r#"{{"jsonrpc":"2.0","id":7,"method":"{ELICIT}","params":{{"q":1}}}}"#)).await;
    assert_eq!(server.read_any().await.text(), r#"{"jsonrpc":"2.0","id":7,"result":{"action":"accept"}}"#);
    assert_eq!(*heard.questions.lock().unwrap(), [format!(r#"{ELICIT} {{"q":1}}"#)]);
}

#[tokio::test]
async fn a_question_that_is_taken_back_is_not_answered() {
    let heard = Heard::new();
    let (_client, mut server) = connected(Era::Legacy, options(|_| {}), heard.clone()).await;
    server.write(&format!(r#"{{"jsonrpc":"2.0","id":7,"method":"{ELICIT}"}}"#)).await;
    server.write(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}"#).await;
    assert!(server.is_silent().await);
    // The id can be used again.
    server.write(r#"{"jsonrpc":"2.0","id":7,"method":"ping"}"#).await;
    server.read_any().await;
    assert_eq!(heard.notifications.lock().unwrap().len(), 1);
}

#[tokio::test]
async fn up_09_a_flood_of_questions_is_refused() {
    let options = options(|limits| limits.max_pending_questions = 2);
    let heard = Heard::new();
    let (_client, mut server) = connected(Era::Legacy, options, heard.clone()).await;
    for id in 0..3 {
        server.write(&format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{ELICIT}"}}"#)).await;
    }
    let refusal = server.read_any().await;
    assert_eq!(refusal.error_body().unwrap().code, 1429);
    assert_eq!(refusal.id().unwrap().token(), "2");
    assert_eq!(heard.questions.lock().unwrap().len(), 2);
}

#[tokio::test]
async fn a_question_without_an_answer_is_refused_in_time() {
    let options = options(|limits| limits.elicitation_deadline = Duration::from_millis(100));
    let (_client, mut server) = connected(Era::Legacy, options, Heard::new()).await;
    server.write(&format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{ELICIT}"}}"#)).await;
    assert_eq!(server.read_any().await.error_body().unwrap().code, 1408);
}

#[tokio::test]
async fn g_41_the_time_that_a_person_takes_is_not_the_servers() {
    let (taken_back, late) = (Duration::from_millis(2500), Duration::from_secs(1));
    let options = options(|limits| {
        limits.request_deadline = late;
        limits.elicitation_deadline = taken_back;
    });
    let (client, mut server) = connected(Era::Legacy, options, Heard::new()).await;
    let call = asking(&client, "tools/call", r#"{"name":"t"}"#);
    let request = server.read("tools/call").await;
    server.write(&format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{ELICIT}"}}"#)).await;
    assert_eq!(server.read_any().await.error_body().unwrap().code, 1408);
    server.result(&request, "{}").await;
    assert_eq!(call.await.unwrap().unwrap().kind(), Kind::Result);
    // Sampling is not answered by a person, so its time counts.
    let call = asking(&client, "tools/call", r#"{"name":"t"}"#);
    server.read("tools/call").await;
    server.write(r#"{"jsonrpc":"2.0","id":2,"method":"sampling/createMessage"}"#).await;
    assert!(matches!(call.await.unwrap(), Err(ClientError::TimedOut { .. })));
}

#[tokio::test]
async fn a_modern_server_can_not_ask() {
    let (_client, mut server) = connected(Era::Modern, options(|_| {}), Heard::new()).await;
    server.write(r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#).await;
    assert!(server.is_silent().await);
}

#[tokio::test]
async fn rounds_of_questions_go_to_the_listener() {
    let heard = Heard::answering(&[
        (ELICIT, r#"{"action":"accept","content":{"a":1}}"#),
        ("roots/list", r#"{"roots":[]}"#),
    ]);
    let (client, mut server) = connected(Era::Modern, options(|_| {}), heard.clone()).await;
    let call = asking(&client, "tools/call", r#"{"name":"t","arguments":{"x":1.0}}"#);
    let first = server.read("tools/call").await;
    assert_eq!(first.meta().get(key::PROTOCOL_VERSION).string().unwrap(), "2026-07-28");
    server
        .result(
            &first,
            r#"{"resultType":"input_required","requestState":"st\u0061te","inputRequests":{
            "who \"?":{"method":"elicitation/create","params":{"m":1}},"where":{"method":"roots/list"}}}"#
                .replace('\n', " ")
                .as_str(),
        )
        .await;
    let second = server.read("tools/call").await;
    assert_ne!(first.id(), second.id());
    let params = second.params().value().unwrap();
    assert_eq!(params.get("arguments").value().unwrap().as_str(), r#"{"x":1.0}"#);
    assert_eq!(params.get("requestState").value().unwrap().as_str(), r#""st\u0061te""#);
    assert_eq!(
        params.get("inputResponses").value().unwrap().as_str(),
        r#"{"who \"?":{"action":"accept","content":{"a":1}},"where":{"roots":[]}}"#
    );
    // The next round has only a state, so the client sends neither the old answers nor the old
    // state.
    server.result(&second, r#"{"resultType":"input_required","requestState":"2"}"#).await;
    let third = server.read("tools/call").await;
    assert!(third.param("inputResponses").is_absent());
    assert_eq!(third.param("requestState").string().unwrap(), "2");
    server.result(&third, r#"{"resultType":"complete","content":[]}"#).await;
    assert_eq!(call.await.unwrap().unwrap().kind(), Kind::Result);
    assert_eq!(heard.questions.lock().unwrap().len(), 2);
}

#[tokio::test]
async fn rounds_of_questions_end() {
    let options = options(|limits| limits.max_input_rounds = 2);
    let (client, mut server) = connected(Era::Modern, options, Heard::new()).await;
    let call = asking(&client, "prompts/get", r#"{"name":"p"}"#);
    for _ in 0..3 {
        let request = server.read("prompts/get").await;
        server.result(&request, r#"{"resultType":"input_required","requestState":"s"}"#).await;
    }
    assert!(matches!(call.await.unwrap(), Err(ClientError::TooManyRounds { limit: 2 })));
    assert!(server.is_silent().await);
}

#[tokio::test]
async fn up_07_results_that_make_no_sense_are_errors() {
    let (client, mut server) = connected(Era::Modern, options(|_| {}), Heard::new()).await;
    for (method, result) in [
        ("tools/call", r#"{"resultType":"task"}"#),
        ("tools/call", r#"{"resultType":null}"#),
        ("tools/call", r#"{"resultType":"input_required"}"#),
        ("tools/call", r#"{"resultType":"input_required","inputRequests":[]}"#),
        ("tools/call", r#"{"resultType":"input_required","inputRequests":{"a":{}}}"#),
        ("tools/list", r#"{"resultType":"input_required","requestState":"s"}"#),
    ] {
        let call = asking(&client, method, "{}");
        let request = server.read(method).await;
        server.result(&request, result).await;
        assert!(matches!(call.await.unwrap(), Err(ClientError::Protocol { .. })), "{result}");
    }
    // A single attempt returns a result that requires input to the caller.
    let once = {
        let client = client.clone();
        tokio::spawn(async move { client.request_once("tools/call", Some(json("{}"))).await })
    };
    let request = server.read("tools/call").await;
    server.result(&request, r#"{"resultType":"input_required","requestState":"s"}"#).await;
    assert_eq!(once.await.unwrap().unwrap().result_body().get("requestState").string().unwrap(), "s");
}

#[tokio::test]
async fn a_task_is_known_to_whoever_declared_the_extension() {
    let mut options = options(|_| {});
    options.capabilities = json(r#"{"extensions":{"io.modelcontextprotocol/tasks":{}}}"#).to_buf();
    let (client, mut server) = connected(Era::Modern, options, Heard::new()).await;
    let call = asking(&client, "tools/call", "{}");
    let request = server.read("tools/call").await;
    server.result(&request, r#"{"resultType":"task","taskId":"t"}"#).await;
    assert_eq!(call.await.unwrap().unwrap().result_body().get("taskId").string().unwrap(), "t");
}

#[tokio::test]
async fn a_question_that_nobody_answers_fails_the_call() {
    let options = options(|limits| limits.question_deadline = Duration::from_millis(50));
    let (client, mut server) = connected(Era::Modern, options, Heard::new()).await;
    let call = asking(&client, "tools/call", "{}");
    let request = server.read("tools/call").await;
    let result = r#"{"resultType":"input_required","inputRequests":{"a":{"method":"roots/list"}}}"#;
    server.result(&request, result).await;
    assert!(
        matches!(call.await.unwrap(), Err(ClientError::Unanswered { method, .. }) if method == "roots/list")
    );
}

#[tokio::test]
async fn a_subscription_is_acknowledged_and_ends_when_dropped() {
    let heard = Heard::new();
    let (client, mut server) = connected(Era::Modern, options(|_| {}), heard.clone()).await;
    let listening = {
        let client = client.clone();
        tokio::spawn(async move { client.listen(json(r#"{"toolsListChanged":true}"#)).await })
    };
    let request = server.read("subscriptions/listen").await;
    assert_eq!(request.param("notifications").value().unwrap().as_str(), r#"{"toolsListChanged":true}"#);
    let id = request.id().unwrap();
    server
        .write(&format!(
            r#"{{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{{"_meta":{{"{}":{id}}},"notifications":{{}}}}}}"#,
            key::SUBSCRIPTION_ID
        ))
        .await;
    let subscription = listening.await.unwrap().unwrap();
    assert_eq!((subscription.id(), subscription.granted().as_str()), (id, "{}"));
    drop(subscription);
    let cancelled = server.read("notifications/cancelled").await;
    assert_eq!(cancelled.param("requestId").value().unwrap().as_str(), id.token());
    assert_eq!(heard.notifications.lock().unwrap().len(), 1);

    // A server that refuses the subscription.
    let (client, mut server) = connected(Era::Modern, options(|_| {}), heard).await;
    let listening = tokio::spawn(async move { client.listen(json("{}")).await.map(drop) });
    let request = server.read("subscriptions/listen").await;
    server.error(&request, -32601).await;
    assert!(matches!(listening.await.unwrap(), Err(ClientError::Refused(_))));
}
