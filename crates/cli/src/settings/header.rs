//! Headers from `--header` and `--header-env`.
use super::Env;
use crate::error::{CommandError, user_error};

/// Returns the headers of both options, those with plain values first. The error never shows a
/// value.
pub(super) fn from_options(
    plain: &[String],
    from_env: &[String],
    env: &Env,
) -> Result<Vec<(String, String)>, CommandError> {
    let mut headers = Vec::with_capacity(plain.len() + from_env.len());
    for text in plain {
        let (header, value) = text.split_once(':').ok_or_else(|| {
            user_error("`--header` has no colon").hinted("write it as `--header 'NAME: VALUE'`")
        })?;
        headers.push((name(header)?, value.trim().to_owned()));
    }
    for text in from_env {
        let (header, variable) = text.split_once('=').ok_or_else(|| {
            user_error(format!("`--header-env {text}` has no `=`"))
                .hinted("write it as `--header-env NAME=VARIABLE`")
        })?;
        let header = name(header)?;
        match env.get(variable) {
            Some(value) => headers.push((header, value.trim().to_owned())),
            None => {
                return Err(user_error(format!(
                    "the environment variable `{variable}` for the header `{header}` is not set"
                ))
                .hinted(format!("export it first: `export {variable}=…`")));
            }
        }
    }
    Ok(headers)
}

fn name(text: &str) -> Result<String, CommandError> {
    let text = text.trim();
    let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    if text.is_empty() || !text.bytes().all(is_token) {
        return Err(user_error(format!("`{text}` is not the name of a header"))
            .hinted("a name consists of letters, digits and hyphens"));
    }
    Ok(text.to_owned())
}
