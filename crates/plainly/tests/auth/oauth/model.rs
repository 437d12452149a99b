//! Logins with any events in any order: no refresh token is sent twice, no value goes to an
//! uninvolved server, and every call ends soon. A call fails only if the authorization server was
//! down or has forgotten its clients.

use std::path::Path;
use std::pin::pin;

use futures_util::FutureExt;
use plainly::Client;
use plainly::client::oauth::FileStore;
use plainly_authorization::{
    Answer, AuthorizationServer, Binding, Endpoint, Misbehaviour, ProtectedServer, Record, Rules,
};
use proptest::collection::vec;
use proptest::prelude::{Just, ProptestConfig, Strategy, any, prop_oneof, proptest};
use proptest::sample::select;

use super::support::{Person, connect, greet};

/// The maximum number of requests for one call, with all its retries and everything that their
/// logins need.
const MOST: usize = 40;

/// An event between two calls.
#[derive(Clone, Debug)]
enum Step {
    /// All access tokens expire.
    Expire,
    /// All tokens are revoked.
    Revoke,
    /// The server switches to its other authorization server.
    Migrate,
    /// The authorization servers forget the registered clients.
    Forget,
    /// From now on calls need another scope.
    NeedMore,
    /// The server rejects one request without a reason.
    RefuseOnce,
    /// The next token request fails.
    Down,
    /// A client restarts with its stored logins.
    Restart(bool),
    /// A client gives up a call after so many turns, and calls again.
    GiveUp(bool, usize),
    /// Both clients call at the same time.
    Both,
    /// One client calls.
    Call(bool),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        2 => Just(Step::Expire),
        1 => Just(Step::Revoke),
        1 => Just(Step::Migrate),
        1 => Just(Step::Forget),
        1 => Just(Step::NeedMore),
        1 => Just(Step::RefuseOnce),
        1 => Just(Step::Down),
        1 => any::<bool>().prop_map(Step::Restart),
        1 => (any::<bool>(), 0..80_usize).prop_map(|(which, turns)| Step::GiveUp(which, turns)),
        2 => Just(Step::Both),
        2 => any::<bool>().prop_map(Step::Call),
    ];
    vec(step, 1..25)
}

/// Servers whose tokens rotate or not, are bound or not, and expire at once, later, or at an
/// unknown time.
fn rules() -> impl Strategy<Value = Rules> {
    // Nonces are left out, because an extra retry at each step would exceed a request's retries.
    let bindings = [Binding::Bearer, Binding::Dpop];
    let lifetimes = [Some(0), Some(3600), None];
    let rules = (
        any::<bool>(),
        select(bindings.to_vec()),
        select(lifetimes.to_vec()),
    );
    rules.prop_map(|(rotates, binding, expires_in)| Rules {
        rotates,
        binding,
        expires_in,
        methods: vec!["client_secret_basic"],
        ..Rules::default()
    })
}

/// All parties, and the expected state.
struct Model {
    issuers: [AuthorizationServer; 2],
    server: ProtectedServer,
    person: Person,
    clients: [Option<Client>; 2],
    /// The index of the issuer that the server names.
    current: usize,
    scopes: usize,
    /// Whether each issuer has forgotten its registered clients. A failure is then expected.
    has_forgotten: [bool; 2],
}

impl Model {
    async fn new(rules: &Rules) -> Self {
        let issuer = async |marker| {
            let rules = Rules {
                marker,
                ..rules.clone()
            };
            AuthorizationServer::start(rules).await
        };
        let issuers = [issuer("first").await, issuer("second").await];
        let server = ProtectedServer::start(&issuers[0]).await;
        Self {
            issuers,
            server,
            person: Person::default(),
            clients: [None, None],
            current: 0,
            scopes: 0,
            has_forgotten: [false; 2],
        }
    }

    fn records(&self) -> [&Record; 3] {
        [
            &self.server.record,
            &self.issuers[0].record,
            &self.issuers[1].record,
        ]
    }

    fn total(&self) -> usize {
        self.records().into_iter().map(Record::total).sum()
    }

