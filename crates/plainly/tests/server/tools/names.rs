//! The names that a tool may have (SEP-986; 2026-07-28, Tools, "Tool Names").

use plainly::server::{Server, Tool};

fn problem(name: &str) -> Option<String> {
    let server = Server::builder("test", "1").tool(Tool::new(name, async || "x"));
    server.build().err().map(|errors| errors.to_string())
}

#[test]
fn names_have_up_to_128_letters_digits_and_a_few_signs() {
    let longest = "x".repeat(128);
    for name in [
        "getUser",
        "user-profile/update",
        "DATA_EXPORT_v2",
        "admin.tools.list",
        "a",
        "9",
        "-",
        "_",
        ".",
        "/",
        "a/b.c-d_e",
        &longest,
    ] {
        assert_eq!(problem(name), None, "{name}");
    }
    let too_long = "x".repeat(129);
    for name in [
        "", " ", "a b", "a,b", "a:b", "a\\b", "é", "名", "a\n", "a\0", "a@b", "a+b", "a%20b", "a?",
        "{a}", &too_long,
    ] {
        assert_eq!(
            problem(name),
            Some(format!(
                "the server can't be built: tool {name} needs a name of 1 to 128 of A-Z a-z 0-9 _ - . /"
            ))
        );
    }
}

#[test]
fn names_that_differ_in_case_are_two() {
    let of = |names: [&'static str; 2]| {
        let tools = names.map(|name| Tool::new(name, async || "x"));
        let built = Server::builder("test", "1").tools(tools).build();
        built.err().map(|errors| errors.to_string())
    };
    assert_eq!(of(["a", "A"]), None);
    let twice = "the server can't be built: tool a is defined twice";
    assert_eq!(of(["a", "a"]).as_deref(), Some(twice));
}
