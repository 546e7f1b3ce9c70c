//! Splitting bytes into lines and events, for all chunk sizes.
use overt_wire::frame::{Event, LineFrame, LineFramer, SseFramer, SseTooLong, one_line, write_event};
use overt_wire::json::Json;

fn lines(limit: usize, chunks: &[&[u8]]) -> Vec<LineFrame> {
    let mut framer = LineFramer::with_limit(limit);
    let mut out = Vec::new();
    for chunk in chunks {
        framer.push(chunk);
        out.extend(std::iter::from_fn(|| framer.next_line()));
    }
    out.extend(framer.finish());
    out
}

fn line(text: &str) -> LineFrame {
    LineFrame::Line(text.as_bytes().to_vec())
}

fn events(limit: usize, chunks: &[&[u8]]) -> Result<Vec<Event>, SseTooLong> {
    let mut framer = SseFramer::with_limit(limit);
    let mut out = Vec::new();
    for chunk in chunks {
        out.extend(framer.push(chunk)?);
    }
    Ok(out)
}

fn data(text: &str) -> Vec<String> {
    events(1000, &[text.as_bytes()]).unwrap().into_iter().map(|event| event.data).collect()
}

#[test]
fn rpc_01_lines_end_with_lf_or_crlf_and_blank_ones_are_left_out() {
    assert_eq!(lines(9, &[b"a\nb\r\n\n \t\r\nc\rd\n"]), [line("a"), line("b"), line("c\rd")]);
    assert_eq!(lines(9, &[b"no end"]), [line("no end")]);
    assert_eq!(lines(9, &[b"a\r"]), [line("a")]);
    assert_eq!(lines(9, &[b"a\r\r\n"]), [line("a\r")]);
    assert_eq!(lines(9, &[]), []);
    assert_eq!(lines(9, &[b"\xff\xfe\n"]), [LineFrame::Line(vec![0xff, 0xfe])], "bytes are not judged here");
}

#[test]
fn rpc_03_a_line_of_the_limit_passes_whatever_its_end() {
    let long = || LineFrame::TooLong { limit: 4, id: None };
    for end in ["\n", "\r\n"] {
        let text = format!("1234{end}12345{end}ok{end}");
        for at in 0..text.len() {
            let (a, b) = text.as_bytes().split_at(at);
            assert_eq!(lines(4, &[a, b]), [line("1234"), long(), line("ok")], "{end:?} {at}");
        }
    }
    assert_eq!(lines(4, &[b"1234\r"]), [line("1234")]);
    assert_eq!(lines(4, &[b"1234\r", b"5\nok"]), [long(), line("ok")]);
}

#[test]
fn rpc_03_a_long_blank_line_is_long_in_one_chunk_and_in_many() {
    let long = LineFrame::TooLong { limit: 4, id: None };
    assert_eq!(lines(4, &[b"        \nok"]), [long.clone(), line("ok")]);
    assert_eq!(lines(4, &[b"     ", b"   \nok"]), [long, line("ok")]);
}

#[test]
fn rpc_03_two_long_lines_are_reported_twice() {
    let long = LineFrame::TooLong { limit: 2, id: None };
    assert_eq!(lines(2, &[b"12345", b"67", b"\n123", b"4\n", b"12"]), [long.clone(), long, line("12")]);
}

#[test]
fn messages_go_on_one_line() {
    let pretty = "{\r\n\t\"a\": \"x\\ny\",\n\t\"b\": [1,\r2]\n}";
    let line = one_line(pretty);
    assert!(!line.contains(['\n', '\r']));
    assert_eq!(line.len(), pretty.len());
    let read = |text: &str| Json::parse(text).unwrap().read::<serde_json::Value>().unwrap();
    assert_eq!(read(&line), read(pretty));
    assert!(matches!(one_line("{\"a\":1}"), std::borrow::Cow::Borrowed("{\"a\":1}")));
}

#[test]
fn events_end_at_a_blank_line_of_any_kind() {
    assert_eq!(data("data: a\n\ndata: b\r\n\r\ndata: c\r\rdata: d\r\n\n"), ["a", "b", "c", "d"]);
    assert_eq!(data("data: a\r\ndata: b\r\n\r\n"), ["a\nb"]);
    assert_eq!(data("data: a\rdata: b\r\r"), ["a\nb"]);
    assert_eq!(data("data: unfinished\n"), [""; 0]);
}

