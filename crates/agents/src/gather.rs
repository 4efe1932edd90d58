//! The coordinator's side of joining: it listens, lets in who knows the token and is of its version, and deals the numbers when all
//! are there.

#![allow(clippy::disallowed_methods, reason = "agents join here")]

use crate::deadline::Deadline;
use crate::error::{FleetError, MOST_AGENTS};
use crate::fleet::Fleet;
use crate::link::{Heard, Heartbeat, Sender, Sending, link};
use crate::member::{Event, Member, Newcomer, Who};
use crate::message::{
    FromAgent, Hello, ToAgent, VERSION, frame, message, read_frame, version_of, write_frame,
};
use crate::runtime::Runtime;
use crate::token::Token;
use proofload_language::{say, word};
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
use tokio_rustls::server::TlsStream;

/// How long somebody may take to prove who they are.
const HANDSHAKE: Duration = Duration::from_secs(10);
/// Most who have not proven who they are, at a time: so many descriptors strangers can take.
const UNPROVEN_MAX: usize = 32;
/// How soon a signal is heeded.
const LOOK: Duration = Duration::from_millis(100);

/// Who is let in, and how many are waited for.
#[derive(Debug)]
pub struct Terms {
    /// How many agents, at least one.
    pub agents: u32,
    /// How long they may take to come.
    pub wait: Duration,
    /// How many of them may be lost, in all loads together, before nobody goes on; fewer than there are.
    pub tolerated: u32,
}

/// What becomes of somebody who dials, until all are there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Arrival {
    /// It is let in, as so many of so many.
    Joined {
        who: Who,
        /// How many there are now.
        came: u32,
        /// How many are waited for.
        of: u32,
    },
    Left {
        who: Who,
        /// Why, as the connection has it.
        why: String,
    },
    /// It is not wanted.
    Refused {
        who: Who,
        /// Why not.
        why: String,
    },
}

#[derive(Debug)]
pub struct Listener {
    address: SocketAddr,
    runtime: Runtime,
    events: Receiver<Event>,
    /// Nobody is let in any more when it goes.
    open: oneshot::Sender<()>,
}

impl Listener {
    /// Listens there.
    ///
    /// # Errors
    /// When the address cannot be listened at.
    pub fn open(listen: SocketAddr, token: &Token) -> Result<Listener, FleetError> {
        let system = |what: &str| {
            let what = what.to_owned();
            move |source| FleetError::System { what, source }
        };
        let config = token.of_coordinator().map_err(|error| FleetError::Token(error.to_string()))?;
        let listener = std::net::TcpListener::bind(listen).map_err(system(&format!("--listen {listen}")))?;
        listener.set_nonblocking(true).map_err(system("--listen"))?;
        let address = listener.local_addr().map_err(system("--listen"))?;
        let (tell, events) = mpsc::channel();
        let (open, closed) = oneshot::channel();
        let runtime =
            Runtime::start(move |sending| accept(listener, Arc::new(config), tell, sending, closed))?;
        Ok(Listener { address, runtime, events, open })
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Waits until all are there, and deals them their numbers. `told` hears who comes and who leaves meanwhile.
    ///
    /// # Errors
    /// When some do not come in time: it names them.
    pub fn gather(
        self,
        terms: &Terms,
        stop: &AtomicBool,
        told: &mut dyn FnMut(&Arrival),
    ) -> Result<Fleet, FleetError> {
        if terms.agents == 0 || terms.agents > MOST_AGENTS {
            return Err(FleetError::Count(terms.agents));
        }
        let mut newcomers: Vec<Newcomer> = Vec::new();
        let waiting = Deadline::after(terms.wait);
        while newcomers.len() < terms.agents as usize {
            if stop.load(Ordering::Relaxed) {
                return Err(FleetError::Stopped);
            }
            if waiting.is_over() {
                return Err(missing(terms, &newcomers));
            }
            match self.events.recv_timeout(LOOK) {
                Ok(Event::Joined(newcomer)) => admit(newcomer, terms.agents, &mut newcomers, told),
                Ok(Event::Heard { from, heard: Heard::Lost(why) }) => {
                    if let Some(at) = newcomers.iter().position(|newcomer| newcomer.connection == from) {
                        let gone = newcomers.remove(at);
                        told(&Arrival::Left { who: gone.who(), why });
                    }
                }
                Ok(Event::Heard { .. }) | Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(FleetError::Lost(word!("agents-listener-ended").to_owned()));
                }
            }
        }
        drop(self.open);
        Ok(Fleet::new(dealt(newcomers), terms.tolerated, self.runtime, self.events))
    }
}

