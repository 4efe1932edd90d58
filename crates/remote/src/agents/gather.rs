//! The coordinator's side of joining: it listens, lets in agents that have the token and are of its version, and deals
//! the numbers when all are there.

#![allow(clippy::disallowed_methods, reason = "agents join here")]

use crate::agents::link::{Incoming, Sender, Sending, link};
use crate::agents::member::{Clock, Event, Member, Newcomer};
use crate::agents::message::{Hello, Message, VERSION, frame, message, read_frame, write_frame};
use crate::agents::pool::AgentPool;
use crate::agents::runtime::Runtime;
use crate::agents::token::Token;
use crate::deadline::Deadline;
use crate::error::RemoteError;
use proofload_language::tr;
use rustls::ServerConfig;
use std::collections::{BTreeSet, VecDeque};
use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::Duration;
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc::WeakSender;
use tokio::sync::oneshot;
use tokio::task::AbortHandle;
use tokio::time::timeout;
use tokio_rustls::TlsAcceptor;

/// Most agents of one coordinator: each needs a descriptor there.
pub const MOST_AGENTS: u32 = 10_000;
/// Longest time for a stranger to prove that it is an agent.
const HANDSHAKE: Duration = Duration::from_secs(10);
/// Most peers at a time that have not proven to have the token: the descriptors that strangers can take.
const UNPROVEN_MAX: usize = 32;
/// Interval between two polls of a signal.
const LOOK: Duration = Duration::from_millis(100);

/// Number of agents that are waited for, and the longest time for it.
#[derive(Debug)]
pub struct Terms {
    pub agents: u32,
    pub wait: Duration,
    /// Number of them that may be lost, in all loads together, before the run ends; fewer than there are.
    pub tolerated: u32,
}

#[derive(Debug)]
pub struct Listener {
    address: SocketAddr,
    runtime: Runtime,
    events: Receiver<Event>,
    /// Dropping it stops the admission of agents.
    open: oneshot::Sender<()>,
}

impl Listener {
    /// Listens at the address.
    ///
    /// # Errors
    /// An address that cannot be listened at.
    pub fn open(listen: SocketAddr, token: &Token) -> Result<Listener, RemoteError> {
        let config = token.of_coordinator().map_err(RemoteError::usage)?;
        let listening = || {
            let listener = std::net::TcpListener::bind(listen)?;
            listener.set_nonblocking(true)?;
            Ok((listener.local_addr()?, listener))
        };
        let (address, listener) = listening().map_err(|error: io::Error| {
            let label = format!("--listen {listen}");
            RemoteError::Usage(tr!("labelled", label, what = error.to_string()))
        })?;
        let (tell, events) = mpsc::channel();
        let (open, closed) = oneshot::channel();
        let runtime =
            Runtime::start(move |sending| accept(listener, Arc::new(config), tell, sending, closed))?;
        Ok(Listener { address, runtime, events, open })
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Waits until all are there, and deals them their numbers. `say` receives a line for each that joins, leaves or is
    /// refused meanwhile.
    ///
    /// # Errors
    /// Some do not come in time: it names them.
    pub fn gather(
        self,
        terms: &Terms,
        stop: &AtomicBool,
        say: &mut dyn FnMut(&str),
    ) -> Result<AgentPool, RemoteError> {
        let mut newcomers: Vec<Newcomer> = Vec::new();
        let waiting = Deadline::after(terms.wait);
        while newcomers.len() < terms.agents as usize {
            if stop.load(Ordering::Relaxed) {
                return Err(RemoteError::Stopped(tr!("agents-stopped").to_owned()));
            }
            if waiting.is_over() {
                return Err(RemoteError::FailedStart(missing(terms, &newcomers)));
            }
            match self.events.recv_timeout(LOOK) {
                Ok(Event::Joined(newcomer)) => say(&admit(newcomer, terms.agents, &mut newcomers)),
                Ok(Event::Incoming { from, incoming: Incoming::Lost(why) }) => {
                    if let Some(at) = newcomers.iter().position(|newcomer| newcomer.connection == from) {
                        say(&tr!("agents-left", who = newcomers.remove(at).name(), why));
                    }
                }
                Ok(Event::Incoming { .. }) | Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(RemoteError::FailedStart(tr!("agents-listener-ended").to_owned()));
                }
            }
        }
        drop(self.open);
        Ok(AgentPool::new(dealt(newcomers), terms.tolerated, self.runtime, self.events))
    }
}

/// Takes an agent in, or sends it the reason of a refusal. Returns a line about it.
fn admit(newcomer: Newcomer, agents: u32, newcomers: &mut Vec<Newcomer>) -> String {
    let who = newcomer.name();
    let why = match newcomer.index {
        Some(index) if index >= agents => {
            Some(format!("{agents} agents are numbered from 0: there is no {index}"))
        }
        Some(index) => {
            let other = newcomers.iter().find(|other| other.index == Some(index));
            other.map(|other| format!("{} is number {index} already", other.member.address))
        }
        None => None,
    };
    match why {
        Some(why) => {
            let _ = newcomer.out.send(&Message::Refused(why.clone()));
            tr!("agents-refused", who, why)
        }
        None => {
            newcomers.push(newcomer);
            tr!("agents-joined", who, came = newcomers.len(), of = agents)
        }
    }
}

