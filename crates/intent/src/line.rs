//! Lays out pieces in one line. They share its room, so no piece can push another out of view.
use std::borrow::Cow;

use overt_wire::text::is_deceptive;

use super::quote::{CUT, Leaf, code_of, cut_in_middle};

/// Limits that are tried in turn until each value has enough room. Elements are omitted before
/// members, because each member has its own name.
const LIMITS: [Limits; 8] = [
    Limits::new(40, 40),
    Limits::new(20, 30),
    Limits::new(12, 30),
    Limits::new(8, 30),
    Limits::new(5, 30),
    Limits::new(3, 30),
    Limits::new(2, 30),
    Limits::new(1, 30),
];
const FEWER_MEMBERS: [Limits; 5] =
    [Limits::new(1, 15), Limits::new(1, 8), Limits::new(1, 4), Limits::new(1, 2), Limits::LEAST];
/// Characters that each value should get; elements are omitted to make that possible.
const FAIR: usize = 40;
/// Characters that each value always gets, if it needs them.
const LEAST: usize = 12;
/// Room for the text `… and N more`.
const COUNT: usize = 32;

/// How much of each list and each object is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Limits {
    pub(super) elements: usize,
    pub(super) members: usize,
}

/// A part of a line.
#[derive(Debug, Clone)]
pub(super) enum Piece {
    /// Text of a template, with white space collapsed and invisible characters escaped.
    Text(String),
    /// Punctuation and words by Overt. Never cut.
    Mark(Cow<'static, str>),
    /// A comma, which removes the space before it.
    Comma,
    Value(Leaf),
}

/// A finished line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Line {
    pub(super) text: String,
    /// The number of characters of values that are not shown.
    pub(super) left_out: usize,
}

/// Lays out a line of at most `room` characters that shows as much of lists and objects as fits.
/// `build` makes the pieces within the given limits.
pub(super) fn fit(room: usize, build: impl Fn(Limits) -> Vec<Piece>) -> Line {
    let tried = LIMITS.map(|limits| (limits, FAIR)).into_iter();
    let tried = tried.chain(LIMITS.into_iter().chain(FEWER_MEMBERS).map(|limits| (limits, LEAST)));
    for (limits, least) in tried {
        let pieces = build(limits);
        if need(&pieces, least) <= room {
            return write(&pieces, room);
        }
    }
    write(&build(Limits::LEAST), room)
}

/// Returns a line with all the pieces, if each value gets enough room. That is the case for most
/// calls.
pub(super) fn fit_whole(pieces: &[Piece], room: usize) -> Option<Line> {
    (need(pieces, FAIR) <= room).then(|| write(pieces, room))
}

/// Returns whether each value gets at least [`LEAST`] characters.
pub(super) fn fits(pieces: &[Piece], room: usize) -> bool {
    need(pieces, LEAST) <= room
}

/// Writes the pieces in at most `room` characters.
fn write(pieces: &[Piece], room: usize) -> Line {
    let shown = longest_start(pieces, room);
    let (pieces, dropped) = pieces.split_at(shown);
    let room = if dropped.is_empty() { room } else { room - COUNT };
    let (mut texts, mut values, mut marks) = (Vec::new(), Vec::new(), 0);
    for piece in pieces {
        match piece {
            Piece::Text(_) => texts.push(piece.width()),
            Piece::Value(_) => values.push(piece.width()),
            Piece::Mark(_) | Piece::Comma => marks += piece.width(),
        }
    }
    let room = room - marks;
    // The text of a template is cut only if the values need its room.
    let fair: usize = values.iter().map(|width| FAIR.min(*width)).sum();
    let least: usize = texts.iter().map(|width| LEAST.min(*width)).sum();
    let all: usize = texts.iter().sum();
    let for_texts = all.min(room.saturating_sub(fair).max(least));
    let (text_share, value_share) = (share(texts, for_texts), share(values, room - for_texts));
    let mut writer = Writer::default();
    for piece in pieces {
        match piece {
            Piece::Text(text) => writer.text(text, text_share),
            Piece::Mark(mark) => writer.word(mark),
            Piece::Comma => writer.comma(),
            Piece::Value(leaf) => writer.value(leaf, value_share),
        }
    }
    if !dropped.is_empty() {
        let values = dropped.iter().filter(|piece| matches!(piece, Piece::Value(_))).count();
        writer.space = true;
        writer.word(&if values == 0 { CUT.to_string() } else { format!("{CUT} and {values} more") });
    }
    writer.line
}

