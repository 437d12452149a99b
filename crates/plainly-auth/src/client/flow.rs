//! The authorization of one client at one MCP server, which all steps of its flows share.

use super::settings::Settings;
use super::wallet::Wallet;
use crate::fetch::Fetcher;

/// The authorization for one MCP server, with everything that the steps of its flows use.
pub(super) struct Flow {
    pub(super) settings: Settings,
    pub(super) wallet: Wallet,
    pub(super) fetcher: Fetcher,
    /// The URL of the MCP server, without parts that may be secret.
    pub(super) server: String,
}
