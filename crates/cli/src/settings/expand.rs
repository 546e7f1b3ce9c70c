//! Expands `${VAR}` in the files of other programs, from the environment.
use super::Env;

/// Expands the texts of one entry and collects every variable that is not set.
#[derive(Debug)]
pub(super) struct Expander<'a> {
    env: &'a Env,
    /// The value of `${workspaceFolder}`.
    folder: Option<&'a str>,
    /// Names of variables that are not set, in order of appearance.
    pub(super) missing: Vec<String>,
}

impl<'a> Expander<'a> {
    pub(super) fn new(env: &'a Env, folder: Option<&'a str>) -> Self {
        Self { env, folder, missing: Vec::new() }
    }

    /// Replaces `${VAR}`, `${env:VAR}` and `${VAR:-default}`, and VS Code's `${workspaceFolder}`
    /// and `${userHome}`. A lone `$` stays.
    pub(super) fn expand(&mut self, text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        while let Some((before, after)) = rest.split_once("${") {
            out.push_str(before);
            let Some((inside, after)) = after.split_once('}') else {
                out.push_str("${");
                rest = after;
                continue;
            };
            out.push_str(&self.value(inside));
            rest = after;
        }
        out.push_str(rest);
        out
    }

    fn value(&mut self, inside: &str) -> String {
        let own = match inside {
            "workspaceFolder" => self.folder,
            "userHome" => self.env.get("HOME"),
            _ => None,
        };
        if let Some(own) = own {
            return own.to_owned();
        }
        let name = inside.strip_prefix("env:").unwrap_or(inside);
        let (name, default) =
            name.split_once(":-").map_or((name, None), |(name, default)| (name, Some(default)));
        if let Some(value) = self.env.get(name).or(default) {
            return value.to_owned();
        }
        if !self.missing.iter().any(|missing| missing == name) {
            self.missing.push(name.to_owned());
        }
        String::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_defaults_and_what_is_missing() {
        let env = Env::of(&[("A", "1"), ("B", "two"), ("HOME", "/home/x")]);
        let mut expander = Expander::new(&env, Some("/project"));
        assert_eq!(expander.expand("${workspaceFolder}/a ${userHome}"), "/project/a /home/x");
        assert_eq!(expander.expand("x${A}y${env:B}z"), "x1ytwoz");
        assert_eq!(expander.expand("${C:-three} ${A:-no} $A ${"), "three 1 $A ${");
        assert_eq!(expander.missing, [""; 0]);
        expander.expand("${C} ${input:key} ${env:C}");
        assert_eq!(expander.missing, ["C", "input:key"]);
    }
}
