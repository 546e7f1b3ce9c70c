//! Pages of long lists. A cursor works only for the list that it was made for.
use overt_wire::json::{Array, Json, Member, Object};
use overt_wire::{ErrorObject, Message};

use overt_layers::seal::Seal;

/// The default number of entries in a page.
pub(super) const PAGE: usize = 100;
/// The most bytes in a page, so that it fits into a message.
const PAGE_BYTES: usize = 1 << 20;

/// Returns the page of `items` that a request asks for, as the member `name`.
pub(super) fn page(
    message: &Message,
    name: &str,
    items: &[Json<'_>],
    size: usize,
) -> Result<Object, ErrorObject> {
    // The key is derived from the list. So the same list gives the same cursors in every run, and
    // cursors of another list or of an older state of this list are rejected.
    let seal =
        || Seal::of(&items.iter().map(|item| item.as_str()).fold(name.to_owned(), |all, item| all + item));
    page_of(message, name, items, size, seal)
}

/// Returns the page of `items` that a request asks for. The seal must be specific to this list in
/// this state.
pub(super) fn page_of(
    message: &Message,
    name: &str,
    items: &[Json<'_>],
    size: usize,
    seal: impl Fn() -> Seal,
) -> Result<Object, ErrorObject> {
    let start = match message.param("cursor") {
        Member::Absent => 0,
        cursor => {
            let start =
                cursor.string().and_then(|cursor| seal().open(&cursor)).and_then(|at| at.parse().ok());
            match start {
                Some(start) if start < items.len() => start,
                _ => {
                    return Err(ErrorObject::invalid_params(
                        "`cursor` is not one that this list gave out; leave it away to start from the beginning",
                    ));
                }
            }
        }
    };
    let mut bytes = 0;
    let fitting = items[start..].iter().take(size).take_while(|item| {
        bytes += item.as_str().len();
        bytes <= PAGE_BYTES
    });
    // A page has at least one entry, however large.
    let end = items.len().min(start + fitting.count().max(1));
    let entries = items[start..end].iter().fold(Array::new(), |entries, item| entries.json(*item)).finish();
    let body = Object::with_capacity(entries.as_str().len() + 64).json(name, entries.as_json());
    Ok(if end < items.len() { body.string("nextCursor", &seal().close(&end.to_string())) } else { body })
}
