//! Tools that ask the user to fill in a form, with every kind of field.

use plainly::protocol::types::{
    BooleanField, ChoiceField, ChoiceStyle, ChoicesField, ElicitFormParams, NumberField, TextField,
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
    let answer = serde_json::to_string(&ask.elicit("review", form).await?)?;
    Ok(format!("Elicitation completed: {answer}"))
}

const PLAIN: [&str; 3] = ["option1", "option2", "option3"];

const TITLED: [(&str, &str); 3] = [
    ("value1", "First Option"),
    ("value2", "Second Option"),
    ("value3", "Third Option"),
];

const OLDER: [(&str, &str); 3] = [
    ("opt1", "Option One"),
    ("opt2", "Option Two"),
    ("opt3", "Option Three"),
];

async fn choices(ask: Ask) -> Result<String, Failure> {
    // The older way to write titles, which the server otherwise uses for older clients alone.
    let mut older = ChoiceField::new(OLDER);
    older.style = ChoiceStyle::EnumNames;
    let form = ElicitFormParams::new("Please choose")
        .optional("untitledSingle", ChoiceField::new(PLAIN))
        .optional("titledSingle", ChoiceField::new(TITLED))
        .optional("legacyEnum", older)
        .optional("untitledMulti", ChoicesField::new(PLAIN))
        .optional("titledMulti", ChoicesField::new(TITLED));
    let answer = serde_json::to_string(&ask.elicit("choices", form).await?)?;
    Ok(format!("Elicitation completed: {answer}"))
}
