//! A client for the scenarios of the official conformance suite. The suite passes the URL of a
//! server as the last argument, and the scenario in the environment. If the scenario fails, the
//! client writes one line to standard error and exits with status 1.
//!
//! ```console
//! $ npx @modelcontextprotocol/conformance client --scenario tools_call \
//!     --command "cargo run -q --example conformance_client"
//! ```

use std::env;
use std::error::Error;
use std::future::ready;
use std::io::{self, Write};
use std::process::ExitCode;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use plainly::Client;
use plainly::client::oauth::{
    ClientId, Consent, ConsentError, ConsentPage, IdentityProvider, OAuth, Secret, SigningKey,
    Visit,
};
use plainly::errors::Revision;
use plainly::protocol::types::{Arguments, ElicitFormParams, ElicitResult, JsonObject, SkillFiles};
use plainly_authorization::location;
use serde::Deserialize;
use serde_json::json;

type Done = Result<(), Box<dyn Error>>;

#[tokio::main]
async fn main() -> ExitCode {
    match run().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // A closed standard error can't be reported anywhere.
            let _ = writeln!(io::stderr(), "{error}");
            ExitCode::FAILURE
        }
    }
}

async fn run() -> Done {
    let url = env::args().next_back().filter(|it| it.starts_with("http"));
    let url = url.ok_or("give the URL of a server as the last argument")?;
    let scenario = env::var("MCP_CONFORMANCE_SCENARIO")?;
    let client = connect(url, &scenario).await?;
    let done = play(&client, &scenario).await;
    client.close().await;
    done
}

/// Connects in the revision that the suite names, with its credentials. Every form is accepted with
/// its default values.
async fn connect(url: String, scenario: &str) -> Result<Client, Box<dyn Error>> {
    let revision: Revision = env::var("MCP_CONFORMANCE_PROTOCOL_VERSION")?.parse()?;
    let accept = |form: ElicitFormParams| {
        let filled_in = form.requested_schema.defaults();
        ready(ElicitResult::accept(filled_in))
    };
    let client = Client::http(url).revision(revision).on_elicitation(accept);
    let client = client.authorizer(account(scenario)?);
    Ok(client.connect().await?)
}

/// The URL of this client's metadata document, chosen by the suite.
const DOCUMENT: &str = "https://conformance-test.local/client-metadata.json";

/// The client's account at the suite's authorization servers.
fn account(scenario: &str) -> Result<OAuth, Box<dyn Error>> {
    let context = env::var("MCP_CONFORMANCE_CONTEXT").unwrap_or_else(|_| "{}".to_owned());
    let known: Account = serde_json::from_str(&context)?;
    let client = ClientId::new(known.client_id.unwrap_or_default());
    let client = match known.client_secret {
        Some(secret) => client.secret(secret),
        None => client,
    };
    Ok(match scenario {
        "auth/client-credentials-basic" => OAuth::client_credentials(client),
        "auth/client-credentials-jwt" => {
            let pem = known.private_key_pem.ok_or("there is no key")?;
            let algorithm = known.signing_algorithm.as_deref();
            let key = SigningKey::from_pkcs8_pem(&pem, algorithm)?;
            OAuth::client_credentials(client.key(key))
        }
        "auth/enterprise-managed-authorization" => {
            let endpoint = known.idp_token_endpoint.ok_or("there is no provider")?;
            let at_provider = ClientId::new(known.idp_client_id.unwrap_or_default());
            let provider = IdentityProvider::new(endpoint, at_provider);
            let identity = known.idp_id_token.ok_or("there is no ID token")?;
            OAuth::enterprise(client, provider, move || {
                ready(Ok::<_, io::Error>(identity.clone()))
            })
        }
        "auth/wif-jwt-bearer" => {
            let assertion = known.valid_jwt.ok_or("there is no JWT")?;
            OAuth::workload(client, move || ready(Ok::<_, io::Error>(assertion.clone())))
        }
        "auth/pre-registration" => OAuth::new().consent(Agreeing).client(client),
        _ => OAuth::new().consent(Agreeing).client_document(DOCUMENT),
    })
}

/// The facts about an account that the suite provides.
#[derive(Deserialize)]
struct Account {
    client_id: Option<String>,
    client_secret: Option<Secret>,
    private_key_pem: Option<String>,
    signing_algorithm: Option<String>,
    idp_client_id: Option<String>,
    idp_id_token: Option<Secret>,
    idp_token_endpoint: Option<String>,
    valid_jwt: Option<Secret>,
}

/// A user who agrees to every login. The suite's servers redirect every visit at once, so no page
/// needs to be followed.
#[derive(Debug)]
struct Agreeing;

