//! The folder around a file, as a wider answer in `overt fs`.
use serde_json::json;

use crate::environment::TestEnvironment;

#[test]
fn one_yes_for_the_folder_saves_the_questions_about_its_other_files() {
    let day = TestEnvironment::with_projects();
    let src = day.path("site/src").display().to_string();
    let mut client = day.files("claude-code", "site", &["."]);
    client.call("delete_file", &json!({ "path": "src/a.ts" }));
    assert!(client.was_refused(), "{}", client.last);
    let shown = day.text_in("site", &["grants", "show", "q-1"]);
    assert!(shown.contains(&format!("or wider   write:file:{src}\n")), "{shown}");
    day.text_in("site", &["grants", "allow", "q-1", "--breadth", "folder", "--for", "8h"]).succeeds();
    for name in ["a", "b"] {
        client.call("delete_file", &json!({ "path": format!("src/{name}.ts") }));
        assert!(!client.was_refused(), "{}", client.last);
    }
    // Files outside the folder still ask.
    day.write("site/notes.txt", "mine\n");
    client.call("delete_file", &json!({ "path": "notes.txt" }));
    assert!(client.was_refused(), "{}", client.last);
    client.end();
    assert!(day.path("site/notes.txt").exists() && !day.path("site/src/b.ts").exists());
}
