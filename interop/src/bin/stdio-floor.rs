//! The minimum cost over standard input and output: a loop that finds the id in each line and
//! responds with prepared bytes.

use std::error::Error;
use std::io::{BufRead, BufReader, Write, stdin, stdout};

use plainly_interop::Case;

fn main() -> Result<(), Box<dyn Error>> {
    let answer = Case::of_arguments()?.answer(0);
    let (before, after) = answer.split_once("\"id\":0").ok_or("it has an id")?;
    let (before, after) = (format!("{before}\"id\":"), format!("{after}\n"));
    let mut input = BufReader::with_capacity(1 << 16, stdin().lock());
    let mut output = stdout().lock();
    let mut line = String::new();
    let mut outgoing = Vec::new();
    while input.read_line(&mut line)? > 0 {
        let (_, rest) = line.split_once("\"id\":").ok_or("it has no id")?;
        let id = rest.split([',', '}']).next().ok_or("it has no id")?;
        for part in [&before, id, &after] {
            outgoing.extend_from_slice(part.as_bytes());
        }
        line.clear();
        // Responds to all received requests at once.
        if !input.buffer().contains(&b'\n') {
            output.write_all(&outgoing)?;
            output.flush()?;
            outgoing.clear();
        }
    }
    Ok(())
}
