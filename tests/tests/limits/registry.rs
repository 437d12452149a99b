//! The table of all limits: which tests hold each, at it, one above, and where what comes may have no end. Nothing is limited
//! without a row in docs/limits.md and one here, with the default that it has.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use plainly::limits::{ClientLimits, Limits};
use plainly::transport::http::HttpLimits;

use self::Endless::{ByTest, Never};

/// A limit, and what holds it.
struct Row {
    /// The first cell of its row in docs/limits.md, up to what it says after its name.
    name: &'static str,
    /// What holds it at the limit and one above.
    tests: &'static [&'static str],
    endless: Endless,
}

/// What holds it where what comes has no end.
enum Endless {
    ByTest(&'static [&'static str]),
    /// Why that can't be.
    Never(&'static str),
}

const fn row(name: &'static str, tests: &'static [&'static str], endless: Endless) -> Row {
    Row {
        name,
        tests,
        endless,
    }
}

/// What has no end is a message, which has one.
const IN_A_MESSAGE: Endless = Never("it is part of a message, which is limited");
const A_TIME: Endless = Never("it is a time, and begins when something does not come");
const OUR_OWN: Endless = Never("nobody but the author of the server has a say in it");

/// As in docs/limits.md, section by section.
const ROWS: &[Row] = &[
    row(
        "message_bytes",
        &["wire/limits a_message_has_a_greatest_length_over_both_transports"],
        ByTest(&[
            "wire/framing a_line_at_the_limit_is_served_and_one_byte_more_is_not",
            "limits/memory a_line_without_end_costs_no_more_than_the_limit",
        ]),
    ),
    row(
        "initialize_bytes",
        &["wire/eras an_initialize_that_says_too_much_opens_nothing"],
        IN_A_MESSAGE,
    ),
    row(
        "envelope.depth",
        &[
            "protocol/envelope/limits depth",
            "wire/limits the_bounds_of_the_envelope_are_the_server_s",
        ],
        ByTest(&["wire/json a_million_levels_overflow_no_stack"]),
    ),
    row(
        "envelope.members_per_object",
        &[
            "protocol/envelope/limits members_of_an_object",
            "wire/limits the_bounds_of_the_envelope_are_the_server_s",
        ],
        ByTest(&["wire/json many_members_cost_linear_time_and_too_many_are_refused"]),
    ),
    row(
        "envelope.nodes",
        &["protocol/envelope/limits values_in_a_message"],
        IN_A_MESSAGE,
    ),
    row(
        "envelope.batch_messages",
        &["protocol/envelope/limits messages_in_a_batch"],
        ByTest(&[
            "wire/batches in_2025_03_26_only_a_batch_of_nothing_or_without_end_is_refused_whole",
        ]),
    ),
    row(
        "envelope.method_bytes",
        &[
            "protocol/envelope/limits method_and_id",
            "wire/limits the_bounds_of_the_envelope_are_the_server_s",
        ],
        IN_A_MESSAGE,
    ),
    row(
        "envelope.id_bytes",
        &[
            "protocol/envelope/limits method_and_id",
            "wire/limits the_bounds_of_the_envelope_are_the_server_s",
        ],
        IN_A_MESSAGE,
    ),
    row(
        "uri_bytes",
        &["wire/limits uris_names_and_cursors_have_a_greatest_length"],
        IN_A_MESSAGE,
    ),
    row(
        "the name of a tool or prompt",
        &[
            "tools/names names_have_up_to_128_letters_digits_and_a_few_signs",
            "plainly/prompts a_server_is_not_built_with_prompts_that_are_wrong",
            "wire/limits uris_names_and_cursors_have_a_greatest_length",
        ],
        IN_A_MESSAGE,
    ),
    row(
        "cursor_bytes",
        &["limits/replies a_cursor_is_taken_up_to_its_length"],
        IN_A_MESSAGE,
    ),
    row(
        "cursor_ttl",
        &["wire/cursors a_cursor_is_refused_after_its_time"],
        A_TIME,
    ),
    row(
        "page_entries",
        &["wire/limits a_page_holds_no_more_than_it_may"],
        OUR_OWN,
    ),
    row(
        "reply_bytes",
        &[
            "limits/replies a_reply_is_sent_up_to_its_length",
            "wire/limits a_reply_beyond_the_limit_is_an_error_instead_and_logged",
            "wire/batches the_replies_of_a_batch_together_are_no_more_than_one_may_be",
        ],
        OUR_OWN,
    ),
    row(
        "reply_bytes_in_all",
        &["limits/replies large_replies_have_room_together_until_they_are_sent"],
        ByTest(&["limits/memory many_who_take_no_large_reply_cost_no_more_than_the_limit"]),
    ),
    row(
        "messages before one reply that wait for their reader: progress, log, questions",
        &[
            "src/server/outbox who_writes_waits_for_who_reads",
            "src/server/outbox few_large_messages_are_as_much_as_many_small_ones",
        ],
        ByTest(&["plainly/telling one_who_says_much_waits_for_who_reads"]),
    ),
    row(
        "deadline",
        &[
            "wire/replies a_deadline_ends_the_handler_and_answers",
            "plainly/telling progress_gives_more_time",
        ],
        A_TIME,
    ),
    row(
        "requests",
        &["wire/replies beyond_its_limit_a_server_is_unavailable_for_all"],
        ByTest(&["wire/batches batches_cannot_take_all_places_of_the_server"]),
    ),
    row(
        "requests_per_connection",
        &["wire/replies beyond_its_limit_a_connection_is_told_to_wait_and_others_are_served"],
        ByTest(&["wire/batches a_batch_cannot_run_more_than_the_connection_may"]),
    ),
    row(
        "requests_per_principal",
        &["limits/principals requests_of_one_leave_room_for_others"],
        Never("each is a request, and counted"),
    ),
    row(
        "listens",
        &["subscriptions/http beyond_all_places_listening_is_refused"],
        ByTest(&["subscriptions/many ten_thousand_who_listen_cost_little_and_all_hear"]),
    ),
    row(
        "listens_per_connection",
        &["subscriptions/modern there_is_room_for_so_many"],
        Never("each is a request, and counted"),
    ),
    row(
        "listens_per_principal",
        &["limits/principals subscriptions_of_one_leave_room_for_others"],
        Never("each is a request, and counted"),
    ),
    row(
        "listen_uris",
        &[
            "subscriptions/modern there_is_room_for_so_many",
            "subscriptions/legacy a_session_subscribes_to_so_many",
        ],
        IN_A_MESSAGE,
    ),
    row(
        "listen_bytes",
        &["subscriptions/modern there_is_room_for_so_many"],
        IN_A_MESSAGE,
    ),
    row(
        "tasks",
        &["src/server/tasks/memory/tests none_is_given_up_for_another_before_it_expires"],
        ByTest(&[
            "tasks/bounds ten_thousand_tasks_that_nobody_asks_for_are_bounded_and_the_next_request_succeeds",
        ]),
    ),
    row(
        "tasks_per_principal",
        &[
            "src/server/tasks/memory/tests one_principal_leaves_room_for_others",
            "tasks/bounds one_principal_leaves_room_for_others",
        ],
        Never("each is a task, and counted"),
    ),
    row(
        "task_bytes",
        &[
            "src/server/tasks/memory/tests bytes_are_counted_and_an_end_in_words_always_has_room",
            "tasks/bounds a_result_that_is_too_large_is_told_in_its_place",
        ],
        OUR_OWN,
    ),
    row(
        "task_deadline",
        &["tasks/lifecycle what_takes_too_long_fails"],
        A_TIME,
    ),
    row(
        "task_ttl",
        &["tasks/bounds what_has_expired_is_unknown_and_makes_room"],
        A_TIME,
    ),
    row(
        "task_poll",
        &[
            "tasks/bounds a_task_is_answered_and_stopped_by_any_server_that_shares_its_store",
            "tasks/lifecycle a_call_that_must_be_a_task_is_one_from_its_handle_to_its_result",
        ],
        A_TIME,
    ),
    row(
        "schema_bytes",
        &["src/schema/tests a_schema_has_bounds"],
        OUR_OWN,
    ),
    row(
        "schema_depth",
        &["src/schema/tests a_schema_has_bounds"],
        OUR_OWN,
    ),
    row(
        "subschemas",
        &["src/schema/tests a_schema_has_bounds"],
        ByTest(&["src/schema/tests whatever_the_schema_it_is_refused_or_serves_soon"]),
    ),
    row(
        "questions",
        &[
            "asking/rounds so_many_questions_at_once_and_no_more",
            "asking/requests unanswered_questions_are_bounded",
        ],
        Never("each is a question, and counted"),
    ),
    row(
        "questions_in_all",
        &["asking/requests many_sessions_that_never_answer_leave_room_for_others"],
        Never("each is a question, and counted"),
    ),
    row(
        "answer",
        &["asking/requests a_client_that_never_answers_is_asked_no_more"],
        A_TIME,
    ),
    row(
        "rounds",
        &["asking/rounds there_is_an_end_to_rounds"],
        ByTest(&["asking/requests there_is_an_end_to_questions_as_there_is_to_rounds"]),
    ),
    row(
        "state_bytes",
        &["asking/states a_state_has_so_many_bytes_and_no_more"],
        IN_A_MESSAGE,
    ),
    row(
        "state_ttl",
        &["asking/states a_state_is_good_for_a_time"],
        A_TIME,
    ),
    row(
        "sessions",
        &[
            "wire/limits one_session_above_the_limit_ends_the_idlest_and_an_idle_one_ends_by_itself",
            "legacy/sse beyond_the_most_sessions_there_is_room_again_once_one_ends",
        ],
        ByTest(&[
            "legacy/many ten_thousand_sessions_cost_little_and_more_cost_nothing",
            "legacy/many ten_thousand_streams_of_events_cost_little_and_more_are_refused",
        ]),
    ),
    row(
        "sessions_per_principal",
        &[
            "limits/principals sessions_of_one_end_no_others",
            "limits/principals streams_of_events_of_one_leave_room_for_others",
            "src/server/sessions one_principal_ends_its_own_and_nobody_elses",
        ],
        Never("each is a session, and counted"),
    ),
    row(
        "session_idle",
        &[
            "legacy/sessions a_session_that_was_idle_too_long_is_gone_for_everything",
            "subscriptions/http a_session_with_a_stream_is_not_idle",
        ],
        A_TIME,
    ),
    row("resume", &["legacy/resume it_is_kept_for_so_long"], A_TIME),
    row(
        "resume_events",
        &["src/server/streams/kept beyond_each_limit_the_oldest_is_forgotten_that_nobody_reads"],
        ByTest(&[
            "legacy/resume what_nobody_hears_is_kept_up_to_a_limit_and_no_handler_waits_for_it",
        ]),
    ),
    row(
        "resume_bytes",
        &["src/server/streams/kept beyond_each_limit_the_oldest_is_forgotten_that_nobody_reads"],
        ByTest(&[
            "legacy/resume what_nobody_hears_is_kept_up_to_a_limit_and_no_handler_waits_for_it",
        ]),
    ),
    row(
        "resume_total",
        &["src/server/streams/kept beyond_each_limit_the_oldest_is_forgotten_that_nobody_reads"],
        Never("it is the sum of what is limited"),
    ),
    row(
        "answers to lines that are no message, on stdio",
        &["src/server/connection/throttle a_burst_of_100_and_then_one_per_pause"],
        ByTest(&[
            "wire/messages unreadable_lines_are_answered_100_times_and_then_rarely",
            "wire/messages two_servers_that_answer_each_other_fall_silent",
        ]),
    ),
    row(
        "write_stall",
        &["limits/streams who_takes_nothing_is_given_up_after_the_time_that_is_set"],
        ByTest(&["wire/replies a_peer_that_reads_none_of_its_replies_is_given_up"]),
    ),
    row(
        "shutdown",
        &["wire/replies what_does_not_finish_in_time_is_dropped_and_answered"],
        A_TIME,
    ),
    // Of what the author of a server writes.
    row(
        "what a schema refers to",
        &["src/schema/tests nothing_is_referred_to_beyond_the_schema"],
        OUR_OWN,
    ),
    row(
        "a pattern in a schema, or of a search",
        &["src/schema/tests a_pattern_that_would_backtrack_without_end_is_linear_or_refused"],
        ByTest(&["directory_store/tools/searching a_pattern_takes_linear_time"]),
    ),
    row(
        "parts of a schema that one value is held against, as composition has it that doubles with each level",
        &["src/schema/tests what_doubles_with_each_level_is_refused"],
        OUR_OWN,
    ),
    row(
        "values of arguments, times the parts that each can meet",
        &["src/schema/tests too_much_for_a_costly_schema_is_said_so"],
        IN_A_MESSAGE,
    ),
    row(
        "a [template](guide/server.md#many-resources-behind-one-handler)",
        &["protocol/uri_template/parsing limits_are_at_their_place"],
        OUR_OWN,
    ),
    row(
        "its variables",
        &["protocol/uri_template/parsing limits_are_at_their_place"],
        OUR_OWN,
    ),
    row(
        "a URI that it is held against, whatever `uri_bytes` is",
        &["protocol/uri_template/matching the_longest_uri_matches_and_one_longer_does_not"],
        ByTest(&["protocol/uri_template/time ten_times_the_uri_takes_about_ten_times_as_long"]),
    ),
    // Of HTTP.
    row(
        "message_bytes",
        &["http_server/framing a_message_at_the_limit_passes_and_one_byte_more_does_not"],
        ByTest(&[
            "http_server/framing a_body_that_never_ends_stops_being_read",
            "http_server/framing who_asks_before_sending_too_much_is_not_told_to_go_on",
        ]),
    ),
    row(
        "in_flight_bytes",
        &[
            "http_server/overload bodies_fill_the_room_to_the_last_byte",
            "src/transport/http/budget shares_fill_the_limit_to_the_last_byte_and_give_all_back",
        ],
        ByTest(&["http_server/overload a_body_that_is_declared_has_its_room_before_it_comes"]),
    ),
    row(
        "body",
        &["src/transport/http/read a_body_has_a_time_in_all_and_a_least_rate_after_a_while"],
        ByTest(&["http_server/connections who_does_not_finish_a_body_is_told_so"]),
    ),
    row(
        "body_grace",
        &["src/transport/http/read a_body_has_a_time_in_all_and_a_least_rate_after_a_while"],
        A_TIME,
    ),
    row(
        "body_rate",
        &["src/transport/http/read a_body_has_a_time_in_all_and_a_least_rate_after_a_while"],
        A_TIME,
    ),
    row(
        "head_bytes",
        &["http_server/framing heads_have_a_most_of_headers_and_of_bytes"],
        ByTest(&["limits/memory a_head_without_end_costs_no_more_than_the_limit"]),
    ),
    row(
        "headers",
        &["http_server/framing heads_have_a_most_of_headers_and_of_bytes"],
        Never("they are part of a head, which is limited"),
    ),
    row(
        "a header that repeats what the message says (`Mcp-*`)",
        &["limits/replies a_header_that_repeats_is_as_long_as_what_it_repeats"],
        Never("it is part of a head, which is limited"),
    ),
    row(
        "head",
        &["http_server/connections who_does_not_finish_a_head_is_closed"],
        A_TIME,
    ),
    row(
        "idle",
        &["http_server/connections a_connection_waits_for_its_next_request_only_so_long"],
        A_TIME,
    ),
    row(
        "keep_alive",
        &["src/transport/http/events silence_is_broken_by_comments"],
        ByTest(&["http_server/events silence_is_kept_alive_beyond_all_limits_of_waiting"]),
    ),
    row(
        "write_stall",
        &[
            "http_server/connections who_does_not_take_an_answer_is_closed",
            "http_server/connections who_takes_an_answer_slowly_gets_it",
        ],
        ByTest(&["http_server/events who_does_not_read_events_is_closed"]),
    ),
    row(
        "connections",
        &["http_server/connections beyond_all_places_connections_wait_for_one"],
        Never("each is a connection, and counted"),
    ),
    row(
        "connections_per_peer",
        &["http_server/connections a_peer_has_only_so_many_connections"],
        Never("each is a connection, and counted"),
    ),
    row(
        "shutdown",
        &["http_server/connections at_the_end_of_its_time_what_still_runs_is_dropped"],
        A_TIME,
    ),
    // Of a directory.
    row(
        "a file that is read (`max_file_bytes`, `plainly serve --max-file-size`)",
        &[
            "directory_store/reading files_are_read_up_to_the_limit",
            "directory_store/reading the_limit_is_16_mib_unless_set",
            "cli/serving a_file_beyond_the_limit_is_listed_and_not_read",
        ],
        ByTest(&[
            "directory_store/races a_file_that_grows_without_end_is_never_read_beyond_the_limit",
            "directory_store/special devices_are_not_there",
        ]),
    ),
    row(
        "files that are being read, or wait for somebody to take them (`bytes_at_once`)",
        &[
            "src/store/directory/job bytes_are_held_until_the_result_is_taken_and_no_more_than_there_is_room_for",
            "limits/files files_have_room_together_until_somebody_takes_them",
        ],
        ByTest(&["limits/memory many_files_that_nobody_takes_cost_no_more_than_the_limit"]),
    ),
    row(
        "reads and listings that run at a time",
        &["src/store/directory/job only_so_many_jobs_run_at_once_and_all_in_the_end"],
        Never("each is a request, and counted"),
    ),
    row(
        "directories within each other",
        &["directory_store/listing nothing_is_deeper_than_64_directories"],
        ByTest(&["directory_store/vast what_is_deeper_than_a_path_can_be_long_is_not_there"]),
    ),
    row(
        "links to follow one after the other",
        &["directory_store/links forty_links_in_a_chain_are_followed_and_not_one_more"],
        ByTest(&["directory_store/tools/listing a_loop_of_links_ends_with_the_depth"]),
    ),
    row(
        "files of a collection that is read",
        &["directory_store/reading a_collection_is_read_up_to_its_limits"],
        ByTest(&["directory_store/reading a_collection_is_not_searched_for_files_without_end"]),
    ),
    row(
        "entries of it that are looked at for them",
        &["directory_store/reading a_collection_is_not_searched_for_files_without_end"],
        ByTest(&["directory_store/vast what_is_said_of_a_hundred_thousand_entries_has_an_end"]),
    ),
    row(
        "names in large directories, kept for the next page",
        &["src/store/directory/names only_so_much_is_kept"],
        ByTest(&["directory_store/vast what_is_said_of_a_hundred_thousand_entries_has_an_end"]),
    ),
    row(
        "times that a file which changes meanwhile is read",
        &["src/store/directory/content what_changes_between_opening_and_reading_is_no_answer"],
        ByTest(&[
            "directory_store/races a_file_that_grows_without_end_is_never_read_beyond_the_limit",
        ]),
    ),
    row(
        "other [representations](serve.md#representations) of a file, together",
        &["directory_store/representations all_formats_of_a_file_share_a_quarter_of_its_limit"],
        ByTest(&["src/store/convert/draft what_is_too_long_stays_refused"]),
    ),
    row(
        "time for each of them",
        &["src/store/convert/draft the_end_of_time_and_of_interest_is_noticed_while_writing"],
        ByTest(&["src/store/convert/html/tests hostile_pages_cost_no_stack_and_little_time"]),
    ),
    row(
        "text in the answer of a [tool](serve.md#tools)",
        &[
            "directory_store/tools/reading a_large_text_is_given_in_parts_that_join",
            "directory_store/tools/reading several_fit_into_one_answer_together",
        ],
        ByTest(&["directory_store/tools/reading a_line_that_fits_into_no_answer_is_cut"]),
    ),
    row(
        "anything else in it",
        &["directory_store/tools/reading what_is_too_large_is_said_with_its_size"],
        Never("a file is read up to its size"),
    ),
    row(
        "entries that one call lists",
        &["limits/files a_tool_lists_so_many_entries_at_once"],
        ByTest(&["directory_store/vast what_is_said_of_a_hundred_thousand_entries_has_an_end"]),
    ),
    row(
        "time for a search",
        &[
            "src/store/directory/search/paced a_pattern_that_takes_a_millisecond_a_byte_ends_in_time",
        ],
        ByTest(&["directory_store/vast what_is_said_of_a_hundred_thousand_entries_has_an_end"]),
    ),
    // Of a client.
    row(
        "message_bytes",
        &["limits/client a_message_is_read_up_to_its_length"],
        ByTest(&[
            "limits/memory a_message_without_end_costs_a_client_no_more_than_the_limit",
            "client_stream/calls a_line_that_is_too_long_ends_the_connection",
            "client_http/calls a_body_beyond_the_limit_is_not_read",
            "src/transport/http_client/sse an_event_at_the_limit_passes_and_one_byte_more_does_not",
        ]),
    ),
    row(
        "pages",
        &[
            "limits/client a_listing_is_read_up_to_its_pages",
            "src/client/pages the_last_page_that_is_read_is_the_thousandth",
        ],
        ByTest(&["client_stream/listings a_listing_that_never_ends_is_an_error"]),
    ),
    row(
        "rounds",
        &["client_stream/asking a_server_that_asks_without_end_is_given_up"],
        ByTest(&["client_stream/asking a_server_that_asks_without_end_is_given_up"]),
    ),
    row(
        "questions",
        &[
            "limits/client so_many_questions_are_answered_in_one_round",
            "limits/client so_many_questions_of_an_older_server_are_answered_at_a_time",
            "client_stream/asking more_questions_than_are_answered_at_a_time_are_refused_and_the_next_is_not",
        ],
        ByTest(&["client_stream/asking a_server_that_asks_and_does_not_read_is_read_no_further"]),
    ),
    row(
        "a cursor that is sent back",
        &["client_stream/listings a_cursor_longer_than_any_need_is_not_sent_back"],
        IN_A_MESSAGE,
    ),
    row(
        "time for a reply, or for the next word of progress (`timeout`)",
        &["client_stream/calls a_call_without_reply_ends_in_time_and_is_cancelled"],
        A_TIME,
    ),
    row(
        "time for a reply, however much is heard of it (`longest`)",
        &["client_stream/hearing progress_gives_a_call_more_time_but_not_for_ever"],
        ByTest(&[
            "client_stream/asking a_legacy_server_that_asks_without_end_gets_no_more_time_than_there_is",
        ]),
    ),
    row(
        "time for connecting (`connect_timeout`)",
        &["client_stream/eras a_server_that_never_answers_is_given_up"],
        A_TIME,
    ),
    row(
        "times in a row that the rest of a broken legacy reply is asked for in vain",
        &["client_http/asking a_reply_that_can_not_be_gone_on_with_has_broken_off"],
        Never("each is a time, and counted"),
    ),
    row(
        "changes that a subscription keeps for who does not read them",
        &["client_stream/listening what_is_not_read_is_kept_once_and_up_to_a_bound"],
        ByTest(&["client_stream/listening what_is_not_read_is_kept_once_and_up_to_a_bound"]),
    ),
    row(
        "names of tools, arguments and headers that are remembered for `Mcp-Param-*` headers",
        &["src/client/mirror no_more_is_remembered_than_the_limit_and_the_last_is"],
        IN_A_MESSAGE,
    ),
    row(
        "lines of a child process that are no messages",
        &["client_stream/calls lines_that_are_no_messages_are_skipped_up_to_a_point"],
        ByTest(&["client_stream/calls lines_that_are_no_messages_are_skipped_up_to_a_point"]),
    ),
    row(
        "its last words on standard error that are kept",
        &["src/transport/child the_tail_is_the_end_of_all_that_was_written"],
        ByTest(&[
            "plainly/client_child a_flood_on_standard_error_blocks_nobody_and_its_end_is_kept",
        ]),
    ),
    row(
        "time for it to end, its input closed (`shutdown`)",
        &["plainly/client_child closing_waits_for_the_end_and_leaves_nobody"],
        A_TIME,
    ),
    row(
        "time for it to end, asked to (`shutdown`)",
        &[
            "plainly/client_child a_server_that_is_asked_to_terminate_can_say_goodbye",
            "plainly/client_child closing_waits_for_the_end_and_leaves_nobody",
        ],
        A_TIME,
    ),
];

/// A row of a table of docs/limits.md.
struct Documented<'a> {
    section: &'a str,
    /// Whether the first cell is the name of a field, and what follows says what that is.
    is_field: bool,
    name: &'a str,
    default: &'a str,
}

