//! The bytes of a text as UTF-8, in blocks, up to the size that the file had when it was opened. So
//! reading ends even if the file keeps growing (FS-16).
use std::fs::File;
use std::io;

use encoding_rs::{Decoder, DecoderResult, UTF_16BE, UTF_16LE, WINDOWS_1252};

use super::kind::Encoding;
use super::unreadable::Unreadable;

/// Bytes that are read at a time.
pub(super) const BLOCK: usize = 64 << 10;

/// Bytes that can be read at any offset: an open file, or content that was already read.
pub(crate) trait Bytes {
    fn read_at(&self, block: &mut [u8], at: u64) -> io::Result<usize>;

    /// Returns the whole content, if it is already in memory.
    fn in_memory(&self) -> Option<&[u8]> {
        None
    }
}

impl Bytes for File {
    fn read_at(&self, block: &mut [u8], at: u64) -> io::Result<usize> {
        std::os::unix::fs::FileExt::read_at(self, block, at)
    }
}

impl Bytes for Vec<u8> {
    fn read_at(&self, block: &mut [u8], at: u64) -> io::Result<usize> {
        let rest = usize::try_from(at).ok().and_then(|at| self.get(at..)).unwrap_or_default();
        let count = rest.len().min(block.len());
        block[..count].copy_from_slice(&rest[..count]);
        Ok(count)
    }

    fn in_memory(&self) -> Option<&[u8]> {
        Some(self)
    }
}

/// A text that is read block by block.
pub(super) struct Source<'a> {
    file: &'a dyn Bytes,
    at: u64,
    end: u64,
    block: Vec<u8>,
    decoding: Option<Decoding>,
}

/// Conversion from another encoding to UTF-8.
struct Decoding {
    decoder: Decoder,
    text: Vec<u8>,
}

impl<'a> Source<'a> {
    /// Starts reading at `at`, which must be the start of a character.
    pub(super) fn new(file: &'a dyn Bytes, encoding: Encoding, at: u64, end: u64) -> Self {
        let at = at.max(encoding.mark_bytes());
        let decoder = match encoding {
            Encoding::Utf8 | Encoding::Utf8Marked => None,
            Encoding::Utf16Le => Some(UTF_16LE.new_decoder_without_bom_handling()),
            Encoding::Utf16Be => Some(UTF_16BE.new_decoder_without_bom_handling()),
            Encoding::Windows1252 => Some(WINDOWS_1252.new_decoder_without_bom_handling()),
        };
        let decoding = decoder.map(|decoder| Decoding { decoder, text: Vec::new() });
        Self { file, at, end, block: Vec::new(), decoding }
    }

    /// Returns the next block, or `None` at the end.
    pub(super) fn next(&mut self) -> Result<Option<&[u8]>, Unreadable> {
        let left = usize::try_from(self.end.saturating_sub(self.at)).unwrap_or(usize::MAX);
        let length = left.min(BLOCK);
        if length == 0 {
            return Ok(None);
        }
        if let (Some(bytes), None) = (self.file.in_memory(), &self.decoding) {
            return Ok(self.next_in_memory(bytes, length));
        }
        self.block.resize(length, 0);
        let read = read_at(self.file, &mut self.block, self.at)?;
        self.block.truncate(read);
        self.at += read as u64;
        if read < length {
            // The file became shorter.
            self.end = self.at;
        }
        match &mut self.decoding {
            None if read == 0 => Ok(None),
            None => Ok(Some(&self.block)),
            Some(decoding) => decoding.decode(&self.block, self.at >= self.end).map(Some),
        }
    }

    /// Returns a block of content that is already in memory, without a copy.
    fn next_in_memory(&mut self, bytes: &'a [u8], length: usize) -> Option<&'a [u8]> {
        let rest = usize::try_from(self.at).ok().and_then(|at| bytes.get(at..)).unwrap_or_default();
        let block = &rest[..length.min(rest.len())];
        self.at += block.len() as u64;
        if block.len() < length {
            self.end = self.at;
        }
        (!block.is_empty()).then_some(block)
    }

    /// The offset up to which the file was read.
    pub(super) fn at(&self) -> u64 {
        self.at
    }

    pub(super) fn is_at_end(&self) -> bool {
        self.at >= self.end
    }
}

impl Decoding {
    fn decode(&mut self, block: &[u8], is_last: bool) -> Result<&[u8], Unreadable> {
        let room = self.decoder.max_utf8_buffer_length_without_replacement(block.len()).unwrap_or(BLOCK * 4);
        self.text.resize(room, 0);
        let (result, _, written) =
            self.decoder.decode_to_utf8_without_replacement(block, &mut self.text, is_last);
        if result != DecoderResult::InputEmpty {
            return Err(Unreadable::NotText);
        }
        self.text.truncate(written);
        Ok(&self.text)
    }
}

/// Fills the block as far as the file has bytes.
pub(super) fn read_at(file: &dyn Bytes, block: &mut [u8], at: u64) -> Result<usize, Unreadable> {
    let mut filled = 0;
    while filled < block.len() {
        match file.read_at(&mut block[filled..], at + filled as u64) {
            Ok(0) => break,
            Ok(count) => filled += count,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(Unreadable::System(error)),
        }
    }
    Ok(filled)
}
