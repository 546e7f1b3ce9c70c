//! The table of rules: the name of each, and its severity for each reader.
use overt_policy::finding::Severity;
use overt_policy::word::StringEnum as _;

use super::Profile;

/// The severity of a violation for each profile, in the order of [`Profile`]; `None` if the rule
/// does not apply to the profile.
type Levels = [Option<Severity>; 6];

const O: Option<Severity> = None;
const N: Option<Severity> = Some(Severity::Note);
const W: Option<Severity> = Some(Severity::Warning);
const E: Option<Severity> = Some(Severity::Error);

macro_rules! rules {
    ($($name:ident $id:literal $levels:tt $summary:literal;)*) => {
        /// What can be wrong with a skill.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Rule {
            $(#[doc = $summary] $name,)*
        }

        impl Rule {
            pub const ALL: &'static [Self] = &[$(Self::$name),*];

            /// The name by which a person finds it in the documentation.
            pub fn id(self) -> &'static str {
                match self { $(Self::$name => $id,)* }
            }

            /// The condition that a skill without this violation fulfils.
            pub fn summary(self) -> &'static str {
                match self { $(Self::$name => $summary,)* }
            }

            fn levels(self) -> Levels {
                match self { $(Self::$name => $levels,)* }
            }
        }
    };
}

