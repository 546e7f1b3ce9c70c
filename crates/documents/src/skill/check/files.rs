//! Checks the files of a skill: their number, their size, and symbolic links.
use overt_policy::finding::Pointer;

use super::{Report, Rule, Source, Violation};
use crate::yaml::LineColumn;

/// The most files of a skill (SEP-2640).
const MOST_FILES: usize = 512;
/// The most bytes of all files of a skill (SEP-2640).
const MOST_BYTES: u64 = 16 << 20;
/// Uploads to the Anthropic API must have fewer uncompressed bytes. Source: the guide to Agent
/// Skills of docs.claude.com, read in October 2026.
const MOST_UPLOAD: u64 = 30_000_000;

pub(super) fn check(source: &Source<'_>, report: &mut Report) {
    let files = source.files;
    if source.file != "SKILL.md" {
        let problem = format!("is called `{}`", source.file);
        report.add_for_skill(Rule::FileName, problem, "rename it to `SKILL.md`");
    }
    if files.paths.len() > MOST_FILES {
        let problem = format!("has {} files", files.paths.len());
        report.add_for_skill(Rule::FilesMany, problem, format!("at most {MOST_FILES} are served"));
    }
    if files.bytes > MOST_BYTES {
        let problem = format!("has {} bytes in its files", files.bytes);
        report.add_for_skill(Rule::FilesLarge, problem, format!("at most {MOST_BYTES} are served"));
    }
    if files.bytes >= MOST_UPLOAD {
        let problem = format!("has {} bytes in its files", files.bytes);
        report.add_for_skill(Rule::UploadLarge, problem, format!("less than {MOST_UPLOAD} can be uploaded"));
    }
    if files.uncounted {
        let fix = "keep a skill in few files, in few folders";
        report.add_for_skill(Rule::FileUncounted, "has more files, or deeper ones, than are looked at", fix);
    }
    for path in &files.bad_links {
        report.add(Violation {
            rule: Rule::FileLink,
            at: Pointer::root(),
            place: LineColumn { line: 1, column: 1 },
            problem: format!("`{path}` is a symbolic link that leaves the directory or leads nowhere"),
            fix: "put the file itself there; the link is not followed".to_owned(),
            edit: None,
        });
    }
    if source.files.has("metadata.yaml") || source.files.has("metadata.yml") {
        let fix = "move what is in it into the front matter";
        report.add_for_skill(Rule::RepositorySidecar, "has a file `metadata.yaml`, which is not read", fix);
    }
}
