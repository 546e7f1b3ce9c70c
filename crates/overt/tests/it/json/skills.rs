//! `overt skill`: skills in folders, and skills of servers.
use super::transcript::Transcript;
use crate::skill::three;
use crate::skill_server::{MAIN, URI, entry, good, serving};
use crate::support::overt;

#[test]
fn skills() {
    let here = three();
    let mut transcript = Transcript::default();
    for words in [
        &["check", "skills"][..],
        &["check", "skills/pdf", "--profile", "spec"],
        &["check", "skills", "--format", "sarif"],
        &["check", "nothing"],
        &["check", "skills/bad", "--fix"],
        &["project", "skills/csv"],
        &["project", "skills/csv", "--out", "dist"],
        &["project", "skills/nothing"],
        &["index", "skills"],
        &["index", "skills/pdf", "skills/csv"],
        &["index", "skills/pdf", "skills/csv", "--out", "site"],
        &["index", "skills/pdf", "skills/csv", "--out", "site"],
        &["new", "pdf-tools"],
        &["new", "pdf-tools"],
    ] {
        let mut command = overt();
        command.current_dir(here.path()).arg("skill").args(words);
        if !words.contains(&"--format") {
            command.args(["--format", "json"]);
        }
        transcript.run(&mut command);
    }
    transcript.matches("skill");
}

#[test]
fn skills_of_servers() {
    let here = three();
    let mut transcript = Transcript::default();
    let server = good();
    for words in [
        &["list", "--kind", "skills"][..],
        &["skill", "read", URI],
        &["skill", "read", URI, "references/more.md"],
        &["skill", "read", URI, "references/moer.md"],
        &["skill", "install", URI, "mine", "--dry-run"],
        &["skill", "install", URI, "mine"],
        &["skill", "install", URI, "mine", "--yes"],
        &["skill", "install", URI, "mine", "--yes"],
        &["skill", "install", URI, "skills", "--yes", "--replace"],
    ] {
        transcript.run(server.overt(words).current_dir(here.path()));
    }
    let other = serving(&entry(), &MAIN.replace("# PDF", "# PDG"));
    transcript.run(&mut other.overt(&["skill", "read", URI]));
    transcript.matches("skill_server");
}
