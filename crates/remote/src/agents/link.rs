//! A connection between an agent and its coordinator, once TLS is established: messages to be sent go into a queue,
//! received ones are passed to the listener, and each side sends a heartbeat every second.

use crate::agents::message::{Message, frame, message, read_frame, write_frame};
use proofload_host::clock;
use proofload_language::tr;
use std::convert::Infallible;
use std::io;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadHalf, WriteHalf};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::interval;

const HEARTBEAT_EVERY: Duration = Duration::from_secs(1);
/// A peer that is silent for so long is gone.
const SILENCE: Duration = Duration::from_secs(5);

/// An event on a connection.
#[derive(Debug)]
pub(crate) enum Incoming {
    /// A message has come, then. Of the peer's heartbeats only the first is passed on.
    Message { at_ns: u64, message: Message },
    /// A ping leaves, then.
    PingLeft { at_ns: u64 },
    /// Nothing will come any more, and why.
    Lost(String),
}

/// The sending side; the connection is closed in order when the last one is dropped.
#[derive(Clone, Debug)]
pub(crate) struct Sender(UnboundedSender<(Vec<u8>, bool)>);

impl Sender {
    /// Puts a message into the queue. One to a peer that is gone is dropped: its loss is reported elsewhere.
    ///
    /// # Errors
    /// A message that is too long.
    pub fn send(&self, message: &Message) -> io::Result<()> {
        let _ = self.0.send((frame(message)?, matches!(message, Message::Ping)));
        Ok(())
    }
}

/// Held by every connection that still has something to send; nothing is ever put into it.
pub(crate) type Sending = tokio::sync::mpsc::Sender<Infallible>;

/// Begins to send and to listen. `tell` receives every event, and returns true to receive more. `sending` is dropped
/// when the last message has left.
pub(crate) fn link<S>(
    stream: S,
    sending: Option<Sending>,
    tell: impl Fn(Incoming) -> bool + Clone + Send + 'static,
) -> Sender
where
    S: AsyncRead + AsyncWrite + Send + 'static,
{
    let (from, to) = tokio::io::split(stream);
    let (sender, queue) = unbounded_channel();
    tokio::spawn(listen(from, tell.clone()));
    tokio::spawn(async move {
        // The connection's end is reported by the side that listens on it.
        let _ = send(to, queue, tell).await;
        drop(sending);
    });
    Sender(sender)
}

async fn listen<S: AsyncRead>(mut from: ReadHalf<S>, tell: impl Fn(Incoming) -> bool) {
    let mut is_known_alive = false;
    loop {
        let read = read_frame(&mut from, SILENCE).await;
        let at_ns = clock::monotonic_ns();
        let incoming = match read {
            Ok(bytes) => match message(&bytes) {
                // The receiver may be busy with other things for hours.
                Ok(Message::Heartbeat) if is_known_alive => continue,
                Ok(message) => Incoming::Message { at_ns, message },
                Err(error) => Incoming::Lost(tr!("agents-speaks-otherwise", error = error.to_string())),
            },
            Err(error) => Incoming::Lost(why(&error)),
        };
        is_known_alive |= matches!(incoming, Incoming::Message { message: Message::Heartbeat, .. });
        let is_lost = matches!(incoming, Incoming::Lost(_));
        if !tell(incoming) || is_lost {
            return;
        }
    }
}

/// Meaning of a failed read.
fn why(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::UnexpectedEof => "it closed the connection".to_owned(),
        io::ErrorKind::TimedOut => format!("nothing was heard for {} s", SILENCE.as_secs()),
        _ => error.to_string(),
    }
}

async fn send<S: AsyncWrite>(
    mut to: WriteHalf<S>,
    mut queue: UnboundedReceiver<(Vec<u8>, bool)>,
    tell: impl Fn(Incoming) -> bool,
) -> io::Result<()> {
    let (mut beat, heartbeat) = (interval(HEARTBEAT_EVERY), frame(&Message::Heartbeat)?);
    loop {
        tokio::select! {
            next = queue.recv() => {
                let Some((frame, is_ping)) = next else { break };
                if is_ping {
                    tell(Incoming::PingLeft { at_ns: clock::monotonic_ns() });
                }
                write_frame(&mut to, &frame).await?;
            }
            _ = beat.tick() => write_frame(&mut to, &heartbeat).await?,
        }
    }
    tokio::io::AsyncWriteExt::shutdown(&mut to).await
}
