//! Turns tokens into nodes: block collections and scalars, the only ones that the reference
//! accepts.
use super::failure::{Failure, Mark, Result};
use super::scanner::Scanner;
use super::token::{Kind, Token};
use super::unicode::quoted;

/// The nesting limit. The reference has no limit of its own and ends with a `RecursionError` at
/// some greater depth.
const MOST_DEPTH: usize = 64;

/// A node with its start and end.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) start: Mark,
    pub(super) end: Mark,
    pub(super) content: Content,
}

#[derive(Debug)]
pub(super) enum Content {
    Scalar { text: String, plain: bool },
    Sequence(Vec<Node>),
    Mapping(Vec<(Node, Node)>),
}

/// Parses the tokens of a scanner.
#[derive(Debug)]
pub(super) struct Parser<'a> {
    scanner: &'a mut Scanner,
    depth: usize,
}

/// Whether a node may begin with `-` in the column of its key: only after a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NodePosition {
    Key,
    Entry,
}

impl<'a> Parser<'a> {
    pub(super) fn new(scanner: &'a mut Scanner) -> Self {
        Self { scanner, depth: 0 }
    }

    /// Parses the only document. Returns `None` if it is empty.
    pub(super) fn document(mut self) -> Result<Option<Node>> {
        let mut token = self.scanner.take()?;
        self.scanner.move_comments(&mut token)?;
        if self.scanner.check(&[Kind::Directive, Kind::DocumentStart, Kind::StreamEnd])? {
            self.no_explicit_document()?;
            return Ok(None);
        }
        let node = self.node(NodePosition::Entry)?;
        if self.scanner.check(&[Kind::DocumentEnd])? {
            self.scanner.take()?;
        }
        if !self.scanner.check(&[Kind::Directive, Kind::DocumentStart, Kind::StreamEnd])? {
            let (context, problem) =
                ("expected a single document in the stream", "but found another document");
            let mark = self.scanner.peek()?.start;
            return Err(Failure::within(context, Some(node.start), problem, mark));
        }
        self.no_explicit_document()?;
        Ok(Some(node))
    }

    /// Reports an error unless the stream ends here. A document that begins with three hyphens
    /// can't occur, because the reference ends the front matter there.
    fn no_explicit_document(&mut self) -> Result<()> {
        while self.scanner.check(&[Kind::DocumentEnd])? {
            self.scanner.take()?;
        }
        if self.scanner.check(&[Kind::StreamEnd])? {
            self.scanner.take()?;
            return Ok(());
        }
        let (mut versions, mut handles) = (0, Vec::new());
        while self.scanner.check(&[Kind::Directive])? {
            let token = self.scanner.take()?;
            if let Some(version) = token.text.strip_prefix("YAML ") {
                if versions > 0 {
                    return Err(Failure::at("found duplicate YAML directive", token.start));
                }
                versions += 1;
                let major = version.split('.').next().unwrap_or_default();
                if major.trim_start_matches('0') != "1" {
                    let problem = "found incompatible YAML document (version 1.* is required)";
                    return Err(Failure::at(problem, token.start));
                }
            } else if let Some(handle) = token.text.strip_prefix("TAG ") {
                if handles.iter().any(|known| known == handle) {
                    return Err(Failure::at(format!("duplicate tag handle {}", quoted(handle)), token.start));
                }
                handles.push(handle.to_owned());
            }
        }
        let found = self.scanner.peek()?;
        let problem = format!("expected '<document start>', but found '{}'", found.kind.id());
        Err(Failure::at(problem, found.start))
    }

    fn node(&mut self, place: NodePosition) -> Result<Node> {
        if self.depth >= MOST_DEPTH {
            return Err(Failure::Limit(format!("is nested more than {MOST_DEPTH} levels deep")));
        }
        self.depth += 1;
        let node = self.node_here(place);
        self.depth -= 1;
        node
    }

