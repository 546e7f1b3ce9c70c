//! The call whose changes an address shows, and who may see them.
use overt_settings::SettingValues;
use serde_json::Value;

/// The call whose changes are shown at an address.
#[derive(Debug, Clone, PartialEq)]
pub struct ReviewedCall {
    pub tool: String,
    pub arguments: Value,
    /// The settings of the call. Without settings, there were none to make it under.
    pub settings: Option<SettingValues>,
}

/// Whether a caller under these settings may see what a call under other settings showed: only if
/// they allow everything that those allow (B-09).
pub fn shows_all_of(settings: Option<&SettingValues>, made_under: Option<&SettingValues>) -> bool {
    match (settings, made_under) {
        (Some(settings), Some(made_under)) => settings.allow_all_of(made_under),
        (None, None) => true,
        _ => false,
    }
}
