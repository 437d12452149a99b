//! The questions of servers and the answers of clients: every form on the wire, and invalid ones.

use std::fmt::Debug;

use plainly_protocol::types::{
    BooleanField, Choice, ChoiceField, ChoicesField, ElicitAction, ElicitFormParams, ElicitResult,
    ElicitUrlParams, InputRequest, InputRequiredResult, InputResponses, JsonObject,
    ListRootsResult, NumberField, RawJson, Root, TextField, TextFormat,
};
use serde::Deserialize;
use serde_json::json;

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
