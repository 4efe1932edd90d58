//! The keeper itself: a process of its own that outlives Proofload by a few seconds at most.
//!
//! It sleeps until an order, a child's end or the end of its standard input arrives, so that it takes no CPU while
//! something is measured; limits are checked twice a second (`watch`). The end of its input means that Proofload has
//! gone, for any reason.

#![allow(clippy::print_stderr, reason = "the keeper is a process of its own")]

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Write};
use std::os::fd::{AsFd, FromRawFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::process::{Signal, set_child_subreaper};

use super::launch::launch;
use super::protocol::{Exit, LINE_BYTES_MAX, Order, Report, Spawn, to_line};
use super::tree::{self, MARK_RUN, MARK_SUBJECT, Process};
use super::watch::Watched;
use crate::temp;
use proofload_host::MARK_KEEPER;
use proofload_host::clock::monotonic_ns;
use proofload_host::process::Stat;

/// First argument that turns this executable into a keeper.
pub const KEEPER_ARGUMENT: &str = "__keeper";

/// Time between TERM and KILL once Proofload has gone or orders the end.
const END_GRACE_NS: u64 = 1_500_000_000;
/// Time for the kernel to remove killed processes.
const KILL_PATIENCE_NS: u64 = 3_000_000_000;
/// Interval between two reads of the tree while something is being ended: grandchildren send no signal here.
const LOOK_EVERY: Duration = Duration::from_millis(10);
/// Interval between two comparisons of memory and logs with their limits: some ten reads of `/proc` a process.
const WATCH_EVERY: Duration = Duration::from_millis(500);
/// Most subjects and tools at a time; far above any study.
const WARDS_MAX: usize = 1024;

/// Main function of the executable when its first argument is [`KEEPER_ARGUMENT`]; the run's id and its temporary
/// directory follow. Returns when everything has ended.
pub fn keeper_main() -> ExitCode {
    let mut args = std::env::args_os().skip(2);
    let (Some(run), Some(temp), None) = (args.next(), args.next(), args.next()) else {
        eprintln!("{KEEPER_ARGUMENT} is started by Proofload itself, with a run and a directory");
        return ExitCode::FAILURE;
    };
    let run = run.to_string_lossy().into_owned();
    match Serving::begin(run, PathBuf::from(temp)) {
        Ok(mut serving) => serving.serve(),
        Err(why) => {
            report(&Report::Refused { why: why.to_string() });
            ExitCode::FAILURE
        }
    }
}

/// Proofload may have gone; then there is no receiver, and the end of the input tells it.
fn report(message: &Report) {
    if let Ok(line) = to_line(message) {
        let mut out = io::stdout().lock();
        let _ = out.write_all(&line).and_then(|()| out.flush());
    }
}

/// A started process and its descendants.
struct Ward {
    id: u64,
    pid: u32,
    start_ticks: u64,
    exit: Option<Exit>,
    ending: Option<Ending>,
    watched: Option<Watched>,
}

/// The way from TERM to nothing left.
struct Ending {
    kill_at_ns: u64,
    give_up_at_ns: u64,
    /// TERM has reached all, not the first process alone.
    all_asked: bool,
    killed: BTreeSet<u32>,
}

impl Ending {
    fn after(grace_ns: u64) -> Ending {
        let kill_at_ns = monotonic_ns().saturating_add(grace_ns);
        let give_up_at_ns = kill_at_ns.saturating_add(KILL_PATIENCE_NS);
        Ending { kill_at_ns, give_up_at_ns, all_asked: false, killed: BTreeSet::new() }
    }

    /// Takes the next step against the live processes; `true` when there is nothing more to do.
    fn step(&mut self, members: &[Process]) -> bool {
        let now = monotonic_ns();
        if members.is_empty() || now >= self.give_up_at_ns {
            return true;
        }
        if now >= self.kill_at_ns {
            for member in members.iter().filter(|member| tree::signal(member, Signal::KILL)) {
                self.killed.insert(member.pid);
            }
        }
        false
    }

    fn ask_all(&mut self, members: &[Process]) {
        if !self.all_asked {
            self.all_asked = true;
            for member in members {
                tree::signal(member, Signal::TERM);
            }
        }
    }
}

struct Serving {
    run: String,
    me: Process,
    temp: PathBuf,
    adopted: BTreeSet<PathBuf>,
    wards: Vec<Ward>,
    ending: Option<Ending>,
    input: Vec<u8>,
    /// The end of the input was reached.
    orphaned: bool,
    watched_ns: u64,
    children: OwnedFd,
}

impl Serving {
    fn begin(run: String, temp: PathBuf) -> io::Result<Serving> {
        set_child_subreaper(rustix::process::Pid::from_raw(1))?;
        let _ = rustix::thread::set_name(c"proofload-keep");
        let children = child_signals()?;
        let me = tree::find(std::process::id())
            .ok_or_else(|| io::Error::other("/proc does not show this process; is /proc mounted?"))?;
        temp::make_run_directory(&temp)?;
        let serving = Serving {
            run,
            me,
            temp,
            adopted: BTreeSet::new(),
            wards: Vec::new(),
            ending: None,
            input: Vec::new(),
            orphaned: false,
            watched_ns: 0,
            children,
        };
        let marked = fs::write(serving.temp.join("keeper"), format!("{} {}\n", me.pid, me.start_ticks));
        if let Err(why) = marked.and_then(|()| std::env::set_current_dir("/")) {
            let _ = fs::remove_dir_all(&serving.temp);
            return Err(why);
        }
        report(&Report::Ready);
        Ok(serving)
    }

    fn serve(&mut self) -> ExitCode {
        loop {
            self.reap();
            self.watch();
            self.advance();
            if self.ending.is_some() && self.end_reached() {
                return self.leave();
            }
            if let Err(why) = self.wait() {
                eprintln!("keeper: {why}");
                self.orphaned = true;
            }
            if self.orphaned && self.ending.is_none() {
                self.ending = Some(Ending::after(END_GRACE_NS));
            }
        }
    }

    fn wait(&mut self) -> io::Result<()> {
        let busy = self.ending.is_some() || self.wards.iter().any(|ward| ward.ending.is_some());
        let watching = self.wards.iter().any(|ward| ward.watched.is_some() && ward.exit.is_none());
        let pause = if busy { Some(LOOK_EVERY) } else { watching.then_some(WATCH_EVERY) };
        let timeout = pause.map(|pause| pause.try_into().map_err(io::Error::other)).transpose()?;
        let stdin = io::stdin();
        let (order, child) = {
            let mut fds = [
                PollFd::from_borrowed_fd(self.children.as_fd(), PollFlags::IN),
                PollFd::new(&stdin, PollFlags::IN),
            ];
            // An input at its end would wake this loop for ever.
            let watched = if self.orphaned { &mut fds[..1] } else { &mut fds[..] };
            match poll(watched, timeout.as_ref()) {
                Err(rustix::io::Errno::INTR) => return Ok(()),
                other => other?,
            };
            (watched.get(1).is_some_and(|fd| !fd.revents().is_empty()), !watched[0].revents().is_empty())
        };
        if child {
            let mut discarded = [0_u8; 1024];
            match rustix::io::read(&self.children, &mut discarded) {
                Ok(_) | Err(rustix::io::Errno::AGAIN | rustix::io::Errno::INTR) => {}
                Err(why) => return Err(why.into()),
            }
        }
        if order {
            self.read_orders(&stdin)?;
        }
        Ok(())
    }

    fn read_orders(&mut self, stdin: &io::Stdin) -> io::Result<()> {
        let mut chunk = [0_u8; 16 << 10];
        match rustix::io::read(stdin, &mut chunk) {
            Ok(0) => self.orphaned = true,
            Ok(n) => self.input.extend_from_slice(&chunk[..n]),
            Err(rustix::io::Errno::INTR) => return Ok(()),
            Err(why) => return Err(why.into()),
        }
        while let Some(end) = self.input.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = self.input.drain(..=end).collect();
            let order = serde_json::from_slice(&line)
                .map_err(|why| io::Error::other(format!("an order that is none: {why}")))?;
            self.obey(order);
        }
        if self.input.len() > LINE_BYTES_MAX {
            return Err(io::Error::other(format!("an order longer than {LINE_BYTES_MAX} bytes")));
        }
        Ok(())
    }

    fn obey(&mut self, order: Order) {
        match order {
            Order::Spawn(spawn) => self.spawn(&spawn),
            Order::Stop { id, grace_ns } => self.stop(id, grace_ns),
            Order::Adopt { path } => {
                self.adopted.insert(path);
            }
            Order::End => {
                self.ending.get_or_insert_with(|| Ending::after(END_GRACE_NS));
            }
        }
    }

    fn spawn(&mut self, spawn: &Spawn) {
        let id = spawn.id;
        if self.wards.len() >= WARDS_MAX || self.ending.is_some() {
            report(&Report::Failed {
                id,
                why: format!("the keeper is ending or holds {WARDS_MAX} processes"),
            });
            return;
        }
        let marks = [
            (MARK_RUN, self.run.clone()),
            (MARK_KEEPER, format!("{}:{}", self.me.pid, self.me.start_ticks)),
            (MARK_SUBJECT, self.mark(id)),
        ];
        match launch(spawn, &marks) {
            Ok(pid) => {
                // It cannot have been reaped, so its entry exists even when it ended at once.
                let start_ticks = start_ticks(pid);
                let watched = Watched::of(spawn);
                self.wards.push(Ward { id, pid, start_ticks, exit: None, ending: None, watched });
                report(&Report::Spawned { id, pid, start_ticks });
            }
            Err(why) => report(&Report::Failed { id, why: why.to_string() }),
        }
    }

    fn mark(&self, id: u64) -> String {
        format!("{}/{id}", self.run)
    }

    fn stop(&mut self, id: u64, grace_ns: u64) {
        let Some(ward) = self.wards.iter_mut().find(|ward| ward.id == id) else {
            report(&Report::Stopped { id, killed: Vec::new(), left: Vec::new() });
            return;
        };
        if ward.ending.is_none() {
            ward.ending = Some(Ending::after(grace_ns));
            // The first process alone: a server with workers ends them itself, in its own order.
            let root = Process { pid: ward.pid, start_ticks: ward.start_ticks, parent: 0, session: 0 };
            tree::signal(&root, Signal::TERM);
        }
    }

    /// Takes note of all children that ended, adopted ones too.
    fn reap(&mut self) {
        while let Some(pid) = ended_child() {
            // While it is not reaped its number is its own, and so is the file of that number.
            tree::remove_jvm_counters(pid);
            let Some(exit) = reap_one(pid) else { continue };
            if let Some(ward) = self.wards.iter_mut().find(|ward| ward.pid == pid && ward.exit.is_none()) {
                ward.exit = Some(exit);
                // What ends because everything is ended did not die by itself.
                if self.ending.is_none() {
                    report(&Report::Exited { id: ward.id, exit });
                }
            }
        }
    }

    /// Compares memory and logs with their limits.
    fn watch(&mut self) {
        let now_ns = monotonic_ns();
        if now_ns.saturating_sub(self.watched_ns) < WATCH_EVERY.as_nanos() as u64 {
            return;
        }
        self.watched_ns = now_ns;
        for ward in &mut self.wards {
            let Some(watched) = &mut ward.watched else { continue };
            watched.cut_log();
            if let Some(used_bytes) = watched.over_memory(ward.pid, self.me.pid) {
                report(&Report::OverMemory { id: ward.id, used_bytes });
                // Nothing that eats the machine's memory gets a grace.
                ward.ending = Some(Ending::after(0));
            }
        }
    }

    /// Moves every stop on by a step.
    fn advance(&mut self) {
        if self.ending.is_some() || self.wards.iter().all(|ward| ward.ending.is_none()) {
            return;
        }
        let all = tree::snapshot();
        let (keeper, alone) = (self.me.pid, self.wards.len() == 1);
        let run = self.run.clone();
        self.wards.retain_mut(|ward| {
            let Some(ending) = &mut ward.ending else { return true };
            // A process that hides its origin can only be attributed if there is one ward left.
            let members = if alone {
                tree::descendants(&all, keeper)
            } else {
                tree::subject_members(&all, keeper, ward.pid, &format!("{run}/{}", ward.id))
            };
            if ward.exit.is_some() {
                ending.ask_all(&members);
            }
            if !ending.step(&members) {
                return true;
            }
            if ward.exit.is_none() && members.is_empty() {
                // Ended, and to be reaped in the next turn: its exit is reported first.
                return true;
            }
            let killed: Vec<u32> = ending.killed.iter().copied().collect();
            killed
                .iter()
                .filter(|pid| tree::find(**pid).is_none())
                .for_each(|pid| tree::remove_jvm_counters(*pid));
            let left = members.iter().map(|member| member.pid).collect();
            // Its log is complete before its end is reported.
            ward.watched = None;
            report(&Report::Stopped { id: ward.id, killed, left });
            false
        });
    }

    fn end_reached(&mut self) -> bool {
        let members = tree::descendants(&tree::snapshot(), self.me.pid);
        let Some(ending) = &mut self.ending else { return false };
        ending.ask_all(&members);
        ending.step(&members)
    }

    fn leave(&mut self) -> ExitCode {
        self.reap();
        let killed = self.ending.take().map(|ending| ending.killed).unwrap_or_default();
        killed
            .iter()
            .filter(|pid| tree::find(**pid).is_none())
            .for_each(|pid| tree::remove_jvm_counters(*pid));
        let mut left: Vec<String> = tree::descendants(&tree::snapshot(), self.me.pid)
            .iter()
            .map(|process| format!("process {}", process.pid))
            .collect();
        for directory in self.adopted.iter().chain([&self.temp]) {
            if let Err(why) = remove(directory) {
                left.push(format!("{}: {why}", directory.display()));
            }
        }
        // Directories of other runs may be beside it; then it is not empty and stays.
        let _ = self.temp.parent().map(fs::remove_dir);
        report(&Report::Ended { left });
        ExitCode::SUCCESS
    }
}

