//! A directory to serve, next to others that are not served, and its server.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::plainly;

/// The contents outside of the served directory, which no answer may contain.
pub(super) const CANARY: &str = "canary-3b9f71";

/// A directory `data` to serve, among others that are not.
pub(super) struct Place {
    pub(super) root: TempDir,
}

impl Place {
    pub(super) fn new() -> Self {
        let root = TempDir::new().unwrap();
        for directory in ["data/sub", "data-evil", "outside"] {
            fs::create_dir_all(root.path().join(directory)).unwrap();
        }
        for outside in [
            "secret.txt",
            "data-evil/secret.txt",
            "outside/secret.txt",
            "data/.env",
            "data/ignored.txt",
        ] {
            fs::write(root.path().join(outside), CANARY).unwrap();
        }
        fs::write(root.path().join("data/.ignore"), "ignored.txt\n").unwrap();
        fs::write(root.path().join("data/a.txt"), "A").unwrap();
        fs::write(root.path().join("data/sub/b.txt"), "B").unwrap();
        Self { root }
    }

    pub(super) fn data(&self) -> String {
        self.root.path().join("data").to_str().unwrap().to_owned()
    }

    pub(super) fn link(&self, target: impl AsRef<Path>, name: &str) {
        symlink(target, self.root.path().join("data").join(name)).unwrap();
    }

    /// Checks that the answer to a request for `asked` contains neither contents nor paths from
    /// outside, except for those in the request.
    #[track_caller]
    pub(super) fn unseen(&self, said: &Value, asked: &str) {
        let said = said.to_string().replace(asked, "");
        assert!(!said.contains(CANARY), "{said}");
        assert!(!said.contains(self.root.path().to_str().unwrap()), "{said}");
    }
}

/// A server in a separate process, on its standard streams.
pub(super) struct Talking {
    pub(super) child: Child,
    pub(super) stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
}

impl Talking {
    pub(super) fn start(place: &Place) -> Self {
        let mut child = plainly()
            .args(["serve", &place.data(), "--stdio"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        Self {
            stdin: child.stdin.take().unwrap(),
            stdout: BufReader::new(child.stdout.take().unwrap()),
            child,
        }
    }

    pub(super) fn ask(&mut self, method: &str, params: Value) -> Value {
        let line = format!("{}\n", request(method, params));
        self.stdin.write_all(line.as_bytes()).unwrap();
        self.next()
    }

    pub(super) fn next(&mut self) -> Value {
        let mut line = String::new();
        self.stdout.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line:?}"))
    }
}

impl Drop for Talking {
    fn drop(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

pub(super) fn request(method: &str, mut params: Value) -> Value {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
}
