//! The page's API beside the types that the page declares: every answer that a test gets must have
//! what `ui/src/contract.ts` says, of the type that `ui/src/api.ts` names.
use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde_json::Value;

/// What the page declares.
static CONTRACT: LazyLock<Contract> = LazyLock::new(|| {
    Contract::read(include_str!("../../../../ui/src/contract.ts"), include_str!("../../../../ui/src/api.ts"))
});

/// Panics if the answer is not what the page expects at this path.
pub(crate) fn check(method: &str, path: &str, answer: &Value) {
    let path = path.split('?').next().unwrap_or_default();
    let route = CONTRACT.routes.iter().find(|route| route.is(method, path));
    if let Some(route) = route {
        CONTRACT.check(&route.answer, answer).unwrap_or_else(|why| {
            panic!("{method} {path} is not what ui/src/contract.ts says: {why}\n{answer:#}")
        });
    }
}

/// Panics if the questions of an event are not what the page expects.
pub(crate) fn check_questions(questions: &Value) {
    let kind = Type::Array(Box::new(Type::Named("Question".to_owned(), Vec::new())));
    CONTRACT.check(&kind, questions).unwrap_or_else(|why| panic!("{why}\n{questions:#}"));
}

/// The declarations of the page.
struct Contract {
    types: BTreeMap<String, Declaration>,
    routes: Vec<Route>,
}

/// An interface or an alias, with the names of its parameters.
struct Declaration {
    parameters: Vec<String>,
    extends: Vec<Type>,
    body: Type,
}

/// A request of the page, and the type of its answer.
struct Route {
    method: String,
    /// The path up to the part that a request fills in.
    prefix: String,
    has_id: bool,
    answer: Type,
}

#[derive(Debug, Clone, PartialEq)]
enum Type {
    String,
    Number,
    Boolean,
    Null,
    Unknown,
    Literal(String),
    Array(Box<Type>),
    Tuple(Vec<Type>),
    Object(Vec<Member>),
    Record(Box<Type>),
    Union(Vec<Type>),
    /// With its arguments.
    Named(String, Vec<Type>),
}

#[derive(Debug, Clone, PartialEq)]
struct Member {
    name: String,
    is_optional: bool,
    kind: Type,
}

// === impl Contract ===

impl Contract {
    fn read(contract: &str, api: &str) -> Self {
        let mut words = Words::of(contract);
        let mut types = BTreeMap::new();
        while words.take("export") {
            let is_interface = words.next() == "interface";
            let name = words.next();
            let mut parameters = Vec::new();
            if words.take("<") {
                parameters = words.list(">", Words::next);
            }
            let mut extends = Vec::new();
            while words.take("extends") || words.take(",") {
                extends.push(words.kind());
            }
            if !is_interface {
                words.expect("=");
            }
            let body = words.kind();
            words.take(";");
            types.insert(name, Declaration { parameters, extends, body });
        }
        assert!(words.is_done(), "not understood in contract.ts: {}", words.rest());
        let routes =
            api.match_indices("Promise<").filter_map(|(at, _)| Route::read(&api[at + 8..])).collect();
        Self { types, routes }
    }

    fn check(&self, kind: &Type, value: &Value) -> Result<(), String> {
        match (kind, value) {
            (Type::Unknown, _)
            | (Type::String, Value::String(_))
            | (Type::Number, Value::Number(_))
            | (Type::Boolean, Value::Bool(_))
            | (Type::Null, Value::Null) => Ok(()),
            (Type::Literal(word), Value::String(text)) if word == text => Ok(()),
            (Type::Array(kind), Value::Array(items)) => items
                .iter()
                .enumerate()
                .try_for_each(|(at, item)| self.check(kind, item).map_err(|why| format!("[{at}]{why}"))),
            (Type::Tuple(kinds), Value::Array(items)) if kinds.len() == items.len() => {
                kinds.iter().zip(items).try_for_each(|(kind, item)| self.check(kind, item))
            }
            (Type::Record(kind), Value::Object(members)) => {
                members.values().try_for_each(|member| self.check(kind, member))
            }
            (Type::Union(kinds), value) => {
                let mut wrong = Vec::new();
                for kind in kinds {
                    match self.check(kind, value) {
                        Ok(()) => return Ok(()),
                        Err(why) => wrong.push(why),
                    }
                }
                Err(wrong.join(" | "))
            }
            (Type::Object(_) | Type::Named(..), value) => self.check_object(kind, value),
            (kind, value) => Err(format!(": {value} is not {kind:?}")),
        }
    }

