//! The rules for the names that are visible in a mount.

use std::ffi::OsStr;
use std::sync::Arc;

use super::above::RulesAbove;
use super::withheld::WithheldFiles;

/// The rules for visible names.
#[derive(Clone, Debug, Default)]
pub(super) struct VisibleNames {
    /// Whether names that begin with a dot are visible.
    pub(super) hidden: bool,
    /// Whether names excluded by `.ignore` and `.gitignore` files are visible.
    pub(super) ignored: bool,
    /// The rules from above the mount; `None` if they don't apply.
    pub(super) above: Option<Arc<RulesAbove>>,
    /// Files that are never visible, whatever their names.
    pub(super) withheld: WithheldFiles,
    /// The only visible name, if the mount is a single file.
    pub(super) only: Option<Arc<OsStr>>,
}

impl VisibleNames {
    /// The rules for a mount of this one file, which is visible whatever its name.
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
