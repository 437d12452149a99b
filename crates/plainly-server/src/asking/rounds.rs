//! Rounds: a request is answered with questions, and the client sends it again with the answers.
//! The server stores nothing in between, because `requestState` contains the answers so far,
//! sealed.

use std::collections::BTreeMap;

use plainly_errors::{InvalidParams, ProtocolError, Revision};
use plainly_protocol::envelope::Object;
use plainly_protocol::peer::Peer;
use plainly_protocol::question::asked as written;
use plainly_protocol::types::{InputRequest, InputRequiredResult, InputResponseParams, RawJson};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::binding::{Binding, Seals, Subject};
use crate::mistakes;

/// The answers that were returned with a request, and those stored for the next round.
#[derive(Debug)]
pub(crate) struct Rounds {
    /// The revision of the client.
    revision: Revision,
    binding: Binding,
    /// The answers of this round.
    fresh: InputResponseParams,
    so_far: PastRounds,
}

/// The content of a sealed state.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct PastRounds {
    /// The number of times that the request was answered with questions.
    rounds: usize,
    /// The answers, by the keys of the questions.
    answers: BTreeMap<String, KeptAnswer>,
    /// The questions of the last round.
    asked: BTreeMap<String, Digest>,
}

/// An answer and the digest of its question, because a different question with the same key needs a
/// new answer.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct KeptAnswer {
    to: Digest,
    answer: RawJson,
}

/// The digest of a question.
type Digest = u64;

/// Reads the answers and the state of a request: `inputResponses` and `requestState`.
pub(crate) fn returned(params: Option<&Object<'_>>) -> serde_json::Result<InputResponseParams> {
    // Each member is read separately, because parsing all parameters as one type would slow down
    // every request for members that are rarely present.
    fn read<T: DeserializeOwned>(
        params: Option<&Object<'_>>,
        member: &str,
    ) -> serde_json::Result<Option<T>> {
        let json = params.and_then(|params| params.get(member));
        json.map_or(Ok(None), serde_json::from_str)
    }

    let answers: Option<_> = read(params, "inputResponses")?;
    let mut returned = InputResponseParams::new(answers.unwrap_or_default());
    returned.request_state = read(params, "requestState")?;
    Ok(returned)
}

/// Like `returned`, but with an error that names the unreadable part.
pub(crate) fn returned_for(subject: &Subject<'_>) -> Result<InputResponseParams, ProtocolError> {
    returned(subject.params).map_err(|_| mistakes::in_params(subject.method, subject.params))
}

impl Rounds {
    /// The rounds of a request for `subject` with `arguments`. Returns an error for a state that
    /// was not issued for this request or has expired.
    pub(crate) fn of(
        peer: &Peer,
        subject: &Subject<'_>,
        arguments: &str,
    ) -> Result<Self, ProtocolError> {
        let binding = Binding::new(peer.principal.clone(), subject, arguments);
        let fresh = returned_for(subject)?;
        let so_far = match &fresh.request_state {
            Some(state) => {
                let opened = subject.seals.open(&binding, state)?;
                serde_json::from_str(&opened).map_err(|_| InvalidParams::InvalidRequestState)?
            }
            None => PastRounds::default(),
        };
        Ok(Self {
            revision: peer.revision,
            binding,
            fresh,
            so_far,
        })
    }

    /// Whether no question has been answered yet.
    pub(super) fn is_empty(&self) -> bool {
        self.so_far.answers.is_empty()
    }

    /// The answer to `question`, from an earlier round or from this one. It is found by its key,
    /// unless it was given to a different question with that key.
    pub(super) fn find(&self, key: &str, question: &InputRequest) -> Option<RawJson> {
        let digest = digest(question);
        let earlier = self.so_far.answers.get(key);
        if let Some(kept) = earlier.filter(|kept| kept.to == digest) {
            return Some(kept.answer.clone());
        }
        // Without a recorded question there is nothing to compare: the state comes from a handler
        // that put its questions into its result (`carry`).
        let asked = self.so_far.asked.get(key);
        let fresh = self.fresh.input_responses.get(key)?;
        asked
            .is_none_or(|asked| *asked == digest)
            .then(|| fresh.clone())
    }

    /// Stores the answer to `question` for later rounds.
    pub(super) fn keep(&mut self, key: &str, question: &InputRequest, answer: RawJson) {
        let to = digest(question);
        let kept = KeptAnswer { to, answer };
        self.so_far.answers.insert(key.to_owned(), kept);
    }

    /// Asks all these questions.
    pub(super) fn ask(
        &self,
        questions: BTreeMap<String, InputRequest>,
        seals: &Seals,
    ) -> Result<InputRequiredResult, ProtocolError> {
        let asked = questions.iter();
        let asked = asked.map(|(key, question)| (key.clone(), digest(question)));
        let state = self.seal(asked.collect(), seals)?;
        let questions = questions.into_iter();
        let questions = questions.map(|(key, one)| (key, written(one, self.revision)));
        Ok(InputRequiredResult::new(questions).request_state(state))
    }

    /// Adds the answers so far to `result`.
    pub(super) fn carry(
        &self,
        result: InputRequiredResult,
        seals: &Seals,
    ) -> Result<InputRequiredResult, ProtocolError> {
        let state = self.seal(BTreeMap::new(), seals)?;
        Ok(result.request_state(state))
    }

    fn seal(
        &self,
        asked: BTreeMap<String, Digest>,
        seals: &Seals,
    ) -> Result<String, ProtocolError> {
        let rounds = self.so_far.rounds + 1;
        if rounds > seals.rounds {
            return Err(too_many(seals.rounds));
        }
        let so_far = PastRounds {
            rounds,
            answers: self.so_far.answers.clone(),
            asked,
        };
        let text = serde_json::to_string(&so_far).expect("strings and JSON values are JSON");
        seals.seal(&self.binding, &text)
    }
}

/// The error for a request whose client was asked `most` times.
pub(crate) fn too_many(most: usize) -> ProtocolError {
    let why = format!("The client was asked {most} times, and there are still questions");
    ProtocolError::internal(why)
}

/// FNV-1a with 64 bits, because it is the same in every process, and the digests are sealed.
fn digest(question: &InputRequest) -> Digest {
    let text = serde_json::to_string(question).unwrap_or_default();
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |digest, byte| {
        (digest ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}
