//! The server's features: tools, resources, prompts and completion.

use plainly::protocol::types::{Arguments, CompleteParams, ListToolsParams, Reference};
use serde_json::json;

use crate::cell::{Cell, said};

/// The names of the listed entries.
fn names<T>(list: &[T], name: impl Fn(&T) -> &str) -> String {
    list.iter().map(name).collect::<Vec<_>>().join(" ")
}

pub(crate) async fn tools(cell: &Cell) -> String {
    cell.told(cell.bare().await.tools().await, |tools| {
        let typed = tools.iter().filter(|tool| tool.output_schema.is_some());
        format!(
            "{} and {} more, {} with output schemas",
            tools[0].name,
            tools.len() - 1,
            typed.count()
        )
    })
}

pub(crate) async fn call(cell: &Cell) -> String {
    let outcome = cell
        .bare()
        .await
        .call_tool("greet", json!({"name": "Ada"}))
        .await;
    cell.told(outcome, |result| said(&result))
}

pub(crate) async fn structured(cell: &Cell) -> String {
    let outcome = cell
        .bare()
        .await
        .call_tool("sum", json!({"a": 1, "b": 2}))
        .await;
    cell.told(outcome, |result| said(&result))
}

pub(crate) async fn wrong_arguments(cell: &Cell) -> String {
    let outcome = cell
        .bare()
        .await
        .call_tool("sum", json!({"a": "one"}))
        .await;
    cell.told(outcome, |result| said(&result))
}

pub(crate) async fn cursor(cell: &Cell) -> String {
    let params = ListToolsParams::new().cursor("made up");
    cell.told(cell.bare().await.list_tools(&params).await, |_| {
        "a page".to_owned()
    })
}

pub(crate) async fn resources(cell: &Cell) -> String {
    cell.told(cell.bare().await.resources(None).await, |resources| {
        format!("{} and {} more", resources[0].uri, resources.len() - 1)
    })
}

pub(crate) async fn children(cell: &Cell, parent: &str) -> String {
    let outcome = cell.bare().await.resources(Some(parent)).await;
    cell.told(outcome, |children| names(&children, |child| &child.uri))
}

pub(crate) async fn pinned(cell: &Cell, uri: &str) -> String {
    cell.told(cell.pinned().await.read(uri).await, |_| "read".to_owned())
}

pub(crate) async fn metadata(cell: &Cell, uri: &str) -> String {
    cell.told(cell.bare().await.metadata(uri).await, |metadata| {
        format!(
            "{} {:?}",
            metadata.resource.name, metadata.resource.is_collection
        )
    })
}

pub(crate) async fn templates(cell: &Cell) -> String {
    let outcome = cell.bare().await.resource_templates().await;
    cell.told(outcome, |templates| {
        names(&templates, |template| &template.uri_template)
    })
}

pub(crate) async fn prompts(cell: &Cell) -> String {
    let outcome = cell.bare().await.prompts().await;
    cell.told(outcome, |prompts| names(&prompts, |prompt| &prompt.name))
}

async fn complete(cell: &Cell, params: CompleteParams) -> String {
    let outcome = cell.bare().await.complete(&params).await;
    cell.told(outcome, |completion| completion.values.join(" | "))
}

pub(crate) async fn language(cell: &Cell) -> String {
    complete(
        cell,
        CompleteParams::new(Reference::prompt("review"), "language", "ru"),
    )
    .await
}

pub(crate) async fn framework(cell: &Cell, language: &str) -> String {
    let others = Arguments::from_iter([("language".to_owned(), language.to_owned())]);
    let params = CompleteParams::new(Reference::prompt("review"), "framework", "");
    complete(cell, params.arguments(others)).await
}

pub(crate) async fn variable(cell: &Cell) -> String {
    complete(
        cell,
        CompleteParams::new(Reference::resource("user://{name}"), "name", "a"),
    )
    .await
}

pub(crate) async fn of_unknown_prompt(cell: &Cell) -> String {
    complete(
        cell,
        CompleteParams::new(Reference::prompt("nope"), "a", ""),
    )
    .await
}

/// Whether the server declares the capability of completion.
pub(crate) async fn can_complete(cell: &Cell) -> String {
    cell.bare()
        .await
        .capabilities()
        .completions
        .is_some()
        .to_string()
}
