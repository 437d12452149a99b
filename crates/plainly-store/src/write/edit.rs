//! `edit_resource`: replaces pieces of a text.

use std::sync::Arc;

use bytes::Bytes;
use plainly_protocol::types::{Content, Resource};
use plainly_server::reply::{Json, StructuredOutput};
use plainly_server::store::{
    BudgetPart, ByteRange, ChangeQuery, RangeQuery, Ranged, StoreError, When, Writable, WriteError,
    WriteQuery, Written,
};
use plainly_server::{Failure, Tool};
use schemars::JsonSchema;
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use tokio::task::spawn_blocking;

use super::change::{Change, Stop};
use super::{Writing, output, problems};
use crate::edits::{self, Edit};
use crate::{TEXT_BYTES, entry, formats};

pub(super) const NAME: &str = "edit_resource";

/// The maximum number of edits in one call.
const MOST: usize = 100;

/// The maximum number of attempts if other programs write meanwhile.
const TRIES: usize = 5;

/// The number of copies of a text in memory while it is edited: the original, the edited text, and
/// both with plain line endings.
const COPIES: u64 = 4;

/// The maximum number of texts edited at a time. Other calls wait before they read theirs.
pub(super) const AT_ONCE: usize = 8;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct EditArgs {
    /// URI or path of a text file.
    uri: String,
    #[schemars(length(min = 1, max = MOST))]
    edits: Vec<EditArg>,
    /// Only shows the changes.
    dry_run: Option<bool>,
    /// Fails if its tag is another one.
    if_tag: Option<String>,
}

#[derive(Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
struct EditArg {
    /// Text that occurs exactly once.
    old: String,
    /// Text to be there instead.
    new: String,
    /// Replaces it wherever it occurs.
    all: Option<bool>,
}

// A text after its edits.
#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
struct EditOutput {
    uri: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    size: Option<u64>,
    // For `if_tag` of the next change.
    #[serde(skip_serializing_if = "Option::is_none")]
    tag: Option<String>,
    diff: String,
    // Further information, such as edits that were found only by ignoring blanks.
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

pub(super) fn tool<S: Writable>(source: &Arc<Writing<S>>) -> Tool {
    super::tool(NAME, source, edit)
        .title("Edit a resource")
        .description(
            "Replaces pieces of a text file, all or none, and shows a diff. Each is looked for in the text as it was before.",
        )
        .annotations(super::hints(true, false))
}

async fn edit<S: Writable>(
    change: Change<S>,
    args: EditArgs,
) -> Result<StructuredOutput<EditOutput>, Failure> {
    let uri = change.view.uri_of_one(&args.uri)?;
    let editing = Editing {
        change: &change,
        uri: &uri,
        edits: args.edits.into(),
        if_tag: args.if_tag.as_deref(),
    };
    if args.dry_run.unwrap_or_default() {
        change.count()?;
        let (text, edited) = editing.edited().await?;
        let mut written = Written::new(&uri).size(edited.text.len() as u64);
        written.tag = text.tag;
        return Ok(edited.into_output("Would edit", written));
    }
    let check = async {
        let (text, edited) = editing.edited().await?;
        let edited = ChangeQuery::Write(editing.query(&text, &edited));
        Ok(change.view.store.check_change(edited).await?)
    };
    let run = |permanent| editing.run(permanent);
    let action = format!("Edit {uri}");
    let (edited, written) = change.make(&uri, &action, check, run).await?;
    Ok(edited.into_output("Edited", written))
}

/// A call of the tool.
struct Editing<'a, S> {
    change: &'a Change<S>,
    uri: &'a str,
    edits: Arc<[EditArg]>,
    if_tag: Option<&'a str>,
}

