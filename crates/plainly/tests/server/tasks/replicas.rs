//! The tasks of several replicas of a server.

use std::time::Duration;

use plainly::server::extract::State;
use plainly::server::{Keys, Server, ServerBuilder, TaskSupport, Tool};
use plainly_cluster::{InProcess, Replica};
use plainly_peer::{Gate, within};
use serde_json::{Value, json};

use super::asking::{accept, asking};
use super::support::{Following, http, stream};

/// Builds a replica of a server.
fn replica(engine: &InProcess, builder: ServerBuilder) -> Server {
    with_part(&engine.replica(), builder)
}

fn with_part(part: &Replica, builder: ServerBuilder) -> Server {
    let builder = builder.keys(Keys::new([1; 32]));
    builder.cluster(part.clone()).build().unwrap()
}

#[tokio::test]
async fn a_task_is_reported_answered_and_cancelled_by_any() {
    let (engine, gate) = (InProcess::new(), Gate::new());
    let [one, other] = [(); 2].map(|()| replica(&engine, asking(&gate)));
    let (mut here, mut there) = (stream(&one).await, http(&other).await);
    let id = here.begin_asking("one").await;
    there.asked(&id).await;
    there.answer(&id, json!({"who": accept("Ada")})).await;
    assert_eq!(there.text(&id).await, "Ada");
    let id = here.begin_task("must", "never").await;
    gate.holds(1).await;
    there.ask("tasks/cancel", json!({"taskId": id})).await;
    gate.holds(0).await;
    assert_eq!(here.get(&id).await["status"], "cancelled");
}

async fn much(State(length): State<usize>) -> String {
    "0123456789abcde\n".repeat(length / 16)
}

/// Checks that every replica returns the result of a task, over an engine with this limit for a
/// value.
async fn comes_back(length: usize, most: usize) {
    let engine = InProcess::new();
    let [one, other] = [(); 2].map(|()| {
        let tool = Tool::new("much", much).task(TaskSupport::Required);
        let builder = Server::builder("test", "1").state(length).tool(tool);
        let part = engine.replica();
        part.fail(|faults| faults.max_value = most);
        with_part(&part, builder)
    });
    let (mut here, mut there) = (http(&one).await, http(&other).await);
    let id = here.begin_asking("much").await;
    let text = there.text(&id).await;
    assert!(text == "0123456789abcde\n".repeat(length / 16), "{length}");
}

#[tokio::test]
async fn huge() {
    comes_back(768 << 10, 1 << 20).await;
    comes_back(2 << 20, 56 << 10).await;
}

#[tokio::test]
#[ignore = "takes a minute: .ci/full"]
async fn huge_as_can_be() {
    comes_back(30 << 20, 1 << 20).await;
}

#[tokio::test]
async fn a_server_that_ends_puts_its_tasks_as_failed() {
    let (engine, gate) = (InProcess::new(), Gate::new());
    let [one, other] = [(); 2].map(|()| replica(&engine, asking(&gate)));
    let (mut here, mut there) = (stream(&one).await, http(&other).await);
    let ended = here.begin_task("must", "well").await;
    gate.open(1);
    there.wait(&ended, "completed").await;
    let running = here.begin_task("must", "never").await;
    let elsewhere = there.begin_task("must", "never").await;
    gate.holds(2).await;
    one.end_tasks().await;
    gate.holds(1).await;
    let task = there.get(&running).await;
    let facts = (&task["status"], &task["error"]["code"]);
    assert_eq!(facts, (&json!("failed"), &json!(-32603)));
    assert_eq!(there.get(&ended).await["status"], "completed");
    assert_eq!(there.get(&elsewhere).await["status"], "working");
}

