//! Rounds of questions, with anything that a client may do to the states in between. A state must
//! open only for the same request and the same principal, with the answers so far. A changed state
//! must be rejected.

#![no_main]

use std::collections::BTreeMap;
use std::sync::LazyLock;

use libfuzzer_sys::arbitrary::{self, Arbitrary};
use libfuzzer_sys::fuzz_target;
use plainly::limits::Limits;
use plainly::protocol::types::{ElicitFormParams, NumberField};
use plainly::server::Keys;
use plainly::{Args, Ask, Failure, Prompt, Server, Tool};
use plainly_fuzz::{Peer, modern, simulate};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

const KEYS: [&str; 2] = ["first", "second"];
const PRINCIPALS: [Option<&str>; 3] = [None, Some("ada"), Some("bob")];
const ROUNDS: usize = 3;

#[derive(Arbitrary, Debug)]
struct Input {
    sends: Vec<Send>,
}

/// One request, with its parameters.
#[derive(Arbitrary, Debug)]
struct Send {
    principal: u8,
    subject: u8,
    item: u8,
    answers: [Option<u8>; 2],
    state: Option<u8>,
    forgery: Forgery,
}

#[derive(Arbitrary, Debug)]
enum Forgery {
    None,
    Letter(u16, u8),
    Cut(u16),
    Longer(u8),
    /// The beginning of one state and the end of another.
    Spliced(u8, u16),
    Text(String),
}

/// The principal and the request that a state is bound to.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Binding {
    principal: usize,
    subject: usize,
    item: u8,
}

struct Given {
    text: String,
    to: Binding,
    round: usize,
    answers: BTreeMap<usize, u64>,
}

#[derive(Deserialize, JsonSchema)]
struct Order {
    /// A number as text, because prompts only have text arguments.
    item: String,
}

async fn order(ask: Ask, Args(order): Args<Order>) -> Result<String, Failure> {
    #[derive(Deserialize)]
    struct Count {
        count: u64,
    }
    let mut counts = Vec::new();
    for key in KEYS {
        let form = ElicitFormParams::new(format!("How many, {key}?"))
            .field("count", NumberField::integer());
        let answer = ask.elicit(key, form).await?.accepted::<Count>()?;
        counts.extend(answer.map(|answer| answer.count));
    }
    Ok(format!("{} {counts:?}", order.item))
}

static SERVER: LazyLock<Server> = LazyLock::new(|| {
    let mut limits = Limits::default();
    limits.questions.rounds = ROUNDS;
    let builder = Server::builder("fuzz", "1")
        .limits(limits)
        .keys(Keys::new([7; 32]));
    builder
        .tool(Tool::new("order", order))
        .tool(Tool::new("reorder", order))
        .prompt(Prompt::new("order", order))
        .build()
        .unwrap()
});

fuzz_target!(|input: Input| simulate(play(input)));

async fn play(input: Input) {
    let mut peers = PRINCIPALS.map(|principal| Peer::connect(&SERVER, principal));
    let mut given: Vec<Given> = Vec::new();
    for send in input.sends.into_iter().take(24) {
        let to = Binding {
            principal: usize::from(send.principal) % 3,
            subject: usize::from(send.subject) % 3,
            item: send.item % 3,
        };
        let base = send.state.filter(|_| !given.is_empty());
        let base = base.map(|which| &given[usize::from(which) % given.len()]);
        let state = base.map(|base| send.forgery.of(&base.text, &given));
        let heard = peers[to.principal]
            .ask(&message(&to, &send, state.as_deref()))
            .await;
        let [reply] = heard.as_slice() else {
            panic!("{heard:?}");
        };
        // A forged state may equal another valid one.
        let state = state.map(|text| {
            given
                .iter()
                .find(|given| given.text == text && given.to == to)
        });
        let (mut answers, round) = match state {
            Some(None) => {
                assert_eq!(
                    reply["error"]["data"]["kind"], "invalid_request_state",
                    "{reply}"
                );
                assert_eq!(reply["error"]["code"], -32602, "{reply}");
                continue;
            }
            Some(Some(state)) => (state.answers.clone(), state.round),
            None => (BTreeMap::new(), 0),
        };
        for (key, answer) in send.answers.iter().enumerate() {
            if let Some(answer) = answer {
                answers.entry(key).or_insert(u64::from(*answer));
            }
        }
        given.extend(check(reply, to, round + 1, answers));
    }
}

fn message(to: &Binding, send: &Send, state: Option<&str>) -> Value {
    let (method, name) = match to.subject {
        0 => ("tools/call", "order"),
        1 => ("tools/call", "reorder"),
        _ => ("prompts/get", "order"),
    };
    let mut params = json!({"name": name, "arguments": {"item": to.item.to_string()}});
    for (key, answer) in KEYS.iter().zip(&send.answers) {
        if let Some(answer) = answer {
            params["inputResponses"][key] =
                json!({"action": "accept", "content": {"count": answer}});
        }
    }
    if let Some(state) = state {
        params["requestState"] = state.into();
    }
    modern(&json!(1), method, params)
}

/// Checks that `reply` follows from `answers`. Returns the state in it.
fn check(
    reply: &Value,
    to: Binding,
    round: usize,
    mut answers: BTreeMap<usize, u64>,
) -> Option<Given> {
    let result = &reply["result"];
    let missing = (0..2).find(|key| !answers.contains_key(key));
    let Some(missing) = missing else {
        let counts: Vec<_> = answers.values().collect();
        let text = format!("{} {counts:?}", to.item);
        let told = match to.subject {
            2 => &result["messages"][0]["content"]["text"],
            _ => &result["content"][0]["text"],
        };
        assert_eq!(told, &text, "{reply}");
        return None;
    };
    if round > ROUNDS {
        assert_eq!(reply["error"]["code"], -32603, "{reply}");
        return None;
    }
    assert_eq!(result["resultType"], "input_required", "{reply}");
    let asked = result["inputRequests"].as_object().unwrap();
    assert!(asked.keys().eq([KEYS[missing]]), "{reply}");
    // An answer to a later question is ignored.
    answers.retain(|key, _| *key < missing);
    Some(Given {
        text: result["requestState"].as_str().unwrap().to_owned(),
        to,
        round,
        answers,
    })
}

impl Forgery {
    fn of(&self, text: &str, given: &[Given]) -> String {
        const LETTERS: &[u8] =
            b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_=+/ ";
        let letter = |which: u8| char::from(LETTERS[usize::from(which) % LETTERS.len()]);
        let place = |at: u16| usize::from(at) % text.len();
        match self {
            Self::None => text.to_owned(),
            Self::Letter(at, which) => {
                let (before, rest) = text.split_at(place(*at));
                format!("{before}{}{}", letter(*which), &rest[1..])
            }
            Self::Cut(at) => text[..place(*at)].to_owned(),
            Self::Longer(which) => format!("{text}{}", letter(*which)),
            Self::Spliced(which, at) => {
                let other = &given[usize::from(*which) % given.len()].text;
                let at = place(*at).min(other.len());
                format!("{}{}", &text[..at], &other[at..])
            }
            Self::Text(text) => text.clone(),
        }
    }
}
