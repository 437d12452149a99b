//! The rooms of each folder, in their order. Whoever moves a module or gives one a new use sees here which way it may look.

/// A folder, and its rooms: each may use those after it. Folders without a row only must not have circles.
pub(crate) const ROWS: &[(&str, &str)] = &[
    (
        "plainly",
        "in_memory -> server -> schema -> shutdown -> store -> room -> client -> pending -> transport -> limits -> lock",
    ),
    (
        "plainly/transport",
        "child -> http -> escaped -> frame -> memory -> lines -> duplex -> meter -> messages -> standard",
    ),
    (
        "plainly/transport/http",
        "listener -> connection -> server -> body -> checks -> events -> origin -> pipe -> read -> refused -> budget \
         -> slots -> socket -> strangers -> watch -> limits",
    ),
    (
        "plainly-cli",
        "command -> apart -> args -> log -> output -> failure -> exit -> format -> progress -> visible",
    ),
    (
        "plainly-errors",
        "condition -> policy -> recognise -> retry -> rmcp -> dialect -> problem -> protocol_error -> registry -> \
         revision -> wire_error -> code",
    ),
    (
        "plainly-errors/problem",
        "factories -> protocol -> recognise -> bag -> code -> object -> details",
    ),
    (
        "plainly-protocol",
        "mirrored -> header -> question -> peer -> shape -> meta -> envelope -> types -> id -> method -> \
         uri_template -> writer -> escape",
    ),
    (
        "plainly-protocol/envelope",
        "message -> read -> scan -> cursor -> malformed -> object -> limits",
    ),
    (
        "plainly-protocol/uri_template",
        "expand -> matcher -> compile -> parse -> values -> walk -> percent -> operator",
    ),
];

/// The same for the folders of the server.
pub(crate) const SERVER: &[(&str, &str)] = &[];

/// Up to three rooms of a folder, in alphabetical order, that use each other all the same; and why.
pub(crate) const CIRCLES: &[(&str, &str, &str)] = &[
    (
        "plainly",
        "server store",
        "what a store fails with is a failure of the server, and resources come from stores",
    ),
    (
        "plainly/schema",
        "check evaluated",
        "a schema is checked within a schema, and what was evaluated says which parts those were",
    ),
    (
        "plainly/server/layer",
        "outcome request",
        "what comes of a request is asked of the request",
    ),
    (
        "plainly/server/tasks",
        "background making",
        "a task that is made goes on in the background, which makes it",
    ),
    (
        "plainly/store/directory",
        "names place",
        "a place has a name, and a name leads to a place",
    ),
    (
        "plainly-errors",
        "problem protocol_error",
        "a problem stands in a protocol error, and is written as one",
    ),
];

/// Larger circles, each of which goes once its rooms are in order.
pub(crate) const KNOTS: &[(&str, &str, &str)] = &[(
    "plainly/server",
    "answer asking audience builder catalogue completion discovery dispatch encode extract failure handling layer \
         listening malformed notices pipes prompts reply resolve resources route running scope session sessions \
         streams tasks tools url_elicitation watching",
    "a request goes through its rooms more than once",
)];