/// The replica that runs the task loses the engine before or after the record is stored, and then
/// its client.
#[tokio::test(start_paused = true)]
async fn runner_killed_before_handle() {
    let half = Duration::from_millis(500);
    let (engine, gate) = (InProcess::new(), Gate::new());
    let other = replica(&engine, asking(&gate));
    let mut there = stream(&other).await;
    for (count, moment) in [half, 3 * half].into_iter().enumerate() {
        let part = engine.replica();
        let one = with_part(&part, asking(&gate));
        let mut here = stream(&one).await;
        part.fail(|faults| {
            faults.delay = 2 * half;
            faults.doubtful_writes = 1;
        });
        let (refused, ()) = tokio::join!(here.run("must", "well"), async {
            tokio::time::sleep(moment).await;
            part.fail(|faults| faults.is_cut = true);
        });
        assert_eq!(refused["error"]["code"], 503, "{refused}");
        // The other replica runs the call, and no one else ran it.
        gate.open(1);
        let id = there.begin_task("must", "well").await;
        there.wait(&id, "completed").await;
        assert_eq!(gate.came(), count + 1);
    }
    let part = engine.replica();
    part.fail(|faults| faults.delay = 2 * half);
    let one = with_part(&part, asking(&gate));
    let mut here = stream(&one).await;
    let call = json!({"name": "must", "arguments": {"how": "well"}});
    here.start("tools/call", call).await;
    tokio::time::sleep(half).await;
    drop((here, one));
    gate.open(1);
    let id = there.begin_task("must", "well").await;
    there.wait(&id, "completed").await;
    assert_eq!(gate.came(), 3);
}

#[tokio::test(start_paused = true)]
async fn runner_killed() {
    let (engine, gate) = (InProcess::new(), Gate::new());
    let [one, other] = [(); 2].map(|()| replica(&engine, asking(&gate)));
    let (mut here, mut there) = (stream(&one).await, stream(&other).await);
    let id = here.begin_task("must", "never").await;
    gate.holds(1).await;
    let listen = json!({"notifications": {"taskIds": [id]}});
    let request = there.request("subscriptions/listen", listen);
    there.peer().send(&request).await;
    let acknowledged = there.peer().next().await;
    assert_eq!(
        acknowledged["params"]["notifications"]["taskIds"][0],
        id.as_str()
    );
    assert_eq!(there.peer().next().await["params"]["status"], "working");
    drop((here, one));
    let told = within(there.peer().next()).await;
    assert_eq!(told["params"]["status"], "failed", "{told}");
    let why = told["params"]["error"]["message"].as_str().unwrap();
    assert!(why.contains("may have been carried out in part"), "{why}");
}

#[tokio::test(start_paused = true)]
async fn runner_stopped() {
    let (engine, gate) = (InProcess::new(), Gate::new());
    let part = engine.replica();
    let one = with_part(&part, asking(&gate));
    let other = replica(&engine, asking(&gate));
    let (mut here, mut there) = (stream(&one).await, stream(&other).await);
    let id = here.begin_task("must", "never").await;
    gate.holds(1).await;
    part.fail(|faults| faults.is_cut = true);
    within(async {
        while there.get(&id).await["status"] != "failed" {
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
    })
    .await;
    gate.holds(1).await;
    part.fail(|faults| faults.is_cut = false);
    // The handler notices that its task is over.
    gate.holds(0).await;
    assert_eq!(here.get(&id).await["status"], "failed");
}

#[tokio::test]
async fn answer_races_end() {
    let (engine, gate) = (InProcess::new(), Gate::new());
    let servers = [(); 3].map(|()| replica(&engine, asking(&gate)));
    let mut clients = Vec::new();
    for server in &servers {
        clients.push(http(server).await);
    }
    let [a, b, c] = &mut clients[..] else {
        panic!("there are three")
    };
    for _ in 0..20 {
        let id = a.begin_asking("one").await;
        c.asked(&id).await;
        let cancel = json!({"taskId": id});
        tokio::join!(
            c.answer(&id, json!({"who": accept("Ada")})),
            b.ask("tasks/cancel", cancel),
        );
        let ended: Value = within(async {
            loop {
                let task = a.get(&id).await;
                if task["status"] == "completed" || task["status"] == "cancelled" {
                    return task;
                }
            }
        })
        .await;
        if ended["status"] == "completed" {
            assert_eq!(ended["result"]["content"][0]["text"], "Ada");
        }
        for other in [&mut *b, &mut *c] {
            let task = other.get(&id).await;
            assert_eq!(task["status"], ended["status"]);
            assert_eq!(task["lastUpdatedAt"], ended["lastUpdatedAt"]);
        }
    }
}
