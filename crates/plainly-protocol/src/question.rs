//! The questions that a server can ask its client: the capabilities that the client must declare,
//! how to ask in older revisions, and how to read their answers. The transport of questions is
//! handled elsewhere.

use plainly_errors::Revision;
use plainly_errors::revision::{Forms, UrlMode};
use serde_json::{Map, Value, json};

use crate::peer::Peer;
use crate::shape::Shape;
use crate::types::{
    BooleanField, Choice, ChoiceStyle, ChoicesField, ElicitFormParams, ElicitParams, ElicitResult,
    Field, FormSchema, IncludeContext, InputRequest, JsonObject, SamplingMessage,
};

/// The capabilities that `question` needs and `peer` has not declared, in the form of a
/// declaration; `None` if all are declared. A capability that the peer's revision does not have
/// counts as not declared, whatever the peer says.
#[must_use]
pub fn undeclared(question: &InputRequest, peer: &Peer) -> Option<Map<String, Value>> {
    let traits = peer.revision.traits();
    let elicitation = peer.capabilities.elicitation.as_ref();
    let sampling = peer.capabilities.sampling.as_ref();
    let (name, needs): (_, &[(&str, bool)]) = match question {
        InputRequest::Elicit(ElicitParams::Form(_)) => {
            let has_forms = match traits.forms {
                Forms::None => false,
                Forms::Simple | Forms::Full => true,
            };
            let form = has_forms && elicitation.is_some_and(|declared| declared.offers_form());
            ("elicitation", &[("form", form)])
        }
        InputRequest::Elicit(ElicitParams::Url(_)) => {
            let has_visits = match traits.url_mode {
                UrlMode::None => false,
                UrlMode::Error | UrlMode::Result => true,
            };
            let url = has_visits && elicitation.is_some_and(|declared| declared.offers_url());
            ("elicitation", &[("url", url)])
        }
        InputRequest::CreateMessage(params) => {
            // A peer can't use tools in a revision without them, whatever it declares. Context
            // needs no capability, because older revisions have none for it.
            let uses_tools = params.tools.is_some() || params.tool_choice.is_some();
            let has_tools = traits.sampling_with_tools;
            let tools = has_tools && sampling.is_some_and(|declared| declared.tools.is_some());
            let uses_context =
                has_tools && !matches!(params.include_context, None | Some(IncludeContext::None));
            let context = sampling.is_some_and(|declared| declared.context.is_some());
            let needs = &[
                ("", sampling.is_some()),
                ("tools", tools || !uses_tools),
                ("context", context || !uses_context),
            ];
            return required("sampling", needs);
        }
        InputRequest::ListRoots(_) => ("roots", &[("", peer.capabilities.roots.is_some())]),
    };
    required(name, needs)
}

/// All parts of the capability that are not declared. The empty name stands for the capability
/// itself.
fn required(capability: &str, needs: &[(&str, bool)]) -> Option<Map<String, Value>> {
    let mut missing = needs.iter().filter(|(_, is_there)| !is_there).peekable();
    missing.peek()?;
    let parts = missing.filter(|(part, _)| !part.is_empty());
    let parts: Map<String, Value> = parts
        .map(|(part, _)| ((*part).to_owned(), json!({})))
        .collect();
    Some(Map::from_iter([(capability.to_owned(), parts.into())]))
}

/// The question in the form that `revision` allows.
///
/// Before 2025-11-25, a choice of several items is asked as one yes-or-no question for each item,
/// the titles of choices are a separate list, only yes-or-no questions have a default, and each
/// block of sampling is a separate message.
#[must_use]
pub fn asked(question: InputRequest, revision: Revision) -> InputRequest {
    let traits = revision.traits();
    match question {
        InputRequest::Elicit(ElicitParams::Form(form)) => match traits.forms {
            Forms::None | Forms::Simple => simple_form(&form).into(),
            Forms::Full => form.into(),
        },
        InputRequest::Elicit(ElicitParams::Url(mut visit)) => {
            match traits.url_mode {
                // A notification refers to the visit by this id when it is over.
                UrlMode::Error => {}
                UrlMode::None | UrlMode::Result => visit.elicitation_id = None,
            }
            visit.into()
        }
        InputRequest::CreateMessage(mut params) => {
            params.shape(revision);
            if !traits.sampling_with_tools {
                params.messages = params.messages.into_iter().flat_map(one_by_one).collect();
            }
            params.into()
        }
        roots @ InputRequest::ListRoots(_) => roots,
    }
}

/// The answer to `form` as the newest revision would give it, made from an answer in `revision`.
#[must_use]
pub fn answered(form: &FormSchema, mut answer: ElicitResult, revision: Revision) -> ElicitResult {
    let Some(content) = &mut answer.content else {
        return answer;
    };
    match revision.traits().forms {
        Forms::Full => {}
        Forms::None | Forms::Simple => {
            for (name, field) in form.properties.iter() {
                if let Field::Choices(choices) = field {
                    let chosen = chosen(name, choices, content);
                    // A client that nevertheless answers with a list, as newer revisions do, is
                    // believed.
                    content.entry(name).or_insert(chosen);
                }
            }
        }
    }
    answer
}

