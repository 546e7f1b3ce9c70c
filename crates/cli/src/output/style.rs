//! Colours and weights. `anstream` takes them out again where they don't belong.
use anstyle::{AnsiColor, Style};

pub(super) const ERROR: Style = AnsiColor::Red.on_default().bold();
pub(super) const WARNING: Style = AnsiColor::Yellow.on_default().bold();
pub(super) const HINT: Style = AnsiColor::Cyan.on_default().bold();
pub(super) const TITLE: Style = Style::new().bold();
pub(super) const NAME: Style = AnsiColor::Green.on_default();
pub(super) const DIM: Style = Style::new().dimmed();
pub(super) const DANGER: Style = AnsiColor::Red.on_default();
pub(super) const PLAIN: Style = Style::new();

/// The text in a style.
pub(super) fn paint(style: Style, text: impl std::fmt::Display) -> String {
    format!("{style}{text}{style:#}")
}
