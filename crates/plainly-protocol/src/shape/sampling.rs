//! The input for a client's model: blocks and tools as they are in prompts and results.

use plainly_errors::Revision;

use super::content::note;
use super::tools::shape_output;
use super::{Feature, Shape};
use crate::types::{CreateMessageParams, SamplingContent};

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
            // Tools are used where they are declared, and never in a revision that has none.
            Self::Text(_)
            | Self::Image(_)
            | Self::Audio(_)
            | Self::ToolUse(_)
            | Self::Unknown(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::{MediaContent, RawJson, Role, SamplingMessage, Tool, ToolResult};

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
