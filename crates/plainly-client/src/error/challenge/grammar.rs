//! The grammar of `WWW-Authenticate` (RFC 9110, 11.6.1), which has commas between challenges and
//! within them. Knows no scheme and no parameter by name.

/// A challenge as it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct WrittenChallenge<'a> {
    pub(crate) scheme: &'a str,
    /// The parameters in their order, without quotation marks; empty if there is a `token68`
    /// instead.
    pub(crate) parameters: Vec<(&'a str, String)>,
}

/// Reads one value of the header. The first fault of grammar ends it, because the rest can't be
/// assigned to a challenge. The second result is that fault.
pub(crate) fn read(
    value: &str,
) -> (
    Vec<WrittenChallenge<'_>>,
    Option<(WrittenChallenge<'_>, &'static str)>,
) {
    let mut reader = ChallengeReader { rest: value };
    let mut found = Vec::new();
    loop {
        reader.skip(|character| is_blank(character) || character == ',');
        if reader.rest.is_empty() {
            return (found, None);
        }
        if let Err(why) = reader.element(&mut found) {
            let broken = found.pop().unwrap_or(WrittenChallenge::of(""));
            return (found, Some((broken, why)));
        }
    }
}

impl<'a> WrittenChallenge<'a> {
    fn of(scheme: &'a str) -> Self {
        Self {
            scheme,
            parameters: Vec::new(),
        }
    }
}

/// The text that is not read yet.
struct ChallengeReader<'a> {
    rest: &'a str,
}

impl<'a> ChallengeReader<'a> {
    /// Reads the text between two commas: the beginning of a challenge, or one more parameter of
    /// the last one.
    fn element(&mut self, found: &mut Vec<WrittenChallenge<'a>>) -> Result<(), &'static str> {
        let name = self.take(is_in_token);
        if name.is_empty() {
            return Err("a name is missing");
        }
        let blanks = self.skip(is_blank);
        if self.rest.starts_with('=') {
            let last = found.last_mut().ok_or("a parameter has no scheme")?;
            last.parameters.push((name, self.value()?));
        } else {
            let mut challenge = WrittenChallenge::of(name);
            let read = match blanks {
                0 => Ok(()),
                _ => self.first(&mut challenge),
            };
            found.push(challenge);
            read?;
        }
        self.skip(is_blank);
        match self.rest.is_empty() || self.rest.starts_with(',') {
            true => Ok(()),
            false => Err("something stands where a comma should"),
        }
    }

    /// Reads the text after the scheme: nothing, a `token68`, or the first parameter.
    fn first(&mut self, challenge: &mut WrittenChallenge<'a>) -> Result<(), &'static str> {
        let start = self.rest;
        let name = self.take(is_in_token);
        self.skip(is_blank);
        let is_parameter = !name.is_empty() && self.rest.starts_with('=') && {
            let value = self.rest.trim_start_matches('=');
            let value = value.trim_start_matches(is_blank);
            !self.rest.starts_with("==") && !value.is_empty() && !value.starts_with(',')
        };
        if is_parameter {
            challenge.parameters.push((name, self.value()?));
        } else {
            self.rest = start;
            self.skip(is_in_token68);
            self.skip(|character| character == '=');
        }
        Ok(())
    }

    /// Reads `=` and the value after it.
    fn value(&mut self) -> Result<String, &'static str> {
        self.rest = self.rest.strip_prefix('=').unwrap_or(self.rest);
        self.skip(is_blank);
        if let Some(rest) = self.rest.strip_prefix('"') {
            self.rest = rest;
            return self.quoted();
        }
        // Some servers write URLs without quotation marks.
        match self.take(is_in_value) {
            "" => Err("a value is missing"),
            value => Ok(value.to_owned()),
        }
    }

    /// Reads the rest of a quoted text, with the quotation mark that ends it.
    fn quoted(&mut self) -> Result<String, &'static str> {
        let mut text = String::new();
        let mut characters = self.rest.chars();
        while let Some(character) = characters.next() {
            let character = match character {
                '"' => {
                    self.rest = characters.as_str();
                    return Ok(text);
                }
                '\\' => match characters.next() {
                    Some(escaped) => escaped,
                    None => break,
                },
                other => other,
            };
            if character.is_control() && character != '\t' {
                return Err("a control character stands in quotation marks");
            }
            text.push(character);
        }
        Err("a quotation mark is missing")
    }

    fn take(&mut self, is_part: impl Fn(char) -> bool) -> &'a str {
        let end = self.rest.find(|character| !is_part(character));
        let (taken, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        self.rest = rest;
        taken
    }

    /// Skips such characters, and returns their number.
    fn skip(&mut self, is_skipped: impl Fn(char) -> bool) -> usize {
        self.take(is_skipped).len()
    }
}

fn is_blank(character: char) -> bool {
    matches!(character, ' ' | '\t')
}

fn is_in_token(character: char) -> bool {
    character.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(character)
}

/// Whether a value without quotation marks may have this character. The grammar allows only tokens.
fn is_in_value(character: char) -> bool {
    character.is_ascii_graphic() && !",\"\\".contains(character)
}

fn is_in_token68(character: char) -> bool {
    character.is_ascii_alphanumeric() || "-._~+/".contains(character)
}