/// Takes an agent in, or tells it why not.
fn admit(newcomer: Newcomer, agents: u32, newcomers: &mut Vec<Newcomer>, told: &mut dyn FnMut(&Arrival)) {
    let why = match newcomer.hello.index {
        Some(index) if index >= agents => {
            Some(format!("{agents} agents are numbered from 0: there is no {index}"))
        }
        Some(index) => {
            let other = newcomers.iter().find(|other| other.hello.index == Some(index));
            other.map(|other| format!("{} is number {index} already", other.address))
        }
        None => None,
    };
    match why {
        Some(why) => {
            let _ = newcomer.out.send(&ToAgent::Refused(why.clone()));
            told(&Arrival::Refused { who: newcomer.who(), why });
        }
        None => {
            let came = newcomers.len() as u32 + 1;
            told(&Arrival::Joined { who: newcomer.who(), came, of: agents });
            newcomers.push(newcomer);
        }
    }
}

fn missing(terms: &Terms, newcomers: &[Newcomer]) -> FleetError {
    let taken: BTreeSet<u32> = newcomers.iter().filter_map(|newcomer| newcomer.hello.index).collect();
    let free: Vec<String> =
        (0..terms.agents).filter(|index| !taken.contains(index)).map(|i| i.to_string()).collect();
    let came = newcomers.len() as u32;
    let absent = terms.agents - came;
    // Of those that are to be dealt a number it is not known which they are.
    let missing = match taken.len() == newcomers.len() {
        true => say!("agents-missing-numbers", numbers = shortened(&free)),
        false => say!("agents-missing-some", absent),
    };
    let names: Vec<String> = newcomers.iter().map(Newcomer::name).collect();
    let here = (!names.is_empty()).then(|| shortened(&names));
    FleetError::Missing { came, wanted: terms.agents, seconds: terms.wait.as_secs(), here, missing }
}

/// The first of many, and how many more.
fn shortened(names: &[String]) -> String {
    const SHOWN: usize = 20;
    let shown = names[..names.len().min(SHOWN)].join(word!("between-items"));
    match names.len() > SHOWN {
        true => say!("agents-and-more", shown, more = names.len() - SHOWN),
        false => shown,
    }
}

/// In the order of their numbers: those that have one keep it, the others get what is left as they came.
fn dealt(newcomers: Vec<Newcomer>) -> Vec<(u64, Sender, Member)> {
    let taken: BTreeSet<u32> = newcomers.iter().filter_map(|newcomer| newcomer.hello.index).collect();
    let mut free =
        (0..newcomers.len() as u32).filter(|index| !taken.contains(index)).collect::<Vec<_>>().into_iter();
    let boot = proofload_host::boot();
    let mut members: Vec<_> = newcomers
        .into_iter()
        .filter_map(|newcomer| {
            let index = newcomer.hello.index.or_else(|| free.next())?;
            let Newcomer { connection, hello, address, out } = newcomer;
            let is_here = !hello.boot.is_empty() && hello.boot == boot;
            let Hello { host, cpus, .. } = hello;
            Some((connection, out, Member { index, host, is_here, cpus, ..Member::default_at(address) }))
        })
        .collect();
    members.sort_by_key(|(_, _, member)| member.index);
    members
}

/// Lets in whoever dials until it is closed; who is in stays.
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
                Ok((stream, address)) => door.hear(stream, address),
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

/// Somebody who dialled and has not proven that they know the token.
struct Unproven {
    task: AbortHandle,
    has_spoken: Arc<AtomicBool>,
}

impl Door {
    /// Hears somebody out, beside the others. Where they would be too many, one is sent away that has said nothing, the oldest
    /// of them: an agent speaks at once.
    fn hear(&mut self, stream: TcpStream, address: SocketAddr) {
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
            let heard = async {
                stream.readable().await?;
                speaks.store(true, Ordering::Relaxed);
                let_in(acceptor, stream, address, connection, &tell, &sending).await
            };
            // Who cannot prove that they know the token is nobody.
            if let Ok(Ok(Some(newcomer))) = timeout(HANDSHAKE, heard).await {
                let _ = tell.send(Event::Joined(newcomer));
            }
        });
        self.unproven.push_back(Unproven { task: task.abort_handle(), has_spoken });
    }
}

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
    let theirs = version_of(&bytes)?;
    if theirs != VERSION {
        refuse(
            &mut stream,
            format!("it is of version {theirs}, the coordinator of {VERSION}: install one on both"),
        )
        .await?;
        return Ok(None);
    }
    let hello: Hello = message(&bytes)?;
    let heartbeat = Heartbeat::new(&ToAgent::Alive, &FromAgent::Alive)?;
    let tell = tell.clone();
    let told = move |heard| tell.send(Event::Heard { from: connection, heard }).is_ok();
    let out = link(stream, heartbeat, sending.upgrade(), told);
    Ok(Some(Newcomer { connection, hello, address, out }))
}

async fn refuse(stream: &mut TlsStream<TcpStream>, why: String) -> io::Result<()> {
    write_frame(stream, &frame(&ToAgent::Refused(why))?).await?;
    stream.shutdown().await
}
