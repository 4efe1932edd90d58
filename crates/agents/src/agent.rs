//! The life of an agent: it dials, is dealt a number, carries out its share of what it is given, and tells what it sees.

use crate::deadline::Deadline;
use crate::error::AgentError;
use crate::link::{Heard, Heartbeat, Sender, link};
use crate::message::{Failure, FromAgent, Hello, ToAgent, VERSION, frame, message};
use crate::token::{NAME, Token};
use proofload_engine::{EngineError, Launch, LoadPlan, ShareResult, Stretch, Watch, execute_share};
use proofload_host::clock;
use proofload_language::{say, word};
use rustls::pki_types::ServerName;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::thread::JoinHandle;
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::time::{interval, sleep, timeout};
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

/// Between two attempts to reach the coordinator.
const RETRY: Duration = Duration::from_millis(250);
/// How long one attempt may take.
const ATTEMPT: Duration = Duration::from_secs(10);
/// How soon a signal is heeded. To look is most of what an agent does that has nothing to do.
const LOOK: Duration = Duration::from_millis(250);

/// Whom an agent joins, and how.
#[derive(Debug)]
pub struct Joining {
    /// Host and port of the coordinator.
    pub at: String,
    pub token: Token,
    /// Its number, where that is not to be dealt.
    pub index: Option<u32>,
    /// For how long nobody has to be there yet.
    pub wait: Duration,
}

/// What an agent tells whoever started it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notice {
    /// It was dealt this number.
    Dealt { index: u32, agents: u32 },
    /// So many loads were carried out, all in all.
    Carried(u64),
}

/// What carries out an agent's share of loads, as [`execute_share`] does.
pub type Engine = fn(Launch<'_>) -> Result<Vec<ShareResult>, EngineError>;

/// Joins a coordinator, and works for it until it says goodbye or `stop` is set.
///
/// # Errors
/// When the coordinator cannot be reached, does not want this agent, or is gone; what is under way then ends at once.
pub fn agent(joining: &Joining, stop: &AtomicBool, tell: &mut dyn FnMut(Notice)) -> Result<(), AgentError> {
    agent_by(execute_share, joining, stop, tell)
}

/// The same by another engine. One that plays back what was recorded lets a thousand agents be on one machine.
///
/// # Errors
/// As [`agent`].
pub fn agent_by(
    engine: Engine,
    joining: &Joining,
    stop: &AtomicBool,
    tell: &mut dyn FnMut(Notice),
) -> Result<(), AgentError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime =
        runtime.map_err(|source| AgentError::System { what: word!("cannot-make-runtime"), source })?;
    let ended = runtime.block_on(async {
        let waiting = Deadline::after(joining.wait);
        loop {
            let stream = join(joining, &waiting, stop).await?;
            let mut is_let_in = false;
            match serve(stream, engine, joining.index, stop, &mut is_let_in, tell).await {
                // A coordinator that hears too many at once sends some away that have not spoken out yet.
                Err(AgentError::Lost(_) | AgentError::System { .. }) if !is_let_in && !waiting.is_over() => {
                    sleep(RETRY).await;
                }
                ended => return ended,
            }
        }
    });
    // A name that is still being looked up is not waited for.
    runtime.shutdown_background();
    ended
}

/// Dials until somebody is there who knows the token.
async fn join(
    joining: &Joining,
    waiting: &Deadline,
    stop: &AtomicBool,
) -> Result<TlsStream<TcpStream>, AgentError> {
    let config = joining
        .token
        .of_agent()
        .map_err(|error| AgentError::Token { at: joining.at.clone(), what: error.to_string() })?;
    let connector = TlsConnector::from(Arc::new(config));
    loop {
        let last = match timeout(ATTEMPT, TcpStream::connect(&joining.at)).await {
            Ok(Ok(stream)) => match secured(&connector, stream, joining).await {
                Err(AgentError::System { source, .. }) => source.to_string(),
                other => return other,
            },
            Ok(Err(error)) => error.to_string(),
            Err(_) => "it takes no connection".to_owned(),
        };
        if waiting.is_over() || stop.load(Ordering::Relaxed) {
            let seconds = waiting.elapsed().as_secs();
            return Err(AgentError::NobodyThere { at: joining.at.clone(), seconds, last });
        }
        sleep(RETRY).await;
    }
}

