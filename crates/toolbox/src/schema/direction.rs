//! Which side of a type a schema describes.

/// The side of a type: what a program reads may differ from what it writes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Direction {
    Input,
    Output,
}
