//! Finds the line with the reason in the last output of a process on standard error. npm, uv,
//! Docker, Deno, Bun, Cargo, Java, Go and Python all write it differently.

/// The content of a line, which its start shows.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LineKind {
    /// The reason why a process ended.
    Reason,
    /// The cause of the line before.
    Cause,
    /// Neither of these: where to read more, the name of the program, or a detail for programs.
    Aside,
}

/// The starts of lines, in lower case. The first match counts.
const LINES: &[(&str, LineKind)] = &[
    ("panic: ", LineKind::Reason),
    ("fatal error: ", LineKind::Reason),
    ("╰─▶ ", LineKind::Reason),
    ("an executable named ", LineKind::Reason),
    ("cause: ", LineKind::Cause),
    ("caused by: ", LineKind::Cause),
    ("see '", LineKind::Aside),
    ("run '", LineKind::Aside),
    ("try '", LineKind::Aside),
    ("for more information", LineKind::Aside),
    ("note:", LineKind::Aside),
    ("hint:", LineKind::Aside),
    ("help:", LineKind::Aside),
    ("usage:", LineKind::Aside),
    ("stack backtrace:", LineKind::Aside),
    ("node.js v", LineKind::Aside),
    ("bun v", LineKind::Aside),
    // npm writes the failure first, and then possible remedies and the path of its log.
    ("npm notice", LineKind::Aside),
    ("npm error code ", LineKind::Aside),
    ("npm error errno ", LineKind::Aside),
    ("npm error syscall ", LineKind::Aside),
    ("npm error path ", LineKind::Aside),
    ("npm error dest ", LineKind::Aside),
    ("npm error ", LineKind::Reason),
    ("npm err! code ", LineKind::Aside),
    ("npm err! errno ", LineKind::Aside),
    ("npm err! syscall ", LineKind::Aside),
    ("npm err! path ", LineKind::Aside),
    ("npm err! dest ", LineKind::Aside),
    ("npm err! ", LineKind::Reason),
];

/// The number of words in which a log line has its level, after the time.
const LEVEL_WITHIN: usize = 9;

/// The line that best explains why a process ended, with its cause. With `only_errors`, only an
/// error.
pub(super) fn reason(stderr: &str, only_errors: bool) -> Option<String> {
    let lines: Vec<String> = stderr.lines().map(uncoloured).collect();
    let lines: Vec<&str> = lines
        .iter()
        .map(|line| line.trim_end())
        .filter(|line| !line.is_empty() && !is(line, LineKind::Aside) && !is_news(line))
        .collect();
    // The lines after an error are mostly a stack trace.
    let last = |is_it: fn(&str) -> bool| lines.iter().rposition(|line| is_it(line));
    let at = lines
        .iter()
        .position(|line| is(line, LineKind::Reason))
        .or_else(|| last(begins_with_error))
        .or_else(|| last(|line| !is_indented(line) && has_error(line)))
        .or_else(|| last(|line| line.contains("Error: ") || line.contains("Exception: ")))
        .or_else(|| last(|line| !is_indented(line)).filter(|_| !only_errors))
        .or_else(|| last(|_| true).filter(|_| !only_errors))?;
    let line = lines.get(at)?.trim_start();
    let next = lines.get(at + 1).filter(|next| is(next, LineKind::Cause));
    let cause = next.and_then(|next| next.split_once(": "));
    Some(match (cause, lines.get(at + 1)) {
        (Some((_, cause)), _) => format!("{line}: {cause}"),
        (None, Some(next)) if line.ends_with(':') => format!("{line} {}", next.trim()),
        (None, _) => line.to_owned(),
    })
}

/// Whether a line starts like a line with this content.
fn is(line: &str, content: LineKind) -> bool {
    let line = line.trim_start().to_lowercase();
    let known = LINES.iter().find(|(start, _)| line.starts_with(start));
    known.is_some_and(|(_, known)| *known == content)
}

/// The line without colour sequences.
fn uncoloured(line: &str) -> String {
    let mut parts = line.split('\u{1b}');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |line, part| match part.strip_prefix('[') {
        Some(rest) => {
            line + rest
                .trim_start_matches(|it| !char::is_alphabetic(it))
                .get(1..)
                .unwrap_or_default()
        }
        None => line + part,
    })
}

fn is_indented(line: &str) -> bool {
    line.starts_with([' ', '\t'])
}

/// Whether it is a log line about normal operation.
fn is_news(line: &str) -> bool {
    let words = line.split(|it: char| !it.is_alphanumeric());
    let mut words = words.filter(|word| !word.is_empty()).take(LEVEL_WITHIN);
    words.any(|word| ["TRACE", "DEBUG", "INFO"].contains(&word))
}

/// Whether the first word names an error: `error:`, `ValueError:`, `[ERROR]`.
fn begins_with_error(line: &str) -> bool {
    if is_indented(line) {
        return false;
    }
    let word = line.split([' ', '[', ':']).find(|word| !word.is_empty());
    let word = word.unwrap_or_default().trim_end_matches(']');
    let word = word.to_ascii_lowercase();
    word.ends_with("error") || word.ends_with("exception")
}

