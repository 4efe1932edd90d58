//! Listening, and starting the workers.

use crate::arrivals::LogFile;
use crate::clock::now_ns;
use crate::config::CONNECTIONS_MAX;
use crate::counts::{Cells, Counts};
use crate::shared::{Inbox, Shared};
use crate::tls::TlsConfig;
use crate::worker::Worker;
use crate::{Config, ReferenceError, Stop};
use rustix::net::{self, AddressFamily, SocketFlags, SocketType, sockopt};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use std::fs::File;
use std::io::Write;
use std::net::SocketAddr;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::thread::JoinHandle;

/// Connections that the kernel holds until they are accepted; it lowers this to `net.core.somaxconn`.
const BACKLOG: i32 = 65_535;
/// Descriptors besides connections: standard streams, epolls, files.
const DESCRIPTORS_RESERVED: u64 = 256;

/// Work of a server from its start to its end.
#[derive(Clone, Debug)]
pub struct Report {
    pub address: SocketAddr,
    pub counts: Counts,
}

/// A server that listens: clients can connect, and are served once it runs.
#[derive(Debug)]
pub struct Server {
    shared: Arc<Shared>,
    address: SocketAddr,
    counts_file: Option<File>,
}

impl Server {
    /// Checks the configuration, listens, and opens the files.
    ///
    /// # Errors
    /// Any [`ReferenceError`] but those of parsing.
    pub fn bind(config: Config) -> Result<Self, ReferenceError> {
        config.check()?;
        let tls = config.tls.as_ref().map(TlsConfig::build).transpose()?;
        let connections_max = allow_descriptors(&config)?;
        let (listener, address) = listen(SocketAddr::new(config.bind, config.port))?;
        let log = config.arrivals.as_deref().map(LogFile::create).transpose()?;
        let create = |path: &std::path::PathBuf| {
            File::create(path).map_err(|source| ReferenceError::File { path: path.clone(), source })
        };
        let counts_file = config.counts.as_ref().map(create).transpose()?;
        let shared = Shared {
            connections_max,
            started_ns: now_ns(),
            listener,
            open: AtomicUsize::new(0),
            cells: (0..config.workers).map(|_| Arc::new(Cells::new())).collect(),
            inboxes: (0..config.workers).map(|_| Inbox::new()).collect::<Result<_, _>>()?,
            log,
            tls,
            config,
        };
        Ok(Server { shared: Arc::new(shared), address, counts_file })
    }

    /// Listening address, with the port that the kernel chose.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Serves until `stop` is requested. Each worker has its own thread, named after port and number; all
    /// have ended when this returns, and all connections are closed.
    ///
    /// # Errors
    /// [`ReferenceError::Kernel`] or [`ReferenceError::File`] when a worker cannot go on; the others are
    /// stopped.
    pub fn run(mut self, stop: &Stop) -> Result<Report, ReferenceError> {
        let mut workers = Vec::new();
        for index in 0..self.shared.config.workers {
            workers.push(Worker::new(self.shared.clone(), index, stop)?);
        }
        let mut threads = Vec::new();
        let mut result = Ok(());
        for (index, worker) in workers.into_iter().enumerate() {
            let bell = RingOnDrop(stop.clone());
            let name = format!("ref-{}-{index}", self.address.port());
            let spawned = std::thread::Builder::new().name(name).spawn(move || {
                // When this worker fails or panics, the others must end too.
                let _bell = bell;
                worker.run()
            });
            match spawned {
                Ok(thread) => threads.push(thread),
                Err(error) => {
                    stop.request();
                    result = Err(ReferenceError::kernel("a thread", error));
                    break;
                }
            }
        }
        for thread in threads {
            let ended = thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            result = result.and(ended);
        }
        result?;
        self.report()
    }

    fn report(&mut self) -> Result<Report, ReferenceError> {
        let report = Report { address: self.address, counts: self.shared.counts() };
        if let (Some(file), Some(path)) = (&mut self.counts_file, &self.shared.config.counts) {
            writeln!(file, "{}", report.counts.to_json())
                .map_err(|source| ReferenceError::File { path: path.clone(), source })?;
        }
        Ok(report)
    }
}

/// Asks for the end when a worker's thread ends, however it does.
struct RingOnDrop(Stop);

