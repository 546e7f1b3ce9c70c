//! One line that ends in time: white space collapsed, what can't be seen made visible, the rest cut off with `…`.
use overt_wire::text::is_deceptive;

/// Stands where something was left out.
pub(super) const CUT: char = '…';

/// A line that is being written.
#[derive(Debug)]
pub(super) struct Line {
    text: String,
    /// Characters that still fit.
    room: usize,
    /// White space was read, and is written if something follows.
    space: bool,
    is_cut: bool,
}

impl Line {
    /// A line of so many characters at most.
    pub(super) fn new(longest: usize) -> Self {
        Self { text: String::new(), room: longest, space: false, is_cut: false }
    }

    /// Other people's text.
    pub(super) fn push(&mut self, text: &str) {
        let mut rest = text;
        while let Some(c) = rest.chars().next().filter(|_| !self.is_cut) {
            // Most words are plain, and fit.
            let plain = rest.bytes().take_while(u8::is_ascii_graphic).count();
            if plain > 0 && plain + 1 < self.room {
                self.put(&rest[..plain], plain);
                rest = &rest[plain..];
                continue;
            }
            if is_space(c) {
                self.space = true;
            } else if is_deceptive(c) {
                let shown = format!("\\u{{{:x}}}", u32::from(c));
                self.put(&shown, shown.len());
            } else {
                self.put(c.encode_utf8(&mut [0; 4]), 1);
            }
            rest = &rest[c.len_utf8()..];
        }
    }

    /// What is written together, or not at all. One character is always kept for the mark of a cut.
    fn put(&mut self, text: &str, characters: usize) {
        let space = self.space && !self.text.is_empty();
        let wanted = characters + usize::from(space);
        if wanted >= self.room {
            self.is_cut = true;
            self.text.push(CUT);
            return;
        }
        if space {
            self.text.push(' ');
        }
        self.space = false;
        self.text.push_str(text);
        self.room -= wanted;
    }

    pub(super) fn is_cut(&self) -> bool {
        self.is_cut
    }

    pub(super) fn finish(self) -> String {
        self.text
    }
}

/// White space that only lays a text out. Separators that end a line elsewhere are shown instead.
pub(super) fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\r') || (c.is_whitespace() && !is_deceptive(c))
}