async fn secured(
    connector: &TlsConnector,
    stream: TcpStream,
    joining: &Joining,
) -> Result<TlsStream<TcpStream>, AgentError> {
    stream.set_nodelay(true).map_err(unsaid)?;
    let name = ServerName::try_from(NAME).map_err(|error| unsaid(io::Error::other(error)))?;
    match timeout(ATTEMPT, connector.connect(name, stream)).await {
        Ok(Ok(stream)) => Ok(stream),
        Ok(Err(error)) if error.get_ref().is_some_and(|inner| inner.is::<rustls::Error>()) => {
            Err(AgentError::Token { at: joining.at.clone(), what: error.to_string() })
        }
        Ok(Err(error)) => Err(unsaid(error)),
        Err(_) => Err(unsaid(io::Error::from(io::ErrorKind::TimedOut))),
    }
}

/// Loads that are under way.
struct Running {
    watch: Arc<Watch>,
    /// Where it hears of the first instant; none when it has.
    begin: Option<mpsc::Sender<u64>>,
    thread: JoinHandle<()>,
}

impl Running {
    fn stop(&mut self) {
        self.watch.stop.store(true, Ordering::Relaxed);
        self.begin = None;
    }

    /// Nobody will hear what it comes to: a server that does not answer is not waited for.
    fn abandon(&mut self) {
        self.watch.abandoned.store(true, Ordering::Relaxed);
        self.stop();
    }
}

/// Waits for what the coordinator says, and does it. `is_let_in` becomes true with the first it says.
async fn serve(
    stream: TlsStream<TcpStream>,
    engine: Engine,
    index: Option<u32>,
    stop: &AtomicBool,
    is_let_in: &mut bool,
    tell: &mut dyn FnMut(Notice),
) -> Result<(), AgentError> {
    let (heard_in, mut heard) = unbounded_channel();
    let heartbeat = Heartbeat::new(&FromAgent::Alive, &ToAgent::Alive).map_err(unsaid)?;
    let hello = Hello {
        version: VERSION.to_owned(),
        host: host_name(),
        boot: proofload_host::boot(),
        cpus: proofload_host::cpus::allowed().len() as u32,
        index,
    };
    let mut stream = stream;
    crate::message::write_frame(&mut stream, &frame(&hello).map_err(unsaid)?).await.map_err(unsaid)?;
    let out = link(stream, heartbeat, None, move |event| heard_in.send(event).is_ok());
    let mut running: Option<Running> = None;
    let ended = obey(engine, &out, &mut heard, &mut running, stop, is_let_in, tell).await;
    if let Some(mut running) = running {
        running.abandon();
        // It looks at the switch after each poll.
        let _ = running.thread.join();
    }
    ended
}

