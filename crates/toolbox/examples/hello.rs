use overt_toolbox::{Context, Server, Tool, ToolError, Toolbox};
use overt_transport::{limits::Limits, signal, stdio};

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Greet {
    /// Whom to greet, such as `Ada`.
    name: String,
}

#[derive(serde::Serialize, schemars::JsonSchema)]
struct Greeting {
    text: String,
}

async fn greet(input: Greet, _context: Context) -> Result<Greeting, ToolError> {
    Ok(Greeting { text: format!("Hello, {}!", input.name) })
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let server = Server::new("hello", "1.0.0", "Use `greet` to greet somebody by name.");
    let tool = Tool::new("greet", "Use when somebody should be greeted. Returns the greeting.", greet);
    let toolbox = Toolbox::new(server).tool(tool.read_only()).build()?;
    stdio::serve(overt_disclosure::open(toolbox)?, Limits::default(), signal::stop_requested()?).await?;
    Ok(())
}