fn simple_form(form: &ElicitFormParams) -> ElicitFormParams {
    let mut simple = ElicitFormParams::new(&form.message);
    // A revision without other modes has no name for this one.
    simple.mode = None;
    let schema = &form.requested_schema;
    for (name, field) in schema.properties.iter() {
        let is_required = schema.required.iter().any(|required| required == name);
        let fields = &mut simple.requested_schema;
        if let Field::Choices(choices) = field {
            for choice in &choices.choices {
                let yes = Field::Boolean(yes_or_no(name, choices, choice));
                fields.properties.insert(member(name, choice), yes);
            }
        } else {
            fields.properties.insert(name, simple_field(field.clone()));
            fields.required.extend(is_required.then(|| name.to_owned()));
        }
    }
    simple
}

fn simple_field(mut field: Field) -> Field {
    match &mut field {
        Field::Text(text) => text.default = None,
        Field::Number(number) => number.default = None,
        Field::Choice(choice) => {
            choice.style = ChoiceStyle::EnumNames;
            choice.default = None;
        }
        Field::Boolean(_) | Field::Choices(_) => {}
    }
    field
}

/// A yes-or-no question for one of several choices.
fn yes_or_no(name: &str, choices: &ChoicesField, choice: &Choice) -> BooleanField {
    let of = choices.title.as_deref().unwrap_or(name);
    let title = choice.title.as_ref().unwrap_or(&choice.value);
    let mut field = BooleanField::new().title(format!("{of}: {title}"));
    field.description.clone_from(&choices.description);
    let default = choices.default.as_ref();
    field.default = default.map(|values| values.contains(&choice.value));
    field
}

/// The name of that question in the form.
fn member(name: &str, choice: &Choice) -> String {
    format!("{name}.{}", choice.value)
}

/// The choices that the user accepted.
fn chosen(name: &str, choices: &ChoicesField, content: &mut JsonObject) -> Value {
    let mut is_chosen = |choice: &&Choice| {
        let answer = content.remove(&member(name, choice));
        answer == Some(Value::Bool(true))
    };
    let chosen = choices.choices.iter().filter(|choice| is_chosen(choice));
    chosen.map(|choice| json!(choice.value)).collect()
}

