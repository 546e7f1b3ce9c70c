//! Reads the paths that a file names: each leaf of its `use` trees, and the qualified paths in its
//! code.

use crate::tidy::code::Code;

/// The segments of a path.
pub(crate) type Path = Vec<String>;

/// What a file declares and names, without its tests.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Imports {
    /// The modules that it declares with `mod NAME;`.
    pub(crate) children: Vec<String>,
    pub(crate) uses: Vec<Use>,
    /// Paths such as `super::limits::MOST` outside `use`.
    pub(crate) qualified: Vec<Path>,
}

/// A leaf of a `use` tree.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Use {
    /// Whether it is a `pub use` of any visibility, which is a re-export and not an import.
    pub(crate) exported: bool,
    pub(crate) path: Path,
    /// Its name in the file.
    pub(crate) name: String,
}

/// Reads the tokens of a file one by one.
struct Reader<'a> {
    tokens: &'a [&'a str],
    at: usize,
    imports: Imports,
}

// === impl Imports ===

impl Imports {
    pub(crate) fn read(code: &Code) -> Self {
        let lines: Vec<&str> =
            code.lines().filter(|(_, line)| !line.test).map(|(_, line)| line.text.as_str()).collect();
        let text = lines.join("\n");
        let tokens = tokens(&text);
        Reader { tokens: &tokens, at: 0, imports: Self::default() }.read()
    }
}

// === impl Reader ===

impl Reader<'_> {
    fn read(mut self) -> Imports {
        while let Some(token) = self.peek(0) {
            match token {
                "use" if self.peek(1) != Some("<") => {
                    let exported = self.is_exported();
                    self.at += 1;
                    self.tree(&Path::new(), exported);
                }
                "mod" if self.peek(2) == Some(";") => {
                    let child = self.peek(1).unwrap_or_default().to_owned();
                    self.imports.children.push(child);
                    self.at += 3;
                }
                _ if is_word(token) && self.peek(1) == Some("::") => self.qualified(),
                _ => self.at += 1,
            }
        }
        self.imports
    }

    fn peek(&self, ahead: usize) -> Option<&str> {
        self.tokens.get(self.at + ahead).copied()
    }

    /// Says whether `pub` or `pub(…)` precedes the current `use`.
    fn is_exported(&self) -> bool {
        let before = &self.tokens[..self.at];
        let before = match before.strip_suffix(&[")"]) {
            Some(inside) => &before[..inside.iter().rposition(|token| *token == "(").unwrap_or(0)],
            None => before,
        };
        before.last() == Some(&"pub")
    }

    /// Reads a tree of paths below `prefix`, up to the comma, brace or semicolon after it.
    fn tree(&mut self, prefix: &Path, exported: bool) {
        let mut path = prefix.clone();
        let mut alias = None;
        while let Some(token) = self.peek(0).map(str::to_owned) {
            match token.as_str() {
                "," | "}" | ";" => break,
                "::" => self.at += 1,
                "as" => {
                    alias = self.peek(1).map(str::to_owned);
                    self.at += 2;
                }
                "{" => {
                    self.at += 1;
                    self.branches(&path, exported);
                    return;
                }
                _ => {
                    path.push(token);
                    self.at += 1;
                }
            }
        }
        if path.last().is_some_and(|last| last == "self") {
            path.pop();
        }
        if let Some(name) = alias.or_else(|| path.last().cloned()) {
            self.imports.uses.push(Use { exported, path, name });
        }
    }

    /// Reads the trees between braces, up to the closing brace.
    fn branches(&mut self, prefix: &Path, exported: bool) {
        while let Some(token) = self.peek(0) {
            match token {
                "}" => {
                    self.at += 1;
                    return;
                }
                "," => self.at += 1,
                ";" => return,
                _ => self.tree(prefix, exported),
            }
        }
    }

    fn qualified(&mut self) {
        let mut path = Path::new();
        while let Some(word) = self.peek(0).filter(|token| is_word(token)) {
            path.push(word.to_owned());
            self.at += 1;
            if self.peek(0) != Some("::") {
                break;
            }
            self.at += 1;
        }
        self.imports.qualified.push(path);
    }
}

/// Splits a text into words, `::` and single other characters.
fn tokens(text: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let end = if is_word_part(first) {
            rest.find(|c| !is_word_part(c)).unwrap_or(rest.len())
        } else if rest.starts_with("::") {
            2
        } else {
            first.len_utf8()
        };
        tokens.push(&rest[..end]);
        rest = rest[end..].trim_start();
    }
    tokens
}

fn is_word(token: &str) -> bool {
    token.chars().next().is_some_and(is_word_part)
}

fn is_word_part(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(source: &str) -> Imports {
        Imports::read(&Code::read(source))
    }

    fn uses(source: &str) -> Vec<String> {
        let shown = |used: &Use| {
            let exported = if used.exported { "pub " } else { "" };
            format!("{exported}{} as {}", used.path.join("::"), used.name)
        };
        read(source).uses.iter().map(shown).collect()
    }

    #[test]
    fn each_leaf_of_a_tree_is_a_use() {
        assert_eq!(
            uses("use a::{self, b::{C, D as E}, f};\npub(crate) use super::g::H;\npub use i::*;\n"),
            ["a as a", "a::b::C as C", "a::b::D as E", "a::f as f", "pub super::g::H as H", "pub i::* as *"]
        );
    }

    #[test]
    fn what_a_test_uses_does_not_count() {
        assert!(uses("#[cfg(test)]\nmod tests {\n    use super::a::B;\n}\n").is_empty());
        assert!(read("#[cfg(test)]\nmod tests;\n").children.is_empty());
    }

    #[test]
    fn children_and_qualified_paths_are_found() {
        let imports = read("pub mod a;\nfn f(x: super::b::C) -> impl Iterator + use<'_> { d::e::<T>() }\n");
        assert_eq!(imports.children, ["a"]);
        assert_eq!(imports.qualified, [vec!["super", "b", "C"], vec!["d", "e"]]);
        assert!(imports.uses.is_empty());
    }
}
