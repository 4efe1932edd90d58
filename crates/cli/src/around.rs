//! Surroundings of the command: a terminal and this machine, or a test's stand-ins.
//!
//! It is reached through the thread, as the language is: threads that print or measure enter it again.

use proofload_engine::{Generator, Here};
use proofload_lab::runner::{Benches, LiveBenches};
use proofload_store::redact;
use std::cell::RefCell;
use std::ffi::OsString;
use std::fmt::Display;
use std::io::{self, IsTerminal, Write};
use std::sync::{Arc, Mutex, PoisonError};

/// Everything that a test replaces.
pub struct Surroundings {
    /// The command line, the program's name first.
    pub words: Vec<OsString>,
    /// Receiver of output.
    pub console: Console,
    /// Generator of loads, unless agents make them.
    pub generator: Arc<dyn Generator + Send + Sync>,
    /// Factory of the benches of studies.
    pub benches: Arc<dyn Benches + Send + Sync>,
}

/// Receiver of output.
pub enum Console {
    /// Standard output and standard error of this process.
    Standard,
    /// To writers that are not a terminal.
    Written {
        /// In place of standard output.
        out: Mutex<Box<dyn Write + Send>>,
        /// In place of standard error.
        err: Mutex<Box<dyn Write + Send>>,
    },
}

thread_local! {
    static AROUND: RefCell<Option<Arc<Surroundings>>> = const { RefCell::new(None) };
}

impl Surroundings {
    /// This process and this machine.
    pub fn of_process() -> Surroundings {
        Surroundings {
            words: std::env::args_os().collect(),
            console: Console::Standard,
            generator: Arc::new(Here),
            benches: Arc::new(LiveBenches),
        }
    }

    /// Those of this thread; of the process where it entered none.
    pub fn here() -> Arc<Surroundings> {
        AROUND.with_borrow(Clone::clone).unwrap_or_else(|| Arc::new(Surroundings::of_process()))
    }

    /// Does something within them.
    pub fn within<T>(self: &Arc<Self>, act: impl FnOnce() -> T) -> T {
        struct Leave(Option<Arc<Surroundings>>);
        impl Drop for Leave {
            fn drop(&mut self) {
                AROUND.set(self.0.take());
            }
        }
        let _leave = Leave(AROUND.replace(Some(Arc::clone(self))));
        act()
    }
}

/// The arguments of the command line, without the program's name.
pub fn arguments() -> Vec<String> {
    let around = Surroundings::here();
    around.words.iter().skip(1).map(|word| word.to_string_lossy().into_owned()).collect()
}

pub fn is_terminal() -> bool {
    matches!(Surroundings::here().console, Console::Standard) && io::stdout().is_terminal()
}

pub fn is_error_terminal() -> bool {
    matches!(Surroundings::here().console, Console::Standard) && io::stderr().is_terminal()
}

/// Writes a line on standard error. What is in it may be of other users or machines: no terminal obeys it.
pub fn error_line(line: impl Display) {
    error_text(&proofload_report::escape::terminal(&redact::hide(&line.to_string())));
}

#[allow(clippy::print_stderr, reason = "the one place that prints")]
fn error_text(line: &str) {
    match &Surroundings::here().console {
        Console::Standard => eprintln!("{line}"),
        Console::Written { err, .. } => {
            // A reader that went away is not an error.
            let _gone = writeln!(err.lock().unwrap_or_else(PoisonError::into_inner), "{line}");
        }
    }
}

/// Shows a message of clap: help on standard output, mistakes on standard error.
pub fn show(said: &clap::Error) {
    match &Surroundings::here().console {
        // The message about a mistake repeats the mistake.
        Console::Standard if said.use_stderr() => {
            let coloured = is_error_terminal() && std::env::var_os("NO_COLOR").is_none();
            let text = said.render();
            let text = if coloured { text.ansi().to_string() } else { text.to_string() };
            error_text(&redact::hide(text.trim_end()));
        }
        Console::Standard => {
            let _gone = said.print();
        }
        Console::Written { out, err } => {
            let to = if said.use_stderr() { err } else { out };
            let mut to = to.lock().unwrap_or_else(PoisonError::into_inner);
            let _gone = write!(to, "{}", said.render());
        }
    }
}

/// Standard output.
pub struct Output;

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &Surroundings::here().console {
            Console::Standard => io::stdout().write(bytes),
            Console::Written { out, .. } => out.lock().unwrap_or_else(PoisonError::into_inner).write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &Surroundings::here().console {
            Console::Standard => io::stdout().flush(),
            Console::Written { out, .. } => out.lock().unwrap_or_else(PoisonError::into_inner).flush(),
        }
    }
}
