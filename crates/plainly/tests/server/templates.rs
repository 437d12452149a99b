//! Templates of resources: errors that are found before anything is served, and the values that
//! their variables may have.

use plainly_peer::table::cases;
use std::collections::BTreeMap;

use plainly::protocol::types::Resource as Described;
use plainly::server::Handler;
use plainly::server::extract::{ExtractAll, ResourceChannel};
use plainly::server::reply::ResourceReply;
use plainly::{Client, Context, Resource, ResourceTemplate, Server, State, Vars};
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Deserialize, JsonSchema)]
struct Id {
    id: String,
}

async fn by_id(Vars(Id { id }): Vars<Id>) -> String {
    id
}

fn problems(templates: impl IntoIterator<Item = ResourceTemplate>) -> Vec<String> {
    let builder = templates
        .into_iter()
        .fold(Server::builder("test", "1"), |builder, template| {
            builder.resource_template(template)
        });
    match builder.build() {
        Ok(_) => Vec::new(),
        Err(errors) => errors.iter().map(ToString::to_string).collect(),
    }
}

#[test]
fn what_keeps_a_template_from_being_served_is_told_at_once() {
    let plain = |text: &str| ResourceTemplate::new(text, async || "x");
    let cases = [
        (vec![plain("note://{id}"), plain("note://{+id}")], vec![]),
        (
            vec![plain("note://{id"), plain("x{a}{b}")],
            vec![
                "resource template note://{id can't be served: invalid URI template: at byte 7: { is not closed",
                "resource template x{a}{b} can't be served: URI template can't be matched: at byte 4: the expression \
                 before {b} has no clear end",
            ],
        ),
        (
            vec![
                plain("note://{id}"),
                plain("note://{id}"),
                plain("note://{name}"),
            ],
            vec![
                "resource template note://{id} is defined twice",
                "resource template note://{name} is never reached: note://{id} matches the same URIs",
            ],
        ),
        (
            vec![
                ResourceTemplate::new("note://{id}", by_id),
                ResourceTemplate::new("page://{name}{?id,line}", by_id),
                ResourceTemplate::new("list://{name}", async || "x").metadata(
                    async |Vars(Id { id }): Vars<Id>| Described::new(format!("list://{id}"), id),
                ),
            ],
            vec![
                "resource template page://{name}{?id,line} has the variable name, which its Vars lack",
                "resource template page://{name}{?id,line} has the variable line, which its Vars lack",
                "resource template list://{name} takes Vars with id, which is not one of its variables",
                "resource template list://{name} has the variable name, which its Vars lack",
            ],
        ),
        (
            vec![ResourceTemplate::new(
                "note://{id}",
                async |_: Vars<String>| "x",
            )],
            vec![
                "resource template note://{id} takes Vars of a type that is not a JSON object: use a struct",
            ],
        ),
        (
            vec![
                plain("note://{id}").list(async |_: State<u8>, _: Context| Vec::<Described>::new()),
            ],
            vec!["resource template note://{id} takes State<u8>, but no u8 was given to state()"],
        ),
    ];
    for (templates, expected) in cases {
        assert_eq!(problems(templates), expected);
    }
}

#[test]
fn a_static_resource_has_no_variables() {
    let server = Server::builder("test", "1").resource(Resource::new("note://1", by_id));
    let error = server.build().unwrap_err();
    assert_eq!(
        error.to_string(),
        "the server can't be built: resource note://1 takes Vars, which only a resource template has"
    );
}

#[test]
fn a_resource_needs_a_uri() {
    let resource = |uri| Resource::new(uri, async || "text");
    let server = Server::builder("test", "1")
        .resource(resource("nouri"))
        .resource(resource("file:///a b"))
        .resource(resource("file:///a%20b"));
    let error = server.build().unwrap_err().to_string();
    for expected in [
        "resource nouri needs a URI that starts with a scheme, such as note://1",
        "resource file:///a b has ' ' in its URI: percent-encode it",
    ] {
        assert!(error.contains(expected), "{error}");
    }
    assert!(!error.contains("a%20b"), "{error}");
}

async fn connect(server: Server) -> Client {
    let (reader, writer) = plainly_peer::served(&server);
    Client::over(reader, writer)
        .connect()
        .await
        .expect("one revision in common")
}

/// Reads each URI of a table, and checks the result or the error.
async fn check<F, A, By>(template: &str, handler: F, table: &str)
where
    F: Handler<A>,
    A: ExtractAll<ResourceChannel>,
    F::Output: ResourceReply<By>,
    F::Future: Send + 'static,
{
    let server =
        Server::builder("test", "1").resource_template(ResourceTemplate::new(template, handler));
    let client = connect(server.build().expect("a right template")).await;
    for (uri, expected) in cases::<(&str, &str)>(include_str!("templates.txt"), table) {
        let text = match client.read(uri).await {
            Ok(read) => String::from_utf8_lossy(read.contents[0].body.as_bytes()).into_owned(),
            Err(error) => error.protocol().expect("it is the server's").to_string(),
        };
        assert!(text.ends_with(expected), "{uri}: {text}");
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Kind {
    Small,
    Large,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[expect(dead_code, reason = "shown by Debug")]
struct Number(u8);

#[derive(Debug, Deserialize, JsonSchema)]
#[expect(dead_code, reason = "shown by Debug")]
struct Typed {
    kind: Kind,
    number: Number,
    ratio: Option<f64>,
    #[serde(default)]
    fresh: bool,
    #[serde(rename = "a.b")]
    renamed: Option<char>,
}

#[tokio::test]
async fn variables_are_read_as_the_types_of_their_fields() {
    let handler = async |Vars(typed): Vars<Typed>| format!("{typed:?}");
    check("t://{kind}/{number}{?ratio,fresh,a.b}", handler, "typed").await;
}

#[derive(Debug, Deserialize, JsonSchema)]
#[expect(dead_code, reason = "shown by Debug")]
struct Several {
    #[serde(default)]
    path: Vec<u8>,
    #[serde(default)]
    query: BTreeMap<String, i8>,
}

#[tokio::test]
async fn exploded_variables_are_lists_and_maps() {
    let handler = async |Vars(several): Vars<Several>| format!("{several:?}");
    check("t:{/path*}{?query*}", handler, "exploded").await;
}

#[tokio::test]
async fn a_type_that_takes_any_names_takes_those_of_any_template() {
    let handler = async |Vars(all): Vars<BTreeMap<String, String>>| format!("{all:?}");
    check("t://{a}/{b}", handler, "any names").await;
}

#[tokio::test]
async fn a_server_of_templates_alone_has_resources() {
    let template = ResourceTemplate::new("note://{id}", by_id).name("note");
    let server = Server::builder("test", "1").resource_template(template);
    let client = connect(server.build().expect("a right template")).await;
    assert!(client.capabilities().resources.is_some());
    let templates = client.resource_templates().await.expect("a listing");
    assert_eq!(templates.len(), 1);
    assert_eq!(client.resources(None).await.expect("a listing"), []);
    let described = client
        .metadata("note://a%2Fb")
        .await
        .expect("it can be read");
    assert_eq!(
        (&*described.resource.name, described.resource.size),
        ("note", Some(3))
    );
}