impl Consent for Agreeing {
    fn prepare<'a>(
        &'a self,
        _redirect: Option<&'a str>,
    ) -> BoxFuture<'a, Result<Box<dyn Visit>, ConsentError>> {
        ready(Ok(Box::new(Self) as Box<dyn Visit>)).boxed()
    }
}

impl Visit for Agreeing {
    fn redirect_uri(&self) -> &str {
        "http://127.0.0.1:8765/callback"
    }

    fn visit<'a>(
        self: Box<Self>,
        page: &'a ConsentPage<'a>,
    ) -> BoxFuture<'a, Result<String, ConsentError>> {
        async {
            let location = location(page.url).await;
            let location = location.map_err(|error| ConsentError::Failed(error.to_string()))?;
            let query = location.split_once('?').map(|(_, query)| query.to_owned());
            query.ok_or_else(|| ConsentError::Failed("there is no query".to_owned()))
        }
        .boxed()
    }
}

async fn play(client: &Client, scenario: &str) -> Done {
    match scenario {
        "http-custom-headers" => custom_headers(client).await,
        "http-invalid-tool-headers" => call(client, "valid_tool").await,
        "http-standard-headers" => one_of_each(client).await,
        "json-schema-2020-12-preservation" => echo_a_schema(client).await,
        // The only tool has a schema that refers to another document, and can't be called.
        "json-schema-ref-no-deref" => list(client).await,
        "sep-2322-client-request-state" => rounds(client).await,
        // Listed skills are not read before the user asks for them.
        "sep-2640-client-no-prefetch" => {
            client.skills().await?;
            Ok(())
        }
        "sep-2640-client-verify-digest"
        | "sep-2640-client-verify-size"
        | "sep-2640-client-verify-frontmatter" => read_skills(client).await,
        "tools_call" => add(client).await,
        // Lists the tools, and calls each of them without arguments.
        _ => call_all(client).await,
    }
}

async fn list(client: &Client) -> Done {
    client.tools().await?;
    Ok(())
}

async fn call(client: &Client, tool: &str) -> Done {
    list(client).await?;
    client.call_tool(tool, json!({})).await?;
    Ok(())
}

async fn call_all(client: &Client) -> Done {
    for tool in client.tools().await? {
        client.call_tool(tool.name, json!({})).await?;
    }
    Ok(())
}

async fn add(client: &Client) -> Done {
    list(client).await?;
    let sum = client.call_tool("add_numbers", json!({ "a": 5, "b": 3 }));
    sum.await?;
    Ok(())
}

/// Calls a tool for each way to continue, two of them at the same time.
async fn rounds(client: &Client) -> Done {
    list(client).await?;
    let echo = client.call_tool("test_mrtr_echo_state", json!({}));
    let unrelated = client.call_tool("test_mrtr_unrelated", json!({}));
    tokio::try_join!(echo, unrelated)?;
    for tool in ["test_mrtr_no_state", "test_mrtr_no_result_type"] {
        client.call_tool(tool, json!({})).await?;
    }
    Ok(())
}

/// Sends the schema of one tool back to the server unchanged.
async fn echo_a_schema(client: &Client) -> Done {
    let tools = client.tools().await?;
    let rich = tools
        .iter()
        .find(|tool| tool.name == "json_schema_2020_12_tool");
    let schema = &rich
        .ok_or("there is no tool with a rich schema")?
        .input_schema;
    let echoed = client.call_tool("json_schema_echo", json!({ "schema": schema }));
    echoed.await?;
    Ok(())
}

/// Loads each skill, and reads all its files.
async fn read_skills(client: &Client) -> Done {
    for skill in client.skills().await? {
        let loaded = client.load_skill(skill).await?;
        let SkillFiles::Listed(files) = &loaded.skill().resources else {
            continue;
        };
        for file in files {
            loaded.read(&file.uri).await?;
        }
    }
    Ok(())
}

async fn one_of_each(client: &Client) -> Done {
    call_all(client).await?;
    for resource in client.resources(None).await? {
        client.read(resource.uri).await?;
    }
    for prompt in client.prompts().await? {
        client.prompt(prompt.name, Arguments::new()).await?;
    }
    Ok(())
}

/// The calls that the suite expects.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Calls {
    tool_calls: Vec<ToolCall>,
}

#[derive(Deserialize)]
struct ToolCall {
    name: String,
    arguments: JsonObject,
}

/// Calls tools whose listing wants some of their arguments repeated in headers.
async fn custom_headers(client: &Client) -> Done {
    let context = env::var("MCP_CONFORMANCE_CONTEXT")?;
    let calls: Calls = serde_json::from_str(&context)?;
    list(client).await?;
    for ToolCall { name, arguments } in calls.tool_calls {
        client.call_tool(name, arguments).await?;
    }
    Ok(())
}