    /// Performs a step.
    async fn take(&mut self, step: &Step, directory: &Path) {
        let issuer = &self.issuers[self.current];
        match step {
            Step::Expire => self.issuers.iter().for_each(AuthorizationServer::expire),
            Step::Revoke => self.issuers.iter().for_each(AuthorizationServer::revoke),
            Step::Forget => {
                let all = &self.issuers;
                all.iter().for_each(AuthorizationServer::forget_clients);
                self.has_forgotten = [true; 2];
            }
            Step::Migrate => {
                self.current = 1 - self.current;
                self.server.migrate(&self.issuers[self.current]);
            }
            Step::NeedMore => {
                self.scopes += 1;
                self.server.need_to_call(&format!("scope-{}", self.scopes));
            }
            Step::RefuseOnce => self.server.refuse_once(),
            Step::Down => {
                issuer.set(Misbehaviour::AnswersOnce(
                    Endpoint::Token,
                    Answer::new(503, ""),
                ));
            }
            Step::Restart(which) => self.clients[usize::from(*which)] = None,
            Step::GiveUp(which, turns) => {
                self.give_up(usize::from(*which), *turns).await;
                // Calls at once, because a token that expires before its first use counts as
                // rejected.
                self.call(&[usize::from(*which)], directory).await;
            }
            Step::Both => self.call(&[0, 1], directory).await,
            Step::Call(which) => self.call(&[usize::from(*which)], directory).await,
        }
    }

    /// Polls a call so many times, and then drops it.
    async fn give_up(&self, at: usize, turns: usize) {
        let Some(client) = &self.clients[at] else {
            return;
        };
        let mut call = pin!(greet(client));
        for _ in 0..turns {
            if (&mut call).now_or_never().is_some() {
                return;
            }
            tokio::task::yield_now().await;
        }
    }

    /// Makes these clients call at the same time.
    async fn call(&mut self, which: &[usize], directory: &Path) {
        let before = self.total();
        let is_down = self
            .issuers
            .iter()
            .any(AuthorizationServer::is_failing_once);
        let calls = which.iter().map(async |&at| {
            let connected = match &self.clients[at] {
                Some(client) => Ok(client.clone()),
                None => {
                    let login = self.person.login().store(FileStore::new(directory));
                    connect(&self.server.url, login).await
                }
            };
            match connected {
                Ok(client) => (at, greet(&client).await, Some(client)),
                Err(error) => (at, Err(error), None),
            }
        });
        let mut is_well = true;
        for (at, called, client) in futures_util::future::join_all(calls).await {
            self.clients[at] = client;
            if let Err(error) = called {
                assert!(is_down || self.has_forgotten[self.current], "{error}");
                is_well = false;
            }
        }
        let cost = self.total() - before;
        assert!(cost <= MOST * which.len(), "{cost}");
        if is_well {
            self.has_forgotten[self.current] = false;
        }
    }

    fn check(&self) {
        let [first, second] = &self.issuers;
        assert_eq!((first.reused(), second.reused()), (0, 0));
        // Each secret begins with the name of its issuer.
        assert!(!first.record.has("second-"));
        assert!(!second.record.has("first-"));
        for kind in ["refresh", "client", "code"] {
            for owner in ["first", "second"] {
                assert!(!self.server.record.has(&format!("{owner}-{kind}-")));
            }
        }
    }
}

async fn run(steps: &[Step], rules: &Rules) {
    let directory = tempfile::tempdir().unwrap();
    let mut model = Model::new(rules).await;
    for step in steps {
        model.take(step, directory.path()).await;
        model.check();
    }
    // After one failure for each problem that is left, all calls succeed.
    for _ in 0..2 {
        model.call(&[0, 1], directory.path()).await;
    }
    model.issuers.iter().for_each(AuthorizationServer::behave);
    model.has_forgotten = [false; 2];
    model.call(&[0, 1], directory.path()).await;
    model.check();
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn whatever_happens_no_token_is_spent_twice_or_told_to_others(steps in steps(), rules in rules()) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(run(&steps, &rules));
    }
}
