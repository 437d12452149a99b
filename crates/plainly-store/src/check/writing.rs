//! The rules of writable stores.

use futures_util::future::join_all;
use plainly_server::store::{
    ByteRange, ListQuery, RangeQuery, RemoveQuery, RenameQuery, StoreError, When, Writable,
    WriteError, WriteQuery, Written,
};

use super::{Check, Report, Rule};

/// The number of simultaneous writers, and of their attempts.
const WRITERS: usize = 8;
const ROUNDS: usize = 5;

/// Checks writing to the store, and reports each rule that it breaks. `base` is the beginning of
/// URIs at which the store can create resources, such as `file:///notes/`. The check appends
/// `check-1` and others, and removes these resources in the end, permanently if the store allows
/// that.
///
/// ```
/// use plainly::store::{Writable, check_writes};
///
/// async fn test(notes: impl Writable) {
///     let report = check_writes(&notes, "note:///").await;
///     assert!(report.is_ok(), "{report}");
/// }
/// ```
pub async fn check_writes<S: Writable>(store: &S, base: &str) -> Report {
    let mut check = Check {
        store,
        report: Report::default(),
    };
    let [one, two, many] = [1, 2, 3].map(|number| format!("{base}check-{number}"));
    check.writes(&one).await;
    check.conditions(&one).await;
    check.renames(&one, &two).await;
    check.creators(&many).await;
    check.updates(&many).await;
    for uri in [&one, &two, &many] {
        check.removes(uri).await;
    }
    check.report
}

