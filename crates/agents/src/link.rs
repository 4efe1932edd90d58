//! A connection between an agent and its coordinator, once TLS stands: what is to be sent goes into a queue, what comes is told to
//! whoever listens, and each side says every second that it lives.

use crate::message::{LENGTH_BYTES, frame, read_frame, write_frame};
use proofload_host::clock;
use serde::Serialize;
use std::convert::Infallible;
use std::io;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadHalf, WriteHalf};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::interval;

/// How often a side says that it lives.
const ALIVE_EVERY: Duration = Duration::from_secs(1);
/// Who says nothing for so long is gone.
const SILENCE: Duration = Duration::from_secs(5);

/// What is to be sent.
#[derive(Debug)]
pub(crate) enum Out {
    Frame(Vec<u8>),
    /// This one, and the instant at which it leaves is to be told.
    Stamped(Vec<u8>),
}

/// What happens on a connection.
#[derive(Debug)]
pub(crate) enum Heard {
    /// A frame has come, then.
    Frame { at_ns: u64, bytes: Vec<u8> },
    /// A stamped frame leaves, then.
    Left { at_ns: u64 },
    /// The first heartbeat has come: the peer is one that listens.
    Alive,
    /// Nothing will come any more, and why.
    Lost(String),
}

/// The sending side; the connection is closed in order when the last one is dropped.
#[derive(Clone, Debug)]
pub(crate) struct Sender(UnboundedSender<Out>);

impl Sender {
    /// Puts a message into the queue. One to a peer that is gone is dropped: that it is gone is told otherwise.
    pub fn send(&self, message: &impl Serialize) -> io::Result<()> {
        let _ = self.0.send(Out::Frame(frame(message)?));
        Ok(())
    }

    /// The same, and the instant at which it leaves is told.
    pub fn send_stamped(&self, message: &impl Serialize) -> io::Result<()> {
        let _ = self.0.send(Out::Stamped(frame(message)?));
        Ok(())
    }
}

/// Held by every connection that still has something to send; nothing is ever put into it.
pub(crate) type Sending = tokio::sync::mpsc::Sender<Infallible>;

/// What either side says when it has nothing to say.
#[derive(Debug)]
pub(crate) struct Heartbeat {
    ours: Vec<u8>,
    /// The bytes of theirs, without their length.
    theirs: Vec<u8>,
}

impl Heartbeat {
    pub fn new(ours: &impl Serialize, theirs: &impl Serialize) -> io::Result<Heartbeat> {
        Ok(Heartbeat { ours: frame(ours)?, theirs: frame(theirs)?.split_off(LENGTH_BYTES) })
    }
}

/// Begins to send and to listen. Heartbeats are not told; `tell` hears of what happens, and says whether it
/// wants to hear more. `sending` is let go when the last message has left.
pub(crate) fn link<S>(
    stream: S,
    heartbeat: Heartbeat,
    sending: Option<Sending>,
    tell: impl Fn(Heard) -> bool + Clone + Send + 'static,
) -> Sender
where
    S: AsyncRead + AsyncWrite + Send + 'static,
{
    let (from, to) = tokio::io::split(stream);
    let (sender, queue) = unbounded_channel();
    tokio::spawn(listen(from, heartbeat.theirs, tell.clone()));
    tokio::spawn(async move {
        send(to, queue, heartbeat.ours, tell).await;
        drop(sending);
    });
    Sender(sender)
}

async fn listen<S: AsyncRead>(mut from: ReadHalf<S>, alive: Vec<u8>, tell: impl Fn(Heard) -> bool) {
    let mut is_known_alive = false;
    loop {
        let heard = match read_frame(&mut from, SILENCE).await {
            // Who listens may have other things to do for hours.
            Ok(bytes) if bytes == alive && is_known_alive => continue,
            Ok(bytes) if bytes == alive => {
                is_known_alive = true;
                Heard::Alive
            }
            Ok(bytes) => Heard::Frame { at_ns: clock::monotonic_ns(), bytes },
            Err(error) => Heard::Lost(why(&error)),
        };
        let is_lost = matches!(heard, Heard::Lost(_));
        if !tell(heard) || is_lost {
            return;
        }
    }
}

/// What a failed read means.
fn why(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::UnexpectedEof => "it closed the connection".to_owned(),
        io::ErrorKind::TimedOut => format!("nothing was heard for {} s", SILENCE.as_secs()),
        _ => error.to_string(),
    }
}

async fn send<S: AsyncWrite>(
    mut to: WriteHalf<S>,
    mut queue: UnboundedReceiver<Out>,
    alive: Vec<u8>,
    tell: impl Fn(Heard) -> bool,
) {
    let mut beat = interval(ALIVE_EVERY);
    loop {
        let out = tokio::select! {
            out = queue.recv() => out,
            _ = beat.tick() => Some(Out::Frame(alive.clone())),
        };
        let written = match out {
            None => break,
            Some(Out::Frame(frame)) => write_frame(&mut to, &frame).await,
            Some(Out::Stamped(frame)) => {
                tell(Heard::Left { at_ns: clock::monotonic_ns() });
                write_frame(&mut to, &frame).await
            }
        };
        // Whoever listens on the same connection says that it is lost.
        if written.is_err() {
            break;
        }
    }
    let _ = tokio::io::AsyncWriteExt::shutdown(&mut to).await;
}
