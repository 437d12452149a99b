//! The methods of a server, by feature: tools, prompts, resources and skills, and the pages of
//! their listings.

mod listing;
mod pages;
mod prompts;
mod read_result;
mod resource_pages;
mod resources;
#[cfg(feature = "skills")]
mod skills;
mod tools;

pub use self::read_result::ReadResult;
pub use self::resource_pages::ResourcePages;
pub use self::resources::{Metadata, MetadataSource};
#[cfg(feature = "skills")]
pub use self::skills::LoadedSkill;