impl<S: Writable> Editing<'_, S> {
    /// Edits the current text, and retries if another program changes it meanwhile.
    async fn run(&self, permanent: bool) -> Result<(EditResult, Written), Stop> {
        for _ in 0..TRIES {
            let (text, edited) = self.edited().await?;
            let query = self.query(&text, &edited).permanent(permanent);
            match self.change.view.store.write(query).await {
                Ok(written) => return Ok((edited, written)),
                Err(WriteError::Changed { .. }) if self.if_tag.is_none() => {}
                Err(error) => return Err(error.into()),
            }
        }
        Err(problems::contended(self.uri).into())
    }

    /// The request to replace this text by the edited one.
    fn query<'b>(&'b self, text: &'b Ranged, edited: &EditResult) -> WriteQuery<'b> {
        let when = text.tag.as_deref().map_or(When::Always, When::Tag);
        WriteQuery::new(self.uri, edited.text.clone()).when(when)
    }

    /// The current text, and the text after the edits.
    async fn edited(&self) -> Result<(Ranged, EditResult), Failure> {
        let writing = &self.change.writing;
        let place = Arc::clone(&writing.edits).acquire_owned().await?;
        let (resource, text) = self.read().await?;
        let held = self.hold(text.bytes.len()).await?;
        let (bytes, edits) = (text.bytes.clone(), Arc::clone(&self.edits));
        let limit = writing.settings.bytes;
        // Editing a large text takes a while, so it needs a thread that may block.
        let edited = spawn_blocking(move || {
            // The edit owns its place, so an edit whose caller has gone occupies it until it is
            // done.
            let _place = place;
            EditResult::of(&bytes, &edits, limit, &resource, held)
        });
        Ok((text, edited.await??))
    }

    /// Reserves memory for a text of this size and its edits.
    async fn hold(&self, size: usize) -> Result<BudgetPart, Failure> {
        let (view, size) = (&self.change.view, size as u64);
        match view.store.budget().take(size * COPIES).await {
            Ok(held) => Ok(held),
            Err(StoreError::TooLarge { limit, .. }) => {
                let limit = usize::try_from(limit / COPIES).unwrap_or(usize::MAX);
                Err(problems::too_large_to_edit(self.uri, size, limit).into())
            }
            Err(error) => Err(crate::problems::of(view, self.uri, error).await.into()),
        }
    }

    /// The current text and its metadata.
    async fn read(&self) -> Result<(Resource, Ranged), Failure> {
        let (view, uri) = (&self.change.view, self.uri);
        let limit = self.change.writing.settings.bytes;
        let resource = match view.store.metadata(uri).await {
            Ok(resource) if entry::is_collection(&resource) => {
                return Err(crate::problems::is_a_collection(uri).into());
            }
            Ok(resource) => resource,
            Err(error) => return Err(crate::problems::of(view, uri, error).await.into()),
        };
        let range = ByteRange::From {
            first: 0,
            most: limit as u64,
        };
        let text = match view.store.read_range(RangeQuery::new(uri, range)).await {
            Ok(text) => text,
            Err(error) => return Err(crate::problems::of(view, uri, error).await.into()),
        };
        if text.size > limit as u64 {
            return Err(problems::too_large_to_edit(uri, text.size, limit).into());
        }
        match (self.if_tag, text.tag.as_deref()) {
            (Some(expected), present) if present != Some(expected) => {
                Err(problems::changed(uri, present).into())
            }
            _ => Ok((resource, text)),
        }
    }
}

/// An edited text, with its diff and a note.
struct EditResult {
    text: Bytes,
    diff: String,
    note: Option<String>,
    /// The memory reserved for the text until it is written.
    _held: BudgetPart,
}

impl EditResult {
    fn of(
        bytes: &[u8],
        edits: &[EditArg],
        limit: usize,
        resource: &Resource,
        held: BudgetPart,
    ) -> Result<Self, Failure> {
        let edits: Vec<Edit<'_>> = edits
            .iter()
            .map(|edit| match edit.all.unwrap_or_default() {
                true => Edit::new(&edit.old, &edit.new).all(),
                false => Edit::new(&edit.old, &edit.new),
            })
            .collect();
        let edited = edits::apply(bytes, &edits, limit);
        let edited = edited.map_err(|found| problems::of_edits(found, resource))?;
        if formats::is_for_programs(resource.mime_type.as_deref())
            && is_json(bytes)
            && !is_json(edited.text.as_bytes())
        {
            return Err(problems::no_json(&resource.uri).into());
        }
        let mut diff = edited.diff(&resource.uri);
        let mut notes: Vec<String> = edited.loose.iter().map(|edit| loose(*edit)).collect();
        if diff.len() > TEXT_BYTES {
            let cut = diff.get(..diff.floor_char_boundary(TEXT_BYTES));
            let end = cut.and_then(|cut| cut.rfind('\n'));
            diff.truncate(end.map_or(0, |end| end + 1));
            notes.push("The diff goes on.".to_owned());
        }
        Ok(Self {
            text: edited.text.into(),
            diff,
            note: (!notes.is_empty()).then(|| notes.join(" ")),
            _held: held,
        })
    }

    fn into_output(self, done: &str, written: Written) -> StructuredOutput<EditOutput> {
        let mut line = output::line(done, &written);
        if let Some(note) = &self.note {
            line.push(' ');
            line.push_str(note);
        }
        let content = [
            Content::text(line),
            Content::text(&self.diff),
            output::link(&written),
        ];
        let output = EditOutput {
            uri: written.uri,
            size: written.size,
            tag: written.tag,
            diff: self.diff,
            note: self.note,
        };
        Json(output).content(content)
    }
}

fn is_json(text: &[u8]) -> bool {
    serde_json::from_slice::<IgnoredAny>(text).is_ok()
}

/// The note about an edit whose piece was found only by ignoring blanks.
fn loose(edit: usize) -> String {
    format!(
        "`old` of edits[{edit}] was found only without the blanks around its lines; `new` was indented as the lines there."
    )
}
