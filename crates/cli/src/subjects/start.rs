//! `proofload subjects start`: one subject, as a study starts it, until it is stopped.

use super::{find, open_cache, pairs, print, say};
use crate::args::StartArgs;
use crate::exit::{Exit, leave};
use crate::mistakes::wrong;
use crate::run::subject_error;
use proofload_host::{clock, signals};
use proofload_study::{Declarations, SubjectSpec};
use proofload_subject::{Keeper, Prepared};
use std::sync::atomic::Ordering;

/// Interval of the checks that it lives, and that no signal stops it.
const LOOK_EVERY_NS: u64 = 100_000_000;

pub fn start(args: &StartArgs) -> anyhow::Result<Exit> {
    let (catalogue, cache) = (find(args.catalogue.as_deref())?, open_cache(args.offline)?);
    let stop = signals::install()?;
    let with = pairs(&args.with)?;
    let spec = SubjectSpec::Catalogue { folder: args.subject.clone(), with: with.clone() };
    let prepared =
        Prepared::prepare(&args.subject, &spec, &catalogue, &cache, &say).map_err(subject_error)?;
    let speaks = catalogue.speaks(&args.subject, &with).map_err(|mistake| wrong("--with", mistake))?;
    let keeper = Keeper::start().map_err(|error| leave(Exit::FailedStart, error))?;
    let (log, temp) = (keeper.temp().join("log"), keeper.temp().join("start"));
    let running = prepared.start(&keeper, &[], &log, &temp).map_err(subject_error)?;
    let ready = running.wait_ready(&stop);
    if ready.is_ok() {
        // A caller reads the address from this line.
        print(&format!("listening on {}://{}\n", speaks.scheme(), running.authority(0)))?;
    }
    let lived = ready.and_then(|()| {
        while !stop.load(Ordering::Relaxed) {
            running.alive()?;
            clock::sleep_ns(LOOK_EVERY_NS);
        }
        Ok(())
    });
    let stopped = running.stop();
    lived.map_err(subject_error)?;
    stopped.map_err(subject_error)?;
    Ok(Exit::Done)
}
