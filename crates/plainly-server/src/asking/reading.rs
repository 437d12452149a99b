//! Parses the JSON of an answer as the type of its question. It does not know how the answer
//! arrived.

use plainly_errors::number::whole;
use plainly_errors::{Mistake, Revision};
use plainly_protocol::question::answered;
use plainly_protocol::types::{
    CreateMessageResult, ElicitFormParams, ElicitParams, ElicitResult, InputRequest,
    ListRootsResult, RawJson,
};
use plainly_schema::Schema;
use serde_json::json;

use crate::limits::Limits;
use crate::mistakes;

/// An answer to one of the three kinds of question.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum InputResponse {
    Elicited(ElicitResult),
    Said(CreateMessageResult),
    Roots(ListRootsResult),
}

/// The answer of a client of `revision` to `question`, or the mistakes that make it invalid.
pub(crate) fn read(
    question: &InputRequest,
    answer: &RawJson,
    revision: Revision,
) -> Result<InputResponse, Vec<Mistake>> {
    let unreadable = || mistakes::in_answer(question.method(), answer);
    let read = match question {
        InputRequest::Elicit(ElicitParams::Form(form)) => {
            let answer: ElicitResult = answer.decode().map_err(|_| unreadable())?;
            return filled_in(form, answered(&form.requested_schema, answer, revision));
        }
        InputRequest::CreateMessage(_) => answer.decode().map(InputResponse::Said),
        InputRequest::ListRoots(_) => answer.decode().map(InputResponse::Roots),
        // URL visits, and modes that don't exist yet.
        InputRequest::Elicit(_) | _ => answer.decode().map(InputResponse::Elicited),
    };
    read.map_err(|_| unreadable())
}

/// The answer, if its values match the form (Elicitation, "Form Mode Security").
fn filled_in(
    form: &ElicitFormParams,
    mut answer: ElicitResult,
) -> Result<InputResponse, Vec<Mistake>> {
    if answer.is_accepted() {
        let schema = json!(form.requested_schema);
        // The author wrote the form, so the client has no influence on its cost.
        let schema = Schema::new(schema, &Limits::default().schema());
        let schema =
            schema.map_err(|why| vec![Mistake::new("", format!("the form is invalid: {why}"))])?;
        let content = answer.content.get_or_insert_default();
        let mistakes = schema.failures_of(&json!(content));
        if !mistakes.is_empty() {
            let places = mistakes.into_iter();
            return Err(places.map(|mistake| mistake.under("content")).collect());
        }
        // As the handler reads them: `3.0` is an integer.
        for value in content.values_mut().filter(|value| value.is_f64()) {
            if let Some(whole) = value.as_f64().and_then(whole) {
                *value = whole.into();
            }
        }
    }
    Ok(InputResponse::Elicited(answer))
}

#[cfg(test)]
mod tests {
    use plainly_protocol::types::{
        ChoicesField, CreateMessageParams, ElicitUrlParams, ListRootsParams, SamplingMessage,
        TextField,
    };
    use serde_json::Value;

    use super::*;

    fn form() -> InputRequest {
        let form = ElicitFormParams::new("?").field("name", TextField::new().max_length(3));
        form.optional("some", ChoicesField::new(["a", "b"])).into()
    }

    fn read_json(
        question: &InputRequest,
        answer: &Value,
        revision: Revision,
    ) -> Result<InputResponse, Vec<Mistake>> {
        read(question, &RawJson::encode(answer).unwrap(), revision)
    }

    #[test]
    fn an_answer_is_one_to_its_question_or_none() {
        let visit = ElicitUrlParams::new("https://a.example/", "?").into();
        let sample = CreateMessageParams::new([SamplingMessage::user("?")], 1).into();
        let roots = ListRootsParams::new().into();
        let accept = |content: Value| json!({"action": "accept", "content": content});
        let said =
            json!({"role": "assistant", "content": {"type": "text", "text": "x"}, "model": "m"});
        let cases = [
            (form(), accept(json!({"name": "a"})), true),
            (
                form(),
                accept(json!({"name": "a", "some": ["b"], "else": 1})),
                true,
            ),
            (form(), accept(json!({"name": "abcd"})), false),
            (form(), accept(json!({"name": 1})), false),
            (form(), accept(json!({"name": "a", "some": ["c"]})), false),
            (form(), accept(json!({})), false),
            (form(), json!({"action": "accept"}), false),
            (
                form(),
                json!({"action": "decline", "content": {"name": 1}}),
                true,
            ),
            (form(), json!({"action": "cancel"}), true),
            (form(), json!({"action": "maybe"}), false),
            (form(), json!(12345), false),
            (form(), said.clone(), false),
            (
                InputRequest::clone(&visit),
                json!({"action": "accept"}),
                true,
            ),
            (visit, json!("accept"), false),
            (InputRequest::clone(&sample), said.clone(), true),
            (sample, json!({"action": "accept"}), false),
            (InputRequest::clone(&roots), json!({"roots": []}), true),
            (roots, said, false),
        ];
        for (question, answer, is_one) in cases {
            let read = read_json(&question, &answer, Revision::V2026_07_28);
            assert_eq!(read.is_ok(), is_one, "{answer}: {read:?}");
        }
    }

    #[test]
    fn what_an_older_client_was_asked_otherwise_is_read_as_it_was_meant() {
        let answer = json!({"action": "accept", "content": {"name": "a", "some.b": true}});
        let read = read_json(&form(), &answer, Revision::V2025_06_18).unwrap();
        let InputResponse::Elicited(read) = read else {
            panic!("{read:?}");
        };
        assert_eq!(json!(read.content), json!({"name": "a", "some": ["b"]}));
    }
}
