//! URLs as errors and logs show them.

/// Returns a URL without the parts that may be secret: user, password, query.
pub(in crate::client) fn shown_url(url: &str) -> String {
    let url = url.split(['?', '#']).next().unwrap_or_default();
    match url.split_once("://") {
        Some((scheme, rest)) => {
            let (host, path) = rest.split_once('/').map_or((rest, ""), |(host, path)| (host, path));
            let host = host.rsplit('@').next().unwrap_or_default();
            if path.is_empty() { format!("{scheme}://{host}") } else { format!("{scheme}://{host}/{path}") }
        }
        None => url.to_owned(),
    }
}
