//! Tests the front matter that is written, and the errors of reading.
use super::*;
use crate::fixture::acme;
use crate::server_location::ServerLocation;
use overt_policy::record::Urls;

#[test]
fn d_25_the_head_of_the_example() {
    let front = FrontMatter::of(&acme(), &ServerLocation::default());
    let text = front.render();
    assert_eq!(
        text,
        concat!(
            "---\n",
            "name: acme-mcp\n",
            "description: >-\n",
            "  MCP server for Acme project management. Use when user asks to manage projects, track tasks, or\n",
            "  collaborate with team members.\n",
            "spec-url: https://github.com/visionik/dashdash\n",
            "spec-version: \"0.2.0\"\n",
            "subcommand-help: false\n",
            "access-level: interact\n",
            "cli-url: https://acme.com/cli\n",
            "api-url: https://api.acme.com/docs\n",
            "web-url: https://acme.com/app\n",
            "mcp-url: none\n",
            "install:\n  npm: \"@acme/mcp-server\"\n  docker: acme/mcp-server:1.0.0\n",
            "requires:\n  auth:\n    - api-key\n  env:\n    - ACME_API_KEY\n  scopes:\n    - read:projects\n    - write:tasks\n",
            "invocation:\n  model-invocable: true\n  user-invocable: true\n",
            "---\n",
        )
    );
    assert_eq!(FrontMatter::parse(&format!("{text}\n# Rest\n")), Ok((front, "\n# Rest\n")));
}

#[test]
fn the_example_of_the_specification_is_read() {
    // It has comments, folded text and an unquoted version. The MCP form lacks `subcommand-help`
    // and `mcp-url`.
    let text = concat!(
        "---\n# Server Identity\nname: acme-mcp\ndescription: >\n  MCP server for Acme project management.\n",
        "  Use when user asks to manage projects.\n\nspec-url: https://github.com/visionik/dashdash\n",
        "spec-version: 0.2.0\naccess-level: interact\ncli-url: https://acme.com/cli\napi-url: none\nweb-url: none\n",
        "install:\n  npm: \"@acme/mcp-server\"\ninvocation:\n  model-invocable: true\n---\n\n# Acme MCP Server\n"
    );
    let (front, body) = FrontMatter::parse(text).unwrap();
    assert_eq!(
        front.description,
        "MCP server for Acme project management. Use when user asks to manage projects.\n"
    );
    assert_eq!(front.spec_version, "0.2.0");
    assert_eq!(front.urls, Urls { cli: Some("https://acme.com/cli".to_owned()), ..Urls::default() });
    assert_eq!(body, "\n# Acme MCP Server\n");
}

#[test]
fn everything_that_is_wrong_is_found_at_once() {
    let text = "---\nname: 7\nspec-url: https://github.com/visionik/dashdash\nspec-version: 0.2\naccess-level: all\ncli-url: nowhere\n---\n";
    let findings = FrontMatter::parse(text).unwrap_err();
    let places: Vec<&str> = findings.iter().map(|finding| finding.at.as_str()).collect();
    assert_eq!(places, ["/name", "/description", "/spec-version", "/access-level", "/cli-url"]);
}

#[test]
fn x_19_the_levels_of_the_web_form_are_read() {
    for level in ["none", "browse", "read", "interact", "full"] {
        let text = format!(
            "---\nname: a\ndescription: b\nspec-url: c\nspec-version: \"0.2.0\"\naccess-level: {level}\n---\n"
        );
        assert_eq!(FrontMatter::parse(&text).unwrap().0.access_level.to_string(), level);
    }
}

#[test]
fn files_are_split_at_lines_of_three_hyphens() {
    let split_of = |text| split(text).map(|parts| (parts.front, parts.body, parts.body_line));
    assert_eq!(split_of("---\na: 1\n---\nb\n"), Ok((Some("a: 1\n"), "b\n", 4)));
    assert_eq!(split_of("---\r\na: 1\r\n---  \r\nb"), Ok((Some("a: 1\r\n"), "b", 4)));
    assert_eq!(split_of("---\n---"), Ok((Some(""), "", 3)));
    assert_eq!(split_of("# A\n---\n"), Ok((None, "# A\n---\n", 1)));
    assert_eq!(split_of(""), Ok((None, "", 1)));
    assert!(split_of("---\na: 1\n").unwrap_err().to_string().contains("does not end"));
    assert!(split_of("\u{feff}---\n---\n").unwrap_err().to_string().contains("byte order mark"));
}
