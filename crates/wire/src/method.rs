//! Method names. An unknown name is a valid value, not an error.
use std::fmt;

macro_rules! methods {
    ($($(#[$doc:meta])* $variant:ident = $name:literal,)*) => {
        /// A method of the protocol. [`Method::Other`] keeps every name that is not in the list.
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

            /// The method without the borrow; `None` for [`Method::Other`].
            pub fn as_static(self) -> Option<Method<'static>> {
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
    /// Lists a resource that is a directory (SEP-2640).
    DirectoryRead = "resources/directory/read",
    /// Lists the skills of a server (SEP-2640).
    SkillsList = "skills/list",
    /// Returns one skill by the URI of its SKILL.md (SEP-2640).
    SkillsGet = "skills/get",
    PromptsList = "prompts/list",
    PromptsGet = "prompts/get",
    Complete = "completion/complete",
    SetLevel = "logging/setLevel",
    Listen = "subscriptions/listen",
    /// Returns a server's detailed description of itself (seed 000).
    AiHelp = "ai_help",
    TasksGet = "tasks/get",
    TasksUpdate = "tasks/update",
    TasksCancel = "tasks/cancel",
    Elicit = "elicitation/create",
    Sample = "sampling/createMessage",
    RootsList = "roots/list",
    Initialized = "notifications/initialized",
    /// The name that seed 003 and some test tools send instead.
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
    /// Whether the method is sent without an id and gets no answer.
    pub fn is_notification(self) -> bool {
        self == Self::InitializedShort || self.name().starts_with("notifications/")
    }
}

impl fmt::Display for Method<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
