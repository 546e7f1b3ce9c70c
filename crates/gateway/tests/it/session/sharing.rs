//! Several clients in one session, and which of them gets a question.
use std::time::Duration;

use overt_gateway::Options;
use overt_gateway::pins::PinMode;
use serde_json::json;
use tokio::time::sleep;

use super::client::Stack;
use super::server::{Order, Server};
use super::starting::all;

fn shared() -> Stack {
    Stack::with(Server::legacy(), PinMode::Warn, |options| Options { shared: true, ..options })
}

#[tokio::test(start_paused = true)]
async fn h_40_a_server_that_can_run_only_once_is_shared() {
    let stack = shared();
    let ((first, _), (second, _)) = (stack.legacy().await, stack.legacy().await);
    let third = stack.modern_http("h");
    assert_eq!(first.count().await, "1 1");
    assert_eq!(second.count().await, "1 2");
    assert_eq!(third.count().await, "1 3");
    stack.leave(&first);
    sleep(Duration::from_secs(3600)).await;
    assert_eq!(second.count().await, "1 4", "others still use it");
    assert_eq!(stack.server.starts(), 1);
}

#[tokio::test(start_paused = true)]
async fn h_40_every_client_of_a_shared_session_hears_of_changes() {
    let stack = shared();
    let ((first, _), (second, _)) = (stack.legacy().await, stack.legacy().await);
    stack.server.order(&Order::Say(json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"})));
    sleep(Duration::from_millis(1)).await;
    assert_eq!(
        (first.told(), second.told()),
        (
            vec!["notifications/tools/list_changed".to_owned()],
            vec!["notifications/tools/list_changed".to_owned()]
        )
    );
}

#[tokio::test(start_paused = true)]
async fn a_question_in_a_shared_session_reaches_a_client_only_if_it_is_clear_which() {
    let stack = shared();
    let ((first, _), (second, _)) = (stack.legacy().await, stack.legacy().await);
    assert_eq!(first.call("ask", json!({})).await, "1 \"accept\"");
    first.told();
    let other = second.call("sleep", json!({"ms": 1000}));
    let asked = async {
        sleep(Duration::from_millis(10)).await;
        first.call("ask", json!({})).await
    };
    let (_, answer) = tokio::join!(other, asked);
    assert_eq!(answer, "1 null", "the server gets an error for its question");
    assert!(first.told().is_empty() && second.told().is_empty());
}

/// The clients have the same name, version and capabilities.
#[tokio::test(start_paused = true)]
async fn v_16_two_principals_share_no_session_and_no_suspended_call() {
    let stack = Stack::new(Server::legacy());
    let (ada, eve) = (stack.modern_http_of("h", "ada"), stack.modern_http_of("h", "eve"));
    assert_eq!(ada.count().await, "1 1");
    assert_eq!(eve.count().await, "2 1", "another server");
    assert_eq!(stack.modern_http_of("h", "ada").count().await, "1 2", "the same server again");
    let asked = ada.ask("tools/call", json!({"name": "ask", "arguments": {}})).await;
    let answered = json!({
        "name": "ask", "arguments": {},
        "requestState": asked["result"]["requestState"],
        "inputResponses": {"question-1": {"action": "accept", "content": {}}},
    });
    let stolen = eve.ask("tools/call", answered.clone()).await;
    assert!(stolen["error"]["code"].is_number(), "{stolen}");
    let done = ada.ask("tools/call", answered).await;
    assert!(done["result"]["content"].is_array(), "{done}");
}

#[tokio::test(start_paused = true)]
async fn a_question_belongs_to_the_oldest_call_of_its_client() {
    let stack = Stack::new(Server::legacy());
    let client = stack.modern();
    let calls = async {
        let sleeping = client.ask("tools/call", json!({"name": "sleep", "arguments": {"ms": 60_000}}));
        let asking = async {
            sleep(Duration::from_secs(1)).await;
            client.ask("tools/call", json!({"name": "ask", "arguments": {}})).await
        };
        tokio::select! {
            answer = sleeping => answer,
            answer = asking => panic!("the question went to the younger call: {answer}"),
        }
    };
    let answer = calls.await;
    assert_eq!(answer["result"]["resultType"], "input_required", "{answer}");
    assert_eq!(answer["result"]["inputRequests"]["question-1"]["method"], "elicitation/create");
}

/// Twenty calls that each ask a question, in one process (G-45).
#[tokio::test(start_paused = true)]
async fn g_45_calls_that_ask_questions_stay_in_one_process() {
    let stack = Stack::new(Server::legacy());
    let (client, _) = stack.legacy().await;
    let texts = all((0..20).map(|_| client.call("ask", json!({})))).await;
    assert!(texts.iter().all(|text| text == "1 \"accept\""), "{texts:?}");
    assert_eq!(client.told().len(), 20);
    assert_eq!(client.count().await, "1 1");
}

/// A client may use several connections. All its calls are in one session, and so are the server's
/// questions.
#[tokio::test(start_paused = true)]
async fn g_45_a_question_reaches_a_client_with_several_connections() {
    let stack = Stack::new(Server::legacy());
    let connections = [stack.modern_http("h"), stack.modern_http("h")];
    let sleeping = connections[0].ask("tools/call", json!({"name": "sleep", "arguments": {"ms": 60_000}}));
    let asking = async {
        sleep(Duration::from_secs(1)).await;
        connections[1].ask("tools/call", json!({"name": "ask", "arguments": {}})).await
    };
    let answer = tokio::select! {
        answer = sleeping => answer,
        answer = asking => panic!("the question was not asked: {answer}"),
    };
    assert_eq!(answer["result"]["resultType"], "input_required", "{answer}");
}

#[tokio::test(start_paused = true)]
async fn a_question_for_a_call_that_was_given_up_reaches_nobody_else() {
    let stack = shared();
    let ((first, _), (second, _)) = (stack.legacy().await, stack.legacy().await);
    let given_up = first.call("sleep", json!({"ms": 1000}));
    assert!(tokio::time::timeout(Duration::from_millis(10), given_up).await.is_err());
    assert_eq!(second.call("ask", json!({})).await, "1 null", "it may be about the other call");
    assert!(first.told().is_empty() && second.told().is_empty());
    sleep(Duration::from_secs(3600)).await;
    assert_eq!(second.call("ask", json!({})).await, "1 \"accept\"");
}

#[tokio::test(start_paused = true)]
async fn h_40_what_one_client_sets_does_not_undo_what_another_has_set() {
    let stack = shared();
    let ((first, _), (second, _)) = (stack.legacy().await, stack.legacy().await);
    for client in [&first, &second] {
        client.ask("resources/subscribe", json!({"uri": "demo://a/1"})).await;
    }
    first.ask("resources/unsubscribe", json!({"uri": "demo://a/1"})).await;
    let count = |method: &str| stack.server.asked().iter().filter(|asked| asked.contains(method)).count();
    assert_eq!((count("resources/subscribe"), count("resources/unsubscribe")), (1, 0));
    stack.leave(&second);
    sleep(Duration::from_secs(1)).await;
    assert_eq!(count("resources/unsubscribe"), 1, "nobody watches it any more");
}

/// A client that comes while the shared server is down does not get a process of its own.
#[tokio::test(start_paused = true)]
async fn h_40_a_shared_server_is_started_once_also_after_it_was_down() {
    let stack = shared();
    let (first, _) = stack.legacy().await;
    stack.server.set_down(true);
    stack.server.order(&Order::End);
    sleep(Duration::from_secs(1)).await;
    let (_, refused) = stack.legacy().await;
    assert_eq!(refused["error"]["code"], 1503, "{refused}");
    stack.server.set_down(false);
    sleep(Duration::from_secs(60)).await;
    let (third, _) = stack.legacy().await;
    assert_eq!((first.count().await, third.count().await), ("2 1".to_owned(), "2 2".to_owned()));
    assert_eq!(stack.server.running(), 1);
}
