//! The limits of a server, and of what its author writes, as docs/limits.md has them.

use super::row::Endless::{ByTest, Never};
use super::row::{A_TIME, IN_A_MESSAGE, OUR_OWN, Row, row};

pub(super) const ROWS: &[Row] = &[
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
            "limits/memory a_file_is_in_memory_once_whatever_it_becomes",
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
        &["schema/main a_schema_has_bounds"],
        OUR_OWN,
    ),
    row(
        "schema_depth",
        &["schema/main a_schema_has_bounds"],
        OUR_OWN,
    ),
    row(
        "subschemas",
        &["schema/main a_schema_has_bounds"],
        ByTest(&["schema/random whatever_the_schema_it_is_refused_or_serves_soon"]),
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
        &["schema/main nothing_is_referred_to_beyond_the_schema"],
        OUR_OWN,
    ),
    row(
        "a pattern in a schema, or of a search",
        &["schema/main a_pattern_that_would_backtrack_without_end_is_linear_or_refused"],
        ByTest(&["directory_store/tools/searching a_pattern_takes_linear_time"]),
    ),
    row(
        "parts of a schema that one value is held against, as composition has it that doubles with each level",
        &["schema/main what_doubles_with_each_level_is_refused"],
        OUR_OWN,
    ),
    row(
        "values of arguments, times the parts that each can meet",
        &["schema/main too_much_for_a_costly_schema_is_said_so"],
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
];
