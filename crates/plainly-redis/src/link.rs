//! A link to the primary: three connections, so that neither incoming messages nor a write that
//! waits for copies delays reads.

use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt as _;
use plainly_transport::tls;
use redis::aio::MultiplexedConnection;
use redis::{AsyncConnectionConfig, Cmd, FromRedisValue, ProtocolVersion, RedisConnectionInfo};
use redis::{RedisResult, cmd};
use rustls_pki_types::ServerName;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::sync::{Notify, mpsc, oneshot};
use tokio::task::JoinSet;
use tokio::time::{Instant, MissedTickBehavior, interval, timeout, timeout_at};
use tokio_rustls::TlsConnector;

use crate::channels::Channels;
use crate::failure::{Cause, Failure, in_words};
use crate::place::{Host, Place, User};
use crate::role::Role;
use crate::writer::{Doubts, Write, Writer};

/// The maximum time for one attempt to connect, and for a check of the server.
const ATTEMPT: Duration = Duration::from_secs(1);
/// The interval between two checks that the server responds, and is still the primary.
const PING: Duration = Duration::from_secs(2);
/// The maximum number of queued commands. A full queue drops events.
const UNSENT: usize = 4 * 1024;

/// The addresses and the TLS settings of the servers.
#[derive(Clone)]
pub(crate) struct Dialer {
    pub(crate) place: Place,
    pub(crate) tls: Option<TlsConnector>,
}

/// A byte stream, with TLS or without it.
trait Pipe: AsyncRead + AsyncWrite + Send + Unpin {}
impl<T: AsyncRead + AsyncWrite + Send + Unpin> Pipe for T {}

/// The connections to the primary that commands use.
#[derive(Clone)]
pub(crate) struct Link {
    /// The number of the link.
    pub(crate) number: u64,
    pub(crate) commands: MultiplexedConnection,
    pub(crate) writes: mpsc::Sender<Write>,
    /// Notified when a command fails, so that the keeper checks the server.
    alarm: Arc<Notify>,
}

/// The connections to the primary that the keeper uses.
pub(crate) struct Opened {
    pub(crate) link: Link,
    host: Host,
    listening: MultiplexedConnection,
    sentinel: Option<Sentinel>,
    /// One task for each connection. If one ends, the link is lost.
    tasks: JoinSet<()>,
}

/// The connection to a sentinel.
struct Sentinel {
    connection: MultiplexedConnection,
    _task: JoinSet<()>,
}

impl Dialer {
    /// Opens a link to the first server that is a primary.
    pub(crate) async fn open(
        &self,
        channels: &Arc<Channels>,
        doubts: &Arc<Doubts>,
        number: u64,
    ) -> Result<Opened, Cause> {
        let (hosts, sentinel) = match &self.place.watched {
            Some(name) => {
                let (sentinel, host) = self.sentinel(name).await?;
                (vec![host], Some(sentinel))
            }
            None => (self.place.hosts.clone(), None),
        };
        let mut reason = None;
        for host in hosts {
            match self.open_at(host, channels, doubts, number).await {
                Ok(opened) => return Ok(Opened { sentinel, ..opened }),
                Err(why) => reason = reason.or(Some(why)),
            }
        }
        Err(reason.unwrap_or_else(|| "there is no server".into()))
    }

    /// Finds the first sentinel that knows the primary of this name. Returns it with the primary's
    /// host.
    async fn sentinel(&self, name: &str) -> Result<(Sentinel, Host), Cause> {
        let mut reason = None;
        for host in &self.place.hosts {
            match self.sentinel_at(host, name).await {
                Ok(named) => return Ok(named),
                Err(why) => reason = reason.or(Some(why)),
            }
        }
        Err(reason.unwrap_or_else(|| "there is no sentinel".into()))
    }