const PAGE: &str = include_str!("../../../docs/limits.md");

fn documented() -> Vec<Documented<'static>> {
    let mut section = "";
    let mut rows = Vec::new();
    for line in PAGE.lines() {
        section = line.strip_prefix("## ").unwrap_or(section);
        let cells = line
            .strip_prefix("| ")
            .and_then(|row| row.strip_suffix(" |"));
        let Some((first, rest)) = cells.and_then(|cells| cells.split_once(" | ")) else {
            continue;
        };
        if first == "limit" {
            continue;
        }
        let field = first
            .strip_prefix('`')
            .and_then(|rest| rest.split_once('`'));
        rows.push(Documented {
            section,
            is_field: field.is_some(),
            name: field.map_or(first, |(name, _)| name),
            default: rest.split(" | ").next().unwrap_or_default(),
        });
    }
    rows
}

#[test]
fn every_limit_that_is_documented_has_tests_and_every_test_a_limit() {
    let documented = documented();
    let names: Vec<_> = documented.iter().map(|row| row.name).collect();
    let known: Vec<_> = ROWS.iter().map(|row| row.name).collect();
    for name in &names {
        assert!(known.contains(name), "{name} has no tests");
    }
    assert_eq!(names, known, "in the order of the page");
}

/// The fields of what is written by `{:#?}`, those within others under both names, and their values as the page has them.
fn fields(debug: &str) -> Vec<(String, String)> {
    let mut within = Vec::new();
    let mut fields = Vec::new();
    for line in debug.lines().skip(1) {
        match line.trim().trim_end_matches(',').split_once(": ") {
            Some((name, value)) if value.ends_with('{') => within.push(format!("{name}.")),
            Some((name, value)) => {
                fields.push((within.concat() + name, default(name, value)));
            }
            None => {
                within.pop();
            }
        }
    }
    fields
}

