//! Tasks whose replica ends, stops or answers again, as another replica sees them.

use std::future::poll_fn;
use std::time::SystemTime;

use futures_util::future::{BoxFuture, FutureExt};
use plainly_cluster::Unanswered;
use plainly_errors::Dialect;
use plainly_protocol::types::{Implementation, RawJson, TaskStatus};
use plainly_transport::quota::Quota;

use super::*;
use crate::alive::ANSWER;
use crate::audience::ErrorPolicy;
use crate::changes::{Changes, TopicSubscription};
use crate::limits::Limits;
use crate::outgoing::encode::Encoder;
use crate::tasks::MemoryTasks;
use crate::tasks::record::TaskEvent;

const ID: &str = "a task";
const RUNNER: ReplicaId = ReplicaId::new(1);

/// The answer of every replica.
#[derive(Debug)]
struct Answers(Lock<Result<(), Unanswered>>);

impl Asks for Answers {
    fn is_there(&self, _: ReplicaId) -> BoxFuture<'_, Result<(), Unanswered>> {
        let answer = *self.0.lock();
        async move {
            if answer == Err(Unanswered::Silent) {
                sleep(ANSWER).await;
            }
            answer
        }
        .boxed()
    }
}

/// A replica that reads one task, which another replica runs.
struct Reader {
    tasks: Arc<Tasks>,
    asks: Arc<Answers>,
    heard: TopicSubscription,
    began: Instant,
}

impl Reader {
    async fn new(answer: Result<(), Unanswered>) -> Self {
        let (limits, changes) = (Limits::default(), Changes::new());
        let store = Arc::new(MemoryTasks::new(&limits));
        let encoder = Encoder::new(Dialect::default(), Implementation::new("t", "1"), 1 << 20);
        let errors = ErrorPolicy::default();
        let tasks = Tasks::new(store, &changes, &Arc::new(encoder), errors, &limits);
        let asks = Arc::new(Answers(Lock::new(answer)));
        let asked: Arc<dyn Asks> = Arc::<Answers>::clone(&asks);
        let tasks = Arc::new(tasks.of_replica(ReplicaId::new(2), asked));
        let (now, hour) = (SystemTime::now(), Duration::from_hours(1));
        let second = Duration::from_secs(1);
        let mut record = TaskRecord::new(ID.to_owned(), None, now, hour, second);
        record.runner = Some(RUNNER.to_string());
        tasks.store.insert(record).await.unwrap();
        let heard = changes.subscribe(Quota::new(usize::MAX).part(None));
        Self {
            tasks,
            asks,
            heard,
            began: Instant::now(),
        }
    }

    async fn status(&self) -> TaskStatus {
        let record = self.tasks.get(ID).await.unwrap().unwrap();
        record.task.state.status()
    }

    /// Reads the task every second for so many seconds. Returns the second in which it has failed.
    async fn fails(&self, seconds: u64) -> Option<u64> {
        while self.began.elapsed().as_secs() < seconds {
            if self.status().await == TaskStatus::Failed {
                return Some(self.began.elapsed().as_secs());
            }
            sleep(Duration::from_secs(1)).await;
        }
        None
    }
}

#[tokio::test(start_paused = true)]
async fn runner_killed() {
    let reader = Reader::new(Err(Unanswered::Gone)).await;
    reader.heard.add([Topic::Task(ID.into())]).unwrap();
    let failed = reader.fails(60).await.unwrap();
    assert!((10..=15).contains(&failed), "{failed}");
    // Listeners are notified once.
    poll_fn(|context| reader.heard.poll_next(context)).await;
    let again = poll_fn(|context| reader.heard.poll_next(context));
    assert!(again.now_or_never().is_none());
}

#[tokio::test(start_paused = true)]
async fn runner_stopped() {
    let reader = Reader::new(Err(Unanswered::Silent)).await;
    let failed = reader.fails(60).await.unwrap();
    assert!((30..=40).contains(&failed), "{failed}");
    // The replica that runs the task wakes up, but its result comes too late.
    let end = TaskEvent::Completed(RawJson::parse("{}").unwrap());
    let record = reader.tasks.record(ID, end).await.unwrap().unwrap();
    assert_eq!(record.task.state.status(), TaskStatus::Failed);
}

#[tokio::test(start_paused = true)]
async fn a_task_goes_on_whose_replica_answers_or_cannot_be_asked() {
    for answer in [Ok(()), Err(Unanswered::Unsent)] {
        let reader = Reader::new(answer).await;
        assert_eq!(reader.fails(300).await, None, "{answer:?}");
        *reader.asks.0.lock() = Err(Unanswered::Gone);
        assert!(reader.fails(400).await.is_some());
    }
}

#[tokio::test(start_paused = true)]
async fn a_result_that_is_stored_stays() {
    let reader = Reader::new(Err(Unanswered::Gone)).await;
    assert_eq!(reader.fails(5).await, None);
    let end = TaskEvent::Completed(RawJson::parse("{}").unwrap());
    reader.tasks.record(ID, end).await.unwrap();
    assert_eq!(reader.fails(60).await, None);
    assert_eq!(reader.status().await, TaskStatus::Completed);
}

#[tokio::test(start_paused = true)]
async fn a_task_that_nobody_waits_for_is_forgotten() {
    let reader = Reader::new(Ok(())).await;
    let watched = reader.tasks.watched.as_ref().unwrap();
    let is_empty = || watched.table.lock().tasks.is_empty();
    assert!(!is_empty() || reader.status().await == TaskStatus::Working);
    sleep(WAITS / 2).await;
    assert!(!is_empty());
    sleep(WAITS).await;
    assert!(is_empty() && !watched.table.lock().is_swept);
    // A listener keeps the task watched.
    reader.heard.add([Topic::Task(ID.into())]).unwrap();
    reader.status().await;
    sleep(WAITS * 9).await;
    assert!(!is_empty());
}
