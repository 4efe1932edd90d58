//! The conversation with a coordinator elsewhere, and the way of its record home.

use crate::error::RemoteError;
use crate::launch::LEAVING;
use crate::notices::Notices;
use crate::order::{ALIVE, Answer, KEPT, Order, RemoteRun, STOP, TakeIn, read_line, write_line};
use proofload_host::clock;
use proofload_host::started::Started;
use std::fmt;
use std::io::{self, BufReader, Read, Write};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::{ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::time::Duration;

const HEARTBEAT_EVERY_NS: u64 = 1_000_000_000;
const LOOK: Duration = Duration::from_millis(50);
/// Silence after which the other side counts as gone.
const SILENCE_NS: u64 = 6_000_000_000;
/// The same before its first message, while it takes nothing either: it is reached, and checks its input.
const FIRST_WORD_NS: u64 = 60_000_000_000;
/// Polls until what brought us there must have exited.
const EXITS_IN: u32 = 20;
/// Bytes of a record, or of files, that count as a message.
const CHUNK: usize = 64 << 10;
/// Most bytes of a record that is taken in.
const RECORD_BYTES_MAX: u64 = 4 << 30;

/// End of a run elsewhere.
#[derive(Debug)]
pub struct Ended {
    /// Exit code.
    pub exit: u8,
    pub message: String,
    /// Its record, which is kept here now; none where nothing was recorded, or it could not be taken in.
    pub record: Option<PathBuf>,
}

/// An answer of a coordinator, with its record where that came along; or the reason why nothing comes any more.
pub(crate) type Incoming = Result<(Answer, Option<PathBuf>), String>;

/// Reads answers, in a thread of its own, which takes the record in as well.
pub(crate) fn listen(output: ChildStdout, take_in: TakeIn) -> Receiver<Incoming> {
    let (tell, incoming) = mpsc::channel();
    std::thread::spawn(move || {
        let mut output = BufReader::new(output);
        loop {
            let next = next(&mut output, &take_in, &tell);
            let is_last = !matches!(next, Ok((Answer::Alive | Answer::Listening { .. }, _)));
            if tell.send(next).is_err() || is_last {
                return;
            }
        }
    });
    incoming
}

fn next(output: &mut BufReader<ChildStdout>, take_in: &TakeIn, tell: &Sender<Incoming>) -> Incoming {
    let answer = match read_line(output) {
        Ok(Some(answer)) => answer,
        Ok(None) => return Err("the connection broke, or it could not be started".to_owned()),
        Err(error) => return Err(format!("it says {error}")),
    };
    let record = match answer {
        Answer::Ended { record_bytes: left @ 1.., .. } => {
            let is_fit = left <= RECORD_BYTES_MAX;
            let taken = match is_fit {
                true => take_in(&mut Coming { from: output, left, tell, untold: 0 }),
                false => Err(format!(
                    "it is said to have {left} bytes, of which {RECORD_BYTES_MAX} are taken at most"
                )),
            };
            Some(taken.map_err(|error| format!("its record cannot be taken in: {error}"))?)
        }
        _ => None,
    };
    Ok((answer, record))
}

/// A record on its way: each part of it is a sign of life.
struct Coming<'a, R> {
    from: R,
    /// Bytes that are still to come.
    left: u64,
    tell: &'a Sender<Incoming>,
    untold: usize,
}

impl<R: Read> Read for Coming<'_, R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.from.by_ref().take(self.left).read(into)?;
        if read == 0 && self.left > 0 && !into.is_empty() {
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "it came in part only"));
        }
        self.left -= read as u64;
        self.untold += read;
        if self.untold >= CHUNK {
            self.untold = 0;
            // The requester is gone.
            let told = self.tell.send(Ok((Answer::Alive, None)));
            told.map_err(|_| io::Error::from(io::ErrorKind::BrokenPipe))?;
        }
        Ok(read)
    }
}

/// Source of the agents of a coordinator elsewhere.
pub(crate) trait AgentSource {
    /// The coordinator waits for them at this address.
    fn coordinator_listens(&mut self, at: SocketAddr) -> Result<(), RemoteError>;

    /// The reason why the run is hopeless; polled repeatedly.
    fn failure(&mut self) -> Option<String>;
}

/// A coordinator from which nothing comes any more.
#[derive(Debug)]
pub(crate) struct Lost {
    pub host: String,
    pub why: String,
    /// Folder of its record; empty where it had not begun.
    pub keeps_in: String,
    /// True when it may go on, unheard: its way is cut.
    pub is_silent: bool,
    /// Exit code of what brought us there, where that has ended.
    pub code: Option<i32>,
}

impl fmt::Display for Lost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is lost: {}", self.host, self.why)
    }
}

impl From<Lost> for RemoteError {
    fn from(lost: Lost) -> RemoteError {
        let Lost { host, keeps_in, .. } = &lost;
        match keeps_in.as_str() {
            "" => RemoteError::FailedStart(lost.to_string()),
            _ => RemoteError::Lost(format!(
                "{lost}; what was measured until then is kept on {host}, in {keeps_in}"
            )),
        }
    }
}

/// Writer to a coordinator elsewhere, in a thread of its own: it may not listen.
struct Writer {
    queue: Sender<Vec<u8>>,
    /// Bytes taken.
    taken: Arc<AtomicU64>,
}

