//! Templates of resources. They are compared as text, and their scope is derived from the text
//! before the first variable.
use std::borrow::Cow;

use super::canonical::{ResourceUri, readable};
use crate::scope::{Action, Scope};

/// The text of a template, such as `file:///{path}`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TemplateText<'a>(pub(crate) &'a str);

impl<'a> TemplateText<'a> {
    /// Returns the template as written, and with readable names instead of escapes.
    pub(crate) fn forms(self) -> impl Iterator<Item = Cow<'a, str>> {
        let written = Cow::Borrowed(self.0);
        let readable = Cow::Owned(readable(self.0));
        [Some(written.clone()), Some(readable).filter(|readable| *readable != written)].into_iter().flatten()
    }

    /// Returns the scope that covers all values of the variables.
    pub(crate) fn scope(self, server: &str) -> Scope {
        let fixed = self.0.split('{').next().unwrap_or_default();
        // A variable may be part of a name.
        let folder = fixed.rfind('/').map_or("", |end| &fixed[..end + 1]);
        match ResourceUri::parse(folder) {
            Ok(uri) => uri.scope(server),
            Err(_) if folder.to_ascii_lowercase().starts_with("file:") => {
                Scope::of_path(Action::Read, "file", "/")
            }
            Err(_) => Scope::of_server(Action::Read, server),
        }
    }
}