/// Returns the room that the pieces need if each value gets at least `least` characters.
fn need(pieces: &[Piece], least: usize) -> usize {
    let of = |piece: &Piece| match piece {
        Piece::Value(_) => piece.width().min(least),
        _ => piece.width(),
    };
    pieces.iter().map(of).sum()
}

/// Returns how many pieces, counted from the first, can be shown at all.
fn longest_start(pieces: &[Piece], room: usize) -> usize {
    let least = |piece: &Piece| match piece {
        Piece::Mark(_) | Piece::Comma => piece.width(),
        Piece::Text(_) | Piece::Value(_) => piece.width().min(LEAST),
    };
    if pieces.iter().map(least).sum::<usize>() <= room {
        return pieces.len();
    }
    let mut used = COUNT;
    let fits = |piece: &&Piece| {
        used += least(piece);
        used <= room
    };
    pieces.iter().take_while(fits).count()
}

/// Returns the largest width of a piece with which all of them fit in `room`. Short pieces leave
/// their rest to long ones.
fn share(mut widths: Vec<usize>, mut room: usize) -> usize {
    widths.sort_unstable();
    let mut left = widths.len();
    for width in widths {
        if width > room / left {
            return room / left;
        }
        room -= width;
        left -= 1;
    }
    usize::MAX
}

impl Limits {
    pub(super) const LEAST: Self = Self::new(1, 1);
    pub(super) const MOST: Self = LIMITS[0];

    const fn new(elements: usize, members: usize) -> Self {
        Self { elements, members }
    }
}

impl Piece {
    /// Builds a piece from the text of a template.
    pub(super) fn text(text: &str) -> Self {
        let mut shown = String::with_capacity(text.len());
        for c in text.chars() {
            if is_space(c) {
                if !shown.ends_with(' ') {
                    shown.push(' ');
                }
            } else if is_deceptive(c) {
                shown.push_str(&code_of(c));
            } else {
                shown.push(c);
            }
        }
        Self::Text(shown)
    }

    /// Builds a piece that counts the other arguments.
    pub(super) fn more_arguments(count: usize) -> Self {
        let noun = if count == 1 { "argument" } else { "arguments" };
        Self::Mark(format!("{CUT} and {count} more {noun}").into())
    }

    fn width(&self) -> usize {
        match self {
            Self::Text(text) => text.chars().count(),
            Self::Mark(mark) => mark.chars().count(),
            Self::Comma => 2,
            Self::Value(leaf) => leaf.width(),
        }
    }
}

#[derive(Default)]
struct Writer {
    line: Line,
    /// Whether to write a space if something follows.
    space: bool,
}

impl Writer {
    fn word(&mut self, word: &str) {
        if self.space && !self.line.text.is_empty() && !word.is_empty() {
            self.line.text.push(' ');
        }
        self.space &= word.is_empty();
        self.line.text.push_str(word);
    }

    fn comma(&mut self) {
        self.line.text.push(',');
        self.space = true;
    }

    fn text(&mut self, text: &str, room: usize) {
        self.space |= text.starts_with(' ');
        let words = text.trim_matches(' ');
        let blanks = text.len() - words.len();
        match text.chars().count() <= room {
            true => self.word(words),
            false => self.word(&cut_in_middle(words, room.saturating_sub(blanks)).0),
        }
        self.space |= text.ends_with(' ');
    }

    fn value(&mut self, leaf: &Leaf, room: usize) {
        let (text, left_out) = leaf.cut_to(room);
        self.word(&text);
        self.line.left_out += left_out;
    }
}

/// White space that is collapsed. Line separators and other control characters are escaped instead.
pub(super) fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\r') || (c.is_whitespace() && !is_deceptive(c))
}
