//! Cuts a stream into chunks of changing sizes.

/// The chunks of a stream; the low and the high half of `sizes` take turns.
pub(crate) fn of(mut stream: &[u8], sizes: u8) -> Vec<&[u8]> {
    let sizes = [usize::from(sizes & 15) + 1, usize::from(sizes >> 4) + 1];
    let mut chunks = Vec::new();
    for size in sizes.into_iter().cycle() {
        let (chunk, rest) = stream.split_at(size.min(stream.len()));
        chunks.push(chunk);
        stream = rest;
        if stream.is_empty() {
            break;
        }
    }
    chunks
}
