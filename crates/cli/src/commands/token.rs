//! `overt token`: tokens with which clients of other users reach a server over HTTP.
use overt_state::access_tokens::{AccessToken, AccessTokens, TokenError};

use crate::args::{Format, TokenArgs, TokenCommand};
use crate::context::CommandContext;
use crate::error::{CommandError, Diagnostic, ErrorKind, Exit, user_error};
use crate::output::{TokenData, TokensReport, one_line, tokens_text};
use overt_operator::near::valid_names;

impl Diagnostic for TokenError {
    fn kind(&self) -> ErrorKind {
        ErrorKind::Outside
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::TooMany => Some("revoke one that is not used any more: `overt token list`".to_owned()),
            _ => None,
        }
    }
}

pub(crate) fn token(args: &TokenArgs, context: &CommandContext) -> Result<Exit, CommandError> {
    let tokens = AccessTokens::of(context.state()?.path());
    let printer = &context.printer;
    let is_json = context.output.format == Format::Json;
    match &args.command {
        TokenCommand::Create(args) => {
            let is_same = |token: &AccessToken| !args.name.is_empty() && token.name == args.name;
            if let Some(same) = tokens.list()?.into_iter().find(is_same) {
                let AccessToken { name, id, .. } = same;
                return Err(user_error(format!("there is a token `{name}` already: {id}")).hinted(format!(
                    "give the new one another name, or revoke the old one: `overt token revoke {id}`"
                )));
            }
            let (token, known) = tokens.create(&args.name, context.clock.now())?;
            match is_json {
                true => printer.data(&TokenData::of(&known).with_secret(&token))?,
                false => {
                    printer.text(&format!("{token}\n"))?;
                    printer.note(SHOWN_ONCE);
                }
            }
        }
        TokenCommand::List(_) => {
            let all = tokens.list()?;
            match is_json {
                true => printer.data(&TokensReport::Tokens(all.iter().map(TokenData::of).collect()))?,
                false if all.is_empty() => {
                    printer.note("there are no tokens; only your own programs are served over HTTP");
                }
                false => printer.text(&tokens_text(&all, printer.width()))?,
            }
        }
        TokenCommand::Revoke(args) => {
            let gone = named(&tokens.list()?, &args.tokens)?;
            for token in &gone {
                // A token that was revoked in the meantime is not an error.
                tokens.revoke(token)?;
            }
            match is_json {
                true => printer.data(&TokensReport::Revoked(gone.iter().map(TokenData::of).collect()))?,
                false => {
                    for token in &gone {
                        printer.note(&one_line(&format!("{} {} is revoked", token.id, token.name)));
                    }
                }
            }
        }
    }
    Ok(Exit::Ok)
}

/// Returns the tokens with these ids or names. All of them must exist; a name selects every token
/// that has it.
fn named(all: &[AccessToken], names: &[String]) -> Result<Vec<AccessToken>, CommandError> {
    let mut found: Vec<AccessToken> = Vec::new();
    for name in names {
        let before = found.len();
        let is_meant = |token: &&AccessToken| token.id == *name || token.name == *name;
        let mut meant = all.iter().filter(is_meant).peekable();
        if meant.peek().is_none() {
            if all.is_empty() {
                return Err(
                    user_error(format!("no token `{name}`: you have not made any")).hinted(LIST_TOKENS)
                );
            }
            let known = all.iter().flat_map(|token| [token.id.as_str(), token.name.as_str()]);
            let there = valid_names(name, known.filter(|name| !name.is_empty()));
            return Err(user_error(format!("no token `{name}`; {there}")).hinted(LIST_TOKENS));
        }
        let more: Vec<AccessToken> =
            meant.filter(|token| !found[..before].contains(token)).cloned().collect();
        found.extend(more);
    }
    Ok(found)
}

const LIST_TOKENS: &str = "`overt token list` shows the valid tokens";
const SHOWN_ONCE: &str = "this token is shown once; clients send it as `Authorization: Bearer TOKEN`";