    fn node_here(&mut self, place: NodePosition) -> Result<Node> {
        if self.scanner.check(&[Kind::Alias])? {
            // Anchors are rejected, so every alias is undefined.
            let token = self.scanner.take()?;
            return Err(Failure::at(format!("found undefined alias {}", quoted(&token.text)), token.start));
        }
        self.scanner.check(&[Kind::Anchor])?;
        self.scanner.check(&[Kind::Tag])?;
        let start = self.scanner.peek()?.start;
        if place == NodePosition::Key && self.scanner.check(&[Kind::BlockEntry])? {
            if let Some(comments) = &mut self.scanner.peek()?.comments {
                comments.after = false;
            }
            return self.indentless_sequence(start);
        }
        if self.scanner.check(&[Kind::Scalar])? {
            let Token { end, text, plain, .. } = self.scanner.take()?;
            return Ok(Node { start, end, content: Content::Scalar { text, plain } });
        }
        self.scanner.check(&[Kind::FlowSequenceStart])?;
        self.scanner.check(&[Kind::FlowMappingStart])?;
        if self.scanner.check(&[Kind::BlockSequenceStart])? {
            let token = self.scanner.peek()?;
            if token.comments.is_some_and(|comments| comments.after && !comments.before) {
                token.comments = None;
            }
            return self.block_sequence(start);
        }
        if self.scanner.check(&[Kind::BlockMappingStart])? {
            return self.block_mapping(start);
        }
        let found = self.scanner.peek()?;
        let problem = format!("expected the node content, but found '{}'", found.kind.id());
        Err(Failure::within("while parsing a block node", Some(start), problem, found.start))
    }

    fn block_sequence(&mut self, start: Mark) -> Result<Node> {
        let begin = self.scanner.take()?.start;
        let mut items = Vec::new();
        while self.scanner.check(&[Kind::BlockEntry])? {
            items.push(self.entry(&[Kind::BlockEntry, Kind::BlockEnd])?);
        }
        self.expect_block_end("while parsing a block collection", begin)?;
        let end = self.scanner.take()?.end;
        Ok(Node { start, end, content: Content::Sequence(items) })
    }

    fn indentless_sequence(&mut self, start: Mark) -> Result<Node> {
        let mut items = Vec::new();
        while self.scanner.check(&[Kind::BlockEntry])? {
            items.push(self.entry(&[Kind::BlockEntry, Kind::Key, Kind::Value, Kind::BlockEnd])?);
        }
        let end = self.scanner.peek()?.start;
        Ok(Node { start, end, content: Content::Sequence(items) })
    }

    /// Parses the node after a `-`. It is empty if a token of one of these kinds follows.
    fn entry(&mut self, ends: &[Kind]) -> Result<Node> {
        let mut token = self.scanner.take()?;
        self.scanner.move_comments(&mut token)?;
        if self.scanner.check(ends)? { Ok(empty(token.end)) } else { self.node(NodePosition::Entry) }
    }

    fn block_mapping(&mut self, start: Mark) -> Result<Node> {
        let begin = self.scanner.take()?.start;
        let mut members = Vec::new();
        loop {
            let key = if self.scanner.check(&[Kind::Key])? {
                let mut token = self.scanner.take()?;
                self.scanner.move_comments(&mut token)?;
                if self.scanner.check(&[Kind::Key, Kind::Value, Kind::BlockEnd])? {
                    empty(token.end)
                } else {
                    self.node(NodePosition::Key)?
                }
            } else if self.scanner.check(&[Kind::Value])? {
                empty(self.scanner.peek()?.start)
            } else {
                break;
            };
            members.push((key, self.member_value()?));
        }
        self.expect_block_end("while parsing a block mapping", begin)?;
        let mut token = self.scanner.take()?;
        let end = token.end;
        self.scanner.move_comments(&mut token)?;
        Ok(Node { start, end, content: Content::Mapping(members) })
    }

    fn member_value(&mut self) -> Result<Node> {
        if !self.scanner.check(&[Kind::Value])? {
            return Ok(empty(self.scanner.peek()?.start));
        }
        let mut token = self.scanner.take()?;
        if self.scanner.check(&[Kind::Value])? || !self.scanner.check(&[Kind::Key])? {
            self.scanner.move_comments(&mut token)?;
        }
        if !self.scanner.check(&[Kind::Key, Kind::Value, Kind::BlockEnd])? {
            return self.node(NodePosition::Key);
        }
        if token.comments.is_some() {
            return Ok(empty(token.end));
        }
        let next = self.scanner.peek()?;
        if let Some(comments) = &mut next.comments {
            comments.after = false;
        }
        Ok(empty(next.end))
    }

    fn expect_block_end(&mut self, context: &str, begin: Mark) -> Result<()> {
        if self.scanner.check(&[Kind::BlockEnd])? {
            return Ok(());
        }
        let found = self.scanner.peek()?;
        let problem = format!("expected <block end>, but found '{}'", found.kind.id());
        Err(Failure::within(context, Some(begin), problem, found.start))
    }
}

/// Returns the node for a missing value.
fn empty(mark: Mark) -> Node {
    Node { start: mark, end: mark, content: Content::Scalar { text: String::new(), plain: true } }
}
