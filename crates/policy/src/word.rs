//! Enumerations whose values are words of a document.

/// A choice between words.
pub trait StringEnum: Copy + Eq + 'static {
    const ALL: &'static [Self];

    fn as_str(self) -> &'static str;

    fn parse(word: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|known| known.as_str() == word)
    }

    /// Lists the valid words, for an error: `` `a`, `b` or `c` ``.
    fn choices() -> String {
        let words: Vec<String> = Self::ALL.iter().map(|word| format!("`{}`", word.as_str())).collect();
        match words.split_last() {
            Some((last, [])) => last.clone(),
            Some((last, rest)) => format!("{} or {last}", rest.join(", ")),
            None => String::new(),
        }
    }
}

/// Declares an enumeration with the word of each value. `Ord` compares the values by their order in
/// the declaration. The doc comments become descriptions in JSON Schemas.
#[macro_export]
macro_rules! string_enum {
    ($($(#[$meta:meta])* pub enum $name:ident { $($(#[$doc:meta])* $value:ident = $word:literal,)* })*) => {$(
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, schemars::JsonSchema)]
        pub enum $name {
            $($(#[$doc])* #[serde(rename = $word)] $value,)*
        }

        impl $crate::word::StringEnum for $name {
            const ALL: &'static [Self] = &[$(Self::$value),*];

            fn as_str(self) -> &'static str {
                match self {
                    $(Self::$value => $word,)*
                }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str($crate::word::StringEnum::as_str(*self))
            }
        }
    )*};
}

pub use crate::string_enum;
