//! Kills a process at each step of each change. The process is this test itself, started again.

use std::env;
use std::path::PathBuf;
use std::process::Command;

use super::*;

/// The variables with the directory, and the operation and step, for the process that is killed.
const DIRECTORY: &str = "PLAINLY_TEST_KILLED_IN";
const CASE: &str = "PLAINLY_TEST_KILLED_AT";

#[test]
fn a_killed_process_leaves_the_old_or_the_new() {
    if let Some(directory) = env::var_os(DIRECTORY) {
        return die(&PathBuf::from(directory), &env::var(CASE).unwrap());
    }
    let mut killed = 0;
    for (operation_index, operation) in OPERATIONS.into_iter().enumerate() {
        for (step_index, step) in STEPS.into_iter().enumerate() {
            let directory = Directory::new();
            let status = Command::new(env::current_exe().unwrap())
                .args([
                    "--exact",
                    "write::tests::killed::a_killed_process_leaves_the_old_or_the_new",
                ])
                .env(DIRECTORY, directory.around.path())
                .env(CASE, format!("{operation_index} {step_index}"))
                .output()
                .unwrap()
                .status;
            // Not every change has every step.
            killed += usize::from(status.code().is_none());
            let served = directory.served();
            let case = format!("{operation:?} {step:?} {status}");
            let [before, after] = before_and_after(operation);
            if operation == Operation::Append && served != before && served != after {
                assert!(is_begun(&served), "{case}: {served:?}");
            } else if operation == Operation::Collection {
                assert!(served.starts_with(&before), "{case}: {served:?}");
            } else {
                assert!(served == before || served == after, "{case}: {served:?}");
            }
            directory.clean(Duration::ZERO);
            assert_eq!(directory.leftovers(), [""; 0], "{case}");
            if !operation.is_for_good() {
                let stays = contents(directory.around.path());
                let is_old = |content: &String| content.starts_with(&"o".repeat(OLD));
                assert!(stays.iter().any(is_old), "{case}");
                assert!(stays.contains(&"i".to_owned()), "{case}");
            }
            change(&serve(directory.around.path()), Operation::Append).unwrap();
        }
    }
    assert!(killed > 30, "{killed} processes were killed");
}

/// Whether the file has its old content and a part of the appended bytes.
fn is_begun(served: &[String]) -> bool {
    let begun = served.last().unwrap();
    let added = begun.strip_prefix(&format!("/file o{OLD}n"));
    added.is_some_and(|added| added.parse::<usize>().unwrap() < NEW)
}

fn die(directory: &Path, case: &str) {
    let (operation, step) = case.split_once(' ').unwrap();
    let operation = OPERATIONS[operation.parse::<usize>().unwrap()];
    let step = STEPS[step.parse::<usize>().unwrap()];
    let store = serve(directory);
    operation.during(&store, step, Fault::Killed).unwrap();
}
