//! Running the command as a person would: within this process, in a simulated world and in virtual time; or, for what only
//! a process shows, as the executable.

mod bench;
mod simulated;
pub mod world;

use proofload_cli::{Console, Surroundings};
use proofload_reference::{Config, Counts, Running};
use serde_json::Value;
use simulated::Simulated;
use std::ffi::{OsStr, OsString};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::os::unix::process::ExitStatusExt;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::sync::atomic::Ordering;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The executable under test.
pub const PROOFLOAD: &str = env!("CARGO_BIN_EXE_proofload");

/// A study of a server and its like, which are not asked much.
pub const TWINS: &str = "\
study: twins
question: Is one as fast as the other?
subjects:
  server:
    use: reference
    with: { service: const:5ms }
    vary: { seed: [\"1\", \"2\"] }
workload:
  page: { get: / }
load:
  closed: { connections: [4] }
conditions: fixed
claims:
  - alike: throughput(seed=1) ~ throughput(seed=2) within 90%
";

/// The root of the repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the repository")
}

/// Runs the command to its end, within this process.
pub fn proofload(args: &[&str]) -> Output {
    command(args).output().expect("it runs")
}

/// The command, ready to be run within this process from the root of the repository, where one endpoint leaves no record
/// unless a test names a directory for it.
pub fn command(args: &[&str]) -> Call {
    let mut call = Call { words: vec!["proofload".into()], variables: Vec::new(), directory: root() };
    // English, whatever the locale of the user that runs the tests.
    call.args(usual(args)).env_remove("NO_COLOR").env("LC_ALL", "C");
    call
}

/// The same as a process, in the real world. What is live is measured with an optimised one: `cargo xtask truth --live`
/// names it.
pub fn executable(args: &[&str]) -> Command {
    let optimised = std::env::var_os("PROOFLOAD_EXECUTABLE");
    let mut command = Command::new(optimised.unwrap_or_else(|| PROOFLOAD.into()));
    command.args(usual(args)).current_dir(root()).stdin(Stdio::null());
    outside(&mut command).env_remove("NO_COLOR").env("LC_ALL", "C");
    command
}

/// A process with none of the variables of a call within this one.
pub fn outside(command: &mut Command) -> &mut Command {
    command.env_clear().envs(OUTSIDE.iter().cloned())
}

fn usual<'a>(args: &[&'a str]) -> Vec<&'a str> {
    let is_endpoint = args.first().is_some_and(|first| first.contains("://"));
    let keeps_none = is_endpoint && !args.contains(&"--dir") && !args.contains(&"--no-record");
    args.iter().copied().chain(keeps_none.then_some("--no-record")).collect()
}

/// A call of the command within this process.
#[derive(Clone, Debug)]
pub struct Call {
    words: Vec<OsString>,
    variables: Vec<(OsString, Option<OsString>)>,
    directory: PathBuf,
}

/// The variables of this process outside of all calls within it.
static OUTSIDE: LazyLock<Vec<(OsString, OsString)>> = LazyLock::new(|| std::env::vars_os().collect());

/// Directory and variables belong to the process; where tests are its threads, one calls at a time.
static ALONE: Mutex<()> = Mutex::new(());

impl Call {
    pub fn arg(&mut self, word: impl AsRef<OsStr>) -> &mut Call {
        self.words.push(word.as_ref().to_owned());
        self
    }

    pub fn args(&mut self, words: impl IntoIterator<Item = impl AsRef<OsStr>>) -> &mut Call {
        self.words.extend(words.into_iter().map(|word| word.as_ref().to_owned()));
        self
    }

    pub fn current_dir(&mut self, directory: impl AsRef<Path>) -> &mut Call {
        self.directory = directory.as_ref().to_owned();
        self
    }

    pub fn env(&mut self, name: impl AsRef<OsStr>, value: impl AsRef<OsStr>) -> &mut Call {
        self.variables.push((name.as_ref().to_owned(), Some(value.as_ref().to_owned())));
        self
    }

    pub fn env_remove(&mut self, name: impl AsRef<OsStr>) -> &mut Call {
        self.variables.push((name.as_ref().to_owned(), None));
        self
    }

