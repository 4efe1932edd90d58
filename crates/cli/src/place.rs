//! The coordinator that a command elsewhere starts here, by ssh, Slurm or `kubectl exec`: it takes its orders from standard input,
//! and ends everything when that ends.

use crate::args::{self, RunArgs, Verb};
use crate::checked::{Checked, Placed};
use crate::exit::{Exit, leave};
use crate::fleet::{arrived, refused, tolerated};
use crate::mistakes::wrong;
use crate::run;
use anyhow::Context as _;
use proofload_agents::{Listener, Terms, Token, VERSION};
use proofload_host::clock::monotonic_ns;
use proofload_host::signals;
use proofload_language::Language;
use proofload_places::kubernetes::manifest::LISTEN;
use proofload_places::{Order, Told};
use proofload_subject::{Cache, this_program, unpack};
use std::ffi::OsString;
use std::fs::{self, DirBuilder, File};
use std::io::{BufRead, BufReader, Read, Stdin, Write};
use std::net::{IpAddr, SocketAddr};
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

/// The first argument of a process that does this.
pub const ARGUMENT: &str = "__place";
/// Folders of the study and of the catalogue in the package.
pub const STUDY: &str = "study";
pub const CATALOGUE: &str = "catalogue";
/// What whoever asked says: that it is there, and that all is to end.
pub const ALIVE: &[u8] = b"alive\n";
pub const STOP: &[u8] = b"stop\n";
/// And that the record is kept there now: only then it may go here.
pub const KEPT: &[u8] = b"kept\n";
/// Whoever asked says every second that it is there; after so long without a word it is gone.
const SILENCE_NS: u64 = 5_000_000_000;
const LOOK: Duration = Duration::from_millis(250);
/// How often this side says that it is there.
const ALIVE_EVERY: Duration = Duration::from_secs(1);
/// How long the record may take on its way before the way is taken for gone.
const HANDING_OVER_NS: u64 = 60_000_000_000;

/// Carries an order out. What happens is told on the standard output that this process was started with, how it ended too: this
/// process ends well, since what brings it here would complain of any other exit code.
pub fn serve() -> anyhow::Result<Exit> {
    let out = apart_from_output().context("standard output and error cannot be set apart")?;
    let out = Arc::new(Mutex::new(out));
    match served(&out) {
        Ok(()) => Ok(Exit::Done),
        Err(error) => {
            let (exit, message) = outcome(&Err(error));
            // Whoever asked is gone, or hears it.
            let _ = tell(&out, &Told::Ended { exit: exit as u8, message, record_bytes: 0 });
            Ok(Exit::Done)
        }
    }
}

/// Where whoever asked is told.
pub type Out = Arc<Mutex<File>>;

fn tell(out: &Out, told: &Told) -> std::io::Result<()> {
    proofload_places::say_told(&mut *out.lock().unwrap_or_else(PoisonError::into_inner), told)
}

/// Says every second that this side lives, until nobody hears it.
fn say_alive(out: &Out) {
    let out = Arc::downgrade(out);
    std::thread::spawn(move || {
        while let Some(out) = out.upgrade()
            && tell(&out, &Told::Alive).is_ok()
        {
            drop(out);
            std::thread::sleep(ALIVE_EVERY);
        }
    });
}

fn served(out: &Out) -> anyhow::Result<()> {
    let mut input = BufReader::new(std::io::stdin());
    let order = proofload_places::read_order(&mut input).context("no order came")?;
    is_of_this_executable(&order)?;
    let folder = kept_below()?.join(format!("{}-{}", clock_seconds(), std::process::id()));
    take_files(&mut input, order.files_bytes, &folder.join("files"))?;
    let stop = signals::install()?;
    let heard = listen(input, Arc::clone(&stop));
    say_alive(out);
    let language = Language::ALL.into_iter().find(|language| language.tag() == order.language);
    let ended = language.unwrap_or_default().within(|| conduct(&order, &folder, &stop, out));
    let (exit, message) = outcome(&ended);
    hand_over(Arc::clone(out), exit, message, &folder);
    let deadline_ns = monotonic_ns() + HANDING_OVER_NS;
    while !heard.has_kept.load(Ordering::Relaxed) {
        if heard.is_gone.load(Ordering::Relaxed) || monotonic_ns() > deadline_ns {
            return Ok(());
        }
        std::thread::sleep(LOOK);
    }
    // What cannot be removed is a copy.
    let _ = fs::remove_dir_all(&folder);
    Ok(())
}

