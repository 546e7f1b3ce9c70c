//! Which side of a type is described.

/// What is read may differ from what is written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Direction {
    Input,
    Output,
}
