//! The hosts whose configuration can be read, printed and changed.

/// A program that has a model and talks to servers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Host {
    /// Claude Code
    Claude,
    /// Claude Desktop
    ClaudeDesktop,
    /// Visual Studio Code
    Vscode,
    /// Cursor
    Cursor,
    /// Codex
    Codex,
    /// Zed
    Zed,
    /// Windsurf
    Windsurf,
    /// Gemini CLI
    Gemini,
}
