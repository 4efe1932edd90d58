//! The coordinator that a command elsewhere starts here, by ssh, Slurm or `kubectl exec`: it takes its orders from standard input,
//! and ends everything when that ends.

use crate::agents::{AgentPool, Listener, Terms, Token, VERSION};
use crate::deadline::Deadline;
use crate::error::RemoteError;
use crate::kubernetes::manifest::LISTEN;
use crate::launch::fingerprint;
use crate::order::{Answer, KEPT, Order, STOP, read_line, write_line};
use crate::pack::{pack_record, record_bytes};
use proofload_host::clock::{monotonic_ns, unix_ns};
use proofload_host::signals;
use proofload_language::Language;
use std::fs::{self, DirBuilder, File};
use std::io::{self, BufRead, BufReader, Read, Stdin, Write};
use std::net::SocketAddr;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

/// First argument of a process that does this.
pub const ARGUMENT: &str = "__place";
/// After so long without a heartbeat of the command it is gone.
const SILENCE_NS: u64 = 5_000_000_000;
const LOOK: Duration = Duration::from_millis(250);
const HEARTBEAT_EVERY: Duration = Duration::from_secs(1);
/// Longest time for the record on its way before the way is taken for gone.
const HANDING_OVER: Duration = Duration::from_secs(60);

/// The part of a run that needs the lab.
pub trait Conductor {
    /// The folder that gets a folder for each order, named by its time and its process.
    fn orders(&self) -> Result<PathBuf, RemoteError>;

    /// This executable.
    fn program(&self) -> PathBuf;

    /// Unpacks the files of a study.
    fn unpack(&self, files: &mut dyn Read, into: &Path) -> Result<(), String>;

    /// Runs the study. Returns its exit code, and why it came to nothing, or nothing.
    fn conduct(&self, order: &Ordered<'_>) -> (u8, String);
}

/// An order that came.
pub struct Ordered<'a> {
    pub order: &'a Order,
    /// Its folder, with the study's files in `files`; the record goes into `runs`.
    pub folder: &'a Path,
    stop: &'a AtomicBool,
    out: &'a Out,
}

impl Ordered<'_> {
    /// Address that agents dial: that in the environment of a pod, or any port at the address that was ordered, or at
    /// the one by which the ssh connection reached this machine.
    ///
    /// # Errors
    /// No address is known.
    pub fn address(&self) -> Result<SocketAddr, RemoteError> {
        if let Ok(at) = std::env::var(LISTEN) {
            return at.parse().map_err(|error| RemoteError::Usage(format!("{LISTEN}={at}: {error}")));
        }
        let connection = std::env::var("SSH_CONNECTION").unwrap_or_default();
        let found = || connection.split_whitespace().nth(2).and_then(|word| word.parse().ok());
        let address = self.order.address.or_else(found).ok_or_else(|| {
            let why = "no address of the servers' machine is known here; give --address, one at which agents reach it";
            RemoteError::usage(why)
        })?;
        Ok(SocketAddr::new(address, 0))
    }

    /// Waits for the agents. `say` receives a line for each that comes.
    ///
    /// # Errors
    /// Some do not come in time.
    pub fn gather(
        &self,
        at: SocketAddr,
        tolerated: u32,
        say: &mut dyn FnMut(&str),
    ) -> Result<AgentPool, RemoteError> {
        let Order { token, agents, wait_s, .. } = self.order;
        let token = Token::new(token).ok_or_else(|| RemoteError::usage("the token is too short"))?;
        let listener = Listener::open(at, &token)?;
        let keeps_in = self.folder.join("runs").display().to_string();
        tell(self.out, &Answer::Listening { at: listener.address(), keeps_in })?;
        let terms = Terms { agents: *agents, wait: Duration::from_secs(*wait_s), tolerated };
        listener.gather(&terms, self.stop, say)
    }
}

