//! What servers ask of clients, and what clients answer: every form on the wire, and what is refused.

use std::fmt::Debug;

use plainly_protocol::types::{
    BooleanField, Choice, ChoiceField, ChoicesField, CreateMessageParams, CreateMessageResult,
    ElicitAction, ElicitFormParams, ElicitParams, ElicitResult, ElicitUrlParams,
    ElicitationCompleteParams, Field, FormSchema, InputRequest, InputRequiredResult,
    InputResponseParams, InputResponses, JsonObject, ListRootsResult, ModelPreferences,
    NumberField, RawJson, Root, SamplingContent, SamplingMessage, TextField, TextFormat,
};
use serde::Deserialize;
use serde_json::json;

use crate::again;

type Again = fn(&str) -> serde_json::Result<String>;

#[rustfmt::skip]
const WIRE: &[(Again, &str)] = &[
    (again::<Field>, r#"{"type":"string","title":"t","description":"d","minLength":1,"maxLength":2,"format":"date-time","default":"x"}"#),
    (again::<Field>, r#"{"type":"integer","title":"t","description":"d","minimum":1,"maximum":2,"default":3}"#),
    (again::<Field>, r#"{"type":"number","minimum":0.5,"default":95.5}"#),
    (again::<Field>, r#"{"type":"boolean","title":"t","description":"d","default":false}"#),
    (again::<Field>, r#"{"type":"string","title":"t","description":"d","enum":["a","b"],"default":"a"}"#),
    (again::<Field>, r#"{"type":"string","enum":["a","b"],"enumNames":["A","B"]}"#),
    (again::<Field>, r#"{"type":"string","oneOf":[{"const":"a","title":"A"}],"default":"a"}"#),
    (again::<Field>, r#"{"type":"array","title":"t","description":"d","minItems":1,"maxItems":2,"items":{"type":"string","enum":["a"]},"default":["a"]}"#),
    (again::<Field>, r#"{"type":"array","items":{"anyOf":[{"const":"a","title":"A"}]},"default":[]}"#),
    (again::<FormSchema>, r#"{"type":"object","$schema":"https://json-schema.org/draft/2020-12/schema","properties":{"z":{"type":"string"},"a":{"type":"boolean"}},"required":["a"]}"#),
    (again::<ElicitParams>, r#"{"mode":"form","message":"m","requestedSchema":{"type":"object","properties":{}}}"#),
    (again::<ElicitParams>, r#"{"message":"m","requestedSchema":{"type":"object","properties":{}}}"#),
    (again::<ElicitParams>, r#"{"mode":"url","message":"m","url":"https://a.example/","elicitationId":"i"}"#),
    (again::<ElicitationCompleteParams>, r#"{"elicitationId":"i"}"#),
    (again::<ElicitResult>, r#"{"action":"accept","content":{"a":[],"b":1.5},"_meta":{"x":1}}"#),
    (again::<ElicitResult>, r#"{"action":"decline"}"#),
    (again::<ElicitResult>, r#"{"action":"cancel"}"#),
    (again::<CreateMessageParams>, r#"{"messages":[],"modelPreferences":{},"systemPrompt":"s","includeContext":"thisServer","temperature":0.5,"maxTokens":1,"stopSequences":["x"],"metadata":{"a":1},"tools":[],"toolChoice":{"mode":"required"}}"#),
    (again::<ModelPreferences>, r#"{"hints":[{"name":"a"},{}],"costPriority":0.1,"speedPriority":0.2,"intelligencePriority":1.0}"#),
    (again::<SamplingMessage>, r#"{"role":"user","content":{"type":"text","text":"x"},"_meta":{"x":1}}"#),
    (again::<SamplingMessage>, r#"{"role":"user","content":[]}"#),
    (again::<SamplingMessage>, r#"{"role":"assistant","content":[{"type":"tool_use","id":"i","name":"n","input":{"a":1},"_meta":{}},{"type":"hologram","x":1}]}"#),
    (again::<SamplingContent>, r#"{"type":"tool_result","toolUseId":"i","content":[{"type":"text","text":"x"}],"structuredContent":[1],"isError":true,"_meta":{}}"#),
    (again::<SamplingContent>, r#"{"type":"image","data":"YWJj","mimeType":"image/png"}"#),
    (again::<SamplingContent>, r#"{"type":"audio","data":"YWJj","mimeType":"audio/wav"}"#),
    (again::<CreateMessageResult>, r#"{"role":"assistant","content":{"type":"text","text":"x"},"model":"m","stopReason":"endTurn","_meta":{"x":1}}"#),
    (again::<ListRootsResult>, r#"{"roots":[{"uri":"file:///a","name":"a","_meta":{"x":1}}],"_meta":{"x":1}}"#),
    (again::<InputRequest>, r#"{"method":"roots/list"}"#),
    (again::<InputRequest>, r#"{"method":"roots/list","params":{"_meta":{"x":1}}}"#),
    (again::<InputRequest>, r#"{"method":"sampling/createMessage","params":{"messages":[],"maxTokens":1}}"#),
    (again::<InputRequest>, r#"{"method":"elicitation/create","params":{"mode":"url","message":"m","url":"a:b"}}"#),
    (again::<InputRequiredResult>, r#"{"inputRequests":{"a":{"method":"roots/list"}},"requestState":"s","_meta":{"x":1}}"#),
    (again::<InputRequiredResult>, r#"{"requestState":"s"}"#),
    (again::<InputResponseParams>, r#"{"inputResponses":{"a":12345,"b":{"z":1,"a":2}},"requestState":"s"}"#),
    (again::<InputResponseParams>, "{}"),
];

#[test]
fn everything_comes_back() {
    for (again, text) in WIRE {
        let actual = again(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(&actual, text);
    }
}

/// Reads `text` as a `T`, which must fail with a message that contains `expected`.
fn refuse<T: for<'de> Deserialize<'de> + Debug>(text: &str, expected: &str) {
    let error = match serde_json::from_str::<T>(text) {
        Ok(value) => panic!("{text} was read as {value:?}"),
        Err(error) => error.to_string(),
    };
    assert!(error.contains(expected), "{text}: {error}");
}

#[test]
fn what_is_no_question_and_no_answer_is_refused() {
    refuse::<Field>(r#"{"type":"object"}"#, "unknown variant `object`");
    refuse::<Field>(r#"{"type":"array"}"#, "missing field `enum` or `anyOf`");
    refuse::<Field>(
        r#"{"type":"array","items":{}}"#,
        "missing field `enum` or `anyOf`",
    );
    refuse::<Field>(r#"{"type":"string","enum":[1]}"#, "expected a string");
    refuse::<Field>(
        r#"{"type":"string","type":"string"}"#,
        "duplicate field `type`",
    );
    refuse::<FormSchema>(
        r#"{"type":"object","properties":{"a":{"type":"string"},"a":{"type":"string"}}}"#,
        "duplicate field `a`",
    );
    refuse::<ElicitParams>(
        r#"{"mode":"dream","message":"m","requestedSchema":{"type":"object","properties":{}}}"#,
        "unknown variant `dream`",
    );
    refuse::<ElicitParams>(r#"{"mode":"url","message":"m"}"#, "missing field `url`");
    refuse::<ElicitResult>("12345", "invalid type");
    refuse::<ElicitResult>(r#"{"action":"yes"}"#, "unknown variant `yes`");
    refuse::<ElicitResult>(
        r#"{"action":"accept","content":[]}"#,
        "expected a JSON object",
    );
    refuse::<CreateMessageResult>(r#"{"action":"accept"}"#, "missing field `role`");
    refuse::<ListRootsResult>("{}", "missing field `roots`");
    refuse::<InputRequest>(r#"{"method":"tools/call"}"#, "`tools/call` can't be asked");
    refuse::<InputRequest>(
        r#"{"method":"elicitation/create"}"#,
        "missing field `message`",
    );
    refuse::<InputResponses>(r#"{"a":1,"a":2}"#, "duplicate field `a`");
    refuse::<InputResponses>("[]", "expected an object of answers");
    refuse::<InputResponseParams>(r#"{"requestState":1}"#, "expected a string");
}

#[test]
fn fields_keep_the_order_in_which_they_are_asked() {
    let form = ElicitFormParams::new("m")
        .field("z", TextField::new().format(TextFormat::Email))
        .optional("a", NumberField::new().minimum(0.5).maximum(3))
        .field("m", BooleanField::new())
        .optional("z", TextField::new());
    let names: Vec<_> = form
        .requested_schema
        .properties
        .iter()
        .map(|(name, _)| name)
        .collect();
    assert_eq!(names, ["z", "a", "m"]);
    assert_eq!(form.requested_schema.required, ["m"]);
    let number = form.requested_schema.properties.get("a");
    let number = serde_json::to_string(&number).unwrap();
    assert_eq!(number, r#"{"type":"number","minimum":0.5,"maximum":3}"#);
    let endless = NumberField::new().minimum(f64::INFINITY).maximum(f64::NAN);
    let expected = r#"{"type":"number"}"#;
    assert_eq!(serde_json::to_string(&endless).unwrap(), expected);
}

#[test]
fn one_title_makes_all_choices_titled() {
    let plain = ChoiceField::new(["a", "b"]);
    let expected = json!(["a", "b"]);
    assert_eq!(serde_json::to_value(&plain).unwrap()["enum"], expected);
    let mixed = [Choice::from("a"), Choice::new("b", "B")];
    let titled = json!([{"const": "a", "title": "a"}, {"const": "b", "title": "B"}]);
    let one = ChoiceField::new(mixed.clone());
    assert_eq!(serde_json::to_value(&one).unwrap()["oneOf"], titled);
    let several = ChoicesField::new(mixed);
    assert_eq!(
        serde_json::to_value(&several).unwrap()["items"]["anyOf"],
        titled
    );
}

#[test]
fn names_of_an_enum_are_titles() {
    let read = |text| serde_json::from_str::<ChoiceField>(text).unwrap().choices;
    let named = read(r#"{"type":"string","enum":["a","b"],"enumNames":["A"]}"#);
    assert_eq!(named, [Choice::new("a", "A"), Choice::from("b")]);
    let too_many = read(r#"{"type":"string","enum":["a"],"enumNames":["A","B"]}"#);
    assert_eq!(too_many, [Choice::new("a", "A")]);
}

#[derive(Debug, PartialEq, Deserialize)]
struct Order {
    name: String,
    #[serde(default)]
    copies: u32,
}

#[test]
fn an_accepted_answer_has_the_type_of_the_author() {
    let content = JsonObject::from_iter([("name", json!("x")), ("copies", json!(3))]);
    let order = ElicitResult::accept(content).accepted::<Order>().unwrap();
    assert_eq!(
        order,
        Some(Order {
            name: "x".to_owned(),
            copies: 3
        })
    );
    for action in [ElicitAction::Decline, ElicitAction::Cancel] {
        let answer = ElicitResult::new(action);
        assert!(!answer.is_accepted());
        assert_eq!(answer.accepted::<Order>().unwrap(), None);
    }
    let wrong = ElicitResult::accept(JsonObject::from_iter([("name", json!(1))]));
    assert!(
        wrong
            .accepted::<Order>()
            .unwrap_err()
            .to_string()
            .contains("expected a string")
    );
    let empty = ElicitResult::new(ElicitAction::Accept);
    let missing = empty.accepted::<Order>().unwrap_err().to_string();
    assert!(missing.contains("missing field `name`"), "{missing}");
}

#[test]
fn answers_are_read_by_key_as_what_was_asked() {
    let answers: InputResponses =
        serde_json::from_str(r#"{"a":{"roots":[{"uri":"file:///a"}]},"b":12345}"#).unwrap();
    let roots = answers.read::<ListRootsResult>("a").unwrap();
    assert_eq!(roots, Some(ListRootsResult::new([Root::new("file:///a")])));
    assert!(answers.read::<ListRootsResult>("b").is_err());
    assert_eq!(answers.read::<ListRootsResult>("c").unwrap(), None);
    let mut more = InputResponses::new();
    more.insert("a", RawJson::parse("1").unwrap());
    assert_eq!(more.len(), 1);
}

#[test]
fn questions_of_all_kinds_go_together() {
    let asked = InputRequiredResult::new([
        (
            "visit",
            InputRequest::from(ElicitUrlParams::new("https://a.example/", "m")),
        ),
        ("form", ElicitFormParams::new("m").into()),
    ]);
    let asked = serde_json::to_value(asked.request_state("s")).unwrap();
    assert_eq!(asked["inputRequests"]["visit"]["params"]["mode"], "url");
    assert_eq!(asked["inputRequests"]["form"]["params"]["mode"], "form");
    assert_eq!(asked["requestState"], "s");
}