impl Writer {
    fn to(mut input: ChildStdin) -> Writer {
        let (queue, messages) = mpsc::channel::<Vec<u8>>();
        let taken = Arc::new(AtomicU64::new(0));
        let counted = Arc::clone(&taken);
        std::thread::spawn(move || {
            for message in messages {
                for part in message.chunks(CHUNK) {
                    // The reader of the other pipe notices that the other side is gone.
                    if input.write_all(part).and_then(|()| input.flush()).is_err() {
                        return;
                    }
                    counted.fetch_add(part.len() as u64, Ordering::Relaxed);
                }
            }
        });
        Writer { queue, taken }
    }

    fn say(&self, word: &str) {
        self.send(format!("{word}\n").into_bytes());
    }

    fn send(&self, message: Vec<u8>) {
        // The loss of the other side is reported by the reader.
        let _ = self.queue.send(message);
    }
}

/// A coordinator elsewhere, from this side.
pub(crate) struct Client {
    host: String,
    // Its end is the end of everything there; so it is dropped before the process is waited for.
    writer: Writer,
    incoming: Receiver<Incoming>,
    keeps_in: String,
    heartbeat_ns: u64,
    stopped: bool,
    process: Started,
}

impl Client {
    /// Starts it by that command, and gives it its order.
    pub fn start(
        host: String,
        mut command: Command,
        order: &Order,
        run: RemoteRun,
    ) -> Result<Client, RemoteError> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut process = Started::start(&mut command)?;
        process.leaving = LEAVING;
        let (Some(input), Some(output)) = process.pipes() else {
            return Err(RemoteError::FailedStart(format!("no pipes to {host}")));
        };
        let (writer, incoming) = (Writer::to(input), listen(output, run.take_in));
        let mut said = Vec::new();
        write_line(&mut said, order)?;
        writer.send(said);
        writer.send(run.files);
        Ok(Client {
            host,
            writer,
            incoming,
            keeps_in: String::new(),
            heartbeat_ns: 0,
            stopped: false,
            process,
        })
    }

    /// Waits for its end. Once its record is kept here, it receives the order to remove it there.
    ///
    /// # Errors
    /// Those of the source of its agents.
    pub fn follow(
        &mut self,
        stop: &AtomicBool,
        notices: &Notices,
        agents: &mut dyn AgentSource,
    ) -> Result<Result<Ended, Lost>, RemoteError> {
        // Its first message comes when it has its files.
        let (mut has_spoken, mut heard_ns, mut taken) = (false, clock::monotonic_ns(), 0);
        loop {
            self.speak(stop, notices, agents);
            let incoming = self.incoming.recv_timeout(LOOK);
            let now_ns = clock::monotonic_ns();
            let is_new = !matches!(incoming, Err(RecvTimeoutError::Timeout));
            has_spoken |= is_new;
            let takes = self.writer.taken.load(Ordering::Relaxed);
            if is_new || (takes > taken && !has_spoken) {
                (heard_ns, taken) = (now_ns, takes);
            }
            if self.stopped && !has_spoken {
                // It is not worth waiting for: it has not begun.
                self.process.leaving = Duration::ZERO;
                let exit = RemoteError::Stopped(String::new()).exit_code();
                return Ok(Ok(Ended { exit, message: String::new(), record: None }));
            }
            let silence_ns = if has_spoken { SILENCE_NS } else { FIRST_WORD_NS };
            if now_ns.saturating_sub(heard_ns) > silence_ns {
                let why = format!("nothing was heard for {} s", silence_ns / 1_000_000_000);
                return Ok(Err(self.lost(why, true)));
            }
            match incoming {
                Ok(Ok((Answer::Alive, _))) | Err(RecvTimeoutError::Timeout) => {}
                Ok(Ok((Answer::Listening { at, keeps_in }, _))) => {
                    self.keeps_in = keeps_in;
                    agents.coordinator_listens(at)?;
                }
                Ok(Ok((Answer::Ended { exit, message, .. }, record))) => {
                    if record.is_some() {
                        self.writer.say(KEPT);
                    }
                    return Ok(Ok(Ended { exit, message, record }));
                }
                Ok(Err(why)) => return Ok(Err(self.lost(why, false))),
                Err(RecvTimeoutError::Disconnected) => {
                    return Ok(Err(self.lost("it ended".to_owned(), false)));
                }
            }
        }
    }

    /// Reports that this side is there, or that the other is to end: a stop was requested, or the run is hopeless.
    fn speak(&mut self, stop: &AtomicBool, notices: &Notices, agents: &mut dyn AgentSource) {
        let failure = agents.failure();
        let stops = stop.load(Ordering::Relaxed) || failure.is_some();
        let now_ns = clock::monotonic_ns();
        if stops && !self.stopped {
            self.stopped = true;
            failure.iter().for_each(|why| (notices.line)(why));
            self.writer.say(STOP);
        } else if now_ns.saturating_sub(self.heartbeat_ns) > HEARTBEAT_EVERY_NS {
            self.heartbeat_ns = now_ns;
            self.writer.say(ALIVE);
        }
    }

    fn lost(&mut self, why: String, is_silent: bool) -> Lost {
        // What brought us there ends a little after its output does.
        let ended = (0..EXITS_IN).find_map(|_| {
            let status = self.process.ended();
            if status.is_none() && !is_silent {
                std::thread::sleep(LOOK);
            }
            status
        });
        let code = ended.and_then(|status| status.code());
        Lost { host: self.host.clone(), why, keeps_in: self.keeps_in.clone(), is_silent, code }
    }
}