/// Takes the files that follow an order.
fn take_files(input: &mut impl Read, bytes: u64, into: &Path) -> anyhow::Result<()> {
    let made = DirBuilder::new().recursive(true).mode(0o700).create(into);
    made.with_context(|| into.display().to_string())?;
    let mut files = input.take(bytes);
    unpack(&mut files, Path::new("the files of the study"), into)?;
    std::io::copy(&mut files, &mut std::io::sink())?;
    if files.limit() > 0 { anyhow::bail!("the files came in part only") } else { Ok(()) }
}

/// Two executables of other versions, or builds, may understand a study differently.
fn is_of_this_executable(order: &Order) -> anyhow::Result<()> {
    if order.version != VERSION {
        let asks = &order.version;
        let why = format!("the command is of version {asks}, this is {VERSION}: use an image of its version");
        return Err(leave(Exit::Usage, why));
    }
    let Some(asks) = &order.fingerprint else { return Ok(()) };
    let own = proofload_places::fingerprint(&this_program())?;
    match *asks == own {
        true => Ok(()),
        false => Err(leave(Exit::Usage, format!("asked by executable {asks}, this is {own}"))),
    }
}

/// The folder that has a folder for each order, named by its time and its process.
pub fn kept_below() -> anyhow::Result<PathBuf> {
    let cache = Cache::open().map_err(|error| leave(Exit::FailedStart, error))?;
    Ok(cache.root().join("places"))
}

fn clock_seconds() -> u64 {
    proofload_host::clock::unix_ns() / 1_000_000_000
}

/// The standard output for what is told here alone, and a standard error that never fails: whoever reads it may be gone.
fn apart_from_output() -> std::io::Result<File> {
    let told = File::from(rustix::io::dup(rustix::stdio::stdout())?);
    rustix::stdio::dup2_stdout(&File::options().write(true).open("/dev/null")?)?;
    let mut shown = File::from(rustix::io::dup(rustix::stdio::stderr())?);
    let (mut lines, into) = std::io::pipe()?;
    rustix::stdio::dup2_stderr(&into)?;
    std::thread::spawn(move || {
        let mut chunk = [0; 4096];
        while let Ok(count @ 1..) = lines.read(&mut chunk) {
            let _ = shown.write_all(&chunk[..count]);
        }
    });
    Ok(told)
}

/// What is heard of the other side.
#[derive(Default)]
struct Heard {
    at_ns: AtomicU64,
    is_gone: AtomicBool,
    has_kept: AtomicBool,
}

