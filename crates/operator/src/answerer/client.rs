//! Finds the client of a server that is served over standard input and output. A client may start
//! the server, and its tools, through other programs. So the client is the topmost program that
//! belongs only to it: below the shell of a terminal, and below the programs that start the
//! desktop's and the system's programs.
use overt_state::grants::ClientProcess;

use super::process::{ProcessTable, ancestors};
use super::programs::{is_shell_of_terminal, is_starter};

/// The client of this process; `None` if a person or the system itself started it.
pub fn client_of(table: &dyn ProcessTable, server: u32) -> Option<ClientProcess> {
    let server = table.process(server)?;
    let mut client = None;
    for ancestor in ancestors(table, &server) {
        if is_starter(&ancestor) || is_shell_of_terminal(&ancestor) {
            break;
        }
        client = Some(ancestor.identity());
        // A terminal that runs another program than a shell was opened for the client.
        if ancestor.leads_terminal() {
            break;
        }
    }
    client
}