fn has_error(line: &str) -> bool {
    line.to_ascii_lowercase().contains("error")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The last output of programs, and the line that is shown.
    const ENDS: &[(&str, &str)] = &[
        ("starting\ngone\n", "gone"),
        (
            "no disk\n[11/24/26 06:29:08] INFO     Starting MCP server 'x'\n2026-11-24T06:29:08.5Z DEBUG error=1\n",
            "no disk",
        ),
        (
            "Error [ERR]: no package x\n    at load (node:1) {\n  code: 'ERR'\n}\n\nNode.js v20\n",
            "Error [ERR]: no package x",
        ),
        (
            "/x.js:1\nthrow new Error(\"boom\")\n^\n\nError: boom\n    at Object.<anonymous> (/x.js:1:7)\n\nNode.js v22.1.0\n",
            "Error: boom",
        ),
        (
            "Traceback (most recent call last):\n  File \"x.py\", line 1, in <module>\n    raise ValueError(\"boom\")\nValueError: boom\n",
            "ValueError: boom",
        ),
        (
            "  + Exception Group Traceback (most recent call last):\n  |   File \"x.py\", line 1\n    | ValueError: boom\n    +-----\n",
            "| ValueError: boom",
        ),
        (
            "npm warn config nodedir\nnpm error code E404\nnpm error 404 Not Found - GET https://r.example/x\nnpm error 404\n\
             npm error A complete log of this run can be found in: /x.log\n",
            "npm error 404 Not Found - GET https://r.example/x",
        ),
        (
            "npm ERR! could not determine executable to run\n\nnpm ERR! A complete log of this run can be found in:\n",
            "npm ERR! could not determine executable to run",
        ),
        (
            "error: No solution found when resolving tool dependencies\n  cause: Because x was not found in the package registry\n",
            "error: No solution found when resolving tool dependencies: Because x was not found in the package registry",
        ),
        (
            "  × No solution found when resolving tool dependencies:\n  ╰─▶ Because x was not found in the package registry and you\n      require x, we can conclude that\n",
            "╰─▶ Because x was not found in the package registry and you",
        ),
        (
            "error: Failed to spawn: `x`\n  Caused by: No such file or directory (os error 2)\n",
            "error: Failed to spawn: `x`: No such file or directory (os error 2)",
        ),
        (
            "Installed 1 package in 39ms\nAn executable named `x` is not provided by package `y`.\nThe following executables are available:\n- y\n",
            "An executable named `x` is not provided by package `y`.",
        ),
        (
            "docker: Cannot connect to the Docker daemon at unix:///x. Is the docker daemon running?\n\nRun 'docker run --help' for more information\n",
            "docker: Cannot connect to the Docker daemon at unix:///x. Is the docker daemon running?",
        ),
        (
            "Unable to find image 'x:latest' locally\ndocker: Error response from daemon: pull access denied for x\nSee 'docker run --help'.\n",
            "docker: Error response from daemon: pull access denied for x",
        ),
        (
            "\u{1b}[0m\u{1b}[1m\u{1b}[31merror\u{1b}[0m: Uncaught (in promise) Error: boom\nthrow new Error(\"boom\")\n\u{1b}[0m\u{1b}[31m      ^\u{1b}[0m\n    at file:///x.ts\n",
            "error: Uncaught (in promise) Error: boom",
        ),
        (
            "error: Module not found \"file:///x.ts\".\n\nStack backtrace:\n   0: <unknown>\n",
            "error: Module not found \"file:///x.ts\".",
        ),
        (
            "1 | throw new Error(\"boom\")\n          ^\nerror: boom\n      at /x.ts:1:7\n\nBun v1.2.0 (Linux x64)\n",
            "error: boom",
        ),
        (
            "error: could not find `Cargo.toml` in `/x` or any parent directory\n",
            "error: could not find `Cargo.toml` in `/x` or any parent directory",
        ),
        (
            "     Running `target/debug/x`\n\nthread 'main' (7) panicked at src/main.rs:1:11:\nboom\nstack backtrace:\n   0: main\nnote: Some details are omitted\n",
            "boom",
        ),
        (
            "Exception in thread \"main\" java.lang.RuntimeException: boom\n\tat A.main(A.java:1)\n",
            "Exception in thread \"main\" java.lang.RuntimeException: boom",
        ),
        (
            "panic: boom\n\ngoroutine 1 [running]:\nmain.main()\n\t/x.go:3 +0x2c\nexit status 2\n",
            "panic: boom",
        ),
        (
            "usage: x [-h] root\nx: error: the following arguments are required: root\n",
            "x: error: the following arguments are required: root",
        ),
        (
            "/usr/bin/python3: No module named x\n",
            "/usr/bin/python3: No module named x",
        ),
        ("sh: 1: x: not found\n", "sh: 1: x: not found"),
        (
            "error: the following required arguments were not provided:\n  <PATH>...\n\nUsage: x <PATH>...\n",
            "error: the following required arguments were not provided: <PATH>...",
        ),
        (
            "Usage: x <COMMAND>\n\nCommands:\n  why  Explain an error: its cause\n\nManual: https://x.example\n",
            "Manual: https://x.example",
        ),
    ];

    #[test]
    fn a_process_is_quoted_with_its_error_and_not_with_what_it_says_after_it() {
        for (stderr, quoted) in ENDS {
            assert_eq!(reason(stderr, false).as_deref(), Some(*quoted), "{stderr}");
        }
        for nothing in ["", "\n \n", "\u{1b}[", "\u{1b}[31mé\u{1b}[0"] {
            let _ = reason(nothing, false);
        }
    }
}
