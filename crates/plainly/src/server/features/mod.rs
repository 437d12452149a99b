//! What the program around a server offers: its tools, resources and prompts.

mod catalogue;
mod completion;
mod cursor;
mod error;
mod needs;
mod prompts;
mod resources;
mod tools;

pub(super) use self::catalogue::{Catalogue, Named};
pub(super) use self::cursor::Cursors;
pub use self::error::{BuildError, BuildErrors};
pub use self::prompts::Prompt;
pub(super) use self::prompts::{Prompts, ServedPrompt};
pub(super) use self::resources::{ErasedStore, Resources, build_templates, check_length, erase};
pub use self::resources::{StaticResource, Template};
pub use self::tools::Tool;
pub(super) use self::tools::{ListedTools, ServedTool, Tools, build_tools};
