//! A recorded client once more, against a server that is there now: its requests in their order, and where the answers differ.

use std::collections::BTreeMap;

use plainly::client::{Client, Error};
use plainly::errors::Revision;
use plainly::protocol::meta::PROTOCOL_VERSION;
use plainly::protocol::method::Method;
use plainly::protocol::types::{InitializeResult, RawJson};
use serde::Serialize;
use serde_json::{Value, json};

use super::difference::{Difference, differences};
use super::script::{Script, scripts};
use crate::args::{Server, ServerArgs};
use crate::asking::RecordedClient;
use crate::connection::{Purpose, with_client_for};
use crate::failure::{Failure, Subject};
use crate::output::Output;
use crate::secrets::{MASK, Mask};
use crate::trace::recording::{Outcome, Recording};
use crate::visible::visible;

/// What a server makes up for its client to bring back: where it stands in a result, and where in the parameters of a request.
/// Two servers make up different ones.
const BROUGHT_BACK: [(&str, &str); 3] = [
    ("nextCursor", "cursor"),
    ("requestState", "requestState"),
    ("taskId", "taskId"),
];

/// When a task began, and when it came further: never twice at the same time.
const TIMES: [&str; 2] = ["createdAt", "lastUpdatedAt"];

/// How one request went.
#[derive(Debug, Serialize)]
struct Compared<'a> {
    /// The line of the request in the recording.
    line: usize,
    method: &'a str,
    #[serde(flatten)]
    verdict: Verdict,
}

