//! Finds the server whose tool is meant, and checks that it has the tool.
use std::collections::{BTreeMap, BTreeSet};

use overt_gateway::pins::PinStore;
use overt_servers::files;

use crate::error::{Explain, OperatorError};
use crate::near::valid_names;
use crate::operator::Operator;
use crate::server_name::remembered_identity;
use crate::servers::identity;
use crate::text::one_line;

/// No known server has the tool, or several have it.
#[derive(Debug, thiserror::Error)]
enum ToolError {
    #[error("no tool `{}` of `{}` is known", one_line(tool), one_line(server))]
    Unknown { tool: String, server: String, names: BTreeSet<String> },
    #[error("no server with a tool `{}` is known", one_line(tool))]
    Nowhere { tool: String, names: BTreeSet<String> },
    #[error("several servers have a tool `{}`: {}", one_line(tool), one_line(&servers.join(", ")))]
    Several { tool: String, servers: Vec<String> },
}

impl Explain for ToolError {
    fn hint(&self) -> Option<String> {
        Some(match self {
            Self::Unknown { tool, names, .. } => {
                one_line(&valid_names(tool, names.iter().map(String::as_str)))
            }
            Self::Nowhere { names, .. } if names.is_empty() => {
                "put `overt run` in front of the server once, or name it with `--server`".to_owned()
            }
            Self::Nowhere { tool, names } => {
                let known = one_line(&valid_names(tool, names.iter().map(String::as_str)));
                format!("{known}; a server that was never used is named with `--server`")
            }
            Self::Several { .. } => "name one of them with `--server`".to_owned(),
        })
    }
}

/// The server that has the tool.
#[derive(Debug)]
pub struct Owner {
    pub server: String,
    /// Whether the server's tools are known.
    pub is_seen: bool,
}

/// Finds the server that has the tool. A known server without the tool is an error.
pub fn owner(operator: &Operator<'_>, tool: &str, named: Option<&str>) -> Result<Owner, OperatorError> {
    let known = known_tools(operator)?;
    match named {
        Some(name) => {
            let server = identity(operator, name)?;
            match known.get(&server) {
                Some(names) if !names.contains(tool) => {
                    let names = names.clone();
                    Err(ToolError::Unknown { tool: tool.to_owned(), server, names }.into())
                }
                tools => {
                    let is_seen = tools.is_some();
                    Ok(Owner { server, is_seen })
                }
            }
        }
        None => {
            let mut servers: Vec<String> = known
                .iter()
                .filter(|(_, names)| names.contains(tool))
                .map(|(server, _)| server.clone())
                .collect();
            match (servers.pop(), servers.is_empty()) {
                (Some(server), true) => Ok(Owner { server, is_seen: true }),
                (Some(last), false) => {
                    servers.push(last);
                    Err(ToolError::Several { tool: tool.to_owned(), servers }.into())
                }
                (None, _) => {
                    let names = known.into_values().flatten().collect();
                    Err(ToolError::Nowhere { tool: tool.to_owned(), names }.into())
                }
            }
        }
    }
}

/// Says whether the server is a third-party server.
pub fn is_foreign(server: &str) -> bool {
    server != files::NAME
}

/// Returns the known tools of each server: those that pins remember, and those of open questions.
fn known_tools(operator: &Operator<'_>) -> Result<BTreeMap<String, BTreeSet<String>>, OperatorError> {
    let ours = files::TOOL_NAMES.into_iter().map(str::to_owned).collect();
    let mut known = BTreeMap::from([(files::NAME.to_owned(), ours)]);
    for record in PinStore::new(operator.state).all()?.into_iter().filter_map(|entry| entry.record.ok()) {
        let tools: &mut BTreeSet<String> = known.entry(remembered_identity(&record.identity)).or_default();
        tools.extend(record.tools.into_keys());
    }
    // One tool does not show which others a server has, so servers without a record are skipped.
    if let Some(store) = operator.store()? {
        for open in store.questions()? {
            if let Some(tools) = known.get_mut(&open.question.server) {
                tools.insert(open.question.tool);
            }
        }
    }
    Ok(known)
}
