//! Tests `task` and calls that continue as tasks, with a server that has a task in each state,
//! named after the state.

use std::sync::Mutex;

use serde_json::{Value, json};

use crate::fake::fake;
use crate::support::{PATIENCE, plainly, run};
use crate::table;

/// The requests to the server since its start, for the one test that interrupts a call.
static LOG: Mutex<Vec<String>> = Mutex::new(Vec::new());

fn task(id: &str) -> Value {
    let mut task = json!({
        "taskId": id, "status": "working", "createdAt": "2026-07-28T10:00:00Z", "lastUpdatedAt": "2026-07-28T10:01:00Z",
        "ttlMs": null, "pollIntervalMs": 100,
    });
    let form = json!({"message": "Who?", "requestedSchema": {"type": "object", "required": ["name", "age"],
        "properties": {"name": {"type": "string"}, "age": {"type": "integer"}}}});
    let question = json!({"method": "elicitation/create", "params": form});
    let visit = json!({"mode": "url", "message": "Sign in", "url": "https://a.example/"});
    let visit = json!({"method": "elicitation/create", "params": visit});
    let content = json!([{"type": "text", "text": "90 pages"}]);
    let own = match id {
        "done" => json!({"status": "completed", "result": {"content": content}}),
        "unhappy" => {
            json!({"status": "completed", "result": {"content": content, "isError": true}})
        }
        "failed" => {
            json!({"status": "failed", "error": {"code": -32603, "message": "out of paper"}})
        }
        "cancelled" => json!({"status": "cancelled"}),
        "asking" => json!({"status": "input_required", "inputRequests": {"who": question}}),
        "asking-twice" => {
            json!({"status": "input_required", "inputRequests": {"who": question, "where": visit}})
        }
        _ => json!({"statusMessage": "page \u{1b}[31m7"}),
    };
    for (name, value) in own.as_object().unwrap() {
        task[name] = value.clone();
    }
    task
}

/// Whether the answer is the one that the server expects.
fn is_right(responses: &Value) -> bool {
    let content = json!({"name": "Ada", "age": 36});
    let right = [
        json!({"who": {"action": "accept", "content": content}}),
        json!({"who": {"action": "decline"}}),
        json!({"where": {"action": "accept"}}),
    ];
    right.contains(responses)
}

fn answer(method: &str, params: &Value) -> Value {
    let id = params["taskId"].as_str().unwrap_or_default();
    if ["tools/call", "tasks/get", "tasks/cancel"].contains(&method) {
        LOG.lock().unwrap().push(format!(
            "{method} {}{id}",
            params["name"].as_str().unwrap_or_default()
        ));
    }
    let refused = |message: &str| json!({"error": {"code": -32602, "message": message}});
    match method {
        "tools/call" if params["name"] == "greet" => json!({"result": {"content": []}}),
        "tools/call" => {
            let capabilities = &params["_meta"]["io.modelcontextprotocol/clientCapabilities"];
            let asks = capabilities["elicitation"].is_object();
            let mut handle = task(if asks { "working" } else { "interrupted" });
            handle["resultType"] = "task".into();
            json!({"result": handle})
        }
        "tasks/get" if id == "unknown" => refused("Unknown task"),
        "tasks/get" => json!({"result": task(id)}),
        "tasks/update" if !is_right(&params["inputResponses"]) => refused("Wrong answer"),
        "tasks/update" | "tasks/cancel" => json!({"result": {}}),
        _ => json!({"error": {"code": -32601, "message": "Method not found"}}),
    }
}

#[test]
fn each_command_says_how_far_the_task_is() {
    let url = fake(answer);
    for (words, status, stdout, stderr) in
        table::cases::<(&str, i32, &str, &str)>(include_str!("tasks.txt"), "commands")
    {
        let words: Vec<_> = words
            .split(' ')
            .map(|word| if word == "URL" { &url } else { word })
            .collect();
        let run = run(&words);
        let named = |text: &str| text.replace(&url, "URL");
        let told = (run.status, named(run.text()), named(&run.stderr));
        assert_eq!(
            told,
            (status, stdout.to_owned(), stderr.to_owned()),
            "{words:?}"
        );
    }
}

#[test]
fn no_task_is_left_at_a_server_that_ends_with_the_command() {
    let home = tempfile::TempDir::new().unwrap();
    let config = home.path().join("mcp.json");
    std::fs::write(&config, r#"{"mcpServers": {"job": {"command": "false"}}}"#).unwrap();
    let config = config.to_str().unwrap();
    for words in [
        &["call", "scan", "--task", "--", "false"][..],
        &["call", "job", "scan", "--task", "--config", config],
    ] {
        let ran = run(words);
        assert_eq!((ran.status, ran.text()), (2, ""));
        let told = "error: --task needs a server that keeps running, ";
        assert!(ran.stderr.starts_with(told), "{}", ran.stderr);
    }
}

#[test]
fn a_shell_can_leave_tasks_behind() {
    let url = fake(answer);
    let mut command = plainly();
    command.args(["shell", &url]);
    let output = assert_cmd::Command::from_std(command)
        .write_stdin("call scan --task\ntask get working\ncall greet --task\n")
        .timeout(PATIENCE)
        .output()
        .unwrap();
    let stdout = String::from_utf8(output.stdout).unwrap();
    // The client declares that no user can be asked, as in all commands of a shell.
    assert!(
        stdout.starts_with("interrupted\nstatus        working\n"),
        "{stdout}"
    );
    assert!(output.status.success());
}

#[test]
fn a_task_is_printed_as_it_is() {
    let url = fake(answer);
    let got = run(&["task", "get", &url, "asking", "--json"])
        .succeeded()
        .json();
    assert_eq!(got, task("asking"));
    let waited = run(&["task", "wait", &url, "asking", "--json"]);
    let error = &waited.error_json()["error"];
    assert_eq!(
        (&error["from"], &error["kind"]),
        (&json!("local"), &json!("failure"))
    );
    assert_eq!(error["message"], "the task waits for an answer: Who?");
    let help = format!("plainly task answer {url} asking name=TEXT age=1");
    assert_eq!(error["help"], help);
}

#[cfg(unix)]
#[test]
fn a_call_that_is_interrupted_cancels_its_task() {
    use std::process::Stdio;

    use rustix::process::{Pid, Signal, kill_process};

    let url = fake(answer);
    let mut child = plainly()
        .args(["call", &url, "scan"])
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let log = || LOG.lock().unwrap().clone();
    // The signal comes after the client has learned of the task.
    while !log().contains(&"tasks/get interrupted".to_owned()) {
        std::thread::yield_now();
    }
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(
        log().contains(&"tasks/cancel interrupted".to_owned()),
        "{:?}",
        log()
    );
}
