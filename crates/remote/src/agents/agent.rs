//! The life of an agent: it dials, receives a number, carries out its share of each load, and reports its results.

use crate::agents::link::{Incoming, Sender, link};
use crate::agents::message::{Hello, Message, VERSION, frame, write_frame};
use crate::agents::runtime::on_one_thread;
use crate::agents::token::{NAME, Token};
use crate::deadline::Deadline;
use crate::error::RemoteError;
use proofload_engine::{EngineError, Launch, LoadPlan, ShareResult, Stretch, Watch};
use proofload_host::clock;
use proofload_language::tr;
use rustls::pki_types::ServerName;
use std::fmt::Display;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::thread::JoinHandle;
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::sync::mpsc::unbounded_channel;
use tokio::time::{interval, sleep, timeout};
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

/// Between two attempts to reach the coordinator.
const RETRY: Duration = Duration::from_millis(250);
/// Longest time for one attempt.
const ATTEMPT: Duration = Duration::from_secs(10);
/// Interval between two polls of a signal. An idle agent does little else.
const LOOK: Duration = Duration::from_millis(250);
/// Names of variables in which an engine that starts many processes gives each its number, from 0.
const INDEX_VARIABLES: [&str; 5] = [
    "JOB_COMPLETION_INDEX",
    "SLURM_PROCID",
    "OMPI_COMM_WORLD_RANK",
    "AWS_BATCH_JOB_ARRAY_INDEX",
    "CLOUD_RUN_TASK_INDEX",
];

/// The number that the environment gives this agent.
///
/// # Errors
/// A variable that is not a number.
pub fn index_from(variable: impl Fn(&str) -> Option<String>) -> Result<Option<u32>, RemoteError> {
    let mut given = INDEX_VARIABLES.iter().filter_map(|name| Some((name, variable(name)?)));
    given.next().map_or(Ok(None), |(name, text)| match text.parse() {
        Ok(index) => Ok(Some(index)),
        Err(_) => {
            let why = format!("{name}={text}: is no number from 0; unset it, or give --index");
            Err(RemoteError::Usage(why))
        }
    })
}

/// Coordinator that an agent joins.
#[derive(Debug)]
pub struct Joining {
    /// Host and port of the coordinator.
    pub at: String,
    pub token: Token,
    /// The agent's number, where that is not to be dealt.
    pub index: Option<u32>,
    /// Time to wait for a coordinator that is not there yet.
    pub wait: Duration,
}

/// Engine that carries out an agent's share of loads: [`proofload_engine::execute_share`], or one that plays a
/// recording back, which lets a thousand agents be on one machine.
pub type Engine = fn(Launch<'_>) -> Result<Vec<ShareResult>, EngineError>;

/// Joins a coordinator, and works for it until it says goodbye or `stop` is set. `tell` receives a line when the agent
/// receives its number, and at the goodbye.
///
/// # Errors
/// `Usage` when the coordinator cannot be reached or does not accept this agent, `Lost` when it is gone; a load in
/// progress then ends at once.
pub fn agent(
    engine: Engine,
    joining: &Joining,
    stop: &AtomicBool,
    tell: &mut dyn FnMut(&str),
) -> Result<(), RemoteError> {
    let runtime = on_one_thread()?;
    let ended = runtime.block_on(async {
        let waiting = Deadline::after(joining.wait);
        loop {
            let stream = join(joining, &waiting, stop).await?;
            let mut is_let_in = false;
            match serve(stream, engine, joining, stop, &mut is_let_in, tell).await {
                // A coordinator with too many newcomers at once drops some that have not finished their handshake.
                Err(RemoteError::Lost(_)) if !is_let_in && !waiting.is_over() => sleep(RETRY).await,
                ended => return ended,
            }
        }
    });
    // A name that is still being resolved is not waited for.
    runtime.shutdown_background();
    ended
}

/// Dials until a peer is there that has the token.
async fn join(
    joining: &Joining,
    waiting: &Deadline,
    stop: &AtomicBool,
) -> Result<TlsStream<TcpStream>, RemoteError> {
    let at = &joining.at;
    let unknown = |what: String| RemoteError::Usage(tr!("agents-token", at, what));
    let config = joining.token.of_agent().map_err(|error| unknown(error.to_string()))?;
    let connector = TlsConnector::from(Arc::new(config));
    loop {
        let dialled = async {
            let stream = TcpStream::connect(at).await?;
            stream.set_nodelay(true)?;
            let name = ServerName::try_from(NAME).map_err(io::Error::other)?;
            connector.connect(name, stream).await
        };
        let last = match timeout(ATTEMPT, dialled).await {
            Ok(Ok(stream)) => return Ok(stream),
            Ok(Err(error)) if error.get_ref().is_some_and(|inner| inner.is::<rustls::Error>()) => {
                return Err(unknown(error.to_string()));
            }
            Ok(Err(error)) => error.to_string(),
            Err(_) => "it takes no connection".to_owned(),
        };
        if waiting.is_over() || stop.load(Ordering::Relaxed) {
            let seconds = waiting.elapsed().as_secs();
            return Err(RemoteError::Usage(tr!("agents-nobody-there", at, seconds, last)));
        }
        sleep(RETRY).await;
    }
}

fn lost(why: impl Display) -> RemoteError {
    RemoteError::Lost(tr!("agents-coordinator-lost", why = why.to_string()))
}

/// Loads that are under way. They are abandoned with it.
struct Running {
    watch: Arc<Watch>,
    /// Receiver of the first instant; none when it has come.
    begin: Option<mpsc::Sender<u64>>,
    thread: Option<JoinHandle<()>>,
}

impl Running {
    /// A thread that carries the loads out as soon as it receives their time.
    fn prepare(plans: Vec<LoadPlan>, engine: Engine, out: Sender) -> Running {
        let (watch, (begin, begins)) = (Arc::new(Watch::default()), mpsc::channel());
        let watched = Arc::clone(&watch);
        let thread = std::thread::spawn(move || {
            let ended = match begins.recv() {
                // A fault of ours that ended this thread in silence would let the others wait for ever.
                Ok(at_ns) => {
                    catch_unwind(AssertUnwindSafe(|| executed(&plans, engine, &watched, at_ns, &out)))
                        .unwrap_or_else(|_| {
                            Message::Failed("a fault of Proofload: its standard error says more".to_owned())
                        })
                }
                Err(_) => Message::Failed("ended before it began".to_owned()),
            };
            // The loss of a peer is reported by the connection.
            let _ = out.send(&ended);
        });
        Running { watch, begin: Some(begin), thread: Some(thread) }
    }

    fn stop(&mut self) {
        self.watch.stop.store(true, Ordering::Relaxed);
        self.begin = None;
    }

    /// Its results have no receiver any more: a server that does not answer is not waited for.
    fn abandon(&mut self) {
        self.watch.abandoned.store(true, Ordering::Relaxed);
        self.stop();
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.abandon();
        // It checks the switch after each poll.
        self.thread.take().map(JoinHandle::join);
    }
}

/// Carries out loads, and reports to the coordinator second by second.
fn executed(plans: &[LoadPlan], engine: Engine, watch: &Watch, at_ns: u64, out: &Sender) -> Message {
    let mut seen = |stretch: &Stretch<'_>| {
        let snapshot = Box::new(stretch.snapshot.sparse());
        let _ = out.send(&Message::Seen { stream: stretch.stream, last: stretch.last, snapshot });
    };
    let how = Launch { start_ns: Some(at_ns), each_second: Some(&mut seen), ..Launch::new(plans, watch) };
    match engine(how) {
        Ok(shares) => Message::Ended(shares),
        Err(EngineError::TooLate { late_ns }) => Message::TooLate { late_ns },
        Err(error) => Message::Failed(error.to_string()),
    }
}

