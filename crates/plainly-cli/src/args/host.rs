//! The hosts whose configuration can be read, printed and changed.

/// A program that has a model and talks to servers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Host {
    /// Claude Code: a command
    Claude,
    /// Claude Desktop: claude_desktop_config.json
    ClaudeDesktop,
    /// Visual Studio Code: .vscode/mcp.json
    Vscode,
    /// Cursor: .cursor/mcp.json
    Cursor,
    /// Codex: ~/.codex/config.toml
    Codex,
    /// Zed: settings.json
    Zed,
    /// Windsurf: ~/.codeium/windsurf/mcp_config.json
    Windsurf,
    /// Gemini CLI: ~/.gemini/settings.json
    Gemini,
}