/// Stops everything when the other side says so, ends, or is silent for too long.
fn listen(input: BufReader<Stdin>, stop: Arc<AtomicBool>) -> Arc<Heard> {
    let heard = Arc::new(Heard { at_ns: AtomicU64::new(monotonic_ns()), ..Heard::default() });
    let (reading, stopping) = (Arc::clone(&heard), Arc::clone(&stop));
    std::thread::spawn(move || {
        for line in input.split(b'\n').map_while(Result::ok) {
            reading.at_ns.store(monotonic_ns(), Ordering::Relaxed);
            match [line.as_slice(), b"\n"].concat().as_slice() {
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

/// Waits for the agents, runs the study.
fn conduct(order: &Order, folder: &Path, stop: &AtomicBool, out: &Out) -> anyhow::Result<Exit> {
    let args = arguments(order, folder)?;
    let at = listens_at(order.address)?;
    let address = proofload_study::local_address(&at.ip().to_string())
        .map_err(|mistake| wrong("--address", mistake))?;
    let checked = Checked::of(&args)?;
    checked.foresee(&args)?;
    let token = Token::new(&order.token).context("the token is too short")?;
    let listener = Listener::open(at, &token).map_err(refused)?;
    let keeps_in = folder.join("runs").display().to_string();
    tell(out, &Told::Listening { at: listener.address(), keeps_in })?;
    let tolerated = tolerated(&args.tolerance, Some(order.agents))?;
    let terms = Terms { agents: order.agents, wait: Duration::from_secs(order.wait_s), tolerated };
    let fleet = listener
        .gather(&terms, stop, &mut |arrival| run::say(args.output.quiet, &arrived(arrival)))
        .map_err(refused)?;
    let given = (order.arguments.as_slice(), order.directory.as_str());
    checked.run(&args, &Placed { fleet: Some(&fleet), address, given: Some(given) })
}

/// The arguments as they were given there, for the files as they lie here.
fn arguments(order: &Order, folder: &Path) -> anyhow::Result<RunArgs> {
    let words = std::iter::once("proofload").chain(order.arguments.iter().map(String::as_str));
    let Some(Verb::Run(args)) = args::read(words.map(OsString::from))?.verb else {
        return Err(leave(Exit::Usage, "not the arguments of proofload run"));
    };
    let mut args = *args;
    let files = folder.join("files");
    args.study = files.join(STUDY).join(args.study.file_name().unwrap_or_default());
    args.catalogue = Some(files.join(CATALOGUE)).filter(|catalogue| catalogue.is_dir());
    args.dir = folder.to_path_buf();
    (args.places, args.agents, args.output.output) = (Default::default(), None, Vec::new());
    // Figures are compared, and shown to others, where the record will be.
    (args.baseline.baseline, args.export) = (None, Default::default());
    Ok(args)
}

/// Where agents dial: what the environment of a pod says, or any port at the address that was ordered, or at which
/// whoever came by ssh found this machine.
fn listens_at(ordered: Option<IpAddr>) -> anyhow::Result<SocketAddr> {
    if let Ok(at) = std::env::var(LISTEN) {
        return at.parse().with_context(|| format!("{LISTEN}={at}"));
    }
    if let Some(address) = ordered {
        return Ok(SocketAddr::new(address, 0));
    }
    let connection = std::env::var("SSH_CONNECTION").unwrap_or_default();
    let found = connection.split_whitespace().nth(2).and_then(|word| word.parse().ok());
    found.map(|address| SocketAddr::new(address, 0)).ok_or_else(|| {
        let why =
            "no address of the servers' machine is known here; give --address, one at which agents reach it";
        leave(Exit::Usage, why)
    })
}

/// Says how it ended, with the record, in a thread of its own: a way that is cut takes nothing, and says nothing.
pub fn hand_over(out: Out, exit: Exit, message: String, folder: &Path) -> JoinHandle<std::io::Result<()>> {
    let record = record_in(&folder.join("runs"));
    let bytes = record.as_ref().map_or(Ok(0), |(run, name)| proofload_places::record_bytes(run, name));
    let (exit, message, bytes) = match bytes {
        Ok(bytes) => (exit, message, bytes),
        Err(error) => {
            let kept = folder.display();
            let why = format!("the record cannot be brought home: {error}; it is kept there, in {kept}/runs");
            (Exit::Failure, why, 0)
        }
    };
    let record = record.filter(|_| bytes > 0);
    let ended = Told::Ended { exit: exit as u8, message, record_bytes: bytes };
    std::thread::spawn(move || {
        let mut out = out.lock().unwrap_or_else(PoisonError::into_inner);
        proofload_places::say_told(&mut *out, &ended)?;
        match record {
            Some((run, name)) => proofload_places::pack_record(&run, &name, &mut *out),
            None => Ok(()),
        }
    })
}

/// The record of an order, with its study and its id; none where nothing was recorded.
fn record_in(runs: &Path) -> Option<(PathBuf, PathBuf)> {
    let study = fs::read_dir(runs).ok()?.flatten().find(|entry| entry.path().is_dir())?;
    let run = study.path().join("latest").canonicalize().ok()?;
    let name = Path::new(&study.file_name()).join(run.file_name()?);
    Some((run, name))
}

fn outcome(ended: &anyhow::Result<Exit>) -> (Exit, String) {
    match ended {
        Ok(exit) => (*exit, String::new()),
        Err(error) => (crate::exit::of(error), format!("{error:#}")),
    }
}
