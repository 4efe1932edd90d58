//! A result in the format that was asked for, to where it was asked for.

use crate::args::{OutputArgs, UndecidedIs};
use crate::around;
use crate::exit::{Exit, leave};
use anyhow::Context;
use proofload_language::{Language, tr};
use proofload_report::formats::ExportError;
use proofload_report::{Exported, FORMATS, Format, Made, Terminal, Undecided};
use proofload_store::Run;
use proofload_store::schema::{RunResult, Slice};
use std::fs::{File, OpenOptions};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

/// A result in English, as records and programs have it, and in the language that is spoken.
#[derive(Clone)]
pub struct Localized {
    english: RunResult,
    spoken: Option<RunResult>,
}

impl Localized {
    /// The result that comes of judging, which is judged again for each language that it is shown in.
    ///
    /// # Errors
    /// Those of judging.
    pub fn new(judged: impl Fn() -> anyhow::Result<RunResult>) -> anyhow::Result<Localized> {
        let english = Language::English.within(&judged)?;
        let spoken = (Language::spoken() != Language::English).then(judged).transpose()?;
        Ok(Localized { english, spoken })
    }

    /// For records, for programs, and for the exit code.
    pub fn english(&self) -> &RunResult {
        &self.english
    }

    pub fn spoken(&self) -> &RunResult {
        self.spoken.as_ref().unwrap_or(&self.english)
    }

    /// The same with a change to it in every language.
    pub fn changed(mut self, change: impl Fn(&mut RunResult)) -> Localized {
        std::iter::once(&mut self.english).chain(&mut self.spoken).for_each(change);
        self
    }
}

/// Columns of a file, and of a terminal that does not know its size.
const COLUMNS: usize = 80;

/// Standard output: coloured where it is a terminal and `NO_COLOR` is unset.
pub fn standard_output() -> Terminal {
    let colour = around::is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
    let size = around::is_terminal().then(|| rustix::termios::tcgetwinsize(std::io::stdout()).ok()).flatten();
    let columns = size.map(|size| usize::from(size.ws_col)).filter(|columns| *columns > 0);
    Terminal { colour, columns: columns.unwrap_or(COLUMNS) }
}

/// The result as text: on one screen, or with `--verbose` all of it.
fn text(result: &RunResult, slices: &[&Slice], args: &OutputArgs, on: Terminal) -> String {
    if args.verbose {
        return proofload_report::text_within(result, on);
    }
    // A command with a short path is more easily copied.
    let here = std::env::current_dir().ok();
    let run = here.and_then(|here| Path::new(&result.run).strip_prefix(here).ok()).map(Path::to_path_buf);
    match run {
        Some(run) => {
            let result = RunResult { run: run.display().to_string(), ..result.clone() };
            proofload_report::screen(&result, slices, on)
        }
        None => proofload_report::screen(result, slices, on),
    }
}

fn format_of(path: &Path) -> &'static Format {
    Format::of_ending(path.extension().and_then(|ending| ending.to_str()).unwrap_or_default())
}

/// Each format that is asked for.
pub fn formats(args: &OutputArgs) -> Vec<&'static Format> {
    match args.format {
        Some(format) => vec![format],
        None => args.output.iter().map(|path| format_of(path)).collect(),
    }
}

/// Limit of GitHub for one step: 1 MiB. A longer file is refused as a whole.
const SUMMARY_BYTES_MAX: u64 = 1024 * 1024;
/// Variable with GitHub's path for the summary of a step.
const SUMMARY_VARIABLE: &str = "GITHUB_STEP_SUMMARY";

/// Checks that each named file can be written, before a load. A file that did not exist does not exist after it.
///
/// # Errors
/// A file that cannot be opened.
pub fn try_files(args: &OutputArgs) -> anyhow::Result<()> {
    for path in &args.output {
        // A device, a pipe or a link that leads nowhere is not opened in vain.
        let found = std::fs::symlink_metadata(path);
        if found.as_ref().is_ok_and(|found| !found.is_file()) {
            continue;
        }
        let is_new = found.is_err();
        let opened = OpenOptions::new().append(true).create(true).open(path);
        opened.map_err(|error| {
            leave(Exit::Usage, format!("-o: cannot write {}: {error}; name another file", path.display()))
        })?;
        if is_new {
            std::fs::remove_file(path).with_context(|| format!("cannot remove {}", path.display()))?;
        }
    }
    Ok(())
}

