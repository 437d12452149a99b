//! Every route of a server over HTTP. Each attack is tried on all of them, because more than one
//! fault was mended on one route and left on its neighbour.

use std::collections::BTreeSet;

use serde_json::json;

use crate::http::{Attempt, Events, Session, bare, initialize};
use crate::site::{KINDS, Kind, Site};

/// A route.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Route {
    /// A request of 2026-07-28.
    Modern,
    /// The request that opens a session.
    Initialize,
    /// A request in a session.
    Session,
    /// The SSE stream of a session.
    Stream,
    /// The request that ends a session.
    End,
    /// The SSE stream of HTTP with SSE.
    Events,
    /// A message to the endpoint that such a stream names.
    Put,
}

pub(crate) const ROUTES: [Route; 7] = [
    Route::Modern,
    Route::Initialize,
    Route::Session,
    Route::Stream,
    Route::End,
    Route::Events,
    Route::Put,
];

/// A valid request for a route, and the stream that has to stay open meanwhile.
pub(crate) struct Prepared {
    pub(crate) attempt: Attempt,
    pub(crate) _events: Option<Events>,
}

impl Route {
    /// The path and the HTTP method.
    fn endpoint(self) -> (&'static str, &'static str) {
        match self {
            Self::Modern | Self::Initialize | Self::Session => ("/mcp", "POST"),
            Self::Stream => ("/mcp", "GET"),
            Self::End => ("/mcp", "DELETE"),
            Self::Events => ("/sse", "GET"),
            Self::Put => ("/sse", "POST"),
        }
    }

    pub(crate) fn has_body(self) -> bool {
        self.endpoint().1 == "POST"
    }

    /// The status of a valid request.
    pub(crate) fn good(self) -> u16 {
        match self {
            Self::Modern | Self::Initialize | Self::Session | Self::Stream | Self::Events => 200,
            Self::End => 204,
            Self::Put => 202,
        }
    }

    /// Returns a valid request, which calls the tool `canary` where the route allows it.
    pub(crate) async fn prepare(self, site: &Site) -> Prepared {
        let address = site.address;
        let call = bare(1, "tools/call", json!({"name": "canary", "arguments": {}}));
        let mut events = None;
        let attempt = match self {
            Self::Modern => Attempt::call(address, "canary", json!({})),
            Self::Initialize => Attempt::post(address, "/mcp", initialize()),
            Self::Session => Session::open(address, None).await.post(&call),
            Self::Stream => Session::open(address, None).await.get(),
            Self::End => Session::open(address, None).await.delete(),
            Self::Events => Events::attempt(address),
            Self::Put => {
                let opened = events.insert(Events::open(address, None).await);
                Attempt::post(address, opened.endpoint.clone(), call)
            }
        };
        Prepared {
            attempt,
            _events: events,
        }
    }
}

/// Sends to each route of each site what `attack` makes of a valid request. The server must refuse
/// it with one of these statuses, no handler may run, no page may read the answer, and the valid
/// request must succeed after it.
pub(crate) async fn refused(
    statuses: &[u16],
    is_concerned: impl Fn(Route) -> bool,
    attack: impl Fn(Attempt, Kind) -> Attempt,
) {
    for kind in KINDS {
        let site = Site::start(kind).await;
        for route in ROUTES.into_iter().filter(|route| is_concerned(*route)) {
            let prepared = route.prepare(&site).await;
            let ran = site.probe.ran();
            let attempt = attack(prepared.attempt.clone(), kind);
            let answer = attempt.send().await;
            let why = format!("{kind:?} {route:?} {attempt:?}: {}", answer.head);
            assert!(statuses.contains(&answer.status), "{why}");
            let expected = "access-control";
            assert!(!answer.head.to_lowercase().contains(expected), "{why}");
            assert_eq!(site.probe.ran(), ran, "{why}");
            let good = prepared.attempt.send().await;
            assert_eq!(good.status, route.good(), "after {why}");
        }
    }
}

/// Checks that the table has all routes, because the tests attack no others.
#[tokio::test]
async fn these_are_all_routes() {
    for kind in KINDS {
        let site = Site::start(kind).await;
        for path in ["/mcp", "/sse"] {
            let attempt = Attempt::new(site.address, "GET", path).method("PUT");
            let answer = attempt.send().await;
            assert_eq!(answer.status, 405);
            let allowed = answer.header("allow").unwrap();
            let allowed: BTreeSet<_> = allowed.split(", ").collect();
            let here = ROUTES.iter().map(|route| route.endpoint());
            let here = here.filter(|(endpoint, _)| *endpoint == path);
            let known: BTreeSet<_> = here.map(|(_, method)| method).collect();
            assert_eq!(allowed, known, "{kind:?} {path}");
        }
    }
    // A further endpoint would be a further target. The `Beside` routes reach no MCP server.
    let source = include_str!("../../../crates/plainly-http/src/routes.rs");
    let (_, targets) = source.split_once("enum Target {").unwrap();
    let (targets, _) = targets.split_once("\n}").unwrap();
    let targets = targets.lines().map(str::trim);
    let targets: Vec<_> = targets
        .filter(|line| !line.is_empty() && !line.starts_with("//"))
        .collect();
    assert_eq!(targets, ["Endpoint,", "Pipes,", "Beside(Route),"]);
}
