//! The conversation with a coordinator elsewhere, and the way of its record home.

use crate::args::{ReportArgs, RunArgs};
use crate::checked::Checked;
use crate::exit::{Exit, leave};
use crate::place;
use crate::report;
use crate::run::say;
use proofload_host::clock;
use proofload_language::{say, word};
use proofload_places::{Launched, Order, Told};
use proofload_store::Arrival;
use proofload_subject::unpack_record;
use std::io::{BufReader, Read, Write};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::time::Duration;

/// How often the other side hears that this one is there.
const ALIVE_EVERY_NS: u64 = 1_000_000_000;
const LOOK: Duration = Duration::from_millis(50);
/// After so long without a word the other side is gone.
const SILENCE_NS: u64 = 6_000_000_000;
/// So many looks until what brought us there has ended, too.
const LEAVES_IN: u32 = 20;
/// The same before it has said one, while it takes nothing either: it is reached, and looks at what it got.
const FIRST_WORD_NS: u64 = 60_000_000_000;
/// Bytes of a record, or of files, that count as a word.
const CHUNK: usize = 64 << 10;
/// Most bytes of a record that is taken in.
const RECORD_BYTES_MAX: u64 = 4 << 30;
const RECORD: &str = "the record";

/// How a run elsewhere ended.
pub struct Ended {
    pub exit: Exit,
    pub message: String,
    /// Its record, which is kept here now; none where nothing was recorded, or it could not be taken in.
    pub record: Option<PathBuf>,
}

/// Destination of the record of a run elsewhere.
#[derive(Clone)]
pub struct Home {
    root: PathBuf,
    study: String,
}

impl Home {
    pub fn of(args: &RunArgs, checked: &Checked) -> Home {
        Home { root: args.dir.clone(), study: checked.study.name.clone() }
    }

    /// Takes a record in as it comes: one new run of the study, or nothing.
    fn take_in(&self, from: &mut impl Read, bytes: u64, tell: &Sender<Heard>) -> anyhow::Result<PathBuf> {
        if bytes > RECORD_BYTES_MAX {
            anyhow::bail!("it is said to have {bytes} bytes, of which {RECORD_BYTES_MAX} are taken at most");
        }
        let arrival = Arrival::begin(&self.root, &self.study)?;
        let mut coming = Coming { from: from.take(bytes), tell, untold: 0 };
        let id = unpack_record(&mut coming, Path::new(RECORD), &arrival.path(), &self.study)?;
        std::io::copy(&mut coming, &mut std::io::sink())?;
        match coming.from.limit() {
            0 => Ok(arrival.keep(&id)?),
            _ => anyhow::bail!("it came in part only"),
        }
    }
}

/// A record on its way: each part of it is a sign of life.
struct Coming<'a, R> {
    from: std::io::Take<R>,
    tell: &'a Sender<Heard>,
    untold: usize,
}

impl<R: Read> Read for Coming<'_, R> {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        let read = self.from.read(into)?;
        self.untold += read;
        if self.untold >= CHUNK {
            self.untold = 0;
            // Nobody who asked for it is there any more.
            self.tell.send(Heard::Alive).map_err(|_| std::io::Error::from(std::io::ErrorKind::BrokenPipe))?;
        }
        Ok(read)
    }
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

