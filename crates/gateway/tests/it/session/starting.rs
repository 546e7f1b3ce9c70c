//! One start for many calls, and failures at every step of the start.
use std::time::Duration;

use overt_gateway::Options;
use overt_gateway::pins::PinMode;
use serde_json::json;
use tokio::time::{sleep, timeout};

use super::client::{Client, Stack};
use super::server::{Fault, Order, Server};

#[tokio::test(start_paused = true)]
async fn g_44_parallel_first_requests_start_one_process() {
    for server in [Server::legacy(), Server::modern()] {
        let stack = Stack::new(server);
        let client = stack.modern();
        let lists = (0..8).map(|_| client.ask("tools/list", json!({})));
        for answer in all(lists).await {
            assert_eq!(answer["result"]["tools"].as_array().map(Vec::len), Some(4), "{answer}");
        }
        assert_eq!(stack.server.starts(), 1);
        stack.server.order(&Order::End);
        sleep(Duration::from_secs(1)).await;
        all((0..8).map(|_| client.count())).await;
        assert_eq!(stack.server.starts(), 2, "the same when it is lost");
    }
}

#[tokio::test(start_paused = true)]
async fn g_44_each_client_starts_one_process() {
    let stack = Stack::new(Server::legacy());
    let clients = ["a", "a", "b", "c", "c", "c"].map(|name| stack.modern_http(name));
    all(clients.iter().map(Client::count)).await;
    assert_eq!(stack.server.starts(), 3, "clients of one name and version share one");
}

/// Whatever fails while the server starts, every call is answered, and calls work again afterwards.
#[tokio::test(start_paused = true)]
async fn a_crash_at_any_step_is_answered_and_gone_through() {
    let steps = ["server/discover", "initialize", "notifications/initialized", "tools/list", "tools/call"];
    let faults = steps.map(Fault::EndsAt).into_iter().chain([Fault::CannotStart]);
    for fault in faults {
        for is_modern in [false, true] {
            let stack = Stack::new(Server::legacy());
            stack.server.next_fails(fault.clone());
            let (texts, client) = if is_modern {
                let client = stack.modern();
                (all((0..4).map(|_| client.count())).await, client)
            } else {
                let (client, hello) = stack.legacy().await;
                if hello["error"].is_object() {
                    (vec![], stack.legacy().await.0)
                } else {
                    (all((0..4).map(|_| client.count())).await, client)
                }
            };
            assert!(!texts.iter().any(|text| text.contains("-32603")), "{fault:?} {texts:?}");
            sleep(Duration::from_secs(60)).await;
            let after = client.count().await;
            let counted = after.split_once(' ').is_some_and(|(process, _)| process.len() == 1);
            assert!(counted, "{fault:?} {after}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_that_was_lost_is_not_sent_twice_and_a_list_is() {
    let stack = Stack::new(Server::legacy());
    stack.server.next_fails(Fault::EndsAt("tools/call"));
    let client = stack.modern();
    assert_eq!(client.count().await, "1502 unknown");
    let calls = |server: &Server| server.asked().iter().filter(|asked| asked.contains("count")).count();
    assert_eq!(calls(&stack.server), 1);
    assert_eq!(client.count().await, "2 1", "another process counts from the start");
    assert_eq!(calls(&stack.server), 2);

    let stack = Stack::new(Server::legacy());
    stack.server.next_fails(Fault::EndsAt("tools/list"));
    let answer = stack.modern().ask("tools/list", json!({})).await;
    assert!(answer["result"]["tools"].is_array(), "{answer}");
    assert_eq!(stack.server.starts(), 2);
}

/// A call that is cancelled at any moment does not affect the session.
#[tokio::test(start_paused = true)]
async fn g_45_a_cancelled_call_does_not_throw_the_conversation_away() {
    for server in [Server::legacy(), Server::modern()] {
        let stack = Stack::new(server);
        for client in [stack.modern(), stack.modern_http("h")] {
            let before = client.count().await;
            let (process, _) = before.split_once(' ').unwrap();
            for patience in [0, 1, 500] {
                let call = client.call("sleep", json!({"ms": 1000}));
                assert!(timeout(Duration::from_millis(patience), call).await.is_err());
            }
            assert!(client.count().await.starts_with(process));
            assert_eq!(stack.gateway.stats().in_flight, 0);
        }
        assert!(stack.server.asked().iter().any(|asked| asked.contains("notifications/cancelled")));
    }
}

/// Even if a call is cancelled while the process starts, the next call finds that process.
#[tokio::test(start_paused = true)]
async fn a_call_that_is_given_up_while_the_server_starts_does_not_stop_the_start() {
    for server in [Server::legacy(), Server::modern()] {
        let stack = Stack::new(server);
        let client = stack.modern();
        for _ in 0..3 {
            assert!(timeout(Duration::ZERO, client.count()).await.is_err());
            // Let the start continue a little.
            tokio::task::yield_now().await;
        }
        client.count().await;
        assert_eq!(stack.server.starts(), 1);
    }
}

#[tokio::test(start_paused = true)]
async fn g_43_readiness_follows_the_upstream_and_not_the_last_request() {
    let probed = |options| Options { probed: true, ..options };
    let stack = Stack::with(Server::legacy(), PinMode::Warn, probed);
    stack.server.set_down(true);
    sleep(Duration::from_secs(1)).await;
    assert!(!stack.gateway.stats().up, "nobody has asked it anything");
    stack.server.set_down(false);
    sleep(Duration::from_secs(40)).await;
    assert!(stack.gateway.stats().up);
    assert_eq!(stack.server.running(), 0, "what was started to look is ended");
    let client = stack.modern();
    client.count().await;
    stack.server.set_down(true);
    stack.server.order(&Order::End);
    sleep(Duration::from_secs(40)).await;
    assert!(!stack.gateway.stats().up);
    stack.server.set_down(false);
    sleep(Duration::from_secs(40)).await;
    assert!(stack.gateway.stats().up);
}

/// Runs all futures concurrently.
pub(super) async fn all<F: Future>(futures: impl Iterator<Item = F>) -> Vec<F::Output> {
    let mut running: Vec<_> = futures.map(|future| (Box::pin(future), None)).collect();
    std::future::poll_fn(|context| {
        let mut is_pending = false;
        for (future, output) in &mut running {
            if output.is_none() {
                match future.as_mut().poll(context) {
                    std::task::Poll::Ready(value) => *output = Some(value),
                    std::task::Poll::Pending => is_pending = true,
                }
            }
        }
        if is_pending { std::task::Poll::Pending } else { std::task::Poll::Ready(()) }
    })
    .await;
    running.into_iter().filter_map(|(_, output)| output).collect()
}
