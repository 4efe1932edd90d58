//! The keeper, as used by Proofload: a child that starts the subjects and ends them in any case.
//!
//! Proofload may be killed at any moment, by a signal that it cannot catch. So the subjects are children of
//! another process in a session of its own, which notices that its input has ended.

#![allow(clippy::disallowed_methods, reason = "the keeper starts every process")]

mod launch;
mod protocol;
mod serve;
pub(crate) mod tree;
mod watch;

use proofload_store::redact;
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

pub use proofload_host::MARK_KEEPER;
pub use protocol::Exit;
pub(crate) use protocol::Spawn;
use protocol::{LINE_BYTES_MAX, Order, Report, to_line};
pub use serve::{KEEPER_ARGUMENT, keeper_main};
pub use tree::{MARK_RUN, MARK_SUBJECT};

use super::SubjectError;
use super::temp;

/// The keeper answers within microseconds; a machine that swaps may take a while.
const ANSWER_WITHIN: Duration = Duration::from_secs(10);
/// Longer than the keeper itself ever takes to end everything.
const END_WITHIN: Duration = Duration::from_secs(8);
/// Interval at which a waiting caller checks for an interrupt.
const INTERRUPT_EVERY: Duration = Duration::from_millis(50);

/// A running keeper. Dropping it ends everything that it started.
#[derive(Debug)]
pub struct Keeper {
    link: Arc<Link>,
}

/// The line to a keeper; each running subject holds on to it.
#[derive(Debug)]
pub(crate) struct Link {
    shared: Arc<Shared>,
    orders: Mutex<Option<ChildStdin>>,
    child: Mutex<Child>,
    reader: Mutex<Option<JoinHandle<()>>>,
    temp: PathBuf,
    run: String,
    next: AtomicU64,
    ended: AtomicBool,
}

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    ready: Option<Result<(), String>>,
    wards: BTreeMap<u64, WardState>,
    ended: Option<Vec<String>>,
    gone: bool,
}

#[derive(Clone, Debug, Default)]
struct WardState {
    started: Option<Result<(u32, u64), String>>,
    exit: Option<Exit>,
    /// Bytes it had when it had too many.
    over_memory: Option<u64>,
    stopped: Option<Stopped>,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Stopped {
    pub(crate) exit: Option<Exit>,
    pub(crate) killed: Vec<u32>,
    pub(crate) left: Vec<u32>,
}

/// A process that the keeper started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ward {
    pub(crate) id: u64,
    pub(crate) pid: u32,
}

impl Shared {
    /// A panic of another thread leaves the state as it was: each change is a single assignment.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change(&self, change: impl FnOnce(&mut State)) {
        change(&mut self.lock());
        self.changed.notify_all();
    }

    /// Waits until `look` finds something; `None` when the time is over or the keeper has gone before that.
    fn wait<T>(&self, within: Duration, mut look: impl FnMut(&State) -> Option<T>) -> Option<T> {
        let waiting = |state: &mut State| look(state).is_none() && !state.gone;
        let (state, _) = self
            .changed
            .wait_timeout_while(self.lock(), within, waiting)
            .unwrap_or_else(PoisonError::into_inner);
        look(&state)
    }

    fn is_gone(&self) -> bool {
        self.lock().gone
    }
}

impl Keeper {
    /// Starts a keeper by executing this executable again.
    ///
    /// # Errors
    /// As [`Keeper::spawn`].
    pub fn start() -> Result<Keeper, SubjectError> {
        // By the link of the kernel: the file may have been replaced by a newer build while this one runs.
        Keeper::spawn(Path::new("/proc/self/exe"))
    }

    /// Starts a keeper by executing `program`, which must call [`keeper_main`] when its first argument is
    /// [`KEEPER_ARGUMENT`]; for Proofload that is `std::env::current_exe()`.
    ///
    /// # Errors
    /// The program cannot be executed, or the directory for temporary files cannot be made.
    pub fn spawn(program: &Path) -> Result<Keeper, SubjectError> {
        let run = temp::run_id();
        let directory = temp::base_path().join(&run);
        let mut command = Command::new(program);
        command.arg(KEEPER_ARGUMENT).arg(&run).arg(&directory);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        // SAFETY: system calls that are safe after a fork; nothing is allocated.
        unsafe { command.pre_exec(detach) };
        let mut child = command
            .spawn()
            .map_err(|why| no_keeper(format!("{} cannot be executed: {why}", program.display())))?;
        let (Some(orders), Some(reports)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(no_keeper("its pipes are missing".into()));
        };
        let shared = Arc::new(Shared::default());
        let reader = spawn_reader(Arc::clone(&shared), reports).map_err(|why| no_keeper(why.to_string()))?;
        let link = Link {
            shared,
            orders: Mutex::new(Some(orders)),
            child: Mutex::new(child),
            reader: Mutex::new(Some(reader)),
            temp: directory,
            run,
            next: AtomicU64::new(1),
            ended: AtomicBool::new(false),
        };
        let keeper = Keeper { link: Arc::new(link) };
        match keeper.link.shared.wait(ANSWER_WITHIN, |state| state.ready.clone()) {
            Some(Ok(())) => Ok(keeper),
            Some(Err(why)) => Err(no_keeper(format!("{}: {why}", keeper.temp().display()))),
            None => Err(no_keeper(format!("{} did not answer as a keeper", program.display()))),
        }
    }

