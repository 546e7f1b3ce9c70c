//! How many packages we build on, ours included.

use super::tree::{Tree, Violation};

/// The packages in `Cargo.lock`, those for tests and for other platforms included. Raise it only in
/// a commit that says which package came and why. Most come with TLS and URLs (reqwest), JSON
/// Schema, clap, and the official SDK, for its OAuth client and as a peer in the tests; two with
/// YAML (saphyr-parser), four with counting tokens (tiktoken-rs), six with SQLite (rusqlite), one
/// with globs (globset), sixteen with the file server: search (grep-*), rules of `.gitignore`
/// (ignore), the second wall (landlock), names in one form (unicode-normalization), eight with days
/// in the local time zone (jiff; half of them are for other platforms), four with the hash of the
/// passphrase (argon2), three with digests of contents (blake3). Eleven come with the inbox
/// (ratatui-core). Twenty are our own.
const CEILING: usize = 374;

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