impl Drop for RingOnDrop {
    fn drop(&mut self) {
        self.0.request();
    }
}

/// A server on a thread of its own, stopped when dropped.
#[derive(Debug)]
pub struct Running {
    shared: Arc<Shared>,
    address: SocketAddr,
    stop: Stop,
    thread: Option<JoinHandle<Result<Report, ReferenceError>>>,
}

impl Running {
    /// Starts a server; clients can connect when this returns.
    ///
    /// # Errors
    /// As [`Server::bind`].
    pub fn start(config: Config) -> Result<Self, ReferenceError> {
        let server = Server::bind(config)?;
        let stop = Stop::new()?;
        let (shared, address) = (server.shared.clone(), server.address);
        let for_thread = stop.clone();
        let thread = std::thread::Builder::new()
            .name(format!("ref-{}", address.port()))
            .spawn(move || server.run(&for_thread))
            .map_err(|e| ReferenceError::kernel("a thread", e))?;
        Ok(Running { shared, address, stop, thread: Some(thread) })
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Counts so far.
    pub fn counts(&self) -> Counts {
        self.shared.counts()
    }

    /// Stops it.
    ///
    /// # Errors
    /// As [`Server::run`].
    pub fn stop(mut self) -> Result<Report, ReferenceError> {
        self.stop.request();
        let thread = self.thread.take().expect("only stop and drop take it, and both end the value");
        thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.stop.request();
        if let Some(thread) = self.thread.take() {
            // The error or panic was not asked for; a drop must not make a second one of it.
            let _unasked = thread.join();
        }
    }
}

/// Listens and serves until `stop` is requested: [`Server::bind`] and [`Server::run`] in one.
///
/// # Errors
/// As those.
pub fn serve(config: Config, stop: &Stop) -> Result<Report, ReferenceError> {
    Server::bind(config)?.run(stop)
}

/// Listens, passes the address to `listening`, and serves until SIGTERM or SIGINT: the main loop of a process
/// that is only this server.
///
/// # Errors
/// As [`Server::bind`], [`Server::run`] and [`Stop::on_signals`].
pub fn run(config: &Config, listening: impl FnOnce(SocketAddr)) -> Result<Report, ReferenceError> {
    // Before anyone can know that the server is there, so that a signal always ends it in order.
    let stop = Stop::on_signals()?;
    let server = Server::bind(config.clone())?;
    listening(server.address());
    server.run(&stop)
}

fn listen(address: SocketAddr) -> Result<(OwnedFd, SocketAddr), ReferenceError> {
    let attempt = || -> rustix::io::Result<(OwnedFd, SocketAddr)> {
        let family = if address.is_ipv4() { AddressFamily::INET } else { AddressFamily::INET6 };
        let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
        let listener = net::socket_with(family, SocketType::STREAM, flags, None)?;
        sockopt::set_socket_reuseaddr(&listener, true)?;
        // Accepted connections inherit it: every byte of a drip leaves when it is written.
        sockopt::set_tcp_nodelay(&listener, true)?;
        net::bind(&listener, &address)?;
        net::listen(&listener, BACKLOG)?;
        let bound = net::getsockname(&listener)?.try_into()?;
        Ok((listener, bound))
    };
    attempt().map_err(|e| ReferenceError::Listen { address, source: e.into() })
}

/// Raises the soft limit on descriptors, and returns the number of connections that can be held.
fn allow_descriptors(config: &Config) -> Result<usize, ReferenceError> {
    let limit = getrlimit(Resource::Nofile);
    let allowed = limit.maximum.unwrap_or(u64::MAX);
    if limit.current.is_some_and(|current| current < allowed) {
        setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, maximum: limit.maximum })
            .map_err(|e| ReferenceError::kernel("a higher limit of descriptors", e))?;
    }
    let room = allowed.saturating_sub(DESCRIPTORS_RESERVED);
    match config.connections_max {
        Some(wanted) if wanted as u64 > room => {
            Err(ReferenceError::Descriptors { needed: wanted as u64 + DESCRIPTORS_RESERVED, allowed })
        }
        Some(wanted) => Ok(wanted),
        None => Ok(CONNECTIONS_MAX.min(usize::try_from(room).unwrap_or(usize::MAX)).max(1)),
    }
}
