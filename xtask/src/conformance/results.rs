//! Reads the results of a run of the suite: one `checks.json` per scenario.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;

use crate::failure::Failure;

/// The outcome of one scenario.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Checks {
    pub(crate) passed: usize,
    pub(crate) warned: usize,
    /// Each failed check with the suite's error message.
    pub(crate) failed: Vec<String>,
    /// Every check with its status, sorted, because the suite's own order depends on timing.
    pub(crate) each: Vec<String>,
}

impl Checks {
    /// Says whether there were checks and all of them passed without a warning.
    pub(crate) fn pass(&self) -> bool {
        self.passed > 0 && self.failed.is_empty() && self.warned == 0
    }

    fn of(checks: &Value) -> Self {
        let mut counted = Self::default();
        for check in checks.as_array().map_or(&[][..], Vec::as_slice) {
            let text = |member: &str| check[member].as_str().unwrap_or_default();
            counted.each.push(format!("{} {}", text("id"), text("status")));
            match text("status") {
                "SUCCESS" => counted.passed += 1,
                "WARNING" => counted.warned += 1,
                "FAILURE" => counted.failed.push(format!("{}: {}", text("id"), text("errorMessage"))),
                _ => {}
            }
        }
        counted.each.sort_unstable();
        counted
    }
}

/// Reads all scenarios below a directory of results, by name.
pub(crate) fn read(dir: &Path) -> Result<BTreeMap<String, Checks>, Failure> {
    let mut found = BTreeMap::new();
    read_into(dir, dir, &mut found)?;
    Ok(found)
}

fn read_into(root: &Path, dir: &Path, found: &mut BTreeMap<String, Checks>) -> Result<(), Failure> {
    for entry in std::fs::read_dir(dir).map_err(Failure::file("read", dir))? {
        let path = entry.map_err(Failure::file("read", dir))?.path();
        if path.is_dir() {
            read_into(root, &path, found)?;
        } else if path.ends_with("checks.json") {
            let text = std::fs::read_to_string(&path).map_err(Failure::file("read", &path))?;
            let checks: Value = serde_json::from_str(&text).map_err(Failure::file("read", &path))?;
            let name = dir.strip_prefix(root).unwrap_or(dir).to_string_lossy().into_owned();
            found.insert(scenario(&name).to_owned(), Checks::of(&checks));
        }
    }
    Ok(())
}

/// Returns the scenario's name from a directory's: `ping` from
/// `server-ping-2026-07-28T10-11-12-131Z`.
fn scenario(directory: &str) -> &str {
    const TIME: usize = "-2026-07-28T10-11-12-131Z".len();
    let name = directory.len().checked_sub(TIME).map_or(directory, |end| &directory[..end]);
    // A scenario's own name may begin with `server-` too. The suite always adds another one in
    // front.
    name.strip_prefix("server-").unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn names_come_out_of_directories() {
        assert_eq!(scenario("server-server-initialize-2026-07-28T10-11-12-131Z"), "server-initialize");
        assert_eq!(scenario("auth/basic-cimd-2026-07-28T10-11-12-131Z"), "auth/basic-cimd");
    }

    #[test]
    fn checks_are_counted() {
        let checks = json!([
            {"id": "a", "status": "SUCCESS"},
            {"id": "b", "status": "INFO"},
            {"id": "c", "status": "SKIPPED"},
            {"id": "d", "status": "FAILURE", "errorMessage": "no"},
        ]);
        let counted = Checks::of(&checks);
        assert_eq!(
            (counted.passed, counted.warned, counted.failed.as_slice()),
            (1, 0, &["d: no".to_owned()][..])
        );
        assert_eq!(counted.each, ["a SUCCESS", "b INFO", "c SKIPPED", "d FAILURE"]);
        assert!(!counted.pass());
        assert!(!Checks::of(&json!([])).pass(), "nothing checked is not a pass");
        assert!(Checks::of(&json!([{"id": "a", "status": "SUCCESS"}])).pass());
    }
}
