//! Parses a template. Every text is a valid template.
use super::template::{Key, Node, Oddity, Template};

/// The most characters of a template, which is one line for people. The rest is not read.
pub(super) const LONGEST: usize = 2000;
/// The deepest nesting of groups. A bracket beyond it is plain text.
pub(super) const DEEPEST: usize = 8;

impl Template {
    /// Parses a template. There are no escapes and no errors. A key without its closing brace and a
    /// group without its closing bracket extend to the end.
    pub fn parse(text: &str) -> Self {
        parse(text)
    }
}

fn parse(text: &str) -> Template {
    let mut oddities = Vec::new();
    let read = match text.char_indices().nth(LONGEST) {
        Some((end, _)) => {
            oddities.push(Oddity::TooLong);
            &text[..end]
        }
        None => text,
    };
    let mut open = Open { levels: vec![Vec::new()], oddities };
    let mut rest = read;
    while let Some(at) = rest.find(['{', '[', ']']) {
        open.text(&rest[..at]);
        let (mark, after) = rest[at..].split_at(1);
        rest = match mark {
            "{" => open.key(after),
            "[" => open.begin(after),
            _ => open.end(after),
        };
    }
    open.text(rest);
    let mut template = open.close();
    if read.len() < text.len() {
        template.nodes.push(Node::Text("…".to_owned()));
    }
    template
}

/// The open groups; the template itself is the first.
struct Open {
    levels: Vec<Vec<Node>>,
    oddities: Vec<Oddity>,
}

impl Open {
    fn push(&mut self, node: Node) {
        if let Some(level) = self.levels.last_mut() {
            level.push(node);
        }
    }

    fn text(&mut self, text: &str) {
        if !text.is_empty() {
            self.push(Node::Text(text.to_owned()));
        }
    }

    /// Reads a key after its `{`. Like `begin` and `end`, it returns the text that is still to be
    /// read.
    fn key<'a>(&mut self, after: &'a str) -> &'a str {
        let (text, rest) = after.split_once('}').unwrap_or_else(|| {
            self.oddities.push(Oddity::BraceOpen);
            (after, "")
        });
        let key = Key::new(text);
        if key.segments.is_empty() {
            self.oddities.push(Oddity::EmptyKey);
        }
        self.push(Node::Key(key));
        rest
    }

    fn begin<'a>(&mut self, after: &'a str) -> &'a str {
        if self.levels.len() > DEEPEST {
            self.oddities.push(Oddity::TooDeep);
            self.text("[");
        } else {
            self.levels.push(Vec::new());
        }
        after
    }

    fn end<'a>(&mut self, after: &'a str) -> &'a str {
        if self.levels.len() == 1 {
            self.oddities.push(Oddity::BracketStray);
            self.text("]");
        } else {
            self.close_group();
        }
        after
    }

    fn close_group(&mut self) {
        if let Some(inside) = self.levels.pop() {
            self.push(Node::Group(inside));
        }
    }

    fn close(mut self) -> Template {
        while self.levels.len() > 1 {
            self.oddities.push(Oddity::BracketOpen);
            self.close_group();
        }
        Template { nodes: self.levels.pop().unwrap_or_default(), oddities: self.oddities }
    }
}
