//! How a person's words reach Overt, and how far they may reach.
use overt_policy::word::string_enum;

string_enum! {
    /// How a person's words reach Overt.
    pub enum Channel {
        /// A dialog that the client shows.
        Dialog = "dialog",
        /// A terminal in which the person runs a command.
        Terminal = "terminal",
        /// The page of `overt ui`.
        Page = "page",
        /// The person's own `overt.toml`.
        File = "file",
    }

    /// How far a change reaches, from the least to the most. A refusal reaches as far as a call,
    /// because it counts through every channel.
    pub enum Reach {
        Call = "call",
        Session = "session",
        Project = "project",
        Everywhere = "everywhere",
    }
}

impl Channel {
    /// Returns how far a change through this channel reaches at most.
    pub fn reach(self) -> Reach {
        match self {
            // Only the client says that a person answered.
            Self::Dialog => Reach::Session,
            Self::Terminal | Self::Page | Self::File => Reach::Everywhere,
        }
    }
}
