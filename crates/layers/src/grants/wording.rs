//! A question as text. A client's dialog and a terminal show the same facts in the same order; the
//! page has its own wording. First comes what happens, to what and how much, then the client that
//! asks, then what is known. Untrusted text cannot control the screen (SCP-08).
use overt_wire::text::Untrusted;

use super::{Question, QuestionId, QuestionKind, Redefinition};
use crate::definition::MemberChange;
use crate::description::PlanSummary;

/// The most tools that a question about trust names.
const MOST_TOOLS: usize = 8;
/// The most members of a definition that are shown with their old and new values.
const MOST_MEMBERS: usize = 8;

impl Question {
    /// Returns the question as a person reads it.
    pub fn to_text(&self, id: &QuestionId) -> String {
        match &self.shown.proposed {
            None => self.asking_text(id),
            Some(chosen) => format!(
                "{}\nThe client says that you chose \"{}\" in its dialog. That ended with the session. \
                 It holds for longer only if you say so here.",
                self.asking_text(id),
                Untrusted(chosen)
            ),
        }
    }

    fn asking_text(&self, id: &QuestionId) -> String {
        match self.kind {
            QuestionKind::Call => self.call_text(id),
            QuestionKind::Trust => match &self.shown.redefined {
                Some(redefined) => self.redefined_text(redefined),
                None => self.trust_text(),
            },
        }
    }

    /// Returns the server's name in the configuration. The name that it gives itself is only a
    /// claim.
    pub fn configured_server(&self) -> &str {
        self.server.split('#').next().filter(|name| !name.is_empty()).unwrap_or(&self.shown.server)
    }

    /// Returns the client that asks, and the project in which it works.
    fn client(&self) -> (String, String) {
        let client = self.shown.client.as_deref().unwrap_or("A client");
        let place = self.project.as_deref();
        let place = place.map_or_else(String::new, |project| format!(" in {}", Untrusted(project)));
        (Untrusted(client).to_string(), place)
    }

    /// Returns the server's own name, which is only a claim, followed by its name in the
    /// configuration if that differs.
    fn server_text(&self) -> String {
        let own = Untrusted(&self.shown.server);
        let configured = self.configured_server();
        match configured == self.shown.server {
            true => format!("\"{own}\""),
            false => format!("\"{own}\" ({})", Untrusted(configured)),
        }
    }

    fn call_text(&self, id: &QuestionId) -> String {
        let shown = &self.shown;
        let (client, place) = self.client();
        let (tool, server) = (Untrusted(&self.tool), self.server_text());
        let mut lines = vec![format!("{client} wants to run {tool} of {server}{place}"), String::new()];
        // The arguments are shown only once (H-37).
        if !shown.intent_is_generic || shown.changes.is_some() {
            lines.push(Untrusted(&shown.intent).to_string());
        } else {
            let has_any = !shown.arguments.is_empty();
            lines.push(if has_any { "Arguments:" } else { "It has no arguments." }.to_owned());
        }
        match &shown.changes {
            Some(changes) => {
                lines.push(String::new());
                lines.extend(change_lines(changes));
            }
            None => lines.extend(shown.arguments.iter().map(|line| format!("  {}", Untrusted(line)))),
        }
        if let Some(irreversible) = self.irreversible() {
            lines.push(String::new());
            lines.push(format!("This can't be undone: {}.", Untrusted(&irreversible.why)));
        }
        if let Some(why) = shown.changes.as_ref().and_then(|changes| changes.each_time.as_ref()) {
            lines.push(String::new());
            lines.push(format!("You are asked about each such call: {}.", Untrusted(why)));
        }
        if let Some(what) = self.guarded() {
            lines.push(String::new());
            lines.push(format!("This can start programs or permit tools: {}.", Untrusted(what)));
        }
        if let Some(failure) = &shown.plan_failure {
            lines.push(format!("Overt can't tell what it will change: {}", Untrusted(failure)));
        }
        lines.push(String::new());
        let about = [shown.title.as_deref(), shown.description.as_deref()];
        let about: Vec<String> =
            about.into_iter().flatten().map(|text| Untrusted(text).to_string()).collect();
        if !about.is_empty() {
            lines.push(format!("The tool: {}", about.join(": ")));
        }
        lines.push(format!("Effect: {}.", Untrusted(&shown.effect)));
        if !shown.server_asks_for.is_empty() {
            let scopes: Vec<String> =
                shown.server_asks_for.iter().map(|scope| format!("`{}`", Untrusted(scope))).collect();
            lines.push(format!(
                "The server says that it did not do it, because it lacks {}. If you agree, the call is made once more.",
                scopes.join(", ")
            ));
        }
        if let Some(redefined) = &shown.redefined {
            lines.push(match redefined.is_new {
                true => format!("{tool} is new since you decided about this server."),
                false => format!("{tool} changed since you decided about this server:"),
            });
            lines.extend(redefinition_lines(redefined));
        }
        lines.push(format!("Why you are asked: {}", Untrusted(&shown.reason)));
        // Only a question with a plan has a page.
        let open = if shown.changes.is_some() { " --open" } else { "" };
        lines.push(format!("To see all of it: overt grants show {id}{open}"));
        lines.join("\n")
    }

