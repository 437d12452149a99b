//! A table of messages, with the kind of each and the id that an error carries.

use crate::table::cases;
use plainly_protocol::envelope::{
    Envelope, Limits, MalformedKind, MalformedMessage, Message, Outcome, parse,
};

use crate::table::rows;

/// Returns the kind of `bytes` in a few words. The id and the method are raw, so that their bytes
/// show.
pub(crate) fn verdict(bytes: impl AsRef<[u8]>) -> String {
    match parse(bytes.as_ref(), &Limits::default()) {
        Ok(Envelope::Single(message)) => of_message(&message),
        Ok(Envelope::Batch(messages)) => {
            let each = messages
                .iter()
                .map(|message| message.as_ref().map_or_else(of_malformed, of_message));
            format!("batch: {}", each.collect::<Vec<_>>().join("; "))
        }
        Err(malformed) => of_malformed(&malformed),
    }
}

fn of_message(message: &Message<'_>) -> String {
    match message {
        Message::Request(request) => format!("request {} {}", request.id.as_raw(), request.method),
        Message::Notification(notification) => format!("notification {}", notification.method),
        Message::Response(response) => {
            let id = response.id.map_or("without id", |id| id.as_raw());
            match response.outcome {
                Outcome::Result(raw) => format!("result {id} {raw}"),
                Outcome::Error(raw) => format!("error {id} {raw}"),
            }
        }
    }
}

fn of_malformed(malformed: &MalformedMessage<'_>) -> String {
    let kind = match malformed.kind {
        MalformedKind::Parse => "parse error",
        MalformedKind::InvalidRequest => "invalid request",
        MalformedKind::InvalidParams => "invalid params",
    };
    malformed
        .id
        .map_or(kind.into(), |id| format!("{kind} {}", id.as_raw()))
}

#[track_caller]
fn check(name: &str) {
    for [message, expected] in rows(include_str!("messages.txt"), name) {
        assert_eq!(verdict(message), expected, "{message}");
    }
}

#[test]
fn kinds_of_message() {
    check("kinds");
    let spaced = " \r\n\t{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"} \r\n";
    assert_eq!(verdict(spaced), "request 1 ping");
    let unusual = r#"{"jsonrpc":"2.0","id":1,"method":"a\u0000\nb"}"#;
    assert_eq!(verdict(unusual), "request 1 a\0\nb");
    let nameless = r#"{"jsonrpc":"2.0","id":1,"method":""}"#;
    assert_eq!(verdict(nameless), "request 1 ");
}

#[test]
fn what_is_json_but_no_message() {
    check("no messages");
}

#[test]
fn members_that_exclude_each_other() {
    check("members that exclude each other");
}

#[test]
fn params_by_position_are_invalid_params() {
    for params in ["[]", "[1]", "\"a\"", "7", "false"] {
        let request = format!(r#"{{"jsonrpc":"2.0","params":{params},"id":1,"method":"x"}}"#);
        assert_eq!(verdict(request), "invalid params 1");
        let notification = format!(r#"{{"jsonrpc":"2.0","method":"x","params":{params}}}"#);
        assert_eq!(verdict(notification), "invalid params");
    }
    let unknown = r#"{"jsonrpc":"2.0","id":1,"method":"x","paramſ":[]}"#;
    assert_eq!(verdict(unknown), "request 1 x");
}

#[test]
fn ids_come_back_byte_for_byte() {
    let ids = cases::<&str>(include_str!("messages.txt"), "ids");
    for id in ids {
        let message = format!(r#"{{"jsonrpc":"2.0","method":"x","id": {id} }}"#);
        assert_eq!(verdict(message), format!("request {id} x"));
    }
}

#[test]
fn what_is_no_id_is_not_answered_with() {
    let long = format!("\"{}\"", "a".repeat(1025));
    let ids = [
        "1.5",
        "1e-1",
        "1e300",
        "null",
        "true",
        "{}",
        "[]",
        "[1]",
        "18446744073709551615",
        "9223372036854775808",
        "1000000000000000000000000000000",
        &long,
    ];
    for id in ids {
        let message = format!(r#"{{"jsonrpc":"2.0","method":"x","id":{id}}}"#);
        assert_eq!(verdict(message), "invalid request", "{id}");
    }
}

#[test]
fn a_whole_number_is_an_id_however_it_is_written() {
    for id in ["1.0", "1e0", "1e3", "-0", "-0.0", "12.50e1"] {
        let message = format!(r#"{{"jsonrpc":"2.0","method":"x","id":{id}}}"#);
        assert_eq!(verdict(message), format!("request {id} x"));
        let response = format!(r#"{{"jsonrpc":"2.0","error":{{}},"id":{id}}}"#);
        assert_eq!(verdict(response), format!("error {id} {{}}"));
    }
}

#[test]
fn duplicate_keys_are_refused_wherever_they_are() {
    check("duplicate keys");
}

#[test]
fn batches_are_judged_message_by_message() {
    check("batches");
    assert_eq!(verdict(" [ ] "), "invalid request");
}

#[test]
fn members_of_params_stay_raw() {
    let message = br#"{"jsonrpc":"2.0","id":1,"method":"x","params": {"n\u0061me": "a\u0062" ,"arguments":{"n": 1E+2, "big":9007199254740993}, "list":[1 , 2]} }"#;
    let Ok(Envelope::Single(Message::Request(request))) = parse(message, &Limits::default()) else {
        panic!("is a request");
    };
    let params = request.params.unwrap();
    let members: Vec<_> = params.members().collect();
    let arguments = r#"{"n": 1E+2, "big":9007199254740993}"#;
    assert_eq!(
        members,
        [
            ("name", r#""a\u0062""#),
            ("arguments", arguments),
            ("list", "[1 , 2]")
        ]
    );
    assert!(params.raw().starts_with(r#"{"n\u0061me""#) && params.raw().ends_with("2]}"));
    assert_eq!(params.get("name"), Some(r#""a\u0062""#));
    assert_eq!(params.get("Name"), None);
    assert_eq!(
        params.get_object("arguments").unwrap().get("n"),
        Some("1E+2")
    );
    assert!(params.get_object("list").is_none() && params.get_object("none").is_none());
}

#[test]
fn an_error_says_what_and_where() {
    let error = |message: &[u8]| parse(message, &Limits::default()).unwrap_err().to_string();
    for [message, said] in rows(include_str!("messages.txt"), "what is said") {
        assert_eq!(error(message.as_bytes()), said, "{message}");
    }
    for (message, said) in [
        (&b""[..], "the message is empty"),
        (b" \n", "the message is empty"),
        (b"\xef\xbb\xbf{}", "it begins with a byte order mark"),
        (b"\xff\xfe{\0}\0", "it is UTF-16: send UTF-8"),
        (b"{\"a\":\"\xff\"}", "it is not UTF-8 at byte 6"),
        (b"{\"a\":\x1b[2J", "`\\u{1b}` at byte 5 is not JSON"),
    ] {
        assert_eq!(error(message), said, "{message:?}");
    }
    let long = format!("{{\"a\":{}}}", "x".repeat(10_000));
    assert!(error(long.as_bytes()).len() < 350);
}