/// Carries an order out. Events are reported on the standard output that this process was started with, its end too:
/// this process itself ends well, since its launcher would complain of any other exit code.
///
/// # Errors
/// Standard output and error cannot be set apart.
pub fn serve(conductor: &dyn Conductor) -> Result<(), RemoteError> {
    let out = Arc::new(Mutex::new(apart_from_output()?));
    if let Err(error) = served(&out, conductor) {
        let (exit, message) = (error.exit_code(), error.to_string());
        // The requester is gone, or receives it.
        let _ = tell(&out, &Answer::Ended { exit, message, record_bytes: 0 });
    }
    Ok(())
}

/// Output to the command.
pub(crate) type Out = Arc<Mutex<File>>;

fn tell(out: &Out, answer: &Answer) -> io::Result<()> {
    write_line(&mut *out.lock().unwrap_or_else(PoisonError::into_inner), answer)
}

/// Sends heartbeats until they have no receiver.
fn send_heartbeats(out: &Out) {
    let out = Arc::downgrade(out);
    std::thread::spawn(move || {
        while let Some(out) = out.upgrade()
            && tell(&out, &Answer::Alive).is_ok()
        {
            drop(out);
            std::thread::sleep(HEARTBEAT_EVERY);
        }
    });
}

fn served(out: &Out, conductor: &dyn Conductor) -> Result<(), RemoteError> {
    let mut input = BufReader::new(io::stdin());
    let order = read_line::<Order>(&mut input);
    let order = order.map_err(|error| RemoteError::Lost(format!("no order came: {error}")))?;
    let order = order.ok_or_else(|| RemoteError::Lost("no order came".to_owned()))?;
    is_of_this_executable(&order, &conductor.program())?;
    let folder = conductor.orders()?.join(format!("{}-{}", unix_ns() / 1_000_000_000, std::process::id()));
    take_files(&mut input, order.files_bytes, &folder.join("files"), conductor).map_err(RemoteError::Lost)?;
    let stop = signals::install()?;
    let heard = listen(input, Arc::clone(&stop));
    send_heartbeats(out);
    let language = Language::ALL.into_iter().find(|language| language.tag() == order.language);
    let ordered = Ordered { order: &order, folder: &folder, stop: &stop, out };
    let (exit, message) = language.unwrap_or_default().within(|| conductor.conduct(&ordered));
    hand_over(Arc::clone(out), exit, message, &folder);
    let handing_over = Deadline::after(HANDING_OVER);
    while !heard.has_kept.load(Ordering::Relaxed) {
        if heard.is_gone.load(Ordering::Relaxed) || handing_over.is_over() {
            return Ok(());
        }
        std::thread::sleep(LOOK);
    }
    // What cannot be removed is a copy.
    let _ = fs::remove_dir_all(&folder);
    Ok(())
}

/// Takes the files that follow an order.
fn take_files(
    input: &mut impl Read,
    bytes: u64,
    into: &Path,
    conductor: &dyn Conductor,
) -> Result<(), String> {
    let made = DirBuilder::new().recursive(true).mode(0o700).create(into);
    made.map_err(|error| format!("{}: {error}", into.display()))?;
    let mut files = input.take(bytes);
    conductor.unpack(&mut files, into)?;
    io::copy(&mut files, &mut io::sink()).map_err(|error| error.to_string())?;
    if files.limit() > 0 { Err("the files came in part only".to_owned()) } else { Ok(()) }
}

/// Two executables of other versions, or builds, may understand a study differently.
fn is_of_this_executable(order: &Order, program: &Path) -> Result<(), RemoteError> {
    if order.version != VERSION {
        let asks = &order.version;
        return Err(RemoteError::Usage(format!(
            "the command is of version {asks}, this is {VERSION}: use an image of its version"
        )));
    }
    let Some(asks) = &order.fingerprint else { return Ok(()) };
    let own = fingerprint(program)?;
    match *asks == own {
        true => Ok(()),
        false => Err(RemoteError::Usage(format!("asked by executable {asks}, this is {own}"))),
    }
}