    /// Runs it; exit code and output as those of a process.
    pub fn output(&self) -> std::io::Result<Output> {
        let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
        LazyLock::force(&OUTSIDE);
        let locks = tempfile::tempdir()?;
        // No other process is measured beside, so none is waited for.
        let lock = ("PROOFLOAD_TEST_LOCK_FILE".into(), Some(locks.path().join("lock").into_os_string()));
        // What simulated servers leave to later runs is none of this machine's, and no test's but its own.
        let cache = ("PROOFLOAD_CACHE".into(), Some(locks.path().join("cache").into_os_string()));
        let variables = [lock, cache].into_iter().chain(self.variables.iter().cloned());
        let _place = ProcessState::enter(&self.directory, variables)?;
        let (out, err) = (Kept::default(), Kept::default());
        let world = world::World::here();
        let around = Surroundings {
            words: self.words.clone(),
            console: Console::Written {
                out: Mutex::new(Box::new(out.clone())),
                err: Mutex::new(Box::new(err.clone())),
            },
            generator: Arc::new(world.clone()),
            benches: Arc::new(world),
        };
        let ended = catch_unwind(AssertUnwindSafe(|| proofload_cli::run(around)));
        // A signal is over with the process that it came to.
        proofload_host::signals::install()?.store(false, Ordering::Relaxed);
        let status = match ended {
            Ok(code) => i32::from(code) << 8,
            Err(killed) if killed.is::<bench::Killed>() => libc::SIGKILL,
            Err(panic) => resume_unwind(panic),
        };
        let status = ExitStatus::from_raw(status);
        Ok(Output { status, stdout: out.taken(), stderr: err.taken() })
    }
}

/// Directory and variables of this process while a call lasts.
struct ProcessState {
    directory: PathBuf,
    variables: Vec<(OsString, Option<OsString>)>,
}

impl ProcessState {
    fn enter(
        directory: &Path,
        variables: impl Iterator<Item = (OsString, Option<OsString>)>,
    ) -> std::io::Result<ProcessState> {
        let before = std::env::current_dir()?;
        std::env::set_current_dir(directory)?;
        let mut place = ProcessState { directory: before, variables: Vec::new() };
        for (name, value) in variables {
            place.variables.push((name.clone(), std::env::var_os(&name)));
            set(&name, value.as_deref());
        }
        Ok(place)
    }
}

impl Drop for ProcessState {
    fn drop(&mut self) {
        for (name, value) in self.variables.drain(..).rev() {
            set(&name, value.as_deref());
        }
        std::env::set_current_dir(&self.directory).expect("it was there before");
    }
}

fn set(name: &OsStr, value: Option<&OsStr>) {
    // SAFETY: tests read variables through std alone, which has a lock of its own; one test sets them at a time.
    unsafe {
        match value {
            Some(value) => std::env::set_var(name, value),
            None => std::env::remove_var(name),
        }
    }
}

#[derive(Clone, Default)]
struct Kept(Arc<Mutex<Vec<u8>>>);

impl Kept {
    fn taken(&self) -> Vec<u8> {
        std::mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Write for Kept {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Standard output as JSON.
pub fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}\n{}", text(&output.stdout), text(&output.stderr)))
}

/// Bytes as text.
pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A reference server of this process.
pub struct Reference {
    serves: Serves,
    address: SocketAddr,
    /// Port that it listens on.
    pub port: u16,
}

enum Serves {
    /// In virtual time.
    Simulated(Arc<Simulated>),
    /// On a socket.
    Listening(Running),
}

impl Reference {
    /// A server with these flags of `proofload reference-server`: a simulated one, unless it uses TLS.
    pub fn start(args: &[&str]) -> Reference {
        let words: Vec<String> = args.iter().map(|word| (*word).to_owned()).collect();
        Reference::new(&words).expect("its flags are right")
    }

    /// A server on a socket, for peers outside the simulated world: a proxy, a process. Without another `--service` it
    /// takes 5 ms for an answer, so that a client without pauses asks little.
    pub fn listening(args: &[&str]) -> Reference {
        let mut words: Vec<String> = args.iter().map(|word| (*word).to_owned()).collect();
        if !args.contains(&"--service") {
            words.extend(["--service", "const:5ms"].map(str::to_owned));
        }
        Reference::on_socket(proofload_cli::reference_server(&words).expect("its flags are right"))
            .expect("a free port")
    }

