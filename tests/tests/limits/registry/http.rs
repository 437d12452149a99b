//! The limits of HTTP, as docs/limits.md has them.

use super::row::Endless::{ByTest, Never};
use super::row::{A_TIME, Row, row};

pub(super) const ROWS: &[Row] = &[
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
];
