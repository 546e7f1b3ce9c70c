//! D-28, D-32, X-06: over the limit nothing runs, and the client learns when to try again.
use overt_layers::{Control, PolicySnapshot, Rates};
use overt_policy::Authority;
use overt_policy::rate::RateLimit;
use serde_json::json;

use super::kit::{Client, ERAS, Era, is_done};

fn limited(rates: Rates) -> Control {
    Control::new(PolicySnapshot { rates, ..PolicySnapshot::new(Authority::open()) })
}

#[tokio::test]
async fn d_28_d_32_x_06_a_burst_ends_in_an_error_that_says_when_to_come_back() {
    let rate = vec![RateLimit::parse("3/hour").unwrap()];
    for era in ERAS {
        for rates in [
            Rates { all: rate.clone(), ..Rates::default() },
            Rates { each: rate.clone(), ..Rates::default() },
        ] {
            let is_for_each = rates.all.is_empty();
            let client = Client::new(era, limited(rates));
            for _ in 0..3 {
                assert!(is_done(&client.call("read", "/a", json!({})).await));
            }
            let refused = client.call("read", "/a", json!({})).await;
            let code = if era == Era::Legacy { -32000 } else { 1429 };
            assert_eq!(refused["error"]["code"], code);
            let data = &refused["error"]["data"];
            assert_eq!((&data["code"], &data["limit"]), (&json!("RATE_LIMITED"), &json!("3/hour")));
            assert!((1..=1200).contains(&data["retryAfter"].as_u64().unwrap()), "{data}");
            assert_eq!(client.ran().len(), 3);
            // Another tool has its own counter, unless all calls are counted together.
            let other = client.call("write", "/a", json!({})).await;
            assert_eq!(is_done(&other), is_for_each);
        }
    }
}

/// Each limit has its own counter: a limit for a longer period does not make a larger burst.
#[tokio::test]
async fn pol_13_every_one_of_several_rates_holds() {
    let rates: Vec<RateLimit> = ["4000/day", "3/minute"].into_iter().filter_map(RateLimit::parse).collect();
    for rates in
        [Rates { all: rates.clone(), each: Vec::new() }, Rates { all: Vec::new(), each: rates.clone() }]
    {
        let client = Client::new(Era::Modern, limited(rates));
        for expected in [true, true, true, false] {
            assert_eq!(is_done(&client.call("read", "/a", json!({})).await), expected);
        }
    }
}

#[tokio::test]
async fn a_policy_and_a_rule_limit_too() {
    let client = Client::new(Era::Legacy, Control::open());
    let meta = json!({ "policy": { "limits": { "rate": "2/hour" } } });
    for expected in [true, true, false] {
        assert_eq!(is_done(&client.call("read", "/a", meta.clone()).await), expected);
    }
    // A request without the policy is not limited by it.
    assert!(is_done(&client.call("read", "/a", json!({})).await));
}

#[tokio::test]
async fn sizes_and_times_of_a_policy_hold() {
    let client = Client::new(Era::Legacy, Control::open());
    let small = client.call("read", "/a", json!({ "policy": { "limits": { "result_bytes": 10 } } })).await;
    assert_eq!(super::kit::code(&small), "RESULT_TOO_LARGE");
    assert_eq!(client.ran().len(), 1, "the call was made, and the answer says so");
}

#[tokio::test]
async fn arguments_are_measured_as_they_were_sent() {
    let client = Client::new(Era::Legacy, Control::open());
    let policy = json!({ "limits": { "argument_bytes": 40 } });
    let mut params = json!({ "name": "read", "arguments": { "path": "/a" }, "_meta": { "policy": policy } });
    assert!(is_done(&client.send("tools/call", params.clone()).await));
    let spaced = params["arguments"].to_string().replace(':', &format!(":{}", " ".repeat(100)));
    params["arguments"] = json!("PLACE");
    let text = params.to_string().replace("\"PLACE\"", &spaced);
    assert_eq!(super::kit::code(&client.send_text("tools/call", &text).await), "PERMISSION_DENIED");
    assert_eq!(client.ran().len(), 1);
}
