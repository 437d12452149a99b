//! Chooses the revision: asks a modern server for the versions that it supports, and does the
//! handshake with a legacy one (2026-07-28, "Backward Compatibility" of both transports). Nothing
//! else in the client infers the era of a server.

use std::pin::pin;
use std::time::Duration;

use plainly_errors::{ErrorKind, ProtocolError, Revision};
use plainly_protocol::method::Method;
use plainly_protocol::shape::Shape as _;
use plainly_protocol::types::{
    DiscoverResult, EmptyResult, InitializeParams, InitializeResult, SetLevelParams,
};
use serde_json::json;

use crate::connect::options::ClientOptions;
use crate::connect::server_description::ServerDescription;
use crate::error::{Error, LocalError, is_of_the_way};
use crate::link::log::Log;
use crate::link::{CallExtras, Link};
use crate::message::deadline::Deadline;
use crate::message::reply::{CallReply, TypedResult};
use crate::message::request::RequestWriter;

/// The silence after which a server may be a legacy one, because these need not answer unknown
/// requests.
const SILENCE: Duration = Duration::from_secs(10);

/// The longest wait for the answer to a request for log messages. Without it, some may still come.
const LEVEL: Duration = Duration::from_secs(2);

/// The conclusion from the answer to the probe.
enum ProbeVerdict {
    /// The server is modern.
    Discovered(Box<TypedResult<DiscoverResult>>),
    /// The server is modern, and offers other versions than the one that was tried.
    Offers(Vec<String>, Error),
    /// The server is not modern, to judge by this error.
    Legacy(Error),
    /// The server is legacy, or it failed with this error: some legacy servers fail at unknown
    /// requests.
    Unclear(Error),
    /// The error is no evidence of the era.
    Failed(Error),
}

/// Finds out which revisions the server supports, and agrees on one with it.
pub(crate) async fn establish(
    link: &Link,
    options: &ClientOptions,
    by: &Deadline,
) -> Result<ServerDescription, Error> {
    let server = match options.revision {
        // No probe: a session begins with `initialize`, before anything else (2025-11-25,
        // "Initialization").
        Some(pinned) if pinned.traits().sessions => initialize(link, options, pinned, by).await,
        Some(_) => settle(link, options, probe(link, options, by).await, by).await,
        None if !options.probes => initialize(link, options, Revision::LATEST_LEGACY, by).await,
        None => detect(link, options, by).await,
    };
    let server = server.map_err(|error| link.tell_stray(error))?;
    link.speak(server.revision);
    Ok(server)
}

async fn detect(
    link: &Link,
    options: &ClientOptions,
    by: &Deadline,
) -> Result<ServerDescription, Error> {
    // At most half of the time, so that the handshake has as much time as the probe had.
    let silence = SILENCE.min(by.left() / 2);
    let mut probing = pin!(probe(link, options, by));
    // This clock pauses while the client waits for the user, because that says nothing about the
    // server.
    let clock = options.clocks.stopwatch();
    let verdict = match clock.wait_until(silence, &mut probing).await {
        Some(verdict) => verdict,
        None => {
            // A modern server that was only slow to start still answers the probe first: whichever
            // answer comes first counts. Boxed, because hardly any server is silent.
            let mut initializing = Box::pin(initialize(link, options, Revision::LATEST_LEGACY, by));
            tokio::select! {
                biased;
                // The probe is first, because a server that answers both is modern and should not
                // be tied to a legacy session.
                verdict = &mut probing => match verdict {
                    ProbeVerdict::Legacy(_) | ProbeVerdict::Unclear(_) => return initializing.await,
                    ProbeVerdict::Failed(error) if !error.is_timeout() => return initializing.await,
                    verdict @ (ProbeVerdict::Discovered(_)
                    | ProbeVerdict::Offers(..)
                    | ProbeVerdict::Failed(_)) => verdict,
                },
                server = &mut initializing => match server {
                    // Both time out at the same moment, in any order. The error is that of the
                    // probe, which was awaited during the whole time.
                    Err(error) if error.is_timeout() => probing.await,
                    server => return server,
                },
            }
        }
    };
    settle(link, options, verdict, by).await
}

