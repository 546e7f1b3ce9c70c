//! The settings that clients have made in a legacy conversation. A new conversation is told the
//! same ones.
use std::collections::BTreeMap;

use overt_wire::era::LogLevel;
use overt_wire::json::{JsonBuf, Object};
use overt_wire::{Message, Method};

/// The settings of one session.
#[derive(Debug, Clone, Default)]
pub(super) struct Settings {
    level: Option<LogLevel>,
    /// Watched resources, with the number of requests that watch each.
    watched: BTreeMap<String, usize>,
}

/// One change of the settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Setting {
    Level(LogLevel),
    Watch(String),
    Unwatch(String),
}

/// The most resources that a session may watch.
const MOST_WATCHED: usize = 10_000;

impl Settings {
    /// Records a setting that a client made itself. A client sets each thing only once.
    pub(super) fn note(&mut self, setting: Setting) {
        match setting {
            Setting::Level(level) => self.level = Some(level),
            Setting::Watch(uri) if self.watched.len() < MOST_WATCHED => {
                self.watched.insert(uri, 1);
            }
            Setting::Watch(_) => {}
            Setting::Unwatch(uri) => {
                self.watched.remove(&uri);
            }
        }
    }

    /// Adds the setting that one of several requests needs. Returns the setting that the upstream
    /// must be told. The most verbose level wins, and a resource is watched as long as a client
    /// needs it.
    pub(super) fn require(&mut self, setting: Setting) -> Option<Setting> {
        match setting {
            Setting::Level(level) if self.level.is_none_or(|current| level < current) => {
                self.level = Some(level);
                Some(Setting::Level(level))
            }
            Setting::Level(_) => None,
            Setting::Watch(uri) => {
                if self.watched.len() >= MOST_WATCHED && !self.watched.contains_key(&uri) {
                    return None;
                }
                let count = self.watched.entry(uri.clone()).or_default();
                *count += 1;
                (*count == 1).then_some(Setting::Watch(uri))
            }
            Setting::Unwatch(uri) => {
                let count = self.watched.get_mut(&uri)?;
                *count -= 1;
                if *count > 0 {
                    return None;
                }
                self.watched.remove(&uri);
                Some(Setting::Unwatch(uri))
            }
        }
    }

    /// Returns the settings that a new conversation must be told.
    pub(super) fn all(&self) -> Vec<Setting> {
        let level = self.level.map(Setting::Level);
        level.into_iter().chain(self.watched.keys().cloned().map(Setting::Watch)).collect()
    }
}

impl Setting {
    /// Returns the setting that a client's request makes.
    pub(crate) fn of(request: &Message) -> Option<Self> {
        let params = request.params();
        let uri = || params.get("uri").string().map(std::borrow::Cow::into_owned);
        match request.method()? {
            Method::SetLevel => LogLevel::parse(&params.get("level").string()?).map(Self::Level),
            Method::ResourcesSubscribe => uri().map(Self::Watch),
            Method::ResourcesUnsubscribe => uri().map(Self::Unwatch),
            _ => None,
        }
    }

    /// Whether both are about the same setting, perhaps with different values.
    pub(super) fn is_about_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Level(_), Self::Level(_)) => true,
            (Self::Watch(own) | Self::Unwatch(own), Self::Watch(others) | Self::Unwatch(others)) => {
                own == others
            }
            _ => false,
        }
    }

    /// Returns the capability that the upstream needs for this setting.
    pub(super) fn capability(&self) -> &'static str {
        match self {
            Self::Level(_) => "logging",
            Self::Watch(_) | Self::Unwatch(_) => "resources",
        }
    }

    /// Returns the request that tells a legacy upstream.
    pub(super) fn request(&self) -> (Method<'static>, JsonBuf) {
        match self {
            Self::Level(level) => (Method::SetLevel, Object::new().string("level", level.as_str()).finish()),
            Self::Watch(uri) => (Method::ResourcesSubscribe, Object::new().string("uri", uri).finish()),
            Self::Unwatch(uri) => (Method::ResourcesUnsubscribe, Object::new().string("uri", uri).finish()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn watch(uri: &str) -> Setting {
        Setting::Watch(uri.to_owned())
    }

    fn unwatch(uri: &str) -> Setting {
        Setting::Unwatch(uri.to_owned())
    }

    #[test]
    fn a_resource_is_watched_as_long_as_anybody_wants_it() {
        let mut settings = Settings::default();
        assert_eq!(settings.require(watch("a")), Some(watch("a")));
        assert_eq!(settings.require(watch("a")), None);
        assert_eq!(settings.require(unwatch("a")), None);
        assert_eq!(settings.all(), [watch("a")]);
        assert_eq!(settings.require(unwatch("a")), Some(unwatch("a")));
        assert_eq!(settings.require(unwatch("a")), None, "nobody wanted it any more");
        assert_eq!(settings.all(), []);
    }

    #[test]
    fn the_most_talkative_level_counts() {
        let mut settings = Settings::default();
        let level = |level| Setting::Level(level);
        assert_eq!(settings.require(level(LogLevel::Warning)), Some(level(LogLevel::Warning)));
        assert_eq!(settings.require(level(LogLevel::Error)), None);
        assert_eq!(settings.require(level(LogLevel::Debug)), Some(level(LogLevel::Debug)));
        settings.note(level(LogLevel::Error));
        assert_eq!(
            settings.all(),
            [level(LogLevel::Error)],
            "a client that sets it itself has the last word"
        );
    }

    #[test]
    fn no_more_is_watched_than_may_be() {
        let mut settings = Settings::default();
        for number in 0..=MOST_WATCHED {
            settings.require(watch(&number.to_string()));
            settings.note(watch(&format!("n{number}")));
        }
        assert_eq!(settings.all().len(), MOST_WATCHED);
    }
}
