//! The limits of a directory that is served, as docs/limits.md has them.

use super::row::Endless::{ByTest, Never};
use super::row::{Row, row};

pub(super) const ROWS: &[Row] = &[
    row(
        "a file that is read (`max_file_bytes`, `plainly serve --max-file-size`)",
        &[
            "directory_store/reading files_are_read_up_to_the_limit",
            "directory_store/reading the_limit_is_16_mib_unless_set",
            "limits/files the_largest_file_that_is_read_reaches_our_own_client",
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
            "directory/src/job bytes_are_held_until_the_result_is_taken_and_no_more_than_there_is_room_for",
            "limits/files files_have_room_together_until_somebody_takes_them",
        ],
        ByTest(&["limits/memory many_files_that_nobody_takes_cost_no_more_than_the_limit"]),
    ),
    row(
        "reads and listings that run at a time",
        &["directory/src/job only_so_many_jobs_run_at_once_and_all_in_the_end"],
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
        &["directory/src/lists only_so_much_is_kept"],
        ByTest(&["directory_store/vast what_is_said_of_a_hundred_thousand_entries_has_an_end"]),
    ),
    row(
        "times that a file which changes meanwhile is read",
        &["directory/src/content what_changes_between_opening_and_reading_is_no_answer"],
        ByTest(&[
            "directory_store/races a_file_that_grows_without_end_is_never_read_beyond_the_limit",
        ]),
    ),
    row(
        "other [representations](serve.md#representations) of a file, together",
        &["directory_store/representations all_formats_of_a_file_share_a_quarter_of_its_limit"],
        ByTest(&["directory/src/convert/draft what_is_too_long_stays_refused"]),
    ),
    row(
        "time for each of them",
        &["directory/src/convert/draft the_end_of_time_and_of_interest_is_noticed_while_writing"],
        ByTest(&["directory/src/convert/html/tests hostile_pages_cost_no_stack_and_little_time"]),
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
        &["directory/src/search/paced a_pattern_that_takes_a_millisecond_a_byte_ends_in_time"],
        ByTest(&["directory_store/vast what_is_said_of_a_hundred_thousand_entries_has_an_end"]),
    ),
];