    fn new(words: &[String]) -> Result<Reference, Box<dyn std::error::Error>> {
        let config = proofload_cli::reference_server(words)?;
        if config.tls.is_some() {
            return Reference::on_socket(config);
        }
        let (address, server) = world::listen(config);
        Ok(Reference { serves: Serves::Simulated(server), address, port: address.port() })
    }

    fn on_socket(config: Config) -> Result<Reference, Box<dyn std::error::Error>> {
        let running = Running::start(Config { port: 0, ..config })?;
        let address = running.address();
        Ok(Reference { serves: Serves::Listening(running), address, port: address.port() })
    }

    /// Its address.
    pub fn url(&self) -> String {
        format!("http://{}/", self.address)
    }

    fn address(&self) -> SocketAddr {
        self.address
    }

    fn counted(&self) -> Counts {
        match &self.serves {
            Serves::Simulated(server) => server.counts(),
            Serves::Listening(server) => server.counts(),
        }
    }

    /// Its counts so far.
    pub fn counts(&self) -> Value {
        serde_json::from_str(&self.counted().to_json()).expect("counts are JSON")
    }
}

/// A reference server that is a process; ended when dropped.
pub struct ReferenceProcess {
    child: Child,
    /// Port that it listens on.
    pub port: u16,
}

impl ReferenceProcess {
    /// Starts one on a port of its own choice.
    pub fn start(args: &[&str]) -> ReferenceProcess {
        let mut command = executable(&["reference-server", "--port", "0"]);
        command.args(args);
        ReferenceProcess::start_with(command)
    }

    /// Starts the command; its first line names the address.
    pub fn start_with(mut command: Command) -> ReferenceProcess {
        let mut child = command.stdout(Stdio::piped()).spawn().expect("the reference server starts");
        let mut lines = BufReader::new(child.stdout.take().expect("piped"));
        let mut line = String::new();
        lines.read_line(&mut line).expect("the first line names the address");
        let port = line
            .trim_end()
            .rsplit(':')
            .next()
            .and_then(|port| port.trim_end_matches('/').parse().ok())
            .unwrap_or_else(|| panic!("no port in {line:?}"));
        child.stdout = Some(lines.into_inner());
        ReferenceProcess { child, port }
    }

    /// Its address.
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}/", self.port)
    }

    /// Its counts so far.
    pub fn counts(&self) -> Value {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).expect("it listens");
        stream.set_read_timeout(Some(Duration::from_secs(20))).expect("a time-out");
        stream
            .write_all(b"GET /__counts HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            .expect("it reads");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("it answers");
        let body = answer.split_once("\r\n\r\n").expect("a head").1;
        serde_json::from_str(body).unwrap_or_else(|error| panic!("{error}: {body}"))
    }
}

impl Drop for ReferenceProcess {
    fn drop(&mut self) {
        let _gone = self.child.kill();
        let _status = self.child.wait();
    }
}

/// Waits until something holds, or panics after `limit`.
pub fn wait_until(limit: Duration, what: &str, mut holds: impl FnMut() -> bool) {
    let deadline = Instant::now() + limit;
    while !holds() {
        assert!(Instant::now() < deadline, "{what}: not within {limit:?}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Processes whose environment or command line contains `needle`, other than this one.
pub fn processes_with(needle: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/proc").expect("/proc").flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if name == std::process::id().to_string() || !name.bytes().all(|b| b.is_ascii_digit()) {
            continue;
        }
        let read = |file: &str| std::fs::read(entry.path().join(file)).unwrap_or_default();
        // A process that has ended and was not yet waited for runs nothing and holds nothing.
        if text(&read("stat")).rsplit(") ").next().is_some_and(|rest| rest.starts_with('Z')) {
            continue;
        }
        let command = text(&read("cmdline")).replace('\0', " ");
        if command.contains(needle) || text(&read("environ")).contains(needle) {
            found.push(format!("{name}: {command}"));
        }
    }
    found
}