    async fn sentinel_at(&self, host: &Host, name: &str) -> Result<(Sentinel, Host), Cause> {
        let mut task = JoinSet::new();
        // A sentinel may have no users, or the same as the servers.
        let user = self.place.user.as_ref();
        let mut dialed = self.dial(host, user, 0, None, &mut task).await;
        if dialed.is_err() && user.is_some() {
            dialed = self.dial(host, None, 0, None, &mut task).await;
        }
        let mut sentinel = Sentinel {
            connection: dialed?,
            _task: task,
        };
        let primary = sentinel.primary(name).await?;
        Ok((sentinel, primary))
    }

    async fn open_at(
        &self,
        host: Host,
        channels: &Arc<Channels>,
        doubts: &Arc<Doubts>,
        number: u64,
    ) -> Result<Opened, Cause> {
        let mut tasks = JoinSet::new();
        let (user, database) = (self.place.user.as_ref(), self.place.database);
        let mut commands = self.dial(&host, user, database, None, &mut tasks).await?;
        if ask::<Role>(&mut commands, &cmd("ROLE")).await? == Role::Copy {
            return Err(format!("{} is a copy, and not the primary", host.name).into());
        }
        let writing = self.dial(&host, user, database, None, &mut tasks).await?;
        let heard = Some(channels.clone());
        let mut listening = self.dial(&host, user, database, heard, &mut tasks).await?;
        subscribe(channels, &mut listening).await?;
        let alarm = Arc::new(Notify::new());
        let (writes, queue) = mpsc::channel(UNSENT);
        let (alive, ended) = oneshot::channel();
        let writer = Writer {
            connection: writing,
            doubts: doubts.clone(),
            alarm: alarm.clone(),
            _alive: alive,
        };
        // The writer is not one of the tasks, which are aborted on drop, because it must still
        // record which writes are in doubt.
        tokio::spawn(writer.write_all(queue));
        tasks.spawn(ended.map(drop));
        Ok(Opened {
            link: Link {
                number,
                commands,
                writes,
                alarm,
            },
            host,
            listening,
            sentinel: None,
            tasks,
        })
    }

    /// Connects to a server. The connection's task is added to `tasks`.
    async fn dial(
        &self,
        host: &Host,
        user: Option<&User>,
        database: i64,
        heard: Option<Arc<Channels>>,
        tasks: &mut JoinSet<()>,
    ) -> Result<MultiplexedConnection, Cause> {
        let mut info = RedisConnectionInfo::default()
            .set_protocol(ProtocolVersion::RESP3)
            .set_skip_set_lib_name()
            .set_db(database);
        if let Some((name, password)) = user {
            info = info.set_password(password);
            if let Some(name) = name {
                info = info.set_username(name);
            }
        }
        let mut config = AsyncConnectionConfig::new()
            .set_connection_timeout(None)
            .set_response_timeout(None)
            .set_pipeline_buffer_size(UNSENT);
        if let Some(channels) = heard {
            config = config.set_push_sender(move |push| {
                channels.deliver(push);
                Ok::<_, ()>(())
            });
        }
        let connected = timeout(ATTEMPT, async {
            let pipe = self.pipe(host).await?;
            let connected = MultiplexedConnection::new_with_config(&info, pipe, config);
            connected.await.map_err(in_words)
        });
        let late = |_| format!("{} did not answer in time", host.name);
        let (connection, driver) = connected.await.map_err(late)??;
        tasks.spawn(driver);
        Ok(connection)
    }

    async fn pipe(&self, host: &Host) -> Result<Box<dyn Pipe>, Cause> {
        let stream = TcpStream::connect((host.name.as_str(), host.port)).await;
        let unreached =
            |error| format!("cannot reach {} at port {}: {error}", host.name, host.port);
        let stream = stream.map_err(unreached)?;
        stream.set_nodelay(true)?;
        let Some(tls) = &self.tls else {
            return Ok(Box::new(stream));
        };
        let name = ServerName::try_from(host.name.clone())?;
        let stream = tls.connect(name, stream).await.map_err(tls::in_words)?;
        Ok(Box::new(stream))
    }
}