fn remove(directory: &Path) -> io::Result<()> {
    match fs::remove_dir_all(directory) {
        Err(why) if why.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

/// A descriptor that becomes readable when a child ends.
fn child_signals() -> io::Result<OwnedFd> {
    // SAFETY: the set lives on the stack and is initialised before use; signalfd returns a new descriptor or
    // a negative number, and only the former is taken over.
    unsafe {
        let mut set: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&mut set);
        libc::sigaddset(&mut set, libc::SIGCHLD);
        if libc::sigprocmask(libc::SIG_BLOCK, &set, std::ptr::null_mut()) != 0 {
            return Err(io::Error::last_os_error());
        }
        match libc::signalfd(-1, &set, libc::SFD_CLOEXEC | libc::SFD_NONBLOCK) {
            fd if fd < 0 => Err(io::Error::last_os_error()),
            fd => Ok(OwnedFd::from_raw_fd(fd)),
        }
    }
}

/// A child that has ended and is not reaped yet.
fn ended_child() -> Option<u32> {
    // SAFETY: `found` is a plain structure that waitid fills; zero is a valid value of every field.
    let (result, pid) = unsafe {
        let mut found: libc::siginfo_t = std::mem::zeroed();
        let options = libc::WEXITED | libc::WNOHANG | libc::WNOWAIT;
        (libc::waitid(libc::P_ALL, 0, &mut found, options), found.si_pid())
    };
    if result == 0 { u32::try_from(pid).ok().filter(|pid| *pid != 0) } else { None }
}

fn reap_one(pid: u32) -> Option<Exit> {
    let pid = rustix::process::Pid::from_raw(i32::try_from(pid).ok()?);
    let (_, status) = rustix::process::waitpid(pid, rustix::process::WaitOptions::NOHANG).ok()??;
    match (status.exit_status(), status.terminating_signal()) {
        (Some(code), _) => Some(Exit::Code(code)),
        (_, Some(number)) => Some(Exit::Signal(number)),
        _ => None,
    }
}

/// Start time of a child that is not reaped yet, ended or not.
fn start_ticks(pid: u32) -> u64 {
    Stat::read(pid).map_or(0, |stat| stat.start_ticks)
}
