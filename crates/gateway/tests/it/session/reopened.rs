//! Settings and subscriptions of clients outlast a conversation.
use std::time::Duration;

use serde_json::json;
use tokio::time::{sleep, timeout};

use super::client::Stack;
use super::server::{ACKNOWLEDGES, Order, Server};

fn updated() -> Order {
    Order::Say(json!({
        "jsonrpc": "2.0",
        "method": "notifications/resources/updated",
        "params": {"uri": "demo://a/1"},
    }))
}

#[tokio::test(start_paused = true)]
async fn a_new_conversation_is_told_what_a_legacy_client_had_set() {
    let stack = Stack::new(Server::legacy());
    let (client, _) = stack.legacy().await;
    client.ask("logging/setLevel", json!({"level": "debug"})).await;
    client.ask("resources/subscribe", json!({"uri": "demo://a/1"})).await;
    client.ask("resources/subscribe", json!({"uri": "demo://a/2"})).await;
    client.ask("resources/unsubscribe", json!({"uri": "demo://a/2"})).await;
    stack.server.order(&Order::End);
    sleep(Duration::from_secs(1)).await;
    let told: Vec<_> = stack.server.asked().into_iter().filter(|asked| asked.starts_with("2 ")).collect();
    assert_eq!(
        told,
        ["2 initialize", "2 notifications/initialized", "2 logging/setLevel", "2 resources/subscribe"],
        "the client waits for notifications, so the server is started without a call"
    );
    assert_eq!(client.told(), ["notifications/tools/list_changed"], "it may offer something else now");
    stack.server.order(&updated());
    sleep(Duration::from_millis(1)).await;
    assert_eq!(client.told(), ["notifications/resources/updated"]);
}

#[tokio::test(start_paused = true)]
async fn a_subscription_of_a_modern_client_goes_on_in_the_next_conversation() {
    let stack = Stack::new(Server::legacy());
    let client = stack.modern_http("h");
    let wanted =
        json!({"notifications": {"toolsListChanged": true, "resourceSubscriptions": ["demo://a/1"]}});
    let listening = client.ask("subscriptions/listen", wanted);
    let test = async {
        sleep(Duration::from_secs(1)).await;
        assert_eq!(client.told(), ["notifications/subscriptions/acknowledged"]);
        stack.server.order(&updated());
        sleep(Duration::from_millis(1)).await;
        assert_eq!(client.told(), ["notifications/resources/updated"]);
        // The subscription also continues if the server can't be restarted at once.
        stack.server.set_down(true);
        stack.server.order(&Order::End);
        sleep(Duration::from_secs(20)).await;
        stack.server.set_down(false);
        sleep(Duration::from_secs(60)).await;
        assert_eq!(stack.server.running(), 1);
        assert_eq!(client.told(), ["notifications/tools/list_changed"]);
        stack.server.order(&updated());
        sleep(Duration::from_millis(1)).await;
        assert_eq!(client.told(), ["notifications/resources/updated"]);
        let subscribed = |asked: &&String| asked.contains("resources/subscribe");
        assert_eq!(stack.server.asked().iter().filter(subscribed).count(), 2);
    };
    tokio::select! {
        answer = listening => panic!("the subscription ended: {answer}"),
        () = test => {}
    }
    sleep(Duration::from_secs(1)).await;
    assert!(stack.server.asked().iter().any(|asked| asked.contains("resources/unsubscribe")));
}

/// A legacy client with a modern server watches one more resource, which needs a new subscription.
#[tokio::test(start_paused = true)]
async fn nothing_is_missed_between_two_subscriptions() {
    let stack = Stack::new(Server::modern());
    let (client, _) = stack.legacy().await;
    client.ask("tools/list", json!({})).await;
    stack.server.order(&Order::ChangeTools);
    sleep(Duration::from_millis(1)).await;
    assert_eq!(client.told(), ["notifications/tools/list_changed"]);
    let change = async {
        sleep(ACKNOWLEDGES / 2).await;
        stack.server.order(&Order::ChangeTools);
    };
    tokio::join!(client.ask("resources/subscribe", json!({"uri": "demo://a/1"})), change);
    assert_eq!(
        client.told(),
        ["notifications/tools/list_changed"],
        "the old one stands until the new one does"
    );
    sleep(Duration::from_secs(1)).await;
    stack.server.order(&Order::ChangeTools);
    sleep(Duration::from_millis(1)).await;
    assert_eq!(client.told(), ["notifications/tools/list_changed"], "then it is cancelled");
}

#[tokio::test(start_paused = true)]
async fn a_client_that_does_not_read_holds_up_nobody_else() {
    let stack = Stack::new(Server::modern());
    let (deaf, other) = (stack.deaf(), stack.modern_http("other"));
    let flood = deaf.call("flood", json!({"messages": 10_000}));
    let others = async {
        for count in 1..=20 {
            assert_eq!(other.count().await, format!("1 {count}"));
        }
    };
    let (_, done) =
        tokio::join!(timeout(Duration::from_secs(5), flood), timeout(Duration::from_secs(5), others));
    done.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_flood_of_what_belongs_to_no_call_is_dropped_and_counted() {
    let stack = Stack::new(Server::legacy());
    let client = stack.modern();
    client.count().await;
    for number in 0..10_000 {
        stack.server.order(&Order::Say(json!({
            "jsonrpc": "2.0", "method": "notifications/progress",
            "params": {"progressToken": number, "progress": 1},
        })));
    }
    assert_eq!(client.count().await, "1 2");
    sleep(Duration::from_secs(1)).await;
    assert_eq!(stack.gateway.stats().dropped, 10_000);
    assert!(client.told().is_empty());
}
