//! The forms of the keys of well-known services: their prefixes and minimum lengths.
use super::kind::Kind;

/// The prefix, the minimum length of the whole key, and its service. A longer prefix stands before
/// a shorter one.
const KEYS: &[(&str, usize, &str)] = &[
    ("sk_live_", 16, "Stripe"),
    ("sk_test_", 16, "Stripe"),
    ("rk_live_", 16, "Stripe"),
    ("rk_test_", 16, "Stripe"),
    ("whsec_", 16, "Stripe"),
    ("sk.eyJ", 40, "Mapbox"),
    ("sk-ant-", 24, "Anthropic"),
    ("sk-or-", 24, "OpenRouter"),
    ("sk-", 20, "OpenAI or alike"),
    ("gsk_", 24, "Groq"),
    ("xai-", 24, "xAI"),
    ("pcsk_", 36, "Pinecone"),
    ("lsv2_", 36, "LangSmith"),
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
    ("glcbt-", 16, "GitLab"),
    ("glft-", 20, "GitLab"),
    ("glsoat-", 20, "GitLab"),
    ("GR1348941", 24, "GitLab"),
    ("xoxa-", 16, "Slack"),
    ("xoxb-", 16, "Slack"),
    ("xoxc-", 20, "Slack"),
    ("xoxd-", 20, "Slack"),
    ("xoxe-", 20, "Slack"),
    ("xoxe.", 20, "Slack"),
    ("xoxp-", 16, "Slack"),
    ("xoxr-", 16, "Slack"),
    ("xoxs-", 16, "Slack"),
    ("xapp-", 16, "Slack"),
    ("ABSK", 60, "AWS"),
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
    ("ATCTT3", 24, "Atlassian"),
    ("ATBB", 32, "Atlassian"),
    ("HRKU-", 36, "Heroku"),
    ("dp.pt.", 36, "Doppler"),
    ("dp.st.", 36, "Doppler"),
    ("pscale_tkn_", 36, "PlanetScale"),
    ("pscale_pw_", 36, "PlanetScale"),
    ("fm2_", 40, "Fly"),
    ("fo1_", 40, "Fly"),
    ("nfp_", 36, "Netlify"),
    ("phx_", 36, "PostHog"),
    ("xkeysib-", 40, "Brevo"),
    ("sntrys_", 40, "Sentry"),
    ("sntryu_", 40, "Sentry"),
    ("bkua_", 36, "Buildkite"),
    ("CCIPAT_", 40, "CircleCI"),
    ("AKCp", 60, "Artifactory"),
    ("dt0c01.", 40, "Dynatrace"),
    ("ops_eyJ", 40, "1Password"),
    ("sbp_", 24, "Supabase"),
    ("sb_secret_", 30, "Supabase"),
    ("PMAK-", 24, "Postman"),
    ("NRAK-", 20, "New Relic"),
    ("glc_", 24, "Grafana"),
    ("glsa_", 24, "Grafana"),
    ("AGE-SECRET-KEY-1", 40, "age"),
    ("sq0atp-", 20, "Square"),
    ("sq0csp-", 20, "Square"),
    ("EAAA", 40, "Square"),
    ("secret_", 40, "Notion"),
    ("tskey-", 20, "Tailscale"),
];

/// The minimum length of all these keys.
const SHORTEST: usize = 16;

const HEX: &str = "0123456789abcdef";
const LOWER: &str = "abcdefghijklmnopqrstuvwxyz0123456789";
const UPPER: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
/// Prefixes that ordinary words also have. Such a key has exactly this length, and only these
/// characters after the prefix.
const EXACT: [(&str, usize, &str, &str); 7] = [
    ("AKIA", 20, UPPER, "AWS"),
    ("ASIA", 20, UPPER, "AWS"),
    ("ABIA", 20, UPPER, "AWS"),
    ("SK", 34, HEX, "Twilio"),
    ("sk_", 51, HEX, "ElevenLabs"),
    ("fc-", 35, HEX, "Firecrawl"),
    ("oy2", 46, LOWER, "NuGet"),
];

/// Texts before keys that contain slashes; most are addresses of webhooks.
pub(super) const BEFORE: [(&str, &str); 9] = [
    ("://hooks.slack.com/services/", "Slack"),
    ("://hooks.slack.com/workflows/", "Slack"),
    ("://hooks.slack.com/triggers/", "Slack"),
    ("://discord.com/api/webhooks/", "Discord"),
    ("://discordapp.com/api/webhooks/", "Discord"),
    (".webhook.office.com/webhookb2/", "Teams"),
    ("://outlook.office.com/webhook/", "Teams"),
    ("://api.telegram.org/bot", "Telegram"),
    ("1//0", "Google"),
];
/// This text is in each of them that does not contain `//`.
pub(super) const BEFORE_WITHOUT_SLASHES: &[u8; 10] = b"/webhookb2";
/// The minimum length of the key after such a text.
pub(super) const LEAST_AFTER: usize = 30;

/// Returns the kind of the key, if the word has the form of one.
pub(super) fn key(word: &str) -> Option<Kind> {
    if word.len() < SHORTEST {
        return None;
    }
    let word = word.trim_matches('.');
    if word.len() < SHORTEST {
        return None;
    }
    // JSON Web Tokens begin with `{"` in base64.
    if word.starts_with("eyJ") && word.contains('.') && word.len() >= 20 {
        return Some(Kind::Jwt);
    }
    let exact = EXACT.iter().find(|(start, length, letters, _)| {
        word.len() == *length
            && word.strip_prefix(start).is_some_and(|rest| rest.chars().all(|c| letters.contains(c)))
    });
    if let Some((_, _, _, service)) = exact {
        return Some(Kind::ServiceKey(service));
    }
    if word.len() >= 40 && word.contains(".atlasv1.") {
        return Some(Kind::ServiceKey("Terraform"));
    }
    // Compare the first byte separately, because most words already differ there.
    let begins = |start: &str| word.as_bytes().first() == start.as_bytes().first() && word.starts_with(start);
    let known = KEYS.iter().find(|(start, least, _)| begins(start) && word.len() >= *least);
    known.map(|(_, _, service)| Kind::ServiceKey(service))
}

/// Returns whether the word is the second half of a Telegram bot's token, after the bot's number
/// and a colon.
pub(super) fn is_telegram(before: &str, word: &str) -> bool {
    let Some(before) = before.strip_suffix(':') else { return false };
    let digits = before.bytes().rev().take(11).take_while(u8::is_ascii_digit).count();
    (8..=10).contains(&digits) && word.len() == 35 && word.starts_with("AA")
}

#[cfg(test)]
pub(super) fn beginnings() -> impl Iterator<Item = (&'static str, usize)> {
    KEYS.iter().map(|(start, least, _)| (*start, *least))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_looked_for_first_is_in_every_form() {
        assert!(KEYS.iter().all(|(_, least, _)| *least >= SHORTEST));
        assert!(EXACT.iter().all(|(_, length, ..)| *length >= SHORTEST));
        let without = std::str::from_utf8(BEFORE_WITHOUT_SLASHES).unwrap();
        assert!(BEFORE.iter().all(|(mark, _)| mark.contains("//") || mark.contains(without)));
    }
}
