//! Checks how many packages we depend on, ours included.

use super::tree::{Tree, Violation};

/// The most packages in `Cargo.lock`, including those for tests and for other platforms. Raise it
/// only in a commit that says which package was added and why. Most come with TLS and URLs
/// (reqwest), JSON Schema, clap, and the official SDK, which provides the OAuth client and a peer
/// in the tests; two with YAML (saphyr-parser), four with token counting (tiktoken-rs), six with
/// SQLite (rusqlite), one with globs (globset), sixteen with the file server: search (grep-*),
/// rules of `.gitignore` (ignore), the sandbox (landlock), normalized names
/// (unicode-normalization), eight with days in the local time zone (jiff; half of them are for
/// other platforms), four with the hash of the passphrase (argon2), three with digests of contents
/// (blake3). Eleven come with the inbox (ratatui-core). Twenty-four are our own.
const CEILING: usize = 379;

pub(crate) fn check(tree: &Tree) -> Vec<Violation> {
    let Some(lock) = tree.get("Cargo.lock") else {
        return vec![Violation::new(
            "Cargo.lock",
            1,
            "the lock file is missing; run `cargo build` and commit it",
        )];
    };
    let count = lock.lines().filter(|line| *line == "[[package]]").count();
    if count <= CEILING {
        return Vec::new();
    }
    let what = format!(
        "{count} packages, {CEILING} are allowed; do without the newest dependency or its features, \
         or raise the ceiling in xtask/src/tidy/packages.rs and say why"
    );
    vec![Violation::new("Cargo.lock", 1, what)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn too_many_packages_are_found() {
        let packages = "[[package]]\nname = \"x\"\n\n";
        assert!(check(&Tree::from([("Cargo.lock", packages.repeat(CEILING).as_str())])).is_empty());
        assert_eq!(check(&Tree::from([("Cargo.lock", packages.repeat(CEILING + 1).as_str())])).len(), 1);
        assert_eq!(check(&Tree::default()).len(), 1);
    }
}
