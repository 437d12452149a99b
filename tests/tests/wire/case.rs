//! Cases as data, and their driver: it runs each case for every sender over both transports,
//! followed by a valid request.

use plainly_peer::table::rows;

use crate::fixture::Fixture;
use crate::sender::Sender;
use crate::stream::Stream;

/// A message and its expected outcome.
pub(crate) struct Case {
    name: String,
    /// The message's bytes; `META` stands for the sender's `_meta`.
    template: Vec<u8>,
    expect: Expect,
    /// The outcome over HTTP, where it differs.
    over_http: Option<Expect>,
    /// The number of times that a handler runs.
    runs: usize,
}

/// The expected reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Expect {
    /// An error with this code, HTTP status and id. The id is its exact JSON.
    Error {
        id: Option<String>,
        code: i64,
        status: u16,
    },
    /// A result with this id.
    Result { id: String },
    /// No message; status 202 over HTTP.
    Silence,
}

impl Expect {
    pub(crate) fn error(id: &str, code: i64, status: u16) -> Self {
        Self::Error {
            id: Some(id.to_owned()),
            code,
            status,
        }
    }

    pub(crate) fn no_message(code: i64) -> Self {
        Self::Error {
            id: None,
            code,
            status: 400,
        }
    }

    pub(crate) fn result(id: &str) -> Self {
        Self::Result { id: id.to_owned() }
    }

    /// Reads an outcome of cases.txt.
    fn read(text: &str) -> Self {
        match text.split(' ').collect::<Vec<_>>()[..] {
            ["error", id, code, status] => {
                Self::error(id, code.parse().unwrap(), status.parse().unwrap())
            }
            ["no", "message", code] => Self::no_message(code.parse().unwrap()),
            ["result", id] => Self::result(id),
            ["silence"] => Self::Silence,
            _ => panic!("{text}"),
        }
    }

    /// The exact beginning of the reply.
    fn beginning(&self) -> String {
        match self {
            Self::Error {
                id: Some(id), code, ..
            } => {
                format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":{code},"#)
            }
            Self::Error { id: None, code, .. } => {
                format!(r#"{{"jsonrpc":"2.0","error":{{"code":{code},"#)
            }
            Self::Result { id } => format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"#),
            Self::Silence => String::new(),
        }
    }

    fn status(&self) -> u16 {
        match self {
            Self::Error { status, .. } => *status,
            Self::Result { .. } => 200,
            Self::Silence => 202,
        }
    }

    /// The outcome over a stream, where a revision whose errors need an id sends nothing instead of
    /// an error without id.
    fn on_stream(&self, sender: Sender) -> &Self {
        match self {
            Self::Error { id: None, .. } if !sender.has_errors_without_id() => &Self::Silence,
            Self::Error { .. } | Self::Result { .. } | Self::Silence => self,
        }
    }
}

impl Case {
    pub(crate) fn new(
        name: impl Into<String>,
        template: impl Into<Vec<u8>>,
        expect: Expect,
    ) -> Self {
        Self {
            name: name.into(),
            template: template.into(),
            expect,
            over_http: None,
            runs: 0,
        }
    }

    /// A valid call of the tool `canary`.
    pub(crate) fn good(name: impl Into<String>, template: impl Into<Vec<u8>>, id: &str) -> Self {
        let mut case = Self::new(name, template, Expect::result(id));
        case.runs = 1;
        case
    }
}

/// Returns the cases of a table in cases.txt.
pub(crate) fn cases(table: &str) -> Vec<Case> {
    let rows = rows(include_str!("cases.txt"), table);
    let cases = rows.map(|[name, message, expected]| {
        let (runs, expected) = match expected.strip_prefix("runs, ") {
            Some(expected) => (1, expected),
            None => (0, expected),
        };
        let (expected, over_http) = match expected.split_once(", over HTTP ") {
            Some((expected, over_http)) => (expected, Some(Expect::read(over_http))),
            None => (expected, None),
        };
        Case {
            over_http,
            runs,
            ..Case::new(name, message, Expect::read(expected))
        }
    });
    cases.collect()
}

/// Runs all cases for all senders over both transports, and reports all that failed.
pub(crate) async fn check(senders: &[Sender], cases: &[Case]) {
    let mut failures = Vec::new();
    for &sender in senders {
        on_stream(sender, cases, &mut failures).await;
        over_http(sender, cases, &mut failures).await;
    }
    assert!(
        failures.is_empty(),
        "{} failed:\n{}",
        failures.len(),
        failures.join("\n")
    );
}

async fn on_stream(sender: Sender, cases: &[Case], failures: &mut Vec<String>) {
    let fixture = Fixture::new();
    for case in cases {
        let before = fixture.probe.ran();
        let mut stream = Stream::careless(&fixture.server, sender).await;
        stream.send(&case.template).await;
        let lines = stream.before_a_good_reply(&case.name).await;
        let expect = case.expect.on_stream(sender);
        let as_expected = match (expect, &lines[..]) {
            (Expect::Silence, []) => true,
            (Expect::Silence, _) => false,
            (expect, [line]) => line.starts_with(&expect.beginning()),
            _ => false,
        };
        let runs = fixture.probe.ran() - before;
        if !as_expected || runs != case.runs {
            let name = &case.name;
            failures.push(format!(
                "stream, {sender:?}, {name}: expected {expect:?}, {} runs, got {runs} runs, {lines:?}",
                case.runs
            ));
        }
    }
}

async fn over_http(sender: Sender, cases: &[Case], failures: &mut Vec<String>) {
    let (fixture, http) = Fixture::listening().await;
    let client = http.client(sender).await.saying_anything();
    for case in cases {
        let before = fixture.probe.ran();
        let response = client.send(&case.template).await;
        let expect = case.over_http.as_ref().unwrap_or(&case.expect);
        let has_body = match expect {
            Expect::Silence => response.body.is_empty(),
            Expect::Error { .. } | Expect::Result { .. } => {
                response.body.starts_with(&expect.beginning())
            }
        };
        let runs = fixture.probe.ran() - before;
        if !has_body || response.status != expect.status() || runs != case.runs {
            let name = &case.name;
            failures.push(format!(
                "http, {sender:?}, {name}: expected {expect:?}, {} runs, got {runs} runs, {response:?}",
                case.runs
            ));
        }
        let good = client
            .send(crate::sender::say("\"good\"", "echo", "still here"))
            .await;
        if good.status != 200 || !good.body.contains("still here") {
            failures.push(format!("http, {sender:?}, after {}: {good:?}", case.name));
        }
    }
}