/// A message for each block.
fn one_by_one(message: SamplingMessage) -> impl Iterator<Item = SamplingMessage> {
    let SamplingMessage { role, content, .. } = message;
    content
        .into_iter()
        .map(move |block| SamplingMessage::new(role, [block]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::{
        ChoiceField, ClientCapabilities, CreateMessageParams, ElicitUrlParams,
        ElicitationCapability, ListCapability, ListRootsParams, NumberField, RawJson, Role,
        SamplingCapability, SamplingContent, TextField, Tool,
    };

    fn peer(revision: Revision, capabilities: Value) -> Peer {
        Peer::new(
            revision,
            serde_json::from_value(capabilities).unwrap(),
            None,
        )
    }

    fn tool() -> Tool {
        Tool::new("a", RawJson::parse(r#"{"type":"object"}"#).unwrap())
    }

    #[test]
    fn what_is_missing_is_exactly_what_is_needed_and_not_declared() {
        use Revision::{V2024_11_05, V2025_03_26, V2025_06_18, V2025_11_25, V2026_07_28};
        let form = || InputRequest::from(ElicitFormParams::new("?"));
        let visit = || InputRequest::from(ElicitUrlParams::new("https://a.example/", "?"));
        let sample = || CreateMessageParams::new([SamplingMessage::user("?")], 1);
        let tools = || InputRequest::from(sample().tools([tool()]));
        let context = || InputRequest::from(sample().include_context(IncludeContext::AllServers));
        let alone = || InputRequest::from(sample().include_context(IncludeContext::None));
        let roots = || InputRequest::from(ListRootsParams::new());
        let form_needed = json!({"elicitation": {"form": {}}});
        let url_needed = json!({"elicitation": {"url": {}}});
        #[rustfmt::skip]
        let cases = [
            (form(), V2026_07_28, json!({}), Some(&form_needed)),
            (form(), V2026_07_28, json!({"elicitation": {}}), None),
            (form(), V2025_06_18, json!({"elicitation": {}}), None),
            (form(), V2025_03_26, json!({"elicitation": {}}), Some(&form_needed)),
            (form(), V2025_11_25, json!({"elicitation": {"url": {}}}), Some(&form_needed)),
            (visit(), V2026_07_28, json!({"elicitation": {}}), Some(&url_needed)),
            (visit(), V2026_07_28, json!({"elicitation": {"url": {}}}), None),
            (visit(), V2025_06_18, json!({"elicitation": {"url": {}}}), Some(&url_needed)),
            (alone(), V2024_11_05, json!({"sampling": {}}), None),
            (alone(), V2026_07_28, json!({}), Some(&json!({"sampling": {}}))),
            (tools(), V2026_07_28, json!({}), Some(&json!({"sampling": {"tools": {}}}))),
            (tools(), V2025_11_25, json!({"sampling": {}}), Some(&json!({"sampling": {"tools": {}}}))),
            (tools(), V2025_11_25, json!({"sampling": {"tools": {}}}), None),
            (tools(), V2025_06_18, json!({"sampling": {"tools": {}}}), Some(&json!({"sampling": {"tools": {}}}))),
            (context(), V2025_11_25, json!({"sampling": {"tools": {}}}), Some(&json!({"sampling": {"context": {}}}))),
            (context(), V2025_06_18, json!({"sampling": {}}), None),
            (roots(), V2024_11_05, json!({"roots": {"listChanged": true}}), None),
            (roots(), V2026_07_28, json!({}), Some(&json!({"roots": {}}))),
        ];
        for (question, revision, capabilities, expected) in cases {
            let missing = undeclared(&question, &peer(revision, capabilities.clone()));
            let missing = missing.map(Value::Object);
            assert_eq!(
                missing.as_ref(),
                expected,
                "{revision} {capabilities} {question:?}"
            );
        }
    }

    #[test]
    fn capabilities_are_those_of_the_types() {
        let all = ClientCapabilities::new()
            .roots(ListCapability::new())
            .sampling(SamplingCapability::new())
            .elicitation(ElicitationCapability::new());
        let all = Peer::new(Revision::V2026_07_28, all, None);
        assert_eq!(undeclared(&ElicitFormParams::new("?").into(), &all), None);
        assert_eq!(undeclared(&ListRootsParams::new().into(), &all), None);
    }

    fn form() -> ElicitFormParams {
        ElicitFormParams::new("Which?")
            .field("name", TextField::new().default_value("x"))
            .optional("age", NumberField::integer().default_value(3))
            .field(
                "one",
                ChoiceField::new([("a", "A"), ("b", "B")]).default_value("a"),
            )
            .field(
                "some",
                ChoicesField::new([("a", "A"), ("b", "B")])
                    .title("Some")
                    .default_values(["b"]),
            )
    }

    #[test]
    fn an_older_form_asks_for_the_same_in_its_own_way() {
        let older = asked(form().into(), Revision::V2025_06_18);
        let expected = json!({
            "method": "elicitation/create",
            "params": {
                "message": "Which?",
                "requestedSchema": {
                    "type": "object",
                    "properties": {
                        "name": {"type": "string"},
                        "age": {"type": "integer"},
                        "one": {"type": "string", "enum": ["a", "b"], "enumNames": ["A", "B"]},
                        "some.a": {"type": "boolean", "title": "Some: A", "default": false},
                        "some.b": {"type": "boolean", "title": "Some: B", "default": true},
                    },
                    "required": ["name", "one"],
                },
            },
        });
        assert_eq!(serde_json::to_value(older).unwrap(), expected);
        for revision in [Revision::V2025_11_25, Revision::V2026_07_28] {
            assert_eq!(asked(form().into(), revision), form().into());
        }
    }

    #[test]
    fn the_answer_to_an_older_form_reads_as_that_to_a_newer_one() {
        let read = |content: Value, revision| {
            let answer = json!({"action": "accept", "content": content});
            let answer: ElicitResult = serde_json::from_value(answer).unwrap();
            let answer = answered(&form().requested_schema, answer, revision);
            answer
                .content
                .map(|content| serde_json::to_value(content).unwrap())
        };
        let older = json!({"name": "n", "one": "a", "some.a": false, "some.b": true});
        let newer = json!({"name": "n", "one": "a", "some": ["b"]});
        assert_eq!(read(older, Revision::V2025_06_18), Some(newer.clone()));
        // An answer in the form of a newer revision is kept as it is.
        assert_eq!(read(newer.clone(), Revision::V2025_06_18), Some(newer));
        let same = json!({"some.a": true});
        assert_eq!(read(same.clone(), Revision::V2025_11_25), Some(same));
        let no = ElicitResult::new(crate::types::ElicitAction::Decline);
        let read = answered(&form().requested_schema, no.clone(), Revision::V2025_06_18);
        assert_eq!(read, no);
    }

    #[test]
    fn a_visit_has_an_id_in_one_revision() {
        let visit = ElicitUrlParams::new("https://a.example/", "?").elicitation_id("v");
        for revision in Revision::ALL {
            let InputRequest::Elicit(ElicitParams::Url(asked)) =
                asked(visit.clone().into(), revision)
            else {
                panic!("{revision}");
            };
            let has_id = revision == Revision::V2025_11_25;
            assert_eq!(asked.elicitation_id.is_some(), has_id, "{revision}");
        }
    }

    #[test]
    fn older_sampling_has_one_block_in_a_message() {
        let blocks = [SamplingContent::text("a"), SamplingContent::text("b")];
        let params = CreateMessageParams::new([SamplingMessage::new(Role::User, blocks)], 1);
        let expected =
            CreateMessageParams::new([SamplingMessage::user("a"), SamplingMessage::user("b")], 1);
        let older = asked(params.clone().into(), Revision::V2025_06_18);
        assert_eq!(older, expected.into());
        let newer = asked(params.clone().into(), Revision::V2025_11_25);
        assert_eq!(newer, params.into());
    }
}
