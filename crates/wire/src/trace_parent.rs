//! The `traceparent` of W3C Trace Context: the trace that a request belongs to, and the span that
//! caused it. This module is pure: callers pass in random ids.
use std::fmt;

use crate::hex::{from_hex, hex};

/// A position in a trace. Its ids are never all zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TraceParent {
    pub trace_id: [u8; 16],
    pub span_id: [u8; 8],
    pub flags: u8,
}

/// The flag that means that the caller records this trace.
const SAMPLED: u8 = 1;
/// The length of `00-`, two ids and the flags, with hyphens between them.
const LENGTH: usize = 55;

impl TraceParent {
    /// The first span of a new, recorded trace.
    pub fn root(trace_id: [u8; 16], span_id: [u8; 8]) -> Self {
        Self { trace_id, span_id, flags: SAMPLED }
    }

    /// Parses the header or `_meta` value. A newer version may have more text after a hyphen. Upper
    /// case, all-zero ids and the version `ff` are invalid.
    ///
    /// ```
    /// use overt_wire::TraceParent;
    /// let parent = TraceParent::parse("00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01").unwrap();
    /// let child = parent.child([0xab; 8]);
    /// assert_eq!(child.to_string(), "00-0af7651916cd43dd8448eb211c80319c-abababababababab-01");
    /// ```
    pub fn parse(text: &str) -> Option<Self> {
        let bytes = text.as_bytes();
        let known = bytes.get(..LENGTH)?;
        let [version] = from_hex::<1>(&known[..2])?;
        let ends = match version {
            0 => bytes.len() == LENGTH,
            0xff => false,
            _ => bytes.len() == LENGTH || bytes[LENGTH] == b'-',
        };
        let hyphens = [2, 35, 52].iter().all(|&at| known[at] == b'-');
        let trace_id = from_hex::<16>(&known[3..35])?;
        let span_id = from_hex::<8>(&known[36..52])?;
        let [flags] = from_hex::<1>(&known[53..])?;
        (ends && hyphens && trace_id != [0; 16] && span_id != [0; 8]).then_some(Self {
            trace_id,
            span_id,
            flags,
        })
    }

    /// Another span of the same trace, caused by this span.
    #[must_use]
    pub fn child(self, span_id: [u8; 8]) -> Self {
        Self { span_id, ..self }
    }

    pub fn is_sampled(self) -> bool {
        self.flags & SAMPLED != 0
    }
}

impl fmt::Display for TraceParent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Only the flags that version 00 defines may be passed on.
        write!(f, "00-{}-{}-{:02x}", hex(&self.trace_id), hex(&self.span_id), self.flags & SAMPLED)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01";

    #[test]
    fn what_is_read_is_written_again() {
        let parent = TraceParent::parse(GOOD).unwrap();
        assert_eq!(parent.to_string(), GOOD);
        assert!(parent.is_sampled());
        assert!(!TraceParent::parse(&GOOD.replace("-01", "-00")).unwrap().is_sampled());
    }

    #[test]
    fn newer_versions_may_go_on_and_are_written_as_ours() {
        let newer = GOOD.replacen("00", "01", 1);
        for text in [newer.clone(), format!("{newer}-what-comes-later")] {
            assert_eq!(TraceParent::parse(&text).unwrap().to_string(), GOOD, "{text}");
        }
        assert_eq!(TraceParent::parse(&format!("{newer}.x")), None);
    }

    #[test]
    fn unknown_flags_are_not_passed_on() {
        let parent = TraceParent::parse(&GOOD.replace("-01", "-ff")).unwrap();
        assert_eq!(parent.to_string(), GOOD);
    }

    #[test]
    fn what_breaks_the_rules_is_not_read() {
        for bad in [
            "",
            "00",
            &GOOD[..54],
            &format!("{GOOD}-x"),
            &format!("{GOOD} "),
            &GOOD.to_uppercase(),
            &GOOD.replacen("00-", "ff-", 1),
            &GOOD.replace("0af7651916cd43dd8448eb211c80319c", "00000000000000000000000000000000"),
            &GOOD.replace("00f067aa0ba902b7", "0000000000000000"),
            &GOOD.replace('-', "_"),
            &GOOD.replace("0af", "0é"),
            &GOOD.replacen('0', "+", 1),
        ] {
            assert_eq!(TraceParent::parse(bad), None, "{bad}");
        }
    }
}