async fn probe(link: &Link, options: &ClientOptions, by: &Deadline) -> ProbeVerdict {
    let writer = RequestWriter::new(Revision::LATEST, &options.introduction);
    let params = json!({});
    let asking = link.ask(&writer, Method::Discover, &params, CallExtras::default());
    let reply = by.wait_for(Method::Discover.name(), asking).await;
    let status = reply.as_ref().ok().and_then(CallReply::status);
    match reply.and_then(|reply| reply.decode(Method::Discover, &params, link.least)) {
        Ok(answer) => ProbeVerdict::Discovered(Box::new(answer)),
        Err(error) => ProbeVerdict::of(error, status),
    }
}

impl ProbeVerdict {
    /// The conclusion from the probe's error, and from its HTTP status if it is a JSON-RPC error
    /// with one.
    fn of(error: Error, status: Option<u16>) -> Self {
        // The status is ignored, because only modern servers send this error, and a client must not
        // fall back then (stdio, "Backward Compatibility").
        if let Some(ErrorKind::UnsupportedProtocolVersion { supported, .. }) =
            error.protocol().map(ProtocolError::kind)
        {
            return Self::Offers(supported.clone(), error);
        }
        let (status, looks_legacy) = match error.local() {
            Some(LocalError::HttpStatus { status, .. }) => (Some(*status), true),
            Some(local) => (status, is_unreadable(local)),
            // Any other error counts, because legacy servers refuse unknown requests with arbitrary
            // codes.
            None => (status, !error.protocol().is_some_and(is_modern)),
        };
        match (status, error) {
            (Some(status), error) if is_of_the_way(status) => Self::Failed(error),
            (Some(500..), error) if looks_legacy => Self::Unclear(error),
            (_, error) if looks_legacy => Self::Legacy(error),
            (_, error) => Self::Failed(error),
        }
    }
}

/// Whether only a modern server answers with this error.
fn is_modern(error: &ProtocolError) -> bool {
    matches!(
        error.kind(),
        ErrorKind::HeaderMismatch
            | ErrorKind::MissingRequiredClientCapability { .. }
            | ErrorKind::Unavailable(_)
    )
}

/// Whether the server answered in a way in which no modern server answers. Otherwise it did not
/// answer.
fn is_unreadable(error: &LocalError) -> bool {
    matches!(
        error,
        LocalError::InvalidResponse { .. }
            | LocalError::IrregularError { .. }
            | LocalError::Interrupted { .. }
    )
}

/// Whether the error is about a result that can't be read.
fn has_result(error: &Error) -> bool {
    matches!(
        error.local(),
        Some(LocalError::InvalidResponse {
            result: Some(_),
            ..
        })
    )
}

async fn settle(
    link: &Link,
    options: &ClientOptions,
    verdict: ProbeVerdict,
    by: &Deadline,
) -> Result<ServerDescription, Error> {
    let (supported, discovered) = match verdict {
        ProbeVerdict::Failed(error) => return Err(error),
        ProbeVerdict::Legacy(error) | ProbeVerdict::Unclear(error)
            if options.revision.is_some() =>
        {
            return Err(error);
        }
        ProbeVerdict::Legacy(first) => {
            let server = initialize(link, options, Revision::LATEST_LEGACY, by).await;
            return match server {
                // The server is modern after all, and could not answer the probe.
                Err(error) if error.is_method_not_found() => Err(first),
                // The server answered the probe, and not `initialize`.
                Err(error) if error.is_timeout() && has_result(&first) => Err(first),
                server => server,
            };
        }
        ProbeVerdict::Unclear(first) => {
            let server = initialize(link, options, Revision::LATEST_LEGACY, by).await;
            // The first error says what is wrong with the server, the second only that the server
            // is not a legacy one either. A second error about authorization says more than the
            // first.
            return server.map_err(|second| match second.authorization() {
                Some(_) => second,
                None => first,
            });
        }
        ProbeVerdict::Discovered(answer) => (answer.body.supported_versions.clone(), Ok(answer)),
        ProbeVerdict::Offers(supported, error) => (supported, Err(error)),
    };
    let wanted = wanted(options);
    let Some(revision) = newest(&wanted, &supported) else {
        return Err(LocalError::UnsupportedVersion {
            offered: supported,
            wanted,
        }
        .into());
    };
    if revision.traits().sessions {
        return initialize(link, options, revision, by).await;
    }
    let answer = match discovered {
        Ok(answer) => answer,
        Err(refusal) => probe_again(link, options, by, revision, refusal).await?,
    };
    Ok(ServerDescription::discovered(revision, *answer))
}

