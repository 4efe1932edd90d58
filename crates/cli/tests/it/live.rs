//! The live view, in a terminal that the test is.

use crate::support::{Reference, executable, text};
use std::fs::File;
use std::io::Read;
use std::num::NonZeroU16;
use std::os::fd::FromRawFd;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

const LINES: NonZeroU16 = NonZeroU16::new(24).unwrap();
const COLUMNS: NonZeroU16 = NonZeroU16::new(80).unwrap();

/// A program whose standard error is a terminal, and what that terminal shows.
struct Terminal {
    /// Holds its measuring lock: who waits for another one says so on the screen.
    _lock: tempfile::TempDir,
    child: Child,
    sent: Receiver<Vec<u8>>,
    parser: vt100::Parser,
}

impl Terminal {
    fn start(mut command: Command) -> Terminal {
        let size = libc::winsize { ws_row: LINES.get(), ws_col: COLUMNS.get(), ws_xpixel: 0, ws_ypixel: 0 };
        let (mut ours, mut theirs) = (-1, -1);
        // SAFETY: both descriptors and the size outlive the call; a null name and null settings are allowed.
        let opened = unsafe {
            libc::openpty(
                &raw mut ours,
                &raw mut theirs,
                std::ptr::null_mut(),
                std::ptr::null(),
                &raw const size,
            )
        };
        assert_eq!(opened, 0, "a pseudo-terminal");
        // SAFETY: openpty has just opened both, and nothing else owns them.
        let (mut ours, theirs) = unsafe { (File::from_raw_fd(ours), File::from_raw_fd(theirs)) };
        let lock = tempfile::tempdir().expect("a directory");
        command.env("PROOFLOAD_TEST_LOCK_FILE", lock.path().join("lock"));
        let child = command.stdout(Stdio::null()).stderr(theirs).spawn().expect("the executable runs");
        drop(command);
        let (sender, sent) = channel();
        std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(n @ 1..) = ours.read(&mut buffer) {
                if sender.send(buffer[..n].to_vec()).is_err() {
                    return;
                }
            }
        });
        Terminal { _lock: lock, child, sent, parser: vt100::Parser::new(LINES, COLUMNS, 100) }
    }

    /// Waits until the screen holds a word, or panics after a minute.
    fn wait_for(&mut self, word: &str) {
        let deadline = Instant::now() + Duration::from_secs(60);
        while !self.screen().contains(word) {
            assert!(Instant::now() < deadline, "no {word:?} in\n{}", self.screen());
            if let Ok(bytes) = self.sent.recv_timeout(Duration::from_millis(50)) {
                self.parser.process(&bytes);
            }
        }
    }

    fn screen(&self) -> String {
        self.parser.screen().contents()
    }

    /// The screen and the exit code after its end.
    fn end(mut self) -> (String, Option<i32>) {
        while let Ok(bytes) = self.sent.recv() {
            self.parser.process(&bytes);
        }
        let status = self.child.wait().expect("it ends");
        assert!(!self.parser.screen().hide_cursor(), "the cursor is there");
        assert!(!self.parser.screen().alternate_screen());
        (self.screen(), status.code())
    }
}

fn in_a_terminal(args: &[&str]) -> Command {
    let mut command = executable(args);
    command.env("TERM", "xterm-256color").env_remove("CI");
    command
}

#[test]
fn one_endpoint_is_seen_while_it_is_measured_and_nothing_is_left_of_it() {
    let server = Reference::listening(&[]);
    let mut terminal = Terminal::start(in_a_terminal(&[&server.url(), "-d", "2s", "-c", "4"]));
    for word in ["@ 4c", "answered", "p99", "generator busy", "of 2 s", "/s"] {
        terminal.wait_for(word);
    }
    let (screen, _code) = terminal.end();
    assert_eq!(screen.trim(), "");
}

#[test]
fn a_signal_ends_the_view_as_the_end_does() {
    let server = Reference::listening(&[]);
    let mut terminal = Terminal::start(in_a_terminal(&[&server.url(), "-d", "60s", "-c", "4"]));
    terminal.wait_for("generator busy");
    let pid = rustix::process::Pid::from_child(&terminal.child);
    rustix::process::kill_process(pid, rustix::process::Signal::INT).expect("it runs");
    let (screen, code) = terminal.end();
    assert_eq!(code, Some(130));
    assert_eq!(screen.trim(), "");
}

#[test]
fn a_comparison_shows_its_claims_and_its_servers() {
    let servers = [Reference::listening(&[]), Reference::listening(&[])];
    let dir = tempfile::tempdir().expect("a directory");
    let runs = dir.path().to_str().expect("UTF-8");
    let [first, second] = [servers[0].url(), servers[1].url()];
    let args = ["compare", &first, &second, "-c", "4", "--quick", "--dir", runs];
    let mut terminal = Terminal::start(in_a_terminal(&args));
    for word in ["round 1 of at most", "serves more than", "each turn", "now: turn"] {
        terminal.wait_for(word);
    }
    let pid = rustix::process::Pid::from_child(&terminal.child);
    rustix::process::kill_process(pid, rustix::process::Signal::INT).expect("it runs");
    let (screen, code) = terminal.end();
    assert_eq!(code, Some(130), "{screen}");
    assert!(screen.contains("compare: at most") && !screen.contains("each turn"), "{screen}");
}

#[test]
fn a_dumb_terminal_ci_and_quiet_have_no_view_and_no_escapes() {
    let server = Reference::listening(&[]);
    let url = server.url();
    let plain = |change: &dyn Fn(&mut Command), more: &[&str]| {
        let mut command = in_a_terminal(&[&[url.as_str(), "-n", "2000", "-c", "4"], more].concat());
        change(&mut command);
        let mut terminal = Terminal::start(command);
        let all = terminal.sent.iter().flatten().collect::<Vec<u8>>();
        terminal.child.wait().expect("it ends");
        assert!(!all.contains(&0x1b), "{}", text(&all));
    };
    plain(&|command| _ = command.env("TERM", "dumb"), &[]);
    plain(&|command| _ = command.env("CI", "true"), &[]);
    plain(&|_| (), &["--quiet"]);
}

#[test]
fn without_colours_it_only_moves_and_erases() {
    let server = Reference::listening(&[]);
    let mut command = in_a_terminal(&[&server.url(), "-d", "1s", "-c", "4"]);
    command.env("NO_COLOR", "1");
    let mut terminal = Terminal::start(command);
    let all = terminal.sent.iter().flatten().collect::<Vec<u8>>();
    terminal.child.wait().expect("it ends");
    let all = text(&all);
    assert!(all.contains("answered"), "{all:?}");
    let ends = all.split("\u{1b}[").skip(1).map(|rest| rest.trim_start_matches(|c: char| c.is_ascii_digit()));
    assert!(ends.map(|rest| &rest[..1]).all(|end| "AJK".contains(end)), "{all:?}");
}
