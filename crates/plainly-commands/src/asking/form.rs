//! A form, which asks the user at the terminal field by field. The user sees the answer before it
//! is sent, and can decline at any time.

use anstyle::{AnsiColor, Style};
use plainly::protocol::types::{
    ElicitAction, ElicitFormParams, ElicitResult, FormSchema, JsonObject,
};
use serde_json::Value;

use super::field::NamedField;
use super::person::{Person, agrees};
use super::shown::{self, short, told};

pub(super) const BOLD: Style = Style::new().bold();
pub(super) const WARNING: Style = AnsiColor::Yellow.on_default().bold();

/// The most fields that a user is asked for.
const MOST_FIELDS: usize = 100;
/// The most fields of a form that are named in an error.
const NAMED: usize = 20;

/// The fields of a form, in their order.
pub(super) fn fields(schema: &FormSchema) -> impl Iterator<Item = NamedField<'_>> {
    let fields = schema.properties.iter();
    fields.map(|(name, field)| NamedField {
        name,
        field,
        is_required: schema.required.iter().any(|required| required == name),
    })
}

/// All fields of a form in one line.
pub(super) fn named(schema: &FormSchema) -> String {
    let mut names: Vec<_> = fields(schema)
        .take(NAMED)
        .map(|field| field.named())
        .collect();
    if schema.properties.len() > NAMED {
        names.push("…".to_owned());
    }
    names.join(", ")
}

/// Lets `person` fill in the form of the server called `who`.
pub(super) async fn fill(
    person: &mut impl Person,
    who: &str,
    form: &ElicitFormParams,
) -> ElicitResult {
    let schema = &form.requested_schema;
    person.say(&format!(
        "{BOLD}{who}{BOLD:#} asks:\n{}",
        told(&form.message)
    ));
    let count = schema.properties.len();
    if count > MOST_FIELDS {
        person.say(&format!(
            "Declined: the form has {count} fields, and the limit is {MOST_FIELDS}."
        ));
        return ElicitResult::decline();
    }
    person.say("Type decline to refuse, or cancel to leave it unanswered.");
    match filled(person, who, schema).await {
        Ok(content) => ElicitResult::accept(content),
        Err(action) => ElicitResult::new(action),
    }
}

/// Asks until the user agrees to send the filled form.
async fn filled(
    person: &mut impl Person,
    who: &str,
    schema: &FormSchema,
) -> Result<JsonObject, ElicitAction> {
    let mut presets = schema.defaults();
    loop {
        let mut content = JsonObject::new();
        for field in fields(schema) {
            let preset = presets.get(field.name);
            if let Some(value) = asked(person, field, preset).await? {
                content.insert(field.name.to_owned(), value);
            }
        }
        person.say(&format!("\nThis will be sent to {who}:"));
        person.say(&summary(schema, &content));
        match confirmed(person).await? {
            true => return Ok(content),
            // The form is asked again, with the values that are already filled in.
            false => presets = content,
        }
    }
}

fn summary(schema: &FormSchema, content: &JsonObject) -> String {
    let lines = fields(schema).filter_map(|field| {
        let value = content.get(field.name)?;
        Some(format!("  {}: {}", short(field.name), shown::value(value)))
    });
    let lines: Vec<_> = lines.collect();
    match lines.is_empty() {
        true => "  that you accept, and nothing else".to_owned(),
        false => lines.join("\n"),
    }
}

/// Whether to send the form; `false` means to change it.
async fn confirmed(person: &mut impl Person) -> Result<bool, ElicitAction> {
    loop {
        let answer = person
            .ask("Send it? [yes, or: edit, decline, cancel] ")
            .await;
        match answer
            .ok_or(ElicitAction::Cancel)?
            .trim()
            .to_lowercase()
            .as_str()
        {
            "y" | "yes" | "" => return Ok(true),
            "e" | "edit" => return Ok(false),
            "n" | "no" | "d" | "decline" => return Err(ElicitAction::Decline),
            "c" | "cancel" => return Err(ElicitAction::Cancel),
            _ => person.say("Please type yes, edit, decline or cancel."),
        }
    }
}

/// The value of one field; `None` if the user leaves it out.
async fn asked(
    person: &mut impl Person,
    field: NamedField<'_>,
    preset: Option<&Value>,
) -> Result<Option<Value>, ElicitAction> {
    introduce(person, field, preset);
    loop {
        let answer = person.ask("> ").await.ok_or(ElicitAction::Cancel)?;
        let answer = answer.trim();
        let read = match (answer, preset) {
            ("", Some(preset)) => field.check(preset).map(|()| preset.clone()),
            ("", None) if field.is_required => Err("it must be filled in".to_owned()),
            ("", None) => return Ok(None),
            _ => field.read(answer),
        };
        if let Some(way_out) = WayOut::named(answer, field)
            && (read.is_err() || way_out.is_meant(person, answer).await)
        {
            return way_out.taken();
        }
        match read {
            Ok(value) => return Ok(Some(value)),
            Err(why) => person.say(&format!("Invalid value: {why}")),
        }
    }
}