#[derive(Debug, Serialize)]
#[serde(tag = "outcome", rename_all = "lowercase")]
enum Verdict {
    Same,
    Different { differences: Vec<Difference> },
    Skipped { why: &'static str },
}

pub(super) async fn run(
    recording: &Recording,
    server: Server,
    mut args: ServerArgs,
) -> Result<(), Failure> {
    let scripts = scripts(recording);
    let mut output = Output::new(args.format());
    args.revision = args.revision.or_else(|| revision(&scripts));
    let purpose = Purpose::Replay(RecordedClient::of(recording));
    let (differ, asked) = with_client_for(purpose, server, args, async |client| {
        replay(client, &scripts, &mut output).await
    })
    .await?;
    output.flush()?;
    match differ {
        0 => Ok(()),
        _ => Err(Failure::local(format!(
            "{differ} of {asked} answers differ from the recording"
        ))),
    }
}

/// The revision that was spoken.
fn revision(scripts: &[Script]) -> Option<Revision> {
    let opened = scripts
        .iter()
        .filter(|script| script.method == "initialize");
    let mut agreed = opened.filter_map(|script| {
        let Outcome::Result(result) = script.outcome()? else {
            return None;
        };
        let result: InitializeResult = serde_json::from_str(result.get()).ok()?;
        Some(result.protocol_version)
    });
    let named = || {
        let params = scripts.first()?.params.as_ref()?;
        let params: Value = serde_json::from_str(params.get()).ok()?;
        Some(params["_meta"][PROTOCOL_VERSION].as_str()?.to_owned())
    };
    agreed.next_back().or_else(named)?.parse().ok()
}

/// Sends each request, and says how it went. Gives the number of answers that differ, and of those that were compared.
async fn replay(
    client: &Client,
    scripts: &[Script],
    output: &mut Output,
) -> Result<(usize, usize), Failure> {
    let mut made_up = BTreeMap::new();
    let (mut same, mut differ, mut skipped) = (0, 0, 0);
    for script in scripts.iter().filter(|script| script.id.is_some()) {
        let Some(verdict) = compared(client, script, &mut made_up).await? else {
            continue;
        };
        match &verdict {
            Verdict::Same => same += 1,
            Verdict::Different { .. } => differ += 1,
            Verdict::Skipped { .. } => skipped += 1,
        }
        let (line, method) = (script.line, &*script.method);
        show(
            &Compared {
                line,
                method,
                verdict,
            },
            output,
        )?;
    }
    if !output.is_json() {
        let told = format!("{same} the same, {differ} different, {skipped} skipped");
        output.lines(&told)?;
    }
    Ok((differ, same + differ))
}

fn show(compared: &Compared<'_>, output: &mut Output) -> Result<(), Failure> {
    if output.is_json() {
        return output.json(compared);
    }
    let request = format!("{} in line {}", visible(compared.method), compared.line);
    match &compared.verdict {
        Verdict::Same => Ok(()),
        Verdict::Skipped { why } => output.lines(&format!("{request} is skipped: {why}")),
        Verdict::Different { differences } => {
            output.lines(&format!("{request} is answered differently:"))?;
            let mut told = differences.iter().map(Difference::told);
            told.try_for_each(|difference| output.lines(&format!("  {difference}")))
        }
    }
}

/// Sends one request again, unless it can't be; `None` if the client has made it anew.
async fn compared(
    client: &Client,
    script: &Script,
    made_up: &mut BTreeMap<String, String>,
) -> Result<Option<Verdict>, Failure> {
    let skipped = |why| Ok(Some(Verdict::Skipped { why }));
    let outcome = match script.outcome() {
        Some(outcome) => outcome,
        None if script.is_handshake() => return Ok(None),
        None => return skipped("the recording has no answer to it"),
    };
    let params = script.params.as_ref().map_or("{}", |params| params.get());
    if params.contains(MASK) {
        return skipped("a secret in it is masked");
    }
    let method = Method::find(&script.method, client.revision());
    if script.is_handshake() && method != Some(Method::Discover) {
        return Ok(handshake(client, outcome));
    }
    let Some(method) = method else {
        return skipped("the revision has no such method");
    };
    let recorded = match outcome {
        Outcome::Result(json) | Outcome::Error(json) => read(json.get()),
    };
    let params = renewed(params, made_up);
    let live = match client.forward(method, &params).await {
        Ok(result) => read(
            &Mask::default()
                .json(result.get().as_bytes())
                .unwrap_or_default(),
        ),
        Err(Error::Protocol(error)) if error.received().is_some() => json!(error.received()),
        Err(error) if error.is_closed() || error.is_unreachable() => {
            return Err(Failure::about(Subject::Connection)(error));
        }
        Err(error) => {
            let differences = vec![Difference::of_all(recorded, error.to_string().into())];
            return Ok(Some(Verdict::Different { differences }));
        }
    };
    Ok(Some(verdict(recorded, live, made_up)))
}

/// Compares the handshake of this client with that of the recorded one; `None` if that failed, and another followed.
fn handshake(client: &Client, outcome: &Outcome) -> Option<Verdict> {
    let Outcome::Result(result) = outcome else {
        return None;
    };
    let recorded: InitializeResult = serde_json::from_str(result.get()).ok()?;
    let recorded = json!({
        "protocolVersion": recorded.protocol_version,
        "serverInfo": recorded.server_info,
        "capabilities": recorded.capabilities,
        "instructions": recorded.instructions,
    });
    let live = json!({
        "protocolVersion": client.revision().as_str(),
        "serverInfo": client.server(),
        "capabilities": client.capabilities(),
        "instructions": client.instructions(),
    });
    Some(verdict(recorded, live, &mut BTreeMap::new()))
}

/// Compares two answers, and notes what each server made up.
fn verdict(
    mut recorded: Value,
    mut live: Value,
    made_up: &mut BTreeMap<String, String>,
) -> Verdict {
    for (name, _) in BROUGHT_BACK {
        let both = (recorded.get_mut(name), live.get_mut(name));
        if let (Some(Value::String(before)), Some(Value::String(now))) = both {
            made_up.insert(std::mem::take(before), std::mem::take(now));
        }
    }
    for name in TIMES {
        let both = (recorded.get_mut(name), live.get_mut(name));
        if let (Some(Value::String(before)), Some(Value::String(now))) = both {
            before.clone_from(now);
        }
    }
    let differences = differences(&recorded, &live);
    match differences.is_empty() {
        true => Verdict::Same,
        false => Verdict::Different { differences },
    }
}

/// The parameters, with what this server made up in place of what the recorded one did.
fn renewed(params: &str, made_up: &BTreeMap<String, String>) -> RawJson {
    let mut params = read(params);
    for (_, name) in BROUGHT_BACK {
        if let Some(Value::String(text)) = params.get_mut(name)
            && let Some(now) = made_up.get(text)
        {
            text.clone_from(now);
        }
    }
    RawJson::parse(params.to_string()).expect("a value can be written")
}

fn read(json: &str) -> Value {
    serde_json::from_str(json).unwrap_or_default()
}
