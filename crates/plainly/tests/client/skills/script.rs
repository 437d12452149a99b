//! A server with one skill, which can make any claim about the skill and its files, and records its
//! requests.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use plainly::Client;
use plainly::client::{Builder, Over};
use plainly_peer::message;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use tokio::io::{DuplexStream, ReadHalf, WriteHalf};

pub(crate) const MAIN: &str = "skill://acme/refunds/SKILL.md";
pub(crate) const FORMS: &str = "skill://acme/refunds/references/FORMS.md";
pub(crate) const LOGO: &str = "skill://acme/refunds/logo.png";
pub(crate) const INSTRUCTIONS: &str =
    "---\nname: refunds\ndescription: Refunds customers\n---\n\nAsk first.\n";

type Unconnected = Builder<Over<ReadHalf<DuplexStream>, WriteHalf<DuplexStream>>>;

/// The answers of the server.
#[derive(Clone)]
pub(crate) struct Script {
    /// The declared capabilities.
    pub(crate) capabilities: Value,
    /// The results of `skills/list` by cursor. The first page has an empty cursor.
    pub(crate) pages: BTreeMap<String, Value>,
    /// The result of `skills/get`.
    pub(crate) one: Value,
    /// The contents of each resource, by its URI.
    pub(crate) contents: BTreeMap<&'static str, Value>,
}

impl Script {
    /// Returns a skill with three files.
    pub(crate) fn good() -> Self {
        let contents = BTreeMap::from([
            (MAIN, json!([{"uri": MAIN, "text": INSTRUCTIONS}])),
            (FORMS, json!([{"uri": FORMS, "text": "Form 7\n"}])),
            (LOGO, json!([{"uri": LOGO, "blob": "AP8="}])),
        ]);
        let skill = skill();
        Self {
            capabilities: json!({"resources": {}, "extensions": {"io.modelcontextprotocol/skills": {}}}),
            pages: BTreeMap::from([(String::new(), json!({"skills": [skill]}))]),
            one: json!({"skill": skill}),
            contents,
        }
    }

    /// Returns the script with another `SKILL.md`, whose entry has its digest and this frontmatter.
    pub(crate) fn with_main(text: &str, frontmatter: &Value) -> Self {
        let mut script = Self::good();
        script
            .contents
            .insert(MAIN, json!([{"uri": MAIN, "text": text}]));
        let mut skill = skill();
        skill["frontmatter"] = frontmatter.clone();
        skill["resources"][0] = file(MAIN, text.as_bytes());
        script.one = json!({ "skill": skill });
        script
    }

    /// Connects a client to this server. Also returns a log with the method and the URI of each
    /// later request.
    pub(crate) async fn connect(self) -> (Client, Log) {
        self.connect_as(|builder| builder).await
    }

    pub(crate) async fn connect_as(
        self,
        set: impl FnOnce(Unconnected) -> Unconnected,
    ) -> (Client, Log) {
        let (mut peer, far) = plainly_peer::pair(1 << 16);
        let (reader, writer) = tokio::io::split(far);
        let discovered = message::discovered(self.capabilities.clone());
        let (client, ()) = tokio::join!(
            set(Client::over(reader, writer)).connect(),
            peer.answer_with("server/discover", discovered)
        );
        let log = Log::default();
        let noted = log.clone();
        tokio::spawn(async move {
            while let Some(request) = peer.message().await {
                let method = request["method"].as_str().unwrap();
                let uri = request["params"]["uri"].as_str().unwrap_or_default();
                noted
                    .0
                    .lock()
                    .unwrap()
                    .push(format!("{method} {uri}").trim_end().to_owned());
                match self.answer(method, &request["params"]) {
                    Some(result) => peer.reply(&request, result).await,
                    None => peer.fail(&request, -32602, Some(json!({"uri": uri}))).await,
                }
            }
        });
        (client.unwrap(), log)
    }

    fn answer(&self, method: &str, params: &Value) -> Option<Value> {
        let mut result = match method {
            "skills/list" => self
                .pages
                .get(params["cursor"].as_str().unwrap_or(""))?
                .clone(),
            "skills/get" => self.one.clone(),
            _ => json!({"contents": self.contents.get(params["uri"].as_str()?)?}),
        };
        result["resultType"] = "complete".into();
        (result["ttlMs"], result["cacheScope"]) = (60_000.into(), "public".into());
        Some(result)
    }
}

/// The requests of the client, in order.
#[derive(Clone, Default)]
pub(crate) struct Log(Arc<Mutex<Vec<String>>>);

impl Log {
    /// Returns the requests since the last call.
    pub(crate) fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().unwrap())
    }
}

/// Returns the entry of the skill.
pub(crate) fn skill() -> Value {
    json!({
        "uri": MAIN,
        "frontmatter": {"name": "refunds", "description": "Refunds customers"},
        "resources": [file(MAIN, INSTRUCTIONS.as_bytes()), file(FORMS, b"Form 7\n"), file(LOGO, &[0, 255])],
    })
}

/// Returns the entry of a file with this content.
pub(crate) fn file(uri: &str, content: &[u8]) -> Value {
    let digest: String = Sha256::digest(content)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    json!({"uri": uri, "digest": format!("sha256:{digest}"), "size": content.len()})
}
