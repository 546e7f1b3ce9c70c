//! How the keys of well-known services look: what they begin with, and how long they are at least.
use super::kind::Kind;

/// The beginning, the least length of the whole, and whose key it is. A longer beginning stands before a shorter one.
const KEYS: [(&str, usize, &str); 62] = [
    ("sk_live_", 16, "Stripe"),
    ("sk_test_", 16, "Stripe"),
    ("rk_live_", 16, "Stripe"),
    ("rk_test_", 16, "Stripe"),
    ("whsec_", 16, "Stripe"),
    ("sk-ant-", 24, "Anthropic"),
    ("sk-or-", 24, "OpenRouter"),
    ("sk-", 20, "OpenAI or alike"),
    ("gsk_", 24, "Groq"),
    ("xai-", 24, "xAI"),
    ("pplx-", 24, "Perplexity"),
    ("tvly-", 20, "Tavily"),
    ("r8_", 24, "Replicate"),
    ("hf_", 20, "Hugging Face"),
    ("ghp_", 20, "GitHub"),
    ("gho_", 20, "GitHub"),
    ("ghu_", 20, "GitHub"),
    ("ghs_", 20, "GitHub"),
    ("ghr_", 20, "GitHub"),
    ("github_pat_", 20, "GitHub"),
    ("glpat-", 16, "GitLab"),
    ("glptt-", 16, "GitLab"),
    ("gldt-", 16, "GitLab"),
    ("glrt-", 16, "GitLab"),
    ("xoxa-", 16, "Slack"),
    ("xoxb-", 16, "Slack"),
    ("xoxp-", 16, "Slack"),
    ("xoxr-", 16, "Slack"),
    ("xoxs-", 16, "Slack"),
    ("xapp-", 16, "Slack"),
    ("AIza", 30, "Google"),
    ("ya29.", 20, "Google"),
    ("GOCSPX-", 20, "Google"),
    ("npm_", 20, "npm"),
    ("pypi-", 20, "PyPI"),
    ("rubygems_", 24, "RubyGems"),
    ("dckr_pat_", 20, "Docker"),
    ("dop_v1_", 20, "DigitalOcean"),
    ("doo_v1_", 20, "DigitalOcean"),
    ("dor_v1_", 20, "DigitalOcean"),
    ("dapi", 36, "Databricks"),
    ("SG.", 30, "SendGrid"),
    ("key-", 36, "Mailgun"),
    ("shpat_", 24, "Shopify"),
    ("shpss_", 24, "Shopify"),
    ("shpca_", 24, "Shopify"),
    ("lin_api_", 24, "Linear"),
    ("ntn_", 24, "Notion"),
    ("figd_", 24, "Figma"),
    ("hvs.", 24, "Vault"),
    ("hvb.", 24, "Vault"),
    ("ATATT3", 24, "Atlassian"),
    ("sbp_", 24, "Supabase"),
    ("PMAK-", 24, "Postman"),
    ("NRAK-", 20, "New Relic"),
    ("glc_", 24, "Grafana"),
    ("glsa_", 24, "Grafana"),
    ("AGE-SECRET-KEY-1", 40, "age"),
    ("sq0csp-", 20, "Square"),
    ("EAAA", 40, "Square"),
    ("secret_", 40, "Notion"),
    ("tskey-", 20, "Tailscale"),
];

/// What kind of key the word is, if it has the form of one.
pub(super) fn key(word: &str) -> Option<Kind> {
    let word = word.trim_matches('.');
    // JSON Web Tokens begin with `{"` in base64.
    if word.starts_with("eyJ") && word.contains('.') && word.len() >= 20 {
        return Some(Kind::Jwt);
    }
    // Ids of AWS keys: twenty capital letters and digits.
    let aws = word.len() == 20
        && (word.starts_with("AKIA") || word.starts_with("ASIA"))
        && word.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit());
    if aws {
        return Some(Kind::ServiceKey("AWS"));
    }
    let known = KEYS.iter().find(|(start, least, _)| word.starts_with(start) && word.len() >= *least);
    known.map(|(_, _, service)| Kind::ServiceKey(service))
}

#[cfg(test)]
pub(super) fn beginnings() -> impl Iterator<Item = (&'static str, usize)> {
    KEYS.iter().map(|(start, least, _)| (*start, *least))
}
