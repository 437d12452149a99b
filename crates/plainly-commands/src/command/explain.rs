//! `plainly explain`: the meaning of an error and advice, without a server.

mod list;

use std::io::{self, IsTerminal, Read, Write};
use std::path::Path;

use crate::args::ExplainArgs;
use crate::explain::{Explanation, read};
use crate::failure::Failure;
use crate::output::Output;

/// The most bytes that are read: far more than any error has.
const MOST: u64 = 16 << 20;

pub(crate) fn run(args: &ExplainArgs) -> Result<(), Failure> {
    let mut output = Output::new(args.format());
    match (args.list, args.revision) {
        (false, _) => explain(args, &mut output)?,
        (true, Some(revision)) => list::on(revision, &mut output)?,
        (true, None) => list::all(&mut output)?,
    }
    output.flush()
}

fn explain(args: &ExplainArgs, output: &mut Output) -> Result<(), Failure> {
    let text = match args.error.is_empty() {
        true => standard_input()?,
        false => args.error.join(" "),
    };
    let explained = read(&text, args.revision).map_err(|why| unreadable(&why, &args.error))?;
    let mut explained = explained.iter().enumerate();
    explained.try_for_each(|(at, one)| show(one, at, output))
}

fn show(one: &Explanation, at: usize, output: &mut Output) -> Result<(), Failure> {
    if output.is_json() {
        return output.json(&one.json());
    }
    if at > 0 {
        output.write(b"\n")?;
    }
    let mut lines = one.lines().into_iter();
    lines.try_for_each(|(label, line)| output.labelled(label, &line))
}

/// All of standard input, even if it is not UTF-8.
fn standard_input() -> Result<String, Failure> {
    let stdin = io::stdin();
    if stdin.is_terminal() {
        // The user may not know that the command waits for input.
        let _ = writeln!(io::stderr(), "paste the error, then press Ctrl-D");
    }
    let mut bytes = Vec::new();
    let read = stdin.lock().take(MOST + 1).read_to_end(&mut bytes);
    read.map_err(|error| Failure::caused("cannot read standard input", error))?;
    if bytes.len() as u64 > MOST {
        let why = format!(
            "standard input has more than {} MiB, and no error is that large",
            MOST >> 20
        );
        return Err(Failure::impossible(why, None));
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// The failure with all reasons why no error could be explained.
fn unreadable(why: &[String], words: &[String]) -> Failure {
    let file = words.iter().find(|word| Path::new(word).is_file());
    let file = file.map(|file| format!("it is the name of a file: use `plainly explain < {file}`"));
    let why: Vec<&str> = file.iter().chain(why).map(String::as_str).collect();
    Failure::impossible(format!("nothing to explain: {}", why.join("; ")), None)
}