/// Checks that the result can be written where it is asked to go, before anything starts.
///
/// # Errors
/// A summary is asked for and no variable names its file.
pub fn check(args: &OutputArgs) -> anyhow::Result<()> {
    if args.github_summary && summary_file().is_none() {
        let why = format!(
            "--github-summary: {SUMMARY_VARIABLE} is not set; it is set in a step of a workflow on GitHub"
        );
        return Err(leave(Exit::Usage, why));
    }
    Ok(())
}

fn summary_file() -> Option<PathBuf> {
    std::env::var_os(SUMMARY_VARIABLE).filter(|path| !path.is_empty()).map(PathBuf::from)
}

/// A result in a format, passed to a writer.
fn made<T>(
    told: &Localized,
    of: &Slices<'_>,
    args: &OutputArgs,
    (format, path): (&Format, Option<&Path>),
    write: impl FnOnce(Made<'_>) -> anyhow::Result<T>,
) -> anyhow::Result<T> {
    let slices = &of.through[..];
    let undecided = match args.undecided {
        UndecidedIs::Skip => Undecided::Skip,
        UndecidedIs::Fail => Undecided::Fail,
    };
    let (english, spoken) = (told.english(), told.spoken());
    let on = path.map_or_else(standard_output, |_| Terminal { colour: false, columns: COLUMNS });
    let text = || text(spoken, slices, args, on);
    let exported = Exported { english, spoken, slices, all: &of.all(), undecided, text: &text };
    let made = format.make(&exported);
    write(match path {
        Some(path) => made.with_context(|| format!("cannot write {}", path.display()))?,
        None => made?,
    })
}

/// Renders and writes a result: to every file that was named, and to standard output, unless a format was chosen for
/// the files or `--quiet` was given beside them. A file that cannot be written keeps no other from it.
///
/// # Errors
/// If a file or standard output cannot be written, or the result cannot be made in that format. A reader that went away
/// is not an error.
pub fn write(result: &Localized, slices: &Slices<'_>, args: &OutputArgs) -> anyhow::Result<()> {
    let to_files = !args.output.is_empty();
    if !to_files || (args.format.is_none() && !args.quiet) {
        let format = args.format.unwrap_or(&FORMATS[0]);
        to_standard_output(result, slices, args, format)?;
    }
    let mut failed = Vec::new();
    for path in &args.output {
        let format = args.format.unwrap_or_else(|| format_of(path));
        failed.extend(to_file(result, slices, args, format, path).err());
    }
    if let Some(last) = failed.pop() {
        // The result is shown somewhere.
        if args.format.is_some() || args.quiet {
            to_standard_output(result, slices, args, &FORMATS[0])?;
        }
        failed.iter().for_each(|error| around::error_line(format!("{error:#}")));
        return Err(last);
    }
    match summary_file().filter(|_| args.github_summary) {
        Some(path) => {
            summarise(result.spoken(), &path).with_context(|| format!("cannot write {}", path.display()))
        }
        None => Ok(()),
    }
}

fn to_standard_output(
    result: &Localized,
    slices: &Slices<'_>,
    args: &OutputArgs,
    format: &Format,
) -> anyhow::Result<()> {
    let name = format.name;
    made(result, slices, args, (format, None), |made| match made {
        Made::Text(text) => print(&text),
        Made::Texts(all) => match &all[..] {
            [one] => print(&one.text),
            all => {
                let why = format!(
                    "{name}: {} distributions, and a file holds one: name it with -o FILE.{name}, which writes \
                     FILE-NAME.{name} for each",
                    all.len()
                );
                Err(leave(Exit::Usage, why))
            }
        },
        Made::Stream(false, _) if around::is_terminal() => {
            Err(leave(Exit::Usage, format!("{name} is no text: name a file with -o FILE.{name}")))
        }
        Made::Stream(_, write) => {
            let mut out = BufWriter::new(around::Output);
            unless_gone(write(&mut out).and_then(|()| Ok(out.flush()?)))
        }
    })
}

fn to_file(
    result: &Localized,
    slices: &Slices<'_>,
    args: &OutputArgs,
    format: &Format,
    path: &Path,
) -> anyhow::Result<()> {
    let as_text = |path: &Path, text: &str| created(path, args, |file| Ok(file.write_all(text.as_bytes())?));
    made(result, slices, args, (format, Some(path)), |made| match made {
        Made::Text(text) => as_text(path, &text),
        Made::Texts(all) => match &all[..] {
            [one] => as_text(path, &one.text),
            all => all.iter().try_for_each(|one| as_text(&beside(path, &one.name), &one.text)),
        },
        Made::Stream(_, write) => created(path, args, |file| write(file)),
    })
}

/// Writes a file, and reports it.
fn created(
    path: &Path,
    args: &OutputArgs,
    write: impl FnOnce(&mut BufWriter<File>) -> Result<(), ExportError>,
) -> anyhow::Result<()> {
    let written = || -> Result<(), ExportError> {
        let mut file = BufWriter::new(File::create(path)?);
        write(&mut file)?;
        Ok(file.flush()?)
    };
    written().with_context(|| format!("cannot write {}", path.display()))?;
    if !args.quiet {
        around::error_line(tr!("wrote", path = path.display().to_string()));
    }
    Ok(())
}

/// The name of one of several files: `results.hgrm` and `nio-64c` make `results-nio-64c.hgrm`.
fn beside(path: &Path, name: &str) -> PathBuf {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let ending = path.extension().map(|ending| format!(".{}", ending.to_string_lossy())).unwrap_or_default();
    path.with_file_name(format!("{stem}-{name}{ending}"))
}

/// A closed pipe is a reader that has seen enough.
fn unless_gone(written: Result<(), ExportError>) -> anyhow::Result<()> {
    match written {
        Err(error) if error.is_broken_pipe() => Ok(()),
        other => other.context("cannot write to standard output"),
    }
}

/// Appends the result to a step's summary, as much as there is room for.
fn summarise(result: &RunResult, path: &Path) -> std::io::Result<()> {
    let mut file = OpenOptions::new().create(true).append(true).open(path)?;
    let room = SUMMARY_BYTES_MAX.saturating_sub(file.metadata()?.len() + 1);
    let text = proofload_report::markdown_within(result, usize::try_from(room).unwrap_or(usize::MAX));
    if text.is_empty() {
        around::error_line(tr!("no-room-in-summary", path = path.display().to_string()));
    }
    file.write_all(text.as_bytes())
}

/// The slices of a record, in their order.
pub struct Slices<'a> {
    /// Those of variants that got through their block.
    pub through: Vec<&'a Slice>,
    /// Slices of variants that did not, with the lines that mark the loss: the page draws them, and no figure rests on
    /// them.
    pub lost: Vec<&'a Slice>,
}

impl<'a> Slices<'a> {
    pub fn of(run: &'a Run) -> Slices<'a> {
        let lost = run.blocks().iter().flat_map(|block| &block.lost);
        Slices {
            through: run.blocks().iter().flat_map(|block| &block.slices).collect(),
            lost: lost.flat_map(|lost| &lost.slices).collect(),
        }
    }

    /// The slice of a single measurement.
    pub fn of_one(slice: &'a Slice) -> Slices<'a> {
        Slices { through: vec![slice], lost: Vec::new() }
    }

    pub fn all(&self) -> Vec<&'a Slice> {
        [&self.through[..], &self.lost].concat()
    }
}

/// Writes to standard output; a closed pipe is a reader that has seen enough.
pub fn print(text: &str) -> anyhow::Result<()> {
    let mut out = around::Output;
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        other => other.context("cannot write to standard output"),
    }
}