impl<S: Writable> Check<'_, S> {
    /// Writes, and records a failure.
    async fn write(&mut self, query: WriteQuery<'_>) -> Option<Written> {
        let uri = query.uri;
        match self.store.write(query).await {
            Ok(written) => Some(written),
            Err(error) => {
                self.broken(Rule::WrittenIsRead, uri, format!("writing failed: {error}"));
                None
            }
        }
    }

    /// Checks that every way to read returns this content.
    async fn reads(&mut self, written: &Written, content: &[u8]) {
        let uri = &*written.uri;
        let broken = |what: &str| Some(format!("{what} after it was written"));
        let fault = match self.read(uri).await {
            Some(Ok(contents)) => {
                let own = contents.iter().find(|one| one.uri == uri);
                match own.map(|one| one.body.as_bytes() == content) {
                    Some(true) => None,
                    Some(false) => broken("another content is read"),
                    None => broken("nothing is read"),
                }
            }
            Some(Err(error)) => broken(&error.to_string()),
            None => None,
        };
        let all = ByteRange::From {
            first: 0,
            most: u64::MAX,
        };
        let ranged = self.store.read_range(RangeQuery::new(uri, all)).await;
        let fault = fault.or(match ranged {
            Ok(ranged) if ranged.bytes != content => broken("other bytes are read"),
            Ok(ranged) if ranged.tag != written.tag => broken("another tag is read"),
            Ok(_) => None,
            Err(error) => broken(&error.to_string()),
        });
        let size = written
            .size
            .is_some_and(|size| size != content.len() as u64);
        let fault = fault.or_else(|| size.then(|| "another size is reported".to_owned()));
        if let Some(why) = fault {
            self.broken(Rule::WrittenIsRead, uri, why);
        }
    }

    /// Checks creating, replacing and appending.
    async fn writes(&mut self, uri: &str) {
        let steps = [
            (WriteQuery::new(uri, "one"), &b"one"[..], true),
            (WriteQuery::new(uri, "another"), b"another", false),
            (WriteQuery::new(uri, "").append(), b"another", false),
            (WriteQuery::new(uri, " end").append(), b"another end", false),
            (WriteQuery::new(uri, vec![0, 255]), &[0, 255], false),
            (WriteQuery::new(uri, ""), b"", false),
        ];
        for (query, content, is_new) in steps {
            let Some(written) = self.write(query.permanent(true)).await else {
                return;
            };
            if written.is_new != is_new {
                let why = "it is reported as new, or not, against the truth";
                self.broken(Rule::WrittenIsRead, uri, why);
            }
            self.reads(&written, content).await;
        }
    }

    /// Checks that a condition that isn't met changes nothing.
    async fn conditions(&mut self, uri: &str) {
        let Some(written) = self
            .write(WriteQuery::new(uri, "present").permanent(true))
            .await
        else {
            return;
        };
        let query = WriteQuery::new(uri, "other").permanent(true);
        let absent = self.store.write(query.clone().when(When::Absent)).await;
        if !matches!(absent, Err(WriteError::Exists)) {
            self.broken(Rule::Conditions, uri, "what exists is written as absent");
        }
        let other = When::Tag("no tag of any store");
        let changed = self.store.write(query.when(other)).await;
        let removed = self.store.remove(RemoveQuery::new(uri).when(other)).await;
        for error in [changed.err(), removed.err()] {
            match error {
                Some(WriteError::Changed { tag }) if tag == written.tag => {}
                Some(error) => {
                    let why = format!("with another tag, it is: {error}");
                    self.broken(Rule::Conditions, uri, why);
                }
                None => self.broken(Rule::Conditions, uri, "it is changed with another tag"),
            }
        }
        self.reads(&written, b"present").await;
    }

    /// Checks that renaming moves the content, and never over another resource.
    async fn renames(&mut self, from: &str, to: &str) {
        let Some(written) = self
            .write(WriteQuery::new(to, "in the way").permanent(true))
            .await
        else {
            return;
        };
        match self.store.rename(RenameQuery::new(from, to)).await {
            Err(WriteError::Unsupported { .. }) => return,
            Err(WriteError::Exists) => {}
            Err(error) => self.broken(Rule::Renamed, from, format!("over another, it is: {error}")),
            Ok(_) => self.broken(Rule::Renamed, from, "it is renamed over another"),
        }
        self.reads(&written, b"in the way").await;
        self.removes(to).await;
        match self.store.rename(RenameQuery::new(from, to)).await {
            Ok(renamed) => self.reads(&renamed, b"present").await,
            Err(error) => self.broken(Rule::Renamed, from, error.to_string()),
        }
        self.is_gone(from, Rule::Renamed).await;
    }

    /// Checks that one of eight writers that create the same resource succeeds.
    async fn creators(&mut self, uri: &str) {
        for _ in 0..ROUNDS {
            let texts: Vec<String> = (0..WRITERS).map(|writer| writer.to_string()).collect();
            let writes = texts.iter().map(|text| {
                let query = WriteQuery::new(uri, text.clone()).permanent(true);
                self.store.write(query.when(When::Absent))
            });
            let done = join_all(writes).await;
            let mut winners = texts.iter().zip(&done).filter(|(_, done)| done.is_ok());
            let (first, second) = (winners.next(), winners.next());
            let lost = done
                .iter()
                .filter(|one| matches!(one, Err(WriteError::Exists)));
            if second.is_some() || lost.count() != WRITERS - 1 {
                let why = "of eight that create it at once, more or less than one does";
                self.broken(Rule::OneWins, uri, why);
            }
            if let Some((text, Ok(written))) = first {
                self.reads(written, text.as_bytes()).await;
            }
            self.removes(uri).await;
        }
    }

    /// Checks that one of eight writers that replace the same content succeeds, and that the others
    /// fail.
    async fn updates(&mut self, uri: &str) {
        let query = WriteQuery::new(uri, "0").permanent(true);
        let Some(Written {
            tag: Some(mut tag), ..
        }) = self.write(query).await
        else {
            // Without tags there are no such conditions.
            return;
        };
        for round in 1..=ROUNDS {
            let text = round.to_string();
            let writes = (0..WRITERS).map(|_| {
                let query = WriteQuery::new(uri, text.clone()).permanent(true);
                self.store.write(query.when(When::Tag(&tag)))
            });
            let done = join_all(writes).await;
            let lost = done
                .iter()
                .filter(|one| matches!(one, Err(WriteError::Changed { .. })));
            let lost = lost.count();
            let mut winners = done.into_iter().flatten();
            let (Some(written), None) = (winners.next(), winners.next()) else {
                let why = "of eight that replace one content at once, more or less than one does";
                return self.broken(Rule::OneWins, uri, why);
            };
            if lost != WRITERS - 1 {
                self.broken(Rule::OneWins, uri, "the others are not told of the change");
            }
            self.reads(&written, text.as_bytes()).await;
            match written.tag {
                Some(next) if next != tag => tag = next,
                Some(_) | None => {
                    return self.broken(Rule::OneWins, uri, "two contents have one tag");
                }
            }
        }
    }

    /// Removes a resource, if it exists.
    async fn removes(&mut self, uri: &str) {
        let query = RemoveQuery::new(uri).permanent(true);
        match self.store.remove(query).await {
            Ok(_) | Err(WriteError::Store(StoreError::NotFound)) => {}
            Err(error) => self.broken(Rule::Removed, uri, error.to_string()),
        }
        self.is_gone(uri, Rule::Removed).await;
    }

    async fn is_gone(&mut self, uri: &str, rule: Rule) {
        let metadata = self.metadata(uri).await;
        if !matches!(metadata, Some(Err(StoreError::NotFound)) | None) {
            self.broken(rule, uri, "it is still there");
        }
        let again = self.store.remove(RemoveQuery::new(uri)).await;
        if !matches!(again, Err(WriteError::Store(StoreError::NotFound))) {
            self.broken(rule, uri, "it can be removed again");
        }
        let listed = self.list(ListQuery::new(1_000)).await;
        if let Some(Ok(page)) = listed
            && page.resources.iter().any(|one| one.uri == uri)
        {
            self.broken(rule, uri, "it is still listed");
        }
    }
}
