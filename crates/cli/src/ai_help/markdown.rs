//! Converts help texts, which are formatted for terminals, to Markdown.

/// Keeps paragraphs, and puts indented lines into fenced code blocks.
pub(super) fn blocks(text: &str) -> String {
    let mut out = String::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        if !line.starts_with("  ") {
            out.push_str(line);
            out.push('\n');
            continue;
        }
        let mut inside = vec![line];
        while let Some(line) = lines.next_if(|line| line.starts_with("  ")) {
            inside.push(line);
        }
        if !out.is_empty() && !out.ends_with("\n\n") {
            out.push('\n');
        }
        let is_shell = inside.iter().any(|line| line.trim_start().starts_with("overt "));
        out.push_str(&fence(if is_shell { "sh" } else { "text" }, &inside.join("\n")));
        if lines.peek().is_some_and(|line| !line.is_empty()) {
            out.push('\n');
        }
    }
    out
}

/// Puts lines into a fenced code block, without their common indent.
pub(super) fn fence(language: &str, text: &str) -> String {
    let indent = text.lines().map(|line| line.len() - line.trim_start().len()).min().unwrap_or(0);
    let lines: Vec<&str> = text.lines().map(|line| &line[indent..]).collect();
    format!("```{language}\n{}\n```\n", lines.join("\n"))
}

pub(super) fn code(text: &str) -> String {
    format!("`{text}`")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indented_lines_are_fenced() {
        let text = "Read so:\n\n  a=b    one\n   c     two\n\nThat is all.\nExample:\n  overt x\nEnd.";
        insta::assert_snapshot!(blocks(text), @r"
        Read so:

        ```text
        a=b    one
         c     two
        ```

        That is all.
        Example:

        ```sh
        overt x
        ```

        End.
        ");
    }
}