    fn trust_text(&self) -> String {
        let shown = &self.shown;
        let (client, place) = self.client();
        let mut lines = vec![
            format!("{client} wants to use the server {}{place} for the first time", self.server_text()),
            String::new(),
            format!("This call: {}", Untrusted(&shown.intent)),
            String::new(),
        ];
        if !shown.reading_tools.is_empty() {
            let many = shown.reading_tools.len();
            let say = if many == 1 { "says it only reads" } else { "say they only read" };
            lines.push(format!("{many} of its tools {say}: {}", names(&shown.reading_tools)));
        }
        if !shown.changing_tools.is_empty() {
            let many = shown.changing_tools.len();
            lines.push(format!("{many} can change something: {}", names(&shown.changing_tools)));
        }
        lines.push("Only the server says so; Overt has not checked it.".to_owned());
        lines.join("\n")
    }

    fn redefined_text(&self, redefined: &Redefinition) -> String {
        let (client, place) = self.client();
        let (tool, server) = (Untrusted(&self.tool), self.server_text());
        let mut lines = vec![match redefined.is_new {
            true => format!("`{tool}` of {server} is new since you decided about this server{place}"),
            false => format!("`{tool}` of {server} changed since you decided about this server{place}:"),
        }];
        lines.extend(redefinition_lines(redefined));
        lines.push(String::new());
        lines.push(format!("{client} wants to use it as it is now: {}", Untrusted(&self.shown.intent)));
        lines.push("Only the server says what its tools do; Overt has not checked it.".to_owned());
        lines.join("\n")
    }
}

/// Returns the old and new definition of a tool, and which other tools of its server are new or
/// changed.
fn redefinition_lines(Redefinition { is_new, members, others }: &Redefinition) -> Vec<String> {
    let mut lines: Vec<String> = members.iter().take(MOST_MEMBERS).flat_map(member_lines).collect();
    if members.is_empty() && !is_new {
        lines.push("  what it was before is not kept, so it can't be compared".to_owned());
    }
    if let Some(more) = members.len().checked_sub(MOST_MEMBERS).filter(|more| *more > 0) {
        lines.push(format!("  and {more} more parts of its definition"));
    }
    match others.len() {
        0 => {}
        1 => lines.push(format!(
            "1 other tool is new or changed too and asks when it is called: {}",
            names(others)
        )),
        many => {
            lines.push(format!(
                "{many} other tools are new or changed too and ask when they are called: {}",
                names(others)
            ));
        }
    }
    lines
}

fn member_lines(MemberChange { name, was, now }: &MemberChange) -> Vec<String> {
    let line = |when: &str, text: &Option<String>| {
        format!(
            "    {when}: {}",
            text.as_ref().map_or_else(|| "(nothing)".to_owned(), |text| Untrusted(text).to_string())
        )
    };
    vec![format!("  {}", Untrusted(name)), line("was", was), line("now", now)]
}

fn names(tools: &[String]) -> String {
    let named: Vec<String> = tools.iter().take(MOST_TOOLS).map(|name| Untrusted(name).to_string()).collect();
    let more = tools.len().saturating_sub(MOST_TOOLS);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{more}", named.join(", "))
}

/// Returns the changes of a plan: the counts, one line for each change, and the diff as far as it
/// is shown.
fn change_lines(changes: &PlanSummary) -> Vec<String> {
    let counted = changes.counts();
    let mut lines = match counted.is_empty() {
        true => vec!["Nothing changes.".to_owned()],
        false => vec![format!("{}:", counted.join(", "))],
    };
    lines.extend(changes.changes.iter().map(|line| format!("  {}", Untrusted(line))));
    let total = changes.created + changes.changed + changes.moved + changes.deleted;
    if total > changes.changes.len() {
        lines.push(format!("  … and {} more", total - changes.changes.len()));
    }
    if !changes.diff.is_empty() {
        lines.push(String::new());
        lines.extend(changes.diff.lines().map(|line| Untrusted(line).to_string()));
    }
    lines
}
