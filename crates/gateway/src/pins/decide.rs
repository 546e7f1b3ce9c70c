//! A person's decisions about what is remembered of a server's tools.
use overt_layers::audit::{Entry, Kind};
use overt_layers::person::{PersonAction, Reach};

use super::identity::Identity;
use super::record::Decision;

/// A decision about tools of a server.
#[derive(Debug)]
pub struct DecidePins {
    pub identity: Identity,
    /// The server's full name, for the record.
    pub server: String,
    pub decision: Decision,
    /// Empty for every tool that waits for a decision.
    pub tools: Vec<String>,
}

/// The end of what is remembered of a server. What it shows next is accepted.
#[derive(Debug)]
pub struct ForgetPins {
    /// The server's full name, for the record.
    pub server: String,
}

impl PersonAction for DecidePins {
    type Effect = ();

    fn intent(&self) -> Vec<Entry> {
        let word = match self.decision {
            Decision::Accept => "pins accept",
            Decision::Keep => "pins keep",
        };
        vec![Entry {
            target: Some(self.tools.join(", ")).filter(|tools| !tools.is_empty()),
            reason: Some(word.to_owned()),
            ..Entry::of_server(Kind::Approval, &self.server, self.identity.directory())
        }]
    }

    fn outcome(&self, (): &()) -> Vec<Entry> {
        Vec::new()
    }

    fn reach(&self) -> Reach {
        match self.decision {
            Decision::Accept => Reach::Project,
            Decision::Keep => Reach::Call,
        }
    }

    fn allows_more(&self) -> bool {
        self.decision == Decision::Accept
    }
}

impl PersonAction for ForgetPins {
    type Effect = ();

    fn intent(&self) -> Vec<Entry> {
        let reason = Some("pins forget".to_owned());
        vec![Entry { reason, ..Entry::of_server(Kind::Approval, &self.server, None) }]
    }

    fn outcome(&self, (): &()) -> Vec<Entry> {
        Vec::new()
    }

    fn reach(&self) -> Reach {
        Reach::Project
    }

    fn allows_more(&self) -> bool {
        true
    }
}
