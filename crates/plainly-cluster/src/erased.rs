//! The traits of an engine as trait objects, with boxed futures and streams. Each call of records
//! and journals has a time limit.

use std::fmt;
use std::time::Duration;

use bytes::Bytes;
use futures_util::future::BoxFuture;
use futures_util::stream::{BoxStream, StreamExt as _};
use tokio::time::timeout;

use crate::bus::{Bus, Heard, Unanswered};
use crate::engine::{Engine, EngineReport};
use crate::error::EngineError;
use crate::journals::Journals;
use crate::records::{Records, StoredRecord};
use crate::replica_id::ReplicaId;

/// The maximum time for one call of records and journals.
const CALL: Duration = Duration::from_secs(5);

/// A [`Bus`] as a trait object.
pub trait ErasedBus: Send + Sync + fmt::Debug {
    /// [`Bus::id`].
    fn id(&self) -> ReplicaId;
    /// [`Bus::tell`].
    fn tell(&self, event: Bytes);
    /// [`Bus::ask`].
    fn ask(
        &self,
        whom: ReplicaId,
        question: Bytes,
        within: Duration,
    ) -> BoxFuture<'_, Result<Bytes, Unanswered>>;
    /// [`Bus::hear`].
    fn hear(&self) -> BoxStream<'static, Heard>;
}

/// [`Records`] as a trait object.
pub trait ErasedRecords: Send + Sync + fmt::Debug {
    /// [`Records::get`].
    fn get<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<Option<StoredRecord>, EngineError>>;
    /// [`Records::put`].
    fn put<'a>(
        &'a self,
        key: &'a str,
        value: Bytes,
        over: Option<u64>,
        ttl: Duration,
    ) -> BoxFuture<'a, Result<Option<u64>, EngineError>>;
}

/// [`Journals`] as a trait object.
pub trait ErasedJournals: Send + Sync + fmt::Debug {
    /// [`Journals::append`].
    fn append<'a>(
        &'a self,
        journal: &'a str,
        event: Bytes,
    ) -> BoxFuture<'a, Result<(), EngineError>>;
    /// [`Journals::follow`].
    fn follow(&self, journal: &str) -> BoxStream<'static, Result<Bytes, EngineError>>;
}

/// An [`Engine`] as a trait object.
pub trait ErasedEngine: ErasedBus + ErasedRecords + ErasedJournals {
    /// [`Engine::is_connected`].
    fn is_connected(&self) -> bool;
    /// [`Engine::max_value`].
    fn max_value(&self) -> usize;
    /// [`Engine::report`].
    fn report(&self) -> BoxFuture<'_, Result<EngineReport, EngineError>>;
}

impl<B: Bus> ErasedBus for B {
    fn id(&self) -> ReplicaId {
        Bus::id(self)
    }

    fn tell(&self, event: Bytes) {
        Bus::tell(self, event);
    }

    fn ask(
        &self,
        whom: ReplicaId,
        question: Bytes,
        within: Duration,
    ) -> BoxFuture<'_, Result<Bytes, Unanswered>> {
        Box::pin(Bus::ask(self, whom, question, within))
    }

    fn hear(&self) -> BoxStream<'static, Heard> {
        Bus::hear(self).boxed()
    }
}

impl<R: Records> ErasedRecords for R {
    fn get<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<Option<StoredRecord>, EngineError>> {
        let found = timeout(CALL, Records::get(self, key));
        Box::pin(async {
            found
                .await
                .map_err(|late| EngineError::Refused(late.into()))?
        })
    }

    fn put<'a>(
        &'a self,
        key: &'a str,
        value: Bytes,
        over: Option<u64>,
        ttl: Duration,
    ) -> BoxFuture<'a, Result<Option<u64>, EngineError>> {
        let put = timeout(CALL, Records::put(self, key, value, over, ttl));
        Box::pin(async {
            put.await
                .map_err(|late| EngineError::Unknown(late.into()))?
        })
    }
}

impl<J: Journals> ErasedJournals for J {
    fn append<'a>(
        &'a self,
        journal: &'a str,
        event: Bytes,
    ) -> BoxFuture<'a, Result<(), EngineError>> {
        let appended = timeout(CALL, Journals::append(self, journal, event));
        Box::pin(async {
            appended
                .await
                .map_err(|late| EngineError::Unknown(late.into()))?
        })
    }

    fn follow(&self, journal: &str) -> BoxStream<'static, Result<Bytes, EngineError>> {
        Journals::follow(self, journal).boxed()
    }
}

impl<E: Engine> ErasedEngine for E {
    fn is_connected(&self) -> bool {
        Engine::is_connected(self)
    }

    fn max_value(&self) -> usize {
        Engine::max_value(self)
    }

    fn report(&self) -> BoxFuture<'_, Result<EngineReport, EngineError>> {
        let report = timeout(CALL, Engine::report(self));
        Box::pin(async {
            report
                .await
                .map_err(|late| EngineError::Refused(late.into()))?
        })
    }
}