/// A value as the page has it.
fn default(name: &str, value: &str) -> String {
    if let Some(seconds) = value.strip_suffix('s') {
        return format!("{seconds} s");
    }
    let number: usize = value
        .parse()
        .unwrap_or_else(|error| panic!("{name}: {value}: {error}"));
    match number {
        mib if name.contains("bytes") && mib % (1 << 20) == 0 => format!("{} MiB", mib >> 20),
        kib if ["bytes", "rate", "total"]
            .iter()
            .any(|word| name.contains(word))
            && kib % (1 << 10) == 0 =>
        {
            match kib >> 10 {
                mib if mib % (1 << 10) == 0 => format!("{} MiB", mib >> 10),
                kib => format!("{kib} KiB"),
            }
        }
        bytes if name.contains("bytes") => format!("{bytes} B"),
        small @ ..1_000 => small.to_string(),
        large => format!("{},{:03}", large / 1_000, large % 1_000),
    }
}

#[test]
fn every_field_of_every_limit_is_documented_with_its_default() {
    for (section, debug) in [
        ("Of a server", format!("{:#?}", Limits::default())),
        ("Of HTTP", format!("{:#?}", HttpLimits::default())),
        ("Of a client", format!("{:#?}", ClientLimits::default())),
    ] {
        let of_it = |row: &Documented<'static>| row.is_field && row.section == section;
        let documented = documented();
        let documented: BTreeMap<_, _> = documented
            .iter()
            .filter(|row| of_it(row))
            .map(|row| (row.name.to_owned(), row.default.to_owned()))
            .collect();
        let fields: BTreeMap<_, _> = fields(&debug).into_iter().collect();
        assert_eq!(documented, fields, "{section}");
    }
}

