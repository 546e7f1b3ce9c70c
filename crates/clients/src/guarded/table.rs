//! The guarded files, with their date. The files in which clients keep their servers are in the
//! table of clients and are guarded too.
use crate::Syntax;

/// When the facts were collected.
pub const GUARDED_FROM: &str = "2026-11-19";

/// A row of the table.
#[derive(Debug)]
pub struct GuardedRow {
    /// The end of the path, in lower case, with one `*` in a name and `/**` for everything beneath.
    pub path: &'static str,
    /// What the file is, for people.
    pub what: &'static str,
    pub rule: Rule,
}

/// How a change is judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rule {
    /// A person is asked about each change.
    Asks,
    /// Each change is refused.
    Closed,
    /// Changes of these members are refused; a person is asked about each other change. A member is
    /// the names that lead to it, in lower case.
    Members(Syntax, &'static [&'static [&'static str]]),
}

const fn asks(path: &'static str, what: &'static str) -> GuardedRow {
    GuardedRow { path, what, rule: Rule::Asks }
}

const fn closed(path: &'static str, what: &'static str) -> GuardedRow {
    GuardedRow { path, what, rule: Rule::Closed }
}

const fn json(
    path: &'static str,
    what: &'static str,
    members: &'static [&'static [&'static str]],
) -> GuardedRow {
    GuardedRow { path, what, rule: Rule::Members(Syntax::Json, members) }
}

const fn toml(
    path: &'static str,
    what: &'static str,
    members: &'static [&'static [&'static str]],
) -> GuardedRow {
    GuardedRow { path, what, rule: Rule::Members(Syntax::Toml, members) }
}

/// The members of Claude Code's settings that permit tools or start programs at certain events.
const CLAUDE: &[&[&str]] = &[
    &["permissions"],
    &["hooks"],
    &["enableallprojectmcpservers"],
    &["enabledmcpjsonservers"],
    &["disabledmcpjsonservers"],
    &["allowedmcpservers"],
    &["deniedmcpservers"],
    &["enabledplugins"],
    &["extraknownmarketplaces"],
    &["sandbox"],
    &["disableallhooks"],
];
const CLAUDE_STATE: &[&[&str]] = &[
    &["projects", "*", "allowedtools"],
    &["projects", "*", "enabledmcpjsonservers"],
    &["projects", "*", "disabledmcpjsonservers"],
    &["projects", "*", "hastrustdialogaccepted"],
    &["bypasspermissionsmodeaccepted"],
];
const VS_CODE: &[&[&str]] =
    &[&["mcp"], &["mcp.*"], &["chat.mcp.*"], &["chat.tools.*"], &["chat.agent.*"], &["security.workspace.*"]];
const CODEX: &[&[&str]] = &[
    &["approval_policy"],
    &["approvals_*"],
    &["sandbox_*"],
    &["default_tools_approval_mode"],
    &["profiles"],
    &["profile"],
    &["projects"],
    &["hooks"],
    &["notify"],
    &["features"],
];
const GEMINI: &[&[&str]] = &[
    &["mcp"],
    &["tools"],
    &["security"],
    &["hooks"],
    &["allowmcpservers"],
    &["autoaccept"],
    &["coretools"],
    &["toolcallcommand"],
    &["tooldiscoverycommand"],
];

/// Every row. Rows that name a file more closely come first.
pub static ROWS: &[GuardedRow] = &[
    // Overt itself.
    closed("overt.toml", "a file of Overt's settings"),
    closed("overt/wrap/files/**", "Overt's record of what it wraps"),
    // Permissions of agents.
    json(".claude/settings.json", "the settings of Claude Code", CLAUDE),
    json(".claude/settings.local.json", "the settings of Claude Code", CLAUDE),
    json(".claude.json", "the settings of Claude Code", CLAUDE_STATE),
    json(".vscode/settings.json", "the settings of VS Code", VS_CODE),
    json("user/settings.json", "the settings of VS Code or an editor like it", VS_CODE),
    json("user/profiles/*/settings.json", "the settings of VS Code or an editor like it", VS_CODE),
    json("machine/settings.json", "the settings of VS Code or an editor like it", VS_CODE),
    json("user/mcp.json", "the servers of VS Code or an editor like it", &[&["servers"], &["sandbox"]]),
    json("user/profiles/*/mcp.json", "the servers of a profile of VS Code", &[&["servers"], &["sandbox"]]),
    json(
        "*.code-workspace",
        "a workspace of VS Code",
        &[
            &["mcp"],
            &["settings", "mcp"],
            &["settings", "mcp.*"],
            &["settings", "chat.mcp.*"],
            &["settings", "chat.tools.*"],
            &["settings", "chat.agent.*"],
        ],
    ),
    json("devcontainer.json", "a development container", &[&["customizations", "vscode", "mcp"]]),
    json(".devcontainer.json", "a development container", &[&["customizations", "vscode", "mcp"]]),
    toml(".codex/config.toml", "the settings of Codex", CODEX),
    closed(".codex/rules/**", "the permissions of Codex"),
    json(".gemini/settings.json", "the settings of Gemini CLI", GEMINI),
    closed(".gemini/policies/**", "the permissions of Gemini CLI"),
    closed(".gemini/trustedfolders.json", "the folders that Gemini CLI trusts"),
    closed(".cursor/permissions.json", "the permissions of Cursor"),
    json(".cursor/cli.json", "the settings of Cursor's agent", &[&["permissions"]]),
    json(".cursor/cli-config.json", "the settings of Cursor's agent", &[&["permissions"], &["approvalmode"]]),
    json("zed/settings.json", "the settings of Zed", &[&["agent"], &["assistant"]]),
    json(".zed/settings.json", "the settings of Zed", &[&["agent"], &["assistant"]]),
    json("opencode.json", "the settings of opencode", &[&["permission"], &["plugin"], &["agent"]]),
    json("opencode.jsonc", "the settings of opencode", &[&["permission"], &["plugin"], &["agent"]]),
    json("devin/config.json", "the settings of Devin", &[&["permissions"]]),
    json(".devin/config.json", "the settings of Devin", &[&["permissions"]]),
    json(".devin/config.local.json", "the settings of Devin", &[&["permissions"]]),
    closed("goose/permission.yaml", "the permissions of Goose"),
    closed("goose/permissions/**", "the permissions of Goose"),
    closed(".continue/permissions.yaml", "the permissions of Continue"),
    closed(".continue/mcpservers/**", "the servers of Continue"),
    closed(".junie/allowlist.json", "the permissions of Junie"),
    json("settings/mcp_settings.json", "the servers of Roo Code", &[&["mcpservers"]]),
    json("settings/cline_mcp_settings.json", "the servers of Cline", &[&["mcpservers"]]),
    json("lm-studio/mcp.json", "the servers of LM Studio", &[&["mcpservers"]]),
    closed("managed-mcp.json", "the servers that an administrator allows"),
    closed("managed-settings.json", "the settings that an administrator gives Claude Code"),
    // What agents start by themselves.
    asks(".claude/hooks/**", "a hook of Claude Code"),
    asks(".claude/agents/**", "an agent of Claude Code"),
    asks(".claude/commands/**", "a command of Claude Code"),
    asks(".claude/skills/**", "a skill of Claude Code"),
    asks(".claude/plugins/**", "a plugin of Claude Code"),
    asks(".claude-plugin/**", "a plugin of Claude Code"),
    asks("hooks/hooks.json", "the hooks of an agent's plugin"),
    asks(".cursor/hooks.json", "the hooks of Cursor"),
    asks(".cursor/hooks/**", "a hook of Cursor"),
    asks(".codex/hooks.json", "the hooks of Codex"),
    asks(".gemini/config/hooks.json", "the hooks of Antigravity"),
    asks(".gemini/hooks/**", "a hook of Gemini CLI"),
    asks(".gemini/commands/**", "a command of Gemini CLI"),
    asks(".gemini/extensions/**", "an extension of Gemini CLI"),
    asks(".github/hooks/**", "a hook of Copilot"),
    asks(".copilot/**", "a file of Copilot"),
    asks(".windsurf/hooks.json", "the hooks of Devin Desktop"),
    asks(".codeium/windsurf/hooks.json", "the hooks of Devin Desktop"),
    asks(".clinerules/hooks/**", "a hook of Cline"),
    asks("cline/hooks/**", "a hook of Cline"),
    asks(".kiro/hooks/**", "a hook of Kiro"),
    asks(".kiro/agents/**", "an agent of Kiro"),
    asks(".amazonq/cli-agents/**", "an agent of Amazon Q"),
    asks("amazonq/cli-agents/**", "an agent of Amazon Q"),
    asks(".opencode/plugin/**", "a plugin of opencode"),
    asks(".opencode/plugins/**", "a plugin of opencode"),
    asks("opencode/plugin/**", "a plugin of opencode"),
    asks("opencode/plugins/**", "a plugin of opencode"),
    asks(".agents/plugins/**", "a plugin of Goose"),
    asks(".agents/hooks/**", "a hook of an agent"),
    // Git.
    asks(".git/hooks/**", "a git hook"),
    asks("*.git/hooks/**", "a git hook"),
    asks(".husky/**", "a git hook"),
    asks(".githooks/**", "a git hook"),
    asks(".pre-commit-config.yaml", "the list of git hooks"),
    asks("lefthook.yml", "the list of git hooks"),
    asks("lefthook.yaml", "the list of git hooks"),
    asks(".lefthook.yml", "the list of git hooks"),
    asks(".lefthook.yaml", "the list of git hooks"),
    asks(".git/config", "git's settings"),
    asks("*.git/config", "git's settings"),
    asks(".gitconfig", "git's settings"),
    asks("git/config", "git's settings"),
    asks(".git/**", "git's own file"),
    // Editors.
    asks(".vscode/tasks.json", "the tasks of VS Code"),
    asks("user/tasks.json", "the tasks of VS Code"),
    asks("user/profiles/*/tasks.json", "the tasks of VS Code"),
    asks(".vscode/launch.json", "what VS Code starts"),
    asks(".devcontainer/**", "a development container"),
    asks(".zed/tasks.json", "the tasks of Zed"),
    asks("zed/tasks.json", "the tasks of Zed"),
    asks(".zed/debug.json", "what Zed starts"),
    asks(".idea/**", "a setting of a JetBrains editor"),
    asks(".run/**", "what a JetBrains editor starts"),
    asks(".vim/**", "a file that Vim runs"),
    asks(".vimrc", "a file that Vim runs"),
    asks(".exrc", "a file that Vim runs"),
    asks(".nvimrc", "a file that Neovim runs"),
    asks(".nvim.lua", "a file that Neovim runs"),
    asks(".config/nvim/**", "a file that Neovim runs"),
    asks(".emacs", "a file that Emacs runs"),
    asks(".emacs.d/**", "a file that Emacs runs"),
    asks(".config/emacs/**", "a file that Emacs runs"),
    asks(".dir-locals.el", "a file that Emacs runs"),
    // Shells and sessions.
    asks(".envrc", "a file that direnv runs"),
    asks(".direnvrc", "a file that direnv runs"),
    asks("direnv/direnvrc", "a file that direnv runs"),
    asks("direnv/lib/**", "a file that direnv runs"),
    asks("mise.toml", "a file with tasks of mise"),
    asks(".mise.toml", "a file with tasks of mise"),
    asks("mise.local.toml", "a file with tasks of mise"),
    asks(".bashrc", "a file that the shell runs"),
    asks(".bash_profile", "a file that the shell runs"),
    asks(".bash_login", "a file that the shell runs"),
    asks(".bash_logout", "a file that the shell runs"),
    asks(".bash_aliases", "a file that the shell runs"),
    asks(".profile", "a file that the shell runs"),
    asks(".zshenv", "a file that the shell runs"),
    asks(".zshrc", "a file that the shell runs"),
    asks(".zprofile", "a file that the shell runs"),
    asks(".zlogin", "a file that the shell runs"),
    asks(".zlogout", "a file that the shell runs"),
    asks(".config/fish/**", "a file that the shell runs"),
    asks(".xprofile", "a file that the session runs"),
    asks(".xsession", "a file that the session runs"),
    asks(".xinitrc", "a file that the session runs"),
    asks(".ssh/**", "a file of SSH"),
    asks(".config/autostart/**", "a program that starts with the session"),
    asks(".config/systemd/user/**", "a service of systemd"),
    asks("library/launchagents/**", "a program that starts with the session"),
];