impl Opened {
    /// Waits until a connection is lost, or the server is no longer the primary. Meanwhile,
    /// subscribes to the wanted channels.
    pub(crate) async fn lost(mut self, dialer: &Dialer, channels: &Channels) -> Cause {
        let mut ticks = interval(PING);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            let stays = tokio::select! {
                _ = self.tasks.join_next() => return "the connection to Redis was lost".into(),
                () = channels.changed() => subscribe(channels, &mut self.listening).await,
                () = self.link.alarm.notified() => self.look(dialer).await,
                _ = ticks.tick() => self.look(dialer).await,
            };
            if let Err(why) = stays {
                return why;
            }
        }
    }

    /// Checks that the server responds, and is still the primary.
    async fn look(&mut self, dialer: &Dialer) -> Result<(), Cause> {
        let role: Role = ask(&mut self.link.commands, &cmd("ROLE")).await?;
        // Uses ROLE instead of PING, which Redis rejects while its disk is full.
        ask::<Role>(&mut self.listening, &cmd("ROLE")).await?;
        if role == Role::Copy {
            return Err("the server is a copy now".into());
        }
        if let Some(name) = &dialer.place.watched {
            let named = timeout(ATTEMPT, self.named(dialer, name)).await;
            if let Ok(Some(host)) = named
                && host != self.host
            {
                return Err("the sentinels know another primary".into());
            }
        }
        Ok(())
    }

    /// The host of the primary according to a sentinel; `None` if no sentinel can be reached.
    async fn named(&mut self, dialer: &Dialer, name: &str) -> Option<Host> {
        let named = match self.sentinel.take() {
            Some(mut sentinel) => {
                let host = sentinel.primary(name).await;
                host.map(|host| (sentinel, host))
            }
            None => dialer.sentinel(name).await,
        };
        let (sentinel, host) = named.ok()?;
        self.sentinel = Some(sentinel);
        Some(host)
    }
}

impl Sentinel {
    /// The host of the primary of this name.
    async fn primary(&mut self, name: &str) -> Result<Host, Cause> {
        let mut command = cmd("SENTINEL");
        command.arg("get-master-addr-by-name").arg(name);
        let at: Option<(String, u16)> = ask(&mut self.connection, &command).await?;
        let (host, port) = at.ok_or_else(|| format!("the sentinel knows no primary `{name}`"))?;
        Ok(Host { name: host, port })
    }
}

impl Link {
    /// Sends a command, and reads the reply.
    pub(crate) async fn ask<T: FromRedisValue>(
        &self,
        command: &Cmd,
        until: Instant,
    ) -> Result<T, Failure> {
        let mut connection = self.commands.clone();
        match timeout_at(until, command.query_async(&mut connection)).await {
            Ok(reply) => reply.map_err(|error| {
                self.alarm.notify_one();
                error.into()
            }),
            Err(_) => {
                self.alarm.notify_one();
                Err(Failure::Unknown("Redis did not answer in time".into()))
            }
        }
    }
}

/// Subscribes to the wanted channels.
async fn subscribe(
    channels: &Channels,
    connection: &mut MultiplexedConnection,
) -> Result<(), Cause> {
    in_time(channels.subscribe(connection)).await
}

/// Sends a command, and reads the reply.
async fn ask<T: FromRedisValue>(
    connection: &mut MultiplexedConnection,
    command: &Cmd,
) -> Result<T, Cause> {
    in_time(command.query_async(connection)).await
}

async fn in_time<T>(reply: impl Future<Output = RedisResult<T>>) -> Result<T, Cause> {
    match timeout(ATTEMPT, reply).await {
        Ok(reply) => reply.map_err(in_words),
        Err(_) => Err("Redis did not answer in time".into()),
    }
}
