//! The limits of a client, as docs/limits.md has them.

use super::row::Endless::{ByTest, Never};
use super::row::{A_TIME, IN_A_MESSAGE, Row, row};

pub(super) const ROWS: &[Row] = &[
    row(
        "message_bytes",
        &["limits/client a_message_is_read_up_to_its_length"],
        ByTest(&[
            "limits/memory a_message_without_end_costs_a_client_no_more_than_the_limit",
            "client_stream/calls a_line_that_is_too_long_ends_the_connection",
            "client_http/calls a_body_beyond_the_limit_is_not_read",
            "src/client/http/sse an_event_at_the_limit_passes_and_one_byte_more_does_not",
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
