//! Tests of the names of real command lines.
use overt_policy::scope;

use super::*;

/// Command lines of real servers, from their own documentation, with the expected names.
const NAMES: &[(&str, &str)] = &[
    ("npx -y @modelcontextprotocol/server-everything", "server-everything"),
    ("npx -y @modelcontextprotocol/server-filesystem@2026.1.2 /home", "server-filesystem"),
    ("npx -y @playwright/mcp@latest --headless", "playwright-mcp"),
    ("npx --package=@acme/tools -y acme-notes", "acme-notes"),
    ("npx -p @acme/tools acme-notes", "acme-notes"),
    ("npx -y github:me/mcp-weather", "mcp-weather"),
    ("npm exec @upstash/context7-mcp", "context7-mcp"),
    ("pnpm dlx mcp-remote https://example.com/sse", "mcp-remote"),
    ("bunx @sentry/mcp-server@latest", "sentry-mcp-server"),
    ("uvx mcp-server-git --repository .", "mcp-server-git"),
    ("uvx mcp-server-fetch==2025.4.7", "mcp-server-fetch"),
    ("uvx --from git+https://github.com/oraios/serena serena start-mcp-server", "serena"),
    ("uvx git+https://github.com/me/mcp-notes.git@v2", "mcp-notes"),
    ("uv run --directory /home/me/weather weather.py", "weather"),
    ("uv --directory /srv/notes run server-notes", "server-notes"),
    ("uv run --with mcp[cli] mcp-tool", "mcp-tool"),
    ("uv run python -m mcp_server_time", "mcp_server_time"),
    ("pipx run mcp-server-sqlite --db-path x.db", "mcp-server-sqlite"),
    ("python3 -m mcp_server_fetch", "mcp_server_fetch"),
    ("python3.12 -m awslabs.core_mcp_server.server", "core_mcp_server"),
    ("/opt/venv/bin/python /srv/weather/server.py", "weather"),
    ("node /srv/weather/server.js", "weather"),
    ("node server.js", "my-site"),
    ("python -m server", "my-site"),
    ("python -m weather.server", "weather"),
    ("/srv/weather/server --stdio", "server"),
    ("/opt/venv/bin/python /srv/weather/src/server.py", "weather"),
    ("python /srv/notes/main.py", "notes"),
    ("node dist/index.js", "my-site"),
    ("node index.js", "my-site"),
    ("node ./build/src/server.js", "my-site"),
    ("node /x/node_modules/@acme/server-notes/dist/index.js /data", "server-notes"),
    ("node --env-file .env /srv/mongo-mcp/lib/cli.mjs", "mongo-mcp"),
    ("node /srv/server-memory/server-memory.js", "server-memory"),
    ("deno run -A npm:@acme/db-server", "db-server"),
    ("bun run /srv/quotes/src/index.ts", "quotes"),
    ("java -jar /opt/wiki-server.jar", "wiki-server"),
    ("go run ./cmd/github-mcp-server stdio", "github-mcp-server"),
    ("docker run -i --rm -e TOKEN ghcr.io/github/github-mcp-server:latest", "github-mcp-server"),
    ("docker run -i --rm --mount type=bind,src=/a,dst=/b mcp/fetch", "fetch"),
    ("docker run -i acme/mcp@sha256:00", "acme-mcp"),
    ("env TOKEN=x NODE_ENV=production npx -y @acme/notes", "notes"),
    ("cmd /c npx -y @acme/notes", "notes"),
    ("bash -lc npx", "npx"),
    ("/usr/bin/My.Server --stdio", "my-server"),
    ("./target/debug/overt fs", "overt"),
    ("npx", "npx"),
];

#[test]
fn g_61_a_command_has_the_name_of_what_it_starts() {
    for (command, expected) in NAMES {
        let words: Vec<String> = command.split(' ').map(str::to_owned).collect();
        let name = scope::kind_of(&of_command(&words, Some(Path::new("/home/ada/my-site"))));
        assert_eq!(name, *expected, "{command}");
    }
}

#[test]
fn a_command_line_in_a_word_is_followed() {
    let words = ["bash", "-lc", "exec npx -y @acme/notes"].map(str::to_owned);
    assert_eq!(of_command(&words, None), "exec");
    let words = ["sh", "-c", "TOKEN=x"].map(str::to_owned);
    assert_eq!(of_command(&words, None), "TOKEN=x");
    let words = ["sh", "-c", "node /srv/notes/dist/index.js"].map(str::to_owned);
    assert_eq!(of_command(&words, None), "notes");
    assert_eq!(of_command(&[], None), "");
    assert_eq!(of_command(&["node".to_owned(), "index.js".to_owned()], None), "index");
}
