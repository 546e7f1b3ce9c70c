//! Lines in any chunks are those of a model that sees the whole stream. The first two bytes of the
//! input choose the limit and the sizes of the chunks.
#![no_main]
use libfuzzer_sys::fuzz_target;
use overt_wire::frame::{LineFrame, LineFramer};

#[path = "../chunks.rs"]
mod chunks;

fuzz_target!(|input: &[u8]| {
    let [limit, sizes, stream @ ..] = input else { return };
    let limit = usize::from(*limit);
    let mut framer = LineFramer::with_limit(limit);
    let mut lines = Vec::new();
    for chunk in chunks::of(stream, *sizes) {
        framer.push(chunk);
        lines.extend(std::iter::from_fn(|| framer.next_line()));
    }
    lines.extend(framer.finish());
    // Which id a long line has is checked where it is found.
    for line in &mut lines {
        if let LineFrame::TooLong { id, .. } = line {
            *id = None;
        }
    }
    assert_eq!(lines, model(stream, limit));
});

fn model(stream: &[u8], limit: usize) -> Vec<LineFrame> {
    let mut lines = Vec::new();
    for line in stream.split(|byte| *byte == b'\n') {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if line.len() > limit {
            lines.push(LineFrame::TooLong { limit, id: None });
        } else if !line.trim_ascii().is_empty() {
            lines.push(LineFrame::Line(line.to_vec()));
        }
    }
    lines
}
