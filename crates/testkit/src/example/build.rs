//! Builds the example server from its parts.
use std::sync::Arc;

use overt_toolbox::{DeclarationError, Server, Toolbox, ToolboxEndpoint};

use super::{asking, changing, declared, notes, plain, prompts, resources, tasks};

/// Returns the example server.
pub fn toolbox() -> Result<Arc<ToolboxEndpoint>, DeclarationError> {
    let server =
        Server::new("overt-example", "0.1.0", "Use the tools to try what a client can do with a server.")
            .title("Overt example")
            .description("A server with one of everything, for tests of clients and of Overt itself.")
            .declare(declared::server());
    let mut toolbox = Toolbox::new(server);
    for tool in [plain::tools(), asking::tools(), changing::tools(), notes::tools(), tasks::tools()]
        .into_iter()
        .flatten()
    {
        toolbox = toolbox.tool(tool);
    }
    for resource in resources::resources() {
        toolbox = toolbox.resource(resource);
    }
    for prompt in prompts::prompts() {
        toolbox = toolbox.prompt(prompt);
    }
    toolbox.template(resources::template()).build()
}
