//! The skills for the measurements.

use std::path::{Path, PathBuf};

use xtask::failure::Failure;

/// Returns the directories with a SKILL.md, sorted.
pub(super) fn find_skills(root: &Path) -> Result<Vec<PathBuf>, Failure> {
    let mut found = Vec::new();
    let mut open = vec![root.to_owned()];
    while let Some(directory) = open.pop() {
        for entry in std::fs::read_dir(&directory).map_err(Failure::file("read", &directory))?.flatten() {
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                open.push(entry.path());
            } else if entry.file_name() == "SKILL.md" {
                found.push(directory.clone());
            }
        }
    }
    found.sort();
    Ok(found)
}

/// Writes skills like those of people: a few fields, a page of instructions, and sometimes a
/// mistake.
pub(super) fn write_skills(root: &Path, count: usize) -> Result<(), Failure> {
    write_numbers(root, 0..count)
}

/// Writes skills like those of people, without mistakes.
pub(super) fn write_good_skills(root: &Path, count: usize) -> Result<(), Failure> {
    write_numbers(root, (0..).filter(|number| !is_wrong(*number)).take(count))
}

fn is_wrong(number: usize) -> bool {
    number % 9 == 8 || number % 13 == 12
}

fn write_numbers(root: &Path, numbers: impl Iterator<Item = usize>) -> Result<(), Failure> {
    let done = root.join("written");
    if done.exists() {
        return Ok(());
    }
    for number in numbers {
        let directory = root.join(format!("skills/skill-{number:05}"));
        std::fs::create_dir_all(&directory).map_err(Failure::file("create", &directory))?;
        let path = directory.join("SKILL.md");
        std::fs::write(&path, skill(number)).map_err(Failure::file("write", &path))?;
    }
    std::fs::write(&done, "").map_err(Failure::file("write", &done))
}

fn skill(number: usize) -> String {
    let name = if number % 9 == 8 { "Wrong Name".to_owned() } else { format!("skill-{number:05}") };
    let extra = if number % 13 == 12 { "version: 1.0.0\n" } else { "" };
    let mut text = format!(
        "---\nname: {name}\ndescription: Reads the tables of report {number} and sums them up. Use when the user asks for \
         totals, trends or a summary of report {number}.\nlicense: MIT\n{extra}metadata:\n  author: somebody\n  version: \
         \"1.{number}\"\n---\n\n# Report {number}\n"
    );
    for step in 0..60 {
        text.push_str(&format!(
            "\n{step}. Open `table-{step}.csv` and look for rows that are not in the last report.\n"
        ));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generated_skills_are_skills_and_some_are_wrong() {
        assert!(skill(0).starts_with("---\nname: skill-00000\n"));
        assert!(skill(8).contains("name: Wrong Name\n"));
        assert!(skill(12).contains("version: 1.0.0\n"));
        assert!(skill(0).len() > 4_000 && skill(0).len() < 6_000, "{}", skill(0).len());
    }
}