    /// The run's temporary directory, 0700; the keeper removes it at its end.
    pub fn temp(&self) -> &Path {
        &self.link.temp
    }

    /// Process id of the keeper.
    pub fn pid(&self) -> u32 {
        self.link.pid()
    }

    /// True if it has ended without an order to. The kernel is queried: its report may still be on its way.
    pub fn is_gone(&self) -> bool {
        let mut child = self.link.child.lock().unwrap_or_else(PoisonError::into_inner);
        self.link.shared.is_gone() || !matches!(child.try_wait(), Ok(None))
    }

    /// Ends everything and removes the temporary files; returns a message for each thing that could not be.
    pub fn end(self) -> Vec<String> {
        self.link.finish()
    }

    pub(crate) fn link(&self) -> &Arc<Link> {
        &self.link
    }
}

impl Link {
    fn pid(&self) -> u32 {
        self.child.lock().unwrap_or_else(PoisonError::into_inner).id()
    }

    /// Removes `path` with everything else when the run ends, for any reason.
    pub(crate) fn adopt(&self, path: &Path) -> Result<(), SubjectError> {
        self.order(&Order::Adopt { path: path.to_path_buf() })
    }

    /// Starts a process; `spawn.id` is chosen here.
    pub(crate) fn start(&self, subject: &str, mut spawn: Spawn) -> Result<Ward, SubjectError> {
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        spawn.id = id;
        spawn.secrets = redact::known();
        self.shared.change(|state| {
            state.wards.insert(id, WardState::default());
        });
        self.order(&Order::Spawn(spawn.clone()))?;
        let started = self.shared.wait(ANSWER_WITHIN, |state| state.wards.get(&id)?.started.clone());
        match started {
            Some(Ok((pid, _))) => Ok(Ward { id, pid }),
            Some(Err(why)) => Err(SubjectError::NotStarted {
                subject: subject.to_string(),
                program: spawn.args.first().cloned().unwrap_or_default(),
                why,
            }),
            None => Err(SubjectError::KeeperGone),
        }
    }

    /// Live processes of a ward.
    pub(crate) fn members(&self, ward: Ward) -> Vec<tree::Process> {
        tree::subject_members(&tree::snapshot(), self.pid(), ward.pid, &format!("{}/{}", self.run, ward.id))
    }

    /// Exit of the process itself, once it has ended.
    pub(crate) fn exit_of(&self, ward: Ward) -> Result<Option<Exit>, SubjectError> {
        let state = self.shared.lock();
        let exit = state.wards.get(&ward.id).and_then(|ward| ward.exit);
        if exit.is_none() && state.gone { Err(SubjectError::KeeperGone) } else { Ok(exit) }
    }

    /// Memory of it when it was killed for having too much.
    pub(crate) fn over_memory(&self, ward: Ward) -> Option<u64> {
        self.shared.lock().wards.get(&ward.id)?.over_memory
    }

    /// Ends a process and all it left behind: TERM, `grace`, KILL.
    pub(crate) fn stop(&self, ward: Ward, grace: Duration) -> Result<Stopped, SubjectError> {
        self.ask_to_stop(ward, grace)?;
        let within = grace.saturating_add(END_WITHIN);
        let stopped = self.shared.wait(within, |state| {
            let ward = state.wards.get(&ward.id)?;
            Some(Stopped { exit: ward.exit, ..ward.stopped.clone()? })
        });
        stopped.ok_or(SubjectError::KeeperGone)
    }

    /// The first half of [`Link::stop`].
    pub(crate) fn ask_to_stop(&self, ward: Ward, grace: Duration) -> Result<(), SubjectError> {
        let grace_ns = u64::try_from(grace.as_nanos()).unwrap_or(u64::MAX);
        self.order(&Order::Stop { id: ward.id, grace_ns })
    }

