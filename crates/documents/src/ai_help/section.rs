//! The sections of the help, in their order (D-24, D-26).
use overt_policy::word::{StringEnum, string_enum};

string_enum! {
    /// A section. The order of the values is their order in the document.
    pub enum Section {
        WhenToUse = "when-to-use",
        QuickReference = "quick-reference",
        /// What the server tells every client.
        Instructions = "instructions",
        Installation = "installation",
        Authentication = "authentication",
        RateLimits = "rate-limits",
        ErrorHandling = "error-handling",
        ToolReference = "tool-reference",
        AlternativeAccess = "alternative-access-methods",
        BestPractices = "best-practices",
        Troubleshooting = "troubleshooting",
    }
}

impl Section {
    /// Returns the section with this name, in either form: `quick-reference` or `quickReference`
    /// (D-27).
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|section| section.as_str() == name || section.camel() == name)
    }

    /// Returns the name of its member in JSON.
    pub fn camel(self) -> String {
        let mut words = self.as_str().split('-');
        let mut name = words.next().unwrap_or_default().to_owned();
        for word in words {
            name.push_str(&capital(word));
        }
        name
    }

    pub fn heading(self) -> &'static str {
        match self {
            Self::WhenToUse => "When to Use",
            Self::QuickReference => "Quick Reference",
            Self::Instructions => "Instructions",
            Self::Installation => "Installation",
            Self::Authentication => "Authentication",
            Self::RateLimits => "Rate Limits",
            Self::ErrorHandling => "Error Handling",
            Self::ToolReference => "Tool Reference",
            Self::AlternativeAccess => "Alternative Access Methods",
            Self::BestPractices => "Best Practices",
            Self::Troubleshooting => "Troubleshooting",
        }
    }
}

/// Returns the word with its first letter in upper case.
pub(crate) fn capital(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}
