//! Rewords our errors for the other server's tools, so that every tool and argument that they name
//! exists there.
use overt_toolbox::ToolError;

/// Our words, and those of the other server.
const WORDS: &[(&str, &str)] = &[
    ("`find_files`", "`search_files`"),
    ("`find`", "`oldText`"),
    ("`list_roots` names the roots", "`list_allowed_directories` names the roots"),
    ("Copy it with `copy_file` and change the copy, or ask", "Ask"),
    ("Give the `change` of an entry of `list_changes`", "Give the `change` that a tool returned"),
    ("; `list_changes` shows which changes can be undone", ""),
    ("; `list_changes` shows which changes and paths those are", ""),
    ("Leave `create_parents` out to make it", "Make it with `create_directory`"),
];

pub(super) fn reworded_error(error: ToolError) -> ToolError {
    error.reworded(|text| {
        // The lines between the first and the last one quote a file and must stay unchanged.
        let last = text.rfind('\n').map_or(text.len(), |end| end + 1);
        let first = text.find('\n').unwrap_or(text.len());
        format!("{}{}{}", its(&text[..first]), &text[first..last], its(&text[last..]))
    })
}

fn its(text: &str) -> String {
    WORDS.iter().fold(text.to_owned(), |text, (ours, its)| text.replace(ours, its))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_error_names_is_there_and_what_it_quotes_stays() {
        let said = |text: &str| reworded_error(ToolError::new(text)).to_string();
        assert_eq!(
            said("`a` does not exist. Use `list_directory` or `find_files`."),
            "`a` does not exist. Use `list_directory` or `search_files`."
        );
        assert_eq!(
            said("`find` is not in `a`\n1 | call `find`\nPut more into `find`."),
            "`oldText` is not in `a`\n1 | call `find`\nPut more into `oldText`."
        );
    }
}
