//! Every split of a stream gives the same frames, equal to those of a naive model.
use overt_wire::frame::{Event, LineFrame, LineFramer, SseFramer, SseTooLong, write_event};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::{Index, select};

use super::generate::config;

/// Cuts a stream at the given positions.
fn chunks<'a>(bytes: &'a [u8], cuts: &[Index]) -> Vec<&'a [u8]> {
    let mut places: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
    places.sort_unstable();
    let mut start = 0;
    let mut out = Vec::new();
    for place in places.into_iter().chain([bytes.len()]) {
        out.push(&bytes[start..place]);
        start = place;
    }
    out
}

fn lines(limit: usize, chunks: &[&[u8]]) -> Vec<LineFrame> {
    let mut framer = LineFramer::with_limit(limit);
    let mut out = Vec::new();
    for chunk in chunks {
        framer.push(chunk);
        out.extend(std::iter::from_fn(|| framer.next_line()));
    }
    out.extend(framer.finish());
    // The tests of the framer check the id of a long line.
    out.into_iter().map(without_id).collect()
}

fn without_id(frame: LineFrame) -> LineFrame {
    match frame {
        LineFrame::TooLong { limit, .. } => LineFrame::TooLong { limit, id: None },
        line => line,
    }
}

/// The frames that the framer should return, computed from the whole stream at once.
fn line_model(limit: usize, bytes: &[u8]) -> Vec<LineFrame> {
    bytes
        .split(|byte| *byte == b'\n')
        .map(|line| line.strip_suffix(b"\r").unwrap_or(line))
        .filter(|line| line.len() > limit || !line.trim_ascii().is_empty())
        .map(|line| {
            if line.len() > limit {
                LineFrame::TooLong { limit, id: None }
            } else {
                LineFrame::Line(line.to_vec())
            }
        })
        .collect()
}

/// The events of a stream, and the error if an event was too long.
fn events(limit: usize, chunks: &[&[u8]]) -> (Vec<Event>, Option<SseTooLong>) {
    let mut framer = SseFramer::with_limit(limit);
    let mut out = Vec::new();
    // A final empty chunk makes the framer report a pending error.
    for chunk in chunks.iter().chain([&&b""[..]]) {
        match framer.push(chunk) {
            Ok(events) => out.extend(events),
            Err(error) => return (out, Some(error)),
        }
    }
    (out, None)
}

fn sse_stream() -> impl Strategy<Value = Vec<u8>> {
    let piece = select(vec![
        "data",
        "event",
        "id",
        "retry",
        ":",
        ": ",
        " ",
        "\n",
        "\n",
        "\r",
        "\r\n",
        "\n\n",
        "x",
        "12",
        "é",
        "\u{FEFF}",
        "\0",
        "data: 0123456789\n",
        "data: {\"a\":1}\n\n",
    ]);
    vec(piece, 0..60).prop_map(|pieces| pieces.concat().into_bytes())
}

proptest! {
    #![proptest_config(config(400))]

    #[test]
    fn rpc_18_lines_are_those_of_the_model(
        bytes in vec(select(b"ab \t\r\n\n\xff".to_vec()), 0..80),
        cuts in vec(any::<Index>(), 0..8),
        limit in 0..12_usize,
    ) {
        prop_assert_eq!(lines(limit, &chunks(&bytes, &cuts)), line_model(limit, &bytes));
    }

    #[test]
    fn rpc_18_events_do_not_depend_on_the_chunks(
        stream in sse_stream(),
        cuts in vec(any::<Index>(), 0..8),
        limit in select(vec![0_usize, 20, 1000]),
    ) {
        let whole = events(limit, &[&stream]);
        prop_assert_eq!(&events(limit, &chunks(&stream, &cuts)), &whole);
        let bytes: Vec<&[u8]> = stream.chunks(1).collect();
        prop_assert_eq!(&events(limit, &bytes), &whole);
    }

    #[test]
    fn rpc_18_written_events_are_read_back(
        name in "[a-z ]{0,8}",
        data in "[ -~é\n]{0,60}",
        id in option::of("[ -~]{0,8}"),
        retry in option::of(any::<u64>()),
        cuts in vec(any::<Index>(), 0..4),
    ) {
        let event = Event { name, data, id, retry };
        let text = write_event(&event);
        prop_assert_eq!(events(1000, &chunks(text.as_bytes(), &cuts)), (vec![event], None));
    }

    #[test]
    fn rpc_18_no_field_breaks_out_of_its_event(
        name in any::<String>(),
        data in any::<String>(),
        id in any::<String>(),
    ) {
        let event = Event { name, data, id: Some(id), retry: None };
        let (read, error) = events(100_000, &[write_event(&event).as_bytes()]);
        prop_assert_eq!((read.len(), error), (1, None));
        let lines = |text: &str| text.replace("\r\n", "\n").replace('\r', "\n");
        prop_assert_eq!(&read[0].data, &lines(&event.data));
    }
}