    /// Runs a tool to its end, at most `within`; `None` when it took longer. Nothing of it stays.
    pub(crate) fn run(
        &self,
        tool: &str,
        spawn: Spawn,
        within: Duration,
        interrupted: &dyn Fn() -> bool,
    ) -> Result<Option<Exit>, SubjectError> {
        let ward = self.start(tool, spawn)?;
        let rounds = within.as_nanos().div_ceil(INTERRUPT_EVERY.as_nanos());
        let mut exit = None;
        let mut ended_early = false;
        for _ in 0..rounds {
            exit = self.shared.wait(INTERRUPT_EVERY, |state| state.wards.get(&ward.id)?.exit);
            ended_early = interrupted();
            if exit.is_some() || ended_early || self.shared.is_gone() {
                break;
            }
        }
        self.stop(ward, Duration::from_secs(1))?;
        if ended_early { Err(SubjectError::Interrupted) } else { Ok(exit) }
    }

    fn finish(&self) -> Vec<String> {
        if self.ended.swap(true, Ordering::Relaxed) {
            return Vec::new();
        }
        // With or without the order, the closed pipe ends it.
        let _ = self.order(&Order::End);
        let told = self.shared.wait(END_WITHIN, |state| state.ended.clone());
        *self.orders.lock().unwrap_or_else(PoisonError::into_inner) = None;
        if told.is_none() {
            let mut child = self.child.lock().unwrap_or_else(PoisonError::into_inner);
            // It is past its own time limit or dead: its processes and files are found by its marks instead.
            let _ = child.kill();
        }
        let _ = self.child.lock().unwrap_or_else(PoisonError::into_inner).wait();
        if let Some(reader) = self.reader.lock().unwrap_or_else(PoisonError::into_inner).take() {
            let _ = reader.join();
        }
        told.unwrap_or_else(|| {
            let mut found = vec![format!("the keeper of run {} ended before its work was done", self.run)];
            found.extend(temp::clean_run(&self.run, &self.temp));
            found
        })
    }

    fn order(&self, order: &Order) -> Result<(), SubjectError> {
        let line = to_line(order).map_err(|why| no_keeper(why.to_string()))?;
        let mut orders = self.orders.lock().unwrap_or_else(PoisonError::into_inner);
        let pipe = orders.as_mut().ok_or(SubjectError::KeeperGone)?;
        pipe.write_all(&line).and_then(|()| pipe.flush()).map_err(|_| SubjectError::KeeperGone)
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        self.link.finish();
    }
}

fn no_keeper(why: String) -> SubjectError {
    SubjectError::NoKeeper { why }
}

/// Runs in the child before it becomes the keeper: no terminal's Ctrl-C, no polite signal ends it, since its end is
/// Proofload's decision.
fn detach() -> std::io::Result<()> {
    rustix::process::setsid()?;
    // Servers open as many files as the user allows them.
    proofload_host::descriptors::give_back()?;
    for number in [libc::SIGINT, libc::SIGTERM, libc::SIGHUP, libc::SIGQUIT, libc::SIGPIPE] {
        // SAFETY: signal(2) with SIG_IGN touches no memory of ours.
        unsafe { libc::signal(number, libc::SIG_IGN) };
    }
    Ok(())
}

fn spawn_reader(shared: Arc<Shared>, reports: ChildStdout) -> std::io::Result<JoinHandle<()>> {
    std::thread::Builder::new().name("keeper".into()).spawn(move || {
        let mut reports = BufReader::new(reports);
        while let Some(report) = read_report(&mut reports) {
            shared.change(|state| note(state, report));
        }
        shared.change(|state| state.gone = true);
    })
}

fn read_report(reports: &mut BufReader<ChildStdout>) -> Option<Report> {
    let mut line = Vec::new();
    let limit = LINE_BYTES_MAX as u64;
    reports.by_ref().take(limit).read_until(b'\n', &mut line).ok()?;
    serde_json::from_slice(&line).ok()
}

fn note(state: &mut State, report: Report) {
    match report {
        Report::Ready => state.ready = Some(Ok(())),
        Report::Refused { why } => state.ready = Some(Err(why)),
        Report::Spawned { id, pid, start_ticks } => {
            state.wards.entry(id).or_default().started = Some(Ok((pid, start_ticks)));
        }
        Report::Failed { id, why } => state.wards.entry(id).or_default().started = Some(Err(why)),
        Report::Exited { id, exit } => state.wards.entry(id).or_default().exit = Some(exit),
        Report::OverMemory { id, used_bytes } => {
            state.wards.entry(id).or_default().over_memory = Some(used_bytes);
        }
        Report::Stopped { id, killed, left } => {
            state.wards.entry(id).or_default().stopped = Some(Stopped { exit: None, killed, left });
        }
        Report::Ended { left } => state.ended = Some(left),
    }
}
