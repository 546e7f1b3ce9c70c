//! Client scenarios that need not pass, each with its reason. `docs/testing.md` has the same table.

/// The run fails if a left-out scenario passes, or if the suite does not have it any more.
pub(crate) const LEFT_OUT: &[(&str, &str)] = &[
    (
        "auth/authorization-server-migration",
        "a token that is refused within 10 s of its issue is not replaced, so the second login of this scenario does not happen",
    ),
    ("auth/client-credentials-jwt", "client credentials are a secret; signed assertions need a JWT library"),
    ("auth/dpop", "an extension that we don't have: tokens bound to a key"),
    ("auth/dpop-nonce", "an extension that we don't have: tokens bound to a key"),
    (
        "auth/enterprise-managed-authorization",
        "an extension that we don't have: tokens by way of an identity provider",
    ),
    ("auth/wif-jwt-bearer", "an extension that we don't have: tokens for a workload's assertion"),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::repo::Repo;

    #[test]
    fn the_documents_say_the_same() {
        let path = Repo::find().unwrap().root.join("docs/testing.md");
        let text = std::fs::read_to_string(path).unwrap();
        let (_, part) = text.split_once("### Client scenarios left out").unwrap();
        let part = part.split("\n#").next().unwrap();
        let rows: Vec<&str> = part.lines().filter(|line| line.starts_with("| `")).collect();
        let expected: Vec<String> =
            LEFT_OUT.iter().map(|(name, why)| format!("| `{name}` | {why} |")).collect();
        assert_eq!(rows, expected);
    }
}
