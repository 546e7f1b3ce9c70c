//! The facts about clients, with their date. Most clients change every few weeks.
use super::facts::{
    BareUrl, ChildEnvironment, ClientFacts, ConfigFile, Grade, KnownFact, Limit, RewriteTime, Servers, Syntax,
};

/// When the facts were collected.
pub const FACTS_FROM: &str = "2026-11-15";

const MCP_SERVERS: Servers = Servers::Member("mcpServers");

/// The defaults for facts that are not known.
const UNKNOWN: ClientFacts = ClientFacts {
    word: "",
    name: "",
    info_names: &[],
    grade: Grade::Reported,
    files: &[],
    bare_url: BareUrl::Http,
    substitution: "",
    elicitation: KnownFact::Unknown,
    roots: KnownFact::Unknown,
    call_limit: Limit::Unknown,
    environment: ChildEnvironment::Unknown,
    rewrites: RewriteTime::OnRequest,
    locks: false,
    reload: "restart it",
};

/// Every known client.
pub static ALL: &[ClientFacts] = &[
    ClientFacts {
        word: "claude-code",
        name: "Claude Code",
        info_names: &["claude-code", "local-agent-mode-*"],
        grade: Grade::Documented,
        files: &[
            ConfigFile::home(".claude.json", Servers::Projects).variable("CLAUDE_CONFIG_DIR"),
            ConfigFile::project(".mcp.json", MCP_SERVERS),
        ],
        bare_url: BareUrl::Http,
        substitution: "${NAME} ${NAME:-default}",
        elicitation: KnownFact::Yes,
        roots: KnownFact::Yes,
        call_limit: Limit::silence(30 * 60),
        environment: ChildEnvironment::All,
        rewrites: RewriteTime::Often,
        locks: false,
        reload: "start a new session",
    },
    ClientFacts {
        word: "claude-desktop",
        name: "Claude Desktop",
        info_names: &["claude-ai"],
        grade: Grade::Reported,
        files: &[ConfigFile::applications("Claude/claude_desktop_config.json", MCP_SERVERS)],
        elicitation: KnownFact::No,
        roots: KnownFact::Yes,
        call_limit: Limit::fixed(60),
        environment: ChildEnvironment::Few,
        rewrites: RewriteTime::FromMemory(&["claude-desktop", "Claude"]),
        reload: "start it again",
        ..UNKNOWN
    },
    ClientFacts {
        word: "vscode",
        name: "VS Code",
        info_names: &["Visual Studio Code", "Visual Studio Code - Insiders"],
        grade: Grade::Source,
        files: &[
            ConfigFile::applications("Code/User/mcp.json", Servers::Member("servers")),
            ConfigFile::home(".copilot/mcp-config.json", MCP_SERVERS),
            ConfigFile::project(".vscode/mcp.json", Servers::Member("servers")),
            ConfigFile::project(".mcp.json", MCP_SERVERS),
        ],
        bare_url: BareUrl::Http,
        substitution: "${input:NAME} ${env:NAME} ${workspaceFolder} ~",
        elicitation: KnownFact::Yes,
        roots: KnownFact::Yes,
        call_limit: Limit::Endless,
        environment: ChildEnvironment::All,
        rewrites: RewriteTime::OnRequest,
        locks: false,
        reload: "it notices by itself and asks you to trust the server again",
    },
    ClientFacts {
        word: "cursor",
        name: "Cursor",
        info_names: &["cursor-vscode"],
        grade: Grade::Documented,
        files: &[
            ConfigFile::home(".cursor/mcp.json", MCP_SERVERS),
            ConfigFile::project(".cursor/mcp.json", MCP_SERVERS),
        ],
        substitution: "${env:NAME} ${userHome} ${workspaceFolder}",
        elicitation: KnownFact::Yes,
        roots: KnownFact::Yes,
        call_limit: Limit::fixed(300),
        ..UNKNOWN
    },
    ClientFacts {
        word: "devin",
        name: "Devin Desktop",
        files: &[
            ConfigFile::home(".codeium/windsurf/mcp_config.json", MCP_SERVERS),
            ConfigFile::home(".config/devin/config.json", MCP_SERVERS),
            ConfigFile::project(".devin/config.json", MCP_SERVERS),
            ConfigFile::project(".devin/config.local.json", MCP_SERVERS),
        ],
        reload: "press its refresh button",
        ..UNKNOWN
    },
    ClientFacts {
        word: "zed",
        name: "Zed",
        info_names: &["Zed"],
        grade: Grade::Source,
        files: &[
            ConfigFile::home(".config/zed/settings.json", Servers::Member("context_servers")),
            ConfigFile::project(".zed/settings.json", Servers::Member("context_servers")),
        ],
        elicitation: KnownFact::No,
        roots: KnownFact::No,
        call_limit: Limit::fixed(60),
        environment: ChildEnvironment::All,
        reload: "it notices by itself",
        ..UNKNOWN
    },
    ClientFacts {
        word: "codex",
        name: "Codex",
        info_names: &["codex-mcp-client"],
        grade: Grade::Source,
        files: &[
            ConfigFile::home(".codex/config.toml", Servers::Member("mcp_servers"))
                .variable("CODEX_HOME")
                .syntax(Syntax::Toml),
            ConfigFile::project(".codex/config.toml", Servers::Member("mcp_servers")).syntax(Syntax::Toml),
        ],
        elicitation: KnownFact::Yes,
        roots: KnownFact::No,
        call_limit: Limit::fixed(60),
        environment: ChildEnvironment::Few,
        reload: "start a new session",
        ..UNKNOWN
    },
    ClientFacts {
        word: "gemini",
        name: "Gemini CLI",
        info_names: &["gemini-cli-mcp-client*"],
        grade: Grade::Source,
        files: &[
            ConfigFile::home(".gemini/settings.json", MCP_SERVERS),
            ConfigFile::project(".gemini/settings.json", MCP_SERVERS),
        ],
        substitution: "$NAME ${NAME:-default}",
        bare_url: BareUrl::Sse,
        elicitation: KnownFact::No,
        roots: KnownFact::Yes,
        call_limit: Limit::fixed(600),
        environment: ChildEnvironment::All,
        ..UNKNOWN
    },
    ClientFacts {
        word: "antigravity",
        name: "Antigravity CLI",
        files: &[
            ConfigFile::home(".gemini/config/mcp_config.json", MCP_SERVERS),
            ConfigFile::project(".agents/mcp_config.json", MCP_SERVERS),
        ],
        ..UNKNOWN
    },
    ClientFacts {
        word: "junie",
        name: "JetBrains Junie",
        files: &[
            ConfigFile::home(".junie/mcp/mcp.json", MCP_SERVERS),
            ConfigFile::project(".junie/mcp/mcp.json", MCP_SERVERS),
        ],
        ..UNKNOWN
    },
    ClientFacts {
        word: "air",
        name: "JetBrains Air",
        grade: Grade::Documented,
        files: &[
            ConfigFile::project(".air/mcp.json", MCP_SERVERS),
            ConfigFile::project(".mcp.json", MCP_SERVERS),
        ],
        ..UNKNOWN
    },
    ClientFacts {
        word: "cline",
        name: "Cline",
        info_names: &["Cline", "@cline/core"],
        grade: Grade::Source,
        files: &[ConfigFile::home(".cline/data/settings/cline_mcp_settings.json", MCP_SERVERS)],
        bare_url: BareUrl::Sse,
        elicitation: KnownFact::No,
        roots: KnownFact::No,
        call_limit: Limit::fixed(60),
        environment: ChildEnvironment::Few,
        locks: true,
        reload: "it notices by itself",
        ..UNKNOWN
    },
    ClientFacts {
        word: "roo",
        name: "Roo Code",
        info_names: &["Roo Code"],
        grade: Grade::Source,
        files: &[ConfigFile::project(".roo/mcp.json", MCP_SERVERS)],
        substitution: "${env:NAME} ${workspaceFolder}",
        elicitation: KnownFact::No,
        roots: KnownFact::No,
        call_limit: Limit::fixed(60),
        environment: ChildEnvironment::Few,
        reload: "it notices by itself",
        ..UNKNOWN
    },
    ClientFacts {
        word: "continue",
        name: "Continue",
        info_names: &["continue-client"],
        grade: Grade::Source,
        files: &[ConfigFile::home(".continue/config.yaml", MCP_SERVERS).syntax(Syntax::Yaml)],
        elicitation: KnownFact::No,
        roots: KnownFact::No,
        call_limit: Limit::fixed(60),
        environment: ChildEnvironment::Few,
        ..UNKNOWN
    },
    ClientFacts {
        word: "goose",
        name: "Goose",
        info_names: &["goose-cli", "goose-desktop"],
        grade: Grade::Source,
        files: &[
            ConfigFile::home(".config/goose/config.yaml", Servers::Member("extensions")).syntax(Syntax::Yaml)
        ],
        elicitation: KnownFact::Yes,
        roots: KnownFact::Yes,
        call_limit: Limit::fixed(300),
        environment: ChildEnvironment::All,
        ..UNKNOWN
    },
    ClientFacts {
        word: "opencode",
        name: "opencode",
        info_names: &["opencode"],
        grade: Grade::Source,
        files: &[
            ConfigFile::home(".config/opencode/opencode.json", Servers::Member("mcp")),
            ConfigFile::home(".config/opencode/opencode.jsonc", Servers::Member("mcp")),
            ConfigFile::project("opencode.json", Servers::Member("mcp")),
            ConfigFile::project("opencode.jsonc", Servers::Member("mcp")),
        ],
        substitution: "{env:NAME} {file:PATH}",
        elicitation: KnownFact::No,
        roots: KnownFact::Yes,
        call_limit: Limit::silence(60),
        environment: ChildEnvironment::All,
        ..UNKNOWN
    },
    ClientFacts {
        word: "lmstudio",
        name: "LM Studio",
        files: &[ConfigFile::home(".lmstudio/mcp.json", MCP_SERVERS)],
        ..UNKNOWN
    },
    ClientFacts {
        word: "kiro",
        name: "Kiro",
        grade: Grade::Documented,
        files: &[
            ConfigFile::home(".kiro/settings/mcp.json", MCP_SERVERS),
            ConfigFile::project(".kiro/settings/mcp.json", MCP_SERVERS),
        ],
        substitution: "${NAME}",
        ..UNKNOWN
    },
    ClientFacts {
        word: "amazon-q",
        name: "Amazon Q CLI",
        info_names: &["Q DEV CLI"],
        grade: Grade::Source,
        files: &[
            ConfigFile::home(".aws/amazonq/mcp.json", MCP_SERVERS),
            ConfigFile::project(".amazonq/mcp.json", MCP_SERVERS),
        ],
        elicitation: KnownFact::No,
        roots: KnownFact::No,
        call_limit: Limit::fixed(120),
        ..UNKNOWN
    },
];