async fn obey(
    engine: Engine,
    out: &Sender,
    heard: &mut UnboundedReceiver<Heard>,
    running: &mut Option<Running>,
    stop: &AtomicBool,
    is_let_in: &mut bool,
    tell: &mut dyn FnMut(Notice),
) -> Result<(), AgentError> {
    let (mut look, mut carried) = (interval(LOOK), 0);
    loop {
        let event = tokio::select! {
            event = heard.recv() => event,
            _ = look.tick() => {
                if stop.load(Ordering::Relaxed) {
                    return Ok(());
                }
                continue;
            }
        };
        let (at_ns, bytes) = match event {
            Some(Heard::Frame { at_ns, bytes }) => (at_ns, bytes),
            Some(Heard::Alive) => {
                *is_let_in = true;
                continue;
            }
            Some(Heard::Left { .. }) => continue,
            Some(Heard::Lost(why)) => return Err(AgentError::Lost(why)),
            None => return Err(AgentError::Lost(word!("agents-connection-ended").to_owned())),
        };
        *is_let_in = true;
        match message(&bytes)
            .map_err(|error| AgentError::Lost(say!("agents-speaks-otherwise", error = error.to_string())))?
        {
            ToAgent::Refused(why) => return Err(AgentError::Refused(why)),
            ToAgent::Welcome { index, agents } => tell(Notice::Dealt { index, agents }),
            ToAgent::Bye => {
                tell(Notice::Carried(carried));
                return Ok(());
            }
            order => {
                carried += u64::from(matches!(order, ToAgent::Load(_)));
                carry(order, at_ns, engine, out, running).map_err(unsaid)?;
            }
        }
    }
}

/// What is said while an agent works. `at_ns` is when it came.
fn carry(
    order: ToAgent,
    at_ns: u64,
    engine: Engine,
    out: &Sender,
    running: &mut Option<Running>,
) -> io::Result<()> {
    match order {
        ToAgent::Ping => out.send(&FromAgent::Pong { heard_ns: at_ns, said_ns: clock::monotonic_ns() })?,
        ToAgent::Load(plans) => {
            *running = Some(prepared(plans, engine, out.clone()));
            out.send(&FromAgent::Ready)?;
        }
        ToAgent::Begin { at_ns } => {
            if let Some(begin) = running.as_mut().and_then(|running| running.begin.take()) {
                let _ = begin.send(at_ns);
            }
        }
        ToAgent::Stop => running.iter_mut().for_each(Running::stop),
        ToAgent::Abandon => running.iter_mut().for_each(Running::abandon),
        ToAgent::Alive | ToAgent::Refused(_) | ToAgent::Welcome { .. } | ToAgent::Bye => {}
    }
    Ok(())
}

fn unsaid(source: io::Error) -> AgentError {
    AgentError::System { what: word!("agents-cannot-speak"), source }
}

/// A thread that carries the loads out as soon as it hears when.
fn prepared(plans: Vec<LoadPlan>, engine: Engine, out: Sender) -> Running {
    let watch = Arc::new(Watch::default());
    let (begin, begins) = mpsc::channel();
    let watched = Arc::clone(&watch);
    let thread = std::thread::spawn(move || {
        let ended = match begins.recv() {
            // A fault of ours that ended this thread in silence would let the others wait for ever.
            Ok(at_ns) => catch_unwind(AssertUnwindSafe(|| executed(&plans, engine, &watched, at_ns, &out)))
                .unwrap_or_else(|_| Err(other("a fault of Proofload: its standard error says more"))),
            Err(_) => Err(other("ended before it began")),
        };
        // A peer that is gone is told of by the connection.
        let _ = out.send(&FromAgent::Ended(ended));
    });
    Running { watch, begin: Some(begin), thread }
}

fn other(why: &str) -> Failure {
    Failure::Other(why.to_owned())
}

fn executed(
    plans: &[LoadPlan],
    engine: Engine,
    watch: &Watch,
    at_ns: u64,
    out: &Sender,
) -> Result<Vec<ShareResult>, Failure> {
    let mut seen = |stretch: &Stretch<'_>| {
        let snapshot = Box::new(stretch.snapshot.sparse());
        let _ = out.send(&FromAgent::Seen { stream: stretch.stream, last: stretch.last, snapshot });
    };
    let how = Launch { start_ns: Some(at_ns), each_second: Some(&mut seen), ..Launch::new(plans, watch) };
    engine(how).map_err(|error| match error {
        EngineError::TooLate { late_ns } => Failure::TooLate { late_ns },
        error => Failure::Other(error.to_string()),
    })
}

/// What this machine is called.
fn host_name() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}
