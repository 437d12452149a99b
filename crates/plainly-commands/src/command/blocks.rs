//! Blocks of content, which tools and prompts return: displayed, or written to files.

use std::borrow::Cow;
use std::path::Path;

use plainly::protocol::types::{Body, Content, RawJson};
use serde_json::Value;

use super::folder::Folder;
use crate::args::SaveArgs;
use crate::failure::Failure;
use crate::output::Output;
use crate::visible::visible;

/// Writes the blocks to the place that the options name. `name` is the name of the tool or the
/// prompt.
pub(super) struct Printer<'a> {
    name: &'a str,
    folder: Option<Folder>,
    saved: usize,
}

impl<'a> Printer<'a> {
    pub(super) fn new(name: &'a str, args: &SaveArgs) -> Result<Self, Failure> {
        Ok(Self {
            name,
            folder: args.save.as_deref().map(Folder::at).transpose()?,
            saved: 0,
        })
    }

    /// Prints text unchanged. Other content is saved if the user wants that, shown if the terminal
    /// can show it, and named.
    pub(super) fn print(&mut self, block: &Content, output: &mut Output) -> Result<(), Failure> {
        let Some(file) = File::of(block) else {
            return output.lines(&shown(block));
        };
        let Some(folder) = &self.folder else {
            if file.is_text {
                return output.lines(&shown(block));
            }
            output.picture(file.bytes)?;
            return output.lines(&shown(block));
        };
        self.saved += 1;
        let name = match file.uri {
            Some(uri) => uri.to_owned(),
            None => format!("{}-{}", self.name, self.saved),
        };
        let path = folder.save(&name, file.mime_type, file.bytes)?;
        output.picture(file.bytes)?;
        let described = visible(&file.described());
        output.lines(&format!("[{described}: {}]", path.display()))
    }
}

/// Writes to one file: the first block other than text, or all text if there is no other block.
pub(super) fn write_one<'a>(
    blocks: impl Iterator<Item = &'a Content> + Clone,
    path: &Path,
    output: &mut Output,
) -> Result<(), Failure> {
    let binary = blocks
        .clone()
        .filter_map(File::of)
        .find(|file| !file.is_text);
    let bytes = match binary {
        Some(file) => Cow::Borrowed(file.bytes),
        None => {
            let texts: Vec<_> = blocks.map(shown).collect();
            Cow::Owned(texts.join("\n").into_bytes())
        }
    };
    output.write_to(path, &bytes)
}

/// A block that could be a file.
struct File<'a> {
    uri: Option<&'a str>,
    /// The kind of the file, in a word.
    kind: &'static str,
    mime_type: &'a str,
    is_text: bool,
    bytes: &'a [u8],
}

impl<'a> File<'a> {
    fn of(block: &'a Content) -> Option<Self> {
        let kind = match block {
            Content::Image(_) => "image",
            Content::Audio(_) => "audio",
            Content::Text(_)
            | Content::Resource(_)
            | Content::ResourceLink(_)
            | Content::Unknown(_)
            | _ => "resource",
        };
        match block {
            Content::Image(media) | Content::Audio(media) => Some(Self {
                uri: None,
                kind,
                mime_type: &media.mime_type,
                is_text: false,
                bytes: &media.data,
            }),
            Content::Resource(block) => Some(Self {
                uri: Some(&block.resource.uri),
                kind,
                mime_type: block.resource.mime_type.as_deref().unwrap_or_default(),
                is_text: block.resource.body.as_text().is_some(),
                bytes: block.resource.body.as_bytes(),
            }),
            Content::Text(_) | Content::ResourceLink(_) | Content::Unknown(_) | _ => None,
        }
    }

    fn described(&self) -> String {
        let what = self.uri.unwrap_or(self.mime_type);
        format!("{} {what}, {} bytes", self.kind, self.bytes.len())
    }
}

/// Text unchanged; other content as a description.
pub(super) fn shown(content: &Content) -> String {
    match content {
        Content::Text(block) => block.text.clone(),
        Content::Resource(block) => match &block.resource.body {
            Body::Text(text) => text.clone(),
            Body::Blob(_) => named(content),
        },
        Content::ResourceLink(resource) => format!("[resource {}]", resource.uri),
        Content::Unknown(block) => text_of(block).unwrap_or_else(|| named(content)),
        Content::Image(_) | Content::Audio(_) | _ => named(content),
    }
}

fn named(content: &Content) -> String {
    match File::of(content) {
        Some(file) => format!("[{}]", visible(&file.described())),
        None => "[content of unknown type; use --json to see it]".to_owned(),
    }
}

/// The text of a block of unknown type, if it is in the usual member.
fn text_of(block: &RawJson) -> Option<String> {
    let block: Value = block.decode().ok()?;
    block.get("text")?.as_str().map(str::to_owned)
}
