//! The rules for the names that are visible in a mount.

use std::ffi::OsStr;
use std::sync::Arc;

use super::above::RulesAbove;
use super::withheld::WithheldFiles;

/// The rules for visible names.
#[derive(Clone, Debug, Default)]
pub(super) struct VisibleNames {
    /// Names that begin with a dot.
    pub(super) hidden: bool,
    /// Names that `.ignore` and `.gitignore` files leave out.
    pub(super) ignored: bool,
    /// The rules from above the mount, if there can be any.
    pub(super) above: Option<Arc<RulesAbove>>,
    /// Files that are never visible, whatever their names.
    pub(super) withheld: WithheldFiles,
    /// The only name that is shown, if there is one: of a file.
    pub(super) only: Option<Arc<OsStr>>,
}

impl VisibleNames {
    /// The rules where a user asks for this one file, whatever its name.
    pub(super) fn only(&self, name: &Arc<OsStr>) -> Self {
        Self {
            hidden: true,
            ignored: true,
            above: None,
            withheld: self.withheld.clone(),
            only: Some(Arc::clone(name)),
        }
    }
}