    fn check_object(&self, kind: &Type, value: &Value) -> Result<(), String> {
        let declared = match self.members(kind) {
            Ok(declared) => declared,
            // An alias.
            Err(alias) => return self.check(&alias, value),
        };
        let Value::Object(members) = value else { return Err(format!(": {value} is not an object")) };
        for member in &declared {
            match members.get(&member.name) {
                Some(value) => {
                    self.check(&member.kind, value).map_err(|why| format!(".{}{why}", member.name))?;
                }
                None if member.is_optional => {}
                None => return Err(format!(" has no `{}`", member.name)),
            }
        }
        // An answer may have members that the page does not read.
        Ok(())
    }

    /// The members of an object or an interface, inherited ones included; the type itself if it is
    /// an alias of something else.
    fn members(&self, kind: &Type) -> Result<Vec<Member>, Type> {
        match kind {
            Type::Object(members) => Ok(members.clone()),
            Type::Named(name, arguments) => {
                let declared = self.types.get(name).unwrap_or_else(|| panic!("`{name}` is not declared"));
                let Type::Object(_) = &declared.body else { return Err(declared.body.clone()) };
                let mut members = Vec::new();
                for kind in declared.extends.iter().chain([&declared.body]) {
                    let filled = declared
                        .parameters
                        .iter()
                        .zip(arguments)
                        .fold(kind.clone(), |kind, (parameter, argument)| kind.with(parameter, argument));
                    members.extend(self.members(&filled)?);
                }
                Ok(members)
            }
            other => Err(other.clone()),
        }
    }
}

// === impl Route ===

impl Route {
    /// Reads a method of `api.ts` from its type on.
    fn read(text: &str) -> Option<Self> {
        let (kind, rest) = text.split_once("> {\n    return this.")?;
        // The declaration of the next method would not be on one line.
        if kind.contains('\n') {
            return None;
        }
        let (method, rest) = rest.split_once('(')?;
        let quote = rest.chars().next()?;
        let path = rest[1..].split(quote).next()?;
        let prefix = path.split("${").next()?.trim_end_matches('?').to_owned();
        let mut words = Words::of(kind);
        Some(Self {
            method: method.to_uppercase(),
            has_id: path.contains("/${"),
            prefix,
            answer: words.kind(),
        })
    }

    fn is(&self, method: &str, path: &str) -> bool {
        self.method == method
            && match self.has_id {
                true => path.strip_prefix(&self.prefix).is_some_and(|id| !id.is_empty()),
                false => path == self.prefix,
            }
    }
}

// === impl Type ===

impl Type {
    /// Puts an argument in the place of a parameter.
    fn with(self, parameter: &str, argument: &Self) -> Self {
        let inner = |kind: Self| kind.with(parameter, argument);
        match self {
            Self::Named(name, _) if name == parameter => argument.clone(),
            Self::Named(name, kinds) => Self::Named(name, kinds.into_iter().map(inner).collect()),
            Self::Array(kind) => Self::Array(Box::new(inner(*kind))),
            Self::Record(kind) => Self::Record(Box::new(inner(*kind))),
            Self::Tuple(kinds) => Self::Tuple(kinds.into_iter().map(inner).collect()),
            Self::Union(kinds) => Self::Union(kinds.into_iter().map(inner).collect()),
            Self::Object(members) => Self::Object(
                members.into_iter().map(|member| Member { kind: inner(member.kind), ..member }).collect(),
            ),
            other => other,
        }
    }
}

/// The words and signs of a declaration, without comments.
struct Words(std::collections::VecDeque<String>);

