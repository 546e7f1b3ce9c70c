//! The cost of everything that a model gets from a server: its instructions, and each tool in each
//! shape.
use overt_documents::Live;
use serde::Serialize;

use super::count::{Count, count};
use super::shape::Shape;
use crate::error::CommandError;

/// The cost of a server. Each text is counted separately, and totals are sums of these counts. The
/// separators between the tools of a request (commas, brackets) are not counted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Cost {
    /// The instructions as they are, without the host's wrapping; `None` if there are none.
    pub(crate) instructions: Option<Count>,
    /// In the order of the server's list.
    pub(crate) tools: Vec<ToolCost>,
}

/// The cost of one tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct ToolCost {
    pub(crate) name: String,
    pub(crate) openai: Count,
    pub(crate) anthropic: Count,
    /// The description alone, which is part of the other two counts.
    pub(crate) description: Count,
}

impl Cost {
    pub(crate) fn of(live: &Live) -> Result<Self, CommandError> {
        let written: Vec<[String; 2]> =
            live.tools.iter().map(|tool| Shape::ALL.map(|shape| shape.write(tool))).collect();
        let mut texts = vec![live.info.instructions.as_deref().unwrap_or_default()];
        for (tool, [openai, anthropic]) in live.tools.iter().zip(&written) {
            texts.extend([openai, anthropic, tool.description.as_deref().unwrap_or_default()]);
        }
        let counts = count(&texts)?;
        let (instructions, of_tools) =
            counts.split_first().map_or((None, &[][..]), |(first, rest)| (Some(first), rest));
        let tools = live.tools.iter().zip(of_tools.as_chunks().0).map(|(tool, counts)| {
            let [openai, anthropic, description] = *counts;
            ToolCost { name: tool.name.clone(), openai, anthropic, description }
        });
        Ok(Self {
            instructions: instructions.copied().filter(|count| count.bytes > 0),
            tools: tools.collect(),
        })
    }

    /// The total in one shape: all tools, and the instructions.
    pub(crate) fn total(&self, shape: Shape) -> Count {
        self.tools.iter().map(|tool| tool.count(shape)).chain(self.instructions).sum()
    }

    /// The tools with the longest descriptions, the longest first.
    pub(crate) fn most_expensive(&self) -> Vec<&ToolCost> {
        const MOST_TOOLS: usize = 3;
        let mut tools: Vec<&ToolCost> = self.tools.iter().filter(|tool| tool.description.bytes > 0).collect();
        tools.sort_by_key(|tool| std::cmp::Reverse(tool.description.tokens));
        tools.truncate(MOST_TOOLS);
        tools
    }
}

impl ToolCost {
    pub(crate) fn count(&self, shape: Shape) -> Count {
        match shape {
            Shape::OpenAi => self.openai,
            Shape::Anthropic => self.anthropic,
        }
    }
}

#[cfg(test)]
mod tests;
