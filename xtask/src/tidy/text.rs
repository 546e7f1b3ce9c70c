//! Checks the rules for every tracked file: no trailing white space, no paths of one machine, no
//! registry hosts.

use super::tree::{Tree, Violation};

/// Files in which white space is content: by the end of their name, or by their directory.
const WHITE_SPACE_MATTERS: (&[&str], &[&str]) =
    (&[".snap", ".transcript"], &["fuzz/seeds/", "ui/dist/", "tools/browser/data.mjs"]);

/// Paths that exist on one machine only. They are split in two, so that this file passes the check.
const MACHINE_PATHS: &[&str] =
    &[concat!("/wo", "rk/"), concat!("/ro", "ot/"), concat!("/tm", "p/t/"), concat!("/tm", "p/ref/")];

/// Hosts that serve packages. Lock files and documents must work with any registry.
const REGISTRY_HOSTS: &[&str] = &[
    concat!("registry.npm", "js.org"),
    concat!("files.python", "hosted.org"),
    concat!("index.crates", ".io"),
    concat!("static.crates", ".io"),
    concat!("arti", "factory"),
];

/// Checks all files. `checkout` is the path of this repository on this machine.
pub(crate) fn check(tree: &Tree, checkout: &str) -> Vec<Violation> {
    let mut violations = Vec::new();
    for (name, text) in tree.iter() {
        let (ends, directories) = WHITE_SPACE_MATTERS;
        let free_form =
            ends.iter().any(|end| name.ends_with(end)) || directories.iter().any(|dir| name.starts_with(dir));
        for (index, line) in text.lines().enumerate() {
            let mut found = |what: String| violations.push(Violation::new(name, index + 1, what));
            if !free_form && line.ends_with([' ', '\t']) {
                found("white space at the end of the line; remove it".to_owned());
            }
            if let Some(path) = MACHINE_PATHS.iter().chain([&checkout]).find(|path| line.contains(**path)) {
                found(format!("`{path}` is a path of one machine; write a relative path"));
            }
            if let Some(host) = REGISTRY_HOSTS.iter().find(|host| line.contains(**host)) {
                found(format!("`{host}` is a registry host; leave out where packages come from"));
            }
        }
        if !text.is_empty() && !text.ends_with('\n') && !free_form {
            violations.push(Violation::new(
                name,
                text.lines().count(),
                "no newline at the end of the file; add one",
            ));
        }
    }
    violations
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(name: &str, text: &str) -> Vec<String> {
        check(&Tree::from([(name, text)]), "/srv/checkout").iter().map(ToString::to_string).collect()
    }

    #[test]
    fn white_space_at_the_end_is_found() {
        assert_eq!(found("a.md", "fine\nbad \n"), ["a.md:2: white space at the end of the line; remove it"]);
        assert!(found("a.snap", "kept \n").is_empty());
        assert!(found("fuzz/seeds/scan/odd", "kept ").is_empty());
    }

    #[test]
    fn a_missing_last_newline_is_found() {
        assert_eq!(found("a.md", "one\ntwo"), ["a.md:2: no newline at the end of the file; add one"]);
    }

    #[test]
    fn machine_paths_and_registry_hosts_are_found() {
        assert_eq!(found("a.rs", "see /srv/checkout/x\n").len(), 1);
        for path in MACHINE_PATHS {
            assert_eq!(found("a.rs", &format!("see {path}x\n")).len(), 1, "{path}");
        }
        for host in REGISTRY_HOSTS {
            assert_eq!(found("lock.json", &format!("\"https://{host}/x\"\n")).len(), 1, "{host}");
        }
    }
}
