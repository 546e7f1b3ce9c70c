//! Parsers for values of options.

use clap::builder::{RangedU64ValueParser, TypedValueParser as _, ValueParser};

/// Parses a number of rounds, calls or entries, which must be above 0.
pub(crate) fn count() -> ValueParser {
    RangedU64ValueParser::<usize>::new().range(1..).into()
}

/// Parses one of these names and converts it with `find`.
pub(crate) fn one_of<T: Clone + Send + Sync + 'static>(
    names: impl IntoIterator<Item = &'static str>,
    find: impl Fn(&str) -> Option<T> + Clone + Send + Sync + 'static,
) -> ValueParser {
    let names = clap::builder::PossibleValuesParser::new(names);
    names.try_map(move |name| find(&name).ok_or("there is no such name")).into()
}
