//! `proofload compare`: a verdict between servers that already run.

use crate::args::CompareArgs;
use crate::exit::{Exit, leave};
use crate::load::{self, Mistakes};
use crate::run::{Conduct, conduct};
use proofload_harness::study;
use proofload_harness::subject::{Cache, Catalogue};

/// The verb.
pub fn compare(args: &CompareArgs) -> anyhow::Result<Exit> {
    let mut mistakes = Mistakes::default();
    let point = load::point(&args.load, &mut mistakes);
    let request = load::request(&args.load, &mut mistakes);
    mistakes.check()?;
    let claims: Vec<(String, String)> = args.claims.iter().map(|text| (text.clone(), text.clone())).collect();
    let study = study::comparison(&args.urls, request, point, &claims)
        .map_err(|problems| leave(Exit::Usage, problems))?;
    let cache = Cache::open().map_err(|error| leave(Exit::FailedStart, error))?;
    let catalogue = Catalogue::find(None, None).map_err(|error| leave(Exit::Usage, error))?;
    conduct(&Conduct {
        study: &study,
        preset: &args.preset,
        catalogue: &catalogue,
        cache: &cache,
        dir: &args.dir,
        mode: None,
        seed: args.load.seed,
        workers: args.load.workers,
        no_wait: false,
        explain: false,
        output: &args.output,
    })
}