impl Words {
    fn of(text: &str) -> Self {
        let mut words = std::collections::VecDeque::new();
        let mut rest = text.trim_start();
        while let Some(first) = rest.chars().next() {
            let length = match first {
                '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
                '/' => rest.find("*/").map_or(rest.len(), |end| end + 2),
                '"' => rest[1..].find('"').map_or(rest.len(), |end| end + 2),
                c if c.is_alphanumeric() || c == '_' => {
                    rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len())
                }
                other => other.len_utf8(),
            };
            let (word, after) = rest.split_at(length);
            if first != '/' {
                words.push_back(word.to_owned());
            }
            rest = after.trim_start();
        }
        Self(words)
    }

    fn next(&mut self) -> String {
        self.0.pop_front().unwrap_or_default()
    }

    fn take(&mut self, word: &str) -> bool {
        self.0.front().is_some_and(|next| next == word) && self.0.pop_front().is_some()
    }

    fn expect(&mut self, word: &str) {
        assert!(self.take(word), "`{word}` is missing before {}", self.rest());
    }

    fn is_done(&self) -> bool {
        self.0.is_empty()
    }

    fn rest(&self) -> String {
        self.0.iter().take(8).map(|word| format!("{word} ")).collect()
    }

    /// Items between commas, up to the end.
    fn list<T>(&mut self, end: &str, mut item: impl FnMut(&mut Self) -> T) -> Vec<T> {
        let mut items = Vec::new();
        while !self.take(end) {
            items.push(item(self));
            self.take(",");
        }
        items
    }

    fn kind(&mut self) -> Type {
        self.take("|");
        let mut kinds = vec![self.one()];
        while self.take("|") {
            kinds.push(self.one());
        }
        if kinds.len() == 1 { kinds.remove(0) } else { Type::Union(kinds) }
    }

    fn one(&mut self) -> Type {
        let word = self.next();
        let mut kind = match word.as_str() {
            "string" => Type::String,
            "number" => Type::Number,
            "boolean" => Type::Boolean,
            "null" => Type::Null,
            "unknown" => Type::Unknown,
            "[" => Type::Tuple(self.list("]", Self::kind)),
            "{" => Type::Object(self.members()),
            text if text.starts_with('"') => Type::Literal(text.trim_matches('"').to_owned()),
            name => {
                let mut arguments = if self.take("<") { self.list(">", Self::kind) } else { Vec::new() };
                match (name, arguments.len()) {
                    ("Record", 2) => Type::Record(Box::new(arguments.remove(1))),
                    _ => Type::Named(name.to_owned(), arguments),
                }
            }
        };
        while self.0.len() > 1 && self.0[0] == "[" && self.0[1] == "]" {
            self.next();
            self.next();
            kind = Type::Array(Box::new(kind));
        }
        kind
    }

    fn members(&mut self) -> Vec<Member> {
        let mut members = Vec::new();
        while !self.take("}") {
            let name = self.next().trim_matches('"').to_owned();
            let is_optional = self.take("?");
            self.expect(":");
            members.push(Member { name, is_optional, kind: self.kind() });
            let _ = self.take(";") || self.take(",");
        }
        members
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// The check finds what differs.
    #[test]
    fn a_difference_from_the_contract_is_found() {
        let grant = Type::Named("Grant".to_owned(), Vec::new());
        let good = json!({ "id": "g-1", "says": "allow", "scopes": ["read"], "project": null });
        assert_eq!(CONTRACT.check(&grant, &good), Ok(()));
        for (wrong, why) in [
            (json!({ "says": "allow" }), "has no `id`"),
            (json!({ "id": 1, "says": "allow" }), ".id: 1 is not String"),
            (json!({ "id": "g-1", "says": "maybe" }), ".says: \"maybe\" is not Literal"),
            (json!({ "id": "g-1", "says": "allow", "scopes": "read" }), ".scopes: \"read\" is not Array"),
        ] {
            let said = CONTRACT.check(&grant, &wrong).unwrap_err();
            assert!(said.contains(why), "{said}");
        }
        assert!(CONTRACT.routes.len() > 15, "the requests of api.ts are found");
    }
}
