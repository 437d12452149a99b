//! Blocks of content of a type that a revision lacks. The revision's set of types is closed, so
//! such a block becomes text that names its type.

use std::fmt::Write;

use plainly_errors::Revision;

use super::tools::shape_output;
use super::{Feature, Shape};
use crate::types::{
    Content, CreateMessageParams, GetPromptResult, MediaContent, Resource, SamplingContent,
    TextContent,
};

impl Shape for Content {
    fn shape(&mut self, revision: Revision) {
        let text = match self {
            Self::Audio(audio) if !Feature::Audio.is_in(revision) => note(audio, revision),
            Self::ResourceLink(link) if !Feature::ResourceLink.is_in(revision) => TextContent {
                text: reference(link),
                annotations: link.annotations.take(),
                meta: link.meta.take(),
            },
            Self::Text(_)
            | Self::Image(_)
            | Self::Audio(_)
            | Self::Resource(_)
            | Self::ResourceLink(_)
            | Self::Unknown(_) => return,
        };
        *self = Self::Text(text);
    }
}

impl Shape for GetPromptResult {
    fn shape(&mut self, revision: Revision) {
        for message in &mut self.messages {
            message.content.shape(revision);
        }
    }
}

impl Shape for CreateMessageParams {
    fn shape(&mut self, revision: Revision) {
        for message in &mut self.messages {
            for block in &mut message.content {
                block.shape(revision);
            }
        }
        for tool in self.tools.iter_mut().flatten() {
            tool.shape(revision);
        }
    }
}

impl Shape for SamplingContent {
    fn shape(&mut self, revision: Revision) {
        match self {
            Self::Audio(audio) if !Feature::Audio.is_in(revision) => {
                *self = Self::Text(note(audio, revision));
            }
            Self::ToolResult(result) => {
                shape_output(
                    &mut result.content,
                    &mut result.structured_content,
                    revision,
                );
            }
            // The client declares the use of tools, and can't do so in a revision without them.
            Self::Text(_)
            | Self::Image(_)
            | Self::Audio(_)
            | Self::ToolUse(_)
            | Self::Unknown(_) => {}
        }
    }
}

/// A note that replaces a recording that can't be sent.
fn note(audio: &mut MediaContent, revision: Revision) -> TextContent {
    let bytes = audio.data.len();
    TextContent {
        text: format!(
            "Audio ({}, {bytes} bytes), which protocol version {revision} can't carry",
            audio.mime_type
        ),
        annotations: audio.annotations.take(),
        meta: audio.meta.take(),
    }
}

/// The data of the resource, enough to read it or to decide not to.
fn reference(link: &Resource) -> String {
    let name = link.title.as_ref().unwrap_or(&link.name);
    let mut text = format!("Resource {name}: {}", link.uri);
    let size = link.size.map(|size| format!("{size} bytes"));
    let facts: Vec<_> = link
        .mime_type
        .iter()
        .chain(&size)
        .map(String::as_str)
        .collect();
    if !facts.is_empty() {
        write!(text, " ({})", facts.join(", ")).expect("a string takes all that is written");
    }
    if let Some(description) = &link.description {
        text.push('\n');
        text.push_str(description);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::{
        Annotations, Meta, PromptMessage, RawJson, Role, SamplingMessage, Tool, ToolResult,
    };

    fn shaped(content: &Content, revision: Revision) -> Content {
        let mut prompt = GetPromptResult::new([PromptMessage::new(Role::User, content.clone())]);
        prompt.shape(revision);
        prompt.messages.remove(0).content
    }

    fn hints() -> (Annotations, Meta) {
        let meta = Meta::from_iter([("a", true.into())]);
        (Annotations::new().priority(0.5), meta)
    }

    fn text(text: &str) -> Content {
        let (annotations, meta) = hints();
        Content::Text(TextContent::new(text).annotations(annotations).meta(meta))
    }

    #[test]
    fn audio_is_told_of_where_it_cannot_be_heard() {
        let (annotations, meta) = hints();
        let audio = MediaContent::new(*b"abc", "audio/wav");
        let audio = Content::Audio(audio.annotations(annotations).meta(meta));
        for revision in Revision::ALL {
            let expected = match revision == Revision::V2024_11_05 {
                true => text(
                    "Audio (audio/wav, 3 bytes), which protocol version 2024-11-05 can't carry",
                ),
                false => audio.clone(),
            };
            assert_eq!(shaped(&audio, revision), expected, "{revision}");
        }
    }

    #[test]
    fn a_link_that_is_no_content_is_text_with_the_uri() {
        let (annotations, meta) = hints();
        let link = Resource::new("file:///a", "a")
            .annotations(annotations)
            .meta(meta);
        let whole = link.clone().title("A").description("It is.");
        let whole = whole.mime_type("text/plain").size(12);
        for (link, words) in [
            (link.clone(), "Resource a: file:///a"),
            (link.size(0), "Resource a: file:///a (0 bytes)"),
            (
                whole,
                "Resource A: file:///a (text/plain, 12 bytes)\nIt is.",
            ),
        ] {
            let link = Content::resource_link(link);
            for revision in Revision::ALL {
                let expected = match Feature::ResourceLink.is_in(revision) {
                    true => link.clone(),
                    false => text(words),
                };
                assert_eq!(shaped(&link, revision), expected, "{revision}");
            }
        }
    }

    #[test]
    fn a_model_hears_of_what_its_revision_cannot_carry() {
        let raw = |text: &str| RawJson::parse(text).unwrap();
        let audio = SamplingContent::Audio(MediaContent::new(*b"abc", "audio/wav"));
        let result = ToolResult::new("c", []).structured_content(raw("[1]"));
        let message =
            SamplingMessage::new(Role::User, [audio, SamplingContent::ToolResult(result)]);
        let tool = Tool::new("a", raw(r#"{"type":"object","properties":{"a":true}}"#));
        let params = CreateMessageParams::new([message], 1).tools([tool]);
        for (revision, hears, has_value) in [
            (Revision::V2024_11_05, false, false),
            (Revision::V2025_11_25, true, false),
            (Revision::V2026_07_28, true, true),
        ] {
            let mut params = params.clone();
            params.shape(revision);
            let [heard, SamplingContent::ToolResult(result)] = &params.messages[0].content[..]
            else {
                panic!("{params:?}")
            };
            assert_eq!(matches!(heard, SamplingContent::Audio(_)), hears);
            assert_eq!(result.structured_content.is_some(), has_value);
            assert_eq!(result.content.is_empty(), has_value);
            let schema = params.tools.unwrap()[0].input_schema.get().to_owned();
            assert_eq!(schema.contains("true"), has_value, "{revision}");
        }
    }
}
