//! Events don't depend on the chunks, and what is written is read back. The first two bytes of the
//! input choose the limit and the sizes of the chunks.
#![no_main]
use libfuzzer_sys::fuzz_target;
use overt_wire::frame::{Event, SseFramer, SseTooLong, write_event};

#[path = "../chunks.rs"]
mod chunks;

fuzz_target!(|input: &[u8]| {
    let [limit, sizes, stream @ ..] = input else { return };
    let limit = usize::from(*limit) * 4;
    let whole = read(limit, &[stream]);
    assert_eq!(read(limit, &chunks::of(stream, *sizes)), whole);
    assert_eq!(read(limit, &chunks::of(stream, 0)), whole);

    for event in whole.0 {
        assert_eq!(read(usize::MAX, &[write_event(&event).as_bytes()]), (vec![event], None));
    }
    let text = String::from_utf8_lossy(stream);
    let hostile =
        Event { name: text.clone().into(), data: text.clone().into(), id: Some(text.into()), retry: None };
    let (read, error) = read(usize::MAX, &[write_event(&hostile).as_bytes()]);
    assert_eq!((read.len(), error), (1, None));
});

/// The events of a stream, and whether it ended because one was too long.
fn read(limit: usize, chunks: &[&[u8]]) -> (Vec<Event>, Option<SseTooLong>) {
    let mut framer = SseFramer::with_limit(limit);
    let mut events = Vec::new();
    // A last empty chunk brings out what was held back.
    for chunk in chunks.iter().chain([&&b""[..]]) {
        match framer.push(chunk) {
            Ok(complete) => events.extend(complete),
            Err(error) => return (events, Some(error)),
        }
    }
    (events, None)
}
