//! Recognizes programs in the process tree by their names. As of 2026-11.
use super::process::Process;

/// Programs of the system or the desktop that start unrelated programs: two children of such a
/// program do not belong together.
const STARTERS: [&str; 48] = [
    "systemd",
    "init",
    "launchd",
    "runit",
    "runsvdir",
    "s6-svscan",
    "openrc-init",
    "dinit",
    "tini",
    "dumb-init",
    "docker-init",
    "catatonit",
    "containerd-shim",
    "conmon",
    "cron",
    "crond",
    "atd",
    "login",
    "agetty",
    "sshd",
    "sshd-session",
    "mosh-server",
    "dbus-daemon",
    "dbus-broker",
    "gdm-session-wor",
    "gdm-wayland-ses",
    "gdm-x-session",
    "sddm-helper",
    "lightdm",
    "gnome-session",
    "gnome-session-b",
    "gnome-shell",
    "ksmserver",
    "kwin_wayland",
    "plasma_session",
    "plasmashell",
    "xfce4-session",
    "cinnamon-sessio",
    "mate-session",
    "sway",
    "Hyprland",
    "i3",
    "Xorg",
    "tmux: server",
    "screen",
    "procd",
    "busybox",
    "shepherd",
];

/// Shells, which read what a person types.
const SHELLS: [&str; 14] = [
    "bash", "zsh", "fish", "sh", "dash", "ash", "ksh", "mksh", "tcsh", "csh", "nu", "elvish", "xonsh", "pwsh",
];

/// Known agents that work in a terminal.
const AGENTS: [&str; 4] = ["claude", "codex", "gemini", "opencode"];

/// Variables that agents set for the programs that they start.
pub(super) const AGENT_VARIABLES: [&str; 4] =
    ["CLAUDECODE", "CLAUDE_CODE_CHILD_SESSION", "GEMINI_CLI", "CODEX_SANDBOX"];

/// Whether it starts sessions or services. Process 1 of a machine does, but in a container process
/// 1 can be any program, even the client.
pub(super) fn is_starter(process: &Process) -> bool {
    STARTERS.contains(&process.name.as_str())
}

/// Whether it is a shell in which a person types.
pub(super) fn is_shell_of_terminal(process: &Process) -> bool {
    process.leads_terminal() && SHELLS.contains(&process.name.trim_start_matches('-'))
}

/// The name of the agent that this process is; `None` if it is not a known one.
pub(super) fn agent(process: &Process) -> Option<&'static str> {
    let names = std::iter::once(&process.name).chain(&process.words);
    let known =
        |name: &String| AGENTS.into_iter().find(|agent| name.strip_suffix(".js").unwrap_or(name) == *agent);
    names.filter_map(known).next()
}
