//! `llms.txt` (llmstxt.org): a short description of a server, and links to other documents. It has
//! no front matter, which belongs to `ai_help`. `llms-full.txt` is the whole help in one file.
use serde_json::Value;

use crate::ai_help::{Help, Section};
use crate::card;
use crate::description::Description;
use crate::document::{CARDS, LLMS_FULL, SERVER_CARD};
use crate::markdown::{LINE, code, line};
use crate::registry::ServerCard;
use crate::server_location::ServerLocation;
use overt_policy::finding::{Findings, Pointer};

/// The most bytes of such a file.
const MOST_BYTES: usize = 1024 * 1024;

/// The parts of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Llms {
    pub title: String,
    pub summary: Option<String>,
    /// Markdown without headings.
    pub prose: String,
    pub sections: Vec<LinkSection>,
}

/// Links under a heading. A reader that is short of space may skip those under `Optional`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkSection {
    pub heading: String,
    pub links: Vec<Link>,
}

/// A link to another document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    pub title: String,
    pub url: String,
    pub description: Option<String>,
}

impl Llms {
    pub fn of(description: &Description, place: &ServerLocation) -> Self {
        Self::with(description, &Help::of(description, place), place)
    }

    pub(crate) fn with(description: &Description, help: &Help, place: &ServerLocation) -> Self {
        let sections = [
            ("Documentation", documentation(description, place)),
            ("Optional", optional(description, place)),
        ];
        Self {
            title: help.title.markdown(),
            summary: Some(help.summary.markdown()),
            prose: prose(description, help),
            sections: sections
                .into_iter()
                .filter(|(_, links)| !links.is_empty())
                .map(|(heading, links)| LinkSection { heading: heading.to_owned(), links })
                .collect(),
        }
    }

    pub fn render(&self) -> String {
        let mut text = format!("# {}\n\n", self.title);
        if let Some(summary) = &self.summary {
            text.push_str(&format!("> {summary}\n\n"));
        }
        text.push_str(&self.prose);
        for section in &self.sections {
            text.push_str(&format!("\n## {}\n\n", section.heading));
            text.extend(section.links.iter().map(Link::render));
        }
        text
    }

    /// Parses a file. Everything under a heading of the second level must be a link.
    pub fn parse(text: &str) -> Result<Self, Findings> {
        let mut findings = Findings::default();
        if text.len() > MOST_BYTES {
            findings.error(Pointer::root(), "is too long", format!("at most {MOST_BYTES} bytes are read"));
            return Err(findings);
        }
        let mut lines = text.lines().enumerate().skip_while(|(_, line)| line.trim().is_empty()).peekable();
        let title =
            lines.next_if(|(_, line)| line.starts_with("# ")).map(|(_, line)| line[2..].trim().to_owned());
        if title.as_deref().is_none_or(str::is_empty) {
            findings.error(Pointer::root().join("title"), "is missing", "begin the file with `# Name`");
        }
        while lines.next_if(|(_, line)| line.trim().is_empty()).is_some() {}
        let summary =
            lines.next_if(|(_, line)| line.starts_with('>')).map(|(_, line)| line[1..].trim().to_owned());
        let mut prose = String::new();
        let mut sections: Vec<LinkSection> = Vec::new();
        for (number, line) in lines {
            if let Some(heading) = line.strip_prefix("## ") {
                sections.push(LinkSection { heading: heading.trim().to_owned(), links: Vec::new() });
            } else if let Some(section) = sections.last_mut() {
                match Link::parse(line) {
                    Some(link) => section.links.push(link),
                    None if line.trim().is_empty() => {}
                    None => {
                        let at = Pointer::root().join(&section.heading).index(section.links.len());
                        let fix = "write `- [title](url): description`";
                        findings.error(at, format!("line {}: is not a link", number + 1), fix);
                    }
                }
            } else {
                prose.push_str(line.trim_end_matches('\r'));
                prose.push('\n');
            }
        }
        let prose = prose.trim_matches('\n');
        let prose = if prose.is_empty() { String::new() } else { prose.to_owned() + "\n" };
        let llms = Self { title: title.unwrap_or_default(), summary, prose, sections };
        findings.into_result(llms).map(|(llms, _)| llms)
    }
}

