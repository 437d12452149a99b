//! Random changes by two stores of one file, and by two clones of a store in memory, compared with
//! the same changes of a value.

use plainly::client::oauth::credentials::{Credentials, GrantKey};
use plainly::client::oauth::{FileStore, MemoryStore, TokenStore};
use proptest::prelude::*;

use super::sealed::Chain;
use super::{change, issuer, keep};

#[derive(Clone, Copy, Debug)]
enum Step {
    Keep(u32),
    ForgetRegistration(u32),
    ForgetGrant(u32),
    ForgetAll,
    Nothing,
}

fn apply(credentials: &mut Credentials, step: Step) {
    match step {
        Step::Keep(number) => keep(credentials, number),
        Step::ForgetRegistration(number) => {
            credentials.forget_registration(&issuer(number), &format!("client-{number}"));
        }
        Step::ForgetGrant(number) => {
            let client = format!("client-{number}");
            let key = GrantKey::new(issuer(number), "https://mcp.example", client);
            credentials.forget_grant(&key);
        }
        Step::ForgetAll => *credentials = Credentials::default(),
        Step::Nothing => {}
    }
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => (0..4_u32).prop_map(Step::Keep),
        2 => (0..4_u32).prop_map(Step::ForgetRegistration),
        2 => (0..4_u32).prop_map(Step::ForgetGrant),
        1 => Just(Step::ForgetAll),
        1 => Just(Step::Nothing),
    ]
}

async fn check(stores: [&dyn TokenStore; 2], steps: &[(usize, Step)]) {
    let mut model = Credentials::default();
    for (which, step) in steps {
        apply(&mut model, *step);
        let changed = stores[*which].update(Box::new(|it| apply(it, *step)));
        changed.await.unwrap();
        assert_eq!(stores[1 - *which].load().await.unwrap(), model);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn a_store_keeps_what_a_value_does(steps in prop::collection::vec((0..2_usize, step()), 1..12)) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        let directory = tempfile::tempdir().unwrap();
        let files = [(); 2].map(|()| FileStore::new(directory.path()));
        let other = tempfile::tempdir().unwrap();
        let chain = Chain::default();
        let sealed = [(); 2].map(|()| FileStore::new(other.path()).sealed(chain.clone()));
        let memory = MemoryStore::default();
        runtime.block_on(async {
            check([&files[0], &files[1]], &steps).await;
            check([&sealed[0], &sealed[1]], &steps).await;
            check([&memory, &memory.clone()], &steps).await;
        });
    }
}

#[tokio::test]
async fn a_change_that_panics_changes_nothing_and_blocks_nobody() {
    let directory = tempfile::tempdir().unwrap();
    let store = FileStore::new(directory.path());
    let panicking = tokio::spawn({
        let store = store.clone();
        async move {
            let panicking = change(&store, |it| {
                keep(it, 1);
                panic!("in the middle");
            });
            panicking.await
        }
    });
    assert!(panicking.await.unwrap_err().is_panic());
    assert_eq!(store.load().await.unwrap(), Credentials::default());
    change(&store, |it| keep(it, 2)).await.unwrap();
}