// The columns: spec, skills-ref, claude-code, anthropic-api, seed-001, sep-2640. skills-ref knows
// no warnings: a rule is an error for it exactly if it refuses the skill.
rules! {
    FileMissing          "file-missing"          [E, E, E, E, E, E] "The directory has a SKILL.md";
    FileUnreadable       "file-unreadable"       [E, E, E, E, E, E] "SKILL.md can be read, is UTF-8 and has at most 1 MiB";
    FileName             "file-name"             [E, O, W, E, E, E] "The file is called SKILL.md, in capitals";
    FileBom              "file-bom"              [E, E, W, E, E, E] "SKILL.md does not begin with a byte order mark";
    FrontBlankLines      "front-blank-lines"     [E, E, E, E, E, E] "No empty lines stand before the front matter";
    FrontMissing         "front-missing"         [E, E, W, E, E, E] "SKILL.md begins with front matter";
    FrontUnclosed        "front-unclosed"        [E, E, E, E, E, E] "A line `---` ends the front matter";
    FrontCut             "front-cut"             [W, E, O, W, W, W] "The front matter has no `---` within a line, where some readers end it";
    YamlSyntax           "yaml-syntax"           [E, E, E, E, E, E] "The front matter is YAML 1.2 without anchors, aliases, tags, merges and duplicate names";
    YamlFlow             "yaml-flow"             [W, E, O, W, N, O] "Lists and objects are in block style, as strict readers want them";
    YamlMapping          "yaml-mapping"          [E, E, E, E, E, E] "The front matter is a mapping";
    FieldUnknown         "field-unknown"         [W, E, W, W, O, O] "Every field is one that the reader knows";
    FieldClaudeCode      "field-claude-code"     [W, E, O, W, O, N] "Fields of Claude Code are only read by Claude Code";
    FieldRepository      "field-repository"      [W, E, N, W, O, N] "Repository metadata is not part of a portable skill";
    NameMissing          "name-missing"          [E, E, N, E, E, E] "The skill has a name";
    NameType             "name-type"             [E, E, E, E, E, E] "The name is a non-empty text";
    NameLength           "name-length"           [E, E, E, E, E, E] "The name has at most 64 characters";
    NameCharacters       "name-characters"       [E, E, E, E, E, E] "The name has only lower-case letters, digits and hyphens";
    NameAscii            "name-ascii"            [E, O, E, E, E, E] "The letters and digits of the name are a-z and 0-9";
    NameHyphens          "name-hyphens"          [E, E, W, W, N, E] "The name has no hyphen at its ends and no two in a row";
    NameLetter           "name-letter"           [O, O, O, O, E, O] "The name begins with a letter";
    NameReserved         "name-reserved"         [O, O, W, E, E, O] "The name does not contain `anthropic` or `claude`";
    NameDirectory        "name-directory"        [E, E, W, W, E, E] "The name is the name of the directory";
    DescriptionMissing   "description-missing"   [E, E, W, E, E, E] "The skill has a description";
    DescriptionType      "description-type"      [E, E, E, E, E, E] "The description is a non-empty text";
    DescriptionLength    "description-length"    [E, E, W, E, E, E] "The description has at most 1,024 characters";
    DescriptionTag       "description-tag"       [N, O, O, E, E, O] "The description has no XML tags";
    DescriptionWhen      "description-when"      [W, O, W, W, W, W] "The description says when to use the skill";
    ListingLength        "listing-length"        [O, O, W, O, O, O] "`description` and `when_to_use` have at most 1,536 characters together";
    LicenseType          "license-type"          [E, O, W, E, E, E] "The license is a text";
    CompatibilityType    "compatibility-type"    [E, E, W, E, E, E] "The compatibility is a text";
    CompatibilityLength  "compatibility-length"  [E, E, W, E, O, E] "The compatibility has 1 to 500 characters";
    MetadataType         "metadata-type"         [E, O, W, E, E, E] "The metadata is a mapping of texts to texts";
    MetadataReserved     "metadata-reserved"     [O, O, O, O, O, W] "No name in the metadata begins with `io.modelcontextprotocol`";
    AllowedToolsType     "allowed-tools-type"    [E, O, E, E, E, E] "`allowed-tools` is a text, or a list of texts";
    AllowedToolsList     "allowed-tools-list"    [E, O, O, W, O, W] "`allowed-tools` is one text with spaces between the tools";
    AllowedToolsCommas   "allowed-tools-commas"  [W, O, O, W, O, W] "Spaces, not commas, separate the tools in `allowed-tools`";
    ClaudeFieldType      "claude-field-type"     [O, O, E, O, E, O] "A field of Claude Code has the type that it must have";
    ClaudeFieldFlag      "claude-field-flag"     [O, O, E, O, W, O] "A switch of Claude Code is `true` or `false`";
    ArgumentHintList     "argument-hint-list"    [O, E, W, O, E, O] "`argument-hint` is a text, in quotes where it begins with a bracket";
    ClaudeFieldValue     "claude-field-value"    [O, O, E, O, O, O] "A field of Claude Code has one of its values";
    RepositoryMissing    "repository-missing"    [O, O, O, O, E, O] "The skill has repository metadata in `x-personal-mcp`";
    RepositoryType       "repository-type"       [O, O, O, O, E, O] "Every field of `x-personal-mcp` has its type";
    RepositoryId         "repository-id"         [O, O, O, O, E, O] "`id` begins with a letter, has lower-case letters, digits and hyphens, and is the name and the directory";
    RepositoryVersion    "repository-version"    [O, O, O, O, E, O] "`version` is a semantic version";
    RepositoryVersionOdd "repository-version-odd" [O, O, O, O, W, O] "`version` is one that semver 2.0.0 and the pattern of the contract both accept";
    RepositoryCapability "repository-capability" [O, O, O, O, E, O] "`capabilities` has the document of the skill";
    RepositoryTag        "repository-tag"        [O, O, O, O, W, O] "Tags are kebab-case";
    RepositoryDependency "repository-dependency" [O, O, O, O, E, O] "`depends_on` names skills that are there, without cycles";
    RepositoryReference  "repository-reference"  [O, O, O, O, E, O] "A reference is a Markdown file below `references/` that is there";
    RepositoryDuplicate  "repository-duplicate"  [O, O, O, O, E, O] "No two skills have the same id";
    RepositorySidecar    "repository-sidecar"    [O, O, O, O, W, O] "Metadata is in the front matter, not in a file `metadata.yaml`";
    BodyEmpty            "body-empty"            [W, O, W, W, W, W] "The skill has instructions";
    BodyLines            "body-lines"            [W, O, W, W, W, W] "The instructions have at most 500 lines";
    BodyTokens           "body-tokens"           [W, O, W, W, W, W] "The instructions have at most 5,000 tokens";
    LinkMissing          "link-missing"          [W, O, W, W, W, W] "Files that the instructions link to are there";
    LinkOutside          "link-outside"          [W, O, W, W, W, W] "Links stay in the directory of the skill";
    Secret               "secret"                [W, O, W, W, W, W] "The skill contains no credentials";
    HiddenUnicode        "hidden-unicode"        [W, O, W, W, W, W] "The skill has no characters that can't be seen";
    FilesMany            "files-many"            [O, O, O, O, O, E] "The skill has at most 512 files";
    FilesLarge           "files-large"           [O, O, O, O, O, E] "The files of the skill have at most 16 MiB together";
    UploadLarge          "upload-large"          [O, O, O, E, O, O] "The files of the skill have less than 30 MB together";
    FileLink             "file-link"             [W, O, W, W, W, W] "Symbolic links stay in the directory of the skill";
    FileUncounted        "file-uncounted"        [O, O, O, W, O, W] "All files of the skill can be counted";
}

impl Rule {
    /// Returns the severity of a violation for this reader, or `None` if the rule does not apply to
    /// it.
    pub fn severity(self, profile: Profile) -> Option<Severity> {
        let column = Profile::ALL.iter().position(|known| *known == profile)?;
        self.levels().get(column).copied().flatten()
    }
}
