//! Roles of this executable when a test starts it: servers that behave and servers that do not, and a Proofload that is
//! going to be killed.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode, Stdio};
use std::time::Duration;

use proofload_study::SubjectSpec;
use proofload_subject::{Cache, Catalogue, Keeper, Prepared, clean_leftovers};

use crate::Bench;

pub const PREFIX: &str = "as-";
pub const LISTENER: &str = "as-listener";
pub const SLEEPER: &str = "as-sleeper";
pub const STUBBORN: &str = "as-stubborn";
pub const DAEMON: &str = "as-daemon";
/// A daemon that changes its process number many times before it listens.
pub const RESTLESS: &str = "as-restless";
pub const DYING: &str = "as-dying";
pub const PROOFLOAD: &str = "as-proofload";
/// Takes connections and never answers.
pub const SILENT: &str = "as-silent";
/// Answers, and takes more memory all the time.
pub const EATER: &str = "as-eater";
/// Dies as a JVM without memory does.
pub const FULL: &str = "as-full";
/// Ends on TERM and reports it; needs another to answer when it starts, if one is named.
pub const ORDERLY: &str = "as-orderly";
/// Last argument of a daemon that hides where it came from.
pub const HIDING: &str = "hiding";
pub const PREPARER: &str = "as-preparer";
pub const CLEANER: &str = "as-cleaner";

pub fn play(actor: &str, args: &[String]) -> ExitCode {
    match actor {
        LISTENER => listen(&args[0]),
        SLEEPER => sleep(),
        STUBBORN => {
            // SAFETY: ignores a signal; no memory of ours is involved.
            unsafe { libc::signal(libc::SIGTERM, libc::SIG_IGN) };
            listen(&args[0])
        }
        DAEMON => become_daemon(&args[0], &args[1..]),
        RESTLESS => {
            (0..50).for_each(|_| leave_parent());
            listen(&args[0])
        }
        DYING => {
            println!("first line");
            eprintln!("cannot open the configuration");
            ExitCode::from(3)
        }
        SILENT => {
            let listener = TcpListener::bind(format!("127.0.0.1:{}", args[0])).unwrap();
            let held: Vec<_> = listener.incoming().collect();
            unreachable!("{} connections", held.len())
        }
        EATER => {
            let port = args[0].clone();
            std::thread::spawn(move || listen(&port));
            eat()
        }
        FULL => {
            eprintln!("java.lang.OutOfMemoryError: Java heap space");
            ExitCode::from(3)
        }
        ORDERLY => orderly(&args[0], &args[1], &args[2], args.get(3)),
        PROOFLOAD => hold(args),
        CLEANER => {
            for line in clean_leftovers() {
                println!("{line}");
            }
            ExitCode::SUCCESS
        }
        PREPARER => {
            prepare(&args[0], &args[1], &args[2..]);
            ExitCode::SUCCESS
        }
        _ => ExitCode::FAILURE,
    }
}

/// Prints the steps that take long and their results. `rest` is the folder and `name=value` of its parameters.
fn prepare(catalogue: &str, cache: &str, rest: &[String]) {
    let pairs = rest[1..].iter().filter_map(|pair| pair.split_once('='));
    let with = pairs.map(|(name, value)| (name.to_string(), value.to_string())).collect();
    let spec = SubjectSpec::Catalogue { folder: rest[0].clone(), with };
    let catalogue = Catalogue::read(catalogue.as_ref()).unwrap();
    let cache = Cache::at(cache.as_ref()).unwrap();
    match Prepared::prepare("it", &spec, &catalogue, &cache, &|line| println!("said: {line}")) {
        Ok(_) => println!("prepared"),
        Err(why) => println!("{why}"),
    }
}

/// Touches 8 MiB more every 20 ms, 4 GiB at most.
fn eat() -> ! {
    let mut held = Vec::new();
    for _ in 0..512 {
        held.push(vec![1_u8; 8 << 20]);
        std::thread::sleep(Duration::from_millis(20));
    }
    sleep()
}