/// The standard output for answers alone, and a standard error that never fails: its reader may be gone.
fn apart_from_output() -> io::Result<File> {
    let told = File::from(rustix::io::dup(rustix::stdio::stdout())?);
    rustix::stdio::dup2_stdout(&File::options().write(true).open("/dev/null")?)?;
    let mut shown = File::from(rustix::io::dup(rustix::stdio::stderr())?);
    let (mut lines, into) = io::pipe()?;
    rustix::stdio::dup2_stderr(&into)?;
    std::thread::spawn(move || {
        let mut chunk = [0; 4096];
        while let Ok(count @ 1..) = lines.read(&mut chunk) {
            let _ = shown.write_all(&chunk[..count]);
        }
    });
    Ok(told)
}

/// State of the command, as received.
#[derive(Default)]
struct ClientState {
    at_ns: AtomicU64,
    is_gone: AtomicBool,
    has_kept: AtomicBool,
}

/// Stops everything when the command orders it, ends, or is silent for too long.
fn listen(input: BufReader<Stdin>, stop: Arc<AtomicBool>) -> Arc<ClientState> {
    let heard = Arc::new(ClientState { at_ns: AtomicU64::new(monotonic_ns()), ..ClientState::default() });
    let (reading, stopping) = (Arc::clone(&heard), Arc::clone(&stop));
    std::thread::spawn(move || {
        for line in input.lines().map_while(Result::ok) {
            reading.at_ns.store(monotonic_ns(), Ordering::Relaxed);
            match line.as_str() {
                STOP => stopping.store(true, Ordering::Relaxed),
                KEPT => reading.has_kept.store(true, Ordering::Relaxed),
                _ => {}
            }
        }
        reading.is_gone.store(true, Ordering::Relaxed);
        stopping.store(true, Ordering::Relaxed);
    });
    let watching = Arc::clone(&heard);
    std::thread::spawn(move || {
        while !watching.is_gone.load(Ordering::Relaxed) {
            std::thread::sleep(LOOK);
            if monotonic_ns().saturating_sub(watching.at_ns.load(Ordering::Relaxed)) > SILENCE_NS {
                watching.is_gone.store(true, Ordering::Relaxed);
                stop.store(true, Ordering::Relaxed);
            }
        }
    });
    heard
}

/// Reports the end, with the record, in a thread of its own: a broken connection takes nothing, and reports nothing.
pub(crate) fn hand_over(out: Out, exit: u8, message: String, folder: &Path) -> JoinHandle<io::Result<()>> {
    let record = record_in(&folder.join("runs"));
    let bytes = record.as_ref().map_or(Ok(0), |(run, name)| record_bytes(run, name));
    let (exit, message, record_bytes) = match bytes {
        Ok(bytes) => (exit, message, bytes),
        Err(error) => {
            let kept = folder.display();
            let why = format!("the record cannot be brought home: {error}; it is kept there, in {kept}/runs");
            (RemoteError::Lost(String::new()).exit_code(), why, 0)
        }
    };
    let record = record.filter(|_| record_bytes > 0);
    let ended = Answer::Ended { exit, message, record_bytes };
    std::thread::spawn(move || {
        let mut out = out.lock().unwrap_or_else(PoisonError::into_inner);
        write_line(&mut *out, &ended)?;
        record.map_or(Ok(()), |(run, name)| pack_record(&run, &name, &mut *out))
    })
}

/// The record of an order, with its study and its id; none where nothing was recorded.
fn record_in(runs: &Path) -> Option<(PathBuf, PathBuf)> {
    let study = fs::read_dir(runs).ok()?.flatten().find(|entry| entry.path().is_dir())?;
    let run = study.path().join("latest").canonicalize().ok()?;
    let name = Path::new(&study.file_name()).join(run.file_name()?);
    Some((run, name))
}
