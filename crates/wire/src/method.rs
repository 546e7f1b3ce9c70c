//! Method names. A name that we don't know is a value, not an error.
use std::fmt;

macro_rules! methods {
    ($($(#[$doc:meta])* $variant:ident = $name:literal,)*) => {
        /// A method by its meaning; [`Method::Other`] keeps every name that is not in the list.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Method<'a> {
            $($(#[$doc])* $variant,)*
            Other(&'a str),
        }

        impl<'a> Method<'a> {
            pub fn of(name: &'a str) -> Self {
                match name {
                    $($name => Self::$variant,)*
                    other => Self::Other(other),
                }
            }

            pub fn name(self) -> &'a str {
                match self {
                    $(Self::$variant => $name,)*
                    Self::Other(name) => name,
                }
            }

            /// The method without the borrow, if it is one of those listed here.
            pub fn known(self) -> Option<Method<'static>> {
                match self {
                    $(Self::$variant => Some(Method::$variant),)*
                    Self::Other(_) => None,
                }
            }
        }
    };
}

methods! {
    Initialize = "initialize",
    Discover = "server/discover",
    Ping = "ping",
    ToolsList = "tools/list",
    ToolsCall = "tools/call",
    ResourcesList = "resources/list",
    ResourceTemplatesList = "resources/templates/list",
    ResourcesRead = "resources/read",
    ResourcesSubscribe = "resources/subscribe",
    ResourcesUnsubscribe = "resources/unsubscribe",
    /// The entries of a directory that is a resource (SEP-2640).
    DirectoryRead = "resources/directory/read",
    /// The skills of a server (SEP-2640).
    SkillsList = "skills/list",
    /// One skill by the URI of its SKILL.md (SEP-2640).
    SkillsGet = "skills/get",
    PromptsList = "prompts/list",
    PromptsGet = "prompts/get",
    Complete = "completion/complete",
    SetLevel = "logging/setLevel",
    Listen = "subscriptions/listen",
    /// What a server says about itself at length (seed 000).
    AiHelp = "ai_help",
    TasksGet = "tasks/get",
    TasksUpdate = "tasks/update",
    TasksCancel = "tasks/cancel",
    Elicit = "elicitation/create",
    Sample = "sampling/createMessage",
    RootsList = "roots/list",
    Initialized = "notifications/initialized",
    /// What seed 003 and some testers send instead.
    InitializedShort = "initialized",
    Cancelled = "notifications/cancelled",
    Progress = "notifications/progress",
    LogMessage = "notifications/message",
    ToolsChanged = "notifications/tools/list_changed",
    PromptsChanged = "notifications/prompts/list_changed",
    ResourcesChanged = "notifications/resources/list_changed",
    ResourceUpdated = "notifications/resources/updated",
    RootsChanged = "notifications/roots/list_changed",
    SubscriptionAcknowledged = "notifications/subscriptions/acknowledged",
    TaskChanged = "notifications/tasks",
}

impl Method<'_> {
    /// Whether it is sent without an id and gets no answer.
    pub fn is_notification(self) -> bool {
        self == Self::InitializedShort || self.name().starts_with("notifications/")
    }
}

impl fmt::Display for Method<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