fn introduce(person: &mut impl Person, field: NamedField<'_>, preset: Option<&Value>) {
    person.say(&format!("\n{BOLD}{}{BOLD:#}", field.head()));
    if let Some(description) = field.description() {
        person.say(&told(description));
    }
    if field.looks_secret() {
        person.say(&format!(
            "{WARNING}warning:{WARNING:#} this looks like a secret, and servers must not ask for one by a form: decline unless you \
             are sure"
        ));
    }
    if let Some(choices) = field.listed() {
        person.say(&choices);
    }
    match preset {
        Some(preset) if field.is_required => {
            person.say(&format!("Enter takes \"{}\"", field.shown(preset)));
        }
        Some(preset) => {
            let preset = field.shown(preset);
            person.say(&format!("Enter takes \"{preset}\"; \"skip\" leaves it out"));
        }
        None if !field.is_required => person.say("Enter leaves it out"),
        None => {}
    }
}

/// A word that answers the question as a whole, not a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum WayOut {
    Decline,
    Cancel,
    Skip,
}

impl WayOut {
    fn named(word: &str, field: NamedField<'_>) -> Option<Self> {
        match word {
            "decline" => Some(Self::Decline),
            "cancel" => Some(Self::Cancel),
            "skip" if !field.is_required => Some(Self::Skip),
            _ => None,
        }
    }

    /// Asks whether the user means the word as such, if it could be the answer to a field.
    async fn is_meant(self, person: &mut impl Person, word: &str) -> bool {
        let question = format!("Is {word} what you fill in here? [y/N] ");
        agrees(person, &question, Some(false)).await != Some(true)
    }

    fn taken(self) -> Result<Option<Value>, ElicitAction> {
        match self {
            Self::Decline => Err(ElicitAction::Decline),
            Self::Cancel => Err(ElicitAction::Cancel),
            Self::Skip => Ok(None),
        }
    }
}

#[cfg(test)]
mod tests {
    use plainly::protocol::types::{BooleanField, ChoiceField, NumberField, TextField};
    use serde_json::json;

    use super::super::person::Script;
    use super::*;

    fn form() -> ElicitFormParams {
        ElicitFormParams::new("Where\u{1b}[2J to?")
            .field(
                "name",
                TextField::new().title("Your name").min_length(2_u64),
            )
            .field(
                "way",
                ChoiceField::new([("a", "By air"), ("s", "By sea")]).default_value("s"),
            )
            .optional("copies", NumberField::integer().minimum(1).default_value(1))
            .optional("insured", BooleanField::new())
    }

    async fn answered(form: &ElicitFormParams, answers: &[&str]) -> (ElicitResult, String) {
        let mut script = Script::new(answers);
        let result = fill(&mut script, "post (node)", form).await;
        assert!(script.answers.is_empty(), "{:?}", script.answers);
        (result, script.heard)
    }

    #[tokio::test]
    async fn a_form_is_asked_field_by_field_until_it_fits() {
        let answers = ["", "A", "Ada", "", "0", "3", "maybe", "y", ""];
        let (result, heard) = answered(&form(), &answers).await;
        let content = json!({ "name": "Ada", "way": "s", "copies": 3, "insured": true });
        assert_eq!(serde_json::to_value(result.content).unwrap(), content);
        for part in [
            "post (node) asks:\n  | Where\\u{1b}[2J to?\n",
            "Your name (text, at least 2 characters, required)",
            "  1  By air\n  2  By sea\nEnter takes \"By sea\"\n",
            "copies (whole number, at least 1)\nEnter takes \"1\"; \"skip\" leaves it out\n",
            "insured (yes or no)\nEnter leaves it out\n",
            "This will be sent to post (node):\n  name: Ada\n  way: s\n  copies: 3\n  insured: yes\n",
        ] {
            assert!(heard.contains(part), "{part}\n{heard}");
        }
        assert_eq!(heard.matches("Invalid value: ").count(), 4, "{heard}");
    }

    #[tokio::test]
    async fn nothing_is_sent_by_whoever_refuses_or_goes() {
        for (answers, action) in [
            (&["decline", ""][..], ElicitAction::Decline),
            (&["Ada", "", "", "cancel"], ElicitAction::Cancel),
            (&["Ada", "", "", "", "no"], ElicitAction::Decline),
            (&["Ada"], ElicitAction::Cancel),
            (&[], ElicitAction::Cancel),
        ] {
            let (result, _) = answered(&form(), answers).await;
            assert_eq!(result, ElicitResult::new(action), "{answers:?}");
        }
    }

    #[tokio::test]
    async fn what_is_filled_in_can_be_changed_and_left_out() {
        let answers = [
            "Ada", "1", "skip", "", "edit", "cancel", "y", "", "2", "n", "y",
        ];
        let (result, _) = answered(&form(), &answers).await;
        let content = json!({ "name": "cancel", "way": "a", "copies": 2, "insured": false });
        assert_eq!(serde_json::to_value(result.content).unwrap(), content);
    }

    #[tokio::test]
    async fn a_secret_is_warned_about_and_a_form_without_end_is_declined() {
        let form = ElicitFormParams::new("Sign in").field("password", TextField::new());
        let (result, heard) = answered(&form, &["decline", ""]).await;
        assert_eq!(result, ElicitResult::decline());
        assert!(heard.contains("this looks like a secret"), "{heard}");
        let fields = (0..10_000).map(|number| (number.to_string(), BooleanField::new().into()));
        let mut form = ElicitFormParams::new("x".repeat(10 << 20));
        form.requested_schema.properties = fields.collect();
        let (result, heard) = answered(&form, &[]).await;
        assert_eq!(result, ElicitResult::decline());
        assert!(heard.len() < 10_000, "{}", heard.len());
    }
}
