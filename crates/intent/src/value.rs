//! Turns values into pieces of a line. Missing values are marked, and omitted elements are counted.
use serde_json::Value;

use super::line::{Limits, Piece};
use super::quote::{CUT, HIDDEN, Leaf};
use overt_secrets::is_secret_name;

/// The number of pieces after which lists end. No line has room for more.
const MOST: usize = 600;
/// The levels of lists and objects that are shown.
const DEEPEST: usize = 8;

/// The pieces of a line that is being built.
#[derive(Debug)]
pub(super) struct Pieces {
    pub(super) all: Vec<Piece>,
    pub(super) limits: Limits,
}

impl Pieces {
    pub(super) fn new(limits: Limits) -> Self {
        Self { all: Vec::new(), limits }
    }

    pub(super) fn text(&mut self, text: &str) {
        self.all.push(Piece::text(text));
    }

    pub(super) fn mark(&mut self, mark: &'static str) {
        self.all.push(Piece::Mark(mark.into()));
    }

    /// Adds the name of a tool or an argument.
    pub(super) fn name(&mut self, name: &str) {
        self.all.push(Piece::Value(Leaf::name(name)));
    }

    /// Adds the mark of a missing value: `(no path)`.
    pub(super) fn missing(&mut self, name: &str) {
        self.mark("(no ");
        self.name(name);
        self.mark(")");
    }

    pub(super) fn hidden(&mut self) {
        self.mark(HIDDEN);
    }

    /// Shows the first items with commas between them, and counts the others. `all` is the number
    /// of items, of which `items` may yield fewer.
    pub(super) fn list<T>(
        &mut self,
        most: usize,
        all: usize,
        items: impl Iterator<Item = T>,
        mut show: impl FnMut(&mut Self, T),
    ) {
        let mut shown = 0;
        for item in items.take(most) {
            if self.all.len() >= MOST {
                break;
            }
            self.comma_after(shown);
            show(self, item);
            shown += 1;
        }
        if shown < all {
            self.comma_after(shown);
            self.more(all - shown);
        }
    }

    /// Adds a comma, unless it would be before the first item.
    pub(super) fn comma_after(&mut self, items: usize) {
        if items > 0 {
            self.all.push(Piece::Comma);
        }
    }

    /// Adds the count of the other items: `… and 37 more`.
    pub(super) fn more(&mut self, count: usize) {
        self.all.push(Piece::Mark(format!("{CUT} and {count} more").into()));
    }

    /// Adds a value of an argument: a list in brackets, an object in braces.
    pub(super) fn value(&mut self, value: &Value) {
        self.value_in(value, DEEPEST);
    }

    /// Adds the elements of a list in a sentence, without brackets.
    pub(super) fn elements(&mut self, items: &[Value]) {
        self.list(self.limits.elements, items.len(), items.iter(), Self::value);
    }

    /// Adds the value of a member. It is hidden if its name means a credential.
    pub(super) fn member(&mut self, name: &str, value: &Value) {
        self.member_in(name, value, DEEPEST);
    }

    fn value_in(&mut self, value: &Value, levels: usize) {
        match value {
            Value::Null => self.mark("null"),
            Value::Bool(true) => self.mark("true"),
            Value::Bool(false) => self.mark("false"),
            Value::Number(number) => self.all.push(Piece::Value(Leaf::bare(&number.to_string()))),
            Value::String(text) => self.all.push(Piece::Value(Leaf::quoted(text))),
            Value::Array(items) if items.is_empty() => self.mark("[]"),
            Value::Object(members) if members.is_empty() => self.mark("{}"),
            Value::Array(_) if levels == 0 => self.mark("[…]"),
            Value::Object(_) if levels == 0 => self.mark("{…}"),
            Value::Array(items) => {
                self.mark("[");
                self.list(self.limits.elements, items.len(), items.iter(), |pieces, item| {
                    pieces.value_in(item, levels - 1);
                });
                self.mark("]");
            }
            Value::Object(members) => {
                self.mark("{");
                self.list(self.limits.members, members.len(), members.iter(), |pieces, (name, value)| {
                    pieces.all.push(Piece::Value(Leaf::quoted(name)));
                    pieces.mark(": ");
                    pieces.member_in(name, value, levels - 1);
                });
                self.mark("}");
            }
        }
    }

    fn member_in(&mut self, name: &str, value: &Value, levels: usize) {
        if is_secret_name(name) && !is_harmless(value) {
            self.hidden();
        } else {
            self.value_in(value, levels);
        }
    }
}

/// Returns whether a value is never a secret, whatever its name: a boolean or null.
pub(super) fn is_harmless(value: &Value) -> bool {
    matches!(value, Value::Null | Value::Bool(_))
}
