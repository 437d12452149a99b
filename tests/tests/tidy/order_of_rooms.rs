//! The rooms of each folder, in their order. Whoever moves a module or gives one a new use sees here which way it may look.

/// A folder, and its rooms: each may use those after it. Folders without a row only must not have circles.
pub(crate) const ROWS: &[(&str, &str)] = &[
    (
        "plainly-client",
        "features -> call -> connect -> http -> link -> message -> cache -> error",
    ),
    (
        "plainly-client/http",
        "pipe -> opening -> connection -> detached -> server_stream -> resuming -> session -> endpoint -> failure -> gate -> authorization -> retry_after -> sse",
    ),
    (
        "plainly-auth/fetch",
        "ways -> resolver -> fence -> target -> error",
    ),
    (
        "plainly-auth/client",
        "authorizer -> revocation -> obtaining -> step_up -> unattended -> elsewhere -> login -> registering -> renewal -> trial -> token_endpoint -> discovery -> flow -> failures -> wallet -> need -> settings -> device -> consent -> store",
    ),
    (
        "plainly-auth/client/consent",
        "paste -> loopback -> listening -> callback -> redirect -> error",
    ),
    (
        "plainly-auth/client/store",
        "file -> memory -> keychain -> error",
    ),
    (
        "plainly-auth/client/store/file",
        "waiting -> sealed -> document -> private -> place -> fault",
    ),
    (
        "plainly-transport",
        "child -> serve -> serve_error -> escaped -> frame -> quota -> lines -> duplex -> meter -> messages -> standard -> tls -> cryptography -> pending -> shutdown -> limits -> lock",
    ),
    (
        "plainly-http",
        "listener -> handshake -> certificate -> http2 -> connection -> streams -> service -> server -> cors -> gate -> response -> proxies -> body -> checks -> events -> origin \
         -> pipe -> read -> slots -> socket -> watch -> limits",
    ),
    ("plainly-auth", "client -> server -> fetch -> clock"),
    (
        "plainly-store",
        "read -> tree -> list -> stat -> globs -> problems -> entry",
    ),
    (
        "plainly-cli",
        "command -> connection -> accounts -> servers -> asking -> browser -> trace -> apart -> args -> log -> output -> terminal -> failure -> secrets -> explain -> exit -> format -> json -> near -> picture -> shell_word -> whole_file -> state -> visible",
    ),
    (
        "plainly-cli/servers",
        "told -> edit -> spelling -> spelled -> paths -> allowed -> env_file -> file -> hosts -> entry -> syntax -> reach -> variables",
    ),
    (
        "plainly-directory",
        "builder -> tools -> search -> store -> watch -> request -> content -> convert -> describe -> mount -> walk \
         -> names -> place -> withheld -> ignored -> lists -> handle -> job -> lock -> uri",
    ),
    (
        "plainly-errors",
        "rmcp -> http_status -> advice -> dialect -> problem_error -> protocol_error -> habit -> problem -> registry -> kind \
         -> retry -> revision -> wire_error -> mistake -> visible -> number -> code -> with_causes",
    ),
    (
        "plainly-errors/problem",
        "factories -> recognise -> bag -> problems -> code -> object -> details",
    ),
    (
        "plainly-protocol",
        "in_place -> mirrored -> header -> question -> peer -> shape -> meta -> envelope -> types -> id -> schemas -> method -> \
         uri_template -> writer -> escape",
    ),
    (
        "plainly-protocol/envelope",
        "search -> message -> read -> malformed -> found -> scan -> cursor -> defect -> object",
    ),
    (
        "plainly-protocol/uri_template",
        "expand -> matcher -> compile -> parse -> values -> walk -> percent -> operator",
    ),
    (
        "plainly-schema",
        "unread -> schema -> cost -> reading -> member -> reference -> sentence -> alternatives -> check -> evaluated \
         -> keyword -> assertion -> draft -> order -> pattern -> slip",
    ),
];

/// The same for the folders of the server.
pub(crate) const SERVER: &[(&str, &str)] = &[
    (
        "plainly-server",
        "builder -> incoming -> resolve -> discovery -> registration -> dispatch -> replies -> layer -> route -> subscriptions \
         -> source -> handling -> tasks -> features -> handler -> reply -> extract -> request -> sessions -> audience \
         -> asking -> in_flight -> load -> outgoing -> seal -> state -> given -> strings -> misfit \
         -> texts -> derived -> changes -> panics -> answer -> mistakes -> failure -> store -> permissions -> limits",
    ),
    (
        "plainly-auth/server",
        "gate -> resource_server -> setup -> document -> public_client -> jwt -> introspection -> issuer_keys -> proof -> scopes -> challenge -> credentials \
         -> tokens -> remembered -> api_keys -> key_list -> caller -> verifier -> api_key -> failures",
    ),
    (
        "plainly-server/incoming",
        "http -> pipes -> serving -> connection -> exchange -> batch -> malformed",
    ),
    (
        "plainly-server/outgoing",
        "encode -> access -> notifications -> outbox -> unsent",
    ),
    ("plainly-server/replies", "running -> respond"),
    ("plainly-server/sessions", "session -> streams"),
    (
        "plainly-server/asking",
        "sent -> questions -> reading -> rounds -> binding -> typed",
    ),
    (
        "plainly-server/features",
        "definitions -> methods -> prompts -> resources -> tools -> completion -> catalogue -> cursor \
         -> declared -> error -> setters -> values",
    ),
    ("plainly-server/layer", "next -> outcome -> request"),
    (
        "plainly-server/subscriptions",
        "listener -> announcements -> listeners -> watch",
    ),
    (
        "plainly-server/request",
        "asking -> method_call -> task_support -> telling -> context -> clock -> task_stage",
    ),
    (
        "plainly-server/tasks",
        "memory -> methods -> creation -> background -> local -> store -> record",
    ),
];

/// Up to three rooms of a folder, in alphabetical order, that use each other all the same; and why.
pub(crate) const CIRCLES: &[(&str, &str, &str)] = &[];
