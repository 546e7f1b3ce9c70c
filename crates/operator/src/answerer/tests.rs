//! Process trees from real machines, and which of their processes may answer.
use std::collections::BTreeMap;

use overt_state::grants::ClientProcess;

use super::proc_files::{parse_command_line, parse_stat};
use super::process::{Process, ProcessTable};
use super::*;

/// A tree as text: one process in each line, as `PID PARENT SESSION TERMINAL NAME`. Processes have
/// no command line.
#[derive(Debug)]
struct Tree(BTreeMap<u32, Process>);

impl ProcessTable for Tree {
    fn process(&self, pid: u32) -> Option<Process> {
        self.0.get(&pid).cloned()
    }
}

fn tree(text: &str) -> Tree {
    let mut processes = BTreeMap::new();
    for (started, line) in text.lines().map(str::trim).filter(|line| !line.is_empty()).enumerate() {
        let words: Vec<&str> = line.splitn(5, ' ').collect();
        let [pid, parent, session, terminal, name] = words[..] else { panic!("{line}") };
        let number = |word: &str| word.parse::<u32>().unwrap();
        let process = Process {
            pid: number(pid),
            started: started as u64,
            parent: number(parent),
            session: number(session),
            has_terminal: terminal != "-",
            name: name.to_owned(),
            words: Vec::new(),
        };
        processes.insert(process.pid, process);
    }
    Tree(processes)
}

impl Tree {
    fn client(&self, server: u32) -> Option<u32> {
        client_of(self, server).map(|client| client.pid)
    }

    /// Why the process may not answer the server's questions; `None` if it may.
    fn doubt(&self, answerer: u32, server: u32) -> Option<Doubt> {
        let clients: Vec<ClientProcess> = client_of(self, server).into_iter().collect();
        let circumstances =
            AnswererProcess { pid: answerer, reads_terminal: true, variables: &|_| false, clients: &clients };
        doubt(self, circumstances)
    }
}

fn is_client(doubt: Option<&Doubt>, wanted: u32) -> bool {
    matches!(doubt, Some(Doubt::Client { pid, .. }) if *pid == wanted)
}

#[test]
fn a_09_an_agent_in_a_terminal_does_not_answer_and_another_terminal_does() {
    let tree = tree(
        "1 0 1 - systemd
         10 1 10 - gnome-terminal-
         20 10 20 pts/0 bash
         21 20 20 pts/0 npm exec helper
         22 21 20 pts/0 helper
         23 22 20 pts/0 overt
         30 22 20 pts/0 bash
         31 30 20 pts/0 overt
         40 10 40 pts/1 zsh
         41 40 40 pts/1 overt
         50 22 50 - script
         51 50 51 pts/2 sh
         52 51 51 pts/2 overt
         60 20 20 pts/0 overt",
    );
    assert_eq!(tree.client(23), Some(21), "the topmost program below the shell");
    assert!(is_client(tree.doubt(31, 23).as_ref(), 21), "the agent's shell");
    assert!(is_client(tree.doubt(52, 23).as_ref(), 21), "a terminal that the agent made");
    assert_eq!(tree.doubt(41, 23), None, "another terminal of the person");
    assert_eq!(tree.doubt(60, 23), None, "the shell that the agent was started in");
}

#[test]
fn a_09_the_session_of_a_terminal_can_be_the_agent_itself() {
    let tree = tree(
        "1 0 1 - systemd
         10 1 10 - xterm
         20 10 20 pts/0 helper
         19 20 20 pts/0 sh
         21 19 20 pts/0 overt
         22 20 22 - bash
         23 22 23 pts/3 overt",
    );
    assert_eq!(tree.client(21), Some(20));
    assert!(is_client(tree.doubt(23, 21).as_ref(), 20));
}

#[test]
fn a_09_known_agents_do_not_answer_for_any_server() {
    let mut tree = tree(
        "1 0 1 - systemd
         10 1 10 - sshd
         20 10 20 pts/0 bash
         21 20 20 pts/0 claude
         22 21 20 pts/0 bash
         23 22 20 pts/0 overt
         30 20 20 pts/0 node
         31 30 20 pts/0 overt
         40 20 20 pts/0 overt",
    );
    // No server runs, or one is served over HTTP.
    assert_eq!(tree.doubt(23, 0), Some(Doubt::Agent("claude")));
    tree.0.get_mut(&30).unwrap().words = parse_command_line("/usr/bin/node\0/usr/lib/gemini.js\0-p\0");
    assert_eq!(tree.doubt(31, 0), Some(Doubt::Agent("gemini")));
    assert_eq!(tree.doubt(40, 0), None);
}

