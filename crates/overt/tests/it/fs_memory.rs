//! `overt fs`: the memory cost of large changes.
use serde_json::{Value, json};

use crate::client::Client;
use crate::fs::{serve, two_folders};

const MIB: usize = 1 << 20;

/// Returns ten mebibytes of lines.
fn lines(number: usize) -> String {
    let line = format!("line of text, number {number}, some words to fill it\n");
    line.repeat(10 * MIB / line.len())
}

/// Returns the server's peak memory in bytes, without the pages of the program itself. A test build
/// is large, and how much of it is resident depends on other processes.
fn peak(client: &Client) -> usize {
    let status = std::fs::read_to_string(format!("/proc/{}/status", client.running.0.id())).unwrap();
    let bytes = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap();
        line.trim().trim_end_matches(" kB").parse::<usize>().unwrap() << 10
    };
    bytes("VmHWM:") - bytes("RssFile:")
}

fn write_call(path: &str, content: &str) -> Value {
    json!({ "name": "write_file", "arguments": { "path": path, "content": content } })
}

/// I-12: overwriting a file costs memory of the order of the file, the first time and every other
/// time. It once cost nine times the file.
#[test]
fn i_12_overwriting_a_file_costs_memory_of_the_order_of_the_file() {
    let place = two_folders();
    let file = place.path().join("root/large.txt");
    std::fs::write(&file, lines(0)).unwrap();
    let mut client = serve(&place, &[], &Value::Null);
    let start = peak(&client);
    for number in 1..=4 {
        let content = lines(number);
        client.last = client.ask("tools/call", &write_call("large.txt", &content));
        assert!(!client.was_refused(), "{}", client.last);
        assert!(std::fs::read_to_string(&file).unwrap() == content);
    }
    let cost = peak(&client) - start;
    // It is about 50 MiB. The allocator returns pages a little later, and later still on a busy
    // machine.
    assert!(cost < 80 * MIB, "{} MiB for a file of 10", cost / MIB);
    client.end();
}

/// I-12: the memory of all calls together is bounded, however many are made at once. No call is
/// lost: each is done or refused.
#[test]
fn i_12_many_large_changes_at_once_keep_to_one_limit() {
    const CALLS: usize = 8;
    let place = two_folders();
    let file = |number: usize| place.path().join(format!("root/{number}.txt"));
    (0..CALLS).for_each(|number| std::fs::write(file(number), lines(100)).unwrap());
    let mut client = serve(&place, &[], &Value::Null);
    let start = peak(&client);
    let mut answered = 0;
    for number in 0..CALLS {
        let params = write_call(&format!("{number}.txt"), &lines(number));
        client.write(
            &json!({ "jsonrpc": "2.0", "id": 1000 + number, "method": "tools/call", "params": params }),
        );
    }
    while answered < CALLS {
        let reply = client.next_message();
        let Some(number) = reply["id"].as_u64().and_then(|id| usize::try_from(id).ok()?.checked_sub(1000))
        else {
            continue;
        };
        answered += 1;
        let is_refused = reply["error"]["code"] == 1429;
        assert!(is_refused || reply["result"]["isError"] != true, "{reply}");
        let wanted = if is_refused { lines(100) } else { lines(number) };
        assert!(std::fs::read_to_string(file(number)).unwrap() == wanted);
    }
    let cost = peak(&client) - start;
    assert!(cost < 192 * MIB, "{} MiB", cost / MIB);
    client.end();
}