impl Link {
    fn new(title: &str, url: &str, description: Option<&str>) -> Self {
        let title = line(title, LINE).replace(['[', ']'], "");
        let url = line(url, 2000).replace(' ', "%20").replace('(', "%28").replace(')', "%29");
        Self {
            title,
            url,
            description: description.map(|text| line(text, LINE)).filter(|text| !text.is_empty()),
        }
    }

    fn render(&self) -> String {
        let description = self.description.as_ref().map(|text| format!(": {text}")).unwrap_or_default();
        format!("- [{}]({}){description}\n", self.title, self.url)
    }

    fn parse(line: &str) -> Option<Self> {
        let rest = line.trim().strip_prefix('-')?.trim_start().strip_prefix('[')?;
        let (title, rest) = rest.split_once("](")?;
        let (url, rest) = rest.split_once(')')?;
        let description = rest.trim_start().strip_prefix(':').map(|text| text.trim().to_owned());
        (!title.is_empty() && !url.is_empty()).then(|| Self {
            title: title.to_owned(),
            url: url.to_owned(),
            description: description.filter(|text| !text.is_empty()),
        })
    }
}

/// Describes what the server is for, how to reach it, and what it can do.
fn prose(description: &Description, help: &Help) -> String {
    let mut blocks = Vec::new();
    if !description.server.when_to_use.is_empty() {
        blocks.push(description.source.paragraph(&help.front.description));
    }
    blocks.extend(help.part(Section::WhenToUse).map(|part| part.text.clone()));
    let reached = match &help.front.urls.mcp {
        Some(url) => Some(format!("MCP endpoint: {}\n", description.source.line(url, LINE))),
        None => start(description, help),
    };
    blocks.extend(reached);
    if let Some(quick) = help.part(Section::QuickReference).filter(|_| !description.tools.is_empty()) {
        blocks.push(format!("Tools of the MCP server:\n\n{}", quick.text));
    }
    blocks.join("\n")
}

/// Returns the command by which a client starts the server, on one line.
fn start(description: &Description, help: &Help) -> Option<String> {
    let config = crate::ai_help::config(description, &help.front)?;
    let entry = &config["mcpServers"][&description.name];
    let args = entry["args"].as_array()?.iter().filter_map(Value::as_str);
    let words: Vec<&str> = entry["command"].as_str().into_iter().chain(args).collect();
    Some(format!("MCP over stdio: {}\n", code(&words.join(" "))))
}

fn documentation(description: &Description, place: &ServerLocation) -> Vec<Link> {
    let server = &description.server;
    let full =
        place.served_address(description, &format!("/{LLMS_FULL}")).unwrap_or_else(|| LLMS_FULL.to_owned());
    let mut links =
        vec![Link::new("Full help", &full, Some("every tool with its parameters, effects and errors"))];
    let declared = [
        ("Homepage", &server.homepage, None),
        ("Command line", &server.urls.cli, Some("the same from a shell")),
        ("HTTP API", &server.urls.api, Some("the same over HTTP")),
        ("Web interface", &server.urls.web, Some("the same in a browser")),
    ];
    links.extend(
        declared.into_iter().filter_map(|(title, url, text)| Some(Link::new(title, url.as_ref()?, text))),
    );
    links
}

