//! `plainly stat`: the metadata of a resource, without its content.

use jiff::Timestamp;
use jiff::tz::TimeZone;
use plainly::protocol::types::{Representation, Resource};

use super::declared::problems;
use crate::args::StatArgs;
use crate::connection::with_client;
use crate::failure::{Failure, Subject};
use crate::output::Output;

pub(crate) async fn run(mut args: StatArgs) -> Result<(), Failure> {
    let mut words = args.words();
    let server = args.server.server(&mut words)?;
    let uri = words.take("URI")?;
    words.end()?;
    let mut output = Output::new(args.server.format());
    let about = Failure::about(Subject::Resource(uri.clone()));
    let metadata = with_client(server, args.server, async |client| {
        client.metadata(uri).await.map_err(about)
    })
    .await?;
    print(&metadata.resource, &mut output)
}

/// The kind of a resource, if the server names it.
pub(super) fn kind(resource: &Resource) -> &'static str {
    match resource.is_collection {
        Some(true) => "collection",
        Some(false) => "resource",
        None => "-",
    }
}

/// A time in the time zone of this machine.
pub(super) fn local_time(time: &str) -> String {
    local(time, &TimeZone::system())
}

/// A time in this time zone, without seconds. An invalid time is unchanged.
fn local(time: &str, zone: &TimeZone) -> String {
    let parsed: Result<Timestamp, _> = time.parse();
    parsed.map_or_else(
        |_| time.to_owned(),
        |time| {
            time.to_zoned(zone.clone())
                .strftime("%Y-%m-%d %H:%M")
                .to_string()
        },
    )
}

fn print(resource: &Resource, output: &mut Output) -> Result<(), Failure> {
    if output.is_json() {
        output.json(resource)?;
        return output.flush();
    }
    let formats = resource
        .meta
        .as_ref()
        .map(Representation::listed)
        .unwrap_or_default();
    let formats: Vec<_> = formats.into_iter().map(|format| format.mime_type).collect();
    let annotations = resource.annotations.as_ref();
    output.facts([
        ("uri", Some(resource.uri.clone())),
        ("name", Some(resource.name.clone())),
        ("title", resource.title.clone()),
        ("description", resource.description.clone()),
        ("kind", Some(kind(resource).to_owned())),
        ("mime type", resource.mime_type.clone()),
        ("formats", (!formats.is_empty()).then(|| formats.join(", "))),
        ("size", resource.size.map(|size| size.to_string())),
        (
            "modified",
            annotations
                .and_then(|it| it.last_modified.as_deref())
                .map(|time| match output.is_terminal() {
                    true => local_time(time),
                    false => time.to_owned(),
                }),
        ),
        (
            "priority",
            annotations
                .and_then(|it| it.priority)
                .map(|it| it.to_string()),
        ),
        ("problems", problems(resource.meta.as_ref())),
    ])?;
    output.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_those_of_the_place_and_what_is_none_is_kept() {
        let zone = TimeZone::fixed(jiff::tz::offset(2));
        let cases = [
            ("2026-11-21T12:15:59Z", "2026-11-21 14:15"),
            ("2026-11-21T23:30:00.123+01:00", "2026-11-22 00:30"),
            ("yesterday", "yesterday"),
            ("", ""),
        ];
        for (time, expected) in cases {
            assert_eq!(local(time, &zone), expected);
        }
    }
}
