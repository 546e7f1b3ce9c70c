//! Grants and open questions, kept.
