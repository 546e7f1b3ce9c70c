//! The readers of skills; each has its own rules.
use overt_policy::word::string_enum;

string_enum! {
    /// A reader of skills.
    pub enum Profile {
        /// The text of the Agent Skills specification.
        Spec = "spec",
        /// The reference validator, skills-ref 0.1.1.
        SkillsRef = "skills-ref",
        /// Claude Code, with fields of its own.
        ClaudeCode = "claude-code",
        /// Skills that are uploaded to the Anthropic API.
        AnthropicApi = "anthropic-api",
        /// Repositories with `x-personal-mcp` metadata.
        Seed001 = "seed-001",
        /// Skills that an MCP server serves.
        Sep2640 = "sep-2640",
    }
}
