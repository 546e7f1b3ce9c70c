//! The settings of the file server, each declared once. The program that starts the server adds its
//! own control settings.
use overt_settings::{Audience, Clients, Kind, Narrowing, Setting};
use serde_json::json;

const GIB: u64 = 1 << 30;

/// Returns all settings, in display order.
pub fn settings() -> Vec<Setting> {
    [root_settings(), limits(), behaviour_settings()].concat()
}

/// Settings for where the server may read and write. What the operator serves is a boundary: a
/// client can narrow it, but never widen it (B-23).
fn root_settings() -> Vec<Setting> {
    vec![
        Setting::new(
            "roots",
            Kind::Regions,
            "The folders that are served, and what of each: `allow`, `deny` and `immutable` patterns",
        )
        .narrows(Narrowing::All)
        .clients(Clients::Narrow),
        Setting::new("read_only", Kind::Flag, "Change nothing")
            .default(json!(false))
            .narrows(Narrowing::On)
            .clients(Clients::Narrow),
        Setting::new("hidden", Kind::Globs, "Patterns of what is not there, in every root")
            .default(json!([]))
            .narrows(Narrowing::Union)
            .clients(Clients::Narrow),
        Setting::new("immutable", Kind::Globs, "Patterns of what can be read and not changed, in every root")
            .default(json!([]))
            .narrows(Narrowing::Union)
            .clients(Clients::Narrow),
    ]
}

/// Limits on how much one call reads, returns or edits.
fn limits() -> Vec<Setting> {
    let limit = |key, kind, description| {
        Setting::new(key, kind, description).narrows(Narrowing::Min).audience(Audience::Human)
    };
    vec![
        limit("read_max_bytes", Kind::Bytes { min: 1, max: GIB }, "The most that one call reads of a file")
            .default(json!("50KiB")),
        limit("read_max_line_bytes", Kind::Bytes { min: 1, max: GIB }, "The most that is given of one line")
            .default(json!("25KiB")),
        limit(
            "media_max_bytes",
            Kind::Bytes { min: 1, max: GIB },
            "The largest picture, sound or other binary file that one call gives",
        )
        .default(json!("2MiB")),
        limit("edit_max_bytes", Kind::Bytes { min: 1, max: GIB }, "The largest file that is edited")
            .default(json!("16MiB")),
        limit("find_limit", Kind::Integer { min: 1, max: 100_000 }, "The most files that one call finds")
            .default(json!(200)),
        limit(
            "search_max_bytes",
            Kind::Bytes { min: 1, max: GIB },
            "The most that one search gives; beyond it, a summary",
        )
        .default(json!("50KiB")),
        limit(
            "search_summary_top",
            Kind::Integer { min: 1, max: 1_000 },
            "How many files the summary of a search names",
        )
        .default(json!(20)),
    ]
}

/// Settings for how the server works.
fn behaviour_settings() -> Vec<Setting> {
    vec![
        Setting::new(
            "hardlinks",
            Kind::Choice(&["deny", "read", "allow"]),
            "What may be done with a file that has a second name, which may be outside of every root",
        )
        .default(json!("read"))
        .narrows(Narrowing::Min)
        .clients(Clients::Narrow),
        Setting::new(
            "durability",
            Kind::Choice(&["fsync", "rename"]),
            "`fsync`: a change is on the disk before the call ends; `rename`: the system writes it when it likes",
        )
        .default(json!("fsync"))
        .fixed(),
        Setting::new(
            "journal_max_bytes",
            Kind::Bytes { min: 0, max: 1 << 40 },
            "How much of what was there before is kept, so that changes can be undone; 0 keeps nothing",
        )
        .default(json!("1GiB"))
        .fixed(),
        Setting::new(
            "irreversible",
            Kind::Choice(&["refuse", "ask"]),
            "What is done with a deletion or an overwriting that does not fit the journal, and so can't be undone: `refuse` it, or `ask` a \
             person each time",
        )
        .default(json!("ask"))
        .narrows(Narrowing::Min)
        .clients(Clients::Narrow),
        Setting::new(
            "new_file_mode",
            Kind::Choice(&["0600", "0644"]),
            "The permissions of files that are created",
        )
        .default(json!("0644"))
        .fixed(),
    ]
}

#[cfg(test)]
mod tests {
    use overt_settings::DeclaredSettings;

    #[test]
    fn they_are_right() {
        assert!(DeclaredSettings::new(super::settings()).is_ok());
    }
}