#[test]
fn a_09_an_editor_and_its_terminals_are_one_program() {
    let tree = tree(
        "1 0 1 - systemd
         5 1 5 - systemd
         6 5 6 - gnome-shell
         10 6 6 - code
         11 10 6 - code
         12 11 6 - overt
         13 10 6 - code
         20 13 20 pts/0 bash
         21 20 20 pts/0 overt
         30 6 30 - kitty
         31 30 31 pts/1 fish
         32 31 31 pts/1 overt",
    );
    assert_eq!(tree.client(12), Some(10), "the editor, and not the desktop");
    assert!(is_client(tree.doubt(21, 12).as_ref(), 10), "docs/approvals: its own terminal is refused");
    assert_eq!(tree.doubt(32, 12), None, "any other terminal answers");
}

#[test]
fn a_09_panes_of_tmux_are_terminals_of_their_own() {
    let tree = tree(
        "1 0 1 - systemd
         10 1 10 - tmux: server
         20 10 20 pts/0 bash
         21 20 20 pts/0 helper
         22 21 20 pts/0 overt
         23 21 20 pts/0 sh
         24 23 20 pts/0 overt
         30 10 30 pts/1 bash
         31 30 30 pts/1 overt
         40 10 40 pts/2 helper
         41 40 40 pts/2 overt
         42 40 42 - overt",
    );
    assert_eq!((tree.client(22), tree.client(41)), (Some(21), Some(40)));
    assert!(is_client(tree.doubt(24, 22).as_ref(), 21));
    assert_eq!(tree.doubt(31, 22), None);
}

#[test]
fn a_09_over_ssh_each_login_is_a_terminal_of_its_own() {
    let tree = tree(
        "1 0 1 - systemd
         9 1 9 - sshd
         10 9 10 - sshd-session
         20 10 20 pts/0 -bash
         21 20 20 pts/0 helper
         22 21 20 pts/0 overt
         11 9 11 - sshd-session
         30 11 30 pts/1 -bash
         31 30 30 pts/1 overt
         12 9 12 - sshd-session
         40 12 40 - helper
         41 40 40 - overt",
    );
    assert_eq!(tree.client(22), Some(21));
    assert_eq!(tree.doubt(31, 22), None);
    assert_eq!(tree.client(41), Some(40), "a client that was started over ssh without a terminal");
}

#[test]
fn a_09_in_a_container_the_first_process_can_be_the_client() {
    let agent = tree(
        "1 0 1 pts/0 node
         20 1 1 pts/0 overt
         21 1 1 pts/0 sh
         22 21 1 pts/0 overt
         30 0 30 pts/1 bash
         31 30 30 pts/1 overt",
    );
    assert_eq!(agent.client(20), Some(1));
    assert!(is_client(agent.doubt(22, 20).as_ref(), 1));
    assert_eq!(agent.doubt(31, 20), None, "`docker exec` starts beside it");
    let with_init = tree(
        "1 0 1 - tini
         10 1 10 - node
         11 10 10 - overt
         12 10 12 pts/0 overt",
    );
    assert_eq!(with_init.client(11), Some(10));
    assert!(is_client(with_init.doubt(12, 11).as_ref(), 10));
    let script = tree(
        "1 0 1 - sh
         10 1 1 - node
         11 10 1 - overt
         12 1 12 pts/0 overt",
    );
    assert_eq!(script.client(11), Some(1));
    assert!(is_client(script.doubt(12, 11).as_ref(), 1), "also who left the client's session");
    let shell = tree(
        "1 0 1 pts/0 bash
         10 1 1 pts/0 node
         11 10 1 pts/0 overt
         20 1 1 pts/0 overt",
    );
    assert_eq!(shell.client(11), Some(10));
    assert_eq!(shell.doubt(20, 11), None, "the shell of the container is the person's");
}

#[test]
fn a_09_services_have_clients_too() {
    let tree = tree(
        "1 0 1 - systemd
         10 1 10 - cron
         11 10 11 - sh
         12 11 11 - node
         13 12 11 - overt
         20 1 20 - node
         21 20 20 - overt
         30 1 30 - overt",
    );
    assert_eq!(tree.client(13), Some(11));
    assert_eq!(tree.client(21), Some(20));
    assert_eq!(tree.client(30), None, "the system itself starts it");
}

