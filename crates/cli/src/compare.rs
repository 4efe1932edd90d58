//! `proofload compare`: which of two servers is the faster one, running or started by commands.

use crate::args::{CompareArgs, FleetArgs};
use crate::exit::{Exit, leave};
use crate::flags;
use crate::fleet::with_agents;
use crate::run::{Request, execute, timed};
use proofload_facts::{Expected, Mistake};
use proofload_lab::plan::redact_own_arguments;
use proofload_lab::study_run::StudyRun;
use proofload_study::{Draft, Said, Study, is_level};
use proofload_subject::{Cache, Catalogue};

/// Most servers of a comparison.
const SERVERS_MAX: usize = 8;

/// Placeholder of the chosen port.
const PORT: &str = "{port}";

pub fn compare(args: &CompareArgs) -> anyhow::Result<Exit> {
    if let Some(path) = &args.asked.save {
        return flags::save(draft(args), path);
    }
    let study = study_of(args)?;
    let cache = Cache::open().map_err(|error| leave(Exit::FailedStart, error))?;
    let catalogue = Catalogue::find(None, None).map_err(|error| leave(Exit::Usage, error))?;
    let fleet = if args.asked.explain { &FleetArgs::default() } else { &args.fleet };
    with_agents(fleet, args.output.quiet, |generator| {
        let run = StudyRun {
            generator,
            ..timed(StudyRun::new(&study, &catalogue, &cache, &args.dir), &args.preset)?
        };
        execute(&Request {
            explain: args.asked.explain,
            no_wait: args.no_wait,
            export: Some(&args.export),
            ..Request::new(run, &args.output)
        })
    })
}

/// The study that the arguments make. Addresses are named by host and port where these differ and can be used in a
/// claim, else they are `a`, `b`, … like commands, which are asked for `--path`. Without claims the first server is
/// compared with each of the others, both ways.
///
/// # Errors
/// Every mistake of the arguments.
pub fn study_of(args: &CompareArgs) -> anyhow::Result<Study> {
    let study = flags::checked(draft(args))?;
    Ok(Study { two_sided: args.claims.is_empty(), ..study })
}

/// The study that the flags describe.
pub fn draft(args: &CompareArgs) -> Draft {
    let commands: Vec<Option<Vec<String>>> = args.servers.iter().map(|text| words(text)).collect();
    let mut draft = flags::draft("compare", "");
    if !(2..=SERVERS_MAX).contains(&args.servers.len()) {
        draft.add("URL", Mistake::beyond(args.servers.len(), 2, SERVERS_MAX));
    }
    if args.load.unix.is_some() {
        draft.add("--unix", Mistake::OneServer);
    }
    // A command is asked like a server on this machine.
    let local =
        format!("http://localhost:1{}{}", if args.path.starts_with('/') { "" } else { "/" }, args.path);
    let mut asked = Vec::new();
    for (text, command) in args.servers.iter().zip(&commands) {
        check_command(&mut draft, text, command.as_deref());
        asked.extend(flags::address(&mut draft, if command.is_some() { &local } else { text }));
    }
    if let Some(other) = asked.iter().find(|other| other.url.target != asked[0].url.target) {
        let (one, other) = (asked[0].url.target.clone(), other.url.target.clone());
        draft.add("URL", Mistake::DifferentPaths { one, other });
    }
    if asked.len() < args.servers.len() {
        return draft;
    }
    let own: Vec<&str> = asked.iter().map(|asked| asked.url.name.as_str()).collect();
    let tell = own.iter().enumerate().all(|(at, name)| is_level(name) && !own[..at].contains(name));
    let letters = ('a'..='z').map(String::from);
    let names: Vec<String> = if tell {
        own.iter().map(|name| (*name).to_owned()).collect()
    } else {
        letters.take(own.len()).collect()
    };
    let shown: Vec<String> = if tell { names.clone() } else { redact_own_arguments(&args.servers) };
    draft.put("", &["question"], &format!("Which is faster: {}?", shown.join(" or ")));
    let any_tls = asked.iter().any(|asked| asked.url.secure);
    for ((name, asked), command) in names.iter().zip(&asked).zip(commands) {
        match command {
            Some(words) => {
                words.iter().for_each(|word| draft.push("command", &["subjects", name, "command"], word))
            }
            None => {
                let tls = asked.url.secure || !any_tls;
                flags::server(&mut draft, &["subjects", name], asked, &args.load, tls);
            }
        }
    }
    flags::entry(&mut draft, "request", &asked[0].url, &args.load);
    flags::shared(&mut draft, &args.load);
    flags::load(&mut draft, &args.load);
    flags::claims(&mut draft, "--claim", &args.claims);
    if args.claims.is_empty() {
        names[1..].iter().flat_map(|other| both_ways(&names[0], other)).for_each(|(name, text)| {
            draft.push("", &["claims"], Said::Map(vec![(name, Said::Text(text))]));
        });
    }
    draft
}

/// Either of the two serves more, or they are alike.
fn both_ways(first: &str, other: &str) -> [(String, String); 2] {
    let sides = |between: &str| format!("throughput({first}) {between} throughput({other})");
    [
        (format!("{first} serves more than {other}"), sides(">")),
        (format!("{first} and {other} serve alike"), format!("{} within 5%", sides("~"))),
    ]
}

/// The words of a command; `None` for an address. Of quotes that are not closed nothing is left.
fn words(text: &str) -> Option<Vec<String>> {
    (text.contains(PORT) || text.contains(char::is_whitespace))
        .then(|| shlex::split(text).unwrap_or_default())
}

fn check_command(draft: &mut Draft, text: &str, words: Option<&[String]>) {
    let shown = redact_own_arguments(&[text.to_owned()]).concat();
    if words.is_some() && !text.contains(PORT) {
        draft.add("command", Mistake::NoPort.at(shown.clone()));
    }
    if words.is_some_and(<[String]>::is_empty) {
        draft.add("command", Mistake::not(shown, Expected::Words, "'./server --port {port}'"));
    }
}