/// Reads what is told, in a thread of its own, which takes the record in as well.
pub fn hear(output: ChildStdout, home: Home) -> Receiver<Heard> {
    let (tell, heard) = mpsc::channel();
    std::thread::spawn(move || {
        let mut output = BufReader::new(output);
        loop {
            let heard = match proofload_places::read_told(&mut output) {
                Ok(Some(Told::Alive)) => Heard::Alive,
                Ok(Some(Told::Listening { at, keeps_in })) => Heard::Listening { at, keeps_in },
                Ok(Some(Told::Ended { exit, message, record_bytes: 0 })) => {
                    Heard::Ended(Ended { exit: Exit::from_code(exit), message, record: None })
                }
                Ok(Some(Told::Ended { exit, message, record_bytes })) => {
                    match home.take_in(&mut output, record_bytes, &tell) {
                        Ok(record) => {
                            Heard::Ended(Ended { exit: Exit::from_code(exit), message, record: Some(record) })
                        }
                        Err(error) => Heard::Lost(format!("its record cannot be taken in: {error:#}")),
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

/// Writer to a coordinator elsewhere, in a thread of its own: it may not listen.
struct Saying {
    queue: Sender<Vec<u8>>,
    /// So many bytes were taken.
    taken: Arc<AtomicU64>,
}

impl Saying {
    fn by(mut input: ChildStdin) -> Saying {
        let (queue, to_say) = mpsc::channel::<Vec<u8>>();
        let taken = Arc::new(AtomicU64::new(0));
        let counted = Arc::clone(&taken);
        std::thread::spawn(move || {
            for words in to_say {
                for part in words.chunks(CHUNK) {
                    // Whoever reads the other pipe hears that the other side is gone.
                    if input.write_all(part).and_then(|()| input.flush()).is_err() {
                        return;
                    }
                    counted.fetch_add(part.len() as u64, Ordering::Relaxed);
                }
            }
        });
        Saying { queue, taken }
    }

    fn say(&self, words: impl Into<Vec<u8>>) {
        // One that is gone is heard to be so.
        let _ = self.queue.send(words.into());
    }
}

/// A coordinator elsewhere, from this side.
pub struct There {
    host: String,
    // Its end is the end of everything there; so it goes before the process is waited for.
    saying: Saying,
    heard: Receiver<Heard>,
    keeps_in: String,
    said_ns: u64,
    stopped: bool,
    process: Launched,
}

impl There {
    /// Starts it by that command, and gives it its order.
    pub fn start(
        host: String,
        mut command: Command,
        order: &Order,
        files: Vec<u8>,
        home: Home,
    ) -> anyhow::Result<There> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut process = Launched::start(host.clone(), command).map_err(failed)?;
        let (Some(input), Some(output)) = process.pipes() else { anyhow::bail!("no pipes to {host}") };
        let (saying, heard) = (Saying::by(input), hear(output, home));
        let mut said = Vec::new();
        proofload_places::say_order(&mut said, order)?;
        saying.say(said);
        saying.say(files);
        Ok(There { host, saying, heard, keeps_in: String::new(), said_ns: 0, stopped: false, process })
    }

    /// Waits for its end.
    ///
    /// # Errors
    /// Those of whoever is beside.
    pub fn follow(&mut self, stop: &AtomicBool, beside: &mut dyn Beside) -> anyhow::Result<Outcome> {
        // Its first word comes when it has its files.
        let (mut has_spoken, mut heard_ns, mut taken) = (false, clock::monotonic_ns(), 0);
        loop {
            self.say(stop, beside);
            let heard = self.heard.recv_timeout(LOOK);
            let now_ns = clock::monotonic_ns();
            let is_new = !matches!(heard, Err(RecvTimeoutError::Timeout));
            has_spoken |= is_new;
            let takes = self.saying.taken.load(Ordering::Relaxed);
            if is_new || (takes > taken && !has_spoken) {
                (heard_ns, taken) = (now_ns, takes);
            }
            if self.stopped && !has_spoken {
                self.process.end_at_once();
                let message = String::new();
                return Ok(Outcome::Ended(Ended { exit: Exit::Interrupted, message, record: None }));
            }
            let silence_ns = if has_spoken { SILENCE_NS } else { FIRST_WORD_NS };
            if now_ns.saturating_sub(heard_ns) > silence_ns {
                let why = format!("nothing was heard for {} s", silence_ns / 1_000_000_000);
                return Ok(self.lost(&why, true));
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
        self.saying.say(place::KEPT);
    }

    /// Says that this side is there, or that it is to end: somebody said so, or nothing will come of it.
    fn say(&mut self, stop: &AtomicBool, beside: &mut dyn Beside) {
        let in_vain = beside.in_vain();
        let stops = stop.load(Ordering::Relaxed) || in_vain.is_some();
        let now_ns = clock::monotonic_ns();
        if stops && !self.stopped {
            self.stopped = true;
            in_vain.iter().for_each(|why| say(false, why));
            self.saying.say(place::STOP);
        } else if now_ns.saturating_sub(self.said_ns) > ALIVE_EVERY_NS {
            self.said_ns = now_ns;
            self.saying.say(place::ALIVE);
        }
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

/// Exit code of a failure there.
pub fn failed(error: std::io::Error) -> anyhow::Error {
    let is_stopped = error.kind() == std::io::ErrorKind::Interrupted;
    leave(if is_stopped { Exit::Interrupted } else { Exit::FailedStart }, error)
}

/// Draws the record as a run here would.
pub fn bring_home(args: &RunArgs, ended: Ended, kept: &mut dyn FnMut()) -> anyhow::Result<Exit> {
    let Ended { exit, message, record } = ended;
    let Some(run) = record else {
        return match (exit, message.as_str()) {
            (Exit::Interrupted, "") => Ok(exit),
            (_, "") => Err(leave(Exit::Failure, word!("there-no-record"))),
            _ => Err(leave(exit, message)),
        };
    };
    kept();
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
