//! Headers from `--header` and `--header-env`.
use super::Env;
use crate::failure::Complaint;

/// A header option is wrong.
#[derive(Debug, thiserror::Error)]
pub(crate) enum HeaderError {
    #[error("`--header` has no colon")]
    Shape,
    #[error("`--header-env {0}` has no `=`")]
    EnvShape(String),
    #[error("`{0}` is not the name of a header")]
    Name(String),
    #[error("the environment variable `{variable}` for the header `{header}` is not set")]
    Unset { header: String, variable: String },
}

impl Complaint for HeaderError {
    fn hint(&self) -> Option<String> {
        Some(match self {
            Self::Shape => "write it as `--header 'NAME: VALUE'`".to_owned(),
            Self::EnvShape(_) => "write it as `--header-env NAME=VARIABLE`".to_owned(),
            Self::Name(_) => "a name consists of letters, digits and hyphens".to_owned(),
            Self::Unset { variable, .. } => format!("export it first: `export {variable}=…`"),
        })
    }
}

/// Returns the headers of both options, those with plain values first. The error never shows a
/// value.
pub(super) fn from_options(
    plain: &[String],
    from_env: &[String],
    env: &Env,
) -> Result<Vec<(String, String)>, HeaderError> {
    let mut headers = Vec::with_capacity(plain.len() + from_env.len());
    for text in plain {
        let (header, value) = text.split_once(':').ok_or(HeaderError::Shape)?;
        headers.push((name(header)?, value.trim().to_owned()));
    }
    for text in from_env {
        let (header, variable) = text.split_once('=').ok_or_else(|| HeaderError::EnvShape(text.clone()))?;
        let header = name(header)?;
        match env.get(variable) {
            Some(value) => headers.push((header, value.trim().to_owned())),
            None => return Err(HeaderError::Unset { header, variable: variable.to_owned() }),
        }
    }
    Ok(headers)
}

fn name(text: &str) -> Result<String, HeaderError> {
    let text = text.trim();
    let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    if text.is_empty() || !text.bytes().all(is_token) {
        return Err(HeaderError::Name(text.to_owned()));
    }
    Ok(text.to_owned())
}
