//! Tools that ask the user to fill in a form, with each kind of field there is.

use plainly::protocol::types::{
    BooleanField, Choice, ChoiceField, ChoiceStyle, ChoicesField, ElicitFormParams, NumberField,
    TextField,
};
use plainly::server::ServerBuilder;
use plainly::server::extract::Ask;
use plainly::{Failure, Tool};

pub(crate) fn add(server: ServerBuilder) -> ServerBuilder {
    server
        .tool(
            Tool::new("test_elicitation_sep1034_defaults", defaults)
                .description("Asks with a default in each field"),
        )
        .tool(
            Tool::new("test_elicitation_sep1330_enums", choices)
                .description("Asks for choices from lists"),
        )
}

async fn defaults(ask: Ask) -> Result<String, Failure> {
    let status = ChoiceField::new(["active", "inactive", "pending"]).default_value("active");
    let form = ElicitFormParams::new("Please review these values")
        .optional("name", TextField::new().default_value("John Doe"))
        .optional("age", NumberField::integer().default_value(30))
        .optional("score", NumberField::new().default_value(95.5))
        .optional("status", status)
        .optional("verified", BooleanField::new().default_value(true));
    let answer = ask.elicit("review", form).await?;
    Ok(format!(
        "Elicitation completed: {}",
        serde_json::to_string(&answer)?
    ))
}

async fn choices(ask: Ask) -> Result<String, Failure> {
    let plain = || ["option1", "option2", "option3"].map(Choice::from);
    let titled = || {
        [
            ("value1", "First Option"),
            ("value2", "Second Option"),
            ("value3", "Third Option"),
        ]
        .map(Choice::from)
    };
    let mut legacy = ChoiceField::new([
        ("opt1", "Option One"),
        ("opt2", "Option Two"),
        ("opt3", "Option Three"),
    ]);
    legacy.style = ChoiceStyle::EnumNames;
    let form = ElicitFormParams::new("Please choose")
        .optional("untitledSingle", ChoiceField::new(plain()))
        .optional("titledSingle", ChoiceField::new(titled()))
        .optional("legacyEnum", legacy)
        .optional("untitledMulti", ChoicesField::new(plain()))
        .optional("titledMulti", ChoicesField::new(titled()));
    let answer = ask.elicit("choices", form).await?;
    Ok(format!(
        "Elicitation completed: {}",
        serde_json::to_string(&answer)?
    ))
}
