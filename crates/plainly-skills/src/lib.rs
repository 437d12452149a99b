//! The rules of skills over MCP (extension `io.modelcontextprotocol/skills`, SEP-2640), which
//! servers and clients both check: for the entry of a skill, the frontmatter of its `SKILL.md`, and
//! the digests of its files.
//!
//! ```
//! use plainly_protocol::types::{Skill, SkillFile, SkillFiles};
//! use plainly_skills::{Frontmatter, digest, mistakes};
//!
//! let file = "---\nname: refunds\ndescription: How to refund\n---\nAsk for the receipt.\n";
//! let frontmatter = Frontmatter::of(file)?;
//! let uri = "skill://refunds/SKILL.md";
//! let files = vec![SkillFile::new(uri, digest(file.as_bytes()), file.len() as u64)];
//! let skill = Skill::new(uri, frontmatter.to_json()?, SkillFiles::Listed(files.clone()));
//! assert!(mistakes(&skill, &files).is_empty());
//! # Ok::<(), plainly_skills::FrontmatterError>(())
//! ```

mod entry;
mod frontmatter;

use std::fmt::Write as _;

use sha2::{Digest as _, Sha256};

pub use self::entry::{MAIN_FILE, MAX_BYTES, MAX_FILES, mistakes, root};
pub use self::frontmatter::{Frontmatter, FrontmatterError};

/// The digest of a file in the form of skill entries: `sha256:` and 64 hexadecimal digits.
pub fn digest(bytes: &[u8]) -> String {
    let mut digest = "sha256:".to_owned();
    for byte in Sha256::digest(bytes) {
        write!(digest, "{byte:02x}").expect("text grows");
    }
    digest
}