fn missing(terms: &Terms, newcomers: &[Newcomer]) -> String {
    let taken: BTreeSet<u32> = newcomers.iter().filter_map(|newcomer| newcomer.index).collect();
    let free: Vec<String> =
        (0..terms.agents).filter(|index| !taken.contains(index)).map(|i| i.to_string()).collect();
    let (came, wanted, seconds) = (newcomers.len() as u32, terms.agents, terms.wait.as_secs());
    // Of those that are to be dealt a number it is not known which they are.
    let missing = match taken.len() == newcomers.len() {
        true => tr!("agents-missing-numbers", numbers = shortened(&free)),
        false => tr!("agents-missing-some", absent = wanted - came),
    };
    let names: Vec<String> = newcomers.iter().map(Newcomer::name).collect();
    let here = (!names.is_empty()).then(|| shortened(&names));
    tr!("agents-missing", came, wanted, seconds, here, missing)
}

/// The first of many, and the number of the others.
fn shortened(names: &[String]) -> String {
    const SHOWN: usize = 20;
    let shown = names[..names.len().min(SHOWN)].join(tr!("between-items"));
    match names.len() > SHOWN {
        true => tr!("agents-and-more", shown, more = names.len() - SHOWN),
        false => shown,
    }
}

/// In the order of their numbers: those that have one keep it, the others get the remaining ones in the order of their
/// arrival.
fn dealt(newcomers: Vec<Newcomer>) -> Vec<(u64, Sender, Member)> {
    let taken: BTreeSet<u32> = newcomers.iter().filter_map(|newcomer| newcomer.index).collect();
    let mut free = (0..).filter(|index| !taken.contains(index));
    let mut members: Vec<_> = newcomers
        .into_iter()
        .map(|Newcomer { connection, index, member, out }| {
            let index = index.unwrap_or_else(|| free.next().unwrap_or_default());
            (connection, out, Member { index, ..member })
        })
        .collect();
    members.sort_by_key(|(_, _, member)| member.index);
    members
}
/// Lets in agents that dial until it is closed; those that are in stay.
async fn accept(
    listener: std::net::TcpListener,
    config: Arc<ServerConfig>,
    tell: mpsc::Sender<Event>,
    sending: Sending,
    mut closed: oneshot::Receiver<()>,
) {
    let Ok(listener) = TcpListener::from_std(listener) else { return };
    let acceptor = TlsAcceptor::from(config);
    let mut door = Door { acceptor, tell, sending, unproven: VecDeque::new(), connections: 0 };
    loop {
        tokio::select! {
            _ = &mut closed => break,
            came = listener.accept() => match came {
                Ok((stream, address)) => door.admit(stream, address),
                // Descriptors are wanting, or the peer is gone already.
                Err(_) => tokio::time::sleep(LOOK).await,
            }
        }
    }
    drop(listener);
    door.unproven.iter().for_each(|peer| peer.task.abort());
    std::future::pending::<()>().await
}

/// Strangers that prove to be agents.
struct Door {
    acceptor: TlsAcceptor,
    tell: mpsc::Sender<Event>,
    sending: Sending,
    unproven: VecDeque<Unproven>,
    connections: u64,
}

/// A peer that dialled and has not proven that it has the token.
struct Unproven {
    task: AbortHandle,
    has_spoken: Arc<AtomicBool>,
}

impl Door {
    /// Starts the handshake of a peer, beside the others. Where they would be too many, one that has sent nothing is
    /// dropped, the oldest of them: an agent sends at once.
    fn admit(&mut self, stream: TcpStream, address: SocketAddr) {
        self.unproven.retain(|peer| !peer.task.is_finished());
        if self.unproven.len() >= UNPROVEN_MAX {
            let is_silent = |peer: &Unproven| !peer.has_spoken.load(Ordering::Relaxed);
            let at = self.unproven.iter().position(is_silent).unwrap_or(0);
            self.unproven.remove(at).iter().for_each(|peer| peer.task.abort());
        }
        let (acceptor, tell, sending) = (self.acceptor.clone(), self.tell.clone(), self.sending.downgrade());
        let (connection, has_spoken) = (self.connections, Arc::new(AtomicBool::new(false)));
        self.connections += 1;
        let speaks = Arc::clone(&has_spoken);
        let task = tokio::spawn(async move {
            let handshake = async {
                stream.readable().await?;
                speaks.store(true, Ordering::Relaxed);
                let_in(acceptor, stream, address, connection, &tell, &sending).await
            };
            // A peer that cannot prove that it has the token is ignored.
            if let Ok(Ok(Some(newcomer))) = timeout(HANDSHAKE, handshake).await {
                let _ = tell.send(Event::Joined(newcomer));
            }
        });
        self.unproven.push_back(Unproven { task: task.abort_handle(), has_spoken });
    }
}

/// Handshake of a joining agent; one of another version receives that as the reason.
async fn let_in(
    acceptor: TlsAcceptor,
    stream: TcpStream,
    address: SocketAddr,
    connection: u64,
    tell: &mpsc::Sender<Event>,
    sending: &WeakSender<Infallible>,
) -> io::Result<Option<Newcomer>> {
    stream.set_nodelay(true)?;
    let mut stream = acceptor.accept(stream).await?;
    let bytes = read_frame(&mut stream, HANDSHAKE).await?;
    let theirs: String = message(&bytes)?;
    if theirs != VERSION {
        let why = format!("it is of version {theirs}, the coordinator of {VERSION}: install one on both");
        write_frame(&mut stream, &frame(&Message::Refused(why))?).await?;
        stream.shutdown().await?;
        return Ok(None);
    }
    let Hello { host, boot, cpus, index, .. } = message(&bytes)?;
    let is_here = !boot.is_empty() && boot == proofload_host::boot();
    let member = Member { index: 0, host, is_here, cpus, address, clock: Clock::UNKNOWN };
    let tell = tell.clone();
    let told = move |incoming| tell.send(Event::Incoming { from: connection, incoming }).is_ok();
    let out = link(stream, sending.upgrade(), told);
    Ok(Some(Newcomer { connection, index, member, out }))
}