#[test]
fn a_09_who_leaves_a_session_has_no_terminal_or_a_detached_one() {
    let tree = tree(
        "1 0 1 - systemd
         5 1 5 - systemd
         10 1 10 - sshd
         20 10 20 pts/0 bash
         21 20 20 pts/0 helper
         22 21 20 pts/0 overt
         30 1 30 - overt
         31 5 31 pts/0 overt
         32 1 32 pts/4 overt
         33 5 33 pts/5 bash
         34 33 33 pts/5 overt",
    );
    assert_eq!(tree.doubt(30, 22), Some(Doubt::NoTerminal), "`setsid`: standard input still is a terminal");
    for answerer in [31, 32, 34] {
        assert_eq!(
            tree.doubt(answerer, 22),
            Some(Doubt::Detached),
            "{answerer}: `setsid -c`, `systemd-run --pty`"
        );
    }
}

#[test]
fn a_09_standard_input_and_variables_count_whatever_the_tree_says() {
    let tree = tree(
        "1 0 1 - systemd
         10 1 10 - sshd
         20 10 20 pts/0 bash
         21 20 20 pts/0 overt",
    );
    let of = |reads_terminal, variable: &'static str| {
        let variables = move |name: &str| name == variable;
        doubt(&tree, AnswererProcess { pid: 21, reads_terminal, variables: &variables, clients: &[] })
    };
    assert_eq!(of(true, ""), None);
    assert_eq!(of(false, ""), Some(Doubt::NoTerminal));
    assert_eq!(of(true, "CLAUDECODE"), Some(Doubt::AgentVariable("CLAUDECODE")));
    assert_eq!(
        of(true, "CLAUDE_CODE_CHILD_SESSION"),
        Some(Doubt::AgentVariable("CLAUDE_CODE_CHILD_SESSION"))
    );
}

#[test]
fn a_09_a_number_that_was_given_again_is_another_process() {
    let mut tree = tree(
        "1 0 1 - systemd
         10 1 10 - sshd
         20 10 20 pts/0 bash
         21 20 20 pts/0 helper
         22 21 20 pts/0 overt
         31 20 20 pts/0 helper
         32 31 20 pts/0 overt",
    );
    let gone = ClientProcess { pid: 31, started: 0 };
    let circumstances =
        AnswererProcess { pid: 32, reads_terminal: true, variables: &|_| false, clients: &[gone] };
    assert_eq!(doubt(&tree, circumstances), None);
    // The parent ended, and its process id now belongs to a process that started later.
    tree.0.get_mut(&21).unwrap().started = 99;
    assert_eq!(tree.client(22), None);
}

#[test]
fn without_a_table_the_terminal_and_the_variables_decide() {
    let tree = Tree(BTreeMap::new());
    let of = |reads_terminal| {
        doubt(&tree, AnswererProcess { pid: 5, reads_terminal, variables: &|_| false, clients: &[] })
    };
    assert_eq!((of(true), of(false)), (None, Some(Doubt::NoTerminal)));
    assert_eq!(tree.client(5), None);
}

#[test]
fn the_kernels_lines_are_read() {
    let stat =
        "4242 (a (b) c\n) S 17 4242 4000 34817 4242 4194304 1 2 3 4 5 6 7 8 20 0 1 0 74115 3133440 406";
    let process = parse_stat(stat).unwrap();
    assert_eq!((process.pid, process.parent, process.session, process.started), (4242, 17, 4000, 74115));
    assert!(process.has_terminal && process.name == "a (b) c\n");
    for wrong in ["", "1 (x) S", "x (x) S 1 1 1 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 5", "1 x S 1 1 1"] {
        assert_eq!(parse_stat(wrong), None, "{wrong}");
    }
    assert_eq!(parse_command_line("/usr/bin/node\0/opt/x/cli.js\0--flag\0"), ["node", "cli.js"]);
    assert!(parse_command_line("").is_empty());
}

#[cfg(target_os = "linux")]
#[test]
fn this_process_is_in_the_table() {
    let own = ProcFiles.process(std::process::id()).unwrap();
    assert_eq!(own.pid, std::process::id());
    assert!(ProcFiles.process(own.parent).unwrap().started <= own.started);
}
