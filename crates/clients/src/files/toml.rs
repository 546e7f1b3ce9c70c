//! Parses TOML for the positions of its values.
use ::toml::Spanned;
use ::toml::de::{DeTable, DeValue};

use super::node::{Member, Node, Value};

/// Why a file is not TOML.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {problem}")]
pub struct TomlError {
    line: usize,
    problem: String,
}

const BYTE_ORDER_MARK: &str = "\u{feff}";

/// Parses the file as one table. Ranges count from the beginning of the text, including a byte
/// order mark. The range of a table with its own heading is that heading.
pub(super) fn parse(text: &str) -> Result<Node, TomlError> {
    let plain = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
    let start = text.len() - plain.len();
    let table = DeTable::parse(plain).map_err(|error| {
        let end = error.span().map_or(0, |span| span.start);
        let line = plain.get(..end).unwrap_or_default().bytes().filter(|byte| *byte == b'\n').count() + 1;
        TomlError { line, problem: error.message().replace('\n', ", ") }
    })?;
    Ok(Node { range: 0..text.len(), value: members(plain, table.get_ref(), start) })
}

fn members(text: &str, table: &DeTable<'_>, start: usize) -> Value {
    let member = |(name, value): (&Spanned<std::borrow::Cow<'_, str>>, &Spanned<DeValue<'_>>)| {
        let range = name.span();
        Member {
            name: name.get_ref().to_string(),
            name_range: range.start + start..range.end + start,
            node: node(text, value, start),
        }
    };
    Value::Object(table.iter().map(member).collect())
}

fn node(text: &str, value: &Spanned<DeValue<'_>>, start: usize) -> Node {
    let range = value.span();
    let inner = match value.get_ref() {
        DeValue::String(text) => Value::String(text.to_string()),
        DeValue::Array(items) => Value::Array(items.iter().map(|item| node(text, item, start)).collect()),
        DeValue::Table(table) => members(text, table, start),
        DeValue::Boolean(_) | DeValue::Integer(_) | DeValue::Float(_) | DeValue::Datetime(_) => {
            Value::Scalar(text.get(range.clone()).unwrap_or_default().to_owned())
        }
    };
    Node { range: range.start + start..range.end + start, value: inner }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_know_where_they_are() {
        let text = "\u{feff}# é\r\n[mcp_servers.a]\r\ncommand = 'npx' # x\r\nargs = [ \"-y\", ] \r\n\r\n[mcp_servers]\r\nb = { command = \"uvx\" }\r\n";
        let root = parse(text).unwrap();
        let servers = root.get("mcp_servers").unwrap();
        let at = |node: &Node| text[node.range.clone()].to_owned();
        let a = servers.get("a").unwrap();
        assert_eq!(at(a.get("command").unwrap()), "'npx'");
        assert_eq!(at(a.get("args").unwrap()), "[ \"-y\", ]");
        assert_eq!(&text[a.member("args").unwrap().name_range.clone()], "args");
        assert_eq!(at(servers.get("b").unwrap()), "{ command = \"uvx\" }");
        assert_eq!(parse("a = 1\nb = [").unwrap_err().line, 2);
    }
}