#[test]
fn fields_follow_the_standard() {
    assert_eq!(data("data:a\n\ndata:  b\n\ndata\n\n"), ["a", " b", ""]);
    assert_eq!(data("data: a\ndata: b\ndata:\n\n"), ["a\nb\n"]);
    assert_eq!(data(": comment\nother: x\n\ndata: a:b\n:\n\n"), ["a:b"]);
    assert_eq!(data("\u{FEFF}data: a\n\n\u{FEFF}data: b\n\n"), ["a"]);
    assert_eq!(data("Data: a\n data: b\n\n"), [""; 0]);
    let one = |text: &str| events(1000, &[text.as_bytes()]).unwrap().remove(0);
    assert_eq!(one("event: a\nevent: b\ndata:\n\n").name, "b");
    assert_eq!(one("id: 1\nid: \0\ndata:\n\n").id.as_deref(), Some("1"));
    assert_eq!(one("id\ndata:\n\n").id.as_deref(), Some(""));
    assert_eq!(one("retry: 10\nretry: x\nretry: +5\nretry: -1\ndata:\n\n").retry, Some(10));
    assert_eq!(one("retry: 99999999999999999999\ndata: x\n\n").retry, None);
    assert_eq!(events(100, &[b"data: \xff\n\n"]).unwrap()[0].data, "\u{FFFD}");
}

#[test]
fn an_event_does_not_inherit_from_the_one_before() {
    let both = events(100, &[b"event: e\nid: 1\nretry: 2\ndata: a\n\ndata: b\n\n"]).unwrap();
    assert_eq!(both[1], Event { data: "b".into(), ..Event::default() });
}

#[test]
fn rpc_03_events_over_the_limit_end_the_stream() {
    let long = format!("data: {}\n", "x".repeat(200));
    assert_eq!(events(100, &[long.as_bytes()]), Err(SseTooLong { limit: 100 }));
    let many = "data: 0123456789\n".repeat(50);
    assert_eq!(events(100, &[many.as_bytes()]), Err(SseTooLong { limit: 100 }));
    let many_chunks: Vec<&[u8]> = many.as_bytes().chunks(3).collect();
    assert_eq!(events(100, &many_chunks), Err(SseTooLong { limit: 100 }));
    assert!(events(100, &["data: x\n\n".repeat(1000).as_bytes()]).is_ok(), "each event counts for itself");
}

#[test]
fn events_before_a_long_one_are_handed_out() {
    let text = format!("data: first\n\ndata: {}", "x".repeat(500));
    let mut framer = SseFramer::with_limit(100);
    assert_eq!(framer.push(text.as_bytes()).unwrap()[0].data, "first");
    assert_eq!(framer.push(b"\n\n"), Err(SseTooLong { limit: 100 }));
    assert_eq!(framer.push(b"data: never\n\n"), Err(SseTooLong { limit: 100 }), "it stays so");
}

#[test]
fn written_events_can_not_be_broken_out_of() {
    let event = Event {
        name: "message\ndata: forged".into(),
        data: "a\rdata: b\r\n\r\nevent: c\n".into(),
        id: Some("1\r\n\r\ndata: forged\0".into()),
        retry: None,
    };
    let read = events(1000, &[write_event(&event).as_bytes()]).unwrap();
    assert_eq!(read.len(), 1);
    assert_eq!(read[0].name, "messagedata: forged");
    assert_eq!(read[0].id.as_deref(), Some("1data: forged"));
    assert_eq!(read[0].data, "a\ndata: b\n\nevent: c\n");
}

#[test]
fn a_message_with_carriage_returns_survives_an_event() {
    let text = "{\r\"a\":\r\n1}";
    let event = Event { data: text.into(), ..Event::default() };
    let read = events(100, &[write_event(&event).as_bytes()]).unwrap().remove(0);
    assert_eq!(Json::parse(&read.data).unwrap().get("a").value().unwrap().as_str(), "1");
}

#[test]
fn written_events_look_as_expected() {
    let event = Event { name: "e".into(), data: "a\n".into(), id: Some("7".into()), retry: Some(5) };
    assert_eq!(write_event(&event), "event: e\nid: 7\nretry: 5\ndata: a\ndata: \n\n");
    assert_eq!(write_event(&Event::default()), "data: \n\n");
    let event = Event { name: "a\0b".into(), ..Event::default() };
    assert_eq!(events(100, &[write_event(&event).as_bytes()]), Ok(vec![event]));
}
