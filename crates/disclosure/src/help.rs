//! The method `ai_help` (D-22, D-23, D-27).
use overt_documents::ai_help::{Format, Help, Section};
use overt_documents::{Description, ServerLocation, document};
use overt_policy::word::StringEnum;
use overt_wire::ErrorObject;
use overt_wire::json::{JsonBuf, Member, Object};

/// The requested section and format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct HelpRequest {
    format: Format,
    section: Option<Section>,
}

impl HelpRequest {
    /// Reads the parameters. Unknown values are errors that name the valid ones.
    pub(super) fn read(params: Member<'_>) -> Result<Self, ErrorObject> {
        let format = match params.get("format") {
            Member::Absent | Member::Null => Format::Markdown,
            member => member.string().and_then(|word| Format::parse(&word)).ok_or_else(|| {
                ErrorObject::invalid_params(format!("`format` must be {}", Format::choices()))
            })?,
        };
        let section = match params.get("section") {
            Member::Absent | Member::Null => None,
            member => Some(member.string().and_then(|name| Section::named(&name)).ok_or_else(|| {
                let message = format!("`section` must be {}, or null for all", Section::choices());
                ErrorObject::invalid_params(message)
            })?),
        };
        Ok(Self { format, section })
    }
}

/// Returns the help, or one section of it.
pub(super) fn answer(
    wanted: HelpRequest,
    description: &Description,
    place: &ServerLocation,
) -> Result<Object, ErrorObject> {
    let help = Help::of(description, place);
    let Some(result) = help.result(wanted.format, wanted.section) else {
        let there: Vec<String> = help.sections().map(|section| format!("`{}`", section.as_str())).collect();
        let message =
            format!("this server has nothing to say in that `section`; it has {}", there.join(", "));
        return Err(ErrorObject::invalid_params(message));
    };
    // The server may have begun to disclose a secret after it was first checked.
    if document::secrets_in(&result, place).has_errors() {
        tracing::warn!("the help is withheld: the server says something that must not be published");
        return Err(ErrorObject::internal());
    }
    let result = JsonBuf::of(&result).map_err(|_| ErrorObject::internal())?;
    Ok(Object::new().members_of(result.as_json()))
}