/// Appends its name to `file` when it starts and when it is ordered to end.
fn orderly(name: &str, file: &str, port: &str, needs: Option<&String>) -> ExitCode {
    let say = |what: &str| {
        let mut file = std::fs::OpenOptions::new().create(true).append(true).open(file).unwrap();
        writeln!(file, "{name} {what}").unwrap();
    };
    if let Some(needs) = needs
        && std::net::TcpStream::connect(format!("127.0.0.1:{needs}")).is_err()
    {
        eprintln!("{needs} does not answer");
        return ExitCode::from(4);
    }
    // SAFETY: the set lives on the stack and is initialised before use; the thread below inherits the blocked signal.
    let set = unsafe {
        let mut set: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&mut set);
        libc::sigaddset(&mut set, libc::SIGTERM);
        libc::pthread_sigmask(libc::SIG_BLOCK, &set, std::ptr::null_mut());
        set
    };
    say("starts");
    let port = port.to_string();
    std::thread::spawn(move || listen(&port));
    let mut number = 0;
    // SAFETY: both point to values on the stack that outlive the call.
    unsafe { libc::sigwait(&set, &mut number) };
    say("ends");
    ExitCode::SUCCESS
}

fn sleep() -> ! {
    loop {
        std::thread::sleep(Duration::from_secs(1000));
    }
}

/// Answers every connection with a small HTTP answer.
fn listen(port: &str) -> ! {
    let listener = TcpListener::bind(format!("127.0.0.1:{port}")).unwrap();
    for stream in listener.incoming() {
        let Ok(mut stream) = stream else { continue };
        let _ = stream.read(&mut [0_u8; 1024]);
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
    }
    unreachable!("incoming never ends")
}

/// Leaves its session, its parent and, when it is to hide, the environment that would reveal its origin.
fn become_daemon(port: &str, rest: &[String]) -> ExitCode {
    leave_parent();
    // SAFETY: makes one system call.
    unsafe { libc::setsid() };
    leave_parent();
    let mut server = Command::new("/proc/self/exe");
    server.arg(LISTENER).arg(port).args(rest);
    if rest.iter().any(|arg| arg == HIDING) {
        server.env_clear();
    }
    let error = std::os::unix::process::CommandExt::exec(&mut server);
    eprintln!("{error}");
    ExitCode::FAILURE
}

/// Goes on as a child whose parent has ended with 0.
fn leave_parent() {
    // SAFETY: this process has one thread, so that nothing is missing in the child.
    if unsafe { libc::fork() } != 0 {
        // SAFETY: ends this process; what its destructors would do is left to the child.
        unsafe { libc::_exit(0) };
    }
}

/// Acts like Proofload: a keeper, subjects of all kinds, and on. Each command line holds `tag`.
fn hold(args: &[String]) -> ! {
    let tag = args[0].as_str();
    let bench = Bench::new_in(tag);
    let keeper = Keeper::start().unwrap();
    let casts: [&[&str]; 5] = [
        &[LISTENER, "{port}", tag],
        &[STUBBORN, "{port}", tag],
        &[DAEMON, "{port}", tag],
        &[DAEMON, "{port}", tag, HIDING],
        &[SLEEPER, tag],
    ];
    let mut running = Vec::new();
    for (number, cast) in casts.iter().enumerate() {
        let prepared = bench.actor(cast, 60_000_000_000);
        let temp = keeper.temp().join(number.to_string());
        running.push(prepared.start(&keeper, &[], &bench.log(), &temp).unwrap());
        std::fs::write(temp.join("file"), "temporary").unwrap();
    }
    for subject in &running[..3] {
        subject.wait_ready(&Default::default()).unwrap();
    }
    println!("{} {}", keeper.pid(), running.len());
    sleep()
}

/// This executable as one of the actors, with a directory for temporary files of its own.
pub fn cast(actor: &str, args: &[&str], runtime: &std::path::Path) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.arg(actor).args(args).env("XDG_RUNTIME_DIR", runtime);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let heed = || {
        // Shells let what they start in the background ignore SIGINT, and it would outlive that signal here.
        // SAFETY: sets a disposition, touches no memory.
        unsafe { libc::signal(libc::SIGINT, libc::SIG_DFL) };
        Ok(())
    };
    // SAFETY: what runs between fork and exec makes one system call.
    unsafe { command.pre_exec(heed) };
    command
}
