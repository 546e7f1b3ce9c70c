//! Client scenarios that are not demanded, each with its reason. `docs/testing.md` has the same table.

const OAUTH: &str = "needs an OAuth client; comes with authorization for upstream servers";

/// One that passes all the same fails the run, and so does one that the suite no longer has.
pub(crate) const LEFT_OUT: &[(&str, &str)] = &[
    ("auth/authorization-server-migration", OAUTH),
    ("auth/basic-cimd", OAUTH),
    ("auth/client-credentials-basic", OAUTH),
    ("auth/client-credentials-jwt", OAUTH),
    ("auth/dpop", OAUTH),
    ("auth/dpop-nonce", OAUTH),
    ("auth/enterprise-managed-authorization", OAUTH),
    ("auth/iss-normalized", OAUTH),
    ("auth/iss-not-advertised", OAUTH),
    ("auth/iss-supported", OAUTH),
    ("auth/iss-supported-missing", OAUTH),
    ("auth/iss-unexpected", OAUTH),
    ("auth/iss-wrong-issuer", OAUTH),
    ("auth/metadata-default", OAUTH),
    ("auth/metadata-issuer-mismatch", OAUTH),
    ("auth/metadata-var1", OAUTH),
    ("auth/metadata-var2", OAUTH),
    ("auth/metadata-var3", OAUTH),
    ("auth/offline-access-not-supported", OAUTH),
    ("auth/offline-access-scope", OAUTH),
    ("auth/pre-registration", OAUTH),
    ("auth/resource-mismatch", OAUTH),
    ("auth/scope-from-scopes-supported", OAUTH),
    ("auth/scope-from-www-authenticate", OAUTH),
    ("auth/scope-omitted-when-undefined", OAUTH),
    ("auth/scope-retry-limit", OAUTH),
    ("auth/scope-step-up", OAUTH),
    ("auth/token-endpoint-auth-basic", OAUTH),
    ("auth/token-endpoint-auth-none", OAUTH),
    ("auth/token-endpoint-auth-post", OAUTH),
    ("auth/wif-jwt-bearer", OAUTH),
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
