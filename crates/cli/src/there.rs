//! The conversation with a coordinator elsewhere, and the way of its record home.

use crate::args::{ReportArgs, RunArgs};
use crate::exit::{Exit, leave};
use crate::place;
use crate::report;
use crate::run::say;
use anyhow::Context as _;
use proofload_host::clock;
use proofload_language::say;
use proofload_places::{Launched, Order, Told};
use std::io::{BufReader, Read, Write};
use std::net::SocketAddr;
use std::process::{ChildStdin, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::time::Duration;

/// How often the other side hears that this one is there.
const ALIVE_EVERY_NS: u64 = 1_000_000_000;
const LOOK: Duration = Duration::from_millis(50);
/// After so long without a word the other side is gone.
const SILENCE_NS: u64 = 6_000_000_000;
/// So many looks until what brought us there has ended, too.
const LEAVES_IN: u32 = 20;
/// Bytes of a record that count as a word.
const CHUNK: u64 = 64 << 10;

/// How a run elsewhere ended.
pub struct Ended {
    pub exit: Exit,
    /// The error, or nothing.
    pub message: String,
    /// The archive of its record; empty where nothing was recorded.
    pub record: Vec<u8>,
}

/// What is heard of a coordinator elsewhere.
pub enum Heard {
    /// Agents are waited for there; records are kept in that folder.
    Listening {
        at: SocketAddr,
        keeps_in: String,
    },
    /// It lives, or some of its record came.
    Alive,
    Ended(Ended),
    Lost(String),
}

/// Reads what is told, in a thread of its own.
pub fn hear(output: ChildStdout) -> Receiver<Heard> {
    let (tell, heard) = mpsc::channel();
    std::thread::spawn(move || {
        let mut output = BufReader::new(output);
        loop {
            let heard = match proofload_places::read_told(&mut output) {
                Ok(Some(Told::Alive)) => Heard::Alive,
                Ok(Some(Told::Listening { at, keeps_in })) => Heard::Listening { at, keeps_in },
                Ok(Some(Told::Ended { exit, message, record_bytes })) => {
                    match read_record(&mut output, record_bytes, &tell) {
                        Some(record) => Heard::Ended(Ended { exit: Exit::from_code(exit), message, record }),
                        None => Heard::Lost("its record came in part only".to_owned()),
                    }
                }
                Ok(None) => Heard::Lost("the connection broke, or it could not be started".to_owned()),
                Err(error) => Heard::Lost(format!("it says {error}")),
            };
            let is_last = matches!(heard, Heard::Ended(_) | Heard::Lost(_));
            if tell.send(heard).is_err() || is_last {
                return;
            }
        }
    });
    heard
}

/// Reads a record, and tells that some of it came; `None` where it ends too early.
fn read_record(from: &mut impl Read, bytes: u64, tell: &Sender<Heard>) -> Option<Vec<u8>> {
    let mut record = Vec::new();
    while (record.len() as u64) < bytes {
        let rest = bytes - record.len() as u64;
        let read = from.take(rest.min(CHUNK)).read_to_end(&mut record).ok()?;
        if read == 0 || tell.send(Heard::Alive).is_err() {
            return None;
        }
    }
    Some(record)
}

/// What whoever asked does besides listening to the coordinator.
pub trait Beside {
    /// Agents are waited for there.
    fn listening(&mut self, at: SocketAddr) -> anyhow::Result<()>;

    /// Why nothing will come of it any more; asked again and again.
    fn in_vain(&mut self) -> Option<String>;
}

/// How the conversation with a coordinator ended.
pub enum Outcome {
    Ended(Ended),
    Lost(Lost),
}

/// A coordinator of which nothing is heard any more.
pub struct Lost {
    pub host: String,
    pub why: String,
    /// Where it keeps what was measured; empty where it had not begun.
    pub keeps_in: String,
    /// Whether it may go on, unheard: its way is cut.
    pub is_silent: bool,
    /// The exit code of what brought us there, where that has ended.
    pub code: Option<i32>,
}

impl From<Lost> for anyhow::Error {
    fn from(lost: Lost) -> anyhow::Error {
        let Lost { host, why, keeps_in, .. } = lost;
        match keeps_in.as_str() {
            "" => leave(Exit::FailedStart, format!("{host} is lost: {why}")),
            keeps_in => {
                let kept = format!("what was measured until then is kept on {host}, in {keeps_in}");
                leave(Exit::Failure, format!("{host} is lost: {why}; {kept}"))
            }
        }
    }
}

/// A coordinator elsewhere, from this side.
pub struct There {
    host: String,
    // Its end is the end of everything there; so it goes before the process is waited for.
    input: ChildStdin,
    heard: Receiver<Heard>,
    keeps_in: String,
    said_ns: u64,
    stopped: bool,
    process: Launched,
}

impl There {
    /// Starts it by that command, and gives it its order.
    pub fn start(host: String, mut command: Command, order: &Order, files: &[u8]) -> anyhow::Result<There> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let failed = |error: std::io::Error| leave(Exit::FailedStart, error);
        let mut process = Launched::start(host.clone(), command).map_err(failed)?;
        let (input, output) = (process.child.stdin.take(), process.child.stdout.take());
        let (Some(mut input), Some(output)) = (input, output) else { anyhow::bail!("no pipes to {host}") };
        let heard = hear(output);
        proofload_places::say_order(&mut input, order, files)
            .map_err(|error| leave(Exit::FailedStart, format!("{host} takes no order: {error}")))?;
        Ok(There { host, input, heard, keeps_in: String::new(), said_ns: 0, stopped: false, process })
    }

    /// Waits for its end.
    ///
    /// # Errors
    /// Those of whoever is beside.
    pub fn follow(&mut self, stop: &AtomicBool, beside: &mut dyn Beside) -> anyhow::Result<Outcome> {
        // Its first word comes when it has its files.
        let mut heard_ns = None;
        loop {
            self.say(stop, beside);
            let heard = self.heard.recv_timeout(LOOK);
            let now_ns = clock::monotonic_ns();
            match heard {
                Err(RecvTimeoutError::Timeout)
                    if heard_ns.is_some_and(|then_ns| now_ns.saturating_sub(then_ns) > SILENCE_NS) =>
                {
                    let why = format!("nothing was heard for {} s", SILENCE_NS / 1_000_000_000);
                    return Ok(self.lost(&why, true));
                }
                Err(RecvTimeoutError::Timeout) => {}
                _ => heard_ns = Some(now_ns),
            }
            match heard {
                Ok(Heard::Alive) | Err(RecvTimeoutError::Timeout) => {}
                Ok(Heard::Listening { at, keeps_in }) => {
                    self.keeps_in = keeps_in;
                    beside.listening(at)?;
                }
                Ok(Heard::Ended(ended)) => return Ok(Outcome::Ended(ended)),
                Ok(Heard::Lost(why)) => return Ok(self.lost(&why, false)),
                Err(RecvTimeoutError::Disconnected) => return Ok(self.lost("it ended", false)),
            }
        }
    }

    /// Says that the record is kept here now: it goes there.
    pub fn has_kept(&mut self) {
        // One that does not hear it keeps its copy.
        let _ = self.input.write_all(place::KEPT).and_then(|()| self.input.flush());
    }

    /// Says that this side is there, or that it is to end: somebody said so, or nothing will come of it.
    fn say(&mut self, stop: &AtomicBool, beside: &mut dyn Beside) {
        let in_vain = beside.in_vain();
        let stops = stop.load(Ordering::Relaxed) || in_vain.is_some();
        let now_ns = clock::monotonic_ns();
        let said = if stops && !self.stopped {
            self.stopped = true;
            in_vain.iter().for_each(|why| say(false, why));
            self.input.write_all(place::STOP)
        } else if now_ns.saturating_sub(self.said_ns) > ALIVE_EVERY_NS {
            self.said_ns = now_ns;
            self.input.write_all(place::ALIVE)
        } else {
            Ok(())
        };
        // Whoever reads the other pipe hears that the other side is gone.
        let _ = said.and_then(|()| self.input.flush());
    }

    fn lost(&mut self, why: &str, is_silent: bool) -> Outcome {
        let (host, keeps_in) = (self.host.clone(), self.keeps_in.clone());
        // What brought us there ends a little after its output does.
        let ended = (0..LEAVES_IN).find_map(|_| {
            let status = self.process.ended();
            if status.is_none() && !is_silent {
                std::thread::sleep(LOOK);
            }
            status
        });
        let code = ended.and_then(|status| status.code());
        Outcome::Lost(Lost { host, why: why.to_owned(), keeps_in, is_silent, code })
    }
}

/// Unpacks the record and draws it as a run here would.
pub fn bring_home(args: &RunArgs, ended: Ended, kept: &mut dyn FnMut()) -> anyhow::Result<Exit> {
    let Ended { exit, message, record } = ended;
    if record.is_empty() {
        return if message.is_empty() { Ok(exit) } else { Err(leave(exit, message)) };
    }
    let home = args.dir.join("runs");
    proofload_places::unpack(&record[..], &home).with_context(|| format!("{}", home.display()))?;
    let names = proofload_places::names_in(&record)?;
    kept();
    let run = home.join(names);
    let drawn = report::report(&ReportArgs {
        run: run.clone(),
        fail: Vec::new(),
        baseline: args.baseline.clone(),
        output: args.output.clone(),
    })?;
    say(args.output.quiet, &say!("kept-in", run = run.display().to_string()));
    match (message.is_empty(), exit) {
        (true, Exit::Interrupted) => Ok(exit),
        (true, _) => Ok(drawn),
        (false, _) => Err(leave(exit, message)),
    }
}