/// The file that a test stands in: `wire/limits`, `src/server/outbox`.
fn file(place: &str) -> String {
    let (room, rest) = place.split_once('/').unwrap_or((place, ""));
    match room {
        "wire" | "limits" => format!("tests/tests/{place}.rs"),
        "src" => format!("crates/plainly/{place}.rs"),
        "protocol" => format!("crates/plainly-protocol/tests/{rest}.rs"),
        "cli" => format!("crates/plainly-cli/tests/{place}.rs"),
        "plainly" => format!("crates/plainly/tests/{rest}.rs"),
        _ => format!("crates/plainly/tests/{place}.rs"),
    }
}

#[test]
fn every_test_that_is_named_is_there() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    for row in ROWS {
        assert!(!row.tests.is_empty(), "{}", row.name);
        let endless = match row.endless {
            ByTest(tests) => tests,
            Never(why) => {
                assert!(!why.is_empty());
                &[]
            }
        };
        for test in row.tests.iter().chain(endless) {
            let (place, name) = test.split_once(' ').unwrap();
            let file = file(place);
            let source = fs::read_to_string(root.join(&file))
                .unwrap_or_else(|error| panic!("{file}: {error}"));
            let found = source
                .find(&format!("fn {name}()"))
                .or_else(|| source.find(&format!("fn {name}(")));
            let before = found.and_then(|at| source[..at].rfind("test"));
            let is_test = before.is_some_and(|at| found.is_some_and(|found| found - at < 200));
            assert!(is_test, "{}: there is no test {name} in {file}", row.name);
        }
    }
}