/// Probes once more, in the very version that the server both refused and offers: another of
/// several servers behind one address may have answered, or the server may have been updated
/// meanwhile. A second refusal is a contradiction.
async fn probe_again(
    link: &Link,
    options: &ClientOptions,
    by: &Deadline,
    revision: Revision,
    refusal: Error,
) -> Result<Box<TypedResult<DiscoverResult>>, Error> {
    if let ProbeVerdict::Discovered(answer) = probe(link, options, by).await
        && newest(&[revision], &answer.body.supported_versions).is_some()
    {
        return Ok(answer);
    }
    Err(refusal)
}

/// Agrees on the newest revision other than `refused` that the server offers; `None` if this client
/// supports none of them.
pub(crate) async fn change(
    link: &Link,
    options: &ClientOptions,
    refused: Revision,
    offered: &[String],
) -> Result<Option<Revision>, Error> {
    let mut others = wanted(options);
    // A server may offer the very version that it refuses: choosing that again would never end.
    others.retain(|revision| *revision != refused);
    let Some(revision) = newest(&others, offered) else {
        return Ok(None);
    };
    let agreed = if revision.traits().sessions {
        let by = options.deadline();
        initialize(link, options, revision, &by).await?.revision
    } else {
        // Each request of a modern revision names the revision itself.
        revision
    };
    link.speak(agreed);
    Ok(Some(agreed))
}

/// Opens a legacy session, asking for `revision`.
pub(crate) async fn initialize(
    link: &Link,
    options: &ClientOptions,
    revision: Revision,
    by: &Deadline,
) -> Result<ServerDescription, Error> {
    let introduction = &options.introduction;
    let mut capabilities = introduction.capabilities.clone();
    capabilities.shape(revision);
    let params = InitializeParams::new(
        revision.as_str(),
        capabilities,
        introduction.implementation.clone(),
    );
    let writer = RequestWriter::new(revision, introduction);
    let asking = link.call(&writer, Method::Initialize, &params);
    let answer: TypedResult<InitializeResult> =
        by.wait_for(Method::Initialize.name(), asking).await?;
    let version = answer.body.protocol_version.clone();
    // A revision without sessions has no handshake, so the server may not choose one here.
    let mut wanted = wanted(options);
    wanted.retain(|revision| revision.traits().sessions);
    let mut choices = wanted.iter().copied();
    let Some(agreed) = choices.find(|revision| revision.as_str() == version) else {
        return Err(LocalError::UnsupportedVersion {
            offered: vec![version],
            wanted,
        }
        .into());
    };
    // This precedes `initialized`: after it, the server may ask questions, which are read according
    // to the revision.
    link.speak(agreed);
    let writer = RequestWriter::new(agreed, introduction);
    let telling = link.notify(&writer, Method::Initialized);
    by.wait_for(Method::Initialized.name(), telling).await?;
    if let (Some(log), Some(_)) = (&options.log, &answer.body.capabilities.logging)
        && log.is_requested
    {
        set_level(link, options, &writer, log, by).await?;
    }
    Ok(ServerDescription::initialized(agreed, answer.body))
}

/// Asks for log messages. A server that refuses or does not answer remains usable.
async fn set_level(
    link: &Link,
    options: &ClientOptions,
    writer: &RequestWriter,
    log: &Log,
    by: &Deadline,
) -> Result<(), Error> {
    let params = SetLevelParams::new(log.level);
    let asking = link.call::<EmptyResult>(writer, Method::SetLevel, &params);
    let clock = options.clocks.stopwatch();
    match clock.wait_until(LEVEL.min(by.left()), asking).await {
        Some(Err(error @ Error::Protocol(_))) => {
            tracing::warn!(%error, "the server did not accept the log level");
            Ok(())
        }
        Some(done) => done.map(drop),
        None => {
            tracing::warn!("the server does not say whether it accepts the log level");
            Ok(())
        }
    }
}

/// The revisions to choose from, oldest first.
fn wanted(options: &ClientOptions) -> Vec<Revision> {
    match options.revision {
        Some(pinned) => vec![pinned],
        None => Revision::ALL.to_vec(),
    }
}

/// The newest offered revision in `wanted`, which is sorted oldest first.
fn newest(wanted: &[Revision], offered: &[String]) -> Option<Revision> {
    let mut newest_first = wanted.iter().rev().copied();
    newest_first.find(|revision| offered.iter().any(|offer| offer == revision.as_str()))
}