/// Carries out the coordinator's orders. `is_let_in` becomes true with its first message.
async fn serve(
    mut stream: TlsStream<TcpStream>,
    engine: Engine,
    joining: &Joining,
    stop: &AtomicBool,
    is_let_in: &mut bool,
    tell: &mut dyn FnMut(&str),
) -> Result<(), RemoteError> {
    let hello = Hello {
        version: VERSION.to_owned(),
        host: rustix::system::uname().nodename().to_string_lossy().into_owned(),
        boot: proofload_host::boot(),
        cpus: proofload_host::cpus::allowed().len() as u32,
        index: joining.index,
    };
    write_frame(&mut stream, &frame(&hello).map_err(lost)?).await.map_err(lost)?;
    let (told, mut events) = unbounded_channel();
    let out = link(stream, None, move |event| told.send(event).is_ok());
    let (mut look, mut loads, mut running) = (interval(LOOK), 0, None::<Running>);
    loop {
        let event = tokio::select! {
            event = events.recv() => event,
            _ = look.tick() => {
                if stop.load(Ordering::Relaxed) {
                    return Ok(());
                }
                continue;
            }
        };
        let (came_ns, message) = match event {
            Some(Incoming::Message { at_ns, message }) => (at_ns, message),
            Some(Incoming::PingLeft { .. }) => continue,
            Some(Incoming::Lost(why)) => return Err(lost(why)),
            None => return Err(lost(tr!("agents-connection-ended"))),
        };
        *is_let_in = true;
        match message {
            Message::Refused(why) => return Err(RemoteError::Usage(tr!("agents-agent-refused", why))),
            Message::Welcome { index, agents } => {
                tell(&tr!("agents-dealt", index, agents, at = joining.at));
            }
            Message::Ping => {
                let answered_ns = clock::monotonic_ns();
                out.send(&Message::Pong { received_ns: came_ns, answered_ns }).map_err(lost)?;
            }
            Message::Load(plans) => {
                loads += 1;
                running = Some(Running::prepare(plans, engine, out.clone()));
                out.send(&Message::Ready).map_err(lost)?;
            }
            Message::Begin { at_ns } => {
                let begin = running.as_mut().and_then(|running| running.begin.take());
                begin.map(|begin| begin.send(at_ns));
            }
            Message::Stop => running.iter_mut().for_each(Running::stop),
            Message::Abandon => running.iter_mut().for_each(Running::abandon),
            Message::Bye => {
                tell(&tr!("agents-goodbye", loads));
                return Ok(());
            }
            _ => {}
        }
    }
}
