//! The name, version, instructions and settings of a server.
use overt_policy::ServerRecord;
use overt_settings::SettingValues;
use overt_wire::json::{JsonBuf, Object};

/// Name, version and instructions of a server.
#[derive(Debug, Clone)]
pub struct Server {
    pub(super) name: String,
    pub(super) version: String,
    pub(super) title: Option<String>,
    pub(super) description: Option<String>,
    pub(super) instructions: String,
    pub(super) record: Option<ServerRecord>,
    pub(super) settings: Option<SettingValues>,
    /// Whether every client gets the literal forms of seed 002.
    pub(super) is_literal: bool,
    /// Whether it was started so that no tool can change anything.
    pub(super) only_reads: bool,
    /// Whether its tools log to the client.
    pub(super) logs: bool,
}

impl Server {
    /// Declares a server. `name` is short, lower case, with hyphens. `instructions` tell a model
    /// how to use the server. They must not change from run to run, or a model's prompt cache is
    /// lost.
    pub fn new(name: &str, version: &str, instructions: &str) -> Self {
        Self {
            name: name.into(),
            version: version.into(),
            title: None,
            description: None,
            instructions: instructions.into(),
            record: None,
            settings: None,
            is_literal: false,
            only_reads: false,
            logs: true,
        }
    }

    #[must_use]
    pub fn title(self, title: &str) -> Self {
        Self { title: Some(title.into()), ..self }
    }

    #[must_use]
    pub fn description(self, description: &str) -> Self {
        Self { description: Some(description.into()), ..self }
    }

    /// Declares what the server is and when to use it. Without this, clients get no dashdash
    /// metadata, no `ai_help` and no documents. What each tool does is declared on the tool. A
    /// declaration that contradicts the server prevents the start, with an error that names its
    /// place:
    ///
    /// ```
    /// use overt_layers::record::{Effect, ServerRecord, ToolRecord};
    /// use overt_toolbox::{Content, Server, Tool, Toolbox};
    ///
    /// #[derive(serde::Deserialize, schemars::JsonSchema)]
    /// struct Delete {
    ///     name: String,
    /// }
    ///
    /// let server = Server::new("notes", "1.0.0", "Use `delete` to delete a note.")
    ///     .declare(ServerRecord::new("Keeps notes. Use when the user asks to delete a note."));
    /// let delete = Tool::content("delete", "Deletes a note by its name.", |_: Delete, _| async {
    ///     Ok(vec![Content::text("deleted")])
    /// })
    /// .declare(ToolRecord {
    ///     reverse_method: Some("restore".into()),
    ///     ..ToolRecord::new(Effect::Destructive)
    /// });
    /// let error = overt_disclosure::open(Toolbox::new(server).tool(delete).build()?).err().unwrap();
    /// assert!(error.problems[0].starts_with("/tools/delete/reverse_method: names `restore`"));
    /// # Ok::<(), overt_toolbox::DeclarationError>(())
    /// ```
    #[must_use]
    pub fn declare(self, record: ServerRecord) -> Self {
        Self { record: Some(record), ..self }
    }

    /// Says that the server was started so that no tool can change anything, whatever its tools
    /// declare. Its access level is `read` then (D-06).
    #[must_use]
    pub fn only_reads(self, only_reads: bool) -> Self {
        Self { only_reads, ..self }
    }

    /// Says that no tool logs to the client ([`Context::log`](super::Context::log)), so the server
    /// does not announce it.
    #[must_use]
    pub fn without_logs(self) -> Self {
        Self { logs: false, ..self }
    }

    /// Sets the settings of the server: their declarations, or the values that were read from a
    /// file, environment variables and flags. Clients get the schema of the settings.
    /// [`Context::setting`](super::Context::setting) returns the value for a call, after the
    /// client's configuration and the call's policy.
    ///
    /// ```
    /// use overt_layers::setting::{DeclaredSettings, Kind, Narrowing, Setting};
    /// use overt_toolbox::Server;
    ///
    /// let most = Setting::new("max_results", Kind::Integer { min: 1, max: 1000 }, "How many results a search gives")
    ///     .default(serde_json::json!(100))
    ///     .narrows(Narrowing::Min);
    /// let server = Server::new("search", "1.0.0", "Use `search`.").settings(DeclaredSettings::new(vec![most])?);
    /// # Ok::<(), overt_policy::Findings>(())
    /// ```
    #[must_use]
    pub fn settings(self, settings: impl Into<SettingValues>) -> Self {
        Self { settings: Some(settings.into()), ..self }
    }

    /// Sends every client the literal forms of seed 002, which break clients that know only the
    /// protocol: content items `review` and `diff`, the diff in `structuredContent`,
    /// `experimental.policy` as `true` (H-20, X-09, X-11).
    #[must_use]
    pub fn literal_items(self, is_literal: bool) -> Self {
        Self { is_literal, ..self }
    }

    /// Builds the `serverInfo` object.
    pub(super) fn info(&self) -> JsonBuf {
        Object::new()
            .string("name", &self.name)
            .maybe("title", self.title.as_deref())
            .string("version", &self.version)
            .maybe("description", self.description.as_deref())
            .finish()
    }
}