fn optional(description: &Description, place: &ServerLocation) -> Vec<Link> {
    let server = &description.server;
    let has_cards = description.tools.iter().any(|tool| card::has_all_for(tool, description, place));
    let cards = has_cards.then(|| {
        let served = place.served_address(description, &format!("{}{}", card::WELL_KNOWN, card::INDEX_FILE));
        served.unwrap_or_else(|| format!("{CARDS}/{}", card::INDEX_FILE))
    });
    let has_card = ServerCard::of(description, place).is_ok();
    let card = has_card.then(|| place.server_card(description).unwrap_or_else(|| SERVER_CARD.to_owned()));
    let links = [
        ("Tool cards", cards, Some("effects, safety and evidence of each tool")),
        ("Server card", card, Some("identity and address for clients")),
        ("Source", server.repository.clone(), None),
        ("Status", server.status_page.clone(), None),
    ];
    links.into_iter().filter_map(|(title, url, text)| Some(Link::new(title, &url?, text))).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::fixture::acme;

    #[test]
    fn the_example_in_a_few_lines() {
        let text = Llms::of(&acme(), &ServerLocation::default()).render();
        assert_eq!(
            text,
            concat!(
                "# Acme MCP Server\n\n> MCP server for project management and task tracking\n\n",
                "MCP server for Acme project management. Use when user asks to manage projects, track tasks, or ",
                "collaborate with team members.\n\n",
                "Use this MCP server when the user asks to:\n\n- Manage projects or project settings\n",
                "- Track, create, or update tasks\n\nDo NOT use this MCP server for:\n\n",
                "- File storage (use a filesystem server)\n- Code repositories\n\n",
                "MCP over stdio: `npx -y @acme/mcp-server --workspace main`\n\nTools of the MCP server:\n\n",
                "**Projects:**\n\n- `list_projects` — List all projects\n",
                "- `create_project` — Create a new project in Acme\n\n**Admin:**\n\n- `delete_project` — Delete a project\n\n",
                "## Documentation\n\n",
                "- [Full help](llms-full.txt): every tool with its parameters, effects and errors\n",
                "- [Homepage](https://acme.com)\n- [Command line](https://acme.com/cli): the same from a shell\n",
                "- [HTTP API](https://api.acme.com/docs): the same over HTTP\n",
                "- [Web interface](https://acme.com/app): the same in a browser\n\n",
                "## Optional\n\n- [Tool cards](cards/index.json): effects, safety and evidence of each tool\n",
                "- [Source](https://github.com/acme/acme-mcp)\n",
            )
        );
    }

    /// D-34.
    #[test]
    fn a_served_file_names_the_endpoint_and_what_is_beside_it() {
        let place = ServerLocation::served("https://mcp.acme.com/v1/mcp");
        let text = Llms::of(&acme(), &place).render();
        for wanted in [
            "MCP endpoint: https://mcp.acme.com/v1/mcp\n",
            "(https://mcp.acme.com/llms-full.txt)",
            "(https://mcp.acme.com/.well-known/mcp-tools/index.json)",
            "(https://mcp.acme.com/v1/mcp/server-card)",
        ] {
            assert!(text.contains(wanted), "{wanted}\n{text}");
        }
    }

    /// A third-party server need not serve our documents at its address.
    #[test]
    fn beside_somebody_elses_server_nothing_is_promised() {
        let mut acme = acme();
        acme.server.urls.mcp = Some("https://mcp.acme.com/v1/mcp".to_owned());
        for place in [ServerLocation::default(), ServerLocation::at("https://mcp.acme.com/v1/mcp")] {
            let text = Llms::of(&acme, &place).render();
            for wanted in ["(llms-full.txt)", "(cards/index.json)", "(server-card.json)"] {
                assert!(text.contains(wanted), "{wanted}\n{text}");
            }
            assert_eq!(text.matches("https://mcp.acme.com").count(), 1, "{text}");
        }
        acme.tools.iter_mut().for_each(|tool| tool.record = None);
        acme.server.registry_name = None;
        let text = Llms::of(&acme, &ServerLocation::default()).render();
        assert!(!text.contains("cards") && !text.contains("server-card"), "{text}");
    }

    #[test]
    fn what_is_no_link_is_found_with_its_line() {
        let findings = Llms::parse("Acme\n\n## Docs\n\n- [a](b)\nwords\n").unwrap_err().to_string();
        assert!(
            findings.contains("/title: is missing") && findings.contains("/Docs/1: line 6: is not a link"),
            "{findings}"
        );
    }

    #[test]
    fn a_lone_carriage_return_at_the_end_of_a_line_is_none() {
        let llms = Llms::parse("# a\nb\r").unwrap();
        assert_eq!(llms.prose, "b\n");
        assert_eq!(Llms::parse(&llms.render()), Ok(llms));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn what_is_written_is_read_back(words in prop::collection::vec(any::<String>(), 4), lines in "[-#>`* a\n\\[\\]():]{0,40}") {
            let mut any = acme();
            any.server.title = Some(words[0].clone());
            any.server.summary = Some(format!("s {}", words[1]));
            any.server.when_to_use = vec![words[2].clone(), lines.clone()];
            any.server.homepage = Some(format!("https://acme.com/{}", words[3]));
            any.tools[0].live.description = Some(lines);
            let llms = Llms::of(&any, &ServerLocation::default());
            prop_assert_eq!(Llms::parse(&llms.render()), Ok(llms));
        }

        #[test]
        fn no_text_makes_the_reader_panic(text in any::<String>(), piece in "(# a\n|> b\n|## c\n|- \\[d\\]\\(e\\)|: f\n|\n){0,20}") {
            let _ = Llms::parse(&text);
            let _ = Llms::parse(&piece);
        }
    }
}
